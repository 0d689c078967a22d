-- What programs do with a device besides computing: storages, copies between types, views, devices and streams, random
-- numbers and their states, handles and memory, errors.
--
-- usage: luajit devices.lua PROJECT ERA libTH libTHNN libTHC libTHCUNN
local here = arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = here .. '/?.lua;' .. package.path
local ffi = require 'ffi'
local M = require 'common'
M.open(arg)
local thc, state, cpu, gpu = M.thc, M.state, M.cpu, M.gpu

ffi.cdef [[
int cudaSetDevice(int);
int cudaGetDevice(int *);
int cudaDeviceSynchronize(void);
int cudaStreamSynchronize(cudaStream_t);
int cudaStreamWaitEvent(cudaStream_t, void *, unsigned);
int cudaEventCreateWithFlags(void **, unsigned);
int cudaEventRecord(void *, cudaStream_t);
int cudaEventSynchronize(void *);
int cudaEventQuery(void *);
int cudaEventDestroy(void *);
]]
local runtime = ffi.C

local check, tests = M.check, {}
local function test(name)
  return function(f)
    tests[#tests + 1] = { name = name, f = f }
  end
end
local function equal(got, want, what)
  got, want = tonumber(got) or got, tonumber(want) or want
  check(got == want, '%s is %s instead of %s', what, tostring(got), tostring(want))
end
local function raises(pattern, f)
  local good, message = pcall(f)
  check(not good and tostring(message):find(pattern, 1, true), 'instead of "%s" there is %s', pattern,
        good and 'no error' or tostring(message))
end
local function tensor(T, shape, values, device)
  local p = M.pair(T, shape, 'whole', values and function(_, i) return values[i + 1] end)
  return device == false and p.cpu or p.gpu, p
end
local function numbers(T, t)
  return M.elements({ T = T, R = M.reference[T], gpu = t }, true)
end
local function list(a)
  return table.concat(a, ' ')
end
local function current()
  local d = ffi.new 'int[1]'
  runtime.cudaGetDevice(d)
  return d[0]
end
local function real(T, x)
  return T == 'Half' and M.half(x) or x
end
local function lua(T, x)
  return T == 'Half' and M.libraries.thc.THC_half2float(x) or tonumber(x)
end

-- ---- storages ----------------------------------------------------------------------------------

local size_of = { Byte = 1, Char = 1, Short = 2, Int = 4, Long = 8, Float = 4, Double = 8, Half = 2 }
test 'storages' (function()
  for _, T in ipairs(M.types) do
    local s = gpu[T].storage
    equal(s.elementSize(), size_of[T], T .. ' elementSize')
    local a = s.newWithSize4(real(T, 1), real(T, 2), real(T, 3), real(T, 4))
    equal(s.size(a), 4, 'size')
    equal(lua(T, s.get(a, 2)), 3, 'element 2')
    s.set(a, 1, real(T, 9))
    s.resize(a, 6)
    equal(s.size(a), 6, 'size')
    equal(lua(T, s.get(a, 1)) + lua(T, s.get(a, 3)), 13, 'what resizing keeps')
    raises('7', function() s.get(a, 7) end)
    raises('-1', function() s.set(a, -1, real(T, 0)) end)
    s.fill(a, real(T, 5))
    local b = s.newWithSize(6)
    s.copy(b, a)
    equal(lua(T, s.get(b, 5)), 5, 'a copied element')
    raises('6', function() s.resize(b, 5) s.copy(b, a) end)
    equal(s.getDevice(b), 0, 'device')
    s.resize(b, 0)
    equal(s.size(b), 0, 'size')
    s.retain(a)
    s.free(a)
    equal(lua(T, s.get(a, 0)), 5, 'a storage that is still held')
    s.free(a)
    s.free(b)
  end
end)

test 'storages of other types' (function()
  for _, T in ipairs(M.types) do
    for _, U in ipairs(M.types) do
      local from, there, to = cpu[U].storage.newWithSize(3), gpu[T].storage.newWithSize(3), cpu[U].storage.newWithSize(3)
      for i = 0, 2 do
        cpu[U].storage.data(from)[i] = U == 'Half' and M.half(i + 1) or i + 1
      end
      gpu[T].storage['copy' .. U](there, from)
      equal(lua(T, gpu[T].storage.get(there, 2)), 3, ('%s of %s'):format(T, U))
      local back = ('TH%sStorage_copyCuda%s'):format(U, T)
      ffi.cdef(('void %s(THCState *, TH%sStorage *, TH%sStorage *);'):format(back, U, M.device_name[T]))
      M.libraries.thc[back](state, to, there)
      equal(lua(U, cpu[U].storage.data(to)[1]), 2, ('%s back to %s'):format(T, U))
      local other = gpu[U].storage.newWithSize(3)
      gpu[U].storage['copyCuda' .. T](other, there)
      equal(lua(U, gpu[U].storage.get(other, 0)), 1, ('%s on the device of %s'):format(U, T))
      cpu[U].storage.free(from)
      cpu[U].storage.free(to)
      gpu[T].storage.free(there)
      gpu[U].storage.free(other)
    end
  end
end)

-- ---- tensors -----------------------------------------------------------------------------------

test 'copies between types' (function()
  for _, T in ipairs(M.types) do
    for _, U in ipairs(M.types) do
      local from, p = tensor(T, { 2, 3 }, { 1, 2, 3, 4, 5, 6 })
      local turned = gpu[T].newTranspose(from, 0, 1)
      local to = gpu[U].newWithSize2d(3, 2)
      gpu[U]['copyCuda' .. T](to, turned)
      equal(list(numbers(U, to)), '1 4 2 5 3 6', ('%s of %s, transposed'):format(U, T))
      if T ~= 'Half' then
        local host = cpu[T].newTranspose(p.cpu, 0, 1)
        gpu[U]['copy' .. T](to, host)
        equal(list(numbers(U, to)), '1 4 2 5 3 6', ('%s of the CPU\'s %s, transposed'):format(U, T))
        cpu[T].free(host)
      end
      gpu[T].free(turned)
      gpu[U].free(to)
    end
  end
  local a, b = gpu.Float.newWithSize1d(3), cpu.Float.newWithSize1d(4)
  raises('', function() gpu.Float.copyFloat(a, b) end)
  gpu.Float.free(a)
  cpu.Float.free(b)
end)

test 'asynchronous copies' (function()
  local _, p = tensor('Float', { 4 }, { 1, 2, 3, 4 })
  local there, back = gpu.Float.newWithSize1d(4), cpu.Float.newWithSize1d(4)
  gpu.Float.copyAsyncCPU(there, p.cpu)
  M.find('thc', 'THTensor_(copyAsyncCuda)', 'Float', true).f(state, back, there)
  runtime.cudaStreamSynchronize(thc.THCState_getCurrentStream(state))
  equal(cpu.Float.get1d(back, 3), 4, 'what came back')
  gpu.Float.free(there)
  cpu.Float.free(back)
end)

test 'views' (function()
  local all = {}
  for i = 1, 24 do
    all[i] = i
  end
  local _, p = tensor('Int', { 2, 3, 4 }, all)
  local S = M.long_storage
  local views = {
    { 'newNarrow', 2, 1, 2 }, { 'newSelect', 1, 2 }, { 'newTranspose', 0, 2 }, { 'newUnfold', 2, 2, 1 },
    { 'newView', S { 6, -1 } }, { 'newClone' }, { 'newContiguous' }, { 'newWithTensor' },
  }
  for _, view in ipairs(views) do
    local host, there = cpu.Int[view[1]](p.cpu, unpack(view, 2)), gpu.Int[view[1]](p.gpu, unpack(view, 2))
    local v = { T = 'Int', R = 'Int', cpu = host, gpu = there }
    check(not M.difference(v), '%s: %s', view[1], tostring(M.difference(v)))
    equal(gpu.Int.isContiguous(there), cpu.Int.isContiguous(host), view[1] .. ' isContiguous')
    cpu.Int.free(host)
    gpu.Int.free(there)
  end
  local one, r = tensor('Int', { 1, 3, 1 }, { 1, 2, 3 }), gpu.Int.new()
  gpu.Int.squeeze(r, one)
  equal(gpu.Int.nDimension(r), 1, 'dimensions after squeeze')
  gpu.Int.unsqueeze1d(r, r, 0)
  equal(gpu.Int.size(r, 0), 1, 'size after unsqueeze')
  gpu.Int.expand(r, one, S { 2, 3, 4 })
  equal(list(numbers('Int', r)), ('1 1 1 1 2 2 2 2 3 3 3 3 '):rep(2):sub(1, -2), 'an expanded tensor')
  raises('', function() gpu.Int.narrow(r, one, 1, 2, 2) end)
  raises('', function() gpu.Int.select(r, one, 3, 0) end)
  equal(gpu.Int.isSetTo(one, one), 1, 'isSetTo')
  gpu.Int.free(r)
end)

-- ---- devices and streams -----------------------------------------------------------------------

test 'devices' (function()
  equal(thc.THCState_getNumDevices(state), 2, 'devices')
  local a = tensor('Float', { 3 }, { 1, 2, 3 })
  runtime.cudaSetDevice(1)
  local b = gpu.Float.newWithSize1d(3)
  equal(gpu.Float.getDevice(b), 1, 'device of a new tensor')
  gpu.Float.copy(b, a)
  equal(current(), 1, 'device after a copy')
  equal(list(numbers('Float', b)), '1 2 3', 'a copy on another device')
  raises('', function() gpu.Float.cadd(b, b, 1, a) end) -- another device's
  runtime.cudaSetDevice(0)
  gpu.Float.copy(a, b)
  equal(thc.THCState_getPeerToPeerAccess(state, 0, 1), 1, 'access of 0 to 1')
  thc.THCState_setPeerToPeerAccess(state, 0, 1, 0)
  equal(thc.THCState_getPeerToPeerAccess(state, 0, 1), 0, 'access of 0 to 1')
  raises('device 1', function() gpu.Float.fill(b, 7) end)
  runtime.cudaSetDevice(1)
  gpu.Float.fill(b, 7)
  runtime.cudaSetDevice(0)
  gpu.Float.copy(a, b)
  equal(list(numbers('Float', a)), '7 7 7', 'a copy without access')
  thc.THCState_setPeerToPeerAccess(state, 0, 1, 1)
  equal(current(), 0, 'device')
  local c = gpu.Float.newClone(b)
  equal(gpu.Float.getDevice(c), 0, 'device of a clone')
  gpu.Float.free(b)
  gpu.Float.free(c)
end)

test 'streams' (function()
  equal(thc.THCState_getNumStreams(state), 0, 'streams')
  thc.THCState_reserveStreams(state, 3, 0)
  equal(thc.THCState_getNumStreams(state), 3, 'streams')
  thc.THCState_reserveStreams(state, 2, 0)
  equal(thc.THCState_getNumStreams(state), 3, 'streams never become fewer')
  local a, event = gpu.Float.newWithSize1d(5), ffi.new 'void *[1]'
  runtime.cudaEventCreateWithFlags(event, 2)
  for i = 1, 3 do
    thc.THCState_setCurrentStreamIndex(state, i)
    equal(thc.THCState_getCurrentStreamIndex(state), i, 'stream')
    gpu.Float.fill(a, i)
    runtime.cudaEventRecord(event[0], thc.THCState_getCurrentStream(state))
    thc.THCState_setCurrentStreamIndex(state, i % 3 + 1)
    runtime.cudaStreamWaitEvent(thc.THCState_getCurrentStream(state), event[0], 0)
    gpu.Float.add(a, a, 10)
    equal(list(numbers('Float', a)), (i + 10 .. ' '):rep(5):sub(1, -2), 'what another stream wrote')
  end
  runtime.cudaEventSynchronize(event[0])
  equal(runtime.cudaEventQuery(event[0]), 0, 'the event')
  runtime.cudaEventDestroy(event[0])
  raises('', function() thc.THCState_setCurrentStreamIndex(state, 4) end)
  equal(thc.THCState_getCurrentStream(state), thc.THCState_getDeviceStream(state, 0, thc.THCState_getCurrentStreamIndex(state)),
        'stream')
  local own = thc.THCStream_new(1)
  thc.THCState_setStream(state, own)
  check(thc.THCState_getStream(state) == own, 'the stream is another one')
  thc.THCStream_free(own)
  gpu.Float.fill(a, 3)
  equal(gpu.Float.sumall(a), 15, 'a sum on a stream of its own')
  thc.THCState_setCurrentStreamIndex(state, 0)
  gpu.Float.free(a)
end)

test 'handles and memory' (function()
  thc.THCState_reserveBlasHandles(state, 3)
  check(tonumber(thc.THCState_getNumBlasHandles(state)) >= 3, 'there are not 3 handles')
  local x, y = tensor('Double', { 4 }, { 1, 2, 3, 4 }), tensor('Double', { 4 }, { 1, 1, 1, 2 })
  for i = 1, 3 do
    thc.THCState_setCurrentBlasHandleIndex(state, i)
    equal(thc.THCState_getCurrentBlasHandleIndex(state), i, 'handle')
    check(thc.THCState_getCurrentBlasHandle(state) == thc.THCState_getDeviceBlasHandle(state, 0, i), 'another handle')
    equal(gpu.Double.dot(x, y), 14, 'dot')
  end
  raises('', function() thc.THCState_setCurrentBlasHandleIndex(state, 9) end)
  thc.THCState_setCurrentBlasHandleIndex(state, 1)
  thc.THCState_reserveSparseHandles(state, 2)
  thc.THCState_setCurrentSparseHandleIndex(state, 2)
  equal(thc.THCState_getCurrentSparseHandleIndex(state), 2, 'handle')
  local free, total = ffi.new 'size_t[1]', ffi.new 'size_t[1]'
  equal(thc.THCudaMemGetInfo(state, free, total), 0, 'status')
  check(free[0] > 0 and free[0] <= total[0], '%s of %s bytes are free', tostring(free[0]), tostring(total[0]))
  check(tonumber(thc.THCState_getCurrentDeviceScratchSpaceSize(state)) >= 4, 'no scratch space')
  check(thc.THCState_getCurrentDeviceScratchSpace(state) ~= nil, 'no scratch space')
  local memory = ffi.new 'void *[1]'
  equal(thc.THCudaMalloc(state, memory, 1000), 0, 'status')
  equal(thc.THCudaFree(state, memory[0]), 0, 'status')
  local pinned = thc.THCudaHostAlloc(state, 100)
  check(pinned ~= nil, 'no pinned memory')
  thc.THCudaHostRecord(state, pinned)
  thc.THCudaHostFree(state, pinned)
  raises('memory', function() gpu.Double.newWithSize1d(2 ^ 44) end)
  raises('', function() gpu.Float.storage.newWithSize(-3) end)
end)

-- ---- random numbers ----------------------------------------------------------------------------

local N = 20000
local function drawn(T, name, ...)
  local t = gpu[T].newWithSize1d(N)
  gpu[T][name](t, ...)
  local values = numbers(T, t)
  gpu[T].free(t)
  return values
end
local function moments(values)
  local sum, squares = 0, 0
  for _, v in ipairs(values) do
    sum = sum + v
    squares = squares + v * v
  end
  local mean = sum / #values
  return mean, squares / #values - mean * mean
end
-- Mean and variance, within six standard errors of the mean, and a tenth of the variance.
local function distributed(T, name, mean, variance, ...)
  local m, v = moments(drawn(T, name, ...))
  check(math.abs(m - mean) < 6 * math.sqrt(variance / N) + (T == 'Half' and 0.01 or 0), '%s of %s: mean %g instead of %g', name, T, m,
        mean)
  check(math.abs(v - variance) < 0.1 * variance + 1e-9, '%s of %s: variance %g instead of %g', name, T, v, variance)
end

-- Trials of probability p until one fails; until one succeeds in 2018.
local function geometric(T, p)
  local q = M.era == 'torch7' and 1 - p or p
  distributed(T, 'geometric', 1 / q, (1 - q) / q ^ 2, p)
end

test 'distributions' (function()
  thc.THCRandom_manualSeed(state, 7)
  for _, T in ipairs { 'Float', 'Double', 'Half' } do
    distributed(T, 'uniform', 1, 3, -2, 4)
    distributed(T, 'normal', 1.5, 4, 1.5, 2)
    distributed(T, 'exponential', 0.5, 0.25, 2)
    distributed(T, 'logNormal', math.exp(0.25 ^ 2 / 2), (math.exp(0.25 ^ 2) - 1) * math.exp(0.25 ^ 2), 0, 0.25)
    geometric(T, 0.4)
    distributed(T, 'bernoulli', 0.3, 0.21, 0.3)
    local c = drawn(T, 'cauchy', 2, 0.5)
    table.sort(c)
    check(math.abs(c[N / 2] - 2) < 0.05 and math.abs(c[3 * N / 4] - 2.5) < 0.05, 'cauchy of %s: quartiles %g %g', T, c[N / 2],
          c[3 * N / 4])
    local u = drawn(T, 'uniform', 0, 1)
    for _, x in ipairs(u) do
      if x < 0 or x > 1 or (x == 1 and T ~= 'Half') then -- rounded
        check(false, 'uniform of %s draws %g', T, x)
        break
      end
    end
  end
  for _, T in ipairs { 'Byte', 'Char', 'Short', 'Int', 'Long' } do
    distributed(T, 'bernoulli', 0.75, 0.1875, 0.75)
    geometric(T, 0.6)
  end
  local p, r = tensor('Float', { N }), gpu.Int.newWithSize1d(N)
  gpu.Float.fill(p, 0.25)
  gpu.Int.bernoulli_FloatTensor(r, p)
  check(math.abs(moments(numbers('Int', r)) - 0.25) < 0.02, 'bernoulli_FloatTensor')
  gpu.Float.normal_means(p, p, 0.5)
  check(math.abs(moments(numbers('Float', p)) - 0.25) < 0.03, 'normal_means')
  raises('', function() gpu.Float.normal(p, 0, -1) end)
  raises('', function() gpu.Float.bernoulli(p, 1.5) end)
  raises('', function() gpu.Float.geometric(p, 0) end)
  gpu.Int.free(r)
end)

test 'states of generators' (function()
  local function draws(T)
    return list(drawn(T, 'normal', 0, 1))
  end
  thc.THCRandom_manualSeed(state, 123)
  equal(thc.THCRandom_initialSeed(state), 123, 'the seed')
  local first, second = draws 'Float', draws 'Double'
  thc.THCRandom_manualSeed(state, 123)
  check(draws 'Float' == first and draws 'Double' == second, 'the same seed has other draws')
  local saved = cpu.Byte.new()
  thc.THCRandom_getRNGState(state, saved)
  first = draws 'Float'
  check(draws 'Float' ~= first, 'two draws are the same')
  thc.THCRandom_setRNGState(state, saved)
  check(draws 'Float' == first, 'a state that was set again has other draws')
  raises('', function()
    cpu.Byte.resize1d(saved, 3)
    thc.THCRandom_setRNGState(state, saved)
  end)
  cpu.Byte.free(saved)
  thc.THCRandom_manualSeedAll(state, 5)
  local a = draws 'Float'
  runtime.cudaSetDevice(1)
  equal(thc.THCRandom_initialSeed(state), 5, 'the seed of device 1')
  local b = draws 'Float'
  runtime.cudaSetDevice(0)
  check(a == b, 'the same seed has other draws on another device')
  check(thc.THCRandom_seed(state) ~= thc.THCRandom_seed(state), 'seeds are the same')
end)

test 'multinomial' (function()
  thc.THCRandom_manualSeed(state, 11)
  for _, T in ipairs { 'Float', 'Double', 'Half' } do
    local p, r = tensor(T, { 4 }, { 0.5, 0, 1, 0.5 }), gpu.Long.new()
    gpu[T].multinomial(r, p, 8000, 1)
    local counts = { 0, 0, 0, 0 }
    for _, i in ipairs(numbers('Long', r)) do
      counts[i + 1 - M.base] = counts[i + 1 - M.base] + 1
    end
    check(counts[2] == 0 and math.abs(counts[3] - 4000) < 300, 'of %s: %s', T, list(counts))
    local rows = tensor(T, { 5, 6 }, nil)
    gpu[T].uniform(rows, 0.1, 1)
    gpu[T].multinomial(r, rows, 6, 0)
    local found = numbers('Long', r)
    for row = 0, 4 do
      local seen = {}
      for i = 1, 6 do
        seen[found[row * 6 + i]] = true
      end
      local n = 0
      for _ in pairs(seen) do
        n = n + 1
      end
      equal(n, 6, 'how many differ')
    end
    raises('4', function() -- only three have a probability, which the next function that waits reports
      gpu[T].multinomial(r, p, 4, 0)
      numbers('Long', r)
    end)
    raises('', function() gpu[T].multinomial(r, p, 0, 1) end)
    gpu.Long.free(r)
  end
end)

-- ---- further functions -------------------------------------------------------------------------

test 'indices of the CPU' (function()
  local S = { 4, 3 }
  for _, T in ipairs(M.types) do
    local p = M.pair(T, S, 'whole', 'few')
    local j = M.pair('Long', { 2 }, 'whole', function(_, i) return i * 2 + M.base end)
    local r, q = M.pair(T), M.pair(T, { 2, 3 }, 'strided', 'few')
    cpu[p.R].indexSelect(r.cpu, p.cpu, 0, j.cpu)
    gpu[T].indexSelect_long(r.gpu, p.gpu, 0, j.cpu)
    check(not M.difference(r), 'indexSelect_long of %s: %s', T, tostring(M.difference(r)))
    for _, name in ipairs { 'indexCopy', 'indexAdd' } do
      cpu[p.R][name](p.cpu, 0, j.cpu, q.cpu)
      gpu[T][name .. '_long'](p.gpu, 0, j.cpu, q.gpu)
      check(not M.difference(p), '%s_long of %s: %s', name, T, tostring(M.difference(p)))
    end
    cpu[p.R].indexFill(p.cpu, 0, j.cpu, 2)
    gpu[T].indexFill_long(p.gpu, 0, j.cpu, real(T, 2))
    check(not M.difference(p), 'indexFill_long of %s: %s', T, tostring(M.difference(p)))
    raises('4', function()
      cpu.Long.set1d(j.cpu, 1, 4 + M.base)
      gpu[T].indexFill_long(p.gpu, 0, j.cpu, real(T, 3))
    end)
    check(not M.difference(p), 'after an error: %s', tostring(M.difference(p)))
  end
end)

test 'masks of the CPU' (function()
  for _, T in ipairs(M.types) do
    local p, m = M.pair(T, { 3, 4 }, 'transposed', 'few'), M.pair('Byte', { 3, 4 }, 'whole', 'bit')
    local r = M.pair(T)
    cpu[p.R].maskedSelect(r.cpu, p.cpu, m.cpu)
    gpu[T].maskedSelectByte(r.gpu, p.gpu, m.cpu)
    check(not M.difference(r), 'maskedSelectByte of %s: %s', T, tostring(M.difference(r)))
    cpu[p.R].maskedFill(p.cpu, m.cpu, 3)
    gpu[T].maskedFillByte(p.gpu, m.cpu, real(T, 3))
    check(not M.difference(p), 'maskedFillByte of %s: %s', T, tostring(M.difference(p)))
    cpu[p.R].maskedCopy(p.cpu, m.cpu, r.cpu)
    gpu[T].maskedCopyByte(p.gpu, m.cpu, r.gpu)
    check(not M.difference(p), 'maskedCopyByte of %s: %s', T, tostring(M.difference(p)))
  end
end)

test 'images' (function()
  local f = M.libraries.thc
  ffi.cdef [[
  void THCudaTensor_conv2Dmv(THCState *, THCudaTensor *, float, THCudaTensor *, THCudaTensor *, int64_t, int64_t, const char *);
  void THCudaTensor_conv2Dmm(THCState *, THCudaTensor *, float, THCudaTensor *, THCudaTensor *, int64_t, int64_t, const char *);
  void THCudaTensor_conv2DRevger(THCState *, THCudaTensor *, float, float, THCudaTensor *, THCudaTensor *, int64_t, int64_t);
  void THCudaTensor_conv2DRevgerm(THCState *, THCudaTensor *, float, float, THCudaTensor *, THCudaTensor *, int64_t, int64_t);
  ]]
  for _, how in ipairs { 'VX', 'VC', 'FX', 'FC' } do
    local x, k, r = M.pair('Float', { 3, 7, 8 }, 'transposed'), M.pair('Float', { 2, 3, 3, 2 }), M.pair('Float')
    cpu.Float.conv2Dmv(r.cpu, 0, 1, x.cpu, k.cpu, 1, 1, how:sub(1, 1), how:sub(2, 2))
    f.THCudaTensor_conv2Dmv(state, r.gpu, 0, x.gpu, k.gpu, 1, 1, how)
    check(not M.difference(r, 4), 'conv2Dmv %s: %s', how, tostring(M.difference(r, 4)))
    local b, s = M.pair('Float', { 4, 3, 7, 8 }, 'narrowed'), M.pair('Float')
    cpu.Float.conv2Dmm(s.cpu, 0, 1, b.cpu, k.cpu, 2, 1, how:sub(1, 1), how:sub(2, 2))
    f.THCudaTensor_conv2Dmm(state, s.gpu, 0, b.gpu, k.gpu, 2, 1, how)
    check(not M.difference(s, 4), 'conv2Dmm %s: %s', how, tostring(M.difference(s, 4)))
  end
  local x, k, r = M.pair('Float', { 3, 7, 8 }), M.pair('Float', { 2, 3, 2 }), M.pair('Float')
  cpu.Float.conv2DRevger(r.cpu, 0, 2, x.cpu, k.cpu, 1, 1)
  f.THCudaTensor_conv2DRevger(state, r.gpu, 0, 2, x.gpu, k.gpu, 1, 1)
  check(not M.difference(r, 4), 'conv2DRevger: %s', tostring(M.difference(r, 4)))
end)

test 'half' (function()
  ffi.cdef [[
  void THCFloat2Half(THCState *, half *, float *, ptrdiff_t);
  void THCHalf2Float(THCState *, float *, half *, ptrdiff_t);
  ]]
  local a, h = tensor('Float', { 5 }, { 1, -2.5, 65504, 1e6, 2 ^ -24 }), gpu.Half.newWithSize1d(5)
  M.libraries.thc.THCFloat2Half(state, gpu.Half.data(h), gpu.Float.data(a), 5)
  equal(list(numbers('Half', h)), '1 -2.5 65504 inf ' .. 2 ^ -24, 'half')
  M.libraries.thc.THCHalf2Float(state, gpu.Float.data(a), gpu.Half.data(h), 3)
  equal(list(numbers('Float', a)), '1 -2.5 65504 1000000 ' .. 2 ^ -24, 'float')
  gpu.Half.free(h)
end)

test 'sorting in place' (function()
  local keys = tensor('Float', { 2, 4 }, { 3, 1, 2, 0, 5, 7, 6, 4 })
  local values = tensor('Long', { 2, 4 }, { 1, 2, 3, 4, 5, 6, 7, 8 })
  gpu.Float.sortKeyValueInplace(keys, values, 1, 0)
  equal(list(numbers('Float', keys)), '0 1 2 3 4 5 6 7', 'keys')
  equal(list(numbers('Long', values)), '4 2 3 1 8 5 7 6', 'values')
end)

test 'what errors say' (function()
  local a, b, v = tensor('Float', { 2, 3 }), tensor('Float', { 4, 2 }), tensor('Float', { 7 })
  local r = gpu.Float.new()
  raises('size mismatch', function() gpu.Float.addmm(r, 0, a, 1, a, b) end)
  raises('[2 x 3]', function() gpu.Float.cadd(r, a, 1, b) end)
  raises('[7]', function() gpu.Float.addmv(r, 0, v, 1, a, v) end)
  raises('2', function() gpu.Float.sum(r, a, 2, 1) end)
  raises('5', function() gpu.Float.topk(r, gpu.Long.new(), a, 5, 1, 0, 1) end)
  raises('[4 x 2]', function() gpu.Float.cat(r, a, b, 1) end)
  raises('4', function() gpu.Float.resize(a, M.long_storage { 2, 2 }, M.long_storage { 1 }) gpu.Float.indexSelect(r, a, 0,
    tensor('Long', { 1 }, { 4 + M.base })) runtime.cudaDeviceSynchronize() numbers('Float', r) end)
  gpu.Float.free(r)
end)

test 'further storages' (function()
  local s = gpu.Float.storage
  raises('', function() s.newWithMapping('/dev/null', 4, 0) end)
  local a = s.newWithSize2(1, 2)
  ffi.cdef 'typedef struct { void *data; ptrdiff_t size; int refcount; char flag; void *allocator, *context, *view; int device; } Fields;'
  local fields = ffi.cast('Fields *', a)
  equal(fields.size, 2, 'the field size')
  equal(fields.refcount, 1, 'the field refcount')
  s.clearFlag(a, 2) -- resizable
  raises('', function() s.resize(a, 5) end)
  s.setFlag(a, 2)
  s.resize(a, 5)
  equal(s.size(a), 5, 'size')
  local raw = ffi.new('float[5]', 1, 2, 3, 4, 5)
  local host = cpu.Float.storage.newWithSize(5)
  ffi.copy(cpu.Float.storage.data(host), raw, 20)
  s.copyFloat(a, host)
  equal(s.get(a, 4), 5, 'a copied element')
  local b = s.newWithSize(5)
  s.rawCopy(b, s.data(a))
  equal(s.get(b, 3), 4, 'an element of rawCopy')
  local t = gpu.Float.newWithStorage2d(b, 1, 2, 2, 2, 1)
  equal(list(numbers('Float', t)), '2 3 4 5', 'a tensor of a storage')
  equal(gpu.Float.storageOffset(t), 1, 'offset')
  check(M.find('thc', 'THCTensor_(storage)', 'Float', true).f(state, t) == b, 'another storage')
  gpu.Float.setStorage1d(t, a, 2, 3, 1)
  equal(list(numbers('Float', t)), '3 4 5', 'a tensor of another storage')
  gpu.Float.resize3d(t, 1, 2, 3)
  equal(gpu.Float.nElement(t), 6, 'elements')
  equal(s.size(a), 8, 'a storage that grew with its tensor')
  equal(gpu.Float.isSize(t, M.long_storage { 1, 2, 3 }), 1, 'isSize')
  gpu.Float.set2d(gpu.Float.newSelect(t, 0, 0), 1, 2, 7)
  equal(gpu.Float.get3d(t, 0, 1, 2), 7, 'an element that a view has set')
  local u = gpu.Float.newWithSize3d(1, 2, 3)
  gpu.Float.retain(t)
  gpu.Float.freeCopyTo(t, u)
  equal(gpu.Float.get3d(u, 0, 1, 2), 7, 'freeCopyTo')
  gpu.Float.free(t)
  gpu.Float.free(u)
  s.free(a)
  s.free(b)
  cpu.Float.storage.free(host)
end)

test 'memory that runs out' (function()
  local called = 0
  local handler = ffi.cast('void (*)(void *)', function() called = called + 1 end)
  ffi.cdef 'void THCSetGCHandler(THCState *, void (*)(void *), void *);'
  M.libraries.thc.THCSetGCHandler(state, handler, nil)
  raises('memory', function() gpu.Float.newWithSize1d(2 ^ 42) end)
  check(called > 0, 'the collector was not asked for memory')
  M.libraries.thc.THCSetGCHandler(state, nil, nil)
  handler:free()
  local a = gpu.Float.newWithSize1d(10)
  local before = gpu.Float.data(a)
  gpu.Float.free(a)
  local b = gpu.Float.newWithSize1d(10)
  check(gpu.Float.data(b) == before, 'memory was not kept for the next tensor')
  gpu.Float.free(b)
  local free, total, largest = ffi.new 'size_t[1]', ffi.new 'size_t[1]', ffi.new 'size_t[1]'
  equal(thc.THCudaMemGetInfoCached(state, free, total, largest), 0, 'status')
  check(largest[0] <= free[0], 'a block of %s bytes of %s', tostring(largest[0]), tostring(free[0]))
end)

test 'kernels on memory of a neighbour' (function()
  local a = tensor('Float', { 3 }, { 1, 2, 3 })
  runtime.cudaSetDevice(1)
  local b = gpu.Float.newWithSize1d(3)
  gpu.Float.fill(b, 10)
  local before = thc.THCState_getKernelPeerToPeerAccessEnabled(state)
  thc.THCState_setKernelPeerToPeerAccessEnabled(state, 1)
  equal(thc.THCState_getKernelPeerToPeerAccessEnabled(state), 1, 'access of kernels')
  gpu.Float.cadd(b, b, 1, a)
  equal(list(numbers('Float', b)), '11 12 13', 'a sum over devices')
  thc.THCState_setKernelPeerToPeerAccessEnabled(state, 0)
  raises('device', function() gpu.Float.cadd(b, b, 1, a) end)
  thc.THCState_setKernelPeerToPeerAccessEnabled(state, before)
  local wide, there = gpu.Double.new(), gpu.Double.newWithSize1d(3)
  runtime.cudaSetDevice(0)
  gpu.Double.resize1d(wide, 3)
  gpu.Double.copyCudaFloat(wide, b) -- another type, from another device
  gpu.Double.copyCudaFloat(there, a) -- and to another device
  equal(list(numbers('Double', wide)) .. ' ' .. list(numbers('Double', there)), '11 12 13 1 2 3', 'converted copies')
  equal(current(), 0, 'device')
  for _, t in ipairs { wide, there } do
    gpu.Double.free(t)
  end
  gpu.Float.free(b)
end)

test 'further random numbers' (function()
  thc.THCRandom_manualSeed(state, 3)
  local r = gpu.Float.new()
  gpu.Float.rand(r, M.long_storage { 100, 50 })
  equal(gpu.Float.size(r, 1), 50, 'size')
  check(math.abs(moments(numbers('Float', r)) - 0.5) < 0.03, 'rand')
  gpu.Float.randn(r, M.long_storage { 5000 })
  local mean, variance = moments(numbers('Float', r))
  check(math.abs(mean) < 0.1 and math.abs(variance - 1) < 0.1, 'randn: %g %g', mean, variance)
  local p = M.pair('Double', { 40, 50 }, 'strided')
  gpu.Double.fill(p.gpu, 0.5)
  local b = gpu.Byte.newWithSize2d(40, 50)
  gpu.Byte.bernoulli_DoubleTensor(b, p.gpu)
  check(math.abs(moments(numbers('Byte', b)) - 0.5) < 0.06, 'bernoulli_DoubleTensor')
  gpu.Double.normal_stddevs(p.gpu, 3, p.gpu)
  mean, variance = moments(numbers('Double', p.gpu))
  check(math.abs(mean - 3) < 0.06 and math.abs(variance - 0.25) < 0.04, 'normal_stddevs: %g %g', mean, variance)
  local turned = M.pair('Float', { 30, 40 }, 'transposed') -- draws are the same in any layout
  local whole = M.pair('Float', { 30, 40 })
  thc.THCRandom_manualSeed(state, 4)
  gpu.Float.uniform(turned.gpu, 0, 1)
  thc.THCRandom_manualSeed(state, 4)
  gpu.Float.uniform(whole.gpu, 0, 1)
  equal(gpu.Float.equal(turned.gpu, whole.gpu), 1, 'the same draws')
  local probs, J, q = tensor('Float', { 4 }, { 0.1, 0.2, 0.3, 0.4 }), gpu.Long.new(), gpu.Float.new()
  gpu.Float.multinomialAliasSetup(probs, J, q)
  local draws = gpu.Long.newWithSize1d(6000)
  gpu.Float.multinomialAliasDraw(draws, J, q)
  local counts = { 0, 0, 0, 0 }
  for _, i in ipairs(numbers('Long', draws)) do
    counts[i + 1 - M.base] = counts[i + 1 - M.base] + 1
  end
  check(math.abs(counts[1] - 600) < 120 and math.abs(counts[4] - 2400) < 200, 'alias: %s', list(counts))
  for _, t in ipairs { J, draws } do
    gpu.Long.free(t)
  end
  gpu.Float.free(q)
  gpu.Float.free(r)
  gpu.Byte.free(b)
end)

-- What LAPACK leaves open, such as signs, is not compared: the factors have to make the matrix again.
test 'factors' (function()
  for _, T in ipairs { 'Float', 'Double' } do
    local g = gpu[T]
    local function product(a, b, transposes)
      local r, t = g.new(), transposes and g.newTranspose(b, 0, 1) or g.newContiguous(b)
      g.resize2d(r, g.size(a, 0), g.size(t, 1))
      g.addmm(r, 0, r, 1, a, t)
      g.free(t)
      return r
    end
    local function scaled(u, s) -- u times the diagonal s
      local d, r = g.new(), nil
      g.diag(d, s, 0)
      r = product(u, d)
      g.free(d)
      return r
    end
    local function same(a, b, what)
      local x, y = numbers(T, a), numbers(T, b)
      local good = #x == #y
      for i = 1, #x do
        good = good and M.near(T, x[i], y[i], 100)
      end
      check(good, '%s of %s', what, T)
    end
    local a = M.pair(T, { 4, 4 }, 'transposed').gpu
    local q, r, u, s, v, e = g.new(), g.new(), g.new(), g.new(), g.new(), g.new()
    g.qr(q, r, a)
    same(product(q, r), a, 'qr')
    g.gesvd(u, s, v, a, 'A')
    same(product(scaled(u, s), v, true), a, 'gesvd')
    local symmetric = product(a, a, true)
    g.syev(e, v, symmetric, 'V', 'U')
    same(product(scaled(v, e), v, true), symmetric, 'syev')
    for _, t in ipairs { q, r, u, s, v, e, symmetric } do
      g.free(t)
    end
    raises('', function() g.potrf(g.new(), tensor(T, { 2, 2 }, { 1, 2, 2, 1 }), 'U') end)
    raises('', function() g.getri(g.new(), tensor(T, { 2, 2 }, { 1, 2, 2, 4 })) end)
  end
end)

test 'concatenation' (function()
  local a, b, r = tensor('Int', { 2, 2 }, { 1, 2, 3, 4 }), tensor('Int', { 2, 1 }, { 5, 6 }), gpu.Int.new()
  local inputs = ffi.new('THCudaIntTensor *[4]', a, gpu.Int.new(), b, a)
  gpu.Int.catArray(r, inputs, 4, 1)
  equal(list(numbers('Int', r)), '1 2 5 1 2 3 4 6 3 4', 'catArray')
  gpu.Int.catArray(r, inputs, 1, 0)
  equal(list(numbers('Int', r)), '1 2 3 4', 'catArray of one')
  raises('', function() gpu.Int.catArray(r, inputs, 0, 0) end)
  raises('', function() gpu.Int.catArray(r, inputs, 4, 0) end)
  gpu.Int.free(r)
end)

test 'lines that are equal' (function()
  local r, l = gpu.Int.new(), gpu.Long.new()
  local x = tensor('Int', { 2, 5 }, { 3, 1, 3, 1, 2, 9, 9, 9, 9, 9 })
  gpu.Int.mode(r, l, x, 1, 1)
  equal(list(numbers('Int', r)), '1 9', 'mode')
  gpu.Int.topk(r, l, x, 3, 1, 1, 0)
  local values = numbers('Int', r)
  table.sort(values)
  equal(list(values), '2 3 3 9 9 9', 'topk')
  gpu.Int.sort(r, l, x, 1, 0)
  equal(list(numbers('Int', r)), '1 1 2 3 3 9 9 9 9 9', 'sort')
  equal(list(numbers('Long', l)), list((function()
    local want = { 1, 3, 4, 0, 2, 0, 1, 2, 3, 4 } -- equal ones keep their order
    for i = 1, #want do
      want[i] = want[i] + M.base
    end
    return want
  end)()), 'indices of sort')
  gpu.Int.free(r)
  gpu.Long.free(l)
end)

local only = os.getenv 'SUITE_ONLY'
for _, t in ipairs(tests) do
  if not only or only == t.name then
    local good, problem = xpcall(t.f, function(m) return debug.traceback(tostring(m), 2) end)
    check(good, '%s: %s', t.name, tostring(problem))
    collectgarbage()
  end
end
local status = M.finish 'devices'
M.close()
os.exit(status)

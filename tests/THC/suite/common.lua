-- What the suites share: functions of the classic interface on the CPU and on a device, declared from tools/api/*.tsv as
-- programs for Torch7 declare them, and pairs of tensors that hold the same on both.
local ffi = require 'ffi'
jit.off() -- an error of a library goes through a callback, which compiled code does not allow

local M = {}
local libraries = {}

-- ---- types -------------------------------------------------------------------------------------

M.types = { 'Byte', 'Char', 'Short', 'Int', 'Long', 'Float', 'Double', 'Half' }
local ctype = { Byte = 'uint8_t', Char = 'int8_t', Short = 'int16_t', Int = 'int32_t', Long = 'int64_t',
                Float = 'float', Double = 'double', Half = 'half' }
local device_name = { Float = 'Cuda' }
for _, T in ipairs(M.types) do
  device_name[T] = device_name[T] or 'Cuda' .. T
end
M.device_name = device_name
M.floating = { Float = true, Double = true, Half = true }
-- The CPU computes Half in Float.
M.reference = setmetatable({ Half = 'Float' }, { __index = function(_, T) return T end })
local tolerance = { Float = 2e-5, Double = 1e-10, Half = 8e-3 }

ffi.cdef [[
typedef struct { unsigned short bits; } half;
typedef struct THCState THCState;
typedef struct THCStream THCStream;
typedef struct THGenerator THGenerator;
typedef struct THAllocator THAllocator;
typedef void *cudaStream_t;
typedef int cudaError_t;
typedef void *cublasHandle_t;
typedef void *cusparseHandle_t;
typedef void THNNState;
typedef void (*Handler)(const char *message, void *data);
typedef void (*ArgumentHandler)(int argument, const char *message, void *data);
void THSetErrorHandler(Handler, void *);
void THSetArgErrorHandler(ArgumentHandler, void *);
half THC_float2half(float);
float THC_half2float(half);
]]
for _, T in ipairs(M.types) do
  for _, name in ipairs { T, device_name[T] } do
    for _, kind in ipairs { 'Tensor', 'Storage' } do
      ffi.cdef(('typedef struct TH%s%s TH%s%s;'):format(name, kind, name, kind))
    end
  end
end

-- ---- functions ---------------------------------------------------------------------------------

local rows = {} -- by library and name
local function read_table(project, file, era)
  local t = {}
  for line in io.lines(('%s/tools/api/%s.tsv'):format(project, file)) do
    local cells = {}
    for cell in (line .. '\t'):gmatch('([^\t]*)\t') do
      cells[#cells + 1] = cell
    end
    local _, name, returns, arguments, types, _, where = unpack(cells)
    if where == 'both' or where == era then
      t[name] = { name = name, returns = returns, arguments = arguments, types = types }
    end
  end
  rows[file] = t
end

local function replace(s, from, to)
  return (s:gsub('%f[%w_]' .. from .. '%f[^%w_]', to))
end

-- The text of a row, for a type.
local function declaration(row, T, device)
  local name = device and device_name[T] or T
  local c = device and 'C' or ''
  local accreal = M.floating[T] and ((T == 'Double' or not device) and 'double' or 'float') or 'int64_t'
  local symbol = row.name:gsub('TH' .. c .. '(%u%l+)_%(([%w_]+)%)', 'TH' .. name .. '%1_%2')
                         :gsub('TH(%u%l+)_%(([%w_]+)%)', 'TH' .. T .. '%1_%2')
                         :gsub('THNN_%(([%w_]+)%)', 'THNN_' .. name .. '%1'):gsub('{Real}', T)
  local text = row.returns .. ' ' .. symbol .. '(' .. row.arguments .. ');'
  text = text:gsub('struct ', '')
  for _, kind in ipairs { 'Tensor', 'Storage' } do
    text = replace(text, 'TH' .. c .. kind, 'TH' .. name .. kind)
    text = replace(text, 'TH' .. kind, 'TH' .. T .. kind) -- the CPU's, in a function of devices
  end
  text = replace(text, 'TH' .. c .. 'IndexTensor', device and 'THCudaLongTensor' or 'THLongTensor')
  text = replace(text, 'TH' .. c .. 'IntegerTensor', device and 'THCudaIntTensor' or 'THIntTensor')
  text = replace(replace(text, 'accreal', accreal), 'real', ctype[T])
  text = replace(replace(text, 'THIndex_t', 'int64_t'), 'THHalf', 'half')
  return symbol, text
end

-- The function of a row, for a type; nil where there is none.
local function find(file, name, T, device)
  local row = rows[file][name]
  if not row then
    return nil
  end
  local symbol, text = declaration(row, T, device)
  if not row[symbol] then
    local good, problem = pcall(ffi.cdef, text)
    assert(good, text .. ': ' .. tostring(problem))
    local there, f = pcall(function() return libraries[file][symbol] end)
    row[symbol] = there and { f = f, row = row, symbol = symbol } or { missing = true }
  end
  return not row[symbol].missing and row[symbol] or nil
end

-- M.cpu.Float.add(...) and M.gpu.Float.add(...), without the state; likewise Storage functions as Float.storage.new.
local function group(file, pattern, T, device)
  return setmetatable({}, { __index = function(t, name)
    local found = find(file, pattern:format(name), T, device) or find(file, 'THCudaByteTensor_' .. name, T, device)
    assert(found, ('%s has no function %s of %s'):format(file, name, T))
    local f = found.f
    local call = device and function(...) return f(M.state, ...) end or function(...) return f(...) end
    rawset(t, name, call)
    return call
  end })
end
M.cpu, M.gpu = {}, {}
M.find = find

-- A function that has no type.
M.thc = setmetatable({}, { __index = function(_, name)
  local found = find('thc', name, 'Float', true)
  assert(found, 'there is no ' .. name)
  return found.f
end })

function M.open(arguments)
  local project, era, TH, THNN, THC, THCUNN = unpack(arguments)
  for _, file in ipairs { 'th', 'thnn', 'thc', 'thcunn' } do
    read_table(project, file, era)
  end
  M.era, M.base = era, era == 'torch7' and 1 or 0
  libraries.th, libraries.thnn = ffi.load(TH, true), ffi.load(THNN, true)
  libraries.thc, libraries.thcunn = ffi.load(THC, true), ffi.load(THCUNN, true)
  -- They are never freed, as the libraries keep them.
  M.raise = ffi.cast('Handler', function(message) error(ffi.string(message), 0) end)
  M.raise_argument = ffi.cast('ArgumentHandler', function(n, message)
    error(('argument %d: %s'):format(n, ffi.string(message)), 0)
  end)
  libraries.th.THSetErrorHandler(M.raise, nil)
  libraries.th.THSetArgErrorHandler(M.raise_argument, nil)
  M.state = M.thc.THCState_alloc()
  M.thc.THCudaInit(M.state)
  for _, T in ipairs(M.types) do
    M.cpu[T], M.gpu[T] = group('th', 'THTensor_(%s)', T, false), group('thc', 'THCTensor_(%s)', T, true)
    M.cpu[T].storage = group('th', 'THStorage_(%s)', T, false)
    M.gpu[T].storage = group('thc', 'THCStorage_(%s)', T, true)
  end
end

function M.close()
  collectgarbage()
  collectgarbage()
  M.thc.THCudaShutdown(M.state)
  M.thc.THCState_free(M.state)
end

-- ---- random numbers ----------------------------------------------------------------------------

local seed = tonumber(os.getenv 'SUITE_SEED') or 2016
local word = seed
function M.draw() -- in [0, 1)
  word = (word * 16807) % 2147483647
  return word / 2147483647
end
function M.integer(from, to)
  return from + math.floor(M.draw() * (to - from + 1))
end

local function half(x)
  return libraries.thc.THC_half2float(libraries.thc.THC_float2half(x))
end

-- An element of each domain.
local domains = {
  any = function(T) return M.floating[T] and 6 * M.draw() - 3 or M.integer(T == 'Byte' and 0 or -9, 9) end,
  positive = function(T) return M.floating[T] and 0.1 + 3 * M.draw() or M.integer(1, 5) end,
  unit = function(T) return M.floating[T] and 1.8 * M.draw() - 0.9 or M.integer(0, 1) end,
  probability = function(T) return M.floating[T] and 0.05 + 0.9 * M.draw() or M.integer(0, 1) end,
  few = function(T) return M.integer(T == 'Byte' and 0 or -3, 3) end,
  bit = function() return M.integer(0, 1) end,
  shift = function() return M.integer(0, 3) end,
  binary = function() return 2 * M.integer(0, 1) - 1 end,
}

-- ---- tensors -----------------------------------------------------------------------------------

local function long_storage(values)
  local s = M.cpu.Long.storage.newWithSize(#values)
  local data = M.cpu.Long.storage.data(s)
  for i, v in ipairs(values) do
    data[i - 1] = v
  end
  return ffi.gc(s, M.cpu.Long.storage.free)
end
M.long_storage = long_storage

-- Strides, offset, and elements of the storage of a view.
local layouts = {}
function layouts.whole(shape)
  local stride, n = {}, 1
  for d = #shape, 1, -1 do
    stride[d], n = n, n * shape[d]
  end
  return stride, 0, n
end
function layouts.transposed(shape)
  local stride, n = {}, 1
  for d = 1, #shape do
    stride[d], n = n, n * shape[d]
  end
  return stride, 0, n
end
function layouts.narrowed(shape)
  local stride, n = {}, 1
  for d = #shape, 1, -1 do
    stride[d], n = n, n * (shape[d] + (d == #shape and 3 or 0))
  end
  return stride, 2, n + 2
end
function layouts.strided(shape)
  local stride, n = {}, 2
  for d = #shape, 1, -1 do
    stride[d], n = n, n * shape[d]
  end
  return stride, 1, n + 1
end
function layouts.expanded(shape)
  local stride, offset, n = layouts.whole(shape)
  stride[1] = 0
  return stride, offset, n
end
M.layouts = { 'whole', 'transposed', 'narrowed', 'strided', 'expanded' }

-- A pair of tensors: the same elements on the CPU and on the device.  Without a shape both are empty.
function M.pair(T, shape, layout, domain)
  local R = M.reference[T]
  local cpu, gpu = M.cpu[R], M.gpu[T]
  local p = { T = T, R = R }
  if not shape or #shape == 0 then
    p.cpu, p.gpu = ffi.gc(cpu.new(), cpu.free), ffi.gc(gpu.new(), gpu.free)
    return p
  end
  local stride, offset, n = layouts[layout or 'whole'](shape)
  local value = type(domain) == 'function' and domain or domains[domain or 'any']
  local host = cpu.storage.newWithSize(n)
  local data = cpu.storage.data(host)
  for i = 0, n - 1 do
    local x = value(T, i)
    data[i] = T == 'Half' and half(x) or x
  end
  local there = gpu.storage.newWithSize(n)
  gpu.storage['copy' .. R](there, host)
  local size, strides = long_storage(shape), long_storage(stride)
  p.cpu = ffi.gc(cpu.newWithStorage(host, offset, size, strides), cpu.free)
  p.gpu = ffi.gc(gpu.newWithStorage(there, offset, size, strides), gpu.free)
  p.host, p.there, p.elements = host, there, n -- the tensors keep them alive
  p.watched = layout ~= nil
  cpu.storage.free(host)
  gpu.storage.free(there)
  return p
end

function M.shape(p, device)
  local t, api = device and p.gpu or p.cpu, device and M.gpu[p.T] or M.cpu[p.R]
  local shape = {}
  for d = 0, tonumber(api.nDimension(t)) - 1 do
    shape[d + 1] = tonumber(api.size(t, d))
  end
  return shape
end

-- The elements of a tensor in row-major order.
function M.elements(p, device)
  local cpu = M.cpu[p.R]
  local n = tonumber(device and M.gpu[p.T].nElement(p.gpu) or cpu.nElement(p.cpu))
  local values = {}
  if n == 0 then
    return values
  end
  local flat
  if device then
    flat = ffi.gc(cpu.newWithSize(long_storage(M.shape(p, true)), nil), cpu.free)
    M.copy_back(p.R, p.T, flat, p.gpu)
  else
    flat = ffi.gc(cpu.newContiguous(p.cpu), cpu.free)
  end
  local data = cpu.data(flat)
  for i = 0, n - 1 do
    values[i + 1] = tonumber(data[i])
  end
  return values
end

local fetch = {}
function M.copy_back(R, T, to, from)
  local key = R .. T
  if not fetch[key] then
    local symbol = ('TH%sTensor_copyCuda%s'):format(R, T)
    ffi.cdef(('void %s(THCState *, TH%sTensor *, TH%sTensor *);'):format(symbol, R, device_name[T]))
    fetch[key] = libraries.thc[symbol]
  end
  fetch[key](M.state, to, from)
end

-- ---- comparison --------------------------------------------------------------------------------

function M.near(T, got, want, looser)
  if got == want or (got ~= got and want ~= want) then
    return true
  end
  if not tolerance[T] then
    return false
  end
  if T == 'Half' and math.abs(want) > 65504 then -- infinite there
    return math.abs(got) > 60000
  end
  return math.abs(got - want) <= tolerance[T] * (looser or 1) * math.max(1, math.abs(want))
end

-- Says how the two sides of a pair differ; nil where they do not.  The device's elements are larger by shift.
function M.difference(p, looser, shift)
  local want, got = table.concat(M.shape(p), 'x'), table.concat(M.shape(p, true), 'x')
  if want ~= got then
    return ('sizes %s on the device, %s on the CPU'):format(got, want)
  end
  local a, b = M.elements(p), M.elements(p, true)
  for i = 1, #a do
    if not M.near(p.T, b[i] - (shift or 0), a[i], looser) then
      return ('element %d of %s is %.9g on the device, %.9g on the CPU'):format(i, want, b[i], a[i])
    end
  end
  return nil
end

local failures, checks = 0, 0
function M.check(good, ...)
  checks = checks + 1
  if not good then
    failures = failures + 1
    if failures <= (tonumber(os.getenv 'SUITE_MOST') or 30) then
      print(string.format(...))
    end
  end
  return good
end
function M.finish(name)
  print(('%s, seed %d: %d checks, %d failed'):format(name, seed, checks, failures))
  return failures == 0 and 0 or 1
end

M.half = function(x) return libraries.thc.THC_float2half(x) end
M.libraries = libraries
return M

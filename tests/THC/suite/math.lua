-- Functions on tensors of a device, each called with the same random tensors as on the CPU: shapes, layouts, empty tensors,
-- results that are empty, that have another shape, that are views, or that are an operand.
--
-- usage: luajit math.lua PROJECT ERA libTH libTHNN libTHC libTHCUNN
local here = arg[0]:match '^(.*)/[^/]*$' or '.'
package.path = here .. '/?.lua;' .. package.path
local ffi = require 'ffi'
local M = require 'common'
M.open(arg)

-- A row: the function, and its arguments after the state:
--   r b l n      a result of the own type, Byte, Long, Int          u       a tensor that is read and written
--   x            an operand; (2x3) gives it a shape of its own, :positive a domain, ^few and so on for the domain of M.pair
--   j<4          indices of 4 elements                              m       a mask
--   s=2 a=2 i=2  a scalar: real, accreal, integer                   d k     each dimension; 0 and 1
--   S(2x3)       a size                                             c=N     a string
-- Behind the arguments: * the result may be the first operand, ~ how much looser the tolerance is, # types.
local groups = {
  ALL = 'Byte Char Short Int Long Float Double Half', NUMBERS = 'Byte Char Short Int Long Float Double',
  INTEGERS = 'Byte Char Short Int Long', SIGNED = 'Short Int Long Float Double Half', FLOATS = 'Float Double Half',
  REAL = 'Float Double',
}
local text = [[
fill u s=3 #ALL
zero u #ALL
zeros r S(2x3) #ALL
ones r S(2x3) #ALL
zerosLike r x #ALL
onesLike r x #ALL
reshape r x(2x3x4) S(6x4) #ALL
numel x #ALL
cat r x(2x3x4) x(2x5x4) i=1 #ALL
cat r x x i=0 #ALL
nonzero l x:bit #ALL
tril r x(4x5) i=0 * #ALL
tril r x(5x4) i=-1 * #ALL
triu r x(4x5) i=1 * #ALL
triu r x(5x4) i=-2 * #ALL
diag r x(4) i=0 #ALL
diag r x(3) i=-1 #ALL
diag r x(4x5) i=1 #ALL
eye r i=3 i=5 #ALL
trace x(4x5) ~4 #ALL
range r a=2 a=9 a=2 #ALL
arange r a=1 a=8 a=3 #ALL
linspace r s=-2 s=3 i=7 ~4 #FLOATS
linspace r s=1 s=1 i=1 #FLOATS
logspace r s=-1 s=1 i=5 ~4 #FLOATS
dot x(7) x(7) ~8 #FLOATS
dot x(2x3) x(2x3) ~8 #FLOATS
addmv r s=0.5 x(4) s=2 x(4x5) x(5) ~8 * #FLOATS
addmm r s=0.5 x(4x6) s=2 x(4x5) x(5x6) ~8 * #FLOATS
addmm r s=0 x(4x6) s=1 x(4x5) x(5x6) ~8 * #FLOATS
addr r s=0.5 x(4x5) s=-1 x(4) x(5) ~8 * #FLOATS
addbmm r s=0.5 x(4x6) s=2 x(3x4x5) x(3x5x6) ~16 * #FLOATS
baddbmm r s=0.5 x(3x4x6) s=2 x(3x4x5) x(3x5x6) ~8 * #FLOATS
add r x s=2 * #ALL
sub r x s=2 * #ALL
mul r x s=3 * #ALL
div r x s=3 * #ALL
lshift r x:few s=2 * #NUMBERS
rshift r x:few s=1 * #NUMBERS
fmod r x s=2 * #ALL
remainder r x s=3 * #ALL
bitand r x s=6 * #INTEGERS
bitor r x s=6 * #INTEGERS
bitxor r x s=6 * #INTEGERS
equal x:bit x:bit #ALL
neg r x * #SIGNED
abs r x * #SIGNED
sign r x * #ALL
clamp r x s=1 s=2 * #ALL
cross r x(4x3x2) x(4x3x2) i=1 #ALL
cadd r x s=2 x * #ALL
csub r x s=1 x * #ALL
cmul r x x * #ALL
cpow r x:positive x:positive ~20 * #ALL
cdiv r x x:positive * #ALL
clshift r x:few x:shift * #NUMBERS
crshift r x:few x:shift * #NUMBERS
cmax r x x * #ALL
cmin r x x * #ALL
cfmod r x x:positive * ~20 #ALL
cremainder r x:few x:positive * ~20 #Byte Char Short Int Long Float Double

cmaxValue r x s=1 * #ALL
cminValue r x s=1 * #ALL
cbitand r x x * #INTEGERS
cbitor r x x * #INTEGERS
cbitxor r x x * #INTEGERS
addcmul r x s=2 x x ~4 * #ALL
addcdiv r x s=2 x x:positive ~4 * #ALL
sigmoid r x * #FLOATS
log r x:positive * #FLOATS
lgamma r x:positive ~4 * #FLOATS
log1p r x:positive * #FLOATS
exp r x * #FLOATS
cos r x * #FLOATS
acos r x:unit * #FLOATS
cosh r x * #FLOATS
sin r x * #FLOATS
asin r x:unit * #FLOATS
sinh r x * #FLOATS
tan r x:unit * #FLOATS
atan r x * #FLOATS
atan2 r x x * #FLOATS
tanh r x * #FLOATS
pow r x:positive s=2.5 ~4 * #FLOATS
pow r x s=3 ~4 * #FLOATS
pow r x:positive s=-1 ~4 * #FLOATS
tpow r s=2 x ~4 * #FLOATS
sqrt r x:positive * #FLOATS
rsqrt r x:positive * #FLOATS
ceil r x * #FLOATS
floor r x * #FLOATS
round r x * #FLOATS
trunc r x * #FLOATS
frac r x * #FLOATS
lerp r x x s=0.3 * #FLOATS
cinv r x:positive * #FLOATS
sum r x d k ~8 #ALL
prod r x:unit d k ~8 #ALL
mean r x d k ~8 #FLOATS
sumall x ~20 #ALL
prodall x:probability ~20 #ALL
meanall x ~8 #FLOATS
min r l x d k #ALL
max r l x d k #ALL
minall x #ALL
maxall x #ALL
medianall x #ALL
median r l x d k #ALL
dist x x s=2 ~20 #FLOATS
dist x x s=1 ~20 #FLOATS
renorm r x(4x5x2) s=2 i=1 s=1.5 ~8 * #FLOATS
std r x(4x5x2) d i=0 k ~20 #FLOATS
std r x(4x5x2) d i=1 k ~20 #FLOATS
var r x(4x5x2) d i=0 k ~20 #FLOATS
var r x(4x5x2) d i=1 k ~20 #FLOATS
norm r x s=2 d k ~8 #FLOATS
norm r x s=1 d k ~8 #FLOATS
norm r x s=0 d k #FLOATS
norm r x s=2.5 d k ~8 #FLOATS
stdall x(4x5) i=0 ~20 #FLOATS
varall x(4x5) i=1 ~20 #FLOATS
normall x s=2 ~20 #FLOATS
normall x s=0 #FLOATS
cumsum r x d ~8 * #ALL
cumprod r x:unit d ~8 * #ALL
logicalall x:bit #Byte
logicalany x:bit #Byte
maskedFill u m s=2 #ALL
maskedSelect r x m #ALL
maskedCopy u m x #ALL
gather r x(4x5x2) i=1 j<5(4x3x2) #ALL
scatterFill u(4x5x2) i=1 j<5(4x3x2) s=2 #ALL
scatterAdd u(4x5x2) i=1 j<5(4x3x2) x(4x3x2) ~4 #ALL
scatter u(4x5x2) i=1 j!5(4x5x2) x(4x5x2) #ALL
indexSelect r x(4x5x2) i=1 j<5(7) #ALL
indexSelect r x(6) i=0 j<6(3) #ALL
indexCopy u(4x5x2) i=1 j!5(5) x(4x5x2) #ALL
indexAdd u(4x5x2) i=1 j<5(8) x(4x8x2) ~8 #ALL
indexFill u(4x5x2) i=1 j<5(2) s=2 #ALL
sort r l x:different d i=0 #ALL
sort r l x:different d i=1 #ALL
sort r l x:different(3x2100) i=1 i=1 #Float Int
topk r l x:different(3x40) i=7 i=1 i=0 i=1 #ALL
topk r l x:different(40x3) i=5 i=0 i=1 i=1 #ALL
topk r l x:different(3x2100) i=9 i=1 i=1 i=1 #Float Int
mode r l x:few d k #ALL
gesv r r x(5x2) x:diagonal(5x5) ~50 #REAL
gels r r x(6x2) x(6x4) ~200 #REAL
getri r x:diagonal(5x5) ~50 #REAL
potrf r x:definite(4x4) c=U ~50 #REAL
potrf r x:definite(4x4) c=L ~50 #REAL
potri r x:factor(4x4) c=U ~50 #REAL
potrs r x(4x2) x:factor(4x4) c=U ~50 #REAL
syev r r x:definite(4x4) c=N c=U ~50 #REAL
btrifact r n n i=1 x:diagonal(3x4x4) ~50 #REAL
]]
for _, comparison in ipairs { 'lt', 'gt', 'le', 'ge', 'eq', 'ne' } do
  text = text .. ('\n%sValue b x:few s=1 #ALL\n%sValueT r x:few s=1 * #ALL'):format(comparison, comparison)
  text = text .. ('\n%sTensor b x:few x:few #ALL\n%sTensorT r x:few x:few * #ALL'):format(comparison, comparison)
end

if M.era == 'aten2018' then
  text = text .. [[

take r x(4x5) j<20(3x2) #ALL
put u(4x5) j!20(20) x(20) i=0 #ALL
put u(4x5) j<20(9) x(9) i=1 ~8 #ALL]]
end

local shapes = { {}, { 1 }, { 7 }, { 3, 4 }, { 2, 3, 4 }, { 2, 1, 3, 2 }, { 65, 33 } }

-- ---- rows --------------------------------------------------------------------------------------

local function parse(line)
  local row = { line = line, types = {}, looser = 1, arguments = {} }
  local call, types = line:match '^(.-) #(.*)$'
  for T in (groups[types] or types):gmatch '%u%l+' do
    row.types[#row.types + 1] = T
  end
  for word in call:gmatch '%S+' do
    if not row.name then
      row.name = word
    elseif word == '*' then
      row.inplace = true
    elseif word:match '^~' then
      row.looser = tonumber(word:sub(2))
    else
      local a = { kind = word:sub(1, 1), value = word:match '=(.*)$', domain = word:match ':(%l+)' }
      local sizes = word:match '%((.-)%)'
      if sizes then
        a.shape = {}
        for n in sizes:gmatch '%d+' do
          a.shape[#a.shape + 1] = tonumber(n)
        end
      end
      a.unique, a.below = word:match '^j!' ~= nil, tonumber(word:match '^j[<!](%d+)')
      row.arguments[#row.arguments + 1] = a
      row.free = row.free or ((a.kind == 'x' or a.kind == 'u') and not a.shape)
      row.dims = row.dims or a.kind == 'd'
      row.keep = row.keep or a.kind == 'k'
    end
  end
  return row
end

-- Elements that all differ, as far as the type allows, in random order; and matrices.
local function permutation(n)
  local p = {}
  for i = 1, n do
    local j = M.integer(1, i)
    p[i] = i
    p[i], p[j] = p[j], p[i]
  end
  return p
end
local function special(domain, shape)
  local n = 1
  for _, s in ipairs(shape) do
    n = n * s
  end
  local side = shape[#shape]
  if domain == 'different' then
    local p = permutation(2 * n + 64)
    return function(_, i) return p[i % #p + 1] % (n > 100 and 30000 or 120) end
  elseif domain == 'diagonal' then
    return function(_, i)
      local k = i % (side * side)
      return M.draw() + (k % (side + 1) == 0 and 4 or 0)
    end
  elseif domain == 'definite' or domain == 'factor' then
    return function(_, i)
      local row, column = math.floor(i / side), i % side
      local off = domain == 'definite' and 1 / (1 + row + column) or 0.5
      return row == column and 3 + row or off
    end
  end
  return domain
end

local function number(T, kind, value, device)
  value = tonumber(value)
  if kind == 's' and T == 'Half' and device then
    return M.half(value)
  elseif kind == 's' and not M.floating[T] then
    return math.floor(value)
  elseif kind == 'a' and not M.floating[T] then
    return math.floor(value)
  end
  return value
end

local kinds = { r = true, b = 'Byte', l = 'Long', n = 'Int' }

-- The arguments of one call, on both sides; results are those of the list, or new and empty.
local function make(row, T, shape, layout, results, d, keep, inplace)
  local cpu, gpu, pairs_, made = {}, {}, {}, {}
  local first
  for i, a in ipairs(row.arguments) do
    local p, c, g
    if kinds[a.kind] then
      local made_type = kinds[a.kind] == true and T or kinds[a.kind]
      p = results[#made + 1] or M.pair(made_type)
      made[#made + 1] = { p = p, T = made_type, at = i }
    elseif a.kind == 'x' or a.kind == 'u' then
      local s = a.shape or shape
      -- Results do not like elements that are shared.
      local l = (a.kind == 'u' or inplace) and layout == 'expanded' and 'whole' or layout
      if a.domain == 'different' then l = l == 'expanded' and 'whole' or l end
      if a.domain == 'definite' or a.domain == 'factor' or a.domain == 'diagonal' then l = 'whole' end
      p = M.pair(T, s, l, special(a.domain, s))
      first = first or p
      pairs_[#pairs_ + 1] = p
    elseif a.kind == 'm' then
      p = M.pair('Byte', shape, layout == 'expanded' and 'whole' or layout, 'bit')
    elseif a.kind == 'j' then
      local order = a.unique and permutation(a.below)
      local dims = a.shape
      p = M.pair('Long', dims, (layout == 'expanded' or a.unique) and 'whole' or layout, function(_, k)
        if not order then
          return M.integer(0, a.below - 1) + M.base
        elseif #dims == 1 then
          return order[k + 1] - 1 + M.base
        end
        return order[math.floor(k / dims[3]) % dims[2] + 1] - 1 + M.base
      end)
    elseif a.kind == 'S' then
      c = M.long_storage(a.shape)
      g = c
    elseif a.kind == 'd' then
      c, g = d, d
    elseif a.kind == 'k' then
      c, g = keep, keep
    elseif a.kind == 'c' then
      c, g = a.value, a.value
    else
      c, g = number(M.reference[T], a.kind, a.value, false), number(T, a.kind, a.value, true)
    end
    cpu[i], gpu[i] = p and p.cpu or c, p and p.gpu or g
    if p then
      cpu.hold, gpu.hold = cpu.hold or {}, gpu.hold or {}
      cpu.hold[i] = p
    end
  end
  if inplace and first and made[1] then
    cpu[made[1].at], gpu[made[1].at] = first.cpu, first.gpu
    made[1].p = first
  end
  return cpu, gpu, pairs_, made
end

local counts = {}

local function compare(row, T, shape, layout, how, results, d, keep)
  local cpu, gpu, operands, made = make(row, T, shape, layout, results or {}, d, keep, how == 'inplace')
  local n = #row.arguments
  local R = M.reference[T]
  local good, want = pcall(function() return M.cpu[R][row.name](unpack(cpu, 1, n)) end)
  local well, got = pcall(function() return M.gpu[T][row.name](unpack(gpu, 1, n)) end)
  local where = ('%s of %s, %s %s, result %s, dim %s, keep %s'):format(row.line:match '^(.-) #', T,
    table.concat(shape, 'x'), layout, how, tostring(d), tostring(keep))
  if not M.check(good == well, '%s: %s on the CPU (%s), %s on the device (%s)', where, good and 'well' or 'an error',
                 good and '' or tostring(want), well and 'well' or 'an error', well and '' or tostring(got)) then
    return
  end
  if not good then
    if os.getenv 'SUITE_ERRORS' then
      print(where .. '\n    ' .. want .. '\n    ' .. got)
    end
    return
  end
  counts[row.line .. T] = (counts[row.line .. T] or 0) + 1
  if type(want) == 'number' or ffi.istype('int64_t', want) or ffi.istype('half', got) then
    local number_got = ffi.istype('half', got) and M.libraries.thc.THC_half2float(got) or tonumber(got)
    local number_want = tonumber(want)
    if T == 'Half' then -- the CPU's is not rounded
      number_want = M.libraries.thc.THC_half2float(M.half(number_want))
      number_want = ffi.istype('half', got) and number_want or tonumber(want)
    end
    M.check(M.near(T, number_got, number_want, row.looser), '%s: returns %.9g on the device, %.9g on the CPU', where,
            number_got, number_want)
  end
  for _, m in ipairs(made) do
    -- Indices that a device returns count from the base; those that the CPU returns count from 0, and Lua adds 1.
    local problem = M.difference(m.p, row.looser, row.arguments[m.at].kind == 'l' and M.base)
    M.check(not problem, '%s: result %d: %s', where, m.at, tostring(problem))
  end
  for i, p in ipairs(operands) do
    local problem = M.difference(p, row.looser)
    M.check(not problem, '%s: operand %d: %s', where, i, tostring(problem))
  end
  local found = {}
  for i, m in ipairs(made) do
    found[i] = { T = m.T, shape = M.shape(m.p) }
  end
  return found
end

local function junk(found, layout, other)
  local results = {}
  for i, f in ipairs(found) do
    results[i] = M.pair(f.T, other and { 2, 2 } or f.shape, layout, 'few')
  end
  return results
end

local function run(row, T)
  local symbol = M.find('thc', 'THCTensor_(' .. row.name .. ')', T, true) or
    M.find('thc', 'THCudaByteTensor_' .. row.name, T, true)
  local reference = M.find('th', 'THTensor_(' .. row.name .. ')', M.reference[T], false)
  if not M.check(symbol and reference, '%s of %s: there is no such function (CPU %s, device %s)', row.name, T,
                 tostring(reference), tostring(symbol)) then
    return
  end
  for _, shape in ipairs(row.free and shapes or { { 0 } }) do
    if not row.free then shape = {} end
    local dims = row.dims and math.max(#shape, 1) or 1
    local own = row.arguments[2] and row.arguments[2].shape
    if row.dims and own then dims = #own end
    for d = 0, dims - 1 do
      local keep = row.keep and M.integer(0, 1) or 0
      local layout = M.layouts[M.integer(1, #M.layouts)]
      local found = compare(row, T, shape, layout, 'new', nil, d, keep)
      if found and #found > 0 then
        compare(row, T, shape, M.layouts[M.integer(1, #M.layouts)], 'strided', junk(found, 'strided'), d, keep)
        compare(row, T, shape, M.layouts[M.integer(1, #M.layouts)], 'of another shape', junk(found, 'whole', true), d, keep)
        if row.inplace then
          compare(row, T, shape, M.layouts[M.integer(1, 4)], 'inplace', nil, d, keep)
        end
      end
    end
  end
  M.check(counts[row.line .. T], '%s of %s: no call succeeds', row.line:match '^(.-) #', T)
end

local only, types = os.getenv 'SUITE_ONLY', os.getenv 'SUITE_TYPES' or groups.ALL
for _ = 1, tonumber(os.getenv 'SUITE_ROUNDS') or 1 do
  for line in text:gmatch '[^\n]+' do
    local row = parse(line)
    for _, T in ipairs(row.types) do
      if (not only or only == row.name) and types:find('%f[%w]' .. T .. '%f[%W]') then
        run(row, T)
      end
    end
  end
end
local status = M.finish 'functions on tensors'
M.close()
os.exit(status)

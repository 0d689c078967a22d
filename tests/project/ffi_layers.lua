-- Reads the header of layers as a text and calls functions that it declares, as nn does.
local ffi = require 'ffi'
local header, era, libTH, libTHNN = unpack(arg)

local text = io.open(header):read('*a')
assert(not text:find(']]', 1, true), 'the text cannot stand in a string of Lua')
text = ('\n' .. text):gsub('\n#[^\n]*', '')

local names = {}
for name in text:gmatch('TH_API void THNN_%(([%w_]+)%)') do
  assert(not names[name], name .. ' is declared twice')
  names[name] = true
  names[#names + 1] = name
end
local _, declared = text:gsub('TH_API', '')
assert(#names == declared and declared > 150, declared .. ' declarations, of which ' .. #names .. ' can be read')

ffi.cdef [[
typedef void THNNState;
typedef struct { unsigned long fields[631]; } THGenerator;
typedef struct THLongTensor THLongTensor;
typedef struct THIntTensor THIntTensor;
]]
for _, type in ipairs { 'Float', 'Double' } do
  local real, tensor = type:lower(), 'TH' .. type .. 'Tensor'
  local used = [[
typedef struct TENSOR TENSOR;
TENSOR *TENSOR_newWithSize1d(int64_t);
void TENSOR_free(TENSOR *);
void TENSOR_fill(TENSOR *, REAL);
REAL TENSOR_get1d(TENSOR *, int64_t);
]]
  used = used:gsub('TENSOR', tensor):gsub('REAL', real)
  ffi.cdef(used)
  -- What stands for types is replaced everywhere, comments included, in any order.
  local s = text:gsub('TH_API void THNN_%(([%w_]+)%)', 'void THNN_TYPE%1')
  for from, to in pairs { TYPE = type, accreal = 'double', THTensor = tensor, THIndexTensor = 'THLongTensor',
                          THIntegerTensor = 'THIntTensor', THIndex_t = 'long', THInteger_t = 'int' } do
    s = s:gsub(from, to)
  end
  ffi.cdef(s)
end

local TH, THNN = ffi.load(libTH, true), ffi.load(libTHNN)
for _, name in ipairs(names) do
  for _, type in ipairs { 'Float', 'Double' } do
    local _ = THNN['THNN_' .. type .. name]
  end
end

local torch7 = era == 'torch7'
local function call(name, ...)
  local f = THNN['THNN_Double' .. name]
  f(nil, ...)
end
local function vector(value)
  local t = TH.THDoubleTensor_newWithSize1d(3)
  TH.THDoubleTensor_fill(t, value)
  return ffi.gc(t, TH.THDoubleTensor_free)
end
local function near(t, want)
  local got = TH.THDoubleTensor_get1d(t, 0)
  assert(math.abs(got - want) < 1e-12, got .. ' instead of ' .. want)
end

-- LuaJIT refuses a call with another number of arguments than are declared.
local x, y, r = vector(-2), vector(1), vector(0)
if torch7 then
  call('ELU_updateOutput', x, r, 0.5, false)
  near(r, 0.5 * (math.exp(-2) - 1))
  call('AbsCriterion_updateOutput', x, y, r, true)
  near(r, 3)
  call('Sigmoid_updateGradInput', nil, x, r, vector(0.25))
  near(r, -2 * 0.25 * 0.75)
  call('LogSoftMax_updateOutput', x, r)
else
  call('ELU_updateOutput', x, r, 0.5, 2, false)
  near(r, 2 * 0.5 * (math.exp(-2) - 1))
  call('AbsCriterion_updateOutput', x, y, r, true, true)
  near(r, 3)
  call('Sigmoid_updateGradInput', x, r, vector(0.25))
  near(r, -2 * 0.25 * 0.75)
  call('LogSoftMax_updateOutput', x, r, 0)
end
near(r, -math.log(3))
print(#names .. ' functions read and called by ' .. jit.version)

-- Reads the header of layers on a device as a text and calls functions that it declares, as cunn does, with tensors made
-- as cutorch makes them.
local ffi = require 'ffi'
local header, era, libTHC, libTHCUNN = unpack(arg)

local text = io.open(header):read('*a')
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
typedef struct THCState THCState;
THCState *THCState_alloc(void);
void THCState_free(THCState *);
void THCudaInit(THCState *);
void THCudaShutdown(THCState *);
typedef struct THCudaLongTensor THCudaLongTensor;
typedef struct THCudaTensor THCudaTensor;
typedef struct THCudaDoubleTensor THCudaDoubleTensor;
typedef struct THCudaHalfTensor THCudaHalfTensor;
THCudaTensor *THCudaTensor_newWithSize1d(THCState *, int64_t);
void THCudaTensor_free(THCState *, THCudaTensor *);
void THCudaTensor_fill(THCState *, THCudaTensor *, float);
float THCudaTensor_get1d(THCState *, THCudaTensor *, int64_t);
]]
for type, accreal in pairs { Cuda = 'float', CudaDouble = 'double', CudaHalf = 'float' } do
  local s = text:gsub('TH_API void THNN_%(([%w_]+)%)', 'void THNN_TYPE%1')
  for from, to in pairs { TYPE = type, accreal = accreal, THCTensor = 'TH' .. type .. 'Tensor',
                          THCIndexTensor = 'THCudaLongTensor', THCIndex_t = 'long' } do
    s = s:gsub(from, to)
  end
  ffi.cdef(s)
end

local THC, THCUNN = ffi.load(libTHC, true), ffi.load(libTHCUNN)
for _, name in ipairs(names) do
  for _, type in ipairs { 'Cuda', 'CudaDouble', 'CudaHalf' } do
    local _ = THCUNN['THNN_' .. type .. name]
  end
end

local state = THC.THCState_alloc()
THC.THCudaInit(state)
local function call(name, ...)
  local f = THCUNN['THNN_Cuda' .. name]
  f(state, ...)
end
local tensors = {}
local function vector(value)
  local t = THC.THCudaTensor_newWithSize1d(state, 3)
  THC.THCudaTensor_fill(state, t, value)
  tensors[#tensors + 1] = t
  return t
end
local function near(t, want)
  local got = THC.THCudaTensor_get1d(state, t, 0)
  assert(math.abs(got - want) < 1e-6, got .. ' instead of ' .. want)
end

-- LuaJIT refuses a call with another number of arguments than are declared.
local x, y, r = vector(-2), vector(1), vector(0)
if era == 'torch7' then
  call('ELU_updateOutput', x, r, 0.5, false)
  near(r, 0.5 * (math.exp(-2) - 1))
  call('AbsCriterion_updateOutput', x, y, r, true)
  near(r, 3)
  call('AbsCriterion_updateGradInput', x, y, r, true)
  near(r, -1 / 3)
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
for _, t in ipairs(tensors) do
  THC.THCudaTensor_free(state, t)
end
THC.THCudaShutdown(state)
THC.THCState_free(state)
print(#names .. ' functions read and called by ' .. jit.version)

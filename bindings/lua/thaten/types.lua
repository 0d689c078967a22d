-- Element types: th.float, th.long and so on, and PyTorch's names for them.
local ffi = require 'ffi'
local C = require('thaten.library').C

local types = {}
local named = {
  {C.AT_BYTE, 'byte', 'uint8', 'uint8_t'},
  {C.AT_CHAR, 'char', 'int8', 'int8_t'},
  {C.AT_SHORT, 'short', 'int16', 'int16_t'},
  {C.AT_INT, 'int', 'int32', 'int32_t'},
  {C.AT_LONG, 'long', 'int64', 'int64_t'},
  {C.AT_FLOAT, 'float', 'float32', 'float'},
  {C.AT_DOUBLE, 'double', 'float64', 'double'},
  {C.AT_HALF, 'half', 'float16', 'uint16_t'},
  {C.AT_BOOL, 'bool', 'bool', 'bool'},
  {C.AT_BFLOAT16, 'bfloat16', 'bfloat16', 'uint16_t'},
  {C.AT_COMPLEX_FLOAT, 'cfloat', 'complex64', 'complex float'},
  {C.AT_COMPLEX_DOUBLE, 'cdouble', 'complex128', 'complex double'},
  {C.AT_UINT16, 'uint16', 'uint16', 'uint16_t'},
  {C.AT_UINT32, 'uint32', 'uint32', 'uint32_t'},
  {C.AT_UINT64, 'uint64', 'uint64', 'uint64_t'},
}

types.by_name = {}
local elements = {} -- the pointer to elements, by scalar type
for _, row in ipairs(named) do
  local code, short, long, element = unpack(row)
  local at_type = C.at_getType(C.AT_BACKEND_CPU, code)
  types.by_name[short], types.by_name[long] = at_type, at_type
  elements[tonumber(code)] = ffi.typeof('$ *', ffi.typeof(element))
end

local type_pointer = ffi.typeof 'const at_type *'

local texts = {} -- PyTorch's names, by scalar type
for _, row in ipairs(named) do
  texts[tonumber(row[1])] = row[3]
end
ffi.metatype('at_type', {
  __tostring = function(self)
    return texts[tonumber(C.at_type_scalarType(self))] or 'a type without a name'
  end,
})

function types.is(value)
  return type(value) == 'cdata' and ffi.istype(type_pointer, value)
end

function types.code(at_type)
  return tonumber(C.at_type_scalarType(at_type))
end

function types.pointer(at_type)
  return elements[types.code(at_type)]
end

function types.is_floating(at_type)
  local code = types.code(at_type)
  return code == C.AT_FLOAT or code == C.AT_DOUBLE or code == C.AT_HALF or code == C.AT_BFLOAT16
end

function types.is_complex(at_type)
  local code = types.code(at_type)
  return code == C.AT_COMPLEX_FLOAT or code == C.AT_COMPLEX_DOUBLE
end

return types

-- Tensors: attributes, operators, methods, and conversions from and to tables of Lua.
local ffi = require 'ffi'
local library = require 'thaten.library'
local types = require 'thaten.types'
local call = require 'thaten.call'
local index = require 'thaten.index'
local C, wrap, is_tensor = library.C, library.wrap, library.is_tensor

local tensor = {}

-- --- tables ---------------------------------------------------------------------------------------

local function shape_of(data)
  local shape = {}
  while type(data) == 'table' do
    shape[#shape + 1] = #data
    data = data[1]
  end
  return shape
end

-- Appends the elements of a nested table to the list, if it has that shape.
local function flatten(data, shape, level, list)
  if level > #shape then
    if type(data) == 'table' or data == nil then
      error('the tables have different lengths', 0)
    end
    if type(data) ~= 'number' and type(data) ~= 'boolean' and type(data) ~= 'cdata' then
      error('an element of a tensor is a number or a boolean, and not a ' .. type(data), 0)
    end
    list[#list + 1] = data
    return
  end
  if type(data) ~= 'table' or #data ~= shape[level] then
    error('the tables have different lengths: ' .. (type(data) == 'table' and #data or type(data)) .. ' for ' .. shape[level], 0)
  end
  for i = 1, #data do
    flatten(data[i], shape, level + 1, list)
  end
end

local function type_for(first)
  if type(first) == 'boolean' then
    return 'bool'
  end
  return type(first) == 'cdata' and 'long' or 'float'
end

-- The tensor of a number, a boolean or nested tables: of Float, of Bool, or of Long if the first
-- element is an int64_t, unless options.dtype says another type.
function tensor.new(data, options)
  local shape, list = shape_of(data), {}
  flatten(data, shape, 1, list)
  local kind = type_for(list[1])
  local wide = kind == 'float' and 'double' or kind
  local t = call.named 'empty'(shape, {type = types.by_name[wide]})
  local elements = ffi.cast(types.pointer(t:type()), C.at_data(t.pointer))
  for i = 1, #list do
    elements[i - 1] = list[i]
  end
  local wanted = options and (options.dtype or options.type) or types.by_name[kind]
  return t:type() == wanted and t or call.named 'to'(t, wanted)
end

local function nested(elements, shape, level, offset, convert)
  if level > #shape then
    return convert(elements[offset]), offset + 1
  end
  local list = {}
  for i = 1, shape[level] do
    list[i], offset = nested(elements, shape, level + 1, offset, convert)
  end
  return list, offset
end

local function same(v)
  return v
end

local function complex(v)
  return ffi.new('complex', v.re, v.im)
end

local function converter(kind)
  if types.is_floating(kind) or kind == types.by_name.bool then
    return same
  end
  return types.is_complex(kind) and complex or library.integer
end

-- --- methods --------------------------------------------------------------------------------------

local methods = {}

function methods:dim()
  return C.at_dim(self.pointer)
end

function methods:numel()
  return tonumber(C.at_numel(self.pointer))
end

local sizes = {
  __tostring = function(list)
    return '{' .. table.concat(list, ', ') .. '}'
  end,
}

local function to_table(ints)
  local list = setmetatable({}, sizes)
  for i = 1, ints.count do
    list[i] = tonumber(ints.data[i - 1])
  end
  return list
end

-- All sizes as a table, or that of one dimension; strides alike.
function methods:size(dim)
  if dim == nil then
    return to_table(C.at_sizes(self.pointer))
  end
  local size = C.at_size(self.pointer, dim)
  return size >= 0 and tonumber(size) or library.raise()
end

function methods:stride(dim)
  if dim == nil then
    return to_table(C.at_strides(self.pointer))
  end
  local count = C.at_dim(self.pointer)
  if dim < -count or dim >= count then
    return tonumber(C.at_stride(self.pointer, dim)), library.raise()
  end
  return tonumber(C.at_stride(self.pointer, dim))
end

-- The element type, or the tensor in another one.
function methods:type(wanted)
  return wanted and call.named 'to'(self, wanted) or C.at_typeOf(self.pointer)
end

function methods:dtype()
  return C.at_typeOf(self.pointer)
end

function methods:storage()
  local storage = C.at_storageOf(self.pointer)
  return storage ~= nil and library.Storage(storage) or library.raise()
end

-- The elements in memory, as a pointer of C; valid while the tensor lives and keeps its size.
function methods:data()
  return ffi.cast(types.pointer(self:type()), C.at_data(self.pointer))
end

-- The value of a tensor of one element; integers that no number of Lua holds are an int64_t, and a complex number is one
-- of the ffi, with .re and .im.
function methods:item()
  if types.is_complex(self:type()) then
    local value = C.at_item_complex(self.pointer)
    return C.at_error() == C.AT_OK and ffi.new('complex', value.re, value.im) or library.raise()
  end
  local scalar = C.at_item(self.pointer)
  if C.at_error() ~= C.AT_OK then
    library.raise()
  end
  if scalar.is_float then
    return scalar.value.number
  elseif self:type() == types.by_name.bool then
    return scalar.value.integer ~= 0
  end
  return library.integer(scalar.value.integer)
end

-- The elements as nested tables; that of a tensor without dimensions is a number.
function methods:totable()
  local convert = converter(self:type())
  local wide = types.is_floating(self:type()) and call.named 'to'(self, types.by_name.double) or self
  local plain = call.named 'contiguous'(call.named 'detach'(wide))
  local list = nested(plain:data(), self:size(), 1, 0, convert)
  plain:free() -- only now: its elements have been read
  return list
end

-- Releases the tensor now instead of when the collector finds it; it is undefined afterwards.
function methods:free()
  C.at_release(self.pointer)
  self.pointer = nil
end

-- The tensor in another element type: x:double(), x:long().
for name, at_type in pairs(types.by_name) do
  methods[name] = function(self)
    return self:type() == at_type and self or call.named 'to'(self, at_type)
  end
end

tensor.methods = methods

-- An empty tensor that a random operation in place fills.
local function drawn(name, sizes, a, b, kind, options)
  local t = call.named 'empty'(sizes, {type = options and (options.dtype or options.type) or kind})
  local generator = options and options.generator
  return call.named(name)(t, a, b, generator and {generator = generator})
end

-- Integers from low to high - 1, of Long unless options say otherwise: randint(low, high, sizes, options), or
-- randint(high, sizes, options).
function tensor.randint(low, high, sizes, options)
  if type(high) == 'table' then
    low, high, sizes, options = 0, low, high, sizes
  end
  return drawn('random_', sizes, low, high, types.by_name.long, options)
end

-- Normal numbers of those sizes, if mean and deviation are numbers; otherwise the operation normal.
function tensor.normal(mean, std, sizes, options)
  if type(sizes) ~= 'table' or type(mean) ~= 'number' or type(std) ~= 'number' then
    return call.named 'normal'(mean, std, sizes, options)
  end
  return drawn('normal_', sizes, mean, std, nil, options)
end

-- --- operators ------------------------------------------------------------------------------------

-- An operator of two operands, of which the first may be a number.
local function binary(name, reversed)
  local plain = call.named(name)
  return function(a, b)
    if is_tensor(a) then
      return plain(a, b)
    end
    return reversed(a, b)
  end
end

local function flipped(name)
  local plain = call.named(name)
  return function(a, b)
    return plain(b, a)
  end
end

local function of_full(name)
  local plain = call.named(name)
  return function(a, b)
    return plain(call.named 'scalar_tensor'(a, {type = b:type()}), b)
  end
end

local neg, add = call.named 'neg', call.named 'add'

ffi.metatype(library.Tensor, {
  __index = function(self, key)
    if type(key) ~= 'string' then
      return index.get(self, key)
    end
    local method = methods[key]
    if method == nil then
      method = call.named(key) or error('tensors have no method ' .. key, 2)
      methods[key] = method
    end
    return method
  end,
  __newindex = function(self, key, value)
    index.set(self, key, value)
  end,
  __add = binary('add', flipped 'add'),
  __sub = binary('sub', function(a, b)
    return add(neg(b), a)
  end),
  __mul = binary('mul', flipped 'mul'),
  __div = binary('div', of_full 'div'),
  __mod = binary('remainder', of_full 'remainder'),
  __pow = binary('pow', call.named 'pow'),
  __unm = function(a) -- which Lua calls with the operand twice
    return neg(a)
  end,
  __len = function(self)
    return self:size(0)
  end,
  -- Whether both are the same tensor; x:eq(y) compares elements, x:equal(y) all of them.
  __eq = function(a, b)
    return is_tensor(a) and is_tensor(b) and a.pointer == b.pointer
  end,
  __tostring = function(self)
    return library.text(C.at_toString(self.pointer))
  end,
  __gc = function(self)
    C.at_release(self.pointer)
  end,
})

return tensor

-- Chooses an overload for arguments of Lua and converts them to the table's values.
--
-- Overloads are tried in the table's order: first with arguments of exactly the kinds that they name,
-- then with those that can stand for them, such as a number for a list of integers.
local ffi = require 'ffi'

-- Interpreted: compiled by LuaJIT 2.1.0-beta3 it refused, in one of a million calls, arguments that fit.
-- The time goes to the conversions of the ffi in either case.
jit.off(true, true)
local library = require 'thaten.library'
local types = require 'thaten.types'
local C, none = library.C, library.none

local arguments = {}
local is_tensor = library.is_tensor
local int64, scalar_type = ffi.typeof 'int64_t', ffi.typeof 'at_scalar'

-- Other names for arguments, which are taken where no argument has the name itself.
local other_names = {
  input = {'self'}, self = {'input'}, dtype = {'type'}, size = {'sizes'}, shape = {'sizes'},
  axis = {'dim', 'dims'}, keepdims = {'keepdim'}, fill_value = {'value'},
}

local function is_number(v)
  return type(v) == 'number' or ffi.istype(int64, v) or ffi.istype(scalar_type, v)
end

local function is_integer(v)
  return ffi.istype(int64, v) or (type(v) == 'number' and v == math.floor(v) and v >= -2 ^ 63 and v < 2 ^ 63)
end

local function is_list(v, accepts)
  if type(v) ~= 'table' or v == none then
    return false
  end
  for i = 1, #v do
    if not accepts(v[i]) then
      return false
    end
  end
  return next(v) == nil or #v > 0
end

local function is_tensor_or_none(v)
  return v == none or is_tensor(v)
end

-- Whether the value is an argument of exactly that kind, and whether it can stand for one.
local exact, loose = {}, {}
local function kind(name, accepts, stands)
  exact[tonumber(C['AT_KIND_' .. name])] = accepts
  loose[tonumber(C['AT_KIND_' .. name])] = stands or accepts
end
local function scalar_tensor(v)
  return is_number(v) or (is_tensor(v) and C.at_dim(v.pointer) == 0)
end
local function list_of(accepts)
  return function(v)
    return is_list(v, accepts)
  end
end
kind('TENSOR', is_tensor)
kind('OPTIONAL_TENSOR', is_tensor_or_none)
kind('TENSORS', list_of(is_tensor))
kind('OPTIONAL_TENSORS', list_of(is_tensor_or_none))
kind('SCALAR', is_number, scalar_tensor)
kind('DOUBLE', is_number)
kind('LONG', is_integer)
kind('BOOL', function(v)
  return type(v) == 'boolean'
end)
kind('INTS', list_of(is_integer), function(v)
  return is_integer(v) or is_list(v, is_integer)
end)
kind('DOUBLES', list_of(is_number), function(v)
  return is_number(v) or is_list(v, is_number)
end)
kind('TYPE', types.is)
kind('GENERATOR', function(v)
  return ffi.istype(library.Generator, v)
end)
kind('STORAGE', function(v)
  return ffi.istype(library.Storage, v)
end)
kind('STRING', function(v)
  return type(v) == 'string'
end)

local INTS = tonumber(C.AT_KIND_INTS)
local TENSORS = tonumber(C.AT_KIND_TENSORS)
local OPTIONAL_TENSOR = tonumber(C.AT_KIND_OPTIONAL_TENSOR)

-- The positional arguments from index on as one list, as in x:view(2, 3); nil if they are none.
local function gathered(argument, given, index, count)
  local accepts = argument.kind == INTS and is_integer or argument.kind == TENSORS and is_tensor
  if not accepts then
    return nil
  end
  local list = {}
  for i = index, count do
    if not accepts(given[i]) then
      return nil
    end
    list[#list + 1] = given[i]
  end
  return list
end

local function free_index(op, name, bound)
  for _, candidate in ipairs {name, unpack(other_names[name] or {})} do
    local index = op.index[candidate]
    if index then
      return bound[index] == nil and index or nil
    end
  end
end

-- The arguments in the order of the operation, or nil if they do not fit.
local function bind(op, given, count, named, accepted)
  local bound, last = {}, math.min(count, op.count)
  for i = 1, last do
    local argument, value = op.arguments[i], given[i]
    if value ~= nil and not (value == none and argument.optional) then
      if not accepted[argument.kind](value) then
        value = accepted == loose and gathered(argument, given, i, count)
        if not value then
          return nil
        end
        bound[i] = value
        last = count
        break
      end
      -- What follows a number that stands for a list belongs to the list.
      if i < count and type(value) ~= 'table' and argument.kind == INTS then
        local list = gathered(argument, given, i, count)
        if list then
          bound[i] = list
          last = count
          break
        end
      end
      bound[i] = value
    end
  end
  if last < count then
    return nil
  end
  for name, value in pairs(named or {}) do
    local index = free_index(op, name, bound)
    if not index then
      return nil
    end
    local argument = op.arguments[index]
    if not (value == none and argument.optional) then
      if not accepted[argument.kind](value) then
        return nil
      end
      bound[index] = value
    end
  end
  for i, argument in ipairs(op.arguments) do
    if argument.required and bound[i] == nil then
      return nil
    end
  end
  return bound
end

-- The first overload that the arguments fit, and the arguments in its order.
function arguments.choose(overloads, given, count, named)
  for _, accepted in ipairs {exact, loose} do
    for _, op in ipairs(overloads) do
      local bound = bind(op, given, count, named, accepted)
      if bound then
        return op, bound
      end
    end
  end
  local last = given[count] -- an empty table is a list before it is options without an entry
  if count > 0 and type(last) == 'table' and next(last) == nil and last ~= none then
    return arguments.choose(overloads, given, count - 1, named)
  end
end

-- --- conversion -----------------------------------------------------------------------------------

local function set_scalar(value, v)
  if is_tensor(v) then
    value.scalar = C.at_item(v.pointer)
  elseif ffi.istype(scalar_type, v) then
    value.scalar = v
  elseif is_integer(v) and not (v == 0 and 1 / tonumber(v) < 0) then
    value.scalar.value.integer = v -- a whole number is an integer, as for C's options
  else
    value.scalar.is_float = true
    value.scalar.value.number = v
  end
end

-- An array of C; keep holds what has to live until the call has returned.
local function array(keep, element, list, entry)
  local count = #list
  local data = ffi.new(element, math.max(count, 1))
  for i = 1, count do
    data[i - 1] = entry(list[i])
  end
  keep[#keep + 1] = data
  return data, count
end

local function same(v)
  return v
end

local function pointer_of(v)
  return v ~= none and v.pointer or nil
end

local int64s, doubles, pointers = ffi.typeof 'int64_t[?]', ffi.typeof 'double[?]', ffi.typeof 'at_tensor *[?]'
local convert = {
  TENSOR = function(value, v)
    value.tensor = v.pointer
  end,
  TENSORS = function(value, v, keep)
    value.tensors.data, value.tensors.count = array(keep, pointers, v, pointer_of)
  end,
  SCALAR = set_scalar,
  LONG = function(value, v)
    value.integer = v
  end,
  DOUBLE = function(value, v)
    value.number = ffi.istype(scalar_type, v) and (v.is_float and v.value.number or tonumber(v.value.integer)) or v
  end,
  BOOL = function(value, v)
    value.truth = v
  end,
  INTS = function(value, v, keep)
    value.ints.data, value.ints.count = array(keep, int64s, type(v) == 'table' and v or {v}, same)
  end,
  DOUBLES = function(value, v, keep)
    value.doubles.data, value.doubles.count = array(keep, doubles, type(v) == 'table' and v or {v}, tonumber)
  end,
  TYPE = function(value, v)
    value.type = v
  end,
  GENERATOR = function(value, v)
    value.generator = v.pointer
  end,
  STORAGE = function(value, v)
    value.storage = v.pointer
  end,
  STRING = function(value, v)
    value.string = v
  end,
}
convert.OPTIONAL_TENSOR, convert.OPTIONAL_TENSORS = convert.TENSOR, convert.TENSORS
local converters = {}
for name, f in pairs(convert) do
  converters[tonumber(C['AT_KIND_' .. name])] = f
end

-- Fills the values, which begin as zeros: those stand for the defaults.
function arguments.fill(op, bound, values)
  local keep = {}
  for i, argument in ipairs(op.arguments) do
    local v = bound[i]
    if v ~= nil then
      values[i - 1].given = true
      converters[argument.kind](values[i - 1], v, keep)
    end
  end
  return keep
end

-- What the binding has to know of an argument.
function arguments.describe(argument)
  local code = tonumber(argument.kind)
  return {
    name = ffi.string(argument.name), kind = code,
    required = argument.defaults == nil and code ~= OPTIONAL_TENSOR,
    optional = argument.defaults ~= nil or code == OPTIONAL_TENSOR,
  }
end

return arguments

-- Calls operations of ATen's table by their names.
local ffi = require 'ffi'
local library = require 'thaten.library'
local arguments = require 'thaten.arguments'
local C = library.C

local call = {}
local values_type = ffi.typeof 'at_value[?]'
local TENSORS, LONG, BOOL = tonumber(C.AT_KIND_TENSORS), tonumber(C.AT_KIND_LONG), tonumber(C.AT_KIND_BOOL)

local function describe(op)
  local row = {call = op.call, form = tonumber(op.form), schema = ffi.string(op.schema), doc = ffi.string(op.doc),
               overload = ffi.string(op.overload), count = op.argumentCount, results = op.resultCount,
               result = tonumber(op.results[0].kind), arguments = {}, index = {}}
  for i = 1, row.count do
    local argument = arguments.describe(op.arguments[i - 1])
    row.arguments[i], row.index[argument.name] = argument, i
  end
  return row
end

-- The overloads of a name, in the table's order; nil if there is no such operation.
local known = {}
function call.find(name)
  local rows = known[name]
  if rows == nil then
    local op, last = C.at_op_find(name), C.at_ops + C.at_opCount
    if op == nil then
      return nil
    end
    rows = {}
    while op < last and ffi.string(op.name) == name do
      rows[#rows + 1] = describe(op)
      op = op + 1
    end
    known[name] = rows
  end
  return rows
end

-- An iterator over the names of all operations.
function call.names()
  local i = -1
  return function()
    i = i + 1
    while i < C.at_opCount and i > 0 and ffi.string(C.at_ops[i].name) == ffi.string(C.at_ops[i - 1].name) do
      i = i + 1
    end
    return i < C.at_opCount and ffi.string(C.at_ops[i].name) or nil
  end
end

-- The array is passed as a whole: a reference to its entry would not keep it from the collector.
local function list_of(results)
  local list = {}
  for i = 1, results[0].tensors.count do
    list[i] = library.wrap(C.at_retain(results[0].tensors.data[i - 1]))
  end
  C.at_list_release(results[0].list)
  return list
end

-- The object of a tensor that a call returned: in place the one that was given, nil if there is none.
local function tensor_of(row, bound, index, pointer)
  if row.form ~= C.AT_FORM_FUNCTION then
    return bound[index]
  end
  return C.at_defined(pointer) and library.wrap(pointer) or nil
end

local function results_of(row, bound, results)
  if row.result == TENSORS then
    return list_of(results)
  elseif row.result == LONG then
    return library.integer(results[0].integer)
  elseif row.result == BOOL then
    return results[0].truth
  end
  local objects = {}
  for i = 1, row.results do
    objects[i] = tensor_of(row, bound, i, results[i - 1].tensor)
  end
  return unpack(objects, 1, row.results)
end

-- What the values of the last call point to: compiled code may give up a local before the call is over.
local anchor = {}

-- Calls an overload with its arguments in order.
function call.row(row, bound)
  local values, results = values_type(math.max(row.count, 1)), values_type(row.results)
  anchor[1], anchor[2] = bound, arguments.fill(row, bound, values)
  local done = row.call(values, results)
  anchor[1], anchor[2] = nil, nil
  if not done then
    if row.result == TENSORS and C.at_error() == C.AT_OK then
      return {} -- nothing was split
    end
    library.raise()
  end
  return results_of(row, bound, results)
end

-- The kinds of the arguments, and of named ones the names.
local function kinds_of(given, count, options)
  local kinds = {}
  for i = 1, count do
    kinds[i] = library.is_tensor(given[i]) and 'tensor' or type(given[i])
  end
  local names = {}
  for name in pairs(options or {}) do
    names[#names + 1] = tostring(name)
  end
  table.sort(names)
  for _, name in ipairs(names) do
    kinds[#kinds + 1] = name .. ' = ' .. (library.is_tensor(options[name]) and 'tensor' or type(options[name]))
  end
  return table.concat(kinds, ', ')
end

-- A function that calls the operation of that name; nil if there is none.
function call.named(name)
  local rows = call.find(name)
  if not rows then
    return nil
  end
  return function(...)
    local given, count, options = {...}, select('#', ...), nil
    while count > 0 and given[count] == nil do -- left out
      count = count - 1
    end
    local last = given[count]
    if type(last) == 'table' and last ~= library.none and type(next(last)) == 'string' then
      options, count = last, count - 1
    end
    local row, bound = arguments.choose(rows, given, count, options)
    if not row then
      local lines = {name .. '(' .. kinds_of(given, count, options) .. ') fits none of'}
      for _, candidate in ipairs(rows) do
        lines[#lines + 1] = '  ' .. candidate.schema
      end
      error(table.concat(lines, '\n'), 2)
    end
    return call.row(row, bound)
  end
end

-- What the operation takes and computes.
function call.help(name)
  local lines = {}
  for _, row in ipairs(call.find(name) or error('there is no operation ' .. name, 2)) do
    lines[#lines + 1] = row.schema .. '\n    ' .. row.doc
  end
  return table.concat(lines, '\n')
end

return call

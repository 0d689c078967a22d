-- The cases of tests/golden/aten, whose format tests/ATen/table/cases.h describes.
local ffi = require 'ffi'
local th = require 'thaten'

ffi.cdef [[
long long strtoll(const char *text, char **end, int base);
unsigned long long strtoull(const char *text, char **end, int base);
]]

local cases = {default = {}, undefined = {}}
local TYPES = {Byte = th.byte, Char = th.char, Short = th.short, Int = th.int, Long = th.long, Float = th.float,
               Double = th.double, Half = th.half, Bool = th.bool, BFloat16 = th.bfloat16, ComplexFloat = th.cfloat,
               ComplexDouble = th.cdouble, UInt16 = th.uint16, UInt32 = th.uint32, UInt64 = th.uint64}
local NAN = ffi.cast('double *', ffi.new('uint64_t[1]', 0x7ff8000000000000ULL))[0] -- 0 / 0 has the other sign
local special = {nan = NAN, ['-nan'] = -NAN, inf = 1 / 0, ['-inf'] = -1 / 0}

-- A floating number, or an integer as an int64_t.
local function number(word)
  if special[word] then
    return special[word]
  elseif word:find('[px]') then
    return tonumber(word)
  end
  return ffi.C.strtoll(word, nil, 10)
end

local function tensor(words, at)
  local dims, sizes = tonumber(words[at + 1]), {}
  for i = 1, dims do
    sizes[i] = tonumber(words[at + 1 + i])
  end
  local pairs_ = words[at]:find '^Complex' ~= nil
  local floating = pairs_ or words[at] == 'Float' or words[at] == 'Double' or words[at] == 'Half' or words[at] == 'BFloat16'
  local first, count = at + 3 + dims, 0
  local t = th.empty({#words - first + 1}, {type = floating and th.double or th.long})
  local data = t:data()
  for i = first, #words do
    local unsigned = words[at] == 'UInt64' -- whose bits a Long has
    data[count] = unsigned and ffi.cast('int64_t', ffi.C.strtoull(words[i], nil, 10)) or number(words[i])
    count = count + 1
  end
  if pairs_ then
    t = th.view_as_complex(th.reshape(t, {-1, 2}))
  end
  return th.reshape(th.to(t, TYPES[words[at]]), sizes)
end

local function split(line)
  local words = {}
  for word in line:gmatch '%S+' do
    words[#words + 1] = word
  end
  return words
end

local function one(words, lines)
  local kind = words[1]
  if TYPES[kind] then
    return tensor(words, 1)
  elseif kind == 'tensor' then
    return tensor(words, 2)
  elseif kind == 'tensors' or kind == 'list' then
    local list = {}
    for i = 1, tonumber(words[2]) do
      list[i] = one(split(lines()), lines)
    end
    return list
  elseif kind == 'none' then
    return th.none
  elseif kind == 'undefined' then
    return cases.undefined
  elseif kind == 'default' then
    return cases.default
  elseif kind == 'type' then
    return TYPES[words[2]]
  elseif kind == 'seed' then
    return th.generator():manual_seed(tonumber(words[2]))
  elseif kind == 'ints' or kind == 'doubles' then
    local list = {}
    for i = 3, #words do
      list[#list + 1] = number(words[i])
    end
    return list
  elseif kind == 'text' then
    return table.concat(words, ' ', 2)
  elseif kind == 'bool' then
    return words[2] == '1'
  elseif kind == 'scalar' and words[2]:find '[pxni]' then
    return cases.floating(number(words[2]))
  end
  return number(words[2])
end

-- A number that is a floating one although it is whole.
function cases.floating(value)
  return ffi.new('at_scalar', {is_float = true, value = {number = value}})
end

-- Calls visit for each case of the file.
function cases.each(path, visit)
  local lines, count, case = io.lines(path), 0, nil
  local function next_line()
    count = count + 1
    return lines()
  end
  for line in next_line do
    local words = split(line)
    local word = words[1]
    if word == 'case' then
      if case then
        visit(case)
      end
      local name, overload = words[2]:match '^([^.]*)%.?(.*)$'
      case = {name = name, overload = overload, line = count, arguments = {}, wanted = {}, within = 0}
    elseif word == 'want' then
      table.remove(words, 1)
      table.insert(case.wanted, one(words, next_line))
    elseif word == 'error' then
      case.error = true
    elseif word == 'within' then
      case.within = number(words[2])
    elseif word ~= '#' and word ~= 'strides' then
      table.insert(case.arguments, one(words, next_line))
    end
  end
  visit(case)
end

return cases

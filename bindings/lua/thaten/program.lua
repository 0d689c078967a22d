-- Programs that torch.export.save wrote: net = th.program(path); y = net(x).  Where inputs or outputs are lists, they are tables:
-- parts, count = net({x, y}, z); what is missing is nil.
local ffi = require 'ffi'
local library = require 'thaten.library'
local files = require 'thaten.files'
local train = require 'thaten.train'
local C = library.C

ffi.cdef 'typedef struct { at_program *pointer; } thaten_program;'

local methods = {}

-- Inputs and outputs: tables with name, type, the least and greatest sizes, whether each is a list, and whether it may be missing.
local function infos(count, get)
  local list = {}
  for i = 1, count do
    local info = get(i - 1)
    local least, most = {}, {}
    for d = 1, info.least.count do
      least[d], most[d] = tonumber(info.least.data[d - 1]), library.integer(info.most.data[d - 1])
    end
    list[i] = {name = ffi.string(info.name), type = info.type ~= nil and info.type or nil, least = least, most = most,
      is_list = info.isList, may_miss = info.mayMiss}
  end
  return list
end

function methods:inputs()
  return infos(C.at_program_inputCount(self.pointer), function(i)
    return C.at_program_input(self.pointer, i)
  end)
end

function methods:outputs()
  return infos(C.at_program_outputCount(self.pointer), function(i)
    return C.at_program_output(self.pointer, i)
  end)
end

-- The weights by name; they are the program's own, and keep it from nothing.
function methods:parameters()
  return (files.to_table(C.at_program_parameters(self.pointer)))
end

-- The outputs of the last run, and their number: tensors, nil for None, and tables of those that are lists.
local function results(self)
  local outputs, count = {}, C.at_program_outputCount(self.pointer)
  for i = 1, count do
    local list = train.plain.program_result(self, i - 1)
    if C.at_program_output(self.pointer, i - 1).isList then
      outputs[i] = list
    else
      outputs[i] = list[1]
    end
  end
  return outputs, count
end

-- Tensors alone, of which the only input that is a list takes those that the others leave.
local function run_flat(self, inputs)
  local data = ffi.new('at_tensor *[?]', math.max(inputs.n, 1))
  for i = 1, inputs.n do
    data[i - 1] = inputs[i].pointer
  end
  local list = C.at_program_run(self.pointer, ffi.new('at_tensors', data, inputs.n))
  if list.count == 0 and C.at_error() ~= C.AT_OK then
    library.raise()
  end
end

-- The outputs by name, for inputs by name: net:run{x = x, parts = {y, z}}.  An input without a value is missing.
function methods:run(named)
  local infos, lists, left = self:inputs(), {}, {}
  for name in pairs(named) do
    left[name] = true
  end
  for i, info in ipairs(infos) do
    lists[i], left[info.name] = named[info.name], nil
  end
  if next(left) then
    error('the program has no input ' .. tostring(next(left)), 2)
  end
  lists.n = #infos
  train.plain.program_runLists(self, lists)
  local outputs, found = results(self), {}
  for i, info in ipairs(self:outputs()) do
    found[info.name] = outputs[i]
  end
  return found
end

local Program = ffi.metatype('thaten_program', {
  __index = methods,
  -- Returns the outputs; None is nil.
  __call = function(self, ...)
    local inputs, is_flat = {n = select('#', ...), ...}, true
    for i = 1, inputs.n do
      local one = inputs[i]
      if one == nil or type(one) == 'table' then
        is_flat = false
      elseif not library.is_tensor(one) then
        error('input ' .. i .. ' of a program is no tensor but a ' .. type(one), 2)
      end
    end
    if is_flat then
      run_flat(self, inputs)
    else
      train.plain.program_runLists(self, inputs)
    end
    local outputs, count = results(self)
    return unpack(outputs, 1, count)
  end,
  __tostring = function(self)
    return library.text(C.at_program_toString(self.pointer))
  end,
  __gc = function(self)
    C.at_program_free(self.pointer)
  end,
})

return function(path)
  local pointer = C.at_program_load(path)
  if pointer == nil then
    library.raise()
  end
  library.weigh(2 ^ 20)
  return Program(pointer)
end

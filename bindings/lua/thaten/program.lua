-- Programs that torch.export.save wrote: net = th.program(path); y = net(x).
local ffi = require 'ffi'
local library = require 'thaten.library'
local files = require 'thaten.files'
local C, wrap = library.C, library.wrap

ffi.cdef 'typedef struct { at_program *pointer; } thaten_program;'

local methods = {}

-- Inputs and outputs: tables with name, type, and the least and greatest sizes.
local function infos(count, get)
  local list = {}
  for i = 1, count do
    local info = get(i - 1)
    local least, most = {}, {}
    for d = 1, info.least.count do
      least[d], most[d] = tonumber(info.least.data[d - 1]), library.integer(info.most.data[d - 1])
    end
    list[i] = {name = ffi.string(info.name), type = info.type ~= nil and info.type or nil, least = least, most = most}
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

local Program = ffi.metatype('thaten_program', {
  __index = methods,
  -- Returns the outputs; None is nil.
  __call = function(self, ...)
    local inputs, given = {...}, select('#', ...)
    local data = ffi.new('at_tensor *[?]', math.max(given, 1))
    for i = 1, given do
      if not library.is_tensor(inputs[i]) then
        error('input ' .. i .. ' of a program is no tensor but a ' .. type(inputs[i]), 2)
      end
      data[i - 1] = inputs[i].pointer
    end
    local list = C.at_program_run(self.pointer, ffi.new('at_tensors', data, given))
    if list.count == 0 and C.at_error() ~= C.AT_OK then
      library.raise()
    end
    local outputs, count = {}, list.count
    for i = 1, count do
      local pointer = list.data[i - 1]
      outputs[i] = pointer ~= nil and wrap(C.at_retain(pointer)) or nil
    end
    -- The list is the program's, which this use keeps from the collector until here.
    return unpack(outputs, 1, self.pointer ~= nil and count or 0)
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

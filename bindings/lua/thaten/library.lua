-- The library, its errors, and the types of Lua's objects for what it makes.
local ffi = require 'ffi'

ffi.cdef(require 'thaten.cdefs')
ffi.cdef [[
typedef struct { at_tensor *pointer; } thaten_tensor;
typedef struct { at_generator *pointer; } thaten_generator;
typedef struct { at_storage *pointer; } thaten_storage;
]]

local C = ffi.load(os.getenv 'THATEN_LIBRARY' or 'libATen.so.0')
if C.at_tableVersion ~= C.AT_TABLE_VERSION then
  error('libATen has another version of its table than these bindings')
end

local library = {C = C}

-- Raises ATen's error as one of Lua, or that of a function of Lua that the library has called.
function library.raise()
  local message, failure = ffi.string(C.at_error_message()), library.failure
  C.at_error_clear()
  library.failure = nil
  if failure then
    error(failure[1], 0)
  end
  error(message ~= '' and message or 'no memory', 0)
end

-- A string that the library allocated.
function library.text(string)
  if string == nil then
    library.raise()
  end
  local text = ffi.string(string)
  C.at_string_free(string)
  return text
end

function library.integer(value)
  local number = tonumber(value)
  return number > -2 ^ 53 and number < 2 ^ 53 and number or value
end

-- Lua's collector sees only the few bytes of an object, so that what is made asks for a collection
-- itself, whenever LEAST bytes have been made since the last one.
local LEAST = 2 ^ 26
local made = 0

function library.weigh(bytes)
  made = made + bytes
  if made > LEAST then
    made = 0
    collectgarbage()
    collectgarbage() -- the first runs the finalizers, the second frees the objects
  end
end

local Tensor = ffi.typeof 'thaten_tensor'
local Generator = ffi.typeof 'thaten_generator'
library.Tensor, library.Generator, library.Storage = Tensor, Generator, ffi.typeof 'thaten_storage'

ffi.metatype(Generator, {
  __index = {
    manual_seed = function(self, seed)
      C.at_generator_manualSeed(self.pointer, seed)
      return self
    end,
    seed = function(self)
      return C.at_generator_seed(self.pointer)
    end,
  },
  __gc = function(self)
    C.at_generator_free(self.pointer)
  end,
})
ffi.metatype(library.Storage, {
  __len = function(self)
    return tonumber(C.at_storage_size(self.pointer))
  end,
  __gc = function(self)
    C.at_storage_release(self.pointer)
  end,
})

-- The object that owns the reference; raises where the tensor is undefined.
function library.wrap(pointer)
  if not C.at_defined(pointer) then
    library.raise()
  end
  library.weigh(256 + tonumber(C.at_numel(pointer)) * tonumber(C.at_type_elementSize(C.at_typeOf(pointer))))
  return Tensor(C.at_keep(pointer)) -- passes call Lua in a scope
end

-- The tensors of a list of the library, which is released.
function library.taken(list)
  local found = {}
  for i = 1, list.count do
    found[i] = library.wrap(C.at_retain(list.data[i - 1]))
  end
  C.at_list_release(list)
  return found
end

-- The tensors of a list that the library keeps, nil for what is undefined; n is their number.
function library.shared(list)
  local found = {n = list.count}
  for i = 1, list.count do
    local pointer = list.data[i - 1]
    found[i] = pointer ~= nil and library.wrap(C.at_retain(pointer)) or nil
  end
  return found
end

function library.is_tensor(value)
  return ffi.istype(Tensor, value)
end

function library.generator()
  local pointer = C.at_generator_new(C.AT_BACKEND_CPU)
  if pointer == nil then
    library.raise()
  end
  library.weigh(65536)
  return Generator(pointer)
end

-- Stands for a tensor that is left out of a list, or that is nil among the positional arguments.
library.none = setmetatable({}, {
  __tostring = function()
    return 'none'
  end,
})

return library

-- Files: th.load and th.save of tables of tensors by name, th.load_npy and th.save_npy of one.
local ffi = require 'ffi'
local library = require 'thaten.library'
local C, wrap = library.C, library.wrap

local files = {}

-- The tensors of a set of ATen by name, and the names in order.
function files.to_table(dict)
  local found, names = {}, {}
  for i = 1, tonumber(C.at_dict_count(dict)) do
    names[i] = ffi.string(C.at_dict_name(dict, i - 1))
    found[names[i]] = wrap(C.at_retain(C.at_dict_at(dict, i - 1)))
  end
  return found, names
end

-- options: skip, limit.
function files.load(path, options)
  local given = ffi.new('at_load_options', C.at_load_defaults)
  given.skip, given.limit = options and options.skip or false, options and options.limit or 0
  local dict = C.at_load(path, given)
  if dict == nil then
    library.raise()
  end
  dict = ffi.gc(dict, C.at_dict_free)
  return files.to_table(dict)
end

-- A set of ATen of the tensors of the table, in the order of their names.
function files.to_dict(tensors)
  local dict = C.at_dict_new()
  if dict == nil then
    library.raise()
  end
  dict = ffi.gc(dict, C.at_dict_free)
  local names = {}
  for name in pairs(tensors) do
    names[#names + 1] = name
  end
  table.sort(names)
  for _, name in ipairs(names) do
    if not library.is_tensor(tensors[name]) then
      error(name .. ' is no tensor but a ' .. type(tensors[name]), 0)
    end
    if not C.at_dict_set(dict, name, tensors[name].pointer) then
      library.raise()
    end
  end
  return dict
end

-- Writes the tensors of the table in the order of their names.
function files.save(path, tensors)
  if not C.at_save(path, files.to_dict(tensors)) then
    library.raise()
  end
end

function files.load_npy(path)
  return wrap(C.at_load_npy(path))
end

function files.save_npy(path, t)
  if not C.at_save_npy(path, t.pointer) then
    library.raise()
  end
end

return files

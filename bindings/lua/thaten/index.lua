-- t[i], t[{...}] and their assignments.
--
-- The entries of a key, one for each dimension: a number selects, {} is all of a dimension, {from}, {from, to} and
-- {from, to, step} are a half-open range, th.newaxis is a new dimension of size 1, th.ellipsis stands for the
-- dimensions that no other entry is for, and a tensor gives indices or booleans.  All count from 0, and negative numbers
-- from the end.
local library = require 'thaten.library'
local call = require 'thaten.call'
local C = library.C

local index = {newaxis = setmetatable({}, {__tostring = function() return 'newaxis' end}),
               ellipsis = setmetatable({}, {__tostring = function() return 'ellipsis' end})}
local select_, slice, unsqueeze = call.named 'select', call.named 'slice', call.named 'unsqueeze'
local at_index, index_put_, copy_ = call.named 'index', call.named 'index_put_', call.named 'copy_'
local alias, fill_ = call.named 'alias', call.named 'fill_'

local function is_mask(t)
  local code = C.at_type_scalarType(C.at_typeOf(t.pointer))
  return code == C.AT_BOOL or code == C.AT_BYTE
end

-- How many dimensions an entry is for.
local function dims_of(entry)
  if entry == index.newaxis or entry == index.ellipsis then
    return 0
  end
  return library.is_tensor(entry) and is_mask(entry) and C.at_dim(entry.pointer) or 1
end

local function range(view, dim, entry)
  local from, to, step = entry[1] or 0, entry[2], entry[3] or 1
  if from == 0 and not to and step == 1 then
    return view
  end
  return slice(view, {dim = dim, start = from, ['end'] = to or view:size(dim), step = step})
end

-- The view that numbers and ranges make, and the indices of its dimensions, or nil if there are none.
local function selection(t, key)
  local view, dim, indices, used, has_indices = t, 0, {}, 0, false
  for i = 1, #key do
    used = used + dims_of(key[i])
  end
  if used > t:dim() then
    error('too many indices for a tensor of ' .. t:dim() .. ' dimensions', 4)
  end
  local function all(count)
    for _ = 1, count do
      indices[#indices + 1] = library.none
      dim = dim + 1
    end
  end
  for i = 1, #key do
    local entry = key[i]
    if entry == index.newaxis then
      view = unsqueeze(view, dim)
      all(1)
    elseif entry == index.ellipsis then
      all(t:dim() - used)
    elseif library.is_tensor(entry) then
      has_indices = true
      dim = dim + dims_of(entry)
      indices[#indices + 1] = entry
    elseif type(entry) == 'table' then
      view = range(view, dim, entry)
      all(1)
    elseif type(entry) == 'number' then
      view = select_(view, dim, entry)
    else
      error('an index is a number, a range, a tensor, th.newaxis or th.ellipsis, not a ' .. type(entry), 4)
    end
  end
  return view, has_indices and indices
end

local function entries(key)
  return type(key) == 'table' and key ~= index.newaxis and key ~= index.ellipsis and key or {key}
end

function index.get(t, key)
  local view, indices = selection(t, entries(key))
  if indices then
    return at_index(view, indices)
  end
  return view == t and alias(t) or view
end

function index.set(t, key, value)
  local view, indices = selection(t, entries(key))
  if indices then
    index_put_(view, indices, library.is_tensor(value) and value or call.named 'scalar_tensor'(value, {type = t:type()}))
  elseif library.is_tensor(value) then
    copy_(view, value)
  else
    fill_(view, value)
  end
end

return index

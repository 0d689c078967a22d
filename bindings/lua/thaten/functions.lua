-- Hooks of gradients, and functions with gradients of their own.  C calls Lua here, which compiled code must not cause.
jit.off(true, true)
local ffi = require 'ffi'
local library = require 'thaten.library'
local call = require 'thaten.call'
local methods = require('thaten.tensor').methods
local C, wrap = library.C, library.wrap

-- What C gets as the function that releases a context: it writes a number there that is not 0.
ffi.cdef [[int64_t thaten_time(int64_t *) __asm__("time");]]

local functions = {}

-- f(...); an error becomes that of the call of the library that is going on.
local function guarded(f, ...)
  local good, value = pcall(f, ...)
  if not good and not library.failure then
    library.failure = {value}
  end
  return good, value
end

local function tensor_or_nil(value, what)
  if value ~= nil and not library.is_tensor(value) then
    error(what .. ' is to be a tensor or nil, and is ' .. tostring(value), 0)
  end
  return value
end

-- --- hooks -----------------------------------------------------------------------------------------------

local hooks, hook_count, run_hook = {}, 0, nil

local function new_run_hook()
  return ffi.cast('at_hook', function(context, gradient)
    local good, other = guarded(function()
      local hook = hooks[tonumber(ffi.cast('intptr_t', context))]
      return tensor_or_nil(hook(wrap(C.at_retain(gradient))), 'what a hook returns')
    end)
    if not good then
      return ffi.cast('at_tensor *', C.at_undefinedTensor)
    end
    return other and C.at_retain(other.pointer) or nil
  end)
end

local Hook = {}
Hook.__index = Hook

-- Ends the hook; a hook may do so, too.
function Hook:remove()
  if hooks[self.number] then
    if not C.at_remove_hook(self.tensor.pointer, run_hook, ffi.cast('void *', self.number)) then
      library.raise()
    end
    hooks[self.number] = nil
  end
end

-- Calls f(gradient) with each gradient of the tensor that is complete; what it returns, unless nil, replaces the gradient.
-- Returns a handle, whose remove() ends that.
function methods:register_hook(f)
  run_hook = run_hook or new_run_hook()
  hook_count = hook_count + 1
  if not C.at_add_hook(self.pointer, run_hook, ffi.cast('void *', hook_count)) then
    library.raise()
  end
  hooks[hook_count] = f
  return setmetatable({tensor = self, number = hook_count}, Hook)
end

-- --- functions -------------------------------------------------------------------------------------------

-- Calls whose context C has, by its address; most is how many make sweep() look which of them C has released.
local contexts, context_count, most = {}, 0, 16
local forward, backward, release
local kinds = {}

local function entry_of(context)
  return contexts[tonumber(ffi.cast('intptr_t', context))]
end

-- More results no function has.
local MOST_RESULTS = 256

-- Whether the tensor is an input that forward has changed.
local function is_changed(own, t, before)
  for k, position in ipairs(own.positions) do
    local input = own.given[position].pointer
    if input == t.pointer then
      return C.at_tensor_version(input) ~= before[k]
    end
  end
  return false
end

-- The results of forward: inputs that it has changed, and of others aliases, so that what ctx has of them has no history.
local function results_of(own, most)
  local before = {}
  for k, position in ipairs(own.positions) do
    before[k] = C.at_tensor_version(own.given[position].pointer)
  end
  local made = {own.definition.forward(own.ctx, unpack(own.given, 1, own.count))}
  local count, list = math.max(table.maxn(made), 1), {}
  if count > most then
    error('forward returned ' .. count .. ' tensors, which are more than ' .. most, 0)
  end
  for i = 1, count do
    local t = made[i]
    if not library.is_tensor(t) then
      error('result ' .. i .. ' that forward returns is to be a tensor, and is ' .. tostring(t), 0)
    end
    list[i] = is_changed(own, t, before) and t or call.named 'alias'(t)
  end
  return list
end

local function run_forward(context, _, _, most, results)
  local good, list = guarded(results_of, entry_of(context), most)
  if not good then
    return -1
  end
  for i, t in ipairs(list) do
    results[i - 1] = C.at_retain(t.pointer)
  end
  return #list
end

-- Gradients of results come one after the other, nil for a result that none has reached.
local function run_backward(context, grads, grad_count, count, gradients)
  return (guarded(function()
    local own, given = entry_of(context), {}
    for i = 1, grad_count do
      given[i] = grads[i - 1] ~= nil and wrap(C.at_retain(grads[i - 1])) or nil
    end
    local made = {own.definition.backward(own.ctx, unpack(given, 1, grad_count))}
    for i = own.count + 1, table.maxn(made) do
      if made[i] ~= nil then
        error('backward returned ' .. i .. ' gradients for ' .. own.count .. ' arguments', 0)
      end
    end
    for k = 1, count do
      tensor_or_nil(made[own.positions[k]], 'gradient ' .. own.positions[k] .. ' that backward returns')
    end
    for k = 1, count do
      local one = made[own.positions[k]]
      gradients[k - 1] = one and C.at_retain(one.pointer) or nil
    end
  end))
end

-- Drops what C has released.
function functions.sweep()
  if context_count == 0 then
    return
  end
  for address, own in pairs(contexts) do
    if own.cell[0] ~= 0 then
      contexts[address], context_count = nil, context_count - 1
    end
  end
  most = 2 * context_count + 16
end

-- A struct that C passes by value a callback cannot take: at_tensors comes as its two words do, in two registers.
local function kind_of(name)
  if not forward then
    forward = ffi.cast('int (*)(void *, at_tensor **, int, int, at_tensor **)', run_forward)
    backward = ffi.cast('bool (*)(void *, at_tensor **, int, int, at_tensor **)', run_backward)
    release = ffi.cast('void (*)(void *)', ffi.C.thaten_time)
  end
  if not kinds[name] then
    local kind = ffi.new 'at_grad_list_function'
    kind.name, kind.release = name, release
    kind.forward = ffi.cast(ffi.typeof(kind.forward), ffi.cast('void *', forward))
    kind.backward = ffi.cast(ffi.typeof(kind.backward), ffi.cast('void *', backward))
    kinds[name] = kind
  end
  return kinds[name]
end

local function apply(definition, ...)
  local own = {definition = definition, ctx = {}, given = {...}, count = select('#', ...), positions = {}}
  own.cell = ffi.new 'int64_t[1]'
  local data, inputs = ffi.new('at_tensor *[?]', own.count + 1), 0
  for i = 1, own.count do
    if library.is_tensor(own.given[i]) then
      data[inputs] = own.given[i].pointer
      inputs = inputs + 1
      own.positions[inputs] = i
    end
  end
  if context_count >= most then
    functions.sweep()
  end
  contexts[tonumber(ffi.cast('intptr_t', own.cell))], context_count = own, context_count + 1
  local list = C.at_apply_list(kind_of(definition.name or 'Function'), own.cell, ffi.new('at_tensors', data, inputs), MOST_RESULTS)
  if list.count == 0 then
    library.raise()
  end
  return unpack(library.taken(list))
end

-- A function of tensors and other values, with a gradient of its own, of one result or several: square = th.Function {
--   forward = function(ctx, x) ctx.x = x; return x * x end, backward = function(ctx, gradient) return 2 * ctx.x * gradient end}.
-- An input that forward changes and returns is a result itself.  backward gets a gradient for each result, or nil if none has
-- reached it, and returns one, or nil, for each argument.
function functions.Function(definition)
  if type(definition) ~= 'table' or type(definition.forward) ~= 'function' or type(definition.backward) ~= 'function' then
    error('th.Function takes a table of two functions, forward and backward', 2)
  end
  return function(...)
    return apply(definition, ...)
  end
end

return functions

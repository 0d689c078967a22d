-- Gradients: methods of tensors, and th.no_grad, th.gradients.
local ffi = require 'ffi'
local library = require 'thaten.library'
local types = require 'thaten.types'
local functions = require 'thaten.functions'
local methods = require('thaten.tensor').methods
local C, wrap, none = library.C, library.wrap, library.none

local grad = {}

-- Makes the tensor a leaf that wants a gradient, or with false none.  Returns it.
function methods:requires_grad_(wanted)
  local set = wanted == false and C.at_detach_ or C.at_requires_grad_
  if not C.at_defined(set(self.pointer)) then
    library.raise()
  end
  return self
end

function methods:requires_grad()
  return C.at_requiresGrad(self.pointer)
end

function methods:is_leaf()
  return C.at_isLeaf(self.pointer)
end

-- The gradient, or nil if there is none yet.
function methods:grad()
  local pointer = C.at_grad(self.pointer)
  return pointer ~= nil and wrap(C.at_retain(pointer)) or nil
end

-- Sets the gradient; without an argument there is none afterwards.
function methods:set_grad(gradient)
  if not C.at_set_grad(self.pointer, gradient and gradient.pointer or nil) then
    library.raise()
  end
end

function methods:retain_grad()
  if not C.at_defined(C.at_retain_grad(self.pointer)) then
    library.raise()
  end
  return self
end

function methods:detach_()
  if not C.at_defined(C.at_detach_(self.pointer)) then
    library.raise()
  end
  return self
end

-- options: gradient, retain_graph, create_graph.
function methods:backward(options)
  options = options or {}
  local given = ffi.new('at_backward_options', C.at_backward_defaults)
  given.gradient = options.gradient and options.gradient.pointer or nil
  given.retain_graph, given.create_graph = options.retain_graph or false, options.create_graph or false
  local done = C.at_backward(self.pointer, given)
  functions.sweep()
  if not done then
    library.raise()
  end
end
jit.off(methods.backward) -- hooks and functions of Lua may be called

local function pointers(list)
  local data = ffi.new('at_tensor *[?]', math.max(#list, 1))
  for i = 1, #list do
    data[i - 1] = list[i] ~= none and list[i].pointer or nil
  end
  return data
end

local function tensors(data, list)
  return ffi.new('at_tensors', data, #list)
end

-- The gradients of the sum of the outputs with respect to the inputs, as a table.
-- options: grad_outputs, retain_graph, create_graph, allow_unused.
function grad.gradients(outputs, inputs, options)
  options = options or {}
  local of_outputs = options.grad_outputs or {}
  local out, into, given_grads = pointers(outputs), pointers(inputs), pointers(of_outputs)
  local given = ffi.new('at_gradients_options', C.at_gradients_defaults)
  given.grad_outputs = tensors(given_grads, of_outputs)
  given.retain_graph, given.create_graph = options.retain_graph or false, options.create_graph or false
  given.allow_unused = options.allow_unused or false
  local list = C.at_gradients(tensors(out, outputs), tensors(into, inputs), given)
  functions.sweep()
  if list.count == 0 and C.at_error() ~= C.AT_OK then
    library.raise()
  end
  local found = {}
  for i = 1, list.count do
    local pointer = list.data[i - 1]
    found[i] = C.at_defined(pointer) and wrap(C.at_retain(pointer)) or none
  end
  C.at_list_release(list)
  return found
end
jit.off(grad.gradients)

-- f(...), and afterwards restore(), also after an error.
local function restoring(restore, f, ...)
  local function leave(good, ...)
    restore()
    if not good then
      error((...), 0)
    end
    return ...
  end
  return leave(pcall(f, ...))
end

-- Calls the function while nothing is recorded, and returns what it returns.
function grad.no_grad(f, ...)
  local was_on = C.at_grad_setOn(false)
  return restoring(function() C.at_grad_setOn(was_on) end, f, ...)
end

-- Calls the function in mixed precision, as inside torch.autocast: products compute in the type, th.bfloat16
-- (the default) or th.half, and losses in float.  Returns what the function returns; the backward pass comes after.
function grad.autocast(kind, f, ...)
  local lower = types.code(kind or types.by_name.bfloat16)
  local cpu, cuda = C.at_autocast_get(C.AT_AUTOCAST_CPU), C.at_autocast_get(C.AT_AUTOCAST_CUDA)
  if not (C.at_autocast_set(C.AT_AUTOCAST_CPU, lower) and C.at_autocast_set(C.AT_AUTOCAST_CUDA, lower)) then
    library.raise()
  end
  return restoring(function()
    C.at_autocast_set(C.AT_AUTOCAST_CPU, cpu)
    C.at_autocast_set(C.AT_AUTOCAST_CUDA, cuda)
  end, f, ...)
end

return grad

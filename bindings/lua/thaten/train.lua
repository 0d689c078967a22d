-- Modules, optimizers and schedules: th.nn.Linear(4, 8, {bias = false}), th.optim.adam(net:parameters(), {lr = 0.01}),
-- th.schedule.step_lr(adam, 10).  What is required comes first, options are in a table at the end.
local ffi = require 'ffi'
local library = require 'thaten.library'
local files = require 'thaten.files'
local types = require 'thaten.types'
local C, wrap = library.C, library.wrap

ffi.cdef [[
typedef struct { at_module *pointer; } thaten_module;
typedef struct { at_optimizer *pointer; } thaten_optimizer;
typedef struct { at_schedule *pointer; } thaten_schedule;
]]

local function check(done)
  if not done then
    library.raise()
  end
end

-- --- arguments -------------------------------------------------------------------------------------------

local Module, Optimizer, Schedule -- the types of objects

local function misfit(name, wanted, value)
  error(name .. ' is to be ' .. wanted .. ', and is ' .. tostring(value), 0)
end

local function number(name, value)
  if type(value) ~= 'number' and not ffi.istype('int64_t', value) then
    misfit(name, 'a number', value)
  end
  return value
end

local function integers(name, value, kept)
  local list = type(value) == 'table' and value or {value}
  local data = ffi.new('int64_t[?]', math.max(#list, 1))
  for i = 1, #list do
    data[i - 1] = number(name, list[i])
  end
  kept[#kept + 1] = data
  return ffi.new('at_ints', data, #list)
end

local function tensors(name, list, kept)
  if type(list) ~= 'table' then
    misfit(name, 'a table of tensors', list)
  end
  local data = ffi.new('at_tensor *[?]', math.max(#list, 1))
  for i = 1, #list do
    if not library.is_tensor(list[i]) then
      misfit(name, 'a table of tensors', list[i])
    end
    data[i - 1] = list[i].pointer
  end
  kept[#kept + 1] = data
  return ffi.new('at_tensors', data, #list)
end

local function pointer_of(ctype, wanted)
  return function(name, value)
    if not ffi.istype(ctype(), value) then
      misfit(name, wanted, value)
    end
    return value.pointer
  end
end

local function truth(name, value)
  if type(value) ~= 'boolean' then
    misfit(name, 'true or false', value)
  end
  return value
end

local function word(name, value)
  return type(value) == 'string' and value or misfit(name, 'a string', value)
end

local function element_type(name, value)
  return types.is(value) and value or misfit(name, 'a type', value)
end

local optimizer_of = pointer_of(function() return Optimizer end, 'an optimizer')
local module_of = pointer_of(function() return Module end, 'a module')

local convert = {
  int64_t = number, ['int64_t?'] = number, double = number, ['double?'] = number, bool = truth, String = word,
  IntList = integers, Type = element_type, TensorList = tensors, Optimizer = optimizer_of, Module = module_of,
  ['Module?'] = module_of,
  ['Tensor?'] = function(name, value)
    return library.is_tensor(value) and value.pointer or misfit(name, 'a tensor', value)
  end,
}

-- Calls the constructor; kept holds what the arguments point to until it has returned.
local function construct(name, row, ...)
  local given, kept, arguments, options = {...}, {...}, {}, nil
  local required = 0
  for _, a in ipairs(row) do
    required = required + (a[3] and 0 or 1)
  end
  local named = given[required + 1] or {}
  if select('#', ...) < required or select('#', ...) > required + 1 or type(named) ~= 'table' then
    error(name .. ' takes ' .. required .. ' arguments, and options in a table', 0)
  end
  local known = {}
  for i, a in ipairs(row) do
    local key, kind = a[1], convert[a[2]] or number
    if a[3] then
      options = options or ffi.new('at_' .. name .. '_options', C['at_' .. name .. '_defaults'])
      known[key] = true
      if named[key] ~= nil then
        options[key] = kind(key, named[key], kept)
      end
    else
      arguments[i] = kind(key, given[i], kept)
    end
  end
  for key in pairs(named) do
    if not known[key] then
      error(name .. ' has no option ' .. tostring(key), 0)
    end
  end
  for i, a in ipairs(row) do -- constructors of modules take modules over
    if a[2] == 'Module' or a[2] == 'Module?' then
      C.at_module_retain(a[3] and options[a[1]] or arguments[i])
    end
  end
  arguments[required + 1] = options
  local pointer = C['at_' .. name](unpack(arguments, 1, required + (options and 1 or 0)))
  return pointer ~= nil and #kept >= 0 and pointer or library.raise()
end

-- --- modules ---------------------------------------------------------------------------------------------

local modules = {}

-- Calls the module with a tensor, or with several, as a loss: loss(output, target).
function modules:forward(...)
  local inputs = {...}
  for i = 1, select('#', ...) do
    if not library.is_tensor(inputs[i]) then
      misfit('input', 'a tensor', inputs[i])
    end
  end
  local kept = {}
  return wrap(C.at_module_call(self.pointer, tensors('input', inputs, kept)))
end

-- All parameters, each once.
function modules:parameters()
  local list, found = C.at_module_parameters(self.pointer), {}
  for i = 1, list.count do
    found[i] = wrap(C.at_retain(list.data[i - 1]))
  end
  C.at_list_release(list)
  return found
end

-- The tensors by name, and their names in order; they share memory with the module.
function modules:state_dict()
  local dict = C.at_module_state_dict(self.pointer)
  check(dict ~= nil)
  local found, names = files.to_table(dict)
  C.at_dict_free(dict)
  return found, names
end

function modules:load(path, options)
  local given = ffi.new('at_module_load_options', C.at_module_load_defaults)
  for key, value in pairs(options or {}) do
    given[key] = value
  end
  check(C.at_module_load(self.pointer, path, given))
end

function modules:save(path)
  check(C.at_module_save(self.pointer, path))
end

-- A child, by its name or, with dots, further down; nil if there is none.
function modules:child(name)
  local pointer = C.at_module_child(self.pointer, name)
  return pointer ~= nil and Module(C.at_module_retain(pointer)) or nil
end

function modules:train()
  C.at_module_train(self.pointer)
  return self
end

function modules:eval()
  C.at_module_eval(self.pointer)
  return self
end

function modules:to(at_type)
  check(C.at_module_to(self.pointer, element_type('the type', at_type)))
  return self
end

function modules:zero_grad()
  C.at_module_zero_grad(self.pointer)
end

Module = ffi.metatype('thaten_module', {
  __index = modules,
  __call = modules.forward,
  __tostring = function(self)
    return library.text(C.at_module_toString(self.pointer))
  end,
  __gc = function(self)
    C.at_module_free(self.pointer)
  end,
})

-- --- optimizers and schedules ----------------------------------------------------------------------------

local optimizers = {}

function optimizers:step()
  check(C.at_optimizer_step(self.pointer))
end

function optimizers:zero_grad()
  check(C.at_optimizer_zero_grad(self.pointer))
end

-- Another group of parameters; returns its number, counted from 0.
function optimizers:add_group(list)
  local kept = {}
  local group = C.at_optimizer_add_group(self.pointer, tensors('the parameters', list, kept))
  check(group >= 0 and #kept == 1)
  return group
end

function optimizers:get(option, group)
  local value = C.at_optimizer_get(self.pointer, group or 0, option)
  check(C.at_error() == C.AT_OK)
  return value
end

function optimizers:set(option, value, group)
  check(C.at_optimizer_set(self.pointer, group or 0, option, value))
end

Optimizer = ffi.metatype('thaten_optimizer', {
  __index = optimizers,
  __gc = function(self)
    C.at_optimizer_free(self.pointer)
  end,
})

local schedules = {}

-- The next step; of plateau_lr with the metric.
function schedules:step(metric)
  check(metric and C.at_schedule_step_by(self.pointer, metric) or not metric and C.at_schedule_step(self.pointer))
end

Schedule = ffi.metatype('thaten_schedule', {
  __index = schedules,
  __gc = function(self)
    C.at_schedule_free(self.pointer)
  end,
})

-- --- the tables of constructors ---------------------------------------------------------------------------

local owners = setmetatable({}, {__mode = 'k'}) -- a schedule's optimizer lives as long

local function constructors(rows, wrapped)
  local made = {}
  for name, row in pairs(rows) do
    made[name] = function(...)
      return wrapped(construct(name, row, ...), ...)
    end
  end
  return made
end

local rows = require 'thaten.constructors'
local train = {
  nn = constructors(rows.modules, function(pointer)
    library.weigh(1024 + 4 * tonumber(C.at_module_numel(pointer)))
    return Module(pointer)
  end),
  optim = constructors(rows.optimizers, function(pointer) return Optimizer(pointer) end),
  schedule = constructors(rows.schedules, function(pointer, optimizer)
    local schedule = Schedule(pointer)
    owners[schedule] = optimizer
    return schedule
  end),
}

local function list_of(constructor)
  return function(...)
    local count = select('#', ...)
    local data = ffi.new('at_module *[?]', math.max(count, 1))
    for i = 1, count do
      data[i - 1] = module_of('module ' .. i, (select(i, ...)))
    end
    for i = 1, count do
      C.at_module_retain(data[i - 1])
    end
    local pointer = C[constructor](data, count)
    check(pointer ~= nil)
    return Module(pointer)
  end
end
train.nn.Sequential, train.nn.ModuleList = list_of 'at_Sequential', list_of 'at_ModuleList'

-- Scales the gradients together to at most that norm; returns the norm before.
function train.nn.clip_grad_norm(parameters, limit)
  local kept = {}
  local norm = C.at_clip_grad_norm(tensors('the parameters', parameters, kept), limit, C.at_clip_grad_norm_defaults)
  check(C.at_error() == C.AT_OK and #kept == 1)
  return norm
end

return train

-- Modules, optimizers and schedules: th.nn.Linear(4, 8, {bias = false}), th.optim.adam(net:parameters(), {lr = 0.01}),
-- th.schedule.step_lr(adam, 10).  What is required comes first, options are in a table at the end.
local ffi = require 'ffi'
local library = require 'thaten.library'
local files = require 'thaten.files'
local types = require 'thaten.types'
local functions = require 'thaten.functions'
local C, wrap, taken = library.C, library.wrap, library.taken

ffi.cdef [[
typedef struct { at_module *pointer; } thaten_module;
typedef struct { at_optimizer *pointer; } thaten_optimizer;
typedef struct { at_schedule *pointer; } thaten_schedule;
typedef struct { at_scaler own; } thaten_scaler;
]]

local function check(done)
  if not done then
    library.raise()
  end
end

-- --- arguments -------------------------------------------------------------------------------------------

local Module, Optimizer, Schedule, Dataset, Loader -- the types of objects

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

-- Lists of tensors and their number: a tensor is a list of one, and nil or none one of a tensor that is missing.
local function tensor_lists(name, lists, kept)
  if type(lists) ~= 'table' or lists == library.none then
    misfit(name, 'a table of lists of tensors', lists)
  end
  local count = lists.n or #lists
  local data = ffi.new('at_tensors[?]', math.max(count, 1))
  for i = 1, count do
    local one = lists[i]
    if one == nil or one == library.none then
      kept[#kept + 1] = ffi.new 'at_tensor *[1]'
      data[i - 1] = ffi.new('at_tensors', kept[#kept], 1)
    else
      data[i - 1] = tensors(name .. '[' .. i .. ']', library.is_tensor(one) and {one} or one, kept)
    end
  end
  kept[#kept + 1] = data
  return data, count
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

local function tensor_pointer(name, value)
  return library.is_tensor(value) and value.pointer or misfit(name, 'a tensor', value)
end

local optimizer_of = pointer_of(function() return Optimizer end, 'an optimizer')
local module_of = pointer_of(function() return Module end, 'a module')

local convert = {
  int64_t = number, ['int64_t?'] = number, double = number, ['double?'] = number, bool = truth, String = word,
  IntList = integers, Type = element_type, TensorList = tensors, Optimizer = optimizer_of, Module = module_of,
  ['Module?'] = module_of,
  Tensor = tensor_pointer, ['Tensor?'] = tensor_pointer,
  Generator = pointer_of(function() return library.Generator end, 'a generator'),
  TensorLists = tensor_lists,
  Program = pointer_of(function() return ffi.typeof 'thaten_program' end, 'a program'),
  Dataset = pointer_of(function() return Dataset end, 'a data set'),
  char = function(name, value)
    return type(value) == 'string' and #value == 1 and value:byte() or misfit(name, 'a character', value)
  end,
}

local function names_of(row, are_options)
  local names = {}
  for _, a in ipairs(row) do
    if a[3] == are_options then
      names[#names + 1] = a[1]
    end
  end
  return #names > 0 and table.concat(names, ', ') or 'none'
end

-- The arguments for C, their number, and what they point to, which is to be kept until the call has returned.
local function arguments_of(name, row, ...)
  local given, kept, arguments, options = {...}, {...}, {}, nil
  local required, count = 0, 0
  for _, a in ipairs(row) do
    required = required + (a[3] and 0 or 1)
  end
  local named = given[required + 1] or {}
  if select('#', ...) < required or select('#', ...) > required + 1 or type(named) ~= 'table' then
    error(name .. ' takes ' .. names_of(row, false) .. '; options in a table: ' .. names_of(row, true), 0)
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
      local value, length = kind(key, given[i], kept)
      arguments[count + 1], arguments[count + 2] = value, length
      count = count + (length and 2 or 1)
    end
  end
  for key in pairs(named) do
    if not known[key] then
      error(name .. ' has no option ' .. tostring(key), 0)
    end
  end
  arguments[count + 1] = options
  return arguments, count + (options and 1 or 0), kept
end

local function construct(name, row, ...)
  local arguments, count, kept = arguments_of(name, row, ...)
  for i, a in ipairs(row) do -- constructors of modules take modules over
    if a[2] == 'Module' or a[2] == 'Module?' then
      C.at_module_retain(a[3] and arguments[count][a[1]] or arguments[i])
    end
  end
  local pointer = C['at_' .. name](unpack(arguments, 1, count))
  return pointer ~= nil and #kept >= 0 and pointer or library.raise()
end

-- --- modules ---------------------------------------------------------------------------------------------

local modules = {}

local rows = require 'thaten.constructors'

-- What a function returned: a tensor, or a struct whose fields are several results.
local function results_of(made, fields)
  if #fields == 0 then
    return wrap(made)
  end
  check(C.at_error() == C.AT_OK)
  local results = {}
  for i, field in ipairs(fields) do
    results[i] = C.at_defined(made[field]) and wrap(made[field]) or nil
  end
  return unpack(results, 1, #fields)
end

-- A call that has a function of its own: y, h, c = lstm(x, {h_0 = h, c_0 = c}).
local function call_own(module, kind, ...)
  local own = rows.calls[kind]
  local arguments, count, kept = arguments_of(kind .. '_forward', own.row, ...)
  local made = C['at_' .. kind .. '_forward'](module.pointer, unpack(arguments, 1, count))
  return results_of(made, #kept >= 0 and own.results)
end

-- The other functions of layers and sequences: th.nn.LSTM_forward_packed(lstm, data, batch_sizes).
local function function_of(name, own)
  return function(...)
    local arguments, count, kept = arguments_of(name, own.row, ...)
    if own.kind and ffi.string(C.at_module_kindOf(arguments[1]).name) ~= own.kind then -- C does not look
      misfit('the module', 'a ' .. own.kind, (...))
    end
    local made = C['at_' .. name](unpack(arguments, 1, count))
    if own.plain then
      check(#kept >= 0 and C.at_error() == C.AT_OK)
      return type(made) == 'number' and made or nil
    end
    return results_of(made, #kept >= 0 and own.results)
  end
end

-- Calls the module with a tensor, or with several, as a loss: loss(output, target).  Recurrent layers and attention
-- take options in a table at the end, and return what PyTorch's do, one value after the other.
function modules:forward(...)
  local kind = ffi.string(C.at_module_kindOf(self.pointer).name)
  local own = rows.calls[kind]
  if own and own.results[2] ~= 'indices' then
    return call_own(self, kind, ...)
  end
  local inputs = {...}
  for i = 1, select('#', ...) do
    if not library.is_tensor(inputs[i]) then
      misfit('input', 'a tensor', inputs[i])
    end
  end
  local kept = {}
  return wrap(C.at_module_call(self.pointer, tensors('input', inputs, kept)))
end

-- The output and the indices of the maxima, of layers that find them.
function modules:forward_with_indices(...)
  local kind = ffi.string(C.at_module_kindOf(self.pointer).name)
  local own = rows.calls[kind]
  if not own or own.results[2] ~= 'indices' then
    error(kind .. ' finds no indices', 0)
  end
  return call_own(self, kind, ...)
end

local function named(dict)
  check(dict ~= nil)
  local found, names = files.to_table(dict)
  C.at_dict_free(dict)
  return found, names
end

-- All parameters, each once.
function modules:parameters()
  return taken(C.at_module_parameters(self.pointer))
end

-- The tensors by name, and their names in order; they share memory with the module.
function modules:state_dict()
  return named(C.at_module_state_dict(self.pointer))
end

function modules:named_parameters()
  return named(C.at_module_named_parameters(self.pointer))
end

function modules:named_buffers()
  return named(C.at_module_named_buffers(self.pointer))
end

local function load_options(options)
  local given = ffi.new('at_module_load_options', C.at_module_load_defaults)
  if options then
    given.prefix, given.strict = options.prefix or '', options.strict ~= false
  end
  return given
end

-- Copies the tensors of a table to those of the same names.  options: prefix, strict.
function modules:load_state_dict(tensors_by_name, options)
  local dict = files.to_dict(tensors_by_name)
  check(C.at_module_load_state_dict(self.pointer, dict, load_options(options)))
end

function modules:load(path, options)
  check(C.at_module_load(self.pointer, path, load_options(options)))
end

function modules:save(path)
  check(C.at_module_save(self.pointer, path))
end

-- A child, by its name or, with dots, further down; nil if there is none.
function modules:child(name)
  local pointer = C.at_module_child(self.pointer, name)
  return pointer ~= nil and Module(C.at_module_retain(pointer)) or nil
end

-- The children and their names, in order.
function modules:children()
  local found, names = {}, {}
  for i = 1, tonumber(C.at_module_count(self.pointer)) do
    found[i] = Module(C.at_module_retain(C.at_module_childAt(self.pointer, i - 1)))
    names[i] = ffi.string(C.at_module_childName(self.pointer, i - 1))
  end
  return found, names
end

-- Members of a module of one's own, th.nn.Module(); each returns what was given.
function modules:add(name, child)
  local pointer = module_of('child', child)
  check(C.at_module_add(self.pointer, name, C.at_module_retain(pointer)) ~= nil)
  return child
end

function modules:add_parameter(name, t)
  check(C.at_defined(C.at_module_add_parameter(self.pointer, name, tensor_pointer('parameter', t))))
  return t
end

function modules:add_buffer(name, t)
  check(C.at_defined(C.at_module_add_buffer(self.pointer, name, tensor_pointer('buffer', t))))
  return t
end

-- The parameter or buffer of that name, with dots for those of children; they are net.fc.weight, too.
function modules:get(name)
  return wrap(C.at_retain(C.at_module_get(self.pointer, name)))
end

function modules:numel()
  return tonumber(C.at_module_numel(self.pointer))
end

-- A copy with parameters of its own.
function modules:clone()
  local pointer = C.at_module_clone(self.pointer)
  check(pointer ~= nil)
  return Module(pointer)
end

-- false freezes the module.
function modules:requires_grad_(wanted)
  check(C.at_module_requires_grad_(self.pointer, wanted ~= false))
  return self
end

function modules:is_training()
  return C.at_module_training(self.pointer)
end

function modules:train(on)
  local set = on == false and C.at_module_eval or C.at_module_train
  set(self.pointer)
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

-- A method, or the child, parameter or buffer of that name; nil if there is none.
local function member(self, name)
  if modules[name] then
    return modules[name]
  end
  local child = modules.child(self, tostring(name))
  if child then
    return child
  end
  local pointer = C.at_module_get(self.pointer, tostring(name))
  if C.at_defined(pointer) then
    return wrap(C.at_retain(pointer))
  end
  C.at_error_clear()
end

Module = ffi.metatype('thaten_module', {
  __index = member,
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

-- A step; with a function that computes the gradients anew and returns the loss, one that calls it itself, as that of
-- lbfgs does.  Returns the first loss then.
function optimizers:step(closure)
  if not closure then
    return check(C.at_optimizer_step(self.pointer))
  end
  local thrown
  local callback = ffi.cast('at_closure', function(_, loss)
    local good, value = pcall(closure)
    if good and library.is_tensor(value) then
      good, value = pcall(value.item, value)
    end
    if not good or type(value) ~= 'number' then
      thrown = good and 'the closure returns no number' or value
      return false
    end
    loss[0] = value
    return true
  end)
  local first = ffi.new 'double[1]'
  local done = C.at_optimizer_step_by(self.pointer, callback, nil, first)
  callback:free()
  if thrown then
    C.at_error_clear()
    error(thrown, 0)
  end
  check(done)
  return first[0]
end
jit.off(optimizers.step) -- the closure is called

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

-- Writes a state and frees it.
local function save_state(path, dict)
  check(dict ~= nil)
  local done = C.at_save(path, dict)
  C.at_dict_free(dict)
  check(done)
end

-- Calls load(object, values) with the state of a file.
local function load_state(path, load, object)
  local dict = C.at_load(path, C.at_load_defaults)
  check(dict ~= nil)
  local done = load(object, C.at_dict_values(dict))
  C.at_dict_free(dict)
  check(done)
end

-- The state, in a file as torch.save(optimizer.state_dict(), path) writes it.
function optimizers:save(path)
  save_state(path, C.at_optimizer_state_dict(self.pointer))
end

function optimizers:load(path)
  load_state(path, C.at_optimizer_load, self.pointer)
end

function optimizers:groups()
  return C.at_optimizer_groups(self.pointer)
end

-- A method, or an error that names the object.
local function member_of(methods, what)
  return function(_, name)
    return methods[name] or error(what .. ' have no method ' .. tostring(name), 2)
  end
end

Optimizer = ffi.metatype('thaten_optimizer', {
  __index = member_of(optimizers, 'optimizers'),
  __gc = function(self)
    C.at_optimizer_free(self.pointer)
  end,
})

local scalers = {}

-- The loss times the factor.
function scalers:scale(loss)
  return wrap(C.at_scaler_scale(self.own, tensor_pointer('loss', loss)))
end

-- Divides the gradients by the factor, before they are clipped; otherwise step does.
function scalers:unscale(optimizer)
  check(C.at_scaler_unscale(self.own, optimizer_of('optimizer', optimizer)))
end

-- A step of the optimizer, unless a gradient is infinite or NaN.
function scalers:step(optimizer)
  check(C.at_scaler_step(self.own, optimizer_of('optimizer', optimizer)))
end

-- Changes the factor, once after the steps of all optimizers.
function scalers:update()
  check(C.at_scaler_update(self.own))
end

function scalers:get_scale()
  return self.own.scale
end

-- The state, in a file as torch.save(scaler.state_dict(), path) writes it.
function scalers:save(path)
  save_state(path, C.at_scaler_state_dict(self.own))
end

function scalers:load(path)
  load_state(path, C.at_scaler_load, self.own)
end

local Scaler = ffi.metatype('thaten_scaler', {__index = scalers})

local scaler_options = {init_scale = 'scale', growth_factor = 'growth_factor', backoff_factor = 'backoff_factor',
                        growth_interval = 'growth_interval'}

-- The factor of losses of half precision: options are init_scale, growth_factor, backoff_factor, growth_interval.
local function new_scaler(options)
  local scaler = Scaler()
  scaler.own = C.at_scaler_defaults
  for key, value in pairs(options or {}) do
    if not scaler_options[key] then
      error('scaler has no option ' .. tostring(key), 0)
    end
    scaler.own[scaler_options[key]] = number(key, value)
  end
  return scaler
end

local schedules = {}

-- The next step; of plateau_lr with the metric.
function schedules:step(metric)
  check(metric and C.at_schedule_step_by(self.pointer, metric) or not metric and C.at_schedule_step(self.pointer))
end

Schedule = ffi.metatype('thaten_schedule', {
  __index = member_of(schedules, 'schedules'),
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

local train = {
  scaler = new_scaler,
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
train.nn.Module = train.nn.ModuleDict

train.nn.init = {}
for name, row in pairs(rows.inits) do
  train.nn.init[name:sub(6)] = function(t, ...)
    construct(name, row, t, ...)
    return t
  end
end

for name, own in pairs(rows.functions) do
  local group = name:sub(1, 5) == 'init_' and train.nn.init or train.nn
  group[group == train.nn and name or name:sub(6)] = function_of(name, own)
end

train.nn.Sequential, train.nn.ModuleList = list_of 'at_Sequential', list_of 'at_ModuleList'

-- Functions of tensors, numbers, generators and programs alone: th.jvp(outputs, inputs, tangents, false).
train.plain = {}
for name, own in pairs(rows.plain) do
  train.plain[name] = function(...)
    local arguments, count, kept = arguments_of(name, own.row, ...)
    local made = C['at_' .. name](unpack(arguments, 1, count))
    functions.sweep()
    check(#kept >= 0 and C.at_error() == C.AT_OK)
    if own.returns == 'at_tensor *' then
      return wrap(own.owned and made or C.at_retain(made))
    elseif own.returns == 'at_tensors' or (own.returns == 'const at_tensors *' and not own.owned) then
      return library.shared(made)
    elseif own.returns ~= 'const at_tensors *' then
      return type(made) == 'cdata' and library.integer(made) or made
    end
    return taken(made)
  end
  jit.off(train.plain[name]) -- hooks and functions of Lua may be called
end

-- Scales the gradients together to at most that norm; returns the norm before.
function train.nn.clip_grad_norm(parameters, limit)
  local kept = {}
  local norm = C.at_clip_grad_norm(tensors('the parameters', parameters, kept), limit, C.at_clip_grad_norm_defaults)
  check(C.at_error() == C.AT_OK and #kept == 1)
  return norm
end

-- Limits each element of the gradients to the range from -limit to limit.
function train.nn.clip_grad_value(parameters, limit)
  local kept = {}
  check(C.at_clip_grad_value(tensors('the parameters', parameters, kept), limit) and #kept == 1)
end

-- --- data --------------------------------------------------------------------------------------------------

ffi.cdef [[
typedef struct { at_dataset *pointer; } thaten_dataset;
typedef struct { at_loader *pointer; } thaten_loader;
]]

Dataset = ffi.metatype('thaten_dataset', {
  __len = function(self)
    return tonumber(C.at_dataset_count(self.pointer))
  end,
  __gc = function(self)
    C.at_dataset_free(self.pointer)
  end,
})

local sources = setmetatable({}, {__mode = 'k'}) -- a loader's data set and generator live as long

-- for images, labels in loader() do ... end is one pass; #loader is its number of batches.
Loader = ffi.metatype('thaten_loader', {
  __call = function(self)
    return function()
      local batch = C.at_loader_next(self.pointer)
      if batch == nil then
        if C.at_error() ~= C.AT_OK then
          library.raise()
        end
        return nil
      end
      local parts = {}
      for i = 1, batch.count do
        parts[i] = wrap(C.at_retain(batch.data[i - 1]))
      end
      return unpack(parts)
    end
  end,
  __len = function(self)
    return tonumber(C.at_loader_batches(self.pointer))
  end,
  __gc = function(self)
    C.at_loader_free(self.pointer)
  end,
})

train.data = {
  -- Sample i is element i of the first dimension of each of the tensors.
  tensors = function(...)
    local kept = {}
    local pointer = C.at_dataset_tensors(tensors('the tensors', {...}, kept))
    check(pointer ~= nil and #kept == 1)
    return Dataset(pointer)
  end,
  -- Of a data set; options: batch_size, shuffle, drop_last, prefetch, generator.
  loader = function(dataset, options)
    local loader = Loader(construct('loader_new', rows.others.loader_new, dataset, options))
    sources[loader] = {dataset, options and options.generator}
    return loader
  end,
  -- The tensor of an IDX file, as of MNIST, and the numbers of a text file.
  idx = function(path)
    return wrap(C.at_load_idx(path))
  end,
  csv = function(path, options)
    return wrap(construct('load_csv', rows.loads.load_csv, path, options))
  end,
  -- Images and labels of a file of CIFAR-10 or, with 100 classes, of CIFAR-100.
  cifar = function(path, classes)
    local list = C.at_load_cifar(path, classes or 10)
    check(list.count == 2)
    local images, labels = wrap(C.at_retain(list.data[0])), wrap(C.at_retain(list.data[1]))
    C.at_list_release(list)
    return images, labels
  end,
}

-- A name that is in none of them is an error that lists those there are.
for _, room in ipairs {'nn', 'optim', 'schedule', 'data'} do
  setmetatable(train[room], {
    __index = function(names, name)
      local found = {}
      for known in pairs(names) do
        found[#found + 1] = known
      end
      table.sort(found)
      error(('there is no th.%s.%s; there are %s'):format(room, tostring(name), table.concat(found, ', ')), 2)
    end,
  })
end

return train

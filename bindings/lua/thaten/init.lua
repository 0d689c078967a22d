-- ATen for LuaJIT: see README.md.
local library = require 'thaten.library'
local types = require 'thaten.types'
local call = require 'thaten.call'
local index = require 'thaten.index'
local tensor = require 'thaten.tensor'
local grad = require 'thaten.grad'
local functions = require 'thaten.functions'
local files = require 'thaten.files'
local train = require 'thaten.train'

local th = {
  tensor = tensor.new, randint = tensor.randint, normal = tensor.normal, is_tensor = library.is_tensor, none = library.none,
  newaxis = index.newaxis, ellipsis = index.ellipsis,
  generator = library.generator, no_grad = grad.no_grad, autocast = grad.autocast, gradients = grad.gradients, Function = functions.Function,
  load = files.load, save = files.save, load_npy = files.load_npy, save_npy = files.save_npy,
  nn = train.nn, optim = train.optim, schedule = train.schedule, scaler = train.scaler, data = train.data,
  program = require 'thaten.program', help = call.help, names = call.names,
}

for name, at_type in pairs(types.by_name) do
  th[name] = at_type
end

function th.manual_seed(seed)
  library.C.at_manualSeed(seed)
end

function th.set_num_threads(count)
  if not library.C.at_setNumThreads(count) then
    library.raise()
  end
end

-- One overload, with its arguments in the order of its schema: th.overload("max", "dim")(x, 0).
function th.overload(name, overload)
  for _, row in ipairs(call.find(name) or {}) do
    if row.overload == overload then
      return function(...)
        return call.row(row, {...})
      end, row
    end
  end
  error('there is no operation ' .. name .. '.' .. overload, 2)
end

-- th.linalg.inv is th.linalg_inv, and so on.
for _, group in ipairs {'linalg', 'fft', 'special'} do
  th[group] = setmetatable({}, {
    __index = function(_, name)
      return th[group .. '_' .. name]
    end,
  })
end

-- All other names are operations, found when they are first used.
return setmetatable(th, {
  __index = function(self, name)
    local f = train.plain[name] or call.named(name)
    if not f then
      error('there is no th.' .. tostring(name) .. ', and no operation of that name', 2)
    end
    rawset(self, name, f)
    return f
  end,
})

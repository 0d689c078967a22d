-- Hooks, functions of one's own, loss scalers and packed sequences.
local th = require 'thaten'
local check = require 'check'
local equal, raises = check.equal, check.raises

local function leaf(value)
  return th.tensor {value}:requires_grad_()
end

-- hooks: y = 3 x sees 2 and makes it 20
local x, seen = leaf(1), {}
local y = x * 3
local hook = y:register_hook(function(g)
  seen[#seen + 1] = g:item()
  return g * 10
end)
local quiet = y:register_hook(function(g) seen[#seen + 1] = g:item() end)
;(y * 2):sum():backward {retain_graph = true}
equal(seen, {2, 20})
equal(x:grad():item(), 60)
hook:remove()
hook:remove()
quiet:remove()
;(y * 2):sum():backward()
equal(x:grad():item(), 66)
equal(#seen, 2)
local failing = x:register_hook(function() error 'inside' end)
raises('inside', x.backward, (x * 2):sum())
failing:remove()
failing = x:register_hook(function() return 1 end)
raises('a tensor or nil', x.backward, (x * 2):sum())
failing:remove()
equal(x:grad():item(), 66)
raises('gradient', x.register_hook, th.ones {1}, print)
-- one that removes itself and the one behind it
local z, next = x * 1, nil
local own
own = z:register_hook(function(g)
  own:remove()
  next:remove()
  return g * 2
end)
next = z:register_hook(function(g) return g * 100 end)
for _, expected in ipairs {68, 69} do
  z:sum():backward {retain_graph = true}
  equal(x:grad():item(), expected)
end

-- functions: x cubed times a number, whose backward says 10 times its gradient
local freed = 0
local cube = th.Function {
  name = 'Cube',
  forward = function(ctx, a, times)
    ctx.a, ctx.times, ctx.mark = a, times, newproxy(true)
    getmetatable(ctx.mark).__gc = function() freed = freed + 1 end
    ctx.result = a * a * a * times
    return ctx.result
  end,
  backward = function(ctx, g)
    return ctx.a * ctx.a * 30 * ctx.times * g
  end,
}
x = leaf(2)
y = cube(x, 2)
equal(y:item(), 16)
equal(y:requires_grad(), true)
y:sum():backward()
equal(x:grad():item(), 240)
equal(cube(th.tensor {3}, 1):item(), 27)
y = nil
for _ = 1, 200 do -- compiled
  cube(x, 1):sum():backward()
end
equal(x:grad():item(), 240 + 200 * 120)
collectgarbage()
collectgarbage()
equal(freed >= 200, true)
equal(th.no_grad(cube, x, 1):requires_grad(), false)
raises('tensor', th.Function {forward = function() return 1 end, backward = print}, x)
raises('wrong', th.Function {forward = function() error 'wrong' end, backward = print}, x)
raises('back', x.backward, th.Function {forward = function(_, a) return a * 1 end, backward = function() error 'back' end}(x):sum())
raises('gradient 1', x.backward, th.Function {forward = function(_, a) return a * 1 end, backward = function() return 5 end}(x):sum())
raises('forward and backward', th.Function, {})

-- a scaler: of w = 1 with the gradient 3 a step of 0.1 is one to 0.7, and none where the gradient is infinite
local w = leaf(1)
local sgd = th.optim.sgd({w}, {lr = 0.1})
local scaler = th.scaler {init_scale = 8, growth_interval = 1}
scaler:scale((w * 3):sum()):backward()
equal(w:grad():item(), 24)
scaler:unscale(sgd)
equal(w:grad():item(), 3)
raises('unscale', scaler.unscale, scaler, sgd)
scaler:step(sgd)
scaler:update()
equal(math.abs(w:item() - 0.7) < 1e-6 and scaler:get_scale(), 16)
sgd:zero_grad()
scaler:scale((w * math.huge):sum()):backward()
scaler:step(sgd)
scaler:update()
equal(math.abs(w:item() - 0.7) < 1e-6 and scaler:get_scale(), 8)
local path = os.tmpname() .. '.pt'
scaler:save(path)
local other = th.scaler()
equal(other:get_scale(), 65536)
other:load(path)
os.remove(path)
equal(other:get_scale(), 8)
raises('no option', th.scaler, {scale = 1})

-- packed sequences give what each sequence gives alone
th.manual_seed(3)
local lstm = th.nn.LSTM(2, 3)
local sequences = {th.rand {4, 2}, th.rand {2, 2}, th.rand {3, 2}}
local padded = th.nn.pad_sequence(sequences)
equal(padded:size(), {4, 3, 2})
local lengths = th.tensor({4, 2, 3}, {dtype = th.int64})
local data, sizes, sorted, unsorted = th.nn.pack_padded_sequence(padded, lengths, {enforce_sorted = false})
equal(sizes:totable(), {3, 3, 2, 1})
equal(sorted:totable(), {0, 2, 1})
local output, h = th.nn.LSTM_forward_packed(lstm, data, sizes, {unsorted_indices = unsorted})
local back, counts = th.nn.pad_packed_sequence(output, sizes, {unsorted_indices = unsorted})
equal(counts:totable(), {4, 2, 3})
for i, sequence in ipairs(sequences) do
  local alone, last = lstm(sequence:unsqueeze(1))
  local part = back:select(1, i - 1):narrow(0, 0, sequence:size()[1])
  equal(th.allclose(part, alone:squeeze(1)), true)
  equal(th.allclose(h:select(1, i - 1), last:squeeze(1)), true)
end
raises('LSTM', th.nn.LSTM_forward_packed, th.nn.GRU(2, 3), data, sizes)

-- plain functions: d/dx x^3 along (1, 10, 100) is 3 x^2 times that
local p = th.tensor {0, 1, 2}:requires_grad_()
local cubes = {p:pow(3)}
equal(th.jvp(cubes, {p}, {th.tensor {1, 10, 100}}, false)[1]:totable(), {0, 30, 1200})
raises('size', th.jvp, cubes, {p}, {th.ones {2}}, false)
raises('jvp takes outputs, inputs, tangents, create_graph', th.jvp, cubes)
equal(th.autocast_setCache(false), true)
equal(th.autocast_setCache(true), false)
local generator = th.generator():manual_seed(4)
local state = th.generator_state(generator)
local drawn = th.rand({3}, {generator = generator}):totable()
equal(th.generator_setState(generator, state), true)
equal(th.rand({3}, {generator = generator}):totable(), drawn)
raises('state', th.generator_setState, generator, th.ones {3})
equal(th.retain_grad(p * 2):is_leaf(), false)
th.setNumThreads(th.getNumThreads())
raises('count', th.setNumThreads, 0)

equal(math.abs(th.nn.init.gain 'relu' - math.sqrt(2)) < 1e-12, true)
check.done()

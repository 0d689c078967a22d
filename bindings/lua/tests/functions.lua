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

-- several results: x x, the order of x, x y and x / 2 in double; d/dx (x x) = 2 x, d/dx (x y) = y, d/dy (x y) = x
local reached = {0, 0, 0, 0}
local several = th.Function {
  name = 'Several',
  forward = function(ctx, a, b)
    ctx.a, ctx.b = a, b
    ctx.first = a * a
    return ctx.first, a:argsort(), a * b, (a * 0.5):double()
  end,
  backward = function(ctx, ...)
    local g = {...}
    equal(select('#', ...), 4)
    local of_a = ctx.a * 0
    for i = 1, 4 do
      reached[i] = reached[i] + (g[i] and 1 or 0)
    end
    of_a = g[1] and of_a + ctx.a * 2 * g[1] or of_a
    of_a = g[3] and of_a + ctx.b * g[3] or of_a
    of_a = g[4] and of_a + (g[4] * 0.5):float() or of_a
    return of_a, g[3] and ctx.a * g[3]
  end,
}
x, y = th.tensor({2, -3}):requires_grad_(), th.tensor({5, 7}):requires_grad_()
local squares, order, product, half = several(x, y)
equal({squares:totable(), order:totable(), product:totable(), half:totable()}, {{4, 9}, {1, 0}, {10, -21}, {1, -1.5}})
equal({order:dtype() == th.int64, half:dtype() == th.double}, {true, true})
equal({squares:requires_grad(), order:requires_grad(), product:requires_grad(), half:requires_grad()}, {true, false, true, true})
half:sum():backward {retain_graph = true}
equal(x:grad():totable(), {0.5, 0.5})
equal(y:grad(), nil)
equal(reached, {0, 0, 0, 1})
;(squares:sum() + product:sum() * 10):backward()
equal(x:grad():totable(), {0.5 + 4 + 50, 0.5 - 6 + 70})
equal(y:grad():totable(), {20, -30})
equal(reached, {1, 0, 1, 1})
-- 3 x is doubled in place, is a result beside the other argument, and has the gradient 3 * 2
local doubled = th.Function {
  forward = function(_, a, factor, b) return a:mul_(factor), b end,
  backward = function(_, g, h) return g * 2, nil, h end,
}
x, y = th.tensor({2, -3}):requires_grad_(), th.tensor({1, 1}):requires_grad_()
local z3 = x * 3
local same, also = doubled(z3, 2, y)
equal({same.pointer == z3.pointer, also.pointer == y.pointer, also:requires_grad()}, {true, false, true})
equal(z3:totable(), {12, -18})
;(z3:sum() + also:sum() * 4):backward()
equal(x:grad():totable(), {6, 6})
equal(y:grad():totable(), {4, 4})
raises('leaf', doubled, y, 2, x)
-- wrong ones
local function of_forward(f)
  return th.Function {forward = f, backward = print}
end
raises('result 2 that forward returns is to be a tensor, and is 1', of_forward(function(_, a) return a * 1, 1 end), x)
raises('result 1 that forward returns is to be a tensor, and is nil', of_forward(function() end), x)
raises('result 1 that forward returns is to be a tensor, and is nil', of_forward(function(_, a) return nil, a * 1 end), x)
raises('257 tensors, which are more than 256', of_forward(function(_, a)
  local list = {}
  for i = 1, 257 do
    list[i] = a
  end
  return unpack(list)
end), x)
raises('wrong', of_forward(function() error 'wrong' end), x)
local function of_backward(f)
  local _, second = th.Function {forward = function(_, a) return a * 1, a * 2 end, backward = f}(x)
  return function() second:sum():backward() end
end
raises('2 gradients for 1 arguments', of_backward(function(_, _, g) return g, g end))
raises('of another size than the operand', of_backward(function() return th.ones {3} end))
raises('gradient 1', of_backward(function() return 'word' end))
raises('back', of_backward(function() error 'back' end))
equal(x:grad():totable(), {6, 6})
of_backward(function(_, _, g) return g, nil end)()
equal(x:grad():totable(), {7, 7})

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

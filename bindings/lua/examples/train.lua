-- Trains two layers to tell the points inside of a circle from those outside.
local th = require 'thaten'

th.manual_seed(1)
local x = th.rand {512, 2} * 2 - 1
local inside = th.sum(x * x, {dim = {1}}):lt(0.5):to(th.float)

local function layer(outputs, inputs)
  return (th.randn {outputs, inputs} / inputs ^ 0.5):requires_grad_(), th.zeros({outputs}):requires_grad_()
end
local w1, b1 = layer(16, 2)
local w2, b2 = layer(1, 16)
local parameters = {w1, b1, w2, b2}

local function net(points)
  return th.linear(th.tanh(th.linear(points, w1, b1)), w2, b2):squeeze(1)
end

local loss
for step = 1, 400 do
  loss = th.binary_cross_entropy_with_logits(net(x), inside)
  loss:backward()
  th.no_grad(function()
    for _, p in ipairs(parameters) do
      p:sub_(p:grad(), {alpha = 2})
      p:set_grad()
    end
  end)
  if step % 100 == 0 then
    print(('step %3d  loss %.4f'):format(step, loss:item()))
  end
end
local right = th.mean(net(x):gt(0):to(th.float):eq(inside):to(th.float)):item()
print(('%.1f %% of the points are right'):format(100 * right))
assert(right > 0.95)

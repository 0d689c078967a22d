-- Tells three spirals apart: batches, a schedule, a network in a .safetensors file.
--
-- usage: luajit spirals.lua [NETWORK.safetensors]
local th = require 'thaten'
local nn = th.nn

th.manual_seed(7)

-- Points on a spiral arm for each class, and the class of each point.
local function spirals(classes, points)
  local xs, ys = {}, {}
  for class = 1, classes do
    local radius = th.linspace(0.05, 1, {steps = points})
    local angle = 4 * radius + 2 * math.pi * class / classes + 0.15 * th.randn {points}
    xs[class] = th.stack({radius * angle:cos(), radius * angle:sin()}, {dim = 1})
    ys[class] = th.full({points}, class - 1, {type = th.int64})
  end
  return th.cat(xs), th.cat(ys)
end

local function network()
  return nn.Sequential(nn.Linear(2, 64), nn.ReLU(), nn.Linear(64, 64), nn.ReLU(), nn.Linear(64, 3))
end

local function accuracy(net, x, y)
  return th.no_grad(function()
    return net(x):argmax({dim = 1}):eq(y):to(th.float):mean():item()
  end)
end

local x, y = spirals(3, 150)
local mean, deviation = x:mean({0}), x:std({0})
x = (x - mean) / deviation

local net = network()
local adam = th.optim.adam(net:parameters(), {lr = 0.01})
local schedule = th.schedule.cosine_lr(adam, 40)
local loader = th.data.loader(th.data.tensors(x, y), {batch_size = 50, shuffle = true})
for epoch = 1, 40 do
  local total = 0
  for points, classes in loader() do
    adam:zero_grad()
    local loss = th.cross_entropy_loss(net(points), classes)
    loss:backward()
    nn.clip_grad_norm(net:parameters(), 1)
    adam:step()
    total = total + loss:item()
  end
  schedule:step()
  if epoch % 10 == 0 then
    print(('epoch %2d  loss %.4f  rate %.5f'):format(epoch, total / 9, adam:get('lr')))
  end
end
local right = accuracy(net, x, y)
print(('%.1f %% of the points are right'):format(100 * right))

-- The network, and what its inputs are divided by, in one file.
local path = arg[1] or os.tmpname() .. '.safetensors'
local state = net:state_dict()
state.mean, state.deviation = mean, deviation
th.save(path, state)
local stored = th.load(path)
local again = network()
again:load_state_dict(stored, {strict = false}) -- there is more in the file
assert(th.equal(stored.mean, mean))
assert(accuracy(again, x, y) == right and right > 0.9)
if not arg[1] then os.remove(path) end

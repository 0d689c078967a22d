-- Modules, optimizers and schedules.  The losses are PyTorch's from the same seed.
local th = require 'thaten'
local check = require 'check'
local equal, raises = check.equal, check.raises

local function near(got, want)
  if not (math.abs(got - want) < 1e-5) then
    check.fail(got .. ' for ' .. want, 3)
  end
end

th.manual_seed(5)
local net = th.nn.Sequential(th.nn.Linear(3, 4), th.nn.Tanh(), th.nn.Linear(4, 1, {bias = false}))
local adam = th.optim.adam(net:parameters(), {lr = 0.1, beta1 = 0.8})
local schedule = th.schedule.step_lr(adam, 1, {gamma = 0.5})
local x = th.linspace(-1, 1, 15):view {5, 3}
local y = x:sum({1}, {keepdim = true}):sin()
local losses = {}
for step = 1, 3 do
  adam:zero_grad()
  local loss = th.mse_loss(net(x), y)
  loss:backward()
  th.nn.clip_grad_norm(net:parameters(), 1)
  adam:step()
  schedule:step()
  losses[step] = loss:item()
end
for i, want in ipairs {0.231506109, 0.140786618, 0.132685423} do
  near(losses[i], want)
end
equal(adam:get 'lr', 0.0125)
equal(select(2, net:state_dict()), {'0.weight', '0.bias', '2.weight'})
equal(#net:parameters(), 3)
equal(tostring(net:child '2'), 'Linear(in_features=4, out_features=1, bias=False)')
equal(net:child 'none', nil)

-- files, modes, types
local path = os.tmpname() .. '.pt'
net:save(path)
local other = th.nn.Sequential(th.nn.Linear(3, 4), th.nn.Tanh(), th.nn.Linear(4, 1, {bias = false}))
other:load(path)
os.remove(path)
equal(th.equal(other:eval()(x), net(x)), true)
equal(other:to(th.double)(x:to(th.double)):type(), th.double)
equal(th.nn.Conv2d(1, 2, {3, 3}, {padding = {1, 1}, padding_mode = 'reflect'})(th.ones {1, 1, 4, 4}):size(), {1, 2, 4, 4})
local layer = th.nn.TransformerEncoderLayer(4, 2, {dropout = 0, activation = 'gelu'})
equal(th.nn.TransformerEncoder(layer, 2, {norm = th.nn.LayerNorm(4)})(th.ones {2, 1, 4}):size(), {2, 1, 4})

-- losses, of two tensors; lazy layers
local loss = th.nn.CrossEntropyLoss {weight = th.ones {2}, reduction = 'sum'}
near(loss(th.zeros {2, 2}, th.tensor({0, 1}, {dtype = th.long})):item(), 2 * math.log(2))
raises('called with 2 tensors', loss, th.zeros {2, 2})
raises('a tensor', th.nn.CrossEntropyLoss, {weight = 3})
local late = th.nn.LazyLinear(2)
late(th.ones {3, 5})
equal(tostring(late), 'Linear(in_features=5, out_features=2, bias=True)')

-- errors
raises('in_features', th.nn.Linear, 'a', 2)
raises('takes 2 arguments', th.nn.Linear, 1)
raises('no option biases', th.nn.Linear, 1, 2, {biases = true})
raises('true or false', th.nn.Linear, 1, 2, {bias = 1})
raises('-1', th.nn.Linear, -1, 2)
raises('table of tensors', th.optim.sgd, {1})
raises('param', th.optim.sgd, {})
raises('lr', th.optim.sgd, net:parameters(), {lr = -1})
raises('option', adam.get, adam, 'none')
raises('a tensor', net.forward, net, 3)
raises('a module', th.nn.Sequential, 3)
raises('optimizer', th.schedule.step_lr, net, 1)

-- nothing is kept
local function work()
  local one = th.nn.Sequential(th.nn.Linear(60, 60), th.nn.Linear(60, 1))
  local sgd = th.optim.sgd(one:parameters())
  one(th.ones {1, 60}):sum():backward()
  sgd:step()
  pcall(th.nn.Linear, -1, 2)
end
for _ = 1, 300 do
  work()
end
collectgarbage()
collectgarbage()
local before = check.resident()
for _ = 1, 1500 do
  work()
end
collectgarbage()
collectgarbage()
if check.resident() - before > 4000 then
  check.fail('memory grew by ' .. check.resident() - before .. ' kB')
end
check.done()

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

-- calls with several results, first values; the values are PyTorch's from the same seeds
local function sums(...)
  local list = {}
  for i, t in ipairs {...} do
    list[i] = t:sum()
  end
  return th.stack(list)
end
local function close(got, want)
  equal(th.allclose(got, th.tensor(want), {atol = 1e-5}), true)
end
th.manual_seed(5)
local lstm, x3 = th.nn.LSTM(3, 4, {num_layers = 2}), th.linspace(-1, 1, 18):view {3, 2, 3}
local o, h, c = lstm(x3)
close(sums(o, h, c, (lstm(x3, {h_0 = h, c_0 = c}))), {-0.683112, -0.99456, -0.888156, -0.653838})
raises('weight', lstm, th.ones {2, 2, 2}) -- of which the second layer sees nothing
th.manual_seed(6)
local attention, q = th.nn.MultiheadAttention(4, 2), th.linspace(-1, 1, 24):view {3, 2, 4}
local answer, weights = attention(q, q, q)
close(th.stack {answer:abs():sum(), weights[{0, 0, 0}], weights[{1, 2, 1}]}, {0.943133, 0.325966, 0.331916})
equal(select(2, attention(q, q, q, {need_weights = false})), nil)
th.manual_seed(9)
local cell = th.nn.LSTMCell(3, 4)
local h1, c1 = cell(th.ones {2, 3})
close(sums(cell(th.ones {2, 3}, {h = h1, c = c1})), {1.81601, 3.627806})
th.manual_seed(7)
local first = th.nn.init.xavier_uniform_(th.empty {2, 3})
close(sums(first, th.nn.init.kaiming_normal_(th.empty {2, 3}, {nonlinearity = 'relu'})), {-0.640505, -4.575136})

-- closures, states of optimizers, schedules
local p = th.zeros {2}
local lbfgs = th.optim.lbfgs({p:requires_grad_()}, {lr = 0.1})
local function closure()
  lbfgs:zero_grad()
  local value = ((p - th.tensor {1, 2}) ^ 2 * th.tensor {1, 10}):sum()
  value:backward()
  return value
end
near(lbfgs:step(closure), 41.0)
close(p:detach(), {0.645154, 1.753063})
raises('thrown here', lbfgs.step, lbfgs, function() error 'thrown here' end)
raises('no number', lbfgs.step, lbfgs, function() return 'x' end)
local state = os.tmpname() .. '.pt'
adam:save(state)
adam:set('lr', 3)
adam:load(state)
os.remove(state)
equal(adam:get 'lr', 0.0125)
th.schedule.exponential_lr(adam, 0.5):step()
equal(adam:get 'lr', 0.00625)

-- modules of one's own
local own = th.nn.Module()
own:add('fc', th.nn.Linear(2, 3))
own:add_parameter('scale', th.ones {1})
own:add_buffer('seen', th.zeros {1})
equal(select(2, own:state_dict()), {'scale', 'seen', 'fc.weight', 'fc.bias'})
equal(own.fc.weight:size(), {3, 2})
equal(own.nothing, nil)
equal({own:numel(), #own:children(), own:eval():is_training()}, {10, 1, false})
local copy = own.fc:clone()
own:requires_grad_(false)
equal({own.fc.weight:requires_grad(), copy.weight:requires_grad()}, {false, true})
copy:load_state_dict {weight = th.ones {3, 2}, bias = th.zeros {3}}
equal(copy(th.ones {1, 2}):totable(), {{2, 2, 2}})
raises('weight', copy.load_state_dict, copy, {bias = th.zeros {3}})

-- batches, in PyTorch's order
th.manual_seed(8)
local data = th.data.tensors(th.arange(10):view {5, 2}, th.arange(5))
local loader, order = th.data.loader(data, {batch_size = 2, shuffle = true}), {}
for _ = 1, 2 do
  for rows, numbers in loader() do
    equal(rows:size(), {numbers:size(0), 2})
    for _, number in ipairs(numbers:totable()) do
      order[#order + 1] = number
    end
  end
end
equal(order, {0, 3, 1, 2, 4, 4, 3, 2, 0, 1})
equal({#data, #loader}, {5, 3})
raises('data set', th.data.loader, 3)
raises('nothing.idx', th.data.idx, 'nothing.idx')

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
raises('takes in_features, out_features; options', th.nn.Linear, 1)
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

-- states that are written one after the other to memory without gradient; the numbers are PyTorch's
local w = th.tensor({1, 2, 3}, {dtype = th.double}):requires_grad_()
local states = th.zeros({4, 3}, {type = th.double})
local last = states[3]
for t = 0, 2 do
  states[t + 1] = th.sin(states[t] + w)
end
states:view({12}):slice({start = 9}):mul_(2);
(states:pow(2):sum() + last:sum()):backward()
local expected = th.tensor({
  {-1.9985253958567846, -3.2202998230180584, -3.342609358059183},
  {1.8476861048841218, 1.5807010743752634, 0.28130415360773237},
}, {dtype = th.double})
equal(th.allclose(th.stack {w:grad(), last}, expected, {atol = 1e-9}), true)

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

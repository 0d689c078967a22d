-- Tensors: making, operators, indices, conversions, results, errors, gradients, files, programs.
local ffi = require 'ffi'
local th = require 'thaten'
local check = require 'check'
local equal, raises = check.equal, check.raises

-- making and conversions
equal(th.tensor({{1, 2, 3}, {4, 5, 6}}):size(), {2, 3})
equal(th.tensor(2.5):totable(), 2.5)
equal(th.tensor({}):size(), {0})
equal(th.tensor({1, 2}):type(), th.float)
equal(th.tensor({true, false}):totable(), {true, false})
equal(th.tensor({2LL, 3LL}):type(), th.long)
equal(th.tensor({0.1}, {dtype = th.double}):item(), 0.1)
equal(th.tensor({9007199254740993LL}):item() == 9007199254740993LL, true)
equal(th.tensor({300, -1}, {dtype = th.byte}):totable(), {44, 255})
raises('different lengths', th.tensor, {{1, 2}, {3}})
raises('different lengths', th.tensor, {{1}, 2})
raises('different lengths', th.tensor, {1, {2}})
equal(tostring(th.tensor({{1.5, -2}}, {dtype = th.double})), 'tensor([[ 1.5000, -2.0000]], dtype=torch.float64)')
equal(th.ones({2, 2}, {dtype = th.int}):data()[3], 1)

-- operators
local x, y = th.tensor {5, -7, 9}, th.tensor {2, 4, -4}
equal((x + y):totable(), {7, -3, 5})
equal((x - 1):totable(), {4, -8, 8})
equal((1 - x):totable(), {-4, 8, -8})
equal((2 * x):totable(), {10, -14, 18})
equal((x * y):totable(), {10, -28, -36})
equal((x / y):totable(), {2.5, -1.75, -2.25})
equal((8 / y):totable(), {4, 2, -2})
equal((x % 4):totable(), {1, 1, 1})
equal((y ^ 2):totable(), {4, 16, 16})
equal((2 ^ y):totable(), {4, 16, 0.0625})
equal((-x):totable(), {-5, 7, -9})
equal(#x, 3)
equal(x == x, true)
equal(x == y, false)
equal(th.eq(x, y):any():item(), false)
equal((th.tensor {1LL, 2LL} + 2):type(), th.long)
equal((th.tensor {1LL} * 0.5):totable(), {0.5})
equal(th.is_tensor(x), true)
equal(th.is_tensor({}), false)

-- indices count from 0
local m = th.arange(0, 12):view(3, 4)
equal(m[1]:totable(), {4, 5, 6, 7})
equal(m[-1]:totable(), {8, 9, 10, 11})
equal(m[{1, 2}]:item(), 6)
equal(m[{{}, 1}]:totable(), {1, 5, 9})
equal(m[{{0, 2}, {1, 3}}]:totable(), {{1, 2}, {5, 6}})
equal(m[{{0, 3, 2}}]:totable(), {{0, 1, 2, 3}, {8, 9, 10, 11}})
equal(m[{{1}}]:totable(), {{4, 5, 6, 7}, {8, 9, 10, 11}})
equal(m[{th.ellipsis, -1}]:totable(), {3, 7, 11})
equal(m[{th.newaxis, 0}]:size(), {1, 4})
equal(m[th.tensor({2LL, 0LL})]:totable(), {{8, 9, 10, 11}, {0, 1, 2, 3}})
equal(m[m:gt(9)]:totable(), {10, 11})
m[{0, 0}] = 100
m[{{}, 3}] = th.tensor({-1, -2, -3}):to(m:type())
m[m:gt(50)] = 7
equal(m:totable(), {{7, 1, 2, -1}, {4, 5, 6, -2}, {8, 9, 10, -3}})
raises('too many indices', function() return m[{0, 0, 0}] end)
raises('select', function() return m[3] end)
raises('an index is', function() return m[{true}] end)

-- arguments and results
equal(th.add(x, y, {alpha = 10}):totable(), {25, 33, -31})
equal(x:clone():add_(1):totable(), {6, -6, 10})
local values, indices = th.max(th.tensor {{1, 3}, {5, 2}}, 1)
equal({values:totable(), indices:totable()}, {{3, 5}, {1, 0}})
equal(#th.split(x, 2), 2)
equal(th.cat({x, y}, {dim = 0}):size(), {6})
equal(th.sum(th.ones({2, 3}), {axis = 0, keepdims = true}):size(), {1, 3})
equal(th.conv1d(th.ones({1, 1, 5}), th.ones({1, 1, 3}), nil, {padding = 1}):totable(), {{{2, 3, 3, 3, 2}}})
equal(th.equal(x, x:clone()), true)
equal(x:dim(), 1)
equal(x:stride(), {1})
equal(x:view(3, 1):size(-1), 1)
local out = th.empty {0}
equal(th.add_out(out, x, y) == out, true)
equal(out:totable(), {7, -3, 5})
local kept = x:clone()
equal(kept:mul_(2) == kept, true)
equal(th.overload('set_', 'storage')(th.empty({0}), x:storage()):numel(), 3)
th.manual_seed(3)
local drawn = th.rand({4}):totable()
equal(th.rand({4}, {generator = th.generator():manual_seed(3)}):totable(), drawn)

-- errors leave no error behind
raises('does not broadcast', function() return th.ones({2}) + th.ones({3}) end)
raises('fits none of', th.add, x)
raises('fits none of', th.add, x, 'text')
raises('fits none of', th.add, x, y, {beta = 1})
raises('no method nothing', function() return x:nothing() end)
raises('no operation', th.overload, 'add', 'nothing')
raises('no th.nothing', function() return th.nothing end)
raises('no th.schedule.nothing; there are constant_lr, ', function() return th.schedule.nothing end)
raises('one element', x.item, x)
raises('', x.size, x, 3)
raises('', x.stride, x, 3)
equal(x:size(0), 3)
local gone = th.ones {2}
gone:free()
raises('.', function() return gone + 1 end)

-- gradients: of (w * a).sum() ^ 2 with respect to w is 2 * (w * a).sum() * a
local w, a = th.tensor({1, 2}):requires_grad_(), th.tensor {3, -1}
equal({w:requires_grad(), w:is_leaf(), w:grad()}, {true, true})
local loss = th.square(th.sum(w * a))
loss:backward {retain_graph = true}
equal(w:grad():totable(), {6, -2})
equal(th.gradients({loss}, {w})[1]:totable(), {6, -2})
w:set_grad()
equal(w:grad(), nil)
equal(th.no_grad(function() return (w * 2):requires_grad() end), false)
raises('inside', th.no_grad, function() error 'inside' end)
local square = th.ones {2, 2}
equal(th.autocast(th.bfloat16, function() return square:mm(square):type() end), th.bfloat16)
equal(th.autocast(th.half, function() return square:mm(square):type() end), th.half)
equal(th.autocast(nil, function() return th.autocast(th.float, function() return square:mm(square):type() end) end), th.float)
raises('inside', th.autocast, th.half, function() error 'inside' end)
raises('Double', th.autocast, th.double, print)
equal(square:mm(square):type(), th.float)
equal((w * 2):requires_grad(), true)
raises('.', a.backward, a)

-- files
local path = os.tmpname()
os.remove(path)
th.save(path .. '.safetensors', {a = a, ['net.w'] = th.ones({2, 2})})
local loaded, names = th.load(path .. '.safetensors')
equal(names, {'a', 'net.w'})
equal(loaded['net.w']:totable(), {{1, 1}, {1, 1}})
os.remove(path .. '.safetensors')
th.save_npy(path .. '.npy', a)
equal(th.load_npy(path .. '.npy'):totable(), {3, -1})
os.remove(path .. '.npy')
raises('nothing.pt', th.load, 'nothing.pt')

-- conversions by name, complex numbers, what is left out; the draws are PyTorch's
equal(th.ones(2):double():type() == th.double, true)
equal(th.tensor({1, 2}):cfloat():totable()[2].re, 2)
equal(th.complex(th.tensor(1), th.tensor(2)):item().im, 2)
equal(th.ones({2}, {}):add(1, nil):totable(), {2, 2})
th.manual_seed(11)
equal(th.randint(0, 10, {5}):totable(), {1, 9, 0, 7, 3})
equal(th.randint(100, {2}, {dtype = th.int}):type() == th.int, true)
equal(th.normal(0, 1, {3}, {dtype = th.double}):size(), {3})

-- programs, whose inputs and outputs are stored beside them
local folder, count = os.getenv 'TH_GOLDEN' .. '/programs/', 0
for file in io.popen('ls ' .. folder .. '*.pt2'):lines() do
  if not file:find '/own.pt2' and not file:find '/accumulated' then -- which call operations of their own
    local net, data = th.program(file), th.load((file:gsub('pt2$', 'npz')))
    local inputs = {}
    for i = 1, #net:inputs() do
      inputs[i] = data['input' .. i - 1]
    end
    th.manual_seed(3) -- of the one that draws
    local outputs, compared = {net(unpack(inputs))}, 0
    for i = 1, #net:outputs() do
      if outputs[i] ~= nil then -- None is not stored
        local want = data['output' .. compared]
        equal(th.allclose(outputs[i]:to(th.double), want:to(th.double), {rtol = 1e-4, atol = 1e-4}), true)
        compared = compared + 1
      end
    end
    equal(data['output' .. compared], nil)
    equal(#tostring(net) > 0, true)
    raises('.', net)
    count = count + 1
  end
end
equal(count > 10, true)
raises('nothing.pt2', th.program, 'nothing.pt2')

-- inputs and outputs that are lists, or missing; the values are those that wrote the file
local listed, stored = th.program(folder .. 'onnx/listed.onnx'), th.load(folder .. 'onnx/listed.npz')
local function stored_list(word, i)
  local list = {}
  while stored[word .. i .. '.' .. #list] do
    list[#list + 1] = stored[word .. i .. '.' .. #list]
  end
  return list
end
local function check_lists(outputs, infos)
  for i, info in ipairs(infos) do
    local want = stored_list('output', i - 1)
    local got = info.is_list and outputs[i] or {outputs[i]}
    equal(#got, #want)
    for k = 1, #want do
      equal(th.equal(got[k], want[k]), true)
    end
  end
end
local parts, others, one, rest = stored_list('input', 0), stored_list('input', 1), stored_list('input', 2)[1], stored_list('input', 3)
check_lists({listed(parts, others, one, rest)}, listed:outputs())
equal({listed:inputs()[1].is_list, listed:inputs()[3].is_list, listed:inputs()[3].may_miss, listed:inputs()[1].may_miss}, {true, false, true, false})
local by_name, named = listed:run{rest = rest, x = one, others = others, parts = parts}, {}
for i, info in ipairs(listed:outputs()) do
  named[i] = by_name[info.name]
end
check_lists(named, listed:outputs())
local without = listed:run{parts = {th.ones {1}, th.ones {2}}, others = {th.full({1}, 0), th.full({1}, 1)}}
equal({without.kept == nil, without.chosen.n, without.count:item(), #without.mapped}, {true, 0, 0, 2})
equal(select('#', listed({}, {}, nil, {})), 6)
raises('has no input ys', listed.run, listed, {ys = one})
raises('inputs%[1%]', listed, {3}, {}, nil, nil)
raises('is a list of 2 tensors', listed, parts, others, {one, one}, rest)
raises('no tensor', th.program(os.getenv 'TH_GOLDEN' .. '/programs/tiny.pt2'), 3)
equal(th.help 'add':find('alpha', 1, true) ~= nil, true)

-- rows of a tensor without gradient that are set to some with one
local rows, w = th.zeros {3, 2}, th.tensor {3, 4}:requires_grad_()
rows[0] = w * 2
rows[2] = w
rows[{1, 1}] = w:sum()
equal(rows:totable(), {{6, 8}, {0, 7}, {3, 4}})
rows:sum():backward()
equal(w:grad():totable(), {4, 4})
equal(tostring(th.ones({2, 3}):size()), '{2, 3}')
equal(tostring(th.int64), 'int64')
equal(tostring(th.ones({2}):dtype()), 'float32')
equal(th.linalg.inv(th.eye(2)):totable(), {{1, 0}, {0, 1}})
raises('no th.linalg_nothing', function() return th.linalg.nothing end)
raises('strid = table', th.conv2d, th.ones {1, 1, 3, 3}, th.ones {1, 1, 1, 1}, nil, {strid = {2, 2}})
raises('an element of a tensor is a number or a boolean, and not a string', th.tensor, {1, 'a'})
raises('optimizers have no method lr', function() return th.optim.sgd({th.ones(1):requires_grad_()}):lr() end)
check.done()

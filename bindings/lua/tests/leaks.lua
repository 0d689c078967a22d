-- Thousands of calls of each kind, also of those that fail, leave no memory behind.
local th = require 'thaten'
local check = require 'check'

local x, w = th.rand {64, 64}, th.rand({64, 64}):requires_grad_()
local programs = os.getenv 'TH_GOLDEN' .. '/programs/'
local net, input = th.program(programs .. 'tiny.pt2'), th.load(programs .. 'tiny.npz').input0
local path = os.tmpname()
th.save_npy(path, x)

-- Two results, of which it keeps one; it fails where a gradient is missing.
local halves = th.Function {
  forward = function(ctx, a)
    ctx.half = a * 0.5
    return ctx.half, a
  end,
  backward = function(ctx, _, g) return ctx.half * g end,
}

-- Name, calls, function.
local kinds = {
  {'operators', 10000, function() return (x + 1) * x end},
  {'indices', 10000, function() return x[{{1, 3}, 2}], x[x:gt(0.5)] end},
  {'lists', 10000, function() return th.split(x, 16) end},
  {'several results', 10000, function() return th.max(x, 1) end},
  {'tables', 1000, function() return th.tensor(x[0]:totable()) end},
  {'errors', 10000, function() return pcall(th.mm, x, th.none), pcall(function() return x:view(7) end) end},
  {'gradients', 3000, function() th.sum(x * w):backward() end},
  {'functions', 3000, function()
    local half, same = halves(w)
    return pcall(half.backward, half:sum()), same:sum():backward()
  end},
  {'files', 1000, function() return th.load_npy(path) end},
  {'programs', 10000, function() return net(input) end},
  {'loads', 100, function() return th.program(programs .. 'tiny.pt2') end},
  {'generators', 10000, function() return th.generator():manual_seed(1) end},
}

local BOUND = 24 * 1024 -- kilobytes; 10,000 results of 64 x 64 floats are 160,000
for _, kind in ipairs(kinds) do
  local name, count, f = unpack(kind)
  for _ = 1, count / 10 do
    f()
  end
  collectgarbage()
  collectgarbage()
  local before = check.resident()
  for _ = 1, count do
    f()
  end
  collectgarbage()
  collectgarbage()
  local grown = check.resident() - before
  if grown > BOUND then
    check.fail(name .. ': ' .. grown .. ' KB')
  end
end

-- Without a collection by hand, the tensors that are alive at once are bounded too.
local before = check.resident()
for _ = 1, 1000 do
  local _ = th.ones {1024, 1024}
end
if check.resident() - before > 200 * 1024 then
  check.fail('1,000 tensors of 4 MB: ' .. check.resident() - before .. ' KB')
end
os.remove(path)
check.done()

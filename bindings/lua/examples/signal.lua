-- Finds the beats in a noisy signal: slices, filters, masks and sorting, and files of arrays.
--
-- usage: luajit signal.lua [BEATS.npz]
local th = require 'thaten'

th.manual_seed(3)

local rate, seconds, period = 100, 20, 80 -- samples a second, and between beats

-- Two channels: a slow wave with beats, and noise.
local count = rate * seconds
local time = th.arange(count):to(th.float) / rate
local signal = th.stack {th.sin(2 * math.pi * 0.2 * time), 0.1 * th.randn {count}}
local beat = th.exp(-th.linspace(-3, 3, {steps = 21}) ^ 2)
for start = 30, count - 21, period do
  local part = signal[{0, {start, start + 21}}] -- a view: what changes it changes the signal
  part:add_(beat, {alpha = 2})
end
local noisy = signal:sum({0})
assert(noisy:dim() == 1 and noisy:size()[1] == count)

-- The wave is the mean of a second around each sample; what is left is compared with the shape of a beat.
local function filtered(x, kernel)
  local half = math.floor(kernel:numel() / 2)
  local padded = th.pad(x:view {1, 1, -1}, {half, kernel:numel() - 1 - half}, {mode = 'reflect'})
  return th.conv1d(padded, kernel:view {1, 1, -1}):view {-1}
end
local wave = filtered(noisy, th.full({rate}, 1 / rate))
local score = filtered(noisy - wave, beat / (beat * beat):sum())

-- Beats are samples whose score is the highest of 41 around them, and high.
local highest = th.max_pool1d(score:view {1, 1, -1}, 41, {stride = 1, padding = 20}):view {-1}
local found = th.nonzero(score:eq(highest):logical_and(score:gt(0.8))):squeeze(1)
print(('%d beats'):format(found:size()[1]))
assert(found:size()[1] == math.floor((count - 21 - 30) / period) + 1)

local gaps = found[{{1}}] - found[{{0, -1}}] -- from 1 on, and all but the last
print(('a beat takes %.2f seconds, the longest %d and the shortest %d samples'):format(
  gaps:to(th.float):mean():item() / rate, tonumber(gaps:max():item()), tonumber(gaps:min():item())))
assert(gaps:sub(period):abs():max():item() <= 6)

-- The highest beats first, and windows of the signal around them, one row each.
local values, order = th.sort(score:index_select(0, found), {descending = true})
local peaks = found:index_select(0, order)
local inside = peaks:ge(20):logical_and(peaks:lt(count - 20))
peaks, values = peaks[inside], values[inside]
local windows = noisy[peaks:unsqueeze(1) + th.arange(-20, 21)]
assert(windows:size()[1] == peaks:numel() and windows:size()[2] == 41)
local mean = windows:mean({0})
print('the mean beat', mean[{{16, 25}}])
assert(mean:argmax():item() == 20)

local path = arg[1] or os.tmpname() .. '.npz'
th.save(path, {windows = windows, peaks = peaks})
local stored = th.load(path)
assert(th.equal(stored.windows, windows) and stored.peaks:type() == th.int64)
if not arg[1] then os.remove(path) end

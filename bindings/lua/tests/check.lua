-- A few functions for tests: they count failures, and print both values.
local check = {failed = 0}

local function show(v)
  if type(v) ~= 'table' then
    return tostring(v)
  end
  local parts = {}
  for i = 1, #v do
    parts[i] = show(v[i])
  end
  return '{' .. table.concat(parts, ', ') .. '}'
end
check.show = show

local function same(a, b)
  if type(a) ~= 'table' or type(b) ~= 'table' then
    return a == b or (a ~= a and b ~= b)
  end
  if #a ~= #b then
    return false
  end
  for i = 1, #a do
    if not same(a[i], b[i]) then
      return false
    end
  end
  return true
end

function check.fail(text, level)
  local where = debug.getinfo(level or 2, 'Sl')
  print(where.short_src .. ':' .. where.currentline .. ': ' .. text)
  check.failed = check.failed + 1
end

function check.equal(got, want)
  if not same(got, want) then
    check.fail(show(got) .. ' for ' .. show(want), 3)
  end
end

function check.raises(pattern, f, ...)
  local good, message = pcall(f, ...)
  if good then
    check.fail('no error', 3)
  elseif not tostring(message):find(pattern) then
    check.fail(tostring(message) .. ' for ' .. pattern, 3)
  end
end

-- The kilobytes of memory that this process has.
function check.resident()
  local file = io.open('/proc/self/statm')
  local _, pages = file:read('*n', '*n')
  file:close()
  return pages * 4
end

function check.done()
  os.exit(check.failed == 0 and 0 or 1)
end

return check

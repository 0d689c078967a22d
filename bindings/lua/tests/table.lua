-- Every stored case of ATen's operations, called by name with its arguments by theirs.
local th = require 'thaten'
local call = require 'thaten.call'
local cases = require 'cases'
local check = require 'check'

local golden, described = os.getenv 'TH_GOLDEN' .. '/aten/', os.getenv 'TH_OPERATIONS'
local DIGITS = {[tostring(th.double)] = 2 ^ -49, [tostring(th.cdouble)] = 2 ^ -49, [tostring(th.half)] = 2 ^ -10, [tostring(th.bfloat16)] = 2 ^ -7}
local integers = {}
for _, at_type in ipairs {th.byte, th.char, th.short, th.int, th.long, th.bool} do
  integers[tostring(at_type)] = true
end

local function tolerance(case)
  if case.within ~= 0 then
    return case.within
  end
  local most, any = 0, false
  for _, list in ipairs {case.arguments, case.wanted} do
    for _, v in ipairs(list) do
      if th.is_tensor(v) then
        most, any = math.max(most, DIGITS[tostring(v:type())] or 2 ^ -22), true
      end
    end
  end
  return any and most or 2 ^ -49
end

local function near(a, b, units)
  return a == b or (a ~= a and b ~= b) or math.abs(a - b) <= units * math.max(1, math.abs(b))
end

local function flat(t)
  if t:type() == th.cfloat or t:type() == th.cdouble then
    t = th.view_as_real(t)
  elseif t:type() == th.uint16 or t:type() == th.uint32 or t:type() == th.uint64 then
    t = th.to(t, th.long)
  end
  return th.reshape(t, {-1}):totable()
end

-- What is different, or nil.
local function difference(got, want, units)
  if want == cases.undefined or want == th.none then
    return got ~= nil and 'a result for none' or nil
  elseif type(want) == 'table' then
    if #got ~= #want then
      return #got .. ' tensors for ' .. #want
    end
    for i = 1, #want do
      local found = difference(got[i], want[i], units)
      if found then
        return found
      end
    end
  elseif not th.is_tensor(want) then
    want = type(want) == 'cdata' and tonumber(want) or want
    return not (got == want or (type(got) == 'number' and near(got, want, units))) and
           tostring(got) .. ' for ' .. tostring(want) or nil
  else
    if not th.is_tensor(got) or got:type() ~= want:type() or check.show(got:size()) ~= check.show(want:size()) then
      return tostring(got) .. ' for ' .. tostring(want)
    end
    local exact, a, b = integers[tostring(want:type())], flat(got), flat(want)
    for i = 1, #b do
      if exact and a[i] ~= b[i] or not exact and not near(a[i], b[i], units) then
        return tostring(a[i]) .. ' for ' .. tostring(b[i])
      end
    end
  end
end

local function find(case)
  for _, row in ipairs(call.find(case.name) or {}) do
    if row.overload == case.overload then
      return row
    end
  end
end

local function run(case)
  local row = find(case)
  local named, outputs = {}, {}
  for i, argument in ipairs(row.arguments) do
    local value = case.arguments[i]
    if argument.output then
      outputs[#outputs + 1] = value
    elseif value ~= cases.default then
      named[argument.name] = value
    end
  end
  if next(named) == nil then
    return {call.named(case.name)(unpack(outputs))}, row.results
  end
  outputs[#outputs + 1] = named
  return {call.named(case.name)(unpack(outputs))}, row.results
end

local called, names = 0, {}
for file in io.popen('ls ' .. golden):lines() do
  cases.each(golden .. file, function(case)
    local where = file .. ':' .. case.line .. ' ' .. case.name
    local good, got = pcall(run, case)
    called, names[case.name] = called + 1, true
    if not good then
      if not case.error then
        check.fail(where .. ': ' .. tostring(got))
      end
    elseif case.error then
      check.fail(where .. ': no error')
    else
      for i, want in ipairs(case.wanted) do
        local found = difference(got[i], want, tolerance(case))
        if found then
          check.fail(where .. ': ' .. found)
        end
      end
    end
  end)
end
local total = 0
for _ in pairs(names) do
  total = total + 1
end
print(called .. ' cases of ' .. total .. ' names')
if total < 1200 then
  check.fail('only ' .. total .. ' names')
end

-- Each name of the description is there, with as many overloads.
local file = io.open(described)
local text = file:read '*a'
file:close()
for name in text:gmatch '"form": "[^"]*",%s*"name": "([^"]*)"' do
  if not call.find(name) then
    check.fail(name .. ' is not there')
  end
end
check.done()

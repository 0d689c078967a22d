-- Runs a program that torch.export.save wrote.
--
-- usage: luajit run.lua PROGRAM.pt2 INPUTS.npz
--
-- The inputs are the arrays input0, input1 and so on.
local th = require 'thaten'

local net, stored = th.program(arg[1]), th.load(arg[2])
local inputs = {}
for i, input in ipairs(net:inputs()) do
  inputs[i] = stored['input' .. i - 1]
  print(input.name, table.concat(inputs[i]:size(), ' x '))
end
for _, output in ipairs {net(unpack(inputs))} do
  print(output)
end

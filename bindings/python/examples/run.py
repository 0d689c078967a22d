"""Runs a program that torch.export.save wrote.

usage: python3 run.py PROGRAM.pt2 INPUTS.npz

The inputs are the arrays input0, input1 and so on."""

import sys

import thaten as torch

program, inputs = sys.argv[1:]
net, stored = torch.export.load(program), torch.load(inputs)
outputs = net(*(stored["input%d" % i] for i in range(sum(name.startswith("input") for name in stored))))
for output in outputs if isinstance(outputs, (list, tuple)) else [outputs]:
    print(output)

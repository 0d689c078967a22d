"""Scripts written for PyTorch run unchanged and compute what they compute there (tests/oracle/python_scripts.py)."""

import json
import os
import runpy
import sys
import unittest

import cases
import thaten
import thaten.nn.utils
import thaten.optim
import thaten.utils.checkpoint
import thaten.utils.data

HERE = os.path.dirname(os.path.abspath(__file__))
# The scripts compute in double, the same formulas in another order.
WITHIN = 1e-7

sys.modules.update({"torch" + name[len("thaten"):]: module for name, module in list(sys.modules.items())
                    if name.split(".")[0] == "thaten"})


class Scripts(unittest.TestCase):
    def test_numbers(self):
        with open(os.path.join(cases.GOLDEN, "python_scripts.txt")) as file:
            wanted = dict((line.split()[0], line.split()[1:]) for line in file if not line.startswith("#"))
        with open(os.path.join(cases.GOLDEN, "python_texts.json")) as file:
            texts = json.load(file)
        names = sorted(n for n in os.listdir(os.path.join(HERE, "scripts")) if n.endswith(".py"))
        self.assertEqual(sorted(wanted), names)
        for name in names:
            with self.subTest(script=name):
                thaten.set_default_dtype(thaten.float32)
                made = runpy.run_path(os.path.join(HERE, "scripts", name))
                got = made["losses"]
                self.assertEqual(made.get("texts", []), texts.get(name, []))
                self.assertEqual(len(got), len(wanted[name]))
                for i, (a, b) in enumerate(zip(got, map(float.fromhex, wanted[name]))):
                    self.assertLessEqual(abs(a - b), WITHIN * max(1, abs(b)), "number %d: %r for %r" % (i, a, b))
        self.assertTrue(thaten.is_grad_enabled())


if __name__ == "__main__":
    unittest.main()

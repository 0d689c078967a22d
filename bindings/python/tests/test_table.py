"""Every stored case of ATen's operations, called through the package."""

import ast
import os
import unittest

import cases
from thaten import _C

# Whose names stand for something else in Python.
BY_HAND = {"size", "stride", "tensor", "item", "unique", "unique_out"}


class Table(unittest.TestCase):
    def check(self, case, known):
        name = case.name.partition(".")[0]
        try:
            got = cases.call(case, known)
        except (RuntimeError, TypeError, ValueError, IndexError) as error:
            self.assertTrue(case.error, error)
            return
        self.assertFalse(case.error, "%s has no error" % name)
        for mine, want in zip(got, case.wanted, strict=True):
            self.assertIsNone(cases.difference(mine, want, cases.tolerance(case)))

    def test_cases(self):
        known, called, folder = cases.functions(), set(), os.path.join(cases.GOLDEN, "aten")
        for file in sorted(os.listdir(folder)):
            for case in cases.Reader(os.path.join(folder, file)):
                name = case.name.partition(".")[0]
                if name in BY_HAND or name.startswith("__"):
                    continue
                with self.subTest(file=file, line=case.line, case=case.name):
                    self.check(case, known)
                called.add(name)
        self.assertGreater(len(called), 1000)

    def test_all_names_are_there(self):
        for name, overload in cases.functions():
            plain = name[:-len("_out")] if name.endswith("_out") else name
            if plain not in BY_HAND and not plain.startswith("__"):
                self.assertTrue(hasattr(_C, plain), plain)

    def test_stubs(self):
        with open(os.environ["TH_STUBS"]) as file:
            entries = ast.parse(file.read()).body
        typed = {e.name for e in entries if isinstance(e, (ast.FunctionDef, ast.ClassDef))}
        typed |= {e.target.id for e in entries if isinstance(e, ast.AnnAssign)}
        self.assertEqual({n for n in dir(_C) if not n.startswith("_")} - typed, set())
        methods = next(e for e in entries if isinstance(e, ast.ClassDef) and e.name == "Tensor").body
        self.assertIn("softmax", {m.name for m in methods if isinstance(m, ast.FunctionDef)})

    def test_documentation(self):
        for name in ("add", "conv2d", "linalg_solve"):
            self.assertIn(name + "(", getattr(_C, name).__doc__)


if __name__ == "__main__":
    unittest.main()

"""names.json is of the operations that there are; with PyTorch, it is what PyTorch's schemas say."""

import json
import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))


class Names(unittest.TestCase):
    def setUp(self):
        with open(os.path.join(HERE, "..", "names.json")) as file:
            self.names = json.load(file)
        with open(os.environ["TH_DESCRIPTION"]) as file:
            self.operations = json.load(file)["operations"]

    def test_operations(self):
        rows = {o["name"] + "." + o["overload"]: o["arguments"] for o in self.operations}
        for key, count in self.names["positional"].items():
            before = sum(not a["keyword"] for a in rows[key])
            self.assertTrue(before < count <= len(rows[key]), key)

    def test_schemas(self):
        try:
            import torch
        except ImportError:
            self.skipTest("PyTorch is not installed")
        sys.path.insert(0, os.path.join(HERE, "..", "..", "..", "tests", "oracle"))
        import python_names

        # Other versions have other operations, and the same names for those of both.
        with open(os.environ["TH_API"]) as file:
            now = python_names.names(self.operations, json.load(file)["functions"])
        if torch.__version__ in self.names["about"]:
            self.assertEqual(now, self.names)


if __name__ == "__main__":
    unittest.main()

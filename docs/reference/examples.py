"""Examples for the reference: the stored calls of tests/golden/aten, which the tests make and whose results are PyTorch's.

Of each operation the smallest call that shows something is an example, and the first calls that are errors are listed.
The test docs/examples runs what the site shows.
"""

import glob
import itertools
import keyword
import os

MOST_ELEMENTS = 24  # of an example, operands and results together
MOST_ERRORS = 2
NOT_PYTHON = ("tensor", "size")  # a constructor and a property there
# Of operations whose results stored calls cannot have: memory that nothing has filled, and how a tensor lies in it.
OWN = {("empty", ""): ["made = torch.empty([2, 3])", "tuple(made.shape)", "# (2, 3)"],
       ("empty_like", ""): ["self = torch.zeros([2, 3])", "made = torch.empty_like(self)", "tuple(made.shape)", "# (2, 3)"],
       ("size", ""): ["self = torch.zeros([2, 3])", "self.size(1)", "# 3"],
       ("stride", ""): ["self = torch.zeros([2, 3])", "self.stride(0)", "# 3"],
       ("storage_offset", ""): ["self = torch.zeros([2, 3])", "row = self.select(0, 1)", "row.storage_offset()", "# 3"],
       ("is_contiguous", ""): ["self = torch.zeros([2, 3])", "columns = self.t()", "columns.is_contiguous()", "# False"],
       ("set", "storage"): ["self = torch.zeros([2])", "storage = torch.tensor([1., 2., 3.]).untyped_storage()", "self.set_(storage)",
                            "# torch.tensor([1., 2., 3.])"],
       ("set", "storage_offset"): ["self = torch.zeros([2])", "storage = torch.tensor([1., 2., 3., 4.]).untyped_storage()",
                                   "self.set_(storage, 1, [2], [2])", "# torch.tensor([2., 4.])"],
       ("tensor", "empty"): ["made = torch.Tensor()", "tuple(made.shape)", "# (0,)"],
       ("tensor", "sized"): ["made = torch.Tensor(2, 3)", "tuple(made.shape)", "# (2, 3)"],
       ("tensor", "strided"): ["made = torch.empty_strided([2, 3], [1, 2])", "made.stride()", "# (1, 2)"],
       ("tensor", "storage"): ["storage = torch.tensor([1., 2., 3., 4.]).untyped_storage()", "made = torch.Tensor()",
                               "made.set_(storage, 1, [3], [1])", "# torch.tensor([2., 3., 4.])"],
       ("data_ptr", ""): ["self = torch.zeros([2, 3])", "view = self.t()", "bool(view.data_ptr() == self.data_ptr())", "# True"],
       ("pin_memory", ""): ["import contextlib", "self, pinned = torch.zeros([2]), None",
                            "with contextlib.suppress(NotImplementedError): pinned = torch.pin_memory(self)", "bool(pinned is None)", "# True"]}
VALUES = ("long", "double", "bool", "scalar", "type", "text", "ints", "doubles", "seed", "none", "default")
PYTHON = {"Byte": "uint8", "Char": "int8", "Short": "int16", "Int": "int32", "Long": "int64", "Float": "float32",
          "Double": "float64", "Half": "float16", "Bool": "bool", "BFloat16": "bfloat16", "ComplexFloat": "complex64",
          "ComplexDouble": "complex128", "UInt16": "uint16", "UInt32": "uint32", "UInt64": "uint64"}


def number(word):
    """The word of a golden value for a reader: six digits of a floating number."""
    if not any(c in word for c in "pxin"):
        return word
    text = "%.6g" % float.fromhex(word)
    if text[-1] in "fn":
        return "float('%s')" % text
    return text if any(c in text for c in ".e") else text + "."


def nested(values, sizes):
    if not sizes:
        return values[0]
    step = len(values) // sizes[0] if sizes[0] else 0
    return "[%s]" % ", ".join(nested(values[i * step:(i + 1) * step], sizes[1:]) for i in range(sizes[0]))


class Tensor:
    """Of the words `Float 2 1 3 : 0x1p+0 ...`: the type, the number of dimensions, sizes, elements."""

    def __init__(self, words):
        dims = int(words[1])
        self.type, self.sizes, self.words = words[0], [int(w) for w in words[2:2 + dims]], words[3 + dims:]

    def text(self):
        values = [number(w) for w in self.words]
        if self.type == "Bool":
            values = ["True" if v == "1" else "False" for v in values]
        if self.type.startswith("Complex"):
            values = ["%s%s%sj" % (a, "" if b.startswith("-") else "+", b) for a, b in zip(values[::2], values[1::2])]
        kind = "" if self.type in ("Float", "Bool", "Long") else ", dtype=torch.%s" % PYTHON[self.type]
        if 0 in self.sizes:
            return "torch.zeros(%s%s)" % (self.sizes, kind if self.type != "Long" else ", dtype=torch.int64")
        return "torch.tensor(%s%s)" % (nested(values, self.sizes), kind)

    def brief(self):
        return "%s[%s]" % (self.type, " x ".join(map(str, self.sizes)))


def simple(words):
    """The Python text of what is no tensor."""
    kind, rest = words[0], words[1:]
    if kind == "type":
        return "torch." + PYTHON[rest[0]]
    if kind == "seed":
        return "torch.Generator().manual_seed(%s)" % rest[0]
    if kind == "none":
        return "None"
    if kind == "text":
        return repr(" ".join(rest))
    if kind == "bool":
        return str(rest[0] == "1")
    if kind in ("ints", "doubles", "list"):
        return "[%s]" % ", ".join(map(number, rest[1:]))
    return number(rest[0])


class Case:
    def __init__(self, name):
        self.name, _, self.overload = name.partition(".")
        self.arguments, self.results, self.error = [], [], False

    def tensors(self):
        return [v for part in self.arguments + self.results for v in (part if isinstance(part, list) else [part])
                if isinstance(v, Tensor)]

    def score(self):
        """Less is better: floats, results that are not a single zero, few elements."""
        tensors = self.tensors()
        elements = sum(len(t.words) for t in tensors)
        empty = any(0 in t.sizes for t in tensors)
        dull = len({w for r in self.results if isinstance(r, Tensor) for w in r.words}) < 2
        strange = any(t.type not in ("Float", "Long", "Bool") for t in tensors)
        special = any(c in w for t in tensors for w in t.words for c in "in" if not w.startswith("-0x") and "x" not in w)
        return (elements > MOST_ELEMENTS, empty, special, dull, strange, elements)


def read_value(words, lines):
    """A value; tensors of a list are on the next lines."""
    if words[0] in ("tensors", "list"):
        return [read_value(next(lines).split(), lines) for _ in range(int(words[1]))]
    if words[0] == "tensor":
        return Tensor(words[1:])
    if words[0] in PYTHON:
        return Tensor(words)
    return "None" if words[0] == "undefined" else None if words[0] == "default" else simple(words)


def read(path):
    with open(path) as file:
        lines = iter(file.readlines())
    case = None
    for line in lines:
        words = line.split()
        if words[0] == "case":
            if case:
                yield case
            case = Case(words[1])
        elif words[0] == "want":
            case.results.append(read_value(words[1:], lines))
        elif words[0] == "error":
            case.error = True
        elif words[0] in ("tensor", "tensors") or words[0] in VALUES:
            case.arguments.append(read_value(words, lines))
    if case:
        yield case


def given(case, operation):
    """Name and value of each argument that the case has."""
    return [("dtype" if a["name"] == "type" else a["name"], a, v)
            for a, v in zip(operation["arguments"], case.arguments) if v is not None]


def value_text(value):
    if isinstance(value, list):
        return "[%s]" % ", ".join(map(value_text, value))
    return value.text() if isinstance(value, Tensor) else value


def brief(value):
    if isinstance(value, list):
        return "[%s]" % ", ".join(map(brief, value))
    return value.brief() if isinstance(value, Tensor) else value


def call(case, operation, form, values):
    parts = [("%s=%s" % (name, text) if (a["option"] or a["keyword"]) and not keyword.iskeyword(name) else text)
             for (name, a, _), text in values]
    if form["form"] == "function":
        return "torch.%s(%s)" % (form["name"], ", ".join(parts))
    return "%s.%s(%s)" % (parts[0], form["name"], ", ".join(parts[1:]))


def example(case, operation, form):
    """Lines of Python: operands, the call, what it returns."""
    arguments = given(case, operation)
    out = ["%s = %s" % (name, value_text(v)) for name, _, v in arguments if isinstance(v, (Tensor, list))]
    values = [(one, one[0] if isinstance(one[2], (Tensor, list)) else one[2]) for one in arguments]
    out.append(call(case, operation, form, values))
    return out + ["# " + value_text(r) for r in case.results]


def error(case, operation, form):
    """The call with shapes for tensors."""
    return call(case, operation, form, [(one, brief(one[2])) for one in given(case, operation)])


def forms(operation):
    """The functions before the methods; those with results given have operands in another order."""
    return [f for f in operation["functions"] if not f["outputs"]]


def shapes(case, operation, form):
    """A call with too many numbers to read: its types and shapes, and those of the results."""
    return [error(case, operation, form)] + ["# " + brief(r) for r in case.results]


def collect(folder, operations):
    """By name and overload: (lines of an example or [], whether they are Python that runs, calls that are errors)."""
    known = {(f["name"], o["overload"]): (o, f) for o in operations for f in forms(o)}
    cases, errors = {}, {}
    for case in itertools.chain.from_iterable(map(read, sorted(glob.glob(os.path.join(folder, "*.txt"))))):
        operation, form = known.get((case.name, case.overload), (None, None))
        if not operation:
            continue
        key = operation["name"], operation["overload"]
        if case.error:
            texts = errors.setdefault(key, [])
            text = error(case, operation, form)
            if len(texts) < MOST_ERRORS and text not in texts:
                texts.append(text)
        elif case.results:
            score = (form is not forms(operation)[0],) + case.score()
            if key not in cases or score < cases[key][0]:
                cases[key] = score, case, form
    found = {}
    for o in operations:
        key = o["name"], o["overload"]
        best = cases.get(key) if o["name"] not in NOT_PYTHON else None
        runs = bool(best) and not best[0][1]
        lines = (example if runs else shapes)(best[1], o, best[2]) if best else OWN.get(key, [])
        runs = runs or key in OWN
        found[key] = lines, runs, errors.get(key, [])
    return found

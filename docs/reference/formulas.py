"""What the reference says of an operation as formulas: what it computes, its gradients, and when it is an error.

All of it follows from the row: from its line formula or the first words of its documentation, from its gradients, which are C, and
from its arguments, types and forms.
"""

import re

FUNCTIONS = {"abs", "acos", "asin", "atan", "atan2", "ceil", "cos", "cosh", "erf", "erfc", "exp", "expm1", "floor", "i0", "igamma",
             "lgamma", "log", "log1p", "log2", "max", "min", "pi", "sigmoid", "sign", "sin", "sinh", "softplus", "sqrt", "sum",
             "tanh", "trunc"}
DIMENSIONS = {"dim", "dim0", "dim1", "dim2", "dimension", "start_dim", "end_dim"}
SIZES = {"sizes", "size", "n", "m", "steps", "M", "row", "col"}
BROADCAST = {"other", "exponent", "end", "tensor1"}  # operands that are elementwise with self
# In C: how it is written, and how strongly it binds.
OPERATORS = {"add": ("%s + %s", 1), "sub": ("%s - %s", 1), "mul": ("%s * %s", 2), "div": ("%s / %s", 2), "pow": ("%s^%s", 4),
             "neg": ("-%s", 3), "eq": ("%s == %s", 0), "ne": ("%s != %s", 0), "lt": ("%s < %s", 0), "le": ("%s <= %s", 0),
             "gt": ("%s > %s", 0), "ge": ("%s >= %s", 0)}
CONSTANTS = {"M_LN2": "log(2)", "M_LN10": "log(10)", "M_PI": "pi", "M_PI_2": "pi / 2", "M_2_SQRTPI": "(2 / sqrt(pi))",
             "M_SQRT2": "sqrt(2)", "M_SQRT1_2": "sqrt(1/2)", "INFINITY": "infinity", "NAN": "NaN"}


def leading(o):
    """The first words of the documentation, if they are a formula of the arguments."""
    head = re.split(r"[;:](?:\s|$)|\.(?:\s|$)|, (?!\w+\))", o["doc"])[0]
    words = set(re.findall(r"[A-Za-z_]\w*", head))
    known = {a["name"] for a in o["arguments"]} | {r["name"] for r in o["results"]} | FUNCTIONS
    return head if words and all(w in known or len(w) == 1 for w in words) and re.search(r"[-+*/^(=<|]", head) else None


def formula(o, names):
    """What o computes, or None; names are those of all operations."""
    base = o["name"].removesuffix("_dense_backward").removesuffix("_backward").removesuffix("_copy")
    if o["formula"]:
        return o["formula"]
    if base != o["name"] and base in names:
        gradients = " and ".join(filter(None, [", ".join(r["name"] for r in o["results"][:-1]), o["results"][-1]["name"]]))
        return "%s(...), copied" % base if o["name"].endswith("_copy") else \
            "%s = sum of the gradient of each element of %s's output times that element's derivative" % (gradients, base)
    return leading(o)


# --- gradients ---------------------------------------------------------------------------------------


def closing(text, start):
    """The index of the bracket that closes the one at start, and the commas between them."""
    depth, commas = 0, []
    for i in range(start, len(text)):
        if text[i] in "([{":
            depth += 1
        elif text[i] in ")]}":
            depth -= 1
            if depth == 0:
                return i, commas
        elif text[i] == "," and depth == 1:
            commas.append(i)
    return len(text), commas


def strength(text):
    """How strongly the weakest operator outside of brackets binds."""
    depth, found, previous = 0, 9, ""
    for c in text:
        if c in "([{":
            depth += 1
        elif c in ")]}":
            depth -= 1
        elif depth == 0 and c in "?:=<>!&|":
            found = min(found, 0)
        elif depth == 0 and c in "+-" and previous not in "eE*/+-(,":
            found = min(found, 3 if not previous else 1)
        elif depth == 0 and c in "*/":
            found = min(found, 2)
        previous = c if c != " " else previous
    return found


def within(text, least):
    return text if strength(text) >= least else "(%s)" % text


def written(name, operands):
    """A call of an operation: by its sign, or as a function."""
    pattern, binds = OPERATORS.get(name, (None, 0))
    if name == "rsub" and len(operands) == 2:
        return written("sub", operands[::-1])
    if name in ("square", "reciprocal", "rsqrt") and len(operands) == 1:
        return {"square": "%s^2", "reciprocal": "1 / %s", "rsqrt": "1 / sqrt(%s)"}[name] % (
            operands[0] if name == "rsqrt" else within(operands[0], 5))
    if pattern and pattern.count("%s") == len(operands):
        # The second operand of - and / binds more strongly than the operator.
        needs = [binds] + [binds + (name in ("sub", "div", "pow"))] * (len(operands) - 1)
        return pattern % tuple(within(operand, least) for operand, least in zip(operands, needs))
    return "%s(%s)" % (name, ", ".join(operands))


def readable(c):
    """An expression of C with signs in place of the calls of operations that have them."""
    match = re.search(r"\b(at_|AT_)?(\w+)\(", c)
    if not match:
        return re.sub(r"\b[A-Z]\w+\b", lambda m: CONSTANTS.get(m[0], m[0]), c).strip()
    end, commas = closing(c, match.end() - 1)
    bounds = [match.end() - 1] + commas + [end]
    operands = [readable(c[a + 1:b]).lstrip(".") for a, b in zip(bounds, bounds[1:])]
    before, after = readable(c[:match.start()]), readable(c[end + 1:])
    call = written(match[2], [o for o in operands if o or len(operands) > 1])
    if (before or after) and strength(call) < 3:
        call = "(%s)" % call
    return (before + (" " if before and before[-1] not in "(-!" else "") + call + (" " if after and after[0] not in "),.-[" else "") + after).strip()


def gradients(o):
    """A line for each argument that has a gradient; alike ones together."""
    lines = {}
    for name, expression in o["grad"].items():
        lines.setdefault(readable(expression), []).append(name)
    return ["%s: %s" % (", ".join(names), text) for text, names in lines.items()]


# --- errors --------------------------------------------------------------------------------------------


def listed(names, last):
    return (" %s " % last).join(filter(None, [", ".join(names[:-1]), names[-1]]))


def errors(o):
    """When a call is an error whatever its numbers are, by the mechanisms that all operations share."""
    arguments, forms = o["arguments"], {f["form"] for f in o["functions"]}
    tensors = [a["name"] for a in arguments if a["type"] == "Tensor"]
    if tensors:
        yield "%s is NULL or undefined" % listed(tensors, "or")
    if tensors and len(o["element_types"]) < 15:
        yield "%s is of a type that is not listed" % tensors[0]
    many = sum(a["type"].startswith("Tensor") + a["type"].startswith("TensorList") for a in arguments) > 1
    if many and o["devices"] != "any":
        yield "tensors are on different devices"
    for a in arguments:
        if a["type"] == "IntList" and a["count"] > 1:
            yield "%s has neither 1 nor %d numbers" % (a["name"], a["count"])
    words = [a["name"] for a in arguments if a["type"] == "String" and a["name"] != "equation"]
    if words:
        yield "%s is another word than those named" % listed(words, "or")
    dims = [a["name"] for a in arguments if a["name"] in DIMENSIONS and a["type"] in ("int64_t", "int64_t?")]
    if dims and tensors:
        yield "%s is not among the dimensions" % listed(dims, "or")
    sizes = [a["name"] for a in arguments if a["name"] in SIZES]
    if sizes and (not tensors or o["name"].startswith("new_")):
        yield "%s is negative" % listed(sizes, "or")
    if {"start", "end", "step"} & {a["name"] for a in arguments} and o["name"] in ("arange", "range"):
        yield "a step of 0, or one that does not lead from start to end"
    if "inplace" in forms and BROADCAST & set(tensors):
        yield "in place, the result has another size than self, or a type that self's cannot hold"
    if "out" in forms and (o["grad"] or o["composite"]):
        yield "a result is given where an operand wants a gradient"

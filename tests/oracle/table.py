"""Calls operations of ATen by their names through C's table (include/ATen/ATenTable.h), with PyTorch's tensors.

    library = table.Library("build/check/src/ATen/libATen.so")
    library.call("add", [x, y], {"alpha": 2})

Overloads are tried in the table's order: first with arguments of exactly the kinds that they name, then with those that
can stand for them, as the bindings do.  A call returns tensors of PyTorch, numbers, or lists of them.
"""

import ctypes as c

import torch

# In the order of at_scalar_type.
TYPES = [torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float32, torch.float64, torch.float16, torch.bool,
         torch.bfloat16, torch.complex64, torch.complex128, torch.uint16, torch.uint32, torch.uint64]
(TENSOR, OPTIONAL_TENSOR, TENSORS, OPTIONAL_TENSORS, SCALAR, LONG, DOUBLE, BOOL, INTS, TYPE, GENERATOR, STORAGE, STRING,
 DOUBLES) = range(14)
FUNCTION = 0
OTHER_NAMES = {"input": ["self"], "self": ["input"], "dtype": ["type"], "size": ["sizes"], "shape": ["sizes"],
               "dim": ["dims"], "dims": ["dim"], "axis": ["dim", "dims"], "keepdims": ["keepdim"], "fill_value": ["value"]}


class List(c.Structure):
    _fields_ = [("data", c.c_void_p), ("count", c.c_int)]


class Scalar(c.Structure):
    class Value(c.Union):
        _fields_ = [("integer", c.c_int64), ("number", c.c_double)]
    _fields_ = [("is_float", c.c_bool), ("is_none", c.c_bool), ("value", Value)]


class Value(c.Structure):
    _fields_ = [("given", c.c_bool), ("tensor", c.c_void_p), ("tensors", List), ("list", c.POINTER(List)), ("scalar", Scalar),
                ("integer", c.c_int64), ("number", c.c_double), ("truth", c.c_bool), ("ints", List), ("type", c.c_void_p),
                ("generator", c.c_void_p), ("storage", c.c_void_p), ("string", c.c_char_p), ("doubles", List)]


class Argument(c.Structure):
    _fields_ = [("name", c.c_char_p), ("kind", c.c_int), ("count", c.c_int), ("defaults", c.c_char_p), ("keyword", c.c_bool),
                ("written", c.c_bool), ("alias", c.c_int)]


class Op(c.Structure):
    _fields_ = [("name", c.c_char_p), ("overload", c.c_char_p), ("schema", c.c_char_p), ("symbol", c.c_char_p), ("doc", c.c_char_p),
                ("form", c.c_int), ("gradient", c.c_int), ("autocast", c.c_ubyte * 2), ("element_types", c.c_uint), ("argument_count", c.c_int),
                ("result_count", c.c_int), ("arguments", c.POINTER(Argument)), ("results", c.POINTER(Argument)),
                ("call", c.CFUNCTYPE(c.c_bool, c.POINTER(Value), c.POINTER(Value)))]


class Error(RuntimeError):
    """ATen's error."""


class NoForm(Error):
    """Arguments that fit no overload."""


def is_number(v):
    return isinstance(v, (int, float)) and not isinstance(v, bool)


def is_integer(v):
    return isinstance(v, int) and not isinstance(v, bool)


def is_tensor(v):
    return isinstance(v, torch.Tensor)


def list_of(accepts):
    return lambda v: isinstance(v, (list, tuple)) and all(map(accepts, v))


def single(v):
    return is_tensor(v) and v.dim() == 0


EXACT = {
    TENSOR: is_tensor, OPTIONAL_TENSOR: lambda v: v is None or is_tensor(v), TENSORS: list_of(is_tensor),
    OPTIONAL_TENSORS: list_of(lambda v: v is None or is_tensor(v)), SCALAR: is_number, LONG: is_integer, DOUBLE: is_number,
    BOOL: lambda v: isinstance(v, bool), INTS: list_of(is_integer), TYPE: lambda v: v in TYPES, GENERATOR: lambda v: False,
    STORAGE: lambda v: False, STRING: lambda v: isinstance(v, str), DOUBLES: list_of(is_number),
}
LOOSE = {**EXACT, SCALAR: lambda v: is_number(v) or isinstance(v, bool) or single(v),
         LONG: lambda v: is_integer(v) or (single(v) and not v.is_floating_point() and not v.is_complex()),
         DOUBLE: lambda v: is_number(v) or single(v), INTS: lambda v: is_integer(v) or list_of(is_integer)(v),
         DOUBLES: lambda v: is_number(v) or list_of(is_number)(v), TENSORS: lambda v: is_tensor(v) or list_of(is_tensor)(v)}


class Library:
    def __init__(self, path):
        self.c = c.CDLL(path)
        for name in ("at_data", "at_typeOf", "at_getType"):
            getattr(self.c, name).restype = c.c_void_p
        self.c.at_sizes.restype = List
        self.c.at_op_find.restype = c.POINTER(Op)
        self.c.at_error_message.restype = c.c_char_p
        self.c.at_defined.restype = c.c_bool
        self.count = c.c_int.in_dll(self.c, "at_opCount").value
        self.ops = (Op * self.count).in_dll(self.c, "at_ops")
        self.rows = {}
        for op in self.ops:
            self.rows.setdefault(op.name.decode(), []).append(op)

    # --- tensors ----------------------------------------------------------------------------------------

    def type(self, dtype):
        return self.c.at_getType(0, TYPES.index(dtype))

    def taken(self, t, keep):
        """A copy of PyTorch's tensor, which is released with keep."""
        if t.dtype not in TYPES or t.layout != torch.strided:
            raise Error("there is no type " + str(t.dtype))
        t = t.detach().resolve_conj().resolve_neg().contiguous()
        sizes = (c.c_int64 * max(t.dim(), 1))(*t.shape)
        arguments, result = (Value * 2)(), Value()
        arguments[0].given, arguments[0].ints = True, List(c.cast(sizes, c.c_void_p), t.dim())
        arguments[1].given, arguments[1].type = True, self.type(t.dtype)
        if not self.rows["empty"][0].call(arguments, c.byref(result)):
            raise Error(self.error())
        if t.numel():
            c.memmove(self.c.at_data(c.c_void_p(result.tensor)), t.data_ptr(), t.numel() * t.element_size())
        keep.append(result.tensor)
        return result.tensor

    def given(self, pointer):
        """A copy of ATen's tensor; None for one that is undefined."""
        if not self.c.at_defined(c.c_void_p(pointer)):
            return None
        arguments, result = (Value * 1)(), Value()
        arguments[0].given, arguments[0].tensor = True, pointer
        if not self.rows["contiguous"][0].call(arguments, c.byref(result)):
            raise Error(self.error())
        plain = c.c_void_p(result.tensor)
        sizes = self.c.at_sizes(plain)
        shape = list(c.cast(sizes.data, c.POINTER(c.c_int64))[:sizes.count]) if sizes.count else []
        dtype = TYPES[self.c.at_type_scalarType(c.c_void_p(self.c.at_typeOf(plain)))]
        t = torch.empty(shape, dtype=dtype)
        if t.numel():
            c.memmove(t.data_ptr(), self.c.at_data(plain), t.numel() * t.element_size())
        self.c.at_release(plain)
        return t

    def item(self, t):
        """The number of a tensor with one element."""
        keep = []
        try:
            held = c.c_void_p(self.taken(t, keep))
            if t.dtype.is_floating_point:
                self.c.at_item_double.restype = c.c_double
                number = self.c.at_item_double(held)
            else:
                self.c.at_item_long.restype = c.c_int64
                number = self.c.at_item_long(held)
            if self.c.at_error() != 0:
                raise Error(self.error())
            return bool(number) if t.dtype == torch.bool else number
        finally:
            for pointer in keep:
                self.c.at_release(c.c_void_p(pointer))

    def error(self):
        text = self.c.at_error_message().decode()
        self.c.at_error_clear()
        return text

    # --- arguments --------------------------------------------------------------------------------------

    @staticmethod
    def bind(op, given, named, accepts):
        """The arguments in the operation's order, or None if they do not fit."""
        arguments, bound = op.arguments[:op.argument_count], {}
        names = [a.name.decode() for a in arguments]
        fits = len(given) <= len(arguments) and all(accepts[a.kind](v) for a, v in zip(arguments, given))
        if accepts is LOOSE and given and not fits:  # numbers that stand for one list, as in x.view(2, 3)
            at = next((i for i, a in enumerate(arguments[:len(given)]) if a.kind == INTS), None)
            if at is not None and len(given) > len(arguments[:at + 1]) and all(map(is_integer, given[at:])):
                given = given[:at] + [list(given[at:])]
        if len(given) > len(names):
            return None
        pairs = list(enumerate(given))
        for name, value in named.items():
            index = next((names.index(n) for n in [name] + OTHER_NAMES.get(name, []) if n in names), None)
            if index is None or index < len(given):
                return None
            pairs.append((index, value))
        for index, value in pairs:
            a = arguments[index]
            optional = a.defaults is not None or a.kind == OPTIONAL_TENSOR
            if value is None and optional:
                continue
            if not accepts[a.kind](value):
                return None
            bound[index] = value
        # Of output_size and scale_factors one is given.
        either = {i for i, a in enumerate(arguments) if a.kind == DOUBLES or names[i] == "output_size"}
        if any(i not in bound and i not in either and a.defaults is None and a.kind != OPTIONAL_TENSOR for i, a in enumerate(arguments)):
            return None
        return bound

    def fill(self, kind, v, value, keep, alive):
        def array(element, entries):
            data = (element * max(len(entries), 1))(*entries)
            alive.append(data)
            return List(c.cast(data, c.c_void_p), len(entries))

        value.given = True
        if kind in (TENSOR, OPTIONAL_TENSOR):
            value.tensor = self.taken(v, keep)
        elif kind in (TENSORS, OPTIONAL_TENSORS):
            entries = [v] if is_tensor(v) else v
            value.tensors = array(c.c_void_p, [None if t is None else self.taken(t, keep) for t in entries])
        elif kind == SCALAR:
            number = v.item() if is_tensor(v) else v
            value.scalar.is_float = isinstance(number, float)
            if value.scalar.is_float:
                value.scalar.value.number = number
            else:
                value.scalar.value.integer = int(number)
        elif kind == LONG:
            value.integer = int(v)
        elif kind == DOUBLE:
            value.number = float(v)
        elif kind == BOOL:
            value.truth = v
        elif kind == INTS:
            value.ints = array(c.c_int64, [v] if is_integer(v) else v)
        elif kind == DOUBLES:
            value.doubles = array(c.c_double, [v] if is_number(v) else v)
        elif kind == TYPE:
            value.type = self.type(v)
        elif kind == STRING:
            value.string = v.encode()

    def call(self, name, given, named):
        for accepts in (EXACT, LOOSE):
            for op in self.rows[name]:
                bound = self.bind(op, list(given), named, accepts)
                if bound is not None:
                    return self.run(op, bound)
        raise NoForm("%s: the arguments fit none of %s" % (name, "; ".join(op.schema.decode() for op in self.rows[name])))

    def run(self, op, bound):
        keep, alive = [], []
        try:
            values, results = (Value * max(op.argument_count, 1))(), (Value * op.result_count)()
            for i, v in bound.items():
                self.fill(op.arguments[i].kind, v, values[i], keep, alive)
            if not op.call(values, results) and self.c.at_error() != 0:
                raise Error(self.error())
            kind = op.results[0].kind
            if kind == TENSORS:
                made = results[0].list
                if not made:
                    return []
                pointers = c.cast(made.contents.data, c.POINTER(c.c_void_p))
                found = [self.given(pointers[i]) for i in range(made.contents.count)]
                self.c.at_list_release(made)
                return found
            if kind == LONG:
                return results[0].integer
            if kind == BOOL:
                return results[0].truth
            found = [self.given(r.tensor) for r in results]
            if op.form == FUNCTION:
                keep += [r.tensor for r in results if r.tensor]
            return found[0] if op.result_count == 1 else found
        finally:
            for pointer in keep:
                self.c.at_release(c.c_void_p(pointer))

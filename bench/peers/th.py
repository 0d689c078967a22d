"""TH and THNN called from Python, on tensors whose memory PyTorch sees too.

lib = Library("build/bench")
x, y = lib.tensor(torch.randn(3)), lib.tensor(torch.zeros(3))
lib.call("THNN_FloatTanh_updateOutput", None, x, y)()
y.torch    # is tanh of x.torch
"""

import ctypes
import os

import torch

KINDS = {torch.float32: "Float", torch.int64: "Long"}


class Tensor:
    """A tensor of TH (at) and the same elements as one of PyTorch (torch)."""

    def __init__(self, at, elements):
        self.at = at
        self.torch = elements


class Int64(int):
    """An argument of 64 bits; a plain int is a C int."""


class Real(float):
    """An argument of the type real of FloatTensor; a plain float is an accreal, a double."""


def _argument(value):
    if value is None:
        return ctypes.c_void_p(None)
    if isinstance(value, Tensor):
        return ctypes.c_void_p(value.at)
    if isinstance(value, Int64):
        return ctypes.c_int64(value)
    if isinstance(value, Real):
        return ctypes.c_float(value)
    if isinstance(value, float):
        return ctypes.c_double(value)
    return ctypes.c_int(value)


class Library:
    def __init__(self, build):
        self.parts = [
            ctypes.CDLL(os.path.join(build, "src", name, f"lib{name}.so"))
            for name in ("TH", "THNN")
        ]
        self.tensors = []

    def function(self, name, restype=None):
        for part in self.parts:
            if hasattr(part, name):
                function = part[name]
                function.restype = restype
                return function
        raise KeyError(name)

    def call(self, name, *arguments):
        """A function of no arguments that calls name with these; its lists are flattened."""
        function = self.function(name)
        converted = []
        for argument in arguments:
            for value in argument if isinstance(argument, (list, tuple)) else [argument]:
                converted.append(_argument(value))
        return lambda: function(*converted)

    def tensor(self, elements):
        """A contiguous tensor of TH with a copy of these elements."""
        kind = KINDS[elements.dtype]
        storage = self.function("THLongStorage_newWithSize", ctypes.c_void_p)(
            ctypes.c_ssize_t(elements.dim())
        )
        sizes = self.function("THLongStorage_data", ctypes.POINTER(ctypes.c_int64))(
            ctypes.c_void_p(storage)
        )
        for dimension, size in enumerate(elements.shape):
            sizes[dimension] = size
        at = self.function(f"TH{kind}Tensor_newWithSize", ctypes.c_void_p)(
            ctypes.c_void_p(storage), None
        )
        self.function("THLongStorage_free")(ctypes.c_void_p(storage))
        data = self.function(f"TH{kind}Tensor_data", ctypes.c_void_p)(ctypes.c_void_p(at))
        bytes_ = (ctypes.c_byte * (elements.numel() * elements.element_size())).from_address(data)
        view = torch.frombuffer(bytes_, dtype=elements.dtype).view(elements.shape)
        view.copy_(elements)
        self.tensors.append((kind, at))
        return Tensor(at, view)

    def zeros(self, *shape):
        return self.tensor(torch.zeros(*shape))

    def transposed(self, tensor):
        """A view of a matrix with its dimensions exchanged."""
        new = self.function("THFloatTensor_newTranspose", ctypes.c_void_p)
        at = new(ctypes.c_void_p(tensor.at), 0, 1)
        self.tensors.append(("Float", at))
        return Tensor(at, tensor.torch.t())

    def free(self):
        """Frees all tensors."""
        for kind, at in self.tensors:
            self.function(f"TH{kind}Tensor_free")(ctypes.c_void_p(at))
        self.tensors = []

"""save: tensors in the formats of the library, anything made of numbers, strings, lists, dictionaries and tensors as
PyTorch's .pt, a zip archive of a pickle and of the tensors' bytes, and other objects, such as modules, as Python's pickle."""

import collections as _collections
import os as _os
import pickle as _pickle
import struct as _struct
import zipfile as _zipfile

from .. import _C
from .._C import Tensor

_STORAGES = {_C.uint8: "Byte", _C.int8: "Char", _C.int16: "Short", _C.int32: "Int", _C.int64: "Long", _C.float16: "Half",
             _C.float32: "Float", _C.float64: "Double", _C.bool: "Bool", _C.bfloat16: "BFloat16", _C.complex64: "ComplexFloat",
             _C.complex128: "ComplexDouble"}


class _Other(TypeError):
    """An object that PyTorch's weights_only does not know."""


class _Pickle:
    """The opcodes of a pickle, of protocol 2."""

    def __init__(self):
        self.parts, self.storages, self.keys, self.inside = [b"\x80\x02"], [], {}, []

    def put(self, *parts):
        self.parts += parts

    def name(self, module, name):
        self.put(b"c%s\n%s\n" % (module.encode(), name.encode()))

    def tuple(self, *values):
        self.put(b"(")
        for value in values:
            self.value(value)
        self.put(b"t")

    def integer(self, value):
        size = value.bit_length() // 8 + 1
        if size > 255:
            raise ValueError("save(): an integer of %d bytes" % size)
        self.put(b"\x8a", bytes([size]), value.to_bytes(size, "little", signed=True))

    def items(self, value):
        self.put(b"}(")
        for key, item in value.items():
            self.value(key)
            self.value(item)
        self.put(b"u")

    def container(self, value):
        if any(one is value for one in self.inside):
            raise ValueError("save(): a %s contains itself" % type(value).__name__)
        self.inside.append(value)
        if isinstance(value, tuple):
            self.tuple(*value)
        elif isinstance(value, list):
            self.put(b"](")
            for item in value:
                self.value(item)
            self.put(b"e")
        elif isinstance(value, _collections.OrderedDict):
            self.name("collections", "OrderedDict")
            self.put(b")R(")
            for key, item in value.items():
                self.value(key)
                self.value(item)
            self.put(b"u")
        else:
            self.items(value)
        self.inside.pop()

    def tensor(self, t):
        if t.dtype not in _STORAGES:
            raise TypeError("save(): PyTorch's files have no %r here" % t.dtype)
        plain = t.detach().contiguous()
        memory = (plain.data_ptr(), plain.numel(), t.dtype)
        if memory not in self.keys:
            self.keys[memory] = len(self.storages)
            self.storages.append(plain)
        self.name("torch._utils", "_rebuild_tensor_v2")
        self.put(b"((")
        self.value("storage")
        self.name("torch", _STORAGES[t.dtype] + "Storage")
        for part in (str(self.keys[memory]), "cpu", plain.numel()):
            self.value(part)
        self.put(b"tQ")
        self.value(0)
        self.tuple(*plain.shape)
        self.tuple(*plain.stride())
        self.value(t.requires_grad and t.is_leaf)
        self.name("collections", "OrderedDict")
        self.put(b")RtR")

    def value(self, value):
        if value is None or isinstance(value, bool):
            self.put({None: b"N", True: b"\x88", False: b"\x89"}[value])
        elif isinstance(value, Tensor):
            self.tensor(value)
        elif isinstance(value, int):
            self.integer(value)
        elif isinstance(value, float):
            self.put(b"G", _struct.pack(">d", value))
        elif isinstance(value, str):
            text = value.encode("utf-8", "surrogatepass")
            self.put(b"X", _struct.pack("<I", len(text)), text)
        elif isinstance(value, (list, tuple, dict)):
            self.container(value)
        else:
            raise _Other(type(value).__name__)


def _bytes(t):
    return bytes(t.reshape([-1]).__reduce__()[1][2])


def _is_flat(obj):
    return isinstance(obj, Tensor) or type(obj) is dict and all(isinstance(k, str) and isinstance(v, Tensor) for k, v in obj.items())


def _write(pickle, file, mode):
    if isinstance(pickle, bytes):
        if hasattr(file, "write"):
            file.write(pickle)
            return
        with open(file, mode + "b") as opened:
            opened.write(pickle)
        return
    with _zipfile.ZipFile(file, mode) as archive:
        archive.writestr("archive/data.pkl", b"".join(pickle.parts))
        archive.writestr("archive/byteorder", "little")
        for key, t in enumerate(pickle.storages):
            archive.writestr("archive/data/%d" % key, _bytes(t))
        archive.writestr("archive/version", "3\n")


# The endings of the library's formats for tensors; all other files are PyTorch's.
_OTHERS = (".safetensors", ".npy", ".npz", ".t7")


def save(obj, f):
    """Writes obj in the format that the ending of f names: a tensor or a dictionary of tensors in .safetensors, .npy, .npz
    and .t7, elsewhere, also in a file that is open, anything made of tensors, numbers, strings, lists and dictionaries, in
    PyTorch's format, or of other objects, which only load() with weights_only=False reads.
    The file appears complete or not at all."""
    path = None if hasattr(f, "write") else _os.fsdecode(f)
    if path and (path.endswith(_OTHERS) or _is_flat(obj) and path.endswith((".pt", ".pth"))):
        return _C.save(obj, path)
    pickle = _Pickle()
    try:
        pickle.value(obj)
        pickle.put(b".")
    except _Other:
        pickle = _pickle.dumps(obj, 2)
    if not path:
        return _write(pickle, f, "w")
    temporary = "%s.%d.tmp" % (path, _os.getpid())
    try:
        _write(pickle, temporary, "x")
        _os.replace(temporary, path)
    except BaseException:
        if _os.path.exists(temporary):
            _os.unlink(temporary)
        raise
    return None


def _is_old(file):
    """Whether a file whose first 2 bytes have been read is of PyTorch before 1.6: a pickle of a number of 10 bytes comes first."""
    return file.read(2) == b"\x8a\n"


def _objects(file, weights_only):
    """The objects of a file of Python's pickle."""
    if weights_only:
        raise _pickle.UnpicklingError("load(): the file has objects of Python, whose code reading it calls: if you trust it, "
                                      "load with weights_only=False")
    return _pickle.load(file)


def load(f, skip=False, weights_only=True):
    """What is in a file, whose path or which, open, is given.  Only without weights_only are objects made that save() wrote as
    Python's pickle, which can run any code."""
    if not hasattr(f, "read"):
        with open(f, "rb") as file:
            if file.read(2) == b"\x80\x02" and not _is_old(file):
                file.seek(0)
                return _objects(file, weights_only)
        return _C.load(f, skip=skip)
    if hasattr(f, "seek"):
        at = f.tell()
        is_pickle = f.read(2) == b"\x80\x02" and not _is_old(f)
        f.seek(at)
        if is_pickle:
            return _objects(f, weights_only)
    import tempfile

    with tempfile.NamedTemporaryFile(suffix=".pt") as copy:
        while block := f.read(1 << 20):
            copy.write(block)
        copy.flush()
        return _C.load(copy.name, skip=skip)

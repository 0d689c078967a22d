"""Checkpoints in PyTorch's format: a zip archive of a pickle and of the memory of its tensors.

What a stranger's file may make is tensors and Python's own containers; everything else is refused."""

import codecs as _codecs
import collections as _collections
import io as _io
import pickle as _pickle
import zipfile as _zipfile

from .. import _C
from .._C import Tensor
from . import tensor as _tensor

_DTYPES = {"Byte": _C.uint8, "Char": _C.int8, "Short": _C.int16, "Int": _C.int32, "Long": _C.int64, "Half": _C.float16,
           "Float": _C.float32, "Double": _C.float64, "Bool": _C.bool, "BFloat16": _C.bfloat16,
           "ComplexFloat": _C.complex64, "ComplexDouble": _C.complex128}
_STORAGES = {dtype: name + "Storage" for name, dtype in _DTYPES.items()}


class Refused(_pickle.UnpicklingError):
    """What is no archive of PyTorch, or has what is no tensor and no container of Python: then is_final is true."""

    is_final = False


class _Name(str):
    """A name in a pickle, such as "torch float32"."""

    def __call__(self):  # pickle calls nothing, but what it reduces to has to look callable
        raise NotImplementedError


class _Memory:
    """A storage in a pickle."""

    def __init__(self, *facts):
        self.facts = ("storage", *facts)


# --- writing ------------------------------------------------------------------------------------------------


class _Pickler(_pickle._Pickler):
    """Writes tensors under PyTorch's names, and collects their memory."""

    dispatch = _pickle._Pickler.dispatch.copy()

    def __init__(self, file):
        super().__init__(file, 2)
        self.storages, self.keys = [], {}

    def persistent_id(self, obj):
        return obj.facts if isinstance(obj, _Memory) else None

    def reducer_override(self, obj):
        if isinstance(obj, Tensor):
            return self.tensor(obj)
        if isinstance(obj, _C.dtype):
            return _Name(repr(obj).replace(".", " ")), ()
        if isinstance(obj, _tensor.device):
            return _Name("torch device"), (str(obj),)
        return (_Name("torch Size"), (tuple(obj),)) if isinstance(obj, _tensor.Size) else NotImplemented

    def save_reduce(self, func, args, *more, obj=None, **others):
        if type(func) is _Name and not args and " device" not in func:
            self.name(func)  # a dtype is its name
            self.memoize(obj)
            return
        super().save_reduce(func, args, *more, obj=obj, **others)

    def name(self, obj):
        self.write(b"c" + "\n".join([*obj.split(" "), ""]).encode())

    dispatch[_Name] = name

    def tensor(self, t):
        if t.dtype not in _STORAGES:
            raise TypeError("save(): PyTorch's files have no %r here" % t.dtype)
        plain, count = t.detach(), t._storage_size()
        whole = _C.as_strided(plain, [count], [1], storage_offset=0)
        memory = (whole.data_ptr(), count, t.dtype)
        if memory not in self.keys or not count:
            self.keys[memory] = len(self.storages)
            self.storages.append(whole)
        storage = _Memory(_Name("torch " + _STORAGES[t.dtype]), str(self.keys[memory]), "cpu", count)
        is_parameter = type(t).__name__ == "Parameter"
        wanted = t.requires_grad and t.is_leaf and not is_parameter
        made = (_Name("torch._utils _rebuild_tensor_v2"), (storage, plain.storage_offset(), tuple(plain.shape),
                                                           tuple(plain.stride()), wanted, _collections.OrderedDict()))
        if not is_parameter:
            return made
        return _Name("torch._utils _rebuild_parameter"), (plain, t.requires_grad, _collections.OrderedDict())


def _bytes(t):
    return memoryview(t.view(_C.uint8)) if t.numel() else b""


def write(obj, file):
    """Writes obj as an archive to a file that is open."""
    pickle = _io.BytesIO()
    pickler = _Pickler(pickle)
    pickler.dump(obj)
    with _zipfile.ZipFile(file, "w") as archive:
        archive.writestr("archive/data.pkl", pickle.getvalue())
        archive.writestr("archive/byteorder", "little")
        for key, t in enumerate(pickler.storages):
            with archive.open("archive/data/%d" % key, "w", force_zip64=t.nbytes > 1 << 30) as member:
                member.write(_bytes(t))
        archive.writestr("archive/version", "3\n")


# --- reading ------------------------------------------------------------------------------------------------


def _tensor_of(storage, offset, sizes, strides, wanted, hooks=None, metadata=None):
    if not isinstance(storage, Tensor):
        raise Refused("load(): a tensor without memory")
    last = offset + sum((n - 1) * s for n, s in zip(sizes, strides))
    if 0 not in sizes and not 0 <= last < storage.numel():
        raise Refused("load(): a tensor of %s is not inside of its memory" % (tuple(sizes),))
    made = _C.as_strided(storage, list(sizes), list(strides), storage_offset=offset)
    return made.requires_grad_() if wanted else made


def _parameter_of(data, wanted, hooks=None):
    from ..nn import Parameter

    return Parameter(data, bool(wanted))


def _encoded(text, encoding="latin1"):
    if encoding != "latin1":
        raise Refused("load(): bytes in %r" % (encoding,))
    return _codecs.encode(text, "latin1")


def _set_of(items=()):
    return set(list(items))


_KNOWN = {("torch._utils", "_rebuild_tensor_v2"): _tensor_of, ("torch._utils", "_rebuild_parameter"): _parameter_of,
          ("collections", "OrderedDict"): _collections.OrderedDict, ("collections", "Counter"): _collections.Counter,
          ("_codecs", "encode"): _encoded, ("__builtin__", "set"): _set_of, ("builtins", "set"): _set_of,
          ("__builtin__", "complex"): complex, ("builtins", "complex"): complex, ("torch", "device"): _tensor.device,
          ("torch", "Size"): _tensor.Size}
_KNOWN.update({("torch", name): dtype for dtype, name in _STORAGES.items()})
_KNOWN.update({tuple(repr(dtype).split(".")): dtype for dtype in _DTYPES.values()})


class _Archive:
    """The members of an archive, and the tensors that its memory has become."""

    def __init__(self, archive):
        self.archive, self.made = archive, {}
        names = [n for n in archive.namelist() if n.endswith("/data.pkl") and n.count("/") == 1]
        if len(names) != 1:
            raise Refused("load(): no archive of PyTorch")
        self.prefix = names[0][:-len("data.pkl")]
        if self.prefix + "byteorder" in archive.namelist() and archive.read(self.prefix + "byteorder") != b"little":
            raise Refused("load(): the bytes of numbers are in another order")

    def pickle(self):
        if self.archive.getinfo(self.prefix + "data.pkl").compress_type:
            raise Refused("load(): a deflated archive")
        return _io.BytesIO(self.archive.read(self.prefix + "data.pkl"))

    def memory(self, kind, dtype, key, location, count):
        if kind != "storage" or not isinstance(dtype, _C.dtype):
            raise Refused("load(): memory of %s" % (dtype,))
        if (key, dtype) not in self.made:
            info = self.archive.getinfo("%sdata/%s" % (self.prefix, key))
            if info.compress_type or info.file_size < count * dtype.itemsize:
                raise Refused("load(): memory %s has %d bytes for %d elements" % (key, info.file_size, count))
            t = self.made[key, dtype] = _C.empty([count], dtype=dtype)
            with self.archive.open(info) as member:
                if member.readinto(_bytes(t)) != t.nbytes if count else False:
                    raise Refused("load(): memory %s ends early" % key)
        return self.made[key, dtype]


class _Unpickler(_pickle._Unpickler):
    """Makes what _KNOWN has; other classes are refused."""

    dispatch = _pickle._Unpickler.dispatch.copy()

    def find_class(self, module, name):
        if (module, name) not in _KNOWN:
            self.refused("%s.%s" % (module, name))
        return _KNOWN[module, name]

    def refused(self, what="an object"):
        error = Refused("load(): the file has %s, whose code reading it would call: if you trust it, load with "
                        "weights_only=False" % what)
        error.is_final = True
        raise error

    for _opcode in (_pickle.INST, _pickle.OBJ, _pickle.NEWOBJ, _pickle.NEWOBJ_EX, _pickle.EXT1, _pickle.EXT2, _pickle.EXT4):
        dispatch[_opcode[0]] = refused

    def build(self):
        if type(self.stack[-2]) is not _collections.OrderedDict or not isinstance(self.stack[-1], dict):
            self.refused()
        state = self.stack.pop()
        self.stack[-1].__dict__.update(state)

    dispatch[_pickle.BUILD[0]] = build


class _Trusting(_pickle.Unpickler):
    """Makes whatever the file has; what is PyTorch's there is ours."""

    def find_class(self, module, name):
        if (module, name) in _KNOWN:
            return _KNOWN[module, name]
        if module.split(".")[0] == "torch":
            module = "thaten" + module[5:]
        return super().find_class(module, name)


def read(file, weights_only):
    """What is in an archive that is open; the error Refused for what is none, or has what may not be made."""
    try:
        with _zipfile.ZipFile(file) as opened:
            archive = _Archive(opened)
            unpickler = (_Unpickler if weights_only else _Trusting)(archive.pickle())
            unpickler.persistent_load = lambda facts: archive.memory(*facts)
            return unpickler.load()
    except Refused:
        raise
    except Exception as error:  # a pickle of a stranger may end in any
        raise Refused("load(): %s" % error) from error

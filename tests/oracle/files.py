"""Files of tensors, in both directions.

usage: files.py make            writes the files in tests/golden/files with NumPy, PyTorch and safetensors
       files.py check LIBRARY   loads with them what libATen.so writes, the other way round, and DLPack

`make` was run with the newest PyTorch, and with 1.13 for the files named after it. In every file, element i of
a tensor, in row-major order, is n = 7 i mod 23 for Byte, i mod 3 == 0 for Bool, (n - 11) / 4 for floating types, and
n - 11 for the others. tests/ATen/files/files.c knows the rest: names and shapes.
"""

import collections
import ctypes
import gc
import os
import struct
import sys
import tempfile

import numpy as np
import torch

try:
    import safetensors.torch
except ImportError:
    safetensors = None

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../golden/files")
TYPES = collections.OrderedDict(  # in the order of at_scalar_type
    Byte=torch.uint8, Char=torch.int8, Short=torch.int16, Int=torch.int32, Long=torch.int64, Float=torch.float32,
    Double=torch.float64, Half=torch.float16, Bool=torch.bool, BFloat16=torch.bfloat16)
NUMPY = {"Byte": "u1", "Char": "i1", "Short": "<i2", "Int": "<i4", "Long": "<i8", "Float": "<f4", "Double": "<f8",
         "Half": "<f2", "Bool": "?"}


def values(name, shape):
    count = int(np.prod(shape, dtype=int))
    n = 7 * torch.arange(count) % 23
    if name == "Bool":
        t = torch.arange(count) % 3 == 0
    elif name == "Byte":
        t = n
    elif TYPES[name].is_floating_point:
        t = (n - 11) / 4
    else:
        t = n - 11
    return t.to(TYPES[name]).reshape(shape)


def every(types=TYPES):
    """One tensor of each type, one without dimensions, one without elements."""
    named = collections.OrderedDict((name, values(name, (2, 3))) for name in types)
    named["scalar"] = values("Float", ())
    named["empty"] = values("Float", (0, 3))
    return named


# --- t7: written from the description of the format, since there is no Torch here --------------------------


class T7:
    """A writer of Torch's objects, in binary or as text."""

    def __init__(self, text):
        self.text, self.out, self.number = text, b"", 0

    def put(self, kind, *numbers):
        if self.text:
            words = ["%d" % n if kind in "iq" else "%.17g" % n for n in numbers]
            self.out += " ".join(words).encode() + b"\n"
        else:
            self.out += struct.pack("<%d%s" % (len(numbers), kind), *numbers)

    def string(self, s):
        self.put("i", len(s))
        self.out += s.encode() + (b"\n" if self.text else b"")

    def numbered(self, kind):
        self.number += 1
        self.put("i", kind)
        self.put("i", self.number)
        return self.number

    def head(self, name):
        number = self.numbered(4)
        self.string("V 1")
        self.string(name)
        return number

    def value(self, v):
        if v is None:
            self.put("i", 0)
        elif isinstance(v, bool):
            self.put("i", 5)
            self.put("i", v)
        elif isinstance(v, (int, float)):
            self.put("i", 1)
            self.put("d", v)
        elif isinstance(v, str):
            self.put("i", 2)
            self.string(v)
        elif isinstance(v, dict):
            self.numbered(3)
            self.put("i", len(v))
            for key, item in v.items():
                self.value(key)
                self.value(item)
        elif isinstance(v, tuple):  # an object: its class and fields
            self.head(v[0])
            self.value(v[1])
        else:
            self.tensor(*v) if isinstance(v, list) else self.tensor(v)

    def tensor(self, t, storage=None, stride=None, offset=0, known=None):
        name = {v: k for k, v in TYPES.items()}[t.dtype]
        self.head("torch.%sTensor" % name)
        self.put("i", t.dim() if t.numel() else 0)
        if t.numel():
            self.put("q", *t.shape)
            self.put("q", *(stride or t.contiguous().stride()))
        self.put("q", offset + 1)
        if known is not None:
            self.put("i", 4)
            self.put("i", known)
            return
        s = (storage if storage is not None else t).reshape(-1)
        self.last = self.head("torch.%sStorage" % name)
        self.put("q", len(s))
        if self.text and not len(s):
            pass  # no line end either
        elif self.text and name in ("Byte", "Char"):
            self.out += s.numpy().tobytes() + b"\n"
        elif self.text:
            words = ["%.9g" % x if s.is_floating_point() else "%d" % x for x in s.tolist()]
            self.out += " ".join(words).encode() + b"\n"
        else:
            self.out += s.numpy().tobytes()


CLASSIC = ["Byte", "Char", "Short", "Int", "Long", "Float", "Double"]


def write_t7(path, v, text=False):
    writer = T7(text)
    writer.value(v)
    with open(path, "wb") as f:
        f.write(writer.out)


# --- make -------------------------------------------------------------------------------------------------


class Runs:
    def __reduce__(self):
        return os.system, ("touch /tmp/a-pickle-was-run",)


def nested():
    model = torch.nn.Sequential(torch.nn.Linear(3, 2), torch.nn.BatchNorm1d(2))
    for p in model.state_dict().values():
        p.copy_(values("Long" if p.dtype == torch.int64 else "Float", p.shape))
    wide = values("Double", (4, 6))
    return {"model": model.state_dict(), "parameter": torch.nn.Parameter(values("Float", (2, 2))),
            "epoch": 3, "name": "a net", "nothing": None, "rate": 0.5, "huge": 1 << 80, "yes": True,
            "list": [values("Int", (3,)), (1, values("Half", (2,)))], 7: values("Char", (1,)),
            "rows": wide[1:3], "column": wide[:, 2], "wide": wide, "set": {1, 2}, "shape": torch.Size([2, 3]),
            "type": torch.float32, "default": collections.defaultdict(list, a=values("Short", (2,))), "bytes": b"abc"}


def checkpoint():
    """What training leaves: numbers, texts, an optimizer's state, keys of all kinds, and tensors that are not here."""
    model = torch.nn.Linear(3, 2)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.125, betas=(0.5, 0.75))
    model(torch.ones(1, 3)).sum().backward()
    optimizer.step()
    state = optimizer.state_dict()
    for s in state["state"].values():
        for key in "exp_avg", "exp_avg_sq":
            s[key].copy_(values("Float", s[key].shape))
    one = values("Int", (2,))
    return {"epoch": 3, "best": 0.75, "name": "caf\u00e9", "nothing": None, "flag": True, "large": 1 << 40,
            "negative": -5, "bytes": b"a\0b", "optimizer": state,
            "keys": {True: one, None: one, ("conv", 1): one, 2.5: one, b"raw": one, (1, (2, 3)): one},
            "u16": torch.zeros((2, 3), dtype=torch.uint16), "c32": torch.zeros(2, dtype=torch.complex32),
            "f8": torch.zeros(4, dtype=torch.float8_e5m2), "sparse": torch.eye(2).to_sparse(),
            "device": torch.device("cpu"), "dtype": torch.float16, "last": values("Double", (2, 2))}


COMPLEX = [("ComplexFloat", torch.complex64), ("ComplexDouble", torch.complex128)]
UNSIGNED = [("UInt16", torch.uint16), ("UInt32", torch.uint32), ("UInt64", torch.uint64)]


def further(types):
    """Complex numbers k/4 - k/2 i and the largest integers less k, k from 0 on; those for tests/ATen/files/further.c."""
    k = torch.arange(6, dtype=torch.float64).reshape(2, 3)
    pairs = torch.complex(k / 4, -k / 2)
    last = -1 - torch.arange(6).reshape(2, 3)
    return {name: pairs.to(t) if t.is_complex else last.to(t) for name, t in types}


def make_contents(path):
    """Files for tests/ATen/files/contents.c."""
    torch.save(checkpoint(), path("checkpoint.pt"))
    torch.save(checkpoint(), path("checkpoint-legacy.pt"), _use_new_zipfile_serialization=False)
    module = torch.nn.Linear(3, 2)
    for p in module.parameters():
        p.data.copy_(values("Float", p.shape))
    torch.save(module, path("module.pt"))
    torch.jit.script(module).save(path("script.pt"))
    np.savez(path("mixed.npz"), a=values("Float", (2, 3)).numpy(), z=np.zeros((2, 4), np.longdouble),
             text=np.array(["ab", "c"]), b=values("Int", (4,)).numpy())


def make():
    os.makedirs(FOLDER, exist_ok=True)
    path = lambda name: os.path.join(FOLDER, name)
    version = ".".join(torch.__version__.split(".")[:2])
    torch.save(every(), path("torch-%s.pt" % version))
    torch.save(every(), path("torch-%s-legacy.pt" % version), _use_new_zipfile_serialization=False)
    torch.save(nested(), path("nested-%s.pt" % version), pickle_protocol=4)
    torch.save(nested(), path("nested-%s-legacy.pt" % version), _use_new_zipfile_serialization=False)
    if version == "1.13":
        return
    torch.serialization.set_crc32_options(False)
    torch.save(values("Float", (2, 3)), path("bare.pt"))
    torch.serialization.set_crc32_options(True)
    make_contents(path)
    torch.save(further(COMPLEX), path("complex.pt"))
    torch.save(further(UNSIGNED), path("unsigned.pt"))
    torch.save(further(UNSIGNED), path("unsigned-legacy.pt"), _use_new_zipfile_serialization=False)
    torch.save({"z": torch.zeros(2, dtype=torch.float8_e5m2)}, path("float8.pt"))
    torch.save({"z": Runs()}, path("runs.pt"))
    torch.save({"z": torch.eye(2).to_sparse()}, path("sparse.pt"))
    for name in NUMPY:
        np.save(path("%s.npy" % name), values(name, (2, 3)).numpy())
    np.save(path("big.npy"), values("Float", (2, 3)).numpy().astype(">f4"))
    np.save(path("columns.npy"), np.asfortranarray(values("Double", (2, 3, 2)).numpy()))
    np.save(path("scalar.npy"), values("Float", ()).numpy())
    np.save(path("empty.npy"), values("Float", (0, 3)).numpy())
    with open(path("version2.npy"), "wb") as f:
        np.lib.format.write_array(f, values("Int", (4,)).numpy(), version=(2, 0))
    np.savez(path("further.npz"), **{name: t.numpy() for name, t in further(COMPLEX + UNSIGNED).items()})
    np.save(path("complex.npy"), further(COMPLEX[1:])["ComplexDouble"].numpy().astype(">c16"))
    np.save(path("longdouble.npy"), np.zeros(2, np.longdouble))
    np.save(path("records.npy"), np.zeros(2, [("a", "i4"), ("b", "f4")]))
    arrays = {name: t.numpy() for name, t in every(NUMPY).items()}
    np.savez(path("stored.npz"), **arrays)
    np.savez_compressed(path("deflated.npz"), **arrays)
    safetensors.torch.save_file(every(), path("all.safetensors"), metadata={"a": "b"})
    safetensors.torch.save_file(further(COMPLEX[:1] + UNSIGNED), path("further.safetensors"))
    safetensors.torch.save_file({"z": torch.zeros(2, dtype=torch.float8_e4m3fn)}, path("float8.safetensors"))
    for text in False, True:
        named = every(CLASSIC)
        named["scalar"] = named["scalar"].reshape(1)
        named["empty"] = named["empty"].reshape(0)
        write_t7(path("all%s.t7" % ("-text" if text else "")), dict(named), text)
    wide = values("Double", (4, 6))
    net = ("nn.Sequential", {"modules": {1: ("nn.Linear", {"weight": values("Float", (2, 3)), "train": True,
                                                           "bias": values("Float", (2,)), "name": "fc"}),
                                         2: ("nn.Empty", {}), 2.5: values("Int", (2,))},
                             "none": None, "part": [wide[1:3], wide, (6, 1), 6]})
    write_t7(path("net.t7"), net)
    write_t7(path("bare.t7"), values("Float", (2, 3)))


# --- check ------------------------------------------------------------------------------------------------


class Ints(ctypes.Structure):
    _fields_ = [("data", ctypes.POINTER(ctypes.c_int64)), ("count", ctypes.c_int)]


def library(path):
    at = ctypes.CDLL(path)
    pointers = "at_load at_dict_new at_dict_get at_dict_at at_load_npy at_toDLPack at_toDLPackVersioned " \
               "at_fromDLPack at_fromDLPackVersioned at_data"
    for name in pointers.split():
        getattr(at, name).restype = ctypes.c_void_p
    for name in "at_dict_name at_error_message".split():
        getattr(at, name).restype = ctypes.c_char_p
    for name in "at_save at_save_npy at_dict_set".split():
        getattr(at, name).restype = ctypes.c_bool
    for name in "at_dict_count at_numel".split():
        getattr(at, name).restype = ctypes.c_int64
    for name in "at_toDLPack at_toDLPackVersioned at_fromDLPack at_fromDLPackVersioned at_dict_count at_dict_free " \
                "at_release at_load at_load_npy at_data at_numel".split():
        getattr(at, name).argtypes = [ctypes.c_char_p if "load" in name else ctypes.c_void_p]
    at.at_dict_name.argtypes = at.at_dict_at.argtypes = [ctypes.c_void_p, ctypes.c_int64]
    at.at_dict_set.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    at.at_save.argtypes = at.at_save_npy.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
    return at


capsule_new = ctypes.pythonapi.PyCapsule_New
capsule_new.restype, capsule_new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
capsule_pointer = ctypes.pythonapi.PyCapsule_GetPointer
capsule_pointer.restype, capsule_pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
capsule_rename = ctypes.pythonapi.PyCapsule_SetName
capsule_rename.argtypes = [ctypes.py_object, ctypes.c_char_p]


class Handed:
    """What torch.from_dlpack and np.from_dlpack take, around a tensor of ATen's."""

    def __init__(self, at, t, versioned):
        self.at, self.t, self.versioned = at, t, versioned

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, stream=None, max_version=None, dl_device=None, copy=None):
        if self.versioned:
            return capsule_new(self.at.at_toDLPackVersioned(self.t), b"dltensor_versioned", None)
        return capsule_new(self.at.at_toDLPack(self.t), b"dltensor", None)


def to_at(at, array, versioned):
    """A tensor of ATen's on the memory of a NumPy array or PyTorch tensor."""
    if versioned:
        capsule, name, take = array.__dlpack__(max_version=(1, 0)), b"dltensor_versioned", at.at_fromDLPackVersioned
    else:
        capsule, name, take = array.__dlpack__(), b"dltensor", at.at_fromDLPack
    t = take(capsule_pointer(capsule, name))
    if at.at_error():
        raise SystemExit(at.at_error_message())
    used = b"used_" + name
    capsule_rename(capsule, used)
    capsule.__class__  # the name has to outlive it
    KEPT.append(used)
    return t


KEPT = []
checks = 0


def check(condition, what):
    global checks
    checks += 1
    if not condition:
        raise SystemExit("files.py: " + what)


def same(a, b, what):
    check(a.dtype == b.dtype and a.shape == b.shape, "%s: %s %s, expected %s %s" % (what, a.dtype, a.shape, b.dtype, b.shape))
    check(torch.equal(a, b), "%s: %s, expected %s" % (what, a, b))


def check_dlpack(at):
    for name in TYPES:
        for versioned in False, True:
            for shape in (2, 3), (), (0, 3), (4, 1, 2):
                t = values(name, shape)
                mine = to_at(at, t, versioned)
                check(not t.numel() or at.at_data(mine) == t.data_ptr(), "from PyTorch copies")
                back = torch.from_dlpack(Handed(at, mine, versioned))
                same(back, values(name, shape), "through DLPack, %s" % name)
                check(not t.numel() or back.data_ptr() == t.data_ptr(), "to PyTorch copies")
                del t  # the memory lives on in back
                at.at_release(mine)
                gc.collect()
                same(back, values(name, shape), "through DLPack, kept, %s" % name)
    base = values("Float", (4, 6))
    for view in base.t(), base[1:, ::2], base[2], base.expand(2, 4, 6), base[:, 3]:
        mine = to_at(at, view, True)
        same(torch.from_dlpack(Handed(at, mine, True)), view, "view")
        at.at_release(mine)
    for versioned in False, True:
        array = np.arange(6, dtype=np.int32).reshape(2, 3)
        mine = to_at(at, array, versioned)
        back = np.from_dlpack(Handed(at, mine, versioned))
        check(back.ctypes.data == array.ctypes.data and (back == array).all(), "NumPy's memory")
        at.at_release(mine)
    frozen = np.zeros(2)
    frozen.flags.writeable = False
    capsule = frozen.__dlpack__(max_version=(1, 0))
    check(not at.at_numel(at.at_fromDLPackVersioned(capsule_pointer(capsule, b"dltensor_versioned"))) and at.at_error(),
          "read-only memory is taken")
    at.at_error_clear()
    with_negative = np.arange(4.0)[::-1]
    capsule = with_negative.__dlpack__(max_version=(1, 0))
    at.at_fromDLPackVersioned(capsule_pointer(capsule, b"dltensor_versioned"))
    check(at.at_error(), "negative strides are taken")
    at.at_error_clear()


def dict_of(at, named):
    d = at.at_dict_new()
    for name, t in named.items():
        mine = to_at(at, t, True)
        check(at.at_dict_set(d, name.encode(), mine), str(at.at_error_message()))
        at.at_release(mine)
    return d


def read_back(at, path):
    d = at.at_load(path.encode(), None)
    check(d, "%s: %s" % (path, at.at_error_message()))
    named = collections.OrderedDict()
    for i in range(at.at_dict_count(d)):
        named[at.at_dict_name(d, i).decode()] = torch.from_dlpack(Handed(at, at.at_dict_at(d, i), True))
    at.at_dict_free(d)
    return named


def check_set(got, wanted, what):
    check(sorted(got) == sorted(wanted), "%s: names %s" % (what, list(got)))
    for name in wanted:
        same(got[name], wanted[name], "%s, %s" % (what, name))


def check_files(at, folder):
    named = every()
    named["turned"] = values("Double", (3, 4)).t()
    named["part"] = values("Int", (4, 6))[1:3, 2:5]
    named["a \"name\" \\ with \u00e9\t\U0001f600"] = values("Float", (2, 1, 2, 1))
    numpy = collections.OrderedDict((k, v) for k, v in named.items() if k != "BFloat16")
    readers = {
        "x.pt": lambda p: torch.load(p, weights_only=True),
        "x.pth": lambda p: torch.load(p, mmap=True),
        "x.npz": lambda p: {k: torch.from_numpy(np.array(v)) for k, v in np.load(p).items()},
        "x.safetensors": safetensors.torch.load_file,
    }
    for name, reader in readers.items():
        path, wanted = os.path.join(folder, name), numpy if name == "x.npz" else named
        d = dict_of(at, wanted)
        check(at.at_save(path.encode(), d), str(at.at_error_message()))
        at.at_dict_free(d)
        check_set(reader(path), wanted, name)
        check_set(read_back(at, path), wanted, name + " here")
        d = at.at_dict_new()
        check(at.at_save(path.encode(), d) and len(reader(path)) == 0, name + " without tensors")
        at.at_dict_free(d)
    for name, t in numpy.items():
        path = os.path.join(folder, "x.npy")
        mine = to_at(at, t, True)
        check(at.at_save_npy(path.encode(), mine), str(at.at_error_message()))
        at.at_release(mine)
        array = np.load(path)
        same(torch.from_numpy(array.copy()), t, "npy, " + name)
        check(name != "turned" or array.flags.f_contiguous, "a transposed array is written by columns")
        same(read_back(at, path)[""], t, "npy here, " + name)
    # Views of one storage stay so.
    wide = values("Double", (8, 6))
    path = os.path.join(folder, "shared.pt")
    torch.save({"rows": wide[2:4], "column": wide[:, 5], "all": wide}, path)
    loaded = at.at_load(path.encode(), None)
    check(at.at_save(path.encode(), loaded), "shared")
    at.at_dict_free(loaded)
    again = torch.load(path, weights_only=True)
    check(len({t.untyped_storage().data_ptr() for t in again.values()}) == 1, "sharing is lost")
    same(again["column"], wide[:, 5], "column")
    check(os.path.getsize(path) < 8 * 48 + 3000, "a shared storage is there more than once")
    # More members than the plain archive counts.
    few = np.arange(3.0)
    mine = to_at(at, few, True)
    d = at.at_dict_new()
    for i in range(66000):
        at.at_dict_set(d, b"%d" % i, mine)
    path = os.path.join(folder, "many.npz")
    check(at.at_save(path.encode(), d), "many members")
    with np.load(path) as z:
        check(len(z.files) == 66000 and (z["65999"] == few).all(), "many members")
    check(len(read_back(at, path)) == 66000, "many members here")
    at.at_dict_free(d)
    at.at_release(mine)


def check_others(at, folder):
    """Files of this PyTorch and NumPy, larger than the committed ones."""
    torch.manual_seed(1)
    model = torch.nn.Transformer(32, 2, 1, 1, 64)
    optimizer = torch.optim.Adam(model.parameters())
    sum(p.sum() for p in model.parameters()).backward()
    optimizer.step()
    wanted = {"model." + k: v for k, v in model.state_dict().items()}
    for i, state in optimizer.state_dict()["state"].items():
        wanted.update(("optimizer.state.%d.%s" % (i, k), v) for k, v in state.items())
    checkpoint = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": 3}
    path = os.path.join(folder, "checkpoint.pt")
    for options in {}, {"_use_new_zipfile_serialization": False}, {"pickle_protocol": 3}, {"pickle_protocol": 5}:
        torch.save(checkpoint, path, **options)
        check_set(read_back(at, path), {k: v.detach() for k, v in wanted.items()}, "checkpoint %s" % options)


def main():
    if sys.argv[1:] == ["make"]:
        make()
    elif len(sys.argv) == 3 and sys.argv[1] == "check":
        at = library(sys.argv[2])
        with tempfile.TemporaryDirectory() as folder:
            check_dlpack(at)
            check_files(at, folder)
            check_others(at, folder)
        print("%d checks with PyTorch %s and NumPy %s" % (checks, torch.__version__, np.__version__))
    else:
        raise SystemExit(__doc__)


main()

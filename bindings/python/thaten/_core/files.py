"""save and load: tensors in the formats of the library, everything else in PyTorch's, by archive.py."""

import os as _os
import pickle as _pickle

from .. import _C
from . import archive as _archive

# The endings of the library's formats for tensors; all other files are PyTorch's.
_OTHERS = (".safetensors", ".npy", ".npz", ".t7")


def save(obj, f):
    """Writes obj in the format that the ending of f names: a tensor or a dictionary of tensors in .safetensors, .npy, .npz
    and .t7, elsewhere, also in a file that is open, anything that pickle can write, in PyTorch's format.
    The file appears complete or not at all."""
    if hasattr(f, "write"):
        return _archive.write(obj, f)
    path = _os.fsdecode(f)
    if path.endswith(_OTHERS):
        return _C.save(obj, path)
    temporary = "%s.%d.tmp" % (path, _os.getpid())
    try:
        with open(temporary, "xb") as file:
            _archive.write(obj, file)
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


def _read(file, path, skip, weights_only):
    begin = file.read(2)
    if begin == b"\x80\x02" and not _is_old(file):
        file.seek(0)
        return _objects(file, weights_only)
    if begin == b"PK" and not skip:
        file.seek(0)
        try:
            return _archive.read(file, weights_only)
        except _archive.Refused as error:
            if error.is_final:
                raise _pickle.UnpicklingError(str(error)) from None
    return _C.load(path, skip=skip)


def load(f, skip=False, weights_only=True):
    """What is in a file, whose path or which, open, is given.  Only without weights_only are objects of Python made, which can
    run any code; with skip they come as lists of their arguments, items and fields."""
    if not hasattr(f, "read"):
        with open(f, "rb") as file:
            return _read(file, f, skip, weights_only)
    import tempfile

    with tempfile.NamedTemporaryFile(suffix=".pt") as copy:
        while block := f.read(1 << 20):
            copy.write(block)
        copy.flush()
        copy.seek(0)
        return _read(copy, copy.name, skip, weights_only)

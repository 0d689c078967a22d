"""The memory of tensors, of which they are views."""

from . import _C


class TypedStorage:
    """The elements in the memory of a tensor, as a vector: storage[i] reads and storage[i] = x writes one."""

    def __init__(self, tensor):
        self._tensor = _C.as_strided(tensor.detach(), [tensor._storage_size()], [1], storage_offset=0)

    dtype = property(lambda self: self._tensor.dtype)
    device = property(lambda self: self._tensor.device)
    is_cuda = False

    def data_ptr(self):
        return self._tensor.data_ptr()

    def element_size(self):
        return self._tensor.itemsize

    def size(self):
        return self._tensor.numel()

    __len__ = size

    def nbytes(self):
        return self.size() * self.element_size()

    def tolist(self):
        return self._tensor.tolist()

    def __iter__(self):
        return iter(self.tolist())

    def __getitem__(self, index):
        if isinstance(index, slice):
            return TypedStorage(self._tensor[index].clone())
        return self._tensor[index].item()

    def __setitem__(self, index, value):
        self._tensor[index] = value

    def fill_(self, value):
        self._tensor.fill_(value)
        return self

    def copy_(self, source, non_blocking=None):
        self._tensor.copy_(source._tensor)
        return self

    def clone(self):
        return TypedStorage(self._tensor.clone())

    def untyped(self):
        return UntypedStorage(self._tensor)

    def __repr__(self):
        return "%s\n[%s.TypedStorage(dtype=%r, device=cpu) of size %d]" % (
            "\n".join(" %s" % x for x in self.tolist()), __name__.replace("thaten", "torch"), self.dtype, self.size())


class UntypedStorage(TypedStorage):
    """The bytes of that memory."""

    def __init__(self, tensor):
        TypedStorage.__init__(self, tensor)
        self._tensor = self._tensor.view(_C.uint8)

    def __getitem__(self, index):
        if isinstance(index, slice):
            return UntypedStorage(self._tensor[index].clone())
        return self._tensor[index].item()

    def clone(self):
        return UntypedStorage(self._tensor.clone())

    def untyped(self):
        return self

    def __repr__(self):
        return "%s\n[%s.UntypedStorage(device=cpu) of size %d]" % (
            "\n".join(" %d" % x for x in self.tolist()), __name__.replace("thaten", "torch"), self.size())

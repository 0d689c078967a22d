"""Names for annotations."""

import builtins as _builtins
import typing as _typing

from ._C import Tensor, dtype
from ._core.tensor import Size, device

Number = _typing.Union[int, float, bool]
Device = _typing.Optional[_typing.Union[device, str, int]]
FileLike = _typing.Union[str, "os.PathLike[str]", _typing.IO[bytes]]  # noqa: F821
Storage = Tensor
_TensorOrTensors = _typing.Union[Tensor, _typing.Sequence[Tensor]]
_size = _typing.Union[Size, _typing.List[int], _typing.Tuple[int, ...]]
_int, _float, _bool, _complex, _dtype, _device = _builtins.int, float, bool, complex, dtype, device

"""Linear algebra: linalg.solve is the operation linalg_solve."""

from . import _C

globals().update({name[len("linalg_"):]: getattr(_C, name) for name in dir(_C) if name.startswith("linalg_")})

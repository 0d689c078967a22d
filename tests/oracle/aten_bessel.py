"""Golden cases of src/ops/aten/bessel.ops: Bessel functions, gamma functions, orthogonal polynomials."""

import torch

from aten_today import FLOATING, Today

UNARY = {"special_erfcx": (-20, 200), "special_log_ndtr": (-200, 60), "special_ndtri": (1, 8), "special_bessel_j0": (-90, 90),
         "special_bessel_j1": (-90, 90), "special_bessel_y0": (0, 90), "special_bessel_y1": (0, 90),
         "special_spherical_bessel_j0": (-90, 90), "i0": (-90, 90), "special_i0e": (-300, 300), "special_i1": (-90, 90),
         "special_i1e": (-300, 300), "special_modified_bessel_k0": (0, 90), "special_modified_bessel_k1": (0, 90)}
OF_X = {"special_scaled_modified_bessel_k0": (0, 300), "special_scaled_modified_bessel_k1": (0, 300), "special_airy_ai": (-72, 72)}
POLYNOMIALS = ["chebyshev_polynomial_t", "chebyshev_polynomial_u", "chebyshev_polynomial_v", "chebyshev_polynomial_w",
               "shifted_chebyshev_polynomial_t", "shifted_chebyshev_polynomial_u", "shifted_chebyshev_polynomial_v",
               "shifted_chebyshev_polynomial_w", "hermite_polynomial_h", "hermite_polynomial_he", "laguerre_polynomial_l",
               "legendre_polynomial_p"]
ENDS = [float("nan"), 0.0, float("inf")]


def near(dtype):
    """PyTorch's own errors, of Float and of polynomials in eighths."""
    return {torch.float64: 2.0**-32, torch.float32: 2.0**-15}[dtype]


with Today("bessel", __file__) as c:
    r = c.random
    for names, argument in ((UNARY, "self"), (OF_X, "x")):
        for name, (low, high) in names.items():
            for dtype in FLOATING[:2]:
                # PyTorch's own are off by 2^-21, where SciPy agrees with ours
                within = 2.0**-19 if any(word in name for word in ("bessel_j", "bessel_y", "airy")) else near(dtype)
                c(name, **{argument: c.tensor((2, 5), dtype, low, high)}, within=within)
                odd = any(word in name for word in ("bessel_j", "bessel_y", "airy")) or name in ("i0", "special_i1")
                ends = ENDS[:2] if odd else ENDS  # PyTorch's have NaN at infinity
                c(name, **{argument: torch.tensor(ends, dtype=dtype)}, within=near(dtype))
            c(name, **{argument: c.tensor((3,), torch.int32, 1 if low == 0 else -4, 5)}, within=2.0**-15)
            c(name, **{argument: c.tensor((0, 2), torch.float64)})

    for name in ("igamma", "igammac"):
        for dtype in FLOATING[:2]:
            for low, high in ((1, 80), (160, 800)):
                c(name, self=c.tensor((4, 4), dtype, low, high), other=c.tensor((4, 4), dtype, low, high), within=max(near(dtype), 2.0**-28))
            c(name, self=torch.tensor([0.0, 1.0, -1.0, float("inf"), 2.0], dtype=dtype),
              other=torch.tensor([1.0, 0.0, 1.0, 1.0, float("inf")], dtype=dtype))
    for dtype in FLOATING[:2]:
        c("special_zeta", self=c.tensor((3, 4), dtype, 9, 60), other=c.tensor((4,), dtype, 1, 60), within=near(dtype))
        c("special_zeta", self=torch.tensor([2.0, 3.0, 2.5, 1.0, 0.5], dtype=dtype), other=torch.tensor([-1.5, -2.25, -1.5, 2.0, 2.0], dtype=dtype), within=near(dtype))
        c("special_zeta.scalar", self=c.tensor((4,), dtype, 9, 60), other=1.5, within=near(dtype))
        c("special_zeta.self_scalar", self=2.5, other=c.tensor((4,), dtype, 1, 60), within=near(dtype))
        for p in (1, 2, 5, 0):
            c("mvlgamma", self=c.tensor((2, 3), dtype, 20, 80), p=p, within=near(dtype))
        x = c.tensor((2, 3), dtype)
        c("frexp", self=x)
        c("frexp", self=torch.tensor([0.0, 1.0, -1.0, float("inf"), float("nan"), 1e-30, 1e30], dtype=dtype))
    c("mvlgamma", self=torch.tensor([2, 3]), p=2, within=2.0**-18)
    c("frexp", self=c.tensor((3,), torch.float16))
    for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
        for name in ("gcd", "lcm"):
            c(name, self=c.tensor((3, 4), dtype, -11, 12), other=c.tensor((4,), dtype, -11, 12))
    c("gcd", self=torch.tensor([2**40 * 9, 0, 0]), other=torch.tensor([2**38 * 15, 7, 0]))

    for name in POLYNOMIALS:
        row = "special_" + name
        for dtype in FLOATING[:2]:
            for low, high in ((-8, 9), (9, 20)):
                c(row, x=c.tensor((3, 1), dtype, low, high), n=torch.arange(-1, 7, dtype=dtype), within=near(dtype))
            c(row, x=c.tensor((4,), dtype, -7, 8), n=torch.tensor([9.0, 12.0, 15.5, 20.0], dtype=dtype), within=64 * near(dtype))
            c(row + ".scalar", x=c.tensor((4,), dtype, -7, 8), n=3, within=near(dtype))
            c(row + ".x_scalar", x=0.25, n=torch.arange(5, dtype=dtype), within=near(dtype))

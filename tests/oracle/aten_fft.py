#!/usr/bin/env python3
"""Writes tests/golden/aten/fft.txt: Fourier transforms of lengths of every kind, of several dimensions, and of frames."""

import torch

from aten_cases import COMPLEX, Default, Double, Ints, Text, Writer

REALS = [torch.float32, torch.float64]
# Relative to the larger of 1 and the value; sums of a few hundred terms are larger than each.
WITHIN = {torch.float32: 4e-5, torch.float64: 1e-13, torch.complex64: 4e-5, torch.complex128: 1e-13}
# Powers of 2, each small radix, mixed ones, primes above them (convolutions), products with such.
LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 16, 17, 23, 30, 34, 49, 60, 97, 121, 128, 143]


def given(value):
    return Default if value is None else value


def words(norm):
    return Default if norm is None else Text(norm)


def primitives(out):
    for dtype, real in zip(COMPLEX, REALS):
        for n in LENGTHS:
            x, r, h = out.tensor((n,), dtype), out.tensor((3, n), real), out.tensor((2, n // 2 + 1), dtype)
            out.case("_fft_c2c", [x, Ints(0), 0, n % 2 == 0], lambda: torch._fft_c2c(x, [0], 0, n % 2 == 0), within=WITHIN[dtype])
            out.case("_fft_r2c", [r, Ints(1), 0, n % 3 > 0], lambda: torch._fft_r2c(r, [1], 0, n % 3 > 0), within=WITHIN[dtype])
            out.case("_fft_c2r", [h, Ints(1), 2, n], lambda: torch._fft_c2r(h, [1], 2, n), within=WITHIN[dtype])
        x = out.tensor((4, 3, 5, 6), dtype)
        for dim in [(0,), (1,), (3, 0), (0, 1, 2, 3)]:
            for norm in range(3):
                out.case("_fft_c2c", [x, Ints(*dim), norm, False], lambda: torch._fft_c2c(x, dim, norm, False), within=WITHIN[dtype])
                out.case("_fft_r2c", [x.real.contiguous(), Ints(*dim), norm, True], lambda: torch._fft_r2c(x.real.contiguous(), dim, norm, True), within=WITHIN[dtype])
                size = 2 * x.shape[dim[-1]] - 1 - norm % 2
                out.case("_fft_c2r", [x, Ints(*dim), norm, size], lambda: torch._fft_c2r(x, dim, norm, size), within=WITHIN[dtype])
        many = out.tensor((40, 12), dtype)
        out.case("_fft_c2c", [many, Ints(1), 1, True], lambda: torch._fft_c2c(many, [1], 1, True), within=WITHIN[dtype])
        out.case("_fft_c2c", [many, Ints(0), 1, True], lambda: torch._fft_c2c(many, [0], 1, True), within=WITHIN[dtype])
        result = torch.zeros_like(many)
        out.case("_fft_c2c_out", [result, many, Ints(0), 0, True], lambda: torch._fft_c2c(many, [0], 0, True), within=WITHIN[dtype])
        spectrum = torch.zeros(40, 7, dtype=dtype)
        out.case("_fft_r2c_out", [spectrum, many.real.contiguous(), Ints(1), 0, True], lambda: torch._fft_r2c(many.real, [1], 0, True), within=WITHIN[dtype])
        back = torch.zeros(40, 22, dtype=real)
        out.case("_fft_c2r_out", [back, many, Ints(1), 0, 22], lambda: torch._fft_c2r(many, [1], 0, 22), within=WITHIN[dtype])
        out.case("_fft_c2c", [many.real.contiguous(), Ints(0), 0, True], lambda: torch._fft_c2c(many.real, [0], 0, True))
        out.case("_fft_r2c", [many, Ints(0), 0, True], lambda: torch._fft_r2c(many, [0], 0, True))


def named(out):
    for dtype, real in zip(COMPLEX, REALS):
        x, r = out.tensor((3, 6), dtype), out.tensor((3, 6), real)
        for name, operand in [("fft", x), ("fft", r), ("ifft", x), ("ifft", r), ("rfft", r), ("irfft", x), ("irfft", r),
                              ("hfft", x), ("ihfft", r)]:
            call = getattr(torch.fft, name)
            for n, dim, norm in [(None, -1, None), (4, 0, "ortho"), (9, 1, "forward"), (5, -1, "backward")]:
                out.case("fft_" + name, [operand, given(n), dim, words(norm)],
                         lambda: call(operand, n, dim, norm).resolve_conj(), within=WITHIN[dtype])
        y, s = out.tensor((2, 4, 5), dtype), out.tensor((2, 4, 5), real)
        for name, operand in [("fft", y), ("ifft", y), ("rfft", s), ("irfft", y), ("fft", s)]:
            call, over = getattr(torch.fft, name + "2"), getattr(torch.fft, name + "n")
            out.case("fft_%s2" % name, [operand, Default, Default, Default], lambda: call(operand), within=WITHIN[dtype])
            out.case("fft_%s2" % name, [operand, Ints(3, 6), Ints(0, 1), Text("ortho")],
                     lambda: call(operand, (3, 6), (0, 1), "ortho"), within=WITHIN[dtype])
            out.case("fft_%sn" % name, [operand, Default, Default, Default], lambda: over(operand), within=WITHIN[dtype])
            out.case("fft_%sn" % name, [operand, Ints(3, 4), Default, Default], lambda: over(operand, (3, 4)), within=WITHIN[dtype])
            out.case("fft_%sn" % name, [operand, Default, Ints(2, 0), Default], lambda: over(operand, dim=(2, 0)), within=WITHIN[dtype])
        for name in ["fftshift", "ifftshift"]:
            call = getattr(torch.fft, name)
            out.case("fft_" + name, [y, Default], lambda: call(y))
            out.case("fft_" + name, [s, Ints(1, -1)], lambda: call(s, (1, -1)))
        out.case("fft_rfft", [x, Default, Default, Default], lambda: torch.fft.rfft(x))
        out.case("fft_fft", [x, 0, Default, Default], lambda: torch.fft.fft(x, 0))
        out.case("fft_fft", [x, Default, 2, Default], lambda: torch.fft.fft(x, None, 2))
        out.case("fft_fft", [x, Default, -1, Text("some")], lambda: torch.fft.fft(x, None, -1, "some"))
    i = out.tensor((5,), torch.int32)
    out.case("fft_fft", [i, Default, Default, Default], lambda: torch.fft.fft(i), within=4e-5)
    for n in [1, 5, 8]:
        out.case("fft_fftfreq", [n, Double(0.5), Default], lambda: torch.fft.fftfreq(n, 0.5))
        out.case("fft_rfftfreq", [n, Double(0.5), torch.float64], lambda: torch.fft.rfftfreq(n, 0.5, dtype=torch.float64))


def frames(out):
    for dtype, real in zip(COMPLEX, REALS):
        signal, batch = out.tensor((40,), real), out.tensor((2, 33), real)
        window = torch.hann_window(8, dtype=real) + 0.1
        for x, n, hop, length, w, center, mode, normalized, onesided in [
                (signal, 8, None, None, None, True, "reflect", False, True),
                (batch, 8, 3, 8, window, True, "constant", True, True),
                (batch, 12, 4, 8, window, False, "reflect", False, False),
                (signal, 9, 2, 5, None, True, "reflect", False, True)]:
            pairs = [x, n, given(hop), given(length), given(w), center, Text(mode), normalized, onesided]
            call = lambda complex: torch.stft(x, n, hop, length, w, center, mode, normalized, onesided, return_complex=complex)
            out.case("stft.center", pairs + [Default], lambda: call(True), within=WITHIN[dtype])
            out.case("stft.center", pairs + [False], lambda: call(False), within=WITHIN[dtype])
            if not center:
                out.case("_stft_frames", pairs[:5] + pairs[7:] + [Default], lambda: call(True), within=WITHIN[dtype])
        for n, hop, length, w, center, normalized, size in [(8, 2, 8, window, True, False, None), (8, 4, None, None, False, True, None),
                                                          (8, 3, 8, window, True, False, 20), (9, 3, None, None, True, False, None)]:
            z = out.tensor((2, n // 2 + 1, 7), dtype)
            out.case("istft", [z, n, hop, given(length), given(w), center, normalized, True, given(size), Default],
                     lambda: torch.istft(z, n, hop, length, w, center, normalized, True, size), within=WITHIN[dtype])


with Writer("fft", __file__) as out:
    primitives(out)
    named(out)
    frames(out)
    for n, hop in ((8, 2), (9, 3)):  # of the whole spectrum, whose second half is not read
        z = out.tensor((n, 5), torch.complex128)
        out.case("istft", [z, n, hop, Default, Default, True, False, False, Default, Default], lambda: torch.istft(z, n, hop, onesided=False), within=WITHIN[torch.complex128])
    for n, hop, window in (8, 2, torch.hann_window(8) + 0.1), (9, 3, None):  # of complex signals
        x, z = out.tensor((2, 30), torch.complex64), out.tensor((2, n, 6), torch.complex64)
        out.case("stft.center", [x, n, hop, Default, given(window), True, Text("reflect"), False, False, Default],
                 lambda: torch.stft(x, n, hop, window=window, onesided=False, return_complex=True), within=WITHIN[torch.complex64])
        out.case("istft", [z, n, hop, Default, given(window), True, False, False, Default, True],
                 lambda: torch.istft(z, n, hop, window=window, onesided=False, return_complex=True), within=WITHIN[torch.complex64])

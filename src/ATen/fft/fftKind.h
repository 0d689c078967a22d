/* What the CPU's Fourier transforms and CUDA's kernels share. */
#ifndef ATEN_FFT_KIND_H
#define ATEN_FFT_KIND_H

enum { AT_FFT_DIMS = 64 }; /* the most that number the lines */

typedef enum at_fft_kind { AT_FFT_COMPLEX, AT_FFT_FROM_REAL, AT_FFT_TO_REAL } at_fft_kind;

#endif

/* Fourier transforms: tables, passes over all lanes, and the lines' way to the lanes and back. */
#include "at_kernel.h"

/* --- tables ---------------------------------------------------------------------------------- */

/* exp(-2 pi i k / n); the angle is reduced as an integer. */
THC_DEVICE void put_root(void *table, int64_t at, int64_t k, int64_t n)
{
  double sine, cosine;
  sincospi(2 * ((double)k / (double)n), &sine, &cosine);
  ((real *)table)[2 * at] = (real)cosine;
  ((real *)table)[2 * at + 1] = (real)-sine;
}

/* The factors of a pass, behind which its roots are. */
__global__ static void fft_factors(at_fft_factors_work w)
{
  const int64_t count = w.groups * (w.radix - 1);
  THC_GRID_LOOP(i, count + w.radix)
  {
    const int64_t group = i / (w.radix - 1), k = i % (w.radix - 1) + 1;
    if (i < count)
      put_root(w.factors, i, group * k, w.groups * w.radix);
    else
      put_root(w.roots, i - count, i - count, w.radix);
  }
}

AT_LAUNCHER(fftFactors, at_fft_factors_work)
{
  THC_LAUNCH(fft_factors, THC_blocks(work->groups * work->radix), THC_BLOCK, 0, stream, *work);
}

/* The chirp exp(-pi i k^2 / n), and its conjugate on both sides of 0; elements between are 0. */
__global__ static void fft_chirp(at_fft_chirp_work w)
{
  THC_GRID_LOOP(k, w.longer)
  {
    const int64_t side = k < w.longer - k ? k : w.longer - k;
    real parts[2] = {0, 0};
    if (side < w.length) {
      put_root(parts, 0, (int64_t)((uint64_t)side * (uint64_t)side % (uint64_t)(2 * w.length)),
               2 * w.length);
      if (k < w.length) {
        ((real *)w.chirp)[2 * k] = parts[0];
        ((real *)w.chirp)[2 * k + 1] = parts[1];
      }
    }
    ((real *)w.re)[k] = parts[0];
    ((real *)w.im)[k] = -parts[1];
  }
}

AT_LAUNCHER(fftChirp, at_fft_chirp_work)
{
  THC_LAUNCH(fft_chirp, THC_blocks(work->longer), THC_BLOCK, 0, stream, *work);
}

/* --- passes ---------------------------------------------------------------------------------- */

#define AT_ELEMENT         THC_DEVICE
#define AT_FFT_EACH(group) if (const int64_t group = pass->group; true)
#define AT_FFT_LANES(q)    if (const int64_t q = pass->lane; true)
#define AT_FFT_RESTRICT    __restrict__
#define AT_FFT_OWN         int64_t group, lane; /* of the thread */
#include "ATen/fft/fftPasses.h"

template <int RADIX>
__global__ static void fft_pass(at_fft_pass_work w)
{
  at_fft_pass pass = {(const real *)w.xr,
                      (const real *)w.xi,
                      (real *)w.yr,
                      (real *)w.yi,
                      w.groups,
                      w.span,
                      (const real *)w.factors,
                      (const real *)w.roots,
                      0,
                      0};
  THC_GRID_LOOP(i, w.groups * w.span)
  {
    pass.group = i / w.span;
    pass.lane = i - pass.group * w.span;
    if (RADIX == 2)
      pass_2(&pass);
    else if (RADIX == 3)
      pass_3(&pass);
    else if (RADIX == 4)
      pass_4(&pass);
    else
      pass_any(&pass, w.radix);
  }
}

AT_LAUNCHER(fftPass, at_fft_pass_work)
{
  const unsigned blocks = THC_blocks(work->groups * work->span);
  if (work->radix == 2)
    THC_LAUNCH(fft_pass<2>, blocks, THC_BLOCK, 0, stream, *work);
  else if (work->radix == 3)
    THC_LAUNCH(fft_pass<3>, blocks, THC_BLOCK, 0, stream, *work);
  else if (work->radix == 4)
    THC_LAUNCH(fft_pass<4>, blocks, THC_BLOCK, 0, stream, *work);
  else
    THC_LAUNCH(fft_pass<0>, blocks, THC_BLOCK, 0, stream, *work);
}

/* Elements from given on become 0 before they are multiplied. */
__global__ static void fft_times(at_fft_times_work w)
{
  THC_GRID_LOOP(i, w.count * w.lanes)
  {
    const int64_t k = i / w.lanes;
    const bool isThere = k < w.given;
    const real re = isThere ? ((const real *)w.xr)[i] : 0;
    const real im = isThere ? ((const real *)w.xi)[i] : 0;
    const real c = isThere ? ((const real *)w.factors)[2 * k] * (real)w.scale : 0;
    const real s = isThere ? ((const real *)w.factors)[2 * k + 1] * (real)w.scale : 0;
    ((real *)w.yr)[i] = re * c - im * s;
    ((real *)w.yi)[i] = re * s + im * c;
  }
}

AT_LAUNCHER(fftTimes, at_fft_times_work)
{
  THC_LAUNCH(fft_times, THC_blocks(work->count * work->lanes), THC_BLOCK, 0, stream, *work);
}

/* --- lines ----------------------------------------------------------------------------------- */

/* Where a line begins: those of from, or those of to. */
THC_DEVICE int64_t line_at(const at_fft_lines_work &w, int64_t index, const int64_t *stride)
{
  int64_t offset = 0;
  for (int d = w.dims - 1; d >= 0; d--) {
    offset += index % w.size[d] * stride[d];
    index /= w.size[d];
  }
  return offset;
}

struct Cell {
  real re, im;
};

/* Element k of a line, which is 0 behind what is given. */
THC_DEVICE real element_of(const at_fft_lines_work &w, int64_t line, int64_t k, int part)
{
  if (line >= w.last || k >= w.given)
    return 0;
  return ((const real *)w.from)[line_at(w, line, w.fromStride) + k * w.fromStep + part];
}

/* Element k of the whole spectrum of a real line, of which the first half is given.  The imaginary
 * parts of elements that are their own conjugates do not count. */
THC_DEVICE Cell spectrum_of(const at_fft_lines_work &w, int64_t line, int64_t k)
{
  const bool isMirrored = 2 * k > w.length;
  const int64_t there = isMirrored ? w.length - k : k;
  const bool isOwn = there == 0 || 2 * there == w.length;
  const real im = isOwn ? 0 : element_of(w, line, there, 1);
  return {element_of(w, line, there, 0), isMirrored ? -im : im};
}

/* Real lines are transformed in twos, as the parts of a lane. */
__global__ static void fft_load(at_fft_lines_work w)
{
  THC_GRID_LOOP(i, w.length * w.lanes)
  {
    const int64_t k = i / w.lanes, lane = i - k * w.lanes;
    const int64_t line = w.first + (w.kind == AT_FFT_COMPLEX ? lane : 2 * lane);
    real re, im;
    if (w.kind == AT_FFT_COMPLEX) {
      re = element_of(w, line, k, 0);
      im = element_of(w, line, k, 1);
    } else if (w.kind == AT_FFT_FROM_REAL) {
      re = element_of(w, line, k, 0);
      im = element_of(w, line + 1, k, 0);
    } else {
      const Cell a = spectrum_of(w, line, k), b = spectrum_of(w, line + 1, k);
      re = a.re - b.im;
      im = a.im + b.re;
    }
    ((real *)w.re)[i] = re;
    ((real *)w.im)[i] = im;
  }
}

AT_LAUNCHER(fftLoad, at_fft_lines_work)
{
  THC_LAUNCH(fft_load, THC_blocks(work->length * work->lanes), THC_BLOCK, 0, stream, *work);
}

/* The transforms of the two lines of a lane are its parts that are conjugate and anti-conjugate to
 * their reverse. */
THC_DEVICE void store_halves(const at_fft_lines_work &w, int64_t line, int64_t k, real *to)
{
  const int64_t lane = (line - w.first) / 2;
  const int64_t here = k * w.lanes + lane, back = (k ? w.length - k : 0) * w.lanes + lane;
  const real *re = (const real *)w.re, *im = (const real *)w.im, half = (real)w.scale / 2;
  if ((line - w.first) % 2 == 0) {
    to[0] = half * (re[here] + re[back]);
    to[1] = half * (im[here] - im[back]);
  } else {
    to[0] = half * (im[here] + im[back]);
    to[1] = half * (re[back] - re[here]);
  }
}

__global__ static void fft_store(at_fft_lines_work w)
{
  const int64_t lines = w.last - w.first;
  THC_GRID_LOOP(i, w.wanted * lines)
  {
    const int64_t k = i / lines, own = i - k * lines, line = w.first + own;
    real *to = (real *)w.to + line_at(w, line, w.toStride) + k * w.toStep;
    if (w.kind == AT_FFT_COMPLEX) {
      to[0] = (real)w.scale * ((const real *)w.re)[k * w.lanes + own];
      to[1] = (real)w.scale * ((const real *)w.im)[k * w.lanes + own];
    } else if (w.kind == AT_FFT_FROM_REAL) {
      store_halves(w, line, k, to);
    } else {
      const real *lane = (const real *)(own % 2 ? w.im : w.re) + own / 2;
      to[0] = (real)w.scale * lane[k * w.lanes];
    }
  }
}

AT_LAUNCHER(fftStore, at_fft_lines_work)
{
  const ptrdiff_t count = work->wanted * (work->last - work->first);
  THC_LAUNCH(fft_store, THC_blocks(count), THC_BLOCK, 0, stream, *work);
}

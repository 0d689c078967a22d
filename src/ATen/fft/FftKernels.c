/* The kernels of fft.h.  The innermost loops are over what lies side by side. */
#include "fft.h"

#include "THKernel.h"

#include "THTemplate.h"

#define INLINE static inline __attribute__((always_inline))

/* The parts of numbers. */
typedef struct {
  real *re, *im;
} Parts;

#define AT_ELEMENT         static
#define AT_FFT_EACH(group) for (int64_t group = 0; group < groups; group++)
#define AT_FFT_LANES(q)    TH_PRAGMA(omp simd) for (int64_t q = 0; q < span; q++)
#define AT_FFT_RESTRICT    restrict
#define AT_FFT_OWN
#include "fftPasses.h"

static void passes(const at_fft_plan *plan, Parts x, Parts work, int64_t lanes)
{
  const real *factors = plan->factors, *roots = plan->roots;
  int64_t groups = plan->length, span = lanes;
  Parts from = x, to = work;
  for (int p = 0; p < plan->passes; p++) {
    const int radix = plan->radix[p];
    groups /= radix;
    const at_fft_pass pass = {from.re, from.im, to.re, to.im, groups, span, factors, roots};
    if (radix == 4)
      pass_4(&pass);
    else if (radix == 2)
      pass_2(&pass);
    else if (radix == 3)
      pass_3(&pass);
    else
      pass_any(&pass, radix);
    factors += 2 * groups * (radix - 1);
    roots += 2 * radix;
    span *= radix;
    const Parts kept = from;
    from = to;
    to = kept;
  }
  if (from.re != x.re) {
    memcpy(x.re, from.re, (size_t)(plan->length * lanes) * sizeof(real));
    memcpy(x.im, from.im, (size_t)(plan->length * lanes) * sizeof(real));
  }
}

/* r = x times the pair w, for all lanes; r may be x. */
INLINE void times(real *rr, real *ri, const real *xr, const real *xi, const real *w, real sign,
                  int64_t lanes)
{
  const real c = w[0], s = sign * w[1];
  for (int64_t l = 0; l < lanes; l++) {
    const real re = xr[l], im = xi[l];
    rr[l] = re * c - im * s;
    ri[l] = re * s + im * c;
  }
}

static void transform(const at_fft_plan *plan, void *re, void *im, void *work, int64_t lanes);

/* Bluestein: jk = (j^2 + k^2 - (k - j)^2) / 2 makes the transform a convolution with a chirp. */
static void convolve(const at_fft_plan *plan, Parts x, real *work, int64_t lanes)
{
  const int64_t n = plan->length, m = plan->longer->length;
  const real *chirp = plan->chirp, *spectrum = plan->spectrum;
  const Parts wide = {work, work + m * lanes};
  real *const rest = work + 2 * m * lanes;
  for (int64_t k = 0; k < n; k++)
    times(wide.re + k * lanes, wide.im + k * lanes, x.re + k * lanes, x.im + k * lanes,
          chirp + 2 * k, 1, lanes);
  memset(wide.re + n * lanes, 0, (size_t)((m - n) * lanes) * sizeof(real));
  memset(wide.im + n * lanes, 0, (size_t)((m - n) * lanes) * sizeof(real));
  transform(plan->longer, wide.re, wide.im, rest, lanes);
  for (int64_t k = 0; k < m; k++) {
    real *const wr = wide.re + k * lanes, *const wi = wide.im + k * lanes;
    times(wr, wi, wr, wi, spectrum + 2 * k, 1, lanes);
  }
  transform(plan->longer, wide.im, wide.re, rest, lanes); /* parts exchanged: the inverse */
  for (int64_t k = 0; k < n; k++)
    times(x.re + k * lanes, x.im + k * lanes, wide.re + k * lanes, wide.im + k * lanes,
          chirp + 2 * k, 1, lanes);
}

static void transform(const at_fft_plan *plan, void *re, void *im, void *work, int64_t lanes)
{
  const Parts x = {re, im};
  real *const buffer = work;
  if (plan->longer)
    convolve(plan, x, buffer, lanes);
  else
    passes(plan, x, (Parts){buffer, buffer + plan->length * lanes}, lanes);
}

/* --- lines ----------------------------------------------------------------------------------- */

typedef struct {
  const real *from;
  real *to;
} Line;

static Line line_at(const at_fft_job *job, int64_t index)
{
  Line line = {job->from, job->to};
  for (int d = job->dims - 1; d >= 0; d--) {
    const int64_t i = index % job->size[d];
    line.from += i * job->fromStride[d];
    line.to += i * job->toStride[d];
    index /= job->size[d];
  }
  return line;
}

/* Copies part of a line to a lane, and zeros behind it. */
INLINE void load(const at_fft_job *job, const real *from, real *lane, int64_t lanes, int64_t count)
{
  const int64_t step = job->fromStep, given = job->given < count ? job->given : count;
  for (int64_t k = 0; k < given; k++)
    lane[k * lanes] = from[k * step];
  for (int64_t k = given; k < count; k++)
    lane[k * lanes] = 0;
}

static void complex_lines(const at_fft_job *job, const Line *lines, int64_t count, Parts x,
                          int64_t lanes, real *work)
{
  const int64_t n = job->plan->length, step = job->toStep;
  const real scale = (real)job->scale;
  for (int64_t l = 0; l < count; l++) {
    load(job, lines[l].from, x.re + l, lanes, n);
    load(job, lines[l].from + 1, x.im + l, lanes, n);
  }
  transform(job->plan, job->inverse ? x.im : x.re, job->inverse ? x.re : x.im, work, lanes);
  for (int64_t l = 0; l < count; l++)
    for (int64_t k = 0; k < job->wanted; k++) {
      lines[l].to[k * step] = scale * x.re[k * lanes + l];
      lines[l].to[k * step + 1] = scale * x.im[k * lanes + l];
    }
}

/* Line 2l is the real part of lane l, line 2l + 1 the imaginary one: the transforms of real lines
 * are the parts of that of the lane that are conjugate and anti-conjugate to their reverse. */
static void lines_of_reals(const at_fft_job *job, const Line *lines, int64_t count, Parts x,
                           int64_t lanes, real *work)
{
  const int64_t n = job->plan->length, step = job->toStep;
  const real half = (real)job->scale / 2;
  for (int64_t l = 0; l < count; l++)
    load(job, lines[l].from, (l % 2 ? x.im : x.re) + l / 2, lanes, n);
  if (count % 2)
    for (int64_t k = 0; k < n; k++)
      x.im[k * lanes + count / 2] = 0;
  transform(job->plan, x.re, x.im, work, lanes);
  for (int64_t l = 0; l < count; l++)
    for (int64_t k = 0; k < job->wanted; k++) {
      const int64_t here = k * lanes + l / 2, back = (k ? n - k : 0) * lanes + l / 2;
      real *const r = lines[l].to + k * step;
      if (l % 2 == 0) {
        r[0] = half * (x.re[here] + x.re[back]);
        r[1] = half * (x.im[here] - x.im[back]);
      } else {
        r[0] = half * (x.im[here] + x.im[back]);
        r[1] = half * (x.re[back] - x.re[here]);
      }
    }
}

/* Adds i^odd times the transform of a real line, of which the first half is given, to a lane.  The
 * imaginary parts of elements that are their own conjugates do not count. */
static void add_half(const at_fft_job *job, const real *from, Parts x, int64_t lane, int64_t lanes,
                     bool odd)
{
  const int64_t n = job->plan->length, step = job->fromStep;
  for (int64_t k = 0; k <= n / 2; k++) {
    const bool isThere = k < job->given, isOwn = k == 0 || 2 * k == n;
    const real re = isThere ? from[k * step] : 0, im = isThere && !isOwn ? from[k * step + 1] : 0;
    const int64_t here = k * lanes + lane, back = (k ? n - k : 0) * lanes + lane;
    x.re[here] += odd ? -im : re;
    x.im[here] += odd ? re : im;
    if (isOwn)
      continue;
    x.re[back] += odd ? im : re;
    x.im[back] += odd ? re : -im;
  }
}

static void lines_to_reals(const at_fft_job *job, const Line *lines, int64_t count, Parts x,
                           int64_t lanes, real *work)
{
  const int64_t n = job->plan->length;
  const real scale = (real)job->scale;
  memset(x.re, 0, (size_t)(n * lanes) * sizeof(real));
  memset(x.im, 0, (size_t)(n * lanes) * sizeof(real));
  for (int64_t l = 0; l < count; l++)
    add_half(job, lines[l].from, x, l / 2, lanes, l % 2);
  transform(job->plan, x.im, x.re, work, lanes);
  for (int64_t l = 0; l < count; l++) {
    const real *const lane = (l % 2 ? x.im : x.re) + l / 2;
    for (int64_t k = 0; k < n; k++)
      lines[l].to[k * job->toStep] = scale * lane[k * lanes];
  }
}

static void lines(const at_fft_job *job, int64_t first, int64_t last, int64_t lanes, void *buffer)
{
  enum { MOST = 64 };
  const int64_t each = job->kind == AT_FFT_COMPLEX ? lanes : 2 * lanes;
  const int64_t size = job->plan->length * lanes;
  const Parts x = {buffer, (real *)buffer + size};
  real *const work = (real *)buffer + 2 * size;
  Line at[MOST];
  for (int64_t i = first; i < last; i += each) {
    const int64_t count = last - i < each ? last - i : each;
    for (int64_t l = 0; l < count; l++)
      at[l] = line_at(job, i + l);
    if (job->kind == AT_FFT_COMPLEX)
      complex_lines(job, at, count, x, lanes, work);
    else if (job->kind == AT_FFT_FROM_REAL)
      lines_of_reals(job, at, count, x, lanes, work);
    else
      lines_to_reals(job, at, count, x, lanes, work);
  }
}

const at_fft_kernels TH_LEVEL_(TH_CONCAT_2(at_fft, Real))[] = {{transform, lines}};

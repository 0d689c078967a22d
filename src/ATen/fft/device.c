/* Fourier transforms on a device: the passes of fft.h as kernels, each over all lanes. */
#include "fft.h"

#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"

_Static_assert((int)AT_FFT_DIMS == (int)AT_MOST_DIMS, "a job has the dimensions of a tensor");

/* Memory on the device. */
typedef struct {
  void *re, *im;
} Parts;

/* The tables of a length: of each pass its factors, and behind those of all its roots. */
typedef struct {
  at_fft_plan radices; /* without tables */
  char *factors, *roots;
} Tables;

typedef struct {
  at_pool *pool;
  const at_type *real;
  int64_t length;
  bool isConvolution;
  Tables own; /* of the length, or of the longer one of the convolution */
  void *chirp, *spectrum;
  Parts work, wide; /* for all lanes of a launch */
} Device;

static char *reals(const Device *d, int64_t count)
{
  const at_ints sizes = {&count, 1};
  return at_data(at_hold(d->pool, at_newShape(d->real, sizes)));
}

static Parts parts(const Device *d, int64_t count)
{
  char *const both = reals(d, 2 * count);
  return (Parts){both, both + (size_t)count * d->real->elementSize};
}

static void launch(const Device *d, at_kernel kernel, const void *work)
{
  at_cuda()->launch(kernel, d->real->held, work);
}

/* The pairs of a table in bytes. */
static int64_t bytes_of(const Device *d, int64_t pairs)
{
  return 2 * pairs * (int64_t)d->real->elementSize;
}

static void fill_tables(const Device *d, Tables *t)
{
  const at_fft_plan *const plan = &t->radices;
  int64_t groups = plan->length, count = 0, around = 0;
  for (int p = 0; p < plan->passes; p++) {
    groups /= plan->radix[p];
    count += groups * (plan->radix[p] - 1);
    around += plan->radix[p];
  }
  char *factors = reals(d, 2 * (count + around + 1)), *roots = factors + bytes_of(d, count);
  t->factors = factors;
  t->roots = roots;
  groups = plan->length;
  for (int p = 0; p < plan->passes; p++) {
    groups /= plan->radix[p];
    const at_fft_factors_work work = {groups, plan->radix[p], factors, roots};
    launch(d, AT_KERNEL_fftFactors, &work);
    factors += bytes_of(d, groups * (plan->radix[p] - 1));
    roots += bytes_of(d, plan->radix[p]);
  }
}

/* Transforms from, with to as work space; returns which of them has the result. */
static Parts passes(const Device *d, Parts from, Parts to, int64_t lanes)
{
  const at_fft_plan *const plan = &d->own.radices;
  const char *factors = d->own.factors, *roots = d->own.roots;
  int64_t groups = plan->length, span = lanes;
  for (int p = 0; p < plan->passes; p++) {
    const int radix = plan->radix[p];
    groups /= radix;
    const at_fft_pass_work work = {radix,   groups,  span,  factors, roots,
                                   from.re, from.im, to.re, to.im};
    launch(d, AT_KERNEL_fftPass, &work);
    factors += bytes_of(d, groups * (radix - 1));
    roots += bytes_of(d, radix);
    span *= radix;
    const Parts kept = from;
    from = to;
    to = kept;
  }
  return from;
}

static void times(const Device *d, Parts to, Parts from, int64_t count, int64_t given,
                  int64_t lanes, const void *factors)
{
  const at_fft_times_work work = {count, given, lanes, 1, factors, from.re, from.im, to.re, to.im};
  launch(d, AT_KERNEL_fftTimes, &work);
}

static Parts exchanged(Parts x)
{
  return (Parts){x.im, x.re};
}

/* convolve of FftKernels.c on the device. */
static Parts convolve(const Device *d, Parts x, int64_t lanes)
{
  const int64_t n = d->length, m = d->own.radices.length;
  times(d, d->wide, x, m, n, lanes, d->chirp);
  Parts at = passes(d, d->wide, d->work, lanes);
  const Parts other = at.re == d->wide.re ? d->work : d->wide;
  times(d, at, at, m, m, lanes, d->spectrum);
  at = exchanged(passes(d, exchanged(at), exchanged(other), lanes)); /* the inverse */
  times(d, x, at, n, n, lanes, d->chirp);
  return x;
}

/* The chirp, and the transform of its conjugate over the longer length, divided by that. */
static void fill_chirp(Device *d)
{
  const int64_t n = d->length, m = d->own.radices.length;
  if (n > UINT32_MAX)
    at_raise(AT_ERROR_ARGUMENT, "there is no transform of %lld elements on CUDA", (long long)n);
  d->chirp = reals(d, 2 * n);
  d->spectrum = reals(d, 2 * m);
  const Parts from = parts(d, m), work = parts(d, m);
  const at_fft_chirp_work chirp = {n, m, d->chirp, from.re, from.im};
  launch(d, AT_KERNEL_fftChirp, &chirp);
  const Parts at = passes(d, from, work, 1);
  const at_fft_lines_work pairs = {.kind = AT_FFT_COMPLEX,
                                   .length = m,
                                   .lanes = 1,
                                   .last = 1,
                                   .scale = 1 / (double)m,
                                   .to = d->spectrum,
                                   .re = at.re,
                                   .im = at.im,
                                   .wanted = m,
                                   .toStep = 2};
  launch(d, AT_KERNEL_fftStore, &pairs);
}

/* Transforms the lines of a work, whose lanes are in x. */
static void run_lines(const Device *d, at_fft_lines_work *work, Parts x, bool inverse)
{
  work->re = x.re;
  work->im = x.im;
  launch(d, AT_KERNEL_fftLoad, work);
  if (inverse)
    x = exchanged(x);
  x = d->isConvolution ? convolve(d, x, work->lanes)
                       : passes(d, x, inverse ? exchanged(d->work) : d->work, work->lanes);
  if (inverse)
    x = exchanged(x);
  work->re = x.re;
  work->im = x.im;
  launch(d, AT_KERNEL_fftStore, work);
}

static at_fft_lines_work work_of(const at_fft_job *job, int64_t length)
{
  at_fft_lines_work work = {.kind = (int)job->kind,
                            .length = length,
                            .scale = job->scale,
                            .from = job->from,
                            .to = job->to,
                            .given = THMin(job->given, length),
                            .wanted = job->wanted,
                            .fromStep = job->fromStep,
                            .toStep = job->toStep,
                            .dims = job->dims};
  for (int i = 0; i < job->dims; i++) {
    work.size[i] = job->size[i];
    work.fromStride[i] = job->fromStride[i];
    work.toStride[i] = job->toStride[i];
  }
  return work;
}

/* As many lanes as fit the work space, but not more than there are lines. */
static int64_t lanes_of(const Device *d, int64_t needed)
{
  enum { WORK_BYTES = 1 << 26 };
  const int64_t wide = d->isConvolution ? 4 * d->own.radices.length : 2 * d->length;
  const int64_t each = (2 * d->length + wide) * (int64_t)d->real->elementSize;
  return THMax(1, THMin(needed, WORK_BYTES / each));
}

void at_fft_runOnDevice(const at_fft_job *job, const at_type *real, int64_t length, int64_t lines)
{
  const int each = job->kind == AT_FFT_COMPLEX ? 1 : 2; /* lines in a lane */
  at_pool pool;
  at_pool_enter(&pool);
  Device d = {.pool = &pool, .real = real, .length = length};
  d.isConvolution = !at_fft_factorise(&d.own.radices, length);
  if (d.isConvolution)
    at_fft_factorise(&d.own.radices, at_fft_goodLength(2 * length - 1));
  fill_tables(&d, &d.own);
  if (d.isConvolution)
    fill_chirp(&d);
  const int64_t lanes = lanes_of(&d, (lines + each - 1) / each);
  const Parts x = parts(&d, length * lanes);
  d.work = parts(&d, d.own.radices.length * lanes);
  if (d.isConvolution)
    d.wide = parts(&d, d.own.radices.length * lanes);
  at_fft_lines_work work = work_of(job, length);
  for (int64_t first = 0; first < lines; first += lanes * each) {
    work.first = first;
    work.last = THMin(first + lanes * each, lines);
    work.lanes = (work.last - first + each - 1) / each;
    run_lines(&d, &work, x, job->inverse || job->kind == AT_FFT_TO_REAL);
  }
  at_pool_leave(&pool);
}

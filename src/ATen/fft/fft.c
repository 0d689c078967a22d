/* The transforms of tensors: a job of lines for each dimension. */
#include "fft.h"
#include "THKernel.h"

#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "THParallel.h"

TH_DISPATCH(at_fft_kernels, at_fftFloat)
TH_DISPATCH(at_fft_kernels, at_fftDouble)

/* --- lines ----------------------------------------------------------------------------------- */

enum { MOST_LANES = 16, BUFFER = 1 << 19 };

/* As many lanes as stay in the cache, but not more than there are lines. */
static int64_t lanes_of(const at_fft_plan *plan, at_fft_kind kind, int64_t lines)
{
  const int64_t each = plan->longer ? plan->longer->length : plan->length;
  const int64_t needed = kind == AT_FFT_COMPLEX ? lines : (lines + 1) / 2;
  const int64_t fit = BUFFER / (4 * each * (int64_t)plan->realSize);
  return THMax(1, THMin(THMin(fit, MOST_LANES), needed));
}

typedef struct {
  const at_fft_job *job;
  int64_t lines, lanes, chunks, each; /* each: of lines in a chunk */
  char *buffers;
  ptrdiff_t bufferSize;
} Team;

static void run_chunks(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Team *const team = context;
  const at_fft_plan *const plan = team->job->plan;
  const at_fft_kernels *const kernels =
      plan->realSize == sizeof(double) ? TH_DISPATCHED(at_fftDouble) : TH_DISPATCHED(at_fftFloat);
  for (ptrdiff_t i = begin; i < end; i++)
    kernels->lines(team->job, i * team->each, THMin((i + 1) * team->each, team->lines), team->lanes,
                   team->buffers + i * team->bufferSize);
}

void at_fft_run(const at_fft_job *job, int64_t lines)
{
  enum { GRAIN = 32768 }; /* elements that are worth a thread */
  const at_fft_plan *const plan = job->plan;
  Team team = {.job = job, .lines = lines, .lanes = lanes_of(plan, job->kind, lines)};
  const int64_t group = job->kind == AT_FFT_COMPLEX ? team.lanes : 2 * team.lanes;
  const int64_t groups = (lines + group - 1) / group;
  team.chunks = THParallel_threads(groups, THMax(1, GRAIN / (group * plan->length)));
  team.each = (groups + team.chunks - 1) / team.chunks * group;
  team.chunks = (lines + team.each - 1) / team.each;
  const int64_t reals = 2 * plan->length * team.lanes + at_fft_scratch(plan, team.lanes);
  team.bufferSize = (ptrdiff_t)(reals * (int64_t)plan->realSize + 63) & ~(ptrdiff_t)63;
  THGuard guard;
  THGuard_enter(&guard, THFree);
  team.buffers = guard.what = THAlloc((ptrdiff_t)team.chunks * team.bufferSize);
  THParallel_for((ptrdiff_t)team.chunks, 1, run_chunks, &team);
  THGuard_leave(&guard);
}

/* Transforms along one dimension; x and r are of the types of the kind, and have the same sizes but
 * for that dimension. */
static void transform(at_tensor *r, at_tensor *x, int dim, at_fft_kind kind, int64_t length,
                      bool inverse, double scale)
{
  const at_type *const real = at_isComplex(r->type->scalarType) ? at_realType(r->type) : r->type;
  int64_t size[AT_MOST_DIMS], from[AT_MOST_DIMS], to[AT_MOST_DIMS], lines = 1;
  const at_ints own = at_sizesOf(x);
  int count = 0;
  for (int d = 0; d < own.count; d++) {
    if (d == dim || own.data[d] == 1)
      continue;
    size[count] = own.data[d];
    from[count] = x->th->stride[d] * at_partsOf(x->type);
    to[count++] = r->th->stride[d] * at_partsOf(r->type);
    lines *= own.data[d];
  }
  if (lines == 0)
    return;
  at_fft_job job = {.kind = kind,
                    .inverse = inverse,
                    .scale = scale,
                    .from = at_data(x),
                    .to = at_data(r),
                    .given = own.data[dim],
                    .wanted = at_sizesOf(r).data[dim],
                    .fromStep = x->th->stride[dim] * at_partsOf(x->type),
                    .toStep = r->th->stride[dim] * at_partsOf(r->type),
                    .dims = count,
                    .size = size,
                    .fromStride = from,
                    .toStride = to};
  if (!at_isOnHost(real)) {
    at_fft_runOnDevice(&job, real, length, lines);
    return;
  }
  THGuard guard;
  THGuard_enter(&guard, (THUndo)at_fft_freePlan);
  job.plan = guard.what = at_fft_newPlan(length, real->elementSize);
  at_fft_run(&job, lines);
  THGuard_leave(&guard);
}

/* --- operations ------------------------------------------------------------------------------ */

/* The dimensions, counted from the front, and the factor of the result. */
typedef struct {
  int count, at[AT_MOST_DIMS];
  double scale;
} Dims;

static void dims_of(Dims *dims, at_tensor *t, at_ints dim, int64_t normalization)
{
  const int own = at_sizesOf(t).count;
  bool seen[AT_MOST_DIMS] = {false};
  if (dim.count == 0 || dim.count > own)
    at_raise(AT_ERROR_ARGUMENT, "dim has %d dimensions, self has %d", dim.count, own);
  if (normalization < 0 || normalization > 2)
    at_raise(AT_ERROR_ARGUMENT, "normalization is %lld, and has to be 0, 1 or 2",
             (long long)normalization);
  dims->count = dim.count;
  for (int i = 0; i < dim.count; i++) {
    dims->at[i] = at_wrapDim(dim.data[i], own);
    if (seen[dims->at[i]])
      at_raise(AT_ERROR_ARGUMENT, "dimension %d is named twice", dims->at[i]);
    seen[dims->at[i]] = true;
  }
}

/* The factor of a transform of those sizes in the dimensions. */
static double scale_of(const Dims *dims, const int64_t *sizes, int64_t normalization)
{
  double count = 1;
  for (int i = 0; i < dims->count; i++) {
    const int64_t size = sizes[dims->at[i]];
    if (size < 1)
      at_raise(AT_ERROR_ARGUMENT, "there is no transform of %lld elements", (long long)size);
    count *= (double)size;
  }
  return normalization == 0 ? 1 : normalization == 1 ? 1 / sqrt(count) : 1 / count;
}

static void check_complex(const at_tensor *t)
{
  if (!at_isComplex(t->type->scalarType))
    at_raise(AT_ERROR_TYPE, "self is of %s, and has to be complex",
             at_scalarTypeName(t->type->scalarType));
}

/* Transforms x to a new tensor over the first count of dims, the last of them first. */
static at_tensor *over(at_pool *pool, at_tensor *x, const Dims *dims, int count, bool inverse,
                       double scale)
{
  at_tensor *r = count > 0 ? at_hold(pool, at_newShape(x->type, at_sizesOf(x))) : x;
  for (int i = count - 1; i >= 0; i--) {
    const int d = dims->at[i];
    transform(r, i == count - 1 ? x : r, d, AT_FFT_COMPLEX, at_sizesOf(x).data[d], inverse,
              i == 0 ? scale : 1);
  }
  return r;
}

at_tensor *at_fourier(at_tensor *out, at_tensor *self, at_ints dim, int64_t normalization,
                      bool forward)
{
  Dims dims;
  check_complex(self);
  dims_of(&dims, self, dim, normalization);
  const double scale = scale_of(&dims, at_sizesOf(self).data, normalization);
  if (out)
    at_checkResult(out, NULL, at_sizesOf(self), self->type->scalarType);
  at_pool pool;
  at_pool_enter(&pool);
  return at_finishOne(&pool, out, over(&pool, self, &dims, dims.count, !forward, scale));
}

at_tensor *at_fourierOfReal(at_tensor *out, at_tensor *self, at_ints dim, int64_t normalization,
                            bool onesided)
{
  Dims dims;
  int64_t buffer[AT_MOST_DIMS];
  const at_ints own = at_sizesOf(self), sizes = {buffer, own.count};
  if (self->type->scalarType != AT_FLOAT && self->type->scalarType != AT_DOUBLE)
    at_raise(AT_ERROR_TYPE, "self is of %s, and has to be of Float or Double",
             at_scalarTypeName(self->type->scalarType));
  dims_of(&dims, self, dim, normalization);
  const double scale = scale_of(&dims, own.data, normalization);
  const int last = dims.at[dims.count - 1];
  for (int d = 0; d < own.count; d++)
    buffer[d] = d == last && onesided ? own.data[d] / 2 + 1 : own.data[d];
  const at_type *type = at_complexType(self->type);
  if (out)
    at_checkResult(out, NULL, sizes, type->scalarType);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *r = at_hold(&pool, at_newShape(type, sizes));
  transform(r, self, last, AT_FFT_FROM_REAL, own.data[last], false, dims.count == 1 ? scale : 1);
  return at_finishOne(&pool, out, over(&pool, r, &dims, dims.count - 1, false, scale));
}

at_tensor *at_fourierToReal(at_tensor *out, at_tensor *self, at_ints dim, int64_t normalization,
                            int64_t last_dim_size)
{
  Dims dims;
  int64_t buffer[AT_MOST_DIMS];
  const at_ints own = at_sizesOf(self), sizes = {buffer, own.count};
  check_complex(self);
  dims_of(&dims, self, dim, normalization);
  const int last = dims.at[dims.count - 1];
  for (int d = 0; d < own.count; d++)
    buffer[d] = d == last ? last_dim_size : own.data[d];
  const double scale = scale_of(&dims, buffer, normalization);
  const at_type *type = at_realType(self->type);
  if (out)
    at_checkResult(out, NULL, sizes, type->scalarType);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *x = over(&pool, self, &dims, dims.count - 1, true, 1);
  at_tensor *r = at_hold(&pool, at_newShape(type, sizes));
  transform(r, x, last, AT_FFT_TO_REAL, last_dim_size, false, scale);
  return at_finishOne(&pool, out, r);
}

at_tensor *at_frequencies(const at_type *type, int64_t n, double d, bool halved)
{
  if (n < 1 || d == 0)
    at_raise(AT_ERROR_ARGUMENT, "n is %lld and d %g", (long long)n, d);
  if (!type)
    type = at_getType(AT_BACKEND_CPU, at_defaultType());
  const int64_t count = halved ? n / 2 + 1 : n;
  at_pool pool;
  at_pool_enter(&pool);
  const at_type *wide = at_toScalarType(at_hostType(type), AT_DOUBLE);
  at_tensor *made = at_hold(&pool, at_newShape(wide, (at_ints){&count, 1}));
  double *const to = at_hostData(made);
  for (int64_t k = 0; k < count; k++)
    to[k] = (double)(!halved && k >= (n + 1) / 2 ? k - n : k) / ((double)n * d);
  return at_finishOne(&pool, NULL, at_cast(&pool, made, type));
}

/* Tensors of random real numbers: uniform, normal and others. */
#include "THTemplate.h"
#include "THKernel.h"

#include "THRandomSource.h"
#include "TH/tensor/THTensorCore.h"

#if defined(TH_REAL_IS_FLOAT)
enum { UNIFORM_WORDS = 1 }; /* words for a uniform number of the type */
#define uniformReal uniformFloat
#define normalReal  normalFloat
#else
enum { UNIFORM_WORDS = 2 };
#define uniformReal uniformDouble
#define normalReal  normalDouble
#endif

/* --- uniform and normal ----------------------------------------------------------------------- */

static void draw_uniform(THRandomSource *source, real *out, ptrdiff_t n, double a, double b)
{
  TH_SCRATCH(uint32_t, words, UNIFORM_WORDS *RANDOM_CHUNK);
  TH_DISPATCHED(THRandom_kernels)
      ->uniformReal(out, THTensor_(drawRaw)(source, words, UNIFORM_WORDS * n), n, (real)a, (real)b);
}

#ifdef TH_COMPAT_TORCH7

/* One word for each number, all of whose bits count. */
static void produce_uniform(THRandomSource *source, real *out, ptrdiff_t n)
{
  TH_SCRATCH(uint32_t, words, RANDOM_CHUNK);
  THTensor_(drawWords)(source, words, n);
  for (ptrdiff_t i = 0; i < n; i++)
    out[i] = (real)THRandom_between((double)words[i] * 0x1p-32, source->a, source->b);
}

void THTensor_(uniform)(THTensor *self, THGenerator *_generator, double a, double b)
{
  THTensor_(fillBy)(self, _generator,
                    &(THRandomSource){.produce = produce_uniform, .words = 1, .a = a, .b = b});
}

#else

static void produce_uniform(THRandomSource *source, real *out, ptrdiff_t n)
{
  draw_uniform(source, out, n, source->a, source->b);
}

void THTensor_(uniform)(THTensor *self, THGenerator *_generator, double a, double b)
{
  THTensor_(fillBy)(self, _generator,
                    &(THRandomSource){
                        .produce = produce_uniform, .words = UNIFORM_WORDS, .a = a, .b = b});
}

#endif

/* Fewer than 16 numbers come in the pairs that THRandom_normal draws.  More come in blocks of 16;
 * where the last block is not full, the last 16 numbers are drawn once more. */
static void produce_normal(THRandomSource *source, real *out, ptrdiff_t n)
{
  if (source->total < 16) {
    for (ptrdiff_t i = 0; i < n; i++)
      out[i] = (real)(THRandom_standardNormal(source->generator) * source->b + source->a);
    return;
  }
  const real mean = (real)source->a, stdv = (real)source->b;
  draw_uniform(source, out, n, 0, 1);
  TH_DISPATCHED(THRandom_kernels)->normalReal(out, n & -16, mean, stdv);
  if (n % 16) {
    draw_uniform(source, out + n - 16, 16, 0, 1);
    TH_DISPATCHED(THRandom_kernels)->normalReal(out + n - 16, 16, mean, stdv);
  }
}

static void fill_normal(THTensor *self, THGenerator *generator, double mean, double stdv)
{
  THTensor_(fillBy)(self, generator,
                    &(THRandomSource){.produce = produce_normal,
                                      .words = UNIFORM_WORDS,
                                      .again = 1,
                                      .a = mean,
                                      .b = stdv});
}

void THTensor_(normal)(THTensor *self, THGenerator *_generator, double mean, double stdv)
{
  THArgCheck(stdv > 0, 4, "stdv is %g, not > 0", stdv);
  fill_normal(self, _generator, mean, stdv);
}

void THTensor_(rand)(THTensor *r_, THGenerator *_generator, THLongStorage *size)
{
  THRandom_check(_generator, 2);
  THArgCheck(size, 3, "size is NULL");
  THTensor_(resize)(r_, size, NULL);
  THTensor_(uniform)(r_, _generator, 0, 1);
}

void THTensor_(randn)(THTensor *r_, THGenerator *_generator, THLongStorage *size)
{
  THRandom_check(_generator, 2);
  THArgCheck(size, 3, "size is NULL");
  THTensor_(resize)(r_, size, NULL);
  fill_normal(r_, _generator, 0, 1);
}

/* --- normal with a mean or a deviation for each element --------------------------------------- */

/* Operand 0 holds numbers of mean 0; then come the tensor of means or deviations, or both. */
typedef struct Affine {
  real mean;
  int hasMeans, hasStddevs;
} Affine;

static void apply_affine(const THRun *run, const void *context)
{
  const Affine *affine = context;
  const real one = 1;
  const int means = 1, stddevs = 1 + affine->hasMeans;
  const ptrdiff_t dz = run->stride[0], dm = affine->hasMeans ? run->stride[means] : 0,
                  ds = affine->hasStddevs ? run->stride[stddevs] : 0;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *z = (real *)run->at[0] + j * run->rowStride[0];
    const real *m = &affine->mean, *s = &one;
    if (affine->hasMeans)
      m = (const real *)run->at[means] + j * run->rowStride[means];
    if (affine->hasStddevs)
      s = (const real *)run->at[stddevs] + j * run->rowStride[stddevs];
    for (ptrdiff_t i = 0; i < run->n; i++)
      z[i * dz] = z[i * dz] * s[i * ds] + m[i * dm];
  }
}

/* The allowed elements, and one that is not allowed. */
typedef struct Bounds {
  int zero; /* 0 is allowed */
  int found;
  real bad;
} Bounds;

static void note_out_of_bounds(const THRun *run, const void *context)
{
  Bounds *bounds = *(Bounds *const *)context;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    const real *x = (const real *)run->at[0] + j * run->rowStride[0];
    for (ptrdiff_t i = 0; i < run->n; i++) {
      const real value = x[i * run->stride[0]];
      if (!(value > 0 || (bounds->zero && value == 0)) || isinf(value)) {
        bounds->found = 1;
        bounds->bad = value;
      }
    }
  }
}

/* Elements of tensor, called name, are finite and above 0 (or equal to it where zero is set). */
static void check_bounds(THTensor *tensor, int zero, int argument, const char *name)
{
  Bounds bounds = {.zero = zero}, *context = &bounds;
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, tensor);
  loop.inOrder = 1;
  THLoop_run(&loop, note_out_of_bounds, &context);
  THArgCheck(!bounds.found, argument, "%s has the element %g, not %s 0 and finite", name,
             (double)bounds.bad, zero ? ">=" : ">");
}

/* The tensor that is computed instead of self, which takes the shape of like. */
typedef struct Target {
  THShape shape;
  THStandIn standIn;
} Target;

static THTensor *open_target(Target *target, THTensor *self, THTensor *like)
{
  THShape_openAs(&target->shape, like->nDimension, like->size, like->stride);
  return THTensor_(openStandIn)(&target->standIn, self, &target->shape, -1, 1);
}

static void close_target(Target *target)
{
  THTensor_(closeStandIn)(&target->standIn);
  THShape_close(&target->shape);
}

/* An operand that is read after self was written in the shape of like; a copy, which guard holds,
 * if self may change it. */
static THTensor *set_aside(THGuard *guard, THTensor *self, THTensor *like, THTensor *operand)
{
  THTensor_(guard)(guard);
  if (operand &&
      (operand == self || THResult_overlapSized(TH_VIEW(self), like->nDimension, like->size,
                                                TH_VIEW(operand)) != TH_OVERLAP_NONE))
    operand = guard->what = THTensor_(newClone)(operand);
  return operand;
}

static void fill_affine(THTensor *self, THGenerator *generator, THTensor *means, double mean,
                        THTensor *stddevs, double stddev)
{
  THGuard first, second;
  THRandom_check(generator, 2);
  Target target;
  THTensor *const like = means ? means : stddevs;
  self = open_target(&target, self, like);
  means = set_aside(&first, self, like, means);
  stddevs = set_aside(&second, self, like, stddevs);
  THTensor_(resizeAs)(self, means ? means : stddevs);
  fill_normal(self, generator, 0, stddev);

  const Affine affine = {(real)mean, means != NULL, stddevs != NULL};
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, self);
  if (means)
    THLoop_tensor(&loop, means);
  if (stddevs)
    THLoop_tensor(&loop, stddevs);
  THLoop_run(&loop, apply_affine, &affine);
  THGuard_leave(&second);
  THGuard_leave(&first);
  close_target(&target);
}

void THTensor_(normal_means)(THTensor *self, THGenerator *gen, THTensor *means, double stddev)
{
  THArgCheck(stddev > 0, 4, "stddev is %g, not > 0", stddev);
  fill_affine(self, gen, means, 0, NULL, stddev);
}

void THTensor_(normal_stddevs)(THTensor *self, THGenerator *gen, double mean, THTensor *stddevs)
{
  check_bounds(stddevs, 1, 4, "stddevs");
  fill_affine(self, gen, NULL, mean, stddevs, 1);
}

void THTensor_(normal_means_stddevs)(THTensor *self, THGenerator *gen, THTensor *means,
                                     THTensor *stddevs)
{
  const ptrdiff_t n = THTensor_(nElement)(means), ns = THTensor_(nElement)(stddevs);
  THArgCheck(ns == n, 4, "stddevs has %td elements, means has %td", ns, n);
  check_bounds(stddevs, 1, 4, "stddevs");
  fill_affine(self, gen, means, 0, stddevs, 1);
}

/* --- other distributions ---------------------------------------------------------------------- */

/* The other distributions are computed in double for either type. */
static void convert_doubles(real *out, const double *x, ptrdiff_t n)
{
  for (ptrdiff_t i = 0; i < n; i++)
    out[i] = (real)x[i];
}

static void produce_exponential(THRandomSource *source, real *out, ptrdiff_t n)
{
  TH_SCRATCH(THRandomWork, work, 1);
  const uint32_t *pairs = THTensor_(drawRaw)(source, work->pairs, 2 * n);
  TH_DISPATCHED(THRandom_kernels)->logarithms(work->x, pairs, n, source->a, 1);
  convert_doubles(out, work->x, n);
}

void THTensor_(exponential)(THTensor *self, THGenerator *_generator, double lambda)
{
  THArgCheck(lambda > 0, 3, "lambda is %g, not > 0", lambda);
  THTensor_(fillBy)(self, _generator,
                    &(THRandomSource){
                        .produce = produce_exponential, .words = 2, .a = -1.0 / lambda});
}

static void produce_cauchy(THRandomSource *source, real *out, ptrdiff_t n)
{
  TH_SCRATCH(THRandomWork, work, 1);
  const uint32_t *pairs = THTensor_(drawRaw)(source, work->pairs, 2 * n);
  TH_DISPATCHED(THRandom_kernels)->tangents(work->x, pairs, n, source->b, source->a);
  convert_doubles(out, work->x, n);
}

void THTensor_(cauchy)(THTensor *self, THGenerator *_generator, double median, double sigma)
{
  THArgCheck(sigma > 0, 4, "sigma is %g, not > 0", sigma);
  THTensor_(fillBy)(self, _generator,
                    &(THRandomSource){
                        .produce = produce_cauchy, .words = 2, .a = median, .b = sigma});
}

static void produce_log_normal(THRandomSource *source, real *out, ptrdiff_t n)
{
  TH_SCRATCH(double, x, RANDOM_CHUNK);
  THRandom_standardNormals(source->generator, x, n);
  for (ptrdiff_t i = 0; i < n; i++)
    out[i] = (real)exp(x[i] * source->b + source->a);
}

void THTensor_(logNormal)(THTensor *self, THGenerator *_generator, double mean, double stdv)
{
  THArgCheck(stdv > 0, 4, "stdv is %g, not > 0", stdv);
  THTensor_(fillBy)(self, _generator,
                    &(THRandomSource){.produce = produce_log_normal, .a = mean, .b = stdv});
}

/* Numbers below the least normal one of the type become that one: none is 0. */
static void draw_gamma(const THRun *run, const void *context)
{
#if defined(TH_REAL_IS_FLOAT)
  const double least = FLT_MIN;
#else
  const double least = DBL_MIN;
#endif
  THGenerator *generator = *(THGenerator *const *)context;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *r = (real *)run->at[0] + j * run->rowStride[0];
    const real *alpha = (const real *)run->at[1] + j * run->rowStride[1];
    for (ptrdiff_t i = 0; i < run->n; i++)
      r[i * run->stride[0]] =
          (real)fmax(least, THRandom_standardGamma(generator, alpha[i * run->stride[1]]));
  }
}

void THTensor_(standard_gamma)(THTensor *self, THGenerator *_generator, THTensor *alpha)
{
  check_bounds(alpha, 0, 3, "alpha");
  THRandom_check(_generator, 2);
  Target target;
  self = open_target(&target, self, alpha);
  THGuard copied, locked;
  alpha = set_aside(&copied, self, alpha, alpha);
  THTensor_(resizeAs)(self, alpha);
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, self);
  THLoop_tensor(&loop, alpha);
  loop.inOrder = 1;
  THRandom_lock(&locked, _generator, 2);
  THLoop_run(&loop, draw_gamma, &_generator);
  THGuard_leave(&locked);
  THGuard_leave(&copied);
  close_target(&target);
}

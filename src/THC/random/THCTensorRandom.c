/* Tensors of random numbers. */
#define TH_TEMPLATE_DEVICE "THC/core/THCDevice.h"
#include "THTemplate.h"

#include <math.h>

#include "THCTensorRandom.h"
#include "THCTensorReduce.h"
#include "TH/tensor/THTensorCore.h"
#include "thc_random.h"

#include "THC/core/THCCalls.h"
#include "THC/core/THCFault.h"
#include "thc_multinomial.h"

extern const THCRandomKernel TH_CONCAT_2(THCRandom_, Real)[];

/* --- one distribution for all elements -------------------------------------------------------- */

/* The words of a subsequence that PyTorch counts as used up by tensors with probabilities. */
enum { GROUP_WORDS = 12 };

/* As many threads as PyTorch starts for so many elements. */
static ptrdiff_t threads_of(ptrdiff_t count)
{
  enum { BLOCK = 256 };
  const struct cudaDeviceProp *device = THCState_getCurrentDeviceProperties(THC_using);
  const ptrdiff_t most =
      (ptrdiff_t)device->multiProcessorCount * (device->maxThreadsPerMultiProcessor / BLOCK);
  return BLOCK * THMin(THMax(most, 1), (count + BLOCK - 1) / BLOCK);
}

/* Draws count elements, one at least, to an array. */
static void THTensor_(launch)(THCRandomFill fill, THCRandomKind kind)
{
  const THCRandomKernel *kernel = &TH_CONCAT_2(THCRandom_, Real)[kind];
  fill.threads = threads_of(fill.count);
  const ptrdiff_t calls = kernel->each ? (fill.count - 1) / (fill.threads * kernel->each) + 1 : 0;
  fill.draw = THCRandom_draw(THC_using, calls ? 4 * (uint64_t)calls : GROUP_WORDS);
  kernel->launch(&fill, THCState_getCurrentStream(THC_using));
  THCudaCheck(cudaGetLastError());
}

/* Elements with gaps are drawn into a contiguous tensor first, since groups have neighbours in
 * row-major order; and so are those that a kernel draws from tensors which self may overlap
 * (overlaps). */
static void THTensor_(fillWith)(THTensor *self, THCRandomFill fill, THCRandomKind kind,
                                int overlaps)
{
  THGuard guard;
  THTensor *to = self;
  THTensor_(sharesItself)(self, 1);
  fill.count = THTensor_(nElement)(self);
  if (fill.count == 0)
    return;
  THTensor_(guard)(&guard);
  if (overlaps || !THTensor_(isContiguous)(self)) {
    to = guard.what = THTensor_(new)();
    THTensor_(resizeNd)(to, self->nDimension, self->size, NULL);
  }
  fill.to = THTensor_(data)(to);
  THTensor_(launch)(fill, kind);
  if (to != self)
    THTensor_(copy)(self, to);
  THGuard_leave(&guard);
}

#define ENTER(...)  \
  THC_enter(state); \
  THC_CHECK_TENSORS(__VA_ARGS__)

/* --- integers ---------------------------------------------------------------------------------- */

/* How many of the numbers 0, 1, 2 ... the type represents without a gap. */
#if defined(TH_REAL_IS_BYTE)
#define COUNTABLE (UINT64_C(1) << 8)
#elif defined(TH_REAL_IS_HALF)
#define COUNTABLE ((UINT64_C(1) << 11) + 1)
#elif defined(TH_REAL_IS_FLOAT)
#define COUNTABLE ((UINT64_C(1) << 24) + 1)
#elif defined(TH_REAL_IS_DOUBLE)
#define COUNTABLE ((UINT64_C(1) << 53) + 1)
#else
#define COUNTABLE (UINT64_C(1) << (8 * sizeof(real) - 1))
#endif

/* base + one of 0 ... range - 1; a range of 0 stands for 2^64. */
static void THTensor_(integers)(THTensor *self, int64_t base, uint64_t range, int wide)
{
  THTensor_(fillWith)(self, (THCRandomFill){.base = base, .range = range},
                      wide ? THC_RANDOM_WIDE_INTEGERS : THC_RANDOM_INTEGERS, 0);
}

void THCTensor_(random)(THCState *state, THCTensor *self)
{
  ENTER(1, self);
  THTensor_(integers)(self, 0, COUNTABLE, COUNTABLE > UINT32_MAX);
}

void THCTensor_(clampedRandom)(THCState *state, THCTensor *self, int64_t min, int64_t max)
{
  ENTER(1, self);
  THArgCheck(min <= max, 3, "max is %lld, less than min, which is %lld", (long long)max,
             (long long)min);
  const uint64_t range = (uint64_t)max - (uint64_t)min + 1;
  THTensor_(integers)(self, min, range, range == 0 || range >= UINT64_C(1) << 28);
}

void THCTensor_(cappedRandom)(THCState *state, THCTensor *self, int64_t max)
{
  THArgCheck(max >= 1, 2, "max is %lld, not >= 1", (long long)max);
  THCTensor_(clampedRandom)(state, self, 1, max);
}

void THCTensor_(geometric)(THCState *state, THCTensor *self, double p)
{
  ENTER(1, self);
  THArgCheck(p > 0 && p < 1, 2, "p is %g, not between 0 and 1", p);
#ifdef TH_COMPAT_TORCH7
  p = 1 - p;
#endif
  THTensor_(fillWith)(self, (THCRandomFill){.a = p}, THC_RANDOM_GEOMETRIC, 0);
}

/* --- bernoulli -------------------------------------------------------------------------------- */

void THCTensor_(bernoulli)(THCState *state, THCTensor *self, double p)
{
  ENTER(1, self);
  THArgCheck(p >= 0 && p <= 1, 2, "p is %g, not in [0, 1]", p);
  THTensor_(fillWith)(self, (THCRandomFill){.a = p}, THC_RANDOM_BERNOULLI, 0);
}

void THCudaDevice_free(THCudaTensor *tensor);
void THCudaDoubleDevice_free(THCudaDoubleTensor *tensor);

/* Checks np probabilities without gaps, for n draws. */
static void THTensor_(checkProbabilities)(THCState *state, ptrdiff_t n, ptrdiff_t np, const void *p,
                                          int doubles)
{
  THCCheck check;
  THCFault fault;
  THArgCheck(np == n, 2, "p has %td elements, self has %td", np, n);
  if (np == 0 || !THCCheck_open(&check, state, "bernoulli", 2, 0, 1))
    return;
  THCKernel_checkUnit(p, doubles, np, &check.report, THCState_getCurrentStream(state));
  THCCheck_close(&check, &fault);
  THArgCheck(!fault.found, 2, "p has the element %g, not in [0, 1]", THCFault_number(&fault));
}

void THCTensor_(bernoulli_FloatTensor)(THCState *state, THCTensor *self, THCudaTensor *p)
{
  THGuard guard;
  ENTER(2, self, p);
  const ptrdiff_t np = THCudaTensor_nElement(state, p);
  THGuard_enter(&guard, (THUndo)THCudaDevice_free);
  p = guard.what = THCudaTensor_newContiguous(state, p);
  const THCRandomFill fill = {.probabilities = THCudaTensor_data(state, p)};
  THTensor_(checkProbabilities)(state, THTensor_(nElement)(self), np, fill.probabilities, 0);
  THTensor_(fillWith)(self, fill, THC_RANDOM_BERNOULLI_FLOATS, 1);
  THGuard_leave(&guard);
}

void THCTensor_(bernoulli_DoubleTensor)(THCState *state, THCTensor *self, THCudaDoubleTensor *p)
{
  THGuard guard;
  ENTER(2, self, p);
  const ptrdiff_t np = THCudaDoubleTensor_nElement(state, p);
  THGuard_enter(&guard, (THUndo)THCudaDoubleDevice_free);
  p = guard.what = THCudaDoubleTensor_newContiguous(state, p);
  const THCRandomFill fill = {.probabilities = THCudaDoubleTensor_data(state, p)};
  THTensor_(checkProbabilities)(state, THTensor_(nElement)(self), np, fill.probabilities, 1);
  THTensor_(fillWith)(self, fill, THC_RANDOM_BERNOULLI_DOUBLES, 1);
  THGuard_leave(&guard);
}

void THCTensor_(bernoulli_Tensor)(THCState *state, THCTensor *self, THCTensor *p)
{
#if defined(TH_REAL_IS_FLOAT)
  THCTensor_(bernoulli_FloatTensor)(state, self, p);
#elif defined(TH_REAL_IS_DOUBLE)
  THCTensor_(bernoulli_DoubleTensor)(state, self, p);
#else
  THGuard guard;
  ENTER(2, self, p);
  THGuard_enter(&guard, (THUndo)THCudaDevice_free);
  THCudaTensor *floats = guard.what = THCudaTensor_new(state);
  THCudaTensor_resizeNd(state, floats, p->nDimension, p->size, NULL);
  TH_CONCAT_2(THCudaTensor_copyCuda, Real)(state, floats, p);
  THCTensor_(bernoulli_FloatTensor)(state, self, floats);
  THGuard_leave(&guard);
#endif
}

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE) || defined(TH_REAL_IS_HALF)

/* --- uniform and normal ----------------------------------------------------------------------- */

void THCTensor_(uniform)(THCState *state, THCTensor *self, double a, double b)
{
  ENTER(1, self);
  THTensor_(fillWith)(self, (THCRandomFill){.a = a, .b = b}, THC_RANDOM_UNIFORM, 0);
}

void THCTensor_(normal)(THCState *state, THCTensor *self, double mean, double stdv)
{
  ENTER(1, self);
  THArgCheck(stdv > 0, 3, "stdv is %g, not > 0", stdv);
  THTensor_(fillWith)(self, (THCRandomFill){.a = mean, .b = stdv}, THC_RANDOM_NORMAL, 0);
}

void THCTensor_(rand)(THCState *state, THCTensor *r_, THLongStorage *size)
{
  ENTER(1, r_);
  THArgCheck(size, 2, "size is NULL");
  THTensor_(resize)(r_, size, NULL);
  THCTensor_(uniform)(state, r_, 0, 1);
}

void THCTensor_(randn)(THCState *state, THCTensor *r_, THLongStorage *size)
{
  ENTER(1, r_);
  THArgCheck(size, 2, "size is NULL");
  THTensor_(resize)(r_, size, NULL);
  THCTensor_(normal)(state, r_, 0, 1);
}

/* means, deviations or both are tensors, which the kernel reads in row-major order. */
static void THTensor_(affine)(THTensor *self, THTensor *means, double mean, THTensor *deviations,
                              double deviation)
{
  THGuard first, second, third;
  THTensor *const like = means ? means : deviations;
  THCRandomFill fill = {.a = mean, .b = deviation, .count = THTensor_(nElement)(like)};
  THTensor_(guard)(&first);
  THTensor_(guard)(&second);
  THTensor_(guard)(&third);
  if (means) {
    first.what = means = THTensor_(newContiguous)(means);
    fill.means = THTensor_(data)(means);
  }
  if (deviations) {
    second.what = deviations = THTensor_(newContiguous)(deviations);
    fill.deviations = THTensor_(data)(deviations);
  }
  THTensor *made = third.what = THTensor_(new)();
  THTensor_(resizeNd)(made, like->nDimension, like->size, NULL);
  THTensor_(resizeAs)(self, like);
  THTensor_(sharesItself)(self, 1);
  fill.to = THTensor_(data)(made);
  if (fill.count > 0) {
    THTensor_(launch)(fill, THC_RANDOM_NORMAL);
    THTensor_(copy)(self, made);
  }
  THGuard_leave(&third);
  THGuard_leave(&second);
  THGuard_leave(&first);
}

static void THTensor_(checkDeviations)(THCState *state, THTensor *stddevs, int argument)
{
  if (THTensor_(nElement)(stddevs) == 0)
    return;
  const double least = TH_CONVERT_REAL_TO_ACCREAL(THCTensor_(minall)(state, stddevs));
  const double most = TH_CONVERT_REAL_TO_ACCREAL(THCTensor_(maxall)(state, stddevs));
  THArgCheck(least >= 0 && isfinite(most), argument,
             "stddevs has elements from %g to %g, not >= 0 and finite", least, most);
}

void THCTensor_(normal_means)(THCState *state, THCTensor *self, THCTensor *means, double stddev)
{
  ENTER(2, self, means);
  THArgCheck(stddev > 0, 3, "stddev is %g, not > 0", stddev);
  THTensor_(affine)(self, means, 0, NULL, stddev);
}

void THCTensor_(normal_stddevs)(THCState *state, THCTensor *self, double mean, THCTensor *stddevs)
{
  ENTER(2, self, stddevs);
  THTensor_(checkDeviations)(state, stddevs, 3);
  THTensor_(affine)(self, NULL, mean, stddevs, 1);
}

void THCTensor_(normal_means_stddevs)(THCState *state, THCTensor *self, THCTensor *means,
                                      THCTensor *stddevs)
{
  ENTER(3, self, means, stddevs);
  const ptrdiff_t n = THTensor_(nElement)(means), ns = THTensor_(nElement)(stddevs);
  THArgCheck(ns == n, 3, "stddevs has %td elements, means has %td", ns, n);
  THTensor_(checkDeviations)(state, stddevs, 3);
  THTensor_(affine)(self, means, 0, stddevs, 1);
}

/* --- other distributions ---------------------------------------------------------------------- */

void THCTensor_(logNormal)(THCState *state, THCTensor *self, double mean, double stdv)
{
  ENTER(1, self);
  THArgCheck(stdv > 0, 3, "stdv is %g, not > 0", stdv);
  THTensor_(fillWith)(self, (THCRandomFill){.a = mean, .b = stdv}, THC_RANDOM_LOG_NORMAL, 0);
}

void THCTensor_(exponential)(THCState *state, THCTensor *self, double lambda)
{
  ENTER(1, self);
  THArgCheck(lambda > 0, 2, "lambda is %g, not > 0", lambda);
  THTensor_(fillWith)(self, (THCRandomFill){.a = lambda}, THC_RANDOM_EXPONENTIAL, 0);
}

void THCTensor_(cauchy)(THCState *state, THCTensor *self, double median, double sigma)
{
  ENTER(1, self);
  THArgCheck(sigma > 0, 3, "sigma is %g, not > 0", sigma);
  THTensor_(fillWith)(self, (THCRandomFill){.a = median, .b = sigma}, THC_RANDOM_CAUCHY, 0);
}

#endif

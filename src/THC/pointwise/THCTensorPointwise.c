/* Defines THCTensor_(cadd) and all other rows of src/ops/pointwise.h: TH/pointwise/THTensorRows.h, which is
 * included at the end, makes the functions, and runRow launches the kernels of pointwise.cu. */
#define TH_TEMPLATE_DEVICE "THC/core/THCDevice.h"
#include "THTemplate.h"

#include "THCTensorMath.h"
#include "TH/pointwise/THPointwise.h"
#include "TH/tensor/THTensorCore.h"
#include "THC/core/thc_kernels.h"
#include "THC/pointwise/THCHalfRow.h"

/* --- the rows of this type -------------------------------------------------------------------- */

/* Each stands for its argument where this type has rows of that kind, else for nothing. */

#define ALL(...)       __VA_ARGS__
#define SIGNED(...)    __VA_ARGS__
#define IS_KERNEL(...) __VA_ARGS__
#define NO_KERNEL(...)
#if defined(THC_REAL_IS_HALF) || defined(THC_REAL_IS_FLOAT) || defined(THC_REAL_IS_DOUBLE)
#define FLOAT(...)  __VA_ARGS__
#define INTEGER     NO_KERNEL
#define IS_FLOATING 1
#else
#define FLOAT(...)
#define INTEGER     IS_KERNEL
#define IS_FLOATING 0
#endif
#ifdef THC_REAL_IS_HALF
#define BUT_HALF NO_KERNEL
#else
#define BUT_HALF IS_KERNEL
#endif

/* --- kernels (pointwise/pointwise.cu) ------------------------------------------------------------ */

/* The launchers, and a table of them: NULL for rows that the type does not have. */

#define FILL(...)
#define ORDER(...)
#define KERNEL_OF(NAME) TH_CONCAT_4(THCPointwise_, Real, _, NAME)
#define ROW(TYPES, COST, NAME, ...) \
  TYPES(void KERNEL_OF(NAME)(const THCWalk *walk, const void *scalars, cudaStream_t stream);)
#include "ops/pointwise.h"

static const THCKernel THTensor_(pointwise)[TH_POINTWISE_ROWS] = {
#define FILL(...)
#define ORDER(...)
#define ROW(TYPES, COST, NAME, ...) TYPES([TH_POINTWISE_##NAME] = KERNEL_OF(NAME), )
#include "ops/pointwise.h"
};

/* The kernels' scalars. */
#ifdef THC_REAL_IS_HALF
typedef float THTensor_(number);
#define NUMBER_OF(X)  THC_half2float(X)
#define ELEMENT_OF(X) THC_float2half(X)
#else
typedef real THTensor_(number);
#define NUMBER_OF(X)  (X)
#define ELEMENT_OF(X) (X)
#endif

/* --- functions that the rows call ----------------------------------------------------------- */

typedef THPointwise THTensor_(Row);
#define TH_ROW(NAME)   TH_POINTWISE_##NAME
#define TH_ROW_OP(ROW) ROW

static int THTensor_(hasRow)(THTensor_(Row) op)
{
  return op == TH_POINTWISE_fill || THTensor_(pointwise)[op];
}

static void THTensor_(checkReach)(const THTensor *t, int arg, const char *name, const char *called)
{
  THArgCheck(THCTensor_(checkGPU)(THC_using, 1, t), arg,
             "%s: %s is on device %d, which the current one, %d, does not reach", name, called,
             t->storage->device, THC_currentDevice());
}

static void THTensor_(checkDevices)(const THPointwiseInfo *info, const THTensor *r,
                                    THTensor *const in[])
{
  THTensor_(checkReach)(r, 1, info->name, "the result");
  for (int i = 0; i < info->inputs; i++)
    THTensor_(checkReach)(in[i], info->argument[i], info->name, info->input[i]);
}

/* Checks scalars only: a check of elements in device memory would have to wait. */
static void THTensor_(checkDivisor)(const THPointwiseInfo *info, THTensor *const in[],
                                    THTensor_(number) a)
{
  if (!IS_FLOATING && info->inputs == 1)
    THArgCheck(a != 0, info->scalar, "%s: integer division by 0", info->name);
}

static int THTensor_(orderResult)(const THPointwiseInfo *info, THLoop *loop)
{
  THArgCheck(!THLoop_overlapsItself(loop, 0), 1,
             "%s: the result of size %s has elements that share memory with each other", info->name,
             _THSizeDesc(loop->size[0], loop->nDimension[0]).str);
  return 0;
}

/* Two shapes always have a common refinement if one of them has one dimension. */
static int THTensor_(walksWith)(const THTensor *x, const THTensor *in)
{
  return THTensor_(isSameSizeAs)(x, in) || THTensor_(isContiguous)(in);
}

static void THTensor_(runRow)(THTensor_(Row) op, THLoop *loop, THTensor_(number) a,
                              THTensor_(number) b)
{
  const THTensor_(number) scalars[2] = {a, b};
  const real fill = ELEMENT_OF(a);
  const cudaStream_t stream = THCState_getCurrentStream(THC_using);
  const int done = op == TH_POINTWISE_fill
                       ? THCWalk_run(loop, THC_fillers[TH_CONCAT_2(THScalar, Real)], &fill, stream)
                       : THCWalk_run(loop, THTensor_(pointwise)[op], scalars, stream);
  THAssert(done);
}

/* --- the functions -------------------------------------------------------------------------- */

#undef INTEGER
#undef BUT_HALF
#define INTEGER  ALL /* where there is no kernel, the function raises */
#define BUT_HALF ALL

#define TH_ROW_FUNCTION(NAME, Result, ...) \
  void THCTensor_(NAME)(THCState *state, Result *r_, __VA_ARGS__)
#define TH_ROW_ENTER THC_enter(state);
#include "TH/pointwise/THTensorRows.h"

void THCTensor_(zero)(THCState *state, THCTensor *self)
{
  THCTensor_(fill)(state, self, (real){0});
}

#ifdef THC_REAL_IS_HALF
void THC_halfRow(THCState *state, THPointwise op, THTensor *r, THTensor *x, THTensor *y,
                 THTensor *z, float a, float b)
{
  THC_enter(state);
  THTensor_(callRow)(op, r, x, y, z, a, b);
}
#endif

#if IS_FLOATING
void THCTensor_(polygamma)(THCState *state, THCTensor *self, int64_t n, THCTensor *src)
{
  THArgCheck(n == 0 || n == 1, 2, "polygamma: n is %lld, and only 0 and 1 are implemented",
             (long long)n);
  if (n == 0)
    THCTensor_(digamma)(state, self, src);
  else
    THCTensor_(trigamma)(state, self, src);
}
#endif

/* The pointwise operations of src/ops/pointwise.h as functions on tensors. */
#include "THTemplate.h"

#include "../THPointwise.h"
#include "THTensorCore.h"

TH_DISPATCH(THKernel, THTensor_(pointwise))

/* --- one call, of any row -------------------------------------------------------------------- */

enum { MOST_INPUTS = 3, GRAIN = TH_LOOP_GRAIN };

/* The result may be of another type than the inputs: it is read as a tensor of this type, all of
 * which have the same layout, and its storage's data is not looked at but through itemSize. */
typedef struct {
  THPointwise op;
  THTensor *r;
  size_t itemSize;
  void (*resize)(THTensor *r, THTensor *like);
  int inputs;
  THTensor *in[MOST_INPUTS];
  int arg[MOST_INPUTS]; /* their argument numbers */
  const char *name[MOST_INPUTS];
  real scalars[2];
} THTensor_(Call);

static void THTensor_(addResult)(THLoop *loop, const THTensor_(Call) * call)
{
  const THTensor *r = call->r;
  char *data = r->storage ? (char *)r->storage->data : NULL;
  THLoop_operand(loop, data ? data + r->storageOffset * (ptrdiff_t)call->itemSize : NULL,
                 call->itemSize, r->nDimension, r->size, r->stride);
}

/* Whether writing r would change what is still to be read from input i: they share memory, and
 * either r is about to be resized or they do not lie in it alike. */
static int THTensor_(disturbs)(const THTensor_(Call) * call, int i, int resizes)
{
  const THTensor *in = call->in[i];
  if (!in->storage || !call->r->storage)
    return 0;
  if (resizes)
    return (void *)in->storage->data == (void *)call->r->storage->data;
  if (in == call->r)
    return 0;
  THLoop loop;
  THLoop_init(&loop);
  THTensor_(addResult)(&loop, call);
  THLoop_tensor(&loop, in);
  return THLoop_overlap(&loop, 0, 1) == TH_OVERLAP_MIXED;
}

static void THTensor_(run)(const THTensor_(Call) * call)
{
  THLoop loop;
  THLoop_init(&loop);
  THTensor_(addResult)(&loop, call);
  for (int i = 0; i < call->inputs; i++)
    THLoop_tensor(&loop, call->in[i]);
  THLoop_run(&loop, THTensor_(pointwise)[call->op], call->scalars);
}

/* Checks, sets aside what must be, resizes, runs: in that order nothing is lost by a failure. */
static void THTensor_(callPointwise)(THTensor_(Call) * call)
{
  const ptrdiff_t n = THTensor_(nElement)(call->in[0]);
  for (int i = 1; i < call->inputs; i++) {
    const ptrdiff_t other = THTensor_(nElement)(call->in[i]);
    THArgCheck(other == n, call->arg[i], "%s has %td elements (%s), %s has %td (%s)", call->name[i],
               other, THTensor_(sizeDesc)(call->in[i]).str, call->name[0], n,
               THTensor_(sizeDesc)(call->in[0]).str);
  }

  const int resizes = !THTensor_(isSameSizeAs)(call->r, call->in[0]);
  if (!resizes && !THTensor_(isContiguous)(call->r)) {
    THLoop loop;
    THLoop_init(&loop);
    THTensor_(addResult)(&loop, call);
    THArgCheck(!THLoop_overlapsItself(&loop, 0), 1,
               "the result of size %s has elements that share memory with each other",
               THTensor_(sizeDesc)(call->r).str);
  }
  THGuard aside[MOST_INPUTS];
  for (int i = 0; i < call->inputs; i++) {
    THTensor_(guard)(&aside[i]);
    if (TH_UNLIKELY(THTensor_(disturbs)(call, i, resizes)))
      call->in[i] = aside[i].what = THTensor_(newClone)(call->in[i]);
  }
  if (resizes)
    call->resize(call->r, call->in[0]);
  THTensor_(run)(call);
  for (int i = call->inputs - 1; i >= 0; i--)
    THGuard_leave(&aside[i]);
}

static void THTensor_(resizeByte)(THTensor *r, THTensor *like)
{
  THByteTensor_resizeNd((THByteTensor *)r, like->nDimension, like->size, NULL);
}

#define INTO_REAL(R) .r = (R), .itemSize = sizeof(real), .resize = THTensor_(resizeAs)
#define INTO_BYTE(R) .r = (THTensor *)(R), .itemSize = 1, .resize = THTensor_(resizeByte)

/* --- what must hold
 * ------------------------------------------------------------------------------- */

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

static void THTensor_(checkDivisor)(real value, int arg)
{
}

static void THTensor_(checkDivisors)(THTensor *t, int arg)
{
}

#define CHECK_BITS(NAME) THError(#NAME " is for integer tensors, not for " TH_STRING_OF(Real))

#else

static void THTensor_(checkDivisor)(real value, int arg)
{
  THArgCheck(value != 0, arg, "integer division by zero");
}

/* Sets *found where a divisor is 0; blocks may run side by side, all of which write the same. */
static void THTensor_(findZero)(const THRun *run, const void *found)
{
  int any = 0;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    const real *t = (const real *)run->at[0] + j * run->jump[0];
    for (ptrdiff_t i = 0; i < run->n; i++)
      any |= t[i * run->step[0]] == 0;
  }
  if (any)
    __atomic_store_n(*(int *const *)found, 1, __ATOMIC_RELAXED);
}

static void THTensor_(checkDivisors)(THTensor *t, int arg)
{
  int zero = 0, *found = &zero;
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, t);
  THLoop_run(&loop, THTensor_(findZero), &found);
  THArgCheck(!zero, arg, "integer division by zero: an element of the divisor is 0");
}

#define CHECK_BITS(NAME)

#endif

/* --- the rows as functions
 * ------------------------------------------------------------------------- */

#define ALL(...)     __VA_ARGS__
#define INTEGER(...) __VA_ARGS__ /* floating types have the functions, which raise */
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define FLOAT(...) __VA_ARGS__
#else
#define FLOAT(...)
#endif
#if defined(TH_REAL_IS_BYTE) || defined(TH_REAL_IS_CHAR)
#define SIGNED(...)
#else
#define SIGNED(...) __VA_ARGS__
#endif

/* FUNCTION((parameters), row, what must hold, the rest of the call). */
#define FUNCTION(NAME, PARAMETERS, OP, CHECK, ...)                                      \
  void THTensor_(NAME) PARAMETERS                                                       \
  {                                                                                     \
    CHECK;                                                                              \
    THTensor_(callPointwise)(&(THTensor_(Call)){.op = TH_POINTWISE_##OP, __VA_ARGS__}); \
  }

/* clang-format off */
#define FILL(TYPES, NAME, ...)

#define UNARY(TYPES, NAME, ...) TYPES(FUNCTION(NAME, (THTensor *r_, THTensor *t), NAME, , \
  INTO_REAL(r_), .inputs = 1, .in = {t}))

#define ONE_SCALAR(TYPES, NAME, CHECK) \
  TYPES(FUNCTION(NAME, (THTensor *r_, THTensor *t, real value), NAME, CHECK, \
  INTO_REAL(r_), .inputs = 1, .in = {t}, .scalars = {value}))
#define SCALAR(TYPES, NAME, ...) ONE_SCALAR(TYPES, NAME, )
#define SCALAR_DIVIDES(TYPES, NAME, ...) \
  ONE_SCALAR(TYPES, NAME, THTensor_(checkDivisor)(value, 3))
#define SCALAR_BITS(TYPES, NAME, ...) ONE_SCALAR(TYPES, NAME, CHECK_BITS(NAME))

#define SCALAR2(TYPES, NAME, ...) \
  TYPES(FUNCTION(NAME, (THTensor *r_, THTensor *t, real value1, real value2), NAME, , \
  INTO_REAL(r_), .inputs = 1, .in = {t}, .scalars = {value1, value2}))

#define SCALAR_FIRST(TYPES, NAME, ...) \
  TYPES(FUNCTION(NAME, (THTensor *r_, real value, THTensor *t), NAME, , \
  INTO_REAL(r_), .inputs = 1, .in = {t}, .scalars = {value}))

#define TWO_TENSORS(TYPES, NAME, CHECK) \
  TYPES(FUNCTION(NAME, (THTensor *r_, THTensor *t, THTensor *src), NAME, CHECK, \
  INTO_REAL(r_), .inputs = 2, .in = {t, src}, .arg = {2, 3}, .name = {"t", "src"}))
#define BINARY(TYPES, NAME, ...) TWO_TENSORS(TYPES, NAME, )
#define BINARY_DIVIDES(TYPES, NAME, ...) \
  TWO_TENSORS(TYPES, NAME, THTensor_(checkDivisors)(src, 3))
#define BINARY_BITS(TYPES, NAME, ...) TWO_TENSORS(TYPES, NAME, CHECK_BITS(NAME))

#define BINARY_SCALED(TYPES, NAME, ...) \
  TYPES(FUNCTION(NAME, (THTensor *r_, THTensor *t, real value, THTensor *src), NAME, , \
  INTO_REAL(r_), .inputs = 2, .in = {t, src}, .arg = {2, 4}, .name = {"t", "src"}, \
  .scalars = {value}))

#define BINARY_WEIGHTED(TYPES, NAME, ...) \
  TYPES(FUNCTION(NAME, (THTensor *r_, THTensor *a, THTensor *b, real weight), NAME, , \
  INTO_REAL(r_), .inputs = 2, .in = {a, b}, .arg = {2, 3}, .name = {"a", "b"}, \
  .scalars = {weight}))

#define THREE_TENSORS(TYPES, NAME, CHECK) \
  TYPES(FUNCTION(NAME, (THTensor *r_, THTensor *t, real value, THTensor *src1, THTensor *src2), \
  NAME, CHECK, INTO_REAL(r_), .inputs = 3, .in = {t, src1, src2}, .arg = {2, 4, 5}, \
  .name = {"t", "src1", "src2"}, .scalars = {value}))
#define TERNARY_SCALED(TYPES, NAME, ...) THREE_TENSORS(TYPES, NAME, )
#define TERNARY_SCALED_DIVIDES(TYPES, NAME, ...) \
  THREE_TENSORS(TYPES, NAME, THTensor_(checkDivisors)(src2, 5))

#define COMPARE(TYPES, NAME, ...) \
  FUNCTION(NAME##Value, (THByteTensor *r_, THTensor *t, real value), NAME##Value, , \
    INTO_BYTE(r_), .inputs = 1, .in = {t}, .scalars = {value}) \
  FUNCTION(NAME##ValueT, (THTensor *r_, THTensor *t, real value), NAME##ValueT, , \
    INTO_REAL(r_), .inputs = 1, .in = {t}, .scalars = {value}) \
  FUNCTION(NAME##Tensor, (THByteTensor *r_, THTensor *ta, THTensor *tb), NAME##Tensor, , \
    INTO_BYTE(r_), .inputs = 2, .in = {ta, tb}, .arg = {2, 3}, .name = {"ta", "tb"}) \
  FUNCTION(NAME##TensorT, (THTensor *r_, THTensor *ta, THTensor *tb), NAME##TensorT, , \
    INTO_REAL(r_), .inputs = 2, .in = {ta, tb}, .arg = {2, 3}, .name = {"ta", "tb"})

#include "ops/pointwise.h"
/* clang-format on */

/* --- no input: filling
 * ----------------------------------------------------------------------------- */

void THTensor_(fill)(THTensor *r_, real value)
{
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, r_);
  const real scalars[2] = {value};
  THLoop_run(&loop, THTensor_(pointwise)[TH_POINTWISE_fill], scalars);
}

void THTensor_(zero)(THTensor *r_)
{
  THTensor_(fill)(r_, 0);
}

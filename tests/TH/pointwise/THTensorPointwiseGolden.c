/* Every row of ops/pointwise.h against PyTorch, whose values tests/oracle/pointwise.py wrote. */
#include "THTemplate.h"

#include <float.h>

#include "th_golden.h"

typedef struct Work {
  THGoldenFile *golden;
  THTensor *x, *y, *z, *n; /* n, for integers, stands for y in shifts and powers */
  THTensor *scalars, *r;
  THByteTensor *bytes;
} Work;

/* How many units in the last place the functions may be away from PyTorch's, which has its own
 * errors; THVectorMath.c has the bounds of ours alone. */
typedef enum Cost { CHEAP, COSTLY, SLOW, DIVIDES } Cost;

static double tolerance(Cost cost)
{
  return cost == SLOW ? 16 : cost == COSTLY ? 4 : 0;
}

#if defined(TH_REAL_IS_FLOAT)
#define EPSILON FLT_EPSILON
#elif defined(TH_REAL_IS_DOUBLE)
#define EPSILON DBL_EPSILON
#else
#define EPSILON 0
#endif

static int agree(double got, double want, double units)
{
  if (isnan(want) || isinf(want) || got == want)
    return isnan(want) ? isnan(got) : got == want;
  return fabs(got - want) <= units * EPSILON * fabs(want);
}

static void check(const Work *work, const char *name, int scalar, double units, int bytes)
{
#ifdef TH_COMPAT_TORCH7 /* where these differ, as THTensorPointwise.c has it */
  if (!strcmp(name, "round") || strstr(name, "rshift"))
    return;
#endif
  const THGolden *want =
      scalar < 0 ? th_golden(work->golden, "%s/%s", TH_STRING_OF(Real), name)
                 : th_golden(work->golden, "%s/%s/%d", TH_STRING_OF(Real), name, scalar);
  assert_int_equal(bytes ? THByteTensor_nElement(work->bytes) : THTensor_(nElement)(work->r),
                   want->count);
  for (ptrdiff_t i = 0; i < want->count; i++) {
    const double number = th_golden_number(want, i);
    const double got =
        bytes ? THByteTensor_data(work->bytes)[i] : (double)THTensor_(data)(work->r)[i];
    if (!agree(got, number, units))
      fail_msg("%s: element %td is %.17g, PyTorch has %.17g", want->name, i, got, number);
  }
}

/* --- the calls -------------------------------------------------------------------------------- */

static int shifts(const char *name)
{
  return strstr(name, "shift") != NULL;
}

/* Whether a cheap row rounds more than once: rsqrt, and shifts by a fraction. */
static int rounds(const char *name)
{
  return shifts(name) || strcmp(name, "rsqrt") == 0;
}

static THTensor *second(const Work *work, const char *name)
{
  const int counts = shifts(name) || (EPSILON == 0 && strcmp(name, "cpow") == 0);
  return counts ? work->n : work->y;
}

#define CALL(COST, NAME, K, BYTES, ...)                                                \
  {                                                                                    \
    __VA_ARGS__;                                                                       \
    check(work, #NAME, K, rounds(#NAME) ? tolerance(COSTLY) : tolerance(COST), BYTES); \
  }
#define FOR_SCALARS(COST, NAME, BYTES, ...)                             \
  for (int k = 0; k < (int)THTensor_(nElement)(work->scalars); k++) {   \
    const int next = (k + 1) % (int)THTensor_(nElement)(work->scalars); \
    const real a = THTensor_(get1d)(work->scalars, k);                  \
    TH_UNUSED const real b = THTensor_(get1d)(work->scalars, next);     \
    CALL(COST, NAME, k, BYTES, __VA_ARGS__)                             \
  }

#define ALL(...) __VA_ARGS__
#define BUT_HALF ALL
#define NO_ROW(...)
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define FLOAT   ALL
#define SIGNED  ALL
#define INTEGER NO_ROW
#else
#define FLOAT   NO_ROW
#define INTEGER ALL
#if defined(TH_REAL_IS_BYTE) || defined(TH_REAL_IS_CHAR)
#define SIGNED NO_ROW
#else
#define SIGNED ALL
#endif
#endif

/* clamp wants its bounds in order, and polygamma(1) is PyTorch's trigamma. */
static void call_scalars(void (*f)(THTensor *, THTensor *, real, real), const char *name,
                         const Work *work, real a, real b)
{
  const int ordered = strcmp(name, "clamp") == 0;
  f(work->r, work->x, ordered ? THMin(a, b) : a, ordered ? THMax(a, b) : b);
}

static void call_all(const Work *work)
{
  /* clang-format off */
#define FILL(TYPES, COST, NAME, ...) \
  TYPES(FOR_SCALARS(COST, NAME, 0, THTensor_(NAME)(work->r, a)))
#define UNARY(TYPES, COST, NAME, ...) \
  TYPES(CALL(COST, NAME, -1, 0, THTensor_(NAME)(work->r, work->x)))
#define SCALAR(TYPES, COST, NAME, ...) \
  TYPES(FOR_SCALARS(COST, NAME, 0, THTensor_(NAME)(work->r, work->x, a)))
#define SCALARS(TYPES, COST, NAME, ...) \
  TYPES(FOR_SCALARS(COST, NAME, 0, call_scalars(THTensor_(NAME), #NAME, work, a, b)))
#define BASE(TYPES, COST, NAME, ...) \
  TYPES(FOR_SCALARS(COST, NAME, 0, THTensor_(NAME)(work->r, a, work->x)))
#define ORDER(TYPES, COST, NAME, ...) \
  TYPES(CALL(COST, trigamma, -1, 0, THTensor_(NAME)(work->r, 1, work->x)))
#define BINARY(TYPES, COST, NAME, ...) \
  TYPES(CALL(COST, NAME, -1, 0, THTensor_(NAME)(work->r, work->x, second(work, #NAME))))
#define SCALED(TYPES, COST, NAME, ...) \
  TYPES(FOR_SCALARS(COST, NAME, 0, THTensor_(NAME)(work->r, work->x, a, work->y)))
#define WEIGHTED(TYPES, COST, NAME, ...) \
  TYPES(FOR_SCALARS(COSTLY, NAME, 0, THTensor_(NAME)(work->r, work->x, work->y, a)))
#define TERNARY(TYPES, COST, NAME, ...) \
  TYPES(FOR_SCALARS(COST, NAME, 0, THTensor_(NAME)(work->r, work->x, a, work->y, work->z)))
#define COMPARE_VALUE(TYPES, COST, NAME, ...) \
  TYPES(FOR_SCALARS(COST, NAME, 1, THTensor_(NAME)(work->bytes, work->x, a)))
#define COMPARE_VALUE_T SCALAR
#define COMPARE_TENSOR(TYPES, COST, NAME, ...) \
  TYPES(CALL(COST, NAME, -1, 1, THTensor_(NAME)(work->bytes, work->x, work->y)))
#define COMPARE_TENSOR_T BINARY
  /* clang-format on */
#include "src/ops/pointwise.h"
}

/* --- the test ------------------------------------------------------------------------------- */

static THTensor *input(const Work *work, const char *name)
{
  return TH_CONCAT_2(th_golden_new,
                     Real)(th_golden(work->golden, "%s/%s", TH_STRING_OF(Real), name));
}

static void THTest_(pointwiseGolden)(void)
{
  Work work = {.golden = th_golden_open("pointwise.txt")};
  work.x = input(&work, "x");
  work.y = input(&work, "y");
  work.z = input(&work, "z");
  work.n = input(&work, "n");
  work.scalars = input(&work, "scalars");
  work.r = THTensor_(newWithSize1d)(work.x->size[0]);
  work.bytes = THByteTensor_new();
  call_all(&work);
  THTensor_(free)(work.x);
  THTensor_(free)(work.y);
  THTensor_(free)(work.z);
  THTensor_(free)(work.n);
  THTensor_(free)(work.scalars);
  THTensor_(free)(work.r);
  THByteTensor_free(work.bytes);
  th_golden_close(work.golden);
}

TH_TESTS(THTest_(pointwiseGolden))

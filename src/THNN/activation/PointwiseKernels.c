/* Kernels of the layers and losses that compute element by element. */
#include "THVectorMath.h"
#include "TH/loop/THStream.h"
#include "TH/core/THScratch.h"

#include "THNN/layer/Template.h"

#ifdef TH_REAL_IS_FLOAT
#include "TH/pointwise/THMathAvx512.h"
#endif

/* --- functions that rows share --------------------------------------------------------------- */

/* log(1 + exp(z)), which does not overflow */
TH_MATH real THNN_(softplus)(real z)
{
  return (z > 0 ? z : 0) + THMath_(log1p)(THMath_(exp)(-THMath_(abs)(z)));
}

/* Accurate to two units in the last place, in half the time of the exact one in plain C. */
TH_MATH real THNN_(sigmoid)(real x)
{
  return 1 / (1 + THMath_(exp)(-x));
}

TH_MATH real THNN_(atLeast)(real x, real least)
{
  return x < least ? least : x;
}

TH_MATH real THNN_(logOr100)(real logarithm)
{
  return THNN_(atLeast)(logarithm, -100);
}

/* --- loops ----------------------------------------------------------------------------------- */

enum { INPUTS = 4 }; /* the most inputs of a line */
enum {
  BLOCK = 512
}; /* elements of an input that are gathered at a time; they stay in the L1 cache */

typedef real Block[BLOCK];

/* r[i] = f(in[0][i], in[1][i], ...): a row of the table with a loop of its own. */
typedef void (*Line)(ptrdiff_t n, real *r, const real *const *in, const THNN_(Scalars) * s);

/* Points in at elements i ... i + n of a row of each input.  Inputs that are not contiguous are
 * copied to buffer first. */
static void gather(const THRun *run, int first, int inputs, ptrdiff_t row, ptrdiff_t i, ptrdiff_t n,
                   const real **in, Block *buffer)
{
  for (int k = 0; k < inputs; k++) {
    const ptrdiff_t step = run->stride[first + k];
    const real *x = (const real *)run->at[first + k] + row * run->rowStride[first + k] + i * step;
    in[k] = step == 1 ? x : buffer[k];
    if (step == 0 && i == 0)
      for (ptrdiff_t j = 0; j < n; j++)
        buffer[k][j] = *x;
    else if (step != 1 && step != 0)
      for (ptrdiff_t j = 0; j < n; j++)
        buffer[k][j] = x[j * step];
  }
}

/* Computes a contiguous row whose result is too large for the caches: short chunks are computed
 * into a buffer, and copied from there by non-temporal stores. */
static void stream_row(ptrdiff_t n, real *r, const real *const *row, const void *scalars,
                       int inputs, Line line)
{
  enum { SHORT = TH_STREAM_BLOCK / sizeof(real) };
  _Alignas(TH_STREAM_LINE) real result[SHORT];
  const real *in[INPUTS] = {NULL};
  ptrdiff_t count = THStream_first(r, sizeof *r, n);
  for (ptrdiff_t i = 0; i < n; i += count, count = THMin(SHORT, n - i)) {
    for (int k = 0; k < inputs; k++) {
      in[k] = row[k] + i;
      THStream_prefetch(in[k], (size_t)count * sizeof *r);
    }
    line(count, result, in, scalars);
    THStream_copy(r + i, result, (size_t)count * sizeof *r);
  }
}

static void map(const THRun *run, const void *scalars, int inputs, Line line, int streams)
{
  TH_SCRATCH(Block, buffer, INPUTS);
  TH_SCRATCH(real, result, BLOCK);
  const real *in[INPUTS] = {NULL};
  int straight = 1;
  for (int k = 0; k <= inputs; k++)
    straight &= run->stride[k] == 1;
  const ptrdiff_t dr = run->stride[0], chunk = straight ? run->n : BLOCK;
  streams &= straight && run->streams && run->n >= BLOCK;
  for (ptrdiff_t j = 0; j < run->rows; j++)
    for (ptrdiff_t i = 0; i < run->n; i += chunk) {
      const ptrdiff_t n = THMin(chunk, run->n - i);
      real *r = (real *)run->at[0] + j * run->rowStride[0] + i * dr;
      gather(run, 1, inputs, j, i, n, in, buffer);
      if (streams) {
        stream_row(n, r, in, scalars, inputs, line);
        continue;
      }
      line(n, dr == 1 ? r : result, in, scalars);
      if (dr != 1)
        for (ptrdiff_t k = 0; k < n; k++)
          r[k * dr] = result[k];
    }
}

static void sum(const THRun *run, const void *scalars, int inputs, Line line, int streams)
{
  const THNN_(Scalars) *s = scalars;
  TH_SCRATCH(Block, buffer, INPUTS);
  TH_SCRATCH(real, result, BLOCK);
  const real *in[INPUTS] = {NULL};
  accreal total = 0;
  for (ptrdiff_t j = 0; j < run->rows; j++)
    for (ptrdiff_t i = 0; i < run->n; i += BLOCK) {
      const ptrdiff_t n = THMin(BLOCK, run->n - i);
      gather(run, 0, inputs, j, i, n, in, buffer);
      line(n, result, in, scalars);
#pragma omp simd reduction(+ : total)
      for (ptrdiff_t k = 0; k < n; k++)
        total += (accreal)result[k];
    }
  s->part[run->block] += total;
}

/* --- the tables ------------------------------------------------------------------------------ */

/* Element i of a line. */
typedef real Element(const real *const *in, ptrdiff_t i, real a, real b, real scale);

TH_MATH void compute_line(ptrdiff_t n, real *r, const real *const *inputs, const THNN_(Scalars) * s,
                          Element *element)
{
  const real a = s->a, b = s->b, scale = s->scale;
  const real *const in[INPUTS] = {inputs[0], inputs[1], inputs[2], inputs[3]}; /* not in r */
#pragma omp simd
  for (ptrdiff_t i = 0; i < n; i++)
    r[i] = element(in, i, a, b, scale);
}

/* Defines a line that computes EXPRESSION from the elements declared by ELEMENTS. */
/* clang-format off */
#define LINE(NAME, ELEMENTS, EXPRESSION)                                                                    \
  TH_MATH real NAME##_element(const real *const *in, ptrdiff_t i, real a, real b, real scale)               \
  { ELEMENTS return EXPRESSION; }                                                                           \
  TH_UNUSED static void NAME(ptrdiff_t n, real *r, const real *const *in, const THNN_(Scalars) * s)         \
  { compute_line(n, r, in, s, NAME##_element); }
/* clang-format on */
#define ELEMENT(X, K) TH_UNUSED const real X = in[K][i];
#define GRADIENT      TH_UNUSED const real g = scale * in[0][i];

/* Lines that replace others: they compute 16 elements at a time, by functions of THMathAvx512.h. */
#ifdef TH_WIDE_LOOP
#define WIDE_LINE(NAME, ELEMENTS, EXPRESSION)                             \
  TH_UNUSED static void NAME(ptrdiff_t n, real *r, const real *const *in, \
                             const THNN_(Scalars) * s)                    \
  {                                                                       \
    TH_UNUSED const THFloats a = THFloats_all(s->a);                      \
    TH_UNUSED const THFloats scale = THFloats_all(s->scale);              \
    TH_WIDE_LOOP(ELEMENTS, r, 0, n, EXPRESSION)                           \
  }
#define X_OF(K) TH_WIDE(x, in[K])
#define W_OF(K) TH_WIDE(w, in[K])
#define G       TH_WIDE(g, in[0])

/* log(1 + e^z).  The rounding error of 1 + e^-|z|, divided by that sum, is added as a
 * correction. */
TH_MATH THFloats wide_softplus(THFloats z)
{
  const THFloats zero = THFloats_all(0), one = THFloats_all(1);
  const THFloats e = THWide_expUpTo89(THFloats_negAbs(z));
  const THFloats sum = one + e, above = sum - one, lost = e - above;
  const THFloats rest = THFloats_negMulAdd(lost * above, THFloats_inverseNear(sum), lost);
  return THFloats_max(zero, z) + THWide_logAnd(sum, &rest); /* NaN remains */
}

/* YES where Z is above the layer's threshold, else NO. */
#define ABOVE(Z, YES, NO) THFloats_select(THFloats_greater(Z, THFloats_all(s->b)), YES, NO)

/* The derivative of a sigmoid, from the sigmoid's value. */
TH_MATH THFloats wide_slope(THFloats y)
{
  return y * (THFloats_all(1) - y);
}

/* clang-format off */
WIDE_LINE(wide_sigmoid, X_OF(0), THWide_sigmoid(x))
WIDE_LINE(wide_tanh, X_OF(0), THWide_tanh(x))
WIDE_LINE(wide_logSigmoid, X_OF(0), -wide_softplus(-x))
WIDE_LINE(wide_logSigmoidBackward, G X_OF(1), scale * g * THWide_sigmoid(-x))
WIDE_LINE(wide_softPlus, X_OF(0), ABOVE(x * a, x, wide_softplus(x * a) / a))
WIDE_LINE(wide_softPlusBackward, G X_OF(1), ABOVE(x * a, scale * g, scale * g * THWide_sigmoid(x * a)))
WIDE_LINE(wide_gate, X_OF(0) W_OF(1), x * THWide_sigmoid(w))
WIDE_LINE(wide_gateBackward, G W_OF(2), THWide_sigmoid(w) * (scale * g))
WIDE_LINE(wide_gateBackwardGate, G X_OF(1) W_OF(2), wide_slope(THWide_sigmoid(w)) * x * (scale * g))
WIDE_LINE(wide_margin, X_OF(0) W_OF(1), wide_softplus(-x * w))
WIDE_LINE(wide_marginBackward, G X_OF(1) W_OF(2), -w * (scale * g) * THWide_sigmoid(-x * w))
/* clang-format on */
#define WIDE_Sigmoid_y              ~, wide_sigmoid
#define WIDE_Tanh_y                 ~, wide_tanh
#define WIDE_LogSigmoid_y           ~, wide_logSigmoid
#define WIDE_LogSigmoid_dx          ~, wide_logSigmoidBackward
#define WIDE_SoftPlus_y             ~, wide_softPlus
#define WIDE_SoftPlus_dx            ~, wide_softPlusBackward
#define WIDE_GatedLinear_y          ~, wide_gate
#define WIDE_GatedLinear_dx         ~, wide_gateBackward
#define WIDE_GatedLinear_dw         ~, wide_gateBackwardGate
#define WIDE_SoftMarginCriterion_y  ~, wide_margin
#define WIDE_SoftMarginCriterion_dx ~, wide_marginBackward
#else
#define BUSY_Sigmoid_y     ~, 0
#define BUSY_Tanh_y        ~, 0
#define BUSY_LogSigmoid_dx ~, 0
#define BUSY_SoftPlus_dx   ~, 0
#endif

/* Lines limited by computation rather than memory: short chunks and streamed results slow them. */
#define BUSY_ELU_y                 ~, 0
#define BUSY_LogSigmoid_y          ~, 0
#define BUSY_SoftPlus_y            ~, 0
#define BUSY_DistKLDivCriterion_y  ~, 0
#define BUSY_SoftMarginCriterion_y ~, 0
#define BUSY_BCECriterion_y        ~, 0

/* STREAMS is 0 for lines with a BUSY_ macro above, and 1 for all others.  CHOSEN is the line's
 * WIDE_ replacement if it has one, else the line itself. */
#define SECOND(FIRST, SECOND_ONE, ...) SECOND_ONE
#define SECOND_OF(...)                 SECOND(__VA_ARGS__)
#define STREAMS(LINE_NAME)             SECOND_OF(BUSY_##LINE_NAME, 1, )
#define CHOSEN(LINE_NAME)              SECOND_OF(WIDE_##LINE_NAME, LINE_NAME, )

/* LOOPER is map or sum. */
/* clang-format off */
#define KERNEL(NAME, LOOPER, INPUTS, LINE_NAME)                            \
  static void NAME(const THRun *run, const void *scalars)                  \
  { LOOPER(run, scalars, INPUTS, CHOSEN(LINE_NAME), STREAMS(LINE_NAME)); }
/* clang-format on */

#define ACTIVATION(KIND, Name, FORWARD, BACKWARD)   \
  LINE(Name##_y, ELEMENT(x, 0), FORWARD)            \
  LINE(Name##_dx, GRADIENT ELEMENT(v, 1), BACKWARD) \
  KERNEL(Name##_forward, map, 1, Name##_y)          \
  KERNEL(Name##_gradient, map, 2, Name##_dx)

#define GATE(Name, FORWARD, BACKWARD, BACKWARD2)                   \
  LINE(Name##_y, ELEMENT(x, 0) ELEMENT(w, 1), FORWARD)             \
  LINE(Name##_dx, GRADIENT ELEMENT(x, 1) ELEMENT(w, 2), BACKWARD)  \
  LINE(Name##_dw, GRADIENT ELEMENT(x, 1) ELEMENT(w, 2), BACKWARD2) \
  KERNEL(Name##_forward, map, 2, Name##_y)                         \
  KERNEL(Name##_gradient, map, 3, Name##_dx)                       \
  KERNEL(Name##_gradient2, map, 3, Name##_dw)                      \
  KERNEL(Name##_sum, sum, 3, Name##_dw)

/* Losses of every kind; losses without weights have one input less. */
#define LOSS_INPUTS     2
#define OWN_LOSS_INPUTS 2
#define WEIGHTED_INPUTS 3
#define LOSS_WEIGHT(K)
#define OWN_LOSS_WEIGHT(K)
#define WEIGHTED_WEIGHT(K) ELEMENT(w, K)
#define CRITERION(KIND, Name, FORWARD, BACKWARD)                                   \
  LINE(Name##_y, ELEMENT(x, 0) ELEMENT(t, 1) KIND##_WEIGHT(2), FORWARD)            \
  LINE(Name##_dx, GRADIENT ELEMENT(x, 1) ELEMENT(t, 2) KIND##_WEIGHT(3), BACKWARD) \
  KERNEL(Name##_forward, map, KIND##_INPUTS, Name##_y)                             \
  KERNEL(Name##_gradient, map, KIND##_INPUTS + 1, Name##_dx)                       \
  KERNEL(Name##_sum, sum, KIND##_INPUTS, Name##_y)
#include "ops/activations.h"

#define ACTIVATION(KIND, Name, ...) {.forward = Name##_forward, .gradient = Name##_gradient},
#define GATE(Name, ...) \
  {Name##_forward, Name##_gradient, .gradient2 = Name##_gradient2, .sum = Name##_sum},
#define CRITERION(KIND, Name, ...) {Name##_forward, Name##_gradient, .sum = Name##_sum},

const THNN_(Pointwise) TH_LEVEL_(THNN_(pointwise))[] = {
#include "ops/activations.h"
};

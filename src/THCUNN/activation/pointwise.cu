/* Kernels of the elementwise layers and losses of src/ops/activations.h. */
#include "THCUNN/layer/thcunn_template.h"

#include "THC/walk/thc_apply.h"

#include "ops/activations.h"

/* --- functions that expressions call -------------------------------------------------------- */

#undef THNN_
#define THNN_(NAME) element_##NAME

/* log(1 + exp(z)), without overflow */
THC_DEVICE real element_softplus(real z)
{
  return (z > 0 ? z : 0) + THMath_(log1p)(THMath_(exp)(-THMath_(abs)(z)));
}

THC_DEVICE real element_sigmoid(real x)
{
  return 1 / (1 + THMath_(exp)(-x));
}

THC_DEVICE real element_atLeast(real x, real least)
{
  return x < least ? least : x;
}

THC_DEVICE real element_logOr100(real logarithm)
{
  return element_atLeast(logarithm, -100);
}

/* --- kernels -------------------------------------------------------------------------------- */

typedef TH_CONCAT_3(THCUNN, Real, Scalars) Scalars;

#define MAP(NAME, ...) THC_MAP(NAME, __VA_ARGS__)

#define KERNEL(Name, WHICH)  TH_CONCAT_4(THCUNN_, Name, WHICH, Real)
#define ELEMENT(Name, WHICH) TH_CONCAT_2(KERNEL(Name, WHICH), _element)
#define USE(X)                   \
  const real X = THC_LOAD(X##_); \
  (void)X
#define PARAMETERS               \
  const real a = s->a, b = s->b; \
  (void)a;                       \
  (void)b;

#define FORWARD_KERNEL(Name, FORWARD)                                       \
  THC_DEVICE element ELEMENT(Name, _forward_)(const Scalars *s, element x_) \
  {                                                                         \
    PARAMETERS USE(x);                                                      \
    return THC_STORE(FORWARD);                                              \
  }                                                                         \
  MAP(KERNEL(Name, _forward_), element, Scalars, element)

#define GRADIENT_KERNEL(Name, GRADIENT)                                                  \
  THC_DEVICE element ELEMENT(Name, _gradient_)(const Scalars *s, element g_, element v_) \
  {                                                                                      \
    PARAMETERS const real g = s->scale * THC_LOAD(g_);                                   \
    USE(v);                                                                              \
    return THC_STORE(GRADIENT);                                                          \
  }                                                                                      \
  MAP(KERNEL(Name, _gradient_), element, Scalars, element, element)

#define ACTIVATION(KIND, Name, FORWARD, GRADIENT) \
  FORWARD_KERNEL(Name, FORWARD) GRADIENT_KERNEL(Name, GRADIENT)

TH_FOR_EACH_ACTIVATION(ACTIVATION)

/* --- gates: of the input x and another, w -------------------------------------------------- */

#define GATE_FORWARD(Name, FORWARD)                                                     \
  THC_DEVICE element ELEMENT(Name, _forward_)(const Scalars *s, element x_, element w_) \
  {                                                                                     \
    USE(x);                                                                             \
    USE(w);                                                                             \
    return THC_STORE(FORWARD);                                                          \
  }                                                                                     \
  MAP(KERNEL(Name, _forward_), element, Scalars, element, element)

#define GATE_GRADIENT(Name, WHICH, GRADIENT)                                                    \
  THC_DEVICE element ELEMENT(Name, WHICH)(const Scalars *s, element g_, element x_, element w_) \
  {                                                                                             \
    const real g = s->scale * THC_LOAD(g_);                                                     \
    USE(x);                                                                                     \
    USE(w);                                                                                     \
    return THC_STORE(GRADIENT);                                                                 \
  }                                                                                             \
  MAP(KERNEL(Name, WHICH), element, Scalars, element, element, element)

#define GATE(Name, FORWARD, GRADIENT, GRADIENT2) \
  GATE_FORWARD(Name, FORWARD)                    \
  GATE_GRADIENT(Name, _gradient_, GRADIENT)      \
  GATE_GRADIENT(Name, _gradient2_, GRADIENT2)
TH_FOR_EACH_GATE(GATE)

/* --- losses: of the input x, the target t and, where they are WEIGHTED, a weight w ------------- */

/* Each block sums up one part of the terms of a loss. */
template <real (*term)(const Scalars *, real, real, real)>
THC_DEVICE void sum_part(const element *x, const element *t, const element *w, ptrdiff_t n,
                         const Scalars *s, real *sums, real *shared)
{
  real sum = 0;
  THC_GRID_LOOP(i, n)
  sum += term(s, THC_LOAD(x[i]), t ? THC_LOAD(t[i]) : (real)1, w ? THC_LOAD(w[i]) : (real)1);
  sum = block_reduce(sum, shared, 0);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}

#define TERM(Name) TH_CONCAT_2(Name, _term)
#define LOSS_TERM(Name, FORWARD)                                       \
  THC_DEVICE real TERM(Name)(const Scalars *s, real x, real t, real w) \
  {                                                                    \
    PARAMETERS(void) w;                                                \
    return FORWARD;                                                    \
  }

#define LOSS_FORWARD(Name)                                                              \
  THC_DEVICE element ELEMENT(Name, _forward_)(const Scalars *s, element x_, element t_) \
  {                                                                                     \
    return THC_STORE(TERM(Name)(s, THC_LOAD(x_), THC_LOAD(t_), 1));                     \
  }                                                                                     \
  MAP(KERNEL(Name, _forward_), element, Scalars, element, element)
#define WEIGHTED_FORWARD(Name)                                                          \
  THC_DEVICE element ELEMENT(Name, _forward_)(const Scalars *s, element x_, element t_, \
                                              element w_)                               \
  {                                                                                     \
    return THC_STORE(TERM(Name)(s, THC_LOAD(x_), THC_LOAD(t_), THC_LOAD(w_)));          \
  }                                                                                     \
  MAP(KERNEL(Name, _forward_), element, Scalars, element, element, element)

#define LOSS_GRADIENT(Name, GRADIENT)                                                    \
  THC_DEVICE element ELEMENT(Name, _gradient_)(const Scalars *s, element g_, element x_, \
                                               element t_)                               \
  {                                                                                      \
    PARAMETERS const real g = s->scale * THC_LOAD(g_);                                   \
    USE(x);                                                                              \
    USE(t);                                                                              \
    return THC_STORE(GRADIENT);                                                          \
  }                                                                                      \
  MAP(KERNEL(Name, _gradient_), element, Scalars, element, element, element)
#define WEIGHTED_GRADIENT(Name, GRADIENT)                                                \
  THC_DEVICE element ELEMENT(Name, _gradient_)(const Scalars *s, element g_, element x_, \
                                               element t_, element w_)                   \
  {                                                                                      \
    const real g = s->scale * THC_LOAD(g_), x = THC_LOAD(x_);                            \
    const real t = THC_LOAD(t_), w = THC_LOAD(w_);                                       \
    return THC_STORE(GRADIENT);                                                          \
  }                                                                                      \
  MAP(KERNEL(Name, _gradient_), element, Scalars, element, element, element, element)

#define LOSS_SUM_KERNEL(Name)                                                               \
  __global__ static void TH_CONCAT_2(Name, _sums)(const element *x, const element *t,       \
                                                  const element *w, ptrdiff_t n, Scalars s, \
                                                  real *sums)                               \
  {                                                                                         \
    __shared__ real shared[THC_BLOCK];                                                      \
    sum_part<TERM(Name)>(x, t, w, n, &s, sums, shared);                                     \
  }

#define LOSS_SUM(Name)                                                                        \
  static void KERNEL(Name, _sum_)(const void *x, const void *t, const void *w, ptrdiff_t n,   \
                                  const void *s, int parts, void *sums, cudaStream_t stream)  \
  {                                                                                           \
    THC_LAUNCH(TH_CONCAT_2(Name, _sums), parts, THC_BLOCK, 0, stream, (const element *)x,     \
               (const element *)t, (const element *)w, n, *(const Scalars *)s, (real *)sums); \
  }

#define IF_LOSS(Name, GRADIENT)     LOSS_FORWARD(Name) LOSS_GRADIENT(Name, GRADIENT)
#define IF_OWN_LOSS(Name, GRADIENT) IF_LOSS(Name, GRADIENT)
#define IF_WEIGHTED(Name, GRADIENT) WEIGHTED_FORWARD(Name) WEIGHTED_GRADIENT(Name, GRADIENT)
#define PAIR(KIND, Name, FORWARD, GRADIENT) \
  LOSS_TERM(Name, FORWARD)                  \
  IF_##KIND(Name, GRADIENT) LOSS_SUM_KERNEL(Name) LOSS_SUM(Name)
TH_FOR_EACH_LOSS(PAIR)

/* --- the table ------------------------------------------------------------------------------ */

#define ROW(KIND, Name, FORWARD, GRADIENT) \
  {KERNEL(Name, _forward_), KERNEL(Name, _gradient_), NULL, NULL},
#define GATE_ROW(Name, FORWARD, GRADIENT, GRADIENT2) \
  {KERNEL(Name, _forward_), KERNEL(Name, _gradient_), KERNEL(Name, _gradient2_), NULL},
#define PAIR_ROW(KIND, Name, FORWARD, GRADIENT) \
  {KERNEL(Name, _forward_), KERNEL(Name, _gradient_), NULL, KERNEL(Name, _sum_)},
extern "C" const THCUNNPointwise THCUNN_(pointwise)[] = {
    TH_FOR_EACH_ACTIVATION(ROW) TH_FOR_EACH_GATE(GATE_ROW) TH_FOR_EACH_LOSS(PAIR_ROW)};

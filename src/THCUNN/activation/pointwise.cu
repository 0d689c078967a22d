/* Kernels of the elementwise layers and losses of src/ops/activations.h. */
#include "THCUNN/layer/thcunn_template.h"

#include "THC/walk/thc_apply.h"

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

/* --- losses --------------------------------------------------------------------------------- */

/* Each block sums up one part of the terms of a loss. */
template <real (*term)(real, real)>
THC_DEVICE void sum_part(const element *x, const element *t, ptrdiff_t n, real *sums, real *room)
{
  real sum = 0;
  THC_GRID_LOOP(i, n)
  sum += term(THC_LOAD(x[i]), THC_LOAD(t[i]));
  sum = block_reduce(sum, room, 0);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}

#define LOSS_FORWARD(Name, FORWARD)                                                     \
  THC_DEVICE real TH_CONCAT_2(Name, _term)(real x, real t)                              \
  {                                                                                     \
    return FORWARD;                                                                     \
  }                                                                                     \
  THC_DEVICE element ELEMENT(Name, _forward_)(const Scalars *s, element x_, element t_) \
  {                                                                                     \
    return THC_STORE(TH_CONCAT_2(Name, _term)(THC_LOAD(x_), THC_LOAD(t_)));             \
  }                                                                                     \
  MAP(KERNEL(Name, _forward_), element, Scalars, element, element)

#define LOSS_GRADIENT(Name, GRADIENT)                                                    \
  THC_DEVICE element ELEMENT(Name, _gradient_)(const Scalars *s, element g_, element x_, \
                                               element t_)                               \
  {                                                                                      \
    const real g = s->scale * THC_LOAD(g_);                                              \
    USE(x);                                                                              \
    USE(t);                                                                              \
    return THC_STORE(GRADIENT);                                                          \
  }                                                                                      \
  MAP(KERNEL(Name, _gradient_), element, Scalars, element, element, element)

#define LOSS_SUM_KERNEL(Name)                                                                      \
  __global__ static void TH_CONCAT_2(Name, _sums)(const element *x, const element *t, ptrdiff_t n, \
                                                  real *sums)                                      \
  {                                                                                                \
    __shared__ real room[THC_BLOCK];                                                               \
    sum_part<TH_CONCAT_2(Name, _term)>(x, t, n, sums, room);                                       \
  }

#define LOSS_SUM(Name)                                                                    \
  static void KERNEL(Name, _sum_)(const void *x, const void *t, ptrdiff_t n, int parts,   \
                                  void *sums, cudaStream_t stream)                        \
  {                                                                                       \
    THC_LAUNCH(TH_CONCAT_2(Name, _sums), parts, THC_BLOCK, 0, stream, (const element *)x, \
               (const element *)t, n, (real *)sums);                                      \
  }

#define LOSS_KERNELS(Name, FORWARD, GRADIENT) \
  LOSS_FORWARD(Name, FORWARD)                 \
  LOSS_GRADIENT(Name, GRADIENT)               \
  LOSS_SUM_KERNEL(Name)                       \
  LOSS_SUM(Name)

#define IF_LOSS(Name, FORWARD, GRADIENT) LOSS_KERNELS(Name, FORWARD, GRADIENT)
#define IF_OWN_LOSS(Name, FORWARD, GRADIENT)
#define IF_WEIGHTED(Name, FORWARD, GRADIENT)
#define PAIR(KIND, Name, FORWARD, GRADIENT) IF_##KIND(Name, FORWARD, GRADIENT)
TH_FOR_EACH_LOSS(PAIR)

/* --- the table ------------------------------------------------------------------------------ */

#define ROW(KIND, Name, FORWARD, GRADIENT) \
  {KERNEL(Name, _forward_), KERNEL(Name, _gradient_), NULL},
#define LOSS_ROW(Name)                          {KERNEL(Name, _forward_), KERNEL(Name, _gradient_), KERNEL(Name, _sum_)},
#define OWN_LOSS_ROW(Name)                      {NULL, NULL, NULL},
#define WEIGHTED_ROW(Name)                      {NULL, NULL, NULL},
#define PAIR_ROW(KIND, Name, FORWARD, GRADIENT) KIND##_ROW(Name)
extern "C" const THCUNNPointwise THCUNN_(pointwise)[] = {TH_FOR_EACH_ACTIVATION(ROW)
                                                             TH_FOR_EACH_LOSS(PAIR_ROW)};

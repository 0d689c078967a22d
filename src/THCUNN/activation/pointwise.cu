/* Kernels of the elementwise layers and losses of src/ops/activations.h. */
#include "THCUNN/layer/thcunn_template.h"

#include "THC/walk/thc_map.h"

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

#define KERNEL(Name, WHICH) TH_CONCAT_4(THCUNN_, Name, WHICH, Real)
#define TERM(Name, WHICH)   TH_CONCAT_3(Name, WHICH, term)

/* The expressions as functions, which all have the same parameters: v is a layer's input or output. */
#define PARAMETERS real a, real b, real g, real x, real v, real w, real t
/* clang-format off */
#define EXPRESSION(NAME, ...) THC_DEVICE real NAME(PARAMETERS) { return __VA_ARGS__; }
/* clang-format on */
typedef real Term(PARAMETERS);

/* An element of each kernel: of a layer's output and its gradient; of the output of a gate or of a loss with a
 * weight, and its gradient. */
template <Term *term>
THC_DEVICE element of_input(const Scalars *s, element x)
{
  return THC_STORE(term(s->a, s->b, 0, THC_LOAD(x), 0, 0, 0));
}
template <Term *term>
THC_DEVICE element of_value(const Scalars *s, element g, element v)
{
  return THC_STORE(term(s->a, s->b, s->scale * THC_LOAD(g), 0, THC_LOAD(v), 0, 0));
}
template <Term *term>
THC_DEVICE element of_gate(const Scalars *s, element x, element w)
{
  return THC_STORE(term(s->a, s->b, 0, THC_LOAD(x), 0, THC_LOAD(w), 0));
}
template <Term *term>
THC_DEVICE element of_gate_gradient(const Scalars *s, element g, element x, element w)
{
  return THC_STORE(term(s->a, s->b, s->scale * THC_LOAD(g), THC_LOAD(x), 0, THC_LOAD(w), 0));
}
template <Term *term>
THC_DEVICE element of_target(const Scalars *s, element x, element t)
{
  return THC_STORE(term(s->a, s->b, 0, THC_LOAD(x), 0, 1, THC_LOAD(t)));
}
template <Term *term>
THC_DEVICE element of_target_gradient(const Scalars *s, element g, element x, element t)
{
  return THC_STORE(term(s->a, s->b, s->scale * THC_LOAD(g), THC_LOAD(x), 0, 1, THC_LOAD(t)));
}
template <Term *term>
THC_DEVICE element of_weighted(const Scalars *s, element x, element t, element w)
{
  return THC_STORE(term(s->a, s->b, 0, THC_LOAD(x), 0, THC_LOAD(w), THC_LOAD(t)));
}
template <Term *term>
THC_DEVICE element of_weighted_gradient(const Scalars *s, element g, element x, element t,
                                        element w)
{
  return THC_STORE(term(s->a, s->b, s->scale * THC_LOAD(g), THC_LOAD(x), 0, THC_LOAD(w),
                        THC_LOAD(t)));
}

/* The kernel of an expression, by one of the functions above; the rest are the types of operands. */
#define MAP_OF(NAME, ...) THC_MAP_OF(NAME, __VA_ARGS__)
#define MAP(Name, WHICH, OF, ...) \
  MAP_OF(KERNEL(Name, WHICH), OF<TERM(Name, WHICH)>, element, Scalars, __VA_ARGS__)

#define ACTIVATION(KIND, Name, FORWARD, GRADIENT) \
  EXPRESSION(TERM(Name, _forward_), FORWARD)      \
  EXPRESSION(TERM(Name, _gradient_), GRADIENT)    \
  MAP(Name, _forward_, of_input, element)         \
  MAP(Name, _gradient_, of_value, element, element)
#define GATE(Name, FORWARD, GRADIENT, GRADIENT2)                     \
  EXPRESSION(TERM(Name, _forward_), FORWARD)                         \
  EXPRESSION(TERM(Name, _gradient_), GRADIENT)                       \
  EXPRESSION(TERM(Name, _gradient2_), GRADIENT2)                     \
  MAP(Name, _forward_, of_gate, element, element)                    \
  MAP(Name, _gradient_, of_gate_gradient, element, element, element) \
  MAP(Name, _gradient2_, of_gate_gradient, element, element, element)

/* --- losses: of the input x, the target t and, where they are WEIGHTED, a weight w ------------- */

namespace
{

/* Each block sums up one part of the terms of a loss. */
template <Term *term>
__global__ void sum_parts(const element *x, const element *t, const element *w, ptrdiff_t n,
                          Scalars s, real *sums)
{
  THC_DYNAMIC_SHARED(real, shared);
  real sum = 0;
  THC_GRID_LOOP(i, n)
  sum += term(s.a, s.b, 0, THC_LOAD(x[i]), 0, w ? THC_LOAD(w[i]) : (real)1,
              t ? THC_LOAD(t[i]) : (real)1);
  sum = block_reduce(sum, shared, 0);
  if (threadIdx.x == 0)
    sums[blockIdx.x] = sum;
}

template <Term *term>
void sum(const void *x, const void *t, const void *w, ptrdiff_t n, const void *s, int parts,
         void *sums, cudaStream_t stream)
{
  THC_LAUNCH(sum_parts<term>, parts, THC_BLOCK, THC_BLOCK * sizeof(real), stream,
             (const element *)x, (const element *)t, (const element *)w, n, *(const Scalars *)s,
             (real *)sums);
}

}  // namespace

#define MAP_LOSS(Name)                              \
  MAP(Name, _forward_, of_target, element, element) \
  MAP(Name, _gradient_, of_target_gradient, element, element, element)
#define MAP_OWN_LOSS MAP_LOSS
#define MAP_WEIGHTED(Name)                                     \
  MAP(Name, _forward_, of_weighted, element, element, element) \
  MAP(Name, _gradient_, of_weighted_gradient, element, element, element, element)
#define CRITERION(KIND, Name, FORWARD, GRADIENT) \
  EXPRESSION(TERM(Name, _forward_), FORWARD)     \
  EXPRESSION(TERM(Name, _gradient_), GRADIENT)   \
  MAP_##KIND(Name)
#include "ops/activations.h"

/* --- the table ------------------------------------------------------------------------------ */

#define ACTIVATION(KIND, Name, ...) {KERNEL(Name, _forward_), KERNEL(Name, _gradient_), NULL, NULL},
#define GATE(Name, ...) \
  {KERNEL(Name, _forward_), KERNEL(Name, _gradient_), KERNEL(Name, _gradient2_), NULL},
#define CRITERION(KIND, Name, ...) \
  {KERNEL(Name, _forward_), KERNEL(Name, _gradient_), NULL, sum<TERM(Name, _forward_)>},
extern "C" const THCUNNPointwise THCUNN_(pointwise)[] = {
#include "ops/activations.h"
};

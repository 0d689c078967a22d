/* TH's template, compiled for the device: tensors made from a rule; and the functions that take
 * the state. */
#define TH_TEMPLATE_DEVICE "THC/core/THCDevice.h"
#include "TH/tensor/THTensorConstruct.c"

/* clang-format off */
#define MATH(NAME, TAKES, ...)                                                                      \
  void THCTensor_(NAME)(THCState *state, TAKES) { THC_enter(state); THTensor_(NAME)(__VA_ARGS__); }
/* clang-format on */
#define PARAMETERS(...) __VA_ARGS__

/* clang-format off */
MATH(zeros,     PARAMETERS(THCTensor *r_, THLongStorage *size), r_, size)
MATH(ones,      PARAMETERS(THCTensor *r_, THLongStorage *size), r_, size)
MATH(zerosLike, PARAMETERS(THCTensor *r_, THCTensor *input), r_, input)
MATH(onesLike,  PARAMETERS(THCTensor *r_, THCTensor *input), r_, input)
MATH(eye,       PARAMETERS(THCTensor *self, int64_t n, int64_t k), self, n, k)
MATH(range,     PARAMETERS(THCTensor *r_, accreal xmin, accreal xmax, accreal step), r_, xmin, xmax, step)
MATH(arange,    PARAMETERS(THCTensor *r_, accreal xmin, accreal xmax, accreal step), r_, xmin, xmax, step)
MATH(reshape,   PARAMETERS(THCTensor *r_, THCTensor *t, THLongStorage *size), r_, t, size)
MATH(diag,      PARAMETERS(THCTensor *self, THCTensor *src, int64_t k), self, src, k)
MATH(tril,      PARAMETERS(THCTensor *self, THCTensor *src, int64_t k), self, src, k)
MATH(triu,      PARAMETERS(THCTensor *self, THCTensor *src, int64_t k), self, src, k)
#if IS_FLOATING
MATH(linspace,  PARAMETERS(THCTensor *r_, real a, real b, int64_t n), r_, a, b, n)
MATH(logspace,  PARAMETERS(THCTensor *r_, real a, real b, int64_t n), r_, a, b, n)
#endif
/* clang-format on */

ptrdiff_t THCTensor_(numel)(THCState *state, THCTensor *t)
{
  return THCTensor_(nElement)(state, t);
}

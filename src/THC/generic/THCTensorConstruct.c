/* TH's template, compiled for the device: tensors made from a rule; and the functions that take the
 * state. */
#define TH_TEMPLATE_DEVICE "THCDevice.h"
#include "TH/generic/THTensorConstruct.c"

#define MATH(NAME, PARAMETERS, ...)                  \
  void THCTensor_(NAME)(THCState *state, PARAMETERS) \
  {                                                  \
    THC_enter(state);                                \
    THTensor_(NAME)(__VA_ARGS__);                    \
  }
#define TOGETHER(...) __VA_ARGS__

/* clang-format off */
MATH(zeros,     TOGETHER(THCTensor *r_, THLongStorage *size), r_, size)
MATH(ones,      TOGETHER(THCTensor *r_, THLongStorage *size), r_, size)
MATH(zerosLike, TOGETHER(THCTensor *r_, THCTensor *input), r_, input)
MATH(onesLike,  TOGETHER(THCTensor *r_, THCTensor *input), r_, input)
MATH(eye,       TOGETHER(THCTensor *self, int64_t n, int64_t k), self, n, k)
MATH(range,     TOGETHER(THCTensor *r_, accreal xmin, accreal xmax, accreal step), r_, xmin, xmax, step)
MATH(arange,    TOGETHER(THCTensor *r_, accreal xmin, accreal xmax, accreal step), r_, xmin, xmax, step)
MATH(reshape,   TOGETHER(THCTensor *r_, THCTensor *t, THLongStorage *size), r_, t, size)
MATH(diag,      TOGETHER(THCTensor *self, THCTensor *src, int64_t k), self, src, k)
MATH(tril,      TOGETHER(THCTensor *self, THCTensor *src, int64_t k), self, src, k)
MATH(triu,      TOGETHER(THCTensor *self, THCTensor *src, int64_t k), self, src, k)
#if IS_FLOATING
MATH(linspace,  TOGETHER(THCTensor *r_, real a, real b, int64_t n), r_, a, b, n)
MATH(logspace,  TOGETHER(THCTensor *r_, real a, real b, int64_t n), r_, a, b, n)
#endif
/* clang-format on */

ptrdiff_t THCTensor_(numel)(THCState *state, THCTensor *t)
{
  return THCTensor_(nElement)(state, t);
}

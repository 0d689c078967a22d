/* Kernels that compute each element of a run by a function of pointers to it and to its operands. */
#ifndef TH_RUN_ELEMENTS_H
#define TH_RUN_ELEMENTS_H

#include <stdbool.h>

#include "THLoop.h"

#define TH_ELEMENT static inline __attribute__((always_inline))

/* Computes r from x, y and z, as many as there are. */
typedef void THElementFunction(void *r, const void *x, const void *y, const void *z);

/* The n elements of a row. */
TH_ELEMENT void THRun_row(THElementFunction *element, char *const *at, const ptrdiff_t *stride,
                          const ptrdiff_t *size, ptrdiff_t n)
{
  for (ptrdiff_t i = 0; i < n; i++)
    element(at[0] + i * stride[0] * size[0], at[1] + i * stride[1] * size[1],
            at[2] + i * stride[2] * size[2], at[3] + i * stride[3] * size[3]);
}

/* Computes all elements of a run.  size has the bytes of an element of the result and of each operand, 0 of those
 * that there are not.  The loop is compiled twice: also for adjacent elements. */
TH_ELEMENT void THRun_eachElement(const THRun *run, THElementFunction *element,
                                  const ptrdiff_t *size)
{
  static const ptrdiff_t ones[4] = {1, 1, 1, 1};
  ptrdiff_t stride[4] = {0};
  bool adjacent = true;
  for (int k = 0; k < 4; k++)
    if (size[k]) {
      stride[k] = run->stride[k];
      adjacent &= stride[k] == 1;
    }
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    char *at[4] = {NULL};
    for (int k = 0; k < 4; k++)
      if (size[k])
        at[k] = (char *)run->at[k] + j * run->rowStride[k] * size[k];
    if (adjacent)
      THRun_row(element, at, ones, size, run->n);
    else
      THRun_row(element, at, stride, size, run->n);
  }
}

/* The operands in a function of an element. */
#define TH_READ_X(TYPE) const TYPE x = *(const TYPE *)x_;
#define TH_READ_Y(TYPE) const TYPE y = *(const TYPE *)y_;
#define TH_READ_Z(TYPE) const TYPE z = *(const TYPE *)z_;

/* Defines the kernel NAME, whose result is of type R.  READS are some of the macros above, and the sizes of what they
 * read come last. */
/* clang-format off */
#define TH_ELEMENT_KERNEL(NAME, R, READS, EXPRESSION, ...)                                  \
  TH_ELEMENT void NAME##_element(void *r, const void *x_, const void *y_, const void *z_)   \
  { READS *(R *)r = EXPRESSION; }                                                           \
  static void NAME(const THRun *run, TH_UNUSED const void *scalars)                         \
  { THRun_eachElement(run, NAME##_element, (const ptrdiff_t[4]){sizeof(R), __VA_ARGS__}); }
/* clang-format on */

#endif

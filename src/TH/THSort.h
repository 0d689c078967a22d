/* Sorting and selecting by keys that are unsigned integers, which know nothing of element types.
 *
 * Elements become keys whose order is that of the elements.  Where their places matter too, which
 * keep the order of equal ones, a key and its place make one word of 64 bits, the key above. */
#ifndef TH_SORT_H
#define TH_SORT_H

#include "THKernel.h"

/* For either width, at one instruction set. */
typedef struct THSortKernels {
  /* Sorts n keys; spare has room for as many.  They come in the order of their lowest bits, low of
   * them, and those from high on are all 0. */
  void (*sort32)(uint32_t *keys, uint32_t *spare, ptrdiff_t n, int low, int high);
  void (*sort64)(uint64_t *keys, uint64_t *spare, ptrdiff_t n, int low, int high);

  /* The key that would be number k (from 0) in order, and in *before how many equal ones would come
   * before it.  bits are those that keys have.  The keys are used up, and spare. */
  uint32_t (*select32)(uint32_t *keys, uint32_t *spare, ptrdiff_t n, ptrdiff_t k, int bits,
                       ptrdiff_t *before);
  uint64_t (*select64)(uint64_t *keys, uint64_t *spare, ptrdiff_t n, ptrdiff_t k, int bits,
                       ptrdiff_t *before);

  /* A key that is no less than number k (from 1) in order; if k is small, not by much. */
  uint32_t (*bound32)(const uint32_t *keys, ptrdiff_t n, ptrdiff_t k);
  uint64_t (*bound64)(const uint64_t *keys, ptrdiff_t n, ptrdiff_t k);

  /* Keeps the keys below last and the first few that are equal to it, in kept, which may be keys,
   * and with each what from, which may be places, has for it: where it is if that is NULL.  Returns
   * how many there are. */
  ptrdiff_t (*keep32)(uint32_t *kept, uint32_t *places, const uint32_t *keys, const uint32_t *from,
                      ptrdiff_t n, uint32_t last, ptrdiff_t equal);
  ptrdiff_t (*keep64)(uint64_t *kept, uint64_t *places, const uint64_t *keys, const uint64_t *from,
                      ptrdiff_t n, uint64_t last, ptrdiff_t equal);

  /* The keys of floating point numbers; flip is all bits for descending order.  There has to be
   * room for a whole number of 64 bytes. */
  void (*fromFloats32)(uint32_t *keys, const uint32_t *bits, ptrdiff_t n, uint32_t flip);
  void (*fromFloats64)(uint64_t *keys, const uint64_t *bits, ptrdiff_t n, uint64_t flip);

  /* The numbers of keys; whether there is one that is the key of several: 0, which stands for -0
   * too, or NaN. */
  int (*toFloats32)(uint32_t *bits, const uint32_t *keys, ptrdiff_t n, uint32_t flip);
  int (*toFloats64)(uint64_t *bits, const uint64_t *keys, ptrdiff_t n, uint64_t flip);

  /* Words of keys whose places begin with first, and what words were made of. */
  void (*pair)(uint64_t *words, const uint32_t *keys, ptrdiff_t n, ptrdiff_t first);
  void (*unpair)(uint32_t *keys, int64_t *places, const uint64_t *words, ptrdiff_t n);
} THSortKernels;

extern const THSortKernels *THSort_kernels;

#endif

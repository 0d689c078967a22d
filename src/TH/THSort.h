/* Sorting and selecting by keys that are unsigned integers, which know nothing of element types.
 *
 * Elements become keys whose order is that of the elements; an item is a key with its place in the
 * line.  Sorting is stable. */
#ifndef TH_SORT_H
#define TH_SORT_H

#include "THKernel.h"

/* Where the lowest byte comes first, an item is a number of 64 bits with the key above the place.
 */
typedef struct THItem32 {
  _Alignas(8) uint32_t at;
  uint32_t key;
} THItem32;

typedef struct THItem64 {
  uint64_t key, at;
} THItem64;

/* For either width, at one instruction set. */
typedef struct THSortKernels {
  /* Sorts n items by the low bits of their keys, the rest being 0; they come in the order of their
   * places.  Returns where they are then: items, or spare, which has room for as many. */
  THItem32 *(*sort32)(THItem32 *items, THItem32 *spare, ptrdiff_t n, int bits);
  THItem64 *(*sort64)(THItem64 *items, THItem64 *spare, ptrdiff_t n, int bits);

  /* The key that would be number k (from 0) in order, and in *before how many equal ones would come
   * before it.  The keys are used up. */
  uint32_t (*select32)(uint32_t *keys, ptrdiff_t n, ptrdiff_t k, int bits, ptrdiff_t *before);
  uint64_t (*select64)(uint64_t *keys, ptrdiff_t n, ptrdiff_t k, int bits, ptrdiff_t *before);
} THSortKernels;

extern const THSortKernels *THSort_kernels;

#endif

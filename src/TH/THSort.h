/* Sorting and selecting by keys that are unsigned integers, which know nothing of element types.
 *
 * Elements become keys whose order is that of the elements; an item is a key with its place in the
 * line.  Sorting is stable. */
#ifndef TH_SORT_H
#define TH_SORT_H

#include "THGeneral.h"

typedef struct THItem32 {
  uint32_t key, at;
} THItem32;

typedef struct THItem64 {
  uint64_t key, at;
} THItem64;

/* Sorts n items by the low bits of their keys, the rest being 0.  Returns where they are then:
 * items, or spare, which has room for as many. */
THItem32 *THItem32_sort(THItem32 *items, THItem32 *spare, ptrdiff_t n, int bits);
THItem64 *THItem64_sort(THItem64 *items, THItem64 *spare, ptrdiff_t n, int bits);

/* The key that would be number k (from 0) in order, and in *before how many equal ones would come
 * before it.  The keys are used up. */
uint32_t THItem32_select(uint32_t *keys, ptrdiff_t n, ptrdiff_t k, int bits, ptrdiff_t *before);
uint64_t THItem64_select(uint64_t *keys, ptrdiff_t n, ptrdiff_t k, int bits, ptrdiff_t *before);

#endif

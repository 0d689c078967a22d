/* Sorting and selecting by keys, unsigned integers, whatever the element type.
 *
 * Elements become keys whose order is that of the elements.  For a stable sort with indices, a key
 * and its index make one word of 64 bits, the key in the upper half. */
#ifndef TH_SORT_H
#define TH_SORT_H

#include "THKernel.h"

/* For either width, at one instruction set. */
typedef struct THSortKernels {
  /* Sorts n keys; spare has room for as many.  Keys are already in the order of their lowest low
   * bits; bits from high on are 0 in all keys. */
  void (*sort32)(uint32_t *keys, uint32_t *spare, ptrdiff_t n, int low, int high);
  void (*sort64)(uint64_t *keys, uint64_t *spare, ptrdiff_t n, int low, int high);

  /* Key number k (from 0) in order; *before becomes the number of equal keys before it.  Keys have
   * bits bits.  Overwrites keys and spare. */
  uint32_t (*select32)(uint32_t *keys, uint32_t *spare, ptrdiff_t n, ptrdiff_t k, int bits,
                       ptrdiff_t *before);
  uint64_t (*select64)(uint64_t *keys, uint64_t *spare, ptrdiff_t n, ptrdiff_t k, int bits,
                       ptrdiff_t *before);

  /* A key that is no less than key number k (from 1) in order, and if k is small not much
   * greater. */
  uint32_t (*bound32)(const uint32_t *keys, ptrdiff_t n, ptrdiff_t k);
  uint64_t (*bound64)(const uint64_t *keys, ptrdiff_t n, ptrdiff_t k);

  /* Copies the keys below last, and the first few that are equal to it, to kept (which may be
   * keys).  indices becomes their elements of from (which may be indices), or their own indices if
   * from is NULL.  Returns how many there are. */
  ptrdiff_t (*keep32)(uint32_t *kept, uint32_t *indices, const uint32_t *keys, const uint32_t *from,
                      ptrdiff_t n, uint32_t last, ptrdiff_t equal);
  ptrdiff_t (*keep64)(uint64_t *kept, uint64_t *indices, const uint64_t *keys, const uint64_t *from,
                      ptrdiff_t n, uint64_t last, ptrdiff_t equal);

  /* The keys of floating point numbers; flip has all bits set for descending order.  keys needs
   * room for a multiple of 64 bytes. */
  void (*fromFloats32)(uint32_t *keys, const uint32_t *bits, ptrdiff_t n, uint32_t flip);
  void (*fromFloats64)(uint64_t *keys, const uint64_t *bits, ptrdiff_t n, uint64_t flip);

  /* The numbers of keys.  Returns whether a key belongs to several numbers: 0 (also that of -0) or
   * NaN. */
  int (*toFloats32)(uint32_t *bits, const uint32_t *keys, ptrdiff_t n, uint32_t flip);
  int (*toFloats64)(uint64_t *bits, const uint64_t *keys, ptrdiff_t n, uint64_t flip);

  /* Combines keys and their indices, from first on, into words, and takes words apart. */
  void (*pair)(uint64_t *words, const uint32_t *keys, ptrdiff_t n, ptrdiff_t first);
  void (*unpair)(uint32_t *keys, int64_t *indices, const uint64_t *words, ptrdiff_t n);
} THSortKernels;

extern const THSortKernels *const THSort_kernels[];

#endif

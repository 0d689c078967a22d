/* Interface of sort.cu, topk.cu and mode.cu. */
#ifndef THC_SORT_H
#define THC_SORT_H

#include "THC/core/thc_kernels.h"
#include "THC/walk/thc_lines.h"

enum {
  THC_SORT_SHORT = 1024, /* elements of a line that is sorted in shared memory */
  THC_SORT_TILE = 2048,  /* elements of a longer line that a block moves at a time */
  THC_SORT_DIGITS = 256
};

/* Elements are moved as their bits, and with them their numbers in the line.  Arrays are [line][i],
 * but for the operands of the lines: 0 is read, 1 and 2 are the results. */
typedef struct THCSortWork {
  int descending;
  const void *from;
  const uint32_t *numbers; /* of the elements that are read; NULL: 0, 1, 2 ... */
  void *values;
  int64_t *indices; /* or NULL */

  /* For lines above THC_SORT_SHORT. */
  void *bits[2];
  uint32_t *number[2];
  uint32_t *counts; /* [line][digit][tile], then [line][digit] */
} THCSortWork;

/* What blocks know of a line's selection: the digits of the key that are found, and the rank among the
 * elements that have them. */
typedef struct THCSelectState {
  uint64_t key;
  int64_t rank;
} THCSelectState;

/* The first k elements of each line in the order of the sort, in their order in the line; or (one)
 * number k - 1 in that order. */
typedef struct THCSelectWork {
  int descending, one;
  int median; /* with one: NaN comes first, and is the result of every line that has it */
  int64_t k;
  const void *from;
  void *values;
  int64_t *indices;
  uint32_t *numbers; /* instead of the results, or NULL: numbers and bits as [line][k] */
  void *bits;

  /* For lines of which several blocks select, each from a chunk; below 2^32 elements. */
  ptrdiff_t chunk, chunks;
  THCSelectState *states; /* [digit][line] */
  uint64_t *counts;       /* [digit][line][THC_SORT_DIGITS + 1]: elements; the last one is of NaN */
  uint64_t *kept;         /* [line][chunk][2]: elements before the key that is found, and with it */
} THCSelectWork;

/* A run of equal elements: how many there are, and the first. */
typedef struct THCModeRun {
  ptrdiff_t count, first;
} THCModeRun;

/* The modes of lines that are sorted, and the indices of their elements, as [line][i]. */
typedef struct THCModeWork {
  const void *sorted;
  const int64_t *numbers;
  void *values;
  int64_t *indices;
  ptrdiff_t chunk, chunks; /* of lines, for a block each */
  THCModeRun *runs;        /* [line][chunk], if there are several */
} THCModeWork;

/* The tiles of a line that is longer than THC_SORT_SHORT. */
static inline ptrdiff_t THCSort_tiles(ptrdiff_t length)
{
  return (length + THC_SORT_TILE - 1) / THC_SORT_TILE;
}

#endif

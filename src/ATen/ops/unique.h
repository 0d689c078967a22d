/* What at_uniqueOf needs to know of the elements of each type. */
#ifndef AT_UNIQUE_H
#define AT_UNIQUE_H

#include <stdbool.h>

#include "TH.h"

/* Functions for the elements of one type, for n elements x. */
typedef struct at_unique_elements {
  /* Copies the elements that differ from the one before to r, which may be x and has room for n,
   * and their indices to first, which may be NULL.  Returns their number. */
  int64_t (*groups)(void *r, int64_t *first, const void *x, int64_t n);

  /* For integers, with x[i] - least as an index: mark the elements that occur, count their
   * occurrences, look up the number of every element in a table, and store a value. */
  void (*mark)(uint8_t *marks, const void *x, int64_t n, int64_t least);
  void (*tally)(int64_t *counts, const void *x, int64_t n, int64_t least);
  void (*look)(int64_t *numbers, const void *x, int64_t n, int64_t least, const int64_t *table);
  void (*put)(void *r, int64_t index, int64_t value);

  /* compare returns a negative number, 0 or a positive number, with NaN above all else; same
   * returns whether all n elements are equal. */
  int (*compare)(const void *a, const void *b, int64_t n);
  bool (*same)(const void *a, const void *b, int64_t n);
} at_unique_elements;

#define AT_DECLARE(Real, real, accreal) extern const at_unique_elements at_uniqueElements_##Real;
TH_FOR_EACH_TYPE_BUT_HALF(AT_DECLARE)
#undef AT_DECLARE

#endif

/* Products of matrices of BFloat16, where the processor multiplies pairs or tiles of them.
 *
 * Both operands are packed into squares: 16 lines (rows of x, columns of y) by 32 terms of the
 * sums.  A square of x has its lines one after the other, a square of y has the first pair of terms
 * of every line, then the second one.  The squares of a panel, of at most two beside each other,
 * follow each other along the terms; lines and terms that are not there are 0.  A tile is the
 * product of a panel of rows and one of columns. */
#ifndef ATEN_PRODUCTS_H
#define ATEN_PRODUCTS_H

#include "THKernel.h"
#include "conversions.h"

enum { AT_SQUARE_LINES = 16, AT_SQUARE_TERMS = 32, AT_SQUARE = 512, AT_TILE_COLUMNS = 32 };

/* Numbers with any strides, in elements. */
typedef struct at_lines {
  const at_bfloat16 *at;
  ptrdiff_t count, step; /* of the lines */
  ptrdiff_t terms, next; /* of each line */
} at_lines;

/* Where alpha * sum + beta * self goes: rows are next apart, the elements of each side by side.
 * self may be NULL, and have any strides. */
typedef struct at_results {
  at_bfloat16 *at;
  ptrdiff_t next;
  const at_bfloat16 *self;
  ptrdiff_t down, across;
  float beta, alpha;
} at_results;

typedef struct at_products {
  bool (*usable)(void);
  int rows;           /* of a tile */
  ptrdiff_t grain;    /* multiplications that are worth a thread */
  void (*open)(void); /* around all tiles of a thread */
  void (*close)(void);
  void (*pack)(const at_lines *lines, bool pairs, at_bfloat16 *panel);
  /* The tile becomes sums, whose rows are AT_TILE_COLUMNS apart, or is added to them. */
  void (*tile)(ptrdiff_t terms, const at_bfloat16 *x, const at_bfloat16 *y, float *sums,
               ptrdiff_t rows, ptrdiff_t columns, bool add);
  void (*finish)(const at_results *r, const float *sums, ptrdiff_t rows, ptrdiff_t columns);
} at_products;

/* The best one first; the last one's usable is NULL. */
extern const at_products *at_bfloatProducts;

#endif

/* Matrix products of BFloat16 on processors that multiply pairs (AVX512-BF16) or tiles (AMX).
 *
 * Both operands are packed into squares of 16 lines (rows of x, columns of y) by 32 terms of the
 * sums.  A square of x stores line after line; a square of y stores the first pair of terms of
 * every line, then the second pair of every line, and so on.  A panel is one or two squares wide,
 * and its squares follow each other along the terms; missing lines and terms are 0.  A tile is the
 * product of a panel of rows and a panel of columns. */
#ifndef ATEN_PRODUCTS_H
#define ATEN_PRODUCTS_H

#include "THKernel.h"
#include "ATen/core/conversions.h"

enum { AT_SQUARE_LINES = 16, AT_SQUARE_TERMS = 32, AT_SQUARE = 512, AT_TILE_COLUMNS = 32 };

/* A matrix with any strides, in elements. */
typedef struct at_lines {
  const at_bfloat16 *at;
  ptrdiff_t count, step; /* of the lines */
  ptrdiff_t terms, next; /* of each line */
} at_lines;

/* The result, alpha * sum + beta * self: its rows are next elements apart, and each is contiguous.
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
  ptrdiff_t grain;    /* the least number of multiplications for a thread */
  void (*open)(void); /* called before the tiles of a thread; close is called after them */
  void (*close)(void);
  void (*pack)(const at_lines *lines, bool pairs, at_bfloat16 *panel);
  /* Stores the tile to sums, whose rows are AT_TILE_COLUMNS apart, or adds the tile to sums. */
  void (*tile)(ptrdiff_t terms, const at_bfloat16 *x, const at_bfloat16 *y, float *sums,
               ptrdiff_t rows, ptrdiff_t columns, bool add);
  void (*finish)(const at_results *r, const float *sums, ptrdiff_t rows, ptrdiff_t columns);
} at_products;

/* Products of BFloat16, in order of preference; the list ends where usable is NULL. */
extern const at_products *const at_bfloatProducts[];

#endif

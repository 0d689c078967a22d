/* Products of matrices of BFloat16, where the processor multiplies pairs of them.
 *
 * Either operand is packed: lines (rows of x, columns of y) side by side in panels, and for each
 * pair of terms of the sums one pair of every line of the panel, lines that are not there being 0.
 * A tile is the product of two panels. */
#ifndef ATEN_PRODUCTS_H
#define ATEN_PRODUCTS_H

#include "THKernel.h"
#include "conversions.h"

/* Lines of a panel: 512 terms of so many columns stay in the first cache. */
enum { AT_PANEL_ROWS = 12, AT_PANEL_COLUMNS = 32 };

/* Numbers with any strides, in elements. */
typedef struct at_lines {
  const at_bfloat16 *at;
  ptrdiff_t count, step; /* of the lines */
  ptrdiff_t terms, next; /* of each line */
} at_lines;

typedef struct at_products {
  bool (*usable)(void); /* the other functions are NULL where that is NULL */
  void (*pack)(const at_lines *lines, ptrdiff_t width, at_bfloat16 *panel);
  /* The first rows x columns of the tile become r, whose rows are next apart, or are added to it.
   */
  void (*tile)(ptrdiff_t pairs, const at_bfloat16 *x, const at_bfloat16 *y, float *r,
               ptrdiff_t next, ptrdiff_t rows, ptrdiff_t columns, bool add);
} at_products;

extern const at_products *at_bfloatProducts;

#endif

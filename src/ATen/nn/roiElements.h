/* Regions of interest and the cells of their grids, for the host and for kernels.  The including
 * file has defined how a function begins (AT_ROI). */
#ifndef ATEN_ROI_ELEMENTS_H
#define ATEN_ROI_ELEMENTS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

/* A region in pixels, from its first row and column on, of at least one pixel. */
typedef struct at_region {
  int64_t image, top, left, rows, columns;
} at_region;

/* A cell of the grid over a region: rows [top, bottom) and columns [left, right) of the plane. */
typedef struct at_cell {
  int64_t top, bottom, left, right;
} at_cell;

/* A corner in pixels, limited to a range in which sizes do not overflow. */
AT_ROI int64_t at_roiPixel(double corner, double scale)
{
  return (int64_t)round(fmax(-0x1p40, fmin(0x1p40, corner * scale)));
}

AT_ROI int64_t at_roiSize(double first, double last, double scale)
{
  const int64_t size = at_roiPixel(last, scale) - at_roiPixel(first, scale) + 1;
  return size > 1 ? size : 1;
}

/* The region of the numbers image, left, top, right and bottom; whether it is one. */
AT_ROI bool at_regionOf(const double v[5], int64_t images, double scale, at_region *region)
{
  if (!(v[0] >= 0 && v[0] < (double)images))
    return false;
  for (int k = 1; k < 5; k++)
    if (isnan(v[k] * scale))
      return false;
  region->image = (int64_t)v[0];
  region->left = at_roiPixel(v[1], scale);
  region->top = at_roiPixel(v[2], scale);
  region->columns = at_roiSize(v[1], v[3], scale);
  region->rows = at_roiSize(v[2], v[4], scale);
  return true;
}

AT_ROI int64_t at_roiLimit(double at, int64_t limit)
{
  return at < 0 ? 0 : at < (double)limit ? (int64_t)at : limit;
}

/* Cell i of count cells along size pixels from first on, cut to [0, limit): pixels [*from, *to). */
AT_ROI void at_cellAlong(int64_t i, int64_t count, int64_t first, int64_t size, int64_t limit,
                         int64_t *from, int64_t *to)
{
  const double step = (double)size / (double)count;
  *from = at_roiLimit(floor((double)i * step) + (double)first, limit);
  *to = at_roiLimit(ceil((double)(i + 1) * step) + (double)first, limit);
}

/* Cell i of a grid of rows x columns, in planes of height x width. */
AT_ROI at_cell at_cellOf(const at_region *r, int64_t i, int64_t rows, int64_t columns,
                         int64_t height, int64_t width)
{
  at_cell c;
  at_cellAlong(i / columns, rows, r->top, r->rows, height, &c.top, &c.bottom);
  at_cellAlong(i % columns, columns, r->left, r->columns, width, &c.left, &c.right);
  return c;
}

#endif

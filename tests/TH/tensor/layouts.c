/* The test support itself: layouts have the shape, strides and values they claim. */
#include "THTemplate.h"

#include "th_layouts.h"

/* Compares each layout with the strides that its description says, for a shape of 2 x 3 x 4. */
static void THTest_(geometry)(void)
{
  static const struct {
    int64_t stride[3];
    ptrdiff_t offset, length;
  } expected[] = {
      [TH_CONTIGUOUS] = {{12, 4, 1}, 0, 24}, [TH_OFFSET] = {{12, 4, 1}, 3, 29},
      [TH_TRANSPOSED] = {{1, 2, 6}, 0, 24},  [TH_PERMUTED] = {{12, 1, 3}, 0, 24},
      [TH_NARROWED] = {{30, 6, 1}, 37, 120}, [TH_STRIDED] = {{24, 8, 2}, 0, 48},
      [TH_EXPANDED] = {{0, 4, 1}, 0, 12},    [TH_EXPANDED_LAST] = {{3, 1, 0}, 0, 6},
      [TH_WINDOWS] = {{1, 1, 1}, 0, 24},
  };
  for (int layout = 0; layout < TH_ONE; layout++) {
    if (layout == TH_WITH_ONES)
      continue;
    th_note("%s", th_layout_names[layout]);
    const th_geometry g = th_layout_geometry(layout, TH_SHAPE(2, 3, 4));
    CHECK_EQ(g.dims, 3);
    for (int d = 0; d < 3; d++)
      CHECK_EQ(g.stride[d], expected[layout].stride[d]);
    CHECK_EQ(g.offset, expected[layout].offset);
    CHECK_EQ(g.length, expected[layout].length);
  }
}

/* Every layout has the count it should, and values that differ and are never 0. */
static void THTest_(tensors)(void)
{
  for (int layout = 0; layout < TH_LAYOUTS; layout++) {
    th_note("%s", th_layout_names[layout]);
    THTensor *t = THTest_(tensor)(layout, 5, TH_SHAPE(2, 3, 4));
    const ptrdiff_t count = layout == TH_EMPTY ? 0 : layout == TH_ONE ? 1 : 24;
    CHECK_EQ(THTest_(count)(t), count);
    real *values = THTest_(values)(t);
    for (ptrdiff_t i = 0; i < count; i++)
      CHECK(TH_CONVERT_REAL_TO_ACCREAL(values[i]) != 0);
    if (count > 1)
      CHECK(memcmp(values, values + 1, sizeof(real)) || memcmp(values, values + 7, sizeof(real)));
    CHECK_VALUES(t, values);
    free(values);
    THTensor_(free)(t);
  }
}

TH_TESTS(THTest_(geometry), THTest_(tensors))

/* Max pooling of an image by windows of 2 or 3, two apart along both axes: all of it in registers.  A
 * part of MaxPoolStrips.h.  An image with a NaN is left to the general code, which saves comparisons here. */

enum { STRIDE2_PREFETCH = THNN_PREFETCH_FAR / sizeof(real) }; /* elements */

/* A strip: a vector of windows of each row. */
typedef struct {
  ptrdiff_t begin; /* the first window */
  ptrdiff_t start; /* its first column, perhaps in the padding */
  Mask low, high;  /* elements inside the image, of the two vectors that are read */
  Mask behind;     /* whether the element after these vectors is inside the image */
  Mask wanted;     /* lanes that have a window */
  Integers first;  /* columns of each window that are in the padding on the left */
  Integers column; /* each window's first column, in index tensors */
} Stride2Strip;

KERNEL begin_stride2(Stride2Strip *s, const THNNWindow *w, ptrdiff_t begin)
{
  const ptrdiff_t start = 2 * begin - w->pad, inside = w->input - start;
  index_t first[LANES], column[LANES];
  for (int j = 0; j < LANES; j++) {
    const index_t at = (index_t)start + 2 * j;
    first[j] = THMax(-at, 0);
    column[j] = at + TH_INDEX_BASE;
  }
  s->begin = begin;
  s->start = start;
  s->low = lanes_between(-start, inside);
  s->high = lanes_between(0, inside - LANES);
  s->behind = inside > 2 * LANES;
  s->wanted = lanes_between(0, w->output - begin);
  s->first = Integers_(load)(first);
  s->column = Integers_(load)(column);
}

/* Takes v where it is larger than the maximum so far.  Its column is `behind` columns after the window's first
 * one. */
KERNEL take_column(Vector v, Integers all, index_t behind, ArgMax *w)
{
  const Mask take = Vector_(greater)(v, w->most);
  w->most = Vector_(max)(v, w->most);
  w->best = Integers_(select)(take, all + Integers_(all)(behind), w->best);
}

KERNEL take_row(const ArgMax *row, ArgMax *w)
{
  const Mask take = Vector_(greater)(row->most, w->most);
  w->most = Vector_(max)(row->most, w->most);
  w->best = Integers_(select)(take, row->best, w->best);
}

/* The bits of a float without its sign, shifted left by one: those of a NaN exceed those of every
 * other value.  So NaNs are found by a maximum of bits; comparisons to masks would be slower, as a
 * processor starts fewer of them at a time. */
FRAME_STAYS static inline __attribute__((always_inline)) Integers doubled_bits(Vector v)
{
  return (Integers)v + (Integers)v;
}

KERNEL look_for_nan(Vector v, Integers *most)
{
  *most = Integers_(maxUnsigned)(*most, doubled_bits(v));
}

/* Whether a strip is the first or the last of its row, and so needs masks there.  Constants. */
typedef struct {
  int first, last;
} Side;

/* The largest elements of the row that begins at offset row of x.  The bits of all elements that
 * are read go into bits; the element after the vectors belongs to the next strip. */
KERNEL stride2_row(const Stride2Strip *s, Side side, const real *x, ptrdiff_t row, ptrdiff_t size,
                   ArgMax *to, Integers *bits)
{
  const Integers at = Integers_(all)((index_t)row);
  Vector low, high;
  x += row + s->start;
  if (side.first)
    low = Vector_(loadOr)(LEAST, s->low, x);
  else
    low = load(x);
  if (side.last)
    high = Vector_(loadOr)(LEAST, s->high, x + LANES);
  else
    high = load(x + LANES);
  const Vector even = MIX(low, high, EVEN);
  look_for_nan(low, bits);
  look_for_nan(high, bits);
  to->most = even;
  to->best = at + s->first;
  take_column(MIX(low, high, ODD), at, 1, to);
  if (size == 3) { /* the third column is the first of the next window, or after the vectors */
    const Vector behind =
        side.last ? Vector_(loadOr)(LEAST, s->behind, x + 2 * LANES) : Vector_(all)(x[2 * LANES]);
    if (side.last)
      look_for_nan(behind, bits);
    take_column(Vector_(next)(even, behind), at, 2, to);
  }
}

/* A row of windows covers the rows of the image that begin at upper and lower; windows of 3 also
 * cover the lower row of the windows above. */
typedef struct {
  ptrdiff_t upper, lower;
} Stride2Rows;

KERNEL stride2_windows(const Stride2Strip *s, Side side, ArgMax *last, const real *x,
                       Stride2Rows rows, ptrdiff_t size, Mask wanted, real *y, int64_t *index,
                       Integers *bits)
{
  ArgMax all, below;
  stride2_row(s, side, x, rows.upper, size, &all, bits);
  stride2_row(s, side, x, rows.lower, size, &below, bits);
  if (size == 3) {
    const ArgMax middle = all;
    all = *last;
    take_row(&middle, &all);
    *last = below;
  }
  take_row(&below, &all);
  put_lanes(wanted, all.most, all.best + s->column, y + s->begin, index + s->begin);
}

/* Computes the windows of some strips, beginning with window first of each row; the last strip may
 * compute some windows again.  Each row of the image is read once, from its first column to its
 * last: if strips were computed one after the other, prefetched lines would be evicted before they
 * are used.  unroll is the number of strips if it is 1 or 2, else 0; the results of one or two
 * strips are variables, as an array would stay in memory.
 *
 * In place of a row outside the image the nearest row inside is taken again, which changes nothing.
 */
KERNEL stride2_strips(const THNNWindow *axis, ptrdiff_t first, ptrdiff_t strips, int unroll,
                      ptrdiff_t size, const real *x, real *y, int64_t *index, Mask *nan)
{
  const ptrdiff_t columns = axis[2].output, next = axis[2].input, rows = axis[1].output;
  const ptrdiff_t top = axis[1].pad, bottom = axis[1].input - 1;
  Stride2Strip s[STRIPS];
  ArgMax last[STRIPS];
  const Side both = {1, 1};
  Integers bits = Integers_(all)(0);
  for (ptrdiff_t k = 0; k < strips; k++) {
    begin_stride2(&s[k], &axis[2], THMax(0, THMin(first + k * LANES, columns - LANES)));
    stride2_row(&s[k], both, x, 0, size, &last[k], &bits);
  }
  const Stride2Strip one = s[0], two = s[strips > 1];
  ArgMax lastOne = last[0], lastTwo = last[strips > 1];
  for (ptrdiff_t j = 0; j < rows; j++, y += columns, index += columns) {
    const ptrdiff_t end = 2 * j - top + size;
    const Stride2Rows from = {THMin(THMax(end - 2, 0), bottom) * next,
                              THMin(end - 1, bottom) * next};
    for (ptrdiff_t k = 0; k < 2 * next; k += LANES) /* each cache line once, and in order */
      __builtin_prefetch(x + from.upper + STRIDE2_PREFETCH + k);
    if (unroll == 1) {
      stride2_windows(&one, both, &lastOne, x, from, size, one.wanted, y, index, &bits);
    } else if (unroll == 2) {
      stride2_windows(&one, (Side){1, 0}, &lastOne, x, from, size, (Mask)-1, y, index, &bits);
      stride2_windows(&two, (Side){0, 1}, &lastTwo, x, from, size, (Mask)-1, y, index, &bits);
    } else {
      for (ptrdiff_t k = 0; k < strips; k++)
        stride2_windows(&s[k], both, &last[k], x, from, size, (Mask)-1, y, index, &bits);
    }
  }
  *nan |= Integers_(greaterUnsigned)(bits, doubled_bits(Vector_(all)((real)INFINITY)));
}

KERNEL stride2_image(const THNNWindow *axis, ptrdiff_t size, const real *x, real *y, int64_t *index,
                     Mask *nan)
{
  const ptrdiff_t columns = axis[2].output;
  if (columns <= LANES)
    stride2_strips(axis, 0, 1, 1, size, x, y, index, nan);
  else if (columns <= 2 * LANES)
    stride2_strips(axis, 0, 2, 2, size, x, y, index, nan);
  else
    for (ptrdiff_t first = 0; first < columns; first += STRIPS * LANES)
      stride2_strips(axis, first, THMin(STRIPS, (columns - first + LANES - 1) / LANES), 0, size, x,
                     y, index, nan);
}

/* Computes a plane.  Returns 0 if the windows are not 2 or 3 wide with stride 2, or if there is a NaN; y and
 * index are then undefined. */
FRAME_STAYS static int pool_stride2(const THNNWindow *axis, const real *x, real *y, int64_t *index)
{
  Mask nan = 0;
  if (THNNWindow_isStride2(axis, 3))
    stride2_image(axis, 3, x, y, index, &nan);
  else if (THNNWindow_isStride2(axis, 2))
    stride2_image(axis, 2, x, y, index, &nan);
  else
    return 0;
  return !nan;
}

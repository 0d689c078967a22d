/* The gradient of max pooling by windows of 2 or 3, two apart, in an image.  An element is in at
 * most four windows; its gradient is the sum, in the order of the windows, of the gradients of
 * those whose largest element it was.  Nothing is scattered, so that vectors of elements are
 * computed. */
#include "THNN/layer/Template.h"
#include "THNN/simd/Tuning.h"

#include "TH/simd/THSimdReal.h"

#if TH_VECTOR_MASKS
#include "THNN/simd/StreamWriter.h"

enum { NONE = -1 };

/* A window's largest element is stored as its offset from the window's first element, in an integer
 * as wide as real. */
#if defined(TH_REAL_IS_FLOAT)
#define INTERLEAVED(A, B)                                                                          \
  A, B, A + 1, B + 1, A + 2, B + 2, A + 3, B + 3, A + 4, B + 4, A + 5, B + 5, A + 6, B + 6, A + 7, \
      B + 7
typedef int32_t Taken;
#else
#define INTERLEAVED(A, B) A, B, A + 1, B + 1, A + 2, B + 2, A + 3, B + 3
typedef int64_t Taken;
#endif

#define KERNEL static inline __attribute__((always_inline))

/* The arguments of a plane, as a local copy: compilers would reload others after each store of a
 * vector, which might change them. */
typedef struct {
  THNNWindow height, width;
  const real *g;
  const int64_t *index;
  ptrdiff_t pitch; /* windows of a row, with padding on both sides */
  real *rows;      /* the last THNN_POOL_ROWS rows of windows */
} Plane;

/* A row of windows: gradients, and which elements they took. */
typedef struct {
  real *g;
  Taken *taken;
} Row;

KERNEL Row row_of(const Plane *p, ptrdiff_t row)
{
  real *const g = p->rows + (row & (THNN_POOL_ROWS - 1)) * 2 * p->pitch + LANES;
  return (Row){g, (Taken *)(void *)(g + p->pitch)};
}

/* Windows from ... of a row take nothing. */
static void clear(ptrdiff_t pitch, Row to, ptrdiff_t from)
{
  for (ptrdiff_t k = from; k < pitch - LANES; k += LANES) {
    memset(to.g + k, 0, sizeof(Vector));
    memset(to.taken + k, NONE, sizeof(Vector));
  }
}

/* Clears the row above the first, and the padding of all rows. */
KERNEL void begin_plane(const Plane *p)
{
  const ptrdiff_t count = THMin(THNN_POOL_ROWS, p->height.output + 2);
  for (ptrdiff_t row = -1; row + 1 < count; row++) {
    const Row to = row_of(p, row);
    memset(to.g - LANES, 0, sizeof(Vector));
    memset(to.taken - LANES, NONE, sizeof(Vector));
    clear(p->pitch, to, row < 0 ? 0 : THMax(LANES, p->width.output));
  }
}

/* Rows begin ... end of windows. */
typedef struct {
  ptrdiff_t begin, end;
} Rows;

/* Loads a vector of windows of each row, beginning with window k.  Returns whether each of them
 * took one of its own elements. */
KERNEL int load_windows(const Plane *p, Rows rows, ptrdiff_t k, ptrdiff_t size)
{
  const THNNWindow *h = &p->height;
  const ptrdiff_t columns = p->width.output, next = p->width.input;
  const Mask wanted = columns < LANES ? lanes_between(0, columns) : (Mask)-1;
  /* For each window: its first column in index tensors; its first column in the image, counted from
   * that; and the number of its columns in the image. */
  const Integers none = Integers_(all)(NONE), zero = Integers_(all)(0);
  const Integers left = 2 * Integers_(counting)() + Integers_(all)((Taken)(2 * k - p->width.pad));
  const Integers first = left + Integers_(all)(TH_INDEX_BASE);
  const Integers from = Integers_(max)(zero, zero - left);
  const Integers count =
      Integers_(min)(Integers_(all)((Taken)size), Integers_(all)((Taken)next) - left) - from;
  Integers most = zero;
  for (ptrdiff_t row = rows.begin; row < rows.end; row++) {
    const Row to = row_of(p, row);
    const ptrdiff_t top = 2 * row - h->pad;
    const int64_t *index = p->index + row * columns + k;
    const real *g = p->g + row * columns + k;
    const THLongs low = THLongs_loadMasked((THMask64)wanted, index);
#if defined(TH_REAL_IS_FLOAT)
    const THLongs high = THLongs_loadMasked((THMask64)(wanted >> 8), index + 8);
    const Integers at = THInts_ofLongs(low, high);
    __builtin_prefetch((const char *)index + THNN_PREFETCH_NEAR + 64);
#else
    const Integers at = low;
#endif
    __builtin_prefetch((const char *)index + THNN_PREFETCH_NEAR);
    __builtin_prefetch((const char *)g + THNN_PREFETCH_NEAR);
    const Integers taken = at - Integers_(all)((Taken)(top * next)) - first;
    const Integers behind = taken - from;
    Integers least = none; /* the largest unsigned; below count if the element is in the window */
    if (top >= 0 && top + size <= h->input)
      for (ptrdiff_t r = 0; r < size; r++)
        least = Integers_(minUnsigned)(least, behind - Integers_(all)((Taken)(r * next)));
    else
      for (ptrdiff_t r = THMax(0, -top); r < THMin(size, h->input - top); r++)
        least = Integers_(minUnsigned)(least, behind - Integers_(all)((Taken)(r * next)));
    most = Integers_(maxUnsigned)(most, least);
    const Integers kept = Integers_(select)(wanted, taken, none);
    const Vector values = Vector_(loadMasked)(wanted, g);
    Integers_(store)(to.taken + k, kept);
    store(to.g + k, values);
  }
  return !(wanted & Integers_(atLeastUnsigned)(most, count));
}

/* Loads rows of windows; the last vector of a row loads some windows again. */
KERNEL int load_rows(const Plane *p, Rows rows, ptrdiff_t size)
{
  const ptrdiff_t columns = p->width.output, output = p->height.output;
  const Rows inside = {rows.begin, THMin(rows.end, output)};
  int own = 1;
  for (ptrdiff_t k = 0; k < columns; k += LANES)
    own &= load_windows(p, inside, THMax(0, THMin(k, columns - LANES)), size);
  for (ptrdiff_t row = THMax(rows.begin, output); row < rows.end; row++)
    clear(p->pitch, row_of(p, row), 0);
  return own;
}

/* The gradients of neighbouring windows, and which elements these took. */
typedef struct {
  Vector g;
  Integers taken;
} Windows;

KERNEL Windows windows_of(Row row, ptrdiff_t k)
{
  return (Windows){load(row.g + k), Integers_(load)(row.taken + k)};
}

/* sum + the gradients of the windows that took the element at offset index. */
KERNEL Vector add_taken(Vector sum, Windows windows, ptrdiff_t index)
{
  return Vector_(select)(Integers_(equal)(windows.taken, Integers_(all)((Taken)index)),
                         sum + windows.g, sum);
}

/* The lanes of two vectors that are columns of the image. */
typedef struct {
  int all;
  Mask low, high;
} Columns;

KERNEL void store_columns(real *y, const Columns *columns, Vector low, Vector high)
{
  if (columns->all) {
    store(y, low);
    store(y + LANES, high);
  } else {
    Vector_(storeMasked)(y, columns->low, low);
    Vector_(storeMasked)(y + LANES, columns->high, high);
  }
}

/* Computes two vectors of columns, beginning with 2 k, in two rows of the image for each row of
 * windows.  The first of these rows is also the last row of the windows above; the second is in one
 * row of windows only, as every other column is in one window of a row only.  Prefetches the output
 * that lies later bytes further on. */
KERNEL void add_columns(const Plane *p, Rows rows, ptrdiff_t k, ptrdiff_t size, real *y,
                        ptrdiff_t later)
{
  enum { HALF = LANES / 2 };
  static const Taken mixed[2][2][LANES] = {
      {{INTERLEAVED(0, LANES)}, {INTERLEAVED(HALF, LANES + HALF)}},
      {{INTERLEAVED(LANES, 0)}, {INTERLEAVED(LANES + HALF, HALF)}}};
  const ptrdiff_t pad = p->width.pad, next = p->width.input, last = 2 * next;
  const ptrdiff_t count = next - 2 * k, end = p->height.input;
  const Columns columns = {count >= 2 * LANES, lanes_between(0, count),
                           lanes_between(0, count - LANES)};
  const Integers low = Integers_(load)(mixed[pad][0]), high = Integers_(load)(mixed[pad][1]);
  const Row before = row_of(p, rows.begin - 1);
  const Vector zero = {0};
  Windows left = windows_of(before, k + pad - 1), right = windows_of(before, k + pad);
  Windows own = windows_of(before, k);
  for (ptrdiff_t row = rows.begin, i = 2 * row - p->height.pad; row < rows.end; row++, i += 2) {
    Vector two = zero, one = zero, twoBelow = zero, oneBelow = zero;
    if (size == 3) {
      two = add_taken(add_taken(two, left, last + 2), right, last);
      one = add_taken(one, own, last + 1);
    }
    const Row here = row_of(p, row);
    left = windows_of(here, k + pad - 1);
    right = windows_of(here, k + pad);
    own = windows_of(here, k);
    if (size == 3) {
      two = add_taken(two, left, 2);
      twoBelow = add_taken(twoBelow, left, next + 2);
    }
    two = add_taken(two, right, 0);
    one = add_taken(one, own, 1);
    twoBelow = add_taken(twoBelow, right, next);
    oneBelow = add_taken(oneBelow, own, next + 1);
    for (int line = 0; line < 4; line++)
      __builtin_prefetch((const char *)y + later + line * TH_STREAM_LINE, 1);
    if (i >= 0) {
      store_columns(y, &columns, Vector_(permuteTwo)(two, one, low),
                    Vector_(permuteTwo)(two, one, high));
      y += next;
    }
    if (i + 1 < end) {
      store_columns(y, &columns, Vector_(permuteTwo)(twoBelow, oneBelow, low),
                    Vector_(permuteTwo)(twoBelow, oneBelow, high));
      y += next;
    }
  }
}

/* Rows of windows are loaded some at a time: a load that overlaps two vectors which were just
 * stored would wait for them. */
KERNEL int add_plane(const Plane *p, ptrdiff_t size, real *y, StreamWriter *s)
{
  const ptrdiff_t next = p->width.input, pad = p->height.pad, end = p->height.input;
  const int again = next % 2 == 0 && next >= 2 * LANES; /* the last columns compute some again */
  begin_plane(p);
  for (Rows rows = {0, 0}; 2 * rows.end - pad < end; rows.begin = rows.end) {
    rows.end = THMin(rows.begin + THNN_POOL_ROWS - 1, (end + pad + 1) / 2);
    if (!load_rows(p, rows, size))
      return 0;
    const ptrdiff_t first = THMax(0, 2 * rows.begin - pad), past = THMin(2 * rows.end - pad, end);
    real *const to = s ? s->buffer + s->held : y + first * next;
    for (ptrdiff_t at = 0; at < next; at += 2 * LANES) {
      const ptrdiff_t column = again ? THMin(at, next - 2 * LANES) : at;
      add_columns(p, rows, column / 2, size, to + column, s ? 0 : THNN_PREFETCH_NEAR);
    }
    if (s)
      stream_rows(s, (past - first) * next);
  }
  return 1;
}

static int max_pool_backward(const THNNWindow axis[3], int streams, const real *g,
                             const int64_t *index, real *y, real *scratch)
{
  const ptrdiff_t pitch = THNN_(maxPoolBackwardPitch)(axis);
  const Plane p = {axis[1], axis[2], g, index, pitch, scratch};
  StreamWriter writer = {y, scratch + 2 * THNN_POOL_ROWS * pitch, 0}, *s = streams ? &writer : NULL;
  int own = 0;
  if (THNNWindow_isStride2(axis, 3))
    own = add_plane(&p, 3, y, s);
  else if (THNNWindow_isStride2(axis, 2))
    own = add_plane(&p, 2, y, s);
  if (own && streams)
    stream_rest(s);
  return own;
}
#else
#define max_pool_backward NULL
#endif

const THNN_(MaxPoolBackwardKernel) TH_LEVEL_(THNN_(maxPoolBackwardKernel))[] = {max_pool_backward};

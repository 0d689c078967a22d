/* Experiments: a convolution of 3 x 3 windows by Winograd's algorithm. */
#include "experiments.h"

#if defined(__AVX512F__)

/* As the library's F(4 x 4, 3 x 3) with the same points (src/THNN/conv/winograd/Winograd3x3.h), but for 14 x 14
 * results exactly: three tiles of 4 results and one of 2 across and down, and not four of 4.  A
 * tile of 2 x 2 results needs the points 0, P, -P and infinity alone, and takes the same
 * transformed weights: what their scale differs by goes into the transform of the image.  So 16
 * tiles of an image are multiplied at 16 of the 36 points, 12 at 16, and 9 at 4: 484 rows instead
 * of 576.
 *
 * No more than 6.4 MB, what the images take, may be had apart from the operands
 * (src/THNN/conv/Memory.h), and transformed weights alone take 9.4 MB.  So two of the six rows of
 * points are computed at a time, in 4.9 MB, and the results are the sum of three passes.
 *
 * Four images are transformed at a time; each of the 12 products goes through all its rows, and
 * while they are summed up its next 32 KB of weights are prefetched from L3.  Planes or
 * results are always in the lanes, and what an image is transformed into and out of stays in L1. */
enum { BATCH = 32, PLANES = 256, OUTPUTS = 256, SIDE = 14, PIXELS = SIDE * SIDE, TAPS = 9 };
enum { POINTS = 6, TILES = 4, STEP = 4 };
enum { GROUPS = PLANES / FLOATS, WIDTH = 2 * FLOATS, PANELS = OUTPUTS / WIDTH };
enum { PADDED = 16 }; /* rows and columns of an image with its padding */
enum { MOST_ROWS = 14 };

enum {
  IMAGES = 4,
  ROWS = 2,
  HELD = ROWS * POINTS
}; /* at a time: images, rows of points, numbers */

#define P  0.625f
#define Q  1.5f
#define P2 (P * P)
#define Q2 (Q * Q)

/* Vectors from group to group of planes of a number's tiles, that do not share sets of the cache,
 * and from number to number. */
enum {
  NEXT_GROUP = IMAGES * 16 + MOST_ROWS,
  NEXT_NUMBER = GROUPS * NEXT_GROUP + 5,
  NEXT_PANEL = IMAGES * 16 * 2,
  NEXT_PRODUCT = PANELS * NEXT_PANEL + 5,
  NEXT_WEIGHTS = PLANES * OUTPUTS / FLOATS + 5
};

static struct {
  __m512 *tiles, *products, *weights;
} at;

/* Tiles across that need a point. */
static inline int tiles_of(int point)
{
  return point == 3 || point == 4 ? TILES - 1 : TILES;
}

/* --- transforms ------------------------------------------------------------------------------ */

static inline __m512 times(float a, __m512 b)
{
  return _mm512_set1_ps(a) * b;
}

static inline __m512 add(__m512 a, float factor, __m512 c)
{
  return _mm512_fmadd_ps(a, _mm512_set1_ps(factor), c);
}

/* Six or, where results are 2, four numbers (0, 1, 2 and 5) of as many elements. */
static inline __attribute__((always_inline)) void of_image(const __m512 *d, int results, __m512 *v)
{
  if (results == 2) {
    const __m512 middle = times(P2 - Q2, d[2]);
    v[0] = add(d[2], -Q2, times(P2 * Q2, d[0]));
    v[1] = add(d[1], P * (P2 - Q2), middle);
    v[2] = add(d[1], -P * (P2 - Q2), middle);
    v[5] = add(d[1], -P2, d[3]);
    return;
  }
  const __m512 oddP = add(d[1], -Q2, d[3]), evenP = add(d[2], -Q2, d[4]);
  const __m512 oddQ = add(d[1], -P2, d[3]), evenQ = add(d[2], -P2, d[4]);
  v[0] = add(d[0], P2 * Q2, add(d[2], -(P2 + Q2), d[4]));
  v[1] = add(oddP, P, evenP);
  v[2] = add(oddP, -P, evenP);
  v[3] = add(oddQ, Q, evenQ);
  v[4] = add(oddQ, -Q, evenQ);
  v[5] = add(d[1], P2 * Q2, add(d[3], -(P2 + Q2), d[5]));
}

static inline __attribute__((always_inline)) void of_window(const __m512 *g, __m512 *u)
{
  const float p = 1 / (2 * P2 * (P2 - Q2)), q = 1 / (2 * Q2 * (Q2 - P2));
  const __m512 evenP = add(g[2], P2 * p, times(p, g[0])), oddP = times(P * p, g[1]);
  const __m512 evenQ = add(g[2], Q2 * q, times(q, g[0])), oddQ = times(Q * q, g[1]);
  u[0] = times(1 / (P2 * Q2), g[0]);
  u[1] = evenP + oddP;
  u[2] = evenP - oddP;
  u[3] = evenQ + oddQ;
  u[4] = evenQ - oddQ;
  u[5] = g[2];
}

static inline __attribute__((always_inline)) void of_products(const __m512 *m, int results,
                                                              __m512 *y)
{
  const __m512 evenP = m[1] + m[2], oddP = m[1] - m[2];
  if (results == 2) {
    y[0] = m[0] + evenP;
    y[1] = add(oddP, P, m[5]);
    return;
  }
  const __m512 evenQ = m[3] + m[4], oddQ = m[3] - m[4];
  y[0] = m[0] + evenP + evenQ;
  y[1] = add(oddQ, Q, times(P, oddP));
  y[2] = add(evenQ, Q2, times(P2, evenP));
  y[3] = add(oddQ, Q * Q2, add(oddP, P * P2, m[5]));
}

/* --- weights --------------------------------------------------------------------------------- */

/* Sixteen planes of 32 outputs are transposed, and transformed. */
static void transform_weights(const float *w, int first)
{
  static __m512 transposed[2][FLOATS * TAPS];
  for (int panel = 0; panel < PANELS; panel++)
    for (int p = 0; p < PLANES; p += FLOATS) {
      for (int half = 0; half < 2; half++)
        for (int k = 0; k < TAPS; k++)
          transpose_square(w + (ptrdiff_t)(panel * WIDTH + half * FLOATS) * PLANES * TAPS +
                               p * TAPS + k * FLOATS,
                           PLANES * TAPS, (float *)&transposed[half][k * FLOATS], FLOATS);
      for (int l = 0; l < FLOATS; l++)
        for (int half = 0; half < 2; half++) {
          const __m512 *g = transposed[half] + l * TAPS;
          __m512 *u = at.weights + ((ptrdiff_t)panel * PLANES + p + l) * 2 + half;
          __m512 h[POINTS][3];
          for (int j = 0; j < 3; j++) {
            __m512 column[POINTS];
            of_window((const __m512[]){g[j], g[3 + j], g[6 + j]}, column);
            for (int a = 0; a < POINTS; a++)
              h[a][j] = column[a];
          }
          for (int a = 0; a < ROWS; a++) {
            __m512 row[POINTS];
            of_window(h[first + a], row);
            for (int b = 0; b < POINTS; b++)
              u[(ptrdiff_t)(a * POINTS + b) * NEXT_WEIGHTS] = row[b];
          }
        }
    }
}

/* --- images ---------------------------------------------------------------------------------- */

/* The numbers of a tile of high x wide results. */
static inline __attribute__((always_inline)) void tile(const __m512 *x, int first, int high,
                                                       int wide, __m512 *const *to, int at)
{
  __m512 h[POINTS][POINTS];
#pragma GCC unroll 6
  for (int j = 0; j < wide + 2; j++) {
    __m512 d[POINTS], column[POINTS];
#pragma GCC unroll 6
    for (int i = 0; i < high + 2; i++)
      d[i] = x[i * PADDED + j];
    of_image(d, high, column);
#pragma GCC unroll 6
    for (int a = 0; a < POINTS; a++)
      if (a >= first && a < first + ROWS && (high == STEP || (a != 3 && a != 4)))
        h[a][j] = column[a];
  }
#pragma GCC unroll 6
  for (int a = first; a < first + ROWS; a++)
    if (high == STEP || (a != 3 && a != 4)) {
      __m512 row[POINTS];
      of_image(h[a], wide, row);
#pragma GCC unroll 6
      for (int b = 0; b < POINTS; b++)
        if (wide == STEP || (b != 3 && b != 4))
          to[(a - first) * POINTS + b][at] = row[b];
    }
}

/* As transpose_square; as many elements of each row are there. */
static inline void transpose_some(const float *x, ptrdiff_t nextX, __mmask16 there, __m512 *y)
{
  __m512 v[2][FLOATS];
#pragma GCC unroll 16
  for (int i = 0; i < FLOATS; i++)
    v[0][i] = _mm512_maskz_loadu_ps(there, x + i * nextX);
  transpose_vectors(v);
#pragma GCC unroll 16
  for (int i = 0; i < FLOATS; i++)
    y[i] = v[0][i];
}

static inline __attribute__((always_inline)) void some_of_image(const float *x, int image,
                                                                int first)
{
  static __m512 padded[PADDED * PADDED + 2]; /* begins with a row and an element of 0 */
  for (int group = 0; group < GROUPS; group++, x += FLOATS * PIXELS) {
    for (int i = 0; i < SIDE; i++) /* the last two of a row are zeros */
      transpose_some(x + i * SIDE, PIXELS, 0x3fff, padded + (i + 1) * PADDED + 1);
    for (int i = 0; i < TILES; i++) {
      __m512 *to[HELD];
      for (int n = 0; n < HELD; n++)
        to[n] = at.tiles + (ptrdiff_t)n * NEXT_NUMBER + (ptrdiff_t)group * NEXT_GROUP +
                (image * tiles_of(first + n / POINTS) + i) * tiles_of(n % POINTS);
      /* Where three tiles down are counted, the fourth is not written. */
      for (int j = 0; j < TILES; j++) {
        const __m512 *from = padded + i * STEP * PADDED + j * STEP;
        if (i < TILES - 1 && j < TILES - 1)
          tile(from, first, 4, 4, to, j);
        else if (i < TILES - 1)
          tile(from, first, 4, 2, to, j);
        else if (j < TILES - 1)
          tile(from, first, 2, 4, to, j);
        else
          tile(from, first, 2, 2, to, j);
      }
    }
  }
}

static __attribute__((noinline)) void transform_image(const float *x, int image, int first)
{
  if (first == 0)
    some_of_image(x, image, 0);
  else if (first == 2)
    some_of_image(x, image, 2);
  else
    some_of_image(x, image, 4);
}

/* --- products -------------------------------------------------------------------------------- */

/* So many tiles by 32 results in registers, over all planes.  The lines of the products are
 * prefetched, which are written, and of the weights that come next some with each group of planes,
 * into L2. */
static inline __attribute__((always_inline)) void rows_of_tiles(int rows, const __m512 *v,
                                                                const __m512 *u, __m512 *m,
                                                                const __m512 *ahead, int lines)
{
  const __m512 *next = v + rows;
  __m512 sum[MOST_ROWS][2];
#pragma GCC unroll 14
  for (int k = 0; k < rows; k++)
    sum[k][0] = sum[k][1] = _mm512_setzero_ps();
  for (int group = 0; group < GROUPS; group++, v += NEXT_GROUP) {
    const float *x = (const float *)v;
    if (group < rows) {
      __builtin_prefetch(m + 2 * group, 1);
      __builtin_prefetch(m + 2 * group + 1, 1);
    }
    for (int k = 0; k < rows; k++) /* the next planes of these tiles, or the next tiles */
      __builtin_prefetch((group < GROUPS - 1 ? v + NEXT_GROUP : next) + k);
    for (int k = 0; k < lines; k++)
      _mm_prefetch((const char *)ahead++, _MM_HINT_T1);
#pragma GCC unroll 2
    for (int l = 0; l < FLOATS; l++, u += 2) {
      const __m512 first = u[0], second = u[1];
#pragma GCC unroll 14
      for (int k = 0; k < rows; k++) {
        const __m512 element = _mm512_set1_ps(x[k * FLOATS + l]);
        sum[k][0] = _mm512_fmadd_ps(element, first, sum[k][0]);
        sum[k][1] = _mm512_fmadd_ps(element, second, sum[k][1]);
      }
    }
  }
#pragma GCC unroll 14
  for (int k = 0; k < rows; k++)
    m[2 * k] = sum[k][0], m[2 * k + 1] = sum[k][1];
}

static __attribute__((noinline)) void fourteen(const __m512 *v, const __m512 *u, __m512 *m,
                                               const __m512 *ahead, int lines)
{
  rows_of_tiles(14, v, u, m, ahead, lines);
}

static __attribute__((noinline)) void twelve(const __m512 *v, const __m512 *u, __m512 *m,
                                             const __m512 *ahead, int lines)
{
  rows_of_tiles(12, v, u, m, ahead, lines);
}

static void multiply(int n, int first)
{
  const int rows = IMAGES * tiles_of(first + n / POINTS) * tiles_of(n % POINTS);
  int twelves = 0; /* the rest is fourteens */
  while ((rows - 12 * twelves) % 14 && 12 * (twelves + 1) <= rows)
    twelves++;
  const int calls = twelves + (rows - 12 * twelves) / 14;
  const int lines = (2 * PLANES + calls * GROUPS - 1) / (calls * GROUPS);
  for (int panel = 0; panel < PANELS; panel++) {
    const __m512 *v = at.tiles + (ptrdiff_t)n * NEXT_NUMBER;
    const __m512 *u = at.weights + (ptrdiff_t)n * NEXT_WEIGHTS + (ptrdiff_t)panel * PLANES * 2;
    __m512 *m = at.products + (ptrdiff_t)n * NEXT_PRODUCT + (ptrdiff_t)panel * NEXT_PANEL;
    const __m512 *ahead = u + 2 * PLANES; /* the next panel's, or the next number's */
    for (int row = 0; row < rows;) {
      const int tile = row < 12 * twelves ? 12 : 14;
      (tile == 12 ? twelve : fourteen)(v + row, u, m + 2 * row, ahead, lines);
      row += tile;
      ahead += lines * GROUPS;
    }
  }
}

/* --- results --------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) void results(const __m512 *const *from, int first,
                                                          int j, int high, int wide, __m512 bias,
                                                          __m512 *y)
{
  __m512 h[STEP][POINTS]; /* down, at the points across */
#pragma GCC unroll 6
  for (int b = 0; b < POINTS; b++)
    if (wide == STEP || (b != 3 && b != 4)) {
      __m512 m[POINTS], column[STEP];
#pragma GCC unroll 6
      for (int a = 0; a < POINTS; a++)
        m[a] = a >= first && a < first + ROWS && (high == STEP || (a != 3 && a != 4))
                   ? from[(a - first) * POINTS + b][2 * j]
                   : _mm512_setzero_ps();
      of_products(m, high, column);
#pragma GCC unroll 4
      for (int i = 0; i < high; i++)
        h[i][b] = column[i];
    }
#pragma GCC unroll 4
  for (int i = 0; i < high; i++) {
    __m512 row[STEP];
    of_products(h[i], wide, row);
#pragma GCC unroll 4
    for (int k = 0; k < wide; k++)
      y[i * PADDED + k] = row[k] + bias;
  }
}

static inline __attribute__((always_inline)) void some_of_products(int image, const float *bias,
                                                                   float *y, int first)
{
  static __m512 made[SIDE * PADDED], transposed[FLOATS];
  for (int v = 0; v < OUTPUTS / FLOATS; v++) {
    const __m512 start = first ? _mm512_setzero_ps() : _mm512_loadu_ps(bias + v * FLOATS);
    for (int i = 0; i < TILES; i++) {
      const __m512 *from[HELD];
      for (int n = 0; n < HELD; n++)
        from[n] = at.products + (ptrdiff_t)n * NEXT_PRODUCT + (ptrdiff_t)(v / 2) * NEXT_PANEL +
                  2 * (image * tiles_of(first + n / POINTS) + i) * tiles_of(n % POINTS) + v % 2;
      for (int j = 0; j < TILES; j++) {
        __m512 *to = made + i * STEP * PADDED + j * STEP;
        if (i < TILES - 1 && j < TILES - 1)
          results(from, first, j, 4, 4, start, to);
        else if (i < TILES - 1)
          results(from, first, j, 4, 2, start, to);
        else if (j < TILES - 1)
          results(from, first, j, 2, 4, start, to);
        else
          results(from, first, j, 2, 2, start, to);
      }
    }
    for (int i = 0; i < SIDE; i++) {
      transpose_some((const float *)(made + i * PADDED), FLOATS, 0xffff, transposed);
      for (int k = 0; k < FLOATS; k++) {
        float *to = y + (ptrdiff_t)(v * FLOATS + k) * PIXELS + i * SIDE;
        const __m512 there = first ? _mm512_maskz_loadu_ps(0x3fff, to) : _mm512_setzero_ps();
        _mm512_mask_storeu_ps(to, 0x3fff, transposed[k] + there);
      }
    }
  }
}

static __attribute__((noinline)) void image_of_products(int image, const float *bias, float *y,
                                                        int first)
{
  if (first == 0)
    some_of_products(image, bias, y, 0);
  else if (first == 2)
    some_of_products(image, bias, y, 2);
  else
    some_of_products(image, bias, y, 4);
}

/* --- the row --------------------------------------------------------------------------------- */

static void prepare(void)
{
  on.x = normal(AT_SHAPE(BATCH, PLANES, SIDE, SIDE));
  on.g = normal(AT_SHAPE(OUTPUTS, PLANES, 3, 3));
  on.y = normal(AT_SHAPE(OUTPUTS));
  on.result = at_zeros(AT_SHAPE(1), .type = AT_CPU(AT_FLOAT));
  on.sketched = at_zeros(AT_SHAPE(1), .type = AT_CPU(AT_FLOAT));
}

static void ours(void *unused)
{
  (void)unused;
  at_release(on.result);
  on.result = at_convolution(on.x, on.g, on.y, AT_SHAPE(1, 1), AT_SHAPE(1, 1), AT_SHAPE(1, 1),
                             false, AT_SHAPE(0, 0), 1);
}

/* Memory is asked for and given back with every call, as ours is. */
static void sketch(void *unused)
{
  (void)unused;
  at_release(on.sketched);
  on.sketched = at_empty(AT_SHAPE(BATCH, OUTPUTS, SIDE, SIDE), .type = AT_CPU(AT_FLOAT));
  at_tensor *memory =
      at_empty(AT_SHAPE((int64_t)HELD * (NEXT_NUMBER + NEXT_PRODUCT + NEXT_WEIGHTS) + MOST_ROWS,
                        FLOATS),
               .type = AT_CPU(AT_FLOAT));
  at.tiles = at_data(memory);
  at.products = at.tiles + (ptrdiff_t)HELD * NEXT_NUMBER;
  at.weights = at.products + (ptrdiff_t)HELD * NEXT_PRODUCT;
  for (int first = 0; first < POINTS; first += ROWS) {
    transform_weights(floats(on.g), first);
    for (int image = 0; image < BATCH; image += IMAGES) {
      for (int k = 0; k < IMAGES; k++)
        transform_image(floats(on.x) + (ptrdiff_t)(image + k) * PLANES * PIXELS, k, first);
      for (int n = 0; n < HELD; n++)
        multiply(n, first);
      for (int k = 0; k < IMAGES; k++)
        image_of_products(k, floats(on.y),
                          floats(on.sketched) + (ptrdiff_t)(image + k) * OUTPUTS * PIXELS, first);
    }
  }
  at_release(memory);
}

const Experiment winograd_experiments[] = {
    {"conv.3x3.256.fwd", "32 x 256 x 14 x 14, 256 of 3 x 3",
     (double)BATCH *PLANES *PIXELS + (double)PLANES *OUTPUTS *TAPS, (double)BATCH *OUTPUTS *PIXELS,
     prepare, ours, sketch},
    {0},
};

#endif

/* Convolutions of a strip of one plane with filters of 3 x 3 or 5 x 5, straight from the image: a strip
 * is as many columns of the result as a vector has lanes.  A kernel goes down the rows of the image
 * and reads each once, in vectors that are shifted by each tap and masked at the image's edges.  The
 * sums of all rows of the result that a row of the image adds to stay in registers.  Two planes whose
 * rows fill no more than half a vector can be computed as a pair: the second in the upper lanes.
 * DepthwiseNchwKernels.h includes this file. */

enum {
  HALF = LANES / 2,             /* lanes of a plane of a pair */
  KEPT_WEIGHTS = 9,             /* weights that stay in registers */
  FILTERS = 2,                  /* filters that are computed together */
  WIDEST = 5,                   /* taps of a row of a filter, at most */
  PARTS = WIDEST + 1,           /* vectors of a row that make one vector of terms, at most */
  FETCHED = 4096 / sizeof(real) /* the prefetch distance in elements */
};

typedef struct {
  ptrdiff_t begin; /* its first column */
  int whole;       /* all its columns exist, and all their taps are inside the image */
  Mask wanted;     /* the columns that exist */
  /* With stride 1, inside[b] says for which columns tap b of a row is inside the image.  With stride
   * 2, two vectors of a row are split into even and odd elements, which taps 2 k and 2 k + 1 need:
   * inside[2 k] and inside[2 k + 1] say which of their elements are inside. */
  Mask inside[PARTS];
  Mask above[PARTS]; /* of a pair with stride 1: `inside` for the second plane */
} Strip;

/* The offset in a row of the image, from the first column of a strip, of the vector `part`. */
static inline ptrdiff_t offset_of(const THNNWindow *w, int part)
{
  return w->step == 1 ? part : 2 * (part / 2) + part % 2 * LANES;
}

static inline Strip strip_at(const THNNWindow *w, ptrdiff_t begin)
{
  const Mask all = lanes_between(0, LANES);
  Strip s = {.begin = begin, .wanted = lanes_between(-begin, w->output - begin)};
  s.whole = s.wanted == all;
  for (int part = 0; part < THMin(w->size + (w->step == 2), PARTS); part++) {
    const ptrdiff_t column = w->step * begin - w->pad + offset_of(w, part);
    s.inside[part] = lanes_between(-column, w->input - column) & (w->step == 1 ? s.wanted : all);
    s.whole &= s.inside[part] == all;
  }
  return s;
}

/* The only strip of a pair.  With stride 2, a row of each plane is split, instead of two parts of one. */
static inline Strip strip_of_pair(const THNNWindow *w)
{
  Strip s = strip_at(w, 0);
  for (int part = 0; part < PARTS; part++) {
    s.above[part] = (Mask)(s.inside[part] << HALF);
    if (w->step == 2 && part % 2)
      s.inside[part] = s.inside[part - 1];
  }
  return s;
}

/* The operands of a call: planes x, filters, biases and planes of the result, each contiguous. */
typedef struct {
  const THNNWindow *axis;
  const real *x, *weight, *bias;
  int hasBias;                      /* otherwise bias is FILTERS zeros */
  const THNNActivation *activation; /* or NULL */
  real *y;
} Slide;

/* Sums of successive rows of the result.  Each row has two, of the even and of the odd taps of a row,
 * so that fewer multiplications wait for each other. */
typedef struct {
  Vector bias[FILTERS], even[FILTERS][WIDEST], odd[FILTERS][WIDEST];
  Vector weight[WIDEST * WIDEST]; /* of a pair, or the first KEPT_WEIGHTS */
} Sums;

/* In what follows filters, size and pair are constants; the filters are those of one plane, or those of
 * a pair, which count as one. */

/* values[0] in all lanes; for a pair values[next] in the upper ones. */
INLINE Vector lanes_of(const real *values, ptrdiff_t next, int pair)
{
  const Mask upper = lanes_between(HALF, LANES);
  const Vector v = values[0] - (Vector){0};
  return pair ? Vector_(select)(upper, values[next] - (Vector){0}, v) : v;
}

/* Begins the sums of row q. */
INLINE void begin_row(Sums *sums, int filters, int q)
{
#pragma GCC unroll 2
  for (int f = 0; f < filters; f++) {
    sums->even[f][q] = sums->bias[f];
    sums->odd[f][q] = (Vector){0};
  }
}

INLINE void begin_sums(const Slide *slide, Sums *sums, int filters, int size, int rows, int pair)
{
  const int kept = pair ? size * size : KEPT_WEIGHTS;
#pragma GCC unroll 25
  for (int k = 0; k < WIDEST * WIDEST; k++)
    if (k < kept)
      sums->weight[k] = lanes_of(slide->weight + k, size * size, pair);
#pragma GCC unroll 2
  for (int f = 0; f < filters; f++)
    sums->bias[f] = lanes_of(slide->bias + f, 1, pair);
#pragma GCC unroll 5
  for (int q = 0; q < rows; q++)
    begin_row(sums, filters, q);
}

/* Adds v, the terms of tap [a][b], to the sums of row q. */
INLINE void add_tap(const Slide *slide, Sums *sums, int filters, int size, int pair, int a, int b,
                    int q, Vector v)
{
#pragma GCC unroll 2
  for (int f = 0; f < filters; f++) {
    const int k = (f * size + a) * size + b;
    const int isKept = pair || filters * size * size <= KEPT_WEIGHTS;
    const Vector w = isKept ? sums->weight[k] : slide->weight[k] - (Vector){0};
    Vector *const sum = b % 2 ? &sums->odd[f][q] : &sums->even[f][q];
    *sum = Vector_(mulAdd)(v, w, *sum);
  }
}

/* Stores the first row of the result, the lanes that are wanted. */
INLINE void store_row(const Slide *slide, const Sums *sums, int filters, int pair, Mask wanted,
                      real *y)
{
  const ptrdiff_t plane = slide->axis[1].output * slide->axis[2].output;
#pragma GCC unroll 2
  for (int f = 0; f < filters; f++) {
    const Vector v = activated(slide->activation, sums->even[f][0] + sums->odd[f][0]);
    Vector_(storeMasked)(y + f * plane, wanted, v);
    if (pair)
      Vector_(storeMasked)(y + plane - HALF, (Mask)(wanted << HALF), v);
  }
}

/* Makes the second row the first, and begins another row. */
INLINE void shift_rows(Sums *sums, int filters, int rows)
{
#pragma GCC unroll 2
  for (int f = 0; f < filters; f++)
#pragma GCC unroll 5
    for (int q = 1; q < rows; q++) {
      sums->even[f][q - 1] = sums->even[f][q];
      sums->odd[f][q - 1] = sums->odd[f][q];
    }
  begin_row(sums, filters, rows - 1);
}

/* Copies of the strip's masks stay in registers because stores do not change them. */
#define COPY_MASKS(COUNT)                    \
  Mask inside[PARTS];                        \
  TH_PRAGMA(GCC unroll 6)                    \
  for (int part = 0; part < (COUNT); part++) \
    inside[part] = s->inside[part];          \
  const Mask wanted = s->wanted;

/* Stride 1: rows [begin, end) of the result.  A row of the image is row a of the filter for the row
 * size - 1 - a that is being summed. */
INLINE void slide_strip(const Slide *slide, const Strip *s, ptrdiff_t begin, ptrdiff_t end,
                        int filters, int size, int pair)
{
  const THNNWindow *axis = slide->axis;
  const ptrdiff_t first = begin - axis[1].pad, last = end - axis[1].pad + size - 1;
  const ptrdiff_t image = axis[1].input * axis[2].input;
  const real *x = slide->x + first * axis[2].input + s->begin - axis[2].pad;
  real *y = slide->y + begin * axis[2].output + s->begin;
  COPY_MASKS(size)
  Sums sums;
  begin_sums(slide, &sums, filters, size, size, pair);
  for (ptrdiff_t r = first; r < last; r++, x += axis[2].input) {
    if (r >= 0 && r < axis[1].input) {
      __builtin_prefetch(x + FETCHED);
#pragma GCC unroll 5
      for (int b = 0; b < size; b++) {
        Vector v = Vector_(loadMasked)(inside[b], x + b);
        if (pair)
          v = Vector_(loadOr)(v, s->above[b], x + image - HALF + b);
#pragma GCC unroll 5
        for (int q = 0; q < size; q++)
          add_tap(slide, &sums, filters, size, pair, size - 1 - q, b, q, v);
      }
    }
    if (r >= first + size - 1) {
      store_row(slide, &sums, filters, pair, wanted, y);
      y += axis[2].output;
    }
    shift_rows(&sums, filters, size);
  }
}

/* Stride 2: adds a row of the image, which is row 2 (half - q) + odd of the filter for row q. */
INLINE void add_split_row(const Slide *slide, const Mask *inside, const real *x, Sums *sums,
                          int filters, int size, int pair, int odd)
{
  const ptrdiff_t second = pair ? slide->axis[1].input * slide->axis[2].input : LANES;
  __builtin_prefetch(x + FETCHED);
  __builtin_prefetch(x + FETCHED + second);
#pragma GCC unroll 3
  for (int b = 0; b < size; b += 2) {
    const real *const at = x + b;
    const Vector one = Vector_(loadMasked)(inside[b], at);
    const Vector two = Vector_(loadMasked)(inside[b + 1], at + second);
    const Vector evenTerms = MIX(one, two, EVEN), oddTerms = MIX(one, two, ODD);
#pragma GCC unroll 3
    for (int q = 0; q <= size / 2; q++) {
      const int a = 2 * (size / 2 - q) + odd;
      if (a < size) {
        add_tap(slide, sums, filters, size, pair, a, b, q, evenTerms);
        if (b + 1 < size)
          add_tap(slide, sums, filters, size, pair, a, b + 1, q, oddTerms);
      }
    }
  }
}

/* Stride 2: rows [begin, end) of the result.  Each turn adds two rows of the image. */
INLINE void slide_strip_by_2(const Slide *slide, const Strip *s, ptrdiff_t begin, ptrdiff_t end,
                             int filters, int size, int pair)
{
  const THNNWindow *axis = slide->axis;
  const ptrdiff_t first = 2 * begin - axis[1].pad, half = size / 2;
  const ptrdiff_t last = 2 * (end + half) - axis[1].pad;
  const real *x = slide->x + first * axis[2].input + 2 * s->begin - axis[2].pad;
  real *y = slide->y + begin * axis[2].output + s->begin;
  COPY_MASKS(size + 1)
  Sums sums;
  begin_sums(slide, &sums, filters, size, half + 1, pair);
  for (ptrdiff_t r = first; r < last; r += 2, x += 2 * axis[2].input) {
    if (r >= 0 && r < axis[1].input)
      add_split_row(slide, inside, x, &sums, filters, size, pair, 0);
    if (r >= first + 2 * half) {
      store_row(slide, &sums, filters, pair, wanted, y);
      y += axis[2].output;
    }
    if (r + 1 >= 0 && r + 1 < axis[1].input && r + 2 < last)
      add_split_row(slide, inside, x + axis[2].input, &sums, filters, size, pair, 1);
    shift_rows(&sums, filters, half + 1);
  }
}
#undef COPY_MASKS

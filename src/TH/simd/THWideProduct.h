/* Products of float and double with masks (AVX-512): what already lies as tiles need it is read
 * where it is, and results go from registers to their place.  Included by THBlas.c, whose plain
 * product says what is computed: the same sums, in the same order but where few lines have ways of
 * their own. */

#if defined(TH_REAL_IS_FLOAT)
typedef __mmask16 Mask;
#define LOAD_LANES(MASK, X)     ((Vector)_mm512_maskz_loadu_ps(MASK, X))
#define STORE_LANES(MASK, X, V) _mm512_mask_storeu_ps(X, MASK, (__m512)(V))
#define ALL_LANES(X)            ((Vector)_mm512_set1_ps(X))
#else
typedef __mmask8 Mask;
#define LOAD_LANES(MASK, X)     ((Vector)_mm512_maskz_loadu_pd(MASK, X))
#define STORE_LANES(MASK, X, V) _mm512_mask_storeu_pd(X, MASK, (__m512d)(V))
#define ALL_LANES(X)            ((Vector)_mm512_set1_pd(X))
#endif

#define INLINE static inline __attribute__((always_inline))

/* The first n lanes, of none to all. */
static inline Mask first_lanes(ptrdiff_t n)
{
  return (Mask)((1u << THMax(0, THMin(n, LANES))) - 1);
}

/* One operand: element (line, l) is at[line * step + l * next].  Of a product's factors, lines are
 * rows of the first and columns of the second, and l is what sums run over. */
typedef struct {
  const element *at;
  ptrdiff_t lines, step, next;
} Factor;

/* Results that do not fit in the second cache are fetched, and those that do not fit in the first
 * if there are so many terms that there is time. */
enum { FAR_BYTES = 512 << 10, NEAR_BYTES = 32 << 10, FETCHED = DEPTH / 2 };

/* Where results go, c = alpha * sum + beta * c: from row to row 1, from column to column ld. */
typedef struct {
  element *c;
  ptrdiff_t ld;
  element alpha, beta;
  int fetches; /* what is at c before it is written */
} Result;

INLINE void put(const Result *r, element *c, Mask lanes, Vector sum)
{
  sum = ALL_LANES(r->alpha) * sum;
  if (r->beta != 0)
    sum = ALL_LANES(r->beta) * LOAD_LANES(lanes, c) + sum;
  STORE_LANES(lanes, c, sum);
}

INLINE void put_one(const Result *r, element *c, element sum)
{
  *c = r->beta == 0 ? r->alpha * sum : r->beta * *c + r->alpha * sum;
}

/* --- tiles ----------------------------------------------------------------------------------- */

/* A tile of so many vectors of rows, the last one's being lanes, and columns, which are constants:
 * a holds rows side by side, the columns of b are step apart. */
INLINE void wide_tile(ptrdiff_t depth, const element *a, ptrdiff_t aNext, const element *b,
                      ptrdiff_t bNext, ptrdiff_t step, const Result *r, Mask lanes, int vectors,
                      int columns)
{
  enum { MOST = 4, GROUP = 3, EACH = (Mask)-1 };
  Vector sum[TILE_COLUMNS][MOST];
#pragma GCC unroll 12
  for (int j = 0; j < columns; j++)
#pragma GCC unroll 12
    for (int v = 0; v < vectors; v++)
      sum[j][v] = (Vector){0};
  /* So that no column needs an address of its own. */
  const element *group[TILE_COLUMNS / GROUP];
#pragma GCC unroll 12
  for (int j = 0; j < columns; j += GROUP)
    group[j / GROUP] = b + j * step;
  for (ptrdiff_t l = 0; l < depth; l++, a += aNext) {
    Vector rows[MOST];
#pragma GCC unroll 12
    for (int v = 0; v < vectors; v++)
      rows[v] = LOAD_LANES(v < vectors - 1 ? EACH : lanes, a + v * LANES);
#pragma GCC unroll 12
    for (int j = 0; j < columns; j++) {
      const Vector factor = ALL_LANES(group[j / GROUP][j % GROUP * step]);
#pragma GCC unroll 12
      for (int v = 0; v < vectors; v++)
        sum[j][v] = MULTIPLY_ADD(factor, rows[v], sum[j][v]);
    }
#pragma GCC unroll 12
    for (int j = 0; j < columns; j += GROUP)
      group[j / GROUP] += bNext;
  }
#pragma GCC unroll 12
  for (int j = 0; j < columns; j++)
#pragma GCC unroll 12
    for (int v = 0; v < vectors; v++)
      put(r, r->c + j * r->ld + v * LANES, v < vectors - 1 ? EACH : lanes, sum[j][v]);
}

/* The width of the first of the tiles that so many columns are divided into, evenly: narrow ones
 * wait for their own sums. */
static ptrdiff_t tile_width(ptrdiff_t columns)
{
  const ptrdiff_t tiles = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
  return columns <= TILE_COLUMNS ? columns : (columns + tiles - 1) / tiles;
}

/* Narrow tiles take four vectors of rows. */
enum { NARROW = 6 };

/* So many tiles of one shape, and how far the next one's factors and results are. */
typedef struct {
  ptrdiff_t count, a, b, c;
} Tiles;

INLINE void tiles_of(const Tiles *tiles, ptrdiff_t depth, const Factor *a, const Factor *b,
                     ptrdiff_t step, const Result *r, int vectors, int columns)
{
  const Mask lanes = first_lanes(a->lines - (vectors - 1) * LANES);
  const element *rows = a->at, *factors = b->at;
  Result at = *r;
  for (ptrdiff_t i = 0; i < tiles->count; i++) {
    if (r->fetches)
      fetch_tile(columns, at.c + (tiles->count > 1 ? tiles->c : 0), r->ld);
    wide_tile(depth, rows, a->next, factors, b->next, step, &at, lanes, vectors, columns);
    rows += tiles->a;
    factors += tiles->b;
    at.c += tiles->c;
  }
}

INLINE void any_width(const Tiles *tiles, ptrdiff_t depth, const Factor *a, const Factor *b,
                      ptrdiff_t step, const Result *r, int vectors)
{
#define TILES_OF(COLUMNS)                                    \
  case COLUMNS:                                              \
    tiles_of(tiles, depth, a, b, step, r, vectors, COLUMNS); \
    break;
  switch (b->lines) {
    TILES_OF(1)
    TILES_OF(2)
    TILES_OF(3)
    TILES_OF(4)
    TILES_OF(5)
    TILES_OF(6)
  }
  if (vectors < 4)
    switch (b->lines) {
      TILES_OF(7)
      TILES_OF(8)
      TILES_OF(9)
      TILES_OF(10)
      TILES_OF(11)
      TILES_OF(12)
    }
#undef TILES_OF
}

/* How many vectors of rows a tile has: with so many columns, of so many rows that are left. */
static int vectors_of(ptrdiff_t columns, ptrdiff_t rows)
{
  return columns <= NARROW && rows > 3 * LANES ? 4 : 1 + (rows > LANES);
}

/* The tiles that begin with that one. */
static void multiply_tiles(const Tiles *tiles, ptrdiff_t depth, const Factor *a, const Factor *b,
                           const Result *r)
{
  const int vectors = vectors_of(b->lines, a->lines);
#define ANY_WIDTH(VECTORS)                        \
  if (b->step == 1)                               \
    any_width(tiles, depth, a, b, 1, r, VECTORS); \
  else                                            \
    any_width(tiles, depth, a, b, b->step, r, VECTORS);
  if (vectors == 1) {
    ANY_WIDTH(1)
  } else if (vectors == 2) {
    ANY_WIDTH(2)
  } else {
    ANY_WIDTH(4)
  }
#undef ANY_WIDTH
}

/* The columns of b, packed tile by tile. */
static void pack_widths(element *tiles, ptrdiff_t depth, const Factor *b)
{
  ptrdiff_t j = 0;
  while (tile_width(b->lines - j) == TILE_COLUMNS)
    j += TILE_COLUMNS;
  pack(tiles, TILE_COLUMNS, j, depth, b->at, b->step, b->next);
  for (ptrdiff_t width; j < b->lines; j += width) {
    width = tile_width(b->lines - j);
    pack(tiles + j * depth, width, width, depth, b->at + j * b->step, b->step, b->next);
  }
}

/* A block: the factors where they are, and tiles of those that are packed, else NULL.  Of a, that
 * is one tile at a time. */
typedef struct {
  Factor a, b;
  element *as, *bs;
} Block;

/* The rows from i on: those of one tile if they are packed, which they are here. */
static Factor rows_of(const Block *block, ptrdiff_t i, ptrdiff_t depth)
{
  const Factor *a = &block->a;
  const element *at = a->at + i * a->step;
  if (!block->as)
    return (Factor){at, a->lines - i, 1, a->next};
  const ptrdiff_t rows = THMin(a->lines - i, TILE_ROWS);
  pack(block->as, TILE_ROWS, rows, depth, at, a->step, a->next);
  return (Factor){block->as, rows, 1, TILE_ROWS};
}

static Factor columns_of(const Block *block, ptrdiff_t j, ptrdiff_t depth)
{
  const Factor *b = &block->b;
  const ptrdiff_t width = tile_width(b->lines - j);
  if (block->bs)
    return (Factor){block->bs + j * depth, width, 1, width};
  return (Factor){b->at + j * b->step, width, b->step, b->next};
}

static Result result_at(const Result *r, ptrdiff_t i, ptrdiff_t j)
{
  return (Result){r->c + i + j * r->ld, r->ld, r->alpha, r->beta, r->fetches};
}

/* All rows with some columns, then with the next ones, for rows that stay in the first cache. */
static void columns_in_turn(const Block *block, ptrdiff_t depth, const Result *r)
{
  for (ptrdiff_t j = 0; j < block->b.lines;) {
    const Factor b = columns_of(block, j, depth);
    for (ptrdiff_t i = 0; i < block->a.lines;) {
      const Factor a = rows_of(block, i, depth);
      const Result at = result_at(r, i, j);
      const ptrdiff_t rows = vectors_of(b.lines, a.lines) * LANES;
      const Tiles tiles = {THMax(1, a.lines / rows), rows, 0, rows};
      multiply_tiles(&tiles, depth, &a, &b, &at);
      i += tiles.count * rows;
    }
    j += b.lines;
  }
}

/* Fetches the part of the rows that follow a tile which goes with columns j to end of so many. */
static inline void fetch_rows(const Factor *a, ptrdiff_t i, ptrdiff_t depth, ptrdiff_t j,
                              ptrdiff_t end, ptrdiff_t columns)
{
  enum { LINE = 64 / sizeof(element) };
  const ptrdiff_t rows = THMin(a->lines - i, TILE_ROWS);
  const ptrdiff_t lines = a->step == 1 ? depth : rows, along = a->step == 1 ? rows : depth;
  const ptrdiff_t step = a->step == 1 ? a->next : a->step;
  for (ptrdiff_t l = lines * j / columns; l < lines * end / columns; l++)
    for (ptrdiff_t k = 0; k < along; k += LINE)
      __builtin_prefetch(a->at + i * a->step + l * step + k);
}

/* How many tiles as wide as that one come next: with many terms one, so that rows are fetched in
 * between. */
static ptrdiff_t alike(const Factor *b, ptrdiff_t columns, ptrdiff_t depth)
{
  const ptrdiff_t tiles = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
  return depth >= FETCHED || tiles == 1 ? 1 : tiles - (b->lines * tiles - columns);
}

/* All columns with the rows of one tile, then with those of the next one. */
static void rows_in_turn(const Block *block, ptrdiff_t depth, const Result *r)
{
  const ptrdiff_t rows = block->a.lines, columns = block->b.lines;
  for (ptrdiff_t i = 0; i < rows; i += TILE_ROWS) {
    Factor a = rows_of(block, i, depth);
    a.lines = THMin(a.lines, TILE_ROWS);
    for (ptrdiff_t j = 0; j < columns;) {
      const Factor b = columns_of(block, j, depth);
      const Result at = result_at(r, i, j);
      const ptrdiff_t count = alike(&b, columns - j, depth), end = j + count * b.lines;
      const Tiles tiles = {count, 0, b.lines * (block->bs ? depth : b.step), b.lines * r->ld};
      if (depth >= FETCHED && (block->a.step == 1 || block->a.next == 1))
        fetch_rows(&block->a, i + TILE_ROWS, depth, j, end, columns);
      multiply_tiles(&tiles, depth, &a, &b, &at);
      j = end;
    }
  }
}

/* Lines further apart than that are in pages of their own. */
enum { CLOSE = 2048, PAGE = 4096 };

/* Whether rows are packed: where they do not lie side by side, or are far apart and used more than
 * once or twice. */
static int packs_rows(const Factor *a, ptrdiff_t columns)
{
  return a->step != 1 ||
         (columns > 2 * TILE_COLUMNS && a->next * (ptrdiff_t)sizeof(element) > CLOSE);
}

/* The same of columns, which may lie along the sums too, unless they meet in the cache. */
static int packs_columns(const Factor *b, ptrdiff_t rows)
{
  if (b->step != 1 && b->next != 1)
    return 1;
  if (rows <= 2 * TILE_ROWS)
    return 0;
  if (b->step == 1)
    return b->next * (ptrdiff_t)sizeof(element) > CLOSE;
  const ptrdiff_t apart = b->step * (ptrdiff_t)sizeof(element) % PAGE;
  return THMin(apart, PAGE - apart) < PAGE / 16;
}

/* One stretch of the sums of a block. */
static void multiply_block(const Factor *a, const Factor *b, ptrdiff_t depth, const Result *r,
                           element *room)
{
  enum { CACHED = 32 << 10 };
  Block block = {*a, *b, NULL, NULL};
  if (packs_rows(a, b->lines)) {
    block.as = room;
    room += TILE_ROWS * depth;
  }
  if (packs_columns(b, a->lines)) {
    block.bs = room;
    pack_widths(room, depth, b);
  }
  if (!block.as &&
      (b->lines <= 2 * TILE_COLUMNS || a->lines * depth <= CACHED / (ptrdiff_t)sizeof(element)))
    columns_in_turn(&block, depth, r);
  else
    rows_in_turn(&block, depth, r);
}

/* --- few lines ------------------------------------------------------------------------------- */

/* Rows or columns that are few, for each way; terms of dots in one stretch, for which there is
 * room; elements of sums that stay in the first cache. */
enum { FEW_DOTS = 8, FEW_LINES = 3, DOTS_DEPTH = 1024, PIECE = 1024 };

/* A product one of whose factors has few lines; c's elements of neighbouring lines are apart. */
typedef struct {
  Factor few, many;
  ptrdiff_t fewApart, manyApart;
} Skinny;

/* Sums of terms in lanes: so many lines of each factor, which are constants. */
enum { MOST_FEW = 4, MOST_MANY = 8 };

INLINE void dot_step(const Skinny *s, ptrdiff_t l, Mask lanes, int few, int many,
                     Vector sum[MOST_FEW][MOST_MANY])
{
  Vector x[MOST_FEW];
#pragma GCC unroll 8
  for (int f = 0; f < few; f++)
    x[f] = LOAD_LANES(lanes, s->few.at + f * s->few.step + l);
#pragma GCC unroll 8
  for (int j = 0; j < many; j++) {
    const Vector y = LOAD_LANES(lanes, s->many.at + j * s->many.step + l);
#pragma GCC unroll 8
    for (int f = 0; f < few; f++)
      sum[f][j] = MULTIPLY_ADD(x[f], y, sum[f][j]);
  }
}

/* The sums of the lanes of four vectors, each in the same order whichever of the four it is. */
INLINE void sum_four(const Vector *v, element *sums)
{
#if defined(TH_REAL_IS_FLOAT)
  __m512 t[2];
#pragma GCC unroll 2
  for (int i = 0; i < 2; i++)
    t[i] = _mm512_unpacklo_ps((__m512)v[2 * i], (__m512)v[2 * i + 1]) +
           _mm512_unpackhi_ps((__m512)v[2 * i], (__m512)v[2 * i + 1]);
  const __m512d a = (__m512d)t[0], b = (__m512d)t[1];
  const __m512 four = (__m512)_mm512_unpacklo_pd(a, b) + (__m512)_mm512_unpackhi_pd(a, b);
  const __m256 half = _mm512_castps512_ps256(four) + _mm512_extractf32x8_ps(four, 1);
  _mm_storeu_ps(sums, _mm256_castps256_ps128(half) + _mm256_extractf128_ps(half, 1));
#else
#pragma GCC unroll 2
  for (int i = 0; i < 4; i += 2) {
    const __m512d two = _mm512_unpacklo_pd((__m512d)v[i], (__m512d)v[i + 1]) +
                        _mm512_unpackhi_pd((__m512d)v[i], (__m512d)v[i + 1]);
    const __m256d half = _mm512_castpd512_pd256(two) + _mm512_extractf64x4_pd(two, 1);
    _mm_storeu_pd(sums + i, _mm256_castpd256_pd128(half) + _mm256_extractf128_pd(half, 1));
  }
#endif
}

INLINE void dot_lines(ptrdiff_t depth, const Skinny *s, const Result *r, int few, int many)
{
  Vector sum[MOST_FEW][MOST_MANY];
#pragma GCC unroll 8
  for (int f = 0; f < few; f++)
#pragma GCC unroll 8
    for (int j = 0; j < many; j++)
      sum[f][j] = (Vector){0};
  ptrdiff_t l = 0;
  for (; l + LANES <= depth; l += LANES)
    dot_step(s, l, (Mask)-1, few, many, sum);
  if (l < depth)
    dot_step(s, l, first_lanes(depth - l), few, many, sum);
#pragma GCC unroll 8
  for (int f = 0; f < few; f++)
#pragma GCC unroll 8
    for (int j = 0; j < many; j += 4) {
      element sums[4];
      const Vector four[] = {sum[f][j], sum[f][many == 1 ? 0 : j + 1],
                             sum[f][many == 1 ? 0 : j + 2], sum[f][many == 1 ? 0 : j + 3]};
      sum_four(four, sums);
      for (int i = 0; i < THMin(many, 4); i++)
        put_one(r, r->c + f * s->fewApart + (j + i) * s->manyApart, sums[i]);
    }
}

/* Where the memory of both factors runs along the sums. */
static void multiply_dots(ptrdiff_t depth, Skinny s, const Result *r)
{
  Result at = *r;
  for (ptrdiff_t left = s.many.lines; left > 0;) {
    const ptrdiff_t wide = s.few.lines <= 2 ? MOST_MANY : MOST_MANY / 2;
    const ptrdiff_t many = left >= wide ? wide : 1;
    Skinny part = s;
    Result to = at;
    for (ptrdiff_t f = s.few.lines; f > 0;) {
      const ptrdiff_t few = THMin(f, MOST_FEW);
#define LINES(FEW, MANY)          \
  if (few == FEW && many == MANY) \
    dot_lines(depth, &part, &to, FEW, MANY);
      /* clang-format off */
      LINES(1, 1)
      LINES(2, 1)
      LINES(3, 1)
      LINES(4, 1)
      LINES(1, MOST_MANY / 2)
      LINES(2, MOST_MANY / 2)
      LINES(3, MOST_MANY / 2)
      LINES(4, MOST_MANY / 2)
      LINES(1, MOST_MANY)
      LINES(2, MOST_MANY)
      /* clang-format on */
#undef LINES
      part.few.at += few * s.few.step;
      to.c += few * s.fewApart;
      f -= few;
    }
    s.many.at += many * s.many.step;
    at.c += many * s.manyApart;
    left -= many;
  }
}

/* sums[f][i] += the products of so many terms, which is a constant as few is: lines of the other
 * factor are in lanes. */
INLINE void add_terms(const Skinny *s, ptrdiff_t lines, int few, int terms, element *sums)
{
  enum { MOST = 3, TERMS = 8 };
  Vector factor[MOST][TERMS];
#pragma GCC unroll 8
  for (int f = 0; f < few; f++)
#pragma GCC unroll 8
    for (int l = 0; l < terms; l++)
      factor[f][l] = ALL_LANES(s->few.at[f * s->few.step + l * s->few.next]);
  for (ptrdiff_t i = 0; i < lines; i += LANES) {
    const Mask lanes = first_lanes(lines - i);
    Vector sum[MOST];
#pragma GCC unroll 8
    for (int f = 0; f < few; f++)
      sum[f] = load(sums + f * PIECE + i);
#pragma GCC unroll 8
    for (int l = 0; l < terms; l++) {
      const Vector x = LOAD_LANES(lanes, s->many.at + i + l * s->many.next);
#pragma GCC unroll 8
      for (int f = 0; f < few; f++)
        sum[f] = MULTIPLY_ADD(factor[f][l], x, sum[f]);
    }
#pragma GCC unroll 8
    for (int f = 0; f < few; f++)
      memcpy(sums + f * PIECE + i, &sum[f], sizeof sum[f]);
  }
}

/* Where the memory of the factor of many lines runs across them: pieces of eight terms at a time.
 */
static void multiply_lines(ptrdiff_t depth, Skinny s, const Result *r)
{
  element sums[3 * PIECE];
  for (ptrdiff_t first = 0; first < s.many.lines; first += PIECE) {
    const ptrdiff_t lines = THMin(PIECE, s.many.lines - first);
    Skinny part = s;
    part.many.at += first;
    memset(sums, 0, sizeof sums);
    for (ptrdiff_t l = 0; l < depth;) {
      const int terms = depth - l >= 8 ? 8 : 1;
#define TERMS(FEW, COUNT)                   \
  if (s.few.lines == FEW && terms == COUNT) \
    add_terms(&part, lines, FEW, COUNT, sums);
      /* clang-format off */
      TERMS(1, 8)
      TERMS(2, 8)
      TERMS(3, 8)
      TERMS(1, 1)
      TERMS(2, 1)
      TERMS(3, 1)
      /* clang-format on */
#undef TERMS
      part.few.at += terms * s.few.next;
      part.many.at += terms * s.many.next;
      l += terms;
    }
    for (ptrdiff_t f = 0; f < s.few.lines; f++) {
      element *c = r->c + f * s.fewApart + first * s.manyApart;
      if (s.manyApart == 1)
        for (ptrdiff_t i = 0; i < lines; i += LANES)
          put(r, c + i, first_lanes(lines - i), load(sums + f * PIECE + i));
      else
        for (ptrdiff_t i = 0; i < lines; i++)
          put_one(r, c + i * s.manyApart, sums[f * PIECE + i]);
    }
  }
}

/* --- which ----------------------------------------------------------------------------------- */

/* The whole product decides, not the block, so that sums are the same however it is cut. */
typedef enum { BY_TILES, BY_DOTS, BY_LINES } Way;

static Way way_of(const THProduct *p)
{
  const ptrdiff_t few = THMin(p->m, p->n), many = THMax(p->m, p->n);
  const ptrdiff_t next = p->m <= p->n ? p->bRow : p->aColumn;
  const ptrdiff_t fewNext = p->m <= p->n ? p->aColumn : p->bRow;
  const ptrdiff_t step = p->m <= p->n ? p->bColumn : p->aRow;
  /* Dots end with sums of lanes and may need a copy of the few lines, tiles of few rows leave lanes
   * idle, and many are packed. */
  const ptrdiff_t dots =
      few * (p->k + 6 * LANES) + (fewNext == 1 ? 0 : few * p->k * 2 * LANES / many);
  const ptrdiff_t tiles = p->m <= p->n ? p->k * LANES : few * p->k + p->k * LANES * 3 / 2;
  if (few <= FEW_DOTS && next == 1 && dots < tiles)
    return BY_DOTS;
  if (few <= FEW_LINES && step == 1 && p->k >= 8 && many >= 8 * LANES)
    return BY_LINES;
  return BY_TILES;
}

static void product(const THProduct *p, ptrdiff_t row, ptrdiff_t rows, ptrdiff_t column,
                    ptrdiff_t columns, real *room)
{
  const Way way = way_of(p);
  const ptrdiff_t most = way == BY_DOTS ? DOTS_DEPTH : way == BY_LINES ? p->k : DEPTH;
  const ptrdiff_t stretches = (p->k + most - 1) / most;
  const ptrdiff_t even = (p->k + stretches - 1) / stretches;
  const ptrdiff_t bytes = p->m * p->n * (ptrdiff_t)sizeof(element);
  Result r = {p->c + row + column * p->ldc, p->ldc, p->alpha, p->beta,
              bytes > FAR_BYTES || (bytes > NEAR_BYTES && even >= FETCHED)};
  Factor a = {p->a + row * p->aRow, rows, p->aRow, p->aColumn};
  Factor b = {p->b + column * p->bColumn, columns, p->bColumn, p->bRow};
  for (ptrdiff_t l = 0; l < p->k; l += even) {
    const ptrdiff_t depth = THMin(even, p->k - l);
    if (way == BY_TILES) {
      multiply_block(&a, &b, depth, &r, room);
    } else {
      const int fewRows = p->m <= p->n;
      Skinny s = {fewRows ? a : b, fewRows ? b : a, fewRows ? 1 : p->ldc, fewRows ? p->ldc : 1};
      if (way == BY_DOTS && s.few.next != 1) {
        for (ptrdiff_t f = 0; f < s.few.lines; f++)
          for (ptrdiff_t i = 0; i < depth; i++)
            room[f * depth + i] = s.few.at[f * s.few.step + i * s.few.next];
        s.few = (Factor){room, s.few.lines, depth, 1};
      }
      (way == BY_DOTS ? multiply_dots : multiply_lines)(depth, s, &r);
    }
    r.beta = 1;
    a.at += depth * a.next;
    b.at += depth * b.next;
  }
}

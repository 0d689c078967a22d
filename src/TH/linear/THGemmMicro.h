/* Products of float and double with masks (AVX-512): operands whose layout already suits tiles are
 * not packed, and results are written from registers.  Included by THBlas.c, whose plain product
 * defines the results: the same sums in the same order, except where a factor has few lines. */

#if defined(TH_REAL_IS_FLOAT)
typedef THMask32 Mask;
#define Vector_(NAME) TH_CONCAT_2(THFloats_, NAME)
#else
typedef THMask64 Mask;
#define Vector_(NAME) TH_CONCAT_2(THDoubles_, NAME)
#endif

#define INLINE static inline __attribute__((always_inline))

/* The first n lanes; n may be 0. */
static inline Mask first_lanes(ptrdiff_t n)
{
  return (Mask)((1u << THMax(0, THMin(n, LANES))) - 1);
}

/* An operand: element (line, l) is at[line * step + l * next].  Lines are rows of the first factor
 * and columns of the second; sums run over l. */
typedef struct {
  const element *at;
  ptrdiff_t lines, step, next;
} Factor;

/* Results that do not fit L2 are prefetched; so are those that do not fit L1 if there are
 * PREFETCH_DEPTH terms or more, which gives the prefetch time. */
enum { FAR_BYTES = 512 << 10, NEAR_BYTES = 32 << 10, PREFETCH_DEPTH = DEPTH / 2 };

/* Where results go, c = alpha * sum + beta * c: rows are 1 element apart, columns ld. */
typedef struct {
  element *c;
  ptrdiff_t ld;
  element alpha, beta;
  int prefetches; /* whether to prefetch c before it is written */
} Result;

INLINE void put(const Result *r, element *c, Mask lanes, Vector sum)
{
  sum = Vector_(all)(r->alpha) * sum;
  if (r->beta != 0)
    sum = Vector_(all)(r->beta) * Vector_(loadMasked)(lanes, c) + sum;
  Vector_(storeMasked)(c, lanes, sum);
}

INLINE void put_one(const Result *r, element *c, element sum)
{
  *c = r->beta == 0 ? r->alpha * sum : r->beta * *c + r->alpha * sum;
}

/* --- tiles ----------------------------------------------------------------------------------- */

/* A tile of constant numbers of vectors of rows (the last one has only lanes) and of columns: rows
 * of a are adjacent, columns of b step apart. */
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
  /* A pointer for each group of columns, so that columns need no registers of their own. */
  const element *group[TILE_COLUMNS / GROUP];
#pragma GCC unroll 12
  for (int j = 0; j < columns; j += GROUP)
    group[j / GROUP] = b + j * step;
  for (ptrdiff_t l = 0; l < depth; l++, a += aNext) {
    Vector rows[MOST];
#pragma GCC unroll 12
    for (int v = 0; v < vectors; v++)
      rows[v] = Vector_(loadMasked)(v < vectors - 1 ? EACH : lanes, a + v * LANES);
#pragma GCC unroll 12
    for (int j = 0; j < columns; j++) {
      const Vector factor = Vector_(all)(group[j / GROUP][j % GROUP * step]);
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

/* The width of the first tile when columns are divided evenly: a narrow tile would have too few
 * sums in flight. */
static ptrdiff_t tile_width(ptrdiff_t columns)
{
  const ptrdiff_t tiles = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
  return columns <= TILE_COLUMNS ? columns : (columns + tiles - 1) / tiles;
}

/* Tiles of up to NARROW columns have four vectors of rows. */
enum { NARROW = 6 };

/* count tiles of one shape, and the distances to the next tile's factors and results. */
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
    if (r->prefetches)
      prefetch_tile(columns, at.c + (tiles->count > 1 ? tiles->c : 0), r->ld);
    wide_tile(depth, rows, a->next, factors, b->next, step, &at, lanes, vectors, columns);
    rows += tiles->a;
    factors += tiles->b;
    at.c += tiles->c;
  }
}

INLINE void any_width(const Tiles *tiles, ptrdiff_t depth, const Factor *a, const Factor *b,
                      ptrdiff_t step, const Result *r, int vectors)
{
  /* clang-format off */
#define TILES_OF(COLUMNS) case COLUMNS: tiles_of(tiles, depth, a, b, step, r, vectors, COLUMNS); break;
  /* clang-format on */
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

/* How many vectors of rows a tile has, given its columns and the rows that are left. */
static int vectors_of(ptrdiff_t columns, ptrdiff_t rows)
{
  return columns <= NARROW && rows > 3 * LANES ? 4 : 1 + (rows > LANES);
}

/* Multiplies the tiles, of which a, b and r belong to the first. */
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

/* A block: the factors where they are, and memory for tiles of packed factors, else NULL; for a that
 * is one tile at a time. */
typedef struct {
  Factor a, b;
  element *as, *bs;
} Block;

/* The rows from i on; if rows are packed, packs those of one tile. */
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
  return (Result){r->c + i + j * r->ld, r->ld, r->alpha, r->beta, r->prefetches};
}

/* All rows with the columns of one tile, then with the next: for rows that stay in L1. */
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

/* Prefetches the part of the following tile's rows that corresponds to columns j to end. */
static inline void prefetch_rows(const Factor *a, ptrdiff_t i, ptrdiff_t depth, ptrdiff_t j,
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

/* How many tiles of the same width come next; only one if there are many terms, so that rows are
 * prefetched in between. */
static ptrdiff_t alike(const Factor *b, ptrdiff_t columns, ptrdiff_t depth)
{
  const ptrdiff_t tiles = (columns + TILE_COLUMNS - 1) / TILE_COLUMNS;
  return depth >= PREFETCH_DEPTH || tiles == 1 ? 1 : tiles - (b->lines * tiles - columns);
}

/* All columns with the rows of one tile, then with those of the next. */
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
      if (depth >= PREFETCH_DEPTH && (block->a.step == 1 || block->a.next == 1))
        prefetch_rows(&block->a, i + TILE_ROWS, depth, j, end, columns);
      multiply_tiles(&tiles, depth, &a, &b, &at);
      j = end;
    }
  }
}

/* Bytes: lines further apart than CLOSE, and lines in pages of their own. */
enum { CLOSE = 2048, PAGE = 4096 };

/* Whether rows are packed: if they are not adjacent, or far apart and used more than twice. */
static int packs_rows(const Factor *a, ptrdiff_t columns)
{
  return a->step != 1 ||
         (columns > 2 * TILE_COLUMNS && a->next * (ptrdiff_t)sizeof(element) > CLOSE);
}

/* Whether columns are packed: as rows are, but columns may also be contiguous along the sums, unless they collide in
 * the cache. */
static int packs_columns(const Factor *b, ptrdiff_t rows)
{
  if (b->step != 1 && b->next != 1)
    return 1;
  if (rows <= 2 * TILE_ROWS)
    return 0;
  if (b->step == 1)
    return b->next * (ptrdiff_t)sizeof(element) > CLOSE;
  const ptrdiff_t distance = b->step * (ptrdiff_t)sizeof(element) % PAGE;
  return THMin(distance, PAGE - distance) < PAGE / 16;
}

/* One chunk of DEPTH terms of the sums of a block. */
static void multiply_block(const Factor *a, const Factor *b, ptrdiff_t depth, const Result *r,
                           element *scratch)
{
  enum { CACHED = 32 << 10 };
  Block block = {*a, *b, NULL, NULL};
  if (packs_rows(a, b->lines)) {
    block.as = scratch;
    scratch += TILE_ROWS * depth;
  }
  if (packs_columns(b, a->lines)) {
    block.bs = scratch;
    pack_widths(scratch, depth, b);
  }
  if (!block.as &&
      (b->lines <= 2 * TILE_COLUMNS || a->lines * depth <= CACHED / (ptrdiff_t)sizeof(element)))
    columns_in_turn(&block, depth, r);
  else
    rows_in_turn(&block, depth, r);
}

/* --- few lines ------------------------------------------------------------------------------- */

/* The most lines of the thin factor for each way; terms of dot products in one chunk: so many that lines are read
 * almost whole, and where the thin factor is copied as there is memory for. */
enum { THIN_DOTS = 8, THIN_LINES = 3, DOTS_DEPTH = 4096, COPIED_DEPTH = 1024 };

/* A product one of whose factors is thin (has few lines), the other thick.  The strides are those
 * of c from one line to the next. */
typedef struct {
  Factor thin, thick;
  ptrdiff_t thinStride, thickStride;
} Skinny;

/* Dot products whose terms are in lanes.  Numbers of lines of each factor are constants. */
enum { MAX_THIN = 4, MAX_THICK = 8 };

/* Lines of both factors, from the term on that comes next. */
typedef struct {
  const element *thin[MAX_THIN], *thick[MAX_THICK];
} Lines;

INLINE void dot_step(Lines *at, Mask lanes, int thin, int thick, Vector sum[MAX_THIN][MAX_THICK])
{
  Vector x[MAX_THIN];
#pragma GCC unroll 8
  for (int f = 0; f < thin; f++) {
    x[f] = Vector_(loadMasked)(lanes, at->thin[f]);
    at->thin[f] += LANES;
  }
#pragma GCC unroll 8
  for (int j = 0; j < thick; j++) {
    const Vector y = Vector_(loadMasked)(lanes, at->thick[j]);
    at->thick[j] += LANES;
#pragma GCC unroll 8
    for (int f = 0; f < thin; f++)
      sum[f][j] = MULTIPLY_ADD(x[f], y, sum[f][j]);
  }
}

/* Adds up the lanes of each of four vectors, in the same order for all four. */
INLINE void sum_four(const Vector *v, element *sums)
{
#if defined(TH_REAL_IS_FLOAT)
  Vector t[2];
#pragma GCC unroll 2
  for (int i = 0; i < 2; i++)
    t[i] =
        Vector_(unpackLower)(v[2 * i], v[2 * i + 1]) + Vector_(unpackUpper)(v[2 * i], v[2 * i + 1]);
  const THDoubles a = (THDoubles)t[0], b = (THDoubles)t[1];
  THFloats_storeQuarterSum(sums, (Vector)THDoubles_unpackLower(a, b) +
                                     (Vector)THDoubles_unpackUpper(a, b));
#else
#pragma GCC unroll 2
  for (int i = 0; i < 4; i += 2)
    THDoubles_storeQuarterSum(sums + i, Vector_(unpackLower)(v[i], v[i + 1]) +
                                            Vector_(unpackUpper)(v[i], v[i + 1]));
#endif
}

/* Puts sums of lines of the thick factor into the result, from c on, step apart. */
INLINE void put_sums(Result r, element *c, ptrdiff_t step, const element *sums, int count)
{
  if (count == 4 && step == 1 && r.alpha == 1 && r.beta == 0)
    memcpy(c, sums, 4 * sizeof *c);
  else
    for (int k = 0; k < count; k++)
      put_one(&r, c + k * step, sums[k]);
}

/* The products of lines of the thin factor, from x on, with lines of the other, from y on, are put into the result from
 * c on.  Neither Skinny nor Result is written in between: a copy that is made for each group of lines waits until the
 * group before has come from memory (docs/notes/products.md). */
INLINE void dot_lines(ptrdiff_t depth, const Skinny *skinny, const Result *result, const element *x,
                      const element *y, element *c, int thin, int thick)
{
  const Skinny s = *skinny;
  const Result r = *result;
  Lines at;
  Vector sum[MAX_THIN][MAX_THICK];
#pragma GCC unroll 8
  for (int f = 0; f < thin; f++)
    at.thin[f] = x + f * s.thin.step;
#pragma GCC unroll 8
  for (int j = 0; j < thick; j++)
    at.thick[j] = y + j * s.thick.step;
#pragma GCC unroll 8
  for (int f = 0; f < thin; f++)
#pragma GCC unroll 8
    for (int j = 0; j < thick; j++)
      sum[f][j] = (Vector){0};
  ptrdiff_t left = depth;
  for (; left >= LANES; left -= LANES)
    dot_step(&at, (Mask)-1, thin, thick, sum);
  if (left > 0)
    dot_step(&at, first_lanes(left), thin, thick, sum);
#pragma GCC unroll 8
  for (int f = 0; f < thin; f++)
#pragma GCC unroll 8
    for (int j = 0; j < thick; j += 4) {
      element sums[4];
      const Vector four[] = {sum[f][j], sum[f][thick == 1 ? 0 : j + 1],
                             sum[f][thick == 1 ? 0 : j + 2], sum[f][thick == 1 ? 0 : j + 3]};
      sum_four(four, sums);
      put_sums(r, c + f * s.thinStride + j * s.thickStride, s.thickStride, sums, THMin(thick, 4));
    }
}

typedef void DotLines(ptrdiff_t depth, const Skinny *s, const Result *r, const element *x,
                      const element *y, element *c);

/* Functions of their own, so that each has the processor's registers. */
/* clang-format off */
#define DOT_LINES(THIN, THICK) \
  static __attribute__((noinline)) DotLines dot_##THIN##_##THICK; \
  static void dot_##THIN##_##THICK(ptrdiff_t depth, const Skinny *s, const Result *r, const element *x, \
                                   const element *y, element *c) { dot_lines(depth, s, r, x, y, c, THIN, THICK); }
/* clang-format on */
DOT_LINES(1, 1)
DOT_LINES(2, 1)
DOT_LINES(3, 1)
DOT_LINES(4, 1)
DOT_LINES(3, 4)
DOT_LINES(4, 4)
DOT_LINES(1, 8)
DOT_LINES(2, 8)
DOT_LINES(1, 4)
DOT_LINES(2, 4)

/* For so many lines of the thin factor, less one: of one line of the other, of four and of eight. */
static DotLines *const dots[MAX_THIN][3] = {{dot_1_1, dot_1_4, dot_1_8},
                                            {dot_2_1, dot_2_4, dot_2_8},
                                            {dot_3_1, dot_3_4},
                                            {dot_4_1, dot_4_4}};

/* Whether to go through the lines of the thick factor from the last to the first: those that the thread went through
 * last of the same factor, as recurrent networks multiply one by each of their states, are still in the L2 cache. */
static int goes_back(const Factor *thick, ptrdiff_t depth)
{
  enum { LEAST = (1 << 20) / sizeof(element), LINE = 64 };
  /* Part of an address: a library has few bytes for variables of each thread. */
  static _Thread_local uint32_t last;
  if (thick->lines * depth < LEAST)
    return 0;
  const uint32_t matrix = (uint32_t)((uintptr_t)thick->at / LINE);
  const int isSame = last == matrix;
  last = isSame ? 0 : matrix;
  return isSame;
}

/* Lines j to j + thick of the thick factor, which are 1, 4 or 8, times all of the thin one. */
static void multiply_group(ptrdiff_t depth, const Skinny *s, const Result *r, ptrdiff_t j,
                           ptrdiff_t thick)
{
  for (ptrdiff_t i = 0; i < s->thin.lines; i += MAX_THIN)
    dots[THMin(s->thin.lines - i, MAX_THIN) - 1][thick / 4](depth, s, r,
                                                            s->thin.at + i * s->thin.step,
                                                            s->thick.at + j * s->thick.step,
                                                            r->c + i * s->thinStride +
                                                                j * s->thickStride);
}

/* For factors that are both contiguous along the sums. */
static void multiply_dots(ptrdiff_t depth, const Skinny *s, const Result *r)
{
  const ptrdiff_t wide = s->thin.lines <= 2 ? MAX_THICK : MAX_THICK / 2;
  const ptrdiff_t lines = s->thick.lines, whole = lines & -wide;
  if (goes_back(&s->thick, depth)) {
    for (ptrdiff_t j = lines; j > whole; j--)
      multiply_group(depth, s, r, j - 1, 1);
    for (ptrdiff_t j = whole; j > 0; j -= wide)
      multiply_group(depth, s, r, j - wide, wide);
    return;
  }
  for (ptrdiff_t j = 0; j < whole; j += wide)
    multiply_group(depth, s, r, j, wide);
  for (ptrdiff_t j = whole; j < lines; j++)
    multiply_group(depth, s, r, j, 1);
}

enum { LINES_TERMS = 8, L1_SUMS = (16 << 10) / sizeof(element) };

/* Sums of lines of the thick factor, one row for each line of the thin one. */
typedef struct Sums {
  element *at;
  ptrdiff_t next;
} Sums;

/* sums[f][i] += the products of terms terms, of the vector of lines from i on.  thin and terms are
 * constants, and lanes is one where the vector is whole: a masked load does not start the processor's
 * prefetching (docs/notes/products.md). */
INLINE void add_vector(const Skinny *s, ptrdiff_t i, Mask lanes, int thin, int terms,
                       Vector factor[THIN_LINES][LINES_TERMS], Sums sums)
{
  Vector sum[THIN_LINES];
#pragma GCC unroll 8
  for (int f = 0; f < thin; f++)
    sum[f] = load(sums.at + f * sums.next + i);
#pragma GCC unroll 8
  for (int l = 0; l < terms; l++) {
    const Vector x = Vector_(loadMasked)(lanes, s->thick.at + i + l * s->thick.next);
#pragma GCC unroll 8
    for (int f = 0; f < thin; f++)
      sum[f] = MULTIPLY_ADD(factor[f][l], x, sum[f]);
  }
#pragma GCC unroll 8
  for (int f = 0; f < thin; f++)
    memcpy(sums.at + f * sums.next + i, &sum[f], sizeof sum[f]);
}

/* sums[f][i] += the products of terms terms, lines of the thick factor in lanes.  thin and terms
 * are constants. */
INLINE void add_terms(const Skinny *s, ptrdiff_t lines, int thin, int terms, Sums sums)
{
  Vector factor[THIN_LINES][LINES_TERMS];
#pragma GCC unroll 8
  for (int f = 0; f < thin; f++)
#pragma GCC unroll 8
    for (int l = 0; l < terms; l++)
      factor[f][l] = Vector_(all)(s->thin.at[f * s->thin.step + l * s->thin.next]);
  ptrdiff_t i = 0;
  for (; i + LANES <= lines; i += LANES)
    add_vector(s, i, (Mask)-1, thin, terms, factor, sums);
  if (i < lines)
    add_vector(s, i, first_lanes(lines - i), thin, terms, factor, sums);
}

/* For a thick factor that is contiguous across its lines: eight terms at a time, of as many lines as
 * leave all sums in L1. */
static void multiply_lines(ptrdiff_t depth, const Skinny *s, const Result *r)
{
  TH_SCRATCH(element, memory, L1_SUMS);
  const Sums sums = {memory, L1_SUMS / s->thin.lines / LANES * LANES};
  for (ptrdiff_t first = 0; first < s->thick.lines; first += sums.next) {
    const ptrdiff_t lines = THMin(sums.next, s->thick.lines - first);
    Skinny part = *s;
    part.thick.at += first;
    for (ptrdiff_t f = 0; f < s->thin.lines; f++)
      memset(sums.at + f * sums.next, 0, (size_t)(lines + LANES - 1) / LANES * sizeof(Vector));
    for (ptrdiff_t l = 0; l < depth;) {
      const int terms = depth - l >= LINES_TERMS ? LINES_TERMS : 1;
      /* clang-format off */
#define TERMS(THIN, COUNT) if (s->thin.lines == THIN && terms == COUNT) add_terms(&part, lines, THIN, COUNT, sums);
      TERMS(1, LINES_TERMS)
      TERMS(2, LINES_TERMS)
      TERMS(3, LINES_TERMS)
      TERMS(1, 1)
      TERMS(2, 1)
      TERMS(3, 1)
      /* clang-format on */
#undef TERMS
      part.thin.at += terms * s->thin.next;
      part.thick.at += terms * s->thick.next;
      l += terms;
    }
    for (ptrdiff_t f = 0; f < s->thin.lines; f++) {
      const element *const row = sums.at + f * sums.next;
      element *c = r->c + f * s->thinStride + first * s->thickStride;
      if (s->thickStride == 1)
        for (ptrdiff_t i = 0; i < lines; i += LANES)
          put(r, c + i, first_lanes(lines - i), load(row + i));
      else
        for (ptrdiff_t i = 0; i < lines; i++)
          put_one(r, c + i * s->thickStride, row[i]);
    }
  }
}

/* --- which ----------------------------------------------------------------------------------- */

/* Depends on the whole product, not the block, so that sums are the same however it is cut. */
typedef enum { BY_TILES, BY_DOTS, BY_LINES } Way;

static Way way_of(const THProduct *p)
{
  const ptrdiff_t thin = THMin(p->m, p->n), thick = THMax(p->m, p->n);
  const ptrdiff_t next = p->m <= p->n ? p->bRow : p->aColumn;
  const ptrdiff_t thinNext = p->m <= p->n ? p->aColumn : p->bRow;
  const ptrdiff_t step = p->m <= p->n ? p->bColumn : p->aRow;
  /* Costs: dot products end with sums of lanes and may need a copy of the thin factor; tiles of few
   * rows leave lanes idle, and the thick factor is packed. */
  const ptrdiff_t dots =
      thin * (p->k + 6 * LANES) + (thinNext == 1 ? 0 : thin * p->k * 2 * LANES / thick);
  const ptrdiff_t tiles = p->m <= p->n ? p->k * LANES : thin * p->k + p->k * LANES * 3 / 2;
  if (thin <= THIN_DOTS && next == 1 && dots < tiles)
    return BY_DOTS;
  if (thin <= THIN_LINES && step == 1 && p->k >= 8 && thick >= 8 * LANES)
    return BY_LINES;
  return BY_TILES;
}

static int is_unpacked(const THProduct *p)
{
  return way_of(p) != BY_TILES;
}

static void product(const THProduct *p, ptrdiff_t row, ptrdiff_t rows, ptrdiff_t column,
                    ptrdiff_t columns, real *scratch)
{
  const Way way = way_of(p);
  const ptrdiff_t thinNext = p->m <= p->n ? p->aColumn : p->bRow;
  const ptrdiff_t most = way == BY_DOTS    ? (thinNext == 1 ? DOTS_DEPTH : COPIED_DEPTH)
                         : way == BY_LINES ? p->k
                                           : DEPTH;
  const ptrdiff_t chunks = (p->k + most - 1) / most;
  const ptrdiff_t even = (p->k + chunks - 1) / chunks;
  const ptrdiff_t bytes = p->m * p->n * (ptrdiff_t)sizeof(element);
  Result r = {p->c + row + column * p->ldc, p->ldc, p->alpha, p->beta,
              bytes > FAR_BYTES || (bytes > NEAR_BYTES && even >= PREFETCH_DEPTH)};
  Factor a = {p->a + row * p->aRow, rows, p->aRow, p->aColumn};
  Factor b = {p->b + column * p->bColumn, columns, p->bColumn, p->bRow};
  for (ptrdiff_t l = 0; l < p->k; l += even) {
    const ptrdiff_t depth = THMin(even, p->k - l);
    if (way == BY_TILES) {
      multiply_block(&a, &b, depth, &r, scratch);
    } else {
      const int thinRows = p->m <= p->n;
      Skinny s = {thinRows ? a : b, thinRows ? b : a, thinRows ? 1 : p->ldc, thinRows ? p->ldc : 1};
      if (way == BY_DOTS && s.thin.next != 1) {
        for (ptrdiff_t f = 0; f < s.thin.lines; f++)
          for (ptrdiff_t i = 0; i < depth; i++)
            scratch[f * depth + i] = s.thin.at[f * s.thin.step + i * s.thin.next];
        s.thin = (Factor){scratch, s.thin.lines, depth, 1};
      }
      (way == BY_DOTS ? multiply_dots : multiply_lines)(depth, &s, &r);
    }
    r.beta = 1;
    a.at += depth * a.next;
    b.at += depth * b.next;
  }
}

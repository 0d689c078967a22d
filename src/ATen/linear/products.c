/* Matrix products of BFloat16, block by block.
 *
 * The columns of y in a block are packed for L2_TERMS terms at a time and stay in the L2 cache.
 * The rows of x are packed tile by tile for L1_TERMS terms at a time, and stay in the L1 cache
 * while they are multiplied with all columns.  Incomplete sums are kept as floats. */
#include "products.h"
#include "THKernel.h"

#include "ATen/core/ATenOperations.h"
#include "TH/core/THTeam.h"
#include "TH/core/THScratch.h"
#include "linear.h"

TH_DISPATCH(at_products, at_bfloatProducts)

enum { L1_TERMS = 256, L2_TERMS = 1024, BLOCK_COLUMNS = 512, BLOCK_ROWS = 512 };

/* The first engine that the processor supports, or NULL; chosen at the first call. */
static const at_products *engine(void)
{
  static int chosen = -1;
  int i = __atomic_load_n(&chosen, __ATOMIC_RELAXED);
  if (i < 0) {
    for (i = 0; TH_DISPATCHED(at_bfloatProducts)[i].usable &&
                !TH_DISPATCHED(at_bfloatProducts)[i].usable();)
      i++;
    __atomic_store_n(&chosen, i, __ATOMIC_RELAXED);
  }
  return TH_DISPATCHED(at_bfloatProducts)[i].usable ? &TH_DISPATCHED(at_bfloatProducts)[i] : NULL;
}

static ptrdiff_t ceil_div(ptrdiff_t n, ptrdiff_t size)
{
  return (n + size - 1) / size;
}

static ptrdiff_t upTo(ptrdiff_t n, ptrdiff_t multiple)
{
  return ceil_div(n, multiple) * multiple;
}

/* --- a block --------------------------------------------------------------------------------- */

/* Scratch memory of a thread. */
typedef struct at_scratch {
  at_bfloat16 *x, *y;
  float *sums;
} at_scratch;

typedef struct at_block {
  const at_products *engine;
  at_lines x, y;
  at_results r;
  at_scratch scratch;
} at_block;

/* The part of the matrix from that line and term on, of count lines and that many terms. */
static at_lines part_of(const at_lines *lines, ptrdiff_t line, ptrdiff_t count, ptrdiff_t term,
                        ptrdiff_t terms)
{
  return (at_lines){.at = lines->at + line * lines->step + term * lines->next,
                    .count = THMin(count, lines->count - line),
                    .step = lines->step,
                    .terms = terms,
                    .next = lines->next};
}

static at_results results_at(const at_results *r, ptrdiff_t row, ptrdiff_t column)
{
  at_results at = *r;
  at.at += row * r->next + column;
  if (r->self)
    at.self += row * r->down + column * r->across;
  return at;
}

/* The packed panel of the columns from column on, for so many terms from term on. */
static at_bfloat16 *packed_at(const at_block *b, ptrdiff_t column, ptrdiff_t term, ptrdiff_t terms)
{
  return b->scratch.y + term * upTo(b->y.count, AT_TILE_COLUMNS) +
         column * upTo(terms, AT_SQUARE_TERMS);
}

/* Packs the columns.  Squares are visited in the order of memory: along the terms where these are
 * contiguous, else across the columns. */
static void pack_columns(const at_block *b, ptrdiff_t first, ptrdiff_t terms)
{
  for (ptrdiff_t l = 0; l < terms; l += L1_TERMS) {
    const ptrdiff_t depth = THMin(L1_TERMS, terms - l);
    const ptrdiff_t termsAtOnce = b->y.next == 1 ? depth : AT_SQUARE_TERMS;
    for (ptrdiff_t k = 0; k < depth; k += termsAtOnce)
      for (ptrdiff_t j = 0; j < b->y.count; j += AT_TILE_COLUMNS) {
        const at_lines columns =
            part_of(&b->y, j, AT_TILE_COLUMNS, first + l + k, THMin(termsAtOnce, depth - k));
        b->engine->pack(&columns, true,
                        packed_at(b, j, l, depth) + k * upTo(columns.count, AT_SQUARE_LINES));
      }
  }
}

/* The sums of a tile.  They have memory of their own if there are more terms than one panel has. */
static float *sums_at(const at_block *b, ptrdiff_t row, ptrdiff_t column)
{
  if (b->x.terms <= L1_TERMS)
    return b->scratch.sums;
  if (b->x.terms <= L2_TERMS)
    row = 0;
  return b->scratch.sums + row * upTo(b->y.count, AT_TILE_COLUMNS) + column * b->engine->rows;
}

/* Computes the tiles of the rows from i on with the packed columns. */
static void multiply_rows(const at_block *b, ptrdiff_t i, ptrdiff_t first, ptrdiff_t terms)
{
  const ptrdiff_t height = THMin(b->engine->rows, b->x.count - i);
  for (ptrdiff_t l = 0; l < terms; l += L1_TERMS) {
    const ptrdiff_t depth = THMin(L1_TERMS, terms - l);
    const at_lines rows = part_of(&b->x, i, height, first + l, depth);
    b->engine->pack(&rows, false, b->scratch.x);
    const bool isLast = first + l + depth == b->x.terms;
    for (ptrdiff_t j = 0; j < b->y.count; j += AT_TILE_COLUMNS) {
      const ptrdiff_t width = THMin(AT_TILE_COLUMNS, b->y.count - j);
      const at_results r = results_at(&b->r, i, j);
      float *const sums = sums_at(b, i, j);
      b->engine->tile(depth, b->scratch.x, packed_at(b, j, l, depth), sums, height, width,
                      first + l > 0);
      if (isLast)
        b->engine->finish(&r, sums, height, width);
    }
  }
}

static void multiply_block(const at_block *b)
{
  for (ptrdiff_t first = 0; first < b->x.terms; first += L2_TERMS) {
    const ptrdiff_t terms = THMin(L2_TERMS, b->x.terms - first);
    pack_columns(b, first, terms);
    for (ptrdiff_t i = 0; i < b->x.count; i += b->engine->rows)
      multiply_rows(b, i, first, terms);
  }
}

/* --- all blocks ------------------------------------------------------------------------------ */

/* The product of a batch of matrices, and how each is divided into blocks. */
typedef struct at_batch {
  at_block first;
  ptrdiff_t count;         /* of the matrices */
  ptrdiff_t x, y, r, self; /* the strides from one matrix to the next */
  ptrdiff_t rows, columns; /* of a block */
  ptrdiff_t down, across;  /* blocks */
  int threads;
  char *memory; /* of all threads; NULL if each uses its scratch */
  size_t bytes; /* of a thread */
} at_batch;

/* Makes blocks as large as the caches allow, or smaller if that gives each thread the same number
 * of blocks.  Results do not depend on the division. */
static void cut(at_batch *p)
{
  const ptrdiff_t rows = p->first.x.count, columns = p->first.y.count, terms = p->first.x.terms;
  const double work = (double)p->count * (double)rows * (double)columns * (double)terms;
  p->threads = THParallel_threads((ptrdiff_t)THMin(work, 0x1p60), p->first.engine->grain);
  p->across = ceil_div(columns, BLOCK_COLUMNS);
  p->down = terms > L2_TERMS ? ceil_div(rows, BLOCK_ROWS) : 1;
  ptrdiff_t *const count = columns >= rows ? &p->across : &p->down;
  const ptrdiff_t tiles =
      columns >= rows ? ceil_div(columns, AT_TILE_COLUMNS) : ceil_div(rows, p->first.engine->rows);
  const ptrdiff_t least = *count, most = THMin(tiles, least + p->threads);
  while (*count < most && p->count * p->down * p->across % p->threads != 0)
    ++*count;
  if (p->count * p->down * p->across % p->threads != 0)
    *count = least;
  p->rows = upTo(ceil_div(rows, p->down), p->first.engine->rows);
  p->columns = upTo(ceil_div(columns, p->across), AT_TILE_COLUMNS);
  p->down = ceil_div(rows, p->rows);
  p->across = ceil_div(columns, p->columns);
  p->threads = (int)THMin(p->threads, p->count * p->down * p->across);
}

/* Divides the scratch memory of a thread; bytes becomes its size. */
static at_scratch scratch_at(const at_batch *p, char *memory, size_t *bytes)
{
  const ptrdiff_t terms = p->first.x.terms,
                  columns = THMin(p->columns, upTo(p->first.y.count, AT_TILE_COLUMNS));
  const ptrdiff_t rows = terms <= L2_TERMS ? p->first.engine->rows : p->rows;
  const size_t sums =
      (size_t)(terms <= L1_TERMS ? p->first.engine->rows * AT_TILE_COLUMNS : rows * columns);
  const size_t y = (size_t)(columns * upTo(THMin(L2_TERMS, terms), AT_SQUARE_TERMS));
  const size_t x = (size_t)(upTo(p->first.engine->rows, AT_SQUARE_LINES) *
                            upTo(THMin(L1_TERMS, terms), AT_SQUARE_TERMS));
  at_scratch scratch = {.sums = (float *)(void *)memory};
  scratch.y = (at_bfloat16 *)(void *)(scratch.sums + sums);
  scratch.x = scratch.y + y;
  *bytes = sums * sizeof(float) + (x + y) * sizeof(at_bfloat16);
  return scratch;
}

static void multiply_blocks(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const at_batch *p = context;
  at_block b = p->first;
  size_t bytes;
  TH_SCRATCH(char, own, p->memory ? 0 : p->bytes);
  b.scratch =
      scratch_at(p, p->memory ? p->memory + (size_t)THTeam_index(p->threads) * p->bytes : own,
                 &bytes);
  b.engine->open();
  for (ptrdiff_t k = begin; k < end; k++) {
    const ptrdiff_t i = k / (p->down * p->across);
    const ptrdiff_t row = k / p->across % p->down * p->rows, column = k % p->across * p->columns;
    b.x = part_of(&p->first.x, row, p->rows, 0, p->first.x.terms);
    b.y = part_of(&p->first.y, column, p->columns, 0, p->first.y.terms);
    b.r = results_at(&p->first.r, row, column);
    b.x.at += i * p->x;
    b.y.at += i * p->y;
    b.r.at += i * p->r;
    if (b.r.self)
      b.r.self += i * p->self;
    multiply_block(&b);
  }
  b.engine->close();
}

/* t as a matrix with its lines along dimension line and its terms along dimension term; a vector is
 * one line. */
static at_lines lines_of(const at_tensor *t, int line, int term)
{
  const bool isOne = line >= t->th->nDimension;
  return (at_lines){.at = at_data(t),
                    .count = isOne ? 1 : t->th->size[line],
                    .step = isOne ? 0 : t->th->stride[line],
                    .terms = t->th->size[term],
                    .next = t->th->stride[term]};
}

bool at_multipliesBFloat(const at_type *type)
{
  return type->scalarType == AT_BFLOAT16 && at_isOnHost(type) && engine();
}

/* Products that need no more memory of a thread use its scratch. */
enum { SCRATCH_BYTES = 16 << 10 };

void at_multiplyBFloat(at_tensor *r, const at_tensor *self, const at_tensor *x, const at_tensor *y,
                       float beta, float alpha)
{
  const int batch = x->th->nDimension - 2;
  const bool isVector = y->th->nDimension == 1;
  at_batch p = {.first = {.engine = engine(),
                          .x = lines_of(x, batch, batch + 1),
                          .y = lines_of(y, batch + 1, batch),
                          .r = {.at = at_data(r),
                                .next = r->th->stride[batch],
                                .beta = beta,
                                .alpha = alpha}},
                .count = batch ? x->th->size[0] : 1,
                .x = x->th->stride[0],
                .y = y->th->stride[0],
                .r = r->th->stride[0]};
  if (self) {
    p.first.r.self = at_data(self);
    p.first.r.down = self->th->stride[batch];
    p.first.r.across = isVector ? 0 : self->th->stride[batch + 1];
    p.self = self->th->stride[0];
  }
  cut(&p);
  scratch_at(&p, NULL, &p.bytes);
  at_pool pool;
  at_pool_enter(&pool);
  if (p.bytes > SCRATCH_BYTES) {
    const int64_t sizes[] = {p.threads, (int64_t)p.bytes};
    p.memory = at_data(at_hold(&pool, at_newShape(at_toScalarType(x->type, AT_BYTE),
                                                  (at_ints){sizes, 2})));
  }
  const ptrdiff_t blocks = p.count * p.down * p.across;
  THParallel_forIn(p.threads, blocks, multiply_blocks, &p);
  at_pool_leave(&pool);
}

/* Packed weights: packing, and products. */
#include "packedWeights.h"
#include "THKernel.h"

#include <float.h>
#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "ATen/core/conversions.h"

TH_DISPATCH(at_packedKernels, at_packedProducts)

enum {
  MOST_ROWS = 16,           /* with more, weights become floats once: faster from there on */
  PANEL_ELEMENTS = 1 << 20, /* floats at a time then */
  GREATEST = 127
};

static ptrdiff_t outputs_of_block(void)
{
  return (ptrdiff_t)TH_DISPATCHED(at_packedProducts)->lanes * AT_PACKED_VECTORS;
}

static int64_t words_of_term(at_packedKind kind)
{
  static const int vectors[AT_PACKED_KINDS] = {
      [AT_PACKED_INT8] = 1, [AT_PACKED_BFLOAT16] = 2, [AT_PACKED_FLOAT] = AT_PACKED_VECTORS};
  return (int64_t)vectors[kind] * TH_DISPATCHED(at_packedProducts)->lanes;
}

/* The kind whose terms have so many words. */
static at_packedKind kind_of(const at_packedWeights *weights)
{
  at_packedKind kind = 0;
  while (kind + 1 < AT_PACKED_KINDS && at_size(weights->words, 2) != words_of_term(kind))
    kind++;
  return kind;
}

/* --- packing ---------------------------------------------------------------------------------- */

typedef struct Packing {
  at_packedKind kind;
  const float *weight;
  ptrdiff_t outputs, terms, output, term; /* output, term: strides */
  int32_t *words;
  float *scales;
} Packing;

static float scale_of(const Packing *p, ptrdiff_t output)
{
  const float *const w = p->weight + output * p->output;
  float greatest = 0;
  bool isFinite = true;
  for (ptrdiff_t k = 0; k < p->terms; k++) {
    const float size = fabsf(w[k * p->term]);
    isFinite &= size <= FLT_MAX;
    greatest = size > greatest ? size : greatest;
  }
  if (p->kind != AT_PACKED_INT8)
    return 1;
  return isFinite ? greatest / GREATEST : NAN;
}

/* The bits of a weight. */
static uint32_t bits_of(const Packing *p, ptrdiff_t output, ptrdiff_t term)
{
  const float w = p->weight[output * p->output + term * p->term];
  if (p->kind != AT_PACKED_INT8)
    return at_bfloat16_fromFloat(w).x;
  const float scale = p->scales[output];
  if (!(scale > 0)) /* all weights are 0, or the scale is NaN */
    return 0;
  return (uint8_t)(int8_t)THMax(-GREATEST, THMin(GREATEST, lrintf(w / scale)));
}

static void pack_block(const Packing *p, ptrdiff_t block)
{
  const ptrdiff_t lanes = TH_DISPATCHED(at_packedProducts)->lanes,
                  first = block * outputs_of_block(),
                  count = THMin(outputs_of_block(), p->outputs - first),
                  step = words_of_term(p->kind);
  const int bits = p->kind == AT_PACKED_INT8 ? 8 : 16, inWord = 32 / bits;
  int32_t *const words = p->words + block * p->terms * step;
  for (ptrdiff_t j = 0; j < count; j++)
    p->scales[first + j] = scale_of(p, first + j);
  for (ptrdiff_t k = 0; k < p->terms; k++) {
    uint32_t term[2 * AT_MOST_PACKED_OUTPUTS / AT_PACKED_VECTORS] = {0};
    for (ptrdiff_t j = 0; j < count; j++) {
      const ptrdiff_t vector = j / lanes, word = vector / inWord * lanes + j % lanes;
      term[word] |= bits_of(p, first + j, k) << (vector % inWord * bits);
    }
    memcpy(words + k * step, term, (size_t)step * sizeof *term);
  }
}

static void pack_floats(const Packing *p, ptrdiff_t block)
{
  const ptrdiff_t width = outputs_of_block(), first = block * width,
                  count = THMin(width, p->outputs - first);
  TH_DISPATCHED(at_packedProducts)
      ->fill(p->terms, count, p->weight + first * p->output, p->output, p->term,
             (float *)p->words + block * p->terms * width);
  for (ptrdiff_t j = 0; j < count; j++)
    p->scales[first + j] = 1;
}

static void pack_blocks(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  for (ptrdiff_t block = begin; block < end; block++)
    (((const Packing *)context)->kind == AT_PACKED_FLOAT ? pack_floats : pack_block)(context,
                                                                                     block);
}

at_packedWeights at_packWeights(at_packedKind kind, at_tensor *weight, bool isTransposed)
{
  const int output = isTransposed, term = !isTransposed;
  if (at_dim(weight) != 2 || weight->type != AT_CPU(AT_FLOAT))
    at_raise(AT_ERROR_TYPE, "weight is of %s and size %s, and has to be a matrix of Float",
             at_scalarTypeName(weight->type->scalarType), at_sizeDesc(at_sizesOf(weight)).str);
  const int64_t outputs = at_size(weight, output), terms = at_size(weight, term);
  const int64_t blocks = (outputs + outputs_of_block() - 1) / outputs_of_block();
  const int64_t sizes[] = {blocks, terms, words_of_term(kind)};
  at_pool pool;
  at_pool_enter(&pool);
  at_packedWeights made;
  made.words = at_hold(&pool, at_newShape(AT_CPU(AT_INT), (at_ints){sizes, 3}));
  made.scales = at_hold(&pool, at_newShape(AT_CPU(AT_FLOAT), (at_ints){&outputs, 1}));
  Packing p = {kind,
               at_hostData(weight),
               outputs,
               terms,
               weight->th->stride[output],
               weight->th->stride[term],
               at_hostData(made.words),
               at_hostData(made.scales)};
  THParallel_for(blocks, 1, pack_blocks, &p);
  made.words = at_retain(made.words);
  made.scales = at_retain(made.scales);
  at_pool_leave(&pool);
  return made;
}

/* --- few rows --------------------------------------------------------------------------------- */

typedef struct Product {
  at_packedKind kind;
  ptrdiff_t rows, terms, outputs;
  const float *x, *scales, *bias;
  const int32_t *words;
  float *result;   /* the result, or the panel that weights are unpacked to */
  ptrdiff_t next;  /* the distance of rows of the panel */
  ptrdiff_t block; /* the block that the panel begins with */
} Product;

static void finish_row(const Product *p, const float *sums, ptrdiff_t row, ptrdiff_t first,
                       ptrdiff_t count)
{
  float *const result = p->result + row * p->outputs + first;
  const float *const scales = p->scales + first;
  for (ptrdiff_t j = 0; j < count; j++)
    result[j] = sums[j] * scales[j];
  for (ptrdiff_t j = 0; p->bias && j < count; j++)
    result[j] += p->bias[first + j];
}

static void multiply_blocks(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Product *const p = context;
  const at_packedKernels *const kernels = TH_DISPATCHED(at_packedProducts);
  float sums[AT_MOST_PACKED_ROWS * AT_MOST_PACKED_OUTPUTS];
  for (ptrdiff_t block = begin; block < end; block++) {
    const ptrdiff_t first = block * outputs_of_block(),
                    count = THMin(outputs_of_block(), p->outputs - first);
    const int32_t *const words = p->words + block * p->terms * words_of_term(p->kind);
    for (ptrdiff_t i = 0; i < p->rows; i += kernels->rows) {
      const int rows = (int)THMin(kernels->rows, p->rows - i);
      kernels->multiply[p->kind](p->terms, rows, p->x + i * p->terms, p->terms, words, sums);
      for (int r = 0; r < rows; r++)
        finish_row(p, sums + (ptrdiff_t)r * AT_MOST_PACKED_OUTPUTS, i + r, first, count);
    }
  }
}

static ptrdiff_t grain_of(const Product *p, ptrdiff_t rows)
{
  const double work = (double)p->terms * (double)outputs_of_block() * (double)rows;
  return work >= TH_LOOP_GRAIN ? 1 : (ptrdiff_t)(TH_LOOP_GRAIN / THMax(1, work));
}

/* --- many rows -------------------------------------------------------------------------------- */

static void unpack_blocks(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Product *const p = context;
  for (ptrdiff_t i = begin; i < end; i++) {
    const ptrdiff_t first = (p->block + i) * outputs_of_block(),
                    count = THMin(outputs_of_block(), p->outputs - first);
    float scales[AT_MOST_PACKED_OUTPUTS] = {0};
    memcpy(scales, p->scales + first, (size_t)count * sizeof *scales);
    TH_DISPATCHED(at_packedProducts)
        ->unpack[p->kind](p->terms, p->words + (p->block + i) * p->terms * words_of_term(p->kind),
                          scales, p->result + i * outputs_of_block(), p->next);
  }
}

/* Unpacks a panel of outputs after the other, and multiplies with it. */
static void multiply_panels(Product *p, at_tensor *r, at_tensor *x, at_tensor *bias)
{
  const int64_t width = outputs_of_block(), blocks = (p->outputs + width - 1) / width,
                blocksAtOnce =
                    THMin(blocks, THMax(1, PANEL_ELEMENTS / (width * THMax(1, p->terms))));
  const int64_t sizes[] = {p->terms, blocksAtOnce * width};
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const panel = at_hold(&pool, at_newShape(r->type, (at_ints){sizes, 2}));
  p->result = at_hostData(panel);
  p->next = sizes[1];
  for (p->block = 0; p->block < blocks; p->block += blocksAtOnce) {
    const int64_t count = THMin(blocksAtOnce, blocks - p->block), first = p->block * width,
                  outputs = THMin(count * width, p->outputs - first);
    THParallel_for(count, grain_of(p, 1), unpack_blocks, p);
    at_pool inner;
    at_pool_enter(&inner);
    at_tensor *const part = at_hold(&inner, at_viewNarrow(r, 1, first, outputs)),
                     *weights = at_hold(&inner, at_viewNarrow(panel, 1, 0, outputs)),
                     *own = bias ? at_hold(&inner, at_viewNarrow(bias, 0, first, outputs)) : NULL;
    at_product(part, AT_MATRIX_MATRIX, own, x, weights, at_scalar_long(own != NULL),
               at_scalar_long(1));
    at_pool_leave(&inner);
  }
  at_pool_leave(&pool);
}

/* --- floats ----------------------------------------------------------------------------------- */

/* How a product is cut: rows of x that stay in the caches while blocks of weights pass by, and terms of
 * which a tile's rows and weights stay in L1 and L2. */
enum { TERMS = 512, WEIGHTS_BYTES = 1 << 20, ROWS_BYTES = 96 << 10, MANY_ROWS_BYTES = 512 << 10 };

typedef struct Cut {
  const Product *product;
  ptrdiff_t rows, strips; /* of a strip of rows; strips */
} Cut;

static Cut cut_of(const Product *p, ptrdiff_t blocks)
{
  const ptrdiff_t tile = TH_DISPATCHED(at_packedProducts)->tileRows,
                  threads = THParallel_threads(PTRDIFF_MAX, 1),
                  row = THMax(1, p->terms * (ptrdiff_t)sizeof(float));
  const double weights = (double)p->outputs * (double)row;
  const ptrdiff_t bytes = weights <= WEIGHTS_BYTES ? ROWS_BYTES : MANY_ROWS_BYTES;
  ptrdiff_t strips = (p->rows * row + bytes - 1) / bytes;
  while (strips * blocks % threads != 0 && strips * tile < p->rows)
    strips++;
  strips = THMax(1, THMin(strips, (p->rows + tile - 1) / tile));
  const ptrdiff_t rows =
      THMax(1, (p->rows + strips - 1) / strips); /* of no rows there are no strips */
  return (Cut){p, rows, (p->rows + rows - 1) / rows};
}

/* Rows of a tile, of so many that are left: as many as the others have. */
static ptrdiff_t tile_rows(ptrdiff_t left)
{
  const ptrdiff_t most = TH_DISPATCHED(at_packedProducts)->tileRows,
                  tiles = (left + most - 1) / most;
  return (left + tiles - 1) / tiles;
}

/* Adds to the tile's result, of which there are count columns: all of the block, or else the last ones
 * of the product, which take a detour. */
static void add_tile(const Product *p, ptrdiff_t terms, ptrdiff_t rows, at_packedTile tile,
                     ptrdiff_t count)
{
  const ptrdiff_t width = outputs_of_block();
  float sums[AT_MOST_PACKED_ROWS * AT_MOST_PACKED_OUTPUTS];
  float *const result = tile.result;
  if (count == width) {
    TH_DISPATCHED(at_packedProducts)->add(terms, (int)rows, &tile);
    return;
  }
  if (tile.start == result)
    for (ptrdiff_t r = 0; r < rows; r++)
      memcpy(sums + r * width, result + r * p->outputs, (size_t)count * sizeof *sums);
  if (tile.start == result)
    tile.start = sums, tile.nextStart = width;
  tile.result = sums;
  tile.nextResult = width;
  TH_DISPATCHED(at_packedProducts)->add(terms, (int)rows, &tile);
  for (ptrdiff_t r = 0; r < rows; r++)
    memcpy(result + r * p->outputs, sums + r * width, (size_t)count * sizeof *sums);
}

/* Rows first to end, times a block of weights.  While a tile is computed its share of the weights that
 * come next is prefetched. */
static void multiply_strip(const Product *p, ptrdiff_t block, ptrdiff_t first, ptrdiff_t end)
{
  const ptrdiff_t width = outputs_of_block(), output = block * width,
                  count = THMin(width, p->outputs - output),
                  most = TH_DISPATCHED(at_packedProducts)->tileRows,
                  share = width / THMax(1, THMin(width, (end - first + most - 1) / most));
  const float *words = (const float *)p->words + block * p->terms * width;
  float start[AT_MOST_PACKED_OUTPUTS] = {0};
  if (p->bias)
    memcpy(start, p->bias + output, (size_t)count * sizeof *start);
  for (ptrdiff_t k = 0; k < p->terms || k == 0; k += TERMS) {
    const ptrdiff_t terms = THMin(TERMS, p->terms - k);
    const float *ahead = words + terms * width;
    for (ptrdiff_t i = first, rows; i < end; i += rows, ahead += terms * share) {
      rows = tile_rows(end - i);
      at_packedTile tile = {.x = p->x + i * p->terms + k,
                            .words = words,
                            .start = start,
                            .result = p->result + i * p->outputs + output,
                            .nextX = p->terms,
                            .nextResult = p->outputs,
                            .ahead = ahead,
                            .nextAhead = share};
      if (k > 0)
        tile.start = tile.result, tile.nextStart = tile.nextResult;
      add_tile(p, terms, rows, tile, count);
    }
    words += terms * width;
  }
}

static void multiply_strips(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Cut *const cut = context;
  const Product *const p = cut->product;
  const ptrdiff_t blocks = (p->outputs + outputs_of_block() - 1) / outputs_of_block();
  for (ptrdiff_t i = begin; i < end; i++) {
    const ptrdiff_t first = i / blocks * cut->rows;
    multiply_strip(p, i % blocks, first, THMin(first + cut->rows, p->rows));
  }
}

static void multiply_floats(const Product *p, ptrdiff_t blocks)
{
  Cut cut = cut_of(p, blocks);
  THParallel_for(cut.strips * blocks, grain_of(p, THMax(1, cut.rows)), multiply_strips, &cut);
}

/* --- products --------------------------------------------------------------------------------- */

static void check_operands(const at_tensor *x, const at_packedWeights *weights,
                           const at_tensor *bias)
{
  const int64_t terms = at_size(weights->words, 1), outputs = at_size(weights->scales, 0);
  if (x->type != AT_CPU(AT_FLOAT))
    at_raise(AT_ERROR_TYPE, "input is of %s, and has to be of Float as the weights",
             at_scalarTypeName(x->type->scalarType));
  if (at_dim(x) == 0 || at_size(x, -1) != terms)
    at_raise(AT_ERROR_ARGUMENT, "input has size %s: the last has to be %lld, as of the weights",
             at_sizeDesc(at_sizesOf(x)).str, (long long)terms);
  if (bias && (bias->type != x->type || at_dim(bias) != 1 || at_size(bias, 0) != outputs))
    at_raise(AT_ERROR_ARGUMENT, "bias is of %s and size %s, and has to be of Float and size (%lld)",
             at_scalarTypeName(bias->type->scalarType), at_sizeDesc(at_sizesOf(bias)).str,
             (long long)outputs);
}

/* t with its elements in order. */
static at_tensor *in_order(at_pool *pool, at_tensor *t)
{
  return t && !at_isContiguous(t) ? at_hold(pool, at_newCast(t, t->type)) : t;
}

at_tensor *at_multiplyPacked(at_tensor *x, const at_packedWeights *weights, at_tensor *bias)
{
  check_operands(x, weights, bias);
  const int64_t terms = at_size(x, -1), outputs = at_size(weights->scales, 0);
  int64_t buffer[AT_MOST_DIMS], rows = 1;
  const at_ints own = at_sizesOf(x), sizes = {buffer, own.count};
  for (int d = 0; d < own.count - 1; d++) {
    buffer[d] = own.data[d];
    rows *= own.data[d];
  }
  buffer[own.count - 1] = outputs;
  at_pool pool;
  at_pool_enter(&pool);
  const int64_t lines[] = {rows, terms}, two[] = {rows, outputs};
  at_tensor *const matrix = in_order(&pool, at_hold(&pool, at_reshaped(x, (at_ints){lines, 2})));
  at_tensor *const r = at_hold(&pool, at_newShape(x->type, (at_ints){two, 2}));
  bias = in_order(&pool, bias);
  Product p = {.kind = kind_of(weights),
               .rows = rows,
               .terms = terms,
               .outputs = outputs,
               .x = at_hostData(matrix),
               .scales = at_hostData(weights->scales),
               .bias = bias ? at_hostData(bias) : NULL,
               .words = at_hostData(weights->words),
               .result = at_hostData(r)};
  if (p.kind == AT_PACKED_FLOAT)
    multiply_floats(&p, at_size(weights->words, 0));
  else if (rows > MOST_ROWS)
    multiply_panels(&p, r, matrix, bias);
  else
    THParallel_for(at_size(weights->words, 0), grain_of(&p, rows), multiply_blocks, &p);
  return at_pool_keep(&pool, at_hold(&pool, at_viewAs(r, sizes)));
}

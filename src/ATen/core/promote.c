/* Pointwise operations whose operands have other element types than the one that computes, such as
 * Half, which computes in Float.  The operations are rows of ops/pointwise.h and elementwise layers
 * of THNN.  Operands are converted block by block into buffers that stay in the L1 cache, so that
 * no tensors of converted elements are needed. */
#include "ATenOperations.h"
#include "TH/tensor/THConvert.h"
#include "TH/pointwise/THPointwise.h"
#include "TH/core/THScratch.h"
#include "conversions.h"

/* The size of the buffer of an operand: four of them fit the L1 cache. */
enum { BLOCK_BYTES = 8192, OPERANDS = 1 + TH_POINTWISE_INPUTS };

typedef struct {
  THPointwiseKernel row, fill;
  THKernel layer; /* computes instead of the row, if not NULL */
  const void *layerScalars;
  int inputs;
  size_t computedSize;         /* bytes of an element of the type that computes */
  size_t itemSize[OPERANDS];   /* bytes of an element of each operand */
  THKernel converts[OPERANDS]; /* from or to the type that computes; never NULL */
  bool plain[OPERANDS];        /* the operand is of the type that computes */
  _Alignas(8) char scalars[2 * sizeof(double)];
} Mixed;

/* The address of element i of row j of operand o. */
static char *element_at(const THRun *run, const Mixed *mixed, int o, ptrdiff_t j, ptrdiff_t i)
{
  return run->at[o] + (j * run->rowStride[o] + i * run->stride[o]) * (ptrdiff_t)mixed->itemSize[o];
}

/* Fills the buffer with one element of input o. */
static void broadcast(const Mixed *mixed, int o, char *at, ptrdiff_t n, char *buffer)
{
  _Alignas(8) char value[2 * sizeof(double)] = {0};
  const THRun one = {1, 1, {value, at}, {1, 1}, {1, 1}};
  mixed->converts[o](&one, NULL);
  mixed->fill(n, buffer, NULL, NULL, NULL, value, 0);
}

/* Converts rows x columns elements of input o, from at on, into the buffer.  seen is the element
 * with which the whole buffer is filled, or NULL: an expanded operand is converted once. */
static void load(const Mixed *mixed, const THRun *run, int o, char *at, ptrdiff_t rows,
                 ptrdiff_t columns, char *buffer, const char **seen)
{
  const ptrdiff_t step = run->stride[o], jump = rows > 1 ? run->rowStride[o] : 0;
  if (step != 0) {
    const THRun all = {columns, rows, {buffer, at}, {1, step}, {columns, jump}};
    mixed->converts[o](&all, NULL);
  } else if (jump != 0) {
    for (ptrdiff_t j = 0; j < rows; j++)
      broadcast(mixed, o, at + j * jump * (ptrdiff_t)mixed->itemSize[o], columns,
                buffer + j * columns * (ptrdiff_t)mixed->computedSize);
  } else if (*seen != at) {
    broadcast(mixed, o, at, BLOCK_BYTES / (ptrdiff_t)mixed->computedSize, buffer);
    *seen = at;
  }
  if (jump != 0)
    *seen = NULL;
}

typedef char Block[BLOCK_BYTES];

/* Computes n contiguous elements. */
static void compute_block(const Mixed *mixed, ptrdiff_t n, char *const *at, bool streams)
{
  if (!mixed->layer) {
    mixed->row(n, at[0], at[1], at[2], at[3], mixed->scalars, streams);
    return;
  }
  THRun run = {.n = n, .rows = 1, .streams = streams};
  for (int o = 0; o <= mixed->inputs; o++) {
    run.at[o] = at[o];
    run.stride[o] = 1;
  }
  mixed->layer(&run, mixed->layerScalars);
}

/* The number of elements of a block: as many as the L1 cache holds of the operand with the largest
 * elements. */
static ptrdiff_t block_length(const Mixed *mixed)
{
  size_t longest = 2 * mixed->computedSize;
  for (int o = 0; o <= mixed->inputs; o++)
    longest = THMax(longest, mixed->itemSize[o]);
  return 2 * BLOCK_BYTES / (ptrdiff_t)longest;
}

static void block(const THRun *run, const void *context)
{
  const Mixed *const mixed = context;
  TH_SCRATCH(Block, buffer, OPERANDS);
  const char *seen[OPERANDS] = {NULL};
  const ptrdiff_t capacity = block_length(mixed);
  const ptrdiff_t columns = THMin(run->n, capacity), rows = THMin(run->rows, capacity / columns);
  for (ptrdiff_t j = 0; j < run->rows; j += rows)
    for (ptrdiff_t i = 0; i < run->n; i += columns) {
      const ptrdiff_t m = THMin(columns, run->n - i), k = THMin(rows, run->rows - j);
      char *at[OPERANDS] = {NULL};
      for (int o = 0; o <= mixed->inputs; o++) {
        char *const here = element_at(run, mixed, o, j, i);
        const bool inLine = run->stride[o] == 1 && (k == 1 || run->rowStride[o] == m);
        at[o] = mixed->plain[o] && inLine ? here : buffer[o];
        if (o > 0 && at[o] != here)
          load(mixed, run, o, here, k, m, buffer[o], &seen[o]);
      }
      const bool isDirect = at[0] != buffer[0];
      compute_block(mixed, k * m, at, isDirect && run->streams);
      if (isDirect)
        continue;
      const THRun store = {.n = m,
                           .rows = k,
                           .at = {element_at(run, mixed, 0, j, i), buffer[0]},
                           .stride = {run->stride[0], 1},
                           .rowStride = {run->rowStride[0], m},
                           .streams = run->streams};
      mixed->converts[0](&store, NULL);
    }
}

bool at_isMixed(at_row row, const at_type *compute, bool converts, int count, at_tensor *const *in)
{
  /* polygamma's scalar is no element, and integers may not be divided by 0. */
  if (!at_isOnHost(compute) || !at_isFloating(compute->scalarType) ||
      row->index == TH_POINTWISE_polygamma)
    return false;
  for (int i = 0; i < count; i++) {
    if (in[i]->type->scalarType >= AT_COMPLEX_FLOAT) /* there are no kernels for them */
      return false;
    converts |= in[i]->type != compute;
  }
  return converts;
}

/* neg and abs of Half and BFloat16 change the sign bit only, so that they are computed as bitwise
 * operations of Short.  Returns whether the row is one of those. */
static bool change_sign(Mixed *mixed, at_tensor *r, at_row row, at_tensor *x)
{
  const int16_t sign = INT16_MIN, others = INT16_MAX;
  const bool isNeg = row->index == TH_POINTWISE_neg;
  if ((!isNeg && row->index != TH_POINTWISE_abs) || r->type != x->type ||
      r->type->elementSize != sizeof sign)
    return false;
  mixed->row = THPointwise_kernel(isNeg ? &THPointwise_kernels_bitxor : &THPointwise_kernels_bitand,
                                  THScalarShort);
  mixed->fill = THPointwise_kernel(&THPointwise_kernels_fill, THScalarShort);
  mixed->computedSize = sizeof sign;
  mixed->converts[0] = THConvert_kernel(THScalarShort, THScalarShort);
  mixed->plain[0] = true;
  memcpy(mixed->scalars, isNeg ? &sign : &others, sizeof sign);
  return true;
}

/* Adds the inputs to mixed and runs it.  asBits: elements are not converted. */
static void run_mixed(Mixed *mixed, at_tensor *r, const at_type *compute, int count,
                      at_tensor *const *in, bool asBits, ptrdiff_t grain)
{
  at_pool aside;
  at_pool_enter(&aside);
  THLoop loop;
  THLoop_init(&loop);
  loop.grain = grain;
  at_checkWritable(r);
  at_addOperand(&loop, r);
  for (int i = 0; i < count; i++) {
    at_tensor *x = in[i];
    at_addOperand(&loop, x);
    if (at_overlap(r, x) == TH_OVERLAP_MIXED) {
      x = at_hold(&aside, at_newCast(x, x->type));
      loop.operands--;
      at_addOperand(&loop, x);
    }
    mixed->itemSize[i + 1] = x->type->elementSize;
    mixed->converts[i + 1] = asBits ? mixed->converts[0] : at_conversion(compute, x->type);
    mixed->plain[i + 1] = asBits || x->type == compute;
  }
  THLoop_run(&loop, block, mixed);
  at_pool_leave(&aside);
}

static Mixed mixed_of(const at_tensor *r, const at_type *compute, const at_type *written, int count)
{
  return (Mixed){.fill = THPointwise_kernel(&THPointwise_kernels_fill, compute->held),
                 .inputs = count,
                 .computedSize = compute->elementSize,
                 .itemSize = {r->type->elementSize},
                 .converts = {at_conversion(r->type, written)},
                 .plain = {r->type == written}};
}

void at_layerMixed(at_tensor *r, THKernel layer, const void *scalars, const at_type *compute,
                   int count, at_tensor *const *in)
{
  Mixed mixed = mixed_of(r, compute, compute, count);
  mixed.layer = layer;
  mixed.layerScalars = scalars;
  run_mixed(&mixed, r, compute, count, in, false, TH_LOOP_GRAIN);
}

void at_pointwiseMixed(at_tensor *r, at_row row, const at_type *compute, const at_type *written,
                       int count, at_tensor *const *in, at_scalar a, at_scalar b)
{
  Mixed mixed = mixed_of(r, compute, written, count);
  mixed.row = THPointwise_kernel(row->kernels, compute->held);
  const double scalars[2] = {at_scalar_toDouble(a), at_scalar_toDouble(b)};
  const float narrow[2] = {(float)scalars[0], (float)scalars[1]};
  if (compute->scalarType == AT_DOUBLE)
    memcpy(mixed.scalars, scalars, sizeof scalars);
  else
    memcpy(mixed.scalars, narrow, sizeof narrow);
  const bool isBit = change_sign(&mixed, r, row, in[0]);
  run_mixed(&mixed, r, compute, count, in, isBit, THPointwise_grain(row->index));
}

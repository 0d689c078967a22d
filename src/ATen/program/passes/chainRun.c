/* Computes a chain: all steps of a block, then the next block.
 *
 * The result takes the memory of a tensor that nobody else has and that is not read any more.
 * Tensors that are no Float, and those without dimensions or elements, are computed node by node. */
#include "ATen/functions/functions.h"
#include "THKernel.h"
#include "THNN/activation/Pointwise.h"
#include "TH/core/THReference.h"
#include "TH/core/THScratch.h"
#include "chain.h"

enum { BLOCK = 1024 }; /* elements: with 4 buffers and 3 operands about 28 KB */
typedef float Block[BLOCK];

/* The numbers of a step, as its kernel takes them. */
typedef union Numbers {
  float row[AT_STEP_NUMBERS];
  at_function_scalars function;
  THNN_FloatScalars layer;
} Numbers;

typedef struct Call {
  const at_chain *chain;
  Numbers numbers[AT_CHAIN_STEPS];
  THPointwiseKernel rows[AT_CHAIN_STEPS]; /* of steps that are rows of src/ops/pointwise.h */
  THKernel kernels[AT_CHAIN_STEPS];       /* of the other steps */
} Call;

/* --- a block ---------------------------------------------------------------------------------- */

/* Gathers rows x columns elements of operand o from row j and column i on, which are contiguous
 * then. */
static void gather(const THRun *run, int o, ptrdiff_t j, ptrdiff_t i, ptrdiff_t rows,
                   ptrdiff_t columns, float *to)
{
  const ptrdiff_t stride = run->stride[o];
  for (ptrdiff_t r = 0; r < rows; r++, to += columns) {
    const float *const from = (const float *)run->at[o] + (j + r) * run->rowStride[o] + i * stride;
    if (stride == 0)
      THFloatVector_fill(to, *from, columns);
    else
      for (ptrdiff_t c = 0; c < columns; c++)
        to[c] = from[c * stride];
  }
}

static void scatter(const THRun *run, ptrdiff_t j, ptrdiff_t i, ptrdiff_t rows, ptrdiff_t columns,
                    const float *from)
{
  for (ptrdiff_t r = 0; r < rows; r++, from += columns) {
    float *const to = (float *)run->at[0] + (j + r) * run->rowStride[0] + i * run->stride[0];
    for (ptrdiff_t c = 0; c < columns; c++)
      to[c * run->stride[0]] = from[c];
  }
}

static void compute_step(const Call *call, int32_t s, ptrdiff_t n, float *result, float *const *in)
{
  if (call->rows[s]) {
    call->rows[s](n, result, in[0], in[1], in[2], &call->numbers[s], 0);
    return;
  }
  const THRun run = {n,
                     1,
                     {(char *)result, (char *)in[0], (char *)in[1], (char *)in[2]},
                     {1, 1, 1, 1},
                     {n, n, n, n}};
  call->kernels[s](&run, &call->numbers[s]);
}

/* The steps for n elements; values are those of the tensors. */
static void compute_steps(const Call *call, ptrdiff_t n, float **values, Block *buffers,
                          float *result)
{
  const at_chain *const chain = call->chain;
  for (int32_t s = 0; s < chain->stepCount; s++) {
    const at_chainStep *const step = &chain->steps[s];
    float *in[AT_STEP_INPUTS] = {NULL};
    for (int k = 0; k < step->inputCount; k++)
      in[k] = values[step->inputs[k]];
    float *const to = step->buffer < 0 ? result : buffers[step->buffer];
    values[AT_CHAIN_TENSORS + s] = to;
    compute_step(call, s, n, to, in);
  }
}

/* Whether the elements of the operand in some rows of the block are contiguous. */
static bool is_contiguous(const THRun *run, int o, ptrdiff_t rows)
{
  return run->stride[o] == 1 && (rows == 1 || run->rowStride[o] == run->n);
}

static void compute_block(const THRun *run, const void *context)
{
  const Call *const call = context;
  const at_chain *const chain = call->chain;
  const int32_t count = chain->tensorCount;
  TH_SCRATCH(Block, buffers, AT_CHAIN_BUFFERS + AT_CHAIN_TENSORS + 1);
  Block *const gathered = buffers + AT_CHAIN_BUFFERS;
  float *values[AT_CHAIN_TENSORS + AT_CHAIN_STEPS];
  bool isFilled[AT_CHAIN_TENSORS] = {false}; /* with rows that are all the same */
  const ptrdiff_t columns = THMin(run->n, BLOCK), most = run->n <= BLOCK ? BLOCK / columns : 1;
  for (ptrdiff_t j = 0, rows; j < run->rows; j += rows) {
    rows = THMin(most, run->rows - j);
    for (ptrdiff_t i = 0; i < run->n; i += columns) {
      const ptrdiff_t width = THMin(columns, run->n - i);
      for (int32_t t = 0; t < count; t++) {
        const int o = 1 + t;
        const bool repeats = run->rowStride[o] == 0 && columns == run->n;
        const bool isDirect = is_contiguous(run, o, rows);
        values[t] = isDirect ? (float *)run->at[o] + j * run->rowStride[o] + i : gathered[t];
        if (!isDirect && !isFilled[t])
          gather(run, o, j, i, rows, width, gathered[t]);
        isFilled[t] = !isDirect && repeats;
      }
      const bool isDirect = is_contiguous(run, 0, rows);
      float *const result =
          isDirect ? (float *)run->at[0] + j * run->rowStride[0] + i : gathered[AT_CHAIN_TENSORS];
      compute_steps(call, rows * width, values, buffers, result);
      if (!isDirect)
        scatter(run, j, i, rows, width, result);
    }
  }
}

/* --- a run ------------------------------------------------------------------------------------ */

static double number_of(const at_frame *frame, const at_graphNode *node, const at_part *part)
{
  const at_cell cell = at_frame_get(frame, part);
  if (!at_isNumber(cell))
    at_nodeFails(node, "an argument is no number");
  return cell.kind == AT_CELL_FLOAT ? cell.is.number : (double)cell.is.integer;
}

static void prepare_step(const at_frame *frame, const at_graphNode *node, Call *call, int32_t s)
{
  const at_chainStep *const step = &call->chain->steps[s];
  const double a = number_of(frame, node, &step->numbers[0]),
               b = number_of(frame, node, &step->numbers[1]);
  const int row = step->rule->row;
  switch (step->rule->kind) {
    case AT_STEP_ROW:
      call->rows[s] = THPointwise_row(THScalarFloat, (THPointwise)row);
      call->numbers[s].row[0] = (float)a;
      call->numbers[s].row[1] = (float)b;
      break;
    case AT_STEP_FUNCTION:
      call->kernels[s] = TH_DISPATCHED(at_functionKernelsFloat)[row];
      call->numbers[s].function = (at_function_scalars){a, b, 0};
      break;
    case AT_STEP_LAYER:
      call->kernels[s] = THNN_floatKernels(row)->forward;
      call->numbers[s].layer = (THNN_FloatScalars){.a = (float)a, .b = (float)b, .scale = 1};
  }
}

/* The tensors of the chain; false if one is not what the chain is for. */
static bool find_tensors(const at_frame *frame, const at_chain *chain, at_tensor **tensors)
{
  for (int32_t t = 0; t < chain->tensorCount; t++) {
    const at_cell cell = frame->cells[chain->slots[t]];
    if (cell.kind != AT_CELL_TENSOR || cell.is.tensor->type != at_cpuType(AT_FLOAT) ||
        at_numel(cell.is.tensor) == 0)
      return false;
    tensors[t] = cell.is.tensor;
  }
  return true;
}

/* The size that the tensors broadcast to, in result; none if they do not, or have no dimensions. */
static at_ints common_size(at_tensor *const *tensors, int32_t count, int64_t *result)
{
  at_ints sizes = {result, 0};
  for (int32_t t = 0; t < count; t++)
    sizes.count = THMax(sizes.count, at_sizesOf(tensors[t]).count);
  for (int d = 0; d < sizes.count; d++)
    result[d] = 1;
  for (int32_t t = 0; t < count; t++) {
    const at_ints own = at_sizesOf(tensors[t]);
    int64_t *const at = result + sizes.count - own.count;
    for (int d = 0; d < own.count; d++) {
      if (at[d] != own.data[d] && at[d] != 1 && own.data[d] != 1)
        return (at_ints){result, 0};
      at[d] = at[d] == 1 ? own.data[d] : at[d];
    }
  }
  return sizes;
}

/* A tensor of that size that only the frame has, and whose slot is not read any more: its elements
 * may be written over.  NULL if there is none. */
static at_tensor *find_reusable(const at_graphNode *node, const at_chain *chain,
                                at_tensor *const *tensors, at_ints sizes)
{
  for (int32_t t = 0; t < chain->tensorCount; t++) {
    at_tensor *const own = tensors[t];
    bool isDead = false;
    for (int32_t i = 0; i < node->deadCount; i++)
      isDead |= node->dead[i] == chain->slots[t];
    if (isDead && THReference_isOnly(&own->refcount) && own->th->storage &&
        THReference_isOnly(&own->th->storage->refcount) && at_sameSizes(at_sizesOf(own), sizes) &&
        at_isContiguous(own))
      return own;
  }
  return NULL;
}

static void add_operand(THLoop *loop, at_tensor *t, at_ints sizes, int64_t *strides)
{
  const at_ints own = at_sizesOf(t);
  const int missing = sizes.count - own.count;
  for (int d = 0; d < sizes.count; d++)
    strides[d] =
        d < missing || own.data[d - missing] != sizes.data[d] ? 0 : t->th->stride[d - missing];
  THLoop_operand(loop, at_hostData(t), sizeof(float), sizes.count, sizes.data, strides);
}

/* Computes the chain as it is meant; false if its tensors are others. */
static bool compute_blocks(at_frame *frame, const at_graphNode *node, const at_chain *chain)
{
  enum { LEAST_GRAIN = 2048 };
  at_tensor *tensors[AT_CHAIN_TENSORS];
  int64_t broadcast[AT_MOST_DIMS], strides[AT_CHAIN_TENSORS + 1][AT_MOST_DIMS];
  Call call = {.chain = chain};
  if (!find_tensors(frame, chain, tensors))
    return false;
  const at_ints sizes = common_size(tensors, chain->tensorCount, broadcast);
  if (sizes.count == 0)
    return false;
  for (int32_t s = 0; s < chain->stepCount; s++)
    prepare_step(frame, node, &call, s);
  at_tensor *const reused = find_reusable(node, chain, tensors, sizes);
  at_tensor *const result = reused ? at_retain(reused) : at_newShape(at_cpuType(AT_FLOAT), sizes);
  THLoop loop;
  THLoop_init(&loop);
  add_operand(&loop, result, sizes, strides[AT_CHAIN_TENSORS]);
  for (int32_t t = 0; t < chain->tensorCount; t++)
    add_operand(&loop, tensors[t], sizes, strides[t]);
  loop.grain = THMax(LEAST_GRAIN, TH_LOOP_GRAIN / (2 * chain->stepCount));
  THLoop_run(&loop, compute_block, &call);
  at_giveTensor(frame, node, result);
  return true;
}

void at_computeChain(at_frame *frame, const at_graphNode *node)
{
  const at_chain *const chain = node->how;
  if (compute_blocks(frame, node, chain))
    return;
  for (int32_t s = 0; s < chain->stepCount; s++)
    at_frame_compute(frame, &chain->nodes[s]);
  for (int32_t s = 0; s < chain->stepCount - 1; s++)
    at_cell_release(&frame->cells[chain->nodes[s].outputs[0]]);
}

/* A linear layer for sparse inputs: a list of row, column and value or, in the legacy form, a list
 * of column and value for each row of the batch.  Rows and columns count from 1.  An entry of value
 * 0 is ignored, whatever its row and column are. */
#include "THNN/embedding/UniqueIndices.h"
#include "THNN/linear/Sparse.h"
#include "THNN/layer/Template.h"
#include "SparseLayers.h"

#ifndef TH_TEMPLATE_DEVICE /* a device has kernels */

/* --- entries --------------------------------------------------------------------------------- */

/* Copies the entries of input to scratch memory.  Raises if a row or column is out of range. */
static THNN_(SparseInput)
    THNN_(sparseInput)(THNN_(Call) * call, THNN_LongCall *longCall, THTensor *input,
                       const char *name, int arg, int legacy, int64_t rows, int64_t columns)
{
  THTensor *x = THNN_(source)(call, input);
  THNN_(ready)(call); /* there are no results yet */
  const real *e = THTensor_(data)(x);
  const int each = legacy ? 2 : 3;
  const ptrdiff_t count = THTensor_(nElement)(x) / each;
  THNN_(SparseInput)
  in = {.row = THNN_Longscratch(longCall, count),
        .column = THNN_Longscratch(longCall, count),
        .value = THNN_(scratch)(call, count)};
  for (ptrdiff_t i = 0; i < count; i++, e += each) {
    const real row = legacy ? 1 : e[0], column = e[!legacy], value = e[each - 1];
    if (value == 0)
      continue;
    THArgCheck(column >= 1 && (double)column < (double)columns + 1, arg, THNN_SPARSE_RANGE, i, name,
               THTensor_(sizeDesc)(input).str, "column", (double)column, (long long)columns);
    THArgCheck(row >= 1 && (double)row < (double)rows + 1, arg, THNN_SPARSE_RANGE, i, name,
               THTensor_(sizeDesc)(input).str, "row", (double)row, (long long)rows);
    in.row[in.count] = legacy ? i / x->size[1] : (int64_t)row - 1;
    in.column[in.count] = (int64_t)column - 1;
    in.value[in.count++] = value;
  }
  return in;
}

/* Sorts entries by keys (the rows or columns of in), which are 0 to n - 1; the sort is stable.
 * Returns the end of the entries of each key. */
static const int64_t *THNN_(sparseSort)(THNN_(SparseInput) * in, const int64_t *keys, int64_t n,
                                        THNN_(Call) * call, THNN_LongCall *longCall)
{
  int64_t *end = THNN_Longscratch(longCall, n + 1);
  const THNN_(SparseInput) sorted = {.row = THNN_Longscratch(longCall, in->count),
                                     .column = THNN_Longscratch(longCall, in->count),
                                     .value = THNN_(scratch)(call, in->count),
                                     .count = in->count};
  memset(end, 0, (size_t)n * sizeof *end);
  for (ptrdiff_t i = 0; i < in->count; i++)
    end[keys[i]]++;
  for (int64_t key = 0, before = 0; key < n; key++) {
    const int64_t count = end[key];
    end[key] = before;
    before += count;
  }
  for (ptrdiff_t i = 0; i < in->count; i++) {
    const int64_t at = end[keys[i]]++;
    sorted.row[at] = in->row[i];
    sorted.column[at] = in->column[i];
    sorted.value[at] = in->value[i];
  }
  *in = sorted;
  return end;
}

/* Sorts entries by column, so that memory is read and written in order, where that is worth a pass
 * over all columns. */
static void THNN_(sparseByColumn)(THNN_(SparseInput) * in, int64_t columns, int64_t outputs,
                                  THNN_(Call) * call, THNN_LongCall *longCall)
{
  if (in->count >= columns / (outputs + 1))
    THNN_(sparseSort)(in, in->column, columns, call, longCall);
}

/* --- output ---------------------------------------------------------------------------------- */

static void THNN_(sparseRun)(const THNN_(SparseWork) * w,
                             void (*outputs)(void *context, ptrdiff_t begin, ptrdiff_t end))
{
  THParallel_for(w->outputs, THMax(1, TH_LOOP_GRAIN / (w->in.count + w->columns + w->batch + 1)),
                 outputs, (void *)w);
}

/* Outputs at a time: their sums are independent, so that no addition waits for another. */
enum { THNN_(SPARSE_UNROLL) = 8 };

static inline __attribute__((always_inline)) void THNN_(sparseProducts)(const THNN_(SparseWork) * w,
                                                                        ptrdiff_t o,
                                                                        const int unroll)
{
  const real *weight = w->w + o * w->inputs;
  ptrdiff_t i = 0;
  for (int64_t r = 0; r < w->batch; r++) {
    real sum[THNN_(SPARSE_UNROLL)];
    for (int k = 0; k < unroll; k++)
      sum[k] = w->b[o + k];
    for (; i < w->end[r]; i++)
      for (int k = 0; k < unroll; k++)
        sum[k] += w->in.value[i] * weight[k * w->inputs + w->in.column[i]];
    for (int k = 0; k < unroll; k++)
      w->y[r * w->outputs + o + k] = sum[k];
  }
}

static void THNN_(sparseForward)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(SparseWork) *w = context;
  ptrdiff_t o = begin;
  for (; o + THNN_(SPARSE_UNROLL) <= end; o += THNN_(SPARSE_UNROLL))
    THNN_(sparseProducts)(w, o, THNN_(SPARSE_UNROLL));
  for (; o < end; o++)
    THNN_(sparseProducts)(w, o, 1);
}

/* --- gradients ------------------------------------------------------------------------------- */

/* Consecutive entries of one column are summed before they are added to the column's gradient;
 * their factors are copied next to each other first. */
static inline __attribute__((always_inline)) void THNN_(sparseSums)(const THNN_(SparseWork) * w,
                                                                    ptrdiff_t o, const int unroll)
{
  real *const d = w->dw + o * w->inputs;
  real *const g = THNN_(ofThread)(w->transposed, w->batch * THNN_(SPARSE_UNROLL), w->threads);
  accreal sum[THNN_(SPARSE_UNROLL)] = {0};
  for (int64_t r = 0; r < w->batch; r++)
    for (int k = 0; k < unroll; k++) {
      g[r * unroll + k] = w->g[r * w->outputs + o + k];
      sum[k] += (accreal)g[r * unroll + k];
    }
  for (ptrdiff_t i = 0; i < w->in.count;) {
    const int64_t column = w->in.column[i];
    real change[THNN_(SPARSE_UNROLL)] = {0};
    do {
      const real *of = g + w->in.row[i] * unroll, factor = w->scale * w->in.value[i];
      for (int k = 0; k < unroll; k++)
        change[k] += factor * of[k];
      i++;
    } while (i < w->in.count && w->in.column[i] == column);
    for (int k = 0; k < unroll; k++)
      d[k * w->inputs + column] += change[k];
  }
  for (int k = 0; k < unroll; k++) {
    w->db[o + k] = (real)((accreal)w->db[o + k] + (accreal)w->scale * sum[k]);
    if (w->decay != 0)
      THVector_(cadd)(d + k * w->inputs, d + k * w->inputs, w->w + (o + k) * w->inputs, w->decay,
                      w->inputs);
  }
}

static void THNN_(sparseBackward)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(SparseWork) *w = context;
  ptrdiff_t o = begin;
  for (; o + THNN_(SPARSE_UNROLL) <= end; o += THNN_(SPARSE_UNROLL))
    THNN_(sparseSums)(w, o, THNN_(SPARSE_UNROLL));
  for (; o < end; o++)
    THNN_(sparseSums)(w, o, 1);
}

/* --- the columns of the last input ----------------------------------------------------------- */

static void THNN_(sparseZero)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(SparseWork) *w = context;
  for (ptrdiff_t o = begin; o < end; o++) {
    for (ptrdiff_t i = 0; i < w->columns; i++)
      w->dw[o * w->inputs + w->in.column[i]] = 0;
    w->db[o] = 0;
  }
}

static void THNN_(sparseStep)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(SparseWork) *w = context;
  for (ptrdiff_t o = begin; o < end; o++) {
    for (ptrdiff_t i = 0; i < w->columns; i++) {
      const ptrdiff_t at = o * w->inputs + w->in.column[i];
      w->dw[at] -= w->scale * w->w[at];
    }
    w->db[o] -= w->scale * w->b[o];
  }
}

/* --- passes ---------------------------------------------------------------------------------- */

void THNN_(readSparse)(THNN_(SparseWork) * w, THNN_(Call) * call, THNN_LongCall *longCall,
                       THTensor *input, const char *name, int arg, int legacy, int64_t rows,
                       THNNSparse pass)
{
  w->in = THNN_(sparseInput)(call, longCall, input, name, arg, legacy, rows, w->inputs);
  if (pass == THNN_SPARSE_OUTPUT) {
    w->end = THNN_(sparseSort)(&w->in, w->in.row, w->batch, call, longCall);
    return;
  }
  THNN_(sparseByColumn)(&w->in, w->inputs, w->outputs, call, longCall);
  if (pass != THNN_SPARSE_GRADIENTS)
    w->columns =
        THNN_uniqueIndices(w->in.column, w->in.count, THNN_Longscratch(longCall, w->inputs));
}

void THNN_(prepareSparse)(THNN_(SparseWork) * w, THNNSparse pass, THNN_(Call) * call)
{
  w->threads = THParallel_threads(w->outputs, 1);
  if (pass == THNN_SPARSE_GRADIENTS)
    w->transposed = THNN_(scratch)(call, w->threads * w->batch * THNN_(SPARSE_UNROLL));
}

void THNN_(runSparse)(THNN_(SparseWork) * w, THNNSparse pass)
{
  THNN_(sparseRun)(w, pass == THNN_SPARSE_OUTPUT      ? THNN_(sparseForward)
                      : pass == THNN_SPARSE_GRADIENTS ? THNN_(sparseBackward)
                      : pass == THNN_SPARSE_ZERO      ? THNN_(sparseZero)
                                                      : THNN_(sparseStep));
}

#endif

/* --- checks ---------------------------------------------------------------------------------- */

static void THNN_(sparseShape)(THTensor *input, const char *name, int arg, int legacy)
{
  THArgCheck(legacy ? input->nDimension == 3 && input->size[2] == 2
                    : input->nDimension == 2 && input->size[1] == 3,
             arg, "%s has size %s, and has to be %s", name, THTensor_(sizeDesc)(input).str,
             legacy ? "batch x entries x 2 (column, value)" : "entries x 3 (row, column, value)");
}

static void THNN_(sparseWeight)(THTensor *weight, const char *name, int arg, THTensor *bias,
                                const char *biasName, int biasArg)
{
  THArgCheck(weight->nDimension == 2, arg, "%s has size %s, and has to be outputs x inputs", name,
             THTensor_(sizeDesc)(weight).str);
  THArgCheck(bias->nDimension == 1 && bias->size[0] == weight->size[0], biasArg,
             "%s has size %s, %s has %s: one element for each output is expected", biasName,
             THTensor_(sizeDesc)(bias).str, name, THTensor_(sizeDesc)(weight).str);
}

/* finish for both calls at once: their guards were entered interleaved, and are left newest
 * first. */
static void THNN_(sparseFinish)(THNN_(Call) * call, THNN_LongCall *longCall)
{
  for (int i = 0; i < call->results; i++) {
    const THNN_(Result) *result = &call->result[i];
    if (result->written != result->tensor)
      THTensor_(copy)(result->tensor, result->written);
  }
  while (call->guards > 0 && longCall->guards > 0) {
    THGuard *own = &call->guard[call->guards - 1], *other = &longCall->guard[longCall->guards - 1];
    const THGuard *below = own;
    while (below && below != other)
      below = below->below;
    if (below)
      call->guards--;
    else
      longCall->guards--;
    THGuard_leave(below ? own : other);
  }
  THNN_Longfinish(longCall);
  while (call->guards > 0)
    THGuard_leave(&call->guard[--call->guards]);
}

static void THNN_(sparseOutput)(THTensor *input, THTensor *output, THTensor *weight, THTensor *bias,
                                int legacy)
{
  THNN_(sparseShape)(input, "input", 2, legacy);
  THNN_(sparseWeight)(weight, "weight", 4, bias, "bias", 5);
  THNN_(SparseWork) w = {.inputs = weight->size[1], .outputs = weight->size[0]};
  THArgCheck(legacy || (output->nDimension == 2 && output->size[1] == w.outputs), 3,
             "output has size %s, and has to be batch x outputs already, weight having size %s",
             THTensor_(sizeDesc)(output).str, THTensor_(sizeDesc)(weight).str);
  const int64_t size[] = {legacy ? input->size[0] : output->size[0], w.outputs};
  w.batch = size[0];

  THNN_(Call) call;
  THNN_LongCall longCall;
  THNN_(begin)(&call);
  THNN_LongbeginPart(&longCall, call.memory);
  THNN_(readSparse)(&w, &call, &longCall, input, "input", 2, legacy, w.batch, THNN_SPARSE_OUTPUT);
  weight = THNN_(source)(&call, weight);
  bias = THNN_(source)(&call, bias);
  THTensor *out = THNN_(result)(&call, output, 2, size);
  THNN_(start)(&call);
  w.w = THTensor_(data)(weight);
  w.b = THTensor_(data)(bias);
  w.y = THTensor_(data)(out);
  THNN_(runSparse)(&w, THNN_SPARSE_OUTPUT);
  THNN_(sparseFinish)(&call, &longCall);
}

/* --- gradients ------------------------------------------------------------------------------- */

static void THNN_(sparseGradients)(THTensor *input, THTensor *gradOutput, THTensor *gradWeight,
                                   THTensor *gradBias, THTensor *weight, THTensor *bias,
                                   accreal weightDecay, accreal scale, int legacy)
{
  THNN_(sparseShape)(input, "input", 2, legacy);
  THNN_(sparseWeight)(gradWeight, "gradWeight", 4, gradBias, "gradBias", 5);
  THArgCheck(THTensor_(isSameSizeAs)(weight, gradWeight), 6,
             "weight has size %s, gradWeight has %s", THTensor_(sizeDesc)(weight).str,
             THTensor_(sizeDesc)(gradWeight).str);
  THNN_(SparseWork)
  w = {.inputs = gradWeight->size[1],
       .outputs = gradWeight->size[0],
       .scale = (THNN_real)scale,
       .decay = (THNN_real)weightDecay};
  THArgCheck(gradOutput->nDimension == 2 && gradOutput->size[1] == w.outputs &&
                 (!legacy || gradOutput->size[0] == input->size[0]),
             3, "gradOutput has size %s, input has %s and gradWeight %s",
             THTensor_(sizeDesc)(gradOutput).str, THTensor_(sizeDesc)(input).str,
             THTensor_(sizeDesc)(gradWeight).str);
  w.batch = gradOutput->size[0];

  THNN_(Call) call;
  THNN_LongCall longCall;
  THNN_(begin)(&call);
  THNN_LongbeginPart(&longCall, call.memory);
  THNN_(readSparse)(&w, &call, &longCall, input, "input", 2, legacy, w.batch,
                    THNN_SPARSE_GRADIENTS);
  gradOutput = THNN_(source)(&call, gradOutput);
  weight = w.decay != 0 ? THNN_(source)(&call, weight) : NULL;
  gradWeight = THNN_(sum)(&call, gradWeight);
  gradBias = THNN_(sum)(&call, gradBias);
  THNN_(prepareSparse)(&w, THNN_SPARSE_GRADIENTS, &call);
  THNN_(start)(&call);
  w.w = weight ? THTensor_(data)(weight) : NULL;
  w.g = THTensor_(data)(gradOutput);
  w.dw = THTensor_(data)(gradWeight);
  w.db = THTensor_(data)(gradBias);
  THNN_(runSparse)(&w, THNN_SPARSE_GRADIENTS);
  THNN_(sparseFinish)(&call, &longCall);
}

/* --- the columns of the last input ----------------------------------------------------------- */

/* In the columns of lastInput, subtracts learningRate times the gradients from weight and bias, or
 * clears them where the gradients are NULL. */
static void THNN_(sparseChange)(THTensor *weight, const char *weightName, int weightArg,
                                THTensor *bias, const char *biasName, int biasArg,
                                THTensor *gradWeight, THTensor *gradBias, THTensor *lastInput,
                                int lastArg, accreal learningRate, int legacy)
{
  THNN_(sparseShape)(lastInput, "lastInput", lastArg, legacy);
  THNN_(sparseWeight)(weight, weightName, weightArg, bias, biasName, biasArg);
  if (gradWeight) {
    THNN_(sparseWeight)(gradWeight, "gradWeight", 4, gradBias, "gradBias", 5);
    THArgCheck(THTensor_(isSameSizeAs)(weight, gradWeight), 4,
               "gradWeight has size %s, weight has %s", THTensor_(sizeDesc)(gradWeight).str,
               THTensor_(sizeDesc)(weight).str);
  }
  THNN_(SparseWork)
  w = {.inputs = weight->size[1], .outputs = weight->size[0], .scale = (THNN_real)learningRate};

  THNN_(Call) call;
  THNN_LongCall longCall;
  THNN_(begin)(&call);
  THNN_LongbeginPart(&longCall, call.memory);
  const THNNSparse pass = gradWeight ? THNN_SPARSE_STEP : THNN_SPARSE_ZERO;
  THNN_(readSparse)(&w, &call, &longCall, lastInput, "lastInput", lastArg, legacy, INT64_MAX, pass);
  gradWeight = THNN_(source)(&call, gradWeight);
  gradBias = THNN_(source)(&call, gradBias);
  THTensor *changed = THNN_(sum)(&call, weight), *changedBias = THNN_(sum)(&call, bias);
  THNN_(start)(&call);
  w.dw = THTensor_(data)(changed);
  w.db = THTensor_(data)(changedBias);
  if (gradWeight) {
    w.w = THTensor_(data)(gradWeight);
    w.b = THTensor_(data)(gradBias);
  }
  THNN_(runSparse)(&w, pass);
  THNN_(sparseFinish)(&call, &longCall);
}

/* --- the functions, in both forms ------------------------------------------------------------ */

#define FORM(NAME, LEGACY_NAME) THNN_(SparseLinear_##NAME)
#define LEGACY                  0
#include "SparseLinearForm.h"
#define FORM(NAME, LEGACY_NAME) THNN_(SparseLinear_##LEGACY_NAME)
#define LEGACY                  1
#include "SparseLinearForm.h"

/* GRU and LSTM cells after their matrix products: biases, gates and states. */
#include "THNN/layer/Template.h"
#include "THKernel.h"
#include "FusedCellsLayers.h"

/* Raises unless the last dimension of tensor, argument arg, is whole times that of hx: 3 times for
 * a GRU's gates, for example. */
static void THNN_(cellCheck)(THTensor *tensor, const char *name, int arg, THTensor *hx,
                             const char *hxName, int64_t whole)
{
  THArgCheck(THTensor_(nElement)(tensor) == whole * THTensor_(nElement)(hx), arg,
             "%s has size %s, %s has %s: %lld times its elements are expected", name,
             THTensor_(sizeDesc)(tensor).str, hxName, THTensor_(sizeDesc)(hx).str,
             (long long)whole);
}

static void THNN_(cellBiasCheck)(THTensor *bias, const char *name, int arg, int64_t count)
{
  THArgCheck(!bias || THTensor_(nElement)(bias) == count, arg,
             "%s has size %s: %lld elements are expected", name,
             bias ? THTensor_(sizeDesc)(bias).str : "", (long long)count);
}

static THNN_(Cell) THNN_(cellOf)(THTensor *hx, const char *name, int arg, int gates)
{
  THArgCheck(hx->nDimension == 1 || hx->nDimension == 2, arg,
             "%s has size %s, and has to be hidden size or batch x hidden size", name,
             THTensor_(sizeDesc)(hx).str);
  THNN_(Cell) cell = {.n = hx->size[hx->nDimension - 1]};
  int64_t elements;
  THArgCheck(!__builtin_mul_overflow((int64_t)THTensor_(nElement)(hx), (int64_t)gates, &elements),
             arg, "%s has size %s, too many elements", name, THTensor_(sizeDesc)(hx).str);
  cell.rows = cell.n ? THTensor_(nElement)(hx) / cell.n : 0;
  return cell;
}

/* A result of like's size, but with a last dimension whole times as large.  size is kept until
 * start. */
static THTensor *THNN_(cellResult)(THNN_(Call) * call, THTensor *tensor, const THNN_(Cell) * cell,
                                   THTensor *like, int64_t whole, int64_t size[2])
{
  size[0] = cell->rows;
  size[1] = whole * cell->n;
  return THNN_(result)(call, tensor, like->nDimension, size + 2 - like->nDimension);
}

#ifndef TH_TEMPLATE_DEVICE /* a device has kernels */

TH_DISPATCH(THNN_(FusedCellKernels), THNN_(fusedCells))

/* Memory for what cellBiases writes, count elements; NULL where there is no bias. */
real *THNN_(cellBiasScratch)(THNN_(Call) * call, THTensor *bias1, THTensor *bias2, int64_t count)
{
  return bias1 || bias2 ? THNN_(scratch)(call, count) : NULL;
}

/* Writes the sum of both biases, either of which may be NULL.  Only the first
 * `joined` elements of bias2 are added; the others follow the sum. */
static void THNN_(cellBiases)(const THNN_(Cell) * cell, int64_t joined, int64_t count)
{
  const real *first = cell->bias1, *second = cell->bias2;
  real *to = cell->bias;
  if (!to)
    return;
  real *rest = to + count - joined;
  for (int64_t i = 0; i < count; i++) {
    const real own = first ? first[i] : 0, other = second ? second[i] : 0;
    to[i] = i < joined ? own + other : own;
    if (i >= joined)
      rest[i] = other;
  }
}

static void THNN_(cellRun)(const THNN_(Cell) * cell,
                           void (*rows)(void *context, ptrdiff_t begin, ptrdiff_t end))
{
  if (cell->rows > 0)
    THParallel_for(cell->rows, THMax(1, TH_LOOP_GRAIN / 16 / cell->n), rows, (void *)cell);
}

static void THNN_(gruRows)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Cell) *c = context;
  const ptrdiff_t n = c->n;
  for (ptrdiff_t i = begin; i < end; i++)
    TH_DISPATCHED(THNN_(fusedCells))
        ->gru(n, c->input + 3 * n * i, c->hidden + 3 * n * i, c->bias, c->h + n * i, c->y + n * i,
              c->keep + 5 * n * i);
}

static void THNN_(gruBackRows)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Cell) *c = context;
  const ptrdiff_t n = c->n;
  for (ptrdiff_t i = begin; i < end; i++)
    TH_DISPATCHED(THNN_(fusedCells))
        ->gruBackward(n, c->g + n * i, c->kept + 5 * n * i, c->dInput + 3 * n * i,
                      c->dHidden + 3 * n * i, c->dh + n * i);
}

static void THNN_(lstmRows)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Cell) *c = context;
  const ptrdiff_t n = c->n;
  for (ptrdiff_t i = begin; i < end; i++)
    TH_DISPATCHED(THNN_(fusedCells))
        ->lstm(n, c->gates + 4 * n * i, c->hidden + 4 * n * i, c->bias, c->c + n * i, c->y + n * i,
               c->newCell + n * i);
}

static void THNN_(lstmBackRows)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Cell) *c = context;
  const ptrdiff_t n = c->n;
  for (ptrdiff_t i = begin; i < end; i++)
    TH_DISPATCHED(THNN_(fusedCells))
        ->lstmBackward(n, c->kept + 4 * n * i, c->c + n * i, c->yc + n * i, c->g + n * i,
                       c->gc + n * i, c->dInput + 4 * n * i, c->dh + n * i);
}

void THNN_(gruCells)(const THNN_(Cell) * cell)
{
  THNN_(cellBiases)(cell, 2 * cell->n, 3 * cell->n);
  THNN_(cellRun)(cell, THNN_(gruRows));
}

void THNN_(gruCellsBackward)(const THNN_(Cell) * cell)
{
  THNN_(cellRun)(cell, THNN_(gruBackRows));
}

void THNN_(lstmCells)(const THNN_(Cell) * cell)
{
  THNN_(cellBiases)(cell, 4 * cell->n, 4 * cell->n);
  THNN_(cellRun)(cell, THNN_(lstmRows));
}

void THNN_(lstmCellsBackward)(const THNN_(Cell) * cell)
{
  THNN_(cellRun)(cell, THNN_(lstmBackRows));
}

#endif

static real *THNN_(dataOf)(THTensor *tensor)
{
  return tensor ? THTensor_(data)(tensor) : NULL;
}

/* --- GRU ------------------------------------------------------------------------------------- */

void THNN_(GRUFused_updateOutput)(THNNState *state, THTensor *input, THTensor *hidden,
                                  THTensor *bias1, THTensor *bias2, THTensor *hx, THTensor *output,
                                  THTensor *storage)
{
  THNN_ENTER(state, input, hidden, bias1, bias2, hx, output, storage);
  THNN_(Cell) cell = THNN_(cellOf)(hx, "hx", 6, 5);
  THNN_(cellCheck)(input, "input", 2, hx, "hx", 3);
  THNN_(cellCheck)(hidden, "hidden", 3, hx, "hx", 3);
  THNN_(cellBiasCheck)(bias1, "bias1", 4, 3 * cell.n);
  THNN_(cellBiasCheck)(bias2, "bias2", 5, 3 * cell.n);
  int64_t size[2];

  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  hidden = THNN_(source)(&call, hidden);
  bias1 = THNN_(source)(&call, bias1);
  bias2 = THNN_(source)(&call, bias2);
  THTensor *h = THNN_(source)(&call, hx);
  cell.bias = THNN_(cellBiasScratch)(&call, bias1, bias2, 4 * cell.n);
  output = THNN_(result)(&call, output, h->nDimension, h->size);
  storage = THNN_(cellResult)(&call, storage, &cell, h, 5, size);
  THNN_(start)(&call);
  cell.input = THTensor_(data)(input);
  cell.hidden = THTensor_(data)(hidden);
  cell.bias1 = THNN_(dataOf)(bias1);
  cell.bias2 = THNN_(dataOf)(bias2);
  cell.h = THTensor_(data)(h);
  cell.y = THTensor_(data)(output);
  cell.keep = THTensor_(data)(storage);
  THNN_(gruCells)(&cell);
  THNN_(finish)(&call);
}

void THNN_(GRUFused_updateGradInput)(THNNState *state, THTensor *gradInInput,
                                     THTensor *gradInHidden, THTensor *gradOutput,
                                     THTensor *gradInputHx, THTensor *storage)
{
  THNN_ENTER(state, gradInInput, gradInHidden, gradOutput, gradInputHx, storage);
  THNN_(Cell) cell = THNN_(cellOf)(gradOutput, "gradOutput", 4, 5);
  THNN_(cellCheck)(storage, "storage", 6, gradOutput, "gradOutput", 5);
  int64_t inputSize[2], hiddenSize[2];

  THNN_(Call) call;
  THNN_(begin)(&call);
  THTensor *g = THNN_(source)(&call, gradOutput);
  storage = THNN_(source)(&call, storage);
  gradInInput = THNN_(cellResult)(&call, gradInInput, &cell, g, 3, inputSize);
  gradInHidden = THNN_(cellResult)(&call, gradInHidden, &cell, g, 3, hiddenSize);
  gradInputHx = THNN_(result)(&call, gradInputHx, g->nDimension, g->size);
  THNN_(start)(&call);
  cell.g = THTensor_(data)(g);
  cell.kept = THTensor_(data)(storage);
  cell.dInput = THTensor_(data)(gradInInput);
  cell.dHidden = THTensor_(data)(gradInHidden);
  cell.dh = THTensor_(data)(gradInputHx);
  THNN_(gruCellsBackward)(&cell);
  THNN_(finish)(&call);
}

/* --- LSTM ------------------------------------------------------------------------------------ */

void THNN_(LSTMFused_updateOutput)(THNNState *state, THTensor *input, THTensor *hidden,
                                   THTensor *bias1, THTensor *bias2, THTensor *cell,
                                   THTensor *output, THTensor *outputCell)
{
  THNN_ENTER(state, input, hidden, bias1, bias2, cell, output, outputCell);
  THNN_(Cell) c = THNN_(cellOf)(cell, "cell", 6, 4);
  THNN_(cellCheck)(input, "input", 2, cell, "cell", 4);
  THNN_(cellCheck)(hidden, "hidden", 3, cell, "cell", 4);
  THNN_(cellBiasCheck)(bias1, "bias1", 4, 4 * c.n);
  THNN_(cellBiasCheck)(bias2, "bias2", 5, 4 * c.n);

  THNN_(Call) call;
  THNN_(begin)(&call);
  hidden = THNN_(source)(&call, hidden);
  bias1 = THNN_(source)(&call, bias1);
  bias2 = THNN_(source)(&call, bias2);
  THTensor *before = THNN_(source)(&call, cell);
  c.bias = THNN_(cellBiasScratch)(&call, bias1, bias2, 4 * c.n);
  input = THNN_(sum)(&call, input);
  output = THNN_(result)(&call, output, before->nDimension, before->size);
  outputCell = THNN_(result)(&call, outputCell, before->nDimension, before->size);
  THNN_(start)(&call);
  c.gates = THTensor_(data)(input);
  c.hidden = THTensor_(data)(hidden);
  c.bias1 = THNN_(dataOf)(bias1);
  c.bias2 = THNN_(dataOf)(bias2);
  c.c = THTensor_(data)(before);
  c.y = THTensor_(data)(output);
  c.newCell = THTensor_(data)(outputCell);
  THNN_(lstmCells)(&c);
  THNN_(finish)(&call);
}

void THNN_(LSTMFused_updateGradInput)(THNNState *state, THTensor *storage, THTensor *gradInGates,
                                      THTensor *cx, THTensor *cy, THTensor *gradOutput,
                                      THTensor *gradOutputCell, THTensor *gradInputCx)
{
  THNN_ENTER(state, storage, gradInGates, cx, cy, gradOutput, gradOutputCell, gradInputCx);
  THNN_(Cell) c = THNN_(cellOf)(cx, "cx", 4, 4);
  THNN_(cellCheck)(storage, "storage", 2, cx, "cx", 4);
  THNN_(cellCheck)(cy, "cy", 5, cx, "cx", 1);
  THNN_(cellCheck)(gradOutput, "gradOutput", 6, cx, "cx", 1);
  THNN_(cellCheck)(gradOutputCell, "gradOutputCell", 7, cx, "cx", 1);
  int64_t size[2];

  THNN_(Call) call;
  THNN_(begin)(&call);
  storage = THNN_(source)(&call, storage);
  cx = THNN_(source)(&call, cx);
  cy = THNN_(source)(&call, cy);
  gradOutput = THNN_(source)(&call, gradOutput);
  gradOutputCell = THNN_(source)(&call, gradOutputCell);
  gradInGates = THNN_(cellResult)(&call, gradInGates, &c, cx, 4, size);
  gradInputCx = THNN_(result)(&call, gradInputCx, cx->nDimension, cx->size);
  THNN_(start)(&call);
  c.kept = THTensor_(data)(storage);
  c.c = THTensor_(data)(cx);
  c.yc = THTensor_(data)(cy);
  c.g = THTensor_(data)(gradOutput);
  c.gc = THTensor_(data)(gradOutputCell);
  c.dInput = THTensor_(data)(gradInGates);
  c.dh = THTensor_(data)(gradInputCx);
  THNN_(lstmCellsBackward)(&c);
  THNN_(finish)(&call);
}

/* SpatialConvolutionMap and SpatialFullConvolutionMap: connTable lists pairs (input plane, output plane),
 * each with a filter of its own.  They are computed like the algorithm direct, with a plan by ConvPlan.h; the
 * terms of a plane of the result come from its connections. */
#include "THNN/layer/Template.h"
#include "THKernel.h"

typedef struct {
  THNNConvolution c; /* the convolution of one plane of x with one filter, for the whole batch */
  int transposed;    /* SpatialFullConvolutionMap */
  int64_t inputs;    /* planes of input; some may be in no connection */
  int64_t outputs;   /* planes of output */
  ptrdiff_t connections; /* rows of connTable */
  int64_t inputSize[4], outputSize[4];
} THNN_(Map);

/* The plane in table[row][column], counted from 0.  Raises unless there are more planes (count). */
static int64_t THNN_(connected)(THTensor *table, ptrdiff_t row, int column, int64_t count)
{
  const real number = THTensor_(get2d)(table, row, column);
  if (!(number >= TH_INDEX_BASE && number < (real)(count + TH_INDEX_BASE)))
    THError("connTable connects plane %g, and there are %lld of them", (double)number,
            (long long)count);
  return (int64_t)number - TH_INDEX_BASE;
}

/* Checks the operands of a layer, and returns whether input is a batch. */
static int THNN_(checkMap)(const THTensor *input, const THTensor *weight, THTensor *bias,
                           const THTensor *table, int inputs, int outputs, int argument)
{
  const int batched = input->nDimension == 4;
  THArgCheck(batched || input->nDimension == 3, 2,
             "input has size %s, and has to be planes x height x width, or a batch of that",
             THTensor_(sizeDesc)(input).str);
  THArgCheck(inputs > 0 && outputs > 0 && input->size[batched] >= inputs, 2,
             "input has size %s, and has to have %d planes at least, for %d of output",
             THTensor_(sizeDesc)(input).str, inputs, outputs);
  THArgCheck(weight && weight->nDimension == 3, argument,
             "weight has size %s, and has to be connections x height x width",
             weight ? THTensor_(sizeDesc)(weight).str : "[]");
  if (table->nDimension != 2 || table->size[0] != weight->size[0] || table->size[1] < 2)
    THError("connTable has size %s, for weight of %s it has to be %lld x 2",
            THTensor_(sizeDesc)(table).str, THTensor_(sizeDesc)(weight).str,
            (long long)weight->size[0]);
  if (bias && THTensor_(nElement)(bias) != outputs)
    THError("bias has size %s, for %d planes of output", THTensor_(sizeDesc)(bias).str, outputs);
  return batched;
}

static THNN_(Map) THNN_(mapOf)(THTensor *input, THTensor *gradOutput, THTensor *weight,
                               THTensor *bias, THTensor *table, int inputs, int outputs, int dW,
                               int dH, int transposed, int argument)
{
  const int dims = input->nDimension;
  const int batched = THNN_(checkMap)(input, weight, bias, table, inputs, outputs, argument);
  THNNLayer layer = THNNLayer_spatial(1, 1, dW, dH, 0, 0, 1, 1);
  layer.transposed = transposed;
  layer.at[1].size = weight->size[1];
  layer.at[2].size = weight->size[2];
  THNNLayer_count(&layer, input->size + batched + 1, THTensor_(sizeDesc)(input).str);

  THNN_(Map)
  m = {.c = {.batch = batched ? input->size[0] : 1,
             .groups = 1,
             .planes = 1,
             .outputs = 1,
             .dims = dims},
       .transposed = transposed,
       .inputs = input->size[batched],
       .outputs = outputs,
       .connections = weight->size[0]};
  memcpy(m.inputSize, input->size, (size_t)dims * sizeof *m.inputSize);
  m.outputSize[0] = m.c.batch;
  m.outputSize[batched] = outputs;
  for (int d = 0; d < 3; d++) {
    m.c.at[d] = layer.at[d];
    if (transposed) {
      m.c.at[d].input = layer.at[d].output;
      m.c.at[d].output = layer.at[d].input;
    }
    if (d > 0)
      m.outputSize[batched + d] = layer.at[d].output;
  }
  THNNConvolution_complete(&m.c);
  /* Raises if the elements of all planes of an image, with or without padding, are too many to count. */
  THNNConvolution all = m.c;
  all.planes = transposed ? m.outputs : m.inputs;
  all.outputs = transposed ? m.inputs : m.outputs;
  THNNConvolution_complete(&all);
  if (gradOutput &&
      !THSize_isSameSizeAs(gradOutput->size, gradOutput->nDimension, m.outputSize, dims))
    THError("gradOutput has size %s, for input of %s it has to be %s",
            THTensor_(sizeDesc)(gradOutput).str, THTensor_(sizeDesc)(input).str,
            _THSizeDesc(m.outputSize, dims).str);
  for (ptrdiff_t row = 0; row < m.connections; row++) {
    THNN_(connected)(table, row, 0, inputs);
    THNN_(connected)(table, row, 1, outputs);
  }
  return m;
}

/* --- forward and backward data ---------------------------------------------------------------- */

typedef struct {
  const THNN_(Map) * m;
  THNNConvPlan plan;
  int64_t sources, results; /* planes of the source and of the result */
  ptrdiff_t source, result; /* elements of a plane of the source and of the result */
  ptrdiff_t *first;         /* [part][plane of the result]: its first term; one more for the end */
  ptrdiff_t *offset;        /* offsets of the terms in the flat image */
  real *weights;            /* weights of the terms */
  const real *from, *bias;
  real *to;
  real *flat; /* a flat image for each thread */
  int threads;
} THNN_(MapWork);

/* Lists the terms of each part and plane of the result, in the order of the table. */
static void THNN_(connect)(THNN_(MapWork) * w, THTensor *table, const real *weight,
                           int resultColumn)
{
  const THNNConvPlan *p = &w->plan;
  ptrdiff_t begin = 0, *first = w->first;
  for (ptrdiff_t k = 0; k < p->parts; k++, first += w->results + 1) {
    const THNNPart *part = &p->part[k];
    /* A counting sort: counts the terms of each plane, adds the counts up to first indices, and then
     * appends the terms of each connection at its plane's index. */
    memset(first, 0, (size_t)(w->results + 1) * sizeof *first);
    for (ptrdiff_t row = 0; row < w->m->connections; row++)
      first[THNN_(connected)(table, row, resultColumn, w->results) + 1] += part->taps;
    first[0] = begin;
    for (int64_t r = 0; r < w->results; r++)
      first[r + 1] += first[r];
    const ptrdiff_t end = first[w->results];
    for (ptrdiff_t row = 0; row < w->m->connections; row++) {
      const int64_t r = THNN_(connected)(table, row, resultColumn, w->results);
      const int64_t s = THNN_(connected)(table, row, !resultColumn, w->sources);
      for (ptrdiff_t t = 0; t < part->taps; t++, first[r]++) {
        w->offset[first[r]] = s * p->plane + part->d.offset[t];
        w->weights[first[r]] = weight[row * w->m->c.taps + part->tap[t]];
      }
    }
    /* Now each index is where the next plane begins. */
    memmove(first + 1, first, (size_t)w->results * sizeof *first);
    first[0] = begin;
    begin = end;
  }
}

static void THNN_(mapImages)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(MapWork) *w = context;
  const THNNConvPlan *p = &w->plan;
  const ptrdiff_t size = w->sources * p->plane + THNN_DIRECT_SLACK;
  real *flat = THNN_(ofThread)(w->flat, size, w->threads);
  for (ptrdiff_t i = begin; i < end; i++) {
    THNN_(copyPadded)(p->layout, w->from + i * w->sources * w->source, w->sources, w->source, flat,
                      p->plane);
    for (int64_t r = 0; r < w->results; r++) {
      real *to = w->to + (i * w->results + r) * w->result;
      for (ptrdiff_t k = 0; k < w->result && p->hasGaps; k++)
        to[k] = w->bias ? w->bias[r] : 0;
      for (ptrdiff_t k = 0; k < p->parts; k++) {
        const ptrdiff_t *first = w->first + k * (w->results + 1) + r;
        THNNDirect d = p->part[k].d;
        d.terms = first[1] - first[0];
        d.offset = w->offset + first[0];
        TH_DISPATCHED(THNN_(direct))
            ->convolve(&d, flat, w->weights + first[0], w->bias ? w->bias + r : NULL,
                       to + p->part[k].start);
      }
    }
  }
}

/* Computes y from x, or with `backward` x from y. */
static void THNN_(mapRun)(const THNN_(Map) * m, int backward, THTensor *from, THTensor *weight,
                          THTensor *bias, THTensor *table, THTensor *to, const int64_t *size)
{
  THNN_(Call) call;
  THNN_(begin)(&call);
  from = THNN_(source)(&call, from);
  weight = THNN_(source)(&call, weight);
  bias = THNN_(source)(&call, bias);
  to = THNN_(result)(&call, to, m->c.dims, size);
  const int toOutput = backward == m->transposed;
  THNN_(MapWork)
  w = {.m = m,
       .sources = toOutput ? m->inputs : m->outputs,
       .results = toOutput ? m->outputs : m->inputs,
       .source = backward ? m->c.positions : m->c.image,
       .result = backward ? m->c.image : m->c.positions,
       .threads = THParallel_threads(m->c.batch, 1)};
  w.plan = THNNConvPlan_of(&m->c, backward, THNN_PLAN_WHOLE,
                           THNN_(scratchBytes)(&call, THNNConvPlan_memory(&m->c, backward,
                                                                          THNN_PLAN_WHOLE)));
  const ptrdiff_t terms = m->connections * m->c.taps;
  w.first = THNN_(scratchBytes)(&call,
                                (size_t)(w.plan.parts * (w.results + 1) + terms) * sizeof *w.first);
  w.offset = w.first + w.plan.parts * (w.results + 1);
  w.weights = THNN_(scratch)(&call, terms);
  w.flat = THNN_(scratch)(&call, w.threads * (w.sources * w.plan.plane + THNN_DIRECT_SLACK));
  THNN_(start)(&call);
  THNN_(connect)(&w, table, THTensor_(data)(weight), toOutput);
  w.from = THTensor_(data)(from);
  w.bias = bias ? THTensor_(data)(bias) : NULL;
  w.to = THTensor_(data)(to);
  THParallel_for(m->c.batch, 1, THNN_(mapImages), &w);
  THNN_(finish)(&call);
}

/* --- weights --------------------------------------------------------------------------------- */

typedef struct {
  const THNN_(Map) * m;
  THNNConvPlan plan;
  THNNWindow layoutY[3];
  ptrdiff_t planeY;        /* elements of a flat plane of y */
  int64_t planes, outputs; /* planes of x and of y */
  int64_t *at;             /* at[2 * row], at[2 * row + 1]: planes of x and y of a connection */
  const real *x, *y;
  const real *mask;     /* THNN_(setMask) */
  real *sums;           /* sums of the weights for each set of images */
  real *flat;           /* flat images of x and y for each thread */
  ptrdiff_t sets, size; /* sets of images; elements of flat for a thread */
  int threads;
} THNN_(MapSums);

static void THNN_(mapSets)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(MapSums) *w = context;
  const THNNConvolution *c = &w->m->c;
  const THNNConvPlan *p = &w->plan;
  const ptrdiff_t count = w->m->connections * c->taps;
  real *x = THNN_(ofThread)(w->flat, w->size, w->threads);
  real *y = x + w->planes * p->plane + THNN_DIRECT_SLACK;
  for (ptrdiff_t set = begin; set < end; set++) {
    real *sums = w->sums + set * count;
    memset(sums, 0, (size_t)count * sizeof *sums);
    for (ptrdiff_t i = set * c->batch / w->sets; i < (set + 1) * c->batch / w->sets; i++) {
      THNN_(copyPadded)(p->layout, w->x + i * w->planes * c->image, w->planes, c->image, x,
                        p->plane);
      THNN_(copyPadded)(w->layoutY, w->y + i * w->outputs * c->positions, w->outputs, c->positions,
                        y, w->planeY);
      for (ptrdiff_t row = 0; row < w->m->connections; row++)
        TH_DISPATCHED(THNN_(direct))
            ->correlate(&p->part->d, 1, x + w->at[2 * row] * p->plane, 0,
                        y + w->at[2 * row + 1] * w->planeY, w->planeY, 0, w->mask,
                        sums + row * c->taps);
    }
  }
}

static void THNN_(mapWeights)(const THNN_(Map) * m, THTensor *input, THTensor *gradOutput,
                              THTensor *gradWeight, THTensor *gradBias, THTensor *table,
                              accreal scale)
{
  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  gradOutput = THNN_(source)(&call, gradOutput);
  gradWeight = THNN_(sum)(&call, gradWeight);
  gradBias = THNN_(sum)(&call, gradBias);
  THNN_(MapSums)
  w = {.m = m,
       .planes = m->transposed ? m->outputs : m->inputs,
       .outputs = m->transposed ? m->inputs : m->outputs,
       .sets = THMin(m->c.batch, THNN_IMAGE_SETS)};
  w.threads = THParallel_threads(w.sets, 1);
  w.plan =
      THNNConvPlan_of(&m->c, 0, THNN_PLAN_WHOLE,
                      THNN_(scratchBytes)(&call, THNNConvPlan_memory(&m->c, 0, THNN_PLAN_WHOLE)));
  w.planeY = THNNConvPlan_other(&m->c, &w.plan, w.layoutY);
  w.at = THNN_(scratchBytes)(&call, 2 * (size_t)m->connections * sizeof *w.at);
  real *mask = THNN_(scratch)(&call, w.planeY);
  w.sums = THNN_(scratch)(&call, w.sets * m->connections * m->c.taps);
  w.size = w.planes * w.plan.plane + w.outputs * w.planeY + 2 * THNN_DIRECT_SLACK;
  w.flat = THNN_(scratch)(&call, w.threads * w.size);
  THNN_(start)(&call);

  for (ptrdiff_t row = 0; row < m->connections; row++) {
    w.at[2 * row] = THNN_(connected)(table, row, m->transposed, w.planes);
    w.at[2 * row + 1] = THNN_(connected)(table, row, !m->transposed, w.outputs);
  }
  w.x = THTensor_(data)(m->transposed ? gradOutput : input);
  w.y = THTensor_(data)(m->transposed ? input : gradOutput);
  THNN_(setMask)(&m->c, &w.plan, w.planeY, mask);
  w.mask = mask;
  THParallel_for(w.sets, 1, THNN_(mapSets), &w);
  THNN_(addSets)(w.sums, w.sets, m->connections * m->c.taps, THTensor_(data)(gradWeight), scale);
  if (gradBias)
    THNN_(addPlaneSums)(THTensor_(data)(gradOutput), m->c.batch, m->outputs,
                        m->transposed ? m->c.image : m->c.positions, scale,
                        THTensor_(data)(gradBias));
  THNN_(finish)(&call);
}

/* --- the layers ------------------------------------------------------------------------------ */

void THNN_(SpatialConvolutionMap_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                               THTensor *weight, THTensor *bias,
                                               THTensor *connTable, int nInputPlane,
                                               int nOutputPlane, int dW, int dH)
{
  const THNN_(Map) m =
      THNN_(mapOf)(input, NULL, weight, bias, connTable, nInputPlane, nOutputPlane, dW, dH, 0, 4);
  THNN_(mapRun)(&m, 0, input, weight, bias, connTable, output, m.outputSize);
}

void THNN_(SpatialConvolutionMap_updateGradInput)(THNNState *state, THTensor *input,
                                                  THTensor *gradOutput, THTensor *gradInput,
                                                  THTensor *weight, THTensor *bias,
                                                  THTensor *connTable, int nInputPlane,
                                                  int nOutputPlane, int dW, int dH)
{
  const THNN_(Map) m = THNN_(mapOf)(input, gradOutput, weight, NULL, connTable, nInputPlane,
                                    nOutputPlane, dW, dH, 0, 5);
  THNN_(mapRun)(&m, 1, gradOutput, weight, NULL, connTable, gradInput, m.inputSize);
}

void THNN_(SpatialConvolutionMap_accGradParameters)(THNNState *state, THTensor *input,
                                                    THTensor *gradOutput, THTensor *gradWeight,
                                                    THTensor *gradBias, THTensor *connTable,
                                                    int nInputPlane, int nOutputPlane, int dW,
                                                    int dH, accreal scale)
{
  const THNN_(Map) m = THNN_(mapOf)(input, gradOutput, gradWeight, gradBias, connTable, nInputPlane,
                                    nOutputPlane, dW, dH, 0, 4);
  THNN_(mapWeights)(&m, input, gradOutput, gradWeight, gradBias, connTable, scale);
}

void THNN_(SpatialFullConvolutionMap_updateOutput)(THNNState *state, THTensor *input,
                                                   THTensor *output, THTensor *weight,
                                                   THTensor *bias, THTensor *connTable,
                                                   int nInputPlane, int nOutputPlane, int dW,
                                                   int dH)
{
  const THNN_(Map) m =
      THNN_(mapOf)(input, NULL, weight, bias, connTable, nInputPlane, nOutputPlane, dW, dH, 1, 4);
  THNN_(mapRun)(&m, 1, input, weight, bias, connTable, output, m.outputSize);
}

void THNN_(SpatialFullConvolutionMap_updateGradInput)(THNNState *state, THTensor *input,
                                                      THTensor *gradOutput, THTensor *gradInput,
                                                      THTensor *weight, THTensor *bias,
                                                      THTensor *connTable, int nInputPlane,
                                                      int nOutputPlane, int dW, int dH)
{
  const THNN_(Map) m = THNN_(mapOf)(input, gradOutput, weight, NULL, connTable, nInputPlane,
                                    nOutputPlane, dW, dH, 1, 5);
  THNN_(mapRun)(&m, 0, gradOutput, weight, NULL, connTable, gradInput, m.inputSize);
}

void THNN_(SpatialFullConvolutionMap_accGradParameters)(THNNState *state, THTensor *input,
                                                        THTensor *gradOutput, THTensor *gradWeight,
                                                        THTensor *gradBias, THTensor *connTable,
                                                        int nInputPlane, int nOutputPlane, int dW,
                                                        int dH, accreal scale)
{
  const THNN_(Map) m = THNN_(mapOf)(input, gradOutput, gradWeight, gradBias, connTable, nInputPlane,
                                    nOutputPlane, dW, dH, 1, 4);
  THNN_(mapWeights)(&m, input, gradOutput, gradWeight, gradBias, connTable, scale);
}

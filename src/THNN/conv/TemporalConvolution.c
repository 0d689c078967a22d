/* Convolution of sequences whose frames are rows.
 *
 * A window is kW consecutive frames in memory.  Windows are the rows of a matrix, and share elements
 * where they overlap.  The products of this matrix are computed by the kernels of implicit_gemm
 * (ImplicitGemm.h), with outputs in the lanes, or for the gradient of the input with the elements of a
 * frame in the lanes.  If these are few, or there is little to compute, BLAS computes the products.
 * BLAS needs rows that do not overlap.  To avoid im2col, it computes several smaller products: for long
 * frames, one for each of the kW frames of all windows; for short frames, one for each set of windows
 * that are `interval` apart, because these do not overlap. */
#include "THNN/layer/Template.h"
#include "THKernel.h"

enum { LONG_FRAME = 32 };
static THNN_(Sequence) THNN_(sequenceOf)(THTensor *input, THTensor *gradOutput, THTensor *weight,
                                         THTensor *bias, int kW, int dW)
{
  const int dims = input->nDimension;
  THArgCheck(dims == 2 || dims == 3, 2,
             "input has size %s, and has to be frames x features, or a batch of that",
             THTensor_(sizeDesc)(input).str);
  THNN_(Sequence)
  s = {.dims = dims,
       .batch = dims == 3 ? input->size[0] : 1,
       .frame = input->size[dims - 1],
       .w = {.input = input->size[dims - 2], .size = kW, .step = dW, .dilation = 1}};
  THNNWindow_check(&s.w, "W");
  THNNWindow_count(&s.w, 0);
  if (s.w.output < 1)
    THError("input of size %s is shorter than windows of %d frames", THTensor_(sizeDesc)(input).str,
            kW);
  if (__builtin_mul_overflow(s.frame, kW, &s.terms))
    THError("windows of %d frames in input of size %s are too large", kW,
            THTensor_(sizeDesc)(input).str);
  if (weight && (weight->nDimension != 2 || weight->size[1] != s.terms))
    THError("weight has size %s, which does not fit input of size %s and windows of %d frames",
            THTensor_(sizeDesc)(weight).str, THTensor_(sizeDesc)(input).str, kW);
  s.outputs = weight ? weight->size[0] : gradOutput->size[gradOutput->nDimension - 1];
  if (bias && THTensor_(nElement)(bias) != s.outputs)
    THError("bias has size %s, which does not fit %lld outputs", THTensor_(sizeDesc)(bias).str,
            (long long)s.outputs);
  s.size[0] = s.batch;
  s.size[dims - 2] = s.w.output;
  s.size[dims - 1] = s.outputs;
  if (gradOutput && !THSize_isSameSizeAs(gradOutput->size, gradOutput->nDimension, s.size, dims))
    THError("gradOutput has size %s, for input of %s it has to be %s",
            THTensor_(sizeDesc)(gradOutput).str, THTensor_(sizeDesc)(input).str,
            _THSizeDesc(s.size, dims).str);
  int64_t reach; /* BLAS's leading dimension: a stride between windows that do not overlap */
  if (__builtin_mul_overflow(s.batch * s.w.output, s.outputs, &reach) ||
      __builtin_mul_overflow((int64_t)kW + dW, s.frame, &reach))
    THError("a convolution of input of size %s is too large", THTensor_(sizeDesc)(input).str);
  s.interval = THMin((kW + dW - 1) / dW, s.w.output);
  s.byFrame = s.interval > 1 && s.frame >= LONG_FRAME;
  s.products = s.byFrame ? kW : s.interval;
  s.chunk = THMax((s.outputs + 7) / 8, THMin(s.outputs, 16));
  return s;
}

#ifndef TH_TEMPLATE_DEVICE /* THCUNN has its own passes */

/* The sizes of blocks that are computed together, at most. */
enum {
  COLUMNS = THNN_IMPLICIT_COLUMNS, /* columns of the left matrix */
  ROWS = 256,                      /* windows */
  TERMS = 512                      /* terms */
};

/* --- with outputs or the elements of a frame in the lanes ----------------------------------- */

/* The buffers in the memory of a thread. */
typedef struct {
  real *sums, *m, *start;
  ptrdiff_t *row, *column; /* offsets of rows and columns of the left matrix */
} THNN_(ThreadMemory);

static ptrdiff_t THNN_(threadMemorySize)(const THNN_(Sequence) * s)
{
  const ptrdiff_t lists = THMin(s->rows, TERMS) + COLUMNS;
  const ptrdiff_t size =
      (s->rows + COLUMNS + 1) * s->width + lists * (ptrdiff_t)(sizeof(ptrdiff_t) / sizeof(real));
  return (size + 15) / 16 * 16;
}

static THNN_(ThreadMemory) THNN_(threadMemory)(const THNN_(Sequence) * s)
{
  THNN_(ThreadMemory) d;
  d.sums = THNN_(ofThread)(s->memory, THNN_(threadMemorySize)(s), s->threads);
  d.m = d.sums + s->rows * s->width;
  d.start = d.m + COLUMNS * s->width;
  d.column = (ptrdiff_t *)(d.start + s->width);
  d.row = d.column + COLUMNS;
  return d;
}

/* Sets up products with outputs in the lanes, and sums of rows.  Returns 0 if BLAS is faster, or if
 * the memory would exceed that of an unfolded sequence. */
static int THNN_(isImplicitSequence)(THNN_(Sequence) * s, int64_t outputs, int64_t rows)
{
  enum { MIN_WINDOWS = 32 };
  if (2 * outputs < TH_DISPATCHED(THNN_(implicit))->lanes || s->batch * s->w.output < MIN_WINDOWS)
    return 0;
  s->rows = rows;
  s->width = THNN_(widthOf)(outputs);
  s->blocks = (outputs + s->width - 1) / s->width;
  return THNN_(threadMemorySize)(s) <= s->terms * s->w.output;
}

static void THNN_(needMemory)(THNN_(Sequence) * s, THNN_(Call) * call, ptrdiff_t items)
{
  s->threads = THParallel_threads(items, 1);
  s->memory = THNN_(scratch)(call, s->threads * THNN_(threadMemorySize)(s));
}

/* Lists the offsets of windows, which are counted over all sequences. */
static void THNN_(listWindows)(const THNN_(Sequence) * s, int64_t first, ptrdiff_t count,
                               ptrdiff_t *list)
{
  for (ptrdiff_t i = 0; i < count; i++) {
    const int64_t sequence = (first + i) / s->w.output, t = (first + i) % s->w.output;
    list[i] = (sequence * s->w.input + t * s->w.step) * s->frame;
  }
}

static void THNN_(listEach)(ptrdiff_t count, ptrdiff_t stride, ptrdiff_t *list)
{
  for (ptrdiff_t i = 0; i < count; i++)
    list[i] = i * stride;
}

/* Computes the outputs of some blocks of windows, which are counted over all sequences. */
static void THNN_(windowBlocks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Sequence) *s = context;
  const THNN_(ThreadMemory) d = THNN_(threadMemory)(s);
  THNN_(listEach)(COLUMNS, 1, d.column);
  for (ptrdiff_t i = begin; i < end; i++) {
    const int64_t first = i * s->rows;
    const ptrdiff_t rows = THMin(s->rows, s->batch * s->w.output - first);
    THNN_(listWindows)(s, first, rows, d.row);
    for (int64_t o = 0; o < s->outputs; o += s->width) {
      const ptrdiff_t count = THMin(s->width, s->outputs - o), vectors = THNN_(vectorsOf)(count);
      const ptrdiff_t width = vectors * TH_DISPATCHED(THNN_(implicit))->lanes;
      for (ptrdiff_t k = 0; k < width; k++)
        d.start[k] = s->bias && k < count ? s->bias[o + k] : 0;
      for (int64_t term = 0; term < s->terms; term += COLUMNS) {
        const ptrdiff_t terms = THMin(COLUMNS, s->terms - term);
        THNN_(packOutputs)(count, terms, s->weight + o * s->terms + term, s->terms, d.m);
        TH_DISPATCHED(THNN_(implicit))
            ->multiply(rows, d.row, terms, d.column, s->x + term, 1, d.m, vectors,
                       term == 0 ? d.start : NULL, d.sums, width);
      }
      for (ptrdiff_t k = 0; k < rows; k++)
        memcpy(s->y + (first + k) * s->outputs + o, d.sums + k * width,
               (size_t)count * sizeof(real));
    }
  }
}

/* The number of frames of one phase.  The sums of a sequence are ordered by phase: first frames 0, step,
 * 2 step, ..., then frames 1, 1 + step, ...; so one tap of successive windows is adjacent. */
static int64_t THNN_(framesOfPhase)(const THNN_(Sequence) * s)
{
  return (s->w.input + s->w.step - 1) / s->w.step;
}

/* Computes the gradient of the input, for blocks of the elements of each frame of a sequence. */
static void THNN_(frameBlocks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Sequence) *s = context;
  const THNN_(ThreadMemory) d = THNN_(threadMemory)(s);
  const int64_t phase = THNN_(framesOfPhase)(s);
  THNN_(listEach)(COLUMNS, 1, d.column);
  THNN_(listEach)(THMin(s->rows, TERMS), s->outputs, d.row);
  for (ptrdiff_t i = begin; i < end; i++) {
    const int64_t sequence = i / s->blocks, first = i % s->blocks * s->width;
    const ptrdiff_t count = THMin(s->width, s->frame - first), vectors = THNN_(vectorsOf)(count);
    const ptrdiff_t width = vectors * TH_DISPATCHED(THNN_(implicit))->lanes;
    const real *y = s->y + sequence * s->w.output * s->outputs;
    memset(d.sums, 0, (size_t)(s->rows * width) * sizeof(real));
    for (int64_t k = 0; k < s->w.size; k++) {
      real *sums = d.sums + (k % s->w.step * phase + k / s->w.step) * width;
      for (int64_t o = 0; o < s->outputs; o += COLUMNS) {
        const ptrdiff_t outputs = THMin(COLUMNS, s->outputs - o);
        THNN_(copyParts)(outputs, s->weight + o * s->terms + k * s->frame + first, s->terms, count,
                         d.m);
        for (int64_t t = 0; t < s->w.output; t += TERMS)
          TH_DISPATCHED(THNN_(implicit))
              ->multiply(THMin(TERMS, s->w.output - t), d.row, outputs, d.column,
                         y + t * s->outputs + o, 1, d.m, vectors, NULL, sums + t * width, width);
      }
    }
    real *x = s->x + sequence * s->w.input * s->frame + first;
    for (int64_t f = 0; f < s->w.input; f++, x += s->frame)
      memcpy(x, d.sums + (f % s->w.step * phase + f / s->w.step) * width,
             (size_t)count * sizeof(real));
  }
}

/* Computes the gradient of the weight by blocks: some terms for a block of outputs, summed over all windows in
 * order. */
static void THNN_(termBlocks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Sequence) *s = context;
  const THNN_(ThreadMemory) d = THNN_(threadMemory)(s);
  const int64_t windows = s->batch * s->w.output;
  THNN_(listEach)(s->rows, 1, d.row);
  for (ptrdiff_t i = begin; i < end; i++) {
    const int64_t term = i / s->blocks * s->rows, first = i % s->blocks * s->width;
    const ptrdiff_t terms = THMin(s->rows, s->terms - term);
    const ptrdiff_t count = THMin(s->width, s->outputs - first), vectors = THNN_(vectorsOf)(count);
    const ptrdiff_t width = vectors * TH_DISPATCHED(THNN_(implicit))->lanes;
    memset(d.sums, 0, (size_t)(terms * width) * sizeof(real));
    for (int64_t window = 0; window < windows; window += COLUMNS) {
      const ptrdiff_t columns = THMin(COLUMNS, windows - window);
      THNN_(listWindows)(s, window, columns, d.column);
      THNN_(copyParts)(columns, s->y + window * s->outputs + first, s->outputs, count, d.m);
      TH_DISPATCHED(THNN_(implicit))
          ->multiply(terms, d.row, columns, d.column, s->x + term, 1, d.m, vectors, NULL, d.sums,
                     width);
    }
    for (ptrdiff_t o = 0; o < count; o++) {
      real *weights = s->weight + (first + o) * s->terms + term;
      for (ptrdiff_t l = 0; l < terms; l++)
        weights[l] = (real)(weights[l] + s->scale * (accreal)d.sums[l * width + o]);
    }
  }
}

/* --- as products of matrices whose rows do not overlap --------------------------------------- */

/* One product of BLAS, with `rows` rows of x, of `terms` elements each, and as many rows of y.  x and y are
 * the offsets of the first rows, nextX and nextY the strides of rows, within the offset of the terms in
 * a window.  With one row, the stride is unused, but must be large enough for BLAS. */
typedef struct {
  ptrdiff_t rows, terms, x, nextX, y, nextY, within;
} THNN_(Product);

static THNN_(Product) THNN_(product)(const THNN_(Sequence) * s, int64_t i)
{
  const int64_t step = s->w.step * s->frame;
  if (s->byFrame)
    return (THNN_(Product)){.rows = s->w.output,
                            .terms = s->frame,
                            .x = i * s->frame,
                            .nextX = step,
                            .nextY = s->outputs,
                            .within = i * s->frame};
  return (THNN_(Product)){.rows = (s->w.output - i + s->interval - 1) / s->interval,
                          .terms = s->terms,
                          .x = i * step,
                          .nextX = THMax(s->interval * step, s->terms),
                          .y = i * s->outputs,
                          .nextY = s->interval * s->outputs};
}

static void THNN_(sequences)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Sequence) *s = context;
  for (ptrdiff_t i = begin; i < end; i++) {
    real *x = s->x + i * s->w.input * s->frame, *y = s->y + i * s->w.output * s->outputs;
    for (ptrdiff_t t = 0; t < s->w.output; t++)
      for (ptrdiff_t o = 0; o < s->outputs; o++)
        y[t * s->outputs + o] = s->bias ? s->bias[o] : 0;
    for (int64_t k = 0; k < s->products; k++) {
      const THNN_(Product) p = THNN_(product)(s, k);
      THBlas_(gemm)('t', 'n', s->outputs, p.rows, p.terms, 1, s->weight + p.within, s->terms,
                    x + p.x, p.nextX, 1, y + p.y, p.nextY);
    }
  }
}

static void THNN_(sequencesBackward)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Sequence) *s = context;
  for (ptrdiff_t i = begin; i < end; i++) {
    real *x = s->x + i * s->w.input * s->frame, *y = s->y + i * s->w.output * s->outputs;
    memset(x, 0, (size_t)(s->w.input * s->frame) * sizeof *x);
    for (int64_t k = 0; k < s->products; k++) {
      const THNN_(Product) p = THNN_(product)(s, k);
      THBlas_(gemm)('n', 'n', p.terms, p.rows, s->outputs, 1, s->weight + p.within, s->terms,
                    y + p.y, p.nextY, 1, x + p.x, p.nextX);
    }
  }
}

/* Computes the gradient of the weight by BLAS, for chunks of outputs: the order of additions does not depend on
 * the number of threads. */
static void THNN_(sequenceChunks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Sequence) *s = context;
  for (ptrdiff_t c = begin; c < end; c++) {
    const ptrdiff_t from = c * s->chunk, count = THMin(s->chunk, s->outputs - from);
    for (int64_t i = 0; i < s->batch; i++)
      for (int64_t k = 0; k < s->products; k++) {
        const THNN_(Product) p = THNN_(product)(s, k);
        THBlas_(gemm)('n', 't', p.terms, count, p.rows, (real)s->scale,
                      s->x + i * s->w.input * s->frame + p.x, p.nextX,
                      s->y + i * s->w.output * s->outputs + from + p.y, p.nextY, 1,
                      s->weight + from * s->terms + p.within, s->terms);
      }
  }
}

static void THNN_(sequenceBias)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Sequence) *s = context;
  enum { UNROLL = 16 }; /* outputs that are summed at a time */
  for (ptrdiff_t c = begin; c < end; c++) {
    const ptrdiff_t from = c * s->chunk, count = THMin(s->chunk, s->outputs - from);
    for (ptrdiff_t o = from; o < from + count; o += UNROLL) {
      const ptrdiff_t these = THMin(UNROLL, from + count - o);
      accreal sum[UNROLL] = {0};
      for (int64_t t = 0; t < s->batch * s->w.output; t++)
        for (ptrdiff_t k = 0; k < these; k++)
          sum[k] += (accreal)s->y[t * s->outputs + o + k];
      for (ptrdiff_t k = 0; k < these; k++)
        s->bias[o + k] = (real)(s->bias[o + k] + s->scale * sum[k]);
    }
  }
}

/* --- the passes ------------------------------------------------------------------------------ */

void THNN_(prepareSequence)(THNN_(Sequence) * s, THNNPass pass, THNN_(Call) * call)
{
  const int64_t windows = s->batch * s->w.output;
  const ptrdiff_t chunks = (s->outputs + s->chunk - 1) / s->chunk;
  if (pass == THNN_FORWARD) {
    s->implicit = THNN_(isImplicitSequence)(s, s->outputs, THMin(ROWS, windows));
    s->items = s->implicit ? (windows + s->rows - 1) / s->rows : s->batch;
  } else if (pass == THNN_BACKWARD_DATA) {
    const int64_t frames = THMin(s->w.step, s->w.input) * THNN_(framesOfPhase)(s);
    s->implicit = THNN_(isImplicitSequence)(s, s->frame, frames);
    s->items = s->implicit ? s->batch * s->blocks : s->batch;
  } else {
    s->implicit = THNN_(isImplicitSequence)(s, s->outputs, THMin(TERMS, s->terms));
    s->items = s->implicit ? (s->terms + s->rows - 1) / s->rows * s->blocks : chunks;
  }
  if (s->implicit)
    THNN_(needMemory)(s, call, s->items);
  else
    THNN_(needBlas)();
}

void THNN_(runSequence)(THNN_(Sequence) * s, THNNPass pass)
{
  if (pass == THNN_FORWARD)
    THParallel_for(s->items, 1, s->implicit ? THNN_(windowBlocks) : THNN_(sequences), s);
  else if (pass == THNN_BACKWARD_DATA)
    THParallel_for(s->items, 1, s->implicit ? THNN_(frameBlocks) : THNN_(sequencesBackward), s);
  else {
    if (s->weight)
      THParallel_for(s->items, 1, s->implicit ? THNN_(termBlocks) : THNN_(sequenceChunks), s);
    if (s->bias)
      THParallel_for((s->outputs + s->chunk - 1) / s->chunk, 1, THNN_(sequenceBias), s);
  }
}

#endif

/* --- the functions ---------------------------------------------------------------------------- */

void THNN_(TemporalConvolution_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                             THTensor *weight, THTensor *bias, int kW, int dW,
                                             int inputFrameSize, int outputFrameSize)
{
  THNN_ENTER(state, input, output, weight, bias);
  THNN_(Sequence) s = THNN_(sequenceOf)(input, NULL, weight, bias, kW, dW);
  if (s.frame != inputFrameSize || s.outputs != outputFrameSize)
    THError("input of size %s and weight of size %s do not fit frames of %d and %d elements",
            THTensor_(sizeDesc)(input).str, THTensor_(sizeDesc)(weight).str, inputFrameSize,
            outputFrameSize);
  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  weight = THNN_(source)(&call, weight);
  bias = THNN_(source)(&call, bias);
  THTensor *out = THNN_(result)(&call, output, s.dims, s.size);
  THNN_(prepareSequence)(&s, THNN_FORWARD, &call);
  THNN_(start)(&call);
  s.x = THTensor_(data)(input);
  s.weight = THTensor_(data)(weight);
  s.bias = bias ? THTensor_(data)(bias) : NULL;
  s.y = THTensor_(data)(out);
  THNN_(runSequence)(&s, THNN_FORWARD);
  THNN_(finish)(&call);
}

void THNN_(TemporalConvolution_updateGradInput)(THNNState *state, THTensor *input,
                                                THTensor *gradOutput, THTensor *gradInput,
                                                THTensor *weight, int kW, int dW)
{
  THNN_ENTER(state, input, gradOutput, gradInput, weight);
  THNN_(Sequence) s = THNN_(sequenceOf)(input, gradOutput, weight, NULL, kW, dW);
  int64_t size[3];
  memcpy(size, input->size, (size_t)s.dims * sizeof *size);
  THNN_(Call) call;
  THNN_(begin)(&call);
  gradOutput = THNN_(source)(&call, gradOutput);
  weight = THNN_(source)(&call, weight);
  THTensor *grad = THNN_(result)(&call, gradInput, s.dims, size);
  THNN_(prepareSequence)(&s, THNN_BACKWARD_DATA, &call);
  THNN_(start)(&call);
  s.y = THTensor_(data)(gradOutput);
  s.weight = THTensor_(data)(weight);
  s.x = THTensor_(data)(grad);
  THNN_(runSequence)(&s, THNN_BACKWARD_DATA);
  THNN_(finish)(&call);
}

void THNN_(TemporalConvolution_accGradParameters)(THNNState *state, THTensor *input,
                                                  THTensor *gradOutput, THTensor *gradWeight,
                                                  THTensor *gradBias, int kW, int dW, accreal scale)
{
  THNN_ENTER(state, input, gradOutput, gradWeight, gradBias);
  THArgCheck(gradOutput->nDimension > 0, 3, "gradOutput is empty");
  THNN_(Sequence) s = THNN_(sequenceOf)(input, gradOutput, gradWeight, gradBias, kW, dW);
  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  gradOutput = THNN_(source)(&call, gradOutput);
  gradWeight = THNN_(sum)(&call, gradWeight);
  gradBias = THNN_(sum)(&call, gradBias);
  if (gradWeight)
    THNN_(prepareSequence)(&s, THNN_BACKWARD_WEIGHTS, &call);
  if (gradBias)
    s.sums = THNN_(sumMemory)(&call, s.outputs, s.batch * s.w.output);
  THNN_(start)(&call);
  s.x = THTensor_(data)(input);
  s.y = THTensor_(data)(gradOutput);
  s.scale = scale;
  s.weight = gradWeight ? THTensor_(data)(gradWeight) : NULL;
  s.bias = gradBias ? THTensor_(data)(gradBias) : NULL;
  THNN_(runSequence)(&s, THNN_BACKWARD_WEIGHTS);
  THNN_(finish)(&call);
}

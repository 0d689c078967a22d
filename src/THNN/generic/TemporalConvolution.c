/* Convolution of sequences whose frames are rows.
 *
 * A window is kW frames one after the other in memory.  BLAS takes matrices whose rows do not share
 * elements, so that nothing is unfolded if the product is computed in pieces.  Where frames are
 * long each of the kW frames of all windows is a piece; where they are short, whole windows that
 * are far enough apart not to share a frame: every spread-th, from each of the first on. */
#include "THNNTemplate.h"

enum { LONG_FRAME = 32 };

typedef struct {
  int dims; /* of input: 2, or 3 with a batch */
  int64_t batch, frame, outputs;
  THNNWindow w;
  int64_t depth;  /* elements of a window */
  int64_t spread; /* windows from one to the next that shares nothing */
  int byFrame;    /* what pieces are */
  int64_t pieces;
  int64_t size[3]; /* of output */
  real *x, *y, *weight, *bias;
  accreal scale;
  ptrdiff_t chunk; /* outputs whose gradients are summed up together */
} THNN_(Sequence);

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
  if (__builtin_mul_overflow(s.frame, kW, &s.depth))
    THError("windows of %d frames in input of size %s are too large", kW,
            THTensor_(sizeDesc)(input).str);
  if (weight && (weight->nDimension != 2 || weight->size[1] != s.depth))
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
  int64_t reach; /* of the leading dimension */
  if (__builtin_mul_overflow(s.batch * s.w.output, s.outputs, &reach) ||
      __builtin_mul_overflow((int64_t)kW + dW, s.frame, &reach))
    THError("a convolution of input of size %s is too large", THTensor_(sizeDesc)(input).str);
  s.spread = THMin((kW + dW - 1) / dW, s.w.output);
  s.byFrame = s.spread > 1 && s.frame >= LONG_FRAME;
  s.pieces = s.byFrame ? kW : s.spread;
  s.chunk = THMax((s.outputs + 7) / 8, THMin(s.outputs, 16));
  return s;
}

/* Rows of x of so much depth and rows of y, beginning at these elements and the next so far after
 * one, and where the depth begins within a window.  Where there is but one row the distance is not
 * used, and only has to be large enough. */
typedef struct {
  ptrdiff_t rows, depth, x, nextX, y, nextY, within;
} THNN_(Piece);

static THNN_(Piece) THNN_(piece)(const THNN_(Sequence) * s, int64_t i)
{
  const int64_t step = s->w.step * s->frame;
  if (s->byFrame)
    return (THNN_(Piece)){.rows = s->w.output,
                          .depth = s->frame,
                          .x = i * s->frame,
                          .nextX = step,
                          .nextY = s->outputs,
                          .within = i * s->frame};
  return (THNN_(Piece)){.rows = (s->w.output - i + s->spread - 1) / s->spread,
                        .depth = s->depth,
                        .x = i * step,
                        .nextX = THMax(s->spread * step, s->depth),
                        .y = i * s->outputs,
                        .nextY = s->spread * s->outputs};
}

static void THNN_(sequences)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Sequence) *s = context;
  for (ptrdiff_t i = begin; i < end; i++) {
    real *x = s->x + i * s->w.input * s->frame, *y = s->y + i * s->w.output * s->outputs;
    for (ptrdiff_t t = 0; t < s->w.output; t++)
      for (ptrdiff_t o = 0; o < s->outputs; o++)
        y[t * s->outputs + o] = s->bias ? s->bias[o] : 0;
    for (int64_t k = 0; k < s->pieces; k++) {
      const THNN_(Piece) p = THNN_(piece)(s, k);
      THBlas_(gemm)('t', 'n', s->outputs, p.rows, p.depth, 1, s->weight + p.within, s->depth,
                    x + p.x, p.nextX, 1, y + p.y, p.nextY);
    }
  }
}

static void THNN_(sequencesBack)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Sequence) *s = context;
  for (ptrdiff_t i = begin; i < end; i++) {
    real *x = s->x + i * s->w.input * s->frame, *y = s->y + i * s->w.output * s->outputs;
    memset(x, 0, (size_t)(s->w.input * s->frame) * sizeof *x);
    for (int64_t k = 0; k < s->pieces; k++) {
      const THNN_(Piece) p = THNN_(piece)(s, k);
      THBlas_(gemm)('n', 'n', p.depth, p.rows, s->outputs, 1, s->weight + p.within, s->depth,
                    y + p.y, p.nextY, 1, x + p.x, p.nextX);
    }
  }
}

/* A few outputs: what is summed up does not depend on the threads. */
static void THNN_(sequenceChunks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Sequence) *s = context;
  for (ptrdiff_t c = begin; c < end; c++) {
    const ptrdiff_t from = c * s->chunk, count = THMin(s->chunk, s->outputs - from);
    for (int64_t i = 0; i < s->batch && s->weight; i++)
      for (int64_t k = 0; k < s->pieces; k++) {
        const THNN_(Piece) p = THNN_(piece)(s, k);
        THBlas_(gemm)('n', 't', p.depth, count, p.rows, (real)s->scale,
                      s->x + i * s->w.input * s->frame + p.x, p.nextX,
                      s->y + i * s->w.output * s->outputs + from + p.y, p.nextY, 1,
                      s->weight + from * s->depth + p.within, s->depth);
      }
    enum { TOGETHER = 16 };
    for (ptrdiff_t o = from; o < from + count && s->bias; o += TOGETHER) {
      const ptrdiff_t few = THMin(TOGETHER, from + count - o);
      accreal sum[TOGETHER] = {0};
      for (int64_t t = 0; t < s->batch * s->w.output; t++)
        for (ptrdiff_t k = 0; k < few; k++)
          sum[k] += (accreal)s->y[t * s->outputs + o + k];
      for (ptrdiff_t k = 0; k < few; k++)
        s->bias[o + k] = (real)(s->bias[o + k] + s->scale * sum[k]);
    }
  }
}

void THNN_(TemporalConvolution_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                             THTensor *weight, THTensor *bias, int kW, int dW,
                                             int inputFrameSize, int outputFrameSize)
{
  THNN_(Sequence) s = THNN_(sequenceOf)(input, NULL, weight, bias, kW, dW);
  if (s.frame != inputFrameSize || s.outputs != outputFrameSize)
    THError("input of size %s and weight of size %s do not fit frames of %d and %d elements",
            THTensor_(sizeDesc)(input).str, THTensor_(sizeDesc)(weight).str, inputFrameSize,
            outputFrameSize);
  THNN_(Call) call;
  THNN_(begin)(&call);
  s.x = THTensor_(data)(THNN_(source)(&call, input));
  s.weight = THTensor_(data)(THNN_(source)(&call, weight));
  bias = THNN_(source)(&call, bias);
  s.bias = bias ? THTensor_(data)(bias) : NULL;
  THTensor *out = THNN_(result)(&call, output, s.dims, s.size);
  THNN_(needBlas)();
  THNN_(start)(&call);
  s.y = THTensor_(data)(out);
  THParallel_for(s.batch, 1, THNN_(sequences), &s);
  THNN_(finish)(&call);
}

void THNN_(TemporalConvolution_updateGradInput)(THNNState *state, THTensor *input,
                                                THTensor *gradOutput, THTensor *gradInput,
                                                THTensor *weight, int kW, int dW)
{
  THNN_(Sequence) s = THNN_(sequenceOf)(input, gradOutput, weight, NULL, kW, dW);
  int64_t size[3];
  memcpy(size, input->size, (size_t)s.dims * sizeof *size);
  THNN_(Call) call;
  THNN_(begin)(&call);
  s.y = THTensor_(data)(THNN_(source)(&call, gradOutput));
  s.weight = THTensor_(data)(THNN_(source)(&call, weight));
  THTensor *grad = THNN_(result)(&call, gradInput, s.dims, size);
  THNN_(needBlas)();
  THNN_(start)(&call);
  s.x = THTensor_(data)(grad);
  THParallel_for(s.batch, 1, THNN_(sequencesBack), &s);
  THNN_(finish)(&call);
}

void THNN_(TemporalConvolution_accGradParameters)(THNNState *state, THTensor *input,
                                                  THTensor *gradOutput, THTensor *gradWeight,
                                                  THTensor *gradBias, int kW, int dW, accreal scale)
{
  THArgCheck(gradOutput->nDimension > 0, 3, "gradOutput is empty");
  THNN_(Sequence) s = THNN_(sequenceOf)(input, gradOutput, gradWeight, gradBias, kW, dW);
  THNN_(Call) call;
  THNN_(begin)(&call);
  s.x = THTensor_(data)(THNN_(source)(&call, input));
  s.y = THTensor_(data)(THNN_(source)(&call, gradOutput));
  gradWeight = THNN_(sum)(&call, gradWeight);
  gradBias = THNN_(sum)(&call, gradBias);
  THNN_(needBlas)();
  THNN_(start)(&call);
  s.weight = gradWeight ? THTensor_(data)(gradWeight) : NULL;
  s.bias = gradBias ? THTensor_(data)(gradBias) : NULL;
  s.scale = scale;
  THParallel_for((s.outputs + s.chunk - 1) / s.chunk, 1, THNN_(sequenceChunks), &s);
  THNN_(finish)(&call);
}

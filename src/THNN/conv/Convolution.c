/* Convolutions: the operations that all layers are made of. */
#include "THNN/layer/Template.h"

#include "THNN/conv/Memory.h"

#ifndef TH_TEMPLATE_DEVICE
#include "TH/core/THTeam.h"

TH_DISPATCH(THNN_(Direct), THNN_(direct))
TH_DISPATCH(THNN_(Im2ColKernels), THNN_(im2col))
#endif

/* --- checks ---------------------------------------------------------------------------------- */

static int64_t THNN_(groupsOf)(const THNNLayer *l)
{
  return THMax(1, l->groups);
}

/* Whether the dimensions of weight are those of the planes of either side, one of them divided
 * among the groups, and of the window. */
static int THNN_(weightFits)(const THNNLayer *l, THTensor *weight, int64_t inputs, int64_t window)
{
  const int64_t *size = weight->size, groups = THNN_(groupsOf)(l);
  if (weight->nDimension == 2)
    return l->full ? size[0] == inputs && size[1] % window == 0
                   : size[0] % groups == 0 && size[1] == inputs / groups * window;
  if (weight->nDimension != l->spatial + 2 ||
      size[!l->full] != (l->full ? inputs : inputs / groups))
    return 0;
  if (!l->full && size[0] % groups != 0)
    return 0;
  for (int d = 0; d < l->spatial; d++)
    if (size[2 + d] != l->at[3 - l->spatial + d].size)
      return 0;
  return 1;
}

/* Raises unless weight fits; the planes of output. */
static int64_t THNN_(outputsOf)(const THNNLayer *l, THTensor *input, THTensor *weight,
                                int64_t inputs)
{
  const THNNWindow *w = l->at;
  int64_t window = w[0].size * w[1].size * w[2].size, all;
  if (__builtin_mul_overflow(window, inputs, &all) || !THNN_(weightFits)(l, weight, inputs, window))
    THError(
        "weight has size %s, which does not fit input of size %s and windows of %lld x %lld x "
        "%lld",
        THTensor_(sizeDesc)(weight).str, THTensor_(sizeDesc)(input).str, (long long)w[0].size,
        (long long)w[1].size, (long long)w[2].size);
  if (l->depthWise)
    return weight->size[0] * inputs;
  if (l->full)
    return THNN_(groupsOf)(l) *
           (weight->nDimension == 2 ? weight->size[1] / window : weight->size[1]);
  return weight->size[0];
}

THNNConvolution THNN_(convolutionOf)(THNNLayer layer, THTensor *input, THTensor *gradOutput,
                                     THTensor *weight, THTensor *bias)
{
  const int dims = input->nDimension, batched = dims == layer.spatial + 2;
  THArgCheck(batched || dims == layer.spatial + 1, 2,
             "input has size %s, and has to be planes x %sheight x width, or a batch of that",
             THTensor_(sizeDesc)(input).str, layer.spatial == 3 ? "time x " : "");
  THNNLayer_count(&layer, input->size + batched + 1, THTensor_(sizeDesc)(input).str);
  const int64_t inputs = input->size[batched];
  int64_t outputs = gradOutput && gradOutput->nDimension == dims ? gradOutput->size[batched] : 0;
  if (weight)
    outputs = THNN_(outputsOf)(&layer, input, weight, inputs);
  if (bias && THTensor_(nElement)(bias) != outputs)
    THError("bias has size %s, which does not fit %lld planes of output",
            THTensor_(sizeDesc)(bias).str, (long long)outputs);

  THNNConvolution c = {.batch = batched ? input->size[0] : 1,
                       .groups = layer.depthWise ? inputs : THNN_(groupsOf)(&layer),
                       .planes = layer.full ? outputs : inputs,
                       .outputs = layer.full ? inputs : outputs,
                       .dims = dims,
                       .batched = batched};
  if (c.groups > 0 && (c.planes % c.groups != 0 || c.outputs % c.groups != 0))
    THError("input of size %s and %lld planes of output do not divide into %lld groups",
            THTensor_(sizeDesc)(input).str, (long long)outputs, (long long)c.groups);
  if (batched)
    c.xSize[0] = c.ySize[0] = c.batch;
  c.xSize[batched] = c.planes;
  c.ySize[batched] = c.outputs;
  for (int d = 0; d < 3; d++) {
    c.at[d] = layer.at[d];
    if (layer.full) {
      c.at[d].input = layer.at[d].output;
      c.at[d].output = layer.at[d].input;
    }
    const int at = batched + 1 + d - (3 - layer.spatial);
    if (d >= 3 - layer.spatial) {
      c.xSize[at] = c.at[d].input;
      c.ySize[at] = c.at[d].output;
    }
  }
  const int64_t *size = layer.full ? c.xSize : c.ySize;
  if (gradOutput && !THSize_isSameSizeAs(gradOutput->size, gradOutput->nDimension, size, dims))
    THError("gradOutput has size %s, for input of %s it has to be %s",
            THTensor_(sizeDesc)(gradOutput).str, THTensor_(sizeDesc)(input).str,
            _THSizeDesc(size, dims).str);
  THNNConvolution_complete(&c);
  return c;
}

#ifndef TH_TEMPLATE_DEVICE /* a device shares the checks alone */

/* --- as products of matrices: windows are columns -------------------------------------------- */

/* A call of the algorithm im2col. */
typedef struct {
  const THNNConvolution *c;
  real *x, *y, *weight, *bias;
  real *columns; /* for each thread; NULL where the windows are the elements */
  int threads;
  ptrdiff_t chunk; /* planes whose weights are computed together */
  real scale;
} THNN_(Columns);

/* Windows are simply the elements of x. */
int THNN_(areElements)(const THNNConvolution *c)
{
  for (int d = 0; d < 3; d++)
    if (c->at[d].size > 1 || c->at[d].step > 1 || c->at[d].pad > 0)
      return 0;
  return c->windows == c->image;
}

void *THNN_(scratchBytes)(THNN_(Call) * call, size_t bytes)
{
  return THNN_(scratch)(call, (ptrdiff_t)((bytes + sizeof(real) - 1) / sizeof(real)));
}

real *THNN_(ofThread)(real *memory, ptrdiff_t size, int threads)
{
  return memory + THTeam_index(threads) * size;
}

static void THNN_(unfoldPlanes)(const THNNConvolution *c, const real *x, ptrdiff_t planes,
                                real *columns)
{
  for (ptrdiff_t p = 0; p < planes; p++)
    THNN_(im2col)->unfold(c->at, x + p * c->image, columns + p * c->window * c->windows);
}

void THNN_(fillPlanes)(real *y, ptrdiff_t planes, ptrdiff_t n, const real *bias)
{
  for (ptrdiff_t p = 0; p < planes; p++)
    for (ptrdiff_t i = 0; i < n; i++)
      y[p * n + i] = bias ? bias[p] : 0;
}

static void THNN_(columnImages)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Columns) *w = context;
  const THNNConvolution *c = w->c;
  const ptrdiff_t planes = c->planes / c->groups, outputs = c->outputs / c->groups;
  for (ptrdiff_t i = begin; i < end; i++) {
    const ptrdiff_t group = i % c->groups;
    real *x = w->x + i * planes * c->image, *y = w->y + i * outputs * c->windows;
    real *columns = x;
    if (w->columns) {
      columns = THNN_(ofThread)(w->columns, c->depth * c->windows, w->threads);
      THNN_(unfoldPlanes)(c, x, planes, columns);
    }
    if (w->bias)
      THNN_(fillPlanes)(y, outputs, c->windows, w->bias + group * outputs);
    THBlas_(gemm)('n', 'n', c->windows, outputs, c->depth, 1, columns, c->windows,
                  w->weight + group * outputs * c->depth, c->depth, w->bias ? 1 : 0, y, c->windows);
  }
}

static void THNN_(columnImagesBackward)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Columns) *w = context;
  const THNNConvolution *c = w->c;
  const ptrdiff_t planes = c->planes / c->groups, outputs = c->outputs / c->groups;
  for (ptrdiff_t i = begin; i < end; i++) {
    const ptrdiff_t group = i % c->groups;
    real *x = w->x + i * planes * c->image, *y = w->y + i * outputs * c->windows;
    real *columns = w->columns ? THNN_(ofThread)(w->columns, c->depth * c->windows, w->threads) : x;
    const real *bias = w->bias ? w->bias + group * planes : NULL;
    if (w->columns || bias)
      THNN_(fillPlanes)(x, planes, c->image, bias);
    THBlas_(gemm)('n', 't', c->windows, c->depth, outputs, 1, y, c->windows,
                  w->weight + group * outputs * c->depth, c->depth, !w->columns && bias ? 1 : 0,
                  columns, c->windows);
    if (w->columns)
      for (ptrdiff_t p = 0; p < planes; p++)
        THNN_(im2col)->fold(c->at, columns + p * c->window * c->windows, x + p * c->image);
  }
}

/* Weights of a few planes of a group: what is summed up does not depend on the threads. */
static void THNN_(columnChunks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Columns) *w = context;
  const THNNConvolution *c = w->c;
  const ptrdiff_t planes = c->planes / c->groups, outputs = c->outputs / c->groups;
  const ptrdiff_t chunks = (planes + w->chunk - 1) / w->chunk;
  for (ptrdiff_t i = begin; i < end; i++) {
    const ptrdiff_t group = i / chunks, first = i % chunks * w->chunk;
    const ptrdiff_t count = THMin(w->chunk, planes - first);
    real *sums = w->weight + group * outputs * c->depth + first * c->window;
    for (int64_t image = 0; image < c->batch; image++) {
      real *x = w->x + ((image * c->groups + group) * planes + first) * c->image;
      real *y = w->y + (image * c->groups + group) * outputs * c->windows, *columns = x;
      if (w->columns) {
        columns = THNN_(ofThread)(w->columns, w->chunk * c->window * c->windows, w->threads);
        THNN_(unfoldPlanes)(c, x, count, columns);
      }
      THBlas_(gemm)('t', 'n', count * c->window, outputs, c->windows, w->scale, columns, c->windows,
                    y, c->windows, 1, sums, c->depth);
    }
  }
}

void THNN_(beginConvolution)(THNN_(Call) * call, const THNNConvolution *c, int backward,
                             THTensor **from, THTensor **weight, THTensor **bias, THTensor **to)
{
  THNN_(begin)(call);
  *from = THNN_(source)(call, *from);
  *weight = THNN_(source)(call, *weight);
  *bias = THNN_(source)(call, *bias);
  *to = THNN_(result)(call, *to, c->dims, backward ? c->xSize : c->ySize);
}

THNN_(Operands)
THNN_(startConvolution)(THNN_(Call) * call, THTensor *from, THTensor *weight, THTensor *bias,
                        THTensor *to)
{
  THNN_(start)(call);
  return (THNN_(Operands)){THTensor_(data)(from), THTensor_(data)(weight),
                           bias ? THTensor_(data)(bias) : NULL, THTensor_(data)(to)};
}

/* --- direct ---------------------------------------------------------------------------------- */

int THNN_(areFlat)(const THNNConvolution *c)
{
  return THNN_(areElements)(c) && c->depth > 0 && c->windows >= THNN_DIRECT_SLACK;
}

/* A call of the algorithm direct. */
typedef struct {
  const THNNConvolution *c;
  THNNConvPlan plan;
  THNN_(Operands) data;
  const real *packed;            /* weights */
  real *flat;                    /* for each thread; NULL where the planes are flat */
  ptrdiff_t image, planes, size; /* planes of a group of the result, elements of them and of one */
  ptrdiff_t splits; /* of a group of an image, if there are fewer than threads: blocks of planes, or
                       positions where the planes are flat */
  int threads;
} THNN_(Planned);

void THNN_(copyPadded)(const THNNWindow *layout, const real *x, ptrdiff_t planes, ptrdiff_t next,
                       real *flat, ptrdiff_t plane)
{
  ptrdiff_t size = 1;
  for (int d = 0; d < 3; d++)
    size *= layout[d].size * layout[d].output;
  for (ptrdiff_t p = 0; p < planes; p++, flat += plane) {
    THNN_(im2col)->unfold(layout, x + p * next, flat);
    memset(flat + size, 0, (size_t)(plane - size) * sizeof *flat);
  }
  memset(flat, 0, THNN_DIRECT_SLACK * sizeof *flat);
}

static ptrdiff_t THNN_(planeSize)(const THNNWindow *layout)
{
  return layout[0].input * layout[1].input * layout[2].input;
}

/* Some planes of a group of an image, from a flat image. */
static void THNN_(plannedPlanes)(const THNN_(Planned) * w, ptrdiff_t item, ptrdiff_t first,
                                 ptrdiff_t last, const real *flat)
{
  const THNNConvPlan *p = &w->plan;
  const ptrdiff_t group = item % w->c->groups;
  const real *bias = w->data.bias ? w->data.bias + group * w->planes + first : NULL;
  real *to = w->data.to + item * w->image + first * w->size;
  if (p->leaves)
    THNN_(fillPlanes)(to, last - first, w->size, bias);
  for (ptrdiff_t k = 0; k < p->parts; k++) {
    THNNDirect d = p->part[k].d;
    d.outputs = last - first;
    THNN_(direct)->convolve(&d, flat,
                            w->packed + group * p->packed + p->part[k].packed + first * d.terms,
                            bias, to + p->part[k].start);
  }
}

/* Some positions of all planes, which are flat: one row. */
static void THNN_(plannedPositions)(const THNN_(Planned) * w, ptrdiff_t item, ptrdiff_t split)
{
  const THNNConvPlan *p = &w->plan;
  const ptrdiff_t group = item % w->c->groups, units = w->size / THNN_DIRECT_SLACK;
  const ptrdiff_t first = split * units / w->splits * THNN_DIRECT_SLACK;
  const ptrdiff_t end =
      split + 1 == w->splits ? w->size : (split + 1) * units / w->splits * THNN_DIRECT_SLACK;
  THNNDirect d = p->part->d;
  d.count[0] = d.count[1] = d.rows = 1;
  d.count[2] = d.pitch = d.length = end - first;
  THNN_(direct)->convolve(&d, w->data.from + item * p->planes * w->size + first,
                          w->packed + group * p->packed,
                          w->data.bias ? w->data.bias + group * w->planes : NULL,
                          w->data.to + item * w->image + first);
}

static void THNN_(plannedSplits)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Planned) *w = context;
  const THNNConvPlan *p = &w->plan;
  const ptrdiff_t next = THNN_(planeSize)(p->layout), block = p->part->d.block;
  const ptrdiff_t blocks = THNNDirect_blocks(&p->part->d);
  for (ptrdiff_t at = begin; at < end; at++) {
    const ptrdiff_t item = at / w->splits, split = at % w->splits;
    if (!w->flat) {
      THNN_(plannedPositions)(w, item, split);
      continue;
    }
    real *flat = THNN_(ofThread)(w->flat, THNNConvPlan_flat(p), w->threads);
    THNN_(copyPadded)(p->layout, w->data.from + item * p->planes * next, p->planes, next, flat,
                      p->plane);
    THNN_(plannedPlanes)(w, item, split * blocks / w->splits * block,
                         THMin((split + 1) * blocks / w->splits * block, w->planes), flat);
  }
}

/* The weights of a block of result planes for all terms of a part, count of them there. */
static inline __attribute__((always_inline)) void
THNN_(packBlock)(const THNNPart *part, ptrdiff_t planes, const real *weight, ptrdiff_t ofResult,
                 ptrdiff_t ofSource, ptrdiff_t count, ptrdiff_t block, real *packed)
{
  for (ptrdiff_t s = 0; s < planes; s++, weight += ofSource)
    for (ptrdiff_t t = 0; t < part->taps; t++, packed += block) {
      const real *from = weight + part->tap[t];
      for (ptrdiff_t r = 0; r < count; r++)
        packed[r] = from[r * ofResult];
      for (ptrdiff_t r = count; r < block; r++)
        packed[r] = 0;
    }
}

typedef struct {
  const THNNConvolution *c;
  const THNNConvPlan *plan;
  const real *weight;
  real *packed;
  int backward;
} THNN_(Pack);

/* The weights of groups and blocks, for each part: a block of result planes after the other, for
 * each term. */
static void THNN_(packBlocks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Pack) *w = context;
  const THNNConvolution *c = w->c;
  const THNNConvPlan *p = w->plan;
  const ptrdiff_t outputs = c->outputs / c->groups, blocks = THNNDirect_blocks(&p->part->d);
  const ptrdiff_t ofResult = w->backward ? c->window : c->depth;
  const ptrdiff_t ofSource = w->backward ? c->depth : c->window;
  for (ptrdiff_t item = begin; item < end; item++) {
    const ptrdiff_t group = item / blocks, first = item % blocks * p->part->d.block;
    const real *weight = w->weight + group * outputs * c->depth + first * ofResult;
    for (ptrdiff_t k = 0; k < p->parts; k++) {
      const THNNPart *part = &p->part[k];
      const ptrdiff_t count = THMin(part->d.block, part->d.outputs - first);
      real *packed = w->packed + group * p->packed + part->packed + first * part->d.terms;
      if (count == THNN_DIRECT_OUTPUTS)
        THNN_(packBlock)(part, p->planes, weight, ofResult, ofSource, THNN_DIRECT_OUTPUTS,
                         THNN_DIRECT_OUTPUTS, packed);
      else
        THNN_(packBlock)(part, p->planes, weight, ofResult, ofSource, count, part->d.block, packed);
    }
  }
}

static void THNN_(pack)(const THNNConvolution *c, int backward, const THNNConvPlan *p,
                        const real *weight, real *packed)
{
  THNN_(Pack) w = {c, p, weight, packed, backward};
  const ptrdiff_t blocks = THNNDirect_blocks(&p->part->d);
  const ptrdiff_t size = p->packed / blocks;
  THParallel_for(c->groups * blocks, THMax(1, TH_LOOP_GRAIN / THMax(1, size)), THNN_(packBlocks),
                 &w);
}

/* from and to: x and y, or y and x. */
static void THNN_(convolveByDirect)(const THNNConvolution *c, int backward, THTensor *from,
                                    THTensor *weight, THTensor *bias, THTensor *to)
{
  THNN_(Call) call;
  THNN_(beginConvolution)(&call, c, backward, &from, &weight, &bias, &to);
  THNN_(Planned)
  w = {.c = c, .planes = (backward ? c->planes : c->outputs) / c->groups};
  w.size = backward ? c->image : c->windows;
  w.image = w.planes * w.size;
  w.plan = THNNConvPlan_of(c, backward, THNN_PLAN_SHIFTED,
                           THNN_(scratchBytes)(&call, THNNConvPlan_memory(c, backward,
                                                                          THNN_PLAN_SHIFTED)));
  const ptrdiff_t items = c->batch * c->groups, threads = THParallel_threads(PTRDIFF_MAX, 1);
  const ptrdiff_t splits =
      THNN_(areFlat)(c) ? w.size / THNN_DIRECT_SLACK : THNNDirect_blocks(&w.plan.part->d);
  w.splits = THParallel_threads(items, 1) < threads ? THMin(splits, threads) : 1;
  w.threads = THParallel_threads(items * w.splits, 1);
  real *packed = THNN_(scratch)(&call, c->groups * w.plan.packed);
  if (!THNN_(areFlat)(c))
    w.flat = THNN_(scratch)(&call, w.threads * THNNConvPlan_flat(&w.plan));
  w.data = THNN_(startConvolution)(&call, from, weight, bias, to);
  THNN_(pack)(c, backward, &w.plan, w.data.weight, packed);
  w.packed = packed;
  THParallel_for(items * w.splits, 1, THNN_(plannedSplits), &w);
  THNN_(finish)(&call);
}

/* --- sets of images ---------------------------------------------------------------------------- */

/* Gradients of weights are summed up for each set of images, then over the sets in order: the sums do
 * not depend on the threads. */
static ptrdiff_t THNN_(setsOf)(const THNNConvolution *c)
{
  return THMin(c->batch, THNN_IMAGE_SETS);
}

static ptrdiff_t THNN_(imagesOf)(const THNNConvolution *c)
{
  return c->batch * THMax(c->planes * c->image, c->outputs * c->windows);
}

/* Whether the sums of all sets take no more memory than the images themselves. */
static int THNN_(fitSets)(const THNNConvolution *c)
{
  return c->batch > 0 && c->outputs * c->depth * THNN_(setsOf)(c) <= THNN_(imagesOf)(c);
}

accreal *THNN_(totalsOfSets)(THNN_(Gradient) * g)
{
  const size_t bytes = (size_t)(THNN_(setsOf)(g->c) * g->c->outputs) * sizeof *g->totals;
  if (g->gradBias && !g->biasOfX)
    g->totals = memset(THNN_(scratchBytes)(&g->call, bytes), 0, bytes);
  return g->totals;
}

/* --- a plane at a time ----------------------------------------------------------------------- */

/* Each plane of x by itself, or of y backward, has windows that slide over it. */
static int THNN_(supportsDepthwiseNchw)(const THNNConvolution *c, THNNPass pass)
{
  const THNNWindow *w = c->at;
  if (!THNN_(direct)->slide || c->channelsLast || c->groups < 1 || c->planes != c->groups ||
      (pass == THNN_BACKWARD_DATA && c->outputs != c->groups) ||
      (pass == THNN_BACKWARD_WEIGHTS && !THNN_(fitSets)(c)))
    return 0;
  const int64_t mostSteps = pass == THNN_FORWARD ? 2 : 1;
  for (int d = 1; d < 3; d++)
    if (w[d].step > mostSteps || w[d].step != w[1].step || w[d].dilation != 1 ||
        w[d].pad >= w[d].size)
      return 0;
  return w[0].input == 1 && w[0].size == 1 && w[0].step == 1 && w[0].pad == 0 &&
         w[1].size == w[2].size && (w[1].size == 3 || w[1].size == 5);
}

/* Rows that fill less than half a vector are better transposed, where that can be done. */
static double THNN_(costOfDepthwiseNchw)(const THNNConvolution *c, THNNPass pass,
                                         THNN_(WinogradPlan) * plan)
{
  const int isTransposed = THNN_(supportsDepthwiseNhwc)(c, pass) &&
                           THNN_(costOfDepthwiseNhwc)(c, pass, plan) < THNN_NEVER;
  const int isShort = 2 * c->at[2].output < THNN_(implicit)->lanes;
  return isTransposed && isShort ? THNN_NEVER : THNN_ALWAYS;
}

/* A call of depthwise_nchw: windows slide over each plane by itself. */
typedef struct {
  const THNNConvolution *c;
  THNN_(Operands) data;
  int backward;
} THNN_(Slid);

static void THNN_(slidPlanes)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  enum { LARGEST = 25 };
  const THNN_(Slid) *s = context;
  const THNNConvolution *c = s->c;
  const ptrdiff_t outputs = c->outputs / c->groups;
  THNNWindow axis[3] = {c->at[0], c->at[1], c->at[2]};
  for (int d = 1; s->backward && d < 3; d++) { /* what a window adds to the image slides over y */
    axis[d].input = c->at[d].output;
    axis[d].output = c->at[d].input;
    axis[d].pad = axis[d].size - 1 - axis[d].pad;
  }
  static const real none[THNN_SLIDING] = {0};
  for (ptrdiff_t i = begin, count; i < end; i += count) {
    const ptrdiff_t result = i % c->outputs, left = THMin(outputs - result % outputs, end - i);
    count = !s->backward && axis[2].step == 1 && left >= THNN_SLIDING ? THNN_SLIDING : 1;
    const real *weight = s->data.weight + result * c->window;
    real transposed[LARGEST];
    for (ptrdiff_t k = 0; s->backward && k < c->window; k++)
      transposed[k] = weight[c->window - 1 - k];
    const real *from = s->data.from + (s->backward ? i * c->windows : i / outputs * c->image);
    const real *bias = s->data.bias ? s->data.bias + result : none;
    real *to = s->data.to + i * (s->backward ? c->image : c->windows);
    if (axis[2].step == 2)
      THNN_(direct)->slideByTwo(axis, from, weight, bias, to);
    else
      THNN_(direct)->slide(axis, from, count, s->backward ? transposed : weight, bias, to);
  }
}

static void THNN_(convolveByDepthwiseNchw)(const THNNConvolution *c, int backward, THTensor *from,
                                           THTensor *weight, THTensor *bias, THTensor *to)
{
  THNN_(Call) call;
  THNN_(beginConvolution)(&call, c, backward, &from, &weight, &bias, &to);
  THNN_(Slid) s = {c, THNN_(startConvolution)(&call, from, weight, bias, to), backward};
  THParallel_for(c->batch * c->outputs, THNNConvolution_grain(c, c->windows), THNN_(slidPlanes),
                 &s);
  THNN_(finish)(&call);
}

/* --- columns ---------------------------------------------------------------------------------- */

static void THNN_(convolveByIm2Col)(const THNNConvolution *c, int backward, THTensor *from,
                                    THTensor *weight, THTensor *bias, THTensor *to)
{
  THNN_(Call) call;
  THNN_(beginConvolution)(&call, c, backward, &from, &weight, &bias, &to);
  const ptrdiff_t items = c->batch * c->groups;
  THNN_(Columns) w = {.c = c, .threads = THParallel_threads(items, 1)};
  if (!THNN_(areElements)(c))
    w.columns = THNN_(scratch)(&call, w.threads * c->depth * c->windows);
  THNN_(needBlas)();
  THNN_(start)(&call);
  w.x = THTensor_(data)(backward ? to : from);
  w.y = THTensor_(data)(backward ? from : to);
  w.weight = THTensor_(data)(weight);
  w.bias = bias ? THTensor_(data)(bias) : NULL;
  THParallel_for(items, 1, backward ? THNN_(columnImagesBackward) : THNN_(columnImages), &w);
  THNN_(finish)(&call);
}

static int THNN_(supportsIm2Col)(const THNNConvolution *c, THNNPass pass)
{
  return !c->channelsLast;
}

static double THNN_(costOfIm2Col)(const THNNConvolution *c, THNNPass pass,
                                  THNN_(WinogradPlan) * plan)
{
  return THNN_ALWAYS;
}

static int THNN_(supportsDirect)(const THNNConvolution *c, THNNPass pass)
{
  return !c->channelsLast && c->groups > 0 && (pass != THNN_BACKWARD_WEIGHTS || THNN_(fitSets)(c));
}

/* Products of matrices take the elements of x as they are, and images with fewer windows than
 * vectors have elements. */
static double THNN_(costOfDirect)(const THNNConvolution *c, THNNPass pass,
                                  THNN_(WinogradPlan) * plan)
{
  enum { MIN_WINDOWS = 24 };
  if (!THNN_(areElements)(c))
    return c->windows >= MIN_WINDOWS || c->groups > 1 ? THNN_ALWAYS : THNN_NEVER;
  return pass != THNN_BACKWARD_WEIGHTS && THNN_(areFlat)(c) ? THNN_ALWAYS : THNN_NEVER;
}

/* --- weights --------------------------------------------------------------------------------- */

/* A call of direct for the gradient of the weights. */
typedef struct {
  const THNNConvolution *c;
  THNNConvPlan plan;
  THNNWindow layoutY[3];
  ptrdiff_t planeY;         /* elements of a flat plane of y */
  const real *x, *y, *mask; /* mask: setMask */
  real *sums;               /* for each set of images, and */
  accreal *totals;          /* of each output, if they are wanted */
  real *flat;               /* for each thread: x, then y */
  ptrdiff_t imagesAtOnce;   /* images that are summed up in registers, together */
  ptrdiff_t sets;
  int threads;
} THNN_(Sums);

void THNN_(addToTotals)(ptrdiff_t planes, const real *y, ptrdiff_t n, accreal *totals)
{
  for (ptrdiff_t p = 0; p < planes; p++)
    totals[p] += THNN_(direct)->sum(y + p * n, n);
}

static void THNN_(addTotals)(const accreal *totals, ptrdiff_t sets, ptrdiff_t count, real *sums,
                             accreal scale)
{
  for (ptrdiff_t i = 0; i < count; i++) {
    accreal total = 0;
    for (ptrdiff_t set = 0; set < sets; set++)
      total += totals[set * count + i];
    sums[i] = (real)(sums[i] + scale * total);
  }
}

/* Images of so many elements that are summed up in registers before the sums are added. */
static ptrdiff_t THNN_(imagesThatFit)(ptrdiff_t elements)
{
  return THMax(1, THMin(8, (1 << 16) / THMax(1, elements)));
}

static ptrdiff_t THNN_(flatImage)(const THNN_(Sums) * w)
{
  return THNNConvPlan_flat(&w->plan) + w->c->outputs / w->c->groups * w->planeY + THNN_DIRECT_SLACK;
}

static void THNN_(sumSets)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Sums) *w = context;
  const THNNConvolution *c = w->c;
  const THNNConvPlan *p = &w->plan;
  const ptrdiff_t planes = p->planes, outputs = c->outputs / c->groups;
  const ptrdiff_t nextX = THNNConvPlan_flat(p), nextY = THNN_(flatImage)(w) - nextX;
  real *x = THNN_(ofThread)(w->flat, w->imagesAtOnce * (nextX + nextY), w->threads);
  real *y = x + w->imagesAtOnce * nextX;
  for (ptrdiff_t item = begin; item < end; item++) {
    const ptrdiff_t set = item / c->groups, group = item % c->groups;
    real *sums = w->sums + item * outputs * c->depth;
    accreal *totals = w->totals + (w->totals ? item * outputs : 0);
    memset(sums, 0, (size_t)(outputs * c->depth) * sizeof *sums);
    const ptrdiff_t last = (set + 1) * c->batch / w->sets;
    for (ptrdiff_t i = set * c->batch / w->sets; i < last; i += w->imagesAtOnce) {
      const ptrdiff_t images = THMin(w->imagesAtOnce, last - i);
      for (ptrdiff_t k = 0; k < images; k++) {
        const ptrdiff_t from = (i + k) * c->groups + group;
        THNN_(copyPadded)(p->layout, w->x + from * planes * c->image, planes, c->image,
                          x + k * nextX, p->plane);
        THNN_(copyPadded)(w->layoutY, w->y + from * outputs * c->windows, outputs, c->windows,
                          y + k * nextY, w->planeY);
        if (w->totals)
          THNN_(addToTotals)(outputs, w->y + from * outputs * c->windows, c->windows, totals);
      }
      THNN_(direct)->correlate(&p->part->d, images, x, nextX, y, w->planeY, nextY, w->mask, sums);
    }
  }
}

void THNN_(setMask)(const THNNConvolution *c, const THNNConvPlan *plan, ptrdiff_t planeY,
                    real *mask)
{
  const THNNDirect *d = &plan->part->d;
  memset(mask, 0, (size_t)planeY * sizeof *mask);
  for (ptrdiff_t t = 0; t < c->at[0].output; t++)
    for (ptrdiff_t i = 0; i < c->at[1].output; i++)
      memset(mask + (t * d->rows + i) * d->pitch, 0xff, (size_t)c->at[2].output * sizeof *mask);
}

/* A call of depthwise_nchw for the gradient of the weights. */
typedef struct {
  const THNNConvolution *c;
  const real *x, *y;
  real *sums;      /* for each set of images, and */
  accreal *totals; /* of each output, if they are wanted */
  ptrdiff_t sets;
} THNN_(SlidSums);

static void THNN_(slidSets)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(SlidSums) *s = context;
  const THNNConvolution *c = s->c;
  const ptrdiff_t imagesAtOnce = THNN_(imagesThatFit)(2 * c->windows);
  for (ptrdiff_t item = begin; item < end; item++) {
    const ptrdiff_t set = item / c->outputs, output = item % c->outputs;
    const ptrdiff_t plane = output / (c->outputs / c->groups);
    const ptrdiff_t first = set * c->batch / s->sets, last = (set + 1) * c->batch / s->sets;
    real *sums = s->sums + item * c->window;
    memset(sums, 0, (size_t)c->window * sizeof *sums);
    for (ptrdiff_t i = first; i < last; i += imagesAtOnce) {
      const ptrdiff_t images = THMin(imagesAtOnce, last - i);
      const real *y = s->y + (i * c->outputs + output) * c->windows;
      THNN_(direct)->slideSums(c->at, images, s->x + (i * c->planes + plane) * c->image,
                               c->planes * c->image, y, c->outputs * c->windows, sums);
      for (ptrdiff_t k = 0; s->totals && k < images; k++)
        THNN_(addToTotals)(1, y + k * c->outputs * c->windows, c->windows, s->totals + item);
    }
  }
}

typedef struct {
  const real *x;
  real *sums;
  int64_t batch, planes;
  ptrdiff_t n;
  accreal scale;
} THNN_(Bias);

static void THNN_(sumPlanes)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Bias) *b = context;
  enum { PLANES = 64 }; /* at a time; they are contiguous in each image */
  for (ptrdiff_t first = begin; first < end; first += PLANES) {
    const ptrdiff_t count = THMin(PLANES, end - first);
    accreal sums[PLANES] = {0};
    for (int64_t i = 0; i < b->batch; i++)
      for (ptrdiff_t p = 0; p < count; p++)
        sums[p] += THNN_(direct)->sum(b->x + (i * b->planes + first + p) * b->n, b->n);
    for (ptrdiff_t p = 0; p < count; p++)
      b->sums[first + p] = (real)(b->sums[first + p] + b->scale * sums[p]);
  }
}

void THNN_(addPlaneSums)(const real *x, int64_t batch, int64_t planes, ptrdiff_t n, accreal scale,
                         real *sums)
{
  THNN_(Bias) b = {x, sums, batch, planes, n, scale};
  THParallel_for(planes, THMax(1, TH_LOOP_GRAIN / THMax(1, batch * n)), THNN_(sumPlanes), &b);
}

/* Sums some columns over all rows.  Blocks of rows that fit in the L1 cache are read in the order of
 * memory. */
static void THNN_(sumColumns)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  enum { COLUMNS = 512, L1_ELEMENTS = 4096, VECTORS = 32 };
  const THNN_(Bias) *b = context;
  for (ptrdiff_t first = begin * VECTORS; first < THMin(end * VECTORS, b->planes);
       first += COLUMNS) {
    const ptrdiff_t count = THMin(COLUMNS, THMin(end * VECTORS, b->planes) - first);
    const ptrdiff_t rows = THMax(1, L1_ELEMENTS / count);
    accreal sums[COLUMNS] = {0};
    for (ptrdiff_t i = 0; i < b->n; i += rows)
      THNN_(direct)->sumRows(THMin(rows, b->n - i), count, b->x + i * b->planes + first, b->planes,
                             sums);
    for (ptrdiff_t p = 0; p < count; p++)
      b->sums[first + p] = (real)(b->sums[first + p] + b->scale * sums[p]);
  }
}

void THNN_(addColumnSums)(const real *x, ptrdiff_t rows, int64_t planes, accreal scale, real *sums)
{
  THNN_(Bias) b = {x, sums, 1, planes, rows, scale};
  THParallel_for((planes + 31) / 32, THMax(1, TH_LOOP_GRAIN / THMax(1, 32 * rows)),
                 THNN_(sumColumns), &b);
}

static THNN_(Sums) THNN_(sumsOf)(const THNNConvolution *c, THNN_(Call) * call)
{
  THNN_(Sums) w = {.c = c, .sets = THNN_(setsOf)(c)};
  w.threads = THParallel_threads(w.sets * c->groups, 1);
  w.plan = THNNConvPlan_of(c, 0, THNN_PLAN_WHOLE,
                           THNN_(scratchBytes)(call, THNNConvPlan_memory(c, 0, THNN_PLAN_WHOLE)));
  w.planeY = THNNConvPlan_other(c, &w.plan, w.layoutY);
  w.sums = THNN_(scratch)(call, w.sets * c->outputs * c->depth);
  w.imagesAtOnce = THNN_(imagesThatFit)(THNN_(flatImage)(&w));
  w.flat = THNN_(scratch)(call, w.threads * w.imagesAtOnce * THNN_(flatImage)(&w));
  w.mask = THNN_(scratch)(call, w.planeY);
  return w;
}

void THNN_(addSets)(const real *sums, ptrdiff_t sets, ptrdiff_t count, real *weights, accreal scale)
{
  for (ptrdiff_t i = 0; i < count; i++) {
    accreal total = 0;
    for (ptrdiff_t set = 0; set < sets; set++)
      total += (accreal)sums[set * count + i];
    weights[i] = (real)(weights[i] + scale * total);
  }
}

static void THNN_(weightsByDirect)(THNN_(Gradient) * g, THNN_(WinogradPlan) * plan)
{
  const THNNConvolution *c = g->c;
  THNN_(Sums) w = THNN_(sumsOf)(c, &g->call);
  w.totals = THNN_(totalsOfSets)(g);
  THNN_(start)(&g->call);
  w.x = THTensor_(data)(g->x);
  w.y = THTensor_(data)(g->y);
  THNN_(setMask)(c, &w.plan, w.planeY, (real *)w.mask);
  THParallel_for(w.sets * c->groups, 1, THNN_(sumSets), &w);
  THNN_(addSets)(w.sums, w.sets, c->outputs * c->depth, THTensor_(data)(g->gradWeight), g->scale);
}

static void THNN_(weightsByDepthwiseNchw)(THNN_(Gradient) * g, THNN_(WinogradPlan) * plan)
{
  const THNNConvolution *c = g->c;
  const ptrdiff_t all = c->outputs * c->depth;
  THNN_(SlidSums) s = {.c = c, .sets = THNN_(setsOf)(c)};
  s.sums = THNN_(scratch)(&g->call, s.sets * all);
  s.totals = THNN_(totalsOfSets)(g);
  THNN_(start)(&g->call);
  s.x = THTensor_(data)(g->x);
  s.y = THTensor_(data)(g->y);
  const ptrdiff_t items = s.sets * c->outputs;
  const ptrdiff_t each = THMax(1, THNN_(imagesOf)(c) / THMax(1, items)); /* elements of an item */
  THParallel_for(items, THMax(1, TH_LOOP_GRAIN / 8 / each), THNN_(slidSets), &s);
  THNN_(addSets)(s.sums, s.sets, all, THTensor_(data)(g->gradWeight), g->scale);
}

static void THNN_(weightsByIm2Col)(THNN_(Gradient) * g, THNN_(WinogradPlan) * plan)
{
  const THNNConvolution *c = g->c;
  const ptrdiff_t planes = c->planes / c->groups;
  THNN_(Columns) w = {.c = c, .chunk = THMax((planes + 7) / 8, THMin(planes, 16))};
  const ptrdiff_t chunks = c->groups * ((planes + w.chunk - 1) / w.chunk);
  w.threads = THParallel_threads(chunks, 1);
  if (!THNN_(areElements)(c))
    w.columns = THNN_(scratch)(&g->call, w.threads * w.chunk * c->window * c->windows);
  THNN_(needBlas)();
  THNN_(start)(&g->call);
  w.x = THTensor_(data)(g->x);
  w.y = THTensor_(data)(g->y);
  w.weight = THTensor_(data)(g->gradWeight);
  w.scale = (real)g->scale;
  THParallel_for(chunks, 1, THNN_(columnChunks), &w);
}

/* --- the table of algorithms ----------------------------------------------------------------- */

/* In this order: the first one that supports a convolution and costs less than those after it
 * computes it.  The last one always does. */
static const THNN_(Algorithm) THNN_(algorithms)[] = {
    {"depthwise_nchw", THNN_(supportsDepthwiseNchw), THNN_(costOfDepthwiseNchw),
     THNN_(convolveByDepthwiseNchw), THNN_(weightsByDepthwiseNchw)},
    {"depthwise_nhwc", THNN_(supportsDepthwiseNhwc), THNN_(costOfDepthwiseNhwc),
     THNN_(convolveByDepthwiseNhwc), THNN_(weightsByDepthwiseNhwc)},
    {"winograd3x3", THNN_(supportsWinograd3x3), THNN_(costOfWinograd3x3),
     THNN_(convolveByWinograd3x3), THNN_(weightsByWinograd3x3)},
    {"winograd5x5", THNN_(supportsWinograd5x5), THNN_(costOfWinograd5x5),
     THNN_(convolveByWinograd5x5), THNN_(weightsByWinograd5x5)},
    {"scatter", THNN_(supportsScatter), THNN_(costOfScatter), THNN_(convolveByScatter), NULL},
    {"column_panels", THNN_(supportsColumnPanels), THNN_(costOfColumnPanels),
     THNN_(convolveByColumnPanels), NULL},
    {"implicit_gemm", THNN_(supportsImplicitGemm), THNN_(costOfImplicitGemm),
     THNN_(convolveByImplicitGemm), THNN_(weightsByImplicitGemm)},
    {"direct", THNN_(supportsDirect), THNN_(costOfDirect), THNN_(convolveByDirect),
     THNN_(weightsByDirect)},
    {"im2col", THNN_(supportsIm2Col), THNN_(costOfIm2Col), THNN_(convolveByIm2Col),
     THNN_(weightsByIm2Col)},
};
enum { ALGORITHMS = sizeof THNN_(algorithms) / sizeof *THNN_(algorithms) };

/* The row for c in the layout that c->channelsLast says; NULL if there is none.  forced: the row of that
 * name alone, whatever it costs, if there is memory for it. */
static const THNN_(Algorithm) * THNN_(rowOf)(const THNNConvolution *c, THNNPass pass,
                                             const char *forced, THNN_(WinogradPlan) * plan)
{
  for (int i = 0; i < ALGORITHMS; i++) {
    const THNN_(Algorithm) *row = &THNN_(algorithms)[i];
    if ((!forced || !strcmp(forced, row->name)) && row->supports(c, pass) &&
        row->cost(c, pass, plan) < (forced ? INFINITY : THNN_NEVER))
      return row;
  }
  return NULL;
}

/* Chooses for tensors that lie channels-last if channelsLast, or else in order.  Where no row
 * computes in their own layout, they are brought in order. */
static void THNN_(choose)(const THNNConvolution *c, THNNPass pass, int channelsLast,
                          THNN_(Choice) * choice)
{
  const char *forced = THNNConvolution_forced();
  choice->row = NULL;
  for (int isFree = !forced; !choice->row && isFree < 2; isFree++)
    for (int inOrder = !channelsLast; !choice->row && inOrder < 2; inOrder++) {
      if (!inOrder)
        choice->nhwc = THNN_(toNhwc)(c);
      choice->c = inOrder ? c : &choice->nhwc;
      choice->row = THNN_(rowOf)(choice->c, pass, isFree ? NULL : forced, &choice->plan);
    }
}

/* --- the three passes ------------------------------------------------------------------------ */

static void THNN_(convolveEither)(const THNNConvolution *c, THNNPass pass, THTensor *from,
                                  THTensor *weight, THTensor *bias, THTensor *to)
{
  const int backward = pass == THNN_BACKWARD_DATA;
  THNN_(Choice) choice;
  THNN_(choose)(c, pass, THNN_(isNhwc)(c, to, backward ? c->xSize : c->ySize), &choice);
  if (!choice.c->channelsLast) {
    choice.row->convolve(c, backward, from, weight, bias, to);
    return;
  }
  THGuard guard[2];
  from = THNN_(viewNhwc)(c, &guard[0], from);
  to = THNN_(viewNhwc)(c, &guard[1], to);
  choice.row->convolve(choice.c, backward, from, weight, bias, to);
  THGuard_leave(&guard[1]);
  THGuard_leave(&guard[0]);
}

void THNN_(convolve)(const THNNConvolution *c, THTensor *x, THTensor *weight, THTensor *bias,
                     THTensor *y)
{
  THNN_(convolveEither)(c, THNN_FORWARD, x, weight, bias, y);
}

void THNN_(convolveBackwardData)(const THNNConvolution *c, THTensor *y, THTensor *weight,
                                 THTensor *bias, THTensor *x)
{
  THNN_(convolveEither)(c, THNN_BACKWARD_DATA, y, weight, bias, x);
}

/* What the algorithm has not added to the gradient of the bias. */
static void THNN_(addBias)(THNN_(Gradient) * g)
{
  const THNNConvolution *c = g->c;
  if (!g->gradBias || g->isBiasAdded)
    return;
  real *sums = THTensor_(data)(g->gradBias);
  if (g->totals) {
    THNN_(addTotals)(g->totals, THNN_(setsOf)(c), c->outputs, sums, g->scale);
    return;
  }
  const real *from = THTensor_(data)(g->biasOfX ? g->x : g->y);
  const int64_t planes = g->biasOfX ? c->planes : c->outputs;
  const ptrdiff_t n = g->biasOfX ? c->image : c->windows;
  if (c->channelsLast)
    THNN_(addColumnSums)(from, c->batch * n, planes, g->scale, sums);
  else
    THNN_(addPlaneSums)(from, c->batch, planes, n, g->scale, sums);
}

/* The same in the layout of g->c; row is NULL where only gradBias is wanted. */
static void THNN_(addGradients)(THNN_(Gradient) * g, const THNN_(Algorithm) * row,
                                THNN_(WinogradPlan) * plan)
{
  THNN_(begin)(&g->call);
  g->x = THNN_(source)(&g->call, g->x);
  g->y = THNN_(source)(&g->call, g->y);
  g->gradWeight = THNN_(sum)(&g->call, g->gradWeight);
  g->gradBias = THNN_(sum)(&g->call, g->gradBias);
  if (row)
    row->weights(g, plan);
  else
    THNN_(start)(&g->call);
  THNN_(addBias)(g);
  THNN_(finish)(&g->call);
}

void THNN_(convolveBackwardWeights)(const THNNConvolution *c, THTensor *x, THTensor *y,
                                    THTensor *gradWeight, THTensor *gradBias, int biasOfX,
                                    accreal scale)
{
  const int channelsLast = THNN_(isNhwc)(c, x, c->xSize) || THNN_(isNhwc)(c, y, c->ySize);
  THNN_(Choice) choice;
  THNN_(choose)(c, THNN_BACKWARD_WEIGHTS, channelsLast, &choice);
  THNN_(Gradient)
  g = {.c = choice.c, .gradWeight = gradWeight, .gradBias = gradBias, .biasOfX = biasOfX};
  g.scale = scale;
  THGuard guard[2];
  g.x = choice.c->channelsLast ? THNN_(viewNhwc)(c, &guard[0], x) : x;
  g.y = choice.c->channelsLast ? THNN_(viewNhwc)(c, &guard[1], y) : y;
  THNN_(addGradients)(&g, gradWeight ? choice.row : NULL, &choice.plan);
  if (choice.c->channelsLast) {
    THGuard_leave(&guard[1]);
    THGuard_leave(&guard[0]);
  }
}

const char *THNN_(Convolution_algorithm)(const THNNShape *shape, THNNPass pass, int channelsLast,
                                         int *inOrder)
{
  const THNNGroups *how = &shape->how;
  THNNLayer layer = {.spatial = how->axes};
  for (int d = 0; d < 3; d++)
    layer.at[d] = THNNWindow_of(how->size[d], how->step[d], how->pad[d], how->dilation[d]);
  THNNLayer_count(&layer, shape->image + 3 - how->axes, "the shape");
  THNNConvolution c = {.batch = shape->batch,
                       .groups = how->groups,
                       .planes = shape->planes,
                       .outputs = shape->outputs,
                       .at = {layer.at[0], layer.at[1], layer.at[2]},
                       .dims = how->axes + 2,
                       .batched = 1};
  THNNConvolution_complete(&c);
  /* Tensors of one plane, or of images of one element, lie in order as well. */
  const int isNhwcX = c.planes > 1 && c.image > 1, isNhwcY = c.outputs > 1 && c.windows > 1;
  const int isNhwc = pass == THNN_FORWARD         ? isNhwcY
                     : pass == THNN_BACKWARD_DATA ? isNhwcX
                                                  : isNhwcX || isNhwcY;
  THNN_(Choice) choice;
  THNN_(choose)(&c, pass, channelsLast && isNhwc, &choice);
  *inOrder = !choice.c->channelsLast;
  return choice.row->name;
}

#endif

/* --- the functions of a layer ---------------------------------------------------------------- */

/* The weights of a depth-wise layer are outputs of a plane x planes x ...; the operations want
 * planes first.  NULL for NULL. */
static THTensor *THNN_(planesFirst)(const THNNLayer *l, THGuard *guard, THTensor *t, int64_t planes)
{
  THGuard_enter(guard, (THUndo)THTensor_(free));
  if (!l->depthWise || !t)
    return t;
  THTensor *view = guard->what = THTensor_(new)();
  const int64_t step = t->nDimension == 2 && t->size[1] != planes ? t->size[1] / planes : 0;
  if (step) { /* outputs x (planes * window): planes become a dimension */
    int64_t size[3] = {t->size[0], planes, step};
    int64_t stride[3] = {t->stride[0], step * t->stride[1], t->stride[1]};
    THTensor_(setStorageNd)(view, t->storage, t->storageOffset, 3, size, stride);
    THTensor_(transpose)(view, NULL, 0, 1);
  } else if (t->nDimension > 1) {
    THTensor_(transpose)(view, t, 0, 1);
  } else {
    THTensor_(set)(view, t);
  }
  return view;
}

void THNN_(layerOutput)(THNNLayer layer, THTensor *input, THTensor *output, THTensor *weight,
                        THTensor *bias)
{
  THNNConvolution c = THNN_(convolutionOf)(layer, input, NULL, weight, bias);
#ifndef TH_TEMPLATE_DEVICE
  c.transformed = THNN_(transformedOf)(&layer, &c);
#endif
  THGuard guard[2];
  weight = THNN_(planesFirst)(&layer, &guard[0], weight, c.groups);
  bias = THNN_(planesFirst)(&layer, &guard[1], bias, c.groups);
  if (layer.full)
    THNN_(convolveBackwardData)(&c, input, weight, bias, output);
  else
    THNN_(convolve)(&c, input, weight, bias, output);
  THGuard_leave(&guard[1]);
  THGuard_leave(&guard[0]);
}

void THNN_(layerGradInput)(THNNLayer layer, THTensor *input, THTensor *gradOutput,
                           THTensor *gradInput, THTensor *weight)
{
  const THNNConvolution c = THNN_(convolutionOf)(layer, input, gradOutput, weight, NULL);
  THGuard guard;
  weight = THNN_(planesFirst)(&layer, &guard, weight, c.groups);
  if (layer.full)
    THNN_(convolve)(&c, gradOutput, weight, NULL, gradInput);
  else
    THNN_(convolveBackwardData)(&c, gradOutput, weight, NULL, gradInput);
  THGuard_leave(&guard);
}

void THNN_(layerGradParameters)(THNNLayer layer, THTensor *input, THTensor *gradOutput,
                                THTensor *gradWeight, THTensor *gradBias, accreal scale)
{
  const THNNConvolution c = THNN_(convolutionOf)(layer, input, gradOutput, gradWeight, gradBias);
  THGuard guard[2];
  gradWeight = THNN_(planesFirst)(&layer, &guard[0], gradWeight, c.groups);
  gradBias = THNN_(planesFirst)(&layer, &guard[1], gradBias, c.groups);
  if (layer.full)
    THNN_(convolveBackwardWeights)(&c, gradOutput, input, gradWeight, gradBias, 1, scale);
  else
    THNN_(convolveBackwardWeights)(&c, input, gradOutput, gradWeight, gradBias, 0, scale);
  THGuard_leave(&guard[1]);
  THGuard_leave(&guard[0]);
}

/* Convolution of images: windows are unfolded into the columns of a matrix, which weight
 * multiplies.
 */
#include "THNNTemplate.h"

#include <omp.h>

typedef struct {
  int dims; /* of input: 3, or 4 with a batch */
  int64_t batch, planes, outputs;
  int64_t inputSize[4], outputSize[4];
  THNNWindow h, w;
  ptrdiff_t image, windows; /* elements of a plane, and of a plane of output */
  ptrdiff_t depth;          /* elements of a window in all planes */
  int unfolds;              /* windows are not simply elements */
} THNN_(Convolution);

/* weight may be gradWeight, bias gradBias; either may be NULL where the function does without. */
static THNN_(Convolution)
    THNN_(convolutionCheck)(THTensor *input, THTensor *gradOutput, THTensor *weight, THTensor *bias,
                            int kW, int kH, int dW, int dH, int padW, int padH)
{
  const int dims = input->nDimension;
  THArgCheck(dims == 3 || dims == 4, 2,
             "input has size %s, and has to be planes x height x width, or a batch of that",
             THTensor_(sizeDesc)(input).str);
  THNN_(Convolution)
  c = {
      .dims = dims,
      .batch = dims == 4 ? input->size[0] : 1,
      .planes = input->size[dims - 3],
      .h = {.input = input->size[dims - 2], .size = kH, .step = dH, .pad = padH, .dilation = 1},
      .w = {.input = input->size[dims - 1], .size = kW, .step = dW, .pad = padW, .dilation = 1},
  };
  THNNWindow_check(&c.h, "H");
  THNNWindow_check(&c.w, "W");
  THNNWindow_count(&c.h, 0);
  THNNWindow_count(&c.w, 0);
  if (c.h.output < 1 || c.w.output < 1)
    THError("input of size %s is too small for windows of %d x %d with padding of %d x %d",
            THTensor_(sizeDesc)(input).str, kH, kW, padH, padW);
  if (__builtin_mul_overflow(c.planes, (ptrdiff_t)kH * kW, &c.depth))
    THError("windows of %d x %d in input of size %s are too large", kH, kW,
            THTensor_(sizeDesc)(input).str);

  if (weight) {
    const int flat = weight->nDimension == 2;
    if (!(flat && weight->size[1] == c.depth) &&
        !(weight->nDimension == 4 && weight->size[1] == c.planes && weight->size[2] == kH &&
          weight->size[3] == kW))
      THError("weight has size %s, which does not fit input of size %s and windows of %d x %d",
              THTensor_(sizeDesc)(weight).str, THTensor_(sizeDesc)(input).str, kH, kW);
    c.outputs = weight->size[0];
  } else {
    c.outputs = gradOutput && gradOutput->nDimension == dims ? gradOutput->size[dims - 3] : 0;
  }
  if (bias && weight && THTensor_(nElement)(bias) != c.outputs)
    THError("bias has size %s, weight has %s", THTensor_(sizeDesc)(bias).str,
            THTensor_(sizeDesc)(weight).str);
  if (bias && THTensor_(nElement)(bias) != c.outputs)
    THError("bias has size %s, gradOutput has %s", THTensor_(sizeDesc)(bias).str,
            THTensor_(sizeDesc)(gradOutput).str);

  memcpy(c.inputSize, input->size, (size_t)dims * sizeof *c.inputSize);
  memcpy(c.outputSize, input->size, (size_t)dims * sizeof *c.outputSize);
  c.outputSize[dims - 3] = c.outputs;
  c.outputSize[dims - 2] = c.h.output;
  c.outputSize[dims - 1] = c.w.output;
  if (gradOutput &&
      !THSize_isSameSizeAs(gradOutput->size, gradOutput->nDimension, c.outputSize, dims))
    THError("gradOutput has size %s, for input of %s it has to be %s",
            THTensor_(sizeDesc)(gradOutput).str, THTensor_(sizeDesc)(input).str,
            _THSizeDesc(c.outputSize, dims).str);
  c.image = c.h.input * c.w.input;
  c.windows = c.h.output * c.w.output;
  c.unfolds = kH > 1 || kW > 1 || dH > 1 || dW > 1 || padH || padW;
  return c;
}

/* --- windows as columns ---------------------------------------------------------------------- */

/* columns(l, p): element l of window p, 0 in the padding; l counts planes, rows, columns. */
static void THNN_(unfold)(const THNN_(Convolution) * c, const real *x, real *columns)
{
  for (int64_t plane = 0; plane < c->planes; plane++, x += c->image)
    for (int64_t kh = 0; kh < c->h.size; kh++)
      for (int64_t kw = 0; kw < c->w.size; kw++, columns += c->windows) {
        int64_t top, bottom, left, right;
        THNNWindow_inside(&c->h, kh, &top, &bottom);
        THNNWindow_inside(&c->w, kw, &left, &right);
        real *to = columns;
        for (int64_t i = 0; i < c->h.output; i++, to += c->w.output) {
          if (i < top || i >= bottom || left >= right) {
            memset(to, 0, (size_t)c->w.output * sizeof *to);
            continue;
          }
          const real *from = x + (i * c->h.step + kh - c->h.pad) * c->w.input + kw - c->w.pad;
          for (int64_t j = 0; j < left; j++)
            to[j] = 0;
          if (c->w.step == 1)
            memcpy(to + left, from + left, (size_t)(right - left) * sizeof *to);
          else
            for (int64_t j = left; j < right; j++)
              to[j] = from[j * c->w.step];
          for (int64_t j = right; j < c->w.output; j++)
            to[j] = 0;
        }
      }
}

/* The sum over the windows that an element is in: x is set. */
static void THNN_(fold)(const THNN_(Convolution) * c, const real *columns, real *x)
{
  memset(x, 0, (size_t)(c->planes * c->image) * sizeof *x);
  for (int64_t plane = 0; plane < c->planes; plane++, x += c->image)
    for (int64_t kh = 0; kh < c->h.size; kh++)
      for (int64_t kw = 0; kw < c->w.size; kw++, columns += c->windows) {
        int64_t top, bottom, left, right;
        THNNWindow_inside(&c->h, kh, &top, &bottom);
        THNNWindow_inside(&c->w, kw, &left, &right);
        for (int64_t i = top; i < bottom; i++) {
          const real *from = columns + i * c->w.output;
          real *to = x + (i * c->h.step + kh - c->h.pad) * c->w.input + kw - c->w.pad;
          for (int64_t j = left; j < right; j++)
            to[j * c->w.step] += from[j];
        }
      }
}

/* --- images for threads ---------------------------------------------------------------------- */

typedef struct {
  const THNN_(Convolution) * c;
  real *input, *output, *weight, *bias;
  real *columns; /* for each thread */
  int threads;
} THNN_(ConvolutionWork);

static real *THNN_(columnsOfThread)(const THNN_(ConvolutionWork) * w)
{
  return w->columns + (w->threads > 1 ? omp_get_thread_num() : 0) * w->c->depth * w->c->windows;
}

static ptrdiff_t THNN_(columnsSize)(const THNN_(Convolution) * c, int threads)
{
  ptrdiff_t size;
  if (__builtin_mul_overflow(c->depth, c->windows, &size) ||
      __builtin_mul_overflow(size, (ptrdiff_t)threads, &size))
    THError("an image of %s unfolds to too many elements", _THSizeDesc(c->inputSize, c->dims).str);
  return c->unfolds ? size : 0;
}

static void THNN_(convolveImages)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(ConvolutionWork) *w = context;
  const THNN_(Convolution) *c = w->c;
  for (ptrdiff_t i = begin; i < end; i++) {
    real *x = w->input + i * c->planes * c->image, *y = w->output + i * c->outputs * c->windows;
    real *columns = x;
    if (c->unfolds)
      THNN_(unfold)(c, x, columns = THNN_(columnsOfThread)(w));
    if (w->bias)
      for (int64_t o = 0; o < c->outputs; o++)
        for (ptrdiff_t p = 0; p < c->windows; p++)
          y[o * c->windows + p] = w->bias[o];
    THBlas_(gemm)('n', 'n', c->windows, c->outputs, c->depth, 1, columns, c->windows, w->weight,
                  c->depth, w->bias ? 1 : 0, y, c->windows);
  }
}

static void THNN_(convolveImagesBack)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(ConvolutionWork) *w = context;
  const THNN_(Convolution) *c = w->c;
  for (ptrdiff_t i = begin; i < end; i++) {
    real *x = w->input + i * c->planes * c->image, *y = w->output + i * c->outputs * c->windows;
    real *columns = c->unfolds ? THNN_(columnsOfThread)(w) : x;
    THBlas_(gemm)('n', 't', c->windows, c->depth, c->outputs, 1, y, c->windows, w->weight, c->depth,
                  0, columns, c->windows);
    if (c->unfolds)
      THNN_(fold)(c, columns, x);
  }
}

/* Computes output from input, or with convolveImagesBack the other way round. */
static void THNN_(runUnfolded)(THNN_(Call) * call, const THNN_(Convolution) * c,
                               void (*images)(void *, ptrdiff_t, ptrdiff_t), THTensor *input,
                               THTensor *output, THTensor *weight, THTensor *bias)
{
  THNN_(ConvolutionWork) w = {.c = c, .threads = THParallel_threads(c->batch, 1)};
  w.columns = THNN_(scratch)(call, THNN_(columnsSize)(c, w.threads));
  THNN_(needBlas)();
  THNN_(start)(call);
  w.input = THTensor_(data)(input);
  w.output = THTensor_(data)(output);
  w.weight = THTensor_(data)(weight);
  w.bias = bias ? THTensor_(data)(bias) : NULL;
  THParallel_for(c->batch, 1, images, &w);
  THNN_(finish)(call);
}

/* --- without unfolding ----------------------------------------------------------------------- */

TH_DISPATCH(THNN_(Direct), THNN_(direct))

/* What a thread needs for a convolution of planes: one image, laid out flat. */
typedef struct {
  THNNDirect d;
  THNNWindow h, w;     /* the planes that are laid out, and the zeros around them */
  const real *from;    /* images */
  ptrdiff_t image;     /* elements of one */
  const real *weights; /* packed */
  const real *bias;
  real *to;
  real *flat; /* for each thread */
  int threads;
} THNN_(DirectWork);

/* Planes of count rows of width elements, pitch apart, and zeros everywhere else. */
static void THNN_(layOut)(const real *x, ptrdiff_t planes, ptrdiff_t rows, ptrdiff_t columns,
                          real *flat, ptrdiff_t plane, ptrdiff_t pitch, ptrdiff_t first)
{
  memset(flat, 0, (size_t)(planes * plane) * sizeof *flat);
  for (ptrdiff_t p = 0; p < planes; p++)
    for (ptrdiff_t i = 0; i < rows; i++)
      memcpy(flat + p * plane + first + i * pitch, x + (p * rows + i) * columns,
             (size_t)columns * sizeof *flat);
}

static real *THNN_(flatOfThread)(real *flat, ptrdiff_t size, int threads)
{
  return flat + (threads > 1 ? omp_get_thread_num() : 0) * size;
}

static void THNN_(directImages)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(DirectWork) *w = context;
  const THNNDirect *d = &w->d;
  real *flat = THNN_(flatOfThread)(w->flat, d->planes * d->plane, w->threads);
  for (ptrdiff_t i = begin; i < end; i++) {
    THNN_(layOut)
    (w->from + i * w->image, d->planes, w->h.input, w->w.input, flat, d->plane, d->pitch,
     w->h.pad * d->pitch + w->w.pad);
    THNN_(direct)->convolve(d, flat, w->weights, w->bias,
                            w->to + i * d->outputs * d->rows * d->columns);
  }
}

/* The direct way forward: one step apart. */
static int THNN_(isDirect)(const THNN_(Convolution) * c)
{
  return c->h.step == 1 && c->w.step == 1;
}

/* The direct way back is a convolution of gradOutput with the weights turned round, with as many
 * zeros around it as make its size that of the input. */
static int THNN_(isDirectBack)(const THNN_(Convolution) * c)
{
  return THNN_(isDirect)(c) && c->h.pad < c->h.size && c->w.pad < c->w.size;
}

/* Turned round, plane i of the output is computed from plane o of the input. */
static void THNN_(packWeights)(const THNN_(Convolution) * c, const real *weight, int turned,
                               real *packed)
{
  const ptrdiff_t window = c->h.size * c->w.size;
  const ptrdiff_t planes = turned ? c->outputs : c->planes;
  const ptrdiff_t outputs = turned ? c->planes : c->outputs;
  for (ptrdiff_t first = 0; first < outputs; first += THNN_DIRECT_OUTPUTS)
    for (ptrdiff_t p = 0; p < planes; p++)
      for (ptrdiff_t at = 0; at < window; at++)
        for (ptrdiff_t o = first; o < first + THNN_DIRECT_OUTPUTS; o++, packed++)
          if (o >= outputs)
            *packed = 0;
          else if (turned)
            *packed = weight[p * c->depth + o * window + window - 1 - at];
          else
            *packed = weight[o * c->depth + p * window + at];
}

static ptrdiff_t THNN_(packedSize)(const THNNDirect *d)
{
  return THNNDirect_blocks(d) * THNN_DIRECT_OUTPUTS * d->planes * d->height * d->width;
}

/* Computes output from input, or, turned, the other way round. */
static void THNN_(runDirect)(THNN_(Call) * call, const THNN_(Convolution) * c, int turned,
                             THTensor *from, THTensor *to, THTensor *weight, THTensor *bias)
{
  const THNNWindow *h = &c->h, *w = &c->w;
  THNN_(DirectWork) work = {.threads = THParallel_threads(c->batch, 1)};
  if (turned) {
    work.d = THNNDirect_of(c->outputs, c->planes, h->size, w->size, h->input, w->input);
    work.h = (THNNWindow){.input = h->output, .pad = h->size - 1 - h->pad};
    work.w = (THNNWindow){.input = w->output, .pad = w->size - 1 - w->pad};
  } else {
    work.d = THNNDirect_of(c->planes, c->outputs, h->size, w->size, h->output, w->output);
    work.h = *h;
    work.w = *w;
  }
  work.image = work.d.planes * work.h.input * work.w.input;
  real *packed = THNN_(scratch)(call, THNN_(packedSize)(&work.d));
  work.flat = THNN_(scratch)(call, work.threads * work.d.planes * work.d.plane);
  THNN_(start)(call);
  THNN_(packWeights)(c, THTensor_(data)(weight), turned, packed);
  work.weights = packed;
  work.bias = bias ? THTensor_(data)(bias) : NULL;
  work.from = THTensor_(data)(from);
  work.to = THTensor_(data)(to);
  THParallel_for(c->batch, 1, THNN_(directImages), &work);
  THNN_(finish)(call);
}

/* Sums over images are taken in groups whose number depends on the shapes alone, and then over the
 * groups in order. */
enum { IMAGE_GROUPS = 8 };

typedef struct {
  THNNDirect d;
  const THNN_(Convolution) * c;
  const real *x, *g, *mask;
  real *sums;    /* for each group */
  real *flat;    /* for each thread: x, then g */
  ptrdiff_t few; /* images that are summed up in registers, together */
  int groups, threads;
} THNN_(DirectSums);

static void THNN_(directGroups)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(DirectSums) *w = context;
  const THNN_(Convolution) *c = w->c;
  const THNNDirect *d = &w->d;
  const ptrdiff_t sizeX = d->planes * d->plane, sizeG = d->outputs * d->sumPlane;
  real *x = THNN_(flatOfThread)(w->flat, w->few * (sizeX + sizeG), w->threads);
  real *g = x + w->few * sizeX;
  for (ptrdiff_t group = begin; group < end; group++) {
    real *sums = w->sums + group * c->outputs * c->depth;
    memset(sums, 0, (size_t)(c->outputs * c->depth) * sizeof *sums);
    const ptrdiff_t last = (group + 1) * c->batch / w->groups;
    for (ptrdiff_t i = group * c->batch / w->groups; i < last; i += w->few) {
      const ptrdiff_t images = THMin(w->few, last - i);
      for (ptrdiff_t k = 0; k < images; k++) {
        THNN_(layOut)
        (w->x + (i + k) * c->planes * c->image, c->planes, c->h.input, c->w.input, x + k * sizeX,
         d->plane, d->pitch, c->h.pad * d->pitch + c->w.pad);
        THNN_(layOut)
        (w->g + (i + k) * c->outputs * c->windows, c->outputs, d->rows, d->columns, g + k * sizeG,
         d->sumPlane, d->pitch, 0);
      }
      THNN_(direct)->correlate(d, images, x, g, w->mask, sums);
    }
  }
}

/* All bits of the elements that are outputs. */
static void THNN_(setMask)(const THNNDirect *d, real *mask)
{
  memset(mask, 0, (size_t)d->sumPlane * sizeof *mask);
  for (ptrdiff_t i = 0; i < d->rows; i++)
    memset(mask + i * d->pitch, 0xff, (size_t)d->columns * sizeof *mask);
}

/* --- the layer ------------------------------------------------------------------------------- */

void THNN_(SpatialConvolutionMM_updateOutput)(THNNState *state, THTensor *input, THTensor *output,
                                              THTensor *weight, THTensor *bias, THTensor *finput,
                                              THTensor *fgradInput, int kW, int kH, int dW, int dH,
                                              int padW, int padH)
{
  const THNN_(Convolution) c =
      THNN_(convolutionCheck)(input, NULL, weight, bias, kW, kH, dW, dH, padW, padH);
  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  weight = THNN_(source)(&call, weight);
  bias = THNN_(source)(&call, bias);
  THTensor *out = THNN_(result)(&call, output, c.dims, c.outputSize);
  if (THNN_(isDirect)(&c))
    THNN_(runDirect)(&call, &c, 0, input, out, weight, bias);
  else
    THNN_(runUnfolded)(&call, &c, THNN_(convolveImages), input, out, weight, bias);
}

void THNN_(SpatialConvolutionMM_updateGradInput)(THNNState *state, THTensor *input,
                                                 THTensor *gradOutput, THTensor *gradInput,
                                                 THTensor *weight, THTensor *finput,
                                                 THTensor *fgradInput, int kW, int kH, int dW,
                                                 int dH, int padW, int padH)
{
  const THNN_(Convolution) c =
      THNN_(convolutionCheck)(input, gradOutput, weight, NULL, kW, kH, dW, dH, padW, padH);
  THNN_(Call) call;
  THNN_(begin)(&call);
  gradOutput = THNN_(source)(&call, gradOutput);
  weight = THNN_(source)(&call, weight);
  THTensor *grad = THNN_(result)(&call, gradInput, c.dims, c.inputSize);
  if (THNN_(isDirectBack)(&c))
    THNN_(runDirect)(&call, &c, 1, gradOutput, grad, weight, NULL);
  else
    THNN_(runUnfolded)(&call, &c, THNN_(convolveImagesBack), grad, gradOutput, weight, NULL);
}

void THNN_(SpatialConvolutionMM_accGradParameters)(THNNState *state, THTensor *input,
                                                   THTensor *gradOutput, THTensor *gradWeight,
                                                   THTensor *gradBias, THTensor *finput,
                                                   THTensor *fgradInput, int kW, int kH, int dW,
                                                   int dH, int padW, int padH, accreal scale)
{
  const THNN_(Convolution) c =
      THNN_(convolutionCheck)(input, gradOutput, gradWeight, gradBias, kW, kH, dW, dH, padW, padH);
  THNN_(Call) call;
  THNN_(begin)(&call);
  input = THNN_(source)(&call, input);
  gradOutput = THNN_(source)(&call, gradOutput);
  gradWeight = THNN_(sum)(&call, gradWeight);
  gradBias = THNN_(sum)(&call, gradBias);
  /* Sums for each group of images must not take more memory than the images themselves. */
  const int groups = (int)THMin(c.batch, IMAGE_GROUPS);
  const int direct = gradWeight && THNN_(isDirect)(&c) &&
                     c.outputs * c.depth * groups <= c.batch * c.planes * c.image;
  THNN_(DirectSums) w = {.c = &c, .groups = groups, .threads = THParallel_threads(groups, 1)};
  if (direct) {
    w.d = THNNDirect_of(c.planes, c.outputs, kH, kW, c.h.output, c.w.output);
    w.sums = THNN_(scratch)(&call, groups * c.outputs * c.depth);
    const ptrdiff_t size = c.planes * w.d.plane + c.outputs * w.d.sumPlane;
    w.few = THMax(1, THMin(8, (1 << 16) / size));
    w.flat = THNN_(scratch)(&call, w.threads * w.few * size);
    w.mask = THNN_(scratch)(&call, w.d.sumPlane);
  }
  real *columns = THNN_(scratch)(&call, gradWeight && !direct ? THNN_(columnsSize)(&c, 1) : 0);
  if (gradWeight && !direct)
    THNN_(needBlas)();
  THNN_(start)(&call);

  real *x = THTensor_(data)(input), *g = THTensor_(data)(gradOutput);
  if (direct) {
    w.x = x;
    w.g = g;
    THNN_(setMask)(&w.d, (real *)w.mask);
    THParallel_for(groups, 1, THNN_(directGroups), &w);
    real *sum = THTensor_(data)(gradWeight);
    for (ptrdiff_t i = 0; i < c.outputs * c.depth; i++) {
      accreal total = 0;
      for (int group = 0; group < groups; group++)
        total += (accreal)w.sums[group * c.outputs * c.depth + i];
      sum[i] = (real)(sum[i] + scale * total);
    }
  } else if (gradWeight) {
    for (int64_t i = 0; i < c.batch; i++) {
      real *image = x + i * c.planes * c.image;
      if (c.unfolds)
        THNN_(unfold)(&c, image, columns);
      THBlas_(gemm)('t', 'n', c.depth, c.outputs, c.windows, (real)scale,
                    c.unfolds ? columns : image, c.windows, g + i * c.outputs * c.windows,
                    c.windows, 1, THTensor_(data)(gradWeight), c.depth);
    }
  }
  if (gradBias)
    for (int64_t o = 0; o < c.outputs; o++) {
      accreal sum = 0;
      for (int64_t i = 0; i < c.batch; i++)
        for (ptrdiff_t p = 0; p < c.windows; p++)
          sum += (accreal)g[(i * c.outputs + o) * c.windows + p];
      real *b = THTensor_(data)(gradBias) + o;
      *b = (real)(*b + scale * sum);
    }
  THNN_(finish)(&call);
}

/* Convolutions by implicit products of matrices: the columns are read from the image. */
#include "TH/loop/THPlan.h"
#include "TH/loop/THStream.h"

#include "THNN/layer/Template.h"

#include "THNN/conv/Memory.h"

TH_DISPATCH(THNN_(Implicit), THNN_(implicit))

/* --- which ones ------------------------------------------------------------------------------ */

/* With outputs in the lanes: the fraction of the computed results that is used.  A single vector does
 * not keep the processor busy. */
static double THNN_(laneUtilization)(ptrdiff_t outputs)
{
  const ptrdiff_t lanes = THNN_(implicit)->lanes, vectors = (outputs + lanes - 1) / lanes;
  return (double)outputs / (double)(vectors * lanes) * (vectors == 1 ? 0.7 : 1);
}

/* Positions of a part along a dimension. */
static int64_t THNN_(positionsAlong)(const THNNWindow *w, int backward)
{
  return backward ? (w->input + w->step - 1) / w->step : w->output;
}

/* The same with positions of the padded image in the lanes, as in DirectConv.h. */
static double THNN_(positionUtilization)(const THNNConvolution *c, int backward, ptrdiff_t outputs)
{
  ptrdiff_t wanted = 1, computed = 1;
  for (int d = 0; d < 3; d++) {
    const THNNWindow *w = &c->at[d];
    const int64_t reach = (w->size - 1) * w->dilation / w->step;
    const int64_t count = THNN_(positionsAlong)(w, backward);
    wanted *= count;
    computed *= d == 0 ? count : count + reach;
  }
  const ptrdiff_t block = THNNDirect_block(outputs);
  const ptrdiff_t strip = (block < THNN_DIRECT_OUTPUTS ? 6 : 4) * THNN_(implicit)->lanes;
  const ptrdiff_t blocks = (outputs + block - 1) / block;
  computed = (computed + strip - 1) / strip * strip;
  return (double)wanted / (double)computed * (double)outputs / (double)(blocks * block);
}

/* The same for scattering (ScatterConv.c), with windows in the lanes.  Adding half a vector to a row of
 * the image takes about two thirds of the time of a term. */
static double THNN_(windowUtilization)(const THNNConvolution *c)
{
  const ptrdiff_t planes = c->planes / c->groups, outputs = c->outputs / c->groups;
  const ptrdiff_t lanes = THNN_(implicit)->lanes, half = THMax(1, lanes / 2);
  const ptrdiff_t block = THNNDirect_block(planes), blocks = (planes + block - 1) / block;
  const ptrdiff_t strip = (block < THNN_DIRECT_OUTPUTS ? 6 : 4) * lanes;
  const ptrdiff_t computed = (c->windows + strip - 1) / strip * strip;
  const ptrdiff_t row = c->at[2].output;
  ptrdiff_t wanted = 1;
  for (int d = 0; d < 3; d++)
    wanted *= THNN_(positionsAlong)(&c->at[d], 1);
  const double halves = (double)strip / (double)row * (double)((row + half - 1) / half);
  const double adding = 2.0 / 3.0 * halves / (double)outputs;
  return (double)wanted / ((double)computed * (1 + adding)) * (double)planes /
         (double)(blocks * block);
}

/* Backward data alone. */
int THNN_(supportsScatter)(const THNNConvolution *c, THNNPass pass)
{
  if (pass != THNN_BACKWARD_DATA || c->channelsLast || c->groups < 1 || c->at[2].step > 1 ||
      c->depth == 0 || c->outputs == 0)
    return 0;
  double flat = 1; /* the image with its padding, which has no limit */
  for (int d = 0; d < 3; d++)
    flat *= (double)c->at[d].input + 2.0 * (double)c->at[d].pad;
  return flat <= 4.0 * (double)c->image;
}

double THNN_(costOfScatter)(const THNNConvolution *c, THNNPass pass, THNN_(WinogradPlan) * plan)
{
  const ptrdiff_t planes = c->planes / c->groups;
  return 1.1 * THMax(THNN_(laneUtilization)(planes), THNN_(positionUtilization)(c, 1, planes)) /
         THNN_(windowUtilization)(c);
}

static ptrdiff_t THNN_(resultsOf)(const THNNConvolution *c, THNNPass pass)
{
  return (pass == THNN_BACKWARD_DATA ? c->planes : c->outputs) / c->groups;
}

int THNN_(supportsImplicitGemm)(const THNNConvolution *c, THNNPass pass)
{
  const int isEmpty = c->depth == 0 && (c->channelsLast || pass != THNN_BACKWARD_WEIGHTS);
  return c->groups > 0 && c->batch > 0 && !isEmpty && THNN_(resultsOf)(c, pass) > 0;
}

double THNN_(costOfImplicitGemm)(const THNNConvolution *c, THNNPass pass,
                                 THNN_(WinogradPlan) * plan)
{
  enum {
    MIN_ROWS = 32, /* for which the other matrix is not worth its transposition */
    OF_RESULT = 20,
    LARGE_RESULT = 1 << 17
  };
  const ptrdiff_t results = THNN_(resultsOf)(c, pass);
  if (c->channelsLast || pass == THNN_BACKWARD_WEIGHTS) /* results fill at least half a vector */
    return 2 * results >= THNN_(implicit)->lanes ? THNN_ALWAYS : THNN_NEVER;
  const int backward = pass == THNN_BACKWARD_DATA;
  if (results < 2 || c->batch * (backward ? c->image : c->windows) < MIN_ROWS)
    return THNN_NEVER;
  /* It copies planes and transposes the result: flat planes are better taken as they are, and a
   * result that leaves the L2 cache in between takes as long as so many terms. */
  const double worth = THNN_(areFlat)(c) ? 0.9 : 1;
  const ptrdiff_t size = backward ? c->image : c->windows;
  const ptrdiff_t terms = THMax(1, (backward ? c->outputs : c->planes) / c->groups * c->window);
  const double more = size * results >= LARGE_RESULT ? OF_RESULT / (double)terms : 0;
  return THNN_(positionUtilization)(c, backward, results) /
         (worth * THNN_(laneUtilization)(results)) * (1 + more);
}

/* --- what both have in common ---------------------------------------------------------------- */

ptrdiff_t THNN_(widthOf)(ptrdiff_t outputs)
{
  const ptrdiff_t lanes = THNN_(implicit)->lanes;
  return THMin(THNN_(implicit)->vectors, (outputs + lanes - 1) / lanes) * lanes;
}

ptrdiff_t THNN_(vectorsOf)(ptrdiff_t outputs)
{
  return (outputs + THNN_(implicit)->lanes - 1) / THNN_(implicit)->lanes;
}

/* Elements rounded up to whole vectors, so that what follows in memory is aligned to vectors. */
static ptrdiff_t THNN_(wholeVectors)(ptrdiff_t elements)
{
  return THNN_(vectorsOf)(elements) * THNN_(implicit)->lanes;
}

void THNN_(packOutputs)(ptrdiff_t count, ptrdiff_t columns, const real *outputs, ptrdiff_t next,
                        real *m)
{
  const ptrdiff_t width = THNN_(vectorsOf)(count) * THNN_(implicit)->lanes;
  if (width > count)
    memset(m, 0, (size_t)(columns * width) * sizeof *m);
  THNN_(implicit)->transpose(count, columns, outputs, next, m, width);
}

void THNN_(packWindows)(ptrdiff_t count, ptrdiff_t window, const real *windows, real *m)
{
  enum { LANES = 64 / sizeof(real), OUTPUTS = 4 * LANES }; /* at most */
  const ptrdiff_t lanes = THNN_(implicit)->lanes, width = THNN_(vectorsOf)(count) * lanes;
  if (window >= lanes) {
    THNN_(packOutputs)(count, window, windows, window, m);
    return;
  }
  real copy[(OUTPUTS + 1) * LANES]; /* the last vector begins with the last window */
  const ptrdiff_t all = count * window, read = (width - 1) * window + lanes;
  memcpy(copy, windows, (size_t)all * sizeof *copy);
  memset(copy + all, 0, (size_t)(read - all) * sizeof *copy);
  THNN_(implicit)->transpose(width, lanes, copy, window, m, width);
}

void THNN_(copyParts)(ptrdiff_t rows, const real *from, ptrdiff_t next, ptrdiff_t count, real *m)
{
  const ptrdiff_t width = THNN_(vectorsOf)(count) * THNN_(implicit)->lanes;
  THNN_(winograd)->copyRows(rows, count, from, next, m, width);
  if (width > count)
    for (ptrdiff_t i = 0; i < rows; i++)
      memset(m + i * width + count, 0, (size_t)(width - count) * sizeof *m);
}

/* Lists the offsets of the positions of a part, for some images; these are next apart, and
 * neighbouring positions are positionStride apart. */
static ptrdiff_t THNN_(listPositions)(const THNNConvPlan *p, const THNNDirect *d, ptrdiff_t images,
                                      ptrdiff_t next, ptrdiff_t positionStride, ptrdiff_t *list)
{
  ptrdiff_t count = 0;
  for (ptrdiff_t image = 0; image < images; image++)
    for (ptrdiff_t t = 0; t < d->count[0]; t++)
      for (ptrdiff_t i = 0; i < d->count[1]; i++)
        for (ptrdiff_t j = 0; j < d->count[2]; j++)
          list[count++] =
              image * next +
              ((t * p->stride[0] * d->rows + i * p->stride[1]) * d->pitch + j * p->stride[2]) *
                  positionStride;
  return count;
}

static ptrdiff_t THNN_(positionsOf)(const THNNDirect *d)
{
  return THMax(d->count[0], 0) * THMax(d->count[1], 0) * THMax(d->count[2], 0);
}

/* Lists the offsets of the terms of a part, for some planes.  Channels-last, stride is the
 * distance of neighbouring positions, otherwise that of planes. */
static void THNN_(listTerms)(const THNNConvolution *c, const THNNPart *part, ptrdiff_t planes,
                             ptrdiff_t stride, ptrdiff_t *list)
{
  for (ptrdiff_t s = 0; s < planes; s++)
    for (ptrdiff_t t = 0; t < part->taps; t++)
      *list++ = c->channelsLast ? part->d.offset[t] * stride + s : part->d.offset[t] + s * stride;
}

/* Copies some planes of a channels-last image, with the padding: positions are next apart in x, and
 * positionStride in flat. */
static void THNN_(copyPaddedNhwc)(const THNNWindow *w, const real *x, ptrdiff_t next,
                                  ptrdiff_t planes, real *flat, ptrdiff_t positionStride)
{
  const int64_t wide = w[2].output, left = THMax(0, THMin(w[2].pad, wide)); /* columns of 0, */
  const int64_t from = THMax(0, -w[2].pad), these = THMin(w[2].input - from, wide - left);
  for (int64_t t = 0; t < w[0].output; t++)
    for (int64_t i = 0; i < w[1].output; i++, flat += wide * positionStride) {
      const int64_t slice = t - w[0].pad, row = i - w[1].pad;
      if (slice < 0 || slice >= w[0].input || row < 0 || row >= w[1].input || these <= 0) {
        memset(flat, 0, (size_t)(wide * positionStride) * sizeof *flat);
        continue;
      }
      const real *at = x + ((slice * w[1].input + row) * w[2].input + from) * next;
      memset(flat, 0, (size_t)(left * positionStride) * sizeof *flat);
      if (planes == next && planes == positionStride)
        memcpy(flat + left * positionStride, at, (size_t)(these * positionStride) * sizeof *flat);
      else
        THNN_(winograd)->copyRows(these, planes, at, next, flat + left * positionStride,
                                  positionStride);
      memset(flat + (left + these) * positionStride, 0,
             (size_t)((wide - left - these) * positionStride) * sizeof *flat);
    }
}

/* --- forward and backward data ---------------------------------------------------------------- */

typedef struct {
  const THNNConvolution *c;
  THNNConvPlan plan;
  int backward, elements; /* elements: windows are the elements of the source */
  int inPlace;            /* channels-last, and the image needs no padded copy */
  int direct;             /* channels-last, and sums of whole vectors are written to the result, */
  int streams;            /* with non-temporal stores */
  int streamsPlanes;      /* in order, and results are written with non-temporal stores */
  THNN_(Operands) data;
  ptrdiff_t size, source;       /* elements of a plane of the result, and of the source */
  ptrdiff_t results, vectors;   /* planes of a group of the result, in so many vectors, */
  ptrdiff_t splits;             /* of the results, where there are fewer runs than threads */
  ptrdiff_t width;              /* planes of a block */
  ptrdiff_t planes, plane;      /* of the source that are copied together, and how far apart */
  ptrdiff_t imagesAtOnce, runs; /* images that are computed together */
  ptrdiff_t strip, strips;      /* of the positions of an image, if windows are elements */
  ptrdiff_t capacity;           /* positions of a run in a part, at most */
  ptrdiff_t positions, all;     /* of the largest part, and of all parts */
  ptrdiff_t positionStride;  /* distance of positions in the flat image: 1 unless channels-last */
  const ptrdiff_t *position; /* offsets of the positions of a run, for each part */
  const ptrdiff_t *term;     /* offsets of the terms of the planes, for each part */
  ptrdiff_t terms;           /* of a part in the list of terms */
  int picks;                 /* parts have some elements of a window, not all */
  ptrdiff_t flat, sums, transposed; /* elements of memory that each thread has, */
  ptrdiff_t picked, placed; /* for weights of a part, and results of all parts in order, too */
  real *memory;
  int threads;
} THNN_(ImplicitImages);

/* One split of the result planes of a group, of one run of images. */
typedef struct {
  ptrdiff_t group, image, images, skipped; /* skipped: positions before the strip */
  ptrdiff_t first, count;                  /* result planes */
  real *flat, *sums, *m, *picked, *placed;
} THNN_(ImplicitItem);

static ptrdiff_t THNN_(ofItem)(const THNN_(ImplicitImages) * w)
{
  return w->flat + w->sums + w->transposed + w->picked + w->placed;
}

static THNN_(ImplicitItem) THNN_(itemOf)(const THNN_(ImplicitImages) * w, ptrdiff_t item)
{
  THNN_(ImplicitItem) i;
  const ptrdiff_t split = item % w->splits, run = item / w->splits / w->c->groups;
  i.group = item / w->splits % w->c->groups;
  i.image = run / w->strips * w->imagesAtOnce;
  i.images = THMin(w->imagesAtOnce, w->c->batch - i.image);
  i.skipped = run % w->strips * w->strip;
  i.first = split * w->vectors / w->splits * THNN_(implicit)->lanes;
  i.count =
      THMin((split + 1) * w->vectors / w->splits * THNN_(implicit)->lanes, w->results) - i.first;
  i.flat = THNN_(ofThread)(w->memory, THNN_(ofItem)(w), w->threads);
  i.sums = i.flat + w->flat;
  i.m = i.sums + w->sums;
  i.picked = i.m + w->transposed;
  i.placed = i.picked + w->picked;
  return i;
}

static ptrdiff_t THNN_(positionsOfItem)(const THNN_(ImplicitImages) * w,
                                        const THNN_(ImplicitItem) * i, const THNNPart *part)
{
  const ptrdiff_t positions = THNN_(positionsOf)(&part->d);
  return w->strips > 1 ? THMin(w->strip, positions - i->skipped) : positions;
}

/* Copies some planes of the source, with the padding. */
static void THNN_(copySource)(const THNN_(ImplicitImages) * w, const THNN_(ImplicitItem) * i,
                              ptrdiff_t plane, ptrdiff_t planes)
{
  const THNNConvPlan *p = &w->plan;
  for (ptrdiff_t k = 0; k < i->images; k++) {
    const ptrdiff_t image = (i->image + k) * w->c->groups + i->group;
    const real *from = w->data.from + (image * p->planes + plane) * w->source;
    real *flat = i->flat + k * w->planes * w->plane;
    if (w->c->channelsLast) {
      const ptrdiff_t next = p->planes * w->c->groups;
      THNN_(copyPaddedNhwc)(p->layout,
                            w->data.from + (i->image + k) * w->source * next +
                                i->group * p->planes + plane,
                            next, planes, flat, w->positionStride);
      continue;
    }
    if (!w->elements) {
      THNN_(copyPadded)(p->layout, from, planes, w->source, flat, w->plane);
      continue;
    }
    const size_t positions = (size_t)THNN_(positionsOfItem)(w, i, p->part);
    for (ptrdiff_t s = 0; s < planes; s++)
      memcpy(flat + s * w->plane, from + s * w->source + i->skipped, positions * sizeof *flat);
  }
}

/* Packs the weights of count result planes from first on, for some planes of the source. */
static void THNN_(packWeights)(const THNN_(ImplicitImages) * w, ptrdiff_t group, ptrdiff_t first,
                               ptrdiff_t count, ptrdiff_t plane, ptrdiff_t planes, real *m)
{
  const THNNConvolution *c = w->c;
  const ptrdiff_t width = THNN_(vectorsOf)(count) * THNN_(implicit)->lanes;
  const ptrdiff_t ofResult = w->backward ? c->window : c->depth;
  const ptrdiff_t ofSource = w->backward ? c->depth : c->window;
  const real *weight = w->data.weight + group * (c->outputs / c->groups) * c->depth +
                       first * ofResult + plane * ofSource;
  if (!w->backward) {
    THNN_(packOutputs)(count, planes * c->window, weight, ofResult, m);
  } else if (c->window == 1) {
    THNN_(copyParts)(planes, weight, ofSource, count, m);
  } else {
    for (ptrdiff_t s = 0; s < planes; s++)
      THNN_(packWindows)(count, c->window, weight + s * ofSource, m + s * c->window * width);
  }
}

/* The weights of the elements that a part has of each window. */
static const real *THNN_(pickWeights)(const THNN_(ImplicitImages) * w,
                                      const THNN_(ImplicitItem) * i, const THNNPart *part,
                                      ptrdiff_t planes, ptrdiff_t width)
{
  if (part->taps == w->c->window)
    return i->m;
  real *to = i->picked;
  for (ptrdiff_t s = 0; s < planes; s++)
    for (ptrdiff_t t = 0; t < part->taps; t++, to += width)
      memcpy(to, i->m + (s * w->c->window + part->tap[t]) * width, (size_t)width * sizeof *to);
  return i->picked;
}

/* Writes the sums of all positions of an image, for count result planes, to the planes from to on. */
static void THNN_(deliver)(const THNN_(ImplicitImages) * w, const THNNDirect *d, const real *sums,
                           ptrdiff_t positions, ptrdiff_t count, real *to)
{
  const ptrdiff_t width = THNN_(vectorsOf)(count) * THNN_(implicit)->lanes;
  if (w->elements || positions == w->size) {
    (w->streamsPlanes ? THNN_(implicit)->transposeStream
                      : THNN_(implicit)->transpose)(positions, count, sums, width, to, w->size);
    return;
  }
  for (ptrdiff_t r = 0; r < count; r++, to += w->size) {
    const real *sum = sums + r;
    for (ptrdiff_t t = 0; t < d->count[0]; t++)
      for (ptrdiff_t i = 0; i < d->count[1]; i++)
        for (ptrdiff_t j = 0; j < d->count[2]; j++, sum += width)
          to[t * d->step[0] + i * d->step[1] + j * d->step[2]] = *sum;
  }
}

/* Channels-last: the distance of positions in the result, and whether the sums of count planes are
 * written to the result by the kernel. */
static ptrdiff_t THNN_(nextOf)(const THNN_(ImplicitImages) * w)
{
  return w->results * w->c->groups;
}

static int THNN_(isDirectSum)(const THNN_(ImplicitImages) * w, ptrdiff_t count)
{
  return w->direct && count % THNN_(implicit)->lanes == 0;
}

/* Writes the sums of the positions of a part, for count result planes, to a channels-last result
 * whose positions are next apart. */
static void THNN_(placeRows)(const THNNDirect *d, const real *sums, ptrdiff_t skipped,
                             ptrdiff_t positions, ptrdiff_t count, real *to, ptrdiff_t next)
{
  const ptrdiff_t width = THNN_(vectorsOf)(count) * THNN_(implicit)->lanes, wide = d->count[2];
  for (ptrdiff_t done = 0, these; done < positions; done += these) {
    const ptrdiff_t at = skipped + done, row = at / wide;
    these = THMin(wide - at % wide, positions - done);
    THNN_(winograd)->copyRows(these, count, sums + done * width, width,
                              to + (row / d->count[1] * d->step[0] +
                                    row % d->count[1] * d->step[1] + at % wide * d->step[2]) *
                                       next,
                              d->step[2] * next);
  }
}

/* The memory for the sums of part k, for the block of result planes from first on; the parts before
 * it come first. */
static real *THNN_(sumsOfPart)(const THNN_(ImplicitImages) * w, const THNN_(ImplicitItem) * i,
                               ptrdiff_t k, ptrdiff_t first)
{
  const ptrdiff_t width = THNN_(vectorsOf)(i->count) * THNN_(implicit)->lanes;
  real *sums = i->sums;
  for (ptrdiff_t before = 0; before < k; before++)
    sums += i->images * THNN_(positionsOfItem)(w, i, &w->plan.part[before]) * width;
  if (w->direct) /* the last block's alone */
    return sums;
  return sums + i->images * THNN_(positionsOfItem)(w, i, &w->plan.part[k]) * first;
}

/* Which weights have been packed last: the next item often needs the same. */
typedef struct {
  ptrdiff_t group, result, plane;
} THNN_(Packed);

/* Adds the terms of some planes of the source to the sums of count result planes from first on; the
 * sums begin with the bias. */
static void THNN_(addTerms)(const THNN_(ImplicitImages) * w, const THNN_(ImplicitItem) * i,
                            ptrdiff_t first, ptrdiff_t count, ptrdiff_t plane, ptrdiff_t planes,
                            THNN_(Packed) * transposed)
{
  const ptrdiff_t vectors = THNN_(vectorsOf)(count), width = vectors * THNN_(implicit)->lanes;
  const ptrdiff_t result = i->first + first;
  real *start = i->m + w->transposed - w->width;
  if (plane == 0)
    for (ptrdiff_t r = 0; r < width; r++)
      start[r] = w->data.bias && r < count ? w->data.bias[i->group * w->results + result + r] : 0;
  if (transposed->group != i->group || transposed->result != result || transposed->plane != plane)
    THNN_(packWeights)(w, i->group, result, count, plane, planes, i->m);
  *transposed = (THNN_(Packed)){i->group, result, plane};
  for (ptrdiff_t k = 0; k < w->plan.parts; k++) {
    const THNNPart *part = &w->plan.part[k];
    const ptrdiff_t rows = i->images * THNN_(positionsOfItem)(w, i, part);
    if (rows == 0)
      continue;
    const real *x = i->flat;
    const ptrdiff_t *position = w->position + k * w->capacity;
    if (w->inPlace) {
      x = w->data.from + i->image * w->source * w->positionStride + i->group * w->plan.planes +
          plane;
      position += i->skipped;
    }
    real *sums = THNN_(sumsOfPart)(w, i, k, first);
    ptrdiff_t next = width;
    if (THNN_(isDirectSum)(w, count)) {
      next = THNN_(nextOf)(w);
      sums = w->data.to + (i->image * w->size + i->skipped) * next + i->group * w->results + result;
    }
    const THNN_(PrefetchHint) hint = {.streams = w->streams};
    THNN_(implicit)->multiplyPrefetching(rows, position, planes * part->taps,
                                         w->term + k * w->terms, x, w->inPlace,
                                         THNN_(pickWeights)(w, i, part, planes, width), vectors,
                                         plane == 0 ? start : NULL, sums, next, &hint);
  }
}

/* All parts of an image in order (not channels-last): brings their positions in order, and transposes
 * these. */
static void THNN_(deliverPlaced)(const THNN_(ImplicitImages) * w, const THNN_(ImplicitItem) * i,
                                 ptrdiff_t n, ptrdiff_t first, ptrdiff_t count, real *to)
{
  const ptrdiff_t width = THNN_(vectorsOf)(count) * THNN_(implicit)->lanes;
  for (ptrdiff_t k = 0; k < w->plan.parts; k++) {
    const THNNPart *part = &w->plan.part[k];
    const ptrdiff_t positions = THNN_(positionsOfItem)(w, i, part);
    THNN_(placeRows)(&part->d, THNN_(sumsOfPart)(w, i, k, first) + n * positions * width, 0,
                     positions, width, i->placed + part->start * width, width);
  }
  (w->streamsPlanes ? THNN_(implicit)->transposeStream
                    : THNN_(implicit)->transpose)(w->size, count, i->placed, width, to, w->size);
}

static void THNN_(deliverBlock)(const THNN_(ImplicitImages) * w, const THNN_(ImplicitItem) * i,
                                ptrdiff_t first, ptrdiff_t count)
{
  const ptrdiff_t width = THNN_(vectorsOf)(count) * THNN_(implicit)->lanes;
  const ptrdiff_t result = i->first + first;
  if (THNN_(isDirectSum)(w, count))
    return;
  for (ptrdiff_t n = 0; n < i->images; n++) {
    const ptrdiff_t image = (i->image + n) * w->c->groups + i->group;
    real *to = w->data.to + (image * w->results + result) * w->size;
    if (w->placed) {
      THNN_(deliverPlaced)(w, i, n, first, count, to);
      continue;
    }
    for (ptrdiff_t k = 0; k < w->plan.parts; k++) {
      const THNNPart *part = &w->plan.part[k];
      const ptrdiff_t positions = THNN_(positionsOfItem)(w, i, part);
      const real *sums = THNN_(sumsOfPart)(w, i, k, first) + n * positions * width;
      const ptrdiff_t next = THNN_(nextOf)(w);
      if (w->c->channelsLast)
        THNN_(placeRows)(&part->d, sums, i->skipped, positions, count,
                         w->data.to + ((i->image + n) * w->size + part->start) * next +
                             i->group * w->results + result,
                         next);
      else
        THNN_(deliver)(w, &part->d, sums, positions, count, to + i->skipped + part->start);
    }
  }
}

/* Channels-last: the index of the result's position that belongs to position at of a part; the number
 * of positions after the last one. */
static ptrdiff_t THNN_(elementOf)(const THNN_(ImplicitImages) * w, const THNNPart *part,
                                  ptrdiff_t at)
{
  const THNNDirect *d = &part->d;
  const ptrdiff_t row = at / d->count[2], slice = row / d->count[1];
  return slice == d->count[0] ? w->size
                              : part->start + slice * d->step[0] + row % d->count[1] * d->step[1] +
                                    at % d->count[2] * d->step[2];
}

/* Sets results that no part computes to the bias, or 0: from the first position of a strip on to the
 * first position of the next strip, which another thread may be writing. */
static void THNN_(fillLeft)(const THNN_(ImplicitImages) * w, const THNN_(ImplicitItem) * i)
{
  const real *bias = w->data.bias ? w->data.bias + i->group * w->results + i->first : NULL;
  ptrdiff_t begin = 0, end = w->size;
  if (w->strips > 1) {
    const THNNPart *part = w->plan.part;
    begin = i->skipped ? THNN_(elementOf)(w, part, i->skipped) : 0;
    end = THNN_(elementOf)(w, part, i->skipped + THNN_(positionsOfItem)(w, i, part));
  }
  for (ptrdiff_t n = 0; n < i->images; n++) {
    if (!w->c->channelsLast) {
      const ptrdiff_t plane = ((i->image + n) * w->c->groups + i->group) * w->results + i->first;
      THNN_(fillPlanes)(w->data.to + plane * w->size, i->count, w->size, bias);
      continue;
    }
    const ptrdiff_t next = THNN_(nextOf)(w);
    real *to = w->data.to + (i->image + n) * w->size * next + i->group * w->results + i->first;
    to += begin * next;
    for (ptrdiff_t k = begin; k < end; k++, to += next)
      for (ptrdiff_t r = 0; r < i->count; r++)
        to[r] = bias ? bias[r] : 0;
  }
}

static void THNN_(implicitItems)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(ImplicitImages) *w = context;
  const THNNConvPlan *p = &w->plan;
  THNN_(Packed) transposed = {-1, 0, 0};
  for (ptrdiff_t item = begin; item < end; item++) {
    const THNN_(ImplicitItem) i = THNN_(itemOf)(w, item);
    for (ptrdiff_t plane = 0; plane < p->planes; plane += w->planes) {
      const ptrdiff_t planes = THMin(w->planes, p->planes - plane);
      if (!w->inPlace)
        THNN_(copySource)(w, &i, plane, planes);
      for (ptrdiff_t first = 0; first < i.count; first += w->width)
        THNN_(addTerms)(w, &i, first, THMin(w->width, i.count - first), plane, planes, &transposed);
    }
    if (p->leaves)
      THNN_(fillLeft)(w, &i);
    for (ptrdiff_t first = 0; first < i.count; first += w->width)
      THNN_(deliverBlock)(w, &i, first, THMin(w->width, i.count - first));
  }
  if (w->streams || w->streamsPlanes)
    THStream_finish();
}

/* Lists the offsets of the positions of a run, and of the terms of its planes, for each part. */
static void THNN_(listOffsets)(THNN_(Call) * call, THNN_(ImplicitImages) * w)
{
  const ptrdiff_t parts = w->plan.parts;
  const ptrdiff_t next = w->inPlace ? w->source * w->positionStride : w->planes * w->plane;
  ptrdiff_t *list =
      THNN_(scratchBytes)(call, (size_t)(parts * (w->capacity + w->terms)) * sizeof(ptrdiff_t));
  w->position = list;
  for (ptrdiff_t k = 0; k < parts; k++, list += w->capacity) {
    THNNDirect d = w->plan.part[k].d;
    if (w->elements) { /* one row of positions, or some of them */
      d.count[0] = d.count[1] = 1;
      d.count[2] = w->strip;
    }
    THNN_(listPositions)(&w->plan, &d, w->imagesAtOnce, next, w->positionStride, list);
  }
  w->term = list;
  for (ptrdiff_t k = 0; k < parts; k++, list += w->terms)
    THNN_(listTerms)(w->c, &w->plan.part[k], w->planes,
                     w->c->channelsLast ? w->positionStride : w->plane, list);
}

/* Channels-last: whether the windows need no padded copy of the image. */
static int THNN_(needsNoPadding)(const THNNConvPlan *p)
{
  int is = p->parts == 1;
  for (int d = 0; d < 3; d++)
    is &= p->layout[d].pad == 0 && p->layout[d].output == p->layout[d].input;
  return is;
}

/* So many positions are computed together, to be worth the packing of weights.  Channels-last
 * images are copied once for all columns: a block can have more of them.  TILES: about as many
 * positions, in whole tiles of 6 or 14 rows, since a rest takes as long. */
enum {
  IMPLICIT_POSITIONS = 512,
  IMPLICIT_LEAST_POSITIONS = 128,
  IMPLICIT_CHANNELS_LAST = 4,
  IMPLICIT_TILES = 504
};

/* Plans the parts of the convolution, the strips of their positions, and the planes that are copied
 * together. */
static void THNN_(planImages)(THNN_(ImplicitImages) * w, THNN_(Call) * call)
{
  const THNNConvolution *c = w->c;
  w->plan = THNNConvPlan_of(c, w->backward, THNN_PLAN_PICKED,
                            THNN_(scratchBytes)(call, THNNConvPlan_memory(c, w->backward,
                                                                          THNN_PLAN_PICKED)));
  w->size = w->backward ? c->image : c->windows;
  w->source = w->backward ? c->windows : c->image;
  w->results = (w->backward ? c->planes : c->outputs) / c->groups;
  w->width = THNN_(widthOf)(w->results);
  w->vectors = THNN_(vectorsOf)(w->results);
  ptrdiff_t taps = 1;
  w->positions = 1;
  for (ptrdiff_t k = 0; k < w->plan.parts; k++) {
    const ptrdiff_t these = THNN_(positionsOf)(&w->plan.part[k].d);
    taps = THMax(taps, w->plan.part[k].taps);
    w->picks |= w->plan.part[k].taps < c->window;
    w->positions = THMax(w->positions, these);
    w->all += these;
  }
  w->inPlace = c->channelsLast && THNN_(needsNoPadding)(&w->plan);
  w->direct = c->channelsLast && w->plan.parts == 1 && !w->plan.leaves &&
              w->plan.part->start == 0 && w->positions == w->size;
  w->strip = w->elements  ? THMin(w->positions, IMPLICIT_POSITIONS)
             : w->inPlace ? THMin(w->positions, IMPLICIT_TILES)
                          : w->positions;
  w->strips = (w->positions + w->strip - 1) / w->strip;
  const ptrdiff_t columns = (c->channelsLast ? IMPLICIT_CHANNELS_LAST : 1) * THNN_IMPLICIT_COLUMNS;
  w->planes = THMin(w->plan.planes, (columns + taps - 1) / taps);
  /* An odd number of cache lines: planes do not fall into the same sets of the cache. */
  w->plane = w->elements ? (w->strip | 16) + 16 : w->plan.plane;
  w->positionStride = c->channelsLast ? (w->inPlace ? w->plan.planes * c->groups : w->planes) : 1;
  w->terms = w->planes * taps;
  const ptrdiff_t more = THMax(0, THNN_(implicit)->lanes - c->window); /* packWindows */
  w->transposed = (w->planes * c->window + more + 1) * w->width;
  w->picked = w->picks ? w->planes * taps * w->width : 0;
}

/* Elements for the sums of a position of a split; only those of the last block, where the sums of
 * whole vectors are written to the result. */
static ptrdiff_t THNN_(sumsOfPosition)(const THNN_(ImplicitImages) * w, ptrdiff_t splits)
{
  if (w->direct)
    return w->results % THNN_(implicit)->lanes ? w->width : 0;
  const ptrdiff_t results = (w->vectors + splits - 1) / splits * THNN_(implicit)->lanes;
  return (results + w->width - 1) / w->width * w->width;
}

/* Chooses the runs.  All threads have the same number of them.  A run has no more images than there
 * is memory for, but IMPLICIT_LEAST_POSITIONS in any case. */
static void THNN_(chooseRuns)(THNN_(ImplicitImages) * w)
{
  const THNNConvolution *c = w->c;
  const ptrdiff_t threads = THParallel_threads(PTRDIFF_MAX, 1);
  const ptrdiff_t ofImage =
      (w->inPlace ? 0 : w->planes * w->plane) +
      (w->elements || w->inPlace ? w->strip : w->all) * THNN_(sumsOfPosition)(w, 1);
  ptrdiff_t memory = THNNConvolution_memory(c, (int)threads) / threads - w->transposed - w->picked;
  if (!c->channelsLast && !w->plan.leaves && w->plan.parts > 1 &&
      ofImage + w->size * w->width <= memory)
    w->placed = w->size * w->width;
  memory -= w->placed;
  const ptrdiff_t fit = THMax(IMPLICIT_LEAST_POSITIONS / w->strip, memory / THMax(1, ofImage));
  const ptrdiff_t most = THMin((IMPLICIT_POSITIONS + w->strip - 1) / w->strip, fit);
  const ptrdiff_t imagesAtOnce = THMax(1, THMin(most, c->batch / threads));
  const ptrdiff_t turns = (c->batch + threads * imagesAtOnce - 1) / (threads * imagesAtOnce);
  w->imagesAtOnce = w->strips > 1 ? 1 : THMax(1, c->batch / (threads * turns));
  w->runs = (c->batch + w->imagesAtOnce - 1) / w->imagesAtOnce * w->strips;
  w->splits = w->runs * c->groups < threads ? THMin(w->vectors, threads) : 1;
  w->capacity = w->imagesAtOnce * (w->inPlace ? w->positions : w->strip);
}

/* How many elements of memory each thread has, for its items. */
static void THNN_(sizeMemory)(THNN_(ImplicitImages) * w, ptrdiff_t items)
{
  w->threads = THParallel_threads(items, 1);
  w->flat = w->inPlace
                ? 0
                : THNN_(wholeVectors)(w->imagesAtOnce * w->planes * w->plane + THNN_DIRECT_SLACK);
  w->sums = w->imagesAtOnce * (w->elements || w->inPlace ? w->strip : w->all) *
            THNN_(sumsOfPosition)(w, w->splits);
}

void THNN_(convolveByImplicitGemm)(const THNNConvolution *c, int backward, THTensor *from,
                                   THTensor *weight, THTensor *bias, THTensor *to)
{
  THNN_(Call) call;
  THNN_(beginConvolution)(&call, c, backward, &from, &weight, &bias, &to);
  THNN_(ImplicitImages)
  w = {.c = c, .backward = backward, .elements = !c->channelsLast && THNN_(areElements)(c)};
  THNN_(planImages)(&w, &call);
  THNN_(chooseRuns)(&w);
  const ptrdiff_t items = w.runs * c->groups * w.splits;
  THNN_(sizeMemory)(&w, items);
  w.memory = THNN_(scratch)(&call, w.threads * THNN_(ofItem)(&w));
  THNN_(listOffsets)(&call, &w);
  w.data = THNN_(startConvolution)(&call, from, weight, bias, to);
  const ptrdiff_t bytes = c->batch * w.size * w.results * c->groups * (ptrdiff_t)sizeof(real);
  const int far = (uintptr_t)w.data.to % TH_STREAM_LINE == 0 && bytes >= THPlan_streamBytes();
  w.streams =
      far && w.direct && w.planes == w.plan.planes && w.results % THNN_(implicit)->lanes == 0;
  w.streamsPlanes = far && !c->channelsLast && w.size % (TH_STREAM_LINE / sizeof(real)) == 0;
  THParallel_for(items, 1, THNN_(implicitItems), &w);
  THNN_(finish)(&call);
}

/* --- weights --------------------------------------------------------------------------------- */

/* The gradient of the weights, and of the bias if it is not NULL. */
typedef struct {
  const THNNConvolution *c;
  THNNConvPlan plan;
  const real *x, *y;
  real *weights, *bias;
  accreal *totals; /* of y, for each output */
  accreal scale;
  ptrdiff_t planes, chunks;  /* planes of x whose weights are computed together */
  ptrdiff_t width, blocks;   /* of outputs, and */
  ptrdiff_t splits;          /* of these blocks, where there are more threads than chunks */
  ptrdiff_t imagesAtOnce;    /* images that are copied together */
  ptrdiff_t strip;           /* positions that are multiplied at a time */
  ptrdiff_t positionStride;  /* distance of positions, channels-last */
  const ptrdiff_t *position; /* offsets of the windows of these images, part by part */
  const ptrdiff_t *term;     /* offsets of the elements of windows, likewise */
  const ptrdiff_t *row; /* offsets that positions are copied to, if the image needs no padding */
  ptrdiff_t image;      /* elements of a copied image */
  ptrdiff_t flat, sums, transposed, ordered;
  real *memory; /* for each thread: these four */
  int inPlace, inRows, threads;
} THNN_(ImplicitWeights);

/* Where products with padding are left out, there are sums for each tap of the windows, for all planes
 * of a chunk; they are brought in order at the end. */
static int THNN_(isParted)(const THNN_(ImplicitWeights) * w)
{
  return w->plan.parts > 1 || w->plan.part->taps < w->c->window;
}

/* The index in y of a position of a part, counted on from image to image, and how many positions of
 * the part are contiguous from there on. */
static ptrdiff_t THNN_(runOf)(const THNNConvolution *c, const THNNPart *part, ptrdiff_t position,
                              ptrdiff_t *index)
{
  const THNNDirect *d = &part->d;
  ptrdiff_t run = d->count[2], rows = d->count[1];
  if (run == c->at[2].output) {
    run *= rows;
    rows = 1;
  }
  const ptrdiff_t all = THNN_(positionsOf)(d), image = position / all, rest = position % all;
  const ptrdiff_t row = rest / run, column = rest % run;
  *index = image * c->windows + part->start + row / rows * d->step[0] + row % rows * d->step[1] +
           column * d->step[2];
  return run - column;
}

/* Packs the gradients of a strip of the positions of a part, of some images: m[position] has count
 * outputs.  m has memory for a vector of positions behind the last one. */
static void THNN_(packGradients)(const THNN_(ImplicitWeights) * w, const THNNPart *part,
                                 const real *y, ptrdiff_t count, ptrdiff_t from, ptrdiff_t strip,
                                 real *m)
{
  const THNNConvolution *c = w->c;
  const ptrdiff_t lanes = THNN_(implicit)->lanes, width = THNN_(vectorsOf)(count) * lanes;
  for (ptrdiff_t done = 0, index; done < strip;) {
    const ptrdiff_t these = THMin(strip - done, THNN_(runOf)(c, part, from + done, &index));
    const ptrdiff_t position = index % c->windows, left = c->windows - position;
    const real *at = y + index / c->windows * c->outputs * c->windows;
    if (c->channelsLast)
      THNN_(copyParts)(these, at + position * c->outputs, c->outputs, count, m + done * width);
    else /* a whole vector is transposed faster than a part; the rest is overwritten */
      THNN_(packOutputs)(count, THMin(left, THMax(these, lanes)), at + position, c->windows,
                         m + done * width);
    done += these;
  }
}

/* What a thread computes at a time: the weights of some outputs and some planes of x, of a group. */
typedef struct {
  ptrdiff_t group, plane, planes, first, end;
  const real *x, *y; /* of the images that are copied */
  ptrdiff_t images;
  real *flat, *sums, *m, *ordered;
  accreal *totals;
} THNN_(WeightsItem);

/* Adds the products of a strip of a part's positions and the gradients of count outputs, from the
 * item's output number o on. */
static void THNN_(addStrip)(const THNN_(ImplicitWeights) * w, const THNN_(WeightsItem) * i,
                            const THNNPart *part, const ptrdiff_t *term, const ptrdiff_t *column,
                            ptrdiff_t strip, const real *gradients, ptrdiff_t count, ptrdiff_t o,
                            const THNN_(PrefetchHint) * hint)
{
  const ptrdiff_t vectors = THNN_(vectorsOf)(count), width = vectors * THNN_(implicit)->lanes;
  const int listed = w->inPlace && !w->inRows;
  real *sums = i->sums + o * w->planes * w->c->window;
  if (!THNN_(isParted)(w)) {
    THNN_(implicit)->multiplyPrefetching(i->planes * w->c->window, term, strip, column,
                                         listed ? i->x : i->flat, listed, gradients, vectors, NULL,
                                         sums, width, hint);
    return;
  }
  for (ptrdiff_t t = 0, run; t < part->taps; t += run) {
    run = 1; /* taps that follow each other */
    while (i->planes == w->planes && t + run < part->taps &&
           part->tap[t + run] == part->tap[t] + run)
      run++;
    THNN_(implicit)->multiplyPrefetching(run * i->planes, term + t * w->planes, strip, column,
                                         i->flat, 0, gradients, vectors, NULL,
                                         sums + part->tap[t] * w->planes * width, width, hint);
  }
}

/* Adds the products of all positions of a part. */
static void THNN_(addPart)(const THNN_(ImplicitWeights) * w, const THNN_(WeightsItem) * i,
                           const THNNPart *part, const ptrdiff_t *term, const ptrdiff_t *position)
{
  const THNNConvolution *c = w->c;
  const int parted = THNN_(isParted)(w);
  const ptrdiff_t all = i->images * THNN_(positionsOf)(&part->d);
  for (ptrdiff_t at = 0; at < all; at += w->strip) {
    const ptrdiff_t strip = THMin(all - at, w->strip);
    for (ptrdiff_t k = 0; w->inRows && k < strip; k++)
      memcpy(i->flat + w->row[k], i->x + position[at + k], (size_t)i->planes * sizeof *i->flat);
    for (ptrdiff_t o = i->first; o < i->end; o += w->width) {
      const ptrdiff_t count = THMin(w->width, i->end - o);
      const real *gradients = i->m;
      if (!parted && c->channelsLast && count == c->outputs && count % THNN_(implicit)->lanes == 0)
        gradients = i->y + at * count;
      else
        THNN_(packGradients)(w, part, i->y + o * (c->channelsLast ? 1 : c->windows), count, at,
                             strip, i->m);
      if (i->totals)
        THNN_(direct)->sumRows(strip, count, gradients,
                               THNN_(vectorsOf)(count) * THNN_(implicit)->lanes, i->totals + o);
      /* Gradients are transposed from memory: the strip after the next one is prefetched. */
      const ptrdiff_t later = at + 2 * w->strip;
      THNN_(PrefetchHint) hint = {0};
      if (!parted && !c->channelsLast && !w->inPlace && later < c->windows)
        hint = (THNN_(PrefetchHint)){i->y + o * c->windows + later, count, c->windows, 0};
      THNN_(addStrip)(w, i, part, term, w->inRows ? w->row : position + at, strip, gradients, count,
                      o - i->first, &hint);
    }
  }
}

/* Adds the sums of count outputs to their weights. */
static void THNN_(deliverWeights)(const THNN_(ImplicitWeights) * w, const THNN_(WeightsItem) * i,
                                  ptrdiff_t o, ptrdiff_t count)
{
  const THNNConvolution *c = w->c;
  const ptrdiff_t outputs = c->outputs / c->groups;
  const ptrdiff_t width = THNN_(vectorsOf)(count) * THNN_(implicit)->lanes;
  const real *sums = i->sums + (o - i->first) * w->planes * c->window;
  if (THNN_(isParted)(w)) {
    for (ptrdiff_t t = 0; t < c->window; t++)
      THNN_(winograd)->copyRows(i->planes, width, sums + t * w->planes * width, width,
                                i->ordered + t * width, c->window * width);
    sums = i->ordered;
  }
  THNN_(winograd)->addTransposed(i->planes * c->window, count, sums, width, w->scale,
                                 w->weights + (i->group * outputs + o) * c->depth +
                                     i->plane * c->window,
                                 c->depth);
}

/* Copies some images from one on, with the padding. */
static void THNN_(copyImages)(const THNN_(ImplicitWeights) * w, THNN_(WeightsItem) * i,
                              ptrdiff_t image)
{
  const THNNConvolution *c = w->c;
  const THNNConvPlan *p = &w->plan;
  const ptrdiff_t ofX = i->group * p->planes + i->plane, ofY = i->group * (c->outputs / c->groups);
  i->images = THMin(w->imagesAtOnce, c->batch - image);
  i->x = w->x + image * c->planes * c->image + ofX * (c->channelsLast ? 1 : c->image);
  i->y = w->y + image * c->outputs * c->windows + ofY * (c->channelsLast ? 1 : c->windows);
  for (ptrdiff_t k = 0; !w->inPlace && k < i->images; k++) {
    const real *from = i->x + k * c->planes * c->image;
    real *to = i->flat + k * w->image;
    if (c->channelsLast)
      THNN_(copyPaddedNhwc)(p->layout, from, c->planes, i->planes, to, w->positionStride);
    else
      THNN_(copyPadded)(p->layout, from, i->planes, c->image, to, p->plane);
  }
}

/* The products of a chunk of planes of x and a split of the outputs, over all images in their order. */
static void THNN_(implicitWeights)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(ImplicitWeights) *w = context;
  const THNNConvolution *c = w->c;
  const THNNConvPlan *p = &w->plan;
  const ptrdiff_t outputs = c->outputs / c->groups;
  THNN_(WeightsItem)
  i = {.flat =
           THNN_(ofThread)(w->memory, w->flat + w->sums + w->transposed + w->ordered, w->threads)};
  i.sums = i.flat + w->flat;
  i.m = i.sums + w->sums;
  i.ordered = i.m + w->transposed;
  for (ptrdiff_t item = begin; item < end; item++) {
    const ptrdiff_t split = item % w->splits, chunk = item / w->splits % w->chunks;
    i.group = item / w->splits / w->chunks;
    i.plane = chunk * w->planes;
    i.planes = THMin(w->planes, p->planes - i.plane);
    i.first = split * w->blocks / w->splits * w->width;
    i.end = THMin((split + 1) * w->blocks / w->splits * w->width, outputs);
    /* With the first planes, the gradients are also summed up for the bias: they are in the cache. */
    i.totals = w->bias && chunk == 0 ? w->totals + i.group * outputs : NULL;
    memset(i.sums, 0, (size_t)w->sums * sizeof *i.sums);
    for (ptrdiff_t o = i.first; i.totals && o < i.end; o++)
      i.totals[o] = 0;
    for (ptrdiff_t image = 0; image < c->batch; image += w->imagesAtOnce) {
      const ptrdiff_t *term = w->term, *position = w->position;
      THNN_(copyImages)(w, &i, image);
      for (ptrdiff_t k = 0; k < p->parts; k++) {
        THNN_(addPart)(w, &i, &p->part[k], term, position);
        term += w->planes * p->part[k].taps;
        position += w->imagesAtOnce * THNN_(positionsOf)(&p->part[k].d);
      }
    }
    for (ptrdiff_t o = i.first; o < i.end; o += w->width)
      THNN_(deliverWeights)(w, &i, o, THMin(w->width, i.end - o));
    for (ptrdiff_t o = i.first; i.totals && o < i.end; o++)
      w->bias[i.group * outputs + o] =
          (real)(w->bias[i.group * outputs + o] + w->scale * i.totals[o]);
  }
}

/* Lists the positions and the terms of each part. */
static void THNN_(listWeights)(THNN_(ImplicitWeights) * w, THNN_(Call) * call, ptrdiff_t rows)
{
  const THNNConvolution *c = w->c;
  const THNNConvPlan *p = &w->plan;
  const ptrdiff_t next = w->inPlace ? c->planes * c->image : w->image;
  const ptrdiff_t stride = c->channelsLast ? w->positionStride : p->plane,
                  positions = w->imagesAtOnce * c->windows;
  ptrdiff_t terms = 0;
  for (ptrdiff_t k = 0; k < p->parts; k++)
    terms += w->planes * p->part[k].taps;
  ptrdiff_t *list =
      THNN_(scratchBytes)(call, (size_t)(positions + terms + w->strip) * sizeof(ptrdiff_t));
  w->row = list;
  for (ptrdiff_t i = 0; i < w->strip; i++)
    *list++ = i * rows;
  w->position = list;
  for (ptrdiff_t k = 0; k < p->parts; k++)
    list += THNN_(listPositions)(p, &p->part[k].d, w->imagesAtOnce, next, w->positionStride, list);
  w->term = list;
  if (!THNN_(isParted)(w)) {
    THNN_(listTerms)(c, p->part, w->planes, stride, list);
    return;
  }
  for (ptrdiff_t k = 0; k < p->parts; k++)
    for (ptrdiff_t t = 0; t < p->part[k].taps; t++)
      for (ptrdiff_t s = 0; s < w->planes; s++)
        *list++ = p->part[k].d.offset[t] * (c->channelsLast ? stride : 1) +
                  s * (c->channelsLast ? 1 : stride);
}

/* Chooses the chunks of planes, and into how many splits the blocks are divided.  All threads have
 * the same number of chunks.  A chunk has no more than TERMS, and no more than there is memory for,
 * but LEAST_TERMS in any case; a thread has no more than SUMS.  samePlanes: all threads have the same planes. */
static void THNN_(chooseChunks)(THNN_(ImplicitWeights) * w, int samePlanes)
{
  enum { TERMS = 512, LEAST_TERMS = 64, SUMS = 1 << 18 };
  const THNNConvolution *c = w->c;
  const ptrdiff_t threads = THParallel_threads(PTRDIFF_MAX, 1), planes = w->plan.planes;
  const ptrdiff_t ofPlane =
      (w->inPlace ? 0 : w->imagesAtOnce * w->plan.plane) + c->window * w->blocks * w->width;
  const ptrdiff_t memory = THNNConvolution_memory(c, (int)threads) / threads - w->transposed;
  const ptrdiff_t fit = THMax(LEAST_TERMS / c->window, memory / ofPlane);
  const ptrdiff_t planesAtOnce = THMax(1, THMin(planes, THMin(TERMS / c->window, fit)));
  const ptrdiff_t side = samePlanes ? 1 : threads; /* chunks at the same time */
  const ptrdiff_t turns = (c->groups * planes + side * planesAtOnce - 1) / (side * planesAtOnce);
  w->chunks = THMin(planes, (turns * side + c->groups - 1) / c->groups);
  w->planes = (planes + w->chunks - 1) / THMax(1, w->chunks);
  w->chunks = w->planes ? (planes + w->planes - 1) / w->planes : 0;
  w->planes = THMax(1, w->planes);
  const ptrdiff_t most = THMax(1, SUMS / (w->planes * c->window * w->width)); /* blocks */
  w->splits = (w->blocks + most - 1) / most;
  if (samePlanes || c->groups * w->chunks < threads)
    w->splits = THMin(w->blocks, THMax(w->splits, threads));
}

static void THNN_(prepareImplicitWeights)(THNN_(ImplicitWeights) * w, const THNNConvolution *c,
                                          THNN_(Call) * call)
{
  enum { POSITIONS = 256 }; /* of the images that are copied together */
  *w = (THNN_(ImplicitWeights)){.c = c};
  const ptrdiff_t outputs = c->outputs / c->groups;
  const int parted = c->planes / c->groups >= THNN_PARTED_PLANES;
  const THNNConvPlanUse use = parted ? THNN_PLAN_PICKED : THNN_PLAN_WHOLE;
  w->plan = THNNConvPlan_of(c, 0, use, THNN_(scratchBytes)(call, THNNConvPlan_memory(c, 0, use)));
  w->inPlace =
      c->channelsLast ? c->window == 1 && THNN_(needsNoPadding)(&w->plan) : THNN_(areElements)(c);
  w->inRows = c->channelsLast && w->inPlace;
  w->width = THNN_(widthOf)(outputs);
  w->strip = THNN_IMPLICIT_COLUMNS;
  /* With few planes, the rows under the windows stay in the L1 cache: half as many outputs, more rows
   * and twice as many positions at a time make less work between the products. */
  if (!parted && w->width == 4 * THNN_(implicit)->lanes && THNN_(vectorsOf)(outputs) % 2 == 0) {
    w->width /= 2;
    w->strip *= 2;
  }
  const ptrdiff_t threads = THParallel_threads(PTRDIFF_MAX, 1), planes = w->plan.planes;
  /* Where there are few planes, which do not divide evenly among the threads, each thread has all of
   * them, and some of the outputs. */
  const ptrdiff_t lanes = THNN_(implicit)->lanes, vectors = (outputs + lanes - 1) / lanes;
  const int samePlanes = c->groups * planes < 4 * threads && c->groups * planes % threads != 0 &&
                         vectors % threads == 0;
  if (samePlanes)
    w->width = THMin(w->width, vectors / threads * lanes);
  w->blocks = (outputs + w->width - 1) / w->width;
  w->imagesAtOnce = THMin(c->batch, (POSITIONS + c->windows - 1) / c->windows);
  w->transposed = (w->strip + lanes) * w->width;
  THNN_(chooseChunks)(w, samePlanes);
  w->threads = THParallel_threads(c->groups * w->chunks * w->splits, 1);
  /* Positions an odd number of cache lines apart do not fall into the same sets of the cache. */
  const ptrdiff_t rows = w->planes < 16 ? w->planes : ((w->planes + 15) / 16 | 1) * 16;
  w->positionStride = !c->channelsLast ? 1 : w->inPlace ? c->planes : rows;
  w->image = c->channelsLast ? w->positionStride * w->plan.plane : w->planes * w->plan.plane;
  THNN_(listWeights)(w, call, rows);
  w->flat = w->inRows    ? w->strip * rows
            : w->inPlace ? 0
                         : THNN_(wholeVectors)(w->imagesAtOnce * w->image + THNN_DIRECT_SLACK);
  w->sums = w->planes * c->window * ((w->blocks + w->splits - 1) / w->splits) * w->width;
  w->ordered = THNN_(isParted)(w) ? w->planes * c->window * w->width : 0;
  w->totals = THNN_(scratchBytes)(call, (size_t)c->outputs * sizeof *w->totals);
  w->memory = THNN_(scratch)(call, w->threads * (w->flat + w->sums + w->transposed + w->ordered));
}

void THNN_(weightsByImplicitGemm)(THNN_(Gradient) * g, THNN_(WinogradPlan) * plan)
{
  THNN_(ImplicitWeights) w;
  THNN_(prepareImplicitWeights)(&w, g->c, &g->call);
  THNN_(start)(&g->call);
  w.x = THTensor_(data)(g->x);
  w.y = THTensor_(data)(g->y);
  w.weights = THTensor_(data)(g->gradWeight);
  w.bias = g->gradBias && !g->biasOfX ? THTensor_(data)(g->gradBias) : NULL;
  w.scale = g->scale;
  THParallel_for(w.c->groups * w.chunks * w.splits, 1, THNN_(implicitWeights), &w);
  g->isBiasAdded = w.bias && w.chunks > 0;
}

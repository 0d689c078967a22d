/* The algorithm implicit_gemm, forward and backward data. */
#include "TH/loop/THPlan.h"
#include "THKernel.h"
#include "TH/loop/THStream.h"

#include "THNN/layer/Template.h"

#include "THNN/conv/Memory.h"
#include "ImplicitGemmParts.h"

typedef struct {
  const THNNConvolution *c;
  THNNConvPlan plan;
  int backward;
  int isOneByOne; /* contiguous, and the im2col matrix is the source itself (THNNConvolution_areElements) */
  int inPlace;       /* channels-last, and the image needs no padded copy */
  int writesResult;  /* channels-last, and the kernel writes sums of whole vectors to the result */
  int streams;       /* writesResult, with non-temporal stores */
  int streamsPlanes; /* contiguous, and results are written with non-temporal stores */
  THNN_(Operands) data;
  ptrdiff_t size;            /* elements of a plane of the result */
  ptrdiff_t source;          /* elements of a plane of the source */
  ptrdiff_t results;         /* planes of a group of the result */
  ptrdiff_t vectors;         /* vectors that these planes fill */
  ptrdiff_t splits;          /* shares of the results, if there are fewer runs than threads */
  ptrdiff_t width;           /* planes of a block of the result */
  ptrdiff_t planes;          /* planes of the source that are copied together */
  ptrdiff_t plane;           /* stride of the copied planes */
  ptrdiff_t imagesAtOnce;    /* images of a run, which are computed together */
  ptrdiff_t runs;            /* runs: groups of images, or strips of an image */
  ptrdiff_t strip;           /* positions of a strip of an image (isOneByOne or inPlace) */
  ptrdiff_t strips;          /* strips of an image */
  ptrdiff_t capacity;        /* positions of a run in a part, at most */
  ptrdiff_t positions;       /* positions of the largest part of an image */
  ptrdiff_t all;             /* positions of all parts of an image */
  ptrdiff_t positionStride;  /* stride of positions in the flat image: 1 unless channels-last */
  const ptrdiff_t *position; /* [part][capacity]: offsets of the positions of a run */
  const ptrdiff_t *term;     /* [part][terms]: offsets of the terms of `planes` planes */
  ptrdiff_t terms;           /* terms of the part that has most */
  int picks;                 /* some parts have only some of the taps */
  /* Elements of each thread's memory: */
  ptrdiff_t flat;   /* for copied planes */
  ptrdiff_t sums;   /* for sums */
  ptrdiff_t packed; /* for packed weights */
  ptrdiff_t picked; /* for the packed weights of a part's taps */
  ptrdiff_t placed; /* for the results of all parts, in the order of positions */
  real *memory;
  int threads;
} THNN_(ImplicitImages);

/* An item of work: a share of the result planes of a group, for one run. */
typedef struct {
  ptrdiff_t group;
  ptrdiff_t image, images;                 /* first image and number of images of the run */
  ptrdiff_t skipped;                       /* positions before the strip */
  ptrdiff_t first, count;                  /* first plane and number of planes of the result */
  real *flat, *sums, *m, *picked, *placed; /* the thread's memory; m: packed weights */
} THNN_(ImplicitItem);

/* Elements of the memory of a thread. */
static ptrdiff_t THNN_(ofItem)(const THNN_(ImplicitImages) * w)
{
  return w->flat + w->sums + w->packed + w->picked + w->placed;
}

static THNN_(ImplicitItem) THNN_(itemOf)(const THNN_(ImplicitImages) * w, ptrdiff_t item)
{
  THNN_(ImplicitItem) i;
  const ptrdiff_t split = item % w->splits, run = item / w->splits / w->c->groups;
  i.group = item / w->splits % w->c->groups;
  i.image = run / w->strips * w->imagesAtOnce;
  i.images = THMin(w->imagesAtOnce, w->c->batch - i.image);
  i.skipped = run % w->strips * w->strip;
  i.first = split * w->vectors / w->splits * TH_DISPATCHED(THNN_(implicit))->lanes;
  i.count = THMin((split + 1) * w->vectors / w->splits * TH_DISPATCHED(THNN_(implicit))->lanes,
                  w->results) -
            i.first;
  i.flat = THNN_(ofThread)(w->memory, THNN_(ofItem)(w), w->threads);
  i.sums = i.flat + w->flat;
  i.m = i.sums + w->sums;
  i.picked = i.m + w->packed;
  i.placed = i.picked + w->picked;
  return i;
}

/* The positions of a part, of one image, that an item computes. */
static ptrdiff_t THNN_(positionsOfItem)(const THNN_(ImplicitImages) * w,
                                        const THNN_(ImplicitItem) * i, const THNNPart *part)
{
  const ptrdiff_t positions = THNN_(positionsOf)(&part->d);
  return w->strips > 1 ? THMin(w->strip, positions - i->skipped) : positions;
}

/* Copies some planes of the source, with padding, for the images of an item. */
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
    if (!w->isOneByOne) {
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
  const ptrdiff_t width = THNN_(vectorsOf)(count) * TH_DISPATCHED(THNN_(implicit))->lanes;
  const ptrdiff_t ofResult = w->backward ? c->taps : c->terms;
  const ptrdiff_t ofSource = w->backward ? c->terms : c->taps;
  const real *weight = w->data.weight + group * (c->outputs / c->groups) * c->terms +
                       first * ofResult + plane * ofSource;
  if (!w->backward) {
    THNN_(packOutputs)(count, planes * c->taps, weight, ofResult, m);
  } else if (c->taps == 1) {
    THNN_(copyParts)(planes, weight, ofSource, count, m);
  } else {
    for (ptrdiff_t s = 0; s < planes; s++)
      THNN_(packFilters)(count, c->taps, weight + s * ofSource, m + s * c->taps * width);
  }
}

/* The packed weights of the taps of a part. */
static const real *THNN_(pickWeights)(const THNN_(ImplicitImages) * w,
                                      const THNN_(ImplicitItem) * i, const THNNPart *part,
                                      ptrdiff_t planes, ptrdiff_t width)
{
  if (part->taps == w->c->taps)
    return i->m;
  real *to = i->picked;
  for (ptrdiff_t s = 0; s < planes; s++)
    for (ptrdiff_t t = 0; t < part->taps; t++, to += width)
      memcpy(to, i->m + (s * w->c->taps + part->tap[t]) * width, (size_t)width * sizeof *to);
  return i->picked;
}

/* Writes the sums of an image's positions in one part, for count result planes, to contiguous planes from
 * `to` on. */
static void THNN_(writePart)(const THNN_(ImplicitImages) * w, const THNNDirect *d, const real *sums,
                             ptrdiff_t positions, ptrdiff_t count, real *to)
{
  const ptrdiff_t width = THNN_(vectorsOf)(count) * TH_DISPATCHED(THNN_(implicit))->lanes;
  if (w->isOneByOne || positions == w->size) {
    (w->streamsPlanes
         ? TH_DISPATCHED(THNN_(implicit))->transposeStream
         : TH_DISPATCHED(THNN_(implicit))->transpose)(positions, count, sums, width, to, w->size);
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

/* The stride of positions in a channels-last result. */
static ptrdiff_t THNN_(nextOf)(const THNN_(ImplicitImages) * w)
{
  return w->results * w->c->groups;
}

/* Whether the kernel writes the sums of count planes to the channels-last result. */
static int THNN_(isDirectSum)(const THNN_(ImplicitImages) * w, ptrdiff_t count)
{
  return w->writesResult && count % TH_DISPATCHED(THNN_(implicit))->lanes == 0;
}

/* Writes the sums of some positions of a part, for count result planes, to a channels-last result whose
 * positions are `next` apart.  The first `skipped` positions of the part are not among them. */
static void THNN_(scatterRows)(const THNNDirect *d, const real *sums, ptrdiff_t skipped,
                               ptrdiff_t positions, ptrdiff_t count, real *to, ptrdiff_t next)
{
  const ptrdiff_t width = THNN_(vectorsOf)(count) * TH_DISPATCHED(THNN_(implicit))->lanes,
                  wide = d->count[2];
  for (ptrdiff_t done = 0, these; done < positions; done += these) {
    const ptrdiff_t at = skipped + done, row = at / wide;
    these = THMin(wide - at % wide, positions - done);
    TH_DISPATCHED(THNN_(winograd))
        ->copyRows(these, count, sums + done * width, width,
                   to + (row / d->count[1] * d->step[0] + row % d->count[1] * d->step[1] +
                         at % wide * d->step[2]) *
                            next,
                   d->step[2] * next);
  }
}

/* The memory for the sums of part k, for the block of result planes that begins with plane first.  It
 * follows the sums of the parts before k. */
static real *THNN_(sumsOfPart)(const THNN_(ImplicitImages) * w, const THNN_(ImplicitItem) * i,
                               ptrdiff_t k, ptrdiff_t first)
{
  const ptrdiff_t width = THNN_(vectorsOf)(i->count) * TH_DISPATCHED(THNN_(implicit))->lanes;
  real *sums = i->sums;
  for (ptrdiff_t before = 0; before < k; before++)
    sums += i->images * THNN_(positionsOfItem)(w, i, &w->plan.part[before]) * width;
  if (w->writesResult) /* only the last block has sums in memory */
    return sums;
  return sums + i->images * THNN_(positionsOfItem)(w, i, &w->plan.part[k]) * first;
}

/* Which weights have been packed last: the next item often needs the same weights. */
typedef struct {
  ptrdiff_t group, result, plane;
} THNN_(Packed);

/* Adds the terms of some planes of the source to the sums of count result planes from first on.  With
 * source plane 0, the sums begin with the bias. */
static void THNN_(addTerms)(const THNN_(ImplicitImages) * w, const THNN_(ImplicitItem) * i,
                            ptrdiff_t first, ptrdiff_t count, ptrdiff_t plane, ptrdiff_t planes,
                            THNN_(Packed) * packed)
{
  const ptrdiff_t vectors = THNN_(vectorsOf)(count),
                  width = vectors * TH_DISPATCHED(THNN_(implicit))->lanes;
  const ptrdiff_t result = i->first + first;
  real *start = i->m + w->packed - w->width;
  if (plane == 0)
    for (ptrdiff_t r = 0; r < width; r++)
      start[r] = w->data.bias && r < count ? w->data.bias[i->group * w->results + result + r] : 0;
  if (packed->group != i->group || packed->result != result || packed->plane != plane)
    THNN_(packWeights)(w, i->group, result, count, plane, planes, i->m);
  *packed = (THNN_(Packed)){i->group, result, plane};
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
    TH_DISPATCHED(THNN_(implicit))
        ->multiplyPrefetching(rows, position, planes * part->taps, w->term + k * w->terms, x,
                              w->inPlace, THNN_(pickWeights)(w, i, part, planes, width), vectors,
                              plane == 0 ? start : NULL, sums, next, &hint);
  }
}

/* Writes image n of the item to a contiguous result: brings the sums of all parts into the order of the
 * positions, and transposes them. */
static void THNN_(writeParts)(const THNN_(ImplicitImages) * w, const THNN_(ImplicitItem) * i,
                              ptrdiff_t n, ptrdiff_t first, ptrdiff_t count, real *to)
{
  const ptrdiff_t width = THNN_(vectorsOf)(count) * TH_DISPATCHED(THNN_(implicit))->lanes;
  for (ptrdiff_t k = 0; k < w->plan.parts; k++) {
    const THNNPart *part = &w->plan.part[k];
    const ptrdiff_t positions = THNN_(positionsOfItem)(w, i, part);
    THNN_(scatterRows)(&part->d, THNN_(sumsOfPart)(w, i, k, first) + n * positions * width, 0,
                       positions, width, i->placed + part->start * width, width);
  }
  (w->streamsPlanes
       ? TH_DISPATCHED(THNN_(implicit))->transposeStream
       : TH_DISPATCHED(THNN_(implicit))->transpose)(w->size, count, i->placed, width, to, w->size);
}

/* Writes the sums of a block of result planes to the result, unless the kernel has done so. */
static void THNN_(writeBlock)(const THNN_(ImplicitImages) * w, const THNN_(ImplicitItem) * i,
                              ptrdiff_t first, ptrdiff_t count)
{
  const ptrdiff_t width = THNN_(vectorsOf)(count) * TH_DISPATCHED(THNN_(implicit))->lanes;
  const ptrdiff_t result = i->first + first;
  if (THNN_(isDirectSum)(w, count))
    return;
  for (ptrdiff_t n = 0; n < i->images; n++) {
    const ptrdiff_t image = (i->image + n) * w->c->groups + i->group;
    real *to = w->data.to + (image * w->results + result) * w->size;
    if (w->placed) {
      THNN_(writeParts)(w, i, n, first, count, to);
      continue;
    }
    for (ptrdiff_t k = 0; k < w->plan.parts; k++) {
      const THNNPart *part = &w->plan.part[k];
      const ptrdiff_t positions = THNN_(positionsOfItem)(w, i, part);
      const real *sums = THNN_(sumsOfPart)(w, i, k, first) + n * positions * width;
      const ptrdiff_t next = THNN_(nextOf)(w);
      if (w->c->channelsLast)
        THNN_(scatterRows)(&part->d, sums, i->skipped, positions, count,
                           w->data.to + ((i->image + n) * w->size + part->start) * next +
                               i->group * w->results + result,
                           next);
      else
        THNN_(writePart)(w, &part->d, sums, positions, count, to + i->skipped + part->start);
    }
  }
}

/* The index, in a plane of the result, of position `at` of a part.  For the position after the last one
 * of the part, it is the size of the plane. */
static ptrdiff_t THNN_(elementOf)(const THNN_(ImplicitImages) * w, const THNNPart *part,
                                  ptrdiff_t at)
{
  const THNNDirect *d = &part->d;
  const ptrdiff_t row = at / d->count[2], slice = row / d->count[1];
  return slice == d->count[0] ? w->size
                              : part->start + slice * d->step[0] + row % d->count[1] * d->step[1] +
                                    at % d->count[2] * d->step[2];
}

/* Sets the results of an item to the bias, or 0, before the parts are written: some positions may be in no
 * part.  With strips, this ends before the first position of the next strip, which another thread may
 * be writing. */
static void THNN_(fillGaps)(const THNN_(ImplicitImages) * w, const THNN_(ImplicitItem) * i)
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
  THNN_(Packed) packed = {-1, 0, 0};
  for (ptrdiff_t item = begin; item < end; item++) {
    const THNN_(ImplicitItem) i = THNN_(itemOf)(w, item);
    for (ptrdiff_t plane = 0; plane < p->planes; plane += w->planes) {
      const ptrdiff_t planes = THMin(w->planes, p->planes - plane);
      if (!w->inPlace)
        THNN_(copySource)(w, &i, plane, planes);
      for (ptrdiff_t first = 0; first < i.count; first += w->width)
        THNN_(addTerms)(w, &i, first, THMin(w->width, i.count - first), plane, planes, &packed);
    }
    if (p->hasGaps)
      THNN_(fillGaps)(w, &i);
    for (ptrdiff_t first = 0; first < i.count; first += w->width)
      THNN_(writeBlock)(w, &i, first, THMin(w->width, i.count - first));
  }
  if (w->streams || w->streamsPlanes)
    THStream_finish();
}

/* Lists the offsets of the positions of a run and of the terms of its planes, for each part. */
static void THNN_(listOffsets)(THNN_(Call) * call, THNN_(ImplicitImages) * w)
{
  const ptrdiff_t parts = w->plan.parts;
  const ptrdiff_t next = w->inPlace ? w->source * w->positionStride : w->planes * w->plane;
  ptrdiff_t *list =
      THNN_(scratchBytes)(call, (size_t)(parts * (w->capacity + w->terms)) * sizeof(ptrdiff_t));
  w->position = list;
  for (ptrdiff_t k = 0; k < parts; k++, list += w->capacity) {
    THNNDirect d = w->plan.part[k].d;
    if (w->isOneByOne) { /* a strip of one long row of positions */
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

enum {
  IMPLICIT_POSITIONS = 512, /* positions computed together, so that packing the weights pays */
  IMPLICIT_LEAST_POSITIONS = 128, /* positions computed together if memory is short */
  /* About IMPLICIT_POSITIONS, and a multiple of the tile heights 6 and 14: a partial tile takes as long as
   * a whole one. */
  IMPLICIT_TILES = 504,
  /* The factor of THNN_IMPLICIT_COLUMNS for channels-last images, which are copied once for all columns. */
  IMPLICIT_CHANNELS_LAST = 4
};

/* Plans the parts of the convolution, the strips of their positions, and the planes that are copied
 * together. */
static void THNN_(planImages)(THNN_(ImplicitImages) * w, THNN_(Call) * call)
{
  const THNNConvolution *c = w->c;
  w->plan = THNNConvPlan_of(c, w->backward, THNN_PLAN_PICKED,
                            THNN_(scratchBytes)(call, THNNConvPlan_memory(c, w->backward,
                                                                          THNN_PLAN_PICKED)));
  w->size = w->backward ? c->image : c->positions;
  w->source = w->backward ? c->positions : c->image;
  w->results = (w->backward ? c->planes : c->outputs) / c->groups;
  w->width = THNN_(widthOf)(w->results);
  w->vectors = THNN_(vectorsOf)(w->results);
  ptrdiff_t taps = 1;
  w->positions = 1;
  for (ptrdiff_t k = 0; k < w->plan.parts; k++) {
    const ptrdiff_t these = THNN_(positionsOf)(&w->plan.part[k].d);
    taps = THMax(taps, w->plan.part[k].taps);
    w->picks |= w->plan.part[k].taps < c->taps;
    w->positions = THMax(w->positions, these);
    w->all += these;
  }
  w->inPlace = c->channelsLast && THNN_(needsNoPadding)(&w->plan);
  w->writesResult = c->channelsLast && w->plan.parts == 1 && !w->plan.hasGaps &&
                    w->plan.part->start == 0 && w->positions == w->size;
  w->strip = w->isOneByOne ? THMin(w->positions, IMPLICIT_POSITIONS)
             : w->inPlace  ? THMin(w->positions, IMPLICIT_TILES)
                           : w->positions;
  w->strips = (w->positions + w->strip - 1) / w->strip;
  const ptrdiff_t columns = (c->channelsLast ? IMPLICIT_CHANNELS_LAST : 1) * THNN_IMPLICIT_COLUMNS;
  w->planes = THMin(w->plan.planes, (columns + taps - 1) / taps);
  /* The stride is an odd number of cache lines, so that planes do not fall into the same sets of the
   * cache. */
  w->plane = w->isOneByOne ? (w->strip | 16) + 16 : w->plan.plane;
  w->positionStride = c->channelsLast ? (w->inPlace ? w->plan.planes * c->groups : w->planes) : 1;
  w->terms = w->planes * taps;
  const ptrdiff_t more =
      THMax(0, TH_DISPATCHED(THNN_(implicit))->lanes - c->taps); /* packFilters */
  w->packed = (w->planes * c->taps + more + 1) * w->width;
  w->picked = w->picks ? w->planes * taps * w->width : 0;
}

/* Elements for the sums of a position.  If the kernel writes sums of whole vectors to the result, only a
 * last, partial block needs memory. */
static ptrdiff_t THNN_(sumsOfPosition)(const THNN_(ImplicitImages) * w, ptrdiff_t splits)
{
  if (w->writesResult)
    return w->results % TH_DISPATCHED(THNN_(implicit))->lanes ? w->width : 0;
  const ptrdiff_t results =
      (w->vectors + splits - 1) / splits * TH_DISPATCHED(THNN_(implicit))->lanes;
  return (results + w->width - 1) / w->width * w->width;
}

/* Chooses the runs, the same number for each thread.  A run has at most as many images as there is memory
 * for, but at least IMPLICIT_LEAST_POSITIONS positions. */
static void THNN_(chooseRuns)(THNN_(ImplicitImages) * w)
{
  const THNNConvolution *c = w->c;
  const ptrdiff_t threads = THParallel_threads(PTRDIFF_MAX, 1);
  const ptrdiff_t ofImage =
      (w->inPlace ? 0 : w->planes * w->plane) +
      (w->isOneByOne || w->inPlace ? w->strip : w->all) * THNN_(sumsOfPosition)(w, 1);
  ptrdiff_t memory = THNNConvolution_memory(c, (int)threads) / threads - w->packed - w->picked;
  if (!c->channelsLast && !w->plan.hasGaps && w->plan.parts > 1 &&
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

/* Sets the sizes of each thread's memory. */
static void THNN_(sizeMemory)(THNN_(ImplicitImages) * w, ptrdiff_t items)
{
  w->threads = THParallel_threads(items, 1);
  w->flat = w->inPlace
                ? 0
                : THNN_(wholeVectors)(w->imagesAtOnce * w->planes * w->plane + THNN_DIRECT_SLACK);
  w->sums = w->imagesAtOnce * (w->isOneByOne || w->inPlace ? w->strip : w->all) *
            THNN_(sumsOfPosition)(w, w->splits);
}

void THNN_(convolveByImplicitGemm)(const THNNConvolution *c, int backward, THTensor *from,
                                   THTensor *weight, THTensor *bias, THTensor *to)
{
  THNN_(Call) call;
  THNN_(beginConvolution)(&call, c, backward, &from, &weight, &bias, &to);
  THNN_(ImplicitImages)
  w = {.c = c,
       .backward = backward,
       .isOneByOne = !c->channelsLast && THNNConvolution_areElements(c)};
  THNN_(planImages)(&w, &call);
  THNN_(chooseRuns)(&w);
  const ptrdiff_t items = w.runs * c->groups * w.splits;
  THNN_(sizeMemory)(&w, items);
  w.memory = THNN_(scratch)(&call, w.threads * THNN_(ofItem)(&w));
  THNN_(listOffsets)(&call, &w);
  w.data = THNN_(startConvolution)(&call, from, weight, bias, to);
  const ptrdiff_t bytes = c->batch * w.size * w.results * c->groups * (ptrdiff_t)sizeof(real);
  const int far = (uintptr_t)w.data.to % TH_STREAM_LINE == 0 && bytes >= THPlan_streamBytes();
  w.streams = far && w.writesResult && w.planes == w.plan.planes &&
              w.results % TH_DISPATCHED(THNN_(implicit))->lanes == 0;
  w.streamsPlanes = far && !c->channelsLast && w.size % (TH_STREAM_LINE / sizeof(real)) == 0;
  THParallel_for(items, 1, THNN_(implicitItems), &w);
  THNN_(finish)(&call);
}

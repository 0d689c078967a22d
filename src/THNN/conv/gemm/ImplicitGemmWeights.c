/* The algorithm implicit_gemm, backward weights. */
#include "THNN/layer/Template.h"
#include "THKernel.h"

#include "THNN/conv/Memory.h"
#include "ImplicitGemmParts.h"

/* A call for the gradient of the weights, and of the bias if it is not NULL. */
typedef struct {
  const THNNConvolution *c;
  THNNConvPlan plan;
  const real *x, *y;
  real *weights, *bias;
  accreal *totals; /* the sum of y for each output */
  accreal scale;
  ptrdiff_t planes;          /* planes of x of a chunk, whose weights are computed together */
  ptrdiff_t chunks;          /* chunks of a group */
  ptrdiff_t width;           /* outputs of a block */
  ptrdiff_t blocks;          /* blocks of outputs of a group */
  ptrdiff_t splits;          /* shares of these blocks, if there are more threads than chunks */
  ptrdiff_t imagesAtOnce;    /* images that are copied together */
  ptrdiff_t strip;           /* positions that are multiplied at a time */
  ptrdiff_t positionStride;  /* stride of neighbouring positions; 1 unless channels-last */
  const ptrdiff_t *position; /* offsets of the positions of imagesAtOnce images, part by part */
  const ptrdiff_t *term;     /* offsets of the terms of a chunk, part by part */
  const ptrdiff_t *row;      /* inRows: the offsets that the positions of a strip are copied to */
  ptrdiff_t image;           /* elements of a copied image */
  /* Elements of each thread's memory: */
  ptrdiff_t flat;    /* for copied images */
  ptrdiff_t sums;    /* for sums */
  ptrdiff_t packed;  /* for packed gradients */
  ptrdiff_t ordered; /* for sums in the order of the weights */
  real *memory;
  int inPlace; /* the image needs no padded copy */
  int inRows;  /* inPlace, channels-last: the positions of a strip are copied together */
  int threads;
} THNN_(ImplicitWeights);

/* Whether products with padding are left out.  Then the sums are ordered by tap, for all planes of a
 * chunk, and are brought into the order of the weights at the end. */
static int THNN_(isParted)(const THNN_(ImplicitWeights) * w)
{
  return w->plan.parts > 1 || w->plan.part->taps < w->c->taps;
}

/* Sets *index to the index in y of a position of a part (positions and indices are counted on from image
 * to image), and returns how many positions of the part are adjacent from there on. */
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
  *index = image * c->positions + part->start + row / rows * d->step[0] + row % rows * d->step[1] +
           column * d->step[2];
  return run - column;
}

/* Packs the gradients of a strip of positions of a part, of some images, as m[position][output] for count
 * outputs.  m has memory for one more vector of positions after the last one. */
static void THNN_(packGradients)(const THNN_(ImplicitWeights) * w, const THNNPart *part,
                                 const real *y, ptrdiff_t count, ptrdiff_t from, ptrdiff_t strip,
                                 real *m)
{
  const THNNConvolution *c = w->c;
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes,
                  width = THNN_(vectorsOf)(count) * lanes;
  for (ptrdiff_t done = 0, index; done < strip;) {
    const ptrdiff_t these = THMin(strip - done, THNN_(runOf)(c, part, from + done, &index));
    const ptrdiff_t position = index % c->positions, left = c->positions - position;
    const real *at = y + index / c->positions * c->outputs * c->positions;
    if (c->channelsLast)
      THNN_(copyParts)(these, at + position * c->outputs, c->outputs, count, m + done * width);
    else /* a whole vector is transposed faster than a part; the rest is overwritten */
      THNN_(packOutputs)(count, THMin(left, THMax(these, lanes)), at + position, c->positions,
                         m + done * width);
    done += these;
  }
}

/* An item of work: the weights of the outputs [first, end) and of some planes of x, of a group. */
typedef struct {
  ptrdiff_t group;
  ptrdiff_t plane, planes; /* first plane and number of planes of x */
  ptrdiff_t first, end;
  const real *x, *y; /* the images that are copied together, from the item's planes on */
  ptrdiff_t images;  /* number of these images */
  real *flat, *sums, *m, *ordered;
  accreal *totals;
} THNN_(WeightsItem);

/* Adds the products of a strip of a part's positions and the gradients of count outputs; o is the first
 * of these outputs, counted from the item's first. */
static void THNN_(addStrip)(const THNN_(ImplicitWeights) * w, const THNN_(WeightsItem) * i,
                            const THNNPart *part, const ptrdiff_t *term, const ptrdiff_t *column,
                            ptrdiff_t strip, const real *gradients, ptrdiff_t count, ptrdiff_t o,
                            const THNN_(PrefetchHint) * hint)
{
  const ptrdiff_t vectors = THNN_(vectorsOf)(count),
                  width = vectors * TH_DISPATCHED(THNN_(implicit))->lanes;
  const int listed = w->inPlace && !w->inRows;
  real *sums = i->sums + o * w->planes * w->c->taps;
  if (!THNN_(isParted)(w)) {
    TH_DISPATCHED(THNN_(implicit))
        ->multiplyPrefetching(i->planes * w->c->taps, term, strip, column, listed ? i->x : i->flat,
                              listed, gradients, vectors, NULL, sums, width, hint);
    return;
  }
  for (ptrdiff_t t = 0, run; t < part->taps; t += run) {
    run = 1; /* adjacent taps, which one call multiplies */
    while (i->planes == w->planes && t + run < part->taps &&
           part->tap[t + run] == part->tap[t] + run)
      run++;
    TH_DISPATCHED(THNN_(implicit))
        ->multiplyPrefetching(run * i->planes, term + t * w->planes, strip, column, i->flat, 0,
                              gradients, vectors, NULL, sums + part->tap[t] * w->planes * width,
                              width, hint);
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
      if (!parted && c->channelsLast && count == c->outputs &&
          count % TH_DISPATCHED(THNN_(implicit))->lanes == 0)
        gradients = i->y + at * count;
      else
        THNN_(packGradients)(w, part, i->y + o * (c->channelsLast ? 1 : c->positions), count, at,
                             strip, i->m);
      if (i->totals)
        TH_DISPATCHED(THNN_(direct))
            ->sumRows(strip, count, gradients,
                      THNN_(vectorsOf)(count) * TH_DISPATCHED(THNN_(implicit))->lanes,
                      i->totals + o);
      /* Gradients come from memory: the strip after the next one is prefetched. */
      const ptrdiff_t later = at + 2 * w->strip;
      THNN_(PrefetchHint) hint = {0};
      if (!parted && !c->channelsLast && !w->inPlace && later < c->positions)
        hint = (THNN_(PrefetchHint)){i->y + o * c->positions + later, count, c->positions, 0};
      THNN_(addStrip)(w, i, part, term, w->inRows ? w->row : position + at, strip, gradients, count,
                      o - i->first, &hint);
    }
  }
}

/* Adds the sums of count outputs to their weights. */
static void THNN_(addToWeights)(const THNN_(ImplicitWeights) * w, const THNN_(WeightsItem) * i,
                                ptrdiff_t o, ptrdiff_t count)
{
  const THNNConvolution *c = w->c;
  const ptrdiff_t outputs = c->outputs / c->groups;
  const ptrdiff_t width = THNN_(vectorsOf)(count) * TH_DISPATCHED(THNN_(implicit))->lanes;
  const real *sums = i->sums + (o - i->first) * w->planes * c->taps;
  if (THNN_(isParted)(w)) {
    for (ptrdiff_t t = 0; t < c->taps; t++)
      TH_DISPATCHED(THNN_(winograd))
          ->copyRows(i->planes, width, sums + t * w->planes * width, width, i->ordered + t * width,
                     c->taps * width);
    sums = i->ordered;
  }
  TH_DISPATCHED(THNN_(winograd))
      ->addTransposed(i->planes * c->taps, count, sums, width, w->scale,
                      w->weights + (i->group * outputs + o) * c->terms + i->plane * c->taps,
                      c->terms);
}

/* Copies some images from `image` on, with padding. */
static void THNN_(copyImages)(const THNN_(ImplicitWeights) * w, THNN_(WeightsItem) * i,
                              ptrdiff_t image)
{
  const THNNConvolution *c = w->c;
  const THNNConvPlan *p = &w->plan;
  const ptrdiff_t ofX = i->group * p->planes + i->plane, ofY = i->group * (c->outputs / c->groups);
  i->images = THMin(w->imagesAtOnce, c->batch - image);
  i->x = w->x + image * c->planes * c->image + ofX * (c->channelsLast ? 1 : c->image);
  i->y = w->y + image * c->outputs * c->positions + ofY * (c->channelsLast ? 1 : c->positions);
  for (ptrdiff_t k = 0; !w->inPlace && k < i->images; k++) {
    const real *from = i->x + k * c->planes * c->image;
    real *to = i->flat + k * w->image;
    if (c->channelsLast)
      THNN_(copyPaddedNhwc)(p->layout, from, c->planes, i->planes, to, w->positionStride);
    else
      THNN_(copyPadded)(p->layout, from, i->planes, c->image, to, p->plane);
  }
}

/* Sums the products of a chunk of planes of x and a split of the outputs over all images, in order. */
static void THNN_(implicitWeights)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(ImplicitWeights) *w = context;
  const THNNConvolution *c = w->c;
  const THNNConvPlan *p = &w->plan;
  const ptrdiff_t outputs = c->outputs / c->groups;
  THNN_(WeightsItem)
  i = {.flat = THNN_(ofThread)(w->memory, w->flat + w->sums + w->packed + w->ordered, w->threads)};
  i.sums = i.flat + w->flat;
  i.m = i.sums + w->sums;
  i.ordered = i.m + w->packed;
  for (ptrdiff_t item = begin; item < end; item++) {
    const ptrdiff_t split = item % w->splits, chunk = item / w->splits % w->chunks;
    i.group = item / w->splits / w->chunks;
    i.plane = chunk * w->planes;
    i.planes = THMin(w->planes, p->planes - i.plane);
    i.first = split * w->blocks / w->splits * w->width;
    i.end = THMin((split + 1) * w->blocks / w->splits * w->width, outputs);
    /* The first chunk also sums up y for the bias, while y is in the cache. */
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
      THNN_(addToWeights)(w, &i, o, THMin(w->width, i.end - o));
    for (ptrdiff_t o = i.first; i.totals && o < i.end; o++)
      w->bias[i.group * outputs + o] =
          (real)(w->bias[i.group * outputs + o] + w->scale * i.totals[o]);
  }
}

/* Lists the offsets of the positions and of the terms of each part. */
static void THNN_(listWeights)(THNN_(ImplicitWeights) * w, THNN_(Call) * call, ptrdiff_t rows)
{
  const THNNConvolution *c = w->c;
  const THNNConvPlan *p = &w->plan;
  const ptrdiff_t next = w->inPlace ? c->planes * c->image : w->image;
  const ptrdiff_t stride = c->channelsLast ? w->positionStride : p->plane,
                  positions = w->imagesAtOnce * c->positions;
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

/* Chooses the chunks of planes, the same number for each thread, and into how many splits the blocks of
 * outputs are divided.  A chunk has at most TERMS terms and what there is memory for, but at least
 * LEAST_TERMS; an item has at most SUMS sums.  samePlanes: every thread has all planes, and some of the
 * outputs. */
static void THNN_(chooseChunks)(THNN_(ImplicitWeights) * w, int samePlanes)
{
  enum { TERMS = 512, LEAST_TERMS = 64, SUMS = 1 << 18 };
  const THNNConvolution *c = w->c;
  const ptrdiff_t threads = THParallel_threads(PTRDIFF_MAX, 1), planes = w->plan.planes;
  const ptrdiff_t ofPlane =
      (w->inPlace ? 0 : w->imagesAtOnce * w->plan.plane) + c->taps * w->blocks * w->width;
  const ptrdiff_t memory = THNNConvolution_memory(c, (int)threads) / threads - w->packed;
  const ptrdiff_t fit = THMax(LEAST_TERMS / c->taps, memory / ofPlane);
  const ptrdiff_t planesAtOnce = THMax(1, THMin(planes, THMin(TERMS / c->taps, fit)));
  const ptrdiff_t side = samePlanes ? 1 : threads; /* chunks at the same time */
  const ptrdiff_t turns = (c->groups * planes + side * planesAtOnce - 1) / (side * planesAtOnce);
  w->chunks = THMin(planes, (turns * side + c->groups - 1) / c->groups);
  w->planes = (planes + w->chunks - 1) / THMax(1, w->chunks);
  w->chunks = w->planes ? (planes + w->planes - 1) / w->planes : 0;
  w->planes = THMax(1, w->planes);
  const ptrdiff_t most = THMax(1, SUMS / (w->planes * c->taps * w->width)); /* blocks */
  w->splits = (w->blocks + most - 1) / most;
  if (samePlanes || c->groups * w->chunks < threads)
    w->splits = THMin(w->blocks, THMax(w->splits, threads));
}

static void THNN_(prepareImplicitWeights)(THNN_(ImplicitWeights) * w, const THNNConvolution *c,
                                          THNN_(Call) * call)
{
  enum { POSITIONS = 256 }; /* positions of the images that are copied together, about */
  *w = (THNN_(ImplicitWeights)){.c = c};
  const ptrdiff_t outputs = c->outputs / c->groups;
  const int parted = c->planes / c->groups >= THNN_PARTED_PLANES;
  const THNNConvPlanUse use = parted ? THNN_PLAN_PICKED : THNN_PLAN_WHOLE;
  w->plan = THNNConvPlan_of(c, 0, use, THNN_(scratchBytes)(call, THNNConvPlan_memory(c, 0, use)));
  w->inPlace = c->channelsLast ? c->taps == 1 && THNN_(needsNoPadding)(&w->plan)
                               : THNNConvolution_areElements(c);
  w->inRows = c->channelsLast && w->inPlace;
  w->width = THNN_(widthOf)(outputs);
  w->strip = THNN_IMPLICIT_COLUMNS;
  /* With few planes, their elements stay in the L1 cache.  Then half as many outputs, taller register
   * tiles and twice as many positions at a time make less work between the products. */
  if (!parted && w->width == 4 * TH_DISPATCHED(THNN_(implicit))->lanes &&
      THNN_(vectorsOf)(outputs) % 2 == 0) {
    w->width /= 2;
    w->strip *= 2;
  }
  const ptrdiff_t threads = THParallel_threads(PTRDIFF_MAX, 1), planes = w->plan.planes;
  /* Few planes that do not divide evenly among the threads: each thread has all planes, and some of the
   * outputs. */
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(implicit))->lanes,
                  vectors = (outputs + lanes - 1) / lanes;
  const int samePlanes = c->groups * planes < 4 * threads && c->groups * planes % threads != 0 &&
                         vectors % threads == 0;
  if (samePlanes)
    w->width = THMin(w->width, vectors / threads * lanes);
  w->blocks = (outputs + w->width - 1) / w->width;
  w->imagesAtOnce = THMin(c->batch, (POSITIONS + c->positions - 1) / c->positions);
  w->packed = (w->strip + lanes) * w->width;
  THNN_(chooseChunks)(w, samePlanes);
  w->threads = THParallel_threads(c->groups * w->chunks * w->splits, 1);
  /* An odd number of cache lines, so that positions do not fall into the same sets of the cache. */
  const ptrdiff_t rows = w->planes < 16 ? w->planes : ((w->planes + 15) / 16 | 1) * 16;
  w->positionStride = !c->channelsLast ? 1 : w->inPlace ? c->planes : rows;
  w->image = c->channelsLast ? w->positionStride * w->plan.plane : w->planes * w->plan.plane;
  THNN_(listWeights)(w, call, rows);
  w->flat = w->inRows    ? w->strip * rows
            : w->inPlace ? 0
                         : THNN_(wholeVectors)(w->imagesAtOnce * w->image + THNN_DIRECT_SLACK);
  w->sums = w->planes * c->taps * ((w->blocks + w->splits - 1) / w->splits) * w->width;
  w->ordered = THNN_(isParted)(w) ? w->planes * c->taps * w->width : 0;
  w->totals = THNN_(scratchBytes)(call, (size_t)c->outputs * sizeof *w->totals);
  w->memory = THNN_(scratch)(call, w->threads * (w->flat + w->sums + w->packed + w->ordered));
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

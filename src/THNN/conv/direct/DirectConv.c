/* The algorithm direct: sums of shifted planes, which stay in registers (DirectConv.h). */
#include "THNN/layer/Template.h"
#include "THKernel.h"

#include "THNN/conv/Memory.h"

TH_DISPATCH(THNN_(Direct), THNN_(direct))

/* --- which ones ------------------------------------------------------------------------------ */

int THNN_(areFlat)(const THNNConvolution *c)
{
  return THNNConvolution_areElements(c) && c->terms > 0 && c->positions >= THNN_DIRECT_SLACK;
}

int THNN_(supportsDirect)(const THNNConvolution *c, THNNPass pass)
{
  return !c->channelsLast && c->groups > 0 && (pass != THNN_BACKWARD_WEIGHTS || THNN_(fitSets)(c));
}

/* Never chosen for images of fewer than MIN_WINDOWS positions without groups, and for 1 x 1
 * convolutions unless their planes serve as flat planes: matrix products are faster there. */
double THNN_(costOfDirect)(const THNNConvolution *c, THNNPass pass, THNN_(WinogradPlan) * plan)
{
  enum { MIN_WINDOWS = 24 };
  if (!THNNConvolution_areElements(c))
    return c->positions >= MIN_WINDOWS || c->groups > 1 ? THNN_ALWAYS : THNN_NEVER;
  return pass != THNN_BACKWARD_WEIGHTS && THNN_(areFlat)(c) ? THNN_ALWAYS : THNN_NEVER;
}

/* --- forward and backward data ---------------------------------------------------------------- */

/* A call of the algorithm direct. */
typedef struct {
  const THNNConvolution *c;
  THNNConvPlan plan;
  THNN_(Operands) data;
  const THNNActivation *activation; /* or NULL */
  const real *packed;               /* packed weights */
  real *flat;       /* a flat image for each thread; NULL if the planes serve as flat planes */
  ptrdiff_t planes; /* planes of a group of the result */
  ptrdiff_t size;   /* elements of one of these planes */
  ptrdiff_t image;  /* planes * size */
  /* Shares of a group of an image, if there are fewer of these than threads: of its blocks of planes, or
   * of its positions if flat is NULL. */
  ptrdiff_t splits;
  int threads;
} THNN_(Planned);

void THNN_(copyPadded)(const THNNWindow *layout, const real *x, ptrdiff_t planes, ptrdiff_t next,
                       real *flat, ptrdiff_t plane)
{
  ptrdiff_t size = 1;
  for (int d = 0; d < 3; d++)
    size *= layout[d].size * layout[d].output;
  for (ptrdiff_t p = 0; p < planes; p++, flat += plane) {
    TH_DISPATCHED(THNN_(im2col))->unfold(layout, x + p * next, flat);
    memset(flat + size, 0, (size_t)(plane - size) * sizeof *flat);
  }
  memset(flat, 0, THNN_DIRECT_SLACK * sizeof *flat);
}

static ptrdiff_t THNN_(planeSize)(const THNNWindow *layout)
{
  return layout[0].input * layout[1].input * layout[2].input;
}

/* Computes planes [first, last) of a group of an image (item) from a flat image. */
static void THNN_(plannedPlanes)(const THNN_(Planned) * w, ptrdiff_t item, ptrdiff_t first,
                                 ptrdiff_t last, const real *flat)
{
  const THNNConvPlan *p = &w->plan;
  const ptrdiff_t group = item % w->c->groups;
  const real *bias = w->data.bias ? w->data.bias + group * w->planes + first : NULL;
  real *to = w->data.to + item * w->image + first * w->size;
  if (p->hasGaps)
    THNN_(fillPlanes)(to, last - first, w->size, bias);
  for (ptrdiff_t k = 0; k < p->parts; k++) {
    THNNDirect d = p->part[k].d;
    d.outputs = last - first;
    d.activation = w->activation;
    TH_DISPATCHED(THNN_(direct))
        ->convolve(&d, flat, w->packed + group * p->packed + p->part[k].packed + first * d.terms,
                   bias, to + p->part[k].start);
  }
}

/* Computes one split of the positions of all planes, where the planes serve as flat planes of one
 * row. */
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
  d.activation = w->activation;
  TH_DISPATCHED(THNN_(direct))
      ->convolve(&d, w->data.from + item * p->planes * w->size + first,
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

/* Packs the weights of a block of result planes for all terms of a part.  The block has `count` result
 * planes; weights of missing ones are 0. */
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

/* Packs weights as packed[group][part][block][term][output of the block]. */
static void THNN_(packBlocks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Pack) *w = context;
  const THNNConvolution *c = w->c;
  const THNNConvPlan *p = w->plan;
  const ptrdiff_t outputs = c->outputs / c->groups, blocks = THNNDirect_blocks(&p->part->d);
  const ptrdiff_t ofResult = w->backward ? c->taps : c->terms;
  const ptrdiff_t ofSource = w->backward ? c->terms : c->taps;
  for (ptrdiff_t item = begin; item < end; item++) {
    const ptrdiff_t group = item / blocks, first = item % blocks * p->part->d.block;
    const real *weight = w->weight + group * outputs * c->terms + first * ofResult;
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

/* from and to are x and y, or with `backward` y and x. */
void THNN_(convolveByDirect)(const THNNConvolution *c, int backward, THTensor *from,
                             THTensor *weight, THTensor *bias, THTensor *to)
{
  THNN_(Call) call;
  THNN_(beginConvolution)(&call, c, backward, &from, &weight, &bias, &to);
  THNN_(Planned)
  w = {.c = c, .planes = (backward ? c->planes : c->outputs) / c->groups};
  w.size = backward ? c->image : c->positions;
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
  w.activation = THNNConvolution_activate(c, backward);
  THParallel_for(items * w.splits, 1, THNN_(plannedSplits), &w);
  THNN_(finish)(&call);
}

/* --- weights --------------------------------------------------------------------------------- */

/* A call of direct for the gradient of the weights. */
typedef struct {
  const THNNConvolution *c;
  THNNConvPlan plan;
  THNNWindow layoutY[3];
  ptrdiff_t planeY; /* elements of a flat plane of y */
  const real *x, *y;
  const real *mask;       /* THNN_(setMask) */
  real *sums;             /* sums of the weights for each set of images */
  accreal *totals;        /* THNN_(totalsOfSets) */
  real *flat;             /* for each thread: flat images of x, then of y */
  ptrdiff_t imagesAtOnce; /* images that one call of correlate sums up in registers */
  ptrdiff_t sets;
  int threads;
} THNN_(Sums);

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
    real *sums = w->sums + item * outputs * c->terms;
    accreal *totals = w->totals + (w->totals ? item * outputs : 0);
    memset(sums, 0, (size_t)(outputs * c->terms) * sizeof *sums);
    const ptrdiff_t last = (set + 1) * c->batch / w->sets;
    for (ptrdiff_t i = set * c->batch / w->sets; i < last; i += w->imagesAtOnce) {
      const ptrdiff_t images = THMin(w->imagesAtOnce, last - i);
      for (ptrdiff_t k = 0; k < images; k++) {
        const ptrdiff_t from = (i + k) * c->groups + group;
        THNN_(copyPadded)(p->layout, w->x + from * planes * c->image, planes, c->image,
                          x + k * nextX, p->plane);
        THNN_(copyPadded)(w->layoutY, w->y + from * outputs * c->positions, outputs, c->positions,
                          y + k * nextY, w->planeY);
        if (w->totals)
          THNN_(addToTotals)(outputs, w->y + from * outputs * c->positions, c->positions, totals);
      }
      TH_DISPATCHED(THNN_(direct))
          ->correlate(&p->part->d, images, x, nextX, y, w->planeY, nextY, w->mask, sums);
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

static THNN_(Sums) THNN_(sumsOf)(const THNNConvolution *c, THNN_(Call) * call)
{
  THNN_(Sums) w = {.c = c, .sets = THNN_(setsOf)(c)};
  w.threads = THParallel_threads(w.sets * c->groups, 1);
  w.plan = THNNConvPlan_of(c, 0, THNN_PLAN_WHOLE,
                           THNN_(scratchBytes)(call, THNNConvPlan_memory(c, 0, THNN_PLAN_WHOLE)));
  w.planeY = THNNConvPlan_other(c, &w.plan, w.layoutY);
  w.sums = THNN_(scratch)(call, w.sets * c->outputs * c->terms);
  w.imagesAtOnce = THNN_(imagesThatFit)(THNN_(flatImage)(&w));
  w.flat = THNN_(scratch)(call, w.threads * w.imagesAtOnce * THNN_(flatImage)(&w));
  w.mask = THNN_(scratch)(call, w.planeY);
  return w;
}

void THNN_(weightsByDirect)(THNN_(Gradient) * g, THNN_(WinogradPlan) * plan)
{
  const THNNConvolution *c = g->c;
  THNN_(Sums) w = THNN_(sumsOf)(c, &g->call);
  w.totals = THNN_(totalsOfSets)(g);
  THNN_(start)(&g->call);
  w.x = THTensor_(data)(g->x);
  w.y = THTensor_(data)(g->y);
  THNN_(setMask)(c, &w.plan, w.planeY, (real *)w.mask);
  THParallel_for(w.sets * c->groups, 1, THNN_(sumSets), &w);
  THNN_(addSets)(w.sums, w.sets, c->outputs * c->terms, THTensor_(data)(g->gradWeight), g->scale);
}

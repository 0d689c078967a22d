/* The algorithm column_panels (ColumnPanels.h) for contiguous images: forward, and backward data of
 * 1 x 1 convolutions. */
#include "THNN/layer/Template.h"
#include "THKernel.h"

#include "THNN/conv/Memory.h"

TH_DISPATCH(THNN_(Panels), THNN_(panels))

enum {
  PANEL_TERMS = 128, /* terms of a panel, about: the panel stays in the L1 cache */
  SINGLES = 2, /* positions after the last whole vector that are computed one by one, at most */
  MOST_POSITIONS = THNN_PANEL_VECTORS * 16, /* positions of a panel, at most */
  MOST_ROWS = 8                             /* rows of a tile, at most */
};

typedef struct {
  const THNNConvolution *c;
  THNNWindow at[3];
  THNN_(Operands) data;
  const THNNActivation *activation; /* or NULL */
  real *memory;                     /* a panel for each thread */
  ptrdiff_t planes;                 /* planes of a group of the source */
  ptrdiff_t results;                /* planes of a group of the result */
  ptrdiff_t source;                 /* elements of a plane of the source */
  ptrdiff_t size;                   /* elements of a plane of the result */
  ptrdiff_t ofRow, ofTerm;          /* strides of the weights: of results and of terms */
  ptrdiff_t planesAtOnce;           /* planes of a panel */
  ptrdiff_t terms;                  /* terms of a panel */
  ptrdiff_t vectors;                /* vectors that the positions of an image fill */
  ptrdiff_t singles;                /* positions after these vectors that are computed one by one */
  ptrdiff_t panelCount;             /* panels that the vectors of an image are divided among */
  ptrdiff_t splits; /* shares into which the results are divided among the threads */
  int threads;
  int inPlace; /* whole panels are read in the image instead of being copied */
} THNN_(PanelPlan);

/* --- which ones ------------------------------------------------------------------------------ */

static THNN_(PanelPlan) THNN_(panelPlan)(const THNNConvolution *c, int backward)
{
  THNN_(PanelPlan) w = {.c = c, .at = {c->at[0], c->at[1], c->at[2]}};
  w.planes = (backward ? c->outputs : c->planes) / c->groups;
  w.results = (backward ? c->planes : c->outputs) / c->groups;
  w.source = backward ? c->positions : c->image;
  w.size = backward ? c->image : c->positions;
  w.ofRow = backward ? 1 : c->terms;
  w.ofTerm = backward ? c->terms : 1;
  if (THNNConvolution_areElements(c)) { /* one long row */
    w.at[0] = w.at[1] = w.at[2] = (THNNWindow){.size = 1, .step = 1, .dilation = 1};
    w.at[0].input = w.at[0].output = w.at[1].input = w.at[1].output = 1;
    w.at[2].input = w.at[2].output = w.size;
  }
  w.planesAtOnce = THMax(1, THMin(w.planes, PANEL_TERMS / c->taps));
  w.terms = w.planesAtOnce * c->taps;
  w.singles = w.size % TH_DISPATCHED(THNN_(panels))->lanes;
  if (backward || w.singles > SINGLES || w.size < TH_DISPATCHED(THNN_(panels))->lanes)
    w.singles = 0;
  w.vectors = (w.size - w.singles + TH_DISPATCHED(THNN_(panels))->lanes - 1) /
              TH_DISPATCHED(THNN_(panels))->lanes;
  return w;
}

int THNN_(supportsColumnPanels)(const THNNConvolution *c, THNNPass pass)
{
  return !c->channelsLast && c->groups > 0 && c->batch > 0 && c->terms > 0 && c->planes > 0 &&
         c->outputs > 0 &&
         (pass == THNN_FORWARD || (pass == THNN_BACKWARD_DATA && THNNConvolution_areElements(c)));
}

/* The elements of a thread's panel. */
static ptrdiff_t THNN_(panelSize)(const THNN_(PanelPlan) * w)
{
  return w->terms * (THMin(w->vectors, TH_DISPATCHED(THNN_(panels))->vectors) *
                         TH_DISPATCHED(THNN_(panels))->lanes +
                     w->singles);
}

/* Chosen for a batch of 1 if the image has few positions or the windows do not overlap; otherwise
 * implicit_gemm and direct are faster.  With vectors of 16 bytes, which have few registers, it is
 * always chosen from MANY_RESULTS / 4 results on (docs/notes/convolution.md). */
double THNN_(costOfColumnPanels)(const THNNConvolution *c, THNNPass pass,
                                 THNN_(WinogradPlan) * plan)
{
  enum { SMALL_IMAGE = 512, TINY_IMAGE = 64, LEAST = 8, MANY_RESULTS = 128, NARROW = 16 };
  const THNN_(PanelPlan) w = THNN_(panelPlan)(c, pass == THNN_BACKWARD_DATA);
  if (THNN_(panelSize)(&w) > THNNConvolution_memory(c, 1))
    return INFINITY;
  const ptrdiff_t half =
      TH_DISPATCHED(THNN_(panels))->lanes * TH_DISPATCHED(THNN_(panels))->vectors / 2;
  if (w.size < half || w.results < LEAST || w.planes * c->taps < LEAST)
    return THNN_NEVER;
  if (TH_DISPATCHED(THNN_(panels))->lanes * sizeof(real) == NARROW)
    return w.results >= MANY_RESULTS / 4 ? THNN_ALWAYS : THNN_NEVER;
  int isDisjoint = 1;
  for (int d = 0; d < 3; d++)
    isDisjoint &= c->at[d].step >= c->at[d].size;
  const ptrdiff_t limit = c->taps == 1 ? SMALL_IMAGE
                          : w.results >= MANY_RESULTS
                              ? TINY_IMAGE
                              : 0; /* copies would take as long as products */
  const int isDense = THNNConvolution_areElements(c);
  return c->batch == 1 && ((isDisjoint && !isDense) || w.size < limit) ? THNN_ALWAYS : THNN_NEVER;
}

/* --- panels ---------------------------------------------------------------------------------- */

/* Lists the runs of the positions first ... first + count - 1 for a tap (`element`), and returns how many
 * runs there are. */
static ptrdiff_t THNN_(listRuns)(const THNNWindow *w, const ptrdiff_t *element, ptrdiff_t first,
                                 ptrdiff_t count, THNNRun *run)
{
  ptrdiff_t runs = 0;
  int64_t left, right;
  THNNWindow_inside(&w[2], element[2] * w[2].dilation, &left, &right);
  for (ptrdiff_t done = 0, these; done < count; done += these) {
    const ptrdiff_t column = (first + done) % w[2].output, row = (first + done) / w[2].output;
    these = THMin(count - done, w[2].output - column);
    const ptrdiff_t slice = row / w[1].output * w[0].step + element[0] * w[0].dilation - w[0].pad,
                    line = row % w[1].output * w[1].step + element[1] * w[1].dilation - w[1].pad;
    const ptrdiff_t begin = THMax(column, left), end = THMin(column + these, right);
    if (slice >= 0 && slice < w[0].input && line >= 0 && line < w[1].input && begin < end)
      run[runs++] = (THNNRun){(slice * w[1].input + line) * w[2].input + begin * w[2].step +
                                  element[2] * w[2].dilation - w[2].pad,
                              done + begin - column, end - begin};
  }
  return runs;
}

/* Fills a panel with the windows of `count` positions from first on, for some planes. */
static void THNN_(fillPanel)(const THNN_(PanelPlan) * w, const real *x, ptrdiff_t planes,
                             ptrdiff_t first, ptrdiff_t count, ptrdiff_t width, real *panel)
{
  const THNNWindow *at = w->at;
  THNNRun run[MOST_POSITIONS];
  THNN_(PanelSource)
  source = {.planes = planes, .nextPlane = w->source, .step = at[2].step, .x = x, .run = run};
  ptrdiff_t e[3];
  for (e[0] = 0; e[0] < at[0].size; e[0]++)
    for (e[1] = 0; e[1] < at[1].size; e[1]++)
      for (e[2] = 0; e[2] < at[2].size; e[2]++, panel += width) {
        source.runs = THNN_(listRuns)(at, e, first, count, run);
        TH_DISPATCHED(THNN_(panels))->pack(&source, width, panel, w->c->taps * width);
      }
}

/* --- products -------------------------------------------------------------------------------- */

/* An item of work: a panel of positions of a group of an image, and a share of the results. */
typedef struct {
  ptrdiff_t item;         /* the image times the groups, plus the group */
  ptrdiff_t first, count; /* the panel's positions */
  ptrdiff_t vectors;      /* vectors that these positions fill */
  ptrdiff_t singles;      /* positions after the last panel that are computed one by one */
  ptrdiff_t row, end;     /* the results [row, end) of the group */
  real *panel;            /* memory for the panel */
  real *single;           /* memory for the windows of the singles */
} THNN_(PanelItem);

static THNN_(PanelItem) THNN_(panelItem)(const THNN_(PanelPlan) * w, ptrdiff_t i)
{
  const ptrdiff_t lanes = TH_DISPATCHED(THNN_(panels))->lanes, panelIndex = i % w->panelCount;
  const ptrdiff_t split = i / (w->c->batch * w->c->groups * w->panelCount);
  const ptrdiff_t vector = panelIndex * w->vectors / w->panelCount;
  THNN_(PanelItem) p = {.item = i / w->panelCount % (w->c->batch * w->c->groups)};
  p.vectors = (panelIndex + 1) * w->vectors / w->panelCount - vector;
  p.singles = panelIndex + 1 == w->panelCount ? w->singles : 0;
  p.first = vector * lanes;
  p.count = THMin(p.vectors * lanes, w->size - p.first);
  p.row = split * w->results / w->splits;
  p.end = (split + 1) * w->results / w->splits;
  p.panel = THNN_(ofThread)(w->memory, THNN_(panelSize)(w), w->threads);
  p.single = p.panel + w->terms * p.vectors * lanes;
  return p;
}

/* Multiplies some rows of weights with a panel.  The sums of a panel whose last vector is partial go
 * through a copy, because the kernel writes whole vectors. */
static void THNN_(multiplyRows)(const THNN_(PanelItem) * p, THNN_(PanelTile) tile, ptrdiff_t terms,
                                ptrdiff_t rows)
{
  const ptrdiff_t width = p->vectors * TH_DISPATCHED(THNN_(panels))->lanes, next = tile.next;
  real sums[MOST_ROWS * MOST_POSITIONS];
  real *const to = tile.result;
  if (p->count == width) {
    TH_DISPATCHED(THNN_(panels))->multiply(terms, rows, p->vectors, &tile);
    return;
  }
  for (ptrdiff_t r = 0; tile.adds && r < rows; r++)
    memcpy(sums + r * width, to + r * next, (size_t)p->count * sizeof *sums);
  tile.result = sums;
  tile.next = width;
  TH_DISPATCHED(THNN_(panels))->multiply(terms, rows, p->vectors, &tile);
  for (ptrdiff_t r = 0; r < rows; r++)
    memcpy(to + r * next, sums + r * width, (size_t)p->count * sizeof *sums);
}

/* Adds the terms of `planes` planes from `plane` on to all results of the item.  columns: the panel, or
 * the image where that is read instead. */
static void THNN_(multiplyPlanes)(const THNN_(PanelPlan) * w, const THNN_(PanelItem) * p,
                                  ptrdiff_t plane, ptrdiff_t planes, const real *columns,
                                  ptrdiff_t nextTerm)
{
  const THNNConvolution *c = w->c;
  const ptrdiff_t group = p->item % c->groups,
                  most = TH_DISPATCHED(THNN_(panels))->rows[p->vectors];
  const ptrdiff_t terms = planes * c->taps;
  const real *weights = w->data.weight + group * (c->outputs / c->groups) * c->terms;
  for (ptrdiff_t row = p->row, rows; row < p->end; row += rows) {
    const ptrdiff_t tiles = (p->end - row + most - 1) / most;
    rows = (p->end - row + tiles - 1) / tiles;
    THNN_(PanelTile)
    tile = {.weights = weights + row * w->ofRow + plane * c->taps * w->ofTerm,
            .ofRow = w->ofRow,
            .ofTerm = w->ofTerm,
            .panel = columns,
            .nextTerm = nextTerm,
            .bias = w->data.bias ? w->data.bias + group * w->results + row : NULL,
            .adds = plane > 0,
            .result = w->data.to + (p->item * w->results + row) * w->size + p->first,
            .next = w->size,
            .activation = plane + planes == w->planes ? w->activation : NULL};
    THNN_(multiplyRows)(p, tile, terms, rows);
    for (ptrdiff_t k = 0; k < p->singles; k++) {
      tile.panel = p->single + k * terms;
      tile.result = w->data.to + (p->item * w->results + row + 1) * w->size - p->singles + k;
      TH_DISPATCHED(THNN_(panels))->multiplyOne(terms, rows, &tile);
    }
  }
}

static void THNN_(multiplyPanels)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(PanelPlan) *w = context;
  for (ptrdiff_t i = begin; i < end; i++) {
    const THNN_(PanelItem) p = THNN_(panelItem)(w, i);
    for (ptrdiff_t plane = 0; plane < w->planes; plane += w->planesAtOnce) {
      const ptrdiff_t planes = THMin(w->planesAtOnce, w->planes - plane);
      const real *x = w->data.from + (p.item * w->planes + plane) * w->source;
      const ptrdiff_t width = p.vectors * TH_DISPATCHED(THNN_(panels))->lanes;
      const int isInPlace = w->inPlace && p.count == width;
      if (!isInPlace)
        THNN_(fillPanel)(w, x, planes, p.first, p.count, width, p.panel);
      for (ptrdiff_t k = 0; k < p.singles; k++)
        THNN_(fillPanel)(w, x, planes, w->size - p.singles + k, 1, 1,
                         p.single + k * planes * w->c->taps);
      THNN_(multiplyPlanes)(w, &p, plane, planes, isInPlace ? x + p.first : p.panel,
                            isInPlace ? w->source : width);
    }
  }
}

/* Whether whole panels are read in the image.  For many results a copy pays, since unaligned vectors take
 * longer to read.  Rows a multiple of SET_BYTES apart would meet in few sets of the L1 cache. */
static int THNN_(areInPlace)(const THNN_(PanelPlan) * w)
{
  enum { SET_BYTES = 512, MOST_RESULTS = 96 };
  return THNNConvolution_areElements(w->c) && w->results <= MOST_RESULTS * w->splits &&
         w->source * sizeof(real) % SET_BYTES != 0;
}

/* Chooses the number of panels, and into how many splits the results are divided.  Threads share the
 * results if each gets many: then their work is equal, each reads its own weights, and no two write to
 * one cache line of the result.  Few results would not pay for one more copy of the image per thread. */
static void THNN_(cutPanels)(THNN_(PanelPlan) * w, ptrdiff_t threads)
{
  enum { THREAD_RESULTS = 32 }; /* results of a thread that pay for another copy of the image */
  const ptrdiff_t most = TH_DISPATCHED(THNN_(panels))->vectors, items = w->c->batch * w->c->groups;
  w->panelCount = (w->vectors + most - 1) / most;
  w->splits = 1;
  if (items % threads == 0 || items * w->panelCount >= 8 * threads)
    return;
  if (w->panelCount >= threads && w->results < THREAD_RESULTS * threads)
    w->panelCount = THMin(w->vectors, (w->panelCount + threads - 1) / threads * threads);
  else
    w->splits = THMin(threads, (w->results + 7) / 8);
}

void THNN_(convolveByColumnPanels)(const THNNConvolution *c, int backward, THTensor *from,
                                   THTensor *weight, THTensor *bias, THTensor *to)
{
  THNN_(Call) call;
  THNN_(beginConvolution)(&call, c, backward, &from, &weight, &bias, &to);
  THNN_(PanelPlan) w = THNN_(panelPlan)(c, backward);
  int threads =
      THParallel_threads(PTRDIFF_MAX, 1); /* becomes the number that there is memory for */
  while (threads > 1 && threads * THNN_(panelSize)(&w) > THNNConvolution_memory(c, threads))
    threads--;
  THNN_(cutPanels)(&w, threads);
  w.inPlace = THNN_(areInPlace)(&w);
  const ptrdiff_t items = c->batch * c->groups * w.panelCount * w.splits;
  w.threads = THMin(threads, THParallel_threads(items, 1));
  w.memory = THNN_(scratch)(&call, w.threads * THNN_(panelSize)(&w));
  w.data = THNN_(startConvolution)(&call, from, weight, bias, to);
  w.activation = THNNConvolution_activate(c, backward);
  THParallel_forIn(w.threads, items, THNN_(multiplyPanels), &w);
  THNN_(finish)(&call);
}

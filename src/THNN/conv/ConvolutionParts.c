/* What the algorithms share: operands, memory for each thread, sets of images, sums for the bias. */
#include "THNN/layer/Template.h"
#include "THKernel.h"

#include "THNN/conv/Memory.h"

#include "TH/core/THTeam.h"

/* --- operands and memory --------------------------------------------------------------------- */

void *THNN_(scratchBytes)(THNN_(Call) * call, size_t bytes)
{
  return THNN_(scratch)(call, (ptrdiff_t)((bytes + sizeof(real) - 1) / sizeof(real)));
}

real *THNN_(ofThread)(real *memory, ptrdiff_t size, int threads)
{
  return memory + THTeam_index(threads) * size;
}

void THNN_(fillPlanes)(real *y, ptrdiff_t planes, ptrdiff_t n, const real *bias)
{
  for (ptrdiff_t p = 0; p < planes; p++)
    for (ptrdiff_t i = 0; i < n; i++)
      y[p * n + i] = bias ? bias[p] : 0;
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

/* --- sets of images ---------------------------------------------------------------------------- */

ptrdiff_t THNN_(setsOf)(const THNNConvolution *c)
{
  return THMin(c->batch, THNN_IMAGE_SETS);
}

ptrdiff_t THNN_(elementsOfLarger)(const THNNConvolution *c)
{
  return c->batch * THMax(c->planes * c->image, c->outputs * c->positions);
}

int THNN_(fitSets)(const THNNConvolution *c)
{
  return c->batch > 0 && c->outputs * c->terms * THNN_(setsOf)(c) <= THNN_(elementsOfLarger)(c);
}

accreal *THNN_(totalsOfSets)(THNN_(Gradient) * g)
{
  const size_t bytes = (size_t)(THNN_(setsOf)(g->c) * g->c->outputs) * sizeof *g->totals;
  if (g->gradBias && !g->biasOfX)
    g->totals = memset(THNN_(scratchBytes)(&g->call, bytes), 0, bytes);
  return g->totals;
}

ptrdiff_t THNN_(imagesThatFit)(ptrdiff_t elements)
{
  return THMax(1, THMin(8, (1 << 16) / THMax(1, elements)));
}

/* Adds sums over the sets to `to`.  The sums are of type accreal if areTotals is set, else of real. */
static inline __attribute__((always_inline)) void THNN_(addEachSet)(const void *sums,
                                                                    bool areTotals, ptrdiff_t sets,
                                                                    ptrdiff_t count, real *to,
                                                                    accreal scale)
{
  for (ptrdiff_t i = 0; i < count; i++) {
    accreal total = 0;
    for (ptrdiff_t set = 0; set < sets; set++)
      total += areTotals ? ((const accreal *)sums)[set * count + i]
                         : (accreal)((const real *)sums)[set * count + i];
    to[i] = (real)(to[i] + scale * total);
  }
}

void THNN_(addSets)(const real *sums, ptrdiff_t sets, ptrdiff_t count, real *weights, accreal scale)
{
  THNN_(addEachSet)(sums, false, sets, count, weights, scale);
}

void THNN_(addTotals)(const accreal *totals, ptrdiff_t sets, ptrdiff_t count, real *sums,
                      accreal scale)
{
  THNN_(addEachSet)(totals, true, sets, count, sums, scale);
}

/* --- sums for the gradient of the bias -------------------------------------------------------- */

void THNN_(addToTotals)(ptrdiff_t planes, const real *y, ptrdiff_t n, accreal *totals)
{
  for (ptrdiff_t p = 0; p < planes; p++)
    totals[p] += TH_DISPATCHED(THNN_(direct))->sum(y + p * n, n);
}

/* The context of addPlaneSums and addColumnSums. */
typedef struct {
  const real *x;
  real *sums;
  int64_t batch, planes;
  ptrdiff_t n; /* elements of a plane (addPlaneSums), or rows of the matrix (addColumnSums) */
  accreal scale;
} THNN_(Bias);

static void THNN_(sumPlanes)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(Bias) *b = context;
  enum { PLANES = 64 }; /* planes that are summed up together; they are adjacent in each image */
  for (ptrdiff_t first = begin; first < end; first += PLANES) {
    const ptrdiff_t count = THMin(PLANES, end - first);
    accreal sums[PLANES] = {0};
    for (int64_t i = 0; i < b->batch; i++)
      for (ptrdiff_t p = 0; p < count; p++)
        sums[p] +=
            TH_DISPATCHED(THNN_(direct))->sum(b->x + (i * b->planes + first + p) * b->n, b->n);
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

enum { COLUMNS_PER_ITEM = 32 }; /* columns of an item of addColumnSums' parallel loop */

/* Sums some columns over all rows.  Blocks of rows that fit in the L1 cache are read in the order of
 * memory. */
static void THNN_(sumColumns)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  enum { COLUMNS = 512, L1_ELEMENTS = 4096 };
  const THNN_(Bias) *b = context;
  const ptrdiff_t beyond = THMin(end * COLUMNS_PER_ITEM, b->planes);
  for (ptrdiff_t first = begin * COLUMNS_PER_ITEM; first < beyond; first += COLUMNS) {
    const ptrdiff_t count = THMin(COLUMNS, beyond - first);
    const ptrdiff_t rows = THMax(1, L1_ELEMENTS / count);
    accreal sums[COLUMNS] = {0};
    for (ptrdiff_t i = 0; i < b->n; i += rows)
      TH_DISPATCHED(THNN_(direct))
          ->sumRows(THMin(rows, b->n - i), count, b->x + i * b->planes + first, b->planes, sums);
    for (ptrdiff_t p = 0; p < count; p++)
      b->sums[first + p] = (real)(b->sums[first + p] + b->scale * sums[p]);
  }
}

void THNN_(addColumnSums)(const real *x, ptrdiff_t rows, int64_t planes, accreal scale, real *sums)
{
  THNN_(Bias) b = {x, sums, 1, planes, rows, scale};
  THParallel_for((planes + COLUMNS_PER_ITEM - 1) / COLUMNS_PER_ITEM,
                 THMax(1, TH_LOOP_GRAIN / THMax(1, COLUMNS_PER_ITEM * rows)), THNN_(sumColumns),
                 &b);
}

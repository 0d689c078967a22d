/* Embeddings (lookup tables): the gradient of the rows, and rows of limited norm. */
#include "UniqueIndices.h"
#include "THNN/layer/Template.h"

/* Contiguous indices.  Raises unless each is a row of table, which is argument arg. */
static const int64_t *THNN_(lookupIndices)(THNN_LongCall *longCall, THIndexTensor *index,
                                           const char *name, THTensor *table, const char *tableName)
{
  THIndexTensor *given = THNN_Longsource(longCall, index);
  THNN_Longready(longCall); /* there are no results of Long */
  const int64_t *at = THIndexTensor_(data)(given);
  const ptrdiff_t count = THIndexTensor_(nElement)(given);
  const int64_t rows = table->size[0];
  for (ptrdiff_t i = 0; i < count; i++)
    THArgCheck(at[i] >= TH_INDEX_BASE && at[i] < rows + TH_INDEX_BASE, 2,
               "index %td of %s is %lld, out of range of the rows of %s, which has size %s", i,
               name, (long long)at[i], tableName, THTensor_(sizeDesc)(table).str);
  return at;
}

/* --- gradients ------------------------------------------------------------------------------- */

typedef struct {
  const int64_t *index, *times; /* times: how often each row occurs, or NULL */
  const real *g;
  real *d;
  ptrdiff_t count, row;
  int64_t padding;
  real scale;
  int byColumn;
} THNN_(LookupWork);

/* Threads divide the columns of long rows, else the rows: each element belongs to one thread, and
 * is summed in the order of the indices. */
enum { LONG_ROW = 256 };

/* Prefetches the beginning of the row of index i: rows come in random order. */
static inline void THNN_(prefetchRow)(const THNN_(LookupWork) * w, ptrdiff_t i, ptrdiff_t first,
                                      ptrdiff_t n)
{
  enum { LINE = 64 / sizeof(real), PREFETCH = 32 * LINE };
  const real *d = w->d + (w->index[i] - TH_INDEX_BASE) * w->row + first;
  for (ptrdiff_t k = 0; k < THMin(n, PREFETCH); k += LINE)
    __builtin_prefetch(d + k, 1);
}

static void THNN_(lookupPart)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(LookupWork) *w = context;
  const ptrdiff_t first = w->byColumn ? begin : 0, n = w->byColumn ? end - begin : w->row;
  enum { PREFETCH_ROWS = 4 };
  for (ptrdiff_t i = 0; i < w->count; i++) {
    const int64_t k = w->index[i] - TH_INDEX_BASE;
    if (w->byColumn && i + PREFETCH_ROWS < w->count)
      THNN_(prefetchRow)(w, i + PREFETCH_ROWS, first, n);
    if (w->index[i] == w->padding || (!w->byColumn && (k < begin || k >= end)))
      continue;
    real *d = w->d + k * w->row + first;
    THVector_(cadd)(d, d, w->g + i * w->row + first,
                    w->times ? w->scale / (real)w->times[k] : w->scale, n);
  }
}

void THNN_(LookupTable_accGradParameters)(THNNState *state, THIndexTensor *input,
                                          THTensor *gradOutput, THTensor *gradWeight,
                                          THIntegerTensor *count, THTensor *sorted,
                                          THIndexTensor *indices, bool scaleGradByFreq,
                                          int paddingValue, accreal scale)
{
  THNN_ARGCHECK(gradWeight->nDimension >= 1, 4, gradWeight,
                "gradWeight has size %s, and has to be rows x columns");
  const int64_t rows = gradWeight->size[0];
  THNN_(LookupWork)
  w = {.count = THIndexTensor_(nElement)(input),
       .row = rows ? THTensor_(nElement)(gradWeight) / rows : 0,
       .padding = paddingValue,
       .scale = (real)scale};
  ptrdiff_t elements;
  THArgCheck(!__builtin_mul_overflow(w.count, w.row, &elements) &&
                 elements == THTensor_(nElement)(gradOutput),
             3, "gradOutput has size %s: %td rows of %td elements are expected for input %s",
             THTensor_(sizeDesc)(gradOutput).str, w.count, w.row,
             THIndexTensor_(sizeDesc)(input).str);

  THNN_LongCall longCall;
  THNN_Longbegin(&longCall);
  w.index = THNN_(lookupIndices)(&longCall, input, "input", gradWeight, "gradWeight");
  int64_t *times = scaleGradByFreq ? THNN_Longscratch(&longCall, rows) : NULL;
  THNN_(Call) call;
  THNN_(beginPart)(&call, longCall.memory);
  gradOutput = THNN_(source)(&call, gradOutput);
  gradWeight = THNN_(sum)(&call, gradWeight);
  THNN_(start)(&call);
  if (times) {
    for (ptrdiff_t i = 0; i < w.count; i++)
      times[w.index[i] - TH_INDEX_BASE] = 0;
    for (ptrdiff_t i = 0; i < w.count; i++)
      times[w.index[i] - TH_INDEX_BASE]++;
  }
  w.times = times;
  w.g = THTensor_(data)(gradOutput);
  w.d = THTensor_(data)(gradWeight);
  w.byColumn = w.row >= LONG_ROW;
  const ptrdiff_t units = w.byColumn ? w.row : rows;
  THParallel_for(units,
                 THMax(32, (ptrdiff_t)(TH_LOOP_GRAIN * (double)units / ((double)elements + 1))),
                 THNN_(lookupPart), &w);
  THNN_(finish)(&call);
  THNN_Longfinish(&longCall);
}

/* --- norms ----------------------------------------------------------------------------------- */

typedef struct {
  const int64_t *index;
  real *w;
  ptrdiff_t row;
  accreal maxNorm, normType;
} THNN_(RenormWork);

static accreal THNN_(rowNorm)(const real *x, ptrdiff_t n, accreal p)
{
  accreal sum = 0;
  if (p == 2) {
#pragma omp simd reduction(+ : sum)
    for (ptrdiff_t i = 0; i < n; i++)
      sum += (accreal)x[i] * (accreal)x[i];
    return sqrt(sum);
  }
  if (p == 1) {
#pragma omp simd reduction(+ : sum)
    for (ptrdiff_t i = 0; i < n; i++)
      sum += fabs((accreal)x[i]);
    return sum;
  }
  if (isinf(p)) {
    for (ptrdiff_t i = 0; i < n; i++)
      sum = fabs((accreal)x[i]) <= sum ? sum : fabs((accreal)x[i]);
    return sum;
  }
  for (ptrdiff_t i = 0; i < n; i++)
    sum += pow(fabs((accreal)x[i]), p);
  return pow(sum, 1 / p);
}

static void THNN_(renormRows)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THNN_(RenormWork) *r = context;
  for (ptrdiff_t i = begin; i < end; i++) {
    real *row = r->w + r->index[i] * r->row;
    const accreal norm = THNN_(rowNorm)(row, r->row, r->normType);
    if (norm > r->maxNorm)
      THVector_(muls)(row, row, (real)(r->maxNorm / (norm + 1e-7)), r->row);
  }
}

void THNN_(LookupTable_renorm)(THNNState *state, THIndexTensor *idx, THTensor *weight,
                               accreal maxNorm, accreal normType)
{
  THNN_ARGCHECK(weight->nDimension >= 1, 3, weight,
                "weight has size %s, and has to be rows x columns");
  THArgCheck(normType > 0, 5, "normType is %g, and has to be positive", (double)normType);
  const int64_t rows = weight->size[0];
  const ptrdiff_t count = THIndexTensor_(nElement)(idx);
  THNN_(RenormWork)
  r = {.row = rows ? THTensor_(nElement)(weight) / rows : 0,
       .maxNorm = maxNorm,
       .normType = normType};

  THNN_LongCall longCall;
  THNN_Longbegin(&longCall);
  const int64_t *index = THNN_(lookupIndices)(&longCall, idx, "idx", weight, "weight");
  int64_t *once = THNN_Longscratch(&longCall, count), *seen = THNN_Longscratch(&longCall, rows);
  THNN_(Call) call;
  THNN_(beginPart)(&call, longCall.memory);
  weight = THNN_(sum)(&call, weight);
  THNN_(start)(&call);

  /* Each row once, however often its index occurs. */
  for (ptrdiff_t i = 0; i < count; i++)
    once[i] = index[i] - TH_INDEX_BASE;
  const ptrdiff_t different = THNN_uniqueIndices(once, count, seen);
  r.index = once;
  r.w = THTensor_(data)(weight);
  THParallel_for(different, THMax(1, TH_LOOP_GRAIN / (r.row + 1)), THNN_(renormRows), &r);
  THNN_(finish)(&call);
  THNN_Longfinish(&longCall);
}

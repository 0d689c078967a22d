/* Factors and solutions of batches of systems, by LAPACK, several at a time. */
#include "THTemplate.h"

#include "THTensorWork.h"

#define LD THTensor_(ld)

typedef struct {
  int n, k;
  real *factors, *x;
  int *pivots, *info;
} THTensor_(Batch);

/* A batch of matrices of n x n; returns n. */
static int THTensor_(checkBatch)(const THTensor *t, const char *name, int arg)
{
  THArgCheck(t->nDimension == 3 && t->size[1] == t->size[2], arg,
             "%s has size %s, it is not a batch of square matrices", name,
             THTensor_(sizeDesc)(t).str);
  THArgCheck(t->size[1] <= INT_MAX, arg, "%s has size %s, more than LAPACK can count", name,
             THTensor_(sizeDesc)(t).str);
  return (int)t->size[1];
}

/* Computes matrices 0 ... count.  Of many small ones a thread takes some rather than a part of
 * each; the first is computed before, so that the library is there and nothing raises among
 * threads. */
static void THTensor_(forBatch)(int64_t count, void (*body)(void *, ptrdiff_t, ptrdiff_t),
                                THTensor_(Batch) * batch)
{
  if (count == 0)
    return;
  body(batch, 0, 1);
  if (count < THGetNumThreads() || batch->n > 128) {
    body(batch, 1, count);
    return;
  }
  THTensor_(Batch) rest = *batch;
  const int64_t square = (int64_t)batch->n * batch->n;
  rest.factors += square;
  rest.pivots += batch->n;
  rest.info += 1;
  if (rest.x)
    rest.x += (int64_t)batch->n * batch->k;
  THParallel_for(count - 1, 1 + TH_LOOP_GRAIN / THMax(square * batch->n, 1), body, &rest);
}

static void THTensor_(factorise)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THTensor_(Batch) *batch = context;
  const int64_t n = batch->n;
  for (ptrdiff_t i = begin; i < end; i++)
    THLapack_(getrf)(batch->n, batch->n, batch->factors + i * n * n, LD(batch->n),
                     batch->pivots + i * n, batch->info + i);
}

void THTensor_(btrifact)(THTensor *ra_, THIntTensor *rpivots_, THIntTensor *rinfo_, int pivot,
                         THTensor *a)
{
  a = a ? a : ra_;
  const int n = THTensor_(checkBatch)(a, "a", 5);
  THArgCheck(pivot, 4, "pivot is 0: there is no factorisation without pivots here");
  const int64_t count = a->size[0], pivotSize[] = {count, n};
  THWorks works = {0};
  THTensor_(Batch) batch = {.n = n};
  batch.factors = THTensor_(work)(&works, ra_, 1, TH_COLUMNS_TO_ROWS, 3, a->size, a);
  batch.pivots = THIntTensor_work(&works, rpivots_, 2, TH_ROWS, 2, pivotSize, NULL);
  batch.info = THIntTensor_workVector(&works, rinfo_, 3, count);
  THTensor_(forBatch)(count, THTensor_(factorise), &batch);
  for (int64_t i = 0; i < count; i++) {
    const int info = rinfo_ && batch.info[i] > 0 ? 0 : batch.info[i];
    THLapackCheck("%s: U(%d,%d) of matrix %lld is zero, the matrix is singular", "btrifact", info,
                  info, (long long)i + TH_INDEX_BASE);
  }
  THWorks_deliver(&works);
}

static void THTensor_(solve)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THTensor_(Batch) *batch = context;
  const int64_t n = batch->n;
  for (ptrdiff_t i = begin; i < end; i++)
    THLapack_(getrs)('N', batch->n, batch->k, batch->factors + i * n * n, LD(batch->n),
                     batch->pivots + i * n, batch->x + i * n * batch->k, LD(batch->n),
                     batch->info + i);
}

void THTensor_(btrisolve)(THTensor *rb_, THTensor *b, THTensor *atf, THIntTensor *pivots)
{
  b = b ? b : rb_;
  const int n = THTensor_(checkBatch)(atf, "atf", 3);
  const int64_t count = atf->size[0];
  THArgCheck((b->nDimension == 2 || b->nDimension == 3) && b->size[0] == count && b->size[1] == n,
             2, "b has size %s, atf has %s", THTensor_(sizeDesc)(b).str,
             THTensor_(sizeDesc)(atf).str);
  THArgCheck(b->nDimension == 2 || b->size[2] <= INT_MAX, 2,
             "b has size %s, more than LAPACK can count", THTensor_(sizeDesc)(b).str);
  THArgCheck(pivots->nDimension == 2 && pivots->size[0] == count && pivots->size[1] == n, 4,
             "pivots has size %s, atf has %s", THIntTensor_sizeDesc(pivots).str,
             THTensor_(sizeDesc)(atf).str);

  THWorks works = {0};
  THTensor_(Batch) batch = {.n = n, .k = b->nDimension == 2 ? 1 : (int)b->size[2]};
  /* A vector is a column, the same by rows and by columns. */
  const THWorkOrder order = b->nDimension == 2 ? TH_ROWS : TH_COLUMNS_TO_ROWS;
  batch.x = THTensor_(work)(&works, rb_, 1, order, b->nDimension, b->size, b);
  batch.factors = THTensor_(work)(&works, NULL, 0, TH_COLUMNS_TO_ROWS, 3, atf->size, atf);
  batch.pivots = THIntTensor_work(&works, NULL, 0, TH_ROWS, 2, pivots->size, pivots);
  batch.info = THIntTensor_workVector(&works, NULL, 0, count);
  for (int64_t i = 0; i < count; i++) {
    for (int64_t j = 0; j < n; j++)
      THArgCheck(batch.pivots[i * n + j] >= 1 && batch.pivots[i * n + j] <= n, 4,
                 "pivots of matrix %lld have %d, which is none of the rows 1 to %d",
                 (long long)i + TH_INDEX_BASE, batch.pivots[i * n + j], n);
    const int info = THTensor_(zeroOnDiagonal)(batch.factors + i * n * n, n, n);
    THLapackCheck("%s: U(%d,%d) of matrix %lld is zero, the matrix is singular", "btrisolve", info,
                  info, (long long)i + TH_INDEX_BASE);
  }
  THTensor_(forBatch)(count, THTensor_(solve), &batch);
  THWorks_deliver(&works);
}

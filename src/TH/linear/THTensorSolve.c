/* Systems of equations and inverses, by LAPACK. */
#include "THTemplate.h"

#include "THTensorWork.h"

#define LD THTensor_(ld)

void THTensor_(gesv)(THTensor *rb_, THTensor *ra_, THTensor *b_, THTensor *a_)
{
  THTensor *a = a_ ? a_ : ra_, *b = b_ ? b_ : rb_;
  const int n = THTensor_(checkSquare)(a, "a", 4), k = THTensor_(checkRight)(b, n, 3);
  int info;
  THWorks works = {0};
  real *x = THTensor_(workOn)(&works, rb_, 1, b, n, k);
  real *lu = THTensor_(workOn)(&works, ra_, 2, a, n, n);
  int *pivots = THIntTensor_workVector(&works, NULL, 0, n);
  THLapack_(gesv)(n, k, lu, LD(n), pivots, x, LD(n), &info);
  THLapackCheck("%s: U(%d,%d) is zero, the matrix is singular", "gesv", info, info);
  THWorks_deliver(&works);
}

void THTensor_(trtrs)(THTensor *rb_, THTensor *ra_, THTensor *b_, THTensor *a_, const char *uplo,
                      const char *trans, const char *diag)
{
  THTensor *a = a_ ? a_ : ra_, *b = b_ ? b_ : rb_;
  const int n = THTensor_(checkSquare)(a, "a", 4), k = THTensor_(checkRight)(b, n, 3);
  const char triangle = THWork_letter(uplo, "UL", "uplo", 5);
  const char op = THWork_letter(trans, "NTC", "trans", 6);
  const char unit = THWork_letter(diag, "NU", "diag", 7);
  int info;
  THWorks works = {0};
  real *x = THTensor_(workOn)(&works, rb_, 1, b, n, k);
  real *t = THTensor_(workOn)(&works, ra_, 2, a, n, n);
  THLapack_(trtrs)(triangle, op, unit, n, k, t, LD(n), x, LD(n), &info);
  THLapackCheck("%s: a(%d,%d) is zero, the triangular matrix is singular", "trtrs", info, info);
  THWorks_deliver(&works);
}

/* --- least squares --------------------------------------------------------------------------- */

/* Copies rows of one work to another, column by column. */
static void THTensor_(copyRows)(real *r, int64_t ldr, const real *t, int64_t ldt, int64_t rows,
                                int64_t columns)
{
  for (int64_t j = 0; j < columns && rows; j++)
    memcpy(r + j * ldr, t + j * ldt, (size_t)rows * sizeof(real));
}

void THTensor_(gels)(THTensor *rb_, THTensor *ra_, THTensor *b_, THTensor *a_)
{
  THTensor *a = a_ ? a_ : ra_, *b = b_ ? b_ : rb_;
  int m, n, info;
  THTensor_(checkMatrix)(a, "a", 4, &m, &n);
  const int k = THTensor_(checkRight)(b, m, 3), rows = THMax(m, n);
  THWorks works = {0};
#ifdef TH_COMPAT_TORCH7
  real *result = THTensor_(workOn)(&works, rb_, 1, m == n ? b : NULL, n, k);
  THTensor *to = NULL;
#else
  THTensor *to = rb_;
#endif
  real *x = THTensor_(workOn)(&works, to, 1, m >= n ? b : NULL, rows, k);
  real *qr = THTensor_(workOn)(&works, ra_, 2, a, m, n);
  if (m < n) {
    const real *right = THTensor_(workOn)(&works, NULL, 0, b, m, k);
    memset(x, 0, (size_t)n * (size_t)k * sizeof(real));
    THTensor_(copyRows)(x, n, right, m, m, k);
  }
  /* LAPACK divides by the largest element. */
  THTensor_(checkFinite)(qr, m, n, 'A', "a", 4);
  THTensor_(checkFinite)(x, rows, k, 'A', "b", 3);
  if (m && n && k) { /* otherwise x is already right */
    const int64_t least = THMin(m, n);
    TH_LAPACK_WITH_SCRATCH(gels, least + THMax(least, k), 'N', m, n, k, qr, LD(m), x, LD(rows));
    THLapackCheck("%s: diagonal element %d of the triangular factor is zero, a has not full rank",
                  "gels", info);
  }
#ifdef TH_COMPAT_TORCH7
  THTensor_(copyRows)(result, n, x, rows, n, k);
#endif
  THWorks_deliver(&works);
}

/* --- inverses -------------------------------------------------------------------------------- */

void THTensor_(getri)(THTensor *ra_, THTensor *a)
{
  a = a ? a : ra_;
  const int n = THTensor_(checkSquare)(a, "a", 2);
  int info;
  THWorks works = {0};
  real *inverse = THTensor_(workOn)(&works, ra_, 1, a, n, n);
  int *pivots = THIntTensor_workVector(&works, NULL, 0, n);
  THLapack_(getrf)(n, n, inverse, LD(n), pivots, &info);
  THLapackCheck("%s: U(%d,%d) is zero, the matrix is singular", "getrf", info, info);
  TH_LAPACK_WITH_SCRATCH(getri, n, n, inverse, LD(n), pivots);
  THLapackCheck("%s: U(%d,%d) is zero, the matrix is singular", "getri", info, info);
  THWorks_deliver(&works);
}

void THTensor_(potri)(THTensor *ra_, THTensor *a, const char *uplo)
{
  a = a ? a : ra_;
  const int n = THTensor_(checkSquare)(a, "a", 2);
  const char triangle = THWork_letter(uplo, "UL", "uplo", 3);
  int info;
  THWorks works = {0};
  real *inverse = THTensor_(workOn)(&works, ra_, 1, a, n, n);
  THLapack_(potri)(triangle, n, inverse, LD(n), &info);
  THLapackCheck("%s: element (%d,%d) of the factor is zero, the matrix is singular", "potri", info,
                info);
  enum { STRIP = 16 }; /* lines at a time: cache lines read across them stay in the cache */
  for (int64_t strip = 0; strip < n; strip += STRIP)
    for (int64_t i = 0; i < n; i++)
      for (int64_t j = THMax(strip, i + 1); j < THMin(n, strip + STRIP); j++)
        if (triangle == 'U')
          inverse[j + i * n] = inverse[i + j * n];
        else
          inverse[i + j * n] = inverse[j + i * n];
  THWorks_deliver(&works);
}

/* --- with factors ---------------------------------------------------------------------------- */

/* The first zero on the diagonal of a work, counted from 1; 0 if there is none.  LAPACK does not
 * check, and would divide by it. */
static int THTensor_(zeroOnDiagonal)(const real *a, int64_t n)
{
  for (int64_t i = 0; i < n; i++)
    if (a[i * n + i] == 0)
      return (int)i + 1;
  return 0;
}

void THTensor_(potrs)(THTensor *rb_, THTensor *b_, THTensor *a_, const char *uplo)
{
  THTensor *b = b_ ? b_ : rb_;
  const int n = THTensor_(checkSquare)(a_, "a", 3), k = THTensor_(checkRight)(b, n, 2);
  const char triangle = THWork_letter(uplo, "UL", "uplo", 4);
  THWorks works = {0};
  real *x = THTensor_(workOn)(&works, rb_, 1, b, n, k);
  real *factor = THTensor_(workOn)(&works, NULL, 0, a_, n, n);
  int info = THTensor_(zeroOnDiagonal)(factor, n);
  THLapackCheck("%s: element (%d,%d) of the factor is zero, the matrix is singular", "potrs", info,
                info);
  THLapack_(potrs)(triangle, n, k, factor, LD(n), x, LD(n), &info);
  THLapackCheck("%s: error %d", "potrs", info);
  THWorks_deliver(&works);
}

/* --- batches --------------------------------------------------------------------------------- */

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
    const int info = THTensor_(zeroOnDiagonal)(batch.factors + i * n * n, n);
    THLapackCheck("%s: U(%d,%d) of matrix %lld is zero, the matrix is singular", "btrisolve", info,
                  info, (long long)i + TH_INDEX_BASE);
  }
  THTensor_(forBatch)(count, THTensor_(solve), &batch);
  THWorks_deliver(&works);
}

/* Products of vectors and matrices: operands with strides that BLAS does not support are copied.
 * For another device, its header (src/THC/linear/THCLinear.h) defines THBlas_ and the type of alpha and
 * beta. */
#include "THTemplate.h"

#ifndef TH_TEMPLATE_DEVICE
#include "THBlasKernels.h"
#define THFactor real
#endif
#include "TH/tensor/THTensorCore.h"

/* --- dot ------------------------------------------------------------------------------------- */

/* The step between elements that are evenly spaced in row-major order; 0 if they are not, or are a
 * single one. */
static int64_t THTensor_(evenStep)(const THTensor *t)
{
  int64_t step = 0, count = 1;
  for (int d = t->nDimension - 1; d >= 0; d--) {
    if (t->size[d] == 1)
      continue;
    if (count == 1)
      step = t->stride[d];
    else if (t->stride[d] != step * count)
      return 0;
    count *= t->size[d];
  }
  return count == 1 ? 1 : step;
}

accreal THTensor_(dot)(THTensor *t, THTensor *src)
{
  const ptrdiff_t n = THTensor_(nElement)(t), nsrc = THTensor_(nElement)(src);
  THArgCheck(nsrc == n, 2, "src has %td elements (%s), t has %td (%s)", nsrc,
             THTensor_(sizeDesc)(src).str, n, THTensor_(sizeDesc)(t).str);
  THGuard first, second;
  THTensor_(guard)(&first);
  THTensor_(guard)(&second);
  if (n > 0 && !THTensor_(evenStep)(t))
    t = first.what = THTensor_(newClone)(t);
  if (n > 0 && !THTensor_(evenStep)(src))
    src = second.what = THTensor_(newClone)(src);
  const accreal sum = THBlas_(accDot)(n, THTensor_(data)(t), n > 0 ? THTensor_(evenStep)(t) : 1,
                                      THTensor_(data)(src), n > 0 ? THTensor_(evenStep)(src) : 1);
  THGuard_leave(&second);
  THGuard_leave(&first);
  return sum;
}

/* --- results --------------------------------------------------------------------------------- */

/* Every product is computed in four steps: check, prepare, compute, deliver.
 *
 * Preparing makes sure that writing the result destroys no operand, and does everything that can
 * fail, so that a failure leaves r_ as it was: result is r_ itself where BLAS can write there, else
 * a new tensor that is copied to r_ at the end. */
typedef struct {
  THTensor *r, *result;
  THGuard guard;
} THTensor_(Target);

/* Whether writing r, resized to the size of t, would change operand. */
static int THTensor_(isOverwritten)(THTensor *r, THTensor *t, THTensor *operand)
{
  return THResult_overlapSized(TH_VIEW(r), t->nDimension, t->size, TH_VIEW(operand)) !=
         TH_OVERLAP_NONE;
}

/* Whether the last two dimensions are a matrix that BLAS can read, by columns or by rows. */
static int THTensor_(isMatrix)(const THTensor *t, int *byRows)
{
  const int d = t->nDimension - 2;
  const int64_t rows = t->size[d], columns = t->size[d + 1];
  const int64_t row = t->stride[d], column = t->stride[d + 1];
  *byRows = 0;
  if ((row == 1 || rows == 1) && (column >= rows || columns == 1))
    return 1;
  *byRows = 1;
  return (column == 1 || columns == 1) && (row >= columns || rows == 1);
}

/* direct: BLAS can write to r itself, if it need not be resized.  a and b are the factors. */
static void THTensor_(prepare)(THTensor_(Target) * target, THTensor *r, THTensor *t, int direct,
                               int readsT, THTensor *a, THTensor *b)
{
  target->r = r;
  THTensor_(guard)(&target->guard);
  const int fits = THTensor_(isSameSizeAs)(r, t);
  const int shares = fits && THTensor_(sharesItself)(r, 1); /* BLAS does not write there */
  const int safe = !THTensor_(isOverwritten)(r, t, a) && !THTensor_(isOverwritten)(r, t, b) &&
                   (r == t || !readsT || !THTensor_(isOverwritten)(r, t, t));
  if (safe && fits && direct && !shares) {
    target->result = r;
    if (readsT && r != t)
      THTensor_(copy)(r, t);
    return;
  }
  if (safe && !fits) {
    /* Resizing is the last step that can fail. */
    THTensor_(resizeAs)(r, t);
    target->result = r;
    if (readsT)
      THTensor_(copy)(r, t);
    return;
  }
  target->result = target->guard.what = THTensor_(new)();
  THTensor_(resizeAs)(target->result, t);
  if (readsT)
    THTensor_(copy)(target->result, t);
}

static void THTensor_(deliver)(THTensor_(Target) * target)
{
  if (target->result != target->r) {
    THTensor_(resizeAs)(target->r, target->result);
    THTensor_(copy)(target->r, target->result);
  }
  THGuard_leave(&target->guard);
}

/* --- factors --------------------------------------------------------------------------------- */

/* A matrix, or a batch of them, as BLAS takes it. */
typedef struct {
  THTensor *tensor;
  int64_t rows, columns, ld, batch; /* batch: from one matrix to the next */
  int byRows;
  THGuard guard; /* holds a copy where the strides allow no other way */
} THTensor_(Matrix);

static void THTensor_(openMatrix)(THTensor_(Matrix) * matrix, THTensor *t)
{
  THTensor_(guard)(&matrix->guard);
  if (!THTensor_(isMatrix)(t, &matrix->byRows)) {
    t = matrix->guard.what = THTensor_(newClone)(t);
    THTensor_(isMatrix)(t, &matrix->byRows);
  }
  const int d = t->nDimension - 2;
  matrix->tensor = t;
  matrix->rows = t->size[d];
  matrix->columns = t->size[d + 1];
  if (matrix->byRows)
    matrix->ld = matrix->rows > 1 ? t->stride[d] : matrix->columns;
  else
    matrix->ld = matrix->columns > 1 ? t->stride[d + 1] : matrix->rows;
  matrix->batch = d > 0 ? t->stride[0] : 0;
}

/* A view of t, as a result of the same layout. */
static void THTensor_(viewMatrix)(THTensor_(Matrix) * matrix, THTensor *t)
{
  THTensor_(openMatrix)(matrix, t);
  THGuard_keep(&matrix->guard);
}

/* --- matrix and vector ----------------------------------------------------------------------- */

/* vec, or a copy, held by the guard, if the library cannot read vec. */
static THTensor *THTensor_(openVector)(THGuard *guard, THTensor *vec)
{
  THTensor_(guard)(guard);
#ifdef TH_BLAS_WALKS_FORWARD /* steps have to be at least 1 */
  if (vec->size[0] > 1 && vec->stride[0] == 0)
    vec = guard->what = THTensor_(newClone)(vec);
#endif
  return vec;
}

void THTensor_(addmv)(THTensor *r_, THFactor beta, THTensor *t, THFactor alpha, THTensor *mat,
                      THTensor *vec)
{
  THArgCheck(mat->nDimension == 2 && vec->nDimension == 1, 5,
             "a matrix and a vector are multiplied, not tensors of size %s and %s",
             THTensor_(sizeDesc)(mat).str, THTensor_(sizeDesc)(vec).str);
  THArgCheck(mat->size[1] == vec->size[0], 6,
             "size mismatch: a matrix of size %s cannot multiply a vector of %s",
             THTensor_(sizeDesc)(mat).str, THTensor_(sizeDesc)(vec).str);
  THArgCheck(t->nDimension == 1 && t->size[0] == mat->size[0], 3,
             "size mismatch: t has size %s, the product of %s and %s has [%lld]",
             THTensor_(sizeDesc)(t).str, THTensor_(sizeDesc)(mat).str, THTensor_(sizeDesc)(vec).str,
             (long long)mat->size[0]);

  THGuard scratch, vector;
  THTensor_(Matrix) m;
  THTensor_(Target) target;
  THTensor_(openMatrix)(&m, mat);
  vec = THTensor_(openVector)(&vector, vec);
  THBlas_(openScratch)(&scratch, 0, 0, 0, 0, 0, 0, 1); /* gemv needs nothing but the library */
  THTensor_(prepare)(&target, r_, t, 1, beta != 0, mat, vec);
  THTensor *result = target.result;
  THBlas_(gemv)(m.byRows ? 't' : 'n', m.byRows ? m.columns : m.rows, m.byRows ? m.rows : m.columns,
                alpha, THTensor_(data)(m.tensor), m.ld, THTensor_(data)(vec), vec->stride[0], beta,
                THTensor_(data)(result), result->stride[0]);
  THTensor_(deliver)(&target);
  THGuard_leave(&scratch);
  THGuard_leave(&vector);
  THGuard_leave(&m.guard);
}

/* --- matrix and matrix ----------------------------------------------------------------------- */

/* A product of two matrices, or of batches of them, in the four steps. */
typedef struct {
  THTensor_(Matrix) r, a, b;
  THTensor_(Target) target;
  THGuard scratch;
  THFactor alpha, beta;
  int threads; /* each multiplies some matrices of the batch */
} THTensor_(Product);

/* Many small products: a thread takes some of them rather than a part of each. */
static int THTensor_(threadsOfBatch)(const THTensor_(Product) * p, int64_t count)
{
  const int threads = THParallel_threads(count, 1);
  const double work = (double)p->a.rows * (double)p->b.columns * (double)p->a.columns;
  return count >= THGetNumThreads() && work < 128. * 128 * 128 ? threads : 1;
}

/* Prepares r_ = beta * t + alpha * m1 * m2, of count matrices at once. */
static void THTensor_(openProduct)(THTensor_(Product) * p, THTensor *r_, THFactor beta, THTensor *t,
                                   THFactor alpha, THTensor *m1, THTensor *m2, int64_t count)
{
  p->alpha = alpha;
  p->beta = beta;
  THTensor_(openMatrix)(&p->a, m1);
  THTensor_(openMatrix)(&p->b, m2);
  int64_t ld = THMax(THMax(p->a.ld, p->b.ld), THMax(p->a.rows, p->b.columns));
  for (int d = 0; d < r_->nDimension; d++)
    ld = THMax(ld, r_->stride[d]);
  p->threads = THTensor_(threadsOfBatch)(p, count);
  const int direct = r_->nDimension == t->nDimension && THTensor_(isMatrix)(r_, &p->r.byRows);
  if (direct && !p->r.byRows)
    THBlas_(openScratch)(&p->scratch, p->a.byRows, p->b.byRows, p->a.rows, p->b.columns,
                         p->a.columns, ld, p->threads);
  else
    THBlas_(openScratch)(&p->scratch, !p->b.byRows, !p->a.byRows, p->b.columns, p->a.rows,
                         p->a.columns, ld, p->threads);
  THTensor_(prepare)(&p->target, r_, t, direct, beta != 0, m1, m2);
  THTensor_(viewMatrix)(&p->r, p->target.result);
}

static void THTensor_(closeProduct)(THTensor_(Product) * p)
{
  THTensor_(deliver)(&p->target);
  THGuard_leave(&p->scratch);
  THGuard_leave(&p->b.guard);
  THGuard_leave(&p->a.guard);
}

/* r[i] = beta * r[i] + alpha * a[i] * b[i].  If r is row-major, its transpose is computed, as the
 * product of the transposes. */
static void THTensor_(multiply)(const THTensor_(Product) * p, int64_t i)
{
  const THTensor_(Matrix) *r = &p->r, *a = &p->a, *b = &p->b;
  real *const at = THTensor_(data)(a->tensor) + i * a->batch;
  real *const bt = THTensor_(data)(b->tensor) + i * b->batch;
  real *const rt = THTensor_(data)(r->tensor) + i * r->batch;
  if (!r->byRows)
    THBlas_(gemmIn)(&p->scratch, a->byRows, b->byRows, r->rows, r->columns, a->columns, p->alpha,
                    at, a->ld, bt, b->ld, p->beta, rt, r->ld);
  else
    THBlas_(gemmIn)(&p->scratch, !b->byRows, !a->byRows, r->columns, r->rows, a->columns, p->alpha,
                    bt, b->ld, at, a->ld, p->beta, rt, r->ld);
}

void THTensor_(addmm)(THTensor *r_, THFactor beta, THTensor *t, THFactor alpha, THTensor *mat1,
                      THTensor *mat2)
{
  THArgCheck(mat1->nDimension == 2 && mat2->nDimension == 2, 5,
             "two matrices are multiplied, not tensors of size %s and %s",
             THTensor_(sizeDesc)(mat1).str, THTensor_(sizeDesc)(mat2).str);
  THArgCheck(mat1->size[1] == mat2->size[0], 6,
             "size mismatch: matrices of size %s and %s cannot be multiplied",
             THTensor_(sizeDesc)(mat1).str, THTensor_(sizeDesc)(mat2).str);
  const int64_t size[] = {mat1->size[0], mat2->size[1]};
  THArgCheck(t->nDimension == 2 && t->size[0] == size[0] && t->size[1] == size[1], 3,
             "size mismatch: t has size %s, the product of %s and %s has %s",
             THTensor_(sizeDesc)(t).str, THTensor_(sizeDesc)(mat1).str,
             THTensor_(sizeDesc)(mat2).str, _THSizeDesc(size, 2).str);

  THTensor_(Product) product;
  THTensor_(openProduct)(&product, r_, beta, t, alpha, mat1, mat2, 1);
  THTensor_(multiply)(&product, 0);
  THTensor_(closeProduct)(&product);
}

/* --- vector and vector ----------------------------------------------------------------------- */

#ifdef TH_TEMPLATE_DEVICE

/* A matrix of one column times one of one row. */
static void THTensor_(addOuter)(THTensor *r_, THFactor beta, THTensor *t, THFactor alpha,
                                THTensor *vec1, THTensor *vec2)
{
  const int64_t down[] = {vec1->size[0], 1}, downSteps[] = {vec1->stride[0], 1};
  const int64_t across[] = {1, vec2->size[0]}, acrossSteps[] = {1, vec2->stride[0]};
  THGuard first, second;
  THTensor_(guard)(&first);
  THTensor_(guard)(&second);
  THTensor *column = first.what =
      THTensor_(newShapeNd)(vec1->storage, vec1->storageOffset, 2, down, downSteps);
  THTensor *row = second.what =
      THTensor_(newShapeNd)(vec2->storage, vec2->storageOffset, 2, across, acrossSteps);
  THTensor_(addmm)(r_, beta, t, alpha, column, row);
  THGuard_leave(&second);
  THGuard_leave(&first);
}

#else

/* An element-wise loop over r, t and the vectors expanded. */
typedef struct {
  real alpha, beta;
} THTensor_(Factors);

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
typedef real THTensor_(Scalar);
#else
typedef uint64_t THTensor_(Scalar); /* wraps around */
#endif

static void THTensor_(outer)(const THRun *run, const void *scalars)
{
  typedef THTensor_(Scalar) scalar;
  const THTensor_(Factors) *factors = scalars;
  const scalar alpha = (scalar)factors->alpha, beta = (scalar)factors->beta;
  const ptrdiff_t dr = run->stride[0], dt = run->stride[1], dx = run->stride[2],
                  dy = run->stride[3];
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *r = (real *)run->at[0] + j * run->rowStride[0];
    const real *t = (const real *)run->at[1] + j * run->rowStride[1];
    const real *x = (const real *)run->at[2] + j * run->rowStride[2];
    const real *y = (const real *)run->at[3] + j * run->rowStride[3];
    if (beta == 0) {
      for (ptrdiff_t i = 0; i < run->n; i++)
        r[i * dr] = (real)(alpha * (scalar)x[i * dx] * (scalar)y[i * dy]);
    } else if (dr == 1 && dt == 1 && dx == 0 && dy == 1) {
      const scalar factor = alpha * (scalar)*x;
#pragma omp simd
      for (ptrdiff_t i = 0; i < run->n; i++)
        r[i] = (real)(beta * (scalar)t[i] + factor * (scalar)y[i]);
    } else {
      for (ptrdiff_t i = 0; i < run->n; i++)
        r[i * dr] =
            (real)(beta * (scalar)t[i * dt] + alpha * (scalar)x[i * dx] * (scalar)y[i * dy]);
    }
  }
}

static void THTensor_(addOuter)(THTensor *r_, real beta, THTensor *t, real alpha, THTensor *vec1,
                                THTensor *vec2)
{
  const int64_t size[] = {vec1->size[0], vec2->size[0]};
  THTensor_(Target) target;
  THTensor_(prepare)(&target, r_, t, 1, beta != 0, vec1, vec2);
  const int64_t down[] = {vec1->stride[0], 0}, across[] = {0, vec2->stride[0]};
  THTensor_(Factors) factors = {alpha, beta};
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, target.result);
  THLoop_tensor(&loop, target.result);
  THLoop_operand(&loop, THTensor_(data)(vec1), sizeof(real), 2, size, down);
  THLoop_operand(&loop, THTensor_(data)(vec2), sizeof(real), 2, size, across);
  THLoop_run(&loop, THTensor_(outer), &factors);
  THTensor_(deliver)(&target);
}

#endif

void THTensor_(addr)(THTensor *r_, THFactor beta, THTensor *t, THFactor alpha, THTensor *vec1,
                     THTensor *vec2)
{
  THArgCheck(vec1->nDimension == 1 && vec2->nDimension == 1, 5,
             "two vectors are multiplied, not tensors of size %s and %s",
             THTensor_(sizeDesc)(vec1).str, THTensor_(sizeDesc)(vec2).str);
  const int64_t size[] = {vec1->size[0], vec2->size[0]};
  THArgCheck(t->nDimension == 2 && t->size[0] == size[0] && t->size[1] == size[1], 3,
             "size mismatch: t has size %s, the product of %s and %s has %s",
             THTensor_(sizeDesc)(t).str, THTensor_(sizeDesc)(vec1).str,
             THTensor_(sizeDesc)(vec2).str, _THSizeDesc(size, 2).str);
  THTensor_(addOuter)(r_, beta, t, alpha, vec1, vec2);
}

/* --- batches --------------------------------------------------------------------------------- */

/* Checks the factors and returns the shape of the product of each. */
static void THTensor_(checkBatches)(THTensor *batch1, THTensor *batch2, int64_t *size)
{
  THArgCheck(batch1->nDimension == 3 && batch2->nDimension == 3, 5,
             "two batches of matrices are multiplied, not tensors of size %s and %s",
             THTensor_(sizeDesc)(batch1).str, THTensor_(sizeDesc)(batch2).str);
  THArgCheck(batch1->size[0] == batch2->size[0] && batch1->size[2] == batch2->size[1], 6,
             "size mismatch: batches of size %s and %s cannot be multiplied",
             THTensor_(sizeDesc)(batch1).str, THTensor_(sizeDesc)(batch2).str);
  size[0] = batch1->size[0];
  size[1] = batch1->size[1];
  size[2] = batch2->size[2];
}

void THTensor_(addbmm)(THTensor *r_, THFactor beta, THTensor *t, THFactor alpha, THTensor *batch1,
                       THTensor *batch2)
{
  int64_t size[3];
  THTensor_(checkBatches)(batch1, batch2, size);
  THArgCheck(t->nDimension == 2 && t->size[0] == size[1] && t->size[1] == size[2], 3,
             "size mismatch: t has size %s, the sum of the products of %s and %s has %s",
             THTensor_(sizeDesc)(t).str, THTensor_(sizeDesc)(batch1).str,
             THTensor_(sizeDesc)(batch2).str, _THSizeDesc(size + 1, 2).str);

  THTensor_(Product) product;
  THTensor_(openProduct)(&product, r_, beta, t, alpha, batch1, batch2, 1);
  for (int64_t i = 0; i < size[0]; i++) {
    THTensor_(multiply)(&product, i);
    product.beta = 1;
  }
  THTensor_(closeProduct)(&product);
}

#ifdef TH_TEMPLATE_DEVICE

static void THTensor_(multiplyAll)(const THTensor_(Product) * p, int64_t count)
{
  const THTensor_(Matrix) *r = &p->r, *a = &p->a, *b = &p->b;
  const THTensor_(Matrix) *left = r->byRows ? b : a, *right = r->byRows ? a : b;
  THBlas_(gemmBatch)(r->byRows != left->byRows, r->byRows != right->byRows,
                     r->byRows ? r->columns : r->rows, r->byRows ? r->rows : r->columns, a->columns,
                     p->alpha, THTensor_(data)(left->tensor), left->ld, left->batch,
                     THTensor_(data)(right->tensor), right->ld, right->batch, p->beta,
                     THTensor_(data)(r->tensor), r->ld, r->batch, count);
}

#else

static void THTensor_(multiplyBatch)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THTensor_(Product) *product = context;
  for (ptrdiff_t i = begin; i < end; i++)
    THTensor_(multiply)(product, i);
}

static void THTensor_(multiplyAll)(const THTensor_(Product) * product, int64_t count)
{
  THParallel_forIn(product->threads, count, THTensor_(multiplyBatch), (void *)product);
}

#endif

void THTensor_(baddbmm)(THTensor *r_, THFactor beta, THTensor *t, THFactor alpha, THTensor *batch1,
                        THTensor *batch2)
{
  int64_t size[3];
  THTensor_(checkBatches)(batch1, batch2, size);
  THArgCheck(THSize_isSameSizeAs(t->size, t->nDimension, size, 3), 3,
             "size mismatch: t has size %s, the products of %s and %s have %s",
             THTensor_(sizeDesc)(t).str, THTensor_(sizeDesc)(batch1).str,
             THTensor_(sizeDesc)(batch2).str, _THSizeDesc(size, 3).str);

  THTensor_(Product) product;
  THTensor_(openProduct)(&product, r_, beta, t, alpha, batch1, batch2, size[0]);
  THTensor_(multiplyAll)(&product, size[0]);
  THTensor_(closeProduct)(&product);
}

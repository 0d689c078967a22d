/* Tensors made from a rule: constants, sequences, diagonals, triangles. */
#include "THTemplate.h"

#include "THLoop.h"
#include "THParallel.h"
#include "THTensorCore.h"

/* --- constants ------------------------------------------------------------------------------- */

void THTensor_(zeros)(THTensor *r_, THLongStorage *size)
{
  THTensor_(resize)(r_, size, NULL);
  THTensor_(zero)(r_);
}

void THTensor_(ones)(THTensor *r_, THLongStorage *size)
{
  THTensor_(resize)(r_, size, NULL);
  THTensor_(fill)(r_, 1);
}

void THTensor_(zerosLike)(THTensor *r_, THTensor *input)
{
  THTensor_(resizeAs)(r_, input);
  THTensor_(zero)(r_);
}

void THTensor_(onesLike)(THTensor *r_, THTensor *input)
{
  THTensor_(resizeAs)(r_, input);
  THTensor_(fill)(r_, 1);
}

/* --- sequences ------------------------------------------------------------------------------- */

/* Element i of a sequence is element(i, sequence).  A loop in order counts i. */
typedef struct THTensor_(Sequence)
{
  accreal first, last, step;
  ptrdiff_t count, *next;
}
THTensor_(Sequence);

static void THTensor_(checkNoOverlap)(THTensor *r)
{
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, r);
  THArgCheck(!THLoop_overlapsItself(&loop, 0), 1,
             "the result of size %s has elements that share memory with each other",
             THTensor_(sizeDesc)(r).str);
}

static void THTensor_(fillSequence)(THTensor *r, THKernel kernel, THTensor_(Sequence) sequence)
{
  if (THTensor_(nElement)(r) == sequence.count)
    THTensor_(checkNoOverlap)(r);
  else
    THTensor_(resize1d)(r, sequence.count);
  ptrdiff_t next = 0;
  sequence.next = &next;
  THLoop loop;
  THLoop_init(&loop);
  loop.inOrder = 1;
  THLoop_tensor(&loop, r);
  THLoop_run(&loop, kernel, &sequence);
}

static void THTensor_(arithmetic)(const THRun *run, const void *of)
{
  const THTensor_(Sequence) *s = of;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *r = (real *)run->at[0] + j * run->jump[0];
    for (ptrdiff_t i = 0; i < run->n; i++)
      r[i * run->step[0]] = (real)(s->first + s->step * (accreal)(*s->next + i));
    *s->next += run->n;
  }
}

/* How many steps lead from xmin to xmax, rounded down; *exact says whether they end there. */
static ptrdiff_t THTensor_(countSteps)(accreal xmin, accreal xmax, accreal step, int *exact)
{
  THArgCheck(step != 0, 4, "step is 0");
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
  THArgCheck(isfinite(xmin) && isfinite(xmax), isfinite(xmin) ? 3 : 2,
             "from %g to %g is not finite", xmin, xmax);
  THArgCheck(step > 0 ? xmax >= xmin : xmax <= xmin, 4, "step %g does not lead from %g to %g", step,
             xmin, xmax);
  const double steps = (xmax - xmin) / step;
  THArgCheck(steps < (double)PTRDIFF_MAX / 16, 4, "from %g to %g are too many steps of %g", xmin,
             xmax, step);
  *exact = steps == floor(steps);
  return (ptrdiff_t)steps;
#else
  THArgCheck(step > 0 ? xmax >= xmin : xmax <= xmin, 4, "step %lld does not lead from %lld to %lld",
             (long long)step, (long long)xmin, (long long)xmax);
  /* Unsigned: the way may be longer than int64_t counts. */
  const uint64_t way = step > 0 ? (uint64_t)xmax - (uint64_t)xmin : (uint64_t)xmin - (uint64_t)xmax;
  const uint64_t stride = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
  THArgCheck(way / stride < (uint64_t)PTRDIFF_MAX / 16, 4,
             "from %lld to %lld are too many steps of %lld", (long long)xmin, (long long)xmax,
             (long long)step);
  *exact = way % stride == 0;
  return (ptrdiff_t)(way / stride);
#endif
}

void THTensor_(range)(THTensor *r_, accreal xmin, accreal xmax, accreal step)
{
  int exact;
  const ptrdiff_t steps = THTensor_(countSteps)(xmin, xmax, step, &exact);
  THTensor_(fillSequence)(r_, THTensor_(arithmetic),
                          (THTensor_(Sequence)){.first = xmin, .step = step, .count = steps + 1});
}

void THTensor_(arange)(THTensor *r_, accreal xmin, accreal xmax, accreal step)
{
  int exact;
  const ptrdiff_t steps = THTensor_(countSteps)(xmin, xmax, step, &exact);
  THTensor_(fillSequence)(
      r_, THTensor_(arithmetic),
      (THTensor_(Sequence)){.first = xmin, .step = step, .count = steps + !exact});
}

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

/* Both ends are exact: the second half is counted from the last. */
static double THTensor_(between)(const THTensor_(Sequence) * s, ptrdiff_t i)
{
  return i < s->count / 2 ? s->first + s->step * (double)i
                          : s->last - s->step * (double)(s->count - 1 - i);
}

static void THTensor_(even)(const THRun *run, const void *of)
{
  const THTensor_(Sequence) *s = of;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *r = (real *)run->at[0] + j * run->jump[0];
    for (ptrdiff_t i = 0; i < run->n; i++)
      r[i * run->step[0]] = (real)THTensor_(between)(s, (*s->next)++);
  }
}

static void THTensor_(powersOfTen)(const THRun *run, const void *of)
{
  const THTensor_(Sequence) *s = of;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *r = (real *)run->at[0] + j * run->jump[0];
    for (ptrdiff_t i = 0; i < run->n; i++)
      r[i * run->step[0]] = (real)pow(10, THTensor_(between)(s, (*s->next)++));
  }
}

static THTensor_(Sequence) THTensor_(spaced)(real a, real b, int64_t n)
{
  THArgCheck(n > 1 || (n == 1 && a == b), 4, "%lld points do not reach from %g to %g", (long long)n,
             (double)a, (double)b);
  return (THTensor_(Sequence)){
      .first = a, .last = b, .step = n > 1 ? ((double)b - a) / (double)(n - 1) : 0, .count = n};
}

void THTensor_(linspace)(THTensor *r_, real a, real b, int64_t n)
{
  THTensor_(fillSequence)(r_, THTensor_(even), THTensor_(spaced)(a, b, n));
}

void THTensor_(logspace)(THTensor *r_, real a, real b, int64_t n)
{
  THTensor_(fillSequence)(r_, THTensor_(powersOfTen), THTensor_(spaced)(a, b, n));
}

#endif

/* --- inputs that are results
 * ----------------------------------------------------------------------- */

/* t, or a copy of it where r shares its memory and is about to be changed.  The guard frees it. */
static THTensor *THTensor_(aside)(THGuard *guard, THTensor *t, const THTensor *r)
{
  THTensor_(guard)(guard);
  if (!t->storage || t->storage != r->storage) {
    THTensor_(retain)(t);
    return guard->what = t;
  }
  return guard->what = THTensor_(newClone)(t);
}

void THTensor_(reshape)(THTensor *r_, THTensor *t, THLongStorage *size)
{
  ptrdiff_t count = size->size > 0;
  for (ptrdiff_t d = 0; d < size->size; d++)
    THArgCheck(size->data[d] > 0 && !__builtin_mul_overflow(count, size->data[d], &count), 3,
               "size %s is no shape", THLongStorage_sizeDesc(size).str);
  THArgCheck(count == THTensor_(nElement)(t), 3, "size %s has %td elements, t has %td (%s)",
             THLongStorage_sizeDesc(size).str, count, THTensor_(nElement)(t),
             THTensor_(sizeDesc)(t).str);
  THGuard guard;
  THTensor *from = THTensor_(aside)(&guard, t, r_);
  THTensor_(resize)(r_, size, NULL);
  THTensor_(copy)(r_, from);
  THGuard_leave(&guard);
}

/* --- diagonals and triangles
 * ------------------------------------------------------------------------ */

/* How many elements the k-th diagonal has; 0 or less outside the matrix. */
static int64_t THTensor_(diagonalSize)(int64_t rows, int64_t columns, int64_t k)
{
  return k >= 0 ? THMin(rows, columns - k) : THMin(rows + k, columns);
}

/* The first element of the k-th diagonal, and the way from each to the next. */
static real *THTensor_(diagonalAt)(THTensor *t, int64_t k, ptrdiff_t *step)
{
  *step = t->stride[0] + t->stride[1];
  return THTensor_(data)(t) + (k < 0 ? -k * t->stride[0] : k * t->stride[1]);
}

/* A new view of that diagonal, which has n elements. */
static THTensor *THTensor_(newDiagonal)(THTensor *t, int64_t n, int64_t k)
{
  const int64_t row = k < 0 ? -k : 0, column = k > 0 ? k : 0;
  return THTensor_(newWithStorage1d)(t->storage,
                                     t->storageOffset + row * t->stride[0] + column * t->stride[1],
                                     n, t->stride[0] + t->stride[1]);
}

void THTensor_(eye)(THTensor *r_, int64_t n, int64_t m)
{
  THArgCheck(n > 0, 2, "n is %lld", (long long)n);
  if (m < 1)
    m = n;
  THTensor_(resize2d)(r_, n, m);
  THTensor_(zero)(r_);
  ptrdiff_t step;
  real *diagonal = THTensor_(diagonalAt)(r_, 0, &step);
  for (int64_t i = 0; i < THMin(n, m); i++)
    diagonal[i * step] = 1;
}

static void THTensor_(diagOfMatrix)(THTensor *r, THTensor *t, int64_t k)
{
  const int64_t n = THTensor_(diagonalSize)(t->size[0], t->size[1], k);
  if (n <= 0) {
    THTensor_(resizeNd)(r, 0, NULL, NULL);
    return;
  }
  THGuard guard;
  THTensor_(guard)(&guard);
  THTensor *diagonal = guard.what = THTensor_(newDiagonal)(t, n, k);
  THTensor_(resize1d)(r, n);
  THTensor_(copy)(r, diagonal);
  THGuard_leave(&guard);
}

static void THTensor_(matrixOfDiag)(THTensor *r, THTensor *t, int64_t k)
{
  const int64_t n = t->size[0], side = n + (k < 0 ? -k : k);
  THTensor_(resize2d)(r, side, side);
  THTensor_(zero)(r);
  ptrdiff_t step;
  real *diagonal = THTensor_(diagonalAt)(r, k, &step);
  const real *x = THTensor_(data)(t);
  for (int64_t i = 0; i < n; i++)
    diagonal[i * step] = x[i * t->stride[0]];
}

void THTensor_(diag)(THTensor *r_, THTensor *t, int k)
{
  THArgCheck(t->nDimension == 1 || t->nDimension == 2, 2,
             "t has size %s, and has to be a vector or a matrix", THTensor_(sizeDesc)(t).str);
  THGuard guard;
  THTensor *from = THTensor_(aside)(&guard, t, r_);
  if (t->nDimension == 2)
    THTensor_(diagOfMatrix)(r_, from, k);
  else
    THTensor_(matrixOfDiag)(r_, from, k);
  THGuard_leave(&guard);
}

/* r = t where keep says so of (row, column), else 0: row i keeps columns first to end. */
static void THTensor_(triangle)(THTensor *r, THTensor *t, int64_t k, int upper)
{
  THArgCheck(t->nDimension == 2, 2, "t has size %s, and has to be a matrix",
             THTensor_(sizeDesc)(t).str);
  THGuard guard;
  THTensor *from = THTensor_(aside)(&guard, t, r);
  THTensor_(resizeAs)(r, t);
  THTensor_(checkNoOverlap)(r);
  const int64_t rows = from->size[0], columns = from->size[1];
  k = THMax(-rows, THMin(k, columns)); /* beyond these nothing changes, and nothing overflows */
  real *to = THTensor_(data)(r);
  const real *x = THTensor_(data)(from);
  const int64_t r0 = r->stride[0], r1 = r->stride[1], x0 = from->stride[0], x1 = from->stride[1];
  TH_PARALLEL_FOR (i, rows, THMax(1, TH_LOOP_GRAIN / columns)) {
    const int64_t edge =
        THMax(0, THMin(columns, i + k + !upper)); /* the first column behind tril, or of triu */
    for (int64_t j = 0; j < edge; j++)
      to[i * r0 + j * r1] = upper ? 0 : x[i * x0 + j * x1];
    for (int64_t j = edge; j < columns; j++)
      to[i * r0 + j * r1] = upper ? x[i * x0 + j * x1] : 0;
  }
  THGuard_leave(&guard);
}

void THTensor_(tril)(THTensor *r_, THTensor *t, int64_t k)
{
  THTensor_(triangle)(r_, t, k, 0);
}

void THTensor_(triu)(THTensor *r_, THTensor *t, int64_t k)
{
  THTensor_(triangle)(r_, t, k, 1);
}

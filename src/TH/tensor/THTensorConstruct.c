/* Tensors made from a rule: constants, sequences, diagonals, triangles. */
#include "THTemplate.h"

#include "THLoop.h"
#include "THTensorCore.h"

#ifdef TH_TEMPLATE_DEVICE
#include "THC/tensor/THCTensorConstruct.h" /* the functions that touch elements */
#else
#include "THTensorConstructHost.h"
#endif

/* --- constants ------------------------------------------------------------------------------- */

void THTensor_(zeros)(THTensor *r_, THLongStorage *size)
{
  THTensor_(resize)(r_, size, NULL);
  THTensor_(zero)(r_);
}

void THTensor_(ones)(THTensor *r_, THLongStorage *size)
{
  THTensor_(resize)(r_, size, NULL);
  THTensor_(fill)(r_, TH_CONVERT_ACCREAL_TO_REAL(1));
}

void THTensor_(zerosLike)(THTensor *r_, THTensor *input)
{
  THTensor_(resizeAs)(r_, input);
  THTensor_(zero)(r_);
}

void THTensor_(onesLike)(THTensor *r_, THTensor *input)
{
  THTensor_(resizeAs)(r_, input);
  THTensor_(fill)(r_, TH_CONVERT_ACCREAL_TO_REAL(1));
}

/* --- sequences ------------------------------------------------------------------------------- */

static void THTensor_(fillSequence)(THTensor *r, Rule rule, Sequence sequence)
{
  THTensor_(checkHere)(r, 1);
  if (THTensor_(nElement)(r) == sequence.count)
    THTensor_(checkFilled)(r);
  else
    THTensor_(resize1d)(r, sequence.count);
  THTensor_(runSequence)(r, rule, &sequence);
}

/* How many numbers there are from xmin to xmax by step; xmax may be one of them if closed is set.
 * As in PyTorch, the quotient of floating numbers is rounded before 1 is added to it, and the sum
 * is rounded again, so that 0.3 counts as the second step of 0.1 from 0.1 on. */
static ptrdiff_t THTensor_(countNumbers)(Position xmin, Position xmax, Position step, int closed)
{
  THArgCheck(step != 0, 4, "step is 0");
#if IS_FLOATING
  THArgCheck(isfinite(xmin) && isfinite(xmax), isfinite(xmin) ? 3 : 2,
             "from %g to %g is not finite", xmin, xmax);
  THArgCheck(step > 0 ? xmax >= xmin : xmax <= xmin, 4, "step %g does not lead from %g to %g", step,
             xmin, xmax);
  const double steps = (xmax - xmin) / step;
  THArgCheck(steps < (double)PTRDIFF_MAX / 16, 4, "from %g to %g are too many steps of %g", xmin,
             xmax, step);
  return (ptrdiff_t)(closed ? floor(steps + 1) : ceil(steps));
#else
  THArgCheck(step > 0 ? xmax >= xmin : xmax <= xmin, 4, "step %lld does not lead from %lld to %lld",
             (long long)step, (long long)xmin, (long long)xmax);
  /* Unsigned: the distance may exceed int64_t. */
  const uint64_t way = step > 0 ? (uint64_t)xmax - (uint64_t)xmin : (uint64_t)xmin - (uint64_t)xmax;
  const uint64_t stride = step > 0 ? (uint64_t)step : 0 - (uint64_t)step;
  THArgCheck(way / stride < (uint64_t)PTRDIFF_MAX / 16, 4,
             "from %lld to %lld are too many steps of %lld", (long long)xmin, (long long)xmax,
             (long long)step);
  return (ptrdiff_t)(way / stride) + (closed || way % stride != 0);
#endif
}

void THTensor_(range)(THTensor *r_, accreal xmin, accreal xmax, accreal step)
{
  const ptrdiff_t count = THTensor_(countNumbers)(xmin, xmax, step, 1);
  THTensor_(fillSequence)(r_, ARITHMETIC, (Sequence){.first = xmin, .step = step, .count = count});
}

void THTensor_(arange)(THTensor *r_, accreal xmin, accreal xmax, accreal step)
{
  const ptrdiff_t count = THTensor_(countNumbers)(xmin, xmax, step, 0);
  THTensor_(fillSequence)(r_, ARITHMETIC, (Sequence){.first = xmin, .step = step, .count = count});
}

#if IS_FLOATING

static Sequence THTensor_(spaced)(double a, double b, int64_t n)
{
  THArgCheck(n > 1 || (n == 1 && a == b), 4, "%lld points do not reach from %g to %g", (long long)n,
             a, b);
  const double steps = (double)(n - 1), way = b - a;
  const double step = isinf(way) ? b / steps - a / steps : way / steps;
  return (Sequence){.first = a, .last = b, .step = n > 1 ? step : 0, .count = n};
}

void THTensor_(linspace)(THTensor *r_, real a, real b, int64_t n)
{
  THTensor_(fillSequence)(r_, EVEN,
                          THTensor_(spaced)(TH_CONVERT_REAL_TO_ACCREAL(a),
                                            TH_CONVERT_REAL_TO_ACCREAL(b), n));
}

void THTensor_(logspace)(THTensor *r_, real a, real b, int64_t n)
{
  THTensor_(fillSequence)(r_, POWERS_OF_TEN,
                          THTensor_(spaced)(TH_CONVERT_REAL_TO_ACCREAL(a),
                                            TH_CONVERT_REAL_TO_ACCREAL(b), n));
}

#endif

/* --- inputs that are results ---------------------------------------------------------------- */

/* t, or a copy of it where r shares its memory and is about to be changed.  The guard frees it. */
static THTensor *THTensor_(aside)(THGuard *guard, THTensor *t, const THTensor *r)
{
  THTensor_(checkHere)(r, 1);
  THTensor_(checkHere)(t, 2);
  THTensor_(guard)(guard);
  if (!THView_sharesStorage(TH_VIEW(t), TH_VIEW(r))) {
    THTensor_(retain)(t);
    return guard->what = t;
  }
  return guard->what = THTensor_(newClone)(t);
}

/* THTensor_(aside), and contiguous where a copy to another shape needs that: such a copy must not need memory after
 * r has been changed. */
static THTensor *THTensor_(asideInOrder)(THGuard *guard, THTensor *t, const THTensor *r)
{
  THTensor *from = THTensor_(aside)(guard, t, r);
  if (!COPIES_ALONG || THTensor_(isContiguous)(from))
    return from;
  THTensor *straight = THTensor_(newClone)(from);
  THTensor_(free)(from);
  return guard->what = straight;
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
  THTensor *from = THTensor_(asideInOrder)(&guard, t, r_);
  THTensor_(resize)(r_, size, NULL);
  THTensor_(copy)(r_, from);
  THGuard_leave(&guard);
}

/* --- diagonals and triangles ---------------------------------------------------------------- */

/* How many elements the k-th diagonal has; 0 or less outside the matrix. */
static int64_t THTensor_(diagonalSize)(int64_t rows, int64_t columns, int64_t k)
{
  return k >= 0 ? THMin(rows, columns - k) : THMin(rows + k, columns);
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
  THTensor_(checkHere)(r_, 1);
  THTensor_(resize2d)(r_, n, m);
  THTensor_(zero)(r_);
  THTensor_(setDiagonal)(r_, 0, THMin(n, m), NULL);
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
  THTensor_(setDiagonal)(r, k, n, t);
}

void THTensor_(diag)(THTensor *r_, THTensor *t, DiagonalNumber k)
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

/* r = t on one side of the k-th diagonal and on it, else 0. */
static void THTensor_(triangle)(THTensor *r, THTensor *t, int64_t k, int upper)
{
  THArgCheck(t->nDimension == 2, 2, "t has size %s, and has to be a matrix",
             THTensor_(sizeDesc)(t).str);
  THShape shape;
  THShape_openAs(&shape, t->nDimension, t->size, t->stride);
  THGuard guard;
  THStandIn standIn;
  THTensor *from = THTensor_(aside)(&guard, t, r);
  r = THTensor_(openStandIn)(&standIn, r, &shape, -1, 1);
  THTensor_(resizeAs)(r, t);
  k = THMax(-from->size[0],
            /* clamped: diagonals further out give the same result, and nothing overflows */
            THMin(k, from->size[1]));
  THTensor_(setTriangle)(r, from, k, upper);
  THTensor_(closeStandIn)(&standIn);
  THGuard_leave(&guard);
  THShape_close(&shape);
}

void THTensor_(tril)(THTensor *r_, THTensor *t, int64_t k)
{
  THTensor_(triangle)(r_, t, k, 0);
}

void THTensor_(triu)(THTensor *r_, THTensor *t, int64_t k)
{
  THTensor_(triangle)(r_, t, k, 1);
}

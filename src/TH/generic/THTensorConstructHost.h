/* What THTensorConstruct.c does with elements, on the processor. */
#include "THParallel.h"

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define IS_FLOATING 1
#else
#define IS_FLOATING 0
#endif
#define COPIES_ALONG 0 /* whether a copy between unlike shapes takes memory */

typedef accreal Position;
typedef int DiagonalNumber;

/* How sequences go on, and where they are. */
typedef enum Rule { ARITHMETIC, EVEN, POWERS_OF_TEN } Rule;
typedef struct Sequence {
  Position first, last, step;
  ptrdiff_t count, *next; /* a loop in order counts elements */
} Sequence;

static void THTensor_(checkHere)(const THTensor *t, int arg)
{
}

static void THTensor_(arithmetic)(const THRun *run, const void *of)
{
  const Sequence *s = of;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *r = (real *)run->at[0] + j * run->jump[0];
    for (ptrdiff_t i = 0; i < run->n; i++)
      r[i * run->step[0]] = (real)(s->first + s->step * (accreal)(*s->next + i));
    *s->next += run->n;
  }
}

#if IS_FLOATING

/* Both ends are exact: the second half is counted from the last. */
static double THTensor_(between)(const Sequence *s, ptrdiff_t i)
{
  return i < s->count / 2 ? s->first + s->step * (double)i
                          : s->last - s->step * (double)(s->count - 1 - i);
}

static void THTensor_(even)(const THRun *run, const void *of)
{
  const Sequence *s = of;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *r = (real *)run->at[0] + j * run->jump[0];
    for (ptrdiff_t i = 0; i < run->n; i++)
      r[i * run->step[0]] = (real)THTensor_(between)(s, (*s->next)++);
  }
}

static void THTensor_(powersOfTen)(const THRun *run, const void *of)
{
  const Sequence *s = of;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *r = (real *)run->at[0] + j * run->jump[0];
    for (ptrdiff_t i = 0; i < run->n; i++)
      r[i * run->step[0]] = (real)pow(10, THTensor_(between)(s, (*s->next)++));
  }
}

#endif

static void THTensor_(runSequence)(THTensor *r, Rule rule, Sequence *sequence)
{
  static const THKernel kernels[] = {
    [ARITHMETIC] = THTensor_(arithmetic),
#if IS_FLOATING
    [EVEN] = THTensor_(even),
    [POWERS_OF_TEN] = THTensor_(powersOfTen),
#endif
  };
  ptrdiff_t next = 0;
  sequence->next = &next;
  THLoop loop;
  THLoop_init(&loop);
  loop.inOrder = 1;
  THLoop_tensor(&loop, r);
  THLoop_run(&loop, kernels[rule], sequence);
}

/* The n elements of r's k-th diagonal = those of x, or 1. */
static void THTensor_(setDiagonal)(THTensor *r, int64_t k, int64_t n, THTensor *x)
{
  const int64_t step = r->stride[0] + r->stride[1];
  real *diagonal = THTensor_(data)(r) + (k < 0 ? -k * r->stride[0] : k * r->stride[1]);
  for (int64_t i = 0; i < n; i++)
    diagonal[i * step] = x ? THTensor_(data)(x)[i * x->stride[0]] : 1;
}

/* r = from on one side of the k-th diagonal and on it, else 0; of the same size. */
static void THTensor_(setTriangle)(THTensor *r, THTensor *from, int64_t k, int upper)
{
  const int64_t rows = from->size[0], columns = from->size[1];
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
}

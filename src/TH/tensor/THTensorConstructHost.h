/* The functions of THTensorConstruct.c that touch elements, on the processor. */
#include "THParallel.h"
#include "THTriangle.h"

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define IS_FLOATING 1
#else
#define IS_FLOATING 0
#endif
#define COPIES_ALONG 0 /* whether a copy between unlike shapes takes memory */

typedef accreal Position;
typedef int DiagonalNumber;

/* The rule of a sequence, and its current state. */
typedef enum Rule { ARITHMETIC, EVEN, POWERS_OF_TEN } Rule;
typedef struct Sequence {
  Position first, last, step;
  ptrdiff_t count, *next; /* a loop in order counts elements */
  Rule rule;
} Sequence;

static void THTensor_(checkHere)(const THTensor *t, int arg)
{
}

/* Sequences are written in order, whether elements share memory or not. */
static void THTensor_(checkFilled)(const THTensor *r)
{
}

/* Numbers are computed a contiguous block at a time and then stored with any stride. */
enum { BLOCK = 512 };

static void THTensor_(arithmetic)(const Sequence *s, ptrdiff_t at, int n, real *r)
{
  const Position start = (Position)at;
  for (int i = 0; i < n; i++)
    r[i] = (real)(s->first + s->step * (start + (Position)i));
}

#if IS_FLOATING

/* Both ends are exact: the second half is counted from the last. */
static void THTensor_(even)(const Sequence *s, ptrdiff_t at, int n, real *r)
{
  const int half = (int)THMax(0, THMin(n, s->count / 2 - at));
  const double start = (double)at, left = (double)(s->count - 1 - at);
  for (int i = 0; i < half; i++)
    r[i] = (real)(s->first + s->step * (start + i));
  for (int i = half; i < n; i++)
    r[i] = (real)(s->last - s->step * (left - i));
}

static void THTensor_(powersOfTen)(const Sequence *s, ptrdiff_t at, int n, real *r)
{
  for (ptrdiff_t i = at; i < at + n; i++) {
    const double up = s->first + s->step * (double)i;
    const double down = s->last - s->step * (double)(s->count - 1 - i);
    r[i - at] = (real)pow(10, i < s->count / 2 ? up : down);
  }
}

#endif

static void THTensor_(makeSequence)(const THRun *run, const void *of)
{
  const Sequence *s = of;
  static void (*const rules[])(const Sequence *s, ptrdiff_t at, int n, real *r) = {
      [ARITHMETIC] = THTensor_(arithmetic),
#if IS_FLOATING
      [EVEN] = THTensor_(even),
      [POWERS_OF_TEN] = THTensor_(powersOfTen),
#endif
  };
  const ptrdiff_t step = run->stride[0];
  for (ptrdiff_t j = 0; j < run->rows; j++)
    for (ptrdiff_t i = 0; i < run->n; i += BLOCK) {
      real block[BLOCK], *const r = (real *)run->at[0] + j * run->rowStride[0] + i * step;
      const int n = (int)THMin(BLOCK, run->n - i);
      rules[s->rule](s, *s->next, n, step == 1 ? r : block);
      for (int k = 0; k < n && step != 1; k++)
        r[k * step] = block[k];
      *s->next += n;
    }
}

static void THTensor_(runSequence)(THTensor *r, Rule rule, Sequence *sequence)
{
  ptrdiff_t next = 0;
  sequence->next = &next;
  sequence->rule = rule;
  THLoop loop;
  THLoop_init(&loop);
  loop.inOrder = 1;
  THLoop_tensor(&loop, r);
  THLoop_run(&loop, THTensor_(makeSequence), sequence);
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
  if (r1 == 1 && x1 == 1) {
    const THTriangle triangle = {.to = (char *)to,
                                 .from = (const char *)x,
                                 .toJump = r0 * (ptrdiff_t)sizeof(real),
                                 .fromJump = x0 * (ptrdiff_t)sizeof(real),
                                 .rows = rows,
                                 .columns = columns,
                                 .diagonal = k,
                                 .itemSize = sizeof(real),
                                 .upper = upper};
    THTriangle_run(&triangle, rows);
    return;
  }
  TH_PARALLEL_FOR (i, rows, THMax(1, TH_LOOP_GRAIN / columns)) {
    const int64_t edge =
        /* the first column after tril, or the first of triu */
        THMax(0, THMin(columns, i + k + !upper));
    for (int64_t j = 0; j < edge; j++)
      to[i * r0 + j * r1] = upper ? 0 : x[i * x0 + j * x1];
    for (int64_t j = edge; j < columns; j++)
      to[i * r0 + j * r1] = upper ? x[i * x0 + j * x1] : 0;
  }
}

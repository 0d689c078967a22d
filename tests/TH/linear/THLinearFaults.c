/* Products of vectors, matrices and batches, on tensors and on plain memory, when memory runs out:
 * every allocation of every function fails in turn, and operands and results are as they were. */
#include "THTemplate.h"

#include "THVector.h"
#include "th_faults.h"

/* Products of integers whose depth is N take no memory. */
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
enum { N = 12, DEPTH = N };
#else
enum { N = 12, DEPTH = 400 };
#endif

typedef struct Operands {
  THTensor *a, *b, *c;    /* N x N: contiguous, transposed, with steps in both dimensions */
  THTensor *x, *y;        /* N elements: a column of a, and one element for all */
  THTensor *batch, *wide; /* 3 x N x N: contiguous, and the matrix c for all */
  THTensor *r;            /* 2, to be resized */
  real p[N * DEPTH], q[N * DEPTH], s[N * N];
  THGenerator *g;
} Operands;

static void set_up(Operands *o)
{
  o->a = THTest_(tensor)(TH_CONTIGUOUS, 1, TH_SHAPE(N, N));
  o->b = THTest_(tensor)(TH_TRANSPOSED, 2, TH_SHAPE(N, N));
  o->c = THTest_(tensor)(TH_STRIDED, 3, TH_SHAPE(N, N));
  o->x = THTensor_(newSelect)(o->a, 1, 3);
  o->y = THTest_(tensor)(TH_EXPANDED, 4, TH_SHAPE(N));
  o->batch = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(3, N, N));
  o->wide = THTest_(tensor)(TH_EXPANDED, 6, TH_SHAPE(3, N, N));
  o->r = THTest_(tensor)(TH_CONTIGUOUS, 7, TH_SHAPE(2));
  for (int i = 0; i < N * DEPTH; i++) {
    o->p[i] = THTest_(value)(8, i);
    o->q[i] = THTest_(value)(9, i);
  }
  for (int i = 0; i < N * N; i++)
    o->s[i] = THTest_(value)(10, i);
  o->g = THGenerator_new();
  WATCH(o->a);
  WATCH(o->b);
  WATCH(o->c);
  WATCH(o->x);
  WATCH(o->y);
  WATCH(o->batch);
  WATCH(o->wide);
  WATCH(o->r);
  WATCH_BYTES(o->p, sizeof o->p);
  WATCH_BYTES(o->q, sizeof o->q);
  WATCH_BYTES(o->s, sizeof o->s);
  WATCH_BYTES(o->g, sizeof *o->g);
}

static void tear_down(Operands *o)
{
  THTensor_(free)(o->a);
  THTensor_(free)(o->b);
  THTensor_(free)(o->c);
  THTensor_(free)(o->x);
  THTensor_(free)(o->y);
  THTensor_(free)(o->batch);
  THTensor_(free)(o->wide);
  THTensor_(free)(o->r);
  THGenerator_free(o->g);
}

/* What acquires something in some types alone. */
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define FLOAT_FAULT   FAULT
#define INTEGER_FAULT CALM
#else
#define FLOAT_FAULT   CALM
#define INTEGER_FAULT FAULT
#endif

/* --- tensors --------------------------------------------------------------------------------- */

CALM(dotSame, THTensor_(dot)(o->a, o->a))
FAULT(dot, THTensor_(dot)(o->a, o->b))
RAISES(dotOther, THTensor_(dot)(o->a, o->x))
FAULT(addmv, THTensor_(addmv)(o->r, v, o->y, v, o->c, o->x))
FAULT(addmvSelf, THTensor_(addmv)(o->x, v, o->x, v, o->a, o->x))
FAULT(addmvGrows, THTensor_(addmv)(o->a, v, o->y, v, o->a, o->x))
FAULT(addmm, THTensor_(addmm)(o->r, v, o->a, v, o->b, o->c))
FAULT(addmmSelf, THTensor_(addmm)(o->b, v, o->b, v, o->b, o->b))
FAULT(addmmStrided, THTensor_(addmm)(o->c, v, o->a, v, o->a, o->b))
FAULT(addmmGrows, THTensor_(addmm)(o->x, v, o->a, v, o->a, o->c))
FAULT(addr, THTensor_(addr)(o->r, v, o->b, v, o->x, o->y))
FAULT(addrSelf, THTensor_(addr)(o->a, v, o->a, v, o->x, o->x))
FAULT(addbmm, THTensor_(addbmm)(o->r, v, o->b, v, o->batch, o->wide))
FAULT(addbmmSelf, THTensor_(addbmm)(o->c, v, o->c, v, o->wide, o->wide))
FAULT(baddbmm, THTensor_(baddbmm)(o->r, v, o->wide, v, o->batch, o->wide))
FAULT(baddbmmSelf, THTensor_(baddbmm)(o->batch, v, o->batch, v, o->batch, o->wide))
RAISES(addmmOther, THTensor_(addmm)(o->r, v, o->a, v, o->b, o->wide))

/* --- matrices in plain memory ---------------------------------------------------------------- */

CALM(swap, THBlas_(swap)(N, o->p, 2, o->q, -1))
CALM(scal, THBlas_(scal)(N, v, o->p, 2))
CALM(copy, THBlas_(copy)(N, o->p, 2, o->q, 3))
CALM(axpy, THBlas_(axpy)(N, v, o->p, 2, o->q, -1))
CALM(dotBlas, THBlas_(dot)(N, o->p, -1, o->q, 3))
CALM(gemv, THBlas_(gemv)('n', N, N, v, o->p, N, o->q, 2, v, o->s, -3))
CALM(gemvTransposed, THBlas_(gemv)('t', N, N, v, o->p, N, o->q, -1, 0, o->s, 1))
CALM(ger, THBlas_(ger)(N, N, v, o->p, 1, o->q, -2, o->s, N))
INTEGER_FAULT(gemm, THBlas_(gemm)('n', 'n', N, N, DEPTH, v, o->p, N, o->q, DEPTH, v, o->s, N))
INTEGER_FAULT(gemmTransposed,
              THBlas_(gemm)('t', 't', N, N, DEPTH, v, o->p, DEPTH, o->q, N, 0, o->s, N))
RAISES(gemmTooShort, THBlas_(gemm)('n', 'n', N, N, N, v, o->p, 1, o->q, N, v, o->s, N))

/* --- element by element in plain memory ------------------------------------------------------ */

CALM(vectorFill, THVector_(fill)(o->p, v, N))
CALM(vectorCopy, THVector_(copy)(o->p, o->q, N))
CALM(vectorCadd, THVector_(cadd)(o->p, o->q, o->s, v, N))
CALM(vectorCmul, THVector_(cmul)(o->p, o->q, o->s, N))
CALM(vectorCdiv, THVector_(cdiv)(o->p, o->q, o->s, N))
CALM(vectorAdds, THVector_(adds)(o->p, o->q, v, N))
CALM(vectorMuls, THVector_(muls)(o->p, o->q, v, N))
CALM(vectorDivs, THVector_(divs)(o->p, o->q, v, N))
CALM(vectorNeg, THVector_(neg)(o->p, o->q, N))
FLOAT_FAULT(vectorNormal, THVector_(normal_fill)(o->p, N, o->g, 1, 2))
FLOAT_FAULT(vectorNormalMore, THVector_(normal_fill)(o->p, N *N, o->g, 1, 2))
CALM(vectorDispatchInit, THVector_(vectorDispatchInit)())
#if !defined(TH_REAL_IS_BYTE) && !defined(TH_REAL_IS_CHAR)
CALM(vectorAbs, THVector_(abs)(o->p, o->q, N))
#endif
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
CALM(vectorPow, THVector_(pow)(o->p, o->q, v, N))
CALM(vector_exp, THVector_(exp)(o->p, o->q, N))
CALM(vector_expm1, THVector_(expm1)(o->p, o->q, N))
CALM(vector_log, THVector_(log)(o->p, o->q, N))
CALM(vector_log1p, THVector_(log1p)(o->p, o->q, N))
CALM(vector_sigmoid, THVector_(sigmoid)(o->p, o->q, N))
CALM(vector_sin, THVector_(sin)(o->p, o->q, N))
CALM(vector_cos, THVector_(cos)(o->p, o->q, N))
CALM(vector_tan, THVector_(tan)(o->p, o->q, N))
CALM(vector_asin, THVector_(asin)(o->p, o->q, N))
CALM(vector_acos, THVector_(acos)(o->p, o->q, N))
CALM(vector_atan, THVector_(atan)(o->p, o->q, N))
CALM(vector_sinh, THVector_(sinh)(o->p, o->q, N))
CALM(vector_cosh, THVector_(cosh)(o->p, o->q, N))
CALM(vector_tanh, THVector_(tanh)(o->p, o->q, N))
CALM(vector_erf, THVector_(erf)(o->p, o->q, N))
CALM(vector_erfinv, THVector_(erfinv)(o->p, o->q, N))
CALM(vector_lgamma, THVector_(lgamma)(o->p, o->q, N))
CALM(vector_digamma, THVector_(digamma)(o->p, o->q, N))
CALM(vector_trigamma, THVector_(trigamma)(o->p, o->q, N))
CALM(vector_sqrt, THVector_(sqrt)(o->p, o->q, N))
CALM(vector_rsqrt, THVector_(rsqrt)(o->p, o->q, N))
CALM(vector_cinv, THVector_(cinv)(o->p, o->q, N))
CALM(vector_ceil, THVector_(ceil)(o->p, o->q, N))
CALM(vector_floor, THVector_(floor)(o->p, o->q, N))
CALM(vector_round, THVector_(round)(o->p, o->q, N))
CALM(vector_trunc, THVector_(trunc)(o->p, o->q, N))
CALM(vector_frac, THVector_(frac)(o->p, o->q, N))
#else
RAISES(vectorDivideBy0, THVector_(divs)(o->p, o->q, 0, N))
#endif

TH_FAULT_TESTS(linearFaults)

/* LAPACK on tensors and on plain memory when memory runs out: every allocation of every function
 * fails in turn, and operands and results are as they were. */
#include "THTemplate.h"

#include "th_faults.h"

enum { N = 7, WIDE = 4, SCRATCH = 64 * N };

typedef struct Operands {
  THTensor *a;             /* N x N: N on the diagonal and above it, smaller below */
  THTensor *definite;      /* N x N: on the diagonal alone */
  THTensor *b, *tall;      /* N x WIDE, transposed and with steps */
  THTensor *tau;           /* N */
  THTensor *batch, *b3;    /* 3 x N x N, all of them a; 3 x N x WIDE */
  THTensor *singular;      /* N x N, expanded; the first column is 0 */
  THTensor *r, *s, *t, *u; /* 2, to be resized */
  THIntTensor *i, *j;      /* 1, to be resized */
  THIntTensor *rows;       /* 3 x N: pivots that exchange nothing */
  real p[N * N], q[N * N], w[N], x[N], y[SCRATCH];
  int pivots[N], info;
} Operands;

static void set_up(Operands *o)
{
  o->a = THTest_(tensor)(TH_TRANSPOSED, 1, TH_SHAPE(N, N));
  o->definite = THTest_(tensor)(TH_STRIDED, 2, TH_SHAPE(N, N));
  o->singular = THTest_(tensor)(TH_EXPANDED, 3, TH_SHAPE(N, N));
  for (int i = 0; i < N * N; i++) {
    const int above = i / N <= i % N, on = i % (N + 1) == 0;
    *THTest_(at)(o->a, i) = above ? (real)(N + i) : (real)0.01 * (real)i;
    *THTest_(at)(o->definite, i) = on ? (real)(1 + i) : 0;
    *THTest_(at)(o->singular, i) = (real)(i % N);
    o->p[i] = on ? (real)(1 + i) : 0;
    o->q[i] = (real)i;
  }
  o->b = THTest_(tensor)(TH_TRANSPOSED, 4, TH_SHAPE(N, WIDE));
  o->tall = THTest_(tensor)(TH_STRIDED, 5, TH_SHAPE(N, WIDE));
  o->tau = THTest_(tensor)(TH_STRIDED, 6, TH_SHAPE(N));
  o->b3 = THTest_(tensor)(TH_TRANSPOSED, 7, TH_SHAPE(3, N, WIDE));
  THLongStorage *size = THLongStorage_newWithSize3(3, N, N);
  o->batch = THTensor_(newExpand)(o->a, size);
  THLongStorage_free(size);
  o->r = THTest_(tensor)(TH_CONTIGUOUS, 8, TH_SHAPE(2));
  o->s = THTest_(tensor)(TH_CONTIGUOUS, 9, TH_SHAPE(2));
  o->t = THTest_(tensor)(TH_CONTIGUOUS, 10, TH_SHAPE(2));
  o->u = THTest_(tensor)(TH_CONTIGUOUS, 11, TH_SHAPE(2));
  o->i = THIntTensor_newWithSize1d(1);
  o->j = THIntTensor_newWithSize1d(1);
  THIntTensor_fill(o->i, 12);
  THIntTensor_fill(o->j, 13);
  o->rows = THIntTensor_newWithSize2d(3, N);
  for (int i = 0; i < 3 * N; i++)
    o->rows->storage->data[i] = i % N + 1;
  for (int i = 0; i < N; i++) {
    o->w[i] = o->x[i] = (real)i;
    o->pivots[i] = i + 1;
  }
  WATCH(o->a);
  WATCH(o->definite);
  WATCH(o->singular);
  WATCH(o->b);
  WATCH(o->tall);
  WATCH(o->tau);
  WATCH(o->batch);
  WATCH(o->b3);
  WATCH(o->r);
  WATCH(o->s);
  WATCH(o->t);
  WATCH(o->u);
  WATCH(o->i);
  WATCH(o->j);
  WATCH(o->rows);
}

static void tear_down(Operands *o)
{
  THTensor *const made[] = {o->a,  o->definite, o->singular, o->b, o->tall, o->tau,
                            o->b3, o->batch,    o->r,        o->s, o->t,    o->u};
  for (size_t i = 0; i < sizeof made / sizeof *made; i++)
    THTensor_(free)(made[i]);
  THIntTensor_free(o->i);
  THIntTensor_free(o->j);
  THIntTensor_free(o->rows);
}

/* --- tensors --------------------------------------------------------------------------------- */

FAULT(gesv, THTensor_(gesv)(o->r, o->s, o->b, o->a))
FAULT(gesvSelf, THTensor_(gesv)(o->b, o->a, o->b, o->a))
FAULT(trtrs, THTensor_(trtrs)(o->r, o->s, o->b, o->a, "U", "N", "N"))
FAULT(gels, THTensor_(gels)(o->r, o->s, o->b, o->tall))
FAULT(gelsSelf, THTensor_(gels)(o->b, o->a, o->b, o->a))
FAULT(syev, THTensor_(syev)(o->r, o->s, o->a, "V", "U"))
FAULT(syevSelf, THTensor_(syev)(o->r, o->a, NULL, "N", "U"))
FAULT(geev, THTensor_(geev)(o->r, o->s, o->a, "V"))
FAULT(geevSelf, THTensor_(geev)(o->a, o->s, o->a, "N"))
FAULT(gesvd, THTensor_(gesvd)(o->r, o->s, o->t, o->tall, "S"))
FAULT(gesvdSelf, THTensor_(gesvd)(o->tall, o->s, o->t, o->tall, "A"))
FAULT(gesvd2, THTensor_(gesvd2)(o->r, o->s, o->t, o->u, o->tall, "A"))
FAULT(getri, THTensor_(getri)(o->r, o->a))
FAULT(getriSelf, THTensor_(getri)(o->a, o->a))
FAULT(potrf, THTensor_(potrf)(o->r, o->definite, "L"))
FAULT(potrfSelf, THTensor_(potrf)(o->definite, o->definite, "U"))
FAULT(potrs, THTensor_(potrs)(o->r, o->b, o->a, "U"))
FAULT(potri, THTensor_(potri)(o->r, o->a, "U"))
FAULT(qr, THTensor_(qr)(o->r, o->s, o->tall))
FAULT(qrSelf, THTensor_(qr)(o->tall, o->s, o->tall))
FAULT(geqrf, THTensor_(geqrf)(o->r, o->s, o->tall))
FAULT(orgqr, THTensor_(orgqr)(o->r, o->tall, o->tau))
FAULT(ormqr, THTensor_(ormqr)(o->r, o->tall, o->tau, o->b, "L", "T"))
FAULT(pstrf, THTensor_(pstrf)(o->r, o->i, o->definite, "U", -1))
FAULT(pstrfSelf, THTensor_(pstrf)(o->definite, o->i, o->definite, "L", -1))
FAULT(btrifact, THTensor_(btrifact)(o->r, o->i, o->j, 1, o->batch))
FAULT(btrifactNoInfo, THTensor_(btrifact)(o->r, o->i, NULL, 1, o->batch))
FAULT(btrisolve, THTensor_(btrisolve)(o->r, o->b3, o->batch, o->rows))
FAULT(btrisolveSelf, THTensor_(btrisolve)(o->b3, o->b3, o->batch, o->rows))

/* What has no solution, and what is no operand: nothing changes either. */
#define FAILS(NAME, ...) \
  FAULT(NAME, THTry attempt; TH_TRY(attempt) { __VA_ARGS__; } th_faults_raised(&attempt))
FAILS(gesvSingular, THTensor_(gesv)(o->r, o->s, o->b, o->singular))
FAILS(getriSingular, THTensor_(getri)(o->r, o->singular))
FAILS(gelsSingular, THTensor_(gels)(o->r, o->s, o->b, o->singular))
FAILS(potrfIndefinite, THTensor_(potrf)(o->a, o->singular, "L"))
FAILS(pstrfIndefinite, THTensor_(pstrf)(o->r, o->i, o->singular, "U", -1))
FAILS(qrTwice, THTensor_(qr)(o->r, o->r, o->tall))
RAISES(gesvNotSquare, THTensor_(gesv)(o->r, o->s, o->b, o->tall))
RAISES(potrfLetter, THTensor_(potrf)(o->r, o->definite, "X"))

/* --- plain memory ---------------------------------------------------------------------------- */

CALM(gesvPlain, THLapack_(gesv)(N, 1, o->p, N, o->pivots, o->w, N, &o->info))
CALM(trtrsPlain, THLapack_(trtrs)('U', 'N', 'N', N, 1, o->p, N, o->w, N, &o->info))
CALM(gelsPlain, THLapack_(gels)('N', N, N, 1, o->p, N, o->w, N, o->y, SCRATCH, &o->info))
CALM(syevPlain, THLapack_(syev)('V', 'U', N, o->p, N, o->w, o->y, SCRATCH, &o->info))
CALM(geevPlain,
     THLapack_(geev)('N', 'V', N, o->p, N, o->w, o->x, NULL, 1, o->q, N, o->y, SCRATCH, &o->info))
CALM(gesvdPlain,
     THLapack_(gesvd)('A', 'N', N, N, o->p, N, o->w, o->q, N, NULL, 1, o->y, SCRATCH, &o->info))
CALM(getrfPlain, THLapack_(getrf)(N, N, o->p, N, o->pivots, &o->info))
CALM(getrsPlain, THLapack_(getrs)('N', N, 1, o->p, N, o->pivots, o->w, N, &o->info))
CALM(getriPlain, THLapack_(getri)(N, o->p, N, o->pivots, o->y, SCRATCH, &o->info))
CALM(potrfPlain, THLapack_(potrf)('U', N, o->p, N, &o->info))
CALM(potriPlain, THLapack_(potri)('U', N, o->p, N, &o->info))
CALM(potrsPlain, THLapack_(potrs)('U', N, 1, o->p, N, o->w, N, &o->info))
CALM(pstrfPlain, int rank; THLapack_(pstrf)('U', N, o->p, N, o->pivots, &rank, -1, o->y, &o->info))
CALM(sytrfPlain, THLapack_(sytrf)('L', N, o->p, N, o->pivots, o->y, SCRATCH, &o->info))
CALM(sytrsPlain, THLapack_(sytrs)('L', N, 1, o->p, N, o->pivots, o->w, N, &o->info))
CALM(geqrfPlain, THLapack_(geqrf)(N, N, o->p, N, o->w, o->y, SCRATCH, &o->info))
CALM(orgqrPlain, THLapack_(orgqr)(N, N, N, o->p, N, o->w, o->y, SCRATCH, &o->info))
CALM(ormqrPlain,
     THLapack_(ormqr)('L', 'N', N, N, N, o->p, N, o->w, o->q, N, o->y, SCRATCH, &o->info))

TH_FAULT_TESTS(lapackFaults)

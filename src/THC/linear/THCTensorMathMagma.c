/* LAPACK's functions, by TH on the host: matrices are copied there, and results back. */
#include "THC/core/THCPrivate.h"
#include "THCTensorMathMagma.h"
#include "THCTensorShape.h"
#include "THTensorShape.h"

#include "THCTemplate.h"

/* --- the tensors of a call ---------------------------------------------------------------------- */

enum { MOST = 5 };

/* A tensor on the host for each of the device; a tensor that is there twice has one.  The results
 * come first. */
typedef struct Twins {
  THCState *state;
  int count, results;
  THCTensor *device[MOST];
  THTensor *host[MOST];
  THGuard guard[MOST];
} Twins;

static void free_tensor(void *tensor)
{
  THCTensor_(free)(THC_using, tensor);
}

/* The twin, with the values. */
static THTensor *twin_of(Twins *twins, THCTensor *t)
{
  if (!t)
    return NULL;
  for (int i = 0; i < twins->count; i++)
    if (twins->device[i] == t)
      return twins->host[i];
  const int i = twins->count++;
  THCAssertSameGPU(THCTensor_(checkGPU)(twins->state, 1, t));
  THGuard_enter(&twins->guard[i], (THUndo)THTensor_(free));
  THTensor *host = twins->guard[i].what =
      THTensor_(newShapeNd)(NULL, 0, t->nDimension, t->size, NULL);
  twins->device[i] = t;
  twins->host[i] = host;
  if (THTensor_(nElement)(host) > 0)
    THTensor_(copyCuda)(twins->state, host, t);
  return host;
}

/* Results have their values too: they may stand for operands. */
static void enter(Twins *twins, THCState *state, THCTensor *const *results, int count)
{
  THC_enter(state);
  *twins = (Twins){.state = state};
  for (int i = 0; i < count; i++)
    twin_of(twins, results[i]);
  twins->results = twins->count;
}

/* Brings the results back, all of them or none.  One of a new shape has the strides of TH's, which
 * are those of LAPACK's columns. */
static void leave(Twins *twins)
{
  THCTensor *made[MOST];
  THGuard guard[MOST];
  for (int i = 0; i < twins->results; i++) {
    const THTensor *host = twins->host[i];
    THGuard_enter(&guard[i], free_tensor);
    made[i] = guard[i].what =
        THCTensor_(newShapeNd)(twins->state, NULL, 0, host->nDimension, host->size, host->stride);
    if (THTensor_(nElement)(host) > 0)
      THCTensor_(copyCPU)(twins->state, made[i], twins->host[i]);
  }
  for (int i = 0; i < twins->results; i++) {
    THCTensor *t = twins->device[i];
    if (!THSize_isSameSizeAs(t->size, t->nDimension, made[i]->size, made[i]->nDimension))
      THCTensor_(exchange)(twins->state, t, made[i]);
    else if (THCTensor_(nElement)(twins->state, t) > 0)
      THCTensor_(copy)(twins->state, t, made[i]);
  }
  for (int i = twins->results - 1; i >= 0; i--)
    THGuard_leave(&guard[i]);
  while (twins->count > 0)
    THGuard_leave(&twins->guard[--twins->count]);
}

/* --- the functions ------------------------------------------------------------------------------ */

/* Name, parameters, results, the arguments on the host. */
#define LAPACK(NAME, TAKES, GIVES, ...)                                     \
  void THCTensor_(NAME)(THCState *state, TAKES)                             \
  {                                                                         \
    Twins twins;                                                            \
    THCTensor *const results[] = {GIVES};                                   \
    enter(&twins, state, results, (int)(sizeof results / sizeof *results)); \
    THTensor_(NAME)(__VA_ARGS__);                                           \
    leave(&twins);                                                          \
  }
#define ALL(...) __VA_ARGS__
#define H(T)     twin_of(&twins, T)

/* clang-format off */
LAPACK(gesv,   ALL(THCTensor *rb_, THCTensor *ra_, THCTensor *b_, THCTensor *a_), ALL(rb_, ra_),
       H(rb_), H(ra_), H(b_), H(a_))
LAPACK(trtrs,  ALL(THCTensor *rb_, THCTensor *ra_, THCTensor *b_, THCTensor *a_, const char *uplo,
                   const char *trans, const char *diag), ALL(rb_, ra_),
       H(rb_), H(ra_), H(b_), H(a_), uplo, trans, diag)
LAPACK(gels,   ALL(THCTensor *rb_, THCTensor *ra_, THCTensor *b_, THCTensor *a_), ALL(rb_, ra_),
       H(rb_), H(ra_), H(b_), H(a_))
LAPACK(syev,   ALL(THCTensor *re_, THCTensor *rv_, THCTensor *a_, const char *jobz, const char *uplo),
       ALL(re_, rv_), H(re_), H(rv_), H(a_), jobz, uplo)
LAPACK(geev,   ALL(THCTensor *re_, THCTensor *rv_, THCTensor *a_, const char *jobvr), ALL(re_, rv_),
       H(re_), H(rv_), H(a_), jobvr)
LAPACK(gesvd,  ALL(THCTensor *ru_, THCTensor *rs_, THCTensor *rv_, THCTensor *a, const char *jobu),
       ALL(ru_, rs_, rv_), H(ru_), H(rs_), H(rv_), H(a), jobu)
LAPACK(gesvd2, ALL(THCTensor *ru_, THCTensor *rs_, THCTensor *rv_, THCTensor *ra_, THCTensor *a,
                   const char *jobu),
       ALL(ru_, rs_, rv_, ra_), H(ru_), H(rs_), H(rv_), H(ra_), H(a), jobu)
LAPACK(getri,  ALL(THCTensor *ra_, THCTensor *a), ALL(ra_), H(ra_), H(a))
LAPACK(potrf,  ALL(THCTensor *ra_, THCTensor *a, const char *uplo), ALL(ra_), H(ra_), H(a), uplo)
LAPACK(potri,  ALL(THCTensor *ra_, THCTensor *a, const char *uplo), ALL(ra_), H(ra_), H(a), uplo)
LAPACK(potrs,  ALL(THCTensor *rb_, THCTensor *b_, THCTensor *a_, const char *uplo), ALL(rb_),
       H(rb_), H(b_), H(a_), uplo)
LAPACK(qr,     ALL(THCTensor *rq_, THCTensor *rr_, THCTensor *a), ALL(rq_, rr_),
       H(rq_), H(rr_), H(a))
LAPACK(geqrf,  ALL(THCTensor *ra_, THCTensor *rtau_, THCTensor *a_), ALL(ra_, rtau_),
       H(ra_), H(rtau_), H(a_))
LAPACK(orgqr,  ALL(THCTensor *ra_, THCTensor *a, THCTensor *tau), ALL(ra_), H(ra_), H(a), H(tau))
LAPACK(ormqr,  ALL(THCTensor *ra_, THCTensor *a, THCTensor *tau, THCTensor *c, const char *side,
                   const char *trans),
       ALL(ra_), H(ra_), H(a), H(tau), H(c), side, trans)
/* clang-format on */

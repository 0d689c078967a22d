/* The functions that are TH's templates of LAPACK, compiled for the device: rows as THCCalls.h takes
 * them.  The including file defines what rows of a kind become, SOLVE or DECOMPOSE; the definitions
 * are forgotten at the end. */
#ifndef SOLVE
#define SOLVE(...)
#endif
#ifndef DECOMPOSE
#define DECOMPOSE(...)
#endif

SOLVE(void, gesv, (THCTensor * rb_, THCTensor *ra_, THCTensor *b_, THCTensor *a_),
      (rb_, ra_, b_, a_), (4, rb_, ra_, b_, a_))
SOLVE(void, trtrs,
      (THCTensor * rb_, THCTensor *ra_, THCTensor *b_, THCTensor *a_, const char *uplo,
       const char *trans, const char *diag),
      (rb_, ra_, b_, a_, uplo, trans, diag), (4, rb_, ra_, b_, a_))
SOLVE(void, gels, (THCTensor * rb_, THCTensor *ra_, THCTensor *b_, THCTensor *a_),
      (rb_, ra_, b_, a_), (4, rb_, ra_, b_, a_))
SOLVE(void, getri, (THCTensor * ra_, THCTensor *a), (ra_, a), (2, ra_, a))
SOLVE(void, potri, (THCTensor * ra_, THCTensor *a, const char *uplo), (ra_, a, uplo), (2, ra_, a))
SOLVE(void, potrs, (THCTensor * rb_, THCTensor *b_, THCTensor *a_, const char *uplo),
      (rb_, b_, a_, uplo), (3, rb_, b_, a_))

DECOMPOSE(void, potrf, (THCTensor * ra_, THCTensor *a, const char *uplo), (ra_, a, uplo),
          (2, ra_, a))
DECOMPOSE(void, geqrf, (THCTensor * ra_, THCTensor *rtau_, THCTensor *a_), (ra_, rtau_, a_),
          (3, ra_, rtau_, a_))
DECOMPOSE(void, qr, (THCTensor * rq_, THCTensor *rr_, THCTensor *a), (rq_, rr_, a),
          (3, rq_, rr_, a))
DECOMPOSE(void, orgqr, (THCTensor * ra_, THCTensor *a, THCTensor *tau), (ra_, a, tau),
          (3, ra_, a, tau))
DECOMPOSE(void, ormqr,
          (THCTensor * ra_, THCTensor *a, THCTensor *tau, THCTensor *c, const char *side,
           const char *trans),
          (ra_, a, tau, c, side, trans), (4, ra_, a, tau, c))
DECOMPOSE(void, syev,
          (THCTensor * re_, THCTensor *rv_, THCTensor *a_, const char *jobz, const char *uplo),
          (re_, rv_, a_, jobz, uplo), (3, re_, rv_, a_))
DECOMPOSE(void, geev, (THCTensor * re_, THCTensor *rv_, THCTensor *a_, const char *jobvr),
          (re_, rv_, a_, jobvr), (3, re_, rv_, a_))
DECOMPOSE(void, gesvd,
          (THCTensor * ru_, THCTensor *rs_, THCTensor *rv_, THCTensor *a, const char *jobu),
          (ru_, rs_, rv_, a, jobu), (4, ru_, rs_, rv_, a))
DECOMPOSE(void, gesvd2,
          (THCTensor * ru_, THCTensor *rs_, THCTensor *rv_, THCTensor *ra_, THCTensor *a,
           const char *jobu),
          (ru_, rs_, rv_, ra_, a, jobu), (5, ru_, rs_, rv_, ra_, a))

#undef SOLVE
#undef DECOMPOSE

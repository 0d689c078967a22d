/* The functions that are TH's templates of LAPACK, compiled for the device: rows as THCCalls.h takes
 * them. */
#define THC_SOLVE_CALLS(ROW)                                                               \
  ROW(void, gesv, (THCTensor * rb_, THCTensor * ra_, THCTensor * b_, THCTensor * a_),      \
      (rb_, ra_, b_, a_), (4, rb_, ra_, b_, a_))                                           \
  ROW(void, trtrs,                                                                         \
      (THCTensor * rb_, THCTensor * ra_, THCTensor * b_, THCTensor * a_, const char *uplo, \
       const char *trans, const char *diag),                                               \
      (rb_, ra_, b_, a_, uplo, trans, diag), (4, rb_, ra_, b_, a_))                        \
  ROW(void, gels, (THCTensor * rb_, THCTensor * ra_, THCTensor * b_, THCTensor * a_),      \
      (rb_, ra_, b_, a_), (4, rb_, ra_, b_, a_))                                           \
  ROW(void, getri, (THCTensor * ra_, THCTensor * a), (ra_, a), (2, ra_, a))                \
  ROW(void, potri, (THCTensor * ra_, THCTensor * a, const char *uplo), (ra_, a, uplo),     \
      (2, ra_, a))                                                                         \
  ROW(void, potrs, (THCTensor * rb_, THCTensor * b_, THCTensor * a_, const char *uplo),    \
      (rb_, b_, a_, uplo), (3, rb_, b_, a_))

#define THC_DECOMPOSE_CALLS(ROW)                                                              \
  ROW(void, potrf, (THCTensor * ra_, THCTensor * a, const char *uplo), (ra_, a, uplo),        \
      (2, ra_, a))                                                                            \
  ROW(void, geqrf, (THCTensor * ra_, THCTensor * rtau_, THCTensor * a_), (ra_, rtau_, a_),    \
      (3, ra_, rtau_, a_))                                                                    \
  ROW(void, qr, (THCTensor * rq_, THCTensor * rr_, THCTensor * a), (rq_, rr_, a),             \
      (3, rq_, rr_, a))                                                                       \
  ROW(void, orgqr, (THCTensor * ra_, THCTensor * a, THCTensor * tau), (ra_, a, tau),          \
      (3, ra_, a, tau))                                                                       \
  ROW(void, ormqr,                                                                            \
      (THCTensor * ra_, THCTensor * a, THCTensor * tau, THCTensor * c, const char *side,      \
       const char *trans),                                                                    \
      (ra_, a, tau, c, side, trans), (4, ra_, a, tau, c))                                     \
  ROW(void, syev,                                                                             \
      (THCTensor * re_, THCTensor * rv_, THCTensor * a_, const char *jobz, const char *uplo), \
      (re_, rv_, a_, jobz, uplo), (3, re_, rv_, a_))                                          \
  ROW(void, geev, (THCTensor * re_, THCTensor * rv_, THCTensor * a_, const char *jobvr),      \
      (re_, rv_, a_, jobvr), (3, re_, rv_, a_))                                               \
  ROW(void, gesvd,                                                                            \
      (THCTensor * ru_, THCTensor * rs_, THCTensor * rv_, THCTensor * a, const char *jobu),   \
      (ru_, rs_, rv_, a, jobu), (4, ru_, rs_, rv_, a))                                        \
  ROW(void, gesvd2,                                                                           \
      (THCTensor * ru_, THCTensor * rs_, THCTensor * rv_, THCTensor * ra_, THCTensor * a,     \
       const char *jobu),                                                                     \
      (ru_, rs_, rv_, ra_, a, jobu), (5, ru_, rs_, rv_, ra_, a))

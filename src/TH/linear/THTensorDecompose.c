/* Factorisations, eigenvalues and singular values, by LAPACK, or by cuSOLVER when compiled for a
 * device. */
#include "THTemplate.h"

#include "THTensorWork.h"

#define LD THTensor_(ld)

/* --- positive definite matrices -------------------------------------------------------------- */

void THTensor_(potrf)(THTensor *ra_, THTensor *a, const char *uplo)
{
  a = a ? a : ra_;
  const int n = THTensor_(checkSquare)(a, "a", 2);
  const char triangle = THWork_letter(uplo, "UL", "uplo", 3);
  int info;
  THWorks works = {0};
  real *factor = THTensor_(workOn)(&works, ra_, 1, a, n, n);
  THLapack_(potrf)(triangle, n, factor, LD(n), &info);
  THLapackCheck("%s: the leading minor of order %d is not positive definite", "potrf", info);
  THTensor_(clearOther)(factor, n, triangle);
  THWorks_deliver(&works);
}

/* --- orthogonal matrices --------------------------------------------------------------------- */

void THTensor_(geqrf)(THTensor *ra_, THTensor *rtau_, THTensor *a)
{
  a = a ? a : ra_;
  int m, n, info;
  THTensor_(checkMatrix)(a, "a", 3, &m, &n);
  THWorks works = {0};
  real *qr = THTensor_(workOn)(&works, ra_, 1, a, m, n);
  real *tau = THTensor_(workVector)(&works, rtau_, 2, THMin(m, n));
  TH_LAPACK_WITH_SCRATCH(geqrf, n, m, n, qr, LD(m), tau);
  THLapackCheck("%s: error %d", "geqrf", info);
  THWorks_deliver(&works);
}

void THTensor_(qr)(THTensor *rq_, THTensor *rr_, THTensor *a)
{
  int m, n, info;
  THTensor_(checkMatrix)(a, "a", 3, &m, &n);
  const int k = THMin(m, n);
  const int64_t size[] = {k, n};
  THWorks works = {0};
  real *q = THTensor_(workOn)(&works, rq_, 1, NULL, m, k);
  real *r = THTensor_(work)(&works, rr_, 2, TH_ROWS, 2, size, NULL);
  real *qr = THTensor_(workOn)(&works, NULL, 0, a, m, n);
  real *tau = THTensor_(workVector)(&works, NULL, 0, k);
  TH_LAPACK_WITH_SCRATCH(geqrf, n, m, n, qr, LD(m), tau);
  THLapackCheck("%s: error %d", "geqrf", info);
  THTensor_(copyUpper)(r, qr, m, k, n);
  if (k) {
    THTensor_(copyRows)(q, m, qr, m, m, k);
    TH_LAPACK_WITH_SCRATCH(orgqr, k, m, k, k, q, LD(m), tau);
    THLapackCheck("%s: error %d", "orgqr", info);
  }
  THWorks_deliver(&works);
}

/* A work like tau, which has at least one element for each of k reflectors. */
static real *THTensor_(workOnTau)(THWorks *works, THTensor *tau, int k, int arg)
{
  THArgCheck(tau->nDimension == 1 && tau->size[0] >= k, arg, "tau has size %s, a has %d reflectors",
             THTensor_(sizeDesc)(tau).str, k);
  return THTensor_(work)(works, NULL, 0, TH_ROWS, 1, tau->size, tau);
}

void THTensor_(orgqr)(THTensor *ra_, THTensor *a, THTensor *tau)
{
  a = a ? a : ra_;
  int m, n, info;
  THTensor_(checkMatrix)(a, "a", 2, &m, &n);
  const int k = THMin(m, n);
  THWorks works = {0};
  real *t = THTensor_(workOnTau)(&works, tau, k, 3);
  real *q = THTensor_(workOn)(&works, ra_, 1, a, m, n);
  TH_LAPACK_WITH_SCRATCH(orgqr, k, m, k, k, q, LD(m), t);
  THLapackCheck("%s: error %d", "orgqr", info);
  THWorks_deliver(&works);
}

void THTensor_(ormqr)(THTensor *ra_, THTensor *a, THTensor *tau, THTensor *c, const char *side,
                      const char *trans)
{
  int order, columns, m, n, info;
  THTensor_(checkMatrix)(a, "a", 2, &order, &columns);
  THTensor_(checkMatrix)(c, "c", 4, &m, &n);
  const char where = THWork_letter(side, "LR", "side", 5);
  const char op = THWork_letter(trans, "NT", "trans", 6);
  THArgCheck((where == 'L' ? m : n) == order, 4, "c has size %s, Q has %d rows and columns",
             THTensor_(sizeDesc)(c).str, order);
  const int k = THMin(order, columns);
  THWorks works = {0};
  real *t = THTensor_(workOnTau)(&works, tau, k, 3);
  real *result = THTensor_(workOn)(&works, ra_, 1, c, m, n);
  real *reflectors = THTensor_(workOn)(&works, NULL, 0, a, order, columns);
  TH_LAPACK_WITH_SCRATCH(ormqr, where == 'L' ? n : m, where, op, m, n, k, reflectors, LD(order), t,
                         result, LD(m));
  THLapackCheck("%s: error %d", "ormqr", info);
  THWorks_deliver(&works);
}

/* --- eigenvalues ----------------------------------------------------------------------------- */

void THTensor_(syev)(THTensor *re_, THTensor *rv_, THTensor *a_, const char *jobz, const char *uplo)
{
  THTensor *a = a_ ? a_ : rv_;
  const int n = THTensor_(checkSquare)(a, "a", 3);
  const char job = THWork_letter(jobz, "NV", "jobz", 4);
  const char triangle = THWork_letter(uplo, "UL", "uplo", 5);
  int info;
  THWorks works = {0};
  real *values = THTensor_(workVector)(&works, re_, 1, n);
  real *vectors = THTensor_(workOn)(&works, rv_, 2, a, n, n);
  THTensor_(checkFinite)(vectors, n, n, triangle, "a", 3);
  if (job == 'N' || !THTensor_(divideSymmetric)(&works, a, triangle, n, vectors, values)) {
    TH_LAPACK_WITH_SCRATCH(syev, 3 * (int64_t)n - 1, job, triangle, n, vectors, LD(n), values);
    THLapackCheck("%s: %d elements off the diagonal did not converge to zero", "syev", info);
  }
  if (job == 'N')
    THTensor_(clearMatrix)(vectors, n, n);
  THWorks_deliver(&works);
}

void THTensor_(geev)(THTensor *re_, THTensor *rv_, THTensor *a_, const char *jobvr)
{
  THTensor *a = a_ ? a_ : rv_;
  const int n = THTensor_(checkSquare)(a, "a", 3);
  const char job = THWork_letter(jobvr, "NV", "jobvr", 4);
  const int64_t size[] = {n, 2};
  int info;
  THWorks works = {0};
  real *values = THTensor_(work)(&works, re_, 1, TH_COLUMNS_TO_ROWS, 2, size, NULL);
  real *vectors = job == 'V' ? THTensor_(workOn)(&works, rv_, 2, NULL, n, n) : NULL;
  real *matrix = THTensor_(workOn)(&works, NULL, 0, a, n, n);
  THTensor_(checkFinite)(matrix, n, n, 'A', "a", 3);
  TH_LAPACK_WITH_SCRATCH(geev, 4 * (int64_t)n, 'N', job, n, matrix, LD(n), values, values + n, NULL,
                         1, vectors, LD(n));
  THLapackCheck("%s: the QR algorithm found only the eigenvalues from %d + 1 on", "geev", info);
  THWorks_deliver(&works);
}

/* --- singular values ------------------------------------------------------------------------- */

/* As gesvd2; ra_ may be NULL. */
static void THTensor_(decompose)(THTensor *ru_, THTensor *rs_, THTensor *rv_, THTensor *ra_,
                                 THTensor *a, const char *jobu, int arg)
{
  int m, n, info;
  THTensor_(checkMatrix)(a, "a", arg, &m, &n);
  const char job = THWork_letter(jobu, "ASN", "jobu", arg + 1);
  const int k = THMin(m, n), uColumns = job == 'A' ? m : k, vColumns = job == 'A' ? n : k;
  const int64_t vSize[] = {n, vColumns};
  THWorks works = {0};
  real *u = NULL, *v = NULL; /* v by rows is v' by columns */
  if (job != 'N')
    u = THTensor_(workOn)(&works, ru_, 1, NULL, m, uColumns);
  real *s = THTensor_(workVector)(&works, rs_, 2, k);
  if (job != 'N')
    v = THTensor_(work)(&works, rv_, 3, TH_ROWS, 2, vSize, NULL);
  real *matrix = THTensor_(workOn)(&works, ra_, 4, a, m, n);
  THTensor_(checkFinite)(matrix, m, n, 'A', "a", arg);
  if (k && !THTensor_(divideValues)(&works, a, job, m, n, matrix, s, u, v, vColumns)) {
    const int64_t most = THMax(m, n);
    TH_LAPACK_WITH_SCRATCH(gesvd, THMax(3 * (int64_t)k + most, 5 * (int64_t)k), job, job, m, n,
                           matrix, m, s, u, m, v, vColumns);
    THLapackCheck("%s: %d elements off the diagonal did not converge to zero", "gesvd", info);
  } else if (!k && job == 'A') {
    THTensor_(setIdentity)(u, m);
    THTensor_(setIdentity)(v, n);
  }
  THWorks_deliver(&works);
}

void THTensor_(gesvd)(THTensor *ru_, THTensor *rs_, THTensor *rv_, THTensor *a, const char *jobu)
{
  THTensor_(decompose)(ru_, rs_, rv_, NULL, a, jobu, 4);
}

void THTensor_(gesvd2)(THTensor *ru_, THTensor *rs_, THTensor *rv_, THTensor *ra_, THTensor *a,
                       const char *jobu)
{
  THTensor_(decompose)(ru_, rs_, rv_, ra_, a ? a : ra_, jobu, 5);
}

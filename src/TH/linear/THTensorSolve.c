/* Systems of equations and inverses, by LAPACK, or by cuSOLVER when compiled for a device. */
#include "THTemplate.h"

#include "THTensorWork.h"

#define LD THTensor_(ld)

void THTensor_(gesv)(THTensor *rb_, THTensor *ra_, THTensor *b_, THTensor *a_)
{
  THTensor *a = a_ ? a_ : ra_, *b = b_ ? b_ : rb_;
  const int n = THTensor_(checkSquare)(a, "a", 4), k = THTensor_(checkRight)(b, n, 3);
  int info;
  THWorks works = {0};
  real *x = THTensor_(workOn)(&works, rb_, 1, b, n, k);
  real *lu = THTensor_(workOn)(&works, ra_, 2, a, n, n);
  int *pivots = THIntTensor_workVector(&works, NULL, 0, n);
  THLapack_(gesv)(n, k, lu, LD(n), pivots, x, LD(n), &info);
  THLapackCheck("%s: U(%d,%d) is zero, the matrix is singular", "gesv", info, info);
  THWorks_deliver(&works);
}

void THTensor_(trtrs)(THTensor *rb_, THTensor *ra_, THTensor *b_, THTensor *a_, const char *uplo,
                      const char *trans, const char *diag)
{
  THTensor *a = a_ ? a_ : ra_, *b = b_ ? b_ : rb_;
  const int n = THTensor_(checkSquare)(a, "a", 4), k = THTensor_(checkRight)(b, n, 3);
  const char triangle = THWork_letter(uplo, "UL", "uplo", 5);
  const char op = THWork_letter(trans, "NTC", "trans", 6);
  const char unit = THWork_letter(diag, "NU", "diag", 7);
  int info;
  THWorks works = {0};
  real *x = THTensor_(workOn)(&works, rb_, 1, b, n, k);
  real *t = THTensor_(workOn)(&works, ra_, 2, a, n, n);
  THLapack_(trtrs)(triangle, op, unit, n, k, t, LD(n), x, LD(n), &info);
  THLapackCheck("%s: a(%d,%d) is zero, the triangular matrix is singular", "trtrs", info, info);
  THWorks_deliver(&works);
}

/* --- least squares --------------------------------------------------------------------------- */

void THTensor_(gels)(THTensor *rb_, THTensor *ra_, THTensor *b_, THTensor *a_)
{
  THTensor *a = a_ ? a_ : ra_, *b = b_ ? b_ : rb_;
  int m, n, info;
  THTensor_(checkMatrix)(a, "a", 4, &m, &n);
  const int k = THTensor_(checkRight)(b, m, 3), rows = THMax(m, n);
  THWorks works = {0};
#ifdef TH_COMPAT_TORCH7
  real *result = THTensor_(workOn)(&works, rb_, 1, m == n ? b : NULL, n, k);
  THTensor *to = NULL;
#else
  THTensor *to = rb_;
#endif
  real *x = THTensor_(workOn)(&works, to, 1, m >= n ? b : NULL, rows, k);
  real *qr = THTensor_(workOn)(&works, ra_, 2, a, m, n);
  if (m < n) {
    const real *right = THTensor_(workOn)(&works, NULL, 0, b, m, k);
    THTensor_(clearMatrix)(x, n, k);
    THTensor_(copyRows)(x, n, right, m, m, k);
  }
  /* LAPACK divides by the largest element. */
  THTensor_(checkFinite)(qr, m, n, 'A', "a", 4);
  THTensor_(checkFinite)(x, rows, k, 'A', "b", 3);
  if (m && n && k) { /* otherwise x is already right */
    const int64_t least = THMin(m, n);
    TH_LAPACK_WITH_SCRATCH(gels, least + THMax(least, k), 'N', m, n, k, qr, LD(m), x, LD(rows));
    THLapackCheck("%s: diagonal element %d of the triangular factor is zero, a has not full rank",
                  "gels", info);
  }
#ifdef TH_COMPAT_TORCH7
  THTensor_(copyRows)(result, n, x, rows, n, k);
#endif
  THWorks_deliver(&works);
}

/* --- inverses -------------------------------------------------------------------------------- */

void THTensor_(getri)(THTensor *ra_, THTensor *a)
{
  a = a ? a : ra_;
  const int n = THTensor_(checkSquare)(a, "a", 2);
  int info;
  THWorks works = {0};
  real *inverse = THTensor_(workOn)(&works, ra_, 1, a, n, n);
  int *pivots = THIntTensor_workVector(&works, NULL, 0, n);
  THLapack_(getrf)(n, n, inverse, LD(n), pivots, &info);
  THLapackCheck("%s: U(%d,%d) is zero, the matrix is singular", "getrf", info, info);
  TH_LAPACK_WITH_SCRATCH(getri, n, n, inverse, LD(n), pivots);
  THLapackCheck("%s: U(%d,%d) is zero, the matrix is singular", "getri", info, info);
  THWorks_deliver(&works);
}

void THTensor_(potri)(THTensor *ra_, THTensor *a, const char *uplo)
{
  a = a ? a : ra_;
  const int n = THTensor_(checkSquare)(a, "a", 2);
  const char triangle = THWork_letter(uplo, "UL", "uplo", 3);
  int info;
  THWorks works = {0};
  real *inverse = THTensor_(workOn)(&works, ra_, 1, a, n, n);
  THLapack_(potri)(triangle, n, inverse, LD(n), &info);
  THLapackCheck("%s: element (%d,%d) of the factor is zero, the matrix is singular", "potri", info,
                info);
  THTensor_(mirror)(inverse, n, triangle);
  THWorks_deliver(&works);
}

/* --- with factors ---------------------------------------------------------------------------- */

void THTensor_(potrs)(THTensor *rb_, THTensor *b_, THTensor *a_, const char *uplo)
{
  THTensor *b = b_ ? b_ : rb_;
  const int n = THTensor_(checkSquare)(a_, "a", 3), k = THTensor_(checkRight)(b, n, 2);
  const char triangle = THWork_letter(uplo, "UL", "uplo", 4);
  THWorks works = {0};
  real *x = THTensor_(workOn)(&works, rb_, 1, b, n, k);
  real *factor = THTensor_(workOn)(&works, NULL, 0, a_, n, n);
  int info = THTensor_(zeroOnDiagonal)(factor, n, n);
  THLapackCheck("%s: element (%d,%d) of the factor is zero, the matrix is singular", "potrs", info,
                info);
  THLapack_(potrs)(triangle, n, k, factor, LD(n), x, LD(n), &info);
  THLapackCheck("%s: error %d", "potrs", info);
  THWorks_deliver(&works);
}

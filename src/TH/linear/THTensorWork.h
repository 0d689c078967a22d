/* What the templates of LAPACK share: works of the current type, and checks of operands. */
#include "THWork.h"

#include "TH/tensor/THTensorCore.h"

/* A work of the given shape, for result (argument arg; NULL for scratch), as a copy of source or,
 * if source is NULL, uninitialised.  Returns its elements, NULL if there are none. */
real *THTensor_(work)(THWorks *works, THTensor *result, int arg, THWorkOrder order, int nDimension,
                      const int64_t *size, THTensor *source);
int *THIntTensor_work(THWorks *works, THIntTensor *result, int arg, THWorkOrder order,
                      int nDimension, const int64_t *size, THIntTensor *source);

/* THTensor_(work) of a vector, and of a matrix by columns. */
real *THTensor_(workVector)(THWorks *works, THTensor *result, int arg, int64_t size);
int *THIntTensor_workVector(THWorks *works, THIntTensor *result, int arg, int64_t size);
real *THTensor_(workOn)(THWorks *works, THTensor *result, int arg, THTensor *source, int64_t rows,
                        int64_t columns);

/* The leading dimension of a work of so many rows. */
static inline int THTensor_(ld)(int rows)
{
  return THMax(rows, 1);
}

/* An error about argument arg, called name, unless t is a matrix (square, for checkSquare, which
 * returns its rows) with sizes that LAPACK can count. */
void THTensor_(checkMatrix)(const THTensor *t, const char *name, int arg, int *rows, int *columns);
int THTensor_(checkSquare)(const THTensor *t, const char *name, int arg);

/* How many columns b has; an error about argument arg unless it has so many rows.  A vector has
 * one column. */
int THTensor_(checkRight)(const THTensor *b, int rows, int arg);

/* --- steps on the elements of works, which are matrices by columns ---------------------------- */

/* An error about argument arg, called name, if the work a has a NaN or an infinity: in the whole
 * matrix (triangle 'A'), or in the upper or lower triangle. */
void THTensor_(checkFinite)(const real *a, int rows, int columns, char triangle, const char *name,
                            int arg);

/* The first zero on the diagonal of a of n columns, counted from 1; 0 if there is none.  LAPACK does not check,
 * and would divide by it. */
int THTensor_(zeroOnDiagonal)(const real *a, int64_t lda, int64_t n);

/* Copies rows of one work to another, column by column. */
void THTensor_(copyRows)(real *r, int64_t ldr, const real *t, int64_t ldt, int64_t rows,
                         int64_t columns);

/* Writes zeros: everywhere, or in the triangle opposite to the one named, without the diagonal. */
void THTensor_(clearMatrix)(real *r, int64_t rows, int64_t columns);
void THTensor_(clearOther)(real *r, int64_t n, char triangle);

void THTensor_(setIdentity)(real *r, int64_t n);

/* Makes r symmetric by its triangle. */
void THTensor_(mirror)(real *r, int64_t n, char triangle);

/* r, by rows, gets the upper triangle of t, and zeros below. */
void THTensor_(copyUpper)(real *r, const real *t, int64_t ldt, int64_t rows, int64_t columns);

/* --- by divide and conquer -------------------------------------------------------------------- */

/* gesvd by divide and conquer, made like the public functions of THLapack.h: many times as fast
 * (measured at 256 x 256: 16 times), but it needs more scratch than it can count where min(m, n) is
 * above some 23,000, and a library may lack it. */
void THLapack_(gesdd)(char jobz, int m, int n, real *a, int lda, real *s, real *u, int ldu,
                      real *vt, int ldvt, real *work, int lwork, int *iwork, int *info);

/* syev by divide and conquer: several times as fast where vectors are wanted, with more scratch. */
void THLapack_(syevd)(char jobz, char uplo, int n, real *a, int lda, real *w, real *work, int lwork,
                      int *iwork, int liwork, int *info);

/* The eigenvalues and eigenvectors of the last work, or the singular values and vectors, by these
 * functions where that is possible.  Returns whether they are computed; if not, the work has the
 * values of `from` again. */
int THTensor_(divideSymmetric)(THWorks *works, THTensor *from, char triangle, int n, real *a,
                               real *values);
int THTensor_(divideValues)(THWorks *works, THTensor *from, char job, int m, int n, real *a,
                            real *s, real *u, real *v, int ldv);

/* --- scratch ---------------------------------------------------------------------------------- */

/* Calls a function of LAPACK that needs scratch: first to ask for its size (at least LEAST), then
 * with scratch of this size.  works and info are the caller's. */
#define TH_LAPACK_WITH_SCRATCH(NAME, LEAST, ...)                                           \
  do {                                                                                     \
    real th_query = 0;                                                                     \
    THLapack_(NAME)(__VA_ARGS__, &th_query, -1, &info);                                    \
    const int th_size = THWork_scratch((double)th_query, TH_WORK_EPSILON, (LEAST), #NAME); \
    real *th_scratch = THTensor_(workVector)(&works, NULL, 0, th_size);                    \
    THLapack_(NAME)(__VA_ARGS__, th_scratch, th_size, &info);                              \
  } while (0)

#if defined(TH_REAL_IS_FLOAT)
#define TH_WORK_EPSILON FLT_EPSILON
#else
#define TH_WORK_EPSILON DBL_EPSILON
#endif

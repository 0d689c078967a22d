/* The kernels behind THBlas, compiled per element type and instruction set.  Included by templates.
 */
#include "THKernel.h"

/* Products are added up in groups of this many, whatever the increments, so that a sum depends on
 * nothing but the elements. */
enum { TH_DOT_GROUP = 512 };

/* c = alpha * a * b + beta * c: element (i, l) of a is a[i * aRow + l * aColumn], that of b
 * likewise, and (i, j) of c is c[i + j * ldc]. */
typedef struct {
  ptrdiff_t m, n, k;
  real alpha, beta;
  const real *a, *b;
  ptrdiff_t aRow, aColumn, bRow, bColumn;
  real *c;
  ptrdiff_t ldc;
} TH_CONCAT_3(TH, Real, Product);

#define THProduct TH_CONCAT_3(TH, Real, Product)

typedef struct {
  /* y += a * x, elements in order. */
  void (*axpy)(ptrdiff_t n, real a, const real *x, ptrdiff_t dx, real *y, ptrdiff_t dy);
  /* x *= a */
  void (*scal)(ptrdiff_t n, real a, real *x, ptrdiff_t dx);
  /* The sum of x * y.  ahead is the distance in bytes at which operands in memory are prefetched, 0
   * for operands in the caches. */
  accreal (*dot)(ptrdiff_t n, const real *x, ptrdiff_t dx, const real *y, ptrdiff_t dy,
                 size_t ahead);
  /* The block of c that begins at (row, column), of no more than blockRows x blockColumns, or of any
   * size if the product isUnpacked. */
  void (*product)(const THProduct *product, ptrdiff_t row, ptrdiff_t rows, ptrdiff_t column,
                  ptrdiff_t columns, real *scratch);
  /* Whether the factors of this product are read as they lie; NULL if none are. */
  int (*isUnpacked)(const THProduct *product);
  ptrdiff_t lanes; /* of a vector */
  ptrdiff_t tileRows, tileColumns, blockRows, blockColumns;
  /* A block of whole tiles needs memory for depth elements of each of packedRows rows, and of each
   * column, or fewer if there are fewer. */
  ptrdiff_t depth, packedRows;
} TH_CONCAT_3(TH, Real, BlasKernels);

#define THBlasKernels TH_CONCAT_3(TH, Real, BlasKernels)

extern const THBlasKernels *const THBlas_(kernels)[];

/* The whole sum, in accreal; x and y are where element 0 is, whatever the sign of the increments.
 */
accreal THBlas_(accDot)(ptrdiff_t n, const real *x, ptrdiff_t incx, const real *y, ptrdiff_t incy);

/* Does all that can fail in a product of m x k and k x n, with leading dimensions up to ld, for
 * callers that must not have changed anything if it fails: enters scratch, which then holds the memory
 * that gemmIn needs, also for the product of the transposes, called by so many threads of the
 * library at once. */
void THBlas_(openScratch)(THGuard *scratch, int ta, int tb, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k,
                          ptrdiff_t ld, int threads);

/* gemm without checks of sizes. */
void THBlas_(gemmIn)(const THGuard *scratch, int ta, int tb, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k,
                     real alpha, const real *a, ptrdiff_t lda, const real *b, ptrdiff_t ldb,
                     real beta, real *c, ptrdiff_t ldc);

/* BLAS: checks of each call, and the choice of kernels. */
#include "THTemplate.h"
#include "THKernel.h"

#include "THBlasKernels.h"
#include "THBlasLibrary.h"
#include "TH/core/THBlockCache.h"
#include "TH/core/THTeam.h"
#include "TH/core/THScratch.h"

TH_DISPATCH(THBlasKernels, THBlas_(kernels))

/* Integers wrap around. */
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define TIMES(A, B) ((A) * (B))
#define PLUS(A, B)  ((A) + (B))
#else
#define TIMES(A, B) ((real)((uint64_t)(A) * (uint64_t)(B)))
#define PLUS(A, B)  ((accreal)((uint64_t)(A) + (uint64_t)(B)))
#endif

/* --- vectors --------------------------------------------------------------------------------- */

/* Where element 0 is: an increment below 0 starts at the far end. */
static real *THBlas_(start)(int64_t n, real *x, int64_t inc)
{
  return inc < 0 ? x - (n - 1) * inc : x;
}

void THBlas_(swap)(int64_t n, real *x, int64_t incx, real *y, int64_t incy)
{
  x = THBlas_(start)(n, x, incx);
  y = THBlas_(start)(n, y, incy);
  for (int64_t i = 0; i < n; i++) {
    const real z = x[i * incx];
    x[i * incx] = y[i * incy];
    y[i * incy] = z;
  }
}

void THBlas_(copy)(int64_t n, real *x, int64_t incx, real *y, int64_t incy)
{
  if (n > 0 && incx == 1 && incy == 1) {
    memmove(y, x, (size_t)n * sizeof(real));
    return;
  }
  x = THBlas_(start)(n, x, incx);
  y = THBlas_(start)(n, y, incy);
  for (int64_t i = 0; i < n; i++)
    y[i * incy] = x[i * incx];
}

/* A long vector in chunks for threads. */
typedef struct {
  real a, *x, *y;
  int64_t incx, incy;
} THBlas_(Vectors);

static void THBlas_(scalRange)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THBlas_(Vectors) *v = context;
  TH_DISPATCHED(THBlas_(kernels))->scal(end - begin, v->a, v->x + begin * v->incx, v->incx);
}

void THBlas_(scal)(int64_t n, real a, real *x, int64_t incx)
{
  THBlas_(Vectors) v = {.a = a, .x = THBlas_(start)(n, x, incx), .incx = incx};
  THParallel_for(n, incx ? TH_LOOP_GRAIN : THMax(n, 1), THBlas_(scalRange), &v);
}

static void THBlas_(axpyRange)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THBlas_(Vectors) *v = context;
  TH_DISPATCHED(THBlas_(kernels))
      ->axpy(end - begin, v->a, v->x + begin * v->incx, v->incx, v->y + begin * v->incy, v->incy);
}

void THBlas_(axpy)(int64_t n, real a, real *x, int64_t incx, real *y, int64_t incy)
{
  THBlas_(Vectors) v = {a, THBlas_(start)(n, x, incx), THBlas_(start)(n, y, incy), incx, incy};
  THParallel_for(n, incy ? TH_LOOP_GRAIN : THMax(n, 1), THBlas_(axpyRange), &v);
}

/* --- dot ------------------------------------------------------------------------------------- */

/* A long vector's chunks depend on its length alone, and so does the order of the sum. */
enum { DOT_CHUNKS = 256 };

/* Two vectors of MEMORY_BYTES or more each are assumed to be in memory: then they are prefetched
 * PREFETCH_BYTES ahead.  (In caches prefetching would take longer.) */
enum { MEMORY_BYTES = 8 << 20, PREFETCH_BYTES = 4096 };

typedef struct {
  ptrdiff_t n, chunk;
  const real *x, *y;
  ptrdiff_t incx, incy;
  size_t ahead;
  accreal sum[DOT_CHUNKS];
} THBlas_(Dot);

static void THBlas_(dotChunks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  THBlas_(Dot) *dot = context;
  for (ptrdiff_t i = begin; i < end; i++) {
    const ptrdiff_t first = i * dot->chunk;
    dot->sum[i] = TH_DISPATCHED(THBlas_(kernels))
                      ->dot(THMin(dot->chunk, dot->n - first), dot->x + first * dot->incx,
                            dot->incx, dot->y + first * dot->incy, dot->incy, dot->ahead);
  }
}

accreal THBlas_(accDot)(ptrdiff_t n, const real *x, ptrdiff_t incx, const real *y, ptrdiff_t incy)
{
  const ptrdiff_t each = (n + DOT_CHUNKS - 1) / DOT_CHUNKS;
  const ptrdiff_t groups = (THMax(each, TH_LOOP_GRAIN) + TH_DOT_GROUP - 1) / TH_DOT_GROUP;
  THBlas_(Dot) dot = {n, groups * TH_DOT_GROUP, x, y, incx, incy, 0, {0}};
  if (n <= dot.chunk)
    return n > 0 ? TH_DISPATCHED(THBlas_(kernels))->dot(n, x, incx, y, incy, 0) : 0;
  if (incx == 1 && incy == 1 && n >= MEMORY_BYTES / (ptrdiff_t)sizeof(real))
    dot.ahead = PREFETCH_BYTES;
  const ptrdiff_t chunks = (n + dot.chunk - 1) / dot.chunk;
  THParallel_for(chunks, 1, THBlas_(dotChunks), &dot);
  accreal sum = dot.sum[0];
  for (ptrdiff_t i = 1; i < chunks; i++)
    sum = PLUS(sum, dot.sum[i]);
  return sum;
}

real THBlas_(dot)(int64_t n, real *x, int64_t incx, real *y, int64_t incy)
{
  return (real)THBlas_(accDot)(n, THBlas_(start)(n, x, incx), incx, THBlas_(start)(n, y, incy),
                               incy);
}

/* --- checks ---------------------------------------------------------------------------------- */

/* Whether op is a transposition. */
static int THBlas_(transposes)(char op, int arg)
{
  THArgCheck(op && strchr("nNtTcC", op), arg, "trans is '%c', neither 'n' nor 't' nor 'c'", op);
  return op != 'n' && op != 'N';
}

static void THBlas_(checkSize)(int64_t size, const char *name, int arg)
{
  THArgCheck(size >= 0, arg, "%s is %lld", name, (long long)size);
}

/* The leading dimension of a matrix in memory; for one column it does not matter. */
static int64_t THBlas_(leading)(int64_t ld, int64_t rows, int64_t columns, const char *name,
                                int arg)
{
  if (columns <= 1)
    return THMax(rows, 1);
  THArgCheck(ld >= THMax(rows, 1), arg, "%s is %lld, the matrix has %lld rows", name, (long long)ld,
             (long long)rows);
  return ld;
}

/* --- matrix and vector ----------------------------------------------------------------------- */

typedef struct {
  int64_t m, lda, incx, incy;
  real alpha, *a, *x, *y;
} THBlas_(Ger);

static void THBlas_(gerColumns)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THBlas_(Ger) *g = context;
  for (ptrdiff_t j = begin; j < end; j++)
    TH_DISPATCHED(THBlas_(kernels))
        ->axpy(g->m, TIMES(g->alpha, g->y[j * g->incy]), g->x, g->incx, g->a + j * g->lda, 1);
}

void THBlas_(ger)(int64_t m, int64_t n, real alpha, real *x, int64_t incx, real *y, int64_t incy,
                  real *a, int64_t lda)
{
  THBlas_(checkSize)(m, "m", 1);
  THBlas_(checkSize)(n, "n", 2);
  lda = THBlas_(leading)(lda, m, n, "lda", 9);
  THBlas_(Ger)
      g = {m, lda, incx, incy, alpha, a, THBlas_(start)(m, x, incx), THBlas_(start)(n, y, incy)};
  THParallel_for(n, THMax(1, TH_LOOP_GRAIN / THMax(m, 1)), THBlas_(gerColumns), &g);
}

/* y = beta * y; incy is above 0. */
static void THBlas_(scaleOrClear)(int64_t n, real beta, real *y, int64_t incy)
{
  if (beta == 0)
    for (int64_t i = 0; i < n; i++)
      y[i * incy] = 0;
  else if (beta != 1)
    THBlas_(scal)(n, beta, y, incy);
}

typedef struct {
  int64_t m, n, lda, incx, incy;
  real alpha, *a, *x, *y;
} THBlas_(Gemv);

/* Rows begin ... end of y += alpha * a * x. */
static void THBlas_(gemvRows)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THBlas_(Gemv) *g = context;
  for (int64_t j = 0; j < g->n; j++)
    TH_DISPATCHED(THBlas_(kernels))
        ->axpy(end - begin, TIMES(g->alpha, g->x[j * g->incx]), g->a + begin + j * g->lda, 1,
               g->y + begin * g->incy, g->incy);
}

/* Elements begin ... end of y += alpha * a' * x. */
static void THBlas_(gemvColumns)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THBlas_(Gemv) *g = context;
  for (ptrdiff_t j = begin; j < end; j++) {
    const real sum =
        (real)TH_DISPATCHED(THBlas_(kernels))->dot(g->m, g->a + j * g->lda, 1, g->x, g->incx, 0);
    TH_DISPATCHED(THBlas_(kernels))->axpy(1, g->alpha, &sum, 1, g->y + j * g->incy, 1);
  }
}

#if defined(TH_FORTRAN)

static int THBlas_(fits)(int64_t a, int64_t b, int64_t c)
{
  return a <= INT_MAX && b <= INT_MAX && c <= INT_MAX;
}

/* Whether the library can compute it: sizes and increments have to fit an int and not to be 0. */
static int THBlas_(suitsLibrary)(const THBlas_(Gemv) * g)
{
  return g->incx != 0 && THBlas_(fits)(g->m, g->n, g->lda) && THBlas_(fits)(g->incx, g->incy, 0) &&
         THBlas_(fits)(-g->incx, -g->incy, 0);
}

/* y += alpha * op(a) * x, with the vectors as the caller gave them. */
static void THBlas_(libraryGemv)(const THBlasLibrary *library, int transposed,
                                 const THBlas_(Gemv) * g)
{
  const int m = (int)g->m, n = (int)g->n, lda = (int)g->lda;
  const int incx = (int)g->incx, incy = (int)g->incy;
  const real one = 1;
  const int threads = THBlasLibrary_begin();
  library->TH_FORTRAN(gemv)(transposed ? "T" : "N", &m, &n, &g->alpha, g->a, &lda, g->x, &incx,
                            &one, g->y, &incy, 1);
  THBlasLibrary_end(threads);
}

#endif

#if defined(TH_FORTRAN)
static int THBlas_(isOwn)(int ta, int tb, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k);
#endif

void THBlas_(gemv)(char trans, int64_t m, int64_t n, real alpha, real *a, int64_t lda, real *x,
                   int64_t incx, real beta, real *y, int64_t incy)
{
  const int transposed = THBlas_(transposes)(trans, 1);
  THBlas_(checkSize)(m, "m", 2);
  THBlas_(checkSize)(n, "n", 3);
  lda = THBlas_(leading)(lda, m, n, "lda", 6);
  const int64_t nx = transposed ? m : n, ny = transposed ? n : m;
  if (ny == 0)
    return;
  THArgCheck(incy != 0 || ny == 1, 11, "incy is 0: the %lld elements of y would be one",
             (long long)ny);
  if (incy == 0)
    incy = 1;
#if defined(TH_FORTRAN)
  if (incx == 1 && incy == 1 && nx > 0 && THBlas_(isOwn)(transposed, 0, ny, 1, nx)) {
    THBlas_(gemm)(transposed ? 't' : 'n', 'n', ny, 1, nx, alpha, a, lda, x, nx, beta, y, ny);
    return;
  }
#endif

  THBlas_(Gemv) g = {m, n, lda, incx, incy, alpha, a, x, y};
#if defined(TH_FORTRAN)
  const THBlasLibrary *library = THBlas_(suitsLibrary)(&g) ? THBlasLibrary_get() : NULL;
#endif
  /* Not left to the library: some libraries read y even if beta is 0. */
  THBlas_(scaleOrClear)(ny, beta, y, incy < 0 ? -incy : incy);
  if (nx == 0 || alpha == 0)
    return;
#if defined(TH_FORTRAN)
  if (library) {
    THBlas_(libraryGemv)(library, transposed, &g);
    return;
  }
#endif
  g.x = THBlas_(start)(nx, x, incx);
  g.y = THBlas_(start)(ny, y, incy);
  THParallel_for(ny, THMax(1, TH_LOOP_GRAIN / nx),
                 transposed ? THBlas_(gemvColumns) : THBlas_(gemvRows), &g);
}

/* --- matrix and matrix ----------------------------------------------------------------------- */

/* How a product is cut into blocks of whole tiles, and how many threads compute them. */
typedef struct {
  ptrdiff_t rows, columns; /* of a block */
  ptrdiff_t down, across;  /* blocks */
  int threads;
} THBlas_(Cut);

static ptrdiff_t THBlas_(ceilDiv)(ptrdiff_t n, ptrdiff_t size)
{
  return (n + size - 1) / size;
}

/* The size of blocks that divide n into so many as evenly as tiles allow. */
static ptrdiff_t THBlas_(evenly)(ptrdiff_t n, ptrdiff_t blocks, ptrdiff_t tile)
{
  return THBlas_(ceilDiv)(THBlas_(ceilDiv)(n, tile), blocks) * tile;
}

/* Each thread should have some microseconds of work: a matrix and a vector are read at the speed of the
 * memory, several times slower than a tile of results uses its factors again. */
static int THBlas_(threadsFor)(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k)
{
  enum { MATRIX_GRAIN = 8 * TH_LOOP_GRAIN, VECTOR_GRAIN = TH_LOOP_GRAIN };
  const double work = THMin((double)m * (double)n * (double)k, 0x1p60);
  return THParallel_threads((ptrdiff_t)work, m == 1 || n == 1 ? VECTOR_GRAIN : MATRIX_GRAIN);
}

/* Whether threads divide columns rather than rows: the larger of the two numbers, unless tiles
 * divide it so unevenly that the largest share would be smaller by an eighth with the other. */
static int THBlas_(isByColumns)(ptrdiff_t m, ptrdiff_t n, int threads)
{
  const THBlasKernels *kernels = TH_DISPATCHED(THBlas_(kernels));
  const double byRows = (double)THBlas_(evenly)(m, threads, kernels->tileRows) * (double)n;
  const double byColumns = (double)THBlas_(evenly)(n, threads, kernels->tileColumns) * (double)m;
  return n >= m ? byColumns <= 1.125 * byRows : 1.125 * byColumns < byRows;
}

/* Blocks as large as the kernels allow, or smaller to give all threads the same number.  Results do
 * not depend on it. */
static THBlas_(Cut) THBlas_(cut)(const THProduct *p)
{
  const THBlasKernels *kernels = TH_DISPATCHED(THBlas_(kernels));
  const ptrdiff_t m = p->m, n = p->n;
  const int isWhole = kernels->isUnpacked && kernels->isUnpacked(p);
  THBlas_(Cut) cut = {.down = isWhole ? 1 : THBlas_(ceilDiv)(m, kernels->blockRows),
                      .across = isWhole ? 1 : THBlas_(ceilDiv)(n, kernels->blockColumns),
                      .threads = THBlas_(threadsFor)(m, n, p->k)};
  const int byColumns = cut.across > 1 || THBlas_(isByColumns)(m, n, cut.threads);
  ptrdiff_t *const count = byColumns ? &cut.across : &cut.down;
  const ptrdiff_t tiles = byColumns ? THBlas_(ceilDiv)(n, kernels->tileColumns)
                                    : THBlas_(ceilDiv)(m, kernels->tileRows);
  const ptrdiff_t least = *count, most = THMin(tiles, least + cut.threads);
  while (*count < most && cut.down * cut.across % cut.threads != 0)
    ++*count;
  if (cut.down * cut.across % cut.threads != 0)
    *count = least;
  cut.rows = THBlas_(evenly)(m, cut.down, kernels->tileRows);
  cut.columns = THBlas_(evenly)(n, cut.across, kernels->tileColumns);
  cut.down = THBlas_(ceilDiv)(m, cut.rows);
  cut.across = THBlas_(ceilDiv)(n, cut.columns);
  cut.threads = (int)THMin(cut.threads, cut.down * cut.across);
  return cut;
}

/* Scratch memory of so many threads. */
typedef struct {
  ptrdiff_t size; /* in elements, of one */
  int threads;
  _Alignas(64) real memory[];
} THBlas_(Scratch);

typedef struct {
  const THProduct *product;
  THBlas_(Cut) cut;
  THBlas_(Scratch) * scratch;
} THBlas_(Blocks);

static void THBlas_(doBlocks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THBlas_(Blocks) *blocks = context;
  const THBlas_(Cut) *cut = &blocks->cut;
  const THProduct *product = blocks->product;
  THBlas_(Scratch) *scratch = blocks->scratch;
  real *memory = scratch->memory + THTeam_index(scratch->threads) * scratch->size;
  for (ptrdiff_t i = begin; i < end; i++) {
    const ptrdiff_t row = i / cut->across * cut->rows, column = i % cut->across * cut->columns;
    TH_DISPATCHED(THBlas_(kernels))
        ->product(product, row, THMin(cut->rows, product->m - row), column,
                  THMin(cut->columns, product->n - column), memory);
  }
}

/* Our own product: for integers, sizes beyond the library's int, and products at which the library
 * is slow. */
static void THBlas_(ownGemm)(const THProduct *product, THBlas_(Scratch) * scratch)
{
  THBlas_(Blocks) blocks = {product, THBlas_(cut)(product), scratch};
  const ptrdiff_t count = blocks.cut.down * blocks.cut.across;
  THParallel_forIn(blocks.cut.threads, count, THBlas_(doBlocks), &blocks);
}

/* The most lines of both operands in a block of m x n. */
static ptrdiff_t THBlas_(linesOf)(ptrdiff_t m, ptrdiff_t n)
{
  const THBlasKernels *kernels = TH_DISPATCHED(THBlas_(kernels));
  return THMin(kernels->packedRows, m + kernels->tileRows) +
         THMin(kernels->blockColumns, n + kernels->tileColumns);
}

/* Describes the scratch memory, and returns its bytes. */
static ptrdiff_t THBlas_(scratchBytes)(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k,
                                       THBlas_(Scratch) * scratch)
{
  const ptrdiff_t lines = THMax(THBlas_(linesOf)(m, n), THBlas_(linesOf)(n, m));
  scratch->size = (lines * THMin(k, TH_DISPATCHED(THBlas_(kernels))->depth) + 63) / 64 * 64;
  scratch->threads = THMax(scratch->threads, THBlas_(threadsFor)(m, n, k));
  return (ptrdiff_t)sizeof *scratch + scratch->threads * scratch->size * (ptrdiff_t)sizeof(real);
}

/* Whether a product is one block that there is scratch for: then nothing is allocated. */
enum { SMALL_ELEMENTS = sizeof(real) > 4 ? 2048 : 4096 };

static int THBlas_(isSmall)(ptrdiff_t m, ptrdiff_t n, ptrdiff_t k)
{
  const THBlasKernels *kernels = TH_DISPATCHED(THBlas_(kernels));
  return m <= kernels->blockRows && n <= kernels->blockColumns && k <= kernels->depth &&
         THMax(THBlas_(linesOf)(m, n), THBlas_(linesOf)(n, m)) * k <= SMALL_ELEMENTS;
}

#if defined(TH_FORTRAN)

/* Whether our own product is preferred: if the library's kernels use shorter vectors than the
 * processor has, or where ours has been measured to be faster.  That does not depend on the number
 * of threads.  The library is as fast for small products, for which it does not pack unless the
 * first factor is transposed, and for large ones; for those in between it packs too much.  For a
 * matrix and a vector ours reads the matrix at the speed of the memory; OpenBLAS 0.3.21 does not for
 * float on a Sapphire Rapids, where ours takes 0.2 to 0.5 of its time (docs/notes/products.md). */
static int THBlas_(isOwn)(int ta, int tb, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k)
{
  enum { LEAST = 1000000, LEAST_TURNED = LEAST / 8, MOST = 1 << 23 };
  enum { LEAST_LINES = 32, MOST_LINES = 256, MIN_ROWS = 4, LEAST_TERMS = 16 };
  if (m == 1 || n == 1) { /* a matrix and a vector: dots of few terms are the library's */
    const int byDots = n == 1 ? ta : !tb;
    return !byDots || k >= LEAST_TERMS;
  }
  if (THBlasLibrary_lags())
    return 1;
  const ptrdiff_t rows = tb ? LEAST_LINES / 2 + 1 : MIN_ROWS, columns = ta ? LEAST_LINES + 1 : 1;
  if (!THBlasLibrary_keepsUp() || m < rows || n < columns)
    return 0;
  const double work = (double)m * (double)n * (double)k;
  const int turned = ta && !tb && m > LEAST_LINES;
  return work > (turned ? LEAST_TURNED : LEAST) &&
         (work <= MOST || (m <= MOST_LINES && n <= MOST_LINES && work <= 2 * MOST));
}

#endif

void THBlas_(openScratch)(THGuard *guard, int ta, int tb, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k,
                          ptrdiff_t ld, int threads)
{
  THGuard_enter(guard, THFree);
  THBlas_(Scratch) scratch = {.threads = THParallel_threads(threads, 1)};
#if defined(TH_FORTRAN)
  if (THBlas_(fits)(m, n, k) && ld <= INT_MAX) {
    THBlasLibrary_get();
    if (!THBlas_(isOwn)(ta, tb, m, n, k) || k == 0 || THBlas_(isSmall)(m, n, k))
      return;
    guard->what = THMemory_try(THBlas_(scratchBytes)(m, n, k, &scratch));
    if (guard->what) /* without memory the library computes it */
      *(THBlas_(Scratch) *)guard->what = scratch;
    return;
  }
#endif
  if (m == 0 || n == 0 || k == 0 || THBlas_(isSmall)(m, n, k))
    return;
  guard->what = THAlloc(THBlas_(scratchBytes)(m, n, k, &scratch));
  *(THBlas_(Scratch) *)guard->what = scratch;
}

#if defined(TH_FORTRAN)

/* c = beta * c + alpha * op(a) * op(b) by the library.  A product of one column or one row is that of
 * a matrix and a vector, for which gemm would first pack the matrix. */
static void THBlas_(libraryGemm)(int ta, int tb, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, real alpha,
                                 const real *a, ptrdiff_t lda, const real *b, ptrdiff_t ldb,
                                 real beta, real *c, ptrdiff_t ldc)
{
  const THBlasLibrary *library = THBlasLibrary_get();
  if (n == 1 || m == 1) {
    const THBlas_(Gemv)
        column = {ta ? k : m, ta ? m : k, lda, tb ? ldb : 1, 1, alpha, (real *)a, (real *)b, c};
    const THBlas_(Gemv)
        row = {tb ? n : k, tb ? k : n, ldb, ta ? 1 : lda, ldc, alpha, (real *)b, (real *)a, c};
    THBlas_(scaleOrClear)(THMax(m, n), beta, c, n == 1 ? 1 : ldc);
    THBlas_(libraryGemv)(library, n == 1 ? ta : !tb, n == 1 ? &column : &row);
    return;
  }
  const int im = (int)m, in = (int)n, ik = (int)k;
  const int ilda = (int)lda, ildb = (int)ldb, ildc = (int)ldc;
  const int threads = THBlasLibrary_begin();
  library->TH_FORTRAN(gemm)(ta ? "T" : "N", tb ? "T" : "N", &im, &in, &ik, &alpha, a, &ilda, b,
                            &ildb, &beta, c, &ildc, 1, 1);
  THBlasLibrary_end(threads);
}

#endif

void THBlas_(gemmIn)(const THGuard *scratch, int ta, int tb, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k,
                     real alpha, const real *a, ptrdiff_t lda, const real *b, ptrdiff_t ldb,
                     real beta, real *c, ptrdiff_t ldc)
{
  if (m == 0 || n == 0)
    return;
  if (k == 0 || alpha == 0) {
    for (ptrdiff_t j = 0; j < n; j++)
      THBlas_(scaleOrClear)(m, beta, c + j * ldc, 1);
    return;
  }
#if defined(TH_FORTRAN)
  if (!scratch->what && !(THBlas_(isOwn)(ta, tb, m, n, k) && THBlas_(isSmall)(m, n, k))) {
    THBlas_(libraryGemm)(ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    return;
  }
#endif
  const THProduct product = {.m = m,
                             .n = n,
                             .k = k,
                             .alpha = alpha,
                             .beta = beta,
                             .a = a,
                             .b = b,
                             .aRow = ta ? lda : 1,
                             .aColumn = ta ? 1 : lda,
                             .bRow = tb ? ldb : 1,
                             .bColumn = tb ? 1 : ldb,
                             .c = c,
                             .ldc = ldc};
  if (scratch->what) {
    THBlas_(ownGemm)(&product, scratch->what);
  } else {
    TH_SCRATCH(real, memory, SMALL_ELEMENTS);
    TH_DISPATCHED(THBlas_(kernels))->product(&product, 0, m, 0, n, memory);
  }
}

void THBlas_(gemm)(char transa, char transb, int64_t m, int64_t n, int64_t k, real alpha, real *a,
                   int64_t lda, real *b, int64_t ldb, real beta, real *c, int64_t ldc)
{
  const int ta = THBlas_(transposes)(transa, 1), tb = THBlas_(transposes)(transb, 2);
  THBlas_(checkSize)(m, "m", 3);
  THBlas_(checkSize)(n, "n", 4);
  THBlas_(checkSize)(k, "k", 5);
  lda = THBlas_(leading)(lda, ta ? k : m, ta ? m : k, "lda", 8);
  ldb = THBlas_(leading)(ldb, tb ? n : k, tb ? k : n, "ldb", 10);
  ldc = THBlas_(leading)(ldc, m, n, "ldc", 13);
  THGuard scratch;
  THBlas_(openScratch)(&scratch, ta, tb, m, n, k, THMax(lda, THMax(ldb, ldc)), 1);
  THBlas_(gemmIn)(&scratch, ta, tb, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
  THGuard_leave(&scratch);
}

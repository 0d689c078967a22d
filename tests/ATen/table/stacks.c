/* How much stack calls take: threads of programs have as little as 64 KB, of which the library
 * takes half, or an eighth beside what the BLAS library takes by itself.  A call is made on a stack
 * that was painted before, and what is no longer paint afterwards was used.  The cases of PyTorch
 * are called so, and then operations on operands that are worth several threads, whose stacks
 * OMP_STACKSIZE makes as small: they live. */
#define _GNU_SOURCE /* dl_iterate_phdr */
#include <dlfcn.h>
#include <glob.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "TH.h"
#include "cases.h"
#include "th_test.h"

enum { STACK = 64 << 10, PROMISED = 32 << 10, BESIDE_BLAS = 8 << 10, PAINT = 0xa5 };

typedef struct Call {
  void (*function)(void *context);
  void *context;
  const char *top; /* of the stack, where function is called */
} Call;

static void *start(void *context)
{
  Call *call = context;
  call->top = __builtin_frame_address(0);
  call->function(call->context);
  return NULL;
}

/* Calls the function in a thread with 64 KB of stack, below which nothing can be written, and
 * returns how much of it the call takes. */
static ptrdiff_t stack_of(void (*function)(void *context), void *context)
{
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *const block = mmap(NULL, page + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
                           -1, 0),
              *const stack = block + page;
  CHECK(block != MAP_FAILED && mprotect(block, page, PROT_NONE) == 0);
  memset(stack, PAINT, STACK);
  pthread_attr_t attributes;
  pthread_t thread;
  Call call = {function, context, NULL};
  CHECK(pthread_attr_init(&attributes) == 0);
  CHECK(pthread_attr_setstack(&attributes, stack, STACK) == 0);
  CHECK(pthread_create(&thread, &attributes, start, &call) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  pthread_attr_destroy(&attributes);
  const char *end = stack;
  while (*(const unsigned char *)end == PAINT)
    end++;
  const ptrdiff_t used = call.top - end;
  munmap(block, page + STACK);
  return used;
}

/* --- the BLAS library ------------------------------------------------------------------------- */

/* Fortran's functions: products, triangular systems with a transposed matrix, and eigenvalues of a complex
 * one. */
typedef struct Blas {
  void (*dgemm)(const char *transa, const char *transb, const int *m, const int *n, const int *k,
                const double *alpha, const double *a, const int *lda, const double *b,
                const int *ldb, const double *beta, double *c, const int *ldc, size_t, size_t);
  void (*dtrtrs)(const char *uplo, const char *trans, const char *diag, const int *n,
                 const int *nrhs, const double *a, const int *lda, double *b, const int *ldb,
                 int *info, size_t, size_t, size_t);
  void (*zgeev)(const char *jobvl, const char *jobvr, const int *n, double *a, const int *lda,
                double *w, double *vl, const int *ldvl, double *vr, const int *ldvr, double *work,
                const int *lwork, double *rwork, int *info, size_t, size_t);
} Blas;

/* Finds the library among those that are loaded. */
static int find_blas(struct dl_phdr_info *info, size_t size, void *context)
{
  void *library, *dgemm;
  if (!strstr(info->dlpi_name, "blas") ||
      !(library = dlopen(info->dlpi_name, RTLD_LAZY | RTLD_NOLOAD)) ||
      !(dgemm = dlsym(library, "dgemm_")))
    return 0;
  ((Blas *)context)->dgemm = dgemm;
  ((Blas *)context)->dtrtrs = dlsym(library, "dtrtrs_");
  ((Blas *)context)->zgeev = dlsym(library, "zgeev_");
  return 1;
}

static void call_blas(void *context)
{
  enum { N = 64 };
  static double a[N * N], b[N * N], c[N * N];
  static const int n = N;
  static const double one = 1;
  const Blas *const blas = context;
  int info;
  for (int i = 0; i < N * N; i++)
    a[i] = b[i] = 1;
  blas->dgemm("N", "T", &n, &n, &n, &one, a, &n, b, &n, &one, c, &n, 1, 1);
  if (blas->dtrtrs)
    blas->dtrtrs("U", "T", "N", &n, &n, a, &n, b, &n, &info, 1, 1, 1);
}

static void call_zgeev(void *context)
{
  enum { N = 8, WORK = 64 * N };
  static double a[2 * N * N], v[2 * N * N], w[2 * N], work[2 * WORK], rwork[2 * N];
  static const int n = N, size = WORK;
  int info;
  for (int i = 0; i < 2 * N * N; i++)
    a[i] = i % 7 - 3;
  ((const Blas *)context)
      ->zgeev("N", "V", &n, a, &n, w, v, &n, v, &n, work, &size, rwork, &info, 1, 1);
}

static ptrdiff_t promised = PROMISED, promisedEigenvalues = PROMISED;

/* OpenBLAS has kernels that take 44 KB for themselves; LAPACK's zhseqr has 38 KB of its own. */
static int measure_blas(void **state)
{
  Blas blas = {0};
  THInferNumThreads(); /* loads it; the loader of libraries takes what it takes */
  dl_iterate_phdr(find_blas, &blas);
  if (blas.dgemm)
    promised = THMax(promised, BESIDE_BLAS + stack_of(call_blas, &blas));
  promisedEigenvalues = promised;
  if (blas.zgeev)
    promisedEigenvalues = THMax(promised, BESIDE_BLAS + stack_of(call_zgeev, &blas));
  printf("calls may take %td bytes of stack, of eigenvalues %td\n", promised, promisedEigenvalues);
  return 0;
}

static int problems;
static ptrdiff_t most;

static void take_note_of(const char *name, ptrdiff_t used, ptrdiff_t limit)
{
  most = THMax(most, used);
  if (used <= limit)
    return;
  problems++;
  print_error("%s takes %td bytes of stack\n", name, used);
}

static void take_note(const char *name, ptrdiff_t used)
{
  take_note_of(name, used, promised);
}

/* Whether the case has eigenvalues of a complex matrix, its first argument. */
static bool finds_eigenvalues(const char *name, const at_value *values)
{
  return (strcmp(name, "linalg_eigvals") == 0 || strcmp(name, "linalg_eig") == 0) &&
         at_is_complex(values->tensor);
}

/* --- the stored cases ------------------------------------------------------------------------- */

typedef struct CaseCall {
  const Case *one;
  bool apart;
  at_value values[CASE_VALUES], results[CASE_VALUES];
} CaseCall;

static void call_case(void *context)
{
  CaseCall *const call = context;
  const bool succeeds = call->one->op->call(call->values, call->results);
  at_error_clear();
  if (!call->apart && succeeds == call->one->error) { /* some see the gaps between elements */
    problems++;
    print_error("%s:%d: %s\n", call->one->path, call->one->line, succeeds ? "succeeds" : "fails");
  }
}

typedef struct Cases {
  int count;
  bool apart;
} Cases;

static void visit(Case *one, void *context)
{
  Cases *const cases = context;
  CaseCall call = {.one = one, .apart = cases->apart};
  const at_op *op = one->op;
  case_values(one, call.values);
  const bool finds = finds_eigenvalues(op->name, call.values);
  take_note_of(op->name, stack_of(call_case, &call), finds ? promisedEigenvalues : promised);
  cases->count++;
  if (one->error || op->form != AT_FORM_FUNCTION)
    return;
  if (op->results[0].kind == AT_KIND_TENSORS)
    at_list_release(call.results->list);
  else
    for (int i = 0; i < op->resultCount; i++)
      if (op->results[i].kind == AT_KIND_TENSOR || op->results[i].kind == AT_KIND_OPTIONAL_TENSOR)
        at_release(call.results[i].tensor);
}

static void small_operands(void **state)
{
  glob_t files;
  Cases cases = {0};
  problems = 0, most = 0;
  CHECK(glob(AT_GOLDEN_DIR "/aten/*.txt", 0, NULL, &files) == 0);
  for (size_t i = 0; i < files.gl_pathc; i++)
    for (int apart = 0; apart < 2; apart++) {
      cases.apart = apart;
      cases_each(files.gl_pathv[i], apart, visit, &cases);
    }
  globfree(&files);
  printf("%d cases, at most %td bytes of stack\n", cases.count, most);
  CHECK(cases.count > 5000);
  CHECK_MSG(problems == 0, "%d problems", problems);
}

/* --- large operands --------------------------------------------------------------------------- */

typedef struct Operands {
  at_tensor *x, *t, *few, *lines, *positive, *mask, *image, *grid, *planes, *half, *number;
} Operands;

static Operands o;

static void set_up(const at_type *type)
{
  o.x = at_to(at_randn(AT_SHAPE(700, 900)), type);
  o.t = at_to(at_randn(AT_SHAPE(900, 700)), type);
  o.few = at_to(at_randn(AT_SHAPE(3, 700)), type);
  o.lines = at_to(at_randn(AT_SHAPE(60000, 8)), type);
  o.positive = at_abs(o.x);
  o.mask = at_gt(o.x, 0);
  o.image = at_to(at_randn(AT_SHAPE(2, 20, 40, 50)), type);
  o.grid = at_to(at_randn(AT_SHAPE(2, 60, 70, 2)), type);
  o.planes = at_to(at_randn(AT_SHAPE(4, 30, 60, 70)), type);
  o.half = at_to(o.x, AT_CPU(AT_HALF));
  o.number = at_to(at_mul(o.x, 100), AT_CPU(AT_SHORT));
}

/* Statements, each a function. */
#define CALLS(CALL)                                                                             \
  CALL(sum, at_sum(o.x))                                                                        \
  CALL(sumAlong, at_sum_dim(o.x, AT_INTS(0)), at_sum_dim(o.x, AT_INTS(1)))                      \
  CALL(sumTransposed, at_sum(at_t(o.x)), at_sum_dim(at_t(o.x), AT_INTS(0)))                     \
  CALL(sumHalf, at_sum(o.half), at_sum_dim(o.half, AT_INTS(0)))                                 \
  CALL(mean, at_mean(o.x), at_mean_dim(o.x, AT_INTS(1)))                                        \
  CALL(norm, at_norm(o.x), at_norm_dim(o.x, 3, AT_INTS(0)))                                     \
  CALL(logsumexp, at_logsumexp(o.x, AT_INTS(0)), at_logsumexp(o.x, AT_INTS(1)))                 \
  CALL(logsumexpApart, at_logsumexp(at_t(o.t), AT_INTS(0)))                                     \
  CALL(var, at_var(o.x), at_var_dim(o.x, AT_INTS(0)))                                           \
  CALL(argmax, at_argmax(o.x), at_argmax(o.x, .dim = 0), at_argmax(o.lines, .dim = 1))          \
  CALL(maxOfLines, at_max_dim(o.lines, 1).values)                                               \
  CALL(addcmul, at_addcmul(o.x, at_t(o.t), at_t(o.t)))                                          \
  CALL(addTransposed, at_add(o.x, at_t(o.t)), at_div(at_t(o.t), o.x))                           \
  CALL(addMixed, at_add(o.half, at_t(o.t)), at_mul(o.number, o.half))                           \
  CALL(lgamma, at_lgamma(o.x), at_erfinv(o.x), at_exp(o.x), at_fmod(o.x, 0.5))                  \
  CALL(cat, at_cat(AT_TENSORS(o.x, o.x), .dim = 1))                                             \
  CALL(stack, at_stack(AT_TENSORS(o.x, o.x), .dim = 2))                                         \
  CALL(convert, at_to(at_t(o.x), AT_CPU(AT_INT)), at_contiguous(at_t(o.x)))                     \
  CALL(mode, at_mode(o.lines).values)                                                           \
  CALL(median, at_median(o.x), at_kthvalue(at_reshape(o.x, AT_SHAPE(-1)), 9999).values)         \
  CALL(sort, at_sort(o.x).values, at_sort(o.x, .dim = 0).values)                                \
  CALL(sortLong, at_sort(at_reshape(o.x, AT_SHAPE(-1))).values)                                 \
  CALL(sortShort, at_sort(at_reshape(o.number, AT_SHAPE(-1))).values)                           \
  CALL(topk, at_topk(o.x, 20).values, at_topk(at_reshape(o.x, AT_SHAPE(-1)), 99).values)        \
  CALL(cumsum, at_cumsum(o.x, 0), at_cumsum(o.x, 1))                                            \
  CALL(cumsumLong, at_cumsum(at_reshape(o.x, AT_SHAPE(-1)), 0))                                 \
  CALL(masked, at_masked_select(o.x, o.mask), at_masked_select(at_t(o.x), at_t(o.mask)))        \
  CALL(nonzero, at_nonzero(o.mask))                                                             \
  CALL(random, at_exponential_(at_clone(o.x)), at_cauchy_(at_clone(o.x)))                       \
  CALL(randomToo, at_geometric_(at_clone(o.x), 0.5), at_log_normal_(at_clone(o.x)))             \
  CALL(normal, at_randn(AT_SHAPE(400000)), at_randperm(400000))                                 \
  CALL(multinomial, at_multinomial(o.positive, 5))                                              \
  CALL(product, at_mm(o.few, o.x), at_mm(at_t(o.x), at_t(o.few)), at_mm(o.x, o.t))              \
  CALL(softmax, at_softmax(o.x, 1), at_softmax(o.x, 0), at_log_softmax(o.lines, 1))             \
  CALL(pool, at_max_pool2d(o.planes, AT_INTS(3)).output)                                        \
  CALL(poolStrips, at_max_pool2d(o.planes, AT_INTS(3), .stride = AT_INTS(1)).output)            \
  CALL(poolAverage, at_avg_pool2d(o.planes, AT_INTS(2)))                                        \
  CALL(convolution, at_conv2d(o.image, at_ones(AT_SHAPE(8, 20, 3, 3), .type = at_typeOf(o.x)))) \
  CALL(grid, at_grid_sampler_2d(o.image, o.grid))                                               \
  CALL(gelu, at_softplus(at_t(o.x)), at_mse_loss(o.x, at_t(o.t)))

#define FUNCTION(NAME, ...)                                                  \
  static void call_##NAME(void *unused)                                      \
  {                                                                          \
    AT_SCOPE                                                                 \
    {                                                                        \
      at_tensor *const results[] = {__VA_ARGS__};                            \
      for (size_t i = 0; i < sizeof results / sizeof *results; i++)          \
        CHECK_MSG(at_defined(results[i]), #NAME ": %s", at_error_message()); \
    }                                                                        \
  }
CALLS(FUNCTION)

static void large_operands(void **state)
{
  problems = 0, most = 0;
  const at_type *const types[] = {AT_CPU(AT_FLOAT), AT_CPU(AT_DOUBLE)};
  for (int i = 0; i < 2; i++)
    AT_SCOPE
    {
      set_up(types[i]);
#define NOTE(NAME, ...) take_note(#NAME, stack_of(call_##NAME, NULL));
      CALLS(NOTE)
    }
  printf("at most %td bytes of stack\n", most);
  CHECK_MSG(problems == 0, "%d problems", problems);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(small_operands),
                                     cmocka_unit_test(large_operands)};
  return cmocka_run_group_tests(tests, measure_blas, NULL);
}

/* Symmetric matrices, also indefinite ones, as L D L', where D has blocks of 1 x 1 and 2 x 2. */
#include <limits.h>

#include "ATen/autograd/Formulas.h"
#include "Factors.h"
#include "ATen/complex/lapack.h"
#include "ATen/core/device.h"
#include "ATen/linear/lapack.h"
#include "THC/linear/THCDeviceLapack.h"
#include "TH/THLapack.h"

static at_tensor *transposed(at_tensor *t)
{
  return at_transpose(t, -2, -1);
}

/* --- factors ---------------------------------------------------------------------------------- */

/* Factors one of the complex matrices. */
static void factor_complex(at_tensor *columns, int64_t matrix, bool hermitian, int *pivots,
                           int *info)
{
  const int64_t n = at_size(columns, -1);
  const size_t skipped = (size_t)(matrix * n * n) * at_typeOf(columns)->elementSize;
  *info = at_complexLapack(at_typeOf(columns))
              ->indefinite(hermitian, (int)n, (char *)at_data(columns) + skipped, pivots);
}

static void factor(at_tensor *columns, int64_t matrix, int *pivots, at_tensor *work, int lwork,
                   int *info)
{
  const int n = (int)at_size(columns, -1);
  const int64_t first = matrix * n * n;
  if (at_isDouble(columns))
    THDoubleLapack_sytrf('L', n, (double *)at_data(columns) + first, n, pivots, at_data(work),
                         lwork, info);
  else
    THFloatLapack_sytrf('L', n, (float *)at_data(columns) + first, n, pivots, at_data(work), lwork,
                        info);
}

/* The elements of work that LAPACK asks for. */
static int64_t work_of(at_tensor *columns)
{
  int pivot = 0, info = 0;
  at_tensor *const wanted = at_zeros(AT_INTS(1), .type = at_typeOf(columns));
  if (!at_defined(wanted))
    return 0;
  factor(columns, 0, &pivot, wanted, -1, &info);
  return THMin(THMax((int64_t)at_item_double(wanted), at_size(columns, -1)), INT_MAX);
}

static void indefinite(const THCDeviceLapack *lapack, int m, int n, void *a, int *pivots,
                       int *status)
{
  lapack->indefinite(n, a, pivots, status);
}

/* A kernel of kernels.h on the matrices' device, which checks values where it has a report; false after an error. */
static bool queue_kernel(const char *name, at_kernel kernel, at_tensor *on, const void *work,
                         THCReport *report)
{
  const bool wide = on->type->scalarType == AT_DOUBLE || on->type->scalarType == AT_COMPLEX_DOUBLE;
  const THScalarType type = wide ? THScalarDouble : THScalarFloat;
  at_call call;
  at_begin(&call, name);
  at_onDeviceOf(&call, on);
  TH_TRY(call.attempt)
  {
    THCFault fault;
    if (report && at_cuda()->check(kernel, type, work, report, &fault))
      at_raise(AT_ERROR_ARGUMENT, "pivots has %lld at %lld, which is none of the matrix",
               (long long)fault.value, (long long)fault.at);
    if (!report || !report->word)
      at_cuda()->launch(kernel, type, work);
  }
  return !at_failed(&call);
}

/* Factors of Hermitian matrices on a device, for which cuSOLVER has no function. */
static bool queue_hermitian(at_tensor *columns, at_tensor *pivots, at_tensor *info)
{
  const int64_t n = at_size(columns, -1), count = at_batchOf(columns);
  at_tensor *const space = at_empty(AT_INTS(count, 2, n), .type = at_typeOf(columns));
  if (!at_defined(space))
    return false;
  const at_hermitian_work work = {.count = count,
                                  .n = n,
                                  .a = at_data(columns),
                                  .work = at_data(space),
                                  .pivots = at_data(pivots),
                                  .status = at_data(info)};
  return at_numel(columns) == 0 ||
         queue_kernel("linalg_ldl_factor", AT_KERNEL_hermitianFactors, columns, &work, NULL);
}

/* Solutions on a device; false after an error. */
static bool queue_solutions(at_tensor *ld, at_tensor *pivots, at_tensor *b, bool hermitian)
{
  const int64_t n = at_size(ld, -1), k = at_size(b, -2), size = (int64_t)ld->type->elementSize;
  if (hermitian && at_is_complex(ld)) {
    const at_hermitian_work work = {.count = at_batchOf(ld),
                                    .n = n,
                                    .columns = k,
                                    .a = at_data(ld),
                                    .b = at_data(b),
                                    .rows = at_data(pivots)};
    return queue_kernel("linalg_ldl_solve", AT_KERNEL_hermitianSolve, ld, &work, NULL);
  }
  at_tensor *const info = at_zeros(AT_INTS(1), .type = at_toScalarType(ld->type, AT_INT));
  if (!at_defined(info))
    return false;
  at_call call;
  at_begin(&call, "linalg_ldl_solve");
  at_onDeviceOf(&call, ld);
  TH_TRY(call.attempt)
  {
    const THCDeviceLapack *const lapack = at_deviceLapack(ld->type);
    for (int64_t i = 0, count = at_batchOf(ld); i < count; i++)
      lapack->indefiniteSolve((int)n, (int)k, (char *)at_data(ld) + i * n * n * size,
                              (int64_t *)at_data(pivots) + i * n,
                              (char *)at_data(b) + i * n * k * size, at_data(info));
  }
  return !at_failed(&call);
}

at_LD_pivots_info at_ldlOrInfo(const char *name, at_tensor *a, bool hermitian, bool check)
{
  const at_LD_pivots_info none = {at_undefined(), at_undefined(), at_undefined()};
  int64_t buffer[AT_MOST_DIMS];
  if (!at_areMatrices(name, "self", a, true))
    return none;
  const at_type *const type = at_typeOf(a), *const integers = at_toScalarType(type, AT_INT);
  const int64_t n = at_size(a, -1), count = at_numel(a) > 0 ? at_batchOf(a) : 0;
  at_tensor *const columns = at_clone(at_contiguous(transposed(at_tril(a))));
  at_tensor *const pivots = at_zeros(at_withSizes(a, buffer, 1, n, 0), .type = integers);
  at_tensor *const info = at_zeros(((at_ints){at_sizes(a).data, at_dim(a) - 2}), .type = integers);
  const bool isComplex = at_is_complex(a), isHost = at_isOnHost(type);
  const int64_t lwork =
      at_defined(columns) && count > 0 && isHost && !isComplex ? work_of(columns) : 1;
  at_tensor *const work = at_empty(AT_INTS(lwork), .type = at_hostType(type));
  if (!at_defined(columns) || !at_defined(pivots) || !at_defined(info) || !at_defined(work))
    return none;
  if (!isHost && !(isComplex && hermitian
                       ? queue_hermitian(columns, pivots, info)
                       : at_queueFactors("linalg_ldl_factor", indefinite, columns, pivots, info)))
    return none;
  for (int64_t i = 0; i < count && isHost; i++) {
    int *const rows = (int *)at_data(pivots) + i * n, *const status = (int *)at_data(info) + i;
    if (isComplex)
      factor_complex(columns, i, hermitian, rows, status);
    else
      factor(columns, i, rows, work, (int)lwork, status);
  }
  if (check && at_hasStatus(name, info, check, "there is a 0 on the diagonal of D, in row"))
    return none;
  return (at_LD_pivots_info){at_contiguous(transposed(columns)), pivots, info};
}

at_LD_pivots at_ldlOf(at_tensor *a, bool hermitian)
{
  const at_LD_pivots_info made = at_ldlOrInfo("linalg_ldl_factor", a, hermitian, true);
  return (at_LD_pivots){made.LD, made.pivots};
}

/* --- solutions -------------------------------------------------------------------------------- */

/* Whether LAPACK can follow the pivots of a matrix: rows of it, negative ones in pairs. */
static bool are_pivots(const int64_t *pivots, int64_t n)
{
  for (int64_t k = 0; k < n; k++) {
    const bool isPair = pivots[k] < 0;
    if (isPair && (k + 1 == n || pivots[k + 1] >= 0 || pivots[k + 1] < -n || pivots[k] < -n))
      return false;
    if (!isPair && (pivots[k] < 1 || pivots[k] > n))
      return false;
    k += isPair;
  }
  return true;
}

/* A copy of the pivots as Long, which a kernel checks; undefined after an error. */
static at_tensor *pivots_there(const char *name, at_tensor *pivots)
{
  const int64_t n = at_size(pivots, -1);
  at_tensor *const longs =
      at_clone(at_contiguous(at_to(pivots, at_toScalarType(at_typeOf(pivots), AT_LONG))));
  if (!at_defined(longs) || at_numel(longs) == 0)
    return longs;
  at_ldl_pivots_work work = {.count = at_numel(longs) / n, .n = n, .pivots = at_data(longs)};
  work.report.fault.function = name;
  return queue_kernel(name, AT_KERNEL_ldlPivots, longs, &work, &work.report) ? longs
                                                                             : at_undefined();
}

/* The pivots, checked, on the CPU as Int, or on a device as Long; undefined after an error. */
static at_tensor *checked_pivots(const char *name, at_tensor *pivots, at_tensor *ld)
{
  const at_ints own = at_sizes(ld);
  const int64_t n = at_size(ld, -1);
  const at_scalar_type type = at_type_scalarType(at_typeOf(pivots));
  if (at_category(type) != 1 ||
      !at_sameSizes(at_sizes(pivots), (at_ints){own.data, own.count - 1})) {
    at_fail(AT_ERROR_ARGUMENT, name,
            "%s: pivots is of %s and of size %s, and has to have an integer for each row of LD, "
            "which is of size %s",
            name, at_scalarTypeName(type), at_sizeDesc(at_sizes(pivots)).str, at_sizeDesc(own).str);
    return at_undefined();
  }
  if (!at_isOnHost(at_typeOf(pivots)))
    return pivots_there(name, pivots);
  at_tensor *const longs = at_contiguous(at_to(pivots, AT_CPU(AT_LONG)));
  for (int64_t i = 0; at_defined(longs) && n > 0 && i < at_numel(longs); i += n)
    if (!are_pivots((int64_t *)at_data(longs) + i, n)) {
      at_fail(AT_ERROR_ARGUMENT, name, "%s: the pivots of matrix %lld are not those of %lld rows",
              name, (long long)(i / n), (long long)n);
      return at_undefined();
    }
  return at_to(longs, AT_CPU(AT_INT));
}

/* t's matrices, or vectors where there are count sizes of one, for each of the batch. */
static at_tensor *in_batch(at_tensor *t, at_tensor *batch, int count)
{
  int64_t buffer[AT_MOST_DIMS];
  const at_ints own = at_sizes(t);
  if (!at_defined(t))
    return t;
  return at_expand(t, at_withSizes(batch, buffer, count, own.data[own.count - count],
                                   own.data[own.count - 1]));
}

/* t without elements, of which only the batch counts. */
static at_tensor *batch_alone(at_tensor *t)
{
  return at_narrow(at_narrow(t, -1, 0, 0), -2, 0, 0);
}

static void solve_all(at_tensor *ld, at_tensor *pivots, at_tensor *b, bool hermitian)
{
  const int64_t bytes = (int64_t)at_typeOf(ld)->elementSize;
  const int n = (int)at_size(ld, -1), k = (int)at_size(b, -2);
  int info = 0;
  for (int64_t i = 0; i < at_batchOf(ld); i++) {
    int *const pivot = (int *)at_data(pivots) + i * n;
    if (at_is_complex(ld))
      at_complexLapack(at_typeOf(ld))
          ->indefiniteSolve(hermitian, n, k, (char *)at_data(ld) + i * n * n * bytes, pivot,
                            (char *)at_data(b) + i * n * k * bytes);
    else if (at_isDouble(ld))
      THDoubleLapack_sytrs('L', n, k, (double *)at_data(ld) + i * n * n, n, pivot,
                           (double *)at_data(b) + i * n * k, n, &info);
    else
      THFloatLapack_sytrs('L', n, k, (float *)at_data(ld) + i * n * n, n, pivot,
                          (float *)at_data(b) + i * n * k, n, &info);
  }
}

at_tensor *at_ldlSolution(at_tensor *ld, at_tensor *pivots, at_tensor *b, bool hermitian)
{
  static const char name[] = "linalg_ldl_solve";
  if (!at_areMatrices(name, "LD", ld, true) || !at_areMatrices(name, "B", b, false) ||
      !at_defined(pivots))
    return at_undefined();
  if (at_typeOf(ld) != at_typeOf(b) || at_size(b, -2) != at_size(ld, -1)) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: LD is of %s and of size %s, B of %s and of size %s", name,
            at_type_toString(at_typeOf(ld)), at_sizeDesc(at_sizes(ld)).str,
            at_type_toString(at_typeOf(b)), at_sizeDesc(at_sizes(b)).str);
    return at_undefined();
  }
  at_tensor *const checked = checked_pivots(name, pivots, ld);
  const at_tensors *const both = at_broadcast_tensors(AT_TENSORS(batch_alone(ld), batch_alone(b)));
  if (!at_defined(checked) || both->count != 2)
    return at_undefined();
  at_tensor *const batch = both->data[0];
  at_tensor *const factors = at_contiguous(transposed(in_batch(ld, batch, 2)));
  at_tensor *const rows = at_contiguous(in_batch(checked, batch, 1));
  at_tensor *const x = at_clone(at_contiguous(transposed(in_batch(b, batch, 2))));
  if (!at_defined(factors) || !at_defined(rows) || !at_defined(x))
    return at_undefined();
  if (at_numel(x) > 0 && at_isOnHost(at_typeOf(ld)))
    solve_all(factors, rows, x, hermitian);
  else if (at_numel(x) > 0 && !queue_solutions(factors, rows, x, hermitian))
    return at_undefined();
  return at_contiguous(transposed(x));
}

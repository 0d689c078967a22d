/* LU and Cholesky factors of batches of matrices, and what they solve. */
#include <limits.h>
#include <math.h>

#include "ATen/autograd/Formulas.h"
#include "Factors.h"
#include "ATen/complex/lapack.h"
#include "ATen/linear/lapack.h"
#include "TH/THLapack.h"
#include "THC/linear/THCDeviceLapack.h"

static at_tensor *transposed(at_tensor *t)
{
  return at_transpose(t, -2, -1);
}

bool at_areMatrices(const char *name, const char *argument, at_tensor *t, bool isSquare)
{
  if (!at_defined(t))
    return false;
  const int dims = at_dim(t);
  const at_scalar_type type = at_type_scalarType(at_typeOf(t));
  if (type != AT_FLOAT && type != AT_DOUBLE && !at_isComplex(type)) {
    at_fail(AT_ERROR_TYPE, name,
            "%s: %s is of %s, and has to be of Float, Double or a complex type", name, argument,
            at_scalarTypeName(type));
    return false;
  }
  if (dims >= 2 && at_size(t, -1) <= INT_MAX && at_size(t, -2) <= INT_MAX &&
      (!isSquare || at_size(t, -1) == at_size(t, -2)))
    return true;
  at_fail(AT_ERROR_ARGUMENT, name, "%s: %s is of size %s, and has to be %smatrices", name, argument,
          at_sizeDesc(at_sizes(t)).str, isSquare ? "square " : "");
  return false;
}

at_ints at_withSizes(at_tensor *t, int64_t *buffer, int count, int64_t first, int64_t second)
{
  const at_ints own = at_sizes(t);
  const int batch = own.count - 2;
  for (int d = 0; d < batch; d++)
    buffer[d] = own.data[d];
  buffer[batch] = first;
  if (count > 1)
    buffer[batch + 1] = second;
  return (at_ints){buffer, batch + count};
}

int64_t at_batchOf(at_tensor *t)
{
  int64_t count = 1;
  for (int d = 0; d < at_dim(t) - 2; d++)
    count *= at_size(t, d);
  return count;
}

/* A number for each matrix as one for each element. */
static at_tensor *by_matrix(at_tensor *t)
{
  return at_unsqueeze(at_unsqueeze(t, -1), -1);
}

bool at_hasStatus(const char *name, at_tensor *info, bool check, const char *what)
{
  at_tensor *const all = at_reshape(info, AT_INTS(-1));
  if (!at_defined(all) || at_numel(all) == 0 || !at_item_long(at_any(all)))
    return false;
  for (int64_t i = 0; check && i < at_numel(all); i++) {
    const int64_t status = at_item_long(at_select(all, 0, i));
    if (status == 0)
      continue;
    at_fail(AT_ERROR_ARGUMENT, name, "%s: %s %lld of matrix %lld", name, what, (long long)status,
            (long long)i);
    break;
  }
  return true;
}

/* Matrix i of a contiguous tensor of complex numbers. */
static void *matrix_at(at_tensor *t, int64_t i)
{
  const int64_t count = at_size(t, -2) * at_size(t, -1);
  return (char *)at_data(t) + i * count * (int64_t)at_typeOf(t)->elementSize;
}

/* --- LU factors ------------------------------------------------------------------------------- */

static at_LU_pivots_info no_factors(void)
{
  return (at_LU_pivots_info){at_undefined(), at_undefined(), at_undefined()};
}

/* The factors of matrices on the host that are not square: LAPACK sees their transposes. */
static at_LU_pivots_info factors_of_host(at_tensor *a)
{
  int64_t buffer[AT_MOST_DIMS];
  const int64_t m = at_size(a, -2), n = at_size(a, -1), k = THMin(m, n), count = at_batchOf(a);
  at_tensor *const columns = at_clone(at_contiguous(transposed(a)));
  at_tensor *const pivots = at_zeros(at_withSizes(a, buffer, 1, k, 0), .type = AT_CPU(AT_INT));
  at_tensor *const info =
      at_zeros(((at_ints){at_sizes(a).data, at_dim(a) - 2}), .type = AT_CPU(AT_INT));
  if (!at_defined(columns) || !at_defined(pivots) || !at_defined(info))
    return no_factors();
  int *const rows = at_data(pivots), *const status = at_data(info);
  for (int64_t i = 0; i < count && k > 0; i++) {
    if (at_is_complex(a))
      status[i] = at_complexLapack(at_typeOf(columns))
                      ->lu((int)m, (int)n, matrix_at(columns, i), rows + i * k);
    else if (at_isDouble(a))
      THDoubleLapack_getrf((int)m, (int)n, (double *)at_data(columns) + i * m * n, (int)m,
                           rows + i * k, status + i);
    else
      THFloatLapack_getrf((int)m, (int)n, (float *)at_data(columns) + i * m * n, (int)m,
                          rows + i * k, status + i);
  }
  return (at_LU_pivots_info){at_contiguous(transposed(columns)), pivots, info};
}

bool at_queueFactors(const char *name, at_factor_function *factor, at_tensor *columns,
                     at_tensor *pivots, at_tensor *info)
{
  const int64_t m = at_size(columns, -1), n = at_size(columns, -2), k = THMin(m, n);
  at_call call;
  at_begin(&call, name);
  at_onDeviceOf(&call, columns);
  TH_TRY(call.attempt)
  {
    const THCDeviceLapack *const lapack = at_deviceLapack(columns->type);
    for (int64_t i = 0, count = k > 0 ? at_batchOf(columns) : 0; i < count; i++)
      factor(lapack, (int)m, (int)n, matrix_at(columns, i),
             pivots ? (int *)at_data(pivots) + i * k : NULL, (int *)at_data(info) + i);
  }
  return !at_failed(&call);
}

static void lu(const THCDeviceLapack *lapack, int m, int n, void *a, int *pivots, int *status)
{
  lapack->lu(m, n, a, pivots, status);
}

static at_LU_pivots_info factors_there(at_tensor *a)
{
  int64_t buffer[AT_MOST_DIMS];
  const at_type *const ints = at_toScalarType(at_typeOf(a), AT_INT);
  const int64_t k = THMin(at_size(a, -2), at_size(a, -1));
  at_tensor *const columns = at_clone(at_contiguous(transposed(a)));
  at_tensor *const pivots = at_zeros(at_withSizes(a, buffer, 1, k, 0), .type = ints);
  at_tensor *const info = at_zeros(((at_ints){at_sizes(a).data, at_dim(a) - 2}), .type = ints);
  if (!at_defined(columns) || !at_defined(pivots) || !at_defined(info) ||
      !at_queueFactors("linalg_lu_factor", lu, columns, pivots, info))
    return no_factors();
  return (at_LU_pivots_info){at_contiguous(transposed(columns)), pivots, info};
}

static at_LU_pivots_info factors_of(at_tensor *a)
{
  int64_t buffer[AT_MOST_DIMS];
  const int64_t m = at_size(a, -2), n = at_size(a, -1);
  const bool isBatch = at_isOnHost(a->type) || at_isSmallBatch(at_batchOf(a), n);
  if (m != n || at_numel(a) == 0 || at_is_complex(a) || !isBatch)
    return at_isOnHost(a->type) ? factors_of_host(a) : factors_there(a);
  const at_lu_pivots_info made = at_btrifact_with_info(at_reshape(a, AT_INTS(at_batchOf(a), n, n)));
  return (at_LU_pivots_info){at_reshape(at_contiguous(made.lu), at_sizes(a)),
                             at_reshape(made.pivots, at_withSizes(a, buffer, 1, n, 0)),
                             at_reshape(made.info, ((at_ints){at_sizes(a).data, at_dim(a) - 2}))};
}

at_LU_pivots_info at_luOf(const char *name, at_tensor *a, bool pivot, bool check)
{
  if (!at_areMatrices(name, "A", a, false))
    return no_factors();
  if (!pivot) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: pivot is false: there are no factors without pivots",
            name);
    return no_factors();
  }
  const at_LU_pivots_info made = factors_of(a);
  const bool isBad =
      check && at_hasStatus(name, made.info, true, "there is a 0 on the diagonal of U, in row");
  return isBad ? no_factors() : made;
}

at_LU_pivots at_luFactorOf(at_tensor *a, bool pivot)
{
  const at_LU_pivots_info made = at_linalg_lu_factor_ex(a, .pivot = pivot, .check_errors = true);
  return (at_LU_pivots){made.LU, made.pivots};
}

/* The order of rows of pivots on a device, of matrices with so many rows. */
static at_tensor *order_on_device(const char *name, at_tensor *pivots, int64_t rows)
{
  at_call call;
  at_begin(&call, name);
  at_tensor *volatile made = NULL;
  TH_TRY(call.attempt)
  {
    made = at_pivotOrder(name, pivots, rows);
  }
  if (at_failed(&call))
    return at_undefined();
  at_own(&made->owned);
  return made;
}

/* The row of the matrix that became row i of its factors, for each i. */
static at_tensor *order_of(const char *name, at_tensor *pivots, int64_t rows)
{
  const bool isInt = at_defined(pivots) && at_type_scalarType(at_typeOf(pivots)) == AT_INT;
  if (!isInt || at_dim(pivots) < 1 || at_size(pivots, -1) > rows) {
    at_fail(isInt ? AT_ERROR_ARGUMENT : AT_ERROR_TYPE, name,
            "%s: the pivots have to be of Int, and at most %lld for each matrix", name,
            (long long)rows);
    return at_undefined();
  }
  if (!at_isOnHost(pivots->type))
    return order_on_device(name, pivots, rows);
  int64_t buffer[AT_MOST_DIMS];
  const int64_t k = at_size(pivots, -1);
  at_tensor *const given = at_contiguous(at_to(pivots, AT_CPU(AT_INT)));
  at_tensor *const matrix = at_unsqueeze(given, -1);
  at_tensor *const order =
      at_empty(at_withSizes(matrix, buffer, 1, rows, 0), .type = AT_CPU(AT_LONG));
  if (!at_defined(given) || !at_defined(order))
    return at_undefined();
  const int *p = at_data(given);
  int64_t *row = at_data(order);
  for (int64_t i = at_batchOf(matrix); i > 0; i--, p += k, row += rows) {
    for (int64_t j = 0; j < rows; j++)
      row[j] = j;
    for (int64_t j = 0; j < k; j++) {
      if (p[j] < 1 || p[j] > rows) {
        at_fail(AT_ERROR_ARGUMENT, name, "%s: there is a pivot %d, of %lld rows", name, p[j],
                (long long)rows);
        return at_undefined();
      }
      const int64_t other = row[p[j] - 1];
      row[p[j] - 1] = row[j];
      row[j] = other;
    }
  }
  return at_to(order, at_toScalarType(at_typeOf(pivots), AT_LONG));
}

/* The rows of t in that order; batches broadcast. */
static at_tensor *rows_in(at_tensor *t, at_tensor *order)
{
  const at_tensors *const both = at_broadcast_tensors(AT_TENSORS(t, at_unsqueeze(order, -1)));
  return both->count == 2 ? at_gather(both->data[0], -2, both->data[1]) : at_undefined();
}

at_P_L_U at_luUnpacked(at_tensor *lu, at_tensor *pivots, bool data, bool order)
{
  static const char name[] = "lu_unpack";
  const at_P_L_U none = {at_undefined(), at_undefined(), at_undefined()};
  int64_t buffer[AT_MOST_DIMS];
  if (!at_areMatrices(name, "LU_data", lu, false))
    return none;
  const int64_t m = at_size(lu, -2), n = at_size(lu, -1), k = THMin(m, n);
  at_P_L_U r = {at_empty(AT_INTS(0), .type = at_typeOf(lu)),
                at_empty(AT_INTS(0), .type = at_typeOf(lu)),
                at_empty(AT_INTS(0), .type = at_typeOf(lu))};
  if (data) {
    r.L = at_add(at_tril(at_narrow(lu, -1, 0, k), .diagonal = -1),
                 at_eye(m, .m = k, .type = at_typeOf(lu)));
    r.U = at_triu(at_narrow(lu, -2, 0, k));
  }
  if (order) {
    at_tensor *const rows = order_of(name, pivots, m);
    at_tensor *const zeros = at_zeros(at_withSizes(lu, buffer, 2, m, m), .type = at_typeOf(lu));
    r.P =
        at_defined(rows) ? at_scatter_value(zeros, -2, at_unsqueeze(rows, -2), 1) : at_undefined();
  }
  return at_defined(r.P) && at_defined(r.L) && at_defined(r.U) ? r : none;
}

at_P_L_U at_luMatrices(at_tensor *a, bool pivot)
{
  const at_LU_pivots_info made = at_linalg_lu_factor_ex(a, .pivot = pivot);
  if (!at_defined(made.LU))
    return (at_P_L_U){at_undefined(), at_undefined(), at_undefined()};
  return at_luUnpacked(made.LU, made.pivots, true, true);
}

at_tensor *at_luSolution(const char *name, at_tensor *lu, at_tensor *pivots, at_tensor *b,
                         bool left, bool adjoint)
{
  if (!at_areMatrices(name, "LU", lu, true) || !at_areMatrices(name, "B", b, false))
    return at_undefined();
  if (!left)
    return at_mH(at_luSolution(name, lu, pivots, at_mH(b), true, !adjoint));
  at_tensor *const order = order_of(name, pivots, at_size(lu, -1));
  if (!at_defined(order) || at_size(b, -2) != at_size(lu, -1)) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: LU is of size %s and B of %s", name,
            at_sizeDesc(at_sizes(lu)).str, at_sizeDesc(at_sizes(b)).str);
    return at_undefined();
  }
  if (adjoint) {
    at_tensor *const half = at_linalg_solve_triangular(at_mH(lu), b, false);
    at_tensor *const all = at_linalg_solve_triangular(at_mH(lu), half, true, .unitriangular = true);
    return rows_in(all, at_argsort(order));
  }
  at_tensor *const half =
      at_linalg_solve_triangular(lu, rows_in(b, order), false, .unitriangular = true);
  return at_linalg_solve_triangular(lu, half, true);
}

at_tensor *at_luSolveOf(at_tensor *self, at_tensor *lu, at_tensor *pivots)
{
  static const char name[] = "btrisolve";
  if (!at_defined(self) || !at_defined(lu) || !at_defined(pivots))
    return at_undefined();
  const bool isVector = at_dim(self) == 2;
  at_tensor *const b = isVector ? at_unsqueeze(self, -1) : self;
  if (at_dim(b) != 3 || at_dim(lu) != 3 || at_dim(pivots) != 2 || at_size(lu, 0) != at_size(b, 0) ||
      at_size(pivots, 0) != at_size(b, 0) || at_size(pivots, 1) != at_size(b, 1)) {
    at_fail(AT_ERROR_ARGUMENT, name,
            "%s: self has size %s, LU_data %s and LU_pivots %s: batch x n x k, batch x n x n and "
            "batch x n are expected",
            name, at_sizeDesc(at_sizes(self)).str, at_sizeDesc(at_sizes(lu)).str,
            at_sizeDesc(at_sizes(pivots)).str);
    return at_undefined();
  }
  at_tensor *const x = at_luSolution(name, lu, pivots, b, true, false);
  return isVector ? at_squeeze_dim(x, -1) : x;
}

/* The gradient of A = P L U; g is the gradient of L below the diagonal and of U. */
at_tensor *at_luGrad(at_tensor *g, at_tensor *lu, at_tensor *pivots)
{
  if (!at_defined(lu))
    return at_undefined();
  const int64_t m = at_size(lu, -2), n = at_size(lu, -1), k = THMin(m, n);
  at_tensor *const order = order_of("linalg_lu_factor_ex", pivots, m);
  if (at_numel(lu) == 0 || !at_defined(order))
    return at_zeros_like(lu);
  at_tensor *const top = at_narrow(lu, -2, 0, k), *const gTop = at_narrow(g, -2, 0, k);
  at_tensor *const square = at_narrow(top, -1, 0, k), *const gSquare = at_narrow(gTop, -1, 0, k);
  at_tensor *const l = at_add(at_tril(square, .diagonal = -1), at_eye(k, .type = at_typeOf(lu)));
  at_tensor *const u = at_triu(square);
  at_tensor *const zeros = at_eq(at_diagonal(square, .dim1 = -2, .dim2 = -1), 0);
  if (at_item_long(at_any(zeros))) {
    at_fail(AT_ERROR_ARGUMENT, "linalg_lu_factor_ex",
            "linalg_lu_factor_ex: factors of singular matrices have no gradient");
    return at_undefined();
  }
  at_tensor *lower = at_matmul(transposed(l), at_tril(gSquare, .diagonal = -1));
  at_tensor *upper = at_matmul(at_triu(gSquare), transposed(u));
  if (n > k) { /* columns that are L U2: they change L too */
    at_tensor *const u2 = at_narrow(top, -1, k, n - k), *const g2 = at_narrow(gTop, -1, k, n - k);
    lower = at_sub(lower, at_matmul(g2, transposed(u2)));
  }
  if (m > k) { /* rows that are L2 U: they change U too */
    at_tensor *const l2 = at_narrow(lu, -2, k, m - k), *const g2 = at_narrow(g, -2, k, m - k);
    upper = at_sub(upper, at_matmul(transposed(l2), g2));
  }
  at_tensor *const inner = at_add(at_tril(lower, .diagonal = -1), at_triu(upper));
  /* L^-T inner U^-T, and beside and below it what U2 and L2 had. */
  at_tensor *const right = transposed(at_linalg_solve_triangular(u, transposed(inner), true));
  at_tensor *made = at_linalg_solve_triangular(transposed(l), right, true, .unitriangular = true);
  if (n > k)
    made = at_cat(AT_TENSORS(made, at_linalg_solve_triangular(transposed(l),
                                                              at_narrow(gTop, -1, k, n - k), true,
                                                              .unitriangular = true)),
                  .dim = -1);
  if (m > k)
    made =
        at_cat(AT_TENSORS(made, transposed(at_linalg_solve_triangular(u,
                                                                      transposed(at_narrow(g, -2, k,
                                                                                           m - k)),
                                                                      true))),
               .dim = -2);
  return rows_in(made, at_argsort(order));
}

/* --- with a status instead of an error ---------------------------------------------------------- */

/* made where no status is, NaN elsewhere. */
static at_tensor *where_good(at_tensor *made, at_tensor *info)
{
  return at_masked_fill(made, by_matrix(at_ne(info, 0)), (double)NAN);
}

/* LU factors, which are the identity's where there is a status. */
static at_LU_pivots_info usable(const char *name, at_tensor *a, bool check)
{
  if (!at_areMatrices(name, "A", a, true))
    return no_factors();
  at_LU_pivots_info made = at_luOf(name, a, true, check);
  if (!at_defined(made.LU))
    return made;
  at_tensor *const eye = at_eye(at_size(a, -1), .type = at_typeOf(a));
  made.LU = at_where(by_matrix(at_ne(made.info, 0)), eye, made.LU);
  return made;
}

at_inverse_info at_inverseOrInfo(at_tensor *a, bool check)
{
  static const char name[] = "linalg_inv_ex";
  const at_LU_pivots_info made = usable(name, a, check);
  if (!at_defined(made.LU))
    return (at_inverse_info){at_undefined(), at_undefined()};
  at_tensor *const eye = at_expand(at_eye(at_size(a, -1), .type = at_typeOf(a)), at_sizes(a));
  at_tensor *const x = at_luSolution(name, made.LU, made.pivots, eye, true, false);
  return (at_inverse_info){where_good(x, made.info), made.info};
}

at_result_info at_solutionOrInfo(at_tensor *a, at_tensor *b, bool left, bool check)
{
  static const char name[] = "linalg_solve_ex";
  const at_LU_pivots_info made = usable(name, a, check);
  if (!at_defined(made.LU) || !at_defined(b))
    return (at_result_info){at_undefined(), at_undefined()};
  const at_ints own = at_sizes(a), others = at_sizes(b);
  const bool isVector =
      others.count == 1 || at_sameSizes(others, (at_ints){own.data, own.count - 1});
  if (isVector && !left) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: B has size %s, of vectors, and left is false", name,
            at_sizeDesc(others).str);
    return (at_result_info){at_undefined(), at_undefined()};
  }
  at_tensor *const wide = isVector ? at_unsqueeze(b, -1) : b;
  at_tensor *const x =
      where_good(at_luSolution(name, made.LU, made.pivots, wide, left, false), made.info);
  return (at_result_info){isVector ? at_squeeze_dim(x, -1) : x, made.info};
}

/* The Cholesky factors in the upper triangles, by columns, of matrices on the host. */
static void factor_all(at_tensor *a, int *info)
{
  const int64_t n = at_size(a, -1), count = at_batchOf(a);
  for (int64_t i = 0; i < count && n > 0; i++) {
    if (at_is_complex(a))
      info[i] = at_complexLapack(at_typeOf(a))->cholesky('U', (int)n, matrix_at(a, i));
    else if (at_isDouble(a))
      THDoubleLapack_potrf('U', (int)n, (double *)at_data(a) + i * n * n, (int)n, info + i);
    else
      THFloatLapack_potrf('U', (int)n, (float *)at_data(a) + i * n * n, (int)n, info + i);
  }
}

static void cholesky(const THCDeviceLapack *lapack, int m, int n, void *a, int *pivots, int *status)
{
  lapack->cholesky(true, n, a, status);
}

at_L_info at_choleskyOrInfo(at_tensor *self, bool upper, bool check)
{
  static const char name[] = "linalg_cholesky_ex";
  const at_L_info none = {at_undefined(), at_undefined()};
  if (!at_areMatrices(name, "self", self, true))
    return none;
  const at_type *const type = at_typeOf(self);
  /* The lower triangle by rows is the upper one by columns. */
  at_tensor *const from = upper ? at_mH(self) : self;
  at_tensor *const a = at_clone(at_contiguous(from));
  at_tensor *const status = at_zeros(((at_ints){at_sizes(self).data, at_dim(self) - 2}),
                                     .type = at_toScalarType(type, AT_INT));
  if (!at_defined(a) || !at_defined(status))
    return none;
  if (at_isOnHost(type))
    factor_all(a, at_data(status));
  else if (!at_queueFactors(name, cholesky, a, NULL, status))
    return none;
  if (check &&
      at_hasStatus(name, status, check, "not positive definite is the leading minor of order"))
    return none;
  at_tensor *const l = where_good(at_tril(a), status);
  return (at_L_info){upper ? at_contiguous(at_mH(l)) : l, status};
}

/* --- reflectors and triangles ------------------------------------------------------------------- */

at_tensor *at_householderOf(at_tensor *input, at_tensor *tau)
{
  static const char name[] = "linalg_householder_product";
  if (!at_areMatrices(name, "input", input, false) || !at_defined(tau))
    return at_undefined();
  const int64_t m = at_size(input, -2), n = at_size(input, -1), count = at_batchOf(input);
  const int64_t k = at_dim(tau) > 0 ? at_size(tau, -1) : 0;
  if (m < n || at_dim(tau) != at_dim(input) - 1 || k > n || at_numel(tau) != count * k) {
    at_fail(AT_ERROR_ARGUMENT, name,
            "%s: input is of size %s, and has to have no more columns than rows, and tau of %s, "
            "at most a number for each column",
            name, at_sizeDesc(at_sizes(input)).str, at_sizeDesc(at_sizes(tau)).str);
    return at_undefined();
  }
  if (at_numel(input) == 0)
    return at_zeros_like(input);
  at_tensor *const all = at_reshape(input, AT_INTS(count, m, n));
  at_tensor *const factors = at_reshape(at_pad(tau, AT_INTS(0, n - k)), AT_INTS(count, n));
  const at_tensors *const made = at_listOf((int)THMin(count, INT_MAX));
  for (int i = 0; i < made->count; i++) {
    at_tensor *const q = at_orgqr(at_select(all, 0, i), at_select(factors, 0, i));
    ((at_tensor **)made->data)[i] = at_retain(q);
  }
  return at_reshape(at_stack(*made), at_sizes(input));
}

at_tensor *at_reflectedBatch(at_tensor *input, at_tensor *tau, at_tensor *other, bool left,
                             bool transpose)
{
  const at_ints own = at_sizes(input), sizes = at_sizes(other);
  bool fits = sizes.count == own.count && at_dim(tau) == own.count - 1;
  for (int d = 0; d < own.count - 2 && fits; d++)
    fits = sizes.data[d] == own.data[d] && at_size(tau, d) == own.data[d];
  if (!fits) {
    at_fail(AT_ERROR_ARGUMENT, "ormqr",
            "ormqr: self is of size %s, input2 of %s and input3 of %s: they are no batches of the "
            "same size",
            at_sizeDesc(own).str, at_sizeDesc(at_sizes(tau)).str, at_sizeDesc(sizes).str);
    return at_undefined();
  }
  const int64_t count = at_batchOf(input);
  if (at_numel(other) == 0 || count == 0)
    return at_zeros_like(other);
  at_tensor *const all = at_flatten(input, .start_dim = 0, .end_dim = own.count - 3),
                   *const factors = at_flatten(tau, .start_dim = 0, .end_dim = own.count - 3),
                   *const others = at_flatten(other, .start_dim = 0, .end_dim = own.count - 3);
  const at_tensors *const made = at_listOf((int)THMin(count, INT_MAX));
  for (int i = 0; i < made->count; i++) {
    at_tensor *const one = at_ormqr(at_select(all, 0, i), at_select(factors, 0, i),
                                    at_select(others, 0, i), .left = left, .transpose = transpose);
    ((at_tensor **)made->data)[i] = at_retain(one);
  }
  return at_reshape(at_stack(*made), sizes);
}

at_solution_cloned_coefficient at_triangularOf(at_tensor *b, at_tensor *a, bool upper,
                                               bool transpose, bool unitriangular)
{
  static const char name[] = "triangular_solve";
  if (!at_areMatrices(name, "A", a, true) || !at_areMatrices(name, "self", b, false))
    return (at_solution_cloned_coefficient){at_undefined(), at_undefined()};
  at_tensor *const x =
      at_linalg_solve_triangular(transpose ? transposed(a) : a, b, upper != transpose,
                                 .unitriangular = unitriangular);
  return (at_solution_cloned_coefficient){x, at_clone(a)};
}

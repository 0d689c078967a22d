/* Linear systems and factorizations: checks types and dimensions, and calls TH, which calls
 * LAPACK. */
#include "lapack.h"
#include "linalg.h"

#include "ATen/complex/complex.h"
#include "ATen/complex/lapack.h"
#include "ATen/composed/Composed.h"
#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"
#include "TH/linear/THLapackComplex.h"
#include "THC/linear/THCDeviceLapack.h"

const THCDeviceLapack *at_deviceLapack(const at_type *type)
{
  return at_cuda()->lapack(type->scalarType);
}

/* A call: its type, and its results, which TH resizes. */
typedef struct {
  at_pool pool;
  const at_type *type;
  int count;
  at_tensor *made[AT_RESULTS];
} Call;

/* The TH tensor of t; raises unless t has the type of the call and from least to most
 * dimensions. */
static void *operand(const Call *call, const at_tensor *t, const char *name, int least, int most)
{
  const int dims = at_sizesOf(t).count;
  at_checkType(t, name, call->type);
  if (dims < least || dims > most)
    at_raise(AT_ERROR_ARGUMENT, "%s is of size %s, and has to have %d%s dimensions", name,
             at_sizeDesc(at_sizesOf(t)).str, least, least < most ? " or one more" : "");
  return t->th;
}

static void *matrix(const Call *call, const at_tensor *t, const char *name)
{
  return operand(call, t, name, 2, 2);
}

static void check_square(const at_tensor *a, const char *name)
{
  const at_ints sizes = at_sizesOf(a);
  if (sizes.count < 2 || sizes.data[sizes.count - 1] != sizes.data[sizes.count - 2])
    at_raise(AT_ERROR_ARGUMENT, "%s is of size %s, and has to be square matrices", name,
             at_sizeDesc(sizes).str);
}

/* A new result, which TH resizes. */
static void *result(Call *call, const at_type *type)
{
  static const int64_t nothing[] = {0};
  at_tensor *t = at_hold(&call->pool, at_newShape(type, (at_ints){nothing, 1}));
  return (call->made[call->count++] = t)->th;
}

static void *real(Call *call)
{
  return result(call, call->type);
}

static void *integers(Call *call)
{
  return result(call, at_toScalarType(call->type, AT_INT));
}

/* Begins a call whose type is that of t. */
static void begin_any(Call *call, const at_tensor *t)
{
  call->type = t->type;
  call->count = 0;
  at_pool_enter(&call->pool);
}

/* Begins a call whose type, Float or Double, is that of t. */
static void begin(Call *call, const at_tensor *t, const char *name)
{
  const at_scalar_type type = t->type->scalarType;
  if (type != AT_FLOAT && type != AT_DOUBLE)
    at_raise(AT_ERROR_TYPE, "%s is of %s, and has to be of Float or Double", name,
             at_scalarTypeName(type));
  begin_any(call, t);
}

static void end(Call *call, at_tensor **out)
{
  for (int i = 0; out[0] && i < call->count; i++)
    at_checkType(out[i], "a result", call->made[i]->type);
  at_finish(&call->pool, call->count, out, call->made);
}

static at_tensor *end_one(Call *call, at_tensor *out)
{
  end(call, &out);
  return out;
}

static const char *triangle(bool upper)
{
  return upper ? "U" : "L";
}

/* --- systems of equations -------------------------------------------------------------------- */

void at_solve(at_tensor **out, at_tensor *b, at_tensor *a)
{
  Call call;
  begin(&call, b, "self");
  void *const tb = operand(&call, b, "self", 1, 2), *const ta = matrix(&call, a, "A");
  void *const x = real(&call), *const lu = real(&call);
  AT_OF(call.type, gesv)(x, lu, tb, ta);
  end(&call, out);
}

void at_leastSquares(at_tensor **out, at_tensor *b, at_tensor *a)
{
  Call call;
  begin(&call, b, "self");
  void *const tb = operand(&call, b, "self", 1, 2), *const ta = matrix(&call, a, "A");
  void *const x = real(&call), *const factors = real(&call);
  AT_OF(call.type, gels)(x, factors, tb, ta);
  end(&call, out);
}

void at_solveTriangular(at_tensor **out, at_tensor *b, at_tensor *a, bool upper, bool transpose,
                        bool ones)
{
  Call call;
  begin(&call, b, "self");
  void *const tb = operand(&call, b, "self", 1, 2), *const ta = matrix(&call, a, "A");
  void *const x = real(&call), *const copy = real(&call);
  AT_OF(call.type, trtrs)(x, copy, tb, ta, triangle(upper), transpose ? "T" : "N",
                          ones ? "U" : "N");
  end(&call, out);
}

void at_solveColumns(const at_type *type, const at_triangle_of *t, int n, int columns, void *a,
                     void *b)
{
  const char side = 'L', uplo = t->upper ? 'U' : 'L', trans = t->transposes ? 'T' : 'N';
  const char diag = t->unit ? 'U' : 'N';
  const bool isComplex = at_isComplex(type->scalarType);
  const bool isDouble = type->scalarType == AT_DOUBLE || type->scalarType == AT_COMPLEX_DOUBLE;
  float one[] = {1, 0};
  double wideOne[] = {1, 0};
  if (n == 0 || columns == 0)
    return;
  if (!at_isOnHost(type))
    at_deviceLapack(type)->triangular(t->upper, t->transposes, t->unit, n, columns, a, b);
  else if (isComplex && isDouble)
    THDoubleLapack_complex_trsm(side, uplo, trans, diag, n, columns, wideOne, a, n, b, n);
  else if (isComplex)
    THFloatLapack_complex_trsm(side, uplo, trans, diag, n, columns, one, a, n, b, n);
  else if (isDouble)
    THDoubleLapack_trsm(side, uplo, trans, diag, n, columns, 1, a, n, b, n);
  else
    THFloatLapack_trsm(side, uplo, trans, diag, n, columns, 1, a, n, b, n);
}

/* --- eigenvalues, singular values ------------------------------------------------------------ */

void at_symmetricEigen(at_tensor **out, at_tensor *a, bool vectors, bool upper)
{
  if (at_isComplex(a->type->scalarType)) {
    at_complexHermitianEigen(out, a, upper);
    return;
  }
  Call call;
  begin(&call, a, "self");
  void *const ta = matrix(&call, a, "self"), *const values = real(&call), *const v = real(&call);
  AT_OF(call.type, syev)(values, v, ta, vectors ? "V" : "N", triangle(upper));
  end(&call, out);
}

void at_eigen(at_tensor **out, at_tensor *a, bool vectors)
{
  Call call;
  begin(&call, a, "self");
  void *const ta = matrix(&call, a, "self"), *const values = real(&call), *const v = real(&call);
  AT_OF(call.type, geev)(values, v, ta, vectors ? "V" : "N");
  end(&call, out);
}

void at_singularValues(at_tensor **out, at_tensor *a, bool some)
{
  if (at_isComplex(a->type->scalarType)) {
    at_complexSingularValues(out, a, some);
    return;
  }
  Call call;
  begin(&call, a, "self");
  void *const ta = matrix(&call, a, "self");
  void *const u = real(&call), *const s = real(&call), *const v = real(&call);
  AT_OF(call.type, gesvd)(u, s, v, ta, some ? "S" : "A");
  end(&call, out);
}

/* --- positive definite matrices -------------------------------------------------------------- */

at_tensor *at_choleskyFactor(at_tensor *out, at_tensor *a, bool upper)
{
  if (at_isComplex(a->type->scalarType))
    return at_complexCholesky(out, a, upper);
  Call call;
  begin(&call, a, "self");
  void *const ta = matrix(&call, a, "self"), *const r = real(&call);
  AT_OF(call.type, potrf)(r, ta, triangle(upper));
  return end_one(&call, out);
}

at_tensor *at_choleskyInverse(at_tensor *out, at_tensor *factor, bool upper)
{
  Call call;
  begin(&call, factor, "self");
  void *const ta = matrix(&call, factor, "self"), *const r = real(&call);
  AT_OF(call.type, potri)(r, ta, triangle(upper));
  return end_one(&call, out);
}

at_tensor *at_choleskySolve(at_tensor *out, at_tensor *b, at_tensor *factor, bool upper)
{
  Call call;
  begin(&call, b, "self");
  void *const tb = operand(&call, b, "self", 1, 2), *const ta = matrix(&call, factor, "input2");
  void *const x = real(&call);
  AT_OF(call.type, potrs)(x, tb, ta, triangle(upper));
  return end_one(&call, out);
}

/* The results of a call of pstrf on a device: the factor, and the order of rows. */
static void pivoted_on_device(Call *call, at_tensor *a, bool upper, double tolerance)
{
  check_square(a, "self");
  const int64_t n = a->th->size[0], one = 1, most = THMax(n, 1);
  const at_type *const ints = at_toScalarType(call->type, AT_INT);
  call->made[0] = at_hold(&call->pool, at_newCast(a, call->type));
  call->made[1] = at_hold(&call->pool, at_newShape(ints, (at_ints){&n, 1}));
  at_tensor *const sums = at_hold(&call->pool, at_newShape(call->type, (at_ints){&most, 1}));
  at_tensor *const rank = at_hold(&call->pool, at_newShape(ints, (at_ints){&one, 1}));
  const at_cholesky_work work = {.n = n,
                                 .row = upper ? 1 : n,
                                 .column = upper ? n : 1,
                                 .tolerance = tolerance,
                                 .a = at_data(call->made[0]),
                                 .sums = at_data(sums),
                                 .pivots = at_data(call->made[1]),
                                 .rank = at_data(rank)};
  if (n == 0)
    return;
  at_cuda()->launch(AT_KERNEL_choleskyPivoted, call->type->held, &work);
  const int64_t columns = at_scalar_toLong(at_elementAt(rank, 0));
  if (columns < n)
    at_raise(AT_ERROR_ARGUMENT,
             "the matrix is not positive semidefinite or has not full rank: %lld columns of %lld "
             "are computed",
             (long long)columns, (long long)n);
}

void at_pivotedCholesky(at_tensor **out, at_tensor *a, bool upper, at_scalar tolerance)
{
  Call call;
  begin(&call, a, "self");
  void *const ta = matrix(&call, a, "self"), *const r = real(&call), *const order = integers(&call);
  if (at_isOnHost(call.type))
    AT_OF(call.type, pstrf)(r, order, ta, triangle(upper), tolerance);
  else
    pivoted_on_device(&call, a, upper, at_scalar_toDouble(tolerance));
  end(&call, out);
}

at_tensor *at_pivotOrder(const char *name, at_tensor *pivots, int64_t rows)
{
  const at_ints own = at_sizesOf(pivots);
  int64_t sizes[AT_MOST_DIMS];
  at_pool pool;
  at_pool_enter(&pool);
  for (int d = 0; d < own.count; d++)
    sizes[d] = d == own.count - 1 ? rows : own.data[d];
  at_tensor *const given = at_hold(&pool, at_makeContiguous(pivots));
  at_tensor *const order = at_hold(&pool, at_newShape(at_toScalarType(pivots->type, AT_LONG),
                                                      (at_ints){sizes, own.count}));
  at_pivots_work work = {.rows = rows,
                         .pivotCount = own.data[own.count - 1],
                         .pivots = at_data(given),
                         .order = at_data(order)};
  if (at_numel(order) > 0) {
    THCFault fault;
    work.count = at_numel(order) / rows;
    work.report.fault.function = name;
    if (at_cuda()->check(AT_KERNEL_pivotOrder, THScalarFloat, &work, &work.report, &fault))
      at_raise(AT_ERROR_ARGUMENT, "there is a pivot %lld, of %lld rows", (long long)fault.value,
               (long long)rows);
    if (!work.report.word)
      at_cuda()->launch(AT_KERNEL_pivotOrder, THScalarFloat, &work);
  }
  return at_finishOne(&pool, NULL, order);
}

/* --- orthogonal matrices --------------------------------------------------------------------- */

void at_orthogonal(at_tensor **out, at_tensor *a)
{
  if (at_isComplex(a->type->scalarType)) {
    at_complexOrthogonal(out, a);
    return;
  }
  Call call;
  begin(&call, a, "self");
  void *const ta = matrix(&call, a, "self"), *const q = real(&call), *const r = real(&call);
  AT_OF(call.type, qr)(q, r, ta);
  end(&call, out);
}

void at_reflectors(at_tensor **out, at_tensor *a)
{
  if (at_sizesOf(a).count > 2) {
    at_reflectorsOfAll(out, a);
    return;
  }
  if (at_isComplex(a->type->scalarType)) {
    at_complexReflectors(out, a);
    return;
  }
  Call call;
  begin(&call, a, "self");
  void *const ta = matrix(&call, a, "self"), *const r = real(&call), *const tau = real(&call);
  AT_OF(call.type, geqrf)(r, tau, ta);
  end(&call, out);
}

/* The result of a composition, as an operation's. */
static at_tensor *finish(at_tensor *out, at_tensor *made)
{
  if (!out || !at_defined(made))
    return made;
  at_pool pool;
  at_pool_enter(&pool);
  return at_finishOne(&pool, out, at_hold(&pool, made));
}

at_tensor *at_orthogonalOf(at_tensor *out, at_tensor *a, at_tensor *tau)
{
  if (at_sizesOf(a).count > 2)
    return finish(out, at_composed(at_householderOf(a, tau)));
  if (at_isComplex(a->type->scalarType))
    return at_complexOrthogonalOf(out, a, tau);
  Call call;
  begin(&call, a, "self");
  void *const ta = matrix(&call, a, "self"), *const tt = operand(&call, tau, "input2", 1, 1);
  void *const q = real(&call);
  AT_OF(call.type, orgqr)(q, ta, tt);
  return end_one(&call, out);
}

at_tensor *at_orthogonalTimes(at_tensor *out, at_tensor *a, at_tensor *tau, at_tensor *c, bool left,
                              bool transpose)
{
  if (at_sizesOf(a).count > 2)
    return finish(out, at_composed(at_reflectedBatch(a, tau, c, left, transpose)));
  if (at_isComplex(a->type->scalarType))
    return at_complexOrthogonalTimes(out, a, tau, c, left, transpose);
  Call call;
  begin(&call, a, "self");
  void *const ta = matrix(&call, a, "self"), *const tt = operand(&call, tau, "input2", 1, 1);
  void *const tc = matrix(&call, c, "input3"), *const r = real(&call);
  AT_OF(call.type, ormqr)(r, ta, tt, tc, left ? "L" : "R", transpose ? "T" : "N");
  return end_one(&call, out);
}

/* --- batches --------------------------------------------------------------------------------- */

void at_factorBatch(at_tensor **out, at_tensor *a, bool pivot, int results)
{
  Call call;
  begin(&call, a, "self");
  void *const ta = operand(&call, a, "self", 3, 3), *const lu = real(&call);
  void *const pivots = integers(&call), *const info = results > 2 ? integers(&call) : NULL;
  AT_OF(call.type, btrifact)(lu, pivots, info, pivot, ta);
  end(&call, out);
}

at_tensor *at_solveBatch(at_tensor *out, at_tensor *b, at_tensor *factors, at_tensor *pivots)
{
  Call call;
  begin(&call, b, "self");
  void *const tb = operand(&call, b, "self", 2, 3);
  void *const lu = operand(&call, factors, "LU_data", 3, 3);
  at_checkType(pivots, "LU_pivots", at_toScalarType(b->type, AT_INT));
  if (at_sizesOf(pivots).count != 2)
    at_raise(AT_ERROR_ARGUMENT, "LU_pivots is of size %s, and has to have 2 dimensions",
             at_sizeDesc(at_sizesOf(pivots)).str);
  void *const x = real(&call);
  AT_OF(call.type, btrisolve)(x, tb, lu, (THIntTensor *)pivots->th);
  return end_one(&call, out);
}

/* --- square matrices in the last two dimensions ---------------------------------------------- */

/* The matrices of a as a batch of three dimensions. */
static at_tensor *as_batch(Call *call, at_tensor *a)
{
  const at_ints sizes = at_sizesOf(a);
  int64_t count = 1;
  for (int d = 0; d < sizes.count - 2; d++)
    count *= sizes.data[d];
  const int64_t n = sizes.data[sizes.count - 1], three[] = {count, n, n};
  return at_hold(&call->pool, at_reshaped(a, (at_ints){three, 3}));
}

/* The determinant: the product of the diagonal of U, with a change of sign for each row
 * exchange. */
static double determinant(const at_tensor *lu, const at_tensor *pivots, int64_t matrix)
{
  const int64_t n = lu->th->size[1];
  const int *moves = (const int *)at_hostData(pivots) + matrix * n;
  double product = 1;
  for (int64_t i = 0; i < n; i++) {
    const ptrdiff_t offset = lu->th->storageOffset + matrix * lu->th->stride[0] +
                             i * (lu->th->stride[1] + lu->th->stride[2]);
    product *= at_scalar_toDouble(at_elementAt(lu, offset));
    product = moves[i] == i + 1 ? product : -product;
  }
  return product;
}

/* The factors of a's matrices, which follow the results of the call. */
static const at_tensor *factor_all(Call *call, at_tensor *a)
{
  at_tensor *const matrices = as_batch(call, a);
  void *const lu = real(call), *const pivots = integers(call), *const info = integers(call);
  AT_OF(call->type, btrifact)(lu, pivots, info, true, matrices->th);
  return matrices;
}

/* A result of a type for each matrix, with a number to begin with. */
static at_tensor *for_each_matrix(Call *call, const at_type *type, at_tensor *a, int64_t value)
{
  const at_ints sizes = at_sizesOf(a), batch = {sizes.data, sizes.count - 2};
  return at_hold(&call->pool, at_makeFilled(type, batch, at_scalar_long(value)));
}

/* The type of logarithms of absolute values. */
static const at_type *real_type(const at_type *type)
{
  return at_isComplex(type->scalarType) ? at_realType(type) : type;
}

/* The pivots of contiguous matrices on a device, which become the factors of their transposes: these have the same
 * determinants.  What LAPACK finds shows in the factors. */
static at_tensor *factor_each(Call *call, at_tensor *matrices)
{
  const int64_t count = matrices->th->size[0], n = matrices->th->size[1], sizes[] = {count, n + 1};
  at_tensor *const pivots =
      at_hold(&call->pool, at_newShape(at_toScalarType(call->type, AT_INT), (at_ints){sizes, 2}));
  const THCDeviceLapack *const lapack = at_deviceLapack(call->type);
  const int64_t bytes = n * n * (int64_t)call->type->elementSize;
  int *const statuses = (int *)at_data(pivots) + count * n;
  for (int64_t i = 0; i < count; i++)
    lapack->lu((int)n, (int)n, (char *)at_data(matrices) + i * bytes,
               (int *)at_data(pivots) + i * n, statuses + i);
  return pivots;
}

/* On a device: the determinants, or signs and logarithms; what is NULL is left out. */
static void determinants_on_device(Call *call, at_tensor *a, at_tensor *r, at_tensor *sign,
                                   at_tensor *log)
{
  const int before = call->count;
  at_tensor *matrices = as_batch(call, a), *pivots;
  const int64_t count = matrices->th->size[0], n = matrices->th->size[1];
  const bool isComplex = at_isComplex(call->type->scalarType);
  if (at_isSmallBatch(count, n) && !isComplex) {
    factor_all(call, a);
    matrices = call->made[before];
    pivots = call->made[before + 1];
    call->count = before;
  } else {
    matrices = at_hold(&call->pool, at_newCast(matrices, call->type));
    pivots = factor_each(call, matrices);
  }
  const at_determinants_work work = {.count = count,
                                     .n = n,
                                     .isComplex = isComplex,
                                     .factors = at_data(matrices),
                                     .pivots = at_data(pivots),
                                     .to = r ? at_data(r) : NULL,
                                     .sign = sign ? at_data(sign) : NULL,
                                     .log = log ? at_data(log) : NULL};
  at_cuda()->launch(AT_KERNEL_determinants, real_type(call->type)->held, &work);
}

static at_tensor *determinants(Call *call, at_tensor *a)
{
  at_tensor *const r = for_each_matrix(call, call->type, a, 1);
  if (at_numel(a) == 0)
    return r;
  if (!at_isOnHost(call->type)) {
    determinants_on_device(call, a, r, NULL, NULL);
    return r;
  }
  const int before = call->count;
  factor_all(call, a);
  for (int64_t i = 0; i < at_numel(r); i++) {
    const double det = determinant(call->made[before], call->made[before + 1], i);
    if (call->type->scalarType == AT_FLOAT)
      ((float *)at_hostData(r))[i] = (float)det;
    else
      ((double *)at_hostData(r))[i] = det;
  }
  call->count = before;
  return r;
}

void at_signedLogsOnDevice(at_tensor **out, at_tensor *a)
{
  Call call;
  begin_any(&call, a);
  at_tensor *const sign = call.made[call.count++] = for_each_matrix(&call, a->type, a, 1);
  at_tensor *const log = call.made[call.count++] = for_each_matrix(&call, real_type(a->type), a, 0);
  if (at_numel(a) > 0)
    determinants_on_device(&call, a, NULL, sign, log);
  at_finish(&call.pool, call.count, out, call.made);
}

at_tensor *at_determinant(at_tensor *out, at_tensor *a)
{
  check_square(a, "self");
  if (at_isComplex(a->type->scalarType) && at_isOnHost(a->type))
    return at_determinants(out, a);
  Call call;
  if (at_isComplex(a->type->scalarType))
    begin_any(&call, a);
  else
    begin(&call, a, "self");
  call.made[call.count++] = determinants(&call, a);
  return end_one(&call, out);
}

void at_determinantAndSvd(at_tensor **out, at_tensor *a)
{
  check_square(a, "self");
  Call call;
  begin(&call, a, "self");
  void *const ta = matrix(&call, a, "self");
  call.made[call.count++] = determinants(&call, a);
  void *const u = real(&call), *const s = real(&call), *const v = real(&call);
  AT_OF(call.type, gesvd)(u, s, v, ta, "S");
  end(&call, out);
}

at_tensor *at_inverted(at_tensor *out, at_tensor *a)
{
  check_square(a, "self");
  if (at_isComplex(a->type->scalarType))
    return at_complexInverses(out, a);
  Call call;
  begin(&call, a, "self");
  at_tensor *const r = at_hold(&call.pool, at_newShape(call.type, at_sizesOf(a)));
  if (at_numel(a) > 0) {
    at_tensor *const from = as_batch(&call, a), *const to = as_batch(&call, r);
    void *const inverted = real(&call); /* TH chooses its strides */
    for (int64_t i = 0; i < from->th->size[0]; i++) {
      at_pool one;
      at_pool_enter(&one);
      at_tensor *const source = at_hold(&one, at_viewSelect(from, 0, i));
      at_tensor *const target = at_hold(&one, at_viewSelect(to, 0, i));
      AT_OF(call.type, getri)(inverted, source->th);
      at_copyFrom(target, call.made[0]);
      at_pool_leave(&one);
    }
  }
  call.made[0] = r;
  call.count = 1;
  return end_one(&call, out);
}

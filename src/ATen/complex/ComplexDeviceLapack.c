/* LAPACK's functions of complex matrices on the current device: their statuses are read, where they say
 * something about values. */
#include "lapack.h"

#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"
#include "THC/linear/THCDeviceLapack.h"

#include "THTemplate.h"

#ifdef TH_REAL_IS_DOUBLE
#define PAIRS AT_COMPLEX_DOUBLE
#else
#define PAIRS AT_COMPLEX_FLOAT
#endif

/* A call: its functions, and its status on the device. */
typedef struct {
  at_pool pool;
  const THCDeviceLapack *lapack;
  at_tensor *status;
} Call;

static int *begin(Call *call)
{
  at_pool_enter(&call->pool);
  call->lapack = at_cuda()->lapack(PAIRS);
  call->status = at_hold(&call->pool, at_makeFilled(at_getType(AT_BACKEND_CUDA, AT_INT),
                                                    (at_ints){NULL, 0}, at_scalar_long(0)));
  return at_data(call->status);
}

/* Waits for the status. */
static int end(Call *call)
{
  const int status = (int)at_scalar_toLong(at_elementAt(call->status, 0));
  at_pool_leave(&call->pool);
  return status;
}

static int leave(Call *call)
{
  at_pool_leave(&call->pool);
  return 0;
}

static int lu(int m, int n, void *a, int *pivots)
{
  Call call;
  int *const status = begin(&call);
  call.lapack->lu(m, n, a, pivots, status);
  return end(&call);
}

static int cholesky(char uplo, int n, void *a)
{
  Call call;
  int *const status = begin(&call);
  call.lapack->cholesky(uplo == 'U', n, a, status);
  return end(&call);
}

/* --- orthogonal matrices ---------------------------------------------------------------------- */

static int reflectors(int m, int n, void *a, void *tau)
{
  Call call;
  int *const status = begin(&call);
  call.lapack->reflectors(m, n, a, tau, status);
  return leave(&call);
}

static int orthogonal(int m, int n, int k, void *a, void *tau)
{
  Call call;
  int *const status = begin(&call);
  call.lapack->orthogonal(m, n, k, a, tau, status);
  return leave(&call);
}

static int orthogonalTimes(char side, char trans, int m, int n, int k, void *a, void *tau, void *c)
{
  Call call;
  int *const status = begin(&call);
  call.lapack->orthogonalTimes(side == 'L', trans == 'C', m, n, k, a, tau, c, status);
  return leave(&call);
}

/* --- eigenvalues and singular values ---------------------------------------------------------- */

static int hermitian(char uplo, int n, void *a, void *values)
{
  Call call;
  int *const status = begin(&call);
  call.lapack->hermitian(uplo == 'U', n, a, values, status);
  return end(&call);
}

static int eigen(int n, void *a, void *values, void *vectors)
{
  Call call;
  int *const status = begin(&call);
  call.lapack->eigen(n, a, values, vectors, status);
  return end(&call);
}

static int singular(char job, int m, int n, void *a, void *s, void *u, void *v, int rowsOfVh)
{
  Call call;
  int *const status = begin(&call);
  call.lapack->singular(job == 'A', m, n, a, s, u, v, status);
  return end(&call);
}

const at_complex_lapack TH_CONCAT_2(at_complexDeviceLapack, Real) = {
    .lu = lu,
    .cholesky = cholesky,
    .reflectors = reflectors,
    .orthogonal = orthogonal,
    .orthogonalTimes = orthogonalTimes,
    .hermitian = hermitian,
    .eigen = eigen,
    .singular = singular};

/* Loading cuSOLVER, its handles, and the frame of its calls. */
#include "THCSolver.h"

#include <dlfcn.h>

#include "THC/core/THCLibrary.h"

/* --- the library ------------------------------------------------------------------------------ */

static THCSolverLibrary functions;
static const THCSolverLibrary *loaded; /* &functions once they are there */
static char origin[256];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of loading */

static const THCSolverLibrary *load_library(void)
{
  static const THCLibraryName which = {"cuSOLVER",
                                       "libcusolver.so." TH_STRING_OF(CUSOLVER_VER_MAJOR),
                                       "TH_CUSOLVER_LIBRARY", "cusolverDnCreate"};
  void *library = THCLibrary_open(&which, origin, sizeof origin);
#define FIND(NAME) functions.NAME = (__typeof__(functions.NAME))dlsym(library, "cusolverDn" #NAME);
  THC_FOR_EACH_SOLVER(FIND)
#undef FIND
  if (!functions.Create || !functions.Destroy || !functions.SetStream)
    THError("%s has no function cusolverDnCreate, cusolverDnDestroy or cusolverDnSetStream",
            origin);
  return &functions;
}

/* The library, loaded if it is not there yet. */
static const THCSolverLibrary *get_library(void)
{
  const THCSolverLibrary *library = __atomic_load_n(&loaded, __ATOMIC_ACQUIRE);
  if (library)
    return library;
  THGuard locked;
  THC_lock(&locked, &mutex);
  library = loaded ? loaded : load_library();
  __atomic_store_n(&loaded, library, __ATOMIC_RELEASE);
  THGuard_leave(&locked);
  return library;
}

void THCSolver_lacks(const char *function)
{
  THError("%s has no function %s%s", origin, function,
          strncmp(function, "cusolverDnXgeev", strlen("cusolverDnXgeev"))
              ? ""
              : ": eigenvalues of general matrices take the cuSOLVER of CUDA 12.6 or later");
}

static const char *name_of(cusolverStatus_t status)
{
  switch (status) {
    case CUSOLVER_STATUS_NOT_INITIALIZED:
      return "not initialized";
    case CUSOLVER_STATUS_ALLOC_FAILED:
      return "allocation failed";
    case CUSOLVER_STATUS_INVALID_VALUE:
      return "invalid value";
    case CUSOLVER_STATUS_ARCH_MISMATCH:
      return "architecture mismatch";
    case CUSOLVER_STATUS_EXECUTION_FAILED:
      return "execution failed";
    case CUSOLVER_STATUS_NOT_SUPPORTED:
      return "not supported";
    default:
      return "internal error";
  }
}

void THCSolver_check(cusolverStatus_t status, const char *function)
{
  if (status != CUSOLVER_STATUS_SUCCESS)
    THError("cuSOLVER error %d in %s: %s", (int)status, function, name_of(status));
}

/* --- calls ------------------------------------------------------------------------------------ */

void THCSolver_destroy(void *handle)
{
  if (handle)
    functions.Destroy(handle);
}

static void *make_handle(THCStream *stream)
{
  cusolverDnHandle_t made;
  THCSolver_check(functions.Create(&made), "cusolverDnCreate");
  const cusolverStatus_t status = functions.SetStream(made, stream->stream);
  if (status != CUSOLVER_STATUS_SUCCESS)
    functions.Destroy(made);
  THCSolver_check(status, "cusolverDnSetStream");
  return made;
}

void THCSolver_open(THCSolver *solver)
{
  solver->library = get_library();
  solver->stream = THCState_getCurrentStream(THC_using);
  solver->status = THC_scratch(&solver->memory, sizeof *solver->status);
  THCudaCheck(cudaMemsetAsync(solver->status, 0, sizeof *solver->status, solver->stream));
  solver->handle = THCStream_handle(&solver->locked, THCState_getStream(THC_using),
                                    THC_STREAM_CUSOLVER, make_handle);
}

int THCSolver_wait(THCSolver *solver)
{
  int status;
  THCudaCheck(cudaMemcpyAsync(&status, solver->status, sizeof status, cudaMemcpyDeviceToHost,
                              solver->stream));
  THC_wait(THC_using);
  return status;
}

void THCSolver_leave(THCSolver *solver)
{
  THGuard_leave(&solver->locked);
  THGuard_leave(&solver->memory);
}

int THCSolver_close(THCSolver *solver)
{
  THGuard_leave(&solver->locked);
  const int status = THCSolver_wait(solver);
  THGuard_leave(&solver->memory);
  return status;
}

/* --- eigenvalues, singular values ------------------------------------------------------------- */

static void free_parameters(void *what)
{
  THCSolver *solver = what;
  solver->library->DestroyParams(solver->parameters);
}

static void enter_parameters(THCSolver *solver, THGuard *guard)
{
  THGuard_enter(guard, free_parameters);
  if (!solver->library->CreateParams || !solver->library->DestroyParams)
    THCSolver_lacks("cusolverDnCreateParams");
  THCSolver_check(solver->library->CreateParams(&solver->parameters), "cusolverDnCreateParams");
  guard->what = solver;
}

static void free_jacobi(void *what)
{
  THCSolver *solver = what;
  solver->library->DestroyGesvdjInfo(solver->jacobi);
}

void THCSolver_enterJacobi(THCSolver *solver, THGuard *guard)
{
  THGuard_enter(guard, free_jacobi);
  if (!solver->library->CreateGesvdjInfo || !solver->library->DestroyGesvdjInfo)
    THCSolver_lacks("cusolverDnCreateGesvdjInfo");
  THCSolver_check(solver->library->CreateGesvdjInfo(&solver->jacobi), "cusolverDnCreateGesvdjInfo");
  guard->what = solver;
}

/* The arguments of Xgeev but its scratch. */
#define GENERAL                                                                             \
  solver->parameters, CUSOLVER_EIG_MODE_NOVECTOR,                                           \
      vectors ? CUSOLVER_EIG_MODE_VECTOR : CUSOLVER_EIG_MODE_NOVECTOR, n, type, a, n, type, \
      values, type, NULL, 1, type, vectors, leading, type

/* The scratch on the host is used until the call is done. */
void THCSolver_general(THCSolver *solver, cudaDataType type, int n, void *a, void *values,
                       void *vectors, int leading, int *status)
{
  size_t device = 0, host = 0;
  THGuard parameters, memory, buffer;
  enter_parameters(solver, &parameters);
  THC_SOLVE(solver, Xgeev_bufferSize, GENERAL, &device, &host);
  void *scratch = THC_scratch(&memory, THMax(device, (size_t)1));
  THGuard_enter(&buffer, THFree);
  buffer.what = THAlloc((ptrdiff_t)THMax(host, (size_t)1));
  THC_SOLVE(solver, Xgeev, GENERAL, scratch, device, buffer.what, host, status);
  THCudaCheck(cudaStreamSynchronize(solver->stream));
  THGuard_leave(&buffer);
  THGuard_leave(&memory);
  THGuard_leave(&parameters);
}

/* Finding and loading cuSOLVER, its handles, and the frame of its calls. */
#define _GNU_SOURCE /* secure_getenv, RTLD_DEFAULT */
#include "THCSolver.h"

#include <dlfcn.h>

#include "TH/core/THEnvironment.h"

/* --- the library ------------------------------------------------------------------------------ */

#define SONAME "libcusolver.so." TH_STRING_OF(CUSOLVER_VER_MAJOR)

static THCSolverLibrary functions;
static const THCSolverLibrary *loaded; /* &functions once they are there */
static char origin[256];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of loading, and around each call */

static void *find_library(void)
{
  char problem[TH_MESSAGE_LENGTH] = "";
  const char *chosen;
  void *library = NULL;
  if (THEnvironment_library("TH_CUSOLVER_LIBRARY", &chosen, problem, sizeof problem)) {
    if (!chosen && dlsym(RTLD_DEFAULT, "cusolverDnCreate"))
      return RTLD_DEFAULT;
    library = dlopen(chosen ? chosen : SONAME, RTLD_NOW | RTLD_LOCAL);
    if (!library)
      snprintf(problem, sizeof problem, "; %s", dlerror());
  }
  if (!library)
    THError("there is no cuSOLVER (" SONAME
            " of CUDA; TH_CUSOLVER_LIBRARY names another library)%s",
            problem);
  snprintf(origin, sizeof origin, "%s", chosen ? chosen : SONAME);
  return library;
}

/* The library, loaded if it is not there yet; the mutex is held. */
static const THCSolverLibrary *get_library(void)
{
  if (loaded)
    return loaded;
  void *library = find_library();
  if (library == RTLD_DEFAULT)
    snprintf(origin, sizeof origin, "the cuSOLVER of this process");
#define FIND(NAME) functions.NAME = (__typeof__(functions.NAME))dlsym(library, "cusolverDn" #NAME);
  THC_FOR_EACH_SOLVER(FIND)
#undef FIND
  if (!functions.Create || !functions.Destroy || !functions.SetStream)
    THError("%s has no function cusolverDnCreate, cusolverDnDestroy or cusolverDnSetStream",
            origin);
  return loaded = &functions;
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

void THCSolver_open(THCSolver *solver)
{
  solver->stream = THCState_getCurrentStream(THC_using);
  solver->status = THC_scratch(&solver->memory, sizeof *solver->status);
  THCudaCheck(cudaMemsetAsync(solver->status, 0, sizeof *solver->status, solver->stream));
  THC_lock(&solver->locked, &mutex);
  solver->library = get_library();
  void **handle = &THC_using->resourcesPerDevice[THC_currentDevice()].solverHandle;
  if (!*handle) {
    cusolverDnHandle_t made;
    THCSolver_check(solver->library->Create(&made), "cusolverDnCreate");
    *handle = made;
  }
  solver->handle = *handle;
  THC_SOLVE(solver, SetStream, solver->stream);
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

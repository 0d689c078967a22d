/* Finding and loading libraries of CUDA, and the few functions of cuSPARSE that a state calls. */
#define _GNU_SOURCE /* secure_getenv, RTLD_DEFAULT */
#include "THCLibrary.h"

#include <dlfcn.h>

#include "TH/core/THEnvironment.h"

void *THCLibrary_open(const THCLibraryName *which, char *origin, size_t size)
{
  char problem[TH_MESSAGE_LENGTH] = "";
  const char *chosen;
  void *library = NULL;
  if (THEnvironment_library(which->variable, &chosen, problem, sizeof problem)) {
    if (!chosen && dlsym(RTLD_DEFAULT, which->probe)) {
      snprintf(origin, size, "the %s of this process", which->name);
      return RTLD_DEFAULT;
    }
    library = dlopen(chosen ? chosen : which->soname, RTLD_NOW | RTLD_LOCAL);
    if (!library)
      snprintf(problem, sizeof problem, "; %s", dlerror());
  }
  if (!library)
    THError("there is no %s (%s of CUDA; %s names another library)%s", which->name, which->soname,
            which->variable, problem);
  snprintf(origin, size, "%s", chosen ? chosen : which->soname);
  return library;
}

/* --- optional ones ---------------------------------------------------------------------------- */

/* What fails here is no error: there is another way. */
static int load(const THCOptionalLibrary *library)
{
  char origin[256];
  void *volatile opened = NULL;
  THTry attempt;
  TH_TRY(attempt)
  {
    opened = THCLibrary_open(&library->which, origin, sizeof origin);
  }
  return !attempt.failed && library->find(opened);
}

int THCLibrary_isLoaded(const THCOptionalLibrary *library)
{
  return __atomic_load_n(&library->known, __ATOMIC_ACQUIRE) == 1;
}

int THCLibrary_isThere(THCOptionalLibrary *library)
{
  if (!__atomic_load_n(&library->known, __ATOMIC_ACQUIRE)) {
    pthread_mutex_lock(&library->mutex);
    if (!library->known)
      __atomic_store_n(&library->known, load(library) ? 1 : -1, __ATOMIC_RELEASE);
    pthread_mutex_unlock(&library->mutex);
  }
  return THCLibrary_isLoaded(library);
}

/* --- cuSPARSE --------------------------------------------------------------------------------- */

static struct {
  __typeof__(cusparseCreate) *create;
  __typeof__(cusparseDestroy) *destroy;
  __typeof__(cusparseGetErrorString) *describe;
} sparse;

/* Called under the lock of the states' handles. */
static void load_sparse(void)
{
  static const THCLibraryName which = {"cuSPARSE",
                                       "libcusparse.so." TH_STRING_OF(CUSPARSE_VER_MAJOR),
                                       "TH_CUSPARSE_LIBRARY", "cusparseCreate"};
  char origin[256];
  void *const library = THCLibrary_open(&which, origin, sizeof origin);
  __typeof__(cusparseCreate) *const create =
      (__typeof__(cusparseCreate) *)dlsym(library, "cusparseCreate");
  sparse.destroy = (__typeof__(cusparseDestroy) *)dlsym(library, "cusparseDestroy");
  sparse.describe = (__typeof__(cusparseGetErrorString) *)dlsym(library, "cusparseGetErrorString");
  if (!create || !sparse.destroy)
    THError("%s has no function cusparseCreate or cusparseDestroy", origin);
  sparse.create = create;
}

void *THCSparse_create(void)
{
  cusparseHandle_t handle;
  if (!sparse.create)
    load_sparse();
  THCusparseCheck(sparse.create(&handle));
  return handle;
}

void THCSparse_destroy(void *handle)
{
  if (handle)
    sparse.destroy(handle);
}

void __THCusparseCheck(cusparseStatus_t status, const char *file, const int line)
{
  if (status != CUSPARSE_STATUS_SUCCESS)
    _THError(file, line, "cuSPARSE error %d: %s", (int)status,
             sparse.describe ? sparse.describe(status) : "its library is not loaded");
}

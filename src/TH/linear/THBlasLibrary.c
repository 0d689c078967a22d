/* Finding and loading the library of BLAS and LAPACK. */
#define _GNU_SOURCE /* secure_getenv */
#include "THBlasLibrary.h"

#include <dlfcn.h>
#include <omp.h>
#include <pthread.h>

#include "TH/core/THEnvironment.h"
#include "THKernel.h"
#include "TH/core/THTeam.h"

static THBlasLibrary functions;
static char origin[256];            /* the library's name, once it is loaded */
static const THBlasLibrary *loaded; /* &functions once they are there */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

/* The result of openblas_get_parallel in builds that use OpenMP's threads, as TH does. */
enum { OPENBLAS_OPENMP = 2 };

/* A library with its own threads would compete with ours for the processors (measured: two pools on
 * two processors take twice the time of one), so it is limited to one thread. */
static void share_threads(void *handle)
{
  int (*parallel)(void) = (int (*)(void))dlsym(handle, "openblas_get_parallel");
  void (*set_threads)(int) = (void (*)(int))dlsym(handle, "openblas_set_num_threads");
  if (parallel && set_threads && parallel() != OPENBLAS_OPENMP)
    set_threads(1);
}

/* OpenBLAS's names of its kernels with vectors of 32 bytes or fewer.  It uses them on processors
 * with vectors of 64 bytes that it does not know, or if told to. */
static const char *const short_vectors[] = {"Haswell",   "Zen",         "Sandybridge",
                                            "Excavator", "Steamroller", "Piledriver",
                                            "Bulldozer", "Nehalem",     "Prescott"};
static const char *const long_vectors[] = {"SkylakeX", "Cooperlake", "Sapphirerapids"};
static int lags, keeps_up;

/* Whether the library's kernels are those of one of count processors. */
static int is_for(void *handle, const char *const *cores, size_t count)
{
  const char *(*core)(void) = (const char *(*)(void))dlsym(handle, "openblas_get_corename");
  for (size_t i = 0; core && i < count; i++)
    if (!strcmp(core(), cores[i]))
      return 1;
  return 0;
}

#define ROW(NAME, IS_NEEDED)              {#NAME "_", offsetof(THBlasLibrary, NAME), IS_NEEDED},
#define NEEDED(NAME, LETTERS)             ROW(s##NAME, 1) ROW(d##NAME, 1)
#define REAL(NAME, LETTERS)               ROW(s##NAME, 0) ROW(d##NAME, 0)
#define COMPLEX(NAME, ARGUMENTS, LETTERS) ROW(c##NAME, 0) ROW(z##NAME, 0)

/* The functions' names, and their offsets in a THBlasLibrary. */
static const struct {
  const char *name;
  size_t offset;
  int isNeeded;
} rows[] = {TH_FOR_EACH_BLAS_FUNCTION(NEEDED) TH_FOR_EACH_LAPACK_FUNCTION(REAL)
                TH_FOR_EACH_COMPLEX_LAPACK_FUNCTION(COMPLEX)};

/* Adds to problem, a text of TH_MESSAGE_LENGTH at most, why name cannot be used; returns whether it
 * can. */
static int load(const char *name, char *problem)
{
  const size_t used = strlen(problem);
  void *handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    snprintf(problem + used, TH_MESSAGE_LENGTH - used, "; %s", dlerror());
    return 0;
  }
  THBlasLibrary found;
  const char *missing = NULL;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    void *const function = dlsym(handle, rows[i].name);
    memcpy((char *)&found + rows[i].offset, &function, sizeof function);
    if (rows[i].isNeeded && !function)
      missing = rows[i].name;
  }
  if (missing) {
    snprintf(problem + used, TH_MESSAGE_LENGTH - used, "; %s has no function %s", name, missing);
    return 0; /* the library stays loaded: it may have threads */
  }
  share_threads(handle);
  const int wide = THCpu_level() == TH_CPU_AVX512;
  __atomic_store_n(&lags,
                   wide &&
                       is_for(handle, short_vectors, sizeof short_vectors / sizeof *short_vectors),
                   __ATOMIC_RELAXED);
  __atomic_store_n(&keeps_up,
                   wide && is_for(handle, long_vectors, sizeof long_vectors / sizeof *long_vectors),
                   __ATOMIC_RELAXED);
  functions = found;
  snprintf(origin, sizeof origin, "%s", name);
  return 1;
}

/* Loads the library that TH_BLAS_LIBRARY names, or the first known one that exists. */
static int load_any(char *problem)
{
  const char *chosen;
  if (!THEnvironment_library("TH_BLAS_LIBRARY", &chosen, problem, TH_MESSAGE_LENGTH))
    return 0;
  if (chosen)
    return load(chosen, problem);
  return load(TH_BLAS_PATH, problem) || load("libopenblas.so.0", problem);
}

/* The library, or NULL; then problem says why, after "; ". */
static const THBlasLibrary *find(char problem[TH_MESSAGE_LENGTH])
{
  *problem = 0;
  pthread_mutex_lock(&loading);
  if (!loaded && load_any(problem))
    __atomic_store_n(&loaded, &functions, __ATOMIC_RELEASE);
  const THBlasLibrary *library = loaded;
  pthread_mutex_unlock(&loading);
  return library;
}

const THBlasLibrary *THBlasLibrary_find(void)
{
  char problem[TH_MESSAGE_LENGTH];
  return find(problem);
}

const THBlasLibrary *THBlasLibrary_get(void)
{
  const THBlasLibrary *library = __atomic_load_n(&loaded, __ATOMIC_ACQUIRE);
  if (library)
    return library;

  char problem[TH_MESSAGE_LENGTH];
  library = find(problem);
  if (!library)
    THError(
        "there is no BLAS library (Debian's package is libopenblas0-openmp; TH_BLAS_LIBRARY "
        "names another)%s",
        problem);
  return library;
}

int THBlasLibrary_lags(void)
{
  return __atomic_load_n(&lags, __ATOMIC_RELAXED);
}

int THBlasLibrary_keepsUp(void)
{
  return __atomic_load_n(&keeps_up, __ATOMIC_RELAXED);
}

void THBlasLibrary_lacks(const char *name)
{
  THError(
      "%s has no function %s (Debian's libopenblas0-openmp has it; TH_BLAS_LIBRARY names another "
      "library, such as liblapack.so.3)",
      origin, name);
}

/* OpenBLAS takes as many threads as OpenMP would. */
int THBlasLibrary_begin(void)
{
  const int threads = omp_get_max_threads();
  int used = threads;
  if (threads > 1 && THGetDeterministic())
    used = 1;
  else if (threads > 1 && !omp_in_parallel()) /* where it takes one by itself */
    used = THTeam_size(threads);
  if (used < threads)
    omp_set_num_threads(used);
  return threads;
}

void THBlasLibrary_end(int threads)
{
  if (threads != omp_get_max_threads())
    omp_set_num_threads(threads);
}

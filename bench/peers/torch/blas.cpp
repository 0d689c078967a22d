/* Loads OpenBLAS so that it calls itself. */
#include "blas.h"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>

namespace peers
{

void *Blas::symbol(const char *name) const
{
  return dlsym(handle, name);
}

const Blas *blas()
{
  static const Blas library = [] {
    const char *chosen = std::getenv("TH_BLAS_LIBRARY");
    const int how = RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND;
    void *handle = dlopen(chosen && *chosen ? chosen : TH_BLAS_PATH, how);
    if (!handle)
      handle = dlopen("libopenblas.so.0", how);
    if (!handle)
      std::fprintf(stderr, "th_torch: %s: left out\n", dlerror());
    return Blas{handle};
  }();
  return library.handle ? &library : nullptr;
}

}  // namespace peers

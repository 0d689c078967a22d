/* CUDA's language extensions for g++, as C++.  Only src/THC/core/thc_cuda.h includes this file, in
 * the simulator's build.
 *
 * A kernel becomes a function that is called once per thread; its __shared__ variables become
 * static ones, in a section that is filled with 0xFF before each block.  See README.md. */
#ifndef CUSIM_H
#define CUSIM_H

#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <tuple>
#include <type_traits>

#include <cuda_runtime_api.h>
#include <vector_functions.h>
#include <cuda_fp16.h>

#include "cusim_calls.h"

#define CUSIM_CONCAT_(a, b) a##b
#define CUSIM_CONCAT(a, b)  CUSIM_CONCAT_(a, b)
#define CUSIM_STRING_(a)    #a
#define CUSIM_STRING(a)     CUSIM_STRING_(a)

/* The section is named after the source file, so that only that file's variables are filled. */
#ifndef CUSIM_SHARED
#define CUSIM_SHARED cusim_shared
#endif
#undef __shared__
#define __shared__ static __attribute__((section(CUSIM_STRING(CUSIM_SHARED))))
#define __launch_bounds__(...)

/* The linker gives a section's ends; where a file has no shared variables, both are NULL. */
extern "C" char CUSIM_CONCAT(__start_, CUSIM_SHARED)[] __attribute__((weak, visibility("hidden")));
extern "C" char CUSIM_CONCAT(__stop_, CUSIM_SHARED)[] __attribute__((weak, visibility("hidden")));

static const int warpSize = 32;

template <class... P>
struct CusimPack {
  void (*kernel)(P...);
  std::tuple<P...> arguments;

  static void call(const void *pack)
  {
    const CusimPack *self = static_cast<const CusimPack *>(pack);
    std::apply(self->kernel, self->arguments);
  }
};

template <class... P, class... A>
static inline void cusim_launch_kernel(const char *name, char *shared, char *shared_end, dim3 grid,
                                       dim3 block, size_t dynamic, cudaStream_t stream,
                                       void (*kernel)(P...), A... arguments)
{
  static_assert((std::is_trivially_destructible<P>::value && ...),
                "a kernel's arguments are copied");
  const CusimPack<P...> pack = {kernel, std::tuple<P...>(arguments...)};
  const CusimKernel call = {
      name, (const void *)kernel, CusimPack<P...>::call, &pack, sizeof pack, shared, shared_end};
  cusim_launch(&call, grid, block, dynamic, stream);
}

#define CUSIM_LAUNCH(kernel, grid, block, dynamic, stream, ...)                                  \
  cusim_launch_kernel(#kernel, CUSIM_CONCAT(__start_, CUSIM_SHARED),                             \
                      CUSIM_CONCAT(__stop_, CUSIM_SHARED), grid, block, dynamic, stream, kernel, \
                      ##__VA_ARGS__)

#include "cusim_warp.h"
#include "cusim_atomic.h"
#include "cusim_math.h"

#endif

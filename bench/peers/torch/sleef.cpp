#include "sleef.h"

#include <ATen/Parallel.h>
#include <dlfcn.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace peers
{

#if defined(__x86_64__)
namespace
{

using Function = __m512 (*)(__m512);
using Function2 = __m512 (*)(__m512, __m512);

/* What is left over at the end goes through a block of its own. */
template <class Block>
__attribute__((target("avx512f"))) void in_blocks(float *r, const float *x, int64_t n, Block block)
{
  int64_t i = 0;
  for (; i + 16 <= n; i += 16)
    _mm512_storeu_ps(r + i, block(_mm512_loadu_ps(x + i)));
  const auto rest = static_cast<__mmask16>((1u << (n - i)) - 1);
  if (rest)
    _mm512_mask_storeu_ps(r + i, rest, block(_mm512_maskz_loadu_ps(rest, x + i)));
}

__attribute__((target("avx512f"))) void run(void *function, bool pow, float *r, const float *x,
                                            int64_t n, float exponent)
{
  if (pow) {
    const auto call = reinterpret_cast<Function2>(function);
    const __m512 y = _mm512_set1_ps(exponent);
    in_blocks(r, x, n, [=](__m512 v) __attribute__((target("avx512f"))) { return call(v, y); });
  } else {
    const auto call = reinterpret_cast<Function>(function);
    in_blocks(r, x, n, [=](__m512 v) __attribute__((target("avx512f"))) { return call(v); });
  }
}

}  // namespace
#endif

std::vector<Peer> sleef(const SleefCall &call)
{
#if defined(__x86_64__)
  static void *library = dlopen("libsleef.so.3", RTLD_NOW | RTLD_LOCAL);
  if (!library || !__builtin_cpu_supports("avx512f") || at::get_num_threads() > 1)
    return {};
  void *function =
      dlsym(library, ("Sleef_" + std::string(call.function) + "f16_u10avx512f").c_str());
  if (!function)
    return {};
  const bool pow = std::string(call.function) == "pow";
  const Array *r = &call.result, *x = &call.argument;
  const float exponent = call.exponent;
  return {{"SLEEF", [=] { run(function, pow, r->data(), x->data(), at_numel(*x), exponent); }}};
#else
  return {};
#endif
}

}  // namespace peers

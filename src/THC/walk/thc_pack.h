/* Elements that lie side by side, loaded and stored 16 bytes at a time where they are aligned.
 *
 *     real sum = 0;
 *     THC_eachOfLine(n, threadIdx.x, blockDim.x, [&](ptrdiff_t, real x) { sum += x; }, line);
 *
 * is what a thread does for its part of a line that a block shares. */
#ifndef THC_PACK_H
#define THC_PACK_H

#include "THC/core/thc_cuda.h"

/* The race hooks are in the kernels of some types only: the namespace keeps apart the functions of
 * files with and without them. */
namespace
{

/* Elements of a pack: as many of the largest type as fill 16 bytes, but at least 4. */
template <class... T>
constexpr int THC_packOf(void)
{
  size_t size = 0;
  ((size = sizeof(T) > size ? sizeof(T) : size), ...);
  return size <= 4 ? 16 / (int)size : 4;
}

/* THC_packOf as a constant, for device code, which calls no function of the host. */
template <class... T>
struct THCPackOf {
  enum { N = THC_packOf<T...>() };
};

/* N elements that are loaded and stored together. */
template <class T, int N>
struct alignas(N * sizeof(T) < 16 ? N * sizeof(T) : 16) THCPack {
  T v[N];
};

template <class T, int N>
THC_DEVICE bool THC_isAligned(const T *x)
{
  return (uintptr_t)x % alignof(THCPack<T, N>) == 0;
}

/* N elements from x on, which need not be aligned. */
template <int N, class T>
THC_DEVICE THCPack<T, N> THC_loadPack(const T *x)
{
  if (THC_isAligned<T, N>(x))
    return *(const THCPack<T, N> *)x;
  THCPack<T, N> pack;
  THC_UNROLL
  for (int k = 0; k < N; k++)
    pack.v[k] = x[k];
  return pack;
}

template <int N, class T>
THC_DEVICE void THC_storePack(T *x, const THCPack<T, N> &pack)
{
  if (THC_isAligned<T, N>(x)) {
    *(THCPack<T, N> *)x = pack;
    return;
  }
  THC_UNROLL
  for (int k = 0; k < N; k++)
    x[k] = pack.v[k];
}

/* How many of n elements from x on come before the first aligned one. */
template <int N, class T>
THC_DEVICE ptrdiff_t THC_headOf(const T *x, ptrdiff_t n)
{
  const size_t past = (uintptr_t)x % alignof(THCPack<T, N>);
  const ptrdiff_t head = past ? (ptrdiff_t)((alignof(THCPack<T, N>) - past) / sizeof(T)) : 0;
  return head < n ? head : n;
}

/* f(i, elements i...) for the elements of a line of n that fall to thread first of threads.  Packs begin where the
 * first operand is aligned. */
template <class F, class First, class... Rest>
THC_DEVICE void THC_eachOfLine(ptrdiff_t n, ptrdiff_t first, ptrdiff_t threads, F f, const First *x,
                               const Rest *...rest)
{
  enum { N = THCPackOf<First, Rest...>::N };
  const ptrdiff_t head = THC_headOf<N>(x, n), packs = (n - head) / N, others = n - packs * N;
  for (ptrdiff_t p = first; p < packs; p += threads) {
    const ptrdiff_t at = head + p * N;
    const auto visit = [&](const auto &...pack) {
      THC_UNROLL
      for (int k = 0; k < N; k++)
        f(at + k, pack.v[k]...);
    };
    visit(THC_loadPack<N>(x + at), THC_loadPack<N>(rest + at)...);
  }
  for (ptrdiff_t k = first; k < others; k += threads) {
    const ptrdiff_t i = k < head ? k : k + packs * N;
    f(i, x[i], rest[i]...);
  }
}

/* y[i] = f(i, elements i...) for them; y may be one of the operands. */
template <class F, class Out, class... In>
THC_DEVICE void THC_mapLine(ptrdiff_t n, ptrdiff_t first, ptrdiff_t threads, Out *y, F f,
                            const In *...x)
{
  enum { N = THCPackOf<Out, In...>::N };
  const ptrdiff_t head = THC_headOf<N>(y, n), packs = (n - head) / N, others = n - packs * N;
  for (ptrdiff_t p = first; p < packs; p += threads) {
    const ptrdiff_t at = head + p * N;
    const auto visit = [&](const auto &...pack) {
      THCPack<Out, N> r;
      THC_UNROLL
      for (int k = 0; k < N; k++)
        r.v[k] = f(at + k, pack.v[k]...);
      THC_storePack<N>(y + at, r);
    };
    visit(THC_loadPack<N>(x + at)...);
  }
  for (ptrdiff_t k = first; k < others; k += threads) {
    const ptrdiff_t i = k < head ? k : k + packs * N;
    y[i] = f(i, x[i]...);
  }
}

}  // namespace

#endif

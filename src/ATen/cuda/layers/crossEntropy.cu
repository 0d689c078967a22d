/* The gradient of the cross entropy of classes with respect to the logits: of p = softmax(x), the class t of a line,
 * its weight w[t], and s, the share of smoothing,
 *
 *     dx[i] = scale * (w[t] (1 - s) (p[i] - (i == t)) + s / classes * (p[i] * sum(w) - w[i]))
 *
 * where scale is the gradient of the loss, for the mean divided by the sum of the weights of all targets. */
#include "ATen/cuda/at_kernel.h"

#include "THC/walk/thc_pack.h"

namespace
{

THC_DEVICE bool is_used(const at_cross_entropy_work &w, int64_t target)
{
  return target != w.ignored && (uint64_t)target < (uint64_t)w.classes;
}

THC_DEVICE real weight_of(const at_cross_entropy_work &w, int64_t i)
{
  return w.weight ? ((const real *)w.weight)[i] : (real)1;
}

/* A block sums up the weights of a part of the targets, in an order of its own. */
__global__ void sum_weights(at_cross_entropy_work w)
{
  __shared__ double sums[THC_BLOCK];
  double sum = 0;
  THC_GRID_LOOP(i, w.batch * w.inner)
  {
    if (is_used(w, w.target[i]))
      sum += (double)weight_of(w, w.target[i]);
  }
  sums[threadIdx.x] = sum;
  for (int half = THC_BLOCK / 2; half > 0; half /= 2) {
    __syncthreads();
    if ((int)threadIdx.x < half)
      sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0)
    w.sums[blockIdx.x] = sums[0];
}

/* What the gradient of the loss of a target is multiplied by. */
THC_DEVICE real scale_of(const at_cross_entropy_work &w, int64_t line)
{
  double total = 0;
  for (int p = 0; p < w.parts; p++)
    total += w.sums[p];
  const real g = ((const real *)w.grad)[w.each ? line : 0];
  return w.parts > 0 && total != 0 ? (real)((double)g / total) : g;
}

/* A contiguous line of logits, which WIDTH threads share. */
template <int WIDTH>
struct shared_line {
  int64_t n;
  real *shared;

  THC_MEMBER real reduced(real value, bool largest) const
  {
    return largest ? at_line_reduce<WIDTH, true>(value, shared)
                   : at_line_reduce<WIDTH, false>(value, shared);
  }
  template <class F>
  THC_MEMBER void each(F f, const real *x) const
  {
    THC_eachOfLine(n, threadIdx.x % WIDTH, WIDTH, f, x);
  }
  template <class F>
  THC_MEMBER void map(real *y, F f, const real *x) const
  {
    THC_mapLine(n, threadIdx.x % WIDTH, WIDTH, y, f, x);
  }
};

/* A line with gaps, of one thread. */
struct own_line {
  int64_t n, step;

  THC_MEMBER real reduced(real value, bool) const
  {
    return value;
  }
  template <class F>
  THC_MEMBER void each(F f, const real *x) const
  {
    for (int64_t i = 0; i < n; i++)
      f(i, x[i * step]);
  }
  template <class F>
  THC_MEMBER void map(real *y, F f, const real *x) const
  {
    for (int64_t i = 0; i < n; i++)
      y[i * step] = f(i, x[i * step]);
  }
};

/* The gradient of target number `number`, whose logits begin at x. */
template <class Line>
THC_DEVICE void gradient(const at_cross_entropy_work &w, int64_t number, const real *x, real *dx,
                         const Line &line)
{
  const int64_t target = w.target[number];
  const bool used = is_used(w, target);
  real most = -(real)INFINITY, sum = 0, weights = 0;
  line.each([&](ptrdiff_t, real v) { most = v > most ? v : most; }, x);
  most = line.reduced(most, true);
  const auto add = [&](ptrdiff_t i, real v) {
    sum += THMath_(exp)(v - most);
    weights += weight_of(w, i);
  };
  line.each(add, x);
  sum = line.reduced(sum, false);
  weights = line.reduced(weights, false);
  const real scale = used ? scale_of(w, number) : (real)0, even = (real)(w.smoothing / w.classes);
  const real hard = used ? weight_of(w, target) * (real)(1 - w.smoothing) : (real)0;
  const auto result = [&](ptrdiff_t i, real v) {
    const real p = THMath_(exp)(v - most) / sum;
    const real smooth = even != 0 ? even * (p * weights - weight_of(w, i)) : (real)0;
    return scale * (hard * (p - (real)(i == target)) + smooth);
  };
  line.map(dx, result, x);
}

template <int WIDTH>
THC_DEVICE void lines(const at_cross_entropy_work &w, real *shared)
{
  const shared_line<WIDTH> line = {w.classes, shared};
  AT_EACH_LINE(i, w.batch)
  {
    gradient(w, i, (const real *)w.x + i * w.classes, (real *)w.dx + i * w.classes, line);
  }
}

__global__ void warps(at_cross_entropy_work w)
{
  lines<32>(w, NULL);
}

__global__ void blocks(at_cross_entropy_work w)
{
  __shared__ real shared[AT_WARPS];
  lines<THC_BLOCK>(w, shared);
}

__global__ void lanes(at_cross_entropy_work w)
{
  const own_line line = {w.classes, w.inner};
  THC_GRID_LOOP(i, w.batch * w.inner)
  {
    const int64_t at = i / w.inner * w.inner * w.classes + i % w.inner;
    gradient(w, i, (const real *)w.x + at, (real *)w.dx + at, line);
  }
}

}  // namespace

AT_LAUNCHER(crossEntropyBackward, at_cross_entropy_work)
{
  if (work->parts > 0)
    THC_LAUNCH(sum_weights, (unsigned)work->parts, THC_BLOCK, 0, stream, *work);
  const int64_t targets = work->batch * work->inner;
  if (work->inner > 1)
    THC_LAUNCH(lanes, THC_blocks(targets), THC_BLOCK, 0, stream, *work);
  else if (work->classes <= AT_WARP_LINE)
    THC_LAUNCH(warps, at_line_blocks(targets, work->classes), THC_BLOCK, 0, stream, *work);
  else
    THC_LAUNCH(blocks, at_line_blocks(targets, work->classes), THC_BLOCK, 0, stream, *work);
}

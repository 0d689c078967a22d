/* Kernels of layer normalization: a warp for each line, or a block for each long one. */
#include "ATen/cuda/at_kernel.h"

#include "THC/walk/thc_pack.h"

/* y = (x - mean) / sqrt(variance + eps) * weight + bias; the variance is of distances from the
 * mean. */
template <int WIDTH>
THC_DEVICE void normalize(const at_layer_norm_work &w, real *shared)
{
  const at_lines_normalized &l = w.lines;
  const real *weight = (const real *)l.weight, *bias = (const real *)l.bias;
  const ptrdiff_t n = l.n, first = threadIdx.x % WIDTH;
  AT_EACH_LINE(line, w.count)
  {
    const real *x = (const real *)l.x + line * n;
    real *y = (real *)l.y + line * n;
    real sum = 0, square = 0;
    THC_eachOfLine(n, first, WIDTH, [&](ptrdiff_t, real v) { sum += v; }, x);
    const real mean = at_line_reduce<WIDTH, false>(sum, shared) / (real)n;
    THC_eachOfLine(
        n, first, WIDTH, [&](ptrdiff_t, real v) { square += (v - mean) * (v - mean); }, x);
    const real variance = at_line_reduce<WIDTH, false>(square, shared) / (real)n;
    const real rstd = 1 / THMath_(sqrt)(variance + (real)l.eps);
    const auto result = [&](ptrdiff_t i, real v) {
      return (v - mean) * rstd * (weight ? weight[i] : 1) + (bias ? bias[i] : 0);
    };
    THC_mapLine(n, first, WIDTH, y, result, x);
    if (first == 0) {
      ((real *)l.mean)[line] = mean;
      ((real *)l.rstd)[line] = rstd;
    }
  }
}

/* y = rstd (h - sum(h) / n - z sum(h z) / n) where h = g weight, z = (x - mean) rstd. */
template <int WIDTH>
THC_DEVICE void gradient(const at_layer_norm_work &w, real *shared)
{
  const at_lines_normalized &l = w.lines;
  const real *weight = (const real *)l.weight;
  const ptrdiff_t n = l.n, first = threadIdx.x % WIDTH;
  AT_EACH_LINE(line, w.count)
  {
    const real *x = (const real *)l.x + line * n, *g = (const real *)l.g + line * n;
    real *y = (real *)l.y + line * n;
    const real mean = ((const real *)l.mean)[line], rstd = ((const real *)l.rstd)[line];
    real sum = 0, dot = 0;
    const auto add = [&](ptrdiff_t i, real gi, real v) {
      const real h = weight ? gi * weight[i] : gi;
      sum += h;
      dot += h * ((v - mean) * rstd);
    };
    THC_eachOfLine(n, first, WIDTH, add, g, x);
    const real shift = at_line_reduce<WIDTH, false>(sum, shared) / (real)n;
    const real slope = at_line_reduce<WIDTH, false>(dot, shared) / (real)n;
    const auto result = [&](ptrdiff_t i, real gi, real v) {
      return rstd * ((weight ? gi * weight[i] : gi) - shift - (v - mean) * rstd * slope);
    };
    THC_mapLine(n, first, WIDTH, y, result, g, x);
  }
}

/* --- kernels: WIDTH is that of a warp, or of a block -------------------------------------------- */

template <int WIDTH>
__global__ static void layer_norm(at_layer_norm_work w)
{
  THC_DYNAMIC_SHARED(real, shared);
  normalize<WIDTH>(w, shared);
}

template <int WIDTH>
__global__ static void layer_norm_backward(at_layer_norm_work w)
{
  THC_DYNAMIC_SHARED(real, shared);
  gradient<WIDTH>(w, shared);
}

AT_LAUNCHER(layerNorm, at_layer_norm_work)
{
  const unsigned blocks = at_line_blocks(work->count, work->lines.n);
  if (work->lines.n <= AT_WARP_LINE)
    THC_LAUNCH(layer_norm<32>, blocks, THC_BLOCK, 0, stream, *work);
  else
    THC_LAUNCH(layer_norm<THC_BLOCK>, blocks, THC_BLOCK, AT_WARPS * sizeof(real), stream, *work);
}

AT_LAUNCHER(layerNormBackward, at_layer_norm_work)
{
  const unsigned blocks = at_line_blocks(work->count, work->lines.n);
  if (work->lines.n <= AT_WARP_LINE)
    THC_LAUNCH(layer_norm_backward<32>, blocks, THC_BLOCK, 0, stream, *work);
  else
    THC_LAUNCH(layer_norm_backward<THC_BLOCK>, blocks, THC_BLOCK, AT_WARPS * sizeof(real), stream,
               *work);
}

/* A thread sums up a column of a chunk. */
__global__ static void layer_norm_parameters(at_layer_norm_work w, ptrdiff_t chunks)
{
  const at_lines_normalized &l = w.lines;
  THC_GRID_LOOP(k, chunks * l.n)
  {
    const ptrdiff_t chunk = k / l.n, column = k - chunk * l.n;
    const ptrdiff_t begin = chunk * w.chunk, after = begin + w.chunk;
    const ptrdiff_t end = after < w.count ? after : w.count;
    real weight = 0, bias = 0;
    for (ptrdiff_t line = begin; line < end; line++) {
      const real g = ((const real *)l.g)[line * l.n + column];
      const real mean = ((const real *)l.mean)[line], rstd = ((const real *)l.rstd)[line];
      weight += g * ((((const real *)l.x)[line * l.n + column] - mean) * rstd);
      bias += g;
    }
    ((real *)w.weights)[k] = weight;
    ((real *)w.biases)[k] = bias;
  }
}

AT_LAUNCHER(layerNormParameters, at_layer_norm_work)
{
  const ptrdiff_t chunks = (work->count + work->chunk - 1) / work->chunk;
  THC_LAUNCH(layer_norm_parameters, THC_blocks(chunks * work->lines.n), THC_BLOCK, 0, stream, *work,
             chunks);
}

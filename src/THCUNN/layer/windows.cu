/* Kernels of windows that slide over images: max pooling, im2col and col2im.  One thread computes
 * each element, so that no sum depends on the order of threads. */
#include "thcunn_template.h"

/* n / by; most strides and dilations are 1 and need no division. */
THC_DEVICE int64_t over(int64_t n, int64_t by)
{
  return by == 1 ? n : n / by;
}

/* The windows [first, end) along an axis that may contain the position. */
THC_DEVICE void windows_at(const THCUNNWindows &w, int axis, int64_t at, int64_t *first,
                           int64_t *end)
{
  const int64_t last = at + w.pad[axis];
  const int64_t begin = last - (w.size[axis] - 1) * w.dilation[axis];
  *first = begin <= 0 ? 0 : over(begin + w.step[axis] - 1, w.step[axis]);
  *end = over(last, w.step[axis]) + 1;
  if (*end > w.output[axis])
    *end = w.output[axis];
}

/* The first position of a window that is inside the image. */
THC_DEVICE int64_t begin_of(const THCUNNWindows &w, int axis, int64_t window)
{
  const int64_t start = window * w.step[axis] - w.pad[axis], by = w.dilation[axis];
  return start < 0 ? start + over(-start + by - 1, by) * by : start;
}

THC_DEVICE int64_t end_of(const THCUNNWindows &w, int axis, int64_t window)
{
  const int64_t end =
      window * w.step[axis] - w.pad[axis] + (w.size[axis] - 1) * w.dilation[axis] + 1;
  return end < w.input[axis] ? end : w.input[axis];
}

__global__ static void pool(THCUNNWindows w, Digits digits, int64_t count, const element *x,
                            element *y, int64_t *index, int64_t base)
{
  THC_GRID_LOOP(i, count)
  {
    int64_t rest = i;
    const int64_t column = digit_of(digits, 0, &rest), row = digit_of(digits, 1, &rest);
    const element *plane = x + rest * w.input[0] * w.input[1];
    const int64_t left = begin_of(w, 1, column), right = end_of(w, 1, column);
    const int64_t top = begin_of(w, 0, row), bottom = end_of(w, 0, row);
    int64_t best = top * w.input[1] + left;
    real most = -(real)INFINITY;
    for (int64_t r = top; r < bottom; r += w.dilation[0])
      for (int64_t c = left; c < right; c += w.dilation[1]) {
        const real v = THC_LOAD(plane[r * w.input[1] + c]);
        if (v > most || v != v) { /* NaN is larger than all */
          most = v;
          best = r * w.input[1] + c;
        }
      }
    y[i] = THC_STORE(most);
    index[i] = best + base;
  }
}

__global__ static void pool_backward(THCUNNWindows w, Digits digits, int64_t count,
                                     const element *g, const int64_t *index, element *dx,
                                     int64_t base)
{
  THC_GRID_LOOP(i, count)
  {
    int64_t plane = i;
    const int64_t column = digit_of(digits, 0, &plane), row = digit_of(digits, 1, &plane);
    const int64_t here = row * w.input[1] + column + base;
    int64_t top, bottom, left, right;
    windows_at(w, 0, row, &top, &bottom);
    windows_at(w, 1, column, &left, &right);
    real sum = 0;
    for (int64_t r = top; r < bottom; r++)
      for (int64_t c = left; c < right; c++) {
        const int64_t at = (plane * w.output[0] + r) * w.output[1] + c;
        if (index[at] == here)
          sum += THC_LOAD(g[at]);
      }
    dx[i] = THC_STORE(sum);
  }
}

__global__ static void im2col(THCUNNWindows w, Digits digits, int64_t count, const element *x,
                              element *columns)
{
  THC_GRID_LOOP(i, count)
  {
    int64_t plane = i;
    const int64_t column = digit_of(digits, 0, &plane), row = digit_of(digits, 1, &plane);
    const int64_t kx = digit_of(digits, 2, &plane), ky = digit_of(digits, 3, &plane);
    const int64_t r = row * w.step[0] - w.pad[0] + ky * w.dilation[0];
    const int64_t c = column * w.step[1] - w.pad[1] + kx * w.dilation[1];
    const int inside = r >= 0 && r < w.input[0] && c >= 0 && c < w.input[1];
    columns[i] = inside ? x[(plane * w.input[0] + r) * w.input[1] + c] : THC_STORE(0);
  }
}

__global__ static void col2im(THCUNNWindows w, Digits digits, int64_t count, const element *columns,
                              element *x)
{
  THC_GRID_LOOP(i, count)
  {
    int64_t plane = i;
    const int64_t column = digit_of(digits, 0, &plane), row = digit_of(digits, 1, &plane);
    int64_t top, bottom, left, right;
    windows_at(w, 0, row, &top, &bottom);
    windows_at(w, 1, column, &left, &right);
    real sum = 0;
    for (int64_t r = top; r < bottom; r++)
      for (int64_t c = left; c < right; c++) {
        const int64_t y = row + w.pad[0] - r * w.step[0], z = column + w.pad[1] - c * w.step[1];
        const int64_t ky = over(y, w.dilation[0]), kx = over(z, w.dilation[1]);
        if (ky * w.dilation[0] != y || kx * w.dilation[1] != z)
          continue;
        const int64_t line = (plane * w.size[0] + ky) * w.size[1] + kx;
        sum += THC_LOAD(columns[(line * w.output[0] + r) * w.output[1] + c]);
      }
    x[i] = THC_STORE(sum);
  }
}

extern "C" void THCUNN_(maxPool)(const THCUNNWindows *w, int64_t planes, const void *x, void *y,
                                 int64_t *index, int64_t base, cudaStream_t stream)
{
  const int64_t count = planes * w->output[0] * w->output[1];
  THC_LAUNCH(pool, THC_blocks(count), THC_BLOCK, 0, stream, *w,
             digits_of(count, 2, w->output[1], w->output[0], 1, 1), count, (const element *)x,
             (element *)y, index, base);
}

extern "C" void THCUNN_(maxPoolBackward)(const THCUNNWindows *w, int64_t planes, const void *g,
                                         const int64_t *index, void *dx, int64_t base,
                                         cudaStream_t stream)
{
  const int64_t count = planes * w->input[0] * w->input[1];
  THC_LAUNCH(pool_backward, THC_blocks(count), THC_BLOCK, 0, stream, *w,
             digits_of(count, 2, w->input[1], w->input[0], 1, 1), count, (const element *)g, index,
             (element *)dx, base);
}

extern "C" void THCUNN_(im2col)(const THCUNNWindows *w, int64_t planes, const void *x,
                                void *columns, cudaStream_t stream)
{
  const int64_t count = planes * w->size[0] * w->size[1] * w->output[0] * w->output[1];
  THC_LAUNCH(im2col, THC_blocks(count), THC_BLOCK, 0, stream, *w,
             digits_of(count, 4, w->output[1], w->output[0], w->size[1], w->size[0]), count,
             (const element *)x, (element *)columns);
}

extern "C" void THCUNN_(col2im)(const THCUNNWindows *w, int64_t planes, const void *columns,
                                void *x, cudaStream_t stream)
{
  const int64_t count = planes * w->input[0] * w->input[1];
  THC_LAUNCH(col2im, THC_blocks(count), THC_BLOCK, 0, stream, *w,
             digits_of(count, 2, w->input[1], w->input[0], 1, 1), count, (const element *)columns,
             (element *)x);
}

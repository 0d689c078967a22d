/* Kernels of im2col and col2im.  One thread computes each element, so that no sum depends on the order of
 * threads. */
#include "THCUNN/layer/thcunn_template.h"

/* Computes elements of columns, [plane][tap][image][position].  With imagesAtOnce, a line has the positions of
 * so many images; otherwise the planes of all images follow each other, and a line has one image. */
__global__ static void im2col(THCUNNColumns w, IndexSplit split, int64_t count)
{
  THC_GRID_LOOP(i, count)
  {
    int64_t plane = i, at[3], inside = 1;
    for (int a = 2; a >= 0; a--)
      at[a] = next_coordinate(split, 2 - a, &plane) * w.axis[a].step - w.axis[a].pad;
    const int64_t image = next_coordinate(split, 3, &plane);
    for (int a = 2; a >= 0; a--) {
      at[a] += next_coordinate(split, 6 - a, &plane) * w.axis[a].dilation;
      inside &= at[a] >= 0 && at[a] < w.axis[a].input;
    }
    plane += image * w.planes;
    const int64_t from = ((plane * w.axis[0].input + at[0]) * w.axis[1].input + at[1]);
    ((element *)w.to)[i] =
        inside ? ((const element *)w.from)[from * w.axis[2].input + at[2]] : THC_STORE(0);
  }
}

__global__ static void col2im(THCUNNColumns w, IndexSplit split, int64_t count)
{
  const THNNWindow *a = w.axis;
  THC_GRID_LOOP(i, count)
  {
    int64_t plane = i, at[3], first[3], end[3];
    for (int k = 2; k >= 0; k--) {
      at[k] = next_coordinate(split, 2 - k, &plane);
      THNNWindow_covering(&a[k], at[k], &first[k], &end[k]);
    }
    real sum = w.bias ? THC_LOAD(((const element *)w.bias)[plane % w.planes]) : (real)0;
    for (int64_t t = first[0]; t < end[0]; t++)
      for (int64_t r = first[1]; r < end[1]; r++) {
        const int64_t z = tap_of(a[0], t, at[0]), y = tap_of(a[1], r, at[1]);
        for (int64_t c = first[2]; c < end[2] && z >= 0 && y >= 0; c++) {
          const int64_t x = tap_of(a[2], c, at[2]);
          const int64_t line = ((plane * a[0].size + z) * a[1].size + y) * a[2].size + x;
          const int64_t window = (t * a[1].output + r) * a[2].output + c;
          if (x >= 0)
            sum +=
                THC_LOAD(((const element *)
                              w.from)[line * (a[0].output * a[1].output * a[2].output) + window]);
        }
      }
    ((element *)w.to)[i] = THC_STORE(sum);
  }
}

extern "C" void THCUNN_(im2col)(const THCUNNColumns *w, int64_t planes, cudaStream_t stream)
{
  const THNNWindow *a = w->axis;
  const int64_t size[] = {
      a[2].output, a[1].output, a[0].output, w->imagesAtOnce ? w->imagesAtOnce : 1,
      a[2].size,   a[1].size,   a[0].size};
  int64_t count = planes;
  for (int k = 0; k < 7; k++)
    count *= k == 3 ? 1 : size[k];
  THC_LAUNCH(im2col, THC_blocks(count), THC_BLOCK, 0, stream, *w, index_split(count, 7, size),
             count);
}

extern "C" void THCUNN_(col2im)(const THCUNNColumns *w, int64_t planes, cudaStream_t stream)
{
  const THNNWindow *a = w->axis;
  const int64_t size[] = {a[2].input, a[1].input, a[0].input};
  const int64_t count = planes * size[0] * size[1] * size[2];
  THC_LAUNCH(col2im, THC_blocks(count), THC_BLOCK, 0, stream, *w, index_split(count, 3, size),
             count);
}

/* Kernels of the pooling of regions of interest: a thread for each cell of a grid; backward, one for
 * each plane, which takes the regions one after the other. */
#include "ATen/cuda/at_kernel.h"

#define AT_ROI static __device__ inline
#include "ATen/nn/roiElements.h"

THC_DEVICE bool region_of(const at_roi_work &w, ptrdiff_t i, at_region *region)
{
  double numbers[5];
  for (int k = 0; k < 5; k++)
    numbers[k] = (double)((const real *)w.rois)[5 * i + k];
  return at_regionOf(numbers, w.images, w.scale, region);
}

__global__ static void roi_check(at_roi_work w)
{
  THC_GRID_LOOP(i, w.regions)
  {
    at_region region = {};
    const double image = (double)((const real *)w.rois)[5 * i];
    if (!region_of(w, i, &region))
      at_report(w.report, AT_ROI_REGIONS, 0, w.images - 1, i,
                image >= -0x1p62 && image <= 0x1p62 ? (int64_t)image : INT64_MIN);
  }
  THC_GRID_LOOP(i, w.checksArgmax ? w.regions * w.channels * w.cellRows * w.cellColumns : 0)
  {
    if (w.argmax[i] < -1 || w.argmax[i] >= w.height * w.width)
      at_report(w.report, AT_ROI_ARGMAXES, -1, w.height * w.width - 1, i, w.argmax[i]);
  }
}

AT_LAUNCHER(roiCheck, at_roi_work)
{
  const ptrdiff_t cells = work->regions * work->channels * work->cellRows * work->cellColumns;
  THC_LAUNCH(roi_check, THC_blocks(cells > work->regions ? cells : work->regions), THC_BLOCK, 0,
             stream, *work);
}

__global__ static void roi_pool(at_roi_work w)
{
  const int64_t cells = w.cellRows * w.cellColumns;
  THC_GRID_LOOP(k, w.regions * w.channels * cells)
  {
    const int64_t channel = k / cells % w.channels;
    at_region region = {};
    region_of(w, k / cells / w.channels, &region);
    const at_cell c = at_cellOf(&region, k % cells, w.cellRows, w.cellColumns, w.height, w.width);
    const real *plane =
        (const real *)w.x + (region.image * w.channels + channel) * w.height * w.width;
    int64_t best = -1;
    for (int64_t y = c.top; y < c.bottom; y++)
      for (int64_t x = c.left; x < c.right; x++)
        if (best < 0 || plane[y * w.width + x] > plane[best])
          best = y * w.width + x;
    ((real *)w.y)[k] = best < 0 ? (real)0 : plane[best];
    w.argmax[k] = (int)best;
  }
}

AT_LAUNCHER(roiPool, at_roi_work)
{
  const ptrdiff_t cells = work->regions * work->channels * work->cellRows * work->cellColumns;
  THC_LAUNCH(roi_pool, THC_blocks(cells), THC_BLOCK, 0, stream, *work);
}

__global__ static void roi_pool_backward(at_roi_work w)
{
  const int64_t cells = w.cellRows * w.cellColumns;
  THC_GRID_LOOP(p, w.images * w.channels)
  {
    const int64_t image = p / w.channels, channel = p % w.channels;
    real *plane = (real *)w.y + p * w.height * w.width;
    for (int64_t r = 0; r < w.regions; r++) {
      at_region region = {};
      if (!region_of(w, r, &region))
        continue;
      const int64_t first = (r * w.channels + channel) * cells;
      for (int64_t i = first; region.image == image && i < first + cells; i++)
        if (w.argmax[i] >= 0 && w.argmax[i] < w.height * w.width)
          plane[w.argmax[i]] += ((const real *)w.x)[i];
    }
  }
}

AT_LAUNCHER(roiPoolBackward, at_roi_work)
{
  THC_LAUNCH(roi_pool_backward, THC_blocks(work->images * work->channels), THC_BLOCK, 0, stream,
             *work);
}

/* Pooling of regions of interest (Girshick, Fast R-CNN, 2015): the maximum in each cell of a grid
 * over each region. */
#include "roi.h"

#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"
#include "nn.h"

#define AT_ROI static inline
#include "roiElements.h"

/* The operands of the loops over planes. */
typedef struct {
  int64_t channels, height, width; /* of the images */
  int64_t cellRows, cellColumns;   /* of the grid */
  int64_t count;                   /* of regions */
  at_region *regions;
  const void *input;
  void *output;
  int *argmax;
} Job;

/* --- regions --------------------------------------------------------------------------------- */

static at_region read_region(at_tensor *rois, int64_t i, int64_t images, double scale)
{
  double v[5];
  for (int k = 0; k < 5; k++)
    v[k] = at_scalar_toDouble(at_elementAt(rois, rois->th->storageOffset + i * rois->th->stride[0] +
                                                     k * rois->th->stride[1]));
  if (!(v[0] >= 0 && v[0] < (double)images))
    at_raise(AT_ERROR_ARGUMENT, "region %lld is of image %g, and there are %lld images",
             (long long)i, v[0], (long long)images);
  for (int k = 1; k < 5; k++)
    if (isnan(v[k] * scale))
      at_raise(AT_ERROR_ARGUMENT, "a corner of region %lld is no number", (long long)i);
  at_region region;
  at_regionOf(v, images, scale, &region);
  return region;
}

/* --- planes ---------------------------------------------------------------------------------- */

static at_cell cell_of(const Job *job, int64_t region, int64_t i)
{
  return at_cellOf(&job->regions[region], i, job->cellRows, job->cellColumns, job->height,
                   job->width);
}

static int64_t cells(const Job *job)
{
  return job->cellRows * job->cellColumns;
}

/* The index of the first cell of channel c of region k, and that of the plane's first pixel. */
static int64_t first_cell(const Job *job, int64_t k, int64_t c)
{
  return (k * job->channels + c) * cells(job);
}

static int64_t first_pixel(const Job *job, int64_t k, int64_t c)
{
  return (job->regions[k].image * job->channels + c) * job->height * job->width;
}

#define real float
#include "roiReal.h"
#define real double
#include "roiReal.h"

/* Checks the operands of both directions and sets up the job; the guard holds the regions, which on
 * a device remain to be checked. */
static void open_job(Job *job, THGuard *guard, at_tensor *input, at_tensor *rois, int64_t height,
                     int64_t width, double scale)
{
  const at_ints size = at_sizesOf(input), list = at_sizesOf(rois);
  if (size.count != 4 || list.count != 2 || list.data[1] != 5)
    at_raise(AT_ERROR_ARGUMENT,
             "input is of size %s and rois of %s: they have to have 4 dimensions, "
             "and 2 with rows of 5",
             at_sizeDesc(size).str, at_sizeDesc(list).str);
  at_layerSame(input, rois, "rois");
  if (height < 1 || width < 1)
    at_raise(AT_ERROR_ARGUMENT, "the grid is of %lld x %lld cells", (long long)height,
             (long long)width);
  if (size.data[2] > INT32_MAX / THMax(size.data[3], 1))
    at_raise(AT_ERROR_ARGUMENT, "input is of size %s: indices in its planes exceed Int",
             at_sizeDesc(size).str);
  THGuard_enter(guard, THFree);
  *job = (Job){.channels = size.data[1],
               .height = size.data[2],
               .width = size.data[3],
               .cellRows = height,
               .cellColumns = width,
               .count = list.data[0]};
  if (job->count > PTRDIFF_MAX / (ptrdiff_t)sizeof(at_region))
    at_raise(AT_ERROR_ARGUMENT, "there are %lld regions", (long long)job->count);
  if (!at_isOnHost(rois->type))
    return;
  job->regions = guard->what = THAlloc(job->count * (ptrdiff_t)sizeof(at_region));
  for (int64_t i = 0; i < job->count; i++)
    job->regions[i] = read_region(rois, i, size.data[0], scale);
}

/* t, contiguous and in that type. */
static at_tensor *flat(at_pool *pool, at_tensor *t, const at_type *type)
{
  t = at_layerCast(pool, t, type);
  return at_isContiguous(t) ? t : at_hold(pool, at_newCast(t, type));
}

/* --- on a device ----------------------------------------------------------------------------- */

/* What a device's kernels take of the job; the pool holds rois as they take it. */
static at_roi_work device_work(at_pool *pool, const Job *job, int64_t images, at_tensor *rois,
                               const at_type *type, double scale)
{
  return (at_roi_work){.images = images,
                       .channels = job->channels,
                       .height = job->height,
                       .width = job->width,
                       .cellRows = job->cellRows,
                       .cellColumns = job->cellColumns,
                       .regions = job->count,
                       .scale = scale,
                       .rois = at_data(flat(pool, rois, type))};
}

/* Raises if there is known to be a region that is none, or a wrong index in argmax; the kernels
 * follow neither. */
static void check_on_device(at_roi_work work, const at_type *type, const char *function)
{
  THCFault fault;
  work.report.fault.function = function;
  if (work.regions == 0 ||
      !at_cuda()->check(AT_KERNEL_roiCheck, type->held, &work, &work.report, &fault))
    return;
  if (fault.arg == AT_ROI_REGIONS)
    at_raise(AT_ERROR_ARGUMENT,
             "region %lld is of none of %lld images, or a corner of it is no number",
             (long long)fault.at, (long long)work.images);
  at_raise(AT_ERROR_ARGUMENT, "argmaxes has %lld, in planes of %lld x %lld", (long long)fault.value,
           (long long)work.height, (long long)work.width);
}

/* --- calls ----------------------------------------------------------------------------------- */

void at_roiPool(at_tensor **out, at_tensor *input, at_tensor *rois, int64_t height, int64_t width,
                double scale)
{
  const at_type *const type = at_layerTypeOf(input->type, input->type->scalarType);
  Job job;
  THGuard regions;
  at_pool pool;
  at_pool_enter(&pool);
  open_job(&job, &regions, input, rois, height, width, scale);
  const int64_t sizes[] = {job.count, job.channels, height, width};
  at_tensor *output = at_hold(&pool, at_newShape(type, (at_ints){sizes, 4}));
  at_tensor *argmax =
      at_hold(&pool, at_newShape(at_toScalarType(type, AT_INT), (at_ints){sizes, 4}));
  job.input = at_data(flat(&pool, input, type));
  job.output = at_data(output);
  job.argmax = at_data(argmax);
  if (!at_isOnHost(type)) {
    at_roi_work work = device_work(&pool, &job, input->th->size[0], rois, type, scale);
    check_on_device(work, type, "RoiPooling2d_forward");
    work.x = job.input;
    work.y = job.output;
    work.argmax = job.argmax;
    if (at_numel(output) > 0)
      at_cuda()->launch(AT_KERNEL_roiPool, type->held, &work);
  } else if (at_numel(output) > 0)
    TH_PARALLEL_FOR (i, job.count * job.channels, 16) {
      if (type->scalarType == AT_FLOAT)
        pool_float(&job, i / job.channels, i % job.channels);
      else
        pool_double(&job, i / job.channels, i % job.channels);
    }
  if (type != input->type)
    output = at_hold(&pool, at_newCast(output, input->type));
  at_tensor *const made[] = {output, argmax};
  THGuard_leave(&regions);
  at_finish(&pool, 2, out, made);
}

at_tensor *at_roiPoolBackward(at_tensor *out, at_tensor *input, at_tensor *rois, int64_t height,
                              int64_t width, at_tensor *gradOutput, at_tensor *argmaxes)
{
  const at_type *const type = at_layerTypeOf(input->type, input->type->scalarType);
  at_layerSame(input, gradOutput, "gradOutput");
  if (argmaxes->type->scalarType != AT_INT)
    at_raise(AT_ERROR_TYPE, "argmaxes is of %s, and has to be of Int",
             at_scalarTypeName(argmaxes->type->scalarType));
  Job job;
  THGuard regions;
  at_pool pool;
  at_pool_enter(&pool);
  open_job(&job, &regions, input, rois, height, width, 1);
  const int64_t sizes[] = {job.count, job.channels, height, width};
  if (!at_sameSizes(at_sizesOf(gradOutput), (at_ints){sizes, 4}) ||
      !at_sameSizes(at_sizesOf(argmaxes), (at_ints){sizes, 4}))
    at_raise(AT_ERROR_ARGUMENT, "gradOutput is of size %s and argmaxes of %s, and the grids of %s",
             at_sizeDesc(at_sizesOf(gradOutput)).str, at_sizeDesc(at_sizesOf(argmaxes)).str,
             at_sizeDesc((at_ints){sizes, 4}).str);
  at_tensor *const argmax = flat(&pool, argmaxes, argmaxes->type);
  job.argmax = at_data(argmax);
  for (int64_t i = 0; i < at_numel(argmax) && at_isOnHost(type); i++)
    if (job.argmax[i] < -1 || job.argmax[i] >= job.height * job.width)
      at_raise(AT_ERROR_ARGUMENT, "argmaxes has %d, in planes of %lld x %lld", job.argmax[i],
               (long long)job.height, (long long)job.width);
  job.input = at_data(flat(&pool, gradOutput, type));
  at_tensor *r = at_hold(&pool, at_makeFilled(type, at_sizesOf(input), at_scalar_long(0)));
  job.output = at_data(r);
  if (!at_isOnHost(type)) {
    at_roi_work work = device_work(&pool, &job, input->th->size[0], rois, type, 1);
    work.argmax = job.argmax;
    work.checksArgmax = true;
    check_on_device(work, type, "RoiPooling2d_backward");
    work.x = job.input;
    work.y = job.output;
    if (at_numel(argmax) > 0)
      at_cuda()->launch(AT_KERNEL_roiPoolBackward, type->held, &work);
  } else if (at_numel(argmax) > 0)
    TH_PARALLEL_FOR (c, job.channels, 1) {
      if (type->scalarType == AT_FLOAT)
        backward_float(&job, c);
      else
        backward_double(&job, c);
    }
  if (type != input->type)
    r = at_hold(&pool, at_newCast(r, input->type));
  THGuard_leave(&regions);
  return at_finishOne(&pool, out, r);
}

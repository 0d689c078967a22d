/* Histograms. */
#include "THTemplate.h"

#include "TH/core/THTeam.h"
#include "TH/tensor/THTensorCore.h"

typedef struct {
  real low, high;
  int64_t bins;
  int threads;
  int64_t *counts; /* bins for each thread */
} Histogram;

static void THTensor_(count)(const THRun *run, const void *scalars)
{
  const Histogram *h = scalars;
  int64_t *counts = h->counts + THTeam_index(h->threads) * h->bins;
  const real width = h->high - h->low, bins = (real)h->bins;
  const int fits = isfinite(width * bins);
  for (ptrdiff_t j = 0; j < run->rows; j++)
    for (ptrdiff_t i = 0; i < run->n; i++) {
      const real x = ((const real *)run->at[0])[j * run->rowStride[0] + i * run->stride[0]];
      if (!(x >= h->low && x <= h->high))
        continue;
      const real bin = fits ? (x - h->low) * bins / width : (x - h->low) / width * bins;
      counts[bin < bins ? (int64_t)bin : h->bins - 1]++;
    }
}

/* Sets low and high. */
static void THTensor_(histogramRange)(Histogram *h, THTensor *t, real low, real high)
{
  THArgCheck(h->bins > 0, 3, "nbins is %lld", (long long)h->bins);
  if (low == high && THTensor_(nElement)(t) > 0) {
    low = THTensor_(minall)(t);
    high = THTensor_(maxall)(t);
  }
  if (low == high && isfinite(low)) {
    low -= 1;
    high += 1;
  }
  THArgCheck(isfinite(low) && isfinite(high) && isfinite(high - low), 4,
             "the range from %g to %g is not finite", (double)low, (double)high);
  THArgCheck(low < high, 5, "maxvalue %g is not above minvalue %g", (double)high, (double)low);
  h->low = low;
  h->high = high;
}

/* dims 2: hist[row] becomes the histogram of row `row` of the matrix t.  dims 1: hist becomes the
 * histogram of all of t; rows is 1.  hist is resized. */
static void THTensor_(histogram)(THTensor *hist, THTensor *t, Histogram *h, int64_t rows, int dims)
{
  THShape shape;
  THShape_open(&shape, dims);
  shape.size[0] = rows;
  shape.size[dims - 1] = h->bins;
  THShape_setStrides(&shape, NULL);

  const int threads = h->threads = THTeam_most();
  ptrdiff_t each, bytes, all;
  if (__builtin_mul_overflow(h->bins, (ptrdiff_t)sizeof(int64_t), &each) ||
      __builtin_mul_overflow(each, threads, &bytes) ||
      __builtin_mul_overflow(h->bins, rows * (ptrdiff_t)sizeof(real), &all))
    THArgError(3, "nbins is %lld: too many", (long long)h->bins);
  THGuard guard, guardAll;
  THGuard_enter(&guard, THFree);
  h->counts = guard.what = THAlloc(bytes);
  THGuard_enter(&guardAll, THFree);
  real *result = guardAll.what = THAlloc(all);

  for (int64_t row = 0; row < rows; row++) {
    memset(h->counts, 0, (size_t)bytes);
    THLoop loop;
    THLoop_init(&loop);
    if (dims == 1)
      THLoop_tensor(&loop, t);
    else
      THLoop_operand(&loop, THTensor_(data)(t) + (t->nDimension > 1 ? row * t->stride[0] : 0),
                     sizeof(real), 1, &t->size[t->nDimension - 1], &t->stride[t->nDimension - 1]);
    loop.grain = THMax(loop.grain, h->bins);
    THLoop_run(&loop, THTensor_(count), h);
    for (int64_t b = 0; b < h->bins; b++) {
      int64_t sum = 0;
      for (int k = 0; k < threads; k++)
        sum += h->counts[k * h->bins + b];
      result[row * h->bins + b] = (real)sum;
    }
  }

  /* The operand may have been freed by the resizing.  Elements are written in order, if they share
   * memory too. */
  THTensor_(resizeResult)(hist, &shape);
  for (int64_t row = 0; row < rows; row++)
    for (int64_t b = 0; b < h->bins; b++)
      THTensor_(data)(hist)[(dims > 1 ? row * hist->stride[0] : 0) + b * hist->stride[dims - 1]] =
          result[row * h->bins + b];
  THGuard_leave(&guardAll);
  THGuard_leave(&guard);
  THShape_close(&shape);
}

void THTensor_(histc)(THTensor *hist, THTensor *tensor, int64_t nbins, real minvalue, real maxvalue)
{
  Histogram h = {.bins = nbins};
  THTensor_(histogramRange)(&h, tensor, minvalue, maxvalue);
  THTensor_(histogram)(hist, tensor, &h, 1, 1);
}

void THTensor_(bhistc)(THTensor *hist, THTensor *tensor, int64_t nbins, real minvalue,
                       real maxvalue)
{
  THArgCheck(tensor->nDimension == 1 || tensor->nDimension == 2, 2,
             "a tensor of size %s is neither a matrix nor a vector",
             THTensor_(sizeDesc)(tensor).str);
  Histogram h = {.bins = nbins};
  THTensor_(histogramRange)(&h, tensor, minvalue, maxvalue);
  THTensor_(histogram)(hist, tensor, &h, tensor->nDimension == 2 ? tensor->size[0] : 1, 2);
}

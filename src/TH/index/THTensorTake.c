/* Taking and putting elements by their flat index, in row-major order. */
#include "THTemplate.h"

#include "THIndex.h"
#include "TH/loop/THDims.h"
#include "TH/tensor/THTensorCore.h"

/* A tensor whose elements have flat indices: dimensions innermost first, merged where the strides
 * allow it. */
#ifdef TH_TEMPLATE_DEVICE
#include "THC/index/THCIndexRun.h"
typedef THCTakePut FlatView;
#else
typedef struct {
  real *data;
  ptrdiff_t count;
  int dims, accumulate;
  ptrdiff_t size[TH_LOOP_DIMS], stride[TH_LOOP_DIMS];
} FlatView;
#endif

static void THTensor_(flatten)(FlatView *flat, THTensor *t)
{
  int dims = 0;
  for (int d = t->nDimension - 1; d >= 0; d--)
    if (t->size[d] != 1) {
      flat->size[dims] = t->size[d];
      flat->stride[dims++] = t->stride[d];
    }
  flat->dims = THDims_merge(dims, 1, flat->size, &flat->stride);
  if (flat->dims == 0)
    flat->size[0] = flat->stride[0] = flat->dims = 1;
  flat->data = THTensor_(data)(t);
  flat->count = THTensor_(nElement)(t);
}

/* --- the steps with elements ----------------------------------------------------------------- */

#ifdef TH_TEMPLATE_DEVICE

static void THTensor_(runTake)(THTensor *tensor, THLongTensor *index, const FlatView *flat)
{
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, tensor);
  THLoop_tensor(&loop, index);
  THC_runIndices(&loop, INDEX_KERNEL(THC_INDEX_take), flat);
}

static void THTensor_(runPut)(THLongTensor *index, THTensor *src, const FlatView *flat)
{
  THGuard guard, guardIndex; /* copies of one shape */
  const int other =
      !THSize_isSameSizeAs(index->size, index->nDimension, src->size, src->nDimension);
  src = THTensor_(copiedIf)(&guard, src, other);
  index = THLongTensor_copiedIf(&guardIndex, index, other);
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, index);
  THLoop_tensor(&loop, src);
  THC_runIndices(&loop, INDEX_KERNEL(THC_INDEX_put), flat);
  THGuard_leave(&guardIndex);
  THGuard_leave(&guard);
}

#else

static inline real *element_at(const FlatView *flat, int64_t index)
{
  int64_t rest = index < 0 ? index + flat->count : index - TH_INDEX_BASE;
  ptrdiff_t at = 0;
  for (int d = 0; d < flat->dims - 1; d++) {
    at += rest % flat->size[d] * flat->stride[d];
    rest /= flat->size[d];
  }
  return flat->data + at + rest * flat->stride[flat->dims - 1];
}

static void THTensor_(takeRun)(const THRun *run, const void *scalars)
{
  const FlatView *flat = scalars;
  const ptrdiff_t dr = run->stride[0], di = run->stride[1], count = flat->count;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *r = (real *)run->at[0] + j * run->rowStride[0];
    const int64_t *index = (const int64_t *)run->at[1] + j * run->rowStride[1];
    if (flat->dims == 1 && flat->stride[0] == 1) {
      const real *data = flat->data;
      for (ptrdiff_t i = 0; i < run->n; i++) {
        const int64_t k = index[i * di];
        r[i * dr] = data[k < 0 ? k + count : k - TH_INDEX_BASE];
      }
    } else {
      for (ptrdiff_t i = 0; i < run->n; i++)
        r[i * dr] = *element_at(flat, index[i * di]);
    }
  }
}

static void THTensor_(runTake)(THTensor *tensor, THLongTensor *index, const FlatView *flat)
{
  THLoop loop;
  THLoop_init(&loop);
  loop.grain = TH_LOOP_GRAIN / 4;
  THLoop_tensor(&loop, tensor);
  THLoop_tensor(&loop, index);
  THLoop_run(&loop, THTensor_(takeRun), flat);
}

static void THTensor_(putRun)(const THRun *run, const void *scalars)
{
  const FlatView *flat = scalars;
  for (ptrdiff_t j = 0; j < run->rows; j++)
    for (ptrdiff_t i = 0; i < run->n; i++) {
      const int64_t index = ((int64_t *)run->at[0])[j * run->rowStride[0] + i * run->stride[0]];
      const real x = ((real *)run->at[1])[j * run->rowStride[1] + i * run->stride[1]];
      real *to = element_at(flat, index);
      *to = flat->accumulate ? (real)(*to + x) : x;
    }
}

static void THTensor_(runPut)(THLongTensor *index, THTensor *src, const FlatView *flat)
{
  THLoop loop;
  THLoop_init(&loop);
  loop.inOrder = 1; /* an element may be written twice */
  THLoop_tensor(&loop, index);
  THLoop_tensor(&loop, src);
  THLoop_run(&loop, THTensor_(putRun), flat);
}

#endif

void THTensor_(take)(THTensor *tensor, THTensor *src, THLongTensor *index)
{
  THIndex_checkFlat(index, 3, THTensor_(nElement)(src));
  THShape shape;
  THShape_openAs(&shape, index->nDimension, index->size, NULL);
  THShape_setStrides(&shape, NULL);
  THStandIn standIn;
  tensor = THTensor_(openStandIn)(&standIn, tensor, &shape, -1, 1);
  const THView result = TH_VIEW(tensor);

  THGuard guard, guardIndex;
  src = THTensor_(copiedIf)(&guard, src,
                            THResult_overlap(result, &shape, TH_VIEW(src)) != TH_OVERLAP_NONE);
  index =
      THLongTensor_copiedIf(&guardIndex, index,
                            THResult_overlap(result, &shape, TH_VIEW(index)) != TH_OVERLAP_NONE);
  THTensor_(resizeResult)(tensor, &shape);
  if (THLongTensor_nElement(index) > 0) {
    FlatView flat;
    THTensor_(flatten)(&flat, src);
    THTensor_(runTake)(tensor, index, &flat);
  }
  THGuard_leave(&guardIndex);
  THGuard_leave(&guard);
  THTensor_(closeStandIn)(&standIn);
  THShape_close(&shape);
}

void THTensor_(put)(THTensor *tensor, THLongTensor *index, THTensor *src, int accumulate)
{
  const ptrdiff_t n = THLongTensor_nElement(index), nsrc = THTensor_(nElement)(src);
  THArgCheck(nsrc == n, 3, "src has %td elements (%s), index has %td (%s)", nsrc,
             THTensor_(sizeDesc)(src).str, n, THLongTensor_sizeDesc(index).str);
  THIndex_checkFlat(index, 2, THTensor_(nElement)(tensor));
#ifdef TH_TEMPLATE_DEVICE
  THView_checkWritable(TH_VIEW(tensor), 1);
#endif
  if (n == 0)
    return;
  THGuard guard, guardIndex;
  src = THTensor_(copiedIf)(&guard, src,
                            THView_overlap(TH_VIEW(tensor), TH_VIEW(src)) != TH_OVERLAP_NONE);
  index = THLongTensor_copiedIf(&guardIndex, index,
                                THView_overlap(TH_VIEW(tensor), TH_VIEW(index)) != TH_OVERLAP_NONE);
  FlatView flat = {.accumulate = accumulate};
  THTensor_(flatten)(&flat, tensor);
  THTensor_(runPut)(index, src, &flat);
  THGuard_leave(&guardIndex);
  THGuard_leave(&guard);
}

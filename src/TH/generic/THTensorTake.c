/* Taking and putting elements by their place in row-major order. */
#include "THTemplate.h"

#include "../THIndex.h"
#include "THTensorCore.h"

/* A tensor whose elements have places: dimensions innermost first, merged where they lie as one. */
#ifdef TH_TEMPLATE_DEVICE
#include "THCIndexRun.h"
typedef THCTakePut Places;
#else
typedef struct {
  real *data;
  ptrdiff_t count;
  int dims, accumulate;
  ptrdiff_t size[TH_LOOP_DIMS], stride[TH_LOOP_DIMS];
} Places;
#endif

static void THTensor_(findPlaces)(Places *places, THTensor *t)
{
  int dims = 0;
  for (int d = t->nDimension - 1; d >= 0; d--) {
    if (t->size[d] == 1)
      continue;
    if (dims && t->stride[d] == places->stride[dims - 1] * places->size[dims - 1]) {
      places->size[dims - 1] *= t->size[d];
    } else {
      places->size[dims] = t->size[d];
      places->stride[dims++] = t->stride[d];
    }
  }
  if (dims == 0)
    places->size[0] = places->stride[0] = dims = 1;
  places->dims = dims;
  places->data = THTensor_(data)(t);
  places->count = THTensor_(nElement)(t);
}

/* --- the steps with elements ----------------------------------------------------------------- */

#ifdef TH_TEMPLATE_DEVICE

static void THTensor_(runTake)(THTensor *tensor, THLongTensor *index, const Places *places)
{
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, tensor);
  THLoop_tensor(&loop, index);
  THC_runIndices(&loop, INDEX_KERNEL(THC_INDEX_take), places);
}

static void THTensor_(runPut)(THLongTensor *index, THTensor *src, const Places *places)
{
  THGuard guard, guardIndex; /* copies of one shape */
  const int other =
      !THSize_isSameSizeAs(index->size, index->nDimension, src->size, src->nDimension);
  src = THTensor_(apart)(&guard, src, other);
  index = THLongTensor_apart(&guardIndex, index, other);
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, index);
  THLoop_tensor(&loop, src);
  THC_runIndices(&loop, INDEX_KERNEL(THC_INDEX_put), places);
  THGuard_leave(&guardIndex);
  THGuard_leave(&guard);
}

#else

static inline real *place_of(const Places *places, int64_t index)
{
  int64_t rest = index < 0 ? index + places->count : index - TH_INDEX_BASE;
  ptrdiff_t at = 0;
  for (int d = 0; d < places->dims - 1; d++) {
    at += rest % places->size[d] * places->stride[d];
    rest /= places->size[d];
  }
  return places->data + at + rest * places->stride[places->dims - 1];
}

static void THTensor_(takeRun)(const THRun *run, const void *scalars)
{
  const Places *places = scalars;
  const ptrdiff_t dr = run->stride[0], di = run->stride[1], count = places->count;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    real *r = (real *)run->at[0] + j * run->rowStride[0];
    const int64_t *index = (const int64_t *)run->at[1] + j * run->rowStride[1];
    if (places->dims == 1 && places->stride[0] == 1) {
      const real *data = places->data;
      for (ptrdiff_t i = 0; i < run->n; i++) {
        const int64_t k = index[i * di];
        r[i * dr] = data[k < 0 ? k + count : k - TH_INDEX_BASE];
      }
    } else {
      for (ptrdiff_t i = 0; i < run->n; i++)
        r[i * dr] = *place_of(places, index[i * di]);
    }
  }
}

static void THTensor_(runTake)(THTensor *tensor, THLongTensor *index, const Places *places)
{
  THLoop loop;
  THLoop_init(&loop);
  loop.grain = TH_LOOP_GRAIN / 4;
  THLoop_tensor(&loop, tensor);
  THLoop_tensor(&loop, index);
  THLoop_run(&loop, THTensor_(takeRun), places);
}

static void THTensor_(putRun)(const THRun *run, const void *scalars)
{
  const Places *places = scalars;
  for (ptrdiff_t j = 0; j < run->rows; j++)
    for (ptrdiff_t i = 0; i < run->n; i++) {
      const int64_t index = ((int64_t *)run->at[0])[j * run->rowStride[0] + i * run->stride[0]];
      const real x = ((real *)run->at[1])[j * run->rowStride[1] + i * run->stride[1]];
      real *to = place_of(places, index);
      *to = places->accumulate ? (real)(*to + x) : x;
    }
}

static void THTensor_(runPut)(THLongTensor *index, THTensor *src, const Places *places)
{
  THLoop loop;
  THLoop_init(&loop);
  loop.inOrder = 1; /* a place may be written twice */
  THLoop_tensor(&loop, index);
  THLoop_tensor(&loop, src);
  THLoop_run(&loop, THTensor_(putRun), places);
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
  src = THTensor_(apart)(&guard, src,
                         THResult_overlap(result, &shape, TH_VIEW(src)) != TH_OVERLAP_NONE);
  index = THLongTensor_apart(&guardIndex, index,
                             THResult_overlap(result, &shape, TH_VIEW(index)) != TH_OVERLAP_NONE);
  THTensor_(resizeResult)(tensor, &shape);
  if (THLongTensor_nElement(index) > 0) {
    Places places;
    THTensor_(findPlaces)(&places, src);
    THTensor_(runTake)(tensor, index, &places);
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
  src = THTensor_(apart)(&guard, src,
                         THView_overlap(TH_VIEW(tensor), TH_VIEW(src)) != TH_OVERLAP_NONE);
  index = THLongTensor_apart(&guardIndex, index,
                             THView_overlap(TH_VIEW(tensor), TH_VIEW(index)) != TH_OVERLAP_NONE);
  Places places = {.accumulate = accumulate};
  THTensor_(findPlaces)(&places, tensor);
  THTensor_(runPut)(index, src, &places);
  THGuard_leave(&guardIndex);
  THGuard_leave(&guard);
}

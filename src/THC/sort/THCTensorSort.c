/* Sorting and selecting along a dimension. */
#define TH_TEMPLATE_DEVICE "THC/core/THCDevice.h"
#include "THTemplate.h"

#include "THCTensorIndex.h"
#include "THCTensorSort.h"
#include "TH/tensor/THTensorCore.h"
#include "THC/reduce/THCReduce.h"
#include "thc_sort.h"

#include "THC/core/THCCalls.h"

void TH_CONCAT_2(THCSort_, Real)(const THCSortWork *work, const THCLines *lines,
                                 cudaStream_t stream);
void TH_CONCAT_2(THCSelect_, Real)(const THCSelectWork *work, const THCLines *lines,
                                   cudaStream_t stream);
void TH_CONCAT_2(THCMode_, Real)(const THCModeWork *work, const THCLines *lines,
                                 cudaStream_t stream);

void THCudaLongDevice_free(THCudaLongTensor *tensor);
int THCudaLongDevice_sharesItself(const THCudaLongTensor *r, int arg);

#define STREAM THCState_getCurrentStream(THC_using)

/* --- memory ----------------------------------------------------------------------------------- */

/* Arrays one after the other in one piece of memory; without memory, their size is computed. */
typedef struct Arena {
  char *data;
  size_t used;
} Arena;

static void *THTensor_(take)(Arena *arena, ptrdiff_t count, size_t size)
{
  void *array = arena->data ? arena->data + arena->used : NULL;
  arena->used += ((size_t)count * size + 15) / 16 * 16;
  return array;
}

/* What sorting of lines above THC_SORT_SHORT needs. */
static void THTensor_(placeWork)(THCSortWork *work, const THCLines *lines, Arena *arena)
{
  const ptrdiff_t n = lines->count * lines->length;
  const ptrdiff_t rows = lines->count * THC_SORT_DIGITS;
  if (lines->length <= THC_SORT_SHORT)
    return;
  for (int i = 0; i < 2 && i + 1 < (int)sizeof(real); i++) { /* a pass for each byte */
    work->bits[i] = THTensor_(take)(arena, n, sizeof(real));
    work->number[i] = THTensor_(take)(arena, n, sizeof(uint32_t));
  }
  work->counts =
      THTensor_(take)(arena, rows * (THCSort_tiles(lines->length) + 1), sizeof(uint32_t));
}

/* Makes operand i of the lines an array [line][length]. */
static void pack_operand(THCLines *lines, int i, ptrdiff_t length)
{
  ptrdiff_t stride = length;
  lines->step[i] = 1;
  for (int d = 0; d < lines->dims; d++) {
    lines->stride[i][d] = stride;
    stride *= lines->size[d];
  }
}

static void THTensor_(checkLength)(const THTensor *t, int dimension)
{
  THArgCheck(t->size[dimension] <= UINT32_MAX, 3,
             "lines of %lld elements are too long to be sorted", (long long)t->size[dimension]);
}

/* --- sort ------------------------------------------------------------------------------------- */

/* Bytes have one pass, which writes while other blocks read: never in place. */
static void THTensor_(sort)(THTensor *values, THLongTensor *indices, THTensor *t, int dimension,
                            int descending)
{
  THTensor_(checkAlong)(t, dimension, 4);
  THTensor_(checkLength)(t, dimension);
  THAlong along;
  t = THTensor_(openAlong)(&along, &values, &indices, t, dimension, 4, t->size[dimension], 0,
                           sizeof(real) > 1);
  THCLines lines;
  THCLines_make(&lines, &along.lines);
  THCSortWork work = {.descending = descending != 0};
  Arena arena = {0};
  THTensor_(placeWork)(&work, &lines, &arena);
  THGuard guard;
  arena.data = THC_room(&guard, arena.used);
  arena.used = 0;
  THTensor_(placeWork)(&work, &lines, &arena);
  THTensor_(resizeResults)(values, indices, &along.shape);
  work.from = THTensor_(data)(t);
  work.values = THTensor_(data)(values);
  work.indices = indices ? THLongTensor_data(indices) : NULL;
  if (lines.count > 0 && lines.length > 0)
    TH_CONCAT_2(THCSort_, Real)(&work, &lines, STREAM);
  THCudaCheck(cudaGetLastError());
  THGuard_leave(&guard);
  THTensor_(closeAlong)(&along);
}

void THCTensor_(sort)(THCState *state, THCTensor *sorted, THCudaLongTensor *indices,
                      THCTensor *input, int dim, int order)
{
  THC_enter(state);
  if (indices)
    THC_CHECK_TENSORS(3, sorted, indices, input);
  else
    THC_CHECK_TENSORS(2, sorted, input);
  THTensor_(sort)(sorted, indices, input, dim, order);
}

void THCTensor_(sortKeyValueInplace)(THCState *state, THCTensor *keys, THCudaLongTensor *values,
                                     int dim, int order)
{
  THC_enter(state);
  THC_CHECK_TENSORS(2, keys, values);
  THArgCheck(THSize_isSameSizeAs(keys->size, keys->nDimension, values->size, values->nDimension), 2,
             "values has size %s, keys has size %s", THLongTensor_sizeDesc(values).str,
             THTensor_(sizeDesc)(keys).str);
  THTensor_(checkAlong)(keys, dim, 3);
  THTensor_(sharesItself)(keys, 1);
  THCudaLongDevice_sharesItself(values, 2);
  THGuard first, second, third;
  THTensor_(guard)(&first);
  THTensor *sorted = first.what = THTensor_(new)();
  THGuard_enter(&second, (THUndo)THCudaLongDevice_free);
  THCudaLongTensor *indices = second.what = THCudaLongTensor_new(state);
  THGuard_enter(&third, (THUndo)THCudaLongDevice_free);
  THCudaLongTensor *moved = third.what = THCudaLongTensor_new(state);
  THTensor_(sort)(sorted, indices, keys, dim, order);
  THCudaLongTensor_resizeAs(state, moved, values);
  THCudaLongTensor_gather(state, moved, values, dim, indices);
  THTensor_(copy)(keys, sorted);
  THCudaLongTensor_copy(state, values, moved);
  THGuard_leave(&third);
  THGuard_leave(&second);
  THGuard_leave(&first);
}

/* --- selection -------------------------------------------------------------------------------- */

/* Selects k elements of each line, and then sorts these. */
static void THTensor_(selectSorted)(THCSelectWork *select, const THCLines *lines, THCSortWork *sort,
                                    const THCLines *few)
{
  select->bits = (void *)sort->from;
  select->numbers = (uint32_t *)sort->numbers;
  TH_CONCAT_2(THCSelect_, Real)(select, lines, STREAM);
  TH_CONCAT_2(THCSort_, Real)(sort, few, STREAM);
}

/* The memory that this takes. */
static void THTensor_(placeTop)(THCSortWork *work, const THCLines *few, Arena *arena)
{
  work->from = THTensor_(take)(arena, few->count * few->length, sizeof(real));
  work->numbers = THTensor_(take)(arena, few->count * few->length, sizeof(uint32_t));
  THTensor_(placeWork)(work, few, arena);
}

static void THTensor_(topk)(THTensor *values, THLongTensor *indices, THTensor *t, int64_t k,
                            int dimension, int descending, int sorted)
{
  THTensor_(checkAlong)(t, dimension, 5);
  THTensor_(checkLength)(t, dimension);
  THArgCheck(k > 0 && k <= t->size[dimension], 4, "k is %lld, dimension %d has size %lld",
             (long long)k, dimension + TH_INDEX_BASE, (long long)t->size[dimension]);
  THAlong along;
  t = THTensor_(openAlong)(&along, &values, &indices, t, dimension, 5, k, 0, 0);
  THCLines lines, few;
  THCLines_make(&lines, &along.lines);
  few = lines;
  few.length = k;
  pack_operand(&few, 0, k);
  THCSelectWork select = {.descending = descending != 0, .k = k};
  THCSortWork sort = {.descending = descending != 0};
  Arena arena = {0};
  if (sorted)
    THTensor_(placeTop)(&sort, &few, &arena);
  THGuard guard;
  arena.data = THC_room(&guard, arena.used);
  arena.used = 0;
  if (sorted)
    THTensor_(placeTop)(&sort, &few, &arena);
  THTensor_(resizeResults)(values, indices, &along.shape);
  select.from = THTensor_(data)(t);
  select.values = sort.values = THTensor_(data)(values);
  select.indices = sort.indices = THLongTensor_data(indices);
  if (lines.count > 0 && sorted)
    THTensor_(selectSorted)(&select, &lines, &sort, &few);
  else if (lines.count > 0)
    TH_CONCAT_2(THCSelect_, Real)(&select, &lines, STREAM);
  THCudaCheck(cudaGetLastError());
  THGuard_leave(&guard);
  THTensor_(closeAlong)(&along);
}

void THCTensor_(topk)(THCState *state, THCTensor *topK, THCudaLongTensor *indices, THCTensor *input,
                      int64_t k, int dim, int dir, int sorted)
{
  THC_enter(state);
  THC_CHECK_TENSORS(3, topK, indices, input);
  THTensor_(topk)(topK, indices, input, k, dim, dir, sorted);
}

void THCTensor_(kthvalue)(THCState *state, THCTensor *values, THCudaLongTensor *indices,
                          THCTensor *input, int64_t k, int dimension, int keepdim)
{
  THC_enter(state);
  THC_CHECK_TENSORS(3, values, indices, input);
  THTensor_(checkAlong)(input, dimension, 5);
  THTensor_(checkLength)(input, dimension);
  THArgCheck(k > 0 && k <= input->size[dimension], 4, "k is %lld, dimension %d has size %lld",
             (long long)k, dimension + TH_INDEX_BASE, (long long)input->size[dimension]);
  THAlong along;
  THTensor *t = THTensor_(openAlong)(&along, &values, &indices, input, dimension, 5, 1,
                                     !keepdim && input->nDimension > 1, 0);
  THCLines lines;
  THCLines_make(&lines, &along.lines);
  THTensor_(resizeResults)(values, indices, &along.shape);
  const THCSelectWork work = {.one = 1,
                              .k = k,
                              .from = THTensor_(data)(t),
                              .values = THTensor_(data)(values),
                              .indices = THLongTensor_data(indices)};
  if (lines.count > 0)
    TH_CONCAT_2(THCSelect_, Real)(&work, &lines, STREAM);
  THCudaCheck(cudaGetLastError());
  THTensor_(closeAlong)(&along);
}

/* --- mode ------------------------------------------------------------------------------------- */

/* The memory: sorted lines, the indices of their elements, and what sorting needs. */
static void THTensor_(placeMode)(THCSortWork *work, const THCLines *lines, Arena *arena)
{
  work->values = THTensor_(take)(arena, lines->count * lines->length, sizeof(real));
  work->indices = THTensor_(take)(arena, lines->count * lines->length, sizeof(int64_t));
  THTensor_(placeWork)(work, lines, arena);
}

static void THTensor_(mode)(THTensor *values, THLongTensor *indices, THTensor *t, int dimension,
                            int keepdim)
{
  THTensor_(checkAlong)(t, dimension, 4);
  THTensor_(checkLength)(t, dimension);
  THArgCheck(t->size[dimension] > 0, 4, "dimension %d of a tensor of size %s has no elements",
             dimension + TH_INDEX_BASE, THTensor_(sizeDesc)(t).str);
  THAlong along;
  t = THTensor_(openAlong)(&along, &values, &indices, t, dimension, 4, 1,
                           !keepdim && t->nDimension > 1, 0);
  THCLines lines, packed;
  THCLines_make(&lines, &along.lines);
  packed = lines;
  pack_operand(&packed, 1, lines.length);
  pack_operand(&packed, 2, lines.length);
  THCSortWork sort = {0};
  Arena arena = {0};
  THTensor_(placeMode)(&sort, &lines, &arena);
  THGuard guard;
  arena.data = THC_room(&guard, arena.used);
  arena.used = 0;
  THTensor_(placeMode)(&sort, &lines, &arena);
  THTensor_(resizeResults)(values, indices, &along.shape);
  sort.from = THTensor_(data)(t);
  const THCModeWork work = {sort.values, sort.indices, THTensor_(data)(values),
                            THLongTensor_data(indices)};
  if (lines.count > 0) {
    TH_CONCAT_2(THCSort_, Real)(&sort, &packed, STREAM);
    TH_CONCAT_2(THCMode_, Real)(&work, &lines, STREAM);
  }
  THCudaCheck(cudaGetLastError());
  THGuard_leave(&guard);
  THTensor_(closeAlong)(&along);
}

void THCTensor_(mode)(THCState *state, THCTensor *values, THCudaLongTensor *indices,
                      THCTensor *input, int dimension, int keepdim)
{
  THC_enter(state);
  THC_CHECK_TENSORS(3, values, indices, input);
  THTensor_(mode)(values, indices, input, dimension, keepdim);
}

/* Sorting along a dimension, and modes, which are found in sorted lines. */
#define TH_TEMPLATE_DEVICE "THC/core/THCDevice.h"
#include "THTemplate.h"

#include "THCTensorIndex.h"
#include "THCTensorSort.h"
#include "TH/tensor/THTensorCore.h"
#include "THC/reduce/THCReduce.h"
#include "THCSortScratch.h"

#include "THC/core/THCCalls.h"

void TH_CONCAT_2(THCMode_, Real)(const THCModeWork *work, const THCLines *lines,
                                 cudaStream_t stream);

void THCudaLongDevice_free(THCudaLongTensor *tensor);
int THCudaLongDevice_sharesItself(const THCudaLongTensor *r, int arg);

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
  arena.data = THC_scratch(&guard, arena.used);
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

/* --- mode ------------------------------------------------------------------------------------- */

/* The memory: sorted lines, the indices of their elements, and what sorting needs. */
static void THTensor_(placeMode)(THCSortWork *work, THCModeWork *mode, const THCLines *lines,
                                 Arena *arena)
{
  mode->chunks = cut_line(lines, &mode->chunk);
  if (mode->chunks > 1)
    mode->runs = THTensor_(take)(arena, lines->count * mode->chunks, sizeof(THCModeRun));
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
  THCModeWork work = {0};
  THTensor_(placeMode)(&sort, &work, &lines, &arena);
  THGuard guard;
  arena.data = THC_scratch(&guard, arena.used);
  arena.used = 0;
  THTensor_(placeMode)(&sort, &work, &lines, &arena);
  THTensor_(resizeResults)(values, indices, &along.shape);
  sort.from = THTensor_(data)(t);
  work.sorted = sort.values;
  work.numbers = sort.indices;
  work.values = THTensor_(data)(values);
  work.indices = THLongTensor_data(indices);
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

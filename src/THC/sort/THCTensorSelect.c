/* Selecting along a dimension: the first elements in the order of the sort, the k-th, the median. */
#define TH_TEMPLATE_DEVICE "THC/core/THCDevice.h"
#include "THTemplate.h"

#include "THCTensorReduce.h"
#include "THCTensorSort.h"
#include "TH/tensor/THTensorCore.h"
#include "THC/reduce/THCReduce.h"
#include "THCSortScratch.h"

#include "THC/core/THCCalls.h"

void TH_CONCAT_2(THCSelect_, Real)(const THCSelectWork *work, const THCLines *lines,
                                   cudaStream_t stream);
void TH_CONCAT_2(THCMedian_, Real)(const THCSelectWork *work, const THCLines *lines,
                                   cudaStream_t stream);

enum { SHORT_MEDIAN = 32 }; /* elements of a line that one thread ranks */

/* Cuts long lines into chunks, and the memory that this takes. */
static void THTensor_(placeSelect)(THCSelectWork *work, const THCLines *lines, Arena *arena)
{
  const ptrdiff_t n = lines->count, digits = (ptrdiff_t)sizeof(real);
  work->chunks = cut_line(lines, &work->chunk);
  if (work->chunks == 1)
    return;
  work->states = THTensor_(take)(arena, n * (digits + 1), sizeof *work->states);
  work->counts = THTensor_(take)(arena, n * digits * (THC_SORT_DIGITS + 1), sizeof *work->counts);
  work->kept = THTensor_(take)(arena, n * work->chunks * 2, sizeof *work->kept);
}

/* --- the first k ------------------------------------------------------------------------------- */

/* Selects k elements of each line, and then sorts these. */
static void THTensor_(selectSorted)(THCSelectWork *select, const THCLines *lines, THCSortWork *sort,
                                    const THCLines *top)
{
  select->bits = (void *)sort->from;
  select->numbers = (uint32_t *)sort->numbers;
  TH_CONCAT_2(THCSelect_, Real)(select, lines, STREAM);
  TH_CONCAT_2(THCSort_, Real)(sort, top, STREAM);
}

/* The memory that this takes. */
static void THTensor_(placeTop)(THCSelectWork *select, THCSortWork *work, const THCLines *lines,
                                const THCLines *top, int sorted, Arena *arena)
{
  THTensor_(placeSelect)(select, lines, arena);
  if (!sorted)
    return;
  work->from = THTensor_(take)(arena, top->count * top->length, sizeof(real));
  work->numbers = THTensor_(take)(arena, top->count * top->length, sizeof(uint32_t));
  THTensor_(placeWork)(work, top, arena);
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
  THCLines lines, top;
  THCLines_make(&lines, &along.lines);
  top = lines;
  top.length = k;
  pack_operand(&top, 0, k);
  THCSelectWork select = {.descending = descending != 0, .k = k};
  THCSortWork sort = {.descending = descending != 0};
  Arena arena = {0};
  THTensor_(placeTop)(&select, &sort, &lines, &top, sorted, &arena);
  THGuard guard;
  arena.data = THC_scratch(&guard, arena.used);
  arena.used = 0;
  THTensor_(placeTop)(&select, &sort, &lines, &top, sorted, &arena);
  THTensor_(resizeResults)(values, indices, &along.shape);
  select.from = THTensor_(data)(t);
  select.values = sort.values = THTensor_(data)(values);
  select.indices = sort.indices = THLongTensor_data(indices);
  if (lines.count > 0 && sorted)
    THTensor_(selectSorted)(&select, &lines, &sort, &top);
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

/* --- one element ------------------------------------------------------------------------------- */

static void THTensor_(launchOne)(const THCSelectWork *work, const THCLines *lines)
{
  if (lines->count > 0 && work->median && lines->length <= SHORT_MEDIAN)
    TH_CONCAT_2(THCMedian_, Real)(work, lines, STREAM);
  else if (lines->count > 0)
    TH_CONCAT_2(THCSelect_, Real)(work, lines, STREAM);
  THCudaCheck(cudaGetLastError());
}

/* Selects one element of each line, number k - 1; dimension is argument arg. */
static void THTensor_(selectOne)(THTensor *values, THLongTensor *indices, THTensor *input,
                                 THCSelectWork work, int dimension, int arg, int keepdim)
{
  THAlong along;
  THTensor *t = THTensor_(openAlong)(&along, &values, &indices, input, dimension, arg, 1,
                                     !keepdim && input->nDimension > 1, 0);
  THCLines lines;
  THCLines_make(&lines, &along.lines);
  Arena arena = {0};
  THTensor_(placeSelect)(&work, &lines, &arena);
  THGuard guard;
  arena.data = THC_scratch(&guard, arena.used);
  arena.used = 0;
  THTensor_(placeSelect)(&work, &lines, &arena);
  THTensor_(resizeResults)(values, indices, &along.shape);
  work.one = 1;
  work.from = THTensor_(data)(t);
  work.values = THTensor_(data)(values);
  work.indices = THLongTensor_data(indices);
  THTensor_(launchOne)(&work, &lines);
  THGuard_leave(&guard);
  THTensor_(closeAlong)(&along);
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
  THTensor_(selectOne)(values, indices, input, (THCSelectWork){.k = k}, dimension, 5, keepdim);
}

/* The rank of the median among n elements, from 1 on. */
static int64_t middle_of(int64_t n)
{
  return (n - 1) / 2 + 1;
}

void THCTensor_(median)(THCState *state, THCTensor *values, THCudaLongTensor *indices,
                        THCTensor *src, THCDim dim, int keepdim)
{
  const int dimension = THC_dim(dim);
  THC_enter(state);
  THC_CHECK_TENSORS(3, values, indices, src);
  THTensor_(checkAlong)(src, dimension, 4);
  THArgCheck(src->size[dimension] > 0, 4, "dimension %d of a tensor of size %s has no elements",
             dimension + TH_INDEX_BASE, THTensor_(sizeDesc)(src).str);
  const THCSelectWork work = {.median = 1, .k = middle_of(src->size[dimension])};
  THTensor_(selectOne)(values, indices, src, work, dimension, 4, keepdim);
}

/* The memory of the result, its index, and what selecting needs. */
static void THTensor_(placeMedian)(THCSelectWork *work, const THCLines *lines, Arena *arena)
{
  work->values = THTensor_(take)(arena, 1, sizeof(real));
  work->indices = THTensor_(take)(arena, 1, sizeof(int64_t));
  THTensor_(placeSelect)(work, lines, arena);
}

real THCTensor_(medianall)(THCState *state, THCTensor *self)
{
  THC_enter(state);
  THC_CHECK_TENSORS(1, self);
  const ptrdiff_t n = THTensor_(nElement)(self);
  THArgCheck(n > 0, 1, "a tensor of size %s has no elements", THTensor_(sizeDesc)(self).str);
  const THCLines lines = {
      .length = n, .count = 1, .step = {1}, .dims = 1, .narrow = 1, .size = {1}};
  THCSelectWork work = {.median = 1, .one = 1, .k = middle_of(n)};
  Arena arena = {0};
  THTensor_(placeMedian)(&work, &lines, &arena);
  THGuard guard, keeping;
  THTensor_(guard)(&guard);
  THTensor *t = guard.what = THTensor_(newContiguous)(self);
  arena.data = THC_scratch(&keeping, arena.used);
  arena.used = 0;
  THTensor_(placeMedian)(&work, &lines, &arena);
  work.from = THTensor_(data)(t);
  THTensor_(launchOne)(&work, &lines);
  real median;
  THCudaCheck(cudaMemcpyAsync(&median, work.values, sizeof median, cudaMemcpyDeviceToHost, STREAM));
  THC_wait(THC_using);
  THGuard_leave(&keeping);
  THGuard_leave(&guard);
  return median;
}

/* What sorting and selecting share on the host, for templates compiled for the device: memory, lines, and
 * the launcher of the sort. */
#ifndef THC_SORT_SCRATCH_H
#define THC_SORT_SCRATCH_H

#include "thc_sort.h"

void TH_CONCAT_2(THCSort_, Real)(const THCSortWork *work, const THCLines *lines,
                                 cudaStream_t stream);

#define STREAM THCState_getCurrentStream(THC_using)

/* Arrays one after the other in one block of memory; without memory, their size is computed. */
typedef struct Arena {
  char *data;
  size_t used;
} Arena;

TH_UNUSED static void *THTensor_(take)(Arena *arena, ptrdiff_t count, size_t size)
{
  void *array = arena->data ? arena->data + arena->used : NULL;
  arena->used += ((size_t)count * size + 15) / 16 * 16;
  return array;
}

/* What sorting of lines above THC_SORT_SHORT needs. */
TH_UNUSED static void THTensor_(placeWork)(THCSortWork *work, const THCLines *lines, Arena *arena)
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
TH_UNUSED static void pack_operand(THCLines *lines, int i, ptrdiff_t length)
{
  ptrdiff_t stride = length;
  lines->step[i] = 1;
  for (int d = 0; d < lines->dims; d++) {
    lines->stride[i][d] = stride;
    stride *= lines->size[d];
  }
}

TH_UNUSED static void THTensor_(checkLength)(const THTensor *t, int dimension)
{
  THArgCheck(t->size[dimension] <= UINT32_MAX, 3,
             "lines of %lld elements are too long to be sorted", (long long)t->size[dimension]);
}

enum {
  BUSY_BLOCKS = 512,    /* blocks: enough to occupy a device */
  CHUNK_ELEMENTS = 8192 /* elements of a line that justify a block */
};

/* Into how many chunks lines are cut, so that there are blocks enough: 1 for short or many lines. */
TH_UNUSED static ptrdiff_t cut_line(const THCLines *lines, ptrdiff_t *chunk)
{
  *chunk = lines->length;
  if (lines->count == 0 || lines->count >= BUSY_BLOCKS / 2 || lines->length < 2 * CHUNK_ELEMENTS)
    return 1;
  const ptrdiff_t chunks =
      THMin(BUSY_BLOCKS / lines->count, (lines->length - 1) / CHUNK_ELEMENTS + 1);
  *chunk = (lines->length - 1) / chunks + 1;
  return (lines->length - 1) / *chunk + 1;
}

#endif

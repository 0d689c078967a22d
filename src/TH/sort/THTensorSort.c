/* Sorting: elements of lines become keys, which THSort sorts. */
#include "THTemplate.h"
#include "THKernel.h"

#include "THSortLines.h"

/* --- sorting with indices -------------------------------------------------------------------- */

/* Writes the results.  Elements are computed from their keys where that is possible: reading them
 * from the line would be random access. */
static void write_words(const Lines *work, ptrdiff_t k, const Scratch *scratch, Order order)
{
  enum { BLOCK = 512 };
  const ptrdiff_t n = work->lines->length, dv = work->lines->step[1], di = work->lines->step[2];
  const uint64_t mask = ((uint64_t)1 << order.low) - 1;
  const Raw *const line = (const Raw *)scratch->line;
  Raw *values = (Raw *)(work->values + THLines_at(work->lines, 1, k));
  int64_t *indices = work->indices + THLines_at(work->lines, 2, k);
  TH_SCRATCH(Key, keys, BLOCK);
  TH_SCRATCH(Raw, raw, BLOCK);
  TH_SCRATCH(int64_t, buffer, BLOCK);
  for (ptrdiff_t first = 0; first < n; first += BLOCK) {
    const ptrdiff_t count = THMin(BLOCK, n - first);
    const uint64_t *words = scratch->words + first;
    int several = 0;
    Raw *const to = dv == 1 ? values : raw;
    int64_t *const at = di == 1 ? indices : buffer;
    if (sizeof(Key) == 4) {
      TH_DISPATCHED(THSort_kernels)->unpair((uint32_t *)keys, at, words, count);
      several = raw_of(to, keys, count, work->flip);
    } else {
      for (ptrdiff_t i = 0; i < count; i++)
        at[i] = (int64_t)(words[i] & mask);
      if (order.whole) {
        for (ptrdiff_t i = 0; i < count; i++)
          keys[i] = (Key)(words[i] >> order.low) + order.least;
        several = raw_of(to, keys, count, work->flip);
      } else {
        for (ptrdiff_t i = 0; i < count; i++)
          to[i] = line[words[i] & mask];
      }
    }
    for (ptrdiff_t i = 0; several && i < count; i++)
      if (several_of(keys[i] ^ work->flip))
        to[i] = line[at[i]];
    if (dv != 1)
      for (ptrdiff_t i = 0; i < count; i++)
        values[i * dv] = raw[i];
    if (di != 1)
      for (ptrdiff_t i = 0; i < count; i++)
        indices[i * di] = buffer[i];
    values += count * dv;
    indices += count * di;
  }
}

static void sort_lines(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Lines *work = context;
  Scratch scratch = scratch_of(work);
  const ptrdiff_t n = work->lines->length;
  for (ptrdiff_t k = begin; k < end; k++) {
    read_line(work, k, &scratch);
    keys_of(scratch.keys, scratch.line, n, work->flip);
    write_words(work, k, &scratch, order(scratch.keys, n, scratch.words, scratch.spare));
  }
}

/* --- sorting values alone -------------------------------------------------------------------- */

#if defined(SIGN_BIT)

static void restore_several(Raw *values, const real *line, ptrdiff_t n, Key flip, Raw *kept)
{
}

#else

/* Replaces sorted values whose keys belong to several elements (zeros of either sign, NaN) by these
 * elements, in their order in the line. */
static void restore_several(Raw *values, const real *line, ptrdiff_t n, Key flip, Raw *kept)
{
  const Raw *const raw = (const Raw *)line;
  ptrdiff_t below = 0, zeros = 0, nans = 0, negative = 0, count = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    below += line[i] < 0;
    zeros += line[i] == 0;
    nans += line[i] != line[i];
    negative += raw[i] == TOP_BIT;
  }
  if (negative) {
    for (ptrdiff_t i = 0; i < n; i++) {
      kept[count] = raw[i];
      count += line[i] == 0;
    }
    memcpy(values + (flip ? n - below - zeros : below), kept, (size_t)zeros * sizeof *kept);
  }
  if (nans > 0) {
    ptrdiff_t first = 0;
    int differ = 0;
    while (!is_nan(line[first]))
      first++;
    for (ptrdiff_t i = first; i < n; i++)
      differ |= (line[i] != line[i]) & (raw[i] != raw[first]);
    count = 0;
    Raw *const to = values + (flip ? 0 : n - nans);
    for (ptrdiff_t i = 0; !differ && i < nans; i++)
      to[i] = raw[first];
    if (!differ)
      return;
    for (ptrdiff_t i = 0; i < n; i++) {
      kept[count] = raw[i];
      count += line[i] != line[i];
    }
    memcpy(to, kept, (size_t)nans * sizeof *kept);
  }
}

#endif

/* Counting sort, for short elements in lines with at least as many elements as there are values. */
static void count_values(Raw *values, ptrdiff_t step, const Raw *line, ptrdiff_t n, Key flip,
                         uint32_t *counts)
{
#if defined(SIGN_BIT)
  memset(counts, 0, sizeof *counts << BITS % 32);
  for (ptrdiff_t i = 0; i < n; i++)
    counts[((Key)line[i] & LAST_KEY) ^ SIGN_BIT ^ flip]++;
  for (Key key = 0; key <= LAST_KEY; key++)
    for (uint32_t i = 0; i < counts[key]; i++, values += step)
      *values = (Raw)(key ^ SIGN_BIT ^ flip);
#endif
}

static void sort_values(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Lines *work = context;
  Scratch scratch = scratch_of(work);
  const ptrdiff_t n = work->lines->length, step = work->lines->step[1];
  for (ptrdiff_t k = begin; k < end; k++) {
    read_line(work, k, &scratch);
    Raw *values = (Raw *)(work->values + THLines_at(work->lines, 1, k));
    Raw *const to = step == 1 ? values : (Raw *)scratch.indices;
    if (BITS <= 16 && n >= (1 << BITS % 32) / 2) {
      count_values(values, step, (const Raw *)scratch.line, n, work->flip & LAST_KEY,
                   (uint32_t *)scratch.words);
      continue;
    }
    keys_of(scratch.keys, scratch.line, n, work->flip);
    KEY_(sort)(scratch.keys, (Key *)scratch.spare, n, 0, BITS);
    if (raw_of(to, scratch.keys, n, work->flip))
      restore_several(to, scratch.line, n, work->flip, (Raw *)scratch.spare);
    for (ptrdiff_t i = 0; step != 1 && i < n; i++)
      values[i * step] = to[i];
  }
}

/* --- the loop over lines ------------------------------------------------------------------- */

static void free_indices(void *indices)
{
  THLongTensor_free(indices);
}

/* Sorts many noncontiguous lines in a contiguous copy and copies the results back; otherwise each
 * cache line would be read and written for the sake of one element at a time. */
static void THTensor_(runTransposed)(LineWork body, Lines work, THTensor *values,
                                     THLongTensor *indices, THTensor *t, int dimension, int dimArg,
                                     int64_t size, const THShape *shape)
{
  const int last = t->nDimension - 1;
  THGuard view, copy, some, guard;
  THTensor_(guard)(&view);
  view.what = THTensor_(newTranspose)(t, dimension, last);
  THTensor_(guard)(&copy);
  copy.what = THTensor_(newContiguous)(view.what);
  THTensor_(guard)(&some);
  THTensor *const r = some.what = THTensor_(new)();
  THGuard_enter(&guard, free_indices);
  THLongTensor *const at = guard.what = indices ? THLongTensor_new() : NULL;
  THTensor_(runSortLines)(body, work, r, at, copy.what, last, dimArg, size, 0);
  THTensor_(transpose)(r, NULL, dimension, last);
  if (at)
    THLongTensor_transpose(at, NULL, dimension, last);
  THTensor_(resizeResults)(values, indices, shape);
  THTensor_(copy)(values, r);
  if (at)
    THLongTensor_copy(indices, at);
  THGuard_leave(&guard);
  THGuard_leave(&some);
  THGuard_leave(&copy);
  THGuard_leave(&view);
}

void THTensor_(runSortLines)(LineWork body, Lines work, THTensor *values, THLongTensor *indices,
                             THTensor *t, int dimension, int dimArg, int64_t size, int squeeze)
{
  const ptrdiff_t n = t->size[dimension];
  THArgCheck((uint64_t)n <= (Key) ~(Key)0, 3, "lines of %td elements are too long to be sorted", n);
  THAlong along;
  t = THTensor_(openAlong)(&along, &values, &indices, t, dimension, dimArg, size, squeeze, 1);
  work.lines = &along.lines;

  enum { TRANSPOSE_MIN = 4096 }; /* elements */
  const ptrdiff_t count = along.lines.count, grain = TH_LOOP_GRAIN / 8 / THMax(1, n) + 1;
  if (along.lines.step[0] != 1 && n > 1 && count > 1 && n * count >= TRANSPOSE_MIN) {
    THTensor_(runTransposed)(body, work, values, indices, t, dimension, dimArg, size, &along.shape);
    THTensor_(closeAlong)(&along);
    return;
  }

  work.threads = THParallel_threads(count, grain);
  ptrdiff_t all;
  if (__builtin_mul_overflow(n, (ptrdiff_t)WORKING, &work.each) ||
      __builtin_add_overflow(work.each, (ptrdiff_t)(PARTS * LINE), &work.each) ||
      __builtin_mul_overflow(work.each / LINE * LINE, (ptrdiff_t)work.threads, &all))
    THArgError(3, "lines of %td elements are too long to be sorted", n);
  work.each = work.each / LINE * LINE;
  THGuard guard;
  THGuard_enter(&guard, THFree);
  work.scratch = guard.what = THAlloc(all);
  THTensor_(resizeResults)(values, indices, &along.shape);

  work.from = THTensor_(data)(t);
  work.values = THTensor_(data)(values);
  work.indices = indices ? THLongTensor_data(indices) : NULL;
  if (n > 0)
    THParallel_for(count, grain, body, &work);
  THGuard_leave(&guard);
  THTensor_(closeAlong)(&along);
}

void THTensor_(sort)(THTensor *rt_, THLongTensor *ri_, THTensor *t, int dimension,
                     int descendingOrder)
{
  THTensor_(checkAlong)(t, dimension, 4);
  const Lines work = {.flip = descendingOrder ? LAST_KEY : 0};
  THTensor_(runSortLines)(ri_ ? sort_lines : sort_values, work, rt_, ri_, t, dimension, 4,
                          t->size[dimension], 0);
}

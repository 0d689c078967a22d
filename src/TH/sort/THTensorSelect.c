/* Selecting: the largest elements, the k-th one, medians and modes of lines, by their keys. */
#include "THTemplate.h"

#include "THSortLines.h"

/* Keeps the k least of count keys, in the order of their indices.  The indices are those in from
 * or, if from is NULL, positions in keys. */
static void keep_first(const Scratch *scratch, const Key *from, ptrdiff_t count, ptrdiff_t k)
{
  ptrdiff_t before;
  Key *const keys = scratch->keys, *const used = (Key *)scratch->words;
  memcpy(used, keys, (size_t)count * sizeof *used);
  const Key last = KEY_(select)(used, (Key *)scratch->spare, count, k - 1, BITS, &before);
  KEY_(keep)(keys, scratch->indices, keys, from, count, last, before + 1);
}

/* An element with this key. */
static real value_of(Key key, Key flip)
{
  Raw raw;
  real value;
  raw_of(&raw, &key, 1, flip);
  memcpy(&value, &raw, sizeof value);
  return value;
}

/* Whether one of n elements may come before value; 0 only if none does. */
static int any_before(const real *x, ptrdiff_t n, real value, int descending)
{
  int any = 0;
  if (descending)
    for (ptrdiff_t i = 0; i < n; i++)
      any |= !(x[i] <= value);
  else
    for (ptrdiff_t i = 0; i < n; i++)
      any |= !(x[i] >= value);
  return any;
}

/* For few results from a long line.  Collects the keys that come before the k-th key so far, which
 * is computed anew whenever the space is used up.  Most parts of the line have none.  Returns how many
 * keys there are. */
static ptrdiff_t collect_top(const Lines *work, const Scratch *scratch)
{
  enum { STEP = 64, MIN_EXTRA = 512 };
  const ptrdiff_t n = work->lines->length, wanted = work->k;
  const ptrdiff_t capacity = THMin(n, wanted + THMax(wanted, MIN_EXTRA));
  Key *const keys = scratch->keys, *const indices = scratch->indices;
  ptrdiff_t count = 0;
  Key last = LAST_KEY;
  real value = 0;
  /* whether k keys have been collected; then last is the k-th and value its element */
  int full = 0;
  for (ptrdiff_t first = 0; first < n; first += STEP) {
    Key some[STEP];
    const ptrdiff_t length = THMin(STEP, n - first);
    if (full && !any_before(scratch->line + first, length, value, work->flip != 0))
      continue;
    keys_of(some, scratch->line + first, length, work->flip);
    for (ptrdiff_t i = 0; i < length; i++) {
      keys[count] = some[i];
      indices[count] = (Key)(first + i);
      count += !full || some[i] < last;
    }
    if (count + STEP > capacity) {
      keep_first(scratch, indices, count, wanted);
      count = wanted;
      full = 1;
      last = 0;
      for (ptrdiff_t i = 0; i < wanted; i++)
        last = THMax(last, keys[i]);
      value = value_of(last, work->flip);
    }
  }
  return count;
}

static void top_lines(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  /* Lines from which keys are only collected, or bounded, if no more than 1 / TOP_SHARE of them are
   * wanted; keys from which the top ones are selected before sorting; lines sorted whole. */
  enum { LONG = 1 << 16, TOP_SHARE = 32, SELECT_MIN = 128, SHORT = 32 };
  const Lines *work = context;
  Scratch scratch = scratch_of(work);
  const ptrdiff_t n = work->lines->length, wanted = work->k;
  const ptrdiff_t dv = work->lines->step[1], di = work->lines->step[2];
  for (ptrdiff_t k = begin; k < end; k++) {
    read_line(work, k, &scratch);
    const int all = work->sorted && n <= SHORT; /* so short that sorting all of it is faster */
    ptrdiff_t count = wanted;
    if (n > LONG && wanted <= n / TOP_SHARE) {
      count = collect_top(work, &scratch);
    } else if (all) {
      keys_of(scratch.keys, scratch.line, n, work->flip);
      count = n;
    } else {
      keys_of(scratch.keys, scratch.line, n, work->flip);
      const Key bound = wanted <= n / TOP_SHARE ? KEY_(bound)(scratch.keys, n, wanted) : LAST_KEY;
      if (bound != LAST_KEY)
        count = KEY_(keep)(scratch.keys, scratch.indices, scratch.keys, NULL, n, bound, n);
      else
        keep_first(&scratch, NULL, n, wanted);
    }
    if (count > wanted && !all && (!work->sorted || count > SELECT_MIN)) {
      keep_first(&scratch, scratch.indices, count, wanted);
      count = wanted;
    }
    const Order sorted =
        work->sorted ? order(scratch.keys, count, scratch.words, scratch.spare) : (Order){0};
    const uint64_t mask = ((uint64_t)1 << sorted.low) - 1;
    real *values = work->values + THLines_at(work->lines, 1, k);
    int64_t *indices = work->indices + THLines_at(work->lines, 2, k);
    for (ptrdiff_t i = 0; i < wanted; i++) {
      const ptrdiff_t at = work->sorted ? (ptrdiff_t)(scratch.words[i] & mask) : i;
      const Key index = all ? (Key)at : scratch.indices[at];
      values[i * dv] = scratch.line[index];
      indices[i * di] = (int64_t)index;
    }
  }
}

/* The index of the element with this key that has before equal ones before it. */
static ptrdiff_t index_of(const real *line, Key key, ptrdiff_t before, ptrdiff_t n)
{
  enum { LONGEST = 512, SHORTER = 8 };
  const real value = value_of(key, 0);
  const int nan = is_nan(value);
  ptrdiff_t i = 0;
  for (int unroll = LONGEST; unroll > 1; unroll /= SHORTER)
    for (; n - i > unroll; i += unroll) {
      int equal = 0;
      for (int j = 0; j < unroll; j++)
        equal += (line[i + j] == value) | (nan & is_nan(line[i + j]));
      if (equal > before)
        break;
      before -= equal;
    }
  while (!((line[i] == value) | (nan & is_nan(line[i]))) || before-- > 0)
    i++;
  return i;
}

/* The index of the element that is number k of the sorted line. */
static ptrdiff_t select_index(const Lines *work, const Scratch *scratch, ptrdiff_t k)
{
  const ptrdiff_t n = work->lines->length;
  ptrdiff_t before;
  Key *const keys = scratch->keys;
  keys_of(keys, scratch->line, n, 0);
  const Key key = KEY_(select)(keys, (Key *)scratch->spare, n, k, BITS, &before);
  return index_of(scratch->line, key, before, n);
}

static void kth_lines(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Lines *work = context;
  Scratch scratch = scratch_of(work);
  for (ptrdiff_t k = begin; k < end; k++) {
    read_line(work, k, &scratch);
    const ptrdiff_t i = select_index(work, &scratch, work->k);
    write_one(work, k, 0, scratch.line[i], i);
  }
}

/* The index of the first NaN, or n. */
static ptrdiff_t first_nan(const real *line, ptrdiff_t n)
{
  enum { STEP = 64 };
  ptrdiff_t i = 0;
  for (int any = 0; n - i > STEP; i += STEP) {
    for (int j = 0; j < STEP; j++)
      any |= is_nan(line[i + j]);
    if (any)
      break;
  }
  while (i < n && !is_nan(line[i]))
    i++;
  return i;
}

static void median_lines(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Lines *work = context;
  Scratch scratch = scratch_of(work);
  const ptrdiff_t n = work->lines->length;
  for (ptrdiff_t k = begin; k < end; k++) {
    read_line(work, k, &scratch);
    ptrdiff_t i = first_nan(scratch.line, n);
    if (i == n)
      i = select_index(work, &scratch, (n - 1) / 2);
    write_one(work, k, 0, scratch.line[i], i);
  }
}

/* The least of the most frequent keys of a sorted line.  A key occurs more than most times only if
 * it is equal to the key most positions further on; comparing many such pairs at once skips most of
 * the line. */
static Key most_frequent(const Key *sorted, ptrdiff_t n)
{
  enum { STEP = 32 };
  ptrdiff_t most = 1, best = 0;
  for (ptrdiff_t i = 0; i + most < n;) {
    if (sorted[i] == sorted[i + most]) {
      best = i;
      most++;
      continue;
    }
    i++;
    for (int any = 0; !any && i + most + STEP <= n; i += any ? 0 : STEP)
      for (int j = 0; j < STEP; j++)
        any |= sorted[i + j] == sorted[i + most + j];
  }
  return sorted[best];
}

static void mode_lines(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Lines *work = context;
  Scratch scratch = scratch_of(work);
  const ptrdiff_t n = work->lines->length;
  for (ptrdiff_t k = begin; k < end; k++) {
    read_line(work, k, &scratch);
    Key *const sorted = (Key *)scratch.words;
    keys_of(scratch.keys, scratch.line, n, 0);
    memcpy(sorted, scratch.keys, (size_t)n * sizeof *sorted);
    KEY_(sort)(sorted, (Key *)scratch.spare, n, 0, BITS);
    ptrdiff_t count = n, index = 0;
#if !defined(SIGN_BIT)
    while (count > 0 && sorted[count - 1] == LAST_KEY) /* NaN */
      count--;
#endif
    if (count > 0) {
      const Key key = most_frequent(sorted, count);
      for (index = n - 1; scratch.keys[index] != key;)
        index--;
    }
    write_one(work, k, 0, scratch.line[index], index);
  }
}

/* --- the functions --------------------------------------------------------------------------- */

void THTensor_(topk)(THTensor *rt_, THLongTensor *ri_, THTensor *t, int64_t k, int dim, int dir,
                     int sorted)
{
  THTensor_(checkAlong)(t, dim, 5);
  THArgCheck(k > 0 && k <= t->size[dim], 4, "k is %lld, dimension %d has size %lld", (long long)k,
             dim + TH_INDEX_BASE, (long long)t->size[dim]);
  const Lines work = {.flip = dir ? LAST_KEY : 0, .sorted = sorted, .k = k};
  THTensor_(runSortLines)(top_lines, work, rt_, ri_, t, dim, 5, k, 0);
}

/* Selects one element of each line; lines must not be empty. */
static void THTensor_(runSelection)(LineWork body, Lines work, THTensor *values,
                                    THLongTensor *indices, THTensor *t, int dimension, int dimArg,
                                    int keepdim)
{
  THArgCheck(t->size[dimension] > 0, dimArg, "dimension %d of a tensor of size %s has no elements",
             dimension + TH_INDEX_BASE, THTensor_(sizeDesc)(t).str);
  THTensor_(runSortLines)(body, work, values, indices, t, dimension, dimArg, 1,
                          !keepdim && t->nDimension > 1);
}

void THTensor_(kthvalue)(THTensor *values_, THLongTensor *indices_, THTensor *t, int64_t k,
                         int dimension, int keepdim)
{
  THTensor_(checkAlong)(t, dimension, 5);
  THArgCheck(k > 0 && k <= t->size[dimension], 4, "k is %lld, dimension %d has size %lld",
             (long long)k, dimension + TH_INDEX_BASE, (long long)t->size[dimension]);
  const Lines work = {.k = k - 1};
  THTensor_(runSelection)(kth_lines, work, values_, indices_, t, dimension, 5, keepdim);
}

void THTensor_(median)(THTensor *values_, THLongTensor *indices_, THTensor *t, int dimension,
                       int keepdim)
{
  THTensor_(checkAlong)(t, dimension, 4);
  const Lines work = {0};
  THTensor_(runSelection)(median_lines, work, values_, indices_, t, dimension, 4, keepdim);
}

void THTensor_(mode)(THTensor *values_, THLongTensor *indices_, THTensor *t, int dimension,
                     int keepdim)
{
  THTensor_(checkAlong)(t, dimension, 4);
  const Lines work = {0};
  THTensor_(runSelection)(mode_lines, work, values_, indices_, t, dimension, 4, keepdim);
}

real THTensor_(medianall)(THTensor *t)
{
  const ptrdiff_t n = THTensor_(nElement)(t);
  THArgCheck(n > 0, 1, "a tensor of size %s has no elements", THTensor_(sizeDesc)(t).str);
  THGuard contiguous, guard;
  THTensor_(guard)(&contiguous);
  t = contiguous.what = THTensor_(newContiguous)(t);
  const real *line = THTensor_(data)(t);
  ptrdiff_t index = first_nan(line, n), bytes;
  real median = line[index < n ? index : 0];
  if (index == n) {
    if (__builtin_mul_overflow(n, (ptrdiff_t)(2 * sizeof(Key)), &bytes) ||
        __builtin_add_overflow(bytes, (ptrdiff_t)LINE, &bytes))
      THArgError(1, "a tensor of %td elements is too large", n);
    THGuard_enter(&guard, THFree);
    Key *keys = guard.what = THAlloc(bytes);
    keys_of(keys, line, n, 0);
    ptrdiff_t before;
    const Key key = KEY_(select)(keys, keys + n, n, (n - 1) / 2, BITS, &before);
    /* Zeros of either sign have one key: the median is the zero with before of them before it. */
    median = several_of(key) ? line[index_of(line, key, before, n)] : value_of(key, 0);
    THGuard_leave(&guard);
  }
  THGuard_leave(&contiguous);
  return median;
}

/* Sorting and selecting: elements of lines become keys, which THSort sorts. */
#include "THTemplate.h"

#include "THParallel.h"
#include "THSort.h"
#include "TH/core/THTeam.h"
#include "TH/tensor/THTensorCore.h"
#include "TH/core/THScratch.h"

/* --- elements as keys ------------------------------------------------------------------------ */

#if defined(TH_REAL_IS_LONG) || defined(TH_REAL_IS_DOUBLE)
typedef uint64_t Key;
#define KEY_(NAME) THSort_kernels->NAME##64
#else
typedef uint32_t Key;
#define KEY_(NAME) THSort_kernels->NAME##32
#endif

enum { BITS = 8 * sizeof(real) };
#define LAST_KEY ((Key)(~(Key)0 >> (8 * sizeof(Key) - BITS)))
#define TOP_BIT  ((Key)1 << (BITS - 1))

/* The type of an element's bits.  THSort converts those of floating point numbers to keys. */
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
typedef Key Raw;
#elif defined(TH_REAL_IS_BYTE)
typedef real Raw;
#define SIGN_BIT ((Key)0)
#else
typedef real Raw;
#define SIGN_BIT TOP_BIT
#endif

/* keys needs memory for a whole number of cache lines. */
static void keys_of(Key *restrict keys, const real *restrict line, ptrdiff_t n, Key flip)
{
  const Raw *const raw = (const Raw *)line;
#if defined(SIGN_BIT)
  for (ptrdiff_t i = 0; i < n; i++)
    keys[i] = ((Key)raw[i] & LAST_KEY) ^ SIGN_BIT ^ flip;
#else
  KEY_(fromFloats)(keys, raw, n, flip);
#endif
}

/* The elements of keys.  Returns whether a key belongs to several elements. */
static int raw_of(Raw *restrict raw, const Key *restrict keys, ptrdiff_t n, Key flip)
{
#if defined(SIGN_BIT)
  for (ptrdiff_t i = 0; i < n; i++)
    raw[i] = (Raw)(keys[i] ^ flip ^ SIGN_BIT);
  return 0;
#else
  return KEY_(toFloats)(raw, keys, n, flip);
#endif
}

/* Whether several elements have the key: zeros of either sign, NaN. */
static inline int several_of(Key key)
{
#if defined(SIGN_BIT)
  return 0;
#else
  return (key == TOP_BIT) | (key == LAST_KEY);
#endif
}

static inline int is_nan(real x)
{
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
  return x != x;
#else
  return 0;
#endif
}

/* --- lines ----------------------------------------------------------------------------------- */

typedef struct Lines {
  const THLines *lines;
  const real *from;
  real *values;
  int64_t *indices; /* NULL if sort needs no indices */
  Key flip;         /* all bits for descending order */
  int sorted;       /* of topk: whether results are sorted */
  int64_t k;        /* from 0 (topk: how many) */
  int threads;
  ptrdiff_t each; /* bytes that a thread works in */
  char *scratch;
} Lines;

/* The buffers of a thread: the unsorted line, in the tensor or copied to copy; words, each as large
 * as two keys; keys, and their indices. */
typedef struct {
  const real *line;
  real *copy;
  uint64_t *words, *spare;
  Key *keys, *indices;
} Scratch;

enum { WORKING = 2 * sizeof(uint64_t) + 2 * sizeof(Key) + sizeof(real), PARTS = 5, LINE = 64 };

/* The bytes of an array of n elements that begins on a cache line. */
static ptrdiff_t aligned(ptrdiff_t n, size_t size)
{
  return (n * (ptrdiff_t)size + LINE - 1) / LINE * LINE;
}

static Scratch scratch_of(const Lines *work)
{
  const ptrdiff_t n = work->lines->length;
  char *at = work->scratch + THTeam_index(work->threads) * work->each;
  Scratch scratch = {.words = (uint64_t *)at};
  at += aligned(n, sizeof(uint64_t));
  scratch.spare = (uint64_t *)at;
  at += aligned(n, sizeof(uint64_t));
  scratch.keys = (Key *)at;
  at += aligned(n, sizeof(Key));
  scratch.indices = (Key *)at;
  at += aligned(n, sizeof(Key));
  scratch.copy = (real *)at;
  return scratch;
}

/* A contiguous line is read in the tensor, unless results overwrite it. */
static void read_line(const Lines *work, ptrdiff_t k, Scratch *scratch)
{
  const ptrdiff_t n = work->lines->length, step = work->lines->step[0];
  const real *x = work->from + THLines_at(work->lines, 0, k);
  scratch->line = x;
  if (step == 1 && work->from != work->values)
    return;
  for (ptrdiff_t i = 0; i < n; i++)
    scratch->copy[i] = x[i * step];
  scratch->line = scratch->copy;
}

static void write_one(const Lines *work, ptrdiff_t k, ptrdiff_t i, real value, int64_t index)
{
  const THLines *lines = work->lines;
  work->values[THLines_at(lines, 1, k) + i * lines->step[1]] = value;
  work->indices[THLines_at(lines, 2, k) + i * lines->step[2]] = index;
}

/* --- sorting with indices -------------------------------------------------------------------- */

/* How sorted words are composed: the lowest low bits are the index of the key; the others are the
 * key less the least key, if whole is set, or its upper bits. */
typedef struct {
  int low, whole;
  Key least;
} Order;

#if defined(TH_REAL_IS_LONG) || defined(TH_REAL_IS_DOUBLE)

/* Orders words by the lowest bits bits of their keys.  If these do not fit a word next to the
 * index, their upper part is sorted first; then each run of words that are equal so far is sorted
 * by the rest. */
static void order_words(const Key *keys, Key least, int bits, uint64_t *words, uint64_t *spare,
                        ptrdiff_t n, int low)
{
  const int shift = THMax(0, bits + low - 64);
  const uint64_t mask = ((uint64_t)1 << low) - 1;
  const Key some = bits < 64 ? ((Key)1 << bits) - 1 : ~(Key)0;
  for (ptrdiff_t i = 0; i < n; i++) {
    const uint64_t index = words[i] & mask;
    words[i] = ((keys[index] - least) & some) >> shift << low | index;
  }
  THSort_kernels->sort64(words, spare, n, low, THMin(64, bits + low));
  if (shift == 0)
    return;
  for (ptrdiff_t first = 0, i = 1; i <= n; i++) {
    if (i < n && (words[i] ^ words[first]) >> low == 0)
      continue;
    if (i - first > 1)
      order_words(keys, least, shift, words + first, spare, i - first, low);
    first = i;
  }
}

static Order order(const Key *keys, ptrdiff_t n, uint64_t *words, uint64_t *spare)
{
  Key least = LAST_KEY, most = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    least = THMin(least, keys[i]);
    most = THMax(most, keys[i]);
    words[i] = (uint64_t)i;
  }
  int low = 0, bits = 0;
  while ((uint64_t)(n - 1) >> low)
    low++;
  while (bits < 64 && (most - least) >> bits)
    bits++;
  order_words(keys, least, bits, words, spare, n, low);
  return (Order){.low = low, .whole = bits + low <= 64, .least = least};
}

#else

static Order order(const Key *keys, ptrdiff_t n, uint64_t *words, uint64_t *spare)
{
  THSort_kernels->pair(words, keys, n, 0);
  THSort_kernels->sort64(words, spare, n, 32, 32 + BITS);
  return (Order){.low = 32, .whole = 1};
}

#endif

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
      THSort_kernels->unpair((uint32_t *)keys, at, words, count);
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

/* --- selecting ------------------------------------------------------------------------------- */

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

/* --- common to all functions ----------------------------------------------------------------- */

typedef void (*LineWork)(void *context, ptrdiff_t begin, ptrdiff_t end);

static void free_indices(void *indices)
{
  THLongTensor_free(indices);
}

static void THTensor_(runLines)(LineWork body, Lines work, THTensor *values, THLongTensor *indices,
                                THTensor *t, int dimension, int dimArg, int64_t size, int squeeze);

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
  THTensor_(runLines)(body, work, r, at, copy.what, last, dimArg, size, 0);
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

static void THTensor_(runLines)(LineWork body, Lines work, THTensor *values, THLongTensor *indices,
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
  THTensor_(runLines)(ri_ ? sort_lines : sort_values, work, rt_, ri_, t, dimension, 4,
                      t->size[dimension], 0);
}

void THTensor_(topk)(THTensor *rt_, THLongTensor *ri_, THTensor *t, int64_t k, int dim, int dir,
                     int sorted)
{
  THTensor_(checkAlong)(t, dim, 5);
  THArgCheck(k > 0 && k <= t->size[dim], 4, "k is %lld, dimension %d has size %lld", (long long)k,
             dim + TH_INDEX_BASE, (long long)t->size[dim]);
  const Lines work = {.flip = dir ? LAST_KEY : 0, .sorted = sorted, .k = k};
  THTensor_(runLines)(top_lines, work, rt_, ri_, t, dim, 5, k, 0);
}

/* Selects one element of each line; lines must not be empty. */
static void THTensor_(runSelection)(LineWork body, Lines work, THTensor *values,
                                    THLongTensor *indices, THTensor *t, int dimension, int dimArg,
                                    int keepdim)
{
  THArgCheck(t->size[dimension] > 0, dimArg, "dimension %d of a tensor of size %s has no elements",
             dimension + TH_INDEX_BASE, THTensor_(sizeDesc)(t).str);
  THTensor_(runLines)(body, work, values, indices, t, dimension, dimArg, 1,
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

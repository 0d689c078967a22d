/* Sorting and selecting: lines become keys, and keys go to THSort. */
#include "THTemplate.h"

#include <omp.h>

#include "THParallel.h"
#include "../THSort.h"
#include "THTensorCore.h"

/* --- elements as keys ------------------------------------------------------------------------ */

#if defined(TH_REAL_IS_LONG) || defined(TH_REAL_IS_DOUBLE)
typedef uint64_t Key;
typedef THItem64 Item;
#define ITEM_(NAME) THSort_kernels->NAME##64
#else
typedef uint32_t Key;
typedef THItem32 Item;
#define ITEM_(NAME) THSort_kernels->NAME##32
#endif

enum { BITS = 8 * sizeof(real) };
#define LAST_KEY ((Key)(~(Key)0 >> (8 * sizeof(Key) - BITS)))
#define TOP_BIT  ((Key)1 << (BITS - 1))

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

/* The bits of positive numbers are in order; those of negative ones are in reverse.  Elements are
 * read as integers from the start, which compilers turn into vector code. */
typedef Key Raw;

static inline Key key_of(Raw x)
{
  const Key infinity = sizeof(real) == 4 ? (Key)0x7f800000 : (Key)0x7ff0000000000000;
  const Key bits = x == TOP_BIT ? 0 : x; /* 0 for -0 */
  const Key negative = 0 - (bits >> (BITS - 1));
  const Key nan = (bits & (TOP_BIT - 1)) > infinity ? LAST_KEY : 0;
  return (bits ^ (negative | TOP_BIT)) | nan;
}

/* The element of a key, unless there are several, which several_of says. */
static inline Raw raw_of(Key key)
{
  return key ^ ((0 - (~key >> (BITS - 1))) | TOP_BIT);
}

/* Zeros of either sign, NaN. */
static inline int several_of(Key key)
{
  return (key == TOP_BIT) | (key == LAST_KEY);
}

#elif defined(TH_REAL_IS_BYTE)

typedef real Raw;

static inline Key key_of(Raw x)
{
  return x;
}

static inline Raw raw_of(Key key)
{
  return (Raw)key;
}

static inline int several_of(Key key)
{
  return 0;
}

#else

typedef real Raw;

static inline Key key_of(Raw x)
{
  return ((Key)x & LAST_KEY) ^ TOP_BIT;
}

static inline Raw raw_of(Key key)
{
  return (Raw)(key ^ TOP_BIT);
}

static inline int several_of(Key key)
{
  return 0;
}

#endif

#define RAW(LINE) ((const Raw *)(LINE))

static void keys_of(Key *restrict keys, const real *line, ptrdiff_t n, Key flip)
{
  for (ptrdiff_t i = 0; i < n; i++)
    keys[i] = key_of(RAW(line)[i]) ^ flip;
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
  int64_t *indices;
  Key flip;       /* all bits for descending order */
  int sorted;     /* of topk */
  int64_t k;      /* from 0 (topk: how many) */
  ptrdiff_t each; /* bytes that a thread works in */
  char *scratch;
} Lines;

/* What a thread works in: the line as it was, which is where it is or in room; items or keys. */
typedef struct {
  const real *line;
  real *room;
  Item *items, *spare;
  Key *keys;
} Scratch;

static ptrdiff_t aligned(ptrdiff_t bytes)
{
  return (bytes + 63) / 64 * 64;
}

static Scratch scratch_of(const Lines *work)
{
  const ptrdiff_t n = work->lines->length;
  char *at = work->scratch + omp_get_thread_num() * work->each;
  Scratch scratch = {.items = (Item *)at};
  scratch.spare = (Item *)(at + aligned(n * (ptrdiff_t)sizeof(Item)));
  scratch.room = (real *)(at + 2 * aligned(n * (ptrdiff_t)sizeof(Item)));
  scratch.keys = (Key *)scratch.spare;
  return scratch;
}

/* A line in order is looked at where it is, unless results take its place. */
static void read_line(const Lines *work, ptrdiff_t k, Scratch *scratch)
{
  const ptrdiff_t n = work->lines->length, step = work->lines->step[0];
  const real *x = work->from + THLines_at(work->lines, 0, k);
  scratch->line = x;
  if (step == 1 && work->from != work->values)
    return;
  for (ptrdiff_t i = 0; i < n; i++)
    scratch->room[i] = x[i * step];
  scratch->line = scratch->room;
}

static void write_one(const Lines *work, ptrdiff_t k, ptrdiff_t i, real value, int64_t index)
{
  const THLines *lines = work->lines;
  work->values[THLines_at(lines, 1, k) + i * lines->step[1]] = value;
  work->indices[THLines_at(lines, 2, k) + i * lines->step[2]] = index + TH_INDEX_BASE;
}

/* Elements are had from their keys where they can: in the line they lie all over. */
static void write_items(const Lines *work, ptrdiff_t k, const Item *items, ptrdiff_t n,
                        const real *line)
{
  const ptrdiff_t dv = work->lines->step[1], di = work->lines->step[2];
  const Key flip = work->flip;
  Raw *restrict values = (Raw *)(work->values + THLines_at(work->lines, 1, k));
  int64_t *restrict indices = work->indices + THLines_at(work->lines, 2, k);
  int several = 0;
  if (dv == 1 && di == 1)
    for (ptrdiff_t i = 0; i < n; i++) {
      several |= several_of(items[i].key ^ flip);
      values[i] = raw_of(items[i].key ^ flip);
      indices[i] = (int64_t)items[i].at + TH_INDEX_BASE;
    }
  else
    for (ptrdiff_t i = 0; i < n; i++) {
      several |= several_of(items[i].key ^ flip);
      values[i * dv] = raw_of(items[i].key ^ flip);
      indices[i * di] = (int64_t)items[i].at + TH_INDEX_BASE;
    }
  for (ptrdiff_t i = 0; several && i < n; i++)
    if (several_of(items[i].key ^ flip))
      values[i * dv] = RAW(line)[items[i].at];
}

static Item *sort_line(const Lines *work, const Scratch *scratch)
{
  const ptrdiff_t n = work->lines->length;
  const Key flip = work->flip;
  for (ptrdiff_t i = 0; i < n; i++)
    scratch->items[i] = (Item){.key = key_of(RAW(scratch->line)[i]) ^ flip, .at = (Key)i};
  return ITEM_(sort)(scratch->items, scratch->spare, n, BITS);
}

static void sort_lines(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Lines *work = context;
  Scratch scratch = scratch_of(work);
  for (ptrdiff_t k = begin; k < end; k++) {
    read_line(work, k, &scratch);
    write_items(work, k, sort_line(work, &scratch), work->lines->length, scratch.line);
  }
}

/* The key that is number k in order; *before equal ones come before it. */
static Key select_key(const Lines *work, const Scratch *scratch, ptrdiff_t k, ptrdiff_t *before)
{
  const ptrdiff_t n = work->lines->length;
  keys_of(scratch->keys, scratch->line, n, work->flip);
  return ITEM_(select)(scratch->keys, n, k, BITS, before);
}

/* Keeps the first k in order of count items, which stay in the order of their places. */
static void keep_first(Item *items, Key *keys, ptrdiff_t count, ptrdiff_t k)
{
  ptrdiff_t equal, kept = 0;
  for (ptrdiff_t i = 0; i < count; i++)
    keys[i] = items[i].key;
  const Key last = ITEM_(select)(keys, count, k - 1, BITS, &equal);
  for (ptrdiff_t i = 0; kept < k; i++)
    if (items[i].key < last || (items[i].key == last && equal-- >= 0))
      items[kept++] = items[i];
}

/* The same where they need not: a few are sorted sooner. */
static void keep_top(const Lines *work, const Scratch *scratch, ptrdiff_t count)
{
  enum { MANY = sizeof(Key) == 4 ? 256 : 40 };
  if (!work->sorted || count > MANY) {
    keep_first(scratch->items, scratch->keys, count, work->k);
    return;
  }
  const Item *sorted = ITEM_(sort)(scratch->items, scratch->spare, count, BITS);
  if (sorted != scratch->items)
    memcpy(scratch->items, sorted, (size_t)work->k * sizeof *sorted);
}

/* Whether one of n elements may come before the one whose key is last: none does if not. */
static int any_before(const Lines *work, const real *x, ptrdiff_t n, Key last)
{
  const Raw raw = raw_of(last ^ work->flip);
  real value;
  memcpy(&value, &raw, sizeof value);
  int any = 0;
  if (work->flip)
    for (ptrdiff_t i = 0; i < n; i++)
      any |= !(x[i] <= value);
  else
    for (ptrdiff_t i = 0; i < n; i++)
      any |= !(x[i] >= value);
  return any;
}

/* Items are collected that come before the last one that is wanted so far, which is found anew
 * whenever there are twice as many as are wanted.  In most of a long line there are none.  Where
 * not few are wanted, all are collected. */
static void top_lines(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  enum { STRETCH = 64, ROOM = 128, FEW = 32 };
  const Lines *work = context;
  Scratch scratch = scratch_of(work);
  const ptrdiff_t n = work->lines->length, wanted = work->k;
  const ptrdiff_t room = wanted > n / FEW ? n + STRETCH : wanted + THMax(wanted, ROOM);
  Item *items = scratch.items;
  for (ptrdiff_t k = begin; k < end; k++) {
    read_line(work, k, &scratch);
    ptrdiff_t count = 0;
    Key last = LAST_KEY;
    int full = 0; /* so many are there that last is one of them */
    for (ptrdiff_t first = 0; first < n; first += STRETCH) {
      Key keys[STRETCH];
      const ptrdiff_t length = THMin(STRETCH, n - first);
      if (full && !any_before(work, scratch.line + first, length, last))
        continue;
      keys_of(keys, scratch.line + first, length, work->flip);
      for (ptrdiff_t i = 0; i < length; i++) {
        items[count] = (Item){.key = keys[i], .at = (Key)(first + i)};
        count += !full || keys[i] < last;
      }
      if (count + STRETCH > room) {
        keep_top(work, &scratch, count);
        count = wanted;
        full = 1;
        last = 0;
        for (ptrdiff_t i = 0; i < wanted; i++)
          last = THMax(last, items[i].key);
      }
    }
    if (count > wanted)
      keep_top(work, &scratch, count);
    if (work->sorted)
      items = ITEM_(sort)(scratch.items, scratch.spare, wanted, BITS);
    write_items(work, k, items, wanted, scratch.line);
    items = scratch.items;
  }
}

/* Where the key is that so many equal ones come before. */
static ptrdiff_t place_of(const real *line, Key key, ptrdiff_t before, ptrdiff_t n)
{
  enum { STRETCH = 256 };
  ptrdiff_t i = 0;
  for (; n - i > STRETCH; i += STRETCH) {
    int equal = 0;
    for (int j = 0; j < STRETCH; j++)
      equal += key_of(RAW(line)[i + j]) == key;
    if (equal > before)
      break;
    before -= equal;
  }
  while (key_of(RAW(line)[i]) != key || before-- > 0)
    i++;
  return i;
}

/* Where element number k of the line in order is. */
static ptrdiff_t select_place(const Lines *work, const Scratch *scratch, ptrdiff_t k)
{
  ptrdiff_t before;
  const Key key = select_key(work, scratch, k, &before) ^ work->flip;
  return place_of(scratch->line, key, before, work->lines->length);
}

static void kth_lines(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Lines *work = context;
  Scratch scratch = scratch_of(work);
  for (ptrdiff_t k = begin; k < end; k++) {
    read_line(work, k, &scratch);
    const ptrdiff_t i = select_place(work, &scratch, work->k);
    write_one(work, k, 0, scratch.line[i], i);
  }
}

/* The place of the first NaN, or n. */
static ptrdiff_t first_nan(const real *line, ptrdiff_t n)
{
  ptrdiff_t i = 0;
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
      i = select_place(work, &scratch, (n - 1) / 2);
    write_one(work, k, 0, scratch.line[i], i);
  }
}

static void mode_lines(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const Lines *work = context;
  Scratch scratch = scratch_of(work);
  const ptrdiff_t n = work->lines->length;
  for (ptrdiff_t k = begin; k < end; k++) {
    read_line(work, k, &scratch);
    const Item *items = sort_line(work, &scratch);
    ptrdiff_t most = 0, best = 0;
    for (ptrdiff_t first = 0, i = 0; i < n; i++) {
      if (i + 1 < n && items[i + 1].key == items[i].key)
        continue;
      const int nan = is_nan(scratch.line[items[i].at]);
      const ptrdiff_t frequency = nan ? 1 : i + 1 - first;
      if (frequency > most) {
        most = frequency;
        best = nan ? first : i;
      }
      first = i + 1;
    }
    write_one(work, k, 0, scratch.line[items[best].at], (int64_t)items[best].at);
  }
}

/* --- what is the same for all of them -------------------------------------------------------- */

typedef void (*LineWork)(void *context, ptrdiff_t begin, ptrdiff_t end);

static void THTensor_(runLines)(LineWork body, Lines work, THTensor *values, THLongTensor *indices,
                                THTensor *t, int dimension, int dimArg, int64_t size, int squeeze)
{
  const ptrdiff_t n = t->size[dimension];
  THArgCheck((uint64_t)n <= (Key) ~(Key)0, 3, "lines of %td elements are too long to be sorted", n);
  THAlong along;
  t = THTensor_(openAlong)(&along, values, indices, t, dimension, dimArg, size, squeeze, 1);
  work.lines = &along.lines;

  const ptrdiff_t count = along.lines.count, grain = TH_LOOP_GRAIN / 8 / THMax(1, n) + 1;
  const int threads = THParallel_threads(count, grain);
  ptrdiff_t items, all;
  if (__builtin_mul_overflow(n, (ptrdiff_t)sizeof(Item), &items) ||
      __builtin_add_overflow(2 * (aligned(items) / 64), aligned(n * (ptrdiff_t)sizeof(real)) / 64,
                             &work.each) ||
      __builtin_mul_overflow(work.each, (ptrdiff_t)64, &work.each) ||
      __builtin_mul_overflow(work.each, (ptrdiff_t)threads, &all))
    THArgError(3, "lines of %td elements are too long to be sorted", n);
  THGuard guard;
  THGuard_enter(&guard, THFree);
  work.scratch = guard.what = THAlloc(all);
  THTensor_(resizeResults)(values, indices, &along.shape);

  work.from = THTensor_(data)(t);
  work.values = THTensor_(data)(values);
  work.indices = THLongTensor_data(indices);
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
  THTensor_(runLines)(sort_lines, work, rt_, ri_, t, dimension, 4, t->size[dimension], 0);
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

/* One of each line, which must have elements. */
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
  ptrdiff_t place = first_nan(line, n), bytes;
  if (place == n) {
    if (__builtin_mul_overflow(n, (ptrdiff_t)sizeof(Key), &bytes))
      THArgError(1, "a tensor of %td elements is too large", n);
    THGuard_enter(&guard, THFree);
    Key *keys = guard.what = THAlloc(bytes);
    keys_of(keys, line, n, 0);
    ptrdiff_t before;
    const Key key = ITEM_(select)(keys, n, (n - 1) / 2, BITS, &before);
    place = place_of(line, key, before, n);
    THGuard_leave(&guard);
  }
  const real median = line[place];
  THGuard_leave(&contiguous);
  return median;
}

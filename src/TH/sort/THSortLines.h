/* What sorting (THTensorSort.c) and selecting (THTensorSelect.c) share, per type: lines of a tensor, whose elements
 * become keys. */
#include "THParallel.h"
#include "THKernel.h"
#include "THSort.h"
#include "TH/core/THTeam.h"
#include "TH/tensor/THTensorCore.h"
#include "TH/core/THScratch.h"

/* --- elements as keys ------------------------------------------------------------------------ */

#if defined(TH_REAL_IS_LONG) || defined(TH_REAL_IS_DOUBLE)
typedef uint64_t Key;
#define KEY_(NAME) TH_DISPATCHED(THSort_kernels)->NAME##64
#else
typedef uint32_t Key;
#define KEY_(NAME) TH_DISPATCHED(THSort_kernels)->NAME##32
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
static inline void keys_of(Key *restrict keys, const real *restrict line, ptrdiff_t n, Key flip)
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
static inline int raw_of(Raw *restrict raw, const Key *restrict keys, ptrdiff_t n, Key flip)
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
static inline ptrdiff_t aligned(ptrdiff_t n, size_t size)
{
  return (n * (ptrdiff_t)size + LINE - 1) / LINE * LINE;
}

static inline Scratch scratch_of(const Lines *work)
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
static inline void read_line(const Lines *work, ptrdiff_t k, Scratch *scratch)
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

static inline void write_one(const Lines *work, ptrdiff_t k, ptrdiff_t i, real value, int64_t index)
{
  const THLines *lines = work->lines;
  work->values[THLines_at(lines, 1, k) + i * lines->step[1]] = value;
  work->indices[THLines_at(lines, 2, k) + i * lines->step[2]] = index;
}

/* --- the order of keys ----------------------------------------------------------------------- */

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
static inline void order_words(const Key *keys, Key least, int bits, uint64_t *words,
                               uint64_t *spare, ptrdiff_t n, int low)
{
  const int shift = THMax(0, bits + low - 64);
  const uint64_t mask = ((uint64_t)1 << low) - 1;
  const Key some = bits < 64 ? ((Key)1 << bits) - 1 : ~(Key)0;
  for (ptrdiff_t i = 0; i < n; i++) {
    const uint64_t index = words[i] & mask;
    words[i] = ((keys[index] - least) & some) >> shift << low | index;
  }
  TH_DISPATCHED(THSort_kernels)->sort64(words, spare, n, low, THMin(64, bits + low));
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

static inline Order order(const Key *keys, ptrdiff_t n, uint64_t *words, uint64_t *spare)
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

static inline Order order(const Key *keys, ptrdiff_t n, uint64_t *words, uint64_t *spare)
{
  TH_DISPATCHED(THSort_kernels)->pair(words, keys, n, 0);
  TH_DISPATCHED(THSort_kernels)->sort64(words, spare, n, 32, 32 + BITS);
  return (Order){.low = 32, .whole = 1};
}

#endif

/* --- the loop over lines ---------------------------------------------------------------------- */

typedef void (*LineWork)(void *context, ptrdiff_t begin, ptrdiff_t end);

/* Runs body, on several threads, for the lines of t along a dimension, which is argument number dimArg of
 * the caller.  Results have size elements there; with squeeze, they lose the dimension. */
void THTensor_(runSortLines)(LineWork body, Lines work, THTensor *values, THLongTensor *indices,
                             THTensor *t, int dimension, int dimArg, int64_t size, int squeeze);

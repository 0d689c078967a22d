/* Radix sort and selection of integers, for levels without THSortVectors.h.  Included by
 * THSortKernels.c for each width: Key, KEY_BITS, and Key_(name). */

static void Key_(insert)(Key *keys, ptrdiff_t n)
{
  for (ptrdiff_t i = 1; i < n; i++) {
    const Key key = keys[i];
    ptrdiff_t j = i;
    for (; j > 0 && key < keys[j - 1]; j--)
      keys[j] = keys[j - 1];
    keys[j] = key;
  }
}

/* a and b are sorted; b starts where a ends. */
static void Key_(merge)(Key *to, const Key *a, const Key *b, const Key *end)
{
  const Key *const middle = b;
  while (a < middle && b < end) {
    const int second = *b < *a;
    *to++ = second ? *b : *a;
    a += !second;
    b += second;
  }
  while (a < middle)
    *to++ = *a++;
  while (b < end)
    *to++ = *b++;
}

/* For short lines: sorted runs, merged from one array into the other. */
static Key *Key_(mergeSort)(Key *keys, Key *spare, ptrdiff_t n)
{
  enum { RUN = 12 };
  for (ptrdiff_t i = 0; i < n; i += RUN)
    Key_(insert)(keys + i, THMin(RUN, n - i));
  for (ptrdiff_t run = RUN; run < n; run *= 2) {
    for (ptrdiff_t i = 0; i < n; i += 2 * run)
      Key_(merge)(spare + i, keys + i, keys + THMin(n, i + run), keys + THMin(n, i + 2 * run));
    Key *const sorted = spare;
    spare = keys;
    keys = sorted;
  }
  return keys;
}

enum {
  Key_(Wide) = 11, /* bits of the widest digit: 2,048 buckets */
  Key_(Narrow) = 8,
  Key_(Digits) = (KEY_BITS + Key_(Narrow) - 1) / Key_(Narrow)
};

typedef Key Key_(Counts)[1 << Key_(Wide)];

/* Counts up to three digits at once: while the count of one digit waits because it is incremented
 * again and again, those of the others need not. */
static inline __attribute__((always_inline)) void Key_(count)(Key_(Counts) * counts,
                                                              const Key *keys, ptrdiff_t n,
                                                              Key least, int shift, int width,
                                                              int digits)
{
  const Key mask = ((Key)1 << width) - 1;
  for (ptrdiff_t i = 0; i < n; i++) {
    const Key key = (keys[i] - least) >> shift;
    counts[0][key & mask]++;
    if (digits > 1)
      counts[1][key >> width & mask]++;
    if (digits > 2)
      counts[2][key >> 2 * width & mask]++;
  }
}

/* Moves each key to the bucket of its digit.  Where the buckets do not fit L2, the next cache line
 * of each bucket is prefetched before it is written, since the processor's own prefetcher cannot
 * follow so many buckets. */
static inline __attribute__((always_inline)) void Key_(deal)(Key *to, Key *offsets, const Key *keys,
                                                             ptrdiff_t n, Key least, int shift,
                                                             int width, int ahead)
{
  const Key mask = ((Key)1 << width) - 1;
  for (ptrdiff_t i = 0; i < n; i++) {
    Key *const slot = to + offsets[(keys[i] - least) >> shift & mask]++;
    *slot = keys[i];
    if (ahead)
      __builtin_prefetch(slot + ahead, 1);
  }
}

/* Radix sort, lowest digit first, of the differences between keys and the least key.  Differences
 * have fewer bits, hence fewer digits, and a highest digit with many values; a digit that is mostly
 * the same would be slow, since each increment of a count waits for the one before.  Digits that
 * are the same in all keys cost nothing.  Keys are already in order of their lowest low bits. */
static Key *Key_(radixSort)(Key *keys, Key *spare, ptrdiff_t n, int low)
{
  /* Keys from which digits are wide; bytes of keys from which buckets are prefetched; how far. */
  enum { WIDE_DIGITS_MIN = 4096, PREFETCH_MIN = 1 << 21, PREFETCH = 96 / sizeof(Key) };
  Key least = ~(Key)0, most = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    least = THMin(least, keys[i]);
    most = THMax(most, keys[i]);
  }
  least = least >> low << low;
  int bits = low;
  while (bits < KEY_BITS && (most - least) >> bits)
    bits++;
  bits -= low;
  const int widest = n < WIDE_DIGITS_MIN ? Key_(Narrow) : Key_(Wide),
            digits = (bits + widest - 1) / widest;
  const int width = digits ? (bits + digits - 1) / digits : 0;

  TH_SCRATCH(Key_(Counts), counts, digits);
  for (int d = 0; d < digits; d++)
    memset(counts[d], 0, sizeof(Key) << width);
  for (int d = 0; d < digits; d += 3)
    if (digits - d > 2)
      Key_(count)(counts + d, keys, n, least, low + d * width, width, 3);
    else if (digits - d == 2)
      Key_(count)(counts + d, keys, n, least, low + d * width, width, 2);
    else
      Key_(count)(counts + d, keys, n, least, low + d * width, width, 1);
  for (int d = 0; d < digits; d++) {
    Key *const offsets = counts[d];
    const int shift = low + d * width;
    Key offset = 0;
    if (offsets[(keys[0] - least) >> shift & (((Key)1 << width) - 1)] == (Key)n)
      continue;
    for (int v = 0; v < 1 << width; v++) {
      const Key here = offsets[v];
      offsets[v] = offset;
      offset += here;
    }
    if (n > PREFETCH_MIN / (ptrdiff_t)sizeof(Key))
      Key_(deal)(spare, offsets, keys, n, least, shift, width, PREFETCH);
    else
      Key_(deal)(spare, offsets, keys, n, least, shift, width, 0);
    Key *const sorted = spare;
    spare = keys;
    keys = sorted;
  }
  return keys;
}

static Key *Key_(sortDigits)(Key *keys, Key *spare, ptrdiff_t n, int low)
{
  enum { MERGE_SORT_MAX = 40 };
  return n <= MERGE_SORT_MAX ? Key_(mergeSort)(keys, spare, n)
                             : Key_(radixSort)(keys, spare, n, low);
}

/* Selects digit by digit, highest first, keeping the keys whose digits match so far. */
static Key Key_(selectDigits)(Key *keys, ptrdiff_t n, ptrdiff_t k, int bits, ptrdiff_t *before)
{
  enum { MOST = 1 << 8 };
  while (bits > 0 && n > 1) {
    ptrdiff_t counts[MOST];
    const int width = THMin(bits, n < 1024 ? 4 : 8);
    const Key mask = ((Key)1 << width) - 1;
    bits -= width;
    memset(counts, 0, sizeof *counts << width);
    for (ptrdiff_t i = 0; i < n; i++)
      counts[keys[i] >> bits & mask]++;
    Key digit = 0;
    while (k >= counts[digit])
      k -= counts[digit++];
    if (counts[digit] == n)
      continue;
    ptrdiff_t kept = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
      const Key key = keys[i];
      keys[kept] = key;
      kept += (key >> bits & mask) == digit;
    }
    n = kept;
  }
  *before = k;
  return keys[0];
}

#if TH_VECTOR_MASKS
#include "THSortVectors.h"
#endif

/* --- the table's functions ------------------------------------------------------------------- */

/* Uses the radix sort where there are many keys and few digits. */
static void Key_(sort)(Key *keys, Key *spare, ptrdiff_t n, int low, int high)
{
#if TH_VECTOR_MASKS
  enum { RADIX_MIN = 4096, RADIX_MIN_NARROW = 512 };
  if (n < (high - low <= Key_(Narrow) ? RADIX_MIN_NARROW : RADIX_MIN) ||
      high - low > (KEY_BITS == 32 ? 1 : 2) * Key_(Wide)) {
    Key_(quicksort)(keys, spare, keys, n, Key_(trust)(n));
    return;
  }
#endif
  const Key *sorted = Key_(sortDigits)(keys, spare, n, low);
  if (sorted != keys)
    memcpy(keys, sorted, (size_t)n * sizeof *keys);
}

#if !TH_VECTOR_MASKS

static ptrdiff_t Key_(keepBetween)(Key *to, const Key *keys, ptrdiff_t n, Key low, Key high,
                                   ptrdiff_t *below)
{
  enum { BLOCK = 4096 };
  ptrdiff_t less = 0, count = 0;
  for (ptrdiff_t i = 0; i < n; i += BLOCK) {
    const Key *some = keys + i;
    int before = 0;
    for (int j = 0; j < THMin(BLOCK, n - i); j++)
      before += some[j] < low;
    less += before;
  }
  for (ptrdiff_t i = 0; i < n; i++) {
    const Key key = keys[i];
    to[count] = key;
    count += key - low <= high - low;
  }
  *below = less;
  return count;
}

#endif

/* Sorts a sample of many keys to find two bounds for key number k, and copies the keys between them
 * to `to`.  Returns 0 if key k is not between the bounds after all, or too many keys are. */
static int Key_(narrow)(Key *to, const Key *keys, ptrdiff_t *n, ptrdiff_t *k)
{
  enum { SAMPLE = 1024, AROUND = 64 };
  TH_SCRATCH(Key, sample, SAMPLE);
  TH_SCRATCH(Key, spare, SAMPLE);
  for (ptrdiff_t i = 0; i < SAMPLE; i++)
    sample[i] = keys[*n / SAMPLE * i];
  Key_(sort)(sample, spare, SAMPLE, 0, KEY_BITS);
  const ptrdiff_t index = (ptrdiff_t)((double)*k / (double)*n * SAMPLE);
  const Key low = index < AROUND ? 0 : sample[index - AROUND];
  const Key high = index + AROUND < SAMPLE ? sample[index + AROUND] : ~(Key)0;
  ptrdiff_t below;
  const ptrdiff_t kept = Key_(keepBetween)(to, keys, *n, low, high, &below);
  if (*k < below || *k >= below + kept || kept > *n / 2)
    return 0;
  *k -= below;
  *n = kept;
  return 1;
}

static Key Key_(select)(Key *keys, Key *spare, ptrdiff_t n, ptrdiff_t k, int bits,
                        ptrdiff_t *before)
{
  enum { SAMPLE_MIN = 1 << 14 };
  while (n > SAMPLE_MIN && Key_(narrow)(spare, keys, &n, &k)) {
    Key *const kept = spare;
    spare = keys;
    keys = kept;
  }
#if TH_VECTOR_MASKS
  return Key_(quickselect)(keys, spare, n, k, bits, before);
#else
  return Key_(selectDigits)(keys, n, k, bits, before);
#endif
}

/* Takes the least key of each of at least 4k groups and returns the k-th of them in order: at least
 * k keys are no greater, and hardly any more. */
static Key Key_(bound)(const Key *keys, ptrdiff_t n, ptrdiff_t k)
{
  enum { MIN_GROUPS = 64, MAX_GROUPS = 256, GROUP_SIZE = 8 };
  Key least[MAX_GROUPS], spare[MAX_GROUPS];
  const int groups = k <= MIN_GROUPS / 4 ? MIN_GROUPS : MAX_GROUPS;
  if (k > groups / 4 || n < GROUP_SIZE * groups)
    return ~(Key)0;
  memcpy(least, keys, (size_t)groups * sizeof *keys);
  for (ptrdiff_t i = groups; i + groups <= n; i += groups)
    for (int j = 0; j < groups; j++)
      least[j] = THMin(least[j], keys[i + j]);
  Key_(sort)(least, spare, groups, 0, KEY_BITS);
  return least[k - 1];
}

static ptrdiff_t Key_(keep)(Key *kept, Key *indices, const Key *keys, const Key *from, ptrdiff_t n,
                            Key last, ptrdiff_t equal)
{
#if TH_VECTOR_MASKS
  return Key_(keepVectors)(kept, indices, keys, from, n, last, equal);
#else
  ptrdiff_t count = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    const Key key = keys[i], index = from ? from[i] : (Key)i;
    kept[count] = key;
    indices[count] = index;
    count += key < last || (key == last && equal-- > 0);
  }
  return count;
#endif
}

/* The bits of positive numbers are in order; those of negative ones are in reverse. */
static void Key_(fromFloats)(Key *restrict keys, const Key *restrict bits, ptrdiff_t n, Key flip)
{
#if TH_VECTOR_MASKS
  Key_(fromFloatVectors)(keys, bits, n, flip);
#else
  const Key top = (Key)1 << (KEY_BITS - 1);
  const Key infinity = KEY_BITS == 32 ? (Key)0x7f800000 : (Key)0x7ff0000000000000;
  for (ptrdiff_t i = 0; i < n; i++) {
    const Key x = bits[i] == top ? 0 : bits[i]; /* 0 for -0 */
    const Key nan = (x & (top - 1)) > infinity ? ~(Key)0 : 0;
    keys[i] = ((x ^ ((0 - (x >> (KEY_BITS - 1))) | top)) | nan) ^ flip;
  }
#endif
}

static int Key_(toFloats)(Key *restrict bits, const Key *restrict keys, ptrdiff_t n, Key flip)
{
#if TH_VECTOR_MASKS
  return Key_(toFloatVectors)(bits, keys, n, flip);
#else
  const Key top = (Key)1 << (KEY_BITS - 1);
  Key several = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    const Key key = keys[i] ^ flip;
    several |= (key == top) | (key == ~(Key)0);
    bits[i] = key ^ ((0 - (~key >> (KEY_BITS - 1))) | top);
  }
  return several != 0;
#endif
}

/* Sorting and selecting integers, by their digits where there are no vectors for it; included by
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

/* a and b are sorted and follow each other. */
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
  Key_(Wide) = 11, /* the widest digit: 2,048 places to go on at */
  Key_(Narrow) = 8,
  Key_(Digits) = (KEY_BITS + Key_(Narrow) - 1) / Key_(Narrow)
};

typedef Key Key_(Counts)[1 << Key_(Wide)];

/* Counts up to three digits at once: what one of them waits for, where a count goes up again and
 * again, the others do not. */
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

/* Every key goes to the place of its digit.  Where the places are not in a near cache, the line
 * that comes next in each is fetched before it is written: so many places keep the processor from
 * seeing by itself which. */
static inline __attribute__((always_inline)) void Key_(deal)(Key *to, Key *places, const Key *keys,
                                                             ptrdiff_t n, Key least, int shift,
                                                             int width, int ahead)
{
  const Key mask = ((Key)1 << width) - 1;
  for (ptrdiff_t i = 0; i < n; i++) {
    Key *const place = to + places[(keys[i] - least) >> shift & mask]++;
    *place = keys[i];
    if (ahead)
      __builtin_prefetch(place + ahead, 1);
  }
}

/* From the lowest digit to the highest of how far keys are above the least of them.  That leaves
 * few bits, which make few digits, and a highest one that is spread: one that is mostly the same
 * would be slow, each key waiting for the count of the one before.  Digits that are the same in
 * all keys cost nothing.  Of the lowest bits, low of them, keys come in order. */
static Key *Key_(radixSort)(Key *keys, Key *spare, ptrdiff_t n, int low)
{
  enum { MANY = 4096, FAR = 1 << 21, AHEAD = 96 / sizeof(Key) };
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
  const int widest = n < MANY ? Key_(Narrow) : Key_(Wide), digits = (bits + widest - 1) / widest;
  const int width = digits ? (bits + digits - 1) / digits : 0;

  Key_(Counts) counts[Key_(Digits)];
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
    Key *const places = counts[d];
    const int shift = low + d * width;
    Key place = 0;
    if (places[(keys[0] - least) >> shift & (((Key)1 << width) - 1)] == (Key)n)
      continue;
    for (int v = 0; v < 1 << width; v++) {
      const Key here = places[v];
      places[v] = place;
      place += here;
    }
    if (n > FAR / (ptrdiff_t)sizeof(Key))
      Key_(deal)(spare, places, keys, n, least, shift, width, AHEAD);
    else
      Key_(deal)(spare, places, keys, n, least, shift, width, 0);
    Key *const sorted = spare;
    spare = keys;
    keys = sorted;
  }
  return keys;
}

static Key *Key_(sortDigits)(Key *keys, Key *spare, ptrdiff_t n, int low)
{
  enum { FEW = 40 };
  return n <= FEW ? Key_(mergeSort)(keys, spare, n) : Key_(radixSort)(keys, spare, n, low);
}

/* From the highest digit to the lowest, keeping the keys that still fit. */
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

#if defined(TH_SORT_VECTORS)
#include "THSortVectors.h"
#endif

/* --- what the table has ---------------------------------------------------------------------- */

/* By digits too, where there are many keys and few digits. */
static void Key_(sort)(Key *keys, Key *spare, ptrdiff_t n, int low, int high)
{
#if defined(TH_SORT_VECTORS)
  enum { MANY = 4096, NOT_FEW = 512 };
  if (n < (high - low <= Key_(Narrow) ? NOT_FEW : MANY) ||
      high - low > (KEY_BITS == 32 ? 1 : 2) * Key_(Wide)) {
    Key_(quicksort)(keys, spare, keys, n, Key_(trust)(n));
    return;
  }
#endif
  const Key *sorted = Key_(sortDigits)(keys, spare, n, low);
  if (sorted != keys)
    memcpy(keys, sorted, (size_t)n * sizeof *keys);
}

#if !defined(TH_SORT_VECTORS)

static ptrdiff_t Key_(keepBetween)(Key *to, const Key *keys, ptrdiff_t n, Key low, Key high,
                                   ptrdiff_t *below)
{
  enum { STRETCH = 4096 };
  ptrdiff_t less = 0, count = 0;
  for (ptrdiff_t i = 0; i < n; i += STRETCH) {
    const Key *some = keys + i;
    int before = 0;
    for (int j = 0; j < THMin(STRETCH, n - i); j++)
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

/* Of many keys a few are looked at first, which say between which two key number k must be; those
 * between go to where there is room.  0: it is not among them after all, or they are many. */
static int Key_(narrow)(Key *to, const Key *keys, ptrdiff_t *n, ptrdiff_t *k)
{
  enum { SAMPLE = 1024, AROUND = 64 };
  Key sample[SAMPLE], spare[SAMPLE];
  for (ptrdiff_t i = 0; i < SAMPLE; i++)
    sample[i] = keys[*n / SAMPLE * i];
  Key_(sort)(sample, spare, SAMPLE, 0, KEY_BITS);
  const ptrdiff_t place = (ptrdiff_t)((double)*k / (double)*n * SAMPLE);
  const Key low = place < AROUND ? 0 : sample[place - AROUND];
  const Key high = place + AROUND < SAMPLE ? sample[place + AROUND] : ~(Key)0;
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
  enum { MANY = 1 << 14 };
  while (n > MANY && Key_(narrow)(spare, keys, &n, &k)) {
    Key *const kept = spare;
    spare = keys;
    keys = kept;
  }
#if defined(TH_SORT_VECTORS)
  return Key_(quickselect)(keys, spare, n, k, bits, before);
#else
  return Key_(selectDigits)(keys, n, k, bits, before);
#endif
}

/* The least of each of as many groups as are four times what is wanted, or more: so many of those
 * are no greater than the result, and hardly any other keys. */
static Key Key_(bound)(const Key *keys, ptrdiff_t n, ptrdiff_t k)
{
  enum { FEW = 64, MOST = 256, EACH = 8 };
  Key least[MOST], spare[MOST];
  const int groups = k <= FEW / 4 ? FEW : MOST;
  if (k > groups / 4 || n < EACH * groups)
    return ~(Key)0;
  memcpy(least, keys, (size_t)groups * sizeof *keys);
  for (ptrdiff_t i = groups; i + groups <= n; i += groups)
    for (int j = 0; j < groups; j++)
      least[j] = THMin(least[j], keys[i + j]);
  Key_(sort)(least, spare, groups, 0, KEY_BITS);
  return least[k - 1];
}

static ptrdiff_t Key_(keep)(Key *kept, Key *places, const Key *keys, const Key *from, ptrdiff_t n,
                            Key last, ptrdiff_t equal)
{
#if defined(TH_SORT_VECTORS)
  return Key_(keepVectors)(kept, places, keys, from, n, last, equal);
#else
  ptrdiff_t count = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    const Key key = keys[i], place = from ? from[i] : (Key)i;
    kept[count] = key;
    places[count] = place;
    count += key < last || (key == last && equal-- > 0);
  }
  return count;
#endif
}

/* The bits of positive numbers are in order; those of negative ones are in reverse. */
static void Key_(fromFloats)(Key *restrict keys, const Key *restrict bits, ptrdiff_t n, Key flip)
{
#if defined(TH_SORT_VECTORS)
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
#if defined(TH_SORT_VECTORS)
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

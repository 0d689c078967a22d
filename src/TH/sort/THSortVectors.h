/* Sorting and selecting integers in vectors of AVX-512; included by THSortKernels.c for each width:
 * Key, KEY_BITS, and Key_(name).  A quicksort, whose parts are sorted in registers once they are
 * small.  It is not stable, which cannot be seen: callers that need a stable order put the indices
 * of elements into the keys. */

/* --- vectors --------------------------------------------------------------------------------- */

#if KEY_BITS == 32
typedef THInts Key_(Vector);
typedef THMask32 Key_(Mask);
typedef int32_t Key_(Signed);
#define V_(name) THInts_##name
#else
typedef THLongs Key_(Vector);
typedef THMask64 Key_(Mask);
typedef int64_t Key_(Signed);
#define V_(name) THLongs_##name
#endif

enum {
  Key_(LANES) = TH_VECTOR * 8 / KEY_BITS,
  Key_(ROWS) = 16,
  Key_(SMALL) = Key_(LANES) * Key_(ROWS)
};
#define LANES   Key_(LANES)
#define ROWS    Key_(ROWS)
#define SMALL   Key_(SMALL)
#define INLINE_ TH_SIMD

INLINE_ Key_(Vector) Key_(loadWhole)(const Key *from)
{
  return (Key_(Vector))THSimd_load(from);
}

INLINE_ void Key_(storeWhole)(Key *to, Key_(Vector) v)
{
  THSimd_store(to, (THLongs)v);
}

INLINE_ Key_(Vector) Key_(all)(Key key)
{
  return V_(all)((Key_(Signed))key);
}

/* Reverses each group of lanes lanes of a vector. */
INLINE_ Key_(Vector) Key_(reverse)(Key_(Vector) v, int lanes)
{
#if KEY_BITS == 32
  if (lanes == 2)
    return TH_MIX(v, v, 1, 0, 3, 2, 5, 4, 7, 6, 9, 8, 11, 10, 13, 12, 15, 14);
  if (lanes == 4)
    return TH_MIX(v, v, 3, 2, 1, 0, 7, 6, 5, 4, 11, 10, 9, 8, 15, 14, 13, 12);
  if (lanes == 8)
    return TH_MIX(v, v, 7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8);
  return TH_MIX(v, v, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0);
#else
  if (lanes == 2) /* as integers of 32 bits: gcc has a slower instruction for those of 64 */
    return (THLongs)TH_MIX((THInts)v, (THInts)v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12,
                           13);
  if (lanes == 4)
    return TH_MIX(v, v, 3, 2, 1, 0, 7, 6, 5, 4);
  return TH_MIX(v, v, 7, 6, 5, 4, 3, 2, 1, 0);
#endif
}

/* Swaps every lane with the lane distance away. */
INLINE_ Key_(Vector) Key_(swap)(Key_(Vector) v, int distance)
{
  if (distance == 1)
    return Key_(reverse)(v, 2);
  if (distance * KEY_BITS == 64)
    return (Key_(Vector))TH_MIX((THInts)v, (THInts)v, 2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15,
                                12, 13);
  return (Key_(Vector))TH_MIX((THLongs)v, (THLongs)v, 2, 3, 0, 1, 6, 7, 4, 5);
}

/* --- up to 16 vectors of keys: in registers -------------------------------------------------- */

INLINE_ void Key_(order)(Key_(Vector) * a, Key_(Vector) * b)
{
  const Key_(Vector) low = V_(minUnsigned)(*a, *b);
  *b = V_(maxUnsigned)(*a, *b);
  *a = low;
}

/* Sorts each column by Batcher's networks. */
INLINE_ void Key_(sortColumns)(Key_(Vector) * v, int rows)
{
  /* clang-format off */
#define X(A, B) Key_(order)(v + (A), v + (B));
#define NETWORK_4(I)                                                                \
  X(I, I + 1)     X(I + 2, I + 3)                                                   \
  X(I, I + 2)     X(I + 1, I + 3)                                                   \
  X(I + 1, I + 2)
#define NETWORK_8(I)                                                                \
  NETWORK_4(I)    NETWORK_4(I + 4)                                                  \
  X(I, I + 4)     X(I + 1, I + 5) X(I + 2, I + 6) X(I + 3, I + 7)                   \
  X(I + 2, I + 4) X(I + 3, I + 5)                                                   \
  X(I + 1, I + 2) X(I + 3, I + 4) X(I + 5, I + 6)
  if (rows == 2)
    X(0, 1)
  if (rows == 4) {
    NETWORK_4(0)
  }
  if (rows >= 8) {
    NETWORK_8(0)
  }
  if (rows == 16) {
    NETWORK_8(8)
    X(0, 8) X(1, 9) X(2, 10) X(3, 11) X(4, 12) X(5, 13) X(6, 14) X(7, 15)
    X(4, 8) X(5, 9) X(6, 10) X(7, 11)
    X(2, 4) X(3, 5) X(6, 8) X(7, 9) X(10, 12) X(11, 13)
    X(1, 2) X(3, 4) X(5, 6) X(7, 8) X(9, 10) X(11, 12) X(13, 14)
  }
#undef NETWORK_8
#undef NETWORK_4
#undef X
  /* clang-format on */
}

/* The lanes whose numbers have this bit. */
INLINE_ Key_(Mask) Key_(upper)(int bit)
{
  return (Key_(Mask))(bit == 1 ? 0xaaaa : bit == 2 ? 0xcccc : bit == 4 ? 0xf0f0 : 0xff00);
}

/* The greater of each pair goes to the upper lane. */
INLINE_ Key_(Vector) Key_(orderLanes)(Key_(Vector) v, Key_(Vector) partner, int bit)
{
  return V_(select)(Key_(upper)(bit), V_(maxUnsigned)(v, partner), V_(minUnsigned)(v, partner));
}

/* Orders the first row of each group with the last, the second with the last but one, and so on. */
INLINE_ void Key_(mergeRows)(Key_(Vector) * v, int rows, int group, int lanes)
{
#pragma GCC unroll 16
  for (int i = 0; i < rows / 2; i++) {
    const int first = i / (group / 2) * group, j = i % (group / 2);
    Key_(Vector) *a = v + first + j, *b = v + first + group - 1 - j;
    *b = Key_(reverse)(*b, lanes);
    Key_(order)(a, b);
  }
}

/* Merges sorted sequences: each half of a group of lanes holds one, row after row; afterwards each
 * group does.  The second sequence is reversed, so that the two form a bitonic sequence. */
INLINE_ void Key_(mergeLanes)(Key_(Vector) * v, int rows, int lanes)
{
  if (rows >= 16) /* separate ifs, so that the arguments are constants */
    Key_(mergeRows)(v, rows, 16, lanes);
  if (rows >= 8)
    Key_(mergeRows)(v, rows, 8, lanes);
  if (rows >= 4)
    Key_(mergeRows)(v, rows, 4, lanes);
  if (rows >= 2)
    Key_(mergeRows)(v, rows, 2, lanes);
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++) {
    v[i] = Key_(orderLanes)(v[i], Key_(reverse)(v[i], lanes), lanes / 2);
    if (lanes > 8)
      v[i] = Key_(orderLanes)(v[i], Key_(swap)(v[i], 4), 4);
    if (lanes > 4)
      v[i] = Key_(orderLanes)(v[i], Key_(swap)(v[i], 2), 2);
    if (lanes > 2)
      v[i] = Key_(orderLanes)(v[i], Key_(swap)(v[i], 1), 1);
  }
}

INLINE_ Key_(Mask) Key_(lanesOf)(ptrdiff_t n)
{
  return (Key_(Mask))THMask_first((unsigned)THMax(0, THMin(LANES, n)));
}

INLINE_ Key_(Vector) Key_(loadMasked)(Key_(Mask) mask, const Key *from)
{
  return V_(loadMasked)(mask, (const Key_(Signed) *)from);
}

INLINE_ void Key_(storeMasked)(Key *to, Key_(Mask) mask, Key_(Vector) v)
{
  V_(storeMasked)((Key_(Signed) *)to, mask, v);
}

/* Loads or stores the next of n keys.  Whole vectors use no masks: processors do not forward masked
 * stores to following loads. */
INLINE_ Key_(Vector) Key_(load)(const Key *from, ptrdiff_t n)
{
  return n >= LANES ? Key_(loadWhole)(from) : Key_(loadMasked)(Key_(lanesOf)(n), from);
}

INLINE_ void Key_(store)(Key *to, ptrdiff_t n, Key_(Vector) v)
{
  if (n >= LANES)
    Key_(storeWhole)(to, v);
  else
    Key_(storeMasked)(to, Key_(lanesOf)(n), v);
}

/* More than half of the rows have to be full. */
INLINE_ void Key_(sortRows)(Key *to, const Key *from, ptrdiff_t n, int rows)
{
  Key_(Vector) v[ROWS];
  const Key_(Vector) last = V_(all)(-1);
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++)
    v[i] = i < rows / 2 ? Key_(loadWhole)(from + LANES * i)
                        : V_(loadOr)(last, Key_(lanesOf)(n - LANES * i),
                                     (const Key_(Signed) *)(from + LANES * i));
  Key_(sortColumns)(v, rows);
  Key_(mergeLanes)(v, rows, 2);
  Key_(mergeLanes)(v, rows, 4);
  Key_(mergeLanes)(v, rows, 8);
  if (LANES > 8)
    Key_(mergeLanes)(v, rows, 16);
#pragma GCC unroll 16
  for (int i = 0; i < rows; i++)
    if (i < rows / 2)
      Key_(storeWhole)(to + LANES * i, v[i]);
    else
      Key_(storeMasked)(to + LANES * i, Key_(lanesOf)(n - LANES * i), v[i]);
}

/* n <= SMALL; to may be from. */
static void Key_(sortSmall)(Key *to, const Key *from, ptrdiff_t n)
{
  if (n <= LANES)
    Key_(sortRows)(to, from, n, 1);
  else if (n <= 2 * LANES)
    Key_(sortRows)(to, from, n, 2);
  else if (n <= 4 * LANES)
    Key_(sortRows)(to, from, n, 4);
  else if (n <= 8 * LANES)
    Key_(sortRows)(to, from, n, 8);
  else
    Key_(sortRows)(to, from, n, 16);
}

/* --- quicksort ------------------------------------------------------------------------------- */

/* About the median of three vectors; *again says whether it seems to occur more than once. */
static Key Key_(choosePivot)(const Key *from, ptrdiff_t n, int *again)
{
  Key_(Vector) a = Key_(loadWhole)(from + n / 4), b = Key_(loadWhole)(from + n / 2);
  Key_(Vector) c = Key_(loadWhole)(from + n / 4 * 3);
  Key_(order)(&a, &b);
  Key_(order)(&b, &c);
  Key_(order)(&a, &b);
  Key_(mergeLanes)(&b, 1, 2);
  Key_(mergeLanes)(&b, 1, 4);
  Key_(mergeLanes)(&b, 1, 8);
  if (LANES > 8)
    Key_(mergeLanes)(&b, 1, 16);
  *again = b[LANES / 2] == b[LANES / 2 + 1];
  return (Key)b[LANES / 2];
}

/* Moves those of the n keys in from (which is a or b) that are below the pivot to the beginning of
 * a, the others to that of b; returns how many went to a.  Stores whole vectors, whose surplus is
 * overwritten later: neither store position is ever ahead of the load position. */
static ptrdiff_t Key_(part)(Key *a, Key *b, const Key *from, ptrdiff_t n, Key pivot)
{
  enum { AT_ONCE = 4 };
  const Key_(Vector) middle = Key_(all)(pivot);
  Key *const begin = a;
  ptrdiff_t i = 0;
  for (; i + AT_ONCE * LANES <= n; i += AT_ONCE * LANES) {
    Key_(Vector) v[AT_ONCE];
#pragma GCC unroll 4
    for (int j = 0; j < AT_ONCE; j++)
      v[j] = Key_(loadWhole)(from + i + j * LANES);
#pragma GCC unroll 4
    for (int j = 0; j < AT_ONCE; j++) {
      const Key_(Mask) below = V_(lessUnsigned)(v[j], middle);
      const int count = __builtin_popcount(below);
      Key_(storeWhole)(a, V_(compress)(below, v[j]));
      Key_(storeWhole)(b, V_(compress)((Key_(Mask))~below, v[j]));
      a += count;
      b += LANES - count;
    }
  }
  for (; i < n; i += LANES) {
    const Key_(Mask) some = Key_(lanesOf)(n - i);
    const Key_(Vector) v = Key_(loadMasked)(some, from + i);
    const Key_(Mask) below = (Key_(Mask))(V_(lessUnsigned)(v, middle) & some);
    const Key_(Mask) others = (Key_(Mask))(~below & some);
    const int count = __builtin_popcount(below), rest = __builtin_popcount(others);
    Key_(storeMasked)(a, Key_(lanesOf)(count), V_(compress)(below, v));
    Key_(storeMasked)(b, Key_(lanesOf)(rest), V_(compress)(others, v));
    a += count;
    b += rest;
  }
  return a - begin;
}

/* Key_(part) without the keys equal to the pivot, which may be many; *rest is how many keys went to
 * b. */
static ptrdiff_t Key_(partThree)(Key *a, Key *b, const Key *from, ptrdiff_t n, Key pivot,
                                 ptrdiff_t *rest)
{
  const Key_(Vector) middle = Key_(all)(pivot);
  Key *const begin = a, *const beginRest = b;
  for (ptrdiff_t i = 0; i < n; i += LANES) {
    const Key_(Mask) some = Key_(lanesOf)(n - i);
    const Key_(Vector) v = Key_(load)(from + i, n - i);
    const Key_(Mask) below = (Key_(Mask))(V_(lessUnsigned)(v, middle) & some);
    const Key_(Mask) above = (Key_(Mask))(V_(lessUnsigned)(middle, v) & some);
    const int less = __builtin_popcount(below), more = __builtin_popcount(above);
    Key_(store)(a, n - i < LANES ? less : LANES, V_(compress)(below, v));
    Key_(store)(b, n - i < LANES ? more : LANES, V_(compress)(above, v));
    a += less;
    b += more;
  }
  *rest = b - beginRest;
  return a - begin;
}

/* The limit of quicksort's depth: about twice the expected depth. */
static int Key_(trust)(ptrdiff_t n)
{
  return 2 * (64 - __builtin_clzll((unsigned long long)n | 1));
}

/* Sorts n keys of from, which is a or b, into a.  Changes to the radix sort if the depth limit is
 * reached. */
static void Key_(quicksort)(Key *a, Key *b, Key *from, ptrdiff_t n, int trust)
{
  while (n > SMALL) {
    if (trust-- == 0) {
      const Key *sorted = Key_(radixSort)(from, from == a ? b : a, n, 0);
      if (sorted != a)
        memcpy(a, sorted, (size_t)n * sizeof *a);
      return;
    }
    int again;
    const Key pivot = Key_(choosePivot)(from, n, &again);
    ptrdiff_t low = 0, equal = 0, rest = n;
    if (!again)
      low = Key_(part)(a, b, from, n, pivot);
    if (low == 0) {
      low = Key_(partThree)(a, b, again ? from : b, n, pivot, &rest);
      equal = n - low - rest;
      for (ptrdiff_t i = 0; i < equal; i++)
        a[low + i] = pivot;
    }
    if (low > 0)
      Key_(quicksort)(a, b + (n - low), a, low, trust);
    a += low + equal;
    n -= low + equal;
    from = b;
  }
  if (n > 0)
    Key_(sortSmall)(a, from, n);
}

/* Key number k in order; *before becomes the number of equal keys before it. */
static Key Key_(quickselect)(Key *a, Key *b, ptrdiff_t n, ptrdiff_t k, int bits, ptrdiff_t *before)
{
  Key *from = a;
  for (int trust = Key_(trust)(n); n > SMALL; trust--) {
    if (trust == 0)
      return Key_(selectDigits)(from, n, k, bits, before);
    int again;
    const Key pivot = Key_(choosePivot)(from, n, &again);
    ptrdiff_t low = Key_(part)(a, b, from, n, pivot);
    from = a;
    if (low == 0) {
      const Key above = pivot + 1;
      low = above ? Key_(part)(a, b, b, n, above) : n;
      if (k < low) {
        *before = k;
        return pivot;
      }
    }
    if (k < low) {
      n = low;
      continue;
    }
    k -= low;
    n -= low;
    from = b;
  }
  Key_(sortSmall)(a, from, n);
  ptrdiff_t first = k;
  while (first > 0 && a[first - 1] == a[k])
    first--;
  *before = k - first;
  return a[k];
}

/* Keeps the keys from low to high; *below becomes the number of keys below low. */
static ptrdiff_t Key_(keepBetween)(Key *to, const Key *keys, ptrdiff_t n, Key low, Key high,
                                   ptrdiff_t *below)
{
  const Key_(Vector) least = Key_(all)(low), most = Key_(all)(high);
  ptrdiff_t less = 0, count = 0;
  for (ptrdiff_t i = 0; i < n; i += LANES) {
    const Key_(Mask) some = Key_(lanesOf)(n - i);
    const Key_(Vector) v = Key_(load)(keys + i, n - i);
    const unsigned under = V_(lessUnsigned)(v, least) & some,
                   over = V_(lessUnsigned)(most, v) & some;
    const Key_(Mask) kept = (Key_(Mask))(some & ~(under | over));
    const int more = __builtin_popcount(kept);
    Key_(store)(to + count, n - i < LANES ? more : LANES, V_(compress)(kept, v));
    less += __builtin_popcount(under);
    count += more;
  }
  *below = less;
  return count;
}

#if KEY_BITS == 32
#define CLASS_(v, kinds) THFloats_ofClass((THFloats)(v), kinds)
#else
#define CLASS_(v, kinds) THDoubles_ofClass((THDoubles)(v), kinds)
#endif

static void Key_(fromFloatVectors)(Key *keys, const Key *bits, ptrdiff_t n, Key flip)
{
  enum { NAN_ = 0x81, MINUS_ZERO = 0x04 };
  const Key_(Vector) top = Key_(all)((Key)1 << (KEY_BITS - 1)), turned = Key_(all)(flip);
  const Key_(Vector) last = ~turned;
  const Key_(Vector) zero = turned ^ top;
  for (ptrdiff_t i = 0; i < n; i += LANES) {
    const Key_(Vector) x = Key_(load)(bits + i, n - i);
    const Key_(Vector) sign = x >> (KEY_BITS - 1);
    Key_(Vector) key = x ^ (sign | top) ^ turned;
    key = V_(select)(CLASS_(x, NAN_), last, key);
    key = V_(select)(CLASS_(x, MINUS_ZERO), zero, key);
    Key_(storeWhole)(keys + i, key);
  }
}

static int Key_(toFloatVectors)(Key *bits, const Key *keys, ptrdiff_t n, Key flip)
{
  const Key_(Vector) top = Key_(all)((Key)1 << (KEY_BITS - 1)), turned = Key_(all)(flip);
  const Key_(Vector) ones = V_(all)(-1);
  unsigned several = 0;
  for (ptrdiff_t i = 0; i < n; i += LANES) {
    const Key_(Mask) some = Key_(lanesOf)(n - i);
    const Key_(Vector) key = Key_(load)(keys + i, n - i) ^ turned;
    const Key_(Vector) positive = key >> (KEY_BITS - 1);
    several |= (V_(equal)(key, top) | V_(equal)(key, ones)) & some;
    Key_(store)(bits + i, n - i, key ^ (~positive | top));
  }
  return several != 0;
}

#undef CLASS_

/* Appends the taken lanes to the kept ones. */
INLINE_ ptrdiff_t Key_(keepLanes)(Key *kept, Key *indices, ptrdiff_t count, Key_(Vector) v,
                                  Key_(Vector) at, unsigned taken, int whole)
{
  const int more = __builtin_popcount(taken);
  const ptrdiff_t stored = whole ? LANES : more;
  Key_(store)(kept + count, stored, V_(compress)((Key_(Mask))taken, v));
  Key_(store)(indices + count, stored, V_(compress)((Key_(Mask))taken, at));
  return count + more;
}

/* See keep in THSort.h. */
static ptrdiff_t Key_(keepVectors)(Key *kept, Key *indices, const Key *keys, const Key *from,
                                   ptrdiff_t n, Key last, ptrdiff_t equal)
{
  const Key_(Vector) bound = Key_(all)(last), step = Key_(all)(LANES);
  Key_(Vector) here = V_(counting)();
  ptrdiff_t count = 0, i = 0;
  for (; i + LANES <= n && equal >= LANES; i += LANES) { /* until all wanted equal keys are found */
    const Key_(Vector) v = Key_(loadWhole)(keys + i);
    const Key_(Vector) at = from ? Key_(loadWhole)(from + i) : here;
    const unsigned same = V_(equal)(v, bound), taken = V_(lessUnsigned)(v, bound) | same;
    here += step;
    equal -= __builtin_popcount(same);
    count = Key_(keepLanes)(kept, indices, count, v, at, taken, 1);
  }
  for (; i < n; i += LANES) {
    const int whole = n - i >= LANES;
    const Key_(Mask) some = Key_(lanesOf)(n - i);
    const Key_(Vector) v = Key_(load)(keys + i, n - i),
                       at = from ? Key_(load)(from + i, n - i) : here;
    const unsigned same = V_(equal)(v, bound) & some;
    unsigned taken = V_(lessUnsigned)(v, bound) & some;
    here += step;
    if (same) {
      const unsigned first = equal < LANES ? THMask_lowest(same, (unsigned)equal) : same;
      equal -= __builtin_popcount(first);
      taken |= first;
    }
    count = Key_(keepLanes)(kept, indices, count, v, at, taken, whole);
  }
  return count;
}

#undef LANES
#undef ROWS
#undef SMALL
#undef V_
#undef INLINE_

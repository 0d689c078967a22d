/* Included by THSortKernels.c for each width of items: Item, its Key, and Item_(name). */

static void Item_(insert)(Item *items, ptrdiff_t n)
{
  for (ptrdiff_t i = 1; i < n; i++) {
    const Item item = items[i];
    ptrdiff_t j = i;
    for (; j > 0 && item.key < items[j - 1].key; j--)
      items[j] = items[j - 1];
    items[j] = item;
  }
}

/* a and b are sorted and follow each other; of equal items those of a come first. */
static void Item_(merge)(Item *to, const Item *a, const Item *b, const Item *end)
{
  const Item *const middle = b;
  while (a < middle && b < end) {
    const int second = b->key < a->key;
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
static Item *Item_(mergeSort)(Item *items, Item *spare, ptrdiff_t n)
{
  enum { RUN = 12 };
  for (ptrdiff_t i = 0; i < n; i += RUN)
    Item_(insert)(items + i, THMin(RUN, n - i));
  for (ptrdiff_t run = RUN; run < n; run *= 2) {
    for (ptrdiff_t i = 0; i < n; i += 2 * run)
      Item_(merge)(spare + i, items + i, items + THMin(n, i + run), items + THMin(n, i + 2 * run));
    Item *const sorted = spare;
    spare = items;
    items = sorted;
  }
  return items;
}

enum {
  Item_(KeyBits) = 8 * sizeof(Key), /* bits */
  Item_(Wide) = 11,                 /* the widest digit: 2,048 places to go on at */
  Item_(Narrow) = 8,
  Item_(Digits) = (Item_(KeyBits) + Item_(Narrow) - 1) / Item_(Narrow)
};

typedef Key Item_(Counts)[1 << Item_(Wide)];

/* Counts up to three digits at once: what one of them waits for, where a count goes up again and
 * again, the others do not. */
static inline __attribute__((always_inline)) void Item_(count)(Item_(Counts) * counts,
                                                               const Item *items, ptrdiff_t n,
                                                               Key least, int shift, int width,
                                                               int digits)
{
  const Key mask = ((Key)1 << width) - 1;
  for (ptrdiff_t i = 0; i < n; i++) {
    const Key key = (items[i].key - least) >> shift;
    counts[0][key & mask]++;
    if (digits > 1)
      counts[1][key >> width & mask]++;
    if (digits > 2)
      counts[2][key >> 2 * width & mask]++;
  }
}

/* Every item goes to the place of its digit.  Where the places are not in a near cache, the line
 * that comes next in each is fetched before it is written: so many places keep the processor from
 * seeing by itself which. */
static inline __attribute__((always_inline)) void Item_(deal)(Item *to, Key *places,
                                                              const Item *items, ptrdiff_t n,
                                                              Key least, int shift, int width,
                                                              int ahead)
{
  const Key mask = ((Key)1 << width) - 1;
  for (ptrdiff_t i = 0; i < n; i++) {
    Item *const place = to + places[(items[i].key - least) >> shift & mask]++;
    *place = items[i];
    if (ahead)
      __builtin_prefetch(place + ahead, 1);
  }
}

/* From the lowest digit to the highest of how far keys are above the least of them.  That leaves
 * few bits, which make few digits, and a highest one that is spread: one that is mostly the same
 * would be slow, each item waiting for the count of the one before.  Digits that are the same in
 * all keys cost nothing. */
static Item *Item_(radixSort)(Item *items, Item *spare, ptrdiff_t n)
{
  enum { MANY = 4096, FAR = 1 << 21, AHEAD = 96 / sizeof(Item) };
  Key least = ~(Key)0, most = 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    least = THMin(least, items[i].key);
    most = THMax(most, items[i].key);
  }
  int bits = 0;
  while (bits < Item_(KeyBits) && (most - least) >> bits)
    bits++;
  const int widest = n < MANY ? Item_(Narrow) : Item_(Wide), digits = (bits + widest - 1) / widest;
  const int width = digits ? (bits + digits - 1) / digits : 0;

  Item_(Counts) counts[Item_(Digits)];
  for (int d = 0; d < digits; d++)
    memset(counts[d], 0, sizeof(Key) << width);
  for (int d = 0; d < digits; d += 3)
    if (digits - d > 2)
      Item_(count)(counts + d, items, n, least, d * width, width, 3);
    else if (digits - d == 2)
      Item_(count)(counts + d, items, n, least, d * width, width, 2);
    else
      Item_(count)(counts + d, items, n, least, d * width, width, 1);
  for (int d = 0; d < digits; d++) {
    Key *const places = counts[d];
    Key place = 0;
    if (places[(items[0].key - least) >> d * width & (((Key)1 << width) - 1)] == (Key)n)
      continue;
    for (int v = 0; v < 1 << width; v++) {
      const Key here = places[v];
      places[v] = place;
      place += here;
    }
    if (n > FAR / (ptrdiff_t)sizeof(Item))
      Item_(deal)(spare, places, items, n, least, d * width, width, AHEAD);
    else
      Item_(deal)(spare, places, items, n, least, d * width, width, 0);
    Item *const sorted = spare;
    spare = items;
    items = sorted;
  }
  return items;
}

static Item *Item_(sort)(Item *items, Item *spare, ptrdiff_t n)
{
  enum { FEW = 40 };
  return n <= FEW ? Item_(mergeSort)(items, spare, n) : Item_(radixSort)(items, spare, n);
}

/* Of many keys a few are looked at first, which say between which two key number k must be; the
 * keys between those are kept.  0: it is not there after all, and nothing was done. */
static int Item_(narrow)(Key *keys, ptrdiff_t *n, ptrdiff_t *k)
{
  enum { SAMPLE = 1024, AROUND = 64, STRETCH = 4096 };
  Item sample[SAMPLE], spare[SAMPLE];
  for (ptrdiff_t i = 0; i < SAMPLE; i++)
    sample[i] = (Item){.key = keys[*n / SAMPLE * i], .at = (Key)i};
  const Item *sorted = Item_(sort)(sample, spare, SAMPLE);
  const ptrdiff_t place = (ptrdiff_t)((double)*k / (double)*n * SAMPLE);
  const Key low = place < AROUND ? 0 : sorted[place - AROUND].key;
  const Key high = place + AROUND < SAMPLE ? sorted[place + AROUND].key : ~(Key)0;

  ptrdiff_t below = 0, kept = 0;
  for (ptrdiff_t i = 0; i < *n; i += STRETCH) {
    const Key *some = keys + i;
    int before = 0, between = 0;
    for (int j = 0; j < THMin(STRETCH, *n - i); j++) {
      before += some[j] < low;
      between += some[j] - low <= high - low;
    }
    below += before;
    kept += between;
  }
  if (*k < below || *k >= below + kept || kept > *n / 2)
    return 0;
  kept = 0;
  for (ptrdiff_t i = 0; i < *n; i++) {
    const Key key = keys[i];
    keys[kept] = key;
    kept += key - low <= high - low;
  }
  *k -= below;
  *n = kept;
  return 1;
}

/* From the highest digit to the lowest, keeping the keys that still fit. */
static Key Item_(select)(Key *keys, ptrdiff_t n, ptrdiff_t k, int bits, ptrdiff_t *before)
{
  enum { MOST = 1 << 8, MANY = 1 << 14 };
  while (n > MANY && Item_(narrow)(keys, &n, &k))
    ;
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

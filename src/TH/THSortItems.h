/* Included by THSort.c for each width of items: Item, its Key, and Item_(name). */

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

/* Digits are bytes: the places where 256 of them go on stay in the first cache. */
static inline __attribute__((always_inline)) void Item_(count)(ptrdiff_t (*counts)[256],
                                                               const Item *items, ptrdiff_t n,
                                                               int digits)
{
  for (ptrdiff_t i = 0; i < n; i++)
    for (int d = 0; d < digits; d++)
      counts[d][items[i].key >> 8 * d & 255]++;
}

/* From the lowest digit to the highest.  Digits that are the same in all keys cost nothing. */
static Item *Item_(radixSort)(Item *items, Item *spare, ptrdiff_t n, int digits)
{
  enum { DIGITS = sizeof(Key) };
  ptrdiff_t counts[DIGITS][256] = {0};
  if (digits == DIGITS)
    Item_(count)(counts, items, n, DIGITS);
  else
    Item_(count)(counts, items, n, digits);

  for (int d = 0; d < digits; d++) {
    ptrdiff_t *count = counts[d], place = 0;
    if (count[items[0].key >> 8 * d & 255] == n)
      continue;
    for (int v = 0; v < 256; v++) {
      const ptrdiff_t here = count[v];
      count[v] = place;
      place += here;
    }
    for (ptrdiff_t i = 0; i < n; i++)
      spare[count[items[i].key >> 8 * d & 255]++] = items[i];
    Item *const sorted = spare;
    spare = items;
    items = sorted;
  }
  return items;
}

Item *Item_(sort)(Item *items, Item *spare, ptrdiff_t n, int bits)
{
  if (n <= 16 * bits)
    return Item_(mergeSort)(items, spare, n);
  return Item_(radixSort)(items, spare, n, (bits + 7) / 8);
}

/* Of many keys a few are looked at first, which say between which two key number k must be; the
 * keys between those are kept.  0: it is not there after all, and nothing was done. */
static int Item_(narrow)(Key *keys, ptrdiff_t *n, ptrdiff_t *k)
{
  enum { SAMPLE = 1024, AROUND = 64, STRETCH = 4096 };
  Item sample[SAMPLE], spare[SAMPLE];
  for (ptrdiff_t i = 0; i < SAMPLE; i++)
    sample[i] = (Item){keys[*n / SAMPLE * i], 0};
  const Item *sorted = Item_(mergeSort)(sample, spare, SAMPLE);
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
Key Item_(select)(Key *keys, ptrdiff_t n, ptrdiff_t k, int bits, ptrdiff_t *before)
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

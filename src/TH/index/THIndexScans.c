/* Checks of indices and masks before anything is written. */
#include "THIndex.h"

/* An index is valid if index - first is between 0 and last.  Otherwise this number, or last minus
 * this number, is negative, so the signs of all of them are combined by or. */
static void check(const THRun *run, const void *scalars)
{
  const THIndexRange *range = scalars;
  const uint64_t first = (uint64_t)range->first, last = range->count - 1;
  const uint64_t hole = (uint64_t)range->hole;
  const ptrdiff_t step = run->stride[0];
  uint64_t bad = 0;
#define CHECK(x) \
  (((x) - first) | (last - ((x) - first)) | (TH_INDEX_BASE ? -(uint64_t)((x) == hole) : 0))
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    const uint64_t *index = (const uint64_t *)run->at[0] + j * run->rowStride[0];
    if (step == 1)
      for (ptrdiff_t i = 0; i < run->n; i++)
        bad |= CHECK(index[i]);
    else
      for (ptrdiff_t i = 0; i < run->n; i++)
        bad |= CHECK(index[i * step]);
  }
#undef CHECK
  if (bad >> 63)
    __atomic_store_n(range->bad, 1, __ATOMIC_RELAXED);
}

/* Adds eight bytes at a time: none overflows within 255 additions. */
static ptrdiff_t count_row(const uint8_t *m, ptrdiff_t n, unsigned *bad)
{
  enum { WORDS = 255 };
  ptrdiff_t ones = 0;
  uint64_t high = 0;
  while (n >= 8) {
    const ptrdiff_t words = THMin(n / 8, WORDS);
    uint64_t sum = 0;
    for (ptrdiff_t i = 0; i < words; i++) {
      uint64_t word;
      memcpy(&word, m + 8 * i, 8);
      sum += word;
      high |= word;
    }
    for (int b = 0; b < 8; b++)
      ones += (ptrdiff_t)(sum >> 8 * b & 255);
    m += 8 * words;
    n -= 8 * words;
  }
  *bad |= (high & 0xfefefefefefefefeu) != 0;
  for (ptrdiff_t i = 0; i < n; i++) {
    ones += m[i];
    *bad |= m[i] > 1;
  }
  return ones;
}

static void mask(const THRun *run, const void *scalars)
{
  const THSelection *selection = scalars;
  const ptrdiff_t step = run->stride[0];
  ptrdiff_t ones = 0;
  unsigned bad = 0;
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    const uint8_t *m = (const uint8_t *)run->at[0] + j * run->rowStride[0];
    if (step == 1)
      ones += count_row(m, run->n, &bad);
    else
      for (ptrdiff_t i = 0; i < run->n; i++) {
        ones += m[i * step];
        bad |= m[i * step] > 1;
      }
  }
  if (bad)
    __atomic_store_n(selection->bad, 1, __ATOMIC_RELAXED);
  if (selection->at) {
    selection->at[run->block] += ones;
    selection->seen[run->block] += run->rows * run->n;
  }
}

const THIndexScans TH_LEVEL_(THIndex_scans)[] = {{.check = check, .mask = mask}};

/* Functions shared by operations that take indices and masks. */
#include "THIndex.h"
#include "THKernel.h"

TH_DISPATCH(THIndexScans, THIndex_scans)

/* --- the ones of a byte ---------------------------------------------------------------------- */

/* Bit I of B in front of the bits above it, which are in REST. */
#define BIT(B, I, REST) ((REST) << ((B) >> (I) & 1) * 8 | (uint64_t)((B) >> (I) & 1) * (I))
#define ONES(B) \
  BIT(B, 0, BIT(B, 1, BIT(B, 2, BIT(B, 3, BIT(B, 4, BIT(B, 5, BIT(B, 6, BIT(B, 7, 0ull))))))))
#define ONES_4(B)  ONES(B), ONES((B) + 1), ONES((B) + 2), ONES((B) + 3)
#define ONES_16(B) ONES_4(B), ONES_4((B) + 4), ONES_4((B) + 8), ONES_4((B) + 12)
#define ONES_64(B) ONES_16(B), ONES_16((B) + 16), ONES_16((B) + 32), ONES_16((B) + 48)

const uint64_t THIndex_fronts[256] = {ONES_64(0), ONES_64(64), ONES_64(128), ONES_64(192)};

/* --- checks ---------------------------------------------------------------------------------- */

/* Finds the first invalid index in row-major order. */
typedef struct {
  const THIndexRange *range;
  ptrdiff_t number; /* of the next index to check, finally of the invalid one */
  int64_t index;
  int found;
} Search;

static void look_for_index(const THRun *run, const void *scalars)
{
  Search *search = *(Search *const *)scalars;
  const THIndexRange *range = search->range;
  for (ptrdiff_t j = 0; j < run->rows; j++)
    for (ptrdiff_t i = 0; i < run->n && !search->found; i++) {
      const int64_t index = ((int64_t *)run->at[0])[j * run->rowStride[0] + i * run->stride[0]];
      if ((uint64_t)index - (uint64_t)range->first >= range->count || index == range->hole) {
        search->found = 1;
        search->index = index;
      } else {
        search->number++;
      }
    }
}

/* Whether all indices are valid; if not, the search tells the first invalid one. */
static int all_good(THLongTensor *index, THIndexRange range, Search *search)
{
  int bad = 0;
  range.bad = &bad;
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, index);
  const int known = range.count <= (uint64_t)1 << 63;
  if (known)
    THLoop_run(&loop, TH_DISPATCHED(THIndex_scans)->check, &range);
  if (known && !bad)
    return 1;
  *search = (Search){.range = &range};
  loop.inOrder = 1;
  THLoop_run(&loop, look_for_index, &search);
  return !search->found;
}

int THIndex_areInside(const int64_t *index, ptrdiff_t n, int64_t first, int64_t count)
{
  int bad = 0;
  const THIndexRange range = {
      .first = first, .hole = INT64_MIN, .count = (uint64_t)count, .bad = &bad};
  const THRun run = {.rows = 1, .n = n, .at = {(char *)(uintptr_t)index}, .stride = {1}};
  TH_DISPATCHED(THIndex_scans)->check(&run, &range);
  return !bad;
}

void THIndex_check(THLongTensor *index, int arg, int dim, int64_t size)
{
  Search search;
  const THIndexRange range = {.first = TH_INDEX_BASE, .hole = INT64_MIN, .count = (uint64_t)size};
  if (!all_good(index, range, &search))
    THArgError(arg, "index %lld (number %td) is out of range: dimension %d has size %lld",
               (long long)search.index, search.number + TH_INDEX_BASE, dim + TH_INDEX_BASE,
               (long long)size);
}

void THIndex_checkFlat(THLongTensor *index, int arg, ptrdiff_t count)
{
  Search search;
  const THIndexRange range = {.first = -count,
                              .hole = TH_INDEX_BASE ? 0 : INT64_MIN,
                              .count = 2 * (uint64_t)count + TH_INDEX_BASE};
  if (!all_good(index, range, &search))
    THArgError(arg, "index %lld (number %td) is out of range: there are %td elements",
               (long long)search.index, search.number + TH_INDEX_BASE, count);
}

/* Finds the first element of a mask that is neither 0 nor 1. */
static void look_for_mask(const THRun *run, const void *scalars)
{
  Search *search = *(Search *const *)scalars;
  for (ptrdiff_t j = 0; j < run->rows; j++)
    for (ptrdiff_t i = 0; i < run->n && !search->found; i++) {
      search->index = ((uint8_t *)run->at[0])[j * run->rowStride[0] + i * run->stride[0]];
      if (search->index > 1)
        search->found = 1;
      else
        search->number++;
    }
}

TH_NO_RETURN static void bad_mask(THByteTensor *mask, int arg)
{
  Search found = {0}, *search = &found;
  THLoop loop;
  THLoop_init(&loop);
  loop.inOrder = 1;
  THLoop_tensor(&loop, mask);
  THLoop_run(&loop, look_for_mask, &search);
  THArgError(arg, "mask is %d at element %td: only 0 and 1 are allowed", (int)found.index,
             found.number + TH_INDEX_BASE);
}

void THIndex_checkMask(THByteTensor *mask, int arg)
{
  int bad = 0;
  const THSelection scan = {.bad = &bad};
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, mask);
  THLoop_run(&loop, TH_DISPATCHED(THIndex_scans)->mask, &scan);
  if (bad)
    bad_mask(mask, arg);
}

/* --- selections ------------------------------------------------------------------------------ */

void THSelection_count(THSelection *selection, THLoop *loop, THKernel count)
{
  if (!loop->inOrder)
    loop->inOrder = 1;
  loop->fixed = 1;
  const ptrdiff_t blocks = THLoop_blocks(loop);
  THGuard_enter(&selection->guard, THFree);
  const ptrdiff_t words = 2 * blocks + 1 + selection->words;
  selection->at = selection->guard.what = THAlloc(words * (ptrdiff_t)sizeof(uint64_t));
  selection->seen = selection->at + blocks;
  if (selection->words)
    selection->bits = (uint64_t *)(selection->seen + blocks);
  memset(selection->at, 0, 2 * (size_t)blocks * sizeof(ptrdiff_t));
  THLoop_run(loop, count, selection);

  ptrdiff_t seen = 0;
  selection->total = 0;
  for (ptrdiff_t b = 0; b < blocks; b++) {
    const ptrdiff_t selected = selection->at[b], all = selection->seen[b];
    selection->at[b] = selection->total;
    selection->seen[b] = seen;
    selection->total += selected;
    seen += all;
  }
}

void THSelection_countMask(THSelection *selection, THLoop *loop, THByteTensor *mask, int arg)
{
  int bad = 0;
  selection->bad = &bad;
  THSelection_count(selection, loop, TH_DISPATCHED(THIndex_scans)->mask);
  selection->bad = NULL;
  if (bad)
    bad_mask(mask, arg);
}

void THSelection_close(THSelection *selection)
{
  THGuard_leave(&selection->guard);
}

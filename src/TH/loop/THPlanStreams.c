/* From which size on results are written with non-temporal stores, and inputs prefetched. */
#include "THPlan.h"

#include "TH/core/THCpu.h"
#include "THTuning.h"

/* The limit that the environment has for all; without one, so many halves of the last-level cache, at
 * most most. */
static ptrdiff_t limit_of(ptrdiff_t *kept, ptrdiff_t halves, ptrdiff_t most)
{
  ptrdiff_t known = __atomic_load_n(kept, __ATOMIC_RELAXED);
  if (THTuning_source(TH_TUNE_STREAM_BYTES) == TH_TUNED_BY_ENVIRONMENT)
    return (ptrdiff_t)THTuning_get(TH_TUNE_STREAM_BYTES);
  if (known < 0) {
    known = THMin(THCpu_lastLevelCache() / 2 * halves, most);
    __atomic_store_n(kept, known, __ATOMIC_RELAXED);
  }
  return known;
}

enum {
  CORE_CACHE_BYTES = 64 << 20
}; /* what one core has of a last-level cache of hundreds of MiB */

ptrdiff_t THPlan_streamBytes(void)
{
  enum { FAR = 16 << 20 };
  static ptrdiff_t bytes = -1;
  const int64_t tuned = THTuning_get(TH_TUNE_STREAM_BYTES);
  return tuned >= 0 ? (ptrdiff_t)tuned : limit_of(&bytes, 1, FAR);
}

ptrdiff_t THPlan_cacheBytes(void)
{
  static ptrdiff_t bytes = -1;
  return limit_of(&bytes, 1, CORE_CACHE_BYTES);
}

ptrdiff_t THPlan_prefetchedBytes(void)
{
  static ptrdiff_t bytes = -1;
  return limit_of(&bytes, 2, CORE_CACHE_BYTES);
}

/* The limit for all bytes moved by loops that read little.  A result somewhat larger than the cache
 * is still partly there at the end, and its next reader gains more than the writer loses. */
static ptrdiff_t fill_bytes(void)
{
  static ptrdiff_t bytes = -1;
  return limit_of(&bytes, 3, CORE_CACHE_BYTES);
}

/* The elements of operand i, repeated ones counted once. */
static double elements_of(const THLoop *loop, int i)
{
  double elements = 1;
  for (int d = 0; d < loop->nDimension[i]; d++)
    elements *= loop->stride[i][d] ? (double)loop->size[i][d] : 1;
  return elements;
}

int THPlan_resultStreams(const THLoop *loop, ptrdiff_t count)
{
  if (count < THPlan_streamBytes() / loop->itemSize[0])
    return 0;
  const double written = (double)count * (double)loop->itemSize[0];
  double read = 0;
  for (int i = 1; i < loop->operands; i++)
    read += elements_of(loop, i) * (double)loop->itemSize[i];
  if (read <= written / 4 && read + written < (double)fill_bytes())
    return 0;
  for (int i = 1; i < loop->operands; i++)
    if (loop->data[i] == loop->data[0])
      return 0;
  return 1;
}

/* Non-temporal stores, which bypass the caches: for results too large to be in the caches when they
 * are next read.  A cache line that is written whole then need not be read first.  THParallel waits
 * for these stores at the end of the work. */
#ifndef TH_STREAM_H
#define TH_STREAM_H

#include "TH/simd/THSimd.h"

enum { TH_STREAM_LINE = 64 };

/* Bytes of a result to compute at a time in a buffer before they are streamed: large enough that
 * the calls between the loops cost little, small enough to stay in L1. */
enum { TH_STREAM_BLOCK = 1024 };

/* Copies lines; to is aligned to one.  Loads and stores alternate: with two or four loads before as
 * many stores, copying from memory takes 1.4 times as long. */
static inline void THStream_lines(void *to, const void *from, size_t lines)
{
  const size_t vectors = lines * (TH_STREAM_LINE / TH_VECTOR);
  char *t = (char *)to;
  const char *f = (const char *)from;
  for (size_t i = 0; i < vectors; i++)
    THSimd_stream(t + i * TH_VECTOR, THSimd_load(f + i * TH_VECTOR));
}

/* Waits for the non-temporal stores of this thread; before that, other threads may not see them. */
static inline void THStream_finish(void)
{
  THSimd_finishStreams();
}

/* How many of n elements make a first block that ends at the end of a cache line. */
static inline ptrdiff_t THStream_first(const void *result, size_t elementSize, ptrdiff_t n)
{
  const size_t bytes = TH_STREAM_BLOCK - (uintptr_t)result % TH_STREAM_LINE;
  const ptrdiff_t first = (ptrdiff_t)(bytes / elementSize);
  return n < first ? n : first;
}

/* Prefetches bytes that are read some blocks later: where loads alternate with non-temporal stores,
 * the processor's own prefetcher does not reach far enough ahead. */
static inline void THStream_prefetch(const void *from, size_t bytes)
{
  enum { PREFETCH_BYTES = 2048 };
  const uintptr_t first = (uintptr_t)from + PREFETCH_BYTES;
  for (size_t i = 0; i < bytes; i += TH_STREAM_LINE)
    __builtin_prefetch((const void *)(first + i));
}

/* As memcpy, with non-temporal stores. */
static inline void THStream_copy(void *to, const void *from, size_t bytes)
{
  char *t = (char *)to;
  const char *f = (const char *)from;
  size_t head = (0 - (uintptr_t)t) % TH_STREAM_LINE;
  if (head > bytes)
    head = bytes;
  if (head > 0)
    memcpy(t, f, head);
  t += head, f += head, bytes -= head;
  const size_t lines = bytes / TH_STREAM_LINE;
  THStream_lines(t, f, lines);
  t += lines * TH_STREAM_LINE, f += lines * TH_STREAM_LINE, bytes %= TH_STREAM_LINE;
  if (bytes > 0)
    memcpy(t, f, bytes);
}

#endif

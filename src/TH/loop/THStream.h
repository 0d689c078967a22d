/* Non-temporal stores, which bypass the caches: for results too large to be in the caches when they
 * are next read.  A cache line that is written whole then need not be read first.  THParallel waits
 * for these stores at the end of the work. */
#ifndef TH_STREAM_H
#define TH_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { TH_STREAM_LINE = 64 };

/* Bytes of a result to compute at a time in a buffer before they are streamed: large enough that
 * the calls between the loops cost little, small enough to stay in L1. */
enum { TH_STREAM_BLOCK = 1024 };

/* Copies lines; to is aligned to one.  Loads and stores alternate: with two or four loads before as
 * many stores, copying from memory takes 1.4 times as long. */
#if defined(__AVX512F__)
typedef __m512i THStreamVector;
#define TH_STREAM_LOAD(FROM) _mm512_loadu_si512(FROM)
#define TH_STREAM_STORE      _mm512_stream_si512
#elif defined(__AVX2__)
typedef __m256i THStreamVector;
#define TH_STREAM_LOAD(FROM) _mm256_loadu_si256(FROM)
#define TH_STREAM_STORE      _mm256_stream_si256
#elif defined(__x86_64__)
typedef __m128i THStreamVector;
#define TH_STREAM_LOAD(FROM) _mm_loadu_si128(FROM)
#define TH_STREAM_STORE      _mm_stream_si128
#endif

/* Bytes of one non-temporal store.  Code that streams from registers should use vectors of this
 * size, since compilers split longer ones through memory. */
#if defined(__x86_64__)
enum { TH_STREAM_VECTOR = sizeof(THStreamVector) };
#else
enum { TH_STREAM_VECTOR = 16 };
#endif

static inline void THStream_lines(void *to, const void *from, size_t lines)
{
#if defined(__x86_64__)
  const size_t vectors = lines * (TH_STREAM_LINE / sizeof(THStreamVector));
  THStreamVector *t = (THStreamVector *)to;
  const THStreamVector *f = (const THStreamVector *)from;
  for (size_t i = 0; i < vectors; i++)
    TH_STREAM_STORE(t + i, TH_STREAM_LOAD(f + i));
#else
  memcpy(to, from, lines * TH_STREAM_LINE);
#endif
}

/* Waits for the non-temporal stores of this thread; before that, other threads may not see them. */
static inline void THStream_finish(void)
{
#if defined(__x86_64__)
  _mm_sfence();
#endif
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

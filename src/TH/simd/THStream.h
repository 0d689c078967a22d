/* Stores that pass the caches by: for results too large to be in them when they are next read.  A
 * line that is written whole then need not be read first.  Who hands out the work waits for them at
 * its end. */
#ifndef TH_STREAM_H
#define TH_STREAM_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

enum { TH_STREAM_LINE = 64 };

/* Bytes of a result to compute at a time before they are sent: as few as make the calls between the
 * loops cheap. */
enum { TH_STREAM_PIECE = 1024 };

/* Copies lines; to is aligned to one.  A load stands beside each store: where loads come by twos
 * and fours before as many stores, what lies in memory takes 1.4 times as long. */
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

/* Bytes of what is stored at once: who makes lines in registers makes them of vectors like that,
 * since longer ones are taken apart and put together in memory. */
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

/* Waits for the stores of this thread, which another one could not see before. */
static inline void THStream_finish(void)
{
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

/* How many of n elements make a first piece that ends with a line. */
static inline ptrdiff_t THStream_first(const void *result, size_t elementSize, ptrdiff_t n)
{
  const size_t bytes = TH_STREAM_PIECE - (uintptr_t)result % TH_STREAM_LINE;
  const ptrdiff_t first = (ptrdiff_t)(bytes / elementSize);
  return n < first ? n : first;
}

/* Asks for what will be read some pieces later: what is read and sent by turns is not fetched well
 * ahead by itself. */
static inline void THStream_fetch(const void *from, size_t bytes)
{
  enum { AHEAD = 2048 };
  const uintptr_t first = (uintptr_t)from + AHEAD;
  for (size_t i = 0; i < bytes; i += TH_STREAM_LINE)
    __builtin_prefetch((const void *)(first + i));
}

/* As memcpy. */
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

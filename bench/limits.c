/* Plain loops at the machine's limits. */
#include "limits.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "TH/THParallel.h"
#include "timing.h"

/* 64 bytes: one cache line, one AVX-512 register; the compiler splits it where registers are
 * smaller. */
typedef float line_t __attribute__((vector_size(64), aligned(64)));
typedef double wide_t __attribute__((vector_size(64), aligned(64)));

/* A store that passes the caches by.  Lines are passed by address: by value they would need AVX-512. */
static inline void store_around(void *at, const line_t *value)
{
#if defined(__AVX512F__)
  __asm__ volatile("vmovntps %1, %0" : "=m"(*(line_t *)at) : "v"(*value));
#else
  *(line_t *)at = *value;
#endif
}

/* Sixteen bytes as floats: compilers do it one by one. */
static inline void line_of_bytes(line_t *value, const uint8_t *x)
{
#if defined(__AVX512F__)
  __asm__("vpmovzxbd %1, %0\n\tvcvtdq2ps %0, %0" : "=v"(*value) : "m"(*(const uint8_t(*)[16])x));
#else
  for (int k = 0; k < 16; k++)
    (*value)[k] = x[k];
#endif
}

/* Each chunk is a whole number of lines, but for the last. */
#define IN_CHUNKS(N, ...)                                                          \
  const int threads = THParallel_threads((N), 32768);                              \
  TH_PRAGMA(omp parallel for schedule(static) num_threads(threads))                \
  for (int chunk = 0; chunk < threads; chunk++) {                                  \
    const ptrdiff_t share = ((N) / threads + 15) / 16 * 16, begin = chunk * share; \
    const ptrdiff_t end = chunk == threads - 1 ? (N) : begin + share;              \
    __VA_ARGS__                                                                    \
  }

#define WHOLE(END) (begin + ((END) - begin) / 16 * 16)

void limit_fill(float *r, ptrdiff_t n, int around)
{
  const line_t value = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
  IN_CHUNKS(n, {
    ptrdiff_t i = begin;
    if (around)
      for (; i < WHOLE(end); i += 16)
        store_around(r + i, &value);
    else
      for (; i < WHOLE(end); i += 16)
        *(line_t *)(r + i) = value;
    for (; i < end; i++)
      r[i] = 1;
  })
}

void limit_copy(float *r, const float *x, ptrdiff_t n, int around)
{
  IN_CHUNKS(n, {
    ptrdiff_t i = begin;
    if (around)
      for (; i < WHOLE(end); i += 16)
        store_around(r + i, (const line_t *)(x + i));
    else
      for (; i < WHOLE(end); i += 16)
        *(line_t *)(r + i) = *(const line_t *)(x + i);
    for (; i < end; i++)
      r[i] = x[i];
  })
}

void limit_add(float *r, const float *x, const float *y, ptrdiff_t n, int around)
{
  IN_CHUNKS(n, {
    ptrdiff_t i = begin;
    if (around)
      for (; i < WHOLE(end); i += 16) {
        const line_t sum = *(const line_t *)(x + i) + *(const line_t *)(y + i);
        store_around(r + i, &sum);
      }
    else
      for (; i < WHOLE(end); i += 16)
        *(line_t *)(r + i) = *(const line_t *)(x + i) + *(const line_t *)(y + i);
    for (; i < end; i++)
      r[i] = x[i] + y[i];
  })
}

void limit_widen(double *r, const float *x, ptrdiff_t n, int around)
{
  typedef float half_line_t __attribute__((vector_size(32), aligned(32)));
  IN_CHUNKS(n, {
    ptrdiff_t i = begin;
    for (; i < WHOLE(end); i += 8) {
      const wide_t value = __builtin_convertvector(*(const half_line_t *)(x + i), wide_t);
      if (around)
        store_around(r + i, (const line_t *)&value);
      else
        *(wide_t *)(r + i) = value;
    }
    for (; i < end; i++)
      r[i] = x[i];
  })
}

void limit_spread(float *r, const uint8_t *x, ptrdiff_t n, int around)
{
  IN_CHUNKS(n, {
    ptrdiff_t i = begin;
    for (; i < WHOLE(end); i += 16) {
      line_t value;
      line_of_bytes(&value, x + i);
      if (around)
        store_around(r + i, &value);
      else
        *(line_t *)(r + i) = value;
    }
    for (; i < end; i++)
      r[i] = x[i];
  })
}

float limit_read(const float *x, ptrdiff_t n)
{
  float total = 0;
  const int threads = THParallel_threads(n, 32768);
#pragma omp parallel for schedule(static) num_threads(threads) reduction(+ : total)
  for (int chunk = 0; chunk < threads; chunk++) {
    const ptrdiff_t begin = n / threads * chunk, end = begin + n / threads;
    line_t sum[8] = {{0}};
    for (ptrdiff_t i = begin / 16 * 16; i + 128 <= end; i += 128)
      for (int k = 0; k < 8; k++)
        sum[k] += *(const line_t *)(x + i + 16 * k);
    for (int k = 0; k < 8; k++)
      for (int lane = 0; lane < 16; lane++)
        total += sum[k][lane];
  }
  return total;
}

double limit_flops(void)
{
  enum { REGISTERS = 12, ROUNDS = 4000 };
  const int threads = THGetNumThreads();
#pragma omp parallel for schedule(static) num_threads(threads)
  for (int t = 0; t < threads; t++) {
    line_t r[REGISTERS];
    for (int k = 0; k < REGISTERS; k++)
      r[k] = (line_t){0} + (float)k;
    const line_t a = (line_t){0} + 0.999f, b = (line_t){0} + 0.001f;
    for (int i = 0; i < ROUNDS; i++)
      for (int k = 0; k < REGISTERS; k++)
        r[k] = r[k] * a + b;
    for (int k = 0; k < REGISTERS; k++)
      __asm__ volatile("" ::"m"(r[k]));
  }
  return 2.0 * 16 * REGISTERS * ROUNDS * threads;
}

/* --- a mix of reading and writing ----------------------------------------------------------- */

typedef struct Moving {
  enum { READ, FILL, SPREAD, COPY, ADD } kind;
  ptrdiff_t n;
  int around; /* the caches */
  float *r, *x, *y;
} Moving;

static void move(void *context)
{
  const Moving *m = context;
  float sink = 0;
  switch (m->kind) {
    case READ:
      sink = limit_read(m->x, m->n);
      break;
    case FILL:
      limit_fill(m->r, m->n, m->around);
      break;
    case SPREAD:
      limit_spread(m->r, (const uint8_t *)m->x, m->n, m->around);
      break;
    case COPY:
      limit_copy(m->r, m->x, m->n, m->around);
      break;
    case ADD:
      limit_add(m->r, m->x, m->y, m->n, m->around);
      break;
  }
  __asm__ volatile("" ::"x"(sink));
}

double limit_of_moving(double read, double written, double budget)
{
  static float *kept; /* three arrays, as large as the largest so far */
  static ptrdiff_t capacity;
  Moving m = {COPY, 0, 0, NULL, NULL, NULL};
  if (written < read / 8)
    m.kind = READ;
  else if (read < written / 8)
    m.kind = FILL;
  else if (read < written / 2)
    m.kind = SPREAD;
  else if (read > 1.5 * written)
    m.kind = ADD;
  static const double arrays[] = {[READ] = 1, [FILL] = 1, [SPREAD] = 1.25, [COPY] = 2, [ADD] = 3};
  m.n = (ptrdiff_t)((read + written) / arrays[m.kind]);

  const ptrdiff_t each = (m.n + 15) / 16 * 16;
  if (capacity < 3 * each) {
    free(kept);
    kept = aligned_alloc(64, (size_t)(capacity = 3 * each) * sizeof *kept);
    if (!kept)
      abort();
    limit_fill(kept, capacity, 0);
  }
  m.r = kept;
  m.x = arrays[m.kind] == 1 ? kept : kept + each;
  m.y = kept + 2 * each;
  const double through = bench_time(move, &m, budget / 2);
  m.around = 1;
  const double around = bench_time(move, &m, budget / 2);
  return around < through ? around : through;
}

void limit_pick(float *r, const float *x, const int64_t *indices, ptrdiff_t n)
{
  IN_CHUNKS(n, {
    for (ptrdiff_t i = begin; i < end; i++)
      r[i] = x[indices[i]];
  })
}

void limit_put(float *r, const float *x, const int64_t *indices, ptrdiff_t n)
{
  IN_CHUNKS(n, {
    for (ptrdiff_t i = begin; i < end; i++)
      r[indices[i]] = x[i];
  })
}

void limit_sort(float *r, int64_t *indices, const float *x, ptrdiff_t n, uint64_t *buffer)
{
  enum { BITS = 11, DIGITS = 3 };
  const uint32_t sign = 0x80000000u, digit = (1u << BITS) - 1;
  static uint32_t before[DIGITS][1 << BITS]; /* how many have a lesser digit */
  uint64_t *a = buffer, *b = buffer + n;
  memset(before, 0, sizeof before);
  for (ptrdiff_t i = 0; i < n; i++) { /* a word: where it was, and bits that grow with the number */
    uint32_t bits;
    memcpy(&bits, x + i, sizeof bits);
    bits ^= bits & sign ? 0xffffffffu : sign;
    for (int d = 0; d < DIGITS; d++)
      before[d][bits >> BITS * d & digit]++;
    a[i] = (uint64_t)i << 32 | bits;
  }
  for (int d = 0; d < DIGITS; d++)
    for (uint32_t k = 0, sum = 0; k <= digit; k++) {
      const uint32_t count = before[d][k];
      before[d][k] = sum;
      sum += count;
    }
  for (int d = 0; d < DIGITS - 1; d++) {
    for (ptrdiff_t i = 0; i < n; i++)
      b[before[d][(uint32_t)a[i] >> BITS * d & digit]++] = a[i];
    uint64_t *last = a;
    a = b;
    b = last;
  }
  for (ptrdiff_t i = 0; i < n; i++) {
    uint32_t bits = (uint32_t)a[i];
    const uint32_t to = before[DIGITS - 1][bits >> BITS * (DIGITS - 1)]++;
    bits ^= bits & sign ? sign : 0xffffffffu;
    memcpy(r + to, &bits, sizeof bits);
    indices[to] = (int64_t)(a[i] >> 32);
  }
}

void limit_malloc(void)
{
  void *volatile p = malloc(64);
  free(p);
}

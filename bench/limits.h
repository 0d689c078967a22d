/* What the machine can do: plain loops that move or compute and nothing else, cut for threads as TH
 * cuts its own.  They are compiled for the machine that they run on. */
#ifndef BENCH_LIMITS_H
#define BENCH_LIMITS_H

#include <stddef.h>
#include <stdint.h>

/* Arrays start at 64 bytes; n is in elements.  Each has two forms where it writes: through the
 * cache and around it; the limit is the faster one. */
void limit_fill(float *r, ptrdiff_t n, int around);
void limit_copy(float *r, const float *x, ptrdiff_t n, int around);
void limit_add(float *r, const float *x, const float *y, ptrdiff_t n, int around);
void limit_widen(double *r, const float *x, ptrdiff_t n, int around);
void limit_spread(float *r, const uint8_t *x, ptrdiff_t n, int around); /* a quarter is read */
float limit_read(const float *x, ptrdiff_t n);

/* Single-precision operations of dependent-free fused multiply-adds in registers: returns how many
 * it did. */
double limit_flops(void);

/* r[i] = x[indices[i]], and r[indices[i]] = x[i], unchecked. */
void limit_pick(float *r, const float *x, const int64_t *indices, ptrdiff_t n);
void limit_put(float *r, const float *x, const int64_t *indices, ptrdiff_t n);

/* Seconds of a plain loop that moves as much in about the same mix: so many floats read, and
 * written, through the caches or around them, whichever is faster, measured for about budget
 * seconds. */
double limit_of_moving(double read, double written, double budget);

/* Sorts n < 2^32 floats by three digits of 11 bits, on one thread, and says where they were; buffer
 * holds 2 n words. */
void limit_sort(float *r, int64_t *indices, const float *x, ptrdiff_t n, uint64_t *buffer);

/* Allocates and frees 64 bytes. */
void limit_malloc(void);

#endif

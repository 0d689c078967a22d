/* What the machine can do: plain loops that move or compute and nothing else, cut for threads as TH
 * cuts its own.  They are compiled for the machine that they run on. */
#ifndef BENCH_LIMITS_H
#define BENCH_LIMITS_H

#include <stddef.h>

/* Arrays start at 64 bytes; n is in elements.  Each has two forms where it writes: through the
 * cache and around it; the limit is the faster one. */
void limit_fill(float *r, ptrdiff_t n, int around);
void limit_copy(float *r, const float *x, ptrdiff_t n, int around);
void limit_add(float *r, const float *x, const float *y, ptrdiff_t n, int around);
void limit_widen(double *r, const float *x, ptrdiff_t n, int around);
float limit_read(const float *x, ptrdiff_t n);

/* Single-precision operations of dependent-free fused multiply-adds in registers: returns how many
 * it did. */
double limit_flops(void);

/* Allocates and frees 64 bytes. */
void limit_malloc(void);

#endif

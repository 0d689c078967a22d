/* Timing: the median of many samples of a piece of code.
 *
 *     static void body(void *context) { ... }
 *     const double seconds = bench_time(body, context, 0.1);
 *
 * A sample runs the body often enough to last 20 microseconds.  Samples during which the process
 * was preempted are set aside and used only when there is no other.  Absolute times mean little on
 * a shared machine: compare what was measured in the same run. */
#ifndef BENCH_TIMING_H
#define BENCH_TIMING_H

typedef void (*BenchBody)(void *context);

/* Seconds for one call of body, measured for about budget seconds. */
double bench_time(BenchBody body, void *context, double budget);

/* The middle one of n values, which are sorted. */
double bench_median(double *values, int n);

/* The most memory that was resident, in bytes: unlike getrusage, without what the process was
 * before it became this program. */
long long bench_mostResident(void);

#endif

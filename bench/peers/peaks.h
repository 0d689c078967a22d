/* Measures peaks of arithmetic and puts each: its name, what it ran on, seconds, 1e9 operations a
 * second. */
#ifndef BENCH_PEERS_PEAKS_H
#define BENCH_PEERS_PEAKS_H

typedef void (*PutPeak)(const char *id, const char *size, double seconds, double rate);

void arithmetic_peaks(int threads, double budget, PutPeak put);

#endif

/* The machine's limits, for the head of th_torch's table. */
#ifndef BENCH_PEERS_MACHINE_H
#define BENCH_PEERS_MACHINE_H

/* Prints a line for each, measured for about budget seconds. */
void machine_limits(int threads, double budget);

#endif

/* What the machine can do at the size of a row, measured next to it (bench/limits.h). */
#ifndef BENCH_PEERS_TORCH_LIMIT_H
#define BENCH_PEERS_TORCH_LIMIT_H

#include "bench.h"

namespace peers
{

/* The seconds of a plain loop that moves as many bytes in the same mix of reading and writing, or
 * of as many fused multiply-adds in registers. */
double limit_seconds(const Limit &limit, double budget);

}  // namespace peers
#endif

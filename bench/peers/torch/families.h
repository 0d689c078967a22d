/* The rows, by family. */
#ifndef BENCH_PEERS_TORCH_FAMILIES_H
#define BENCH_PEERS_TORCH_FAMILIES_H

#include "bench.h"

namespace peers
{

void small(Bench &bench);
void elementwise(Bench &bench);
void strided(Bench &bench);
void reductions(Bench &bench);
void sorting(Bench &bench);
void indexing(Bench &bench);
void random(Bench &bench);
void matrix(Bench &bench);
void convolution(Bench &bench);
void layers(Bench &bench);
void lapack(Bench &bench);
void lenet(Bench &bench);

}  // namespace peers
#endif

/* Networks that bench/training.c measures and tests/ATen/module/training.c trains, with parameters of the
 * type; bench/peers/training.py and tests/oracle/training.py have the same ones. */
#ifndef TH_BENCH_NETWORKS_H
#define TH_BENCH_NETWORKS_H

#include "ATen/ATen.h"

/* A block of a ResNet: two convolutions, and what goes around them. */
at_module *network_basic(int64_t in, int64_t out, int64_t stride, const at_type *type);

typedef struct NetworkGpt {
  int64_t words, width, heads, length, layers;
} NetworkGpt;

/* A transformer that says of each word which one follows: batch x length numbers of words to
 * (batch * length) x words scores. */
at_module *network_gpt(NetworkGpt sizes, const at_type *type);

#endif

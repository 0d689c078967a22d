/* SLEEF as a peer: its functions of 16 floats at once, to 1 unit, called for one block after the
 * other. */
#ifndef BENCH_PEERS_TORCH_SLEEF_H
#define BENCH_PEERS_TORCH_SLEEF_H

#include "bench.h"

namespace peers
{

struct SleefCall {
  const char *function;
  const Array &result, &argument;
  float exponent = 0; /* of pow */
};

/* The peer, on one thread; nothing where there is no SLEEF, or no AVX-512. */
std::vector<Peer> sleef(const SleefCall &call);

}  // namespace peers
#endif

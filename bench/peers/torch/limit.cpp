/* Plain loops that move or compute as much as a row does. */
#include "limit.h"

extern "C" {
#include "../../limits.h"
#include "../../timing.h"
}

namespace peers
{

static void compute(void *)
{
  const double sink = limit_flops();
  __asm__ volatile("" ::"x"(sink));
}

double limit_seconds(const Limit &limit, double budget)
{
  if (limit.flops > 0)
    return bench_time(compute, nullptr, budget) * limit.flops / limit_flops();
  return limit_of_moving(limit.read, limit.written, budget);
}

}  // namespace peers

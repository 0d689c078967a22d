/* Plain loops that move as much as a row does. */
#include "limit.h"

#include <algorithm>

extern "C" {
#include "../../limits.h"
#include "../../timing.h"
}

namespace peers
{

namespace
{

struct Loop {
  enum { READ, FILL, COPY, ADD, FLOPS } kind;
  ptrdiff_t n;
  int around; /* the caches */
  float *r, *x, *y;
};

void run(void *context)
{
  const Loop &loop = *static_cast<Loop *>(context);
  double sink = 0;
  switch (loop.kind) {
    case Loop::READ:
      sink = limit_read(loop.x, loop.n);
      break;
    case Loop::FILL:
      limit_fill(loop.r, loop.n, loop.around);
      break;
    case Loop::COPY:
      limit_copy(loop.r, loop.x, loop.n, loop.around);
      break;
    case Loop::ADD:
      limit_add(loop.r, loop.x, loop.y, loop.n, loop.around);
      break;
    case Loop::FLOPS:
      sink = limit_flops();
      break;
  }
  __asm__ volatile("" ::"x"(sink));
}

}  // namespace

double limit_seconds(const Limit &limit, double budget)
{
  if (limit.flops > 0) {
    Loop loop = {Loop::FLOPS, 0, 0, nullptr, nullptr, nullptr};
    return bench_time(run, &loop, budget) * limit.flops / limit_flops();
  }
  const double moved = limit.read + limit.written;
  Loop loop = {Loop::COPY, 0, 0, nullptr, nullptr, nullptr};
  if (limit.written < limit.read / 8)
    loop.kind = Loop::READ;
  else if (limit.read < limit.written / 8)
    loop.kind = Loop::FILL;
  else if (limit.read > 1.5 * limit.written)
    loop.kind = Loop::ADD;
  const int arrays = loop.kind == Loop::ADD ? 3 : loop.kind == Loop::COPY ? 2 : 1;
  loop.n = static_cast<ptrdiff_t>(moved) / arrays;

  static at::Tensor kept; /* as large as the largest so far */
  const ptrdiff_t each = (loop.n + 15) / 16 * 16;
  if (!kept.defined() || kept.numel() < 3 * each)
    kept = at::ones({3 * each});
  loop.r = kept.data_ptr<float>();
  loop.x = loop.r + each;
  loop.y = loop.x + each;
  if (arrays == 1)
    loop.x = loop.r;
  const double through = bench_time(run, &loop, budget / 2);
  loop.around = 1;
  return std::min(through, bench_time(run, &loop, budget / 2));
}

}  // namespace peers

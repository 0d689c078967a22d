/* Random numbers: the same ones from the same seeds. */
#include "families.h"

namespace peers
{

void random(Bench &bench)
{
  const double N = 1e7;
  Array o = bench.ones("o", {10000000}), p = bench.ones("p", {1000000}, AT_LONG);
  const auto seed = [] {
    at_manualSeed(1);
    at::manual_seed(1);
  };

  bench.row({.id = "rnd.uniform",
             .shape = "1e7",
             .results = {&o},
             .limit = moving(0, N),
             .ours = [&] { at_uniform_(o); },
             .torch = [&] { o.torch.uniform_(); },
             .numpy = "rng.random(out=o, dtype=f32)",
             .numpy_result = -1,
             .prepare = seed});
  bench.row({.id = "rnd.normal",
             .shape = "1e7",
             .results = {&o},
             .limit = moving(0, N),
             .ours = [&] { at_normal_(o); },
             .torch = [&] { o.torch.normal_(); },
             .numpy = "rng.standard_normal(out=o, dtype=f32)",
             .numpy_result = -1,
             .prepare = seed});
  bench.row({.id = "rnd.bernoulli",
             .shape = "1e7",
             .results = {&o},
             .limit = moving(0, N),
             .ours = [&] { at_bernoulli_p_(o, .p = 0.3); },
             .torch = [&] { o.torch.bernoulli_(0.3); },
             .prepare = seed});
  bench.row({.id = "rnd.randperm",
             .shape = "1e6",
             .results = {&p},
             .ours = [&] { at_randperm_out(p, 1000000); },
             .torch = [&] { at::randperm_out(p, 1000000); },
             .numpy = "rng.permutation(1000000)",
             .numpy_result = -1,
             .prepare = seed});
}

}  // namespace peers

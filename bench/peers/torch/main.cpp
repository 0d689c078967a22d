/* TH compared with PyTorch, called from C++, and others.
 *
 *     th_torch [--threads N] [--rounds N] [--seconds S] [--filter PREFIX,...]
 *
 * prints a line for each row and system: family, id, shape, threads, whether it counts, system,
 * seconds, and their ratio to TH's.  bench/peers/table.py makes tables of them.  A filter is a
 * family (the names below) or the beginning of a row's id. */
#include <ATen/Parallel.h>
#include <getopt.h>
#include <malloc.h>

#include <cstdlib>
#include <iostream>

#include "blas.h"
#include "families.h"
extern "C" {
#include "../machine.h"
}

namespace
{

const struct {
  const char *name;
  std::vector<std::string> prefixes; /* of its rows' ids */
  void (*rows)(peers::Bench &);
} families[] = {
    {"small", {"small."}, peers::small},
    {"elementwise", {"ew."}, peers::elementwise},
    {"strided", {"st."}, peers::strided},
    {"reductions", {"red.", "cumsum."}, peers::reductions},
    {"sorting", {"sort", "topk.", "kth.", "median.", "mode.", "unique."}, peers::sorting},
    {"indexing", {"idx.", "cat."}, peers::indexing},
    {"random", {"rnd."}, peers::random},
    {"matrix", {"mm.", "gemv.", "bmm.", "blas1."}, peers::matrix},
    {"convolution", {"conv."}, peers::convolution},
    {"layers", {"nn.", "sm."}, peers::layers},
    {"lapack", {"la."}, peers::lapack},
    {"lenet", {"lenet."}, peers::lenet},
};

}  // namespace

int main(int argc, char **argv)
{
  peers::Options options;
  static const option known[] = {{"threads", required_argument, nullptr, 't'},
                                 {"rounds", required_argument, nullptr, 'r'},
                                 {"seconds", required_argument, nullptr, 's'},
                                 {"filter", required_argument, nullptr, 'f'},
                                 {nullptr, 0, nullptr, 0}};
  for (int c; (c = getopt_long(argc, argv, "", known, nullptr)) != -1;) {
    if (c == 't')
      options.threads = std::atoi(optarg);
    else if (c == 'r')
      options.rounds = std::atoi(optarg);
    else if (c == 's')
      options.seconds = std::atof(optarg);
    else if (c == 'f')
      options.filter = optarg;
    else
      return 2;
  }

  /* Blocks of up to 32 MB stay with the process: PyTorch's new results need no new pages. */
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 1 << 30);
  peers::blas();
  at::set_num_threads(options.threads);
  THSetNumThreads(options.threads);
  at::manual_seed(0);
  try {
    peers::Bench bench(options);
    c10::InferenceMode guard;
    bench.begin("machine");
    if (bench.wants("machine"))
      machine_limits(options.threads, options.seconds);
    for (const auto &family : families) {
      bench.begin(family.name);
      for (const std::string &prefix : family.prefixes)
        if (bench.wants(prefix)) {
          family.rows(bench);
          break;
        }
    }
    return bench.failed();
  } catch (const c10::Error &problem) {
    std::cerr << "th_torch: " << problem.what_without_backtrace() << "\n";
    return 1;
  } catch (const std::exception &problem) {
    std::cerr << "th_torch: " << problem.what() << "\n";
    return 1;
  }
}

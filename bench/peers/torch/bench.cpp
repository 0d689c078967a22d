/* Making arrays, comparing results, measuring rows. */
#include "bench.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <regex>
#include <sstream>

#include "limit.h"
#include "numpy.h"
extern "C" {
#include "../../timing.h"
}

namespace peers
{

/* --- arrays ---------------------------------------------------------------------------------- */

static at::ScalarType torch_type(at_scalar_type type)
{
  static const at::ScalarType types[] = {at::kByte, at::kChar,    at::kShort,  at::kInt,
                                         at::kLong, at::kFloat,   at::kDouble, at::kHalf,
                                         at::kBool, at::kBFloat16};
  return types[type];
}

static at_scalar_type our_type(at::ScalarType type)
{
  for (int t = 0; t < AT_SCALAR_TYPES; t++)
    if (torch_type(static_cast<at_scalar_type>(t)) == type)
      return static_cast<at_scalar_type>(t);
  TORCH_CHECK(false, "no such type");
}

static at::Tensor around(at_tensor *t)
{
  const at_ints sizes = at_sizes(t), strides = at_strides(t);
  return at::from_blob(at_data(t), {sizes.data, static_cast<size_t>(sizes.count)},
                       {strides.data, static_cast<size_t>(strides.count)},
                       torch_type(at_type_scalarType(at_typeOf(t))));
}

at::Tensor copy_of(at_tensor *t)
{
  TORCH_CHECK(at_defined(t), at_error_message());
  return around(t).clone();
}

Array::Array(at_tensor *tensor, const char *name_)
    : ours(tensor), torch(around(tensor)), name(name_)
{
}

Array::Array(Array &&other) noexcept
    : ours(other.ours), torch(std::move(other.torch)), name(std::move(other.name))
{
  other.ours = nullptr;
}

Array::~Array()
{
  at_release(ours);
}

Array Bench::make(const char *name, at::IntArrayRef shape, at_scalar_type type)
{
  at_tensor *t =
      at_empty(at_ints(shape.data(), static_cast<int>(shape.size())), .type = AT_CPU(type));
  TORCH_CHECK(at_defined(t), at_error_message());
  Array array(t, name);
  arrays_[name] = {array.torch, false};
  return array;
}

Array Bench::zeros(const char *name, at::IntArrayRef shape, at_scalar_type type)
{
  Array array = make(name, shape, type);
  array.torch.zero_();
  return array;
}

Array Bench::ones(const char *name, at::IntArrayRef shape, at_scalar_type type)
{
  Array array = make(name, shape, type);
  array.torch.fill_(1);
  return array;
}

/* Numbers of 24 bits, each once: all steps can be undone. */
static uint32_t shuffled(uint32_t x)
{
  const uint32_t mask = (1u << 24) - 1;
  for (uint32_t odd : {0x9e3779u, 0x85ebcbu, 0xc2b2afu}) {
    x = x * odd & mask;
    x ^= x >> 13;
  }
  return x;
}

Array Bench::uniform(const char *name, at::IntArrayRef shape, at_scalar_type type)
{
  Array array = make(name, shape, type);
  const uint32_t seed = seed_ += 0x51f15e;
  const auto fill = [&](auto *data) {
    for (int64_t i = 0; i < at_numel(array); i++)
      data[i] =
          static_cast<float>(shuffled((static_cast<uint32_t>(i) + seed) & 0xffffff)) * 0x1p-24f;
  };
  if (type == AT_DOUBLE)
    fill(static_cast<double *>(at_data(array)));
  else
    fill(array.data());
  return array;
}

Array Bench::normal(const char *name, at::IntArrayRef shape)
{
  Array array = make(name, shape);
  array.torch.normal_();
  return array;
}

Array Bench::holding(const char *name, const at::Tensor &elements)
{
  Array array = make(name, elements.sizes(), our_type(elements.scalar_type()));
  array.torch.copy_(elements);
  return array;
}

Array Bench::integers(const char *name, int64_t n, at::IntArrayRef shape)
{
  return holding(name, at::randint(n, shape, at::kLong));
}

Array Bench::permutation(const char *name, int64_t n)
{
  return holding(name, at::randperm(n, at::kLong));
}

/* --- rows ------------------------------------------------------------------------------------ */

double Side::seconds(double budget) const
{
  /* Threads of another system that wait by turning round and round have gone to sleep by then. */
  using clock = std::chrono::steady_clock;
  const auto now = [] {
    return std::chrono::duration<double>(clock::now().time_since_epoch()).count();
  };
  const double start = now();
  double last[3] = {0, 0, 0}, took = 0;
  for (double begin = start; begin - start < 2e-3; begin += took) {
    body_(context_.get());
    took = now() - begin;
  }
  if (took < budget)
    return bench_time(body_, context_.get(), budget);
  last[0] = took; /* three calls of what takes so long are enough */
  for (int i = 1; i < 3; i++) {
    const double begin = now();
    body_(context_.get());
    last[i] = now() - begin;
  }
  return bench_median(last, 3);
}

Bench::Bench(const Options &options)
    : options_(options), numpy_(std::make_unique<NumPy>(options.threads))
{
}

Bench::~Bench() = default;

bool Bench::wants(const std::string &prefix) const
{
  std::istringstream filters(options_.filter);
  std::string filter;
  bool any = false;
  while (std::getline(filters, filter, ',')) {
    any = true;
    if (filter == family_ || prefix.rfind(filter, 0) == 0 || filter.rfind(prefix, 0) == 0)
      return true;
  }
  return !any;
}

void Bench::begin(const std::string &family)
{
  family_ = family;
  arrays_.clear();
  if (numpy_->there())
    numpy_->clear();
}

bool Bench::asks_numpy(const Row &row)
{
  if (row.numpy.empty() || !numpy_->there() || (options_.threads > 1 && !row.numpy_threads))
    return false;
  const std::regex word("[A-Za-z_][A-Za-z_0-9]*");
  for (std::sregex_iterator i(row.numpy.begin(), row.numpy.end(), word), end; i != end; ++i) {
    const auto array = arrays_.find(i->str());
    if (array == arrays_.end() || array->second.given)
      continue;
    numpy_->give(array->first, array->second.elements);
    array->second.given = true;
  }
  return true;
}

static bool agree(const Row &row, const std::string &system, const at::Tensor &theirs,
                  const at::Tensor &ours)
{
  const at::Tensor x = ours.reshape(-1).to(at::kDouble), y = theirs.reshape(-1).to(at::kDouble);
  if (x.numel() != y.numel()) {
    std::fprintf(stderr, "%s: %lld elements, %s has %lld\n", row.id.c_str(),
                 static_cast<long long>(x.numel()), system.c_str(),
                 static_cast<long long>(y.numel()));
    return false;
  }
  const double difference = (x - y).norm().item<double>(), norm = y.norm().item<double>();
  if (difference <= row.tolerance * norm)
    return true;
  std::fprintf(stderr, "%s: differs from %s by %.1e of the norm\n", row.id.c_str(), system.c_str(),
               difference / norm);
  return false;
}

/* Whether all systems compute the same. */
bool Bench::check(const Row &row)
{
  std::vector<at::Tensor> before;
  for (const Array *array : row.results)
    before.push_back(array->torch.clone());
  const auto results_of = [&](const Side &side) {
    for (size_t i = 0; i < before.size(); i++)
      row.results[i]->torch.copy_(before[i]);
    if (row.prepare)
      row.prepare.results();
    at_error_clear();
    std::vector<at::Tensor> results = side.results();
    TORCH_CHECK(!at_error(), row.id, ": ", at_error_message());
    if (before.empty())
      return results;
    results.clear();
    for (const Array *array : row.results)
      results.push_back(array->torch.clone());
    return results;
  };
  const auto compare = [&](const std::string &system, const std::vector<at::Tensor> &theirs,
                           const std::vector<at::Tensor> &ours) {
    bool same = true;
    for (size_t i = 0; i < std::min(ours.size(), theirs.size()); i++)
      same = agree(row, system, theirs[i], ours[i]) && same;
    return same;
  };

  bool same = true;
  if (asks_numpy(row) && row.numpy_result >= 0) { /* first: it has the arrays as they were */
    const std::vector<at::Tensor> ours = results_of(row.ours);
    const size_t which = static_cast<size_t>(row.numpy_result);
    const std::string name = before.empty() ? "" : row.results[which]->name;
    const bool has = !name.empty() && arrays_[name].given;
    same = agree(row, "NumPy", numpy_->result(row.numpy, has ? name : ""), ours[which]);
  }
  const std::vector<at::Tensor> ours = results_of(row.ours);
  if (row.torch)
    same = compare("PyTorch", results_of(row.torch), ours) && same;
  for (const Peer &peer : row.peers)
    if (peer.compared)
      same = compare(peer.name, results_of(peer.side), ours) && same;
  return same;
}

void Bench::row(const Row &row)
{
  if (!wants(row.id))
    return;
  if (!check(row)) {
    failed_ = true;
    return;
  }
  struct System {
    std::string name;
    std::function<double()> measure;
    std::vector<double> seconds, ratios;
  };
  const double budget = options_.seconds;
  std::vector<System> systems = {{"TH", [&] { return row.ours.seconds(budget); }, {}, {}}};
  if (row.torch)
    systems.push_back({"PyTorch", [&] { return row.torch.seconds(budget); }, {}, {}});
  for (const Peer &peer : row.peers)
    systems.push_back({peer.name, [&] { return peer.side.seconds(budget); }, {}, {}});
  if (asks_numpy(row))
    systems.push_back({"NumPy", [&] { return numpy_->seconds(row.numpy, budget); }, {}, {}});
  if (row.sketch)
    systems.push_back({"limit", [&] { return row.sketch.seconds(budget / 2); }, {}, {}});
  else if (row.limit.read + row.limit.written + row.limit.flops > 0)
    systems.push_back({"limit", [&] { return limit_seconds(row.limit, budget / 2); }, {}, {}});

  if (options_.threads > 1) /* how much faster we are than on one thread, in the same minute */
    systems.push_back({"alone",
                       [&] {
                         THSetNumThreads(1);
                         const double seconds = row.ours.seconds(budget / 2);
                         THSetNumThreads(options_.threads);
                         return seconds;
                       },
                       {},
                       {}});

  /* Every other round goes backwards, so that nobody comes after the same one each time, which
   * leaves its own arrays in the caches. */
  for (int round = 0; round < options_.rounds; round++) {
    for (size_t i = 0; i < systems.size(); i++) {
      System &system = systems[round % 2 ? systems.size() - 1 - i : i];
      system.seconds.push_back(system.measure());
    }
    for (System &system : systems)
      system.ratios.push_back(system.seconds.back() / systems[0].seconds.back());
  }
  for (System &system : systems) {
    const double seconds = bench_median(system.seconds.data(), options_.rounds);
    const double ratio = bench_median(system.ratios.data(), options_.rounds);
    std::printf("%s\t%s\t%s\t%d\t%d\t%s\t%.6g\t%.4g\n", family_.c_str(), row.id.c_str(),
                row.shape.c_str(), options_.threads, row.counted, system.name.c_str(), seconds,
                ratio);
  }
  std::fflush(stdout);
}

}  // namespace peers

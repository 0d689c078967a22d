// Random numbers and threads.
#pragma once

#include <memory>

#include "options.hpp"

namespace at
{

// A generator of random numbers; one that is empty stands for the default one.
class Generator
{
 public:
  Generator() = default;
  Generator(std::nullopt_t)
  {
  }
  explicit Generator(std::shared_ptr<at_generator> generator) : generator_(std::move(generator))
  {
  }
  bool defined() const
  {
    return generator_ != nullptr;
  }
  void set_current_seed(uint64_t seed)
  {
    at_generator_manualSeed(get(), seed);
  }
  Generator &manualSeed(uint64_t seed)
  {
    set_current_seed(seed);
    return *this;
  }
  uint64_t seed()
  {
    return at_generator_seed(get());
  }
  uint64_t current_seed() const
  {
    return at_generator_initialSeed(get());
  }
  // The generator itself, also where that is the default one: borrowed.
  at_generator *c_generator() const
  {
    return get();
  }
  // What calls take: borrowed.
  at_generator *c() const
  {
    return generator_ ? generator_.get() : AT_DEFAULT_GENERATOR;
  }

 private:
  at_generator *get() const
  {
    return generator_ ? generator_.get() : (at_defaultGenerator)(AT_BACKEND_CPU);
  }
  std::shared_ptr<at_generator> generator_;
};

// A new generator, which the last copy frees.
inline Generator make_generator(uint64_t seed, DeviceType device = kCPU)
{
  at_generator *generator = (at_generator_new)(static_cast<at_backend>(device));
  detail::check(generator != nullptr);
  at_generator_manualSeed(generator, seed);
  return Generator(std::shared_ptr<at_generator>(generator, at_generator_free));
}

// Of the CPU: make_generator<CPUGeneratorImpl>(seed).
struct CPUGeneratorImpl {
};
template <class Impl>
Generator make_generator(uint64_t seed = 67280421310721)
{
  static_assert(std::is_same_v<Impl, CPUGeneratorImpl>, "generators of the CPU are made so");
  return make_generator(seed);
}

// For floating tensors that are made without a type.
inline void set_default_dtype(ScalarType type)
{
  detail::check((at_setDefaultType)(c_type(type)));
}
constexpr ScalarType scalarTypeToTypeMeta(ScalarType type)
{
  return type;
}
constexpr ScalarType typeMetaToScalarType(ScalarType type)
{
  return type;
}

inline void manual_seed(uint64_t seed)
{
  at_manualSeed(seed);
}
inline void set_num_threads(int count)
{
  detail::check(at_setNumThreads(count));
}
inline int get_num_threads()
{
  return at_getNumThreads();
}
inline bool hasCUDA()
{
  return at_hasCUDA();
}

}  // namespace at

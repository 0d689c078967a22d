// Tensors in files, and programs that torch.export wrote.
#pragma once

#include <map>

#include "conversions.hpp"

namespace at
{

// Tensors by name, as a file has them; ATenFile.h says more.
class Dict
{
 public:
  Dict() : d_(at_dict_new())
  {
    detail::check(d_ != nullptr);
  }
  explicit Dict(at_dict *d) : d_(d)
  {
    detail::check(d_ != nullptr);
  }
  Dict(Dict &&other) noexcept : d_(std::exchange(other.d_, nullptr))
  {
  }
  Dict &operator=(Dict &&other) noexcept
  {
    std::swap(d_, other.d_);
    return *this;
  }
  ~Dict()
  {
    at_dict_free(d_);
  }

  int64_t size() const
  {
    return at_dict_count(d_);
  }
  bool contains(const std::string &name) const
  {
    return at_dict_has(d_, name.c_str());
  }
  std::string name(int64_t i) const
  {
    const char *name = (at_dict_name)(d_, i);
    detail::check(name != nullptr);
    return name;
  }
  Tensor at(int64_t i) const
  {
    return detail::made(at_retain((at_dict_at)(d_, i)));
  }
  Tensor operator[](const std::string &name) const
  {
    return detail::made(at_retain((at_dict_get)(d_, name.c_str())));
  }
  void insert(const std::string &name, const Tensor &t)
  {
    detail::check((at_dict_set)(d_, name.c_str(), t.get()));
  }
  at_dict *get() const
  {
    return d_;
  }

 private:
  at_dict *d_;
};

// All tensors of a file of any format.
inline Dict load(const std::string &path)
{
  return Dict((at_load)(path.c_str(), nullptr));
}
// Writes the tensors to a file, whose extension says the format.
inline void save(const Dict &tensors, const std::string &path)
{
  detail::check((at_save)(path.c_str(), tensors.get()));
}

// A file that is one tensor.
inline void load(Tensor &t, const std::string &path)
{
  t = load(path).at(0);
}
inline void save(const Tensor &t, const std::string &path)
{
  const bool is_npy = path.size() > 4 && path.compare(path.size() - 4, 4, ".npy") == 0;
  if (is_npy)
    return detail::check((at_save_npy)(path.c_str(), t.get()));
  Dict alone;
  alone.insert("", t);
  save(alone, path);
}

// A list of tensors, by their indices.
inline void save(const std::vector<Tensor> &tensors, const std::string &path)
{
  Dict all;
  for (size_t i = 0; i < tensors.size(); i++)
    all.insert(std::to_string(i), tensors[i]);
  save(all, path);
}
inline void load(std::vector<Tensor> &tensors, const std::string &path)
{
  const Dict all = load(path);
  tensors.clear();
  for (int64_t i = 0; i < all.size(); i++)
    tensors.push_back(all.at(i));
}

// A program that torch.export.save wrote.
class Program
{
 public:
  explicit Program(const std::string &path) : p_((at_program_load)(path.c_str()))
  {
    detail::check(p_ != nullptr);
  }
  Program(Program &&other) noexcept : p_(std::exchange(other.p_, nullptr))
  {
  }
  Program &operator=(Program &&other) noexcept
  {
    std::swap(p_, other.p_);
    return *this;
  }
  ~Program()
  {
    at_program_free(p_);
  }

  // The outputs for these inputs.
  std::vector<Tensor> run(TensorList inputs)
  {
    const at_tensors *outputs = (at_program_run)(p_, detail::c_tensors(inputs));
    if (outputs->count == 0 && at_error() != AT_OK)
      detail::raise();
    std::vector<Tensor> all;
    for (int i = 0; i < outputs->count; i++)
      all.push_back(Tensor::share(outputs->data[i]));
    return all;
  }
  // The only output, or the first.
  Tensor operator()(TensorList inputs)
  {
    const std::vector<Tensor> outputs = run(inputs);
    return outputs.empty() ? Tensor() : outputs[0];
  }
  // The weights by name, which are the program's.
  std::map<std::string, Tensor> parameters() const
  {
    const at_dict *weights = at_program_parameters(p_);
    std::map<std::string, Tensor> all;
    for (int64_t i = 0; i < at_dict_count(weights); i++)
      all[(at_dict_name)(weights, i)] = Tensor::share((at_dict_at)(weights, i));
    return all;
  }
  at_program *get() const
  {
    return p_;
  }

 private:
  at_program *p_;
};

}  // namespace at

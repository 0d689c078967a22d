// Tensors in files, and programs that torch.export wrote.
#pragma once

#include <map>

#include "conversions.hpp"
#include <aten/plain.hpp>

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
    return detail::shared(*(at_program_run)(p_, detail::c_tensors(inputs)));
  }
  // The outputs of a program some of whose inputs and outputs are lists: each is a list, of one tensor if it is no list
  // itself.  An input that is missing is a list of an undefined tensor; an output that is missing, too.
  std::vector<std::vector<Tensor>> run_lists(const std::vector<std::vector<Tensor>> &inputs)
  {
    program_runLists(p_, inputs);
    std::vector<std::vector<Tensor>> outputs;
    for (int i = 0; i < at_program_outputCount(p_); i++)
      outputs.push_back(program_result(p_, i));
    return outputs;
  }
  // run_lists with inputs and outputs by name; an input without a list is missing.
  std::map<std::string, std::vector<Tensor>>
  run_named(const std::map<std::string, std::vector<Tensor>> &inputs)
  {
    std::vector<std::vector<Tensor>> lists;
    size_t found = 0;
    for (int i = 0; i < at_program_inputCount(p_); i++) {
      const auto given = inputs.find(at_program_input(p_, i).name);
      found += given != inputs.end();
      lists.push_back(given == inputs.end() ? std::vector<Tensor>{Tensor()} : given->second);
    }
    if (found < inputs.size())
      throw Error("run_named: not all names are those of inputs of the program");
    const std::vector<std::vector<Tensor>> outputs = run_lists(lists);
    std::map<std::string, std::vector<Tensor>> named;
    for (size_t i = 0; i < outputs.size(); i++)
      named[at_program_output(p_, static_cast<int>(i)).name] = outputs[i];
    return named;
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

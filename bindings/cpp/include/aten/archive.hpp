// Tensors by name on their way to a file, and from one.
#pragma once

#include "files.hpp"

namespace at
{

// archive.write("weight", t), archive.save_to(path); parts of an archive have names with dots.
class OutputArchive
{
 public:
  void write(const std::string &name, const Tensor &t, bool = false)
  {
    tensors_.insert(name, t);
  }
  void write(const std::string &name, const OutputArchive &part)
  {
    for (int64_t i = 0; i < part.tensors_.size(); i++)
      tensors_.insert(name + "." + part.tensors_.name(i), part.tensors_.at(i));
  }
  void save_to(const std::string &path) const
  {
    save(tensors_, path);
  }

 private:
  Dict tensors_;
};

// archive.load_from(path), archive.read("weight", t).
class InputArchive
{
 public:
  void load_from(const std::string &path)
  {
    tensors_ = at::load(path);
  }
  void read(const std::string &name, Tensor &t, bool = false) const
  {
    t = tensors_[name];
  }
  void read(const std::string &name, InputArchive &part) const
  {
    if (!try_read(name, part))
      throw Error("the archive has nothing below " + name, AT_ERROR_ARGUMENT);
  }
  bool try_read(const std::string &name, Tensor &t, bool = false) const
  {
    const bool is_there = tensors_.contains(name);
    if (is_there)
      t = tensors_[name];
    return is_there;
  }
  bool try_read(const std::string &name, InputArchive &part) const
  {
    Dict found;
    for (int64_t i = 0; i < tensors_.size(); i++)
      if (tensors_.name(i).compare(0, name.size() + 1, name + ".") == 0)
        found.insert(tensors_.name(i).substr(name.size() + 1), tensors_.at(i));
    part.tensors_ = std::move(found);
    return part.tensors_.size() > 0;
  }
  std::vector<std::string> keys() const
  {
    std::vector<std::string> all;
    for (int64_t i = 0; i < tensors_.size(); i++)
      all.push_back(tensors_.name(i));
    return all;
  }
  const Dict &tensors() const
  {
    return tensors_;
  }

 private:
  Dict tensors_;
};

}  // namespace at

// A value of one of several kinds: what programs take and return, and what functions keep.
#pragma once

#include <memory>
#include <variant>

#include "conversions.hpp"

namespace at
{

class IValue;

// Elements of a tuple or a list, which values share.
class IValues
{
 public:
  explicit IValues(std::vector<IValue> elements);
  const std::vector<IValue> &elements() const
  {
    return elements_;
  }
  size_t size() const;

 private:
  std::vector<IValue> elements_;
};

class IValue
{
 public:
  IValue() = default;
  IValue(Tensor value) : value_(std::move(value))
  {
  }
  IValue(bool value) : value_(value)
  {
  }
  IValue(int64_t value) : value_(value)
  {
  }
  IValue(int value) : value_(int64_t{value})
  {
  }
  IValue(double value) : value_(value)
  {
  }
  IValue(float value) : value_(double{value})
  {
  }
  IValue(const std::string &value) : value_(std::make_shared<const std::string>(value))
  {
  }
  IValue(const char *value) : IValue(std::string(value))
  {
  }
  IValue(std::vector<int64_t> value) : value_(std::move(value))
  {
  }
  IValue(IntArrayRef value) : value_(value.vec())
  {
  }
  IValue(std::vector<Tensor> value) : value_(std::move(value))
  {
  }
  static IValue tuple(std::vector<IValue> elements);

  bool isNone() const
  {
    return is<std::monostate>();
  }
  bool isTensor() const
  {
    return is<Tensor>();
  }
  bool isInt() const
  {
    return is<int64_t>();
  }
  bool isDouble() const
  {
    return is<double>();
  }
  bool isBool() const
  {
    return is<bool>();
  }
  bool isString() const
  {
    return is<std::shared_ptr<const std::string>>();
  }
  bool isTuple() const
  {
    return is<std::shared_ptr<IValues>>();
  }
  // The value, which is of that kind; an error otherwise.
  Tensor toTensor() const
  {
    return get<Tensor>("a tensor");
  }
  int64_t toInt() const
  {
    return get<int64_t>("an integer");
  }
  double toDouble() const
  {
    return isInt() ? static_cast<double>(toInt()) : get<double>("a number");
  }
  bool toBool() const
  {
    return get<bool>("a bool");
  }
  const std::string &toStringRef() const
  {
    return *get<std::shared_ptr<const std::string>>("a string");
  }
  std::vector<int64_t> toIntVector() const
  {
    return get<std::vector<int64_t>>("a list of integers");
  }
  std::vector<Tensor> toTensorVector() const
  {
    return get<std::vector<Tensor>>("a list of tensors");
  }
  std::shared_ptr<IValues> toTuple() const
  {
    return get<std::shared_ptr<IValues>>("a tuple");
  }

 private:
  template <class T>
  bool is() const
  {
    return std::holds_alternative<T>(value_);
  }
  template <class T>
  const T &get(const char *what) const
  {
    const T *found = std::get_if<T>(&value_);
    if (!found)
      throw Error(std::string("the value is not ") + what, AT_ERROR_TYPE);
    return *found;
  }
  std::variant<std::monostate, Tensor, int64_t, double, bool, std::shared_ptr<const std::string>,
               std::vector<int64_t>, std::vector<Tensor>, std::shared_ptr<IValues>>
      value_;
};

inline IValues::IValues(std::vector<IValue> elements) : elements_(std::move(elements))
{
}
inline size_t IValues::size() const
{
  return elements_.size();
}
inline IValue IValue::tuple(std::vector<IValue> elements)
{
  IValue made;
  made.value_ = std::make_shared<IValues>(std::move(elements));
  return made;
}

}  // namespace at

// Members of a module by their names.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "../error.hpp"

namespace at::nn
{

// Members by their names, in order: item.key() and item.value(), all[0] and all["fc.weight"].
template <class Value>
class Named
{
 public:
  struct Item : std::pair<std::string, Value> {
    using std::pair<std::string, Value>::pair;
    const std::string &key() const
    {
      return this->first;
    }
    Value &value()
    {
      return this->second;
    }
    const Value &value() const
    {
      return this->second;
    }
    const Value &operator*() const
    {
      return this->second;
    }
  };

  void insert(const std::string &name, Value value)
  {
    items_.emplace_back(name, std::move(value));
  }
  size_t size() const
  {
    return items_.size();
  }
  bool is_empty() const
  {
    return items_.empty();
  }
  bool contains(const std::string &name) const
  {
    return find(name) != nullptr;
  }
  // NULL if there is none.
  const Value *find(const std::string &name) const
  {
    for (const Item &item : items_)
      if (item.first == name)
        return &item.second;
    return nullptr;
  }
  const Value &operator[](const std::string &name) const
  {
    const Value *found = find(name);
    if (!found)
      throw Error("there is no '" + name + "'", AT_ERROR_ARGUMENT);
    return *found;
  }
  const Item &operator[](size_t i) const
  {
    return items_.at(i);
  }
  std::vector<std::string> keys() const
  {
    std::vector<std::string> all;
    for (const Item &item : items_)
      all.push_back(item.first);
    return all;
  }
  std::vector<Value> values() const
  {
    std::vector<Value> all;
    for (const Item &item : items_)
      all.push_back(item.second);
    return all;
  }
  const std::vector<Item> &items() const
  {
    return items_;
  }
  auto begin() const
  {
    return items_.begin();
  }
  auto end() const
  {
    return items_.end();
  }
  auto begin()
  {
    return items_.begin();
  }
  auto end()
  {
    return items_.end();
  }

 private:
  std::vector<Item> items_;
};

}  // namespace at::nn

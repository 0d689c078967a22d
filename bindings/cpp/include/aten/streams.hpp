// What is saved to files, saved to streams, and loaded from there.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <istream>
#include <iterator>
#include <ostream>
#include <string>

#include <unistd.h>

#include "error.hpp"

namespace at
{
namespace detail
{

// A file of its own until the end of the block.
class PassingFile
{
 public:
  PassingFile()
  {
    const char *const folder = std::getenv("TMPDIR");
    path_ = std::string(folder && *folder ? folder : "/tmp") + "/thaten-XXXXXX.pt";
    const int fd = mkstemps(path_.data(), 3);
    if (fd < 0)
      throw Error("a file for a stream cannot be made in the folder of temporary files");
    close(fd);
  }
  PassingFile(const PassingFile &) = delete;
  PassingFile &operator=(const PassingFile &) = delete;
  ~PassingFile()
  {
    std::remove(path_.c_str());
  }
  const std::string &path() const
  {
    return path_;
  }

 private:
  std::string path_;
};

}  // namespace detail

template <class Value>
void save(const Value &value, std::ostream &stream)
{
  const detail::PassingFile file;
  save(value, file.path());
  std::ifstream written(file.path(), std::ios::binary);
  if (!(stream << written.rdbuf()))
    throw Error("the stream took not all bytes");
}

template <class Value>
void load(Value &value, std::istream &stream)
{
  const detail::PassingFile file;
  std::ofstream read(file.path(), std::ios::binary);
  if (!(read << stream.rdbuf()) || !read.flush())
    throw Error("the stream could not be read");
  load(value, file.path());
}

// The bytes of a stream go to a function (data, count), which returns how many it took.
template <class Value>
void save(const Value &value, const std::function<size_t(const void *, size_t)> &writer)
{
  const detail::PassingFile file;
  save(value, file.path());
  std::ifstream written(file.path(), std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(written)),
                          std::istreambuf_iterator<char>());
  if (writer(bytes.data(), bytes.size()) != bytes.size())
    throw Error("the writer took not all bytes");
}

template <class Value>
void load(Value &value, const char *data, size_t size)
{
  const detail::PassingFile file;
  std::ofstream read(file.path(), std::ios::binary);
  if (!read.write(data, static_cast<std::streamsize>(size)) || !read.flush())
    throw Error("the bytes could not be written to a file");
  load(value, file.path());
}

}  // namespace at

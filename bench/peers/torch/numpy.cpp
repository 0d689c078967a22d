/* Pipes to the process that runs NumPy; arrays go there and back as files in memory. */
#include "numpy.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

namespace peers
{

static const char *type_name(at::ScalarType type)
{
  switch (type) {
    case at::kByte:
      return "uint8";
    case at::kBool:
      return "bool";
    case at::kInt:
      return "int32";
    case at::kLong:
      return "int64";
    case at::kDouble:
      return "float64";
    default:
      return "float32";
  }
}

static at::ScalarType type_of(const std::string &name)
{
  for (at::ScalarType type : {at::kByte, at::kBool, at::kInt, at::kLong, at::kDouble})
    if (name == type_name(type))
      return type;
  return at::kFloat;
}

NumPy::NumPy(int threads)
{
  const char *python = std::getenv("PEER_PYTHON"), *script = std::getenv("PEER_NUMPY_ROWS");
  int to[2], from[2];
  if (!script || pipe2(to, O_CLOEXEC) || pipe2(from, O_CLOEXEC)) {
    std::fprintf(stderr, "th_torch: PEER_NUMPY_ROWS does not name NumPy's side: left out\n");
    return;
  }
  char directory[] = "/dev/shm/th_torch.XXXXXX";
  if (!mkdtemp(directory))
    return;
  directory_ = directory;
  process_ = fork();
  if (process_ == 0) {
    dup2(to[0], 0);
    dup2(from[1], 1);
    setenv("OPENBLAS_NUM_THREADS", std::to_string(threads).c_str(), 1);
    if (!python || !*python)
      python = "python3";
    execlp(python, python, script, directory, static_cast<char *>(nullptr));
    _exit(127);
  }
  close(to[0]);
  close(from[1]);
  to_ = fdopen(to[1], "w");
  from_ = fdopen(from[0], "r");
  name_ = ask("version");
  if (name_.empty()) {
    std::fclose(to_);
    to_ = nullptr;
    std::fprintf(stderr,
                 "th_torch: no NumPy (PEER_PYTHON names the Python that has it): left out\n");
  }
}

NumPy::~NumPy()
{
  if (to_)
    std::fclose(to_);
  if (from_)
    std::fclose(from_);
  if (process_ > 0)
    waitpid(process_, nullptr, 0);
  if (!directory_.empty())
    rmdir(directory_.c_str());
}

std::string NumPy::ask(const std::string &line)
{
  char answer[4096];
  std::fprintf(to_, "%s\n", line.c_str());
  std::fflush(to_);
  if (!std::fgets(answer, sizeof answer, from_))
    return "";
  std::string text = answer;
  text.pop_back();
  TORCH_CHECK(text.rfind("error", 0), "NumPy, ", line, ": ", text);
  return text;
}

void NumPy::give(const std::string &name, const at::Tensor &t)
{
  const std::string path = directory_ + "/" + name;
  std::ofstream(path, std::ios::binary)
      .write(static_cast<const char *>(t.data_ptr()), static_cast<std::streamsize>(t.nbytes()));
  std::ostringstream line;
  line << "array " << name << " " << type_name(t.scalar_type()) << " ";
  for (int64_t size : t.sizes())
    line << size << ",";
  ask(line.str());
}

at::Tensor NumPy::result(const std::string &expression, const std::string &name)
{
  std::istringstream answer(ask("result " + (name.empty() ? "-" : name) + " " + expression));
  std::string type;
  int64_t count;
  answer >> type >> count;
  at::Tensor t = at::empty({count}, type_of(type));
  const std::string path = directory_ + "/result";
  std::ifstream(path, std::ios::binary)
      .read(static_cast<char *>(t.data_ptr()), static_cast<std::streamsize>(t.nbytes()));
  unlink(path.c_str());
  return t;
}

double NumPy::seconds(const std::string &expression, double budget)
{
  return std::stod(ask("seconds " + std::to_string(budget) + " " + expression));
}

void NumPy::clear()
{
  ask("clear");
}

}  // namespace peers

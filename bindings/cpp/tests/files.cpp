// Tensors in files, and a program of PyTorch.  usage: files FOLDER_OF_PROGRAMS
#include "check.hpp"

#include <unistd.h>

using namespace at;

int main(int, char **arguments)
{
  char folder[] = "/tmp/aten-cpp-XXXXXX";
  CHECK(mkdtemp(folder) != nullptr);
  const std::string path = std::string(folder) + "/";
  const Tensor a = rand({2, 3}), b = arange(4);
  for (const char *name : {"one.pt", "one.npy", "one.safetensors"}) {
    Tensor t;
    torch::save(a, path + name);
    torch::load(t, path + name);
    CHECK(t.equal(a) && unlink((path + name).c_str()) == 0);
  }
  Dict d;
  d.insert("a", a);
  d.insert("layer.b", b);
  save(d, path + "all.pt");
  const Dict again = load(path + "all.pt");
  CHECK(again.size() == 2 && again["layer.b"].equal(b) && again.name(0) == "a" &&
        again.at(0).equal(a));
  CHECK(again.contains("a") && !again.contains("b"));
  CHECK_THROWS(again["b"], "b");
  CHECK_THROWS(again.name(2), "2");
  std::vector<Tensor> list;
  save({a, b}, path + "all.pt");
  load(list, path + "all.pt");
  CHECK(list.size() == 2 && list[1].equal(b));
  CHECK(unlink((path + "all.pt").c_str()) == 0 && rmdir(folder) == 0);

  // What PyTorch computed.
  const std::string tiny = std::string(arguments[1]) + "/tiny";
  const Dict expected = load(tiny + ".npz");
  Program program(tiny + ".pt2");
  CHECK_CLOSE(program({expected["input0"]}), expected["output0"]);
  CHECK(program.run(expected["input0"]).size() == 1);
  CHECK(Program(std::string(arguments[1]) + "/residual.pt2").parameters().size() > 1);
  CHECK_THROWS(program.run({}), "input");
  auto module = torch::jit::load(tiny + ".pt2");
  CHECK_CLOSE(module.forward({expected["input0"]}).toTensor(), expected["output0"]);
}

// Tensors in files, and a program of PyTorch.  usage: files FOLDER_OF_PROGRAMS
#include "check.hpp"

#include <unistd.h>

using namespace at;

// Inputs and outputs that are lists, or missing; the values are those that wrote the file.
static void lists(const std::string &path)
{
  Program program(path + ".onnx");
  const Dict data = load(path + ".npz");
  const auto stored = [&](const std::string &word, size_t i) {
    std::vector<Tensor> list;
    const std::string name = word + std::to_string(i) + ".";
    while (data.contains(name + std::to_string(list.size())))
      list.push_back(data[name + std::to_string(list.size())]);
    return list;
  };
  std::vector<std::vector<Tensor>> inputs;
  for (size_t i = 0; i < 4; i++)
    inputs.push_back(stored("input", i));
  const auto outputs = program.run_lists(inputs);
  auto named = program.run_named({{"parts", inputs[0]},
                                  {"others", inputs[1]},
                                  {"x", inputs[2]},
                                  {"rest", inputs[3]}});
  const char *const names[] = {"mapped", "shapes", "same", "kept", "chosen", "count"};
  CHECK(outputs.size() == 6 && named.size() == 6);
  for (size_t i = 0; i < outputs.size(); i++) {
    const std::vector<Tensor> wanted = stored("output", i), &other = named[names[i]];
    CHECK(outputs[i].size() == wanted.size() && other.size() == wanted.size());
    for (size_t k = 0; k < wanted.size(); k++)
      CHECK(outputs[i][k].equal(wanted[k]) && other[k].equal(wanted[k]));
  }
  named =
      program.run_named({{"parts", {ones({1}), ones({2})}}, {"others", {zeros({1}), ones({1})}}});
  CHECK(named["mapped"].size() == 2 && !named["kept"][0].defined() && named["chosen"].empty());
  CHECK(named["count"][0].item<int64_t>() == 0);
  CHECK_THROWS(program.run_named({{"ys", {}}}), "inputs of the program");
  CHECK_THROWS(program.run_lists({inputs[0], inputs[1], inputs[0], inputs[3]}),
               "list of 3 tensors");
  CHECK_THROWS(program.run_lists({inputs[0]}), "");
}

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
  lists(std::string(arguments[1]) + "/onnx/listed");
  auto module = torch::jit::load(tiny + ".pt2");
  CHECK_CLOSE(module.forward({expected["input0"]}).toTensor(), expected["output0"]);
}

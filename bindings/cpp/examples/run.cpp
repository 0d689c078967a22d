// Runs a program that torch.export.save wrote.
//
//     run PROGRAM.pt2 INPUTS.npz
//
// The inputs are the arrays input0, input1 and so on.
#include <aten/aten.hpp>
#include <iostream>

int main(int count, char **arguments)
{
  if (count != 3) {
    std::cerr << "usage: run PROGRAM.pt2 INPUTS.npz\n";
    return 2;
  }
  try {
    at::Program net(arguments[1]);
    const at::Dict stored = at::load(arguments[2]);
    std::vector<at::Tensor> inputs;
    for (int i = 0; i < at_program_inputCount(net.get()); i++)
      inputs.push_back(stored["input" + std::to_string(i)]);
    for (const at::Tensor &output : net.run(inputs))
      std::cout << output << "\n";
  } catch (const at::Error &error) {
    std::cerr << error.what() << "\n";
    return 1;
  }
}

/* Runs a program that torch.export.save wrote.
 *
 *     run PROGRAM.pt2 INPUTS.npz
 *
 * The inputs are the arrays input0, input1 and so on. */
#include <ATen/ATen.h>
#include <stdio.h>
#include <stdlib.h>

static void run(at_program *net, const at_dict *stored)
{
  const int count = at_program_inputCount(net);
  at_tensor **inputs = calloc((size_t)count + 1, sizeof *inputs);
  for (int i = 0; inputs && i < count; i++) {
    char name[32];
    snprintf(name, sizeof name, "input%d", i);
    inputs[i] = at_dict_get(stored, name);
  }
  const at_tensors *outputs = at_program_run(net, (at_tensors){inputs, inputs ? count : 0});
  for (int i = 0; i < outputs->count; i++)
    if (outputs->data[i]) /* not None */
      at_print(outputs->data[i]);
  free(inputs);
}

int main(int count, char **arguments)
{
  if (count != 3) {
    fprintf(stderr, "usage: run PROGRAM.pt2 INPUTS.npz\n");
    return 2;
  }
  at_program *net = at_program_load(arguments[1]);
  at_dict *stored = net ? at_load(arguments[2]) : NULL;
  if (stored)
    run(net, stored);
  if (at_error())
    fprintf(stderr, "%s\n", at_error_message());
  at_dict_free(stored);
  at_program_free(net);
  return at_error() != AT_OK;
}

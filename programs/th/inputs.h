/* The inputs of a program, from files. */
#ifndef TH_INPUTS_H
#define TH_INPUTS_H

#include "picture.h"

typedef struct Inputs {
  at_tensor **data; /* references */
  int count;
} Inputs;

/* Reads the inputs of the program from the files in their order: arrays, pictures, and sets of
 * tensors.  A set that is the only file may have more tensors than the program has inputs: those
 * are taken that have the names of the inputs, or input0, input1 ... Prints an error and returns
 * false on failure. */
bool inputs_read(Inputs *inputs, const at_program *program, char **paths, int count,
                 const PictureOptions *options);

/* Random inputs: from 0 to 1, integers and Bools 0 or 1; sizes that may vary are the smallest. */
bool inputs_draw(Inputs *inputs, const at_program *program);

void inputs_free(Inputs *inputs);

at_tensors inputs_list(const Inputs *inputs);

#endif

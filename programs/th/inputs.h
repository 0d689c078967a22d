/* The inputs of a program, from files. */
#ifndef TH_INPUTS_H
#define TH_INPUTS_H

#include "picture.h"

typedef struct Inputs {
  at_tensor **data; /* references; NULL for an input that is missing */
  int count;
  at_tensors *lists; /* of each file, if each is an input; or NULL */
  int listCount;
} Inputs;

/* Reads the inputs of the program from the files in their order: arrays, pictures, and sets of
 * tensors.  A set that is the only file may have more tensors than the program has inputs: those
 * are taken that have the names of the inputs, or input0, input1 ... Of a program with inputs that
 * are lists, or may be missing, each file is an input, and "-" one that is missing.  Prints an error
 * and returns false on failure. */
bool inputs_read(Inputs *inputs, const at_program *program, char **paths, int count,
                 const PictureOptions *options);

/* Random inputs: from 0 to 1, integers and Bools 0 or 1; sizes that may vary are the smallest. */
bool inputs_draw(Inputs *inputs, const at_program *program);

void inputs_free(Inputs *inputs);

/* Runs the program on them. */
const at_tensors *inputs_run(const Inputs *inputs, at_program *program);

#endif

/* Python's pickles, read as data. */
#ifndef ATEN_PICKLE_H
#define ATEN_PICKLE_H

#include "Nodes.h"

/* Reads one pickle of up to size bytes into nodes, and returns its object; *used is how long it is.
 * Names of functions and classes that are not on the list of those that PyTorch's files of tensors
 * have are errors. */
int64_t at_readPickle(at_nodes *nodes, const uint8_t *bytes, size_t size, size_t *used);

#endif

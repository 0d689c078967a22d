/* Pickles of Python, read as data. */
#ifndef ATEN_PICKLE_H
#define ATEN_PICKLE_H

#include "ATen/files/Nodes.h"

enum { AT_INPUT = 1 << 14 };

/* A stream that is read byte by byte. */
typedef struct at_input {
  at_stream *stream;
  uint8_t *buffer; /* of AT_INPUT bytes */
  size_t at, end;
  uint64_t taken; /* bytes read since the beginning */
} at_input;

/* The guard, which is entered here, frees the buffer. */
void at_input_begin(at_input *in, at_stream *stream, THGuard *guard);

/* Reads one pickle into nodes, and returns its object.  Names of functions and classes are accepted
 * if PyTorch writes them in files of tensors.  Other names are errors, or if the file skips,
 * classes of objects that are read as data. */
int32_t at_readPickle(at_nodes *nodes, at_input *in);

#endif

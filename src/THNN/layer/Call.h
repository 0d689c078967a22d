/* The frame of every layer's function: it makes operands contiguous, and an error undoes all changes.
 *
 *     THNN_(Call) call;
 *     THNN_(begin)(&call);
 *     THTensor *x = THNN_(source)(&call, input);                   contiguous, perhaps a copy
 *     THTensor *y = THNN_(result)(&call, output, 4, size);         where to write it
 *     THNN_(start)(&call);                                         output takes its shape
 *     ... compute THTensor_(data)(y) from THTensor_(data)(x); nothing in here can fail ...
 *     THNN_(finish)(&call);                                        copies y to output, if it is a copy
 *
 * Everything is checked before begin; everything that can fail happens before start returns.  A
 * result is written in row-major order whatever its strides are, and may be one of the sources or
 * share memory with them.
 *
 * A result that grows may move memory, also that of a source.  So x and y have no storage, and
 * their THTensor_(data) is NULL, until start (or ready) has given the results their final sizes: an
 * address cannot be taken too early. */
#ifndef THNN_CALL_H
#define THNN_CALL_H

#include "Check.h"
#include "THLoop.h"
#include "TH/loop/THResult.h"

enum { THNN_OPERANDS = 8 };

/* The memory of a call's operands, of all types: a result must not be written over it. */
typedef struct THNNMemory {
  int sources, results;
  THView source[2 * THNN_OPERANDS];
  struct {
    THView view;
    int64_t count;
  } result[2 * THNN_OPERANDS]; /* the results with their final sizes */
} THNNMemory;

/* Adds memory that the call reads in place, besides its sources. */
static inline void THNNMemory_reads(THNNMemory *memory, THView view)
{
  THAssert(memory->sources < 2 * THNN_OPERANDS);
  memory->source[memory->sources++] = view;
}

#define TH_GENERIC_FILE "THNN/layer/CallGeneric.h"
#include "THGenerateFloatTypes.h"
#define TH_GENERIC_FILE "THNN/layer/CallGeneric.h"
#include "THGenerateLongType.h"

#endif

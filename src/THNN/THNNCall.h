/* The frame of a layer's function: its operands, made contiguous, and what is undone after an
 * error.
 *
 *     THNN_(Call) call;
 *     THNN_(begin)(&call);
 *     THTensor *x = THNN_(source)(&call, input);                   contiguous, perhaps a copy
 *     THTensor *y = THNN_(result)(&call, output, 4, size);         where to write it
 *     THNN_(start)(&call);                                         output takes its shape
 *     ... compute y->storage from x->storage; nothing in here can fail ...
 *     THNN_(finish)(&call);                                        and its values, if y is not
 * output
 *
 * Everything is checked before begin; everything that can fail happens before start returns.  A
 * result is written in row-major order whatever its strides are, and may be one of the sources or
 * share memory with them. */
#ifndef THNN_CALL_H
#define THNN_CALL_H

#include "THNNCheck.h"
#include "THLoop.h"

enum { THNN_OPERANDS = 8 };

#define TH_GENERIC_FILE "generic/THNNCall.h"
#include "THGenerateFloatTypes.h"
#define TH_GENERIC_FILE "generic/THNNCall.h"
#include "THGenerateLongType.h"

#endif

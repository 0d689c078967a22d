/* Inspects the operands of a call before and after it: results are well formed, the call changes
 * only what it is meant to change, and nothing if it fails. */
#ifndef ATEN_WITNESS_H
#define ATEN_WITNESS_H

#include "draw.h"

/* Remembers the tensors of the call, and their memory. */
void witness_enter(const Call *call);

/* Checks the call afterwards and releases its results.  Returns a description of the first problem,
 * or NULL. */
const char *witness_leave(Call *call, bool succeeded);

#endif

/* What a call is given, looked at before it and after it: what it returns is well formed, it
 * changes what it is to change and nothing else, and nothing at all if it fails. */
#ifndef ATEN_WITNESS_H
#define ATEN_WITNESS_H

#include "draw.h"

/* Remembers the tensors of the call, and their memory. */
void witness_enter(const Call *call);

/* What is wrong after the call, which releases its results; NULL if nothing is. */
const char *witness_leave(Call *call, bool succeeded);

#endif

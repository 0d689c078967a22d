/* Where random numbers come from. */
#ifndef ATEN_DRAWN_H
#define ATEN_DRAWN_H

#include "ATen/core/ATenCore.h"

/* What tensors of the type are drawn from: the generator, or the CPU's default one.  Devices have
 * generators of their own, so that the functions of their types do not use it, and a generator that
 * is given for them is an error. */
THGenerator *at_drawnFrom(const at_type *type, at_generator *generator);

#endif

/* Where random numbers come from. */
#ifndef ATEN_DRAWN_H
#define ATEN_DRAWN_H

#include "ATen/core/ATenCore.h"
#include "ATen/cuda/kernels.h"

/* What tensors of the type are drawn from: the generator, or the CPU's default one.  Devices have
 * generators of their own, so that the functions of their types do not use it, and a generator that
 * is given for them is an error. */
THGenerator *at_drawnFrom(const at_type *type, at_generator *generator);

/* Draws an element of r for each parameter on their device, by a kernel that takes an at_draw_work. */
void at_deviceDraws(at_pool *pool, at_tensor *r, at_tensor *parameters, at_kernel kernel);

#endif

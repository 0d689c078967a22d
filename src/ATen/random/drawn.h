/* Where random numbers come from. */
#ifndef ATEN_DRAWN_H
#define ATEN_DRAWN_H

#include "ATen/core/ATenCore.h"
#include "ATen/cuda/kernels.h"

/* What tensors of the type are drawn from: the generator, or the CPU's default one.  The functions of the types of
 * devices do not use it: they draw from the generator that is chosen for the call (at_generator_choose), or the
 * device's own.  A generator of another backend is an error. */
THGenerator *at_drawnFrom(const at_type *type, at_generator *generator);

/* Makes the generator the default one of the CPU in this thread, NULL again that of all threads; returns what was
 * given before. */
at_generator *at_drawFrom(at_generator *generator);

/* What a distribution of devices takes: elements from least to most of the argument arg of function, which a failed
 * check says in its message. */
typedef struct at_draw_rule {
  const char *function, *message; /* message has one %g */
  int arg;
  double least, most;
} at_draw_rule;

/* Raises if an element of the tensor, on a device, is known to break the rule.  The host does not wait for it, unless
 * TH_CUDA_CHECK_INDICES=1 says so: the stream's next wait raises the error. */
void at_checkDrawn(at_pool *pool, at_tensor *parameters, const at_draw_rule *rule);

/* Whether numbers, of any device, are as the rule says, as far as is known.  For what calls operations
 * (Composed.h): what is known not to be is reported. */
bool at_isWithin(const at_draw_rule *rule, at_tensor *numbers);

/* Checks the parameters, and draws an element of r for each on their device, by a kernel that takes an
 * at_draw_work; NaN for those that break the rule.  second is NULL where a distribution has one parameter. */
void at_deviceDraws(at_pool *pool, at_tensor *r, at_tensor *parameters, at_tensor *second,
                    const at_draw_rule *rule, at_kernel kernel);

#endif

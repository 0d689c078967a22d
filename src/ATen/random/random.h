/* Random numbers.  A generator of NULL stands for the default one. */
#ifndef ATEN_RANDOM_H
#define ATEN_RANDOM_H

#include "ATen/core/ATenCore.h"

typedef enum at_draw {
  AT_DRAW_UNIFORM,
  AT_DRAW_NORMAL,
  AT_DRAW_LOG_NORMAL,
  AT_DRAW_EXPONENTIAL, /* of one parameter */
  AT_DRAW_CAUCHY,
  AT_DRAW_GEOMETRIC, /* of one parameter; also for integers */
  AT_DRAW_BERNOULLI  /* of one parameter; for all types */
} at_draw;

/* Fills self with numbers of a distribution with parameters a and b.  In this and the other functions
 * that fill self, elements of the CPU take their draws in the order in which they lie in memory. */
at_tensor *at_drawFill(at_tensor *self, at_draw draw, double a, double b, at_generator *generator);

at_tensor *at_randSized(at_tensor *out, const at_type *type, at_ints sizes, at_generator *generator,
                        bool normal);
/* Random numbers in self's layout; of self's type if type is NULL. */
at_tensor *at_randLike(at_tensor *self, const at_type *type, at_generator *generator, bool normal);

/* mean and std are used where the tensors are NULL. */
at_tensor *at_normalOf(at_tensor *out, at_tensor *means, at_tensor *stds, double mean, double std,
                       at_generator *generator);

#endif

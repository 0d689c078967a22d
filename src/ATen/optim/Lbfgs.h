/* L-BFGS: all parameters are one vector, of doubles. */
#ifndef ATEN_LBFGS_H
#define ATEN_LBFGS_H

#include "Optimizer.h"

/* How the gradient and the vector changed in a step, and 1 / (y s). */
typedef struct at_curvature {
  double *y, *s, ro;
} at_curvature;

/* What is kept between steps; vectors are NULL until there was one. */
struct at_lbfgs {
  ptrdiff_t size;
  double evaluations, iterations;
  double *direction, *gradient; /* of the last iteration */
  double length, loss, diagonal;
  int count, capacity;
  at_curvature *pairs; /* the oldest first */
};

/* A function of the vector: raises if it cannot be computed. */
typedef struct at_objective {
  at_optimizer *optimizer;
  at_closure closure;
  void *context;
  ptrdiff_t size;
  int evaluations;
} at_objective;

/* Moves the parameters to x + t * d, and stores the gradient there; returns the loss. */
double at_objective_at(at_objective *f, const double *x, double t, const double *d,
                       double *gradient);

/* A point on the line: where, the loss, its gradient, and that along the direction. */
typedef struct at_point {
  double t, loss, slope;
  double *gradient;
} at_point;

/* Searches from the point at 0 along d, first at t, for one that satisfies the strong Wolfe
 * conditions; buffer has 4 vectors.  Returns the point, whose gradient is in buffer. */
at_point at_strongWolfe(at_objective *f, const double *x, const double *d, double t, at_point from,
                        double *buffer);

struct at_lbfgs *at_lbfgs_new(ptrdiff_t size, int capacity);

/* The number of elements of all parameters. */
ptrdiff_t at_lbfgs_size(const at_optimizer *o);

#endif

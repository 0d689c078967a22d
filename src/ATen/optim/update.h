/* One pass over tensors that changes them element by element, by a row of src/ops/updates.h. */
#ifndef ATEN_UPDATE_H
#define ATEN_UPDATE_H

#include "ATen/core/ATenCore.h"
#include "THKernel.h"
#include "numbers.h"

typedef enum at_update_name {
#define UPDATE(NAME, ...) AT_UPDATE_##NAME,
#include "ops/updates.h"
  AT_UPDATE_COUNT
} at_update_name;

/* Changes n elements: of a parameter (at[0]), by its gradient (at[1]), and of its states (at[2] on). */
typedef void (*at_update)(ptrdiff_t n, char *const *at, const at_numbers *k);

enum { AT_STATES = 3, AT_UPDATE_OPERANDS = AT_STATES + 2 };

/* One tensor to be changed: the parameter, its gradient, which may be the parameter itself, and
 * states, all of one size and floating or, on the CPU, complex type; tensors of CUDA are on the current
 * device. */
typedef struct at_job {
  at_update_name name;
  at_numbers numbers;
  int operands;
  at_tensor *of[AT_UPDATE_OPERANDS];
  /* for the pass alone */
  at_update update;
  ptrdiff_t end; /* of its units, counted through all jobs that lie in one piece */
  size_t itemSize, computedSize;
  THKernel loads,
      stores; /* conversions from and to the type that computes, which may be the same */
  bool isPlain;
} at_job;

/* Runs all jobs.  Nothing is allocated, and nothing fails but a launch.  On CUDA up to AT_MANY jobs that follow each
 * other, in one piece, with the same row, type and numbers, are a launch; each other job is one. */
void at_updateAll(int count, at_job *jobs);

/* The sum of |x|^order, or for infinity the largest |x|, over the parameters of those jobs for which isPowerOnDevice
 * says so.  The host waits once. */
bool at_isPowerOnDevice(const at_job *job);
double at_powersOnDevice(int count, const at_job *jobs, double order);

/* The real numbers in t: two for each complex one. */
static inline ptrdiff_t at_realsIn(const at_tensor *t)
{
  return at_numel(t) * at_partsOf(t->type);
}

/* Whether the elements of t fill a piece of memory without gaps, in any order. */
bool at_isDense(const at_tensor *t);

/* A tensor of zeros like t, in the same order in memory if t is dense; a new reference. */
at_tensor *at_newZerosLike(const at_tensor *t);

#endif

/* Reductions on a device, with the interface of THReduce.h, whose place they take where a template
 * of TH is compiled for the device.  The kernels are those of cuda/reduce.cu.
 *
 * A block joins the states of its threads in pairs; lines too few to occupy a device are cut into
 * chunks, whose states a second launch joins.  How it is cut depends on shapes and strides alone,
 * and so do the bits of a sum. */
#ifndef THC_REDUCE_H
#define THC_REDUCE_H

#include "THCPrivate.h"
#include "TH/THReduce.h"

#include "cuda/thc_reduce.h"

/* Lines as kernels take them; an error where there are too many dimensions. */
void THCLines_make(THCLines *made, const THLines *lines);

/* --- all elements --------------------------------------------------------------------------- */

/* Waits for the result, which is of the device's accreal. */
void THCReduce_all(const THCReduction *op, THReduceScalars scalars, THLoop *loop, void *result);

/* --- along a dimension, in two steps: what can fail, and what cannot ------------------------ */

typedef struct THCReduce {
  const THCReduction *op;
  THCLines lines;
  THCReduceWork work;
  THGuard guard; /* holds states */
} THCReduce;

void THCReduce_prepare(THCReduce *reduce, const THCReduction *op, THReduceScalars scalars,
                       const THLines *lines);
void THCReduce_run(THCReduce *reduce, const void *from, void *result, int64_t *index);

#endif

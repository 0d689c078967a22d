/* Reductions on a device: these functions replace THReduce.h's when a template of TH is compiled
 * for the device.  The kernels are those of reduce/reduce.cu.
 *
 * A block joins the states of its threads in pairs.  If there are too few lines to occupy a device,
 * lines are cut into chunks, and a second launch joins the states of the chunks.  The division
 * depends only on shapes and strides, so that the bits of a sum do not change between runs. */
#ifndef THC_REDUCE_H
#define THC_REDUCE_H

#include "THC/core/THCPrivate.h"
#include "TH/reduce/THReduce.h"

#include "thc_reduce.h"

/* Converts lines for kernels; an error if there are too many dimensions. */
void THCLines_make(THCLines *made, const THLines *lines);

/* --- all elements --------------------------------------------------------------------------- */

/* Waits for the result, an accreal of the device. */
void THCReduce_all(const THCReduction *op, THReduceScalars scalars, THLoop *loop, void *result);

/* --- along a dimension: prepare may fail, run cannot ---------------------------------------- */

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

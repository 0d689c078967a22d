/* Inputs with a score for each class, and targets that say which classes are right. */
#ifndef THNN_CLASSES_H
#define THNN_CLASSES_H

#include "THNN/layer/Check.h"

/* Each of batch inputs has classes x inner scores; inner is 1 except for images. */
typedef struct {
  int64_t batch, classes, inner;
  int single;            /* the input has no batch dimension */
  const int64_t *target; /* contiguous */
} THNNClasses;

/* How many inputs there are, and targets. */
static inline int64_t THNNClasses_count(const THNNClasses *c)
{
  return c->batch * c->inner;
}

/* The message about a target that is not a label. */
#define THNN_STRANGE_LABEL \
  "target %lld is %lld, neither one of the %lld classes of input %s nor %d, the end"

#define TH_GENERIC_FILE "THNN/loss/ClassesGeneric.h"
#include "THGenerateFloatTypes.h"

#endif

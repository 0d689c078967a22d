/* Samples that loaders make batches of. */
#ifndef ATEN_DATASET_H
#define ATEN_DATASET_H

#include "ATenData.h"

#include "ATen/core/ATenOperations.h"

struct at_dataset {
  int64_t count;
  int parts;
  at_tensor **tensors; /* references; NULL where a function makes the samples */
  at_sample sample;
  void *context;
  struct at_folder *folder; /* what context is, for pictures of a folder; or NULL */
};

/* NULL is accepted. */
void at_folder_free(struct at_folder *folder);

#endif

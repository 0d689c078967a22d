/* Data sets: tensors with a sample in each row, and functions. */
#include "Dataset.h"

void at_dataset_free(at_dataset *d)
{
  if (!d)
    return;
  for (int i = 0; d->tensors && i < d->parts; i++)
    at_release(d->tensors[i]);
  THFree(d->tensors);
  at_folder_free(d->folder);
  THFree(d);
}

int64_t(at_dataset_count)(const at_dataset *d)
{
  return at_acceptPointer("dataset_count", "dataset", d) ? d->count : -1;
}

/* The number of samples in each of the tensors. */
static int64_t rows_of(at_tensors tensors)
{
  if (tensors.count == 0)
    at_raise(AT_ERROR_ARGUMENT, "tensors is an empty list");
  for (int i = 0; i < tensors.count; i++)
    if (at_dim(tensors.data[i]) == 0 ||
        tensors.data[i]->th->size[0] != tensors.data[0]->th->size[0])
      at_raise(AT_ERROR_ARGUMENT, "tensors[%d] is of size (%s), and tensors[0] of size (%s)", i,
               at_sizeDesc(at_sizesOf(tensors.data[i])).str,
               at_sizeDesc(at_sizesOf(tensors.data[0])).str);
  return tensors.data[0]->th->size[0];
}

at_dataset *(at_dataset_tensors)(at_tensors tensors)
{
  const char *const name = "dataset_tensors";
  if (!at_acceptAll(name, "tensors", tensors, false))
    return NULL;
  at_call call;
  at_begin(&call, name);
  at_dataset *volatile made = NULL;
  TH_TRY(call.attempt)
  {
    const int64_t count = rows_of(tensors);
    THGuard guard;
    THGuard_enter(&guard, (THUndo)at_dataset_free);
    at_dataset *const d = guard.what = THAlloc(sizeof *d);
    *d = (at_dataset){.count = count, .parts = tensors.count};
    d->tensors = THAlloc(tensors.count * (ptrdiff_t)sizeof *d->tensors);
    for (int i = 0; i < tensors.count; i++)
      d->tensors[i] = at_retain(tensors.data[i]);
    made = THGuard_keep(&guard);
  }
  at_failed(&call);
  return made;
}

at_dataset *(at_dataset_function)(int64_t count, int parts, at_sample sample, void *context)
{
  enum { MOST_PARTS = 1000 };
  const char *const name = "dataset_function";
  if (!at_acceptPointer(name, "sample", (const void *)sample))
    return NULL;
  at_call call;
  at_begin(&call, name);
  at_dataset *volatile made = NULL;
  TH_TRY(call.attempt)
  {
    if (count < 0 || parts < 1 || parts > MOST_PARTS)
      at_raise(AT_ERROR_ARGUMENT, "there are %lld samples of %d parts, which have to be 1 to %d",
               (long long)count, parts, MOST_PARTS);
    at_dataset *const d = THAlloc(sizeof *d);
    *d = (at_dataset){.count = count, .parts = parts, .sample = sample, .context = context};
    made = d;
  }
  at_failed(&call);
  return made;
}

/* Data sets and loaders. */
#include "thaten.h"

static void freeDataset(SEXP object)
{
  at_dataset_free(R_ExternalPtrAddr(object));
  R_ClearExternalPtr(object);
}

static void freeLoader(SEXP object)
{
  at_loader_free(R_ExternalPtrAddr(object));
  R_ClearExternalPtr(object);
}

SEXP th_loaderObject(SEXP arguments)
{
  SEXP object = th_object("th_loader", freeLoader);
  R_SetExternalPtrProtected(object, arguments); /* the data set and a generator live as long */
  return object;
}

SEXP thr_dataset(SEXP tensors)
{
  SEXP object = PROTECT(th_object("th_dataset", freeDataset));
  th_own(object, at_dataset_tensors(th_toTensors(tensors, "tensors")));
  if (!R_ExternalPtrAddr(object))
    th_raise();
  UNPROTECT(1);
  return object;
}

SEXP thr_datasetCount(SEXP dataset)
{
  return Rf_ScalarReal((double)at_dataset_count(th_pointer(dataset, "th_dataset")));
}

/* A list with a tensor for each part; NULL at the end of a pass. */
SEXP thr_loaderNext(SEXP loader)
{
  const at_tensors *batch = at_loader_next(th_pointer(loader, "th_loader"));
  if (!batch && at_error() != AT_OK)
    th_raise();
  return batch ? th_list(*batch) : R_NilValue;
}

SEXP thr_loaderBatches(SEXP loader)
{
  return Rf_ScalarReal((double)at_loader_batches(th_pointer(loader, "th_loader")));
}

static SEXP owned(SEXP object, at_tensor *t)
{
  if (!at_defined(t))
    th_raise();
  return th_own(object, t);
}

SEXP thr_loadIdx(SEXP path)
{
  SEXP object = PROTECT(th_newTensor());
  owned(object, at_load_idx(th_path(path)));
  UNPROTECT(1);
  return object;
}

SEXP thr_loadCsv(SEXP path)
{
  SEXP object = PROTECT(th_newTensor());
  owned(object, at_load_csv(th_path(path), &at_load_csv_defaults));
  UNPROTECT(1);
  return object;
}

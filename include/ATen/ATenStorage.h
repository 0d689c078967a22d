/* Storages: the memory that tensors are views of. */
#ifndef ATEN_STORAGE_H
#define ATEN_STORAGE_H

#include "ATenTensor.h"

/* A storage of count elements with unspecified contents; NULL and an error if there is no
 * memory. */
AT_API at_storage *at_storage_new(const at_type *type, int64_t count) AT_MUST_USE;

/* A new reference to the storage of t; NULL and an error if t has none. */
AT_API at_storage *at_storageOf(const at_tensor *t) AT_MUST_USE;

/* References are counted as for tensors, but scopes do not own storages.  NULL is accepted. */
AT_API at_storage *at_storage_retain(at_storage *storage);
AT_API void at_storage_release(at_storage *storage);

/* For NULL: the undefined type, 0, NULL. */
AT_API const at_type *at_storage_type(const at_storage *storage);
AT_API int64_t at_storage_size(const at_storage *storage);
AT_API void *at_storage_data(const at_storage *storage);

/* The TH storage, such as a THFloatStorage *; borrowed. */
AT_API void *at_storage_unsafeGetTH(const at_storage *storage);

#endif

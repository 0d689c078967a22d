/* DLPack 1: tensors handed to other libraries and taken from them, without a copy.
 *
 *     struct DLManagedTensorVersioned *m = at_toDLPackVersioned(t);    for another library
 *     at_tensor *x = at_fromDLPackVersioned(m);                        from another library
 *
 * The structs are those of dlpack/dlpack.h; programs without it find them in ATenDLPackTypes.h. The
 * versioned forms are for whoever speaks DLPack 1, the others for whoever speaks less. */
#ifndef ATEN_DLPACK_H
#define ATEN_DLPACK_H

#include "ATenTensor.h"

struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* t's memory, shape and strides; NULL after an error.  Its memory lives until the deleter of the
 * result is called, by whichever thread, and from now on does not grow: operations that would have
 * to enlarge t raise an error. */
AT_API struct DLManagedTensor *at_toDLPack(at_tensor *t) AT_MUST_USE;
AT_API struct DLManagedTensorVersioned *at_toDLPackVersioned(at_tensor *t) AT_MUST_USE;

/* A tensor of the memory that managed describes.  It takes managed over: the deleter is called when
 * no tensor uses the memory any more.  After an error managed still belongs to the caller.  Errors
 * are memory that is not the CPU's or is read-only (every tensor here can be written to: let the
 * producer copy), element types that are not here, elements that are not aligned, negative strides,
 * and a major version other than 1. */
AT_API at_tensor *at_fromDLPack(struct DLManagedTensor *managed) AT_MUST_USE;
AT_API at_tensor *at_fromDLPackVersioned(struct DLManagedTensorVersioned *managed) AT_MUST_USE;

#endif

/* DLPack 1: tensors handed to other libraries and taken from them, without a copy.
 *
 *     struct DLManagedTensorVersioned *m = at_toDLPackVersioned(t);    for another library
 *     at_tensor *x = at_fromDLPackVersioned(m);                        from another library
 *
 * Memory of CUDA is handed over as it is: what is queued on it, on the stream that was current, has to be done or
 * waited for (at_cuda_stream_synchronize) before another library uses it on a stream of its own, and the other way
 * round.
 *
 * The structs are those of dlpack/dlpack.h; programs without it find them in ATenDLPackTypes.h. The
 * versioned functions are for libraries with DLPack 1, the others for those with older versions. */
#ifndef ATEN_DLPACK_H
#define ATEN_DLPACK_H

#include "ATenTensor.h"

struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* A description of t's memory, shape and strides; NULL after an error.  The memory lives until the
 * deleter of the result is called, by any thread.  From now on the memory cannot grow: operations
 * that would have to enlarge t are errors. */
AT_API struct DLManagedTensor *at_toDLPack(at_tensor *t) AT_MUST_USE;
AT_API struct DLManagedTensorVersioned *at_toDLPackVersioned(at_tensor *t) AT_MUST_USE;

/* A tensor on the memory that managed describes.  It takes over managed: the deleter is called when
 * no tensor uses the memory any more.  After an error managed still belongs to the caller.  Errors
 * are memory of a device that is not here, read-only memory (all tensors here are writable: let the producer
 * copy), unsupported element types, elements that are not aligned, negative strides, and a major
 * version other than 1. */
AT_API at_tensor *at_fromDLPack(struct DLManagedTensor *managed) AT_MUST_USE;
AT_API at_tensor *at_fromDLPackVersioned(struct DLManagedTensorVersioned *managed) AT_MUST_USE;

#endif

/* Storages: typed, counted, resizable blocks of memory, shared by the tensors that view them.
 *
 *     THFloatStorage *s = THFloatStorage_newWithSize(6);      count 1
 *     THFloatStorage_fill(s, 2.5f);
 *     THFloatStorage_retain(s);                               count 2
 *     THFloatStorage_free(s);                                 count 1
 *     THFloatStorage_free(s);                                 gone
 */
#ifndef TH_STORAGE_H
#define TH_STORAGE_H

#include "THAllocator.h"
#include "THGeneral.h"
#include "THHalf.h"
#include "THSize.h"
#include "THTypes.h"

#define THStorage        TH_CONCAT_3(TH, Real, Storage)
#define THStorage_(NAME) TH_CONCAT_4(TH, Real, Storage_, NAME)

/* The bits of a storage's flag. */
#define TH_STORAGE_REFCOUNTED 1 /* retain and free count */
#define TH_STORAGE_RESIZABLE  2 /* resize may change it */
#define TH_STORAGE_FREEMEM    4 /* its data is released with it */
#define TH_STORAGE_VIEW       8 /* its data belongs to the storage in view, which is released instead */

/* Element access without any check. */
#define TH_STORAGE_GET(storage, idx)        ((storage)->data[(idx)])
#define TH_STORAGE_SET(storage, idx, value) ((storage)->data[(idx)] = (value))

#define TH_GENERIC_FILE "generic/THStorage.h"
#include "THGenerateAllTypes.h"
#define TH_GENERIC_FILE "generic/THStorage.h"
#include "THGenerateHalfType.h"

#define TH_GENERIC_FILE "generic/THStorageCopy.h"
#include "THGenerateAllTypes.h"
#define TH_GENERIC_FILE "generic/THStorageCopy.h"
#include "THGenerateHalfType.h"

/* --- storages of int64_t as shapes ----------------------------------------------------------- */

/* "[2 x 3]"; a text that is too long ends in "...". */
TH_API THDescBuff THLongStorage_sizeDesc(const THLongStorage *size);

/* size with its one entry of -1 replaced so that the product is nElement: [-1, 2, 4] for 24 is [3,
 * 2, 4]. */
TH_API THLongStorage *THLongStorage_newInferSize(THLongStorage *size, ptrdiff_t nElement);

/* The shape that two (or n) shapes broadcast to, aligned at the last dimension: [2, 3, 4] and [2,
 * 2, 1, 4] give [2, 2, 3, 4].  Returns 0 and resizes output, or returns -1 with the reason in
 * error_buffer and output as it was. */
TH_API int THLongStorage_inferSize2(THLongStorage *output, int64_t *sizesA, int64_t dimsA,
                                    int64_t *sizesB, int64_t dimsB, char *error_buffer,
                                    int buffer_len);
TH_API int THLongStorage_inferSizeN(THLongStorage *output, int n, int64_t **sizes, int64_t *dims,
                                    char *error_buffer, int buffer_len);

/* The sizes and strides that make a tensor of tensorSizes and tensorStrides look like sizes:
 * dimensions of size 1, and new ones in front, are repeated with stride 0; a size of -1 keeps the
 * tensor's.  Returns 0 and two arrays of THAlloc, which the caller frees, or -1 with the reason in
 * error_buffer and nothing allocated. */
TH_API int THLongStorage_inferExpandGeometry(int64_t *tensorSizes, int64_t *tensorStrides,
                                             int64_t tensorDim, THLongStorage *sizes,
                                             int64_t **expandedSizes, int64_t **expandedStrides,
                                             char *error_buffer, int buffer_len);

#endif

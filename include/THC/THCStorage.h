/* Storages in device memory: see THStorage.h, whose functions these are.
 *
 * A storage belongs to the device that was current when its memory was allocated.  Functions that
 * touch memory may be called whatever device is current, and leave it as it is. */
#ifndef THC_STORAGE_H
#define THC_STORAGE_H

#include "THCGeneral.h"
#include "THCHalf.h"

#define THCStorage        TH_CONCAT_3(TH, CReal, Storage)
#define THCStorage_(NAME) TH_CONCAT_4(TH, CReal, Storage_, NAME)

/* Element access without any check: in kernels, or on the host where the memory is managed. */
#define THC_STORAGE_GET(storage, idx)        ((storage)->data[(idx)])
#define THC_STORAGE_SET(storage, idx, value) ((storage)->data[(idx)] = (value))

#define THC_GENERIC_FILE "generic/THCStorage.h"
#include "THCGenerateAllTypes.h"

#define THC_GENERIC_FILE "generic/THCStorageCopy.h"
#include "THCGenerateAllTypes.h"

#endif

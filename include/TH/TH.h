/* TH: tensors in C.  Includes everything of the library.
 *
 *     #include <TH/TH.h>
 *
 *     THFloatTensor *a = THFloatTensor_newWithSize2d(2, 3);
 *     THFloatTensor_fill(a, 1.5f);
 *     printf("%g\n", THFloatTensor_sumall(a));                    9
 *     THFloatTensor_free(a);
 *
 * Storage and tensor functions exist once per element type: THByteTensor_fill, THFloatTensor_fill
 * ...; the headers declare them as THTensor_(fill) with the element type called real. */
#ifndef TH_H
#define TH_H

#include <stdarg.h> /* which programs take from here, as they do time.h */
#include <time.h>

#include "THGeneral.h"

#include "THAllocator.h"
#include "THAtomic.h"
#include "THBlas.h"
#include "THDiskFile.h"
#include "THFile.h"
#include "THHalf.h"
#include "THLapack.h"
#include "THLogAdd.h"
#include "THMath.h"
#include "THMemory.h"
#include "THMemoryFile.h"
#include "THParallel.h"
#include "THRandom.h"
#include "THSize.h"
#include "THStorage.h"
#include "THTensor.h"
#include "THTensorApply.h"
#include "THTensorDimApply.h"
#include "THVector.h"

#endif

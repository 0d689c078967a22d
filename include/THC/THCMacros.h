/* The linkage of THC's declarations, and the toolkit's headers. */
#ifndef THC_MACROS_H
#define THC_MACROS_H

#include <cublas_v2.h>
#include <cuda.h>
#include <cuda_runtime_api.h>
#include <cusparse.h>

#include <TH/TH.h>

#define THC_EXTERNC TH_EXTERNC
#define THC_API     TH_API
#define THC_CLASS   __attribute__((visibility("default")))

#endif

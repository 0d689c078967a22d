/* The tables of kernels, by element type. */
#include "thc_kernels.h"

#define DECLARE_FROM(To, From) \
  void THCConvert_##To##_##From(const THCWalk *walk, const void *scalars, cudaStream_t stream);
#define DECLARE(To, unused1, unused2) \
  DECLARE_FROM(To, Byte)              \
  DECLARE_FROM(To, Char)              \
  DECLARE_FROM(To, Short)             \
  DECLARE_FROM(To, Int)               \
  DECLARE_FROM(To, Long)              \
  DECLARE_FROM(To, Float)             \
  DECLARE_FROM(To, Double)            \
  DECLARE_FROM(To, Half)              \
  void THCFill_##To(const THCWalk *walk, const void *scalars, cudaStream_t stream);
TH_FOR_EACH_TYPE(DECLARE)

#define ENTRY(To, From) [THScalar##From] = THCConvert_##To##_##From,
#define ROW(To, unused1, unused2)                                                   \
  [THScalar##To] = {ENTRY(To, Byte) ENTRY(To, Char) ENTRY(To, Short) ENTRY(To, Int) \
                        ENTRY(To, Long) ENTRY(To, Float) ENTRY(To, Double) ENTRY(To, Half)},
const THCKernel THC_converters[THScalarTypes][THScalarTypes] = {TH_FOR_EACH_TYPE(ROW)};

#define FILLER(To, unused1, unused2) [THScalar##To] = THCFill_##To,
const THCKernel THC_fillers[THScalarTypes] = {TH_FOR_EACH_TYPE(FILLER)};

/* The tables of kernels, by element type. */
#include "thc_kernels.h"

/* X(To, From) of each type From. */
#define FROM_EACH(X, To) \
  X(To, Byte) X(To, Char) X(To, Short) X(To, Int) X(To, Long) X(To, Float) X(To, Double) X(To, Half)

#define DECLARE(NAME)                    void NAME(const THCWalk *walk, const void *scalars, cudaStream_t stream);
#define DECLARE_FROM(To, From)           DECLARE(THCConvert_##To##_##From)
#define DECLARE_OF(To, unused1, unused2) FROM_EACH(DECLARE_FROM, To) DECLARE(THCFill_##To)
TH_FOR_EACH_TYPE(DECLARE_OF)

#define ENTRY(To, From)           [THScalar##From] = THCConvert_##To##_##From,
#define ROW(To, unused1, unused2) [THScalar##To] = {FROM_EACH(ENTRY, To)},
const THCKernel THC_converters[THScalarTypes][THScalarTypes] = {TH_FOR_EACH_TYPE(ROW)};

#define FILLER(To, unused1, unused2) [THScalar##To] = THCFill_##To,
const THCKernel THC_fillers[THScalarTypes] = {TH_FOR_EACH_TYPE(FILLER)};

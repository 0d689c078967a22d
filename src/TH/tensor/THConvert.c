/* The kernels that convert, by their types. */
#include "THConvert.h"

#include "TH/loop/THLevels.h"

THKernel THConvert_kernel(THScalarType result, THScalarType source)
{
  const THKernel *const tables[THScalarTypes] = {
#define TABLE(Real, real, accreal) [THScalar##Real] = TH_NOW(TH##Real##Tensor_convert),
      TH_FOR_EACH_TYPE(TABLE)};
  return tables[result][source];
}

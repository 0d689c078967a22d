/* The kernels that convert, by their types. */
#include "THConvert.h"

#include "THKernel.h"

THKernel THConvert_kernel(THScalarType result, THScalarType source)
{
  const THKernel *const tables[THScalarTypes] = {
#define TABLE(Real, real, accreal) [THScalar##Real] = TH_DISPATCHED(TH##Real##Tensor_convert),
      TH_FOR_EACH_TYPE(TABLE)};
  return tables[result][source];
}

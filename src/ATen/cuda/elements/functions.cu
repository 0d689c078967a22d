/* The functions of src/ops/functions.h on CUDA, of Float and of Double. */
#include <math.h>

#include "THC/pointwise/thc_math.h"

#include "THC/walk/thc_map.h"

typedef struct TH_CONCAT_2(Scalars, Real) {
  double a, b, c;
} TH_CONCAT_2(Scalars, Real);

#define AT_ELEMENT THC_DEVICE
#include "ATen/functions/specialElements.h"

#include "ATen/functions/functionElements.h"

#define NAME_OF(NAME)  TH_CONCAT_4(at_cuda_, Real, _, NAME)
#define MAP(NAME, ...) THC_MAP(NAME, __VA_ARGS__)

#define PARAMETERS_1 real x
#define PARAMETERS_2 real x, real y
#define PARAMETERS_3 real x, real y, real z
#define TYPES_1      real
#define TYPES_2      real, real
#define TYPES_3      real, real, real

/* clang-format off */
#define AT_FUNCTION(INPUTS, NAME, EXPRESSION)                                                                     \
  THC_DEVICE real TH_CONCAT_2(NAME_OF(NAME), _element)(const TH_CONCAT_2(Scalars, Real) * s, PARAMETERS_##INPUTS) \
  { TH_UNUSED const real a = (real)s->a, b = (real)s->b, c = (real)s->c; return (real)(EXPRESSION); }             \
  MAP(NAME_OF(NAME), real, TH_CONCAT_2(Scalars, Real), TYPES_##INPUTS)
/* clang-format on */
#include "ops/functions.h"

#define AT_FUNCTION(INPUTS, NAME, ...) NAME_OF(NAME),
extern "C" const THCKernel TH_CONCAT_2(at_cudaFunctionKernels, Real)[] = {
#include "ops/functions.h"
};

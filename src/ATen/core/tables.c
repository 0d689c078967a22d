/* The functions of the CPU's types, a table for each function: those of types that it does not exist for are NULL. */
#include "ATenTypes.h"

#include "ops/each_type.h"

#define ALL      TH_EACH_ALL
#define BUT_HALF TH_EACH_BUT_HALF
#define SIGNED   TH_EACH_SIGNED
#define INTEGER  TH_EACH_INTEGER
#define FLOAT    TH_EACH_FLOAT
#define BYTE     TH_EACH_BYTE

#define COUNT(Real, ...) +1
_Static_assert(TH_EACH_ALL(COUNT) + 1 == THScalarTypes, "ops/each_type.h has all types but Half");

#define DECLARE(Real, RETURNS, NAME, PARAMETERS) RETURNS at_call_##NAME##_##Real PARAMETERS;
#define ENTRY(Real, NAME)                        [THScalar##Real] = at_call_##NAME##_##Real,
#define CALL(TYPES, RETURNS, NAME, PARAMETERS, ...) \
  TYPES(DECLARE, RETURNS, NAME, PARAMETERS)         \
  RETURNS(*const at_host_##NAME[THScalarTypes]) PARAMETERS = {TYPES(ENTRY, NAME)};
#include "ATenCalls.h"

#define DECLARE_ROW(Real, NAME) \
  void at_row_##NAME##_##Real(void *r, void *x, void *y, void *z, at_scalar a, at_scalar b);
#define ROW_ENTRY(Real, NAME) [THScalar##Real] = at_row_##NAME##_##Real,
#define TABLE(TYPES, NAME, COMPARES)      \
  TYPES(DECLARE_ROW, NAME)                \
  const at_row_table AT_ROW_##NAME[1] = { \
      {TH_POINTWISE_##NAME, &THPointwise_kernels_##NAME, COMPARES, {TYPES(ROW_ENTRY, NAME)}}};
#define ROW(TYPES, COST, NAME, ...)            TABLE(TYPES, NAME, false)
#define COMPARE_VALUE(TYPES, COST, NAME, ...)  TABLE(TYPES, NAME, true)
#define COMPARE_TENSOR(TYPES, COST, NAME, ...) TABLE(TYPES, NAME, true)
#include "ops/pointwise.h"

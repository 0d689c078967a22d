/* Public functions around TH's templates that compute on the device, made from rows
 *
 *     ROW(result, name, (parameters), (arguments), (number of tensors, tensors))
 *
 * The current device must have access to the tensors. */
#define THC_WITH_STATE(...) (THCState * state, __VA_ARGS__)
#define THC_CHECK_TENSORS(...)                                  \
  do {                                                          \
    THCAssertSameGPU(THCTensor_(checkGPU)(state, __VA_ARGS__)); \
    THC_function = __func__;                                    \
  } while (0)

#define THC_DECLARE_TEMPLATE(RESULT, NAME, PARAMETERS, ARGUMENTS, TENSORS) \
  RESULT THTensor_(NAME) PARAMETERS;

/* clang-format off */
#define THC_DEFINE_CALL(RESULT, NAME, PARAMETERS, ARGUMENTS, TENSORS)                \
  RESULT THCTensor_(NAME) THC_WITH_STATE PARAMETERS                                  \
  { THC_enter(state); THC_CHECK_TENSORS TENSORS; return THTensor_(NAME) ARGUMENTS; }
/* clang-format on */

/* A dimension as TH's templates take it.  A number outside of int becomes an invalid dimension. */
static inline int THC_dim(THCDim dim)
{
  return dim < 0 || dim > INT32_MAX ? -1 : (int)dim;
}

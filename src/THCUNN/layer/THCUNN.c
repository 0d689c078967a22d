/* Functions that THCUNN's templates share. */
#include "THCUNNDevice.h"

#include "thcunn_kernels.h"

_Thread_local THCState *THCUNN_using;
_Thread_local const char *THCUNN_function;

void THCUNN_enter(THCState *state, const char *function)
{
  THCState_getNumDevices(state); /* an error where it is NULL */
  THCUNN_using = state;
  THCUNN_function = function;
}

void THCUNN_release(void *memory)
{
  THCudaFree(THCUNN_using, memory);
}

void *THCUNN_take(ptrdiff_t bytes)
{
  void *memory = NULL;
  THCudaCheck(THCudaMalloc(THCUNN_using, &memory, (size_t)bytes));
  return memory;
}

void *THCUNN_allocate(THGuard *guard, ptrdiff_t bytes)
{
  THGuard_enter(guard, THCUNN_release);
  return guard->what = THCUNN_take(bytes);
}

int THCUNN_findOther(const int64_t *values, int64_t count, int64_t base, int64_t limit,
                     int64_t allowed, int arg, int64_t *at, int64_t *value)
{
  THCCheck check;
  THCFault fault;
  if (count == 0 ||
      !THCCheck_open(&check, THCUNN_using, THCUNN_function, arg, base, base + limit - 1))
    return 0;
  THCUNN_findOutside(values, count, allowed, &check.report, THCUNN_STREAM);
  THCCheck_close(&check, &fault);
  *at = fault.at;
  *value = fault.value;
  return fault.found;
}

/* The functions that g++ calls in code compiled with -fsanitize=thread.  They replace
 * ThreadSanitizer's functions, which are not linked. */
#include "race.h"

#define HOOK(NAME, PARAMETERS) \
  void NAME PARAMETERS;        \
  void NAME PARAMETERS

#define CALLER __builtin_return_address(0)

/* Records accesses of a kernel's code only; launchers are instrumented too. */
static void kernel_touch(const volatile void *address, size_t size, CusimAccess access,
                         const void *where)
{
  if (cusim_kernel)
    cusim_touch(address, size, access, where);
}

HOOK(__tsan_init, (void))
{
  cusim_racing = true;
}

HOOK(__tsan_func_entry, (void *caller))
{
  (void)caller;
}

HOOK(__tsan_func_exit, (void))
{
}

#define TOUCH(NAME, SIZE, ACCESS)                \
  HOOK(NAME, (void *address))                    \
  {                                              \
    kernel_touch(address, SIZE, ACCESS, CALLER); \
  }

/* An access to volatile memory is meant to race. */
#define SIZE(N)                                             \
  TOUCH(__tsan_read##N, N, CUSIM_READ)                      \
  TOUCH(__tsan_write##N, N, CUSIM_WRITE)                    \
  TOUCH(__tsan_unaligned_read##N, N, CUSIM_READ)            \
  TOUCH(__tsan_unaligned_write##N, N, CUSIM_WRITE)          \
  TOUCH(__tsan_volatile_read##N, N, CUSIM_ATOMIC)           \
  TOUCH(__tsan_volatile_write##N, N, CUSIM_ATOMIC)          \
  TOUCH(__tsan_unaligned_volatile_read##N, N, CUSIM_ATOMIC) \
  TOUCH(__tsan_unaligned_volatile_write##N, N, CUSIM_ATOMIC)
SIZE(1)
SIZE(2)
SIZE(4)
SIZE(8)
SIZE(16)

HOOK(__tsan_read_range, (void *address, size_t size))
{
  kernel_touch(address, size, CUSIM_READ, CALLER);
}

HOOK(__tsan_write_range, (void *address, size_t size))
{
  kernel_touch(address, size, CUSIM_WRITE, CALLER);
}

HOOK(__tsan_vptr_update, (void **address, void *value))
{
  (void)address, (void)value;
}

HOOK(__tsan_vptr_read, (void **address))
{
  (void)address;
}

/* The hook of the functions in cusim_atomic.h. */
HOOK(cusim_race_atomic, (const volatile void *address, size_t size))
{
  kernel_touch(address, size, CUSIM_ATOMIC, CALLER);
}

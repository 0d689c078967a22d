/* Atomic integers, on the compiler's builtins: the same four operations for three types. */
#include "THAtomic.h"

_Static_assert(__atomic_always_lock_free(sizeof(int32_t), 0) &&
                   __atomic_always_lock_free(sizeof(int64_t), 0) &&
                   __atomic_always_lock_free(sizeof(ptrdiff_t), 0),
               "atomic integers need a lock on this system");

/* --- int32_t ---------------------------------------------------------------------------------- */

void THAtomicSet(int32_t volatile *a, int32_t newvalue)
{
  __atomic_store_n(a, newvalue, __ATOMIC_SEQ_CST);
}

int32_t THAtomicGet(int32_t volatile *a)
{
  return __atomic_load_n(a, __ATOMIC_SEQ_CST);
}

int32_t THAtomicAdd(int32_t volatile *a, int32_t value)
{
  return __atomic_fetch_add(a, value, __ATOMIC_SEQ_CST);
}

int32_t THAtomicCompareAndSwap(int32_t volatile *a, int32_t oldvalue, int32_t newvalue)
{
  return __atomic_compare_exchange_n(a, &oldvalue, newvalue, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* --- int64_t ---------------------------------------------------------------------------------- */

void THAtomicSetLong(int64_t volatile *a, int64_t newvalue)
{
  __atomic_store_n(a, newvalue, __ATOMIC_SEQ_CST);
}

int64_t THAtomicGetLong(int64_t volatile *a)
{
  return __atomic_load_n(a, __ATOMIC_SEQ_CST);
}

int64_t THAtomicAddLong(int64_t volatile *a, int64_t value)
{
  return __atomic_fetch_add(a, value, __ATOMIC_SEQ_CST);
}

int64_t THAtomicCompareAndSwapLong(int64_t volatile *a, int64_t oldvalue, int64_t newvalue)
{
  return __atomic_compare_exchange_n(a, &oldvalue, newvalue, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* --- ptrdiff_t -------------------------------------------------------------------------------- */

void THAtomicSetPtrdiff(ptrdiff_t volatile *a, ptrdiff_t newvalue)
{
  __atomic_store_n(a, newvalue, __ATOMIC_SEQ_CST);
}

ptrdiff_t THAtomicGetPtrdiff(ptrdiff_t volatile *a)
{
  return __atomic_load_n(a, __ATOMIC_SEQ_CST);
}

ptrdiff_t THAtomicAddPtrdiff(ptrdiff_t volatile *a, ptrdiff_t value)
{
  return __atomic_fetch_add(a, value, __ATOMIC_SEQ_CST);
}

ptrdiff_t THAtomicCompareAndSwapPtrdiff(ptrdiff_t volatile *a, ptrdiff_t oldvalue,
                                        ptrdiff_t newvalue)
{
  return __atomic_compare_exchange_n(a, &oldvalue, newvalue, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* --- counts of references --------------------------------------------------------------------- */

void THAtomicIncrementRef(int32_t volatile *a)
{
  THAtomicAdd(a, 1);
}

int32_t THAtomicDecrementRef(int32_t volatile *a)
{
  return THAtomicAdd(a, -1) == 1;
}

/* Atomic integers, on the compiler's builtins: the same four operations for three types. */
#include "THAtomic.h"

#define TH_ATOMIC(SUFFIX, TYPE)                                                       \
  void THAtomicSet##SUFFIX(TYPE volatile *a, TYPE newvalue)                           \
  {                                                                                   \
    __atomic_store_n(a, newvalue, __ATOMIC_SEQ_CST);                                  \
  }                                                                                   \
                                                                                      \
  TYPE THAtomicGet##SUFFIX(TYPE volatile *a)                                          \
  {                                                                                   \
    return __atomic_load_n(a, __ATOMIC_SEQ_CST);                                      \
  }                                                                                   \
                                                                                      \
  TYPE THAtomicAdd##SUFFIX(TYPE volatile *a, TYPE value)                              \
  {                                                                                   \
    return __atomic_fetch_add(a, value, __ATOMIC_SEQ_CST);                            \
  }                                                                                   \
                                                                                      \
  TYPE THAtomicCompareAndSwap##SUFFIX(TYPE volatile *a, TYPE oldvalue, TYPE newvalue) \
  {                                                                                   \
    return __atomic_compare_exchange_n(a, &oldvalue, newvalue, 0, __ATOMIC_SEQ_CST,   \
                                       __ATOMIC_SEQ_CST);                             \
  }                                                                                   \
                                                                                      \
  _Static_assert(__atomic_always_lock_free(sizeof(TYPE), 0), #TYPE " needs a lock on this system")

TH_ATOMIC(, int32_t);
TH_ATOMIC(Long, int64_t);
TH_ATOMIC(Ptrdiff, ptrdiff_t);

void THAtomicIncrementRef(int32_t volatile *a)
{
  THAtomicAdd(a, 1);
}

int32_t THAtomicDecrementRef(int32_t volatile *a)
{
  return THAtomicAdd(a, -1) == 1;
}

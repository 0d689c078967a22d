/* Atomic integers, on the compiler's builtins: the same four operations for three types. */
#include "THAtomic.h"

#define TYPES(X) X(, int32_t) X(Long, int64_t) X(Ptrdiff, ptrdiff_t)

#define LOCK_FREE(SUFFIX, TYPE)                                    \
  _Static_assert(__atomic_always_lock_free(sizeof(TYPE), 0), #TYPE \
                 " needs a lock on this "                          \
                 "system");
TYPES(LOCK_FREE)

#define SET(SUFFIX, TYPE)                                   \
  void THAtomicSet##SUFFIX(TYPE volatile *a, TYPE newvalue) \
  {                                                         \
    __atomic_store_n(a, newvalue, __ATOMIC_SEQ_CST);        \
  }
TYPES(SET)

#define GET(SUFFIX, TYPE)                        \
  TYPE THAtomicGet##SUFFIX(TYPE volatile *a)     \
  {                                              \
    return __atomic_load_n(a, __ATOMIC_SEQ_CST); \
  }
TYPES(GET)

#define ADD(SUFFIX, TYPE)                                  \
  TYPE THAtomicAdd##SUFFIX(TYPE volatile *a, TYPE value)   \
  {                                                        \
    return __atomic_fetch_add(a, value, __ATOMIC_SEQ_CST); \
  }
TYPES(ADD)

#define COMPARE_AND_SWAP(SUFFIX, TYPE)                                                \
  TYPE THAtomicCompareAndSwap##SUFFIX(TYPE volatile *a, TYPE oldvalue, TYPE newvalue) \
  {                                                                                   \
    return __atomic_compare_exchange_n(a, &oldvalue, newvalue, 0, __ATOMIC_SEQ_CST,   \
                                       __ATOMIC_SEQ_CST);                             \
  }
TYPES(COMPARE_AND_SWAP)
void THAtomicIncrementRef(int32_t volatile *a)
{
  THAtomicAdd(a, 1);
}

int32_t THAtomicDecrementRef(int32_t volatile *a)
{
  return THAtomicAdd(a, -1) == 1;
}

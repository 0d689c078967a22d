/* Atomic integers: counts that several threads, or processes sharing memory, change.
 *
 *     static int32_t volatile owners = 1;
 *     THAtomicIncrementRef(&owners);
 *     if (THAtomicDecrementRef(&owners))
 *       free(it);
 *
 * Every operation is indivisible and sequentially consistent.  a must not be NULL. */
#ifndef TH_ATOMIC_H
#define TH_ATOMIC_H

#include "THGeneral.h"

/* Defined because no operation takes a lock: counts may live in memory that processes share. */
#define TH_ATOMIC_IPC_REFCOUNT 1

/* --- int32_t ------------------------------------------------------------------------------ */

/* *a = newvalue */
TH_API void THAtomicSet(int32_t volatile *a, int32_t newvalue);

/* The value of *a. */
TH_API int32_t THAtomicGet(int32_t volatile *a);

/* *a += value, wrapping around at the ends of the range; returns what *a was before. */
TH_API int32_t THAtomicAdd(int32_t volatile *a, int32_t value);

/* If *a is oldvalue, *a = newvalue and the result is 1; otherwise nothing changes and it is 0. */
TH_API int32_t THAtomicCompareAndSwap(int32_t volatile *a, int32_t oldvalue, int32_t newvalue);

/* One reference more. */
TH_API void THAtomicIncrementRef(int32_t volatile *a);

/* One reference less; returns 1 when that was the last one, which leaves *a at 0, and 0 otherwise.
 */
TH_API int32_t THAtomicDecrementRef(int32_t volatile *a);

/* --- int64_t: as above -------------------------------------------------------------------- */

TH_API void THAtomicSetLong(int64_t volatile *a, int64_t newvalue);
TH_API int64_t THAtomicGetLong(int64_t volatile *a);
TH_API int64_t THAtomicAddLong(int64_t volatile *a, int64_t value);
TH_API int64_t THAtomicCompareAndSwapLong(int64_t volatile *a, int64_t oldvalue, int64_t newvalue);

/* --- ptrdiff_t: as above ------------------------------------------------------------------ */

TH_API void THAtomicSetPtrdiff(ptrdiff_t volatile *a, ptrdiff_t newvalue);
TH_API ptrdiff_t THAtomicGetPtrdiff(ptrdiff_t volatile *a);
TH_API ptrdiff_t THAtomicAddPtrdiff(ptrdiff_t volatile *a, ptrdiff_t value);
TH_API ptrdiff_t THAtomicCompareAndSwapPtrdiff(ptrdiff_t volatile *a, ptrdiff_t oldvalue,
                                               ptrdiff_t newvalue);

#endif

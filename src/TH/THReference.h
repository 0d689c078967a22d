/* Counts of references, which several threads change. */
#ifndef TH_REFERENCE_H
#define TH_REFERENCE_H

/* One reference more, by somebody who has one. */
static inline void THReference_add(int *count)
{
  __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
}

/* One reference less; whether it was the last.  Of a count of 1 the caller has the only reference,
 * and nobody can take another meanwhile: nothing is locked.  The last one leaves 0 behind, in
 * memory that is freed too: there are programs that free a tensor once too often, and live by that.
 */
static inline int THReference_drop(int *count)
{
  if (__atomic_load_n(count, __ATOMIC_ACQUIRE) != 1)
    return __atomic_sub_fetch(count, 1, __ATOMIC_ACQ_REL) == 0;
  __atomic_store_n(count, 0, __ATOMIC_RELAXED);
  return 1;
}

#endif

/* Counts of references, which several threads change. */
#ifndef TH_REFERENCE_H
#define TH_REFERENCE_H

/* Adds a reference; the caller has one already. */
static inline void THReference_add(int *count)
{
  __atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
}

/* Whether the caller has the only reference. */
static inline int THReference_isOnly(const int *count)
{
  return __atomic_load_n(count, __ATOMIC_ACQUIRE) == 1;
}

/* Drops a reference; returns whether it was the last.  If the count is 1, the caller has the only
 * reference and nobody can take another: no atomic operation is needed.  The last drop sets 0,
 * although the memory is freed: some programs free a tensor twice and rely on that. */
static inline int THReference_drop(int *count)
{
  if (!THReference_isOnly(count))
    return __atomic_sub_fetch(count, 1, __ATOMIC_ACQ_REL) == 0;
  __atomic_store_n(count, 0, __ATOMIC_RELAXED);
  return 1;
}

#endif

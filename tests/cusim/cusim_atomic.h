/* Atomic functions, for exactly the types for which nvcc has them.  The simulator runs one thread
 * at a time, so that plain code is atomic; the race hooks learn that the access was atomic. */
#ifndef CUSIM_ATOMIC_H
#define CUSIM_ATOMIC_H

#ifdef __SANITIZE_THREAD__
extern "C" void cusim_race_atomic(const volatile void *address, size_t size);
#else
static inline void cusim_race_atomic(const volatile void *, size_t)
{
}
#endif

/* NAME(address, value) leaves NEXT, made of old and value, at the address and returns old. */
#define CUSIM_ATOMIC_OF(NAME, T, NEXT)                                                        \
  __attribute__((no_sanitize("thread"), noinline, unused)) static T NAME(T *address, T value) \
  {                                                                                           \
    cusim_race_atomic(address, sizeof *address);                                              \
    const T old = *address;                                                                   \
    *address = NEXT;                                                                          \
    return old;                                                                               \
  }

#define CUSIM_ATOMIC_SAME(NAME, CALLED, T)                          \
  __attribute__((unused)) static inline T NAME(T *address, T value) \
  {                                                                 \
    return CALLED(address, value);                                  \
  }

#define CUSIM_ATOMIC(NAME, T, NEXT)        \
  CUSIM_ATOMIC_OF(NAME, T, NEXT)           \
  CUSIM_ATOMIC_SAME(NAME##_block, NAME, T) \
  CUSIM_ATOMIC_SAME(NAME##_system, NAME, T)
CUSIM_ATOMIC(atomicAdd, int, (int)((unsigned)old + (unsigned)value))
CUSIM_ATOMIC(atomicAdd, unsigned, old + value)
CUSIM_ATOMIC(atomicAdd, unsigned long long, old + value)
CUSIM_ATOMIC(atomicAdd, float, old + value)
CUSIM_ATOMIC(atomicAdd, double, old + value)
CUSIM_ATOMIC(atomicAdd, __half, __float2half(__half2float(old) + __half2float(value)))
CUSIM_ATOMIC(atomicSub, int, (int)((unsigned)old - (unsigned)value))
CUSIM_ATOMIC(atomicSub, unsigned, old - value)
CUSIM_ATOMIC(atomicExch, int, value)
CUSIM_ATOMIC(atomicExch, unsigned, value)
CUSIM_ATOMIC(atomicExch, unsigned long long, value)
CUSIM_ATOMIC(atomicExch, float, value)
CUSIM_ATOMIC(atomicInc, unsigned, old >= value ? 0 : old + 1)
CUSIM_ATOMIC(atomicDec, unsigned, old == 0 || old > value ? value : old - 1)

#define CUSIM_ATOMIC_ORDER(T)                           \
  CUSIM_ATOMIC(atomicMin, T, value < old ? value : old) \
  CUSIM_ATOMIC(atomicMax, T, value > old ? value : old)
CUSIM_ATOMIC_ORDER(int)
CUSIM_ATOMIC_ORDER(unsigned)
CUSIM_ATOMIC_ORDER(long long)
CUSIM_ATOMIC_ORDER(unsigned long long)

#define CUSIM_ATOMIC_BITS(T)             \
  CUSIM_ATOMIC(atomicAnd, T, old &value) \
  CUSIM_ATOMIC(atomicOr, T, old | value) \
  CUSIM_ATOMIC(atomicXor, T, old ^ value)
CUSIM_ATOMIC_BITS(int)
CUSIM_ATOMIC_BITS(unsigned)
CUSIM_ATOMIC_BITS(unsigned long long)

#define CUSIM_ATOMIC_CAS(T)                                                                        \
  __attribute__((no_sanitize("thread"), noinline, unused)) static T atomicCAS(T *address,          \
                                                                              T expected, T value) \
  {                                                                                                \
    cusim_race_atomic(address, sizeof *address);                                                   \
    const T old = *address;                                                                        \
    if (old == expected)                                                                           \
      *address = value;                                                                            \
    return old;                                                                                    \
  }
CUSIM_ATOMIC_CAS(int)
CUSIM_ATOMIC_CAS(unsigned)
CUSIM_ATOMIC_CAS(unsigned long long)
CUSIM_ATOMIC_CAS(unsigned short)

/* nvcc has no atomicCAS for a byte: there thc_cuda.h defines one. */
CUSIM_ATOMIC_CAS(unsigned char)

#endif

/* Functions in which threads wait for each other: barriers and warp operations. */
#ifndef CUSIM_WARP_H
#define CUSIM_WARP_H

#define CUSIM_WHERE    const char *file = __builtin_FILE(), int line = __builtin_LINE()
#define CUSIM_AT(name) const CusimLocation location = {name, file, line}

static inline void __syncthreads(CUSIM_WHERE)
{
  CUSIM_AT("__syncthreads");
  cusim_barrier(CUSIM_BARRIER, 0, &location);
}

static inline int __syncthreads_count(int predicate, CUSIM_WHERE)
{
  CUSIM_AT("__syncthreads_count");
  return cusim_barrier(CUSIM_BARRIER_COUNT, predicate, &location);
}

static inline int __syncthreads_and(int predicate, CUSIM_WHERE)
{
  CUSIM_AT("__syncthreads_and");
  return cusim_barrier(CUSIM_BARRIER_AND, predicate, &location);
}

static inline int __syncthreads_or(int predicate, CUSIM_WHERE)
{
  CUSIM_AT("__syncthreads_or");
  return cusim_barrier(CUSIM_BARRIER_OR, predicate, &location);
}

static inline void __syncwarp(unsigned mask = 0xFFFFFFFFu, CUSIM_WHERE)
{
  CUSIM_AT("__syncwarp");
  cusim_warp(CUSIM_SYNC, mask, 0, 0, &location);
}

static inline unsigned __activemask(void)
{
  return cusim_activemask();
}

static inline unsigned __ballot_sync(unsigned mask, int predicate, CUSIM_WHERE)
{
  CUSIM_AT("__ballot_sync");
  return (unsigned)cusim_warp(CUSIM_BALLOT, mask, predicate != 0, 0, &location);
}

static inline int __all_sync(unsigned mask, int predicate, CUSIM_WHERE)
{
  CUSIM_AT("__all_sync");
  return (int)cusim_warp(CUSIM_ALL, mask, predicate != 0, 0, &location);
}

static inline int __any_sync(unsigned mask, int predicate, CUSIM_WHERE)
{
  CUSIM_AT("__any_sync");
  return (int)cusim_warp(CUSIM_ANY, mask, predicate != 0, 0, &location);
}

/* Lanes exchange values as 64 bits. */
template <class T>
static inline uint64_t cusim_bits(T value)
{
  static_assert(sizeof(T) <= 8 && std::is_trivially_destructible<T>::value,
                "at most 8 plain bytes");
  uint64_t bits = 0;
  memcpy(&bits, (const void *)&value, sizeof value);
  return bits;
}

template <class T>
static inline T cusim_value(uint64_t bits)
{
  T value;
  memcpy((void *)&value, &bits, sizeof value);
  return value;
}

/* The types that nvcc has these functions for. */
#define CUSIM_SHFL_TYPES(X) \
  X(int)                    \
  X(unsigned)               \
  X(long)                   \
  X(unsigned long)          \
  X(long long)              \
  X(unsigned long long)     \
  X(float)                  \
  X(double)                 \
  X(__half)                 \
  X(__half2)

/* The value of lane from. */
template <class T>
static inline T cusim_shfl(unsigned mask, T value, int from, const CusimLocation &location)
{
  return cusim_value<T>(cusim_warp(CUSIM_SHFL, mask, cusim_bits(value), from, &location));
}

/* The warp is split into sections of width lanes; lanes of other sections are not read. */
#define CUSIM_DEFINE_SHFL(T)                                                                   \
  static inline T __shfl_sync(unsigned mask, T value, int source, int width = 32, CUSIM_WHERE) \
  {                                                                                            \
    CUSIM_AT("__shfl_sync");                                                                   \
    const int first = cusim_lane() & ~(width - 1);                                             \
    return cusim_shfl(mask, value, first + (source & (width - 1)), location);                  \
  }
CUSIM_SHFL_TYPES(CUSIM_DEFINE_SHFL)

#define CUSIM_DEFINE_SHFL_UP(T)                                                           \
  static inline T __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32,  \
                                 CUSIM_WHERE)                                             \
  {                                                                                       \
    CUSIM_AT("__shfl_up_sync");                                                           \
    const int lane = cusim_lane(), first = lane & ~(width - 1), from = lane - (int)delta; \
    return cusim_shfl(mask, value, from < first ? lane : from, location);                 \
  }
CUSIM_SHFL_TYPES(CUSIM_DEFINE_SHFL_UP)

#define CUSIM_DEFINE_SHFL_DOWN(T)                                                            \
  static inline T __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32,   \
                                   CUSIM_WHERE)                                              \
  {                                                                                          \
    CUSIM_AT("__shfl_down_sync");                                                            \
    const int lane = cusim_lane(), end = (lane | (width - 1)) + 1, from = lane + (int)delta; \
    return cusim_shfl(mask, value, from >= end ? lane : from, location);                     \
  }
CUSIM_SHFL_TYPES(CUSIM_DEFINE_SHFL_DOWN)

#define CUSIM_DEFINE_SHFL_XOR(T)                                                                 \
  static inline T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32, CUSIM_WHERE) \
  {                                                                                              \
    CUSIM_AT("__shfl_xor_sync");                                                                 \
    const int lane = cusim_lane(), end = (lane | (width - 1)) + 1, from = lane ^ bits;           \
    return cusim_shfl(mask, value, from >= end ? lane : from, location);                         \
  }
CUSIM_SHFL_TYPES(CUSIM_DEFINE_SHFL_XOR)
template <class T>
static inline unsigned __match_any_sync(unsigned mask, T value, CUSIM_WHERE)
{
  CUSIM_AT("__match_any_sync");
  return (unsigned)cusim_warp(CUSIM_MATCH_ANY, mask, cusim_bits(value), 0, &location);
}

template <class T>
static inline unsigned __match_all_sync(unsigned mask, T value, int *same, CUSIM_WHERE)
{
  CUSIM_AT("__match_all_sync");
  const unsigned all = (unsigned)cusim_warp(CUSIM_MATCH_ALL, mask, cusim_bits(value), 0, &location);
  *same = all != 0;
  return all;
}

#define CUSIM_DEFINE_REDUCE(NAME, T, OP)                             \
  static inline T NAME(unsigned mask, T value, CUSIM_WHERE)          \
  {                                                                  \
    CUSIM_AT(#NAME);                                                 \
    return (T)cusim_warp(OP, mask, cusim_bits(value), 0, &location); \
  }
CUSIM_DEFINE_REDUCE(__reduce_add_sync, int, CUSIM_REDUCE_ADD)
CUSIM_DEFINE_REDUCE(__reduce_add_sync, unsigned, CUSIM_REDUCE_ADD)
CUSIM_DEFINE_REDUCE(__reduce_min_sync, int, CUSIM_REDUCE_MIN_S)
CUSIM_DEFINE_REDUCE(__reduce_min_sync, unsigned, CUSIM_REDUCE_MIN_U)
CUSIM_DEFINE_REDUCE(__reduce_max_sync, int, CUSIM_REDUCE_MAX_S)
CUSIM_DEFINE_REDUCE(__reduce_max_sync, unsigned, CUSIM_REDUCE_MAX_U)
CUSIM_DEFINE_REDUCE(__reduce_and_sync, unsigned, CUSIM_REDUCE_AND)
CUSIM_DEFINE_REDUCE(__reduce_or_sync, unsigned, CUSIM_REDUCE_OR)
CUSIM_DEFINE_REDUCE(__reduce_xor_sync, unsigned, CUSIM_REDUCE_XOR)

/* Memory is always in order here. */
static inline void __threadfence(void)
{
}

static inline void __threadfence_block(void)
{
}

static inline void __threadfence_system(void)
{
}

#endif

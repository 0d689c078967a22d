/* Masks of the lanes of an AVX-512 vector. */
#include <stddef.h>
#include <stdint.h>

/* The lanes begin ... end - 1. */
static inline uint16_t lanes_between(ptrdiff_t begin, ptrdiff_t end)
{
  enum { ALL = 64 / sizeof(real) };
  const ptrdiff_t from = THMax(0, THMin(begin, ALL)), to = THMax(from, THMin(end, ALL));
  return (uint16_t)((1u << to) - (1u << from));
}

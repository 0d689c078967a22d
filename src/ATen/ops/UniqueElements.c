/* The elements of one type, as unique.c sees them. */
#include <math.h>

#include "unique.h"

#include "THTemplate.h"

static int64_t groups(void *to, int64_t *first, const void *from, int64_t n)
{
  const real *x = from;
  real *r = to, last = 0;
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++) {
    const real one = x[i];
    r[count] = one;
    if (first)
      first[count] = i;
    count += i == 0 || !(one == last);
    last = one;
  }
  return count;
}

static void mark(uint8_t *marks, const void *from, int64_t n, int64_t least)
{
  const real *x = from;
  for (int64_t i = 0; i < n; i++)
    marks[(uint64_t)(int64_t)x[i] - (uint64_t)least] = 1;
}

static void tally(int64_t *counts, const void *from, int64_t n, int64_t least)
{
  const real *x = from;
  for (int64_t i = 0; i < n; i++)
    counts[(uint64_t)(int64_t)x[i] - (uint64_t)least]++;
}

static void look(int64_t *numbers, const void *from, int64_t n, int64_t least, const int64_t *table)
{
  const real *x = from;
  for (int64_t i = 0; i < n; i++)
    numbers[i] = table[(uint64_t)(int64_t)x[i] - (uint64_t)least];
}

static void put(void *r, int64_t index, int64_t value)
{
  ((real *)r)[index] = (real)value;
}

static inline int is_nan(real x)
{
  return isnan((double)x);
}

static int compare(const void *first, const void *second, int64_t n)
{
  const real *a = first, *b = second;
  for (int64_t i = 0; i < n; i++) {
    if (a[i] == b[i])
      continue;
    const int below = a[i] < b[i] || (!is_nan(a[i]) && is_nan(b[i]));
    const int above = a[i] > b[i] || (is_nan(a[i]) && !is_nan(b[i]));
    if (below || above)
      return above - below;
  }
  return 0;
}

static bool same(const void *first, const void *second, int64_t n)
{
  const real *a = first, *b = second;
  int64_t i = 0;
  while (i < n && a[i] == b[i])
    i++;
  return i == n;
}

const at_unique_elements TH_CONCAT_2(at_uniqueElements_, Real) = {groups, mark,    tally, look,
                                                                  put,    compare, same};

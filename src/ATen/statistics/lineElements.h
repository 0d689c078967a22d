/* What searches, quantiles and distances compute of one line of Double or Long: on the CPU, and in
 * kernels, which define AT_LINE. */
#ifndef ATEN_LINE_ELEMENTS_H
#define ATEN_LINE_ELEMENTS_H

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef AT_LINE
#define AT_LINE static inline
#endif

/* --- sorted sequences ------------------------------------------------------------------------- */

/* A sequence of n elements, in the order of the sorter if there is one. */
typedef struct at_sequence {
  const void *data;
  const int64_t *order; /* or NULL; kernels do not follow an index out of range */
  int64_t n;
  bool floats;
} at_sequence;

/* Whether element i of the sequence stands before the element at value: it is smaller,
 * or with right not larger, or one of them is NaN. */
AT_LINE bool at_isBefore(const at_sequence *s, int64_t i, const void *value, bool right)
{
  const int64_t at = s->order ? s->order[i] : i;
  if (at < 0 || at >= s->n)
    return false;
  if (!s->floats) {
    const int64_t a = ((const int64_t *)s->data)[at], b = *(const int64_t *)value;
    return right ? a <= b : a < b;
  }
  const double a = ((const double *)s->data)[at], b = *(const double *)value;
  return right ? !(a > b) : !(a >= b); /* NaN stands before all */
}

/* How many elements stand before the element at value. */
AT_LINE int64_t at_placeIn(const at_sequence *s, const void *value, bool right)
{
  int64_t first = 0, end = s->n;
  while (first < end) {
    const int64_t middle = first + (end - first) / 2;
    if (at_isBefore(s, middle, value, right))
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

/* How many of n sorted numbers there are in front of the NaN, which are sorted behind. */
AT_LINE int64_t at_numbersIn(const double *line, int64_t n)
{
  int64_t first = 0;
  while (first < n) {
    const int64_t middle = first + (n - first) / 2;
    if (line[middle] == line[middle])
      first = middle + 1;
    else
      n = middle;
  }
  return n;
}

/* Whether the sequence, which has no sorter, has the element at value.  NaN equals nothing. */
AT_LINE bool at_isIn(const at_sequence *sequence, const void *value)
{
  at_sequence s = *sequence;
  if (s.floats)
    s.n = at_numbersIn((const double *)s.data, s.n);
  const int64_t at = at_placeIn(&s, value, false);
  return at < s.n && (s.floats ? ((const double *)s.data)[at] == *(const double *)value
                               : ((const int64_t *)s.data)[at] == *(const int64_t *)value);
}

/* --- quantiles -------------------------------------------------------------------------------- */

typedef enum at_quantile_kind {
  AT_QUANTILE_LINEAR,
  AT_QUANTILE_LOWER,
  AT_QUANTILE_HIGHER,
  AT_QUANTILE_NEAREST,
  AT_QUANTILE_MIDPOINT,
  AT_QUANTILE_KINDS
} at_quantile_kind;

/* The quantile of a sorted line of n numbers, of which the last may be NaN. */
AT_LINE double at_quantileIn(const double *line, int64_t n, double q, at_quantile_kind how,
                             bool ignoresNaN)
{
  const int64_t count = at_numbersIn(line, n);
  if (!(q >= 0 && q <= 1) || (count < n && (!ignoresNaN || count == 0)))
    return (double)NAN;
  const double rank = q * (double)(count - 1), below = floor(rank), above = ceil(rank);
  if (how == AT_QUANTILE_NEAREST)
    return line[(int64_t)nearbyint(rank)];
  const double weight = how == AT_QUANTILE_LOWER      ? 0
                        : how == AT_QUANTILE_HIGHER   ? (above > below)
                        : how == AT_QUANTILE_MIDPOINT ? (above > below ? 0.5 : 0)
                                                      : rank - below;
  const double low = line[(int64_t)below], high = line[(int64_t)above];
  return weight == 0    ? low
         : weight < 0.5 ? low + weight * (high - low)
                        : high - (high - low) * (1 - weight);
}

/* --- distances -------------------------------------------------------------------------------- */

/* The p-norm of the differences of n elements. */
AT_LINE double at_lineDistance(const double *x, const double *y, int64_t n, double p)
{
  double sum = 0;
  for (int64_t i = 0; i < n; i++) {
    const double d = fabs(x[i] - y[i]);
    sum = p == 0                 ? sum + (d != 0)
          : p == 1               ? sum + d
          : p == 2               ? sum + d * d
          : p < (double)INFINITY ? sum + pow(d, p)
          : d > sum              ? d
                                 : sum + 0 * d; /* NaN remains */
  }
  return p == 2 ? sqrt(sum) : p > 0 && p < (double)INFINITY && p != 1 ? pow(sum, 1 / p) : sum;
}

#endif

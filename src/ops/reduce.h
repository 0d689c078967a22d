/* The reductions whose state is one number: one row each ("a reduction" in TH/reduce).
 *
 *     X(name, state, initial, accumulate, join, finish)
 *
 * a is the state, of type state; accumulate takes in one element x, join another state b, and
 * finish is the result.  p is the caller's parameter, count the number of elements reduced.  The
 * expressions may use ADD and MUL (of accreal, integers wrapping), IS_NAN, LOWEST and HIGHEST (of
 * real), and of numbers that are accreal or become it NONZERO (1 or 0), ABSOLUTE and POWER.
 *
 * Sums are kept in accreal: double for Float and Double (on CUDA float for Float and Half), int64_t for
 * integers.
 *
 * TH/reduce/THReduceEach.h lists the rows once more. */
#ifndef TH_OPS_REDUCE_H
#define TH_OPS_REDUCE_H

/* NaN if either is NaN.  Two choices, since compilers do not vectorise conditions joined by ||. */
#define LARGER(a, x)  (IS_NAN(x) ? (x) : (x) > (a) ? (x) : (a))
#define SMALLER(a, x) (IS_NAN(x) ? (x) : (x) < (a) ? (x) : (a))

#define TH_SUM(X)   X(sum, accreal, 0, ADD(a, x), ADD(a, b), a)
#define TH_NORM2(X) X(norm2, accreal, 0, ADD(a, MUL(x, x)), ADD(a, b), sqrt(a))

/* Every type that computes.  NaN is larger than everything, and smaller too. */
#define TH_REDUCTIONS(X)                              \
  TH_SUM(X)                                           \
  X(prod, accreal, 1, MUL(a, x), MUL(a, b), a)        \
  X(max, real, LOWEST, LARGER(a, x), LARGER(a, b), a) \
  X(min, real, HIGHEST, SMALLER(a, x), SMALLER(a, b), a)

/* Floating types: a mean is a sum until it is finished. */
#define TH_MEAN(X) X(mean, accreal, 0, ADD(a, x), ADD(a, b), a / (accreal)count)
#define TH_NORMS(X)                                                             \
  X(norm0, accreal, 0, ADD(a, NONZERO(x)), ADD(a, b), a)                        \
  X(norm1, accreal, 0, ADD(a, ABSOLUTE(x)), ADD(a, b), a)                       \
  TH_NORM2(X)                                                                   \
  X(normP, accreal, 0, ADD(a, POWER(ABSOLUTE(x), p)), ADD(a, b), pow(a, 1 / p)) \
  X(normMax, real, 0, LARGER(a, FABS(x)), LARGER(a, b), a)                      \
  X(normMin, real, HIGHEST, SMALLER(a, FABS(x)), SMALLER(a, b), a)
#define TH_FLOAT_REDUCTIONS(X) TH_MEAN(X) TH_NORMS(X)

/* Bytes as truth values. */
#define TH_BYTE_REDUCTIONS(X)           \
  X(all, real, 1, a &(x != 0), a &b, a) \
  X(any, real, 0, a | (x != 0), a | b, a)

#endif

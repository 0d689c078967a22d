/* Sums of numbers that are known by their logarithms. */
#ifndef TH_LOG_ADD_H
#define TH_LOG_ADD_H

#include "THGeneral.h"

TH_API const double THLog2Pi;  /* log(2 pi) */
TH_API const double THLogZero; /* stands for log(0): -DBL_MAX */
TH_API const double THLogOne;  /* 0 */

/* log(exp(log_a) + exp(log_b)), without overflow. */
TH_API double THLogAdd(double log_a, double log_b);

/* log(exp(log_a) - exp(log_b)), THLogZero when they are equal.  log_b > log_a is an error. */
TH_API double THLogSub(double log_a, double log_b);

/* exp(-x). */
TH_API double THExpMinusApprox(const double x);

#endif

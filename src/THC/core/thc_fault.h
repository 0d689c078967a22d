/* What kernels find wrong with the values that they are given, such as an index out of range.
 *
 * A stream has an error word, which its kernels fill in without the host waiting for them.  The host reads
 * it whenever it waits for the stream (THC_wait), and then raises an error. */
#ifndef THC_FAULT_H
#define THC_FAULT_H

#include <stdint.h>
#include <string.h>

typedef enum THCFaultKind {
  THC_FAULT_NONE,
  THC_FAULT_RANGE,       /* a value that is not one of first ... last */
  THC_FAULT_PROBABILITY, /* an element that is no probability */
  THC_FAULT_TOO_FEW,     /* a row with fewer than `value` positive probabilities */
  THC_FAULT_NUMBER,   /* a number, of which `value` has the bits, that is not from first to last */
  THC_FAULT_SUM,      /* sizes that sum up to `value` instead of last */
  THC_FAULT_ONES,     /* a mask with more ones than last, the elements for them */
  THC_FAULT_PARAMETER /* a number, of which `value` has the bits, that an argument does not take */
} THCFaultKind;

/* An error word, in memory that the host and kernels reach; the first kernel that finds something fills
 * it in. */
typedef struct THCFault {
  int found; /* a THCFaultKind */
  int arg;
  const char *function;           /* the public function that was called, in the host's memory */
  int64_t at, value, first, last; /* at: the value's index, -1 where it is not known */
} THCFault;

/* What a kernel needs for a report: an error word, and what to write there. */
typedef struct THCReport {
  THCFault *word; /* NULL: nothing is reported */
  THCFault fault;
} THCReport;

#ifdef THC_CUDA_H /* for kernels */

THC_DEVICE void THC_report(const THCReport &report, THCFaultKind kind, int64_t at, int64_t value)
{
  THCFault *word = report.word;
  if (!word || atomicCAS(&word->found, 0, (int)kind) != 0)
    return;
  word->arg = report.fault.arg;
  word->function = report.fault.function;
  word->at = at;
  word->value = value;
  word->first = report.fault.first;
  word->last = report.fault.last;
}

/* A number that is not from first to last. */
THC_DEVICE void THC_reportNumber(const THCReport &report, int64_t at, double number)
{
  int64_t bits;
  memcpy(&bits, &number, sizeof bits);
  THC_report(report, THC_FAULT_NUMBER, at, bits);
}

/* Whether the value is one of first ... last; reports one that is not. */
THC_DEVICE int THC_isInside(const THCReport &report, int64_t at, int64_t value)
{
  const int inside = value >= report.fault.first && value <= report.fault.last;
  if (!inside)
    THC_report(report, THC_FAULT_RANGE, at, value);
  return inside;
}

#endif
#endif

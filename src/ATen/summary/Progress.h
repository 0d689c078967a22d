/* The losses of a training, and their curve. */
#ifndef ATEN_PROGRESS_PARTS_H
#define ATEN_PROGRESS_PARTS_H

#include "ATenProgress.h"

#include "ATen/files/Files.h"

struct at_progress {
  int64_t steps, every; /* announced; between lines */
  int out;
  bool isTerminal;
  double *losses; /* of the steps so far */
  int64_t count, capacity;
  double begun, drawn; /* seconds */
};

/* The points of a curve, and what is at its edges. */
typedef struct at_curve {
  int columns;
  double *means; /* of the steps of each column; NaN where there is none */
  double low, high;
} at_curve;

/* The curve of so many columns, whose memory the guard owns; its limits differ. */
at_curve at_curve_of(const at_progress *p, int columns, THGuard *guard);

#endif

/* Values of files that are no tensors. */
#ifndef TH_VALUES_H
#define TH_VALUES_H

#include <ATen/ATen.h>

/* Writes the value to stdout, each item of lists and dictionaries on a line of its own; nothing for
 * no value.  Depth and number of lines are bounded, since lists may contain themselves. */
void values_write(at_datum value);

#endif

/* The network of digits.c, and how it learns; engine.c calls it. */
#ifndef DIGITS_NETWORK_H
#define DIGITS_NETWORK_H

#include <ATen/ATen.h>

#include "data.h"
#include "model.h"

/* A network with random parameters; NULL after an error of ATen. */
at_module *network_new(void);

/* Shows the network all images (N x 1 x 8 x 8) once, in an order that is drawn, and returns the mean loss; after an
 * error of ATen it ends early. */
double network_epoch(at_module *net, at_optimizer *sgd, at_tensor *images, at_tensor *labels,
                     int64_t epoch, int64_t epochs);

#endif

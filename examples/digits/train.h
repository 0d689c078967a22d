/* Training and testing. */
#ifndef DIGITS_TRAIN_H
#define DIGITS_TRAIN_H

#include "net.h"

/* Shows the network all images (N x 1 x 8 x 8) epochs times, each time in another order and moved
 * a little, and has it learn the labels (N).  losses[e] becomes the mean loss of epoch e.  Prints
 * how it goes. */
void train(Network *net, THFloatTensor *images, THLongTensor *labels, int64_t epochs,
           THGenerator *generator, double *losses);

/* answers becomes what the network takes the images for; returns how many of them are right. */
int64_t test(Network *net, THFloatTensor *images, THLongTensor *labels, THLongTensor *answers);

#endif

/* The network: what reads a digit.  Images, labels and answers are tensors of the host, whatever
 * device computes.
 *
 *     Network *net = network_new(generator, 0.5);                 random parameters
 *     network_forward(net, images, 1);                            what does it think of them?
 *     double loss = network_loss(net, labels);                    how wrong is that?
 *     network_backward(net);                                      which way would be less wrong?
 *     network_step(net, 0.05, 0.9);                               go a little that way
 *     network_free(net);
 */
#ifndef DIGITS_NET_H
#define DIGITS_NET_H

#include <TH/TH.h>

enum { NETWORK_PARAMETERS = 8 };

typedef struct Network Network;

/* A network with random parameters.  The generator, which must outlive it, also draws which hidden
 * values training keeps: the part kept of them. */
Network *network_new(THGenerator *generator, double kept);
void network_free(void *network); /* NULL is nothing to free */

/* Reads images (N x 1 x 8 x 8).  With training set, hidden values are dropped at random. */
void network_forward(Network *net, THFloatTensor *images, int training);

/* The answers of the last forward: the likeliest digit of each image, from 0 to 9. */
void network_answers(Network *net, THLongTensor *answers);

/* How far the last forward was from the labels (N of them, from 0 to 9): the mean of minus the
 * logarithm of the probability that it gave to the right digit. */
double network_loss(Network *net, THLongTensor *labels);

/* Computes the gradient of the last network_loss in every parameter.  The last forward must have
 * been one of training. */
void network_backward(Network *net);

/* One step of gradient descent with momentum. */
void network_step(Network *net, double rate, double momentum);

/* The parameters as they are now, in tensors that belong to the network: weight and bias of conv1,
 * conv2, full1, full2. */
void network_parameters(Network *net, THFloatTensor *values[NETWORK_PARAMETERS]);

/* The parameters become what is in these tensors. */
void network_set(Network *net);

#endif

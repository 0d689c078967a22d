/* Reads digits with a network written on ATen's modules: the model, the loss, the step, the loop.
 *
 *     images                                              N x  1 x 8 x 8
 *     conv1    3 x 3 weights, 32 maps, ReLU               N x 32 x 8 x 8
 *     pool1    the largest of each 2 x 2                  N x 32 x 4 x 4
 *     conv2    3 x 3 weights, 64 maps, ReLU               N x 64 x 4 x 4
 *     pool2    the largest of each 2 x 2                  N x 64 x 2 x 2
 *     full1    every value with every value, ReLU         N x 128
 *     dropout  some of them zero, in training             N x 128
 *     full2    every value with every value               N x 10
 *     loss     minus the logarithm of the probability that the right digit gets
 *
 * What is made inside an AT_SCOPE is released at its end.  After an error every result is the
 * undefined tensor, which is passed on, so that one look at at_error() per step is enough. */
#include "network.h"
#include "progress.h"

/* --- the model ------------------------------------------------------------------------------ */

/* The first values are numbers of +-1/sqrt(inputs), which keep the sums of so many terms small. */
at_module *network_new(void)
{
  return at_Sequential(at_Conv2d(1, 32, 3, .padding = AT_INTS(1)), at_ReLU(), at_MaxPool2d(2),
                       at_Conv2d(32, 64, 3, .padding = AT_INTS(1)), at_ReLU(), at_MaxPool2d(2),
                       at_Flatten(), at_Linear(64 * 2 * 2, 128), at_ReLU(),
                       at_Dropout(.p = 1 - KEPT), at_Linear(128, 10));
}

/* --- a step --------------------------------------------------------------------------------- */

/* Gradient descent with momentum; returns the loss, and adds to *right how many images were read right. */
static double step(at_module *net, at_optimizer *sgd, at_tensor *images, at_tensor *labels,
                   int64_t *right)
{
  at_tensor *scores = at_forward(net, images);
  at_tensor *loss = at_cross_entropy_loss(scores, labels);
  at_optimizer_zero_grad(sgd);
  at_backward(loss);
  at_optimizer_step(sgd);
  *right += at_item_long(at_sum(at_eq(at_argmax(scores, .dim = 1), labels)));
  return at_item_double(loss);
}

/* --- the loop ------------------------------------------------------------------------------- */

/* Some of the images, each moved by up to SHIFT pixels: a window into the image with a frame. */
static at_tensor *moved(at_tensor *framed, at_tensor *order)
{
  const int64_t n = at_size(order, 0);
  at_tensor *batch = at_empty(AT_SHAPE(n, 1, DIGIT_SIDE, DIGIT_SIDE));
  at_tensor *shifts = at_empty(AT_SHAPE(n, 2), .type = AT_CPU(AT_LONG));
  at_random_to_(shifts, 2 * SHIFT + 1);
  const int64_t *shift = at_data(shifts), *image = at_data(order);
  for (int64_t i = 0; i < n && at_error() == AT_OK; i++, shift += 2) {
    at_tensor *rows = at_narrow(at_select(framed, 0, image[i]), 1, shift[0], DIGIT_SIDE);
    at_copy_(at_select(batch, 0, i), at_narrow(rows, 2, shift[1], DIGIT_SIDE));
  }
  return batch;
}

double network_epoch(at_module *net, at_optimizer *sgd, at_tensor *images, at_tensor *labels,
                     int64_t epoch, int64_t epochs)
{
  const int64_t n = at_size(labels, 0);
  int64_t right = 0;
  double loss = 0;
  AT_SCOPE
  {
    at_tensor *framed = at_constant_pad_nd(images, AT_INTS(SHIFT, SHIFT, SHIFT, SHIFT));
    at_tensor *order = at_randperm(n);
    for (int64_t done = 0; done < n && at_error() == AT_OK; done += BATCH)
      AT_SCOPE
      {
        const int64_t count = THMin(BATCH, n - done);
        at_tensor *chosen = at_narrow(order, 0, done, count);
        at_tensor *wanted = at_index_select(labels, 0, chosen);
        const double elapsed = ((double)epoch * n + done) / ((double)epochs * n);
        at_optimizer_set(sgd, 0, "lr", RATE * (1 - elapsed));
        loss += count * step(net, sgd, moved(framed, chosen), wanted, &right);
        progress_batch(epoch, epochs, (double)(done + count) / n, loss / (done + count),
                       (double)right / (done + count));
      }
  }
  if (at_error() == AT_OK)
    progress_epoch(epoch, epochs, loss / n, (double)right / n);
  return loss / n;
}

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
#include <ATen/ATen.h>

#include "data.h"
#include "fail.h"
#include "model.h"
#include "progress.h"

struct Model {
  at_module *net;
  at_optimizer *sgd;
};

static void check(void)
{
  if (at_error() != AT_OK)
    fail("%s", at_error_message());
}

/* --- the model ------------------------------------------------------------------------------ */

/* The first values are numbers of +-1/sqrt(inputs), which keep the sums of so many terms small. */
static Model *model_new(uint64_t seed)
{
  Model *model = calloc(1, sizeof *model);
  if (!model)
    fail("no memory for a model");
  at_manualSeed(seed);
  model->net = at_Sequential(at_Conv2d(1, 32, 3, .padding = AT_INTS(1)), at_ReLU(), at_MaxPool2d(2),
                             at_Conv2d(32, 64, 3, .padding = AT_INTS(1)), at_ReLU(),
                             at_MaxPool2d(2), at_Flatten(), at_Linear(64 * 2 * 2, 128), at_ReLU(),
                             at_Dropout(.p = 1 - KEPT), at_Linear(128, 10));
  AT_SCOPE
  {
    model->sgd = at_sgd(*at_module_parameters(model->net), .lr = RATE, .momentum = MOMENTUM);
  }
  check();
  return model;
}

static void model_free(void *what)
{
  Model *model = what;
  if (model) {
    at_optimizer_free(model->sgd);
    at_module_free(model->net);
  }
  free(model);
}

static void model_parameters(Model *model, THFloatTensor *values[MODEL_PARAMETERS])
{
  for (int i = 0; i < MODEL_PARAMETERS; i++)
    values[i] = at_unsafeGetTH(at_optimizer_param(model->sgd, 0, i));
}

/* What loads a network writes into the model's own tensors. */
static void model_set(Model *model)
{
  (void)model;
}

/* --- a step --------------------------------------------------------------------------------- */

/* Gradient descent with momentum; returns the loss, and how many images were read right. */
static double step(Model *model, at_tensor *images, at_tensor *labels, double rate, int64_t *right)
{
  double loss = 0;
  AT_SCOPE
  {
    at_tensor *scores = at_forward(model->net, images);
    at_tensor *wrong = at_cross_entropy_loss(scores, labels);
    at_optimizer_zero_grad(model->sgd);
    at_backward(wrong);
    at_optimizer_set(model->sgd, 0, "lr", rate);
    at_optimizer_step(model->sgd);
    loss = at_item_double(wrong);
    *right += at_item_long(at_sum(at_eq(at_argmax(scores, .dim = 1), labels)));
  }
  check();
  return loss;
}

/* --- the loop ------------------------------------------------------------------------------- */

/* Some of the images, each moved by up to SHIFT pixels: a window into the image with a frame. */
static at_tensor *moved(at_tensor *framed, at_tensor *order)
{
  const int64_t n = at_size(order, 0);
  at_tensor *batch = at_empty(AT_SHAPE(n, 1, DIGIT_SIDE, DIGIT_SIDE));
  AT_SCOPE
  {
    at_tensor *shifts = at_empty(AT_SHAPE(n, 2), .type = AT_CPU(AT_LONG));
    at_random_to_(shifts, 2 * SHIFT + 1);
    const int64_t *shift = at_data(shifts), *image = at_data(order);
    for (int64_t i = 0; i < n; i++, shift += 2) {
      at_tensor *rows = at_narrow(at_select(framed, 0, image[i]), 1, shift[0], DIGIT_SIDE);
      at_copy_(at_select(batch, 0, i), at_narrow(rows, 2, shift[1], DIGIT_SIDE));
    }
  }
  return batch;
}

static double epoch_loss(Model *model, at_tensor *framed, at_tensor *labels, int64_t epoch,
                         int64_t epochs, int64_t *right)
{
  const int64_t n = at_size(labels, 0);
  double loss = 0;
  AT_SCOPE
  {
    at_tensor *order = at_randperm(n);
    for (int64_t done = 0; done < n; done += BATCH)
      AT_SCOPE
      {
        const int64_t count = THMin(BATCH, n - done);
        const double elapsed = ((double)epoch * n + done) / ((double)epochs * n);
        at_tensor *chosen = at_narrow(order, 0, done, count);
        loss += count * step(model, moved(framed, chosen), at_index_select(labels, 0, chosen),
                             RATE * (1 - elapsed), right);
        progress_batch(epoch, epochs, (double)(done + count) / n, loss / (done + count),
                       (double)*right / (done + count));
      }
  }
  return loss / n;
}

/* A tensor of ATen around one of TH: the same elements, one more reference. */
static at_tensor *floats(THFloatTensor *t)
{
  THFloatTensor_retain(t);
  return at_fromTH(AT_CPU(AT_FLOAT), t);
}

static at_tensor *integers(THLongTensor *t)
{
  THLongTensor_retain(t);
  return at_fromTH(AT_CPU(AT_LONG), t);
}

static void model_train(Model *model, THFloatTensor *images, THLongTensor *labels, int64_t epochs,
                        double *losses)
{
  AT_SCOPE
  {
    const int64_t n = images->size[0], side = DIGIT_SIDE + 2 * SHIFT;
    at_tensor *framed = at_zeros(AT_SHAPE(n, 1, side, side));
    at_tensor *rows = at_narrow(framed, 2, SHIFT, DIGIT_SIDE);
    at_copy_(at_narrow(rows, 3, SHIFT, DIGIT_SIDE), floats(images));
    at_tensor *targets = integers(labels);
    for (int64_t epoch = 0; epoch < epochs; epoch++) {
      int64_t right = 0;
      losses[epoch] = epoch_loss(model, framed, targets, epoch, epochs, &right);
      progress_epoch(epoch, epochs, losses[epoch], (double)right / n);
    }
  }
}

static int64_t model_test(Model *model, THFloatTensor *images, THLongTensor *labels,
                          THLongTensor *answers)
{
  int64_t right = 0;
  AT_SCOPE
  {
    at_module_eval(model->net);
    at_tensor *likeliest = NULL;
    AT_NO_GRAD
    {
      likeliest = at_argmax(at_forward(model->net, floats(images)), .dim = 1);
    }
    at_module_train(model->net);
    THLongTensor_resizeAs(answers, labels);
    at_copy_(integers(answers), likeliest);
    right = at_item_long(at_sum(at_eq(likeliest, integers(labels))));
    check();
  }
  return right;
}

const Engine model_engine = {model_new,  model_free,       model_train,
                             model_test, model_parameters, model_set};

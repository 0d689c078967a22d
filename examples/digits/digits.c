/* Reads digits with a network written on ATen: the model, the loss, the step, the loop.
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

enum { CONV1, CONV1_BIAS, CONV2, CONV2_BIAS, FULL1, FULL1_BIAS, FULL2, FULL2_BIAS };
enum { FLAT = 64 * 2 * 2 }; /* the values of an image behind pool2 */

struct Model {
  at_generator *generator;
  at_tensor *parameter[MODEL_PARAMETERS];
  at_tensor
      *velocity[MODEL_PARAMETERS]; /* a decaying sum of gradients: where the last steps went */
};

static void check(void)
{
  if (at_error() != AT_OK)
    fail("%s", at_error_message());
}

/* --- the model ------------------------------------------------------------------------------ */

static Model *model_new(uint64_t seed)
{
  static const struct {
    int dims;
    int64_t size[4];
    int64_t inputs; /* of each output */
  } start[MODEL_PARAMETERS] = {
      [CONV1] = {4, {32, 1, 3, 3}, 9},       [CONV1_BIAS] = {1, {32}, 9},
      [CONV2] = {4, {64, 32, 3, 3}, 32 * 9}, [CONV2_BIAS] = {1, {64}, 32 * 9},
      [FULL1] = {2, {128, FLAT}, FLAT},      [FULL1_BIAS] = {1, {128}, FLAT},
      [FULL2] = {2, {10, 128}, 128},         [FULL2_BIAS] = {1, {10}, 128},
  };
  Model *model = calloc(1, sizeof *model);
  if (!model)
    fail("no memory for a model");
  model->generator = at_generator_new(AT_BACKEND_CPU);
  at_generator_manualSeed(model->generator, seed);
  for (int i = 0; i < MODEL_PARAMETERS; i++) {
    /* Numbers of +-1/sqrt(inputs) keep the sums of so many terms small. */
    const double bound = 1 / sqrt((double)start[i].inputs);
    const at_ints size = {start[i].size, start[i].dims};
    model->parameter[i] = at_empty(size);
    model->velocity[i] = at_zeros(size);
    at_uniform_(model->parameter[i], .from = -bound, .to = bound, .generator = model->generator);
  }
  check();
  return model;
}

static void model_free(void *what)
{
  Model *model = what;
  for (int i = 0; model && i < MODEL_PARAMETERS; i++) {
    at_release(model->parameter[i]);
    at_release(model->velocity[i]);
  }
  if (model)
    at_generator_free(model->generator);
  free(model);
}

static void model_parameters(Model *model, THFloatTensor *values[MODEL_PARAMETERS])
{
  for (int i = 0; i < MODEL_PARAMETERS; i++)
    values[i] = at_unsafeGetTH(model->parameter[i]);
}

/* What loads a network writes into the model's own tensors. */
static void model_set(Model *model)
{
  (void)model;
}

/* What the layers made of a batch of images; the scope around owns it. */
typedef struct Values {
  at_tensor *conv1, *conv2, *flat, *hidden, *mask, *dropped, *logProbabilities;
  at_output_indices pool1, pool2;
} Values;

static at_tensor *convolution(Model *model, int layer, at_tensor *x)
{
  return at_relu(at_conv2d(x, model->parameter[layer], .bias = model->parameter[layer + 1],
                           .padding = AT_INTS(1, 1)));
}

/* The gradients in what went in (if that is wanted), in the weights and in the bias. */
static at_grad_input_grad_weight_grad_bias convolution_backward(Model *model, int layer,
                                                                at_tensor *x, at_tensor *gradient,
                                                                bool further)
{
  at_tensor *weight = model->parameter[layer];
  return at_convolution_backward(gradient, x, weight, AT_SHAPE(at_size(weight, 0)), AT_SHAPE(1, 1),
                                 AT_SHAPE(1, 1), AT_SHAPE(1, 1), false, AT_SHAPE(0, 0), 1,
                                 .output_mask = AT_INTS(further, true, true));
}

/* The largest of each 2 x 2 values. */
static at_output_indices pooling(at_tensor *x)
{
  return at_max_pool2d(x, AT_SHAPE(2, 2));
}

static at_tensor *pooling_backward(at_output_indices pool, at_tensor *x, at_tensor *gradient)
{
  return at_max_pool2d_backward(gradient, x, AT_SHAPE(2, 2), AT_SHAPE(2, 2), AT_SHAPE(0, 0),
                                AT_SHAPE(1, 1), false, pool.indices);
}

static at_tensor *linear(Model *model, int layer, at_tensor *x)
{
  return at_addmm(model->parameter[layer + 1], x, at_t(model->parameter[layer]));
}

static Values forward(Model *model, at_tensor *images, bool training)
{
  Values v = {NULL};
  v.conv1 = convolution(model, CONV1, images);
  v.pool1 = pooling(v.conv1);
  v.conv2 = convolution(model, CONV2, v.pool1.output);
  v.pool2 = pooling(v.conv2);
  v.flat = at_view(v.pool2.output, AT_SHAPE(-1, FLAT));
  v.hidden = at_relu(linear(model, FULL1, v.flat));
  v.dropped = v.hidden;
  if (training) {
    /* Other values each time, so that none can rely on another one being there; the rest grows, so
     * that sums stay what they are without dropout. */
    v.mask = at_empty_like(v.hidden);
    at_bernoulli_p_(v.mask, .p = KEPT, .generator = model->generator);
    v.mask = at_mul(v.mask, 1 / KEPT);
    v.dropped = at_mul(v.hidden, v.mask);
  }
  v.logProbabilities = at_log_softmax(linear(model, FULL2, v.dropped), 1);
  return v;
}

/* --- a step --------------------------------------------------------------------------------- */

/* The gradients of the loss in all parameters, from the last layer back to the first. */
static void backward(Model *model, const Values *v, at_tensor *images, at_tensor *gradient,
                     at_tensor *gradients[MODEL_PARAMETERS])
{
  at_tensor **const p = model->parameter;
  at_tensor *g = at_log_softmax_backward(gradient, v->logProbabilities, 1, v->logProbabilities);
  gradients[FULL2] = at_mm(at_t(g), v->dropped);
  gradients[FULL2_BIAS] = at_sum_dim(g, AT_SHAPE(0));

  g = at_mul(at_mm(g, p[FULL2]), v->mask);
  g = at_threshold_backward(g, v->hidden, at_scalar(0));
  gradients[FULL1] = at_mm(at_t(g), v->flat);
  gradients[FULL1_BIAS] = at_sum_dim(g, AT_SHAPE(0));

  g = at_view_as(at_mm(g, p[FULL1]), v->pool2.output);
  g = at_threshold_backward(pooling_backward(v->pool2, v->conv2, g), v->conv2, at_scalar(0));
  const at_grad_input_grad_weight_grad_bias conv2 =
      convolution_backward(model, CONV2, v->pool1.output, g, true);
  gradients[CONV2] = conv2.grad_weight;
  gradients[CONV2_BIAS] = conv2.grad_bias;

  g = pooling_backward(v->pool1, v->conv1, conv2.grad_input);
  g = at_threshold_backward(g, v->conv1, at_scalar(0));
  const at_grad_input_grad_weight_grad_bias conv1 =
      convolution_backward(model, CONV1, images, g, false);
  gradients[CONV1] = conv1.grad_weight;
  gradients[CONV1_BIAS] = conv1.grad_bias;
}

/* Gradient descent with momentum; returns the loss, and how many images were read right. */
static double step(Model *model, at_tensor *images, at_tensor *labels, double rate, int64_t *right)
{
  double loss = 0;
  AT_SCOPE
  {
    const Values v = forward(model, images, true);
    const at_output_total_weight nll = at_nll_loss_forward(v.logProbabilities, labels);
    at_tensor *gradient = at_nll_loss_backward(at_ones_like(nll.output), v.logProbabilities, labels,
                                               nll.total_weight);
    at_tensor *gradients[MODEL_PARAMETERS];
    backward(model, &v, images, gradient, gradients);
    for (int i = 0; i < MODEL_PARAMETERS; i++) {
      at_mul_(model->velocity[i], MOMENTUM);
      at_add_(model->velocity[i], gradients[i]);
      at_sub_(model->parameter[i], model->velocity[i], .alpha = rate);
    }
    loss = at_item_double(nll.output);
    *right += at_item_long(at_sum(at_eq(at_argmax(v.logProbabilities, .dim = 1), labels)));
  }
  check();
  return loss;
}

/* --- the loop ------------------------------------------------------------------------------- */

/* Some of the images, each moved by up to SHIFT pixels: a window into the image with a frame. */
static at_tensor *moved(at_tensor *framed, at_tensor *order, at_generator *generator)
{
  const int64_t n = at_size(order, 0);
  at_tensor *batch = at_empty(AT_SHAPE(n, 1, DIGIT_SIDE, DIGIT_SIDE));
  AT_SCOPE
  {
    at_tensor *shifts = at_empty(AT_SHAPE(n, 2), .type = AT_CPU(AT_LONG));
    at_random_to_(shifts, 2 * SHIFT + 1, .generator = generator);
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
    at_tensor *order = at_randperm(n, .generator = model->generator);
    for (int64_t done = 0; done < n; done += BATCH)
      AT_SCOPE
      {
        const int64_t count = THMin(BATCH, n - done);
        const double elapsed = ((double)epoch * n + done) / ((double)epochs * n);
        at_tensor *chosen = at_narrow(order, 0, done, count);
        loss += count * step(model, moved(framed, chosen, model->generator),
                             at_index_select(labels, 0, chosen), RATE * (1 - elapsed), right);
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
    const Values v = forward(model, floats(images), false);
    at_tensor *likeliest = at_argmax(v.logProbabilities, .dim = 1);
    THLongTensor_resizeAs(answers, labels);
    at_copy_(integers(answers), likeliest);
    right = at_item_long(at_sum(at_eq(likeliest, integers(labels))));
    check();
  }
  return right;
}

const Engine model_engine = {model_new,  model_free,       model_train,
                             model_test, model_parameters, model_set};

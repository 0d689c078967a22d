/* The network, written with THNN's functions.
 *
 *     images                                         N x  1 x 8 x 8
 *     conv1    3 x 3 weights, 32 maps, ReLU          N x 32 x 8 x 8
 *     pool1    the largest of each 2 x 2             N x 32 x 4 x 4
 *     conv2    3 x 3 weights, 64 maps, ReLU          N x 64 x 4 x 4
 *     pool2    the largest of each 2 x 2             N x 64 x 2 x 2
 *     full1    every value with every value, ReLU    N x 128
 *     dropout  half of them zero, in training        N x 128
 *     full2    every value with every value          N x 10
 *     logsoft  logarithms of probabilities           N x 10
 *
 * THNN's functions have no state: whoever calls them keeps the tensors.  A layer has up to three:
 * updateOutput computes its output from its input; updateGradInput computes, from the gradient of
 * the loss in the output, that in the input; accGradParameters adds the gradient in the weights to
 * what is there.  Outputs and gradients are resized by the functions that write them, so they start
 * out empty and from the second batch on nothing is allocated any more. */
#include "net.h"

#include <THNN/THNN.h>

#include "data.h"

enum { MAPS1 = 32, MAPS2 = 64, HIDDEN = 128, FLAT = MAPS2 * 2 * 2 };

/* THNN's functions take a state, which on the CPU is always NULL. */
static THNNState *const state = NULL;

/* --- parameters --------------------------------------------------------------------------- */

typedef struct Parameter {
  THFloatTensor *value;
  THFloatTensor *gradient; /* of the loss, summed up by accGradParameters */
  THFloatTensor *velocity; /* a running sum of gradients: where the last steps went */
} Parameter;

/* value has been made; uniform numbers of +-1/sqrt(inputs) keep the sums of inputs terms small. */
static void parameter_start(Parameter *parameter, int64_t inputs, THGenerator *generator)
{
  const double bound = 1 / sqrt((double)inputs);
  THFloatTensor_uniform(parameter->value, generator, -bound, bound);
  parameter->gradient = THFloatTensor_newClone(parameter->value);
  parameter->velocity = THFloatTensor_newClone(parameter->value);
  THFloatTensor_zero(parameter->velocity);
}

static void parameter_free(Parameter *parameter)
{
  THFloatTensor_free(parameter->value);
  THFloatTensor_free(parameter->gradient);
  THFloatTensor_free(parameter->velocity);
}

/* --- convolutions ------------------------------------------------------------------------- */

typedef struct Convolution {
  Parameter weight, bias; /* maps x channels x 3 x 3, and maps */
  THFloatTensor *output, *gradInput;
} Convolution;

static void convolution_start(Convolution *conv, int64_t channels, int64_t maps,
                              THGenerator *generator)
{
  conv->weight.value = THFloatTensor_newWithSize4d(maps, channels, 3, 3);
  parameter_start(&conv->weight, channels * 3 * 3, generator);
  conv->bias.value = THFloatTensor_newWithSize1d(maps);
  parameter_start(&conv->bias, channels * 3 * 3, generator);
  conv->output = THFloatTensor_new();
  conv->gradInput = THFloatTensor_new();
}

/* Two buffers, which this library does without, and windows of 3 x 3, 1 apart, over images with a
 * frame of 1 pixel: the output is as large as the image. */
#define THREE_BY_THREE NULL, NULL, 3, 3, 1, 1, 1, 1

static THFloatTensor *convolution_forward(Convolution *conv, THFloatTensor *input)
{
  THNN_FloatSpatialConvolutionMM_updateOutput(state, input, conv->output, conv->weight.value,
                                              conv->bias.value, THREE_BY_THREE);
  return conv->output;
}

static void convolution_parameters(Convolution *conv, THFloatTensor *input,
                                   THFloatTensor *gradOutput)
{
  THNN_FloatSpatialConvolutionMM_accGradParameters(state, input, gradOutput, conv->weight.gradient,
                                                   conv->bias.gradient, THREE_BY_THREE, 1);
}

static THFloatTensor *convolution_backward(Convolution *conv, THFloatTensor *input,
                                           THFloatTensor *gradOutput)
{
  THNN_FloatSpatialConvolutionMM_updateGradInput(state, input, gradOutput, conv->gradInput,
                                                 conv->weight.value, THREE_BY_THREE);
  convolution_parameters(conv, input, gradOutput);
  return conv->gradInput;
}

static void convolution_free(Convolution *conv)
{
  parameter_free(&conv->weight);
  parameter_free(&conv->bias);
  THFloatTensor_free(conv->output);
  THFloatTensor_free(conv->gradInput);
}

/* --- pooling ------------------------------------------------------------------------------ */

typedef struct Pooling {
  THFloatTensor *output, *gradInput;
  THLongTensor *indices; /* where each largest value came from */
} Pooling;

static void pooling_start(Pooling *pool)
{
  pool->output = THFloatTensor_new();
  pool->gradInput = THFloatTensor_new();
  pool->indices = THLongTensor_new();
}

/* Windows of 2 x 2 side by side, no frame; sizes are rounded down. */
#define TWO_BY_TWO 2, 2, 2, 2, 0, 0, false

static THFloatTensor *pooling_forward(Pooling *pool, THFloatTensor *input)
{
  THNN_FloatSpatialMaxPooling_updateOutput(state, input, pool->output, pool->indices, TWO_BY_TWO);
  return pool->output;
}

static THFloatTensor *pooling_backward(Pooling *pool, THFloatTensor *input,
                                       THFloatTensor *gradOutput)
{
  THNN_FloatSpatialMaxPooling_updateGradInput(state, input, gradOutput, pool->gradInput,
                                              pool->indices, TWO_BY_TWO);
  return pool->gradInput;
}

static void pooling_free(Pooling *pool)
{
  THFloatTensor_free(pool->output);
  THFloatTensor_free(pool->gradInput);
  THLongTensor_free(pool->indices);
}

/* --- linear layers ------------------------------------------------------------------------ */

typedef struct Linear {
  Parameter weight, bias; /* outputs x inputs, and outputs */
  THFloatTensor *output, *gradInput;
} Linear;

static void linear_start(Linear *linear, int64_t inputs, int64_t outputs, THGenerator *generator)
{
  linear->weight.value = THFloatTensor_newWithSize2d(outputs, inputs);
  parameter_start(&linear->weight, inputs, generator);
  linear->bias.value = THFloatTensor_newWithSize1d(outputs);
  parameter_start(&linear->bias, inputs, generator);
  linear->output = THFloatTensor_new();
  linear->gradInput = THFloatTensor_new();
}

static THFloatTensor *linear_forward(Linear *linear, THFloatTensor *input)
{
  THNN_FloatLinear_updateOutput(state, input, linear->output, linear->weight.value,
                                linear->bias.value, NULL);
  return linear->output;
}

static THFloatTensor *linear_backward(Linear *linear, THFloatTensor *input,
                                      THFloatTensor *gradOutput)
{
  THNN_FloatLinear_updateGradInput(state, input, gradOutput, linear->gradInput,
                                   linear->weight.value);
  THNN_FloatLinear_accGradParameters(state, input, gradOutput, linear->gradInput,
                                     linear->weight.value, linear->bias.value,
                                     linear->weight.gradient, linear->bias.gradient, NULL, 1);
  return linear->gradInput;
}

static void linear_free(Linear *linear)
{
  parameter_free(&linear->weight);
  parameter_free(&linear->bias);
  THFloatTensor_free(linear->output);
  THFloatTensor_free(linear->gradInput);
}

/* --- ReLU: what is not positive becomes 0 --------------------------------------------------- */

/* Both work in place.  Back where the output is 0 the gradient is 0 too, so that the output alone
 * tells what became of the input. */
static THFloatTensor *relu_forward(THFloatTensor *values)
{
  THNN_FloatThreshold_updateOutput(state, values, values, 0, 0, true);
  return values;
}

static THFloatTensor *relu_backward(THFloatTensor *values, THFloatTensor *gradient)
{
  THNN_FloatThreshold_updateGradInput(state, values, gradient, gradient, 0, 0, true);
  return gradient;
}

/* --- the network -------------------------------------------------------------------------- */

struct Network {
  THGenerator *generator; /* borrowed */
  double kept;
  Convolution conv1, conv2;
  Pooling pool1, pool2;
  THFloatTensor *flat,
      *gradFlat; /* pool2's output as N x 256, and its gradient as N x 64 x 2 x 2 */
  Linear full1, full2;
  THFloatTensor *mask; /* dropout: 0 for half of the hidden values, 2 for the others */
  THFloatTensor *logProbabilities, *gradLogits;
  THFloatTensor *loss, *totalWeight, *gradLoss, *gradLogProbabilities;
  THLongTensor *targets; /* the labels as THNN counts classes: from TH_INDEX_BASE */
  THFloatTensor *largest;
};

Network *network_new(THGenerator *generator, double kept)
{
  THGuard guard; /* an error on the way frees what there is by then */
  THGuard_enter(&guard, network_free);
  Network *net = guard.what = THAlloc(sizeof *net);
  memset(net, 0, sizeof *net);
  net->generator = generator;
  net->kept = kept;

  convolution_start(&net->conv1, 1, MAPS1, generator);
  pooling_start(&net->pool1);
  convolution_start(&net->conv2, MAPS1, MAPS2, generator);
  pooling_start(&net->pool2);
  net->flat = THFloatTensor_new();
  net->gradFlat = THFloatTensor_new();
  linear_start(&net->full1, FLAT, HIDDEN, generator);
  net->mask = THFloatTensor_new();
  linear_start(&net->full2, HIDDEN, DIGIT_CLASSES, generator);
  net->logProbabilities = THFloatTensor_new();
  net->gradLogits = THFloatTensor_new();
  net->loss = THFloatTensor_newWithSize1d(1);
  net->totalWeight = THFloatTensor_newWithSize1d(1);
  net->gradLoss = THFloatTensor_newWithSize1d(1);
  THFloatTensor_fill(net->gradLoss, 1); /* the gradient of the loss in the loss itself */
  net->gradLogProbabilities = THFloatTensor_new();
  net->targets = THLongTensor_new();
  net->largest = THFloatTensor_new();
  return THGuard_keep(&guard);
}

void network_free(void *what)
{
  Network *net = what;
  if (!net)
    return;
  convolution_free(&net->conv1);
  pooling_free(&net->pool1);
  convolution_free(&net->conv2);
  pooling_free(&net->pool2);
  THFloatTensor_free(net->flat);
  THFloatTensor_free(net->gradFlat);
  linear_free(&net->full1);
  THFloatTensor_free(net->mask);
  linear_free(&net->full2);
  THFloatTensor_free(net->logProbabilities);
  THFloatTensor_free(net->gradLogits);
  THFloatTensor_free(net->loss);
  THFloatTensor_free(net->totalWeight);
  THFloatTensor_free(net->gradLoss);
  THFloatTensor_free(net->gradLogProbabilities);
  THLongTensor_free(net->targets);
  THFloatTensor_free(net->largest);
  THFree(net);
}

/* --- its parameters, as a list -------------------------------------------------------------- */

static void list(Network *net, Parameter *parameters[NETWORK_PARAMETERS])
{
  Parameter *const all[NETWORK_PARAMETERS] = {
      &net->conv1.weight, &net->conv1.bias, &net->conv2.weight, &net->conv2.bias,
      &net->full1.weight, &net->full1.bias, &net->full2.weight, &net->full2.bias,
  };
  memcpy(parameters, all, sizeof all);
}

void network_parameters(Network *net, THFloatTensor *values[NETWORK_PARAMETERS])
{
  Parameter *parameters[NETWORK_PARAMETERS];
  list(net, parameters);
  for (int i = 0; i < NETWORK_PARAMETERS; i++)
    values[i] = parameters[i]->value;
}

/* --- forward ------------------------------------------------------------------------------ */

/* Some of the values become 0, other ones each time, so that no value can rely on another one being
 * there; the rest grows, so that sums stay what they are without dropout. */
static void drop(Network *net, THFloatTensor *values)
{
  THFloatTensor_resizeAs(net->mask, values);
  THFloatTensor_bernoulli(net->mask, net->generator, net->kept);
  THFloatTensor_mul(net->mask, net->mask, (float)(1 / net->kept));
  THFloatTensor_cmul(values, values, net->mask);
}

void network_forward(Network *net, THFloatTensor *images, int training)
{
  THFloatTensor *x = images;
  x = relu_forward(convolution_forward(&net->conv1, x));
  x = pooling_forward(&net->pool1, x);
  x = relu_forward(convolution_forward(&net->conv2, x));
  x = pooling_forward(&net->pool2, x);

  /* The same numbers, seen as one row per image; a stride of -1 means row-major. */
  THFloatTensor_setStorage2d(net->flat, x->storage, x->storageOffset, x->size[0], -1, FLAT, -1);

  x = relu_forward(linear_forward(&net->full1, net->flat));
  if (training)
    drop(net, x);
  x = linear_forward(&net->full2, x);
  THNN_FloatLogSoftMax_updateOutput(state, x, net->logProbabilities, 1);
}

void network_answers(Network *net, THLongTensor *answers)
{
  THFloatTensor_max(net->largest, answers, net->logProbabilities, 1, 0);
  THLongTensor_add(answers, answers, -TH_INDEX_BASE);
}

/* The criterion with no class weights and no label to ignore, averaged over the images. */
#define MEAN_OVER_ALL true, NULL, net->totalWeight, -100, true

double network_loss(Network *net, THLongTensor *labels)
{
  THLongTensor_resizeAs(net->targets, labels);
  THLongTensor_add(net->targets, labels, TH_INDEX_BASE);
  THNN_FloatClassNLLCriterion_updateOutput(state, net->logProbabilities, net->targets, net->loss,
                                           MEAN_OVER_ALL);
  return THFloatTensor_get1d(net->loss, 0);
}

/* --- backward ----------------------------------------------------------------------------- */

void network_backward(Network *net, THFloatTensor *images)
{
  Parameter *parameters[NETWORK_PARAMETERS];
  list(net, parameters);
  for (int i = 0; i < NETWORK_PARAMETERS; i++)
    THFloatTensor_zero(parameters[i]->gradient); /* what follows adds to it */

  THNN_FloatClassNLLCriterion_updateGradInput(state, net->logProbabilities, net->targets,
                                              net->gradLoss, net->gradLogProbabilities,
                                              MEAN_OVER_ALL);
  THNN_FloatLogSoftMax_updateGradInput(state, net->full2.output, net->gradLogProbabilities,
                                       net->gradLogits, net->logProbabilities, 1);

  THFloatTensor *g = linear_backward(&net->full2, net->full1.output, net->gradLogits);
  THFloatTensor_cmul(g, g, net->mask);
  g = linear_backward(&net->full1, net->flat, relu_backward(net->full1.output, g));

  THFloatTensor_setStorage4d(net->gradFlat, g->storage, g->storageOffset, g->size[0], -1, MAPS2, -1,
                             2, -1, 2, -1);

  g = pooling_backward(&net->pool2, net->conv2.output, net->gradFlat);
  g = convolution_backward(&net->conv2, net->pool1.output, relu_backward(net->conv2.output, g));
  g = pooling_backward(&net->pool1, net->conv1.output, g);
  convolution_parameters(&net->conv1, images, relu_backward(net->conv1.output, g));
}

/* --- one step ----------------------------------------------------------------------------- */

void network_step(Network *net, double rate, double momentum)
{
  Parameter *parameters[NETWORK_PARAMETERS];
  list(net, parameters);
  for (int i = 0; i < NETWORK_PARAMETERS; i++) {
    const Parameter *p = parameters[i];
    THFloatTensor_mul(p->velocity, p->velocity, (float)momentum);
    THFloatTensor_cadd(p->velocity, p->velocity, 1, p->gradient);
    THFloatTensor_cadd(p->value, p->value, (float)-rate, p->velocity);
  }
}

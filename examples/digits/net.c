/* The network, written with THNN's functions or, on a GPU, with THCUNN's: see device.h.
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

#include "data.h"
#include "device.h"

enum { MAPS1 = 32, MAPS2 = 64, HIDDEN = 128, FLAT = MAPS2 * 2 * 2 };

/* --- parameters --------------------------------------------------------------------------- */

typedef struct Parameter {
  THFloatTensor *host; /* what value was at the start, or at last when somebody asked */
  Tensor *value;
  Tensor *gradient; /* of the loss, summed up by accGradParameters */
  Tensor *velocity; /* a decaying sum of gradients: where the last steps went */
} Parameter;

static void parameter_set(Parameter *parameter)
{
  THFloatTensor *const host = parameter->host;
  Tensor(resizeNd, parameter->value, host->nDimension, host->size, NULL);
  Tensor(copyFloat, parameter->value, host);
}

/* host has been made; uniform numbers of +-1/sqrt(inputs) keep the sums of inputs terms small. */
static void parameter_start(Parameter *parameter, int64_t inputs, THGenerator *generator)
{
  const double bound = 1 / sqrt((double)inputs);
  THFloatTensor_uniform(parameter->host, generator, -bound, bound);
  parameter->value = Tensor(new);
  parameter_set(parameter);
  parameter->gradient = Tensor(newClone, parameter->value);
  parameter->velocity = Tensor(newClone, parameter->value);
  Tensor(zero, parameter->velocity);
}

static void parameter_free(Parameter *parameter)
{
  THFloatTensor_free(parameter->host);
  Tensor(free, parameter->value);
  Tensor(free, parameter->gradient);
  Tensor(free, parameter->velocity);
}

/* --- convolutions ------------------------------------------------------------------------- */

typedef struct Convolution {
  Parameter weight, bias; /* maps x channels x 3 x 3, and maps */
  Tensor *output, *gradInput;
} Convolution;

static void convolution_start(Convolution *conv, int64_t channels, int64_t maps,
                              THGenerator *generator)
{
  conv->weight.host = THFloatTensor_newWithSize4d(maps, channels, 3, 3);
  parameter_start(&conv->weight, channels * 3 * 3, generator);
  conv->bias.host = THFloatTensor_newWithSize1d(maps);
  parameter_start(&conv->bias, channels * 3 * 3, generator);
  conv->output = Tensor(new);
  conv->gradInput = Tensor(new);
}

/* Two buffers, which this library does without, and windows of 3 x 3, 1 apart, over images with a
 * frame of 1 pixel: the output is as large as the image. */
#define THREE_BY_THREE NULL, NULL, 3, 3, 1, 1, 1, 1

static Tensor *convolution_forward(Convolution *conv, Tensor *input)
{
  Layer(SpatialConvolutionMM_updateOutput, input, conv->output, conv->weight.value,
        conv->bias.value, THREE_BY_THREE);
  return conv->output;
}

static void convolution_parameters(Convolution *conv, Tensor *input, Tensor *gradOutput)
{
  Layer(SpatialConvolutionMM_accGradParameters, input, gradOutput, conv->weight.gradient,
        conv->bias.gradient, THREE_BY_THREE, 1);
}

static Tensor *convolution_backward(Convolution *conv, Tensor *input, Tensor *gradOutput)
{
  Layer(SpatialConvolutionMM_updateGradInput, input, gradOutput, conv->gradInput,
        conv->weight.value, THREE_BY_THREE);
  convolution_parameters(conv, input, gradOutput);
  return conv->gradInput;
}

static void convolution_free(Convolution *conv)
{
  parameter_free(&conv->weight);
  parameter_free(&conv->bias);
  Tensor(free, conv->output);
  Tensor(free, conv->gradInput);
}

/* --- pooling ------------------------------------------------------------------------------ */

typedef struct Pooling {
  Tensor *output, *gradInput;
  LongTensor *indices; /* where each largest value came from */
} Pooling;

static void pooling_start(Pooling *pool)
{
  pool->output = Tensor(new);
  pool->gradInput = Tensor(new);
  pool->indices = LongTensor(new);
}

/* Windows of 2 x 2 side by side, no frame; sizes are rounded down. */
#define TWO_BY_TWO 2, 2, 2, 2, 0, 0, false

static Tensor *pooling_forward(Pooling *pool, Tensor *input)
{
  Layer(SpatialMaxPooling_updateOutput, input, pool->output, pool->indices, TWO_BY_TWO);
  return pool->output;
}

static Tensor *pooling_backward(Pooling *pool, Tensor *input, Tensor *gradOutput)
{
  Layer(SpatialMaxPooling_updateGradInput, input, gradOutput, pool->gradInput, pool->indices,
        TWO_BY_TWO);
  return pool->gradInput;
}

static void pooling_free(Pooling *pool)
{
  Tensor(free, pool->output);
  Tensor(free, pool->gradInput);
  LongTensor(free, pool->indices);
}

/* --- linear layers ------------------------------------------------------------------------ */

typedef struct Linear {
  Parameter weight, bias; /* outputs x inputs, and outputs */
  Tensor *output, *gradInput;
  Tensor *biases,
      *transposed; /* the bias as the row of each input, and a matrix with its axes swapped */
  Tensor *sums;
} Linear;

static void linear_start(Linear *linear, int64_t inputs, int64_t outputs, THGenerator *generator)
{
  linear->weight.host = THFloatTensor_newWithSize2d(outputs, inputs);
  parameter_start(&linear->weight, inputs, generator);
  linear->bias.host = THFloatTensor_newWithSize1d(outputs);
  parameter_start(&linear->bias, inputs, generator);
  linear->output = Tensor(new);
  linear->gradInput = Tensor(new);
  linear->biases = Tensor(new);
  linear->transposed = Tensor(new);
  linear->sums = Tensor(new);
}

/* output = input * weight' + bias */
static Tensor *linear_forward(Linear *linear, Tensor *input)
{
  Tensor *const bias = linear->bias.value;
  Tensor(setStorage2d, linear->biases, bias->storage, bias->storageOffset, input->size[0], 0,
         bias->size[0], 1);
  Tensor(transpose, linear->transposed, linear->weight.value, 0, 1);
  Tensor(addmm, linear->output, 1, linear->biases, 1, input, linear->transposed);
  return linear->output;
}

static Tensor *linear_backward(Linear *linear, Tensor *input, Tensor *gradOutput)
{
  Tensor *const weight = linear->weight.gradient, *const bias = linear->bias.gradient;
  Tensor(transpose, linear->transposed, gradOutput, 0, 1);
  Tensor(addmm, weight, 1, weight, 1, linear->transposed, input);
  Tensor(sum, linear->sums, gradOutput, 0, 0);
  Tensor(cadd, bias, bias, 1, linear->sums);
  Tensor(resizeAs, linear->gradInput, input);
  Tensor(addmm, linear->gradInput, 0, linear->gradInput, 1, gradOutput, linear->weight.value);
  return linear->gradInput;
}

static void linear_free(Linear *linear)
{
  parameter_free(&linear->weight);
  parameter_free(&linear->bias);
  Tensor(free, linear->output);
  Tensor(free, linear->gradInput);
  Tensor(free, linear->biases);
  Tensor(free, linear->transposed);
  Tensor(free, linear->sums);
}

/* --- ReLU: what is not positive becomes 0 --------------------------------------------------- */

/* relu_forward and relu_backward work in place.  Where the output is 0 the gradient is 0 too, so that the output alone
 * tells what became of the input. */
static Tensor *relu_forward(Tensor *values)
{
  Layer(Threshold_updateOutput, values, values, 0, 0, true);
  return values;
}

static Tensor *relu_backward(Tensor *values, Tensor *gradient)
{
  Layer(Threshold_updateGradInput, values, gradient, gradient, 0, 0, true);
  return gradient;
}

/* --- the network -------------------------------------------------------------------------- */

struct Network {
  THGenerator *generator; /* borrowed */
  double kept;
  Convolution conv1, conv2;
  Pooling pool1, pool2;
  Tensor *images;
  Tensor *flat, *gradFlat; /* pool2's output as N x 256, and its gradient as N x 64 x 2 x 2 */
  Linear full1, full2;
  THFloatTensor *drawn; /* dropout: 0 for half of the hidden values, 2 for the others */
  Tensor *mask;         /* the same */
  Tensor *logProbabilities, *gradLogits;
  Tensor *loss, *totalWeight, *gradLoss, *gradLogProbabilities;
  LongTensor *targets; /* the labels as THNN counts classes: from TH_INDEX_BASE */
  Tensor *largest;
  LongTensor *likeliest;
};

Network *network_new(THGenerator *generator, double kept)
{
  device_open();
  THGuard guard; /* an error on the way frees what there is by then */
  THGuard_enter(&guard, network_free);
  Network *net = guard.what = THAlloc(sizeof *net);
  memset(net, 0, sizeof *net);
  net->generator = generator;
  net->kept = kept;

  net->images = Tensor(new);
  convolution_start(&net->conv1, 1, MAPS1, generator);
  pooling_start(&net->pool1);
  convolution_start(&net->conv2, MAPS1, MAPS2, generator);
  pooling_start(&net->pool2);
  net->flat = Tensor(new);
  net->gradFlat = Tensor(new);
  linear_start(&net->full1, FLAT, HIDDEN, generator);
  net->drawn = THFloatTensor_new();
  net->mask = Tensor(new);
  linear_start(&net->full2, HIDDEN, DIGIT_CLASSES, generator);
  net->logProbabilities = Tensor(new);
  net->gradLogits = Tensor(new);
  net->loss = Tensor(newWithSize1d, 1);
  net->totalWeight = Tensor(newWithSize1d, 1);
  net->gradLoss = Tensor(newWithSize1d, 1);
  Tensor(fill, net->gradLoss, 1); /* the gradient of the loss in the loss itself */
  net->gradLogProbabilities = Tensor(new);
  net->targets = LongTensor(new);
  net->largest = Tensor(new);
  net->likeliest = LongTensor(new);
  return THGuard_keep(&guard);
}

void network_free(void *what)
{
  Network *net = what;
  if (!net)
    return;
  Tensor(free, net->images);
  convolution_free(&net->conv1);
  pooling_free(&net->pool1);
  convolution_free(&net->conv2);
  pooling_free(&net->pool2);
  Tensor(free, net->flat);
  Tensor(free, net->gradFlat);
  linear_free(&net->full1);
  THFloatTensor_free(net->drawn);
  Tensor(free, net->mask);
  linear_free(&net->full2);
  Tensor(free, net->logProbabilities);
  Tensor(free, net->gradLogits);
  Tensor(free, net->loss);
  Tensor(free, net->totalWeight);
  Tensor(free, net->gradLoss);
  Tensor(free, net->gradLogProbabilities);
  LongTensor(free, net->targets);
  Tensor(free, net->largest);
  LongTensor(free, net->likeliest);
  device_close();
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
  for (int i = 0; i < NETWORK_PARAMETERS; i++) {
    values[i] = parameters[i]->host;
    FloatsOf(values[i], parameters[i]->value);
  }
}

void network_set(Network *net)
{
  Parameter *parameters[NETWORK_PARAMETERS];
  list(net, parameters);
  for (int i = 0; i < NETWORK_PARAMETERS; i++)
    parameter_set(parameters[i]);
}

/* --- forward ------------------------------------------------------------------------------ */

/* Some of the values become 0, other ones each time, so that no value can rely on another one being
 * there; the rest grows, so that sums stay what they are without dropout. */
static void drop(Network *net, Tensor *values)
{
  THFloatTensor_resize2d(net->drawn, values->size[0], values->size[1]);
  THFloatTensor_bernoulli(net->drawn, net->generator, net->kept);
  THFloatTensor_mul(net->drawn, net->drawn, (float)(1 / net->kept));
  Tensor(resizeAs, net->mask, values);
  Tensor(copyFloat, net->mask, net->drawn);
  Tensor(cmul, values, values, net->mask);
}

void network_forward(Network *net, THFloatTensor *images, int training)
{
  Tensor *x = net->images;
  Tensor(resizeNd, x, images->nDimension, images->size, NULL);
  Tensor(copyFloat, x, images);
  x = relu_forward(convolution_forward(&net->conv1, x));
  x = pooling_forward(&net->pool1, x);
  x = relu_forward(convolution_forward(&net->conv2, x));
  x = pooling_forward(&net->pool2, x);

  /* The same numbers, seen as one row per image; a stride of -1 means row-major. */
  Tensor(setStorage2d, net->flat, x->storage, x->storageOffset, x->size[0], -1, FLAT, -1);

  x = relu_forward(linear_forward(&net->full1, net->flat));
  if (training)
    drop(net, x);
  x = linear_forward(&net->full2, x);
  Layer(LogSoftMax_updateOutput, x, net->logProbabilities, 1);
}

void network_answers(Network *net, THLongTensor *answers)
{
  Tensor(max, net->largest, net->likeliest, net->logProbabilities, 1, 0);
  THLongTensor_resize1d(answers, net->likeliest->size[0]);
  LongsOf(answers, net->likeliest);
  THLongTensor_add(answers, answers, -TH_INDEX_BASE);
}

/* The criterion with no class weights and no label to ignore, averaged over the images. */
#define MEAN_OVER_ALL true, NULL, net->totalWeight, -100, true

double network_loss(Network *net, THLongTensor *labels)
{
  LongTensor(resize1d, net->targets, labels->size[0]);
  LongTensor(copyLong, net->targets, labels);
  LongTensor(add, net->targets, net->targets, TH_INDEX_BASE);
  Layer(ClassNLLCriterion_updateOutput, net->logProbabilities, net->targets, net->loss,
        MEAN_OVER_ALL);
  return Tensor(get1d, net->loss, 0);
}

/* --- backward ----------------------------------------------------------------------------- */

void network_backward(Network *net)
{
  Parameter *parameters[NETWORK_PARAMETERS];
  list(net, parameters);
  for (int i = 0; i < NETWORK_PARAMETERS; i++)
    Tensor(zero, parameters[i]->gradient); /* what follows adds to it */

  Layer(ClassNLLCriterion_updateGradInput, net->logProbabilities, net->targets, net->gradLoss,
        net->gradLogProbabilities, MEAN_OVER_ALL);
  Layer(LogSoftMax_updateGradInput, net->full2.output, net->gradLogProbabilities, net->gradLogits,
        net->logProbabilities, 1);

  Tensor *g = linear_backward(&net->full2, net->full1.output, net->gradLogits);
  Tensor(cmul, g, g, net->mask);
  g = linear_backward(&net->full1, net->flat, relu_backward(net->full1.output, g));

  Tensor(setStorage4d, net->gradFlat, g->storage, g->storageOffset, g->size[0], -1, MAPS2, -1, 2,
         -1, 2, -1);

  g = pooling_backward(&net->pool2, net->conv2.output, net->gradFlat);
  g = convolution_backward(&net->conv2, net->pool1.output, relu_backward(net->conv2.output, g));
  g = pooling_backward(&net->pool1, net->conv1.output, g);
  convolution_parameters(&net->conv1, net->images, relu_backward(net->conv1.output, g));
}

/* --- one step ----------------------------------------------------------------------------- */

void network_step(Network *net, double rate, double momentum)
{
  Parameter *parameters[NETWORK_PARAMETERS];
  list(net, parameters);
  for (int i = 0; i < NETWORK_PARAMETERS; i++) {
    const Parameter *p = parameters[i];
    Tensor(mul, p->velocity, p->velocity, (float)momentum);
    Tensor(cadd, p->velocity, p->velocity, 1, p->gradient);
    Tensor(cadd, p->value, p->value, (float)-rate, p->velocity);
  }
}

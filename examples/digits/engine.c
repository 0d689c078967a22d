/* The network of digits.c as what main.c asks for, whose images and labels are tensors of TH. */
#include "fail.h"
#include "network.h"

struct Model {
  at_module *net;
  at_optimizer *sgd;
};

static void check(void)
{
  if (at_error() != AT_OK)
    fail("%s", at_error_message());
}

static Model *model_new(uint64_t seed)
{
  Model *model = calloc(1, sizeof *model);
  if (!model)
    fail("no memory for a model");
  at_manualSeed(seed);
  model->net = network_new();
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
    at_tensor *x = floats(images), *y = integers(labels);
    for (int64_t epoch = 0; epoch < epochs; epoch++) {
      losses[epoch] = network_epoch(model->net, model->sgd, x, y, epoch, epochs);
      check();
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

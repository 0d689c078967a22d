/* Reads digits with THNN's network (net.c), on the CPU or a GPU.  Training is stochastic gradient
 * descent: batches of images in random order, each image moved at random. */
#include "data.h"
#include "model.h"
#include "net.h"
#include "progress.h"

struct Model {
  THGenerator *generator;
  Network *network;
};

static void model_free(void *what)
{
  Model *model = what;
  if (!model)
    return;
  network_free(model->network);
  THGenerator_free(model->generator);
  THFree(model);
}

static Model *model_new(uint64_t seed)
{
  THGuard guard;
  THGuard_enter(&guard, model_free);
  Model *model = guard.what = THAlloc(sizeof *model);
  *model = (Model){NULL, NULL};
  model->generator = THGenerator_new();
  THRandom_manualSeed(model->generator, seed);
  model->network = network_new(model->generator, KEPT);
  return THGuard_keep(&guard);
}

static void model_parameters(Model *model, THFloatTensor *values[MODEL_PARAMETERS])
{
  network_parameters(model->network, values);
}

static void model_set(Model *model)
{
  network_set(model->network);
}

/* --- a batch ------------------------------------------------------------------------------ */

typedef struct Batch {
  THFloatTensor *framed; /* all images, with a frame of empty pixels: N x 1 x 10 x 10 */
  THLongTensor *order;   /* the numbers of the images, shuffled */
  THFloatTensor *images; /* those of the batch */
  THLongTensor *labels;
  THLongTensor *answers;
  THFloatTensor *window, *slot; /* views into framed and images */
} Batch;

static void batch_free(void *what)
{
  Batch *batch = what;
  THFloatTensor_free(batch->framed);
  THLongTensor_free(batch->order);
  THFloatTensor_free(batch->images);
  THLongTensor_free(batch->labels);
  THLongTensor_free(batch->answers);
  THFloatTensor_free(batch->window);
  THFloatTensor_free(batch->slot);
}

static void batch_start(Batch *batch, THFloatTensor *images)
{
  const int64_t n = images->size[0], side = DIGIT_SIDE + 2 * SHIFT;
  batch->order = THLongTensor_new();
  batch->images = THFloatTensor_new();
  batch->labels = THLongTensor_new();
  batch->answers = THLongTensor_new();
  batch->window = THFloatTensor_new();
  batch->slot = THFloatTensor_new();

  batch->framed = THFloatTensor_newWithSize4d(n, 1, side, side);
  THFloatTensor_zero(batch->framed);
  THFloatTensor_narrow(batch->window, batch->framed, 2, SHIFT, DIGIT_SIDE);
  THFloatTensor_narrow(batch->window, batch->window, 3, SHIFT, DIGIT_SIDE);
  THFloatTensor_copy(batch->window, images); /* a copy into a view fills what it views */
}

/* Fills the batch with n images, from the first-th of the order on.  An image that is moved by up
 * to a pixel is a window into the framed one. */
static void batch_fill(Batch *batch, int64_t first, int64_t n, THLongTensor *labels,
                       THGenerator *generator)
{
  THFloatTensor_resize4d(batch->images, n, 1, DIGIT_SIDE, DIGIT_SIDE);
  THLongTensor_resize1d(batch->labels, n);
  for (int64_t i = 0; i < n; i++) {
    const int64_t image = THLongTensor_get1d(batch->order, first + i);
    const int64_t y = (int64_t)(THRandom_random(generator) % (2 * SHIFT + 1));
    const int64_t x = (int64_t)(THRandom_random(generator) % (2 * SHIFT + 1));
    THFloatTensor_select(batch->window, batch->framed, 0, image);
    THFloatTensor_narrow(batch->window, batch->window, 1, y, DIGIT_SIDE);
    THFloatTensor_narrow(batch->window, batch->window, 2, x, DIGIT_SIDE);
    THFloatTensor_select(batch->slot, batch->images, 0, i);
    THFloatTensor_copy(batch->slot, batch->window);
    THLongTensor_set1d(batch->labels, i, THLongTensor_get1d(labels, image));
  }
}

static int64_t count_right(THLongTensor *answers, THLongTensor *labels)
{
  int64_t right = 0;
  for (int64_t i = 0; i < labels->size[0]; i++)
    right += THLongTensor_get1d(answers, i) == THLongTensor_get1d(labels, i);
  return right;
}

/* --- training ----------------------------------------------------------------------------- */

static void model_train(Model *model, THFloatTensor *images, THLongTensor *labels, int64_t epochs,
                        double *losses)
{
  Network *const net = model->network;
  THGenerator *const generator = model->generator;
  const int64_t n = images->size[0];
  Batch batch = {NULL};
  THGuard guard;
  THGuard_enter(&guard, batch_free);
  guard.what = &batch;
  batch_start(&batch, images);

  for (int64_t epoch = 0; epoch < epochs; epoch++) {
    double loss = 0;
    int64_t right = 0;
    THLongTensor_randperm(batch.order, generator, n);
    for (int64_t done = 0; done < n;) {
      const int64_t count = n - done < BATCH ? n - done : BATCH;
      const double elapsed = ((double)epoch * n + done) / ((double)epochs * n);

      batch_fill(&batch, done, count, labels, generator);
      network_forward(net, batch.images, 1);
      loss += network_loss(net, batch.labels) * count;
      network_answers(net, batch.answers);
      right += count_right(batch.answers, batch.labels);
      network_backward(net);
      network_step(net, RATE * (1 - elapsed), MOMENTUM);

      done += count;
      progress_batch(epoch, epochs, (double)done / n, loss / done, (double)right / done);
    }
    losses[epoch] = loss / n;
    progress_epoch(epoch, epochs, loss / n, (double)right / n);
  }
  THGuard_leave(&guard);
}

/* --- testing ------------------------------------------------------------------------------ */

static int64_t model_test(Model *model, THFloatTensor *images, THLongTensor *labels,
                          THLongTensor *answers)
{
  network_forward(model->network, images, 0);
  network_answers(model->network, answers);
  return count_right(answers, labels);
}

const Engine model_engine = {model_new,  model_free,       model_train,
                             model_test, model_parameters, model_set};

/* What reads digits, whichever library it is written with: engine.c has an engine on ATen,
 * digits_thnn.c one on the functions of THNN, and of THCUNN once more.  All draw the same numbers;
 * the two on the CPU end with the same parameters. */
#ifndef DIGITS_MODEL_H
#define DIGITS_MODEL_H

#include <TH/TH.h>

enum { MODEL_PARAMETERS = 8 };

/* How it is trained.  Chosen on the first 1,437 digits alone, each quarter of them being read by
 * networks trained on the other three: half or twice the rate, half the epochs or half the maps
 * read fewer. */
enum { BATCH = 32, SHIFT = 1 /* pixels that an image is moved by at most */ };
static const double RATE = 0.05; /* at the start; it falls to 0 in a straight line */
static const double MOMENTUM = 0.9;
static const double KEPT = 0.5; /* of the hidden values in training: dropout */

typedef struct Model Model;

typedef struct Engine {
  /* A model with random parameters.  The seed decides these, and all that training draws. */
  Model *(*start)(uint64_t seed);
  void (*free)(void *model); /* NULL is nothing to free */

  /* Shows the model all images (N x 1 x 8 x 8) epochs times, each time in another order and moved a
   * little, and has it learn the labels (N, from 0 to 9).  losses[e] becomes the mean loss of epoch
   * e.  Prints how it goes. */
  void (*train)(Model *model, THFloatTensor *images, THLongTensor *labels, int64_t epochs,
                double *losses);

  /* answers becomes what the model takes the images for; returns how many of them are right. */
  int64_t (*test)(Model *model, THFloatTensor *images, THLongTensor *labels, THLongTensor *answers);

  /* The parameters as they are now, in tensors that belong to the model. */
  void (*parameters)(Model *model, THFloatTensor *values[MODEL_PARAMETERS]);
  /* The parameters become what is in these tensors. */
  void (*set)(Model *model);
} Engine;

/* The engine of this program, or that of a library: digits_cuda.so. */
TH_API const Engine model_engine;

#endif

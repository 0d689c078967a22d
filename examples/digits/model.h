/* What reads digits, whichever library it is written with: digits.c has one on ATen, digits_thnn.c
 * one on the functions of THNN.  Both draw the same numbers and end with the same parameters. */
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

/* A model with random parameters.  The seed decides these, and all that training draws. */
Model *model_new(uint64_t seed);
void model_free(void *model); /* NULL is nothing to free */

/* Shows the model all images (N x 1 x 8 x 8) epochs times, each time in another order and moved a
 * little, and has it learn the labels (N, from 0 to 9).  losses[e] becomes the mean loss of epoch
 * e.  Prints how it goes. */
void model_train(Model *model, THFloatTensor *images, THLongTensor *labels, int64_t epochs,
                 double *losses);

/* answers becomes what the model takes the images for; returns how many of them are right. */
int64_t model_test(Model *model, THFloatTensor *images, THLongTensor *labels,
                   THLongTensor *answers);

/* The parameters, which belong to the model, and their names. */
extern const char *const model_names[MODEL_PARAMETERS];
void model_parameters(Model *model, THFloatTensor *values[MODEL_PARAMETERS]);

#endif

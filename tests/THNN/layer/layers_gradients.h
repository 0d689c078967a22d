/* The gradients of layers against central differences, on operands of random shapes, values and
 * layouts. */
#ifndef LAYERS_GRADIENTS_H
#define LAYERS_GRADIENTS_H

#include "layers_golden.h"

/* STEP is that of the difference quotients.  Gradients are within TOLERANCE of them, in norm.
 * Where a quotient and its gradient differ by more than LOOSE, the point is left out if the slopes
 * over KINK on either side of it differ too: there is a kink close by. */
#if defined(TH_REAL_IS_DOUBLE)
#define STEP      1e-5
#define TOLERANCE 1e-6
#define LOOSE     1e-6
#define KINK      1e-3
#define NOISE     1e-8 /* what the difference of two losses loses by rounding, over STEP */
#else
#define STEP      0x1p-6
#define TOLERANCE 1e-2
#define LOOSE     1e-2
#define KINK      0x1p-4
#define NOISE     2e-3
#endif

/* --- random operands: what a layer's function makes them with -------------------------------- */

TH_UNUSED static int64_t between(Operands *o, int64_t least, int64_t most)
{
  return least + th_random_below(o->random, most - least + 1);
}

/* One time in count. */
TH_UNUSED static int one_in(Operands *o, int64_t count)
{
  return th_random_below(o->random, count) == 0;
}

/* A tensor of any layout that can be written to.  Its values are evenly spaced from least to most, in random
 * order, so that no two values are near each other, nor values of two such tensors. */
static THTensor *any_in(Operands *o, double least, double most, int dims, const int64_t *size)
{
  static const int layouts[] = {TH_CONTIGUOUS, TH_OFFSET,   TH_TRANSPOSED,
                                TH_PERMUTED,   TH_NARROWED, TH_STRIDED};
  const int layout = layouts[between(o, 0, 5)];
  THTensor *t = THTest_(tensor)(layout, th_random_next(o->random), dims, size);
  const ptrdiff_t count = THTest_(count)(t);
  const double shift = 0.1 + 0.01 * (double)between(o, 0, 80);
  for (ptrdiff_t i = 0; i < count; i++) {
    *THTest_(at)(t, i) = (real)(least + ((double)i + shift) * (most - least) / (double)count);
    real *other = THTest_(at)(t, between(o, 0, i)), *last = THTest_(at)(t, i);
    const real value = *other;
    *other = *last;
    *last = value;
  }
  return t;
}

static THTensor *any(Operands *o, int dims, const int64_t *size)
{
  return any_in(o, -2, 2, dims, size);
}

/* any_in with values so far from each other that a change by KINK makes none of them the largest. */
TH_UNUSED static THTensor *any_apart(Operands *o, int dims, const int64_t *size)
{
  double count = 1;
  for (int d = 0; d < dims; d++)
    count *= (double)size[d];
  const double most = count * KINK > 2 ? count * KINK : 2;
  return any_in(o, -most, most, dims, size);
}

/* A tensor of 1 to 7 dimensions and at most 100 elements. */
TH_UNUSED static THTensor *any_shape(Operands *o)
{
  int64_t size[7], left = 100;
  const int dims = (int)between(o, 1, 7);
  for (int d = 0; d < dims; d++) {
    size[d] = between(o, 1, left < 6 ? left : 6);
    left /= size[d];
  }
  return any(o, dims, size);
}

/* A result tensor in a random state: empty, with the shape of like, or with some other shape. */
static THTensor *any_result(Operands *o, const THTensor *like)
{
  switch (between(o, 0, 2)) {
    case 0:
      return THTensor_(new)();
    case 1:
      return any(o, like->nDimension, like->size);
    default:
      return any(o, TH_SHAPE(between(o, 1, 4), between(o, 1, 4), between(o, 1, 4)));
  }
}

/* Gradients of outputs may be expanded. */
static THTensor *any_gradient(Operands *o, const THTensor *like)
{
  static const int layouts[] = {TH_EXPANDED, TH_EXPANDED_LAST, TH_WINDOWS};
  if (one_in(o, 2))
    return any(o, like->nDimension, like->size);
  return THTest_(tensor)(layouts[between(o, 0, 2)], th_random_next(o->random), like->nDimension,
                         like->size);
}

/* --- central differences --------------------------------------------------------------------- */

static double layer_loss(const Layer *layer, Operands *o)
{
  layer->forward(o);
  double loss = 0;
  for (ptrdiff_t i = 0; i < THTest_(count)(o->output); i++)
    loss += (double)*THTest_(at)(o->output, i) * (double)*THTest_(at)(o->gradOutput, i);
  return loss;
}

/* The slope of the loss between two values of the element at. */
static double layer_slope(const Layer *layer, Operands *o, real *at, double below, double above)
{
  const real value = *at;
  *at = (real)(value + below);
  const double x0 = (double)*at, y0 = layer_loss(layer, o);
  *at = (real)(value + above);
  const double x1 = (double)*at, y1 = layer_loss(layer, o);
  *at = value;
  return (y1 - y0) / (x1 - x0);
}

/* gradient is that of the loss with respect to x. */
static void layer_difference(const Layer *layer, Operands *o, THTensor *x, const double *gradient,
                             const char *name)
{
  const ptrdiff_t count = THTest_(count)(x);
  double error = 0, norm = 0;
  ptrdiff_t left = 0;
  for (ptrdiff_t i = 0; i < count; i++) {
    real *at = THTest_(at)(x, i);
    const double slope = layer_slope(layer, o, at, -STEP, STEP), miss = slope - gradient[i];
    if (fabs(miss) > LOOSE * (1 + fabs(slope))) {
      const double before = layer_slope(layer, o, at, -KINK, 0);
      const double behind = layer_slope(layer, o, at, 0, KINK);
      if (fabs(behind - before) > 0.05 * (1 + fabs(slope))) {
        left++;
        continue;
      }
    }
    error += miss * miss;
    norm += slope * slope;
  }
  const double most = TOLERANCE * sqrt(norm) + NOISE * sqrt((double)count);
  CHECK_MSG(sqrt(error) <= most, "%s is off by %g of its norm %g", name, sqrt(error), sqrt(norm));
  CHECK_MSG(4 * left <= count + 3, "%s: %td of %td points are near a kink", name, left, count);
}

/* All gradients of the layer for these operands. */
static void check_gradients(const Layer *layer, Operands *o)
{
  double *gradient[SLOTS] = {NULL};
  real *before[SLOTS] = {NULL};
  for (int i = 0; i < SLOTS; i++)
    if (slots[i].role == SUM && *slot_tensor(o, i))
      before[i] = THTest_(values)(*slot_tensor(o, i));

  layer->forward(o);
  layer->backward(o);
  if (layer->accumulate)
    layer->accumulate(o);

  for (int i = 0; i < SLOTS; i++) {
    const THTensor *g = *slot_tensor(o, i), *x = slot_of(o, i);
    if ((slots[i].role != GRADIENT && slots[i].role != SUM) || !g || !x)
      continue;
    CHECK_MSG(THTensor_(isSameSizeAs)(g, x), "%s has size %s, %s", slots[i].name,
              THTensor_(sizeDesc)(g).str, THTensor_(sizeDesc)(x).str);
    gradient[i] = calloc((size_t)THTest_(count)(x) + 1, sizeof(double));
    for (ptrdiff_t k = 0; k < THTest_(count)(x); k++) {
      gradient[i][k] = (double)*THTest_(at)(g, k);
      if (before[i])
        gradient[i][k] = (gradient[i][k] - (double)before[i][k]) / o->scale;
    }
  }
  for (int i = 0; i < SLOTS; i++) {
    if (gradient[i])
      layer_difference(layer, o, slot_of(o, i), gradient[i], slots[i].name);
    free(gradient[i]);
    free(before[i]);
  }
}

/* --- layouts --------------------------------------------------------------------------------- */

/* Contiguous operands and new results give the same output. */
static void check_layouts(const Layer *layer, Operands *o)
{
  layer->forward(o);
  Operands plain = *o;
  for (int i = 0; i < SLOTS; i++) {
    THTensor **t = slot_tensor(&plain, i);
    if (*t)
      *t = slots[i].role == GIVEN ? THTensor_(newClone)(*t) : THTensor_(new)();
  }
  if (layer->givesIndex)
    plain.index = THIndexTensor_(new)();
  else if (o->index)
    THIndexTensor_(retain)(o->index);
  layer->forward(&plain);
  CHECK(THTensor_(isSameSizeAs)(o->output, plain.output));
  for (ptrdiff_t i = 0; i < THTest_(count)(plain.output); i++)
    CHECK_NEAR(*THTest_(at)(o->output, i), *THTest_(at)(plain.output, i),
               LAYER_TOLERANCE * (1 + fabs((double)*THTest_(at)(plain.output, i))));
  layer_close(&plain);
}

/* --- rounds ---------------------------------------------------------------------------------- */

/* Says what the operands are. */
static void layer_describe(const Layer *layer, const char *kind, int number, Operands *o)
{
  char text[1024];
  size_t at = 0;
  for (int i = 0; i < SLOTS; i++) {
    THTensor *t = *slot_tensor(o, i);
    if (t && slots[i].role != BUFFER && at < sizeof text)
      at += (size_t)snprintf(text + at, sizeof text - at, ", %s %s strides %s", slots[i].name,
                             THTensor_(sizeDesc)(t).str, _THSizeDesc(t->stride, t->nDimension).str);
  }
  for (int i = 0; i < 8 && at < sizeof text; i++)
    at +=
        (size_t)snprintf(text + at, sizeof text - at, "%s%g", i ? " " : ", arguments ", o->args[i]);
  th_note("%s, %s case %d, seed %llu%s", layer->name, kind, number, (unsigned long long)th_seed(),
          text);
}

static void layer_round(const Layer *layer, int round, th_random *random)
{
  Operands o = {.random = random};
  layer->random(&o);
  o.scale = 0.25 * (double)(between(&o, 0, 1) ? between(&o, 1, 8) : between(&o, -8, -1));
  for (int i = 0; i < SLOTS; i++)
    if (slots[i].role == RESULT)
      *slot_tensor(&o, i) = THTensor_(new)();
  if (layer->givesIndex)
    o.index = THIndexTensor_(new)();
  layer_describe(layer, "random", round, &o);
  layer->forward(&o); /* tells the shape of the output */

  o.gradOutput = any_gradient(&o, o.output);
  THTensor *output = any_result(&o, o.output);
  THTensor_(free)(o.output);
  o.output = output;
  for (int i = 0; i < SLOTS; i++) {
    THTensor **t = slot_tensor(&o, i), *of = slot_of(&o, i);
    if (slots[i].role == GRADIENT && of)
      *t = any_result(&o, of);
    if (slots[i].role == SUM && of && layer->accumulate)
      *t = any(&o, of->nDimension, of->size);
    if (slots[i].role == BUFFER && one_in(&o, 2))
      *t = any_result(&o, o.input);
  }
  layer_describe(layer, "random", round, &o);
  check_gradients(layer, &o);
  check_layouts(layer, &o);
  layer_close(&o);
}

/* The golden cases without infinities, and random ones.  A run of a part leaves out the golden ones,
 * whose gradients are compared with golden values too. */
static void layer_gradients(const Layer *layer)
{
  enum { ROUNDS = 40 };
  const int rounds = th_part_of(ROUNDS);
  Operands o;
  for (int number = 0; rounds == ROUNDS && layer_open(&o, layer, number, TH_CONTIGUOUS, TH_EMPTY);
       number++) {
    int finite = 1;
    for (ptrdiff_t i = 0; i < THTest_(count)(o.input); i++)
      finite &= isfinite(*THTest_(at)(o.input, i));
    layer_describe(layer, "golden", number, &o);
    if (finite)
      check_gradients(layer, &o);
    layer_close(&o);
  }
  th_random random = {th_seed()};
  for (int round = 0; round < rounds; round++)
    layer_round(layer, round, &random);
}

#endif

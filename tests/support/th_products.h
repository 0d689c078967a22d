/* What tests of products multiply: shapes, layouts, aliases and factors, on any device. */
#ifndef TH_PRODUCTS_H
#define TH_PRODUCTS_H

#include "th_layouts.h"

enum { ADDMV, ADDMM, ADDR, ADDBMM, BADDBMM, PRODUCTS };
static const char *const product_names[] = {"addmv", "addmm", "addr", "addbmm", "baddbmm"};

typedef struct {
  int dims;
  int64_t size[3];
} Shape;

/* Shapes of t, a and b for a product of batch x n x m and batch x m x p. */
static void product_shapes(int which, int64_t batch, int64_t n, int64_t m, int64_t p, Shape *shape)
{
  const Shape shapes[PRODUCTS][3] = {
      {{1, {n}}, {2, {n, m}}, {1, {m}}},
      {{2, {n, p}}, {2, {n, m}}, {2, {m, p}}},
      {{2, {n, p}}, {1, {n}}, {1, {p}}},
      {{2, {n, p}}, {3, {batch, n, m}}, {3, {batch, m, p}}},
      {{3, {batch, n, p}}, {3, {batch, n, m}}, {3, {batch, m, p}}},
  };
  memcpy(shape, shapes[which], 3 * sizeof *shape);
}

/* batch, n, m and p. */
static const int64_t product_sizes[][4] = {
    {2, 3, 4, 5}, {1, 1, 1, 1}, {3, 1, 4, 2}, {2, 4, 1, 3}, {2, 3, 5, 1}};
enum { PRODUCT_SIZES = sizeof product_sizes / sizeof *product_sizes };

typedef struct ProductTrial {
  int which;
  Shape shape[3];
  int layout[4];   /* of r, t, a, b */
  int alias;       /* r is t (0), a, b, empty or itself */
  int alpha, beta; /* 0 to 2 */
} ProductTrial;

/* Draws one, and notes it. */
static ProductTrial product_trial(int which, size_t sizes, th_random *random)
{
  const int64_t *n = product_sizes[sizes];
  ProductTrial trial = {.which = which};
  product_shapes(which, n[0], n[1], n[2], n[3], trial.shape);
  for (int i = 0; i < 4; i++)
    do
      trial.layout[i] = (int)th_random_below(random, TH_ONE);
    while (!th_layout_keeps_shape(trial.layout[i]) ||
           (i == 0 && !th_layout_is_writable(trial.layout[i])));
  trial.alias = (int)th_random_below(random, 5);
  trial.alpha = (int)th_random_below(random, 3);
  trial.beta = (int)th_random_below(random, 3);
  const char *layouts[4];
  for (int i = 0; i < 4; i++)
    layouts[i] = th_layout_names[trial.layout[i]];
  th_note("%s %zu, layouts %s %s %s %s, alias %d, alpha %d, beta %d", product_names[which], sizes,
          layouts[0], layouts[1], layouts[2], layouts[3], trial.alias, trial.alpha, trial.beta);
  return trial;
}

#endif

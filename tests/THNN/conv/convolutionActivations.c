/* Activations that convolutions compute with their results (THNNGroups.h): each algorithm's, in both
 * layouts, against the same formula, in double, of what the algorithm computes without one. */
#include "THNNGroups.h"

#include "THKernel.h"
#include "THTemplate.h"
#include "THNN/conv/Algorithm.h"
#include "th_test.h"

#include <math.h>

typedef struct {
  int images, groups, planes, outputs, high, wide, size, step, pad;
} Shape;

/* Rests of tiles, of vectors and of blocks for each algorithm. */
static const Shape shapes[] = {{2, 1, 3, 7, 13, 21, 3, 2, 1},    {1, 1, 5, 11, 12, 31, 1, 1, 0},
                               {1, 1, 40, 13, 7, 7, 1, 1, 0},    {1, 1, 300, 65, 7, 7, 1, 1, 0},
                               {3, 1, 4, 6, 9, 17, 3, 1, 1},     {1, 1, 32, 35, 18, 19, 3, 1, 1},
                               {2, 19, 19, 19, 15, 23, 3, 1, 1}, {1, 5, 5, 10, 21, 40, 5, 1, 2},
                               {2, 9, 9, 9, 33, 29, 3, 2, 1},    {1, 37, 37, 37, 7, 7, 5, 1, 2},
                               {1, 2, 16, 12, 26, 26, 5, 1, 2},  {1, 1, 64, 70, 14, 14, 1, 2, 0},
                               {1, 1, 6, 9, 30, 30, 5, 2, 0},    {2, 70, 70, 70, 14, 14, 5, 2, 2},
                               {1, 1, 128, 31, 5, 5, 3, 1, 1},   {1, 1, 64, 68, 54, 59, 3, 1, 1}};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static const THNNActivation activations[] = {{THNN_CLAMP, 0, INFINITY, false},
                                             {THNN_CLAMP, -0.25, 0.5, false},
                                             {THNN_CLAMP, 1, -1, false},
                                             {THNN_HARDSWISH, 0, 0, false}};
enum { ACTIVATIONS = sizeof activations / sizeof *activations };

static double of(const THNNActivation *a, double v)
{
  if (isnan(v))
    return v;
  if (a->kind == THNN_CLAMP)
    return fmin(fmax(v, a->low), a->high);
  return v * fmin(fmax(v + 3, 0), 6) / 6;
}

/* Elements from -2 to 2, two of which are NaN and infinite. */
static THTensor *new_random(const int64_t *size, int isOdd)
{
  THTensor *t = THTensor_(newWithSize4d)(size[0], size[1], size[2], size[3]);
  static uint32_t state = 1;
  const ptrdiff_t n = THTensor_(nElement)(t);
  for (ptrdiff_t i = 0; i < n; i++) {
    state = state * 1664525u + 1013904223u;
    THTensor_(data)(t)[i] = (real)((double)(state >> 8) / (1 << 22) - 2);
  }
  if (isOdd) {
    THTensor_(data)(t)[n / 3] = NAN;
    THTensor_(data)(t)[n / 2] = -INFINITY;
  }
  return t;
}

/* A view of images x planes x rows x columns whose planes are last in memory. */
static THTensor *new_planes_last(THTensor *from)
{
  THTensor *last = THTensor_(new)(), *moved = THTensor_(newTranspose)(from, 1, 2);
  THTensor_(transpose)(last, moved, 2, 3);
  THTensor *copy = THTensor_(newClone)(last);
  THTensor_(transpose)(last, copy, 2, 3);
  THTensor_(transpose)(copy, last, 1, 2);
  THTensor_(free)(last);
  THTensor_(free)(moved);
  return copy;
}

static THNNGroups how_of(const Shape *s)
{
  return (THNNGroups){.axes = 2,
                      .groups = s->groups,
                      .size = {1, s->size, s->size},
                      .step = {1, s->step, s->step},
                      .pad = {0, s->pad, s->pad},
                      .dilation = {1, 1, 1}};
}

/* The output, as a contiguous tensor.  like: its layout. */
static THTensor *new_output(const THNNGroups *how, THTensor *x, THTensor *weight, THTensor *bias,
                            THTensor *like)
{
  THTensor *y = like ? new_planes_last(like) : THTensor_(new)();
  THNN_(Groups_updateOutput)(NULL, how, x, y, weight, bias);
  THTensor *contiguous = THTensor_(newContiguous)(y);
  THTensor_(free)(y);
  return contiguous;
}

static void check_activated(const THNNActivation *a, THTensor *got, THTensor *plain)
{
  const double epsilon = sizeof(real) == 4 ? 1e-6 : 1e-14;
  CHECK(THTensor_(isSameSizeAs)(got, plain));
  for (ptrdiff_t i = 0; i < THTensor_(nElement)(got); i++) {
    const double v = (double)THTensor_(data)(plain)[i], found = (double)THTensor_(data)(got)[i],
                 wanted = a->isDone ? of(a, v) : v;
    CHECK_MSG(found == wanted || (isnan(found) && isnan(wanted)) ||
                  fabs(found - wanted) <= epsilon * fabs(wanted),
              "element %td is %g and has to be %g, of %g", i, found, wanted, v);
  }
}

/* Whether the algorithm at hand computed the activations of this shape. */
static int is_done(const Shape *s, int isLast, int hasBias)
{
  const int64_t size[] = {s->images, s->planes, s->high, s->wide},
                of_weight[] = {s->outputs, s->planes / s->groups, s->size, s->size};
  THTensor *x = new_random(size, 1), *weight = new_random(of_weight, 0),
           *bias = hasBias ? THTensor_(newWithSize1d)(s->outputs) : NULL;
  for (int o = 0; hasBias && o < s->outputs; o++)
    THTensor_(data)(bias)[o] = (real)(o % 5 - 2);
  if (isLast) {
    THTensor *moved = new_planes_last(x);
    THTensor_(free)(x);
    x = moved;
  }
  THNNGroups how = how_of(s);
  THTensor *first = new_output(&how, x, weight, bias, NULL),
           *plain = new_output(&how, x, weight, bias, isLast ? first : NULL);
  int done = 0;
  for (int k = 0; k < ACTIVATIONS; k++) {
    THNNActivation a = activations[k];
    how.activation = &a;
    THTensor *got = new_output(&how, x, weight, bias, isLast ? first : NULL);
    check_activated(&a, got, plain);
    done += a.isDone;
    THTensor_(free)(got);
  }
  CHECK(done == 0 || done == ACTIVATIONS);
  THTensor *all[] = {x, weight, first, plain};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    THTensor_(free)(all[i]);
  if (bias)
    THTensor_(free)(bias);
  return done > 0;
}

static void THTest_(convolutionActivations)(void)
{
  static const struct {
    const char *name;
    enum {
      NEVER,
      ALWAYS,
      IN_ONE_PASS
    } computes; /* with little memory, winograd3x3 takes several passes */
  } algorithms[] = {{"depthwise_nchw", ALWAYS}, {"depthwise_nhwc", ALWAYS},
                    {"winograd5x5", NEVER},     {"winograd3x3", IN_ONE_PASS},
                    {"column_panels", ALWAYS},  {"implicit_gemm", NEVER},
                    {"direct", ALWAYS},         {"im2col", NEVER}};
  for (size_t k = 0; k < sizeof algorithms / sizeof *algorithms; k++) {
    int chosen = 0, computed = 0;
    THNNConvolution_force(algorithms[k].name);
    for (int i = 0; i < 4 * SHAPES; i++) {
      const Shape *s = &shapes[i / 4];
      const int isLast = i / 2 % 2;
      int inOrder;
      const THNNShape shape = {.how = how_of(s),
                               .batch = s->images,
                               .planes = s->planes,
                               .outputs = s->outputs,
                               .image = {1, s->high, s->wide}};
      if (strcmp(THNN_(Convolution_algorithm)(&shape, THNN_FORWARD, isLast, &inOrder),
                 algorithms[k].name))
        continue;
      th_note("%s, shape %d, planes last %d, bias %d", algorithms[k].name, i / 4, isLast, i % 2);
      const int done = is_done(s, isLast, i % 2);
      CHECK(algorithms[k].computes == IN_ONE_PASS || done == (algorithms[k].computes == ALWAYS));
      computed += done;
      chosen++;
    }
    CHECK(chosen > 0 || !strcmp(algorithms[k].name, "depthwise_nchw") ||
          !strcmp(algorithms[k].name, "winograd5x5")); /* not at all levels */
    CHECK(computed > 0 || chosen == 0 || algorithms[k].computes == NEVER);
  }
  THNNConvolution_force(NULL);
}

/* The gradients and a transposed convolution leave it alone. */
static void THTest_(otherPassesActivation)(void)
{
  const Shape s = {1, 1, 8, 12, 12, 12, 3, 1, 1};
  const int64_t size[] = {1, 8, 12, 12}, of_weight[] = {12, 8, 3, 3}, of_result[] = {1, 12, 12, 12};
  THTensor *x = new_random(size, 0), *weight = new_random(of_weight, 0),
           *g = new_random(of_result, 0);
  THNNGroups how = how_of(&s);
  THTensor *found[2][2];
  for (int k = 0; k < 2; k++) {
    THNNActivation a = {THNN_CLAMP, 0, 1, false};
    how.activation = k ? &a : NULL;
    how.full = false;
    found[k][0] = THTensor_(new)();
    THNN_(Groups_updateGradInput)(NULL, &how, x, g, found[k][0], weight);
    how.full = true;
    found[k][1] = THTensor_(new)();
    THNN_(Groups_updateOutput)(NULL, &how, g, found[k][1], weight, NULL);
    CHECK(!a.isDone);
  }
  for (int i = 0; i < 2; i++) {
    CHECK(THTensor_(equal)(found[0][i], found[1][i]));
    THTensor_(free)(found[0][i]);
    THTensor_(free)(found[1][i]);
  }
  THTensor_(free)(x);
  THTensor_(free)(weight);
  THTensor_(free)(g);
}

TH_TESTS(THTest_(convolutionActivations), THTest_(otherPassesActivation))

/* Convolutions against the definition of each, and against PyTorch. */
#include "THTemplate.h"

#include "th_golden.h"
#include "th_layouts.h"

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define TH_REAL_IS_FLOATING
typedef double number;
#else
typedef uint64_t number; /* wraps around, as do its lower bits */
#endif

/* --- the definitions ------------------------------------------------------------------------- */

enum { GER, GERM, MV, MM, MUL, CMUL, MAP, FAMILIES };
static const char *const family_names[] = {"ger", "germ", "mv", "mm", "mul", "cmul", "map"};

enum { VALID_X, VALID_C, FULL_X, FULL_C, REVERSE, FORMS };
static const char *const form_names[] = {"VX", "VC", "FX", "FC", "reverse"};

/* What exists: of images, of volumes; in the four forms, in reverse. */
static int exists(int family, int dims, int form)
{
  if (form == REVERSE)
    return family == GER || (family == GERM && dims == 2);
  return family != GERM && (family != MM || dims == 2);
}

static int64_t output_size(int form, int64_t n, int64_t m, int64_t s)
{
  if (form == REVERSE)
    return n - (m - 1) * s;
  return form < FULL_X ? n < m ? 0 : (n - m) / s + 1 : (n - 1) * s + m;
}

/* Sizes are batch, planes in, planes out; then three of a plane. */
typedef struct {
  int family, dims, form;
  int64_t batch, in, out;
  int64_t n[3], m[3], s[3], y[3];
  real map[64][2];
} Case;

/* r += the convolution of one plane, in the header's words. */
static void THTest_(onePlane)(const Case *c, number *r, const real *t, const real *k)
{
  const int64_t *n = c->n, *m = c->m, *s = c->s, *y = c->y;
  for (int64_t a = 0; a < m[0]; a++)
    for (int64_t b = 0; b < m[1]; b++)
      for (int64_t e = 0; e < m[2]; e++) {
        const int flipped = c->form == VALID_C || c->form == FULL_X;
        const number w =
            (number)(flipped ? k[((m[0] - 1 - a) * m[1] + m[1] - 1 - b) * m[2] + m[2] - 1 - e]
                             : k[(a * m[1] + b) * m[2] + e]);
        if (c->form == FULL_X || c->form == FULL_C) {
          for (int64_t i = 0; i < n[0]; i++)
            for (int64_t j = 0; j < n[1]; j++)
              for (int64_t l = 0; l < n[2]; l++)
                r[((i * s[0] + a) * y[1] + j * s[1] + b) * y[2] + l * s[2] + e] +=
                    w * (number)t[(i * n[1] + j) * n[2] + l];
        } else {
          const int64_t window[3] = {c->form == REVERSE ? 1 : s[0], c->form == REVERSE ? 1 : s[1],
                                     c->form == REVERSE ? 1 : s[2]};
          const int64_t tap[3] = {c->form == REVERSE ? s[0] : 1, c->form == REVERSE ? s[1] : 1,
                                  c->form == REVERSE ? s[2] : 1};
          for (int64_t i = 0; i < y[0]; i++)
            for (int64_t j = 0; j < y[1]; j++)
              for (int64_t l = 0; l < y[2]; l++)
                r[(i * y[1] + j) * y[2] + l] +=
                    w *
                    (number)t[((i * window[0] + a * tap[0]) * n[1] + j * window[1] + b * tap[1]) *
                                  n[2] +
                              l * window[2] + e * tap[2]];
        }
      }
}

static int64_t volume(const int64_t *size)
{
  return size[0] * size[1] * size[2];
}

/* The sums of a family, to be freed. */
static number *THTest_(allPlanes)(const Case *c, const real *t, const real *k, ptrdiff_t count)
{
  const int64_t n = volume(c->n), m = volume(c->m), y = volume(c->y), in = c->in, out = c->out;
  number *r = calloc((size_t)count, sizeof *r);
  for (int64_t b = 0; b < c->batch; b++)
    for (int64_t o = 0; o < out; o++)
      for (int64_t i = 0; i < in; i++)
        switch (c->family) {
          case GER:
            THTest_(onePlane)(c, r + (o * in + i) * y, t + i * n, k + o * m);
            break;
          case GERM:
            THTest_(onePlane)(c, r + (o * in + i) * y, t + (b * in + i) * n, k + (b * out + o) * m);
            break;
          case MV:
            THTest_(onePlane)(c, r + o * y, t + i * n, k + (o * in + i) * m);
            break;
          case MM:
            THTest_(onePlane)(c, r + (b * out + o) * y, t + (b * in + i) * n, k + (o * in + i) * m);
            break;
          case MUL:
            THTest_(onePlane)(c, r, t, k);
            break;
          case CMUL:
            THTest_(onePlane)(c, r + i * y, t + i * n, k + i * m);
            break;
          case MAP:
            break;
        }
  if (c->family == MAP)
    for (int64_t i = 0; i < c->batch; i++)
      THTest_(onePlane)(c, r + ((int64_t)c->map[i][1] - TH_INDEX_BASE) * y,
                        t + ((int64_t)c->map[i][0] - TH_INDEX_BASE) * n, k + i * m);
  return r;
}

typedef struct {
  int dims;
  int64_t size[5];
} Shape;

/* A shape of the outer sizes given (up to a 0) and of a plane. */
static Shape shape_of(const Case *c, const int64_t *plane, int64_t first, int64_t second)
{
  Shape shape = {0};
  if (first)
    shape.size[shape.dims++] = first;
  if (second)
    shape.size[shape.dims++] = second;
  for (int d = 3 - c->dims; d < 3; d++)
    shape.size[shape.dims++] = plane[d];
  return shape;
}

/* The shapes of r, t and k. */
static void shapes_of(const Case *c, Shape *shapes)
{
  const int64_t b = c->batch, i = c->in, o = c->out;
  const int64_t outer[FAMILIES][6] = {
      [GER] = {o, i, i, 0, o, 0}, [GERM] = {o, i, b, i, b, o}, [MV] = {o, 0, i, 0, o, i},
      [MM] = {b, o, b, i, o, i},  [MUL] = {0, 0, 0, 0, 0, 0},  [CMUL] = {i, 0, i, 0, i, 0},
      [MAP] = {o, 0, i, 0, b, 0},
  };
  const int64_t *x = outer[c->family];
  shapes[0] = shape_of(c, c->y, x[0], x[1]);
  shapes[1] = shape_of(c, c->n, x[2], x[3]);
  shapes[2] = shape_of(c, c->m, x[4], x[5]);
}

/* --- the functions --------------------------------------------------------------------------- */

typedef void (*Image)(THTensor *, real, real, THTensor *, THTensor *, int64_t, int64_t,
                      const char *, const char *);
typedef void (*Volume)(THTensor *, real, real, THTensor *, THTensor *, int64_t, int64_t, int64_t,
                       const char *, const char *);

static void THTest_(call)(const Case *c, THTensor *r, real beta, real alpha, THTensor *t,
                          THTensor *k)
{
  static const Image images[] = {
      [GER] = THTensor_(conv2Dger), [MV] = THTensor_(conv2Dmv),     [MM] = THTensor_(conv2Dmm),
      [MUL] = THTensor_(conv2Dmul), [CMUL] = THTensor_(conv2Dcmul),
  };
  static const Volume volumes[] = {
      [GER] = THTensor_(conv3Dger),
      [MV] = THTensor_(conv3Dmv),
      [MUL] = THTensor_(conv3Dmul),
      [CMUL] = THTensor_(conv3Dcmul),
  };
  const char *vf = c->form >= FULL_X ? "F" : c->n[2] % 2 ? "V" : "v";
  const char *xc = c->form == VALID_X || c->form == FULL_X ? "X" : c->n[2] % 3 ? "C" : "c";
  const int64_t *s = c->s;
  if (c->form == REVERSE && c->dims == 3) {
    THTensor_(conv3DRevger)(r, beta, alpha, t, k, s[0], s[1], s[2]);
  } else if (c->form == REVERSE) {
    (c->family == GER ? THTensor_(conv2DRevger) : THTensor_(conv2DRevgerm))(r, beta, alpha, t, k,
                                                                            s[1], s[2]);
  } else if (c->family == MAP) {
    THTensor *map = THTensor_(newWithSize2d)(c->batch, 2);
    memcpy(THTensor_(data)(map), c->map, (size_t)c->batch * sizeof *c->map);
    if (c->dims == 2)
      THTensor_(conv2Dmap)(r, beta, alpha, t, k, map, s[1], s[2], vf, xc);
    else
      THTensor_(conv3Dmap)(r, beta, alpha, t, k, map, s[0], s[1], s[2], vf, xc);
    THTensor_(free)(map);
  } else if (c->dims == 2) {
    images[c->family](r, beta, alpha, t, k, s[1], s[2], vf, xc);
  } else {
    volumes[c->family](r, beta, alpha, t, k, s[0], s[1], s[2], vf, xc);
  }
}

/* --- random cases ---------------------------------------------------------------------------- */

/* Small whole numbers where sums would be rounded; else anything, which may wrap around. */
static void THTest_(fill)(THTensor *t, th_random *random)
{
  for (ptrdiff_t i = 0; i < t->storage->size; i++)
#if defined(TH_REAL_IS_FLOATING)
    t->storage->data[i] = (real)(th_random_below(random, 17) - 8);
#else
    t->storage->data[i] = (real)th_random_next(random);
#endif
}

static Case THTest_(randomCase)(th_random *random)
{
  Case c = {.n = {1, 1, 1}, .m = {1, 1, 1}, .s = {1, 1, 1}, .y = {1, 1, 1}};
  do {
    c.family = (int)th_random_below(random, FAMILIES);
    c.dims = 2 + (int)th_random_below(random, 2);
    c.form = (int)th_random_below(random, FORMS);
  } while (!exists(c.family, c.dims, c.form));
  const int has_batch = c.family == GERM || c.family == MM || c.family == MAP;
  c.batch = has_batch ? 1 + th_random_below(random, 4) : 1;
  c.in = c.family == MUL ? 1 : 1 + th_random_below(random, 4);
  c.out = c.family == MUL || c.family == CMUL ? 1 : 1 + th_random_below(random, 9);
  int fits;
  do {
    fits = 1;
    for (int d = 3 - c.dims; d < 3; d++) {
      c.n[d] = 1 + th_random_below(random, d == 2 && c.form < FULL_X ? 40 : c.dims == 2 ? 9 : 6);
      c.m[d] = 1 + th_random_below(random, d == 2 && c.form == FULL_X ? 20 : 5);
      c.s[d] = 1 + th_random_below(random, 3);
      if (d == 2 && c.form != FULL_X && c.form != FULL_C && th_random_below(random, 4) == 0) {
        /* windows that are wider than the output */
        c.m[d] = 1 + th_random_below(random, 40);
        c.n[d] = (c.m[d] - 1) * (c.form == REVERSE ? c.s[d] : 1) + 1 + th_random_below(random, 7);
      }
      c.y[d] = output_size(c.form, c.n[d], c.m[d], c.s[d]);
      fits &= c.y[d] > 0;
    }
  } while (!fits);
  if (c.family == MAP) {
    c.out = 0;
    for (int64_t i = 0; i < c.batch; i++) {
      const int64_t to = th_random_below(random, 4);
      c.map[i][0] = (real)(th_random_below(random, c.in) + TH_INDEX_BASE);
      c.map[i][1] = (real)(to + TH_INDEX_BASE);
      c.out = THMax(c.out, to + 1);
    }
  }
  return c;
}

static int THTest_(randomLayout)(th_random *random)
{
  int layout;
  do
    layout = (int)th_random_below(random, TH_ONE);
  while (!th_layout_keeps_shape(layout));
  return layout;
}

/* r's values, which come from before (NULL: nothing), t and k. */
static void THTest_(checkConvolution)(const Case *c, const THTensor *r, real beta,
                                      const real *before, real alpha, const real *t, const real *k)
{
  Shape shapes[3];
  shapes_of(c, shapes);
  CHECK(THSize_isSameSizeAs(r->size, r->nDimension, shapes[0].size, shapes[0].dims));
  const ptrdiff_t count = THTest_(count)(r);
  number *want = THTest_(allPlanes)(c, t, k, count);
  for (ptrdiff_t i = 0; i < count; i++) {
    want[i] *= (number)alpha;
    if (beta != 0 && before)
      want[i] += (number)beta * (number)before[i];
    CHECK_EQ(*THTest_(at)(r, i), (real)want[i]);
  }
  free(want);
}

/* Puts an infinity or a NaN into k and t, now and then. */
static void THTest_(addOdd)(THTensor *k, THTensor *t, th_random *random)
{
#if defined(TH_REAL_IS_FLOATING)
  const real odd[] = {NAN, INFINITY, -INFINITY};
  if (th_random_below(random, 4) == 0)
    *THTest_(at)(k, th_random_below(random, THTest_(count)(k))) = odd[th_random_below(random, 3)];
  if (th_random_below(random, 8) == 0)
    *THTest_(at)(t, th_random_below(random, THTest_(count)(t))) = odd[th_random_below(random, 3)];
#endif
}

/* A result: t, k, empty, of another shape, or new with NaN where beta is 0. */
static THTensor *THTest_(resultOf)(int alias, THTensor *t, THTensor *k, const int *layouts,
                                   const Shape *shape, real beta, th_random *random)
{
  THTensor *r;
  if (alias < 2 && th_layout_is_writable(layouts[alias + 1])) {
    r = alias == 0 ? t : k;
    THTensor_(retain)(r);
  } else if (alias == 2) {
    r = THTensor_(new)();
  } else if (alias == 3) {
    r = THTest_(tensor)(TH_TRANSPOSED, 3, TH_SHAPE(3, 2));
  } else {
    r = THTest_(tensor)(layouts[0], 3, shape->dims, shape->size);
    THTest_(fill)(r, random);
#if defined(TH_REAL_IS_FLOATING)
    if (beta == 0)
      for (ptrdiff_t i = 0; i < THTest_(count)(r); i++)
        *THTest_(at)(r, i) = NAN;
#endif
  }
  return r;
}

static void THTest_(randomConvolutions)(void)
{
  th_random random = {th_seed()};
  for (int round = 0; round < 1500; round++) {
    const Case c = THTest_(randomCase)(&random);
    Shape shapes[3];
    shapes_of(&c, shapes);
    int layouts[3];
    for (int i = 0; i < 3; i++)
      layouts[i] = THTest_(randomLayout)(&random);
    while (!th_layout_is_writable(layouts[0]))
      layouts[0] = THTest_(randomLayout)(&random);
    const int alias =
        (int)th_random_below(&random, 6); /* r is t, k, empty, another shape, or new */
    const real alpha = (real)th_random_below(&random, 3);
    real beta = (real)th_random_below(&random, 3);
    th_note(
        "round %d: conv%dD%s %s, in %lld of [%lld %lld %lld], kernel [%lld %lld %lld], steps "
        "[%lld %lld %lld], out %lld, batch %lld, layouts %s %s %s, alias %d, alpha %g, beta %g",
        round, c.dims, family_names[c.family], form_names[c.form], (long long)c.in,
        (long long)c.n[0], (long long)c.n[1], (long long)c.n[2], (long long)c.m[0],
        (long long)c.m[1], (long long)c.m[2], (long long)c.s[0], (long long)c.s[1],
        (long long)c.s[2], (long long)c.out, (long long)c.batch, th_layout_names[layouts[0]],
        th_layout_names[layouts[1]], th_layout_names[layouts[2]], alias, (double)alpha,
        (double)beta);

    THTensor *t = THTest_(tensor)(layouts[1], 1, shapes[1].dims, shapes[1].size);
    THTensor *k = THTest_(tensor)(layouts[2], 2, shapes[2].dims, shapes[2].size);
    THTest_(fill)(t, &random);
    THTest_(fill)(k, &random);
    THTest_(addOdd)(k, t, &random);
    THTensor *r = THTest_(resultOf)(alias, t, k, layouts, &shapes[0], beta, &random);
    real *ts = THTest_(values)(t), *ks = THTest_(values)(k), *rs = THTest_(values)(r);
    real *before = THTest_(storageValues)(r);
    const int fits = THSize_isSameSizeAs(r->size, r->nDimension, shapes[0].size, shapes[0].dims);
    ptrdiff_t count = 1;
    for (int d = 0; d < shapes[0].dims; d++)
      count *= shapes[0].size[d];
    const int keeps = fits || (THTest_(count)(r) == count && THTensor_(isContiguous)(r));
    if (!keeps && THTest_(count)(r) == count) /* which element goes where depends on the strides */
      beta = 0;
    THTest_(call)(&c, r, beta, alpha, t, k);
    THTest_(checkConvolution)(&c, r, beta, keeps ? rs : NULL, alpha, ts, ks);
    if (fits)
      CHECK_OUTSIDE(r, before);
    if (r != t)
      CHECK_VALUES(t, ts);
    if (r != k)
      CHECK_VALUES(k, ks);
    free(ts);
    free(ks);
    free(rs);
    free(before);
    THTensor_(free)(r);
    THTensor_(free)(t);
    THTensor_(free)(k);
  }
}

/* Planes that are long and many: every count of outputs, and widths around those of vectors. */
static void THTest_(convolutionWidths)(void)
{
  th_random random = {th_seed()};
  for (int64_t width = 1; width < 40; width++)
    for (int form = 0; form < REVERSE; form += form == 0 ? 3 : 2) {
      Case c = {.family = MV,
                .dims = 2,
                .form = form,
                .batch = 1,
                .in = 2,
                .out = 1 + width % 13,
                .n = {1, 3, form == FULL_C ? width : width + 2},
                .m = {1, 2, 3},
                .s = {1, 1, 1}};
      for (int d = 0; d < 3; d++)
        c.y[d] = output_size(form, c.n[d], c.m[d], c.s[d]);
      Shape shapes[3];
      shapes_of(&c, shapes);
      th_note("width %lld, %s", (long long)width, form_names[form]);
      THTensor *t = THTest_(tensor)(0, 1, shapes[1].dims, shapes[1].size);
      THTensor *k = THTest_(tensor)(0, 2, shapes[2].dims, shapes[2].size);
      THTensor *r = THTest_(tensor)(TH_NARROWED, 3, shapes[0].dims, shapes[0].size);
      THTest_(fill)(t, &random);
      THTest_(fill)(k, &random);
      THTest_(fill)(r, &random);
      real *ts = THTest_(values)(t), *ks = THTest_(values)(k);
      for (int beta = 0; beta < 3; beta++) {
        real *rs = THTest_(values)(r), *before = THTest_(storageValues)(r);
        THTest_(call)(&c, r, (real)beta, 2, t, k);
        THTest_(checkConvolution)(&c, r, (real)beta, rs, 2, ts, ks);
        CHECK_OUTSIDE(r, before);
        free(rs);
        free(before);
        THTest_(fill)(r, &random);
      }
      free(ts);
      free(ks);
      THTensor_(free)(t);
      THTensor_(free)(k);
      THTensor_(free)(r);
    }
}

/* r is a view of an operand's storage, at another offset or of another shape. */
static void THTest_(convolutionsOverlap)(void)
{
  th_random random = {th_seed()};
  for (int form = 0; form < FORMS; form++)
    for (int of = 0; of < 2; of++)
      for (int64_t offset = 0; offset < 7; offset += 3)
        for (int narrow = 0; narrow < 2; narrow++) {
          Case c = {.family = GER, .dims = 2, .form = form, .batch = 1, .in = 2, .out = 2};
          for (int d = 0; d < 3; d++) {
            c.n[d] = d ? 6 : 1;
            c.m[d] = d ? 3 : 1;
            c.s[d] = 1;
            c.y[d] = output_size(form, c.n[d], c.m[d], c.s[d]);
          }
          th_note("%s, of %s, from %lld on, %d", form_names[form], of ? "the kernel" : "the input",
                  (long long)offset, narrow);
          THTensor *t = THTest_(tensor)(0, 1, TH_SHAPE(2, 6, 6));
          THTensor *k = THTest_(tensor)(0, 2, TH_SHAPE(2, 3, 3));
          THTensor_(resize1d)(of ? k : t, 1000);
          THTensor_(resize3d)(of ? k : t, 2, of ? 3 : 6, of ? 3 : 6);
          THTest_(fill)(t, &random);
          THTest_(fill)(k, &random);
          real *ts = THTest_(values)(t), *ks = THTest_(values)(k);
          THTensor *r = THTensor_(newWithStorage4d)(of ? k->storage : t->storage, offset, 2,
                                                    2 * c.y[1] * c.y[2], 2, c.y[1] * c.y[2],
                                                    c.y[1] - narrow, c.y[2], c.y[2], 1);
          real *rs = THTest_(values)(r);
          THTest_(call)(&c, r, 2, 1, t, k);
          THTest_(checkConvolution)(&c, r, 2, narrow ? NULL : rs, 1, ts, ks);
          free(ts);
          free(ks);
          free(rs);
          THTensor_(free)(r);
          THTensor_(free)(t);
          THTensor_(free)(k);
        }
}

/* --- planes in plain memory ------------------------------------------------------------------ */

typedef void (*ImagePlane)(real *, real, real *, int64_t, int64_t, real *, int64_t, int64_t,
                           int64_t, int64_t);
typedef void (*VolumePlane)(real *, real, real *, int64_t, int64_t, int64_t, real *, int64_t,
                            int64_t, int64_t, int64_t, int64_t, int64_t);

static void THTest_(planePointers)(void)
{
  static const ImagePlane images[] = {
      [VALID_X] = THTensor_(validXCorr2Dptr),    [VALID_C] = THTensor_(validConv2Dptr),
      [FULL_X] = THTensor_(fullXCorr2Dptr),      [FULL_C] = THTensor_(fullConv2Dptr),
      [REVERSE] = THTensor_(validXCorr2DRevptr),
  };
  static const VolumePlane volumes[] = {
      [VALID_X] = THTensor_(validXCorr3Dptr),    [VALID_C] = THTensor_(validConv3Dptr),
      [FULL_X] = THTensor_(fullXCorr3Dptr),      [FULL_C] = THTensor_(fullConv3Dptr),
      [REVERSE] = THTensor_(validXCorr3DRevptr),
  };
  th_random random = {th_seed()};
  for (int round = 0; round < 300; round++) {
    Case c;
    do
      c = THTest_(randomCase)(&random);
    while (c.family != MUL && c.family != GER);
    c.family = MUL;
    c.batch = c.in = c.out = 1;
    th_note("round %d: %dD %s", round, c.dims, form_names[c.form]);
    THTensor *t = THTest_(tensor)(0, 1, 3, c.n), *k = THTest_(tensor)(0, 2, 3, c.m);
    THTensor *r = THTest_(tensor)(TH_OFFSET, 3, 3, c.y);
    THTest_(fill)(t, &random);
    THTest_(fill)(k, &random);
    THTest_(fill)(r, &random);
    real *ts = THTest_(values)(t), *ks = THTest_(values)(k), *rs = THTest_(values)(r);
    real *before = THTest_(storageValues)(r), *to = THTensor_(data)(r);
    if (c.dims == 2)
      images[c.form](to, 2, ts, c.n[1], c.n[2], ks, c.m[1], c.m[2], c.s[1], c.s[2]);
    else
      volumes[c.form](to, 2, ts, c.n[0], c.n[1], c.n[2], ks, c.m[0], c.m[1], c.m[2], c.s[0], c.s[1],
                      c.s[2]);
    const Case volume = {c.family,
                         3,
                         c.form,
                         1,
                         1,
                         1,
                         {c.n[0], c.n[1], c.n[2]},
                         {c.m[0], c.m[1], c.m[2]},
                         {c.s[0], c.s[1], c.s[2]},
                         {c.y[0], c.y[1], c.y[2]},
                         {{0}}};
    THTest_(checkConvolution)(&volume, r, 1, rs, 2, ts, ks);
    CHECK_OUTSIDE(r, before);
    free(ts);
    free(ks);
    free(rs);
    free(before);
    THTensor_(free)(r);
    THTensor_(free)(t);
    THTensor_(free)(k);
  }
}

static void THTest_(planeErrors)(void)
{
  real x[8] = {0};
  CHECK_RAISES(4, "[0 x 2]", THTensor_(validXCorr2Dptr)(x, 1, x, 0, 2, x, 1, 1, 1, 1));
  CHECK_RAISES(7, "[1 x -1]", THTensor_(fullConv2Dptr)(x, 1, x, 1, 2, x, 1, -1, 1, 1));
  CHECK_RAISES(9, "[1 x 0]", THTensor_(validConv2Dptr)(x, 1, x, 1, 2, x, 1, 1, 1, 0));
  CHECK_RAISES(7, "[2 x 2]", THTensor_(validXCorr2Dptr)(x, 1, x, 1, 2, x, 2, 2, 1, 1));
  CHECK_RAISES(7, "[3 x 1]", THTensor_(validXCorr2DRevptr)(x, 1, x, 3, 1, x, 2, 1, 3, 1));
  CHECK_RAISES(7, "too large",
               THTensor_(fullXCorr2Dptr)(x, 1, x, 2, 2, x, 2, 2, INT64_MAX / 2, INT64_MAX / 2));
  CHECK_RAISES(4, "[1 x 0 x 2]", THTensor_(validXCorr3Dptr)(x, 1, x, 1, 0, 2, x, 1, 1, 1, 1, 1, 1));
  CHECK_RAISES(8, "[0 x 1 x 1]", THTensor_(fullXCorr3Dptr)(x, 1, x, 1, 1, 2, x, 0, 1, 1, 1, 1, 1));
  CHECK_RAISES(11, "[1 x 1 x 0]", THTensor_(fullConv3Dptr)(x, 1, x, 1, 1, 2, x, 1, 1, 1, 1, 1, 0));
  CHECK_RAISES(8, "[1 x 1 x 2]", THTensor_(validConv3Dptr)(x, 1, x, 1, 1, 2, x, 2, 1, 1, 1, 1, 1));
  CHECK_RAISES(8, "[1 x 1 x 2]",
               THTensor_(validXCorr3DRevptr)(x, 1, x, 1, 1, 2, x, 1, 1, 2, 1, 1, 2));
  CHECK_RAISES(4, "cannot be",
               THTensor_(fullConv3Dptr)(x, 1, x, INT64_MAX, 2, 2, x, 1, 1, 1, 1, 1, 1));
  for (int i = 0; i < 8; i++)
    CHECK_EQ(x[i], (real)0);
}

/* --- threads --------------------------------------------------------------------------------- */

static void THTest_(convolutionThreads)(void)
{
  const Case cases[] = {
      {MM, 2, VALID_X, 3, 4, 7, {1, 40, 45}, {1, 5, 3}, {1, 1, 1}, {1, 36, 43}, {{0}}},
      {MV, 2, FULL_C, 1, 5, 8, {1, 30, 31}, {1, 5, 6}, {1, 2, 2}, {1, 63, 66}, {{0}}},
      {MUL, 2, VALID_C, 1, 1, 1, {1, 150, 170}, {1, 7, 7}, {1, 1, 2}, {1, 144, 82}, {{0}}},
      {GERM, 2, REVERSE, 2, 3, 5, {1, 40, 45}, {1, 30, 31}, {1, 1, 1}, {1, 11, 15}, {{0}}},
      {CMUL, 3, FULL_X, 1, 3, 1, {9, 20, 21}, {3, 4, 5}, {1, 1, 1}, {11, 23, 25}, {{0}}},
  };
  const int threads = THGetNumThreads();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    th_note("case %zu", i);
    Shape shapes[3];
    shapes_of(&cases[i], shapes);
    THTensor *x[3];
    for (int j = 0; j < 3; j++)
      x[j] = THTest_(tensor)(0, (uint64_t)j, shapes[j].dims, shapes[j].size);
    THTensor *one = THTensor_(newClone)(x[0]);
    THSetNumThreads(1);
    THTest_(call)(&cases[i], one, 1, 1, x[1], x[2]);
    for (int n = 2; n < 4; n++) {
      THTensor *many = THTensor_(newClone)(x[0]);
      THSetNumThreads(n);
      THTest_(call)(&cases[i], many, 1, 1, x[1], x[2]);
      CHECK(!memcmp(THTensor_(data)(one), THTensor_(data)(many),
                    (size_t)THTest_(count)(one) * sizeof(real)));
      THTensor_(free)(many);
    }
    THTensor_(free)(one);
    for (int j = 0; j < 3; j++)
      THTensor_(free)(x[j]);
  }
  THSetNumThreads(threads);
}

/* --- errors ---------------------------------------------------------------------------------- */

/* Dimensions, and numbers of planes. */
static void THTest_(wrongDimensions)(THTensor *p, THTensor *w, THTensor *ps, THTensor *ws,
                                     THTensor *pss, THTensor *wss, THTensor *wsss, THTensor *empty,
                                     THTensor *r)
{
  CHECK_RAISES(4, "size [2 x 5 x 6]", THTensor_(conv2Dmul)(r, 0, 1, ps, w, 1, 1, "V", "X"));
  CHECK_RAISES(4, "size []", THTensor_(conv2Dmul)(r, 0, 1, empty, w, 1, 1, "V", "X"));
  CHECK_RAISES(5, "size []", THTensor_(conv2Dmul)(r, 0, 1, p, empty, 1, 1, "V", "X"));
  CHECK_RAISES(5, "size [2 x 2 x 3]", THTensor_(conv2Dmul)(r, 0, 1, p, ws, 1, 1, "V", "X"));
  CHECK_RAISES(5, "[4 x 2 x 2 x 3]", THTensor_(conv2Dcmul)(r, 0, 1, ps, wss, 1, 1, "V", "X"));
  CHECK_RAISES(5, "has to be 3", THTensor_(conv3Dcmul)(r, 0, 1, pss, wss, 1, 1, 1, "V", "X"));
  CHECK_RAISES(4, "[5 x 6]", THTensor_(conv2Dmv)(r, 0, 1, p, wss, 1, 1, "V", "X"));
  CHECK_RAISES(5, "[2 x 2 x 3]", THTensor_(conv2Dmv)(r, 0, 1, ps, ws, 1, 1, "V", "X"));
  CHECK_RAISES(5, "has to be 3", THTensor_(conv2DRevgerm)(r, 0, 1, pss, wss, 1, 1));
  CHECK_RAISES(4, "[2 x 5 x 6]", THTensor_(conv2Dmm)(r, 0, 1, ps, wss, 1, 1, "V", "X"));
  CHECK_RAISES(4, "[5 x 6]", THTensor_(conv2Dger)(r, 0, 1, p, ws, 1, 1, "V", "X"));
  CHECK_RAISES(4, "[5 x 6]", THTensor_(conv2DRevger)(r, 0, 1, p, ws, 1, 1));
  CHECK_RAISES(4, "[2 x 5 x 6]", THTensor_(conv3Dger)(r, 0, 1, ps, ws, 1, 1, 1, "V", "X"));
  CHECK_RAISES(4, "[2 x 5 x 6]", THTensor_(conv3DRevger)(r, 0, 1, ps, ws, 1, 1, 1));
  CHECK_RAISES(4, "[5 x 6]", THTensor_(conv3Dmul)(r, 0, 1, p, ws, 1, 1, 1, "V", "X"));
  CHECK_RAISES(4, "[2 x 5 x 6]", THTensor_(conv3Dmv)(r, 0, 1, ps, wsss, 1, 1, 1, "V", "X"));
}

/* Steps, letters and sizes. */
static void THTest_(wrongSteps)(THTensor *p, THTensor *w, THTensor *ps, THTensor *ws, THTensor *r)
{
  CHECK_RAISES(6, "not 0", THTensor_(conv2Dmul)(r, 0, 1, p, w, 0, 1, "V", "X"));
  CHECK_RAISES(7, "not -1", THTensor_(conv2Dmul)(r, 0, 1, p, w, 1, -1, "F", "X"));
  CHECK_RAISES(6, "not 0", THTensor_(conv3Dmul)(r, 0, 1, ps, ws, 0, 1, 1, "V", "X"));
  CHECK_RAISES(7, "not 0", THTensor_(conv3Dmul)(r, 0, 1, ps, ws, 1, 0, 1, "F", "X"));
  CHECK_RAISES(8, "not 0", THTensor_(conv3Dmul)(r, 0, 1, ps, ws, 1, 1, 0, "V", "X"));
  CHECK_RAISES(6, "not 0", THTensor_(conv2DRevger)(r, 0, 1, ps, ws, 0, 1));
  CHECK_RAISES(8, "not 'X'", THTensor_(conv2Dmul)(r, 0, 1, p, w, 1, 1, "X", "X"));
  CHECK_RAISES(8, "not ''", THTensor_(conv2Dmul)(r, 0, 1, p, w, 1, 1, "", "X"));
  CHECK_RAISES(9, "not 'V'", THTensor_(conv2Dmul)(r, 0, 1, p, w, 1, 1, "V", "V"));
  CHECK_RAISES(9, "not 'NULL'", THTensor_(conv2Dmul)(r, 0, 1, p, w, 1, 1, "V", NULL));
  CHECK_RAISES(9, "not 'q'", THTensor_(conv3Dmul)(r, 0, 1, ps, ws, 1, 1, 1, "q", "X"));
  CHECK_RAISES(10, "not 'q'", THTensor_(conv3Dmul)(r, 0, 1, ps, ws, 1, 1, 1, "F", "q"));

  /* sizes */
  CHECK_RAISES(5, "[2 x 3] is smaller than a kernel of size [5 x 6]",
               THTensor_(conv2Dmul)(r, 0, 1, w, p, 1, 1, "V", "X"));
  CHECK_RAISES(5, "steps of [5 x 1]", THTensor_(conv2DRevger)(r, 0, 1, ps, ws, 5, 1));
  CHECK_RAISES(5, "too large", THTensor_(conv2Dmul)(r, 0, 1, p, w, INT64_MAX / 2, 1, "F", "X"));
  CHECK_RAISES(5, "too large",
               THTensor_(conv2Dmul)(r, 0, 1, p, w, INT64_MAX / 8, INT64_MAX / 8, "F", "X"));
}

/* Maps. */
static void THTest_(wrongMaps)(THTensor *ps, THTensor *ws, THTensor *pss, THTensor *wss,
                               THTensor *r)
{
  THTensor *map = THTensor_(newWithSize2d)(2, 2), *two = THTensor_(newNarrow)(wss, 0, 0, 2);
  real *m = THTensor_(data)(map);
  for (int i = 0; i < 4; i++)
    m[i] = TH_INDEX_BASE;
  CHECK_RAISES(6, "[2 x 5 x 6]", THTensor_(conv2Dmap)(r, 0, 1, ps, ws, ps, 1, 1, "V", "X"));
  m[2] = TH_INDEX_BASE + 2;
  CHECK_RAISES(6,
               TH_INDEX_BASE ? "row 2 of the map: there is no plane 3"
                             : "row 1 of the map: there is no plane 2",
               THTensor_(conv2Dmap)(r, 0, 1, ps, ws, map, 1, 1, "V", "X"));
  CHECK_RAISES(6, "no plane", THTensor_(conv3Dmap)(r, 0, 1, two, two, map, 1, 1, 1, "V", "X"));
  m[2] = TH_INDEX_BASE;
#if !defined(TH_REAL_IS_BYTE) || TH_INDEX_BASE == 1
  m[1] = (real)(TH_INDEX_BASE - 1);
  CHECK_RAISES(6, "not the number", THTensor_(conv2Dmap)(r, 0, 1, ps, ws, map, 1, 1, "V", "X"));
  m[0] = m[1];
  CHECK_RAISES(6, "no plane", THTensor_(conv2Dmap)(r, 0, 1, ps, ws, map, 1, 1, "V", "X"));
#endif
#if defined(TH_REAL_IS_FLOATING)
  m[0] = TH_INDEX_BASE;
  m[1] = NAN;
  CHECK_RAISES(6, "nan", THTensor_(conv2Dmap)(r, 0, 1, ps, ws, map, 1, 1, "V", "X"));
  m[1] = (real)1.5;
  CHECK_RAISES(6, "1.5", THTensor_(conv2Dmap)(r, 0, 1, ps, ws, map, 1, 1, "V", "X"));
#endif
  for (int i = 0; i < 4; i++)
    m[i] = TH_INDEX_BASE;
  CHECK_RAISES(7, "not 0", THTensor_(conv2Dmap)(r, 0, 1, ps, ws, map, 0, 1, "V", "X"));
  CHECK_RAISES(9, "not 'q'", THTensor_(conv2Dmap)(r, 0, 1, ps, ws, map, 1, 1, "q", "X"));
  CHECK_RAISES(11, "not 'q'", THTensor_(conv3Dmap)(r, 0, 1, pss, wss, map, 1, 1, 1, "V", "q"));
  THTensor_(free)(map);
  THTensor_(free)(two);
}

static void THTest_(convolutionErrors)(void)
{
  THTensor *p = THTest_(tensor)(0, 1, TH_SHAPE(5, 6)), *w = THTest_(tensor)(0, 1, TH_SHAPE(2, 3));
  THTensor *ps = THTest_(tensor)(0, 1, TH_SHAPE(2, 5, 6)),
           *ws = THTest_(tensor)(0, 1, TH_SHAPE(2, 2, 3));
  THTensor *pss = THTest_(tensor)(0, 1, TH_SHAPE(3, 2, 5, 6)),
           *wss = THTest_(tensor)(0, 1, TH_SHAPE(4, 2, 2, 3));
  THTensor *wsss = THTest_(tensor)(0, 1, TH_SHAPE(4, 3, 2, 2, 3));
  THTensor *empty = THTensor_(new)();
  THTensor *r = THTest_(tensor)(TH_EXPANDED, 1, TH_SHAPE(4, 4));
  real *before = THTest_(storageValues)(r);

  THTest_(wrongDimensions)(p, w, ps, ws, pss, wss, wsss, empty, r);
  THTest_(wrongSteps)(p, w, ps, ws, r);
  THTest_(wrongMaps)(ps, ws, pss, wss, r);
  CHECK(r->nDimension == 2 && r->size[0] == 4 && r->stride[0] == 0);
  CHECK(!memcmp(before, r->storage->data, (size_t)r->storage->size * sizeof(real)));
  free(before);
  THTensor *all[] = {p, w, ps, ws, pss, wss, wsss, empty, r};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    THTensor_(free)(all[i]);
}

/* --- PyTorch --------------------------------------------------------------------------------- */

/* The numbers as this type has them; results are right in as many bits as it keeps. */
static THTensor *THTest_(golden)(const THGoldenFile *file, const char *name, int64_t step,
                                 const char *part)
{
  const THGolden *golden = th_golden(file, "Long/%s/%d/%s", name, (int)step, part);
  THTensor *t = THTensor_(new)();
  THTensor_(resizeNd)(t, golden->nDimension, (int64_t *)golden->size, NULL);
  for (ptrdiff_t i = 0; i < golden->count; i++)
    *THTest_(at)(t, i) = (real)golden->values[i].integer;
  return t;
}

static void THTest_(goldenConvolutions)(void)
{
  static const struct {
    const char *name;
    int family, dims, form;
  } rows[] = {{"conv2d", MM, 2, VALID_X},          {"conv2d_flipped", MM, 2, VALID_C},
              {"conv_transpose2d", MM, 2, FULL_C}, {"weight2d", GERM, 2, REVERSE},
              {"depthwise2d", CMUL, 2, VALID_X},   {"conv3d", MV, 3, VALID_X},
              {"conv_transpose3d", MV, 3, FULL_C}, {"depthwise3d", CMUL, 3, VALID_X}};
  THGoldenFile *file = th_golden_open("convolutions.txt");
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (int64_t step = 1; step < 4; step++) {
      const Case c = {
          .family = rows[i].family,
          .dims = rows[i].dims,
          .form = rows[i].form,
          .n = {1, 1, 1},
          .s = {step, step, 1 + step % 3},
      };
      th_note("%s in steps of %lld", rows[i].name, (long long)step);
      THTensor *t = THTest_(golden)(file, rows[i].name, step, "input");
      THTensor *k = THTest_(golden)(file, rows[i].name, step, "kernel");
      THTensor *want = THTest_(golden)(file, rows[i].name, step, "result");
      THTensor *r = THTensor_(new)();
      THTest_(call)(&c, r, 0, 1, t, k);
      for (int d = 0; d < r->nDimension; d++) /* a gradient may be larger than the kernel was */
        if (c.form == REVERSE && r->size[d] > want->size[d])
          THTensor_(narrow)(r, NULL, d, 0, want->size[d]);
      CHECK(THTensor_(isSameSizeAs)(r, want));
      for (ptrdiff_t e = 0; e < THTest_(count)(want); e++)
        CHECK_EQ(*THTest_(at)(r, e), *THTest_(at)(want, e));
      THTensor_(free)(r);
      THTensor_(free)(want);
      THTensor_(free)(k);
      THTensor_(free)(t);
    }
  th_golden_close(file);
}

TH_TESTS(THTest_(randomConvolutions), THTest_(convolutionWidths), THTest_(convolutionsOverlap),
         THTest_(planePointers), THTest_(planeErrors), THTest_(convolutionThreads),
         THTest_(convolutionErrors), THTest_(goldenConvolutions))

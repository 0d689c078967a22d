/* First values of parameters, by PyTorch's formulas and draws. */
#include "Layers.h"

#include <string.h>

/* Whether t is a tensor of at least so many dimensions; an error if not. */
static bool accepts(const char *operation, at_tensor *t, int dims)
{
  if (!at_accept(operation, "self", t, false))
    return false;
  if (at_dim(t) >= dims)
    return true;
  at_fail(AT_ERROR_ARGUMENT, operation, "%s: self is of size %s, and has to have %d dimensions",
          operation, at_sizeDesc(at_sizesOf(t)).str, dims);
  return false;
}

/* t after the block that made it: the undefined tensor if that failed. */
static at_tensor *initialized(at_tensor *t, unsigned before)
{
  return at_failureCount() == before ? t : at_undefined();
}

at_tensor *(at_init_uniform_)(at_tensor *self, const at_init_uniform__options *options)
{
  const at_init_uniform__options o = options ? *options : at_init_uniform__defaults;
  const unsigned before = at_failureCount();
  AT_NO_GRAD
  {
    at_uniform_(self, .from = o.a, .to = o.b, .generator = o.generator);
  }
  return initialized(self, before);
}

at_tensor *(at_init_normal_)(at_tensor *self, const at_init_normal__options *options)
{
  const at_init_normal__options o = options ? *options : at_init_normal__defaults;
  const unsigned before = at_failureCount();
  AT_NO_GRAD
  {
    at_normal_(self, .mean = o.mean, .std = o.std, .generator = o.generator);
  }
  return initialized(self, before);
}

at_tensor *(at_init_constant_)(at_tensor *self, double value)
{
  const unsigned before = at_failureCount();
  AT_NO_GRAD
  {
    at_fill_(self, value);
  }
  return initialized(self, before);
}

/* --- between limits --------------------------------------------------------------------------- */

typedef at_init_trunc_normal__options Limits;

/* Which elements of x are outside the limits. */
static at_tensor *outside(at_tensor *x, const Limits *o)
{
  return at_logical_or(at_lt(x, o->a), at_gt(x, o->b));
}

static bool is_any(at_tensor *mask)
{
  return at_defined(mask) && at_item_long(at_any(mask)) != 0;
}

/* Draws again what is outside the limits. */
static void draw_normal(at_tensor *self, const Limits *o)
{
  at_tensor *result = self;
  at_normal_(result, .mean = o->mean, .std = o->std, .generator = o->generator);
  for (at_tensor *mask = outside(result, o); is_any(mask); mask = outside(result, o)) {
    at_tensor *const again = at_empty_like(result);
    at_normal_(again, .mean = o->mean, .std = o->std, .generator = o->generator);
    result = at_where(mask, again, result);
  }
  if (result != self)
    at_copy_(self, result);
}

/* Which of the candidates a uniform number rejects, below the logarithm of the peak of the density. */
static at_tensor *rejected(at_tensor *candidates, const Limits *o, double peak)
{
  at_tensor *const density =
      at_sub(at_mul(at_square(at_div(at_sub(candidates, o->mean), o->std)), -0.5), peak);
  at_tensor *const draws = at_uniform_(at_empty_like(candidates), .generator = o->generator);
  return at_gt(at_log(draws), density);
}

/* Draws uniformly, and accepts by the density. */
static void draw_by_rejection(at_tensor *self, const Limits *o)
{
  const double mode = fmax(o->a, fmin(o->mean, o->b));
  const double distance = (mode - o->mean) / o->std, peak = -0.5 * distance * distance;
  at_tensor *result = self;
  at_uniform_(result, .from = o->a, .to = o->b, .generator = o->generator);
  at_tensor *pending = rejected(result, o, peak);
  while (is_any(pending)) {
    at_tensor *const candidates = at_empty_like(result);
    at_uniform_(candidates, .from = o->a, .to = o->b, .generator = o->generator);
    result = at_where(pending, candidates, result);
    pending = at_logical_and(pending, rejected(candidates, o, peak));
  }
  if (result != self)
    at_copy_(self, result);
}

/* The probability of a normal number between the limits. */
static double probability(const Limits *o)
{
  const double root = sqrt(2);
  return 0.5 * (erf((o->b - o->mean) / o->std / root) - erf((o->a - o->mean) / o->std / root));
}

at_tensor *(at_init_trunc_normal_)(at_tensor *self, const at_init_trunc_normal__options *options)
{
  const Limits o = options ? *options : at_init_trunc_normal__defaults;
  if (!accepts("init_trunc_normal_", self, 0))
    return at_undefined();
  if (!(o.std > 0 && o.a < o.b)) {
    at_fail(AT_ERROR_ARGUMENT, "init_trunc_normal_",
            "init_trunc_normal_: std is %g, a %g and b %g; std has to be above 0, and a below b",
            o.std, o.a, o.b);
    return at_undefined();
  }
  const unsigned before = at_failureCount();
  AT_SCOPE
  {
    AT_NO_GRAD
    {
      if (probability(&o) > 0.3)
        draw_normal(self, &o);
      else
        draw_by_rejection(self, &o);
    }
  }
  return initialized(self, before);
}

/* --- by the number of inputs and outputs ------------------------------------------------------ */

typedef struct Fan {
  double in, out;
} Fan;

static Fan fan_of(at_tensor *t)
{
  double field = 1;
  for (int d = 2; d < at_dim(t); d++)
    field *= (double)at_size(t, d);
  return (Fan){(double)at_size(t, 1) * field, (double)at_size(t, 0) * field};
}

double(at_init_gain)(const char *nonlinearity, const at_init_gain_options *options)
{
  const double slope = options && options->param == options->param ? options->param : 0.01;
  if (!at_acceptPointer("init_gain", "nonlinearity", nonlinearity))
    return NAN;
  if (!strcmp(nonlinearity, "tanh"))
    return 5.0 / 3;
  if (!strcmp(nonlinearity, "relu"))
    return sqrt(2.0);
  if (!strcmp(nonlinearity, "leaky_relu"))
    return sqrt(2.0 / (1 + slope * slope));
  if (!strcmp(nonlinearity, "selu"))
    return 3.0 / 4;
  if (!strcmp(nonlinearity, "linear") || !strcmp(nonlinearity, "sigmoid") ||
      !strncmp(nonlinearity, "conv", 4))
    return 1;
  at_fail(AT_ERROR_ARGUMENT, "init_gain", "init_gain: nonlinearity is '%s'", nonlinearity);
  return NAN;
}

at_tensor *(at_init_xavier_uniform_)(at_tensor *self,
                                     const at_init_xavier_uniform__options *options)
{
  const at_init_xavier_uniform__options o = options ? *options : at_init_xavier_uniform__defaults;
  if (!accepts("init_xavier_uniform_", self, 2))
    return at_undefined();
  const Fan fan = fan_of(self);
  const double bound = sqrt(3.0) * (o.gain * sqrt(2.0 / (fan.in + fan.out)));
  return at_init_uniform_(self, .a = -bound, .b = bound, .generator = o.generator);
}

at_tensor *(at_init_xavier_normal_)(at_tensor *self, const at_init_xavier_normal__options *options)
{
  const at_init_xavier_normal__options o = options ? *options : at_init_xavier_normal__defaults;
  if (!accepts("init_xavier_normal_", self, 2))
    return at_undefined();
  const Fan fan = fan_of(self);
  return at_init_normal_(self, .std = o.gain * sqrt(2.0 / (fan.in + fan.out)),
                         .generator = o.generator);
}

/* The deviation of Kaiming's draws; NaN after an error. */
static double kaiming_std(const char *operation, at_tensor *t, double a, const char *mode,
                          const char *nonlinearity)
{
  if (!accepts(operation, t, 2) || !at_acceptPointer(operation, "mode", mode))
    return NAN;
  const bool isIn = !strcmp(mode, "fan_in");
  if (!isIn && strcmp(mode, "fan_out") != 0) {
    at_fail(AT_ERROR_ARGUMENT, operation, "%s: mode is '%s', and not fan_in or fan_out", operation,
            mode);
    return NAN;
  }
  const Fan fan = fan_of(t);
  return at_init_gain(nonlinearity, .param = a) / sqrt(isIn ? fan.in : fan.out);
}

at_tensor *(at_init_kaiming_uniform_)(at_tensor *self,
                                      const at_init_kaiming_uniform__options *options)
{
  const at_init_kaiming_uniform__options o = options ? *options : at_init_kaiming_uniform__defaults;
  const double std = kaiming_std("init_kaiming_uniform_", self, o.a, o.mode, o.nonlinearity);
  if (std != std)
    return at_undefined();
  const double bound = sqrt(3.0) * std;
  return at_init_uniform_(self, .a = -bound, .b = bound, .generator = o.generator);
}

at_tensor *(at_init_kaiming_normal_)(at_tensor *self,
                                     const at_init_kaiming_normal__options *options)
{
  const at_init_kaiming_normal__options o = options ? *options : at_init_kaiming_normal__defaults;
  const double std = kaiming_std("init_kaiming_normal_", self, o.a, o.mode, o.nonlinearity);
  if (std != std)
    return at_undefined();
  return at_init_normal_(self, .std = std, .generator = o.generator);
}

/* --- matrices --------------------------------------------------------------------------------- */

at_tensor *(at_init_eye_)(at_tensor *self)
{
  if (!accepts("init_eye_", self, 2))
    return at_undefined();
  const unsigned before = at_failureCount();
  AT_SCOPE
  {
    AT_NO_GRAD
    {
      at_copy_(self, at_eye(at_size(self, 0), .m = at_size(self, 1), .type = at_typeOf(self)));
    }
  }
  return initialized(self, before);
}

/* The signs of the diagonal of R make the decomposition that of one distribution. */
static void make_orthogonal(at_tensor *self, double gain, at_generator *generator)
{
  const int64_t rows = at_size(self, 0), columns = at_numel(self) / rows;
  at_tensor *matrix = at_empty(AT_SHAPE(rows, columns), .type = at_typeOf(self));
  at_normal_(matrix, .generator = generator);
  if (rows < columns)
    matrix = at_t(matrix);
  const at_Q_R made = (at_linalg_qr)(matrix, NULL);
  at_tensor *const q = at_mul(made.Q, at_sign(at_diagonal(made.R)));
  at_copy_(self, at_reshape(rows < columns ? at_t(q) : q, at_sizes(self)));
  at_mul_(self, gain);
}

at_tensor *(at_init_orthogonal_)(at_tensor *self, const at_init_orthogonal__options *options)
{
  const at_init_orthogonal__options o = options ? *options : at_init_orthogonal__defaults;
  if (!accepts("init_orthogonal_", self, 2))
    return at_undefined();
  const unsigned before = at_failureCount();
  AT_SCOPE
  {
    AT_NO_GRAD
    {
      if (at_numel(self) > 0)
        make_orthogonal(self, o.gain, o.generator);
    }
  }
  return initialized(self, before);
}

at_tensor *(at_init_sparse_)(at_tensor *self, double sparsity,
                             const at_init_sparse__options *options)
{
  const at_init_sparse__options o = options ? *options : at_init_sparse__defaults;
  if (!accepts("init_sparse_", self, 2))
    return at_undefined();
  const int64_t rows = at_size(self, 0), columns = at_size(self, 1);
  const double zeros = ceil(sparsity * (double)rows);
  if (at_dim(self) > 2 || !(zeros >= 0 && zeros <= (double)rows)) {
    at_fail(AT_ERROR_ARGUMENT, "init_sparse_",
            "init_sparse_: self is of size %s and sparsity %g: it is for matrices, and from 0 to 1",
            at_sizeDesc(at_sizesOf(self)).str, sparsity);
    return at_undefined();
  }
  const unsigned before = at_failureCount();
  AT_NO_GRAD
  {
    at_normal_(self, .std = o.std, .generator = o.generator);
    for (int64_t i = 0; i < columns; i++)
      AT_SCOPE
      {
        at_tensor *const chosen = at_narrow(at_randperm(rows), 0, 0, (int64_t)zeros);
        at_index_fill_(at_select(self, 1, i), 0, chosen, 0);
      }
  }
  return initialized(self, before);
}

/* --- kernels ---------------------------------------------------------------------------------- */

/* Sets the elements of a group that keep one channel each. */
static void set_middle(at_tensor *self, int64_t group, int64_t outputs)
{
  for (int64_t i = 0; i < outputs && i < at_size(self, 1); i++) {
    at_tensor *kernel = at_select(at_select(self, 0, group * outputs + i), 0, i);
    while (at_dim(kernel) > 0)
      kernel = at_select(kernel, 0, at_size(kernel, 0) / 2);
    at_fill_(kernel, 1);
  }
}

at_tensor *(at_init_dirac_)(at_tensor *self, const at_init_dirac__options *options)
{
  const int64_t groups = options ? options->groups : at_init_dirac__defaults.groups;
  if (!accepts("init_dirac_", self, 3))
    return at_undefined();
  if (at_dim(self) > 5 || groups <= 0 || at_size(self, 0) % groups != 0) {
    at_fail(AT_ERROR_ARGUMENT, "init_dirac_", "init_dirac_: self is of size %s, and groups is %lld",
            at_sizeDesc(at_sizesOf(self)).str, (long long)groups);
    return at_undefined();
  }
  const unsigned before = at_failureCount();
  AT_SCOPE
  {
    AT_NO_GRAD
    {
      at_zero_(self);
      for (int64_t g = 0; g < groups && at_numel(self) > 0; g++)
        set_middle(self, g, at_size(self, 0) / groups);
    }
  }
  return initialized(self, before);
}

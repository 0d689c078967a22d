/* Weight norm, spectral norm and orthogonal matrices, as parameters that are computed at each use. */
#include "Parametrize.h"

#include <float.h>
#include <string.h>

/* --- weight norm ------------------------------------------------------------------------------ */

/* The norms of w over all dimensions but dim; AT_NONE: over all. */
static at_tensor *norms(at_tensor *w, int64_t dim)
{
  int64_t others[AT_LAYER_DIMS];
  int count = 0;
  for (int i = 0; i < at_dim(w); i++)
    if (i != dim && count < AT_LAYER_DIMS)
      others[count++] = i;
  if (dim == AT_NONE || count == 0)
    return dim == AT_NONE ? at_linalg_vector_norm(w) : at_abs(w);
  const at_ints dims = {others, count};
  return at_linalg_vector_norm(w, .dim = dims, .keepdim = true);
}

static at_tensor *by_norm(const at_derivation *how, const at_sources *from, bool training)
{
  (void)training;
  at_tensor *const g = from->of[0], *const v = from->of[1];
  return at_mul(v, at_div(g, norms(v, how->dim)));
}

static const at_rule weight_norm = {.kind = "_WeightNorm",
                                    .compute = by_norm,
                                    .names = {"original0", "original1"},
                                    .oldNames = {"_g", "_v"},
                                    .parameters = 2};

/* Whether *dim, of a tensor with that many dimensions, is one, which becomes positive; an error if not. */
static bool accepts_dim(const char *operation, int64_t *dim, const at_tensor *t)
{
  const int dims = at_dim(t);
  if (dims <= AT_LAYER_DIMS && (dims > 0 || *dim == AT_NONE) && at_wrapsIndex(dim, dims))
    return true;
  at_fail(AT_ERROR_ARGUMENT, operation, "%s: dim is %lld, and the parameter has size %s", operation,
          (long long)*dim, at_sizeDesc(at_sizes(t)).str);
  return false;
}

static bool norm_weight(const char *operation, at_module *self, const char *name, int64_t dim,
                        bool isOld)
{
  const at_member *const member = at_plainParameter(operation, self, name);
  if (!member || !accepts_dim(operation, &dim, member->tensor))
    return false;
  bool good = false;
  AT_SCOPE
  {
    at_sources from = {{NULL}};
    AT_NO_GRAD
    {
      from.of[0] = norms(member->tensor, dim);
      from.of[1] = at_clone(member->tensor);
    }
    const at_derivation how = {.rule = &weight_norm, .isOld = isOld, .dim = dim};
    good = at_derive(operation, self, name, &how, &from);
  }
  return good;
}

/* --- spectral norm ---------------------------------------------------------------------------- */

/* t divided by its norm, or by eps if that is larger. */
static at_tensor *unit(at_tensor *t, double eps)
{
  return at_div(t, at_clamp_min(at_linalg_vector_norm(t), eps));
}

/* w as a matrix of dim by all other dimensions. */
static at_tensor *matrix_of(at_tensor *w, int64_t dim)
{
  return at_flatten(at_movedim(w, AT_INTS(dim), AT_INTS(0)), .start_dim = 1);
}

/* Improves both vectors; the older function begins with v. */
static bool iterate(const at_derivation *how, at_tensor *matrix, at_tensor *u, at_tensor *v,
                    int64_t times)
{
  bool good = true;
  at_tensor *const flipped = at_transpose(matrix, 0, 1);
  AT_NO_GRAD
  {
    for (int64_t i = 0; i < 2 * times && good; i++) {
      const bool isU = (i % 2 == 0) != how->isOld;
      at_tensor *const made = isU ? at_mv(matrix, v) : at_mv(flipped, u);
      good = at_defined(at_copy_(isU ? u : v, unit(made, how->eps)));
    }
  }
  return good;
}

static at_tensor *by_largest(const at_derivation *how, const at_sources *from, bool training)
{
  at_tensor *const w = from->of[0];
  if (at_dim(w) == 1)
    return unit(w, how->eps);
  at_tensor *u = from->of[1], *v = from->of[2];
  at_tensor *const matrix = matrix_of(w, how->dim);
  if (training) {
    if (!iterate(how, at_detach(matrix), u, v, how->iterations))
      return at_undefined();
    u = at_clone(u), v = at_clone(v); /* the next use changes them, the gradient needs these */
  }
  return at_div(w, at_dot(u, at_mv(matrix, v)));
}

static const at_rule spectral_norm = {.kind = "_SpectralNorm",
                                      .compute = by_largest,
                                      .names = {"original", "_u", "_v"},
                                      .oldNames = {"_orig", "_u", "_v"},
                                      .parameters = 1};

/* The sources for how: w, and unless w is a vector, the singular vectors, behind 15 steps and those of
 * one use, as in PyTorch. */
static at_sources spectral_sources(at_derivation *how, at_tensor *w)
{
  at_sources from = {{w}};
  if (at_dim(w) == 1)
    return from;
  at_tensor *const matrix = matrix_of(at_detach(w), how->dim);
  for (int i = 0; i < 2; i++)
    from.of[1 + i] = unit(at_randn(AT_SHAPE(at_size(matrix, i)), .type = at_typeOf(w)), how->eps);
  if (!how->isOld && !iterate(how, matrix, from.of[1], from.of[2], 15 + how->iterations))
    from.of[1] = at_undefined();
  return from;
}

static bool norm_spectrum(const char *operation, at_module *self, const char *name,
                          const at_parametrizations_spectral_norm_options *options, bool isOld)
{
  const at_member *const member = at_plainParameter(operation, self, name);
  if (!member)
    return false;
  at_derivation how = {.rule = &spectral_norm,
                       .isOld = isOld,
                       .dim = options->dim,
                       .iterations = options->n_power_iterations,
                       .eps = options->eps};
  if (how.dim == AT_NONE)
    how.dim = !strncmp(self->kind->name, "ConvTranspose", strlen("ConvTranspose"));
  if (how.iterations < (isOld ? 0 : 1) || at_dim(member->tensor) < (isOld ? 2 : 1)) {
    at_fail(AT_ERROR_ARGUMENT, operation,
            "%s: n_power_iterations is %lld, and the parameter has size %s: they have to be at "
            "least %d, and of at least %d dimensions",
            operation, (long long)how.iterations, at_sizeDesc(at_sizes(member->tensor)).str, !isOld,
            1 + isOld);
    return false;
  }
  bool good = false;
  if (accepts_dim(operation, &how.dim, member->tensor))
    AT_SCOPE
    {
      at_sources from;
      AT_NO_GRAD
      {
        from = spectral_sources(&how, member->tensor);
      }
      good = at_derive(operation, self, name, &how, &from);
    }
  return good;
}

/* --- orthogonal matrices ---------------------------------------------------------------------- */

static at_tensor *flipped(at_tensor *t)
{
  return at_transpose(t, -2, -1);
}

/* The product of reflections below x's diagonal, with the signs on it. */
static at_tensor *reflections(at_tensor *x)
{
  at_tensor *const below = at_tril(x, .diagonal = -1);
  at_tensor *const squares = at_sum_dim(at_mul(below, below), AT_INTS(-2));
  at_tensor *const q =
      at_linalg_householder_product(below, at_mul(at_reciprocal(at_add(squares, 1)), 2));
  at_tensor *const signs = at_trunc(at_diagonal(at_detach(x), .dim1 = -2, .dim2 = -1));
  return at_mul(q, at_unsqueeze(signs, -2));
}

/* A function of the skew-symmetric matrix whose lower triangle x has in its first columns. */
static at_tensor *of_skew(at_tensor *x, bool isExponential)
{
  const int64_t n = at_size(x, -2), k = at_size(x, -1);
  at_tensor *const lower = at_pad(at_tril(x), AT_INTS(0, n - k));
  at_tensor *const a = at_sub(lower, flipped(lower));
  if (isExponential)
    return at_narrow(at_linalg_matrix_exp(a), -1, 0, k);
  at_tensor *const half = at_mul(a, 0.5), *const eye = at_eye(n, .type = at_typeOf(x));
  return at_narrow(at_linalg_solve(at_sub(eye, half), at_add(half, eye)), -1, 0, k);
}

static at_tensor *orthogonal_by(int64_t map, const at_sources *from)
{
  at_tensor *x = from->of[0];
  const bool isWide = at_size(x, -2) < at_size(x, -1);
  x = isWide ? flipped(x) : x;
  at_tensor *q = map == 2 ? reflections(x) : of_skew(x, map == 0);
  q = from->of[1] ? at_matmul(from->of[1], q) : q;
  return isWide ? flipped(q) : q;
}

static const char *const orthogonal_maps[] = {"matrix_exp", "cayley", "householder"};

static at_tensor *by_map(const at_derivation *how, const at_sources *from, bool training)
{
  (void)training;
  return orthogonal_by(how->dim, from);
}

static const at_rule orthogonal = {
    .kind = "_Orthogonal", .compute = by_map, .names = {"original", "base"}, .parameters = 1};

/* t of orthonormal columns that span the same spaces, by QR. */
static at_tensor *orthonormal(at_tensor *t)
{
  const at_Q_R made = at_linalg_qr(t);
  at_tensor *const signs = at_sign(at_diagonal(made.R, .dim1 = -2, .dim2 = -1));
  return at_mul(made.Q, at_unsqueeze(signs, -2));
}

static bool is_orthogonal(at_tensor *t)
{
  const double epsilon = at_type_scalarType(at_typeOf(t)) == AT_DOUBLE ? DBL_EPSILON : FLT_EPSILON;
  at_tensor *const eye = at_eye(at_size(t, -1), .type = at_typeOf(t));
  at_tensor *const square = at_matmul(flipped(t), t);
  return at_allclose(square, at_expand(eye, at_sizes(square)),
                     .atol = 10 * epsilon * (double)at_size(t, -2));
}

/* What is multiplied by the function: tall matrices w, of orthonormal columns, made square. */
static at_tensor *base_of(at_tensor *w)
{
  int64_t sizes[AT_LAYER_DIMS];
  const int dims = at_dim(w);
  const int64_t n = at_size(w, -2), k = at_size(w, -1);
  if (n == k)
    return is_orthogonal(w) ? at_clone(w) : orthonormal(w);
  for (int i = 0; i < dims; i++)
    sizes[i] = at_size(w, i);
  sizes[dims - 1] = n - k;
  at_tensor *const more = at_randn(((at_ints){sizes, dims}), .type = at_typeOf(w));
  return orthonormal(at_cat(AT_TENSORS(w, more), .dim = -1));
}

/* The reflections, below the diagonal, and signs, on it, whose product is tall matrices w. */
static at_tensor *reflectors(at_tensor *w)
{
  const int64_t n = at_size(w, -2), k = at_size(w, -1);
  at_tensor *const all = at_clone(at_reshape(w, AT_INTS(-1, n, k)));
  for (int64_t i = 0; at_defined(all) && i < at_size(all, 0); i++) {
    at_tensor *const one = at_select(all, 0, i);
    const at_qr_tau made = at_geqrf(one);
    at_tensor *const diagonal = at_diagonal(made.qr);
    at_tensor *const signs =
        at_where(at_eq(made.tau, 0), at_neg(at_sign(diagonal)), at_sign(diagonal));
    if (!at_defined(at_copy_(one, made.qr)) || !at_defined(at_copy_(at_diagonal(one), signs)))
      return at_undefined();
  }
  return at_reshape(all, at_sizes(w));
}

/* Whether w is matrices of a type and size for that map; an error if not. */
static bool accepts_map(const char *operation, at_tensor *w, int64_t map, bool isBased)
{
  const at_scalar_type type = at_type_scalarType(at_typeOf(w));
  if (at_dim(w) < 2 || at_dim(w) > AT_LAYER_DIMS || at_numel(w) == 0 ||
      (type != AT_FLOAT && type != AT_DOUBLE))
    at_fail(AT_ERROR_ARGUMENT, operation,
            "%s: the parameter is of %s and size %s, and has to be matrices of Float or Double",
            operation, at_scalarTypeName(type), at_sizeDesc(at_sizes(w)).str);
  else if (map != 2 && !isBased)
    at_fail(AT_ERROR_ARGUMENT, operation,
            "%s: use_trivialization is false, and orthogonal_map is '%s', which has no inverse",
            operation, orthogonal_maps[map]);
  else
    return true;
  return false;
}

/* The sources; the parameter w, which its first value is written to once everything else is made. */
static at_tensor *orthogonal_sources(at_tensor *w, bool isBased, at_sources *from)
{
  const bool isWide = at_size(w, -2) < at_size(w, -1);
  at_tensor *const tall = isWide ? flipped(w) : w;
  *from = (at_sources){{w, isBased ? base_of(tall) : NULL}};
  if (!isBased) {
    at_tensor *const first = reflectors(tall);
    return isWide ? flipped(first) : first;
  }
  at_tensor *const zeros = at_zeros_like(w);
  at_tensor *const diagonal = at_diagonal(zeros, .dim1 = -2, .dim2 = -1);
  return at_defined(at_fill_(diagonal, -1)) ? zeros : at_undefined();
}

bool(at_parametrizations_orthogonal)(at_module *self,
                                     const at_parametrizations_orthogonal_options *options)
{
  static const char operation[] = "parametrizations_orthogonal";
  if (!options)
    options = &at_parametrizations_orthogonal_defaults;
  const at_member *const member = at_plainParameter(operation, self, options->name);
  if (!member || !at_acceptPointer(operation, "orthogonal_map", options->orthogonal_map))
    return false;
  at_tensor *const w = member->tensor;
  const bool isSquare = at_dim(w) >= 2 && at_size(w, -2) == at_size(w, -1);
  int64_t map = 0;
  while (map < 3 && strcmp(options->orthogonal_map, orthogonal_maps[map]) != 0)
    map++;
  if (map == 3 && !strcmp(options->orthogonal_map, "default"))
    map = isSquare ? 0 : 2;
  if (map == 3) {
    at_fail(AT_ERROR_ARGUMENT, operation,
            "%s: orthogonal_map is '%s', and not matrix_exp, cayley, householder or default",
            operation, options->orthogonal_map);
    return false;
  }
  if (!accepts_map(operation, w, map, options->use_trivialization))
    return false;
  bool good = false;
  AT_SCOPE
  {
    AT_NO_GRAD
    {
      at_sources from;
      at_tensor *const first =
          at_contiguous(orthogonal_sources(at_detach(w), options->use_trivialization, &from));
      const at_derivation how = {.rule = &orthogonal, .dim = map};
      from.of[0] = w;
      at_retain(w);
      good = at_defined(first) && at_derive(operation, self, options->name, &how, &from) &&
             at_defined(at_copy_(w, first));
      at_release(w);
    }
  }
  return good;
}

/* --- the other functions ---------------------------------------------------------------------- */

bool(at_parametrizations_weight_norm)(at_module *self,
                                      const at_parametrizations_weight_norm_options *options)
{
  if (!options)
    options = &at_parametrizations_weight_norm_defaults;
  return norm_weight("parametrizations_weight_norm", self, options->name, options->dim, false);
}

bool(at_utils_weight_norm)(at_module *self, const at_utils_weight_norm_options *options)
{
  if (!options)
    options = &at_utils_weight_norm_defaults;
  return norm_weight("utils_weight_norm", self, options->name, options->dim, true);
}

bool(at_parametrizations_spectral_norm)(at_module *self,
                                        const at_parametrizations_spectral_norm_options *options)
{
  if (!options)
    options = &at_parametrizations_spectral_norm_defaults;
  return norm_spectrum("parametrizations_spectral_norm", self, options->name, options, false);
}

bool(at_utils_spectral_norm)(at_module *self, const at_utils_spectral_norm_options *options)
{
  if (!options)
    options = &at_utils_spectral_norm_defaults;
  const at_parametrizations_spectral_norm_options same = {
      options->name, options->n_power_iterations, options->eps, options->dim};
  return norm_spectrum("utils_spectral_norm", self, options->name, &same, true);
}

bool(at_parametrize_remove_parametrizations)(at_module *self,
                                             const at_parametrize_remove_parametrizations_options
                                                 *options)
{
  if (!options)
    options = &at_parametrize_remove_parametrizations_defaults;
  return at_underive("parametrize_remove_parametrizations", self, options->name, NULL, false,
                     options->leave_parametrized);
}

bool(at_utils_remove_weight_norm)(at_module *self,
                                  const at_utils_remove_weight_norm_options *options)
{
  if (!options)
    options = &at_utils_remove_weight_norm_defaults;
  return at_underive("utils_remove_weight_norm", self, options->name, &weight_norm, true, true);
}

bool(at_utils_remove_spectral_norm)(at_module *self,
                                    const at_utils_remove_spectral_norm_options *options)
{
  if (!options)
    options = &at_utils_remove_spectral_norm_defaults;
  return at_underive("utils_remove_spectral_norm", self, options->name, &spectral_norm, true, true);
}

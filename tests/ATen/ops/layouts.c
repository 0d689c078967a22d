/* The strides of results, and what draws fill tensors with, in many layouts: as PyTorch has them
 * (tests/oracle/aten_layouts.py). */
#define _GNU_SOURCE /* strchrnul */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ATen.h"
#include "th_golden.h"
#include "th_test.h"

enum { SEED = 11, MOST_DIMS = 8 };

/* --- operations ------------------------------------------------------------------------------- */

typedef at_tensor *(*Operation)(at_tensor *a, at_tensor *b);

/* An operation of a and b, and its name in the golden file. */
#define OPERATIONS(X)                                       \
  X(clone, at_clone(a))                                     \
  X(emptyLike, at_empty_like(a))                            \
  X(zerosLike, at_zeros_like(a))                            \
  X(fullLike, at_full_like(a, 2))                           \
  X(randnLike, at_randn_like(a))                            \
  X(toDouble, at_to(a, AT_CPU(AT_DOUBLE)))                  \
  X(toHalf, at_to(a, AT_CPU(AT_HALF)))                      \
  X(exp, at_exp(a))                                         \
  X(expOfHalf, at_exp(at_to(a, AT_CPU(AT_HALF))))           \
  X(addNumber, at_add(a, 1))                                \
  X(greater, at_gt(a, 0))                                   \
  X(gelu, at_gelu(a))                                       \
  X(elu, at_elu(a))                                         \
  X(softplus, at_softplus(a))                               \
  X(clamp, at_clamp(a, .min = 0, .max = 1))                 \
  X(roundLongs, at_round(at_to(a, AT_CPU(AT_LONG))))        \
  X(lgamma, at_lgamma(a))                                   \
  X(isnan, at_isnan(a))                                     \
  X(dropout, at_dropout(a, 0.5, true))                      \
  X(add, at_add(a, b))                                      \
  X(less, at_lt(a, b))                                      \
  X(atan2, at_atan2(a, b))                                  \
  X(addToDouble, at_add(a, at_to(b, AT_CPU(AT_DOUBLE))))    \
  X(where, at_where(at_gt(a, 0), a, b))                     \
  X(lerp, at_lerp(a, b, 0.25))                              \
  X(uniform, at_uniform_(a, .from = -1, .to = 2))           \
  X(normal, at_normal_(a, .mean = 0.5, .std = 2))           \
  X(logNormal, at_log_normal_(a, .mean = 0.5, .std = 0.25)) \
  X(exponential, at_exponential_(a, .lambd = 1.5))          \
  X(cauchy, at_cauchy_(a, .median = 0.5, .sigma = 2))       \
  X(geometric, at_geometric_(a, 0.3))                       \
  X(bernoulli, at_bernoulli_p_(a, .p = 0.4))                \
  X(bernoulliOf, at_bernoulli_tensor_(a, chances(a)))       \
  X(random, at_random_between_(a, -100, 100))               \
  X(randLike, at_rand_like(a))                              \
  X(nativeDropout, at_native_dropout(a, 0.4, true).output)  \
  X(alphaDropout, at_alpha_dropout(a, 0.4, true))           \
  X(mostDropout, at_dropout(a, 0.4, true))

/* Chances from 0 to 1 along the last dimension. */
static at_tensor *chances(at_tensor *a)
{
  const int64_t n = at_size(a, -1);
  return at_expand_as(at_div(at_arange(n, .type = AT_CPU(AT_DOUBLE)), n), a);
}

#define FUNCTION(NAME, CALL)                                \
  static at_tensor *call_##NAME(at_tensor *a, at_tensor *b) \
  {                                                         \
    return CALL;                                            \
  }
OPERATIONS(FUNCTION)

static const struct {
  const char *name;
  Operation call;
} operations[] = {
#define ENTRY(NAME, CALL) {#NAME, call_##NAME},
    OPERATIONS(ENTRY)};

/* Whether the operation also keeps strides of dimensions of size 1, which no element tells. */
static bool keeps_all(const char *name)
{
  return !strcmp(name, "clone") || !strncmp(name, "to", 2) || strstr(name, "Like");
}

static Operation find(const char *name)
{
  for (size_t i = 0; i < sizeof operations / sizeof *operations; i++)
    if (!strcmp(operations[i].name, name))
      return operations[i].call;
  CHECK_MSG(false, "there is no %s", name);
  return NULL;
}

/* --- layouts ---------------------------------------------------------------------------------- */

/* A tensor of ones in the layout of that name. */
static at_tensor *laid_out(const THGoldenFile *file, const char *name, const at_type *type)
{
  int64_t size[MOST_DIMS], stride[MOST_DIMS], length = 1;
  const THGolden *const sizes = th_golden(file, "layout/%s/sizes", name);
  const THGolden *const strides = th_golden(file, "layout/%s/strides", name);
  for (int d = 0; d < sizes->count; d++) {
    size[d] = sizes->values[d].integer;
    stride[d] = strides->values[d].integer;
    length += (size[d] - 1) * stride[d];
  }
  const int dims = (int)sizes->count;
  return at_as_strided(at_ones(AT_SHAPE(length), .type = type), ((at_ints){size, dims}),
                       ((at_ints){stride, dims}));
}

/* The parts of a name between slashes. */
static int parts_of(const char *name, char parts[4][64])
{
  int count = 0;
  for (const char *end; count < 4; name = end + 1) {
    end = strchrnul(name, '/');
    snprintf(parts[count++], sizeof *parts, "%.*s", (int)(end - name), name);
    if (!*end)
      break;
  }
  return count;
}

static void strides(void **state)
{
  THGoldenFile *const file = th_golden_open("layouts.txt");
  int checked = 0;
  for (ptrdiff_t i = 0; i < file->count; i++) {
    const THGolden *const want = &file->entries[i];
    char parts[4][64];
    const int count = parts_of(want->name, parts);
    if (strcmp(parts[0], "strides"))
      continue;
    AT_SCOPE
    {
      at_tensor *const a = laid_out(file, parts[2], AT_CPU(AT_FLOAT));
      at_tensor *const b = count > 3 ? laid_out(file, parts[3], AT_CPU(AT_FLOAT)) : NULL;
      at_tensor *const r = find(parts[1])(a, b);
      CHECK_MSG(at_dim(r) == want->count, "%s: %s", want->name, at_error_message());
      for (int d = 0; d < at_dim(r); d++)
        CHECK_MSG(at_stride(r, d) == want->values[d].integer ||
                      (at_size(r, d) == 1 && !keeps_all(parts[1])),
                  "%s: stride %d is %lld, not %lld", want->name, d, (long long)at_stride(r, d),
                  (long long)want->values[d].integer);
      checked++;
    }
  }
  CHECK(checked > 1000);
  th_golden_close(file);
}

/* --- draws ------------------------------------------------------------------------------------ */

static const at_type *type_named(const char *name)
{
  return AT_CPU(!strcmp(name, "Float")    ? AT_FLOAT
                : !strcmp(name, "Double") ? AT_DOUBLE
                : !strcmp(name, "Half")   ? AT_HALF
                                          : AT_BFLOAT16);
}

/* The error of numbers near 1; far ones of a Cauchy distribution have lost digits of Double. */
static double unit_of(const at_type *type)
{
  const at_scalar_type name = at_type_scalarType(type);
  return name == AT_DOUBLE  ? 0x1p-40
         : name == AT_FLOAT ? 0x1p-21
         : name == AT_HALF  ? 0x1p-9
                            : 0x1p-6;
}

static void draws(void **state)
{
  THGoldenFile *const file = th_golden_open("layouts.txt");
  int checked = 0;
  for (ptrdiff_t i = 0; i < file->count; i++) {
    const THGolden *const want = &file->entries[i];
    char parts[4][64];
    parts_of(want->name, parts);
    if (strcmp(parts[0], "draw"))
      continue;
    AT_SCOPE
    {
      const at_type *const type = type_named(parts[3]);
      at_tensor *const a = laid_out(file, parts[2], type);
      at_manualSeed(SEED);
      at_tensor *const r = find(parts[1])(a, NULL);
      CHECK_MSG(at_numel(r) == want->count, "%s: %s", want->name, at_error_message());
      const double *const got = at_data(at_contiguous(at_to(r, AT_CPU(AT_DOUBLE))));
      for (ptrdiff_t k = 0; k < want->count; k++) {
        const double wanted = th_golden_number(want, k);
        CHECK_MSG(fabs(got[k] - wanted) <= unit_of(type) * fmax(1, fabs(wanted)),
                  "%s: element %td is %.17g, not %.17g", want->name, k, got[k], wanted);
      }
      checked++;
    }
  }
  CHECK(checked > 100);
  th_golden_close(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(strides), cmocka_unit_test(draws)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

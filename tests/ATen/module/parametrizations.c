/* Parameters that are computed: back to tensors, copies, types, errors, and every allocation failing.
 * Values against PyTorch are in layers.c. */
#include "ATen.h"
#include "th_fail.h"
#include "th_test.h"

static void expect_error(const char *part)
{
  if (!strstr(at_error_message(), part))
    fail_msg("'%s' has no '%s'", at_error_message(), part);
  at_error_clear();
}

static double away(at_tensor *a, at_tensor *b)
{
  return at_item_double(at_max(at_abs(at_sub(a, b))));
}

typedef bool Derive(at_module *layer);

static bool weight_norm(at_module *layer)
{
  return at_parametrizations_weight_norm(layer);
}

static bool weight_norm_old(at_module *layer)
{
  return at_utils_weight_norm(layer);
}

static bool spectral_norm(at_module *layer)
{
  return at_parametrizations_spectral_norm(layer);
}

static bool spectral_norm_old(at_module *layer)
{
  return at_utils_spectral_norm(layer);
}

static bool orthogonal(at_module *layer)
{
  return at_parametrizations_orthogonal(layer);
}

static bool reflected(at_module *layer)
{
  return at_parametrizations_orthogonal(layer, .use_trivialization = false);
}

static bool plain_again(at_module *layer, Derive *derive)
{
  return derive == weight_norm_old     ? at_utils_remove_weight_norm(layer)
         : derive == spectral_norm_old ? at_utils_remove_spectral_norm(layer)
                                       : at_parametrize_remove_parametrizations(layer);
}

static Derive *const derives[] = {weight_norm,       weight_norm_old, spectral_norm,
                                  spectral_norm_old, orthogonal,      reflected};
enum { DERIVES = sizeof derives / sizeof *derives };

/* A parameter becomes a tensor again that has its value, under its name and with gradients. */
static void removed(void **state)
{
  for (int i = 0; i < DERIVES; i++)
    AT_SCOPE
    {
      at_module *const layer = at_Linear(4, 3);
      at_tensor *const x = at_ones(AT_SHAPE(2, 4));
      CHECK(derives[i](layer));
      at_module_eval(layer);
      at_tensor *const y = at_forward(layer, x);
      at_module_train(layer);
      if (derives[i] == spectral_norm) /* its value in training is another one */
        at_module_eval(layer);
      CHECK(plain_again(layer, derives[i]));
      CHECK(away(at_forward(layer, x), y) < 1e-6);
      const at_tensors *const parameters = at_module_parameters(layer);
      CHECK_EQ(parameters->count, 2);
      CHECK_EQ(at_module_count(layer), 0);
      CHECK(at_module_get(layer, "weight") == parameters->data[0]);
      CHECK(at_backward(at_sum(at_forward(layer, x))) && at_grad(parameters->data[0]));
      CHECK(!plain_again(layer, derives[i]));
      expect_error("'weight' of Linear is not computed in this way");
      at_module_free(layer);
    }
}

/* What a parameter is computed from goes with copies, types and state dicts. */
static void copied(void **state)
{
  for (int i = 0; i < DERIVES; i++)
    AT_SCOPE
    {
      at_module *const layer = at_Linear(4, 3);
      CHECK(derives[i](layer));
      at_module_eval(layer);
      at_module *const copy = at_module_clone(layer);
      CHECK(at_module_to(layer, AT_CPU(AT_DOUBLE)));
      at_tensor *const x = at_ones(AT_SHAPE(2, 4));
      at_tensor *const y = at_to(at_forward(layer, at_to(x, AT_CPU(AT_DOUBLE))), AT_CPU(AT_FLOAT));
      CHECK(away(at_forward(copy, x), y) < 1e-6);
      at_dict *const dict = at_module_state_dict(layer);
      CHECK(!at_dict_has(dict, "weight"));
      at_module *const other = at_Linear(4, 3);
      CHECK(derives[i](other) && at_module_load_state_dict(other, dict));
      at_module_eval(other);
      CHECK(away(at_forward(other, x), y) < 1e-6);
      at_dict_free(dict);
      at_module_free(layer);
      at_module_free(copy);
      at_module_free(other);
    }
}

static void two_at_once(void **state)
{
  AT_SCOPE
  {
    at_module *const layer = at_Linear(4, 4);
    CHECK(at_parametrizations_weight_norm(layer, .name = "bias", .dim = -1));
    CHECK(at_parametrizations_orthogonal(layer));
    CHECK(at_parametrize_remove_parametrizations(layer, .name = "bias"));
    CHECK_EQ(at_module_count(layer), 1);
    CHECK(at_defined(at_module_get(layer, "parametrizations.weight.0.base")));
    at_tensor *const w = at_module_get(layer, "weight");
    CHECK(away(at_mm(at_t(w), w), at_eye(4)) < 1e-5);
    CHECK(at_parametrize_remove_parametrizations(layer, .leave_parametrized = false));
    CHECK_EQ(at_module_count(layer), 0);
    CHECK(away(at_module_get(layer, "weight"), at_neg(at_eye(4))) == 0);
    at_module_free(layer);
  }
}

static void wrong(void **state)
{
  AT_SCOPE
  {
    at_module *const layer = at_Linear(4, 3);
    CHECK(!at_parametrizations_weight_norm(layer, .name = "weights"));
    expect_error("there is no parameter 'weights' of Linear");
    CHECK(!at_parametrizations_weight_norm(layer, .dim = 2));
    expect_error("dim is 2, and the parameter has size [3 x 4]");
    CHECK(!at_utils_spectral_norm(layer, .name = "bias"));
    expect_error("of at least 2 dimensions");
    CHECK(!at_parametrizations_spectral_norm(layer, .n_power_iterations = 0));
    expect_error("n_power_iterations is 0");
    CHECK(!at_parametrizations_orthogonal(layer, .name = "bias"));
    expect_error("has to be matrices");
    CHECK(!at_parametrizations_orthogonal(layer, .orthogonal_map = "exp"));
    expect_error("orthogonal_map is 'exp'");
    CHECK(!at_parametrizations_orthogonal(layer, .orthogonal_map = "cayley",
                                          .use_trivialization = false));
    expect_error("'cayley', which has no inverse");
    CHECK_EQ(at_module_count(layer), 0);
    CHECK(at_parametrizations_weight_norm(layer));
    CHECK(!at_parametrizations_spectral_norm(layer));
    expect_error("'weight' of Linear is computed already");
    CHECK(!at_parametrize_remove_parametrizations(layer, .leave_parametrized = false));
    expect_error("'weight' is computed from several tensors");
    CHECK(!at_module_set(layer, "weight", at_ones(AT_SHAPE(3, 4))));
    expect_error("'weight' is computed from other tensors");
    CHECK(!at_utils_remove_weight_norm(layer));
    expect_error("is not computed in this way");
    at_module_free(layer);
  }
}

/* Each step fails as a whole: the layer has its weight, or what it is computed from. */
static void steps(void *derive)
{
  AT_SCOPE
  {
    at_module *const layer = at_Linear(3, 2);
    Derive *const function = *(Derive *const *)derive;
    const bool isDerived = layer && function(layer);
    at_dict *const dict = layer ? at_module_state_dict(layer) : NULL;
    if (dict)
      CHECK_EQ(at_dict_has(dict, "weight"), !isDerived);
    if (dict && !isDerived)
      CHECK_EQ(at_dict_count(dict), 2);
    at_dict_free(dict);
    if (isDerived) {
      (void)at_backward(at_sum(at_forward(layer, at_ones(AT_SHAPE(2, 3)))));
      at_module_free(at_module_clone(layer));
      (void)plain_again(layer, function);
    }
    at_module_free(layer);
  }
  at_error_clear();
}

static void allocations(void **state)
{
  for (int i = 0; i < DERIVES; i++)
    CHECK(th_fail_each(steps, (void *)&derives[i]) > 30);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(removed), cmocka_unit_test(copied),
                                     cmocka_unit_test(two_at_once), cmocka_unit_test(wrong),
                                     cmocka_unit_test(allocations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

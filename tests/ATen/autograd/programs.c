/* Exported programs under gradients: gradients of all parameters, and the losses of a few steps of
 * gradient descent, as tests/oracle/programs_training.py recorded them with PyTorch. */
#include <math.h>

#include "../program/programs.h"

/* The sum of the first output times weights. */
static at_tensor *loss_of(at_program *program, at_tensors inputs)
{
  const at_tensors *made = at_program_run(program, inputs);
  CHECK_MSG(made->count > 0, "%s", at_error_message());
  at_tensor *const y = made->data[0];
  at_tensor *const weights = at_empty(at_sizes(y), .type = AT_CPU(AT_DOUBLE));
  for (int64_t i = 0; i < at_numel(y); i++)
    ((double *)at_data(weights))[i] = cos(1 + 0.7 * (double)i);
  at_tensor *const loss = at_sum(at_mul(y, at_to(weights, at_typeOf(y))));
  CHECK_MSG(at_defined(loss), "%s", at_error_message());
  return loss;
}

static void check_close(const char *name, at_tensor *got, at_tensor *wanted)
{
  CHECK_MSG(at_defined(got), "there is no gradient of %s", name);
  at_tensor *const other = at_to(wanted, at_typeOf(got));
  const double norm = at_item_double(at_norm(other));
  const double apart = at_item_double(at_norm(at_sub(got, other)));
  CHECK_MSG(apart <= 1e-4 * fmax(norm, 1), "%s: %g apart, of norm %g", name, apart, norm);
}

enum { MOST_INPUTS = 8 };

/* Compares the gradients of all parameters that PyTorch has one of. */
static void check_gradients(at_program *program, at_tensors inputs, const at_dict *trained)
{
  const at_dict *const parameters = at_program_parameters(program);
  int count = 0;
  CHECK_MSG(at_backward(loss_of(program, inputs)), "%s", at_error_message());
  for (int i = 0; i < at_dict_count(parameters); i++) {
    const char *const name = at_dict_name(parameters, i);
    if (!at_dict_has(trained, name))
      continue;
    check_close(name, at_grad(at_dict_get(parameters, name)), at_dict_get(trained, name));
    count++;
  }
  CHECK_EQ(count, at_dict_count(trained) - 2);
}

/* Steps of gradient descent on (loss - 1)^2. */
static void check_steps(at_program *program, at_tensors inputs, const at_dict *trained)
{
  const at_dict *const parameters = at_program_parameters(program);
  const double rate = at_item_double(at_dict_get(trained, "rate"));
  at_tensor *const losses = at_dict_get(trained, "losses");
  for (int step = 0; step < at_numel(losses); step++)
    AT_SCOPE
    {
      for (int i = 0; i < at_dict_count(parameters); i++) {
        at_tensor *const p = at_dict_get(parameters, at_dict_name(parameters, i));
        if (at_requiresGrad(p))
          CHECK(at_set_grad(p, NULL));
      }
      at_tensor *const loss = at_square(at_sub(loss_of(program, inputs), 1));
      const double wanted = ((double *)at_data(losses))[step], got = at_item_double(loss);
      CHECK_MSG(fabs(got - wanted) <= 1e-4 * fmax(wanted, 1), "step %d: %g, PyTorch has %g", step,
                got, wanted);
      CHECK_MSG(at_backward(loss), "%s", at_error_message());
      AT_NO_GRAD
      {
        for (int i = 0; i < at_dict_count(parameters); i++) {
          at_tensor *const p = at_dict_get(parameters, at_dict_name(parameters, i));
          if (at_requiresGrad(p) && at_grad(p))
            CHECK(at_defined(at_sub_(p, at_grad(p), .alpha = rate)));
        }
      }
    }
}

static void check_training(const char *name)
{
  at_program *const program = load_program(program_sample(name, ".pt2"));
  at_dict *const recorded = load(program_sample(name, ".npz"));
  at_dict *const trained = load(program_sample(name, "_training.npz"));
  const at_dict *const parameters = at_program_parameters(program);
  th_note("%s", name);
  AT_SCOPE
  {
    at_tensor *inputs[MOST_INPUTS];
    char input[16];
    int count = 0;
    while (count < MOST_INPUTS && snprintf(input, sizeof input, "input%d", count) > 0 &&
           at_dict_has(recorded, input))
      inputs[count++] = at_dict_get(recorded, input);
    for (int i = 0; i < at_dict_count(trained); i++) {
      const char *const parameter = at_dict_name(trained, i);
      if (at_dict_has(parameters, parameter))
        CHECK(at_defined(at_requires_grad_(at_dict_get(parameters, parameter))));
    }
    check_gradients(program, (at_tensors){inputs, count}, trained);
    check_steps(program, (at_tensors){inputs, count}, trained);
  }
  at_dict_free(trained);
  at_dict_free(recorded);
  at_program_free(program);
}

#define TRAINING(NAME)           \
  static void NAME(void **state) \
  {                              \
    check_training(#NAME);       \
  }
TRAINING(residual)
TRAINING(residual_core)
TRAINING(mobile)
TRAINING(encoder)
TRAINING(encoder_core)
TRAINING(encoder_plain)

int main(void)
{
  const struct CMUnitTest tests[] = {
      PROGRAM_TEST(residual), PROGRAM_TEST(residual_core), PROGRAM_TEST(mobile),
      PROGRAM_TEST(encoder),  PROGRAM_TEST(encoder_core),  PROGRAM_TEST(encoder_plain),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

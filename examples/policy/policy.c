/* Balances a pole on a cart by REINFORCE: a network learns from how long its tries last.
 *
 *     policy [EPISODES [NETWORK.pt]]
 *
 * A network sees where the cart and the pole are and how fast, and says how likely it pushes to the
 * right.  After each try, what was done is made more likely the longer the pole stayed up behind it.
 * The network is saved as a state dict that PyTorch loads:
 *
 *     net = torch.nn.Sequential(torch.nn.Linear(4, 64), torch.nn.Tanh(), torch.nn.Linear(64, 2))
 *     net.load_state_dict(torch.load("policy.pt")) */
#include <ATen/ATen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { LONGEST = 500, VALUES = 4 }; /* steps of a try; position, speed, angle, speed of the angle */

static const double DISCOUNT = 0.99, RATE = 0.01;

/* --- the world -------------------------------------------------------------------------------- */

/* Pushes the cart for a fiftieth of a second; whether the pole is still up. */
static bool push(const float *before, bool right, float *after)
{
  enum { X, SPEED, ANGLE, SPIN };
  const double gravity = 9.8, pole = 0.1, total = 1.1, half = 0.5, tick = 0.02;
  const double sine = sin(before[ANGLE]), cosine = cos(before[ANGLE]);
  const double thrust = ((right ? 10 : -10) + pole * half * pow(before[SPIN], 2) * sine) / total;
  const double turning =
      (gravity * sine - cosine * thrust) / (half * (4.0 / 3 - pole * cosine * cosine / total));
  const double pull = thrust - pole * half * turning * cosine / total;
  after[X] = (float)(before[X] + tick * before[SPEED]);
  after[SPEED] = (float)(before[SPEED] + tick * pull);
  after[ANGLE] = (float)(before[ANGLE] + tick * before[SPIN]);
  after[SPIN] = (float)(before[SPIN] + tick * turning);
  return fabs(after[X]) < 2.4 && fabs(after[ANGLE]) < 12 * M_PI / 180;
}

/* --- learning --------------------------------------------------------------------------------- */

/* Plays once: fills in what was seen and done, and returns for how many steps. */
static int64_t play(at_module *policy, at_tensor *states, at_tensor *actions)
{
  float *const state = at_data(states);
  int64_t *const action = at_data(actions), steps = 0;
  at_uniform_(at_narrow(states, 0, 0, 1), .from = -0.05, .to = 0.05);
  for (bool up = true; up && steps < LONGEST && at_error() == AT_OK; steps++)
    AT_SCOPE
    {
      at_tensor *const chances = at_softmax(at_forward(policy, at_narrow(states, 0, steps, 1)), 1);
      action[steps] = at_item_long(at_multinomial(chances, 1));
      up = push(state + VALUES * steps, action[steps] == 1, state + VALUES * (steps + 1));
    }
  return steps;
}

/* What follows each step: the steps to come, those soon more than those later; mean 0. */
static at_tensor *returns_of(int64_t steps)
{
  at_tensor *const returns = at_empty(AT_SHAPE(steps));
  float *const value = at_data(returns);
  double sum = 0;
  for (int64_t i = steps - 1; i >= 0; i--)
    value[i] = (float)(sum = 1 + DISCOUNT * sum);
  return at_div(at_sub(returns, at_mean(returns)), at_add(at_std(returns), 1e-6));
}

static void learn(at_module *policy, at_optimizer *adam, at_tensor *states, at_tensor *actions,
                  int64_t steps)
{
  at_tensor *const scores = at_forward(policy, at_narrow(states, 0, 0, steps));
  at_tensor *const unlikely = at_cross_entropy_loss(scores, at_narrow(actions, 0, 0, steps),
                                                    .reduction = AT_REDUCTION_NONE);
  at_optimizer_zero_grad(adam);
  at_backward(at_mean(at_mul(unlikely, returns_of(steps))));
  at_optimizer_step(adam);
}

int main(int argc, char **argv)
{
  const int episodes = argc > 1 ? atoi(argv[1]) : 500;
  at_manualSeed(1);
  AT_SCOPE
  {
    at_module *const policy = at_Sequential(at_Linear(VALUES, 64), at_Tanh(), at_Linear(64, 2));
    at_optimizer *const adam = at_adam(*at_module_parameters(policy), .lr = RATE);
    at_tensor *const states = at_zeros(AT_SHAPE(LONGEST + 1, VALUES));
    at_tensor *const actions = at_zeros(AT_SHAPE(LONGEST), .type = AT_CPU(AT_LONG));
    double average = 0;
    for (int i = 0; i < episodes && at_error() == AT_OK; i++)
      AT_SCOPE
      {
        int64_t steps = 0;
        AT_NO_GRAD
        {
          steps = play(policy, states, actions);
        }
        learn(policy, adam, states, actions, steps);
        average = i ? 0.95 * average + 0.05 * (double)steps : (double)steps;
        if (i % 25 == 24)
          printf("try %4d: up for %3lld steps, lately %5.1f\n", i + 1, (long long)steps, average);
      }
    if (argc > 2)
      at_module_save(policy, argv[2]);
    at_optimizer_free(adam);
    at_module_free(policy);
  }
  if (at_error() != AT_OK)
    fprintf(stderr, "policy: %s\n", at_error_message());
  return at_error() != AT_OK;
}

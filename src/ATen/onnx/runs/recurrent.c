/* LSTM, GRU and RNN: both directions, sequences of different lengths, any activations. */
#include <strings.h>

#include "../Runs.h"

typedef struct State {
  at_tensor *h, *c;
} State;

/* A node, and the direction that is computed. */
typedef struct Recurrence Recurrence;
struct Recurrence {
  const at_onnxCall *call;
  void (*step)(const Recurrence *r, at_tensor *x, State *s);
  int64_t gates, hidden, batch;
  int activationCount;
  const char *activations[3];
  double alpha[3], beta[3], clip;
  bool couples;     /* the forget gate is 1 less the input gate */
  bool resetsAfter; /* the reset gate is applied behind the product */
  bool isQuantized; /* weights have scales and zeros, and are transposed */
  at_tensor *lengths, *turned, *bias, *peephole[3];
};

/* --- activations ------------------------------------------------------------------------------ */

static at_tensor *affine(at_tensor *x, double alpha, double beta)
{
  return at_add(at_mul(x, alpha), beta);
}

static at_tensor *activated(const Recurrence *r, int which, at_tensor *x)
{
  const char *const name = r->activations[which];
  const double a = r->alpha[which], b = r->beta[which];
  if (r->clip > 0)
    x = at_clamp(x, .min = -r->clip, .max = r->clip);
  if (!strcasecmp(name, "Sigmoid"))
    return at_sigmoid(x);
  if (!strcasecmp(name, "Tanh"))
    return at_tanh(x);
  if (!strcasecmp(name, "Relu"))
    return at_relu(x);
  if (!strcasecmp(name, "LeakyRelu"))
    return at_leaky_relu(x, .negative_slope = a);
  if (!strcasecmp(name, "HardSigmoid"))
    return at_clamp(affine(x, a, b), .min = 0, .max = 1);
  if (!strcasecmp(name, "Affine"))
    return affine(x, a, b);
  if (!strcasecmp(name, "ScaledTanh"))
    return at_mul(at_tanh(at_mul(x, b)), a);
  if (!strcasecmp(name, "Elu"))
    return at_elu(x, .alpha = a);
  if (!strcasecmp(name, "Softplus"))
    return at_softplus(x);
  if (!strcasecmp(name, "Softsign"))
    return at_div(x, at_add(at_abs(x), 1));
  AT_ONNX_FAILS(r->call, "activation '%.40s' is not here", name);
}

/* --- one step --------------------------------------------------------------------------------- */

static at_tensor *gate(const Recurrence *r, at_tensor *all, int k)
{
  return at_narrow(all, -1, k * r->hidden, r->hidden);
}

static at_tensor *with(at_tensor *x, at_tensor *peephole, at_tensor *cell)
{
  return peephole ? at_add(x, at_mul(peephole, cell)) : x;
}

/* Gates: input, output, forget, cell. */
static void step_lstm(const Recurrence *r, at_tensor *x, State *s)
{
  at_tensor *const all = at_add(x, at_matmul(s->h, r->turned));
  at_tensor *const in = activated(r, 0, with(gate(r, all, 0), r->peephole[0], s->c));
  at_tensor *const forget = r->couples
                                ? at_sub(at_ones_like(in), in)
                                : activated(r, 0, with(gate(r, all, 2), r->peephole[2], s->c));
  at_tensor *const cell =
      at_add(at_mul(forget, s->c), at_mul(in, activated(r, 1, gate(r, all, 3))));
  at_tensor *const out = activated(r, 0, with(gate(r, all, 1), r->peephole[1], cell));
  s->h = at_mul(out, activated(r, 2, cell));
  s->c = cell;
}

/* Gates: update, reset, hidden. */
static void step_gru(const Recurrence *r, at_tensor *x, State *s)
{
  const int64_t size = r->hidden;
  at_tensor *const both = at_add(at_narrow(x, -1, 0, 2 * size),
                                 at_add(at_matmul(s->h, at_narrow(r->turned, 1, 0, 2 * size)),
                                        at_narrow(r->bias, 0, 0, 2 * size)));
  at_tensor *const update = activated(r, 0, gate(r, both, 0)), *const reset =
                                                                   activated(r, 0,
                                                                             gate(r, both, 1));
  at_tensor *const weight = at_narrow(r->turned, 1, 2 * size, size), *const bias =
                                                                         at_narrow(r->bias, 0,
                                                                                   2 * size, size);
  at_tensor *const inner = r->resetsAfter ? at_mul(reset, at_add(at_matmul(s->h, weight), bias))
                                          : at_add(at_matmul(at_mul(reset, s->h), weight), bias);
  at_tensor *const next = activated(r, 1, at_add(gate(r, x, 2), inner));
  s->h = at_add(at_mul(at_sub(at_ones_like(update), update), next), at_mul(update, s->h));
}

static void step_rnn(const Recurrence *r, at_tensor *x, State *s)
{
  s->h = activated(r, 0, at_add(x, at_matmul(s->h, r->turned)));
}

/* --- a direction ------------------------------------------------------------------------------ */

/* The state of sequences that go on at that time, and the old one of those that have ended. */
static at_tensor *kept(at_tensor *lives, at_tensor *next, at_tensor *old)
{
  return lives && old ? at_where(lives, next, old) : next;
}

/* Runs over all times; outputs are in steps, for which there is room. */
static State run_direction(const Recurrence *r, at_tensor *x, State s, bool isReverse,
                           at_tensor **steps)
{
  const int64_t count = at_size(x, 0);
  for (int64_t i = 0; i < count; i++) {
    const int64_t t = isReverse ? count - 1 - i : i;
    at_tensor *const lives = r->lengths ? at_unsqueeze(at_gt(r->lengths, t), -1) : NULL;
    const State old = s;
    r->step(r, at_select(x, 0, t), &s);
    steps[t] = lives ? at_mul(s.h, at_type_as(lives, s.h)) : s.h;
    s.h = kept(lives, s.h, old.h);
    s.c = kept(lives, s.c, old.c);
  }
  return s;
}

/* --- the node --------------------------------------------------------------------------------- */

static void read_activations(Recurrence *r, int direction)
{
  const at_onnxCall *const c = r->call;
  double alpha[AT_MOST_DIMS], beta[AT_MOST_DIMS];
  const int alphas = at_onnxFloats(c, "activation_alpha", alpha),
            betas = at_onnxFloats(c, "activation_beta", beta);
  const at_onnxTexts texts = at_onnxTextsOf(c, "activations");
  for (int k = 0; k < r->activationCount; k++) {
    const int at = direction * r->activationCount + k;
    if (at < texts.count)
      r->activations[k] = texts.data[at];
    r->alpha[k] = at < alphas                                     ? alpha[at]
                  : !strcasecmp(r->activations[k], "HardSigmoid") ? 0.2
                  : !strcasecmp(r->activations[k], "LeakyRelu")   ? 0.01
                                                                  : 1;
    r->beta[k] = at < betas ? beta[at] : !strcasecmp(r->activations[k], "HardSigmoid") ? 0.5 : 0;
  }
}

/* The weights that are input 1 or 2; where they are quantized, inputs from 8 on have scales and zeros of a
 * direction, or of each of its columns. */
static at_tensor *weights_of(const Recurrence *r, int input)
{
  const at_onnxCall *const c = r->call;
  at_tensor *const w = at_onnxInput(c, input);
  if (!r->isQuantized)
    return w;
  const at_type *const wide = at_cpuType(AT_FLOAT);
  at_tensor *parts[2];
  for (int k = 0; k < 2; k++) {
    parts[k] = at_to(at_onnxInput(c, 6 + 2 * input + k), wide);
    while (at_defined(parts[k]) && at_dim(parts[k]) < 3)
      parts[k] = at_unsqueeze(parts[k], at_dim(parts[k]) > 0 ? 1 : 0);
  }
  return at_transpose(at_mul(at_sub(at_to(w, wide), parts[1]), parts[0]), 1, 2);
}

/* The weights and biases of a direction; x becomes its products with them. */
static at_tensor *enter_direction(Recurrence *r, at_tensor *x, int direction)
{
  const at_onnxCall *const c = r->call;
  const int64_t gates = r->gates * r->hidden;
  at_tensor *const w = at_select(weights_of(r, 1), 0, direction);
  at_tensor *bias = at_onnxMaybe(c, 3), *const peepholes = at_onnxMaybe(c, 7);
  r->turned = at_t(at_select(weights_of(r, 2), 0, direction));
  bias = bias ? at_select(bias, 0, direction) : at_zeros(AT_SHAPE(2 * gates), .type = x->type);
  r->bias = at_narrow(bias, 0, gates, gates);
  for (int k = 0; k < 3; k++)
    r->peephole[k] = peepholes && r->gates == 4 ? at_narrow(at_select(peepholes, 0, direction), 0,
                                                            k * r->hidden, r->hidden)
                                                : NULL;
  at_tensor *const first = at_narrow(bias, 0, 0, gates);
  at_tensor *const made =
      at_add(at_matmul(x, at_t(w)), r->gates == 3 ? first : at_add(first, r->bias));
  if (!at_defined(made))
    AT_ONNX_FAILS(c, "it failed");
  return made;
}

static at_tensor *state_of(const Recurrence *r, int input, int direction, bool isFirst)
{
  at_tensor *const given = at_onnxMaybe(r->call, input);
  if (given)
    return at_select(given, isFirst ? 1 : 0, direction);
  return at_zeros(AT_SHAPE(r->batch, r->hidden), .type = at_onnxInput(r->call, 0)->type);
}

/* Runs the directions, and gives the node its outputs: Y, Y_h and Y_c. */
static void run_all(Recurrence *r, at_tensor *x, bool isFirst)
{
  enum { MOST_DIRECTIONS = 2 };
  const at_onnxCall *const c = r->call;
  const char *const direction = at_onnxText(c, "direction", "forward");
  const int count = !strcmp(direction, "bidirectional") ? 2 : 1;
  const int64_t times = at_size(x, 0);
  at_tensor *outputs[MOST_DIRECTIONS], *h[MOST_DIRECTIONS], *cells[MOST_DIRECTIONS];
  if (times < 1 || times > INT32_MAX)
    AT_ONNX_FAILS(c, "there are %lld steps", (long long)times);
  THGuard guard;
  THGuard_enter(&guard, THFree);
  at_tensor **const steps = guard.what = THAlloc((ptrdiff_t)times * (ptrdiff_t)sizeof *steps);
  for (int d = 0; d < count; d++) {
    read_activations(r, d);
    at_tensor *const products = enter_direction(r, x, d);
    State s = {state_of(r, 5, d, isFirst), r->gates == 4 ? state_of(r, 6, d, isFirst) : NULL};
    s = run_direction(r, products, s, count == 2 ? d == 1 : !strcmp(direction, "reverse"), steps);
    outputs[d] = at_stack(((at_tensors){steps, (int)times}));
    h[d] = s.h;
    cells[d] = s.c;
  }
  THGuard_leave(&guard);
  /* times x batch x directions x hidden, or batch first. */
  at_tensor *const y = at_stack(((at_tensors){outputs, count}), .dim = isFirst ? 2 : 1);
  at_onnxGive(c, 0, isFirst ? at_transpose(y, 0, 1) : y);
  at_onnxGive(c, 1, at_stack(((at_tensors){h, count}), .dim = isFirst ? 1 : 0));
  if (r->gates == 4)
    at_onnxGive(c, 2, at_stack(((at_tensors){cells, count}), .dim = isFirst ? 1 : 0));
}

static void run(at_onnxCall *c, Recurrence r)
{
  at_tensor *x = at_onnxInput(c, 0);
  const bool isFirst = at_onnxInt(c, "layout", 0) != 0;
  r.call = c;
  if (at_dim(x) != 3 || at_dim(at_onnxInput(c, 2)) != 3 || at_dim(at_onnxInput(c, 1)) != 3)
    AT_ONNX_FAILS(c, "the input and the weights have %d and %d dimensions, and have to have 3",
                  at_dim(x), at_dim(at_onnxInput(c, 1)));
  if (isFirst)
    x = at_transpose(x, 0, 1);
  r.hidden = at_size(at_onnxInput(c, 2), r.isQuantized ? 1 : 2);
  r.batch = at_size(x, 1);
  r.clip = at_onnxFloat(c, "clip", 0);
  r.couples = at_onnxInt(c, "input_forget", 0) != 0;
  r.resetsAfter = at_onnxInt(c, "linear_before_reset", 0) != 0;
  at_tensor *const lengths = at_onnxMaybe(c, 4);
  r.lengths = lengths ? at_to(lengths, at_cpuType(AT_LONG)) : NULL;
  run_all(&r, x, isFirst);
}

void at_runLstm(at_onnxCall *c)
{
  run(c, (Recurrence){.step = step_lstm,
                      .gates = 4,
                      .activationCount = 3,
                      .activations = {"Sigmoid", "Tanh", "Tanh"}});
}

/* ONNX Runtime rounds the inputs to 8 bits too, and the states: here only the weights are quantized. */
void at_runDynamicLstm(at_onnxCall *c)
{
  run(c, (Recurrence){.step = step_lstm,
                      .gates = 4,
                      .activationCount = 3,
                      .activations = {"Sigmoid", "Tanh", "Tanh"},
                      .isQuantized = true});
}

void at_runGru(at_onnxCall *c)
{
  run(c,
      (Recurrence){
          .step = step_gru, .gates = 3, .activationCount = 2, .activations = {"Sigmoid", "Tanh"}});
}

void at_runRnn(at_onnxCall *c)
{
  run(c, (Recurrence){.step = step_rnn, .gates = 1, .activationCount = 1, .activations = {"Tanh"}});
}

/* A layer of LSTM over a whole sequence as one node: fused cells forward and backward, and one product over
 * all steps for the gradient of the weights. */
#include "Sequence.h"

#include "ATen/core/ATenOperations.h"
#include "ATen/linear/linear.h"
#include "ATen/nn/nn.h"

enum { X, STATE, CELL, WEIGHT, BIAS, OTHER_BIAS, INPUTS };

/* What the backward pass needs.  Times are indices in the sequence; a step is how far the layer is, from
 * the first time on or from the last. */
typedef struct Sequence {
  int count; /* of inputs: there are none or two biases */
  bool isReverse;
  at_tensor *inputs[INPUTS]; /* references, with what made them */
  unsigned short versions[INPUTS];
  at_tensor *gates;  /* steps x batch x 4 units: i, f, g and o */
  at_tensor *states; /* what forward returns, without its node */
  unsigned short stateVersion;
  at_tensor *cells; /* (steps + 1) x batch x units, in the order of the steps */
} Sequence;

static const at_scalar one = {.value.integer = 1}, zero;

static unsigned short version_of(const at_tensor *t)
{
  return t->th->storage ? *at_version(t->th->storage) : 0;
}

static void free_sequence(void *context)
{
  Sequence *const s = context;
  for (int i = 0; i < s->count; i++)
    at_release(s->inputs[i]);
  at_release(s->gates);
  at_release(s->states);
  at_release(s->cells);
  THFree(s);
}

/* --- forward ------------------------------------------------------------------------------------ */

static void check_input(const Sequence *s, int index, int dims, const int64_t *sizes)
{
  static const char *const names[] = {"input",     "hx[0]",     "hx[1]",
                                      "params[1]", "params[2]", "params[3]"};
  const at_tensor *const t = s->inputs[index];
  const at_ints wanted = {sizes, dims};
  if (t->type != s->inputs[X]->type)
    at_raise(AT_ERROR_TYPE, "%s is of type %s, and input of %s", names[index], t->type->name,
             s->inputs[X]->type->name);
  if (!at_sameSizes(at_sizesOf(t), wanted))
    at_raise(AT_ERROR_ARGUMENT, "%s has size (%s), and has to have (%s)", names[index],
             at_sizeDesc(at_sizesOf(t)).str, at_sizeDesc(wanted).str);
}

static void check_inputs(const Sequence *s)
{
  const at_ints x = at_sizesOf(s->inputs[X]);
  if (x.count != 3 || x.data[2] % 4 || at_numel(s->inputs[X]) == 0)
    at_raise(AT_ERROR_ARGUMENT, "the gates of input have size (%s)", at_sizeDesc(x).str);
  const int64_t units = x.data[2] / 4, states[] = {x.data[1], units},
                weights[] = {4 * units, units};
  check_input(s, STATE, 2, states);
  check_input(s, CELL, 2, states);
  check_input(s, WEIGHT, 2, weights);
  for (int i = BIAS; i < s->count; i++)
    check_input(s, i, 1, weights);
}

static int64_t steps_of(const Sequence *s)
{
  return at_sizesOf(s->inputs[X]).data[0];
}

/* The index of the time of a step. */
static int64_t time_of(const Sequence *s, int64_t step)
{
  return s->isReverse ? steps_of(s) - 1 - step : step;
}

/* Where states have the one after a step, or with -1 the first one. */
static int64_t row_of(const Sequence *s, int64_t step)
{
  return s->isReverse ? steps_of(s) - 1 - step : step + 1;
}

static at_tensor *row(at_pool *pool, at_tensor *t, int64_t index)
{
  return at_hold(pool, at_viewSelect(t, 0, index));
}

static void run_step(const Sequence *s, at_tensor *states, at_tensor *product, at_tensor *map,
                     int64_t step)
{
  const at_functions *const f = states->type->functions;
  const bool hasBiases = s->count > BIAS;
  at_pool views;
  at_pool_enter(&views);
  at_product(product, AT_MATRIX_MATRIX, NULL, row(&views, states, row_of(s, step - 1)), map, zero,
             one);
  f->LSTMFused_updateOutput(row(&views, s->gates, time_of(s, step))->th, product->th,
                            hasBiases ? s->inputs[BIAS]->th : NULL,
                            hasBiases ? s->inputs[OTHER_BIAS]->th : NULL,
                            row(&views, s->cells, step)->th,
                            row(&views, states, row_of(s, step))->th,
                            row(&views, s->cells, step + 1)->th);
  at_pool_leave(&views);
}

/* The states of all times in steps + 1 rows, with the first state before or behind them, and the last
 * cell in another row. */
static at_tensor *run_forward(void *context, at_tensors inputs)
{
  Sequence *const s = context;
  check_inputs(s);
  const at_type *const type = s->inputs[X]->type;
  const int64_t steps = steps_of(s), batch = at_sizesOf(s->inputs[X]).data[1];
  const int64_t units = at_sizesOf(s->inputs[X]).data[2] / 4;
  const int64_t all[] = {steps + 2, batch, units}, cells[] = {steps + 1, batch, units};
  const int64_t products[] = {batch, 4 * units};
  at_pool pool;
  at_pool_enter(&pool);
  s->gates = at_newCast(s->inputs[X], type);
  s->cells = at_newShape(type, (at_ints){cells, 3});
  at_tensor *const states = at_layerNew(&pool, type, (at_ints){all, 3});
  at_tensor *const product = at_layerNew(&pool, type, (at_ints){products, 2});
  /* Transposed once: a product would do it at every step. */
  at_tensor *const transposed = at_hold(&pool, at_viewTranspose(s->inputs[WEIGHT], 0, 1));
  at_tensor *const map = at_hold(&pool, at_newCast(transposed, type));
  at_convert(row(&pool, states, row_of(s, -1)), s->inputs[STATE]);
  at_convert(row(&pool, s->cells, 0), s->inputs[CELL]);
  for (int64_t step = 0; step < steps; step++)
    run_step(s, states, product, map, step);
  at_convert(row(&pool, states, steps + 1), row(&pool, s->cells, steps));
  s->states = at_newView(states, states->th->storageOffset, at_sizesOf(states), states->th->stride);
  s->stateVersion = version_of(states);
  return at_pool_keep(&pool, states);
}

/* --- backward ----------------------------------------------------------------------------------- */

static void check_versions(const Sequence *s)
{
  bool isSame = version_of(s->states) == s->stateVersion;
  for (int i = 0; i < s->count; i++)
    isSame = isSame && (i == X || version_of(s->inputs[i]) == s->versions[i]);
  if (!isSame)
    at_raise(AT_ERROR_RUNTIME,
             "a tensor that the gradient of lstm needs has been changed in place since the call");
}

/* Gradients of the state and the cell, of the step and then of the one before. */
typedef struct Flow {
  at_tensor *gates; /* of the gates of all times */
  at_tensor *state, *cell, *nextCell, *sum;
} Flow;

static void step_back(const Sequence *s, Flow *flow, at_tensor *grad, int64_t step)
{
  const at_functions *const f = grad->type->functions;
  at_pool views;
  at_pool_enter(&views);
  at_tensor *const gates = row(&views, flow->gates, time_of(s, step));
  at_binary(flow->sum, AT_ROW_cadd, row(&views, grad, row_of(s, step)), flow->state, one);
  f->LSTMFused_updateGradInput(row(&views, s->gates, time_of(s, step))->th, gates->th,
                               row(&views, s->cells, step)->th, row(&views, s->cells, step + 1)->th,
                               flow->sum->th, flow->cell->th, flow->nextCell->th);
  at_product(flow->state, AT_MATRIX_MATRIX, NULL, gates, s->inputs[WEIGHT], zero, one);
  at_pool_leave(&views);
  at_tensor *const cell = flow->cell;
  flow->cell = flow->nextCell;
  flow->nextCell = cell;
}

/* The product of the gates' gradients and the states before them, over all steps and samples. */
static at_tensor *weight_gradient(at_pool *pool, const Sequence *s, at_tensor *gates)
{
  const int64_t steps = steps_of(s), units = at_sizesOf(s->states).data[2];
  const int64_t rows = steps * at_sizesOf(s->states).data[1];
  const int64_t ofGates[] = {rows, 4 * units}, ofStates[] = {rows, units},
                made[] = {4 * units, units};
  at_tensor *const before = at_hold(pool, at_viewNarrow(s->states, 0, s->isReverse, steps));
  at_tensor *const flat =
      at_hold(pool, at_newView(before, before->th->storageOffset, (at_ints){ofStates, 2}, NULL));
  at_tensor *const back =
      at_hold(pool, at_newView(gates, gates->th->storageOffset, (at_ints){ofGates, 2}, NULL));
  at_tensor *const result = at_layerNew(pool, gates->type, (at_ints){made, 2});
  at_product(result, AT_MATRIX_MATRIX, NULL, at_hold(pool, at_viewTranspose(back, 0, 1)), flat,
             zero, one);
  return result;
}

static void run_fused(Sequence *s, at_tensor *given, at_tensor **gradients)
{
  const at_type *const type = given->type;
  const int64_t steps = steps_of(s), units = at_sizesOf(s->states).data[2];
  const int64_t state[] = {at_sizesOf(s->states).data[1], units};
  check_versions(s);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const grad = at_hold(&pool, at_newCast(given, type));
  Flow flow = {
      at_layerNew(&pool, type, at_sizesOf(s->gates)), at_layerNew(&pool, type, (at_ints){state, 2}),
      at_hold(&pool, at_newCast(row(&pool, grad, steps + 1), type)),
      at_layerNew(&pool, type, (at_ints){state, 2}), at_layerNew(&pool, type, (at_ints){state, 2})};
  at_fillWith(flow.state, zero); /* the first state is no result of the layer */
  for (int64_t step = steps - 1; step >= 0; step--)
    step_back(s, &flow, grad, step);
  at_tensor *made[INPUTS] = {flow.gates, flow.state, flow.cell, NULL, NULL, NULL};
  if (s->inputs[WEIGHT]->node)
    made[WEIGHT] = weight_gradient(&pool, s, flow.gates);
  for (int i = BIAS; i < s->count; i++)
    made[i] = i == BIAS ? at_sum_dim(flow.gates, AT_INTS(0, 1)) : made[BIAS]; /* the scope's */
  for (int i = 0; i < s->count; i++)
    if (made[i] && !at_defined(made[i]))
      at_raise(at_error(), "a gradient of lstm could not be computed");
  for (int i = 0; i < s->count; i++)
    gradients[i] = s->inputs[i]->node ? at_retain(made[i]) : NULL;
  at_pool_leave(&pool);
}

/* By operations, where the gradients themselves are differentiated. */
static bool run_recorded(Sequence *s, at_tensor *grad, at_tensor **gradients)
{
  bool isDone = false;
  AT_SCOPE
  {
    check_versions(s);
    at_tensor *const result = at_lstmByOperations(s->inputs, s->count, s->isReverse);
    at_tensor *wanted[INPUTS];
    int count = 0;
    for (int i = 0; i < s->count; i++)
      if (s->inputs[i]->node)
        wanted[count++] = s->inputs[i];
    const at_gradients_options options = {
        .grad_outputs = {&grad, 1}, .create_graph = true, .allow_unused = true};
    const at_tensors outputs = {(at_tensor *[]){result}, 1}, inputs = {wanted, count};
    const at_tensors *const made =
        at_defined(result) ? (at_gradients)(outputs, inputs, &options) : NULL;
    isDone = made && made->count == count;
    for (int i = 0, k = 0; i < s->count && isDone; i++)
      gradients[i] = s->inputs[i]->node ? at_retain(made->data[k++]) : NULL;
  }
  return isDone;
}

static bool run_backward(void *context, at_tensor *grad, int count, at_tensor **gradients)
{
  Sequence *const s = context;
  if (at_grad_isOn())
    return run_recorded(s, grad, gradients);
  run_fused(s, grad, gradients);
  return true;
}

/* --- the call ----------------------------------------------------------------------------------- */

bool at_lstmIsFused(const at_tensor *input)
{
  return at_isOnHost(input->type) &&
         (input->type->scalarType == AT_FLOAT || input->type->scalarType == AT_DOUBLE);
}

at_tensor *at_lstmSequence(at_tensor *const *inputs, int count, bool isReverse)
{
  static const at_grad_function function = {"lstm", run_forward, run_backward, free_sequence};
  at_call call;
  at_begin(&call, "lstm");
  Sequence *volatile made = NULL;
  TH_TRY(call.attempt)
  {
    Sequence *const s = THAlloc(sizeof *s);
    *s = (Sequence){.count = count, .isReverse = isReverse};
    for (int i = 0; i < count; i++) {
      s->inputs[i] = at_retain(inputs[i]);
      s->versions[i] = version_of(inputs[i]);
    }
    made = s;
  }
  if (at_failed(&call))
    return at_undefined();
  at_tensor *const result = (at_apply)(&function, made, (at_tensors){inputs, count});
  if (at_defined(result))
    at_own(&result->owned);
  return result;
}

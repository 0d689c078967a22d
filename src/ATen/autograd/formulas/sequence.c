/* A recurrent layer over a whole sequence as one node: fused cells forward and backward, and one product
 * over all steps for the gradient of the weights. */
#include "Sequence.h"

#include "ATen/core/ATenOperations.h"
#include "ATen/linear/linear.h"
#include "ATen/nn/nn.h"

enum { X, STATE, WEIGHT, BIAS, OTHER_BIAS, CELL, INPUTS };

/* What the backward pass needs.  Times are indices in the sequence; a step is how far the layer is, from
 * the first time on or from the last. */
typedef struct Sequence {
  at_cell_kind cell;
  bool isReverse;
  at_tensor *inputs[INPUTS]; /* references, with what made them; biases and CELL may be NULL */
  unsigned short versions[INPUTS];
  at_tensor *
      kept; /* of LSTM steps x batch x 4 units, i, f, g and o; of GRU 5, as its cell says; or NULL */
  at_tensor *states; /* what forward returns, without its node */
  unsigned short stateVersion;
  at_tensor *cells; /* of LSTM: (steps + 1) x batch x units, in the order of the steps */
} Sequence;

static const at_scalar one = {.value.integer = 1}, zero;
static const char *const cell_names[] = {"rnn_tanh", "rnn_relu", "gru", "lstm"};
static const int gate_counts[] = {1, 1, 3, 4};

static void free_sequence(void *context)
{
  Sequence *const s = context;
  for (int i = 0; i < INPUTS; i++)
    at_release(s->inputs[i]);
  at_release(s->kept);
  at_release(s->states);
  at_release(s->cells);
  THFree(s);
}

/* --- forward ------------------------------------------------------------------------------------ */

static void check_input(const Sequence *s, int index, int dims, const int64_t *sizes)
{
  static const char *const names[] = {"input",     "hx[0]",     "params[1]",
                                      "params[2]", "params[3]", "hx[1]"};
  const at_tensor *const t = s->inputs[index];
  const at_ints wanted = {sizes, dims};
  if (!t)
    return;
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
  const int gates = gate_counts[s->cell];
  if (x.count != 3 || x.data[2] % gates || at_numel(s->inputs[X]) == 0)
    at_raise(AT_ERROR_ARGUMENT, "the gates of input have size (%s)", at_sizeDesc(x).str);
  const int64_t units = x.data[2] / gates, states[] = {x.data[1], units},
                weights[] = {x.data[2], units};
  check_input(s, STATE, 2, states);
  check_input(s, CELL, 2, states);
  check_input(s, WEIGHT, 2, weights);
  check_input(s, BIAS, 1, weights);
  check_input(s, OTHER_BIAS, 1, weights);
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

static void *th_of(at_tensor *t)
{
  return t ? t->th : NULL;
}

/* tanh or relu of the sum of both products and biases, to r. */
static void plain_cell(const Sequence *s, at_tensor *r, at_tensor *x, at_tensor *product)
{
  at_binary(r, AT_ROW_cadd, x, product, one);
  for (int i = BIAS; i <= OTHER_BIAS; i++)
    if (s->inputs[i])
      at_binary(r, AT_ROW_cadd, r, s->inputs[i], one);
  if (s->cell == AT_CELL_TANH)
    at_unary(r, AT_ROW_tanh, r);
  else
    at_nnRelu(r, r);
}

static void run_step(const Sequence *s, at_tensor *states, at_tensor *product, at_tensor *map,
                     int64_t step)
{
  void *const b1 = th_of(s->inputs[BIAS]), *const b2 = th_of(s->inputs[OTHER_BIAS]);
  const int64_t time = time_of(s, step);
  at_pool views;
  at_pool_enter(&views);
  at_tensor *const before = row(&views, states, row_of(s, step - 1)), *const after =
                                                                          row(&views, states,
                                                                              row_of(s, step));
  at_product(product, AT_MATRIX_MATRIX, NULL, before, map, zero, one);
  if (s->cell == AT_CELL_LSTM)
    AT_OF(states->type, LSTMFused_updateOutput)(row(&views, s->kept, time)->th, product->th, b1, b2,
                                                row(&views, s->cells, step)->th, after->th,
                                                row(&views, s->cells, step + 1)->th);
  else if (s->cell == AT_CELL_GRU)
    AT_OF(states->type, GRUFused_updateOutput)(row(&views, s->inputs[X], time)->th, product->th, b1,
                                               b2, before->th, after->th,
                                               row(&views, s->kept, time)->th);
  else
    plain_cell(s, after, row(&views, s->inputs[X], time), product);
  at_pool_leave(&views);
}

/* The memory of what the backward pass needs besides states. */
static void make_kept(Sequence *s, int64_t steps, int64_t batch, int64_t units)
{
  const at_type *const type = s->inputs[X]->type;
  const int64_t cells[] = {steps + 1, batch, units}, stored[] = {steps, batch, 5 * units};
  if (s->cell == AT_CELL_LSTM) {
    s->kept = at_newCast(s->inputs[X], type);
    s->cells = at_newShape(type, (at_ints){cells, 3});
  } else if (s->cell == AT_CELL_GRU) {
    s->kept = at_newShape(type, (at_ints){stored, 3});
  }
}

/* The states of all times in steps + 1 rows, with the first state before or behind them, and of LSTM the
 * last cell in another row. */
static at_tensor *run_forward(void *context, at_tensors unused)
{
  Sequence *const s = context;
  check_inputs(s);
  const at_type *const type = s->inputs[X]->type;
  const bool hasCells = s->cell == AT_CELL_LSTM;
  const int64_t steps = steps_of(s), batch = at_sizesOf(s->inputs[X]).data[1],
                wide = at_sizesOf(s->inputs[X]).data[2], units = wide / gate_counts[s->cell];
  const int64_t all[] = {steps + 1 + hasCells, batch, units}, products[] = {batch, wide};
  at_pool pool;
  at_pool_enter(&pool);
  make_kept(s, steps, batch, units);
  at_tensor *const states = at_layerNew(&pool, type, (at_ints){all, 3});
  at_tensor *const product = at_layerNew(&pool, type, (at_ints){products, 2});
  /* Transposed once: a product would do it at every step. */
  at_tensor *const transposed = at_hold(&pool, at_viewTranspose(s->inputs[WEIGHT], 0, 1));
  at_tensor *const map = at_hold(&pool, at_newCast(transposed, type));
  at_convert(row(&pool, states, row_of(s, -1)), s->inputs[STATE]);
  if (hasCells)
    at_convert(row(&pool, s->cells, 0), s->inputs[CELL]);
  for (int64_t step = 0; step < steps; step++)
    run_step(s, states, product, map, step);
  if (hasCells)
    at_convert(row(&pool, states, steps + 1), row(&pool, s->cells, steps));
  s->states = at_newView(states, states->th->storageOffset, at_sizesOf(states), states->th->stride);
  s->stateVersion = at_versionOf(states);
  return at_pool_keep(&pool, states);
}

/* --- backward ----------------------------------------------------------------------------------- */

static void check_versions(const Sequence *s)
{
  bool isSame = at_versionOf(s->states) == s->stateVersion;
  for (int i = 0; i < INPUTS; i++)
    isSame = isSame && (i == X || !s->inputs[i] || at_versionOf(s->inputs[i]) == s->versions[i]);
  if (!isSame)
    at_raise(AT_ERROR_RUNTIME,
             "a tensor that the gradient of %s needs has been changed in place since the call",
             cell_names[s->cell]);
}

/* Gradients of the state and the cell, of the step and then of the one before. */
typedef struct Flow {
  at_tensor *gates;  /* the gradients of the products of inputs, at all times */
  at_tensor *mapped; /* the gradients of the products of states: of GRU different ones */
  at_tensor *state, *sum;
  at_tensor *cell, *nextCell; /* LSTM: the gradients of the cell */
  at_tensor *direct; /* GRU: the gradient of the state without what comes through its product */
} Flow;

/* The gradients of the cell, from flow->sum to the gates of the time. */
static void cell_back(const Sequence *s, Flow *flow, at_tensor *gates, at_tensor *mapped,
                      at_tensor *after, int64_t step)
{
  at_pool views;
  at_pool_enter(&views);
  if (s->cell == AT_CELL_LSTM)
    AT_OF(gates->type, LSTMFused_updateGradInput)(row(&views, s->kept, time_of(s, step))->th,
                                                  gates->th, row(&views, s->cells, step)->th,
                                                  row(&views, s->cells, step + 1)->th,
                                                  flow->sum->th, flow->cell->th,
                                                  flow->nextCell->th);
  else if (s->cell == AT_CELL_GRU)
    AT_OF(gates->type, GRUFused_updateGradInput)(gates->th, mapped->th, flow->sum->th,
                                                 flow->direct->th,
                                                 row(&views, s->kept, time_of(s, step))->th);
  else if (s->cell == AT_CELL_TANH)
    at_nnActivateBackward(gates, AT_LAYER_TANH_BACKWARD, flow->sum, after, zero, zero);
  else
    at_nnThresholdBackward(gates, flow->sum, after, zero);
  at_pool_leave(&views);
}

static void step_back(const Sequence *s, Flow *flow, at_tensor *grad, int64_t step)
{
  at_pool views;
  at_pool_enter(&views);
  at_tensor *const gates = row(&views, flow->gates, time_of(s, step));
  at_tensor *const mapped =
      flow->mapped == flow->gates ? gates : row(&views, flow->mapped, time_of(s, step));
  at_binary(flow->sum, AT_ROW_cadd, row(&views, grad, row_of(s, step)), flow->state, one);
  cell_back(s, flow, gates, mapped, row(&views, s->states, row_of(s, step)), step);
  at_product(flow->state, AT_MATRIX_MATRIX, flow->direct, mapped, s->inputs[WEIGHT],
             flow->direct ? one : zero, one);
  at_pool_leave(&views);
  at_tensor *const cell = flow->cell;
  flow->cell = flow->nextCell;
  flow->nextCell = cell;
}

/* The product of the gates' gradients and the states before them, over all steps and samples. */
static at_tensor *weight_gradient(at_pool *pool, const Sequence *s, at_tensor *gates)
{
  const int64_t steps = steps_of(s), units = at_sizesOf(s->states).data[2];
  const int64_t rows = steps * at_sizesOf(s->states).data[1], wide = at_sizesOf(gates).data[2];
  const int64_t ofGates[] = {rows, wide}, ofStates[] = {rows, units}, made[] = {wide, units};
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

/* The gradients of all steps; what is returned is in the pool. */
static Flow flow_back(at_pool *pool, const Sequence *s, at_tensor *grad)
{
  const at_type *const type = grad->type;
  const at_ints sizes = at_sizesOf(s->states), x = at_sizesOf(s->inputs[X]);
  const int64_t steps = steps_of(s);
  const at_ints state = {sizes.data + 1, 2};
  Flow flow = {.gates = at_layerNew(pool, type, x),
               .state = at_layerNew(pool, type, state),
               .sum = at_layerNew(pool, type, state)};
  flow.mapped = s->cell == AT_CELL_GRU ? at_layerNew(pool, type, x) : flow.gates;
  if (s->cell == AT_CELL_GRU)
    flow.direct = at_layerNew(pool, type, state);
  if (s->cell == AT_CELL_LSTM) {
    flow.cell = at_hold(pool, at_newCast(row(pool, grad, steps + 1), type));
    flow.nextCell = at_layerNew(pool, type, state);
  }
  at_fillWith(flow.state, zero); /* the first state is no result of the layer */
  for (int64_t step = steps - 1; step >= 0; step--)
    step_back(s, &flow, grad, step);
  return flow;
}

static void run_fused(Sequence *s, at_tensor *given, at_tensor **gradients)
{
  check_versions(s);
  at_pool pool;
  at_pool_enter(&pool);
  const Flow flow = flow_back(&pool, s, at_hold(&pool, at_newCast(given, given->type)));
  at_tensor *made[INPUTS] = {[X] = flow.gates, [STATE] = flow.state, [CELL] = flow.cell};
  if (s->inputs[WEIGHT]->node)
    made[WEIGHT] = weight_gradient(&pool, s, flow.mapped);
  if (s->inputs[BIAS]) { /* the scope's */
    made[BIAS] = at_sum_dim(flow.gates, AT_INTS(0, 1));
    made[OTHER_BIAS] =
        flow.mapped == flow.gates ? made[BIAS] : at_sum_dim(flow.mapped, AT_INTS(0, 1));
  }
  for (int i = 0; i < INPUTS; i++)
    if (made[i] && !at_defined(made[i]))
      at_raise(at_error(), "a gradient of %s could not be computed", cell_names[s->cell]);
  for (int i = 0, k = 0; i < INPUTS; i++)
    if (s->inputs[i])
      gradients[k++] = s->inputs[i]->node ? at_retain(made[i]) : NULL;
  at_pool_leave(&pool);
}

/* Computes the gradients by operations, where the gradients themselves are differentiated. */
static bool run_recorded(Sequence *s, at_tensor *grad, at_tensor **gradients)
{
  bool isDone = false;
  AT_SCOPE
  {
    check_versions(s);
    at_tensor *const result = at_sequenceByOperations(s->cell, s->inputs, s->isReverse);
    at_tensor *wanted[INPUTS];
    int count = 0;
    for (int i = 0; i < INPUTS; i++)
      if (s->inputs[i] && s->inputs[i]->node)
        wanted[count++] = s->inputs[i];
    const at_gradients_options options = {
        .grad_outputs = {&grad, 1}, .create_graph = true, .allow_unused = true};
    const at_tensors outputs = {(at_tensor *[]){result}, 1}, inputs = {wanted, count};
    const at_tensors *const made =
        at_defined(result) ? (at_gradients)(outputs, inputs, &options) : NULL;
    isDone = made && made->count == count;
    for (int i = 0, k = 0, n = 0; i < INPUTS && isDone; i++)
      if (s->inputs[i])
        gradients[n++] = s->inputs[i]->node ? at_retain(made->data[k++]) : NULL;
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

bool at_sequenceIsFused(const at_tensor *input)
{
  return at_isOnHost(input->type) &&
         (input->type->scalarType == AT_FLOAT || input->type->scalarType == AT_DOUBLE);
}

at_tensor *at_sequence(at_cell_kind cell, at_tensor *const *inputs, bool isReverse)
{
  static const at_grad_function functions[] = {
      {"rnn_tanh", run_forward, run_backward, free_sequence},
      {"rnn_relu", run_forward, run_backward, free_sequence},
      {"gru", run_forward, run_backward, free_sequence},
      {"lstm", run_forward, run_backward, free_sequence}};
  at_tensor *given[INPUTS];
  int count = 0;
  at_call call;
  at_begin(&call, cell_names[cell]);
  Sequence *volatile made = NULL;
  TH_TRY(call.attempt)
  {
    Sequence *const s = THAlloc(sizeof *s);
    *s = (Sequence){.cell = cell, .isReverse = isReverse};
    for (int i = 0; i < INPUTS; i++)
      if (inputs[i]) {
        s->inputs[i] = at_retain(inputs[i]);
        s->versions[i] = at_versionOf(inputs[i]);
      }
    made = s;
  }
  if (at_failed(&call))
    return at_undefined();
  for (int i = 0; i < INPUTS; i++)
    if (inputs[i])
      given[count++] = inputs[i];
  at_tensor *const result = (at_apply)(&functions[cell], made, (at_tensors){given, count});
  if (at_defined(result))
    at_own(&result->owned);
  return result;
}

/* Recurrent networks, made of operations that have gradients. */
#include "Sequence.h"

typedef struct {
  at_tensor *h, *c; /* c: of LSTM only */
} State;

/* The weights of one direction of a layer; biases and the projection of states may be NULL. */
typedef struct {
  at_tensor *input, *state, *inputBias, *stateBias, *projection;
} Weights;

static at_tensor *gate(at_tensor *gates, int i, int count)
{
  const int64_t size = at_size(gates, -1) / count;
  return at_narrow(gates, -1, i * size, size);
}

static State lstm_step(at_tensor *gates, State before)
{
  at_tensor *const kept = at_mul(at_sigmoid(gate(gates, 1, 4)), before.c);
  at_tensor *const new = at_mul(at_sigmoid(gate(gates, 0, 4)), at_tanh(gate(gates, 2, 4)));
  at_tensor *const c = at_add(kept, new);
  return (State){at_mul(at_sigmoid(gate(gates, 3, 4)), at_tanh(c)), c};
}

static State gru_step(at_tensor *x, at_tensor *h, State before)
{
  at_tensor *const reset = at_sigmoid(at_add(gate(x, 0, 3), gate(h, 0, 3)));
  at_tensor *const update = at_sigmoid(at_add(gate(x, 1, 3), gate(h, 1, 3)));
  at_tensor *const new = at_tanh(at_add(gate(x, 2, 3), at_mul(reset, gate(h, 2, 3))));
  return (State){at_add(new, at_mul(update, at_sub(before.h, new))), NULL};
}

/* The next state, from the product x of the input and its weights. */
static State step(at_cell_kind cell, at_tensor *x, State before, const Weights *w)
{
  at_tensor *const h = at_linear(before.h, w->state, .bias = w->stateBias);
  if (cell == AT_CELL_GRU)
    return gru_step(x, h, before);
  at_tensor *const sum = at_add(x, h);
  if (cell == AT_CELL_LSTM) {
    State after = lstm_step(sum, before);
    after.h = w->projection ? at_linear(after.h, w->projection) : after.h;
    return after;
  }
  return (State){cell == AT_CELL_TANH ? at_tanh(sum) : at_relu(sum), NULL};
}

/* Whether the states and parameters are as many as the cell needs; an error if not. */
static bool accepts(at_cell_kind cell, at_tensors hx, int params, int64_t needed)
{
  const int states = cell == AT_CELL_LSTM ? 2 : 1;
  if (hx.count == states && params == needed)
    return true;
  at_fail(AT_ERROR_ARGUMENT, "recurrent",
          "a recurrent network needs %d states and %lld parameters, and has %d and %d", states,
          (long long)needed, hx.count, params);
  return false;
}

/* --- types ------------------------------------------------------------------------------------ */

/* The type that a network of t's type computes in, without gradients, too: Float for Half and BFloat16. */
static const at_type *computes_in(const at_tensor *t)
{
  const at_scalar_type type = t->type->scalarType;
  return type == AT_HALF || type == AT_BFLOAT16 ? at_toScalarType(t->type, AT_FLOAT) : t->type;
}

/* t, converted if it is of the type from; what is of another one is an error of what reads t. */
static at_tensor *converted(at_tensor *t, const at_type *from, const at_type *to)
{
  return t && t->type == from ? (at_to)(t, to) : t;
}

static at_tensors all_converted(at_tensors list, const at_type *from, const at_type *to)
{
  const at_tensors *const made = at_listOf(list.count);
  for (int i = 0; i < made->count; i++)
    ((at_tensor **)made->data)[i] = at_retain(converted(list.data[i], from, to));
  return *made;
}

/* --- a step ----------------------------------------------------------------------------------- */

at_h_c at_cellStep(at_cell_kind cell, at_tensor *input, at_tensors hx, at_tensor *w_ih,
                   at_tensor *w_hh, at_tensor *b_ih, at_tensor *b_hh)
{
  if (!accepts(cell, hx, 0, 0))
    return (at_h_c){at_undefined(), at_undefined()};
  const at_type *const own = input->type, *const type = computes_in(input);
  const Weights w = {converted(w_ih, own, type), converted(w_hh, own, type),
                     converted(b_ih, own, type), converted(b_hh, own, type), NULL};
  const State before = {converted(hx.data[0], own, type),
                        hx.count > 1 ? converted(hx.data[1], own, type) : NULL};
  at_tensor *const x = at_linear(converted(input, own, type), w.input, .bias = w.inputBias);
  const State after = step(cell, x, before, &w);
  return (at_h_c){converted(after.h, type, own), converted(after.c, type, own)};
}

/* --- sequences -------------------------------------------------------------------------------- */

/* Runs the steps of one direction over x, the products of the inputs; the states at all steps are left in
 * the list, and the last state is returned. */
static State run_steps(at_cell_kind cell, at_tensor *x, State state, const Weights *w,
                       bool isReverse, const at_tensors *all)
{
  for (int i = 0; i < all->count; i++) {
    const int t = isReverse ? all->count - 1 - i : i;
    state = step(cell, at_select(x, 0, t), state, w);
    ((at_tensor **)all->data)[t] = at_retain(state.h);
  }
  return state;
}

at_tensor *at_sequenceByOperations(at_cell_kind cell, at_tensor *const *inputs, bool isReverse)
{
  const at_tensors *const all = at_listOf((int)at_size(inputs[0], 0));
  const Weights w = {NULL, inputs[2], NULL, inputs[4], NULL};
  const State first = {inputs[1], inputs[5]};
  at_tensor *const x = inputs[3] ? at_add(inputs[0], inputs[3]) : inputs[0];
  const State last = run_steps(cell, x, first, &w, isReverse, all);
  at_tensor *const states = at_stack(*all), *const start = at_unsqueeze(inputs[1], 0);
  at_tensor *parts[3] = {isReverse ? states : start, isReverse ? start : states, NULL};
  if (last.c)
    parts[2] = at_unsqueeze(last.c, 0);
  return at_cat(((at_tensors){parts, last.c ? 3 : 2}));
}

/* A layer as one node. */
static at_tensor *run_fused(at_cell_kind cell, at_tensor *input, State state, const Weights *w,
                            bool isReverse, State *last)
{
  const int64_t steps = at_size(input, 0);
  *last = state;
  at_tensor *const inputs[] = {
      at_linear(input, w->input), state.h, w->state, w->inputBias, w->stateBias, state.c};
  if (!at_defined(inputs[0]) || !at_defined(state.h) || !at_defined(w->state) ||
      (state.c && !at_defined(state.c)))
    return at_undefined();
  at_tensor *const all = at_sequence(cell, inputs, isReverse);
  *last = (State){at_select(all, 0, isReverse ? 0 : steps),
                  state.c ? at_select(all, 0, steps + 1) : NULL};
  return at_narrow(all, 0, isReverse ? 0 : 1, steps);
}

/* Runs one direction of a layer over input; the states at all steps, and in last the last one. */
static at_tensor *run(at_cell_kind cell, at_tensor *input, State state, const Weights *w,
                      bool isReverse, State *last)
{
  if (!w->projection && at_sequenceIsFused(input) && at_numel(input) > 0)
    return run_fused(cell, input, state, w, isReverse, last);
  const at_tensors *const all = at_listOf((int)at_size(input, 0));
  at_tensor *const x = at_linear(input, w->input, .bias = w->inputBias);
  *last = run_steps(cell, x, state, w, isReverse, all);
  return at_stack(*all);
}

static Weights weights_of(const at_recurrence *how, at_tensors params, int index, bool isProjected)
{
  const int biases = how->hasBiases ? 2 : 0, each = 2 + biases + isProjected;
  at_tensor *const *const p = params.data + (ptrdiff_t)each * index;
  return (Weights){p[0], p[1], biases ? p[2] : NULL, biases ? p[3] : NULL,
                   isProjected ? p[2 + biases] : NULL};
}

/* The layers, one after the other, in the type of their input. */
static at_output_h_n_c_n layers(const at_recurrence *how, at_tensor *input, at_tensors hx,
                                at_tensors params)
{
  const bool isProjected = at_isProjected(how->cell, hx);
  const int directions = how->bidirectional ? 2 : 1;
  const int each = (how->hasBiases ? 4 : 2) + isProjected;
  const int64_t layers = THMax(THMin(how->layers, INT16_MAX), 0);
  if (!accepts(how->cell, hx, params.count, layers * directions * each))
    return (at_output_h_n_c_n){at_undefined(), at_undefined(), at_undefined()};
  const int runs = (int)layers * directions;
  at_tensor *x = how->batchFirst ? at_transpose(input, 0, 1) : input;
  const at_tensors *const h = at_listOf(runs), *const c = at_listOf(runs);
  for (int i = 0; i < h->count && c->count == runs && at_defined(x); i += directions) {
    at_tensor *sides[2] = {NULL, NULL};
    for (int d = 0; d < directions; d++) {
      const Weights w = weights_of(how, params, i + d, isProjected);
      State last, first = {at_select(hx.data[0], 0, i + d), NULL};
      if (how->cell == AT_CELL_LSTM)
        first.c = at_select(hx.data[1], 0, i + d);
      sides[d] = run(how->cell, x, first, &w, d == 1, &last);
      ((at_tensor **)h->data)[i + d] = at_retain(last.h);
      ((at_tensor **)c->data)[i + d] = at_retain(how->cell == AT_CELL_LSTM ? last.c : last.h);
    }
    x = directions == 2 ? at_cat(((at_tensors){sides, 2}), .dim = -1) : sides[0];
    if (how->train && how->dropout > 0 && i + directions < runs)
      x = (at_native_dropout)(x, how->dropout, true).output;
  }
  return (at_output_h_n_c_n){how->batchFirst ? at_transpose(x, 0, 1) : x, at_stack(*h),
                             at_stack(*c)};
}

at_output_h_n_c_n at_recurrent(const at_recurrence *how, at_tensor *input, at_tensors hx,
                               at_tensors params)
{
  const at_type *const own = input->type, *const type = computes_in(input);
  if (type == own)
    return layers(how, input, hx, params);
  const at_output_h_n_c_n made =
      layers(how, converted(input, own, type), all_converted(hx, own, type),
             all_converted(params, own, type));
  return (at_output_h_n_c_n){converted(made.output, type, own), converted(made.h_n, type, own),
                             converted(made.c_n, type, own)};
}

at_output_h_n at_withoutCells(at_output_h_n_c_n made)
{
  return (at_output_h_n){made.output, made.h_n};
}

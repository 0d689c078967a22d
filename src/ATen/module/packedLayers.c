/* Recurrent layers over packed sequences: steps of the same number of sequences are one call of the
 * operation, so that no padding is computed. */
#include <stdlib.h>

#include "Packed.h"
#include "Recurrent.h"

/* A call, and its steps in spans of the same number of sequences. */
typedef struct Packed {
  at_recurrentCall of;
  at_tensors params;
  int64_t spans;
  int64_t *steps, *sizes; /* of each span */
} Packed;

/* A state, and of LSTM a cell; and those of sequences that have ended, which come behind. */
typedef struct State {
  at_tensor *of[2], *ended[2];
} State;

/* Both, of which one may be NULL, along the dimension of sequences. */
static at_tensor *joined(at_tensor *first, at_tensor *second)
{
  return !first ? second : !second ? first : at_cat(AT_TENSORS(first, second), .dim = 1);
}

/* Changes the number of sequences: some end, or others begin with their first states. */
static void resize(State *s, at_tensor *const *first, int64_t size)
{
  for (int i = 0; i < 2 && s->of[i]; i++) {
    const int64_t before = at_size(s->of[i], 1);
    if (size < before) {
      s->ended[i] = joined(at_narrow(s->of[i], 1, size, before - size), s->ended[i]);
      s->of[i] = at_narrow(s->of[i], 1, 0, size);
    } else if (size > before) {
      s->of[i] = joined(s->of[i], at_narrow(first[i], 1, before, size - before));
    }
  }
}

/* One direction of a layer over data, from the first states: the packed output; the states become
 * the last ones. */
static at_tensor *run_direction(const Packed *p, at_tensor *data, at_tensor **states,
                                at_tensors params, bool isReverse)
{
  at_recurrentCall one = p->of;
  one.layers = 1;
  one.dropout = 0;
  one.bidirectional = one.batchFirst = false;
  at_tensor **const outputs =
      at_moduleAlloc(one.self->kind->name, (size_t)p->spans, sizeof *outputs);
  int64_t end = at_size(data, 0), begin = 0;
  State s = {{NULL, NULL}, {NULL, NULL}};
  for (int64_t i = 0; outputs && i < p->spans && at_defined(data); i++) {
    const int64_t span = isReverse ? p->spans - 1 - i : i, size = p->sizes[span];
    const int64_t rows = size * p->steps[span], at = isReverse ? end - rows : begin;
    at_tensor *part = at_reshape(at_narrow(data, 0, at, rows), AT_SHAPE(p->steps[span], size, -1));
    for (int k = 0; k < 2 && i == 0 && states[k]; k++)
      s.of[k] = at_narrow(states[k], 1, 0, size);
    resize(&s, states, size);
    part = isReverse ? at_flip(part, AT_INTS(0)) : part;
    const at_output_h_n_c_n made = at_runCells(&one, part, s.of[0], s.of[1], params);
    s.of[0] = made.h_n;
    s.of[1] = made.c_n;
    outputs[span] =
        at_flatten(isReverse ? at_flip(made.output, AT_INTS(0)) : made.output, .end_dim = 1);
    begin += rows;
    end -= rows;
  }
  at_tensor *const all = outputs ? at_cat(((at_tensors){outputs, (int)p->spans})) : at_undefined();
  free(outputs);
  for (int k = 0; k < 2 && states[k]; k++)
    states[k] = joined(s.of[k], s.ended[k]);
  return all;
}

/* All layers; states and cells, layers * directions x batch x size, become the last ones. */
static at_tensor *run_layers(const Packed *p, at_tensor *data, at_tensor **states)
{
  const at_recurrentCall *const r = &p->of;
  const int directions = 1 + r->bidirectional;
  const int each = p->params.count / (int)(r->layers * directions);
  at_tensor *last[2] = {NULL, NULL};
  for (int64_t layer = 0; layer < r->layers; layer++) {
    if (layer > 0 && r->dropout > 0)
      data = at_dropout(data, r->dropout, r->self->training);
    at_tensor *outputs[2] = {NULL, NULL};
    for (int d = 0; d < directions; d++) {
      const int64_t row = layer * directions + d;
      const at_tensors params = {p->params.data + row * each, each};
      at_tensor *now[2] = {NULL, NULL};
      for (int k = 0; k < 2 && states[k]; k++)
        now[k] = at_narrow(states[k], 0, row, 1);
      outputs[d] = run_direction(p, data, now, params, d == 1);
      for (int k = 0; k < 2 && now[k]; k++)
        last[k] = last[k] ? at_cat(AT_TENSORS(last[k], now[k])) : now[k];
    }
    data = joined(outputs[0], outputs[1]);
  }
  states[0] = last[0];
  states[1] = last[1];
  return data;
}

/* The steps in spans; false and an error if there is no memory. */
static bool count_spans(Packed *p, const int64_t *sizes, int64_t count)
{
  p->steps = at_moduleAlloc(p->of.self->kind->name, (size_t)count, 2 * sizeof *p->steps);
  if (!p->steps)
    return false;
  p->sizes = p->steps + count;
  for (int64_t t = 0; t < count; t++) {
    if (t == 0 || sizes[t] != sizes[t - 1])
      p->sizes[p->spans++] = sizes[t];
    p->steps[p->spans - 1]++;
  }
  return p->spans <= INT32_MAX;
}

/* The given state in the order of the packed sequences, or zeros; the undefined tensor and an error if
 * it is of another size. */
static at_tensor *first_state(const at_recurrentCall *r, const char *name, at_tensor *given,
                              at_tensor *sorted, int64_t batch, int64_t size)
{
  const int64_t rows = r->layers * (1 + r->bidirectional);
  if (!given)
    return at_zeros(AT_SHAPE(rows, batch, size), .type = at_typeOf(r->input));
  if (at_sameSizes(at_sizesOf(given), AT_SHAPE(rows, batch, size)))
    return sorted ? at_index_select(given, 1, sorted) : given;
  at_misfit(r->self, "%s is of size %s, and has to be of %s", name,
            at_sizeDesc(at_sizesOf(given)).str, at_sizeDesc(AT_SHAPE(rows, batch, size)).str);
  return at_undefined();
}

/* The output and the last states in the caller's order. */
static at_output_h_n_c_n run_packed(Packed *p, const char *operation, at_tensor *batch_sizes,
                                    at_tensor *unsorted)
{
  const at_recurrentCall *const r = &p->of;
  const at_output_h_n_c_n failed = {at_undefined(), at_undefined(), at_undefined()};
  int64_t count;
  const int64_t *const sizes = at_batchSizes(operation, r->input, batch_sizes, &count);
  at_tensor *sorted = sizes ? at_sortedIndices(operation, unsorted, sizes[0]) : NULL;
  if (!sizes || (sorted && !at_defined(sorted)) || !count_spans(p, sizes, count))
    return failed;
  const at_type *const indices = at_toScalarType(at_typeOf(r->input), AT_LONG);
  sorted = sorted ? at_to(sorted, indices) : NULL;
  at_tensor *states[2] = {
      first_state(r, "h_0", r->h, sorted, sizes[0], r->projected ? r->projected : r->hidden), NULL};
  if (r->cell == 'L')
    states[1] = first_state(r, "c_0", r->c, sorted, sizes[0], r->hidden);
  if (!at_defined(states[0]) || (states[1] && !at_defined(states[1])))
    return failed;
  at_tensor *const output = run_layers(p, r->input, states);
  for (int k = 0; k < 2 && states[k] && unsorted; k++)
    states[k] = at_index_select(states[k], 1, at_to(unsorted, indices));
  return (at_output_h_n_c_n){at_escape(output), at_escape(states[0]), at_escape(states[1])};
}

static at_output_h_n_c_n recur(const char *operation, at_recurrentCall call, at_tensor *batch_sizes,
                               at_tensor *unsorted)
{
  const at_output_h_n_c_n failed = {at_undefined(), at_undefined(), at_undefined()};
  if (!at_accept(operation, "data", call.input, false) ||
      !at_accept(operation, "batch_sizes", batch_sizes, false) ||
      !at_accept(operation, "unsorted_indices", unsorted, true) ||
      !at_accept(operation, "h_0", call.h, true) || !at_accept(operation, "c_0", call.c, true))
    return failed;
  if (at_dim(call.input) != 2) {
    at_misfit(call.self, "data is of size %s, and has to have 2 dimensions",
              at_sizeDesc(at_sizesOf(call.input)).str);
    return failed;
  }
  at_tensor **const buffer =
      at_moduleAlloc(call.self->kind->name, (size_t)call.self->parameters.count, sizeof *buffer);
  if (!buffer)
    return failed;
  AT_SCOPE_GUARD;
  Packed p = {.of = call, .params = at_ownParameters(call.self, buffer)};
  const at_output_h_n_c_n made = run_packed(&p, operation, batch_sizes, unsorted);
  free(p.steps);
  free(buffer);
  return made;
}

at_output_h_n(at_RNN_forward_packed)(at_module *self, at_tensor *data, at_tensor *batch_sizes,
                                     const at_RNN_forward_packed_options *options)
{
  const char *const name = "RNN_forward_packed";
  const at_RNN_forward_packed_options o = options ? *options : at_RNN_forward_packed_defaults;
  if (!at_isKind(name, self, &at_kind_RNN))
    return (at_output_h_n){at_undefined(), at_undefined()};
  const at_RNN_fields *const own = at_module_own(self);
  const at_output_h_n_c_n made =
      recur(name, AT_RECURRENT_CALL(own->nonlinearity[0], data, o.h_0, NULL, 0), batch_sizes,
            o.unsorted_indices);
  return (at_output_h_n){made.output, made.h_n};
}

at_output_h_n(at_GRU_forward_packed)(at_module *self, at_tensor *data, at_tensor *batch_sizes,
                                     const at_GRU_forward_packed_options *options)
{
  const char *const name = "GRU_forward_packed";
  const at_GRU_forward_packed_options o = options ? *options : at_GRU_forward_packed_defaults;
  if (!at_isKind(name, self, &at_kind_GRU))
    return (at_output_h_n){at_undefined(), at_undefined()};
  const at_GRU_fields *const own = at_module_own(self);
  const at_output_h_n_c_n made =
      recur(name, AT_RECURRENT_CALL('G', data, o.h_0, NULL, 0), batch_sizes, o.unsorted_indices);
  return (at_output_h_n){made.output, made.h_n};
}

at_output_h_n_c_n(at_LSTM_forward_packed)(at_module *self, at_tensor *data, at_tensor *batch_sizes,
                                          const at_LSTM_forward_packed_options *options)
{
  const char *const name = "LSTM_forward_packed";
  const at_LSTM_forward_packed_options o = options ? *options : at_LSTM_forward_packed_defaults;
  if (!at_isKind(name, self, &at_kind_LSTM))
    return (at_output_h_n_c_n){at_undefined(), at_undefined(), at_undefined()};
  const at_LSTM_fields *const own = at_module_own(self);
  return recur(name, AT_RECURRENT_CALL('L', data, o.h_0, o.c_0, own->proj_size), batch_sizes,
               o.unsorted_indices);
}

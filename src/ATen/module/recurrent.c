/* Recurrent layers and cells. */
#include <stdlib.h>
#include <string.h>

#include "Recurrent.h"

static const char *const part_names[] = {"weight_ih", "weight_hh", "bias_ih", "bias_hh",
                                         "weight_hr"};

/* Draws all parameters between -1 / sqrt(hidden) and that. */
static void draw_all(at_module *self, int64_t hidden)
{
  const double bound = hidden > 0 ? 1 / sqrt((double)hidden) : 0;
  for (int64_t i = 0; i < self->parameters.count; i++)
    if (self->parameters.data[i].tensor)
      at_uniform_(self->parameters.data[i].tensor, .from = -bound, .to = bound);
}

/* Adds the parameters of a cell that has so many gates; projected may be 0. */
static void add_parts(at_module *self, const char *ending, int64_t gates, int64_t inputs,
                      int64_t hidden, int64_t projected, bool hasBias, const at_type *type)
{
  if (inputs < 0 || hidden <= 0 || hidden > INT64_MAX / gates) {
    at_misfit(self, "input_size is %lld, and hidden_size %lld", (long long)inputs,
              (long long)hidden);
    return;
  }
  const int64_t states = projected ? projected : hidden;
  for (int i = 0; i < (projected ? 5 : 4); i++) {
    char name[40];
    const at_ints sizes = i == 4  ? AT_INTS(projected, hidden)
                          : i < 2 ? AT_INTS(gates * hidden, i == 0 ? inputs : states)
                                  : AT_INTS(gates * hidden);
    snprintf(name, sizeof name, "%s%s", part_names[i], ending);
    const bool isThere = hasBias || (i != 2 && i != 3);
    at_module_add_parameter(self, name, isThere ? at_empty(sizes, .type = type) : NULL);
  }
}

void at_addCell(at_module *self, int64_t gates, int64_t inputs, int64_t hidden, bool hasBias,
                const at_type *type)
{
  add_parts(self, "", gates, inputs, hidden, 0, hasBias, type);
  draw_all(self, hidden);
}

void at_addRecurrent(at_module *self, int64_t gates, int64_t inputs, int64_t hidden,
                     int64_t projected, int64_t layers, bool hasBias, bool isBidirectional,
                     const at_type *type)
{
  if (layers <= 0 || layers > 10000) {
    at_misfit(self, "num_layers is %lld", (long long)layers);
    return;
  }
  const unsigned before = at_failureCount();
  for (int64_t i = 0; i < layers && at_failureCount() == before; i++)
    for (int d = 0; d <= isBidirectional; d++) {
      char ending[40];
      snprintf(ending, sizeof ending, "_l%lld%s", (long long)i, d ? "_reverse" : "");
      const int64_t below = (projected ? projected : hidden) * (1 + isBidirectional);
      add_parts(self, ending, gates, i == 0 ? inputs : below, hidden, projected, hasBias, type);
    }
  draw_all(self, hidden);
}

/* --- calls ------------------------------------------------------------------------------------ */

/* The given states or cells, or zeros. */
static at_tensor *state_of(const at_recurrentCall *r, at_tensor *given, int64_t size, bool isBatch)
{
  const int64_t rows = r->layers * (1 + r->bidirectional);
  if (given)
    return isBatch ? given : at_unsqueeze(given, 1);
  const int64_t batch = isBatch ? at_size(r->input, r->batchFirst ? 0 : 1) : 1;
  return at_zeros(AT_SHAPE(rows, batch, size), .type = at_typeOf(r->input));
}

at_output_h_n_c_n at_runCells(const at_recurrentCall *r, at_tensor *input, at_tensor *h,
                              at_tensor *c, at_tensors params)
{
  const bool train = r->self->training;
  if (r->cell == 'L')
    return (at_lstm)(input, AT_TENSORS(h, c), params, r->bias, r->layers, r->dropout, train,
                     r->bidirectional, r->batchFirst);
  at_output_h_n (*const run)(at_tensor *, at_tensor *, at_tensors, bool, int64_t, double, bool,
                             bool, bool) = r->cell == 'G'   ? (at_gru)
                                           : r->cell == 't' ? (at_rnn_tanh)
                                                            : (at_rnn_relu);
  const at_output_h_n made =
      run(input, h, params, r->bias, r->layers, r->dropout, train, r->bidirectional, r->batchFirst);
  return (at_output_h_n_c_n){made.output, made.h_n, NULL};
}

at_tensors at_ownParameters(const at_module *self, at_tensor **buffer)
{
  int count = 0;
  for (int64_t i = 0; i < self->parameters.count; i++) {
    at_tensor *const t =
        at_isSource(self, &self->parameters.data[i]) ? NULL : at_parameterAt(self, i);
    if (t)
      buffer[count++] = t;
  }
  return (at_tensors){buffer, count};
}

static at_output_h_n_c_n recur(const at_recurrentCall *r)
{
  const at_output_h_n_c_n failed = {at_undefined(), at_undefined(), at_undefined()};
  if (!at_accept(r->self->kind->name, "input", r->input, false) ||
      !at_accept(r->self->kind->name, "h_0", r->h, true) ||
      !at_accept(r->self->kind->name, "c_0", r->c, true))
    return failed;
  if (at_dim(r->input) != 2 && at_dim(r->input) != 3) {
    at_misfit(r->self, "input is of size %s, and has to have 2 or 3 dimensions",
              at_sizeDesc(at_sizesOf(r->input)).str);
    return failed;
  }
  at_tensor **const buffer =
      at_moduleAlloc(r->self->kind->name, (size_t)r->self->parameters.count, sizeof *buffer);
  if (!buffer)
    return failed;
  AT_SCOPE_GUARD;
  const bool isBatch = at_dim(r->input) == 3;
  const int batchDim = r->batchFirst ? 0 : 1;
  at_tensor *const input = isBatch ? r->input : at_unsqueeze(r->input, batchDim);
  at_tensor *const h = state_of(r, r->h, r->projected ? r->projected : r->hidden, isBatch);
  at_output_h_n_c_n made = at_runCells(r, input, h, state_of(r, r->c, r->hidden, isBatch),
                                       at_ownParameters(r->self, buffer));
  free(buffer);
  if (!isBatch) {
    made.output = at_squeeze_dim(made.output, batchDim);
    made.h_n = at_squeeze_dim(made.h_n, 1);
    made.c_n = made.c_n ? at_squeeze_dim(made.c_n, 1) : NULL;
  }
  return (at_output_h_n_c_n){at_escape(made.output), at_escape(made.h_n), at_escape(made.c_n)};
}

at_output_h_n(at_RNN_forward)(at_module *self, at_tensor *input,
                              const at_RNN_forward_options *options)
{
  if (!at_isKind("RNN_forward", self, &at_kind_RNN))
    return (at_output_h_n){at_undefined(), at_undefined()};
  const at_RNN_fields *const own = at_module_own(self);
  const at_recurrentCall call =
      AT_RECURRENT_CALL(own->nonlinearity[0], input, options ? options->h_0 : NULL, NULL, 0);
  const at_output_h_n_c_n made = recur(&call);
  return (at_output_h_n){made.output, made.h_n};
}

at_output_h_n(at_GRU_forward)(at_module *self, at_tensor *input,
                              const at_GRU_forward_options *options)
{
  if (!at_isKind("GRU_forward", self, &at_kind_GRU))
    return (at_output_h_n){at_undefined(), at_undefined()};
  const at_GRU_fields *const own = at_module_own(self);
  const at_recurrentCall call =
      AT_RECURRENT_CALL('G', input, options ? options->h_0 : NULL, NULL, 0);
  const at_output_h_n_c_n made = recur(&call);
  return (at_output_h_n){made.output, made.h_n};
}

at_output_h_n_c_n(at_LSTM_forward)(at_module *self, at_tensor *input,
                                   const at_LSTM_forward_options *options)
{
  if (!at_isKind("LSTM_forward", self, &at_kind_LSTM))
    return (at_output_h_n_c_n){at_undefined(), at_undefined(), at_undefined()};
  const at_LSTM_fields *const own = at_module_own(self);
  const at_recurrentCall call = AT_RECURRENT_CALL('L', input, options ? options->h_0 : NULL,
                                                  options ? options->c_0 : NULL, own->proj_size);
  return recur(&call);
}

/* --- cells ------------------------------------------------------------------------------------ */

/* A step's tensor as a batch: of one, if it is a vector. */
static at_tensor *as_batch(at_tensor *t)
{
  return at_dim(t) == 1 ? at_unsqueeze(t, 0) : t;
}

/* What the cell computed for the batch of input, without a batch if input has none. */
static at_tensor *as_given(at_tensor *result, at_tensor *input)
{
  return at_escape(at_dim(input) == 1 ? at_squeeze_dim(result, 0) : result);
}

/* The state of a cell, or zeros. */
static at_tensor *cell_state(at_tensor *given, at_tensor *input, int64_t hidden)
{
  if (given)
    return as_batch(given);
  return at_zeros(AT_SHAPE(at_dim(input) == 1 ? 1 : at_size(input, 0), hidden),
                  .type = at_typeOf(input));
}

/* Whether the state, if there is one, has a batch as input has; an error if not. */
static bool fits_input(at_module *self, const char *name, at_tensor *state, at_tensor *input)
{
  if (!state || at_dim(state) == at_dim(input))
    return true;
  at_misfit(self, "%s is of size %s, and input of size %s", name,
            at_sizeDesc(at_sizesOf(state)).str, at_sizeDesc(at_sizesOf(input)).str);
  return false;
}

/* Whether input is batch x inputs, or inputs alone; an error if not. */
static bool accepts_step(at_module *self, at_tensor *input, at_tensor *h, at_tensor *c)
{
  if (!at_accept(self->kind->name, "input", input, false) ||
      !at_accept(self->kind->name, "h", h, true) || !at_accept(self->kind->name, "c", c, true))
    return false;
  const bool isStep = at_dim(input) == 1 || at_dim(input) == 2;
  if (!isStep)
    at_misfit(self, "input is of size %s, and has to have 1 or 2 dimensions",
              at_sizeDesc(at_sizesOf(input)).str);
  return isStep && fits_input(self, "h", h, input) && fits_input(self, "c", c, input);
}

#define PART(I) at_parameterAt(self, I)

at_tensor *(at_RNNCell_forward)(at_module *self, at_tensor *input,
                                const at_RNNCell_forward_options *options)
{
  at_tensor *const given = options ? options->h : NULL;
  if (!at_isKind("RNNCell_forward", self, &at_kind_RNNCell) ||
      !accepts_step(self, input, given, NULL))
    return at_undefined();
  AT_SCOPE_GUARD;
  const at_RNNCell_fields *const own = at_module_own(self);
  at_tensor *const h = cell_state(given, input, own->hidden_size), *const x = as_batch(input);
  return as_given(own->nonlinearity[0] == 't'
                      ? at_rnn_tanh_cell(x, h, PART(0), PART(1), .b_ih = PART(2), .b_hh = PART(3))
                      : at_rnn_relu_cell(x, h, PART(0), PART(1), .b_ih = PART(2), .b_hh = PART(3)),
                  input);
}

at_tensor *(at_GRUCell_forward)(at_module *self, at_tensor *input,
                                const at_GRUCell_forward_options *options)
{
  at_tensor *const given = options ? options->h : NULL;
  if (!at_isKind("GRUCell_forward", self, &at_kind_GRUCell) ||
      !accepts_step(self, input, given, NULL))
    return at_undefined();
  AT_SCOPE_GUARD;
  const at_GRUCell_fields *const own = at_module_own(self);
  at_tensor *const h = cell_state(given, input, own->hidden_size);
  return as_given(at_gru_cell(as_batch(input), h, PART(0), PART(1), .b_ih = PART(2),
                              .b_hh = PART(3)),
                  input);
}

at_h_c(at_LSTMCell_forward)(at_module *self, at_tensor *input,
                            const at_LSTMCell_forward_options *options)
{
  at_tensor *const h = options ? options->h : NULL, *const c = options ? options->c : NULL;
  if (!at_isKind("LSTMCell_forward", self, &at_kind_LSTMCell) || !accepts_step(self, input, h, c))
    return (at_h_c){at_undefined(), at_undefined()};
  AT_SCOPE_GUARD;
  const at_LSTMCell_fields *const own = at_module_own(self);
  at_lstm_cell_options biases = {PART(2), PART(3)};
  const at_h_c made = (at_lstm_cell)(as_batch(input),
                                     AT_TENSORS(cell_state(h, input, own->hidden_size),
                                                cell_state(c, input, own->hidden_size)),
                                     PART(0), PART(1), &biases);
  return (at_h_c){as_given(made.h, input), as_given(made.c, input)};
}

/* Recurrent networks: the products of a whole sequence are made at once, then step by step those of
 * the states, and the cell. */
#include "recurrent.h"

#include "ATen/core/ATenOperations.h"

/* So many rows are multiplied by weights as they are; with more rows they are transposed. */
enum { UNPACKED_STATES = 4 };

static const at_scalar one = {.value.integer = 1}, zero;

/* What a layer computes with in one direction, in the type that computes. */
typedef struct {
  at_cell_kind cell;
  at_tensor *inputWeight, *stateWeight, *inputBias, *stateBias; /* biases may be NULL */
  at_tensor *projection; /* of the state of LSTM to fewer numbers; or NULL */
} Layer;

static int gates_of(at_cell_kind cell)
{
  return cell == AT_CELL_LSTM ? 4 : cell == AT_CELL_GRU ? 3 : 1;
}

/* --- checks ----------------------------------------------------------------------------------- */

static void check_sizes(const at_tensor *t, const char *name, int index, int count,
                        const int64_t *sizes)
{
  const at_ints wanted = {sizes, count};
  if (!at_sameSizes(at_sizesOf(t), wanted))
    at_raise(AT_ERROR_ARGUMENT, "%s[%d] has size (%s), and has to have (%s)", name, index,
             at_sizeDesc(at_sizesOf(t)).str, at_sizeDesc(wanted).str);
}

/* Raises unless the parameters fit a layer with that many inputs and units, and states of that size. */
static void check_layer(const Layer *l, const at_type *type, int64_t inputs, int64_t units,
                        int64_t outputs)
{
  const int64_t rows = gates_of(l->cell) * units;
  const int64_t ofInput[] = {rows, inputs}, ofState[] = {rows, outputs},
                projects[] = {outputs, units};
  at_tensor *const all[] = {l->inputWeight, l->stateWeight, l->inputBias, l->stateBias,
                            l->projection};
  for (int i = 0; i < 5; i++) {
    if (!all[i])
      continue;
    if (all[i]->type != type)
      at_raise(AT_ERROR_TYPE, "a parameter is of %s, and input of %s",
               at_scalarTypeName(all[i]->type->scalarType), at_scalarTypeName(type->scalarType));
    check_sizes(all[i], "params", i, i < 2 || i == 4 ? 2 : 1,
                i == 0   ? ofInput
                : i == 4 ? projects
                         : ofState);
  }
}

static void check_states(at_cell_kind cell, at_tensors hx)
{
  const int wanted = cell == AT_CELL_LSTM ? 2 : 1;
  if (hx.count != wanted)
    at_raise(AT_ERROR_ARGUMENT, "hx has %d tensors, and has to have %d", hx.count, wanted);
}

/* --- steps ------------------------------------------------------------------------------------ */

/* The memory of the steps of a layer: products of the state, and the next state and cell. */
typedef struct {
  at_tensor *product, *state, *cell, *storage;
  at_tensor *projected, *projection; /* projection: transposed; both NULL without one */
} Scratch;

static void *th_or_null(at_tensor *t)
{
  return t ? t->th : NULL;
}

/* tanh or relu of the sum of both products and biases, to r. */
static void plain_cell(const Layer *l, at_tensor *r, at_tensor *gates, at_tensor *product)
{
  at_binary(r, AT_ROW_cadd, gates, product, one);
  if (l->inputBias)
    at_binary(r, AT_ROW_cadd, r, l->inputBias, one);
  if (l->stateBias)
    at_binary(r, AT_ROW_cadd, r, l->stateBias, one);
  if (l->cell == AT_CELL_TANH)
    at_unary(r, AT_ROW_tanh, r);
  else
    at_nnRelu(r, r);
}

/* One step: gates, the product of the input, which may change; state and cell become the next.  map: the
 * weights of states, transposed; NULL: they are read as they are. */
static void step(const Layer *l, Scratch *s, at_tensor *gates, at_tensor *map, at_tensor *state,
                 at_tensor *cell)
{
  void *const b1 = th_or_null(l->inputBias), *const b2 = th_or_null(l->stateBias);
  if (map)
    at_product(s->product, AT_MATRIX_MATRIX, NULL, state, map, zero, one);
  else
    at_linearMap(s->product, state, l->stateWeight, NULL);
  if (l->cell == AT_CELL_LSTM) {
    AT_OF(state->type, LSTMFused_updateOutput)(gates->th, s->product->th, b1, b2, cell->th,
                                               s->state->th, s->cell->th);
    at_convert(cell, s->cell);
  } else if (l->cell == AT_CELL_GRU) {
    AT_OF(state->type, GRUFused_updateOutput)(gates->th, s->product->th, b1, b2, state->th,
                                              s->state->th, s->storage->th);
  } else {
    plain_cell(l, s->state, gates, s->product);
  }
  if (s->projected)
    at_product(s->projected, AT_MATRIX_MATRIX, NULL, s->state, s->projection, zero, one);
  at_convert(state, s->projected ? s->projected : s->state);
}

static Scratch scratch_for(at_pool *pool, const Layer *l, const at_type *type, int64_t batch,
                           int64_t units)
{
  const int64_t products[] = {batch, gates_of(l->cell) * units}, states[] = {batch, units};
  const int64_t stored[] = {batch, 5 * units};
  Scratch s = {.product = at_layerNew(pool, type, (at_ints){products, 2}),
               .state = at_layerNew(pool, type, (at_ints){states, 2}),
               .cell = at_layerNew(pool, type, (at_ints){states, 2}),
               .storage = at_layerNew(pool, type, (at_ints){stored, 2})};
  if (l->projection) {
    const int64_t projected[] = {batch, l->projection->th->size[0]};
    s.projected = at_layerNew(pool, type, (at_ints){projected, 2});
    s.projection =
        at_hold(pool, at_newCast(at_hold(pool, at_viewTranspose(l->projection, 0, 1)), type));
  }
  return s;
}

/* Runs a layer over x (steps x batch x inputs), from the last step with backwards.  y receives the
 * states of all steps; state and cell those of the last. */
static void run_layer(const Layer *l, at_tensor *x, at_tensor *y, at_tensor *state, at_tensor *cell,
                      bool backwards)
{
  const int64_t steps = x->th->size[0];
  at_pool pool;
  at_pool_enter(&pool);
  Scratch s =
      scratch_for(&pool, l, x->type, state->th->size[0], (cell ? cell : state)->th->size[1]);
  at_tensor *const all = at_hold(&pool, at_linearMap(NULL, x, l->inputWeight, NULL));
  at_tensor *map = NULL;
  if (steps > 1 &&
      state->th->size[0] > UNPACKED_STATES) /* transposed once, and not at every step */
    map =
        at_hold(&pool, at_newCast(at_hold(&pool, at_viewTranspose(l->stateWeight, 0, 1)), x->type));
  for (int64_t i = 0; i < steps; i++) {
    const int64_t t = backwards ? steps - 1 - i : i;
    at_pool views;
    at_pool_enter(&views);
    step(l, &s, at_hold(&views, at_viewSelect(all, 0, t)), map, state, cell);
    at_convert(at_hold(&views, at_viewSelect(y, 0, t)), state);
    at_pool_leave(&views);
  }
  at_pool_leave(&pool);
}

/* --- networks --------------------------------------------------------------------------------- */

/* The parameters of a layer and direction, converted to the type that computes. */
static Layer layer_of(at_pool *pool, const at_recurrence *how, at_tensors params, int64_t k,
                      bool isProjected, const at_type *compute)
{
  const int biases = how->hasBiases ? 2 : 0, each = 2 + biases + isProjected;
  at_tensor *const *const p = params.data + k * each;
  return (Layer){how->cell,
                 at_cast(pool, p[0], compute),
                 at_cast(pool, p[1], compute),
                 how->hasBiases ? at_cast(pool, p[2], compute) : NULL,
                 how->hasBiases ? at_cast(pool, p[3], compute) : NULL,
                 isProjected ? at_cast(pool, p[2 + biases], compute) : NULL};
}

bool at_isProjected(at_cell_kind cell, at_tensors hx)
{
  return cell == AT_CELL_LSTM && hx.count == 2 && at_sizesOf(hx.data[0]).count == 3 &&
         at_sizesOf(hx.data[1]).count == 3 && hx.data[0]->th->size[2] != hx.data[1]->th->size[2];
}

static void check_network(const at_recurrence *how, const at_tensor *input, at_tensors hx,
                          at_tensors params)
{
  const at_ints sizes = at_sizesOf(input);
  const int64_t directions = how->bidirectional ? 2 : 1, most = INT32_MAX / 16;
  check_states(how->cell, hx);
  const bool isProjected = at_isProjected(how->cell, hx);
  if (sizes.count != 3)
    at_raise(AT_ERROR_ARGUMENT, "input has size (%s), and has to be steps x batch x inputs",
             at_sizeDesc(sizes).str);
  if (how->layers < 1 || how->layers > most ||
      params.count != how->layers * directions * ((how->hasBiases ? 4 : 2) + isProjected))
    at_raise(AT_ERROR_ARGUMENT, "params has %d tensors, for %lld layers of %d directions%s%s",
             params.count, (long long)how->layers, (int)directions,
             how->hasBiases ? " with biases" : "", isProjected ? " with projections" : "");
  const int64_t batch = sizes.data[how->batchFirst ? 0 : 1];
  const int64_t units = at_sizesOf(hx.data[0]).count == 3 ? hx.data[0]->th->size[2] : -1;
  const int64_t cells = isProjected ? hx.data[1]->th->size[2] : units;
  for (int i = 0; i < hx.count; i++) {
    check_sizes(hx.data[i], "hx", i, 3,
                (const int64_t[]){how->layers * directions, batch, i == 0 ? units : cells});
    if (hx.data[i]->type != input->type)
      at_checkType(hx.data[i], "hx", input->type);
  }
  if (units == 0 || cells == 0 || at_numel(input) == 0)
    at_raise(AT_ERROR_ARGUMENT, "input has size (%s) and hx[0] (%s): neither may be empty",
             at_sizeDesc(sizes).str, at_sizeDesc(at_sizesOf(hx.data[0])).str);
}

/* Runs layer number i over x; the result is a new tensor. */
static at_tensor *run_number(const at_recurrence *how, int64_t i, at_tensor *x, at_tensors params,
                             at_tensor *states, at_tensor *cells)
{
  const int64_t directions = how->bidirectional ? 2 : 1, units = states->th->size[2];
  const int64_t sizes[] = {x->th->size[0], x->th->size[1], directions * units};
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const y = at_layerNew(&pool, x->type, (at_ints){sizes, 3});
  for (int64_t d = 0; d < directions; d++) {
    const int64_t k = i * directions + d;
    const int64_t own = cells ? cells->th->size[2] : units;
    const Layer l = layer_of(&pool, how, params, k, own != units, x->type);
    check_layer(&l, x->type, x->th->size[2], own, units);
    at_tensor *const part = at_hold(&pool, at_viewNarrow(y, 2, d * units, units));
    at_tensor *const state = at_hold(&pool, at_viewSelect(states, 0, k));
    at_tensor *const cell = cells ? at_hold(&pool, at_viewSelect(cells, 0, k)) : NULL;
    run_layer(&l, x, part, state, cell, d == 1);
  }
  return at_pool_keep(&pool, y);
}

void at_recur(at_tensor **out, const at_recurrence *how, at_tensor *input, at_tensors hx,
              at_tensors params)
{
  const at_type *const compute = at_layerType(input);
  check_network(how, input, hx, params);
  for (int i = 0; i < params.count; i++)
    if (params.data[i]->type != input->type)
      at_checkType(params.data[i], "a parameter", input->type);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const states = at_hold(&pool, at_newCast(hx.data[0], compute));
  at_tensor *const cells = hx.count > 1 ? at_hold(&pool, at_newCast(hx.data[1], compute)) : NULL;
  at_tensor *const steps = how->batchFirst ? at_hold(&pool, at_viewTranspose(input, 0, 1)) : input;
  THGuard held;
  at_guard(&held);
  held.what = at_newCast(steps, compute);
  for (int64_t i = 0; i < how->layers; i++) {
    at_tensor *y = run_number(how, i, held.what, params, states, cells);
    at_release(held.what);
    held.what = y;
    if (i < how->layers - 1 && how->train && how->dropout > 0)
      at_droppedOut(y, y, how->dropout, true);
  }
  at_pool results;
  at_pool_enter(&results);
  at_tensor *y = held.what;
  if (how->batchFirst)
    y = at_hold(&results, at_viewTranspose(y, 0, 1));
  at_tensor *const made[] = {at_cast(&results, y, input->type),
                             at_cast(&results, states, input->type),
                             cells ? at_cast(&results, cells, input->type) : NULL};
  for (int i = 0; i < (cells ? 3 : 2); i++)
    out[i] = at_retain(made[i]);
  at_pool_leave(&results);
  THGuard_leave(&held);
  at_pool_leave(&pool);
}

void at_stepOf(at_tensor **out, at_cell_kind cell, at_tensor *input, at_tensors hx, at_tensor *w_ih,
               at_tensor *w_hh, at_tensor *b_ih, at_tensor *b_hh)
{
  const at_type *const compute = at_layerType(input);
  check_states(cell, hx);
  if (at_sizesOf(input).count != 2 || at_sizesOf(hx.data[0]).count != 2)
    at_raise(AT_ERROR_ARGUMENT, "input has size (%s) and hx[0] (%s), and both have to be matrices",
             at_sizeDesc(at_sizesOf(input)).str, at_sizeDesc(at_sizesOf(hx.data[0])).str);
  const int64_t units = hx.data[0]->th->size[1], states[] = {input->th->size[0], units};
  for (int i = 0; i < hx.count; i++) {
    check_sizes(hx.data[i], "hx", i, 2, states);
    if (hx.data[i]->type != input->type)
      at_checkType(hx.data[i], "hx", input->type);
  }
  const Layer given = {cell, w_ih, w_hh, b_ih, b_hh, NULL};
  check_layer(&given, input->type, input->th->size[1], units, units);
  if (at_numel(input) == 0 || units == 0)
    at_raise(AT_ERROR_ARGUMENT, "input has size (%s), and no elements",
             at_sizeDesc(at_sizesOf(input)).str);
  at_pool pool;
  at_pool_enter(&pool);
  const Layer l = {cell,
                   at_cast(&pool, w_ih, compute),
                   at_cast(&pool, w_hh, compute),
                   at_layerCast(&pool, b_ih, compute),
                   at_layerCast(&pool, b_hh, compute),
                   NULL};
  at_tensor *made[2] = {at_hold(&pool, at_newCast(hx.data[0], compute)),
                        hx.count > 1 ? at_hold(&pool, at_newCast(hx.data[1], compute)) : NULL};
  Scratch s = scratch_for(&pool, &l, compute, states[0], units);
  at_tensor *const gates =
      at_hold(&pool, at_linearMap(NULL, at_cast(&pool, input, compute), l.inputWeight, NULL));
  step(&l, &s, gates, at_hold(&pool, at_viewTranspose(l.stateWeight, 0, 1)), made[0], made[1]);
  for (int i = 0; i < hx.count; i++)
    made[i] = at_cast(&pool, made[i], input->type);
  at_finish(&pool, hx.count, out, made);
}

at_tensor *at_stateAfter(at_cell_kind cell, at_tensor *input, at_tensor *hx, at_tensor *w_ih,
                         at_tensor *w_hh, at_tensor *b_ih, at_tensor *b_hh)
{
  at_tensor *made = NULL;
  at_stepOf(&made, cell, input, (at_tensors){&hx, 1}, w_ih, w_hh, b_ih, b_hh);
  return made;
}

/* Attention, as ONNX has it since version 23: heads in a dimension of their own or side by side, a cache
 * of keys and values, groups of queries, masks, a limit on scores. */
#include <math.h>

#include "../Runs.h"

/* x as batch x heads x length x width. */
static at_tensor *with_heads(const at_onnxCall *c, at_tensor *x, const char *attribute)
{
  if (at_dim(x) == 4)
    return x;
  const int64_t heads = at_onnxInt(c, attribute, 0);
  if (at_dim(x) != 3 || heads < 1 || at_size(x, 2) % heads != 0)
    AT_ONNX_FAILS(c, "%s is %lld, for an input of size %s", attribute, (long long)heads,
                  at_sizeDesc(at_sizes(x)).str);
  return at_transpose(at_reshape(x, AT_SHAPE(at_size(x, 0), at_size(x, 1), heads,
                                             at_size(x, 2) / heads)),
                      1, 2);
}

/* What is added to scores: the mask, and -infinity for keys behind the query or outside of its window. */
static at_tensor *mask_of(const at_onnxCall *c, const at_tensor *q, const at_tensor *k,
                          int64_t past)
{
  at_tensor *given = at_onnxMaybe(c, 3), *const lengths = at_onnxMaybe(c, 6);
  const int64_t queries = at_size(q, 2), keys = at_size(k, 2);
  const bool isBoolean = given && given->type->scalarType == AT_BOOL;
  at_tensor *mask = at_zeros(AT_SHAPE(queries, keys), .type = q->type);
  at_tensor *const columns = at_arange(keys, .type = at_cpuType(AT_LONG));
  if (given && at_size(given, -1) < keys) /* the rest is masked */
    given = isBoolean ? at_constant_pad_nd(given, AT_INTS(0, keys - at_size(given, -1)))
                      : at_constant_pad_nd(given, AT_INTS(0, keys - at_size(given, -1)),
                                           .value = -(double)INFINITY);
  if (given)
    mask = isBoolean ? at_masked_fill(mask, at_logical_not(given), -(double)INFINITY)
                     : at_add(mask, given);
  const int64_t after = at_onnxInt(c, "right_window_size", -1),
                before = at_onnxInt(c, "left_window_size", -1);
  at_tensor *rows =
      at_unsqueeze(at_arange_start(past, past + queries, .type = at_cpuType(AT_LONG)), 1);
  if (lengths && past == 0) /* the queries are the last of the keys that count */
    rows = at_add(rows, at_sub(at_reshape(lengths, AT_INTS(-1, 1, 1, 1)), queries));
  if (at_onnxInt(c, "is_causal", 0))
    mask = at_masked_fill(mask, at_gt(columns, rows), -(double)INFINITY);
  if (after >= 0)
    mask = at_masked_fill(mask, at_gt(at_sub(columns, rows), after), -(double)INFINITY);
  if (before >= 0)
    mask = at_masked_fill(mask, at_gt(at_sub(rows, columns), before), -(double)INFINITY);
  if (lengths) {
    at_tensor *const ends = at_reshape(lengths, AT_INTS(-1, 1, 1, 1));
    mask = at_masked_fill(mask, at_ge(columns, ends), -(double)INFINITY);
  }
  return mask;
}

/* The scores before or after the limit and the mask, or the weights, as an output of the node. */
static void give_scores(const at_onnxCall *c, int64_t mode, at_tensor *t)
{
  if (at_onnxWants(c, 3) && at_onnxInt(c, "qk_matmul_output_mode", 0) == mode)
    at_onnxGive(c, 3, t);
}

static at_tensor *grouped(at_tensor *t, int64_t heads)
{
  const int64_t own = at_size(t, 1);
  return own == heads || own < 1 ? t : at_repeat_interleave(t, heads / own, .dim = 1);
}

void at_runAttention(at_onnxCall *c)
{
  at_tensor *const given = at_onnxInput(c, 0), *const pastK = at_onnxMaybe(c, 4),
                   *const pastV = at_onnxMaybe(c, 5);
  at_tensor *const q = with_heads(c, given, "q_num_heads");
  at_tensor *k = with_heads(c, at_onnxInput(c, 1), "kv_num_heads"),
            *v = with_heads(c, at_onnxInput(c, 2), "kv_num_heads");
  const int64_t heads = at_size(q, 1), width = at_size(q, 3);
  if (pastK)
    k = at_cat(AT_TENSORS(pastK, k), .dim = 2);
  if (pastV)
    v = at_cat(AT_TENSORS(pastV, v), .dim = 2);
  const double scale = at_onnxFloat(c, "scale", 1 / sqrt((double)THMax(width, 1))),
               limit = at_onnxFloat(c, "softcap", 0);
  at_tensor *const mask = mask_of(c, q, k, pastK ? at_size(pastK, 2) : 0);
  at_tensor *scores = at_mul(at_matmul(q, at_transpose(grouped(k, heads), 2, 3)), scale);
  give_scores(c, 0, scores);
  if (limit > 0)
    scores = at_mul(at_tanh(at_div(scores, limit)), limit);
  give_scores(c, 1, scores);
  scores = at_add(scores, mask);
  give_scores(c, 2, scores);
  /* A query that may see no key has weights of 0. */
  at_tensor *const isBlind = at_isneginf(at_amax(scores, .dim = AT_INTS(-1), .keepdim = true));
  at_tensor *const weights = at_masked_fill(at_softmax(scores, -1), isBlind, 0);
  give_scores(c, 3, weights);
  at_tensor *const y = at_matmul(weights, grouped(v, heads));
  at_onnxGive(c, 0,
              at_dim(given) == 4
                  ? y
                  : at_reshape(at_transpose(y, 1, 2),
                               AT_SHAPE(at_size(y, 0), at_size(y, 2), heads * at_size(y, 3))));
  at_onnxGive(c, 1, k);
  at_onnxGive(c, 2, v);
}

/* A tensor of Float, at least. */
static at_tensor *accurate(at_tensor *t)
{
  return t->type->scalarType == AT_DOUBLE ? t : at_to(t, at_cpuType(AT_FLOAT));
}

/* Part t of each head of x, batch x length x (heads width), as batch x heads x width x 1. */
static at_tensor *step_of(at_tensor *x, int64_t t, int64_t heads)
{
  at_tensor *const row = at_select(x, 1, t);
  return at_reshape(row, AT_INTS(at_size(row, 0), heads, at_size(row, 1) / heads, 1));
}

/* The state after a step: what it was, weakened by the exponential of decay, and key times value, or what
 * value has beyond what the state returns for the key.  Decay and rate may be NULL. */
static at_tensor *next_state(at_tensor *state, at_tensor *key, at_tensor *value, at_tensor *decay,
                             at_tensor *rate)
{
  if (decay)
    state = at_mul(state, at_exp(decay));
  at_tensor *added = at_transpose(value, 2, 3);
  if (rate)
    added = at_mul(at_sub(added, at_matmul(at_transpose(key, 2, 3), state)), rate);
  return at_add(state, at_mul(key, added));
}

/* Whether t, if it is given, has something for each step of x, that divides into heads. */
static void check_steps(const at_onnxCall *c, const char *name, const at_tensor *t,
                        const at_tensor *x, int64_t heads)
{
  if (t && (at_dim(t) != 3 || at_size(t, 0) != at_size(x, 0) || at_size(t, 1) != at_size(x, 1) ||
            at_size(t, 2) < 1 || at_size(t, 2) % heads != 0))
    AT_ONNX_FAILS(c, "%s has size %s, and has to be of %lld x %lld x a multiple of %lld", name,
                  at_sizeDesc(at_sizes(t)).str, (long long)at_size(x, 0), (long long)at_size(x, 1),
                  (long long)heads);
}

/* Attention without softmax, whose state is the sum of products of keys and values (Katharopoulos and others,
 * 2020; Yang and others, Gated Delta Networks, 2024). */
void at_runLinearAttention(at_onnxCall *c)
{
  const char *const rule = at_onnxText(c, "update_rule", "gated_delta");
  const bool isGated = !strncmp(rule, "gated", 5), isDelta = strstr(rule, "delta") != NULL;
  const int64_t heads = at_onnxInt(c, "q_num_heads", 0), own = at_onnxInt(c, "kv_num_heads", 0);
  at_tensor *const given = at_onnxInput(c, 0), *const q = accurate(given),
                   *const k = accurate(at_onnxInput(c, 1)), *const v = accurate(at_onnxInput(c, 2)),
                   *const past = at_onnxMaybe(c, 3),
                   *const decay = isGated ? accurate(at_onnxInput(c, 4)) : NULL,
                   *const rate = isDelta ? accurate(at_onnxInput(c, 5)) : NULL;
  if (at_dim(q) != 3 || at_dim(k) != 3 || at_dim(v) != 3 || own < 1 || heads < 1 ||
      heads % own != 0 || at_size(q, 2) % heads != 0 || at_size(k, 2) % own != 0 ||
      at_size(v, 2) % own != 0 || at_size(q, 1) != at_size(k, 1) || at_size(q, 1) != at_size(v, 1))
    AT_ONNX_FAILS(c, "%lld and %lld heads do not go with inputs of %s, %s and %s", (long long)heads,
                  (long long)own, at_sizeDesc(at_sizes(q)).str, at_sizeDesc(at_sizes(k)).str,
                  at_sizeDesc(at_sizes(v)).str);
  check_steps(c, "decay", decay, q, own);
  check_steps(c, "beta", rate, q, 1);
  const int64_t batch = at_size(q, 0), length = at_size(q, 1), width = at_size(q, 2) / heads;
  const double asked = at_onnxFloat(c, "scale", 0),
               scale = asked != 0 ? asked : 1 / sqrt((double)THMax(width, 1));
  at_tensor *state = past ? accurate(past)
                          : at_zeros(AT_SHAPE(batch, own, at_size(k, 2) / own, at_size(v, 2) / own),
                                     .type = q->type);
  at_tensor *const made =
      at_zeros(AT_SHAPE(batch, length, heads * (at_size(v, 2) / own)), .type = q->type);
  for (int64_t t = 0; t < length && !at_error(); t++)
    AT_SCOPE
    {
      at_tensor *const next = next_state(state, step_of(k, t, own), step_of(v, t, own),
                                         decay ? step_of(decay, t, own) : NULL,
                                         rate ? step_of(rate, t, at_size(rate, 2)) : NULL);
      at_tensor *const y =
          at_matmul(at_transpose(step_of(q, t, heads), 2, 3), grouped(next, heads));
      at_copy_(at_select(made, 1, t), at_mul(at_reshape(y, AT_INTS(batch, -1)), scale));
      state = at_escape(next);
    }
  at_onnxGive(c, 0, at_to(made, given->type));
  at_onnxGive(c, 1, at_to(state, past ? past->type : given->type));
}

/* Turns pairs of the first elements of each head by angles that depend on the position. */
void at_runRotary(at_onnxCall *c)
{
  at_tensor *const given = at_onnxInput(c, 0), *const positions = at_onnxMaybe(c, 3);
  at_tensor *const x = at_transpose(with_heads(c, given, "num_heads"), 1, 2);
  const int64_t width = at_size(x, 3), asked = at_onnxInt(c, "rotary_embedding_dim", 0),
                turned = asked > 0 ? asked : width, half = turned / 2;
  const bool isPaired = at_onnxInt(c, "interleaved", 0) != 0;
  at_tensor *angles[2];
  for (int i = 0; i < 2; i++) {
    at_tensor *const table = at_onnxInput(c, 1 + i);
    at_tensor *const rows =
        positions
            ? at_reshape(at_index_select(table, 0, at_reshape(positions, AT_INTS(-1))),
                         AT_SHAPE(at_size(positions, 0), at_size(positions, 1), at_size(table, 1)))
            : table;
    angles[i] = at_unsqueeze(at_narrow(rows, -1, 0, half), 2);
  }
  at_tensor *const part = at_narrow(x, 3, 0, turned);
  at_tensor *const first =
                       isPaired ? at_slice(part, .dim = 3, .step = 2) : at_narrow(part, 3, 0, half),
                   *const second = isPaired ? at_slice(part, .dim = 3, .start = 1, .step = 2)
                                            : at_narrow(part, 3, half, half);
  at_tensor *const real = at_sub(at_mul(first, angles[0]), at_mul(second, angles[1])),
                   *const other = at_add(at_mul(first, angles[1]), at_mul(second, angles[0]));
  at_tensor *const made =
      isPaired ? at_flatten(at_stack(AT_TENSORS(real, other), .dim = -1), .start_dim = 3)
               : at_cat(AT_TENSORS(real, other), .dim = 3);
  at_tensor *const y =
      at_transpose(at_cat(AT_TENSORS(made, at_narrow(x, 3, turned, width - turned)), .dim = 3), 1,
                   2);
  at_onnxGive(c, 0, at_dim(given) == 4 ? y : at_reshape(at_transpose(y, 1, 2), at_sizes(given)));
}

/* Rotary positions and attention with groups of queries, as ONNX Runtime's own domain has them for language
 * models. */
#include "../Runs.h"

#include <math.h>

/* x, whose last dimensions are length and width, with its first parts turned by angles: cosines and sines of
 * length x half of the width that is turned. */
static at_tensor *turned(const at_onnxCall *c, at_tensor *x, at_tensor *cosines, at_tensor *sines,
                         bool interleaved)
{
  const int64_t half = at_size(cosines, -1), width = at_size(x, -1);
  if (at_dim(sines) != at_dim(cosines) || at_size(sines, -1) != half || 2 * half > width)
    AT_ONNX_FAILS(c, "angles of size %s and %s do not go with heads of %lld numbers",
                  at_sizeDesc(at_sizes(cosines)).str, at_sizeDesc(at_sizes(sines)).str,
                  (long long)width);
  at_tensor *const part = at_narrow(x, -1, 0, 2 * half);
  at_tensor *const a = interleaved ? at_slice(part, .dim = -1, .step = 2)
                                   : at_narrow(part, -1, 0, half),
                   *const b = interleaved ? at_slice(part, .dim = -1, .start = 1, .step = 2)
                                          : at_narrow(part, -1, half, half);
  at_tensor *const first = at_sub(at_mul(a, cosines), at_mul(b, sines)),
                   *const second = at_add(at_mul(b, cosines), at_mul(a, sines));
  at_tensor *const both =
      interleaved ? at_flatten(at_stack(AT_TENSORS(first, second), .dim = -1), .start_dim = -2)
                  : at_cat(AT_TENSORS(first, second), .dim = -1);
  return 2 * half == width
             ? both
             : at_cat(AT_TENSORS(both, at_narrow(x, -1, 2 * half, width - 2 * half)), .dim = -1);
}

at_tensor *at_onnxHeads(const at_onnxCall *c, at_tensor *x, int64_t heads)
{
  if (at_dim(x) != 3 || heads < 1 || at_size(x, 2) % heads != 0)
    AT_ONNX_FAILS(c, "there are %lld heads, for an input of size %s", (long long)heads,
                  at_sizeDesc(at_sizes(x)).str);
  return at_transpose(at_reshape(x, AT_INTS(at_size(x, 0), at_size(x, 1), heads,
                                            at_size(x, 2) / heads)),
                      1, 2);
}

static at_tensor *joined_heads(at_tensor *x)
{
  return at_flatten(at_transpose(x, 1, 2), .start_dim = 2);
}

void at_runRotaryCache(at_onnxCall *c)
{
  at_tensor *const given = at_onnxInput(c, 0), *const cosines = at_onnxInput(c, 2),
                   *const sines = at_onnxInput(c, 3);
  at_tensor *positions = at_onnxInput(c, 1);
  const int64_t count = at_onnxInt(c, "num_heads", 0);
  if ((at_dim(given) != 3 && at_dim(given) != 4) || at_dim(cosines) != 2 || at_size(cosines, 1) < 1)
    AT_ONNX_FAILS(c, "the input is of size %s", at_sizeDesc(at_sizes(given)).str);
  const bool isWhole = at_dim(given) == 4;
  const int64_t width = 2 * at_size(cosines, 1);
  at_tensor *const x =
      isWhole ? given : at_onnxHeads(c, given, count > 0 ? count : at_size(given, 2) / width);
  if (at_numel(positions) == 1) /* the position of the first word */
    positions = at_add(at_arange(at_size(x, 2), .type = at_cpuType(AT_LONG)),
                       at_reshape(positions, AT_INTS(1, 1)));
  at_tensor *const y =
      turned(c, x, at_unsqueeze(at_embedding(cosines, positions), 1),
             at_unsqueeze(at_embedding(sines, positions), 1), at_onnxInt(c, "interleaved", 0) != 0);
  at_onnxGive(c, 0, isWhole ? y : joined_heads(y));
}

/* --- groups of queries ------------------------------------------------------------------------ */

typedef struct Groups {
  const at_onnxCall *call;
  at_tensor *q, *k, *v, *pastK, *pastV, *cosines, *sines; /* of all sequences */
  int64_t length, capacity;                               /* of queries, and of the cache */
} Groups;

/* The keys or values of a sequence: past of the cache, and then the new ones; with 0 for the space that is
 * left. */
static at_tensor *extended(const Groups *g, at_tensor *past, at_tensor *now, int64_t count)
{
  const int64_t heads = at_size(now, 0), width = at_size(now, 2);
  at_tensor *const rest =
      at_zeros(AT_INTS(heads, g->capacity - count - g->length, width), .type = now->type);
  return past ? at_cat(AT_TENSORS(at_narrow(past, 1, 0, count), now, rest), .dim = 1)
              : at_cat(AT_TENSORS(now, rest), .dim = 1);
}

/* Turns queries or keys to their positions, from the first on. */
static at_tensor *placed(const Groups *g, at_tensor *x, int64_t first)
{
  const int64_t most = g->cosines ? at_size(g->cosines, 0) : 0;
  if (!g->cosines)
    return x;
  if (first + g->length > most)
    AT_ONNX_FAILS(g->call, "there are angles for %lld positions, and not for %lld", (long long)most,
                  (long long)(first + g->length));
  return turned(g->call, x, at_narrow(g->cosines, 0, first, g->length),
                at_narrow(g->sines, 0, first, g->length),
                at_onnxInt(g->call, "rotary_interleaved", 0) != 0);
}

/* Attention of sequence b, which has that many keys in all. */
static at_tensor *attend_one(const Groups *g, int64_t b, int64_t total, at_tensor *made[2])
{
  const at_onnxCall *const c = g->call;
  const int64_t past = total > g->length ? total - g->length : 0, keys = past + g->length;
  const int64_t window = at_onnxInt(c, "local_window_size", -1);
  const double scale = at_onnxFloat(c, "scale", 0), limit = at_onnxFloat(c, "softcap", 0);
  if (keys > g->capacity || (past > 0 && (!g->pastK || past > at_size(g->pastK, 2))))
    AT_ONNX_FAILS(c, "sequence %lld has %lld keys, and there is room for %lld", (long long)b,
                  (long long)keys, (long long)g->capacity);
  at_tensor *const q = placed(g, at_select(g->q, 0, b), past);
  made[0] = extended(g, g->pastK ? at_select(g->pastK, 0, b) : NULL,
                     placed(g, at_select(g->k, 0, b), past), past);
  made[1] = extended(g, g->pastV ? at_select(g->pastV, 0, b) : NULL, at_select(g->v, 0, b), past);
  const int64_t shared = at_size(q, 0) / THMax(at_size(made[0], 0), 1);
  at_tensor *const k = at_repeat_interleave(at_narrow(made[0], 1, 0, keys), shared, .dim = 0),
                   *const v =
                       at_repeat_interleave(at_narrow(made[1], 1, 0, keys), shared, .dim = 0);
  at_tensor *scores = at_mul(at_matmul(q, at_transpose(k, -2, -1)),
                             scale != 0 ? scale : 1 / sqrt((double)THMax(at_size(q, 2), 1)));
  if (limit > 0)
    scores = at_mul(at_tanh(at_div(scores, limit)), limit);
  const at_type *const longs = at_cpuType(AT_LONG);
  at_tensor *const columns = at_arange(keys, .type = longs),
                   *const rows = at_unsqueeze(at_arange_start(past, keys, .type = longs), 1);
  at_tensor *hidden = at_gt(columns, rows);
  if (window > 0)
    hidden = at_logical_or(hidden, at_le(columns, at_sub(rows, window)));
  return at_matmul(at_softmax(at_masked_fill(scores, hidden, -(double)INFINITY), -1), v);
}

/* Gives the outputs: of all sequences, their attention, keys and values. */
static void attend_all(at_onnxCall *c, const Groups *g, const at_onnxList *totals)
{
  at_tensor *all[3] = {NULL};
  for (int64_t b = 0; b < at_size(g->q, 0); b++) {
    at_tensor *one[3];
    if (totals->data[b] < 0 || totals->data[b] >= g->capacity)
      AT_ONNX_FAILS(c, "the last key of sequence %lld is %lld, and there is room for %lld",
                    (long long)b, (long long)totals->data[b], (long long)g->capacity);
    one[0] = attend_one(g, b, totals->data[b] + 1, one + 1);
    for (int i = 0; i < 3; i++) {
      at_tensor *const row = at_unsqueeze(one[i], 0);
      all[i] = all[i] ? at_cat(AT_TENSORS(all[i], row), .dim = 0) : row;
    }
  }
  at_onnxGive(c, 0, joined_heads(all[0]));
  for (int i = 1; i < 3; i++)
    if (at_onnxWants(c, i))
      at_onnxGive(c, i, all[i]);
}

void at_runGroupQuery(at_onnxCall *c)
{
  const int64_t heads = at_onnxInt(c, "num_heads", 0), own = at_onnxInt(c, "kv_num_heads", 0);
  const bool turns = at_onnxInt(c, "do_rotary", 0) != 0;
  at_tensor *q = at_onnxInput(c, 0), *k = at_onnxMaybe(c, 1), *v = at_onnxMaybe(c, 2);
  const at_onnxList totals = at_onnxIntsIn(c, 5), whole = at_onnxIntsIn(c, 6);
  if (heads < 1 || own < 1 || heads % own != 0 || at_dim(q) != 3 || heads > at_size(q, 2) ||
      whole.count != 1)
    AT_ONNX_FAILS(c, "num_heads is %lld and kv_num_heads %lld, for queries of size %s",
                  (long long)heads, (long long)own, at_sizeDesc(at_sizes(q)).str);
  for (int i = 9; i < 12; i++)
    if (at_onnxMaybe(c, i))
      AT_ONNX_FAILS(c, "input %d is not here", i);
  if (!k) { /* all side by side */
    const int64_t width = at_size(q, 2) / (heads + 2 * own);
    at_tensor *const all = q;
    q = at_narrow(all, 2, 0, heads * width);
    k = at_narrow(all, 2, heads * width, own * width);
    v = at_narrow(all, 2, (heads + own) * width, own * width);
  }
  Groups g = {.call = c,
              .q = at_onnxHeads(c, q, heads),
              .k = at_onnxHeads(c, k, own),
              .v = at_onnxHeads(c, v, own),
              .pastK = at_onnxMaybe(c, 3),
              .pastV = at_onnxMaybe(c, 4),
              .cosines = turns ? at_onnxInput(c, 7) : NULL,
              .sines = turns ? at_onnxInput(c, 8) : NULL,
              .length = at_size(q, 1)};
  g.capacity = THMax(whole.data[0], g.pastK ? at_size(g.pastK, 2) : 0);
  if (totals.count != at_size(q, 0) || totals.count < 1 || (g.pastK && at_dim(g.pastK) != 4))
    AT_ONNX_FAILS(c, "there are %d lengths, for queries of size %s", totals.count,
                  at_sizeDesc(at_sizes(q)).str);
  attend_all(c, &g, &totals);
}

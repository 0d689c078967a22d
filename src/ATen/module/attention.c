/* Attention of several heads. */
#include <string.h>

#include "ATenLayerFields.h"

enum { Q_WEIGHT, K_WEIGHT, V_WEIGHT, PACKED_WEIGHT, PACKED_BIAS, BIAS_K, BIAS_V };

bool at_isPacked(int64_t size, int64_t keys, int64_t values)
{
  return at_indexOr(keys, size) == size && at_indexOr(values, size) == size;
}

void at_resetAttention(at_module *self)
{
  if (self->parameters.count <= BIAS_V) /* one could not be added */
    return;
  for (int i = Q_WEIGHT; i <= PACKED_WEIGHT; i++)
    if (at_parameterAt(self, i))
      at_init_xavier_uniform_(at_parameterAt(self, i));
  at_module *const projection = at_module_childAt(self, 0);
  if (projection && at_parameterAt(projection, 1))
    at_zero_(at_parameterAt(projection, 1));
  for (int i = BIAS_K; i <= BIAS_V; i++)
    if (at_parameterAt(self, i))
      at_init_xavier_normal_(at_parameterAt(self, i));
}

typedef struct Heads {
  at_tensor *of[3]; /* queries, keys, values: batch x heads x steps x size */
} Heads;

/* One of the three projections of x, batch x steps x embed_dim. */
static at_tensor *project(at_module *self, const at_MultiheadAttention_fields *own, int which,
                          at_tensor *x)
{
  at_tensor *const packed = at_parameterAt(self, PACKED_WEIGHT);
  at_tensor *const bias = at_parameterAt(self, PACKED_BIAS);
  const int64_t size = own->embed_dim;
  at_tensor *const weight =
      packed ? at_narrow(packed, 0, which * size, size) : at_parameterAt(self, Q_WEIGHT + which);
  return at_linear(x, weight, .bias = bias ? at_narrow(bias, 0, which * size, size) : NULL);
}

/* batch x steps x embed_dim as batch x heads x steps x size. */
static at_tensor *split(const at_MultiheadAttention_fields *own, at_tensor *x)
{
  const int64_t size = own->embed_dim / own->num_heads;
  return at_transpose(at_reshape(x, AT_SHAPE(at_size(x, 0), at_size(x, 1), own->num_heads, size)),
                      1, 2);
}

/* A sequence to itself needs one product for all three. */
static Heads heads_of(at_module *self, const at_MultiheadAttention_fields *own,
                      at_tensor *const *inputs)
{
  Heads heads;
  at_tensor *const packed = at_parameterAt(self, PACKED_WEIGHT);
  const bool isOne = packed && inputs[0] == inputs[1] && inputs[1] == inputs[2];
  if (!isOne) {
    for (int i = 0; i < 3; i++)
      heads.of[i] = split(own, project(self, own, i, inputs[i]));
    return heads;
  }
  at_tensor *const all = at_linear(inputs[0], packed, .bias = at_parameterAt(self, PACKED_BIAS));
  const at_tensors *const parts = at_chunk(all, 3, .dim = -1);
  for (int i = 0; i < 3; i++)
    heads.of[i] = parts->count == 3 ? split(own, parts->data[i]) : at_undefined();
  return heads;
}

/* A step behind all others, the same in the whole batch. */
static at_tensor *with_step(at_tensor *x, at_tensor *step)
{
  at_tensor *const all = at_expand(step, AT_SHAPE(at_size(x, 0), at_size(x, 1), 1, at_size(x, 3)));
  return at_cat(AT_TENSORS(x, all), .dim = 2);
}

/* Adds keys and values of parameters and of zeros; returns how many of each. */
static int64_t add_steps(at_module *self, const at_MultiheadAttention_fields *own, Heads *heads)
{
  const bool hasBias = at_parameterAt(self, BIAS_K) != NULL;
  const int64_t size = own->embed_dim / own->num_heads;
  for (int i = 1; i < 3 && at_defined(heads->of[i]); i++) {
    const at_ints sizes = AT_INTS(1, own->num_heads, 1, size);
    if (hasBias)
      heads->of[i] =
          with_step(heads->of[i], at_reshape(at_parameterAt(self, BIAS_K + i - 1), sizes));
    if (own->add_zero_attn)
      heads->of[i] = with_step(heads->of[i], at_zeros(sizes, .type = at_typeOf(heads->of[i])));
  }
  return hasBias + own->add_zero_attn;
}

/* --- masks ------------------------------------------------------------------------------------ */

/* The mask as numbers to be added to scores of that type. */
static at_tensor *as_scores(at_tensor *mask, const at_type *type)
{
  if (at_type_scalarType(at_typeOf(mask)) != AT_BOOL)
    return mask;
  return at_masked_fill(at_zeros(at_sizes(mask), .type = type), mask, -INFINITY);
}

/* All masks as one, or NULL; they say nothing of the last keys. */
static at_tensor *mask_of(const Heads *heads, int64_t unmasked,
                          const at_MultiheadAttention_forward_options *o)
{
  at_tensor *const q = heads->of[0];
  if (!at_defined(q))
    return NULL;
  const int64_t batch = at_size(q, 0), count = at_size(q, 1), steps = at_size(q, 2);
  const int64_t keys = at_size(heads->of[1], 2) - unmasked;
  at_tensor *mask = o->attn_mask;
  if (!mask && o->is_causal)
    mask = at_triu(at_ones(AT_SHAPE(steps, keys), .type = at_toScalarType(at_typeOf(q), AT_BOOL)),
                   .diagonal = 1);
  if (mask)
    mask = as_scores(mask, at_typeOf(q));
  if (mask && at_dim(mask) == 3)
    mask = at_reshape(mask, AT_SHAPE(batch, count, steps, keys));
  if (o->key_padding_mask) {
    at_tensor *const padding =
        at_reshape(as_scores(o->key_padding_mask, at_typeOf(q)), AT_SHAPE(batch, 1, 1, keys));
    mask = mask ? at_add(mask, padding) : padding;
  }
  return mask && unmasked > 0 ? at_constant_pad_nd(mask, AT_INTS(0, unmasked)) : mask;
}

/* --- the call --------------------------------------------------------------------------------- */

/* The values that queries attend to, and the weights as far as they are wanted. */
static at_output_weights attend(at_module *self, const at_MultiheadAttention_fields *own,
                                const Heads *heads, int64_t unmasked,
                                const at_MultiheadAttention_forward_options *o)
{
  const double p = self->training ? own->dropout : 0;
  const bool isFused = !o->need_weights && p == 0;
  const bool isCausal =
      isFused && o->is_causal && !o->attn_mask && !o->key_padding_mask && unmasked == 0;
  at_tensor *const mask = isCausal ? NULL : mask_of(heads, unmasked, o);
  if (isFused)
    return (at_output_weights){
        at_scaled_dot_product_attention(heads->of[0], heads->of[1], heads->of[2], .attn_mask = mask,
                                        .is_causal = isCausal),
        NULL};
  const double scale = 1 / sqrt((double)(own->embed_dim / own->num_heads));
  at_tensor *scores = at_matmul(at_mul(heads->of[0], scale), at_transpose(heads->of[1], -2, -1));
  scores = mask ? at_add(scores, mask) : scores;
  at_tensor *const weights = at_dropout(at_softmax(scores, -1), p, self->training);
  at_tensor *const attended = at_matmul(weights, heads->of[2]);
  if (!o->need_weights)
    return (at_output_weights){attended, NULL};
  return (at_output_weights){attended,
                             o->average_attn_weights ? at_mean_dim(weights, AT_INTS(1)) : weights};
}

/* batch x steps x size, whatever the layout of the input. */
static at_tensor *batch_first(const at_MultiheadAttention_fields *own, at_tensor *x)
{
  if (at_dim(x) == 2)
    return at_unsqueeze(x, 0);
  return own->batch_first ? x : at_transpose(x, 0, 1);
}

static at_output_weights call(at_module *self, at_tensor *const *inputs,
                              const at_MultiheadAttention_forward_options *o)
{
  const at_MultiheadAttention_fields *const own = at_module_own(self);
  const bool isBatch = at_dim(inputs[0]) == 3;
  at_tensor *const q = batch_first(own, inputs[0]);
  at_tensor *const k = inputs[1] == inputs[0] ? q : batch_first(own, inputs[1]);
  at_tensor *const v = inputs[2] == inputs[1] ? k : batch_first(own, inputs[2]);
  Heads heads = heads_of(self, own, (at_tensor *const[]){q, k, v});
  const int64_t added = add_steps(self, own, &heads);
  at_output_weights made = attend(self, own, &heads, added, o);
  /* Steps come before the batch in memory, as in PyTorch, whose dropout draws in that order. */
  at_tensor *const joined = at_reshape(at_permute(made.output, AT_INTS(2, 0, 1, 3)),
                                       AT_SHAPE(at_size(q, 1), at_size(q, 0), at_size(q, 2)));
  at_tensor *const out = at_forward(at_module_childAt(self, 0), joined);
  made.output = !isBatch           ? at_squeeze_dim(out, 1)
                : own->batch_first ? at_transpose(out, 0, 1)
                                   : out;
  if (made.weights && !isBatch)
    made.weights = at_squeeze_dim(made.weights, 0);
  return made;
}

/* Whether the sizes of inputs, batch or not, are those of the layer; an error if not. */
static bool fits(const at_module *self, at_tensor *const *inputs)
{
  static const char *const names[] = {"query", "key", "value"};
  const at_MultiheadAttention_fields *const own = at_module_own(self);
  const int64_t sizes[] = {own->embed_dim, at_indexOr(own->kdim, own->embed_dim),
                           at_indexOr(own->vdim, own->embed_dim)};
  for (int i = 0; i < 3; i++)
    if (at_dim(inputs[i]) != at_dim(inputs[0]) || at_dim(inputs[0]) < 2 || at_dim(inputs[0]) > 3) {
      at_misfit(self, "query, key and value have %d, %d and %d dimensions: all have to have 2 or 3",
                at_dim(inputs[0]), at_dim(inputs[1]), at_dim(inputs[2]));
      return false;
    }
  const int batch = own->batch_first ? 0 : 1;
  for (int i = 0; i < 3; i++) {
    const at_ints own_sizes = at_sizesOf(inputs[i]);
    const bool isBatch = own_sizes.count == 3;
    if (own_sizes.data[own_sizes.count - 1] != sizes[i]) {
      at_misfit(self, "%s is of size %s, and its last dimension has to be %lld", names[i],
                at_sizeDesc(own_sizes).str, (long long)sizes[i]);
      return false;
    }
    if ((isBatch && own_sizes.data[batch] != at_size(inputs[0], batch)) ||
        (i == 2 && at_size(inputs[2], isBatch ? 1 - batch : 0) !=
                       at_size(inputs[1], isBatch ? 1 - batch : 0))) {
      at_misfit(self, "%s is of size %s, and %s of size %s", names[i], at_sizeDesc(own_sizes).str,
                names[i == 2 ? 1 : 0], at_sizeDesc(at_sizesOf(inputs[i == 2 ? 1 : 0])).str);
      return false;
    }
  }
  return true;
}

/* Whether a mask is of Bool or a floating type, and of one of two sizes, of which the second may be
 * empty; an error if not. */
static bool fits_mask(const at_module *self, const char *name, const at_tensor *mask, at_ints one,
                      at_ints other)
{
  if (!mask)
    return true;
  const at_scalar_type type = at_type_scalarType(at_typeOf(mask));
  if (type != AT_BOOL && !at_isFloating(type))
    at_misfit(self, "%s is of type %s, and has to be of Bool or of a floating type", name,
              at_typeOf(mask)->name);
  else if (!at_sameSizes(at_sizesOf(mask), one) && !at_sameSizes(at_sizesOf(mask), other))
    at_misfit(self, "%s is of size %s, and has to be of %s%s%s", name,
              at_sizeDesc(at_sizesOf(mask)).str, at_sizeDesc(one).str, other.count ? " or " : "",
              other.count ? at_sizeDesc(other).str : "");
  else
    return true;
  return false;
}

/* Whether both masks fit queries and keys; an error if not. */
static bool fits_masks(const at_module *self, at_tensor *query, at_tensor *key,
                       const at_MultiheadAttention_forward_options *o)
{
  const at_MultiheadAttention_fields *const own = at_module_own(self);
  const bool isBatch = at_dim(query) == 3;
  const int steps = isBatch && own->batch_first ? 1 : 0;
  const int64_t batch = isBatch ? at_size(query, 1 - steps) : 1;
  const int64_t queries = at_size(query, steps), keys = at_size(key, steps);
  return fits_mask(self, "attn_mask", o->attn_mask, AT_INTS(queries, keys),
                   AT_INTS(batch * own->num_heads, queries, keys)) &&
         fits_mask(self, "key_padding_mask", o->key_padding_mask,
                   isBatch ? AT_INTS(batch, keys) : AT_INTS(keys), (at_ints){NULL, 0});
}

at_output_weights(at_MultiheadAttention_forward)(at_module *self, at_tensor *query, at_tensor *key,
                                                 at_tensor *value,
                                                 const at_MultiheadAttention_forward_options
                                                     *options)
{
  const char *const name = "MultiheadAttention_forward";
  const at_output_weights failed = {at_undefined(), at_undefined()};
  if (!options)
    options = &at_MultiheadAttention_forward_defaults;
  if (!at_isKind(name, self, &at_kind_MultiheadAttention) ||
      !at_accept(name, "query", query, false) || !at_accept(name, "key", key, false) ||
      !at_accept(name, "value", value, false) ||
      !at_accept(name, "key_padding_mask", options->key_padding_mask, true) ||
      !at_accept(name, "attn_mask", options->attn_mask, true))
    return failed;
  at_tensor *const inputs[] = {query, key, value};
  if (!fits(self, inputs) || !fits_masks(self, query, key, options))
    return failed;
  AT_SCOPE_GUARD;
  const at_output_weights made = call(self, inputs, options);
  return (at_output_weights){at_escape(made.output), at_escape(made.weights)};
}

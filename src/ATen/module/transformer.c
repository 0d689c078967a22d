/* Layers of transformers, and stacks of them. */
#include <string.h>

#include "ATenLayerFields.h"

bool at_isActivation(const char *name)
{
  return !strcmp(name, "relu") || !strcmp(name, "gelu");
}

/* What a layer attends with. */
typedef struct Masks {
  at_tensor *mask, *padding;
  bool isCausal;
} Masks;

static at_tensor *child(at_module *self, const char *name, at_tensor *x)
{
  return at_forward(at_module_child(self, name), x);
}

static at_tensor *attention(at_module *self, const char *name, const char *dropout, at_tensor *x,
                            at_tensor *memory, const Masks *masks)
{
  at_MultiheadAttention_forward_options o = at_MultiheadAttention_forward_defaults;
  o.attn_mask = masks->mask;
  o.key_padding_mask = masks->padding;
  o.is_causal = masks->isCausal;
  o.need_weights = false;
  at_tensor *const made =
      (at_MultiheadAttention_forward)(at_module_child(self, name), x, memory, memory, &o).output;
  return child(self, dropout, made);
}

static at_tensor *feed_forward(at_module *self, const char *activation, const char *dropout,
                               at_tensor *x)
{
  x = child(self, "linear1", x);
  x = !strcmp(activation, "relu") ? at_relu(x) : at_gelu(x);
  return child(self, dropout, child(self, "linear2", child(self, "dropout", x)));
}

/* --- layers ----------------------------------------------------------------------------------- */

at_tensor
    *(at_TransformerEncoderLayer_forward)(at_module *self, at_tensor *src,
                                          const at_TransformerEncoderLayer_forward_options *options)
{
  const at_TransformerEncoderLayer_forward_options o =
      options ? *options : at_TransformerEncoderLayer_forward_defaults;
  if (!at_isKind("TransformerEncoderLayer_forward", self, &at_kind_TransformerEncoderLayer))
    return at_undefined();
  AT_SCOPE_GUARD;
  const at_TransformerEncoderLayer_fields *const own = at_module_own(self);
  const Masks masks = {o.src_mask, o.src_key_padding_mask, o.is_causal};
  at_tensor *x = src;
  if (own->norm_first) {
    at_tensor *const normed = child(self, "norm1", x);
    x = at_add(x, attention(self, "self_attn", "dropout1", normed, normed, &masks));
    x = at_add(x, feed_forward(self, own->activation, "dropout2", child(self, "norm2", x)));
  } else {
    x = child(self, "norm1", at_add(x, attention(self, "self_attn", "dropout1", x, x, &masks)));
    x = child(self, "norm2", at_add(x, feed_forward(self, own->activation, "dropout2", x)));
  }
  return at_escape(x);
}

at_tensor
    *(at_TransformerDecoderLayer_forward)(at_module *self, at_tensor *tgt, at_tensor *memory,
                                          const at_TransformerDecoderLayer_forward_options *options)
{
  const at_TransformerDecoderLayer_forward_options o =
      options ? *options : at_TransformerDecoderLayer_forward_defaults;
  if (!at_isKind("TransformerDecoderLayer_forward", self, &at_kind_TransformerDecoderLayer))
    return at_undefined();
  AT_SCOPE_GUARD;
  const at_TransformerDecoderLayer_fields *const own = at_module_own(self);
  const Masks self_masks = {o.tgt_mask, o.tgt_key_padding_mask, o.tgt_is_causal};
  const Masks masks = {o.memory_mask, o.memory_key_padding_mask, o.memory_is_causal};
  at_tensor *x = tgt;
  if (own->norm_first) {
    at_tensor *const normed = child(self, "norm1", x);
    x = at_add(x, attention(self, "self_attn", "dropout1", normed, normed, &self_masks));
    x = at_add(x, attention(self, "multihead_attn", "dropout2", child(self, "norm2", x), memory,
                            &masks));
    x = at_add(x, feed_forward(self, own->activation, "dropout3", child(self, "norm3", x)));
  } else {
    x = at_add(x, attention(self, "self_attn", "dropout1", x, x, &self_masks));
    x = child(self, "norm1", x);
    x = at_add(x, attention(self, "multihead_attn", "dropout2", x, memory, &masks));
    x = child(self, "norm2", x);
    x = child(self, "norm3", at_add(x, feed_forward(self, own->activation, "dropout3", x)));
  }
  return at_escape(x);
}

/* --- stacks ----------------------------------------------------------------------------------- */

static at_tensor *forward_encoder(at_module *self, at_tensor *input)
{
  return (at_TransformerEncoder_forward)(self, input, NULL);
}

static const at_module_kind encoder_kind = {.name = "TransformerEncoder",
                                            .forward = forward_encoder};
static const at_module_kind decoder_kind = {.name = "TransformerDecoder"};

/* Fills a list with count copies of the layer, the first of which is the layer itself. */
static bool fill(at_module *list, at_module *layer, int64_t count)
{
  bool good = list != NULL;
  for (int64_t i = 1; i < count && good; i++)
    good = at_module_append(list, at_module_clone(layer));
  return good;
}

/* A module of that kind with copies of the layer. */
static at_module *stack(const at_module_kind *kind, at_module *layer, int64_t count,
                        at_module *norm)
{
  if (!layer || count <= 0) {
    if (layer)
      at_fail(AT_ERROR_ARGUMENT, kind->name, "%s: num_layers is %lld", kind->name,
              (long long)count);
    else
      at_fail(AT_ERROR_NULL, kind->name, "%s: the layer is NULL", kind->name);
    at_module_free(layer);
    at_module_free(norm);
    return NULL;
  }
  const unsigned before = at_failureCount();
  at_module *const self = at_module_new(kind), *const list = (at_ModuleList)(NULL, 0);
  at_module *const first = at_module_append(list, layer);
  (void)(first && fill(list, first, count));
  (void)at_module_add(self, "layers", list);
  (void)at_module_add(self, "norm", norm);
  return at_finished(self, before);
}

at_module *(at_TransformerEncoder)(at_module *encoder_layer, int64_t num_layers,
                                   const at_TransformerEncoder_options *options)
{
  return stack(&encoder_kind, encoder_layer, num_layers, options ? options->norm : NULL);
}

at_module *(at_TransformerDecoder)(at_module *decoder_layer, int64_t num_layers,
                                   const at_TransformerDecoder_options *options)
{
  return stack(&decoder_kind, decoder_layer, num_layers, options ? options->norm : NULL);
}

/* x behind the norm of a stack, if it has one. */
static at_tensor *normed(at_module *self, at_tensor *x)
{
  at_module *const norm = at_module_child(self, "norm");
  return norm ? at_forward(norm, x) : x;
}

at_tensor *(at_TransformerEncoder_forward)(at_module *self, at_tensor *src,
                                           const at_TransformerEncoder_forward_options *options)
{
  const at_TransformerEncoder_forward_options o =
      options ? *options : at_TransformerEncoder_forward_defaults;
  if (!at_isKind("TransformerEncoder_forward", self, &encoder_kind))
    return at_undefined();
  AT_SCOPE_GUARD;
  const at_TransformerEncoderLayer_forward_options how = {o.mask, o.src_key_padding_mask,
                                                          o.is_causal};
  const at_module *const layers = at_module_childAt(self, 0);
  at_tensor *x = src;
  for (int64_t i = 0; i < at_module_count(layers); i++)
    x = (at_TransformerEncoderLayer_forward)(at_module_childAt(layers, i), x, &how);
  return at_escape(normed(self, x));
}

at_tensor *(at_TransformerDecoder_forward)(at_module *self, at_tensor *tgt, at_tensor *memory,
                                           const at_TransformerDecoder_forward_options *options)
{
  const at_TransformerDecoder_forward_options o =
      options ? *options : at_TransformerDecoder_forward_defaults;
  if (!at_isKind("TransformerDecoder_forward", self, &decoder_kind))
    return at_undefined();
  AT_SCOPE_GUARD;
  const at_TransformerDecoderLayer_forward_options how = {
      o.tgt_mask,      o.memory_mask,     o.tgt_key_padding_mask, o.memory_key_padding_mask,
      o.tgt_is_causal, o.memory_is_causal};
  const at_module *const layers = at_module_childAt(self, 0);
  at_tensor *x = tgt;
  for (int64_t i = 0; i < at_module_count(layers); i++)
    x = (at_TransformerDecoderLayer_forward)(at_module_childAt(layers, i), x, memory, &how);
  return at_escape(normed(self, x));
}

/* --- both ------------------------------------------------------------------------------------- */

void at_resetTransformer(at_module *self)
{
  const at_tensors *const all = at_module_parameters(self);
  for (int i = 0; i < all->count; i++)
    if (at_dim(all->data[i]) > 1)
      at_init_xavier_uniform_(all->data[i]);
}

at_module *(at_Transformer_of)(at_module *encoder, at_module *decoder)
{
  const unsigned before = at_failureCount();
  at_module *const self = encoder && decoder ? at_module_new(&at_kind_Transformer) : NULL;
  if (!self) {
    if (at_failureCount() == before)
      at_fail(AT_ERROR_NULL, "Transformer_of", "Transformer_of: the %s is NULL",
              encoder ? "decoder" : "encoder");
    at_module_free(encoder);
    at_module_free(decoder);
    return NULL;
  }
  at_Transformer_fields *const own = at_module_own(self);
  own->activation = own->activation_buffer;
  (void)at_module_add(self, "encoder", encoder);
  (void)at_module_add(self, "decoder", decoder);
  if (at_failureCount() == before)
    AT_SCOPE
    {
      at_resetTransformer(self);
    }
  return at_finished(self, before);
}

/* Whether masks are given to a part that is not of a kind that takes them; an error then. */
static bool has_misplaced(const at_module *self, const at_module *part, at_tensor *const *masks,
                          int count, bool isCausal)
{
  bool has = isCausal;
  for (int i = 0; i < count; i++)
    has = has || masks[i];
  if (has)
    at_misfit(self, "a %s takes no masks, which only at_TransformerEncoder and -Decoder do",
              part->kind->name);
  return has;
}

/* What the encoder makes of src. */
static at_tensor *encoded(at_module *self, at_tensor *src, const at_Transformer_forward_options *o)
{
  at_module *const part = at_module_childAt(self, 0);
  const at_TransformerEncoder_forward_options how = {o->src_mask, o->src_key_padding_mask,
                                                     o->src_is_causal};
  if (part->kind == &encoder_kind)
    return (at_TransformerEncoder_forward)(part, src, &how);
  at_tensor *const masks[] = {how.mask, how.src_key_padding_mask};
  return has_misplaced(self, part, masks, 2, how.is_causal) ? at_undefined()
                                                            : at_forward(part, src);
}

at_tensor *(at_Transformer_forward)(at_module *self, at_tensor *src, at_tensor *tgt,
                                    const at_Transformer_forward_options *options)
{
  const at_Transformer_forward_options o = options ? *options : at_Transformer_forward_defaults;
  if (!at_isKind("Transformer_forward", self, &at_kind_Transformer))
    return at_undefined();
  AT_SCOPE_GUARD;
  const at_TransformerDecoder_forward_options decoding = {
      o.tgt_mask,      o.memory_mask,     o.tgt_key_padding_mask, o.memory_key_padding_mask,
      o.tgt_is_causal, o.memory_is_causal};
  at_tensor *const memory = encoded(self, src, &o);
  at_module *const part = at_module_childAt(self, 1);
  if (part->kind == &decoder_kind)
    return at_escape((at_TransformerDecoder_forward)(part, tgt, memory, &decoding));
  at_tensor *const masks[] = {o.tgt_mask, o.memory_mask, o.tgt_key_padding_mask,
                              o.memory_key_padding_mask};
  if (!at_defined(memory) ||
      has_misplaced(self, part, masks, 4, o.tgt_is_causal || o.memory_is_causal))
    return at_undefined();
  return at_escape(at_module_call(part, AT_TENSORS(tgt, memory)));
}

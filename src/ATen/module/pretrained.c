/* Embeddings of given rows. */
#include "ATenLayerFields.h"

/* Adds the table, of rows x size, to self; NULL, with self freed, and an error for another tensor or
 * for a padding_idx that is no row. */
static at_module *with_table(at_module *self, at_tensor *embeddings, int64_t *padding, bool freeze,
                             unsigned before)
{
  if (self && at_dim(embeddings) != 2)
    at_misfit(self, "embeddings is of size %s, and has to have 2 dimensions",
              at_sizeDesc(at_sizesOf(embeddings)).str);
  else if (self && !at_wrapsIndex(padding, at_size(embeddings, 0)))
    at_misfit(self, "padding_idx is %lld, and there are %lld rows", (long long)*padding,
              (long long)at_size(embeddings, 0));
  else if (self && at_defined(at_module_add_parameter(self, "weight", embeddings)) && freeze)
    (void)at_module_requires_grad_(self, false);
  return self ? at_finished(self, before) : NULL;
}

at_module *(at_Embedding_from_pretrained)(at_tensor *embeddings,
                                          const at_Embedding_from_pretrained_options *options)
{
  const at_Embedding_from_pretrained_options *const o =
      options ? options : &at_Embedding_from_pretrained_defaults;
  if (!at_accept("Embedding_from_pretrained", "embeddings", embeddings, false))
    return NULL;
  const unsigned before = at_failureCount();
  at_module *const self = at_module_new(&at_kind_Embedding);
  if (self)
    *(at_Embedding_fields *)at_module_own(self) =
        (at_Embedding_fields){.num_embeddings = at_numel(embeddings) ? at_size(embeddings, 0) : 0,
                              .embedding_dim = at_numel(embeddings) ? at_size(embeddings, -1) : 0,
                              .padding_idx = o->padding_idx,
                              .max_norm = o->max_norm,
                              .norm_type = o->norm_type,
                              .scale_grad_by_freq = o->scale_grad_by_freq,
                              .type = at_typeOf(embeddings)};
  at_Embedding_fields *const own = at_module_own(self);
  return with_table(self, embeddings, own ? &own->padding_idx : NULL, o->freeze, before);
}

at_module *(at_EmbeddingBag_from_pretrained)(at_tensor *embeddings,
                                             const at_EmbeddingBag_from_pretrained_options *options)
{
  const at_EmbeddingBag_from_pretrained_options *const o =
      options ? options : &at_EmbeddingBag_from_pretrained_defaults;
  if (!at_accept("EmbeddingBag_from_pretrained", "embeddings", embeddings, false))
    return NULL;
  const unsigned before = at_failureCount();
  at_module *const self = at_module_new(&at_kind_EmbeddingBag);
  at_EmbeddingBag_fields *const own = at_module_own(self);
  if (!own)
    return NULL;
  own->num_embeddings = at_numel(embeddings) ? at_size(embeddings, 0) : 0;
  own->embedding_dim = at_numel(embeddings) ? at_size(embeddings, -1) : 0;
  own->max_norm = o->max_norm;
  own->norm_type = o->norm_type;
  own->scale_grad_by_freq = o->scale_grad_by_freq;
  own->mode = at_storeWord(self, "mode", own->mode_buffer, o->mode);
  own->include_last_offset = o->include_last_offset;
  own->padding_idx = o->padding_idx;
  own->type = at_typeOf(embeddings);
  if (at_bagMode(own->mode) < 0)
    at_misfit(self, "mode is '%s', and not sum, mean or max", own->mode);
  return with_table(self, embeddings, &own->padding_idx, o->freeze, before);
}

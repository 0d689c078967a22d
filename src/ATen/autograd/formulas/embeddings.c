/* Formulas of embeddings and of their gradients. */
#include "ATen/autograd/Formulas.h"

enum { SUM, MEAN, MAX }; /* modes of bags */

/* All indices as a vector of Long. */
static at_tensor *all_of(at_tensor *indices)
{
  at_tensor *const all = at_reshape(indices, AT_INTS(-1));
  return at_to(all, at_toScalarType(at_typeOf(indices), AT_LONG));
}

/* How often the index occurs among all, for each index, in t's type. */
static at_tensor *frequencies(at_tensor *t, at_tensor *indices)
{
  at_tensor *const all = all_of(indices);
  return at_typed(at_index_select(at_bincount(all), 0, all), t);
}

/* rows, of which those of padding are 0, and others divided by the frequency of their index. */
static at_tensor *counted(at_tensor *rows, at_tensor *all, int64_t padding, bool byFrequency)
{
  at_tensor *r = rows;
  if (byFrequency)
    r = at_div(r, at_unsqueeze(frequencies(r, all), -1));
  return padding >= 0 ? at_masked_fill(r, at_unsqueeze(at_eq(all, padding), -1), 0) : r;
}

at_tensor *at_embeddingTwice(at_tensor *grad, at_tensor *indices, int64_t padding, bool byFrequency)
{
  if (!at_defined(grad) || !at_defined(indices))
    return at_undefined();
  int64_t sizes[AT_MOST_DIMS + 1];
  for (int d = 0; d < at_dim(indices); d++)
    sizes[d] = at_size(indices, d);
  sizes[at_dim(indices)] = at_size(grad, 1);
  at_tensor *const all = all_of(indices);
  at_tensor *const rows = counted(at_index_select(grad, 0, all), all, padding, byFrequency);
  return at_reshape(rows, ((at_ints){sizes, at_dim(indices) + 1}));
}

at_tensor *at_embeddingBagGrad(at_tensor *grad, at_tensor *indices, at_tensor *bags,
                               at_tensor *sizes, int64_t rows, bool byFrequency, int64_t mode,
                               at_tensor *maxima, at_tensor *weights, int64_t padding)
{
  if (!at_defined(grad) || !at_defined(indices))
    return at_undefined();
  at_tensor *const zeros = at_new_zeros(grad, AT_INTS(rows, at_size(grad, 1)));
  if (mode == MAX) { /* an empty bag has no maximum */
    at_tensor *const isEmpty = at_unsqueeze(at_eq(sizes, 0), -1);
    return at_scatter_add(zeros, 0, at_clamp_min(maxima, 0), at_masked_fill(grad, isEmpty, 0));
  }
  at_tensor *const all = all_of(indices);
  at_tensor *made = at_index_select(grad, 0, bags);
  if (mode == MEAN)
    made =
        at_div(made,
               at_unsqueeze(at_typed(at_clamp_min(at_index_select(sizes, 0, bags), 1), grad), -1));
  if (weights)
    made = at_mul(made, at_unsqueeze(weights, -1));
  return at_index_add(zeros, 0, all, counted(made, all, padding, byFrequency));
}

at_tensor *at_embeddingBagWeightsGrad(at_tensor *grad, at_tensor *weight, at_tensor *indices,
                                      at_tensor *bags, int64_t padding)
{
  at_tensor *const all = all_of(indices);
  at_tensor *const products =
      at_mul(at_index_select(grad, 0, bags), at_index_select(weight, 0, all));
  return at_sum_dim(counted(products, all, padding, false), AT_INTS(-1));
}

/* Products of floats of 8 bits with scales; the factors are Float here, of such numbers. */
#include "../Program.h"
#include "ATenOps.h"

/* A scale of the whole product, or of each of its rows or columns. */
static at_tensor *scale_of(const at_frame *frame, const at_graphNode *node, const char *name,
                           int index, const at_tensor *product)
{
  at_tensor *const scale = at_inputTensor(frame, node, name, index);
  bool fits = scale->type->scalarType == AT_FLOAT && (at_dim(scale) == 2 || at_numel(scale) == 1);
  for (int d = 0; fits && at_numel(scale) != 1 && d < 2; d++)
    fits = at_size(scale, d) == 1 || at_size(scale, d) == at_size(product, d);
  if (!fits)
    at_nodeFails(node,
                 "%s is of %s and of size %s, which is no scale of rows or columns of a product of "
                 "size %s",
                 name, at_scalarTypeName(scale->type->scalarType),
                 at_sizeDesc(at_sizesOf(scale)).str, at_sizeDesc(at_sizesOf(product)).str);
  return at_numel(scale) == 1 ? at_reshape(scale, AT_SCALAR_SHAPE) : scale;
}

/* _scaled_mm(self, mat2, scale_a, scale_b, bias, scale_result, out_dtype) */
void at_computeScaledProduct(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  const at_given *const type = at_inputOf(node, "out_dtype", 6);
  if (!type || type->kind != AT_GIVEN_TYPE || type->packing || type->type == AT_SCALAR_TYPES)
    at_nodeFails(node, "out_dtype is not given, or of 8 bits");
  at_tensor *const product =
      at_mm(at_inputTensor(frame, node, "self", 0), at_inputTensor(frame, node, "mat2", 1));
  if (!at_defined(product)) {
    at_giveOutput(frame, node, 0, product); /* raises */
    return;
  }
  at_tensor *const scales = at_mul(scale_of(frame, node, "scale_a", 2, product),
                                   scale_of(frame, node, "scale_b", 3, product));
  at_tensor *scaled = at_mul(product, scales);
  if (at_inputOf(node, "bias", 4))
    scaled = at_add(scaled, at_inputTensor(frame, node, "bias", 4));
  at_giveOutput(frame, node, 0, at_to(scaled, at_cpuType(type->type)));
}

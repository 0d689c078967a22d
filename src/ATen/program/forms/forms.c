/* Nodes that are a form of some operation, or a composition of a few: a table of functions, by target. */
#include <math.h>

#include "../Program.h"
#include "ATenLayers.h"
#include "ATenOps.h"

static at_tensor *tensor(at_frame *frame, const at_graphNode *node, const char *name, int index)
{
  return at_inputTensor(frame, node, name, index);
}

static at_tensor *maybe(at_frame *frame, const at_graphNode *node, const char *name)
{
  return at_inputOf(node, name, -1) ? at_inputTensor(frame, node, name, -1) : NULL;
}

static int64_t integer(at_frame *frame, const at_graphNode *node, const char *name,
                       int64_t otherwise)
{
  return at_inputOf(node, name, -1) ? at_inputInt(frame, node, name, -1) : otherwise;
}

static at_ints ints_in(at_frame *frame, const at_graphNode *node, const char *name, int64_t *ints)
{
  const at_given *const given = at_inputOf(node, name, -1);
  if (!given)
    return (at_ints){ints, 0};
  if ((given->kind != AT_GIVEN_NUMBERS && given->kind != AT_GIVEN_NUMBER) ||
      given->count > AT_MOST_DIMS)
    at_nodeFails(node, "%s is no list of at most %d integers", name, AT_MOST_DIMS);
  for (int32_t i = 0; i < given->count; i++) {
    const at_cell cell = at_frame_get(frame, &given->parts[i]);
    if (cell.kind != AT_CELL_INT)
      at_nodeFails(node, "%s is no list of integers", name);
    ints[i] = cell.is.integer;
  }
  return (at_ints){ints, given->count};
}

/* --- conversions ------------------------------------------------------------------------------ */

/* _cast_Float(self, non_blocking) and its like. */
static void cast(at_frame *frame, const at_graphNode *node)
{
  static const struct {
    const char *name;
    at_scalar_type type;
  } casts[] = {{"Byte", AT_BYTE}, {"Char", AT_CHAR}, {"Short", AT_SHORT}, {"Int", AT_INT},
               {"Long", AT_LONG}, {"Half", AT_HALF}, {"Float", AT_FLOAT}, {"Double", AT_DOUBLE}};
  const char *const name = node->target + strlen("aten._cast_");
  for (size_t i = 0; i < sizeof casts / sizeof *casts; i++)
    if (!strncmp(casts[i].name, name, strlen(casts[i].name)))
      at_giveOutput(frame, node, 0,
                    at_to(tensor(frame, node, "self", 0), at_cpuType(casts[i].type)));
}

/* A view's copy: view_as_real_copy and view_as_complex_copy. */
static void copy_parts(at_frame *frame, const at_graphNode *node)
{
  at_tensor *const self = tensor(frame, node, "self", 0);
  at_giveOutput(frame, node, 0,
                at_clone(strstr(node->target, "real") ? at_view_as_real(self)
                                                      : at_view_as_complex(self)));
}

/* _dim_arange(like, dim): the indices of a dimension. */
static void indices_of(at_frame *frame, const at_graphNode *node)
{
  const at_tensor *const like = tensor(frame, node, "like", 0);
  at_giveOutput(frame, node, 0,
                at_arange(at_size(like, (int)at_inputInt(frame, node, "dim", 1)),
                          .type = AT_CPU(AT_LONG)));
}

/* resize(self, size) and resize_as(self, the_template): a copy of another size. */
static void resized(at_frame *frame, const at_graphNode *node)
{
  int64_t sizes[AT_MOST_DIMS];
  at_tensor *const copy = at_clone(at_contiguous(tensor(frame, node, "self", 0)));
  at_giveOutput(frame, node, 0,
                at_alias(strstr(node->target, "resize_as")
                             ? at_resize_as_(copy, tensor(frame, node, "the_template", 1))
                             : at_resize_(copy, ints_in(frame, node, "size", sizes))));
}

/* --- lists ------------------------------------------------------------------------------------ */

/* Gives the node's outputs a list of tensors, which has to be as long as they are. */
static void give_list(at_frame *frame, const at_graphNode *node, const at_tensors *made)
{
  if (made->count != node->outputCount && !at_error())
    at_nodeFails(node, "it makes %d tensors, and the file has %d", made->count,
                 (int)node->outputCount);
  for (int32_t i = 0; i < node->outputCount; i++)
    at_giveOutput(frame, node, i, i < made->count ? at_alias(made->data[i]) : at_undefined());
}

/* Entry i of a list of tensors. */
static at_tensor *entry(at_frame *frame, const at_graphNode *node, const at_given *list, int32_t i)
{
  const at_cell cell = at_frame_get(frame, &list->parts[i]);
  if (cell.kind != AT_CELL_TENSOR)
    at_nodeFails(node, "%s[%d] is no tensor", list->name, (int)i);
  return cell.is.tensor;
}

/* atleast_1d, atleast_2d and atleast_3d of a list. */
static void at_least(at_frame *frame, const at_graphNode *node)
{
  const at_given *const given = at_inputOf(node, "tensors", 0);
  const char dims = node->target[strlen("aten.atleast_")];
  for (int32_t i = 0; given && i < given->count && i < node->outputCount; i++) {
    at_tensor *const t = entry(frame, node, given, i);
    at_giveOutput(frame, node, i,
                  dims == '1'   ? at_atleast_1d(t)
                  : dims == '2' ? at_atleast_2d(t)
                                : at_atleast_3d(t));
  }
}

/* pad_sequence(sequences, batch_first, padding_value, padding_side): one on the left is that on the
 * right of what is turned around. */
static void pad_rows(at_frame *frame, const at_graphNode *node)
{
  const at_given *const given = at_inputOf(node, "sequences", 0), *const side =
                                                                      at_inputOf(node,
                                                                                 "padding_side", 3);
  const bool isLeft = side && side->kind == AT_GIVEN_TEXT && !strcmp(side->text, "left"),
             isBatchFirst = at_inputBool(frame, node, "batch_first", 1, false);
  if (!given || given->kind != AT_GIVEN_TENSORS)
    at_nodeFails(node, "sequences is no list of tensors");
  for (int32_t i = 0; i < given->count; i++) {
    at_tensor *const t = entry(frame, node, given, i);
    if (at_dim(t) == 0)
      at_nodeFails(node, "sequences[%d] has no dimensions", (int)i);
    frame->tensors[i] = isLeft ? at_flip(t, AT_INTS(0)) : t;
  }
  const at_pad_sequence_options how = {
      .batch_first = isBatchFirst,
      .padding_value = at_inputNumber(frame, node, "padding_value", 2, 0)};
  at_tensor *const made = (at_pad_sequence)((at_tensors){frame->tensors, given->count}, &how);
  at_giveOutput(frame, node, 0,
                isLeft && at_defined(made) ? at_flip(made, AT_INTS(isBatchFirst)) : made);
}

/* split_copy(self, split_size, dim) */
static void split_copies(at_frame *frame, const at_graphNode *node)
{
  const at_tensors *const parts =
      at_split(tensor(frame, node, "self", 0), at_inputInt(frame, node, "split_size", 1),
               .dim = integer(frame, node, "dim", 0));
  for (int32_t i = 0; i < node->outputCount; i++)
    at_giveOutput(frame, node, i, i < parts->count ? at_clone(parts->data[i]) : at_undefined());
}

/* tensor_split by a tensor: a number of parts, or the indices between them. */
static void split_at(at_frame *frame, const at_graphNode *node)
{
  at_tensor *const self = tensor(frame, node, "self", 0),
                   *const where =
                       at_contiguous(at_to(tensor(frame, node, "tensor_indices_or_sections", 1),
                                           AT_CPU(AT_LONG)));
  const int64_t dim = integer(frame, node, "dim", 0);
  if (at_dim(where) > 1)
    at_nodeFails(node, "tensor_indices_or_sections has %d dimensions, and has to have 0 or 1",
                 at_dim(where));
  if (!at_defined(where))
    at_giveOutput(frame, node, 0, where);
  else if (at_dim(where) == 0)
    give_list(frame, node, at_tensor_split(self, at_item_long(where), .dim = dim));
  else
    give_list(frame, node,
              at_tensor_split_indices(self, ((at_ints){at_hostData(where), (int)at_numel(where)}),
                                      .dim = dim));
}

/* histogramdd(self, bins, range, weight, density): the counts, and then the ends of the intervals, which bins are, or
 * its numbers of them make; one number is that of each coordinate. */
static void histograms(at_frame *frame, const at_graphNode *node)
{
  at_tensor *const self = tensor(frame, node, "self", 0);
  const at_given *const bins = at_inputOf(node, "bins", -1), *const range =
                                                                 at_inputOf(node, "range", -1);
  int64_t counts[AT_MOST_DIMS];
  double ends[2 * AT_MOST_DIMS];
  const at_tensors *edges = &(const at_tensors){frame->tensors, bins ? bins->count : 0};
  if (bins && bins->kind == AT_GIVEN_TENSORS) {
    for (int32_t i = 0; i < bins->count; i++)
      frame->tensors[i] = entry(frame, node, bins, i);
  } else {
    at_ints each = ints_in(frame, node, "bins", counts);
    const int64_t wide = at_dim(self) > 0 ? at_size(self, -1) : 0;
    if (bins && bins->kind == AT_GIVEN_NUMBER && wide > 0 && wide <= AT_MOST_DIMS) {
      for (int64_t i = 1; i < wide; i++)
        counts[i] = counts[0];
      each.count = (int)wide;
    }
    if (range && (range->kind != AT_GIVEN_NUMBERS || range->count > 2 * AT_MOST_DIMS))
      at_nodeFails(node, "range is no list of at most %d numbers", 2 * AT_MOST_DIMS);
    for (int32_t i = 0; range && i < range->count; i++) {
      const at_cell cell = at_frame_get(frame, &range->parts[i]);
      ends[i] = cell.kind == AT_CELL_FLOAT ? cell.is.number : (double)cell.is.integer;
    }
    edges = at__histogramdd_bin_edges(self, each,
                                      .range = ((at_doubles){ends, range ? range->count : 0}));
  }
  if (node->outputCount != edges->count + 1 && !at_error())
    at_nodeFails(node, "it makes %d tensors, and the file has %d", edges->count + 1,
                 (int)node->outputCount);
  at_giveOutput(frame, node, 0,
                at__histogramdd_from_bin_tensors(self, *edges,
                                                 .weight = maybe(frame, node, "weight"),
                                                 .density = at_inputBool(frame, node, "density", -1,
                                                                         false)));
  for (int i = 0; i < edges->count; i++)
    at_giveOutput(frame, node, i + 1, at_alias(edges->data[i]));
}

/* --- numbers in tensors ----------------------------------------------------------------------- */

/* A number, or the element of a tensor. */
static at_scalar number_in(at_frame *frame, const at_graphNode *node, const char *name)
{
  const at_given *const given = at_inputOf(node, name, -1);
  if (given && given->kind == AT_GIVEN_TENSOR) {
    at_tensor *const t = at_inputTensor(frame, node, name, -1);
    if (at_numel(t) != 1)
      at_nodeFails(node, "%s is of size %s, and has to be one number", name,
                   at_sizeDesc(at_sizesOf(t)).str);
    return at_item(t);
  }
  if (!given || given->kind != AT_GIVEN_NUMBER)
    at_nodeFails(node, "%s is no number", name);
  const at_cell cell = at_frame_get(frame, given->parts);
  if (!at_isNumber(cell))
    at_nodeFails(node, "%s is no number", name);
  return cell.kind == AT_CELL_FLOAT ? at_scalar_double(cell.is.number)
                                    : at_scalar_long(cell.is.integer);
}

/* A number, or a tensor of one, as a complex tensor without dimensions. */
static at_tensor *complex_in(at_frame *frame, const at_graphNode *node, const char *name,
                             const at_type *type)
{
  const at_given *const given = at_inputOf(node, name, -1);
  if (!given || (given->kind != AT_GIVEN_TENSOR && given->kind != AT_GIVEN_NUMBER))
    at_nodeFails(node, "%s is no number", name);
  at_tensor *const t = given->kind == AT_GIVEN_TENSOR ? tensor(frame, node, name, -1)
                                                      : at_wrappedNumber(frame, node, given);
  if (at_dim(t) != 0)
    at_nodeFails(node, "%s is of size %s, and has to be one number", name,
                 at_sizeDesc(at_sizesOf(t)).str);
  return at_to(t, type);
}

/* linspace and logspace of complex numbers: from start in equal steps to end, or powers of base with these
 * exponents. */
static void evenly_complex(at_frame *frame, const at_graphNode *node, const at_type *type)
{
  at_tensor *const start = complex_in(frame, node, "start", type);
  at_tensor *const way = at_sub(complex_in(frame, node, "end", type), start);
  at_tensor *const part =
      at_linspace(0, 1, .steps = at_inputInt(frame, node, "steps", 2), .type = AT_CPU(AT_DOUBLE));
  at_tensor *const points = at_add(start, at_mul(at_to(part, type), way));
  at_tensor *const base = at_full(AT_SCALAR_SHAPE, at_inputNumber(frame, node, "base", -1, 10),
                                  .type = AT_CPU(AT_DOUBLE));
  at_giveOutput(frame, node, 0,
                strstr(node->target, "logspace") ? at_exp(at_mul(points, at_log(at_to(base, type))))
                                                 : points);
}

/* linspace and logspace whose ends are tensors. */
static void evenly(at_frame *frame, const at_graphNode *node)
{
  if (at_isComplex(at_inputType(node, "dtype", AT_FLOAT)->scalarType)) {
    evenly_complex(frame, node, at_inputType(node, "dtype", AT_FLOAT));
    return;
  }
  const at_scalar start = number_in(frame, node, "start"), end = number_in(frame, node, "end");
  const int64_t steps = at_inputInt(frame, node, "steps", 2);
  const at_type *const type = at_inputType(node, "dtype", AT_FLOAT);
  at_giveOutput(frame, node, 0,
                strstr(node->target, "logspace")
                    ? at_logspace(start, end, .steps = steps,
                                  .base = at_inputNumber(frame, node, "base", -1, 10), .type = type)
                    : at_linspace(start, end, .steps = steps, .type = type));
}

/* A bound for singular values, as a tensor: what is given, or otherwise. */
static at_tensor *bound(at_frame *frame, const at_graphNode *node, const char *name,
                        double otherwise)
{
  const at_given *const given = at_inputOf(node, name, -1);
  return given && given->kind == AT_GIVEN_TENSOR
             ? at_inputTensor(frame, node, name, -1)
             : at_full(AT_SCALAR_SHAPE, at_inputNumber(frame, node, name, -1, otherwise),
                       .type = AT_CPU(AT_DOUBLE));
}

/* The magnitudes of the singular values of each matrix in the last dimension, and in *limit what they
 * have to be above: the larger of atol and rtol times the largest. */
static at_tensor *magnitudes(at_frame *frame, const at_graphNode *node, at_tensor *a,
                             at_tensor **limit)
{
  if (at_dim(a) < 2)
    at_nodeFails(node, "it is of size %s, and has to be matrices", at_sizeDesc(at_sizesOf(a)).str);
  at_tensor *const values = at_inputBool(frame, node, "hermitian", -1, false)
                                ? at_abs(at_linalg_eigvalsh(a))
                                : at_linalg_svdvals(a);
  const double size = (double)THMax(at_size(a, -1), at_size(a, -2)),
               epsilon =
                   at_typeOf(values) == at_toScalarType(a->type, AT_DOUBLE) ? 0x1p-52 : 0x1p-23;
  at_tensor *const atol = bound(frame, node, "atol", 0);
  at_tensor *rtol = bound(frame, node, "rtol", size * epsilon);
  if (!at_inputOf(node, "rtol", -1)) /* a tolerance that is given is the only one */
    rtol = at_masked_fill(at_mul(rtol, at_ones_like(atol)), at_gt(atol, 0), 0);
  at_tensor *const most = at_numel(values) > 0 ? at_amax(values, .dim = AT_INTS(-1)) : NULL;
  *limit = most ? at_unsqueeze(at_to(at_maximum(atol, at_mul(rtol, most)), at_typeOf(values)), -1)
                : at_zeros(AT_SCALAR_SHAPE, .type = at_typeOf(values));
  return values;
}

/* linalg_matrix_rank with tolerances that may be tensors. */
static void rank_of(at_frame *frame, const at_graphNode *node)
{
  at_tensor *limit, *const a =
                        tensor(frame, node, at_inputOf(node, "input", -1) ? "input" : "self", 0);
  at_tensor *const values = magnitudes(frame, node, a, &limit);
  at_giveOutput(frame, node, 0, at_sum_dim(at_gt(values, limit), AT_INTS(-1)));
}

/* linalg_pinv with tolerances that are tensors: V diag(1 / s) U^H, where s is large enough. Of hermitian
 * matrices the lower triangle is read. */
static void pseudoinverse(at_frame *frame, const at_graphNode *node)
{
  at_tensor *const a = tensor(frame, node, "self", 0);
  at_tensor *limit, *const values = magnitudes(frame, node, a, &limit);
  if (at_numel(a) == 0) {
    at_giveOutput(frame, node, 0, at_clone(at_transpose(a, -2, -1)));
    return;
  }
  (void)values;
  const bool isHermitian = at_inputBool(frame, node, "hermitian", -1, false);
  at_tensor *whole = a;
  if (isHermitian) { /* the imaginary part of the diagonal does not count */
    at_tensor *const half = at_mul(at_add(at_tril(a), at_tril(a, .diagonal = -1)), 0.5);
    whole = at_add(half, at_mH(half));
  }
  const at_U_S_Vh y = at_linalg_svd(whole, .full_matrices = false);
  at_tensor *const inverse = at_where(at_gt(y.S, limit), at_reciprocal(y.S), at_zeros_like(y.S));
  at_giveOutput(frame, node, 0,
                at_matmul(at_mH(y.Vh), at_mul(at_unsqueeze(inverse, -1), at_mH(y.U))));
}

/* --- norms ------------------------------------------------------------------------------------ */

/* frobenius_norm(self, dim, keepdim) */
static void frobenius(at_frame *frame, const at_graphNode *node)
{
  int64_t dims[AT_MOST_DIMS];
  at_giveOutput(frame, node, 0,
                at_linalg_vector_norm(tensor(frame, node, "self", 0), .ord = 2,
                                      .dim = ints_in(frame, node, "dim", dims),
                                      .keepdim = at_inputBool(frame, node, "keepdim", 2, false)));
}

/* nuclear_norm(self, keepdim), or of the matrices in two dimensions. */
static void nuclear(at_frame *frame, const at_graphNode *node)
{
  int64_t dims[AT_MOST_DIMS];
  at_giveOutput(frame, node, 0,
                at_linalg_matrix_norm_name(tensor(frame, node, "self", 0), .ord = "nuc",
                                           .dim = ints_in(frame, node, "dim", dims),
                                           .keepdim =
                                               at_inputBool(frame, node, "keepdim",
                                                            at_inputOf(node, "dim", -1) ? 2 : 1,
                                                            false)));
}

/* norm_except_dim(v, pow, dim): over all dimensions but one, or over all if that is -1. */
static void norm_except(at_frame *frame, const at_graphNode *node)
{
  at_tensor *const v = tensor(frame, node, "v", 0);
  const int64_t power = at_inputOf(node, "pow", 1) ? at_inputInt(frame, node, "pow", 1) : 2,
                dim = at_inputOf(node, "dim", 2) ? at_inputInt(frame, node, "dim", 2) : 0;
  int64_t dims[AT_MOST_DIMS];
  int count = 0;
  if (dim < -1 || dim >= at_dim(v))
    at_nodeFails(node, "dim is %lld, and there are %d dimensions", (long long)dim, at_dim(v));
  for (int d = 0; d < at_dim(v); d++)
    if (d != dim)
      dims[count++] = d;
  if (dim == -1)
    at_giveOutput(frame, node, 0, at_norm(v, .p = power));
  else if (count == 0)
    at_giveOutput(frame, node, 0, at_abs(v));
  else
    at_giveOutput(frame, node, 0,
                  at_linalg_vector_norm(v, .ord = power, .dim = ((at_ints){dims, count}),
                                        .keepdim = true));
}

/* --- layers ----------------------------------------------------------------------------------- */

/* Losses over classes whose reduction is 0 for none, 1 for the mean and 2 for the sum. */
static void margin_loss(at_frame *frame, const at_graphNode *node)
{
  at_tensor *const x = tensor(frame, node, "self", 0), *const target =
                                                           tensor(frame, node, "target", 1);
  const int64_t reduction = integer(frame, node, "reduction", 1);
  const bool reduces = reduction != 0, averages = reduction == 1;
  if (strstr(node->target, "multilabel"))
    at_giveOutput(frame, node, 0,
                  at_multilabel_margin_loss(x, target, .size_average = averages,
                                            .reduce = reduces));
  else
    at_giveOutput(frame, node, 0,
                  at_multi_margin_loss(x, target, .p = at_inputNumber(frame, node, "p", 2, 1),
                                       .margin = at_inputNumber(frame, node, "margin", 3, 1),
                                       .weight = maybe(frame, node, "weight"),
                                       .size_average = averages, .reduce = reduces));
}

/* The loss of a linear layer, which PyTorch computes in chunks. */
static void linear_loss(at_frame *frame, const at_graphNode *node)
{
  const at_given *const how = at_inputOf(node, "reduction", -1);
  const char *const word = how && how->kind == AT_GIVEN_TEXT ? how->text : "none";
  at_tensor *const scores =
      at_linear(tensor(frame, node, "input", 0), tensor(frame, node, "linear_weight", 1),
                .bias = maybe(frame, node, "linear_bias"));
  at_giveOutput(frame, node, 0,
                at_cross_entropy_loss(scores, tensor(frame, node, "target", 2),
                                      .weight = maybe(frame, node, "weight"),
                                      .reduction = !strcmp(word, "mean")  ? 1
                                                   : !strcmp(word, "sum") ? 2
                                                                          : 0,
                                      .ignore_index = integer(frame, node, "ignore_index", -100),
                                      .label_smoothing =
                                          at_inputNumber(frame, node, "label_smoothing", -1, 0)));
}

/* embedding_bag(..., padding_idx), where a negative index counts from the end. */
static void bags(at_frame *frame, const at_graphNode *node)
{
  at_tensor *const weight = tensor(frame, node, "weight", 0);
  int64_t padding = -1;
  if (at_inputOf(node, "padding_idx", -1)) {
    const int64_t rows = at_dim(weight) > 0 ? at_size(weight, 0) : 0;
    padding = at_inputInt(frame, node, "padding_idx", -1);
    if (padding < -rows || padding >= rows)
      at_nodeFails(node, "padding_idx is %lld, of %lld rows", (long long)padding, (long long)rows);
    padding += padding < 0 ? rows : 0;
  }
  const at_output_offset2bag_bag_size_max_indices y =
      at_embedding_bag(weight, tensor(frame, node, "indices", 1), tensor(frame, node, "offsets", 2),
                       .scale_grad_by_freq =
                           at_inputBool(frame, node, "scale_grad_by_freq", 3, false),
                       .mode =
                           at_inputOf(node, "mode", 4) ? at_inputInt(frame, node, "mode", 4) : 0,
                       .per_sample_weights = maybe(frame, node, "per_sample_weights"),
                       .include_last_offset =
                           at_inputBool(frame, node, "include_last_offset", 7, false),
                       .padding_idx = padding);
  at_tensor *const results[] = {y.output, y.offset2bag, y.bag_size, y.max_indices};
  for (int32_t i = 0; i < node->outputCount && i < 4; i++)
    at_giveOutput(frame, node, i, results[i]);
}

/* _weight_int8pack_mm(self, mat2, scales): self mat2' with a scale for each column. */
static void packed_product(at_frame *frame, const at_graphNode *node)
{
  at_tensor *const x = tensor(frame, node, "self", 0), *const w = tensor(frame, node, "mat2", 1),
                   *const scales = tensor(frame, node, "scales", 2);
  const at_type *const single = AT_CPU(AT_FLOAT);
  at_tensor *const sums = at_matmul(at_to(x, single), at_t(at_to(w, single)));
  at_giveOutput(frame, node, 0, at_to(at_mul(sums, at_to(scales, single)), x->type));
}

/* Fake quantization whose scale and zero point are learned: both are tensors of floats. */
static void learned_quantization(at_frame *frame, const at_graphNode *node)
{
  at_tensor *const x = tensor(frame, node, "self", 0);
  const double least = (double)at_inputInt(frame, node, "quant_min", -1),
               most = (double)at_inputInt(frame, node, "quant_max", -1);
  at_tensor *scale = tensor(frame, node, "scale", 1), *zero = tensor(frame, node, "zero_point", 2);
  zero = at_clamp(at_round(zero), .min = least, .max = most);
  const int64_t axis = integer(frame, node, "axis", at_dim(x));
  if (axis < 0 || axis > at_dim(x))
    at_nodeFails(node, "axis is %lld, and there are %d dimensions", (long long)axis, at_dim(x));
  for (int64_t d = axis + 1; d < at_dim(x); d++) {
    scale = at_unsqueeze(scale, -1);
    zero = at_unsqueeze(zero, -1);
  }
  at_tensor *const q =
      at_clamp(at_round(at_add(at_mul(x, at_reciprocal(scale)), zero)), .min = least, .max = most);
  at_giveOutput(frame, node, 0, at_mul(at_sub(q, zero), scale));
}

/* --- attention -------------------------------------------------------------------------------- */

/* _masked_softmax(self, mask, dim, mask_type): what the mask marks is left out; a mask of type 0 is of the
 * last two dimensions, of 1 of the first and the last. */
static void masked_softmax(at_frame *frame, const at_graphNode *node)
{
  at_tensor *const x = tensor(frame, node, "self", 0);
  at_tensor *mask = at_to(tensor(frame, node, "mask", 1), AT_CPU(AT_BOOL));
  const int64_t dim = integer(frame, node, "dim", -1);
  if (integer(frame, node, "mask_type", 2) == 1)
    for (int d = 2; d < at_dim(x); d++)
      mask = at_unsqueeze(mask, 1);
  at_giveOutput(frame, node, 0, at__safe_softmax(at_masked_fill(x, mask, -INFINITY), dim));
}

/* Attention as PyTorch decomposes it for devices; what only gradients need is left out. */
static void attention(at_frame *frame, const at_graphNode *node)
{
  at_tensor *const query = tensor(frame, node, "query", 0),
                   *const key = tensor(frame, node, "key", 1),
                   *const bias = maybe(frame, node, "attn_bias"),
                   *const mask = maybe(frame, node, "attn_mask");
  if (at_inputNumber(frame, node, "dropout_p", -1, 0) != 0)
    at_nodeFails(node, "dropout_p is not 0");
  at_scaled_dot_product_attention_options how = at_scaled_dot_product_attention_defaults;
  how.attn_mask = mask ? mask : bias;
  how.is_causal = at_inputBool(frame, node, "is_causal", -1, false);
  how.enable_gqa = at_inputBool(frame, node, "enable_gqa", -1, false);
  if (at_inputOf(node, "scale", -1))
    how.scale = number_in(frame, node, "scale");
  at_giveOutput(frame, node, 0,
                (at_scaled_dot_product_attention)(query, key, tensor(frame, node, "value", 2),
                                                  &how));
}

/* --- the table -------------------------------------------------------------------------------- */

typedef struct Form {
  const char *start; /* of the target */
  at_compute compute;
} Form;

static const Form forms[] = {
    {"aten._cast_", cast},
    {"aten.view_as_real_copy.default", copy_parts},
    {"aten.view_as_complex_copy.default", copy_parts},
    {"aten._dim_arange.default", indices_of},
    {"aten.resize.default", resized},
    {"aten.resize_as.default", resized},
    {"aten.atleast_1d.Sequence", at_least},
    {"aten.atleast_2d.Sequence", at_least},
    {"aten.atleast_3d.Sequence", at_least},
    {"aten.pad_sequence.default", pad_rows},
    {"aten.split_copy.Tensor", split_copies},
    {"aten.tensor_split.tensor_indices_or_sections", split_at},
    {"aten.histogramdd.", histograms},
    {"aten.linspace.Tensor_", evenly},
    {"aten.linspace.Scalar_Tensor", evenly},
    {"aten.logspace.Tensor_", evenly},
    {"aten.logspace.Scalar_Tensor", evenly},
    {"aten.linalg_matrix_rank.atol_rtol", rank_of},
    {"aten.linalg_pinv.atol_rtol_tensor", pseudoinverse},
    {"aten.frobenius_norm.dim", frobenius},
    {"aten.nuclear_norm.", nuclear},
    {"aten.norm_except_dim.default", norm_except},
    {"aten.multi_margin_loss.default", margin_loss},
    {"aten.multilabel_margin_loss.default", margin_loss},
    {"torch_nn._linear_cross_entropy_batch_chunked", linear_loss},
    {"aten.embedding_bag.", bags},
    {"aten._weight_int8pack_mm.default", packed_product},
    {"aten._fake_quantize_learnable_per_", learned_quantization},
    {"aten._masked_softmax.default", masked_softmax},
    {"aten._scaled_dot_product_flash_attention.", attention},
    {"aten._scaled_dot_product_efficient_attention.", attention},
    {"aten._scaled_dot_product_cudnn_attention.", attention},
    {"aten._scaled_dot_product_fused_attention_overrideable.", attention},
    {"aten._scaled_dot_product_attention_math.", attention},
};

bool at_resolveForm(at_graphNode *node)
{
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
    if (!strncmp(forms[i].start, node->target, strlen(forms[i].start))) {
      node->compute = at_computeForm;
      node->how = &forms[i];
      return true;
    }
  return false;
}

void at_computeForm(at_frame *frame, const at_graphNode *node)
{
  AT_SCOPE_GUARD;
  ((const Form *)node->how)->compute(frame, node);
}

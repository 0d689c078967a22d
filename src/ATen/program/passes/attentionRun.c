/* Computes attention that was written as several nodes.  Whether the sizes are those of attention is
 * known in a run alone: where they are not, the nodes themselves are computed. */
#include "attention.h"

#include "ATen/core/ATenOperations.h"
#include "ATenOps.h"

/* Operands of a run, and what is expected of views: all sizes of a batch, or one for the product. */
typedef struct Operands {
  at_tensor *t[AT_OPERANDS];
  double fill; /* what scores become where the condition says so */
  int dims;
  int64_t matrices; /* the product of the batch */
} Operands;

/* --- sizes ------------------------------------------------------------------------------------ */

static const int64_t *sizes_of(const at_tensor *t)
{
  return at_sizesOf(t).data;
}

/* The sizes of the matrices of something: rows and columns. */
static void matrix_of(const Operands *o, int32_t thing, int64_t *rows, int64_t *columns)
{
  const int d = o->dims;
  const bool isOperand = thing < AT_OPERANDS;
  *rows = sizes_of(o->t[isOperand ? thing : AT_QUERY])[d - 2];
  *columns = sizes_of(o->t[isOperand ? thing : AT_KEY])[d - 1];
}

/* Whether a listed size is that one; -1 stands for what is left over. */
static bool is_size(const at_frame *frame, const at_part *part, int64_t size)
{
  const at_cell cell = at_frame_get(frame, part);
  return cell.kind == AT_CELL_INT && (cell.is.integer == size || cell.is.integer == -1);
}

/* Whether the list has all sizes of the thing, or its batch as one size; *isFlat says which. */
static bool has_sizes(const at_frame *frame, const at_given *list, const Operands *o, int32_t thing,
                      bool *isFlat)
{
  const int count = list->count;
  int64_t rows, columns;
  matrix_of(o, thing, &rows, &columns);
  if (count < 3 || !is_size(frame, &list->parts[count - 2], rows) ||
      !is_size(frame, &list->parts[count - 1], columns))
    return false;
  *isFlat = count == 3 && o->dims != 3;
  if (*isFlat)
    return is_size(frame, &list->parts[0], o->matrices);
  bool fits = count == o->dims;
  for (int d = 0; fits && d < count - 2; d++)
    fits = is_size(frame, &list->parts[d], sizes_of(o->t[AT_QUERY])[d]);
  return fits;
}

/* Follows the views of a thing; *isFlat becomes whether the batch is one size after so many. */
static bool follow(const at_frame *frame, const at_graphNode *node, const Operands *o,
                   int32_t thing, int32_t most, bool *isFlat)
{
  const at_fusedAttention *const how = node->how;
  for (int32_t v = 0, seen = 0; v < how->viewCount && seen < most; v++)
    if (how->views[v].of == thing) {
      if (!has_sizes(frame, &node->inputs[how->views[v].input], o, thing, isFlat))
        return false;
      seen++;
    }
  return true;
}

static bool is_along_rows(double dim, int dims)
{
  return dim == -1 || dim == dims - 1;
}

/* Whether all views are between the two forms, and in the right one where it matters. */
static bool views_fit(const at_frame *frame, const at_graphNode *node, const Operands *o,
                      bool hasPaths, bool *isFlat)
{
  const at_fusedAttention *const how = node->how;
  const int32_t all = AT_ATTENTION_VIEWS;
  bool query = false, key = false, value = false;
  if (hasPaths && (!follow(frame, node, o, AT_QUERY, all, &query) ||
                   !follow(frame, node, o, AT_KEY, all, &key) ||
                   !follow(frame, node, o, AT_VALUE, all, &value)))
    return false;
  bool scores = query, masked = query;
  if (query != key || !follow(frame, node, o, AT_SCORES, how->masked, &masked) ||
      !follow(frame, node, o, AT_SCORES, all, &scores))
    return false;
  if ((masked && (o->t[AT_MASK] || o->t[AT_CONDITION])) ||
      !is_along_rows(how->dim, scores ? 3 : o->dims))
    return false;
  *isFlat = scores;
  return follow(frame, node, o, AT_WEIGHTS, all, isFlat) && *isFlat == value;
}

/* --- operands --------------------------------------------------------------------------------- */

static bool same_batch(const at_tensor *a, const at_tensor *b, int dims)
{
  for (int d = 0; d < dims - 2; d++)
    if (sizes_of(a)[d] != sizes_of(b)[d])
      return false;
  return true;
}

/* Whether a mask or condition expands to the scores. */
static bool expands(const Operands *o, const at_tensor *mask)
{
  const at_ints sizes = at_sizesOf(mask);
  int64_t rows, columns;
  matrix_of(o, AT_SCORES, &rows, &columns);
  for (int d = 1; d <= sizes.count && d <= o->dims; d++) {
    const int64_t size = sizes.data[sizes.count - d],
                  score = d == 1   ? columns
                          : d == 2 ? rows
                                   : sizes_of(o->t[AT_QUERY])[o->dims - d];
    if (size != score && size != 1)
      return false;
  }
  return sizes.count <= o->dims;
}

/* Scores that become less than this are as good as left out. */
static const double LEFT_OUT = -1e9;

static bool masks_fit(const Operands *o)
{
  const at_tensor *const mask = o->t[AT_MASK], *const condition = o->t[AT_CONDITION];
  return (!mask || (expands(o, mask) && mask->type == o->t[AT_QUERY]->type)) &&
         (!condition ||
          (expands(o, condition) && condition->type->scalarType == AT_BOOL && o->fill <= LEFT_OUT));
}

static bool operands_fit(const at_fusedAttention *how, Operands *o)
{
  at_tensor *const *const t = o->t;
  const int dims = o->dims = at_sizesOf(t[AT_QUERY]).count;
  const at_type *const type = t[AT_QUERY]->type;
  if (dims < 3 || at_sizesOf(t[AT_KEY]).count != dims || at_sizesOf(t[AT_VALUE]).count != dims ||
      (type->scalarType != AT_FLOAT && type->scalarType != AT_DOUBLE) ||
      (how->type != AT_SCALAR_TYPES && how->type != type->scalarType) || t[AT_KEY]->type != type ||
      t[AT_VALUE]->type != type || !same_batch(t[AT_QUERY], t[AT_KEY], dims) ||
      !same_batch(t[AT_QUERY], t[AT_VALUE], dims))
    return false;
  o->matrices = 1;
  for (int d = 0; d < dims - 2; d++)
    o->matrices *= sizes_of(t[AT_QUERY])[d];
  const int64_t depth = sizes_of(t[AT_KEY])[dims - 2], keys = sizes_of(t[AT_KEY])[dims - 1];
  return depth == sizes_of(t[AT_QUERY])[dims - 1] && depth > 0 && keys > 0 &&
         keys == sizes_of(t[AT_VALUE])[dims - 2] && masks_fit(o);
}

/* --- the run ---------------------------------------------------------------------------------- */

/* What is added to the scores; NULL for nothing. */
static at_tensor *mask_of(const at_fusedAttention *how, const Operands *o)
{
  at_tensor *const condition = o->t[AT_CONDITION];
  if (!condition)
    return o->t[AT_MASK];
  at_tensor *const out = how->fillsFalse ? at_logical_not(condition) : condition;
  return at_masked_fill(at_zeros(at_sizes(condition), .type = o->t[AT_QUERY]->type), out, o->fill);
}

static void attend(at_frame *frame, const at_graphNode *node, const Operands *o, double scale,
                   bool isFlat)
{
  const int64_t *const q = sizes_of(o->t[AT_QUERY]), *const v = sizes_of(o->t[AT_VALUE]);
  const int64_t flat[] = {o->matrices, q[o->dims - 2], v[o->dims - 1]};
  at_pool pool;
  AT_SCOPE_GUARD;
  at_tensor *const mask = mask_of(node->how, o);
  if (o->t[AT_CONDITION] && !at_defined(mask))
    at_nodeFails(node, "it failed"); /* the error of the operation came first, and is kept */
  at_pool_enter(&pool);
  at_tensor *const keys = at_hold(&pool, at_viewTranspose(o->t[AT_KEY], -2, -1));
  at_tensor *made = at_hold(&pool, at_attend(o->t[AT_QUERY], keys, o->t[AT_VALUE], mask, 0, false,
                                             at_scalar_double(scale), false));
  if (isFlat)
    made = at_hold(&pool, at_reshaped(made, (at_ints){flat, 3}));
  at_giveTensor(frame, node, at_pool_keep(&pool, made));
}

static void release(at_frame *frame, const at_graphNode *nodes, int32_t count)
{
  for (int32_t i = 0; i < count; i++)
    at_cell_release(&frame->cells[nodes[i].outputs[0]]);
}

static void compute(at_frame *frame, const at_graphNode *nodes, int32_t count)
{
  for (int32_t i = 0; i < count; i++)
    at_frame_compute(frame, &nodes[i]);
}

/* The operands after their paths: those of the products themselves. */
static void take_operands(const at_frame *frame, const at_fusedAttention *how, Operands *o)
{
  const at_graphNode *const first = &how->nodes[0], *const last = &how->nodes[how->count - 1];
  o->t[AT_QUERY] = at_frame_get(frame, at_argumentOf(first, "self")->parts).is.tensor;
  o->t[AT_KEY] = at_frame_get(frame, at_rightOf(first)->parts).is.tensor;
  o->t[AT_VALUE] = at_frame_get(frame, at_rightOf(last)->parts).is.tensor;
}

/* A number, or a tensor of one element; 0 for all else. */
static double fill_of(const at_frame *frame, const at_given *given)
{
  const at_cell cell = given ? at_frame_get(frame, given->parts) : (at_cell){AT_CELL_NONE, {0}};
  if (cell.kind == AT_CELL_TENSOR)
    return at_numel(cell.is.tensor) != 1
               ? 0
               : at_scalar_toDouble(at_elementAt(cell.is.tensor,
                                                 cell.is.tensor->th->storageOffset));
  return cell.kind == AT_CELL_FLOAT ? cell.is.number : (double)cell.is.integer;
}

void at_computeAttention(at_frame *frame, const at_graphNode *node)
{
  const at_fusedAttention *const how = node->how;
  Operands o = {{NULL}};
  bool isFlat;
  for (int32_t i = 0; i < AT_FILL; i++)
    if (at_inputOf(node, NULL, i))
      o.t[i] = at_inputTensor(frame, node, NULL, i);
  o.fill = fill_of(frame, at_inputOf(node, NULL, AT_FILL));
  if (operands_fit(how, &o) && views_fit(frame, node, &o, true, &isFlat)) {
    attend(frame, node, &o, how->scale * how->pathScale, isFlat);
    return;
  }
  compute(frame, how->paths, how->pathCount);
  take_operands(frame, how, &o);
  if (how->pathCount > 0 && operands_fit(how, &o) && views_fit(frame, node, &o, false, &isFlat)) {
    attend(frame, node, &o, how->scale, isFlat);
  } else {
    compute(frame, how->nodes, how->count);
    release(frame, how->nodes, how->count - 1);
  }
  release(frame, how->paths, how->pathCount);
}

/* Sequences of tensors. */
#include "../Runs.h"

static const at_sequence *sequence_in(const at_onnxCall *c, int index)
{
  const at_given *const given = index < c->inputCount ? &c->node->inputs[index] : NULL;
  const at_cell cell = given && given->kind != AT_GIVEN_NONE ? at_frame_get(c->frame, given->parts)
                                                             : (at_cell){AT_CELL_NONE, {0}};
  if (cell.kind != AT_CELL_SEQUENCE)
    AT_ONNX_FAILS(c, "input %d is no sequence", index);
  return cell.is.sequence;
}

static at_tensors tensors_of(const at_sequence *sequence)
{
  return (at_tensors){(at_tensor **)sequence->tensors, sequence->count};
}

static void give(const at_onnxCall *c, at_tensors tensors)
{
  for (int i = 0; i < tensors.count; i++)
    if (!at_defined(tensors.data[i]))
      AT_ONNX_FAILS(c, "it failed"); /* the error of the operation came first, and is kept */
  if (at_onnxWants(c, 0))
    at_frame_put(c->frame, c->node->outputs[0], at_newSequence(tensors));
}

/* The index from 0 to most that input number index holds, or otherwise; negative ones count from the end. */
static int32_t position_in(const at_onnxCall *c, int index, int64_t count, int64_t most,
                           int64_t otherwise)
{
  at_tensor *const t = at_onnxMaybe(c, index);
  if (t && at_numel(t) != 1)
    AT_ONNX_FAILS(c, "input %d is no single number", index);
  const int64_t given = t ? at_scalar_toLong(at_elementAt(t, t->th->storageOffset)) : otherwise;
  if (given < -count || given > most)
    AT_ONNX_FAILS(c, "the position is %lld, in a sequence of %lld", (long long)given,
                  (long long)count);
  return (int32_t)(given < 0 ? given + count : given);
}

/* Memory for that many pointers, which the guard frees. */
static at_tensor **enter_list(int32_t count, THGuard *guard)
{
  THGuard_enter(guard, THFree);
  return guard->what = THAlloc(((ptrdiff_t)count + 1) * (ptrdiff_t)sizeof(at_tensor *));
}

void at_runSequenceConstruct(at_onnxCall *c)
{
  THGuard guard;
  at_tensor **const list = enter_list(c->inputCount, &guard);
  for (int i = 0; i < c->inputCount; i++)
    list[i] = at_onnxInput(c, i);
  give(c, (at_tensors){list, c->inputCount});
  THGuard_leave(&guard);
}

void at_runSequenceEmpty(at_onnxCall *c)
{
  give(c, (at_tensors){NULL, 0});
}

void at_runSequenceLength(at_onnxCall *c)
{
  at_onnxGive(c, 0,
              at_full(AT_SCALAR_SHAPE, sequence_in(c, 0)->count, .type = at_cpuType(AT_LONG)));
}

void at_runSequenceAt(at_onnxCall *c)
{
  const at_sequence *const s = sequence_in(c, 0);
  at_onnxGive(c, 0, s->tensors[position_in(c, 1, s->count, (int64_t)s->count - 1, 0)]);
}

/* The sequence with a tensor more at a position, or with NULL, without the one there. */
static void give_changed(const at_onnxCall *c, const at_sequence *s, int32_t at, at_tensor *t)
{
  const int32_t count = s->count + (t ? 1 : -1);
  THGuard guard;
  at_tensor **const list = enter_list(count, &guard);
  for (int32_t i = 0; i < count; i++)
    list[i] = t && i == at ? t : s->tensors[i < at ? i : t ? i - 1 : i + 1];
  give(c, (at_tensors){list, count});
  THGuard_leave(&guard);
}

void at_runSequenceInsert(at_onnxCall *c)
{
  const at_sequence *const s = sequence_in(c, 0);
  at_tensor *const t = at_onnxInput(c, 1);
  if (s->count == INT32_MAX)
    AT_ONNX_FAILS(c, "the sequence has %d tensors", (int)s->count);
  give_changed(c, s, position_in(c, 2, s->count, s->count, s->count), t);
}

void at_runSequenceErase(at_onnxCall *c)
{
  const at_sequence *const s = sequence_in(c, 0);
  give_changed(c, s, position_in(c, 1, s->count, (int64_t)s->count - 1, (int64_t)s->count - 1),
               NULL);
}

void at_runConcatFromSequence(at_onnxCall *c)
{
  const at_sequence *const s = sequence_in(c, 0);
  const bool isNew = at_onnxInt(c, "new_axis", 0) != 0;
  if (s->count == 0)
    AT_ONNX_FAILS(c, "the sequence is empty");
  const int axis =
      at_onnxAxis(c, at_onnxInt(c, "axis", 0), at_dim(s->tensors[0]) + (isNew ? 1 : 0));
  at_onnxGive(c, 0,
              isNew ? at_stack(tensors_of(s), .dim = axis) : at_cat(tensors_of(s), .dim = axis));
}

/* Parts of that size or of these sizes; or each entry, whose dimension is kept if keepdims says so. */
void at_runSplitToSequence(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0), *const split = at_onnxMaybe(c, 1);
  const int axis = at_onnxAxis(c, at_onnxInt(c, "axis", 0), at_dim(x));
  const at_tensors *list;
  if (!split && !at_onnxInt(c, "keepdims", 1))
    list = at_unbind(x, .dim = axis);
  else if (!split || at_dim(split) == 0)
    list = at_split(x, split ? at_item_long(split) : 1, .dim = axis);
  else {
    at_tensor *const sizes = at_contiguous(at_to(split, at_cpuType(AT_LONG)));
    if (at_numel(sizes) > INT32_MAX || at_dim(sizes) != 1)
      AT_ONNX_FAILS(c, "split has size %s", at_sizeDesc(at_sizes(split)).str);
    list =
        at_split_with_sizes(x, ((at_ints){at_hostData(sizes), (int)at_numel(sizes)}), .dim = axis);
  }
  if (list->count == 0 && at_size(x, axis) > 0)
    AT_ONNX_FAILS(c, "it failed");
  give(c, *list);
}

/* --- optional values -------------------------------------------------------------------------- */

/* A tensor, a sequence, or none. */
static at_cell value_in(const at_onnxCall *c)
{
  const bool isGiven = c->inputCount > 0 && c->node->inputs[0].kind != AT_GIVEN_NONE;
  return isGiven ? at_frame_get(c->frame, c->node->inputs[0].parts) : (at_cell){AT_CELL_NONE, {0}};
}

void at_runOptional(at_onnxCall *c)
{
  if (at_onnxWants(c, 0))
    at_frame_put(c->frame, c->node->outputs[0], at_cell_retain(value_in(c)));
}

void at_runGetElement(at_onnxCall *c)
{
  if (value_in(c).kind == AT_CELL_NONE)
    AT_ONNX_FAILS(c, "the optional value is missing");
  at_runOptional(c);
}

void at_runHasElement(at_onnxCall *c)
{
  const bool has = value_in(c).kind != AT_CELL_NONE;
  at_onnxGive(c, 0, at_full(AT_SCALAR_SHAPE, has, .type = at_cpuType(AT_BOOL)));
}

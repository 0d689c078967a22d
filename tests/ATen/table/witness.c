/* See witness.h. */
#include "witness.h"

#include <stdlib.h>
#include <string.h>

#include "th_test.h"

enum { MAX_ELEMENTS = 1 << 20 };

static char problem[1024];

/* Records a problem, if it is the first. */
#define WRONG(...)                                    \
  do {                                                \
    if (!problem[0])                                  \
      snprintf(problem, sizeof problem, __VA_ARGS__); \
  } while (0)

/* --- what there was --------------------------------------------------------------------------- */

typedef struct Look {
  at_tensor *tensor;
  const at_type *type;
  int dims;
  int64_t size[CALL_DIMS], stride[CALL_DIMS], offset;
  const THFloatStorage *storage;
} Look;

typedef struct Memory {
  at_storage *storage; /* retained, so that its address is not reused */
  const at_type *type;
  ptrdiff_t size;
  int references;
  unsigned char *bytes;
  bool *mayChange; /* an entry for each element */
} Memory;

static struct {
  int looks, memories;
  Look look[CALL_TENSORS];
  Memory memory[CALL_TENSORS];
} before;

static const THFloatTensor *th_of(const at_tensor *t)
{
  return at_unsafeGetTH(t); /* all TH tensors have the same fields */
}

static const THFloatStorage *held(const Memory *m)
{
  return at_storage_unsafeGetTH(m->storage);
}

static size_t bytes_of(const Memory *m)
{
  return (size_t)m->size * at_type_elementSize(m->type);
}

static Look look_at(at_tensor *t)
{
  Look look = {.tensor = t,
               .type = at_typeOf(t),
               .dims = at_dim(t),
               .offset = at_storageOffset(t),
               .storage = th_of(t)->storage};
  const size_t size = (size_t)look.dims * sizeof *look.size;
  if (size > 0) {
    memcpy(look.size, at_sizes(t).data, size);
    memcpy(look.stride, at_strides(t).data, size);
  }
  return look;
}

static Memory *memory_of(const THFloatStorage *storage)
{
  for (int i = 0; i < before.memories; i++)
    if (held(&before.memory[i]) == storage)
      return &before.memory[i];
  return NULL;
}

static void remember(at_storage *storage)
{
  Memory *m = &before.memory[before.memories++];
  *m = (Memory){storage, at_storage_type(storage), at_storage_size(storage), 0, NULL, NULL};
  m->references = held(m)->refcount;
  m->bytes = malloc(bytes_of(m) + 1);
  m->mayChange = calloc((size_t)m->size + 1, sizeof *m->mayChange);
  if (m->size > 0)
    memcpy(m->bytes, at_storage_data(storage), bytes_of(m));
}

void witness_enter(const Call *call)
{
  before.looks = before.memories = 0;
  for (int i = 0; i < call->tensorCount; i++) {
    const Look look = before.look[before.looks++] = look_at(call->tensors[i]);
    if (look.storage && !memory_of(look.storage))
      remember(at_storageOf(look.tensor));
  }
  for (int i = 0; i < call->op->argumentCount; i++)
    if (call->values[i].storage)
      remember(at_storage_retain(call->values[i].storage));
}

/* --- what it became --------------------------------------------------------------------------- */

static const Look *look_of(const at_tensor *t)
{
  for (int i = 0; i < before.looks; i++)
    if (before.look[i].tensor == t)
      return &before.look[i];
  return NULL;
}

/* Results that share memory may leave any values in it. */
static void join_outputs(const Call *call)
{
  for (int i = 0; i < call->op->resultCount && call->op->form == AT_FORM_OUT; i++)
    for (int k = 0; k < i; k++) {
      const Look *a = look_of(call->values[i].tensor), *b = look_of(call->values[k].tensor);
      Memory *m = a && b && a->storage == b->storage ? memory_of(a->storage) : NULL;
      for (ptrdiff_t e = 0; m && e < m->size; e++)
        m->mayChange[e] = true;
    }
}

/* Marks the elements of the view, within the former size of its storage. */
static void may_change(const Look *look)
{
  Memory *m = memory_of(look->storage);
  int64_t index[CALL_DIMS] = {0}, count = 1, offset = look->offset;
  for (int d = 0; d < look->dims; d++)
    if (__builtin_mul_overflow(count, look->size[d], &count))
      count = INT64_MAX;
  if (m && count > MAX_ELEMENTS) { /* an expanded view: few elements, many times */
    memset(m->mayChange, true, (size_t)m->size);
    return;
  }
  for (int64_t i = 0; m && i < count; i++) {
    if (offset < m->size)
      m->mayChange[offset] = true;
    for (int d = look->dims - 1; d >= 0; d--) {
      offset += look->stride[d];
      if (++index[d] < look->size[d])
        break;
      offset -= look->size[d] * look->stride[d];
      index[d] = 0;
    }
  }
}

/* Whether the operation changes this input in addition to its results. */
static bool is_updated(const at_argument *argument)
{
  static const char *const names[] = {"running_mean", "running_var", "noise"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(names[i], argument->name))
      return true;
  return false;
}

static bool is_written(const Call *call, const at_tensor *t)
{
  const int outputs = call->op->form == AT_FORM_OUT       ? call->op->resultCount
                      : call->op->form == AT_FORM_INPLACE ? 1
                                                          : 0;
  for (int i = 0; i < call->op->argumentCount; i++)
    if (call->values[i].tensor == t && (i < outputs || is_updated(&call->op->arguments[i])))
      return true;
  return false;
}

static void check_look(const Look *was, int index)
{
  const Look now = look_at(was->tensor);
  if (now.type != was->type || now.dims != was->dims || now.offset != was->offset ||
      now.storage != was->storage ||
      memcmp(now.size, was->size, (size_t)was->dims * sizeof *was->size) ||
      memcmp(now.stride, was->stride, (size_t)was->dims * sizeof *was->stride))
    WRONG("tensor %d has changed its type, shape or storage", index);
}

/* What a call may do to a storage in addition to writing elements. */
typedef struct Freedom {
  bool grow, refer;
} Freedom;

static Freedom freedom_of(const Call *call, const Memory *m)
{
  Freedom freedom = {false, false};
  for (int i = 0; i < before.looks; i++) {
    const Look *was = &before.look[i];
    if (!is_written(call, was->tensor))
      continue;
    freedom.grow |= was->storage == held(m);
    freedom.refer |= was->storage == held(m) || th_of(was->tensor)->storage == held(m);
  }
  for (int i = 0; i < call->op->argumentCount; i++) /* a tensor of a storage may be larger */
    freedom.grow |= call->op->arguments[i].kind == AT_KIND_STORAGE;
  return freedom;
}

static void check_memory(const Memory *m, bool succeeded, Freedom may)
{
  const size_t size = at_type_elementSize(m->type);
  const char *now = at_storage_data(m->storage);
  const ptrdiff_t count = at_storage_size(m->storage);
  if (count < m->size || (count > m->size && !may.grow))
    WRONG("storage %p had %td elements and has %td", (const void *)held(m), m->size, count);
  for (ptrdiff_t i = 0; i < THMin(m->size, count); i++)
    if (!m->mayChange[i] && memcmp(now + (size_t)i * size, m->bytes + (size_t)i * size, size))
      WRONG("element %td of storage %p has changed%s", i, (const void *)held(m),
            succeeded ? "" : " though the call failed");
  if (!may.refer && held(m)->refcount != m->references)
    WRONG("storage %p had %d references and has %d", (const void *)held(m), m->references,
          held(m)->refcount);
}

/* --- results ---------------------------------------------------------------------------------- */

static void check_tensor(at_tensor *t, int index)
{
  const THFloatTensor *th = th_of(t);
  const bool isScalar = at_dim(t) == 0;
  int64_t count = 1, reach = 0;
  if (th->nDimension < 1 || th->nDimension > CALL_DIMS || (isScalar && th->nDimension != 1))
    WRONG("result %d has %d dimensions, its TH tensor %d", index, at_dim(t), th->nDimension);
  for (int d = 0; d < th->nDimension; d++) {
    if (th->size[d] < 0 || __builtin_mul_overflow(count, th->size[d], &count))
      WRONG("result %d has no possible size", index);
    if (th->stride[d] < 0)
      WRONG("result %d has a stride of %lld", index, (long long)th->stride[d]);
  }
  if (problem[0])
    return;
  if (isScalar && count != 1)
    WRONG("result %d has no dimensions and %lld elements", index, (long long)count);
  if (count == 0)
    return;
  int64_t step;
  for (int d = 0; d < th->nDimension; d++)
    if (__builtin_mul_overflow(th->size[d] - 1, th->stride[d], &step) ||
        __builtin_add_overflow(reach, step, &reach))
      WRONG("result %d reaches too far", index);
  if (th->storageOffset < 0 || !th->storage || th->storage->size - th->storageOffset - 1 < reach ||
      reach < 0)
    WRONG("result %d reaches element %lld of a storage of %td from %td on", index, (long long)reach,
          th->storage ? th->storage->size : 0, th->storageOffset);
}

/* Operations whose strides are an argument. */
static bool takes_strides(const at_op *op)
{
  return strstr(op->name, "empty_strided") || !strcmp(op->overload, "strided");
}

/* Operations whose results have unspecified contents. */
static bool may_be_anything(const at_op *op)
{
  bool any = strstr(op->name, "empty") || strstr(op->name, "resize") || takes_strides(op) ||
             (!strcmp(op->name, "tensor") && !strcmp(op->overload, "sized"));
  for (int i = 0; i < op->argumentCount; i++)
    any |= op->arguments[i].kind == AT_KIND_STORAGE;
  return any;
}

/* Checks that all elements are readable, and that bytes of Bool are 0 or 1 unless contents are
 * unspecified. */
static void check_elements(const Call *call, const at_tensor *t, int index)
{
  const Look look = look_at((at_tensor *)t);
  const size_t size = at_type_elementSize(look.type);
  if (at_numel(t) == 0 || at_numel(t) > 1 << 16)
    return;
  const unsigned char *const data = at_data(t);
  const bool areBooleans = at_type_scalarType(look.type) == AT_BOOL && !may_be_anything(call->op);
  /* New results may be in column-major order, as matrices of LAPACK are, but must not share
   * memory. */
  const Memory *given = memory_of(look.storage);
  const bool isNew = call->op->form == AT_FORM_FUNCTION && !given && !takes_strides(call->op);
  bool *seen = isNew ? calloc((size_t)look.storage->size, sizeof *seen) : NULL;
  volatile unsigned char byte = 0;
  for (int64_t i = 0; i < at_numel(t); i++) {
    int64_t offset = 0, rest = i;
    for (int d = look.dims - 1; d >= 0; d--) {
      offset += rest % look.size[d] * look.stride[d];
      rest /= look.size[d];
    }
    if (isNew && seen[look.offset + offset])
      WRONG("element %lld of result %d, which is new, shares memory", (long long)i, index);
    if (isNew)
      seen[look.offset + offset] = true;
    for (size_t b = 0; b < size; b++)
      byte = data[(size_t)offset * size + b];
    if (areBooleans && data[offset] > 1)
      WRONG("element %lld of result %d, of Bool, is %d", (long long)i, index, data[offset]);
  }
  (void)byte;
  free(seen);
}

static void check_result(const Call *call, at_tensor *t, int index)
{
  if (!at_defined(t))
    return;
  check_tensor(t, index);
  if (problem[0])
    return;
  check_elements(call, t, index);
  if (call->op->form == AT_FORM_FUNCTION && th_of(t)->refcount != 1)
    WRONG("result %d has %d references", index, th_of(t)->refcount);
}

static void check_results(Call *call)
{
  const at_op *op = call->op;
  if (op->results[0].kind == AT_KIND_TENSORS) {
    const at_tensors list = call->results[0].tensors;
    for (int i = 0; i < list.count; i++)
      check_result(call, list.data[i], i);
    at_list_release(call->results[0].list);
    return;
  }
  for (int i = 0; i < op->resultCount; i++) {
    if (op->results[i].kind != AT_KIND_TENSOR && op->results[i].kind != AT_KIND_OPTIONAL_TENSOR)
      continue;
    at_tensor *t = call->results[i].tensor;
    check_result(call, t, i);
    if (op->form == AT_FORM_FUNCTION)
      at_release(t);
    else if (t != call->values[i].tensor && at_defined(call->values[i].tensor) &&
             !draw_hasUndefined(call))
      WRONG("result %d is not the given tensor", i);
  }
}

static void check_error(const Call *call, bool succeeded)
{
  const bool said = at_error() != AT_OK;
  if (said && (!*at_error_message() || !*at_error_operation()))
    WRONG("the error has no message or no operation");
  if (succeeded && said)
    WRONG("the call succeeds and says: %s", at_error_message());
  if (!succeeded && !said && !draw_hasUndefined(call))
    WRONG("the call fails and does not say why");
  if (!succeeded)
    for (int i = 0; i < call->op->resultCount; i++)
      if (at_defined(call->results[i].tensor))
        WRONG("the call fails and has a result");
}

const char *witness_leave(Call *call, bool succeeded)
{
  problem[0] = '\0';
  check_error(call, succeeded);
  if (succeeded)
    check_results(call);
  if (succeeded)
    join_outputs(call);
  for (int i = 0; i < before.looks && succeeded; i++)
    if (is_written(call, before.look[i].tensor)) {
      const Look now = look_at(before.look[i].tensor);
      may_change(&before.look[i]);
      may_change(&now);
    }
  for (int i = 0; i < before.looks; i++)
    if (!succeeded || !is_written(call, before.look[i].tensor))
      check_look(&before.look[i], i);
  for (int i = 0; i < before.memories; i++) {
    Memory *m = &before.memory[i];
    const Freedom may = succeeded ? freedom_of(call, m) : (Freedom){false, false};
    check_memory(m, succeeded, may);
    at_storage_release(m->storage);
    free(m->bytes);
    free(m->mayChange);
  }
  return problem[0] ? problem : NULL;
}

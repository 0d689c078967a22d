/* Finds the tensors of a set that share memory, and the part of the memory that they use. */
#include "Files.h"

#include "ATen/core/device.h"

static int by_storage(const void *a, const void *b)
{
  const at_span *x = a, *y = b;
  const uintptr_t s = (uintptr_t)x->storage, t = (uintptr_t)y->storage;
  return s != t ? (s > t) - (s < t) : (x->index > y->index) - (x->index < y->index);
}

static int by_index(const void *a, const void *b)
{
  const at_span *x = a, *y = b;
  return (x->index > y->index) - (x->index < y->index);
}

/* A tensor without elements has a storage of its own. */
static at_span span_of(const at_dict *dict, int64_t index)
{
  const at_tensor *t = at_dict_at(dict, index);
  int64_t end;
  at_span span = {.index = index, .owner = index};
  THAssert(at_reach((at_ints){t->th->size, t->th->nDimension}, t->th->stride, t->th->storageOffset,
                    &end));
  if (end > 0) {
    span.storage = t->th->storage;
    span.first = t->th->storageOffset;
    span.end = end;
  }
  return span;
}

const at_span *at_spansOf(const at_dict *dict, THGuard *guard)
{
  const int64_t count = at_dict_count(dict);
  THGuard_enter(guard, THFree);
  at_span *spans = guard->what = THAlloc((count + 1) * (ptrdiff_t)sizeof *spans);
  for (int64_t i = 0; i < count; i++)
    spans[i] = span_of(dict, i);
  qsort(spans, (size_t)count, sizeof *spans, by_storage);
  for (int64_t i = 0, next; i < count; i = next) {
    at_span whole = spans[i];
    for (next = i + 1; next < count && whole.storage && spans[next].storage == whole.storage;
         next++) {
      whole.first = THMin(whole.first, spans[next].first);
      whole.end = THMax(whole.end, spans[next].end);
    }
    for (int64_t k = i; k < next; k++) {
      spans[k].first = whole.first;
      spans[k].end = whole.end;
      spans[k].owner = whole.index;
    }
  }
  qsort(spans, (size_t)count, sizeof *spans, by_index);
  return spans;
}

at_tensor *at_newLine(const at_dict *dict, const at_span *span)
{
  static const int64_t one[] = {1};
  at_tensor *t = at_dict_at(dict, span->owner);
  const int64_t count = span->end - span->first;
  const at_ints line = {&count, 1};
  return count > 0 ? at_newView(t, (ptrdiff_t)span->first, line, one) : at_newShape(t->type, line);
}

/* --- to a device -------------------------------------------------------------------------------- */

static void release_lines(void *what)
{
  for (at_tensor **line = what; *line; line++)
    if (*line != at_undefined())
      at_release(*line);
  THFree(what);
}

static at_tensor *new_there(at_tensor *t)
{
  return at_newCast(t, at_getType(AT_BACKEND_CUDA, t->type->scalarType));
}

void at_dict_toCUDA(at_dict *dict)
{
  char why[TH_MESSAGE_LENGTH];
  if (!at_loadCUDA(why, sizeof why))
    at_raise(AT_ERROR_TYPE, "there is no CUDA: %s", why);
  const int64_t count = at_dict_count(dict);
  THGuard memory, held;
  const at_span *const spans = at_spansOf(dict, &memory);
  THGuard_enter(&held, release_lines);
  at_tensor **const lines = THAlloc((count + 1) * (ptrdiff_t)sizeof *lines);
  for (int64_t i = 0; i < count; i++)
    lines[i] = at_undefined();
  lines[count] = NULL;
  held.what = lines;
  for (int64_t i = 0; i < count; i++) {
    THGuard host, made;
    at_tensor *const t = at_dict_at(dict, i);
    at_tensor **const line = &lines[spans[i].owner];
    if (*line == at_undefined()) {
      at_guard(&host);
      host.what = at_newLine(dict, &spans[i]);
      *line = new_there(host.what);
      THGuard_leave(&host);
    }
    at_guard(&made);
    made.what = spans[i].storage
                    ? at_newView(*line, t->th->storageOffset - (ptrdiff_t)spans[i].first,
                                 at_sizesOf(t), t->th->stride)
                    : new_there(t);
    if (!at_dict_set(dict, at_dict_name(dict, i), made.what))
      at_raise(AT_ERROR_RUNTIME, "%s", at_error_message());
    THGuard_leave(&made);
  }
  THGuard_leave(&held);
  THGuard_leave(&memory);
}

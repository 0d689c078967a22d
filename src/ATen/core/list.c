/* Lists of tensors, as arguments and as results. */
#include "ATenCore.h"

/* A list that a function returns, which a scope owns, and its entries. */
typedef struct {
  at_owned owned;
  at_tensors list;
  at_tensor *data[];
} List;

const at_tensors at_noTensors = {NULL, 0};

static void release_entries(List *made)
{
  for (int i = 0; i < made->list.count; i++)
    at_release(made->data[i]);
  made->list.count = 0;
}

static void free_list(at_owned *owned)
{
  List *const made = (List *)owned;
  release_entries(made);
  THFree(made);
}

static List *list_of(const at_tensors *list)
{
  return (List *)((char *)list - offsetof(List, list));
}

at_tensors *at_newList(int count)
{
  List *made = THAlloc((ptrdiff_t)(sizeof *made + (size_t)count * sizeof *made->data));
  made->owned = (at_owned){.release = free_list};
  made->list = (at_tensors){made->data, count};
  for (int i = 0; i < count; i++)
    made->data[i] = NULL;
  return &made->list;
}

void at_list_release(const at_tensors *list)
{
  if (!list || list == &at_noTensors)
    return;
  List *const made = list_of(list);
  if (at_ownedElsewhere(
          &made->owned)) { /* the scope of the other thread will free the empty list */
    release_entries(made);
    return;
  }
  at_disown(&made->owned);
  free_list(&made->owned);
}

/* Operations made of others return at_noTensors after an error. */
const at_tensors *at_returnList(at_call *call, const at_tensors *list)
{
  if (at_failed(call) || list == &at_noTensors)
    return &at_noTensors;
  at_own(&list_of(list)->owned);
  return list;
}

const at_tensors *at_escapeList(const at_tensors *list)
{
  if (list != &at_noTensors)
    at_escapeOwned(&list_of(list)->owned);
  return list;
}

bool at_acceptAll(const char *operation, const char *argument, at_tensors list, bool optional)
{
  if (list.count < 0 || (list.count > 0 && !list.data)) {
    at_fail(AT_ERROR_ARGUMENT, operation, "%s: %s has %d entries%s", operation, argument,
            list.count, list.data ? "" : " and no data");
    return false;
  }
  for (int i = 0; i < list.count; i++) {
    if (list.data[i] && list.data[i]->type)
      continue; /* formatting a name would take longer than the rest of the call */
    char name[64];
    snprintf(name, sizeof name, "%s[%d]", argument, i);
    if (!at_accept(operation, name, list.data[i], optional))
      return false;
  }
  return true;
}

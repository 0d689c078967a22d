/* Start and end, and groups of ranks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "Comm.h"

const at_comm_start_options at_comm_start_defaults = {.backend = AT_COMM_ANY, .timeout = 300};

static void free_group(at_comm_group *group)
{
  if (!group)
    return;
  at_comm_closeNccl(group, !at_comm.isBroken);
  free(group->ranks);
  free(group);
}

static at_comm_group *new_group(const char *name, int size)
{
  at_comm_group *const group = calloc(1, sizeof *group);
  int *const ranks = calloc((size_t)size, sizeof *ranks);
  if (!group || !ranks) {
    at_fail(AT_ERROR_RUNTIME, name, "%s: there is no memory for a group of %d ranks", name, size);
    free(group);
    free(ranks);
    return NULL;
  }
  *group = (at_comm_group){.refs = 1, .size = size, .ranks = ranks};
  return group;
}

/* Whether the group is one that exists; the lock is held. */
static bool is_known(const at_comm_group *group)
{
  if (at_comm.isStarted && group == at_comm.all)
    return true;
  const at_comm_group *one = at_comm.isStarted ? at_comm.groups : NULL;
  while (one && one != group)
    one = one->next;
  return one;
}

at_comm_group *at_comm_enter(const at_comm_group *group)
{
  pthread_mutex_lock(&at_comm.lock);
  at_comm_group *const found = !at_comm.isStarted ? NULL
                               : !group           ? at_comm.all
                               : is_known(group)  ? (at_comm_group *)group
                                                  : NULL;
  if (found)
    found->refs++;
  pthread_mutex_unlock(&at_comm.lock);
  return found;
}

void at_comm_leave(at_comm_group *group)
{
  if (!group)
    return;
  pthread_mutex_lock(&at_comm.lock);
  const bool isLast = --group->refs == 0;
  pthread_mutex_unlock(&at_comm.lock);
  if (isLast)
    free_group(group);
}

int at_comm_rank(const at_comm_group *given)
{
  at_comm_group *const group = at_comm_enter(given);
  const int rank = group ? group->rank : given ? -1 : 0;
  at_comm_leave(group);
  return rank;
}

int at_comm_size(const at_comm_group *given)
{
  at_comm_group *const group = at_comm_enter(given);
  const int size = group ? group->size : given ? 0 : 1;
  at_comm_leave(group);
  return size;
}

const char *at_comm_backendName(void)
{
  return at_comm.isStarted && at_comm.transport ? at_comm.transport->name : "one";
}

/* --- start and end ------------------------------------------------------------------------------ */

bool(at_comm_start)(const at_comm_start_options *options)
{
  const char *const name = "comm_start";
  const at_comm_start_options o = options ? *options : at_comm_start_defaults;
  at_fault fault = {-1, ""};
  if (at_comm.isStarted) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: it has been called already", name);
    return false;
  }
  if (!(o.timeout > 0 && o.timeout <= 1e9)) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: timeout is %g, and has to be a number of seconds above 0",
            name, o.timeout);
    return false;
  }
  at_comm.timeout = o.timeout;
  at_comm.checked = !o.unchecked;
  at_comm.isBroken = false;
  at_comm.nextId = 1;
  if (!at_comm_find(o.backend, &at_comm.transport, &fault) || !at_comm_runThread(&fault)) {
    at_fail(AT_ERROR_RUNTIME, name, "%s: %s", name, fault.message);
    return false;
  }
  at_comm_group *const all = new_group(name, at_comm.count);
  for (int i = 0; all && i < at_comm.count; i++)
    all->ranks[i] = i;
  if (all)
    all->rank = at_comm.rank;
  pthread_mutex_lock(&at_comm.lock);
  at_comm.all = all;
  at_comm.isStarted = true;
  pthread_mutex_unlock(&at_comm.lock);
  if (!all)
    at_comm_stop(); /* the others learn it from the connections */
  return all;
}

void at_comm_stop(void)
{
  if (!at_comm.isStarted)
    return;
  at_comm_work *const last = at_comm_newWork("comm_stop", AT_COMM_STOP, NULL);
  if (!last)
    return;
  at_comm_runWork(last);
  pthread_join(at_comm.thread, NULL);
  at_comm_freeWork(last);
  pthread_mutex_lock(&at_comm.lock);
  at_comm_group *group = at_comm.groups;
  at_comm_group *const all = at_comm.all;
  at_comm.isStarted = false;
  at_comm.groups = at_comm.all = NULL;
  pthread_mutex_unlock(&at_comm.lock);
  while (group) {
    at_comm_group *const next = group->next;
    at_comm_leave(group);
    group = next;
  }
  at_comm_leave(all);
}

/* --- splitting ---------------------------------------------------------------------------------- */

enum { COLOR, KEY, ID, NUMBERS };

/* Whether rank a comes before rank b in their group. */
static bool is_before(const int64_t (*rows)[NUMBERS], int a, int b)
{
  return rows[a][KEY] < rows[b][KEY] || (rows[a][KEY] == rows[b][KEY] && a < b);
}

/* The group of those who gave the own color, from what all gave. */
static at_comm_group *group_of(const at_comm_group *parent, const int64_t (*rows)[NUMBERS])
{
  const int64_t color = rows[parent->rank][COLOR];
  int size = 0, position = 0;
  for (int i = 0; i < parent->size; i++)
    size += rows[i][COLOR] == color;
  at_comm_group *const group = new_group("comm_split", size);
  for (int i = 0; group && i < parent->size; i++) {
    if (rows[i][COLOR] != color)
      continue;
    position = 0;
    for (int k = 0; k < parent->size; k++)
      position += rows[k][COLOR] == color && is_before(rows, k, i);
    group->ranks[position] = parent->ranks[i];
    if (i == parent->rank)
      group->rank = position;
  }
  return group;
}

at_comm_group *at_comm_split(at_comm_group *parent, int color, int key)
{
  at_comm_work *const work = at_comm_newWork("comm_split", AT_COMM_SPLIT, parent);
  if (!work)
    return NULL;
  int64_t(*const rows)[NUMBERS] = calloc((size_t)work->group->size, sizeof *rows);
  work->out = (char *)rows;
  work->row.isBad = !rows;
  if (rows) {
    rows[work->group->rank][COLOR] = color;
    rows[work->group->rank][KEY] = key;
    rows[work->group->rank][ID] = at_comm.nextId;
  }
  at_comm_runWork(work);
  at_comm_group *group = NULL;
  if (work->code != AT_OK || !rows) {
    at_fail(rows ? work->code : AT_ERROR_RUNTIME, "comm_split", "comm_split: %s",
            rows ? work->message : "there is no memory");
  } else {
    int id = at_comm.nextId;
    for (int i = 0; i < work->group->size; i++)
      id = THMax(id, (int)rows[i][ID]);
    group = color < 0 ? NULL : group_of(work->group, rows);
    at_comm.nextId = id + 1;
    if (group) {
      group->id = id;
      pthread_mutex_lock(&at_comm.lock);
      group->next = at_comm.groups;
      at_comm.groups = group;
      pthread_mutex_unlock(&at_comm.lock);
    }
  }
  free(rows);
  at_comm_freeWork(work);
  return group;
}

void at_comm_group_free(at_comm_group *group)
{
  pthread_mutex_lock(&at_comm.lock);
  const bool isKnown = group && group != at_comm.all && is_known(group);
  for (at_comm_group **link = &at_comm.groups; isKnown && *link; link = &(*link)->next)
    if (*link == group) {
      *link = group->next;
      break;
    }
  pthread_mutex_unlock(&at_comm.lock);
  if (isKnown)
    at_comm_leave(group);
}

/* Works: what a call hands to the thread. */
#include <stdlib.h>

#include "Comm.h"

at_comm_work *at_comm_newWork(const char *name, at_comm_kind kind, at_comm_group *given)
{
  at_comm_group *const group = at_comm_enter(given);
  if (!group) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: %s", name,
            given ? "group is none of this process" : "at_comm_start has not been called");
    return NULL;
  }
  at_comm_work *const work = calloc(1, sizeof *work);
  const size_t size = (size_t)group->size;
  at_transfer *const transfers = calloc(2 * size + 4, sizeof *transfers);
  at_comm_row *const rows = calloc(size + 2, sizeof *rows);
  if (!work || !transfers || !rows) {
    at_fail(AT_ERROR_RUNTIME, name, "%s: there is no memory", name);
    free(work);
    free(transfers);
    free(rows);
    at_comm_leave(group);
    return NULL;
  }
  *work = (at_comm_work){.group = group,
                         .name = name,
                         .row = {.kind = kind, .rank = group->rank},
                         .transfers = transfers,
                         .rows = rows};
  return work;
}

void at_comm_freeWork(at_comm_work *work)
{
  if (!work)
    return;
  at_release(work->result);
  at_release(work->staged);
  at_release(work->held);
  at_release(work->given);
  at_release(work->from);
  at_release(work->to);
  at_comm_leave(work->group);
  free(work->scratch);
  free(work->transfers);
  free(work->rows);
  free(work);
}

void at_comm_queue(at_comm_work *work)
{
  pthread_mutex_lock(&at_comm.lock);
  at_comm_work **last = &at_comm.first;
  while (*last)
    last = &(*last)->next;
  work->next = NULL;
  *last = work;
  pthread_cond_broadcast(&at_comm.changed);
  pthread_mutex_unlock(&at_comm.lock);
}

static void await(at_comm_work *work)
{
  pthread_mutex_lock(&at_comm.lock);
  while (!work->isDone)
    pthread_cond_wait(&at_comm.changed, &at_comm.lock);
  pthread_mutex_unlock(&at_comm.lock);
}

void at_comm_runWork(at_comm_work *work)
{
  at_comm_queue(work);
  await(work);
}

bool at_comm_test(const at_comm_work *work)
{
  pthread_mutex_lock(&at_comm.lock);
  const bool isDone = !work || work->isDone;
  pthread_mutex_unlock(&at_comm.lock);
  return isDone;
}

bool(at_comm_wait)(at_comm_work *work)
{
  if (!work)
    return false;
  await(work);
  const bool succeeded = work->code == AT_OK;
  if (!succeeded)
    at_fail(work->code, work->name, "%s: %s", work->name, work->message);
  at_comm_freeWork(work);
  return succeeded;
}

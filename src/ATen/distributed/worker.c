/* The thread that runs calls, and what it moves bytes with. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "ATenCUDA.h"
#include "Comm.h"

enum { WAIT_MILLISECONDS = 10, TAGS_OF_GROUP = 3 };

at_comm_state at_comm = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

double at_comm_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* --- transfers ---------------------------------------------------------------------------------- */

/* Collective calls, and messages in two directions: from who sends, and from who receives. */
static uint64_t tag_of(const at_comm_work *work, int which)
{
  return (uint64_t)(work->group->id % (AT_TRANSPORT_TAGS / TAGS_OF_GROUP - 1)) * TAGS_OF_GROUP +
         (uint64_t)which;
}

static at_transfer transfer_of(const at_comm_work *work, int peer, const void *data, size_t bytes,
                               bool sends, int which)
{
  return (at_transfer){.peer = work->group->ranks[peer],
                       .sends = sends,
                       .tag = tag_of(work, which),
                       .data = (char *)data,
                       .bytes = bytes};
}

at_transfer at_comm_to(const at_comm_work *work, int peer, const void *data, size_t bytes)
{
  return transfer_of(work, peer, data, bytes, true, 0);
}

at_transfer at_comm_from(const at_comm_work *work, int peer, void *data, size_t bytes)
{
  return transfer_of(work, peer, data, bytes, false, 0);
}

void at_comm_break(void)
{
  if (at_comm.isBroken)
    return;
  at_comm.isBroken = true;
  if (at_comm.transport)
    at_comm.transport->abandon(at_comm.carrier, at_comm.fault.rank);
}

bool at_comm_advance(int milliseconds)
{
  bool moved = false;
  if (!at_comm.transport || at_comm.isBroken)
    return !at_comm.isBroken;
  if (!at_comm.transport->advance(at_comm.carrier, milliseconds, &moved, &at_comm.fault)) {
    at_comm_break();
    return false;
  }
  if (moved)
    at_comm.lastMoved = at_comm_now();
  return true;
}

/* Whether a transfer has begun that can still end; the ranks are not asked for longer than the
 * timeout. */
static bool still_waits(double began, int count, const at_transfer *transfers)
{
  if (at_comm.isBroken || at_comm_now() - THMax(began, at_comm.lastMoved) < at_comm.timeout)
    return !at_comm.isBroken;
  int first = 0; /* whoever sends nothing is more to blame than whoever takes nothing */
  while (first < count - 1 && (transfers[first].done || transfers[first].sends))
    first++;
  while (first > 0 && transfers[first].done)
    first--;
  at_comm.fault.rank = transfers[first].peer;
  snprintf(at_comm.fault.message, sizeof at_comm.fault.message, "rank %d has not answered for %g s",
           transfers[first].peer, at_comm.timeout);
  at_comm_break();
  return false;
}

static bool begin(at_transfer *transfer)
{
  if (!at_comm.isBroken && !at_comm.transport->begin(at_comm.carrier, transfer, &at_comm.fault))
    at_comm_break();
  return !at_comm.isBroken;
}

bool at_comm_exchange(at_comm_work *work, int count, at_transfer *transfers)
{
  const double began = at_comm_now();
  for (int i = 0; i < count; i++)
    if (!begin(&transfers[i]))
      return false;
  for (int i = 0; i < count; i++)
    while (!transfers[i].done) {
      if (!at_comm_advance(WAIT_MILLISECONDS))
        return false;
      if (!transfers[i].done && !still_waits(began, count, transfers))
        return false;
      at_comm_stepMessages();
    }
  return !at_comm.isBroken;
}

/* --- messages ----------------------------------------------------------------------------------- */

/* Two steps: the ranks tell each other what they have, and then the elements go. */
static bool begin_step(at_comm_work *work)
{
  const bool sends = work->row.kind == AT_COMM_SEND;
  const int peer = work->row.root;
  at_transfer *const t = work->transfers;
  work->began = at_comm_now();
  const size_t bytes = (size_t)work->row.count * work->element;
  if (work->stage == 1) {
    t[2] = transfer_of(work, peer, work->out, bytes, sends, 1);
    return begin(&t[2]);
  }
  work->rows[0] = work->row;
  t[0] = transfer_of(work, peer, &work->rows[!sends], sizeof(at_comm_row), sends, 1);
  t[1] = transfer_of(work, peer, &work->rows[sends], sizeof(at_comm_row), !sends, 2);
  t[0].data = (char *)&work->rows[sends ? 0 : 1];
  t[1].data = (char *)&work->rows[sends ? 1 : 0];
  return begin(&t[0]) && begin(&t[1]);
}

/* Goes on with a message; whether it has ended. */
static bool step_message(at_comm_work *work)
{
  at_transfer *const t = work->transfers;
  if (at_comm.isBroken)
    return true;
  const int first = work->stage == 0 ? 0 : 2, count = work->stage == 0 ? 2 : 1;
  bool isDone = t[first].done && (count == 1 || t[1].done);
  if (!isDone)
    return !still_waits(work->began, count, t + first);
  if (work->stage == 1)
    return true;
  if (!at_comm_fits(&work->rows[0], &work->rows[1], work->message, sizeof work->message)) {
    work->code = AT_ERROR_ARGUMENT;
    return true;
  }
  work->stage = 1;
  return !begin_step(work);
}

void at_comm_stepMessages(void)
{
  for (at_comm_work **link = &at_comm.messages; *link;) {
    at_comm_work *const work = *link;
    if (step_message(work)) {
      *link = work->next;
      at_comm_finish(work);
    } else {
      link = &work->next;
    }
  }
}

void at_comm_beginMessage(at_comm_work *work)
{
  at_comm_work **last = &at_comm.messages;
  while (*last)
    last = &(*last)->next;
  work->next = NULL;
  work->stage = at_comm.checked ? 0 : 1;
  begin_step(work);
  *last = work;
  at_comm_stepMessages();
}

/* --- works -------------------------------------------------------------------------------------- */

/* Whether what the thread has queued on the tensor's device, if it has one, is done. */
static bool synchronize(const at_tensor *t)
{
  bool done = true;
  const int device = at_isOnHost(t->type) ? -1 : at_deviceOf(t);
  if (device >= 0)
    AT_ON_DEVICE(device) done = at_cuda_synchronize();
  return done;
}

/* Whether it went well. */
static bool copy(at_comm_work *work, at_tensor *to, at_tensor *from)
{
  AT_NO_GRAD AT_SCOPE
  {
    if (!at_defined((at_copy_)(to, from)) || !synchronize(to)) {
      work->code = at_error();
      snprintf(work->message, sizeof work->message, "%s", at_error_message());
      at_error_clear();
    }
  }
  return work->code == AT_OK;
}

/* Brings what was computed elsewhere to the caller's tensor. */
static void copy_result(at_comm_work *work)
{
  if (work->staged)
    copy(work, work->result, work->staged);
  else
    at_countChange(work->result);
}

void at_comm_finish(at_comm_work *work)
{
  if (at_comm.isBroken && work->code == AT_OK) {
    work->code = AT_ERROR_RUNTIME;
    snprintf(work->message, sizeof work->message, "%s", at_comm.fault.message);
  }
  if (work->code == AT_OK && work->result)
    copy_result(work);
  pthread_mutex_lock(&at_comm.lock);
  work->isDone = true;
  pthread_cond_broadcast(&at_comm.changed);
  pthread_mutex_unlock(&at_comm.lock);
}

/* Copies what is read from a device. */
static bool fetch(at_comm_work *work)
{
  return !work->given || copy(work, work->landing, work->given);
}

/* Runs the work by NCCL, if all ranks can; ranks that do not compare calls take it that they are alike. */
static void run_agreed(at_comm_work *work, bool compares)
{
  bool all = work->row.hasNccl;
  for (int i = 0; i < work->group->size && compares && all; i++)
    all = work->rows[i].hasNccl;
  if (all && at_comm_openNccl(work)) {
    at_comm_runNccl(work);
    return;
  }
  if (work->row.hasNccl)
    fetch(work);
  at_comm_runs[work->row.kind](work);
}

static void run(at_comm_work *work)
{
  const at_comm_kind kind = (at_comm_kind)work->row.kind;
  work->row.hasNccl = at_comm_couldUseNccl(work);
  if (!work->row.hasNccl && !fetch(work))
    work->row.isBad = true; /* the others learn it, instead of waiting */
  if (kind == AT_COMM_SEND || kind == AT_COMM_RECEIVE) {
    at_comm_beginMessage(work);
    return;
  }
  const bool compares = at_comm.checked || !at_comm_runs[kind];
  if (!at_comm.isBroken && (!compares || at_comm_agree(work)) && !work->row.isBad &&
      at_comm_runs[kind])
    run_agreed(work, compares);
  at_comm_finish(work);
}

/* The next work of the queue, or NULL if messages are on their way and there is none. */
static at_comm_work *take_work(void)
{
  pthread_mutex_lock(&at_comm.lock);
  while (!at_comm.first && !at_comm.messages)
    pthread_cond_wait(&at_comm.changed, &at_comm.lock);
  at_comm_work *const work = at_comm.first;
  if (work)
    at_comm.first = work->next;
  pthread_mutex_unlock(&at_comm.lock);
  return work;
}

typedef struct Start {
  at_fault *fault;
  bool isDone, succeeded; /* under the lock */
} Start;

static bool open_transport(at_fault *fault)
{
  at_comm.rank = 0;
  at_comm.count = 1;
  if (!at_comm.transport)
    return true;
  at_comm.carrier = at_comm.transport->open(&at_comm.rank, &at_comm.count, at_comm.timeout, fault);
  return at_comm.carrier;
}

/* Works until the last one, AT_COMM_STOP. */
static void *work_on(void *given)
{
  Start *const start = given;
  const bool succeeded = open_transport(start->fault);
  pthread_mutex_lock(&at_comm.lock);
  start->succeeded = succeeded;
  start->isDone = true;
  pthread_cond_broadcast(&at_comm.changed);
  pthread_mutex_unlock(&at_comm.lock);
  for (bool goesOn = succeeded; goesOn;) {
    at_comm_work *const work = take_work();
    const bool isLast = work && work->row.kind == AT_COMM_STOP;
    while (isLast && at_comm.messages && at_comm_advance(1))
      at_comm_stepMessages();
    if (work)
      run(work); /* then it belongs to whoever waits */
    else
      at_comm_advance(1);
    at_comm_stepMessages();
    goesOn = !isLast;
  }
  if (at_comm.carrier)
    at_comm.transport->close(at_comm.carrier, !at_comm.isBroken);
  at_comm.carrier = NULL;
  return NULL;
}

bool at_comm_runThread(at_fault *fault)
{
  Start start = {.fault = fault};
  const int problem = pthread_create(&at_comm.thread, NULL, work_on, &start);
  if (problem) {
    fault->rank = -1;
    snprintf(fault->message, sizeof fault->message, "a thread cannot be made: %s",
             strerror(problem));
    return false;
  }
  pthread_mutex_lock(&at_comm.lock);
  while (!start.isDone)
    pthread_cond_wait(&at_comm.changed, &at_comm.lock);
  pthread_mutex_unlock(&at_comm.lock);
  if (!start.succeeded)
    pthread_join(at_comm.thread, NULL);
  return start.succeeded;
}

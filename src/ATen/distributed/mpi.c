/* Messages by MPI: compiled once for each implementation, as a library that is loaded. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <mpi.h>

#include "Transport.h"

enum {
  TAG_ABANDON = AT_TRANSPORT_TAGS - 1,
  CHUNK_BYTES = 1 << 30,
  POLLS = 200,
  WAIT_NANOSECONDS = 50000
};

typedef struct State {
  MPI_Comm all;
  bool started;
  int rank, count, idle; /* idle: calls of advance since something has moved */
  at_transfer *active;
} State;

static void set_fault(at_fault *fault, int rank, const char *what, int code)
{
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  fault->rank = rank;
  snprintf(fault->message, sizeof fault->message, "%s: %.300s", what, text);
}

/* --- transfers ---------------------------------------------------------------------------------- */

_Static_assert(sizeof(MPI_Request) <= sizeof(((at_transfer *)0)->request), "a request fits");

static size_t chunk_of(const at_transfer *transfer)
{
  const size_t left = transfer->bytes - transfer->moved;
  return left < CHUNK_BYTES ? left : CHUNK_BYTES;
}

/* Begins the next chunk, the only one for all but huge messages. */
static bool begin_chunk(const State *s, at_transfer *transfer, at_fault *fault)
{
  MPI_Request request;
  char *const at = transfer->data + transfer->moved;
  const int bytes = (int)chunk_of(transfer), tag = (int)transfer->tag, peer = transfer->peer;
  const int code = transfer->sends ? MPI_Isend(at, bytes, MPI_BYTE, peer, tag, s->all, &request)
                                   : MPI_Irecv(at, bytes, MPI_BYTE, peer, tag, s->all, &request);
  if (code != MPI_SUCCESS) {
    set_fault(fault, peer, "a message cannot begin", code);
    return false;
  }
  memcpy(&transfer->request, &request, sizeof request);
  return true;
}

static bool begin_transfer(void *state, at_transfer *transfer, at_fault *fault)
{
  State *const s = state;
  transfer->moved = 0;
  transfer->done = false;
  if (!begin_chunk(s, transfer, fault))
    return false;
  at_transfer **last = &s->active;
  while (*last)
    last = &(*last)->next;
  transfer->next = NULL;
  *last = transfer;
  return true;
}

/* Looks whether a transfer is done, and goes on with it. */
static bool test_transfer(const State *s, at_transfer *transfer, bool *moved, at_fault *fault)
{
  MPI_Request request;
  MPI_Status status;
  int isDone = 0, bytes = 0;
  memcpy(&request, &transfer->request, sizeof request);
  const int code = MPI_Test(&request, &isDone, &status);
  memcpy(&transfer->request, &request, sizeof request);
  if (code != MPI_SUCCESS) {
    set_fault(fault, transfer->peer,
              transfer->sends ? "a message is lost" : "a message of another size", code);
    return false;
  }
  if (!isDone)
    return true;
  *moved = true;
  const size_t chunk = chunk_of(transfer);
  if (!transfer->sends)
    MPI_Get_count(&status, MPI_BYTE, &bytes);
  if (!transfer->sends && (size_t)bytes != chunk) {
    fault->rank = transfer->peer;
    snprintf(fault->message, sizeof fault->message,
             "rank %d has sent %d bytes where %zu are expected", transfer->peer, bytes, chunk);
    return false;
  }
  transfer->moved += chunk;
  transfer->done = transfer->moved == transfer->bytes;
  return transfer->done || begin_chunk(s, transfer, fault);
}

/* Whether a rank has told that one is at fault. */
static bool is_abandoned(const State *s, at_fault *fault)
{
  int isThere = 0, rank = -1;
  MPI_Status status;
  if (MPI_Iprobe(MPI_ANY_SOURCE, TAG_ABANDON, s->all, &isThere, &status) != MPI_SUCCESS || !isThere)
    return false;
  MPI_Recv(&rank, 1, MPI_INT, status.MPI_SOURCE, TAG_ABANDON, s->all, MPI_STATUS_IGNORE);
  fault->rank = rank;
  snprintf(fault->message, sizeof fault->message, "rank %d has failed or ended", rank);
  return true;
}

static bool advance(void *state, int milliseconds, bool *moved, at_fault *fault)
{
  State *const s = state;
  *moved = false;
  for (at_transfer **link = &s->active; *link;) {
    at_transfer *const transfer = *link;
    if (!test_transfer(s, transfer, moved, fault))
      return false;
    if (transfer->done)
      *link = transfer->next;
    else
      link = &transfer->next;
  }
  s->idle = *moved ? 0 : s->idle + 1;
  if (s->idle > POLLS && milliseconds > 0) { /* polls often at first, then sleeps in between */
    nanosleep(&(struct timespec){0, WAIT_NANOSECONDS}, NULL);
    return !is_abandoned(s, fault);
  }
  return true;
}

static void abandon(void *state, int rank)
{
  const State *const s = state;
  int *const told = malloc(sizeof *told); /* MPI may read the message until the process ends */
  if (!told)
    return;
  *told = rank;
  for (int i = 0; i < s->count; i++) {
    MPI_Request request;
    int isDone;
    if (i != s->rank && i != rank &&
        MPI_Isend(told, 1, MPI_INT, i, TAG_ABANDON, s->all, &request) == MPI_SUCCESS &&
        MPI_Test(&request, &isDone, MPI_STATUS_IGNORE) == MPI_SUCCESS && !isDone)
      MPI_Request_free(&request);
  }
}

/* --- start and end ------------------------------------------------------------------------------ */

/* An end that is not orderly leaves MPI as it is, because to end MPI may wait for a rank that has
 * gone. */
static void close_state(void *state, bool orderly)
{
  State *const s = state;
  if (orderly && s->all != MPI_COMM_NULL)
    MPI_Comm_free(&s->all);
  if (orderly && s->started)
    MPI_Finalize();
  free(s);
}

static bool start_mpi(State *s, at_fault *fault)
{
  int isThere = 0, has = 0, level = MPI_THREAD_SINGLE, code = MPI_SUCCESS;
  MPI_Finalized(&isThere);
  if (isThere) {
    snprintf(fault->message, sizeof fault->message,
             "MPI has been finalized, and cannot start again");
    return false;
  }
  MPI_Initialized(&has);
  if (!has)
    code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
  else
    code = MPI_Query_thread(&level);
  if (code != MPI_SUCCESS || level < MPI_THREAD_SERIALIZED) {
    snprintf(fault->message, sizeof fault->message,
             "MPI does not allow calls from another thread: MPI_Init_thread has to ask for "
             "MPI_THREAD_SERIALIZED");
    return false;
  }
  s->started = !has;
  return true;
}

static void *open_state(int *rank, int *count, double timeout, at_fault *fault)
{
  fault->rank = -1;
  State *const s = calloc(1, sizeof *s);
  if (!s) {
    snprintf(fault->message, sizeof fault->message, "there is no memory");
    return NULL;
  }
  s->all = MPI_COMM_NULL;
  if (!start_mpi(s, fault)) {
    free(s);
    return NULL;
  }
  const int code = MPI_Comm_dup(MPI_COMM_WORLD, &s->all);
  if (code != MPI_SUCCESS) {
    set_fault(fault, -1, "a communicator cannot be made", code);
    free(s);
    return NULL;
  }
  MPI_Comm_set_errhandler(s->all, MPI_ERRORS_RETURN);
  MPI_Comm_rank(s->all, &s->rank);
  MPI_Comm_size(s->all, &s->count);
  *rank = s->rank;
  *count = s->count;
  return s;
}

__attribute__((visibility("default")))
const at_transport at_transport_mpi = {.size = sizeof(at_transport),
                                       .name = AT_MPI_NAME,
                                       .open = open_state,
                                       .begin = begin_transfer,
                                       .advance = advance,
                                       .abandon = abandon,
                                       .close = close_state};

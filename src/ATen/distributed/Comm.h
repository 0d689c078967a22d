/* The parts of libATenDistributed: calls are works in a queue (calls.c), which a thread runs one after the
 * other (worker.c), each by moving bytes (collectives.c, messages.c) after the ranks have agreed on it
 * (agree.c). */
#ifndef AT_COMM_H
#define AT_COMM_H

#include <pthread.h>

#include "ATen/core/ATenCore.h"
#include "ATenDistributed.h"
#include "Transport.h"

typedef enum at_comm_kind {
  AT_COMM_BROADCAST,
  AT_COMM_ALL_REDUCE,
  AT_COMM_REDUCE,
  AT_COMM_ALL_GATHER,
  AT_COMM_GATHER,
  AT_COMM_REDUCE_SCATTER,
  AT_COMM_SCATTER,
  AT_COMM_ALL_TO_ALL,
  AT_COMM_BARRIER,
  AT_COMM_SPLIT,
  AT_COMM_SEND,
  AT_COMM_RECEIVE,
  AT_COMM_STOP
} at_comm_kind;

struct at_comm_group {
  int refs; /* the program's, and one of each work */
  int id;   /* for tags: no two groups of the same two ranks have the same */
  int rank, size;
  int *ranks;          /* of all */
  at_comm_group *next; /* in the list of groups */
  struct {             /* the thread's */
    void *comm;        /* NCCL's communicator, or NULL */
    int device;        /* the communicator's device */
    bool isUseless;    /* a rank has no NCCL, or it failed to join */
  } nccl;
};

/* What ranks compare before they run a call. */
typedef struct at_comm_row {
  int32_t kind, type, op, root;
  int64_t count;
  int32_t isBad;   /* the rank's arguments are an error already */
  int32_t rank;    /* of all */
  int64_t hasNccl; /* NCCL could run the rank's part */
} at_comm_row;

struct at_comm_work {
  at_comm_work *next;
  at_comm_group *group;
  at_comm_row row; /* count: elements of t, or of a rank's part */
  const char *name;
  size_t element;           /* bytes of one */
  char *in, *out, *scratch; /* contiguous; in and out may be the same */
  at_tensor *result;        /* the tensor that the call changes, or NULL */
  at_tensor *staged;        /* what is copied to result at the end, or NULL */
  at_tensor *held;          /* what in is in */
  at_tensor *given;     /* of a device, to be copied to landing, or NULL; all four are references */
  at_tensor *landing;   /* held or staged */
  at_tensor *from, *to; /* of a device: the call's tensors, or NULL; references */
  at_transfer *transfers; /* for two of each rank, and four at least */
  at_comm_row *rows;      /* of all ranks */
  int stage;
  double began;
  bool isDone; /* under the lock */
  at_error_code code;
  char message[AT_COMM_MESSAGE];
};

/* The state of the process. */
typedef struct at_comm_state {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  bool isStarted;        /* the others are valid */
  at_comm_group *all;    /* of all ranks */
  at_comm_group *groups; /* the list of all other groups */
  at_comm_work *first;   /* the queue */
  pthread_t thread;
  /* the thread's */
  const at_transport *transport; /* NULL: one rank */
  void *carrier;
  int rank, count, nextId;
  double timeout, lastMoved;
  bool checked, isBroken;
  at_fault fault;
  at_comm_work *messages; /* the messages that are on their way */
} at_comm_state;

extern at_comm_state at_comm;

/* --- moving bytes: in the thread; false after a fault, of which every later call fails ------------- */

/* Runs transfers, which have peers of the group, to their end. */
bool at_comm_exchange(at_comm_work *work, int count, at_transfer *transfers);

at_transfer at_comm_to(const at_comm_work *work, int peer, const void *data, size_t bytes);
at_transfer at_comm_from(const at_comm_work *work, int peer, void *data, size_t bytes);

/* Collects bytes of each rank, whose own are at data + rank * bytes already. */
bool at_comm_collect(at_comm_work *work, char *data, size_t bytes);

/* Whether all ranks have made the same call, the error of the work if not. */
bool at_comm_agree(at_comm_work *work);

/* Whether two rows fit together, else a message. */
bool at_comm_fits(const at_comm_row *a, const at_comm_row *b, char *message, size_t size);

extern bool (*const at_comm_runs[])(at_comm_work *work); /* of each kind, or NULL */

/* Elements that scratch needs for a kind. */
int64_t at_comm_scratchOf(at_comm_kind kind, int64_t count, size_t element, int ranks);

/* --- NCCL (onDevice.c) ------------------------------------------------------------------------------ */

/* Whether NCCL could run this rank's part of the work. */
bool at_comm_couldUseNccl(const at_comm_work *work);

/* Whether all ranks, who could use it, have a communicator now; false after a fault too. */
bool at_comm_openNccl(at_comm_work *work);
void at_comm_closeNccl(at_comm_group *group, bool orderly);

/* Runs the work; an error is the work's. */
void at_comm_runNccl(at_comm_work *work);

/* Seconds of a clock that only goes forward. */
double at_comm_now(void);

/* Begins a message, and goes on with all that are on their way. */
void at_comm_beginMessage(at_comm_work *work);
void at_comm_stepMessages(void);

/* Moves what can be moved, within so many milliseconds. */
bool at_comm_advance(int milliseconds);

/* Nothing can be moved any more: every call is an error from now on. */
void at_comm_break(void);

/* Ends a work, with the fault if there is one. */
void at_comm_finish(at_comm_work *work);

/* a[i] = a[i] op b[i]; then the division that belongs to AT_COMM_AVG. */
void at_comm_combine(at_scalar_type type, at_comm_op op, int64_t count, char *a, const char *b);
void at_comm_divide(at_scalar_type type, at_comm_op op, int64_t count, char *a, int ranks);
bool at_comm_canCombine(at_scalar_type type, at_comm_op op);

/* --- works: in the program's threads --------------------------------------------------------------- */

/* The group, NULL that of all, with another reference; NULL if there is none. */
at_comm_group *at_comm_enter(const at_comm_group *group);
void at_comm_leave(at_comm_group *group);

/* A work of the group (NULL: all), with room for transfers; NULL and an error if that fails. */
at_comm_work *at_comm_newWork(const char *name, at_comm_kind kind, at_comm_group *group);

/* Hands the work to the thread, and waits until it has ended. */
void at_comm_runWork(at_comm_work *work);
void at_comm_queue(at_comm_work *work);

void at_comm_freeWork(at_comm_work *work);

/* Starts the thread, which joins the ranks; false and a fault if that fails. */
bool at_comm_runThread(at_fault *fault);

/* The transport that is wanted, NULL for one rank; false and a fault if there is none. */
bool at_comm_find(at_comm_backend backend, const at_transport **transport, at_fault *fault);

#endif

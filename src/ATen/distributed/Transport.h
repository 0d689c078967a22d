/* What carries messages between ranks: sockets (tcp.c), or a library that is loaded (mpi.c).
 *
 * A transport moves bytes from a rank to another, any number of transfers at a time; all functions on
 * tensors are made of that, so they are the same on every transport.  The thread that opens a transport
 * makes all calls of it.  This file and mpi.c know nothing of ATen. */
#ifndef AT_TRANSPORT_H
#define AT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { AT_COMM_MESSAGE = 400 };

/* Bytes that go to a rank or come from it.  Those of the same two ranks, direction and tag arrive in the
 * order in which they began, and are of equal sizes at both ends. */
typedef struct at_transfer {
  int peer; /* a rank of all */
  bool sends, done;
  uint64_t tag; /* below AT_TRANSPORT_TAGS */
  char *data;
  size_t bytes;
  /* the transport's */
  size_t moved;
  union {
    void *pointer;
    intptr_t number;
  } request;
  bool isActive;
  struct at_transfer *next;
} at_transfer;

enum { AT_TRANSPORT_TAGS = 1 << 15 }; /* what every MPI has */

/* Why nothing can be moved any more; rank is the one at fault, or -1. */
typedef struct at_fault {
  int rank;
  char message[AT_COMM_MESSAGE];
} at_fault;

typedef struct at_transport {
  size_t size; /* of this struct: that of the same build */
  const char *name;
  /* Joins the others, within so many seconds. NULL and a fault if that fails. */
  void *(*open)(int *rank, int *count, double timeout, at_fault *fault);
  /* Begins a transfer, which stays where it is until it is done.  False and a fault if it cannot. */
  bool (*begin)(void *state, at_transfer *transfer, at_fault *fault);
  /* Moves what can be moved, and waits up to so many milliseconds if nothing can.  *moved becomes whether
   * anything did.  False and a fault if a transfer can never be done. */
  bool (*advance)(void *state, int milliseconds, bool *moved, at_fault *fault);
  /* Tells all others, as well as it can, which rank is at fault; nothing is moved afterwards. */
  void (*abandon)(void *state, int rank);
  /* Leaves; after an orderly end all transfers are done, on every rank. */
  void (*close)(void *state, bool orderly);
} at_transport;

extern const at_transport at_tcp;

#endif

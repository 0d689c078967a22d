/* The block of threads that runs: one at a time, in one host thread. */
#ifndef CUSIM_BLOCK_H
#define CUSIM_BLOCK_H

#include "fiber.h"
#include "internal.h"

enum { CUSIM_MOST_THREADS = 1024, CUSIM_LANES = 32 };

typedef enum CusimState {
  CUSIM_NEW,
  CUSIM_READY, /* can run */
  CUSIM_AT_BARRIER,
  CUSIM_AT_WARP,
  CUSIM_LEFT /* has returned from the kernel */
} CusimState;

typedef struct CusimThread {
  CusimState state;
  unsigned index;           /* x first, then y, then z */
  uint3 position;           /* the thread's threadIdx */
  CusimFiber *fiber;        /* the fiber that the thread waits on */
  CusimLocation location;   /* where the thread waits */
  struct CusimThread *next; /* in the list of ready threads */

  /* The operation of the warp that it waits in. */
  CusimWarpOp op;
  unsigned mask;
  int source;
  uint64_t value, result;
  unsigned warp_barriers; /* how many operations of its warp it has met */
} CusimThread;

typedef struct CusimThreads {
  CusimThread thread[CUSIM_MOST_THREADS];
  unsigned count;
  unsigned begun, left; /* of count */
  unsigned parked;      /* threads that wait for other threads */
  CusimThread *current;
  CusimThread *ready, **last_ready;

  /* The barrier: how many wait there, what they bring, and what the last one found. */
  unsigned waiting;
  int sum;
  int barrier_result;
  unsigned barriers; /* how many were met */
} CusimThreads;

extern CusimThreads cusim_threads;

/* --- launch.c ----------------------------------------------------------------------------- */

/* Runs other threads until the current thread is ready again. */
void cusim_park(CusimState state, const CusimLocation *location);
void cusim_make_ready(CusimThread *thread);

/* Sets threadIdx and the rest; also for complaints about a thread. */
void cusim_become(CusimThread *thread);

/* --- wait.c ------------------------------------------------------------------------------- */

/* The current thread has left: nobody may wait for it. */
void cusim_thread_left(CusimThread *thread);

/* No thread can run, and some threads have not left. */
void cusim_complain_of_deadlock(void) __attribute__((noreturn));

#endif

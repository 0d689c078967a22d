/* Makes every allocation of a piece of code fail, one after the other, and checks that nothing is
 * left.
 *
 *     static void body(void *context)
 *     {
 *       THFloatTensor *t = THFloatTensor_newWithSize1d(1000);
 *       THFloatTensor_free(t);
 *     }
 *     ...
 *     th_fail_each(body, NULL);
 *
 * runs body with the first acquisition failing, then with the second, and so on until body needs no
 * more of them.  An acquisition is a block, a mapping, a descriptor or a stream that the program or
 * libTH asks the system for, or room in a file.  For each k, body runs twice: once with only the
 * k-th failing, and once with all from the k-th on, so that a second attempt fails too.  It may
 * then succeed or raise an error, but what was acquired since must be gone; if it is not, the test
 * fails and says where it came from.
 *
 * The test program must be linked with th_fail (th_plain_test(... LINK th_fail)), which lets the
 * linker replace malloc and the others; with th_fail_cuda (thc_test(... LINK th_fail_cuda)), what
 * CUDA's runtime gives is an acquisition too: memory, streams, events, handles.  It works under the
 * sanitizers too.  What other libraries acquire is neither failed nor counted. */
#ifndef TH_FAIL_H
#define TH_FAIL_H

#include <stddef.h>

/* Returns how many acquisitions body makes.  body frees what it makes when it succeeds; what it
 * holds over calls that may raise, it registers with a THGuard, or it is made in setup of th_fail.
 * body also runs twice without failures, first of all to let things that are made once be made. */
int th_fail_each(void (*body)(void *context), void *context);

/* th_fail_each with more around body: for each run, setup makes operands, body is the call under test,
 * check (raised tells how body ended) looks at whether the operands are as they should be, and
 * teardown frees them.  Only in body does anything fail.  Each but body may be NULL. */
typedef struct THFailCase {
  void (*setup)(void *context);
  void (*body)(void *context);
  void (*check)(void *context, int raised);
  void (*teardown)(void *context);
} THFailCase;

int th_fail(const THFailCase *stages, void *context);

/* Registers a function that empties the program's own caches; it is called before acquisitions are
 * counted, as THMemory_emptyCache is. */
void th_fail_caches(void (*function)(void));

/* How many acquisitions have not been released.  The cache of THFree is emptied first. */
int th_fail_live(void);

/* From now on a single request for more memory than that fails, in all threads. */
void th_fail_above(size_t bytes);

/* While that is so, nothing fails or counts in this thread: for what a body does besides the call
 * under test. */
void th_fail_pause(int paused);

/* For other wrappers, such as th_fail_cuda.c: whether this acquisition has to fail; what was
 * acquired, and that it was given back. */
int th_fail_asked(void);
void th_fail_add(const void *thing, size_t size, const void *caller);
void th_fail_drop(const void *thing);

#endif

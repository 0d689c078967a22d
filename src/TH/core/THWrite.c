/* Writing to descriptors. */
#include "THWrite.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

/* write, with those signals held back that it may cause and taken away where it did: one that
 * waited before is none of this write's. */
static ssize_t write_without_signals(int descriptor, const void *from, size_t n)
{
  static const int causes[] = {SIGPIPE, SIGXFSZ};
  sigset_t caused, pending, before;
  sigemptyset(&caused);
  sigpending(&pending);
  for (int i = 0; i < 2; i++)
    if (!sigismember(&pending, causes[i]))
      sigaddset(&caused, causes[i]);
  pthread_sigmask(SIG_BLOCK, &caused, &before);
  const ssize_t written = write(descriptor, from, n);
  const int error = errno;
  if (written < (ssize_t)n) { /* also with a part written */
    const struct timespec now = {0, 0};
    while (sigtimedwait(&caused, NULL, &now) >= 0 || errno == EINTR)
      ;
  }
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  errno = error;
  return written;
}

size_t THWrite_all(int descriptor, const void *from, size_t n)
{
  size_t done = 0;
  while (done < n) {
    const ssize_t written = write_without_signals(descriptor, (const char *)from + done, n - done);
    if (written == 0) { /* of a device that takes nothing: asking on would never end */
      errno = EIO;
      break;
    }
    if (written < 0 && errno != EINTR)
      break;
    if (written > 0)
      done += (size_t)written;
  }
  return done;
}

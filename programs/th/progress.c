/* The progress line. */
#include "progress.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "text.h"

static const double REDRAW = 0.05; /* seconds between two pictures of the bar */
enum { NAME_LENGTH = 40, BAR_LENGTH = 30 };

static bool isShown;

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_show(const char *what, double part)
{
  static double drawn; /* when */
  if (!isatty(STDERR_FILENO) || (isShown && part < 1 && seconds() - drawn < REDRAW))
    return;
  drawn = seconds();
  isShown = true;
  /* Of a long name the end tells more. */
  const size_t length = strlen(what);
  fputs("\r\033[K", stderr);
  text_write(stderr, length > NAME_LENGTH ? what + length - NAME_LENGTH : what);
  if (part >= 0) {
    char bar[BAR_LENGTH + 1];
    const int full = part < 1 ? (int)(part * BAR_LENGTH) : BAR_LENGTH;
    memset(bar, '#', (size_t)full);
    memset(bar + full, '.', (size_t)(BAR_LENGTH - full));
    bar[BAR_LENGTH] = '\0';
    fprintf(stderr, " [%s]", bar);
  }
  fflush(stderr);
}

void progress_end(void)
{
  if (isShown)
    fputs("\r\033[K", stderr);
  isShown = false;
}

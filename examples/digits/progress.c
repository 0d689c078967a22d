/* The progress bar. */
#include "progress.h"

#include <stdio.h>
#include <time.h>
#include <unistd.h>

static const double REDRAW = 0.05; /* seconds between two pictures of the bar */

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* One line of at most 79 columns over the last one. */
static void draw(int64_t epoch, int64_t epochs, double part, double loss, double right)
{
  char bar[] = "..............................";
  const int length = sizeof bar - 1;
  const int full = (int)(length * ((double)epoch + part) / (double)epochs);
  for (int i = 0; i < full && i < length; i++)
    bar[i] = '#';
  printf("\r[%s] epoch %lld/%lld  loss %.4f  %5.1f %% right ", bar, (long long)epoch + 1,
         (long long)epochs, loss, 100 * right);
  fflush(stdout);
}

void progress_batch(int64_t epoch, int64_t epochs, double part, double loss, double right)
{
  static double drawn; /* when */
  if (!isatty(STDOUT_FILENO) || seconds() - drawn < REDRAW)
    return;
  drawn = seconds();
  draw(epoch, epochs, part, loss, right);
}

void progress_epoch(int64_t epoch, int64_t epochs, double loss, double right)
{
  if (isatty(STDOUT_FILENO)) {
    draw(epoch, epochs, 1, loss, right);
    if (epoch + 1 == epochs)
      putchar('\n');
  } else {
    printf("epoch %lld/%lld: loss %.4f, %.1f %% right\n", (long long)epoch + 1, (long long)epochs,
           loss, 100 * right);
    fflush(stdout); /* who reads this may want to see it now */
  }
}

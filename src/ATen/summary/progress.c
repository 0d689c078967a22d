/* A training's progress: the bar, and the curve as text. */
#include <math.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "ATen/core/ATenOperations.h"
#include "Progress.h"
#include "TH/core/THFormat.h"

static const double REDRAW = 0.05; /* seconds between two pictures of the bar */

static double seconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

const at_progress_new_options at_progress_new_defaults = {.out = 0};

at_progress *(at_progress_new)(int64_t steps, const at_progress_new_options *options)
{
  const at_progress_new_options *const o = options ? options : &at_progress_new_defaults;
  at_call call;
  at_begin(&call, "progress_new");
  at_progress *volatile made = NULL;
  TH_TRY(call.attempt)
  {
    if (steps < 1)
      at_raise(AT_ERROR_ARGUMENT, "steps is %lld, and has to be positive", (long long)steps);
    if (o->out < 0 || o->every < 0)
      at_raise(AT_ERROR_ARGUMENT, "out is %d and every %lld, and they may not be negative", o->out,
               (long long)o->every);
    at_progress *const p = THAlloc(sizeof *p);
    *p = (at_progress){.steps = steps,
                       .every = o->every > 0 ? o->every : (steps - 1) / 10 + 1,
                       .out = o->out,
                       .isTerminal = o->out > 0 && isatty(o->out),
                       .begun = seconds()};
    made = p;
  }
  at_failed(&call);
  return made;
}

void at_progress_free(at_progress *p)
{
  if (!p)
    return;
  THFree(p->losses);
  THFree(p);
}

/* --- the bar ---------------------------------------------------------------------------------- */

/* Whether everything is written is nobody's concern: training goes on. */
static void put(const at_progress *p, const char *text, size_t length)
{
  while (length > 0) {
    const ssize_t written = write(p->out, text, length);
    if (written <= 0)
      return;
    text += written;
    length -= (size_t)written;
  }
}

/* One line of at most 79 columns over the last one. */
static void draw_bar(at_progress *p, double loss)
{
  enum { LENGTH = 30 };
  char bar[LENGTH + 1], line[160];
  const double now = seconds(), part = (double)p->count / (double)p->steps;
  const bool isLast = p->count == p->steps;
  if (!isLast && p->count > 1 && now - p->drawn < REDRAW)
    return;
  p->drawn = now;
  for (int i = 0; i < LENGTH; i++)
    bar[i] = i < (int)(LENGTH * part) ? '#' : '.';
  bar[LENGTH] = '\0';
  const double spent = now - p->begun, left = spent / part - spent;
  const int length = THFormat(line, sizeof line, "\r[%s] %lld/%lld  loss %-9.4g %6.0f s %s%s", bar,
                              (long long)p->count, (long long)p->steps, loss, isLast ? spent : left,
                              isLast ? "     " : "left ", isLast ? "\n" : "");
  put(p, line, (size_t)THMin(length, (int)sizeof line - 1));
}

static void write_line(const at_progress *p, double loss)
{
  char line[100];
  if (p->count % p->every != 0 && p->count != p->steps)
    return;
  const int length = THFormat(line, sizeof line, "step %lld/%lld: loss %.4g\n", (long long)p->count,
                              (long long)p->steps, loss);
  put(p, line, (size_t)THMin(length, (int)sizeof line - 1));
}

bool(at_progress_step)(at_progress *p, double loss)
{
  const char *const name = "progress_step";
  if (!at_acceptPointer(name, "progress", p))
    return false;
  at_call call;
  at_begin(&call, name);
  TH_TRY(call.attempt)
  {
    if (p->count == p->steps)
      at_raise(AT_ERROR_ARGUMENT, "all %lld steps were made", (long long)p->steps);
    p->losses = at_grown(NULL, p->losses, p->count, &p->capacity, sizeof *p->losses);
    p->losses[p->count++] = loss;
    if (p->isTerminal)
      draw_bar(p, loss);
    else if (p->out > 0)
      write_line(p, loss);
  }
  return !at_failed(&call);
}

/* --- the curve -------------------------------------------------------------------------------- */

at_curve at_curve_of(const at_progress *p, int columns, THGuard *guard)
{
  at_curve c = {.columns = columns, .low = (double)INFINITY, .high = -(double)INFINITY};
  if (p->count == 0)
    at_raise(AT_ERROR_ARGUMENT, "no step was made");
  THGuard_enter(guard, THFree);
  c.means = guard->what = THAlloc(columns * (ptrdiff_t)sizeof *c.means);
  for (int k = 0; k < columns; k++) {
    /* Fewer steps than columns: each is repeated. */
    const double perColumn = (double)p->count / columns;
    const int64_t first = (int64_t)(k * perColumn), end = (int64_t)((k + 1) * perColumn);
    double sum = 0, found = 0;
    for (int64_t i = first; i < THMax(end, first + 1) && i < p->count; i++)
      if (isfinite(p->losses[i])) {
        found++;
        sum += (p->losses[i] - sum) / found; /* which cannot overflow for numbers of one sign */
      }
    c.means[k] = found > 0 && isfinite(sum) ? sum : (double)NAN;
    if (found > 0 && isfinite(sum)) {
      c.low = THMin(c.low, sum);
      c.high = THMax(c.high, sum);
    }
  }
  if (!(c.low <= c.high))
    c.low = 0, c.high = 1;
  else if (c.low == c.high)
    c.high = c.low + THMax(fabs(c.low), 1e-300);
  if (!isfinite(c.high - c.low))
    c.low = THMax(c.low, -1e300), c.high = THMin(c.high, 1e300);
  return c;
}

static char *curve_text(const at_progress *p, int rows, int columns)
{
  THGuard guards[2];
  at_bytes text = {NULL};
  THGuard_enter(&guards[0], at_bytes_free);
  guards[0].what = &text;
  const at_curve c = at_curve_of(p, columns, &guards[1]);
  for (int r = 0; r < rows; r++) {
    if (r == 0 || r == rows - 1)
      at_bytes_print(&text, "%10.4g |", r == 0 ? c.high : c.low);
    else
      at_bytes_addText(&text, "           |");
    for (int k = 0; k < columns; k++) {
      const double height = (c.means[k] - c.low) / (c.high - c.low);
      const bool isHere = !isnan(height) && rows - 1 - (int)(height * (rows - 1) + 0.5) == r;
      at_bytes_add(&text, isHere ? "*" : " ", 1);
    }
    at_bytes_add(&text, "\n", 1);
  }
  at_bytes_add(&text, "", 1);
  THGuard_leave(&guards[1]);
  char *const start = (char *)text.start;
  THGuard_keep(&guards[0]);
  return start;
}

char *(at_progress_curve)(const at_progress *p, int rows, int columns)
{
  enum { LEAST_ROWS = 2, MOST_ROWS = 200, LEAST_COLUMNS = 20, MOST_COLUMNS = 1000 };
  const char *const name = "progress_curve";
  if (!at_acceptPointer(name, "progress", p))
    return NULL;
  at_call call;
  at_begin(&call, name);
  char *volatile made = NULL;
  TH_TRY(call.attempt)
  {
    if (rows < LEAST_ROWS || rows > MOST_ROWS || columns < LEAST_COLUMNS || columns > MOST_COLUMNS)
      at_raise(AT_ERROR_ARGUMENT, "rows is %d and columns %d: %d to %d and %d to %d are possible",
               rows, columns, LEAST_ROWS, MOST_ROWS, LEAST_COLUMNS, MOST_COLUMNS);
    made = curve_text(p, rows, columns);
  }
  return at_failed(&call) ? NULL : made;
}

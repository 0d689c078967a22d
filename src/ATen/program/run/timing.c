/* How long nodes take: sums for each target, and the events of the last run. */
#include "ATen/program/Program.h"

#include <time.h>

#include "ATen/program/passes/slices.h"

int64_t at_nanoseconds(void)
{
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void at_timing_add(at_timing *timing, at_graphNode *node, int64_t start)
{
  const int64_t duration = at_nanoseconds() - start;
  node->runs++;
  node->nanoseconds += duration;
  if (timing->count == AT_MOST_EVENTS)
    return;
  timing->events =
      at_grown(NULL, timing->events, timing->count, &timing->capacity, sizeof *timing->events);
  timing->events[timing->count++] = (at_event){node, start, duration};
}

bool at_program_setTiming(at_program *program, bool on)
{
  if (!program) {
    at_fail(AT_ERROR_NULL, "program_setTiming", "program_setTiming: program is NULL");
    return false;
  }
  program->timing.isOn = on;
  return true;
}

/* --- the table -------------------------------------------------------------------------------- */

/* The time of all nodes with one target. */
typedef struct Row {
  const char *target;
  int64_t nodes, runs, nanoseconds;
} Row;

static void list_nodes(const at_graph *graph, bool isNested, Row *rows, int64_t *count)
{
  for (int32_t n = 0; n < graph->nodeCount; n++) {
    const at_graphNode *const node = &graph->nodes[n];
    if (node->runs > 0)
      rows[(*count)++] = (Row){node->target, 1, node->runs, node->nanoseconds};
    if (node->compute == at_computeSlices)
      list_nodes(&((const at_batchSlices *)node->how)->graph, false, rows, count);
    for (int32_t i = 0; i < node->inputCount; i++)
      if (isNested && node->inputs[i].graph)
        list_nodes(node->inputs[i].graph, true, rows, count);
  }
}

/* The nodes that ran: of the file, or of the plan, which has the same nested graphs. */
static void list_all(const at_program *program, Row *rows, int64_t *count)
{
  const at_plan *const plan = program->plan;
  list_nodes(program->graph, !plan, rows, count);
  if (plan)
    list_nodes(plan->graph, true, rows, count);
  if (plan && plan->prepared)
    list_nodes(plan->prepared, true, rows, count);
}

static int by_target(const void *a, const void *b)
{
  return strcmp(((const Row *)a)->target, ((const Row *)b)->target);
}

static int by_time(const void *a, const void *b)
{
  const int64_t x = ((const Row *)a)->nanoseconds, y = ((const Row *)b)->nanoseconds;
  return (x < y) - (x > y);
}

/* Adds up the rows of equal targets, which are sorted; returns how many are left. */
static int64_t join_rows(Row *rows, int64_t count)
{
  int64_t kept = 0;
  for (int64_t i = 0; i < count; i++)
    if (kept > 0 && !strcmp(rows[kept - 1].target, rows[i].target)) {
      rows[kept - 1].nodes += rows[i].nodes;
      rows[kept - 1].runs += rows[i].runs;
      rows[kept - 1].nanoseconds += rows[i].nanoseconds;
    } else {
      rows[kept++] = rows[i];
    }
  return kept;
}

static void add_rows(at_bytes *text, const at_program *program)
{
  THGuard guard;
  THGuard_enter(&guard, THFree);
  Row *const rows = guard.what =
      THAlloc((ptrdiff_t)(2 * (int64_t)program->nodeCount + 1) * (ptrdiff_t)sizeof *rows);
  int64_t count = 0, all = 0;
  list_all(program, rows, &count);
  qsort(rows, (size_t)count, sizeof *rows, by_target);
  count = join_rows(rows, count);
  qsort(rows, (size_t)count, sizeof *rows, by_time);
  for (int64_t i = 0; i < count; i++)
    all += rows[i].nanoseconds;
  at_bytes_print(text, "%10s %6s %8s %8s  target\n", "ms", "%", "nodes", "runs");
  for (int64_t i = 0; i < count; i++)
    at_bytes_print(text, "%10.3f %6.1f %8lld %8lld  %.100s\n", (double)rows[i].nanoseconds * 1e-6,
                   100 * (double)rows[i].nanoseconds / (double)THMax(all, 1),
                   (long long)rows[i].nodes, (long long)rows[i].runs, rows[i].target);
  THGuard_leave(&guard);
}

char *at_program_timings(const at_program *program)
{
  return at_program_write("program_timings", program, add_rows);
}

/* --- the trace -------------------------------------------------------------------------------- */

/* Appends the events in the format that chrome://tracing and ui.perfetto.dev read. */
static void add_events(at_bytes *text, const at_program *program)
{
  const at_timing *const timing = &program->timing;
  const int64_t start = timing->count > 0 ? timing->events[0].start : 0;
  at_bytes_addText(text, "{\"traceEvents\":[");
  for (int64_t i = 0; i < timing->count; i++) {
    const at_event *const event = &timing->events[i];
    at_bytes_addText(text, i > 0 ? ",\n{\"name\":" : "\n{\"name\":");
    at_json_quote(text, event->node->target);
    at_bytes_addText(text, ",\"args\":{\"node\":");
    at_json_quote(text, event->node->name);
    at_bytes_print(text, "},\"ph\":\"X\",\"pid\":1,\"tid\":1,\"ts\":%.3f,\"dur\":%.3f}",
                   (double)(event->start - start) * 1e-3, (double)event->duration * 1e-3);
  }
  at_bytes_addText(text, "\n]}\n");
}

bool at_program_saveTrace(const at_program *program, const char *path)
{
  if (!program || !path) {
    at_fail(AT_ERROR_NULL, "program_saveTrace", "program_saveTrace: %s is NULL",
            program ? "path" : "program");
    return false;
  }
  at_call call;
  at_begin(&call, "program_saveTrace");
  TH_TRY(call.attempt)
  {
    THGuard memory, open, text;
    at_bytes trace = {0};
    THGuard_enter(&memory, THFree);
    at_out *const out = memory.what = THAlloc(sizeof *out);
    THGuard_enter(&text, at_bytes_free);
    text.what = &trace;
    add_events(&trace, program);
    at_out_begin(out, path, &open);
    at_out_writeBytes(out, &trace);
    at_out_commit(out, &open);
    THGuard_leave(&text);
    THGuard_leave(&memory);
  }
  return !at_failed(&call);
}

/* What the nodes of a program call, counted. */
#include "Program.h"

/* Appends what the nodes of a graph call, and of those nested in it. */
static void add_nodes(const at_graph *graph, at_program_target *targets, int64_t *count)
{
  for (int32_t n = 0; n < graph->nodeCount; n++) {
    const at_graphNode *const node = &graph->nodes[n];
    if (node->compute != at_computePassed)
      targets[(*count)++] = (at_program_target){
          .name = node->target, .nodes = 1, .missing = !node->op && !node->compute};
    for (int32_t i = 0; i < node->inputCount; i++)
      if (node->inputs[i].graph)
        add_nodes(node->inputs[i].graph, targets, count);
  }
}

static int by_name(const void *a, const void *b)
{
  return strcmp(((const at_program_target *)a)->name, ((const at_program_target *)b)->name);
}

/* The most frequent first; of equally frequent ones by name. */
static int by_nodes(const void *a, const void *b)
{
  const int64_t x = ((const at_program_target *)a)->nodes,
                y = ((const at_program_target *)b)->nodes;
  return x != y ? (x < y) - (x > y) : by_name(a, b);
}

/* Adds up equal targets, which are sorted; returns how many are left. */
static int32_t join(at_program_target *targets, int64_t count)
{
  int32_t kept = 0;
  for (int64_t i = 0; i < count; i++)
    if (kept > 0 && !strcmp(targets[kept - 1].name, targets[i].name)) {
      targets[kept - 1].nodes++;
      targets[kept - 1].missing |= targets[i].missing;
    } else {
      targets[kept++] = targets[i];
    }
  return kept;
}

void at_countTargets(at_program *program)
{
  THGuard guard;
  int64_t count = 0;
  THGuard_enter(&guard, THFree);
  at_program_target *const all = guard.what =
      THAlloc((ptrdiff_t)(program->nodeCount + 1) * (ptrdiff_t)sizeof *all);
  add_nodes(program->graph, all, &count);
  qsort(all, (size_t)count, sizeof *all, by_name);
  program->targetCount = join(all, count);
  qsort(all, (size_t)program->targetCount, sizeof *all, by_nodes);
  program->targets = at_arena_take(&program->arena, (uint64_t)program->targetCount, sizeof *all);
  memcpy(program->targets, all, (size_t)program->targetCount * sizeof *all);
  THGuard_leave(&guard);
}

int at_program_targetCount(const at_program *program)
{
  return program ? program->targetCount : 0;
}

at_program_target at_program_targetAt(const at_program *program, int index)
{
  static const char operation[] = "program_targetAt";
  if (!program)
    at_fail(AT_ERROR_NULL, operation, "%s: program is NULL", operation);
  else if (index < 0 || index >= program->targetCount)
    at_fail(AT_ERROR_ARGUMENT, operation, "%s: index is %d, of %d", operation, index,
            (int)program->targetCount);
  else
    return program->targets[index];
  return (at_program_target){.name = NULL};
}

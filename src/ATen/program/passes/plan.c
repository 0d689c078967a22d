/* Constants of a plan: computed when they are first needed, and again when a weight has changed. */
#include "Passes.h"

/* What a weight is: its memory, and how often it was changed. */
static at_source source_of(const at_program *program, int64_t weight)
{
  THFloatStorage *const storage = at_dict_at(program->weights, weight)->th->storage;
  return (at_source){weight, storage, storage ? *at_version(storage) : 0};
}

static bool is_current(const at_program *program)
{
  const at_plan *const plan = program->plan;
  for (int32_t i = 0; i < plan->sourceCount; i++) {
    const at_source now = source_of(program, plan->sources[i].weight);
    if (now.storage != plan->sources[i].storage || now.version != plan->sources[i].version)
      return false;
  }
  return plan->isPrepared;
}

void at_plan_release(at_plan *plan)
{
  for (int32_t i = 0; plan && i < plan->keptCount; i++)
    at_cell_release(&plan->cells[i]);
  if (plan)
    plan->isPrepared = false;
}

/* What constants take at most: more is no constant worth its memory. */
static uint64_t most_bytes(const at_program *program)
{
  enum { LEAST = 1 << 28 };
  uint64_t bytes = LEAST;
  for (int64_t i = 0; i < at_dict_count(program->weights); i++) {
    const at_tensor *const t = at_dict_at(program->weights, i);
    bytes += 2 * (uint64_t)at_numel(t) * t->type->elementSize;
  }
  return bytes;
}

static uint64_t bytes_of(const at_tensor *t)
{
  return (uint64_t)at_numel(t) * t->type->elementSize;
}

static uint64_t count_bytes(const at_plan *plan)
{
  uint64_t bytes = 0;
  for (int32_t i = 0; i < plan->keptCount; i++) {
    const at_cell cell = plan->cells[i];
    if (cell.kind == AT_CELL_TENSOR)
      bytes += bytes_of(cell.is.tensor);
    for (int32_t k = 0; cell.kind == AT_CELL_SEQUENCE && k < cell.is.sequence->count; k++)
      bytes += bytes_of(cell.is.sequence->tensors[k]);
  }
  return bytes;
}

bool at_plan_prepare(at_program *program)
{
  at_plan *const plan = program->plan;
  at_frame frame;
  THGuard guard;
  if (!plan->prepared || is_current(program))
    return true;
  at_plan_release(plan);
  at_frame_enter(&frame, program, plan->prepared, &guard);
  at_frame_bind(&frame, true);
  at_frame_run(&frame);
  for (int32_t i = 0; i < plan->keptCount; i++) {
    at_cell *const cell = &frame.cells[plan->kept[i]];
    plan->cells[i] = *cell;
    cell->kind = AT_CELL_NONE;
  }
  THGuard_leave(&guard);
  for (int32_t i = 0; i < plan->sourceCount; i++)
    plan->sources[i] = source_of(program, plan->sources[i].weight);
  plan->isPrepared = count_bytes(plan) <= most_bytes(program);
  if (!plan->isPrepared)
    at_plan_release(plan);
  return plan->isPrepared;
}

void at_plan_bind(const at_plan *plan, at_frame *frame)
{
  for (int32_t i = 0; i < plan->keptCount; i++)
    at_frame_put(frame, plan->kept[i], at_cell_retain(plan->cells[i]));
}

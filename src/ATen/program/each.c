/* Operations on lists of tensors, such as torch._foreach_add, which are one operation for each tensor. */
#include "Program.h"

bool at_isEach(const char *target)
{
  static const char prefix[] = "aten._foreach_";
  return !strncmp(target, prefix, strlen(prefix));
}

/* Part i of a list; what is no list is the same for all tensors. */
static at_given part_of(const at_reading *reading, at_given given, int32_t i)
{
  static const char *const kept[] = {"alpha", "dtype", "non_blocking"};
  const char *const name = given.name;
  given.name = "";
  for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
    if (!strcmp(kept[k], name))
      given.name = name;
  if (given.kind != AT_GIVEN_TENSORS && given.kind != AT_GIVEN_NUMBERS)
    return given;
  if (i >= given.count)
    at_damaged(reading->file, "an operation on lists has %d values in '%.40s', and tensor %d",
               (int)given.count, name, (int)i);
  given.kind = given.kind == AT_GIVEN_TENSORS ? AT_GIVEN_TENSOR : AT_GIVEN_NUMBER;
  given.parts += i;
  given.count = 1;
  return given;
}

void at_makeEach(at_reading *reading, const at_graphNode *node, int32_t i, at_graphNode *made)
{
  at_given *const inputs =
      at_arena_take(reading->arena, (uint64_t)node->inputCount, sizeof *inputs);
  for (int32_t k = 0; k < node->inputCount; k++)
    inputs[k] = part_of(reading, node->inputs[k], i);
  if (node->outputCount > 0 && i >= node->outputCount)
    at_damaged(reading->file, "an operation on lists has %d results, and tensor %d",
               (int)node->outputCount, (int)i);
  *made = *node;
  made->inputs = inputs;
  made->outputs = node->outputs + (node->outputCount > 0 ? i : 0);
  made->outputCount = node->outputCount > 0;
}

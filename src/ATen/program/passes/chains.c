/* Finds chains of pointwise operations: a node whose result is read elsewhere, and before it nodes of
 * the same size whose results only the chain reads.  The chain is computed where its last node was.
 */
#include "chain.h"

/* A chain that grows from its last node backwards. */
typedef struct Growing {
  at_rewrite *rewrite;
  const int32_t *makers, *reads, *writers; /* writers: how many nodes before each one write */
  int32_t members[AT_CHAIN_STEPS];         /* nodes, in descending order */
  int32_t count;
} Growing;

/* --- what can be part of a chain -------------------------------------------------------------- */

/* The rule for a node whose tensors are said to be of Float. */
static const at_stepRule *rule_of(const at_rewrite *rewrite, const at_graphNode *node)
{
  const at_stepRule *const rule = at_ruleOf(node);
  if (!rule || node->outputCount != 1 || node->outputs[0] == AT_NO_SLOT ||
      at_typeIn(rewrite, node->outputs[0]) != AT_FLOAT)
    return NULL;
  for (int k = 0; k < AT_STEP_INPUTS && rule->inputs[k]; k++) {
    const int32_t slot = at_slotIn(rewrite, at_argumentOf(node, rule->inputs[k]));
    if (slot == AT_NO_SLOT || at_typeIn(rewrite, slot) != AT_FLOAT)
      return NULL;
  }
  for (int k = 0; k < AT_STEP_NUMBERS; k++) {
    const at_given *const given =
        rule->numbers[k].name ? at_argumentOf(node, rule->numbers[k].name) : NULL;
    if (given && given->kind != AT_GIVEN_NUMBER)
      return NULL;
  }
  return rule;
}

static int32_t index_in(const int32_t *list, int32_t count, int32_t entry)
{
  for (int32_t i = 0; i < count; i++)
    if (list[i] == entry)
      return i;
  return -1;
}

/* The tensors that the members read from outside, in slots; more than AT_CHAIN_TENSORS are not
 * listed. */
static int32_t find_tensors(const Growing *g, int32_t *slots)
{
  const at_graph *const graph = g->rewrite->graph;
  int32_t count = 0;
  for (int32_t i = g->count - 1; i >= 0; i--) {
    const at_graphNode *const node = &graph->nodes[g->members[i]];
    const at_stepRule *const rule = at_ruleOf(node);
    for (int k = 0; k < AT_STEP_INPUTS && rule->inputs[k]; k++) {
      const int32_t slot = at_slotIn(g->rewrite, at_argumentOf(node, rule->inputs[k]));
      if (index_in(g->members, g->count, g->makers[slot]) >= 0 ||
          index_in(slots, THMin(count, AT_CHAIN_TENSORS), slot) >= 0)
        continue;
      if (count < AT_CHAIN_TENSORS)
        slots[count] = slot;
      count++;
    }
  }
  return count;
}

/* How often the members read the slot. */
static int32_t count_own_reads(const Growing *g, int32_t slot)
{
  int32_t count = 0;
  for (int32_t i = 0; i < g->count; i++) {
    const at_graphNode *const node = &g->rewrite->graph->nodes[g->members[i]];
    for (int32_t k = 0; k < node->inputCount; k++)
      for (int32_t p = 0; p < node->inputs[k].count; p++)
        count += at_slotOf(g->rewrite, node->inputs[k].parts[p].slot) == slot;
  }
  return count;
}

/* --- growing ---------------------------------------------------------------------------------- */

static void insert(Growing *g, int32_t n)
{
  int32_t at = g->count++;
  for (; at > 0 && g->members[at - 1] < n; at--)
    g->members[at] = g->members[at - 1];
  g->members[at] = n;
}

static void take_out(Growing *g, int32_t n)
{
  const int32_t at = index_in(g->members, g->count, n);
  memmove(&g->members[at], &g->members[at + 1], (size_t)(g->count - at - 1) * sizeof *g->members);
  g->count--;
}

/* Adds the node that makes the slot, if the chain may compute it. */
static bool take_in(Growing *g, int32_t slot)
{
  enum { MOST_DISTANCE = 256 };
  const int32_t n = g->makers[slot], last = g->members[0];
  int32_t slots[AT_CHAIN_TENSORS];
  if (n < 0 || g->count == AT_CHAIN_STEPS || last - n > MOST_DISTANCE ||
      index_in(g->members, g->count, n) >= 0 || g->writers[n] != g->writers[last])
    return false;
  const at_graphNode *const node = &g->rewrite->graph->nodes[n];
  if (at_isRemoved(node) || !rule_of(g->rewrite, node) ||
      !at_haveSameSizes(g->rewrite, slot, g->rewrite->graph->nodes[last].outputs[0]) ||
      count_own_reads(g, slot) != g->reads[slot])
    return false;
  insert(g, n);
  if (find_tensors(g, slots) <= AT_CHAIN_TENSORS)
    return true;
  take_out(g, n);
  return false;
}

static void grow(Growing *g)
{
  const at_graph *const graph = g->rewrite->graph;
  for (bool again = true; again;) {
    again = false;
    for (int32_t i = 0; i < g->count && !again; i++) {
      const at_graphNode *const node = &graph->nodes[g->members[i]];
      const at_stepRule *const rule = at_ruleOf(node);
      for (int k = 0; k < AT_STEP_INPUTS && rule->inputs[k] && !again; k++)
        again = take_in(g, at_slotIn(g->rewrite, at_argumentOf(node, rule->inputs[k])));
    }
  }
}

/* --- the chain -------------------------------------------------------------------------------- */

/* The last step that reads the result of step k. */
static int32_t last_use(const at_chain *chain, int32_t k)
{
  int32_t last = k;
  for (int32_t s = k + 1; s < chain->stepCount; s++)
    for (int i = 0; i < chain->steps[s].inputCount; i++)
      if (chain->steps[s].inputs[i] == AT_CHAIN_TENSORS + k)
        last = s;
  return last;
}

/* Gives each result a buffer until its last use; false if there are too few. */
static bool assign_buffers(at_chain *chain)
{
  int32_t until[AT_CHAIN_BUFFERS] = {0}; /* the step that reads a buffer last */
  for (int32_t s = 0; s < chain->stepCount; s++) {
    int8_t b = 0;
    if (s == chain->stepCount - 1) {
      chain->steps[s].buffer = -1;
      continue;
    }
    while (b < AT_CHAIN_BUFFERS && until[b] > s) /* a step may write where it reads */
      b++;
    if (b == AT_CHAIN_BUFFERS)
      return false;
    until[b] = last_use(chain, s);
    chain->steps[s].buffer = b;
    chain->bufferCount = THMax(chain->bufferCount, b + 1);
  }
  return true;
}

static at_chainStep step_of(const Growing *g, const at_chain *chain, int32_t index)
{
  const at_graph *const graph = g->rewrite->graph;
  const at_graphNode *const node = &graph->nodes[g->members[g->count - 1 - index]];
  at_chainStep step = {.rule = at_ruleOf(node)};
  for (; step.inputCount < AT_STEP_INPUTS && step.rule->inputs[step.inputCount];
       step.inputCount++) {
    const int32_t slot =
        at_slotIn(g->rewrite, at_argumentOf(node, step.rule->inputs[step.inputCount]));
    const int32_t member = index_in(g->members, g->count, g->makers[slot]);
    step.inputs[step.inputCount] =
        (int8_t)(member >= 0 ? AT_CHAIN_TENSORS + g->count - 1 - member
                             : index_in(chain->slots, chain->tensorCount, slot));
  }
  for (int k = 0; k < AT_STEP_NUMBERS; k++) {
    const char *const name = step.rule->numbers[k].name;
    const at_given *const given = name ? at_argumentOf(node, name) : NULL;
    step.numbers[k] =
        (at_part){AT_NO_SLOT, {AT_CELL_FLOAT, {.number = step.rule->numbers[k].otherwise}}};
    if (given)
      step.numbers[k] = *given->parts;
    step.numbers[k].slot = at_slotOf(g->rewrite, step.numbers[k].slot);
  }
  return step;
}

/* The chain of the members; NULL if it needs more tensors or buffers than there may be. */
static at_chain *chain_of(const Growing *g)
{
  at_arena *const arena = g->rewrite->reading->arena;
  at_chain chain = {.stepCount = g->count};
  chain.tensorCount = find_tensors(g, chain.slots);
  if (chain.tensorCount > AT_CHAIN_TENSORS)
    return NULL;
  for (int32_t s = 0; s < g->count; s++)
    chain.steps[s] = step_of(g, &chain, s);
  if (!assign_buffers(&chain))
    return NULL;
  at_graphNode *const nodes = at_arena_take(arena, (uint64_t)g->count, sizeof *nodes);
  for (int32_t s = 0; s < g->count; s++)
    nodes[s] = g->rewrite->graph->nodes[g->members[g->count - 1 - s]];
  chain.nodes = nodes;
  return memcpy(at_arena_take(arena, 1, sizeof chain), &chain, sizeof chain);
}

/* What the node of a chain reads: its tensors, and numbers that are computed. */
static at_given *inputs_of(at_arena *arena, const at_chain *chain)
{
  at_given *const inputs = at_arena_take(arena, 2, sizeof *inputs);
  at_part *const tensors = at_arena_take(arena, AT_CHAIN_TENSORS, sizeof *tensors),
                 *const numbers =
                     at_arena_take(arena, AT_CHAIN_STEPS * AT_STEP_NUMBERS, sizeof *numbers);
  int32_t count = 0;
  for (int32_t i = 0; i < chain->tensorCount; i++)
    tensors[i].slot = chain->slots[i];
  for (int32_t s = 0; s < chain->stepCount; s++)
    for (int k = 0; k < AT_STEP_NUMBERS; k++)
      if (chain->steps[s].numbers[k].slot != AT_NO_SLOT)
        numbers[count++] = chain->steps[s].numbers[k];
  inputs[0] = (at_given){"", AT_GIVEN_TENSORS, AT_CELL_TENSOR, chain->tensorCount, tensors};
  inputs[1] = (at_given){"", AT_GIVEN_NUMBERS, AT_CELL_FLOAT, count, numbers};
  return inputs;
}

/* The name of a chain, such as "chain of add, relu". */
static const char *name_of(at_arena *arena, const at_chain *chain)
{
  char text[160] = "chain of";
  for (int32_t s = 0; s < chain->stepCount; s++) {
    const size_t length = strlen(text);
    snprintf(text + length, sizeof text - length, "%s %s", s > 0 ? "," : "",
             chain->steps[s].rule->name);
  }
  return at_arena_text(arena, text);
}

static void make_chain(Growing *g)
{
  at_arena *const arena = g->rewrite->reading->arena;
  at_graph *const graph = g->rewrite->graph;
  const at_chain *chain = chain_of(g);
  while (!chain && g->count > 1) {
    g->count--; /* the first node stays by itself */
    chain = chain_of(g);
  }
  if (!chain)
    return;
  for (int32_t i = 1; i < g->count; i++)
    at_removeNode(g->rewrite, &graph->nodes[g->members[i]]);
  at_graphNode *const node = &graph->nodes[g->members[0]];
  node->inputs = inputs_of(arena, chain);
  node->inputCount = 2;
  node->op = NULL;
  node->compute = at_computeChain;
  node->how = chain;
  node->target = name_of(arena, chain);
  g->rewrite->changes++;
}

void at_passChains(at_rewrite *rewrite)
{
  const at_graph *const graph = rewrite->graph;
  int32_t *const writers =
      at_arena_take(&rewrite->scratch, (uint64_t)graph->nodeCount + 1, sizeof *writers);
  Growing g = {.rewrite = rewrite,
               .makers = at_findMakers(rewrite),
               .reads = at_countReads(rewrite),
               .writers = writers};
  for (int32_t n = 0; n < graph->nodeCount; n++)
    writers[n + 1] = writers[n] + (!at_isRemoved(&graph->nodes[n]) && at_writes(&graph->nodes[n]));
  for (int32_t n = graph->nodeCount - 1; n >= 0; n--) {
    if (at_isRemoved(&graph->nodes[n]) || !rule_of(rewrite, &graph->nodes[n]))
      continue;
    g.count = 0;
    insert(&g, n);
    grow(&g);
    make_chain(&g);
  }
}

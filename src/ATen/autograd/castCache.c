/* Casts of parameters under autocast, each made once for a block. */
#include <stdlib.h>

#include "Node.h"

typedef struct Kept {
  at_tensor *leaf, *made;        /* references; NULL where the entry is free */
  const THFloatStorage *storage; /* the leaf's, and its version, when it was cast */
  unsigned short version;
} Kept;

struct at_casts {
  size_t capacity, count; /* capacity is a power of 2, and at least twice count */
  Kept *table;
};

enum { FIRST_CAPACITY = 64 };

/* The entry of the leaf, which is free if there is no cast of it. */
static Kept *entry_of(const struct at_casts *casts, const at_tensor *leaf)
{
  size_t i = ((uintptr_t)leaf / sizeof *leaf) & (casts->capacity - 1);
  while (casts->table[i].leaf && casts->table[i].leaf != leaf)
    i = (i + 1) & (casts->capacity - 1);
  return &casts->table[i];
}

/* The thread's casts with space for another one; NULL if there is no memory. */
static struct at_casts *with_space(void)
{
  struct at_casts *const casts = at_gradState.casts;
  if (casts && 2 * (casts->count + 1) <= casts->capacity)
    return casts;
  struct at_casts grown = {casts ? 2 * casts->capacity : FIRST_CAPACITY, casts ? casts->count : 0,
                           NULL};
  struct at_casts *const made = casts ? casts : malloc(sizeof *made);
  grown.table = calloc(grown.capacity, sizeof *grown.table);
  if (!made || !grown.table) {
    free(grown.table);
    if (!casts)
      free(made);
    return NULL;
  }
  for (size_t i = 0; casts && i < casts->capacity; i++)
    if (casts->table[i].leaf)
      *entry_of(&grown, casts->table[i].leaf) = casts->table[i];
  if (casts)
    free(casts->table);
  *made = grown;
  return at_gradState.casts = made;
}

/* Whether the cast is still the leaf's: made while gradients were recorded if they are now, and not
 * before the leaf changed. */
static bool is_fresh(const Kept *kept, const at_type *type)
{
  const at_tensor *const leaf = kept->leaf, *const made = kept->made;
  return made->type == type && kept->storage == leaf->th->storage &&
         kept->version == at_versionOf(leaf) &&
         (at_gradState.isOff ? !made->node : made->node && !made->node->isFreed);
}

bool at_autocast_setCache(bool on)
{
  const bool before = !at_gradState.castsAgain;
  at_gradState.castsAgain = !on;
  if (!on)
    at_forgetCasts();
  return before;
}

bool at_isCastOnce(const at_tensor *t, const at_type *type)
{
  return !at_gradState.castsAgain && t->node && t->node->isLeaf &&
         t->type->scalarType == AT_FLOAT &&
         (type->scalarType == AT_BFLOAT16 || type->scalarType == AT_HALF);
}

at_tensor *at_castOnce(at_tensor *leaf, const at_type *type)
{
  struct at_casts *const casts = with_space();
  Kept *const kept = casts ? entry_of(casts, leaf) : NULL;
  if (kept && kept->leaf && is_fresh(kept, type))
    return at_retain(kept->made);
  at_tensor *const made = (at_to)(leaf, type);
  if (!kept || !at_defined(made))
    return made;
  if (kept->leaf) {
    at_release(kept->made);
  } else {
    kept->leaf = at_retain(leaf);
    casts->count++;
  }
  kept->made = at_keep(made);
  kept->storage = leaf->th->storage;
  kept->version = at_versionOf(leaf);
  return at_retain(made);
}

void at_forgetCasts(void)
{
  struct at_casts *const casts = at_gradState.casts;
  if (!casts)
    return;
  at_gradState.casts = NULL;
  for (size_t i = 0; i < casts->capacity; i++) {
    at_release(casts->table[i].made);
    at_release(casts->table[i].leaf);
  }
  free(casts->table);
  free(casts);
}

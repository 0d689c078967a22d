/* Memory that is freed as a whole. */
#include "Program.h"

enum { BLOCK_BYTES = 1 << 14, ALIGNMENT = 8 };

struct at_arenaBlock {
  struct at_arenaBlock *next;
  max_align_t data[];
};

static uint8_t *new_block(at_arena *arena, uint64_t bytes)
{
  const uint64_t whole = sizeof(struct at_arenaBlock) + bytes;
  struct at_arenaBlock *const block =
      arena->file ? at_file_alloc(arena->file, whole) : THAlloc((ptrdiff_t)whole);
  block->next = arena->blocks;
  arena->blocks = block;
  memset(block->data, 0, (size_t)bytes);
  return (uint8_t *)block->data;
}

void *at_arena_take(at_arena *arena, uint64_t count, size_t size)
{
  uint64_t bytes;
  if (__builtin_mul_overflow(count, (uint64_t)size, &bytes) || bytes > INT64_MAX / 2)
    THError("there is no memory for %llu elements of %zu bytes", (unsigned long long)count, size);
  bytes =
      (THMax(bytes, 1) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; /* nothing has an address too */
  if (bytes > BLOCK_BYTES / 4)
    return new_block(arena, bytes);
  if (bytes > arena->left) {
    arena->next = new_block(arena, BLOCK_BYTES);
    arena->left = BLOCK_BYTES;
  }
  void *const made = arena->next;
  arena->next += bytes;
  arena->left -= (size_t)bytes;
  return made;
}

char *at_arena_text(at_arena *arena, const char *text)
{
  const size_t length = strlen(text);
  char *const copy = at_arena_take(arena, length + 1, 1);
  memcpy(copy, text, length);
  return copy;
}

void at_arena_free(at_arena *arena)
{
  while (arena->blocks) {
    struct at_arenaBlock *const next = arena->blocks->next;
    THFree(arena->blocks);
    arena->blocks = next;
  }
}

/* A table of objects by address. */
#include "THCTable.h"

#include <stdint.h>
#include <stdlib.h>

static THCEntry **list_of(const THCTable *table, const void *key)
{
  const uint64_t mixed = (uint64_t)(uintptr_t)key * UINT64_C(0x9e3779b97f4a7c15);
  return &table->lists[mixed >> 32 & (table->width - 1)];
}

int THCTable_reserve(THCTable *table)
{
  if (table->count < table->width)
    return 1;
  THCTable wider = {.width = table->width ? 2 * table->width : 256, .count = table->count};
  wider.lists = calloc(wider.width, sizeof *wider.lists);
  if (!wider.lists)
    return 0;
  for (size_t i = 0; i < table->width; i++)
    for (THCEntry *entry = table->lists[i], *next; entry; entry = next) {
      next = entry->next;
      THCEntry **list = list_of(&wider, entry->key);
      entry->next = *list;
      *list = entry;
    }
  free(table->lists);
  *table = wider;
  return 1;
}

void THCTable_add(THCTable *table, THCEntry *entry)
{
  THCEntry **list = list_of(table, entry->key);
  entry->next = *list;
  *list = entry;
  entry->listed = 1;
  table->count++;
}

void THCTable_remove(THCTable *table, THCEntry *entry)
{
  THCEntry **at = list_of(table, entry->key);
  while (*at != entry)
    at = &(*at)->next;
  *at = entry->next;
  entry->listed = 0;
  table->count--;
}

THCEntry *THCTable_find(const THCTable *table, const void *key)
{
  THCEntry *entry = table->width ? *list_of(table, key) : NULL;
  while (entry && entry->key != key)
    entry = entry->next;
  return entry;
}

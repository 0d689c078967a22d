/* A table of objects by address: what belongs to a pointer that a program gives back. */
#ifndef THC_TABLE_H
#define THC_TABLE_H

#include <stddef.h>

/* The first member of an object that can be in a table. */
typedef struct THCEntry {
  void *key;
  struct THCEntry *next;
  int listed; /* the entry is in the table */
} THCEntry;

/* A table begins as zeros.  Its user locks. */
typedef struct THCTable {
  THCEntry **lists;
  size_t width, count; /* width: a power of 2, or 0 */
} THCTable;

/* Makes room for one more.  Returns 0 where there is no memory. */
int THCTable_reserve(THCTable *table);

/* Needs a reserve before; cannot fail. */
void THCTable_add(THCTable *table, THCEntry *entry);
void THCTable_remove(THCTable *table, THCEntry *entry);

/* The entry with that key, or NULL. */
THCEntry *THCTable_find(const THCTable *table, const void *key);

#endif

/* The machine that reads a pickle: its stack, its memo, and how its files call each other. */
#ifndef ATEN_PICKLE_MACHINE_H
#define ATEN_PICKLE_MACHINE_H

#include "Pickle.h"

enum { AT_PICKLE_MARK = -1, AT_PICKLE_NOTHING = -2, AT_PICKLE_LINE = 1000 };

typedef struct at_pickle {
  at_nodes *nodes;
  at_input *in;
  uint64_t start, most; /* the offset of the pickle, and its maximal length */
  int32_t *stack, *memo;
  int64_t depth, capacity, memoCount, memoCapacity;
  uint64_t paired; /* the number of pairs converted to dictionaries */
} at_pickle;

#define at_pickle_bad(M, ...) at_damaged((M)->nodes->file, __VA_ARGS__)

/* --- what is read: input.c --------------------------------------------------------------------- */

/* Raises unless length bytes can follow. */
void at_pickle_checkLeft(const at_pickle *m, uint64_t length);

void at_pickle_take(at_pickle *m, void *to, uint64_t length);
uint64_t at_pickle_takeLittle(at_pickle *m, int count);

/* Reads to the end of the line and returns the length without the newline. */
size_t at_pickle_takeLine(at_pickle *m, char line[AT_PICKLE_LINE]);

/* --- names and what they give: names.c ---------------------------------------------------------- */

/* Push a function or class, by the names in the next two lines, or by two texts on the stack. */
void at_pickle_pushLineGlobal(at_pickle *m);
void at_pickle_pushNamed(at_pickle *m);

/* Replaces a function or class and its arguments by the result of a call. */
void at_pickle_reduce(at_pickle *m);

/* Sets the fields of the object below.  Fields of lists, dictionaries and tensors are attributes,
 * and ignored. */
void at_pickle_build(at_pickle *m);

/* Pushes a storage, from ("storage", class, key, device, elements[, (key of a view, first,
 * elements)]). */
void at_pickle_pushStorage(at_pickle *m);

/* --- the stack ---------------------------------------------------------------------------------- */

static inline at_node *at_pickle_node(const at_pickle *m, int64_t id)
{
  return at_node_of(m->nodes, (int32_t)id);
}

static inline uint64_t at_pickle_byteIndex(const at_pickle *m)
{
  return m->in->taken - m->start;
}

static inline void at_pickle_push(at_pickle *m, int32_t id)
{
  m->stack = at_grown(m->nodes->file, m->stack, m->depth, &m->capacity, sizeof *m->stack);
  m->stack[m->depth++] = id;
}

static inline int32_t at_pickle_pop(at_pickle *m)
{
  if (m->depth == 0 || m->stack[m->depth - 1] == AT_PICKLE_MARK)
    at_pickle_bad(m, "the pickle takes a value that is not there, at byte %llu",
                  (unsigned long long)at_pickle_byteIndex(m));
  return m->stack[--m->depth];
}

static inline int32_t at_pickle_top(at_pickle *m)
{
  const int32_t id = at_pickle_pop(m);
  m->depth++;
  return id;
}

static inline uint8_t at_pickle_takeByte(at_pickle *m)
{
  at_input *in = m->in;
  uint8_t byte;
  if (in->at < in->end) {
    in->taken++;
    return in->buffer[in->at++];
  }
  at_pickle_take(m, &byte, 1);
  return byte;
}

#endif

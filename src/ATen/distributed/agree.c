/* Ranks agree on a call before it runs: what differs is an error on all of them, and nothing has moved. */
#include <stdio.h>
#include <string.h>

#include "Comm.h"

static const char *const names[] = {"broadcast", "all_reduce",     "reduce",  "all_gather",
                                    "gather",    "reduce_scatter", "scatter", "all_to_all",
                                    "barrier",   "split",          "send",    "receive",
                                    "stop"};
static const char *const ops[] = {"sum", "product", "min", "max", "avg", "band", "bor", "bxor"};

/* The name of the row's type, such as "Float". */
typedef struct TypeName {
  char text[24];
} TypeName;

static TypeName type_of(const at_comm_row *row)
{
  TypeName name = {"an unknown type"};
  const at_type *const type =
      row->type >= 0 && row->type < AT_SCALAR_TYPES ? AT_CPU((at_scalar_type)row->type) : NULL;
  if (type) /* from CPUFloatType */
    snprintf(name.text, sizeof name.text, "%.*s", (int)strlen(type->name) - 7, type->name + 3);
  return name;
}

/* Whether what a rank has sent are rows. */
static bool is_sound(const at_comm_row *row)
{
  return row->kind >= 0 && row->kind <= AT_COMM_STOP && row->op >= 0 && row->op <= AT_COMM_BXOR;
}

bool at_comm_fits(const at_comm_row *a, const at_comm_row *b, char *message, size_t size)
{
  if (!is_sound(a) || !is_sound(b)) {
    snprintf(message, size, "a rank runs another version of the library");
    return false;
  }
  const bool isMessage = a->kind == AT_COMM_SEND || a->kind == AT_COMM_RECEIVE;
  if (a->isBad || b->isBad) {
    snprintf(message, size, "rank %d has called %s with wrong arguments",
             a->isBad ? a->rank : b->rank, names[a->isBad ? a->kind : b->kind]);
    return false;
  }
  if (a->kind != b->kind && !isMessage) {
    snprintf(message, size, "rank %d has called %s, and rank %d %s", a->rank, names[a->kind],
             b->rank, names[b->kind]);
    return false;
  }
  if (a->type != b->type || a->count != b->count) {
    snprintf(message, size, "rank %d has %lld elements of %s, and rank %d %lld of %s", a->rank,
             (long long)a->count, type_of(a).text, b->rank, (long long)b->count, type_of(b).text);
    return false;
  }
  if (!isMessage && a->op != b->op) {
    snprintf(message, size, "rank %d has the operation %s, and rank %d %s", a->rank, ops[a->op],
             b->rank, ops[b->op]);
    return false;
  }
  if (!isMessage && a->root != b->root) {
    snprintf(message, size, "rank %d has root %d, and rank %d root %d", a->rank, a->root, b->rank,
             b->root);
    return false;
  }
  return true;
}

/* Each rank has all rows, and finds the same difference: between the first and another, unless a rank's
 * arguments are wrong. */
bool at_comm_agree(at_comm_work *work)
{
  const int ranks = work->group->size;
  at_comm_row *const rows = work->rows;
  rows[work->group->rank] = work->row;
  bool fits = at_comm_collect(work, (char *)rows, sizeof *rows);
  int other = 0;
  for (int i = 0; i < ranks && fits; i++)
    if (rows[i].isBad)
      other = i;
  for (int i = 0; i < ranks && fits; i++)
    fits = at_comm_fits(&rows[other], &rows[i], work->message, sizeof work->message);
  if (!fits && !at_comm.isBroken)
    work->code = AT_ERROR_ARGUMENT;
  return fits;
}

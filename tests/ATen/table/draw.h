/* Calls of operations with random arguments: those of a stored case that succeeds, with any layout
 * in memory, of which none, some or all are replaced; or completely random ones.  The operation and
 * a number determine a call. */
#ifndef ATEN_DRAW_H
#define ATEN_DRAW_H

#include "cases.h"

enum { CALL_DIMS = 64, CALL_INTS = 80, CALL_LISTED = 16, CALL_TENSORS = 256 };

typedef struct Call {
  const at_op *op;
  const char *from; /* the case's file; NULL if there was none */
  int line;
  at_value values[CASE_VALUES], results[CASE_VALUES];
  int64_t ints[CASE_VALUES][CALL_INTS];
  double doubles[CASE_VALUES][CASE_DIMS];
  at_tensor *lists[CASE_VALUES][CALL_LISTED];
  at_tensor *tensors[CALL_TENSORS]; /* all tensors among the values, each once */
  int tensorCount;
} Call;

/* Keeps some cases of the file. */
void draw_from(const char *path);

/* Whether a case of the operation that succeeds is kept. */
bool draw_hasCase(const at_op *op);

void draw_call(Call *call, const at_op *op, uint64_t number);
void draw_free(Call *call);

/* Whether an undefined tensor is among the arguments. */
bool draw_hasUndefined(const Call *call);

/* Prints the call in readable form. */
void draw_print(const Call *call, FILE *file);

#endif

/* Calls of operations with arguments that are drawn: those of a stored case that succeeds, laid out
 * in memory in any way, and none, some or all of them replaced by something else; or anything at
 * all.  A call follows from the operation and a number. */
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
  at_tensor *lists[CASE_VALUES][CALL_LISTED];
  at_tensor *tensors[CALL_TENSORS]; /* all that are among the values, each once */
  int tensorCount;
} Call;

/* Keeps some of the file's cases. */
void draw_from(const char *path);

/* Whether there is a case of the operation that succeeds. */
bool draw_hasCase(const at_op *op);

void draw_call(Call *call, const at_op *op, uint64_t number);
void draw_free(Call *call);

/* Whether an undefined tensor is among the arguments. */
bool draw_hasUndefined(const Call *call);

/* Writes the call, for people. */
void draw_print(const Call *call, FILE *file);

#endif

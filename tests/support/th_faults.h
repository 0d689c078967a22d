/* Functions as rows of a table, each of which is run with every one of its allocations failing.
 *
 *     #include "THTemplate.h"
 *     #include "th_faults.h"
 *
 *     typedef struct Operands {
 *       THTensor *t, *r;
 *     } Operands;
 *
 *     static void set_up(Operands *o)
 *     {
 *       o->t = THTest_(tensor)(TH_TRANSPOSED, 4, TH_SHAPE(4, 3));
 *       o->r = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(2));
 *       WATCH(o->t);
 *       WATCH(o->r);
 *     }
 *
 *     static void tear_down(Operands *o) ...                  frees what is there, made by a row
 * too
 *
 *     FAULT(neg, THTensor_(neg)(o->r, o->t))                  acquires something (but results of
 *                                                             one or two bytes an element may find
 *                                                             room in the block that they have)
 *     CALM(nElement, THTensor_(nElement)(o->t))               acquires nothing
 *     RAISES(get, THTensor_(get1d)(o->t, 0))                  acquires nothing, and is an error
 *
 *     TH_FAULT_TESTS(negFaults)
 *
 * makes the tests Byte/negFaults ... Double/negFaults.  A statement may use o, the operands, and in
 * templates v, a value; see th_fail.h for how it is run.  After an error everything watched is as
 * it was, after success it is valid.  A plain test program ends in TH_FAULT_PROGRAM instead.
 *
 * The program's option --faults prints all statements, macros expanded: tools/faults/check finds
 * out from them which public functions stand in no row. */
#ifndef TH_FAULTS_H
#define TH_FAULTS_H

#include "th_fail.h"
#include "th_layouts.h"

typedef enum THAcquires { TH_ACQUIRES_NOTHING, TH_ACQUIRES, TH_MAY_ACQUIRE } THAcquires;

typedef struct THFault {
  const char *name, *statement;
  void (*body)(void *operands);
  THAcquires acquires;
  struct THFault *next;
} THFault;

/* The rows of one file and type. */
typedef struct THFaults {
  void (*set_up)(void *operands);
  void (*tear_down)(void *operands);
  void *operands;
  size_t size; /* of operands */
  THFault *first, **end;
  struct THFaults *next;
} THFaults;

void th_faults_add(THFaults *faults, THFault *fault);
void th_faults_register(THFaults *faults);

/* Runs every row of faults. */
void th_faults_run(THFaults *faults);

/* Prints the statements of all that are registered. */
void th_faults_list(void);

int th_faults_main(int count, char **arguments);

/* --- rows ------------------------------------------------------------------------------------ */

TH_UNUSED static THFaults th_faults;

#ifdef Real
#define FAULT_LOCALS   TH_UNUSED const real v = THTest_(value)(1, 1);
#define FAULT_ACQUIRES (sizeof(real) < 4 ? TH_MAY_ACQUIRE : TH_ACQUIRES)
#else
#define FAULT_LOCALS
#define FAULT_ACQUIRES TH_ACQUIRES
#endif

#define FAULT_TEXT_OF(...) #__VA_ARGS__
#define FAULT_TEXT(...)    FAULT_TEXT_OF(__VA_ARGS__)

#define FAULT_CALL(NAME, ...)               \
  static void fault_##NAME(void *operands)  \
  {                                         \
    TH_UNUSED Operands *const o = operands; \
    FAULT_LOCALS                            \
    __VA_ARGS__;                            \
  }

#define FAULT_ROW(NAME, ACQUIRES, ...)                                                     \
  FAULT_CALL(NAME, __VA_ARGS__)                                                            \
  __attribute__((constructor)) static void add_fault_##NAME(void)                          \
  {                                                                                        \
    static THFault fault = {#NAME, FAULT_TEXT(__VA_ARGS__), fault_##NAME, ACQUIRES, NULL}; \
    th_faults_add(&th_faults, &fault);                                                     \
  }

#define FAULT(NAME, ...) FAULT_ROW(NAME, FAULT_ACQUIRES, __VA_ARGS__)
#define CALM(NAME, ...)  FAULT_ROW(NAME, TH_ACQUIRES_NOTHING, __VA_ARGS__)
#define RAISES(NAME, ...)                       \
  FAULT_ROW(                                    \
      NAME, TH_ACQUIRES_NOTHING, THTry attempt; \
      TH_TRY(attempt) { __VA_ARGS__; } th_faults_raised(&attempt))

void th_faults_raised(const THTry *attempt);

/* --- operands -------------------------------------------------------------------------------- */

/* Called in set_up: checks that the tensor (storage, memory) is as it is now whenever a row has failed.  (Tests
 * without rows may watch too: they call th_watch_check and, in the end, th_watch_forget.) */
#define WATCH(TENSOR)           th_watch_tensor(#TENSOR, TENSOR, sizeof *(TENSOR)->storage->data)
#define WATCH_STORAGE(STORAGE)  th_watch_storage(#STORAGE, STORAGE, sizeof *(STORAGE)->data)
#define WATCH_BYTES(DATA, SIZE) th_watch_bytes(#DATA, DATA, SIZE)

/* Before: how contents are read, where they are not the program's own memory. */
void th_watch_reader(void (*read)(void *to, const void *from, size_t size));

void th_watch_tensor(const char *name, const void *tensor, size_t elementSize);
void th_watch_storage(const char *name, const void *storage, size_t elementSize);
void th_watch_bytes(const char *name, const void *data, size_t size);

/* Checks that everything watched is valid, and if unchanged is set that it is as before. */
void th_watch_check(int unchanged);
void th_watch_forget(void);

/* --- the end of a file ----------------------------------------------------------------------- */

#define TH_FAULT_FRAME                        \
  static void fault_set_up(void *operands)    \
  {                                           \
    set_up(operands);                         \
  }                                           \
  static void fault_tear_down(void *operands) \
  {                                           \
    tear_down(operands);                      \
  }

#define TH_FAULT_TABLE                                           \
  TH_FAULT_FRAME                                                 \
  __attribute__((constructor)) static void register_faults(void) \
  {                                                              \
    static Operands operands;                                    \
    th_faults.set_up = fault_set_up;                             \
    th_faults.tear_down = fault_tear_down;                       \
    th_faults.operands = &operands;                              \
    th_faults.size = sizeof operands;                            \
    th_faults_register(&th_faults);                              \
  }

#define TH_FAULT_TESTS(NAME)      \
  TH_FAULT_TABLE                  \
  static void THTest_(NAME)(void) \
  {                               \
    th_faults_run(&th_faults);    \
  }                               \
  TH_TESTS(THTest_(NAME))

#define TH_FAULT_PROGRAM                     \
  TH_FAULT_TABLE                             \
  int main(int count, char **arguments)      \
  {                                          \
    return th_faults_main(count, arguments); \
  }

#endif

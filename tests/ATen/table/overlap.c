/* Results that overlap operands: each form of an operation that writes to a given tensor is called
 * with that tensor in the memory of each operand.  It must compute the same as without overlap, or
 * raise an error that says that memory is shared.  The memory belongs to one storage, or to two
 * storages, as of a buffer that is imported twice.
 *
 *     test_ATen_overlap FILE       with the cases of the file (cases.h)
 *     test_ATen_overlap            with larger tensors, operations along a dimension */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ATenDLPackTypes.h"
#include "THHalf.h"
#include "cases.h"
#include "th_test.h"

enum { OPERANDS = 64, ARENA = 1 << 21, CASES_OF_EACH = 12 };

typedef struct Operand {
  at_tensor **slot;       /* where the call has the tensor */
  const at_tensor *given; /* the tensor of the case: the type, and the values if they are read */
  bool isRead;
  int dims;
  int64_t size[CASE_DIMS], stride[CASE_DIMS], shape[CASE_DIMS + 1];
  char *at;
  DLManagedTensor managed; /* by which the memory was imported */
} Operand;

/* A call whose tensors are in an arena. */
typedef struct Call {
  at_value values[CASE_VALUES], results[CASE_VALUES];
  at_tensor *lists[CASE_VALUES][CASE_TENSORS], *base;
  Operand operands[OPERANDS];
  int count;
  char *arena;
  size_t used;
} Call;

/* The position of the result: at the beginning, the middle or the end of the operand, plus a number
 * of elements. */
typedef struct Placing {
  const char *name;
  enum { BEGINNING, MIDDLE, END } where;
  int shift;
  bool columns; /* in column-major order */
  bool gaps;    /* with a stride of two elements */
} Placing;

static const Placing placings[] = {{"exactly over", BEGINNING, 0, false, false},
                                   {"one element after", BEGINNING, 1, false, false},
                                   {"one element before", BEGINNING, -1, false, false},
                                   {"over the middle of", MIDDLE, 0, false, false},
                                   {"over the end of", END, 0, false, false},
                                   {"transposed over", BEGINNING, 0, true, false},
                                   {"with gaps over", BEGINNING, 0, false, true}};
enum { PLACINGS = sizeof placings / sizeof *placings };

typedef enum Memory { TWO_STORAGES, ONE_STORAGE, GROWING, MEMORIES } Memory;
static const char *const memories[] = {"two storages", "one storage", "a storage that grows"};

static const char *path;
static int problems, calls, refused;

/* --- elements --------------------------------------------------------------------------------- */

static size_t bytes_of(const at_tensor *t)
{
  return at_type_elementSize(at_typeOf(t));
}

static ptrdiff_t elements(const Operand *o)
{
  ptrdiff_t count = 1;
  for (int d = 0; d < o->dims; d++)
    count *= o->size[d];
  return count;
}

/* The offset of element i, in row-major order, from the first element. */
static ptrdiff_t offset_of(int dims, const int64_t *size, const int64_t *stride, ptrdiff_t i)
{
  ptrdiff_t offset = 0;
  for (int d = dims - 1; d >= 0; i /= size[d--])
    offset += i % size[d] * stride[d];
  return offset;
}

static char *element(const Operand *o, ptrdiff_t i)
{
  return o->at + offset_of(o->dims, o->size, o->stride, i) * (ptrdiff_t)bytes_of(o->given);
}

static double number(const void *at, at_scalar_type type)
{
  uint16_t half;
  uint32_t bits;
  float f;
  switch (type) {
    case AT_DOUBLE:
    case AT_COMPLEX_DOUBLE: /* the real part */
      return *(const double *)at;
    case AT_FLOAT:
    case AT_COMPLEX_FLOAT:
      return (double)*(const float *)at;
    case AT_HALF:
      memcpy(&half, at, sizeof half);
      return (double)TH_half2float((THHalf){half});
    case AT_BFLOAT16:
      memcpy(&half, at, sizeof half);
      bits = (uint32_t)half << 16;
      memcpy(&f, &bits, sizeof f);
      return (double)f;
    default:
      return 0;
  }
}

static bool is_near(const void *a, const void *b, at_scalar_type type, double within)
{
  static const double units[AT_SCALAR_TYPES] = {
      [AT_DOUBLE] = 0x1p-40, [AT_FLOAT] = 0x1p-18, [AT_HALF] = 0x1p-8, [AT_BFLOAT16] = 0x1p-5};
  if (!memcmp(a, b, at_type_elementSize(AT_CPU(type))))
    return true;
  if (type == AT_COMPLEX_FLOAT)
    return is_near(a, b, AT_FLOAT, within) &&
           is_near((const float *)a + 1, (const float *)b + 1, AT_FLOAT, within);
  if (type == AT_COMPLEX_DOUBLE)
    return is_near(a, b, AT_DOUBLE, within) &&
           is_near((const double *)a + 1, (const double *)b + 1, AT_DOUBLE, within);
  const double x = number(a, type), y = number(b, type);
  return units[type] > 0 && (x == y || (isnan(x) && isnan(y)) ||
                             fabs(x - y) <= fmax(within, units[type]) * fmax(1, fabs(y)));
}

/* --- operands --------------------------------------------------------------------------------- */

static void add_operand(Call *call, at_tensor **slot, const at_tensor *shape, bool isRead)
{
  if (!*slot)
    return;
  CHECK(call->count < OPERANDS);
  Operand *o = &call->operands[call->count++];
  *o = (Operand){.slot = slot, .given = *slot, .isRead = isRead, .dims = at_dim(shape)};
  memcpy(o->size, at_sizes(shape).data, (size_t)o->dims * sizeof *o->size);
}

static int results_of(const at_op *op)
{
  return op->form == AT_FORM_INPLACE ? 1 : op->resultCount;
}

/* Opens a call; the results are the first operands. */
static void open_call(Call *call, const Case *one)
{
  const int results = results_of(one->op);
  call->count = 0;
  call->used = 0;
  call->base = NULL;
  memset(call->results, 0, sizeof call->results);
  case_values(one, call->values);
  for (int i = 0; i < one->op->argumentCount; i++) {
    at_value *v = &call->values[i];
    const bool isOut = one->op->form == AT_FORM_OUT && i < results;
    if (isOut && one->wanted[i].undefined)
      continue;
    add_operand(call, &v->tensor, isOut ? one->wanted[i].value.tensor : v->tensor, !isOut);
    for (int k = 0; k < v->tensors.count; k++) {
      call->lists[i][k] = v->tensors.data[k];
      add_operand(call, &call->lists[i][k], call->lists[i][k], true);
    }
    if (v->tensors.count > 0)
      v->tensors.data = call->lists[i];
  }
}

/* Both calls draw the same numbers. */
static bool run_call(const Case *one, Call *call)
{
  at_manualSeed(11);
  for (int i = 0; i < one->op->argumentCount; i++)
    if (call->values[i].generator)
      at_generator_manualSeed(call->values[i].generator, 11);
  return one->op->call(call->values, call->results);
}

static void set_strides(Operand *o, bool columns, bool gaps)
{
  int64_t step = gaps ? 2 : 1;
  for (int i = 0; i < o->dims; i++) {
    const int d = columns ? i : o->dims - 1 - i;
    o->stride[d] = step;
    step *= o->size[d] > 1 ? o->size[d] : 1;
  }
}

/* The number of bytes from the first element to the end of the last. */
static size_t reach(const Operand *o)
{
  ptrdiff_t last = 0;
  for (int d = 0; d < o->dims; d++)
    last += (o->size[d] - 1) * o->stride[d];
  return elements(o) > 0 ? (size_t)(last + 1) * bytes_of(o->given) : 0;
}

static char *allocate(Call *call, size_t bytes)
{
  char *at = call->arena + call->used;
  call->used += (bytes + 127) / 64 * 64;
  CHECK(call->used <= ARENA);
  return at;
}

static void write_values(Operand *o, const Operand *from)
{
  const size_t bytes = bytes_of(o->given);
  for (ptrdiff_t i = 0; i < elements(o); i++)
    memcpy(element(o, i),
           from ? element(from, i) : (const char *)at_data(o->given) + (size_t)i * bytes, bytes);
}

static at_tensor *import(Operand *o)
{
  static const struct {
    int code, bits;
  } types[AT_SCALAR_TYPES] = {[AT_BYTE] = {kDLUInt, 8},
                              [AT_CHAR] = {kDLInt, 8},
                              [AT_SHORT] = {kDLInt, 16},
                              [AT_INT] = {kDLInt, 32},
                              [AT_LONG] = {kDLInt, 64},
                              [AT_FLOAT] = {kDLFloat, 32},
                              [AT_DOUBLE] = {kDLFloat, 64},
                              [AT_HALF] = {kDLFloat, 16},
                              [AT_BOOL] = {kDLBool, 8},
                              [AT_BFLOAT16] = {kDLBfloat, 16},
                              [AT_COMPLEX_FLOAT] = {kDLComplex, 64},
                              [AT_COMPLEX_DOUBLE] = {kDLComplex, 128},
                              [AT_UINT16] = {kDLUInt, 16},
                              [AT_UINT32] = {kDLUInt, 32},
                              [AT_UINT64] = {kDLUInt, 64}};
  const at_scalar_type type = at_type_scalarType(at_typeOf(o->given));
  o->managed = (DLManagedTensor){
      .dl_tensor = {.data = o->at,
                    .device = {kDLCPU, 0},
                    .ndim = o->dims,
                    .dtype = {(uint8_t)types[type].code, (uint8_t)types[type].bits, 1},
                    .shape = o->size,
                    .strides = o->stride}};
  at_tensor *t = at_fromDLPack(&o->managed);
  CHECK(at_defined(t));
  return t;
}

/* A view of base's storage, which begins at memory. */
static at_tensor *view_of(at_tensor *base, const char *memory, const Operand *o, bool empty)
{
  static const int64_t nothing[] = {0}, one[] = {1};
  const at_value arguments[] = {
      {.given = true, .tensor = base},
      {.given = true, .ints = {empty ? nothing : o->size, empty ? 1 : o->dims}},
      {.given = true, .ints = {empty ? one : o->stride, empty ? 1 : o->dims}},
      {.given = true, .integer = (o->at - memory) / (ptrdiff_t)bytes_of(o->given)}};
  at_value view = {0};
  CHECK(at_op_find("as_strided")->call(arguments, &view));
  return view.tensor;
}

static at_tensor *zeros(const at_type *type, int64_t count)
{
  const at_op *op = at_op_find("zeros");
  at_value arguments[CASE_VALUES] = {{.given = true, .ints = {&count, 1}}}, made = {0};
  for (int i = 1; i < op->argumentCount; i++)
    if (op->arguments[i].kind == AT_KIND_TYPE)
      arguments[i] = (at_value){.given = true, .type = type};
  CHECK(op->call(arguments, &made));
  return made.tensor;
}

/* Whether they have a byte in common. */
static bool touch(const Operand *a, const Operand *b)
{
  for (ptrdiff_t i = 0; i < elements(a); i++)
    for (ptrdiff_t k = 0; k < elements(b); k++)
      if (element(a, i) < element(b, k) + bytes_of(b->given) &&
          element(b, k) < element(a, i) + bytes_of(a->given))
        return true;
  return false;
}

/* --- calls ------------------------------------------------------------------------------------ */

/* Makes the result overlap the operand, and all others overlap nothing.  Writes the values of all,
 * those of the operand last. */
static void put_over(Call *call, Operand *result, Operand *under, const Placing *how)
{
  size_t unit = bytes_of(result->given);
  if (bytes_of(under->given) > unit)
    unit = bytes_of(under->given);
  for (int i = 0; i < call->count; i++)
    set_strides(&call->operands[i], false, false);
  set_strides(result, how->columns, how->gaps);
  for (int i = 0; i < call->count; i++) {
    Operand *o = &call->operands[i];
    if (o == under) {
      const size_t before = (reach(result) / unit + 2) * unit;
      const ptrdiff_t behind = (ptrdiff_t)(reach(o) / unit) - (ptrdiff_t)(reach(result) / unit);
      o->at = allocate(call, 2 * before + reach(o)) + before;
      result->at = o->at + ((how->where == MIDDLE ? (ptrdiff_t)(reach(o) / unit) / 2
                             : how->where == END  ? behind
                                                  : 0) +
                            how->shift) *
                               (ptrdiff_t)unit;
    } else if (o != result) {
      o->at = allocate(call, reach(o));
    }
  }
  for (int i = 0; i < call->count; i++)
    if (call->operands[i].isRead)
      write_values(&call->operands[i], NULL);
  if (under->isRead)
    write_values(under, NULL);
}

/* The operands of like without overlap. */
static void put_apart(Call *call, const Call *like)
{
  for (int i = 0; i < call->count; i++) {
    Operand *o = &call->operands[i];
    memcpy(o->stride, like->operands[i].stride, sizeof o->stride);
    o->at = allocate(call, reach(o));
    if (o->isRead)
      write_values(o, &like->operands[i]);
  }
}

static void make_tensors(Call *call, const Operand *result, const Operand *under, Memory memory)
{
  char *const begin = result && result->at < under->at ? result->at : under ? under->at : NULL;
  if (memory != TWO_STORAGES) {
    ptrdiff_t count = under->at + reach(under) - begin;
    if (result->at + reach(result) > under->at + reach(under) && memory == ONE_STORAGE)
      count = result->at + (ptrdiff_t)reach(result) - begin;
    count /= (ptrdiff_t)bytes_of(under->given);
    if (memory == GROWING) {
      call->base = zeros(at_typeOf(under->given), count);
      memcpy(at_data(call->base), begin, (size_t)count * bytes_of(under->given));
    } else {
      static Operand whole;
      whole =
          (Operand){.given = under->given, .dims = 1, .size = {count}, .stride = {1}, .at = begin};
      call->base = import(&whole);
    }
  }
  for (int i = 0; i < call->count; i++) {
    Operand *o = &call->operands[i];
    *o->slot = memory != TWO_STORAGES && (o == result || o == under)
                   ? view_of(call->base, begin, o, o == result && memory == GROWING)
                   : import(o);
  }
}

static void close_call(Call *call)
{
  for (int i = 0; i < call->count; i++)
    at_release(*call->operands[i].slot);
  at_release(call->base);
}

/* Whether the results are the same; if not, text says how they differ. */
static bool is_same(const Case *one, at_tensor *got, at_tensor *want, char *text, size_t length)
{
  const at_scalar_type type = at_type_scalarType(at_typeOf(want));
  bool same = at_dim(got) == at_dim(want);
  for (int d = 0; d < at_dim(want) && same; d++)
    same = at_sizes(got).data[d] == at_sizes(want).data[d];
  if (!same) {
    snprintf(text, length, "another shape");
    return false;
  }
  for (ptrdiff_t i = 0; i < at_numel(want); i++) {
    const int dims = at_dim(want);
    const int64_t *size = at_sizes(want).data;
    const size_t bytes = bytes_of(want);
    const char *a =
        (char *)at_data(got) + offset_of(dims, size, at_strides(got).data, i) * (ptrdiff_t)bytes;
    const char *b =
        (char *)at_data(want) + offset_of(dims, size, at_strides(want).data, i) * (ptrdiff_t)bytes;
    if (is_near(a, b, type, one->within))
      continue;
    snprintf(text, length, "element %td of %td is %g, not %g", i, (ptrdiff_t)at_numel(want),
             number(a, type), number(b, type));
    return false;
  }
  return true;
}

static void complain(const Case *one, int r, int u, const char *how, Memory memory,
                     const char *what)
{
  problems++;
  print_error("%s:%d: %s%s%s: tensor %d %s tensor %d, %s: %s\n", one->path, one->line,
              one->op->name, one->op->overload[0] ? "." : "", one->op->overload, r, how, u,
              memories[memory], what);
}

/* Tries result r over operand u. */
static void try_placing(const Case *one, int r, int u, int results, const Placing *how,
                        Memory memory)
{
  static _Alignas(64) char arenas[2][ARENA];
  static Call over, apart;
  over.arena = arenas[0];
  apart.arena = arenas[1];
  open_call(&over, one);
  Operand *result = &over.operands[r], *under = &over.operands[u];
  put_over(&over, result, under, how);
  open_call(&apart, one);
  put_apart(&apart, &over);
  make_tensors(&apart, NULL, NULL, TWO_STORAGES);
  const bool succeeds = run_call(one, &apart);
  at_error_clear();

  make_tensors(&over, result, under, memory);
  const bool succeeded = run_call(one, &over);
  char text[512];
  calls++;
  const bool clash = u < results && touch(result, under);
  if (clash) { /* one result over another */
    if (succeeded || !strstr(at_error_message(), "share"))
      complain(one, r, u, how->name, memory, succeeded ? "no error" : at_error_message());
  } else if (succeeds && !succeeded) {
    refused++;
    snprintf(text, sizeof text, "%s", at_error_message());
    if (!strstr(text, "share") && !strstr(text, "overlap"))
      complain(one, r, u, how->name, memory, text);
  } else if (succeeds != succeeded) {
    complain(one, r, u, how->name, memory, "succeeds, and fails apart");
  }
  at_error_clear();
  for (int i = 0; i < results_of(one->op) && succeeds && succeeded; i++)
    if (!clash && !one->wanted[i].undefined &&
        !is_same(one, over.results[i].tensor, apart.results[i].tensor, text, sizeof text))
      complain(one, r, u, how->name, memory, text);
  close_call(&over);
  close_call(&apart);
}

/* --- cases ------------------------------------------------------------------------------------ */

/* Whether the operation is about storages and not about values. */
static bool is_about_storage(const at_op *op)
{
  static const char *const names[] = {"as_strided_", "as_strided_out", "as_strided_copy_out",
                                      "reshape_",    "resize_",        "resize_as_",
                                      "set_"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (!strcmp(op->name, names[i]))
      return true;
  return false;
}

static bool is_bool(const Operand *o)
{
  return at_type_scalarType(at_typeOf(o->given)) == AT_BOOL;
}

/* Excludes combinations that cannot be tested: other bytes as Bool, and a storage of two types. */
static bool makes_sense(const Operand *result, const Operand *under, Memory memory)
{
  const bool sameType = at_typeOf(result->given) == at_typeOf(under->given);
  if (elements(result) == 0 || elements(under) == 0)
    return false;
  if (result->isRead && !sameType && (is_bool(result) || is_bool(under)))
    return false;
  return memory == TWO_STORAGES || sameType;
}

static void visit(Case *one, void *context)
{
  static int seen[4096];
  static Call call;
  const int index = (int)(one->op - at_ops);
  CHECK(index < (int)(sizeof seen / sizeof *seen));
  if (one->op->form == AT_FORM_FUNCTION || one->error || is_about_storage(one->op) ||
      seen[index]++ >= CASES_OF_EACH)
    return;
  open_call(&call, one);
  int results = 0; /* the number of defined ones, which are the first operands */
  for (int i = 0; i < results_of(one->op); i++)
    results += one->op->form == AT_FORM_INPLACE || !one->wanted[i].undefined;
  for (int r = 0; r < results; r++)
    for (int u = 0; u < call.count; u++)
      for (int m = 0; m < MEMORIES && u != r; m++) {
        if (!makes_sense(&call.operands[r], &call.operands[u], (Memory)m))
          continue;
        for (int p = 0; p < PLACINGS; p++)
          if (m != GROWING ||
              (!call.operands[r].isRead && placings[p].where == BEGINNING &&
               placings[p].shift >= 0 && !placings[p].columns && !placings[p].gaps && u >= results))
            try_placing(one, r, u, results, &placings[p], (Memory)m);
      }
}

static void overlap(void **state)
{
  problems = calls = refused = 0;
  cases_each(path, false, visit, NULL);
  printf("%d calls, %d of them refused\n", calls, refused);
  CHECK_MSG(problems == 0, "%d problems", problems);
}

/* --- along a dimension of larger tensors ------------------------------------------------------ */

/* The form with new results of the operation whose form with given results is out. */
static const at_op *function_of(const at_op *out)
{
  char name[64];
  snprintf(name, sizeof name, "%.*s", (int)(strlen(out->name) - strlen("_out")), out->name);
  const at_op *op = at_op_find(name);
  while (op && (op->form != AT_FORM_FUNCTION || strcmp(op->overload, out->overload) != 0)) {
    op++;
    if (op == at_ops + at_opCount || strcmp(op->name, name) != 0)
      return NULL;
  }
  return op;
}

/* Fills in the tensor and the dimension; false if the operation needs other arguments. */
static bool along(const at_op *op, int first, at_tensor *self, const int64_t *dim, Case *one)
{
  int tensors = 0, dims = 0;
  for (int i = first; i < op->argumentCount; i++) {
    const at_argument *a = &op->arguments[i];
    at_value *v = &one->arguments[i].value;
    if (a->kind == AT_KIND_TENSOR) {
      *v = (at_value){.given = true, .tensor = self};
      tensors++;
    } else if (!strcmp(a->name, "dim")) {
      *v = (at_value){
          .given = true, .integer = *dim, .ints = {dim, 1}, .scalar = at_scalar_long(*dim)};
      dims++;
    } else if (!a->defaults) {
      return false;
    }
  }
  return tensors == 1 && dims == 1;
}

static at_tensor *large_tensor(void)
{
  static float values[600 * 70];
  static int64_t size[] = {600, 70};
  static DLManagedTensor managed;
  th_random random = {th_seed()};
  for (int i = 0; i < 600 * 70; i++)
    values[i] = (float)(th_random_below(&random, 4001) - 2000) / 500;
  managed = (DLManagedTensor){.dl_tensor = {.data = values,
                                            .device = {kDLCPU, 0},
                                            .ndim = 2,
                                            .dtype = {kDLFloat, 32, 1},
                                            .shape = size}};
  return at_fromDLPack(&managed);
}

static void large(void **state)
{
  at_tensor *self = large_tensor();
  int operations = 0;
  for (int k = 0; k < at_opCount; k++)
    for (int64_t dim = 0; dim < 2; dim++) {
      const at_op *op = &at_ops[k];
      const at_op *plain = op->form == AT_FORM_OUT ? function_of(op) : NULL;
      static Case one;
      at_value results[CASE_VALUES] = {{0}};
      memset(&one, 0, sizeof one);
      if (!plain || !along(plain, 0, self, &dim, &one))
        continue;
      at_value values[CASE_VALUES];
      one.op = plain;
      case_values(&one, values);
      if (!plain->call(values, results)) {
        at_error_clear();
        continue;
      }
      memset(&one, 0, sizeof one);
      one.op = op;
      one.path = "large";
      along(op, op->resultCount, self, &dim, &one);
      bool whole = true; /* all results are defined */
      for (int i = 0; i < op->resultCount; i++) {
        whole &= at_defined(results[i].tensor);
        one.wanted[i].value.tensor = results[i].tensor;
        one.arguments[i].value = (at_value){.given = true, .tensor = results[i].tensor};
      }
      operations += whole;
      for (int r = 0; r < op->resultCount && whole; r++)
        for (int m = 0; m < MEMORIES; m++)
          for (int p = 0; p < PLACINGS; p++)
            if ((m == TWO_STORAGES || at_typeOf(results[r].tensor) == at_typeOf(self)) &&
                (m != GROWING || p < 2))
              try_placing(&one, r, op->resultCount, op->resultCount, &placings[p], (Memory)m);
      for (int i = 0; i < op->resultCount; i++)
        at_release(results[i].tensor);
    }
  at_release(self);
  printf("%d operations along a dimension\n", operations);
  CHECK(operations > 20);
  CHECK_MSG(problems == 0, "%d problems", problems);
}

int main(int argc, char **argv)
{
  CHECK(argc < 3);
  path = argv[1];
  const struct CMUnitTest cases[] = {cmocka_unit_test(overlap)};
  const struct CMUnitTest others[] = {cmocka_unit_test(large)};
  return argc == 2 ? cmocka_run_group_tests(cases, NULL, NULL)
                   : cmocka_run_group_tests(others, NULL, NULL);
}

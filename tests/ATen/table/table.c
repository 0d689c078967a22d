/* Checks the properties of operations in at_op: the element types, the arguments that are changed,
 * and the arguments that results share memory with.  The cases of PyTorch are called with their
 * tensors in every element type.
 *
 *     test_ATen_table CASES...          checks
 *     test_ATen_table print CASES...    prints what was found, for the rows of src/ops/aten */
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "th_test.h"

enum { MOST_OPS = 4096 };

static char **paths;

typedef struct Found {
  unsigned types;   /* with which the call succeeded */
  unsigned written; /* arguments that changed */
  int alias;        /* the argument that shares memory with the first such result */
  bool isNew;       /* a first result shared memory with no argument */
  bool isTried;
} Found;

static Found found[MOST_OPS];

static at_tensor *first_tensor(const Case *one)
{
  for (int i = 0; i < one->op->argumentCount; i++) {
    const CaseValue *v = &one->arguments[i];
    if (v->value.tensor)
      return v->value.tensor;
    for (int k = 0; k < v->value.tensors.count; k++)
      if (v->tensors[k])
        return v->tensors[k];
  }
  return NULL;
}

/* t, converted to type if it is of the type from. */
static at_tensor *as(at_tensor *t, const at_type *from, const at_type *type)
{
  return !t ? NULL : at_typeOf(t) == from ? at_clone(at_to(t, type)) : at_clone(t);
}

static bool shares(const at_tensor *a, const at_tensor *b)
{
  if (!at_defined(a) || !at_defined(b) || !at_data(a) || !at_data(b))
    return false;
  at_storage *x = at_storageOf((at_tensor *)a), *y = at_storageOf((at_tensor *)b);
  const bool same = at_storage_data(x) == at_storage_data(y) && at_storage_data(x);
  at_storage_release(x);
  at_storage_release(y);
  return same;
}

static bool same(at_tensor *a, at_tensor *b)
{
  if (at_dim(a) != at_dim(b) || !at_is_same_size(a, b))
    return false;
  at_tensor *x = at_contiguous(a), *y = at_contiguous(b);
  return at_numel(a) == 0 ||
         !memcmp(at_data(x), at_data(y), (size_t)at_numel(a) * at_type_elementSize(at_typeOf(a)));
}

static bool is_complex(const at_type *type)
{
  const at_scalar_type t = at_type_scalarType(type);
  return t == AT_COMPLEX_FLOAT || t == AT_COMPLEX_DOUBLE;
}

/* Gives the call the element type Double, which complex operands may need; false if it takes none. */
static bool give_type(const at_op *op, at_value *values)
{
  bool given = false;
  for (int i = 0; i < op->argumentCount; i++)
    if (op->arguments[i].kind == AT_KIND_TYPE && op->arguments[i].defaults && !values[i].given) {
      values[i].type = AT_CPU(AT_DOUBLE);
      given = values[i].given = true;
    }
  return given;
}

static void try_type(const Case *one, const at_type *from, const at_type *type)
{
  const at_op *op = one->op;
  Found *f = &found[op - at_ops];
  at_value values[CASE_VALUES], results[CASE_VALUES] = {{0}};
  at_tensor *lists[CASE_VALUES][CASE_TENSORS], *before[CASE_VALUES] = {NULL};
  case_values(one, values);
  for (int i = 0; i < op->argumentCount; i++) {
    at_value *v = &values[i];
    v->tensor = as(v->tensor, from, type);
    if (v->tensor)
      before[i] = at_clone(v->tensor);
    for (int k = 0; k < v->tensors.count; k++)
      lists[i][k] = as(v->tensors.data[k], from, type);
    v->tensors.data = lists[i];
    if (v->type && v->type == from)
      v->type = type;
  }
  bool good = op->call(values, results);
  if (!good && is_complex(type) && give_type(op, values))
    good = op->call(values, results);
  f->isTried = true;
  at_error_clear();
  if (!good)
    return;
  f->types |= 1U << at_type_scalarType(type);
  for (int i = 0; i < op->argumentCount; i++)
    if (before[i] && !same(before[i], values[i].tensor))
      f->written |= 1U << i;
  const bool isList = op->results[0].kind == AT_KIND_TENSORS;
  if (!isList && op->results[0].kind != AT_KIND_TENSOR)
    return;
  const at_tensor *r = !isList                  ? results[0].tensor
                       : results[0].list->count ? results[0].list->data[0]
                                                : NULL;
  bool any = false;
  for (int i = 0; r && i < op->argumentCount; i++) {
    const at_tensor *t = values[i].tensors.count ? values[i].tensors.data[0] : values[i].tensor;
    if (!any && shares(r, t)) {
      f->alias = i + 1;
      any = true;
    }
  }
  f->isNew |= !any;
}

static bool is_floating(const at_type *type)
{
  const at_scalar_type t = at_type_scalarType(type);
  return t == AT_FLOAT || t == AT_DOUBLE || t == AT_HALF || t == AT_BFLOAT16;
}

/* Whether the call has an argument for the element type. */
static bool has_type(const Case *one)
{
  for (int i = 0; i < one->op->argumentCount; i++)
    if (one->arguments[i].value.given && one->op->arguments[i].kind == AT_KIND_TYPE &&
        one->op->arguments[i].defaults)
      return true;
  return false;
}

/* Whether all floating tensors, or all others, are of that type. */
static bool is_of_one_type(const Case *one, const at_type *type)
{
  for (int i = 0; i < one->op->argumentCount; i++) {
    const at_tensor *t = one->arguments[i].value.tensor;
    if (t && at_typeOf(t) != type && is_floating(at_typeOf(t)) == is_floating(type))
      return false;
  }
  return true;
}

static void visit(Case *one, void *unused)
{
  const at_tensor *first = first_tensor(one);
  const at_type *const from = first ? at_typeOf(first) : NULL;
  if (one->error || !from || has_type(one))
    return;
  for (int t = 0; t < AT_SCALAR_TYPES; t++)
    if (AT_CPU((at_scalar_type)t) == from || is_of_one_type(one, from))
      AT_SCOPE
      {
        try_type(one, from, AT_CPU((at_scalar_type)t));
      }
}

static void look(void)
{
  CHECK(at_opCount <= MOST_OPS);
  for (char **path = paths; *path; path++)
    cases_each(*path, false, visit, NULL);

  /* All names of a row count as one, and the form in place where there is no function. */
  for (int i = 0; i < at_opCount; i++)
    for (int k = 0; k < at_opCount; k++)
      if (k != i && found[k].isTried && at_ops[i].form == at_ops[k].form &&
          !strcmp(at_ops[i].schema, at_ops[k].schema)) {
        found[i].isTried = true;
        found[i].types |= found[k].types;
      }
}

static bool has_function(const at_op *op)
{
  for (int i = 0; i < at_opCount; i++)
    if (at_ops[i].form == AT_FORM_FUNCTION && !strcmp(op->schema, at_ops[i].schema))
      return true;
  return false;
}

static void print_found(void)
{
  for (int i = 0; i < at_opCount; i++) {
    const at_op *op = &at_ops[i];
    printf("%s\t%s\t%d\t%s\t%d\t0x%x\t", op->name, op->overload, op->form, op->schema,
           found[i].isTried, found[i].types);
    for (int k = 0; k < op->argumentCount; k++)
      if (found[i].written >> k & 1)
        printf("%s ", op->arguments[k].name);
    printf("\t%s\t%d\n", found[i].alias ? op->arguments[found[i].alias - 1].name : "",
           found[i].isNew);
  }
}

static void facts(void **state)
{
  int problems = 0, tried = 0;
  for (int i = 0; i < at_opCount; i++) {
    const at_op *op = &at_ops[i];
    const Found *f = &found[i];
    if (!f->isTried)
      continue;
    tried++;
    if ((op->form == AT_FORM_FUNCTION || !has_function(op)) && f->types != op->elementTypes) {
      problems++;
      print_error("%s.%s: takes 0x%x, and says 0x%x\n", op->name, op->overload, f->types,
                  op->elementTypes);
    }
    for (int k = 0; k < op->argumentCount; k++)
      if ((f->written >> k & 1) && !op->arguments[k].isWritten) {
        problems++;
        print_error("%s.%s: changes %s, and does not say so\n", op->name, op->overload,
                    op->arguments[k].name);
      }
    if (f->alias && op->results[0].alias != f->alias - 1) {
      problems++;
      print_error("%s.%s: the result shares memory with %s, and it says %d\n", op->name,
                  op->overload, op->arguments[f->alias - 1].name, op->results[0].alias);
    }
    if (!f->alias && f->isNew && op->form == AT_FORM_FUNCTION && op->results[0].alias >= 0) {
      problems++;
      print_error("%s.%s: the result never shares memory, and it says %d\n", op->name, op->overload,
                  op->results[0].alias);
    }
  }
  printf("%d operations\n", tried);
  CHECK(tried > 0);
  CHECK_MSG(problems == 0, "%d problems", problems);
}

int main(int argc, char **argv)
{
  CHECK(argc > 1);
  const bool prints = !strcmp(argv[1], "print");
  paths = argv + 1 + prints;
  look();
  if (prints) {
    print_found();
    return 0;
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test(facts)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

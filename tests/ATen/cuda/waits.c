/* Which of ATen's operations on CUDA make the host wait, in the cases of files: those of a list, and no others.
 *
 *     test_ATen_cuda_waits_sim LIST FILE... */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../table/cases.h"
#include "th_counts.h"
#include "th_test.h"

enum { NAME = 64, LISTED = 256 };

static char **paths;
static int pathCount;
static bool waits[4096]; /* for each of at_ops */
static char listed[LISTED][NAME];
static bool seen[LISTED]; /* whether one of that name waits */
static int listedCount;

/* --- the list --------------------------------------------------------------------------------- */

/* Lines of a name and a reason; # begins a comment. */
static void read_list(const char *path)
{
  char line[256];
  FILE *const file = fopen(path, "r");
  CHECK_MSG(file != NULL, "%s", path);
  while (fgets(line, sizeof line, file)) {
    if (line[0] == '#')
      continue;
    CHECK(listedCount < LISTED && strstr(line, "  ")); /* there is a reason */
    CHECK_EQ(sscanf(line, "%63s", listed[listedCount++]), 1);
  }
  fclose(file);
}

/* The position of the operation in the list, or -1; its forms with a given result and in place have one name. */
static int find_listed(const char *name)
{
  size_t length = strlen(name);
  length -= length > 4 && !strcmp(name + length - 4, "_out") ? 4 : 0;
  length -= length > 0 && name[length - 1] == '_';
  for (int i = 0; i < listedCount; i++)
    if (strlen(listed[i]) == length && !strncmp(listed[i], name, length))
      return i;
  return -1;
}

/* --- a call ----------------------------------------------------------------------------------- */

typedef struct Call {
  const at_op *op;
  at_value values[CASE_VALUES];
  at_tensor *lists[CASE_VALUES][CASE_TENSORS];
  bool computes;
} Call;

static at_tensor *on_device(at_tensor *t)
{
  return t ? at_to(t, AT_CUDA(at_type_scalarType(at_typeOf(t)))) : NULL;
}

/* Copies the operands to the device; false if the case has none. */
static bool prepare(const Case *one, Call *c)
{
  bool any = false;
  c->op = one->op;
  case_values(one, c->values);
  for (int i = 0; i < one->op->argumentCount; i++) {
    at_value *const v = &c->values[i];
    any |= v->tensor || v->type || v->tensors.count > 0;
    v->tensor = on_device(v->tensor);
    v->type = v->type ? AT_CUDA(at_type_scalarType(v->type)) : NULL;
    if (one->op->arguments[i].kind == AT_KIND_GENERATOR)
      *v = (at_value){0}; /* the default */
    for (int k = 0; k < v->tensors.count; k++)
      c->lists[i][k] = on_device(v->tensors.data[k]);
    if (v->tensors.count > 0)
      v->tensors.data = c->lists[i];
  }
  return any;
}

static void make(void *context)
{
  Call *const c = context;
  at_value results[CASE_VALUES] = {{0}};
  c->computes = c->op->call(c->values, results);
  at_error_clear();
}

static void run_case(Case *one, void *context)
{
  static Call c;
  memset(&c, 0, sizeof c);
  if (one->error || waits[one->op - at_ops])
    return;
  AT_SCOPE
  {
    if (!prepare(one, &c))
      break;
    at_cuda_synchronize();
    const Counts counts = counts_of(make, &c);
    waits[one->op - at_ops] = c.computes && counts.waits > 0;
    if (!waits[one->op - at_ops])
      break;
    const int at = find_listed(one->op->name);
    if (at >= 0)
      seen[at] = true;
    else
      print_error("%s:%d: %s waits %d times, and is not listed\n", one->path, one->line,
                  one->op->name, counts.waits);
    *(int *)context += at < 0;
  }
  at_cuda_synchronize();
  at_error_clear();
}

static void table(void **state)
{
  int problems = 0;
  for (int i = 0; i < pathCount; i++)
    cases_each(paths[i], false, run_case, &problems);
  for (int i = 0; i < listedCount; i++)
    if (!seen[i])
      print_error("%s is listed, and never waits\n", listed[i]), problems++;
  CHECK_EQ(problems, 0);
}

int main(int argc, char **argv)
{
  CHECK(argc > 2 && at_opCount <= (int)(sizeof waits / sizeof *waits));
  read_list(argv[1]);
  paths = argv + 2;
  pathCount = argc - 2;
  const struct CMUnitTest tests[] = {cmocka_unit_test(table)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

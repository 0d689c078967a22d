/* Completeness: each name of the interface's table exists, except those that docs/aten.md lists as
 * left out, and each row of the tables of operations has a case from PyTorch that succeeds.
 *
 *     test_ATen_complete aten.tsv aten.md CASES... */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "th_test.h"

static char **arguments;

/* --- names ------------------------------------------------------------------------------------ */

enum { MOST_PATTERNS = 256 };

static char patterns[MOST_PATTERNS][64];
static int patternCount;

/* Reads the names in backquotes in the list items of the section "What is left out". */
static void read_left_out(const char *path)
{
  char line[1024];
  bool inside = false;
  FILE *file = fopen(path, "r");
  CHECK_MSG(file != NULL, "%s cannot be read", path);
  while (fgets(line, sizeof line, file)) {
    if (line[0] == '#')
      inside = strstr(line, "What is left out") != NULL;
    for (char *from = line, *to; inside && (from = strchr(from, '`')) && (to = strchr(++from, '`'));
         from = to + 1) {
      CHECK(patternCount < MOST_PATTERNS);
      snprintf(patterns[patternCount++], sizeof *patterns, "%.*s", (int)(to - from), from);
    }
  }
  fclose(file);
}

static bool is_left_out(const char *name)
{
  for (int i = 0; i < patternCount; i++)
    if (fnmatch(patterns[i], name, 0) == 0)
      return true;
  return false;
}

static void names(void **state)
{
  read_left_out(arguments[2]);
  char line[4096], before[64] = "";
  int found = 0, leftOut = 0, problems = 0;
  FILE *file = fopen(arguments[1], "r");
  CHECK_MSG(file != NULL && fgets(line, sizeof line, file), "%s cannot be read", arguments[1]);
  while (fgets(line, sizeof line, file)) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(line, "\t"), line);
    if (!strcmp(name, before))
      continue;
    strcpy(before, name);
    const bool there = at_op_find(name) != NULL, out = is_left_out(name);
    found += there;
    leftOut += out;
    if (there != out)
      continue;
    problems++;
    print_error(there ? "%s is there, and docs/aten.md leaves it out\n" : "%s is not there\n",
                name);
  }
  fclose(file);
  printf("%d names found, %d left out\n", found, leftOut);
  CHECK_MSG(problems == 0, "%d names", problems);
}

/* --- cases ------------------------------------------------------------------------------------ */

static bool tested[4096]; /* for each of at_ops */

/* Operations with unspecified contents, tested in objects.c, and operations on storages and
 * strides, tested in shapes.c. */
static const char *const elsewhere[] = {"empty",    "empty_like",    "set_",
                                        "tensor",   "stride",        "storage_offset",
                                        "data_ptr", "is_contiguous", "pin_memory"};

/* Whether an operation has a case; the names of one row share their cases. */
static bool is_tested(int op)
{
  for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
    if (!strcmp(at_ops[op].name, elsewhere[i]))
      return true;
  for (int i = 0; i < at_opCount; i++)
    if (tested[i] && at_ops[i].form == at_ops[op].form &&
        !strcmp(at_ops[i].schema, at_ops[op].schema))
      return true;
  return false;
}

static void succeeds(Case *one, void *unused)
{
  if (!one->error)
    tested[one->op - at_ops] = true;
}

static void all_tested(void **state)
{
  CHECK(at_opCount <= (int)(sizeof tested / sizeof *tested));
  for (char **path = arguments + 3; *path; path++)
    cases_each(*path, false, succeeds, NULL);
  int problems = 0;
  for (int i = 0; i < at_opCount; i++)
    if (!is_tested(i)) {
      problems++;
      print_error("%s%s%s has no case\n", at_ops[i].name, at_ops[i].overload[0] ? "." : "",
                  at_ops[i].overload);
    }
  CHECK_MSG(problems == 0, "%d operations", problems);
}

int main(int argc, char **argv)
{
  CHECK(argc > 3);
  arguments = argv;
  const struct CMUnitTest tests[] = {cmocka_unit_test(names), cmocka_unit_test(all_tested)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

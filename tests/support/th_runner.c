/* The program that runs the templated tests.
 *
 *     th_tests                      all of them
 *     th_tests Float/cadd 'Int/?*'  those whose name, or type and file, matches a pattern
 *     th_tests Float/THTensorCopy   those of a file
 *     th_tests --list [patterns]    their names only
 *     th_tests --faults             what is run with failing allocations: see th_faults.h */
#include <fnmatch.h>

#include "th_faults.h"

static th_test_group *groups;

void th_test_register(th_test_group *group)
{
  group->next = groups;
  groups = group;
}

/* --- names -------------------------------------------------------------------------------- */

/* Writes TYPE/FILE, the file without folder and ending. */
static void group_name(const th_test_group *group, char *name, size_t length)
{
  const char *slash = strrchr(group->file, '/');
  const char *file = slash ? slash + 1 : group->file;
  const char *dot = strrchr(file, '.');
  snprintf(name, length, "%s/%.*s", group->type, dot ? (int)(dot - file) : (int)strlen(file), file);
}

/* Writes TYPE/TEST for the next name of "THTest_(a), THTest_(b)" and returns the rest of the list.
 */
static const char *test_name(const th_test_group *group, const char *names, char *name,
                             size_t length)
{
  const char *open = strchr(names, '('), *close = open ? strchr(open, ')') : NULL;
  if (!close) {
    fprintf(stderr, "%s: TH_TESTS(%s) must list THTest_(name), ...\n", group->file, group->names);
    exit(2);
  }
  snprintf(name, length, "%s/%.*s", group->type, (int)(close - open - 1), open + 1);
  return close + 1;
}

static int is_wanted(const char *group, const char *test, int count, char **patterns)
{
  for (int i = 0; i < count; i++)
    if (!fnmatch(patterns[i], test, 0) || !fnmatch(patterns[i], group, 0))
      return 1;
  return count == 0;
}

/* --- running ------------------------------------------------------------------------------ */

/* An error that reaches the handlers is one that the test did not expect. */
static void unexpected_error(const char *msg, void *data)
{
  th_fail_at(__FILE__, __LINE__, "unexpected error: %s", msg);
}

static void unexpected_argument_error(int argument, const char *msg, void *data)
{
  th_fail_at(__FILE__, __LINE__, "unexpected error about argument %d: %s", argument, msg);
}

static void run_body(void **state)
{
  const th_test_body *body = *state;
  th_note("%s", "");
  (*body)();
  THGuard probe;
  THGuard_enter(&probe, NULL);
  const int guarded = probe.below != NULL;
  probe.below = NULL; /* not to fail the next test too */
  THGuard_keep(&probe);
  CHECK_MSG(!guarded, "a guard was entered and not left");
}

int main(int count, char **arguments)
{
  if (count > 1 && strcmp(arguments[1], "--faults") == 0) {
    th_faults_list();
    return 0;
  }
  const int list = count > 1 && strcmp(arguments[1], "--list") == 0;
  const int patterns = count - 1 - list;
  char **pattern = arguments + 1 + list;

  size_t most = 0, chosen = 0;
  for (const th_test_group *group = groups; group; group = group->next)
    most += group->count;
  struct CMUnitTest *tests = calloc(most + 1, sizeof *tests);

  for (const th_test_group *group = groups; group; group = group->next) {
    char ofGroup[256], ofTest[256];
    group_name(group, ofGroup, sizeof ofGroup);
    const char *names = group->names;
    for (size_t i = 0; i < group->count; i++) {
      names = test_name(group, names, ofTest, sizeof ofTest);
      if (!is_wanted(ofGroup, ofTest, patterns, pattern))
        continue;
      if (list)
        printf("%s\n", ofTest);
      tests[chosen++] = (struct CMUnitTest){.name = strdup(ofTest),
                                            .test_func = run_body,
                                            .initial_state = (void *)(group->bodies + i)};
    }
  }

  int failed = 0;
  if (chosen == 0) {
    fprintf(stderr, "th_tests: no test has a name like that; --list shows them\n");
    failed = 2;
  } else if (!list) {
    THSetDefaultErrorHandler(unexpected_error, NULL);
    THSetDefaultArgErrorHandler(unexpected_argument_error, NULL);
    failed = _cmocka_run_group_tests("th_tests", tests, chosen, NULL, NULL) != 0;
  }
  for (size_t i = 0; i < chosen; i++)
    free((char *)tests[i].name);
  free(tests);
  return failed;
}

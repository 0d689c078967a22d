/* Operations with random arguments: each call ends with results or an error.
 *
 *     test_ATen_arguments [CALLS|SECONDSs [FIRST]]
 *
 * Makes CALLS calls, or calls for SECONDS seconds, beginning with number FIRST, in JOBS processes
 * (from the environment; default 1).  The number of a call and TH_TEST_SEED determine the call: one
 * that a failure names is repeated by CALLS 1 and its number.  Allocations of more than a few
 * megabytes fail, so that sizes may be huge.  From a million calls on, each operation with a stored
 * case must succeed in at least a hundred. */
#define _GNU_SOURCE
#include <glob.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "th_fail.h"
#include "th_test.h"
#include "witness.h"

enum { OPERATIONS = 8192, JOBS = 64, SECONDS = 30, PROBLEMS = 3, MEGABYTES = 16, SUCCESSES = 100 };

/* Memory shared by the processes. */
static struct Shared {
  int calls[OPERATIONS], successes[OPERATIONS], problems[OPERATIONS];
  int64_t at[JOBS]; /* the current call of each process */
} *shared;

/* --- one call --------------------------------------------------------------------------------- */

static void report(const Call *call, int64_t number, const char *what)
{
  fprintf(stderr, "call %lld, TH_TEST_SEED=%llu: %s\n", (long long)number,
          (unsigned long long)th_seed(), what);
  draw_print(call, stderr);
}

static const at_op *op_of(int64_t number)
{
  return &at_ops[number % at_opCount];
}

/* Makes the call again with operands that want gradients, and passes back, every other time so that
 * the gradients can be differentiated; errors are none of this test's. */
static void differentiate(Call *call, bool twice)
{
  AT_SCOPE
  {
    for (int i = 0; i < call->tensorCount; i++)
      at_requires_grad_(call->tensors[i]);
    memset(call->results, 0, sizeof call->results);
    at_error_clear();
    if (call->op->call(call->values, call->results))
      for (int i = 0; i < call->op->resultCount; i++) {
        const at_kind kind = call->op->results[i].kind;
        const at_value *const made = &call->results[i];
        at_tensor *const t = kind == AT_KIND_TENSORS
                                 ? made->tensors.count > 0 ? made->tensors.data[0] : NULL
                             : kind <= AT_KIND_OPTIONAL_TENSOR ? made->tensor
                                                               : NULL;
        if (at_requiresGrad(t))
          (void)at_backward(t, .gradient = at_ones_like(t), .retain_graph = true,
                            .create_graph = twice);
      }
    for (int i = 0; i < call->tensorCount; i++) {
      at_error_clear();
      if (at_requiresGrad(call->tensors[i]))
        (void)at_set_grad(call->tensors[i], NULL);
      at_detach_(call->tensors[i]);
    }
  }
}

/* Makes a call; returns the number of allocations that it leaks. */
static int left_by(Call *call, int64_t number, const char **problem, bool *succeeded)
{
  const int live = th_fail_live();
  draw_call(call, op_of(number), (uint64_t)number);
  witness_enter(call);
  *succeeded = call->op->call(call->values, call->results);
  *problem = witness_leave(call, *succeeded);
  *succeeded &= !draw_hasUndefined(call);
  if (*succeeded && call->op->form == AT_FORM_FUNCTION && call->op->gradient == AT_GRADIENT_FORMULA)
    differentiate(call, number / at_opCount % 2 == 1);
  at_error_clear();
  draw_free(call);
  return th_fail_live() - live;
}

/* Prints the call before it is made. */
static void describe(int64_t number, const char *what)
{
  static Call call;
  draw_call(&call, op_of(number), (uint64_t)number);
  report(&call, number, what);
  draw_free(&call);
}

static void run(int64_t number)
{
  static Call call;
  const int index = (int)(op_of(number) - at_ops);
  const char *problem;
  bool succeeded;
  alarm(SECONDS);
  int left = left_by(&call, number, &problem, &succeeded);
  if (left > 0 && !problem) /* an allocation may be permanent, made at the first call */
    left = left_by(&call, number, &problem, &succeeded);
  alarm(0);
  char text[1100];
  if (left > 0)
    snprintf(text, sizeof text, "%d acquisitions are left behind", left);
  else if (problem)
    snprintf(text, sizeof text, "%s", problem);
  if (left > 0 || problem) {
    __atomic_add_fetch(&shared->problems[index], 1, __ATOMIC_RELAXED);
    describe(number, text);
  }
  __atomic_add_fetch(&shared->calls[index], 1, __ATOMIC_RELAXED);
  __atomic_add_fetch(&shared->successes[index], succeeded, __ATOMIC_RELAXED);
}

/* --- processes -------------------------------------------------------------------------------- */

static int64_t jobs = 1, first, end;
static time_t deadline;

/* Makes the calls of a process; operations with too many problems are skipped. */
static void make_calls(int job)
{
  for (; shared->at[job] < end && (!deadline || time(NULL) < deadline); shared->at[job] += jobs)
    if (shared->problems[op_of(shared->at[job]) - at_ops] < PROBLEMS)
      run(shared->at[job]);
}

static pid_t start(int job)
{
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    th_fail_above((size_t)MEGABYTES << 20);
    make_calls(job);
    fflush(NULL);
    _exit(0);
  }
  return child;
}

/* Starts a process that continues after the call that ended the former one. */
static pid_t after(int job, int status)
{
  const int64_t number = shared->at[job];
  char what[80];
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
    return 0;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    snprintf(what, sizeof what, "takes more than %d seconds", SECONDS);
  else
    snprintf(what, sizeof what, "ends the process with %s %d",
             WIFSIGNALED(status) ? "signal" : "status",
             WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
  __atomic_add_fetch(&shared->problems[op_of(number) - at_ops], 1, __ATOMIC_RELAXED);
  const pid_t child = fork();
  if (child == 0) {
    describe(number, what);
    _exit(0);
  }
  waitpid(child, NULL, 0);
  shared->at[job] += jobs;
  return start(job);
}

static void run_all(void)
{
  pid_t children[JOBS];
  int running = 0;
  for (int job = 0; job < jobs; job++) {
    shared->at[job] = first + job;
    children[job] = start(job);
    running++;
  }
  while (running > 0) {
    int status;
    const pid_t ended = wait(&status);
    CHECK(ended > 0);
    for (int job = 0; job < jobs; job++)
      if (children[job] == ended) {
        children[job] = after(job, status);
        running -= children[job] == 0;
        break;
      }
  }
}

/* --- all -------------------------------------------------------------------------------------- */

static void read_cases(void)
{
  glob_t files;
  CHECK(glob(AT_GOLDEN_DIR "/aten/*.txt", 0, NULL, &files) == 0);
  for (size_t i = 0; i < files.gl_pathc; i++)
    draw_from(files.gl_pathv[i]);
  globfree(&files);
}

static int failures(void)
{
  int64_t calls = 0, successes = 0;
  int problems = 0, withCase = 0, few = 0, least = INT32_MAX;
  for (int i = 0; i < at_opCount; i++) {
    calls += shared->calls[i];
    successes += shared->successes[i];
    problems += shared->problems[i];
    if (shared->problems[i] >= PROBLEMS)
      printf("%s.%s was left alone after %d problems\n", at_ops[i].name, at_ops[i].overload,
             shared->problems[i]);
    const bool stored = draw_hasCase(&at_ops[i]), enough = shared->successes[i] >= SUCCESSES;
    withCase += stored;
    if (stored)
      least = THMin(least, shared->successes[i]);
    if (end - first < 1000000 || deadline || enough)
      continue;
    printf("%s.%s succeeded %d times in %d calls%s\n", at_ops[i].name, at_ops[i].overload,
           shared->successes[i], shared->calls[i], stored ? "" : ", without a case");
    few += stored;
  }
  printf(
      "%lld calls of %d operations, %lld succeeded; %d operations have cases, and each of these "
      "succeeded at least %d times; %d problems\n",
      (long long)calls, at_opCount, (long long)successes, withCase, least, problems);
  return problems + few;
}

int main(int argc, char **argv)
{
  char *unit = "";
  const int64_t calls = argc > 1 ? strtoll(argv[1], &unit, 10) : 5000;
  first = argc > 2 ? atoll(argv[2]) : 0;
  end = *unit ? INT64_MAX / 2 : first + calls;
  if (getenv("JOBS"))
    jobs = THMin(THMax(atoi(getenv("JOBS")), 1), JOBS);
  CHECK(argc <= 3 && calls > 0 && (!*unit || !strcmp(unit, "s")));
  CHECK(first >= 0 && at_opCount <= OPERATIONS);
  printf("TH_TEST_SEED=%llu\n", (unsigned long long)th_seed());
  shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  CHECK(shared != MAP_FAILED);
  read_cases();
  if (*unit)
    deadline = time(NULL) + calls;
  run_all();
  return failures() > 0;
}

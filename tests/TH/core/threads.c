/* Threads where they are few: in forked children, and under limits. */
#define _GNU_SOURCE /* setresuid */
#include <errno.h>
#include <omp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "th_test.h"

enum { COUNT = 1 << 20, SIDE = 192 };

/* Whether loops and products give what they should: sums of whole numbers, which are exact. */
static int computes(void)
{
  THFloatTensor *x = THFloatTensor_newWithSize1d(COUNT);
  THFloatTensor_fill(x, 1);
  THFloatTensor_add(x, x, 2);
  int right = THFloatTensor_sumall(x) == 3. * COUNT;
  THFloatTensor *a = THFloatTensor_newWithSize2d(SIDE, SIDE);
  THFloatTensor *r = THFloatTensor_newWithSize2d(SIDE, SIDE);
  THFloatTensor_fill(a, 2);
  THFloatTensor_addmm(r, 0, r, 1, a, a);
  right &= THFloatTensor_minall(r) == 4 * SIDE && THFloatTensor_maxall(r) == 4 * SIDE;
  THFloatTensor_free(r);
  THFloatTensor_free(a);
  THFloatTensor_free(x);
  return right;
}

/* What a child ends with that an emulator runs: the kernel cannot start its program anew, or limits do not hold. */
enum { EMULATED = 77 };

/* Runs in a child, which ends with 0 if all is well, or by the alarm if it hangs. */
static void check_child(int (*run)(void), void (*become)(void))
{
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    if (become)
      become();
    _exit(run() ? 0 : 3);
  }
  int status;
  while (waitpid(child, &status, 0) < 0)
    assert_int_equal(errno, EINTR);
  if (WIFSIGNALED(status))
    fail_msg("the child hangs, or dies: signal %d", WTERMSIG(status));
  if (WEXITSTATUS(status) == EMULATED)
    skip();
  assert_int_equal(WEXITSTATUS(status), 0);
}

/* --- fork ------------------------------------------------------------------------------------ */

static int asks_for_threads(void)
{
  THSetNumThreads(2);
  if (THGetNumThreads() != 1 || !computes())
    return 0;
  omp_set_num_threads(2); /* behind our back */
  return THGetNumThreads() == 1 && computes();
}

static void forked(void **state)
{
  const int before = THGetNumThreads();
  THSetNumThreads(2);
  assert_true(computes());
  check_child(asks_for_threads, NULL);
  THSetNumThreads(before);
}

/* --- limits ---------------------------------------------------------------------------------- */

static const char *self;

/* The runtime reads its variables when it is loaded, and a forked child has no threads at all: what
 * meets a limit is this program anew. */
static void start_anew(const char *way, const char *stack)
{
  setenv("OMP_NUM_THREADS", "4", 1);
  setenv("OMP_STACKSIZE", stack, 1);
  execl(self, self, way, (char *)NULL);
  _exit(errno == ENOEXEC ? EMULATED : 4);
}

static void with_little_room(void)
{
  start_anew("room", "4G");
}

static void with_few_processes(void)
{
  start_anew("processes", "1M");
}

static int never(void)
{
  return 0;
}

static void room(void **state)
{
#ifdef TH_SANITIZED /* whose memory takes all of the address space */
  skip();
#endif
  check_child(never, with_little_room);
}

static void processes(void **state)
{
  check_child(never, with_few_processes);
}

static rlim_t address_space(void)
{
  long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld", &pages) != 1)
    exit(5);
  fclose(file);
  return (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

/* Runs in the new program: 0 if it computes, on one thread. */
static int limited(const char *way)
{
  alarm(60);
  if (!strcmp(way, "room")) { /* for OpenBLAS, and for no thread's stack */
    const rlim_t most = address_space() + ((rlim_t)2 << 30);
    struct rlimit limit = {most, most};
    if (setrlimit(RLIMIT_AS, &limit))
      return 6;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != most)
      return EMULATED;
  } else {
    /* The limit does not hold for root. */
    if (geteuid() == 0 && setresuid(65534, 65534, 65534))
      return 7;
    if (setrlimit(RLIMIT_NPROC, &(struct rlimit){1, 1}))
      return 8;
  }
  if (THGetNumThreads() != 4 || !computes() || THGetNumThreads() != 1)
    return 9;
  THSetNumThreads(3); /* asked for again, tried again */
  if (THGetNumThreads() != 3 || !computes() || THGetNumThreads() != 1)
    return 10;
  return 0;
}

/* --- BLAS at a defined moment ----------------------------------------------------------------- */

static int loads_before(void)
{
  THInferNumThreads();
  setenv("TH_BLAS_LIBRARY", "/nowhere/libmissing.so", 1);
  return computes();
}

/* Before anything else in this program needs it. */
static void loaded(void **state)
{
  check_child(loads_before, NULL);
}

int main(int argc, char **argv)
{
  if (argc > 1)
    _exit(limited(argv[1])); /* the leak checker would start a process */
  self = argv[0];
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(loaded),
      cmocka_unit_test(forked),
      cmocka_unit_test(room),
      cmocka_unit_test(processes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

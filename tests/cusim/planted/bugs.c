/* Mistakes that were planted are found by the modes that are meant to find them, and what is said
 * names the kernel, the block and the thread; without the mistake all modes are content. */
#include "planted.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "th_test.h"

enum { N = 256 };

#define CHECK_CUDA(CALL)                                                          \
  do {                                                                            \
    if (CALL) {                                                                   \
      fprintf(stderr, "%s: %s\n", #CALL, cudaGetErrorString(cudaGetLastError())); \
      _exit(3);                                                                   \
    }                                                                             \
  } while (0)

typedef void Launcher(int wrong, float *x, cudaStream_t stream);

/* One launch, and its result if it has any. */
static void run_launcher(Launcher *launch, int wrong)
{
  void *x;
  float result[N];
  CHECK_CUDA(cudaMalloc(&x, sizeof result));
  CHECK_CUDA(cudaMemset(x, 0, sizeof result));
  launch(wrong, x, 0);
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaMemcpy(result, x, sizeof result, cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaFree(x));
}

/* Stream b reads what stream a has been asked to write. */
static void run_streams(int wrong)
{
  cudaStream_t a, b;
  cudaEvent_t done;
  void *x, *y;
  float result[N];
  CHECK_CUDA(cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking));
  CHECK_CUDA(cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking));
  CHECK_CUDA(cudaEventCreateWithFlags(&done, cudaEventDisableTiming));
  CHECK_CUDA(cudaMalloc(&x, sizeof result));
  CHECK_CUDA(cudaMalloc(&y, sizeof result));
  planted_fill(x, 5, a);
  CHECK_CUDA(cudaEventRecord(done, a));
  if (!wrong)
    CHECK_CUDA(cudaStreamWaitEvent(b, done, 0));
  planted_copy(y, x, b);
  CHECK_CUDA(cudaStreamSynchronize(b));
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(cudaMemcpy(result, y, sizeof result, cudaMemcpyDeviceToHost));
  for (int i = 0; i < N; i++)
    if (result[i] != 5) {
      fprintf(stderr,
              "element %d is %g, not 5, in kernel copy<<< ... block (0,0,0), thread (%d,0,0)\n", i,
              result[i], i);
      _exit(4);
    }
}

enum { PLAIN = 1, ASAN = 2, RACE = 4, ALL = 7 };

static const struct {
  const char *name;
  Launcher *launch; /* NULL: run_streams */
  int caught;       /* the modes that find the bug */
  const char *kernel, *says;
} mistakes[] = {
    {"global_bounds", planted_global_bounds, ASAN, "global_bounds", "AddressSanitizer"},
    {"shared_bounds", planted_shared_bounds, ASAN, "shared_bounds", "AddressSanitizer"},
    {"dynamic_bounds", planted_dynamic_bounds, ASAN, "dynamic_bounds", "AddressSanitizer"},
    {"dynamic_bounds", planted_dynamic_bounds, PLAIN | RACE, "dynamic_bounds", "out of bounds"},
    {"barrier", planted_barrier, RACE, "barrier", "no barrier between"},
    {"warp_barrier", planted_warp_barrier, RACE, "warp_barrier", "no barrier between"},
    {"atomic", planted_atomic, RACE, "count", "no barrier between"},
    {"blocks", planted_blocks, RACE, "parts", "race between blocks"},
    {"divergent", planted_divergent, ALL, "divergent", "divergent barrier"},
    {"two_barriers", planted_two_barriers, ALL, "two_barriers", "divergent barrier"},
    {"mask", planted_mask, ALL, "mask", "bad warp mask"},
    {"lane", planted_lane, ALL, "lane", "bad warp mask"},
    {"event_wait", NULL, RACE, "fill", "missing event wait"},
    {"event_wait", NULL, PLAIN | ASAN, "copy", "not 5"},
};

static int this_mode(void)
{
  const char *mode = planted_mode();
  return !strcmp(mode, "race") ? RACE : !strcmp(mode, "asan") ? ASAN : PLAIN;
}

/* Runs a bug in a process of its own, which dies of it.  Returns the status of the process; said is what it wrote. */
static int run(int row, int wrong, char *said, size_t size)
{
  int ends[2];
  CHECK_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (!child) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGABRT, SIG_DFL);
    dup2(ends[1], 2);
    close(ends[0]);
    alarm(60);
    if (mistakes[row].launch)
      run_launcher(mistakes[row].launch, wrong);
    else
      run_streams(wrong);
    _exit(0);
  }
  close(ends[1]);
  size_t length = 0;
  ssize_t got;
  char rest[4096];
  while ((got = read(ends[0], rest, sizeof rest)) > 0)
    for (ssize_t i = 0; i < got; i++)
      if (length < size - 1)
        said[length++] = rest[i];
  said[length] = 0;
  close(ends[0]);
  int status;
  CHECK_EQ(waitpid(child, &status, 0), child);
  return status;
}

enum { ROWS = sizeof mistakes / sizeof *mistakes, SAID = 1 << 16 };
static char said[SAID];

static void mistakes_are_found(void **state)
{
  for (int i = 0; i < ROWS; i++) {
    if (!(mistakes[i].caught & this_mode()))
      continue;
    th_note("%s, in mode %s", mistakes[i].name, planted_mode());
    const int status = run(i, 1, said, SAID);
    char kernel[64];
    snprintf(kernel, sizeof kernel, "kernel %s<<<", mistakes[i].kernel);
    if (!status || !strstr(said, mistakes[i].says) || !strstr(said, kernel) ||
        !strstr(said, "block (") || !strstr(said, "thread ("))
      fail_msg("%s ended with status %d and said\n%s", mistakes[i].name, status, said);
  }
}

static void twins_are_right(void **state)
{
  for (int i = 0; i < ROWS; i++) {
    th_note("%s, in mode %s", mistakes[i].name, planted_mode());
    const int status = run(i, 0, said, SAID);
    if (status || *said)
      fail_msg("%s ended with status %d and said\n%s", mistakes[i].name, status, said);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mistakes_are_found),
      cmocka_unit_test(twins_are_right),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* With CUSIM_PROTECT=1 the program cannot reach memory of devices, while kernels, copies and fills can. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "th_test.h"

#include "kernels.h"

enum { N = 1000 };

#define CHECK_CUDA(CALL) CHECK_EQ((int)(CALL), (int)cudaSuccess)

/* Whether a process that reads there ends with a complaint. */
static int is_out_of_reach(const volatile float *x)
{
  int ends[2];
  char said[512] = {0};
  CHECK_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (!child) {
    const struct rlimit none = {0, 0};
    setrlimit(RLIMIT_CORE, &none);
    signal(SIGABRT, SIG_DFL);
    dup2(ends[1], 2);
    _exit(*x == 1 ? 3 : 4);
  }
  close(ends[1]);
  for (size_t length = 0; length < sizeof said - 1;) {
    const ssize_t got = read(ends[0], said + length, sizeof said - 1 - length);
    if (got <= 0)
      break;
    length += (size_t)got;
  }
  close(ends[0]);
  int status;
  CHECK_EQ(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT &&
         strstr(said, "the program used memory of a device") != NULL;
}

static void *device, *pinned, *managed;
static int reached;

static void look(void *unused)
{
  reached = !is_out_of_reach(device);
}

static void who_reaches_it(void **unused)
{
  float host[N];
  for (int i = 0; i < N; i++)
    host[i] = (float)i;
  CHECK_CUDA(cudaMalloc(&device, sizeof host));
  CHECK_CUDA(cudaMallocHost(&pinned, sizeof host));
  CHECK_CUDA(cudaMallocManaged(&managed, sizeof host, cudaMemAttachGlobal));
  CHECK(is_out_of_reach(device));
  CHECK_CUDA(cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemset(pinned, 0, sizeof host));
  CHECK_CUDA(cudaMemset(managed, 0, sizeof host));
  CHECK_CUDA(check_axpy(pinned, 2, device, N, 0));
  CHECK_CUDA(check_axpy(managed, 3, device, N, 0));
  reached = 1;
  CHECK_CUDA(cudaLaunchHostFunc(0, look, NULL));
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK(is_out_of_reach(device));
  CHECK(!reached);
  for (int i = 0; i < N; i++) {
    CHECK_EQ(((float *)pinned)[i], 2.0F * (float)i);
    CHECK_EQ(((float *)managed)[i], 3.0F * (float)i);
  }
  CHECK_CUDA(cudaFree(device));
  CHECK_CUDA(cudaFree(managed));
  CHECK_CUDA(cudaFreeHost(pinned));
}

/* Blocks of all sizes, freed in another order. */
static void blocks(void **unused)
{
  static const size_t sizes[] = {1, 4096, 5000, (size_t)70 << 20, 100, (size_t)3 << 30, 64};
  enum { BLOCKS = sizeof sizes / sizeof *sizes };
  void *made[BLOCKS];
  unsigned char first, last;
  for (int round = 0; round < 2; round++) {
    for (int i = 0; i < BLOCKS; i++) {
      CHECK_CUDA(cudaMalloc(&made[i], sizes[i]));
      CHECK_CUDA(cudaMemset(made[i], i, sizes[i] < 8192 ? sizes[i] : 8192));
      CHECK_CUDA(cudaMemset((char *)made[i] + sizes[i] - 1, i, 1));
    }
    for (int k = 0; k < BLOCKS; k++) {
      const int i = k * 3 % BLOCKS;
      CHECK_CUDA(cudaMemcpy(&first, made[i], 1, cudaMemcpyDeviceToHost));
      CHECK_CUDA(cudaMemcpy(&last, (char *)made[i] + sizes[i] - 1, 1, cudaMemcpyDeviceToHost));
      CHECK_EQ(first, i);
      CHECK_EQ(last, i);
      CHECK_CUDA(cudaFree(made[i]));
    }
  }
}

/* Blocks that are larger and smaller than what was freed between two others. */
static void gaps(void **unused)
{
  enum { BLOCKS = 5, LEFT_OUT = 1 };
  static const size_t sizes[BLOCKS] = {1000, 3000, 1000, 5000, 500};
  unsigned char *made[BLOCKS], host[5000];
  for (int i = 0; i < BLOCKS; i++) {
    if (i == 3)
      CHECK_CUDA(cudaFree(made[LEFT_OUT]));
    CHECK_CUDA(cudaMalloc((void **)&made[i], sizes[i]));
    CHECK_CUDA(cudaMemset(made[i], i + 1, sizes[i]));
  }
  for (int i = 0; i < BLOCKS; i++) {
    if (i == LEFT_OUT)
      continue;
    CHECK_CUDA(cudaMemcpy(host, made[i], sizes[i], cudaMemcpyDeviceToHost));
    for (size_t k = 0; k < sizes[i]; k++)
      CHECK_EQ(host[k], i + 1);
    CHECK_CUDA(cudaFree(made[i]));
  }
}

int main(void)
{
  setenv("CUSIM_PROTECT", "1", 1);
  const struct CMUnitTest tests[] = {cmocka_unit_test(who_reaches_it), cmocka_unit_test(blocks),
                                     cmocka_unit_test(gaps)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

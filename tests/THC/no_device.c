/* THC without a device: its libraries load, every call that needs a device raises an error that
 * says so, and TH still works.  They have not loaded the libraries of CUDA that few calls need.
 *
 *     test_THC_no_device_MODE LIBRARY ...
 *
 * opens the libraries, of which the first is THC's.  The environment hides the devices. */
#include <dlfcn.h>
#include <setjmp.h>

#include "THC.h"

static jmp_buf before;
static char raised[1000];

static void remember(const char *message, void *unused)
{
  snprintf(raised, sizeof raised, "%s", message);
  longjmp(before, 1);
}

static void remember_argument(int argument, const char *message, void *unused)
{
  remember(message, unused);
}

static void *library;

static void *find(const char *name)
{
  void *found = dlsym(library, name);
  if (!found) {
    fprintf(stderr, "%s\n", dlerror());
    exit(1);
  }
  return found;
}

#define CALL(NAME) ((__typeof__(&NAME))find(#NAME))

static int failures;

static void check_said(const char *call, const char *words)
{
  printf("%s\n  %s\n", call, raised[0] ? raised : "no error");
  if (!strstr(raised, words)) {
    fprintf(stderr, "%s: '%s' is not said\n", call, words);
    failures++;
  }
}

/* The call raises an error with these words. */
#define CHECK_SAYS(WORDS, ...)       \
  do {                               \
    raised[0] = '\0';                \
    if (!setjmp(before)) {           \
      __VA_ARGS__;                   \
    }                                \
    check_said(#__VA_ARGS__, WORDS); \
  } while (0)

/* Libraries that THC loads when they are first needed are not in memory. */
static void check_loaded(void)
{
  static const char *const later[] = {"/libcusolver", "/libcusparse", "/libcudnn", "/libnccl"};
  char line[4096];
  FILE *const maps = fopen("/proc/self/maps", "r");
  while (maps && fgets(line, sizeof line, maps))
    for (size_t i = 0; i < sizeof later / sizeof *later; i++)
      if (strstr(line, later[i])) {
        fprintf(stderr, "there is already: %s", line);
        failures++;
      }
  if (maps)
    fclose(maps);
}

int main(int argc, char **argv)
{
  for (int i = argc - 1; i > 0; i--) {
    library = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL);
    if (!library) {
      fprintf(stderr, "%s\n", dlerror());
      return 1;
    }
  }
  check_loaded();
  THSetDefaultErrorHandler(remember, NULL);
  THSetDefaultArgErrorHandler(remember_argument, NULL);

  THCState *state = CALL(THCState_alloc)();
  CHECK_SAYS("no CUDA device", CALL(THCudaInit)(state));
  CHECK_SAYS("no CUDA device", CALL(THCudaInit)(state)); /* said as often as it is asked */
  CHECK_SAYS("THCudaInit", CALL(THCudaTensor_newWithSize1d)(state, 3));
  CHECK_SAYS("THCudaInit", CALL(THCudaStorage_newWithSize)(state, 3));
  CHECK_SAYS("THCudaInit", CALL(THCudaHostAlloc)(state, 3));
  CHECK_SAYS("CUDA", CALL(THCState_getCurrentStream)(state));
  CHECK_SAYS("CUDA", CALL(THCState_getCurrentBlasHandle)(state));
  CHECK_SAYS("CUDA", CALL(THCState_getCurrentDeviceProperties)(state));
  CHECK_SAYS("CUDA", CALL(THCStream_new)(cudaStreamDefault));
  CHECK_SAYS("CUDA", CALL(THCRandom_manualSeed)(state, 1));
  CALL(THCudaShutdown)(state);
  CALL(THCState_free)(state);

  THFloatTensor *t = THFloatTensor_newWithSize1d(3);
  THFloatTensor_fill(t, 2);
  if (THFloatTensor_sumall(t) != 6) {
    fprintf(stderr, "TH does not go on\n");
    failures++;
  }
  THFloatTensor_free(t);
  return failures > 0;
}

/* A program that closes a library after a loop of several threads, which still wait for more.
 *
 *     unload LIBTH */
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

#define FUNCTION(RESULT, NAME, ...) \
  RESULT (*NAME)(__VA_ARGS__) = (RESULT(*)(__VA_ARGS__))dlsym(library, #NAME)

int main(int count, char **arguments)
{
  void *const library = count == 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
  if (!library) {
    fprintf(stderr, "unload: %s\n", count == 2 ? dlerror() : "one argument is wanted");
    return 1;
  }
  FUNCTION(void, THSetNumThreads, int);
  FUNCTION(void *, THFloatTensor_newWithSize1d, int64_t);
  FUNCTION(void, THFloatTensor_fill, void *, float);
  FUNCTION(void, THFloatTensor_free, void *);
  THSetNumThreads(4);
  void *const tensor = THFloatTensor_newWithSize1d(1 << 22);
  THFloatTensor_fill(tensor, 1);
  THFloatTensor_free(tensor);
  dlclose(library);
  usleep(100000); /* in which threads without code would crash */
  if (!dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) {
    fprintf(stderr, "unload: the library is gone, and its threads are not\n");
    return 1;
  }
  return 0;
}

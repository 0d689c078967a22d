/* Libraries loaded by a program that knows nothing of them, as interpreters load extensions.
 *
 * usage: late LIBRARY ...
 *
 * For variables that each thread has, glibc keeps some hundred bytes free for libraries that come
 * late, and all such libraries of a process share them: a library that wants more is refused, at
 * once or only beside others.  So each one's variables have to be small. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

enum { MOST = 128 };

typedef struct {
  const char *library;
  size_t bytes;
} Search;

static int look(struct dl_phdr_info *object, size_t size, void *wanted)
{
  (void)size;
  Search *const search = wanted;
  if (strcmp(object->dlpi_name, search->library))
    return 0;
  for (int i = 0; i < object->dlpi_phnum; i++)
    if (object->dlpi_phdr[i].p_type == PT_TLS)
      search->bytes = object->dlpi_phdr[i].p_memsz;
  return 1;
}

int main(int count, char **libraries)
{
  int failures = 0;
  for (int i = 1; i < count; i++) {
    Search search = {libraries[i], 0};
    if (!dlopen(libraries[i], RTLD_NOW | RTLD_LOCAL)) {
      fprintf(stderr, "late: %s\n", dlerror());
      failures++;
    } else if (!dl_iterate_phdr(look, &search) || search.bytes > MOST) {
      fprintf(stderr, "late: %s has %zu bytes of each thread's, and should have at most %d\n",
              libraries[i], search.bytes, MOST);
      failures++;
    }
  }
  return failures != 0 || count < 2;
}

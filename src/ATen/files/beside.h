/* Libraries that are installed in the folder of another one.  Files that include this define _GNU_SOURCE first. */
#ifndef AT_BESIDE_H
#define AT_BESIDE_H

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <string.h>

/* Opens the library of that name in the folder of the one that has the object own; NULL if there is none.  The folder
 * counts only if the loader knows that library by an absolute path: the path of a program is chosen by its caller.
 * Without glibc nobody tells the path by which the loader knows it. */
static inline void *at_openBeside(const void *own, const char *name, int mode)
{
#ifdef __GLIBC__
  char path[4096];
  Dl_info symbol;
  struct link_map *self = NULL;
  if (dladdr1(own, &symbol, (void **)&self, RTLD_DL_LINKMAP) && self && self->l_name[0] == '/') {
    const int folder = (int)(strrchr(self->l_name, '/') - self->l_name);
    if (snprintf(path, sizeof path, "%.*s/%s", folder, self->l_name, name) < (int)sizeof path)
      return dlopen(path, mode);
  }
#else
  (void)own, (void)name, (void)mode;
#endif
  return NULL;
}

#endif

/* Variables of the environment that name libraries.  A program with more rights than who starts it
 * reads none: secure_getenv, for which a file that includes this defines _GNU_SOURCE. */
#ifndef TH_ENVIRONMENT_H
#define TH_ENVIRONMENT_H

#include "THGeneral.h"

/* Sets *library to the library that a variable names, NULL where it names none.  Returns 0 and adds
 * to problem, a text of so many bytes, why it cannot be used: a path must be absolute, so that
 * nothing is loaded from wherever the program happens to be. */
static inline int THEnvironment_library(const char *variable, const char **library, char *problem,
                                        size_t bytes)
{
  const char *name = secure_getenv(variable);
  *library = name && *name ? name : NULL;
  if (!*library || *name == '/' || !strchr(name, '/'))
    return 1;
  const size_t used = strlen(problem);
  snprintf(problem + used, bytes - used,
           "; %s is \"%s\", neither an absolute path nor a name without '/'", variable, name);
  return 0;
}

#endif

/* A pointer of which every thread has its own. */
#ifndef THC_THREAD_LOCAL_H
#define THC_THREAD_LOCAL_H

#include <pthread.h>

#include "THCMacros.h"

typedef pthread_key_t THCThreadLocal;

/* Raises an error when the process has no more of them. */
THC_API THCThreadLocal THCThreadLocal_alloc(void);
THC_API void THCThreadLocal_free(THCThreadLocal local);

/* NULL in a thread that has set nothing. */
THC_API void *THCThreadLocal_get(THCThreadLocal local);
THC_API void THCThreadLocal_set(THCThreadLocal local, void *value);

#endif

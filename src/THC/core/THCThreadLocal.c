/* Pointers of each thread. */
#include "THCPrivate.h"

static THCThreadLocal new_local(void (*at_thread_exit)(void *value))
{
  pthread_key_t key;
  const int problem = pthread_key_create(&key, at_thread_exit);
  if (problem)
    THError("there is no thread-local variable left: %s", strerror(problem));
  return key;
}

THCThreadLocal THCThreadLocal_alloc(void)
{
  return new_local(NULL);
}

static void free_stream(void *stream)
{
  THCStream_free(stream);
}

THCThreadLocal THC_newStreamLocal(void)
{
  return new_local(free_stream);
}

void THCThreadLocal_free(THCThreadLocal local)
{
  pthread_key_delete(local);
}

void *THCThreadLocal_get(THCThreadLocal local)
{
  return pthread_getspecific(local);
}

void THCThreadLocal_set(THCThreadLocal local, void *value)
{
  const int problem = pthread_setspecific(local, value);
  if (problem)
    THError("a thread-local variable cannot be set: %s", strerror(problem));
}

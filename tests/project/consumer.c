/* A program outside the repository, valid as C and as C++. */
#ifdef CLASSIC_INCLUDES
#include "TH.h"
#include "THFilePrivate.h"
#else
#include <TH/TH.h>
#include <TH/THFilePrivate.h>
#endif

#include <stdio.h>
#include <string.h>

/* TH.h brings stdarg.h and time.h. */
static int last_of(int count, ...)
{
  va_list list;
  int last = 0;
  va_start(list, count);
  while (count-- > 0)
    last = va_arg(list, int);
  va_end(list);
  return last;
}

/* Programs look into files. */
static int is_as_made(THFile *file)
{
  return !file->isQuiet && file->isReadable && file->isWritable && !file->hasError;
}

int main(void)
{
#ifdef TH_COMPAT_TORCH7
  THCharStorage *text = THCharStorage_newWithSize(1);
  char *characters = text->data; /* whose type is C's, also for C++ */
  characters[0] = 'x';
  THCharStorage_free(text);
#endif
  THFile *file = THMemoryFile_new("rw");
  if (last_of(2, 5, 7) != 7 || time(NULL) == (time_t)-1 || !is_as_made(file))
    return 3;
  THFile_free(file);
  THFloatStorage *s = THFloatStorage_newWithSize(3);
  THFloatStorage_fill(s, 2.5f);
  const int good = THFloatStorage_get(s, 2) == 2.5f && !strcmp(THVersion(), TH_VERSION);
  THFloatStorage_free(s);
  if (TH_INDEX_BASE != EXPECTED_INDEX_BASE)
    return 2;
  puts(good ? "good" : "bad");
  return !good;
}

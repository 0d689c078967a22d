/* A program outside the repository, valid as C and as C++. */
#ifdef CLASSIC_INCLUDES
#include "TH.h"
#else
#include <TH/TH.h>
#endif

#include <stdio.h>
#include <string.h>

int main(void)
{
  THFloatStorage *s = THFloatStorage_newWithSize(3);
  THFloatStorage_fill(s, 2.5f);
  const int good = THFloatStorage_get(s, 2) == 2.5f && !strcmp(THVersion(), TH_VERSION);
  THFloatStorage_free(s);
  if (TH_INDEX_BASE != EXPECTED_INDEX_BASE)
    return 2;
  puts(good ? "good" : "bad");
  return !good;
}

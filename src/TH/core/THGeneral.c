/* What belongs nowhere else: the version, two functions of C99, and shapes as text. */
#include "THGeneral.h"

const char *THVersion(void)
{
  return TH_VERSION;
}

double THLog1p(const double x)
{
  return log1p(x);
}

double THExpm1(const double x)
{
  return expm1(x);
}

THDescBuff _THSizeDesc(const int64_t *size, const int64_t ndim)
{
  enum { LENGTH = TH_DESC_BUFF_LEN };
  THDescBuff text;
  int used = snprintf(text.str, LENGTH, "[");
  for (int64_t i = 0; i < ndim && used < LENGTH; i++)
    used += snprintf(text.str + used, (size_t)(LENGTH - used), i + 1 < ndim ? "%lld x " : "%lld",
                     (long long)size[i]);
  if (used < LENGTH)
    used += snprintf(text.str + used, (size_t)(LENGTH - used), "]");
  if (used >= LENGTH)
    snprintf(text.str + LENGTH - 5, 5, "...]");
  return text;
}

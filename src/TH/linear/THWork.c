/* Works: the functions that are independent of the element type. */
#include "THWork.h"

void THWork_setStrides(THShape *shape, int byColumns)
{
  const int n = shape->nDimension;
  THShape_setStrides(shape, NULL);
  if (byColumns && n >= 2) {
    shape->stride[n - 2] = 1;
    shape->stride[n - 1] = THMax(shape->size[n - 2], 1);
  }
  THShape_reach(shape, 0);
}

void THWorks_deliver(THWorks *works)
{
  THBefore before[TH_MOST_WORKS];
  THWork *const first = works->work, *const end = first + works->count;
  for (THWork *work = first; work < end; work++)
    if (work->result)
      work->type->resize(&before[work - first], work->result, &work->shape);
  for (THWork *work = end; work-- > first;)
    if (work->result)
      THBefore_forget(&before[work - first]);
  /* From here on nothing can fail. */
  for (THWork *work = first; work < end; work++)
    if (work->result)
      work->type->copy(work->result, work->tensor.what);
  for (THWork *work = end; work-- > first;) {
    THGuard_leave(&work->tensor);
    THShape_close(&work->shape);
  }
  works->count = 0;
}

char THWork_letter(const char *text, const char *letters, const char *name, int arg)
{
  THArgCheck(text, arg, "%s is NULL, neither of the letters %s", name, letters);
  const char letter = text[0] >= 'a' && text[0] <= 'z' ? (char)(text[0] - 'a' + 'A') : text[0];
  THArgCheck(letter && strchr(letters, letter), arg, "%s is \"%.8s\", neither of the letters %s",
             name, text, letters);
  return letter;
}

int THWork_scratch(double query, double epsilon, int64_t least, const char *function)
{
  THArgCheck(least <= INT_MAX, 0, "%s: the scratch of %lld elements is more than LAPACK can count",
             function, (long long)least);
  const double wanted = ceil(query * (1 + epsilon)); /* query may have been rounded down */
  if (!(wanted <= INT_MAX))
    return (int)THMax(least, 1);
  return (int)THMax(THMax(wanted, least), 1); /* LAPACK writes to the first element in any case */
}

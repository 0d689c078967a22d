/* The values of tensors in double precision, for tests against the obvious loops. */
#ifndef DOUBLES_H
#define DOUBLES_H

/* A contiguous copy of t, which THFree frees. */
static double *new_doubles(THTensor *t)
{
  THTensor *copy = THTensor_(newContiguous)(t);
  const ptrdiff_t n = THTensor_(nElement)(copy);
  double *d = THAlloc((ptrdiff_t)sizeof *d * n);
  for (ptrdiff_t i = 0; i < n; i++)
    d[i] = (double)THTensor_(data)(copy)[i];
  THTensor_(free)(copy);
  return d;
}

#endif

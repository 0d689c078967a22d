/* A trigonometric function, NAME, of 16 floats of any size, and of 32 with one test for large arguments,
 * which THMathAvx512.h includes for sin, cos and tan. */

TH_MATH void TH_CONCAT_2(THWide_, NAME)(float *to, const float *from)
{
  THDoubles x[2];
  float all[16];
  THWide_widen(x, from, 2);
  const int far = THWide_keepFar(all, from, x);
  TH_CONCAT_3(THWide_, NAME, Near)(x, 2);
  THWide_narrow(to, x, 2);
  THWide_computeFar(far, to, all, NAME);
}

TH_MATH void TH_CONCAT_3(THWide_, NAME, OfTwo)(float *to, const float *from)
{
  if (THWide_isFar(THFloats_largerSize(THFloats_load(from), THFloats_load(from + 16)))) {
    TH_CONCAT_2(THWide_, NAME)(to, from);
    TH_CONCAT_2(THWide_, NAME)(to + 16, from + 16);
  } else {
    THWide_nearOfTwo(to, from, TH_CONCAT_3(THWide_, NAME, Near));
  }
}

#undef NAME

/* A trigonometric function, NAME, of eight doubles of any size, which THDoubleMathAvx512.h includes for
 * sin, cos and tan. */

SELDOM THDoubles TH_CONCAT_3(THWide_, NAME, Far2)(THDoubles x, THMask64 far)
{
  double all[8], y[8];
  THDoubles_store(all, x);
  THDoubles_store(y, TH_CONCAT_3(THWide_, NAME, Near2)(x, far));
  for (int k = 0; k < 8; k++)
    if (!THDoubleMath_isNear(all[k]))
      y[k] = TH_CONCAT_2(THDoubleMath_, NAME)(all[k]);
  return THDoubles_load(y);
}

WIDE2 TH_CONCAT_3(THWide_, NAME, 2)(THDoubles x)
{
  const THMask64 far = THDoubles_notGreater(THDoubles_abs(x), ALL2(0x1p12));
  return __builtin_expect(far, 0) ? TH_CONCAT_3(THWide_, NAME, Far2)(x, far)
                                  : TH_CONCAT_3(THWide_, NAME, Near2)(x, 0);
}

#undef NAME

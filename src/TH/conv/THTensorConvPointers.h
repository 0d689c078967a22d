/* The functions on pointers (validXCorr2Dptr, fullConv3Dptr and so on), of one plane and of one volume:
 * THTensorConv.c includes this file once for each KIND.  NAME_(2D) is a function's name, FLIP whether
 * the kernel is mirrored. */

void THTensor_(NAME_(2D))(real *r_, real alpha, real *t_, int64_t ir, int64_t ic, real *k_,
                          int64_t kr, int64_t kc, int64_t sr, int64_t sc)
{
  const THConvShape shape = {KIND, FLIP, {1, ir, ic}, {1, kr, kc}, {1, sr, sc}, {0}};
  THTensor_(convolvePlanes)(r_, alpha, t_, k_, 2, &shape);
}

void THTensor_(NAME_(3D))(real *r_, real alpha, real *t_, int64_t it, int64_t ir, int64_t ic,
                          real *k_, int64_t kt, int64_t kr, int64_t kc, int64_t st, int64_t sr,
                          int64_t sc)
{
  const THConvShape shape = {KIND, FLIP, {it, ir, ic}, {kt, kr, kc}, {st, sr, sc}, {0}};
  THTensor_(convolvePlanes)(r_, alpha, t_, k_, 3, &shape);
}

#undef NAME_
#undef KIND
#undef FLIP

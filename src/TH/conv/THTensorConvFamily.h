/* The convolutions of images and volumes of one family, which THTensorConv.c includes for each: NAME is
 * the end of their names. */

void THTensor_(TH_CONCAT_2(conv2D, NAME))(THTensor *r_, real beta, real alpha, THTensor *t_,
                                          THTensor *k_, int64_t srow, int64_t scol, const char *vf,
                                          const char *xc)
{
  THTensor_(convolve)(&NAME, 2, r_, beta, alpha, t_, k_, NULL, 1, srow, scol,
                      THTensor_(convolutionMode)(vf, xc, STEPS + 2));
}

#ifndef IMAGES_ONLY
void THTensor_(TH_CONCAT_2(conv3D, NAME))(THTensor *r_, real beta, real alpha, THTensor *t_,
                                          THTensor *k_, int64_t sdepth, int64_t srow, int64_t scol,
                                          const char *vf, const char *xc)
{
  THTensor_(convolve)(&NAME, 3, r_, beta, alpha, t_, k_, NULL, sdepth, srow, scol,
                      THTensor_(convolutionMode)(vf, xc, STEPS + 3));
}
#endif

#undef NAME
#undef IMAGES_ONLY

/* Convolutions and cross-correlations of images (2-D) and volumes (3-D).
 *
 *     THFloatTensor_conv2Dmv(out, 0, 1, in, weight, 1, 1, "V", "X");      a layer of filters
 *     THFloatTensor_conv2Dmul(out, 1, 0.5, image, kernel, 2, 2, "F", "C"); out += half of it
 *
 * All functions compute r_ = beta * r_ + alpha * (sums of convolutions of planes); with beta 0,
 * r_'s values are not looked at, not even NaN.  In one dimension, of n elements t and a kernel of m
 * elements k, in steps of s (srow, scol, sdepth), a convolution is one of these:
 *
 *     vf, xc     elements            element y
 *     "V", "X"   (n - m) / s + 1     the sum over a of t[y * s + a] * k[a]
 *     "V", "C"   (n - m) / s + 1     the sum over a of t[y * s + a] * k[m - 1 - a]
 *     "F", "C"   (n - 1) * s + m     the sum of t[i] * k[a] over all i * s + a = y
 *     "F", "X"   (n - 1) * s + m     the sum of t[i] * k[m - 1 - a] over all i * s + a = y
 *     reverse    n - (m - 1) * s     the sum over a of t[y + a * s] * k[a]
 *
 * (valid or full, cross-correlation or convolution).  Lower-case letters do as well.  The reverse
 * form is what the gradient of the first one with respect to its kernel is made of, and "F" in the
 * same steps is its gradient with respect to t.
 *
 * r_ takes the shape that the function says, in which "..." are the sizes of the planes.  When its
 * number of elements changes, it counts as filled with zeros.  Operands may have any strides, and
 * r_ may be one of them or share memory with them.  Integers wrap around.  Sums are kept in real.
 *
 * Errors: dimensions that are not as said, sizes of 0, numbers of planes that do not fit each
 * other, a kernel that is larger than the input (unless full), steps below 1, other letters,
 * results that are too large; nothing has changed then. */

/* --- images ---------------------------------------------------------------------------------- */

/* Every plane with every kernel: r_[k][i] of t_[i] and k_[k].
 * t_: I x ..., k_: K x ..., r_: K x I x ... */
TH_API void THTensor_(conv2Dger)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_,
                                 int64_t srow, int64_t scol, const char *vf, const char *xc);

/* conv2Dger in the reverse form. */
TH_API void THTensor_(conv2DRevger)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_,
                                    int64_t srow, int64_t scol);

/* Sums of these over a batch: r_[k][i] of t_[b][i] and k_[b][k], over b.
 * t_: B x I x ..., k_: B x K x ..., r_: K x I x ... */
TH_API void THTensor_(conv2DRevgerm)(THTensor *r_, real beta, real alpha, THTensor *t_,
                                     THTensor *k_, int64_t srow, int64_t scol);

/* As a matrix times a vector: r_[k] of t_[i] and k_[k][i], summed over i.
 * t_: I x ..., k_: K x I x ..., r_: K x ... */
TH_API void THTensor_(conv2Dmv)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_,
                                int64_t srow, int64_t scol, const char *vf, const char *xc);

/* conv2Dmv for a batch: r_[b][k] of t_[b][i] and k_[k][i], summed over i.
 * t_: B x I x ..., k_: K x I x ..., r_: B x K x ... */
TH_API void THTensor_(conv2Dmm)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_,
                                int64_t srow, int64_t scol, const char *vf, const char *xc);

/* One plane and one kernel. */
TH_API void THTensor_(conv2Dmul)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_,
                                 int64_t srow, int64_t scol, const char *vf, const char *xc);

/* Each plane with its kernel: r_[i] of t_[i] and k_[i].  t_, k_ and r_: I x ... */
TH_API void THTensor_(conv2Dcmul)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_,
                                  int64_t srow, int64_t scol, const char *vf, const char *xc);

/* Planes and kernels that a table connects: r_[map[c][1]] of t_[map[c][0]] and k_[c], summed over
 * the rows c of map, whose numbers count from TH_INDEX_BASE.  r_ has as many planes as the largest
 * number in the second column says.  t_: I x ..., k_: C x ..., map: C x 2 (further columns are
 * left alone).  Numbers that are not those of planes are an error. */
TH_API void THTensor_(conv2Dmap)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_,
                                 THTensor *map, int64_t srow, int64_t scol, const char *vf,
                                 const char *xc);

/* --- volumes: as for images, of planes with one dimension more ------------------------------ */

TH_API void THTensor_(conv3Dger)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_,
                                 int64_t sdepth, int64_t srow, int64_t scol, const char *vf,
                                 const char *xc);
TH_API void THTensor_(conv3DRevger)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_,
                                    int64_t sdepth, int64_t srow, int64_t scol);
TH_API void THTensor_(conv3Dmv)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_,
                                int64_t sdepth, int64_t srow, int64_t scol, const char *vf,
                                const char *xc);
TH_API void THTensor_(conv3Dmul)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_,
                                 int64_t sdepth, int64_t srow, int64_t scol, const char *vf,
                                 const char *xc);
TH_API void THTensor_(conv3Dcmul)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_,
                                  int64_t sdepth, int64_t srow, int64_t scol, const char *vf,
                                  const char *xc);
TH_API void THTensor_(conv3Dmap)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_,
                                 THTensor *map, int64_t sdepth, int64_t srow, int64_t scol,
                                 const char *vf, const char *xc);

/* --- planes in plain memory: r_ += alpha * (the convolution of t_ and k_) ----------------------
 *
 * Each lies row by row in one piece; r_ has the size of the table above and shares no memory with
 * the others.  The input has ir rows and ic columns (and depth it), the kernel kr and kc (kt);
 * steps are sr and sc (st). Errors: sizes and steps below 1, a kernel larger than the input. */

TH_API void THTensor_(validXCorr2Dptr)(real *r_, real alpha, real *t_, int64_t ir, int64_t ic,
                                       real *k_, int64_t kr, int64_t kc, int64_t sr, int64_t sc);
TH_API void THTensor_(validConv2Dptr)(real *r_, real alpha, real *t_, int64_t ir, int64_t ic,
                                      real *k_, int64_t kr, int64_t kc, int64_t sr, int64_t sc);
TH_API void THTensor_(fullXCorr2Dptr)(real *r_, real alpha, real *t_, int64_t ir, int64_t ic,
                                      real *k_, int64_t kr, int64_t kc, int64_t sr, int64_t sc);
TH_API void THTensor_(fullConv2Dptr)(real *r_, real alpha, real *t_, int64_t ir, int64_t ic,
                                     real *k_, int64_t kr, int64_t kc, int64_t sr, int64_t sc);

/* The reverse form. */
TH_API void THTensor_(validXCorr2DRevptr)(real *r_, real alpha, real *t_, int64_t ir, int64_t ic,
                                          real *k_, int64_t kr, int64_t kc, int64_t sr, int64_t sc);

TH_API void THTensor_(validXCorr3Dptr)(real *r_, real alpha, real *t_, int64_t it, int64_t ir,
                                       int64_t ic, real *k_, int64_t kt, int64_t kr, int64_t kc,
                                       int64_t st, int64_t sr, int64_t sc);
TH_API void THTensor_(validConv3Dptr)(real *r_, real alpha, real *t_, int64_t it, int64_t ir,
                                      int64_t ic, real *k_, int64_t kt, int64_t kr, int64_t kc,
                                      int64_t st, int64_t sr, int64_t sc);
TH_API void THTensor_(fullXCorr3Dptr)(real *r_, real alpha, real *t_, int64_t it, int64_t ir,
                                      int64_t ic, real *k_, int64_t kt, int64_t kr, int64_t kc,
                                      int64_t st, int64_t sr, int64_t sc);
TH_API void THTensor_(fullConv3Dptr)(real *r_, real alpha, real *t_, int64_t it, int64_t ir,
                                     int64_t ic, real *k_, int64_t kt, int64_t kr, int64_t kc,
                                     int64_t st, int64_t sr, int64_t sc);
TH_API void THTensor_(validXCorr3DRevptr)(real *r_, real alpha, real *t_, int64_t it, int64_t ir,
                                          int64_t ic, real *k_, int64_t kt, int64_t kr, int64_t kc,
                                          int64_t st, int64_t sr, int64_t sc);

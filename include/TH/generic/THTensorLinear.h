/* Products of vectors, matrices and batches of matrices.
 *
 * In all of the add... functions, r_ takes the shape of t and becomes beta * t + alpha * (a
 * product); with beta 0, t's values are not read, not even NaN.  r_ may be t or any other operand,
 * and operands may have any strides, 0 included.  Shapes that do not fit are an error that shows
 * both.  Integers wrap around.  Float and Double are OpenBLAS's products, but for dot and addr. */

/* The sum of the products of the elements of t and src, paired in row-major order.  Float is within
 * 1e-6 of the sum of their absolute values; neither strides nor threads change a bit. */
TH_API accreal THTensor_(dot)(THTensor *t, THTensor *src);

/* r_ = beta * t + alpha * mat * vec: n x m, m elements, t of n elements. */
TH_API void THTensor_(addmv)(THTensor *r_, real beta, THTensor *t, real alpha, THTensor *mat,
                             THTensor *vec);

/* r_ = beta * t + alpha * mat1 * mat2: n x m, m x p, t of n x p. */
TH_API void THTensor_(addmm)(THTensor *r_, real beta, THTensor *t, real alpha, THTensor *mat1,
                             THTensor *mat2);

/* r_ = beta * t + alpha * vec1 * vec2': n and m elements, t of n x m. */
TH_API void THTensor_(addr)(THTensor *r_, real beta, THTensor *t, real alpha, THTensor *vec1,
                            THTensor *vec2);

/* r_ = beta * t + alpha * the sum over b of batch1[b] * batch2[b]: B x n x m, B x m x p, t of
 * n x p. */
TH_API void THTensor_(addbmm)(THTensor *r_, real beta, THTensor *t, real alpha, THTensor *batch1,
                              THTensor *batch2);

/* r_[b] = beta * t[b] + alpha * batch1[b] * batch2[b]: B x n x m, B x m x p, t of B x n x p. */
TH_API void THTensor_(baddbmm)(THTensor *r_, real beta, THTensor *t, real alpha, THTensor *batch1,
                               THTensor *batch2);

/* Tensors made from a rule, and tensors joined.
 *
 * A result that has another shape than needed is resized; an input may be the result. */

/* r_ becomes a tensor of the given size, all 0 or all 1. */
TH_API void THTensor_(zeros)(THTensor *r_, THLongStorage *size);
TH_API void THTensor_(ones)(THTensor *r_, THLongStorage *size);
TH_API void THTensor_(zerosLike)(THTensor *r_, THTensor *input);
TH_API void THTensor_(onesLike)(THTensor *r_, THTensor *input);

/* n x m (n x n where m is below 1), 1 on the diagonal, else 0. */
TH_API void THTensor_(eye)(THTensor *r_, int64_t n, int64_t m);

/* xmin, xmin + step, ...: up to xmax, which belongs to range and not to arange.  step is not 0 and
 * leads from xmin towards xmax; anything else is an error.  A result that has as many elements
 * already keeps its shape. */
TH_API void THTensor_(range)(THTensor *r_, accreal xmin, accreal xmax, accreal step);
TH_API void THTensor_(arange)(THTensor *r_, accreal xmin, accreal xmax, accreal step);

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
/* n numbers evenly spaced from a to b, both included (logspace: 10 to their power).  n is at least
 * 1, and 1 only where a is b.  A result that has as many elements already keeps its shape. */
TH_API void THTensor_(linspace)(THTensor *r_, real a, real b, int64_t n);
TH_API void THTensor_(logspace)(THTensor *r_, real a, real b, int64_t n);
#endif

/* Of a matrix, its k-th diagonal (above the main one for k > 0) as a vector; of a vector, the
 * matrix with that k-th diagonal and 0 elsewhere.  A diagonal outside the matrix is empty. */
TH_API void THTensor_(diag)(THTensor *r_, THTensor *t, int k);

/* The matrix t on and below (tril) or on and above (triu) its k-th diagonal, else 0. */
TH_API void THTensor_(tril)(THTensor *r_, THTensor *t, int64_t k);
TH_API void THTensor_(triu)(THTensor *r_, THTensor *t, int64_t k);

/* The elements of t in row-major order, as size says; as many as t has. */
TH_API void THTensor_(reshape)(THTensor *r_, THTensor *t, THLongStorage *size);

/* The tensors one after the other along dimension.  Empty ones are skipped; the sizes of all others
 * agree in the other dimensions, where a tensor of fewer dimensions counts as having size 1 in
 * those behind its last.  -1 (index base 0) or -2 (base 1) stands for the last dimension of the
 * tensor that has most. */
TH_API void THTensor_(cat)(THTensor *r_, THTensor *ta, THTensor *tb, int dimension);
TH_API void THTensor_(catArray)(THTensor *result, THTensor **inputs, int numInputs, int dimension);

/* The vector products of the 3-vectors that lie along dimension in a and b, which have the same
 * size; below 0: along the first dimension of size 3. */
TH_API void THTensor_(cross)(THTensor *r_, THTensor *a, THTensor *b, int dimension);

/* r(i, j) = gain * |m1(i) - m2(j)|^2: all rows of m1 (first dimension) against all rows of m2,
 * which have as many elements. */
TH_API void THTensor_(match)(THTensor *r_, THTensor *m1, THTensor *m2, real gain);

/* Tensors made from a rule, and tensors joined, as in THTensorConstruct.h.
 *
 * A result that has another shape than needed is resized on the current device; an input may be the
 * result. */

/* self = value everywhere; its elements may not share memory with each other. */
THC_API void THCTensor_(fill)(THCState *state, THCTensor *self, real value);
THC_API void THCTensor_(zero)(THCState *state, THCTensor *self);

/* r_ becomes a tensor of the given size, all 0 or all 1. */
THC_API void THCTensor_(zeros)(THCState *state, THCTensor *r_, THLongStorage *size);
THC_API void THCTensor_(ones)(THCState *state, THCTensor *r_, THLongStorage *size);
THC_API void THCTensor_(zerosLike)(THCState *state, THCTensor *r_, THCTensor *input);
THC_API void THCTensor_(onesLike)(THCState *state, THCTensor *r_, THCTensor *input);

/* n x k (n x n where k is below 1), 1 on the diagonal, else 0. */
THC_API void THCTensor_(eye)(THCState *state, THCTensor *self, int64_t n, int64_t k);

/* xmin, xmin + step, ...: up to xmax, which belongs to range and not to arange.  step is not 0 and
 * leads from xmin towards xmax; anything else is an error.  A result that has as many elements
 * already keeps its shape. */
THC_API void THCTensor_(range)(THCState *state, THCTensor *r_, accreal xmin, accreal xmax,
                               accreal step);
THC_API void THCTensor_(arange)(THCState *state, THCTensor *r_, accreal xmin, accreal xmax,
                                accreal step);

#if defined(THC_REAL_IS_HALF) || defined(THC_REAL_IS_FLOAT) || defined(THC_REAL_IS_DOUBLE)
/* n numbers evenly spaced from a to b, both included (logspace: 10 to their power).  n is at least
 * 1, and 1 only where a is b.  A result that has as many elements already keeps its shape. */
THC_API void THCTensor_(linspace)(THCState *state, THCTensor *r_, real a, real b, int64_t n);
THC_API void THCTensor_(logspace)(THCState *state, THCTensor *r_, real a, real b, int64_t n);
#endif

/* Of a matrix, its k-th diagonal (above the main one for k > 0) as a vector; of a vector, the
 * matrix with that k-th diagonal and 0 elsewhere.  A diagonal outside the matrix is empty. */
THC_API void THCTensor_(diag)(THCState *state, THCTensor *self, THCTensor *src, int64_t k);

/* The matrix src on and below (tril) or on and above (triu) its k-th diagonal, else 0. */
THC_API void THCTensor_(tril)(THCState *state, THCTensor *self, THCTensor *src, int64_t k);
THC_API void THCTensor_(triu)(THCState *state, THCTensor *self, THCTensor *src, int64_t k);

/* The sum of a matrix' main diagonal, and how many elements a tensor has.  trace waits for the
 * device. */
THC_API accreal THCTensor_(trace)(THCState *state, THCTensor *self);
THC_API ptrdiff_t THCTensor_(numel)(THCState *state, THCTensor *t);

/* The elements of t in row-major order, as size says; as many as t has. */
THC_API void THCTensor_(reshape)(THCState *state, THCTensor *r_, THCTensor *t, THLongStorage *size);

/* The tensors one after the other along dimension.  Empty ones are skipped; the sizes of all others
 * agree in the other dimensions, where a tensor of fewer dimensions counts as having size 1 in
 * those behind its last.  -1 (index base 0) or -2 (base 1) stands for the last dimension of the
 * tensor that has most. */
THC_API void THCTensor_(cat)(THCState *state, THCTensor *result, THCTensor *ta, THCTensor *tb,
                             int dimension);
THC_API void THCTensor_(catArray)(THCState *state, THCTensor *result, THCTensor **inputs,
                                  int numInputs, int dimension);

/* Products of vectors and matrices, as THTensorMath.h has them: the same shapes, aliases and
 * errors.  Sums of Half are kept in float; integers wrap around.
 *
 * A result may be one of the operands.  With beta = 0, t is not read. */

/* The sum of products; waits for it. */
THC_API accreal THCTensor_(dot)(THCState *state, THCTensor *self, THCTensor *src);

/* self = beta * t + alpha * mat vec */
THC_API void THCTensor_(addmv)(THCState *state, THCTensor *self, real beta, THCTensor *t,
                               real alpha, THCTensor *mat, THCTensor *vec);

/* self = beta * t + alpha * mat1 mat2 */
THC_API void THCTensor_(addmm)(THCState *state, THCTensor *self, real beta, THCTensor *t,
                               real alpha, THCTensor *mat1, THCTensor *mat2);

/* self = beta * t + alpha * vec1 vec2' */
THC_API void THCTensor_(addr)(THCState *state, THCTensor *self, real beta, THCTensor *t, real alpha,
                              THCTensor *vec1, THCTensor *vec2);

/* result = beta * t + alpha * the sum of all batch1[i] batch2[i] */
THC_API void THCTensor_(addbmm)(THCState *state, THCTensor *result, real beta, THCTensor *t,
                                real alpha, THCTensor *batch1, THCTensor *batch2);

/* result[i] = beta * t[i] + alpha * batch1[i] batch2[i] */
THC_API void THCTensor_(baddbmm)(THCState *state, THCTensor *result, real beta, THCTensor *t,
                                 real alpha, THCTensor *batch1, THCTensor *batch2);

/* Float and Double only.  The LU factors of each a[i] (N x n x n; NULL: of ra_) in ra_, and in
 * rpivots_ (N x n) the row that row j was exchanged with; without pivot no rows are exchanged, and
 * row j has j.  rinfo_ (N) becomes 0, or j if U(j,j) of that matrix is zero.  If rinfo_ is NULL, a
 * zero is an error, and the function waits.  The results are row-major. */
THC_API void THCTensor_(btrifact)(THCState *state, THCTensor *ra_, THCudaIntTensor *rpivots_,
                                  THCudaIntTensor *rinfo_, int pivot, THCTensor *a);

/* Float and Double only.  rb_ becomes the x with a[i] x[i] = b[i] (N x n or N x n x k; NULL: of
 * rb_), from atf and pivots of btrifact.  It waits for what these have: pivots that are not rows,
 * and a zero on the diagonal of a factor, are errors. */
THC_API void THCTensor_(btrisolve)(THCState *state, THCTensor *rb_, THCTensor *b, THCTensor *atf,
                                   THCudaIntTensor *pivots);

/* The functions that the rows of ops/aten call.  out is the tensor to write to, or NULL for a new
 * one. Errors are raised. */
#ifndef ATEN_OPERATIONS_H
#define ATEN_OPERATIONS_H

#include "ATenCore.h"
#include "ATen/complex/complex.h"
#include "ATen/composed/Composed.h"
#include "ATen/fft/fft.h"
#include "ATen/ops/compare.h"
#include "ATen/sequence/attention.h"
#include "ATen/sequence/ctc.h"
#include "ATen/nn/columns.h"
#include "ATen/nn/convolution.h"
#include "ATen/nn/criteria.h"
#include "ATen/resample/interpolate.h"
#include "ATen/nn/nn.h"
#include "ATen/nn/pooling.h"
#include "ATen/sequence/recurrent.h"
#include "ATen/nn/roi.h"
#include "ATen/linear/contract.h"
#include "ATen/linear/lapack.h"
#include "ATen/linear/linalg.h"
#include "ATen/resample/resample.h"
#include "ATen/linear/linear.h"
#include "ATen/functions/division.h"
#include "ATen/functions/functions.h"
#include "ATen/ops/index.h"
#include "ATen/random/random.h"
#include "ATen/linear/sequences.h"
#include "ATen/ops/rearrange.h"
#include "ATen/ops/reduce.h"
#include "ATen/ops/shapes.h"
#include "ATen/statistics/statistics.h"

/* --- shapes and results ---------------------------------------------------------------------- */

/* The shape that the given shapes broadcast to, stored in buffer (AT_MOST_DIMS entries).  Shapes are
 * right-aligned, and sizes that are 1 or missing repeat.  Raises if they do not fit. */
at_ints at_broadcastSizes(int count, const at_ints *sizes, int64_t *buffer);
at_ints at_broadcast(int count, at_tensor *const *in, int64_t *buffer); /* up to AT_INPUTS */

/* Raises unless t broadcasts to sizes. */
void at_checkBroadcast(at_tensor *t, at_ints sizes);

/* A view of t, expanded to sizes, to which t broadcasts. */
at_tensor *at_newExpanded(at_tensor *t, at_ints sizes);

/* Changes the shape of t, row-major; the storage grows if necessary. */
void at_resizeTo(at_tensor *t, at_ints sizes);

/* Exchanges the shapes and storages of a and b, which are of one type.  Their TH tensors, to which
 * others may refer, remain.  Cannot fail. */
void at_exchange(at_tensor *a, at_tensor *b);

/* Raises if a result of that size and type cannot be stored in out.  If out is self, it must have
 * the size; any other out is resized.  Elements of out must not share memory. */
void at_checkResult(at_tensor *out, at_tensor *self, at_ints sizes, at_scalar_type type);

/* Copies made, a computed result, to out, which takes its shape; returns out. */
at_tensor *at_deliver(at_tensor *out, at_tensor *made);

/* at_deliver for several results.  If it raises, none of out has changed. */
void at_deliverAll(int count, at_tensor *const *out, at_tensor *const *made);

/* Ends a function whose results, made, are held by the pool.  Each is copied to its out, or if that
 * is NULL becomes out.  Leaves the pool. */
void at_finish(at_pool *pool, int count, at_tensor **out, at_tensor *const *made);
at_tensor *at_finishOne(at_pool *pool, at_tensor *out, at_tensor *made);

/* Copies a result that operations made to out, or returns it if out is NULL; an undefined result, after an error,
 * stays undefined. */
at_tensor *at_finishComposed(at_tensor *out, at_tensor *made);

/* dim as an index from 0 to dims - 1; negative ones count from the end.  A tensor without
 * dimensions accepts 0 and -1. */
int at_wrapDim(int64_t dim, int dims);

/* --- layouts of results ------------------------------------------------------------------------ */

/* The dimensions of a result of those sizes, to which the operands broadcast, as they lie in memory,
 * the outermost first; stored in buffer (AT_MOST_DIMS entries).  The first operand decides; where it
 * repeats elements the next one does, and where all do dimensions stay in their order.  This is the
 * rule of PyTorch's TensorIterator. */
at_ints at_memoryOrder(at_ints sizes, int count, at_tensor *const *in, int64_t *buffer);

/* A new tensor for the result of an operation on each element: without gaps, in the operands' order
 * of memory, so that it is transposed or channels-last where they are.  Row-major without operands. */
at_tensor *at_newFor(const at_type *type, at_ints sizes, int count, at_tensor *const *in);

/* at_newFor for one operand, of whose size the result is.  Elements of t that have no gaps keep their
 * strides: this is PyTorch's torch.preserve_format. */
at_tensor *at_newLike(const at_type *type, at_tensor *t);

/* A copy of another element type in that layout; at_newCast makes a contiguous one. */
at_tensor *at_newCastLike(at_tensor *t, const at_type *type);

/* A view of t whose dimensions are in the order in which they lie in memory. */
at_tensor *at_viewInOrder(at_tensor *t);

/* --- pointwise ------------------------------------------------------------------------------- */

/* t in that type: itself, or a converted copy that the pool holds. */
at_tensor *at_cast(at_pool *pool, at_tensor *t, const at_type *type);

/* The type that computes for tensors of type: Float for Half and BFloat16, else type. */
const at_type *at_computesIn(const at_type *type);

/* t in that type and expanded to sizes; the pool holds copies and views that are needed.  Elements
 * of Bool are taken as elements of Byte. */
at_tensor *at_brought(at_pool *pool, at_tensor *t, at_ints sizes, const at_type *type);

/* Runs the row on operands that are converted to type and broadcast. */
at_tensor *at_pointwise(at_tensor *out, at_row row, at_scalar_type type, int count,
                        at_tensor *const *in, at_scalar a, at_scalar b);

/* Runs a row on booleans: whether each element is nonzero.  The tensors are on the CPU and of any
 * types. */
at_tensor *at_pointwiseBooleans(at_tensor *out, at_row row, int count, at_tensor *const *in);

/* Runs a layer's kernel, which computes in type compute, on operands of any types; r and the inputs
 * are of one size. */
void at_layerMixed(at_tensor *r, THKernel layer, const void *scalars, const at_type *compute,
                   int count, at_tensor *const *in);

/* Whether the row computes in a floating type on the CPU and an operand, or with converts the
 * result, is of another type.  at_pointwiseMixed computes such a row: r and the inputs are of one
 * size, and the row itself writes elements of the type written. */
bool at_isMixed(at_row row, const at_type *compute, bool converts, int count, at_tensor *const *in);
void at_pointwiseMixed(at_tensor *r, at_row row, const at_type *compute, const at_type *written,
                       int count, at_tensor *const *in, at_scalar a, at_scalar b);

/* A row of two tensors, in the type that both promote to. */
at_tensor *at_binary(at_tensor *out, at_row row, at_tensor *x, at_tensor *y, at_scalar a);

/* x - alpha * y; no operand may be of Bool. */
at_tensor *at_subtracted(at_tensor *out, at_tensor *x, at_tensor *y, at_scalar alpha);

/* A row of a tensor and a scalar, in the type that both promote to. */
at_tensor *at_binaryScalar(at_tensor *out, at_row row, at_tensor *x, at_scalar a, at_scalar b);

/* A row of two tensors, or of a tensor and a scalar, where integers compute in Float. */
at_tensor *at_binaryFloat(at_tensor *out, at_row row, at_tensor *x, at_tensor *y);
at_tensor *at_binaryFloatScalar(at_tensor *out, at_row row, at_tensor *x, at_scalar a);

/* A row of one tensor, in its type; with at_unaryFloat, integers compute in Float. */
at_tensor *at_unary(at_tensor *out, at_row row, at_tensor *x);
at_tensor *at_unaryFloat(at_tensor *out, at_row row, at_tensor *x);

/* A rounding row; integers are copied. */
at_tensor *at_rounded(at_tensor *out, at_row row, at_tensor *x);

at_tensor *at_ternary(at_tensor *out, at_row row, at_tensor *x, at_tensor *y, at_tensor *z,
                      at_scalar a);

/* x + a * y / z; an error if y and z are both integers. */
at_tensor *at_dividing(at_tensor *out, at_tensor *x, at_tensor *y, at_tensor *z, at_scalar a);

/* --- moving ---------------------------------------------------------------------------------- */

/* A type of the same element size whose TH functions can move elements of type, such as Short for
 * Half. */
const at_type *at_movesAs(const at_type *type);

/* The scalar whose bits in at_movesAs(type) are those of value in type. */
at_scalar at_movesAsScalar(const at_type *type, at_scalar value);

/* The type in which elements of type are added: Float for Half, Int for Bool. */
const at_type *at_addsAs(const at_type *type);

/* Raises unless t is of that type. */
void at_checkType(const at_tensor *t, const char *name, const at_type *type);

/* Raises unless t is of a floating type. */
void at_checkFloating(const at_tensor *t, const char *name);

/* The tensor in which a result is computed: out if it has the sizes and is contiguous, else a new
 * tensor that the pool holds.  Raises unless out is of that type. */
at_tensor *at_resultOf(at_pool *pool, at_tensor *out, const at_type *type, at_ints sizes);

/* For functions that change some elements of self.  at_beginChange returns the tensor to change, of
 * that type: self if the function works in place, else a copy.  at_endChange leaves the pool and
 * returns the result of the function. */
at_tensor *at_beginChange(at_pool *pool, at_tensor *out, at_tensor *self, const at_type *type);
at_tensor *at_endChange(at_pool *pool, at_tensor *out, at_tensor *self, at_tensor *changed);

/* --- creation, copying, filling -------------------------------------------------------------- */

/* The type is Float if type is NULL. */
at_tensor *at_makeEmpty(const at_type *type, at_ints sizes);
at_tensor *at_makeFilled(const at_type *type, at_ints sizes, at_scalar value);
/* A filled tensor in self's layout, and in self's type if type is NULL. */
at_tensor *at_filledLike(at_tensor *self, const at_type *type, at_scalar value);
/* at_makeFilled, written to out if out is not NULL, in the type of out. */
at_tensor *at_filledTo(at_tensor *out, const at_type *type, at_ints sizes, at_scalar value);
at_tensor *at_fillWith(at_tensor *self, at_scalar value);
at_tensor *at_copyFrom(at_tensor *self, at_tensor *src);
/* A copy in self's layout, of self's type if type is NULL. */
at_tensor *at_makeCopy(at_tensor *self, const at_type *type);
at_tensor *at_makeContiguous(at_tensor *self);
at_tensor *at_makeLike(at_tensor *self, const at_type *type);

/* self converted to type: a view if self is of that type, else a copy in self's layout. */
at_tensor *at_makeCast(at_tensor *self, const at_type *type);

/* --- views ----------------------------------------------------------------------------------- */

at_tensor *at_newAlias(at_tensor *t);
at_tensor *at_newDetached(at_tensor *t); /* which gradients of t do not reach, nor those of it t */
at_tensor *at_viewSelect(at_tensor *self, int64_t dim, int64_t index);
at_tensor *at_viewSlice(at_tensor *self, int64_t dim, int64_t start, int64_t end, int64_t step);
at_tensor *at_viewNarrow(at_tensor *self, int64_t dim, int64_t start, int64_t length);
at_tensor *at_viewTranspose(at_tensor *self, int64_t dim0, int64_t dim1);
at_tensor *at_viewPermute(at_tensor *self, at_ints dims);
at_tensor *at_viewSqueeze(at_tensor *self);
at_tensor *at_viewSqueezeDim(at_tensor *self, int64_t dim);
at_tensor *at_viewUnsqueeze(at_tensor *self, int64_t dim);
at_tensor *at_viewAs(at_tensor *self, at_ints sizes);
at_tensor *at_reshaped(at_tensor *self, at_ints sizes);

/* --- called by one row alone ------------------------------------------------------------------ */

#include "ATenRows.h"

#endif

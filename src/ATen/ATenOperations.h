/* What the rows of ops/aten call.  out is the tensor to write to, or NULL for a new one; what
 * fails raises. */
#ifndef ATEN_OPERATIONS_H
#define ATEN_OPERATIONS_H

#include "ATenCore.h"
#include "compare.h"
#include "convolution.h"
#include "nn.h"
#include "pooling.h"
#include "roi.h"
#include "lapack.h"
#include "resample.h"
#include "linear.h"
#include "index.h"
#include "random.h"
#include "sequences.h"
#include "reduce.h"
#include "shapes.h"

/* --- shapes and results ---------------------------------------------------------------------- */

/* What shapes broadcast to, in room, of AT_MOST_DIMS: right-aligned, a size of 1 or a missing one
 * repeats.  An error if they do not. */
at_ints at_broadcastSizes(int count, const at_ints *sizes, int64_t *room);
at_ints at_broadcast(int count, at_tensor *const *in, int64_t *room); /* up to AT_INPUTS */

/* An error unless t broadcasts to sizes. */
void at_checkBroadcast(at_tensor *t, at_ints sizes);

/* A view of t with those sizes, which t broadcasts to. */
at_tensor *at_newExpanded(at_tensor *t, at_ints sizes);

/* t takes the shape, row-major; its storage grows if it has to. */
void at_resizeTo(at_tensor *t, at_ints sizes);

/* a becomes what b is, b what a was: shapes and storages.  Their TH tensors, which others may refer
 * to, stay where they are.  They are of one type; cannot fail. */
void at_exchange(at_tensor *a, at_tensor *b);

/* An error if a result of that size and type cannot be stored in out: self has to have the size,
 * and any other takes it.  Elements of out may not share memory; TH would write one after the
 * other. */
void at_checkResult(at_tensor *out, at_tensor *self, at_ints sizes, at_scalar_type type);

/* out takes the shape of what was made, and its values; returns out. */
at_tensor *at_deliver(at_tensor *out, at_tensor *made);

/* The same for several, none of which has changed if it raises. */
void at_deliverAll(int count, at_tensor *const *out, at_tensor *const *made);

/* How a function ends that computed its results aside: what was made, held by the pool, goes to the
 * out that are given, or is itself what out becomes.  Leaves the pool. */
void at_finish(at_pool *pool, int count, at_tensor **out, at_tensor *const *made);
at_tensor *at_finishOne(at_pool *pool, at_tensor *out, at_tensor *made);

/* dim, counted from the end where it is negative, of so many dimensions; 0 and -1 are fine for
 * none. */
int at_wrapDim(int64_t dim, int dims);

/* --- pointwise ------------------------------------------------------------------------------- */

/* t in that type; the pool holds what had to be made for it. */
at_tensor *at_cast(at_pool *pool, at_tensor *t, const at_type *type);

/* What the type computes in: Half and BFloat16 in Float. */
const at_type *at_computesIn(const at_type *type);

/* t in that type and, repeating, in those sizes; the pool holds what had to be made for it.  Bool's
 * elements are Byte's. */
at_tensor *at_brought(at_pool *pool, at_tensor *t, at_ints sizes, const at_type *type);

/* The row of operands that are brought to type and to their common shape. */
at_tensor *at_pointwise(at_tensor *out, at_row row, at_scalar_type type, int count,
                        at_tensor *const *in, at_scalar a, at_scalar b);

/* A row of truths, of tensors on the CPU of any types, whose elements are true that are not 0. */
at_tensor *at_pointwiseBooleans(at_tensor *out, at_row row, int count, at_tensor *const *in);

/* A layer's kernel, which computes elements of the type compute from such, for operands of any
 * types; r and the inputs are of one size. */
void at_layerMixed(at_tensor *r, THKernel layer, const void *scalars, const at_type *compute,
                   int count, at_tensor *const *in);

/* Whether the row computes in floating numbers on the CPU, and some operand or, if converts, the
 * result is of another type than what it computes with.  Then at_pointwiseMixed computes it: r and
 * the inputs are of one size, and what the row writes is of the type written. */
bool at_isMixed(at_row row, const at_type *compute, bool converts, int count, at_tensor *const *in);
void at_pointwiseMixed(at_tensor *r, at_row row, const at_type *compute, const at_type *written,
                       int count, at_tensor *const *in, at_scalar a, at_scalar b);

/* Of two tensors, in the type that both promote to. */
at_tensor *at_binary(at_tensor *out, at_row row, at_tensor *x, at_tensor *y, at_scalar a);

/* x - alpha * y, of which none may be of Bool. */
at_tensor *at_subtract(at_tensor *out, at_tensor *x, at_tensor *y, at_scalar alpha);
at_tensor *at_subtractScalar(at_tensor *out, at_tensor *x, at_scalar a, at_scalar alpha);

/* Of a tensor and a number, in the type that both promote to. */
at_tensor *at_binaryScalar(at_tensor *out, at_row row, at_tensor *x, at_scalar a, at_scalar b);

/* The same, integers computing in Float. */
at_tensor *at_binaryFloat(at_tensor *out, at_row row, at_tensor *x, at_tensor *y);
at_tensor *at_binaryFloatScalar(at_tensor *out, at_row row, at_tensor *x, at_scalar a);

/* Of one tensor, in its type, or integers in Float. */
at_tensor *at_unary(at_tensor *out, at_row row, at_tensor *x);
at_tensor *at_unaryFloat(at_tensor *out, at_row row, at_tensor *x);

/* Rounding: integers are what they are. */
at_tensor *at_rounded(at_tensor *out, at_row row, at_tensor *x);

at_tensor *at_ternary(at_tensor *out, at_row row, at_tensor *x, at_tensor *y, at_tensor *z,
                      at_scalar a);

/* x + a * y / z; an error if y and z are both integers. */
at_tensor *at_dividing(at_tensor *out, at_tensor *x, at_tensor *y, at_tensor *z, at_scalar a);

/* --- moving ---------------------------------------------------------------------------------- */

/* The type whose functions move elements of that type: TH computes with neither Half nor Bool. */
const at_type *at_movesAs(const at_type *type);

/* The number that in at_movesAs(type) has the bits of value in type. */
at_scalar at_movesAsScalar(const at_type *type, at_scalar value);

/* The type that elements of type are added in: Float for Half, Int for Bool. */
const at_type *at_addsAs(const at_type *type);

/* An error unless t is of that type. */
void at_checkType(const at_tensor *t, const char *name, const at_type *type);

/* Where a result of that type, which out has to have, is computed: out if it has the sizes and is
 * contiguous, else a new tensor that pool holds. */
at_tensor *at_resultOf(at_pool *pool, at_tensor *out, const at_type *type, at_ints sizes);

/* What a function changes that changes self: self in place, else a copy; in type.  Then the end of
 * such a function, which leaves the pool and returns what the function does. */
at_tensor *at_beginChange(at_pool *pool, at_tensor *out, at_tensor *self, const at_type *type);
at_tensor *at_endChange(at_pool *pool, at_tensor *out, at_tensor *self, at_tensor *changed);

/* --- making, copying, filling ---------------------------------------------------------------- */

/* Of Float where type is NULL. */
at_tensor *at_makeEmpty(const at_type *type, at_ints sizes);
at_tensor *at_makeFilled(const at_type *type, at_ints sizes, at_scalar value);
/* The same, written to out if that is not NULL, in its type. */
at_tensor *at_filledTo(at_tensor *out, const at_type *type, at_ints sizes, at_scalar value);
at_tensor *at_fillWith(at_tensor *self, at_scalar value);
at_tensor *at_copyFrom(at_tensor *self, at_tensor *src);
at_tensor *at_makeCopy(at_tensor *self, const at_type *type);
at_tensor *at_makeContiguous(at_tensor *self);
at_tensor *at_makeLike(at_tensor *self, const at_type *type);

/* self's values in type: a view if that is self's own. */
at_tensor *at_makeCast(at_tensor *self, const at_type *type);

/* --- views ----------------------------------------------------------------------------------- */

at_tensor *at_newAlias(at_tensor *t);
at_tensor *at_viewSelect(at_tensor *self, int64_t dim, int64_t index);
at_tensor *at_viewSlice(at_tensor *self, int64_t dim, int64_t start, int64_t end, int64_t step);
at_tensor *at_viewNarrow(at_tensor *self, int64_t dim, int64_t start, int64_t length);
at_tensor *at_viewTranspose(at_tensor *self, int64_t dim0, int64_t dim1);
at_tensor *at_viewPermute(at_tensor *self, at_ints dims);
at_tensor *at_viewSqueeze(at_tensor *self);
at_tensor *at_viewSqueezeDim(at_tensor *self, int64_t dim);
at_tensor *at_viewUnsqueeze(at_tensor *self, int64_t dim);
at_tensor *at_viewExpand(at_tensor *self, at_ints sizes);
at_tensor *at_viewAs(at_tensor *self, at_ints sizes);
at_tensor *at_reshaped(at_tensor *self, at_ints sizes);

#endif

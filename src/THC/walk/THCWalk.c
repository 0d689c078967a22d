/* From strided operands to launches: finds a common shape, and splits it so that offsets fit in 32
 * bits. */
#include "THC/core/THCPrivate.h"

#include "THC/core/thc_kernels.h"

#include "TH/loop/THPlan.h"

/* The most elements of a launch that is not packed, and the largest offset.  Tests lower it. */
ptrdiff_t THCWalk_most = INT32_MAX;

/* --- one shape ------------------------------------------------------------------------------ */

/* The dimensions of one operand, innermost first, with mergeable neighbours merged; and the part of
 * them that the common shape has taken so far. */
typedef struct Side {
  int dims, at;
  ptrdiff_t size[TH_LOOP_DIMS], stride[TH_LOOP_DIMS];
  ptrdiff_t left, step; /* size and stride of the rest of dimension `at` */
} Side;

static void enter_dim(Side *side)
{
  side->left = side->at < side->dims ? side->size[side->at] : 1;
  side->step = side->at < side->dims ? side->stride[side->at] : 0;
}

static void open_side(Side *side, const THLoop *loop, int i)
{
  const int dims = THPlan_squeeze(loop, i, side->size, side->stride);
  side->dims = THDims_merge(dims, 1, side->size, &side->stride);
  side->at = 0;
  enter_dim(side);
}

static int multiplies(ptrdiff_t part, const Side *sides, int n)
{
  for (int i = 0; i < n; i++)
    if (sides[i].left % part)
      return 0;
  return 1;
}

/* Makes the common refinement of the operands' shapes: each dimension is as large as the smallest
 * rest of all operands.  Returns 0 if this size does not divide the other rests: then there is no
 * common refinement. */
static int refine(THPlan *plan, const THLoop *loop)
{
  Side sides[THC_WALK_OPERANDS];
  const int n = plan->operands = loop->operands;
  for (int i = 0; i < n; i++) {
    open_side(&sides[i], loop, i);
    plan->itemSize[i] = loop->itemSize[i];
    plan->data[i] = loop->data[i];
  }
  plan->dims = 0;
  while (sides[0].at < sides[0].dims) {
    ptrdiff_t part = sides[0].left;
    for (int i = 1; i < n; i++)
      part = THMin(part, sides[i].left);
    if (!multiplies(part, sides, n))
      return 0;
    const int d = plan->dims++;
    plan->size[d] = part;
    for (int i = 0; i < n; i++) {
      Side *side = &sides[i];
      plan->stride[i][d] = side->step;
      side->left /= part;
      side->step *= part;
      if (side->left == 1) {
        side->at++;
        enter_dim(side);
      }
    }
  }
  if (plan->dims == 0) { /* a single element */
    plan->dims = 1;
    plan->size[0] = 1;
    for (int i = 0; i < n; i++)
      plan->stride[i][0] = plan->itemSize[i];
  }
  THPlan_order(plan);
  THPlan_merge(plan);
  return 1;
}

/* --- launches ------------------------------------------------------------------------------- */

static int is_packed(const THPlan *plan)
{
  if (plan->dims > 1)
    return 0;
  for (int i = 0; i < plan->operands; i++)
    if ((plan->size[0] > 1 && plan->stride[i][0] != plan->itemSize[i]) ||
        (uintptr_t)plan->data[i] % 16)
      return 0;
  return 1;
}

static ptrdiff_t count_of(const THPlan *plan)
{
  ptrdiff_t count = 1;
  for (int d = 0; d < plan->dims; d++)
    count *= plan->size[d];
  return count;
}

static int fits(const THPlan *plan)
{
  if (plan->dims > THC_WALK_DIMS || count_of(plan) > THCWalk_most)
    return 0;
  for (int i = 0; i < plan->operands; i++) {
    ptrdiff_t reach = 0;
    for (int d = 0; d < plan->dims; d++)
      reach += (plan->size[d] - 1) * plan->stride[i][d];
    if (reach / plan->itemSize[i] > THCWalk_most)
      return 0;
  }
  return 1;
}

static void launch(const THPlan *plan, int packed, THCKernel kernel, const void *scalars,
                   cudaStream_t stream)
{
  THCWalk walk;
  walk.packed = packed;
  walk.dims = plan->dims;
  walk.flat.count = count_of(plan);
  for (int i = 0; i < THC_WALK_OPERANDS; i++)
    walk.flat.data[i] = i < plan->operands ? plan->data[i] : NULL;
  for (int d = 0; d < plan->dims && !packed; d++) {
    walk.size[d] = THCDivisor_of((uint32_t)plan->size[d]);
    for (int i = 0; i < plan->operands; i++)
      walk.stride[i][d] = (uint32_t)(plan->stride[i][d] / plan->itemSize[i]);
  }
  kernel(&walk, scalars, stream);
  THCudaCheck(cudaGetLastError());
}

/* Halves a plan that does not fit along its outermost dimension; a dimension of size 1 is
 * dropped. */
static void run_parts(THPlan *plan, THCKernel kernel, const void *scalars, cudaStream_t stream)
{
  const int packed = is_packed(plan);
  if (packed || fits(plan)) {
    launch(plan, packed, kernel, scalars, stream);
    return;
  }
  const int outer = plan->dims - 1;
  const ptrdiff_t size = plan->size[outer], half = size / 2;
  if (size == 1) {
    plan->dims--;
    run_parts(plan, kernel, scalars, stream);
    plan->dims++;
    return;
  }
  plan->size[outer] = half;
  run_parts(plan, kernel, scalars, stream);
  for (int i = 0; i < plan->operands; i++)
    plan->data[i] += half * plan->stride[i][outer];
  plan->size[outer] = size - half;
  run_parts(plan, kernel, scalars, stream);
  for (int i = 0; i < plan->operands; i++)
    plan->data[i] -= half * plan->stride[i][outer];
  plan->size[outer] = size;
}

/* The number of elements of the operands; an error if operands differ. */
static ptrdiff_t common_count(const THLoop *loop)
{
  ptrdiff_t count = 0;
  for (int i = 0; i < loop->operands; i++) {
    ptrdiff_t own = loop->nDimension[i] > 0;
    for (int d = 0; d < loop->nDimension[i]; d++)
      own *= loop->size[i][d];
    if (i > 0 && own != count)
      THError("operands have different numbers of elements: %td in %s and %td in %s", count,
              _THSizeDesc(loop->size[0], loop->nDimension[0]).str, own,
              _THSizeDesc(loop->size[i], loop->nDimension[i]).str);
    count = own;
  }
  return count;
}

TH_API int THCWalk_run(const THLoop *loop, THCKernel kernel, const void *scalars,
                       cudaStream_t stream)
{
  static const char nothing = 0;
  THPlan plan;
  THAssert(loop->operands >= 1 && loop->operands <= THC_WALK_OPERANDS);
  if (common_count(loop) == 0)
    return 1;
  if (!refine(&plan, loop))
    return 0;
  run_parts(&plan, kernel, scalars ? scalars : &nothing, stream);
  return 1;
}

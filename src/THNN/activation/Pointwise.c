/* The loops of the layers and losses that compute element by element. */
#include "THNN/layer/Template.h"
#include "THKernel.h"

TH_DISPATCH(THNN_(Pointwise), THNN_(pointwise))

#if defined(TH_REAL_IS_FLOAT)
const THNN_FloatPointwise *THNN_floatKernels(int row)
{
  return &TH_DISPATCHED(THNN_(pointwise))[row];
}
#endif

void THNN_(operand)(THLoop *loop, THTensor *x, THTensor *like, const int64_t *count)
{
  static const real one = 1;
  static const int64_t strides[TH_LOOP_DIMS] = {0};
  if (x)
    THLoop_tensor(loop, x);
  else if (like->nDimension <= TH_LOOP_DIMS)
    THLoop_operand(loop, (void *)&one, sizeof one, like->nDimension, like->size, strides);
  else
    THLoop_operand(loop, (void *)&one, sizeof one, 1, count, strides);
}

/* Returns x, or a copy of x if x would change before it is read: because r, resized to like's shape,
 * shares memory with x, or because x is `becomes`. */
static THTensor *THNN_(aside)(THGuard *guard, THTensor *r, THTensor *like, THTensor *becomes,
                              THTensor *x)
{
  THGuard_enter(guard, (THUndo)THTensor_(free));
  if (x && x == becomes && x != r)
    x = guard->what = THTensor_(newWithTensor)(x);
  if (!x || THResult_overlapSized(TH_VIEW(r), like->nDimension, like->size, TH_VIEW(x)) !=
                TH_OVERLAP_MIXED)
    return x;
  THTensor *copy = THTensor_(newClone)(x);
  THTensor_(free)(guard->what);
  return guard->what = copy;
}

void THNN_(map)(THKernel kernel, const THNN_(Scalars) * scalars, THTensor *r, THTensor *like,
                THTensor *becomes, THTensor **operands, int count)
{
  THGuard guard[4];
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, r);
  if (THTensor_(isSameSizeAs)(r, like) && THLoop_overlapsItself(&loop, 0))
    THError(becomes ? "a tensor of size %s whose elements share memory cannot be changed in place"
                    : "a result of size %s has elements that share memory with each other",
            THTensor_(sizeDesc)(r).str);
  THTensor *from[4];
  for (int i = 0; i < count; i++)
    from[i] = THNN_(aside)(&guard[i], r, like, becomes, operands[i]);
  if (becomes)
    THTensor_(set)(becomes, r);
  else
    THTensor_(resizeAs)(r, like);

  THLoop_init(&loop);
  THLoop_tensor(&loop, r);
  const int64_t elements = THTensor_(nElement)(r);
  for (int i = 0; i < count; i++)
    THNN_(operand)(&loop, from[i], r, &elements);
  THLoop_run(&loop, kernel, scalars);
  for (int i = count - 1; i >= 0; i--)
    THGuard_leave(&guard[i]);
}

void THNN_(runLoop)(THLoop *loop, THKernel kernel, const THNN_(Scalars) * scalars)
{
  THLoop_run(loop, kernel, scalars);
}

accreal THNN_(total)(THKernel kernel, THNN_(Scalars) scalars, THLoop *loop)
{
  enum { ON_STACK = 64 }; /* sums of so many blocks need no allocation */
  accreal onStack[ON_STACK] = {0};
  loop->fixed = 1;
  const ptrdiff_t blocks = THLoop_blocks(loop);
  THGuard guard;
  THGuard_enter(&guard, THFree);
  scalars.part = onStack;
  if (blocks > ON_STACK) {
    scalars.part = guard.what = THAlloc(blocks * (ptrdiff_t)sizeof(accreal));
    memset(scalars.part, 0, (size_t)blocks * sizeof(accreal));
  }
  THLoop_run(loop, kernel, &scalars);
  accreal sum = 0;
  for (ptrdiff_t i = 0; i < blocks; i++)
    sum += scalars.part[i];
  THGuard_leave(&guard);
  return sum;
}

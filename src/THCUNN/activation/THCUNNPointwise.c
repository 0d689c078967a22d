/* The CUDA side of THNN's activations and pointwise losses: kernels that walk tensors, and sums. */
#include "THCUNN/layer/THCUNNDevice.h"

/* Returns x, or a copy of x if x would change before it is read: because r, resized to like's shape,
 * shares memory with x, or because x is `becomes`.  For a NULL x, returns a tensor of one element, 1. */
static THCTensor *THNN_(aside)(THGuard *guard, THCTensor *r, THCTensor *like, THCTensor *becomes,
                               THCTensor *x)
{
  THGuard_enter(guard, (THUndo)THTensor_(free));
  if (!x) {
    THCTensor *one = guard->what = THTensor_(newWithSize1d)(1);
    THTensor_(fill)(one, THNN_ELEMENT(1));
    return one;
  }
  if (x == becomes && x != r)
    x = guard->what = THTensor_(newWithTensor)(x);
  if (THResult_overlapSized(TH_VIEW(r), like->nDimension, like->size, TH_VIEW(x)) !=
      TH_OVERLAP_MIXED)
    return x;
  THCTensor *copy = THTensor_(newClone)(x);
  THTensor_(free)(guard->what);
  return guard->what = copy;
}

/* Adds x as an operand; a single element is expanded to like's shape. */
static void THNN_(addOperand)(THLoop *loop, THCTensor *x, THCTensor *like)
{
  static const int64_t none[TH_LOOP_DIMS];
  if (THTensor_(nElement)(x) == THTensor_(nElement)(like))
    THLoop_tensor(loop, x);
  else
    THLoop_operand(loop, THTensor_(data)(x), sizeof(real), like->nDimension, like->size, none);
}

/* Runs the kernel over r and the operands, if their shapes have a common refinement. */
static int THNN_(walk)(THCKernel kernel, const THNN_(Scalars) * scalars, THCTensor *r,
                       THCTensor **operands, int count)
{
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, r);
  for (int i = 0; i < count; i++)
    THNN_(addOperand)(&loop, operands[i], r);
  return THCWalk_run(&loop, kernel, scalars, THCUNN_STREAM);
}

enum { INPUTS = THC_WALK_OPERANDS - 1 };

/* An operand of a single element is expanded. */
void THNN_(map)(THCKernel kernel, const THNN_(Scalars) * scalars, THCTensor *r, THCTensor *like,
                THCTensor *becomes, THCTensor **operands, int count)
{
  THGuard guard[INPUTS], straight[INPUTS];
  THCTensor *from[INPUTS];
  THLoop loop;
  THLoop_init(&loop);
  THLoop_tensor(&loop, r);
  if (THTensor_(isSameSizeAs)(r, like) && THLoop_overlapsItself(&loop, 0))
    THError(becomes ? "a tensor of size %s whose elements share memory cannot be changed in place"
                    : "a result of size %s has elements that share memory with each other",
            THTensor_(sizeDesc)(r).str);
  THArgCheck(like->nDimension <= TH_LOOP_DIMS, 2, "a tensor of size %s has too many dimensions",
             THTensor_(sizeDesc)(like).str);
  for (int i = 0; i < count; i++)
    from[i] = THNN_(aside)(&guard[i], r, like, becomes, operands[i]);
  if (becomes)
    THTensor_(set)(becomes, r);
  else
    THTensor_(resizeAs)(r, like);

  if (!THNN_(walk)(kernel, scalars, r, from, count)) {
    for (int i = 0; i < count; i++) { /* contiguous operands always have a common refinement */
      THGuard_enter(&straight[i], (THUndo)THTensor_(free));
      from[i] = straight[i].what = THTensor_(newContiguous)(from[i]);
    }
    THAssert(THNN_(walk)(kernel, scalars, r, from, count));
    for (int i = count - 1; i >= 0; i--)
      THGuard_leave(&straight[i]);
  }
  for (int i = count - 1; i >= 0; i--)
    THGuard_leave(&guard[i]);
}

void THNN_(runLoop)(THLoop *loop, THCKernel kernel, const THNN_(Scalars) * scalars)
{
  THAssert(THCWalk_run(loop, kernel, scalars, THCUNN_STREAM));
}

/* --- sums ------------------------------------------------------------------------------------ */

void THNN_(preluAccumulate)(THCTensor *input, THCTensor *gradOutput, THCTensor *gradWeight, int dim,
                            accreal scale)
{
  const THNN_(Scalars) scalars = {.scale = 1};
  int64_t batch = 1, planes = 1;
  if (dim >= 0)
    planes = input->size[dim];
  if (dim > 0)
    batch = input->size[0];
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THTensor_(free));
  THCTensor *terms = guard.what = THTensor_(new)(), *operands[] = {gradOutput, input, NULL};
  THNN_(map)(THNN_(pointwise)[THNN_PReLU].gradient2, &scalars, terms, input, NULL, operands, 3);
  const ptrdiff_t n = THTensor_(nElement)(input);
  THNN_(Call) call;
  THNN_(begin)(&call);
  THCTensor *out = THNN_(sum)(&call, gradWeight);
  void *memory = n > 0 ? THNN_(sumMemory)(&call, planes, n / planes) : NULL;
  THNN_(start)(&call);
  if (n > 0)
    TH_CONCAT_2(THCUNN_addPlaneSums_, Real)(batch, planes, n / batch / planes,
                                            THTensor_(data)(terms), scale, THTensor_(data)(out),
                                            memory, THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  THNN_(finish)(&call);
  THGuard_leave(&guard);
}

void THNN_(lossSum)(int row, const THNN_(Scalars) * scalars, THCTensor **inputs, int count,
                    THCTensor *output, double divisor)
{
  const int64_t n = THTensor_(nElement)(inputs[0]), one = 1;
  const int parts = (int)THCUNN_parts(1, n);
  THCTensor *from[INPUTS] = {NULL};
  THGuard guard;
  THNN_(Call) call;
  THNN_(begin)(&call);
  for (int i = 0; i < count; i++)
    from[i] = THNN_(source)(&call, inputs[i]);
  THCTensor *out = THNN_(result)(&call, output, 1, &one);
  void *sums = THCUNN_allocate(&guard, (ptrdiff_t)sizeof(accreal) * parts);
  THNN_(start)(&call);
  THNN_(pointwise)
  [row].sum(THTensor_(data)(from[0]), from[1] ? THTensor_(data)(from[1]) : NULL,
            from[2] ? THTensor_(data)(from[2]) : NULL, n, scalars, parts, sums, THCUNN_STREAM);
  TH_CONCAT_2(THCUNN_addParts_, Real)(sums, parts, 1 / divisor, THTensor_(data)(out),
                                      THCUNN_STREAM);
  THCudaCheck(cudaGetLastError());
  THGuard_leave(&guard);
  THNN_(finish)(&call);
}

/* The host does not wait to read the element. */
THCTensor *THNN_(lossFactor)(THCTensor *gradOutput, accreal *scale)
{
  return gradOutput;
}

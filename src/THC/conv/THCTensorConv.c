/* Convolutions of images. */
#include "THC/core/THCPrivate.h"

#include "THCTensorConv.h"
#include "thc_conv.h"

static void free_tensor(void *tensor)
{
  THCudaTensor_free(THC_using, tensor);
}

/* A call: what the kernel is given, the operands, and their argument numbers in errors. */
typedef struct Call {
  THCConv conv;
  THCudaTensor *output, *input, *kernel;
  int inputArg, kernelArg, stepArg;
  int dims; /* of the result */
} Call;

static void check_dims(const THCudaTensor *t, int dims, int arg, const char *name)
{
  THArgCheck(t->nDimension == dims, arg, "%s of size %s has not %d dimensions", name,
             _THSizeDesc(t->size, t->nDimension).str, dims);
}

/* The size of the result along an axis; 0 if there is none, or it is too large. */
static int64_t size_along(const THCConv *conv, int d)
{
  const int64_t n = conv->size[d], m = conv->kernelSize[d], step = conv->step[d];
  int64_t reach;
  if (conv->form == THC_CONV_VALID)
    return n < m ? 0 : (n - m) / step + 1;
  if (conv->form == THC_CONV_FULL)
    return __builtin_mul_overflow(n - 1, step, &reach) || __builtin_add_overflow(reach, m, &reach)
               ? 0
               : reach;
  return __builtin_mul_overflow(m - 1, step, &reach) || reach >= n ? 0 : n - reach;
}

/* Sets steps and sizes of conv, and checks them; planes are the last two dimensions. */
static void measure(Call *call, int64_t srow, int64_t scol)
{
  THCConv *const conv = &call->conv;
  THArgCheck(srow >= 1 && scol >= 1, call->stepArg, "steps are %lld and %lld, not >= 1",
             (long long)srow, (long long)scol);
  conv->step[0] = srow;
  conv->step[1] = scol;
  for (int d = 0; d < 2; d++) {
    conv->size[d] = call->input->size[call->input->nDimension - 2 + d];
    conv->kernelSize[d] = call->kernel->size[call->kernel->nDimension - 2 + d];
    conv->outSize[d] = size_along(conv, d);
    THArgCheck(conv->outSize[d] > 0, call->kernelArg,
               "kernel of size %s does not fit input of size %s in steps of %lld and %lld",
               _THSizeDesc(call->kernel->size, call->kernel->nDimension).str,
               _THSizeDesc(call->input->size, call->input->nDimension).str, (long long)srow,
               (long long)scol);
  }
}

/* Computes into a new tensor, which starts as a copy of output if beta is not 0; then resizes output and
 * copies the result to it. */
static void convolve(THCState *state, Call *call)
{
  THCConv *const conv = &call->conv;
  int64_t shape[4] = {conv->count[0], conv->count[1], conv->outSize[0], conv->outSize[1]};
  int64_t *const size = shape + 4 - call->dims;
  if (call->dims == 3)
    size[0] = conv->count[0] * conv->count[1];
  THGuard first, second, third;
  THGuard_enter(&first, free_tensor);
  THCudaTensor *input = first.what = THCudaTensor_newContiguous(state, call->input);
  THGuard_enter(&second, free_tensor);
  THCudaTensor *kernel = second.what = THCudaTensor_newContiguous(state, call->kernel);
  THGuard_enter(&third, free_tensor);
  THCudaTensor *made = third.what = THCudaTensor_new(state);
  THCudaTensor_resizeNd(state, made, call->dims, size, NULL);
  if (conv->beta != 0 &&
      THCudaTensor_nElement(state, call->output) == THCudaTensor_nElement(state, made))
    THCudaTensor_copy(state, made, call->output);
  else
    conv->beta = 0;
  THCudaTensor_resizeNd(state, call->output, call->dims, size, NULL);
  conv->from = THCudaTensor_data(state, input);
  conv->weight = THCudaTensor_data(state, kernel);
  conv->to = THCudaTensor_data(state, made);
  THCKernel_convolve(conv, THCState_getCurrentStream(state));
  THCudaCheck(cudaGetLastError());
  THCudaTensor_copy(state, call->output, made);
  THGuard_leave(&third);
  THGuard_leave(&second);
  THGuard_leave(&first);
}

static void enter(THCState *state, THCudaTensor *output, THCudaTensor *input, THCudaTensor *kernel)
{
  THC_enter(state);
  THCAssertSameGPU(THCudaTensor_checkGPU(state, 3, output, input, kernel));
}

/* --- matrices times vectors --------------------------------------------------------------------- */

static void read_type(THCConv *conv, const char *type)
{
  static const char letters[] = "vVfFxXcC";
  const char *const form = type && *type ? strchr(letters, *type) : NULL;
  const char *const kind = form && type[1] ? strchr(letters, type[1]) : "";
  THArgCheck(form && form < letters + 4 && kind && (!*kind || kind >= letters + 4), 7,
             "type is \"%.8s\", not \"v\" or \"f\" and then \"x\" or \"c\"", type ? type : "");
  const int full = form >= letters + 2;
  const int convolves = *kind ? kind >= letters + 6 : full;
  conv->form = full ? THC_CONV_FULL : THC_CONV_VALID;
  conv->flips = full ? !convolves : convolves;
}

/* batch: whether input and output have a batch dimension. */
static void multiply(THCState *state, THCudaTensor *output, float beta, THCudaTensor *input,
                     THCudaTensor *kernel, int64_t srow, int64_t scol, const char *type, int batch)
{
  enter(state, output, input, kernel);
  Call call = {.conv = {.alpha = 1, .beta = beta},
               .output = output,
               .input = input,
               .kernel = kernel,
               .inputArg = 3,
               .kernelArg = 4,
               .stepArg = 5,
               .dims = 3 + batch};
  check_dims(input, 3 + batch, 3, "input");
  check_dims(kernel, 4, 4, "kernel");
  const int64_t planes = input->size[batch];
  THArgCheck(kernel->size[1] == planes, 4, "kernel is for %lld planes, input has %lld",
             (long long)kernel->size[1], (long long)planes);
  read_type(&call.conv, type);
  measure(&call, srow, scol);
  call.conv.count[0] = batch ? input->size[0] : 1;
  call.conv.count[1] = kernel->size[0];
  call.conv.summands = planes;
  call.conv.input = (THCConvPlane){.p = planes, .summand = 1};
  call.conv.kernel = (THCConvPlane){.q = planes, .summand = 1};
  convolve(state, &call);
}

void THCudaTensor_conv2Dmv(THCState *state, THCudaTensor *output, float beta, THCudaTensor *input,
                           THCudaTensor *kernel, int64_t srow, int64_t scol, const char *type)
{
  multiply(state, output, beta, input, kernel, srow, scol, type, 0);
}

void THCudaTensor_conv2Dmm(THCState *state, THCudaTensor *output, float beta, THCudaTensor *input,
                           THCudaTensor *kernel, int64_t srow, int64_t scol, const char *type)
{
  multiply(state, output, beta, input, kernel, srow, scol, type, 1);
}

/* --- outer products ------------------------------------------------------------------------------ */

static void reverse(THCState *state, THCudaTensor *output, float beta, float alpha,
                    THCudaTensor *input, THCudaTensor *kernel, int64_t srow, int64_t scol,
                    int batch)
{
  enter(state, output, input, kernel);
  Call call = {.conv = {.form = THC_CONV_REVERSE, .alpha = alpha, .beta = beta},
               .output = output,
               .input = input,
               .kernel = kernel,
               .inputArg = 4,
               .kernelArg = 5,
               .stepArg = 6,
               .dims = 4};
  check_dims(input, 3 + batch, 4, "input");
  check_dims(kernel, 3 + batch, 5, "kernel");
  THArgCheck(!batch || kernel->size[0] == input->size[0], 5,
             "kernel has a batch of %lld, input of %lld", (long long)kernel->size[0],
             (long long)input->size[0]);
  measure(&call, srow, scol);
  call.conv.count[0] = kernel->size[batch];
  call.conv.count[1] = input->size[batch];
  call.conv.summands = batch ? input->size[0] : 1;
  call.conv.input = (THCConvPlane){.q = 1, .summand = input->size[batch]};
  call.conv.kernel = (THCConvPlane){.p = 1, .summand = kernel->size[batch]};
  convolve(state, &call);
}

void THCudaTensor_conv2DRevger(THCState *state, THCudaTensor *output, float beta, float alpha,
                               THCudaTensor *input, THCudaTensor *kernel, int64_t srow,
                               int64_t scol)
{
  reverse(state, output, beta, alpha, input, kernel, srow, scol, 0);
}

void THCudaTensor_conv2DRevgerm(THCState *state, THCudaTensor *output, float beta, float alpha,
                                THCudaTensor *input, THCudaTensor *kernel, int64_t srow,
                                int64_t scol)
{
  reverse(state, output, beta, alpha, input, kernel, srow, scol, 1);
}

/* --- tables of connections ----------------------------------------------------------------------- */

/* Checks on the host that the table has numbers of planes that exist: the kernel uses them as indices. */
static void check_table(THCState *state, THCudaTensor *table, int64_t planes)
{
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THFloatTensor_free);
  THFloatTensor *host = guard.what = THFloatTensor_newWithSize2d(table->size[0], table->size[1]);
  THFloatTensor_copyCudaFloat(state, host, table);
  for (int64_t c = 0; c < table->size[0]; c++) {
    const float number = THFloatTensor_get2d(host, c, 0);
    THArgCheck(number >= TH_INDEX_BASE && number < (float)planes + TH_INDEX_BASE, 6,
               "table has the plane %g in row %lld, of %lld planes", (double)number,
               (long long)c + TH_INDEX_BASE, (long long)planes);
  }
  THGuard_leave(&guard);
}

void THCudaTensor_conv2Dmap(THCState *state, THCudaTensor *output, THCudaTensor *input,
                            THCudaTensor *kernel, int64_t stride_x, int64_t stride_y,
                            THCudaTensor *table, int64_t fanin)
{
  enter(state, output, input, kernel);
  THCAssertSameGPU(THCudaTensor_checkGPU(state, 1, table));
  Call call = {.output = output,
               .input = input,
               .kernel = kernel,
               .inputArg = 2,
               .kernelArg = 3,
               .stepArg = 4,
               .dims = 3};
  check_dims(input, 3, 2, "input");
  check_dims(kernel, 3, 3, "kernel");
  check_dims(table, 2, 6, "table");
  const int64_t rows = kernel->size[0];
  THArgCheck(table->size[0] == rows, 6, "table has %lld rows, kernel %lld planes",
             (long long)table->size[0], (long long)rows);
  THArgCheck(fanin >= 1 && rows % fanin == 0, 7, "fanin is %lld, of %lld planes of kernel",
             (long long)fanin, (long long)rows);
  measure(&call, stride_y, stride_x);
  check_table(state, table, input->size[0]);
  THGuard guard;
  THGuard_enter(&guard, free_tensor);
  THCudaTensor *flat = guard.what = THCudaTensor_newContiguous(state, table);
  call.conv.alpha = 1;
  call.conv.count[0] = 1;
  call.conv.count[1] = rows / fanin;
  call.conv.summands = fanin;
  call.conv.kernel = (THCConvPlane){.q = fanin, .summand = 1};
  call.conv.map = THCudaTensor_data(state, flat);
  call.conv.mapWidth = table->size[1];
  convolve(state, &call);
  THGuard_leave(&guard);
}

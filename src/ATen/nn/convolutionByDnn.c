/* Convolutions of Half and BFloat16 on CUDA, by cuDNN, which takes such elements as they are.  Where it does not,
 * convolution.c computes in Float. */
#include "convolution.h"

#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"
#include "ATen/ops/reduce.h"
#include "THC/conv/THCDnn.h"

/* Whether windows along an axis fit the sizes of image and result. */
static bool fits(const THCDnnAxis *a)
{
  const int64_t reach = (a->size - 1) * a->dilation + 1 - 2 * a->pad;
  return a->size > 0 && a->step > 0 && a->dilation > 0 && a->pad >= 0 && a->input >= reach &&
         a->output == (a->input - reach) / a->step + 1;
}

/* What all addresses are multiples of: 16 at most. */
static int64_t alignment_of(at_tensor *const *t)
{
  const uintptr_t bits =
      (uintptr_t)at_data(t[0]) | (uintptr_t)at_data(t[1]) | (uintptr_t)at_data(t[2]) | 16;
  return (int64_t)(bits & -bits);
}

/* Queues a pass of the image of windows, weight, and what stands for the windows; contiguous tensors, of which one is
 * the result. */
static bool run(THCDnnPass pass, const THNNGroups *g, int axes, at_tensor *const operands[3])
{
  const at_ints x = at_sizesOf(operands[0]), w = at_sizesOf(operands[1]),
                y = at_sizesOf(operands[2]);
  const int batch = x.count - axes - 1;
  const at_scalar_type type = operands[0]->type->scalarType;
  if (batch < 0 || batch > 1 || y.count != x.count || w.count != axes + 2)
    return false;
  THCDnnConvolution c = {.pass = pass,
                         .type = type == AT_HALF ? THC_DNN_HALF : THC_DNN_BFLOAT16,
                         .alignment = alignment_of(operands),
                         .batch = batch ? x.data[0] : 1,
                         .groups = g->groups,
                         .planes = x.data[batch],
                         .outputs = y.data[batch]};
  bool fit = (!batch || y.data[0] == c.batch) && w.data[0] == c.outputs &&
             w.data[1] == c.planes / g->groups;
  for (int a = 0; a < 3; a++) {
    const int d = batch + 1 + a - (3 - axes);
    c.at[a] = a < 3 - axes ? (THCDnnAxis){1, 1, 1, 1, 0, 1}
                           : (THCDnnAxis){x.data[d],  y.data[d], g->size[a],
                                          g->step[a], g->pad[a], g->dilation[a]};
    fit = fit && fits(&c.at[a]);
  }
  return fit &&
         at_cuda()->convolve(&c, at_data(operands[0]), at_data(operands[1]), at_data(operands[2]));
}

bool at_convolvesByDnn(const at_tensor *input, const at_tensor *weight)
{
  const at_scalar_type type = input->type->scalarType;
  return (type == AT_HALF || type == AT_BFLOAT16) && weight->type == input->type &&
         !at_isOnHost(input->type) && at_numel(input) > 0 && at_numel(weight) > 0 &&
         at_cuda()->flag(AT_CUDA_DNN);
}

at_tensor *at_convolveByDnn(at_tensor *input, at_tensor *weight, at_tensor *bias, int axes,
                            const THNNGroups *g, at_ints size)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const x = at_hold(&pool, at_makeContiguous(input)),
                   *const w = at_hold(&pool, at_makeContiguous(weight)),
                   *const y = at_hold(&pool, at_newShape(input->type, size));
  const bool done = g->full ? run(THC_DNN_BACKWARD_DATA, g, axes, (at_tensor *[]){y, w, x})
                            : run(THC_DNN_FORWARD, g, axes, (at_tensor *[]){x, w, y});
  if (!done) {
    at_pool_leave(&pool);
    return NULL;
  }
  for (int a = 0; bias && a < axes; a++)
    bias = at_hold(&pool, at_viewUnsqueeze(bias, -1));
  if (bias)
    at_binary(y, AT_ROW_cadd, y, bias, at_scalar_long(1));
  return at_pool_keep(&pool, y);
}

/* The sums of each plane. */
static at_tensor *plane_sums(at_tensor *grad, int axes)
{
  int64_t dims[4];
  const int batch = at_sizesOf(grad).count - axes - 1;
  for (int i = 0; i < axes + batch; i++)
    dims[i] = i < batch ? 0 : 1 + i;
  return at_reduce(NULL, AT_SUM, grad, (at_ints){dims, axes + batch}, false, NULL,
                   at_scalar_long(0));
}

bool at_convolveBackwardByDnn(at_tensor **out, const bool *gives, at_tensor *grad, at_tensor *input,
                              at_tensor *weight, int axes, const THNNGroups *g)
{
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const x = at_hold(&pool, at_makeContiguous(input)),
                   *const w = at_hold(&pool, at_makeContiguous(weight)),
                   *const y = at_hold(&pool, at_makeContiguous(grad));
  at_tensor *made[3] = {NULL}, *given[3], *results[3];
  bool done = at_sizesOf(grad).count == at_sizesOf(input).count;
  if (done && gives[0]) {
    made[0] = at_hold(&pool, at_newShape(input->type, at_sizesOf(input)));
    done = g->full ? run(THC_DNN_FORWARD, g, axes, (at_tensor *[]){y, w, made[0]})
                   : run(THC_DNN_BACKWARD_DATA, g, axes, (at_tensor *[]){made[0], w, y});
  }
  if (done && gives[1]) {
    made[1] = at_hold(&pool, at_newShape(weight->type, at_sizesOf(weight)));
    done = run(THC_DNN_BACKWARD_WEIGHTS, g, axes,
               (at_tensor *[]){g->full ? y : x, made[1], g->full ? x : y});
  }
  if (done && gives[2])
    made[2] = at_hold(&pool, plane_sums(grad, axes));
  int count = 0;
  for (int i = 0; i < 3; i++)
    if (made[i]) {
      given[count] = out[i];
      results[count++] = made[i];
    }
  if (!done || count == 0) {
    at_pool_leave(&pool);
    return false;
  }
  at_finish(&pool, count, given, results);
  for (int i = 0, k = 0; i < 3; i++)
    if (made[i])
      out[i] = given[k++];
  return true;
}

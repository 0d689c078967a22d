/* Connectionist temporal classification on a device (ctc.h): a kernel for each direction. */
#include "ctc.h"

#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"

static void *longs(at_pool *pool, const at_tensor *like, int64_t count)
{
  return at_data(at_layerNew(pool, at_toScalarType(like->type, AT_LONG), (at_ints){&count, 1}));
}

/* Lengths of a device are checked there, and those that are none become the nearest. */
static void take_lengths(const at_ctc_sizes *sizes, int64_t *buffer)
{
  THCFault fault;
  at_ctc_given_work work = {.batch = sizes->batch,
                            .steps = sizes->steps,
                            .longest = sizes->longest,
                            .width = sizes->width,
                            .input = at_data(sizes->there[0]),
                            .length = at_data(sizes->there[1]),
                            .inputs = buffer,
                            .lengths = buffer + sizes->batch,
                            .starts = buffer + 2 * sizes->batch};
  work.report.fault.function = "ctc_loss";
  if (at_cuda()->check(AT_KERNEL_ctcGivenCheck, THScalarFloat, &work, &work.report, &fault))
    at_ctcRaiseLength(fault.arg == 3 ? "input_lengths" : "target_lengths", fault.at, fault.value,
                      fault.last);
  at_cuda()->launch(AT_KERNEL_ctcGiven, THScalarFloat, &work);
}

static void write_lengths(at_pool *pool, const at_ctc_sizes *sizes, const at_tensor *like,
                          at_ctc_work *work)
{
  int64_t *const buffer = longs(pool, like, 3 * sizes->batch);
  work->inputs = buffer;
  work->lengths = buffer + sizes->batch;
  work->starts = buffer + 2 * sizes->batch;
  if (sizes->there[0]) {
    take_lengths(sizes, buffer);
    return;
  }
  for (int64_t b = 0; b < sizes->batch; b += AT_CTC_SAMPLES) {
    at_ctc_lengths_work part = {.count = (int)THMin(AT_CTC_SAMPLES, sizes->batch - b),
                                .inputs = buffer + b,
                                .lengths = buffer + sizes->batch + b,
                                .starts = buffer + 2 * sizes->batch + b};
    const size_t bytes = (size_t)part.count * sizeof(int64_t);
    memcpy(part.input, sizes->inputs + b, bytes);
    memcpy(part.length, sizes->lengths + b, bytes);
    memcpy(part.start, sizes->starts + b, bytes);
    at_cuda()->launch(AT_KERNEL_ctcLengths, THScalarFloat, &part);
  }
}

static at_ctc_work opened(at_pool *pool, const at_ctc_sizes *sizes, at_tensor *log_probs,
                          at_tensor *targets)
{
  at_ctc_work work = {.steps = sizes->steps,
                      .batch = sizes->batch,
                      .classes = sizes->classes,
                      .blank = sizes->blank,
                      .states = 2 * sizes->longest + 1};
  targets = at_cast(pool, targets, at_toScalarType(targets->type, AT_LONG));
  work.labels = at_data(at_hold(pool, at_makeContiguous(targets)));
  work.probs = at_data(at_hold(pool, at_makeContiguous(log_probs)));
  write_lengths(pool, sizes, log_probs, &work);
  const int64_t rows[] = {sizes->batch, 2, work.states};
  work.rows =
      at_data(at_layerNew(pool, at_toScalarType(log_probs->type, AT_DOUBLE), (at_ints){rows, 3}));
  THCFault fault;
  work.report.fault.function = "ctc_loss";
  if (at_cuda()->check(AT_KERNEL_ctcCheck, THScalarFloat, &work, &work.report, &fault))
    at_ctcRaiseLabel(fault.at % work.states, fault.at / work.states, fault.value, sizes->classes);
  return work;
}

void at_ctcDevice(at_pool *pool, const at_ctc_sizes *sizes, at_tensor *log_probs,
                  at_tensor *targets, at_tensor *made[2])
{
  at_ctc_work work = opened(pool, sizes, log_probs, targets);
  const int64_t shape[] = {sizes->batch, sizes->steps, work.states};
  made[0] = at_layerNew(pool, log_probs->type, (at_ints){shape, 1});
  made[1] = at_layerNew(pool, log_probs->type, (at_ints){shape, 3});
  work.loss = at_data(made[0]);
  work.alpha = at_data(made[1]);
  at_cuda()->launch(AT_KERNEL_ctc, log_probs->type->held, &work);
}

at_tensor *at_ctcDeviceBackward(at_pool *pool, const at_ctc_sizes *sizes, at_tensor *log_probs,
                                at_tensor *targets, at_tensor *grad, at_tensor *loss,
                                at_tensor *alpha, bool zero_infinity)
{
  at_ctc_work work = opened(pool, sizes, log_probs, targets);
  const int64_t shape[] = {sizes->steps, sizes->batch, sizes->classes};
  at_tensor *const made = at_layerNew(pool, log_probs->type, (at_ints){shape, 3});
  work.chain = longs(pool, log_probs, sizes->batch * work.states);
  work.grad = at_data(at_hold(pool, at_makeContiguous(grad)));
  work.loss = at_data(at_hold(pool, at_makeContiguous(loss)));
  work.alpha = at_data(at_hold(pool, at_makeContiguous(alpha)));
  work.gradient = at_data(made);
  work.zerosInfinity = zero_infinity;
  at_cuda()->launch(AT_KERNEL_ctcBackward, log_probs->type->held, &work);
  return made;
}

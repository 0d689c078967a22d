/* Training by several processes, against the same training by one: each rank computes that, too. */
#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "ATenDistributed.h"
#include "th_test.h"

enum { BATCH = 24, STEPS = 12, INPUTS = 6 };

static int rank, size;
static bool onDevice; /* all is on CUDA */

static at_module *new_net(int seed)
{
  at_manualSeed((uint64_t)seed);
  const at_type *const type = AT_CPU(AT_DOUBLE);
  at_module *const net =
      at_Sequential(at_Linear(INPUTS, 16, .type = type), at_BatchNorm1d(16, .type = type),
                    at_Tanh(), at_Linear(16, 8, .type = type), at_Tanh(),
                    at_Linear(8, 1, .type = type));
  CHECK(!onDevice || at_module_to(net, AT_CUDA(AT_DOUBLE)));
  return net;
}

/* The batch of a step, or the own part of it. */
static void draw(int step, bool isPart, at_tensor **x, at_tensor **y)
{
  at_manualSeed((uint64_t)(100 + step));
  *x = at_randn(AT_SHAPE(BATCH, INPUTS), .type = AT_CPU(AT_DOUBLE));
  *y = at_sum_dim(at_sin(*x), AT_INTS(1), .keepdim = true);
  if (isPart) {
    *x = at_narrow(*x, 0, rank * (BATCH / size), BATCH / size);
    *y = at_narrow(*y, 0, rank * (BATCH / size), BATCH / size);
  }
  if (onDevice) {
    *x = at_to(*x, AT_CUDA(AT_DOUBLE));
    *y = at_to(*y, AT_CUDA(AT_DOUBLE));
  }
}

/* Without batch normalization's dependence on the batch: the average of the parts is that of the
 * whole. */
static double loss_of(at_module *net, int step, bool isPart)
{
  at_tensor *x, *y;
  draw(step, isPart, &x, &y);
  at_tensor *const loss = at_mse_loss(at_forward(net, x), y);
  CHECK(at_backward(loss));
  return at_item_double(loss);
}

static double average_of(double value)
{
  at_tensor *const t = at_full(AT_SHAPE(1), value, .type = AT_CPU(AT_DOUBLE));
  CHECK(at_comm_all_reduce(t, .op = AT_COMM_AVG));
  return at_item_double(t);
}

typedef struct Run {
  at_module *net;
  at_optimizer *adam;
} Run;

static Run begin(int seed)
{
  Run run = {new_net(seed), NULL};
  at_module_eval(run.net);
  AT_SCOPE
  {
    run.adam = at_adamw(*at_module_parameters(run.net), .lr = 0.01);
  }
  CHECK(run.adam);
  return run;
}

static void end(Run *run)
{
  at_optimizer_free(run->adam);
  at_module_free(run->net);
}

/* Parameter number skipped may differ. */
static void same_params_but(const Run *a, const Run *b, int skipped)
{
  AT_SCOPE
  {
    const at_tensors *const x = at_module_parameters(a->net), *const y =
                                                                  at_module_parameters(b->net);
    for (int i = 0; i < x->count; i++)
      CHECK(i == skipped || at_allclose(x->data[i], y->data[i], .rtol = 1e-10, .atol = 1e-12));
  }
}

static void same_params(const Run *a, const Run *b)
{
  same_params_but(a, b, -1);
}

/* One step of the reference, on the whole batch. */
static double step_alone(Run *run, int step)
{
  at_optimizer_zero_grad(run->adam);
  const double loss = loss_of(run->net, step, false);
  CHECK(at_optimizer_step(run->adam));
  return loss;
}

static void train(int64_t bucketBytes, bool isSharded)
{
  Run alone = begin(1), mine = begin(1 + rank); /* rank 0's values are everybody's */
  at_comm_parallel *const p = at_comm_parallel_new(mine.net, .bucket_bytes = bucketBytes);
  at_comm_sharded *const z = isSharded ? at_comm_sharded_new(mine.adam) : NULL;
  if (!p || (isSharded && !z))
    th_fail_at(__FILE__, __LINE__, "%s", at_error_message());
  for (int step = 0; step < STEPS; step++)
    AT_SCOPE
    {
      th_note("step %d, buckets of %lld bytes", step, (long long)bucketBytes);
      at_optimizer_zero_grad(mine.adam);
      const double loss = average_of(loss_of(mine.net, step, true));
      CHECK(at_comm_parallel_finish(p));
      CHECK(isSharded ? at_comm_sharded_step(z) : at_optimizer_step(mine.adam));
      CHECK_NEAR(loss, step_alone(&alone, step), 1e-12);
      same_params(&mine, &alone);
    }
  at_comm_sharded_free(z);
  at_comm_parallel_free(p);
  end(&mine);
  end(&alone);
}

static void curves(void **state)
{
  train(25 << 20, false);
  train(1, false);
  train(600, false);
}

static void sharded_curves(void **state)
{
  train(600, true);
}

/* In training, with statistics of the samples of all ranks: curves, gradients and buffers are those of one
 * process with the whole batch; of images, too, and parts of different sizes. */
static void synced(void **state)
{
  Run alone = begin(1), mine = begin(1);
  CHECK(at_comm_convert_sync_batchnorm(mine.net, NULL));
  at_comm_parallel *const p = at_comm_parallel_new(mine.net);
  at_module_train(alone.net);
  at_module_train(mine.net);
  for (int step = 0; step < STEPS; step++)
    AT_SCOPE
    {
      at_optimizer_zero_grad(mine.adam);
      const double loss = average_of(loss_of(mine.net, step, true));
      CHECK(at_comm_parallel_finish(p) && at_optimizer_step(mine.adam));
      CHECK_NEAR(loss, step_alone(&alone, step), 1e-10);
      same_params_but(&mine, &alone,
                      1); /* 0.bias: its gradient is rounding, and Adam divides by it */
      at_tensor *const variance = at_module_get(mine.net, "1.running_var");
      CHECK(at_allclose(variance, at_module_get(alone.net, "1.running_var"), .rtol = 1e-9));
    }
  at_comm_parallel_free(p);
  end(&mine);
  end(&alone);
}

static void synced_images(void **state)
{
  const at_type *const type = AT_CPU(AT_DOUBLE);
  at_module *const whole = at_BatchNorm2d(3, .momentum = AT_NO_DOUBLE, .type = type);
  at_module *const norm = at_module_clone(whole);
  CHECK(norm && at_comm_convert_sync_batchnorm(norm, NULL));
  AT_SCOPE
  {
    int64_t first = 0;
    for (int r = 0; r < rank; r++)
      first += r + 1;
    at_manualSeed(5);
    at_tensor *const all = at_randn(AT_SHAPE(size * (size + 1) / 2 + 1, 3, 2, 4), .type = type);
    const int64_t count = rank + 1 + (rank == size - 1);
    at_tensor *const weight = at_cos(at_mul(all, 3));
    at_tensor *const x = at_requires_grad_(at_clone(all));
    at_tensor *const part = at_requires_grad_(at_clone(at_narrow(all, 0, first, count)));
    at_tensor *const y = at_forward(whole, x), *const own = at_forward(norm, part);
    CHECK(at_allclose(own, at_narrow(y, 0, first, count), .rtol = 1e-12, .atol = 1e-12));
    CHECK(at_backward(at_sum(at_mul(at_square(y), weight))));
    CHECK(at_backward(at_sum(at_mul(at_square(own), at_narrow(weight, 0, first, count)))));
    CHECK(at_allclose(at_grad(part), at_narrow(at_grad(x), 0, first, count), .rtol = 1e-10,
                      .atol = 1e-11));
    at_tensor *const sums = at_clone(at_grad(at_module_get(norm, "weight")));
    CHECK(at_comm_all_reduce(sums));
    CHECK(at_allclose(sums, at_grad(at_module_get(whole, "weight")), .rtol = 1e-10, .atol = 1e-11));
    CHECK(at_allclose(at_module_get(norm, "running_mean"), at_module_get(whole, "running_mean")));
    at_module_eval(norm);
    at_module_eval(whole);
    CHECK(at_allclose(at_forward(norm, all), at_forward(whole, all), .rtol = 1e-12, .atol = 1e-12));
    CHECK(!at_defined(at_forward(norm, at_ones(AT_SHAPE(2, 4), .type = type))));
    CHECK(strstr(at_error_message(), "has to be batch x 3"));
    at_error_clear();
  }
  at_module_free(norm);
  at_module_free(whole);
}

/* Two passes, of which the first is not shared, are one with both losses. */
static void accumulation(void **state)
{
  Run alone = begin(1), mine = begin(1);
  at_comm_parallel *const p = at_comm_parallel_new(mine.net);
  for (int step = 0; step < 4; step += 2)
    AT_SCOPE
    {
      at_optimizer_zero_grad(mine.adam);
      at_optimizer_zero_grad(alone.adam);
      CHECK(at_comm_parallel_setSync(p, false));
      loss_of(mine.net, step, true);
      CHECK(at_comm_parallel_setSync(p, true));
      loss_of(mine.net, step + 1, true);
      CHECK(at_comm_parallel_finish(p));
      loss_of(alone.net, step, false);
      loss_of(alone.net, step + 1, false);
      CHECK(at_optimizer_step(mine.adam) && at_optimizer_step(alone.adam));
      same_params(&mine, &alone);
    }
  at_comm_parallel_free(p);
  end(&mine);
  end(&alone);
}

/* A loss that does not read all parameters, and a pass too many. */
static void partial(void **state)
{
  Run mine = begin(1);
  at_comm_parallel *const p = at_comm_parallel_new(mine.net, .bucket_bytes = 64);
  AT_SCOPE
  {
    at_tensor *const w = at_module_get(mine.net, "0.weight");
    CHECK(at_backward(at_mul(at_sum(w), rank + 1)));
    CHECK(at_comm_parallel_finish(p));
    CHECK_NEAR(at_item_double(at_mean(at_grad(w))), (size + 1) / 2.0, 1e-15);
    at_tensor *const other = at_module_get(mine.net, "5.weight");
    CHECK(at_grad(other) && at_item_double(at_abs(at_sum(at_grad(other)))) == 0);
    CHECK(at_backward(at_sum(w)) && at_backward(at_sum(w)));
    CHECK(!at_comm_parallel_finish(p));
    CHECK(strstr(at_error_message(), "behind each backward pass"));
    at_error_clear();
    CHECK(at_backward(at_sum(w)) && at_comm_parallel_finish(p));
  }
  at_comm_parallel_free(p);
  end(&mine);
}

/* A path of rank 0's process. */
static void common_path(char *path, size_t room)
{
  AT_SCOPE
  {
    at_tensor *const id = at_full(AT_SHAPE(1), (int64_t)getpid(), .type = AT_CPU(AT_LONG));
    CHECK(at_comm_broadcast(id, 0));
    snprintf(path, room, "/tmp/th-sharded-%lld.pt", (long long)at_item_long(id));
  }
}

/* Each rank has the states of its parameters alone, and a file has all of them. */
static void checkpoints(void **state)
{
  char path[64];
  common_path(path, sizeof path);
  Run alone = begin(1), mine = begin(1), later = begin(1), whole = begin(1);
  at_comm_parallel *const p = at_comm_parallel_new(mine.net);
  at_comm_sharded *const z = at_comm_sharded_new(mine.adam);
  at_comm_sharded *const other = at_comm_sharded_new(later.adam);
  for (int step = 0; step < 3; step++)
    AT_SCOPE
    {
      at_optimizer_zero_grad(mine.adam);
      loss_of(mine.net, step, true);
      CHECK(at_comm_parallel_finish(p) && at_comm_sharded_step(z));
      step_alone(&alone, step);
    }
  for (int i = 0; i < at_optimizer_group_count(mine.adam, 0); i++) {
    at_dict *const dict = at_optimizer_param_state(mine.adam, 0, i);
    CHECK_EQ(at_dict_count(dict), at_comm_sharded_owner(z, 0, i) == rank ? 3 : 0);
    at_dict_free(dict);
  }
  CHECK(at_comm_sharded_save(z, path));
  CHECK(at_comm_sharded_load(other, path));
  at_dict *const file = at_load(path); /* as without ranks */
  CHECK(file && at_optimizer_load(whole.adam, at_dict_values(file)));
  at_dict_free(file);
  for (int i = 0; i < at_optimizer_group_count(mine.adam, 0); i++) {
    at_dict *const x = at_optimizer_param_state(alone.adam, 0, i);
    at_dict *const y = at_optimizer_param_state(whole.adam, 0, i);
    at_dict *const own = at_optimizer_param_state(later.adam, 0, i);
    const bool isOwn = at_comm_sharded_owner(z, 0, i) == rank;
    CHECK_EQ(at_dict_count(own), isOwn ? 3 : 0);
    for (int k = 0; k < 3; k++) {
      CHECK(at_allclose(at_dict_at(x, k), at_dict_at(y, k), .rtol = 1e-10, .atol = 1e-12));
      CHECK(!isOwn || at_equal(at_dict_at(own, k), at_dict_at(y, k)));
    }
    at_dict_free(x);
    at_dict_free(y);
    at_dict_free(own);
  }
  CHECK(at_comm_barrier());
  if (rank == 0)
    unlink(path);
  CHECK(!at_comm_sharded_save(z, "/nowhere/adam.pt") && at_error() != AT_OK);
  at_error_clear();
  CHECK(!at_comm_sharded_load(z, "/nowhere/adam.pt"));
  at_error_clear();
  at_comm_sharded_free(other);
  at_comm_sharded_free(z);
  at_comm_parallel_free(p);
  end(&alone);
  end(&mine);
  end(&later);
  end(&whole);
}

/* A step of a group of ranks, each of which computes the whole batch. */
static void step_whole(Run *run, at_comm_sharded *z, int step)
{
  at_optimizer_zero_grad(run->adam);
  loss_of(run->net, step, false);
  CHECK(at_comm_sharded_step(z));
}

/* What all ranks have written is read by one rank alone and by a group of the others, who go on as one
 * process does. */
static void fewer_ranks(void **state)
{
  AT_SCOPE
  {
    Run alone = begin(1), mine = begin(1), later = begin(2);
    at_comm_group *const few = at_comm_split(NULL, rank == 0, rank);
    at_comm_sharded *const z = at_comm_sharded_new(mine.adam);
    at_comm_sharded *const part = at_comm_sharded_new(later.adam, .group = few);
    CHECK_MSG(few && z && part, "%s", at_error_message());
    CHECK_EQ(at_comm_size(few), rank == 0 ? 1 : size - 1);
    for (int step = 0; step < 3; step++) {
      step_whole(&mine, z, step);
      step_alone(&alone, step);
    }
    char path[64];
    common_path(path, sizeof path);
    CHECK(at_comm_sharded_save(z, path) && at_comm_barrier());
    at_dict *const params = at_module_state_dict(mine.net);
    CHECK(at_module_load_state_dict(later.net, params));
    CHECK_MSG(at_comm_sharded_load(part, path), "%s", at_error_message());
    for (int step = 3; step < 6; step++) {
      step_whole(&later, part, step);
      step_alone(&alone, step);
    }
    same_params(&later, &alone);
    CHECK(at_comm_barrier());
    if (rank == 0)
      unlink(path);
    at_dict_free(params);
    at_comm_sharded_free(part);
    at_comm_sharded_free(z);
    at_comm_group_free(few);
    end(&alone);
    end(&mine);
    end(&later);
  }
}

int main(int count, char **arguments)
{
  onDevice = count > 1; /* cuda, or nccl */
  if (!at_comm_start(.timeout = 20)) {
    fprintf(stderr, "%s\n", at_error_message());
    return 1;
  }
  rank = at_comm_rank(NULL);
  size = at_comm_size(NULL);
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(curves),        cmocka_unit_test(sharded_curves), cmocka_unit_test(synced),
      cmocka_unit_test(synced_images), cmocka_unit_test(accumulation),   cmocka_unit_test(partial),
      cmocka_unit_test(checkpoints),   cmocka_unit_test(fewer_ranks)};
  const struct CMUnitTest there[] = {cmocka_unit_test(curves), cmocka_unit_test(sharded_curves)};
  const int failed = onDevice ? cmocka_run_group_tests(there, NULL, NULL)
                              : cmocka_run_group_tests(tests, NULL, NULL);
  at_comm_stop();
  return failed != 0;
}

/* The pass over all tensors.  Those that lie in memory in one piece, in the same order as their
 * gradients and states, are cut into units that all threads share; others are walked by THLoop, one
 * after the other.  Half and BFloat16 pass through buffers of floats; complex numbers are two reals each. */
#include "update.h"
#include "THKernel.h"

#include <math.h>
#include <string.h>

#include "ATen/complex/complex.h"
#include "ATen/core/ATenOperations.h"
#include "ATen/core/conversions.h"
#include "ATen/core/device.h"
#include "TH/THParallel.h"
#include "TH/core/THScratch.h"

enum { UNIT = 512 }; /* elements; the buffers of all operands are in L1 */

extern const at_update *const at_updatesFloat[];
extern const at_update *const at_updatesDouble[];
TH_DISPATCH(at_update, at_updatesFloat)
TH_DISPATCH(at_update, at_updatesDouble)

/* --- one piece -------------------------------------------------------------------------------- */

static void convert(THKernel kernel, ptrdiff_t n, void *to, ptrdiff_t toStride, void *from,
                    ptrdiff_t fromStride)
{
  const THRun run = {
      .n = n, .rows = 1, .at = {to, from}, .stride = {toStride, fromStride}, .rowStride = {n, n}};
  kernel(&run, NULL);
}

/* Changes n elements, at most UNIT unless all operands are plain and adjacent. */
static void change(const at_job *job, ptrdiff_t n, char *const *at, const ptrdiff_t *stride)
{
  TH_SCRATCH(double, buffer, UNIT *AT_UPDATE_OPERANDS);
  char *used[AT_UPDATE_OPERANDS];
  for (int o = 0; o < job->operands; o++) {
    const bool isDirect = job->isPlain && stride[o] == 1;
    used[o] = isDirect ? at[o] : (char *)(buffer + o * UNIT);
    if (!isDirect)
      convert(job->loads, n, used[o], 1, at[o], stride[o]);
  }
  job->update(n, used, &job->numbers);
  for (int o = 0; o < job->operands; o++)
    if (o != 1 && used[o] != at[o])
      convert(job->stores, n, at[o], stride[o], used[o], 1);
}

/* --- in one piece ----------------------------------------------------------------------------- */

bool at_isDense(const at_tensor *t)
{
  const THFloatTensor *const th = t->th;
  int64_t count = 1, last = 0;
  for (int d = 0; d < th->nDimension; d++) {
    count *= th->size[d];
    last += (th->size[d] - 1) * th->stride[d];
  }
  return count == 0 || last + 1 == count;
}

/* Whether the elements of a and b, of one size, are in the same order in memory. */
static bool same_order(const at_tensor *a, const at_tensor *b)
{
  for (int d = 0; d < a->th->nDimension; d++)
    if (a->th->size[d] != 1 && a->th->stride[d] != b->th->stride[d])
      return false;
  return true;
}

static bool in_one_piece(const at_job *job)
{
  bool is = at_isDense(job->of[0]);
  for (int o = 1; o < job->operands && is; o++)
    is = same_order(job->of[0], job->of[o]);
  return is;
}

static char *first_of(const at_tensor *t)
{
  return (char *)t->th->storage->data + (size_t)t->th->storageOffset * t->type->elementSize;
}

typedef struct Pass {
  const at_job *jobs;
  int count;
} Pass;

/* The first job that ends behind that unit. */
static int job_at(const Pass *pass, ptrdiff_t unit)
{
  int low = 0, high = pass->count - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (pass->jobs[middle].end > unit)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

static void change_units(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  static const ptrdiff_t adjacent[AT_UPDATE_OPERANDS] = {1, 1, 1, 1, 1};
  const Pass *const pass = context;
  for (int j = job_at(pass, begin); begin < end; j++) {
    const at_job *const job = &pass->jobs[j];
    const ptrdiff_t first = j > 0 ? pass->jobs[j - 1].end : 0;
    const ptrdiff_t stop = THMin((THMin(end, job->end) - first) * UNIT, at_realsIn(job->of[0]));
    ptrdiff_t i = (begin - first) * UNIT;
    for (ptrdiff_t n; i < stop; i += n) {
      n = job->isPlain ? stop - i : THMin(UNIT, stop - i);
      char *at[AT_UPDATE_OPERANDS];
      for (int o = 0; o < job->operands; o++)
        at[o] = first_of(job->of[o]) + (size_t)i * job->itemSize;
      change(job, n, at, adjacent);
    }
    begin = THMin(end, job->end);
  }
}

/* --- with gaps -------------------------------------------------------------------------------- */

static void change_block(const THRun *run, const void *context)
{
  static const ptrdiff_t adjacent[AT_UPDATE_OPERANDS] = {1, 1, 1, 1, 1};
  const at_job *const job = context;
  const at_type *const type = job->of[0]->type;
  const int parts = at_partsOf(type); /* of a complex number, which is a block by itself */
  for (ptrdiff_t j = 0; j < run->rows; j++)
    for (ptrdiff_t i = 0; i < run->n; i += parts > 1 ? 1 : UNIT) {
      char *at[AT_UPDATE_OPERANDS];
      for (int o = 0; o < job->operands; o++)
        at[o] = run->at[o] +
                (j * run->rowStride[o] + i * run->stride[o]) * (ptrdiff_t)type->elementSize;
      if (parts > 1)
        change(job, parts, at, adjacent);
      else
        change(job, THMin(UNIT, run->n - i), at, run->stride);
    }
}

static void change_with_gaps(const at_job *job)
{
  THLoop loop;
  THLoop_init(&loop);
  for (int o = 0; o < job->operands; o++)
    at_addOperand(&loop, job->of[o]);
  THLoop_run(&loop, change_block, job);
}

/* --- all -------------------------------------------------------------------------------------- */

/* Jobs that wait for their launch, which changes their tensors, or with `to` sums up powers. */
typedef struct Batch {
  at_update_name name;
  at_scalar_type type;
  at_powers powers;
} Batch;

static void launch_batch(Batch *batch)
{
  at_update_many *const many = &batch->powers.many;
  if (many->jobs > 0 && batch->powers.to) {
    at_cuda()->powers(batch->type, &batch->powers);
    batch->powers.to += many->end[many->jobs - 1];
  } else if (many->jobs > 0) {
    at_cuda()->updateMany(batch->name, batch->type, many);
  }
  many->jobs = 0;
}

/* How many blocks share the job. */
static int64_t blocks_of(const at_job *job)
{
  const int64_t count = at_numel(job->of[0]);
  return count / AT_MANY_CHUNK + (count % AT_MANY_CHUNK != 0);
}

static void add_to_batch(Batch *batch, const at_job *job)
{
  at_update_many *const many = &batch->powers.many;
  const at_scalar_type type = job->of[0]->type->scalarType;
  const int64_t blocks = blocks_of(job);
  const bool fits = many->jobs > 0 && many->jobs < AT_MANY && batch->name == job->name &&
                    batch->type == type && blocks <= INT32_MAX - many->end[many->jobs - 1] &&
                    !memcmp(&many->numbers, &job->numbers, sizeof job->numbers);
  if (!fits)
    launch_batch(batch);
  batch->name = job->name;
  batch->type = type;
  many->numbers = job->numbers;
  const int j = many->jobs++;
  many->end[j] = (int)blocks + (j > 0 ? many->end[j - 1] : 0);
  many->count[j] = at_numel(job->of[0]);
  for (int o = 0; o < job->operands; o++)
    many->at[j][o] = at_data(job->of[o]);
}

static void change_on_device(const at_job *job)
{
  THLoop loop;
  THLoop_init(&loop);
  for (int o = 0; o < job->operands; o++)
    at_addOperand(&loop, job->of[o]);
  at_cuda()->update(job->name, job->of[0]->type->scalarType, &loop, &job->numbers);
}

/* Blocks are counted by int: larger tensors than anybody has are changed by themselves. */
static bool is_batched(const at_job *job)
{
  return in_one_piece(job) && blocks_of(job) < INT32_MAX;
}

bool at_isPowerOnDevice(const at_job *job)
{
  return !at_isOnHost(job->of[0]->type) && is_batched(job);
}

double at_powersOnDevice(int count, const at_job *jobs, double order)
{
  int64_t blocks = 0;
  const at_type *type = NULL;
  for (int j = 0; j < count; j++)
    if (at_isPowerOnDevice(&jobs[j])) {
      blocks += blocks_of(&jobs[j]);
      type = at_toScalarType(jobs[j].of[0]->type, AT_DOUBLE);
    }
  if (blocks == 0)
    return 0;
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const powers = at_hold(&pool, at_newShape(type, (at_ints){&blocks, 1}));
  Batch batch = {.powers = {.order = order, .to = at_data(powers)}};
  for (int j = 0; j < count; j++)
    if (at_isPowerOnDevice(&jobs[j]) && at_numel(jobs[j].of[0]) > 0)
      add_to_batch(&batch, &jobs[j]);
  launch_batch(&batch);
  const double total = isinf(order) ? AT_OF(type, maxall)((void *)powers->th).value.number
                                    : AT_OF(type, sumall)((void *)powers->th).value.number;
  at_pool_leave(&pool);
  return total;
}

static void prepare(at_job *job)
{
  const at_type *const own = job->of[0]->type;
  const at_type *const type = at_partsOf(own) > 1 ? at_realType(own) : own;
  const at_type *const compute = at_computesIn(type);
  job->update = (type->scalarType == AT_DOUBLE ? TH_DISPATCHED(at_updatesDouble)
                                               : TH_DISPATCHED(at_updatesFloat))[job->name];
  job->itemSize = type->elementSize;
  job->computedSize = compute->elementSize;
  job->isPlain = type == compute;
  job->loads = at_conversion(compute, type);
  job->stores = at_conversion(type, compute);
}

void at_updateAll(int count, at_job *jobs)
{
  ptrdiff_t units = 0;
  Batch batch = {.powers.to = NULL};
  for (int j = 0; j < count; j++) {
    at_job *const job = &jobs[j];
    const bool isOnHost = at_isOnHost(job->of[0]->type);
    if (isOnHost)
      prepare(job);
    if (!isOnHost && at_numel(job->of[0]) == 0)
      ;
    else if (!isOnHost && is_batched(job))
      add_to_batch(&batch, job);
    else if (!isOnHost)
      change_on_device(job);
    else if (in_one_piece(job))
      units += (at_realsIn(job->of[0]) + UNIT - 1) / UNIT;
    else
      change_with_gaps(job);
    job->end = units;
    at_countChange(job->of[0]);
  }
  launch_batch(&batch);
  Pass pass = {jobs, count};
  if (units > 0)
    THParallel_for(units, TH_LOOP_GRAIN / UNIT, change_units, &pass);
}

at_tensor *at_newZerosLike(const at_tensor *t)
{
  THGuard guard;
  at_guard(&guard);
  const THFloatTensor *const th = t->th;
  const int64_t *const strides = at_isDense(t) ? th->stride : NULL;
  at_tensor *const made = guard.what =
      at_wrap(t->type, t->type->memory->newShape(NULL, 0, th->nDimension, th->size, strides),
              t->isScalar);
  at_fillWith(made, at_scalar_long(0));
  THGuard_keep(&guard);
  return made;
}

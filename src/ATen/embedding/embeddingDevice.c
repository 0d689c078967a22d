/* Embeddings on a device (embedding.h). */
#include "embedding.h"

#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"

void at_embeddingSums(at_pool *pool, at_tensor *r, at_tensor *grad, at_tensor *row, int64_t padding,
                      bool means)
{
  int64_t outside;
  if (at_findOutside(row, 0, r->th->size[0], &outside))
    at_raise(AT_ERROR_ARGUMENT, "index %lld is out of range of %lld rows", (long long)outside,
             (long long)r->th->size[0]);
  at_fillWith(r, at_scalar_long(0));
  if (at_numel(grad) == 0)
    return;
  at_tensor *const sorted = at_layerNew(pool, row->type, at_sizesOf(row));
  at_tensor *const from = at_layerNew(pool, row->type, at_sizesOf(row));
  AT_OF(row->type, sort)(sorted->th, (THLongTensor *)from->th, row->th, 0, 0);
  const at_embedding_sums_work work = {.count = at_numel(row),
                                       .rows = r->th->size[0],
                                       .columns = r->th->size[1],
                                       .row = at_data(sorted),
                                       .from = at_data(from),
                                       .padding = padding,
                                       .means = means,
                                       .g = at_data(grad),
                                       .table = at_data(r)};
  at_cuda()->launch(AT_KERNEL_embeddingSums, r->type->held, &work);
}

/* Raises if an index or an offset is known to be wrong; the kernels follow none that is. */
static void check(at_embedding_bag_work work, at_tensor *row)
{
  int64_t outside;
  if (at_findOutside(row, 0, work.rows, &outside))
    at_raise(AT_ERROR_ARGUMENT, "index %lld is out of range of %lld rows", (long long)outside,
             (long long)work.rows);
  THCFault fault;
  work.report.fault.function = "embedding_bag";
  if (at_cuda()->check(AT_KERNEL_embeddingBagCheck, THScalarFloat, &work, &work.report, &fault))
    at_raise(AT_ERROR_ARGUMENT,
             "offset %lld of %lld: offsets have to ascend from 0 and end at %lld%s",
             (long long)fault.at, (long long)work.bags, (long long)work.count,
             work.endsWithCount ? "" : " at most");
}

void at_embeddingBags(at_pool *pool, const at_bag_call *call, const at_type *compute,
                      at_tensor *made[4])
{
  const at_type *const index = call->row->type;
  at_tensor *table = call->weight, *weights = call->per_sample_weights;
  const int64_t count = at_numel(call->row), columns = table->th->size[1];
  const int64_t sizes[] = {call->bags, columns}, nothing[] = {0, 0};
  at_embedding_bag_work work = {.count = count,
                                .bags = call->bags,
                                .columns = columns,
                                .rows = table->th->size[0],
                                .padding = call->padding,
                                .mode = (int)call->mode,
                                .endsWithCount = call->endsWithCount,
                                .index = at_data(call->row),
                                .offsets = at_data(call->offsets)};
  check(work, call->row);
  work.isGathered = table->type != compute;
  if (work.isGathered) /* only the rows that are picked are converted */
    table = at_cast(pool, at_hold(pool, at_indexSelect(NULL, table, 0, call->row)), compute);
  work.table = at_data(at_hold(pool, at_makeContiguous(table)));
  if (weights)
    work.weights = at_data(at_hold(pool, at_makeContiguous(at_cast(pool, weights, compute))));
  const bool isMax = call->mode == AT_BAG_MAX;
  made[0] = at_layerNew(pool, compute, (at_ints){sizes, 2});
  made[1] = at_layerNew(pool, index, (at_ints){&count, 1});
  made[2] = at_layerNew(pool, index, (at_ints){&call->bags, 1});
  made[3] = at_layerNew(pool, index, (at_ints){isMax ? sizes : nothing, 2});
  work.y = at_data(made[0]);
  work.bag = at_data(made[1]);
  work.size = at_data(made[2]);
  work.from = isMax ? at_data(made[3]) : NULL;
  at_cuda()->launch(AT_KERNEL_embeddingBag, compute->held, &work);
}

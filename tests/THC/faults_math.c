/* Every acquisition of host and device memory fails once in indices, masks, scans, reductions,
 * products and tensors made from a rule: all tensors are as they were, contents too. */
#include "thc_test.h"

#include "th_faults.h"

#define S thc_state()

typedef struct Operands {
  THCudaTensor *t, *back;    /* 5 x 4 with transposed strides; the same memory as 4 x 5 */
  THCudaTensor *src, *batch; /* 5 x 4, 2 x 4 x 4 */
  THCudaTensor *line;        /* 1 x 5000: cut into pieces */
  THCudaTensor *four, *five; /* square */
  THCudaTensor *v4, *v5;     /* every other element of a storage */
  THCudaTensor *factors;     /* of a batch of 2 x 4 x 4 */
  THCudaTensor *r;           /* a result that has to grow */
  THCudaLongTensor *found, *index, *each, *flat; /* no index twice */
  THCudaByteTensor *mask;
  THCudaIntTensor *pivots, *none;
  THLongTensor *hostIndex;
  THByteTensor *hostMask;
  THLongStorage *size;
} Operands;

/* What is queued comes first. */
static void read_device(void *to, const void *from, size_t size)
{
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(cudaMemcpy(to, from, size, cudaMemcpyDefault));
}

static THCudaTensor *ramp(int dims, int64_t *size)
{
  THFloatTensor *host = THFloatTensor_new();
  THFloatTensor_resizeNd(host, dims, size, NULL);
  for (ptrdiff_t i = 0; i < host->storage->size; i++)
    host->storage->data[i] = (float)(i % 13) / 8 - (float)(i % 5 == 2);
  THCudaTensor *t = THCudaTensor_new(S);
  THCudaTensor_resizeNd(S, t, dims, size, NULL);
  THCudaTensor_copyFloat(S, t, host);
  THFloatTensor_free(host);
  return t;
}

static THCudaTensor *every_other(int64_t n)
{
  THCudaTensor *t = ramp(1, (int64_t[]){2 * n});
  THCudaTensor_setStorage1d(S, t, t->storage, 0, n, 2);
  return t;
}

static void set_up(Operands *o)
{
  THCCachingAllocator_setCaching(0); /* what is kept would not be acquired */
  th_watch_reader(read_device);
  o->back = ramp(2, (int64_t[]){4, 5});
  o->t = THCudaTensor_newTranspose(S, o->back, 0, 1);
  o->src = ramp(2, (int64_t[]){5, 4});
  o->batch = ramp(3, (int64_t[]){2, 4, 4});
  THCudaTensor_transpose(S, o->batch, NULL, 1, 2);
  o->line = ramp(2, (int64_t[]){1, 5000});
  o->four = ramp(2, (int64_t[]){4, 4});
  o->five = ramp(2, (int64_t[]){5, 5});
  o->v4 = every_other(4);
  o->v5 = every_other(5);
  o->factors = ramp(3, (int64_t[]){2, 4, 4});
  o->pivots = THCudaIntTensor_new(S);
  for (int i = 0; i < 8; i++)
    THCudaTensor_set3d(S, o->factors, i / 4, i % 4, i % 4, 9); /* not singular */
  THCudaTensor_btrifact(S, o->factors, o->pivots, NULL, 1, o->factors);
  o->r = ramp(1, (int64_t[]){2});
  o->found = THCudaLongTensor_newWithSize1d(S, 1);
  o->none = THCudaIntTensor_newWithSize1d(S, 1);

  o->hostIndex = THLongTensor_newWithSize1d(4);
  for (int i = 0; i < 4; i++)
    o->hostIndex->storage->data[i] = 3 - i + TH_INDEX_BASE;
  o->index = THCudaLongTensor_newWithSize2d(S, 4, 2);
  THCudaLongTensor_select(S, o->index, NULL, 1, 0); /* not contiguous */
  THCudaLongTensor_copyLong(S, o->index, o->hostIndex);
  o->each = THCudaLongTensor_newWithSize2d(S, 5, 4);
  o->flat = THCudaLongTensor_newWithSize2d(S, 5, 4);
  for (int i = 0; i < 20; i++) {
    THCudaLongTensor_set2d(S, o->each, i / 4, i % 4, 4 - i / 4 + TH_INDEX_BASE);
    THCudaLongTensor_set2d(S, o->flat, i / 4, i % 4, 19 - i + TH_INDEX_BASE);
  }
  o->hostMask = THByteTensor_newWithSize2d(5, 4);
  for (int i = 0; i < 20; i++)
    o->hostMask->storage->data[i] = i % 3 == 1;
  o->mask = THCudaByteTensor_newWithSize2d(S, 5, 4);
  THCudaByteTensor_copyByte(S, o->mask, o->hostMask);
  o->size = THLongStorage_newWithSize2(10, 2);

  WATCH(o->t);
  WATCH(o->back);
  WATCH(o->src);
  WATCH(o->batch);
  WATCH(o->line);
  WATCH(o->four);
  WATCH(o->five);
  WATCH(o->factors);
  WATCH(o->r);
  WATCH(o->found);
  WATCH(o->pivots);
  WATCH(o->none);
  WATCH(o->index);
  WATCH(o->each);
  WATCH(o->flat);
  WATCH(o->mask);
}

static void tear_down(Operands *o)
{
  THCudaTensor *const tensors[] = {o->t,    o->back, o->src, o->batch,   o->line, o->four,
                                   o->five, o->v4,   o->v5,  o->factors, o->r};
  for (size_t k = 0; k < sizeof tensors / sizeof *tensors; k++)
    THCudaTensor_free(S, tensors[k]);
  THCudaLongTensor_free(S, o->found);
  THCudaLongTensor_free(S, o->index);
  THCudaLongTensor_free(S, o->each);
  THCudaLongTensor_free(S, o->flat);
  THCudaByteTensor_free(S, o->mask);
  THCudaIntTensor_free(S, o->pivots);
  THCudaIntTensor_free(S, o->none);
  THLongTensor_free(o->hostIndex);
  THByteTensor_free(o->hostMask);
  THLongStorage_free(o->size);
}

/* --- indices --------------------------------------------------------------------------------- */

FAULT(indexSelect, THCudaTensor_indexSelect(S, o->r, o->t, 0, o->index))
FAULT(indexSelectSelf, THCudaTensor_indexSelect(S, o->t, o->t, 0, o->index))
FAULT(indexCopy, THCudaTensor_indexCopy(S, o->t, 1, o->index, o->src))
FAULT(indexCopyOver, THCudaTensor_indexCopy(S, o->back, 0, o->index, o->back))
FAULT(indexAdd, THCudaTensor_indexAdd(S, o->t, 1, o->index, o->src))
FAULT(indexFill, THCudaTensor_indexFill(S, o->t, 0, o->index, 3))
FAULT(indexSelect_long, THCudaTensor_indexSelect_long(S, o->r, o->t, 0, o->hostIndex))
FAULT(indexCopy_long, THCudaTensor_indexCopy_long(S, o->t, 1, o->hostIndex, o->src))
FAULT(indexAdd_long, THCudaTensor_indexAdd_long(S, o->t, 1, o->hostIndex, o->src))
FAULT(indexFill_long, THCudaTensor_indexFill_long(S, o->t, 0, o->hostIndex, 3))
FAULT(take, THCudaTensor_take(S, o->r, o->t, o->flat))
FAULT(takeOver, THCudaTensor_take(S, o->t, o->t, o->flat))
FAULT(put, THCudaTensor_put(S, o->t, o->flat, o->src, 1))
FAULT(putOver, THCudaTensor_put(S, o->t, o->flat, o->t, 0))
FAULT(offsets,
      THCudaTensor_calculateAdvancedIndexingOffsets(S, o->found, o->t, 0,
                                                    (THCudaLongTensor *[]){NULL, o->index}))
FAULT(gather, THCudaTensor_gather(S, o->r, o->t, 0, o->each))
FAULT(gatherSelf, THCudaTensor_gather(S, o->t, o->t, 0, o->each))
FAULT(scatter, THCudaTensor_scatter(S, o->t, 0, o->each, o->src))
FAULT(scatterSelf, THCudaTensor_scatter(S, o->t, 0, o->each, o->t))
FAULT(scatterAdd, THCudaTensor_scatterAdd(S, o->t, 0, o->each, o->src))
FAULT(scatterFill, THCudaTensor_scatterFill(S, o->t, 0, o->each, 3))

/* --- masks ----------------------------------------------------------------------------------- */

FAULT(nonzero, THCudaTensor_nonzero(S, o->found, o->t))
FAULT(maskedFill, THCudaTensor_maskedFill(S, o->t, o->mask, 3))
FAULT(maskedCopy, THCudaTensor_maskedCopy(S, o->t, o->mask, o->src))
FAULT(maskedCopyOver, THCudaTensor_maskedCopy(S, o->t, o->mask, o->back))
FAULT(maskedSelect, THCudaTensor_maskedSelect(S, o->r, o->t, o->mask))
FAULT(maskedSelectSelf, THCudaTensor_maskedSelect(S, o->t, o->t, o->mask))
FAULT(maskedFillByte, THCudaTensor_maskedFillByte(S, o->t, o->hostMask, 3))
FAULT(maskedCopyByte, THCudaTensor_maskedCopyByte(S, o->t, o->hostMask, o->src))
FAULT(maskedSelectByte, THCudaTensor_maskedSelectByte(S, o->r, o->t, o->hostMask))
FAULT(logicalall, THCudaByteTensor_logicalall(S, o->mask))
FAULT(logicalany, THCudaByteTensor_logicalany(S, o->mask))

/* --- scans, reductions ----------------------------------------------------------------------- */

FAULT(cumsum, THCudaTensor_cumsum(S, o->r, o->t, 0))
FAULT(cumsumPieces, THCudaTensor_cumsum(S, o->line, o->line, 1))
FAULT(cumprod, THCudaTensor_cumprod(S, o->r, o->t, 1))
FAULT(cumprodOver, THCudaTensor_cumprod(S, o->t, o->back, 1))

FAULT(sumall, THCudaTensor_sumall(S, o->t))
FAULT(prodall, THCudaTensor_prodall(S, o->t))
FAULT(meanall, THCudaTensor_meanall(S, o->line))
FAULT(minall, THCudaTensor_minall(S, o->t))
FAULT(maxall, THCudaTensor_maxall(S, o->t))
FAULT(medianall, THCudaTensor_medianall(S, o->t))
FAULT(varall, THCudaTensor_varall(S, o->t, 0))
FAULT(stdall, THCudaTensor_stdall(S, o->line, 1))
FAULT(normall, THCudaTensor_normall(S, o->t, 2))
FAULT(dist, THCudaTensor_dist(S, o->t, o->back, 2))
FAULT(sum, THCudaTensor_sum(S, o->r, o->t, 0, 0))
FAULT(sumPieces, THCudaTensor_sum(S, o->r, o->line, 1, 0))
FAULT(sumSelf, THCudaTensor_sum(S, o->t, o->t, 0, 0))
FAULT(prod, THCudaTensor_prod(S, o->r, o->t, 1, 1))
FAULT(mean, THCudaTensor_mean(S, o->r, o->t, 0, 1))
FAULT(min, THCudaTensor_min(S, o->r, o->found, o->t, 0, 0))
FAULT(max, THCudaTensor_max(S, o->r, o->found, o->t, 1, 1))
FAULT(maxSelf, THCudaTensor_max(S, o->t, o->found, o->t, 1, 1))
FAULT(median, THCudaTensor_median(S, o->r, o->found, o->t, 1, 0))
FAULT(medianSelf, THCudaTensor_median(S, o->t, o->found, o->t, 1, 0))
FAULT(var, THCudaTensor_var(S, o->r, o->t, 0, 0, 0))
FAULT(std, THCudaTensor_std(S, o->r, o->line, 1, 0, 0))
FAULT(norm, THCudaTensor_norm(S, o->r, o->t, 3, 0, 0))
FAULT(renorm, THCudaTensor_renorm(S, o->r, o->t, 2, 0, 1))
FAULT(renormSelf, THCudaTensor_renorm(S, o->t, o->t, 2, 0, 1))

/* --- products -------------------------------------------------------------------------------- */

FAULT(dot, THCudaTensor_dot(S, o->t, o->src))
FAULT(addmv, THCudaTensor_addmv(S, o->r, 1, o->v4, 1, o->back, o->v5))
FAULT(addmvSelf, THCudaTensor_addmv(S, o->v4, 1, o->v4, 1, o->four, o->v4))
FAULT(addmm, THCudaTensor_addmm(S, o->r, 1, o->five, 1, o->t, o->back))
FAULT(addmmSelf, THCudaTensor_addmm(S, o->five, 1, o->five, 1, o->five, o->five))
FAULT(addr, THCudaTensor_addr(S, o->r, 1, o->back, 1, o->v4, o->v5))
FAULT(addbmm, THCudaTensor_addbmm(S, o->r, 1, o->four, 1, o->batch, o->batch))
FAULT(baddbmm, THCudaTensor_baddbmm(S, o->batch, 1, o->batch, 1, o->batch, o->batch))
FAULT(btrifact, THCudaTensor_btrifact(S, o->r, o->none, NULL, 1, o->batch))
FAULT(btrifactSelf, THCudaTensor_btrifact(S, o->batch, o->none, NULL, 1, o->batch))
FAULT(btrisolve, THCudaTensor_btrisolve(S, o->r, o->batch, o->factors, o->pivots))

/* --- tensors made from a rule ---------------------------------------------------------------- */

FAULT(zeros, THCudaTensor_zeros(S, o->r, o->size))
FAULT(ones, THCudaTensor_ones(S, o->r, o->size))
FAULT(zerosLike, THCudaTensor_zerosLike(S, o->r, o->t))
FAULT(onesLike, THCudaTensor_onesLike(S, o->r, o->t))
FAULT(eye, THCudaTensor_eye(S, o->r, 3, 4))
FAULT(range, THCudaTensor_range(S, o->r, 0, 9, 1))
FAULT(arange, THCudaTensor_arange(S, o->r, 0, 9, 1))
FAULT(linspace, THCudaTensor_linspace(S, o->r, 0, 9, 7))
FAULT(logspace, THCudaTensor_logspace(S, o->r, 0, 2, 7))
FAULT(tril, THCudaTensor_tril(S, o->r, o->t, 0))
FAULT(triu, THCudaTensor_triu(S, o->four, o->t, 0))
FAULT(diag, THCudaTensor_diag(S, o->r, o->v4, 1))
CALM(trace, THCudaTensor_trace(S, o->t))
FAULT(reshape, THCudaTensor_reshape(S, o->r, o->t, o->size))
FAULT(reshapeSelf, THCudaTensor_reshape(S, o->t, o->t, o->size))
FAULT(cat, THCudaTensor_cat(S, o->r, o->t, o->src, 1))
FAULT(catSelf, THCudaTensor_cat(S, o->t, o->src, o->t, 0))
FAULT(catArray, THCudaTensor_catArray(S, o->r, (THCudaTensor *[]){o->t, o->src, o->t}, 3, 0))
CALM(fill, THCudaTensor_fill(S, o->r, 3))
CALM(zero, THCudaTensor_zero(S, o->r))
CALM(numel, THCudaTensor_numel(S, o->t))

TH_FAULT_PROGRAM

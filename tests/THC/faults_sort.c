/* Every acquisition of host and device memory fails once in sorts, random numbers, convolutions and
 * LAPACK's functions: all tensors are as they were, contents too. */
#include "thc_test.h"

#include "th_faults.h"

#define S thc_state()

typedef struct Operands {
  THCudaTensor *t, *back;            /* 5 x 4 with transposed strides; the same memory as 4 x 5 */
  THCudaTensor *line;                /* 1 x 5000: sorted by radix */
  THCudaTensor *wide;                /* 1 x 20000: selected from by several blocks */
  THCudaTensor *five, *sides;        /* 5 x 5, not singular; 5 x 2 */
  THCudaTensor *column;              /* of t */
  THCudaTensor *images, *kernels;    /* 2 x 3 x 6 x 7, 4 x 3 x 2 x 2 */
  THCudaTensor *r, *r2;              /* results that have to grow */
  THCudaLongTensor *found, *numbers; /* numbers: 5 x 4 */
  THCudaDoubleTensor *p;             /* 5 x 4 */
  THLongStorage *size;
} Operands;

/* What is queued comes first. */
static void read_device(void *to, const void *from, size_t size)
{
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(cudaMemcpy(to, from, size, cudaMemcpyDefault));
}

/* Values from 1/16 to 15/16. */
static THCudaTensor *ramp(int dims, int64_t *size)
{
  THFloatTensor *host = THFloatTensor_new();
  THFloatTensor_resizeNd(host, dims, size, NULL);
  for (ptrdiff_t i = 0; i < host->storage->size; i++)
    host->storage->data[i] = (float)(i * 7 % 15 + 1) / 16;
  THCudaTensor *t = THCudaTensor_new(S);
  THCudaTensor_resizeNd(S, t, dims, size, NULL);
  THCudaTensor_copyFloat(S, t, host);
  THFloatTensor_free(host);
  return t;
}

static void set_up(Operands *o)
{
  THCCachingAllocator_setCaching(0); /* what is kept would not be acquired */
  th_watch_reader(read_device);
  o->back = ramp(2, (int64_t[]){4, 5});
  o->t = THCudaTensor_newTranspose(S, o->back, 0, 1);
  o->line = ramp(2, (int64_t[]){1, 5000});
  o->wide = ramp(2, (int64_t[]){1, 20000});
  o->five = ramp(2, (int64_t[]){5, 5});
  for (int i = 0; i < 5; i++)
    THCudaTensor_set2d(S, o->five, i, i, 9);
  o->sides = ramp(2, (int64_t[]){5, 2});
  o->column = THCudaTensor_newSelect(S, o->t, 1, 0);
  o->images = ramp(4, (int64_t[]){2, 3, 6, 7});
  o->kernels = ramp(4, (int64_t[]){4, 3, 2, 2});
  o->r = ramp(1, (int64_t[]){2});
  o->r2 = ramp(1, (int64_t[]){1});
  o->found = THCudaLongTensor_newWithSize1d(S, 1);
  o->numbers = THCudaLongTensor_newWithSize2d(S, 5, 4);
  THCudaLongTensor_fill(S, o->numbers, 7);
  o->p = THCudaDoubleTensor_newWithSize2d(S, 4, 5);
  THCudaDoubleTensor_fill(S, o->p, 0.5);
  THCudaDoubleTensor_transpose(S, o->p, NULL, 0, 1);
  o->size = THLongStorage_newWithSize2(10, 2);
  WATCH(o->t);
  WATCH(o->back);
  WATCH(o->line);
  WATCH(o->wide);
  WATCH(o->five);
  WATCH(o->sides);
  WATCH(o->r);
  WATCH(o->r2);
  WATCH(o->found);
  WATCH(o->numbers);
}

static void tear_down(Operands *o)
{
  THCudaTensor *const tensors[] = {o->t,      o->back,   o->line,    o->wide, o->five, o->sides,
                                   o->column, o->images, o->kernels, o->r,    o->r2};
  for (size_t k = 0; k < sizeof tensors / sizeof *tensors; k++)
    THCudaTensor_free(S, tensors[k]);
  THCudaLongTensor_free(S, o->found);
  THCudaLongTensor_free(S, o->numbers);
  THCudaDoubleTensor_free(S, o->p);
  THLongStorage_free(o->size);
}

/* --- sorting ----------------------------------------------------------------------------------- */

FAULT(sort, THCudaTensor_sort(S, o->r, o->found, o->t, 0, 1))
FAULT(sortLine, THCudaTensor_sort(S, o->r, o->found, o->line, 1, 0))
FAULT(sortSelf, THCudaTensor_sort(S, o->line, o->found, o->line, 1, 0))
FAULT(sortAcross, THCudaTensor_sort(S, o->back, o->found, o->t, 0, 0))
FAULT(sortKeyValueInplace, THCudaTensor_sortKeyValueInplace(S, o->t, o->numbers, 1, 0))
FAULT(topk, THCudaTensor_topk(S, o->r, o->found, o->line, 2000, 1, 1, 1))
FAULT(topkSelf, THCudaTensor_topk(S, o->t, o->found, o->t, 2, 1, 1, 0))
FAULT(kthvalue, THCudaTensor_kthvalue(S, o->r, o->found, o->t, 2, 0, 1))
FAULT(mode, THCudaTensor_mode(S, o->r, o->found, o->line, 1, 0))
FAULT(topkWide, THCudaTensor_topk(S, o->r, o->found, o->wide, 200, 1, 1, 1))
FAULT(kthvalueWide, THCudaTensor_kthvalue(S, o->r, o->found, o->wide, 2, 1, 1))
FAULT(medianWide, THCudaTensor_median(S, o->r, o->found, o->wide, 1, 1))
FAULT(modeWide, THCudaTensor_mode(S, o->r, o->found, o->wide, 1, 0))

/* --- random numbers ---------------------------------------------------------------------------- */

FAULT(random, THCudaTensor_random(S, o->t))
FAULT(clampedRandom, THCudaTensor_clampedRandom(S, o->t, 1, 5))
FAULT(cappedRandom, THCudaTensor_cappedRandom(S, o->t, 5))
FAULT(geometric, THCudaTensor_geometric(S, o->t, 0.5))
FAULT(bernoulli, THCudaTensor_bernoulli(S, o->t, 0.5))
FAULT(bernoulli_FloatTensor, THCudaTensor_bernoulli_FloatTensor(S, o->t, o->t))
FAULT(bernoulli_DoubleTensor, THCudaTensor_bernoulli_DoubleTensor(S, o->t, o->p))
FAULT(bernoulli_Tensor, THCudaTensor_bernoulli_Tensor(S, o->t, o->t))
FAULT(uniform, THCudaTensor_uniform(S, o->t, 0, 1))
FAULT(normal, THCudaTensor_normal(S, o->t, 0, 1))
FAULT(logNormal, THCudaTensor_logNormal(S, o->t, 0, 1))
FAULT(exponential, THCudaTensor_exponential(S, o->t, 1))
FAULT(cauchy, THCudaTensor_cauchy(S, o->t, 0, 1))
FAULT(rand, THCudaTensor_rand(S, o->r, o->size))
FAULT(randn, THCudaTensor_randn(S, o->r, o->size))
FAULT(normal_means, THCudaTensor_normal_means(S, o->r, o->t, 1))
FAULT(normal_stddevs, THCudaTensor_normal_stddevs(S, o->t, 1, o->t))
FAULT(normal_means_stddevs, THCudaTensor_normal_means_stddevs(S, o->r, o->t, o->t))
FAULT(randperm, THCudaTensor_randperm(S, o->r, 50))
FAULT(multinomial, THCudaTensor_multinomial(S, o->found, o->t, 9, 1))
FAULT(multinomialOnce, THCudaTensor_multinomial(S, o->found, o->t, 3, 0))
FAULT(multinomialAliasSetup, THCudaTensor_multinomialAliasSetup(S, o->column, o->found, o->r))
FAULT(multinomialAliasDraw, THCudaTensor_multinomialAliasDraw(S, o->numbers, o->numbers, o->t))

/* --- convolutions ------------------------------------------------------------------------------ */

FAULT(conv2Dmm, THCudaTensor_conv2Dmm(S, o->r, 1, o->images, o->kernels, 1, 1, "v"))
FAULT(conv2DRevgerm, THCudaTensor_conv2DRevgerm(S, o->r, 1, 1, o->images, o->images, 1, 1))

/* --- LAPACK ------------------------------------------------------------------------------------ */

FAULT(gesv, THCudaTensor_gesv(S, o->r, o->r2, o->sides, o->five))
FAULT(gesvSelf, THCudaTensor_gesv(S, o->sides, o->five, NULL, NULL))
FAULT(gesvd, THCudaTensor_gesvd(S, o->r, o->r2, o->t, o->five, "S"))
FAULT(getri, THCudaTensor_getri(S, o->r, o->five))
FAULT(gels, THCudaTensor_gels(S, o->r, o->r2, o->sides, o->five))
FAULT(geev, THCudaTensor_geev(S, o->r, o->r2, o->five, "V"))
FAULT(syev, THCudaTensor_syev(S, o->r, o->r2, o->five, "V", "U"))
FAULT(potri, THCudaTensor_potri(S, o->r, o->five, "U"))
FAULT(qr, THCudaTensor_qr(S, o->r, o->r2, o->five))

TH_FAULT_PROGRAM

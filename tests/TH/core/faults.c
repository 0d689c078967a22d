/* What belongs to no element type, when memory runs out: every allocation of every function fails
 * in turn.  What can acquire nothing is shown not to. */
#include <unistd.h>

#include "TH.h"
#include "THKernel.h"
#include "THParallel.h"
#include "THTuning.h"
#include "th_faults.h"

typedef struct Operands {
  void *block, *madeBlock;
  THGenerator *g, *made;
  THGenerator start;
  THMapAllocatorContext *context, *madeContext;
  char shared[64]; /* the name of memory that is mapped with a count */
  THMapAllocatorContext *counted, *another;
  void *data, *otherData;
  int32_t i32;
  int64_t i64;
  ptrdiff_t difference;
  THLongStorage *size, *expanded, *result, *madeSize;
  int64_t *expandedSize, *expandedStride;
  char text[256];
  float values[4];
} Operands;

static int64_t shape[] = {2, 1, 4}, other[] = {3, 4}, strides[] = {4, 4, 1};

static void set_up(Operands *o)
{
  setenv("XDG_CACHE_HOME", "/dev/null", 1);
  o->block = THAlloc(10);
  memset(o->block, 7, 10);
  o->g = THGenerator_new();
  THRandom_manualSeed(o->g, 3);
  THRandom_normal(o->g, 0, 1);
  o->start = *o->g;
  o->context = THMapAllocatorContext_new("name", 0);
  snprintf(o->shared, sizeof o->shared, "/th_faults_%d", (int)getpid());
  o->counted = THMapAllocatorContext_new(o->shared, TH_ALLOCATOR_MAPPED_SHAREDMEM);
  o->another = THMapAllocatorContext_new(o->shared, TH_ALLOCATOR_MAPPED_SHAREDMEM);
  o->data = THRefcountedMapAllocator.malloc(o->counted, 100);
  o->i32 = 5;
  o->i64 = 5;
  o->difference = 5;
  o->size = THLongStorage_newWithSize3(-1, 2, 4);
  o->expanded = THLongStorage_newWithSize3(2, 5, 4);
  o->result = THLongStorage_newWithSize1(7);
  o->values[0] = 1.5f;
  WATCH_BYTES(o->g, sizeof *o->g);
  WATCH_STORAGE(o->size);
  WATCH_STORAGE(o->result);
}

static void tear_down(Operands *o)
{
  THFree(o->block);
  THFree(o->madeBlock);
  THGenerator_free(o->g);
  THGenerator_free(o->made);
  THMapAllocatorContext_free(o->context);
  if (o->madeContext)
    THMapAllocatorContext_free(o->madeContext);
  if (o->otherData)
    THRefcountedMapAllocator.free(o->another, o->otherData);
  else
    THMapAllocatorContext_free(o->another);
  THRefcountedMapAllocator.free(o->counted, o->data);
  THLongStorage_free(o->size);
  THLongStorage_free(o->expanded);
  THLongStorage_free(o->result);
  THLongStorage_free(o->madeSize);
  THFree(o->expandedSize);
  THFree(o->expandedStride);
}

/* --- General --------------------------------------------------------------------------------- */

FAULT(alloc, o->madeBlock = THAlloc(100))
FAULT(allocLarge, o->madeBlock = THAlloc(3 << 20))
FAULT(realloc, o->block = THRealloc(o->block, 100000))
FAULT(reallocNothing, o->madeBlock = THRealloc(NULL, 100))
RAISES(allocNegative, THAlloc(-1))
FAULT(free, THFree(THAlloc(100)))
CALM(version, THVersion())
CALM(errorHandler, THSetErrorHandler(NULL, NULL))
CALM(argErrorHandler, THSetArgErrorHandler(NULL, NULL))
CALM(defaultErrorHandler, THSetDefaultErrorHandler(NULL, NULL))
CALM(defaultArgErrorHandler, THSetDefaultArgErrorHandler(NULL, NULL))
RAISES(error, THError("a text"))
RAISES(argCheck, THArgCheck(0, 1, "a text"))
RAISES(assertion, THAssertMsg(0, "a text"))
CALM(collector, THSetGCHandler(NULL, NULL))
CALM(heapUpdate, THHeapUpdate(1000); THHeapUpdate(-1000))
CALM(setNumThreads, THSetNumThreads(THGetNumThreads()))
CALM(getNumThreads, THGetNumThreads())
CALM(getNumCores, THGetNumCores())
CALM(inferNumThreads, THInferNumThreads())
CALM(setDeterministic, THSetDeterministic(THGetDeterministic()))
CALM(log1p, THLog1p(0.5))
CALM(expm1, THExpm1(0.5))
CALM(sizeDesc, _THSizeDesc(shape, 3))

/* --- memory, guards, loops, threads ---------------------------------------------------------- */

CALM(emptyCache, THMemory_emptyCache())
CALM(cacheLimit, THMemory_setCacheLimit(THMemory_cacheLimit()))
CALM(stats, THMemory_stats())

FAULT(guard, THGuard guard; THGuard_enter(&guard, THFree); guard.what = THAlloc(100);
      o->madeBlock = THAlloc(100); THGuard_leave(&guard))
FAULT(guardKeep, THGuard guard; THGuard_enter(&guard, THFree); guard.what = THAlloc(100);
      THFree(THAlloc(100)); o->madeBlock = THGuard_keep(&guard))
FAULT(attempt, THTry attempt; TH_TRY(attempt) { THFree(THAlloc(100)); } THFree(THAlloc(100)))

static void run_nothing(const THRun *run, const void *unused)
{
}

static void do_nothing(void *unused, ptrdiff_t begin, ptrdiff_t end)
{
}

static THLoop loop_of(Operands *o)
{
  static const int64_t four = 4, one = 1, none = 0;
  THLoop loop;
  THLoop_init(&loop);
  THLoop_operand(&loop, o->values, sizeof(float), 1, &four, &one);
  THLoop_operand(&loop, o->values, sizeof(float), 1, &four, &none);
  return loop;
}

CALM(loopRun, THLoop loop = loop_of(o); THLoop_run(&loop, run_nothing, NULL))
CALM(loopBlocks, THLoop loop = loop_of(o); THLoop_blocks(&loop))
CALM(loopOverlap, THLoop loop = loop_of(o); THLoop_overlap(&loop, 0, 1))
CALM(loopOverlapsItself, THLoop loop = loop_of(o); THLoop_overlapsItself(&loop, 1))
CALM(parallelFor, THParallel_for(100, 1, do_nothing, NULL))
CALM(parallelForIn, THParallel_forIn(2, 100, do_nothing, NULL))
CALM(parallelThreads, THParallel_threads(100, 1))
CALM(cpuLevel, THCpu_level())
CALM(cpuLevelName, THCpu_levelName(TH_CPU_DEFAULT))
CALM(tuningName, THTuning_name(TH_TUNE_SUM_DOUBLES))
CALM(tuningGet, THTuning_get(TH_TUNE_SUM_DOUBLES))
CALM(tuningSource, THTuning_source(TH_TUNE_SUM_DOUBLES))
CALM(tuningSet, THTuning_set(TH_TUNE_SUM_DOUBLES, 4); THTuning_set(TH_TUNE_SUM_DOUBLES, -1))
RAISES(tuningSetWrong, THTuning_set(TH_TUNE_SUM_DOUBLES, 9))
CALM(tuningMachine, THTuning_machine())
CALM(tuningPath, THTuning_path())
CALM(tuningSave, THTuning_save()) /* below a folder that cannot be */

/* --- Allocator ------------------------------------------------------------------------------- */

FAULT(contextNew, o->madeContext = THMapAllocatorContext_new("name", 0))
FAULT(contextNewWithFd,
      o->madeContext = THMapAllocatorContext_newWithFd("name", 0, TH_ALLOCATOR_MAPPED_FROMFD))
RAISES(contextNewFlags, THMapAllocatorContext_new("name", TH_ALLOCATOR_MAPPED_FROMFD))
CALM(contextFilename, THMapAllocatorContext_filename(o->context))
CALM(contextFd, THMapAllocatorContext_fd(o->context))
CALM(contextSize, THMapAllocatorContext_size(o->counted))
FAULT(contextFree, THMapAllocatorContext_free(THMapAllocatorContext_new("name", 0)))
FAULT(countedMalloc, o->otherData = THRefcountedMapAllocator.malloc(o->another, 100))
CALM(incref, THRefcountedMapAllocator_incref(o->counted, o->data);
     THRefcountedMapAllocator_decref(o->counted, o->data))

/* --- Atomic ---------------------------------------------------------------------------------- */

CALM(atomicSet, THAtomicSet(&o->i32, 3))
CALM(atomicGet, THAtomicGet(&o->i32))
CALM(atomicAdd, THAtomicAdd(&o->i32, 3))
CALM(atomicCompareAndSwap, THAtomicCompareAndSwap(&o->i32, 5, 3))
CALM(atomicIncrementRef, THAtomicIncrementRef(&o->i32))
CALM(atomicDecrementRef, THAtomicDecrementRef(&o->i32))
CALM(atomicSetLong, THAtomicSetLong(&o->i64, 3))
CALM(atomicGetLong, THAtomicGetLong(&o->i64))
CALM(atomicAddLong, THAtomicAddLong(&o->i64, 3))
CALM(atomicCompareAndSwapLong, THAtomicCompareAndSwapLong(&o->i64, 5, 3))
CALM(atomicSetPtrdiff, THAtomicSetPtrdiff(&o->difference, 3))
CALM(atomicGetPtrdiff, THAtomicGetPtrdiff(&o->difference))
CALM(atomicAddPtrdiff, THAtomicAddPtrdiff(&o->difference, 3))
CALM(atomicCompareAndSwapPtrdiff, THAtomicCompareAndSwapPtrdiff(&o->difference, 5, 3))

/* --- Half, LogAdd, Size ---------------------------------------------------------------------- */

CALM(floatToHalf, TH_float2half(1.5f))
CALM(halfToFloat, TH_half2float(TH_float2half(1.5f)))
CALM(floatToBits, unsigned short bits; TH_float2halfbits(o->values, &bits))
CALM(bitsToFloat, unsigned short bits = 0x3c00; TH_halfbits2float(&bits, o->values))
CALM(logAdd, THLogAdd(1, 2))
CALM(logSub, THLogSub(2, 1))
RAISES(logSubGreater, THLogSub(1, 2))
CALM(expMinusApprox, THExpMinusApprox(0.5))
CALM(isSameSizeAs, THSize_isSameSizeAs(shape, 3, other, 2))
CALM(nElement, THSize_nElement(3, shape))
CALM(product, ptrdiff_t product; THSize_product(3, shape, &product))

/* --- StorageShape ---------------------------------------------------------------------------- */

CALM(storageSizeDesc, THLongStorage_sizeDesc(o->size))
FAULT(newInferSize, o->madeSize = THLongStorage_newInferSize(o->size, 24))
FAULT(inferSize2, THLongStorage_inferSize2(o->result, shape, 3, other, 2, o->text, sizeof o->text))
FAULT(inferSizeN, THLongStorage_inferSizeN(o->result, 2, (int64_t *[]){shape, other},
                                           (int64_t[]){3, 2}, o->text, sizeof o->text))
FAULT(inferExpandGeometry,
      THLongStorage_inferExpandGeometry(shape, strides, 3, o->expanded, &o->expandedSize,
                                        &o->expandedStride, o->text, sizeof o->text))

/* --- Generator, Random ----------------------------------------------------------------------- */

FAULT(generatorNew, o->made = THGenerator_new())
CALM(generatorCopy, THGenerator_copy(o->g, &o->start))
CALM(generatorIsValid, THGenerator_isValid(o->g))
FAULT(generatorFree, THGenerator_free(THGenerator_new()))
CALM(generatorStateCopy, THGeneratorState_copy(o->g, &o->start))
CALM(generatorStateIsValid, THGeneratorState_isValid(o->g))
CALM(seed, THRandom_seed(o->g))
CALM(manualSeed, THRandom_manualSeed(o->g, 7))
CALM(initialSeed, THRandom_initialSeed(o->g))
CALM(random, THRandom_random(o->g))
CALM(random64, THRandom_random64(o->g))
CALM(standardUniform, THRandom_standard_uniform(o->g))
CALM(uniform, THRandom_uniform(o->g, 1, 2))
CALM(uniformFloat, THRandom_uniformFloat(o->g, 1, 2))
CALM(normal, THRandom_normal(o->g, 1, 2))
CALM(exponential, THRandom_exponential(o->g, 2))
CALM(standardGamma, THRandom_standard_gamma(o->g, 2))
CALM(cauchy, THRandom_cauchy(o->g, 1, 2))
CALM(logNormal, THRandom_logNormal(o->g, 1, 2))
CALM(geometric, THRandom_geometric(o->g, 0.3))
CALM(bernoulli, THRandom_bernoulli(o->g, 0.3))
RAISES(normalNoDeviation, THRandom_normal(o->g, 1, 0))
RAISES(geometricNoChance, THRandom_geometric(o->g, 0))

TH_FAULT_PROGRAM

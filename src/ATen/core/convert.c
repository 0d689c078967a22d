/* Copies between tensors of any element types: by TH, or by ATen's kernels for Bool and
 * BFloat16. */
#include "ATenCore.h"
#include "THKernel.h"
#include "TH/tensor/THConvert.h"
#include "TH/loop/THResult.h"
#include "conversions.h"
#include "device.h"
#include "ATen/complex/complex.h"
#include "TH/core/THHalfBits.h"

#define AT_ELEMENT static inline
#include "conversionElements.h"

TH_DISPATCH(THKernel, at_conversions)

static THKernel direct_conversion(at_scalar_type result, at_scalar_type source)
{
  return TH_DISPATCHED(at_conversions)[AT_CONVERSION(result, source)];
}

/* Converts rows by two kernels, of itemSize bytes each to floats and of those to resultSize bytes each. */
static void through_floats(const THRun *run, THKernel first, size_t itemSize, THKernel second,
                           size_t resultSize)
{
  enum { L1_BLOCK = 512 }; /* elements */
  const ptrdiff_t dr = run->stride[0] * (ptrdiff_t)resultSize;
  const ptrdiff_t dx = run->stride[1] * (ptrdiff_t)itemSize;
  float wide[L1_BLOCK];
  THRun to = {.rows = 1, .stride = {1, run->stride[1]}, .at = {(char *)wide}};
  THRun from = {.rows = 1, .stride = {run->stride[0], 1}, .at = {NULL, (char *)wide}};
  for (ptrdiff_t j = 0; j < run->rows; j++) {
    char *const r = (char *)run->at[0] + j * run->rowStride[0] * (ptrdiff_t)resultSize;
    char *const x = (char *)run->at[1] + j * run->rowStride[1] * (ptrdiff_t)itemSize;
    for (ptrdiff_t i = 0; i < run->n; i += L1_BLOCK) {
      to.n = from.n = THMin(L1_BLOCK, run->n - i);
      to.at[1] = x + i * dx;
      from.at[0] = r + i * dr;
      first(&to, NULL);
      second(&from, NULL);
    }
  }
}

/* Numbers become BFloat16, and BFloat16 numbers, through Float, as in PyTorch. */
#define THROUGH(TYPE, type, ...)                                                                \
  static void bfloat16_from_##TYPE(const THRun *run, TH_UNUSED const void *unused)              \
  {                                                                                             \
    through_floats(run, THConvert_kernel(THScalarFloat, (THScalarType)AT_##TYPE), sizeof(type), \
                   direct_conversion(AT_BFLOAT16, AT_FLOAT), sizeof(at_bfloat16));              \
  }                                                                                             \
  static void TYPE##_from_bfloat16(const THRun *run, TH_UNUSED const void *unused)              \
  {                                                                                             \
    through_floats(run, direct_conversion(AT_FLOAT, AT_BFLOAT16), sizeof(at_bfloat16),          \
                   THConvert_kernel((THScalarType)AT_##TYPE, THScalarFloat), sizeof(type));     \
  }
AT_CONVERTED_TYPES(THROUGH)

/* NULL where TH converts. */
static THKernel own_conversion(at_scalar_type result, at_scalar_type source)
{
#define TO(TYPE, ...)   [AT_##TYPE] = bfloat16_from_##TYPE,
#define FROM(TYPE, ...) [AT_##TYPE] = TYPE##_from_bfloat16,
  static const THKernel toBFloat16[AT_SCALAR_TYPES] = {AT_CONVERTED_TYPES(TO)};
  static const THKernel fromBFloat16[AT_SCALAR_TYPES] = {AT_CONVERTED_TYPES(FROM)};
  const THKernel direct = direct_conversion(result, source);
  if (!direct && result == AT_BFLOAT16)
    return toBFloat16[source];
  return !direct && source == AT_BFLOAT16 ? fromBFloat16[result] : direct;
}

THKernel at_conversion(const at_type *result, const at_type *source)
{
  const THKernel own = own_conversion(result->scalarType, source->scalarType);
  return own ? own : THConvert_kernel(result->held, source->held);
}

void at_addOperand(THLoop *loop, const at_tensor *t)
{
  const THFloatTensor *th = t->th;
  char *data = th->storage ? (char *)th->storage->data : NULL;
  THLoop_operand(loop, data ? data + (size_t)th->storageOffset * t->type->elementSize : NULL,
                 t->type->elementSize, th->nDimension, th->size, th->stride);
}

/* t as TH's functions on views of memory take it. */
static THView view_of(const at_tensor *t)
{
  const THFloatTensor *th = t->th;
  const size_t size = t->type->elementSize;
  char *data = th->storage ? (char *)th->storage->data : NULL;
  return (THView){
      data,
      data ? data + (size_t)th->storageOffset * size : NULL,
      th->storage ? (size_t)th->storage->size * (size / (size_t)at_partsOf(t->type)) : 0,
      size,
      th->nDimension,
      th->size,
      th->stride};
}

THOverlap at_overlap(const at_tensor *a, const at_tensor *b)
{
  return THView_overlap(view_of(a), view_of(b));
}

/* The view that the tensor will be once it has that size. */
static THView resized_view(const at_tensor *t, at_ints sizes, int64_t *count)
{
  static const int64_t step = 1;
  THView view = view_of(t);
  if (at_sameSizes(at_sizesOf(t), sizes))
    return view;
  *count = view.data ? 1 : 0; /* a tensor without memory will get memory of its own */
  for (int d = 0; d < sizes.count; d++)
    *count *= sizes.data[d];
  view.nDimension = 1;
  view.size = count;
  view.stride = &step;
  return view;
}

bool at_touch(const at_tensor *a, at_ints sizesOfA, const at_tensor *b, at_ints sizesOfB)
{
  int64_t count[2];
  const THView viewA = resized_view(a, sizesOfA, &count[0]);
  const THView viewB = resized_view(b, sizesOfB, &count[1]);
  return THView_sharesStorage(viewA, viewB) && THView_touch(viewA, viewB);
}

void at_checkWritable(const at_tensor *t)
{
  THLoop loop;
  THLoop_init(&loop);
  at_addOperand(&loop, t);
  if (THLoop_overlapsItself(&loop, 0))
    at_raise(AT_ERROR_ARGUMENT, "a tensor of size (%s) has elements that share memory",
             at_sizeDesc(at_sizesOf(t)).str);
}

/* Copies between the CPU and a device.  Elements are transferred unchanged and converted on the
 * CPU. */
static void cross(at_tensor *to, at_tensor *from)
{
  at_pool pool;
  at_pool_enter(&pool);
  const bool toCPU = at_isOnHost(to->type);
  const at_type *device = toCPU ? from->type : to->type, *host = at_hostType(device);
  at_tensor *between = toCPU ? to : from;
  if (between->type != host)
    between = at_hold(&pool, toCPU ? at_newShape(host, at_sizesOf(from)) : at_newCast(from, host));
  if (at_isComplex(device->scalarType)) {
    at_convertPairs(toCPU ? between : to, toCPU ? from : between);
    if (toCPU && between != to)
      at_convert(to, between);
  } else if (toCPU) {
    device->memory->toHost(between->th, from->th);
    if (between != to)
      at_convert(to, between);
  } else {
    device->memory->fromHost(to->th, between->th);
  }
  at_pool_leave(&pool);
}

/* Conversion to Bool on a device, by comparison with 0. */
static void convert_to_booleans(at_tensor *to, at_tensor *from)
{
  const at_scalar zero = at_scalar_long(0);
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *booleans = to;
  if (!at_sameSizes(at_sizesOf(to), at_sizesOf(from)))
    booleans = at_hold(&pool, at_newShape(to->type, at_sizesOf(from)));
  at_rowOf(from->type, AT_ROW_neValue)(booleans->th, from->th, NULL, NULL, zero, zero);
  if (booleans != to)
    at_convert(to, booleans);
  at_pool_leave(&pool);
}

/* Conversion on a device where one side is BFloat16. */
static void convert_bfloat16(at_tensor *to, at_tensor *from)
{
  at_pool pool;
  at_pool_enter(&pool);
  if (at_overlap(to, from) != TH_OVERLAP_NONE)
    from = at_hold(&pool, at_newCast(from, from->type));
  THLoop loop;
  THLoop_init(&loop);
  at_addOperand(&loop, to);
  at_addOperand(&loop, from);
  if (!at_cuda()->convert(to->type->scalarType, from->type->scalarType, &loop))
    at_convert(to, at_hold(&pool, at_newCast(from, to->type)));
  at_pool_leave(&pool);
}

/* Conversion on a device between types that are not complex. */
static void convert_on_device(at_tensor *to, at_tensor *from)
{
  const at_scalar_type result = to->type->scalarType, source = from->type->scalarType;
  if (result != source && (result == AT_BFLOAT16 || source == AT_BFLOAT16))
    convert_bfloat16(to, from);
  else if (result == AT_BOOL && source != AT_BOOL)
    convert_to_booleans(to, from);
  else
    to->type->memory->copyFrom[from->type->held](to->th, from->th);
}

void at_convert(at_tensor *to, at_tensor *from)
{
  at_checkWritable(to);
  if (to->type->backend != from->type->backend) {
    cross(to, from);
    return;
  }
  if (to->type->scalarType >= AT_COMPLEX_FLOAT || from->type->scalarType >= AT_COMPLEX_FLOAT) {
    at_convertFurther(to, from);
    return;
  }
  if (!at_isOnHost(to->type)) {
    convert_on_device(to, from);
    return;
  }
  const THKernel kernel = own_conversion(to->type->scalarType, from->type->scalarType);
  if (!kernel) {
    to->type->memory->copyFrom[from->type->held](to->th, from->th);
    return;
  }
  THLoop loop;
  THLoop_init(&loop);
  at_addOperand(&loop, to);
  at_addOperand(&loop, from);
  if (at_overlap(to, from) == TH_OVERLAP_NONE) {
    THLoop_run(&loop, kernel, NULL);
    return;
  }
  THGuard guard; /* elements of two sizes in one memory: read all before writing any */
  at_guard(&guard);
  at_convert(to, guard.what = at_newCast(from, from->type));
  THGuard_leave(&guard);
}

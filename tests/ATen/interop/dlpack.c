/* DLPack in both directions. */
#include <string.h>

#include "ATen.h"
#include "ATenDLPackTypes.h"
#include "th_fail.h"
#include "th_test.h"

/* --- to others -------------------------------------------------------------------------------- */

static const struct {
  at_scalar_type type;
  int code, bits;
} types[] = {{AT_BYTE, kDLUInt, 8},
             {AT_CHAR, kDLInt, 8},
             {AT_SHORT, kDLInt, 16},
             {AT_INT, kDLInt, 32},
             {AT_LONG, kDLInt, 64},
             {AT_FLOAT, kDLFloat, 32},
             {AT_DOUBLE, kDLFloat, 64},
             {AT_HALF, kDLFloat, 16},
             {AT_BOOL, kDLBool, 8},
             {AT_BFLOAT16, kDLBfloat, 16},
             {AT_COMPLEX_FLOAT, kDLComplex, 64},
             {AT_COMPLEX_DOUBLE, kDLComplex, 128},
             {AT_UINT16, kDLUInt, 16},
             {AT_UINT32, kDLUInt, 32},
             {AT_UINT64, kDLUInt, 64}};
enum { TYPES = sizeof types / sizeof *types };

static void check_described(const DLTensor *d, at_tensor *t, int i)
{
  CHECK((char *)d->data + d->byte_offset == at_data(t));
  CHECK(d->device.device_type == kDLCPU && d->device.device_id == 0);
  CHECK(d->dtype.code == types[i].code && d->dtype.bits == types[i].bits && d->dtype.lanes == 1);
  CHECK_EQ(d->ndim, at_dim(t));
  for (int k = 0; k < d->ndim; k++)
    CHECK(d->shape[k] == at_size(t, k) && d->strides[k] == at_stride(t, k));
}

static void handed_out(void **state)
{
  at_release(at_ones(AT_SHAPE(2), .type = AT_CPU(AT_COMPLEX_FLOAT))); /* the thread's buffer */
  const int live = th_fail_live();
  for (int i = 0; i < TYPES; i++) {
    at_tensor *wide = at_ones(AT_SHAPE(4, 6), .type = AT_CPU(types[i].type));
    at_tensor *rows = at_narrow(wide, 0, 1, 2), *t = at_transpose(rows, 0, 1);
    DLManagedTensor *plain = at_toDLPack(t);
    DLManagedTensorVersioned *versioned = at_toDLPackVersioned(t);
    check_described(&plain->dl_tensor, t, i);
    check_described(&versioned->dl_tensor, t, i);
    CHECK(versioned->version.major == 1 && versioned->flags == 0);
    const unsigned char first = *(unsigned char *)at_data(t);
    at_release(wide);
    at_release(rows);
    at_release(t);
    CHECK_EQ(*(unsigned char *)plain->dl_tensor.data, first); /* the memory is still there */
    plain->deleter(plain);
    CHECK_EQ(*(unsigned char *)versioned->dl_tensor.data, first);
    versioned->deleter(versioned);
  }
  at_tensor *scalar = at_full(AT_SCALAR_SHAPE, at_scalar(3)), *empty = at_ones(AT_SHAPE(0, 3));
  DLManagedTensor *one = at_toDLPack(scalar), *none = at_toDLPack(empty);
  CHECK(one->dl_tensor.ndim == 0 && *(float *)one->dl_tensor.data == 3);
  CHECK(none->dl_tensor.ndim == 2 && none->dl_tensor.shape[0] == 0);
  one->deleter(one);
  none->deleter(none);
  at_release(scalar);
  at_release(empty);
  CHECK_EQ(th_fail_live(), live);
}

/* Shared memory does not move: results that need more memory are errors. */
static void fixed(void **state)
{
  at_tensor *t = at_ones(AT_SHAPE(2)), *larger = at_ones(AT_SHAPE(5000));
  DLManagedTensor *m = at_toDLPack(t);
  void *data = m->dl_tensor.data;
  CHECK(at_add_out(t, larger, larger) == at_undefined() && at_error() != AT_OK);
  at_error_clear();
  CHECK(at_add_(t, t) == t && at_data(t) == data && ((float *)data)[1] == 2);
  m->deleter(m);
  at_release(t);
  at_release(larger);
  CHECK(at_toDLPack(NULL) == NULL && at_error() == AT_ERROR_NULL);
  at_error_clear();
  CHECK(at_toDLPackVersioned(at_undefined()) == NULL && at_error() == AT_OK);
}

/* --- from others ------------------------------------------------------------------------------ */

/* Another library's tensor of up to three dimensions. */
typedef struct Foreign {
  DLManagedTensor plain;
  DLManagedTensorVersioned versioned;
  int64_t shape[3], strides[3];
  int deleted;
} Foreign;

static void delete_plain(DLManagedTensor *m)
{
  ((Foreign *)m->manager_ctx)->deleted++;
}

static void delete_versioned(DLManagedTensorVersioned *m)
{
  ((Foreign *)m->manager_ctx)->deleted++;
}

static float numbers[24];

/* Describes rows 1 and 2 of numbers as 4 x 6. */
static void set_up(Foreign *f)
{
  for (int i = 0; i < 24; i++)
    numbers[i] = (float)i;
  *f = (Foreign){.shape = {2, 6}, .strides = {6, 1}};
  const DLTensor d = {.data = numbers,
                      .device = {kDLCPU, 0},
                      .ndim = 2,
                      .dtype = {kDLFloat, 32, 1},
                      .shape = f->shape,
                      .strides = f->strides,
                      .byte_offset = 24};
  f->plain = (DLManagedTensor){d, f, delete_plain};
  f->versioned = (DLManagedTensorVersioned){{1, 7}, f, delete_versioned, 0, d};
}

static void taken(void **state)
{
  for (int form = 0; form < 2; form++) {
    Foreign f;
    set_up(&f);
    at_tensor *t = form ? at_fromDLPackVersioned(&f.versioned) : at_fromDLPack(&f.plain);
    CHECK_MSG(at_defined(t), "%s", at_error_message());
    CHECK(at_typeOf(t) == AT_CPU(AT_FLOAT) && at_data(t) == numbers + 6);
    CHECK(at_dim(t) == 2 && at_size(t, 0) == 2 && at_size(t, 1) == 6 && at_stride(t, 0) == 6);
    at_tensor *view = at_select(t, 1, 5);
    CHECK(at_mul_(view, view) == view);
    CHECK_EQ(numbers[17], 17 * 17); /* the memory is that of the other library */
    at_release(t);
    CHECK_EQ(f.deleted, 0); /* the view still uses it */
    at_tensor *larger = at_ones(AT_SHAPE(100));
    CHECK(at_add_out(view, larger, larger) == at_undefined());
    at_error_clear();
    at_release(larger);
    CHECK_EQ(numbers[17], 17 * 17);
    at_release(view);
    CHECK_EQ(f.deleted, 1);

    /* Import, then export; the export lives longer. */
    set_up(&f);
    t = form ? at_fromDLPackVersioned(&f.versioned) : at_fromDLPack(&f.plain);
    DLManagedTensor *again = at_toDLPack(t);
    at_release(t);
    CHECK(f.deleted == 0 && again->dl_tensor.data == numbers + 6);
    again->deleter(again);
    CHECK_EQ(f.deleted, 1);
  }
}

/* No strides, no dimensions, no elements, no deleter, strides that are unused or 0. */
static void shapes(void **state)
{
  Foreign f;
  set_up(&f);
  f.plain.dl_tensor.strides = NULL;
  at_tensor *t = at_fromDLPack(&f.plain);
  CHECK(at_stride(t, 0) == 6 && at_stride(t, 1) == 1 && ((float *)at_data(t))[11] == 17);
  at_release(t);
  set_up(&f);
  f.plain.dl_tensor.ndim = 0;
  f.plain.dl_tensor.shape = f.plain.dl_tensor.strides = NULL;
  f.plain.deleter = NULL;
  t = at_fromDLPack(&f.plain);
  CHECK(at_dim(t) == 0 && at_numel(t) == 1 && *(float *)at_data(t) == 6);
  at_release(t);
  set_up(&f);
  f.shape[1] = 0;
  f.plain.dl_tensor.data = NULL;
  t = at_fromDLPack(&f.plain);
  CHECK(at_dim(t) == 2 && at_numel(t) == 0 && at_size(t, 0) == 2);
  CHECK_EQ(f.deleted, 1);
  at_release(t);
  set_up(&f);
  f.shape[0] = 1;
  f.strides[0] = -77;
  t = at_fromDLPack(&f.plain);
  CHECK(at_numel(t) == 6 && ((float *)at_data(t))[5] == 11);
  at_release(t);
  set_up(&f);
  f.strides[0] = 0;
  t = at_fromDLPack(&f.plain);
  at_tensor *line = at_contiguous(t);
  CHECK_EQ(((float *)at_data(line))[11], 11);
  at_release(line);
  at_release(t);
  CHECK_EQ(f.deleted, 1);
}

static void every_type(void **state)
{
  for (int i = 0; i < TYPES; i++) {
    Foreign f;
    set_up(&f);
    f.plain.dl_tensor.dtype = (DLDataType){(uint8_t)types[i].code, (uint8_t)types[i].bits, 1};
    f.shape[1] = f.strides[0] = 2;
    at_tensor *t = at_fromDLPack(&f.plain);
    CHECK(at_typeOf(t) == AT_CPU(types[i].type));
    at_release(t);
    CHECK_EQ(f.deleted, 1);
  }
}

static void check_refused(Foreign *f, at_error_code code, const char *part)
{
  CHECK(at_fromDLPackVersioned(&f->versioned) == at_undefined());
  CHECK_MSG(at_error() == code && strstr(at_error_message(), part), "%d: %s", at_error(),
            at_error_message());
  at_error_clear();
  CHECK_EQ(f->deleted, 0); /* the tensor still belongs to the caller */
}

#define REFUSED(CODE, PART, ...)                          \
  do {                                                    \
    Foreign f;                                            \
    set_up(&f);                                           \
    TH_UNUSED DLTensor *const d = &f.versioned.dl_tensor; \
    __VA_ARGS__;                                          \
    check_refused(&f, CODE, PART);                        \
  } while (0)

static void refused(void **state)
{
  REFUSED(AT_ERROR_ARGUMENT, "version 2.7", f.versioned.version.major = 2);
  REFUSED(AT_ERROR_ARGUMENT, "read-only", f.versioned.flags = DLPACK_FLAG_BITMASK_READ_ONLY);
  REFUSED(AT_ERROR_TYPE, "device of type 8", d->device.device_type = kDLMetal);
  REFUSED(AT_ERROR_ARGUMENT, "that of CUDA device 0, and there are 0",
          d->device.device_type = kDLCUDA);
  REFUSED(AT_ERROR_TYPE, "code 5 with 32 bits", d->dtype = ((DLDataType){kDLComplex, 32, 1}));
  REFUSED(AT_ERROR_TYPE, "code 1 with 128 bits", d->dtype = ((DLDataType){kDLUInt, 128, 1}));
  REFUSED(AT_ERROR_TYPE, "4 lanes", d->dtype.lanes = 4);
  REFUSED(AT_ERROR_ARGUMENT, "not aligned", d->byte_offset = 2);
  REFUSED(AT_ERROR_ARGUMENT, "no shape", f.strides[1] = -1);
  REFUSED(AT_ERROR_ARGUMENT, "no shape", f.shape[0] = -2);
  REFUSED(AT_ERROR_ARGUMENT, "too many elements", f.shape[0] = INT64_MAX);
  REFUSED(AT_ERROR_ARGUMENT, "no shape", f.strides[0] = INT64_MAX);
  REFUSED(AT_ERROR_ARGUMENT, "no shape", f.strides[0] = INT64_MAX / 2);
  REFUSED(AT_ERROR_ARGUMENT, "-1 dimensions", d->ndim = -1);
  REFUSED(AT_ERROR_ARGUMENT, "65 dimensions", d->ndim = 65);
  REFUSED(AT_ERROR_ARGUMENT, "dimensions", d->shape = NULL);
  REFUSED(AT_ERROR_NULL, "no data", d->data = NULL);
  CHECK(at_fromDLPack(NULL) == at_undefined() && at_error() == AT_ERROR_NULL);
  at_error_clear();
  CHECK(at_fromDLPackVersioned(NULL) == at_undefined() && at_error() == AT_ERROR_NULL);
  at_error_clear();
}

/* --- when memory runs out ------------------------------------------------------------------- */

static void both_ways(void *context)
{
  at_tensor *t = context;
  DLManagedTensor *plain = at_toDLPack(t);
  DLManagedTensorVersioned *versioned = plain ? at_toDLPackVersioned(t) : NULL;
  at_tensor *a = at_undefined(), *b = a;
  if (plain)
    a = at_fromDLPack(plain);
  if (versioned)
    b = at_fromDLPackVersioned(versioned);
  const bool worked = at_defined(a) && at_defined(b);
  CHECK(worked == (at_error() == AT_OK));
  at_error_clear();
  if (plain && !at_defined(a))
    plain->deleter(plain);
  if (versioned && !at_defined(b))
    versioned->deleter(versioned);
  at_release(a);
  at_release(b);
  if (!worked)
    THError("no memory");
}

static void faults(void **state)
{
  at_tensor *t = at_ones(AT_SHAPE(3, 4));
  CHECK(th_fail_each(both_ways, t) > 8);
  at_release(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(handed_out), cmocka_unit_test(fixed),
                                     cmocka_unit_test(taken),      cmocka_unit_test(shapes),
                                     cmocka_unit_test(every_type), cmocka_unit_test(refused),
                                     cmocka_unit_test(faults)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

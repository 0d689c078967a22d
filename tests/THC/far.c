/* Tensors of bytes whose rows are 2^31 bytes apart, so that offsets need more than 32 bits: each operation on
 * them, and on tensors of the same values whose elements are next to each other. */
#include <stdlib.h>

#include "thc_test.h"

#define S       thc_state()
#define T(NAME) THCudaByteTensor_##NAME

enum { ROWS = 3, COLUMNS = 5, ROOM = 4096 };
static const int64_t apart = (INT64_C(1) << 31) + 7; /* of rows; columns are 3 apart */

typedef struct Operands {
  THCudaByteTensor *x, *y, *r;     /* ROWS x COLUMNS */
  THCudaLongTensor *index, *found; /* ROWS indices of rows; results */
  THCudaLongTensor *each;          /* ROWS x COLUMNS, of rows */
  THCudaByteTensor *mask;          /* ROWS x COLUMNS */
} Operands;

/* X(name, statement): r is a result of the size of x, or of another one. */
#define FOR_EACH(X)                                          \
  X(fill, T(fill)(S, o->r, 2))                               \
  X(copy, T(copy)(S, o->r, o->x))                            \
  X(cadd, T(cadd)(S, o->r, o->x, 2, o->y))                   \
  X(cmul, T(cmul)(S, o->x, o->x, o->y))                      \
  X(sum, T(sum)(S, o->r, o->x, 0, 1))                        \
  X(sum_columns, T(sum)(S, o->r, o->x, 1, 1))                \
  X(max, T(max)(S, o->r, o->found, o->x, 0, 1))              \
  X(all, T(fill)(S, o->r, (uint8_t)T(sumall)(S, o->x)))      \
  X(cumsum, T(cumsum)(S, o->r, o->x, 0))                     \
  X(cumsum_columns, T(cumsum)(S, o->r, o->x, 1))             \
  X(sort, T(sort)(S, o->r, o->found, o->x, 0, 1))            \
  X(sort_columns, T(sort)(S, o->r, o->found, o->x, 1, 0))    \
  X(topk, T(topk)(S, o->r, o->found, o->x, 2, 0, 0, 1))      \
  X(kthvalue, T(kthvalue)(S, o->r, o->found, o->x, 2, 0, 1)) \
  X(median, T(median)(S, o->r, o->found, o->x, 0, 1))        \
  X(mode, T(mode)(S, o->r, o->found, o->x, 0, 1))            \
  X(indexSelect, T(indexSelect)(S, o->r, o->x, 0, o->index)) \
  X(indexCopy, T(indexCopy)(S, o->r, 0, o->index, o->x))     \
  X(indexAdd, T(indexAdd)(S, o->r, 0, o->index, o->x))       \
  X(gather, T(gather)(S, o->r, o->x, 0, o->each))            \
  X(scatterAdd, T(scatterAdd)(S, o->r, 0, o->each, o->x))    \
  X(maskedFill, T(maskedFill)(S, o->x, o->mask, 3))          \
  X(maskedSelect, T(maskedSelect)(S, o->r, o->x, o->mask))   \
  X(tril, T(tril)(S, o->r, o->x, 0))                         \
  X(triu, T(triu)(S, o->x, o->x, 1))

/* A tensor of fixed values: in memory from `offset` on with rows that are far apart, or without memory by
 * itself. */
static THCudaByteTensor *made(uint8_t *memory, int64_t offset, int seed)
{
  THCudaByteTensor *t;
  if (memory) {
    THCudaByteStorage *storage =
        THCudaByteStorage_newWithData(S, memory, (ROWS - 1) * apart + ROOM);
    THCudaByteStorage_clearFlag(S, storage, TH_STORAGE_FREEMEM);
    t = T(newWithStorage2d)(S, storage, offset, ROWS, apart, COLUMNS, 3);
    THCudaByteStorage_free(S, storage);
  } else {
    t = T(newWithSize2d)(S, ROWS, COLUMNS);
  }
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++)
      T(set2d)(S, t, i, j, (uint8_t)((i * 7 + j * 5 + seed) % 11));
  return t;
}

/* Everything near, or x, y and r far apart in memory. */
static Operands make(uint8_t *memory)
{
  Operands o = {.index = THCudaLongTensor_newWithSize1d(S, ROWS),
                .found = THCudaLongTensor_new(S),
                .each = THCudaLongTensor_newWithSize2d(S, ROWS, COLUMNS),
                .mask = THCudaByteTensor_new(S)};
  THCudaByteTensor **const tensors[] = {&o.x, &o.y, &o.r};
  for (int k = 0; k < 3; k++)
    *tensors[k] = made(memory, k * 1000, k);
  for (int i = 0; i < ROWS; i++) {
    THCudaLongTensor_set1d(S, o.index, i, (i + 1) % ROWS + TH_INDEX_BASE);
    for (int j = 0; j < COLUMNS; j++)
      THCudaLongTensor_set2d(S, o.each, i, j, (i + j) % ROWS + TH_INDEX_BASE);
  }
  T(gtValue)(S, o.mask, o.y, 4);
  return o;
}

static void drop(Operands *o)
{
  THCudaByteTensor *const tensors[] = {o->x, o->y, o->r};
  for (int k = 0; k < 3; k++)
    T(free)(S, tensors[k]);
  THCudaLongTensor_free(S, o->index);
  THCudaLongTensor_free(S, o->found);
  THCudaLongTensor_free(S, o->each);
  THCudaByteTensor_free(S, o->mask);
}

static void check_same(THCudaByteTensor *far, THCudaByteTensor *near)
{
  CHECK_EQ(far->nDimension, near->nDimension);
  THByteTensor *a = THByteTensor_new(), *b = THByteTensor_new();
  THByteTensor_resizeNd(a, far->nDimension, far->size, NULL);
  THByteTensor_resizeNd(b, near->nDimension, near->size, NULL);
  THByteTensor_copyCuda(S, a, far);
  THByteTensor_copyCuda(S, b, near);
  CHECK_EQ(THByteTensor_nElement(a), THByteTensor_nElement(b));
  for (ptrdiff_t i = 0; i < THByteTensor_nElement(b); i++)
    CHECK_EQ(THByteTensor_data(a)[i], THByteTensor_data(b)[i]);
  THByteTensor_free(a);
  THByteTensor_free(b);
}

#define FUNCTION(NAME, STATEMENT)            \
  static void call_##NAME(const Operands *o) \
  {                                          \
    STATEMENT;                               \
  }
FOR_EACH(FUNCTION)

static void operations(void **state)
{
#define ENTRY(NAME, STATEMENT) {#NAME, call_##NAME},
  static const struct {
    const char *name;
    void (*call)(const Operands *o);
  } rows[] = {FOR_EACH(ENTRY)};
  uint8_t *memory = NULL;
  CHECK_CUDA(cudaMalloc((void **)&memory, (size_t)((ROWS - 1) * apart + ROOM)));
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    th_note("%s", rows[i].name);
    Operands far = make(memory), near = make(NULL);
    rows[i].call(&far);
    rows[i].call(&near);
    check_same(far.r, near.r);
    check_same(far.x, near.x);
    drop(&far);
    drop(&near);
  }
  CHECK_CUDA(cudaDeviceSynchronize());
  CHECK_CUDA(cudaFree(memory));
}

int main(void)
{
  setenv("CUSIM_MEMORY", "8192", 1); /* MiB, of which few pages are used */
  const struct CMUnitTest tests[] = {cmocka_unit_test(operations)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

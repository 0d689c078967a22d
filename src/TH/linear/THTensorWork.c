/* Works of one element type. */
#include "THTemplate.h"

#include "THTensorWork.h"

static const THWorkType THTensor_(workType) = {
    (void (*)(THBefore *, void *, const THShape *))THTensor_(resizeForNow),
    (void (*)(void *, void *))THTensor_(copy)};

/* Whether the result keeps its strides: it is not the whole of its storage, or replaces an operand,
 * so that other views must find its elements at the right offsets. */
static int THTensor_(keepsStrides)(const THTensor *result, const THTensor *source)
{
  return result == source || !THTensor_(isContiguous)(result) || result->storageOffset != 0 ||
         result->storage->size != THTensor_(nElement)(result);
}

static void THTensor_(checkOthers)(const THWorks *works, const THWork *work, int arg)
{
  for (int i = 0; i < works->count; i++) {
    const THWork *other = &works->work[i];
    THArgCheck(!other->result ||
                   (THResult_overlap(work->view, &work->shape, other->view) == TH_OVERLAP_NONE &&
                    THResult_overlap(other->view, &other->shape, work->view) == TH_OVERLAP_NONE),
               arg, "two results share memory with each other");
  }
}

real *THTensor_(work)(THWorks *works, THTensor *result, int arg, THWorkOrder order, int nDimension,
                      const int64_t *size, THTensor *source)
{
  THAssert(works->count < TH_MOST_WORKS);
  THWork *work = &works->work[works->count];
  *work = (THWork){.type = &THTensor_(workType), .result = result};
  THShape *shape = &work->shape;
  THShape_openAs(shape, nDimension, size, NULL);

  THTensor_(guard)(&work->tensor);
  THTensor *tensor = work->tensor.what = THTensor_(new)();
  THWork_setStrides(shape, order != TH_ROWS);
  if (result) {
    work->view = TH_VIEW(result);
    THTensor_(checkOthers)(works, work, arg);
  }
  THBefore before;
  THTensor_(resizeForNow)(&before, tensor, shape);
  THBefore_forget(&before);
  if (source)
    THTensor_(copy)(tensor, source);

  if (order == TH_COLUMNS_TO_ROWS)
    THWork_setStrides(shape, 0);
  if (result && THResult_hasShape(work->view, shape) && THTensor_(nElement)(result) &&
      (order != TH_COLUMNS || THTensor_(keepsStrides)(result, source)))
    memcpy(shape->stride, result->stride, (size_t)nDimension * sizeof *shape->stride);
  works->count++;
  return THTensor_(data)(tensor);
}

real *THTensor_(workVector)(THWorks *works, THTensor *result, int arg, int64_t size)
{
  return THTensor_(work)(works, result, arg, TH_ROWS, 1, &size, NULL);
}

/* --- floating types -------------------------------------------------------------------------- */

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)

real *THTensor_(workOn)(THWorks *works, THTensor *result, int arg, THTensor *source, int64_t rows,
                        int64_t columns)
{
  const int64_t size[] = {rows, columns};
  return THTensor_(work)(works, result, arg, TH_COLUMNS, 2, size, source);
}

/* LAPACK counts in int. */
static int THTensor_(countable)(const THTensor *t, int d, const char *name, int arg)
{
  THArgCheck(t->size[d] <= INT_MAX, arg, "%s has size %s, more than LAPACK can count", name,
             THTensor_(sizeDesc)(t).str);
  return (int)t->size[d];
}

void THTensor_(checkMatrix)(const THTensor *t, const char *name, int arg, int *rows, int *columns)
{
  THArgCheck(t->nDimension == 2, arg, "%s has size %s, it is not a matrix", name,
             THTensor_(sizeDesc)(t).str);
  *rows = THTensor_(countable)(t, 0, name, arg);
  *columns = THTensor_(countable)(t, 1, name, arg);
}

int THTensor_(checkSquare)(const THTensor *t, const char *name, int arg)
{
  int rows, columns;
  THTensor_(checkMatrix)(t, name, arg, &rows, &columns);
  THArgCheck(rows == columns, arg, "%s has size %s, it is not square", name,
             THTensor_(sizeDesc)(t).str);
  return rows;
}

int THTensor_(checkRight)(const THTensor *b, int rows, int arg)
{
  THArgCheck(b->nDimension == 1 || b->nDimension == 2, arg,
             "b has size %s, it is neither a matrix nor a vector", THTensor_(sizeDesc)(b).str);
  THArgCheck(b->size[0] == rows, arg, "b has size %s, a has %d rows", THTensor_(sizeDesc)(b).str,
             rows);
  return b->nDimension == 1 ? 1 : THTensor_(countable)(b, 1, "b", arg);
}

#endif

/* What makes tensors, multiplies them and sums them up whole, against PyTorch, whose values
 * tests/oracle/whole.py wrote.  Values are small integers: integers and floats are exact. */
#include "THTemplate.h"

#include "th_golden.h"

typedef struct Inputs {
  THTensor *vector3, *vector4, *matrix, *rows, *other, *square, *batch, *batch2, *squares, *triples,
      *triples2;
} Inputs;

static THGoldenFile *file;

static THTensor *input(const char *name)
{
  return TH_CONCAT_2(th_golden_new, Real)(th_golden(file, "%s/%s", TH_STRING_OF(Real), name));
}

/* Shape and values; floats to some units in the last place where PyTorch rounds too. */
static void check(const char *name, THTensor *got, double units)
{
  const THGolden *want = th_golden(file, "%s/%s", TH_STRING_OF(Real), name);
  CHECK_EQ(THTensor_(nDimension)(got), want->nDimension);
  for (int d = 0; d < want->nDimension; d++)
    CHECK_EQ(THTensor_(size)(got, d), want->size[d]);
  THTensor *values = THTensor_(newContiguous)(got);
  for (ptrdiff_t i = 0; i < want->count; i++) {
    const double number = th_golden_number(want, i), is = (double)THTensor_(data)(values)[i];
    CHECK_MSG(fabs(is - number) <= units * fabs(number),
              "%s: element %td is %.9g, PyTorch has %.9g", want->name, i, is, number);
  }
  THTensor_(free)(values);
}

static void check_number(const char *name, double got, double units)
{
  const THGolden *want = th_golden(file, "%s/%s", TH_STRING_OF(Real), name);
  const double number = th_golden_number(want, 0);
  CHECK_MSG(fabs(got - number) <= units * fabs(number), "%s is %.17g, PyTorch has %.17g",
            want->name, got, number);
}

/* --- products --------------------------------------------------------------------------------- */

static void check_products(const Inputs *in, THTensor *r)
{
  THTensor_(addmv)(r, 2, in->vector3, 3, in->matrix, in->vector4);
  check("addmv", r, 0);
  THTensor_(addmm)(r, 2, in->square, 3, in->matrix, in->other);
  check("addmm", r, 0);
  THTensor_(addr)(r, 2, in->matrix, 3, in->vector3, in->vector4);
  check("addr", r, 0);
  THTensor_(addbmm)(r, 2, in->square, 3, in->batch, in->batch2);
  check("addbmm", r, 0);
  THTensor_(baddbmm)(r, 2, in->squares, 3, in->batch, in->batch2);
  check("baddbmm", r, 0);
  THTensor_(cross)(r, in->triples, in->triples2, 1);
  check("cross", r, 0);
  THTensor_(match)(r, in->matrix, in->rows, 2);
  check("match", r, 0);
}

/* --- shapes ----------------------------------------------------------------------------------- */

static void check_shapes(const Inputs *in, THTensor *r)
{
  THLongStorage *size = THLongStorage_newWithSize2(2, 3), *flat = THLongStorage_newWithSize2(2, 6);
  THTensor_(zeros)(r, size);
  check("zeros", r, 0);
  THTensor_(ones)(r, size);
  check("ones", r, 0);
  THTensor_(reshape)(r, in->matrix, flat);
  check("reshape", r, 0);
  THLongStorage_free(size);
  THLongStorage_free(flat);
  THTensor_(eye)(r, 3, 5);
  check("eye", r, 0);
  THTensor_(diag)(r, in->vector4, -1);
  check("diag_vector", r, 0);
  THTensor_(diag)(r, in->matrix, 1);
  check("diag_matrix", r, 0);
  THTensor_(tril)(r, in->matrix, -1);
  check("tril", r, 0);
  THTensor_(triu)(r, in->matrix, 1);
  check("triu", r, 0);
  THTensor_(arange)(r, 2, 20, 3);
  check("arange", r, 0);
  THTensor_(range)(r, 2, 20, 3);
  check("range", r, 0);
  THTensor_(cat)(r, in->matrix, in->rows, 0);
  check("cat0", r, 0);
  THTensor *parts[] = {in->matrix, in->square};
  THTensor_(catArray)(r, parts, 2, 1);
  check("cat1", r, 0);
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
  THTensor_(linspace)(r, 1, 9, 5);
  check("linspace", r, 0);
  THTensor_(logspace)(r, -1, 3, 5);
  check("logspace", r, sizeof(real) == 4 ? 1.2e-7 : 4.5e-16);
#endif
}

/* --- numbers ---------------------------------------------------------------------------------- */

static void check_numbers(const Inputs *in, THTensor *r)
{
  check_number("sumall", (double)THTensor_(sumall)(in->matrix), 0);
  check_number("minall", (double)THTensor_(minall)(in->matrix), 0);
  check_number("maxall", (double)THTensor_(maxall)(in->matrix), 0);
  check_number("medianall", (double)THTensor_(medianall)(in->matrix), 0);
  check_number("trace", (double)THTensor_(trace)(in->matrix), 0);
  THTensor_(add)(r, in->matrix, 4);
  check_number("prodall", (double)THTensor_(prodall)(r), 0);
  THTensor_(select)(r, in->matrix, 0, 1);
  check_number("dot", (double)THTensor_(dot)(r, in->vector4), 0);
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
  const double units = 1e-14;
  check_number("meanall", THTensor_(meanall)(in->matrix), units);
  check_number("varall", THTensor_(varall)(in->matrix, 0), units);
  check_number("varall_biased", THTensor_(varall)(in->matrix, 1), units);
  check_number("stdall", THTensor_(stdall)(in->matrix, 0), units);
  check_number("normall", THTensor_(normall)(in->matrix, 3), units);
  check_number("normall0", THTensor_(normall)(in->matrix, 0), units);
  THTensor *upsideDown = THTensor_(newClone)(in->matrix), *row = THTensor_(new)();
  for (int i = 0; i < 3; i++) {
    THTensor_(select)(row, upsideDown, 0, 2 - i);
    THTensor_(select)(r, in->matrix, 0, i);
    THTensor_(copy)(row, r);
  }
  check_number("dist", THTensor_(dist)(in->matrix, upsideDown, 2.5), units);
  THTensor_(free)(upsideDown);
  THTensor_(free)(row);
#endif
}

/* --- along a dimension ------------------------------------------------------------------------ */

static void check_along(const Inputs *in, THTensor *r)
{
  THTensor *values = THTensor_(new)();
  THLongTensor *indices = THLongTensor_new();
  THTensor_(kthvalue)(values, indices, in->matrix, 2, 1, 1);
  const THGolden *want = th_golden(file, "%s/kthvalue_index", TH_STRING_OF(Real));
  CHECK_EQ(THLongTensor_nElement(indices), want->count);
  for (ptrdiff_t i = 0; i < want->count; i++)
    CHECK_EQ(THLongTensor_get2d(indices, i, 0), th_golden_number(want, i));
  THTensor_(free)(values);
  THLongTensor_free(indices);
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
  THTensor_(std)(r, in->matrix, 1, 0, 1);
  check("std", r, sizeof(real) == 4 ? 1.2e-7 : 4.5e-16);
  THTensor_(bhistc)(r, in->matrix, 4, -3, 3);
  check("bhistc", r, 0);
#endif
}

static void THTest_(whole)(void)
{
  file = th_golden_open("whole.txt");
#define INPUT(NAME) .NAME = input(#NAME)
  Inputs in = {INPUT(vector3), INPUT(vector4), INPUT(matrix),  INPUT(rows),
               INPUT(other),   INPUT(square),  INPUT(batch),   INPUT(batch2),
               INPUT(squares), INPUT(triples), INPUT(triples2)};
  void (*const families[])(const Inputs *, THTensor *) = {check_products, check_shapes,
                                                          check_numbers, check_along};
  for (int i = 0; i < 4; i++) {
    THTensor *r = THTensor_(new)(); /* none of them views an input of the next */
    families[i](&in, r);
    THTensor_(free)(r);
  }
  THTensor **each = (THTensor **)&in;
  for (size_t i = 0; i < sizeof in / sizeof *each; i++)
    THTensor_(free)(each[i]);
  th_golden_close(file);
}

TH_TESTS(THTest_(whole))

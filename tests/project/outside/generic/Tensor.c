/* A program's own functions, for every element type. */
#ifndef TH_GENERIC_FILE
#define TH_GENERIC_FILE "generic/Tensor.c"
#else

#define Outside_(NAME) TH_CONCAT_4(Outside, Real, _, NAME)

/* --- what a pass defines -------------------------------------------------------------------- */

static_assert(sizeof(THTensor) == 48 && offsetof(THTensor, size) == 0, "size");
static_assert(offsetof(THTensor, stride) == 8 && offsetof(THTensor, nDimension) == 16, "stride");
static_assert(offsetof(THTensor, storage) == 24, "storage");
static_assert(offsetof(THTensor, storageOffset) == 32, "storageOffset");
static_assert(offsetof(THTensor, refcount) == 40 && offsetof(THTensor, flag) == 44, "refcount");
static_assert(sizeof(THStorage) == 48 && offsetof(THStorage, data) == 0, "data");
static_assert(offsetof(THStorage, size) == 8 && offsetof(THStorage, refcount) == 16, "size");
static_assert(offsetof(THStorage, flag) == 20 && offsetof(THStorage, allocator) == 24, "flag");
static_assert(offsetof(THStorage, allocatorContext) == 32, "allocatorContext");
static_assert(offsetof(THStorage, view) == 40, "view");

/* Says what the pass is: exactly one TH_REAL_IS_... is defined, and the types are those it means.
 */
static void Outside_(types)(Type *type)
{
  int passes = 0;
  type->name = TH_CONCAT_STRING_3(TH, Real, Tensor);
  type->size = (int)sizeof(real);
  type->accumulator = (int)sizeof(accreal);
#ifdef TH_REAL_IS_BYTE
  passes += sizeof(ureal) == 1 && (real)-1 > 0 && THInf == 255;
#endif
#ifdef TH_REAL_IS_CHAR
  passes += sizeof(ureal) == 1 && (real)-1 < 0 && (ureal)-1 > 0 && THInf == 127;
#endif
#ifdef TH_REAL_IS_SHORT
  passes += sizeof(ureal) == 2 && (ureal)-1 > 0 && THInf == 32767;
#endif
#ifdef TH_REAL_IS_INT
  passes += sizeof(ureal) == 4 && (ureal)-1 > 0 && THInf == 2147483647;
#endif
#ifdef TH_REAL_IS_LONG
  passes += sizeof(ureal) == 8 && (ureal)-1 > 0 && THInf == INT64_MAX;
#endif
#ifdef TH_REAL_IS_FLOAT
  passes += sizeof(real) == 4 && THInf == FLT_MAX;
#endif
#ifdef TH_REAL_IS_DOUBLE
  passes += THInf == DBL_MAX;
#endif
#ifdef TH_REAL_IS_HALF
  const real infinite = THInf;
  passes += isinf(TH_CONVERT_REAL_TO_ACCREAL(infinite)) != 0;
#endif
#ifdef ureal
  passes += 10;
#endif
  type->passes = passes;
}

/* --- loops ---------------------------------------------------------------------------------- */

static accreal Outside_(sum)(THTensor *tensor)
{
  accreal sum = 0;
  TH_TENSOR_APPLY(real, tensor, sum += TH_CONVERT_REAL_TO_ACCREAL(*tensor_data);)
  return sum;
}

/* The index of the first element equal to value, -1 if there is none. */
static ptrdiff_t Outside_(find)(THTensor *tensor, accreal value)
{
  ptrdiff_t index = 0, found = -1;
  TH_TENSOR_APPLY(
      real, tensor, if (TH_CONVERT_REAL_TO_ACCREAL(*tensor_data) == value) {
        found = index;
        TH_TENSOR_APPLY_hasFinished = 1;
        break;
      } index++;);
  return found;
}

/* r = a + 2 b, by several loops in one scope. */
static void Outside_(combine)(THTensor *r, THTensor *a, THTensor *b)
{
  TH_TENSOR_APPLY2(real, r, real, a, *r_data = *a_data;);
  TH_TENSOR_APPLY3(real, r, real, a, real, b, {
    accreal twice = TH_CONVERT_REAL_TO_ACCREAL(*b_data);
    twice += twice;
    *r_data = TH_CONVERT_ACCREAL_TO_REAL(TH_CONVERT_REAL_TO_ACCREAL(*a_data) + twice);
  });
}

/* Numbers the elements along dimension dim. */
static void Outside_(number)(THTensor *r, THTensor *also, THTensor *third, int dim)
{
  TH_TENSOR_APPLY_D(real, r, dim, *r_data = TH_CONVERT_ACCREAL_TO_REAL((accreal)*r_dimOffset););
  TH_TENSOR_APPLY2_D(real, also, real, r, dim, *also_data = *r_data;);
  TH_TENSOR_APPLY3_D(real, third, real, r, real, also, dim, {
    THAssert(*third_dimOffset == *r_dimOffset);
    THAssert(memcmp(r_data, also_data, sizeof(real)) == 0);
    *third_data = *r_data;
  });
}

static void Outside_(threaded)(THTensor *r, THTensor *a, THTensor *b)
{
  const ptrdiff_t count = THTensor_(nElement)(r);
  int64_t sum = 0;
  TH_TENSOR_APPLY2_OMP(count, THTensor_(isContiguous)(r), THTensor_(isContiguous)(a), real, r, real,
                       a, *r_data = *a_data;);
  TH_TENSOR_APPLY3_OMP(count, 0, 0, 0, real, r, real, a, real, b,
                       *r_data = r_data == a_data ? *a_data : *b_data;);
  TH_TENSOR_APPLY_REDUCTION_OMP(real, r, + : sum, sum += r_data != NULL;);
  THAssert(sum == count);
  TH_TENSOR_APPLY_CONTIG(real, r, memset(r_data, 0, sizeof(real) * (size_t)r_len););
  TH_TENSOR_APPLY2_CONTIG(real, r, real, b, memcpy(r_data, b_data, sizeof(real) * (size_t)b_len););
  TH_TENSOR_APPLY3_CONTIG(real, r, real, a, real, b, {
    for (ptrdiff_t i = 0; i < r_len; i++)
      r_data[i] = i % 2 ? a_data[i] : b_data[i];
  });
}

/* Each slice of r along dim becomes the sum of the slices of t up to it. */
static void Outside_(cumulate)(THTensor *r, THTensor *t, int dim)
{
  TH_TENSOR_DIM_APPLY2(
      real, t, real, r, dim, accreal sum = 0; for (int64_t i = 0; i < t_size; i++) {
        sum += TH_CONVERT_REAL_TO_ACCREAL(t_data[i * t_stride]);
        r_data[i * r_stride] = TH_CONVERT_ACCREAL_TO_REAL(sum);
      });
  int slices = 0;
  TH_TENSOR_DIM_APPLY(real, r, dim, THAssert(r_size == r->size[dim]); slices++;);
#ifdef TH_COMPAT_TORCH7
  THLongTensor *index = THLongTensor_newWithSize2d(t->size[0], t->size[1]);
  TH_TENSOR_DIM_APPLY3(real, t, real, r, int64_t, index, dim, *index_data = 0; slices--;);
#else
  THLongTensor *index = THLongTensor_newWithSize2d(t->size[0], t->size[1]);
  TH_TENSOR_DIM_APPLY3(real, t, real, r, int64_t, index, dim,
                       TH_TENSOR_DIM_APPLY3_SIZE_EQ_EXCEPT_DIM, *index_data = 0;
                       slices--;);
#endif
  THLongTensor_free(index);
  THAssertMsg(slices == 0, "%d slices too many", slices);
}

/* --- all together --------------------------------------------------------------------------- */

static real Outside_(real)(int value)
{
  return TH_CONVERT_ACCREAL_TO_REAL((accreal)value);
}

static int Outside_(equals)(real value, int expected)
{
  return TH_CONVERT_REAL_TO_ACCREAL(value) == (accreal)expected;
}

static void Outside_(run)(void)
{
  THTensor *a = THTensor_(newWithSize2d)(3, 4), *r = THTensor_(newWithSize2d)(3, 4);
  THTensor *turned = THTensor_(newTranspose)(a, 0, 1), *line = THTensor_(newWithSize1d)(12);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 4; j++)
      THTensor_fastSet2d(a, i, j, Outside_(real)(4 * i + j));
  THAssert(Outside_(sum)(a) == 66 && Outside_(sum)(turned) == 66);
  THAssert(Outside_(find)(a, 7) == 7 && Outside_(find)(turned, 7) == 3 * 3 + 1);
  THAssert(Outside_(find)(a, 99) == -1);

  Outside_(combine)(line, a, turned); /* line = a + 2 * turned, both read in row-major order */
  for (int k = 0; k < 12; k++)
    THAssert(Outside_(equals)(THTensor_fastGet1d(line, k), k + 2 * (k % 3 * 4 + k / 3)));

  THTensor *also = THTensor_(newWithSize2d)(3, 4), *third = THTensor_(newWithSize2d)(3, 4);
  for (int dim = 0; dim < 2; dim++) {
    Outside_(number)(r, also, third, dim);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 4; j++)
        THAssert(Outside_(equals)(THTensor_fastGet2d(third, i, j), dim ? j : i));
  }
  Outside_(threaded)(r, also, a);
  Outside_(cumulate)(r, a, 1);
  THAssert(Outside_(equals)(THTensor_fastGet2d(r, 2, 3), 8 + 9 + 10 + 11));

  THStorage *s = THTensor_(storage)(r);
  TH_STORAGE_SET(s, 1, Outside_(real)(77));
  THAssert(Outside_(equals)(TH_STORAGE_GET(s, 1), 77));
  THAssert(s->flag == (TH_STORAGE_REFCOUNTED | TH_STORAGE_RESIZABLE | TH_STORAGE_FREEMEM));
  THAssert(!(s->flag & TH_STORAGE_VIEW) && (r->flag & TH_TENSOR_REFCOUNTED));

  /* Five dimensions, all of whose elements are the same one. */
  int64_t size[] = {2, 3, 1, 2, 2}, stride[] = {0, 0, 0, 0, 0};
  THTensor_(setStorageNd)(r, s, 1, 5, size, stride);
  THAssert(Outside_(equals)(THTensor_fastGet5d(r, 1, 2, 0, 1, 1), 77));
  THTensor_fastSet5d(r, 0, 1, 0, 0, 1, Outside_(real)(78));
  THTensor_(resize4d)(also, 2, 1, 3, 2);
  THTensor_fastSet4d(also, 1, 0, 2, 1, THTensor_fastGet5d(r, 0, 0, 0, 0, 0));
  THAssert(Outside_(equals)(THTensor_fastGet4d(also, 1, 0, 2, 1), 78));
  THTensor_(resize3d)(also, 2, 3, 2);
  THTensor_fastSet3d(also, 0, 0, 0, THTensor_fastGet3d(also, 1, 2, 1));
  THAssert(Outside_(equals)(THTensor_fastGet3d(also, 0, 0, 0), 78));
  THTensor_fastSet1d(line, 0, THTensor_fastGet3d(also, 0, 0, 0));

  THTensor *const tensors[] = {a, r, turned, line, also, third};
  for (int i = 0; i < 6; i++)
    THTensor_(free)(tensors[i]);
}

/* Raises the error number which, from inside a loop where that matters. */
static void Outside_(fail)(int which)
{
  THTensor *t = THTensor_(newWithSize2d)(3, 4), *u = THTensor_(newWithSize1d)(11);
  /* Freed when the error is raised, before it goes where the handler sends it. */
  THGuard ofT, ofU;
  THGuard_enter(&ofT, (THUndo)THTensor_(free));
  ofT.what = t;
  THGuard_enter(&ofU, (THUndo)THTensor_(free));
  ofU.what = u;
  switch (which) {
    case 0:
      TH_TENSOR_APPLY(real, t, if (t_i == 5) THError("from inside, element %d", (int)t_i););
      break;
    case 1:
      TH_TENSOR_APPLY2(real, t, real, u, *t_data = *u_data;);
      break;
    case 2:
      TH_TENSOR_DIM_APPLY(real, t, 2, *t_data = t_data[t_stride];);
      break;
    case 3:
      THArgCheck(t->nDimension == 3, 2, "%d dimensions", t->nDimension);
      break;
    case 4:
      THArgCheckWithCleanup(u->nDimension == 3, THCleanup(cleanups++, cleanups++;), 1, "cleaned");
      break;
    case 5:
      THAssertMsg(u->size[0] == 12, "size is %d", (int)u->size[0]);
      break;
    default:
      THArgError(3, "number %d", which);
  }
}

#undef Outside_
#endif

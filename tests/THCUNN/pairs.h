/* Tensors on the device and, with the same values, on the host in double precision; and functions of
 * THCUNN against those of THNN.  Included by templates, after THTemplate.h. */
#include "../THC/thc_test.h"

#if defined(TH_REAL_IS_HALF)
static const double tolerance = 4e-3;
#elif defined(TH_REAL_IS_DOUBLE)
static const double tolerance = 1e-12;
#else
static const double tolerance = 1e-5;
#endif

#define DEVICE(NAME) THNN_(NAME)
#define HOST(NAME)   THNN_Double##NAME

/* One tensor: on the device in some layout, and in double precision. */
typedef struct {
  THCTensor *d;
  THDoubleTensor *w;
} THTest_(Pair);
#define Pair THTest_(Pair)

TH_UNUSED static Pair THTest_(pair)(int layout, uint64_t seed, int dims, const int64_t *size)
{
  Pair pair = {NULL, THDoubleTensor_new()};
  THTensor *t = THTest_(tensor)(layout, seed, dims, size);
  THLongStorage *shape = THTensor_(newSizeOf)(t);
  THDoubleTensor_resize(pair.w, shape, NULL);
  THLongStorage_free(shape);
  TH_CONCAT_2(THDoubleTensor_copy, Real)(pair.w, t);
  pair.d = THCTest_(upload)(t);
  THTensor_(free)(t);
  return pair;
}

TH_UNUSED static Pair THTest_(nothing)(void)
{
  return (Pair){THCTensor_(new)(thc_state()), THDoubleTensor_new()};
}

TH_UNUSED static void THTest_(freePairs)(int count, Pair **pairs)
{
  for (int i = 0; i < count; i++) {
    THCTensor_(free)(thc_state(), pairs[i]->d);
    THDoubleTensor_free(pairs[i]->w);
  }
}
#define FREE(...)                                                             \
  THTest_(freePairs)((int)(sizeof((Pair *[]){__VA_ARGS__}) / sizeof(Pair *)), \
                     (Pair *[]){__VA_ARGS__})

/* Checks that both tensors of a pair have the same shape and the same numbers, to within the tolerance times
 * the largest. */
TH_UNUSED static void THTest_(same)(const char *what, Pair pair)
{
  THTensor *got = THCTest_(twin)(pair.d);
  THDoubleTensor *want = THDoubleTensor_newContiguous(pair.w);
  th_note("%s", what);
  CHECK(THSize_isSameSizeAs(got->size, got->nDimension, want->size, want->nDimension));
  double most = 1;
  for (ptrdiff_t i = 0; i < THTest_(count)(got); i++)
    most = fmax(most, fabs(THDoubleTensor_data(want)[i]));
  for (ptrdiff_t i = 0; i < THTest_(count)(got); i++)
    CHECK_NEAR((double)TH_CONVERT_REAL_TO_ACCREAL(*THTest_(at)(got, i)),
               THDoubleTensor_data(want)[i], tolerance * most);
  THTensor_(free)(got);
  THDoubleTensor_free(want);
}

#define BOTH(NAME, DEVICE_ARGUMENTS, HOST_ARGUMENTS) \
  do {                                               \
    DEVICE(NAME) DEVICE_ARGUMENTS;                   \
    HOST(NAME) HOST_ARGUMENTS;                       \
  } while (0)

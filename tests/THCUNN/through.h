/* Runs the tests of THNN's layers on a device: TH_TEMPLATE_DEVICE of their stubs, read by
 * THTemplate.h.
 *
 * THNN_(name)(NULL, tensors, ...) becomes a call of THCUNN's function.  Its tensors of the host are
 * copied to the device with their storages, offsets and strides, so that tensors that share memory on the
 * host share it on the device.  Afterwards the results are copied back.  After an error nothing is copied
 * back, and the device's tensors must be unchanged.  Half is float on the host. */
#include "THC.h"
#include "THNN/THNN.h"

#include "THCUNN/layer/THCUNN2018.h"
#include "th_fail.h"

#ifdef TH_INSTANTIATE_Double
#include "TH/types/Double.h"
#else
#include "TH/types/Float.h"
#endif
#ifdef TH_INSTANTIATE_Half
#define CReal           CudaHalf
#define TH_TEST_TYPE    "Half"
#define LAYER_TOLERANCE 2e-2
#include "th_test.h"
#undef CHECK_EQ /* what was computed is rounded */
#define CHECK_EQ(A, B)                                                          \
  do {                                                                          \
    const double got_ = (double)(A), want_ = (double)(B);                       \
    CHECK(fabs(got_ - want_) <= 4e-3 * fmax(1, fabs(want_)) || got_ == want_ || \
          (got_ != got_ && want_ != want_));                                    \
  } while (0)
#endif

#include "../THC/thc_test.h"

enum { THROUGH_MOST = 16 }; /* tensors, or storages, of a call */

#ifdef TH_INSTANTIATE_Half
#define THROUGH_UP(TO, FROM)   ((TO) = TH_float2half(FROM))
#define THROUGH_DOWN(TO, FROM) ((TO) = TH_half2float(FROM))
#else
#define THROUGH_UP(TO, FROM)   ((TO) = (FROM))
#define THROUGH_DOWN(TO, FROM) ((TO) = (FROM))
#endif
#define HostTensor     THTensor
#define HostStorage    THStorage
#define Host_(NAME)    THTensor_(NAME)
#define HostS_(NAME)   THStorage_(NAME)
#define There          THCTensor
#define ThereStorage   THCStorage
#define There_(NAME)   THCTensor_(NAME)
#define ThereS_(NAME)  THCStorage_(NAME)
#define Through_(NAME) through_##NAME
#include "through_tensors.h"

#undef THROUGH_UP
#undef THROUGH_DOWN
#define THROUGH_UP(TO, FROM)   ((TO) = (FROM))
#define THROUGH_DOWN(TO, FROM) ((TO) = (FROM))
#define HostTensor             THLongTensor
#define HostStorage            THLongStorage
#define Host_(NAME)            THLongTensor_##NAME
#define HostS_(NAME)           THLongStorage_##NAME
#define There                  THCudaLongTensor
#define ThereStorage           THCudaLongStorage
#define There_(NAME)           THCudaLongTensor_##NAME
#define ThereS_(NAME)          THCudaLongStorage_##NAME
#define Through_(NAME)         through_index_##NAME
#include "through_tensors.h"

/* --- calls ----------------------------------------------------------------------------------- */

static struct {
  int ended;
  THTry attempt;
} through;

static void through_begin(void)
{
  thc_state();
  THCCachingAllocator_setCaching(0); /* so that all that is acquired can fail */
  through.ended = 0;
}

static void through_end(void)
{
  through.ended = 1;
  th_fail_pause(1);
  if (through.attempt.failed) {
    through_unchanged();
    through_index_unchanged();
  } else {
    through_download();
    through_index_download();
  }
  through_forget();
  through_index_forget();
  th_fail_pause(0);
  if (through.attempt.failed && through.attempt.argument)
    THArgError(through.attempt.argument, "%s", through.attempt.message);
  if (through.attempt.failed)
    THError("%s", through.attempt.message);
}

/* Between setjmp and a second return of it, gcc takes what is freed later for freed already. */
#pragma GCC diagnostic ignored "-Wuse-after-free"

/* A statement: the name becomes the beginning of a loop of one round, and its arguments follow.
 * (TH_TRY, but without an if, which would take an else that follows.) */
#undef THNN_
#define THNN_(NAME)                                                    \
  for (through_begin(); !through.ended; through_end())                 \
    for (THTry_enter(&through.attempt); through.attempt.running;)      \
      switch (_setjmp(through.attempt.home))                           \
      case 0:                                                          \
        for (; through.attempt.running; THTry_leave(&through.attempt)) \
        TH_CONCAT_3(THNN_, CReal, NAME) THROUGH

#define THROUGH(STATE, ...) (thc_state(), THROUGH_EACH(__VA_ARGS__))

#define THERE(X)                                                            \
  _Generic((X),                                                             \
      THTensor *: through_upload((THTensor *)(uintptr_t)(X)),               \
      THLongTensor *: through_index_upload((THLongTensor *)(uintptr_t)(X)), \
      default: (X))

#define THROUGH_EACH(...)                                                                        \
  TH_CONCAT_2(THROUGH_,                                                                          \
              THROUGH_COUNT(__VA_ARGS__, 28, 27, 26, 25, 24, 23, 22, 21, 20, 19, 18, 17, 16, 15, \
                            14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0))(__VA_ARGS__)
#define THROUGH_COUNT(_1, _2, _3, _4, _5, _6, _7, _8, _9, _10, _11, _12, _13, _14, _15, _16, _17, \
                      _18, _19, _20, _21, _22, _23, _24, _25, _26, _27, _28, COUNT, ...)          \
  COUNT
#define THROUGH_1(X)       THERE(X)
#define THROUGH_2(X, ...)  THERE(X), THROUGH_1(__VA_ARGS__)
#define THROUGH_3(X, ...)  THERE(X), THROUGH_2(__VA_ARGS__)
#define THROUGH_4(X, ...)  THERE(X), THROUGH_3(__VA_ARGS__)
#define THROUGH_5(X, ...)  THERE(X), THROUGH_4(__VA_ARGS__)
#define THROUGH_6(X, ...)  THERE(X), THROUGH_5(__VA_ARGS__)
#define THROUGH_7(X, ...)  THERE(X), THROUGH_6(__VA_ARGS__)
#define THROUGH_8(X, ...)  THERE(X), THROUGH_7(__VA_ARGS__)
#define THROUGH_9(X, ...)  THERE(X), THROUGH_8(__VA_ARGS__)
#define THROUGH_10(X, ...) THERE(X), THROUGH_9(__VA_ARGS__)
#define THROUGH_11(X, ...) THERE(X), THROUGH_10(__VA_ARGS__)
#define THROUGH_12(X, ...) THERE(X), THROUGH_11(__VA_ARGS__)
#define THROUGH_13(X, ...) THERE(X), THROUGH_12(__VA_ARGS__)
#define THROUGH_14(X, ...) THERE(X), THROUGH_13(__VA_ARGS__)
#define THROUGH_15(X, ...) THERE(X), THROUGH_14(__VA_ARGS__)
#define THROUGH_16(X, ...) THERE(X), THROUGH_15(__VA_ARGS__)
#define THROUGH_17(X, ...) THERE(X), THROUGH_16(__VA_ARGS__)
#define THROUGH_18(X, ...) THERE(X), THROUGH_17(__VA_ARGS__)
#define THROUGH_19(X, ...) THERE(X), THROUGH_18(__VA_ARGS__)
#define THROUGH_20(X, ...) THERE(X), THROUGH_19(__VA_ARGS__)
#define THROUGH_21(X, ...) THERE(X), THROUGH_20(__VA_ARGS__)
#define THROUGH_22(X, ...) THERE(X), THROUGH_21(__VA_ARGS__)
#define THROUGH_23(X, ...) THERE(X), THROUGH_22(__VA_ARGS__)
#define THROUGH_24(X, ...) THERE(X), THROUGH_23(__VA_ARGS__)
#define THROUGH_25(X, ...) THERE(X), THROUGH_24(__VA_ARGS__)
#define THROUGH_26(X, ...) THERE(X), THROUGH_25(__VA_ARGS__)
#define THROUGH_27(X, ...) THERE(X), THROUGH_26(__VA_ARGS__)
#define THROUGH_28(X, ...) THERE(X), THROUGH_27(__VA_ARGS__)

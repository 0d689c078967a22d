/* The pointwise operations when memory runs out: a few rows for each of the table ops/pointwise.h,
 * with a result that has to grow, and with one that lies across an input, which is copied aside. */
#include "THTemplate.h"

#include "th_faults.h"

typedef struct Operands {
  THTensor *x, *y, *across; /* 40 x 3; across is the memory of x as 3 x 40 */
  THTensor *r;              /* 2 x 2, to be resized */
  THByteTensor *bytes;      /* 2 x 2 */
} Operands;

static void set_up(Operands *o)
{
  o->x = THTest_(tensor)(TH_TRANSPOSED, 4, TH_SHAPE(40, 3));
  o->y = THTest_(tensor)(TH_STRIDED, 5, TH_SHAPE(40, 3));
  o->across = THTensor_(newTranspose)(o->x, 0, 1);
  o->r = THTest_(tensor)(TH_CONTIGUOUS, 6, TH_SHAPE(2, 2));
  o->bytes = THByteTensor_newWithSize2d(2, 2);
  memset(o->bytes->storage->data, 7, 4);
  WATCH(o->x);
  WATCH(o->y);
  WATCH(o->across);
  WATCH(o->r);
  WATCH(o->bytes);
}

static void tear_down(Operands *o)
{
  THTensor_(free)(o->x);
  THTensor_(free)(o->y);
  THTensor_(free)(o->across);
  THTensor_(free)(o->r);
  THByteTensor_free(o->bytes);
}

/* What becomes of the rows of each set of types. */
#define NONE(...)
#define ROW_ALL      FAULT
#define ROW_BUT_HALF FAULT
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define ROW_FLOAT   FAULT
#define ROW_SIGNED  FAULT
#define ROW_INTEGER RAISES
#else
#define ROW_FLOAT   NONE
#define ROW_INTEGER FAULT
#if defined(TH_REAL_IS_BYTE) || defined(TH_REAL_IS_CHAR)
#define ROW_SIGNED NONE
#else
#define ROW_SIGNED FAULT
#endif
#endif

#define FILL(TYPES, COST, NAME, ...) CALM(NAME, THTensor_(NAME)(o->r, v))
#define UNARY(TYPES, COST, NAME, ...)            \
  ROW_##TYPES(NAME, THTensor_(NAME)(o->r, o->x)) \
      ROW_##TYPES(NAME##Across, THTensor_(NAME)(o->x, o->across))
#define SCALAR(TYPES, COST, NAME, ...)              \
  ROW_##TYPES(NAME, THTensor_(NAME)(o->r, o->x, v)) \
      ROW_##TYPES(NAME##Across, THTensor_(NAME)(o->x, o->across, v))
#define SCALARS(TYPES, COST, NAME, ...)                \
  ROW_##TYPES(NAME, THTensor_(NAME)(o->r, o->x, v, v)) \
      ROW_##TYPES(NAME##Across, THTensor_(NAME)(o->x, o->across, v, v))
#define BASE(TYPES, COST, NAME, ...)                \
  ROW_##TYPES(NAME, THTensor_(NAME)(o->r, v, o->x)) \
      ROW_##TYPES(NAME##Across, THTensor_(NAME)(o->x, v, o->across))
#define ORDER(TYPES, COST, NAME, ...)               \
  ROW_##TYPES(NAME, THTensor_(NAME)(o->r, 1, o->x)) \
      ROW_##TYPES(NAME##Across, THTensor_(NAME)(o->x, 1, o->across))
#define BINARY(TYPES, COST, NAME, ...)                 \
  ROW_##TYPES(NAME, THTensor_(NAME)(o->r, o->x, o->y)) \
      ROW_##TYPES(NAME##Across, THTensor_(NAME)(o->x, o->across, o->across))
#define SCALED(TYPES, COST, NAME, ...)                    \
  ROW_##TYPES(NAME, THTensor_(NAME)(o->r, o->x, v, o->y)) \
      ROW_##TYPES(NAME##Across, THTensor_(NAME)(o->x, o->x, v, o->across))
#define WEIGHTED(TYPES, COST, NAME, ...)                  \
  ROW_##TYPES(NAME, THTensor_(NAME)(o->r, o->x, o->y, v)) \
      ROW_##TYPES(NAME##Across, THTensor_(NAME)(o->x, o->across, o->y, v))
#define TERNARY(TYPES, COST, NAME, ...)                         \
  ROW_##TYPES(NAME, THTensor_(NAME)(o->r, o->x, v, o->y, o->y)) \
      ROW_##TYPES(NAME##Across, THTensor_(NAME)(o->x, o->across, v, o->across, o->y))
#define COMPARE_VALUE(TYPES, COST, NAME, ...) ROW_##TYPES(NAME, THTensor_(NAME)(o->bytes, o->x, v))
#define COMPARE_VALUE_T(TYPES, COST, NAME, ...)     \
  ROW_##TYPES(NAME, THTensor_(NAME)(o->r, o->x, v)) \
      ROW_##TYPES(NAME##Across, THTensor_(NAME)(o->x, o->across, v))
#define COMPARE_TENSOR(TYPES, COST, NAME, ...) \
  ROW_##TYPES(NAME, THTensor_(NAME)(o->bytes, o->x, o->y))
#define COMPARE_TENSOR_T(TYPES, COST, NAME, ...)       \
  ROW_##TYPES(NAME, THTensor_(NAME)(o->r, o->x, o->y)) \
      ROW_##TYPES(NAME##Across, THTensor_(NAME)(o->x, o->across, o->y))
#include "src/ops/pointwise.h"

CALM(zero, THTensor_(zero)(o->r))
CALM(inPlace, THTensor_(cadd)(o->x, o->x, v, o->y))
RAISES(otherSize, THTensor_(cadd)(o->x, o->x, v, o->r))

TH_FAULT_TESTS(pointwiseFaults)

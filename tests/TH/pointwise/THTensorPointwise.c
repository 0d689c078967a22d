/* Every exact pointwise operation against arithmetic written down once more, on every layout;
 * in place; with operands that overlap; and the errors.  THVectorMath.c tests exp and its like. */
#include "THTemplate.h"

#include "th_layouts.h"

/* --- what is expected ------------------------------------------------------------------------ */

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define IS_FLOATING 1
typedef real wide; /* every step rounded, as the operations round it */
#else
#define IS_FLOATING 0
typedef __int128 wide; /* nothing overflows: the low bits are the wrapped result */
#endif

static wide want_divide(wide x, wide y)
{
  return x / y;
}

/* A product is what C makes of it: narrow integers are multiplied in int. */
#define WANT_QUOTIENT(PRODUCT, Z) want_divide((__typeof__(+(real)0))(PRODUCT), Z)

static wide want_fmod(wide x, wide y)
{
#if IS_FLOATING
  return (real)fmodl(x, y);
#else
  return x % y;
#endif
}

static wide want_remainder(wide x, wide y)
{
  const wide m = want_fmod(x, y);
  return m != 0 && (m < 0) != (y < 0) ? m + y : m;
}

/* x 2^y, rounded down.  Torch7 fills with 0 from the left. */
static wide want_shift(wide x, wide y, int left)
{
#if IS_FLOATING
  return left ? x * (real)powl(2, y) : x / (real)powl(2, y);
#else
#ifdef TH_COMPAT_TORCH7
  if (!left && x < 0)
    x += (wide)1 << 8 * sizeof(real);
#endif
  if (y < 0 || y >= (wide)(8 * sizeof(real)))
    return left || x >= 0 ? 0 : -1;
  for (; y > 0; y--)
    x = left ? 2 * x : (x - ((x % 2 + 2) % 2)) / 2;
  return x;
#endif
}

#if !IS_FLOATING
static wide want_power(wide x, wide y)
{
  if (y < 0)
    return x == 1 ? 1 : x == -1 ? (y % 2 ? -1 : 1) : 0;
  wide p = 1;
  for (; y > 0; y--)
    p = (real)(p * x);
  return p;
}
#endif

/* --- the operations -------------------------------------------------------------------------- */

typedef enum {
  UNARY,
  SCALAR,
  SCALARS,
  BINARY,
  SCALED,
  WEIGHTED,
  TERNARY,
  VALUE_BYTE,
  TENSOR_BYTE
} Kind;

static const int inputs_of[] = {1, 1, 1, 2, 2, 2, 3, 1, 2};

typedef void (*Any)(void);
typedef struct {
  const char *name;
  Kind kind;
  Any function;
  wide (*want)(wide x, wide y, wide z, wide a, wide b);
} Operation;

/* clang-format off */
/* X(kind, name, expression) */
#define EVERY_TYPE(X)                                                                          \
  X(UNARY, neg, -x)                                                                            \
  X(UNARY, sign, x > 0 ? 1 : x < 0 ? -1 : 0)                                                   \
  X(SCALAR, add, x + a)                                                                        \
  X(SCALAR, sub, x - a)                                                                        \
  X(SCALARS, add_scaled, x + (wide)(a * b))                                                    \
  X(SCALARS, sub_scaled, x - (wide)(a * b))                                                    \
  X(SCALAR, mul, x * a)                                                                        \
  X(SCALAR, div, want_divide(x, a))                                                            \
  X(SCALAR, fmod, want_fmod(x, a))                                                             \
  X(SCALAR, remainder, want_remainder(x, a))                                                   \
  X(SCALAR, lshift, want_shift(x, a, 1))                                                       \
  X(SCALAR, rshift, want_shift(x, a, 0))                                                       \
  X(SCALAR, cmaxValue, x < a ? a : x)                                                          \
  X(SCALAR, cminValue, x < a ? x : a)                                                          \
  X(SCALARS, clamp, (x < a ? a : x) < b ? (x < a ? a : x) : b)                                 \
  X(SCALED, cadd, x + (wide)(a * y))                                                           \
  X(SCALED, csub, x - (wide)(a * y))                                                           \
  X(BINARY, cmul, x * y)                                                                       \
  X(BINARY, cdiv, want_divide(x, y))                                                           \
  X(BINARY, cfmod, want_fmod(x, y))                                                            \
  X(BINARY, cremainder, want_remainder(x, y))                                                  \
  X(BINARY, clshift, want_shift(x, y, 1))                                                      \
  X(BINARY, crshift, want_shift(x, y, 0))                                                      \
  X(BINARY, cmax, x < y ? y : x)                                                               \
  X(BINARY, cmin, x < y ? x : y)                                                               \
  X(TERNARY, addcmul, x + (wide)((wide)(a * y) * z))                                           \
  X(TERNARY, addcdiv, x + WANT_QUOTIENT(a * y, z))                                       \
  X(VALUE_BYTE, ltValue, x < a)                                                                \
  X(VALUE_BYTE, leValue, x <= a)                                                               \
  X(VALUE_BYTE, gtValue, x > a)                                                                \
  X(VALUE_BYTE, geValue, x >= a) X(VALUE_BYTE, neValue, x != a) X(VALUE_BYTE, eqValue, x == a) \
      X(SCALAR, ltValueT, x < a) X(SCALAR, leValueT, x <= a) X(SCALAR, gtValueT, x > a)        \
          X(SCALAR, geValueT, x >= a) X(SCALAR, neValueT, x != a) X(SCALAR, eqValueT, x == a)  \
              X(TENSOR_BYTE, ltTensor, x < y) X(TENSOR_BYTE, leTensor, x <= y)                 \
                  X(TENSOR_BYTE, gtTensor, x > y) X(TENSOR_BYTE, geTensor, x >= y)             \
                      X(TENSOR_BYTE, neTensor, x != y) X(TENSOR_BYTE, eqTensor, x == y)        \
                          X(BINARY, ltTensorT, x < y) X(BINARY, leTensorT, x <= y)             \
                              X(BINARY, gtTensorT, x > y) X(BINARY, geTensorT, x >= y)         \
                                  X(BINARY, neTensorT, x != y) X(BINARY, eqTensorT, x == y)

#if IS_FLOATING
#ifdef TH_COMPAT_TORCH7
#define NEAREST roundl
#else
#define NEAREST rintl
#endif
#define SOME_TYPES(X)                 \
  X(UNARY, abs, x < 0 ? -x : x)       \
  X(UNARY, cinv, 1 / x)               \
  X(UNARY, sqrt, (real)sqrt(x))       \
  X(UNARY, rsqrt, 1 / (real)sqrt(x))  \
  X(UNARY, ceil, (real)ceill(x))      \
  X(UNARY, floor, (real)floorl(x))    \
  X(UNARY, round, (real)NEAREST(x))   \
  X(UNARY, trunc, (real)truncl(x))    \
  X(UNARY, frac, x - (real)truncl(x)) \
  X(WEIGHTED, lerp,                   \
    a < (real)0.5 ? x + (real)(a * (real)(y - x)) : y - (real)((real)(y - x) * (real)(1 - a)))
#else
#define SOME_INTEGER_TYPES(X)           \
  X(SCALAR, bitand, (real)x &(real)a)   \
  X(SCALAR, bitor, (real)x | (real)a)   \
  X(SCALAR, bitxor, (real)x ^ (real)a)  \
  X(BINARY, cbitand, (real)x &(real)y)  \
  X(BINARY, cbitor, (real)x | (real)y)  \
  X(BINARY, cbitxor, (real)x ^ (real)y) \
  X(BINARY, cpow, want_power(x, y))
#if defined(TH_REAL_IS_BYTE) || defined(TH_REAL_IS_CHAR)
#define SOME_TYPES(X) SOME_INTEGER_TYPES(X)
#else
#define SOME_TYPES(X) SOME_INTEGER_TYPES(X) X(UNARY, abs, x < 0 ? -x : x)
#endif
#endif

/* clang-format on */

#define WANT(KIND, NAME, ...)                                        \
  static wide want_of_##NAME(wide x, wide y, wide z, wide a, wide b) \
  {                                                                  \
    return (wide)(__VA_ARGS__);                                      \
  }
EVERY_TYPE(WANT)
SOME_TYPES(WANT)

#define LIST(KIND, NAME, ...) {#NAME, KIND, (Any)THTensor_(NAME), want_of_##NAME},
static const Operation operations[] = {EVERY_TYPE(LIST) SOME_TYPES(LIST)};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static void apply(const Operation *op, void *r, THTensor *x, THTensor *y, THTensor *z, real a,
                  real b)
{
  switch (op->kind) {
    case UNARY:
      ((void (*)(THTensor *, THTensor *))op->function)(r, x);
      break;
    case SCALAR:
      ((void (*)(THTensor *, THTensor *, real))op->function)(r, x, a);
      break;
    case SCALARS:
      ((void (*)(THTensor *, THTensor *, real, real))op->function)(r, x, a, b);
      break;
    case BINARY:
      ((void (*)(THTensor *, THTensor *, THTensor *))op->function)(r, x, y);
      break;
    case SCALED:
      ((void (*)(THTensor *, THTensor *, real, THTensor *))op->function)(r, x, a, y);
      break;
    case WEIGHTED:
      ((void (*)(THTensor *, THTensor *, THTensor *, real))op->function)(r, x, y, a);
      break;
    case TERNARY:
      ((void (*)(THTensor *, THTensor *, real, THTensor *, THTensor *))op->function)(r, x, a, y, z);
      break;
    case VALUE_BYTE:
      ((void (*)(THByteTensor *, THTensor *, real))op->function)(r, x, a);
      break;
    case TENSOR_BYTE:
      ((void (*)(THByteTensor *, THTensor *, THTensor *))op->function)(r, x, y);
      break;
  }
}

static int gives_bytes(const Operation *op)
{
  return op->kind == VALUE_BYTE || op->kind == TENSOR_BYTE;
}

/* --- the values ------------------------------------------------------------------------------ */

static real scalar_a(const Operation *op)
{
  if (strstr(op->name, "shift"))
    return 3;
#if IS_FLOATING
  return strcmp(op->name, "lerp") ? (real)2.385 : (real)0.385;
#elif defined(TH_REAL_IS_BYTE)
  return 7;
#else
  return -7;
#endif
}

static const real scalar_b = 11;

/* The inputs' values in row-major order, and the results'. */
typedef struct {
  ptrdiff_t count;
  real *in[3], *want;
} Values;

/* Shifts, powers want small numbers in y. */
static void make_small(THTensor *t)
{
  for (ptrdiff_t i = 0; t->storage && i < t->storage->size; i++)
    t->storage->data[i] = (real)((int64_t)t->storage->data[i] % 9);
}

static int wants_small(const Operation *op)
{
  return strstr(op->name, "shift") || strstr(op->name, "cpow");
}

static Values expect(const Operation *op, THTensor *const in[])
{
  Values v = {THTest_(count)(in[0])};
  for (int i = 0; i < inputs_of[op->kind]; i++)
    v.in[i] = THTest_(values)(in[i]);
  v.want = malloc((size_t)(v.count + 1) * sizeof(real));
  for (ptrdiff_t i = 0; i < v.count; i++)
    v.want[i] = (real)op->want(v.in[0][i], v.in[1] ? v.in[1][i] : 0, v.in[2] ? v.in[2][i] : 0,
                               scalar_a(op), scalar_b);
  return v;
}

static void free_values(Values *v)
{
  for (int i = 0; i < 3; i++)
    free(v->in[i]);
  free(v->want);
}

static void check_result(const Operation *op, const void *result, const Values *v,
                         const THTensor *like)
{
  if (gives_bytes(op)) {
    const THByteTensor *r = result;
    CHECK(THByteTensor_nElement(r) == v->count);
    for (ptrdiff_t i = 0; i < v->count; i++) {
      uint8_t *at = r->storage->data + r->storageOffset;
      ptrdiff_t rest = i;
      for (int d = r->nDimension - 1; d >= 0; d--) {
        at += rest % r->size[d] * r->stride[d];
        rest /= r->size[d];
      }
      CHECK_EQ(*at, (uint8_t)v->want[i]);
    }
  } else {
    const THTensor *r = result;
    CHECK(THTensor_(isSameSizeAs)(r, like));
    CHECK_VALUES(r, v->want);
  }
}

static void make_inputs(const Operation *op, THTensor *in[], int layout, int others)
{
  in[0] = THTest_(tensor)(layout, 2, TH_SHAPE(7, 5, 3));
  in[1] = THTest_(tensor)(others, 9, TH_SHAPE(7, 5, 3));
  in[2] = THTest_(tensor)(others == TH_EMPTY || others == TH_ONE ? others : TH_TRANSPOSED, 4,
                          TH_SHAPE(7, 5, 3));
  if (wants_small(op))
    make_small(in[1]);
}

static void free_inputs(THTensor *in[])
{
  for (int i = 0; i < 3; i++)
    THTensor_(free)(in[i]);
}

/* --- tests ----------------------------------------------------------------------------------- */

/* Every layout of the first input with every layout of the others, into a new tensor. */
static void THTest_(pointwiseLayouts)(void)
{
  for (int o = 0; o < OPERATIONS; o++) {
    const Operation *op = &operations[o];
    for (int layout = 0; layout < TH_LAYOUTS; layout++)
      for (int others = 0; others < TH_LAYOUTS; others++) {
        if (!th_layouts_agree(layout, others) ||
            (inputs_of[op->kind] == 1 && others != layout && others != TH_CONTIGUOUS))
          continue;
        th_note("%s of %s and %s", op->name, th_layout_names[layout], th_layout_names[others]);
        THTensor *in[3];
        make_inputs(op, in, layout, others);
        Values v = expect(op, in);
        void *r = gives_bytes(op) ? (void *)THByteTensor_new() : (void *)THTensor_(new)();
        apply(op, r, in[0], in[1], in[2], scalar_a(op), scalar_b);
        check_result(op, r, &v, in[0]);
        for (int i = 0; i < inputs_of[op->kind]; i++)
          CHECK_VALUES(in[i], v.in[i]);
        if (gives_bytes(op))
          THByteTensor_free(r);
        else
          THTensor_(free)(r);
        free_values(&v);
        free_inputs(in);
      }
  }
}

/* Into a result of the right shape in every layout: memory next to its elements does not change. */
static void THTest_(pointwiseResults)(void)
{
  for (int o = 0; o < OPERATIONS; o++)
    for (int layout = 0; layout < TH_LAYOUTS; layout++) {
      const Operation *op = &operations[o];
      if (gives_bytes(op) || !th_layout_keeps_shape(layout) || !th_layout_is_writable(layout))
        continue;
      th_note("%s into %s", op->name, th_layout_names[layout]);
      THTensor *in[3], *r = THTest_(tensor)(layout, 17, TH_SHAPE(7, 5, 3));
      make_inputs(op, in, TH_CONTIGUOUS, TH_STRIDED);
      Values v = expect(op, in);
      real *before = THTest_(storageValues)(r);
      apply(op, r, in[0], in[1], in[2], scalar_a(op), scalar_b);
      check_result(op, r, &v, in[0]);
      CHECK_OUTSIDE(r, before);
      free(before);
      THTensor_(free)(r);
      free_values(&v);
      free_inputs(in);
    }
}

/* The result is one of the inputs. */
static void THTest_(pointwiseInPlace)(void)
{
  for (int o = 0; o < OPERATIONS; o++)
    for (int layout = 0; layout < TH_LAYOUTS; layout++)
      for (int target = 0; target < 3; target++) {
        const Operation *op = &operations[o];
        if (gives_bytes(op) || !th_layout_is_writable(layout) || target >= inputs_of[op->kind])
          continue;
        th_note("%s of %s into input %d", op->name, th_layout_names[layout], target);
        THTensor *in[3];
        make_inputs(op, in, layout, layout);
        Values v = expect(op, in);
        apply(op, in[target], in[0], in[1], in[2], scalar_a(op), scalar_b);
        check_result(op, in[target], &v, in[0]);
        free_values(&v);
        free_inputs(in);
      }
}

/* The result lies in the memory of an input, but otherwise: one element further, with a shape that
 * is yet to become the input's, or as an input of another shape. */
static void THTest_(pointwiseOverlap)(void)
{
  for (int o = 0; o < OPERATIONS; o++) {
    const Operation *op = &operations[o];
    if (gives_bytes(op))
      continue;
    for (int target = 0; target < inputs_of[op->kind]; target++)
      for (int how = 0; how < 4; how++) {
        th_note("%s, result over input %d in way %d", op->name, target, how);
        THTensor *in[3];
        make_inputs(op, in, TH_CONTIGUOUS, TH_CONTIGUOUS);
        for (int i = 0; i < 3; i++) { /* 60 elements of 105, as 12 x 5 */
          THLongStorage *size = THLongStorage_newWithSize2(12, 5);
          THTensor *view = THTensor_(newWithStorage)(in[i]->storage, 20, size, NULL);
          THLongStorage_free(size);
          THTensor_(free)(in[i]);
          in[i] = view;
        }
        THTensor *r;
        if (how == 0) { /* shifted */
          THLongStorage *size = THLongStorage_newWithSize2(12, 5);
          r = THTensor_(newWithStorage)(in[target]->storage, 21, size, NULL);
          THLongStorage_free(size);
        } else if (how == 1) { /* smaller, and to grow over what is read later */
          r = THTensor_(newWithStorage1d)(in[target]->storage, 23, 2, 1);
        } else if (how == 2) { /* to grow beyond the storage */
          r = THTensor_(newWithStorage1d)(in[target]->storage, 50, 3, 1);
        } else { /* the input itself, but of another shape than the first */
          if (target == 0) {
            free_inputs(in);
            continue;
          }
          THTensor_(resize2d)(in[target], 5, 12);
          r = in[target];
          THTensor_(retain)(r);
        }
        Values v = expect(op, in);
        THTensor *like = THTensor_(newClone)(in[0]);
        apply(op, r, in[0], in[1], in[2], scalar_a(op), scalar_b);
        check_result(op, r, &v, like);
        THTensor_(free)(like);
        THTensor_(free)(r);
        free_values(&v);
        free_inputs(in);
      }
  }
}

/* Wrong counts and results that overlap themselves are errors; nothing changes. */
static void THTest_(pointwiseErrors)(void)
{
  for (int o = 0; o < OPERATIONS; o++) {
    const Operation *op = &operations[o];
    for (int wrong = 1; wrong < inputs_of[op->kind]; wrong++) {
      th_note("%s with a wrong input %d", op->name, wrong);
      THTensor *in[3];
      make_inputs(op, in, TH_CONTIGUOUS, TH_CONTIGUOUS);
      THTensor_(resize1d)(in[wrong], 104);
      void *r = gives_bytes(op) ? (void *)THByteTensor_newWithSize1d(4)
                                : (void *)THTensor_(newWithSize1d)(4);
      const int scaled = op->kind == SCALED || op->kind == TERNARY;
      CHECK_RAISES(2 + wrong + scaled, "104 elements",
                   apply(op, r, in[0], in[1], in[2], scalar_a(op), scalar_b));
      CHECK(((THTensor *)r)->nDimension == 1 && ((THTensor *)r)->size[0] == 4);
      CHECK_RAISES(2 + wrong + scaled, "105 (",
                   apply(op, r, in[0], in[1], in[2], scalar_a(op), scalar_b));
      if (gives_bytes(op))
        THByteTensor_free(r);
      else
        THTensor_(free)(r);
      free_inputs(in);
    }
  }
}

/* Results whose elements share memory: the last of those that share memory counts. */
static void THTest_(pointwiseShared)(void)
{
  for (int o = 0; o < OPERATIONS; o++) {
    const Operation *op = &operations[o];
    if (gives_bytes(op))
      continue;
    for (int layout = TH_EXPANDED; layout <= TH_WINDOWS; layout++) {
      th_note("%s into a tensor that is %s", op->name, th_layout_names[layout]);
      THTensor *in[3], *want = THTensor_(new)();
      THTensor *r = THTest_(tensor)(layout, 5, TH_SHAPE(7, 5, 3));
      make_inputs(op, in, TH_CONTIGUOUS, TH_TRANSPOSED);
      real *storage = THTest_(storageValues)(r);
      apply(op, want, in[0], in[1], in[2], scalar_a(op), scalar_b);
      apply(op, r, in[0], in[1], in[2], scalar_a(op), scalar_b);
      for (ptrdiff_t i = 0; i < THTest_(count)(r); i++)
        storage[THTest_(at)(r, i) - r->storage->data] = *THTest_(at)(want, i);
      CHECK(!memcmp(storage, r->storage->data, (size_t)r->storage->size * sizeof(real)));
      free(storage);
      THTensor_(free)(r);
      THTensor_(free)(want);
      free_inputs(in);
    }
  }
}

/* Operands that run across each other, in tiles and what is left of them: element by element. */
static void THTest_(pointwiseAcross)(void)
{
  static const int64_t shapes[][2] = {{150, 300}, {300, 70}, {33, 65}};
  for (size_t k = 0; k < sizeof shapes / sizeof *shapes; k++)
    for (int lt = 0; lt < TH_WITH_ONES; lt++)
      for (int ls = 0; ls < TH_WITH_ONES; ls++) {
        th_note("%s and %s, %s", th_layout_names[lt], th_layout_names[ls],
                _THSizeDesc(shapes[k], 2).str);
        THTensor *t = THTest_(tensor)(lt, 2, 2, shapes[k]);
        THTensor *s = THTest_(tensor)(ls, 5, 2, shapes[k]);
        THTensor *r = THTensor_(newWithSize2d)(shapes[k][0], shapes[k][1]);
        THByteTensor *less = THByteTensor_newWithSize2d(shapes[k][0], shapes[k][1]);
        THTensor_(cmax)(r, t, s);
        THTensor_(ltTensor)(less, t, s);
        real *x = THTest_(values)(t), *y = THTest_(values)(s);
        for (ptrdiff_t i = 0; i < THTest_(count)(r); i++) {
          const int precedes = x[i] < y[i];
          if (r->storage->data[i] != (precedes ? y[i] : x[i]) || less->storage->data[i] != precedes)
            CHECK_MSG(0, "element %td is wrong", i);
        }
        THTensor_(cmax)(t, t, s);
        real *after = THTest_(values)(t);
        CHECK(!memcmp(after, r->storage->data, (size_t)THTest_(count)(r) * sizeof(real)));
        free(after);
        free(y);
        free(x);
        THByteTensor_free(less);
        THTensor_(free)(r);
        THTensor_(free)(s);
        THTensor_(free)(t);
      }
}

/* The operation's second input repeats elements, as the layout says: the same bits as beside copies
 * of it, and what is expected. */
static void repeat(const Operation *op, int layout, int rows, int count)
{
  th_note("%s of %d rows of %d, %s", op->name, rows, count, th_layout_names[layout]);
  const int64_t shape[] = {rows, count};
  THTensor *in[3] = {THTest_(tensor)(TH_CONTIGUOUS, 2, 2, shape),
                     THTest_(tensor)(layout, 9, 2, shape),
                     THTest_(tensor)(TH_CONTIGUOUS, 4, 2, shape)};
  if (wants_small(op))
    make_small(in[1]);
  Values v = expect(op, in);
  void *r = gives_bytes(op) ? (void *)THByteTensor_new() : (void *)THTensor_(new)();
  apply(op, r, in[0], in[1], in[2], scalar_a(op), scalar_b);
  check_result(op, r, &v, in[0]);
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
  const real special[] = {NAN, INFINITY, -INFINITY, -0.0, 0};
  for (int k = 0; k < 5; k++) {
    const int row = layout == TH_EXPANDED_LAST ? k : 0;
    THTensor_(set2d)(in[1], row, layout == TH_EXPANDED_LAST ? 0 : k % count, special[k]);
    for (int i = 0; i < THMin(count, 5); i++)
      THTensor_(set2d)(in[0], k, count - 1 - i, special[i]);
  }
#endif
  void *same = gives_bytes(op) ? (void *)THByteTensor_new() : (void *)THTensor_(new)();
  THTensor *copies = THTensor_(newClone)(in[1]);
  apply(op, r, in[0], in[1], in[2], scalar_a(op), scalar_b);
  apply(op, same, in[0], copies, in[2], scalar_a(op), scalar_b);
  const size_t bytes = (size_t)(rows * count) * (gives_bytes(op) ? 1 : sizeof(real));
  const THTensor *one = r, *other = same;
  CHECK(!memcmp(one->storage->data, other->storage->data, bytes));
  if (gives_bytes(op)) {
    THByteTensor_free(same);
    THByteTensor_free(r);
  } else {
    apply(op, in[0], in[0], in[1], in[2], scalar_a(op), scalar_b);
    CHECK(!memcmp(in[0]->storage->data, other->storage->data, bytes));
    THTensor_(free)(same);
    THTensor_(free)(r);
  }
  THTensor_(free)(copies);
  free_values(&v);
  free_inputs(in);
}

/* Rows that are computed from the value, and those of which a buffer holds many, whole or not. */
static void THTest_(pointwiseRepeated)(void)
{
  for (int o = 0; o < OPERATIONS; o++) {
    const Operation *op = &operations[o];
    if (inputs_of[op->kind] != 2)
      continue;
    for (int count = 63; count <= 259; count += 49)
      repeat(op, TH_EXPANDED_LAST, 5, count);
    for (int count = 1; count <= 33; count += 16)
      repeat(op, TH_EXPANDED_LAST, 17000 / count, count);
    for (int count = 3; count <= 259; count += 64)
      repeat(op, TH_EXPANDED, 17000 / count, count);
  }
}

static void THTest_(fillAndZero)(void)
{
  for (volatile int layout = 0; layout < TH_LAYOUTS; layout++) {
    th_note("%s", th_layout_names[layout]);
    THTensor *t = THTest_(tensor)(layout, 3, TH_SHAPE(7, 5, 3));
    real *before = THTest_(storageValues)(t);
    const ptrdiff_t count = THTest_(count)(t);
    THTensor_(fill)(t, 7);
    for (ptrdiff_t i = 0; i < count; i++)
      CHECK_EQ(*THTest_(at)(t, i), (real)7);
    CHECK_OUTSIDE(t, before);
    THTensor_(zero)(t);
    for (ptrdiff_t i = 0; i < count; i++)
      CHECK_EQ(*THTest_(at)(t, i), (real)0);
    CHECK_OUTSIDE(t, before);
    free(before);
    THTensor_(free)(t);
  }
}

/* So many that zeros are written in a way of their own: all but an element at each end, which stay;
 * -0 is not a zero of that kind. */
static void THTest_(manyZeros)(void)
{
  const int64_t n = (4 << 20) / (int64_t)sizeof(real) + 5;
  THTensor *all = THTensor_(newWithSize1d)(n), *t = THTensor_(newNarrow)(all, 0, 1, n - 2);
  THTensor_(fill)(all, 3);
  THTensor_(zero)(t);
  const real *data = THTensor_(data)(all);
  ptrdiff_t wrong = 0;
  for (int64_t i = 1; i < n - 1; i++)
    wrong += data[i] != 0;
  CHECK_EQ(wrong, 0);
  CHECK_EQ(data[0], (real)3);
  CHECK_EQ(data[n - 1], (real)3);
#if IS_FLOATING
  THTensor_(fill)(t, (real)-0.0);
  for (int64_t i = 1; i < n - 1; i++)
    wrong += !signbit(data[i]);
  CHECK_EQ(wrong, 0);
#endif
  THTensor_(free)(t);
  THTensor_(free)(all);
}

/* A tensor of the given values. */
static THTensor *row_of(int count, const real *values)
{
  THTensor *t = THTensor_(newWithSize1d)(count);
  memcpy(THTensor_(data)(t), values, (size_t)count * sizeof(real));
  return t;
}
#define ROW_OF(...) \
  row_of((int)(sizeof((real[]){__VA_ARGS__}) / sizeof(real)), (const real[]){__VA_ARGS__})

static void check_row(THTensor *t, const real *want)
{
  for (ptrdiff_t i = 0; i < THTensor_(nElement)(t); i++) {
    th_note("element %td", i);
    CHECK_EQ(*THTest_(at)(t, i), want[i]);
  }
}
#define CHECK_ROW(T, ...) check_row(T, (const real[]){__VA_ARGS__})

#if IS_FLOATING

/* NaN, infinities and the operations that floating types do not have; the values are what PyTorch
 * 2.15 prints. */
static void THTest_(pointwiseSpecial)(void)
{
  const real inf = INFINITY, nan = NAN;
  THTensor *x = ROW_OF(nan, 1, -0.0, inf, -inf, 2), *y = ROW_OF(1, nan, 5, 3, inf, 0);
  THTensor *r = THTensor_(new)();
  THTensor_(cmax)(r, x, y);
  CHECK_ROW(r, nan, nan, 5, inf, inf, 2);
  THTensor_(cmin)(r, x, y);
  CHECK_ROW(r, nan, nan, -0.0, 3, -inf, 0);
  THTensor_(cmaxValue)(r, x, nan);
  CHECK_ROW(r, nan, nan, nan, nan, nan, nan);
  THTensor_(clamp)(r, x, 2, 1);
  CHECK_ROW(r, nan, 1, 1, 1, 1, 1);
  THTensor_(clamp)(r, x, nan, 1);
  CHECK_ROW(r, nan, nan, nan, nan, nan, nan);
  THTensor_(sign)(r, x);
  CHECK_ROW(r, 0, 1, 0, 1, -1, 1);
  THTensor_(frac)(r, x);
  CHECK_ROW(r, nan, 0, 0, nan, nan, 0);
  THTensor_(cfmod)(r, x, y);
  CHECK_ROW(r, nan, nan, -0.0, nan, nan, nan);
  THTensor_(cdiv)(r, x, y);
  CHECK_ROW(r, nan, nan, -0.0, inf, nan, inf);
  const real below = (real)(sizeof(real) == 4 ? 0x1.fffffep-2 : 0x1.fffffffffffffp-2);
  THTensor *halves = ROW_OF(0.5, 1.5, 2.5, -0.5, -2.5, below, -below, 4194303.5, nan, -inf);
  THTensor_(round)(r, halves);
#ifdef TH_COMPAT_TORCH7
  CHECK_ROW(r, 1, 2, 3, -1, -3, 0, -0.0, 4194304, nan, -inf);
#else
  CHECK_ROW(r, 0, 2, 2, -0.0, -2, 0, -0.0, 4194304, nan, -inf);
#endif
  THTensor_(free)(halves);
  THByteTensor *b = THByteTensor_new();
  THTensor_(neTensor)(b, x, x);
  CHECK_EQ(b->storage->data[0], 1);
  CHECK_EQ(b->storage->data[1], 0);
  THByteTensor_free(b);

  THTensor *p = ROW_OF(5, -5, 5, -5, 5, 0, -0.0, 1, inf, -1, nan, 5, -5, 1);
  THTensor *q = ROW_OF(3, 3, -3, -3, 0, 3, 3, inf, 3, inf, 1, 5, 5, -inf);
  THTensor_(cremainder)(r, p, q);
  CHECK_ROW(r, 2, 1, -1, -2, nan, 0, -0.0, 1, nan, inf, nan, 0, -0.0, -inf);
  THTensor_(cfmod)(r, p, q);
  CHECK_ROW(r, 2, -2, 2, -2, nan, 0, -0.0, 1, nan, -1, nan, 0, -0.0, 1);

  CHECK_RAISES(0, "bitand is for integers", THTensor_(bitand)(r, x, 1));
  CHECK_RAISES(0, "cbitxor is for integers", THTensor_(cbitxor)(r, x, y));
  CHECK_RAISES(0, "bitor", THTensor_(bitor)(r, x, 1));
  CHECK_RAISES(0, "bitxor", THTensor_(bitxor)(r, x, 1));
  CHECK_RAISES(0, "cbitand", THTensor_(cbitand)(r, x, y));
  CHECK_RAISES(0, "cbitor", THTensor_(cbitor)(r, x, y));
  THTensor_(free)(p);
  THTensor_(free)(q);
  THTensor_(free)(r);
  THTensor_(free)(x);
  THTensor_(free)(y);
}

#else

/* The product of narrow integers is an int until it has been divided: 100 * 120 / 100 is 120,
 * and not the quotient of what a byte keeps of 12000. */
static void THTest_(products)(THTensor *r, real most)
{
  THTensor *none = ROW_OF(0, 3), *factor = ROW_OF(120, 120), *divisor = ROW_OF(100, 100);
  THTensor_(addcdiv)(r, none, 100, factor, divisor);
  CHECK_ROW(r, 120, 123);
  THTensor_(fill)(factor, most);
  THTensor_(fill)(divisor, most);
  if (sizeof(real) < sizeof(int)) {
    THTensor_(addcdiv)(r, none, most, factor, divisor);
    CHECK_ROW(r, most, (real)(most + 3));
  }
  THTensor_(free)(none);
  THTensor_(free)(factor);
  THTensor_(free)(divisor);
}

/* Division by -1, and powers of it: the least integer wraps around. */
static void THTest_(signs)(THTensor *r, THTensor *x, THTensor *one, real least, real most)
{
  THTensor_(cdiv)(r, x, one);
  CHECK_ROW(r, least, (real)-most, (real)-5, (real)-1);
  THTensor_(div)(r, x, (real)-1);
  CHECK_ROW(r, least, (real)-most, (real)-5, (real)-1);
  THTensor_(cfmod)(r, x, one);
  CHECK_ROW(r, 0, 0, 0, 0);
  THTensor_(cremainder)(r, x, one);
  CHECK_ROW(r, 0, 0, 0, 0);
  THTensor_(neg)(r, x);
  CHECK_ROW(r, least, (real)-most, (real)-5, (real)-1);
  THTensor *p = ROW_OF(0, 1, (real)-1, 2, (real)-2, 3);
  THTensor *minus1 = ROW_OF((real)-1, (real)-1, (real)-1, (real)-1, (real)-1, (real)-1);
  THTensor *minus2 = ROW_OF((real)-2, (real)-2, (real)-2, (real)-2, (real)-2, (real)-2);
  THTensor_(cpow)(r, p, minus1);
  CHECK_ROW(r, 0, 1, (real)-1, 0, 0, 0);
  THTensor_(cpow)(r, p, minus2);
  CHECK_ROW(r, 0, 1, 1, 0, 0, 0);
  THTensor_(free)(p);
  THTensor_(free)(minus1);
  THTensor_(free)(minus2);
}

static void THTest_(shifts)(THTensor *r, THTensor *x, int is_signed, int bits)
{
  for (int count = -2; count < bits + 3; count++) {
    if (!is_signed && count < 0)
      continue;
    THTensor *counts = ROW_OF((real)count, (real)count, (real)count, (real)count);
    for (int left = 0; left < 2; left++)
      for (int tensor = 0; tensor < 2; tensor++) {
        if (tensor)
          (left ? THTensor_(clshift) : THTensor_(crshift))(r, x, counts);
        else
          (left ? THTensor_(lshift) : THTensor_(rshift))(r, x, (real)count);
        for (int i = 0; i < 4; i++) {
          th_note("shift by %d, left %d, element %d", count, left, i);
          CHECK_EQ(*THTest_(at)(r, i), (real)want_shift(*THTest_(at)(x, i), count, left));
        }
      }
    THTensor_(free)(counts);
  }
}

/* Extremes of quotients, which narrow types compute in floating arithmetic. */
static void THTest_(quotients)(THTensor *r, THTensor *x)
{
  th_random random = {th_seed()};
  for (int i = 0; i < 20000; i++) {
    real a = (real)th_random_next(&random), b = (real)th_random_next(&random);
    if (i % 4 == 0)
      b = (real)(b % 7);
    if (i % 4 == 1)
      a = (real)(b * (real)(th_random_next(&random) % 100) - (real)(i % 3));
    if (b == 0)
      continue;
    *THTest_(at)(x, i % 4) = a;
    THTensor_(div)(r, x, b);
    CHECK_EQ(*THTest_(at)(r, i % 4), (real)((wide)a / (wide)b));
    THTensor_(fmod)(r, x, b);
    CHECK_EQ(*THTest_(at)(r, i % 4), (real)((wide)a % (wide)b));
  }
}

/* Divisors of 0, extremes, shifts by any count. */
static void THTest_(pointwiseSpecial)(void)
{
  const int is_signed = (real)-1 < 0, bits = 8 * sizeof(real);
  const real least = is_signed ? (real)((uint64_t)1 << (bits - 1)) : 0, most = (real)~least;
  THTensor *x = ROW_OF(least, most, 5, 1), *y = ROW_OF(3, 2, 0, 1), *r = THTensor_(new)();
  THTensor *one = ROW_OF((real)-1, (real)-1, (real)-1, (real)-1);
  THTensor_(resize1d)(r, 2);
  THTensor_(fill)(r, 9);
  CHECK_RAISES(3, "division by 0", THTensor_(cdiv)(r, x, y));
  CHECK_RAISES(3, "division by 0", THTensor_(cfmod)(r, x, y));
  CHECK_RAISES(3, "division by 0", THTensor_(cremainder)(r, x, y));
  CHECK_RAISES(5, "division by 0", THTensor_(addcdiv)(r, x, 1, x, y));
  CHECK_RAISES(3, "division by 0", THTensor_(div)(r, x, 0));
  CHECK_RAISES(3, "division by 0", THTensor_(fmod)(r, x, 0));
  CHECK_RAISES(3, "division by 0", THTensor_(remainder)(r, x, 0));
  CHECK(r->nDimension == 1 && r->size[0] == 2);
  CHECK_ROW(r, 9, 9);

  THTest_(products)(r, most);
  THTensor_(resize1d)(r, 2);
  if (is_signed)
    THTest_(signs)(r, x, one, least, most);
  THTest_(shifts)(r, x, is_signed, bits);
  THTest_(quotients)(r, x);
  THTensor_(free)(one);
  THTensor_(free)(r);
  THTensor_(free)(x);
  THTensor_(free)(y);
}

#endif

/* Large tensors, one of which is transposed or repeats an element along each row: as many threads
 * as there are give the bits of one. */
static void THTest_(threadsOf)(int layout, const int64_t *shape)
{
  const int threads = THGetNumThreads();
  for (int o = 0; o < OPERATIONS; o += 5) {
    const Operation *op = &operations[o];
    if (gives_bytes(op))
      continue;
    th_note("%s, %s", op->name, th_layout_names[layout]);
    THTensor *in[3], *r[2] = {THTensor_(new)(), THTensor_(new)()};
    for (int i = 0; i < 3; i++)
      in[i] = THTest_(tensor)(i == 1 ? layout : TH_CONTIGUOUS, (uint64_t)i + 3, 2, shape);
    if (wants_small(op))
      make_small(in[1]);
    Values v = expect(op, in);
    for (int k = 0; k < 2; k++) {
      THSetNumThreads(k ? 4 : 1);
      apply(op, r[k], in[0], in[1], in[2], scalar_a(op), scalar_b);
      check_result(op, r[k], &v, in[0]);
      THTensor_(free)(r[k]);
    }
    free_values(&v);
    free_inputs(in);
  }
  THSetNumThreads(threads);
}

static void THTest_(pointwiseThreads)(void)
{
  THTest_(threadsOf)(TH_TRANSPOSED, (const int64_t[]){301, 331});
  THTest_(threadsOf)(TH_EXPANDED_LAST, (const int64_t[]){7, 9001});
  THTest_(threadsOf)(TH_EXPANDED_LAST, (const int64_t[]){5001, 9});
}

/* Arrays. */
static void THTest_(vectors)(void)
{
  enum { N = 37 };
  real x[N], y[N], z[N];
  for (int i = 0; i < N; i++) {
    x[i] = THTest_(value)(1, i);
    y[i] = THTest_(value)(2, i);
  }
#define CHECK_EACH(...)                         \
  for (int i = 0; i < N; i++) {                 \
    th_note("%s, element %d", #__VA_ARGS__, i); \
    CHECK_EQ(z[i], (real)(__VA_ARGS__));        \
  }
  THVector_(vectorDispatchInit)();
  THVector_(cadd)(z, x, y, 3, N);
  CHECK_EACH((wide)x[i] + (wide)((wide)3 * y[i]))
  THVector_(cmul)(z, x, y, N);
  CHECK_EACH((wide)x[i] * y[i])
  THVector_(cdiv)(z, x, y, N);
  CHECK_EACH((wide)x[i] / y[i])
  THVector_(adds)(z, x, 5, N);
  CHECK_EACH((wide)x[i] + 5)
  THVector_(muls)(z, x, 5, N);
  CHECK_EACH((wide)x[i] * 5)
  THVector_(divs)(z, x, 5, N);
  CHECK_EACH((wide)x[i] / 5)
  THVector_(neg)(z, x, N);
  CHECK_EACH(-(wide)x[i])
  THVector_(copy)(z, x, N);
  CHECK_EACH(x[i])
  THVector_(fill)(z, 6, N);
  CHECK_EACH(6)
#if !defined(TH_REAL_IS_BYTE) && !defined(TH_REAL_IS_CHAR)
  THVector_(abs)(z, x, N);
  CHECK_EACH(x[i] < 0 ? -(wide)x[i] : x[i])
#endif
  THGenerator *generator = THGenerator_new();
  THRandom_manualSeed(generator, 5);
  THVector_(normal_fill)(z, N, generator, 100, 5); /* 20 deviations around the mean */
  CHECK_EACH(z[i] > 0 && z[i] != z[(i + 1) % N] ? z[i] : 0)
  THGenerator_free(generator);
#if IS_FLOATING
  THVector_(cinv)(z, x, N);
  CHECK_EACH(1 / x[i])
  THVector_(floor)(z, x, N);
  CHECK_EACH((real)floorl(x[i]))
#else
  y[N - 1] = 0;
  CHECK_RAISES(3, "division by 0", THVector_(cdiv)(z, x, y, N));
  CHECK_RAISES(3, "division by 0", THVector_(divs)(z, x, 0, N));
#endif
}

TH_TESTS(THTest_(pointwiseShared), THTest_(pointwiseLayouts), THTest_(pointwiseResults),
         THTest_(pointwiseInPlace), THTest_(pointwiseOverlap), THTest_(pointwiseErrors),
         THTest_(fillAndZero), THTest_(manyZeros), THTest_(pointwiseAcross),
         THTest_(pointwiseRepeated), THTest_(pointwiseSpecial), THTest_(pointwiseThreads),
         THTest_(vectors))

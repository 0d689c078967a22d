/* Operations of tensors whose types differ from the type that computes, in every layout, compared
 * with C arithmetic on floats, element by element. */
#include <math.h>
#include <string.h>

#include "ATen.h"
#include "th_test.h"

/* rows x columns nonzero numbers that every type can hold. */
static at_tensor *numbers(int64_t rows, int64_t columns, at_scalar_type type, int first)
{
  at_tensor *t = at_empty(AT_SHAPE(rows, columns));
  for (int64_t i = 0; i < rows * columns; i++)
    ((float *)at_data(t))[i] = (float)((i * 7 + first) % 11 + 1);
  return at_to(t, AT_CPU(type));
}

static const float *floats(at_tensor *t)
{
  return at_data(at_contiguous(at_to(t, AT_CPU(AT_FLOAT))));
}

/* All operations of x and y, which have the same size once they are expanded to rows x columns. */
static void check_all(at_tensor *x, at_tensor *y, int64_t rows, int64_t columns)
{
  const float *a = floats(at_expand(x, AT_SHAPE(rows, columns)));
  const float *b = floats(at_expand(y, AT_SHAPE(rows, columns)));
  at_tensor *const sum = at_add(x, y, .alpha = 2), *const less = at_lt(x, y);
  at_tensor *const quotient = at_div(x, y), *const scaled = at_mul(x, 3);
  at_tensor *const chosen = at_addcmul(x, y, x);
  const int64_t n = rows * columns;
  at_tensor *const reference = at_empty(AT_SHAPE(3, rows, columns));
  float *const expected = at_data(reference);
  for (int64_t i = 0; i < n; i++) {
    expected[i] = a[i] + 2 * b[i];
    expected[n + i] = a[i] / b[i];
    expected[2 * n + i] = a[i] + b[i] * a[i];
  }
  const at_type *const type = at_typeOf(sum);
  const float *const rounded = floats(at_to(reference, type));
  const float *const s = floats(sum), *const q = floats(quotient), *const c = floats(chosen);
  const float *const l = floats(less), *const m = floats(scaled);
  const at_scalar_type own = at_type_scalarType(at_typeOf(x));
  for (int64_t i = 0; i < n; i++) {
    CHECK_EQ(s[i], rounded[i]);
    if (own == AT_HALF || own == AT_BFLOAT16 || own == AT_FLOAT)
      CHECK_EQ(q[i], rounded[n + i]);
    CHECK_EQ(c[i], rounded[2 * n + i]);
    CHECK_EQ(l[i], a[i] < b[i]);
  }
  const int64_t count = at_numel(x);
  const float *const given = floats(x);
  for (int64_t i = 0; i < count; i++)
    CHECK_EQ(m[i], given[i] * 3);
  if (own == AT_HALF || own == AT_BFLOAT16) {
    at_tensor *const opposite = at_neg(x);
    const float *const negative = floats(opposite), *const size =
                                                        floats(at_abs(at_contiguous(opposite)));
    for (int64_t i = 0; i < count; i++) {
      CHECK_EQ(negative[i], -given[i]);
      CHECK_EQ(size[i], given[i]);
    }
  }
}

/* neg and abs of zeros, infinities and NaN, also with results of another type. */
static void signs(void **state)
{
  static const at_scalar_type types[] = {AT_HALF, AT_BFLOAT16};
  enum { N = 5 };
  for (int k = 0; k < 2; k++)
    AT_SCOPE
    {
      at_tensor *const values = at_empty(AT_SHAPE(N)), *const wide = at_empty(AT_SHAPE(N));
      const float x[N] = {0.f, -0.f, -INFINITY, 2.5f, NAN};
      memcpy(at_data(values), x, sizeof x);
      at_tensor *const t = at_to(values, AT_CPU(types[k])), *const inPlace = at_clone(t);
      const float *const negative = floats(at_neg(t)), *const size = floats(at_abs(t));
      CHECK(at_neg_out(wide, t) == wide && at_abs_(inPlace) == inPlace);
      for (int i = 0; i < N; i++) {
        CHECK(i == N - 1 ? negative[i] != negative[i] : negative[i] == -x[i]);
        CHECK(i == N - 1 ? size[i] != size[i] : size[i] == fabsf(x[i]));
        CHECK(!signbit(size[i]));
        CHECK(i == N - 1 || !signbit(negative[i]) == !!signbit(x[i]));
        CHECK(i == N - 1 || floats(wide)[i] == -x[i]);
        CHECK(i == N - 1 || floats(inPlace)[i] == size[i]);
      }
    }
}

static void layouts(void **state)
{
  static const at_scalar_type types[] = {AT_HALF, AT_BFLOAT16, AT_LONG, AT_BYTE, AT_FLOAT};
  static const int64_t sizes[][2] = {{1, 1}, {3, 5}, {2, 1030}, {70, 33}, {5, 2500}};
  for (int i = 0; i < 5; i++)
    for (int j = 0; j < 2; j++)
      for (int k = 0; k < 5; k++)
        AT_SCOPE
        {
          const int64_t rows = sizes[k][0], columns = sizes[k][1];
          at_tensor *const y = numbers(rows, columns, types[j], 3);
          check_all(numbers(rows, columns, types[i], 0), y, rows, columns);
          check_all(at_t(numbers(columns, rows, types[i], 0)), y, rows, columns);
          check_all(numbers(rows, 1, types[i], 0), y, rows, columns);
          check_all(numbers(1, columns, types[i], 5), y, rows, columns);
          check_all(numbers(1, 1, types[i], 5), y, rows, columns);
          check_all(at_slice(numbers(rows, 3 * columns, types[i], 1), .dim = 1, .step = 3), y, rows,
                    columns);
        }
}

/* Random numbers, some replaced by 0, -0 or NaN. */
static at_tensor *some_zeros(int64_t rows, int64_t columns, at_scalar_type type, int first)
{
  static const float special[] = {0.f, -0.f, NAN};
  at_tensor *const t = numbers(rows, columns, AT_FLOAT, first);
  float *const x = at_data(t);
  const bool isReal = type >= AT_FLOAT && type != AT_BOOL;
  for (int64_t i = 0; i < rows * columns; i++)
    if (x[i] < 4)
      x[i] = isReal || x[i] < 3 ? special[(int)x[i] - 1] : 0;
  return at_to(t, AT_CPU(type));
}

/* Checks operations with a new result, and with a given one whose elements have gaps. */
static void check_booleans(at_tensor *x, at_tensor *y, int64_t rows, int64_t columns)
{
  const float *const a = floats(at_expand(x, AT_SHAPE(rows, columns)));
  const float *const b = floats(at_expand(y, AT_SHAPE(rows, columns)));
  at_tensor *const other = at_t(at_ones(AT_SHAPE(columns, rows), .type = AT_CPU(AT_BOOL)));
  const float *const both = floats(at_logical_and(x, y)), *const any = floats(at_logical_or(x, y));
  CHECK(at_logical_xor_out(other, x, y) == other);
  const float *const one = floats(other);
  for (int64_t i = 0; i < rows * columns; i++) {
    const int p = a[i] != 0, q = b[i] != 0;
    if (both[i] != (p & q) || any[i] != (p | q) || one[i] != (p ^ q))
      CHECK_EQ(both[i] + 2 * any[i] + 4 * one[i], (p & q) + 2 * (p | q) + 4 * (p ^ q));
  }
}

static void booleans(void **state)
{
  static const at_scalar_type types[] = {AT_BYTE,  AT_BOOL,     AT_SHORT, AT_INT,   AT_LONG,
                                         AT_FLOAT, AT_BFLOAT16, AT_HALF,  AT_DOUBLE};
  static const int64_t sizes[][2] = {{1, 1}, {3, 5}, {130, 70}, {3, 8200}, {1, 17000}};
  enum { TYPES = sizeof types / sizeof *types };
  for (int i = 0; i < TYPES; i++)
    for (int j = 0; j < TYPES; j++)
      for (int k = 0; k < 5; k++)
        AT_SCOPE
        {
          const int64_t rows = sizes[k][0], columns = sizes[k][1];
          at_tensor *const y = some_zeros(rows, columns, types[j], 3);
          th_note("types %d and %d, %d x %d", i, j, (int)rows, (int)columns);
          check_booleans(some_zeros(rows, columns, types[i], 0), y, rows, columns);
          check_booleans(at_t(some_zeros(columns, rows, types[i], 0)), y, rows, columns);
          check_booleans(some_zeros(rows, 1, types[i], 0), y, rows, columns);
          check_booleans(some_zeros(1, columns, types[i], 5), y, rows, columns);
          check_booleans(some_zeros(1, 1, types[i], 5), y, rows, columns);
        }
}

/* Operands and results that share memory. */
static void overlapping(void **state)
{
  AT_SCOPE
  {
    enum { N = 3000 };
    at_tensor *const x = at_squeeze(numbers(1, N, AT_HALF, 0)), *const before = at_clone(x);
    at_tensor *const late = at_narrow(x, 0, 1, N - 1), *const early = at_narrow(x, 0, 0, N - 1);
    CHECK(at_add_(late, early) == late);
    const float *const was = floats(before), *const is = floats(x);
    for (int i = 1; i < N; i++)
      CHECK_EQ(is[i], was[i] + was[i - 1]);
    CHECK(at_mul_(x, x) == x);
    CHECK_EQ(floats(x)[0], was[0] * was[0]);
    CHECK_EQ(floats(x)[N - 1], is[N - 1] * is[N - 1]);

    at_tensor *const same = at_expand(at_zeros(AT_SHAPE(1), .type = AT_CPU(AT_HALF)), AT_SHAPE(4));
    CHECK(!at_defined(at_add_(same, x)));
    at_error_clear();
    CHECK(!at_defined(at_neg_(same)) && at_error() == AT_ERROR_ARGUMENT);
    at_error_clear();
  }
}

/* A given result of Half that is resized, and one that is unchanged after an error. */
static void results(void **state)
{
  AT_SCOPE
  {
    at_tensor *const x = numbers(2, 3, AT_HALF, 0), *const y = numbers(2, 3, AT_FLOAT, 4);
    at_tensor *const r = at_empty(AT_SHAPE(0), .type = AT_CPU(AT_HALF));
    CHECK(at_add_out(r, x, x) == r);
    CHECK(at_dim(r) == 2 && at_size(r, 1) == 3);
    CHECK_EQ(floats(r)[5], 2 * floats(x)[5]);
    CHECK(!at_defined(at_add_out(r, x, numbers(3, 3, AT_HALF, 0))));
    at_error_clear();
    CHECK_EQ(floats(r)[5], 2 * floats(x)[5]);
    CHECK(at_type_scalarType(at_typeOf(at_add(x, y))) == AT_FLOAT);
    CHECK(at_numel(at_add(at_narrow(x, 0, 0, 0), at_narrow(y, 0, 0, 0))) == 0);
  }
}

/* Operations of three operands whose result may overlap them. */
static at_tensor *chosen(int kind, at_tensor *out, at_tensor *const *in)
{
  at_tensor *const booleans = at_gt(in[2], 0);
  return kind == 0   ? at_clamp_tensor_out(out, in[0], .min = in[1], .max = in[2])
         : kind == 1 ? at_lerp_tensor_out(out, in[0], in[1], in[2])
                     : at_where_out(out, booleans, in[0], in[1]);
}

/* The result is one of the operands, overlaps one partly, or has the elements of one in another
 * order; its values are the same as without overlap. */
static void shared(void **state)
{
  enum { SIDE = 37, STRIDED = 3, ACROSS = 6, TURNED = 9, WAYS = 12 };
  static const at_scalar_type types[] = {AT_FLOAT, AT_DOUBLE, AT_HALF};
  for (int t = 0; t < 3; t++)
    for (int kind = 0; kind < 3; kind++)
      for (int way = 0; way < WAYS; way++)
        AT_SCOPE
        {
          at_tensor *in[3], *apart[3], *memory[3];
          for (int k = 0; k < 3; k++) {
            memory[k] = at_sub(numbers(SIDE + 1, SIDE, types[t], 3 * k), 5);
            in[k] = at_narrow(memory[k], 0, 0, SIDE);
            apart[k] = at_clone(in[k]);
          }
          at_tensor *const whole = memory[way % 3], *const r = in[way % 3];
          at_tensor *const out = way < STRIDED  ? r
                                 : way < ACROSS ? at_narrow(whole, 0, 1, SIDE)
                                 : way < TURNED ? at_t(r)
                                                : at_empty_like(r);
          const float *const expected = floats(chosen(kind, at_empty_like(r), apart));
          CHECK(chosen(kind, out, in) == out);
          const float *const is = floats(out);
          th_note("type %d, kind %d, way %d", t, kind, way);
          for (int i = 0; i < SIDE * SIDE; i++)
            if (is[i] != expected[i])
              CHECK_EQ(is[i], expected[i]);
        }
}

/* Filling types that do not compute, contiguous or not, gives the same as copying the number. */
static void filled(void **state)
{
  static const at_scalar_type types[] = {AT_HALF, AT_BFLOAT16};
  static const double values[] = {0, -0.0, 1. / 3, -2.5, 1e9, 1e-7, INFINITY, NAN};
  for (int t = 0; t < 2; t++)
    for (size_t k = 0; k < sizeof values / sizeof *values; k++)
      AT_SCOPE
      {
        enum { ROWS = 9, COLUMNS = 70 };
        at_tensor *const one =
            at_full(AT_SHAPE(), at_scalar_double(values[k]), .type = AT_CPU(AT_DOUBLE));
        const float expected = *floats(at_to(one, AT_CPU(types[t])));
        at_tensor *const x = at_zeros(AT_SHAPE(ROWS, COLUMNS), .type = AT_CPU(types[t]));
        at_tensor *const part = at_narrow(x, 1, 1, COLUMNS - 2);
        CHECK(at_fill_(part, at_scalar_double(values[k])) == part);
        const float *const is = floats(x);
        for (int i = 0; i < ROWS * COLUMNS; i++) {
          const bool inside = i % COLUMNS > 0 && i % COLUMNS < COLUMNS - 1;
          const float want = inside ? expected : 0;
          if (isnan(want) ? !isnan(is[i]) : is[i] != want || !signbit(is[i]) != !signbit(want))
            CHECK_EQ(is[i], want);
        }
      }
}

/* Every BFloat16 converts to the Half of its float: contiguous, with gaps and transposed. */
static void halves(void **state)
{
  enum { SIDE = 256, COUNT = SIDE * SIDE };
  AT_SCOPE
  {
    const at_type *const half = AT_CPU(AT_HALF);
    at_tensor *const all = at_empty(AT_SHAPE(SIDE, SIDE), .type = AT_CPU(AT_BFLOAT16));
    for (int i = 0; i < COUNT; i++)
      ((uint16_t *)at_data(all))[i] = (uint16_t)i;
    at_tensor *const ways[] = {all, at_t(all), at_narrow(all, 1, 1, SIDE - 3),
                               at_slice(all, .dim = 1, .step = 3)};
    for (int k = 0; k < 4; k++) {
      const int64_t count = at_numel(ways[k]);
      at_tensor *const is = at_contiguous(at_to(ways[k], half));
      at_tensor *const wide = at_contiguous(at_to(ways[k], AT_CPU(AT_FLOAT)));
      const uint16_t *const bits = at_data(is);
      for (int64_t i = 0; i < count; i++) {
        const THHalf want = TH_float2half(((const float *)at_data(wide))[i]);
        if (bits[i] != want.x)
          CHECK_EQ(bits[i], want.x);
      }
    }
  }
}

/* Layers of one operand and gradients, with parameters and without. */
enum { LAYERS = 5 };

static at_tensor *layer(int kind, at_tensor *out, at_tensor *g, at_tensor *x)
{
  const at_scalar third = at_scalar_double(1. / 3), two = at_scalar_long(2);
  return kind == 0   ? at_leaky_relu_out(out, x, .negative_slope = 1. / 3)
         : kind == 1 ? at_leaky_relu_backward_out(out, g, x, third)
         : kind == 2 ? at_elu_backward_out(out, g, third, two, x)
         : kind == 3 ? at_threshold_out(out, x, third, two)
                     : at_tanh_backward_out(out, g, x);
}

/* A layer of Half or BFloat16 gives the result of the same numbers as floats, rounded once. */
static void check_layer(int kind, at_tensor *out, at_tensor *g, at_tensor *x)
{
  at_tensor *const wide = at_empty(AT_SHAPE(0));
  const at_type *const type = at_typeOf(out);
  CHECK(layer(kind, wide, at_to(g, AT_CPU(AT_FLOAT)), at_to(x, AT_CPU(AT_FLOAT))) == wide);
  const float *const expected = floats(at_to(wide, type));
  CHECK(layer(kind, out, g, x) == out && at_numel(out) == at_numel(wide));
  const float *const is = floats(out);
  for (int64_t i = 0; i < at_numel(out); i++)
    if (isnan(expected[i]) ? !isnan(is[i]) : is[i] != expected[i])
      CHECK_EQ(is[i], expected[i]);
}

static void layers(void **state)
{
  static const at_scalar_type types[] = {AT_HALF, AT_BFLOAT16};
  static const int64_t sizes[][2] = {{1, 1}, {3, 5}, {2, 2060}, {70, 33}, {0, 4}};
  for (int t = 0; t < 2; t++)
    for (int kind = 0; kind < LAYERS; kind++)
      for (int k = 0; k < 5; k++)
        AT_SCOPE
        {
          const int64_t rows = sizes[k][0], columns = sizes[k][1];
          const at_type *const type = AT_CPU(types[t]);
          at_tensor *const g = at_sub(numbers(rows, columns, types[t], 3), 4);
          at_tensor *const x = at_sub(numbers(rows, columns, types[t], 0), 6);
          at_tensor *const transposed = at_t(at_sub(numbers(columns, rows, types[t], 2), 6));
          th_note("type %d, layer %d, %d x %d", t, kind, (int)rows, (int)columns);
          if (at_numel(x) > 3) {
            at_fill_(at_narrow(x, 1, 1, 1), at_scalar_double(NAN));
            at_fill_(at_narrow(x, 1, 2, 1), at_scalar_double(-INFINITY));
          }
          check_layer(kind, at_empty_like(x), g, x);
          check_layer(kind, at_empty(AT_SHAPE(0), .type = type), g, transposed);
          check_layer(kind, at_empty_like(x),
                      at_expand(at_narrow(g, 1, 0, 1), AT_SHAPE(rows, columns)), x);
          check_layer(kind, at_t(at_empty_like(at_t(x))), at_to(g, AT_CPU(AT_FLOAT)), x);
          check_layer(kind, x, g, x);
          if (rows > 1) {
            at_tensor *const late = at_narrow(transposed, 0, 1, rows - 1);
            check_layer(kind, late, at_narrow(g, 0, 1, rows - 1),
                        at_narrow(transposed, 0, 0, rows - 1));
          }
        }
}

/* The sums over the dimensions whose bits are set in reduced, which remain with size 1, as
 * Float. */
static at_tensor *sums(at_tensor *x, unsigned reduced)
{
  int64_t size[3];
  for (int d = 0; d < 3; d++)
    size[d] = reduced >> d & 1 ? 1 : at_size(x, d);
  at_tensor *const r = at_zeros(AT_SHAPE(size[0], size[1], size[2]));
  const float *const from = floats(x);
  float *const to = at_data(r);
  for (int64_t i = 0; i < at_size(x, 0); i++)
    for (int64_t j = 0; j < at_size(x, 1); j++)
      for (int64_t k = 0; k < at_size(x, 2); k++)
        to[(i % size[0] * size[1] + j % size[1]) * size[2] + k % size[2]] +=
            from[(i * at_size(x, 1) + j) * at_size(x, 2) + k];
  return r;
}

/* Reductions convert their operand block by block.  All sums are whole numbers that a Float can
 * hold. */
static void reductions(void **state)
{
  static const at_scalar_type types[] = {AT_HALF, AT_BFLOAT16, AT_BYTE, AT_INT};
  for (size_t t = 0; t < sizeof types / sizeof *types; t++)
    for (unsigned reduced = 1; reduced < 7; reduced++)
      for (int transposed = 0; transposed < 2; transposed++)
        AT_SCOPE
        {
          int64_t dims[3];
          int count = 0;
          for (int d = 0; d < 3; d++)
            if (reduced >> d & 1)
              dims[count++] = d;
          at_tensor *x = at_view(numbers(7, 150 * 300, types[t], (int)reduced),
                                 transposed ? AT_SHAPE(300, 7, 150) : AT_SHAPE(7, 150, 300));
          if (transposed)
            x = at_transpose(x, 0, 2);
          at_tensor *const kept = at_sum_dim(x, ((at_ints){dims, count}), .keepdim = true);
          at_tensor *const flat = at_sum_dim(x, ((at_ints){dims, count}));
          at_tensor *const expected = at_to(sums(x, reduced), at_typeOf(kept));
          th_note("type %zu, dimensions %u, transposed %d", t, reduced, transposed);
          CHECK(at_dim(kept) == 3 && at_dim(flat) == 3 - count);
          CHECK(at_numel(kept) == at_numel(expected) && at_numel(flat) == at_numel(expected));
          const float *const a = floats(kept), *const b = floats(flat), *const c = floats(expected);
          for (int64_t i = 0; i < at_numel(expected); i++)
            if (a[i] != c[i] || b[i] != c[i])
              CHECK_EQ(a[i] == c[i] ? b[i] : a[i], c[i]);
        }
}

typedef enum { TOTAL, MOST, NORM, SPREAD, KINDS } Kind;

static at_tensor *reduced(Kind kind, at_tensor *x, at_ints dims)
{
  return kind == TOTAL  ? at_sum_dim(x, dims)
         : kind == MOST ? at_amax(x, .dim = dims)
         : kind == NORM ? at_norm_dim(x, at_scalar_long(2), dims)
                        : at_var_dim(x, dims, .unbiased = 0);
}

/* The reduction of n numbers with stride step. */
static float reference(Kind kind, const float *x, int64_t n, int64_t step)
{
  double sum = 0, squares = 0, most = -INFINITY, apart = 0;
  for (int64_t i = 0; i < n; i++) {
    const double value = (double)x[i * step];
    sum += value;
    squares += value * value;
    most = value > most || isnan(value) || isnan(most) ? value + (isnan(most) ? most : 0) : most;
  }
  for (int64_t i = 0; i < n; i++)
    apart += (x[i * step] - sum / n) * (x[i * step] - sum / n) / n;
  return (float)(kind == TOTAL ? sum : kind == MOST ? most : kind == NORM ? sqrt(squares) : apart);
}

/* Reductions over each dimension of a matrix, and over both. */
static void check_reductions(at_tensor *x)
{
  const int64_t rows = at_size(x, 0), columns = at_size(x, 1);
  const float *const from = floats(x);
  for (Kind kind = 0; kind < KINDS; kind++)
    for (int dim = 0; dim < 3; dim++) {
      const int64_t given = dim, count = dim == 0 ? columns : dim == 1 ? rows : 1;
      at_tensor *const r = reduced(kind, x, (at_ints){&given, dim < 2});
      at_tensor *const wide = at_empty(AT_SHAPE(count));
      for (int64_t i = 0; i < count; i++)
        ((float *)at_data(wide))[i] = reference(kind, from + (dim == 0 ? i : i * columns),
                                                dim == 0   ? rows
                                                : dim == 1 ? columns
                                                           : rows * columns,
                                                dim == 0 ? columns : 1);
      const float *const expected = floats(at_to(wide, at_typeOf(r))), *const is = floats(r);
      CHECK_EQ(at_numel(r), count);
      th_note("%d, dimension %d of %d x %d", (int)kind, dim, (int)rows, (int)columns);
      for (int64_t i = 0; i < count; i++) {
        const float error =
            kind == SPREAD ? 0.01f * fabsf(expected[i]) : 0; /* one ulp of BFloat16 */
        if (isnan(expected[i]) ? !isnan(is[i])
                               : !(is[i] == expected[i] || fabsf(is[i] - expected[i]) <= error))
          CHECK_EQ(is[i], expected[i]);
      }
    }
}

/* Small elements among large ones that cancel: sums in Float would lose the small ones. */
static void cancelled(void **state)
{
  (void)state;
  static const float all[] = {0x1p-14f, 32768, -32768};
  enum { ROWS = 96, COLUMNS = 768, BESIDE = 16 };
  AT_SCOPE
  for (int type = 0; type < 2; type++) {
    at_tensor *x = at_empty(AT_SHAPE(ROWS, COLUMNS));
    for (int i = 0; i < ROWS; i++)
      for (int j = 0; j < COLUMNS; j++)
        ((float *)at_data(x))[i * COLUMNS + j] = all[(i + j / BESIDE) % 3];
    x = at_to(x, AT_CPU(type ? AT_BFLOAT16 : AT_HALF));
    CHECK_EQ(*floats(at_sum(x)), ROWS * COLUMNS / 3 * 0x1p-14f);
    const float *down = floats(at_sum_dim(x, AT_SHAPE(0)));
    for (int j = 0; j < COLUMNS; j++)
      CHECK_EQ(down[j], ROWS / 3 * 0x1p-14f);
    const float *along = floats(at_sum_dim(x, AT_SHAPE(1)));
    for (int i = 0; i < ROWS; i++)
      CHECK_EQ(along[i], COLUMNS / 3 * 0x1p-14f);
  }
}

/* Lines of any length, contiguous and with gaps, at any offset, with NaN and infinities. */
static void lines(void **state)
{
  static const at_scalar_type types[] = {AT_HALF, AT_BFLOAT16};
  static const int64_t lengths[] = {1, 2, 15, 17, 33, 100, 255, 257, 383, 385, 1025, 4097, 8200};
  static const int64_t inPlace[] = {1, 3, 16, 37};
  for (int k = 0; k < 2; k++)
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
      for (size_t j = 0; j < sizeof inPlace / sizeof *inPlace; j++)
        AT_SCOPE
        {
          const int64_t n = lengths[i], m = inPlace[j];
          at_tensor *const all = numbers(m + 1, 2 * n + 1, types[k], (int)j);
          at_tensor *const odd = at_narrow(at_narrow(all, 1, 1, n), 0, 1, m);
          check_reductions(odd);
          check_reductions(at_t(odd));
          check_reductions(at_contiguous(odd));
          check_reductions(at_slice(all, .dim = 1, .step = 2));
          check_reductions(at_expand(at_narrow(odd, 1, 0, 1), AT_SHAPE(m, n)));
          at_fill_(at_narrow(at_narrow(odd, 0, m - 1, 1), 1, n - 1, 1), at_scalar_double(INFINITY));
          check_reductions(odd);
          at_fill_(at_narrow(at_narrow(odd, 0, m / 2, 1), 1, n / 3, 1), at_scalar_double(NAN));
          check_reductions(odd);
        }
}

/* logsumexp, which computes exponentials while it sums. */
static void exponentials(void **state)
{
  static const int64_t sizes[][3] = {{1, 5, 1},    {3, 31, 1},  {3, 32, 1},  {2, 9000, 1},
                                     {1, 70, 3},   {1, 3, 33},  {2, 40, 33}, {3, 700, 40},
                                     {1, 9, 1025}, {50, 2, 32}, {40, 33, 2}, {2, 5000, 1}};
  static const float special[] = {1, INFINITY, -INFINITY, NAN};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (int s = 0; s < 4; s++)
      for (int how = 0; how < 4; how++)
        AT_SCOPE
        {
          static const int64_t dim = 1;
          const int64_t outer = sizes[k][0], n = sizes[k][1], inner = sizes[k][2];
          const at_type *const type = how & 2 ? AT_CPU(AT_DOUBLE) : AT_CPU(AT_FLOAT);
          at_tensor *x = at_randn(AT_SHAPE(outer, n, inner), .type = AT_CPU(AT_DOUBLE));
          x = at_to(at_to(at_mul(x, 30), AT_CPU(AT_FLOAT)), AT_CPU(AT_DOUBLE));
          at_fill_(at_narrow(at_narrow(x, 0, 0, 1), 2, inner / 2, 1),
                   at_scalar_double(s == 2 ? (double)special[s] : 2));
          double *const from = at_data(x);
          from[(n / 2) * inner + inner / 2] = (double)special[s];
          at_tensor *y = at_to(x, type);
          if (how & 1)
            y = at_transpose(at_contiguous(at_transpose(y, 0, 2)), 0, 2);
          const double *const is =
              at_data(at_to(at_logsumexp(y, ((at_ints){&dim, 1})), AT_CPU(AT_DOUBLE)));
          th_note("%d x %d x %d, %d, %d", (int)outer, (int)n, (int)inner, s, how);
          for (int64_t i = 0; i < outer * inner; i++) {
            const double *const line = from + i / inner * n * inner + i % inner;
            double sum = 0, most = -INFINITY;
            for (int64_t j = 0; j < n; j++)
              most = fmax(most, line[j * inner]);
            for (int64_t j = 0; j < n; j++)
              sum += exp(line[j * inner] - (isinf(most) ? 0 : most));
            const double expected = log(sum) + (isinf(most) ? 0 : most);
            const double most_off = (how & 2 ? 1e-14 : 1e-6) * (1 + fabs(expected));
            if (isnan(expected) ? !isnan(is[i])
                                : !(is[i] == expected || fabs(is[i] - expected) <= most_off))
              CHECK_EQ(is[i], expected);
          }
        }
}

/* --- conversions ------------------------------------------------------------------------------ */

static long double value_of(uint16_t bfloat)
{
  const uint32_t bits = (uint32_t)bfloat << 16;
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

/* The BFloat16 nearest to x >= 0, ties to even, by bisection of the finite ones. */
static uint16_t nearest(long double x)
{
  uint16_t low = 0, high = 0x7f80;
  while (high - low > 1) {
    const uint16_t middle = (uint16_t)((low + high) / 2);
    if (value_of(middle) <= x)
      low = middle;
    else
      high = middle;
  }
  const long double above = (high == 0x7f80 ? 0x1p128L : value_of(high)) - x;
  const long double below = x - value_of(low);
  return below < above || (below == above && low % 2 == 0) ? low : high;
}

/* Numbers so close to the middle between two BFloat16 that the nearest float is the middle: PyTorch rounds that
 * float. */
static void rounded_as_floats(void **state)
{
  (void)state;
  enum { COUNT = 400 };
  static const at_scalar_type types[] = {AT_DOUBLE, AT_LONG, AT_INT};
  AT_SCOPE
  for (int t = 0; t < 3; t++) {
    at_tensor *const from = at_empty(AT_SHAPE(COUNT), .type = AT_CPU(types[t]));
    for (int i = 0; i < COUNT; i++) {
      const int off = i / 2 % 3 - 1, sign = i % 2 ? -1 : 1;
      if (t == 0)
        ((double *)at_data(from))[i] =
            sign * ldexp((2 * (128 + i % 128) + 1) * 0x1p40 + off, i - 220);
      else if (t == 1)
        ((int64_t *)at_data(from))[i] =
            sign * (((INT64_C(2) * (128 + i % 128) + 1) << (i % 50)) + off);
      else
        ((int32_t *)at_data(from))[i] = sign * (((2 * (128 + i % 128) + 1) << 22) + off);
    }
    at_tensor *const to = at_to(from, AT_CPU(AT_BFLOAT16));
    const uint16_t *const is = at_data(to);
    for (int i = 0; i < COUNT; i++) {
      const float x = t == 0   ? (float)((double *)at_data(from))[i]
                      : t == 1 ? (float)((int64_t *)at_data(from))[i]
                               : (float)((int32_t *)at_data(from))[i];
      th_note("type %d, number %d", t, i);
      CHECK_EQ(is[i], nearest(fabsf(x)) | (signbit(x) ? 0x8000 : 0));
    }
  }
}

/* torch.range(0.1, 0.3, 0.1) has three numbers. */
static void counted(void **state)
{
  (void)state;
  AT_SCOPE
  {
    CHECK_EQ(at_numel(at_range(0.1, 0.3)), 1);
    CHECK_EQ(at_numel(at_range(0.1, 0.3, .step = 0.1)), 3);
    CHECK_EQ(at_numel(at_range(0.1, 0.3, .step = 0.1, .type = AT_CPU(AT_DOUBLE))), 3);
  }
}

/* The default type is that of new tensors, and of what integers become. */
static void defaults(void **state)
{
  (void)state;
  CHECK_EQ(at_defaultType(), AT_FLOAT);
  CHECK(!at_setDefaultType(AT_LONG) && at_error() == AT_ERROR_TYPE);
  at_error_clear();
  CHECK(at_setDefaultType(AT_DOUBLE));
  AT_SCOPE
  {
    at_tensor *const ints = at_arange(3, .type = AT_CPU(AT_LONG));
    at_tensor *const made[] = {at_zeros(AT_SHAPE(2)),
                               at_rand(AT_SHAPE(2)),
                               at_exp(ints),
                               at_div(ints, 2),
                               at_add(ints, 1.5),
                               at_logsumexp(ints, AT_INTS(0)),
                               at_linspace(0, 1, .steps = 3),
                               at_polygamma(2, ints)};
    for (size_t i = 0; i < sizeof made / sizeof *made; i++) {
      th_note("tensor %zu", i);
      CHECK(at_typeOf(made[i]) == AT_CPU(AT_DOUBLE));
    }
    at_tensor *const single = at_zeros(AT_SHAPE(1), .type = AT_CPU(AT_FLOAT));
    CHECK(at_typeOf(at_add(single, 1.5)) == AT_CPU(AT_FLOAT));
  }
  CHECK(at_setDefaultType(AT_FLOAT));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layouts),      cmocka_unit_test(signs),
      cmocka_unit_test(overlapping),  cmocka_unit_test(results),
      cmocka_unit_test(reductions),   cmocka_unit_test(lines),
      cmocka_unit_test(exponentials), cmocka_unit_test(shared),
      cmocka_unit_test(filled),       cmocka_unit_test(layers),
      cmocka_unit_test(halves),       cmocka_unit_test(booleans),
      cmocka_unit_test(cancelled),    cmocka_unit_test(rounded_as_floats),
      cmocka_unit_test(counted),      cmocka_unit_test(defaults),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

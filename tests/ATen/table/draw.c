/* See draw.h. */
#include "draw.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "th_test.h"

/* --- cases that succeed ----------------------------------------------------------------------- */

/* Stored tensors, as plain memory from which tensors are made for each call. */
typedef struct Plain {
  const at_type *type; /* NULL: no tensor */
  int dims;
  int64_t size[CASE_DIMS];
  void *bytes;
} Plain;

typedef struct Given {
  at_value value; /* except for the members below */
  Plain tensor, list[CASE_TENSORS];
  int64_t ints[CASE_DIMS];
  double doubles[CASE_DIMS];
} Given;

typedef struct Seed {
  const char *path;
  int line;
  Given *arguments;
} Seed;

enum { SEEDS = 16, OPERATIONS = 8192, ELEMENTS = 2048, BLOCK = 1 << 20 };

static struct {
  int seen; /* cases seen, of which SEEDS are kept */
  Seed kept[SEEDS];
} seeds[OPERATIONS];

/* A copy that is never freed, in large blocks. */
static void *kept(const void *from, size_t size)
{
  static char *block;
  static size_t used;
  const size_t taken = (size + 15) & ~(size_t)15;
  CHECK(taken <= BLOCK);
  if (!block || used + taken > BLOCK) {
    block = malloc(BLOCK);
    used = 0;
  }
  void *memory = block + used;
  used += taken;
  if (size > 0)
    memcpy(memory, from, size);
  return memory;
}

static size_t bytes_of(const at_tensor *t)
{
  return (size_t)at_numel(t) * at_type_elementSize(at_typeOf(t));
}

static Plain plain(const at_tensor *t)
{
  Plain p = {NULL};
  if (!at_defined(t))
    return p;
  p.type = at_typeOf(t);
  p.dims = at_dim(t);
  memcpy(p.size, at_sizes(t).data, (size_t)p.dims * sizeof *p.size);
  p.bytes = kept(at_data(t), bytes_of(t));
  return p;
}

static int64_t elements_of(const Case *one)
{
  int64_t count = 0;
  for (int i = 0; i < one->op->argumentCount; i++) {
    const at_value *v = &one->arguments[i].value;
    count += at_numel(v->tensor);
    for (int k = 0; k < v->tensors.count; k++)
      count += at_numel(v->tensors.data[k]);
  }
  return count;
}

/* Keeps a case; all cases that succeed have the same probability (reservoir sampling). */
static void keep_case(Case *one, void *context)
{
  const int index = (int)(one->op - at_ops);
  CHECK(index < OPERATIONS);
  if (one->error || elements_of(one) > ELEMENTS)
    return;
  int slot = seeds[index].seen++;
  if (slot >= SEEDS)
    slot = (int)th_random_below(context, slot + 1);
  if (slot >= SEEDS)
    return;
  const size_t size = sizeof(Given) * (size_t)one->op->argumentCount;
  Given *given = calloc((size_t)one->op->argumentCount + 1, sizeof *given);
  for (int i = 0; i < one->op->argumentCount; i++) {
    const CaseValue *v = &one->arguments[i];
    given[i].value = v->value;
    given[i].tensor = plain(v->value.tensor);
    for (int k = 0; k < v->value.tensors.count; k++)
      given[i].list[k] = plain(v->value.tensors.data[k]);
    memcpy(given[i].ints, v->ints, sizeof v->ints);
    memcpy(given[i].doubles, v->doubles, sizeof v->doubles);
  }
  seeds[index].kept[slot] = (Seed){one->path, one->line, kept(given, size)};
  free(given);
}

void draw_from(const char *path)
{
  th_random random = {th_seed()};
  cases_each(kept(path, strlen(path) + 1), false, keep_case, &random);
}

/* The operation whose cases are used: op itself, or the same operation under another name. */
static int source_of(const at_op *op)
{
  const int own = (int)(op - at_ops);
  for (int i = 0; i < at_opCount && seeds[own].seen == 0; i++)
    if (seeds[i].seen > 0 && at_ops[i].form == op->form && !strcmp(at_ops[i].schema, op->schema))
      return i;
  return own;
}

bool draw_hasCase(const at_op *op)
{
  return seeds[source_of(op)].seen > 0;
}

/* --- numbers ---------------------------------------------------------------------------------- */

static int64_t below(th_random *random, int64_t count)
{
  return th_random_below(random, count);
}

/* True with probability 1 / count. */
static bool once_in(th_random *random, int count)
{
  return below(random, count) == 0;
}

#define ONE_OF(RANDOM, TABLE) (TABLE)[below(RANDOM, (int64_t)(sizeof(TABLE) / sizeof *(TABLE)))]

static int64_t draw_long(th_random *random)
{
  static const int64_t extremes[] = {INT64_MIN,           INT64_MIN + 1,       -(INT64_C(1) << 62),
                                     -(INT64_C(1) << 40), -(INT64_C(1) << 32), INT32_MIN - 1LL,
                                     INT32_MIN,           INT32_MAX,           INT32_MAX + 1LL,
                                     INT64_C(1) << 32,    INT64_C(1) << 40,    INT64_C(1) << 61,
                                     INT64_C(1) << 62,    INT64_MAX - 1,       INT64_MAX};
  switch (below(random, 8)) {
    case 0:
      return ONE_OF(random, extremes);
    case 1:
      return below(random, 1000);
    case 2:
      return below(random, 40) - 20;
    default:
      return below(random, 12) - 3;
  }
}

static double draw_double(th_random *random)
{
  static const double extremes[] = {NAN,   INFINITY, -INFINITY, 0.0,    -0.0,    5e-324,  -1e-310,
                                    1e-40, 65504,    -65520,    3.5e38, -1e39,   1e300,   -1.7e308,
                                    128,   -129,     255.5,     -1,     0x1p31,  -0x1p31, 0x1p63,
                                    1,     0x1p24,   0x1p53,    -1e-8,  0x1p-14, 1e18};
  switch (below(random, 4)) {
    case 0:
      return ONE_OF(random, extremes);
    case 1:
      return (double)(below(random, 9) - 3);
    default:
      return (double)below(random, 1 << 20) / (1 << 18) - 2;
  }
}

/* How the elements of a tensor are drawn. */
typedef enum { SMALL, INDICES, POSITIVE, REAL, EXTREME, EQUAL, STYLES } Style;

static double element_double(th_random *random, Style style)
{
  switch (style) {
    case SMALL:
      return (double)(below(random, 7) - 3);
    case INDICES:
      return (double)below(random, 3);
    case POSITIVE:
      return (double)below(random, 1 << 20) / (1 << 20);
    case REAL:
      return (double)below(random, 1 << 20) / (1 << 18) - 2;
    case EXTREME:
      return draw_double(random);
    default:
      return 1;
  }
}

static int64_t element_long(th_random *random, Style style)
{
  switch (style) {
    case SMALL:
      return below(random, 7) - 3;
    case INDICES:
      return below(random, 3);
    case POSITIVE:
      return below(random, 6);
    case REAL:
      return below(random, 200) - 100;
    case EXTREME:
      return draw_long(random);
    default:
      return 1;
  }
}

static at_scalar draw_scalar(th_random *random)
{
  return once_in(random, 2) ? at_scalar(draw_long(random)) : at_scalar(draw_double(random));
}

/* A word that some operation knows, one that none does, or NULL. */
static const char *draw_word(th_random *random)
{
  static const char *const words[] = {"none", "tanh", "sum",   "mean",     "prod",   "amax", "amin",
                                      "ij",   "xy",   "floor", "constant", "linear", "",     NULL};
  return ONE_OF(random, words);
}

static const at_type *draw_type(th_random *random)
{
  if (once_in(random, 2))
    return AT_CPU(once_in(random, 3) ? AT_DOUBLE : AT_FLOAT);
  return AT_CPU((at_scalar_type)below(random, AT_SCALAR_TYPES));
}

/* --- tensors ---------------------------------------------------------------------------------- */

typedef struct Shape {
  int dims;
  int64_t size[CALL_DIMS];
} Shape;

static at_ints ints_of(const Shape *shape)
{
  return (at_ints){shape->size, shape->dims};
}

static Shape shape_of(const at_tensor *t)
{
  Shape shape = {.dims = at_dim(t)};
  for (int d = 0; d < shape.dims; d++)
    shape.size[d] = at_sizes(t).data[d];
  return shape;
}

/* Reduces sizes until there are few elements. */
static void bound(Shape *shape)
{
  int64_t count = 1;
  for (int d = 0; d < shape->dims; d++) {
    if (shape->size[d] > 1 && count * shape->size[d] > ELEMENTS)
      shape->size[d] = 1;
    count *= THMax(shape->size[d], 1);
  }
}

static Shape draw_shape(th_random *random)
{
  static const int64_t sizes[] = {0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 7, 33};
  Shape shape = {0};
  const int kind = (int)below(random, 20);
  shape.dims = (int)(kind == 0   ? CALL_DIMS - below(random, 2) * below(random, CALL_DIMS)
                     : kind < 4  ? 5 + below(random, 3)
                     : kind == 4 ? 0
                                 : 1 + below(random, 4));
  for (int d = 0; d < shape.dims; d++)
    shape.size[d] = shape.dims > 8 ? 1 + once_in(random, 20) : ONE_OF(random, sizes);
  bound(&shape);
  return shape;
}

static void change_shape(th_random *random, Shape *shape)
{
  const int dims = shape->dims, d = dims > 0 ? (int)below(random, dims) : 0;
  const int kind = (int)below(random, 8);
  if (kind < 2 && dims > 0) { /* another size */
    const int64_t size = shape->size[d] + below(random, 5) - 2;
    shape->size[d] = THMax(size, 0);
  } else if (kind == 2 && dims > 0) {
    shape->size[d] = below(random, 2);
  } else if (kind == 3 && dims > 0) { /* one dimension less */
    memmove(shape->size + d, shape->size + d + 1, (size_t)(dims - d - 1) * sizeof *shape->size);
    shape->dims--;
  } else if (kind == 4 && dims < CALL_DIMS) { /* one more */
    memmove(shape->size + d + 1, shape->size + d, (size_t)(dims - d) * sizeof *shape->size);
    shape->size[d] = once_in(random, 2) ? 1 : below(random, 4);
    shape->dims++;
  } else if (kind == 5 && dims > 0) {
    const int e = (int)below(random, dims);
    const int64_t size = shape->size[d];
    shape->size[d] = shape->size[e];
    shape->size[e] = size;
  } else if (kind == 6) {
    shape->dims = 0;
  } else {
    *shape = draw_shape(random);
  }
  bound(shape);
}

/* Checks that made is defined, and releases of, from which it was made. */
static at_tensor *must(at_tensor *made, at_tensor *of)
{
  CHECK_MSG(at_defined(made), "%s", at_error_message());
  at_release(of);
  return made;
}

/* A tensor of that size with a random order of dimensions in memory, and perhaps gaps. */
static at_tensor *in_any_layout(th_random *random, const at_type *type, const Shape *shape)
{
  const int dims = shape->dims;
  if (dims == 0 && once_in(random, 2))
    return at_full(AT_SCALAR_SHAPE, at_scalar(1), .type = type);
  if (dims == 0) {
    at_tensor *whole = at_full(AT_SHAPE(3), at_scalar(1), .type = type);
    return must(at_select(whole, 0, 1), whole);
  }
  int64_t order[CALL_DIMS], back[CALL_DIMS], wide[CALL_DIMS];
  const bool mixed = once_in(random, 2), gaps = dims <= 8 && once_in(random, 3);
  for (int d = 0; d < dims; d++)
    order[d] = d;
  for (int d = dims - 1; mixed && d > 0; d--) {
    const int e = (int)below(random, d + 1);
    const int64_t here = order[d];
    order[d] = order[e];
    order[e] = here;
  }
  for (int d = 0; d < dims; d++) {
    back[order[d]] = d;
    wide[d] = shape->size[order[d]] + (gaps ? below(random, 3) : 0);
  }
  at_tensor *t = at_full(((at_ints){wide, dims}), at_scalar(1), .type = type);
  if (mixed)
    t = must(at_permute(t, ((at_ints){back, dims})), t);
  for (int d = 0; d < dims; d++)
    if (at_size(t, d) > shape->size[d]) {
      const int64_t start = below(random, at_size(t, d) - shape->size[d] + 1);
      t = must(at_narrow(t, d, start, shape->size[d]), t);
    }
  return t;
}

static at_tensor *of_values(th_random *random, const at_type *type, const Shape *shape, Style style)
{
  const at_scalar_type scalar = at_type_scalarType(type);
  const bool floats =
      scalar == AT_FLOAT || scalar == AT_DOUBLE || scalar == AT_HALF || scalar == AT_BFLOAT16;
  at_tensor *values = at_empty(ints_of(shape), .type = AT_CPU(floats ? AT_DOUBLE : AT_LONG));
  for (int64_t i = 0; i < at_numel(values); i++)
    if (floats)
      ((double *)at_data(values))[i] = element_double(random, style);
    else
      ((int64_t *)at_data(values))[i] = element_long(random, style);
  at_tensor *t = in_any_layout(random, type, shape);
  must(at_copy_(t, values), values);
  return t;
}

static at_tensor *of_plain(th_random *random, const Plain *p)
{
  Shape shape = {.dims = p->dims};
  memcpy(shape.size, p->size, sizeof p->size);
  at_tensor *values = at_empty(ints_of(&shape), .type = p->type);
  if (at_numel(values) > 0)
    memcpy(at_data(values), p->bytes, bytes_of(values));
  at_tensor *t = in_any_layout(random, p->type, &shape);
  must(at_copy_(t, values), values);
  return t;
}

/* A tensor like t, with one dimension of stride 0. */
static at_tensor *repeating(th_random *random, at_tensor *t)
{
  if (at_dim(t) == 0 || at_numel(t) == 0)
    return at_retain(t);
  Shape shape = shape_of(t);
  const int d = (int)below(random, shape.dims);
  if (shape.size[d] == 1)
    shape.size[d] = 1 + below(random, 5);
  at_tensor *one = at_narrow(t, d, 0, 1);
  return must(at_expand(one, ints_of(&shape)), one);
}

/* A view of t's memory, perhaps t itself. */
static at_tensor *sharing(th_random *random, at_tensor *t)
{
  const int dims = at_dim(t), d = dims > 0 ? (int)below(random, dims) : 0;
  switch (below(random, 7)) {
    case 0:
      return dims > 0 ? at_transpose(t, d, below(random, dims)) : at_unsqueeze(t, 0);
    case 1:
      if (dims > 0 && at_size(t, d) > 1)
        return at_narrow(t, d, below(random, 2), at_size(t, d) - 1);
      break;
    case 2:
      if (dims > 0 && at_size(t, d) > 0)
        return at_select(t, d, below(random, at_size(t, d)));
      break;
    case 3:
      return at_view_as(t, t);
    case 4:
      return repeating(random, t);
    case 5:
      if (dims > 0)
        return at_slice(t, .dim = d, .start = below(random, 2), .step = 2);
      break;
    default:
      break;
  }
  return at_retain(t);
}

/* --- arguments -------------------------------------------------------------------------------- */

typedef struct Draw {
  Call *call;
  th_random *random;
  const at_type *type; /* the usual type of tensors, so that some fit each other */
  Shape shape;
} Draw;

static at_tensor *own(Draw *draw, at_tensor *t)
{
  Call *call = draw->call;
  CHECK_MSG(t != at_undefined(), "%s", at_error_message());
  at_error_clear();
  for (int i = 0; i < call->tensorCount; i++)
    if (call->tensors[i] == t) {
      at_release(t);
      return t;
    }
  CHECK(call->tensorCount < CALL_TENSORS);
  return call->tensors[call->tensorCount++] = t;
}

static at_tensor *any_tensor(Draw *draw)
{
  th_random *random = draw->random;
  if (once_in(random, 30))
    return once_in(random, 2) ? NULL : at_undefined();
  Shape shape = draw->shape;
  if (once_in(random, 4))
    change_shape(random, &shape);
  const at_type *type = once_in(random, 5) ? draw_type(random) : draw->type;
  return own(draw, of_values(random, type, &shape, (Style)below(random, STYLES)));
}

/* Another tensor that is derived from t. */
static at_tensor *other_tensor(Draw *draw, at_tensor *t)
{
  th_random *random = draw->random;
  if (!at_defined(t))
    return any_tensor(draw);
  Shape shape = shape_of(t);
  switch (below(random, 8)) {
    case 0:
      return any_tensor(draw);
    case 1:
      return once_in(random, 2) ? NULL : at_undefined();
    case 2:
      if (at_numel(t) > 0 && at_dim(t) > 0)
        return own(draw, repeating(random, t));
      return any_tensor(draw);
    case 3: { /* the values of t in another type */
      const at_type *type = draw_type(random);
      at_tensor *cast = at_to(t, type), *to = in_any_layout(random, type, &shape);
      must(at_copy_(to, cast), cast);
      return own(draw, to);
    }
    case 4:
    case 5:
      change_shape(random, &shape);
      break;
    default:
      break;
  }
  return own(draw, of_values(random, at_typeOf(t), &shape, (Style)below(random, STYLES)));
}

static void other_list(Draw *draw, int i)
{
  th_random *random = draw->random;
  at_value *v = &draw->call->values[i];
  at_tensor **list = draw->call->lists[i];
  int count = v->tensors.count;
  const int chosen = count > 0 ? (int)below(random, count) : 0;
  switch (below(random, 5)) {
    case 0:
      count = (int)below(random, CALL_LISTED);
      break;
    case 1:
      if (count < CALL_LISTED)
        count++;
      break;
    case 2:
      count = THMax(count - 1, 0);
      break;
    case 3:
      if (once_in(random, 4)) {
        v->tensors = (at_tensors){NULL, (int)below(random, 4) - 1};
        return;
      }
      break;
    default:
      if (count > 0)
        list[chosen] = other_tensor(draw, list[chosen]);
  }
  for (int k = v->tensors.count; k < count; k++)
    list[k] = k > 0 && once_in(random, 4) ? list[k - 1] : any_tensor(draw);
  v->tensors = (at_tensors){list, count};
}

static void other_ints(Draw *draw, int i)
{
  th_random *random = draw->random;
  at_value *v = &draw->call->values[i];
  int64_t *ints = draw->call->ints[i];
  const int wanted = draw->call->op->arguments[i].count;
  int count = v->ints.count;
  if (count == 0 && wanted > 0)
    count = wanted;
  if (once_in(random, 3) || count == 0)
    count = (int)(once_in(random, 8) ? below(random, CALL_INTS + 1) : below(random, 6));
  for (int k = v->ints.count; k < count; k++)
    ints[k] = count > 10 ? 1 : draw_long(random);
  if (count > 0)
    ints[below(random, count)] = draw_long(random);
  v->ints = (at_ints){count > 0 ? ints : NULL, count};
  if (once_in(random, 60))
    v->ints = (at_ints){NULL, (int)below(random, 4) - 1};
}

/* Replaces a type, generator or storage. */
static void other_object(Draw *draw, at_value *v, at_kind kind)
{
  th_random *random = draw->random;
  if (kind == AT_KIND_TYPE) {
    v->type = once_in(random, 10) ? at_undefinedType() : draw_type(random);
    if (once_in(random, 4)) {
      v->type = NULL;
      v->given = once_in(random, 4); /* NULL, which is an error */
    }
  } else if (kind == AT_KIND_GENERATOR && !v->generator && once_in(random, 2)) {
    v->generator = at_generator_new(AT_BACKEND_CPU);
    at_generator_manualSeed(v->generator, th_random_next(random));
  } else if (kind == AT_KIND_STORAGE) {
    at_storage_release(v->storage);
    v->storage = NULL;
    if (!once_in(random, 10))
      v->storage =
          at_storage_new(once_in(random, 4) ? draw_type(random) : draw->type, below(random, 200));
  }
}

/* Replaces argument i. */
static void other_value(Draw *draw, int i)
{
  th_random *random = draw->random;
  Call *call = draw->call;
  at_value *v = &call->values[i];
  const at_argument *argument = &call->op->arguments[i];
  v->given = !argument->defaults || !once_in(random, 3);
  if (!v->given) {
    at_generator_free(v->generator);
    at_storage_release(v->storage);
    *v = (at_value){0};
    return;
  }
  switch (argument->kind) {
    case AT_KIND_TENSOR:
    case AT_KIND_OPTIONAL_TENSOR:
      v->tensor = other_tensor(draw, v->tensor);
      break;
    case AT_KIND_TENSORS:
    case AT_KIND_OPTIONAL_TENSORS:
      other_list(draw, i);
      break;
    case AT_KIND_SCALAR:
      v->scalar = draw_scalar(random);
      break;
    case AT_KIND_LONG:
      v->integer = draw_long(random);
      break;
    case AT_KIND_DOUBLE:
      v->number = draw_double(random);
      break;
    case AT_KIND_BOOL:
      v->truth = once_in(random, 2);
      break;
    case AT_KIND_INTS:
      other_ints(draw, i);
      break;
    case AT_KIND_TYPE:
    case AT_KIND_GENERATOR:
    case AT_KIND_STORAGE:
      other_object(draw, v, argument->kind);
      break;
    case AT_KIND_STRING:
      v->string = draw_word(random);
      break;
    case AT_KIND_DOUBLES:
      for (int k = 0; k < CASE_DIMS; k++)
        draw->call->doubles[i][k] = draw_double(random);
      v->doubles = (at_doubles){draw->call->doubles[i], (int)below(random, CASE_DIMS) - 1};
  }
}

/* Draws a random argument i. */
static void any_value(Draw *draw, int i)
{
  at_value *v = &draw->call->values[i];
  const at_argument *argument = &draw->call->op->arguments[i];
  if (argument->defaults && once_in(draw->random, 2))
    return;
  if (argument->kind == AT_KIND_TENSORS || argument->kind == AT_KIND_OPTIONAL_TENSORS)
    v->tensors = (at_tensors){NULL, 0};
  other_value(draw, i);
}

static void seeded_value(Draw *draw, int i, const Given *given)
{
  th_random *random = draw->random;
  Call *call = draw->call;
  at_value *v = &call->values[i];
  *v = given->value;
  if (given->tensor.type)
    v->tensor = own(draw, of_plain(random, &given->tensor));
  for (int k = 0; k < v->tensors.count; k++)
    call->lists[i][k] = given->list[k].type ? own(draw, of_plain(random, &given->list[k])) : NULL;
  v->tensors.data = call->lists[i];
  memcpy(call->ints[i], given->ints, sizeof given->ints);
  v->ints.data = v->ints.count > 0 ? call->ints[i] : NULL;
  memcpy(call->doubles[i], given->doubles, sizeof given->doubles);
  v->doubles.data = v->doubles.count > 0 ? call->doubles[i] : NULL;
  if (v->generator) {
    v->generator = at_generator_new(AT_BACKEND_CPU);
    at_generator_manualSeed(v->generator, th_random_next(random));
  }
}

/* Replaces a tensor argument by a view of another one, or by that one. */
static void share(Draw *draw)
{
  Call *call = draw->call;
  const int i = (int)below(draw->random, call->op->argumentCount);
  const at_kind kind = call->op->arguments[i].kind;
  if (call->tensorCount == 0)
    return;
  at_tensor *t = call->tensors[below(draw->random, call->tensorCount)];
  if (kind == AT_KIND_TENSOR || kind == AT_KIND_OPTIONAL_TENSOR)
    call->values[i].tensor = own(draw, sharing(draw->random, t));
  else if (call->values[i].tensors.data && call->values[i].tensors.count > 0)
    call->lists[i][below(draw->random, call->values[i].tensors.count)] =
        own(draw, sharing(draw->random, t));
}

void draw_call(Call *call, const at_op *op, uint64_t number)
{
  th_random random = {number * UINT64_C(0x9e3779b97f4a7c15) + th_seed()};
  CHECK(op->argumentCount <= CASE_VALUES && op->resultCount <= CASE_VALUES);
  memset(call, 0, sizeof *call);
  call->op = op;
  Draw draw = {call, &random, draw_type(&random), draw_shape(&random)};
  at_manualSeed(th_random_next(&random));

  const int source = source_of(op), count = op->argumentCount;
  const int stored = THMin(seeds[source].seen, SEEDS);
  if (stored == 0 || once_in(&random, 16)) {
    for (int i = 0; i < count; i++)
      any_value(&draw, i);
  } else {
    const Seed *seed = &seeds[source].kept[below(&random, stored)];
    call->from = seed->path;
    call->line = seed->line;
    for (int i = 0; i < count; i++)
      seeded_value(&draw, i, &seed->arguments[i]);
    const int kind = (int)below(&random, 8);
    if (kind < 3 && count > 0)
      other_value(&draw, (int)below(&random, count));
    for (int i = 0; kind == 3 && i < count; i++)
      if (once_in(&random, 2))
        other_value(&draw, i);
  }
  for (int most = 3; count > 0 && most > 0 && once_in(&random, 5); most--)
    share(&draw);
  at_error_clear();
}

void draw_free(Call *call)
{
  for (int i = 0; i < call->tensorCount; i++)
    at_release(call->tensors[i]);
  for (int i = 0; i < call->op->argumentCount; i++) {
    at_generator_free(call->values[i].generator);
    at_storage_release(call->values[i].storage);
  }
}

bool draw_hasUndefined(const Call *call)
{
  bool any = false;
  for (int i = 0; i < call->op->argumentCount; i++) {
    const at_value *v = &call->values[i];
    any |= v->tensor == at_undefined();
    for (int k = 0; v->tensors.data && k < v->tensors.count; k++)
      any |= v->tensors.data[k] == at_undefined();
  }
  return any;
}

/* --- for people ------------------------------------------------------------------------------- */

static void print_ints(at_ints ints, FILE *file)
{
  for (int i = 0; ints.data && i < ints.count; i++)
    fprintf(file, "%s%lld", i > 0 ? ", " : "", (long long)ints.data[i]);
}

static void print_tensor(const Call *call, at_tensor *t, FILE *file)
{
  if (!at_defined(t)) {
    fprintf(file, t ? "undefined\n" : "NULL\n");
    return;
  }
  int index = 0;
  while (index < call->tensorCount && call->tensors[index] != t)
    index++;
  const THFloatTensor *th = at_unsafeGetTH(t);
  fprintf(file, "tensor %d, %s (", index, at_type_toString(at_typeOf(t)));
  print_ints(at_sizes(t), file);
  fprintf(file, "), strides (");
  print_ints(at_strides(t), file);
  fprintf(file, "), offset %lld of storage %p of %lld", (long long)at_storageOffset(t),
          (void *)th->storage, th->storage ? (long long)th->storage->size : 0);
  char *text = at_numel(t) <= 20 && at_dim(t) < 9 ? at_toString(t) : NULL;
  fprintf(file, "%s%s\n", text ? " = " : "", text ? text : "");
  at_string_free(text);
}

static void print_value(const Call *call, int i, FILE *file)
{
  const at_value *v = &call->values[i];
  const at_argument *argument = &call->op->arguments[i];
  fprintf(file, "  %s: ", argument->name);
  if (argument->defaults && !v->given) {
    fprintf(file, "not given\n");
    return;
  }
  switch (argument->kind) {
    case AT_KIND_TENSOR:
    case AT_KIND_OPTIONAL_TENSOR:
      print_tensor(call, v->tensor, file);
      break;
    case AT_KIND_TENSORS:
    case AT_KIND_OPTIONAL_TENSORS:
      fprintf(file, "%d tensors%s\n", v->tensors.count, v->tensors.data ? "" : " at NULL");
      for (int k = 0; v->tensors.data && k < v->tensors.count; k++) {
        fprintf(file, "    ");
        print_tensor(call, v->tensors.data[k], file);
      }
      break;
    case AT_KIND_SCALAR:
      if (v->scalar.is_float)
        fprintf(file, "%.17g\n", v->scalar.value.number);
      else
        fprintf(file, "%lld\n", (long long)v->scalar.value.integer);
      break;
    case AT_KIND_LONG:
      fprintf(file, "%lld\n", (long long)v->integer);
      break;
    case AT_KIND_DOUBLE:
      fprintf(file, "%.17g\n", v->number);
      break;
    case AT_KIND_BOOL:
      fprintf(file, "%d\n", v->truth);
      break;
    case AT_KIND_INTS:
      fprintf(file, "%d%s (", v->ints.count, v->ints.data ? "" : " at NULL");
      print_ints(v->ints, file);
      fprintf(file, ")\n");
      break;
    case AT_KIND_TYPE:
      fprintf(file, "%s\n", v->type ? at_type_toString(v->type) : "NULL");
      break;
    case AT_KIND_GENERATOR:
      fprintf(file, "%s\n", v->generator ? "a generator" : "NULL");
      break;
    case AT_KIND_STORAGE:
      fprintf(file, "%lld elements of %s\n", (long long)at_storage_size(v->storage),
              v->storage ? at_type_toString(at_storage_type(v->storage)) : "NULL");
      break;
    case AT_KIND_STRING:
      fprintf(file, "%s\n", v->string ? v->string : "NULL");
      break;
    case AT_KIND_DOUBLES:
      fprintf(file, "%d numbers\n", v->doubles.count);
  }
}

void draw_print(const Call *call, FILE *file)
{
  fprintf(file, "%s%s%s", call->op->name, *call->op->overload ? "." : "", call->op->overload);
  if (call->from)
    fprintf(file, ", drawn from %s:%d", call->from, call->line);
  fprintf(file, "\n");
  for (int i = 0; i < call->op->argumentCount; i++)
    print_value(call, i, file);
}

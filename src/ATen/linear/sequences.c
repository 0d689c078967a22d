/* Sequences. */
#include <math.h>

#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"
#include "THParallel.h"

/* --- numbers one step apart ------------------------------------------------------------------- */

static const at_type *type_of(const at_tensor *out, const at_type *type, at_scalar_type otherwise)
{
  if (out && type)
    at_checkType(out, "result", type);
  type = out ? out->type : type ? type : at_getType(AT_BACKEND_CPU, otherwise);
  if (type->scalarType == AT_BOOL)
    at_raise(AT_ERROR_TYPE, "there are no sequences of Bool");
  return type;
}

/* The scalar truncated to an integer; raises if Long cannot hold it. */
static at_scalar whole(at_scalar number)
{
  if (number.is_float && !(fabs(number.value.number) < 0x1p63))
    at_raise(AT_ERROR_ARGUMENT, "the number %g cannot be converted to Long", number.value.number);
  return at_scalar_long(at_scalar_toLong(number));
}

/* Raises unless step leads from start towards end. */
static void check_steps(at_scalar start, at_scalar end, at_scalar step)
{
  const double a = at_scalar_toDouble(start), b = at_scalar_toDouble(end),
               s = at_scalar_toDouble(step);
  if (!isfinite(a) || !isfinite(b) || !isfinite(s) || s == 0)
    at_raise(AT_ERROR_ARGUMENT, "start %g, end %g and step %g have to be finite, and step not 0", a,
             b, s);
  if ((s > 0) != (b >= a) && a != b)
    at_raise(AT_ERROR_ARGUMENT, "step %g does not lead from start %g to end %g", s, a, b);
}

static int64_t checked_count(double count)
{
  if (!(count < 0x1p62))
    at_raise(AT_ERROR_ARGUMENT, "a sequence of %g numbers is too long", count);
  return (int64_t)count;
}

/* Delivers made to out, which keeps its shape if it has the same number of elements. */
static at_tensor *end_sequence(at_pool *pool, at_tensor *out, at_tensor *made)
{
  if (out && at_numel(out) == at_numel(made) && at_sizesOf(out).count != 1)
    made = at_hold(pool, at_viewAs(made, at_sizesOf(out)));
  return at_finishOne(pool, out, made);
}

/* first, first + by, ... to made.  Where first + by rounds to first, TH's arange would
 * find another number of steps. */
static void fill_steps(at_pool *pool, at_tensor *made, double first, double by, int64_t count)
{
  const double end = first + by * ((double)count - 0.5);
  if (ceil((end - first) / by) == (double)count) {
    AT_OF(made->type, arange)(made->th, at_scalar_double(first), at_scalar_double(end),
                              at_scalar_double(by));
    return;
  }
  const at_type *const wide = at_toScalarType(made->type, AT_DOUBLE);
  at_tensor *const doubles =
      made->type == wide ? made : at_hold(pool, at_newShape(wide, (at_ints){&count, 1}));
  double *const numbers = at_hostData(doubles);
  for (int64_t i = 0; i < count; i++)
    numbers[i] = first + (double)i * by;
  if (doubles != made)
    at_convert(made, doubles);
}

/* Queues the kernel of the numbers for a device; its result is of the type, or of Long. */
static at_tensor *device_steps(at_pool *pool, const at_type *type, at_scalar start, at_scalar step,
                               int64_t count)
{
  const bool isInteger = !at_isFloating(type->scalarType);
  const at_type *const compute = isInteger ? at_toScalarType(type, AT_LONG) : at_addsAs(type);
  at_tensor *const made = at_hold(pool, at_newShape(compute, (at_ints){&count, 1}));
  const at_steps_work work = {.count = count,
                              .isInteger = isInteger,
                              .start = isInteger ? start.value.integer : 0,
                              .step = isInteger ? step.value.integer : 0,
                              .first = at_scalar_toDouble(start),
                              .by = at_scalar_toDouble(step),
                              .to = at_data(made)};
  if (count > 0)
    at_cuda()->launch(AT_KERNEL_steps, isInteger ? THScalarFloat : compute->held, &work);
  return at_cast(pool, made, type);
}

/* count numbers from start on.  For an integer type, start and step are converted to integers. */
static at_tensor *stepped(at_tensor *out, const at_type *type, at_scalar start, at_scalar step,
                          int64_t count)
{
  at_pool pool;
  at_pool_enter(&pool);
  const bool floating = at_isFloating(type->scalarType);
  if (!floating) {
    start = whole(start);
    step = whole(step);
  }
  if (!at_isOnHost(type))
    return end_sequence(&pool, out, device_steps(&pool, type, start, step, count));
  const at_type *const compute = at_addsAs(type);
  at_tensor *made = at_hold(&pool, at_newShape(compute, (at_ints){&count, 1}));
  if (count > 0 && !floating) {
    /* TH's arange stops where a number does not fit the type; here numbers wrap around. */
    const at_type *wide = at_toScalarType(compute, AT_LONG);
    at_tensor *longs =
        compute == wide ? made : at_hold(&pool, at_newShape(wide, (at_ints){&count, 1}));
    const uint64_t first = (uint64_t)start.value.integer, by = (uint64_t)step.value.integer;
    int64_t *const numbers = at_hostData(longs);
    for (int64_t i = 0; i < count; i++)
      numbers[i] = (int64_t)(first + (uint64_t)i * by);
    if (longs != made)
      at_convert(made, longs);
  } else if (count > 0) {
    fill_steps(&pool, made, at_scalar_toDouble(start), at_scalar_toDouble(step), count);
  }
  return end_sequence(&pool, out, at_cast(&pool, made, type));
}

at_tensor *at_arangeFrom(at_tensor *out, const at_type *type, at_scalar start, at_scalar end,
                         at_scalar step)
{
  const bool integers = !start.is_float && !end.is_float && !step.is_float;
  type = type_of(out, type, integers ? AT_LONG : at_defaultType());
  check_steps(start, end, step);
  int64_t count;
  if (integers) {
    const __int128 distance = (__int128)end.value.integer - start.value.integer;
    const __int128 by = step.value.integer;
    const __int128 wide = distance / by + (distance % by != 0);
    count = checked_count((double)wide);
    count = wide < INT64_MAX ? (int64_t)wide : count;
  } else {
    count = checked_count(ceil((at_scalar_toDouble(end) - at_scalar_toDouble(start)) /
                               at_scalar_toDouble(step)));
  }
  return stepped(out, type, start, step, count);
}

at_tensor *at_rangeTo(at_tensor *out, const at_type *type, at_scalar start, at_scalar end,
                      at_scalar step)
{
  type = type_of(out, type, at_defaultType());
  if (!at_isFloating(type->scalarType)) {
    start = whole(start);
    end = whole(end);
    step = whole(step);
  }
  check_steps(start, end, step);
  const double distance = at_scalar_toDouble(end) - at_scalar_toDouble(start);
  const int64_t count = checked_count(floor(distance / at_scalar_toDouble(step) + 1));
  return stepped(out, type, start, step, count);
}

/* --- numbers evenly spaced -------------------------------------------------------------------- */

enum { BLOCK = 1024 }; /* elements that a thread computes at a time */

/* Computes a block of the numbers, each from the nearer end, so that both ends are exact. */
static void fill_block(const at_space *s, int64_t at, double *r)
{
  const int n = (int)THMin(BLOCK, s->count - at);
  const int half = (int)THMax(0, THMin(n, s->count / 2 - at));
  const double start = (double)at, left = (double)(s->count - 1 - at);
  for (int i = 0; i < half; i++)
    r[i] = s->first + s->step * (start + i);
  for (int i = half; i < n; i++)
    r[i] = s->last - s->step * (left - i);
  for (int i = 0; i < n && s->powers; i++)
    r[i] = pow(s->base, r[i]);
}

/* The numbers on the type's device, in Float there for Float and else in Double. */
static at_tensor *made_spaced(at_pool *pool, const at_type *type, const at_space *s)
{
  const bool isHost = at_isOnHost(type);
  const at_type *const compute =
      !isHost && type->scalarType == AT_FLOAT ? type : at_toScalarType(type, AT_DOUBLE);
  at_tensor *const made = at_hold(pool, at_newShape(compute, (at_ints){&s->count, 1}));
  if (isHost) {
    double *const r = at_hostData(made);
    TH_PARALLEL_FOR (i, (s->count + BLOCK - 1) / BLOCK, s->powers ? 1 : TH_LOOP_GRAIN / BLOCK)
      fill_block(s, i * BLOCK, r + i * BLOCK);
  } else if (s->count > 0) {
    const at_spaced_work work = {*s, at_data(made)};
    at_cuda()->launch(AT_KERNEL_spaced, compute->held, &work);
  }
  return at_cast(pool, made, type);
}

static at_tensor *spaced(at_tensor *out, const at_type *type, at_scalar start, at_scalar end,
                         int64_t steps, bool powers, double base)
{
  type = out || type ? type : at_getType(AT_BACKEND_CPU, at_defaultType());
  if (out && type)
    at_checkType(out, "result", type);
  type = out ? out->type : type;
  if (steps < 0)
    at_raise(AT_ERROR_ARGUMENT, "steps is %lld", (long long)steps);
  const bool integers = !at_isFloating(type->scalarType);
  at_space s = {.first = at_scalar_toDouble(start),
                .last = at_scalar_toDouble(end),
                .count = steps,
                .powers = powers,
                .base = base};
  if (integers && isfinite(s.first) &&
      isfinite(s.last)) { /* integer types begin and end with integers */
    s.first = trunc(s.first);
    s.last = trunc(s.last);
  }
  const double between = (double)(steps - 1), way = s.last - s.first;
  const double step = isinf(way) ? s.last / between - s.first / between : way / between;
  s.step = steps > 1 ? step : 0;
  if (steps == 1)
    s.last = s.first;
  at_pool pool;
  at_pool_enter(&pool);
  return end_sequence(&pool, out, made_spaced(&pool, type, &s));
}

at_tensor *at_evenly(at_tensor *out, const at_type *type, at_scalar start, at_scalar end,
                     int64_t steps)
{
  return spaced(out, type, start, end, steps, false, 0);
}

at_tensor *at_evenPowers(at_tensor *out, const at_type *type, at_scalar start, at_scalar end,
                         int64_t steps, double base)
{
  return spaced(out, type, start, end, steps, true, base);
}

/* Reductions of adjacent segments along a dimension. */
#include <math.h>
#include <string.h>

#include "ATen/autograd/Formulas.h"
#include "ATen/random/drawn.h"

static const char name[] = "segment_reduce";

typedef struct Kind {
  const char *name, *scattered; /* scattered: the reduction of scatter_reduce */
  double start;                 /* of an empty segment */
  bool takesStart;              /* the start is reduced too; else it is compared afterwards */
} Kind;

static const Kind kinds[] = {{"sum", "sum", 0, true},
                             {"mean", "sum", 0, true},
                             {"prod", "prod", 1, true},
                             {"max", "amax", -(double)INFINITY, false},
                             {"min", "amin", (double)INFINITY, false}};

static const Kind *kind_of(const char *name)
{
  for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    if (!strcmp(name, kinds[k].name))
      return &kinds[k];
  return NULL;
}

typedef struct Segments {
  int axis;
  int64_t n, count;             /* the size of the axis, and the number of segments */
  at_tensor *offsets, *lengths; /* of Long: lines of count + 1 and of count numbers */
} Segments;

static bool refuse(const char *what, at_tensor *data, at_tensor *given)
{
  at_fail(AT_ERROR_ARGUMENT, name, "segment_reduce: %s; data is of size %s, these of %s", what,
          at_sizeDesc(at_sizes(data)).str, at_sizeDesc(at_sizes(given)).str);
  return false;
}

/* Whether lengths are 0 or more, and those of each line sum to the size of the axis, as far as is known. */
static bool are_lengths(const Segments *s)
{
  const at_draw_rule each = {name, "lengths have the element %g, and have to be 0 or more", 3, 0,
                             (double)INFINITY};
  const at_draw_rule sums = {name, "lengths sum to %g, and have to sum to the size of the axis", 3,
                             (double)s->n, (double)s->n};
  return at_isWithin(&each, s->lengths) && at_isWithin(&sums, at_sum_dim(s->lengths, AT_INTS(-1)));
}

/* Reads and checks the segments; false after an error. */
static bool segments_of(Segments *s, at_tensor *data, at_tensor *lengths, at_tensor *offsets,
                        int64_t axis, bool unsafe)
{
  at_tensor *const given = lengths ? lengths : offsets;
  const int dims = at_dim(data);
  const at_scalar_type type = at_type_scalarType(at_typeOf(given));
  s->axis = (int)(axis < 0 ? axis + dims : axis);
  if (axis < -dims || axis >= dims || at_dim(given) != s->axis + 1)
    return refuse("lengths or offsets have to have the dimensions up to axis", data, given);
  if (type != AT_LONG && type != AT_INT)
    return refuse("lengths or offsets have to be of Long or Int", data, given);
  for (int d = 0; d < s->axis; d++)
    if (at_size(given, d) != at_size(data, d))
      return refuse("lengths or offsets have to have the sizes in front of axis", data, given);
  at_tensor *const longs = at_to(given, at_toScalarType(at_typeOf(given), AT_LONG));
  s->n = at_size(data, s->axis);
  s->count = at_size(longs, -1) - !lengths;
  if (s->count < 0)
    return refuse("offsets have to have a number more than there are segments", data, given);
  s->lengths = lengths ? longs : at_diff(longs);
  s->offsets = lengths ? at_pad(at_cumsum(longs, -1), AT_INTS(1, 0)) : longs;
  if (!at_defined(s->lengths) || !at_defined(s->offsets))
    return false;
  return !lengths || unsafe || are_lengths(s);
}

/* t, a number for each segment or element of the axis, as one for each element of like. */
static at_tensor *spread(const Segments *s, at_tensor *t, at_tensor *like)
{
  int64_t sizes[AT_MOST_DIMS];
  for (int d = 0; d < at_dim(like); d++)
    sizes[d] = d <= s->axis ? at_size(t, d) : 1;
  return at_reshape(t, ((at_ints){sizes, at_dim(like)}));
}

/* For each element the segment that it is in, or count if it is in none. */
static at_tensor *segment_indices(const Segments *s, at_tensor *data)
{
  const at_type *const type = at_typeOf(s->offsets);
  at_tensor *const elements =
      at_expand(at_arange(s->n, .type = type), ((at_ints){at_sizes(data).data, s->axis + 1}));
  at_tensor *const index =
      at_sub(at_searchsorted(s->offsets, at_contiguous(elements), .right = true), 1);
  at_tensor *const known = at_where_other_scalar(at_ge(index, 0), index, s->count);
  return at_expand(spread(s, known, data), at_sizes(data));
}

/* The larger of r and start, or the smaller one; NaN stays. */
static at_tensor *compared(const Kind *kind, at_tensor *r, at_scalar start)
{
  at_tensor *const wins = kind->start < 0 ? at_lt(r, start) : at_gt(r, start);
  return at_masked_fill(r, wins, start);
}

/* Sums divided by lengths; of no numbers NaN, unless there is a start. */
static at_tensor *averaged(const Segments *s, at_tensor *r, bool hasStart)
{
  at_tensor *const lengths = spread(s, s->lengths, r);
  at_tensor *const mean = at_div(r, at_to(at_clamp_min(lengths, 1), at_typeOf(r)));
  return hasStart ? mean : at_masked_fill(mean, at_eq(lengths, 0), (double)NAN);
}

at_tensor *at_segmentReduced(at_tensor *data, const char *reduce, at_tensor *lengths,
                             at_tensor *indices, at_tensor *offsets, int64_t axis, bool unsafe,
                             at_scalar initial)
{
  const Kind *const kind = kind_of(reduce);
  if (!kind || indices || (!lengths && !offsets)) {
    at_fail(AT_ERROR_ARGUMENT, name,
            "%s: reduce is \"%s\", and has to be sum, mean, prod, max or min; lengths or offsets "
            "have to be given, and indices cannot be",
            name, reduce);
    return at_undefined();
  }
  Segments s;
  int64_t sizes[AT_MOST_DIMS];
  if (!segments_of(&s, data, lengths, offsets, axis, unsafe))
    return at_undefined();
  for (int d = 0; d < at_dim(data); d++)
    sizes[d] = at_size(data, d);
  sizes[s.axis] = s.count + 1; /* the last is of elements in no segment */
  const bool hasStart = !initial.is_none;
  const at_scalar start = hasStart ? initial : at_scalar_double(kind->start);
  at_tensor *const from = at_full(((at_ints){sizes, at_dim(data)}), start, .type = at_typeOf(data));
  at_tensor *const all = at_scatter_reduce(from, s.axis, segment_indices(&s, data), data,
                                           kind->scattered, .include_self = kind->takesStart);
  at_tensor *const r = at_narrow(all, s.axis, 0, s.count);
  if (!kind->takesStart)
    return hasStart ? compared(kind, r, start) : at_contiguous(r);
  return strcmp(kind->name, "mean") ? at_contiguous(r) : averaged(&s, r, hasStart);
}

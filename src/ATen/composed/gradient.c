/* Derivatives of samples by differences. */
#include "ATen/autograd/Formulas.h"

/* What a derivative along one dimension is made from. */
typedef struct {
  at_tensor *f;     /* the samples, with the dimension last */
  at_tensor *width; /* the distances of neighbours, or NULL */
  double spacing;   /* without width: the distance of all neighbours */
  int64_t count;
} Line;

static at_tensor *samples(const Line *line, int64_t first, int64_t count)
{
  return at_narrow(line->f, -1, first, count);
}

static at_tensor *distances(const Line *line, int64_t first, int64_t count)
{
  return at_narrow(line->width, 0, first, count);
}

/* Differences of neighbours over their distances. */
static at_tensor *slopes(const Line *line)
{
  at_tensor *const steps =
      at_sub(samples(line, 1, line->count - 1), samples(line, 0, line->count - 1));
  return line->width ? at_div(steps, line->width) : at_div(steps, line->spacing);
}

/* The derivative, at samples between two others, of the parabola through all three: the mean of the
 * two slopes, the nearer one weighed more. */
static at_tensor *inner(const Line *line, at_tensor *slope)
{
  const int64_t inside = line->count - 2;
  at_tensor *const before = at_narrow(slope, -1, 0, inside);
  at_tensor *const after = at_narrow(slope, -1, 1, inside);
  if (!line->width)
    return at_mul(at_add(before, after), 0.5);
  at_tensor *const left = distances(line, 0, inside), *const right = distances(line, 1, inside);
  return at_div(at_add(at_mul(before, right), at_mul(after, left)), at_add(left, right));
}

/* The derivative of the parabola through the outer three samples, at the outermost. */
static at_tensor *outer(const Line *line, at_tensor *slope, bool isLast)
{
  const int64_t near = isLast ? line->count - 2 : 0, far = isLast ? near - 1 : 1;
  at_tensor *const first = at_narrow(slope, -1, near, 1), *const second =
                                                              at_narrow(slope, -1, far, 1);
  at_tensor *const change = at_sub(first, second);
  if (!line->width)
    return at_add(first, at_mul(change, 0.5));
  at_tensor *const own = distances(line, near, 1), *const other = distances(line, far, 1);
  return at_add(first, at_div(at_mul(change, own), at_add(own, other)));
}

static at_tensor *derivative(const Line *line, int64_t edgeOrder)
{
  at_tensor *const slope = slopes(line);
  at_tensor *const first = edgeOrder == 1 ? at_narrow(slope, -1, 0, 1) : outer(line, slope, false);
  at_tensor *const last =
      edgeOrder == 1 ? at_narrow(slope, -1, line->count - 2, 1) : outer(line, slope, true);
  if (!at_defined(slope) || line->count == 2)
    return at_cat(AT_TENSORS(first, last), .dim = -1);
  return at_cat(AT_TENSORS(first, inner(line, slope), last), .dim = -1);
}

/* The derivative along d. */
static at_tensor *along(at_tensor *self, int64_t d, double spacing, at_tensor *coordinates,
                        int64_t edgeOrder)
{
  static const char name[] = "gradient";
  const int64_t count = at_size(self, d);
  if (count < edgeOrder + 1) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: dimension %lld has %lld elements, and has to have %lld",
            name, (long long)d, (long long)count, (long long)edgeOrder + 1);
    return at_undefined();
  }
  if (coordinates && (at_dim(coordinates) != 1 || at_numel(coordinates) != count)) {
    at_fail(AT_ERROR_ARGUMENT, name,
            "%s: the coordinates of dimension %lld have size %s, and have to be %lld numbers", name,
            (long long)d, at_sizeDesc(at_sizes(coordinates)).str, (long long)count);
    return at_undefined();
  }
  const Line line = {at_movedim(self, AT_INTS(d), AT_INTS(-1)),
                     coordinates ? at_diff(coordinates) : NULL, spacing, count};
  return at_movedim(derivative(&line, edgeOrder), AT_INTS(-1), AT_INTS(d));
}

/* Two of the numbers that name the same dimension: their indices; false if there are none. */
static bool find_twice(at_ints dims, int64_t of, int *first, int *second)
{
  for (*second = 1; *second < dims.count; ++*second)
    for (*first = 0; *first < *second; ++*first) {
      const int64_t a = dims.data[*first], b = dims.data[*second];
      if ((a < 0 ? a + of : a) == (b < 0 ? b + of : b))
        return true;
    }
  return false;
}

const at_tensors *at_gradientOf(at_tensor *self, at_doubles spacing, at_tensors coordinates,
                                at_ints dims, int64_t edgeOrder)
{
  static const char name[] = "gradient";
  if (!at_defined(self))
    return &at_noTensors;
  const int count = dims.count ? dims.count : at_dim(self);
  if ((edgeOrder != 1 && edgeOrder != 2) || (spacing.count > 1 && spacing.count != count) ||
      (coordinates.count && coordinates.count != count)) {
    at_fail(AT_ERROR_ARGUMENT, name,
            "%s: edge_order is %lld, and has to be 1 or 2; there are %d spacings for %d dimensions",
            name, (long long)edgeOrder, coordinates.count ? coordinates.count : spacing.count,
            count);
    return &at_noTensors;
  }
  int first, second;
  if (find_twice(dims, at_dim(self), &first, &second)) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: %lld and %lld of dim are one dimension", name,
            (long long)dims.data[first], (long long)dims.data[second]);
    return &at_noTensors;
  }
  const at_tensors *const made = at_listOf(count);
  for (int i = 0; i < made->count; i++) {
    const double step = spacing.count ? spacing.data[spacing.count == 1 ? 0 : i] : 1;
    at_tensor *const own = coordinates.count ? coordinates.data[i] : NULL;
    at_tensor *const one = along(self, dims.count ? dims.data[i] : i, step, own, edgeOrder);
    ((at_tensor **)made->data)[i] = at_retain(one);
    if (!at_defined(one))
      return &at_noTensors;
  }
  return made;
}

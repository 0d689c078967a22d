/* Resampled rows in AVX-512.  The sources of a group of neighbouring outputs lie in two vectors,
 * from which one permutation per tap picks them; the permutations are found once for all planes. */

enum { MAX_GROUPS = 4 }; /* groups of a row that is summed in registers, at most */

#define ALL ((Mask) - 1)

#define UNROLL _Pragma("GCC unroll 8")

static inline Mask lanes_of(ptrdiff_t n)
{
  return n >= LANES ? ALL : n <= 0 ? 0 : (Mask)((1u << n) - 1);
}

/* --- groups ---------------------------------------------------------------------------------- */

/* The indices first[0 ... LANES], less first[0]. */
static inline Integers indices_of(const int64_t *first, Mask lanes)
{
  const THLongs lower = THLongs_loadMasked((THMask64)lanes, first) - first[0];
#ifdef TH_REAL_IS_FLOAT
  const THMask64 rest = (THMask64)(lanes >> 8);
  return THInts_ofLongs(lower, THLongs_loadMasked(rest, first + 8) - first[0]);
#else
  return lower;
#endif
}

/* Neighbouring outputs of a row, beginning with k, and the two vectors of sources, which begin at
 * lower and at upper. */
typedef struct {
  ptrdiff_t k, lower, upper;
  Mask lanes, made; /* the outputs, and those that have a source */
} Group;

/* The indices that a tap picks from the two vectors, and its weights. */
typedef struct {
  Integers at;
  Vector weight;
} Tap;

typedef struct {
  ptrdiff_t count; /* number of groups */
  ptrdiff_t taps;  /* taps of each group */
  Mask there;      /* lanes of a source row that is shorter than a vector */
  int vectors;     /* each group but the last one is a whole vector */
  int sameSources; /* all groups have the same two vectors of sources */
  int moves;       /* elements are copied, as in THNN_(Band) */
  Group *group;
  Tap tap[];
} Groups;

/* The group beginning with k: as many outputs as have their sources in two vectors. */
static inline Group group_of(const THNN_(Band) * b, ptrdiff_t k, Integers *at)
{
  const int64_t *first = b->first + k;
  const Mask all = lanes_of(b->to - k);
  const ptrdiff_t last = THMax(b->from - LANES, 0);
  const ptrdiff_t lower = b->from <= 2 * LANES ? 0 : THMin(first[0], last);
  Group g = {.k = k, .lower = lower, .upper = THMin(lower + LANES, last)};
  const ptrdiff_t end = g.upper - g.lower + LANES;
  *at = indices_of(first, all) + (int)(first[0] - g.lower);
  const Mask near = all & Integers_(less)(*at, Integers_(all)((int)(end + 1 - b->taps)));
  g.lanes = lanes_of(__builtin_ctz(~(uint32_t)near));
  return g;
}

/* Finds the taps of a group whose first taps pick indices at of its two vectors.
 *
 * A source with weight 0 must not count, even if it is not finite.  So its tap picks the same
 * source as the first tap with a weight, and takes a 64th of that tap's weight: then no tap needs a
 * mask.  A source whose only weight is 1 is still copied exactly: the error of the sum is at most
 * half a unit in the last place, and a tie rounds to the even value, which is the source. */
static inline void find_taps(const THNN_(Band) * b, Group *g, Integers at, Tap *tap)
{
  const int overlap = (int)(g->lower + LANES - g->upper), taps = (int)b->taps;
  const real part = (real)1 / 64; /* there are at most 32 taps */
  Integers common = at;
  Vector whole = Vector_(all)(0), rest = Vector_(all)(1);
  for (int t = 0; t < taps; t++) {
    const Integers index = at + t;
    tap[t].at = Integers_(select)((Mask)~Integers_(less)(index, Integers_(all)(LANES)),
                                  index + overlap, index);
    tap[t].weight = Vector_(loadMasked)(g->lanes, b->weight + t * b->to + g->k);
    const Mask counts = Vector_(differ)(tap[t].weight, Vector_(all)(0)),
               first = counts & (Mask)~g->made;
    common = Integers_(select)(first, tap[t].at, common);
    whole = Vector_(select)(first, tap[t].weight, whole);
    rest = Vector_(select)(counts, rest, rest - part);
    g->made |= first;
  }
  Mask met = 0;
  for (int t = 0; t < taps; t++) {
    const Mask counts = Vector_(differ)(tap[t].weight, Vector_(all)(0));
    tap[t].at = Integers_(select)(counts, tap[t].at, common);
    tap[t].weight = Vector_(select)(counts, tap[t].weight, whole * part);
    tap[t].weight = Vector_(select)(counts & (Mask)~met, whole * rest, tap[t].weight);
    met |= counts;
  }
}

/* The groups of a row, or NULL if the row is very long, or its sources are too far apart. */
static void *find_groups(const THNN_(Band) * b)
{
  enum { MAX_ROW = 65536 }; /* elements */
  const ptrdiff_t most = 1 + b->to / (LANES / 4);
  ptrdiff_t count = 0;
  Integers at;
  if (b->from > MAX_ROW || b->to > MAX_ROW || b->taps > 2 * LANES)
    return NULL;
  for (ptrdiff_t k = 0; k < b->to; count++) {
    const Group g = group_of(b, k, &at);
    if (g.lanes == 0 || count == most)
      return NULL;
    k += __builtin_popcount(g.lanes);
  }
  const ptrdiff_t taps = count * b->taps;
  Groups *all = THAlloc((ptrdiff_t)sizeof *all + taps * (ptrdiff_t)sizeof *all->tap +
                        count * (ptrdiff_t)sizeof *all->group);
  *all = (Groups){count,
                  b->taps,
                  lanes_of(b->from),
                  1,
                  b->from <= 2 * LANES,
                  b->moves,
                  (Group *)(all->tap + taps)};
  ptrdiff_t k = 0;
  for (ptrdiff_t i = 0; i < count; i++) {
    all->group[i] = group_of(b, k, &at);
    find_taps(b, &all->group[i], at, all->tap + i * b->taps);
    k += __builtin_popcount(all->group[i].lanes);
    all->vectors &= k == (i + 1) * LANES || i == count - 1;
  }
  return all;
}

/* The outputs of group i, from its two vectors of sources. */
static inline __attribute__((always_inline)) Vector picked(const Groups *all, ptrdiff_t i,
                                                           ptrdiff_t taps, Vector lower,
                                                           Vector upper)
{
  const Tap *tap = all->tap + i * taps;
  if (taps == 1 && all->moves)
    return Vector_(permuteTwo)(lower, upper, tap->at);
  Vector sum = Vector_(all)(0);
  for (ptrdiff_t t = 0; t < taps; t++)
    sum = Vector_(mulAdd)(tap[t].weight, Vector_(permuteTwo)(lower, upper, tap[t].at), sum);
  return sum;
}

/* The outputs of group i, from row x, whose vectors have those lanes there. */
static inline __attribute__((always_inline)) Vector picked_of(const Groups *all, ptrdiff_t i,
                                                              ptrdiff_t taps, Mask there,
                                                              const real *x)
{
  const Group *g = &all->group[i];
  return picked(all, i, taps, Vector_(loadMasked)(there, x + g->lower),
                Vector_(loadMasked)(there, x + g->upper));
}

LOOP put_group(const Group *g, Vector v, real *y)
{
  Vector_(storeMasked)(y + g->k, g->lanes, Vector_(keep)(g->made, v));
}

LOOP pick_row(const Groups *all, ptrdiff_t taps, const real *x, real *y)
{
  for (ptrdiff_t i = 0; i < all->count; i++)
    put_group(&all->group[i], picked_of(all, i, taps, all->there, x), y);
}

static void apply_groups(const Groups *all, const real *x, real *y)
{
  switch (all->taps) {
    case 1:
      pick_row(all, 1, x, y);
      break;
    case 2:
      pick_row(all, 2, x, y);
      break;
    case 3:
      pick_row(all, 3, x, y);
      break;
    case 4:
      pick_row(all, 4, x, y);
      break;
    case 5:
      pick_row(all, 5, x, y);
      break;
    default:
      pick_row(all, all->taps, x, y);
  }
}

/* --- images ---------------------------------------------------------------------------------- */

/* A row as vectors, the last of which may be partial. */
typedef struct {
  ptrdiff_t vectors;
  Mask last;
} Shape;

static inline Shape shape_of(ptrdiff_t n)
{
  const ptrdiff_t vectors = (n + LANES - 1) / LANES;
  return (Shape){vectors, lanes_of(n - (vectors - 1) * LANES)};
}

static inline __attribute__((always_inline)) Mask lanes_at(Shape s, ptrdiff_t i)
{
  return i == s.vectors - 1 ? s.last : ALL;
}

/* A result that is written by non-temporal stores of whole lines.  Each vector is rotated to its
 * position in a line; the lanes held of last wait until the line is full.  Where end is below 0,
 * -end elements come before the first whole line. */
typedef struct {
  real *line;
  int end;
  Mask held;
  Integers rotation;
  Vector last;
} Lines;

LOOP move_on(Lines *s, int n)
{
  s->end += n;
  s->held = lanes_of(s->end);
  s->rotation = Integers_(counting)() - s->end;
}

static inline Lines lines_of(real *y)
{
  const int before = (int)(-(uintptr_t)y % TH_STREAM_LINE / sizeof *y);
  Lines s = {.line = y + before, .last = Vector_(all)(0)};
  move_on(&s, -before);
  return s;
}

/* Appends the first n elements of v. */
LOOP put(Lines *s, Vector v, int n)
{
  const Vector rotated = Vector_(permute)(v, s->rotation),
               all = Vector_(select)(s->held, s->last, rotated);
  if (s->end >= LANES - n) {
    stream(s->line, all);
    s->line += LANES;
    s->last = rotated;
    if (n != LANES)
      move_on(s, n - LANES);
    return;
  }
  if (s->end < 0)
    Vector_(storeMasked)(s->line + s->end, lanes_of(THMin(-s->end, n)), v);
  s->last = all;
  move_on(s, n);
}

LOOP put_rest(const Lines *s)
{
  Vector_(storeMasked)(s->line, s->held, s->last);
}

/* Resamples a row of an image to the length of output rows. */
LOOP widen_row(const Groups *all, ptrdiff_t vectors, ptrdiff_t taps, const real *x, Vector *row)
{
  const Mask there = all->there;
  const Vector lower = Vector_(loadMasked)(there, x),
               upper = Vector_(loadMasked)(there, x + all->group[0].upper);
  if (all->sameSources)
    for (ptrdiff_t i = 0; i < vectors; i++)
      row[i] = picked(all, i, taps, lower, upper);
  else
    for (ptrdiff_t i = 0; i < vectors; i++)
      row[i] = picked_of(all, i, taps, there, x);
}

/* Vector i of a row between two others.  Where the row above has all the weight, the row below is
 * not used, as it may be uninitialized.  With inRegisters a mask avoids the branch, unless rows
 * move: a product by 1 would change the bits of a NaN. */
static inline __attribute__((always_inline)) Vector between(const Vector *above,
                                                            const Vector *below, ptrdiff_t i,
                                                            real weight, int inRegisters, int moves)
{
  const Mask both = weight == 0 ? 0 : ALL;
  if (inRegisters && !moves)
    return Vector_(select)(both,
                           Vector_(mulAdd)(below[i], Vector_(all)(weight), above[i] * (1 - weight)),
                           above[i] * (1 - weight));
  return both ? Vector_(mulAdd)(below[i], Vector_(all)(weight), above[i] * (1 - weight)) : above[i];
}

/* An image.  Each of its rows is resampled once, and kept for the rows of the result that lie
 * between it and the next one; in registers where there are few vectors. */
LOOP widen(const THNNPlanes *p, const THNN_(SourceIndices) * at, Shape s, ptrdiff_t taps,
           int inRegisters, int streams, const real *x, real *y, Vector *above, Vector *below)
{
  const Groups *all = at->groups;
  const int64_t *const from = at->from[1], *const next = at->next[1];
  const real *const weights = at->weight[1];
  const int64_t rows = p->out[1];
  const ptrdiff_t size = p->in[2], n = p->out[2];
  const int rest = (int)(n - (s.vectors - 1) * LANES);
  Lines lines = lines_of(y);
  int64_t isAbove = -1, isBelow = -1;
  for (int64_t j = 0; j < rows; j++, y += n) {
    const int64_t first = from[j], second = next[j];
    const real weight = weights[j];
    if (first != isAbove && first != isBelow) {
      prefetch(x + first * size, size);
      widen_row(all, s.vectors, taps, x + first * size, above);
    } else if (first != isAbove && inRegisters) {
      for (ptrdiff_t i = 0; i < s.vectors; i++)
        above[i] = below[i];
    } else if (first != isAbove) {
      Vector *const spare = above;
      above = below;
      below = spare;
      isBelow = isAbove;
    }
    isAbove = first;
    if (weight != 0 && second != isBelow) {
      prefetch(x + second * size, size);
      widen_row(all, s.vectors, taps, x + second * size, below);
      isBelow = second;
    }
    if (streams) {
      for (ptrdiff_t i = 0; i < s.vectors - 1; i++)
        put(&lines, between(above, below, i, weight, inRegisters, taps == 1), LANES);
      put(&lines, between(above, below, s.vectors - 1, weight, inRegisters, taps == 1), rest);
      continue;
    }
    for (ptrdiff_t i = 0; i < s.vectors; i++) {
      prefetch_write(y + i * LANES, 1);
      Vector_(storeMasked)(y + i * LANES, lanes_at(s, i),
                           between(above, below, i, weight, inRegisters, taps == 1));
    }
  }
  if (streams)
    put_rest(&lines);
}

/* The gradient of an image or a volume.  The vectors of each group are summed over the rows of gradients in
 * registers, for both source rows at once, so that each vector of an image is read once. */
LOOP narrow(const THNNPlanes *p, const THNN_(SourceIndices) * at, int count, int image,
            const real *x, real *y)
{
  enum { USUAL = 4 }; /* taps of linear upsampling by 2 */
  const Groups *all = at->groups;
  const THNN_(Band) depth = at->band[0];
  const int64_t *const to = at->from[1];
  const real *const weights = at->weight[1];
  const Mask there = all->there;
  const int64_t rows = p->in[1], given = p->out[1];
  const ptrdiff_t size = p->in[2], n = p->out[2], slice = given * n;
  ptrdiff_t from[2 * MAX_GROUPS];
  for (int q = 0; q < count; q++) {
    from[2 * q] = all->group[q].lower;
    from[2 * q + 1] = all->group[q].upper;
  }
  for (int64_t i = 0; i < p->in[0]; i++) {
    Vector above[2 * MAX_GROUPS], below[2 * MAX_GROUPS];
    const real *row = x + depth.first[i] * slice;
    int64_t k = 0;
    UNROLL
    for (int q = 0; q < 2 * count; q++)
      below[q] = Vector_(all)(0);
    for (int64_t j = 0; j < rows; j++, y += size) {
      UNROLL
      for (int q = 0; q < 2 * count; q++) {
        above[q] = below[q];
        below[q] = Vector_(all)(0);
      }
      for (; k < given && to[k] == j; k++, row += n) {
        const real weight = weights[k];
        const Mask both = Vector_(differ)(Vector_(all)(weight), Vector_(all)(0));
        const real *g = row;
        for (ptrdiff_t z = 0; z < (image ? 1 : depth.taps); z++, g += slice) {
          const real whole = image ? 1 : depth.weight[z * depth.to + i];
          if (whole == 0)
            continue;
          UNROLL
          for (int q = 0; q < 2 * count; q++) {
            prefetch(g + from[q], 1);
            const Vector v = Vector_(loadMasked)(there, g + from[q]);
            above[q] = Vector_(mulAdd)(Vector_(all)(whole * (1 - weight)), v, above[q]);
            below[q] =
                Vector_(select)(both, Vector_(mulAdd)(v, Vector_(all)(whole * weight), below[q]),
                                below[q]);
          }
        }
      }
      UNROLL
      for (int q = 0; q < count; q++) {
        const Vector lower = above[2 * q], upper = above[2 * q + 1];
        prefetch_write(y + all->group[q].k, 1);
        put_group(&all->group[q],
                  all->taps == USUAL ? picked(all, q, USUAL, lower, upper)
                                     : picked(all, q, all->taps, lower, upper),
                  y);
      }
    }
  }
}

LOOP narrow_groups(const THNNPlanes *p, const THNN_(SourceIndices) * at, ptrdiff_t count, int image,
                   const real *x, real *y)
{
  if (count == 1)
    narrow(p, at, 1, image, x, y);
  else if (count == 2)
    narrow(p, at, 2, image, x, y);
  else if (count == 3)
    narrow(p, at, 3, image, x, y);
  else
    narrow(p, at, 4, image, x, y);
}

/* Computes the image if the level can; returns whether it has. */
static int is_widened(const THNNPlanes *p, const THNN_(SourceIndices) * at, const real *x, real *y,
                      real *scratch)
{
  const Groups *groups = at->groups;
  const Shape s = shape_of(p->out[2]);
  const int streams = at->streams;
  if (p->in[0] > 1 || p->out[0] > 1 || !groups || !groups->vectors)
    return 0;
  Vector above[] = {Vector_(all)(0), Vector_(all)(0), Vector_(all)(0), Vector_(all)(0)},
         below[] = {Vector_(all)(0), Vector_(all)(0), Vector_(all)(0), Vector_(all)(0)};
  if (s.vectors == 1)
    widen(p, at, (Shape){1, s.last}, groups->taps, 1, streams, x, y, above, below);
  else if (s.vectors == 2 && groups->taps == 1)
    widen(p, at, (Shape){2, s.last}, 1, 1, streams, x, y, above, below);
  else if (s.vectors == 2)
    widen(p, at, (Shape){2, s.last}, 2, 1, streams, x, y, above, below);
  else if (s.vectors == 4 && groups->taps == 1)
    widen(p, at, (Shape){4, s.last}, 1, 1, streams, x, y, above, below);
  else if (s.vectors == 4 && streams)
    widen(p, at, (Shape){4, s.last}, 2, 1, 1, x, y, above, below);
  else if (s.vectors == 4)
    widen(p, at, (Shape){4, s.last}, 2, 1, 0, x, y, above, below);
  else
    widen(p, at, s, groups->taps, 0, streams, x, y, (Vector *)scratch,
          (Vector *)scratch + s.vectors);
  return 1;
}

static int is_narrowed(const THNNPlanes *p, const THNN_(SourceIndices) * at, const real *x, real *y)
{
  const Groups *groups = at->groups;
  if (!groups || groups->count > MAX_GROUPS)
    return 0;
  if (p->in[0] == 1 && p->out[0] == 1)
    narrow_groups(p, at, groups->count, 1, x, y);
  else
    narrow_groups(p, at, groups->count, 0, x, y);
  return 1;
}

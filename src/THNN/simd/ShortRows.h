/* Rows that a band makes, in AVX-512: two vectors at a time, of which one instruction picks what
 * neighbours come from, as it has been found once for all planes. */

enum { MOST_GROUPS = 4 }; /* of a row that is made of sums in registers */

#ifdef TH_REAL_IS_FLOAT
typedef __m512 Vector;
typedef __mmask16 Lanes;
enum { WIDTH = 16 };
#define LOAD(LANES, P)          _mm512_maskz_loadu_ps(LANES, P)
#define STORE(P, LANES, V)      _mm512_mask_storeu_ps(P, LANES, V)
#define SAME(X)                 _mm512_set1_ps(X)
#define NOT_ZERO(V)             _mm512_cmp_ps_mask(V, _mm512_setzero_ps(), _CMP_NEQ_UQ)
#define PICK(A, I, B)           _mm512_permutex2var_ps(A, I, B)
#define GATHER(LANES, P, I)     _mm512_mask_i32gather_ps(_mm512_setzero_ps(), LANES, I, P, 4)
#define ADD_PRODUCT(S, A, B)    _mm512_fmadd_ps(A, B, S)
#define ONLY(LANES, V)          _mm512_maskz_mov_ps(LANES, V)
#define CHOOSE(LANES, A, B)     _mm512_mask_mov_ps(B, LANES, A)
#define ADD_PLACES(I, LANES, N) _mm512_mask_add_epi32(I, LANES, I, _mm512_set1_epi32(N))
#define BELOW(I, N)             _mm512_cmplt_epi32_mask(I, _mm512_set1_epi32(N))
#define CHOOSE_PLACES(L, I, J)  _mm512_mask_mov_epi32(J, L, I)
#else
typedef __m512d Vector;
typedef __mmask8 Lanes;
enum { WIDTH = 8 };
#define LOAD(LANES, P)          _mm512_maskz_loadu_pd(LANES, P)
#define STORE(P, LANES, V)      _mm512_mask_storeu_pd(P, LANES, V)
#define SAME(X)                 _mm512_set1_pd(X)
#define NOT_ZERO(V)             _mm512_cmp_pd_mask(V, _mm512_setzero_pd(), _CMP_NEQ_UQ)
#define PICK(A, I, B)           _mm512_permutex2var_pd(A, I, B)
#define GATHER(LANES, P, I)     _mm512_mask_i64gather_pd(_mm512_setzero_pd(), LANES, I, P, 8)
#define ADD_PRODUCT(S, A, B)    _mm512_fmadd_pd(A, B, S)
#define ONLY(LANES, V)          _mm512_maskz_mov_pd(LANES, V)
#define CHOOSE(LANES, A, B)     _mm512_mask_mov_pd(B, LANES, A)
#define ADD_PLACES(I, LANES, N) _mm512_mask_add_epi64(I, LANES, I, _mm512_set1_epi64(N))
#define BELOW(I, N)             _mm512_cmplt_epi64_mask(I, _mm512_set1_epi64(N))
#define CHOOSE_PLACES(L, I, J)  _mm512_mask_mov_epi64(J, L, I)
#endif

#define ALL ((Lanes)-1)

#define UNROLL _Pragma("GCC unroll 8")

static inline Lanes lanes_of(ptrdiff_t n)
{
  return n >= WIDTH ? ALL : n <= 0 ? 0 : (Lanes)((1u << n) - 1);
}

/* --- groups ---------------------------------------------------------------------------------- */

/* Where WIDTH neighbours come from, from the first of them on. */
static inline __m512i places_of(const int64_t *first, Lanes lanes)
{
  const __m512i base = _mm512_set1_epi64(first[0]);
  const __m512i lower = _mm512_sub_epi64(_mm512_maskz_loadu_epi64((__mmask8)lanes, first), base);
#ifdef TH_REAL_IS_FLOAT
  const __mmask8 rest = (__mmask8)(lanes >> 8);
  const __m512i upper = _mm512_sub_epi64(_mm512_maskz_loadu_epi64(rest, first + 8), base);
  return _mm512_inserti64x4(_mm512_castsi256_si512(_mm512_cvtepi64_epi32(lower)),
                            _mm512_cvtepi64_epi32(upper), 1);
#else
  return lower;
#endif
}

/* Neighbours of a row, from k on, and the two vectors that they come from, which begin at lower and
 * at upper. */
typedef struct {
  ptrdiff_t k, lower, upper;
  Lanes lanes, made; /* neighbours, and which of them come from anything */
} Group;

/* What a tap of theirs picks, and its weights. */
typedef struct {
  __m512i at;
  Vector weight;
} Tap;

typedef struct {
  ptrdiff_t count, taps; /* groups, and taps of each */
  Lanes there;           /* elements of a row that is shorter than a vector */
  int vectors;           /* each group but the last one is a vector */
  Group *group;
  Tap tap[];
} Groups;

/* The group from k on: as many neighbours as come from two vectors of a row. */
static inline Group group_of(const THNN_(Band) * b, ptrdiff_t k, __m512i *at)
{
  const int64_t *first = b->first + k;
  const Lanes all = lanes_of(b->to - k);
  const ptrdiff_t last = THMax(b->from - WIDTH, 0);
  Group g = {.k = k, .lower = THMin(first[0], last), .upper = THMin(first[0] + WIDTH, last)};
  const ptrdiff_t end = g.upper - g.lower + WIDTH;
  *at = ADD_PLACES(places_of(first, all), ALL, (int)(first[0] - g.lower));
  const Lanes near = all & BELOW(*at, (int)(end + 1 - b->taps));
  g.lanes = lanes_of(__builtin_ctz(~(uint32_t)near));
  return g;
}

/* The taps of a group whose elements are at those places of two vectors.
 *
 * What has no weight does not count, whatever it is: such a tap picks what the first one with a
 * weight does, and takes a 64th of that weight, so that no tap needs to be left out.  A number
 * whose weight is 1 is still that number: what rounding loses is at most half of its last digit,
 * and so much only where the sum becomes even by it. */
static inline void find_taps(const THNN_(Band) * b, Group *g, __m512i at, Tap *tap)
{
  const int overlap = (int)(g->lower + WIDTH - g->upper), taps = (int)b->taps;
  const real part = (real)1 / 64; /* there are at most 32 taps */
  __m512i common = at;
  Vector whole = SAME(0), rest = SAME(1);
  for (int t = 0; t < taps; t++) {
    const __m512i place = ADD_PLACES(at, ALL, t);
    tap[t].at = ADD_PLACES(place, (Lanes)~BELOW(place, WIDTH), overlap);
    tap[t].weight = LOAD(g->lanes, b->weight + t * b->to + g->k);
    const Lanes counts = NOT_ZERO(tap[t].weight), first = counts & (Lanes)~g->made;
    common = CHOOSE_PLACES(first, tap[t].at, common);
    whole = CHOOSE(first, tap[t].weight, whole);
    rest = CHOOSE(counts, rest, rest - part);
    g->made |= first;
  }
  Lanes met = 0;
  for (int t = 0; t < taps; t++) {
    const Lanes counts = NOT_ZERO(tap[t].weight);
    tap[t].at = CHOOSE_PLACES(counts, tap[t].at, common);
    tap[t].weight = CHOOSE(counts, tap[t].weight, whole * part);
    tap[t].weight = CHOOSE(counts & (Lanes)~met, whole * rest, tap[t].weight);
    met |= counts;
  }
}

/* The groups of a row, or NULL where it is very long, or made of elements that lie too far apart.
 */
static void *find_groups(const THNN_(Band) * b)
{
  enum { LONG = 65536 };
  const ptrdiff_t most = 1 + b->to / (WIDTH / 4);
  ptrdiff_t count = 0;
  __m512i at;
  if (b->from > LONG || b->to > LONG || b->taps > 2 * WIDTH)
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
  *all = (Groups){count, b->taps, lanes_of(b->from), 1, (Group *)(all->tap + taps)};
  ptrdiff_t k = 0;
  for (ptrdiff_t i = 0; i < count; i++) {
    all->group[i] = group_of(b, k, &at);
    find_taps(b, &all->group[i], at, all->tap + i * b->taps);
    k += __builtin_popcount(all->group[i].lanes);
    all->vectors &= k == (i + 1) * WIDTH || i == count - 1;
  }
  return all;
}

/* Group i of a row, of its two vectors. */
static inline __attribute__((always_inline)) Vector picked(const Groups *all, ptrdiff_t i,
                                                           ptrdiff_t taps, Vector lower,
                                                           Vector upper)
{
  const Tap *tap = all->tap + i * taps;
  Vector sum = SAME(0);
  for (ptrdiff_t t = 0; t < taps; t++)
    sum = ADD_PRODUCT(sum, tap[t].weight, PICK(lower, tap[t].at, upper));
  return sum;
}

/* The same of the row x, of which those lanes are there. */
static inline __attribute__((always_inline)) Vector picked_of(const Groups *all, ptrdiff_t i,
                                                              ptrdiff_t taps, Lanes there,
                                                              const real *x)
{
  const Group *g = &all->group[i];
  return picked(all, i, taps, LOAD(there, x + g->lower), LOAD(there, x + g->upper));
}

LOOP put_group(const Group *g, Vector v, real *y)
{
  STORE(y + g->k, g->lanes, ONLY(g->made, v));
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

/* Rows of vectors whose last one is only partly there. */
typedef struct {
  ptrdiff_t vectors;
  Lanes last;
} Shape;

static inline Shape shape_of(ptrdiff_t n)
{
  const ptrdiff_t vectors = (n + WIDTH - 1) / WIDTH;
  return (Shape){vectors, lanes_of(n - (vectors - 1) * WIDTH)};
}

static inline __attribute__((always_inline)) Lanes lanes_at(Shape s, ptrdiff_t i)
{
  return i == s.vectors - 1 ? s.last : ALL;
}

/* An image, each row of which is made longer once, and kept for the next two rows of the result. */
LOOP widen(const THNNPlanes *p, const THNN_(Places) * at, Shape s, ptrdiff_t taps, Lanes there,
           const real *x, real *y, real *room)
{
  const Groups *all = at->groups;
  const int64_t *above = at->from[1], *below = at->next[1], rows = p->out[1];
  const real *part = at->weight[1];
  const ptrdiff_t size = p->in[2], n = p->out[2];
  int64_t made = 0;
  for (int64_t j = 0; j < rows; j++, y += n) {
    const int64_t first = above[j];
    const real weight = part[j];
    const int64_t last = weight == 0 ? first : below[j];
    for (made = THMax(made, first); made <= last; made++) {
      const real *from = x + made * size;
      real *row = room + (made & 1) * s.vectors * WIDTH;
      fetch(from, size);
      for (ptrdiff_t i = 0; i < s.vectors; i++)
        STORE(row + i * WIDTH, ALL, picked_of(all, i, taps, there, from));
    }
    const real *a = room + (first & 1) * s.vectors * WIDTH;
    const real *b = room + (last & 1) * s.vectors * WIDTH;
    for (ptrdiff_t i = 0; i < s.vectors; i++)
      fetch_to_write(y + i * WIDTH, 1);
    if (weight == 0)
      for (ptrdiff_t i = 0; i < s.vectors; i++)
        STORE(y + i * WIDTH, lanes_at(s, i), LOAD(ALL, a + i * WIDTH));
    else
      for (ptrdiff_t i = 0; i < s.vectors; i++) {
        const Vector v = LOAD(ALL, a + i * WIDTH) * (1 - weight);
        STORE(y + i * WIDTH, lanes_at(s, i),
              ADD_PRODUCT(v, LOAD(ALL, b + i * WIDTH), SAME(weight)));
      }
  }
}

/* The same back, of an image or a volume: what the vectors of each group hold in the rows of
 * gradients that come from an input row is added up in registers. */
LOOP narrow(const THNNPlanes *p, const THNN_(Places) * at, int count, Lanes there, const real *x,
            real *y)
{
  const Groups *all = at->groups;
  const THNN_(Band) depth = at->band[0], height = at->band[1];
  const ptrdiff_t n = p->out[2], taps = all->taps;
  ptrdiff_t from[2 * MOST_GROUPS];
  int64_t read = 0;
  for (int q = 0; q < count; q++) {
    from[2 * q] = all->group[q].lower;
    from[2 * q + 1] = all->group[q].upper;
  }
  for (int64_t i = 0; i < p->in[0]; i++)
    for (int64_t j = 0; j < p->in[1]; j++, y += p->in[2]) {
      Vector sum[2 * MOST_GROUPS];
      UNROLL
      for (int q = 0; q < 2 * count; q++)
        sum[q] = SAME(0);
      for (ptrdiff_t z = 0; z < depth.taps; z++) {
        const real whole = depth.weight[z * depth.to + i];
        const real *part = height.weight + j;
        int64_t row = (depth.first[i] + z) * p->out[1] + height.first[j];
        const real *g = x + row * n;
        for (ptrdiff_t r = 0; r < height.taps; r++, part += height.to, row++, g += n) {
          const real weight = whole * *part;
          if (weight == 0)
            continue;
          UNROLL
          for (int q = 0; q < 2 * count; q++)
            sum[q] = ADD_PRODUCT(sum[q], SAME(weight), LOAD(there, g + from[q]));
          if (row < read)
            continue;
          read = row + 1;
          fetch(g, n);
        }
      }
      fetch_to_write(y, p->in[2]);
      UNROLL
      for (int q = 0; q < count; q++)
        put_group(&all->group[q], picked(all, q, taps, sum[2 * q], sum[2 * q + 1]), y);
    }
}

/* Whether it has been done. */
static int is_widened(const THNNPlanes *p, const THNN_(Places) * at, const real *x, real *y,
                      real *room)
{
  const Groups *groups = at->groups;
  const Shape s = shape_of(p->out[2]);
  if (p->in[0] > 1 || p->out[0] > 1 || at->sends || !groups || !groups->vectors)
    return 0;
  const Lanes there = groups->there;
  if (s.vectors == 2 && groups->taps == 1)
    widen(p, at, (Shape){2, s.last}, 1, there, x, y, room);
  else if (s.vectors == 2)
    widen(p, at, (Shape){2, s.last}, 2, there, x, y, room);
  else if (s.vectors == 4 && groups->taps == 1)
    widen(p, at, (Shape){4, s.last}, 1, there, x, y, room);
  else if (s.vectors == 4 && there == ALL)
    widen(p, at, (Shape){4, s.last}, 2, ALL, x, y, room);
  else if (s.vectors == 4)
    widen(p, at, (Shape){4, s.last}, 2, there, x, y, room);
  else
    widen(p, at, s, groups->taps, there, x, y, room);
  return 1;
}

static int is_narrowed(const THNNPlanes *p, const THNN_(Places) * at, const real *x, real *y)
{
  const Groups *groups = at->groups;
  if (!groups || groups->count > MOST_GROUPS)
    return 0;
  if (groups->there != ALL && groups->count == 1)
    narrow(p, at, 1, groups->there, x, y);
  else if (groups->there != ALL && groups->count == 2)
    narrow(p, at, 2, groups->there, x, y);
  else if (groups->there != ALL)
    return 0;
  else if (groups->count == 1)
    narrow(p, at, 1, ALL, x, y);
  else if (groups->count == 2)
    narrow(p, at, 2, ALL, x, y);
  else if (groups->count == 3)
    narrow(p, at, 3, ALL, x, y);
  else
    narrow(p, at, 4, ALL, x, y);
  return 1;
}

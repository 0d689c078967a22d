/* Rows that a band makes, in AVX-512: two vectors at a time, of which one instruction picks what
 * neighbours come from, as it has been found once for all planes. */

enum { LONGEST = 4 }; /* vectors of a row that is summed up in registers */

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
#define ADD_PRODUCT(S, L, A, B) _mm512_mask3_fmadd_ps(A, B, S, L)
#define ADD_PLACES(I, LANES, N) _mm512_mask_add_epi32(I, LANES, I, _mm512_set1_epi32(N))
#define BELOW(I, N)             _mm512_cmplt_epi32_mask(I, _mm512_set1_epi32(N))
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
#define ADD_PRODUCT(S, L, A, B) _mm512_mask3_fmadd_pd(A, B, S, L)
#define ADD_PLACES(I, LANES, N) _mm512_mask_add_epi64(I, LANES, I, _mm512_set1_epi64(N))
#define BELOW(I, N)             _mm512_cmplt_epi64_mask(I, _mm512_set1_epi64(N))
#endif

#define ALL ((Lanes)-1)

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
  Lanes lanes;
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

/* The group from k on: as many neighbours as come from two vectors of a row of size elements, which
 * begin at a multiple of apart or at its end. */
static inline Group group_of(const THNN_(Band) * b, ptrdiff_t k, ptrdiff_t size, ptrdiff_t apart,
                             __m512i *at)
{
  const int64_t *first = b->first + k;
  const Lanes all = lanes_of(b->to - k);
  const ptrdiff_t begin = first[0] / apart * apart, last = THMax(size - WIDTH, 0);
  Group g = {.k = k, .lower = THMin(begin, last), .upper = THMin(begin + WIDTH, last)};
  const ptrdiff_t end = g.upper - g.lower + WIDTH;
  *at = ADD_PLACES(places_of(first, all), ALL, (int)(first[0] - g.lower));
  const Lanes near = all & BELOW(*at, (int)(end + 1 - b->taps));
  g.lanes = lanes_of(__builtin_ctz(~(uint32_t)near));
  return g;
}

/* The taps of a group whose elements are at those places of two vectors. */
static inline void find_taps(const THNN_(Band) * b, const Group *g, __m512i at, Tap *tap)
{
  const int overlap = (int)(g->lower + WIDTH - g->upper);
  for (int t = 0; t < (int)b->taps; t++) {
    const __m512i place = ADD_PLACES(at, ALL, t);
    tap[t].at = ADD_PLACES(place, (Lanes)~BELOW(place, WIDTH), overlap);
    tap[t].weight = LOAD(g->lanes, b->weight + t * b->to + g->k);
  }
}

/* The groups of a row, or NULL where it is very long, or made of elements that lie too far apart.
 * Going back, a short row is read just after it was written, by the same vectors: others would have
 * to wait until it is in the cache. */
static void *find_groups(const THNN_(Band) * b, int back)
{
  enum { LONG = 65536 };
  const ptrdiff_t size = back ? THNN_(resamplePitch)(b->from) : b->from;
  const ptrdiff_t apart = back && size <= LONGEST * WIDTH ? WIDTH : 1;
  const ptrdiff_t most = 1 + b->to / (WIDTH / 4);
  ptrdiff_t count = 0;
  __m512i at;
  if (b->from > LONG || b->to > LONG || b->taps > 2 * WIDTH)
    return NULL;
  for (ptrdiff_t k = 0; k < b->to; count++) {
    const Group g = group_of(b, k, size, apart, &at);
    if (g.lanes == 0 || count == most)
      return NULL;
    k += __builtin_popcount(g.lanes);
  }
  const ptrdiff_t taps = count * b->taps;
  Groups *all = THAlloc((ptrdiff_t)sizeof *all + taps * (ptrdiff_t)sizeof *all->tap +
                        count * (ptrdiff_t)sizeof *all->group);
  *all = (Groups){count, b->taps, lanes_of(size), 1, (Group *)(all->tap + taps)};
  ptrdiff_t k = 0;
  for (ptrdiff_t i = 0; i < count; i++) {
    all->group[i] = group_of(b, k, size, apart, &at);
    find_taps(b, &all->group[i], at, all->tap + i * b->taps);
    k += __builtin_popcount(all->group[i].lanes);
    all->vectors &= k == (i + 1) * WIDTH || i == count - 1;
  }
  return all;
}

/* Group i of the row that x becomes. */
static inline __attribute__((always_inline)) Vector picked(const Groups *all, ptrdiff_t i,
                                                           ptrdiff_t taps, const real *x)
{
  const Group *g = &all->group[i];
  const Tap *tap = all->tap + i * taps;
  const Vector lower = LOAD(all->there, x + g->lower), upper = LOAD(all->there, x + g->upper);
  Vector sum = SAME(0);
  for (ptrdiff_t t = 0; t < taps; t++)
    sum = ADD_PRODUCT(sum, NOT_ZERO(tap[t].weight), tap[t].weight, PICK(lower, tap[t].at, upper));
  return sum;
}

LOOP pick_row(const Groups *all, ptrdiff_t taps, const real *x, real *y)
{
  for (ptrdiff_t i = 0; i < all->count; i++)
    STORE(y + all->group[i].k, all->group[i].lanes, picked(all, i, taps, x));
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
LOOP widen(const THNNPlanes *p, const THNN_(Places) * at, Shape s, ptrdiff_t taps, const real *x,
           real *y, real *room)
{
  const Groups *all = at->groups;
  int64_t made = 0;
  for (int64_t j = 0; j < p->out[1]; j++, y += p->out[2]) {
    const int64_t first = at->from[1][j];
    const real weight = at->weight[1][j];
    const int64_t last = weight == 0 ? first : at->next[1][j];
    for (made = THMax(made, first); made <= last; made++) {
      const real *from = x + made * p->in[2];
      real *row = room + (made & 1) * s.vectors * WIDTH;
      fetch(from, p->in[2]);
      for (ptrdiff_t i = 0; i < s.vectors; i++)
        STORE(row + i * WIDTH, ALL, picked(all, i, taps, from));
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
        const Vector above = LOAD(ALL, a + i * WIDTH) * (1 - weight);
        STORE(y + i * WIDTH, lanes_at(s, i),
              ADD_PRODUCT(above, ALL, LOAD(ALL, b + i * WIDTH), SAME(weight)));
      }
  }
}

/* The same back: the rows of gradients that come from an input row are added up in registers. */
LOOP narrow(const THNNPlanes *p, const THNN_(Places) * at, Shape s, const real *x, real *y,
            real *room)
{
  const ptrdiff_t n = p->out[2];
  const int64_t *from = at->from[1], *next = at->next[1];
  int64_t begin = 0;
  for (int64_t j = 0; j < p->in[1]; j++, y += p->in[2]) {
    Vector sum[LONGEST] = {SAME(0)};
    while (begin < p->out[1] && next[begin] < j)
      begin++;
    for (int64_t r = begin; r < p->out[1] && from[r] <= j; r++) {
      const real second = at->weight[1][r];
      const real weight = (from[r] == j ? 1 - second : 0) + (next[r] == j ? second : 0);
      if (weight == 0)
        continue;
      for (ptrdiff_t i = 0; i < s.vectors; i++) {
        const real *g = x + r * n + i * WIDTH;
        sum[i] = ADD_PRODUCT(sum[i], ALL, LOAD(lanes_at(s, i), g), SAME(weight));
        fetch(g, 1);
      }
    }
    for (ptrdiff_t i = 0; i < s.vectors; i++)
      STORE(room + i * WIDTH, ALL, sum[i]);
    fetch_to_write(y, p->in[2]);
    apply_groups(at->groups, room, y);
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
  if (s.vectors == 2 && groups->taps == 1)
    widen(p, at, (Shape){2, s.last}, 1, x, y, room);
  else if (s.vectors == 2)
    widen(p, at, (Shape){2, s.last}, 2, x, y, room);
  else if (s.vectors == 4 && groups->taps == 1)
    widen(p, at, (Shape){4, s.last}, 1, x, y, room);
  else if (s.vectors == 4)
    widen(p, at, (Shape){4, s.last}, 2, x, y, room);
  else
    widen(p, at, s, groups->taps, x, y, room);
  return 1;
}

static int is_narrowed(const THNNPlanes *p, const THNN_(Places) * at, const real *x, real *y,
                       real *room)
{
  const Groups *groups = at->groups;
  const Shape s = shape_of(p->out[2]);
  if (p->in[0] > 1 || p->out[0] > 1 || !groups)
    return 0;
  switch (s.vectors) {
    case 1:
      narrow(p, at, (Shape){1, s.last}, x, y, room);
      break;
    case 2:
      narrow(p, at, (Shape){2, s.last}, x, y, room);
      break;
    case 3:
      narrow(p, at, (Shape){3, s.last}, x, y, room);
      break;
    case 4:
      narrow(p, at, (Shape){4, s.last}, x, y, room);
      break;
    default:
      return 0;
  }
  return 1;
}

/* Sums of Half and BFloat16, and of their squares, without a buffer of floats (AVX-512).
 *
 * Up to TERMS elements are added up in float, what that makes in double.  A sum of two is exact
 * where neither is 2^12 times the other, since elements have at most 11 bits and floats 24; squares
 * have 22 and are exact.  Where elements are further apart, each of the 7 additions errs by 2^-24
 * of what is added up at most: the whole sum errs by less than 2^-21 of that of the magnitudes.
 * The result, a Half or BFloat16 again, is rounded by up to 2^-12 or 2^-9. */
#include "../halfSums.h"

#if defined(__AVX512F__)
#include <float.h>
#include <immintrin.h>

enum {
  WIDTH = 16,  /* elements of a vector */
  LANES = 8,   /* sums of a vector */
  TERMS = 8,   /* elements that are added up in float */
  MOST = 1024, /* lanes of a block */
  AHEAD = 4096 /* bytes that a line is fetched ahead */
};

/* What is added up. */
typedef struct {
  bool bfloat, squares;
} What;

#define INLINE static inline __attribute__((always_inline))

/* --- vectors -----------------------------------------------------------------------------------
 */

INLINE __m256i words_at(const uint16_t *x)
{
  return _mm256_loadu_si256((const __m256i *)x);
}

/* Of the next vector n or all, the others 0. */
INLINE __m256i some_words(const uint16_t *x, ptrdiff_t n)
{
  return _mm256_maskz_loadu_epi16((__mmask16)_bzhi_u32(0xffff, (uint32_t)THMin(n, WIDTH)), x);
}

INLINE __m512 floats(What what, __m256i x)
{
  if (what.bfloat)
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16));
  return _mm512_cvtph_ps(x);
}

INLINE __m512 first_taken(What what, __m256i x)
{
  const __m512 f = floats(what, x);
  return what.squares ? _mm512_mul_ps(f, f) : f;
}

INLINE __m512 taken(What what, __m512 sum, __m256i x)
{
  const __m512 f = floats(what, x);
  return what.squares ? _mm512_fmadd_ps(f, f, sum) : _mm512_add_ps(sum, f);
}

/* The sums of TERMS rows of a vector. */
INLINE __m512 terms(What what, const uint16_t *x, ptrdiff_t jump)
{
  __m512 a = first_taken(what, words_at(x)), b = first_taken(what, words_at(x + jump));
  for (int k = 2; k < TERMS; k += 2) {
    a = taken(what, a, words_at(x + k * jump));
    b = taken(what, b, words_at(x + (k + 1) * jump));
  }
  return _mm512_add_ps(a, b);
}

INLINE __m512d lower(__m512 x)
{
  return _mm512_cvtps_pd(_mm512_castps512_ps256(x));
}

INLINE __m512d upper(__m512 x)
{
  return _mm512_cvtps_pd(_mm512_extractf32x8_ps(x, 1));
}

/* The sums of eight vectors: of halves, then quarters, then single lanes. */
static inline __m512d folded(const __m512d *x)
{
  __m512d half[4], two[2];
  for (int k = 0; k < 4; k++)
    half[k] = _mm512_add_pd(_mm512_shuffle_f64x2(x[k], x[k + 4], 0x44),
                            _mm512_shuffle_f64x2(x[k], x[k + 4], 0xee));
  for (int k = 0; k < 2; k++)
    two[k] = _mm512_add_pd(_mm512_shuffle_f64x2(half[k], half[k + 2], 0x88),
                           _mm512_shuffle_f64x2(half[k], half[k + 2], 0xdd));
  const __m512d sums =
      _mm512_add_pd(_mm512_unpacklo_pd(two[0], two[1]), _mm512_unpackhi_pd(two[0], two[1]));
  return _mm512_permutexvar_pd(_mm512_setr_epi64(0, 1, 4, 5, 2, 3, 6, 7), sums);
}

/* --- states ------------------------------------------------------------------------------------
 */

/* sums[i], of so many lanes, is added to states[i] if all are finite, and says whether: others may
 * be finite in double. */
static __attribute__((noinline)) int join(double *states, const double *sums, ptrdiff_t lanes)
{
  for (ptrdiff_t j = 0; j < lanes; j += LANES) {
    const __mmask8 mask = (__mmask8)_bzhi_u32(0xff, (uint32_t)THMin(LANES, lanes - j));
    const __m512d x = _mm512_abs_pd(_mm512_maskz_loadu_pd(mask, sums + j));
    if (_mm512_cmp_pd_mask(x, _mm512_set1_pd(DBL_MAX), _CMP_NLE_UQ))
      return 0;
  }
  for (ptrdiff_t j = 0; j < lanes; j += LANES) {
    const __mmask8 mask = (__mmask8)_bzhi_u32(0xff, (uint32_t)THMin(LANES, lanes - j));
    const __m512d x = _mm512_maskz_loadu_pd(mask, states + j);
    _mm512_mask_storeu_pd(states + j, mask, _mm512_add_pd(x, _mm512_loadu_pd(sums + j)));
  }
  return 1;
}

/* --- across rows -------------------------------------------------------------------------------
 */

INLINE void add_to(double *sums, __m512 x)
{
  _mm512_storeu_pd(sums, _mm512_add_pd(_mm512_loadu_pd(sums), lower(x)));
  _mm512_storeu_pd(sums + LANES, _mm512_add_pd(_mm512_loadu_pd(sums + LANES), upper(x)));
}

/* Lanes side by side. */
INLINE int take_columns(What what, double *states, const THRows *block)
{
  const uint16_t *const x = block->at;
  const ptrdiff_t lanes = block->lanes, rows = block->rows, jump = block->jump;
  const uintptr_t ahead = (uintptr_t)jump * TERMS * sizeof *x;
  double sums[MOST] = {0};
  for (ptrdiff_t i = 0; i < rows; i += TERMS) {
    const uint16_t *const row = x + i * jump;
    ptrdiff_t j = 0;
    if (i + TERMS <= rows)
      for (; j + WIDTH <= lanes; j += WIDTH) {
        for (int k = 0; k < TERMS; k++)
          __builtin_prefetch((const void *)((uintptr_t)(row + k * jump + j) + ahead));
        add_to(sums + j, terms(what, row + j, jump));
      }
    for (; j < lanes; j += WIDTH) {
      __m512 sum = _mm512_setzero_ps();
      for (ptrdiff_t k = 0; k < THMin(TERMS, rows - i); k++)
        sum = taken(what, sum, some_words(row + k * jump + j, lanes - j));
      add_to(sums + j, sum);
    }
  }
  return join(states, sums, lanes);
}

/* --- along lines -------------------------------------------------------------------------------
 */

/* The sum of a line, as a vector of sums. */
INLINE __m512d line_sums(What what, const uint16_t *x, ptrdiff_t n)
{
  __m512d low = _mm512_setzero_pd(), high = low;
  ptrdiff_t i = 0;
  for (; i + TERMS * WIDTH <= n; i += TERMS * WIDTH) {
    for (int k = 0; k < TERMS * WIDTH; k += 2 * WIDTH)
      __builtin_prefetch((const void *)((uintptr_t)(x + i + k) + AHEAD));
    const __m512 sum = terms(what, x + i, WIDTH);
    low = _mm512_add_pd(low, lower(sum));
    high = _mm512_add_pd(high, upper(sum));
  }
  __m512 rest = _mm512_setzero_ps();
  for (; i + WIDTH <= n; i += WIDTH)
    rest = taken(what, rest, words_at(x + i));
  if (i < n)
    rest = taken(what, rest, some_words(x + i, n - i));
  return _mm512_add_pd(_mm512_add_pd(low, lower(rest)), _mm512_add_pd(high, upper(rest)));
}

static int is_zero(const uint16_t *x, ptrdiff_t n)
{
  unsigned bits = 0;
  for (ptrdiff_t i = 0; i < n; i++)
    bits |= x[i];
  return (bits & 0x7fff) == 0;
}

/* Lanes whose elements lie side by side.  Squares of BFloat16 may become 0 in float, which counts
 * where their sum is small. */
INLINE int take_lines(What what, double *states, const THRows *block)
{
  const uint16_t *const x = block->at;
  const ptrdiff_t lines = block->lanes, apart = block->step, n = block->rows;
  double sums[MOST];
  __m512d parts[LANES] = {{0}};
  for (ptrdiff_t j = 0; j < lines; j += LANES) {
    for (ptrdiff_t k = 0; k < THMin(LANES, lines - j); k++)
      parts[k] = line_sums(what, x + (j + k) * apart, n);
    _mm512_storeu_pd(sums + j, folded(parts));
  }
  if (what.bfloat && what.squares)
    for (ptrdiff_t j = 0; j < lines; j++)
      if (sums[j] < 0x1p-100 && !is_zero(x + j * apart, n))
        return 0;
  return join(states, sums, lines);
}

/* --- the table ---------------------------------------------------------------------------------
 */

/* Short lines are quicker in floats, many at a time.  Columns of squares of BFloat16 would have to
 * be searched for such as become 0. */
#define TAKE(name, ...)                                                         \
  static int name(void *states, const THRows *block)                            \
  {                                                                             \
    enum { FEW = 4 * WIDTH };                                                   \
    const What what = {__VA_ARGS__};                                            \
    if (block->lanes > MOST)                                                    \
      return 0;                                                                 \
    if (block->jump == 1 && block->rows >= FEW)                                 \
      return take_lines(what, states, block);                                   \
    if (block->step != 1 || block->lanes < WIDTH)                               \
      return 0;                                                                 \
    return !(what.bfloat && what.squares) && take_columns(what, states, block); \
  }
TAKE(half_sums, .bfloat = false, .squares = false)
TAKE(half_squares, .bfloat = false, .squares = true)
TAKE(bfloat_sums, .bfloat = true, .squares = false)
TAKE(bfloat_squares, .bfloat = true, .squares = true)

#else
#define half_sums      NULL
#define half_squares   NULL
#define bfloat_sums    NULL
#define bfloat_squares NULL
#endif

const at_taking TH_LEVEL_(at_halfSums)[] = {
    [AT_HALF_SUMS(0, 0)] = half_sums,
    [AT_HALF_SUMS(0, 1)] = half_squares,
    [AT_HALF_SUMS(1, 0)] = bfloat_sums,
    [AT_HALF_SUMS(1, 1)] = bfloat_squares,
};

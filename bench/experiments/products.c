/* Experiments: products of matrices of BFloat16 by tiles. */
#include <sys/syscall.h>
#include <unistd.h>

#include "ATen/ATenDLPackTypes.h"
#include "experiments.h"

#if defined(__AVX512F__)
#include <cpuid.h>

/* A square is 16 lines of 32 terms; of x line by line, of y by pairs of terms. */
enum { SIDE = 1024, LINES = 16, TERMS = 32, SQUARE = LINES * TERMS, TILE = 2 * LINES };

/* Tiles of 2 x 2 squares: terms that stay in L1, columns that stay in L2. */
enum { DEPTH = 512, COLUMNS = 512 };

static at_tensor *x, *y, *result;

static void release(DLManagedTensor *unused)
{
  (void)unused;
}

/* The memory of floats as twice as many numbers, which are compared as pairs: they are the same. */
static at_tensor *halves_of(at_tensor *t)
{
  static int64_t shape[] = {SIDE, SIDE};
  static DLManagedTensor managed;
  managed = (DLManagedTensor){.dl_tensor = {.data = at_data(t),
                                            .device = {kDLCPU, 0},
                                            .ndim = 2,
                                            .dtype = {kDLBfloat, 16, 1},
                                            .shape = shape},
                              .deleter = release};
  return at_fromDLPack(&managed);
}

static void prepare_product(void)
{
  x = at_to(normal(AT_SHAPE(SIDE, SIDE)), AT_CPU(AT_BFLOAT16));
  y = at_to(normal(AT_SHAPE(SIDE, SIDE)), AT_CPU(AT_BFLOAT16));
  give_results(AT_SHAPE(SIDE, SIDE / 2), 0);
  result = halves_of(on.result);
}

static void product(void *unused)
{
  (void)unused;
  at_mm_out(result, x, y);
}

/* As the library asks. */
static const char *missing_tiles(void)
{
  enum { ASK_PERMISSION = 0x1023, TILE_DATA = 18 }; /* of arch_prctl */
  enum { HAS_BFLOAT_TILES = 1 << 22, HAS_TILES = 1 << 24, WANTED = HAS_BFLOAT_TILES | HAS_TILES };
  unsigned a, b, c, d;
  const int usable = __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & WANTED) == WANTED &&
                     syscall(SYS_arch_prctl, ASK_PERMISSION, TILE_DATA) == 0;
  return usable ? NULL : "AMX";
}

#define WITH_TILES __attribute__((target("amx-tile,amx-bf16")))

WITH_TILES static void open_tiles(void)
{
  enum { REGISTERS = 8 };
  struct {
    uint8_t palette, start, reserved[14];
    uint16_t rowBytes[16];
    uint8_t rows[16];
  } shape = {.palette = 1};
  for (int i = 0; i < REGISTERS; i++) {
    shape.rows[i] = LINES;
    shape.rowBytes[i] = TERMS * sizeof(uint16_t);
  }
  __asm__ volatile("" ::"r"(&shape) : "memory");
  _tile_loadconfig(&shape);
}

/* 32 columns of DEPTH rows of y, as pairs of squares. */
static void pack_columns(const uint16_t *from, uint16_t *to)
{
  const __m512i low = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
  const __m512i high = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  for (int l = 0; l < DEPTH; l += TERMS, to += 2 * SQUARE)
    for (int i = 0; i < TERMS; i += 2) {
      const uint16_t *const at = from + (ptrdiff_t)(l + i) * SIDE;
      __builtin_prefetch(at + (ptrdiff_t)TERMS * SIDE);
      __builtin_prefetch(at + (ptrdiff_t)(TERMS + 1) * SIDE);
      const __m512i a = _mm512_loadu_si512(at), b = _mm512_loadu_si512(at + SIDE);
      const __m512i first = _mm512_unpacklo_epi16(a, b), second = _mm512_unpackhi_epi16(a, b);
      _mm512_store_si512(to + i * LINES, _mm512_permutex2var_epi64(first, low, second));
      _mm512_store_si512(to + SQUARE + i * LINES, _mm512_permutex2var_epi64(first, high, second));
    }
}

/* 32 rows of x likewise. */
static void pack_rows(const uint16_t *from, uint16_t *to)
{
  for (int l = 0; l < DEPTH; l += TERMS)
    for (int i = 0; i < TILE; i++, to += TERMS)
      _mm512_store_si512(to, _mm512_loadu_si512(from + (ptrdiff_t)i * SIDE + l));
}

WITH_TILES static void multiply(const uint16_t *a, const uint16_t *b, float *sums, int adds)
{
  enum { ROW = TILE * sizeof(float), LINE = 64, HALF = LINES * TILE };
  __asm__ volatile("" ::: "memory");
  if (adds) {
    _tile_loadd(0, sums, ROW);
    _tile_loadd(1, sums + LINES, ROW);
    _tile_loadd(2, sums + HALF, ROW);
    _tile_loadd(3, sums + HALF + LINES, ROW);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  for (int l = 0; l < DEPTH; l += TERMS, a += 2 * SQUARE, b += 2 * SQUARE) {
    _tile_loadd(4, a, LINE);
    _tile_loadd(6, b, LINE);
    _tile_dpbf16ps(0, 4, 6);
    _tile_loadd(7, b + SQUARE, LINE);
    _tile_dpbf16ps(1, 4, 7);
    _tile_loadd(5, a + SQUARE, LINE);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  }
  _tile_stored(0, sums, ROW);
  _tile_stored(1, sums + LINES, ROW);
  _tile_stored(2, sums + HALF, ROW);
  _tile_stored(3, sums + HALF + LINES, ROW);
  __asm__ volatile("" ::: "memory");
}

/* Rounded to the nearest, of two to the even one; every NaN becomes the same. */
static inline __m512i rounded(__m512 sums)
{
  const __m512i bits = _mm512_castps_si512(sums);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i sum = _mm512_add_epi32(_mm512_add_epi32(bits, odd), _mm512_set1_epi32(0x7fff));
  return _mm512_mask_mov_epi32(_mm512_srli_epi32(sum, 16),
                               _mm512_cmp_ps_mask(sums, sums, _CMP_UNORD_Q),
                               _mm512_set1_epi32(0x7fc0));
}

static void finish(const float *sums, uint16_t *to)
{
  for (int i = 0; i < TILE; i++, sums += TILE, to += SIDE)
    for (int j = 0; j < TILE; j += FLOATS)
      _mm256_storeu_si256((__m256i *)(to + j),
                          _mm512_cvtepi32_epi16(rounded(_mm512_load_ps(sums + j))));
}

WITH_TILES static void sketch_product(void *unused)
{
  (void)unused;
  static _Alignas(64) uint16_t columns[SIDE / DEPTH][COLUMNS * DEPTH], rows[TILE * DEPTH];
  static _Alignas(64) float sums[COLUMNS * TILE];
  const uint16_t *const a = at_data(x), *const b = at_data(y);
  uint16_t *const to = at_data(on.sketched);
  open_tiles();
  for (int j = 0; j < SIDE; j += COLUMNS) {
    for (int l = 0; l < SIDE; l += DEPTH)
      for (int k = 0; k < COLUMNS; k += TILE)
        pack_columns(b + (ptrdiff_t)l * SIDE + j + k, columns[l / DEPTH] + k * DEPTH);
    for (int i = 0; i < SIDE; i += TILE)
      for (int l = 0; l < SIDE; l += DEPTH) {
        pack_rows(a + (ptrdiff_t)i * SIDE + l, rows);
        for (int k = 0; k < COLUMNS; k += TILE) {
          multiply(rows, columns[l / DEPTH] + k * DEPTH, sums + k * TILE, l > 0);
          if (l + DEPTH == SIDE)
            finish(sums + k * TILE, to + (ptrdiff_t)i * SIDE + j + k);
        }
      }
  }
  _tile_release();
}

const Experiment products_experiments[] = {
    {"mm.bf16", "1024 x 1024 x 1024", SIDE *SIDE, SIDE *SIDE / 2, prepare_product, product,
     sketch_product, .missing = missing_tiles},
    {0},
};

#endif

/* A tile of sums in the tile registers of AMX.  Its instruction multiplies a square of x with a
 * square of y: it sums the even terms and the odd terms by themselves, then adds both sums to
 * floats. It treats denormal numbers as 0.  Included by ProductsKernels.c. */
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Linux grants the tile registers to a process that asks for them.  TH asks at the first product
 * and not earlier, because afterwards signal frames may be larger: they save these registers. */
static bool tiles_usable(void)
{
  enum { ASK_PERMISSION = 0x1023, TILE_DATA = 18 }; /* of arch_prctl */
  enum { HAS_BFLOAT_TILES = 1 << 22, HAS_TILES = 1 << 24, WANTED = HAS_BFLOAT_TILES | HAS_TILES };
  const char *level = secure_getenv("TH_CPU_CAPABILITY");
  unsigned a, b, c, d;
  if ((level && !strcmp(level, "avx512")) || !__get_cpuid_count(7, 0, &a, &b, &c, &d))
    return false;
  return (d & WANTED) == WANTED && syscall(SYS_arch_prctl, ASK_PERMISSION, TILE_DATA) == 0;
}

#define WITH_TILES __attribute__((target("amx-tile,amx-bf16")))

/* Configures all registers as squares. */
WITH_TILES static void open_tiles(void)
{
  enum { REGISTERS = 8 };
  struct {
    uint8_t palette, start, reserved[14];
    uint16_t rowBytes[16];
    uint8_t rows[16];
  } shape = {.palette = 1};
  for (int i = 0; i < REGISTERS; i++) {
    shape.rows[i] = AT_SQUARE_LINES;
    shape.rowBytes[i] = AT_SQUARE_TERMS * sizeof(at_bfloat16);
  }
  __asm__ volatile(
      "" ::"r"(&shape)
      : "memory"); /* _tile_loadconfig reads all of shape, and compilers may assume less */
  _tile_loadconfig(&shape);
}

/* Releases the registers, so that context switches do not save them. */
WITH_TILES static void close_tiles(void)
{
  _tile_release();
}

/* Multiplies down squares of rows by across squares of columns, both constants where this is
 * inlined.  Registers 0 to 3 hold sums, 4 and 5 squares of x, 6 and 7 squares of y. */
__attribute__((target("amx-tile,amx-bf16"), always_inline)) static inline void
multiply_squares(ptrdiff_t terms, const at_bfloat16 *x, const at_bfloat16 *y, float *sums, bool add,
                 int down, int across)
{
  enum {
    ROW = AT_TILE_COLUMNS * sizeof(float),
    BELOW = AT_SQUARE_LINES * AT_TILE_COLUMNS,
    LINE = AT_SQUARE_TERMS * sizeof(at_bfloat16)
  };
  __asm__ volatile("" ::: "memory"); /* the packed operands have been stored */
  if (add) {
    _tile_loadd(0, sums, ROW);
    if (across > 1)
      _tile_loadd(1, sums + LANES, ROW);
    if (down > 1)
      _tile_loadd(2, sums + BELOW, ROW);
    if (down > 1 && across > 1)
      _tile_loadd(3, sums + BELOW + LANES, ROW);
  } else {
    _tile_zero(0);
    _tile_zero(1);
    _tile_zero(2);
    _tile_zero(3);
  }
  for (ptrdiff_t l = 0; l < terms; l += AT_SQUARE_TERMS) {
    _tile_loadd(4, x, LINE);
    _tile_loadd(6, y, LINE);
    if (down > 1)
      _tile_loadd(5, x + AT_SQUARE, LINE);
    if (across > 1)
      _tile_loadd(7, y + AT_SQUARE, LINE);
    _tile_dpbf16ps(0, 4, 6);
    if (across > 1)
      _tile_dpbf16ps(1, 4, 7);
    if (down > 1)
      _tile_dpbf16ps(2, 5, 6);
    if (down > 1 && across > 1)
      _tile_dpbf16ps(3, 5, 7);
    x += down * AT_SQUARE;
    y += across * AT_SQUARE;
  }
  _tile_stored(0, sums, ROW);
  if (across > 1)
    _tile_stored(1, sums + LANES, ROW);
  if (down > 1)
    _tile_stored(2, sums + BELOW, ROW);
  if (down > 1 && across > 1)
    _tile_stored(3, sums + BELOW + LANES, ROW);
  __asm__ volatile("" ::: "memory"); /* the sums have been stored before they are read */
}

WITH_TILES static void tile_by_tiles(ptrdiff_t terms, const at_bfloat16 *x, const at_bfloat16 *y,
                                     float *sums, ptrdiff_t rows, ptrdiff_t columns, bool add)
{
  if (rows > AT_SQUARE_LINES && columns > AT_SQUARE_LINES)
    multiply_squares(terms, x, y, sums, add, 2, 2);
  else if (rows > AT_SQUARE_LINES)
    multiply_squares(terms, x, y, sums, add, 2, 1);
  else if (columns > AT_SQUARE_LINES)
    multiply_squares(terms, x, y, sums, add, 1, 2);
  else
    multiply_squares(terms, x, y, sums, add, 1, 1);
}

#undef WITH_TILES

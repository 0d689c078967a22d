/* A tile of sums in the tile registers of AMX, whose instruction multiplies a square of x with one
 * of y and adds the sums to floats: those of the even terms and those of the odd ones first, then
 * both.  To it, denormal numbers are 0.  Included by Products.c. */
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel gives a process these registers when it asks, which is when it first has a product to
 * compute: from then on signals may be larger, because those that arrive meanwhile save them. */
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

/* All registers are squares. */
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
  __asm__ volatile("" ::"r"(&shape) : "memory"); /* all of it is read, not its first bytes alone */
  _tile_loadconfig(&shape);
}

/* Leaves the registers empty, so that nobody saves them. */
WITH_TILES static void close_tiles(void)
{
  _tile_release();
}

/* So many squares of rows and of columns, which are constants: registers 0 to 3 are sums, the next
 * two squares of x, the last two of y. */
__attribute__((target("amx-tile,amx-bf16"), always_inline)) static inline void
multiply_squares(ptrdiff_t terms, const at_bfloat16 *x, const at_bfloat16 *y, float *sums, bool add,
                 int down, int across)
{
  enum {
    ROW = AT_TILE_COLUMNS * sizeof(float),
    BELOW = AT_SQUARE_LINES * AT_TILE_COLUMNS,
    LINE = AT_SQUARE_TERMS * sizeof(at_bfloat16)
  };
  __asm__ volatile("" ::: "memory"); /* what is packed has been stored */
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
  __asm__ volatile("" ::: "memory"); /* and what is read next has been, too */
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

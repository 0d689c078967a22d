/* Transposes of elements of BITS bits in vectors of BYTES bytes, whose halves the lists LOWER_LIST
 * and UPPER_LIST of lanes interleave; included by THTranspose.h for each width of elements. */
#define BITS_(NAME) TH_CONCAT_4(THTranspose, BITS, _, NAME)
#define ELEMENT     TH_CONCAT_3(uint, BITS, _t)

enum { BITS_(SIDE) = BYTES / (BITS / 8) };
typedef ELEMENT BITS_(Vector) __attribute__((vector_size(BYTES)));

/* Each step interleaves rows i and i + SIDE / 2 into rows 2i and 2i + 1.  So the highest bit of the
 * row number becomes the lowest bit of the column number, and the highest bit of the column number
 * the lowest of the row number.  After as many steps as a number has bits, rows and columns are
 * swapped. */
TH_SIMD void BITS_(store)(BITS_(Vector) v[2][BITS_(SIDE)], ELEMENT *y, ptrdiff_t pitch)
{
  enum { SIDE = BITS_(SIDE) };
  int from = 0;
  TH_PRAGMA(GCC unroll 4)
  for (int bits = 1; bits < SIDE; bits *= 2, from = !from)
    TH_PRAGMA(GCC unroll 8)
  for (int i = 0; i < SIDE / 2; i++) {
    v[!from][2 * i] = __builtin_shufflevector(v[from][i], v[from][i + SIDE / 2], LOWER_LIST);
    v[!from][2 * i + 1] = __builtin_shufflevector(v[from][i], v[from][i + SIDE / 2], UPPER_LIST);
  }
  TH_PRAGMA(GCC unroll 16)
  for (int i = 0; i < SIDE; i++)
    memcpy(y + i * pitch, &v[from][i], sizeof v[0][0]);
}

/* y[j * nextY + i] = x[i * nextX + j] for a whole square. */
static inline void BITS_(square)(const void *x, ptrdiff_t nextX, void *y, ptrdiff_t nextY)
{
  BITS_(Vector) v[2][BITS_(SIDE)];
  for (int i = 0; i < BITS_(SIDE); i++)
    memcpy(&v[0][i], (const ELEMENT *)x + i * nextX, sizeof v[0][0]);
  BITS_(store)(v, y, nextY);
}

#if defined(LOAD_FIRST)
/* to[i * pitch + j] = from[j * lineStride + i] for lines j and n elements i of each.  to has memory for
 * both counts rounded up to whole vectors; the surplus elements get arbitrary values. */
static __attribute__((noinline, unused)) void BITS_(lines)(void *to, ptrdiff_t pitch,
                                                           const void *from, ptrdiff_t lines,
                                                           ptrdiff_t lineStride, ptrdiff_t n)
{
  enum { SIDE = BITS_(SIDE) };
  const ELEMENT *const x = from;
  ELEMENT *const y = to;
  if (n <= SIDE / 4) { /* most of the square would be empty */
    for (ptrdiff_t i = 0; i < n; i++)
      for (ptrdiff_t j = 0; j < lines; j++)
        y[i * pitch + j] = x[j * lineStride + i];
    return;
  }
  for (ptrdiff_t i = 0; i < n; i += SIDE) {
    const int count = n - i < SIDE ? (int)(n - i) : SIDE;
    for (ptrdiff_t j = 0; j < lines; j += SIDE) {
      const int rows = lines - j < SIDE ? (int)(lines - j) : SIDE;
      const ELEMENT *const at = x + j * lineStride + i;
      BITS_(Vector) v[2][SIDE];
      if (rows == SIDE && (TH_VECTOR_MASKS || count == SIDE)) {
        TH_PRAGMA(GCC unroll 16)
        for (int a = 0; a < SIDE; a++)
          LOAD_FIRST(v[0][a], at + a * lineStride, count);
      } else {
        memset(v[0], 0, sizeof v[0]);
        for (int a = 0; a < rows; a++)
          memcpy(&v[0][a], at + a * lineStride, (size_t)count * sizeof *at);
      }
      BITS_(store)(v, y + i * pitch + j, pitch);
    }
  }
}
#undef LOAD_FIRST
#endif

#undef BITS
#undef BITS_
#undef BYTES
#undef ELEMENT
#undef LOWER_LIST
#undef UPPER_LIST

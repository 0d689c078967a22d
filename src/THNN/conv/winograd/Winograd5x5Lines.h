/* Reads and writes the image rows of rows of tiles, as vectors with a row of tiles in each lane. */

/* The rows of tiles of the lanes. */
typedef struct {
  ptrdiff_t count;        /* lanes that have a row of tiles */
  ptrdiff_t image[LANES]; /* the image of the row of tiles */
  ptrdiff_t top[LANES];   /* its first row in y; for lanes without one, far above the image */
} Rows;

/* The rows of tiles first ... first + count - 1, counted on from image to image. */
static Rows rows_from(const THNNTileRows *t, ptrdiff_t first, ptrdiff_t count)
{
  Rows r = {.count = count};
  ptrdiff_t image = first / t->down, row = first % t->down;
  for (ptrdiff_t k = 0; k < LANES; k++) {
    r.image[k] = k < count ? image : 0;
    r.top[k] = k < count ? STEP * row : -(1 << 20);
    if (++row == t->down) {
      row = 0;
      image++;
    }
  }
  return r;
}

/* Reads eight rows of a plane of x, of t->pitch elements each, for each row of tiles:
 * vectors[row][column][lane].  line is scratch memory. */
NOINLINE void read_images(const THNNTileRows *t, const Rows *r, const real *x, real *line,
                          real *vectors)
{
  const ptrdiff_t next = t->planes * t->high * t->wide;
#if TH_VECTOR_MASKS
  (void)line;
  const real *from[LANES];
  for (ptrdiff_t k = 0; k < LANES; k++)
    from[k] = x + r->image[k] * next + (r->top[k] - t->padHigh) * t->wide - t->padWide;
  for (ptrdiff_t j = 0; j < t->pitch; j += LANES) {
    const Mask wide = lanes_between(t->padWide - j, t->padWide + t->wide - j);
    for (int i = 0; i < SIDE; i++) {
      TransposeVector v[2][LANES];
#pragma GCC unroll 16
      for (int k = 0; k < LANES; k++) {
        const size_t row = (size_t)(r->top[k] + i - t->padHigh);
        v[0][k] = (TransposeVector)Vector_(loadMasked)(row < (size_t)t->high ? wide : 0,
                                                       from[k] + i * t->wide + j);
      }
      transpose_store(v, (void *)(vectors + (i * t->pitch + j) * LANES), LANES);
    }
  }
#else
  const ptrdiff_t columns = THMin(t->wide, t->pitch - t->padWide);
  real *at = line;
  memset(line, 0, (size_t)(LANES * SIDE * t->pitch) * sizeof *line);
  for (ptrdiff_t k = 0; k < LANES; k++)
    for (ptrdiff_t i = 0; i < SIDE; i++, at += t->pitch) {
      const ptrdiff_t row = r->top[k] + i - t->padHigh;
      if (row >= 0 && row < t->high && columns > 0)
        memcpy(at + t->padWide, x + r->image[k] * next + row * t->wide,
               (size_t)columns * sizeof *at);
    }
  to_lanes(SIDE * t->pitch, line, vectors);
#endif
}

/* Writes vectors[row][column][lane] to a plane of x: the first four rows of each row of tiles, and all eight
 * of the last one of an image.  line is scratch memory. */
NOINLINE void write_images(const THNNTileRows *t, const Rows *r, const real *vectors, real *line,
                           real *x)
{
  const ptrdiff_t next = t->planes * t->high * t->wide;
  const ptrdiff_t columns = THMin(t->wide, STEP * (t->across + 1) - t->padWide);
  from_lanes(SIDE * t->pitch, vectors, line);
  for (ptrdiff_t k = 0; k < r->count; k++) {
    const ptrdiff_t top = r->top[k] - t->padHigh;
    const int isLast = r->top[k] == STEP * (t->down - 1);
    const ptrdiff_t end = THMin(top + (isLast ? SIDE : STEP), t->high);
    for (ptrdiff_t row = THMax(top, 0); row < end; row++)
      copy_row(x + r->image[k] * next + row * t->wide,
               line + (k * SIDE + row - top) * t->pitch + t->padWide, columns);
  }
}

/* Reads four rows of a plane of y, of 4 * t->across columns each, for each row of tiles:
 * vectors[row][column][lane].  line is scratch memory. */
NOINLINE void read_results(const THNNTileRows *t, const Rows *r, const real *y, real *line,
                           real *vectors)
{
  const ptrdiff_t next = t->outputs * t->highY * t->wideY, columns = STEP * t->across;
  real *at = line;
  for (ptrdiff_t k = 0; k < LANES; k++, at += STEP * columns) {
    const real *from = y + r->image[k] * next + r->top[k] * t->wideY;
    const ptrdiff_t high = k < r->count ? THMin(STEP, t->highY - r->top[k]) : 0;
    if (high == STEP && columns == t->wideY) {
      for (ptrdiff_t i = 0; i < STEP * columns; i += LANES)
        store(at + i, load(from + i));
      continue;
    }
    memset(at, 0, (size_t)(STEP * columns) * sizeof *at);
    for (ptrdiff_t i = 0; i < high; i++)
      memcpy(at + i * columns, from + i * t->wideY, (size_t)t->wideY * sizeof *at);
  }
  to_lanes(STEP * columns, line, vectors);
}

/* Writes vectors as read_results reads them. */
NOINLINE void write_results(const THNNTileRows *t, const Rows *r, const real *vectors, real *line,
                            real *y)
{
  const ptrdiff_t next = t->outputs * t->highY * t->wideY, columns = STEP * t->across;
  from_lanes(STEP * columns, vectors, line);
  for (ptrdiff_t k = 0; k < r->count; k++, line += STEP * columns) {
    real *to = y + r->image[k] * next + r->top[k] * t->wideY;
    const ptrdiff_t high = THMin(STEP, t->highY - r->top[k]);
    if (high == STEP && columns == t->wideY)
      for (ptrdiff_t i = 0; i < STEP * columns; i += LANES)
        store(to + i, load(line + i));
    else
      for (ptrdiff_t i = 0; i < high; i++)
        copy_row(to + i * t->wideY, line + i * columns, t->wideY);
  }
}

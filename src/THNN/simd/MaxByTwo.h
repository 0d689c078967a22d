/* Max pooling of an image by windows of 2 or 3, two apart along both axes, for MaxPool.c: all of it
 * in registers.  An image with a NaN is left to others, which asks for fewer comparisons. */

enum { BY_TWO_AHEAD = 8192 / sizeof(real) }; /* from what is read to what is fetched */

/* As many windows of a row as a vector has elements: what they are for each row. */
typedef struct {
  ptrdiff_t start;        /* the first one's first column, perhaps in the padding */
  Mask low, high, behind; /* which elements of two vectors are in the image, and of one more */
  Mask wanted;            /* which windows there are */
  __m512i first;          /* from each one's first column to the first that is in the image */
  __m512i column;         /* each one's first column, in index tensors */
} StripByTwo;

KERNEL begin_by_two(StripByTwo *s, const THNNWindow *w, ptrdiff_t begin)
{
  const ptrdiff_t start = 2 * begin - w->pad, inside = w->input - start;
  place first[WIDE], column[WIDE];
  for (int j = 0; j < WIDE; j++) {
    const place at = (place)start + 2 * j;
    first[j] = THMax(-at, 0);
    column[j] = at + TH_INDEX_BASE;
  }
  s->start = start;
  s->low = (Mask)lanes_between(-start, inside);
  s->high = (Mask)lanes_between(0, inside - WIDE);
  s->behind = inside > 2 * WIDE;
  s->wanted = (Mask)lanes_between(0, w->output - begin);
  memcpy(&s->first, first, sizeof first);
  memcpy(&s->column, column, sizeof column);
}

/* Of two numbers the first, unless the second one is larger. */
KERNEL take_number(Wide v, __m512i all, place behind, Winner *w)
{
  const Mask take = MORE(v, w->most);
  w->most = MOST(v, w->most);
  w->best = ADD_PLACES_WHERE(take, all, ALL_PLACES(behind), w->best);
}

KERNEL take_row(const Winner *row, Winner *w)
{
  const Mask take = MORE(row->most, w->most);
  w->most = MOST(row->most, w->most);
  w->best = PICK_PLACES(take, row->best, w->best);
}

/* The largest of the row that begins at that place of x; *nan tells whether there is a NaN. */
KERNEL row_by_two(const StripByTwo *s, const real *x, ptrdiff_t row, ptrdiff_t size, Winner *to,
                  Mask *nan)
{
  const __m512i at = ALL_PLACES((place)row);
  x += row + s->start;
  const Wide low = LOAD_INSIDE(s->low, x), high = LOAD_INSIDE(s->high, x + WIDE);
  const Wide even = EVENS(low, high);
  *nan |= ARE_NAN(low, high);
  to->most = even;
  to->best = ADD_PLACES(at, s->first);
  take_number(ODDS(low, high), at, 1, to);
  if (size == 3) { /* what follows the evens is one of the next window's, or behind the vectors */
    const Wide behind = LOAD_INSIDE(s->behind, x + 2 * WIDE);
    *nan |= ARE_NAN(behind, behind);
    take_number(NEXT(even, behind), at, 2, to);
  }
}

/* The windows of so many strips, from window first of each row on; the last strip may have some
 * again.  Rows of an image are read once, from its first column to its last: down one strip after
 * the other what is fetched would be gone before it is used.  What a few strips keep, where their
 * number is a constant, stays in registers.
 *
 * The last row of windows of 3 is the first one of those below.  For a row that is not in the image
 * the next one that is there is taken again, which changes nothing. */
KERNEL strips_by_two(const THNNWindow *axis, ptrdiff_t first, ptrdiff_t strips, ptrdiff_t size,
                     const real *x, real *y, int64_t *index, Mask *nan)
{
  const ptrdiff_t columns = axis[2].output, next = axis[2].input, rows = axis[1].output;
  const ptrdiff_t top = axis[1].pad, bottom = axis[1].input - 1;
  ptrdiff_t begin[STRIPS];
  StripByTwo s[STRIPS];
  Winner last[STRIPS];
  Mask strange = 0;
  for (ptrdiff_t k = 0; k < strips; k++) {
    begin[k] = THMax(0, THMin(first + k * WIDE, columns - WIDE));
    begin_by_two(&s[k], &axis[2], begin[k]);
    row_by_two(&s[k], x, 0, size, &last[k], &strange);
  }
  for (ptrdiff_t j = 0; j < rows; j++, y += columns, index += columns) {
    const ptrdiff_t end = 2 * j - top + size;
    const ptrdiff_t upper = THMin(THMax(end - 2, 0), bottom) * next;
    const ptrdiff_t lower = THMin(end - 1, bottom) * next;
    for (ptrdiff_t k = 0; k < 2 * next; k += WIDE) /* line by line: each once, and in order */
      __builtin_prefetch(x + upper + BY_TWO_AHEAD + k);
    for (ptrdiff_t k = 0; k < strips; k++) {
      Winner all, below;
      row_by_two(&s[k], x, upper, size, &all, &strange);
      row_by_two(&s[k], x, lower, size, &below, &strange);
      if (size == 3) {
        const Winner middle = all;
        all = last[k];
        take_row(&middle, &all);
        last[k] = below;
      }
      take_row(&below, &all);
      put_lanes(strips == 1 ? s[k].wanted : (Mask)-1, all.most, ADD_PLACES(all.best, s[k].column),
                y + begin[k], index + begin[k]);
    }
  }
  *nan |= strange;
}

KERNEL image_by_two(const THNNWindow *axis, ptrdiff_t size, const real *x, real *y, int64_t *index,
                    Mask *nan)
{
  const ptrdiff_t columns = axis[2].output;
  for (ptrdiff_t first = 0; first < columns; first += STRIPS * WIDE) {
    const ptrdiff_t strips = THMin(STRIPS, (columns - first + WIDE - 1) / WIDE);
    if (columns <= WIDE)
      strips_by_two(axis, first, 1, size, x, y, index, nan);
    else if (strips == 2)
      strips_by_two(axis, first, 2, size, x, y, index, nan);
    else
      strips_by_two(axis, first, THMax(2, strips), size, x, y, index, nan);
  }
}

/* Whether windows are of that size, two apart along both axes of an image. */
static int slide_by_two(const THNNWindow *axis, ptrdiff_t size)
{
  for (int a = 1; a < 3; a++)
    if (axis[a].size != size || axis[a].step != 2 || axis[a].dilation != 1)
      return 0;
  return axis[0].input == 1 && axis[0].output == 1;
}

/* 0 if these are not such windows, or there is a NaN: nothing is known of y and index then. */
FRAME_STAYS static int pool_by_two(const THNNWindow *axis, const real *x, real *y, int64_t *index)
{
  Mask nan = 0;
  if (slide_by_two(axis, 3))
    image_by_two(axis, 3, x, y, index, &nan);
  else if (slide_by_two(axis, 2))
    image_by_two(axis, 2, x, y, index, &nan);
  else
    return 0;
  return !nan;
}

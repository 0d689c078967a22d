/* The windows of one image as columns, and the other way: against the obvious loop, and when memory
 * runs out. */
#include "THNN.h"
#include "THTemplate.h"

#include "th_faults.h"

/* 2 planes of 5 x 3; 4 x 2 windows of 2 x 3, which are 2 and 3 apart and begin at (-1, -2): the
 * last row of them, and both columns, lie in the padding in part or altogether. */
enum { PLANES = 2, HEIGHT = 5, WIDTH = 3, ROWS = 4, COLUMNS = 2 };
#define WINDOWS 3, 2, 3, 2, 2, 1, PLANES, WIDTH, HEIGHT, COLUMNS, ROWS

typedef struct Operands {
  THTensor *columns, *image; /* not contiguous */
  THTensor *plain;           /* columns, contiguous */
  THTensor *small;
} Operands;

static void set_up(Operands *o)
{
  o->columns = THTest_(tensor)(TH_TRANSPOSED, 1, TH_SHAPE(PLANES * 6, ROWS * COLUMNS));
  o->image = THTest_(tensor)(TH_STRIDED, 2, TH_SHAPE(PLANES, HEIGHT, WIDTH));
  o->plain = THTensor_(newClone)(o->columns);
  o->small = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(PLANES, 3));
  WATCH(o->columns);
  WATCH(o->image);
  WATCH(o->plain);
  WATCH(o->small);
}

static void tear_down(Operands *o)
{
  THTensor_(free)(o->columns);
  THTensor_(free)(o->image);
  THTensor_(free)(o->plain);
  THTensor_(free)(o->small);
}

FAULT(copy, THNN_(unfolded_copy)(o->columns, o->image, WINDOWS))
FAULT(add, THNN_(unfolded_acc)(o->columns, o->image, WINDOWS))
RAISES(copySmall, THNN_(unfolded_copy)(o->small, o->image, WINDOWS))
RAISES(addSmall, THNN_(unfolded_acc)(o->plain, o->small, WINDOWS))

TH_FAULT_TABLE

static void THTest_(unfoldedFaults)(void)
{
  th_faults_run(&th_faults);
}

/* The position in the image of element l of window p, or -1. */
static ptrdiff_t position(ptrdiff_t l, ptrdiff_t p)
{
  const ptrdiff_t row = p / COLUMNS * 2 - 1 + l / 3 % 2, column = p % COLUMNS * 3 - 2 + l % 3;
  if (row < 0 || row >= HEIGHT || column < 0 || column >= WIDTH)
    return -1;
  return (l / 6 * HEIGHT + row) * WIDTH + column;
}

static void THTest_(unfolded)(void)
{
  Operands o;
  set_up(&o);
  real *image = THTest_(values)(o.image), *columns = THTest_(values)(o.plain);
  real *around = THTest_(storageValues)(o.image), *beside = THTest_(storageValues)(o.columns);
  THNN_(unfolded_acc)(o.columns, o.image, WINDOWS);
  CHECK_OUTSIDE(o.image, around);
  for (ptrdiff_t at = 0; at < PLANES * HEIGHT * WIDTH; at++) {
    double want = (double)image[at];
    for (ptrdiff_t i = 0; i < PLANES * 6 * ROWS * COLUMNS; i++)
      if (position(i / (ROWS * COLUMNS), i % (ROWS * COLUMNS)) == at)
        want += (double)columns[i];
    CHECK_NEAR(*THTest_(at)(o.image, at), want, sizeof(real) == 4 ? 1e-5 : 1e-13);
  }
  free(image);
  image = THTest_(values)(o.image);
  THNN_(unfolded_copy)(o.columns, o.image, WINDOWS);
  THNN_(unfolded_copy)(o.plain, o.image, WINDOWS);
  CHECK_OUTSIDE(o.columns, beside);
  for (ptrdiff_t i = 0; i < PLANES * 6 * ROWS * COLUMNS; i++) {
    const ptrdiff_t at = position(i / (ROWS * COLUMNS), i % (ROWS * COLUMNS));
    CHECK_EQ(*THTest_(at)(o.columns, i), at < 0 ? 0 : image[at]);
    CHECK_EQ(*THTest_(at)(o.plain, i), at < 0 ? 0 : image[at]);
  }
  CHECK_RAISES(0, "[2 x 3]", THNN_(unfolded_copy)(o.small, o.image, WINDOWS));
  CHECK_RAISES(0, "[2 x 3]", THNN_(unfolded_acc)(o.plain, o.small, WINDOWS));
  CHECK_RAISES(0, "dH is 0",
               THNN_(unfolded_copy)(o.plain, o.image, 3, 2, 3, 0, 2, 1, PLANES, WIDTH, HEIGHT,
                                    COLUMNS, ROWS));
  CHECK_RAISES(12, "0 x 2",
               THNN_(unfolded_copy)(o.plain, o.image, 3, 2, 3, 2, 2, 1, PLANES, WIDTH, HEIGHT,
                                    COLUMNS, 0));
  free(image), free(columns), free(around), free(beside);
  th_watch_forget();
  tear_down(&o);
}

TH_TESTS(THTest_(unfolded), THTest_(unfoldedFaults))

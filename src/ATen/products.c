/* Products of matrices of BFloat16, tile by tile. */
#include "products.h"

#include "ATenOperations.h"
#include "linear.h"

TH_DISPATCH(at_products, at_bfloatProducts)

/* As many terms are packed together: two panels stay in the second cache. */
enum { TERMS = 512 };

typedef struct at_packing {
  at_lines lines; /* of one operand */
  ptrdiff_t width;
  at_bfloat16 *panels;
} at_packing;

static ptrdiff_t panels_of(ptrdiff_t lines, ptrdiff_t width)
{
  return (lines + width - 1) / width;
}

static void pack_panels(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const at_packing *p = context;
  const ptrdiff_t terms = (p->lines.terms + 1) / 2 * 2;
  for (ptrdiff_t k = begin; k < end; k++) {
    at_lines lines = p->lines;
    lines.at += k * p->width * lines.step;
    lines.count = THMin(p->width, lines.count - k * p->width);
    at_bfloatProducts->pack(&lines, p->width, p->panels + k * p->width * terms);
  }
}

typedef struct at_tiling {
  const at_packing *x, *y;
  float *r;
  bool add;
} at_tiling;

/* The tiles of some panels of rows: all of these with one panel of columns, then the next. */
static void multiply_panels(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const at_tiling *t = context;
  const ptrdiff_t rows = t->x->lines.count, columns = t->y->lines.count;
  const ptrdiff_t pairs = (t->x->lines.terms + 1) / 2;
  enum { TOGETHER = 16 };
  for (ptrdiff_t group = begin; group < end; group += TOGETHER)
    for (ptrdiff_t j = 0; j < columns; j += AT_PANEL_COLUMNS)
      for (ptrdiff_t k = group; k < THMin(group + TOGETHER, end); k++) {
        const ptrdiff_t i = k * AT_PANEL_ROWS;
        at_bfloatProducts->tile(pairs, t->x->panels + 2 * i * pairs, t->y->panels + 2 * j * pairs,
                                t->r + i * columns + j, columns, THMin(AT_PANEL_ROWS, rows - i),
                                THMin(AT_PANEL_COLUMNS, columns - j), t->add);
      }
}

/* One matrix of a batch. */
static void multiply(at_packing *x, at_packing *y, float *r)
{
  const at_lines wholeX = x->lines, wholeY = y->lines;
  for (ptrdiff_t first = 0; first < wholeX.terms; first += TERMS) {
    x->lines.at = wholeX.at + first * wholeX.next;
    y->lines.at = wholeY.at + first * wholeY.next;
    x->lines.terms = y->lines.terms = THMin(TERMS, wholeX.terms - first);
    const ptrdiff_t grain = THMax(1, TH_LOOP_GRAIN / (x->lines.terms * AT_PANEL_COLUMNS));
    THParallel_for(panels_of(wholeX.count, AT_PANEL_ROWS), 8 * grain, pack_panels, x);
    THParallel_for(panels_of(wholeY.count, AT_PANEL_COLUMNS), grain, pack_panels, y);
    at_tiling t = {x, y, r, first > 0};
    THParallel_for(panels_of(wholeX.count, AT_PANEL_ROWS),
                   THMax(1, grain / panels_of(wholeY.count, AT_PANEL_COLUMNS)), multiply_panels,
                   &t);
  }
}

static at_lines lines_of(const at_tensor *t, int line, int term)
{
  return (at_lines){.at = at_data(t),
                    .count = t->th->size[line],
                    .step = t->th->stride[line],
                    .terms = t->th->size[term],
                    .next = t->th->stride[term]};
}

static at_bfloat16 *room_for(at_pool *pool, const at_type *type, const at_packing *p)
{
  const ptrdiff_t terms = THMin(TERMS, (p->lines.terms + 1) / 2 * 2);
  const int64_t sizes[] = {panels_of(p->lines.count, p->width) * p->width, terms};
  return at_data(at_hold(pool, at_newShape(type, (at_ints){sizes, 2})));
}

bool at_multipliesBFloat(const at_type *type)
{
  return type->scalarType == AT_BFLOAT16 && at_isOnHost(type) && at_bfloatProducts->usable &&
         at_bfloatProducts->usable();
}

void at_multiplyBFloat(at_tensor *r, const at_tensor *x, const at_tensor *y)
{
  const int batch = x->th->nDimension - 2;
  at_packing px = {.lines = lines_of(x, batch, batch + 1), .width = AT_PANEL_ROWS};
  at_packing py = {.lines = lines_of(y, batch + 1, batch), .width = AT_PANEL_COLUMNS};
  at_pool pool;
  at_pool_enter(&pool);
  px.panels = room_for(&pool, x->type, &px);
  py.panels = room_for(&pool, y->type, &py);
  float *to = at_data(r);
  for (int64_t i = 0; i < (batch ? x->th->size[0] : 1); i++) {
    at_packing ix = px, iy = py;
    if (batch) {
      ix.lines.at += i * x->th->stride[0];
      iy.lines.at += i * y->th->stride[0];
    }
    multiply(&ix, &iy, to + i * px.lines.count * py.lines.count);
  }
  at_pool_leave(&pool);
}

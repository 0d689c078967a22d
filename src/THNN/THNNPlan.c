/* How a direct convolution goes. */
#include "THNNPlan.h"

/* One dimension.  Elements of the window fall into classes, those of a part; element a belongs to
 * class a % spacing. */
typedef struct {
  const THNNWindow *w;
  int back, last;
  int64_t spacing, classes;
  int64_t phases; /* forward: the flat planes that are laid out */
  int64_t zeros;  /* back: in front of the flat plane */
} Axis;

static int64_t gcd(int64_t a, int64_t b)
{
  while (b) {
    const int64_t rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

/* Back, class k is element q * step + residue - pad of x for q from first to below end. */
static int64_t residue(const Axis *a, int64_t k)
{
  return k * a->w->dilation % a->w->step;
}

static int64_t first_of(const Axis *a, int64_t k)
{
  const int64_t left = a->w->pad - residue(a, k);
  return left > 0 ? (left + a->w->step - 1) / a->w->step : 0;
}

static int64_t end_of(const Axis *a, int64_t k)
{
  const int64_t last = a->w->input - 1 + a->w->pad - residue(a, k);
  return last < 0 ? 0 : THMax(last / a->w->step + 1, first_of(a, k));
}

static Axis axis_of(const THNNWindow *w, int back, int last, THNNWindow *layout)
{
  const int64_t reach = (w->size - 1) * w->dilation;
  Axis a = {.w = w, .back = back, .last = last, .spacing = 1, .classes = 1, .phases = 1};
  if (!back && last) {
    const int64_t needed = (w->output - 1) * w->step + reach + 1;
    *layout = (THNNWindow){.input = w->input,
                           .output = w->pad == 0 ? w->input : needed,
                           .size = 1,
                           .step = 1,
                           .pad = w->pad,
                           .dilation = 1};
    return a;
  }
  if (!back) {
    a.phases = THMin(w->step, reach + 1);
    *layout = (THNNWindow){.input = w->input,
                           .output = w->output + reach / w->step,
                           .size = a.phases,
                           .step = w->step,
                           .pad = w->pad,
                           .dilation = 1};
    return a;
  }
  a.spacing = w->step / gcd(w->step, w->dilation);
  a.classes = THMin(w->size, a.spacing);
  a.zeros = INT64_MIN;
  int64_t end = 0;
  for (int64_t k = 0; k < a.classes; k++) {
    const int64_t last = (w->size - 1 - k) / a.spacing * a.spacing + k;
    a.zeros = THMax(a.zeros, last * w->dilation / w->step - first_of(&a, k));
    end = THMax(end, end_of(&a, k));
  }
  *layout = (THNNWindow){.input = w->output,
                         .output = THMax(end + a.zeros, 1),
                         .size = 1,
                         .step = 1,
                         .pad = a.zeros,
                         .dilation = 1};
  return a;
}

/* Where element i of a window is, from the first position of its class on. */
static int64_t phase_of(const Axis *a, int64_t i)
{
  return a->back || a->last ? 0 : i * a->w->dilation % a->w->step;
}

static int64_t shift_of(const Axis *a, int64_t i)
{
  const int64_t shift = i * a->w->dilation / (a->last && !a->back ? 1 : a->w->step);
  return a->back ? first_of(a, i % a->spacing) + a->zeros - shift : shift;
}

size_t THNNPlan_memory(const THNNConvolution *c, int back)
{
  const ptrdiff_t planes = (back ? c->outputs : c->planes) / c->groups;
  ptrdiff_t bytes;
  if (__builtin_mul_overflow(planes + 1, c->window, &bytes) ||
      __builtin_mul_overflow(bytes, (ptrdiff_t)sizeof(ptrdiff_t), &bytes) ||
      __builtin_add_overflow(bytes, c->window * (ptrdiff_t)sizeof(THNNPart), &bytes))
    THError("windows of %td elements are too large", c->depth);
  return (size_t)bytes;
}

/* Part k of the plan. */
static void set_part(const THNNConvolution *c, THNNPlan *p, const Axis *a, const int64_t *k,
                     ptrdiff_t *tap, ptrdiff_t *offset, THNNPart *part)
{
  const THNNWindow *layout = p->layout;
  const ptrdiff_t pitch = layout[2].output, rows = layout[1].output;
  THNNDirect *d = &part->d;
  d->pitch = pitch;
  d->rows = rows;
  d->outputs = (a->back ? c->planes : c->outputs) / c->groups;
  d->block = THNNDirect_block(d->outputs);
  d->plane = a->back ? c->image : c->windows;
  part->start = 0;
  ptrdiff_t step = 1;
  for (int n = 2; n >= 0; n--) {
    const THNNWindow *w = a[n].w;
    d->count[n] = a->back ? end_of(&a[n], k[n]) - first_of(&a[n], k[n]) : w->output;
    d->step[n] = a->back ? step * w->step : step;
    if (a->back)
      part->start += step * (first_of(&a[n], k[n]) * w->step + residue(&a[n], k[n]) - w->pad);
    step *= a->back ? w->input : w->output;
  }
  d->length = ((d->count[0] - 1) * rows + d->count[1] - 1) * pitch + d->count[2];
  if (d->count[0] < 1 || d->count[1] < 1 || d->count[2] < 1)
    d->length = 0;

  part->tap = tap;
  part->taps = 0;
  for (int64_t i = k[0]; i < a[0].w->size; i += a[0].spacing)
    for (int64_t j = k[1]; j < a[1].w->size; j += a[1].spacing)
      for (int64_t l = k[2]; l < a[2].w->size; l += a[2].spacing) {
        const ptrdiff_t phase =
            (phase_of(&a[0], i) * a[1].phases + phase_of(&a[1], j)) * a[2].phases +
            phase_of(&a[2], l);
        offset[part->taps] =
            ((phase * layout[0].output + shift_of(&a[0], i)) * rows + shift_of(&a[1], j)) * pitch +
            shift_of(&a[2], l);
        tap[part->taps++] = (i * a[1].w->size + j) * a[2].w->size + l;
      }
  for (ptrdiff_t plane = 1; plane < p->planes; plane++)
    for (ptrdiff_t t = 0; t < part->taps; t++)
      offset[plane * part->taps + t] = offset[t] + plane * p->plane;
  d->terms = p->planes * part->taps;
  d->offset = offset;
  part->packed = p->packed;
  p->packed += THNNDirect_blocks(d) * d->block * d->terms;
}

THNNPlan THNNPlan_of(const THNNConvolution *c, int back, void *memory)
{
  THNNPlan p = {.planes = (back ? c->outputs : c->planes) / c->groups};
  Axis a[3];
  for (int n = 0; n < 3; n++) {
    a[n] = axis_of(&c->at[n], back, c->last, &p.layout[n]);
    p.apart[n] = c->last && !back ? c->at[n].step : 1;
    p.leaves |= back && a[n].classes < c->at[n].step;
  }
  p.plane = 1;
  for (int n = 0; n < 3; n++)
    p.plane *= p.layout[n].size * p.layout[n].output;
  if (!memory)
    return p;

  p.part = memory;
  ptrdiff_t *tap = (ptrdiff_t *)(p.part + c->window), *offset = tap + c->window;
  for (int64_t i = 0; i < a[0].classes; i++)
    for (int64_t j = 0; j < a[1].classes; j++)
      for (int64_t l = 0; l < a[2].classes; l++) {
        THNNPart *part = &p.part[p.parts++];
        set_part(c, &p, a, (int64_t[]){i, j, l}, tap, offset, part);
        tap += part->taps;
        offset += part->d.terms;
      }
  return p;
}

ptrdiff_t THNNPlan_other(const THNNConvolution *c, const THNNPlan *p, THNNWindow *layout)
{
  ptrdiff_t count = 1;
  for (int d = 0; d < 3; d++) {
    const int64_t output = d ? p->layout[d].output : c->at[d].output;
    layout[d] = (THNNWindow){
        .input = c->at[d].output, .output = output, .size = 1, .step = 1, .dilation = 1};
    count *= output;
  }
  return count + THNN_DIRECT_SLACK;
}

int64_t THNNSlide_count(const THNNWindow *w, int back)
{
  return back ? THMin(w->step, w->input) : 1;
}

/* Back, element k + j * step of x is the sum over those elements a of a window that reach it from
 * y: from (k + pad - a * dilation) / step + j, where that is a whole number. */
THNNSlide THNNSlide_of(const THNNWindow *w, int back, int64_t k)
{
  if (!back)
    return (THNNSlide){.window = *w, .step = 1, .apart = 1};
  const int64_t spacing = w->step / gcd(w->step, w->dilation), limit = THMin(w->size, spacing);
  int64_t least = 0;
  while (least < limit && (k + w->pad - least * w->dilation) % w->step != 0)
    least++;
  const int64_t taps = least < limit ? (w->size - 1 - least) / spacing + 1 : 0;
  const int64_t last = least + (taps - 1) * spacing;
  THNNSlide s = {.first = k, .step = w->step, .tap = last, .apart = -spacing};
  s.window = (THNNWindow){.input = w->output,
                          .output = (w->input - 1 - k) / w->step + 1,
                          .size = taps,
                          .step = 1,
                          .dilation = spacing * w->dilation / w->step};
  s.window.pad = taps ? (last * w->dilation - k - w->pad) / w->step : 0;
  return s;
}

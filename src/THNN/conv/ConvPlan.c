/* Plans of padded images and of parts of the result (ConvPlan.h). */
#include "ConvPlan.h"

/* One dimension.  Backward, tap a belongs to class a % spacing: the taps of a class contribute to the
 * same elements of x.  Forward, there is one class. */
typedef struct {
  const THNNWindow *w;
  int backward;
  int channelsLast; /* the image is channels-last */
  int64_t spacing;  /* distance of the taps of a class */
  int64_t classes;  /* number of classes */
  int64_t phases;   /* forward: flat planes of each plane (along this dimension) */
  int64_t zeros;    /* backward: padding in front of the flat plane */
  int parted;       /* positions form bands: runs whose windows have the same taps in the padding */
  int64_t omitted;  /* parted: elements of the padding in front of the plane that are left out */
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

/* Backward, class k computes the elements q * step + residue - pad of x for q from first_of to before
 * end_of. */
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

static Axis axis_of(const THNNWindow *w, int backward, int channelsLast, THNNWindow *layout)
{
  const int64_t reach = (w->size - 1) * w->dilation;
  Axis a = {.w = w,
            .backward = backward,
            .channelsLast = channelsLast,
            .spacing = 1,
            .classes = 1,
            .phases = 1};
  if (!backward && channelsLast) {
    const int64_t needed = (w->output - 1) * w->step + reach + 1;
    *layout = (THNNWindow){.input = w->input,
                           .output = w->pad == 0 ? w->input : needed,
                           .size = 1,
                           .step = 1,
                           .pad = w->pad,
                           .dilation = 1};
    return a;
  }
  if (!backward) {
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

/* Which of the flat planes of a plane has tap i. */
static int64_t phase_of(const Axis *a, int64_t i)
{
  return a->backward || a->channelsLast ? 0 : i * a->w->dilation % a->w->step;
}

/* The offset of tap i in its flat plane, for the first position of the tap's class. */
static int64_t shift_of(const Axis *a, int64_t i)
{
  const int64_t shift = i * a->w->dilation / (a->channelsLast && !a->backward ? 1 : a->w->step);
  return a->backward ? first_of(a, i % a->spacing) + a->zeros - shift : shift;
}

/* --- padding that is left out ---------------------------------------------------------------- */

/* A run of positions of class k, [first, end).  The windows of all these positions have the same taps
 * in the image: those of the class in [element, last). */
typedef struct {
  int64_t k, first, end, element, last;
} Band;

static int64_t positions_of(const Axis *a, int64_t k)
{
  return a->backward ? end_of(a, k) - first_of(a, k) : a->w->output;
}

static int64_t elements_of(const Axis *a, int64_t k)
{
  return (a->w->size - 1 - k) / a->spacing + 1;
}

/* The positions [first, end) whose windows have tap i of class k in the image. */
static void positions_with(const Axis *a, int64_t k, int64_t i, int64_t *first, int64_t *end)
{
  const THNNWindow *w = a->w;
  const int64_t at = (k + i * a->spacing) * w->dilation, count = THMax(0, positions_of(a, k));
  if (a->backward) {
    *first = at / w->step - first_of(a, k);
    *end = *first + w->output;
  } else {
    const int64_t last = w->input - 1 + w->pad - at;
    *first = w->pad > at ? (w->pad - at + w->step - 1) / w->step : 0;
    *end = last < 0 ? 0 : last / w->step + 1;
  }
  *first = THMin(THMax(*first, 0), count);
  *end = THMin(THMax(*end, *first), count);
}

/* The band that begins with a position; without bands, all positions of the class. */
static Band band_of(const Axis *a, int64_t k, int64_t position)
{
  const int64_t count = elements_of(a, k);
  Band b = {k, position, positions_of(a, k), 0, count};
  if (!a->parted)
    return b;
  b.element = b.last = 0;
  for (int64_t i = 0; i < count; i++) {
    int64_t first, end;
    positions_with(a, k, i, &first, &end);
    if (position < first) {
      b.end = THMin(b.end, first);
    } else if (position < end) {
      b.end = THMin(b.end, end);
      b.element = b.last ? b.element : i;
      b.last = i + 1;
    }
  }
  return b;
}

/* The next band of the class, or else the first band of the next class; after the last band k is
 * a->classes. */
static Band next_band(const Axis *a, Band b)
{
  if (b.end < positions_of(a, b.k))
    return band_of(a, b.k, b.end);
  return b.k + 1 < a->classes ? band_of(a, b.k + 1, 0) : (Band){.k = b.k + 1};
}

/* Totals over all bands: the bands, their taps, and their products (taps times positions). */
typedef struct {
  double bands, elements, products;
} Amount;

static Amount amount_of(const Axis *a)
{
  Amount all = {0, 0, 0};
  for (Band b = band_of(a, 0, 0); b.k < a->classes; b = next_band(a, b)) {
    const int64_t elements = b.last - b.element;
    all.bands++;
    all.elements += (double)elements;
    all.products += (double)elements * (double)THMax(0, b.end - b.first);
  }
  return all;
}

/* Takes the padding out of the layout of a dimension that has bands: they leave out all products with
 * padding.  Returns how many elements of padding are no longer in front of the flat plane. */
static int64_t omit_padding(const Axis *a, THNNWindow *layout)
{
  if (!a->parted)
    return 0;
  const int64_t omitted = layout->pad / layout->step;
  layout->pad -= omitted * layout->step;
  layout->output = THMax(1, THMin(layout->output - omitted,
                                  (layout->input - 1 + layout->pad) / layout->step + 1));
  return omitted;
}

/* Whether no band is longer than the layout without padding.  A band without elements may be longer:
 * its windows lie in a padding that is larger than the image. */
static int bands_fit(const Axis *a, int64_t stride, THNNWindow layout)
{
  omit_padding(a, &layout);
  for (Band b = band_of(a, 0, 0); b.k < a->classes; b = next_band(a, b))
    if ((b.end - b.first - 1) * stride >= layout.output)
      return 0;
  return 1;
}

/* Forms bands of positions along each dimension where bands save more products than they cost.  They
 * cost the packing of weights for each part, and positions that pad parts to whole vectors. */
static void part_axes(Axis *a, const THNNConvolution *c, THNNConvPlanUse use, THNNWindow *layout)
{
  enum {
    MOST = 8,        /* taps along a dimension that forms bands, at most */
    MIN_SAVING = 24, /* at least one of so many products has to be saved */
    PICKED = 16,     /* positions that take as long as the overhead of a part: THNN_PLAN_PICKED */
    SHIFTED = 32,    /* positions that take as long as the overhead of a part: THNN_PLAN_SHIFTED */
    POSITIONS = 512  /* positions that share packed weights, as in ImplicitGemmData.c */
  };
  if (use == THNN_PLAN_WHOLE)
    return;
  double elements = 1, products = 1, positions = 1;
  for (int n = 0; n < 3; n++) {
    const Amount all = amount_of(&a[n]);
    elements *= all.elements;
    products *= all.products;
    positions *= (double)THMax(1, positions_of(&a[n], 0));
  }
  const double images =
      use == THNN_PLAN_PICKED ? THMax(1, THMin((double)c->batch, POSITIONS / positions)) : 1;
  const double each = use == THNN_PLAN_PICKED ? PICKED : SHIFTED;
  /* Shifted planes run across the ends of rows, and of slices if there are several. */
  const int dimensions = use == THNN_PLAN_PICKED                     ? 3
                         : c->at[0].output > 1 || c->at[0].input > 1 ? 1
                                                                     : 2;
  for (int n = 0; n < dimensions; n++) {
    if (layout[n].pad <= 0 || a[n].w->size > MOST)
      continue;
    const Amount whole = amount_of(&a[n]);
    a[n].parted = 1;
    const Amount parts = amount_of(&a[n]);
    const double partProducts = products * parts.products / whole.products;
    const double partElements = elements * parts.elements / whole.elements;
    a[n].parted =
        MIN_SAVING * (products - partProducts) > products &&
        images * partProducts + each * partElements < images * products + each * elements &&
        bands_fit(&a[n], c->channelsLast && !a[n].backward ? a[n].w->step : 1, layout[n]);
    if (a[n].parted) {
      products = partProducts;
      elements = partElements;
    }
  }
}

static void set_axes(const THNNConvolution *c, int backward, THNNConvPlanUse use, Axis *a,
                     THNNWindow *layout)
{
  for (int n = 0; n < 3; n++)
    a[n] = axis_of(&c->at[n], backward, c->channelsLast, &layout[n]);
  part_axes(a, c, use, layout);
  for (int n = 0; n < 3; n++)
    a[n].omitted = omit_padding(&a[n], &layout[n]);
}

double THNNConvPlan_fraction(const THNNConvolution *c, int backward, THNNConvPlanUse use)
{
  Axis a[3];
  THNNWindow layout[3];
  double fraction = 1;
  set_axes(c, backward, use, a, layout);
  for (int n = 0; n < 3; n++) {
    const double products = amount_of(&a[n]).products;
    a[n].parted = 0;
    fraction *= products / THMax(1, amount_of(&a[n]).products);
  }
  return fraction;
}

/* --- parts ----------------------------------------------------------------------------------- */

/* The number of planes of the flat image that a plan lists offsets for. */
static ptrdiff_t planes_of(const THNNConvolution *c, int backward, THNNConvPlanUse use)
{
  return use == THNN_PLAN_PICKED ? 1 : (backward ? c->outputs : c->planes) / c->groups;
}

size_t THNNConvPlan_memory(const THNNConvolution *c, int backward, THNNConvPlanUse use)
{
  Axis a[3];
  THNNWindow layout[3];
  set_axes(c, backward, use, a, layout);
  double taps = 1, parts = 1;
  for (int n = 0; n < 3; n++) {
    const Amount all = amount_of(&a[n]);
    taps *= all.elements;
    parts *= all.bands;
  }
  const double bytes =
      taps * (double)(planes_of(c, backward, use) + 1) * (double)sizeof(ptrdiff_t) +
      parts * (double)sizeof(THNNPart);
  if (bytes > (double)(PTRDIFF_MAX / 2))
    THError("windows of %td elements are too large", c->terms);
  return (size_t)bytes;
}

/* Makes the part of one band of each dimension. */
static void set_part(const THNNConvolution *c, THNNConvPlan *p, const Axis *a, const Band *b,
                     THNNConvPlanUse use, ptrdiff_t *tap, ptrdiff_t *offset, THNNPart *part)
{
  const THNNWindow *layout = p->layout;
  const ptrdiff_t pitch = layout[2].output, rows = layout[1].output;
  THNNDirect *d = &part->d;
  d->pitch = pitch;
  d->rows = rows;
  d->outputs = (a->backward ? c->planes : c->outputs) / c->groups;
  d->block = THNNDirect_block(d->outputs);
  d->activation = NULL;
  d->plane = a->backward ? c->image : c->positions;
  part->start = 0;
  ptrdiff_t step = 1;
  for (int n = 2; n >= 0; n--) {
    const THNNWindow *w = a[n].w;
    d->count[n] = b[n].end - b[n].first;
    d->step[n] = a->backward ? step * w->step : step;
    part->start += b[n].first * d->step[n];
    if (a->backward)
      part->start += step * (first_of(&a[n], b[n].k) * w->step + residue(&a[n], b[n].k) - w->pad);
    step *= a->backward ? w->input : w->output;
  }
  d->length = ((d->count[0] - 1) * rows + d->count[1] - 1) * pitch + d->count[2];
  if (d->count[0] < 1 || d->count[1] < 1 || d->count[2] < 1)
    d->length = 0;

  part->tap = tap;
  part->taps = 0;
  ptrdiff_t first = 0; /* position */
  for (int n = 0; n < 3; n++)
    first = first * layout[n].output + b[n].first * p->stride[n] - a[n].omitted;
  for (int64_t t = b[0].element; t < b[0].last; t++)
    for (int64_t u = b[1].element; u < b[1].last; u++)
      for (int64_t v = b[2].element; v < b[2].last; v++) {
        const int64_t i = b[0].k + t * a[0].spacing, j = b[1].k + u * a[1].spacing;
        const int64_t l = b[2].k + v * a[2].spacing;
        const ptrdiff_t phase =
            (phase_of(&a[0], i) * a[1].phases + phase_of(&a[1], j)) * a[2].phases +
            phase_of(&a[2], l);
        offset[part->taps] =
            ((phase * layout[0].output + shift_of(&a[0], i)) * rows + shift_of(&a[1], j)) * pitch +
            shift_of(&a[2], l) + first;
        tap[part->taps++] = (i * a[1].w->size + j) * a[2].w->size + l;
      }
  for (ptrdiff_t plane = 1; plane < planes_of(c, a->backward, use); plane++)
    for (ptrdiff_t t = 0; t < part->taps; t++)
      offset[plane * part->taps + t] = offset[t] + plane * p->plane;
  d->terms = p->planes * part->taps;
  d->offset = offset;
  part->packed = p->packed;
  p->packed += THNNDirect_blocks(d) * d->block * d->terms;
}

THNNConvPlan THNNConvPlan_of(const THNNConvolution *c, int backward, THNNConvPlanUse use,
                             void *memory)
{
  THNNConvPlan p = {
      .planes = (backward ? c->outputs : c->planes) / c->groups, .plane = 1, .part = memory};
  Axis a[3];
  set_axes(c, backward, use, a, p.layout);
  ptrdiff_t parts = 1, taps = 1;
  for (int n = 0; n < 3; n++) {
    p.stride[n] = c->channelsLast && !backward ? c->at[n].step : 1;
    p.hasGaps |= backward && a[n].classes < c->at[n].step;
    p.plane *= p.layout[n].size * p.layout[n].output;
    const Amount all = amount_of(&a[n]);
    parts *= (ptrdiff_t)all.bands;
    taps *= (ptrdiff_t)all.elements;
  }
  ptrdiff_t *tap = (ptrdiff_t *)(p.part + parts), *offset = tap + taps;
  Band b[3];
  for (b[0] = band_of(&a[0], 0, 0); b[0].k < a[0].classes; b[0] = next_band(&a[0], b[0]))
    for (b[1] = band_of(&a[1], 0, 0); b[1].k < a[1].classes; b[1] = next_band(&a[1], b[1]))
      for (b[2] = band_of(&a[2], 0, 0); b[2].k < a[2].classes; b[2] = next_band(&a[2], b[2])) {
        THNNPart *part = &p.part[p.parts++];
        set_part(c, &p, a, b, use, tap, offset, part);
        tap += part->taps;
        offset += planes_of(c, backward, use) * part->taps;
      }
  return p;
}

ptrdiff_t THNNConvPlan_other(const THNNConvolution *c, const THNNConvPlan *p, THNNWindow *layout)
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

int64_t THNNSlide_count(const THNNWindow *w, int backward)
{
  return backward ? THMin(w->step, w->input) : 1;
}

/* Backward, element k + j * step of x is a sum over taps a: each multiplies the element of y at
 * (k + pad - a * dilation) / step + j, for those a for which this is a whole number. */
THNNSlide THNNSlide_of(const THNNWindow *w, int backward, int64_t k)
{
  if (!backward)
    return (THNNSlide){.window = *w, .step = 1, .tapStride = 1};
  const int64_t spacing = w->step / gcd(w->step, w->dilation), limit = THMin(w->size, spacing);
  int64_t least = 0;
  while (least < limit && (k + w->pad - least * w->dilation) % w->step != 0)
    least++;
  const int64_t taps = least < limit ? (w->size - 1 - least) / spacing + 1 : 0;
  const int64_t last = least + (taps - 1) * spacing;
  THNNSlide s = {.first = k, .step = w->step, .tap = last, .tapStride = -spacing};
  s.window = (THNNWindow){.input = w->output,
                          .output = (w->input - 1 - k) / w->step + 1,
                          .size = taps,
                          .step = 1,
                          .dilation = spacing * w->dilation / w->step};
  s.window.pad = taps ? (last * w->dilation - k - w->pad) / w->step : 0;
  return s;
}

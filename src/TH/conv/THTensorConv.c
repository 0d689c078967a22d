/* Convolutions: which planes meet which windows, and the packing of both before the kernels run. */
#include "THTemplate.h"
#include "THKernel.h"

#include "THConvKernels.h"
#include "THParallel.h"
#include "TH/tensor/THTensorCore.h"

TH_DISPATCH(THConvKernels, THTensor_(convKernels))

/* --- families -------------------------------------------------------------------------------- */

/* The names of the dimensions before the planes, in order, for input, kernel and result: result (g,
 * o) is the sum over s of the convolutions of input (g, s) with window (g, o, s), as far as each
 * has these dimensions.  In a map, p and c count planes and windows, and a table says which of them
 * meet for g. */
typedef struct {
  const char *t, *k, *r;
} Family;

static const char roles[] = "gospc";
enum { GROUP, OUTPUT, SUM, PICKED, CONNECTION, ROLES };

static const Family ger = {"g", "o", "og"}, germ = {"sg", "so", "og"};
static const Family mv = {"s", "os", "o"}, mm = {"gs", "os", "go"};
static const Family mul = {"", "", ""}, cmul = {"g", "g", "g"};
static const Family map = {"p", "c", "g"};

static inline int THTensor_(role)(char letter)
{
  return (int)(strchr(roles, letter) - roles);
}

/* --- problems -------------------------------------------------------------------------------- */

/* A tensor of planes with leading dimensions. */
typedef struct {
  real *data;
  ptrdiff_t next[ROLES]; /* 0 where there is no such dimension */
  int64_t stride[3];
} THTensor_(Planes);

typedef struct {
  const Family *family;
  THConvShape shape;
  int64_t count[ROLES];
  THTensor_(Planes) t, k, r;
  real alpha, beta;

  /* Packed operands and lists, in one block of memory. */
  THGuard packed;
  ptrdiff_t *planes, *which; /* the planes that are added up, and their windows, */
  ptrdiff_t *columnsAt;      /* of outputs, if vectors run along windows */
  ptrdiff_t *first;          /* the first entry in these lists for each group of a map */
  THTaps *boxes;
  real *windows; /* packed in the kernels' order */
  real *padded;  /* padded planes, or NULL */
  THConvPlane plane;
  ptrdiff_t taps; /* of a window, including zeros after its rows */
  int notFinite;  /* windows have infinities or NaN, which must not meet the padding's zeros */
} THTensor_(Problem);

/* Windows are computed in blocks of equal size, as nearly as can be. */
static inline int64_t THTensor_(blocks)(const THTensor_(Problem) * p)
{
  return (p->count[OUTPUT] - 1) / TH_CONV_OUTPUTS + 1;
}

static inline int64_t THTensor_(blockAt)(const THTensor_(Problem) * p, int64_t block)
{
  const int64_t blocks = THTensor_(blocks)(p), size = p->count[OUTPUT] / blocks;
  return block * size + THMin(block, p->count[OUTPUT] % blocks);
}

/* --- packing --------------------------------------------------------------------------------- */

/* Pads rows of planes; rows are numbered through all planes. */
static void THTensor_(padRows)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THTensor_(Problem) *p = context;
  const THConvPlane *plane = &p->plane;
  const int64_t *border = plane->border, *size = p->shape.plane, *from = p->t.stride;
  const char *letters = p->family->t;
  for (ptrdiff_t i = begin; i < end; i++) {
    const ptrdiff_t y = i % plane->size[1] - border[1];
    const ptrdiff_t d = i / plane->size[1] % plane->size[0] - border[0];
    ptrdiff_t number = i / plane->size[1] / plane->size[0];
    const real *row = p->t.data + d * from[0] + y * from[1];
    for (int l = (int)strlen(letters) - 1; l >= 0; l--) {
      const int role = THTensor_(role)(letters[l]);
      row += number % p->count[role] * p->t.next[role];
      number /= p->count[role];
    }
    real *to = p->padded + i * plane->stride[1];
    if (d < 0 || d >= size[0] || y < 0 || y >= size[1]) {
      memset(to, 0, (size_t)plane->stride[1] * sizeof(real));
    } else if (plane->split == 1) {
      memset(to, 0, (size_t)border[2] * sizeof(real));
      to += border[2];
      if (from[2] == 1)
        memcpy(to, row, (size_t)size[2] * sizeof(real));
      else
        for (ptrdiff_t x = 0; x < size[2]; x++)
          to[x] = row[x * from[2]];
      memset(to + size[2], 0, (size_t)border[2] * sizeof(real));
    } else {
      for (ptrdiff_t part = 0; part < plane->parts; part++)
        for (ptrdiff_t x = 0; x < plane->width; x++) {
          const ptrdiff_t column = x * plane->split + part;
          *to++ = column < size[2] ? row[column * from[2]] : 0;
        }
    }
  }
}

/* Packs one window for each output of a block, element by element. */
static int THTensor_(packWindows)(const THTensor_(Problem) * p, const real *from, int outputs,
                                  real *to)
{
  const int64_t *size = p->shape.window, *stride = p->k.stride;
  int notFinite = 0;
  for (int64_t d = 0; d < size[0]; d++)
    for (int64_t y = 0; y < size[1]; y++)
      for (int64_t x = 0; x < size[2]; x++)
        for (int o = 0; o < outputs; o++, to++) {
          *to = from[d * stride[0] + y * stride[1] + x * stride[2] + o * p->k.next[OUTPUT]];
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
          notFinite |= !isfinite(*to);
#endif
        }
  return notFinite;
}

/* The same, row by row, flipped where windows are read backwards, and with zeros after each row. */
static void THTensor_(packRows)(const THTensor_(Problem) * p, const real *from, int outputs,
                                real *to)
{
  const int64_t *size = p->shape.window, *stride = p->k.stride;
  const int64_t length = p->taps / size[0] / size[1];
  const int flip = p->shape.flip;
  for (int64_t d = 0; d < size[0]; d++)
    for (int64_t y = 0; y < size[1]; y++)
      for (int o = 0; o < outputs; o++, to += length) {
        const real *row = from + (flip ? size[0] - 1 - d : d) * stride[0] +
                          (flip ? size[1] - 1 - y : y) * stride[1] + o * p->k.next[OUTPUT];
        for (int64_t x = 0; x < size[2]; x++)
          to[x] = row[(flip ? size[2] - 1 - x : x) * stride[2]];
        memset(to + size[2], 0, (size_t)(length - size[2]) * sizeof(real));
      }
}

static void THTensor_(packBlocks)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  THTensor_(Problem) *p = context;
  const int64_t blocks = THTensor_(blocks)(p), sums = p->count[SUM];
  for (ptrdiff_t i = begin; i < end; i++) {
    const int64_t sum = i % sums, block = i / sums % blocks, lead = i / sums / blocks;
    const int64_t o = THTensor_(blockAt)(p, block);
    const int outputs = (int)(THTensor_(blockAt)(p, block + 1) - o);
    const real *from = p->k.data + lead * (p->k.next[GROUP] + p->k.next[CONNECTION]) +
                       o * p->k.next[OUTPUT] + sum * p->k.next[SUM];
    real *to = p->windows + (lead * p->count[OUTPUT] * sums + o * sums + sum * outputs) * p->taps;
    if (p->shape.dots)
      THTensor_(packRows)(p, from, outputs, to);
    else if (THTensor_(packWindows)(p, from, outputs, to) && p->shape.kind == TH_CONV_FULL)
      __atomic_store_n(&p->notFinite, 1, __ATOMIC_RELAXED);
  }
}

static int64_t THTensor_(planesOf)(const THTensor_(Problem) * p, const char *letters)
{
  int64_t count = 1;
  for (; *letters; letters++)
    count *= p->count[THTensor_(role)(*letters)];
  return count;
}

/* Adds count elements of a size to bytes; returns where they begin. */
static ptrdiff_t THTensor_(reserve)(ptrdiff_t *bytes, ptrdiff_t count, size_t size)
{
  const ptrdiff_t at = *bytes;
  ptrdiff_t more;
  if (__builtin_mul_overflow(count, (ptrdiff_t)size, &more) ||
      __builtin_add_overflow(more, 63, &more) || __builtin_add_overflow(at, more & -64, bytes))
    THError("convolutions of this size need more memory than there can be");
  return at;
}

/* Lists the planes and windows that meet, by group. */
static void THTensor_(readMap)(THTensor_(Problem) * p, const THTensor *table)
{
  const real *data = table->storage->data + table->storageOffset;
  const int64_t *stride = table->stride, rows = table->size[0], groups = p->count[GROUP];
  memset(p->first, 0, (size_t)(groups + 1) * sizeof *p->first);
  for (int64_t i = 0; i < rows; i++)
    p->first[(int64_t)data[i * stride[0] + stride[1]] - TH_INDEX_BASE]++;
  ptrdiff_t end = 0;
  for (int64_t g = 0; g < groups; g++)
    p->first[g] = end += p->first[g];
  p->first[groups] = end;
  for (int64_t i = rows - 1; i >= 0; i--) {
    const int64_t from = (int64_t)data[i * stride[0]] - TH_INDEX_BASE;
    const int64_t to = (int64_t)data[i * stride[0] + stride[1]] - TH_INDEX_BASE;
    p->planes[--p->first[to]] = from * p->t.next[PICKED];
    p->which[p->first[to]] = i;
  }
}

/* Vectors run along rows of outputs or of windows, whichever leaves fewer lanes idle; adding up
 * lanes is counted, too. */
static int THTensor_(isWindowWide)(const THTensor_(Problem) * p, ptrdiff_t lanes)
{
  const int64_t *window = p->shape.window, *output = p->shape.output;
  const int64_t vectors = (window[2] - 1) / lanes + 1;
  const double rows = (double)window[0] * (double)window[1] * (double)p->count[SUM];
  return p->shape.kind != TH_CONV_FULL &&
         (double)output[2] * ((double)vectors * rows + 8) <
             (double)((output[2] - 1) / lanes + 1) * window[2] * rows;
}

/* Allocates the block for packed operands and lists. */
static void THTensor_(allocate)(THTensor_(Problem) * p, const THTensor *table, int aside,
                                ptrdiff_t lanes)
{
  const int64_t *window = p->shape.window;
  ptrdiff_t bytes = 0, windowElements, planeElements = 0;
  const ptrdiff_t lists = table ? table->size[0] : p->count[SUM];
  const ptrdiff_t planesAt = THTensor_(reserve)(&bytes, lists, sizeof(ptrdiff_t));
  const ptrdiff_t whichAt = THTensor_(reserve)(&bytes, lists, sizeof(ptrdiff_t));
  const ptrdiff_t firstAt =
      THTensor_(reserve)(&bytes, table ? p->count[GROUP] + 1 : 0, sizeof(ptrdiff_t));
  const ptrdiff_t boxesAt = THTensor_(reserve)(&bytes, p->plane.parts, sizeof(THTaps));
  const ptrdiff_t columnsAtAt =
      THTensor_(reserve)(&bytes, p->shape.dots ? p->shape.output[2] : 0, sizeof(ptrdiff_t));
  const int64_t columns = p->shape.dots ? ((window[2] - 1) / lanes + 1) * lanes : window[2];
  const int64_t windows[] = {THTensor_(planesOf)(p, p->family->k), window[0], window[1], columns};
  if (!THSize_product(4, windows, &windowElements))
    windowElements = PTRDIFF_MAX; /* of an expanded kernel */
  p->taps = window[0] * window[1] * columns;
  const ptrdiff_t windowsAt = THTensor_(reserve)(&bytes, windowElements, sizeof(real));
  if (aside && (__builtin_mul_overflow(THTensor_(planesOf)(p, p->family->t), p->plane.length,
                                       &planeElements) ||
                __builtin_add_overflow(planeElements, lanes, &planeElements)))
    planeElements = PTRDIFF_MAX;
  const ptrdiff_t paddedAt = THTensor_(reserve)(&bytes, planeElements, sizeof(real));
  char *const block = p->packed.what = THAlloc(bytes);
  p->planes = (ptrdiff_t *)(block + planesAt);
  p->which = (ptrdiff_t *)(block + whichAt);
  p->first = table ? (ptrdiff_t *)(block + firstAt) : NULL;
  p->boxes = (THTaps *)(block + boxesAt);
  p->columnsAt = (ptrdiff_t *)(block + columnsAtAt);
  p->windows = (real *)(block + windowsAt);
  p->padded = aside ? (real *)(block + paddedAt) : NULL;
}

/* Pads all planes, and from now on reads the padded ones. */
static void THTensor_(padPlanes)(THTensor_(Problem) * p, ptrdiff_t lanes)
{
  const ptrdiff_t planes = THTensor_(planesOf)(p, p->family->t);
  THParallel_for(planes * p->plane.size[0] * p->plane.size[1],
                 THMax(TH_LOOP_GRAIN / p->plane.stride[1], 1), THTensor_(padRows), p);
  memset(p->padded + planes * p->plane.length, 0, (size_t)lanes * sizeof(real));
  p->t.data = p->padded;
  memcpy(p->t.stride, p->plane.stride, sizeof p->t.stride);
  ptrdiff_t next = p->plane.length;
  for (int l = (int)strlen(p->family->t) - 1; l >= 0; l--) {
    const int role = THTensor_(role)(p->family->t[l]);
    p->t.next[role] = next;
    next *= p->count[role];
  }
}

/* Lists columns of outputs, boxes, planes and windows. */
static void THTensor_(list)(THTensor_(Problem) * p, const THTensor *table)
{
  for (int64_t x = 0; p->shape.dots && x < p->shape.output[2]; x++)
    p->columnsAt[x] = p->shape.kind == TH_CONV_VALID
                          ? x * p->shape.step[2]
                          : x % p->plane.split * p->plane.width + x / p->plane.split;
  if (p->shape.kind != TH_CONV_FULL)
    THConvPlane_taps(&p->plane, &p->shape, NULL, p->boxes);
  if (table)
    THTensor_(readMap)(p, table);
  else
    for (ptrdiff_t s = 0; s < p->count[SUM]; s++) {
      p->planes[s] = s * p->t.next[SUM];
      p->which[s] = s;
    }
}

/* Does all that can fail.  aside: whether planes are copied, since the result overwrites them. */
static void THTensor_(open)(THTensor_(Problem) * p, const THTensor *table, int aside)
{
  const ptrdiff_t lanes = TH_DISPATCHED(THTensor_(convKernels))->lanes;
  THGuard_enter(&p->packed, THFree);
  p->shape.dots = THTensor_(isWindowWide)(p, lanes);
  p->notFinite = 0;
  p->plane = THConvPlane_inPlace(&p->shape, p->t.stride);
  if (aside || p->t.stride[2] != 1 || p->shape.output[2] < lanes ||
      THConvPlane_mustBePacked(&p->shape)) {
    aside = 1;
    if (!THConvPlane_pack(&p->plane, &p->shape))
      THError("convolutions of this size need more memory than there can be");
  }
  THTensor_(allocate)(p, table, aside, lanes);
  const int64_t windows = THTensor_(planesOf)(p, p->family->k) / p->count[OUTPUT];
  THParallel_for(windows * THTensor_(blocks)(p),
                 THMax(TH_LOOP_GRAIN / TH_CONV_OUTPUTS / p->taps, 1), THTensor_(packBlocks), p);
  if (aside)
    THTensor_(padPlanes)(p, lanes);
  THTensor_(list)(p, table);
}

/* --- running --------------------------------------------------------------------------------- */

/* The work is cut into items: chunks of the rows of a phase of a block of a group. */
typedef struct {
  const THTensor_(Problem) * p;
  int64_t phases[3], chunks;
} THTensor_(Work);

/* Puts into conv what is special about the phase of an item; box is needed if there are several. */
static void THTensor_(setPhase)(THConv *conv, const THTensor_(Problem) * p, const int64_t *phase,
                                THTaps *box)
{
  const THConvShape *shape = &p->shape;
  for (int d = 0; d < 3; d++) {
    conv->size[d] = THConvShape_outputs(shape, d, phase[d]);
    conv->from[d] = THConvPlane_step(&p->plane, shape, d);
    conv->to[d] = p->r.stride[d];
    if (shape->kind == TH_CONV_FULL) {
      conv->result += phase[d] * p->r.stride[d];
      if (conv->size[d] > 1)
        conv->to[d] *= shape->step[d];
    }
  }
  if (shape->kind == TH_CONV_FULL) {
    THConvPlane_taps(&p->plane, shape, phase, box);
    conv->boxes = box;
  }
}

/* Runs one chunk of the rows that conv describes. */
static void THTensor_(runChunk)(const THConv *conv, int dots, ptrdiff_t chunk, ptrdiff_t chunks)
{
  const ptrdiff_t count = conv->size[0] * conv->size[1] * (dots ? conv->size[2] : 1);
  const ptrdiff_t each = count / chunks, extra = count % chunks;
  const ptrdiff_t from = chunk * each + THMin(chunk, extra);
  const ptrdiff_t to = from + each + (chunk < extra);
  (dots ? TH_DISPATCHED(THTensor_(convKernels))->dots
        : TH_DISPATCHED(THTensor_(convKernels))->rows)(conv, from, to);
}

static void THTensor_(runItems)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THTensor_(Work) *work = context;
  const THTensor_(Problem) *p = work->p;
  THConv conv = {.sums = p->count[SUM],
                 .taps = p->taps,
                 .planes = p->planes,
                 .which = p->which,
                 .boxes = p->boxes,
                 .boxCount = p->plane.parts,
                 .columns = p->shape.window[2],
                 .columnsAt = p->columnsAt,
                 .nextOutput = p->r.next[OUTPUT],
                 .alpha = p->alpha,
                 .beta = p->beta};
  for (ptrdiff_t i = begin; i < end; i++) {
    ptrdiff_t rest = i / work->chunks;
    THTaps box;
    int64_t phase[3];
    for (int d = 2; d >= 0; d--) {
      phase[d] = rest % work->phases[d];
      rest /= work->phases[d];
    }
    const int64_t block = rest % THTensor_(blocks)(p), group = rest / THTensor_(blocks)(p);
    const int64_t output = THTensor_(blockAt)(p, block);
    conv.outputs = (int)(THTensor_(blockAt)(p, block + 1) - output);
    conv.input = p->t.data + group * p->t.next[GROUP];
    conv.windows = p->windows + ((p->k.next[GROUP] ? group * p->count[OUTPUT] : 0) + output) *
                                    p->count[SUM] * p->taps;
    conv.result = p->r.data + group * p->r.next[GROUP] + output * p->r.next[OUTPUT];
    THTensor_(setPhase)(&conv, p, phase, &box);
    if (p->first) {
      conv.planes = p->planes + p->first[group];
      conv.which = p->which + p->first[group];
      conv.sums = p->first[group + 1] - p->first[group];
    }
    if (p->notFinite)
      conv.alpha = conv.sums = 0;
    THTensor_(runChunk)(&conv, p->shape.dots, i % work->chunks, work->chunks);
  }
}

/* Full convolution with nonfinite windows, which must meet only elements of the input, no padding:
 * scatters the input's elements one by one. */
static void THTensor_(scatterElements)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
  const THTensor_(Problem) *p = context;
  const int64_t *size = p->shape.window, *plane = p->shape.plane, *step = p->shape.step;
  for (ptrdiff_t i = begin; i < end; i++) {
    const int64_t g = i / p->count[OUTPUT], o = i % p->count[OUTPUT];
    const ptrdiff_t first = p->first ? p->first[g] : 0;
    const ptrdiff_t last = p->first ? p->first[g + 1] : p->count[SUM];
    for (ptrdiff_t s = first; s < last; s++)
      for (int64_t tap = 0; tap < p->taps; tap++) {
        const int64_t at[3] = {tap / size[2] / size[1], tap / size[2] % size[1], tap % size[2]};
        const real *t = p->t.data + g * p->t.next[GROUP] + p->planes[s];
        const real w =
            p->k.data[g * p->k.next[GROUP] + o * p->k.next[OUTPUT] +
                      p->which[s] * (p->k.next[SUM] + p->k.next[CONNECTION]) +
                      at[0] * p->k.stride[0] + at[1] * p->k.stride[1] + at[2] * p->k.stride[2]];
        real *r = p->r.data + g * p->r.next[GROUP] + o * p->r.next[OUTPUT];
        for (int d = 0; d < 3; d++) {
          t += p->plane.border[d] * p->t.stride[d];
          r += (p->shape.flip ? size[d] - 1 - at[d] : at[d]) * p->r.stride[d];
        }
        for (int64_t d = 0; d < plane[0]; d++)
          for (int64_t y = 0; y < plane[1]; y++)
            for (int64_t x = 0; x < plane[2]; x++)
              r[d * step[0] * p->r.stride[0] + y * step[1] * p->r.stride[1] +
                x * step[2] * p->r.stride[2]] +=
                  p->alpha * (w * t[d * p->t.stride[0] + y * p->t.stride[1] + x * p->t.stride[2]]);
      }
  }
}

enum {
  MIN_ITEMS = 32,          /* enough that threads have equally much to do */
  WORTH_A_THREAD = 1 << 18 /* products */
};

static void THTensor_(run)(THTensor_(Problem) * p)
{
  THTensor_(Work) work = {.p = p};
  double products = (double)p->taps * (double)p->count[SUM] * TH_CONV_OUTPUTS;
  int64_t items = p->count[GROUP] * THTensor_(blocks)(p);
  for (int d = 0; d < 3; d++) {
    work.phases[d] = THConvShape_phases(&p->shape, d);
    items *= work.phases[d];
    products *= (double)(p->shape.output[d] / work.phases[d]);
    if (p->shape.kind == TH_CONV_FULL)
      products /= (double)p->shape.step[d];
  }
  work.chunks = THMin(MIN_ITEMS / THMin(items, MIN_ITEMS), p->shape.output[0] * p->shape.output[1]);
  items *= work.chunks;
  const double grain = (double)WORTH_A_THREAD * (double)work.chunks / THMax(products, 1);
  THParallel_for(items, (ptrdiff_t)THMin(grain, 0x1p60) + 1, THTensor_(runItems), &work);
  if (p->notFinite)
    THParallel_for(p->count[GROUP] * p->count[OUTPUT], 1, THTensor_(scatterElements), p);
}

/* --- tensors --------------------------------------------------------------------------------- */

/* Which argument is which; the map is the sixth of those that have one, and steps follow. */
enum { RESULT = 1, INPUT = 4, KERNEL = 5, STEPS = 6 };

typedef struct {
  THConvKind kind;
  int flip;
} Mode;

static const Mode reverse = {TH_CONV_REVERSE, 0};

/* A convolution is a cross-correlation with the window flipped; a full one, which scatters each
 * element of the input, needs no flip. */
static Mode THTensor_(convolutionMode)(const char *vf, const char *xc, int arg)
{
  THArgCheck(vf && *vf && strchr("vVfF", *vf), arg,
             "a convolution is valid ('V') or full ('F'), not '%s'", vf ? vf : "NULL");
  THArgCheck(xc && *xc && strchr("xXcC", *xc), arg + 1,
             "the operation is a cross-correlation ('X') or a convolution ('C'), not '%s'",
             xc ? xc : "NULL");
  const int full = strchr("fF", *vf) != NULL, convolution = strchr("cC", *xc) != NULL;
  return (Mode){full ? TH_CONV_FULL : TH_CONV_VALID, full != convolution};
}

/* Checks the planes and their leading dimensions, and stores their strides. */
static void THTensor_(takePlanes)(THTensor_(Problem) * p, THTensor_(Planes) * planes,
                                  const THTensor *t, const char *letters, int dims, int64_t *size)
{
  const int outer = (int)strlen(letters);
  memset(planes, 0, sizeof *planes);
  planes->data = t->storage->data + t->storageOffset;
  for (int d = 0; d < outer; d++)
    planes->next[THTensor_(role)(letters[d])] = t->stride[d];
  for (int d = 0; d < dims; d++) {
    size[3 - dims + d] = t->size[outer + d];
    planes->stride[3 - dims + d] = t->stride[outer + d];
  }
  if (dims == 2)
    size[0] = 1;
}

static void THTensor_(checkDimensions)(const THTensor *t, const char *letters, int dims, int arg,
                                       const char *what)
{
  int empty = 0;
  for (int d = 0; d < t->nDimension; d++)
    empty |= t->size[d] == 0;
  THArgCheck(t->nDimension == (int)strlen(letters) + dims && !empty, arg,
             "%s has to have %d dimensions, none of size 0, not size %s", what,
             (int)strlen(letters) + dims, THTensor_(sizeDesc)(t).str);
}

/* Checks that the numbers in the map are those of planes; returns the number of groups. */
static int64_t THTensor_(checkMap)(const THTensor *table, int64_t planes, int64_t windows, int arg)
{
  THArgCheck(table->nDimension == 2 && table->size[0] == windows && table->size[1] >= 2, arg,
             "the map has size %s, for %lld windows it has to have [%lld x 2]",
             THTensor_(sizeDesc)(table).str, (long long)windows, (long long)windows);
  const real *data = table->storage->data + table->storageOffset;
  int64_t groups = 0;
  for (int64_t i = 0; i < windows; i++) {
    const double from = (double)data[i * table->stride[0]] - TH_INDEX_BASE;
    const double to = (double)data[i * table->stride[0] + table->stride[1]] - TH_INDEX_BASE;
    THArgCheck(from >= 0 && from < (double)planes && from == floor(from), arg,
               "row %lld of the map: there is no plane %g among %lld", (long long)i + TH_INDEX_BASE,
               from + TH_INDEX_BASE, (long long)planes);
    THArgCheck(to >= 0 && to < 0x1p31 && to == floor(to), arg,
               "row %lld of the map: %g is not the number of a plane", (long long)i + TH_INDEX_BASE,
               to + TH_INDEX_BASE);
    groups = THMax(groups, (int64_t)to + 1);
  }
  return groups;
}

/* Checks the operands of a convolution of a family and fills p in from them. */
static void THTensor_(takeOperands)(THTensor_(Problem) * p, int dims, const THTensor *t_,
                                    const THTensor *k_, const THTensor *table)
{
  const Family *family = p->family;
  THTensor_(checkDimensions)(t_, family->t, dims, INPUT, "the input");
  THTensor_(checkDimensions)(k_, family->k, dims, KERNEL, "the kernel");
  THTensor_(takePlanes)(p, &p->t, t_, family->t, dims, p->shape.plane);
  THTensor_(takePlanes)(p, &p->k, k_, family->k, dims, p->shape.window);
  for (int d = 0; family->t[d]; d++)
    p->count[THTensor_(role)(family->t[d])] = t_->size[d];
  for (int d = 0; family->k[d]; d++) {
    const int role = THTensor_(role)(family->k[d]);
    THArgCheck(!strchr(family->t, family->k[d]) || k_->size[d] == p->count[role], KERNEL,
               "a kernel of size %s does not fit an input of size %s: dimension %d has to be %lld",
               THTensor_(sizeDesc)(k_).str, THTensor_(sizeDesc)(t_).str, d + TH_INDEX_BASE,
               (long long)p->count[role]);
    p->count[role] = k_->size[d];
  }
  if (table)
    p->count[GROUP] = THTensor_(checkMap)(table, p->count[PICKED], p->count[CONNECTION], STEPS);
  const int steps = STEPS + (table != NULL);
  for (int i = 3 - dims; i < 3; i++)
    THArgCheck(p->shape.step[i] >= 1, steps + i - 3 + dims, "a step has to be 1 or more, not %lld",
               (long long)p->shape.step[i]);
  THArgCheck(THConvShape_setOutput(&p->shape), KERNEL,
             p->shape.kind == TH_CONV_FULL
                 ? "the full convolution of %s with %s in steps of %s is too large"
                 : "an input of size %s is smaller than a kernel of size %s in steps of %s",
             THTensor_(sizeDesc)(t_).str, THTensor_(sizeDesc)(k_).str,
             _THSizeDesc(p->shape.step + 3 - dims, dims).str);
}

/* The shape of the result, whose number of elements is returned. */
static ptrdiff_t THTensor_(openShape)(THShape *shape, const THTensor_(Problem) * p, int dims)
{
  const char *letters = p->family->r;
  const int outer = (int)strlen(letters);
  ptrdiff_t count;
  THShape_open(shape, outer + dims); /* at most five dimensions need no memory */
  for (int d = 0; d < outer; d++)
    shape->size[d] = p->count[THTensor_(role)(letters[d])];
  for (int d = 0; d < dims; d++)
    shape->size[outer + d] = p->shape.output[3 - dims + d];
  THArgCheck(THSize_product(shape->nDimension, shape->size, &count), KERNEL,
             "the result of size %s is too large", _THSizeDesc(shape->size, shape->nDimension).str);
  THShape_setStrides(shape, NULL);
  return count;
}

/* result = beta * result + alpha * the convolutions of a family, of planes of two or three
 * dimensions. */
static void THTensor_(convolve)(const Family *family, int dims, THTensor *r_, real beta, real alpha,
                                THTensor *t_, THTensor *k_, THTensor *table, int64_t sdepth,
                                int64_t srow, int64_t scol, Mode mode)
{
  THTensor_(Problem)
      p = {.family = family,
           .shape = {.kind = mode.kind, .flip = mode.flip, .step = {sdepth, srow, scol}},
           .count = {1, 1, 1, 1, 1},
           .alpha = alpha};
  THTensor_(takeOperands)(&p, dims, t_, k_, table);
  THShape shape;
  const ptrdiff_t count = THTensor_(openShape)(&shape, &p, dims);
  THStandIn standIn;
  r_ = THTensor_(openStandIn)(&standIn, r_, &shape, -1, RESULT);
  const THView to = TH_VIEW(r_);
  p.beta = THTensor_(nElement)(r_) == count ? beta : 0; /* a resized result has no old elements */

  THGuard aside;
  THTensor_(guard)(&aside);
  const int overWindows = THResult_overlap(to, &shape, TH_VIEW(k_)) != TH_OVERLAP_NONE;
  if (overWindows) {
    k_ = aside.what = THTensor_(newClone)(k_);
    THTensor_(takePlanes)(&p, &p.k, k_, family->k, dims, p.shape.window);
  }
  THTensor_(open)(&p, table, THResult_overlap(to, &shape, TH_VIEW(t_)) != TH_OVERLAP_NONE);
  if (!THResult_hasShape(to, &shape))
    THTensor_(resizeResult)(r_, &shape); /* the last step that can fail */
  int64_t unused[3];
  THTensor_(takePlanes)(&p, &p.r, r_, family->r, dims, unused);
  THTensor_(run)(&p);
  THGuard_leave(&p.packed);
  THGuard_leave(&aside);
  THTensor_(closeStandIn)(&standIn);
  THShape_close(&shape);
}

#define NAME ger
#include "THTensorConvFamily.h"
#define NAME mv
#include "THTensorConvFamily.h"
#define NAME mul
#include "THTensorConvFamily.h"
#define NAME cmul
#include "THTensorConvFamily.h"
#define NAME        mm
#define IMAGES_ONLY 1
#include "THTensorConvFamily.h"

void THTensor_(conv2DRevger)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_,
                             int64_t srow, int64_t scol)
{
  THTensor_(convolve)(&ger, 2, r_, beta, alpha, t_, k_, NULL, 1, srow, scol, reverse);
}

void THTensor_(conv2DRevgerm)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_,
                              int64_t srow, int64_t scol)
{
  THTensor_(convolve)(&germ, 2, r_, beta, alpha, t_, k_, NULL, 1, srow, scol, reverse);
}

void THTensor_(conv3DRevger)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_,
                             int64_t sdepth, int64_t srow, int64_t scol)
{
  THTensor_(convolve)(&ger, 3, r_, beta, alpha, t_, k_, NULL, sdepth, srow, scol, reverse);
}

void THTensor_(conv2Dmap)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_,
                          THTensor *table, int64_t srow, int64_t scol, const char *vf,
                          const char *xc)
{
  THTensor_(convolve)(&map, 2, r_, beta, alpha, t_, k_, table, 1, srow, scol,
                      THTensor_(convolutionMode)(vf, xc, STEPS + 3));
}

void THTensor_(conv3Dmap)(THTensor *r_, real beta, real alpha, THTensor *t_, THTensor *k_,
                          THTensor *table, int64_t sdepth, int64_t srow, int64_t scol,
                          const char *vf, const char *xc)
{
  THTensor_(convolve)(&map, 3, r_, beta, alpha, t_, k_, table, sdepth, srow, scol,
                      THTensor_(convolutionMode)(vf, xc, STEPS + 4));
}

/* --- planes in plain memory ------------------------------------------------------------------ */

/* r_ += alpha * the convolution of t_ and k_, which are contiguous. */
static void THTensor_(convolvePlanes)(real *r_, real alpha, real *t_, real *k_, int dims,
                                      const THConvShape *shape)
{
  THTensor_(Problem) p = {.family = &mul,
                          .shape = *shape,
                          .count = {1, 1, 1, 1, 1},
                          .alpha = alpha,
                          .beta = 1,
                          .t = {.data = t_},
                          .k = {.data = k_},
                          .r = {.data = r_}};
  const int64_t *const sizes[] = {shape->plane, shape->window, shape->step};
  static const char *const names[] = {"an input", "a kernel", "steps"};
  for (int i = 0; i < 3; i++) {
    int fine = 1;
    for (int d = 0; d < 3; d++)
      fine &= sizes[i][d] >= 1;
    ptrdiff_t unused;
    THArgCheck(fine && (i == 2 || THSize_product(3, sizes[i], &unused)), i ? 5 + i * dims : 4,
               "%s of %s cannot be", names[i], _THSizeDesc(sizes[i] + 3 - dims, dims).str);
  }
  ptrdiff_t unused;
  THArgCheck(THConvShape_setOutput(&p.shape) && THSize_product(3, p.shape.output, &unused),
             5 + dims,
             shape->kind == TH_CONV_FULL
                 ? "the full convolution of %s with %s in steps of %s is too large"
                 : "an input of size %s is smaller than a kernel of size %s in steps of %s",
             _THSizeDesc(shape->plane + 3 - dims, dims).str,
             _THSizeDesc(shape->window + 3 - dims, dims).str,
             _THSizeDesc(shape->step + 3 - dims, dims).str);
  THTensor_(Planes) *const planes[] = {&p.t, &p.k, &p.r};
  const int64_t *const extents[] = {shape->plane, shape->window, p.shape.output};
  for (int i = 0; i < 3; i++) {
    planes[i]->stride[2] = 1;
    planes[i]->stride[1] = extents[i][2];
    planes[i]->stride[0] = extents[i][1] * extents[i][2];
  }
  THTensor_(open)(&p, NULL, 0);
  THTensor_(run)(&p);
  THGuard_leave(&p.packed);
}

#define NAME_(DIMS) validXCorr##DIMS##ptr
#define KIND        TH_CONV_VALID
#define FLIP        0
#include "THTensorConvPlanes.h"
#define NAME_(DIMS) validConv##DIMS##ptr
#define KIND        TH_CONV_VALID
#define FLIP        1
#include "THTensorConvPlanes.h"
#define NAME_(DIMS) fullXCorr##DIMS##ptr
#define KIND        TH_CONV_FULL
#define FLIP        1
#include "THTensorConvPlanes.h"
#define NAME_(DIMS) fullConv##DIMS##ptr
#define KIND        TH_CONV_FULL
#define FLIP        0
#include "THTensorConvPlanes.h"
#define NAME_(DIMS) validXCorr##DIMS##Revptr
#define KIND        TH_CONV_REVERSE
#define FLIP        0
#include "THTensorConvPlanes.h"

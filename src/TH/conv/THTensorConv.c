/* The functions conv2Dmm, conv3Dmul and so on: which planes and kernels are convolved and summed up
 * (families), checks of operands, and the items of work that the kernels run. */
#include "THTemplate.h"
#include "THKernel.h"

#include "THConvKernels.h"
#include "THParallel.h"
#include "TH/tensor/THTensorCore.h"

TH_DISPATCH(THConvKernels, THTensor_(convKernels))

/* --- families -------------------------------------------------------------------------------- */

/* A family says what a convolution sums over.  Its strings name the dimensions before the planes, in
 * order, of the input t, the kernel k and the result r: g is a group, o an output, s is summed over, p
 * is a plane and c a kernel that a map picks.  For example mm = {"gs", "os", "go"}:
 *
 *     result[g][o] = the sum over s of the convolution of input[g][s] with kernel[o][s]
 *
 * A map is a table of rows (p, g), one for each kernel c: result[g] is the sum over the rows with g
 * of the convolution of input[p] with kernel[c]. */
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

#include "THTensorConvPack.h"

/* --- running --------------------------------------------------------------------------------- */

/* An item of work is one (group, block of outputs, phase, chunk of the phase's rows). */
typedef struct {
  const THTensor_(Problem) * p;
  int64_t phases[3], chunks;
} THTensor_(Work);

/* Sets the fields of conv that depend on the phase.  A full convolution has other taps in each phase,
 * which are put into *box. */
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
    THTensor_(runChunk)(&conv, p->shape.alongWindow, i % work->chunks, work->chunks);
  }
}

/* A full convolution with a window that has an infinity or a NaN.  Times the zeros of the padding it
 * would give NaN, so each element of the input is scattered by itself, without padding. */
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

/* Argument numbers in errors.  A function with a map has it as argument 6, and the steps behind it. */
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
#include "THTensorConvPointers.h"
#define NAME_(DIMS) validConv##DIMS##ptr
#define KIND        TH_CONV_VALID
#define FLIP        1
#include "THTensorConvPointers.h"
#define NAME_(DIMS) fullXCorr##DIMS##ptr
#define KIND        TH_CONV_FULL
#define FLIP        1
#include "THTensorConvPointers.h"
#define NAME_(DIMS) fullConv##DIMS##ptr
#define KIND        TH_CONV_FULL
#define FLIP        0
#include "THTensorConvPointers.h"
#define NAME_(DIMS) validXCorr##DIMS##Revptr
#define KIND        TH_CONV_REVERSE
#define FLIP        0
#include "THTensorConvPointers.h"

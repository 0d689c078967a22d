/* A part of THTensorConv.c: the struct Problem, and how its planes and windows are packed (padded,
 * made contiguous, ordered by output) and listed before the kernels run. */

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
  ptrdiff_t *planes; /* the offset of each plane that is added up */
  ptrdiff_t *which;  /* the number of the window for each of these planes */
  ptrdiff_t
      *columnsAt;   /* the offset in a plane for each output column, if vectors run along windows */
  ptrdiff_t *first; /* for each group of a map: its first entry in planes and which; or NULL */
  THTaps *boxes;
  real *windows; /* packed in the kernels' order */
  real *padded;  /* padded planes, or NULL */
  THConvPlane plane;
  ptrdiff_t taps; /* of a window, including zeros after its rows */
  int notFinite;  /* windows have infinities or NaN, which must not meet the padding's zeros */
} THTensor_(Problem);

/* Outputs are computed in blocks of at most TH_CONV_OUTPUTS, whose sizes differ by one at most: the
 * number of blocks, and the first output of a block. */
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

/* Packs one window for each output of a block, row by row, with zeros after each row; mirrored where
 * the shape has flip. */
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
    if (p->shape.alongWindow)
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

/* Reserves count elements of `size` bytes in a block that has *bytes so far; returns their offset. */
static ptrdiff_t THTensor_(reserve)(ptrdiff_t *bytes, ptrdiff_t count, size_t size)
{
  const ptrdiff_t at = *bytes;
  ptrdiff_t more;
  if (__builtin_mul_overflow(count, (ptrdiff_t)size, &more) ||
      __builtin_add_overflow(more, 63, &more) || __builtin_add_overflow(at, more & -64, bytes))
    THError("convolutions of this size need more memory than there can be");
  return at;
}

/* Lists the planes of each group, and the windows that they are convolved with. */
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

/* Whether vectors run along rows of windows instead of outputs: if that leaves fewer lanes idle, when
 * the time for adding up lanes is counted, too. */
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
      THTensor_(reserve)(&bytes, p->shape.alongWindow ? p->shape.output[2] : 0, sizeof(ptrdiff_t));
  const int64_t columns = p->shape.alongWindow ? ((window[2] - 1) / lanes + 1) * lanes : window[2];
  const int64_t windows[] = {THTensor_(planesOf)(p, p->family->k), window[0], window[1], columns};
  if (!THSize_product(4, windows, &windowElements))
    windowElements =
        PTRDIFF_MAX; /* only an expanded kernel (stride 0) has so many: reserve raises */
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

/* Fills in the lists: output columns, boxes of taps, planes and windows. */
static void THTensor_(list)(THTensor_(Problem) * p, const THTensor *table)
{
  for (int64_t x = 0; p->shape.alongWindow && x < p->shape.output[2]; x++)
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
  p->shape.alongWindow = THTensor_(isWindowWide)(p, lanes);
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

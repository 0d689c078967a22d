/* Results whose elements share memory: against the loop that computes one element after the other
 * in row-major order. */
#include "THTemplate.h"

#include "th_layouts.h"

static const int layouts[] = {TH_EXPANDED, TH_EXPANDED_LAST, TH_WINDOWS};

/* What the storage of r, given as it was before, is once the elements of values were written to r
 * in order. */
static void THTest_(checkWritten)(const THTensor *r, real *storage, const real *values)
{
  for (ptrdiff_t i = 0; i < THTest_(count)(r); i++)
    storage[THTest_(at)(r, i) - r->storage->data] = values[i];
  CHECK_MSG(!memcmp(storage, r->storage->data, (size_t)r->storage->size * sizeof(real)),
            "%s: element 0 is %s", "written in another order", TH_TEXT(*THTest_(at)(r, 0)));
}

/* --- functions of other tensors --------------------------------------------------------------- */

typedef struct {
  THTensor *t, *matrix, *other, *vector, *batch;
  THLongTensor *index, *indices, *elements;
  THByteTensor *mask;
  THGenerator *generator;
} Operands;

/* X(name, call with the result r) */
#define ANY_TYPE(X)                                                                \
  X(sum, THTensor_(sum)(r, o->t, 1, 0))                                            \
  X(sumKept, THTensor_(sum)(r, o->t, 1, 1))                                        \
  X(prod, THTensor_(prod)(r, o->t, 0, 0))                                          \
  X(sort, THTensor_(sort)(r, o->indices, o->t, 2, 0))                              \
  X(topk, THTensor_(topk)(r, o->indices, o->t, 2, 2, 1, 1))                        \
  X(max, THTensor_(max)(r, o->indices, o->t, 2, 0))                                \
  X(median, THTensor_(median)(r, o->indices, o->t, 1, 0))                          \
  X(kthvalue, THTensor_(kthvalue)(r, o->indices, o->t, 2, 0, 1))                   \
  X(mode, THTensor_(mode)(r, o->indices, o->t, 0, 0))                              \
  X(cumsum, THTensor_(cumsum)(r, o->t, 1))                                         \
  X(cumprod, THTensor_(cumprod)(r, o->t, 2))                                       \
  X(indexSelect, THTensor_(indexSelect)(r, o->matrix, 1, o->index))                \
  X(gather, THTensor_(gather)(r, o->matrix, 1, o->elements))                       \
  X(take, THTensor_(take)(r, o->matrix, o->elements))                              \
  X(maskedSelect, THTensor_(maskedSelect)(r, o->matrix, o->mask))                  \
  X(addmm, THTensor_(addmm)(r, 2, o->other, 3, o->matrix, o->matrix))              \
  X(addmv, THTensor_(addmv)(r, 2, o->vector, 3, o->matrix, o->vector))             \
  X(addr, THTensor_(addr)(r, 2, o->matrix, 3, o->vector, o->vector))               \
  X(addbmm, THTensor_(addbmm)(r, 2, o->matrix, 3, o->batch, o->batch))             \
  X(baddbmm, THTensor_(baddbmm)(r, 2, o->batch, 3, o->batch, o->batch))            \
  X(tril, THTensor_(tril)(r, o->matrix, 0))                                        \
  X(triu, THTensor_(triu)(r, o->matrix, 1))                                        \
  X(conv2Dmul, THTensor_(conv2Dmul)(r, 0, 2, o->matrix, o->other, 1, 1, "F", "X")) \
  X(range, THTensor_(range)(r, 1, 9, 2))                                           \
  X(cat, THTensor_(cat)(r, o->matrix, o->other, 0))                                \
  X(copy, (THTensor_(resizeAs)(r, o->matrix), THTensor_(copy)(r, o->matrix)))      \
  X(cadd, THTensor_(cadd)(r, o->matrix, 3, o->other))                              \
  X(cmul, THTensor_(cmul)(r, o->t, o->t))                                          \
  X(random, (THTensor_(resizeAs)(r, o->t), THTensor_(random)(r, o->generator)))    \
  X(randperm, THTensor_(randperm)(r, o->generator, 60))

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
#define FLOATING_TYPE(X)                                                                \
  X(mean, THTensor_(mean)(r, o->t, 1, 0))                                               \
  X(var, THTensor_(var)(r, o->t, 1, 0, 0))                                              \
  X(std, THTensor_(std)(r, o->t, 0, 0, 1))                                              \
  X(norm, THTensor_(norm)(r, o->t, 2, 1, 0))                                            \
  X(renorm, THTensor_(renorm)(r, o->t, 2, 1, 1))                                        \
  X(linspace, THTensor_(linspace)(r, 1, 3, 7))                                          \
  X(histc, THTensor_(histc)(r, o->t, 5, -4, 4))                                         \
  X(exp, THTensor_(exp)(r, o->t))                                                       \
  X(uniform, (THTensor_(resizeAs)(r, o->t), THTensor_(uniform)(r, o->generator, 1, 3))) \
  X(normal, (THTensor_(resizeAs)(r, o->t), THTensor_(normal)(r, o->generator, 1, 3)))   \
  X(means, THTensor_(normal_means)(r, o->generator, o->t, 2))                           \
  X(gamma, THTensor_(standard_gamma)(r, o->generator, o->vector))                       \
  X(inverse, THTensor_(getri)(r, o->matrix))
#else
#define FLOATING_TYPE(X)
#endif

#define DEFINE(NAME, CALL)                                \
  static void THTest_(NAME##Of)(THTensor *r, Operands *o) \
  {                                                       \
    CALL;                                                 \
  }
ANY_TYPE(DEFINE)
FLOATING_TYPE(DEFINE)
#undef DEFINE

static const struct {
  const char *name;
  void (*call)(THTensor *r, Operands *o);
} functions[] = {
#define ROW(NAME, CALL) {#NAME, THTest_(NAME##Of)},
    ANY_TYPE(ROW) FLOATING_TYPE(ROW)
#undef ROW
};

static void open_operands(Operands *o)
{
  static const int64_t index[] = {3, 0, 3, 1};
  *o = (Operands){.t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(5, 4, 3)),
                  .matrix = THTest_(tensor)(TH_TRANSPOSED, 4, TH_SHAPE(4, 4)),
                  .other = THTest_(tensor)(TH_CONTIGUOUS, 5, TH_SHAPE(4, 4)),
                  .vector = THTest_(tensor)(TH_CONTIGUOUS, 6, TH_SHAPE(4)),
                  .batch = THTest_(tensor)(TH_CONTIGUOUS, 7, TH_SHAPE(2, 4, 4)),
                  .index = THLongTensor_newWithSize1d(4),
                  .elements = THLongTensor_newWithSize2d(4, 3),
                  .indices = THLongTensor_new(),
                  .mask = THByteTensor_newWithSize2d(4, 4),
                  .generator = THGenerator_new()};
  for (int i = 0; i < 4; i++)
    o->index->storage->data[i] = index[i] + TH_INDEX_BASE;
  for (int i = 0; i < 12; i++)
    o->elements->storage->data[i] = i * 7 % 4 + TH_INDEX_BASE;
  for (int i = 0; i < 16; i++)
    o->mask->storage->data[i] = i % 3 != 1;
#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE)
  for (int i = 0; i < 4; i++) { /* above 0 */
    real *x = o->vector->storage->data + i;
    *x = *x < 0 ? -*x : *x;
  }
#endif
}

static void close_operands(Operands *o)
{
  THTensor_(free)(o->t);
  THTensor_(free)(o->matrix);
  THTensor_(free)(o->other);
  THTensor_(free)(o->vector);
  THTensor_(free)(o->batch);
  THLongTensor_free(o->index);
  THLongTensor_free(o->elements);
  THLongTensor_free(o->indices);
  THByteTensor_free(o->mask);
  THGenerator_free(o->generator);
}

static void THTest_(sharedResults)(void)
{
  Operands o;
  open_operands(&o);
  for (size_t f = 0; f < sizeof functions / sizeof *functions; f++)
    for (int l = 0; l < 3; l++) {
      th_note("%s, %s", functions[f].name, th_layout_names[layouts[l]]);
      THTensor *want = THTensor_(new)();
      THRandom_manualSeed(o.generator, 7);
      functions[f].call(want, &o);
      THTensor *r = THTest_(tensor)(layouts[l], 9, want->nDimension, want->size);
      real *storage = THTest_(storageValues)(r), *values = THTest_(values)(want);
      THRandom_manualSeed(o.generator, 7);
      functions[f].call(r, &o);
      CHECK(THTensor_(isSameSizeAs)(r, want));
      THTest_(checkWritten)(r, storage, values);
      free(values);
      free(storage);
      THTensor_(free)(r);
      THTensor_(free)(want);
    }
  close_operands(&o);
}

/* Indices of another type, and subscripts; and the values beside them where they belong. */
static void THTest_(sharedIndices)(void)
{
  THTensor *t = THTest_(tensor)(TH_CONTIGUOUS, 3, TH_SHAPE(5, 4));
  THTensor *values = THTensor_(new)(), *wantValues = THTensor_(new)();
  THLongTensor *line = THLongTensor_newWithSize1d(1), *want = THLongTensor_new();
  THLongTensor *indices = THLongTensor_newWithStorage1d(line->storage, 0, 5, 0);
  THTensor_(max)(wantValues, want, t, 1, 0);
  THTensor_(max)(values, indices, t, 1, 0);
  CHECK(THTensor_(equal)(values, wantValues));
  CHECK_EQ(line->storage->data[0], want->storage->data[4]);
  THLongTensor *subscripts = THLongTensor_newWithStorage2d(line->storage, 0, 20, 0, 2, 0);
  THTensor_(fill)(t, 1);
  THTensor_(nonzero)(subscripts, t);
  THTensor_(nonzero)(want, t);
  CHECK_EQ(want->storage->size, 40);
  CHECK_EQ(line->storage->data[0], want->storage->data[39]);
  THLongTensor_free(subscripts);
  THLongTensor_free(indices);
  THLongTensor_free(want);
  THLongTensor_free(line);
  THTensor_(free)(wantValues);
  THTensor_(free)(values);
  THTensor_(free)(t);
}

/* --- what changes a tensor in place --------------------------------------------------------- */

/* X(name, call with all of r, the same with one element of r and src) */
#define CHANGES(X)                                                                           \
  X(fill, THTensor_(fill)(r, 7), THTensor_(fill)(one, 7))                                    \
  X(addTo, THTensor_(add)(r, r, 3), THTensor_(add)(one, one, 3))                             \
  X(caddTo, THTensor_(cadd)(r, r, 2, src), THTensor_(cadd)(one, one, 2, x))                  \
  X(csubTo, THTensor_(csub)(r, src, 2, r), THTensor_(csub)(one, x, 2, one))                  \
  X(cmulTo, THTensor_(cmul)(r, r, r), THTensor_(cmul)(one, one, one))                        \
  X(cdivTo, THTensor_(cdiv)(r, r, src), THTensor_(cdiv)(one, one, x))                        \
  X(addcmulTo, THTensor_(addcmul)(r, r, 2, src, src), THTensor_(addcmul)(one, one, 2, x, x)) \
  X(copyTo, THTensor_(copy)(r, src), THTensor_(copy)(one, x))

enum { CHANGED = 60 };

/* The changes of single elements, on a copy of the storage. */
#define DEFINE(NAME, ALL, ONE)                               \
  static void THTest_(NAME)(THTensor *r, THTensor *src)      \
  {                                                          \
    ALL;                                                     \
  }                                                          \
  static void THTest_(NAME##One)(THTensor *one, THTensor *x) \
  {                                                          \
    ONE;                                                     \
  }
CHANGES(DEFINE)
#undef DEFINE

static const struct {
  const char *name;
  void (*all)(THTensor *r, THTensor *src), (*one)(THTensor *one, THTensor *x);
} changes[] = {
#define ROW(NAME, ALL, ONE) {#NAME, THTest_(NAME), THTest_(NAME##One)},
    CHANGES(ROW)
#undef ROW
};

static THTensor *element_of(const THTensor *t, THStorage *storage, ptrdiff_t i)
{
  return THTensor_(newWithStorage1d)(storage, THTest_(at)(t, i) - t->storage->data, 1, 1);
}

static THStorage *copy_of(const THStorage *storage)
{
  THStorage *copy = THStorage_(newWithSize)(storage->size);
  memcpy(copy->data, storage->data, (size_t)storage->size * sizeof(real));
  return copy;
}

#define CHECK_STORAGE(R, WANT) \
  CHECK(!memcmp((WANT)->data, (R)->storage->data, (size_t)(R)->storage->size * sizeof(real)))

static void THTest_(sharedChanges)(void)
{
  for (size_t c = 0; c < sizeof changes / sizeof *changes; c++)
    for (int l = 0; l < 3; l++)
      for (int from = 0; from < TH_ONE; from++) {
        if (from == TH_WITH_ONES)
          continue; /* a result takes the shape of the first input */
        th_note("%s, %s from %s", changes[c].name, th_layout_names[layouts[l]],
                th_layout_names[from]);
        THTensor *r = THTest_(tensor)(layouts[l], 9, TH_SHAPE(5, 4, 3));
        THTensor *src = THTest_(tensor)(from, 4, TH_SHAPE(5, 4, 3));
        THStorage *want = copy_of(r->storage);
        for (ptrdiff_t i = 0; i < CHANGED; i++) {
          THTensor *one = element_of(r, want, i), *x = element_of(src, src->storage, i);
          changes[c].one(one, x);
          THTensor_(free)(x);
          THTensor_(free)(one);
        }
        changes[c].all(r, src);
        CHECK_STORAGE(r, want);
        THStorage_(free)(want);
        THTensor_(free)(src);
        THTensor_(free)(r);
      }
}

/* An operand that overlaps such a result in another way is read before: here all of its storage. */
static void THTest_(sharedOperands)(void)
{
  for (int l = 0; l < 3; l++) {
    THTensor *r = THTest_(tensor)(layouts[l], 9, TH_SHAPE(4, 5));
    THTensor *same = THTest_(tensor)(layouts[l], 9, TH_SHAPE(4, 5));
    THTensor *src = THTensor_(newWithStorage1d)(r->storage, 0, 1, 1);
    THTensor *repeated = THTensor_(newWithStorage2d)(r->storage, 0, 4, 0, 5, 0);
    THTensor *apart = THTensor_(newClone)(repeated);
    if (layouts[l] == TH_WINDOWS) { /* in other layouts repeated may have r's strides */
      THTensor_(cadd)(r, r, 1, repeated);
      THTensor_(cadd)(same, same, 1, apart);
      CHECK_STORAGE(r, same->storage);
    }
    THTensor_(free)(apart);
    THTensor_(free)(repeated);
    THTensor_(free)(src);
    THTensor_(free)(same);
    THTensor_(free)(r);
  }
#if !defined(TH_REAL_IS_FLOAT) && !defined(TH_REAL_IS_DOUBLE)
  /* The divisor would be 0 after the first element, and the second would divide by it. */
  THTensor *line = THTensor_(newWithSize1d)(1), *ones = THTensor_(newWithSize1d)(3);
  THTensor *r = THTensor_(newWithStorage1d)(line->storage, 0, 3, 0);
  line->storage->data[0] = 2;
  THTensor_(fill)(ones, 1);
  THTensor_(cdiv)(r, ones, r);
  CHECK_EQ(line->storage->data[0], 0);
  THTensor_(free)(r);
  THTensor_(free)(ones);
  THTensor_(free)(line);
#endif
}

/* --- by indices and masks ------------------------------------------------------------------- */

/* What happens to an element that is told by an index: it becomes x, takes it in, becomes 7. */
typedef enum { BECOMES, ADDS, FILLS } Action;

static void act(Action action, real *to, real x)
{
  *to = action == BECOMES ? x : action == ADDS ? (real)(*to + x) : (real)7;
}

static void THTest_(sharedByIndex)(void)
{
  static const int64_t list[] = {2, 0, 2};
  for (int l = 0; l < 3; l++)
    for (int dim = 0; dim < 2; dim++)
      for (Action action = BECOMES; action <= FILLS; action++)
        for (int slices = 0; slices < 2; slices++) {
          th_note("%s, dimension %d, action %d, slices %d", th_layout_names[layouts[l]], dim,
                  action, slices);
          const int64_t rows = dim == 0 ? 3 : 5, columns = dim == 1 ? 3 : 5;
          THTensor *r = THTest_(tensor)(layouts[l], 9, TH_SHAPE(5, 5));
          THTensor *src = THTest_(tensor)(TH_TRANSPOSED, 4, TH_SHAPE(rows, columns));
          THLongTensor *index =
              slices ? THLongTensor_newWithSize1d(3) : THLongTensor_newWithSize2d(rows, columns);
          THStorage *want = copy_of(r->storage);
          for (ptrdiff_t i = 0; i < index->storage->size; i++)
            index->storage->data[i] = (slices ? list[i] : i * 7 % 5) + TH_INDEX_BASE;
          for (int64_t i = 0; i < rows; i++)
            for (int64_t j = 0; j < columns; j++) {
              const int64_t told = slices ? list[dim == 0 ? i : j] : (i * columns + j) * 7 % 5;
              const ptrdiff_t at = dim == 0 ? told * 5 + j : i * 5 + told;
              act(action, want->data + (THTest_(at)(r, at) - r->storage->data),
                  *THTest_(at)(src, i * columns + j));
            }
          if (slices && action == BECOMES)
            THTensor_(indexCopy)(r, dim, index, src);
          else if (slices && action == ADDS)
            THTensor_(indexAdd)(r, dim, index, src);
          else if (slices)
            THTensor_(indexFill)(r, dim, index, 7);
          else if (action == BECOMES)
            THTensor_(scatter)(r, dim, index, src);
          else if (action == ADDS)
            THTensor_(scatterAdd)(r, dim, index, src);
          else
            THTensor_(scatterFill)(r, dim, index, 7);
          CHECK_STORAGE(r, want);
          THStorage_(free)(want);
          THLongTensor_free(index);
          THTensor_(free)(src);
          THTensor_(free)(r);
        }
}

static void THTest_(sharedByMask)(void)
{
  for (int l = 0; l < 3; l++)
    for (int fills = 0; fills < 2; fills++) {
      th_note("%s, fills %d", th_layout_names[layouts[l]], fills);
      THTensor *r = THTest_(tensor)(layouts[l], 9, TH_SHAPE(5, 4, 3));
      THTensor *src = THTest_(tensor)(TH_STRIDED, 4, TH_SHAPE(CHANGED));
      THByteTensor *mask = THByteTensor_newWithSize3d(5, 4, 3);
      THStorage *want = copy_of(r->storage);
      ptrdiff_t taken = 0;
      for (ptrdiff_t i = 0; i < CHANGED; i++) {
        mask->storage->data[i] = i * i % 7 < 3;
        if (mask->storage->data[i])
          want->data[THTest_(at)(r, i) - r->storage->data] =
              fills ? (real)7 : *THTest_(at)(src, taken++);
      }
      if (fills)
        THTensor_(maskedFill)(r, mask, 7);
      else
        THTensor_(maskedCopy)(r, mask, src);
      CHECK_STORAGE(r, want);
      THStorage_(free)(want);
      THByteTensor_free(mask);
      THTensor_(free)(src);
      THTensor_(free)(r);
    }
}

static void THTest_(sharedPut)(void)
{
  for (int l = 0; l < 3; l++)
    for (int adds = 0; adds < 2; adds++) {
      THTensor *r = THTest_(tensor)(layouts[l], 9, TH_SHAPE(4, 5));
      THTensor *src = THTest_(tensor)(TH_CONTIGUOUS, 4, TH_SHAPE(30));
      THLongTensor *index = THLongTensor_newWithSize1d(30);
      THStorage *want = copy_of(r->storage);
      for (ptrdiff_t i = 0; i < 30; i++) {
        index->storage->data[i] = i * 11 % 20 + TH_INDEX_BASE;
        act(adds ? ADDS : BECOMES, want->data + (THTest_(at)(r, i * 11 % 20) - r->storage->data),
            *THTest_(at)(src, i));
      }
      THTensor_(put)(r, index, src, adds);
      CHECK_STORAGE(r, want);
      THStorage_(free)(want);
      THLongTensor_free(index);
      THTensor_(free)(src);
      THTensor_(free)(r);
    }
}

/* Many elements, where a loop would have several threads: nn.CAdd adds so up over images. */
static void THTest_(sharedLarge)(void)
{
  enum { ROWS = 300, COLUMNS = 700 };
  for (int l = 0; l < 2; l++) {
    THTensor *r = THTest_(tensor)(layouts[l], 9, TH_SHAPE(ROWS, COLUMNS));
    THTensor *ones = THTensor_(newWithSize2d)(ROWS, COLUMNS);
    THTensor_(fill)(ones, 1);
    THTensor_(fill)(r, 0);
    THTensor_(cadd)(r, r, 1, ones);
    const real want = (real)(layouts[l] == TH_EXPANDED ? ROWS : COLUMNS);
    for (ptrdiff_t i = 0; i < r->storage->size; i++)
      CHECK_EQ(r->storage->data[i], want);
    THTensor_(free)(ones);
    THTensor_(free)(r);
  }
}

TH_TESTS(THTest_(sharedResults), THTest_(sharedIndices), THTest_(sharedChanges),
         THTest_(sharedOperands), THTest_(sharedByIndex), THTest_(sharedByMask), THTest_(sharedPut),
         THTest_(sharedLarge))

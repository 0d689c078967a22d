/* Layers whose results share memory with their operands: in one storage, in two storages with the
 * same memory, and in a storage that has to grow.  Results still have PyTorch's values; two results
 * that overlap are an error. */
#ifndef LAYERS_OVERLAP_H
#define LAYERS_OVERLAP_H

#include "layers_golden.h"

typedef enum Sharing { TWO_STORAGES, ONE_STORAGE, GROWING, SHARINGS } Sharing;

/* A tensor of like's shape around memory, of a storage that does not own it. */
static THTensor *overlap_view(real *memory, const THTensor *like)
{
  THStorage *storage = THStorage_(newWithData)(memory, THTest_(count)(like));
  THStorage_(clearFlag)(storage, TH_STORAGE_RESIZABLE | TH_STORAGE_FREEMEM);
  THTensor *t = THTensor_(new)();
  THTensor_(setStorageNd)(t, storage, 0, like->nDimension, like->size, NULL);
  THStorage_(free)(storage);
  return t;
}

static THIndexTensor *overlap_index(int64_t *memory, THIndexTensor *like)
{
  const ptrdiff_t count = THIndexTensor_(nElement)(like);
  THLongStorage *storage = THLongStorage_newWithData(memory, count);
  THLongStorage_clearFlag(storage, TH_STORAGE_RESIZABLE | TH_STORAGE_FREEMEM);
  THIndexTensor *t = THIndexTensor_(new)();
  THIndexTensor_(setStorageNd)(t, storage, 0, like->nDimension, like->size, NULL);
  THLongStorage_free(storage);
  return t;
}

/* An allocator that fills freed blocks with NaN, so that reads of freed memory are noticed. */
static void *overlap_allocate(void *context, ptrdiff_t size)
{
  char *block = malloc((size_t)size + 64);
  memcpy(block, &size, sizeof size);
  return block + 64;
}

static void overlap_free(void *context, void *data)
{
  if (!data)
    return;
  char *const block = (char *)data - 64;
  ptrdiff_t size;
  memcpy(&size, block, sizeof size);
  memset(data, 0xff, (size_t)size);
  free(block);
}

static THAllocator overlap_allocator = {overlap_allocate, NULL, overlap_free};

static void overlap_copy(THTensor *to, THTensor *from)
{
  for (ptrdiff_t i = 0; i < THTest_(count)(from); i++)
    *THTest_(at)(to, i) = *THTest_(at)(from, i);
}

/* Makes the result a view of the operand's memory, shift elements after its first. */
static void overlap_place(THTensor **result, THTensor **operand, real *memory, ptrdiff_t shift,
                          Sharing sharing)
{
  THTensor *r, *o = overlap_view(memory + 8, *operand);
  if (sharing == TWO_STORAGES) {
    r = overlap_view(memory + 8 + shift, *result);
  } else if (sharing == ONE_STORAGE) {
    const int64_t size[] = {8 + shift + THTest_(count)(*operand) + THTest_(count)(*result)};
    THTensor *shape = THTensor_(new)();
    THTensor_(resizeNd)(shape, 1, (int64_t *)size, NULL);
    THTensor *whole = overlap_view(memory, shape);
    r = THTensor_(new)();
    THTensor_(setStorageNd)(r, whole->storage, 8 + shift, (*result)->nDimension, (*result)->size,
                            NULL);
    THTensor_(setStorageNd)(o, whole->storage, 8, (*operand)->nDimension, (*operand)->size, NULL);
    THTensor_(free)(whole);
    THTensor_(free)(shape);
  } else { /* one element, in the operand's storage, which has no spare room */
    THTensor_(free)(o);
    const ptrdiff_t count = THTest_(count)(*operand);
    THStorage *full = THStorage_(newWithAllocator)(count, &overlap_allocator, NULL);
    o = THTensor_(new)();
    THTensor_(setStorageNd)(o, full, 0, (*operand)->nDimension, (*operand)->size, NULL);
    THStorage_(free)(full);
    overlap_copy(o, *operand);
    r = THTensor_(newWithStorage1d)(o->storage, shift ? count - 1 : 0, 1, 1);
  }
  if (sharing != GROWING) {
    overlap_copy(r, *result);
    overlap_copy(o, *operand);
  }
  THTensor_(free)(*result);
  THTensor_(free)(*operand);
  *result = r;
  *operand = o;
}

static int overlap_touch(const THTensor *a, const THTensor *b)
{
  const real *const x = THTest_(at)(a, 0), *const y = THTest_(at)(b, 0);
  return x < y + THTest_(count)(b) && y < x + THTest_(count)(a); /* both are contiguous */
}

/* The operands before the call of that role.  Returns 0 where there is no such case. */
static int overlap_open(Operands *o, const Layer *layer, int number, Role role)
{
  if (!layer_open(o, layer, number, TH_CONTIGUOUS, TH_CONTIGUOUS))
    return 0;
  o->scale = 1;
  if (role != RESULT)
    layer->forward(o);
  if (role == SUM)
    layer->backward(o);
  return 1;
}

/* Runs the call and checks its results; a clash must be an error. */
static void overlap_run(const Layer *layer, int number, void (*call)(Operands *), Operands *o,
                        Role role, int clash)
{
  real *before[SLOTS] = {NULL};
  for (int i = 0; i < SLOTS; i++)
    if (slots[i].role == role && *slot_tensor(o, i) && layer_entry(layer, number, slots[i].name))
      before[i] = THTest_(values)(*slot_tensor(o, i));
  if (clash)
    CHECK_RAISES(0, "share", call(o));
  else
    call(o);
  for (int i = 0; i < SLOTS; i++) {
    if (before[i] && !clash)
      layer_compare(layer, number, slots[i].name, *slot_tensor(o, i),
                    role == SUM ? before[i] : NULL);
    free(before[i]);
  }
}

/* Result r of the call over every operand. */
static void overlap_result(const Layer *layer, int number, void (*call)(Operands *), Role role,
                           int r)
{
  static _Alignas(64) real memory[1 << 16];
  Operands o;
  for (int g = 0; g < SLOTS; g++)
    for (int sharing = 0; sharing < SHARINGS; sharing++)
      for (ptrdiff_t shift = -1; shift < 2; shift++) {
        overlap_open(&o, layer, number, role);
        THTensor **result = slot_tensor(&o, r), **operand = slot_tensor(&o, g);
        const int apart = g == r || slots[g].role == BUFFER || !*operand || !*result ||
                          THTest_(count)(*operand) == 0 || THTest_(count)(*result) == 0 ||
                          THTest_(count)(*operand) + THTest_(count)(*result) > (1 << 16) - 16 ||
                          (sharing == GROWING && (role == SUM || shift < 0)) ||
                          (slots[g].role == role && sharing == GROWING);
        if (!apart) {
          th_note("%s/%d, %s over %s, sharing %d, shift %td", layer->name, number, slots[r].name,
                  slots[g].name, sharing, shift);
          overlap_place(result, operand, memory, shift, (Sharing)sharing);
          const int clash = slots[g].role == role &&
                            layer_entry(layer, number, slots[g].name) != NULL &&
                            overlap_touch(*result, *operand);
          overlap_run(layer, number, call, &o, role, clash);
        }
        layer_close(&o);
      }
}

/* Result r over the indices, or the indices, a result, over operand g. */
static void overlap_indices(const Layer *layer, int number, void (*call)(Operands *), Role role,
                            int slot)
{
  static _Alignas(64) real memory[1 << 16];
  Operands o;
  const int gives = layer->givesIndex && role == RESULT;
  overlap_open(&o, layer, number, role);
  THTensor **t = slot_tensor(&o, slot);
  THIndexTensor *const old = o.index, *const like = gives ? layer_index(layer, number) : old;
  if (*t && like && slots[slot].role == (gives ? GIVEN : role) && THTest_(count)(*t) > 0 &&
      THIndexTensor_(nElement)(like) > 0 &&
      2 * THIndexTensor_(nElement)(like) + THTest_(count)(*t) < 1 << 15) {
    th_note("%s/%d, %s and indices", layer->name, number, slots[slot].name);
    THTensor *view = overlap_view(memory, *t);
    o.index = overlap_index((int64_t *)(void *)memory, like);
    overlap_copy(view, *t);
    for (ptrdiff_t i = 0; i < THIndexTensor_(nElement)(like) && !gives; i++)
      o.index->storage->data[i] = like->storage->data[like->storageOffset + i];
    THTensor_(free)(*t);
    *t = view;
    overlap_run(layer, number, call, &o, role, 0);
    for (ptrdiff_t i = 0; i < THIndexTensor_(nElement)(like) && gives; i++)
      CHECK_EQ(o.index->storage->data[i], like->storage->data[i]);
    THIndexTensor_(free)(old);
  }
  if (gives)
    THIndexTensor_(free)(like);
  layer_close(&o);
}

static void layer_overlap(const Layer *layer)
{
  enum { CASES = 3 };
  void (*const calls[])(Operands *) = {layer->forward, layer->backward, layer->accumulate};
  static const Role roles[] = {RESULT, GRADIENT, SUM};
  Operands o;
  for (int number = 0; number < CASES && overlap_open(&o, layer, number, RESULT); number++) {
    layer_close(&o);
    for (int k = 0; k < 3; k++)
      for (int slot = 0; slot < SLOTS && calls[k]; slot++) {
        if (slots[slot].role == roles[k] && layer_entry(layer, number, slots[slot].name))
          overlap_result(layer, number, calls[k], roles[k], slot);
        overlap_indices(layer, number, calls[k], roles[k], slot);
      }
  }
}

#endif

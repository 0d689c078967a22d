/* Families: a tensor that an operation made, and the views of it that gradients go through.
 *
 * What changes one member in place changes the memory of all, and so all get new nodes: the base that of
 * a copy in which the member's elements are others, and views those of views of the new base.
 *
 * A tensor without gradient and its views are a ring, by the same links: the first recorded change in place of
 * one of them makes a family of it. */
#include <pthread.h>
#include <string.h>

#include "Formulas.h"
#include "TH/core/THReference.h"

struct at_family {
  const at_type *type;
  THFloatTensor *th; /* the base's, a reference */
  bool isScalar;
  at_node *node; /* what the base is now: that result of the node; NULL before a ring has changed */
  int output;
  at_tensor *first; /* of the members, of which the base need not be one any more */
  bool isBroken;    /* a change has failed half-way */
};

static pthread_mutex_t members = PTHREAD_MUTEX_INITIALIZER; /* tensors may end in any thread */

/* --- members ---------------------------------------------------------------------------------- */

/* Releases look at next and family without the lock. */
static void set_next(at_tensor *t, at_tensor *next)
{
  __atomic_store_n(&t->next, next, __ATOMIC_RELAXED);
}

static void add(at_family *family, at_tensor *t)
{
  __atomic_store_n(&t->family, family, __ATOMIC_RELAXED);
  t->before = NULL;
  set_next(t, family->first);
  if (t->next)
    t->next->before = t;
  family->first = t;
}

static void add_locked(at_family *family, at_tensor *t)
{
  pthread_mutex_lock(&members);
  add(family, t);
  pthread_mutex_unlock(&members);
}

static void free_family(at_family *family)
{
  family->type->memory->free(family->th);
  at_node_release(family->node);
  THFree(family);
}

void at_family_leave(at_tensor *t)
{
  pthread_mutex_lock(&members);
  at_family *const family = t->family;
  if (t->next)
    t->next->before = t->before;
  if (t->before)
    set_next(t->before, t->next);
  else if (family)
    family->first = t->next;
  const bool isLast = family && !family->first;
  t->family = NULL;
  t->before = NULL;
  set_next(t, NULL);
  pthread_mutex_unlock(&members);
  if (isLast)
    free_family(family);
}

at_tensor *at_family_see(at_tensor *base, at_tensor *view)
{
  if (base->node || !at_isRecording() || at_category(view->type->scalarType) < 2 ||
      view->type != base->type || view->th->storage != base->th->storage || !view->th->storage)
    return view;
  pthread_mutex_lock(&members);
  if (base->family) {
    add(base->family, view);
  } else {
    if (!base->next)
      set_next(base->before = base, base);
    set_next(view, base->next);
    view->before = base;
    base->next->before = view;
    set_next(base, view);
  }
  pthread_mutex_unlock(&members);
  return view;
}

/* The dimensions in the order of memory, outermost first. */
static void order_of(const THFloatTensor *th, int64_t *order)
{
  for (int d = 0; d < th->nDimension; d++) {
    int at = d;
    for (; at > 0 && th->stride[order[at - 1]] < th->stride[d]; at--)
      order[at] = order[at - 1];
    order[at] = d;
  }
}

/* Whether t's elements fill their memory, and none shares it with another. */
static bool is_dense(const at_tensor *t)
{
  int64_t order[AT_MOST_DIMS], step = 1;
  order_of(t->th, order);
  for (int d = t->th->nDimension - 1; d >= 0; d--) {
    const int64_t size = t->th->size[order[d]];
    if (size == 0 || (size > 1 && t->th->stride[order[d]] != step))
      return false;
    step *= size;
  }
  return true;
}

void at_family_join(at_tensor *base, at_tensor *view)
{
  if (view->type != base->type || view->th->storage != base->th->storage)
    return;
  if (!base->family) {
    if (base->node->isLeaf || base->node->isView || !is_dense(base))
      return;
    at_family *const family = THAlloc(sizeof *family);
    *family = (at_family){.type = base->type,
                          .th = base->th,
                          .isScalar = base->isScalar,
                          .node = at_node_retain(base->node),
                          .output = base->output};
    THReference_add(&family->th->refcount);
    if (base->next) /* base was in a ring before it had a gradient */
      at_family_leave(base);
    add_locked(family, base);
  }
  add_locked(base->family, view);
}

/* The offsets in the storage of t's first element and behind its last one. */
static void span_of(const at_tensor *t, ptrdiff_t *begin, ptrdiff_t *end)
{
  const THFloatTensor *const th = t->th;
  *begin = *end = th->storageOffset;
  if (at_numel(t) == 0)
    return;
  for (int d = 0; d < th->nDimension; d++)
    *end += (th->size[d] - 1) * th->stride[d];
  ++*end;
}

/* Moves the ring's members that share self's memory to the family, whose base is the dense one that has all
 * their memory, or else the whole storage.  False if one of them is a leaf, of which nothing is moved. */
static bool move_ring(at_family *family, at_tensor *self)
{
  ptrdiff_t first = PTRDIFF_MAX, last = 0, begin, end;
  at_tensor *t = self;
  do {
    if (t->th->storage == self->th->storage && t->node)
      return false;
    t = t->next;
  } while (t != self);
  const at_tensor *base = NULL;
  do {
    at_tensor *const next = t->next;
    set_next(t->before = t, t); /* what has other memory by now stays alone */
    if (t->type == self->type && t->th->storage == self->th->storage) {
      add(family, t);
      span_of(t, &begin, &end);
      first = begin < end ? THMin(first, begin) : first;
      last = THMax(last, end);
      if (is_dense(t) && (!base || at_numel(t) > at_numel(base)))
        base = t;
    }
    t = next;
  } while (t != self);
  if (base)
    span_of(base, &begin, &end);
  if (!base || begin > first || end < last)
    return true;
  family->type->memory->free(family->th);
  family->th = base->th;
  family->isScalar = base->isScalar;
  THReference_add(&family->th->refcount);
  return true;
}

void at_family_found(at_tensor *self)
{
  at_family *const family = self->family;
  if (self->node || (family ? family->node != NULL : !self->next))
    return;
  if (family) { /* of a change that has failed */
    bool hasLeaf = false;
    pthread_mutex_lock(&members);
    for (const at_tensor *t = family->first; t; t = t->next)
      hasLeaf |= t->node != NULL;
    pthread_mutex_unlock(&members);
    if (hasLeaf)
      at_raise(AT_ERROR_ARGUMENT, "self shares its memory with a leaf that wants a gradient");
    return;
  }
  const int64_t count = self->th->storage->size / at_partsOf(self->type), step = 1;
  THGuard guards[2];
  at_guard(&guards[0]);
  const at_tensor *const whole = guards[0].what = at_newView(self, 0, (at_ints){&count, 1}, &step);
  THGuard_enter(&guards[1], (THUndo)THFree);
  at_family *const made = guards[1].what = THAlloc(sizeof *made);
  *made = (at_family){.type = self->type, .th = whole->th};
  THReference_add(&made->th->refcount);
  pthread_mutex_lock(&members);
  const bool isFounded = move_ring(made, self);
  pthread_mutex_unlock(&members);
  if (!isFounded)
    made->type->memory->free(made->th);
  else
    THGuard_keep(&guards[1]);
  if (!isFounded)
    THGuard_leave(&guards[1]);
  THGuard_leave(&guards[0]);
}

void at_family_check(const at_tensor *t)
{
  if (t->family && t->family->isBroken)
    at_raise(AT_ERROR_RUNTIME, "a tensor shares its memory with one whose change in place failed");
}

/* --- gradients -------------------------------------------------------------------------------- */

/* Where a member is in the memory of its base. */
typedef struct Region {
  const at_tensor *of; /* the member, until forward has been called */
  int baseDims, dims;
  int64_t numel, offset;
  int64_t base[AT_MOST_DIMS],
      order[AT_MOST_DIMS]; /* the base's sizes, and the order of its memory */
  int64_t sizes[AT_MOST_DIMS], strides[AT_MOST_DIMS];
} Region;

static Region *new_region(const at_family *family, const at_tensor *t)
{
  const THFloatTensor *const base = family->th;
  Region *const region = THAlloc(sizeof *region);
  *region = (Region){.of = t,
                     .baseDims = family->isScalar ? 0 : base->nDimension,
                     .dims = t->isScalar ? 0 : t->th->nDimension,
                     .numel = 1,
                     .offset = t->th->storageOffset - base->storageOffset};
  order_of(base, region->order);
  for (int d = 0; d < base->nDimension; d++) {
    region->base[d] = base->size[d];
    region->numel *= base->size[d];
  }
  memcpy(region->sizes, t->th->size, (size_t)region->dims * sizeof *region->sizes);
  memcpy(region->strides, t->th->stride, (size_t)region->dims * sizeof *region->strides);
  return region;
}

/* The elements of a tensor of the base's sizes in the order of memory, and back. */
static at_tensor *in_memory(const Region *region, at_tensor *t)
{
  return at_reshape(at_permute(t, ((at_ints){region->order, region->baseDims})), AT_INTS(-1));
}

static at_tensor *from_memory(const Region *region, at_tensor *flat)
{
  int64_t sizes[AT_MOST_DIMS], inverse[AT_MOST_DIMS];
  for (int d = 0; d < region->baseDims; d++) {
    sizes[d] = region->base[region->order[d]];
    inverse[region->order[d]] = d;
  }
  return at_permute(at_reshape(flat, ((at_ints){sizes, region->baseDims})),
                    ((at_ints){inverse, region->baseDims}));
}

/* The positions in memory of the member's elements. */
static at_tensor *positions(const Region *region, at_tensor *like)
{
  at_tensor *const all =
      at_arange(region->numel, .type = at_toScalarType(at_typeOf(like), AT_LONG));
  const at_ints sizes = {region->sizes, region->dims}, strides = {region->strides, region->dims};
  return at_reshape(at_as_strided(all, sizes, strides, .storage_offset = region->offset),
                    AT_INTS(-1));
}

/* The memory is as it has to be. */
static at_tensor *same(const at_tensor *t)
{
  THReference_add(&t->th->refcount);
  return at_wrap(t->type, t->th, t->isScalar);
}

static at_tensor *forward_slices(void *context, at_tensors inputs)
{
  (void)context;
  return same(inputs.data[0]);
}

static at_tensor *forward_view(void *context, at_tensors inputs)
{
  (void)inputs;
  return same(((const Region *)context)->of);
}

/* The gradients of the base before the change, and of the member that changed. */
static bool backward_slices(void *context, at_tensor *grad, int count, at_tensor **gradients)
{
  (void)count;
  const Region *const region = context;
  at_tensor *const flat = in_memory(region, grad), *const at = positions(region, grad);
  gradients[0] = at_keep(from_memory(region, at_index_fill(flat, 0, at, 0)));
  gradients[1] =
      at_keep(at_reshape(at_index_select(flat, 0, at), ((at_ints){region->sizes, region->dims})));
  return at_defined(gradients[0]) && at_defined(gradients[1]);
}

/* The gradient of the base, of which the member is a view. */
static bool backward_view(void *context, at_tensor *grad, int count, at_tensor **gradients)
{
  (void)count;
  const Region *const region = context;
  at_tensor *const none = at_zeros(AT_INTS(region->numel), .type = at_typeOf(grad));
  at_tensor *const flat =
      at_index_add(none, 0, positions(region, grad), at_reshape(grad, AT_INTS(-1)));
  gradients[0] = at_keep(from_memory(region, flat));
  return at_defined(gradients[0]);
}

static const at_grad_function slices = {"torch::autograd::CopySlices", forward_slices,
                                        backward_slices, THFree},
                              view = {"AsStridedBackward0", forward_view, backward_view, THFree};

/* --- changes ---------------------------------------------------------------------------------- */

static bool is_whole(const at_family *family, const at_tensor *t)
{
  const THFloatTensor *const a = family->th, *const b = t->th;
  const size_t bytes = (size_t)a->nDimension * sizeof *a->size;
  return t->isScalar == family->isScalar && a->storageOffset == b->storageOffset &&
         a->nDimension == b->nDimension && memcmp(a->size, b->size, bytes) == 0 &&
         memcmp(a->stride, b->stride, bytes) == 0;
}

static void set_base(at_family *family, at_node *node, int output)
{
  at_node *const before = family->node;
  family->node = at_node_retain(node);
  family->output = output;
  at_node_release(before);
}

/* The base as it is now, in the scope. */
static at_tensor *base_of(const at_family *family)
{
  THReference_add(&family->th->refcount);
  at_tensor *const t = at_wrap(family->type, family->th, family->isScalar);
  at_own(&t->owned);
  t->node = at_node_retain(family->node);
  t->output = family->output;
  return t;
}

static at_tensor *defined(at_tensor *t)
{
  if (!at_defined(t))
    at_raise(at_error(), "a change in place could not be recorded for all tensors of the memory");
  at_own(&t->owned);
  return t;
}

/* A reference to t, unless it is just being released. */
static bool retains(at_tensor *t)
{
  int count = __atomic_load_n(&t->refcount, __ATOMIC_RELAXED);
  while (count > 0)
    if (__atomic_compare_exchange_n(&t->refcount, &count, count + 1, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_RELAXED))
      return true;
  return false;
}

/* The members, in the scope. */
static const at_tensors *members_of(const at_family *family)
{
  int count = 0;
  pthread_mutex_lock(&members);
  for (const at_tensor *t = family->first; t; t = t->next)
    count++;
  pthread_mutex_unlock(&members);
  const at_tensors *const list = at_listOf(count);
  if (list->count != count)
    at_raise(at_error(), "no memory for the tensors that share it");
  int i = 0;
  pthread_mutex_lock(&members); /* meanwhile there may be fewer */
  for (at_tensor *t = family->first; t && i < count; t = t->next)
    if (retains(t))
      ((at_tensor **)list->data)[i++] = t;
  pthread_mutex_unlock(&members);
  return list;
}

void at_family_changed(at_tensor *changed)
{
  at_family *const family = changed->family;
  family->isBroken = true;
  AT_SCOPE
  {
    const at_tensors *const all = members_of(family);
    if (is_whole(family, changed)) {
      set_base(family, changed->node, changed->output);
    } else {
      const at_tensors operands = AT_TENSORS(base_of(family), changed);
      const at_tensor *const made =
          defined((at_apply)(&slices, new_region(family, changed), operands));
      set_base(family, made->node, made->output);
    }
    for (int i = 0; i < all->count; i++) {
      at_tensor *const t = all->data[i];
      if (!t || (t->node == family->node && t->output == family->output))
        continue;
      const bool isWhole = is_whole(family, t);
      at_tensor *const base = base_of(family);
      const at_tensor *const made =
          isWhole ? base : defined((at_apply)(&view, new_region(family, t), AT_TENSORS(base)));
      at_tape_setNode(t, made->node, made->output);
    }
  }
  family->isBroken = false;
}

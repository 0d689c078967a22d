/* Tensors that formulas read: the tensors themselves, or what a program keeps instead. */
#include <string.h>

#include "Node.h"
#include "TH/core/THReference.h"

struct at_saving {
  int refcount; /* atomic: the thread's that has pushed it, and one of each tensor that is packed */
  at_saved_hooks hooks;
  void *context;
  at_saving *outer;
};

typedef struct at_packed {
  int refcount; /* of one thread: the node's, and that of a call of unpack, which may free the node's */
  at_saving *saving;
  void *object;
  int dims;
  int64_t sizes[];
} at_packed;

/* --- hooks ------------------------------------------------------------------------------------ */

static void release_saving(at_saving *saving)
{
  if (!THReference_drop(&saving->refcount))
    return;
  if (saving->hooks.release)
    saving->hooks.release(saving->context);
  THFree(saving);
}

bool at_saved_hooks_push(const at_saved_hooks *hooks, void *context)
{
  const char *const name = "saved_hooks_push";
  if (!at_acceptPointer(name, "hooks", hooks) ||
      !at_acceptPointer(name, "hooks->pack", (const void *)hooks->pack) ||
      !at_acceptPointer(name, "hooks->unpack", (const void *)hooks->unpack))
    return false;
  at_call call;
  at_begin(&call, name);
  TH_TRY(call.attempt)
  {
    at_saving *const saving = THAlloc(sizeof *saving);
    *saving = (at_saving){1, *hooks, context, at_gradState.saving};
    at_gradState.saving = saving;
  }
  return !at_failed(&call);
}

bool at_saved_hooks_pop(void)
{
  at_saving *const saving = at_gradState.saving;
  if (!saving) {
    at_fail(AT_ERROR_ARGUMENT, "saved_hooks_pop", "saved_hooks_pop: there are no hooks");
    return false;
  }
  at_gradState.saving = saving->outer;
  release_saving(saving);
  return true;
}

/* --- saving ----------------------------------------------------------------------------------- */

static void free_packed(void *what)
{
  at_packed *const packed = what;
  if (--packed->refcount > 0)
    return;
  if (packed->object && packed->saving->hooks.drop)
    packed->saving->hooks.drop(packed->saving->context, packed->object);
  release_saving(packed->saving);
  THFree(packed);
}

void at_saved_free(at_saved *saved)
{
  if (saved->packed)
    free_packed(saved->packed);
  else if (saved->type)
    saved->type->memory->free(saved->th);
}

/* What the hooks make of a tensor, which does not want a gradient. */
static at_packed *pack(at_saving *saving, at_tensor *t)
{
  const at_ints sizes = at_sizesOf(t);
  const ptrdiff_t bytes = (ptrdiff_t)sizes.count * (ptrdiff_t)sizeof *sizes.data;
  THGuard guard;
  THGuard_enter(&guard, free_packed);
  at_packed *const packed = THAlloc((ptrdiff_t)sizeof *packed + bytes);
  *packed = (at_packed){1, saving, NULL, sizes.count};
  if (bytes > 0)
    memcpy(packed->sizes, sizes.data, (size_t)bytes);
  THReference_add(&saving->refcount);
  guard.what = packed;
  const bool wasOff = at_gradState.isOff;
  at_gradState.isOff = true;
  packed->object = saving->hooks.pack(saving->context, t);
  at_gradState.isOff = wasOff;
  if (!packed->object)
    at_raise(at_error() == AT_OK ? AT_ERROR_RUNTIME : at_error(), "pack returned nothing");
  return THGuard_keep(&guard);
}

static void release_tensor(void *t)
{
  at_release(t);
}

void at_save_tensor(at_saved *saved, const at_tensor *t, int edge, int result)
{
  at_saved made = {.type = t->type, .isScalar = t->isScalar, .edge = edge, .result = result};
  if (at_isInference(t))
    at_raise(AT_ERROR_RUNTIME,
             "a tensor that was made in inference mode cannot be saved for a gradient; at_clone "
             "makes one that can");
  THReference_add(&t->th->refcount);
  if (at_gradState.saving) {
    THGuard guard;
    THGuard_enter(&guard, release_tensor);
    at_tensor *const plain = guard.what = at_wrap(t->type, t->th, t->isScalar);
    made.packed = pack(at_gradState.saving, plain);
    THGuard_leave(&guard);
  } else {
    made.th = t->th;
    made.storage = t->th->storage;
    made.version = t->th->storage ? *at_version(t->th->storage) : 0;
  }
  *saved = made;
}

/* --- restoring -------------------------------------------------------------------------------- */

/* A reference to the TH tensor that stands for what was packed. */
static THFloatTensor *unpack(const at_saved *saved, const char *name)
{
  at_packed *const packed = saved->packed;
  const at_saving *const saving = packed->saving;
  const bool wasOff = at_gradState.isOff;
  packed->refcount++;
  at_gradState.isOff = true;
  at_tensor *const t = saving->hooks.unpack(saving->context, packed->object);
  at_gradState.isOff = wasOff;
  const at_ints sizes = at_defined(t) ? at_sizesOf(t) : (at_ints){NULL, 0};
  const size_t bytes = (size_t)sizes.count * sizeof *sizes.data;
  const bool fits = at_defined(t) && t->type == saved->type && sizes.count == packed->dims &&
                    (bytes == 0 || memcmp(sizes.data, packed->sizes, bytes) == 0);
  free_packed(packed);
  if (!at_defined(t))
    at_raise(at_error() == AT_OK ? AT_ERROR_RUNTIME : at_error(),
             "unpack returned no tensor for what %s saved", name);
  THFloatTensor *const th = t->th;
  if (fits)
    THReference_add(&th->refcount);
  at_release(t);
  if (!fits)
    at_raise(AT_ERROR_RUNTIME, "unpack returned a tensor of another size or type than %s saved",
             name);
  return th;
}

/* The saved tensor where nothing was packed; raises if its elements have changed since it was saved. */
static THFloatTensor *unchanged(const at_saved *saved, int which, const char *name)
{
  if (saved->th->storage != saved->storage ||
      (saved->storage && *at_version(saved->storage) != saved->version))
    at_raise(AT_ERROR_RUNTIME,
             "%s %d of %s, whose gradient reads it, has been changed in place since then",
             saved->result < 0 ? "a tensor" : "result", saved->result < 0 ? which : saved->result,
             name);
  THReference_add(&saved->th->refcount);
  return saved->th;
}

at_tensor *at_restore(at_node *node, int which)
{
  const at_saved *const saved = &node->saved[which];
  char name[256];
  at_node_name(node, name, sizeof name);
  if (node->isFreed)
    at_raise(AT_ERROR_RUNTIME,
             "what %s saved for its gradient is freed, by an earlier backward pass without "
             "retain_graph",
             name);
  if (!saved->type)
    return NULL;
  at_tensor *const t =
      at_wrap(saved->type, saved->packed ? unpack(saved, name) : unchanged(saved, which, name),
              saved->isScalar);
  t->isSaved = true;
  if (at_category(saved->type->scalarType) < 2) /* neither floating nor complex */
    return t;
  if (saved->result >= 0) {
    t->node = at_node_retain(node);
    t->output = saved->result;
  } else if (saved->edge >= 0 && node->edges[saved->edge].node) {
    t->node = at_node_retain(node->edges[saved->edge].node);
    t->output = node->edges[saved->edge].output;
  }
  return t;
}

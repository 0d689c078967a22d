/* Modules in other types, and copies of modules. */
#include "ATen/autograd/Node.h"
#include "Module.h"

#include <stdlib.h>
#include <string.h>

/* --- to --------------------------------------------------------------------------------------- */

/* The tensors of a module, each once, and what they are to become. */
typedef struct Moves {
  const at_type *type;
  at_dict *found; /* the tensors; its names do not matter */
  at_tensor **become;
} Moves;

static bool note(const at_visit *visit, void *context)
{
  Moves *const moves = context;
  at_tensor *const t = visit->member->tensor;
  for (int64_t i = 0; i < at_dict_count(moves->found); i++)
    if (at_dict_at(moves->found, i) == t)
      return true;
  char name[24];
  snprintf(name, sizeof name, "%lld", (long long)at_dict_count(moves->found));
  return at_dict_set(moves->found, name, t);
}

/* t in that type, a leaf with its gradient if t is one; the undefined tensor after an error. */
static at_tensor *moved(at_tensor *t, const at_type *type)
{
  const bool isFloating = at_isFloating(t->type->scalarType);
  const at_type *const own = isFloating ? type : at_toScalarType(type, t->type->scalarType);
  if (own == t->type)
    return t;
  at_tensor *made = at_undefined();
  AT_NO_GRAD
  {
    made = at_to(t, own);
    if (at_defined(made) && t->node) {
      at_tensor *const grad = at_grad(t);
      if (!at_defined(at_requires_grad_(made)) || (grad && !at_set_grad(made, at_to(grad, own))))
        made = at_undefined();
    }
  }
  return made;
}

/* Exchanges what two tensors are. */
static void exchange(at_tensor *a, at_tensor *b)
{
  const at_tensor was = *a;
  a->isScalar = b->isScalar, a->type = b->type, a->th = b->th;
  a->node = b->node, a->output = b->output;
  b->isScalar = was.isScalar, b->type = was.type, b->th = was.th;
  b->node = was.node, b->output = was.output;
}

/* Makes all first, so that nothing can fail once something has changed. */
static bool move_all(Moves *moves)
{
  const int64_t count = at_dict_count(moves->found);
  moves->become = at_moduleAlloc("module_to", (size_t)count, sizeof(at_tensor *));
  bool good = moves->become != NULL;
  AT_SCOPE
  {
    for (int64_t i = 0; i < count && good; i++) {
      moves->become[i] = moved(at_dict_at(moves->found, i), moves->type);
      good = at_defined(moves->become[i]);
    }
    for (int64_t i = 0; i < count && good; i++)
      exchange(at_dict_at(moves->found, i), moves->become[i]);
  }
  free(moves->become);
  return good;
}

bool at_module_to(at_module *self, const at_type *type)
{
  if (!at_acceptModule("module_to", self) || !at_acceptType("module_to", "type", type, false))
    return false;
  if (!at_isFloating(type->scalarType)) {
    at_fail(AT_ERROR_TYPE, "module_to",
            "module_to: type is %s, and parameters are of floating types", type->name);
    return false;
  }
  Moves moves = {type, at_dict_new(), NULL};
  const bool good = moves.found && at_module_walk(self, note, &moves) && move_all(&moves);
  at_dict_free(moves.found);
  return good;
}

/* --- copies ----------------------------------------------------------------------------------- */

/* Tensors that have been copied, and their copies. */
typedef struct Copies {
  at_tensor **from, **to;
  int64_t count, capacity;
} Copies;

static at_tensor *new_copy(at_tensor *t)
{
  at_tensor *copy = at_undefined();
  AT_NO_GRAD
  {
    copy = at_clone(t);
  }
  return t->node ? at_requires_grad_(copy) : copy;
}

/* The copy of t, which the scope owns. */
static at_tensor *copied(Copies *copies, at_tensor *t)
{
  for (int64_t i = 0; i < copies->count; i++)
    if (copies->from[i] == t)
      return copies->to[i];
  at_tensor *const copy = new_copy(t);
  if (copies->count < copies->capacity) {
    copies->from[copies->count] = t;
    copies->to[copies->count++] = copy;
  }
  return copy;
}

static bool copy_tensors(Copies *copies, at_module *made, at_members *to, const at_members *from)
{
  for (int64_t i = 0; i < from->count; i++) {
    at_tensor *const t = from->data[i].tensor, *const copy = t ? copied(copies, t) : NULL;
    if (at_addTensor("module_clone", made, to, from->data[i].name, copy) == at_undefined())
      return false;
    const at_derivation *const derivation = from->data[i].derivation;
    if (derivation && !(to->data[i].derivation = at_copyDerivation(derivation)))
      return false;
  }
  return true;
}

/* Copies the struct; what in it points into it, points into the copy. */
static void copy_own(at_module *made, const at_module *self)
{
  const at_module_kind *const kind = self->kind;
  memcpy(made->own, self->own, kind->size);
  const ptrdiff_t distance = made->own - self->own;
  for (int i = 0; i < kind->fieldCount; i++) {
    void *const field = made->own + kind->fields[i].offset;
    if (kind->fields[i].kind == AT_FIELD_INTS && ((at_ints *)field)->data)
      ((at_ints *)field)->data =
          (const int64_t *)((uintptr_t)((at_ints *)field)->data + (uintptr_t)distance);
    else if (kind->fields[i].kind == AT_FIELD_STRING)
      *(const char **)field =
          (const char *)((uintptr_t)(*(const char **)field) + (uintptr_t)distance);
  }
}

/* What stands in the copy for a module or tensor of self or of what is below; NULL if p is none. */
static void *counterpart(const at_module *made, const at_module *self, const void *p)
{
  void *found = p == self ? (void *)(uintptr_t)made : NULL;
  for (int64_t i = 0; i < self->parameters.count && !found; i++)
    found = p == self->parameters.data[i].tensor ? made->parameters.data[i].tensor : NULL;
  for (int64_t i = 0; i < self->buffers.count && !found; i++)
    found = p == self->buffers.data[i].tensor ? made->buffers.data[i].tensor : NULL;
  for (int64_t i = 0; i < self->children.count && !found; i++)
    found = counterpart(made->children.data[i].module, self->children.data[i].module, p);
  return found;
}

/* Makes pointers in a struct of one's own to what self has pointers to what the copy has. */
static void redirect(at_module *made, const at_module *self)
{
  void *p;
  for (size_t at = 0; !self->kind->fields && at + sizeof p <= self->kind->size; at += sizeof p) {
    memcpy(&p, made->own + at, sizeof p);
    void *const to = p ? counterpart(made, self, p) : NULL;
    if (to)
      memcpy(made->own + at, &to, sizeof to);
  }
}

static at_module *copy_module(Copies *copies, const at_module *self)
{
  if (self->kind->release) {
    at_fail(AT_ERROR_ARGUMENT, "module_clone",
            "module_clone: the struct of %s owns memory, which nothing says how to copy",
            self->kind->name);
    return NULL;
  }
  at_module *const made = at_module_new(self->kind);
  if (!made)
    return NULL;
  copy_own(made, self);
  made->training = self->training;
  made->sum = self->sum, made->sumContext = self->sumContext;
  bool good = copy_tensors(copies, made, &made->parameters, &self->parameters) &&
              copy_tensors(copies, made, &made->buffers, &self->buffers);
  for (int64_t i = 0; i < self->children.count && good; i++) {
    const at_member *const child = &self->children.data[i];
    good = at_module_add(made, child->name, copy_module(copies, child->module)) != NULL;
  }
  if (good) {
    redirect(made, self);
    return made;
  }
  at_module_free(made);
  return NULL;
}

static bool count_one(const at_visit *visit, void *count)
{
  (void)visit;
  ++*(int64_t *)count;
  return true;
}

at_module *at_module_clone(const at_module *self)
{
  Copies copies = {NULL, NULL, 0, 0};
  if (!at_acceptModule("module_clone", self) || !at_module_walk(self, count_one, &copies.capacity))
    return NULL;
  at_module *made = NULL;
  copies.from = at_moduleAlloc("module_clone", (size_t)copies.capacity, sizeof *copies.from);
  copies.to = at_moduleAlloc("module_clone", (size_t)copies.capacity, sizeof *copies.to);
  if (copies.from && copies.to)
    AT_SCOPE
    {
      made = copy_module(&copies, self);
    }
  free(copies.from);
  free(copies.to);
  return made;
}

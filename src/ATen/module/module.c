/* Modules and their members. */
#include "Module.h"

#include <stdlib.h>
#include <string.h>

bool at_acceptModule(const char *operation, const at_module *self)
{
  return at_acceptPointer(operation, "self", self);
}

void *at_moduleAlloc(const char *operation, size_t count, size_t size)
{
  void *const buffer = calloc(count ? count : 1, size);
  if (!buffer)
    at_fail(AT_ERROR_RUNTIME, operation, "%s: there is no memory for %zu blocks of %zu bytes",
            operation, count, size);
  return buffer;
}

at_module *at_module_new(const at_module_kind *kind)
{
  if (!at_acceptPointer("module_new", "kind", kind) ||
      !at_acceptPointer("module_new", "kind->name", kind->name))
    return NULL;
  at_module *const self = at_moduleAlloc("module_new", 1, sizeof(at_module) + kind->size);
  if (!self)
    return NULL;
  self->refcount = 1;
  self->training = true;
  self->kind = kind;
  return self;
}

at_module *at_module_retain(at_module *self)
{
  if (self)
    __atomic_add_fetch(&self->refcount, 1, __ATOMIC_RELAXED);
  return self;
}

static void free_member(at_member *member)
{
  free(member->name);
  at_release(member->tensor);
  at_module_free(member->module);
  at_freeDerivation(member->derivation);
}

void at_removeMember(at_members *members, at_member *member)
{
  free_member(member);
  members->count--;
  for (at_member *const end = members->data + members->count; member < end; member++)
    *member = member[1];
}

static void free_members(at_members *members)
{
  for (int64_t i = 0; i < members->count; i++)
    free_member(&members->data[i]);
  free(members->data);
  *members = (at_members){NULL, 0, 0};
}

void at_dropMembers(at_module *self)
{
  free_members(&self->parameters);
  free_members(&self->buffers);
  free_members(&self->children);
}

void at_module_free(at_module *self)
{
  if (!self || __atomic_sub_fetch(&self->refcount, 1, __ATOMIC_ACQ_REL) > 0)
    return;
  if (self->kind->release)
    self->kind->release(self->own);
  at_dropMembers(self);
  free(self);
}

void *at_module_own(const at_module *self)
{
  return self ? (void *)self->own : NULL;
}

const at_module_kind *at_module_kindOf(const at_module *self)
{
  return self ? self->kind : NULL;
}

/* --- members ---------------------------------------------------------------------------------- */

at_member *at_namedMember(const at_members *members, const char *name, size_t length)
{
  for (int64_t i = 0; i < members->count; i++)
    if (!strncmp(members->data[i].name, name, length) && !members->data[i].name[length])
      return &members->data[i];
  return NULL;
}

/* Whether the name can be that of a new member. */
static bool accepts_name(const char *operation, const at_module *self, const char *name)
{
  if (!at_acceptModule(operation, self) || !at_acceptPointer(operation, "name", name))
    return false;
  const size_t length = strlen(name);
  if (length == 0 || strchr(name, '.'))
    at_fail(AT_ERROR_ARGUMENT, operation, "%s: name is '%s', which is empty or has a dot",
            operation, name);
  else if (at_namedMember(&self->parameters, name, length) ||
           at_namedMember(&self->buffers, name, length) ||
           at_namedMember(&self->children, name, length))
    at_fail(AT_ERROR_ARGUMENT, operation, "%s: %s has a member '%s' already", operation,
            self->kind->name, name);
  else
    return true;
  return false;
}

/* Adds a member, which takes over the tensor and the module if that succeeds. */
static bool add_member(const char *operation, at_members *members, const char *name, at_tensor *t,
                       at_module *module)
{
  if (members->count == members->capacity) {
    const int64_t capacity = members->capacity ? 2 * members->capacity : 4;
    at_member *const data = at_moduleAlloc(operation, (size_t)capacity, sizeof *data);
    if (!data)
      return false;
    if (members->count)
      memcpy(data, members->data, (size_t)members->count * sizeof *data);
    free(members->data);
    members->data = data;
    members->capacity = capacity;
  }
  char *const copy = at_joinedName("", name);
  if (copy)
    members->data[members->count++] = (at_member){copy, t, module, NULL};
  return copy != NULL;
}

/* Whether inner is self or below it. */
static bool is_within(const at_module *self, const at_module *inner)
{
  bool found = self == inner;
  for (int64_t i = 0; i < self->children.count && !found; i++)
    found = is_within(self->children.data[i].module, inner);
  return found;
}

at_module *at_module_add(at_module *self, const char *name, at_module *child)
{
  const char *const operation = "module_add";
  if (!child)
    return NULL;
  bool good = accepts_name(operation, self, name);
  if (good && is_within(child, self)) {
    at_fail(AT_ERROR_ARGUMENT, operation, "%s: child is %s itself, or above it", operation,
            self->kind->name);
    good = false;
  }
  if (good && add_member(operation, &self->children, name, NULL, child))
    return child;
  at_module_free(child);
  return NULL;
}

at_module *at_module_append(at_module *self, at_module *child)
{
  char name[24];
  snprintf(name, sizeof name, "%lld", (long long)at_module_count(self));
  return at_module_add(self, name, child);
}

at_tensor *at_addTensor(const char *operation, at_module *self, at_members *members,
                        const char *name, at_tensor *t)
{
  if (!at_accept(operation, "t", t, true) || !accepts_name(operation, self, name))
    return at_undefined();
  if (!add_member(operation, members, name, at_retain(t), NULL)) {
    at_release(t);
    return at_undefined();
  }
  return t;
}

at_tensor *at_module_add_parameter(at_module *self, const char *name, at_tensor *t)
{
  const char *const operation = "module_add_parameter";
  if (!at_acceptModule(operation, self))
    return at_undefined();
  if (at_defined(t) && !at_defined(at_requires_grad_(t)))
    return at_undefined();
  if (at_defined(t) && !at_isLeaf(t)) {
    at_fail(AT_ERROR_ARGUMENT, operation,
            "%s: '%s' was computed from tensors that want gradients; at_detach makes it a leaf",
            operation, name ? name : "");
    return at_undefined();
  }
  return at_addTensor(operation, self, &self->parameters, name, t);
}

at_tensor *at_module_add_buffer(at_module *self, const char *name, at_tensor *t)
{
  if (!at_acceptModule("module_add_buffer", self))
    return at_undefined();
  return at_addTensor("module_add_buffer", self, &self->buffers, name, t);
}

/* --- members by their paths ------------------------------------------------------------------- */

int64_t at_module_count(const at_module *self)
{
  return self ? self->children.count : 0;
}

at_module *at_module_childAt(const at_module *self, int64_t index)
{
  return self && index >= 0 && index < self->children.count ? self->children.data[index].module
                                                            : NULL;
}

const char *at_module_childName(const at_module *self, int64_t index)
{
  return at_module_childAt(self, index) ? self->children.data[index].name : NULL;
}

/* The module at that path of length characters. */
static at_module *below(const at_module *self, const char *path, size_t length)
{
  const at_module *found = self;
  while (found && length > 0) {
    const char *const dot = memchr(path, '.', length);
    const size_t part = dot ? (size_t)(dot - path) : length;
    const at_member *const member = at_namedMember(&found->children, path, part);
    found = member ? member->module : NULL;
    path += dot ? part + 1 : part;
    length -= dot ? part + 1 : part;
  }
  return (at_module *)found;
}

at_module *at_module_child(const at_module *self, const char *name)
{
  return self && name && *name ? below(self, name, strlen(name)) : NULL;
}

/* The parameter or buffer at that path; NULL and an error if there is none. */
static at_member *tensor_member(const char *operation, const at_module *self, const char *name)
{
  if (!at_acceptModule(operation, self) || !at_acceptPointer(operation, "name", name))
    return NULL;
  const char *const dot = strrchr(name, '.'), *const last = dot ? dot + 1 : name;
  const at_module *const module = below(self, name, dot ? (size_t)(dot - name) : 0);
  at_member *member = module ? at_namedMember(&module->parameters, last, strlen(last)) : NULL;
  if (module && !member)
    member = at_namedMember(&module->buffers, last, strlen(last));
  if (member && (member->tensor || member->derivation))
    return member;
  at_fail(AT_ERROR_ARGUMENT, operation, "%s: %s has no parameter or buffer '%s'", operation,
          self->kind->name, name);
  return NULL;
}

at_tensor *at_module_get(const at_module *self, const char *name)
{
  const at_member *const member = tensor_member("module_get", self, name);
  if (member && member->derivation) {
    const char *const dot = strrchr(name, '.');
    return at_derivedTensor(below(self, name, dot ? (size_t)(dot - name) : 0), member->derivation);
  }
  return member ? member->tensor : at_undefined();
}

bool at_module_set(at_module *self, const char *name, at_tensor *t)
{
  at_member *const member = tensor_member("module_set", self, name);
  if (!member || !at_accept("module_set", "t", t, false))
    return false;
  if (member->derivation) {
    at_fail(AT_ERROR_ARGUMENT, "module_set", "module_set: '%s' is computed from other tensors",
            name);
    return false;
  }
  at_tensor *const before = member->tensor;
  if (t->type != before->type || !at_sameSizes(at_sizesOf(t), at_sizesOf(before))) {
    at_fail(AT_ERROR_ARGUMENT, "module_set",
            "module_set: t is a %s of size %s, and '%s' a %s of size %s", t->type->name,
            at_sizeDesc(at_sizesOf(t)).str, name, before->type->name,
            at_sizeDesc(at_sizesOf(before)).str);
    return false;
  }
  if (before->node && !at_defined(at_requires_grad_(t)))
    return false;
  member->tensor = at_retain(t);
  at_release(before);
  return true;
}

/* What is done to a module and all below it. */
#include "Module.h"

#include <stdlib.h>
#include <string.h>

char *at_joinedName(const char *prefix, const char *name)
{
  const size_t before = strlen(prefix), length = strlen(name);
  char *const joined = at_moduleAlloc("module", before + length + 1, 1);
  if (joined) {
    memcpy(joined, prefix, before);
    memcpy(joined + before, name, length);
  }
  return joined;
}

/* --- the walk --------------------------------------------------------------------------------- */

typedef struct Walk {
  bool (*function)(const at_visit *visit, void *context);
  void *context;
} Walk;

static bool walk_members(const Walk *walk, at_module *module, const char *prefix, bool isParameter)
{
  at_members *const members = isParameter ? &module->parameters : &module->buffers;
  for (int64_t i = 0; i < members->count; i++) {
    const at_visit visit = {prefix, module, &members->data[i], isParameter};
    if (visit.member->tensor && !walk->function(&visit, walk->context))
      return false;
  }
  return true;
}

static bool walk_module(const Walk *walk, at_module *module, const char *prefix)
{
  bool good = walk_members(walk, module, prefix, true) && walk_members(walk, module, prefix, false);
  for (int64_t i = 0; i < module->children.count && good; i++) {
    const at_member *const child = &module->children.data[i];
    char *const path = at_joinedName(prefix, child->name);
    char *const dotted = path ? at_joinedName(path, ".") : NULL;
    good = dotted && walk_module(walk, child->module, dotted);
    free(path);
    free(dotted);
  }
  return good;
}

bool at_module_walk(const at_module *self, bool (*function)(const at_visit *visit, void *context),
                    void *context)
{
  const Walk walk = {function, context};
  return walk_module(&walk, (at_module *)self, "");
}

void at_module_apply(at_module *self, at_module_visitor visitor, void *context)
{
  if (!at_acceptModule("module_apply", self) ||
      !at_acceptPointer("module_apply", "visitor", (const void *)visitor))
    return;
  for (int64_t i = 0; i < self->children.count; i++)
    at_module_apply(self->children.data[i].module, visitor, context);
  visitor(self, context);
}

/* --- lists of parameters ---------------------------------------------------------------------- */

/* Tensors, each once. */
typedef struct Collection {
  bool isParameter; /* parameters or buffers */
  at_dict *dict;
  int64_t elements;
} Collection;

static bool is_in(const at_dict *dict, const at_tensor *t)
{
  for (int64_t i = 0; i < at_dict_count(dict); i++)
    if (at_dict_at(dict, i) == t)
      return true;
  return false;
}

static bool collect(const at_visit *visit, void *context)
{
  Collection *const collection = context;
  at_tensor *const t = visit->member->tensor;
  if (visit->isParameter != collection->isParameter || is_in(collection->dict, t))
    return true;
  char *const name = at_joinedName(visit->prefix, visit->member->name);
  const bool good = name && at_dict_set(collection->dict, name, t);
  free(name);
  collection->elements += at_numel(t);
  return good;
}

/* The parameters, or the buffers; dict is NULL after an error. */
static Collection collected(const char *operation, const at_module *self, bool isParameter)
{
  Collection collection = {isParameter, NULL, 0};
  if (at_acceptModule(operation, self))
    collection.dict = at_dict_new();
  if (collection.dict && !at_module_walk(self, collect, &collection)) {
    at_dict_free(collection.dict);
    collection.dict = NULL;
  }
  return collection;
}

at_dict *at_module_named_parameters(const at_module *self)
{
  return collected("module_named_parameters", self, true).dict;
}

at_dict *at_module_named_buffers(const at_module *self)
{
  return collected("module_named_buffers", self, false).dict;
}

int64_t at_module_numel(const at_module *self)
{
  const Collection all = collected("module_numel", self, true);
  at_dict_free(all.dict);
  return all.dict ? all.elements : 0;
}

const at_tensors *at_module_parameters(const at_module *self)
{
  at_dict *const dict = at_module_named_parameters(self);
  if (!dict)
    return &at_noTensors;
  at_call call;
  at_begin(&call, "module_parameters");
  const at_tensors *volatile made = NULL;
  TH_TRY(call.attempt)
  {
    at_tensors *const list = at_newList((int)at_dict_count(dict));
    for (int i = 0; i < list->count; i++)
      ((at_tensor **)list->data)[i] = at_retain(at_dict_at(dict, i));
    made = list;
  }
  at_dict_free(dict);
  return at_returnList(&call, made);
}

/* --- modes ------------------------------------------------------------------------------------ */

static void set_mode(at_module *module, void *training)
{
  module->training = *(const bool *)training;
}

void at_module_train(at_module *self)
{
  bool training = true;
  at_module_apply(self, set_mode, &training);
}

void at_module_eval(at_module *self)
{
  bool training = false;
  at_module_apply(self, set_mode, &training);
}

bool at_module_training(const at_module *self)
{
  return self && self->training;
}

static bool clear_gradient(const at_visit *visit, void *unused)
{
  (void)unused;
  return !visit->isParameter || !at_requiresGrad(visit->member->tensor) ||
         at_set_grad(visit->member->tensor, NULL);
}

void at_module_zero_grad(at_module *self)
{
  if (at_acceptModule("module_zero_grad", self))
    (void)at_module_walk(self, clear_gradient, NULL);
}

static bool set_wanted(const at_visit *visit, void *wanted)
{
  at_tensor *const t = visit->member->tensor;
  if (!visit->isParameter)
    return true;
  return at_defined(*(const bool *)wanted ? at_requires_grad_(t) : at_detach_(t));
}

bool at_module_requires_grad_(at_module *self, bool wanted)
{
  return at_acceptModule("module_requires_grad_", self) &&
         at_module_walk(self, set_wanted, &wanted);
}

/* --- calling ---------------------------------------------------------------------------------- */

/* Whether self is called with as many tensors as are given, and these are tensors; an error if not. */
static bool accepts_inputs(const at_module *self, at_tensors inputs)
{
  if (!at_acceptModule("forward", self) || !at_acceptAll("forward", "inputs", inputs, false))
    return false;
  const int wanted = self->kind->call ? self->kind->inputs : self->kind->forward ? 1 : 0;
  if (inputs.count == wanted && wanted > 0)
    return true;
  if (wanted)
    at_fail(AT_ERROR_ARGUMENT, "forward",
            "forward: a %s is called with %d tensors, and not with %d", self->kind->name, wanted,
            inputs.count);
  else
    at_fail(AT_ERROR_ARGUMENT, "forward", "forward: a %s has no forward function of one tensor",
            self->kind->name);
  return false;
}

/* Says that the error was made in self: of a layer as it is shown, of other modules their kind. */
static void name_owner(const at_module *self)
{
  char *const text = self->children.count == 0 ? at_module_toString(self) : NULL;
  at_error_inside(text ? text : self->kind->name);
  at_string_free(text);
}

at_tensor *at_module_call(at_module *self, at_tensors inputs)
{
  if (!accepts_inputs(self, inputs))
    return at_undefined();
  const bool wasGood = at_error() == AT_OK;
  AT_SCOPE_GUARD;
  at_tensor *const result =
      self->kind->call ? self->kind->call(self, inputs) : self->kind->forward(self, inputs.data[0]);
  if (wasGood && at_error() != AT_OK)
    name_owner(self);
  return at_escape(result == inputs.data[0] ? at_alias(result) : result);
}

at_tensor *(at_forward)(at_module *self, at_tensor *input)
{
  return at_module_call(self, (at_tensors){&input, 1});
}

/* Parameters that are computed from other tensors at each use. */
#include "Parametrize.h"

#include <stdlib.h>
#include <string.h>

#include "ATenLayerFields.h"

/* --- derivations ------------------------------------------------------------------------------ */

void at_freeDerivation(at_derivation *derivation)
{
  for (int i = 0; derivation && i < AT_SOURCES; i++)
    free(derivation->from[i]);
  free(derivation);
}

at_derivation *at_copyDerivation(const at_derivation *derivation)
{
  at_derivation *const made = at_moduleAlloc("module", 1, sizeof *made);
  if (!made)
    return NULL;
  *made = *derivation;
  bool good = true;
  for (int i = 0; i < AT_SOURCES; i++) {
    made->from[i] = derivation->from[i] && good ? at_joinedName("", derivation->from[i]) : NULL;
    good = good && (made->from[i] || !derivation->from[i]);
  }
  if (good)
    return made;
  at_freeDerivation(made);
  return NULL;
}

bool at_isSource(const at_module *self, const at_member *parameter)
{
  for (int64_t i = 0; i < self->parameters.count; i++) {
    const at_derivation *const derivation = self->parameters.data[i].derivation;
    for (int k = 0; derivation && k < AT_SOURCES; k++)
      if (derivation->from[k] && !strcmp(derivation->from[k], parameter->name))
        return true;
  }
  return false;
}

static at_tensor *computed(const at_module *self, const at_derivation *derivation, bool training)
{
  at_sources from = {{NULL}};
  for (int i = 0; i < AT_SOURCES; i++) {
    from.of[i] = derivation->from[i] ? at_module_get(self, derivation->from[i]) : NULL;
    if (from.of[i] && !at_defined(from.of[i]))
      return at_undefined();
  }
  return derivation->rule->compute(derivation, &from, training);
}

at_tensor *at_derivedTensor(const at_module *self, const at_derivation *derivation)
{
  return computed(self, derivation, self->training);
}

/* --- members ---------------------------------------------------------------------------------- */

at_member *at_plainParameter(const char *operation, at_module *self, const char *name)
{
  if (!at_acceptModule(operation, self) || !at_acceptPointer(operation, "name", name))
    return NULL;
  at_member *const member = at_namedMember(&self->parameters, name, strlen(name));
  if (member && member->tensor)
    return member;
  at_fail(AT_ERROR_ARGUMENT, operation,
          member && member->derivation ? "%s: '%s' of %s is computed already"
                                       : "%s: there is no parameter '%s' of %s",
          operation, name, self->kind->name);
  return NULL;
}

static const at_module_kind list_kind = {.name = "ParametrizationList"};

/* The kinds of a list's only module, by their names. */
static const at_module_kind rule_kinds[] = {
    {.name = "_WeightNorm"}, {.name = "_SpectralNorm"}, {.name = "_Orthogonal"}};

static const at_module_kind *kind_of(const at_rule *rule)
{
  int i = 0;
  while (strcmp(rule_kinds[i].name, rule->kind) != 0)
    i++;
  return &rule_kinds[i];
}

static bool add_source(const char *operation, const at_rule *rule, int index, at_module *to,
                       const char *name, at_tensor *t)
{
  if (index < rule->parameters)
    return at_defined(at_module_add_parameter(to, name, t));
  return at_defined(at_addTensor(operation, to, &to->buffers, name, t));
}

/* A list with the parameters, and a module with the buffers; NULL after an error. */
static at_module *new_list(const char *operation, const at_rule *rule, const at_sources *from)
{
  at_module *const list = at_module_new(&list_kind);
  at_module *const inner = list ? at_module_append(list, at_module_new(kind_of(rule))) : NULL;
  bool good = inner != NULL;
  for (int i = 0; i < AT_SOURCES && good; i++)
    if (from->of[i])
      good = add_source(operation, rule, i, i < rule->parameters ? list : inner, rule->names[i],
                        from->of[i]);
  if (good)
    return list;
  at_module_free(list);
  return NULL;
}

static bool add_list(const char *operation, at_module *self, const char *name, const at_rule *rule,
                     const at_sources *from)
{
  at_module *const list = new_list(operation, rule, from);
  at_module *const before = at_module_child(self, "parametrizations");
  if (!list || before)
    return list && at_module_add(before, name, list);
  at_module *const dict = at_module_new(&at_kind_ModuleDict);
  if (!dict) {
    at_module_free(list);
    return false;
  }
  if (at_module_add(dict, name, list))
    return at_module_add(self, "parametrizations", dict) != NULL;
  at_module_free(dict);
  return false;
}

static void remove_named(at_members *members, const char *name)
{
  at_member *const member = at_namedMember(members, name, strlen(name));
  if (member)
    at_removeMember(members, member);
}

/* Removes what the parameter of that name is computed from. */
static void remove_sources(at_module *self, const char *name, const at_derivation *derivation)
{
  if (derivation->isOld) {
    for (int i = 0; i < AT_SOURCES; i++)
      if (derivation->from[i])
        remove_named(i < derivation->rule->parameters ? &self->parameters : &self->buffers,
                     derivation->from[i]);
    return;
  }
  at_module *const dict = at_module_child(self, "parametrizations");
  remove_named(&dict->children, name);
  if (at_module_count(dict) == 0)
    remove_named(&self->children, "parametrizations");
}

/* Adds the sources to self itself. */
static bool add_own(const char *operation, at_module *self, const at_derivation *how,
                    const at_sources *from)
{
  for (int i = 0; i < AT_SOURCES; i++) {
    if (!from->of[i] || add_source(operation, how->rule, i, self, how->from[i], from->of[i]))
      continue;
    while (--i >= 0)
      if (from->of[i])
        remove_named(i < how->rule->parameters ? &self->parameters : &self->buffers, how->from[i]);
    return false;
  }
  return true;
}

/* The path of a source; NULL and an error if there is no memory. */
static char *path_of(const at_derivation *how, const char *name, int index)
{
  if (how->isOld)
    return at_joinedName(name, how->rule->oldNames[index]);
  char *const start = at_joinedName("parametrizations.", name);
  char *const middle =
      start ? at_joinedName(start, index < how->rule->parameters ? "." : ".0.") : NULL;
  char *const path = middle ? at_joinedName(middle, how->rule->names[index]) : NULL;
  free(start);
  free(middle);
  return path;
}

bool at_derive(const char *operation, at_module *self, const char *name, const at_derivation *how,
               const at_sources *from)
{
  at_derivation *const made = at_copyDerivation(how);
  bool good = made != NULL;
  for (int i = 0; i < AT_SOURCES && good; i++) {
    good = !from->of[i] || at_defined(from->of[i]);
    if (good && from->of[i])
      good = (made->from[i] = path_of(how, name, i)) != NULL;
  }
  good = good && (how->isOld ? add_own(operation, self, made, from)
                             : add_list(operation, self, name, how->rule, from));
  if (!good) {
    at_freeDerivation(made);
    return false;
  }
  at_member *const member = at_namedMember(&self->parameters, name, strlen(name));
  at_release(member->tensor);
  member->tensor = NULL;
  member->derivation = made;
  return true;
}

/* What a parameter becomes instead of computed, a reference of its own; NULL after an error. */
static at_tensor *settled(const char *operation, const at_module *self, const char *name,
                          const at_derivation *derivation, bool keepsValue)
{
  at_tensor *made = NULL;
  AT_SCOPE
  {
    at_tensor *const first = at_module_get(self, derivation->from[0]);
    const bool isOne = derivation->rule->parameters == 1;
    if (keepsValue)
      AT_NO_GRAD
      {
        /* The parameter itself stays where there is one, for optimizers that have it. */
        made = computed(self, derivation, self->training && !derivation->isOld);
        if (at_defined(made) && isOne)
          made = at_copy_(first, made);
      }
    else if (isOne)
      made = first;
    else
      at_fail(AT_ERROR_ARGUMENT, operation,
              "%s: leave_parametrized is false, and '%s' is computed from several tensors",
              operation, name);
    made = made && at_defined(made) && at_defined(at_requires_grad_(made)) ? at_retain(made) : NULL;
  }
  return made;
}

bool at_underive(const char *operation, at_module *self, const char *name, const at_rule *rule,
                 bool isOld, bool keepsValue)
{
  if (!at_acceptModule(operation, self) || !at_acceptPointer(operation, "name", name))
    return false;
  at_member *member = at_namedMember(&self->parameters, name, strlen(name));
  at_derivation *const derivation = member ? member->derivation : NULL;
  if (!derivation || derivation->isOld != isOld || (rule && derivation->rule != rule)) {
    at_fail(AT_ERROR_ARGUMENT, operation, "%s: '%s' of %s is not computed in this way", operation,
            name, self->kind->name);
    return false;
  }
  at_tensor *const t = settled(operation, self, name, derivation, keepsValue);
  if (!t)
    return false;
  member->tensor = t;
  member->derivation = NULL;
  remove_sources(self, name, derivation); /* moves members */
  at_freeDerivation(derivation);
  return true;
}

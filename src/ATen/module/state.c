/* State dicts: the tensors of a module by their names, and files of them. */
#include "Module.h"

#include <stdlib.h>
#include <string.h>

const at_module_load_options at_module_load_defaults = {.prefix = "", .strict = true};

static bool put(const at_visit *visit, void *dict)
{
  char *const name = at_joinedName(visit->prefix, visit->member->name);
  const bool good = name && at_dict_set(dict, name, visit->member->tensor);
  free(name);
  return good;
}

at_dict *at_module_state_dict(const at_module *self)
{
  at_dict *const dict = at_acceptModule("module_state_dict", self) ? at_dict_new() : NULL;
  if (dict && !at_module_walk(self, put, dict)) {
    at_dict_free(dict);
    return NULL;
  }
  return dict;
}

bool at_module_save(const at_module *self, const char *path)
{
  at_dict *const dict = at_module_state_dict(self);
  const bool saved = dict && (at_save)(path, dict);
  at_dict_free(dict);
  return saved;
}

/* --- what does not fit ------------------------------------------------------------------------ */

/* A list of names in a message, which is cut where it becomes long. */
typedef struct Names {
  char text[400];
  int length, count;
} Names;

static void add_name(Names *names, const char *prefix, const char *name, const char *more)
{
  const int left = (int)sizeof names->text - names->length;
  const int length = snprintf(names->text + names->length, (size_t)left, "%s%s%s%s",
                              names->count ? ", " : "", prefix, name, more);
  names->count++;
  if (length < left)
    names->length += length;
  else
    names->text[names->length] = '\0';
}

/* A load: what it copies from, and what does not fit. */
typedef struct Load {
  const at_dict *given, *own;
  const char *prefix;
  Names missing, unexpected, other;
  at_tensor **from, **to;
  int64_t count;
} Load;

/* Looks for the tensor of self at that index of own. */
static bool match(Load *load, int64_t index)
{
  const char *const name = at_dict_name(load->own, index);
  at_tensor *const to = at_dict_at(load->own, index);
  char *const full = at_joinedName(load->prefix, name);
  if (!full)
    return false;
  if (!at_dict_has(load->given, full)) {
    add_name(&load->missing, "", name, "");
  } else {
    at_tensor *const from = at_dict_get(load->given, full);
    char sizes[160];
    snprintf(sizes, sizeof sizes, " (%s here, %s there)", at_sizeDesc(at_sizesOf(to)).str,
             at_defined(from) ? at_sizeDesc(at_sizesOf(from)).str : "not loaded");
    if (!at_defined(from) || !at_sameSizes(at_sizesOf(to), at_sizesOf(from)))
      add_name(&load->other, "", name, sizes);
    load->from[load->count] = from;
    load->to[load->count++] = to;
  }
  free(full);
  return true;
}

static void find_unexpected(Load *load)
{
  const size_t length = strlen(load->prefix);
  for (int64_t i = 0; i < at_dict_count(load->given); i++) {
    const char *const name = at_dict_name(load->given, i);
    if (!strncmp(name, load->prefix, length) && !at_dict_has(load->own, name + length))
      add_name(&load->unexpected, "", name, "");
  }
}

/* Whether everything fits; an error that says what does not. */
static bool fits(const Load *load, bool strict)
{
  const Names *const lists[] = {&load->missing, &load->unexpected, &load->other};
  static const char *const titles[] = {"missing", "unexpected", "of other sizes"};
  char text[3 * (sizeof lists[0]->text + 60)];
  int length = 0;
  for (int i = strict ? 0 : 2; i < 3; i++) {
    if (lists[i]->count)
      length += snprintf(text + length, sizeof text - (size_t)length, "%s%d %s: %s",
                         length ? "; " : "", lists[i]->count, titles[i], lists[i]->text);
  }
  if (length)
    at_fail(AT_ERROR_ARGUMENT, "module_load", "module_load: %s", text);
  return length == 0;
}

/* Converts what has another type, so that the copies cannot fail. */
static bool convert(Load *load)
{
  for (int64_t i = 0; i < load->count; i++)
    if (load->from[i]->type != load->to[i]->type)
      load->from[i] = at_to(load->from[i], load->to[i]->type);
  for (int64_t i = 0; i < load->count; i++)
    if (!at_defined(load->from[i]))
      return false;
  return true;
}

/* Copies everything, once it is known to fit. */
static bool fill(Load *load)
{
  bool good = true;
  AT_SCOPE
  {
    AT_NO_GRAD
    {
      good = convert(load);
      for (int64_t i = 0; i < load->count && good; i++)
        good = at_defined(at_copy_(load->to[i], load->from[i]));
    }
  }
  return good;
}

static bool load_from(Load *load, bool strict)
{
  const int64_t count = at_dict_count(load->own);
  load->from = at_moduleAlloc("module_load", (size_t)count, sizeof *load->from);
  load->to = at_moduleAlloc("module_load", (size_t)count, sizeof *load->to);
  bool good = load->from && load->to;
  for (int64_t i = 0; i < count && good; i++)
    good = match(load, i);
  if (good)
    find_unexpected(load);
  good = good && fits(load, strict) && fill(load);
  free(load->from);
  free(load->to);
  return good;
}

bool at_module_load_state_dict(at_module *self, const at_dict *dict,
                               const at_module_load_options *options)
{
  if (!options)
    options = &at_module_load_defaults;
  if (!at_acceptModule("module_load_state_dict", self) ||
      !at_acceptPointer("module_load_state_dict", "dict", dict) ||
      !at_acceptPointer("module_load_state_dict", "prefix", options->prefix))
    return false;
  at_dict *const own = at_module_state_dict(self);
  Load load = {.given = dict, .own = own, .prefix = options->prefix};
  const bool good = own && load_from(&load, options->strict);
  at_dict_free(own);
  return good;
}

bool at_module_load(at_module *self, const char *path, const at_module_load_options *options)
{
  if (!at_acceptModule("module_load", self))
    return false;
  at_dict *const dict = (at_load)(path, &(at_load_options){.skip = true});
  const bool good = dict && at_module_load_state_dict(self, dict, options);
  at_dict_free(dict);
  return good;
}

/* What constructors of layers have in common, and their first values. */
#include "Layers.h"

#include <stdlib.h>
#include <string.h>

#include "TH/core/THFormat.h"

void at_misfit(const at_module *self, const char *format, ...)
{
  char text[TH_MESSAGE_LENGTH / 2];
  va_list arguments;
  va_start(arguments, format);
  THFormat_v(text, sizeof text, format, arguments);
  va_end(arguments);
  at_fail(AT_ERROR_ARGUMENT, self->kind->name, "%s: %s", self->kind->name, text);
}

void at_storeInts(const at_module *self, const char *name, at_ints *to, int64_t *buffer,
                  at_ints given, int axes, int64_t otherwise)
{
  if (!at_acceptInts(self->kind->name, name, given, axes))
    return;
  if (given.count > AT_LAYER_DIMS) {
    at_misfit(self, "%s has %d numbers, and has to have at most %d", name, given.count,
              AT_LAYER_DIMS);
    return;
  }
  for (int i = 0; i < given.count; i++)
    buffer[i] = given.data[i];
  *to = (at_ints){buffer, given.count};
  if (given.count == 0 && otherwise != AT_NONE) {
    buffer[0] = otherwise;
    to->count = 1;
  }
}

const char *at_storeWord(const at_module *self, const char *name, char *buffer, const char *given)
{
  if (!at_acceptPointer(self->kind->name, name, given))
    return buffer;
  if (strlen(given) < AT_LAYER_WORD)
    strcpy(buffer, given);
  else
    at_misfit(self, "%s is '%s'", name, given);
  return buffer;
}

void at_checkLayerType(const at_module *self, const at_type *type)
{
  if (type == AT_DEFAULT_TYPE || !at_acceptType(self->kind->name, "type", type, false))
    return;
  if (!at_isFloating(type->scalarType))
    at_misfit(self, "type is %s, and parameters are of floating types", type->name);
}

bool at_becomes(at_module *self, const at_module_kind *kind, void (*build)(at_module *self),
                unsigned before)
{
  if (at_failureCount() == before)
    AT_SCOPE
    {
      AT_NO_GRAD
      {
        build(self);
      }
    }
  if (at_failureCount() == before)
    self->kind = kind;
  else
    at_dropMembers(self);
  return self->kind == kind;
}

at_module *at_finished(at_module *self, unsigned before)
{
  if (at_failureCount() == before)
    return self;
  at_module_free(self);
  return NULL;
}

bool at_isKind(const char *operation, const at_module *self, const at_module_kind *kind)
{
  if (!at_acceptModule(operation, self))
    return false;
  if (self->kind != kind)
    at_fail(AT_ERROR_ARGUMENT, operation, "%s: self is a %s, and not a %s", operation,
            self->kind->name, kind->name);
  return self->kind == kind;
}

/* --- what their rows check -------------------------------------------------------------------- */

bool at_dividesChannels(int64_t inputs, int64_t outputs, int64_t groups)
{
  return groups > 0 && inputs % groups == 0 && outputs % groups == 0;
}

bool at_isPadMode(const char *mode)
{
  return !strcmp(mode, "zeros") || !strcmp(mode, "reflect") || !strcmp(mode, "replicate") ||
         !strcmp(mode, "circular");
}

bool at_wrapsIndex(int64_t *index, int64_t count)
{
  if (*index == AT_NONE)
    return true;
  if (*index < -count || *index >= count)
    return false;
  *index += *index < 0 ? count : 0;
  return true;
}

int64_t at_indexOr(int64_t index, int64_t otherwise)
{
  return index == AT_NONE ? otherwise : index;
}

int at_bagMode(const char *mode)
{
  static const char *const modes[] = {"sum", "mean", "max"};
  for (int i = 0; i < 3; i++)
    if (!strcmp(mode, modes[i]))
      return i;
  return -1;
}

const at_type *at_countType(const at_type *type)
{
  return type == AT_DEFAULT_TYPE ? AT_CPU(AT_LONG) : at_toScalarType(type, AT_LONG);
}

at_tensor *at_newKernel(int64_t outputs, int64_t inputs, at_ints kernel, int axes,
                        const at_type *type)
{
  int64_t sizes[2 + AT_LAYER_DIMS] = {outputs, inputs};
  for (int i = 0; i < axes; i++)
    sizes[2 + i] = kernel.data[kernel.count == 1 ? 0 : i];
  return at_empty(((at_ints){sizes, 2 + axes}), .type = type);
}

/* --- first values ----------------------------------------------------------------------------- */

/* Draws bias, unless it is NULL, between -1 / sqrt(fan) and that. */
static void draw_bias(at_tensor *bias, int64_t fan)
{
  const double bound = fan > 0 ? 1 / sqrt((double)fan) : 0;
  if (bias)
    at_uniform_(bias, .from = -bound, .to = bound);
}

void at_resetFan(at_tensor *weight, at_tensor *bias)
{
  if (!at_defined(weight))
    return;
  int64_t fan = 1;
  for (int d = 1; d < at_dim(weight); d++)
    fan *= at_size(weight, d);
  if (at_numel(weight) > 0)
    at_init_kaiming_uniform_(weight, .a = sqrt(5));
  draw_bias(bias, fan);
}

void at_resetBilinear(at_tensor *weight, at_tensor *bias)
{
  if (!at_defined(weight))
    return;
  draw_bias(weight, at_size(weight, 1));
  draw_bias(bias, at_size(weight, 1));
}

void at_resetEmbedding(at_tensor *weight, int64_t padding)
{
  at_normal_(weight);
  if (padding != AT_NONE)
    at_zero_(at_select(weight, 0, padding));
}

/* --- lists ------------------------------------------------------------------------------------ */

static at_tensor *forward_sequence(at_module *self, at_tensor *input)
{
  at_tensor *x = input;
  for (int64_t i = 0; i < self->children.count && at_defined(x); i++)
    x = at_forward(self->children.data[i].module, x);
  return x;
}

static const at_module_kind sequence_kind = {.name = "Sequential", .forward = forward_sequence};
static const at_module_kind list_kind = {.name = "ModuleList"};

/* A module of that kind with these children. */
static at_module *of_modules(const at_module_kind *kind, at_module *const *modules, int64_t count)
{
  if (count < 0 || (count > 0 && !modules)) {
    at_fail(AT_ERROR_ARGUMENT, kind->name, "%s: %lld modules%s", kind->name, (long long)count,
            modules ? "" : " at NULL");
    return NULL;
  }
  at_module *const self = at_module_new(kind);
  bool good = self != NULL;
  for (int64_t i = 0; i < count; i++) {
    if (!modules[i])
      at_fail(AT_ERROR_NULL, kind->name, "%s: module %lld is NULL", kind->name, (long long)i);
    if (self && modules[i])
      good = at_module_append(self, modules[i]) && good;
    else
      at_module_free(modules[i]);
    good = good && modules[i];
  }
  if (good)
    return self;
  at_module_free(self);
  return NULL;
}

at_module *(at_Sequential)(at_module *const *modules, int64_t count)
{
  return of_modules(&sequence_kind, modules, count);
}

at_module *(at_ModuleList)(at_module *const *modules, int64_t count)
{
  return of_modules(&list_kind, modules, count);
}

/* Modules, as PyTorch's nn.Module: named parameters, buffers and children, and a forward function.
 *
 *     at_module *net = at_Sequential(at_Linear(64, 32), at_ReLU(), at_Linear(32, 10, .bias = false));
 *     at_tensor *scores = at_forward(net, images);
 *     at_module_save(net, "net.pt");                     torch.load reads it
 *     at_module_free(net);
 *
 * A module of one's own is a struct, a forward function and a row that names both:
 *
 *     typedef struct Net {
 *       at_module *conv, *full;
 *     } Net;
 *
 *     static at_tensor *forward(at_module *self, at_tensor *x)
 *     {
 *       const Net *net = at_module_own(self);
 *       x = at_relu(at_forward(net->conv, x));
 *       return at_forward(net->full, at_flatten(x, .start_dim = 1));
 *     }
 *
 *     static const at_module_kind net_kind = {"Net", forward, sizeof(Net)};
 *
 *     at_module *Net_new(void)
 *     {
 *       at_module *self = at_module_new(&net_kind);
 *       Net *net = at_module_own(self);
 *       if (net) {
 *         net->conv = at_module_add(self, "conv", at_Conv2d(1, 32, 3, .padding = AT_INTS(1)));
 *         net->full = at_module_add(self, "full", at_Linear(32 * 8 * 8, 10));
 *       }
 *       return self;
 *     }
 *
 * The layers, their options and first values are PyTorch's (ATenLayers.h); docs/modules.md says more.
 * After an error constructors return NULL, and functions that are given NULL do nothing and return
 * NULL, false or the undefined tensor. */
#ifndef ATEN_MODULE_H
#define ATEN_MODULE_H

#include <math.h>

#include "ATenCall.h"
#include "ATenFile.h"

/* One thread uses a module at a time; threads may call the same module while none changes it, and
 * it has no buffers that calls change. */
typedef struct at_module at_module;

/* --- kinds ------------------------------------------------------------------------------------ */

/* What a module shows of its struct, for at_module_toString. */
typedef enum at_module_field_kind {
  AT_FIELD_LONG, /* int64_t; AT_NONE is shown as None */
  AT_FIELD_DOUBLE,
  AT_FIELD_BOOL,
  AT_FIELD_INTS,   /* at_ints, whose data are inside the struct */
  AT_FIELD_STRING, /* const char *, inside the struct */
  AT_FIELD_TYPE
} at_module_field_kind;

/* A default: the member that the field's kind has. */
typedef struct at_module_usual {
  int64_t integer;
  double number;
  const char *string;
} at_module_usual;

typedef struct at_module_field {
  const char *name;
  at_module_field_kind kind;
  int axes; /* of AT_FIELD_INTS: one number stands for so many */
  size_t offset;
  at_module_usual usual;
} at_module_field;

/* What modules have in common.  Of a kind of one's own the first three members suffice. */
typedef struct at_module_kind {
  const char *name;
  at_tensor *(*forward)(at_module *self, at_tensor *input); /* NULL: it cannot be called */
  size_t size;                /* of the struct that at_module_own returns; it begins as zeros */
  void (*release)(void *own); /* frees what the struct owns besides the module's own; or NULL */
  const at_module_field *fields;
  int fieldCount;
  const char
      *repr; /* shown between parentheses: {NAME} is a field, {NAME:tuple} a list with a number
                     * for each axis; [...] is left out if the field in it has its default */
  at_tensor *(*call)(at_module *self,
                     at_tensors inputs); /* instead of forward: of several tensors */
  int inputs;                            /* the number of tensors that call takes */
} at_module_kind;

/* A module without parameters and children, in training mode, to be given to at_module_free; NULL
 * after an error.  The kind must outlive it. */
AT_API at_module *at_module_new(const at_module_kind *kind) AT_MUST_USE;

/* Another owner of the module; returns it. */
AT_API at_module *at_module_retain(at_module *self);

/* Gives up the module; the last owner frees it, with its children, parameters and buffers.  NULL is
 * accepted. */
AT_API void at_module_free(at_module *self);

/* The struct of the kind; NULL for NULL. */
AT_API void *at_module_own(const at_module *self);

AT_API const at_module_kind *at_module_kindOf(const at_module *self);

/* --- what it is made of ----------------------------------------------------------------------- */

/* Adds the child, which self takes over, also after an error.  Names have neither dots nor another
 * member's name.  Returns the child; NULL after an error, and if the child is NULL. */
AT_API at_module *at_module_add(at_module *self, const char *name, at_module *child);

/* Adds the child under the next number, as to a Sequential or a ModuleList. */
AT_API at_module *at_module_append(at_module *self, at_module *child);

/* Adds a parameter, of a floating type, which becomes a leaf that wants a gradient; the module has a
 * reference of its own.  The same tensor may be a parameter of several modules (tied weights).  NULL
 * is a name without a parameter, as PyTorch's None.  Returns the tensor. */
AT_API at_tensor *at_module_add_parameter(at_module *self, const char *name, at_tensor *t);

/* Adds a buffer: a tensor that is saved and moved with the module, but not trained. */
AT_API at_tensor *at_module_add_buffer(at_module *self, const char *name, at_tensor *t);

/* Gives the parameter or buffer of that name, with dots for those of children, another tensor of its
 * sizes and type: ties weights.  False after an error, as for a parameter that is computed. */
AT_API bool at_module_set(at_module *self, const char *name, at_tensor *t);

/* The parameter or buffer of that name, with dots for those of children; borrowed.  One that is computed
 * (at_parametrizations_weight_norm and others) is a new tensor, which belongs to the scope.  The
 * undefined tensor and an error if there is none. */
AT_API at_tensor *at_module_get(const at_module *self, const char *name);

AT_API int64_t at_module_count(const at_module *self); /* of children */

/* The child of that name, with dots for those further down, or at that index; NULL if there is
 * none.  Borrowed. */
AT_API at_module *at_module_child(const at_module *self, const char *name);
AT_API at_module *at_module_childAt(const at_module *self, int64_t index);
AT_API const char *at_module_childName(const at_module *self, int64_t index);

/* --- calling ---------------------------------------------------------------------------------- */

/* Calls the module's forward function.  What it makes besides its result is released on return, if no
 * gradient needs it. */
AT_API at_tensor *at_forward(at_module *self, at_tensor *input) AT_MUST_USE;

/* at_forward of modules with several inputs, such as losses; in C and C++ at_forward(loss, input, target)
 * is this call.  It is an error if the module takes another number of tensors. */
AT_API at_tensor *at_module_call(at_module *self, at_tensors inputs) AT_MUST_USE;

/* --- all of it -------------------------------------------------------------------------------- */

/* The parameters of the module and all below it, each once, in the order of the state dict.  To be
 * released as any list; empty after an error. */
AT_API const at_tensors *at_module_parameters(const at_module *self) AT_MUST_USE;

/* The parameters, or the buffers, with their names; the caller frees the set.  NULL after an error. */
AT_API at_dict *at_module_named_parameters(const at_module *self) AT_MUST_USE;
AT_API at_dict *at_module_named_buffers(const at_module *self) AT_MUST_USE;

/* The number of elements of all parameters, each counted once. */
AT_API int64_t at_module_numel(const at_module *self);

/* Training or evaluation mode, of the module and all below it. */
AT_API void at_module_train(at_module *self);
AT_API void at_module_eval(at_module *self);
AT_API bool at_module_training(const at_module *self);

/* Removes the gradients of all parameters. */
AT_API void at_module_zero_grad(at_module *self);

/* Whether parameters want gradients; false freezes the module.  False after an error. */
AT_API bool at_module_requires_grad_(at_module *self, bool wanted);

typedef void (*at_module_visitor)(at_module *module, void *context);

/* Calls the visitor for each module, children before their parent. */
AT_API void at_module_apply(at_module *self, at_module_visitor visitor, void *context);

/* Replaces t, of a floating type, by the sum of t in all processes; false after an error. */
typedef bool (*at_module_summing)(at_tensor *t, void *context);

/* Makes an at_SyncBatchNorm of each BatchNorm layer of self and of what is below: the same object with the
 * same parameters and buffers.  In training, these layers use sum to normalize by the mean and the
 * variance of all processes' batches, and backward passes use it for gradients: every process makes
 * the same calls in the same order.  The context must outlive the module.  PyTorch:
 * SyncBatchNorm.convert_sync_batchnorm. */
AT_API bool at_module_sync_batchnorm(at_module *self, at_module_summing sum, void *context);

/* Moves parameters, their gradients and buffers to the type's backend, and those of floating types
 * to the type.  False after an error: then nothing has changed.  They are the same objects afterwards:
 * optimizers and averages convert their states at the next step.  What was computed before the call gives
 * them no gradients any more. */
AT_API bool at_module_to(at_module *self, const at_type *type);

/* A copy with parameters and buffers of its own; tensors that are shared inside the module are shared
 * inside the copy.  A struct of one's own is copied: its pointers to modules and tensors of self, or of
 * what is below, become those to their copies, and others stay.  NULL after an error, as for kinds with a
 * release function. */
AT_API at_module *at_module_clone(const at_module *self) AT_MUST_USE;

/* --- text and files --------------------------------------------------------------------------- */

/* The module as PyTorch's repr shows it, to be freed by at_string_free; NULL after an error. */
AT_API char *at_module_toString(const at_module *self) AT_MUST_USE;

/* Writes that text and the number of parameters to stdout. */
AT_API void at_module_print(const at_module *self);

/* All parameters and buffers under their names, in PyTorch's order; they share memory with the
 * module.  The caller frees the set.  NULL after an error. */
AT_API at_dict *at_module_state_dict(const at_module *self) AT_MUST_USE;

typedef struct at_module_load_options {
  const char *prefix; /* "": what stands before the names in the file, such as "model." */
  bool strict;        /* true: whether names that are missing, or unexpected, are errors */
} at_module_load_options;
AT_API const at_module_load_options at_module_load_defaults;

/* Copies tensors of a file, as of torch.save(net.state_dict(), path) or in safetensors, to the
 * parameters and buffers of the same names.  False after an error, which says all that is missing,
 * unexpected, or of other sizes; then nothing has changed.
 *
 *     at_module_load(Module self, const char *path, *, String prefix="", bool strict=true) -> bool */
AT_API bool at_module_load(at_module *self, const char *path,
                           const at_module_load_options *options);

/* at_module_load from a set of tensors instead of a file. */
AT_API bool at_module_load_state_dict(at_module *self, const at_dict *dict,
                                      const at_module_load_options *options);

/* Saves the state dict in the format of the path's extension.  False after an error. */
AT_API bool at_module_save(const at_module *self, const char *path);

/* --- lists of modules ------------------------------------------------------------------------- */

/* Calls count modules one after the other; they are named "0", "1", ..., and taken over, also after an
 * error, which it is if one of them is NULL. */
AT_API at_module *at_Sequential(at_module *const *modules, int64_t count) AT_MUST_USE;

/* Only a list, for forward functions that use its modules. */
AT_API at_module *at_ModuleList(at_module *const *modules, int64_t count) AT_MUST_USE;

/* --- macros ----------------------------------------------------------------------------------- */

/* An option that is not given, where no number stands for that. */
#define AT_NO_DOUBLE ((double)NAN)

static inline AT_MUST_USE at_module *at_call_module(const char *file, int line, at_module *result)
{
  if (__builtin_expect(!result, 0))
    at_error_locate(file, line);
  return result;
}

/* A list, or one number as a list, which memory then has. */
static inline at_ints at_call_axesGiven(at_ints ints, int64_t *memory)
{
  (void)memory;
  return ints;
}

static inline at_ints at_call_axesOf(int64_t number, int64_t *memory)
{
  *memory = number;
  const at_ints ints = {memory, 1};
  return ints;
}

#ifdef __cplusplus
extern "C++" {
struct at_axis {
  int64_t memory[1];
};
static inline at_ints at_call_axes(at_ints ints, int64_t *memory)
{
  return at_call_axesGiven(ints, memory);
}
static inline at_ints at_call_axes(int64_t number, int64_t *memory)
{
  return at_call_axesOf(number, memory);
}
}
#define AT_AXES(X) at_call_axes(X, at_axis().memory)
#else
#define AT_AXES(X) \
  _Generic((X), at_ints: at_call_axesGiven, default: at_call_axesOf)(X, (int64_t[1]){0})
#endif

/* clang-format off */
#define at_Sequential(...) AT_MODULES(at_Sequential, AT_UNIQUE, __VA_ARGS__)
#define at_ModuleList(...) AT_MODULES(at_ModuleList, AT_UNIQUE, __VA_ARGS__)
#define AT_MODULES(NEW, list_, ...) \
  at_call_module(__FILE__, __LINE__, __extension__({ \
    at_module *const list_[] = {__VA_ARGS__}; \
    (NEW)(list_, (int64_t)(sizeof list_ / sizeof *list_)); }))
/* clang-format on */

#endif

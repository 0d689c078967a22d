/* Regions in which the operations choose the element types that they compute with, as torch.autocast
 * has them: some in a lower precision, some in Float, and some in the widest type of their arguments.
 * Tensors of Double and of integers stay what they are. */
#include "ATenOps.h"
#include "Program.h"

/* Operations of programs that are no rows of the table, and what rows say of others. */
typedef struct Further {
  const char *name;
  unsigned char policies[AT_AUTOCAST_DEVICES];
} Further;

static const Further further[] = {
    {"_addmm_activation", {AT_AUTOCAST_LOWER, AT_AUTOCAST_NONE}},
    {"_native_multi_head_attention", {AT_AUTOCAST_LOWER, AT_AUTOCAST_NONE}},
    {"chain_matmul", {AT_AUTOCAST_NONE, AT_AUTOCAST_LOWER}},
    {"fake_quantize_per_tensor_affine", {AT_AUTOCAST_SINGLE, AT_AUTOCAST_NONE}},
    {"grid_sampler", {AT_AUTOCAST_SINGLE, AT_AUTOCAST_WIDEST}},
    {"mkldnn_rnn_layer", {AT_AUTOCAST_LOWER, AT_AUTOCAST_NONE}},
    {"nuclear_norm", {AT_AUTOCAST_NONE, AT_AUTOCAST_SINGLE}},
};

/* What the operation of that name does on the device. */
static at_autocast_policy policy_of(const char *name, at_autocast_device device)
{
  const at_op *const op = at_op_find(name);
  if (op)
    return (at_autocast_policy)op->autocast[device];
  for (size_t i = 0; i < sizeof further / sizeof *further; i++)
    if (!strcmp(further[i].name, name))
      return (at_autocast_policy)further[i].policies[device];
  return AT_AUTOCAST_NONE;
}

static bool is_cast(const at_tensor *t)
{
  return at_isFloating(t->type->scalarType) && t->type->scalarType != AT_DOUBLE;
}

/* The widest floating type among the node's tensors and the lower one. */
static at_scalar_type widest_of(const at_frame *frame, const at_graphNode *node,
                                at_scalar_type lower)
{
  at_scalar_type widest = lower;
  for (int32_t i = 0; i < node->inputCount; i++)
    for (int32_t p = 0; p < node->inputs[i].count; p++) {
      const at_cell cell = at_frame_get(frame, &node->inputs[i].parts[p]);
      if (cell.kind == AT_CELL_TENSOR && at_isFloating(cell.is.tensor->type->scalarType) &&
          cell.is.tensor->type->scalarType != widest && widest != AT_DOUBLE)
        widest = cell.is.tensor->type->scalarType == AT_DOUBLE ? AT_DOUBLE : AT_FLOAT;
    }
  return widest;
}

const at_type *at_region_castTo(const at_frame *frame, const at_graphNode *node)
{
  static const char prefix[] = "aten.";
  const at_autocast_device device =
      frame->autocast[AT_AUTOCAST_CPU] ? AT_AUTOCAST_CPU : AT_AUTOCAST_CUDA;
  const at_type *const lower = frame->autocast[device];
  char name[64];
  if (!lower || strncmp(node->target, prefix, strlen(prefix)))
    return NULL;
  const size_t length = strcspn(node->target + strlen(prefix), ".");
  if (length >= sizeof name)
    return NULL;
  memcpy(name, node->target + strlen(prefix), length);
  name[length] = '\0';
  switch (policy_of(name, device)) {
    case AT_AUTOCAST_LOWER:
      return lower;
    case AT_AUTOCAST_SINGLE:
      return at_cpuType(AT_FLOAT);
    case AT_AUTOCAST_WIDEST:
      return at_cpuType(widest_of(frame, node, lower->scalarType));
    case AT_AUTOCAST_NONE:
      break;
  }
  return NULL;
}

at_tensor *at_region_cast(const at_frame *frame, const at_graphNode *node, at_tensor *t)
{
  if (!frame->castTo || !t || !is_cast(t) || t->type->scalarType == frame->castTo->scalarType)
    return t;
  at_tensor *const r = (at_to)(t, frame->castTo);
  if (!at_defined(r))
    at_nodeFails(node, "it failed"); /* the error of the operation came first, and is kept */
  return r;
}

/* wrap_with_autocast(device_type, dtype, enabled, cache_enabled, graph, ...) */
void at_region_setAutocast(at_frame *frame, const at_graphNode *node)
{
  const at_given *const device = at_inputOf(node, "device_type", 0), *const type =
                                                                         at_inputOf(node, "dtype",
                                                                                    1);
  const char *const name = device && device->kind == AT_GIVEN_TEXT ? device->text : "";
  const bool isCpu = !strcmp(name, "cpu"),
             isEnabled = at_inputBool(frame, node, "enabled", 2, true);
  at_scalar_type lower = isCpu ? AT_BFLOAT16 : AT_HALF;
  if (type)
    lower = type->kind == AT_GIVEN_TYPE ? type->type : AT_SCALAR_TYPES;
  if (!isCpu && strcmp(name, "cuda")) {
    if (isEnabled)
      at_nodeFails(node, "autocast of the device \"%.20s\" is not here", name);
    return;
  }
  if (isEnabled && lower != AT_BFLOAT16 && lower != AT_HALF)
    at_nodeFails(node, "autocast is to BFloat16 or Half");
  frame->autocast[isCpu ? AT_AUTOCAST_CPU : AT_AUTOCAST_CUDA] =
      isEnabled ? at_cpuType(lower) : NULL;
}

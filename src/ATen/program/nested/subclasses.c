/* Weights that are objects of several tensors, as quantized ones of torchao: a node of the file takes a tensor out of
 * one. Each such tensor becomes an input of the graph, as other weights are, before the graph is read. */
#include "ATen/program/Program.h"

#define OPENS "torch.ops.export.access_subclass_inner_tensor.default"

enum { INPUT_BYTES = 2048 }; /* what jansson takes for an input and its entry in the signature */

typedef struct Opening {
  at_file *file;
  json_t *paths;  /* of each value that is a weight, or a tensor in one, the name among weights */
  json_t *opened; /* the values that nodes take tensors out of */
  json_t *inputs, *specs;
} Opening;

static void free_json(void *what)
{
  json_decref(what);
}

/* Raises if jansson had no memory. */
static void check(int failed)
{
  if (failed)
    THError("there is no memory for the inputs of the graph");
}

/* The value that an argument of the graph is, or NULL. */
static const char *value_in(const json_t *argument)
{
  return json_string_value(json_object_get(json_object_get(argument, "as_tensor"), "name"));
}

static const char *spec_path(const json_t *spec, const char **value)
{
  static const char *const kinds[][2] = {{"parameter", "parameter_name"},
                                         {"buffer", "buffer_name"},
                                         {"tensor_constant", "tensor_constant_name"}};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
    const json_t *const weight = json_object_get(spec, kinds[i][0]);
    if (!weight)
      continue;
    *value = json_string_value(json_object_get(json_object_get(weight, "arg"), "name"));
    return json_string_value(json_object_get(weight, kinds[i][1]));
  }
  return NULL;
}

static void find_paths(Opening *o)
{
  size_t i;
  json_t *spec;
  json_array_foreach(o->specs, i, spec)
  {
    const char *value = NULL, *const path = spec_path(spec, &value);
    if (path && value)
      check(json_object_set_new(o->paths, value, json_string(path)));
  }
}

/* An entry of a list of a node; NULL if it is not there. */
static const json_t *entry(const json_t *node, const char *list, size_t index)
{
  return json_array_get(json_object_get(node, list), index);
}

/* Makes the output of a node that takes a tensor out of a weight an input; false of another node. */
static bool open_one(Opening *o, const json_t *node)
{
  const char *const target = json_string_value(json_object_get(node, "target"));
  if (!target || strcmp(target, OPENS) != 0)
    return false;
  const json_t *const part = json_object_get(entry(node, "inputs", 1), "arg");
  const char *const from = value_in(json_object_get(entry(node, "inputs", 0), "arg")),
                    *const name = json_string_value(json_object_get(part, "as_string")),
                    *const made = value_in(entry(node, "outputs", 0)),
                    *const path = from ? json_string_value(json_object_get(o->paths, from)) : NULL;
  if (!path || !name || !made)
    return false;
  at_file_charge(o->file, INPUT_BYTES + strlen(path) + strlen(name) + 4 * strlen(made));
  json_t *const whole = json_sprintf("%s.%s", path, name);
  check(!whole || json_object_set_new(o->paths, made, whole) ||
        json_object_set_new(o->opened, from, json_true()));
  check(json_array_append_new(o->inputs, json_pack("{s:{s:s}}", "as_tensor", "name", made)) ||
        json_array_append_new(o->specs, json_pack("{s:{s:{s:s},s:O}}", "parameter", "arg", "name",
                                                  made, "parameter_name", whole)));
  return true;
}

/* Leaves out the nodes that were opened. */
static void open_nodes(Opening *o, json_t *graph, const json_t *nodes)
{
  THGuard guard;
  THGuard_enter(&guard, free_json);
  json_t *const kept = guard.what = json_array();
  size_t i;
  json_t *node;
  check(!kept);
  json_array_foreach((json_t *)nodes, i, node) if (!open_one(o, node))
      check(json_array_append(kept, node));
  check(json_object_set(graph, "nodes", kept));
  THGuard_leave(&guard);
}

/* Leaves out the inputs that were weights of several tensors: they are no tensors here. */
static void drop_opened(Opening *o)
{
  for (size_t i = json_array_size(o->inputs); i-- > 0;) {
    const char *const value = value_in(json_array_get(o->inputs, i));
    if (value && json_object_get(o->opened, value))
      check(json_array_remove(o->inputs, i) || json_array_remove(o->specs, i));
  }
}

bool at_openSubclasses(at_file *file, const json_t *module)
{
  json_t *const graph = (json_t *)at_doc_get(file, module, "graph", JSON_OBJECT);
  const json_t *const nodes = json_object_get(graph, "nodes");
  size_t i, count = 0;
  json_t *node;
  json_array_foreach((json_t *)nodes, i, node)
  {
    const char *const target = json_string_value(json_object_get(node, "target"));
    count += target && !strcmp(target, OPENS);
  }
  if (count == 0)
    return false;
  const json_t *const signature = at_doc_get(file, module, "signature", JSON_OBJECT);
  THGuard paths, opened;
  THGuard_enter(&paths, free_json);
  THGuard_enter(&opened, free_json);
  Opening o = {file, paths.what = json_object(), opened.what = json_object(),
               (json_t *)at_doc_get(file, graph, "inputs", JSON_ARRAY),
               (json_t *)at_doc_get(file, signature, "input_specs", JSON_ARRAY)};
  if (json_array_size(o.inputs) != json_array_size(o.specs))
    at_damaged(file, "its signature has %zu inputs, the graph %zu", json_array_size(o.specs),
               json_array_size(o.inputs));
  check(!o.paths || !o.opened);
  find_paths(&o);
  open_nodes(&o, graph, nodes);
  drop_opened(&o);
  THGuard_leave(&opened);
  THGuard_leave(&paths);
  return true;
}

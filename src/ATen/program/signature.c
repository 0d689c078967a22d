/* What the inputs and outputs of a graph are for the program. */
#include "Program.h"

/* A signature that is being read. */
typedef struct Signing {
  at_program *program;
  at_reading *reading;
  const json_t *graph;
  json_t *symbols; /* the number of each symbol */
} Signing;

/* --- symbols ---------------------------------------------------------------------------------- */

enum { SYMBOL_BYTES = 256 }; /* what jansson takes for a name and its number */

static void free_symbols(void *what)
{
  json_decref(what);
}

static int64_t limit_of(const json_t *limit, int64_t otherwise)
{
  return json_is_integer(limit) ? json_integer_value(limit) : otherwise;
}

static void read_symbols(Signing *s, const json_t *root)
{
  at_program *const program = s->program;
  const json_t *const list = at_doc_get(s->reading->file, root, "range_constraints", JSON_OBJECT);
  const size_t count = json_object_size(list);
  at_file_charge(s->reading->file, count * SYMBOL_BYTES);
  program->symbols = at_arena_take(s->reading->arena, count, sizeof *program->symbols);
  for (void *i = json_object_iter((json_t *)list); i;
       i = json_object_iter_next((json_t *)list, i)) {
    const json_t *const range = json_object_iter_value(i);
    const char *const name = json_object_iter_key(i);
    if (json_object_set_new(s->symbols, name, json_integer(program->symbolCount)))
      THError("there is no memory for the names of symbols");
    program->symbols[program->symbolCount++] =
        (at_symbol){at_arena_text(s->reading->arena, name),
                    THMax(limit_of(json_object_get(range, "min_val"), 0), 0),
                    limit_of(json_object_get(range, "max_val"), INT64_MAX)};
  }
}

/* The number of the symbol that an expression is: "s77" or "Symbol('s77', ...)".  -1 if it is
 * something else, whose value is not checked. */
static int32_t symbol_in(const Signing *s, const char *expression)
{
  static const char prefix[] = "Symbol('";
  char name[64];
  const bool isCall = !strncmp(expression, prefix, strlen(prefix));
  const char *const start = expression + (isCall ? strlen(prefix) : 0);
  const size_t length = isCall ? strcspn(start, "'") : strlen(start);
  if (length >= sizeof name)
    return -1;
  memcpy(name, start, length);
  name[length] = '\0';
  const json_t *const number = json_object_get(s->symbols, name);
  return number ? (int32_t)json_integer_value(number) : -1;
}

/* --- ports ------------------------------------------------------------------------------------ */

static at_dimension dimension_of(const Signing *s, const json_t *size)
{
  const at_file *const file = s->reading->file;
  int64_t value;
  if (at_doc_size(file, size, &value))
    return (at_dimension){value, value, -1};
  const json_t *const expression = at_doc_get(file, size, "as_expr", JSON_OBJECT);
  const int32_t symbol = symbol_in(s, at_doc_text(file, expression, "expr_str"));
  if (symbol < 0)
    return (at_dimension){0, INT64_MAX, -1};
  return (at_dimension){s->program->symbols[symbol].least, s->program->symbols[symbol].most,
                        symbol};
}

static void read_meta(const Signing *s, at_port *port)
{
  const at_file *const file = s->reading->file;
  const json_t *const values = at_doc_get(file, s->graph, "tensor_values", JSON_OBJECT);
  const json_t *const meta = at_doc_get(file, values, port->name, JSON_OBJECT);
  const json_t *const sizes = at_doc_get(file, meta, "sizes", JSON_ARRAY);
  const size_t count = json_array_size(sizes);
  if (count > AT_MOST_DIMS)
    at_damaged(file, "'%.100s' has %zu dimensions", port->name, count);
  at_dimension *const made = at_arena_take(s->reading->arena, count, sizeof *made);
  port->least = at_arena_take(s->reading->arena, count, sizeof *port->least);
  port->most = at_arena_take(s->reading->arena, count, sizeof *port->most);
  for (size_t d = 0; d < count; d++) {
    made[d] = dimension_of(s, json_array_get(sizes, d));
    port->least[d] = made[d].least;
    port->most[d] = made[d].most;
  }
  port->sizes = made;
  port->dims = (int32_t)count;
  port->type = at_doc_scalarType(at_doc_get(file, meta, "dtype", JSON_INTEGER));
}

/* The port of a value of the graph. */
static at_port port_of(const Signing *s, const char *name, at_cellKind kind)
{
  at_port port = {.name = name, .kind = kind, .type = AT_SCALAR_TYPES};
  if (kind == AT_CELL_TENSOR)
    read_meta(s, &port);
  return port;
}

/* The index of a tensor in the set of weights, whose name the member of spec has. */
static int64_t index_of(const Signing *s, const json_t *spec, const char *key)
{
  const char *const name = at_doc_text(s->reading->file, spec, key);
  const int64_t index = at_dict_find(s->program->weights, name);
  if (index < 0)
    at_damaged(s->reading->file, "the file has no tensor '%.100s'", name);
  return index;
}

/* --- inputs ----------------------------------------------------------------------------------- */

static at_cellKind kind_in(const json_t *argument)
{
  return json_object_get(argument, "as_tensor")      ? AT_CELL_TENSOR
         : json_object_get(argument, "as_sym_int")   ? AT_CELL_INT
         : json_object_get(argument, "as_sym_float") ? AT_CELL_FLOAT
         : json_object_get(argument, "as_sym_bool")  ? AT_CELL_BOOL
                                                     : AT_CELL_NONE;
}

static void read_input(Signing *s, const json_t *spec, int32_t at)
{
  static const char *const weights[][2] = {{"parameter", "parameter_name"},
                                           {"buffer", "buffer_name"},
                                           {"tensor_constant", "tensor_constant_name"}};
  at_program *const program = s->program;
  const int32_t slot = program->graph->inputs[at];
  at_binding *const binding = &program->graphInputs[at];
  const json_t *value;
  const char *const kind = at_doc_union(s->reading->file, spec, &value);
  for (int i = 0; i < 3; i++)
    if (!strcmp(kind, weights[i][0]))
      *binding = (at_binding){AT_BIND_WEIGHT, index_of(s, value, weights[i][1])};
  if (!strcmp(kind, "user_input") && slot != AT_NO_SLOT) {
    *binding = (at_binding){AT_BIND_USER, program->inputCount};
    program->inputs[program->inputCount++] =
        port_of(s, program->graph->names[slot],
                kind_in(at_doc_get(s->reading->file, value, "arg", JSON_OBJECT)));
  } else if (!strcmp(kind, "custom_obj")) {
    at_damaged(s->reading->file, "the program has an input that is a %s, which is not here", kind);
  }
}

/* --- outputs ---------------------------------------------------------------------------------- */

/* An output that is what a weight or an input of the program becomes. */
static at_binding change_of(const Signing *s, const char *kind, const json_t *spec)
{
  const at_program *const program = s->program;
  if (!strcmp(kind, "buffer_mutation"))
    return (at_binding){AT_BIND_WEIGHT, index_of(s, spec, "buffer_name")};
  if (!strcmp(kind, "parameter_mutation"))
    return (at_binding){AT_BIND_WEIGHT, index_of(s, spec, "parameter_name")};
  if (strcmp(kind, "user_input_mutation"))
    return (at_binding){AT_BIND_NOTHING, 0};
  const char *const name = at_doc_text(s->reading->file, spec, "user_input_name");
  for (int32_t i = 0; i < program->inputCount; i++)
    if (!strcmp(program->inputs[i].name, name))
      return (at_binding){AT_BIND_CHANGED, i};
  at_damaged(s->reading->file, "there is no input '%.100s' to change", name);
}

/* The name of a gradient, after what it is the gradient of. */
static const char *gradient_name(const Signing *s, const char *kind, const json_t *spec)
{
  const bool ofInput = !strcmp(kind, "gradient_to_user_input");
  const char *const of =
      at_doc_text(s->reading->file, spec, ofInput ? "user_input_name" : "parameter_name");
  const size_t length = strlen(of) + sizeof ".grad";
  char *const name = at_arena_take(s->reading->arena, length, 1);
  snprintf(name, length, "%s.grad", of);
  return name;
}

static void read_output(Signing *s, const json_t *spec, int32_t at)
{
  at_program *const program = s->program;
  const at_given *const given = &program->graph->outputs[at];
  const at_file *const file = s->reading->file;
  const json_t *value;
  const char *const kind = at_doc_union(file, spec, &value);
  const bool isGradient = !strncmp(kind, "gradient_to_", strlen("gradient_to_"));
  if (strcmp(kind, "user_output") && strcmp(kind, "loss_output") && !isGradient) {
    program->graphOutputs[at] = change_of(s, kind, value);
    return;
  }
  const bool isNamed = given->count == 1 && given->parts->slot != AT_NO_SLOT;
  const bool isNothing = given->kind == AT_GIVEN_NONE || given->kind == AT_GIVEN_TEXT;
  if (!isNothing && given->kind != AT_GIVEN_TENSOR && given->kind != AT_GIVEN_NUMBER)
    at_damaged(file, "output %d is neither a tensor nor a number", (int)at);
  program->graphOutputs[at] = (at_binding){AT_BIND_USER, program->outputCount};
  at_port *const port = &program->outputs[program->outputCount++];
  *port = port_of(s, isNamed ? program->graph->names[given->parts->slot] : "",
                  isNothing ? AT_CELL_NONE : given->number);
  if (isGradient)
    port->name = gradient_name(s, kind, value);
}

/* Memory for what is known of as many inputs and outputs as the graph has. */
static void make_room(at_program *program, at_arena *arena)
{
  const uint64_t inputs = (uint64_t)program->graph->inputCount,
                 outputs = (uint64_t)program->graph->outputCount;
  program->graphInputs = at_arena_take(arena, inputs, sizeof *program->graphInputs);
  program->inputs = at_arena_take(arena, inputs, sizeof *program->inputs);
  program->graphOutputs = at_arena_take(arena, outputs, sizeof *program->graphOutputs);
  program->outputs = at_arena_take(arena, outputs, sizeof *program->outputs);
}

void at_readSignature(at_program *program, at_reading *reading, const json_t *root)
{
  const at_file *const file = reading->file;
  const json_t *const module = at_doc_get(file, root, "graph_module", JSON_OBJECT),
                      *const signature = at_doc_get(file, module, "signature", JSON_OBJECT),
                      *const inputs = at_doc_get(file, signature, "input_specs", JSON_ARRAY),
                      *const outputs = at_doc_get(file, signature, "output_specs", JSON_ARRAY);
  const at_graph *const graph = program->graph;
  if (json_array_size(inputs) != (size_t)graph->inputCount ||
      json_array_size(outputs) != (size_t)graph->outputCount)
    at_damaged(file, "its signature has %zu inputs and %zu outputs, the graph %d and %d",
               json_array_size(inputs), json_array_size(outputs), (int)graph->inputCount,
               (int)graph->outputCount);
  THGuard guard;
  THGuard_enter(&guard, free_symbols);
  Signing s = {program, reading, at_doc_get(file, module, "graph", JSON_OBJECT),
               guard.what = json_object()};
  if (!s.symbols)
    THError("there is no memory for the names of symbols");
  read_symbols(&s, root);
  make_room(program, reading->arena);
  for (int32_t i = 0; i < graph->inputCount; i++)
    read_input(&s, json_array_get(inputs, (size_t)i), i);
  for (int32_t i = 0; i < graph->outputCount; i++)
    read_output(&s, json_array_get(outputs, (size_t)i), i);
  THGuard_leave(&guard);
}

/* Programs as text: inputs, weights, nodes in their order, outputs. */
#include "Program.h"

#include <errno.h>

static void add_cell(at_bytes *text, at_cell cell)
{
  if (cell.kind == AT_CELL_FLOAT)
    at_bytes_print(text, "%.9g", cell.is.number);
  else if (cell.kind == AT_CELL_COMPLEX)
    at_bytes_print(text, "%.9g%+.9gi", cell.is.parts[0], cell.is.parts[1]);
  else if (cell.kind == AT_CELL_BOOL)
    at_bytes_addText(text, cell.is.integer ? "true" : "false");
  else if (cell.kind == AT_CELL_INT)
    at_bytes_print(text, "%lld", (long long)cell.is.integer);
  else
    at_bytes_addText(text, "None");
}

static void add_texts(at_bytes *text, const at_given *given)
{
  for (int32_t i = 0; i < given->textCount; i++)
    at_bytes_print(text, "%s\"%.100s\"", i > 0 ? ", " : "[", given->texts[i]);
  at_bytes_addText(text, given->textCount > 0 ? "]" : "[]");
}

static void add_given(at_bytes *text, const at_graph *graph, const at_given *given)
{
  const bool isList = given->kind == AT_GIVEN_TENSORS || given->kind == AT_GIVEN_NUMBERS;
  if (given->kind == AT_GIVEN_TEXT)
    at_bytes_print(text, "\"%.100s\"", given->text);
  else if (given->kind == AT_GIVEN_TEXTS)
    add_texts(text, given);
  else if (given->kind == AT_GIVEN_TYPE)
    at_bytes_addText(text, given->type == AT_SCALAR_TYPES ? "?" : at_scalarTypeName(given->type));
  else if (given->kind == AT_GIVEN_GRAPH)
    at_bytes_addText(text, "graph");
  else if (given->kind == AT_GIVEN_NONE)
    at_bytes_addText(text, "None");
  at_bytes_addText(text, isList ? "[" : "");
  for (int32_t i = 0; i < given->count; i++) {
    const at_part *const part = &given->parts[i];
    at_bytes_addText(text, i > 0 ? ", " : "");
    if (part->slot == AT_NO_SLOT)
      add_cell(text, part->constant);
    else
      at_bytes_addText(text, graph->names[part->slot]);
  }
  at_bytes_addText(text, isList ? "]" : "");
}

static void add_node(at_bytes *text, const at_graph *graph, const at_graphNode *node, int indent)
{
  at_bytes_print(text, "%*d  ", indent + 4, (int)node->number);
  for (int32_t i = 0; i < node->outputCount; i++) {
    at_bytes_addText(text, i > 0 ? ", " : "");
    at_bytes_addText(text, node->outputs[i] == AT_NO_SLOT ? "_" : graph->names[node->outputs[i]]);
  }
  at_bytes_addText(text, node->outputCount > 0 ? " = " : "");
  at_bytes_addText(text, node->target);
  at_bytes_addText(text, "(");
  bool first = true;
  for (int32_t i = 0; i < node->inputCount; i++) {
    const at_given *const given = &node->inputs[i];
    if (given->kind == AT_GIVEN_PLACE)
      continue;
    at_bytes_addText(text, first ? "" : ", ");
    first = false;
    if (given->kind != AT_GIVEN_TENSOR && *given->name) {
      at_bytes_addText(text, given->name);
      at_bytes_addText(text, "=");
    }
    add_given(text, graph, given);
  }
  at_bytes_addText(text, ")\n");
}

static void add_graph(at_bytes *text, const at_graph *graph, int indent)
{
  for (int32_t n = 0; n < graph->nodeCount; n++) {
    const at_graphNode *const node = &graph->nodes[n];
    add_node(text, graph, node, indent);
    for (int32_t i = 0; i < node->inputCount; i++)
      if (node->inputs[i].graph)
        add_graph(text, node->inputs[i].graph, indent + 4);
  }
}

static void add_ports(at_bytes *text, const at_program *program, const char *what,
                      const at_port *ports, int32_t count)
{
  at_bytes_addText(text, what);
  at_bytes_addText(text, "\n");
  for (int32_t i = 0; i < count; i++) {
    at_bytes_addText(text, "  ");
    at_bytes_addText(text, ports[i].name);
    at_bytes_addText(text, *ports[i].name ? "  " : "");
    at_describePort(text, program, &ports[i]);
    at_bytes_addText(text, "\n");
  }
}

static void add_symbols(at_bytes *text, const at_program *program)
{
  for (int32_t i = 0; i < program->symbolCount; i++) {
    const at_symbol *const symbol = &program->symbols[i];
    at_bytes_addText(text, "  ");
    at_bytes_addText(text, symbol->name);
    at_bytes_print(text, " from %lld", (long long)symbol->least);
    if (symbol->most < INT64_MAX)
      at_bytes_print(text, " to %lld", (long long)symbol->most);
    at_bytes_addText(text, "\n");
  }
}

static void add_weights(at_bytes *text, const at_program *program)
{
  const int64_t count = at_dict_count(program->weights);
  uint64_t bytes = 0;
  for (int64_t i = 0; i < count; i++)
    bytes += at_sizeInBytes(at_dict_at(program->weights, i));
  at_bytes_print(text, "weights\n  %lld tensors, %llu bytes\n", (long long)count,
                 (unsigned long long)bytes);
}

static void add_program(at_bytes *text, const at_program *program)
{
  at_bytes_addText(text, "program ");
  at_bytes_addText(text, program->path);
  const bool isOnnx = !strcmp(program->format, "ONNX");
  at_bytes_print(text,
                 isOnnx ? ", ONNX %lld, format %lld, %.40s\n"
                        : ", schema %lld.%lld, PyTorch %.40s\n",
                 (long long)program->schemaMajor, (long long)program->schemaMinor,
                 program->version);
  add_ports(text, program, "inputs", program->inputs, program->inputCount);
  add_symbols(text, program);
  add_weights(text, program);
  at_bytes_addText(text, "nodes\n");
  add_graph(text, program->graph, 0);
  add_ports(text, program, "outputs", program->outputs, program->outputCount);
}

/* --- texts ------------------------------------------------------------------------------------ */

char *at_program_write(const char *operation, const at_program *program,
                       void (*add)(at_bytes *text, const at_program *program))
{
  if (!program) {
    at_fail(AT_ERROR_NULL, operation, "%s: program is NULL", operation);
    return NULL;
  }
  at_call call;
  at_begin(&call, operation);
  char *volatile string = NULL;
  TH_TRY(call.attempt)
  {
    THGuard guard;
    at_bytes text = {0};
    THGuard_enter(&guard, at_bytes_free);
    guard.what = &text;
    add(&text, program);
    text.start[text.length - 1] = '\0';
    string = (char *)text.start;
    THGuard_keep(&guard);
  }
  at_failed(&call);
  return string;
}

char *at_program_toString(const at_program *program)
{
  return at_program_write("program_toString", program, add_program);
}

void at_program_print(const at_program *program)
{
  char *const string = at_program_toString(program);
  if (string && puts(string) < 0)
    at_fail(AT_ERROR_RUNTIME, "program_print", "program_print: stdout: %s", strerror(errno));
  at_string_free(string);
}

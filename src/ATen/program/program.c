/* Loading, running and describing a program: turns raised errors into the thread's error. */
#include "ATen/onnx/Onnx.h"
#include "Program.h"

/* --- loading ---------------------------------------------------------------------------------- */

/* Where the parts of a program are in an archive. */
typedef struct Layout {
  const char *mark;  /* what the name of a member of such an archive ends in */
  const char *graph; /* below the folder that the mark is in, as all that follows */
  struct {
    const char *folder, *list, *saved; /* a list of payloads, or else a file of torch.save */
  } weights[2];
} Layout;

static const Layout layouts[] = {
    {"archive_format",
     "models/model.json",
     {{"data/weights/", "model_weights_config.json", "model.pt"},
      {"data/constants/", "model_constants_config.json", "model.pt"}}},
    /* Before PyTorch 2.8. */
    {"serialized_exported_program.json",
     "serialized_exported_program.json",
     {{"", NULL, "serialized_state_dict.pt"}, {"", NULL, "serialized_constants.pt"}}},
};

/* Finds the layout of the archive, and the folder that everything is in, with a slash at its end;
 * the guard frees the folder's name. */
static const Layout *find_layout(const at_zip *zip, at_bytes *root, THGuard *guard)
{
  THGuard_enter(guard, at_bytes_free);
  guard->what = root;
  for (size_t k = 0; k < sizeof layouts / sizeof *layouts; k++) {
    const char *const mark = layouts[k].mark;
    const size_t length = strlen(mark);
    for (int64_t i = 0; i < zip->count; i++) {
      const at_member *const member = &zip->members[i];
      if (member->nameLength < length ||
          memcmp(member->name + member->nameLength - length, mark, length))
        continue;
      at_bytes_add(root, member->name, member->nameLength - length);
      return &layouts[k];
    }
  }
  at_damaged(zip->file, "this is no program that torch.export.save wrote");
}

static bool has_part(const at_member *member, const char *part)
{
  const size_t length = strlen(part);
  for (size_t i = 0; i + length <= member->nameLength; i++)
    if (!memcmp(member->name + i, part, length))
      return true;
  return false;
}

/* Raises that the archive has no graph. */
static void no_graph(const at_zip *zip, const Layout *layout) TH_NO_RETURN;
static void no_graph(const at_zip *zip, const Layout *layout)
{
  for (int64_t i = 0; i < zip->count; i++)
    if (has_part(&zip->members[i], "data/aotinductor/"))
      at_damaged(zip->file,
                 "this is code that AOTInductor compiled; what torch.export.save writes "
                 "of the program before is read");
  at_damaged(zip->file, "member '%s' of the archive is missing", layout->graph);
}

void at_reportMissing(const at_reading *reading)
{
  THGuard guard;
  at_bytes text = {0};
  int64_t nodes = 0;
  if (reading->missingCount == 0)
    return;
  THGuard_enter(&guard, at_bytes_free);
  guard.what = &text;
  for (int32_t i = 0; i < reading->missingCount; i++) {
    nodes += reading->missing[i].count;
    at_bytes_print(&text, "%s%.100s (%lld)", i > 0 ? ", " : "", reading->missing[i].target,
                   (long long)reading->missing[i].count);
  }
  if (reading->otherMissing > 0)
    at_bytes_print(&text, ", and %d others", (int)reading->otherMissing);
  at_bytes_add(&text, "", 1);
  at_damaged(reading->file,
             "%lld of its %d nodes call operations that are not here, or in a way that is not: %s",
             (long long)nodes + reading->otherMissing, (int)reading->nodeCount, text.start);
}

static void read_version(at_program *program, const at_reading *reading, const json_t *root)
{
  const at_file *const file = reading->file;
  const json_t *const version = at_doc_get(file, root, "schema_version", JSON_OBJECT);
  const char *const torch = json_string_value(json_object_get(root, "torch_version"));
  program->schemaMajor = json_integer_value(at_doc_get(file, version, "major", JSON_INTEGER));
  program->schemaMinor = json_integer_value(at_doc_get(file, version, "minor", JSON_INTEGER));
  program->version = at_arena_text(&program->arena, torch ? torch : "?");
  if (program->schemaMajor != 7 && program->schemaMajor != 8)
    at_damaged(file, "its schema is version %lld.%lld, and 7 and 8 are read",
               (long long)program->schemaMajor, (long long)program->schemaMinor);
}

static void free_dict(void *what)
{
  at_dict_free(what);
}

static void read_weights(at_program *program, const at_zip *zip, const at_bytes *root,
                         const Layout *layout)
{
  THGuard guard;
  THGuard_enter(&guard, free_dict);
  at_dict *const storages = guard.what = at_dict_new();
  program->weights = at_dict_new();
  if (!storages || !program->weights)
    THError("there is no memory for the weights");
  for (int i = 0; i < 2; i++) {
    const char *const folder = layout->weights[i].folder, *const list = layout->weights[i].list;
    const at_member *const saved = at_memberOf(zip, root, folder, layout->weights[i].saved);
    if (saved)
      at_readSaved(program, zip, saved, NULL);
    else if (list)
      at_readPayloads(program, zip, root, folder, list, storages);
    else
      at_damaged(zip->file, "member '%s' of the archive is missing", layout->weights[i].saved);
  }
  THGuard_leave(&guard);
}

static void free_shapes(void *what)
{
  json_decref(what);
}

static void read_program(at_program *program, at_file *file, unsigned passes)
{
  at_zip zip;
  at_bytes root = {0};
  THGuard archive, path, json, shapes;
  if (!at_isZip(file))
    at_damaged(file, "this is no program that torch.export.save wrote, and no ONNX model");
  program->format = "schema";
  at_zip_open(&zip, file, &archive);
  const Layout *const layout = find_layout(&zip, &root, &path);
  const at_member *const member = at_memberOf(&zip, &root, layout->graph, "");
  if (!member)
    no_graph(&zip, layout);
  at_bytes_add(&root, "", 1);
  program->root = at_arena_text(&program->arena, (const char *)root.start);
  root.length--;
  program->graphSize = member->size;
  program->graphCrc = member->crc;
  const json_t *const all = at_doc_open(&zip, member, &json);
  const json_t *const module = at_doc_get(file, all, "graph_module", JSON_OBJECT),
                      *const graph = at_doc_get(file, module, "graph", JSON_OBJECT);
  at_reading *const reading = at_arena_take(&program->arena, 1, sizeof *reading);
  reading->file = file;
  reading->arena = &program->arena;
  read_version(program, reading, all);
  program->hasSubclasses = at_openSubclasses(file, module);
  THGuard_enter(&shapes, free_shapes);
  reading->shapes = shapes.what = json_object();
  if (!reading->shapes)
    THError("there is no memory for the sizes of values");
  program->graph = at_readGraph(reading, graph);
  program->makesDuals = at_makesDuals(program->graph);
  THGuard_leave(&shapes);
  if (!program->isListed)
    at_reportMissing(reading);
  read_weights(program, &zip, &root, layout);
  program->nodeCount = reading->nodeCount + reading->addedCount;
  at_countTargets(program);
  at_readSignature(program, reading, all);
  at_readyPorts(program);
  if (reading->missingCount == 0) {
    at_relaxViews(program, reading);
    at_makePlan(program, reading, passes);
  }
  THGuard_leave(&json);
  THGuard_leave(&path);
  THGuard_leave(&archive);
}

static at_program *load(const char *operation, const char *path, bool lists, unsigned passes)
{
  at_call call = {.operation = operation};
  at_program *volatile program = NULL;
  TH_TRY(call.attempt)
  {
    at_file file;
    THGuard open;
    at_file_open(&file, path, &open);
    program = THAlloc(sizeof *program);
    *program = (at_program){.arena.file = &file, .isListed = lists};
    program->path = at_arena_text(&program->arena, path);
    if (at_isOnnx(&file))
      at_readOnnx(program, &file, passes);
    else
      read_program(program, &file, passes);
    program->arena.file = NULL;
    THGuard_leave(&open);
  }
  if (!at_failed(&call))
    return program;
  at_program_free(program);
  return NULL;
}

at_program *at_program_load(const char *path)
{
  return load("program_load", path, false, AT_ALL_PASSES);
}

at_program *at_program_loadWith(const char *path, unsigned passes)
{
  return load("program_loadWith", path, false, passes);
}

at_program *at_program_list(const char *path)
{
  return load("program_list", path, true, AT_ALL_PASSES);
}

void at_readyPorts(at_program *program)
{
  at_arena *const arena = &program->arena;
  const uint64_t inputs = (uint64_t)program->inputCount, outputs = (uint64_t)program->outputCount;
  program->given = at_arena_take(arena, inputs, sizeof *program->given);
  program->held = at_arena_take(arena, inputs, sizeof *program->held);
  program->resultEnds = at_arena_take(arena, outputs, sizeof *program->resultEnds);
  program->bound = at_arena_take(arena, (uint64_t)program->symbolCount, sizeof *program->bound);
}

static void release_results(at_program *program)
{
  for (int i = 0; i < program->results.count; i++)
    at_release(program->resultData[i]);
  program->results = at_noTensors;
}

void at_program_free(at_program *program)
{
  if (!program)
    return;
  release_results(program);
  at_plan_release(program->plan);
  at_dict_free(program->weights);
  THFree(program->timing.events);
  THFree(program->resultData);
  at_arena_free(&program->arena);
  THFree(program);
}

/* --- running ---------------------------------------------------------------------------------- */

static at_cell number_of(const at_port *port, const at_tensor *t)
{
  const at_scalar value = at_elementAt(t, t->th->storageOffset);
  if (port->kind == AT_CELL_FLOAT)
    return (at_cell){AT_CELL_FLOAT, {.number = at_scalar_toDouble(value)}};
  return (at_cell){port->kind, {.integer = at_scalar_toLong(value)}};
}

/* Keeps the inputs until the end of the run: they may be the results of the last one. */
static void hold(at_program *program)
{
  for (int32_t i = 0; i < program->inputCount; i++) {
    const at_tensors given = program->given[i];
    const bool isMissing = given.count == 1 && !at_defined(given.data[0]);
    at_cell *const cell = &program->held[i];
    if (isMissing)
      *cell = (at_cell){AT_CELL_NONE, {0}};
    else if (program->inputs[i].isSequence)
      *cell = at_newSequence(given);
    else
      *cell = (at_cell){AT_CELL_TENSOR, {.tensor = at_retain(given.data[0])}};
    program->heldCount++;
  }
}

static void let_go(at_program *program)
{
  for (int i = 0; i < program->heldCount; i++)
    at_cell_release(&program->held[i]);
  program->heldCount = 0;
}

void at_frame_bind(at_frame *frame, bool ofWeights)
{
  const at_program *const program = frame->program;
  for (int32_t i = 0; i < program->graph->inputCount; i++) {
    const at_binding binding = program->graphInputs[i];
    at_cell cell = {AT_CELL_NONE, {0}};
    if (ofWeights && binding.kind == AT_BIND_USER)
      continue;
    if (binding.kind == AT_BIND_USER && program->inputs[binding.index].kind != AT_CELL_TENSOR)
      cell = number_of(&program->inputs[binding.index], program->held[binding.index].is.tensor);
    else if (binding.kind == AT_BIND_USER)
      cell = at_cell_retain(program->held[binding.index]);
    else if (binding.kind != AT_BIND_NOTHING)
      cell = (at_cell){AT_CELL_TENSOR,
                       {.tensor = at_retain(at_dict_at(program->weights, binding.index))}};
    at_frame_put(frame, program->graph->inputs[i], cell);
  }
}

/* A new reference to an output as a tensor; NULL for None. */
static at_tensor *new_result(at_cell cell)
{
  switch (cell.kind) {
    case AT_CELL_TENSOR:
      return at_retain(cell.is.tensor);
    case AT_CELL_INT:
    case AT_CELL_BOOL:
      return at_makeFilled(at_cpuType(cell.kind == AT_CELL_INT ? AT_LONG : AT_BOOL),
                           AT_SCALAR_SHAPE, at_scalar_long(cell.is.integer));
    case AT_CELL_FLOAT:
      return at_makeFilled(at_cpuType(AT_DOUBLE), AT_SCALAR_SHAPE,
                           at_scalar_double(cell.is.number));
    default:
      return NULL;
  }
}

static at_cell output_of(const at_frame *frame, int32_t i)
{
  const at_given *const given = &frame->graph->outputs[i];
  return given->count == 0 ? (at_cell){AT_CELL_NONE, {0}} : at_frame_get(frame, given->parts);
}

/* Takes memory for the results: as many as outputs and the tensors in those that are sequences. */
static void ready_results(at_program *program, const at_frame *frame)
{
  int64_t count = 0;
  for (int32_t i = 0; i < frame->graph->outputCount; i++) {
    const at_cell cell = output_of(frame, i);
    if (program->graphOutputs[i].kind == AT_BIND_USER)
      count += cell.kind == AT_CELL_SEQUENCE ? cell.is.sequence->count : 1;
  }
  if (count > INT32_MAX)
    at_raise(AT_ERROR_ARGUMENT, "the outputs are %lld tensors", (long long)count);
  program->resultData = THRealloc(program->resultData,
                                  (ptrdiff_t)(count + 1) * (ptrdiff_t)sizeof *program->resultData);
  program->results.data = program->resultData;
}

static void add_result(at_program *program, at_cell cell)
{
  int *const count = &program->results.count;
  if (cell.kind != AT_CELL_SEQUENCE) {
    program->resultData[*count] = new_result(cell);
    ++*count;
    return;
  }
  for (int32_t i = 0; i < cell.is.sequence->count; i++)
    program->resultData[(*count)++] = at_retain(cell.is.sequence->tensors[i]);
}

/* Takes the outputs of the graph; what they change is changed last. */
static void collect(at_program *program, const at_frame *frame)
{
  const at_graph *const graph = frame->graph;
  ready_results(program, frame);
  for (int32_t i = 0, k = 0; i < graph->outputCount; i++) {
    if (program->graphOutputs[i].kind != AT_BIND_USER)
      continue;
    add_result(program, output_of(frame, i));
    program->resultEnds[k++] = program->results.count;
  }
  for (int32_t i = 0; i < graph->outputCount; i++) {
    const at_binding binding = program->graphOutputs[i];
    if (binding.kind != AT_BIND_WEIGHT && binding.kind != AT_BIND_CHANGED)
      continue;
    const at_cell cell = graph->outputs[i].count == 1 ? at_frame_get(frame, graph->outputs[i].parts)
                                                      : (at_cell){AT_CELL_NONE, {0}};
    at_tensor *const to = binding.kind == AT_BIND_WEIGHT
                              ? at_dict_at(program->weights, binding.index)
                              : program->held[binding.index].is.tensor;
    if (cell.kind != AT_CELL_TENSOR)
      at_raise(AT_ERROR_ARGUMENT, "output %d, which changes a tensor, is no tensor", (int)i);
    if (cell.is.tensor != to) {
      at_copyFrom(to, cell.is.tensor);
      at_countChange(to);
    }
  }
}

/* Whether the run may be recorded for gradients: then it computes the nodes of the file. */
static bool is_tracked(const at_program *program)
{
  bool isTracked = program->makesDuals;
  for (int32_t i = 0; i < program->inputCount && !isTracked; i++)
    isTracked = program->held[i].kind != AT_CELL_NONE && at_isAnyTracked(program->given[i]);
  for (int64_t i = 0; i < at_dict_count(program->weights) && !isTracked; i++)
    isTracked = at_isTracked(at_dict_at(program->weights, i));
  return isTracked && (program->makesDuals || at_isRecording());
}

/* Computes the results. */
static void run(at_program *program)
{
  const bool isPlanned = program->plan && !is_tracked(program) && at_plan_prepare(program);
  at_frame frame;
  THGuard guard;
  at_frame_enter(&frame, program, isPlanned ? program->plan->graph : program->graph, &guard);
  at_frame_bind(&frame, false);
  if (isPlanned)
    at_plan_bind(program->plan, &frame);
  if (isPlanned)
    at_pool_begin(&frame, &program->plan->memory);
  at_frame_run(&frame);
  collect(program, &frame);
  at_pool_noteResults(&frame, program->results);
  frame.isComplete = true;
  THGuard_leave(&guard);
}

/* Runs the program on lists, one for each input, or on one list for all of them. */
static const at_tensors *run_on(const char *operation, at_program *program, const at_tensors *lists,
                                int count, bool isDealt)
{
  at_call call;
  at_begin(&call, operation);
  TH_TRY(call.attempt)
  {
    if (program->isListed)
      at_raise(AT_ERROR_ARGUMENT, "%s: the program is only listed: at_program_load loads it",
               program->path);
    if (!isDealt)
      at_dealInputs(program, *lists);
    else if (count != program->inputCount)
      at_raise(AT_ERROR_ARGUMENT, "%d lists are given, and the program has %d inputs", count,
               (int)program->inputCount);
    else if (count > 0)
      memcpy(program->given, lists, (size_t)count * sizeof *lists);
    at_checkInputs(program);
    hold(program);
    release_results(program);
    program->timing.count = 0;
    run(program);
  }
  let_go(program);
  if (!at_failed(&call))
    return &program->results;
  release_results(program);
  return &at_noTensors;
}

const at_tensors *at_program_run(at_program *program, at_tensors inputs)
{
  bool mayMiss = false;
  if (!program)
    at_fail(AT_ERROR_NULL, "program_run", "program_run: program is NULL");
  for (int32_t i = 0; program && i < program->inputCount; i++)
    mayMiss |= program->inputs[i].mayMiss;
  if (!at_acceptAll("program_run", "inputs", inputs, mayMiss) || !program)
    return &at_noTensors;
  return run_on("program_run", program, &inputs, 1, false);
}

const at_tensors *at_program_runLists(at_program *program, const at_tensors *inputs, int count)
{
  static const char operation[] = "program_runLists";
  bool isGood = program && count >= 0 && (inputs || count == 0);
  if (!program)
    at_fail(AT_ERROR_NULL, operation, "program_runLists: program is NULL");
  else if (!isGood)
    at_fail(inputs ? AT_ERROR_ARGUMENT : AT_ERROR_NULL, operation,
            "program_runLists: inputs has %d lists%s", count, inputs ? "" : " and is NULL");
  for (int i = 0; i < count && isGood; i++) {
    char name[32];
    snprintf(name, sizeof name, "inputs[%d]", i);
    isGood = at_acceptAll(operation, name, inputs[i], true);
  }
  return isGood ? run_on(operation, program, inputs, count, true) : &at_noTensors;
}

at_tensors at_program_result(const at_program *program, int index)
{
  static const char operation[] = "program_result";
  const bool hasRun = program && program->results.data;
  if (!program)
    at_fail(AT_ERROR_NULL, operation, "program_result: program is NULL");
  else if (index < 0 || index >= program->outputCount)
    at_fail(AT_ERROR_ARGUMENT, operation, "program_result: index is %d, of %d", index,
            (int)program->outputCount);
  else if (!hasRun)
    at_fail(AT_ERROR_ARGUMENT, operation, "program_result: there are no results of a run");
  else {
    const int first = index > 0 ? program->resultEnds[index - 1] : 0;
    return (at_tensors){program->results.data + first, program->resultEnds[index] - first};
  }
  return at_noTensors;
}

/* --- what is in it ---------------------------------------------------------------------------- */

int at_program_inputCount(const at_program *program)
{
  return program ? program->inputCount : 0;
}

int at_program_outputCount(const at_program *program)
{
  return program ? program->outputCount : 0;
}

static at_program_info info_of(const char *operation, const at_program *program,
                               const at_port *ports, int count, int index)
{
  if (!program)
    at_fail(AT_ERROR_NULL, operation, "%s: program is NULL", operation);
  else if (index < 0 || index >= count)
    at_fail(AT_ERROR_ARGUMENT, operation, "%s: index is %d, of %d", operation, index, count);
  else
    return (at_program_info){
        .name = ports[index].name,
        .type = ports[index].type == AT_SCALAR_TYPES ? NULL : at_cpuType(ports[index].type),
        .least = {ports[index].least, ports[index].dims},
        .most = {ports[index].most, ports[index].dims},
        .isList = ports[index].isSequence,
        .mayMiss = ports[index].mayMiss};
  return (at_program_info){.name = NULL};
}

at_program_info at_program_input(const at_program *program, int index)
{
  return info_of("program_input", program, program ? program->inputs : NULL,
                 at_program_inputCount(program), index);
}

at_program_info at_program_output(const at_program *program, int index)
{
  return info_of("program_output", program, program ? program->outputs : NULL,
                 at_program_outputCount(program), index);
}

const at_dict *at_program_parameters(const at_program *program)
{
  return program ? program->weights : NULL;
}

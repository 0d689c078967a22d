/* Programs whose loading and running may fail. */
#include "programs.h"

static void run_on(at_program *program, ProgramInputs *inputs)
{
  at_tensor *buffer[3];
  (void)at_program_run(program, inputs(buffer));
}

void try_program(const char *path, ProgramInputs *inputs)
{
  at_program *const program = at_program_load(path);
  CHECK((program != NULL) == (at_error() == AT_OK));
  if (program)
    AT_SCOPE
    {
      run_on(program, inputs);
      char *const text = at_program_toString(program);
      CHECK(text != NULL || at_error() != AT_OK);
      at_string_free(text);
    }
  at_program_free(program);
  at_error_clear();
  at_program_free(at_program_list(path));
  at_error_clear();
}

typedef struct Fault {
  const char *path;
  unsigned passes;
  ProgramInputs *inputs;
  at_program *program;
} Fault;

static void load_and_run(void *context)
{
  Fault *const fault = context;
  fault->program = at_program_loadWith(fault->path, fault->passes);
  if (fault->program)
    AT_SCOPE
    {
      run_on(fault->program, fault->inputs);
    }
  if (at_error() != AT_OK) {
    at_error_clear();
    THError("it failed");
  }
}

static void done(void *context)
{
  Fault *const fault = context;
  at_program_free(fault->program);
  fault->program = NULL;
}

void check_program_faults(const char *path, unsigned passes, ProgramInputs *inputs)
{
  char kept[600];
  snprintf(kept, sizeof kept, "%s", path);
  Fault fault = {.path = kept, .passes = passes, .inputs = inputs};
  const THFailCase stages = {.body = load_and_run, .teardown = done};
  const int acquisitions = th_fail(&stages, &fault);
  printf("%s: %d acquisitions to load and run\n", kept, acquisitions);
  CHECK(acquisitions > 20);
}

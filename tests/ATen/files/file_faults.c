/* Loading and saving with failing allocations and system calls; see files.h. */
#include <unistd.h>

#include "files.h"

static void remove_one(const char *path)
{
  unlink(path);
}

typedef struct Fault {
  char from[512], to[512];
  at_dict *dict;
  bool saved;
} Fault;

static void load_body(void *context)
{
  Fault *fault = context;
  fault->dict = at_load(fault->from);
  if (!fault->dict) {
    CHECK(at_error() != AT_OK);
    at_error_clear();
    THError("no set");
  }
}

static void load_done(void *context)
{
  Fault *fault = context;
  at_dict_free(fault->dict);
  fault->dict = NULL;
}

static const char before[] = "what was there before";

static void save_set_up(void *context)
{
  Fault *fault = context;
  write_file(fault->to, before, sizeof before);
  THMemory_emptyCache();
}

static void save_body(void *context)
{
  Fault *fault = context;
  fault->saved = at_save(fault->to, fault->dict);
  if (!fault->saved) {
    CHECK(at_error() != AT_OK);
    at_error_clear();
    THError("not saved");
  }
}

static void save_check(void *context, int raised)
{
  Fault *fault = context;
  size_t size;
  uint8_t *bytes = read_file(fault->to, &size);
  CHECK((size == sizeof before && !memcmp(bytes, before, size)) == (raised != 0));
  free(bytes);
  CHECK_EQ(scratch_count(), 1);
}

void check_faults(const char *name, const char *suffix)
{
  char file[40];
  snprintf(file, sizeof file, "faults%s", suffix);
  Fault fault = {.dict = NULL};
  snprintf(fault.from, sizeof fault.from, "%s", sample(name));
  snprintf(fault.to, sizeof fault.to, "%s", scratch(file));
  scratch_each(remove_one);
  const THFailCase loading = {.body = load_body, .teardown = load_done};
  const int loads = th_fail(&loading, &fault);

  fault.dict = load(fault.from);
  const THFailCase saving = {save_set_up, save_body, save_check, NULL};
  const int saves = th_fail(&saving, &fault);
  load_done(&fault);
  unlink(fault.to);
  printf("%s: %d acquisitions to load, %d to save\n", name, loads, saves);
  CHECK(loads > 4 && saves > 2);
}

/* What tests of programs share. */
#include "programs.h"

const char *program_sample(const char *name, const char *suffix)
{
  static char paths[4][600];
  static int next;
  char *const path = paths[next++ % 4];
  snprintf(path, sizeof *paths, "%s/%s%s", AT_PROGRAMS_DIR, name, suffix);
  return path;
}

int without_error(void **state)
{
  at_error_clear();
  return 0;
}

/* --- changed files ---------------------------------------------------------------------------- */

static uint8_t *find(uint8_t *bytes, size_t size, const void *what, size_t length)
{
  for (size_t i = 0; i + length <= size; i++)
    if (!memcmp(bytes + i, what, length))
      return bytes + i;
  return NULL;
}

/* Sets the checksums in the archive's directory to 0, which stands for none. */
static void clear_checksums(uint8_t *bytes, size_t size)
{
  uint8_t *at = bytes;
  while ((at = find(at, size - (size_t)(at - bytes), "PK\1\2", 4))) {
    memset(at + 16, 0, 4);
    at += 4;
  }
}

const char *edited(const char *name, const char *from, const char *to)
{
  size_t size;
  uint8_t *const bytes = read_file(program_sample(name, ".pt2"), &size);
  uint8_t *const at = find(bytes, size, from, strlen(from));
  CHECK_MSG(at != NULL, "%s has no %s", name, from);
  CHECK_EQ(strlen(from), strlen(to));
  memcpy(at, to, strlen(to));
  clear_checksums(bytes, size);
  write_file(scratch("edited.pt2"), bytes, size);
  free(bytes);
  return scratch("edited.pt2");
}

/* --- archives --------------------------------------------------------------------------------- */

typedef struct Member {
  const char *name, *bytes;
  size_t size, offset;
} Member;

static void put(uint8_t *to, size_t *length, uint64_t value, int count)
{
  for (int i = 0; i < count; i++, value >>= 8)
    to[(*length)++] = (uint8_t)value;
}

/* The header of a member, in front of it or in the directory; no checksums. */
static void put_header(uint8_t *to, size_t *length, const Member *member, bool inDirectory)
{
  put(to, length, inDirectory ? 0x02014b50 : 0x04034b50, 4);
  put(to, length, 20, inDirectory ? 4 : 2);
  put(to, length, 0, 8);
  put(to, length, 0, 4);
  put(to, length, member->size, 4);
  put(to, length, member->size, 4);
  put(to, length, strlen(member->name), 2);
  put(to, length, 0, inDirectory ? 12 : 2);
  if (inDirectory)
    put(to, length, member->offset, 4);
  memcpy(to + *length, member->name, strlen(member->name));
  *length += strlen(member->name);
}

const char *with_graph(const char *text, size_t length)
{
  enum { MEMBERS = 4 };
  static const char none[] = "{\"config\": {}}";
  Member members[MEMBERS] = {{"x/archive_format", "pt2", 3},
                             {"x/data/weights/model_weights_config.json", none, strlen(none)},
                             {"x/data/constants/model_constants_config.json", none, strlen(none)},
                             {"x/models/model.json", text, length}};
  uint8_t *const all = malloc(length + 2000);
  size_t at = 0;
  for (int i = 0; i < MEMBERS; i++) {
    members[i].offset = at;
    put_header(all, &at, &members[i], false);
    memcpy(all + at, members[i].bytes, members[i].size);
    at += members[i].size;
  }
  const size_t directory = at;
  for (int i = 0; i < MEMBERS; i++)
    put_header(all, &at, &members[i], true);
  const size_t directoryLength = at - directory;
  put(all, &at, 0x06054b50, 4);
  put(all, &at, 0, 4);
  put(all, &at, MEMBERS, 2);
  put(all, &at, MEMBERS, 2);
  put(all, &at, directoryLength, 4);
  put(all, &at, directory, 4);
  put(all, &at, 0, 2);
  write_file(scratch("edited.pt2"), all, at);
  free(all);
  return scratch("edited.pt2");
}

/* --- loading ---------------------------------------------------------------------------------- */

at_program *load_program(const char *path)
{
  at_program *const program = at_program_load(path);
  CHECK_MSG(program != NULL, "%s", at_error_message());
  return program;
}

void check_program_refused(const char *path, const char *part)
{
  at_program *const program = at_program_load(path);
  CHECK_MSG(!program, "a program with %s is loaded", part);
  CHECK(at_error() != AT_OK);
  CHECK_MSG(strstr(at_error_message(), part), "'%s' is not about '%s'", at_error_message(), part);
  at_error_clear();
}

/* --- runs ------------------------------------------------------------------------------------- */

static double number(at_tensor *t)
{
  const double value = at_item_double(t);
  at_release(t);
  return value;
}

static at_tensor *parts_of(at_tensor *t)
{
  const at_scalar_type type = at_type_scalarType(at_typeOf(t));
  return type == AT_COMPLEX_FLOAT || type == AT_COMPLEX_DOUBLE ? at_view_as_real(t) : t;
}

/* The norm of a - b, or of a if b is NULL, in Double. */
static double norm_of(at_tensor *a, at_tensor *b)
{
  double norm = 0;
  AT_SCOPE
  {
    a = parts_of(a);
    b = b ? parts_of(b) : NULL;
    at_tensor *x = at_to(a, AT_CPU(AT_DOUBLE));
    if (b)
      x = at_sub(x, at_to(b, AT_CPU(AT_DOUBLE)));
    norm = number(at_keep(at_norm(x)));
  }
  return norm;
}

static void check_output(const char *what, at_tensor *got, at_tensor *wanted)
{
  CHECK_MSG(at_defined(got), "%s is missing", what);
  CHECK_EQ(at_dim(got), at_dim(wanted));
  for (int d = 0; d < at_dim(got); d++)
    CHECK_EQ(at_size(got, d), at_size(wanted, d));
  const at_scalar_type type = at_type_scalarType(at_typeOf(got));
  if (type != AT_BFLOAT16) /* which NumPy has not: it is recorded as Float */
    CHECK_EQ(type, at_type_scalarType(at_typeOf(wanted)));
  const double far = norm_of(got, wanted), size = norm_of(wanted, NULL);
  CHECK_MSG(far <= 1e-4 * size, "%s is %g from the one expected, of norm %g", what, far, size);
}

void check_run(at_program *program, const at_dict *recorded, const char *outputs)
{
  enum { MOST = 32 };
  at_tensor *inputs[MOST];
  char name[40];
  int count = 0, k = 0;
  for (;; count++) {
    snprintf(name, sizeof name, "input%d", count);
    if (!at_dict_has(recorded, name))
      break;
    CHECK(count < MOST);
    inputs[count] = at_dict_get(recorded, name);
  }
  const at_tensors *const got = at_program_run(program, (at_tensors){inputs, count});
  CHECK_MSG(at_error() == AT_OK, "%s", at_error_message());
  CHECK_EQ(got->count, at_program_outputCount(program));
  for (int i = 0; i < got->count; i++) {
    if (!got->data[i])
      continue;
    snprintf(name, sizeof name, "%s%d", outputs, k++);
    CHECK_MSG(at_dict_has(recorded, name), "there is no %s", name);
    check_output(name, got->data[i], at_dict_get(recorded, name));
  }
  snprintf(name, sizeof name, "%s%d", outputs, k);
  CHECK_MSG(!at_dict_has(recorded, name), "%s is not computed", name);
}

void check_program(const char *path, const char *arrays)
{
  at_program *const program = load_program(path);
  at_dict *const recorded = load(arrays);
  th_note("%s", path);
  check_run(program, recorded, "output");
  if (at_dict_has(recorded, "again0"))
    check_run(program, recorded, "again");
  at_dict_free(recorded);
  at_program_free(program);
}

/* See files.h. */
#include "files.h"

#include <dirent.h>
#include <math.h>
#include <unistd.h>

/* --- paths ------------------------------------------------------------------------------------ */

/* A folder in memory if possible, because saving waits for disks. */
static char folder[] = "/dev/shm/aten-files.XXXXXX";

static const char *path_of(const char *in, const char *name)
{
  static char paths[4][1024];
  static int turn;
  char *path = paths[turn++ % 4];
  snprintf(path, sizeof paths[0], "%s/%s", in, name);
  return path;
}

const char *sample(const char *name)
{
  return path_of(AT_FILES_DIR, name);
}

/* Calls visit for each file of the folder; returns how many there are. */
static int each_file(void (*visit)(const char *path))
{
  DIR *all = opendir(folder);
  int count = 0;
  for (struct dirent *entry; all && (entry = readdir(all));)
    if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
      count++;
      if (visit)
        visit(path_of(folder, entry->d_name));
    }
  if (all)
    closedir(all);
  return count;
}

static void remove_one(const char *path)
{
  unlink(path);
}

static void remove_folder(void)
{
  each_file(remove_one);
  rmdir(folder);
}

const char *scratch(const char *name)
{
  static bool made;
  if (!made) {
    if (!mkdtemp(folder)) {
      strcpy(folder, "/tmp/aten-files.XXXXXX");
      CHECK(mkdtemp(folder) != NULL);
    }
    atexit(remove_folder);
    made = true;
  }
  return path_of(folder, name);
}

int scratch_count(void)
{
  return each_file(NULL);
}

void scratch_each(void (*visit)(const char *path))
{
  each_file(visit);
}

uint8_t *read_file(const char *path, size_t *size)
{
  FILE *file = fopen(path, "rb");
  CHECK_MSG(file != NULL, "there is no %s", path);
  uint8_t *bytes = malloc(1 << 20);
  *size = fread(bytes, 1, 1 << 20, file);
  fclose(file);
  return bytes;
}

const char *write_file(const char *path, const void *bytes, size_t size)
{
  FILE *file = fopen(path, "wb");
  CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
  return path;
}

/* --- values ----------------------------------------------------------------------------------- */

double value_at(at_scalar_type type, int64_t i)
{
  const double n = (double)(7 * i % 23);
  switch (type) {
    case AT_BYTE:
      return n;
    case AT_BOOL:
      return i % 3 == 0;
    case AT_FLOAT:
    case AT_DOUBLE:
    case AT_HALF:
    case AT_BFLOAT16:
      return (n - 11) / 4;
    default:
      return n - 11;
  }
}

at_tensor *make_values(at_scalar_type type, at_ints sizes)
{
  at_tensor *wide = at_zeros(sizes, .type = AT_CPU(AT_DOUBLE));
  for (int64_t i = 0; i < at_numel(wide); i++)
    ((double *)at_data(wide))[i] = value_at(type, i);
  at_tensor *t = at_to(wide, AT_CPU(type));
  at_release(wide);
  CHECK(at_defined(t));
  return t;
}

void check_view(const char *what, at_tensor *t, at_scalar_type type, at_ints sizes, int64_t first,
                const int64_t *strides)
{
  CHECK_MSG(at_defined(t), "%s: %s", what, at_error_message());
  CHECK_MSG(at_typeOf(t) == AT_CPU(type), "%s is a %s", what, at_type_toString(at_typeOf(t)));
  CHECK_MSG(at_dim(t) == sizes.count, "%s has %d dimensions, not %d", what, at_dim(t), sizes.count);
  for (int d = 0; d < sizes.count; d++)
    CHECK_MSG(at_size(t, d) == sizes.data[d], "%s: size %d is %lld", what, d,
              (long long)at_size(t, d));
  at_tensor *wide = at_to(t, AT_CPU(AT_DOUBLE)), *line = at_contiguous(wide);
  for (int64_t i = 0; i < at_numel(t); i++) {
    int64_t index = first, rest = i;
    for (int d = sizes.count - 1; d >= 0; d--) {
      index += rest % sizes.data[d] * strides[d];
      rest /= sizes.data[d];
    }
    const double is = ((double *)at_data(line))[i];
    CHECK_MSG(is == value_at(type, index), "%s: element %lld is %g, not %g", what, (long long)i, is,
              value_at(type, index));
  }
  at_release(line);
  at_release(wide);
}

void check_values(const char *what, at_tensor *t, at_scalar_type type, at_ints sizes)
{
  int64_t strides[8], step = 1;
  for (int d = sizes.count - 1; d >= 0; d--) {
    strides[d] = step;
    step *= sizes.data[d];
  }
  check_view(what, t, type, sizes, 0, strides);
}

at_dict *load(const char *path)
{
  at_dict *d = at_load(path);
  CHECK_MSG(d != NULL, "%s", at_error_message());
  CHECK_EQ(at_error(), AT_OK);
  return d;
}

static const char *const names[AT_SCALAR_TYPES] = {
    "Byte", "Char",     "Short",        "Int",           "Long",   "Float",  "Double", "Half",
    "Bool", "BFloat16", "ComplexFloat", "ComplexDouble", "UInt16", "UInt32", "UInt64"};

void check_every(const char *what, const at_dict *d, at_scalar_type most, bool skip)
{
  int64_t count = 2;
  for (int i = 0; i <= (int)most; i++)
    if (!skip || i != AT_BFLOAT16) {
      check_values(names[i], at_dict_get(d, names[i]), (at_scalar_type)i, AT_SHAPE(2, 3));
      count++;
    }
  CHECK_MSG(at_dict_count(d) == count, "%s has %lld tensors", what, (long long)at_dict_count(d));
  CHECK(!strcmp(at_dict_name(d, 0), "Byte") && !strcmp(at_dict_name(d, count - 1), "empty"));
  /* t7 has neither tensors without dimensions nor sizes of 0. */
  if (at_dim(at_dict_get(d, "scalar")) == 0)
    check_values("scalar", at_dict_get(d, "scalar"), AT_FLOAT, AT_SCALAR_SHAPE);
  else
    check_values("scalar", at_dict_get(d, "scalar"), AT_FLOAT, AT_SHAPE(1));
  if (at_dim(at_dict_get(d, "empty")) == 2)
    check_values("empty", at_dict_get(d, "empty"), AT_FLOAT, AT_SHAPE(0, 3));
  else
    check_values("empty", at_dict_get(d, "empty"), AT_FLOAT, AT_SHAPE(0));
}

static void put(at_dict *d, const char *name, at_tensor *t)
{
  CHECK(at_dict_set(d, name, t));
  at_release(t);
}

at_dict *make_every(at_scalar_type most, bool skip)
{
  at_dict *d = at_dict_new();
  for (int i = 0; i <= (int)most; i++)
    if (!skip || i != AT_BFLOAT16)
      put(d, names[i], make_values((at_scalar_type)i, AT_SHAPE(2, 3)));
  put(d, "scalar", make_values(AT_FLOAT, AT_SCALAR_SHAPE));
  if (most < AT_BOOL)
    put(d, "empty", make_values(AT_FLOAT, AT_SHAPE(0)));
  else
    put(d, "empty", make_values(AT_FLOAT, AT_SHAPE(0, 3)));
  return d;
}

/* --- what is wrong ---------------------------------------------------------------------------- */

void check_refused(const char *path, at_error_code code, const char *part)
{
  at_dict *d = at_load(path);
  CHECK_MSG(d == NULL, "%s is taken", path);
  CHECK_MSG(at_error() == code, "%s: error %d: %s", path, (int)at_error(), at_error_message());
  CHECK_MSG(strstr(at_error_message(), part), "%s: '%s' lacks '%s'", path, at_error_message(),
            part);
  CHECK(!strcmp(at_error_operation(), "load"));
  at_error_clear();
}

void check_damaged(const char *name)
{
  size_t size;
  uint8_t *bytes = read_file(sample(name), &size);
  const char *suffix = strrchr(name, '.');
  char damaged[64];
  snprintf(damaged, sizeof damaged, "damaged%s", suffix);
  for (size_t length = 0; length < size; length++) {
    at_dict *d = at_load(write_file(scratch(damaged), bytes, length));
    CHECK_MSG(d == NULL && at_error() != AT_OK, "%s is taken with %zu of %zu bytes", name, length,
              size);
    at_error_clear();
  }
  int taken = 0;
  for (size_t i = 0; i < size; i++) {
    const uint8_t byte = bytes[i];
    bytes[i] = (uint8_t)(byte ^ (0x11 << i % 4));
    at_dict *d = at_load(write_file(scratch(damaged), bytes, size));
    CHECK((d != NULL) == (at_error() == AT_OK));
    taken += d != NULL;
    at_dict_free(d);
    at_error_clear();
    bytes[i] = byte;
  }
  printf("%s: %d of %zu changed bytes make no difference that can be seen\n", name, taken, size);
  free(bytes);
}

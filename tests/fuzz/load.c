/* Loading files of tensors. */
#include "load.h"

#include <sanitizer/allocator_interface.h>
#include <string.h>

#include "TH.h"

static void read_elements(at_tensor *t)
{
  THFloatTensor *th = at_unsafeGetTH(t);
  int64_t last = th->storageOffset;
  bool none = at_numel(t) == 0;
  for (int d = 0; d < th->nDimension; d++)
    last += (th->size[d] - 1) * th->stride[d];
  MUST(none || last < th->storage->size);
  if (none || at_numel(t) > 1 << 16)
    return;
  at_tensor *line = at_contiguous(t);
  const size_t size = (size_t)at_numel(t) * at_type_elementSize(at_typeOf(t));
  volatile unsigned sum = 0;
  for (size_t i = 0; i < size; i++)
    sum += ((uint8_t *)at_data(line))[i];
  (void)sum;
  if (at_type_scalarType(at_typeOf(t)) == AT_BOOL)
    for (size_t i = 0; i < size; i++)
      MUST(((uint8_t *)at_data(line))[i] <= 1);
  at_release(line);
}

/* --- memory ----------------------------------------------------------------------------------- */

/* Bytes that are allocated, the most that were, and those at the start. */
static size_t used, most, start;

static void count_malloc(const volatile void *block, size_t size)
{
  used += size;
  if (used > most)
    most = used;
}

static void count_free(const volatile void *block)
{
  const size_t size = block ? __sanitizer_get_allocated_size(block) : 0;
  used -= size < used ? size : used;
}

void fuzz_count_memory(void)
{
  static bool counts;
  if (!counts)
    counts = __sanitizer_install_malloc_and_free_hooks(count_malloc, count_free) > 0;
  start = most = used;
}

size_t fuzz_most_memory(void)
{
  return most - start;
}

/* What ATenFile.h says of a file of that length: elements, and all else. */
static void check_memory(const uint8_t *bytes, size_t size)
{
  const bool deflated = size >= 2 && !memcmp(bytes, "PK", 2);
  MUST(fuzz_most_memory() <= (64 + (deflated ? 1032 : 8)) * size + (2 << 20));
}

/* --- values ----------------------------------------------------------------------------------- */

/* Values may hold themselves; so many are looked at. */
static void read_values(at_datum v, int depth, int *left)
{
  if (depth > 20 || (*left)-- <= 0)
    return;
  size_t length;
  volatile char last = 0;
  switch (at_datum_kindOf(v)) {
    case AT_DATUM_STRING:
    case AT_DATUM_BYTES:
    case AT_DATUM_NAME:
      last = at_datum_string(v, &length)[0];
      MUST(at_datum_string(v, &length)[length] == 0);
      break;
    case AT_DATUM_OBJECT:
      MUST(at_datum_string(v, NULL));
      break;
    case AT_DATUM_BOOL:
    case AT_DATUM_INTEGER:
      MUST(at_datum_number(v) == (double)at_datum_integer(v));
      break;
    default:
      break;
  }
  (void)last;
  for (int64_t i = 0; i < at_datum_count(v) && *left > 0; i++) {
    if (at_datum_kindOf(v) == AT_DATUM_DICT)
      read_values(at_datum_key(v, i), depth + 1, left);
    read_values(at_datum_at(v, i), depth + 1, left);
  }
}

/* The set, or NULL after an error. */
static at_dict *load(const char *path, int how)
{
  return how == 0 ? at_load(path) : how == 1 ? at_load(path, .skip = true) : at_file_list(path);
}

void fuzz_load(const uint8_t *bytes, size_t size)
{
  const char *path = fuzz_file(bytes, size);
  for (int how = 0; how < 3; how++) {
    fuzz_count_memory();
    at_dict *d = load(path, how);
    check_memory(bytes, size);
    MUST((d != NULL) == (at_error() == AT_OK));
    MUST(how > 0 || at_dict_skipped(d) == 0);
    for (int64_t i = 0; i < at_dict_count(d); i++) {
      const at_info info = at_dict_info(d, i);
      MUST(info.name == at_dict_name(d, i) || !strcmp(info.name, at_dict_name(d, i)));
      MUST(info.type && !info.problem && at_dict_has(d, info.name));
      if (how == 2)
        continue;
      MUST(at_dict_get(d, info.name) == at_dict_at(d, i));
      read_elements(at_dict_at(d, i));
    }
    for (int64_t i = 0; i < at_dict_skipped(d); i++)
      MUST(at_dict_skippedInfo(d, i).problem);
    int left = 1000;
    read_values(at_dict_values(d), 0, &left);
    read_values(at_dict_metadata(d), 0, &left);
    for (int64_t i = 0; i < at_dict_count(d) && i < 4 && at_datum_count(at_dict_values(d)); i++)
      MUST(at_datum_has(at_dict_values(d), at_dict_name(d, i)));
    MUST(!d || at_error() == AT_OK);
    at_dict_free(d);
    at_error_clear();
  }
}

void fuzz_program(const uint8_t *bytes, size_t size)
{
  const char *const path = fuzz_file(bytes, size);
  fuzz_count_memory();
  at_program *const program = at_program_load(path);
  MUST(fuzz_most_memory() <= 64 * size + (2 << 20)); /* what ATenProgram.h says */
  MUST((program != NULL) == (at_error() == AT_OK));
  for (int i = 0; i < at_program_inputCount(program); i++)
    MUST(at_program_input(program, i).name);
  for (int i = 0; i < at_program_outputCount(program); i++)
    MUST(at_program_output(program, i).name);
  if (program) {
    char *const text = at_program_toString(program);
    MUST(text);
    at_string_free(text);
  }
  at_program_free(program);
  at_error_clear();
}

/* --- archives --------------------------------------------------------------------------------- */

static void put(uint8_t *to, size_t *length, uint64_t value, int count)
{
  for (int i = 0; i < count; i++)
    to[(*length)++] = (uint8_t)(value >> 8 * i);
}

static void put_common(uint8_t *to, size_t *length, int method, size_t stored, size_t size,
                       size_t name)
{
  put(to, length, 20, 2);
  put(to, length, 0, 2);
  put(to, length, (uint64_t)method, 2);
  put(to, length, 0, 4);
  put(to, length, 0, 4);
  put(to, length, stored, 4);
  put(to, length, size, 4);
  put(to, length, name, 2);
  put(to, length, 0, 2);
}

static void add(FuzzZip *zip, const char *name, int method, const uint8_t *bytes, size_t stored,
                size_t size)
{
  const size_t length = strlen(name), offset = zip->length;
  memcpy(zip->bytes + zip->length, "PK\3\4", 4);
  zip->length += 4;
  put_common(zip->bytes, &zip->length, method, stored, size, length);
  memcpy(zip->bytes + zip->length, name, length);
  memcpy(zip->bytes + zip->length + length, bytes, stored);
  zip->length += length + stored;

  memcpy(zip->directory + zip->directoryLength, "PK\1\2\24\0", 6);
  zip->directoryLength += 6;
  put_common(zip->directory, &zip->directoryLength, method, stored, size, length);
  put(zip->directory, &zip->directoryLength, 0, 6);
  put(zip->directory, &zip->directoryLength, 0, 4);
  put(zip->directory, &zip->directoryLength, offset, 4);
  memcpy(zip->directory + zip->directoryLength, name, length);
  zip->directoryLength += length;
  zip->count++;
}

void fuzz_zip_add(FuzzZip *zip, const char *name, const uint8_t *bytes, size_t size)
{
  add(zip, name, 0, bytes, size, size);
}

void fuzz_zip_addDeflated(FuzzZip *zip, const char *name, const uint8_t *bytes, size_t stored,
                          size_t size)
{
  add(zip, name, 8, bytes, stored, size);
}

void fuzz_zip_finish(FuzzZip *zip)
{
  const size_t offset = zip->length;
  memcpy(zip->bytes + zip->length, zip->directory, zip->directoryLength);
  zip->length += zip->directoryLength;
  memcpy(zip->bytes + zip->length, "PK\5\6\0\0\0\0", 8);
  zip->length += 8;
  put(zip->bytes, &zip->length, (uint64_t)zip->count, 2);
  put(zip->bytes, &zip->length, (uint64_t)zip->count, 2);
  put(zip->bytes, &zip->length, zip->directoryLength, 4);
  put(zip->bytes, &zip->length, offset, 4);
  put(zip->bytes, &zip->length, 0, 2);
}

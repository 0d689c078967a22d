/* Fuzzes disk files and memory files, reading above all: the same calls on both, which must give
 * the same.
 *
 * Of the input, the first byte chooses how the file is read, the second how many calls there are;
 * each call takes two bytes, and what is left is the file. */
#include "fuzz.h"

#include "TH.h"

enum {
  MOST = 512, /* bytes of a file: no more elements can be read of it */
  MOST_GROWN =
      1024 + 1000, /* bytes of a file that has been written to; the largest write has 40 numbers */
};

/* --- calls ------------------------------------------------------------------------------------ */

/* All that a call gives, and all that must be the same of both files. */
typedef struct {
  int raised;
  size_t result, position;
  int hasError;
  char *string;
  uint64_t data[MOST_GROWN];
} Outcome;

typedef size_t Read(THFile *file, void *data, size_t n);

#define READER(Real, real, accreal)                                 \
  static size_t read##Real(THFile *file, void *data, size_t n)      \
  {                                                                 \
    return THFile_read##Real##Raw(file, data, n);                   \
  }                                                                 \
  static size_t read##Real##One(THFile *file, void *data, size_t n) \
  {                                                                 \
    *(real *)data = THFile_read##Real##Scalar(file);                \
    return 1;                                                       \
  }
TH_FOR_EACH_TYPE(READER)

static const struct {
  size_t size;
  Read *array, *one;
} readers[] = {
#define READER_ROW(Real, real, accreal) {sizeof(real), read##Real, read##Real##One},
    TH_FOR_EACH_TYPE(READER_ROW)};

enum {
  DO_STRING_ALL = THScalarTypes,
  DO_STRING_LINE,
  DO_SEEK,
  DO_SEEK_END,
  DO_TOGGLE,
  DO_WRITE,
  DO_SYNCHRONIZE,
  CALLS
};

/* Few, many, or more than there can be. */
static size_t count_of(uint8_t argument)
{
  return argument < 128 ? argument : argument < 250 ? (size_t)argument << 4 : SIZE_MAX >> 5;
}

static size_t write_some(THFile *file, uint8_t argument)
{
  uint64_t values[40];
  for (size_t i = 0; i < 40; i++)
    values[i] = (uint64_t)(argument + i) * 0x9e3779b97f4a7c15u >> argument % 64;
  const size_t n = argument % 41;
  switch (argument % 5) {
    case 0:
      return THFile_writeLongRaw(file, (int64_t *)values, n);
    case 1:
      return THFile_writeDoubleRaw(file, (double *)values, n);
    case 2:
      return THFile_writeHalfRaw(file, (THHalf *)values, n);
    case 3:
      return THFile_writeByteRaw(file, (uint8_t *)values, n);
    default:
      return THFile_writeStringRaw(file, (char *)values, n);
  }
}

static void make_call(THFile *file, uint8_t what, uint8_t argument, Outcome *outcome)
{
  const size_t n = count_of(argument);
  switch (what % CALLS) {
    case DO_STRING_ALL:
      outcome->result = THFile_readStringRaw(file, "*a", &outcome->string);
      break;
    case DO_STRING_LINE:
      outcome->result = THFile_readStringRaw(file, "*l", &outcome->string);
      break;
    case DO_SEEK:
      THFile_seek(file, argument);
      break;
    case DO_SEEK_END:
      THFile_seekEnd(file);
      break;
    case DO_WRITE:
      outcome->result = write_some(file, argument);
      break;
    case DO_SYNCHRONIZE:
      THFile_synchronize(file);
      break;
    case DO_TOGGLE:
      (argument & 1 ? THFile_binary : THFile_ascii)(file);
      (argument & 2 ? THFile_autoSpacing : THFile_noAutoSpacing)(file);
      (argument & 4 ? THFile_quiet : THFile_pedantic)(file);
      THFile_clearError(file);
      break;
    default:
      if (what >= 128)
        outcome->result = readers[what % CALLS].one(file, outcome->data, 1);
      else
        outcome->result = readers[what % CALLS].array(file, outcome->data, n);
  }
}

/* Makes the call and checks what must hold of every file. */
static void run_call(THFile *file, uint8_t what, uint8_t argument, Outcome *outcome)
{
  memset(outcome->data, 0x5a, sizeof outcome->data);
  outcome->result = 0;
  outcome->string = NULL;
  const size_t before = THFile_position(file);
  THFile_seekEnd(file);
  const size_t size = THFile_position(file);
  THFile_seek(file, before);
  THTry attempt;
  TH_TRY(attempt)
  {
    make_call(file, what, argument, outcome);
  }
  outcome->raised = attempt.failed;
  outcome->position = THFile_position(file);
  outcome->hasError = THFile_hasError(file);

  MUST(outcome->position <= size || outcome->position == before || what % CALLS == DO_SEEK ||
       what % CALLS == DO_WRITE);
  if (outcome->raised && what % CALLS != DO_WRITE) {
    MUST(outcome->hasError && !THFile_isQuiet(file));
    MUST(outcome->position == before);
    for (size_t i = 0; i < sizeof outcome->data / sizeof *outcome->data; i++)
      MUST(outcome->data[i] == 0x5a5a5a5a5a5a5a5a);
  } else if (what % CALLS < THScalarTypes) {
    MUST(outcome->result <= size || what >= 128);
    MUST(outcome->position - before >= outcome->result || THFile_hasError(file));
  }
  if (outcome->string) {
    MUST(outcome->result <= size);
    MUST(outcome->string[outcome->result] == 0);
  }
}

static void set_up(THFile *file, uint8_t options)
{
  (options & 1 ? THFile_binary : THFile_ascii)(file);
  (options & 2 ? THFile_noAutoSpacing : THFile_autoSpacing)(file);
  (options & 4 ? THFile_quiet : THFile_pedantic)(file);
}

/* How long integers and doubles are written, in both files. */
static void set_encoding(THFile *memory, THFile *disk, int options, int isBig)
{
  const int longSize = (const int[]){0, 4, 8, 4}[options >> 3 & 3];
  THMemoryFile_longSize(memory, longSize);
  THDiskFile_longSize(disk, longSize);
  if (isBig)
    THDiskFile_bigEndianEncoding(disk);
  else
    THDiskFile_littleEndianEncoding(disk);
  if (options & 64)
    THDiskFile_noBuffer(disk);
}

/* Checks that a call came to the same in both files. */
static void check_same(THFile *memory, THFile *disk, int isSeek, int isBig, const Outcome *first,
                       const Outcome *second)
{
  /* Only a disk file is sought beyond its end. */
  if (!isSeek) {
    MUST(first->raised == second->raised);
    MUST(first->result == second->result);
    MUST(first->position == second->position);
    MUST(first->hasError == second->hasError);
    MUST(!first->string == !second->string);
    if (first->string)
      MUST(memcmp(first->string, second->string, first->result) == 0);
    if (!isBig)
      MUST(memcmp(first->data, second->data, sizeof first->data) == 0);
  } else if (first->raised || first->hasError) {
    THFile_seekEnd(memory);
    THFile_seekEnd(disk);
    THFile_clearError(memory);
    THFile_clearError(disk);
  }
}

/* Checks what is in the files at the end. */
static void check_contents(THFile *memory, THFile *disk, const THCharStorage *storage)
{
  THFile_seek(disk, 0);
  THFile_quiet(disk);
  THFile_binary(disk);
  THMemoryFile_storage(memory);
  THByteStorage *same = THByteStorage_newWithSize(storage->size);
  MUST(THFile_readByte(disk, same) == (size_t)storage->size - 1);
  MUST(memcmp(same->data, storage->data, (size_t)storage->size - 1) == 0);
  THByteStorage_free(same);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
  if (size < 2)
    return 0;
  const uint8_t options = bytes[0];
  const size_t calls = THMin((size_t)bytes[1] % 32, (size - 2) / 2);
  const uint8_t *call = bytes + 2, *contents = call + 2 * calls;
  const size_t length = THMin(size - 2 - 2 * calls, (size_t)MOST);

  THCharStorage *storage = THCharStorage_newWithSize((ptrdiff_t)length + 1);
  memcpy(storage->data, contents, length);
  storage->data[length] = 0;
  THFile *memory = THMemoryFile_newWithStorage(storage, "rw");
  THFile *disk = THDiskFile_new(fuzz_file(contents, length), "rw", 0);
  set_up(memory, options);
  set_up(disk, options);

  const int isBig = options >> 5 & 1;
  set_encoding(memory, disk, options, isBig);
  static Outcome first, second;
  for (size_t i = 0; i < calls; i++, call += 2) {
    if (call[0] % CALLS == DO_WRITE && (isBig || THMemoryFile_storage(memory)->size > 1024))
      continue;
    run_call(memory, call[0], call[1], &first);
    run_call(disk, call[0], call[1], &second);
    check_same(memory, disk, call[0] % CALLS == DO_SEEK, isBig, &first, &second);
    THFree(first.string);
    THFree(second.string);
  }
  check_contents(memory, disk, storage);
  THFile_free(disk);
  THFile_free(memory);
  MUST(storage->refcount == 1 && storage->data[storage->size - 1] == 0);
  THCharStorage_free(storage);
  return 0;
}

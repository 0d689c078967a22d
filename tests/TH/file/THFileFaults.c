/* Files when memory, descriptors and streams run out: every acquisition of every function fails in
 * turn. */
#include <unistd.h>

#include "TH.h"
#include "th_faults.h"

enum { N = 1000 };

#define FIELD(Real, real, accreal) TH##Real##Storage *of##Real;

typedef struct Operands {
  char name[64];
  THFile *source; /* binary, in memory: zeros */
  THFile *text;   /* numbers and lines, on the disk */
  THFile *sink;   /* in memory, empty */
  THFile *disk;   /* to be written */
  THFile *made;
  char *string;
  int64_t numbers[N];
  THCharStorage *storage;
  TH_FOR_EACH_TYPE(FIELD)
} Operands;

static void set_up(Operands *o)
{
  snprintf(o->name, sizeof o->name, "/tmp/th-file-faults-%d", (int)getpid());
  o->text = THDiskFile_new(o->name, "rw", 0);
  for (int i = 0; i < N; i++)
    o->numbers[i] = i;
  THFile_writeLongRaw(o->text, o->numbers, N);
  THFile_seek(o->text, 0);
  THCharStorage *zeros = THCharStorage_newWithSize(8 * N + 1);
  THCharStorage_fill(zeros, 0);
  o->source = THMemoryFile_newWithStorage(zeros, "rw");
  THCharStorage_free(zeros);
  THFile_binary(o->source);
  o->sink = THMemoryFile_new("rw");
  o->disk = THDiskFile_new(o->name, "rw", 0);
  o->storage = THCharStorage_newWithSize1(0);
#define MAKE(Real, real, accreal)                 \
  o->of##Real = TH##Real##Storage_newWithSize(N); \
  memset(o->of##Real->data, 7, N * sizeof *o->of##Real->data);
  TH_FOR_EACH_TYPE(MAKE)
  WATCH_STORAGE(o->storage);
  WATCH_STORAGE(o->ofLong);
  WATCH_BYTES(o->numbers, sizeof o->numbers);
}

static void tear_down(Operands *o)
{
  THFile_free(o->source);
  THFile_free(o->text);
  THFile_free(o->sink);
  THFile_free(o->disk);
  THFile_free(o->made);
  THFree(o->string);
  THCharStorage_free(o->storage);
#define FREE(Real, real, accreal) TH##Real##Storage_free(o->of##Real);
  TH_FOR_EACH_TYPE(FREE)
  unlink(o->name);
}

/* --- opening ---------------------------------------------------------------------------------- */

FAULT(diskNew, o->made = THDiskFile_new(o->name, "rw", 0))
FAULT(diskNewQuiet, o->made = THDiskFile_new(o->name, "r", 1))
FAULT(diskNewMissing, TH_UNUSED THFile *none = THDiskFile_new("/nowhere/at/all", "r", 1))
FAULT(pipeNew, o->made = THPipeFile_new("true", "r", 0))
FAULT(pipeNewQuiet, o->made = THPipeFile_new("true", "w", 1))
FAULT(memoryNew, o->made = THMemoryFile_new("rw"))
FAULT(memoryNewWithStorage, o->made = THMemoryFile_newWithStorage(o->storage, "r"))
RAISES(diskNewMode, THDiskFile_new(o->name, "x", 0))
RAISES(pipeNewMode, THPipeFile_new("true", "rw", 0))
RAISES(memoryNewMode, THMemoryFile_new("x"))

/* --- elements --------------------------------------------------------------------------------- */

#define ROWS(Real, real, accreal)                                                            \
  CALM(read##Real##Scalar, THFile_read##Real##Scalar(o->source))                             \
  CALM(read##Real, THFile_read##Real(o->source, o->of##Real))                                \
  CALM(read##Real##Raw, THFile_read##Real##Raw(o->source, o->of##Real->data, N))             \
  CALM(write##Real##ScalarToDisk, THFile_write##Real##Scalar(o->disk, o->of##Real->data[0])) \
  CALM(write##Real##ToDisk, THFile_write##Real(o->disk, o->of##Real))                        \
  CALM(write##Real##RawToDisk, THFile_write##Real##Raw(o->disk, o->of##Real->data, N))       \
  FAULT(write##Real##Scalar, THFile_write##Real##Scalar(o->sink, o->of##Real->data[0]))      \
  FAULT(write##Real, THFile_write##Real(o->sink, o->of##Real))                               \
  FAULT(write##Real##Raw, THFile_write##Real##Raw(o->sink, o->of##Real->data, N))
TH_FOR_EACH_TYPE(ROWS)

FAULT(readText, THFile_readLong(o->text, o->ofLong))
FAULT(readTextRaw, THFile_readLongRaw(o->text, o->numbers, N))
FAULT(readTextDouble, THFile_readDouble(o->text, o->ofDouble))
CALM(readTextFew, THFile_readLongRaw(o->text, o->numbers, 64))
CALM(readTextQuiet, THFile_quiet(o->text); THFile_readDouble(o->text, o->ofDouble))
RAISES(readEnd, THFile_seekEnd(o->text); THFile_readLongScalar(o->text))
RAISES(readEndBinary, THFile_readLongRaw(o->source, o->numbers, 2 * N))

/* --- strings ---------------------------------------------------------------------------------- */

FAULT(readStringAll, THFile_readStringRaw(o->text, "*a", &o->string))
FAULT(readStringLine, THFile_readStringRaw(o->source, "*l", &o->string))
FAULT(writeString, THFile_writeStringRaw(o->sink, "a string", 8))
CALM(writeStringToDisk, THFile_writeStringRaw(o->disk, "a string", 8))
RAISES(readStringFormat, THFile_readStringRaw(o->text, "*n", &o->string))

/* --- states and positions -------------------------------------------------------------------- */

CALM(isOpened, THFile_isOpened(o->disk))
CALM(isQuiet, THFile_isQuiet(o->disk))
CALM(isReadable, THFile_isReadable(o->disk))
CALM(isWritable, THFile_isWritable(o->disk))
CALM(isBinary, THFile_isBinary(o->disk))
CALM(isAutoSpacing, THFile_isAutoSpacing(o->disk))
CALM(hasError, THFile_hasError(o->disk))
CALM(clearError, THFile_clearError(o->disk))
CALM(binary, THFile_binary(o->disk))
CALM(ascii, THFile_ascii(o->disk))
CALM(autoSpacing, THFile_autoSpacing(o->disk))
CALM(noAutoSpacing, THFile_noAutoSpacing(o->disk))
CALM(quiet, THFile_quiet(o->disk))
CALM(pedantic, THFile_pedantic(o->disk))
CALM(synchronize, THFile_writeIntScalar(o->disk, 1); THFile_synchronize(o->disk))
CALM(seek, THFile_seek(o->disk, 100))
CALM(seekEnd, THFile_seekEnd(o->disk))
CALM(position, THFile_position(o->disk))
CALM(close, THFile_close(o->disk))
/* What is freed waits in a list, which is made when it is first needed, and not with sanitizers. */
FAULT_ROW(closeMemory, TH_MAY_ACQUIRE, THFile_close(o->source))
RAISES(closeTwice, THFile_close(o->disk); THFile_close(o->disk))
FAULT(free, THFile_free(THMemoryFile_new("w")))
RAISES(seekMemory, THFile_seek(o->sink, 1))

CALM(name, THDiskFile_name(o->disk))
CALM(isLittleEndianCPU, THDiskFile_isLittleEndianCPU())
CALM(isBigEndianCPU, THDiskFile_isBigEndianCPU())
CALM(nativeEndianEncoding, THDiskFile_nativeEndianEncoding(o->disk))
CALM(littleEndianEncoding, THDiskFile_littleEndianEncoding(o->disk))
CALM(bigEndianEncoding, THDiskFile_bigEndianEncoding(o->disk))
CALM(diskLongSize, THDiskFile_longSize(o->disk, 4))
CALM(noBuffer, THDiskFile_noBuffer(o->disk))
CALM(memoryStorage, THMemoryFile_storage(o->sink))
CALM(memoryLongSize, THMemoryFile_longSize(o->sink, 4))

TH_FAULT_PROGRAM

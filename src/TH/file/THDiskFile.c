/* Files on a disk and pipes: a descriptor and a buffer. */
#define _GNU_SOURCE /* popen with "e" */
#include "THDiskFile.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "THFileKinds.h"
#include "TH/core/THWrite.h"

enum { BUFFER = 1 << 16 };

typedef struct THDiskFile {
  THFile file;
  int descriptor; /* -1 once closed */
  FILE *command;  /* of popen; its own buffer is never used */
  int isSeekable;
  int isRegular;   /* whether it has a size */
  int isWriting;   /* whether the buffer holds bytes still to be written; else bytes read ahead */
  uint64_t offset; /* of the descriptor */
  size_t begin, end;
  size_t capacity; /* BUFFER, or 1 without buffering */
  pid_t owner;     /* the process that opened it */
  struct THDiskFile *previous, *next;
  char buffer[BUFFER]; /* the name follows */
} THDiskFile;

/* --- at exit -------------------------------------------------------------------------------- */

static int write_out(THDiskFile *disk);

/* The files open for writing, which exit writes out. */
static THDiskFile *open_files;
static pthread_mutex_t open_files_lock = PTHREAD_MUTEX_INITIALIZER;

static void enlist(THDiskFile *disk)
{
  pthread_mutex_lock(&open_files_lock);
  disk->next = open_files;
  if (open_files)
    open_files->previous = disk;
  open_files = disk;
  pthread_mutex_unlock(&open_files_lock);
}

static void strike_out(THDiskFile *disk)
{
  pthread_mutex_lock(&open_files_lock);
  if (disk->previous)
    disk->previous->next = disk->next;
  else
    open_files = disk->next;
  if (disk->next)
    disk->next->previous = disk->previous;
  pthread_mutex_unlock(&open_files_lock);
}

/* Bytes in buffers that a parent process filled are written by the parent. */
__attribute__((destructor)) static void write_out_all(void)
{
  if (pthread_mutex_trylock(&open_files_lock))
    return;
  for (THDiskFile *disk = open_files; disk; disk = disk->next)
    if (disk->owner == getpid())
      write_out(disk);
  pthread_mutex_unlock(&open_files_lock);
}

/* --- the descriptor ------------------------------------------------------------------------- */

static int failed(THDiskFile *disk)
{
  disk->file.why = strerror(errno);
  return -1;
}

/* At most n bytes; 0 at the end and on a failure. */
static size_t read_some(THDiskFile *disk, void *to, size_t n)
{
  ssize_t got;
  do
    got = read(disk->descriptor, to, n);
  while (got < 0 && errno == EINTR);
  if (got < 0) {
    failed(disk);
    return 0;
  }
  disk->offset += (size_t)got;
  return (size_t)got;
}

/* Returns how many bytes were written; fewer than n on a failure. */
static size_t write_all(THDiskFile *disk, const char *from, size_t n)
{
  const size_t done = THWrite_all(disk->descriptor, from, n);
  if (done < n)
    failed(disk);
  disk->offset += done;
  return done;
}

/* Writes the buffer.  Bytes that cannot be written stay there for another attempt. */
static int write_out(THDiskFile *disk)
{
  if (!disk->isWriting)
    return 0;
  disk->begin += write_all(disk, disk->buffer + disk->begin, disk->end - disk->begin);
  if (disk->begin < disk->end)
    return -1;
  disk->begin = disk->end = 0;
  disk->isWriting = 0;
  return 0;
}

/* --- reading -------------------------------------------------------------------------------- */

static const char *disk_ahead(THFile *self, size_t *n)
{
  THDiskFile *disk = (THDiskFile *)self;
  *n = 0;
  if (write_out(disk))
    return disk->buffer;
  if (disk->begin == disk->end) {
    disk->begin = 0;
    disk->end = read_some(disk, disk->buffer, disk->capacity);
  }
  *n = disk->end - disk->begin;
  return disk->buffer + disk->begin;
}

static void disk_skip(THFile *self, size_t n)
{
  ((THDiskFile *)self)->begin += n;
}

/* Only regular files have a size, and some of these lie (those of /proc say 0). */
static size_t disk_left(THFile *self, size_t wanted)
{
  THDiskFile *disk = (THDiskFile *)self;
  struct stat status;
  if ((!disk->isWriting && wanted <= disk->end - disk->begin) || !disk->isRegular ||
      write_out(disk) || fstat(disk->descriptor, &status))
    return wanted;
  const uint64_t size = (uint64_t)status.st_size;
  const uint64_t position = disk->offset - (disk->end - disk->begin);
  return size > position && size - position < wanted ? (size_t)(size - position) : wanted;
}

static size_t disk_read(THFile *self, void *to, size_t n)
{
  THDiskFile *disk = (THDiskFile *)self;
  char *at = to;
  size_t missing = n, got;
  do {
    if (disk->begin == disk->end && !disk->isWriting && missing >= disk->capacity) {
      got = read_some(disk, at, missing);
    } else {
      const char *bytes = disk_ahead(self, &got);
      got = THMin(got, missing);
      memcpy(at, bytes, got);
      disk->begin += got;
    }
    at += got;
    missing -= got;
  } while (got > 0 && missing > 0);
  return n - missing;
}

/* --- writing -------------------------------------------------------------------------------- */

/* Discards bytes read ahead, so that the descriptor's position is the file's. */
static int forget_ahead(THDiskFile *disk)
{
  const uint64_t position = disk->offset - (disk->end - disk->begin);
  if (disk->begin < disk->end) {
    if (lseek(disk->descriptor, (off_t)position, SEEK_SET) < 0)
      return failed(disk);
    disk->offset = position;
  }
  disk->begin = disk->end = 0;
  return 0;
}

static size_t disk_write(THFile *self, const void *from, size_t n)
{
  THDiskFile *disk = (THDiskFile *)self;
  if (!disk->isWriting && forget_ahead(disk))
    return 0;
  if (n > disk->capacity - THMin(disk->end, disk->capacity) || n >= disk->capacity) {
    if (write_out(disk))
      return 0;
    if (n >= disk->capacity)
      return write_all(disk, from, n);
  }
  memcpy(disk->buffer + disk->end, from, n);
  disk->end += n;
  disk->isWriting = 1;
  return n;
}

static int disk_synchronize(THFile *self)
{
  return write_out((THDiskFile *)self);
}

/* --- positions, and the end ------------------------------------------------------------------ */

static int seek_to(THDiskFile *disk, off_t position, int from)
{
  if (write_out(disk))
    return -1;
  const off_t offset = lseek(disk->descriptor, position, from);
  if (offset < 0)
    return failed(disk);
  disk->offset = (uint64_t)offset;
  disk->begin = disk->end = 0;
  return 0;
}

static int disk_seek(THFile *self, size_t position)
{
  if (position > INT64_MAX) {
    errno = EOVERFLOW;
    return failed((THDiskFile *)self);
  }
  return seek_to((THDiskFile *)self, (off_t)position, SEEK_SET);
}

static int disk_seekEnd(THFile *self)
{
  return seek_to((THDiskFile *)self, 0, SEEK_END);
}

static int disk_position(THFile *self, size_t *position)
{
  THDiskFile *disk = (THDiskFile *)self;
  if (!disk->isSeekable) {
    errno = ESPIPE;
    return failed(disk);
  }
  const size_t held = disk->end - disk->begin;
  *position = disk->isWriting ? disk->offset + held : disk->offset - held;
  return 0;
}

static int disk_isOpened(THFile *self)
{
  return ((THDiskFile *)self)->descriptor >= 0;
}

/* Waits for the command.  A command that was read from may have been killed when reading ended. */
static int close_command(THDiskFile *disk)
{
  const int status = pclose(disk->command);
  if (status < 0)
    return failed(disk);
  if (!disk->file.isWritable || status == 0)
    return 0;
  disk->file.why = WIFEXITED(status) ? "the command failed" : "the command was killed";
  return -1;
}

/* The first failure is reported. */
static int disk_close(THFile *self)
{
  THDiskFile *disk = (THDiskFile *)self;
  if (self->isWritable)
    strike_out(disk);
  const int result = write_out(disk);
  const char *why = self->why;
  const int closed = disk->command             ? close_command(disk)
                     : close(disk->descriptor) ? failed(disk)
                                               : 0;
  disk->descriptor = -1;
  if (result)
    self->why = why;
  return result ? result : closed;
}

static void disk_free(THFile *self)
{
  THFree(self);
}

#define DISK_OPERATIONS                                                                       \
  .isOpened = disk_isOpened, .left = disk_left, .ahead = disk_ahead, .skip = disk_skip,       \
  .read = disk_read, .write = disk_write, .synchronize = disk_synchronize, .seek = disk_seek, \
  .seekEnd = disk_seekEnd, .position = disk_position, .close = disk_close, .free = disk_free

static const THFileVTable disk_file = {.kind = "disk file", DISK_OPERATIONS};
static const THFileVTable pipe_file = {.kind = "pipe", DISK_OPERATIONS};

/* --- opening -------------------------------------------------------------------------------- */

/* 0, or -1 and errno. */
static int open_file(THDiskFile *disk)
{
  const int how = !disk->file.isWritable  ? O_RDONLY
                  : disk->file.isReadable ? O_RDWR | O_CREAT
                                          : O_WRONLY | O_CREAT | O_TRUNC;
  do
    disk->descriptor = open(disk->file.name, how | O_CLOEXEC, 0666);
  while (disk->descriptor < 0 && errno == EINTR);
  if (disk->descriptor < 0)
    return -1;

  struct stat status;
  int error = 0;
  if (fstat(disk->descriptor, &status))
    error = errno;
  else if (S_ISDIR(status.st_mode))
    error = EISDIR;
  if (error) {
    close(disk->descriptor);
    disk->descriptor = -1;
    errno = error;
    return -1;
  }
  const off_t offset = lseek(disk->descriptor, 0, SEEK_CUR);
  disk->isRegular = S_ISREG(status.st_mode);
  disk->isSeekable = offset >= 0;
  disk->offset = offset >= 0 ? (uint64_t)offset : 0;
  return 0;
}

static int open_command(THDiskFile *disk)
{
  disk->command = popen(disk->file.name, disk->file.isWritable ? "we" : "re");
  if (disk->command)
    disk->descriptor = fileno(disk->command);
  return disk->command ? 0 : -1;
}

static THFile *new_file(const THFileVTable *vtable, int (*open)(THDiskFile *disk), const char *name,
                        int readable, int writable, int isQuiet)
{
  THArgCheck(name != NULL, 1, "the %s has no name", vtable->kind);
  const size_t length = strlen(name) + 1;
  THGuard guard;
  THGuard_enter(&guard, THFree);
  THDiskFile *disk = guard.what = THAlloc((ptrdiff_t)(sizeof *disk + length));
  memset(disk, 0, offsetof(THDiskFile, buffer));
  disk->file = THFile_make(vtable, readable, writable, isQuiet != 0);
  disk->file.name = memcpy(disk + 1, name, length);
  disk->descriptor = -1;
  disk->capacity = BUFFER;
  disk->owner = getpid();

  errno = 0;
  if (open(disk)) {
    if (!isQuiet)
      THError("cannot open <%s> in mode %s%s: %s", name, readable ? "r" : "", writable ? "w" : "",
              strerror(errno ? errno : ENOMEM));
    THGuard_leave(&guard);
    return NULL;
  }
  THGuard_keep(&guard);
  if (writable)
    enlist(disk);
  return &disk->file;
}

THFile *THDiskFile_new(const char *name, const char *mode, int isQuiet)
{
  int readable, writable;
  THArgCheck(THFile_parseMode(mode, &readable, &writable), 2,
             "file mode should be 'r', 'w' or 'rw', not '%s'", mode ? mode : "(null)");
  return new_file(&disk_file, open_file, name, readable, writable, isQuiet);
}

THFile *THPipeFile_new(const char *name, const char *mode, int isQuiet)
{
  int readable, writable;
  THArgCheck(THFile_parseMode(mode, &readable, &writable) && readable != writable, 2,
             "the mode of a pipe should be 'r' or 'w', not '%s'", mode ? mode : "(null)");
  return new_file(&pipe_file, open_command, name, readable, writable, isQuiet);
}

/* --- functions of these files only ----------------------------------------------------------- */

static THDiskFile *check_disk(THFile *self)
{
  THArgCheck(self->vtable == &disk_file || self->vtable == &pipe_file, 1, "a %s is not a disk file",
             self->vtable->kind);
  return (THDiskFile *)self;
}

const char *THDiskFile_name(THFile *self)
{
  return check_disk(self)->file.name;
}

int THDiskFile_isLittleEndianCPU(void)
{
  return __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;
}

int THDiskFile_isBigEndianCPU(void)
{
  return !THDiskFile_isLittleEndianCPU();
}

static void set_order(THFile *self, int isNative)
{
  check_disk(self);
  THFile_checkOpened(self);
  self->isNativeEncoding = isNative;
}

void THDiskFile_nativeEndianEncoding(THFile *self)
{
  set_order(self, 1);
}

void THDiskFile_littleEndianEncoding(THFile *self)
{
  set_order(self, THDiskFile_isLittleEndianCPU());
}

void THDiskFile_bigEndianEncoding(THFile *self)
{
  set_order(self, THDiskFile_isBigEndianCPU());
}

void THDiskFile_longSize(THFile *self, int size)
{
  check_disk(self);
  THFile_setLongSize(self, size);
}

void THDiskFile_noBuffer(THFile *self)
{
  THDiskFile *disk = check_disk(self);
  THFile_checkOpened(self);
  disk->capacity = 1;
  if (write_out(disk) || (disk->isSeekable && forget_ahead(disk)))
    THFile_fail(self, "failed to disable buffer of the %s %s: %s", self->vtable->kind, self->name,
                self->why);
}

/* Files in memory: a position in a CharStorage, which the program shares. */
#include "THMemoryFile.h"

#include "THFileKinds.h"

typedef struct {
  THFile file;
  THCharStorage *storage; /* NULL once closed */
  size_t size;            /* of the file; a NUL follows */
  size_t position;
} THMemoryFile;

/* The file now: the program may have made the storage smaller. */
static THMemoryFile *look(THFile *self)
{
  THMemoryFile *memory = (THMemoryFile *)self;
  const ptrdiff_t capacity = memory->storage->size;
  if (memory->size >= (size_t)capacity)
    memory->size = capacity > 0 ? (size_t)capacity - 1 : 0;
  if (memory->position > memory->size)
    memory->position = memory->size;
  return memory;
}

static int memory_isOpened(THFile *self)
{
  return ((THMemoryFile *)self)->storage != NULL;
}

/* --- reading -------------------------------------------------------------------------------- */

static const char *memory_ahead(THFile *self, size_t *n)
{
  const THMemoryFile *memory = look(self);
  *n = memory->size - memory->position;
  return *n ? (const char *)memory->storage->data + memory->position : "";
}

static void memory_skip(THFile *self, size_t n)
{
  ((THMemoryFile *)self)->position += n;
}

static size_t memory_left(THFile *self, size_t wanted)
{
  const THMemoryFile *memory = look(self);
  return THMin(wanted, memory->size - memory->position);
}

static size_t memory_read(THFile *self, void *to, size_t n)
{
  size_t there;
  const char *bytes = memory_ahead(self, &there);
  n = THMin(n, there);
  memmove(to, bytes, n);
  memory_skip(self, n);
  return n;
}

/* --- writing -------------------------------------------------------------------------------- */

/* Makes the storage capacity bytes, and some more so that many small writes take few resizes. */
static void grow(THCharStorage *storage, ptrdiff_t capacity)
{
  const ptrdiff_t more = storage->size / 2 + 128;
  THCharStorage_resize(storage, storage->size <= PTRDIFF_MAX / 2
                                    ? THMax(capacity, storage->size + more)
                                    : capacity);
}

static size_t memory_write(THFile *self, const void *from, size_t n)
{
  THMemoryFile *memory = look(self);
  THCharStorage *storage = memory->storage;
  ptrdiff_t capacity; /* bytes that are needed, with the NUL */
  if (__builtin_add_overflow(memory->position + 1, n, &capacity))
    THError("a memory file cannot have more than %td bytes", PTRDIFF_MAX - 1);

  if (capacity > storage->size) {
    if (storage->flag & TH_STORAGE_RESIZABLE) {
      const size_t offset = (size_t)((uintptr_t)from - (uintptr_t)storage->data);
      const int isInside = offset < (size_t)storage->size; /* the storage may move */
      grow(storage, capacity);
      if (isInside)
        from = storage->data + offset;
    } else {
      self->why = "its storage is not resizable";
      n = storage->size > 0 ? (size_t)storage->size - 1 - memory->position : 0;
    }
  }
  if (n == 0)
    return 0;
  memmove(storage->data + memory->position, from, n);
  memory->position += n;
  if (memory->position > memory->size) {
    memory->size = memory->position;
    storage->data[memory->size] = 0;
  }
  return n;
}

/* Cuts the storage to what is in the file. */
static int memory_synchronize(THFile *self)
{
  const THMemoryFile *memory = look(self);
  THCharStorage *storage = memory->storage;
  const ptrdiff_t wanted = (ptrdiff_t)memory->size + 1;
  if (storage->size != wanted && (storage->flag & TH_STORAGE_RESIZABLE)) {
    THCharStorage_resize(storage, wanted);
    storage->data[memory->size] = 0;
  }
  return 0;
}

/* --- positions, and the end ------------------------------------------------------------------ */

static int memory_seek(THFile *self, size_t position)
{
  THMemoryFile *memory = look(self);
  if (position > memory->size) {
    self->why = "that is beyond its end";
    return -1;
  }
  memory->position = position;
  return 0;
}

static int memory_seekEnd(THFile *self)
{
  THMemoryFile *memory = look(self);
  memory->position = memory->size;
  return 0;
}

static int memory_position(THFile *self, size_t *position)
{
  *position = look(self)->position;
  return 0;
}

/* Shrinking memory of the heap cannot fail. */
static int memory_close(THFile *self)
{
  THMemoryFile *memory = look(self);
  THCharStorage *storage = memory->storage;
  if (self->isWritable && storage->size > 0 && (storage->flag & TH_STORAGE_FREEMEM) &&
      storage->allocator == &THDefaultAllocator)
    memory_synchronize(self);
  THCharStorage_free(storage);
  memory->storage = NULL;
  return 0;
}

static void memory_free(THFile *self)
{
  THFree(self);
}

static const THFileVTable memory_file = {
    .kind = "memory file",
    .isOpened = memory_isOpened,
    .left = memory_left,
    .ahead = memory_ahead,
    .skip = memory_skip,
    .read = memory_read,
    .write = memory_write,
    .synchronize = memory_synchronize,
    .seek = memory_seek,
    .seekEnd = memory_seekEnd,
    .position = memory_position,
    .close = memory_close,
    .free = memory_free,
};

/* --- the public functions ------------------------------------------------------------------- */

static void free_storage(void *storage)
{
  THCharStorage_free(storage);
}

THFile *THMemoryFile_newWithStorage(THCharStorage *storage, const char *mode)
{
  int readable, writable;
  THArgCheck(THFile_parseMode(mode, &readable, &writable), 2,
             "file mode should be 'r', 'w' or 'rw', not '%s'", mode ? mode : "(null)");
  THArgCheck(!storage || (storage->size > 0 && storage->data[storage->size - 1] == 0), 1,
             "the storage of %td elements must be terminated by 0", storage->size);

  THGuard guard;
  THGuard_enter(&guard, free_storage);
  if (storage)
    THCharStorage_retain(storage);
  else
    storage = THCharStorage_newWithSize1(0);
  guard.what = storage;
  THMemoryFile *memory = THAlloc(sizeof *memory);
  THGuard_keep(&guard);
  *memory = (THMemoryFile){
      .file = THFile_make(&memory_file, readable, writable, 0),
      .storage = storage,
      .size = (size_t)storage->size - 1,
  };
  memory->file.name = "of a storage";
  return &memory->file;
}

THFile *THMemoryFile_new(const char *mode)
{
  return THMemoryFile_newWithStorage(NULL, mode);
}

static void check_memory(THFile *self)
{
  THArgCheck(self->vtable == &memory_file, 1, "the %s %s is not a memory file", self->vtable->kind,
             self->name);
}

THCharStorage *THMemoryFile_storage(THFile *self)
{
  check_memory(self);
  THFile_checkOpened(self);
  memory_synchronize(self);
  return ((THMemoryFile *)self)->storage;
}

void THMemoryFile_longSize(THFile *self, int size)
{
  check_memory(self);
  THFile_setLongSize(self, size);
}

/* Pictures of a folder, with a folder for each class. */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "Dataset.h"

#include "ATen/files/Files.h"

enum { MOST_CLASSES = 1 << 24 };

typedef struct Picture {
  char *path;
  size_t folder; /* bytes of path before the last slash */
  int64_t label;
} Picture;

typedef struct Names {
  char **all;
  int64_t count, capacity;
} Names;

struct at_folder {
  at_decode decode;
  void *context;
  Names classes;
  Picture *pictures;
  int64_t count, capacity;
};

static void free_names(Names *names)
{
  for (int64_t i = 0; i < names->count; i++)
    THFree(names->all[i]);
  THFree(names->all);
}

void at_folder_free(struct at_folder *f)
{
  if (!f)
    return;
  for (int64_t i = 0; i < f->count; i++)
    THFree(f->pictures[i].path);
  THFree(f->pictures);
  free_names(&f->classes);
  THFree(f);
}

/* --- folders ---------------------------------------------------------------------------------- */

/* "folder/name", or a copy of folder if name is NULL. */
static char *joined(const char *folder, const char *name)
{
  const size_t length = strlen(folder), more = name ? strlen(name) + 1 : 0;
  char *const path = THAlloc((ptrdiff_t)(length + more + 1));
  memcpy(path, folder, length);
  if (name) {
    path[length] = '/';
    memcpy(path + length + 1, name, more);
  }
  path[length + more] = '\0';
  return path;
}

static void close_folder(void *dir)
{
  if (dir)
    closedir(dir);
}

static int by_name(const void *a, const void *b)
{
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void end_names(void *names)
{
  free_names(names);
}

/* The names in a folder in their order, but for "." and "..". */
static void read_names(const char *path, Names *names)
{
  THGuard open;
  THGuard_enter(&open, close_folder);
  DIR *const dir = open.what = opendir(path);
  if (!dir)
    at_raise(AT_ERROR_RUNTIME, "%s: %s", path, strerror(errno));
  errno = 0;
  for (struct dirent *entry; (entry = readdir(dir)); errno = 0) {
    if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
      continue;
    names->all = at_grown(NULL, names->all, names->count, &names->capacity, sizeof *names->all);
    names->all[names->count] = joined(entry->d_name, NULL);
    names->count++;
  }
  if (errno != 0)
    at_raise(AT_ERROR_RUNTIME, "%s: %s", path, strerror(errno));
  THGuard_leave(&open);
  if (names->count > 0)
    qsort(names->all, (size_t)names->count, sizeof *names->all, by_name);
}

/* What stat says of a path: a folder, a regular file, or neither; a link is what it leads to. */
static mode_t kind_of(const char *path)
{
  struct stat about;
  return stat(path, &about) == 0 ? about.st_mode & S_IFMT : 0;
}

static bool is_picture(const char *name)
{
  static const char *const endings[] = {".jpg", ".jpeg", ".png",  ".ppm", ".bmp",
                                        ".pgm", ".tif",  ".tiff", ".webp"};
  const size_t length = strlen(name);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    const size_t end = strlen(endings[i]);
    if (length >= end && !strcasecmp(name + length - end, endings[i]))
      return true;
  }
  return false;
}

/* Takes over the path. */
static void add_picture(struct at_folder *f, THGuard *path, int64_t label)
{
  char *const at = path->what;
  f->pictures = at_grown(NULL, f->pictures, f->count, &f->capacity, sizeof *f->pictures);
  f->pictures[f->count++] = (Picture){at, (size_t)(strrchr(at, '/') - at), label};
  path->what = NULL;
}

/* A folder, and those around it. */
typedef struct Identity {
  const struct Identity *around;
  dev_t device;
  ino_t number;
} Identity;

/* Raises for a folder that links lead back to. */
static Identity identity_of(const char *path, const Identity *around)
{
  struct stat about;
  if (stat(path, &about) != 0)
    at_raise(AT_ERROR_RUNTIME, "%s: %s", path, strerror(errno));
  for (const Identity *p = around; p; p = p->around)
    if (p->device == about.st_dev && p->number == about.st_ino)
      at_raise(AT_ERROR_RUNTIME, "%s: it leads back to a folder around it", path);
  return (Identity){around, about.st_dev, about.st_ino};
}

/* Adds the pictures of a folder and those below. */
static void walk(struct at_folder *f, const char *path, int64_t label, const Identity *around)
{
  THGuard guard;
  Names names = {NULL};
  THGuard_enter(&guard, end_names);
  guard.what = &names;
  const Identity here = identity_of(path, around);
  read_names(path, &names);
  for (int64_t i = 0; i < names.count; i++) {
    THGuard memory;
    THGuard_enter(&memory, THFree);
    const char *const below = memory.what = joined(path, names.all[i]);
    const mode_t kind = kind_of(below);
    if (kind == S_IFDIR)
      walk(f, below, label, &here);
    else if (kind == S_IFREG && is_picture(names.all[i]))
      add_picture(f, &memory, label);
    THGuard_leave(&memory);
  }
  THGuard_leave(&guard);
}

/* torchvision's order: by class, by folder, by name. */
static int in_order(const void *a, const void *b)
{
  const Picture *const p = a, *const q = b;
  if (p->label != q->label)
    return p->label < q->label ? -1 : 1;
  const size_t least = p->folder < q->folder ? p->folder : q->folder;
  const int folders = memcmp(p->path, q->path, least);
  if (folders != 0 || p->folder != q->folder)
    return folders != 0 ? folders : p->folder < q->folder ? -1 : 1;
  return strcmp(p->path + p->folder, q->path + q->folder);
}

static void walk_class(struct at_folder *f, const char *path, char *name, const Identity *around)
{
  THGuard memory;
  const int64_t before = f->count, label = f->classes.count;
  if (label >= MOST_CLASSES)
    at_raise(AT_ERROR_RUNTIME, "%s: there are more than %d classes", path, MOST_CLASSES);
  THGuard_enter(&memory, THFree);
  const char *const folder = memory.what = joined(path, name);
  if (kind_of(folder) == S_IFDIR) {
    Names *const classes = &f->classes;
    classes->all =
        at_grown(NULL, classes->all, classes->count, &classes->capacity, sizeof *classes->all);
    classes->all[classes->count] = joined(name, NULL);
    classes->count++;
    walk(f, folder, label, around);
    if (f->count == before)
      at_raise(AT_ERROR_RUNTIME, "%s: there is no picture", folder);
  }
  THGuard_leave(&memory);
}

static void walk_classes(struct at_folder *f, const char *path)
{
  THGuard guard;
  Names names = {NULL};
  THGuard_enter(&guard, end_names);
  guard.what = &names;
  read_names(path, &names);
  const Identity here = identity_of(path, NULL);
  for (int64_t i = 0; i < names.count; i++)
    walk_class(f, path, names.all[i], &here);
  if (f->classes.count == 0)
    at_raise(AT_ERROR_RUNTIME, "%s: there is no folder of a class", path);
  THGuard_leave(&guard);
  qsort(f->pictures, (size_t)f->count, sizeof *f->pictures, in_order);
}

/* --- samples ---------------------------------------------------------------------------------- */

static bool read_sample(void *context, int64_t index, at_tensor **parts)
{
  const struct at_folder *const f = context;
  const Picture *const picture = &f->pictures[index];
  parts[0] = f->decode(f->context, picture->path);
  if (!at_defined(parts[0])) {
    at_fail(AT_ERROR_RUNTIME, "loader_next", "loader_next: %s: it could not be read",
            picture->path);
    return false;
  }
  parts[1] = at_full(AT_SCALAR_SHAPE, at_scalar_long(picture->label), .type = at_cpuType(AT_LONG));
  return at_defined(parts[1]);
}

at_dataset *(at_dataset_folder)(const char *path, at_decode decode, void *context)
{
  const char *const name = "dataset_folder";
  if (!at_acceptPointer(name, "path", path) ||
      !at_acceptPointer(name, "decode", (const void *)decode))
    return NULL;
  at_call call;
  at_begin(&call, name);
  at_dataset *volatile made = NULL;
  TH_TRY(call.attempt)
  {
    THGuard guard;
    THGuard_enter(&guard, (THUndo)at_dataset_free);
    at_dataset *const d = guard.what = THAlloc(sizeof *d);
    *d = (at_dataset){.parts = 2, .sample = read_sample};
    struct at_folder *const f = d->folder = THAlloc(sizeof *f);
    *f = (struct at_folder){.decode = decode, .context = context};
    d->context = f;
    walk_classes(f, path);
    d->count = f->count;
    made = THGuard_keep(&guard);
  }
  at_failed(&call);
  return made;
}

int at_dataset_classes(const at_dataset *d)
{
  if (!at_acceptPointer("dataset_classes", "dataset", d))
    return -1;
  return d->folder ? (int)d->folder->classes.count : 0;
}

const char *(at_dataset_class)(const at_dataset *d, int index)
{
  const char *const name = "dataset_class";
  if (!at_acceptPointer(name, "dataset", d))
    return NULL;
  if (index >= 0 && index < at_dataset_classes(d))
    return d->folder->classes.all[index];
  at_fail(AT_ERROR_ARGUMENT, name, "%s: index is %d, and there are %d classes", name, index,
          at_dataset_classes(d));
  return NULL;
}

const char *(at_dataset_path)(const at_dataset *d, int64_t index)
{
  const char *const name = "dataset_path";
  if (!at_acceptPointer(name, "dataset", d))
    return NULL;
  if (d->folder && index >= 0 && index < d->count)
    return d->folder->pictures[index].path;
  at_fail(AT_ERROR_ARGUMENT, name, "%s: index is %lld, and there are %lld files", name,
          (long long)index, (long long)(d->folder ? d->count : 0));
  return NULL;
}

/* Values of THTuning.h: from the environment, or a file, which may be anyone's. */
#define _GNU_SOURCE /* secure_getenv */
#include "THTuning.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

#include "THCpu.h"

static const struct {
  const char *name, *variable;
  int64_t least, most;
} rows[TH_TUNABLES] = {
    [TH_TUNE_STREAM_BYTES] = {"stream_bytes", "TH_STREAM_BYTES", 0, INT64_C(1) << 40},
    [TH_TUNE_SUM_DOUBLES] = {"sum_doubles", "TH_SUM_DOUBLES", 4, 8},
    [TH_TUNE_THREAD_WORK] = {"thread_work", "TH_THREAD_WORK", 1 << 10, 1 << 24},
};

enum { MOST_TEXT = 4096 };

static int64_t values[TH_TUNABLES];
static int sources[TH_TUNABLES];
static char machine[160], path[PATH_MAX];
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* --- the machine ------------------------------------------------------------------------------ */

/* The name that the processor gives itself, in printable characters. */
static void read_brand(char brand[static 49])
{
  memset(brand, 0, 49);
#ifdef __x86_64__
  unsigned part[4];
  for (unsigned i = 0; i < 3; i++)
    if (__get_cpuid(0x80000002 + i, &part[0], &part[1], &part[2], &part[3]))
      memcpy(brand + sizeof part * i, part, sizeof part);
#endif
  for (int i = 0; brand[i]; i++)
    if (brand[i] < ' ' || brand[i] > '~')
      brand[i] = '?';
}

static uint64_t hash_of(const char *text)
{
  uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
  for (; *text; text++)
    hash = (hash ^ (unsigned char)*text) * UINT64_C(0x100000001b3);
  return hash;
}

static void find_machine(void)
{
  char brand[49];
  read_brand(brand);
  snprintf(machine, sizeof machine, "%s, %ld processors, %lld KB last-level cache", brand,
           sysconf(_SC_NPROCESSORS_CONF), (long long)THCpu_lastLevelCache() >> 10);
}

/* The path of the file, or "". */
static void find_path(void)
{
  const char *const cache = secure_getenv("XDG_CACHE_HOME"), *const home = secure_getenv("HOME");
  const bool hasCache = cache && *cache == '/';
  if (!hasCache && !(home && *home == '/'))
    return;
  const int length = snprintf(path, sizeof path, "%s%s/th/tuning-%016llx", hasCache ? cache : home,
                              hasCache ? "" : "/.cache", (unsigned long long)hash_of(machine));
  if (length < 0 || (size_t)length >= sizeof path)
    *path = 0;
}

/* --- reading ---------------------------------------------------------------------------------- */

/* Reads the file as a string; false unless it is one to be trusted. */
static bool read_text(char text[static MOST_TEXT])
{
  const int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  struct stat status;
  if (file < 0)
    return false;
  ssize_t length = -1;
  if (!fstat(file, &status) && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
      !(status.st_mode & (S_IWGRP | S_IWOTH)) && status.st_size < MOST_TEXT)
    length = read(file, text, MOST_TEXT - 1);
  close(file);
  text[length > 0 ? length : 0] = 0;
  return length > 0 && strlen(text) == (size_t)length;
}

/* The value in a text of digits alone; -1 if it is none in the range. */
static int64_t value_of(const char *text, int which)
{
  char *end;
  errno = 0;
  const long long value = strtoll(text, &end, 10);
  const bool good = *text >= '0' && *text <= '9' && !*end && !errno && value >= rows[which].least &&
                    value <= rows[which].most;
  return good ? value : -1;
}

/* Takes a line "name value"; false if it is wrong. */
static bool take_line(char *line, int64_t *found)
{
  char *const space = strchr(line, ' ');
  if (!space)
    return false;
  *space = 0;
  if (!strcmp(line, "machine"))
    return !strcmp(space + 1, machine);
  for (int i = 0; i < TH_TUNABLES; i++)
    if (!strcmp(line, rows[i].name))
      return (found[i] = value_of(space + 1, i)) >= 0;
  return true; /* of another version of the library */
}

static void read_file(void)
{
  char text[MOST_TEXT];
  int64_t found[TH_TUNABLES];
  char *rest = text;
  memset(found, -1, sizeof found);
  if (!*path || !read_text(text))
    return;
  for (char *line; (line = strsep(&rest, "\n")) && (rest || *line);)
    if (!take_line(line, found))
      return;
  for (int i = 0; i < TH_TUNABLES; i++)
    if (found[i] >= 0) {
      values[i] = found[i];
      sources[i] = TH_TUNED_BY_FILE;
    }
}

/* What is no number of the range is the next one that is. */
static void read_environment(void)
{
  for (int i = 0; i < TH_TUNABLES; i++) {
    const char *const text = secure_getenv(rows[i].variable);
    if (!text || !*text)
      continue;
    values[i] = THMin(rows[i].most, THMax(rows[i].least, strtoll(text, NULL, 10)));
    sources[i] = TH_TUNED_BY_ENVIRONMENT;
  }
}

static void begin(void)
{
  memset(values, -1, sizeof values);
  find_machine();
  find_path();
  read_file();
  read_environment();
}

/* --- what programs see ------------------------------------------------------------------------ */

static int checked(THTunable which)
{
  THArgCheck((unsigned)which < TH_TUNABLES, 1, "it is %d, of %d", (int)which, TH_TUNABLES);
  pthread_once(&once, begin);
  return (int)which;
}

const char *THTuning_name(THTunable which)
{
  return rows[checked(which)].name;
}

int64_t THTuning_get(THTunable which)
{
  return __atomic_load_n(&values[checked(which)], __ATOMIC_RELAXED);
}

THTuningSource THTuning_source(THTunable which)
{
  return (THTuningSource)__atomic_load_n(&sources[checked(which)], __ATOMIC_RELAXED);
}

void THTuning_set(THTunable which, int64_t value)
{
  const int i = checked(which);
  THArgCheck(value == -1 || (value >= rows[i].least && value <= rows[i].most), 2,
             "%s is %lld, and has to be from %lld to %lld, or -1", rows[i].name, (long long)value,
             (long long)rows[i].least, (long long)rows[i].most);
  __atomic_store_n(&values[i], value, __ATOMIC_RELAXED);
  __atomic_store_n(&sources[i], value < 0 ? TH_TUNED_BY_LIBRARY : TH_TUNED_BY_PROGRAM,
                   __ATOMIC_RELAXED);
}

const char *THTuning_machine(void)
{
  pthread_once(&once, begin);
  return machine;
}

const char *THTuning_path(void)
{
  pthread_once(&once, begin);
  return *path ? path : NULL;
}

/* --- writing ---------------------------------------------------------------------------------- */

/* Makes the folders of the file. */
static bool make_folders(char *name)
{
  for (char *at = strchr(name + 1, '/'); at; at = strchr(at + 1, '/')) {
    *at = 0;
    const int failed = mkdir(name, S_IRWXU) != 0 && errno != EEXIST;
    *at = '/';
    if (failed)
      return false;
  }
  return true;
}

static bool write_all(int file, const char *text, size_t length)
{
  while (length > 0) {
    const ssize_t written = write(file, text, length);
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    text += written;
    length -= (size_t)written;
  }
  return true;
}

int THTuning_save(void)
{
  char text[MOST_TEXT], name[PATH_MAX + 8];
  if (!THTuning_path()) {
    errno = ENOENT;
    return 0;
  }
  int length = snprintf(text, sizeof text, "machine %s\n", machine);
  for (int i = 0; i < TH_TUNABLES; i++)
    if (values[i] >= 0)
      length += snprintf(text + length, sizeof text - (size_t)length, "%s %lld\n", rows[i].name,
                         (long long)values[i]);
  snprintf(name, sizeof name, "%s.XXXXXX", path);
  const int file = make_folders(name) ? mkostemp(name, O_CLOEXEC) : -1;
  if (file < 0)
    return 0;
  const bool isWritten = write_all(file, text, (size_t)length);
  const bool isClosed = close(file) == 0;
  if (isWritten && isClosed && rename(name, path) == 0)
    return 1;
  const int why = errno;
  unlink(name);
  errno = why;
  return 0;
}

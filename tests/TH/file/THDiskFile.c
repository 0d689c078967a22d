/* Disk files and pipes: opening, names, large offsets, full disks, signals, exit, locales. */
#define _GNU_SOURCE
#include "files.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

#include "th_locale.h"

/* --- opening ---------------------------------------------------------------------------------- */

static void opening(void **state)
{
  CHECK_RAISES(0, "cannot open <", THDiskFile_new(file_path, "r", 0));
  CHECK_RAISES(0, strerror(ENOENT), THDiskFile_new(file_path, "r", 0));
  CHECK(THDiskFile_new(file_path, "r", 1) == NULL);
  CHECK_RAISES(0, strerror(EISDIR), THDiskFile_new(file_folder, "r", 0));
  CHECK(THDiskFile_new(file_folder, "w", 1) == NULL);
  for (int quiet = 0; quiet < 2; quiet++) {
    CHECK_RAISES(1, "no name", THDiskFile_new(NULL, "r", quiet));
    CHECK_RAISES(2, "'r', 'w' or 'rw', not 'a'", THDiskFile_new(file_path, "a", quiet));
    CHECK_RAISES(2, "not 'wr'", THDiskFile_new(file_path, "wr", quiet));
    CHECK_RAISES(2, "not 'rb'", THDiskFile_new(file_path, "rb", quiet));
    CHECK_RAISES(2, "not ''", THDiskFile_new(file_path, "", quiet));
    CHECK_RAISES(2, "not '(null)'", THDiskFile_new(file_path, NULL, quiet));
    CHECK_RAISES(2, "'r' or 'w', not 'rw'", THPipeFile_new("true", "rw", quiet));
    CHECK_RAISES(1, "no name", THPipeFile_new(NULL, "r", quiet));
  }
  CHECK(access(file_path, F_OK) != 0);

  THFile *file = THDiskFile_new(file_path, "rw", 1); /* makes it */
  CHECK(THFile_isQuiet(file));
  CHECK(!strcmp(THDiskFile_name(file), file_path));
  CHECK_EQ(THFile_readIntScalar(file), 0);
  CHECK(THFile_hasError(file));
  THFile_writeIntScalar(file, 12);
  THFile_close(file);
  CHECK(!strcmp(THDiskFile_name(file), file_path));
  THFile_free(file);

  file = THDiskFile_new(file_path, "rw", 0); /* keeps it, and starts at its beginning */
  THFile_writeStringRaw(file, "3", 1);
  check_bytes(DISK, file, "32\n", 3);
  file = THDiskFile_new(file_path, "w", 0); /* empties it */
  check_bytes(DISK, file, "", 0);

  file = THPipeFile_new("echo 1 2", "r", 0);
  CHECK(!strcmp(THDiskFile_name(file), "echo 1 2"));
  CHECK_EQ(THFile_readIntScalar(file), 1);
  THFile_free(file); /* with something left to read */
}

/* --- positions ------------------------------------------------------------------------------- */

/* Offsets in a file with a hole of 5 GB, beyond what 32 bits hold. */
static void large_offsets(void **state)
{
  const size_t far = (size_t)5 << 30;
  THFile *file = THDiskFile_new(file_path, "rw", 0);
  THFile_binary(file);
  THFile_seek(file, far);
  CHECK_EQ(THFile_position(file), far);
  THFile_writeLongScalar(file, 77);
  CHECK_EQ(THFile_position(file), far + 8);
  THFile_seek(file, far - 8);
  CHECK_EQ(THFile_readLongScalar(file), 0);
  CHECK_EQ(THFile_readLongScalar(file), 77);
  THFile_seek(file, 0);
  THFile_seekEnd(file);
  CHECK_EQ(THFile_position(file), far + 8);
  CHECK_RAISES(0, "unable to seek at position 18446744073709551615", THFile_seek(file, SIZE_MAX));
  CHECK_EQ(THFile_position(file), far + 8);
  CHECK_RAISES(0, "read 0 blocks instead of 1", THFile_readByteScalar(file));
  THFile_seek(file, far + 100); /* beyond the end there is nothing to read */
  THFile_quiet(file);
  CHECK_EQ(THFile_readByteScalar(file), 0);
  THFile_seek(file, SIZE_MAX / 2 + 1);
  CHECK_EQ(THFile_hasError(file), 1);
  THFile_free(file);

  file = THPipeFile_new("cat /dev/zero", "r", 0);
  CHECK_RAISES(0, "unable to seek at position 3 in the pipe cat /dev/zero", THFile_seek(file, 3));
  CHECK_RAISES(0, "unable to seek at the end of", THFile_seekEnd(file));
  CHECK_RAISES(0, "unable to tell the position", THFile_position(file));
  CHECK_EQ(THFile_hasError(file), 1);
  THFile_quiet(file);
  THFile_clearError(file);
  CHECK_EQ(THFile_position(file), 0);
  CHECK_EQ(THFile_hasError(file), 1);
  THFile_free(file);
}

/* A file that others make longer goes on where it had ended, and one of /proc says it has size 0.
 */
static void growing(void **state)
{
  THFile *writer = THDiskFile_new(file_path, "w", 0), *reader = THDiskFile_new(file_path, "r", 1);
  CHECK_EQ(THFile_readIntScalar(reader), 0);
  CHECK(THFile_hasError(reader));
  THFile_writeIntScalar(writer, 5);
  CHECK_EQ(THFile_readIntScalar(reader), 0); /* the number waits in the writer's buffer */
  THFile_synchronize(writer);
  THFile_clearError(reader);
  CHECK_EQ(THFile_readIntScalar(reader), 5);
  CHECK(!THFile_hasError(reader));
  THDiskFile_noBuffer(writer);
  THFile_writeIntScalar(writer, 6);
  CHECK_EQ(THFile_readIntScalar(reader), 6);
  THFile_free(writer);
  THFile_free(reader);

  char name[4];
  reader = THDiskFile_new("/proc/self/status", "r", 0);
  CHECK_EQ(THFile_readCharRaw(reader, (TH_CHAR *)name, 4), 4);
  CHECK(memcmp(name, "Name", 4) == 0);
  THFile_free(reader);
}

/* Without a buffer not more is taken from a descriptor than is used. */
static void unbuffered(void **state)
{
  put_file("12 34 abcdef", 12);
  char rest[16] = "";
  THFile *file = THPipeFile_new("printf '12 34 abcdef'", "r", 0);
  THDiskFile_noBuffer(file);
  CHECK_EQ(THFile_readIntScalar(file), 12);
  CHECK_EQ(THFile_readIntScalar(file), 34);
  CHECK_EQ(THFile_readCharRaw(file, (TH_CHAR *)rest, 7), 7);
  CHECK(!strcmp(rest, " abcdef"));
  THFile_free(file);

  /* Buffered bytes are not lost when buffering ends. */
  file = THDiskFile_new(file_path, "rw", 0);
  CHECK_EQ(THFile_readIntScalar(file), 12);
  THDiskFile_noBuffer(file);
  CHECK_EQ(THFile_position(file), 2);
  CHECK_EQ(THFile_readIntScalar(file), 34);
  THFile_writeStringRaw(file, "X", 1);
  check_bytes(DISK, file, "12 34Xabcdef", 12);

  file = THPipeFile_new("printf '12 34 abcdef'", "r", 0);
  CHECK_EQ(THFile_readIntScalar(file), 12);
  THDiskFile_noBuffer(file);
  CHECK_EQ(THFile_readIntScalar(file), 34);
  THFile_free(file);
}

/* --- failing writes -------------------------------------------------------------------------- */

static void full_disk(void **state)
{
  static char large[300000];
  const char *full = strerror(ENOSPC);
  THFile *file = THDiskFile_new("/dev/full", "w", 0);
  CHECK_RAISES(0, full, THFile_writeStringRaw(file, large, sizeof large));
  CHECK_EQ(THFile_writeStringRaw(file, large, 10), 10); /* into the buffer */
  CHECK_RAISES(0, full, THFile_synchronize(file));
  CHECK_RAISES(0, full, THFile_seek(file, 0));
  CHECK_RAISES(0, "failed to disable buffer", THDiskFile_noBuffer(file));
  CHECK_RAISES(0, "wrote 0 blocks instead of 1", THFile_writeIntScalar(file, 1));
  CHECK_RAISES(0, "unable to close the disk file /dev/full", THFile_close(file));
  CHECK(!THFile_isOpened(file));
  CHECK(THFile_hasError(file));
  THFile_free(file);

  file = THDiskFile_new("/dev/full", "w", 1);
  CHECK_EQ(THFile_writeByteRaw(file, (uint8_t *)large, sizeof large), 0);
  CHECK(THFile_hasError(file));
  THFile_clearError(file);
  THFile_writeIntScalar(file, 1);
  CHECK(!THFile_hasError(file));
  THFile_close(file);
  CHECK(THFile_hasError(file));
  THFile_free(file);

  file = THDiskFile_new("/dev/full", "w", 0);
  THFile_writeIntScalar(file, 1);
  THFile_free(file); /* says nothing */
}

/* A limit on the size of files lets a part through, and its signal does not end the program; what
 * was in the buffer is tried again. */
static void partly_written(void **state)
{
  struct rlimit before, limit;
  CHECK(getrlimit(RLIMIT_FSIZE, &before) == 0);
  limit = before;
  limit.rlim_cur = 100;
  uint64_t longs[20];
  for (int i = 0; i < 20; i++)
    longs[i] = (uint64_t)i * 0x0101010101010101u;

  THFile *file = THDiskFile_new(file_path, "w", 1);
  THFile_binary(file);
  THDiskFile_noBuffer(file);
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  CHECK_EQ(THFile_writeLongRaw(file, (int64_t *)longs, 20), 12);
  CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
  CHECK(THFile_hasError(file));
  CHECK_EQ(THFile_position(file), 100);
  THFile_free(file);

  file = THDiskFile_new(file_path, "w", 0);
  THFile_binary(file);
  CHECK_EQ(THFile_writeLongRaw(file, (int64_t *)longs, 20), 20);
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  CHECK_RAISES(0, strerror(EFBIG), THFile_synchronize(file));
  CHECK(setrlimit(RLIMIT_FSIZE, &before) == 0);
  CHECK_EQ(THFile_position(file), 160);
  check_bytes(DISK, file, longs, 160);
}

/* --- pipes ------------------------------------------------------------------------------------ */

static void commands(void **state)
{
  char command[320];
  snprintf(command, sizeof command, "tr a-z A-Z > %s", file_path);
  THFile *file = THPipeFile_new(command, "w", 0);
  THFile_writeStringRaw(file, "hello", 5);
  check_bytes(DISK, file, "HELLO", 5); /* closing waits */

  file = THPipeFile_new("cat > /dev/null; exit 3", "w", 0);
  THFile_writeIntScalar(file, 1);
  CHECK_RAISES(0, "the command failed", THFile_close(file));
  CHECK(!THFile_isOpened(file));
  THFile_free(file);
  file = THPipeFile_new("kill -9 $$", "w", 0);
  CHECK_RAISES(0, "the command was killed", THFile_close(file));
  THFile_free(file);
  file = THPipeFile_new("echo 4; exit 3", "r", 0);
  CHECK_EQ(THFile_readIntScalar(file), 4);
  THFile_close(file);
  THFile_free(file);
  file = THPipeFile_new("exit 3", "r", 0);
  CHECK_RAISES(0, "the file ends", THFile_readIntScalar(file));
  THFile_free(file);
}

/* A reader that is gone is an error, and the signal is neither delivered nor left pending. */
static void broken_pipe(void **state)
{
  static char large[300000];
  sigset_t pending, broken, before;
  sigemptyset(&broken);
  sigaddset(&broken, SIGPIPE);
  for (int isBlocked = 0; isBlocked < 2; isBlocked++) {
    if (isBlocked)
      pthread_sigmask(SIG_BLOCK, &broken, &before);
    THFile *file = THPipeFile_new("exec true", "w", 0);
    CHECK_RAISES(0, strerror(EPIPE), THFile_writeStringRaw(file, large, sizeof large));
    THFile_free(file);
    sigpending(&pending);
    CHECK(!sigismember(&pending, SIGPIPE));
  }
  raise(SIGPIPE); /* one that is another's stays */
  THFile *file = THPipeFile_new("exec true", "w", 0);
  CHECK_RAISES(0, strerror(EPIPE), THFile_writeStringRaw(file, large, sizeof large));
  THFile_free(file);
  sigpending(&pending);
  CHECK(sigismember(&pending, SIGPIPE));
  signal(SIGPIPE, SIG_IGN);
  signal(SIGPIPE, SIG_DFL);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static volatile int ticks;

static void tick(int unused)
{
  ticks++;
}

/* Signals that interrupt reading and writing, and short reads, change nothing. */
static void interrupted(void **state)
{
  struct sigaction action = {.sa_handler = tick}, before; /* without SA_RESTART */
  sigaction(SIGALRM, &action, &before);
  const struct itimerval often = {{0, 1000}, {0, 1000}}, never = {{0, 0}, {0, 0}};

  enum { N = 40000 };
  static int64_t values[N], read[N];
  for (int i = 0; i < N; i++)
    values[i] = i * INT64_C(0x123456789);
  char command[320];
  for (int isBinary = 0; isBinary < 2; isBinary++) {
    snprintf(command, sizeof command, "sleep 0.05; cat > %s", file_path);
    THFile *file = THPipeFile_new(command, "w", 0);
    if (isBinary)
      THFile_binary(file);
    ticks = 0;
    setitimer(ITIMER_REAL, &often, NULL);
    CHECK_EQ(THFile_writeLongRaw(file, values, N), N);
    THFile_close(file);
    setitimer(ITIMER_REAL, &never, NULL);
    CHECK(ticks > 0);
    THFile_free(file);

    snprintf(command, sizeof command, "head -c 1000 %s; sleep 0.05; tail -c +1001 %s", file_path,
             file_path);
    file = THPipeFile_new(command, "r", 0);
    if (isBinary)
      THFile_binary(file);
    ticks = 0;
    setitimer(ITIMER_REAL, &often, NULL);
    CHECK_EQ(THFile_readLongRaw(file, read, N), N);
    setitimer(ITIMER_REAL, &never, NULL);
    CHECK(ticks > 0);
    CHECK(memcmp(values, read, sizeof read) == 0);
    THFile_free(file);
  }
  sigaction(SIGALRM, &before, NULL);
}

/* --- processes -------------------------------------------------------------------------------- */

/* exit writes out what is in the buffers of the process that opened the file, and of no other. */
static void at_exit(void **state)
{
  THFile *parents = THDiskFile_new(file_path, "w", 0);
  THFile_writeStringRaw(parents, "parent ", 7);
  char other[128];
  snprintf(other, sizeof other, "%s/other", file_folder);
  fflush(NULL);
  const pid_t child = fork();
  if (child == 0) {
    THFile *first = THDiskFile_new(other, "w", 0), *second = THDiskFile_new(other, "rw", 0);
    THFile *third = THDiskFile_new(other, "rw", 0);
    THFile_writeStringRaw(first, "a", 1);
    THFile_seek(second, 1);
    THFile_writeStringRaw(second, "b", 1);
    THFile_seek(third, 2);
    THFile_writeStringRaw(third, "c", 1);
    THFile_free(second); /* the other two are still open */
    exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  check_bytes(DISK, parents, "parent ", 7);
  THFile *file = THDiskFile_new(other, "r", 0);
  char text[3];
  CHECK_EQ(THFile_readCharRaw(file, (TH_CHAR *)text, 3), 3);
  CHECK(memcmp(text, "abc", 3) == 0);
  CHECK_EQ(THFile_position(file), 3);
  THFile_free(file);
  unlink(other);
}

/* --- locales ---------------------------------------------------------------------------------- */

static void locales(void **state)
{
  const int found = th_locale_comma(file_folder);
  if (found) {
    char number[8];
    snprintf(number, sizeof number, "%.1f", 1.5);
    CHECK(!strcmp(number, "1,5"));
    THFile *file = THDiskFile_new(file_path, "rw", 0);
    THFile_writeDoubleRaw(file, (double[]){1.5, 1234567.25}, 2);
    THFile_writeFloatScalar(file, 0.1f);
    THFile_seek(file, 0);
    CHECK_EQ(THFile_readFloatScalar(file), 1.5);
    CHECK_EQ(THFile_readDoubleScalar(file), 1234567.25);
    check_bytes(DISK, file, "1.5 1234567.25\n0.100000001\n", 27);
    snprintf(number, sizeof number, "%.1f", 1.5); /* and the program's stays */
    CHECK(!strcmp(number, "1,5"));
  }
  th_locale_plain(file_folder);
  if (!found)
    skip();
}

int main(void)
{
#define FILE_TEST(test) cmocka_unit_test_setup_teardown(test, files_setup, files_teardown)
  const struct CMUnitTest tests[] = {
      FILE_TEST(opening),    FILE_TEST(large_offsets), FILE_TEST(growing),
      FILE_TEST(unbuffered), FILE_TEST(full_disk),     FILE_TEST(partly_written),
      FILE_TEST(commands),   FILE_TEST(broken_pipe),   FILE_TEST(interrupted),
      FILE_TEST(at_exit),    FILE_TEST(locales)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

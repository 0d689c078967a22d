/* Sets of tensors with names, and properties of saving and loading that all formats share. */
#define _GNU_SOURCE /* O_TMPFILE */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "files.h"

static void names(void **state)
{
  enum { COUNT = 3000 };
  at_dict *d = at_dict_new();
  char name[40];
  for (int i = 0; i < COUNT; i++) {
    snprintf(name, sizeof name, "layers.%d.weight", i * 7919 % COUNT);
    at_tensor *t = at_full(AT_SHAPE(1), at_scalar(i), .type = AT_CPU(AT_INT));
    CHECK(!at_dict_has(d, name));
    CHECK(at_dict_set(d, name, t));
    at_release(t);
  }
  CHECK_EQ(at_dict_count(d), COUNT);
  for (int i = 0; i < COUNT; i++) {
    snprintf(name, sizeof name, "layers.%d.weight", i * 7919 % COUNT);
    CHECK(!strcmp(at_dict_name(d, i), name) && at_dict_has(d, name));
    CHECK(at_dict_get(d, name) == at_dict_at(d, i));
    CHECK_EQ(*(int *)at_data(at_dict_get(d, name)), i);
  }
  /* An existing name keeps its index; its former tensor is released. */
  at_tensor *t = at_ones(AT_SHAPE(2));
  CHECK(at_dict_set(d, "layers.0.weight", t) && at_dict_at(d, 0) == t);
  CHECK(at_dict_set(d, "layers.0.weight", t) && at_dict_count(d) == COUNT);
  at_release(t);
  CHECK_EQ(((float *)at_data(at_dict_at(d, 0)))[1], 1);
  at_dict_free(d);
  at_dict_free(NULL);
  CHECK_EQ(at_error(), AT_OK);
}

static void scoped(void **state)
{
  at_dict *d = at_dict_new();
  AT_SCOPE
  {
    CHECK(at_dict_set(d, "a", at_full(AT_SHAPE(2), at_scalar(3))));
  }
  CHECK_EQ(((float *)at_data(at_dict_get(d, "a")))[1], 3);
  at_dict_free(d);
}

static void wrong(void **state)
{
  at_dict *d = at_dict_new();
  at_tensor *t = at_ones(AT_SHAPE(2));
#define FAILS(CODE, CALL)                                       \
  do {                                                          \
    CHECK(CALL);                                                \
    CHECK_MSG(at_error() == CODE, "%s: %d", #CALL, at_error()); \
    at_error_clear();                                           \
  } while (0)
  FAILS(AT_ERROR_ARGUMENT, at_dict_get(d, "a") == at_undefined());
  FAILS(AT_ERROR_NULL, at_dict_get(NULL, "a") == at_undefined());
  FAILS(AT_ERROR_NULL, at_dict_get(d, NULL) == at_undefined());
  FAILS(AT_ERROR_ARGUMENT, at_dict_at(d, 0) == at_undefined());
  FAILS(AT_ERROR_ARGUMENT, at_dict_at(d, -1) == at_undefined());
  FAILS(AT_ERROR_ARGUMENT, at_dict_name(d, 0) == NULL);
  FAILS(AT_ERROR_NULL, at_dict_name(NULL, 0) == NULL);
  FAILS(AT_ERROR_NULL, !at_dict_set(d, "a", NULL));
  FAILS(AT_ERROR_NULL, !at_dict_set(NULL, "a", t));
  FAILS(AT_ERROR_NULL, !at_dict_set(d, NULL, t));
  FAILS(AT_OK, !at_dict_set(d, "a", at_undefined()));
  FAILS(AT_OK, !at_dict_has(NULL, "a") && !at_dict_has(d, NULL) && at_dict_count(NULL) == 0);
  FAILS(AT_ERROR_NULL, at_load(NULL) == NULL);
  FAILS(AT_ERROR_NULL, !at_save(NULL, d));
  FAILS(AT_ERROR_NULL, !at_save(scratch("x.npz"), NULL));
  FAILS(AT_ERROR_ARGUMENT, !at_save(scratch("x.jpg"), d));
  FAILS(AT_ERROR_ARGUMENT, !at_save(".npz", d));
  FAILS(AT_ERROR_RUNTIME, at_load(scratch("none.npz")) == NULL);
  FAILS(AT_ERROR_RUNTIME, at_load("/tmp") == NULL);
  FAILS(AT_ERROR_RUNTIME, at_load("/dev/zero") == NULL);
  FAILS(AT_ERROR_RUNTIME, !at_save("/no-such-folder/x.npz", d));
  check_refused(write_file(scratch("x.npz"), "", 0), AT_ERROR_RUNTIME, "empty");
  check_refused(write_file(scratch("x.npz"), "hello, world", 12), AT_ERROR_RUNTIME, "no file of");
  CHECK(mkfifo(scratch("fifo.npz"), 0600) == 0);
  check_refused(scratch("fifo.npz"), AT_ERROR_RUNTIME, "no file");
  FAILS(AT_ERROR_RUNTIME, !at_save(scratch("fifo.npz"), d));
  unlink(scratch("fifo.npz"));
  unlink(scratch("x.npz"));
  CHECK_EQ(scratch_count(), 0);
  at_dict_free(d);
  at_release(t);
}

/* A full disk, simulated by a limit on file sizes. */
static void full(void **state)
{
  struct rlimit old, small = {.rlim_cur = 40000};
  CHECK(getrlimit(RLIMIT_FSIZE, &old) == 0);
  small.rlim_max = old.rlim_max; /* SIGXFSZ is not ignored: it would end the program */
  at_dict *d = at_dict_new();
  at_tensor *t = at_ones(AT_SHAPE(20000));
  CHECK(at_dict_set(d, "a", t));
  at_release(t);
  static const char *const files[] = {"x.npz", "x.npy", "x.safetensors", "x.pt", "x.t7"};
  for (int i = 0; i < 5; i++) {
    write_file(scratch(files[i]), "before", 6);
    CHECK(setrlimit(RLIMIT_FSIZE, &small) == 0);
    const bool saved = at_save(scratch(files[i]), d);
    CHECK(setrlimit(RLIMIT_FSIZE, &old) == 0);
    CHECK_MSG(!saved && at_error() == AT_ERROR_RUNTIME, "%s: %s", files[i], at_error_message());
    CHECK(strstr(at_error_message(), strerror(EFBIG)) != NULL);
    at_error_clear();
    size_t size;
    uint8_t *bytes = read_file(scratch(files[i]), &size);
    CHECK(size == 6 && !memcmp(bytes, "before", 6));
    free(bytes);
    unlink(scratch(files[i]));
    CHECK_EQ(scratch_count(), 0);
  }
  at_dict_free(d);
}

/* A link remains a link, and permissions remain; a new file has the default ones. */
static void replaced(void **state)
{
  struct stat status;
  at_dict *d = make_every(AT_BFLOAT16, false);
  const mode_t mask = umask(022);
  CHECK(at_save(scratch("a.pt"), d));
  CHECK(stat(scratch("a.pt"), &status) == 0 && (status.st_mode & 07777) == 0644);
  umask(mask);
  CHECK(chmod(scratch("a.pt"), 0600) == 0 && symlink("a.pt", scratch("b.pt")) == 0);
  CHECK(at_save(scratch("b.pt"), d));
  CHECK(lstat(scratch("b.pt"), &status) == 0 && S_ISLNK(status.st_mode));
  CHECK(stat(scratch("a.pt"), &status) == 0 && (status.st_mode & 07777) == 0600);
  CHECK_EQ(scratch_count(), 2);
  at_dict *again = load(scratch("b.pt"));
  check_every("b.pt", again, AT_BFLOAT16, false);
  at_dict_free(again);
  at_dict_free(d);
  unlink(scratch("a.pt"));
  unlink(scratch("b.pt"));
}

static void put_name(const char *path)
{
  CHECK_MSG(!strstr(path, ".tmp"), "%s is left", path);
}

/* A process that is killed while it saves leaves only complete files. */
static void killed(void **state)
{
  enum { TIMES = 12 };
  const int probe = open(scratch("."), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
  if (probe < 0)
    skip(); /* the file system has no files without names */
  close(probe);
  at_tensor *t = at_ones(AT_SHAPE(1 << 19));
  at_dict *d = at_dict_new();
  CHECK(at_dict_set(d, "a", t));
  at_release(t);
  int whole = 0;
  for (int i = 0; i < TIMES; i++) {
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      char name[40];
      for (int k = 0; k < 8; k++) {
        snprintf(name, sizeof name, "%d-%d.npz", i, k);
        at_save(scratch(name), d);
      }
      pause();
    }
    usleep((useconds_t)(1000 + 700 * i));
    kill(child, SIGKILL);
    CHECK(waitpid(child, NULL, 0) == child);
  }
  scratch_each(put_name);
  for (int i = 0; i < TIMES; i++)
    for (int k = 0; k < 8; k++) {
      char name[40];
      snprintf(name, sizeof name, "%d-%d.npz", i, k);
      if (access(scratch(name), F_OK) == 0) {
        at_dict_free(load(scratch(name)));
        unlink(scratch(name));
        whole++;
      }
    }
  printf("%d whole files\n", whole);
  CHECK_EQ(scratch_count(), 0);
  at_dict_free(d);
}

/* Names of maximal length, read-only files, broken links. */
static void special(void **state)
{
  at_dict *d = make_every(AT_BFLOAT16, false);
  char name[256];
  memset(name, 'n', 255);
  strcpy(name + 252, ".pt");
  for (int i = 0; i < 2; i++) /* a new file, then a replacement */
    CHECK_MSG(at_save(scratch(name), d), "%s", at_error_message());
  at_dict *again = load(scratch(name));
  check_every("long", again, AT_BFLOAT16, false);
  at_dict_free(again);
  unlink(scratch(name));

  write_file(scratch("old.pt"), "before", 6);
  CHECK(chmod(scratch("old.pt"), 0444) == 0);
  CHECK(!at_save(scratch("old.pt"), d) && at_error() == AT_ERROR_RUNTIME);
  CHECK(strstr(at_error_message(), "read-only"));
  at_error_clear();
  size_t size;
  uint8_t *bytes = read_file(scratch("old.pt"), &size);
  CHECK(size == 6 && !memcmp(bytes, "before", 6));
  free(bytes);
  unlink(scratch("old.pt"));

  CHECK(symlink("nowhere.pt", scratch("link.pt")) == 0);
  CHECK(!at_save(scratch("link.pt"), d) && at_error() == AT_ERROR_RUNTIME);
  CHECK(strstr(at_error_message(), "symbolic link"));
  at_error_clear();
  struct stat status;
  CHECK(lstat(scratch("link.pt"), &status) == 0 && S_ISLNK(status.st_mode));
  unlink(scratch("link.pt"));
  CHECK_EQ(scratch_count(), 0);
  at_dict_free(d);
}

/* --- sets of sets ----------------------------------------------------------------------------- */

#define REFUSES(PART, CALL)                                                        \
  {                                                                                \
    CHECK(!(CALL));                                                                \
    CHECK_MSG(strstr(at_error_message(), PART), "it says %s", at_error_message()); \
    at_error_clear();                                                              \
  }

/* {"model": {"fc.weight": t}, "optimizer": {"state": {"step": 4}, "rate": 0.5}, "epoch": 7, "extra": t}, made
 * in this order or with the tensor that is in no other set first. */
static at_dict *nested_set(at_tensor *t, bool isFirst)
{
  at_dict *const all = at_dict_new(), *const model = at_dict_new(), *const inner = at_dict_new(),
                 *const optimizer = at_dict_new();
  bool good = all && model && inner && optimizer;
  good = good && (!isFirst || at_dict_set(all, "extra", t)) && at_dict_set(model, "fc.weight", t) &&
         at_dict_set_integer(inner, "step", 4) && at_dict_nest(optimizer, "state", inner) &&
         at_dict_set_number(optimizer, "rate", 0.5) && at_dict_nest(all, "model", model) &&
         at_dict_nest(all, "optimizer", optimizer) && at_dict_set_integer(all, "epoch", 7) &&
         (isFirst || at_dict_set(all, "extra", t));
  at_dict_free(model);
  at_dict_free(inner);
  at_dict_free(optimizer);
  if (!good)
    at_dict_free(all);
  return good ? all : NULL;
}

static void check_nested(const at_dict *d, at_tensor *t)
{
  const at_datum all = at_dict_values(d);
  CHECK_EQ(at_dict_count(d), 2);
  CHECK(at_equal(at_dict_get(d, "model.fc.weight"), t) && at_equal(at_dict_get(d, "extra"), t));
  CHECK(at_datum_tensor(at_datum_get(all, "model.fc.weight")) == at_dict_get(d, "model.fc.weight"));
  CHECK(at_datum_kindOf(at_datum_get(all, "epoch")) == AT_DATUM_INTEGER);
  CHECK_EQ(at_datum_integer(at_datum_get(all, "epoch")), 7);
  CHECK_EQ(at_datum_integer(at_datum_get(all, "optimizer.state.step")), 4);
  CHECK(at_datum_kindOf(at_datum_get(all, "optimizer.rate")) == AT_DATUM_NUMBER);
  CHECK_EQ(at_datum_number(at_datum_get(all, "optimizer.rate")), 0.5);
}

static void nested(void **state)
{
  at_tensor *t = at_ones(AT_SHAPE(2, 3));
  for (int isFirst = 0; isFirst < 2; isFirst++) {
    at_dict *const d = nested_set(t, isFirst), *const part = at_dict_new();
    CHECK_EQ(at_datum_integer(at_datum_get(at_dict_values(d), "optimizer.state.step")), 4);
    CHECK_MSG(at_save(scratch("all.pt"), d), "%s", at_error_message());
    at_dict *const again = load(scratch("all.pt"));
    check_nested(again, t);
    CHECK_EQ(at_datum_count(at_dict_values(again)), 4);
    CHECK(at_save(scratch("all.safetensors"), d)); /* the tensors alone */
    at_dict *const flat = load(scratch("all.safetensors"));
    CHECK_EQ(at_dict_count(flat), 2);
    CHECK(at_dict_has(flat, "model.fc.weight"));

    REFUSES("name is 'epoch', which dict has already", at_dict_nest(d, "epoch", part));
    REFUSES("name is 'extra', which dict has already", at_dict_set_number(d, "extra", 1));
    REFUSES("name is '', which is empty", at_dict_set_integer(d, "", 1));
    REFUSES("has a dot", at_dict_set_integer(d, "a.b", 1));
    REFUSES("part is dict itself", at_dict_nest(d, "self", d));
    REFUSES("part is NULL", at_dict_nest(d, "none", NULL));
    REFUSES("dict is NULL", at_dict_set_integer(NULL, "none", 1));
    REFUSES("name is NULL", at_dict_set_integer(d, NULL, 1));
    REFUSES("was read from a file", at_dict_nest(again, "part", part));
    CHECK(at_dict_set(d, "part.b", t) && at_dict_set(part, "a", t) && at_dict_set(part, "b", t));
    REFUSES("a tensor 'part.b' already", at_dict_nest(d, "part", part));
    CHECK_EQ(at_dict_count(d), 3); /* also part.a is not there */
    CHECK(!at_dict_has(d, "part.a") && at_dict_has(d, "extra"));
    CHECK(at_dict_nest(part, "loaded", again)); /* of a file the tensors */
    CHECK(at_datum_has(at_dict_values(part), "loaded.extra"));
    CHECK(!at_datum_has(at_dict_values(part), "loaded.epoch"));
    at_dict_free(flat);
    at_dict_free(again);
    at_dict_free(part);
    at_dict_free(d);
    unlink(scratch("all.pt"));
    unlink(scratch("all.safetensors"));
  }
  at_release(t);
}

static void nest_one(void *context)
{
  at_dict *const d = nested_set(context, false);
  const bool worked = d && at_dict_count(d) == 2 && at_save(scratch("faulty.pt"), d);
  at_dict_free(d);
  at_error_clear();
  unlink(scratch("faulty.pt"));
  if (!worked)
    THError("no set");
}

/* A part is there as a whole or not at all. */
typedef struct Faulty {
  at_dict *dict, *part;
  bool done;
} Faulty;

static void set_up(void *context)
{
  Faulty *const f = context;
  at_tensor *const t = at_ones(AT_SHAPE(2));
  char name[8];
  f->dict = at_dict_new();
  f->part = at_dict_new();
  CHECK(at_dict_set(f->dict, "own", t));
  for (int i = 0; i < 40; i++) {
    snprintf(name, sizeof name, "t%d", i);
    CHECK(at_dict_set(f->part, name, t));
  }
  at_release(t);
}

static void nest_body(void *context)
{
  Faulty *const f = context;
  f->done = at_dict_nest(f->dict, "part", f->part);
}

static void look_after(void *context, int raised)
{
  Faulty *const f = context;
  at_error_clear();
  CHECK_EQ(at_dict_count(f->dict), f->done ? INT64_C(41) : INT64_C(1));
  CHECK(at_dict_has(f->dict, "own") && at_dict_has(f->dict, "part.t7") == f->done);
  CHECK(at_datum_has(at_dict_values(f->dict), "part") == f->done);
}

static void tear_down(void *context)
{
  Faulty *const f = context;
  at_dict_free(f->dict);
  at_dict_free(f->part);
}

static void nest_faults(void **state)
{
  static const THFailCase stages = {set_up, nest_body, look_after, tear_down};
  Faulty f;
  CHECK(th_fail(&stages, &f) > 40);
  at_tensor *t = at_ones(AT_SHAPE(2));
  CHECK(th_fail_each(nest_one, t) > 20);
  at_release(t);
}

static void set_one(void *context)
{
  at_dict *d = at_dict_new();
  bool worked = d != NULL;
  for (int i = 0; worked && i < 20; i++)
    worked = at_dict_set(d, (char[]){(char)('a' + i), '\0'}, context);
  if (worked)
    CHECK_EQ(at_dict_count(d), 20);
  at_dict_free(d);
  at_error_clear();
  if (!worked)
    THError("no set");
}

static void faults(void **state)
{
  at_tensor *t = at_ones(AT_SHAPE(2));
  CHECK(th_fail_each(set_one, t) > 20);
  at_release(t);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(names),    cmocka_unit_test(scoped),
                                     cmocka_unit_test(wrong),    cmocka_unit_test(full),
                                     cmocka_unit_test(replaced), cmocka_unit_test(killed),
                                     cmocka_unit_test(special),  cmocka_unit_test(faults),
                                     cmocka_unit_test(nested),   cmocka_unit_test(nest_faults)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

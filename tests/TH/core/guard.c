/* Errors: guards, TH_TRY, the handlers of a thread and of all, messages, the panic. */
#include "th_test.h"

#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* --- a log of what was undone ----------------------------------------------------------------- */

static char done[64];

static void note_done(void *what)
{
  strncat(done, what, sizeof done - strlen(done) - 1);
}

static void guard_with(THGuard *guard, const char *letter)
{
  THGuard_enter(guard, note_done);
  guard->what = (void *)letter;
}

static int forget_done(void **state)
{
  done[0] = 0;
  THSetErrorHandler(NULL, NULL);
  THSetArgErrorHandler(NULL, NULL);
  THSetDefaultErrorHandler(NULL, NULL);
  THSetDefaultArgErrorHandler(NULL, NULL);
  return 0;
}

/* --- guards ----------------------------------------------------------------------------------- */

static void guards(void **state)
{
  THGuard a, b, c;
  guard_with(&a, "a");
  guard_with(&b, "b");
  THGuard_enter(&c, note_done); /* nothing in it */
  THGuard_leave(&c);
  assert_string_equal(done, "");
  assert_string_equal(THGuard_keep(&b), "b");
  assert_string_equal(done, "");
  THGuard_leave(&a);
  assert_string_equal(done, "a");
}

static void raise_with_guards(const char *message)
{
  THGuard a, b, c, d;
  guard_with(&a, "a");
  guard_with(&b, "b");
  guard_with(&c, "c");
  THGuard_keep(&c);
  THGuard_enter(&d, note_done);
  THError("%s", message);
}

static void errors_undo_newest_first(void **state)
{
  THGuard outer;
  guard_with(&outer, "o");
  THTry attempt;
  TH_TRY(attempt)
  {
    raise_with_guards("no");
    note_done("after");
  }
  CHECK_EQ(attempt.failed, 1);
  CHECK_EQ(attempt.argument, 0);
  assert_memory_equal(attempt.message, "no at ", 6);
  CHECK(strstr(attempt.message, "guard.c:") != NULL);
  assert_string_equal(done, "ba"); /* what was there before the block stays */
  THGuard_leave(&outer);
  assert_string_equal(done, "bao");
}

static void no_error(void **state)
{
  THTry attempt;
  volatile int runs = 0;
  TH_TRY(attempt)
  {
    runs++;
  }
  CHECK_EQ(runs, 1);
  CHECK_EQ(attempt.failed, 0);
  assert_string_equal(attempt.message, "");
  TH_TRY(attempt)
  {
    THArgCheck(1 + 1 == 2, 3, "never");
    THAssert(1 + 1 == 2);
    THAssertMsg(1 + 1 == 2, "never");
    THArgCheckWithCleanup(1, note_done("x");, 3, "never");
  }
  CHECK_EQ(attempt.failed, 0);
  assert_string_equal(done, "");
}

static void nested(void **state)
{
  THTry outer, inner, deepest;
  volatile int reached = 0;
  TH_TRY(outer)
  {
    THGuard a;
    guard_with(&a, "a");
    TH_TRY(inner)
    {
      THGuard b;
      guard_with(&b, "b");
      TH_TRY(deepest)
      {
        THGuard c;
        guard_with(&c, "c");
        THArgCheck(0, 4, "deepest %d", 1);
      }
      CHECK_EQ(deepest.failed, 1);
      CHECK_EQ(deepest.argument, 4);
      assert_string_equal(done, "c");
      reached++;
      THError("inner");
    }
    CHECK_EQ(inner.failed, 1);
    assert_string_equal(done, "cb");
    reached++;
    TH_TRY(inner)
    {
      reached++;
    }
    CHECK_EQ(inner.failed, 0);
    THError("%s again", deepest.message);
  }
  CHECK_EQ(reached, 3);
  assert_memory_equal(outer.message, "deepest 1 at ", 13);
  assert_string_equal(done, "cba");
}

/* --- undoing that goes wrong ---------------------------------------------------------------- */

static void undo_raising(void *what)
{
  note_done(what);
  THError("undoing failed");
}

static void error_inside_undo(void **state)
{
  THTry attempt;
  TH_TRY(attempt)
  {
    THGuard a, b, c;
    guard_with(&a, "a");
    THGuard_enter(&b, undo_raising);
    b.what = "b";
    guard_with(&c, "c");
    THError("first");
  }
  CHECK_EQ(attempt.failed, 1);
  assert_string_equal(done, "cba"); /* each once */
  CHECK_RAISES(0, "next", THError("next"));

  THGuard b;
  THGuard_enter(&b, undo_raising);
  b.what = "B";
  CHECK_RAISES(0, "undoing failed", THGuard_leave(&b));
  assert_string_equal(done, "cbaB");
}

/* A guard may be left inside a block that began after it. */
static void guards_left_inside(void **state)
{
  THTry outer, inner;
  THGuard a, b;
  guard_with(&a, "a");
  guard_with(&b, "b");
  TH_TRY(outer)
  {
    TH_TRY(inner)
    {
      THGuard_leave(&b);
      THError("inner");
    }
    THGuard c;
    guard_with(&c, "c");
    THError("outer");
  }
  CHECK_EQ(inner.failed + outer.failed, 2);
  assert_string_equal(done, "bc");
  THGuard_leave(&a);
  assert_string_equal(done, "bca");
}

static void undo_trying(void *what)
{
  THTry attempt;
  TH_TRY(attempt)
  {
    THGuard guard;
    guard_with(&guard, "-");
    THError("inside");
  }
  if (attempt.failed)
    note_done(what);
}

static void undo_with_errors_of_its_own(void **state)
{
  THTry attempt;
  TH_TRY(attempt)
  {
    THGuard a, b;
    guard_with(&a, "a");
    THGuard_enter(&b, undo_trying);
    b.what = "b";
    THArgCheck(0, 2, "outside");
  }
  CHECK_EQ(attempt.argument, 2);
  assert_memory_equal(attempt.message, "outside at ", 11);
  assert_string_equal(done, "-ba");
}

/* --- messages ------------------------------------------------------------------------------- */

static void messages(void **state)
{
  CHECK_RAISES(0, "7 of 9", THError("%d of %s", 7, "9"));
  CHECK_RAISES(5, "7 of 9", THArgError(5, "%d of %s", 7, "9"));
  CHECK_RAISES(5, "7 of 9", THArgCheck(7 > 9, 5, "%d of %s", 7, "9"));
  CHECK_RAISES(0, "7 > 9", THAssert(7 > 9));
  CHECK_RAISES(0, "7 > 9", THAssertMsg(7 > 9, "it is %d", 7));
  CHECK_RAISES(0, "it is 7", THAssertMsg(7 > 9, "it is %d", 7));
  CHECK_RAISES(6, "no",
               THArgCheckWithCleanup(0, THCleanup(note_done("x"); note_done("y");), 6, "no"));
  assert_string_equal(done, "xy");
  _THArgCheck("here", 1, 1, 1, "the condition holds");
  CHECK_RAISES(1, "wrong at here:12", _THArgCheck("here", 12, 0, 1, "wrong"));
  CHECK_RAISES(0, "100% at here:12", _THError("here", 12, "100%%"));
}

static void long_messages(void **state)
{
  char text[5000], path[1000], expected[TH_MESSAGE_LENGTH];
  memset(text, 'x', sizeof text - 1);
  text[sizeof text - 1] = 0;
  memset(path, 'p', sizeof path - 1);
  path[sizeof path - 1] = 0;
  THTry attempt;
  TH_TRY(attempt)
  {
    _THError("dir/file.c", 1234, "%s", text);
  }
  /* 2,047 bytes: x, and the location. */
  memset(expected, 'x', sizeof expected);
  strcpy(expected + sizeof expected - sizeof " at dir/file.c:1234", " at dir/file.c:1234");
  assert_string_equal(attempt.message, expected);

  TH_TRY(attempt)
  {
    _THError(path, INT32_MIN, "%s", text);
  }
  CHECK_EQ(strlen(attempt.message), TH_MESSAGE_LENGTH - 1);
  assert_string_equal(attempt.message + TH_MESSAGE_LENGTH - 1 - 13, "p:-2147483648");
  CHECK(strstr(attempt.message, "x at p") != NULL);

  TH_TRY(attempt)
  {
    _THAssertionFailed("file", 1, text, "%s", text);
  }
  CHECK_EQ(strlen(attempt.message), TH_MESSAGE_LENGTH - 1);
  assert_string_equal(attempt.message + TH_MESSAGE_LENGTH - 11, " at file:1");
}

/* --- handlers ------------------------------------------------------------------------------- */

typedef struct {
  jmp_buf home;
  int argument;
  char message[256];
} Lua;

static void leave(const char *message, void *data)
{
  Lua *lua = data;
  note_done("!");
  lua->argument = 0;
  snprintf(lua->message, sizeof lua->message, "%s", message);
  longjmp(lua->home, 1);
}

static void leave_argument(int argument, const char *message, void *data)
{
  Lua *lua = data;
  note_done("?");
  lua->argument = argument;
  snprintf(lua->message, sizeof lua->message, "%s", message);
  longjmp(lua->home, 1);
}

static void handler_that_jumps(void **state)
{
  static Lua lua;
  THSetErrorHandler(leave, &lua);
  THSetArgErrorHandler(leave_argument, &lua);
  if (setjmp(lua.home) == 0) {
    raise_with_guards("oops");
    fail();
  }
  assert_memory_equal(lua.message, "oops at ", 8);
  assert_string_equal(done, "ba!"); /* undone before the handler is told */

  if (setjmp(lua.home) == 0) {
    THArgCheck(0, 3, "bad %s", "size");
    fail();
  }
  CHECK_EQ(lua.argument, 3);
  assert_memory_equal(lua.message, "bad size at ", 12);

  /* A TH_TRY comes first; what follows it goes to the handler again. */
  CHECK_RAISES(2, "inner", THArgCheck(0, 2, "inner"));
  assert_string_equal(done, "ba!?");
  if (setjmp(lua.home) == 0) {
    THError("last");
    fail();
  }
  assert_string_equal(done, "ba!?!");
}

static void handler_frees_everything(void **state)
{
  static Lua lua;
  THSetErrorHandler(leave, &lua);
  THSetArgErrorHandler(leave_argument, &lua);
  for (int i = 0; i < 100; i++)
    if (setjmp(lua.home) == 0) {
      THFloatStorage_newWithMapping("/nonexistent/file", 10, 0);
      fail();
    }
  CHECK(strstr(lua.message, "/nonexistent/file") != NULL); /* leaks are seen by the sanitizer */
}

static void *raise_in_thread(void *own)
{
  static Lua lua;
  THSetErrorHandler(own ? leave : NULL, &lua);
  if (own && setjmp(lua.home) == 0)
    THError("in a thread");
  return own ? lua.message : NULL;
}

static Lua default_lua;

static void *raise_to_default(void *unused)
{
  if (setjmp(default_lua.home) == 0)
    THError("for all");
  if (setjmp(default_lua.home) == 0)
    THArgError(9, "for all");
  return unused;
}

static void handlers_of_threads(void **state)
{
  static Lua mine;
  void *text;
  pthread_t thread;
  THSetErrorHandler(leave, &mine);
  CHECK(pthread_create(&thread, NULL, raise_in_thread, "own") == 0);
  pthread_join(thread, &text);
  assert_memory_equal(text, "in a thread at ", 15);
  assert_string_equal(mine.message, "");

  THSetDefaultErrorHandler(leave, &default_lua);
  THSetDefaultArgErrorHandler(leave_argument, &default_lua);
  CHECK(pthread_create(&thread, NULL, raise_to_default, NULL) == 0);
  pthread_join(thread, NULL);
  assert_memory_equal(default_lua.message, "for all at ", 11);
  CHECK_EQ(default_lua.argument, 9);
  assert_string_equal(mine.message, "");

  if (setjmp(default_lua.home))
    fail();
  if (setjmp(mine.home) == 0)
    THError("for me");
  assert_memory_equal(mine.message, "for me at ", 10); /* a thread's own comes first */
  THSetErrorHandler(NULL, NULL);
  if (setjmp(default_lua.home) == 0)
    THError("for all again");
  assert_memory_equal(default_lua.message, "for all again at ", 17);
}

/* --- the panic: in a child, whose stderr is read -------------------------------------------- */

static void return_from_handler(const char *message, void *data)
{
  fprintf(stderr, "told %s; ", (const char *)data);
}

static void return_from_arg_handler(int argument, const char *message, void *data)
{
  fprintf(stderr, "told %s %d; ", (const char *)data, argument);
}

static void no_handler(void)
{
  raise_with_guards("panic now");
}

static void no_arg_handler(void)
{
  THArgCheck(0, 8, "panic now");
}

static void handlers_that_return(void)
{
  THSetErrorHandler(return_from_handler, "me");
  raise_with_guards("panic now");
}

static void arg_handlers_that_return(void)
{
  THSetDefaultArgErrorHandler(return_from_arg_handler, "us");
  THArgCheck(0, 8, "panic now");
}

static void check_panic(void (*body)(void), const char *expected)
{
  int ends[2];
  CHECK(pipe(ends) == 0);
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGABRT, SIG_DFL);
    dup2(ends[1], 2);
    body();
    _exit(0);
  }
  close(ends[1]);
  char text[512] = "";
  size_t used = 0;
  for (ssize_t got; (got = read(ends[0], text + used, sizeof text - 1 - used)) > 0;)
    used += (size_t)got;
  close(ends[0]);
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK_MSG(strstr(text, expected) == text, "stderr has \"%s\"", text);
  CHECK_MSG(WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT, "status %#x", status);
}

static void panic(void **state)
{
  check_panic(no_handler, "TH: panic now at ");
  check_panic(no_arg_handler, "TH: invalid argument 8: panic now at ");
  check_panic(handlers_that_return, "told me; TH: panic now at ");
  check_panic(arg_handlers_that_return, "told us 8; TH: invalid argument 8: panic now at ");
}

#define TEST(NAME) cmocka_unit_test_setup_teardown(NAME, forget_done, forget_done)

int main(void)
{
  const struct CMUnitTest tests[] = {
      TEST(guards),
      TEST(errors_undo_newest_first),
      TEST(no_error),
      TEST(nested),
      TEST(error_inside_undo),
      TEST(guards_left_inside),
      TEST(undo_with_errors_of_its_own),
      TEST(messages),
      TEST(long_messages),
      TEST(handler_that_jumps),
      TEST(handler_frees_everything),
      TEST(handlers_of_threads),
      TEST(panic),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

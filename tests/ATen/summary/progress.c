/* Progress: what is written where, and the curve as text and as a picture, whose pixels are decoded. */
#include <fcntl.h>
#include <math.h>
#include <unistd.h>
#include <zlib.h>

#include "../files/files.h"
#include "th_fail.h"

/* Lines on what is no terminal; nothing without out. */
static void lines(void **state)
{
  const char *const path = scratch("lines");
  const int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
  CHECK(file > 0);
  at_progress *const p = at_progress_new(7, .out = file, .every = 3), *const q = at_progress_new(7);
  for (int i = 0; i < 7; i++)
    CHECK(at_progress_step(p, 1.0 / (i + 1)) && at_progress_step(q, i));
  CHECK(!at_progress_step(p, 0) && strstr(at_error_message(), "all 7 steps were made"));
  at_error_clear();
  close(file);
  static const char want[] =
      "step 3/7: loss 0.3333\nstep 6/7: loss 0.1667\nstep 7/7: loss 0.1429\n";
  size_t size;
  uint8_t *const text = read_file(path, &size);
  CHECK(size == strlen(want) && !memcmp(text, want, size));
  free(text);
  at_progress_free(p);
  at_progress_free(q);
}

static void curve(void **state)
{
  at_progress *const p = at_progress_new(5);
  CHECK(!at_progress_curve(p, 4, 20) && strstr(at_error_message(), "no step was made"));
  at_error_clear();
  CHECK(!at_progress_save(p, scratch("none.png")));
  at_error_clear();
  CHECK(at_progress_step(p, 4) && at_progress_step(p, 3) && at_progress_step(p, (double)NAN) &&
        at_progress_step(p, 2));
  char *text = at_progress_curve(p, 4, 20);
  CHECK_MSG(text, "%s", at_error_message());
  static const char *const found =
      "         4 |*****               \n"
      "           |     *****          \n"
      "           |                    \n"
      "         2 |               *****\n";
  CHECK_MSG(!strcmp(text, found), "%s", text);
  at_string_free(text);
  CHECK(!at_progress_curve(p, 1, 20) && strstr(at_error_message(), "rows is 1"));
  at_error_clear();
  CHECK(at_progress_step(p, (double)INFINITY));
  text = at_progress_curve(p, 2, 25);
  CHECK(text && strstr(text, "         4 |"));
  at_string_free(text);
  at_progress_free(p);
}

/* --- the picture ------------------------------------------------------------------------------ */

enum { WIDTH = 640, HEIGHT = 400, LINE = 1 + 3 * WIDTH };

static uint32_t big(const uint8_t *at)
{
  return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void picture(void **state)
{
  static uint8_t pixels[HEIGHT * LINE];
  size_t size;
  at_progress *const p = at_progress_new(100);
  for (int i = 0; i < 100; i++)
    CHECK(at_progress_step(p, 1 - i / 100.0));
  CHECK_MSG(at_progress_save(p, scratch("curve.png")), "%s", at_error_message());
  uint8_t *const png = read_file(scratch("curve.png"), &size);
  CHECK(size > 100 && !memcmp(png, "\x89PNG\r\n\x1a\n", 8) && !memcmp(png + 12, "IHDR", 4));
  CHECK(big(png + 16) == WIDTH && big(png + 20) == HEIGHT && png[24] == 8 && png[25] == 2);
  CHECK(!memcmp(png + 37, "IDAT", 4));
  uLongf length = sizeof pixels;
  CHECK(uncompress(pixels, &length, png + 41, big(png + 33)) == Z_OK && length == sizeof pixels);
  free(png);
  /* The curve falls from the upper left to the lower right. */
  static const uint8_t curve_colour[] = {0x1e, 0x5a, 0xc8};
  for (int x = 90; x < 610; x += 40) {
    const double part = (x - 80) / 540.0;
    bool isThere = false;
    for (int y = 0; y < HEIGHT; y++)
      if (!memcmp(pixels + y * LINE + 1 + 3 * x, curve_colour, 3)) {
        isThere = true;
        CHECK_MSG(fabs(y - (20 + 340 * part)) < 8, "column %d, row %d", x, y);
      }
    CHECK(isThere);
  }
  CHECK(!at_progress_save(p, "/nonexistent/x.png") && at_error() != AT_OK);
  at_error_clear();
  at_progress_free(p);
}

static void body(void *unused)
{
  at_progress *const p = at_progress_new(3);
  if (p && at_progress_step(p, 1) && at_progress_step(p, 2)) {
    at_string_free(at_progress_curve(p, 3, 30));
    (void)at_progress_save(p, scratch("faults.png"));
  }
  at_progress_free(p);
  at_error_clear();
}

static void faults(void **state)
{
  CHECK(th_fail_each(body, NULL) > 5);
}

static void errors(void **state)
{
  CHECK(!at_progress_new(0) && strstr(at_error_message(), "steps is 0"));
  at_error_clear();
  CHECK(!at_progress_new(1, .every = -1) && strstr(at_error_message(), "every -1"));
  at_error_clear();
  at_progress_free(NULL);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(lines), cmocka_unit_test(curve),
                                     cmocka_unit_test(picture), cmocka_unit_test(faults),
                                     cmocka_unit_test(errors)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

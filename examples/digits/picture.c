/* digits.png, drawn with libgd. */
#include "picture.h"

#include <gd.h>
#include <gdfontl.h>
#include <gdfonts.h>
#include <stdarg.h>

#include "data.h"
#include "fail.h"
#include "file.h"

enum {
  WIDTH = 1000,
  HEIGHT = 460,
  CURVE_LEFT = 70, /* the box of the curve */
  CURVE_RIGHT = 440,
  CURVE_TOP = 50,
  CURVE_BOTTOM = 400,
  DIGITS_LEFT = 500, /* the grid of the misread digits */
  DIGITS_TOP = 50,
  PIXEL = 6, /* a pixel of a digit, drawn */
  CELL_WIDTH = 68,
  CELL_HEIGHT = 78,
  COLUMNS = (WIDTH - DIGITS_LEFT) / CELL_WIDTH,
  ROWS = (HEIGHT - DIGITS_TOP) / CELL_HEIGHT
};

typedef struct Colours {
  int paper, ink, line, curve;
} Colours;

static void text(gdImagePtr picture, gdFontPtr font, int x, int y, int colour, const char *format,
                 ...) TH_PRINTF_LIKE(6, 7);

static void text(gdImagePtr picture, gdFontPtr font, int x, int y, int colour, const char *format,
                 ...)
{
  char line[80];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  gdImageString(picture, font, x, y, (unsigned char *)line, colour);
}

/* --- the curve ---------------------------------------------------------------------------- */

/* The exponent of ten of a loss.  Training that went wrong may have lost its numbers. */
static double exponent(double loss)
{
  return loss > 1e-9 && loss < 1e9 ? log10(loss) : loss >= 1e9 ? 9 : -9;
}

static void draw_curve(gdImagePtr picture, const Colours *colours, const double *losses,
                       int64_t epochs)
{
  text(picture, gdFontGetLarge(), CURVE_LEFT, 16, colours->ink, "Loss on the training digits");

  double low = exponent(losses[0]), high = low;
  for (int64_t e = 1; e < epochs; e++) {
    low = fmin(low, exponent(losses[e]));
    high = fmax(high, exponent(losses[e]));
  }
  low = floor(low);
  high = fmax(ceil(high), low + 1);

  const double heightOf1 = (CURVE_BOTTOM - CURVE_TOP) / (high - low);
  for (int power = (int)low; power <= (int)high; power++) { /* a line for each power of ten */
    const int y = CURVE_BOTTOM - (int)((power - low) * heightOf1);
    gdImageLine(picture, CURVE_LEFT, y, CURVE_RIGHT, y, colours->line);
    text(picture, gdFontGetSmall(), 16, y - 7, colours->ink, "%7g", pow(10, power));
  }
  gdImageRectangle(picture, CURVE_LEFT, CURVE_TOP, CURVE_RIGHT, CURVE_BOTTOM, colours->ink);
  text(picture, gdFontGetSmall(), CURVE_LEFT, CURVE_BOTTOM + 8, colours->ink, "epoch 1");
  text(picture, gdFontGetSmall(), CURVE_RIGHT - 54, CURVE_BOTTOM + 8, colours->ink, "epoch %lld",
       (long long)epochs);

  int oldX = 0, oldY = 0;
  gdImageSetThickness(picture, 2);
  for (int64_t e = 0; e < epochs; e++) {
    const double part = epochs > 1 ? (double)e / (double)(epochs - 1) : 0;
    const int x = CURVE_LEFT + (int)(part * (CURVE_RIGHT - CURVE_LEFT));
    const int y = CURVE_BOTTOM - (int)((exponent(losses[e]) - low) * heightOf1);
    if (e > 0)
      gdImageLine(picture, oldX, oldY, x, y, colours->curve);
    else
      gdImageFilledEllipse(picture, x, y, 6, 6, colours->curve);
    oldX = x;
    oldY = y;
  }
  gdImageSetThickness(picture, 1);
}

/* --- the misread digits ------------------------------------------------------------------- */

static void draw_digit(gdImagePtr picture, const Colours *colours, int left, int top,
                       THFloatTensor *images, int64_t row)
{
  for (int y = 0; y < DIGIT_SIDE; y++)
    for (int x = 0; x < DIGIT_SIDE; x++) {
      const int grey = 255 - (int)(255 * THFloatTensor_get4d(images, row, 0, y, x));
      gdImageFilledRectangle(picture, left + x * PIXEL, top + y * PIXEL, left + (x + 1) * PIXEL - 1,
                             top + (y + 1) * PIXEL - 1, gdTrueColor(grey, grey, grey));
    }
  gdImageRectangle(picture, left - 1, top - 1, left + DIGIT_SIDE * PIXEL, top + DIGIT_SIDE * PIXEL,
                   colours->line);
}

static void draw_misread(gdImagePtr picture, const Colours *colours, THFloatTensor *images,
                         THLongTensor *labels, THLongTensor *answers)
{
  int shown = 0;
  int64_t misread = 0;
  for (int64_t i = 0; i < labels->size[0]; i++) {
    const int64_t label = THLongTensor_get1d(labels, i), answer = THLongTensor_get1d(answers, i);
    if (label == answer)
      continue;
    misread++;
    if (shown == COLUMNS * ROWS)
      continue;
    const int left = DIGITS_LEFT + shown % COLUMNS * CELL_WIDTH;
    const int top = DIGITS_TOP + shown / COLUMNS * CELL_HEIGHT;
    draw_digit(picture, colours, left, top, images, i);
    text(picture, gdFontGetSmall(), left, top + DIGIT_SIDE * PIXEL + 3, colours->ink,
         "%lld, not %lld", (long long)label, (long long)answer);
    shown++;
  }

  char first[40] = "";
  if (shown < misread)
    snprintf(first, sizeof first, ", the first %d", shown);
  text(picture, gdFontGetLarge(), DIGITS_LEFT, 16, colours->ink, "Misread: %lld of %lld%s",
       (long long)misread, (long long)labels->size[0], first);
}

/* --- the picture -------------------------------------------------------------------------- */

static void destroy(void *picture)
{
  gdImageDestroy(picture);
}

void picture_draw(const char *path, const double *losses, int64_t epochs, THFloatTensor *images,
                  THLongTensor *labels, THLongTensor *answers)
{
  THGuard destroying, freeing;
  THGuard_enter(&destroying, destroy);
  THGuard_enter(&freeing, gdFree);
  gdImagePtr picture = destroying.what = gdImageCreateTrueColor(WIDTH, HEIGHT);
  if (!picture)
    fail("%s: there is no memory to draw it", path);

  const Colours colours = {.paper = gdTrueColor(255, 255, 255),
                           .ink = gdTrueColor(40, 40, 40),
                           .line = gdTrueColor(210, 210, 210),
                           .curve = gdTrueColor(30, 90, 200)};
  gdImageFilledRectangle(picture, 0, 0, WIDTH - 1, HEIGHT - 1, colours.paper);
  if (epochs > 0)
    draw_curve(picture, &colours, losses, epochs);
  draw_misread(picture, &colours, images, labels, answers);

  int size;
  const void *png = freeing.what = gdImagePngPtr(picture, &size);
  if (!png)
    fail("%s: there is no memory to draw it", path);
  file_replace(path, png, (size_t)size);
  THGuard_leave(&freeing);
  THGuard_leave(&destroying);
}

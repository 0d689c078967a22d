/* The curve of a training's losses as a picture. */
#include <math.h>
#include <string.h>

#include "ATen/core/ATenOperations.h"
#include "Progress.h"
#include "Record.h"
#include "TH/core/THFormat.h"

enum { WIDTH = 640, HEIGHT = 400, LEFT = 80, RIGHT = 620, TOP = 20, BOTTOM = 360 };

typedef struct Canvas {
  uint8_t pixels[HEIGHT][WIDTH][3];
} Canvas;

typedef enum Colour { INK = 0x282828, LINE = 0xd2d2d2, CURVE = 0x1e5ac8 } Colour;

static void dot(Canvas *canvas, int x, int y, Colour colour)
{
  for (int c = 0; c < 3; c++)
    canvas->pixels[y][x][c] = (uint8_t)((int)colour >> (16 - 8 * c));
}

/* Draws from one point to the other, along a row or a column. */
static void bar(Canvas *canvas, int x, int y, int toX, int toY, Colour colour)
{
  for (int i = THMin(y, toY); i <= THMax(y, toY); i++)
    for (int k = x; k <= toX; k++)
      dot(canvas, k, i, colour);
}

/* --- numbers ---------------------------------------------------------------------------------- */

enum { GLYPH_WIDTH = 3, GLYPH_HEIGHT = 5, ZOOM = 2, ADVANCE = (GLYPH_WIDTH + 1) * ZOOM };

/* Rows from the top on, three bits each, of what numbers are written with. */
static const struct {
  char character;
  uint16_t rows;
} glyphs[] = {{'0', 075557}, {'1', 026227}, {'2', 071747}, {'3', 071717}, {'4', 055711},
              {'5', 074717}, {'6', 074757}, {'7', 071111}, {'8', 075757}, {'9', 075717},
              {'-', 000700}, {'+', 002720}, {'.', 000002}, {'e', 007747}};

static void write_number(Canvas *canvas, int right, int y, double value)
{
  char text[24];
  THFormat(text, sizeof text, "%.3g", value);
  int x = right - ADVANCE * (int)strlen(text);
  for (const char *at = text; *at; at++, x += ADVANCE)
    for (size_t g = 0; g < sizeof glyphs / sizeof *glyphs; g++)
      for (int bit = 0; glyphs[g].character == *at && bit < GLYPH_WIDTH * GLYPH_HEIGHT; bit++)
        if (glyphs[g].rows >> (GLYPH_WIDTH * GLYPH_HEIGHT - 1 - bit) & 1)
          bar(canvas, x + bit % GLYPH_WIDTH * ZOOM, y + bit / GLYPH_WIDTH * ZOOM,
              x + bit % GLYPH_WIDTH * ZOOM + ZOOM - 1, y + bit / GLYPH_WIDTH * ZOOM + ZOOM - 1,
              INK);
}

/* --- the picture ------------------------------------------------------------------------------ */

static void draw(Canvas *canvas, const at_progress *p, const at_curve *c)
{
  enum { PARTS = 4 };
  memset(canvas, 255, sizeof *canvas);
  for (int i = 0; i <= PARTS; i++) {
    const int y = BOTTOM - i * (BOTTOM - TOP) / PARTS;
    bar(canvas, LEFT, y, RIGHT, y, i == 0 ? INK : LINE);
    write_number(canvas, LEFT - 8, y - GLYPH_HEIGHT * ZOOM / 2,
                 c->low + (c->high - c->low) * i / PARTS);
  }
  bar(canvas, LEFT, TOP, LEFT, BOTTOM, INK);
  write_number(canvas, LEFT + ADVANCE, BOTTOM + 10, 1);
  write_number(canvas, RIGHT, BOTTOM + 10, (double)p->count);
  int last = -1;
  for (int k = 0; k < c->columns; k++) {
    const double height = (c->means[k] - c->low) / (c->high - c->low);
    const int y = isnan(height) ? -1 : BOTTOM - (int)(fmin(fmax(height, 0), 1) * (BOTTOM - TOP));
    if (y >= 0) {
      bar(canvas, LEFT + k, last < 0 ? y : last, LEFT + k, y, CURVE);
      bar(canvas, LEFT + k, y, LEFT + k, THMin(y + 1, BOTTOM), CURVE);
    }
    last = y;
  }
}

bool(at_progress_save)(const at_progress *p, const char *path)
{
  const char *const name = "progress_save";
  if (!at_acceptPointer(name, "progress", p) || !at_acceptPointer(name, "path", path))
    return false;
  at_call call;
  at_begin(&call, name);
  TH_TRY(call.attempt)
  {
    THGuard guards[5];
    at_bytes png;
    const at_curve c = at_curve_of(p, RIGHT - LEFT + 1, &guards[0]);
    THGuard_enter(&guards[1], THFree);
    Canvas *const canvas = guards[1].what = THAlloc(sizeof *canvas);
    draw(canvas, p, &c);
    at_bytes_enter(&guards[2], &png);
    at_addPng(&png, canvas->pixels[0][0], HEIGHT, WIDTH, 3);
    THGuard_enter(&guards[3], THFree);
    at_out *const out = guards[3].what = THAlloc(sizeof *out);
    at_out_begin(out, path, &guards[4]);
    at_out_writeBytes(out, &png);
    at_out_commit(out, &guards[4]);
    for (int i = 3; i >= 0; i--)
      THGuard_leave(&guards[i]);
  }
  return !at_failed(&call);
}

/* Reads pictures with libgd, and prepares them. */
#include "picture.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool is_png(const uint8_t *bytes, size_t size)
{
  return size >= 24 && !memcmp(bytes, "\x89PNG\r\n\x1a\n", 8);
}

static bool is_jpeg(const uint8_t *bytes, size_t size)
{
  return size >= 4 && bytes[0] == 0xff && bytes[1] == 0xd8 && bytes[2] == 0xff;
}

bool picture_is(const char *path)
{
  uint8_t head[24];
  FILE *const file = fopen(path, "rb");
  if (!file)
    return false;
  const size_t size = fread(head, 1, sizeof head, file);
  fclose(file);
  return is_png(head, size) || is_jpeg(head, size);
}

/* --- preparing -------------------------------------------------------------------------------- */

/* What is smaller than the crop gets a black frame. */
static at_tensor *padded(at_tensor *x, int64_t height, int64_t width)
{
  const int64_t rows = height - at_size(x, 2), columns = width - at_size(x, 3);
  const int64_t down = rows > 0 ? rows : 0, right = columns > 0 ? columns : 0;
  if (down == 0 && right == 0)
    return x;
  return at_constant_pad_nd(x, AT_INTS(right / 2, right - right / 2, down / 2, down - down / 2));
}

at_tensor *picture_prepare(at_tensor *pixels, const PictureOptions *options)
{
  AT_SCOPE_GUARD;
  at_tensor *x = at_to(pixels, AT_CPU(AT_FLOAT));
  x = at_div(at_unsqueeze(at_permute(x, AT_INTS(2, 0, 1)), 0), 255);
  const int64_t height = at_size(pixels, 0), width = at_size(pixels, 1);
  const int64_t cropHeight = options->height > 0 ? options->height : height;
  const int64_t cropWidth = options->width > 0 ? options->width : width;
  const double scale =
      options->resize > 0
          ? (double)options->resize / (double)(height < width ? height : width)
          : fmax((double)cropHeight / (double)height, (double)cropWidth / (double)width);
  if (options->resize > 0 || options->height > 0) {
    /* A product that is whole but for rounding is that number. */
    const int64_t newHeight = (int64_t)((double)height * scale + 1e-9);
    const int64_t newWidth = (int64_t)((double)width * scale + 1e-9);
    x = at__upsample_bilinear2d_aa(x, AT_INTS(newHeight, newWidth), false);
  }
  if (options->height > 0) {
    x = padded(x, cropHeight, cropWidth);
    const int64_t top = lrint((double)(at_size(x, 2) - cropHeight) / 2);
    const int64_t left = lrint((double)(at_size(x, 3) - cropWidth) / 2);
    x = at_narrow(at_narrow(x, 2, top, cropHeight), 3, left, cropWidth);
  }
  at_tensor *const mean = at_zeros(AT_SHAPE(3, 1, 1)), *const std = at_zeros(AT_SHAPE(3, 1, 1));
  for (int c = 0; c < 3; c++) {
    (void)at_fill_(at_select(mean, 0, c), options->mean[c]);
    (void)at_fill_(at_select(std, 0, c), options->std[c]);
  }
  return at_escape(at_div(at_sub(x, mean), std));
}

#ifdef TH_WITH_GD

#include <errno.h>
#include <gd.h>
#include <stdarg.h>
#include <stdlib.h>

/* Larger pictures would fill the memory: 8 bytes a pixel while one is read. */
enum { MOST_PIXELS = 1 << 27, MOST_BYTES = 1 << 28 };

static char problem[300];

/* All bytes of a file, to be freed; NULL and a problem on failure. */
static uint8_t *read_bytes(const char *path, size_t *size)
{
  uint8_t *bytes = NULL;
  FILE *const file = fopen(path, "rb");
  const bool measured = file && !fseek(file, 0, SEEK_END);
  const long length = measured ? ftell(file) : -1;
  if (length > MOST_BYTES)
    snprintf(problem, sizeof problem, "the file is too large for a picture: %ld bytes", length);
  else if (length < 0 || fseek(file, 0, SEEK_SET))
    snprintf(problem, sizeof problem, "cannot read it: %s", strerror(errno));
  else if (!(bytes = malloc((size_t)length + 1)))
    snprintf(problem, sizeof problem, "there is no memory");
  else
    *size = fread(bytes, 1, (size_t)length, file);
  if (file)
    fclose(file);
  return bytes;
}

/* --- sizes, which are checked before memory is taken -------------------------------------------- */

static int64_t big_endian(const uint8_t *bytes, int count)
{
  int64_t value = 0;
  for (int i = 0; i < count; i++)
    value = value << 8 | bytes[i];
  return value;
}

/* Width times height, of a JPEG file from the first frame's header; 0 if there is none. */
static int64_t count_pixels(const uint8_t *bytes, size_t size)
{
  if (is_png(bytes, size))
    return big_endian(bytes + 16, 4) * big_endian(bytes + 20, 4);
  for (size_t at = 2; at + 9 <= size && bytes[at] == 0xff;) {
    const uint8_t marker = bytes[at + 1];
    const bool isFrame =
        marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc;
    if (isFrame)
      return big_endian(bytes + at + 5, 2) * big_endian(bytes + at + 7, 2);
    at += marker == 0xff ? 1 : 2 + (size_t)big_endian(bytes + at + 2, 2);
  }
  return 0;
}

/* --- decoding --------------------------------------------------------------------------------- */

/* What libgd says of a file: the last message. */
static void take_message(int priority, const char *format, va_list arguments)
{
  char text[200];
  vsnprintf(text, sizeof text, format, arguments);
  text[strcspn(text, "\n")] = '\0';
  snprintf(problem, sizeof problem, "this picture is damaged: %s", text);
}

static at_tensor *copy_pixels(gdImagePtr picture)
{
  at_tensor *const t =
      at_empty(AT_SHAPE(gdImageSY(picture), gdImageSX(picture), 3), .type = AT_CPU(AT_BYTE));
  uint8_t *to = at_data(t);
  for (int y = 0; to && y < gdImageSY(picture); y++)
    for (int x = 0; x < gdImageSX(picture); x++, to += 3) {
      const int color = gdImageGetTrueColorPixel(picture, x, y);
      to[0] = (uint8_t)gdTrueColorGetRed(color);
      to[1] = (uint8_t)gdTrueColorGetGreen(color);
      to[2] = (uint8_t)gdTrueColorGetBlue(color);
    }
  return t;
}

const char *picture_read(const char *path, at_tensor **pixels)
{
  size_t size = 0;
  uint8_t *const bytes = read_bytes(path, &size);
  gdImagePtr picture = NULL;
  if (!bytes)
    return problem;
  const bool isPng = is_png(bytes, size);
  const int64_t count = isPng || is_jpeg(bytes, size) ? count_pixels(bytes, size) : 0;
  snprintf(problem, sizeof problem, "this is no PNG or JPEG file that can be read");
  if (count > MOST_PIXELS) {
    snprintf(problem, sizeof problem, "the picture has %lld pixels, and at most %d are read",
             (long long)count, MOST_PIXELS);
  } else if (count > 0) {
    gdSetErrorMethod(take_message);
    picture = isPng ? gdImageCreateFromPngPtr((int)size, bytes)
                    : gdImageCreateFromJpegPtrEx((int)size, bytes, 0);
    gdClearErrorMethod();
  }
  free(bytes);
  if (!picture)
    return problem;
  *pixels = copy_pixels(picture);
  gdImageDestroy(picture);
  return at_defined(*pixels) ? NULL : at_error_message();
}

#else

const char *picture_read(const char *path, at_tensor **pixels)
{
  return "this program was built without libgd, which reads pictures";
}

#endif

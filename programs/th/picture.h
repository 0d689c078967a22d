/* Pictures as tensors. */
#ifndef TH_PICTURE_H
#define TH_PICTURE_H

#include <ATen/ATen.h>

/* Whether the file looks like a PNG or JPEG file. */
bool picture_is(const char *path);

/* Reads a PNG or JPEG file: Byte, height x width x 3 (red, green, blue); transparency is dropped.
 * *pixels gets a new reference, that of the scope if there is one.  Returns NULL, or else a
 * sentence that says what is wrong, valid until the next call. */
const char *picture_read(const char *path, at_tensor **pixels);

/* How pixels become the input of a network, as torchvision's Resize, CenterCrop and Normalize. */
typedef struct PictureOptions {
  int64_t resize;        /* the shorter side, or 0: as short as the crop allows */
  int64_t height, width; /* of the crop in the middle, or 0: all of it */
  double mean[3], std[3];
} PictureOptions;

/* Float, 1 x 3 x height x width: pixels from 0 to 1, resized with antialiasing, cropped, where
 * the crop is larger with a black frame, and (x - mean) / std.  The undefined tensor and an error on failure. */
at_tensor *picture_prepare(at_tensor *pixels, const PictureOptions *options);

#endif

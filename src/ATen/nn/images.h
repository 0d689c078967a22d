/* Calls of THNN's layers with images: operands are converted to the type that the layer computes
 * in, empty batches are handled here, and results are delivered in the type of the operands.
 *
 *     at_images layer;
 *     at_images_begin(&layer, AT_IMAGES_FLOATS, self, 2, 1);        images of 2 axes, one result
 *     void *x = at_images_take(&layer, "self", self, 1), *y = at_images_result(&layer, &out);
 *     AT_OF(layer.called, SpatialAveragePooling_updateOutput)(x, y, ...);
 *     at_images_end(&layer);                                       out is the result
 *
 * THNN checks the shapes and computes those of the results.  It does not accept sizes of 0: an
 * image of zeros replaces an empty batch, and its results are dropped. */
#ifndef ATEN_IMAGES_H
#define ATEN_IMAGES_H

#include "ATen/core/ATenCore.h"

typedef enum at_images_kind {
  AT_IMAGES_FLOATS,  /* Half and BFloat16 compute in Float; integers are an error */
  AT_IMAGES_SCALARS, /* integers compute in Float or Double, whichever holds them */
  AT_IMAGES_MOVES    /* elements are only moved: integers of 32 and 64 bits as they are */
} at_images_kind;

typedef struct at_images {
  const at_type *type, *compute; /* of operands and results; of the TH tensors in the layer */
  const at_type *called;         /* whose functions are called: it has elements of the same size */
  at_pool pool;
  bool asRows; /* images of one axis are passed as images of two, the first of size 1, which results
                  lose again; set after at_images_begin */
  int axes;    /* of images */
  bool only;   /* results may be written directly to the tensors that are given */
  bool seen;   /* whether an image has been taken */
  uint64_t empty; /* bit d is set if dimension d of the images is of size 0 */
  int results;
  struct {
    at_tensor **out, *made;
    bool image;
  } result[AT_RESULTS];
} at_images;

/* Begins a call: operands are of self's type, images have that many axes (2 for rows and columns; 0
 * if there are no images), and there are so many results. */
void at_images_begin(at_images *layer, at_images_kind kind, at_tensor *self, int axes, int results);

/* The TH tensor of an operand, converted to the type that computes; NULL for NULL.  It is an error
 * if t has another type than self, or no elements. */
void *at_images_operand(at_images *layer, const char *name, at_tensor *t);

/* The TH tensor of an image or a batch of images.  The first mayBeEmpty dimensions may be of size
 * 0, if the same dimensions of all images are. */
void *at_images_take(at_images *layer, const char *name, at_tensor *t, int mayBeEmpty);

/* The TH tensor of indices into images, which are of Long. */
void *at_images_indices(at_images *layer, const char *name, at_tensor *t, int mayBeEmpty);

/* 1 if t is a batch of images. */
static inline int at_images_batch(const at_images *layer, const at_tensor *t)
{
  return at_sizesOf(t).count == layer->axes + 2;
}

/* The TH tensor to write a result to: images in the order of the operands, or indices into them.
 * At the end *out becomes the result, or if a tensor is given there, receives its elements. */
void *at_images_result(at_images *layer, at_tensor **out);
void *at_images_indicesResult(at_images *layer, at_tensor **out);

/* Whether t is in channels-last layout and not row-major as well, and the layer computes in its
 * type on the CPU. */
bool at_images_areNhwc(const at_images *layer, const at_tensor *t);

/* The number of channels from which kernels that compute in vectors of channels are faster. */
enum { AT_NHWC_MIN_CHANNELS = 8 };

/* The same, and whether there are at least AT_NHWC_MIN_CHANNELS channels. */
bool at_images_areManyNhwc(const at_images *layer, const at_tensor *t);

/* The same as at_images_areManyNhwc; size becomes the size of t with the last axes replaced by
 * axis. */
bool at_images_sizeNhwc(const at_images *layer, const at_tensor *t, const int64_t axis[3],
                        int64_t *size);

/* Whether t may be read in channels-last layout: also if its images have a single pixel, so that it
 * is row-major as well. */
bool at_images_fitNhwc(const at_images *layer, const at_tensor *t);

/* The same as at_images_result for images of that size, which are in channels-last layout if the
 * result is a new tensor. */
void *at_images_resultNhwc(at_images *layer, at_tensor **out, at_ints sizes);
void *at_images_indicesResultNhwc(at_images *layer, at_tensor **out, at_ints sizes);

/* The TH tensor for a result that the layer computes whether it is wanted or not. */
void *at_images_optional(at_images *layer, bool wanted, at_tensor **out);

/* A result that is a sum: a tensor of zeros of that size, to which the layer adds. */
at_tensor *at_images_sum(at_images *layer, at_tensor **out, at_ints sizes);

/* Delivers the results. */
void at_images_end(at_images *layer);

/* --- values for axes ------------------------------------------------------------------------- */

/* Values for slices, rows and columns. */
typedef struct at_axes {
  int at[3];
} at_axes;

/* The given values, one for all axes or one for each; the axes before them get otherwise. */
at_axes at_axesOf(const char *name, at_ints given, int axes, int otherwise);

/* In the order of THNN's arguments. */
#define AT_SPATIAL(A)    (A).at[2], (A).at[1]
#define AT_VOLUMETRIC(A) (A).at[0], (A).at[2], (A).at[1]

/* An integer that THNN takes as an int; an error if it is too large. */
int at_smallInt(const char *name, int64_t number);

#endif

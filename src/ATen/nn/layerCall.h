/* Calls of THNN's layers with images: operands are converted to the type that the layer computes
 * in, empty batches are handled here, and results are delivered in the type of the operands.
 *
 *     at_layer_call layer;
 *     at_layer_begin(&layer, AT_LAYER_FLOATS, self, 2, 1);        images of 2 axes, one result
 *     void *x = at_layer_take(&layer, "self", self, 1), *y = at_layer_result(&layer, &out);
 *     AT_OF(layer.called, SpatialAveragePooling_updateOutput)(x, y, ...);
 *     at_layer_end(&layer);                                       out is the result
 *
 * THNN checks the shapes and computes those of the results.  It does not accept sizes of 0: an
 * image of zeros replaces an empty batch, and its results are dropped. */
#ifndef ATEN_LAYER_CALL_H
#define ATEN_LAYER_CALL_H

#include "ATen/core/ATenCore.h"

typedef enum at_layer_kind {
  AT_LAYER_FLOATS,  /* Half and BFloat16 compute in Float; integers are an error */
  AT_LAYER_SCALARS, /* integers compute in Float or Double, whichever holds them */
  AT_LAYER_MOVES    /* elements are only moved: integers of 32 and 64 bits as they are */
} at_layer_kind;

typedef struct at_layer_call {
  const at_type *type;    /* of operands and results */
  const at_type *compute; /* of the TH tensors that the layer is given */
  const at_type
      *called; /* the type whose functions are called; its elements are as large as compute's */
  at_pool pool;
  bool asRows; /* images of one axis are passed as images of two axes, the first of size 1, which is
                * removed from results; set after at_layer_begin */
  int axes;    /* of images */
  bool only;   /* results may be written directly to the tensors that are given */
  bool seen;   /* whether an image has been taken */
  uint64_t empty; /* bit d is set if dimension d of the images is of size 0 */
  int results;
  struct {
    at_tensor **out; /* the caller's */
    at_tensor *made; /* what the layer writes to */
    bool image;      /* whether it has images, of which an axis or an empty batch is restored */
  } result[AT_RESULTS];
} at_layer_call;

/* Begins a call: operands are of self's type, images have that many axes (2 for rows and columns; 0
 * if there are no images), and there are so many results. */
void at_layer_begin(at_layer_call *layer, at_layer_kind kind, at_tensor *self, int axes,
                    int results);

/* The TH tensor of an operand, converted to the type that computes; NULL for NULL.  It is an error
 * if t has another type than self, or no elements. */
void *at_layer_operand(at_layer_call *layer, const char *name, at_tensor *t);

/* The TH tensor of an image or a batch of images.  The first mayBeEmpty dimensions may be of size
 * 0, if the same dimensions of all images are. */
void *at_layer_take(at_layer_call *layer, const char *name, at_tensor *t, int mayBeEmpty);

/* The TH tensor of indices into images, which are of Long. */
void *at_layer_indices(at_layer_call *layer, const char *name, at_tensor *t, int mayBeEmpty);

/* 1 if t is a batch of images. */
static inline int at_layer_batch(const at_layer_call *layer, const at_tensor *t)
{
  return at_sizesOf(t).count == layer->axes + 2;
}

/* The TH tensor to write a result to: images in the order of the operands, or indices into them.
 * At the end *out becomes the result, or if a tensor is given there, receives its elements. */
void *at_layer_result(at_layer_call *layer, at_tensor **out);
void *at_layer_indicesResult(at_layer_call *layer, at_tensor **out);

/* Whether t is in channels-last layout and not row-major as well, and the layer computes in its
 * type on the CPU. */
bool at_layer_areNhwc(const at_layer_call *layer, const at_tensor *t);

/* The number of channels from which kernels that compute in vectors of channels are faster. */
enum { AT_NHWC_MIN_CHANNELS = 8 };

/* at_layer_areNhwc, and whether t has at least AT_NHWC_MIN_CHANNELS channels. */
bool at_layer_areManyNhwc(const at_layer_call *layer, const at_tensor *t);

/* at_layer_areManyNhwc; size becomes the size of t with the last axes replaced by axis. */
bool at_layer_sizeNhwc(const at_layer_call *layer, const at_tensor *t, const int64_t axis[3],
                       int64_t *size);

/* Whether t may be read in channels-last layout: also if its images have a single pixel, so that it
 * is row-major as well. */
bool at_layer_fitNhwc(const at_layer_call *layer, const at_tensor *t);

/* at_layer_result and at_layer_indicesResult for images of that size, which are in channels-last
 * layout if the result is a new tensor. */
void *at_layer_resultNhwc(at_layer_call *layer, at_tensor **out, at_ints sizes);
void *at_layer_indicesResultNhwc(at_layer_call *layer, at_tensor **out, at_ints sizes);

/* The TH tensor for a result that the layer computes whether it is wanted or not. */
void *at_layer_optional(at_layer_call *layer, bool wanted, at_tensor **out);

/* A result that is a sum: a tensor of zeros of that size, to which the layer adds. */
at_tensor *at_layer_sum(at_layer_call *layer, at_tensor **out, at_ints sizes);

/* Delivers the results. */
void at_layer_end(at_layer_call *layer);

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

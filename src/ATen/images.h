/* Calls of THNN's layers with images: operands come to the type that the layer computes in, an
 * empty batch stands aside, and results go where they belong.
 *
 *     at_images layer;
 *     at_images_begin(&layer, AT_IMAGES_FLOATS, self, 2, 1);        images of 2 axes, one result
 *     void *x = at_images_take(&layer, "self", self, 1), *y = at_images_result(&layer, &out);
 *     layer.functions->SpatialAveragePooling_updateOutput(x, y, ...);
 *     at_images_end(&layer);                                       out is the result
 *
 * THNN checks the shapes and decides those of the results.  It knows no sizes of 0: an image of
 * zeros stands for an empty batch, and its results are cut off. */
#ifndef ATEN_IMAGES_H
#define ATEN_IMAGES_H

#include "ATenCore.h"

typedef enum at_images_kind {
  AT_IMAGES_FLOATS,  /* Half and BFloat16 compute in Float; integers are an error */
  AT_IMAGES_SCALARS, /* integers compute in Float or Double, whichever holds them */
  AT_IMAGES_MOVES    /* elements are only moved: integers of 32 and 64 bits as they are */
} at_images_kind;

typedef struct at_images {
  const at_functions *functions; /* of the type that the layer computes in */
  const at_type *type, *compute; /* of what is given and returned, and of what TH is given */
  at_pool pool;
  bool asRows; /* images of one axis are taken as images of two, of which the first has size 1, and
                  results are handed over without it; set behind begin */
  int axes;    /* of images */
  bool only;   /* there is one result, which may be written where it belongs; or all may be */
  bool seen;   /* an image */
  uint64_t empty; /* dimensions of images that are of size 0 */
  int results;
  struct {
    at_tensor **out, *made;
    bool image;
  } result[AT_RESULTS];
} at_images;

/* Of operands of self's type, with images of that many axes (rows, columns; 0 where there are
 * none), and so many results. */
void at_images_begin(at_images *layer, at_images_kind kind, at_tensor *self, int axes, int results);

/* The TH tensor of an operand, in the type that computes; NULL for NULL.  An error if it has
 * another type than self, or no elements. */
void *at_images_operand(at_images *layer, const char *name, at_tensor *t);

/* The same of an image, or a batch of images.  Of its dimensions the first mayBeEmpty ones may be
 * of size 0, of all images the same. */
void *at_images_take(at_images *layer, const char *name, at_tensor *t, int mayBeEmpty);

/* The same of places in images, which are of Long. */
void *at_images_indices(at_images *layer, const char *name, at_tensor *t, int mayBeEmpty);

/* 1 if t is a batch of images. */
static inline int at_images_batch(const at_images *layer, const at_tensor *t)
{
  return at_sizesOf(t).count == layer->axes + 2;
}

/* The TH tensor to write a result to, which are images in the order of the operands, or places in
 * them; it becomes what out points to, or goes to the tensor that is there. */
void *at_images_result(at_images *layer, at_tensor **out);
void *at_images_indicesResult(at_images *layer, at_tensor **out);

/* Whether the planes of t, images of a layer that computes in their own type on the CPU, lie last
 * in memory (other libraries' channels-last layout), and not in order as well. */
bool at_images_areNhwc(const at_images *layer, const at_tensor *t);

/* Whether they are also so many planes that it is worth it to compute in vectors of them. */
bool at_images_areManyNhwc(const at_images *layer, const at_tensor *t);

/* The same; then size becomes that of such images whose last axes are so long. */
bool at_images_sizeNhwc(const at_images *layer, const at_tensor *t, const int64_t axis[3],
                        int64_t *size);

/* Whether t may be read as images whose planes lie last: also where they have one place. */
bool at_images_fitNhwc(const at_images *layer, const at_tensor *t);

/* The same as at_images_result of images of that size, whose planes lie last if a new tensor is
 * made of it. */
void *at_images_resultNhwc(at_images *layer, at_tensor **out, at_ints sizes);
void *at_images_indicesResultNhwc(at_images *layer, at_tensor **out, at_ints sizes);

/* The same of a result that the layer makes whether it is wanted or not. */
void *at_images_optional(at_images *layer, bool wanted, at_tensor **out);

/* The result itself, of a sum, which is zeros of that size to begin with. */
at_tensor *at_images_sum(at_images *layer, at_tensor **out, at_ints sizes);

/* Delivers the results. */
void at_images_end(at_images *layer);

/* --- numbers along axes ---------------------------------------------------------------------- */

/* Of slices, rows and columns. */
typedef struct at_axes {
  int at[3];
} at_axes;

/* The numbers given, one for all axes or one for each; otherwise for the axes before them. */
at_axes at_axesOf(const char *name, at_ints given, int axes, int otherwise);

/* In the order of THNN's arguments. */
#define AT_SPATIAL(A)    (A).at[2], (A).at[1]
#define AT_VOLUMETRIC(A) (A).at[0], (A).at[2], (A).at[1]

/* A number as THNN takes it. */
int at_smallInt(const char *name, int64_t number);

#endif

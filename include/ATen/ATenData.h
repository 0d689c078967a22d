/* Data for training: files of data sets, and batches of samples.
 *
 *     at_tensor *images = at_load_idx("train-images-idx3-ubyte");
 *     at_tensor *labels = at_load_idx("train-labels-idx1-ubyte");
 *     at_dataset *d = at_dataset_tensors(AT_TENSORS(images, labels));
 *     at_loader *l = at_loader_new(d, .batch_size = 64, .shuffle = true);
 *     for (const at_tensors *batch; (batch = at_loader_next(l));)
 *       AT_SCOPE {
 *         train(batch->data[0], batch->data[1]);
 *       }
 *     at_loader_free(l);
 *     at_dataset_free(d);
 *
 * Files may come from untrusted sources: a file that is damaged is an error, and sizes are checked
 * before memory is allocated. */
#ifndef ATEN_DATA_H
#define ATEN_DATA_H

#include "ATenContext.h"
#include "ATenTensor.h"

/* --- files ------------------------------------------------------------------------------------ */

/* The tensor of an IDX file, as of MNIST: Byte, Char, Short, Int, Float or Double.  It is not
 * compressed. */
AT_API at_tensor *at_load_idx(const char *path) AT_MUST_USE;

/* Images (n x 3 x 32 x 32) and labels (Long) of a binary file of CIFAR-10, with 10 classes, or of
 * CIFAR-100, with 100: then labels are n x 2, the coarse one and the fine one.  An empty list after an
 * error. */
AT_API const at_tensors *at_load_cifar(const char *path, int classes) AT_MUST_USE;

typedef struct at_load_csv_options {
  const at_type *type; /* Float: a floating type of the CPU */
  char delimiter;      /* ',' */
  int64_t skip;        /* 0: lines at the beginning that are left out */
} at_load_csv_options;
AT_API const at_load_csv_options at_load_csv_defaults;

/* The numbers of a text file, a row for each line, which all have as many; a field may have quotes,
 * and is NaN if it is empty.  Empty lines are left out.
 *
 *     at_load_csv(const char *path, *, Type type=Float, char delimiter=',', int skip=0) -> Tensor */
AT_API at_tensor *at_load_csv(const char *path, const at_load_csv_options *options) AT_MUST_USE;

/* --- samples ---------------------------------------------------------------------------------- */

/* Samples, each of which has one or more parts: tensors, such as an image and its label.  Any number
 * of loaders may use a data set, which has to live longer. */
typedef struct at_dataset at_dataset;

/* Sample i is element i of the first dimension of each of the tensors, which have as many.  The data
 * set keeps references.  NULL after an error. */
AT_API at_dataset *at_dataset_tensors(at_tensors tensors) AT_MUST_USE;

/* Stores the parts of a sample, tensors that the scope around the call may own.  False after an
 * error.  It is called by the thread of a loader; what it draws there by default comes from a generator of that
 * loader, which each pass seeds anew, as PyTorch does for the first of its workers: every run has the same
 * numbers.  Without prefetch it draws from the default generator. */
typedef bool (*at_sample)(void *context, int64_t index, at_tensor **parts);

/* count samples of so many parts each, which the function makes.  All samples of a batch have the
 * same sizes. */
AT_API at_dataset *at_dataset_function(int64_t count, int parts, at_sample sample,
                                       void *context) AT_MUST_USE;

/* Reads a picture, which the scope around the call may own; the undefined tensor after an error. */
typedef at_tensor *(*at_decode)(void *context, const char *path);

/* The pictures below a folder, which has a folder for each class: as torchvision's ImageFolder, in the
 * same order.  Classes are numbered in the order of their names; the pictures of one are those in its
 * folder and folders below, whose names end with .jpg, .jpeg, .png, .ppm, .bmp, .pgm, .tif, .tiff or .webp,
 * in small or capital letters, and that are regular files.  The parts of a sample are what decode makes of
 * its file, and the class, a Long without dimensions.
 *
 * The library itself decodes no pictures; programs/th/picture.h does, with libgd.
 * NULL after an error: there is no class, or one without pictures, or a folder that cannot be read. */
AT_API at_dataset *at_dataset_folder(const char *path, at_decode decode, void *context) AT_MUST_USE;

/* The number of classes of at_dataset_folder, 0 for other data sets; -1 and an error for NULL. */
AT_API int at_dataset_classes(const at_dataset *dataset);

/* The name of a class, and the path of a sample's file, borrowed from the data set; NULL and an error if
 * there is none. */
AT_API const char *at_dataset_class(const at_dataset *dataset, int index);
AT_API const char *at_dataset_path(const at_dataset *dataset, int64_t index);

/* The number of samples; -1 and an error for NULL. */
AT_API int64_t at_dataset_count(const at_dataset *dataset);

/* NULL is accepted. */
AT_API void at_dataset_free(at_dataset *dataset);

/* --- batches ---------------------------------------------------------------------------------- */

/* One thread uses a loader at a time. */
typedef struct at_loader at_loader;

typedef struct at_loader_new_options {
  int64_t batch_size;      /* 1 */
  bool shuffle;            /* false: whether each pass has an order of its own */
  bool drop_last;          /* false: whether a last batch of fewer samples is left out */
  int prefetch;            /* 2: batches that a thread makes ahead; 0: without a thread */
  at_generator *generator; /* AT_DEFAULT_GENERATOR: draws the orders, and has to live longer */
} at_loader_new_options;
AT_API const at_loader_new_options at_loader_new_defaults;

/* Makes batches of a data set.  The orders of shuffled passes are those of PyTorch's DataLoader with
 * a generator in the same state; they do not depend on prefetch.  Every pass draws a seed, as there.  NULL after
 * an error.
 *
 *     at_loader_new(dataset, *, int batch_size=1, bool shuffle=false, bool drop_last=false,
 *                   int prefetch=2, Generator generator=default) -> at_loader */
AT_API at_loader *at_loader_new(const at_dataset *dataset,
                                const at_loader_new_options *options) AT_MUST_USE;

/* The next batch: a tensor for each part, with the samples along a new first dimension.  It belongs
 * to the loader, until the next call.  NULL at the end of a pass, after which the next one begins, and
 * after an error. */
AT_API const at_tensors *at_loader_next(at_loader *loader);

/* The number of batches of a pass; -1 and an error for NULL. */
AT_API int64_t at_loader_batches(const at_loader *loader);

/* NULL is accepted. */
AT_API void at_loader_free(at_loader *loader);

#endif

/* What the rows of src/ops/module call besides operations.  The functions are called as operations
 * are: what fails is reported, and the undefined tensor is returned. */
#ifndef ATEN_LAYERS_INSIDE_H
#define ATEN_LAYERS_INSIDE_H

#include "ATenLayers.h"
#include "Module.h"

/* Calls in a layer have no file and line of their own: those of the call of the layer count. */
#define at_call_new(FILE, LINE, RESULT)    (RESULT)
#define at_call_given(FILE, LINE, RESULT)  at_givenResult(RESULT)
#define at_call_list(FILE, LINE, RESULT)   (RESULT)
#define at_call_module(FILE, LINE, RESULT) (RESULT)
#define at_call_double(FILE, LINE, RESULT) (RESULT)

/* A result that the caller gave, and need not look at. */
static inline at_tensor *at_givenResult(at_tensor *result)
{
  return result;
}

enum { AT_LAYER_DIMS = 8, AT_LAYER_WORD = 16 };

/* --- constructors ----------------------------------------------------------------------------- */

/* Copies a list to buffer and stores it as *to; an error if it has not one number or one for each axis
 * (unless axes is 0), or too many.  An empty list becomes the number otherwise, unless that is
 * AT_NONE. */
void at_storeInts(const at_module *self, const char *name, at_ints *to, int64_t *buffer,
                  at_ints given, int axes, int64_t otherwise);

/* Copies a word to buffer, and returns it; "" and an error if it does not fit. */
const char *at_storeWord(const at_module *self, const char *name, char *buffer, const char *given);

/* Reports a type that is none, or not floating. */
void at_checkLayerType(const at_module *self, const at_type *type);

/* Reports that arguments of the layer do not fit. */
void at_misfit(const at_module *self, const char *format, ...) TH_PRINTF_LIKE(2, 3);

/* Adds the members of a kind to self, which has none, and makes it of that kind.  False, and nothing
 * has changed but the struct of self, if there have been failures since then. */
bool at_becomes(at_module *self, const at_module_kind *kind, void (*build)(at_module *self),
                unsigned before);

/* self, or NULL, with self freed, if there have been failures since then. */
at_module *at_finished(at_module *self, unsigned before);

/* Whether self is of that kind; an error if not. */
bool at_isKind(const char *operation, const at_module *self, const at_module_kind *kind);

/* The tensor at an index; NULL for a name without one. */
static inline at_tensor *at_parameterAt(const at_module *self, int64_t index)
{
  const at_member *const member = &self->parameters.data[index];
  return member->derivation ? at_derivedTensor(self, member->derivation) : member->tensor;
}

static inline at_tensor *at_bufferAt(const at_module *self, int index)
{
  return self->buffers.data[index].tensor;
}

/* The kernel of a convolution, without values. */
at_tensor *at_newKernel(int64_t outputs, int64_t inputs, at_ints kernel, int axes,
                        const at_type *type);

/* The type of counts on the device of the type. */
const at_type *at_countType(const at_type *type);

bool at_dividesChannels(int64_t inputs, int64_t outputs, int64_t groups);
bool at_isPadMode(const char *mode);
bool at_isAutoPadding(const char *automatic, at_ints stride);

/* Whether *index, which may be AT_NONE, is one of count, or of -count on, and then makes it
 * positive. */
bool at_wrapsIndex(int64_t *index, int64_t count);
int64_t at_indexOr(int64_t index, int64_t otherwise);

/* The first values of linear layers and convolutions: uniform, to 1 / sqrt(fan in). */
void at_resetFan(at_tensor *weight, at_tensor *bias);
void at_resetBilinear(at_tensor *weight, at_tensor *bias);
void at_resetEmbedding(at_tensor *weight, int64_t padding);

/* Adds and draws the parameters of a cell, and of a network of them, that has so many gates; projected is
 * the size of projected states, or 0. */
void at_addCell(at_module *self, int64_t gates, int64_t inputs, int64_t hidden, bool hasBias,
                const at_type *type);
void at_addRecurrent(at_module *self, int64_t gates, int64_t inputs, int64_t hidden,
                     int64_t projected, int64_t layers, bool hasBias, bool isBidirectional,
                     const at_type *type);

/* Whether queries, keys and values have one size, so that one matrix projects all three. */
bool at_isPacked(int64_t size, int64_t keys, int64_t values);
void at_resetAttention(at_module *self);
void at_resetTransformer(at_module *self);

bool at_isActivation(const char *name);

/* What a list of one number, or of one for each axis, has for an axis; and for both of an image. */
static inline int64_t at_along(at_ints ints, int axis)
{
  return ints.data[ints.count == 1 ? 0 : axis];
}
#define AT_PAIR(INTS) AT_INTS(at_along(INTS, 0), at_along(INTS, 1))

/* --- forward ---------------------------------------------------------------------------------- */

/* A convolution's input and padding, which is part of the input in modes other than zeros. */
at_tensor *at_padForMode(at_tensor *input, at_ints padding, const char *automatic, at_ints kernel,
                         at_ints dilation, int axes, const char *mode);
at_ints at_paddingForMode(at_ints padding, const char *automatic, const char *mode);

at_tensor *at_padLast(at_tensor *input, at_ints padding, int axes, const char *mode, double value);
at_tensor *at_upsampled(at_tensor *input, at_ints size, double factor, const char *mode,
                        bool aligns);

at_tensor *at_normalizeBatch(at_module *self, at_tensor *input, int axes, double momentum,
                             double eps);
at_tensor *at_normalizeInstances(at_module *self, at_tensor *input, int axes, double momentum,
                                 double eps);
/* The forward function of at_LocalResponseNorm. */
at_tensor *at_normalizeNear(at_tensor *input, int64_t size, double alpha, double beta, double k);
at_tensor *at_normalizeRoots(at_tensor *input, at_ints sizes, at_tensor *weight, double eps);

/* weight, whose rows that input selects have been scaled to max_norm, unless that is
 * AT_NO_DOUBLE. */
at_tensor *at_rowsWithin(at_tensor *weight, at_tensor *input, double max_norm, double norm_type);

/* The number of a mode of embedding_bag; -1 if there is none. */
int at_bagMode(const char *mode);

at_tensor *at_dropChannels(at_tensor *input, double p, int axes, bool training);
at_tensor *at_dropAlpha(at_tensor *input, double p, bool ofChannels, bool training);

/* The forward function of at_CrossMapLRN2d. */
at_tensor *at_normalizeMaps(at_tensor *input, int64_t size, double alpha, double beta, double k);

/* The forward function of at_MaxUnpool1d and its like, to a size whose last numbers count, or if it is empty to the
 * smallest. */
at_tensor *at_unpooled(at_tensor *input, at_tensor *indices, at_ints kernel, at_ints stride,
                       at_ints padding, int axes, at_ints size);

/* The forward function of at_SyncBatchNorm. */
at_tensor *at_normalizeTogether(at_module *self, at_tensor *input, double momentum, double eps);

/* The forward function of at_FractionalMaxPool2d and 3d. */
at_output_indices at_fractionallyPooled(at_tensor *input, int axes, at_ints kernel, at_ints size,
                                        double ratio);

at_tensor *at_poolPowers(at_tensor *input, double power, at_ints kernel, at_ints stride, int axes,
                         bool ceils);

/* --- losses ----------------------------------------------------------------------------------- */

/* The number of "none", "mean" and "sum" for operations; -1 for other words. */
int64_t at_reductionNumber(const char *reduction);
bool at_isReduction(const char *reduction);

at_tensor *at_klDivergence(at_tensor *input, at_tensor *target, const char *reduction,
                           bool logTarget);
at_tensor *at_gaussianLoss(at_tensor *input, at_tensor *target, at_tensor *var, bool full,
                           double eps, int64_t reduction);
at_tensor *at_multiLabelSoftMargin(at_tensor *input, at_tensor *target, at_tensor *weight,
                                   int64_t reduction);

/* The cross entropy of batch x (classes * targets) scores. */
at_tensor *at_linearCrossEntropy(at_tensor *scores, at_tensor *target, at_tensor *weight,
                                 int64_t classes, at_ints targets, int64_t ignored,
                                 double smoothing, int64_t reduction);

/* The number times all factors; -1 if that is too much. */
int64_t at_timesAll(int64_t number, at_ints factors);

/* Whether cutoffs divide that many classes into a head and clusters. */
bool at_areCutoffs(at_ints cutoffs, int64_t classes);
at_module *at_adaptiveTail(int64_t inputs, int64_t classes, at_ints cutoffs, double divisor,
                           const at_type *type);

#endif

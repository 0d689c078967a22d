/* Checks of shapes.  Each raises an error that names the tensors and shows what they are. */
#ifndef THNN_CHECK_H
#define THNN_CHECK_H

#include "THNN.h"

/* The first statement of a layer's function: its state, and all tensors that it is given, of any
 * type, some of which may be NULL.  Devices take the state from it, and raise unless the tensors
 * are on the current device (THCUNNDevice.h).  Files that have it are compiled for devices too. */
#define THNN_ENTER(STATE, ...)

/* THNN_real is the type in which elements are computed.  THNN_NUMBER converts an element to a number,
 * THNN_ELEMENT a number to an element.  Devices redefine them, because they compute Half in float. */
#define THNN_real       real
#define THNN_NUMBER(X)  ((double)(X))
#define THNN_ELEMENT(X) ((real)(X))

/* Scratch memory on the device that has the operands. */
#define THNN_ALLOCATE THAlloc
#define THNN_FREE     THFree

/* Raises unless COND holds; FORMAT has one %s, for the size of T. */
#define THNN_ARGCHECK(COND, ARG, T, FORMAT)                   \
  do {                                                        \
    if (!(COND))                                              \
      THArgCheck(0, ARG, FORMAT, THTensor_(sizeDesc)(T).str); \
  } while (0)

/* Raises if neither is NULL and the shapes differ, or the numbers of elements. */
#define THNN_CHECK_SHAPE(I1, I2)    THNN_CHECK_PAIR(I1, I2, THNN_checkShapes)
#define THNN_CHECK_NELEMENT(I1, I2) THNN_CHECK_PAIR(I1, I2, THNN_checkCounts)
#define THNN_CHECK_PAIR(I1, I2, FUNCTION) \
  ((I1) && (I2) ? FUNCTION(__FILE__, __LINE__, THNN_NAMED(I1), THNN_NAMED(I2)) : (void)0)

/* The name and the shape of a tensor of any type. */
typedef struct THNNNamedShape {
  const char *name;
  int dims;
  const int64_t *size;
} THNNNamedShape;
#define THNN_NAMED(T) ((THNNNamedShape){#T, (T)->nDimension, (T)->size})

void THNN_checkShapes(const char *file, int line, THNNNamedShape a, THNNNamedShape b);
void THNN_checkCounts(const char *file, int line, THNNNamedShape a, THNNNamedShape b);

#endif

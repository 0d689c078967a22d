/* Checks of shapes.  Each raises an error that names the tensors and shows what they are. */
#ifndef THNN_CHECK_H
#define THNN_CHECK_H

#include "THNN.h"

/* The first statement of a layer's function: its state, and all tensors that it is given, of any
 * type, some of which may be NULL.  Devices take the state from it, and raise unless the tensors
 * are on the current device (THCUNNDevice.h).  Files that have it are compiled for devices too. */
#define THNN_ENTER(STATE, ...)

/* The type of an element in expressions, the number that an element is, and the element of a number:
 * devices compute Half in float. */
#define THNN_real       real
#define THNN_NUMBER(X)  ((double)(X))
#define THNN_ELEMENT(X) ((real)(X))

/* Scratch memory, where the elements are. */
#define THNN_ALLOCATE THAlloc
#define THNN_FREE     THFree

/* Raises unless COND holds; FORMAT has one %s, for the size of T. */
#define THNN_ARGCHECK(COND, ARG, T, FORMAT)                   \
  do {                                                        \
    if (!(COND))                                              \
      THArgCheck(0, ARG, FORMAT, THTensor_(sizeDesc)(T).str); \
  } while (0)

/* Raises if neither is NULL and the shapes differ. */
#define THNN_CHECK_SHAPE(I1, I2)                                                      \
  do {                                                                                \
    if ((I1) && (I2) && !THTensor_(isSameSizeAs)(I1, I2))                             \
      THError("%s and %s have different shapes: %s has %s, %s has %s", #I1, #I2, #I1, \
              THTensor_(sizeDesc)(I1).str, #I2, THTensor_(sizeDesc)(I2).str);         \
  } while (0)

/* The same for an index tensor I2. */
#define THNN_CHECK_SHAPE_INDICES(I1, I2)                                                  \
  do {                                                                                    \
    if (!THSize_isSameSizeAs((I1)->size, (I1)->nDimension, (I2)->size, (I2)->nDimension)) \
      THError("%s and %s have different shapes: %s has %s, %s has %s", #I1, #I2, #I1,     \
              THTensor_(sizeDesc)(I1).str, #I2, THIndexTensor_(sizeDesc)(I2).str);        \
  } while (0)

/* Raises if neither is NULL and they have different numbers of elements. */
#define THNN_CHECK_NELEMENT(I1, I2)                                                               \
  do {                                                                                            \
    if ((I1) && (I2) && THTensor_(nElement)(I1) != THTensor_(nElement)(I2))                       \
      THError("%s and %s have different numbers of elements: %s has %td in %s, %s has %td in %s", \
              #I1, #I2, #I1, THTensor_(nElement)(I1), THTensor_(sizeDesc)(I1).str, #I2,           \
              THTensor_(nElement)(I2), THTensor_(sizeDesc)(I2).str);                              \
  } while (0)

#define THNN_CHECK_DIM_SIZE_OF(TEXT, T, DIM, DIM_SIZE, SIZE)                                \
  do {                                                                                      \
    if ((T)->nDimension != (DIM) || (T)->size[DIM_SIZE] != (SIZE))                          \
      THError("%s has to have %d dimensions and size %lld in dimension %d, and has %s", #T, \
              (int)(DIM), (long long)(SIZE), (int)(DIM_SIZE) + TH_INDEX_BASE, TEXT);        \
  } while (0)

/* Raises unless T has DIM dimensions, and SIZE elements in dimension DIM_SIZE. */
#define THNN_CHECK_DIM_SIZE(T, DIM, DIM_SIZE, SIZE) \
  THNN_CHECK_DIM_SIZE_OF(THTensor_(sizeDesc)(T).str, T, DIM, DIM_SIZE, SIZE)
#define THNN_CHECK_DIM_SIZE_INDICES(T, DIM, DIM_SIZE, SIZE) \
  THNN_CHECK_DIM_SIZE_OF(THIndexTensor_(sizeDesc)(T).str, T, DIM, DIM_SIZE, SIZE)

#endif

/* For gcc before 12, which has no __builtin_shufflevector: lanes of two vectors, as many as one of them has. The build
 * includes this file first there (cmake/Compiler.cmake). */
#ifndef TH_SHUFFLE_H
#define TH_SHUFFLE_H

/* The integer of the size of a lane. */
#define TH_SHUFFLE_LANE(A)                                                                       \
  __typeof__(__builtin_choose_expr(sizeof((A)[0]) == 1, (signed char)0,                          \
                                   __builtin_choose_expr(sizeof((A)[0]) == 2, (short)0,          \
                                                         __builtin_choose_expr(sizeof((A)[0]) == \
                                                                                   4,            \
                                                                               0, 0LL))))

#define __builtin_shufflevector(A, B, ...) \
  __builtin_shuffle(A, B, (TH_SHUFFLE_LANE(A) __attribute__((vector_size(sizeof(A))))){__VA_ARGS__})

#endif

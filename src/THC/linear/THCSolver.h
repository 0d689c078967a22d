/* cuSOLVER, loaded when one of its functions is first needed, and calls of its functions. */
#ifndef THC_SOLVER_H
#define THC_SOLVER_H

#include <cusolverDn.h>

#include "THC/core/THCPrivate.h"

/* The functions in use: X(name without cusolverDn), those that there are of S and D, and of C and Z.  A library
 * may lack some; a call of one of these is an error that names it. */
/* clang-format off */
#define THC_FOR_EACH_SOLVER_FUNCTION(X)                                                     \
  X(Create) X(Destroy) X(SetStream) X(CreateParams) X(DestroyParams) X(CreateGesvdjInfo)    \
  X(DestroyGesvdjInfo) X(Xgeev_bufferSize) X(Xgeev) X(Xsytrs_bufferSize) X(Xsytrs)
#define THC_FOR_EACH_SOLVER_OF_ALL(X, T)                                                    \
  X(T##getrf_bufferSize) X(T##getrf) X(T##potrf_bufferSize) X(T##potrf)                     \
  X(T##geqrf_bufferSize) X(T##geqrf) X(T##gesvdj_bufferSize) X(T##gesvdj)                   \
  X(T##sytrf_bufferSize) X(T##sytrf)
#define THC_FOR_EACH_SOLVER_OF_COMPLEX(X, T)                                                \
  THC_FOR_EACH_SOLVER_OF_ALL(X, T)                                                          \
  X(T##ungqr_bufferSize) X(T##ungqr) X(T##unmqr_bufferSize) X(T##unmqr)                     \
  X(T##heevd_bufferSize) X(T##heevd)
#define THC_FOR_EACH_SOLVER_OF_TYPE(X, T)                                                   \
  THC_FOR_EACH_SOLVER_OF_ALL(X, T)                                                          \
  X(T##getrs) X(T##potri_bufferSize) X(T##potri) X(T##potrs)                                \
  X(T##orgqr_bufferSize) X(T##orgqr) X(T##ormqr_bufferSize) X(T##ormqr)                     \
  X(T##syevd_bufferSize) X(T##syevd)
/* clang-format on */
#define THC_FOR_EACH_SOLVER(X)         \
  THC_FOR_EACH_SOLVER_FUNCTION(X)      \
  THC_FOR_EACH_SOLVER_OF_TYPE(X, S)    \
  THC_FOR_EACH_SOLVER_OF_TYPE(X, D)    \
  THC_FOR_EACH_SOLVER_OF_COMPLEX(X, C) \
  THC_FOR_EACH_SOLVER_OF_COMPLEX(X, Z)

typedef struct THCSolverLibrary {
#define THC_SOLVER_FIELD(NAME) __typeof__(cusolverDn##NAME) *NAME;
  THC_FOR_EACH_SOLVER(THC_SOLVER_FIELD)
#undef THC_SOLVER_FIELD
} THCSolverLibrary;

/* A function of cuSOLVER between open and close: the handle of the current stream, which no other
 * thread uses meanwhile. */
typedef struct THCSolver {
  const THCSolverLibrary *library;
  cusolverDnHandle_t handle;
  cudaStream_t stream;
  int *status;                   /* on the device: what cuSOLVER calls devInfo */
  cusolverDnParams_t parameters; /* of functions that take them */
  gesvdjInfo_t jacobi;
  THGuard memory, locked;
} THCSolver;

/* An error that says what to do where there is no cuSOLVER. */
void THCSolver_open(THCSolver *solver);

/* Waits for the device and returns the status: 0 where all went well. */
int THCSolver_wait(THCSolver *solver);

/* Lets other threads use the handle; close also waits, and returns the status. */
void THCSolver_leave(THCSolver *solver);
int THCSolver_close(THCSolver *solver);

/* Parameters of gesvdj, until the guard is left. */
void THCSolver_enterJacobi(THCSolver *solver, THGuard *guard);

/* Queues geev of a, n x n; leading is the step of the columns of vectors, which may be NULL.  Waits for it. */
void THCSolver_general(THCSolver *solver, cudaDataType type, int n, void *a, void *values,
                       void *vectors, int leading, int *status);

/* Calls solver->library->NAME(solver->handle, ...); raises an error for a status that is not
 * success. */
#define THC_SOLVE(SOLVER, NAME, ...)                                        \
  do {                                                                      \
    if (!(SOLVER)->library->NAME)                                           \
      THCSolver_lacks("cusolverDn" TH_STRING_OF(NAME));                     \
    THCSolver_check((SOLVER)->library->NAME((SOLVER)->handle, __VA_ARGS__), \
                    "cusolverDn" TH_STRING_OF(NAME));                       \
  } while (0)

TH_NO_RETURN void THCSolver_lacks(const char *function);
void THCSolver_check(cusolverStatus_t status, const char *function);

/* Gives a handle back; NULL is ignored. */
void THCSolver_destroy(void *handle);

#endif

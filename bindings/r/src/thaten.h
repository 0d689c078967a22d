/* What the files of the package share.
 *
 *   call.c     describes operations, converts arguments and results, calls
 *   tensor.c   tensors from and to arrays, and what they are
 *   files.c    files, programs
 *   grad.c     gradients */
#ifndef THATEN_R_H
#define THATEN_R_H

#include <ATen/ATenContext.h>
#include <ATen/ATenError.h>
#include <ATen/ATenFile.h>
#include <ATen/ATenGrad.h>
#include <ATen/ATenPrint.h>
#include <ATen/ATenProgram.h>
#include <ATen/ATenStorage.h>
#include <ATen/ATenTable.h>

#define R_NO_REMAP
#include <R.h>
#include <Rinternals.h>

/* Raises ATen's error as one of R. */
void th_raise(void) __attribute__((noreturn));

/* The pointer of an object of that class, or an error of R. */
void *th_pointer(SEXP object, const char *class);

/* An object of the class that owns nothing yet, for th_own; it is made before what it owns, since to
 * make one may fail. */
SEXP th_object(const char *class, void (*release)(SEXP));
SEXP th_own(SEXP object, void *pointer);

/* A tensor's object. */
SEXP th_newTensor(void);
SEXP th_wrap(at_tensor *t);
at_tensor *th_tensor(SEXP object);

/* The tensors of a list, in memory that R frees after the call; NULL entries are NULL. */
at_tensors th_tensors(SEXP list);

/* A list of objects that share the tensors of ATen's list. */
SEXP th_list(at_tensors tensors);

SEXP thr_names(void);
SEXP thr_describe(SEXP name);
SEXP thr_call(SEXP index, SEXP arguments);
SEXP thr_fromArray(SEXP values, SEXP sizes);
SEXP thr_toArray(SEXP t);
SEXP thr_dim(SEXP t);
SEXP thr_type(SEXP t);
SEXP thr_text(SEXP t);
SEXP thr_generator(SEXP seed);
SEXP thr_storage(SEXP t);
SEXP thr_seed(SEXP seed);
SEXP thr_load(SEXP path);
SEXP thr_save(SEXP path, SEXP tensors);
SEXP thr_program(SEXP path);
SEXP thr_programRun(SEXP program, SEXP inputs);
SEXP thr_programInputs(SEXP program);
SEXP thr_programText(SEXP program);
SEXP thr_requiresGrad(SEXP t);
SEXP thr_wantsGrad(SEXP t);
SEXP thr_grad(SEXP t);
SEXP thr_setGrad(SEXP t, SEXP grad);
SEXP thr_backward(SEXP t, SEXP gradient, SEXP retain);
SEXP thr_setRecording(SEXP on);

#endif

/* Connectionist temporal classification (Graves et al., 2006): the probability that a network's outputs at
 * all steps spell a target, with blanks between and labels repeated. */
#ifndef ATEN_CTC_H
#define ATEN_CTC_H

#include "ATen/core/ATenCore.h"

/* The lengths of inputs and targets: lists, or where tensors are given those. */
typedef struct at_ctc_lengths {
  at_ints inputs, targets;
  at_tensor *inputTensor, *targetTensor;
} at_ctc_lengths;

/* The sizes of a call that has been checked, and of each sample, in the CPU's memory: its lengths and where its
 * target begins.  Where targets have rows, lengths of the device that computes stay there: they are then vectors of
 * Long in there, and a kernel checks them. */
typedef struct at_ctc_sizes {
  int64_t steps, batch, classes, blank, longest; /* longest: of targets, or how long they may be */
  int64_t width;                                 /* of the rows of targets */
  const int64_t *inputs, *lengths, *starts;
  at_tensor *there[2]; /* of inputs and of targets; or NULL */
} at_ctc_sizes;

/* log_probs is steps x batch x classes; targets batch x longest, or all targets one after another.
 * out: the negative log-likelihood of each sample, and the logarithms of the forward variables, batch x
 * steps x (2 * longest + 1).  With lengths that stay on a device longest is the width of targets. */
void at_ctc(at_tensor **out, at_tensor *log_probs, at_tensor *targets, at_ctc_lengths lengths,
            int64_t blank);

/* The gradient of log_probs; samples whose loss is infinite have none with zero_infinity. */
at_tensor *at_ctcBackward(at_tensor *grad, at_tensor *log_probs, at_tensor *targets,
                          at_ctc_lengths lengths, at_tensor *neg_log_likelihood,
                          at_tensor *log_alpha, int64_t blank, bool zero_infinity);

/* --- on a device (ctcDevice.c) ------------------------------------------------------------------ */

/* The results are held by the pool. */
void at_ctcDevice(at_pool *pool, const at_ctc_sizes *sizes, at_tensor *log_probs,
                  at_tensor *targets, at_tensor *made[2]);
at_tensor *at_ctcDeviceBackward(at_pool *pool, const at_ctc_sizes *sizes, at_tensor *log_probs,
                                at_tensor *targets, at_tensor *grad, at_tensor *loss,
                                at_tensor *alpha, bool zero_infinity);

/* The errors about a label that is no class, and a length. */
TH_NO_RETURN void at_ctcRaiseLabel(int64_t at, int64_t sample, int64_t label, int64_t classes);
TH_NO_RETURN void at_ctcRaiseLength(const char *name, int64_t at, int64_t length, int64_t most);

#endif

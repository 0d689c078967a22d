/* A check of probabilities and random samples, made once per element type.  Included after Template.h. */

/* Looks for an element of t that is not in [0, 1].  Returns 1 and such an element in *value, or 0.  A device
 * returns 0 without waiting, unless TH_CUDA_CHECK_INDICES=1 is in the environment: its kernel reports such an
 * element, of argument arg, to the stream's error word, and a later call that waits raises the error. */
int THNN_(findNonProbability)(THTensor *t, int arg, double *value);

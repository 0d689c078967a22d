/* A check of probabilities and random samples, made once per element type.  Included after Template.h. */

/* Looks for an element of t that is not in [0, 1].  Returns 1 and such an element in *value, or 0.  On a
 * device it returns 0 without waiting: the kernel reports such an element, of argument arg, to the
 * stream's error word, and a later call that waits raises the error. */
int THNN_(findNonProbability)(THTensor *t, int arg, double *value);

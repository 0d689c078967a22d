/* A check of numbers.  Included behind Template.h, once per element type. */

/* Looks for an element of argument arg that is not from 0 to 1.  Returns whether one is known, and then one: a
 * device reports it to the stream's error word, for which nobody waits. */
int THNN_(findOutsideUnit)(THTensor *t, int arg, double *value);

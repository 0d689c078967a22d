/* The functions that compute IndexLinear; the processor and devices define them. */

typedef struct {
  const int64_t *key; /* the key of each entry */
  const int64_t
      *sizes;        /* the number of entries of each list; the batch has a list for each example */
  const real *value; /* the value of each entry */
  ptrdiff_t count;   /* number of entries */
  int64_t batch, rows, width, outputs, keysOffset;
  int extra; /* 0 or THNN_INDEX_EXTRA columns of weight before those of the outputs */
  real *weight;
  const real *bias, *g, *d;
  const int64_t *first; /* the first entry of each list; on a device, one more for the end */
  real *y;
  THNN_real decay, scale;
} THNN_(IndexWork);

/* Raises unless each key selects a row of weight. */
void THNN_(checkKeys)(const THNN_(IndexWork) * w, const char *name, int arg);

/* Sets w->first from w->sizes.  Raises unless the sizes sum up to w->count. */
void THNN_(readSizes)(THNN_(IndexWork) * w, THNN_LongCall *longCall);

/* Divides values by the largest absolute value of their key so far, clamps them to -1 ... 1, and adds the
 * key's shift.  In training the largest value is updated first, entry by entry. */
void THNN_(indexNormalize)(const THNN_(IndexWork) * w, const real *value, real *normalized,
                           int train);

/* Computes the output y from bias, weight and value. */
void THNN_(indexOutput)(const THNN_(IndexWork) * w);

/* sums[o] += scale * the sum of g's column o. */
void THNN_(indexBias)(const THNN_(IndexWork) * w, real *sums, accreal scale);

/* Computes the gradients y of the weights, a row for each entry.  If values are normalized, a row begins with the
 * gradient of the shift, which still has to be multiplied by the weights. */
void THNN_(indexGradients)(const THNN_(IndexWork) * w);

/* Takes a step of weight for each entry, in the order of entries: along the gradients d, which indexGradients has
 * computed, or with `direct` along the gradients of value and g. */
void THNN_(indexSteps)(const THNN_(IndexWork) * w, int direct);

/* bias -= scale * gradBias. */
void THNN_(indexBiasStep)(const THNN_(IndexWork) * w, real *bias, const real *gradBias);

/* Softmax of `lanes` sequences of count elements, and its gradient.  The elements of a sequence are `step`
 * apart, and the sequences adjacent; there are at most THNN_SOFT_MAX_LANES.  If step is 1, the sequences
 * are contiguous, one after the other, and there may be any number.  streams: the result is too large
 * for the caches. */
typedef struct {
  void (*forward)(ptrdiff_t count, ptrdiff_t step, ptrdiff_t lanes, const real *x, real *y,
                  int streams);
  void (*gradient)(ptrdiff_t count, ptrdiff_t step, ptrdiff_t lanes, const real *g, const real *y,
                   real *d);
} THNN_(SoftMaxKernels);

/* Indexed by whether the result is a logarithm. */
extern const THNN_(SoftMaxKernels) *const THNN_(softMax)[];

/* lanes is at most THNN_SOFT_MAX_LANES; where step is 1, it is any number of contiguous sequences,
 * one after the other.  streams: the result is too large for the caches. */
typedef struct {
  void (*forward)(ptrdiff_t count, ptrdiff_t step, ptrdiff_t lanes, const real *x, real *y,
                  int streams);
  void (*gradient)(ptrdiff_t count, ptrdiff_t step, ptrdiff_t lanes, const real *g, const real *y,
                   real *d);
} THNN_(SoftMaxKernels);

/* Indexed by whether the result is a logarithm. */
extern const THNN_(SoftMaxKernels) *const THNN_(softMax)[];

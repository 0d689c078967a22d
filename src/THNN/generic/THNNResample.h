/* Where the places of an output plane come from, along each axis. */
typedef struct {
  int weighted;
  int64_t *from[3];   /* a place of the input */
  int64_t *next[3];   /* where weighted, another place, */
  real *weight[3];    /* its weight, and 1 - weight is that of from */
  int64_t begin, end; /* of the last axis: from goes up by 1 in here */
} THNN_(Places);

/* One plane.  row has room for one of the input. */
typedef void (*THNN_(ResampleKernel))(const THNNPlanes *planes, const THNN_(Places) * places,
                                      const real *x, real *y, real *row);

/* [THNN_GATHER], [THNN_SCATTER] */
extern const THNN_(ResampleKernel) * THNN_(resample);

/* Room for the places of output planes, which the guard, entered here, frees. */
void THNN_(reservePlaces)(THNN_(Places) * places, const THNNPlanes *planes, int weighted,
                          THGuard *guard);

/* All planes, forward (THNN_GATHER) or backward. */
void THNN_(resamplePlanes)(const THNNPlanes *planes, THNN_(Places) * places, int back,
                           THTensor *source, THTensor *result);

typedef struct {
  THTensor handed;  /* what source returned */
  THTensor *tensor; /* the caller's or a copy */
} THNN_(Source);

typedef struct {
  THTensor handed;   /* what result or sum returned */
  THTensor *tensor;  /* the caller's */
  THTensor *written; /* it or a stand-in */
  int nDimension;
  const int64_t *size;
  THStorage *storage; /* what tensor had before, to be put back after an error */
  ptrdiff_t storageSize;
} THNN_(Result);

typedef struct {
  int sources, results, guards;
  THNNMemory *memory, own; /* own, or that of the call that this is a part of */
  THNN_(Source) source[THNN_OPERANDS];
  THNN_(Result) result[THNN_OPERANDS];
  THGuard guard[2 * THNN_OPERANDS]; /* the first puts back storages that results outgrew */
} THNN_(Call);

/* Calls nest: one that begins inside another does so after that one has its operands, and finishes
 * first. */
void THNN_(begin)(THNN_(Call) * call);

/* The same for operands of this type of a call that has some of another type: memory is that of
 * its first call. */
void THNN_(beginPart)(THNN_(Call) * call, THNNMemory *memory);

/* tensor, or a contiguous copy of it; NULL for NULL. */
THTensor *THNN_(source)(THNN_(Call) * call, THTensor *tensor);

/* Where to write what becomes tensor: a contiguous tensor, of that shape after start.  Sources of
 * this type come before results; results that would share memory are an error.  size is read until
 * start. */
THTensor *THNN_(result)(THNN_(Call) * call, THTensor *tensor, int nDimension, const int64_t *size);

/* The same in the shape that tensor has, with its values; NULL for NULL. */
THTensor *THNN_(sum)(THNN_(Call) * call, THTensor *tensor);

/* Uninitialised scratch memory of count elements; NULL for 0. */
real *THNN_(scratch)(THNN_(Call) * call, ptrdiff_t count);

/* What is to be computed needs products of matrices: an error, if there is no library for them. */
void THNN_(needBlas)(void);

/* Results take their shapes.  All that can fail of it is in ready, and all that moves memory: from
 * there on the operands have their addresses.  Where results are of two types, two calls are made
 * ready before one starts; sources that have to be looked at earlier are made ready by themselves,
 * and again later.  (Of several results none has more than five dimensions, which fit inside a
 * tensor.) */
void THNN_(ready)(THNN_(Call) * call);
void THNN_(start)(THNN_(Call) * call);
void THNN_(finish)(THNN_(Call) * call);

/* An operand that is read. */
typedef struct {
  THTensor handed;  /* the tensor that THNN_(source) returned a pointer to */
  THTensor *tensor; /* the caller's tensor, or a contiguous copy */
} THNN_(Source);

/* An operand that is written. */
typedef struct {
  THTensor handed;   /* the tensor that THNN_(result) or THNN_(sum) returned a pointer to */
  THTensor *tensor;  /* the caller's tensor */
  THTensor *written; /* the caller's tensor, or a contiguous one that finish copies to it */
  int nDimension;
  const int64_t *size;
  THStorage *storage; /* the storage that tensor had before, restored after an error */
  ptrdiff_t storageSize;
} THNN_(Result);

typedef struct {
  int sources, results, guards;
  THNNMemory *memory; /* points to own, or to the memory of the call that this one is a part of */
  THNNMemory own;
  THNN_(Source) source[THNN_OPERANDS];
  THNN_(Result) result[THNN_OPERANDS];
  THGuard guard[2 * THNN_OPERANDS]; /* the first restores storages that results outgrew */
} THNN_(Call);

/* Calls nest: an inner call begins after the outer one has its operands, and finishes first. */
void THNN_(begin)(THNN_(Call) * call);

/* Begins a second call for the operands of another type; memory is call->memory of the first call. */
void THNN_(beginPart)(THNN_(Call) * call, THNNMemory *memory);

/* Adds an operand that is read: returns a contiguous tensor with its values.  NULL for NULL. */
THTensor *THNN_(source)(THNN_(Call) * call, THTensor *tensor);

/* Adds an operand that is overwritten and gets this size at start: returns a contiguous tensor to write to,
 * which finish copies to the operand if necessary.  Sources of this type have to be added before
 * results.  Results that would share memory are an error.  size has to stay valid until start. */
THTensor *THNN_(result)(THNN_(Call) * call, THTensor *tensor, int nDimension, const int64_t *size);

/* Adds an operand that is added to, as THNN_(result) does: the returned tensor has the operand's size and
 * values.  NULL for NULL. */
THTensor *THNN_(sum)(THNN_(Call) * call, THTensor *tensor);

/* Uninitialised scratch memory of count elements; NULL for 0. */
real *THNN_(scratch)(THNN_(Call) * call, ptrdiff_t count);

/* On a device, memory in which several blocks add up each of `lines` sums of `length` terms: two doubles
 * for each block.  NULL if one block is enough, and on the processor. */
void *THNN_(sumMemory)(THNN_(Call) * call, int64_t lines, int64_t length);

/* For functions that need matrix products: raises if there is no BLAS. */
void THNN_(needBlas)(void);

/* ready does all parts of start that can fail or move memory; after it, operands have addresses.  start
 * calls ready and gives results their sizes.  With results of two types, ready has to be called for both
 * calls before start is called for one.  If sources must be read before there are results, ready is
 * called for them alone, and once more later.  (With several results, none has more than five dimensions,
 * which fit inside a tensor.)  finish copies results to their operands. */
void THNN_(ready)(THNN_(Call) * call);
void THNN_(start)(THNN_(Call) * call);
void THNN_(finish)(THNN_(Call) * call);

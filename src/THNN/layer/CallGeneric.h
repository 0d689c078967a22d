typedef struct {
  THTensor handed;  /* what source returned */
  THTensor *tensor; /* the caller's or a copy */
} THNN_(Source);

typedef struct {
  THTensor handed;   /* what result or sum returned */
  THTensor *tensor;  /* the caller's */
  THTensor *written; /* tensor or a substitute */
  int nDimension;
  const int64_t *size;
  THStorage *storage; /* the storage that tensor had before, restored after an error */
  ptrdiff_t storageSize;
} THNN_(Result);

typedef struct {
  int sources, results, guards;
  THNNMemory *memory, own; /* own, or memory of the call that this one is a part of */
  THNN_(Source) source[THNN_OPERANDS];
  THNN_(Result) result[THNN_OPERANDS];
  THGuard guard[2 * THNN_OPERANDS]; /* the first restores storages that results outgrew */
} THNN_(Call);

/* Calls nest: an inner call begins after the outer one has its operands, and finishes first. */
void THNN_(begin)(THNN_(Call) * call);

/* The same for a call with operands of two types: memory is that of the first call. */
void THNN_(beginPart)(THNN_(Call) * call, THNNMemory *memory);

/* tensor, or a contiguous copy of it; NULL for NULL. */
THTensor *THNN_(source)(THNN_(Call) * call, THTensor *tensor);

/* A contiguous tensor to write to, which finish copies to tensor if it has to; it has that shape
 * after start.  Sources of this type come before results; results that would share memory are an
 * error.  size is read until start. */
THTensor *THNN_(result)(THNN_(Call) * call, THTensor *tensor, int nDimension, const int64_t *size);

/* The same with tensor's shape and values, to be added to; NULL for NULL. */
THTensor *THNN_(sum)(THNN_(Call) * call, THTensor *tensor);

/* Uninitialised scratch memory of count elements; NULL for 0. */
real *THNN_(scratch)(THNN_(Call) * call, ptrdiff_t count);

/* Memory in which several blocks of a device add up each of `lines` sums of `length` terms: two doubles
 * for each block.  NULL where one block is enough, and on the processor, which has parts of its
 * own. */
void *THNN_(sumMemory)(THNN_(Call) * call, int64_t lines, int64_t length);

/* For functions that need matrix products: raises if there is no BLAS. */
void THNN_(needBlas)(void);

/* start gives results their shapes.  All parts of that which can fail or move memory are in ready;
 * after it, operands have addresses.  With results of two types, both calls are ready before one
 * starts.  Sources that must be read earlier are made ready by themselves, and again later.  (With
 * several results, none has more than five dimensions, which fit inside a tensor.) */
void THNN_(ready)(THNN_(Call) * call);
void THNN_(start)(THNN_(Call) * call);
void THNN_(finish)(THNN_(Call) * call);

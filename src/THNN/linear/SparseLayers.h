/* What the sparse linear layer calls, on the processor and on devices. */

/* Entries whose value is not 0; rows and columns count from 0. */
typedef struct {
  int64_t *row, *column;
  real *value;
  ptrdiff_t count;
  const real *entries; /* a device's: all of them, as the tensor has them */
  int64_t each;        /* the legacy form: entries of each of the batch */
  int legacy;
} THNN_(SparseInput);

/* Threads divide the outputs: each element belongs to one thread, and is always summed in the same
 * order. */
typedef struct {
  THNN_(SparseInput) in;
  const int64_t *end; /* of each row, where entries are in the order of rows */
  ptrdiff_t columns;  /* unique columns of in, instead of entries */
  int64_t batch, inputs, outputs;
  const real *w, *b, *g;
  real *y, *dw, *db;
  THNN_real scale, decay;
  real *transposed; /* for each thread: some columns of g */
  int threads;
} THNN_(SparseWork);

/* Reads the entries of input for a pass.  Raises if a row or column is out of range. */
void THNN_(readSparse)(THNN_(SparseWork) * w, THNN_(Call) * call, THNN_LongCall *longCall,
                       THTensor *input, const char *name, int arg, int legacy, int64_t rows,
                       THNNSparse pass);

/* Reserves scratch memory; computes. */
void THNN_(prepareSparse)(THNN_(SparseWork) * w, THNNSparse pass, THNN_(Call) * call);
void THNN_(runSparse)(THNN_(SparseWork) * w, THNNSparse pass);

/* The functions that compute SparseLinear; the processor and devices define them. */

/* Entries whose value is not 0; rows and columns count from 0. */
typedef struct {
  int64_t *row, *column;
  real *value;
  ptrdiff_t count;
  const real *entries; /* on a device: all entries, as the tensor has them, instead of the above */
  int64_t each;        /* the legacy form: entries of each row of the batch */
  int legacy;
} THNN_(SparseInput);

/* A pass.  Threads divide the outputs: each element of a result belongs to one thread, and is always
 * summed in the same order. */
typedef struct {
  THNN_(SparseInput) in;
  const int64_t *end; /* the end of each row's entries, if the entries are in the order of rows */
  ptrdiff_t columns;  /* number of unique columns, if `in` has these instead of entries */
  int64_t batch, inputs, outputs;
  const real *w, *b, *g;
  real *y, *dw, *db;
  THNN_real scale, decay;
  real *transposed; /* some columns of g, transposed, for each thread */
  int threads;
} THNN_(SparseWork);

/* Reads the entries of input for a pass.  Raises if a row or column is out of range. */
void THNN_(readSparse)(THNN_(SparseWork) * w, THNN_(Call) * call, THNN_LongCall *longCall,
                       THTensor *input, const char *name, int arg, int legacy, int64_t rows,
                       THNNSparse pass);

/* Reserves the scratch memory of a pass. */
void THNN_(prepareSparse)(THNN_(SparseWork) * w, THNNSparse pass, THNN_(Call) * call);

/* Computes a pass. */
void THNN_(runSparse)(THNN_(SparseWork) * w, THNNSparse pass);

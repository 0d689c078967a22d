/* The functions that compute fused cells; the processor and devices define them. */

/* Rows of n hidden values.  Pointers are to the first row. */
typedef struct {
  int64_t rows, n;
  const real *input, *hidden, *bias1, *bias2, *h, *g, *c, *yc, *gc, *kept;
  real *gates, *y, *newCell, *keep, *dInput, *dHidden, *dh;
  real *bias; /* memory for the sum of both biases; NULL if there are no biases */
} THNN_(Cell);

/* Memory for the biases of count gates. */
real *THNN_(cellBiasScratch)(THNN_(Call) * call, THTensor *bias1, THTensor *bias2, int64_t count);

/* Compute all rows, forward or backward. */
void THNN_(gruCells)(const THNN_(Cell) * cell);
void THNN_(gruCellsBackward)(const THNN_(Cell) * cell);
void THNN_(lstmCells)(const THNN_(Cell) * cell);
void THNN_(lstmCellsBackward)(const THNN_(Cell) * cell);

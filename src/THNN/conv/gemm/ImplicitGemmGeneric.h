/* Hints for a product.  Rows of another matrix are prefetched from coming on: each has as many
 * elements as there are columns, and rows are next apart.  With streams, sums are written with
 * non-temporal stores; then all their vectors are aligned. */
typedef struct {
  const real *coming;
  ptrdiff_t rows, next;
  int streams;
} THNN_(PrefetchHint);

typedef struct {
  ptrdiff_t lanes;   /* of a vector */
  ptrdiff_t vectors; /* of a block of outputs, at most */
  /* sums[a][o] = start[o] (sums[a][o] if it is NULL) + the sum over b of x[rows[a] + columns[b]] *
   * m[b][o], for outputs o of that many vectors; rows of sums are next apart.  isFar: x is not in
   * the caches, and the rows after the current ones are prefetched. */
  void (*multiply)(ptrdiff_t nrows, const ptrdiff_t *rows, ptrdiff_t ncolumns,
                   const ptrdiff_t *columns, const real *x, int isFar, const real *m,
                   ptrdiff_t vectors, const real *start, real *sums, ptrdiff_t next);
  /* The same with hints; the elements behind m are prefetched only where hint->coming is NULL. */
  void (*multiplyPrefetching)(ptrdiff_t nrows, const ptrdiff_t *rows, ptrdiff_t ncolumns,
                              const ptrdiff_t *columns, const real *x, int isFar, const real *m,
                              ptrdiff_t vectors, const real *start, real *sums, ptrdiff_t next,
                              const THNN_(PrefetchHint) * hint);
  /* y[j][i] = x[i][j] for i < rows, j < columns; rows of x are nextX apart, those of y nextY. */
  void (*transpose)(ptrdiff_t rows, ptrdiff_t columns, const real *x, ptrdiff_t nextX, real *y,
                    ptrdiff_t nextY);
  /* The same for a y that is aligned to a cache line; with non-temporal stores where the rows of y
   * and their distances are whole lines. */
  void (*transposeStream)(ptrdiff_t rows, ptrdiff_t columns, const real *x, ptrdiff_t nextX,
                          real *y, ptrdiff_t nextY);
} THNN_(Implicit);

extern const THNN_(Implicit) *const THNN_(implicit)[];

/* Lanes of a block of outputs: those of whole vectors, no more vectors than the outputs need; and
 * the vectors that so many outputs need. */
ptrdiff_t THNN_(widthOf)(ptrdiff_t outputs);
ptrdiff_t THNN_(vectorsOf)(ptrdiff_t outputs);

/* m[j][o] = outputs[o][j] for count outputs, next apart; rows of m are padded with zeros to whole
 * vectors. */
void THNN_(packOutputs)(ptrdiff_t count, ptrdiff_t columns, const real *outputs, ptrdiff_t next,
                        real *m);

/* m[tap][o] = windows[o][tap], likewise, for a block of contiguous windows.  Where a window has
 * fewer elements than a vector, as many rows of m are written as a vector has lanes. */
void THNN_(packWindows)(ptrdiff_t count, ptrdiff_t window, const real *windows, real *m);

/* Copies count elements of each row of from, whose rows are next apart, to rows of m that are padded
 * with zeros to whole vectors. */
void THNN_(copyParts)(ptrdiff_t rows, const real *from, ptrdiff_t next, ptrdiff_t count, real *m);

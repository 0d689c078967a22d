/* Hints for a product. */
typedef struct {
  const real *coming; /* another matrix, which is prefetched during the product */
  ptrdiff_t rows;     /* rows of coming, of ncolumns elements each; 0: none */
  ptrdiff_t next;     /* stride of its rows */
  int streams; /* writes sums with non-temporal stores; all vectors of sums have to be aligned */
} THNN_(PrefetchHint);

/* Kernels of implicit_gemm.  Other algorithms use lanes, transpose and transposeStream too. */
typedef struct {
  ptrdiff_t lanes;   /* lanes of a vector */
  ptrdiff_t vectors; /* vectors of a block of outputs, at most */
  /* sums[a][o] = start[o] (if start is NULL: sums[a][o]) + the sum over b of x[rows[a] + columns[b]] *
   * m[b][o], for a < nrows, b < ncolumns and `vectors` vectors of outputs o.  next is the stride of the
   * rows of sums.  isFar: x comes from memory, not from a cache, so the rows of x after the current
   * ones are prefetched. */
  void (*multiply)(ptrdiff_t nrows, const ptrdiff_t *rows, ptrdiff_t ncolumns,
                   const ptrdiff_t *columns, const real *x, int isFar, const real *m,
                   ptrdiff_t vectors, const real *start, real *sums, ptrdiff_t next);
  /* multiply with hints.  Without a matrix to prefetch (hint->rows == 0) the elements after m are
   * prefetched, which the next call mostly reads. */
  void (*multiplyPrefetching)(ptrdiff_t nrows, const ptrdiff_t *rows, ptrdiff_t ncolumns,
                              const ptrdiff_t *columns, const real *x, int isFar, const real *m,
                              ptrdiff_t vectors, const real *start, real *sums, ptrdiff_t next,
                              const THNN_(PrefetchHint) * hint);
  /* y[j][i] = x[i][j] for i < rows, j < columns; nextX and nextY are the strides of the rows of x and
   * of y. */
  void (*transpose)(ptrdiff_t rows, ptrdiff_t columns, const real *x, ptrdiff_t nextX, real *y,
                    ptrdiff_t nextY);
  /* transpose to a y that is aligned to a cache line, with non-temporal stores if the rows of y and
   * their stride are whole lines. */
  void (*transposeStream)(ptrdiff_t rows, ptrdiff_t columns, const real *x, ptrdiff_t nextX,
                          real *y, ptrdiff_t nextY);
} THNN_(Implicit);

extern const THNN_(Implicit) *const THNN_(implicit)[];

/* The outputs of a block, in whole vectors: as many vectors as the kernel takes, or as the outputs need
 * if these are fewer. */
ptrdiff_t THNN_(widthOf)(ptrdiff_t outputs);

/* The number of vectors that so many outputs need. */
ptrdiff_t THNN_(vectorsOf)(ptrdiff_t outputs);

/* m[j][o] = outputs[o][j] for o < count, j < columns; next is the stride of outputs.  The rows of m are
 * padded with zeros to whole vectors. */
void THNN_(packOutputs)(ptrdiff_t count, ptrdiff_t columns, const real *outputs, ptrdiff_t next,
                        real *m);

/* m[tap][o] = filters[o][tap] for `count` contiguous filters of `taps` taps; rows of m are padded with
 * zeros to whole vectors.  If a filter has fewer taps than a vector has lanes, as many rows of m are
 * written as a vector has lanes. */
void THNN_(packFilters)(ptrdiff_t count, ptrdiff_t taps, const real *filters, real *m);

/* Copies count elements of each row of `from` to rows of m that are padded with zeros to whole vectors;
 * next is the stride of the rows of `from`. */
void THNN_(copyParts)(ptrdiff_t rows, const real *from, ptrdiff_t next, ptrdiff_t count, real *m);

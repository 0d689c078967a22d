/* y[0 .. n) += the sum over i < count, in order, of factor[i] times row index[i] + offset of table.
 * Rows are width elements apart; their first n elements are used. */
typedef void (*THNN_(EmbeddingSumKernel))(real *y, ptrdiff_t n, const real *table, ptrdiff_t width,
                                          const int64_t *index, int64_t offset, const real *factor,
                                          ptrdiff_t count);

/* The kernel of the best instruction set. */
extern const THNN_(EmbeddingSumKernel) *const THNN_(embeddingSum)[];

/* y[0 .. n) += the sum of factor[i] times row index[i] + offset of table, from 0 on, in the order
 * of i < count.  Rows begin width elements apart, of which the first n are used. */
typedef void (*THNN_(EmbeddingSumKernel))(real *y, ptrdiff_t n, const real *table, ptrdiff_t width,
                                          const int64_t *index, int64_t offset, const real *factor,
                                          ptrdiff_t count);

/* of one kernel */
extern const THNN_(EmbeddingSumKernel) * THNN_(embeddingSum);

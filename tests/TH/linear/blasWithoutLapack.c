/* A library of matrix products alone, which the test lapackLibrary takes for the BLAS: the four
 * functions do nothing. */
void sgemm_(void);
void dgemm_(void);
void sgemv_(void);
void dgemv_(void);

void sgemm_(void)
{
}
void dgemm_(void)
{
}
void sgemv_(void)
{
}
void dgemv_(void)
{
}

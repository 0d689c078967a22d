/* The tests of blas.c for one type: T, LETTER as in the functions' names, NUMBER and
 * VALUE, which convert from and to double, and VECTORS where there are functions of vectors. */
#define LETTER_(name) TH_CONCAT_3(name, _, LETTER)
#define BLAS_(name)   TH_CONCAT_3(THCudaBlas_, LETTER, name)

static void LETTER_(check)(const T *c, int ta, int tb, double alpha, double beta, int items)
{
  for (int item = 0; item < items; item++)
    for (int i = 0; i < LD; i++)
      for (int j = 0; j < 8; j++) {
        const int where = item * STRIDE + j * LD + i;
        double want = element(3, where);
        if (i < M && j < N) {
          double sum = 0;
          for (int k = 0; k < K; k++)
            sum += at(1, ta, i, k, item) * at(2, tb, k, j, item);
          want = alpha * sum + beta * want;
        }
        th_note("%s: item %d, (%d, %d)", TH_STRING_OF(LETTER), item, i, j);
        CHECK_EQ((double)VALUE(c[where]), want);
      }
}

static void LETTER_(gemm)(void **unused)
{
  THCState *state = thc_state();
  T a[ROOM], b[ROOM], c[ROOM], got[ROOM];
  FILL(T, NUMBER, a, 1);
  FILL(T, NUMBER, b, 2);
  FILL(T, NUMBER, c, 3);
  T *da = device(a, sizeof a), *db = device(b, sizeof b);
  for (int ta = 0; ta < 2; ta++)
    for (int tb = 0; tb < 2; tb++)
      for (int beta = 0; beta < 3; beta += 2) {
        T *dc = device(c, sizeof c);
        BLAS_(gemm)(state, "nt"[ta], "NC"[tb], M, N, K, NUMBER(2), da, LD, db, LD, NUMBER(beta), dc,
                    LD);
        fetch(got, dc, sizeof got);
        LETTER_(check)(got, ta, tb, 2, beta, 1);
        CHECK_CUDA(cudaFree(dc));
        dc = device(c, sizeof c);
        BLAS_(gemmStridedBatched)(state, "nT"[ta], "nt"[tb], M, N, K, NUMBER(3), da, LD, STRIDE, db,
                                  LD, STRIDE, NUMBER(beta), dc, LD, STRIDE, COUNT);
        fetch(got, dc, sizeof got);
        LETTER_(check)(got, ta, tb, 3, beta, COUNT);
        CHECK_CUDA(cudaFree(dc));
      }
  double sum = 0;
  for (int i = 0; i < 9; i++)
    sum += element(1, 2 * i) * element(2, 3 * i);
  CHECK_EQ((double)VALUE(BLAS_(dot)(state, 9, da, 2, db, 3)), sum);
  CHECK_EQ((double)VALUE(BLAS_(dot)(state, 0, da, 2, db, 3)), 0);
  CHECK_CUDA(cudaFree(da));
  CHECK_CUDA(cudaFree(db));
}

#ifdef VECTORS
static void LETTER_(vectors)(void **unused)
{
  THCState *state = thc_state();
  T a[ROOM], x[ROOM], y[ROOM], got[ROOM];
  FILL(T, AS_IS, a, 1);
  FILL(T, AS_IS, x, 2);
  FILL(T, AS_IS, y, 3);
  T *da = device(a, sizeof a), *dx = device(x, sizeof x), *dy = device(y, sizeof y);
  for (int t = 0; t < 2; t++) {
    CHECK_CUDA(cudaMemcpy(dy, y, sizeof y, cudaMemcpyHostToDevice));
    BLAS_(gemv)(state, "nt"[t], M, N, 2, da, LD, dx, 3, 3, dy, 2);
    fetch(got, dy, sizeof got);
    for (int i = 0; i < (t ? N : M); i++) {
      double sum = 0;
      for (int k = 0; k < (t ? M : N); k++)
        sum += at(1, t, i, k, 0) * (double)x[3 * k];
      CHECK_EQ((double)got[2 * i], 2 * sum + 3 * (double)y[2 * i]);
      CHECK_EQ((double)got[2 * i + 1], (double)y[2 * i + 1]);
    }
  }
  BLAS_(ger)(state, M, N, 2, dx, 2, dx, 3, da, LD);
  fetch(got, da, sizeof got);
  for (int i = 0; i < LD; i++)
    for (int j = 0; j < 8; j++) {
      const double more = i < M && j < N ? 2 * (double)x[2 * i] * (double)x[3 * j] : 0;
      CHECK_EQ((double)got[j * LD + i], (double)a[j * LD + i] + more);
    }
  CHECK_CUDA(cudaFree(da));
  CHECK_CUDA(cudaFree(dx));
  CHECK_CUDA(cudaFree(dy));
}

static void LETTER_(batches)(void **unused)
{
  THCState *state = thc_state();
  T a[ROOM], b[ROOM], c[ROOM], got[ROOM];
  FILL(T, AS_IS, a, 1);
  FILL(T, AS_IS, b, 2);
  FILL(T, AS_IS, c, 3);
  T *da = device(a, sizeof a), *db = device(b, sizeof b), *dc = device(c, sizeof c);
  const T *as[] = {da, da + STRIDE}, *bs[] = {db, db + STRIDE};
  T *cs[] = {dc, dc + STRIDE};
  const T **das = device(as, sizeof as), **dbs = device(bs, sizeof bs);
  T **dcs = device(cs, sizeof cs);
  BLAS_(gemmBatched)(state, 't', 'n', M, N, K, 2, das, LD, dbs, LD, 3, dcs, LD, COUNT);
  fetch(got, dc, sizeof got);
  LETTER_(check)(got, 1, 0, 2, 3, COUNT);

  /* 4 x 4, two of them: what is solved and inverted, times the matrix, is what it was. */
  for (int i = 0; i < ROOM; i++)
    a[i] = (T)(element(1, i) + (i % STRIDE % (LD + 1) ? 0 : 9));
  CHECK_CUDA(cudaMemcpy(da, a, sizeof a, cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(db, b, sizeof b, cudaMemcpyHostToDevice));
  int zeros[COUNT * N + COUNT] = {0}, info[COUNT] = {9, 9}, on_host = 9;
  int *pivots = device(zeros, sizeof zeros), *dinfo = pivots + COUNT * N;
  BLAS_(getrf)(state, N, (T **)das, LD, pivots, dinfo, COUNT);
  fetch(info, dinfo, sizeof info);
  CHECK(info[0] == 0 && info[1] == 0);
  BLAS_(getrs)(state, 'n', N, 2, das, LD, pivots, (T **)dbs, LD, &on_host, COUNT);
  CHECK_EQ(on_host, 0);
  BLAS_(getri)(state, N, das, LD, pivots, dcs, LD, dinfo, COUNT);
  T solved[ROOM];
  fetch(solved, db, sizeof solved);
  fetch(got, dc, sizeof got);
  for (int item = 0; item < COUNT; item++)
    for (int i = 0; i < N; i++)
      for (int j = 0; j < N; j++) {
        double one = 0, x = 0;
        for (int k = 0; k < N; k++) {
          const double aik = (double)a[item * STRIDE + k * LD + i];
          one += aik * (double)got[item * STRIDE + j * LD + k];
          x += aik * (double)solved[item * STRIDE + j * LD + k];
        }
        CHECK_NEAR(one, i == j, 1e-5);
        if (j < 2)
          CHECK_NEAR(x, (double)b[item * STRIDE + j * LD + i], 1e-5);
      }
  void *all[] = {da, db, dc, das, dbs, dcs, pivots};
  for (int i = 0; i < 7; i++)
    CHECK_CUDA(cudaFree(all[i]));
}
#endif

#undef LETTER_
#undef BLAS_
#undef T
#undef LETTER
#undef NUMBER
#undef VALUE

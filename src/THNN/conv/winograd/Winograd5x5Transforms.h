/* The transforms of winograd5x5: between elements and the values at points, in one dimension. */

/* The points are 0, P, -P, 1, -1, Q, -Q and infinity; values are in this order.  SUM_P and MUL_P are the sum
 * and the product of the squares of the other two points, 1 and Q; SUM_1, MUL_1, SUM_Q and MUL_Q
 * likewise. */
#define P     0.5
#define Q     2.
#define SUM_P (1 + Q * Q)
#define SUM_1 (P * P + Q * Q)
#define SUM_Q (P * P + 1)
#define MUL_P (Q * Q)
#define MUL_1 (P * P * Q * Q)
#define MUL_Q (P * P)
#define PAIRS (P * P + P * P * Q * Q + Q * Q) /* equal to the sum of all three squares */

/* The values of a tile's eight elements: a value is the dot product of the elements with the coefficients
 * of the polynomial that is 0 at the other points.  (P * Q is 1, and so is the product of all squares.) */
INLINE void of_image(const Vector *d, Vector *n)
{
  n[0] = add(d[2] - d[4], PAIRS, d[6] - d[0]);
  n[7] = add(d[3] - d[5], PAIRS, d[7] - d[1]);
  const Vector evenP = add(d[2], MUL_P, add(d[4], -SUM_P, d[6]));
  const Vector oddP = add(d[1], MUL_P, add(d[3], -SUM_P, d[5]));
  const Vector even1 = add(d[4], -SUM_1, d[2] + d[6]), odd1 = add(d[3], -SUM_1, d[1] + d[5]);
  const Vector evenQ = add(d[2], MUL_Q, add(d[4], -SUM_Q, d[6]));
  const Vector oddQ = add(d[1], MUL_Q, add(d[3], -SUM_Q, d[5]));
  n[1] = add(oddP, P, evenP);
  n[2] = add(oddP, -P, evenP);
  n[3] = even1 + odd1;
  n[4] = even1 - odd1;
  n[5] = add(oddQ, Q, evenQ);
  n[6] = add(oddQ, -Q, evenQ);
}

/* The transpose of of_image. */
INLINE void to_image(const Vector *n, Vector *d)
{
  const Vector evenP = n[1] + n[2], oddP = (n[1] - n[2]) * (real)P;
  const Vector even1 = n[3] + n[4], odd1 = n[3] - n[4];
  const Vector evenQ = n[5] + n[6], oddQ = (n[5] - n[6]) * (real)Q;
  d[0] = -n[0];
  d[1] = add(oddP, MUL_P, add(oddQ, MUL_Q, odd1)) - n[7];
  d[2] = add(n[0], PAIRS, add(evenP, MUL_P, add(evenQ, MUL_Q, even1)));
  d[3] = add(n[7], PAIRS, add(oddP, -SUM_P, add(odd1, -SUM_1, oddQ * (real)-SUM_Q)));
  d[4] = add(n[0], -PAIRS, add(evenP, -SUM_P, add(even1, -SUM_1, evenQ * (real)-SUM_Q)));
  d[5] = add(n[7], -PAIRS, oddP + odd1 + oddQ);
  d[6] = n[0] + evenP + even1 + evenQ;
  d[7] = n[7];
}

/* The values of four elements of y: of the polynomial with these coefficients, at the points. */
INLINE void of_result(const Vector *g, Vector *n)
{
  const Vector evenP = add(g[2], P * P, g[0]), oddP = add(g[3], P * P, g[1]);
  const Vector evenQ = add(g[2], Q * Q, g[0]), oddQ = add(g[3], Q * Q, g[1]);
  const Vector even1 = g[0] + g[2], odd1 = g[1] + g[3];
  n[0] = g[0];
  n[1] = add(oddP, P, evenP);
  n[2] = add(oddP, -P, evenP);
  n[3] = even1 + odd1;
  n[4] = even1 - odd1;
  n[5] = add(oddQ, Q, evenQ);
  n[6] = add(oddQ, -Q, evenQ);
  n[7] = g[3];
}

/* The transpose of of_result. */
INLINE void to_result(const Vector *n, Vector *r)
{
  const Vector evenP = n[1] + n[2], oddP = n[1] - n[2], even1 = n[3] + n[4], odd1 = n[3] - n[4];
  const Vector evenQ = n[5] + n[6], oddQ = n[5] - n[6];
  r[0] = (n[0] + evenP) + (even1 + evenQ);
  r[1] = add(oddP, P, add(oddQ, Q, odd1));
  r[2] = add(evenP, P * P, add(evenQ, Q * Q, even1));
  r[3] = add(oddP, P * P * P, add(oddQ, Q * Q * Q, odd1 + n[7]));
}

/* Powers of a point, over the product of its distances to the other points. */
#define POINT(X, PRODUCT)                                                              \
  {1 / (PRODUCT), (X) / (PRODUCT), (X) * (X) / (PRODUCT), (X) * (X) * (X) / (PRODUCT), \
   (X) * (X) * (X) * (X) / (PRODUCT)}
static const real ofFilter[SIDE][SIZE] = {
    POINT(0., -1.),
    POINT(P, 2 * P * P * (P * P - 1) * (P * P - Q * Q)),
    POINT(-P, 2 * P * P * (P * P - 1) * (P * P - Q * Q)),
    POINT(1, 2 * (1 - P * P) * (1 - Q * Q)),
    POINT(-1, 2 * (1 - P * P) * (1 - Q * Q)),
    POINT(Q, 2 * Q * Q * (Q * Q - P * P) * (Q * Q - 1)),
    POINT(-Q, 2 * Q * Q * (Q * Q - P * P) * (Q * Q - 1)),
    {0, 0, 0, 0, 1},
};

/* Value a of a filter's five taps. */
INLINE Vector of_filter(int a, const Vector *g)
{
  Vector sum = g[0] * ofFilter[a][0];
  for (int i = 1; i < SIZE; i++)
    sum = add(g[i], ofFilter[a][i], sum);
  return sum;
}

static void filters(ptrdiff_t count, const real *m, real *u)
{
  for (ptrdiff_t o = 0; o < count; o += LANES) {
    Vector g[SIZE][SIZE]; /* column, row */
    for (int k = 0; k < SIZE * SIZE; k++)
      g[k % SIZE][k / SIZE] = load(m + k * count + o);
#pragma GCC unroll 1
    for (int a = 0; a < SIDE; a++) {
      Vector h[SIZE];
      for (int j = 0; j < SIZE; j++)
        h[j] = of_filter(a, g[j]);
      for (int b = 0; b < SIDE; b++)
        store(u + (a * SIDE + b) * count + o, of_filter(b, h));
    }
  }
}

/* Tap i of eight values: the transpose of of_filter. */
INLINE Vector to_filter(int i, const Vector *n)
{
  Vector sum = n[0] * ofFilter[0][i];
  for (int a = 1; a < SIDE; a++)
    sum = add(n[a], ofFilter[a][i], sum);
  return sum;
}

static void taps(ptrdiff_t count, ptrdiff_t all, ptrdiff_t sets, const real *u, real *m)
{
  for (ptrdiff_t o = 0; o < count; o += LANES) {
    Vector h[SIZE][SIDE]; /* column of the filter, row of values */
#pragma GCC unroll 1
    for (int a = 0; a < SIDE; a++) {
      Vector n[SIDE];
      for (int b = 0; b < SIDE; b++) {
        const real *at = u + (a * SIDE + b) * all + o;
        n[b] = load(at);
        for (ptrdiff_t set = 1; set < sets; set++)
          n[b] += load(at + set * VALUES * all);
      }
      for (int j = 0; j < SIZE; j++)
        h[j][a] = to_filter(j, n);
    }
#pragma GCC unroll 1
    for (int k = 0; k < SIZE * SIZE; k++)
      store(m + k * count + o, to_filter(k / SIZE, h[k % SIZE]));
  }
}

/* LAPACK on plain memory: each function on a problem of two unknowns, solved on paper. */
#include "THTemplate.h"

#include "th_test.h"

#if defined(TH_REAL_IS_FLOAT)
#define ROUNDING 1e-5
#else
#define ROUNDING 1e-13
#endif

static void check_all(int line, const real *actual, const double *expected, int count)
{
  for (int k = 0; k < count; k++)
    if (!(fabs((double)actual[k] - expected[k]) <= ROUNDING))
      th_fail_at(__FILE__, line, "element %d is %.17g, not %.17g", k, (double)actual[k],
                 expected[k]);
}
#define CHECK_ALL(ACTUAL, ...)                               \
  check_all(__LINE__, ACTUAL, (const double[]){__VA_ARGS__}, \
            (int)(sizeof((const double[]){__VA_ARGS__}) / sizeof(double)))

enum { SCRATCH = 200 };
static real work[SCRATCH];
static int pivots[2], info;

/* Column by column: a = (1 3; 2 4) has the factors L = (1 0; 1/2 1) and U = (2 4; 0 1) after its
 * rows have been swapped, and the inverse (-2 3/2; 1 -1/2). */
static void THTest_(lapackGeneral)(void)
{
  real a[] = {1, 2, 3, 4}, b[] = {5, 6, 1, 0};
  THLapack_(gesv)(2, 2, a, 2, pivots, b, 2, &info);
  CHECK_EQ(info, 0);
  CHECK_ALL(b, -1, 2, -2, 1);
  CHECK_ALL(a, 2, 0.5, 4, 1);
  CHECK_EQ(pivots[0], 2);
  CHECK_EQ(pivots[1], 2);

  real c[] = {1, 2, 99, 3, 4, 98}; /* the same matrix, with columns three apart */
  THLapack_(getrf)(2, 2, c, 3, pivots, &info);
  CHECK_EQ(info, 0);
  CHECK_ALL(c, 2, 0.5, 99, 4, 1, 98);
  real x[] = {5, 6};
  THLapack_(getrs)('N', 2, 1, c, 3, pivots, x, 2, &info);
  CHECK_ALL(x, -1, 2);
  real y[] = {5, 6};
  THLapack_(getrs)('T', 2, 1, c, 3, pivots, y, 2, &info);
  CHECK_ALL(y, -4, 4.5);
  THLapack_(getri)(2, c, 3, pivots, work, -1, &info);
  CHECK(work[0] >= 2 && work[0] < SCRATCH);
  THLapack_(getri)(2, c, 3, pivots, work, SCRATCH, &info);
  CHECK_ALL(c, -2, 1, 99, 1.5, -0.5, 98);

  real singular[] = {1, 2, 2, 4};
  THLapack_(getrf)(2, 2, singular, 2, pivots, &info);
  CHECK_EQ(info, 2);
}

/* t = (2 1; 0 4) */
static void THTest_(lapackTriangular)(void)
{
  real t[] = {2, 77, 1, 4}, x[] = {4, 8};
  THLapack_(trtrs)('U', 'N', 'N', 2, 1, t, 2, x, 2, &info);
  CHECK_ALL(x, 1, 2);
  real y[] = {4, 8};
  THLapack_(trtrs)('U', 'T', 'U', 2, 1, t, 2, y, 2, &info);
  CHECK_ALL(y, 4, 4);
  CHECK_EQ(info, 0);
}

/* A line through (0, 1), (1, 2), (2, 6): 1/2 + 5/2 t, with the residuals 1/2, -1, 1/2. */
static void THTest_(lapackLeast)(void)
{
  real a[] = {1, 1, 1, 0, 1, 2}, b[] = {1, 2, 6};
  THLapack_(gels)('N', 3, 2, 1, a, 3, b, 3, work, SCRATCH, &info);
  CHECK_EQ(info, 0);
  CHECK_ALL(b, 0.5, 2.5);
  CHECK_NEAR(fabs((double)b[2]), sqrt(1.5), ROUNDING);
}

/* (4 2; 2 5) = U' U with U = (2 1; 0 2); its inverse is (5 -2; -2 4) / 16. */
static void THTest_(lapackDefinite)(void)
{
  real a[] = {4, 77, 2, 5}, b[] = {16, 32};
  THLapack_(potrf)('U', 2, a, 2, &info);
  CHECK_EQ(info, 0);
  CHECK_ALL(a, 2, 77, 1, 2);
  THLapack_(potrs)('U', 2, 1, a, 2, b, 2, &info);
  CHECK_ALL(b, 1, 6);
  THLapack_(potri)('U', 2, a, 2, &info);
  CHECK_ALL(a, 0.3125, 77, -0.125, 0.25);

  /* The larger element of the diagonal comes first: L = (sqrt 9 0; 2 2) of (9 6; 6 8). */
  real c[] = {8, 6, 77, 9};
  int rank = 0;
  THLapack_(pstrf)('L', 2, c, 2, pivots, &rank, -1, work, &info);
  CHECK_EQ(info, 0);
  CHECK_EQ(rank, 2);
  CHECK_EQ(pivots[0], 2);
  CHECK_EQ(pivots[1], 1);
  CHECK_ALL(c, 3, 2, 77, 2);
  real one[] = {1, 1, 1, 1};
  THLapack_(pstrf)('U', 2, one, 2, pivots, &rank, -1, work, &info);
  CHECK_EQ(info, 1);
  CHECK_EQ(rank, 1);
}

/* (2 4; 4 5) = L D L' with D = (5 0; 0 -1.2) and rows exchanged; (0 1; 1 0) is one block of D. */
static void THTest_(lapackIndefinite)(void)
{
  real a[] = {2, 4, 77, 5}, b[] = {10, 14};
  THLapack_(sytrf)('L', 2, a, 2, pivots, work, SCRATCH, &info);
  CHECK_EQ(info, 0);
  CHECK_EQ(pivots[0], 2);
  CHECK_EQ(pivots[1], 2);
  CHECK_ALL(a, 5, 0.8, 77, -1.2);
  THLapack_(sytrs)('L', 2, 1, a, 2, pivots, b, 2, &info);
  CHECK_EQ(info, 0);
  CHECK_ALL(b, 1, 2);

  real block[] = {0, 1, 1, 0}, none[] = {0};
  THLapack_(sytrf)('U', 2, block, 2, pivots, work, SCRATCH, &info);
  CHECK_EQ(info, 0);
  CHECK(pivots[0] < 0 && pivots[1] == pivots[0]);
  THLapack_(sytrf)('L', 1, none, 1, pivots, work, SCRATCH, &info);
  CHECK_EQ(info, 1);
}

/* (3 4)' is 5 (0.6 0.8)', up to the sign; the reflector takes it there. */
static void THTest_(lapackOrthogonal)(void)
{
  real a[] = {3, 4}, tau[1], q[4], c[] = {3, 4};
  THLapack_(geqrf)(2, 1, a, 2, tau, work, SCRATCH, &info);
  CHECK_EQ(info, 0);
  const double sign = a[0] < 0 ? -1 : 1;
  CHECK_NEAR(a[0], 5 * sign, 5 * ROUNDING);
  THLapack_(ormqr)('L', 'T', 2, 1, 1, a, 2, tau, c, 2, work, SCRATCH, &info);
  CHECK_ALL(c, 5 * sign, 0);
  memcpy(q, a, sizeof a);
  THLapack_(orgqr)(2, 2, 1, q, 2, tau, work, SCRATCH, &info);
  CHECK_ALL(q, 0.6 * sign, 0.8 * sign);
  CHECK_NEAR(fabs((double)q[2]), 0.8, ROUNDING);
}

/* (2 1; 1 2) has the eigenvalues 1 and 3; (0 -1; 1 0) has +-i; (3 0; 0 -4) has singular values 4
 * and 3. */
static void THTest_(lapackValues)(void)
{
  real a[] = {2, 77, 1, 2}, w[2], wi[2], v[4], u[4];
  THLapack_(syev)('V', 'U', 2, a, 2, w, work, SCRATCH, &info);
  CHECK_EQ(info, 0);
  CHECK_ALL(w, 1, 3);
  CHECK_NEAR(a[0] * a[1], -0.5, ROUNDING);
  CHECK_NEAR(a[2] * a[3], 0.5, ROUNDING);

  real turn[] = {0, 1, -1, 0};
  THLapack_(geev)('N', 'V', 2, turn, 2, w, wi, NULL, 1, v, 2, work, SCRATCH, &info);
  CHECK_EQ(info, 0);
  CHECK_ALL(w, 0, 0);
  CHECK_ALL(wi, 1, -1);

  real stretch[] = {3, 0, 0, -4};
  THLapack_(gesvd)('A', 'A', 2, 2, stretch, 2, w, u, 2, v, 2, work, SCRATCH, &info);
  CHECK_EQ(info, 0);
  CHECK_ALL(w, 4, 3);
  CHECK_NEAR(u[1] * v[2], -1, ROUNDING);
}

/* --- info ------------------------------------------------------------------------------------ */

static void THTest_(lapackInfo)(void)
{
  static volatile int cleaned;
  cleaned = 0;
  THLapackCheck("%s: %d", "name", 0);
  THLapackCheckWithCleanup("%s: %d", THCleanup(cleaned += 1; cleaned += 1;), "name", 0);
  CHECK_EQ(cleaned, 0);
  CHECK_RAISES(0, "name: argument 3 of LAPACK is illegal", THLapackCheck("%s: %d", "name", -3));
  CHECK_RAISES(0, "name: U(4,4)", THLapackCheck("%s: U(%d,%d)", "name", 4, 4));
  CHECK_RAISES(0, "name: 4",
               THLapackCheckWithCleanup("%s: %d", THCleanup(cleaned += 1; cleaned += 1;), "name",
                                        4));
  CHECK_EQ(cleaned, 2);
  CHECK_RAISES(0, "name: argument 1",
               THLapackCheckWithCleanup("%s: %d%s", THCleanup(cleaned += 1;), "name", -1, ""));
  CHECK_EQ(cleaned, 3);
}

TH_TESTS(THTest_(lapackGeneral), THTest_(lapackTriangular), THTest_(lapackLeast),
         THTest_(lapackDefinite), THTest_(lapackIndefinite), THTest_(lapackOrthogonal),
         THTest_(lapackValues), THTest_(lapackInfo))

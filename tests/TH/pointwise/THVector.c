/* THVector's functions of one array against the C library in long double, over lengths around those
 * of vector registers. */
#include "THTemplate.h"

#include "th_test.h"

typedef void (*THTest_(Function))(real *y, const real *x, const ptrdiff_t n);

static long double fraction(long double x)
{
  return x - truncl(x);
}

static long double logistic(long double x)
{
  return 1 / (1 + expl(-x));
}

static long double inverse(long double x)
{
  return 1 / x;
}

static long double inverse_root(long double x)
{
  return 1 / sqrtl(x);
}

typedef struct {
  const char *name;
  THTest_(Function) call;
  long double (*reference)(long double x);
  double first, last; /* where it is tried */
} THTest_(Case);

#define CASE(NAME, REFERENCE, FIRST, LAST) {#NAME, THVector_(NAME), REFERENCE, FIRST, LAST}

#ifdef TH_COMPAT_TORCH7
#define NEAREST roundl
#else
#define NEAREST rintl
#endif

static const THTest_(Case) THTest_(cases)[] = {
    CASE(exp, expl, -20, 20),       CASE(expm1, expm1l, -3, 5),
    CASE(log, logl, 0.01, 90),      CASE(log1p, log1pl, -0.9, 9),
    CASE(sigmoid, logistic, -9, 9), CASE(sin, sinl, -20, 20),
    CASE(cos, cosl, -20, 20),       CASE(tan, tanl, -1.4, 1.4),
    CASE(asin, asinl, -1, 1),       CASE(acos, acosl, -1, 0.9),
    CASE(atan, atanl, -9, 9),       CASE(sinh, sinhl, -5, 5),
    CASE(cosh, coshl, -5, 5),       CASE(tanh, tanhl, -4, 4),
    CASE(erf, erfl, -3, 3),         CASE(lgamma, lgammal, 2.5, 30),
    CASE(sqrt, sqrtl, 0, 50),       CASE(rsqrt, inverse_root, 0.1, 9),
    CASE(cinv, inverse, 0.2, 9),    CASE(ceil, ceill, -9, 9),
    CASE(floor, floorl, -9, 9),     CASE(round, NEAREST, -9.25, 9.25),
    CASE(trunc, truncl, -9, 9),     CASE(frac, fraction, -9, 9),
};

enum { MOST = 133 };

static void THTest_(vectorFunctions)(void)
{
  static const ptrdiff_t lengths[] = {0, 1, 3, 16, 17, MOST};
  const double tolerance = sizeof(real) == 4 ? 4e-7 : 1e-15;
  for (size_t k = 0; k < sizeof THTest_(cases) / sizeof *THTest_(cases); k++)
    for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
      const THTest_(Case) *c = &THTest_(cases)[k];
      const ptrdiff_t n = lengths[l];
      real x[MOST], y[MOST + 1], in_place[MOST];
      for (int i = 0; i < MOST; i++)
        in_place[i] = x[i] = (real)(c->first + (c->last - c->first) * i / (MOST - 1));
      y[n] = (real)77.5;
      th_note("%s of %td elements", c->name, n);
      c->call(y, x, n);
      for (ptrdiff_t i = 0; i < n; i++) {
        const double expected = (double)c->reference((long double)x[i]);
        CHECK_NEAR(y[i], expected, tolerance * fmax(fabs(expected), sizeof(real) == 4 ? 0.1 : 0.5));
      }
      CHECK_EQ(y[n], (real)77.5);
      c->call(in_place, in_place, n);
      for (ptrdiff_t i = 0; i < n; i++)
        CHECK_EQ(in_place[i], y[i]);
    }
}

/* Functions that C lacks: the inverse of one it has, values of tables. */
static void THTest_(vectorSpecial)(void)
{
  static const double gamma = 0.57721566490153286, six = M_PI * M_PI / 6;
  const real x[4] = {0.5, 1, 2, 10};
  const double digammas[4] = {-1.9635100260214235, -gamma, 1 - gamma, 2.2517525890667211};
  const double trigammas[4] = {M_PI * M_PI / 2, six, six - 1, 0.10516633568168575};
  const double tolerance = sizeof(real) == 4 ? 1e-6 : 1e-13;
  real y[9], z[9];
  THVector_(digamma)(y, x, 4);
  THVector_(trigamma)(z, x, 4);
  for (int i = 0; i < 4; i++) {
    CHECK_CLOSE(y[i], digammas[i], tolerance);
    CHECK_CLOSE(z[i], trigammas[i], tolerance);
  }

  real p[9];
  for (int i = 0; i < 9; i++)
    p[i] = (real)(0.24 * (i - 4));
  THVector_(erfinv)(y, p, 9);
  for (int i = 0; i < 9; i++)
    CHECK_NEAR((double)erfl((long double)y[i]), p[i], sizeof(real) == 4 ? 1e-6 : 1e-14);

  const real base[5] = {0.25, 1, 1.5, 2, 9};
  THVector_(pow)(y, base, (real)2.5, 5);
  for (int i = 0; i < 5; i++)
    CHECK_CLOSE(y[i], (double)powl((long double)base[i], 2.5L), sizeof(real) == 4 ? 4e-7 : 1e-15);
}

TH_TESTS(THTest_(vectorFunctions), THTest_(vectorSpecial))

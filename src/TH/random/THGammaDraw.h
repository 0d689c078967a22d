/* A draw of the gamma distribution, for the host and for kernels.  The including file has defined
 * how a function begins (TH_GAMMA), the type of what is drawn from (TH_GAMMA_SOURCE), and the
 * functions that draw from it uniform numbers in [0, 1) and normal ones (TH_GAMMA_UNIT,
 * TH_GAMMA_NORMAL). */
#include <float.h>
#include <math.h>

/* Marsaglia and Tsang, "A simple method for generating gamma variables" (2000).  Below 1, the
 * number for alpha + 1 is scaled by a power of a uniform one, which may vanish: then the smallest
 * normal number is drawn, as 0 is impossible. */
TH_GAMMA double TH_drawGamma(TH_GAMMA_SOURCE *source, double alpha)
{
  double scale = 1.0;
  if (alpha < 1.0) {
    scale = pow(1.0 - TH_GAMMA_UNIT(source), 1.0 / alpha);
    alpha += 1.0;
  }
  const double d = alpha - 1.0 / 3.0, c = 1.0 / sqrt(9.0 * d);
  for (;;) {
    double x, y;
    do {
      x = TH_GAMMA_NORMAL(source);
      y = 1.0 + c * x;
    } while (y <= 0);
    const double v = y * y * y, u = 1.0 - TH_GAMMA_UNIT(source), xx = x * x;
    if (u < 1.0 - 0.0331 * xx * xx || log(u) < 0.5 * xx + d * (1.0 - v + log(v)))
      return fmax(DBL_MIN, scale * d * v);
  }
}

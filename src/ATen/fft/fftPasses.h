/* The passes of Stockham's transform, which leave their output in order, for the CPU and for kernels.
 *
 * A pass of radix r over parts of r * groups elements, of which span lie side by side (of other parts
 * and lanes), reads element (group + groups * j) of a part for j = 0 .. r - 1, and writes element
 * (r * group + k).
 *
 * The including file defines real; AT_ELEMENT, which begins a function; AT_FFT_EACH(group) and
 * AT_FFT_LANES(q), loops, or what defines the one group and the one q of a thread; AT_FFT_RESTRICT;
 * AT_FFT_OWN, more members of a pass. */

typedef struct {
  const real *AT_FFT_RESTRICT xr, *AT_FFT_RESTRICT xi;
  real *AT_FFT_RESTRICT yr, *AT_FFT_RESTRICT yi;
  int64_t groups, span;
  const real *factors, *roots;
  AT_FFT_OWN
} at_fft_pass;

/* What radices of their own share: pointers to the inputs and outputs of a group. */
#define IN(PART, J)  (pass->x##PART + (group + groups * (J)) * span)
#define OUT(PART, K) (pass->y##PART + (radix * group + (K)) * span)
#define FACTOR(K)    const real c##K = w[2 * (K) - 2], s##K = w[2 * (K) - 1];
#define STORE(K, R, I)                \
  yr##K[q] = (R) * c##K - (I) * s##K; \
  yi##K[q] = (R) * s##K + (I) * c##K;
#define OPEN(J)                                                                                \
  const real *AT_FFT_RESTRICT const xr##J = IN(r, J), *AT_FFT_RESTRICT const xi##J = IN(i, J); \
  real *AT_FFT_RESTRICT const yr##J = OUT(r, J), *AT_FFT_RESTRICT const yi##J = OUT(i, J);

AT_ELEMENT void pass_2(const at_fft_pass *pass)
{
  enum { radix = 2 };
  const int64_t groups = pass->groups, span = pass->span;
  AT_FFT_EACH(group)
  {
    const real *const w = pass->factors + 2 * group;
    FACTOR(1)
    OPEN(0)
    OPEN(1)
    AT_FFT_LANES(q)
    {
      const real ar = xr0[q], ai = xi0[q], br = xr1[q], bi = xi1[q];
      yr0[q] = ar + br;
      yi0[q] = ai + bi;
      STORE(1, ar - br, ai - bi)
    }
  }
}

AT_ELEMENT void pass_3(const at_fft_pass *pass)
{
  enum { radix = 3 };
  const real sine = (real)0.86602540378443864676;
  const int64_t groups = pass->groups, span = pass->span;
  AT_FFT_EACH(group)
  {
    const real *const w = pass->factors + 4 * group;
    FACTOR(1)
    FACTOR(2)
    OPEN(0)
    OPEN(1)
    OPEN(2)
    AT_FFT_LANES(q)
    {
      const real sr = xr1[q] + xr2[q], si = xi1[q] + xi2[q];
      const real dr = sine * (xr1[q] - xr2[q]), di = sine * (xi1[q] - xi2[q]);
      const real mr = xr0[q] - sr / 2, mi = xi0[q] - si / 2;
      yr0[q] = xr0[q] + sr;
      yi0[q] = xi0[q] + si;
      STORE(1, mr + di, mi - dr)
      STORE(2, mr - di, mi + dr)
    }
  }
}

AT_ELEMENT void pass_4(const at_fft_pass *pass)
{
  enum { radix = 4 };
  const int64_t groups = pass->groups, span = pass->span;
  AT_FFT_EACH(group)
  {
    const real *const w = pass->factors + 6 * group;
    FACTOR(1)
    FACTOR(2)
    FACTOR(3)
    OPEN(0)
    OPEN(1)
    OPEN(2)
    OPEN(3)
    AT_FFT_LANES(q)
    {
      const real ar = xr0[q] + xr2[q], ai = xi0[q] + xi2[q];
      const real br = xr0[q] - xr2[q], bi = xi0[q] - xi2[q];
      const real cr = xr1[q] + xr3[q], ci = xi1[q] + xi3[q];
      const real dr = xi1[q] - xi3[q], di = xr3[q] - xr1[q]; /* times -i */
      yr0[q] = ar + cr;
      yi0[q] = ai + ci;
      STORE(1, br + dr, bi + di)
      STORE(2, ar - cr, ai - ci)
      STORE(3, br - dr, bi - di)
    }
  }
}

/* Any radix: each output is a sum over the inputs. */
AT_ELEMENT void pass_any(const at_fft_pass *pass, int radix)
{
  const int64_t groups = pass->groups, span = pass->span;
  AT_FFT_EACH(group)
  for (int k = 0; k < radix; k++) {
    real *AT_FFT_RESTRICT const yr = OUT(r, k), *AT_FFT_RESTRICT const yi = OUT(i, k);
    AT_FFT_LANES(q)
    {
      yr[q] = IN(r, 0)[q];
      yi[q] = IN(i, 0)[q];
    }
    for (int j = 1; j < radix; j++) {
      const real *AT_FFT_RESTRICT const xr = IN(r, j), *AT_FFT_RESTRICT const xi = IN(i, j);
      const real c = pass->roots[2 * (j * k % radix)], s = pass->roots[2 * (j * k % radix) + 1];
      AT_FFT_LANES(q)
      {
        yr[q] += xr[q] * c - xi[q] * s;
        yi[q] += xr[q] * s + xi[q] * c;
      }
    }
    if (k == 0)
      continue;
    const real *const w = pass->factors + 2 * ((radix - 1) * group + k - 1);
    AT_FFT_LANES(q)
    {
      const real r = yr[q], i = yi[q];
      yr[q] = r * w[0] - i * w[1];
      yi[q] = r * w[1] + i * w[0];
    }
  }
}

/* Plans of Fourier transforms: factors and tables. */
#include "fft.h"
#include "THKernel.h"

#include <math.h>

/* The roots of unity exp(-2 pi i k / n), as products of two of a coarse and a fine table: a square
 * root of n sines, each as accurate as the library's. */
typedef struct {
  int64_t n, fine;
  double (*coarse)[2], (*finer)[2];
} Roots;

/* exp(-2 pi i k / n); the angle is reduced as an integer. */
static void root(int64_t k, int64_t n, double *z)
{
  const double angle = -2 * M_PI * ((double)k / (double)n);
  z[0] = cos(angle);
  z[1] = sin(angle);
}

static void free_roots(void *what)
{
  Roots *const r = what;
  THFree(r->coarse);
  THFree(r->finer);
}

static void open_roots(Roots *r, THGuard *guard, int64_t n)
{
  *r = (Roots){.n = n, .fine = (int64_t)ceil(sqrt((double)n))};
  THGuard_enter(guard, free_roots);
  guard->what = r;
  const int64_t coarse = n / r->fine + 1;
  r->finer = THAlloc((ptrdiff_t)(r->fine * (int64_t)sizeof *r->finer));
  r->coarse = THAlloc((ptrdiff_t)(coarse * (int64_t)sizeof *r->coarse));
  for (int64_t k = 0; k < r->fine; k++)
    root(k, n, r->finer[k]);
  for (int64_t k = 0; k < coarse; k++)
    root(k * r->fine % n, n, r->coarse[k]);
}

static void root_of(const Roots *r, int64_t k, double *z)
{
  const double *a = r->coarse[k / r->fine], *b = r->finer[k % r->fine];
  z[0] = a[0] * b[0] - a[1] * b[1];
  z[1] = a[0] * b[1] + a[1] * b[0];
}

/* Stores a pair at that index of a table of the plan. */
static void put(const at_fft_plan *plan, void *table, int64_t at, const double *z)
{
  for (int i = 0; i < 2; i++)
    if (plan->realSize == sizeof(double))
      ((double *)table)[2 * at + i] = z[i];
    else
      ((float *)table)[2 * at + i] = (float)z[i];
}

static void *new_table(const at_fft_plan *plan, int64_t pairs)
{
  return THAlloc((ptrdiff_t)THMax(pairs, 1) * 2 * (ptrdiff_t)plan->realSize);
}

bool at_fft_factorise(at_fft_plan *plan, int64_t length)
{
  static const int radices[] = {4, 2, 3, 5, 7, 11, 13};
  int64_t left = length;
  plan->length = length;
  plan->passes = 0;
  for (int i = 0; i < 7; i++)
    for (; left % radices[i] == 0; left /= radices[i])
      plan->radix[plan->passes++] = radices[i];
  return left == 1;
}

static void fill_factors(at_fft_plan *plan)
{
  Roots roots;
  THGuard guard;
  int64_t count = 0, size = plan->length;
  int around = 0;
  for (int p = 0; p < plan->passes; p++) {
    size /= plan->radix[p];
    count += size * (plan->radix[p] - 1);
    around += plan->radix[p];
  }
  plan->factors = new_table(plan, count);
  plan->roots = new_table(plan, around);
  open_roots(&roots, &guard, plan->length);
  int64_t at = 0, turn = 0, step = 1; /* step: length over the length that the pass begins with */
  size = plan->length;
  for (int p = 0; p < plan->passes; p++) {
    const int radix = plan->radix[p];
    double z[2];
    size /= radix;
    for (int64_t group = 0; group < size; group++)
      for (int k = 1; k < radix; k++) {
        root_of(&roots, group * k * step, z);
        put(plan, plan->factors, at++, z);
      }
    for (int k = 0; k < radix; k++) {
      root(k, radix, z);
      put(plan, plan->roots, turn++, z);
    }
    step *= radix;
  }
  THGuard_leave(&guard);
}

int64_t at_fft_goodLength(int64_t least)
{
  for (int64_t n = least;; n++) {
    int64_t left = n;
    for (int r = 2; r <= 5; r++)
      while (left % r == 0)
        left /= r;
    if (left == 1)
      return n;
  }
}

/* The chirp exp(-pi i k^2 / n), and the transform of its conjugate, which reaches to both sides of
 * 0, over the longer length. */
static void fill_chirp(at_fft_plan *plan)
{
  const int64_t n = plan->length, m = plan->longer->length;
  const size_t real = plan->realSize;
  const at_fft_kernels *kernels =
      real == sizeof(double) ? TH_DISPATCHED(at_fftDouble) : TH_DISPATCHED(at_fftFloat);
  plan->chirp = new_table(plan, n);
  plan->spectrum = new_table(plan, m);
  THGuard guard;
  THGuard_enter(&guard, THFree);
  char *buffer = guard.what =
      THAlloc((ptrdiff_t)((2 * m + at_fft_scratch(plan->longer, 1)) * (int64_t)real));
  memset(buffer, 0, 2 * (size_t)m * real);
  char *const parts[2] = {buffer, buffer + (size_t)m * real};
  int64_t square = 0; /* k^2 modulo 2n */
  for (int64_t k = 0; k < n; k++) {
    double z[2];
    root(square, 2 * n, z);
    put(plan, plan->chirp, k, z);
    z[1] = -z[1];
    for (int i = 0; i < 2; i++)
      for (int side = 0; side < 2; side++) {
        const int64_t at = side ? (m - k) % m : k;
        if (real == sizeof(double))
          ((double *)parts[i])[at] = z[i];
        else
          ((float *)parts[i])[at] = (float)z[i];
      }
    square = (square + 2 * k + 1) % (2 * n);
  }
  kernels->transform(plan->longer, parts[0], parts[1], buffer + 2 * (size_t)m * real, 1);
  for (int64_t k = 0; k < m; k++) {
    double z[2];
    for (int i = 0; i < 2; i++)
      z[i] = (real == sizeof(double) ? ((double *)parts[i])[k] : (double)((float *)parts[i])[k]) /
             (double)m;
    put(plan, plan->spectrum, k, z);
  }
  THGuard_leave(&guard);
}

void at_fft_freePlan(at_fft_plan *plan)
{
  if (!plan)
    return;
  at_fft_freePlan(plan->longer);
  THFree(plan->factors);
  THFree(plan->roots);
  THFree(plan->chirp);
  THFree(plan->spectrum);
  THFree(plan);
}

at_fft_plan *at_fft_newPlan(int64_t length, size_t realSize)
{
  if (length < 1 || length > INT64_C(1) << 40)
    at_raise(AT_ERROR_ARGUMENT, "there is no transform of %lld elements", (long long)length);
  THGuard guard;
  THGuard_enter(&guard, (THUndo)at_fft_freePlan);
  at_fft_plan *plan = guard.what = THAlloc(sizeof *plan);
  *plan = (at_fft_plan){.length = length, .realSize = realSize};
  if (at_fft_factorise(plan, length)) {
    fill_factors(plan);
  } else {
    plan->passes = 0;
    plan->longer = at_fft_newPlan(at_fft_goodLength(2 * length - 1), realSize);
    fill_chirp(plan);
  }
  return THGuard_keep(&guard);
}

int64_t at_fft_scratch(const at_fft_plan *plan, int64_t lanes)
{
  if (!plan->longer)
    return 2 * plan->length * lanes;
  return 2 * plan->longer->length * lanes + at_fft_scratch(plan->longer, lanes);
}

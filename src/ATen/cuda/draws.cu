/* Kernels that draw as many random words as an element needs: a thread draws from a part of the
 * stream of its own. */
#include "at_kernel.h"

#include "THC/random/THCRandomWords.h"

namespace
{

/* The words of one element. */
struct source {
  uint64_t seed, element, offset;
  uint32_t words[4];
  int left;
};

/* A uniform number in [0, 1). */
THC_DEVICE double unit(source *s)
{
  if (s->left == 0) {
    THPhilox_words(s->seed, s->element, s->offset++, s->words);
    s->left = 4;
  }
  s->left -= 2;
  return THCRandom_unit53(s->words + s->left);
}

/* Box and Muller; the second number of a pair is not used. */
THC_DEVICE double normal(source *s)
{
  const double radius = sqrt(-2 * log(1 - unit(s)));
  double sine, cosine;
  sincospi(2 * unit(s), &sine, &cosine);
  return radius * cosine;
}

#define AT_POISSON        static __device__ inline
#define AT_POISSON_SOURCE source
#define AT_POISSON_UNIT   unit
#define AT_POISSON_LGAMMA lgamma
#include "ATen/random/binomialDraw.h"
#include "ATen/random/poissonDraw.h"

#define TH_GAMMA        static __device__ inline
#define TH_GAMMA_SOURCE source
#define TH_GAMMA_UNIT   unit
#define TH_GAMMA_NORMAL normal
#include "TH/random/THGammaDraw.h"

THC_DEVICE bool is_parameter(const at_draw_work &w, double x)
{
  return x >= w.least && x <= w.most;
}

__global__ void check_parameters(at_draw_work w)
{
  w.report.fault.arg = w.arg;
  THC_GRID_LOOP(i, w.count)
  {
    const double x = (double)((const real *)w.parameters)[i];
    if (!is_parameter(w, x)) {
      int64_t bits;
      memcpy(&bits, &x, sizeof bits);
      THC_report(w.report, THC_FAULT_PARAMETER, i, bits);
    }
  }
}

/* Draws from the distribution of each parameter, each element from a part of its own. */
template <double (*FUNCTION)(source *, double)>
__global__ void draws(at_draw_work w)
{
  THC_GRID_LOOP(i, w.count)
  {
    source s = {w.seed, (uint64_t)i, w.offset, {0, 0, 0, 0}, 0};
    const double x = (double)((const real *)w.parameters)[i];
    ((real *)w.to)[i] = (real)(is_parameter(w, x) ? FUNCTION(&s, x) : NAN);
  }
}

/* Draws from the binomial distribution of each pair of parameters, each element from a part of its own. */
__global__ void binomials(at_draw_work w)
{
  THC_GRID_LOOP(i, w.count)
  {
    source s = {w.seed, (uint64_t)i, w.offset, {0, 0, 0, 0}, 0};
    const double count = (double)((const real *)w.parameters)[i];
    const double p = (double)((const real *)w.second)[i];
    ((real *)w.to)[i] = (real)(is_parameter(w, count) ? at_drawBinomial(&s, count, p, false) : NAN);
  }
}

}  // namespace

AT_LAUNCHER(drawCheck, at_draw_work)
{
  THC_LAUNCH(check_parameters, THC_blocks(work->count), THC_BLOCK, 0, stream, *work);
}

AT_LAUNCHER(poisson, at_draw_work)
{
  THC_LAUNCH(draws<at_drawPoisson>, THC_blocks(work->count), THC_BLOCK, 0, stream, *work);
}

AT_LAUNCHER(binomial, at_draw_work)
{
  THC_LAUNCH(binomials, THC_blocks(work->count), THC_BLOCK, 0, stream, *work);
}

AT_LAUNCHER(standardGamma, at_draw_work)
{
  THC_LAUNCH(draws<TH_drawGamma>, THC_blocks(work->count), THC_BLOCK, 0, stream, *work);
}

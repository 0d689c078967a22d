/* Kernels of random numbers: a thread draws the elements of a group (thc_random.h). */
#include "THC/pointwise/thc_math.h"

#include "THC/walk/thc_apply.h"
#include "THCRandomWords.h"
#include "thc_random.h"

/* Every type's templates have the same names: the namespace keeps them apart. */
namespace
{

enum { GROUP = 4 };

/* Whole numbers become elements. */
THC_DEVICE element whole(int64_t number)
{
  return (element)THC_STORE((real)number);
}

struct integers {
  enum { WORDS = 1 };
  typedef element Result;
  THC_DEVICE void draw(const THCRandomFill &f, ptrdiff_t, const uint32_t *words, element *x)
  {
    for (int k = 0; k < GROUP; k++)
      x[k] = whole((int64_t)((uint64_t)f.base + THCRandom_below32(words[k], f.range)));
  }
};

struct wide_integers {
  enum { WORDS = 2 };
  typedef element Result;
  THC_DEVICE void draw(const THCRandomFill &f, ptrdiff_t, const uint32_t *words, element *x)
  {
    for (int k = 0; k < GROUP; k++)
      x[k] = whole((int64_t)((uint64_t)f.base + THCRandom_below64(words + 2 * k, f.range)));
  }
};

struct geometric {
  enum { WORDS = 2 };
  typedef element Result;
  THC_DEVICE void draw(const THCRandomFill &f, ptrdiff_t, const uint32_t *words, element *x)
  {
    for (int k = 0; k < GROUP; k++) {
      const double trials = ceil(log(1 - THCRandom_unit53(words + 2 * k)) * f.a);
      x[k] = whole((int64_t)fmin(fmax(trials, 1.0), 0x1p62));
    }
  }
};

struct bernoulli {
  enum { WORDS = 1 };
  typedef element Result;
  THC_DEVICE void draw(const THCRandomFill &f, ptrdiff_t, const uint32_t *words, element *x)
  {
    for (int k = 0; k < GROUP; k++)
      x[k] = whole(words[k] < f.range);
  }
};

struct bernoulli_floats {
  enum { WORDS = 1 };
  typedef element Result;
  THC_DEVICE void draw(const THCRandomFill &f, ptrdiff_t first, const uint32_t *words, element *x)
  {
    const float *p = (const float *)f.probabilities + first;
    for (int k = 0; k < GROUP; k++)
      x[k] = whole(first + k < f.count && THCRandom_unit24(words[k]) < p[k]);
  }
};

struct bernoulli_doubles {
  enum { WORDS = 1 };
  typedef element Result;
  THC_DEVICE void draw(const THCRandomFill &f, ptrdiff_t first, const uint32_t *words, element *x)
  {
    const double *p = (const double *)f.probabilities + first;
    for (int k = 0; k < GROUP; k++)
      x[k] = whole(first + k < f.count && words[k] * 0x1p-32 < p[k]);
  }
};

#ifndef ureal /* floating */

#ifdef TH_REAL_IS_DOUBLE
enum { FLOAT_WORDS = 2 };
#define UNIT(WORDS)   THCRandom_unit53(WORDS)
#define ABOVE0(WORDS) (1 - THCRandom_unit53(WORDS))
#define PI            3.14159265358979323846
#else
enum { FLOAT_WORDS = 1 };
#ifdef TH_REAL_IS_HALF
#define UNIT(WORDS) THCRandom_unit11(*(WORDS))
#else
#define UNIT(WORDS) THCRandom_unit24(*(WORDS))
#endif
#define ABOVE0(WORDS) THCRandom_above0(*(WORDS))
#define PI            3.14159265358979f
#endif

/* Rounded once, as TH's (THRandom_between). */
struct uniform {
  enum { WORDS = FLOAT_WORDS };
  typedef element Result;
  THC_DEVICE void draw(const THCRandomFill &f, ptrdiff_t, const uint32_t *words, element *x)
  {
    const real a = (real)f.a, b = (real)f.b, width = b - a;
    for (int k = 0; k < GROUP; k++) {
      const real u = UNIT(words + k * WORDS);
      x[k] = THC_STORE(width - width == 0 ? THC_FUNCTION(fma)(u, width, a)
                                          : 2 * (u * (b / 2 - a / 2) + a / 2));
    }
  }
};

/* Box and Muller: the elements of a pair have the same radius and angle. */
THC_DEVICE void normal_pair(const uint32_t *words, real *x)
{
  const real radius = THMath_(sqrt)(-2 * THMath_(log)(ABOVE0(words)));
  real sine, cosine;
#ifdef TH_REAL_IS_DOUBLE
  sincospi(2 * THCRandom_unit53(words + 2), &sine, &cosine);
#else
  sincospif(2 * THCRandom_unit24(words[1]), &sine, &cosine);
#endif
  x[0] = radius * cosine;
  x[1] = radius * sine;
}

struct normal {
  enum { WORDS = FLOAT_WORDS };
  typedef element Result;
  THC_DEVICE void draw(const THCRandomFill &f, ptrdiff_t first, const uint32_t *words, element *x)
  {
    real z[GROUP];
    normal_pair(words, z);
    normal_pair(words + 2 * WORDS, z + 2);
    for (int k = 0; k < GROUP; k++) {
      const bool inside = first + k < f.count;
      const element *means = (const element *)f.means;
      const element *deviations = (const element *)f.deviations;
      const real mean = means && inside ? THC_LOAD(means[first + k]) : (real)f.a;
      const real deviation = deviations && inside ? THC_LOAD(deviations[first + k]) : (real)f.b;
      x[k] = THC_STORE(z[k] * deviation + mean);
    }
  }
};

struct log_normal {
  enum { WORDS = FLOAT_WORDS };
  typedef element Result;
  THC_DEVICE void draw(const THCRandomFill &f, ptrdiff_t, const uint32_t *words, element *x)
  {
    real z[GROUP];
    normal_pair(words, z);
    normal_pair(words + 2 * WORDS, z + 2);
    for (int k = 0; k < GROUP; k++)
      x[k] = THC_STORE(THMath_(exp)(z[k] * (real)f.b + (real)f.a));
  }
};

struct exponential {
  enum { WORDS = FLOAT_WORDS };
  typedef element Result;
  THC_DEVICE void draw(const THCRandomFill &f, ptrdiff_t, const uint32_t *words, element *x)
  {
    for (int k = 0; k < GROUP; k++)
      x[k] = THC_STORE((0 - THMath_(log)(ABOVE0(words + k * WORDS))) * (real)f.a);
  }
};

struct cauchy {
  enum { WORDS = FLOAT_WORDS };
  typedef element Result;
  THC_DEVICE void draw(const THCRandomFill &f, ptrdiff_t, const uint32_t *words, element *x)
  {
    for (int k = 0; k < GROUP; k++) {
#ifdef TH_REAL_IS_DOUBLE
      const real u = UNIT(words + k * WORDS);
#else
      const real u = THCRandom_unit24(words[k]);
#endif
      x[k] = THC_STORE(THMath_(tan)(PI * (u - (real)0.5)) * (real)f.b + (real)f.a);
    }
  }
};

/* One word picks an index, the other its alias or not. */
struct alias {
  enum { WORDS = 2 };
  typedef int64_t Result;
  THC_DEVICE void draw(const THCRandomFill &f, ptrdiff_t, const uint32_t *words, int64_t *x)
  {
    const element *thresholds = (const element *)f.means;
    for (int k = 0; k < GROUP; k++) {
      const int64_t i = (int64_t)THCRandom_below32(words[2 * k], f.range);
      const bool own = THCRandom_unit24(words[2 * k + 1]) < THC_LOAD(thresholds[i]);
      x[k] = own ? i + TH_INDEX_BASE : f.aliases[i];
    }
  }
};

#endif

/* --- the kernels ----------------------------------------------------------------------------- */

template <class Kind>
__global__ void fill(THCRandomFill f)
{
  typedef typename Kind::Result Result;
  Result *const to = (Result *)f.to;
  THC_GRID_LOOP(g, (f.count + GROUP - 1) / GROUP)
  {
    const ptrdiff_t first = g * GROUP;
    uint32_t words[GROUP * Kind::WORDS];
    THC_UNROLL
    for (int j = 0; j < Kind::WORDS; j++)
      THPhilox_words(f.draw.seed, (uint64_t)g, f.draw.offset + (uint64_t)j, words + 4 * j);
    THCPack<Result, GROUP> four;
    Kind::draw(f, first, words, four.v);
    if (f.packed && first + GROUP <= f.count) {
      *(THCPack<Result, GROUP> *)(to + first) = four;
      continue;
    }
    for (int k = 0; k < GROUP && first + k < f.count; k++)
      to[first + k] = four.v[k];
  }
}

template <class Kind>
void launch(const THCRandomFill *f, cudaStream_t stream)
{
  typedef THCPack<typename Kind::Result, GROUP> Pack;
  THCRandomFill fitting = *f;
  fitting.packed = (uintptr_t)f->to % alignof(Pack) == 0;
  THC_LAUNCH(fill<Kind>, THC_blocks((f->count + GROUP - 1) / GROUP), THC_BLOCK, 0, stream, fitting);
}

}  // namespace

#define ROW(KIND) {KIND::WORDS, launch<KIND>}
/* In the order of THCRandomKind. */
extern "C" const THCRandomKernel THC_NAME(THCRandom_)[THC_RANDOM_KINDS];
const THCRandomKernel THC_NAME(THCRandom_)[THC_RANDOM_KINDS] = {
    ROW(integers),    ROW(wide_integers),    ROW(geometric),
    ROW(bernoulli),   ROW(bernoulli_floats), ROW(bernoulli_doubles),
#ifndef ureal
    ROW(uniform),     ROW(normal),           ROW(log_normal),
    ROW(exponential), ROW(cauchy),           ROW(alias),
#endif
};

/* Kernels of random numbers (thc_random.h says which element has which words). */
#include "THC/pointwise/thc_math.h"

#include "THC/walk/thc_map.h"
#include "THCRandomWords.h"
#include "thc_random.h"

/* Every type's templates have the same names: the namespace keeps them apart. */
namespace
{

enum { GROUP = 4 };

/* --- the numbers of a call of Philox --------------------------------------------------------- */

struct words32 {
  enum { EACH = 4 };
  typedef uint32_t Type;
  THC_DEVICE void make(const uint32_t *words, uint32_t *x)
  {
    for (int k = 0; k < EACH; k++)
      x[k] = words[k];
  }
};

struct words64 {
  enum { EACH = 2 };
  typedef uint64_t Type;
  THC_DEVICE void make(const uint32_t *words, uint64_t *x)
  {
    for (int k = 0; k < EACH; k++)
      x[k] = (uint64_t)words[2 * k] << 32 | words[2 * k + 1];
  }
};

#ifdef TH_REAL_IS_DOUBLE
typedef double number;
enum { NUMBERS = 2 };
THC_DEVICE double above0(const uint32_t *words, int k)
{
  return THCRandom_above0Double(words + 2 * k);
}
#else
typedef float number;
enum { NUMBERS = 4 };
THC_DEVICE float above0(const uint32_t *words, int k)
{
  return THCRandom_above0(words[k]);
}
#endif

/* A source of uniform numbers in (0, 1]. */
struct units {
  enum { EACH = NUMBERS };
  typedef number Type;
  THC_DEVICE void make(const uint32_t *words, number *x)
  {
    for (int k = 0; k < EACH; k++)
      x[k] = above0(words, k);
  }
};

/* Whole numbers become elements. */
THC_DEVICE element whole(int64_t value)
{
  return (element)THC_STORE((real)value);
}

/* --- distributions: an element of a number --------------------------------------------------- */

struct integers {
  typedef words32 Source;
  THC_DEVICE element make(const THCRandomFill &f, ptrdiff_t, uint32_t word)
  {
    return whole((int64_t)((uint64_t)f.base + word % f.range));
  }
};

struct wide_integers {
  typedef words64 Source;
  THC_DEVICE element make(const THCRandomFill &f, ptrdiff_t, uint64_t word)
  {
    return whole((int64_t)((uint64_t)f.base + (f.range ? word % f.range : word)));
  }
};

struct geometric {
  typedef units Source;
  THC_DEVICE element make(const THCRandomFill &f, ptrdiff_t, number u)
  {
    const double trials = ceil(log(u) / log(1 - (number)f.a));
    return whole((int64_t)fmin(fmax(trials, 1.0), 0x1p62));
  }
};

struct bernoulli {
  typedef units Source;
  THC_DEVICE element make(const THCRandomFill &f, ptrdiff_t, number u)
  {
    return whole(u < (number)f.a);
  }
};

#ifndef ureal /* floating */

#ifdef TH_REAL_IS_DOUBLE
#define PI 3.14159265358979323846
#else
#define PI 3.14159265358979f
#endif

/* Box and Muller: the elements of a pair have the same radius and angle. */
struct normals {
  enum { EACH = NUMBERS };
  typedef number Type;
  THC_DEVICE void make(const uint32_t *words, number *x)
  {
    for (int k = 0; k < EACH; k += 2) {
      const real radius = THMath_(sqrt)(-2 * THMath_(log)(above0(words, k)));
      real sine, cosine;
#ifdef TH_REAL_IS_DOUBLE
      sincospi(2 * above0(words, k + 1), &sine, &cosine);
#else
      sincospif(2 * above0(words, k + 1), &sine, &cosine);
#endif
      x[k] = radius * sine;
      x[k + 1] = radius * cosine;
    }
  }
};

/* x rounded to the element type. */
THC_DEVICE real rounded(double x)
{
  return THC_LOAD(THC_STORE((real)x));
}

/* Uniform numbers from a on, and below b: what would round to b is a.  Where the width is infinite, by halves. */
struct uniform {
  typedef units Source;
  THC_DEVICE element make(const THCRandomFill &f, ptrdiff_t, number u)
  {
    const real a = rounded(f.a), b = rounded(f.b), width = THC_LOAD(THC_STORE(b - a));
    const element x = THC_STORE(width - width == 0 ? THC_FUNCTION(fma)(u, width, a)
                                                   : 2 * (u * (b / 2 - a / 2) + a / 2));
    return THC_LOAD(x) == b ? (element)THC_STORE(a) : x;
  }
};

struct normal {
  typedef normals Source;
  THC_DEVICE element make(const THCRandomFill &f, ptrdiff_t i, number z)
  {
    const element *means = (const element *)f.means, *deviations = (const element *)f.deviations;
    const real mean = means ? THC_LOAD(means[i]) : (real)f.a;
    const real deviation = deviations ? THC_LOAD(deviations[i]) : (real)f.b;
    return THC_STORE(THC_FUNCTION(fma)(z, deviation, mean));
  }
};

struct log_normal {
  typedef normals Source;
  THC_DEVICE element make(const THCRandomFill &f, ptrdiff_t, number z)
  {
    return THC_STORE(THMath_(exp)(THC_FUNCTION(fma)(z, (real)f.b, (real)f.a)));
  }
};

struct exponential {
  typedef units Source;
  THC_DEVICE element make(const THCRandomFill &f, ptrdiff_t, number u)
  {
    return THC_STORE(-1 / (real)f.a * THMath_(log)(u));
  }
};

struct cauchy {
  typedef units Source;
  THC_DEVICE element make(const THCRandomFill &f, ptrdiff_t, number u)
  {
    return THC_STORE(THC_FUNCTION(fma)((real)f.b, THMath_(tan)(PI * (u - (real)0.5)), (real)f.a));
  }
};

#endif

/* --- in groups of four elements --------------------------------------------------------------- */

struct bernoulli_floats {
  enum { WORDS = 1 };
  typedef element Result;
  THC_DEVICE void draw(const THCRandomFill &f, ptrdiff_t first, const uint32_t *words, element *x)
  {
    const float *p = (const float *)f.probabilities + first;
    for (int k = 0; k < GROUP; k++)
      x[k] = whole(first + k < f.count && THCRandom_above0(words[k]) <= p[k]);
  }
};

struct bernoulli_doubles {
  enum { WORDS = 1 };
  typedef element Result;
  THC_DEVICE void draw(const THCRandomFill &f, ptrdiff_t first, const uint32_t *words, element *x)
  {
    const double *p = (const double *)f.probabilities + first;
    for (int k = 0; k < GROUP; k++)
      x[k] = whole(first + k < f.count && THCRandom_above0(words[k]) <= p[k]);
  }
};

#ifndef ureal

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

/* Thread t draws from subsequence t: elements t, t + threads ... , EACH for a call. */
template <class Kind>
__global__ void fill(THCRandomFill f)
{
  typedef typename Kind::Source Source;
  element *const to = (element *)f.to;
  THC_GRID_LOOP(t, f.threads)
  {
    uint64_t call = f.draw.offset;
    for (ptrdiff_t first = t; first < f.count; first += f.threads * Source::EACH, call++) {
      uint32_t words[4];
      typename Source::Type x[Source::EACH];
      THPhilox_words(f.draw.seed, (uint64_t)t, call, words);
      Source::make(words, x);
      THC_UNROLL
      for (int k = 0; k < Source::EACH; k++) {
        const ptrdiff_t i = first + k * f.threads;
        if (i < f.count)
          to[i] = Kind::make(f, i, x[k]);
      }
    }
  }
}

template <class Kind>
void launch(const THCRandomFill *f, cudaStream_t stream)
{
  THC_LAUNCH(fill<Kind>, THC_blocks(f->threads), THC_BLOCK, 0, stream, *f);
}

template <class Kind>
__global__ void fill_groups(THCRandomFill f)
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
void launch_groups(const THCRandomFill *f, cudaStream_t stream)
{
  typedef THCPack<typename Kind::Result, GROUP> Pack;
  THCRandomFill fitting = *f;
  fitting.packed = (uintptr_t)f->to % alignof(Pack) == 0;
  THC_LAUNCH(fill_groups<Kind>, THC_blocks((f->count + GROUP - 1) / GROUP), THC_BLOCK, 0, stream,
             fitting);
}

}  // namespace

#define ROW(KIND)    {KIND::Source::EACH, 0, launch<KIND>}
#define GROUPS(KIND) {0, KIND::WORDS, launch_groups<KIND>}
/* The kernels, in the order of THCRandomKind. */
extern "C" const THCRandomKernel THC_NAME(THCRandom_)[THC_RANDOM_KINDS];
const THCRandomKernel THC_NAME(THCRandom_)[THC_RANDOM_KINDS] = {
    ROW(integers),
    ROW(wide_integers),
    ROW(geometric),
    ROW(bernoulli),
    GROUPS(bernoulli_floats),
    GROUPS(bernoulli_doubles),
#ifndef ureal
    ROW(uniform),
    ROW(normal),
    ROW(log_normal),
    ROW(exponential),
    ROW(cauchy),
    GROUPS(alias),
#endif
};

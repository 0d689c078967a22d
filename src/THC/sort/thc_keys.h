/* Elements as unsigned integers in their order, for kernels that sort and select.  A .cu file that
 * is compiled once per element type includes this file after thc_template.h. */
#ifndef THC_KEYS_H
#define THC_KEYS_H

/* The bits of an element, or its key. */
#if defined(TH_REAL_IS_DOUBLE) || defined(TH_REAL_IS_LONG)
typedef unsigned long long Key;
#elif defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_INT)
typedef unsigned Key;
#elif defined(TH_REAL_IS_HALF) || defined(TH_REAL_IS_SHORT)
typedef unsigned short Key;
#else
typedef unsigned char Key;
#endif

enum { BITS = 8 * sizeof(Key), DIGIT = 8, DIGITS = 1 << DIGIT };
#define TOP_BIT  ((Key)((Key)1 << (BITS - 1)))
#define LAST_KEY ((Key) ~(Key)0)

#if defined(TH_REAL_IS_FLOAT) || defined(TH_REAL_IS_DOUBLE) || defined(TH_REAL_IS_HALF)
#define IS_FLOATING 1
#if defined(TH_REAL_IS_DOUBLE)
#define INFINITE 0x7ff0000000000000u
#elif defined(TH_REAL_IS_FLOAT)
#define INFINITE 0x7f800000u
#else
#define INFINITE 0x7c00u
#endif

THC_DEVICE int is_nan(Key bits)
{
  return (bits & (Key)(TOP_BIT - 1)) > (Key)INFINITE;
}

/* The bits of positive numbers are in order; the bits of negative numbers are in reverse order.
 * NaN comes last, whatever its sign; -0 is 0. */
THC_DEVICE Key key_of(Key bits)
{
  if (is_nan(bits))
    return LAST_KEY;
  if (bits == TOP_BIT)
    return TOP_BIT;
  return bits & TOP_BIT ? (Key)~bits : (Key)(bits | TOP_BIT);
}

#else
#define IS_FLOATING  0
#define is_nan(BITS) 0
#if defined(TH_REAL_IS_BYTE)
#define key_of(BITS) (BITS)
#else
#define key_of(BITS) ((Key)((BITS) ^ TOP_BIT))
#endif
#endif

/* The order of a median: key 0 means NaN.  (No number has the last key, and those of numbers are above
 * 0.) */
THC_DEVICE Key median_key(Key bits)
{
  return is_nan(bits) ? (Key)0 : key_of(bits);
}

#endif

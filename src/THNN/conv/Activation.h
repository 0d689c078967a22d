/* What an activation (THNNGroups.h) makes of a vector of results; kernels of convolutions include this
 * file after TH/simd/THSimdReal.h. */
#ifndef THNN_CONV_ACTIVATION_H
#define THNN_CONV_ACTIVATION_H

/* The lanes of v that are not below low, and low in the others; NaN stays NaN. */
TH_SIMD Vector at_least(Vector low, Vector v)
{
#if TH_VECTOR_MASKS
  return Vector_(max)(low, v);
#else
  const Integers below = v < low;
  return (Vector)((below & (Integers)low) | (~below & (Integers)v));
#endif
}

/* The lanes of v that are not above high, and high in the others; NaN stays NaN. */
TH_SIMD Vector at_most(Vector high, Vector v)
{
#if TH_VECTOR_MASKS
  return Vector_(min)(high, v);
#else
  const Integers above = v > high;
  return (Vector)((above & (Integers)high) | (~above & (Integers)v));
#endif
}

/* v itself if a is NULL. */
TH_SIMD Vector activated(const THNNActivation *a, Vector v)
{
  if (!a)
    return v;
  if (a->kind == THNN_CLAMP)
    return at_most(Vector_(all)((real)a->high), at_least(Vector_(all)((real)a->low), v));
  const Vector gate = at_most(Vector_(all)(6), at_least(Vector_(all)(0), v + Vector_(all)(3)));
  return v * gate / Vector_(all)(6);
}

#endif

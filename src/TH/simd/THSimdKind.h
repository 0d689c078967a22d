/* What is the same at all levels, for one kind of vector; included by THSimdTypes.h for each. */

typedef KIND KIND_(Unaligned) __attribute__((aligned(1), may_alias));

TH_SIMD KIND KIND_(load)(const ELEMENT *p)
{
  return *(const KIND_(Unaligned) *)p;
}

TH_SIMD void KIND_(store)(ELEMENT *p, KIND v)
{
  *(KIND_(Unaligned) *)p = v;
}

/* x - 0, which unlike x + 0 is x even where x is -0. */
TH_SIMD KIND KIND_(all)(ELEMENT x)
{
  return x - (KIND){0};
}

#undef KIND
#undef KIND_
#undef ELEMENT

/* Forgets what THSimdAvx512.h defined for a kind. */
#undef KIND_
#undef KIND
#undef ELEMENT
#undef INTEGERS
#undef MASK
#undef RAW
#undef OP
#undef GATHER
#undef GATHER_ALL

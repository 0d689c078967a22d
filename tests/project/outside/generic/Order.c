/* The name of the pass and a space, as part of a string. */
TH_CONCAT_STRING_2(Real, ) " "

/* tensor = src, element by element in row-major order; both have as many elements, in any shapes.
 *
 * Types are converted as C does, with the undefined cases defined: a floating number becomes an
 * integer by truncation, NaN becomes 0, what is beyond int64_t becomes its extreme, and a smaller
 * integer takes the low bits (-1.0 to a byte is 255, 300.0 is 44).  src may overlap tensor in any
 * way. */
TH_API void THTensor_(copy)(THTensor *tensor, THTensor *src);
TH_API void THTensor_(copyByte)(THTensor *tensor, struct THByteTensor *src);
TH_API void THTensor_(copyChar)(THTensor *tensor, struct THCharTensor *src);
TH_API void THTensor_(copyShort)(THTensor *tensor, struct THShortTensor *src);
TH_API void THTensor_(copyInt)(THTensor *tensor, struct THIntTensor *src);
TH_API void THTensor_(copyLong)(THTensor *tensor, struct THLongTensor *src);
TH_API void THTensor_(copyFloat)(THTensor *tensor, struct THFloatTensor *src);
TH_API void THTensor_(copyDouble)(THTensor *tensor, struct THDoubleTensor *src);
TH_API void THTensor_(copyHalf)(THTensor *tensor, struct THHalfTensor *src);

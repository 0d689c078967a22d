/* What the templates of TH share about tensors of the current type, beyond the public interface. */
#include "../THResult.h"
#include "../THShape.h"

/* A tensor without a storage. */
THTensor *THTensor_(newBare)(void);

/* Enters a guard that frees the tensor it will hold. */
void THTensor_(guard)(THGuard *guard);

/* self takes the shape, which is used up.  Cannot fail. */
void THTensor_(takeShape)(THTensor *self, THShape *shape);

/* self (perhaps src itself) becomes a view of src's storage.  Cannot fail. */
void THTensor_(takeView)(THTensor *self, THTensor *src, ptrdiff_t offset, THShape *shape);

/* The result takes the shape: as resizeNd, but for sizes of 0, which are kept. */
void THTensor_(resizeResult)(THTensor *r, const THShape *shape);
void THLongTensor_resizeResult(THLongTensor *r, const THShape *shape);

/* Both results take the shape, or neither does. */
void THTensor_(resizeResults)(THTensor *r, THLongTensor *indices, const THShape *shape);

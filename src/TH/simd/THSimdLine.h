/* Vectors of a cache line of elements of the template's type, at every level.  Loads and stores are
 * macros, because the calling convention of functions that return vectors depends on the level. */
enum { VECTOR = 64, LANES = VECTOR / sizeof(real) };

typedef real Vector __attribute__((vector_size(VECTOR)));
typedef real UnalignedVector __attribute__((vector_size(VECTOR), aligned(sizeof(real)), may_alias));
#define LOAD(X)     (*(const UnalignedVector *)(X))
#define STORE(X, V) (*(UnalignedVector *)(X) = (V))

/* Read fields freely; the functions keep them consistent. */
typedef struct THStorage {
  real *data;
  ptrdiff_t size; /* elements */
  int refcount;
  char flag; /* TH_STORAGE_ bits */
  THAllocator *allocator;
  void *allocatorContext;
  struct THStorage *view; /* the owner of data when TH_STORAGE_VIEW is set */
} THStorage;

TH_API real *THStorage_(data)(const THStorage *self);
TH_API ptrdiff_t THStorage_(size)(const THStorage *self);
TH_API size_t THStorage_(elementSize)(void); /* bytes */

/* One element; idx is counted from 0 and checked. */
TH_API void THStorage_(set)(THStorage *self, ptrdiff_t idx, real value);
TH_API real THStorage_(get)(const THStorage *self, ptrdiff_t idx);

/* --- making one: count 1, resizable, and (but for the mapping) uninitialised or as given ----- */

TH_API THStorage *THStorage_(new)(void);
TH_API THStorage *THStorage_(newWithSize)(ptrdiff_t size);
TH_API THStorage *THStorage_(newWithSize1)(real a);
TH_API THStorage *THStorage_(newWithSize2)(real a, real b);
TH_API THStorage *THStorage_(newWithSize3)(real a, real b, real c);
TH_API THStorage *THStorage_(newWithSize4)(real a, real b, real c, real d);

/* A file, mapped: size elements, or the whole file for size 0.  flags are those of THMapAllocator.
 * Not resizable. */
TH_API THStorage *THStorage_(newWithMapping)(const char *filename, ptrdiff_t size, int flags);

/* Takes data, which came from malloc, as its own (unless TH_STORAGE_FREEMEM is cleared afterwards).
 * If making the storage fails, data still belongs to the caller. */
TH_API THStorage *THStorage_(newWithData)(real *data, ptrdiff_t size);

TH_API THStorage *THStorage_(newWithAllocator)(ptrdiff_t size, THAllocator *allocator,
                                               void *allocatorContext);
TH_API THStorage *THStorage_(newWithDataAndAllocator)(real *data, ptrdiff_t size,
                                                      THAllocator *allocator,
                                                      void *allocatorContext);

/* --- flags and counts ------------------------------------------------------------------------ */

TH_API void THStorage_(setFlag)(THStorage *storage, const char flag);
TH_API void THStorage_(clearFlag)(THStorage *storage, const char flag);

/* Counts one more owner; NULL and storages that are not counted are left alone. */
TH_API void THStorage_(retain)(THStorage *storage);

/* Counts one owner less; the last one releases the data as the flags say.  NULL is nothing to free.
 */
TH_API void THStorage_(free)(THStorage *storage);

/* Exchanges everything but the counts. */
TH_API void THStorage_(swap)(THStorage *storage1, THStorage *storage2);

/* --- contents -------------------------------------------------------------------------------- */

/* Changes the number of elements; those that both sizes have keep their values, new ones are
 * uninitialised. An error unless the storage is resizable; after an error it is as before. */
TH_API void THStorage_(resize)(THStorage *storage, ptrdiff_t size);

TH_API void THStorage_(fill)(THStorage *storage, real value);

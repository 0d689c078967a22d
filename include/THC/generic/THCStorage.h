/* Read fields freely; the functions keep them consistent. */
typedef struct THCStorage {
  real *data; /* in the memory of device */
  ptrdiff_t size;
  int refcount;
  char flag; /* TH_STORAGE_ bits */
  THCDeviceAllocator *allocator;
  void *allocatorContext;
  struct THCStorage *view; /* the owner of data when TH_STORAGE_VIEW is set */
  int device;
} THCStorage;

THC_API real *THCStorage_(data)(THCState *state, const THCStorage *self);
THC_API ptrdiff_t THCStorage_(size)(THCState *state, const THCStorage *self);
THC_API int THCStorage_(elementSize)(THCState *state); /* bytes */
THC_API int THCStorage_(getDevice)(THCState *state, const THCStorage *storage);

/* One element; idx is counted from 0 and checked.  Both wait for the current stream. */
THC_API void THCStorage_(set)(THCState *state, THCStorage *self, ptrdiff_t idx, real value);
THC_API real THCStorage_(get)(THCState *state, const THCStorage *self, ptrdiff_t idx);

/* --- making one, on the current device: count 1, resizable, uninitialised or as given --------- */

THC_API THCStorage *THCStorage_(new)(THCState *state);
THC_API THCStorage *THCStorage_(newWithSize)(THCState *state, ptrdiff_t size);
THC_API THCStorage *THCStorage_(newWithSize1)(THCState *state, real a);
THC_API THCStorage *THCStorage_(newWithSize2)(THCState *state, real a, real b);
THC_API THCStorage *THCStorage_(newWithSize3)(THCState *state, real a, real b, real c);
THC_API THCStorage *THCStorage_(newWithSize4)(THCState *state, real a, real b, real c, real d);

/* Files cannot be mapped into a device: an error. */
THC_API THCStorage *THCStorage_(newWithMapping)(THCState *state, const char *filename,
                                                ptrdiff_t size, int shared);

/* Takes data, device memory of the state's allocator, as its own.  If making the storage fails,
 * data still belongs to the caller. */
THC_API THCStorage *THCStorage_(newWithData)(THCState *state, real *data, ptrdiff_t size);

THC_API THCStorage *THCStorage_(newWithAllocator)(THCState *state, ptrdiff_t size,
                                                  THCDeviceAllocator *allocator,
                                                  void *allocatorContext);
THC_API THCStorage *THCStorage_(newWithDataAndAllocator)(THCState *state, real *data,
                                                         ptrdiff_t size,
                                                         THCDeviceAllocator *allocator,
                                                         void *allocatorContext);

/* --- flags and counts ------------------------------------------------------------------------ */

THC_API void THCStorage_(setFlag)(THCState *state, THCStorage *storage, const char flag);
THC_API void THCStorage_(clearFlag)(THCState *state, THCStorage *storage, const char flag);
THC_API void THCStorage_(retain)(THCState *state, THCStorage *storage);
THC_API void THCStorage_(free)(THCState *state, THCStorage *storage); /* NULL is nothing to free */

/* --- contents -------------------------------------------------------------------------------- */

/* Changes the number of elements; those that both sizes have keep their values, new ones are
 * uninitialised.  A storage without memory moves to the current device, another one stays where it
 * is.  An error unless the storage is resizable; after an error it is as before. */
THC_API void THCStorage_(resize)(THCState *state, THCStorage *storage, ptrdiff_t size);

THC_API void THCStorage_(fill)(THCState *state, THCStorage *storage, real value);

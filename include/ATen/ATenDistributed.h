/* Several processes that compute together, as PyTorch's torch.distributed: libATenDistributed.
 *
 *     at_comm_start();                                     mpirun -n 4 program, or RANK, WORLD_SIZE ...
 *     at_comm_parallel *p = at_comm_parallel_new(net);
 *     for (...) {                                          each rank has samples of its own
 *       at_backward(loss);
 *       at_comm_parallel_finish(p);                        gradients are averages over all ranks
 *       at_optimizer_step(adam);
 *     }
 *     at_comm_parallel_free(p);
 *     at_comm_stop();
 *
 * The processes are ranks, counted from 0.  Collective functions are called by all ranks of a group, in
 * the same order; a thread of the library runs them one after the other, so that they go on while the
 * program computes.  Tensors are dense ones of the CPU or of CUDA devices, of any element type, strides
 * and number of elements, also none.  For those of a device, which go by NCCL or the CPU, the call waits until what
 * is queued on it is done.
 *
 * Functions return false after an error, NULL where they return a pointer.  If ranks call different
 * functions, or with tensors that do not fit together, that is an error on all of them which says who
 * differs, and the group goes on.  A rank that ends, or does not answer within the timeout, is an error
 * on the others which names it; afterwards every call is that error.  docs/distributed.md has more. */
#ifndef ATEN_DISTRIBUTED_H
#define ATEN_DISTRIBUTED_H

#include "ATen.h"
#include "ATenModule.h"
#include "ATenOptim.h"

/* --- start and end ---------------------------------------------------------------------------- */

typedef enum at_comm_backend {
  AT_COMM_ANY, /* MPI if a starter of MPI has started the program, else TCP if WORLD_SIZE is set, else
                * one rank */
  AT_COMM_MPI, /* libATenMPI-openmpi or libATenMPI-mpich, whichever the starter belongs to; AT_COMM_MPI
                * in the environment, "openmpi" or "mpich", decides otherwise */
  AT_COMM_TCP, /* sockets between all ranks: RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT in the
                * environment, as torchrun sets them; rank 0 listens at that address */
  AT_COMM_ONE  /* one rank */
} at_comm_backend;

typedef struct at_comm_start_options {
  at_comm_backend backend; /* AT_COMM_ANY */
  double timeout;          /* 300: seconds without progress until a call is an error */
  bool unchecked;          /* false: whether calls are not compared between ranks, which saves a few
                            * small messages a call; calls that differ then wait for the timeout, or
                            * are an error only on some ranks */
} at_comm_start_options;
AT_API const at_comm_start_options at_comm_start_defaults;

/* Joins the ranks; all of them call it, once.  An MPI that is initialized already is used, and left
 * alone by at_comm_stop; it has to allow calls from another thread (MPI_THREAD_SERIALIZED).
 *
 *     at_comm_start(*, at_comm_backend backend=AT_COMM_ANY, double timeout=300, bool unchecked=false)
 *         -> bool */
AT_API bool at_comm_start(const at_comm_start_options *options);

/* Waits until all calls have ended, and leaves.  All groups are gone then, and must have no work
 * left.  Nothing if there was no start. */
AT_API void at_comm_stop(void);

/* --- groups ----------------------------------------------------------------------------------- */

/* Some of the ranks, in an order.  A thread at a time calls functions of a group. */
typedef struct at_comm_group at_comm_group;

/* The own number in the group, and how many ranks it has; NULL is the group of all.  Without a start
 * 0 and 1, in a group that is no longer there -1 and 0. */
AT_API int at_comm_rank(const at_comm_group *group);
AT_API int at_comm_size(const at_comm_group *group);

/* The name of what carries the messages: "openmpi", "mpich", "tcp" or "one". */
AT_API const char *at_comm_backendName(void);

/* A group for each color, of the ranks that give that color, ordered by key and then by rank; a
 * negative color makes no group, and returns NULL without an error.  Collective.  It lives until
 * at_comm_group_free, or at_comm_stop. */
AT_API at_comm_group *at_comm_split(at_comm_group *group, int color, int key) AT_MUST_USE;

/* NULL is accepted. */
AT_API void at_comm_group_free(at_comm_group *group);

/* --- tensors ---------------------------------------------------------------------------------- */

typedef enum at_comm_op {
  AT_COMM_SUM,
  AT_COMM_PRODUCT,
  AT_COMM_MIN, /* NaN if any is NaN; not for complex types */
  AT_COMM_MAX,
  AT_COMM_AVG,  /* the sum, divided by the number of ranks: floating and complex types */
  AT_COMM_BAND, /* integers and Bool */
  AT_COMM_BOR,
  AT_COMM_BXOR
} at_comm_op;

/* A call that has begun.  Its tensors must not be changed, and results not be read, before it has
 * ended. */
typedef struct at_comm_work at_comm_work;

/* The options of all functions below. */
typedef struct at_comm_options {
  at_comm_group *group; /* NULL: all ranks */
  at_comm_op op;        /* AT_COMM_SUM */
  at_comm_work *
      *work; /* NULL: the call returns when it has ended; else it returns at once and stores
                         * what at_comm_wait takes, NULL if the call has failed already */
} at_comm_options;
AT_API const at_comm_options at_comm_defaults;

/* Half and BFloat16 are combined as floats, and rounded after each combination; sums of Bool are or,
 * products and.  The result has the same bits on all ranks, and in each run with so many ranks. */

/* t of rank root becomes t on all ranks. */
AT_API bool at_comm_broadcast(at_tensor *t, int root, const at_comm_options *options);

/* t becomes, element by element, the combination of t on all ranks. */
AT_API bool at_comm_all_reduce(at_tensor *t, const at_comm_options *options);

/* On rank root alone t becomes, element by element, the combination of t on all ranks; elsewhere t does not
 * change. */
AT_API bool at_comm_reduce(at_tensor *t, int root, const at_comm_options *options);

/* result, which has as many elements as all t together, becomes t of rank 0, t of rank 1, ..., each in
 * row-major order; t is of the same size on all ranks. */
AT_API bool at_comm_all_gather(at_tensor *result, at_tensor *t, const at_comm_options *options);

/* at_comm_all_gather to rank root alone; on other ranks result is NULL. */
AT_API bool at_comm_gather(at_tensor *result, at_tensor *t, int root,
                           const at_comm_options *options);

/* t is divided in row-major order into a part for each rank, of result's number of elements; result
 * becomes the combination of the own part on all ranks. */
AT_API bool at_comm_reduce_scatter(at_tensor *result, at_tensor *t, const at_comm_options *options);

/* result becomes the own part of t of rank root; elsewhere t is NULL. */
AT_API bool at_comm_scatter(at_tensor *result, at_tensor *t, int root,
                            const at_comm_options *options);

/* Part r of result becomes the own part of t on rank r. */
AT_API bool at_comm_all_to_all(at_tensor *result, at_tensor *t, const at_comm_options *options);

/* t goes to the rank peer of the group, or comes from it.  Between two ranks, messages arrive in the
 * order in which they were sent.  With work in the options, any number of them may be on their way. */
AT_API bool at_comm_send(at_tensor *t, int peer, const at_comm_options *options);
AT_API bool at_comm_receive(at_tensor *t, int peer, const at_comm_options *options);

/* Returns when all ranks have called it. */
AT_API bool at_comm_barrier(const at_comm_options *options);

/* Waits until the call has ended, and frees the work.  False after an error of it; NULL is false. */
AT_API bool at_comm_wait(at_comm_work *work);

/* Whether the call has ended, with an error or without; at_comm_wait then returns at once. */
AT_API bool at_comm_test(const at_comm_work *work);

/* --- data-parallel training ------------------------------------------------------------------- */

/* A network that all ranks train with samples of their own. */
typedef struct at_comm_parallel at_comm_parallel;

typedef struct at_comm_parallel_new_options {
  at_comm_group *group; /* NULL: all ranks */
  int64_t bucket_bytes; /* 25 MB: gradients are averaged in buckets of about so many bytes */
} at_comm_parallel_new_options;
AT_API const at_comm_parallel_new_options at_comm_parallel_new_defaults;

/* Gives all ranks the parameters and buffers of rank 0, and averages gradients from now on.  While a
 * backward pass goes on, each bucket of gradients is on its way as soon as its last gradient is there.
 * Parameters are those that want gradients now.  Collective.
 *
 *     at_comm_parallel_new(Module net, *, at_comm_group group=NULL, int bucket_bytes=25 MB)
 *         -> at_comm_parallel */
AT_API at_comm_parallel *
at_comm_parallel_new(at_module *net, const at_comm_parallel_new_options *options) AT_MUST_USE;

/* Waits for the averages, which are the parameters' gradients then: what a rank had before the pass
 * is part of them.  To be called behind each backward pass, but for those between
 * at_comm_parallel_setSync(p, false) and (p, true), which add up gradients of the rank.  A parameter
 * that a rank's loss does not depend on counts as zeros there.  After an error gradients are as the
 * pass left them. */
AT_API bool at_comm_parallel_finish(at_comm_parallel *parallel);
AT_API bool at_comm_parallel_setSync(at_comm_parallel *parallel, bool on);

/* Makes an at_SyncBatchNorm of each BatchNorm layer of net, in which ranks of the group (NULL: all) normalize
 * by the statistics of their batches together, as one process would that has the joined batch.  Passes
 * in training, forward and backward, are collective from now on.  The group must outlive net's use.
 * PyTorch: SyncBatchNorm.convert_sync_batchnorm. */
AT_API bool at_comm_convert_sync_batchnorm(at_module *net, at_comm_group *group);

/* Gives all ranks the buffers of rank 0, such as the statistics of batch normalization. */
AT_API bool at_comm_parallel_buffers(at_comm_parallel *parallel);

/* NULL is accepted. */
AT_API void at_comm_parallel_free(at_comm_parallel *parallel);

/* --- states of optimizers, divided among ranks -------------------------------------------------- */

/* An optimizer each of whose parameters is updated by one rank, which alone has its states: ZeRO of
 * stage 1. */
typedef struct at_comm_sharded at_comm_sharded;

/* Divides the parameters of the optimizer, which lives longer, by their number of elements.  States
 * that it has already stay with the parameter's rank alone.  All ranks have the same parameters; not
 * for LBFGS.  Collective. */
AT_API at_comm_sharded *at_comm_sharded_new(at_optimizer *optimizer,
                                            const at_comm_options *options) AT_MUST_USE;

/* A step: updates the own parameters, and gets the others. Gradients are the same on all ranks, as
 * after at_comm_parallel_finish. */
AT_API bool at_comm_sharded_step(at_comm_sharded *sharded);

/* The rank that has the states of a parameter; -1 and an error if there is none. */
AT_API int at_comm_sharded_owner(const at_comm_sharded *sharded, int group, int index);

/* Rank 0 writes the state of all ranks to a file, as at_save(path, at_optimizer_state_dict(o)) does
 * for an optimizer that is not divided: any number of ranks reads it.  Collective; an error on rank 0
 * is one on all ranks. */
AT_API bool at_comm_sharded_save(at_comm_sharded *sharded, const char *path);

/* Takes the state from such a file, of which each rank keeps its part.  Collective; after an error on
 * any rank nothing has changed on that one. */
AT_API bool at_comm_sharded_load(at_comm_sharded *sharded, const char *path);

/* The optimizer stays, with the states of the rank.  NULL is accepted. */
AT_API void at_comm_sharded_free(at_comm_sharded *sharded);

/* --- macros ------------------------------------------------------------------------------------ */

static inline bool at_comm_done(const char *file, int line, bool done)
{
  if (!done)
    at_error_locate(file, line);
  return done;
}

static inline AT_MUST_USE at_comm_parallel *at_comm_newParallel(const char *file, int line,
                                                                at_comm_parallel *made)
{
  if (!made)
    at_error_locate(file, line);
  return made;
}

static inline AT_MUST_USE at_comm_sharded *at_comm_newSharded(const char *file, int line,
                                                              at_comm_sharded *made)
{
  if (!made)
    at_error_locate(file, line);
  return made;
}

#ifndef ATEN_IMPLEMENTATION
/* clang-format off */
#define AT_COMM_SET(NAME, OPTIONS, options_, left_, o1, o2, o3) \
  AT_NO_MORE("at_" #NAME, 3, left_); \
  at_##OPTIONS##_options options_ = at_##OPTIONS##_defaults; \
  AT_OPTION(options_, o1), AT_OPTION(options_, o2), AT_OPTION(options_, o3)
/* A function with 0, 1, 2 or 3 arguments and up to 3 options. */
#define AT_COMM_0(KIND, NAME, OPTIONS, ...) AT_COMM_0__(AT_UNIQUE, KIND, NAME, OPTIONS, __VA_ARGS__)
#define AT_COMM_0__(options_, KIND, NAME, OPTIONS, o1, o2, o3, left_, ...) \
  KIND(__FILE__, __LINE__, __extension__({ \
    AT_COMM_SET(NAME, OPTIONS, options_, left_, o1, o2, o3); \
    (at_##NAME)(&options_); }))
#define AT_COMM_1(KIND, NAME, OPTIONS, ...) AT_COMM_1__(AT_UNIQUE, KIND, NAME, OPTIONS, __VA_ARGS__)
#define AT_COMM_1__(options_, KIND, NAME, OPTIONS, a, o1, o2, o3, left_, ...) \
  KIND(__FILE__, __LINE__, __extension__({ \
    AT_COMM_SET(NAME, OPTIONS, options_, left_, o1, o2, o3); \
    (at_##NAME)(a, &options_); }))
#define AT_COMM_2(KIND, NAME, OPTIONS, ...) AT_COMM_2__(AT_UNIQUE, KIND, NAME, OPTIONS, __VA_ARGS__)
#define AT_COMM_2__(options_, KIND, NAME, OPTIONS, a, b, o1, o2, o3, left_, ...) \
  KIND(__FILE__, __LINE__, __extension__({ \
    AT_COMM_SET(NAME, OPTIONS, options_, left_, o1, o2, o3); \
    (at_##NAME)(a, b, &options_); }))
#define AT_COMM_3(KIND, NAME, OPTIONS, ...) AT_COMM_3__(AT_UNIQUE, KIND, NAME, OPTIONS, __VA_ARGS__)
#define AT_COMM_3__(options_, KIND, NAME, OPTIONS, a, b, c, o1, o2, o3, left_, ...) \
  KIND(__FILE__, __LINE__, __extension__({ \
    AT_COMM_SET(NAME, OPTIONS, options_, left_, o1, o2, o3); \
    (at_##NAME)(a, b, c, &options_); }))
#define at_comm_start(...) AT_COMM_0(at_comm_done, comm_start, comm_start, __VA_ARGS__, , , , )
#define at_comm_barrier(...) AT_COMM_0(at_comm_done, comm_barrier, comm, __VA_ARGS__, , , , )
#define at_comm_all_reduce(...) AT_COMM_1(at_comm_done, comm_all_reduce, comm, __VA_ARGS__, , , , )
#define at_comm_broadcast(...) AT_COMM_2(at_comm_done, comm_broadcast, comm, __VA_ARGS__, , , , )
#define at_comm_reduce(...) AT_COMM_2(at_comm_done, comm_reduce, comm, __VA_ARGS__, , , , )
#define at_comm_send(...) AT_COMM_2(at_comm_done, comm_send, comm, __VA_ARGS__, , , , )
#define at_comm_receive(...) AT_COMM_2(at_comm_done, comm_receive, comm, __VA_ARGS__, , , , )
#define at_comm_all_gather(...) AT_COMM_2(at_comm_done, comm_all_gather, comm, __VA_ARGS__, , , , )
#define at_comm_reduce_scatter(...) AT_COMM_2(at_comm_done, comm_reduce_scatter, comm, __VA_ARGS__, , , , )
#define at_comm_all_to_all(...) AT_COMM_2(at_comm_done, comm_all_to_all, comm, __VA_ARGS__, , , , )
#define at_comm_gather(...) AT_COMM_3(at_comm_done, comm_gather, comm, __VA_ARGS__, , , , )
#define at_comm_scatter(...) AT_COMM_3(at_comm_done, comm_scatter, comm, __VA_ARGS__, , , , )
#define at_comm_parallel_new(...) \
  AT_COMM_1(at_comm_newParallel, comm_parallel_new, comm_parallel_new, __VA_ARGS__, , , , )
#define at_comm_sharded_new(...) AT_COMM_1(at_comm_newSharded, comm_sharded_new, comm, __VA_ARGS__, , , , )
#define at_comm_wait(...) at_comm_done(__FILE__, __LINE__, (at_comm_wait)(__VA_ARGS__))
/* clang-format on */
#endif

#endif

/* Collective calls on contiguous elements: rings for large ones, trees for small ones.  All ranks combine
 * the same elements in the same order, so their results have the same bits. */
#include <string.h>

#include "Comm.h"

enum { TREE_BYTES = 16 << 10, SEGMENT_BYTES = 1 << 20 };

static void move(char *to, const char *from, size_t bytes)
{
  if (bytes > 0) /* else there may be no memory */
    memmove(to, from, bytes);
}

/* The first element of a part. */
static int64_t part_at(int64_t count, int ranks, int part)
{
  return count / ranks * part + THMin(count % ranks, part);
}

static int wrapped(const at_comm_work *work, int rank)
{
  const int size = work->group->size;
  return (rank % size + size) % size;
}

/* Where a part is, and how many bytes it has. */
static char *part_of(const at_comm_work *work, char *data, int part, size_t *bytes)
{
  const int size = work->group->size;
  const int64_t first = part_at(work->row.count, size, part);
  *bytes = (size_t)(part_at(work->row.count, size, part + 1) - first) * work->element;
  return data + (size_t)first * work->element;
}

static void combine(const at_comm_work *work, size_t bytes, char *a, const char *b)
{
  at_comm_combine((at_scalar_type)work->row.type, (at_comm_op)work->row.op,
                  (int64_t)(bytes / work->element), a, b);
}

static void divide(const at_comm_work *work, size_t bytes, char *a)
{
  at_comm_divide((at_scalar_type)work->row.type, (at_comm_op)work->row.op,
                 (int64_t)(bytes / work->element), a, work->group->size);
}

static bool uses_tree(int64_t count, size_t element, int ranks)
{
  return count < ranks || (uint64_t)count * element <= TREE_BYTES;
}

int64_t at_comm_scratchOf(at_comm_kind kind, int64_t count, size_t element, int ranks)
{
  if (kind == AT_COMM_REDUCE || (kind == AT_COMM_ALL_REDUCE && uses_tree(count, element, ranks)))
    return count;
  if (kind == AT_COMM_REDUCE_SCATTER)
    return count;
  return kind == AT_COMM_ALL_REDUCE ? count / ranks + 1 : 0;
}

/* --- trees -------------------------------------------------------------------------------------- */

/* A binomial tree from root: rank r, counted from the root, has the children r + 1, r + 2, r + 4 ... below
 * the lowest bit of r. */
static bool spread(at_comm_work *work, char *data, size_t bytes, int root)
{
  const int size = work->group->size, own = wrapped(work, work->group->rank - root);
  int bit = 1;
  while (bit < size && !(own & bit))
    bit *= 2;
  if (own > 0) {
    at_transfer t = at_comm_from(work, wrapped(work, own - bit + root), data, bytes);
    if (!at_comm_exchange(work, 1, &t))
      return false;
  }
  at_transfer children[32];
  int count = 0;
  for (bit /= 2; bit > 0; bit /= 2)
    if (own + bit < size)
      children[count++] = at_comm_to(work, wrapped(work, own + bit + root), data, bytes);
  return at_comm_exchange(work, count, children);
}

/* spread in segments, so that a rank passes one segment on while the next is on its way. */
static bool spread_all(at_comm_work *work, char *data, size_t bytes, int root)
{
  for (size_t at = 0; at < bytes; at += SEGMENT_BYTES)
    if (!spread(work, data + at, THMin(bytes - at, (size_t)SEGMENT_BYTES), root))
      return false;
  return true;
}

/* The tree of spread, upwards: data of root become the combination. */
static bool gather_up(at_comm_work *work, char *data, size_t bytes, int root)
{
  const int size = work->group->size, own = wrapped(work, work->group->rank - root);
  for (int bit = 1; bit < size; bit *= 2) {
    const bool sends = own & bit;
    if (!sends && own + bit >= size)
      continue;
    const int peer = wrapped(work, (sends ? own - bit : own + bit) + root);
    at_transfer t = sends ? at_comm_to(work, peer, data, bytes)
                          : at_comm_from(work, peer, work->scratch, bytes);
    if (!at_comm_exchange(work, 1, &t))
      return false;
    if (sends)
      return true;
    combine(work, bytes, data, work->scratch);
  }
  return true;
}

/* --- rings -------------------------------------------------------------------------------------- */

/* Each step sends a part to the right while one comes from the left. */
static bool ring_step(at_comm_work *work, const char *out, size_t outBytes, char *in,
                      size_t inBytes)
{
  at_transfer both[] = {at_comm_to(work, wrapped(work, work->group->rank + 1), out, outBytes),
                        at_comm_from(work, wrapped(work, work->group->rank - 1), in, inBytes)};
  return at_comm_exchange(work, 2, both);
}

/* The own part of data becomes the combination. */
static bool ring_combine(at_comm_work *work, char *data)
{
  const int rank = work->group->rank;
  for (int step = 1; step < work->group->size; step++) {
    size_t outBytes, inBytes;
    char *const out = part_of(work, data, wrapped(work, rank - step), &outBytes);
    char *const in = part_of(work, data, wrapped(work, rank - step - 1), &inBytes);
    if (!ring_step(work, out, outBytes, work->scratch, inBytes))
      return false;
    combine(work, inBytes, in, work->scratch);
  }
  return true;
}

/* The parts of all ranks come to all. */
static bool ring_collect(at_comm_work *work, char *data)
{
  const int rank = work->group->rank;
  for (int step = 0; step < work->group->size - 1; step++) {
    size_t outBytes, inBytes;
    char *const out = part_of(work, data, wrapped(work, rank - step), &outBytes);
    char *const in = part_of(work, data, wrapped(work, rank - step - 1), &inBytes);
    if (!ring_step(work, out, outBytes, in, inBytes))
      return false;
  }
  return true;
}

/* Bytes of each rank by doubling steps: the rank has those of itself and of the next ranks. */
bool at_comm_collect(at_comm_work *work, char *data, size_t bytes)
{
  const int size = work->group->size, rank = work->group->rank;
  for (int have = 1; have < size; have *= 2) {
    const int take = THMin(have, size - have);
    at_transfer list[64];
    const int most = (int)(sizeof list / sizeof *list) / 2;
    for (int first = 0; first < take; first += most) {
      const int count = THMin(most, take - first);
      for (int i = 0; i < count; i++) {
        char *const out = data + (size_t)wrapped(work, rank + first + i) * bytes;
        char *const in = data + (size_t)wrapped(work, rank + have + first + i) * bytes;
        list[2 * i] = at_comm_to(work, wrapped(work, rank - have), out, bytes);
        list[2 * i + 1] = at_comm_from(work, wrapped(work, rank + have), in, bytes);
      }
      if (!at_comm_exchange(work, 2 * count, list))
        return false;
    }
  }
  return true;
}

/* --- the calls ---------------------------------------------------------------------------------- */

static size_t bytes_of(const at_comm_work *work)
{
  return (size_t)work->row.count * work->element;
}

static bool broadcast(at_comm_work *work)
{
  return spread_all(work, work->out, bytes_of(work), work->row.root);
}

static bool all_reduce(at_comm_work *work)
{
  const int size = work->group->size;
  if (uses_tree(work->row.count, work->element, size)) {
    if (!gather_up(work, work->out, bytes_of(work), 0))
      return false;
    if (work->group->rank == 0)
      divide(work, bytes_of(work), work->out);
    return spread(work, work->out, bytes_of(work), 0);
  }
  if (!ring_combine(work, work->out))
    return false;
  size_t bytes;
  char *const own = part_of(work, work->out, work->group->rank, &bytes);
  divide(work, bytes, own);
  return ring_collect(work, work->out);
}

static bool reduce(at_comm_work *work)
{
  if (!gather_up(work, work->out, bytes_of(work), work->row.root))
    return false;
  if (work->group->rank == work->row.root)
    divide(work, bytes_of(work), work->out);
  return true;
}

/* row.count is the number of elements of all ranks meanwhile. */
static bool with_all(at_comm_work *work, bool (*run)(at_comm_work *, char *), char *data)
{
  const int64_t count = work->row.count;
  work->row.count = count * work->group->size;
  const bool done = run(work, data);
  work->row.count = count;
  return done;
}

static bool all_gather(at_comm_work *work)
{
  const size_t bytes = bytes_of(work);
  move(work->out + (size_t)work->group->rank * bytes, work->in, bytes);
  return with_all(work, ring_collect, work->out);
}

static bool reduce_scatter(at_comm_work *work)
{
  const size_t bytes = bytes_of(work);
  if (!with_all(work, ring_combine, work->in))
    return false;
  move(work->out, work->in + (size_t)work->group->rank * bytes, bytes);
  divide(work, bytes, work->out);
  return true;
}

/* Gathers parts from all ranks to root; scatter moves them the other way. */
static bool gather(at_comm_work *work)
{
  const size_t bytes = bytes_of(work);
  const int rank = work->group->rank, root = work->row.root;
  int count = 0;
  if (rank != root)
    work->transfers[count++] = at_comm_to(work, root, work->in, bytes);
  for (int i = 0; i < work->group->size && rank == root; i++)
    if (i != rank)
      work->transfers[count++] = at_comm_from(work, i, work->out + (size_t)i * bytes, bytes);
  if (rank == root)
    move(work->out + (size_t)rank * bytes, work->in, bytes);
  return at_comm_exchange(work, count, work->transfers);
}

static bool scatter(at_comm_work *work)
{
  const size_t bytes = bytes_of(work);
  const int rank = work->group->rank, root = work->row.root;
  int count = 0;
  if (rank != root)
    work->transfers[count++] = at_comm_from(work, root, work->out, bytes);
  for (int i = 0; i < work->group->size && rank == root; i++)
    if (i != rank)
      work->transfers[count++] = at_comm_to(work, i, work->in + (size_t)i * bytes, bytes);
  const bool done = at_comm_exchange(work, count, work->transfers);
  if (done && rank == root)
    move(work->out, work->in + (size_t)rank * bytes, bytes);
  return done;
}

static bool all_to_all(at_comm_work *work)
{
  const size_t bytes = bytes_of(work);
  const int rank = work->group->rank;
  int count = 0;
  for (int step = 1; step < work->group->size; step++) {
    const size_t to = (size_t)wrapped(work, rank + step), from = (size_t)wrapped(work, rank - step);
    work->transfers[count++] = at_comm_to(work, (int)to, work->in + to * bytes, bytes);
    work->transfers[count++] = at_comm_from(work, (int)from, work->out + from * bytes, bytes);
  }
  move(work->out + (size_t)rank * bytes, work->in + (size_t)rank * bytes, bytes);
  return at_comm_exchange(work, count, work->transfers);
}

static bool split(at_comm_work *work)
{
  return at_comm_collect(work, work->out, 3 * sizeof(int64_t));
}

/* NULL: it is enough that the ranks have agreed. */
bool (*const at_comm_runs[])(at_comm_work *) = {
    [AT_COMM_BROADCAST] = broadcast, [AT_COMM_ALL_REDUCE] = all_reduce,
    [AT_COMM_REDUCE] = reduce,       [AT_COMM_ALL_GATHER] = all_gather,
    [AT_COMM_GATHER] = gather,       [AT_COMM_REDUCE_SCATTER] = reduce_scatter,
    [AT_COMM_SCATTER] = scatter,     [AT_COMM_ALL_TO_ALL] = all_to_all,
    [AT_COMM_SPLIT] = split,         [AT_COMM_STOP] = NULL,
};

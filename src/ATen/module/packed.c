/* Sequences of several lengths: packed, step by step and the longest first, and padded. */
#include "Packed.h"

#include <limits.h>

#include "ATenLayers.h"
#include "Layers.h"

#define INTEGERS (1U << AT_BYTE | 1U << AT_CHAR | 1U << AT_SHORT | 1U << AT_INT | 1U << AT_LONG)

const int64_t *at_integersOf(const char *operation, const char *name, at_tensor *t, int64_t *count)
{
  *count = at_numel(t);
  if (!at_isOfTypes(operation, name, t, INTEGERS))
    return NULL;
  if (at_dim(t) != 1 || *count == 0) {
    at_fail(AT_ERROR_ARGUMENT, operation, "%s: %s is of size %s, and has to be a vector", operation,
            name, at_sizeDesc(at_sizesOf(t)).str);
    return NULL;
  }
  at_tensor *const longs = at_contiguous(at_to(t, AT_CPU(AT_LONG)));
  return at_defined(longs) ? at_data(longs) : NULL;
}

const int64_t *at_batchSizes(const char *operation, at_tensor *data, at_tensor *batch_sizes,
                             int64_t *count)
{
  const int64_t *const sizes = at_integersOf(operation, "batch_sizes", batch_sizes, count);
  const int64_t rows = at_dim(data) > 0 ? at_size(data, 0) : 0;
  int64_t sum = 0;
  for (int64_t t = 0; sizes && t < *count; t++) {
    if (sizes[t] <= 0 || (t > 0 && sizes[t] > sizes[t - 1]) || sizes[t] > rows - sum) {
      at_fail(AT_ERROR_ARGUMENT, operation,
              "%s: batch_sizes[%lld] is %lld: they have to be positive, not to grow, and to add up "
              "to "
              "the %lld rows of data",
              operation, (long long)t, (long long)sizes[t], (long long)rows);
      return NULL;
    }
    sum += sizes[t];
  }
  if (sizes && sum != rows) {
    at_fail(AT_ERROR_ARGUMENT, operation, "%s: batch_sizes add up to %lld, and data is of size %s",
            operation, (long long)sum, at_sizeDesc(at_sizesOf(data)).str);
    return NULL;
  }
  return sizes;
}

at_tensor *at_newIndices(int64_t count, int64_t **to)
{
  at_tensor *const made = at_empty(AT_SHAPE(count), .type = AT_CPU(AT_LONG));
  *to = at_defined(made) ? at_data(made) : NULL;
  return made;
}

at_tensor *at_sortedIndices(const char *operation, at_tensor *unsorted, int64_t count)
{
  if (!unsorted)
    return NULL;
  int64_t given;
  const int64_t *const from = at_integersOf(operation, "unsorted_indices", unsorted, &given);
  if (!from)
    return at_undefined();
  int64_t *to;
  at_tensor *const made = at_newIndices(count, &to);
  for (int64_t i = 0; to && i < count; i++)
    to[i] = -1;
  bool isSound = given == count;
  for (int64_t i = 0; to && isSound && i < count; i++) {
    isSound = from[i] >= 0 && from[i] < count && to[from[i]] < 0;
    if (isSound)
      to[from[i]] = i;
  }
  if (isSound)
    return made;
  at_fail(AT_ERROR_ARGUMENT, operation,
          "%s: unsorted_indices, of size %s, have to be the numbers below %lld, which is the "
          "first of "
          "batch_sizes",
          operation, at_sizeDesc(at_sizesOf(unsorted)).str, (long long)count);
  return at_undefined();
}

/* --- packing ---------------------------------------------------------------------------------- */

/* Whether lengths are those of batch sequences of at most steps; an error if not. */
static bool are_lengths(const int64_t *lengths, int64_t count, int64_t batch, int64_t steps,
                        bool enforceSorted)
{
  const char *const name = "pack_padded_sequence";
  if (count != batch)
    at_fail(AT_ERROR_ARGUMENT, name, "%s: lengths has %lld numbers, and input %lld sequences", name,
            (long long)count, (long long)batch);
  for (int64_t i = 0; i < count && count == batch; i++) {
    const bool isIn = lengths[i] > 0 && lengths[i] <= steps;
    if (!isIn)
      at_fail(AT_ERROR_ARGUMENT, name, "%s: lengths[%lld] is %lld, and has to be from 1 to %lld",
              name, (long long)i, (long long)lengths[i], (long long)steps);
    else if (enforceSorted && i > 0 && lengths[i] > lengths[i - 1])
      at_fail(AT_ERROR_ARGUMENT, name,
              "%s: lengths[%lld] is %lld, more than the one before: without enforce_sorted they "
              "may "
              "come in any order",
              name, (long long)i, (long long)lengths[i]);
    else
      continue;
    return false;
  }
  return count == batch;
}

/* The sequences in the order of their lengths, the longest first; equal ones stay in order. */
static at_tensor *order_of(const int64_t *lengths, int64_t batch, int64_t longest, int64_t **order)
{
  at_tensor *const made = at_newIndices(batch, order);
  int64_t count = 0;
  for (int64_t length = longest; *order && length > 0 && count < batch; length--)
    for (int64_t i = 0; i < batch; i++)
      if (lengths[i] == length)
        (*order)[count++] = i;
  return made;
}

/* The rows of the steps x batch, or batch x steps rows of the input in the order of the packed ones;
 * *sizes becomes the number of sequences of each step. */
static at_tensor *rows_of(const int64_t *lengths, const int64_t *order, int64_t batch,
                          int64_t steps, bool batchFirst, at_tensor **sizes)
{
  int64_t total = 0, n = 0, *rows, *counts;
  for (int64_t i = 0; i < batch; i++)
    total += lengths[i];
  at_tensor *const made = at_newIndices(total, &rows);
  *sizes = at_newIndices(lengths[order[0]], &counts);
  for (int64_t t = 0; rows && counts && t < lengths[order[0]]; t++) {
    int64_t b = 0;
    for (; b < batch && lengths[order[b]] > t; b++)
      rows[n++] = batchFirst ? order[b] * steps + t : t * batch + order[b];
    counts[t] = b;
  }
  return made;
}

at_packed_sequence(at_pack_padded_sequence)(at_tensor *input, at_tensor *lengths,
                                            const at_pack_padded_sequence_options *options)
{
  const char *const name = "pack_padded_sequence";
  const at_pack_padded_sequence_options o = options ? *options : at_pack_padded_sequence_defaults;
  const at_packed_sequence failed = {at_undefined(), at_undefined(), NULL, NULL};
  if (!at_accept(name, "input", input, false) || !at_accept(name, "lengths", lengths, false))
    return failed;
  if (at_dim(input) < 2) {
    at_fail(AT_ERROR_ARGUMENT, name,
            "%s: input is of size %s, and has to have the dimensions of steps and sequences", name,
            at_sizeDesc(at_sizesOf(input)).str);
    return failed;
  }
  AT_SCOPE_GUARD;
  const int64_t batch = at_size(input, o.batch_first ? 0 : 1);
  const int64_t steps = at_size(input, o.batch_first ? 1 : 0);
  int64_t count, *order, *back;
  const int64_t *const given = at_integersOf(name, "lengths", lengths, &count);
  if (!given || !are_lengths(given, count, batch, steps, o.enforce_sorted))
    return failed;
  at_packed_sequence made = {NULL, NULL, order_of(given, batch, steps, &order), NULL};
  made.unsorted_indices = at_newIndices(batch, &back);
  if (!order || !back)
    return failed;
  for (int64_t i = 0; i < batch; i++)
    back[order[i]] = i;
  at_tensor *const rows = rows_of(given, order, batch, steps, o.batch_first, &made.batch_sizes);
  at_tensor *const flat = at_flatten(input, .start_dim = 0, .end_dim = 1);
  made.data = at_index_select(flat, 0, at_to(rows, at_toScalarType(at_typeOf(input), AT_LONG)));
  if (!at_defined(made.data))
    return failed;
  const bool isSorted = o.enforce_sorted;
  return (at_packed_sequence){at_escape(made.data), at_escape(made.batch_sizes),
                              isSorted ? NULL : at_escape(made.sorted_indices),
                              isSorted ? NULL : at_escape(made.unsorted_indices)};
}

/* --- padding ---------------------------------------------------------------------------------- */

/* The rows of the padded sequences that the packed rows become; *lengths becomes how long they are. */
static at_tensor *targets_of(const int64_t *sizes, int64_t count, int64_t steps,
                             const int64_t *order, bool batchFirst, at_tensor **lengths)
{
  const int64_t batch = sizes[0];
  int64_t total = 0, n = 0, *rows, *longs;
  for (int64_t t = 0; t < count; t++)
    total += sizes[t];
  at_tensor *const made = at_newIndices(total, &rows);
  *lengths = at_newIndices(batch, &longs);
  for (int64_t t = 0; rows && longs && t < count; t++)
    for (int64_t b = 0; b < sizes[t]; b++) {
      const int64_t own = order ? order[b] : b;
      rows[n++] = batchFirst ? own * steps + t : t * batch + own;
      longs[own] = t + 1;
    }
  return made;
}

/* The padded sequences: rows of data at the targets, and elsewhere the value. */
static at_tensor *padded_with(at_tensor *data, at_tensor *targets, int64_t first, int64_t second,
                              double value)
{
  int64_t sizes[AT_MOST_DIMS + 1];
  const int dims = at_dim(data);
  for (int d = 1; d < dims; d++)
    sizes[d + 1] = at_size(data, d);
  sizes[1] = first * second;
  at_tensor *const rows =
      at_full(((at_ints){sizes + 1, dims}), at_scalar_double(value), .type = at_typeOf(data));
  at_index_copy_(rows, 0, at_to(targets, at_toScalarType(at_typeOf(data), AT_LONG)), data);
  sizes[0] = first;
  sizes[1] = second;
  return at_reshape(rows, ((at_ints){sizes, dims + 1}));
}

at_tensor *(at_pad_sequence)(at_tensors sequences, const at_pad_sequence_options *options)
{
  const char *const name = "pad_sequence";
  const at_pad_sequence_options o = options ? *options : at_pad_sequence_defaults;
  if (!at_acceptAll(name, "sequences", sequences, false))
    return at_undefined();
  int64_t longest = 0, n = 0, *rows;
  for (int b = 0; b < sequences.count; b++)
    longest = THMax(longest, at_dim(sequences.data[b]) > 0 ? at_size(sequences.data[b], 0) : 0);
  if (longest == 0 || longest > INT64_MAX / sequences.count) {
    at_fail(AT_ERROR_ARGUMENT, name, "%s: there are %d sequences, the longest of %lld elements",
            name, sequences.count, (long long)longest);
    return at_undefined();
  }
  AT_SCOPE_GUARD;
  at_tensor *const data = at_cat(sequences);
  at_tensor *const targets = at_newIndices(at_defined(data) ? at_size(data, 0) : 0, &rows);
  if (!at_defined(data) || !rows)
    return at_undefined();
  for (int b = 0; b < sequences.count; b++)
    for (int64_t t = 0; t < at_size(sequences.data[b], 0); t++)
      rows[n++] = o.batch_first ? b * longest + t : t * sequences.count + b;
  return at_escape(padded_with(data, targets, o.batch_first ? sequences.count : longest,
                               o.batch_first ? longest : sequences.count, o.padding_value));
}

at_padded_lengths(at_pad_packed_sequence)(at_tensor *data, at_tensor *batch_sizes,
                                          const at_pad_packed_sequence_options *options)
{
  const char *const name = "pad_packed_sequence";
  const at_pad_packed_sequence_options o = options ? *options : at_pad_packed_sequence_defaults;
  const at_padded_lengths failed = {at_undefined(), at_undefined()};
  if (!at_accept(name, "data", data, false) ||
      !at_accept(name, "batch_sizes", batch_sizes, false) ||
      !at_accept(name, "unsorted_indices", o.unsorted_indices, true))
    return failed;
  AT_SCOPE_GUARD;
  int64_t count;
  const int64_t *const sizes = at_batchSizes(name, data, batch_sizes, &count);
  at_tensor *const order = sizes ? at_sortedIndices(name, o.unsorted_indices, sizes[0]) : NULL;
  if (!sizes || (order && !at_defined(order)))
    return failed;
  const int64_t steps = o.total_length == AT_NONE ? count : o.total_length;
  const int64_t most = INT64_MAX / sizes[0];
  if (steps < count || steps > most) {
    at_fail(AT_ERROR_ARGUMENT, name,
            "%s: total_length is %lld, and has to be from %lld, the longest length, to %lld", name,
            (long long)steps, (long long)count, (long long)most);
    return failed;
  }
  at_tensor *lengths;
  at_tensor *const targets =
      targets_of(sizes, count, steps, order ? at_data(order) : NULL, o.batch_first, &lengths);
  at_tensor *const made = padded_with(data, targets, o.batch_first ? sizes[0] : steps,
                                      o.batch_first ? steps : sizes[0], o.padding_value);
  if (!at_defined(made))
    return failed;
  return (at_padded_lengths){at_escape(made), at_escape(lengths)};
}

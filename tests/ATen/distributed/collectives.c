/* Collective calls of several processes, which all run this program, against what each can compute from the
 * ranks' numbers. */
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "ATenCUDA.h"
#include "ATenDistributed.h"
#include "th_test.h"

enum { TIMEOUT = 20 };

static int rank, size;
static bool onDevice; /* the tensors are on CUDA */

static const at_type *type_of(int type)
{
  return onDevice ? AT_CUDA((at_scalar_type)type) : AT_CPU((at_scalar_type)type);
}

static bool is_bool(const at_type *type)
{
  return at_type_scalarType(type) == AT_BOOL;
}

/* Numbers of a rank, from 1 to 3: products of a few ranks fit into each type. */
static int64_t number_of(int of, int64_t i)
{
  return 1 + (of * 7 + i * 5 + i / 3) % 3;
}

/* count numbers of a rank as a tensor of the type; as a matrix that is transposed if it is strided. */
static at_tensor *tensor_of(const at_type *type, int of, int64_t count, bool isStrided)
{
  at_tensor *const t = at_zeros(AT_SHAPE(count), .type = AT_CPU(AT_LONG));
  int64_t *const data = at_data(t);
  for (int64_t i = 0; i < count; i++)
    data[i] = is_bool(type) ? number_of(of, i) == 1 : number_of(of, i);
  at_tensor *const made = at_to(t, type);
  return isStrided ? at_t(at_contiguous(at_t(at_view(made, AT_INTS(count / 2, 2))))) : made;
}

static at_tensor *flat(at_tensor *t)
{
  return at_reshape(t, AT_INTS(-1));
}

static void check_same(at_tensor *t, at_tensor *expected)
{
  CHECK(at_equal(flat(t), flat(expected)));
  CHECK(at_error() == AT_OK);
}

/* --- reductions --------------------------------------------------------------------------------- */

static int64_t combined(at_comm_op op, int64_t a, int64_t b)
{
  switch (op) {
    case AT_COMM_PRODUCT:
      return a * b;
    case AT_COMM_MIN:
      return a < b ? a : b;
    case AT_COMM_MAX:
      return a > b ? a : b;
    case AT_COMM_BAND:
      return a & b;
    case AT_COMM_BOR:
      return a | b;
    case AT_COMM_BXOR:
      return a ^ b;
    default:
      return a + b;
  }
}

static bool has_op(at_scalar_type type, at_comm_op op)
{
  const bool isComplex = type == AT_COMPLEX_FLOAT || type == AT_COMPLEX_DOUBLE;
  const bool isFloating =
      type == AT_FLOAT || type == AT_DOUBLE || type == AT_HALF || type == AT_BFLOAT16;
  if (op >= AT_COMM_BAND)
    return !isComplex && !isFloating;
  if (op == AT_COMM_AVG)
    return isComplex || isFloating;
  return !isComplex || op == AT_COMM_SUM || op == AT_COMM_PRODUCT;
}

/* What all ranks together make, by the obvious loop. */
static at_tensor *combination(const at_type *type, at_comm_op op, int64_t count)
{
  at_tensor *const t = at_zeros(AT_SHAPE(count), .type = AT_CPU(AT_LONG));
  int64_t *const data = at_data(t);
  for (int r = 0; r < size; r++) {
    const int64_t *const own = at_data(at_to(tensor_of(type, r, count, false), AT_CPU(AT_LONG)));
    for (int64_t i = 0; i < count; i++)
      data[i] = r == 0 ? own[i] : combined(op, data[i], own[i]);
  }
  if (is_bool(type) && op == AT_COMM_SUM)
    return at_to(at_gt(t, 0), type);
  at_tensor *const made = at_to(t, type);
  return op == AT_COMM_AVG ? at_div(made, size) : made;
}

static void check_reduction(const at_type *type, at_comm_op op, int64_t count)
{
  const bool isStrided = count % 2 == 0;
  at_tensor *const expected = combination(type, op, count);
  at_tensor *t = tensor_of(type, rank, count, isStrided);
  CHECK(at_comm_all_reduce(t, .op = op));
  check_same(t, expected);
  const int root = size - 1;
  t = tensor_of(type, rank, count, isStrided);
  CHECK(at_comm_reduce(t, root, .op = op));
  check_same(t, rank == root ? expected : tensor_of(type, rank, count, isStrided));
  if (count % size)
    return;
  at_tensor *const part = at_zeros(AT_SHAPE(count / size), .type = type);
  CHECK(at_comm_reduce_scatter(part, tensor_of(type, rank, count, isStrided), .op = op));
  check_same(part, at_narrow(expected, 0, rank * (count / size), count / size));
}

static void reductions(void **state)
{
  for (int type = 0; type < AT_SCALAR_TYPES; type++)
    for (int op = 0; op <= AT_COMM_BXOR; op++)
      AT_SCOPE
      {
        const at_type *const t = type_of(type);
        th_note("%s, op %d, rank %d of %d", at_type_toString(t), op, rank, size);
        if (has_op((at_scalar_type)type, (at_comm_op)op)) {
          check_reduction(t, (at_comm_op)op, 12);
          continue;
        }
        CHECK(!at_comm_all_reduce(tensor_of(t, rank, 12, false), .op = (at_comm_op)op));
        CHECK(strstr(at_error_message(), "is not for elements of type"));
        at_error_clear();
      }
  const int64_t counts[] = {0, 1, 2, 3, 12, 5000, 60000, 700001};
  for (int c = 0; c < 8; c++)
    AT_SCOPE
    {
      th_note("%lld elements, rank %d of %d", (long long)counts[c], rank, size);
      check_reduction(type_of(AT_INT), AT_COMM_SUM, counts[c]);
    }
}

/* A NaN of one rank is a NaN for all; Half rounds to even after each sum of two. */
static void special_numbers(void **state)
{
  AT_SCOPE
  {
    at_tensor *t = at_full(AT_SHAPE(3), rank == size - 1 ? NAN : rank);
    CHECK(at_comm_all_reduce(t, .op = AT_COMM_MAX));
    CHECK(isnan(at_item_double(at_select(t, 0, 1))));
    t = at_full(AT_SHAPE(3), rank == 0 ? NAN : rank, .type = AT_CPU(AT_BFLOAT16));
    CHECK(at_comm_all_reduce(t, .op = AT_COMM_MIN));
    CHECK(isnan(at_item_double(at_select(t, 0, 1))));
    t = at_full(AT_SHAPE(3), rank == 0 ? 2048 : 1, .type = AT_CPU(AT_HALF));
    CHECK(at_comm_all_reduce(t));
    CHECK_EQ(at_item_double(at_select(t, 0, 0)), size < 4 ? 2048.0 : 2050.0); /* 2048 + 1, 1 + 1 */
  }
}

/* --- the others --------------------------------------------------------------------------------- */

static at_tensor *all_numbers(const at_type *type, int64_t count)
{
  at_tensor *t = tensor_of(type, 0, count, false);
  for (int r = 1; r < size; r++)
    t = at_cat(AT_TENSORS(t, tensor_of(type, r, count, false)));
  return t;
}

static void check_movement(const at_type *type, int64_t count, int root)
{
  at_tensor *t = tensor_of(type, rank, count, true);
  CHECK(at_comm_broadcast(t, root));
  check_same(t, tensor_of(type, root, count, false));
  at_tensor *const own = tensor_of(type, rank, count, true);
  at_tensor *const all = at_t(at_zeros(AT_SHAPE(2, size * count / 2), .type = type));
  CHECK(at_comm_all_gather(all, own));
  check_same(all, all_numbers(type, count));
  at_zero_(all);
  CHECK(at_comm_gather(rank == root ? all : NULL, own, root));
  if (rank == root)
    check_same(all, all_numbers(type, count));
  CHECK(at_comm_scatter(own, rank == root ? all_numbers(type, count) : NULL, root));
  check_same(own, tensor_of(type, rank, count, false));
  /* Part p of rank r has the numbers of rank r, from p * count on. */
  at_tensor *const parts = tensor_of(type, rank, count * size, false);
  CHECK(at_comm_all_to_all(parts, parts));
  for (int r = 0; r < size; r++)
    check_same(at_narrow(parts, 0, r * count, count),
               at_narrow(tensor_of(type, r, count * size, false), 0, rank * count, count));
}

static void movements(void **state)
{
  const int64_t counts[] = {0, 2, 600, 300000};
  for (int type = 0; type < AT_SCALAR_TYPES; type++)
    for (int c = 0; c < (type == AT_FLOAT ? 4 : 2); c++)
      AT_SCOPE
      {
        const at_type *const t = type_of(type);
        th_note("%s, %lld elements, rank %d of %d", at_type_toString(t), (long long)counts[c], rank,
                size);
        check_movement(t, counts[c], type % size);
      }
}

/* Many messages at once, in both directions, while collective calls go on. */
static void messages(void **state)
{
  enum { MESSAGES = 20 };
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  if (size == 1)
    return;
  AT_SCOPE
  {
    at_comm_work *works[2 * MESSAGES];
    at_tensor *received[MESSAGES], *sum = at_ones(AT_SHAPE(4), .type = AT_CPU(AT_DOUBLE));
    for (int i = 0; i < MESSAGES; i++) {
      at_tensor *const t = at_full(AT_SHAPE(1 + i * 1000), rank * 100 + i);
      received[i] = at_zeros(AT_SHAPE(2, 1 + i * 1000));
      CHECK(at_comm_send(t, right, .work = &works[2 * i]));
      CHECK(at_comm_receive(at_select(received[i], 0, 1), left, .work = &works[2 * i + 1]));
      CHECK(at_comm_all_reduce(sum));
    }
    for (int i = 0; i < 2 * MESSAGES; i++)
      CHECK(at_comm_wait(works[i]));
    for (int i = 0; i < MESSAGES; i++) {
      check_same(at_select(received[i], 0, 1), at_full(AT_SHAPE(1 + i * 1000), left * 100 + i));
      check_same(at_select(received[i], 0, 0), at_zeros(AT_SHAPE(1 + i * 1000)));
    }
    CHECK_EQ(at_item_double(at_select(sum, 0, 0)), pow(size, MESSAGES));
  }
}

static void groups(void **state)
{
  at_comm_group *const half = at_comm_split(NULL, rank % 2, -rank);
  CHECK_EQ(at_comm_size(half), (size + 1 - rank % 2) / 2);
  CHECK_EQ(at_comm_rank(half), at_comm_size(half) - 1 - rank / 2);
  at_comm_group *const none = at_comm_split(half, rank < 2 ? -1 : 0, 0);
  CHECK(at_error() == AT_OK && (rank < 2) == (none == NULL));
  AT_SCOPE
  {
    at_tensor *const t = at_full(AT_SHAPE(2), rank);
    CHECK(at_comm_all_reduce(t, .group = half, .op = AT_COMM_MIN));
    CHECK_EQ(at_item_double(at_select(t, 0, 0)), (double)(rank % 2));
    CHECK(at_comm_barrier(.group = half));
  }
  at_comm_group_free(none);
  at_comm_group_free(half);
  CHECK(!at_comm_barrier(.group = half) && strstr(at_error_message(), "none of this process"));
  at_error_clear();
}

static void works(void **state)
{
  AT_SCOPE
  {
    at_tensor *const a = at_ones(AT_SHAPE(100000)), *const b = at_ones(AT_SHAPE(3));
    at_comm_work *first, *second;
    CHECK(at_comm_all_reduce(a, .work = &first));
    CHECK(at_comm_all_reduce(b, .work = &second));
    while (!at_comm_test(second))
      usleep(100);
    CHECK(at_comm_test(first) && at_comm_wait(first) && at_comm_wait(second));
    CHECK_EQ(at_item_double(at_select(a, 0, 99999)), (double)size);
    CHECK(!at_comm_wait(NULL) && at_comm_test(NULL));
  }
}

/* NCCL, or the library that stands for it, is used where it is there. */
static void transports(void **state)
{
  const char *const path = getenv("AT_NCCL_LIBRARY");
  void *const library = path ? dlopen(path, RTLD_NOW | RTLD_NOLOAD) : NULL;
  const int *const calls = library ? dlsym(library, "ncclSimCalls") : NULL;
  CHECK_EQ(path != NULL, calls != NULL);
  CHECK(!calls || *calls > 100);
}

/* Each rank on a device of its own, with work queued on another stream, or on the CPU; and messages. */
static void devices(void **state)
{
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  at_comm_work *works[2];
  AT_SCOPE AT_ON_DEVICE(rank % 2)
  {
    at_cuda_stream *const stream = at_cuda_stream_new(0);
    CHECK(at_cuda_setStream(stream));
    const at_type *const type = rank == 0 ? AT_CPU(AT_FLOAT) : AT_CUDA(AT_FLOAT);
    at_tensor *const t = at_full(AT_SHAPE(30, 40), at_scalar(rank + 1), .type = type);
    at_tensor *const columns = at_narrow(t, 1, 7, 20);
    at_mul_(columns, 2);
    CHECK(at_comm_all_reduce(columns, .work = &works[0]));
    CHECK(at_comm_wait(works[0]));
    CHECK_EQ(at_item_double(at_select(at_select(t, 0, 29), 0, 26)), (double)size * (size + 1));
    CHECK_EQ(at_item_double(at_select(at_select(t, 0, 29), 0, 27)), rank + 1);
    CHECK_EQ(at_deviceOf(t), rank == 0 ? -1 : rank % 2);
    if (size > 1) {
      at_tensor *const got = at_zeros(AT_SHAPE(5), .type = type);
      CHECK(at_comm_send(at_full(AT_SHAPE(5), at_scalar(rank), .type = type), right,
                         .work = &works[0]));
      CHECK(at_comm_receive(got, left, .work = &works[1]));
      CHECK(at_comm_wait(works[0]) && at_comm_wait(works[1]));
      check_same(got, at_full(AT_SHAPE(5), at_scalar(left), .type = type));
    }
    at_cuda_stream_free(stream);
  }
  CHECK_EQ(at_error(), AT_OK);
}

/* --- errors ------------------------------------------------------------------------------------- */

/* The call failed, on all ranks alike, and the ranks are still together. */
static void check_refused(bool done, const char *part)
{
  CHECK(!done);
  if (!strstr(at_error_message(), part))
    th_fail_at(__FILE__, __LINE__, "'%s' has no '%s'", at_error_message(), part);
  at_error_clear();
  CHECK(at_comm_barrier());
}

static void differences(void **state)
{
  if (size == 1)
    return;
  const bool isOdd = rank == 1;
  AT_SCOPE
  {
    at_tensor *const t = at_zeros(AT_SHAPE(isOdd ? 3 : 4));
    check_refused(at_comm_all_reduce(t), "rank 0 has 4 elements of Float, and rank 1 3 of Float");
    at_tensor *const d = at_zeros(AT_SHAPE(4), .type = AT_CPU(isOdd ? AT_DOUBLE : AT_INT));
    check_refused(at_comm_broadcast(d, 0), "4 elements of Int, and rank 1 4 of Double");
    check_refused(at_comm_broadcast(d, isOdd), "rank 1");
    at_tensor *const f = at_zeros(AT_SHAPE(4));
    check_refused(at_comm_all_reduce(f, .op = isOdd ? AT_COMM_MAX : AT_COMM_SUM), "operation");
    check_refused(at_comm_broadcast(f, isOdd), "root");
    check_refused(isOdd ? at_comm_all_reduce(f) : at_comm_broadcast(f, 0), "has called");
    check_refused(at_comm_all_reduce(isOdd ? NULL : f),
                  isOdd ? "NULL" : "rank 1 has called all_reduce");
    if (rank < 2) {
      CHECK(!(rank ? at_comm_send(t, 0) : at_comm_receive(t, 1)));
      CHECK(strstr(at_error_message(), "elements of Float"));
      at_error_clear();
    }
    CHECK(at_comm_barrier());
  }
}

static void arguments(void **state)
{
  AT_SCOPE
  {
    at_tensor *const t = at_zeros(AT_SHAPE(4)), *const wide = at_expand(t, AT_INTS(3, 4));
    check_refused(at_comm_broadcast(t, size), "there is no rank");
    check_refused(at_comm_broadcast(t, -1), "there is no rank -1");
    check_refused(at_comm_all_reduce(wide), "share memory: dimension 0");
    check_refused(at_comm_all_gather(t, at_zeros(AT_SHAPE(5))), "do not fit together");
    check_refused(at_comm_reduce_scatter(at_zeros(AT_SHAPE(5)), t), "do not fit together");
    check_refused(at_comm_all_to_all(at_zeros(AT_SHAPE(5)), t), "do not fit together");
    check_refused(at_comm_all_gather(at_zeros(AT_SHAPE(4 * size), .type = AT_CPU(AT_INT)), t),
                  "of type CPUIntType");
    check_refused(at_comm_all_reduce(t, .op = (at_comm_op)99), "op 99");
    CHECK(!at_comm_send(t, rank) && strstr(at_error_message(), "the rank itself"));
    at_error_clear();
    CHECK(!at_comm_start() && strstr(at_error_message(), "already"));
    at_error_clear();
  }
}

/* --- main --------------------------------------------------------------------------------------- */

/* One rank ends, or is silent; the others get an error that names it, from every call. */
static int lose_rank(bool isSilent)
{
  /* MPICH's starter ends the others, with the status of the rank or of those; with 0 it may say nothing. */
  if (rank == 1 && !isSilent)
    _exit(getenv("PMI_RANK") ? 3 : 0);
  if (rank == 1)
    sleep(3);
  bool done = true;
  AT_SCOPE
  {
    at_tensor *const t = at_ones(AT_SHAPE(1000));
    for (int i = 0; i < 3 && done; i++)
      done = at_comm_all_reduce(t);
    done = done || at_comm_barrier();
  }
  const bool names = strstr(at_error_message(), "rank 1 has ");
  fprintf(stderr, "rank %d: %s\n", rank, at_error_message());
  at_comm_stop();
  return done || (!names && rank != 1);
}

int main(int count, char **arguments_given)
{
  const char *const what = count > 1 ? arguments_given[1] : "";
  const bool isLost = !strcmp(what, "ends") || !strcmp(what, "silent");
  if (!at_comm_start(.timeout = isLost ? 1 : TIMEOUT, .unchecked = !strcmp(what, "unchecked"))) {
    fprintf(stderr, "%s\n", at_error_message());
    return 1;
  }
  rank = at_comm_rank(NULL);
  size = at_comm_size(NULL);
  if (isLost)
    return lose_rank(!strcmp(what, "silent"));
  const struct CMUnitTest usual[] = {
      cmocka_unit_test(reductions), cmocka_unit_test(special_numbers), cmocka_unit_test(movements),
      cmocka_unit_test(messages),   cmocka_unit_test(groups),          cmocka_unit_test(works)};
  const struct CMUnitTest there[] = {cmocka_unit_test(reductions), cmocka_unit_test(movements),
                                     cmocka_unit_test(devices), cmocka_unit_test(transports)};
  const struct CMUnitTest checked[] = {cmocka_unit_test(differences), cmocka_unit_test(arguments)};
  onDevice = !strcmp(what, "cuda") || !strcmp(what, "nccl");
  int failed = onDevice ? cmocka_run_group_tests(there, NULL, NULL)
                        : cmocka_run_group_tests(usual, NULL, NULL);
  if (!onDevice && strcmp(what, "unchecked"))
    failed += cmocka_run_group_tests(checked, NULL, NULL);
  at_comm_stop();
  return failed != 0;
}

/* Files of Torch. */
#include <unistd.h>

#include "files.h"
#include "th_locale.h"

static void loaded(void **state)
{
  static const char *const names[] = {"all.t7", "all-text.t7"};
  for (int i = 0; i < 2; i++) {
    at_dict *d = load(sample(names[i]));
    check_every(names[i], d, AT_DOUBLE, true);
    at_dict_free(d);
  }
  at_dict *d = load(sample("bare.t7"));
  CHECK(at_dict_count(d) == 1 && at_dict_has(d, ""));
  check_values("bare.t7", at_dict_get(d, ""), AT_FLOAT, AT_SHAPE(2, 3));
  at_dict_free(d);
}

/* A network: objects of classes, tables counted from 1, a view. */
static void network(void **state)
{
  at_dict *d = load(sample("net.t7"));
  CHECK_EQ(at_dict_count(d), 4);
  check_values("weight", at_dict_get(d, "modules.1.weight"), AT_FLOAT, AT_SHAPE(2, 3));
  check_values("bias", at_dict_get(d, "modules.1.bias"), AT_FLOAT, AT_SHAPE(2));
  check_values("2.5", at_dict_get(d, "modules.2.5"), AT_INT, AT_SHAPE(2));
  check_view("part", at_dict_get(d, "part"), AT_DOUBLE, AT_SHAPE(2, 6), 6, (int64_t[]){6, 1});
  at_dict_free(d);
}

static void written(void **state)
{
  at_dict *d = make_every(AT_HALF, true);
  at_tensor *wide = make_values(AT_INT, AT_SHAPE(5, 4)), *transposed = at_transpose(wide, 0, 1),
            *part = at_narrow(wide, 0, 1, 2);
  CHECK(at_dict_set(d, "transposed", transposed) && at_dict_set(d, "part", part));
  CHECK(at_save(scratch("x.t7"), d));
  at_dict_free(d);
  d = load(scratch("x.t7"));
  CHECK_EQ(at_dict_count(d), 12);
  check_values("Half", at_dict_get(d, "Half"), AT_HALF, AT_SHAPE(2, 3));
  check_values("scalar", at_dict_get(d, "scalar"), AT_FLOAT, AT_SHAPE(1));
  check_values("empty", at_dict_get(d, "empty"), AT_FLOAT, AT_SHAPE(0));
  check_view("transposed", at_dict_get(d, "transposed"), AT_INT, AT_SHAPE(4, 5), 0,
             (int64_t[]){1, 4});
  check_view("part", at_dict_get(d, "part"), AT_INT, AT_SHAPE(2, 4), 4, (int64_t[]){4, 1});
  CHECK((int *)at_data(at_dict_get(d, "part")) == (int *)at_data(at_dict_get(d, "transposed")) + 4);
  at_dict_free(d);
  at_release(wide);
  at_release(transposed);
  at_release(part);
  unlink(scratch("x.t7"));
}

/* Files have the bytes that the format describes. */
static void bytes_written(void **state)
{
  size_t size, wanted;
  at_dict *d = load(sample("bare.t7"));
  CHECK(at_save(scratch("x.t7"), d));
  at_dict_free(d);
  uint8_t *is = read_file(scratch("x.t7"), &size), *was = read_file(sample("bare.t7"), &wanted);
  CHECK(size == wanted && !memcmp(is, was, size));
  free(is);
  free(was);
  unlink(scratch("x.t7"));
}

static void limits(void **state)
{
  static const at_scalar_type types[] = {AT_BOOL, AT_BFLOAT16};
  at_dict *d = at_dict_new();
  for (int i = 0; i < 2; i++) {
    at_tensor *t = make_values(types[i], AT_SHAPE(2));
    CHECK(at_dict_set(d, "a", t) && !at_save(scratch("x.t7"), d));
    CHECK_EQ(at_error(), AT_ERROR_TYPE);
    at_error_clear();
    at_release(t);
  }
  at_tensor *empty = make_values(AT_FLOAT, AT_SHAPE(2, 0));
  CHECK(at_dict_set(d, "a", empty) && !at_save(scratch("x.t7"), d));
  CHECK_EQ(at_error(), AT_ERROR_ARGUMENT);
  at_error_clear();
  at_release(empty);
  at_dict_free(d);
  CHECK_EQ(scratch_count(), 0);
}

/* --- objects ---------------------------------------------------------------------------------- */

#define I(N)           #N "\n"
#define TEXT(S)        "2\n" S /* its length, a line end, the text */
#define CLASS(N, NAME) I(4) I(N) "3\nV 1\n" NAME "\n"
#define STORAGE(N)     CLASS(N, "18\ntorch.FloatStorage") "6\n1 2 3 4 5 6\n"
#define TENSOR(N, DIMS, SIZES, STRIDES, FIRST) \
  CLASS(N, "17\ntorch.FloatTensor") DIMS "\n" SIZES "\n" STRIDES "\n" FIRST "\n"

static const char *text_file(const char *text)
{
  return write_file(scratch("own.t7"), text, strlen(text));
}

static void objects(void **state)
{
  /* A table that holds itself, and the tensor twice; functions; booleans; nil; keys of any kind.
   */
  at_dict *d =
      load(text_file(I(3) I(1) I(8)                                              /* a table of 8 */
                     TEXT("4\nself\n") I(3) I(1)                                 /* itself */
                     TEXT("1\na\n") TENSOR(2, "2", "2 3", "3 1", "1") STORAGE(3) /* a tensor */
                     TEXT("1\nb\n") I(4) I(2)                                    /* again */
                     TEXT("1\nc\n") TENSOR(4, "1", "2", "2", "3") I(4) I(3)      /* its storage */
                     TEXT("1\nf\n") I(8) I(5) "3\nxyz\n" I(3) I(6) I(1) I(5) I(1) I(4)
                         I(2)                 /* a function */
                     "5\n1\n" I(0)            /* true: nil */
                     I(3) I(7) I(0) I(4) I(2) /* a table: a */
                     "1\n-1.5\n" CLASS(8, "9\nnn.Module") I(3) I(9) I(1) TEXT("1\nd\n") I(4)
                         I(2) /* a module */
                     ));
  CHECK_EQ(at_dict_count(d), 5);
  CHECK(at_dict_get(d, "a") == at_dict_get(d, "b") && at_dict_has(d, "-1.5.d"));
  CHECK(at_dict_get(d, "?6") == at_dict_get(d, "a")); /* a key without a name */
  const float *a = at_data(at_dict_get(d, "a")), *c = at_data(at_dict_get(d, "c"));
  CHECK(c == a + 2 && a[5] == 6 && at_stride(at_dict_get(d, "c"), 0) == 2);
  at_dict_free(d);
  /* No elements, no storage; a CUDA tensor; an object without a version. */
  d = load(text_file(I(3) I(1) I(3) TEXT("1\na\n") TENSOR(2, "0", "", "", "1") I(0) TEXT("1\nb\n")
                         CLASS(3, "16\ntorch.CudaTensor") "1\n2\n1\n1\n" CLASS(
                             4, "17\ntorch.CudaStorage") "2\n7 8\n" TEXT("1\nc\n") I(4)
                             I(5) "16\ntorch.ByteTensor\n1\n2\n1\n1\n" I(4)
                                 I(6) "17\ntorch.ByteStorage\n2\nAB\n"));
  CHECK(at_numel(at_dict_get(d, "a")) == 0 && at_dim(at_dict_get(d, "a")) == 1);
  CHECK_EQ(((float *)at_data(at_dict_get(d, "b")))[1], 8);
  CHECK_EQ(((uint8_t *)at_data(at_dict_get(d, "c")))[1], 'B');
  at_dict_free(d);
  unlink(scratch("own.t7"));
}

/* Numbers in names do not depend on the locale either. */
static void of_any_locale(void **state)
{
  char folder[] = "/tmp/t7.XXXXXX";
  CHECK(mkdtemp(folder) != NULL);
  const int found = th_locale_comma(folder);
  if (found)
    objects(state);
  th_locale_plain(folder);
  CHECK_EQ(rmdir(folder), 0);
  if (!found)
    skip();
}

static void refused(void **state)
{
#define REFUSED(TEXT_, PART) check_refused(text_file(TEXT_), AT_ERROR_RUNTIME, PART)
  REFUSED(TENSOR(1, "2", "2 4", "3 1", "1") STORAGE(2), "does not fit");
  REFUSED(TENSOR(1, "2", "2 3", "3 1", "2") STORAGE(2), "does not fit");
  REFUSED(TENSOR(1, "1", "-2", "1", "1") STORAGE(2), "does not fit");
  REFUSED(TENSOR(1, "1", "2", "-1", "1") STORAGE(2), "does not fit");
  REFUSED(TENSOR(1, "2", "4611686018427387904 4", "1 1", "1") STORAGE(2), "does not fit");
  REFUSED(TENSOR(1, "1", "2", "1", "1") I(0), "does not fit");
  REFUSED(TENSOR(1, "1", "2", "1", "1") I(1) "3\n", "no storage");
  REFUSED(TENSOR(1, "1", "2", "1", "1") CLASS(2, "16\ntorch.IntStorage") "2\n1 2\n",
          "another type");
  REFUSED(TENSOR(1, "65", "2", "1", "1"), "65 dimensions");
  REFUSED(TENSOR(1, "-1", "2", "1", "1"), "-1 dimensions");
  REFUSED(CLASS(1, "18\ntorch.FloatStorage") "9223372036854775807\n1\n", "cannot follow");
  REFUSED(CLASS(1, "18\ntorch.FloatStorage") "-1\n1\n", "cannot follow");
  REFUSED(CLASS(1, "19\ntorch.DoubleStorage") "90\n1\n", "cannot follow");
  REFUSED("2\n-1\nx\n", "cannot follow");
  REFUSED("2\n2147483647\nx\n", "cannot follow");
  REFUSED("3\n1\n2147483647\n", "cannot follow");
  REFUSED("3\n-1\n0\n", "object number");
  REFUSED("3\n2147483647\n0\n", "object number");
  REFUSED("9\n1\n", "kind 9");
  REFUSED("3\n1\n0\n0\n", "follow its object");
  check_refused(text_file(CLASS(1, "8\ntds.Hash") "0\n"), AT_ERROR_TYPE, "tds.Hash");
  check_refused(text_file(CLASS(1, "15\ntorch.Generator") "0\n"), AT_ERROR_TYPE, "torch.Generator");
  REFUSED("1\n", "read");
  unlink(scratch("own.t7"));
}

static void damaged(void **state)
{
  check_damaged("net.t7");
  check_damaged("all.t7");
}

static void faults(void **state)
{
  check_faults("net.t7", ".t7");
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(loaded),  cmocka_unit_test(network),
                                     cmocka_unit_test(written), cmocka_unit_test(objects),
                                     cmocka_unit_test(limits),  cmocka_unit_test(bytes_written),
                                     cmocka_unit_test(refused), cmocka_unit_test(damaged),
                                     cmocka_unit_test(faults),  cmocka_unit_test(of_any_locale)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

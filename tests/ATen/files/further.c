/* Complex numbers and wide unsigned integers in files that NumPy, PyTorch and safetensors wrote, and
 * in those written here. */
#include <unistd.h>

#include "files.h"

/* Checks what further() of tests/oracle/files.py made: k/4 - k/2 i, or the largest integers less k. */
static void check_further(at_tensor *t, at_scalar_type type)
{
  CHECK(at_defined(t) && at_type_scalarType(at_typeOf(t)) == type);
  CHECK(at_dim(t) == 2 && at_size(t, 0) == 2 && at_size(t, 1) == 3);
  at_tensor *line = at_reshape(t, AT_SHAPE(6));
  for (int k = 0; k < 6; k++) {
    at_tensor *one = at_select(line, 0, k);
    if (type == AT_COMPLEX_FLOAT || type == AT_COMPLEX_DOUBLE) {
      const at_complex_number z = at_item_complex(one);
      CHECK(z.re == k / 4.0 && z.im == -k / 2.0);
    } else {
      const uint64_t most = type == AT_UINT16   ? UINT16_MAX
                            : type == AT_UINT32 ? UINT32_MAX
                                                : UINT64_MAX;
      at_tensor *bits = at_to(one, AT_CPU(AT_LONG));
      CHECK((uint64_t)at_item_long(bits) == most - (uint64_t)k);
      at_release(bits);
    }
    at_release(one);
  }
  at_release(line);
}

static const struct {
  const char *name;
  at_scalar_type type;
} types[] = {{"ComplexFloat", AT_COMPLEX_FLOAT},
             {"ComplexDouble", AT_COMPLEX_DOUBLE},
             {"UInt16", AT_UINT16},
             {"UInt32", AT_UINT32},
             {"UInt64", AT_UINT64}};

static void check_file(const char *path, int count)
{
  at_dict *d = load(path);
  CHECK_EQ(at_dict_count(d), count);
  for (int i = 0; i < 5; i++)
    if (at_dict_has(d, types[i].name))
      check_further(at_dict_get(d, types[i].name), types[i].type);
  at_dict_free(d);
}

static void loaded(void **state)
{
  check_file(sample("further.npz"), 5);
  check_file(sample("complex.pt"), 2);
  check_file(sample("unsigned.pt"), 3);
  check_file(sample("unsigned-legacy.pt"), 3);
  check_file(sample("further.safetensors"), 4);
  at_tensor *big = at_load_npy(sample("complex.npy"));
  check_further(big, AT_COMPLEX_DOUBLE);
  at_release(big);
}

static void written(void **state)
{
  static const struct {
    const char *from, *to;
    int count;
  } files[] = {{"further.npz", "x.npz", 5},
               {"complex.pt", "x.pt", 2},
               {"unsigned.pt", "x.pt", 3},
               {"further.safetensors", "x.safetensors", 4}};
  for (int i = 0; i < 4; i++) {
    at_dict *d = load(sample(files[i].from));
    CHECK_MSG(at_save(scratch(files[i].to), d), "%s", at_error_message());
    at_dict_free(d);
    check_file(scratch(files[i].to), files[i].count);
    unlink(scratch(files[i].to));
  }
}

/* What a format does not have. */
static void refused(void **state)
{
  static const struct {
    at_scalar_type type;
    const char *name;
  } cases[] = {
      {AT_COMPLEX_DOUBLE, "x.safetensors"}, {AT_UINT16, "x.t7"}, {AT_COMPLEX_FLOAT, "x.t7"}};
  for (int i = 0; i < 3; i++) {
    at_tensor *t = at_zeros(AT_SHAPE(2), .type = AT_CPU(cases[i].type));
    at_dict *d = at_dict_new();
    CHECK(at_dict_set(d, "a", t) && !at_save(scratch(cases[i].name), d));
    CHECK_EQ(at_error(), AT_ERROR_TYPE);
    at_error_clear();
    at_dict_free(d);
    at_release(t);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(loaded), cmocka_unit_test(written),
                                     cmocka_unit_test(refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

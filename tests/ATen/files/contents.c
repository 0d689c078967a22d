/* Contents of files other than loaded tensors: lists, skipped tensors, and values. */
#include <pthread.h>
#include <unistd.h>

#include "files.h"

/* --- skipping and listing --------------------------------------------------------------------- */

typedef struct Wanted {
  const char *name, *dtype;
  int dims;
  int64_t size[2];
} Wanted;

static void check_info(const char *what, at_info is, const Wanted *wanted)
{
  CHECK_MSG(is.name && !strcmp(is.name, wanted->name), "%s: %s", what, is.name ? is.name : "NULL");
  CHECK_MSG(!strcmp(is.dtype, wanted->dtype), "%s: %s is a %s", what, is.name, is.dtype);
  CHECK_MSG(is.sizes.count == wanted->dims, "%s: %s has %d sizes", what, is.name, is.sizes.count);
  for (int d = 0; d < wanted->dims; d++)
    CHECK_EQ(is.sizes.data[d], wanted->size[d]);
}

static const Wanted skipped[] = {{"c32", "torch.complex32", 1, {2}},
                                 {"f8", "torch.float8_e5m2", 1, {4}},
                                 {"sparse", "torch._utils._rebuild_sparse_tensor", 0, {0}}};
enum { SKIPPED = sizeof skipped / sizeof *skipped };

/* Keys of every kind become names; no tensor is lost. */
static const Wanted here[] = {{"optimizer.state.0.step", "Float", 0, {0}},
                              {"optimizer.state.0.exp_avg", "Float", 2, {2, 3}},
                              {"optimizer.state.0.exp_avg_sq", "Float", 2, {2, 3}},
                              {"optimizer.state.1.step", "Float", 0, {0}},
                              {"optimizer.state.1.exp_avg", "Float", 1, {2}},
                              {"optimizer.state.1.exp_avg_sq", "Float", 1, {2}},
                              {"keys.True", "Int", 1, {2}},
                              {"keys.None", "Int", 1, {2}},
                              {"keys.(conv, 1)", "Int", 1, {2}},
                              {"keys.2.5", "Int", 1, {2}},
                              {"keys.raw", "Int", 1, {2}},
                              {"keys.?5", "Int", 1, {2}},
                              {"u16", "UInt16", 2, {2, 3}},
                              {"last", "Double", 2, {2, 2}}};
enum { HERE = sizeof here / sizeof *here };

static const char *const checkpoints[] = {"checkpoint.pt", "checkpoint-legacy.pt"};

static void skipping(void **state)
{
  for (int f = 0; f < 2; f++) {
    check_refused(sample(checkpoints[f]), AT_ERROR_TYPE, "'c32' is of type torch.complex32");
    at_dict *d = at_load(sample(checkpoints[f]), .skip = true);
    CHECK_MSG(d != NULL, "%s", at_error_message());
    CHECK_EQ(at_dict_count(d), HERE);
    for (int i = 0; i < HERE; i++)
      check_info(checkpoints[f], at_dict_info(d, i), &here[i]);
    check_values("exp_avg", at_dict_get(d, "optimizer.state.0.exp_avg"), AT_FLOAT, AT_SHAPE(2, 3));
    check_values("keys.(conv, 1)", at_dict_get(d, "keys.(conv, 1)"), AT_INT, AT_SHAPE(2));
    check_values("last", at_dict_get(d, "last"), AT_DOUBLE, AT_SHAPE(2, 2));
    CHECK_EQ(at_dict_skipped(d), SKIPPED);
    for (int i = 0; i < SKIPPED; i++) {
      const at_info info = at_dict_skippedInfo(d, i);
      check_info(checkpoints[f], info, &skipped[i]);
      CHECK(info.type == NULL && strstr(info.problem, "not here"));
    }
    CHECK(at_dict_get(d, "f8") == at_undefined() && strstr(at_error_message(), "skipped"));
    at_error_clear();
    at_dict_free(d);
  }

  check_refused(sample("mixed.npz"), AT_ERROR_TYPE, "'z' is of type <f16");
  at_dict *d = at_load(sample("mixed.npz"), .skip = true);
  CHECK(at_dict_count(d) == 2 && at_dict_skipped(d) == 2);
  check_values("a", at_dict_get(d, "a"), AT_FLOAT, AT_SHAPE(2, 3));
  check_values("b", at_dict_get(d, "b"), AT_INT, AT_SHAPE(4));
  check_info("mixed.npz", at_dict_skippedInfo(d, 0), &(Wanted){"z", "<f16", 2, {2, 4}});
  check_info("mixed.npz", at_dict_skippedInfo(d, 1), &(Wanted){"text", "<U2", 1, {2}});
  CHECK(at_dict_skippedInfo(d, 2).name == NULL && at_error() == AT_ERROR_ARGUMENT);
  at_error_clear();
  CHECK(at_dict_info(d, 2).name == NULL && at_error() == AT_ERROR_ARGUMENT);
  at_error_clear();
  at_dict_free(d);

  d = at_load(sample("float8.safetensors"), .skip = true);
  CHECK(at_dict_count(d) == 0 && at_dict_skipped(d) == 1);
  check_info("safetensors", at_dict_skippedInfo(d, 0), &(Wanted){"z", "F8_E4M3", 1, {2}});
  at_dict_free(d);
  CHECK(at_load(sample("runs.pt")) == NULL);
  at_error_clear();
  d = at_load(sample("runs.pt"), .skip = true); /* an object, which is data */
  CHECK(d && at_dict_count(d) == 0 && access("/tmp/a-pickle-was-run", F_OK) != 0);
  at_datum z = at_datum_get(at_dict_values(d), "z");
  CHECK(at_datum_kindOf(z) == AT_DATUM_OBJECT);
  CHECK(!strcmp(at_datum_string(z, NULL), "posix.system"));
  CHECK(!strcmp(at_datum_string(at_datum_at(at_datum_at(z, 0), 0), NULL),
                "touch /tmp/a-pickle-was-run"));
  at_dict_free(d);
}

static void listing(void **state)
{
  for (int f = 0; f < 2; f++) {
    at_dict *d = at_file_list(sample(checkpoints[f]));
    CHECK_MSG(d != NULL, "%s", at_error_message());
    CHECK(at_dict_count(d) == HERE && at_dict_skipped(d) == SKIPPED);
    for (int i = 0; i < HERE; i++) {
      check_info(checkpoints[f], at_dict_info(d, i), &here[i]);
      CHECK(at_dict_info(d, i).type != NULL && at_dict_info(d, i).problem == NULL);
    }
    for (int i = 0; i < SKIPPED; i++)
      check_info(checkpoints[f], at_dict_skippedInfo(d, i), &skipped[i]);
    CHECK(at_datum_integer(at_datum_get(at_dict_values(d), "epoch")) == 3);
    CHECK(at_dict_has(d, "last") && at_dict_get(d, "last") == at_undefined());
    CHECK(at_error() == AT_ERROR_ARGUMENT && strstr(at_error_message(), "listed"));
    at_error_clear();
    CHECK(!at_save(scratch("x.pt"), d) && strstr(at_error_message(), "listed"));
    at_error_clear();
    CHECK(at_datum_tensor(at_datum_get(at_dict_values(d), "last")) == at_undefined());
    at_error_clear();
    /* A tensor that was set can be read. */
    at_tensor *t = at_ones(AT_SHAPE(2));
    CHECK(at_dict_set(d, "last", t) && at_dict_get(d, "last") == t);
    CHECK(at_datum_tensor(at_datum_get(at_dict_values(d), "last")) == t);
    at_release(t);
    at_dict_free(d);
  }
  static const char *const files[] = {
      "stored.npz",    "deflated.npz",   "all.safetensors", "all.t7",      "all-text.t7",
      "torch-1.13.pt", "nested-2.15.pt", "net.t7",          "columns.npy", "torch-1.13-legacy.pt"};
  for (size_t f = 0; f < sizeof files / sizeof *files; f++) {
    at_dict *d = load(sample(files[f])), *list = at_file_list(sample(files[f]));
    CHECK_MSG(list != NULL, "%s: %s", files[f], at_error_message());
    CHECK(at_dict_count(d) == at_dict_count(list) && at_dict_skipped(list) == 0);
    for (int64_t i = 0; i < at_dict_count(d); i++) {
      const at_info a = at_dict_info(d, i), b = at_dict_info(list, i);
      CHECK(!strcmp(a.name, b.name) && a.type == b.type && !strcmp(a.dtype, b.dtype));
      CHECK_MSG(a.sizes.count == b.sizes.count, "%s: %s", files[f], a.name);
      for (int k = 0; k < a.sizes.count; k++)
        CHECK_EQ(a.sizes.data[k], b.sizes.data[k]);
    }
    at_dict_free(list);
    at_dict_free(d);
  }
  CHECK(at_file_list("/no such file") == NULL && at_error() == AT_ERROR_RUNTIME);
  at_error_clear();
  CHECK_EQ(scratch_count(), 0);
}

/* --- values ----------------------------------------------------------------------------------- */

#define GET(PATH) at_datum_get(all, PATH)

/* The values of a checkpoint. */
static void check_checkpoint(at_dict *d, at_datum all)
{
  size_t length;
  CHECK(at_datum_kindOf(all) == AT_DATUM_DICT && at_datum_count(all) == 17);
  CHECK(!strcmp(at_datum_string(at_datum_key(all, 0), NULL), "epoch"));
  CHECK(at_datum_kindOf(GET("epoch")) == AT_DATUM_INTEGER);
  CHECK_EQ(at_datum_integer(GET("epoch")), 3);
  CHECK(at_datum_number(GET("epoch")) == 3 && at_datum_number(GET("best")) == 0.75);
  CHECK(!strcmp(at_datum_string(GET("name"), &length), "caf\xc3\xa9") && length == 5);
  CHECK(at_datum_kindOf(GET("nothing")) == AT_DATUM_NOTHING && at_datum_has(all, "nothing"));
  CHECK(at_datum_kindOf(GET("flag")) == AT_DATUM_BOOL && at_datum_integer(GET("flag")) == 1);
  CHECK_EQ(at_datum_integer(GET("large")), (int64_t)1 << 40);
  CHECK_EQ(at_datum_integer(GET("negative")), -5);
  CHECK(at_datum_kindOf(GET("bytes")) == AT_DATUM_BYTES);
  CHECK(!memcmp(at_datum_string(GET("bytes"), &length), "a\0b", 4) && length == 3);
  CHECK(at_datum_number(GET("optimizer.param_groups.0.lr")) == 0.125);
  CHECK(at_datum_number(GET("optimizer.param_groups.0.betas.1")) == 0.75);
  CHECK(at_datum_count(GET("optimizer.param_groups.0.params")) == 2);
  const at_datum slots = GET("optimizer.state");
  CHECK(at_datum_count(slots) == 2 && at_datum_integer(at_datum_key(slots, 1)) == 1);
  at_datum mean = at_datum_get(at_datum_at(slots, 1), "exp_avg");
  CHECK(at_datum_kindOf(mean) == AT_DATUM_TENSOR);
  CHECK(at_datum_tensor(mean) == at_dict_get(d, "optimizer.state.1.exp_avg"));
  CHECK(at_datum_tensor(GET("keys.(conv, 1)")) == at_dict_get(d, "keys.(conv, 1)"));
  CHECK(at_datum_kindOf(GET("dtype")) == AT_DATUM_NAME);
  CHECK(!strcmp(at_datum_string(GET("dtype"), NULL), "torch.float16"));
  CHECK(at_datum_kindOf(GET("device")) == AT_DATUM_OBJECT);
  CHECK(!strcmp(at_datum_string(GET("device"), NULL), "torch.device"));
  CHECK(!strcmp(at_datum_string(GET("device.0"), NULL), "cpu"));
  CHECK_EQ(at_error(), AT_OK);
}

/* Values that do not exist in it. */
static void check_missing(at_datum all)
{
  CHECK(!at_datum_has(all, "optimizer.x") && !at_datum_has(all, "epoch.0") && at_error() == AT_OK);
  CHECK(at_datum_kindOf(GET("optimizer.x")) == AT_DATUM_NOTHING && at_error() != AT_OK);
  at_error_clear();
  CHECK(at_datum_string(GET("epoch"), NULL) == NULL && at_error() == AT_ERROR_ARGUMENT);
  at_error_clear();
  CHECK(at_datum_integer(GET("best")) == 0 && at_error() == AT_ERROR_ARGUMENT);
  at_error_clear();
  CHECK(at_datum_tensor(GET("f8")) == at_undefined() && strstr(at_error_message(), "skipped"));
  at_error_clear();
  CHECK(at_datum_kindOf(at_datum_at(all, 17)) == AT_DATUM_NOTHING && at_error() != AT_OK);
  at_error_clear();
  CHECK(at_datum_kindOf(at_datum_key(GET("epoch"), 0)) == AT_DATUM_NOTHING && at_error() != AT_OK);
  at_error_clear();
  CHECK(!at_datum_has(all, NULL) && at_error() == AT_ERROR_NULL);
  at_error_clear();
}

static void values(void **state)
{
  for (int f = 0; f < 2; f++) {
    at_dict *d = at_load(sample(checkpoints[f]), .skip = true);
    const at_datum all = at_dict_values(d);
    check_checkpoint(d, all);
    check_missing(all);
    at_dict_free(d);
  }

  at_dict *d = load(sample("net.t7"));
  const at_datum all = at_dict_values(d);
  CHECK(!strcmp(at_datum_string(GET("modules.1.name"), NULL), "fc"));
  CHECK(at_datum_kindOf(GET("modules.1.train")) == AT_DATUM_BOOL);
  CHECK(at_datum_integer(at_datum_key(GET("modules"), 1)) == 2);
  CHECK(at_datum_tensor(GET("modules.2.5")) == at_dict_get(d, "modules.2.5"));
  at_dict_free(d);

  d = load(sample("all.safetensors"));
  CHECK(at_datum_kindOf(at_dict_values(d)) == AT_DATUM_NOTHING);
  CHECK_EQ(at_datum_count(at_dict_metadata(d)), 1);
  CHECK(!strcmp(at_datum_string(at_datum_get(at_dict_metadata(d), "a"), NULL), "b"));
  at_dict_free(d);
  d = load(sample("stored.npz"));
  CHECK(at_datum_kindOf(at_dict_values(d)) == AT_DATUM_NOTHING);
  CHECK(at_datum_kindOf(at_dict_metadata(d)) == AT_DATUM_NOTHING &&
        at_datum_count(at_dict_values(d)) == 0);
  at_dict_free(d);
  CHECK(at_datum_kindOf(at_dict_values(NULL)) == AT_DATUM_NOTHING && at_error() == AT_OK);
}

/* Whole modules, as data. */
static void modules(void **state)
{
  check_refused(sample("module.pt"), AT_ERROR_RUNTIME, "state_dict()");
  at_dict *d = at_load(sample("module.pt"), .skip = true);
  CHECK_MSG(d != NULL, "%s", at_error_message());
  check_values("weight", at_dict_get(d, "_parameters.weight"), AT_FLOAT, AT_SHAPE(2, 3));
  check_values("bias", at_dict_get(d, "_parameters.bias"), AT_FLOAT, AT_SHAPE(2));
  const at_datum all = at_dict_values(d);
  CHECK(!strcmp(at_datum_string(all, NULL), "torch.nn.modules.linear.Linear"));
  CHECK_EQ(at_datum_integer(GET("in_features")), 3);
  CHECK(at_datum_kindOf(GET("training")) == AT_DATUM_BOOL);
  at_dict_free(d);
}

/* --- other formats ---------------------------------------------------------------------------- */

static void others(void **state)
{
  static const struct {
    const char *name, *bytes;
    size_t length;
    const char *part;
  } files[] = {
#define FILE_(NAME, BYTES, PART) {NAME, BYTES, sizeof BYTES - 1, PART}
      FILE_("x.gguf", "GGUF\3\0\0\0\0\0\0\0", "GGUF"),
      FILE_("x.h5", "\x89HDF\r\n\x1a\n\0\0\0\0", "HDF5"),
      FILE_("x.onnx", "\x08\x07\x12\x07pytorch\x1a\5", "ONNX"),
      FILE_("x.bin", "\x08\x07\x12\x07pytorch\x1a\5", "ONNX"),
      FILE_("x.pkl", "\x80\4\x95\0\0\0\0\0\0\0\0}.", "torch.save"),
      FILE_("x.json", "{\"weight_map\": {}}", "JSON"),
      FILE_("x.gz", "\x1f\x8b\x08\0\0\0\0\0", "gzip"),
      FILE_("x.pt", "version https://git-lfs.github.com/spec/v1\n", "Git LFS"),
      FILE_("x.npz", "<!DOCTYPE html>\n<html>", "web page"),
      FILE_("x.mat", "MATLAB 5.0 MAT-file, Platform: GLNXA64", "MATLAB"),
      FILE_("x.png", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "picture"),
      FILE_("x.jpg", "\xff\xd8\xff\xe0\0\x10JFIF", "a picture"),
      FILE_("x.tflite", "\x1c\0\0\0TFL3\0\0\0\0", "TensorFlow Lite"),
  };
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    check_refused(write_file(scratch(files[i].name), files[i].bytes, files[i].length),
                  AT_ERROR_RUNTIME, files[i].part);
    unlink(scratch(files[i].name));
  }
  check_refused(sample("script.pt"), AT_ERROR_RUNTIME, "torch.jit.load(path).state_dict()");
}

/* --- threads ---------------------------------------------------------------------------------- */

static void *read_all(void *context)
{
  const at_dict *d = context;
  double sum = 0;
  for (int k = 0; k < 200; k++) {
    for (int64_t i = 0; i < at_dict_count(d); i++) {
      at_tensor *t = at_retain(at_dict_get(d, at_dict_name(d, i)));
      sum += (double)at_numel(t) + at_dict_info(d, i).sizes.count;
      at_release(t);
    }
    sum += at_datum_number(at_datum_get(at_dict_values(d), "optimizer.param_groups.0.lr"));
  }
  return (void *)(intptr_t)sum;
}

static void threads(void **state)
{
  enum { THREADS = 4 };
  at_dict *d = at_load(sample("checkpoint.pt"), .skip = true);
  pthread_t thread[THREADS];
  void *sum[THREADS];
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_create(&thread[i], NULL, read_all, d) == 0);
  for (int i = 0; i < THREADS; i++)
    CHECK(pthread_join(thread[i], &sum[i]) == 0);
  for (int i = 0; i < THREADS; i++) /* each thread reads what a single thread reads */
    CHECK(sum[i] == read_all(d));
  at_dict_free(d);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(skipping), cmocka_unit_test(listing),
                                     cmocka_unit_test(values),   cmocka_unit_test(modules),
                                     cmocka_unit_test(others),   cmocka_unit_test(threads)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Readers of data sets, whose files the tests write byte by byte, and loaders. */
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../files/files.h"
#include "th_golden.h"

/* --- IDX -------------------------------------------------------------------------------------- */

/* 2 x 3 elements: 1 2 256, 255 -2 7. */
static const uint8_t shorts[] = {0, 0, 0x0b, 2, 0, 0, 0, 2,   0,    0,    0, 3,
                                 0, 1, 0,    2, 1, 0, 0, 255, 0xff, 0xfe, 0, 7};

static void idx(void **state)
{
  AT_SCOPE
  {
    at_tensor *const t = at_load_idx(write_file(scratch("a-idx2"), shorts, sizeof shorts));
    CHECK(at_typeOf(t) == AT_CPU(AT_SHORT) && at_size(t, 0) == 2 && at_size(t, 1) == 3);
    CHECK(at_item_long(at_select(at_select(t, 0, 0), 0, 2)) == 256);
    CHECK(at_item_long(at_select(at_select(t, 0, 1), 0, 0)) == 255);
    CHECK(at_item_long(at_select(at_select(t, 0, 1), 0, 1)) == -2);
    CHECK(at_item_long(at_select(at_select(t, 0, 1), 0, 2)) == 7);
  }
}

/* What is refused: the bytes, and a part of the message. */
static void refuse_idx(const void *bytes, size_t size, const char *part)
{
  AT_SCOPE
  {
    CHECK(!at_defined(at_load_idx(write_file(scratch("bad-idx"), bytes, size))));
    CHECK_MSG(strstr(at_error_message(), part), "it says %s", at_error_message());
    at_error_clear();
  }
}

static void bad_idx(void **state)
{
  uint8_t changed[sizeof shorts + 1] = {0};
  for (size_t size = 1; size < sizeof shorts; size++)
    refuse_idx(shorts, size, "bad-idx");
  memcpy(changed, shorts, sizeof shorts);
  refuse_idx(changed, sizeof changed, "1 bytes follow its elements");
  changed[2] = 10;
  refuse_idx(changed, sizeof shorts, "no IDX file: it begins with the bytes 00 00 0a 02");
  changed[2] = 14;
  changed[3] = 255; /* dimensions */
  refuse_idx(changed, sizeof shorts, "bad-idx");
  memcpy(changed, shorts, sizeof shorts);
  memset(changed + 4, 255, 8); /* 2^64 elements */
  refuse_idx(changed, sizeof shorts, "ends before its elements");
}

/* --- CIFAR ------------------------------------------------------------------------------------ */

enum { IMAGE = 3072 };

static void cifar(void **state)
{
  static uint8_t bytes[2 * (IMAGE + 2)];
  for (size_t i = 0; i < sizeof bytes; i++)
    bytes[i] = (uint8_t)(i * 7);
  bytes[0] = 3;
  bytes[IMAGE + 1] = 9;
  AT_SCOPE
  {
    const at_tensors *const ten =
        at_load_cifar(write_file(scratch("c.bin"), bytes, 2 * (IMAGE + 1)), 10);
    CHECK(ten->count == 2 && at_size(ten->data[0], 0) == 2 && at_dim(ten->data[1]) == 1);
    CHECK(((int64_t *)at_data(ten->data[1]))[1] == 9);
    CHECK(!memcmp((uint8_t *)at_data(ten->data[0]) + IMAGE, bytes + IMAGE + 2, IMAGE));
    bytes[0] = 19;
    bytes[1] = 99;
    bytes[IMAGE + 2] = 0;
    bytes[IMAGE + 3] = 42;
    const at_tensors *const hundred =
        at_load_cifar(write_file(scratch("c.bin"), bytes, sizeof bytes), 100);
    CHECK(hundred->count == 2 && at_size(hundred->data[1], 1) == 2);
    CHECK(((int64_t *)at_data(hundred->data[1]))[3] == 42);
    CHECK(at_load_cifar(scratch("c.bin"), 10)->count == 0);
    CHECK(strstr(at_error_message(), "no whole number of images"));
    at_error_clear();
    bytes[1] = 100;
    CHECK(at_load_cifar(write_file(scratch("c.bin"), bytes, sizeof bytes), 100)->count == 0);
    CHECK(strstr(at_error_message(), "image 0 has the label 100"));
    at_error_clear();
    CHECK(at_load_cifar(scratch("c.bin"), 7)->count == 0);
    at_error_clear();
  }
}

/* --- tables ----------------------------------------------------------------------------------- */

static at_tensor *table(const char *text)
{
  return at_load_csv(write_file(scratch("t.csv"), text, strlen(text)), .type = AT_CPU(AT_DOUBLE));
}

static void refuse_table(const char *text, const char *part)
{
  CHECK(!at_defined(table(text)));
  CHECK_MSG(strstr(at_error_message(), part), "it says %s", at_error_message());
  at_error_clear();
}

static void csv(void **state)
{
  AT_SCOPE
  {
    static const double want[] = {1, -2.5, 3e4, (double)NAN, 0.125, -7};
    at_tensor *const t = table("1, -2.5 ,\"3e4\"\r\n\n,\t0.125,-7");
    CHECK(at_size(t, 0) == 2 && at_size(t, 1) == 3);
    for (int i = 0; i < 6; i++) {
      const double got = ((double *)at_data(t))[i];
      CHECK(got == want[i] || (isnan(got) && isnan(want[i])));
    }
    at_tensor *const skipped =
        at_load_csv(write_file(scratch("u.csv"), "a;b\n1;2\n", 8), .delimiter = ';', .skip = 1);
    CHECK(at_typeOf(skipped) == AT_CPU(AT_FLOAT) && at_item_double(at_sum(skipped)) == 3);
    CHECK(at_numel(table("\n\n")) == 0 && at_error() == AT_OK);
    at_tensor *const old = table("1,2\r3,4\r\r5,6"); /* lines of old machines */
    CHECK(at_size(old, 0) == 3 && at_item_double(at_sum(old)) == 21);
    refuse_table("1,2\r3\r", "line 2 has 1 fields");
    refuse_table("1,2\n3\n", "line 2 has 1 fields, and the first 2");
    refuse_table("1,x\n", "line 1: field 2 is no number");
    refuse_table("1 2\n", "line 1: field 1 is no number");
    refuse_table("\"1\n", "line 1: field 1 is no number");
    refuse_table("1,\n\v2,3\n", "line 2: field 1 is no number");
    CHECK(!at_defined(at_load_csv(scratch("t.csv"), .delimiter = '.')));
    at_error_clear();
    CHECK(!at_defined(at_load_csv(scratch("t.csv"), .type = AT_CPU(AT_LONG))));
    at_error_clear();
    CHECK(!at_defined(at_load_csv(scratch("none.csv"))));
    at_error_clear();
  }
}

/* --- loaders ---------------------------------------------------------------------------------- */

/* The samples of two passes, in their order. */
static void check_order(at_loader *l, const THGolden *want)
{
  ptrdiff_t count = 0;
  for (int pass = 0; pass < 2; pass++)
    for (const at_tensors *batch; (batch = at_loader_next(l));) {
      CHECK(batch->count == 2);
      for (int64_t i = 0; i < at_numel(batch->data[0]); i++) {
        CHECK(count < want->count);
        CHECK_EQ(((int64_t *)at_data(batch->data[0]))[i], want->values[count].integer);
        CHECK(((float *)at_data(batch->data[1]))[2 * i + 1] ==
              (float)(2 * want->values[count].integer + 1));
        count++;
      }
    }
  CHECK_EQ(count, want->count);
  CHECK(at_error() == AT_OK);
}

static bool sample_of(void *context, int64_t index, at_tensor **parts)
{
  parts[0] = at_full(AT_SCALAR_SHAPE, index, .type = AT_CPU(AT_LONG));
  parts[1] = at_select(context, 0, index);
  return true;
}

static void orders(void **state)
{
  THGoldenFile *const file = th_golden_open("loader.txt");
  AT_SCOPE
  {
    at_tensor *const number = at_arange(23, .type = AT_CPU(AT_LONG));
    at_tensor *const pair = at_reshape(at_arange(46, .type = AT_CPU(AT_FLOAT)), AT_SHAPE(23, 2));
    at_generator *const generator = at_generator_new(AT_BACKEND_CPU);
    for (int i = 0; i < 6; i++) {
      at_dataset *const d = i % 2 ? at_dataset_function(23, 2, sample_of, pair)
                                  : at_dataset_tensors(AT_TENSORS(number, pair));
      CHECK_EQ(at_dataset_count(d), INT64_C(23));
      at_generator_manualSeed(generator, 7);
      at_loader *const own = at_loader_new(d, .batch_size = 4, .shuffle = true, .prefetch = i / 2,
                                           .generator = generator);
      CHECK_EQ(at_loader_batches(own), INT64_C(6));
      check_order(own, th_golden(file, "own"));
      at_loader_free(own);
      at_manualSeed(11);
      at_loader *const other =
          at_loader_new(d, .batch_size = 5, .shuffle = true, .prefetch = i / 2, .drop_last = true);
      check_order(other, th_golden(file, "default"));
      CHECK(at_loader_next(other)); /* a pass that is not ended */
      at_loader_free(other);
      at_dataset_free(d);
    }
    at_generator_free(generator);
  }
  th_golden_close(file);
}

/* A sample of a number that is drawn. */
static bool drawn_sample(void *context, int64_t index, at_tensor **parts)
{
  parts[0] = at_random_to_(at_empty(AT_SHAPE(1), .type = AT_CPU(AT_LONG)), 1 << 30);
  return at_defined(parts[0]);
}

/* What samples draw in the thread is what the first of PyTorch's workers draws, whatever the program draws. */
static void draws(void **state)
{
  THGoldenFile *const file = th_golden_open("loader.txt");
  AT_SCOPE
  {
    at_dataset *const d = at_dataset_function(7, 1, drawn_sample, NULL);
    for (int i = 0; i < 6; i++) {
      const bool shuffles = i >= 3;
      const THGolden *const want = th_golden(file, shuffles ? "drawn_shuffled" : "drawn");
      at_manualSeed(5);
      at_loader *const l =
          at_loader_new(d, .batch_size = 3, .shuffle = shuffles, .prefetch = 1 + i % 3);
      ptrdiff_t count = 0;
      for (int pass = 0; pass < 2; pass++)
        for (const at_tensors *batch; (batch = at_loader_next(l));) {
          for (int64_t k = 0; k < at_numel(batch->data[0]); k++)
            CHECK_EQ(((int64_t *)at_data(batch->data[0]))[k], want->values[count++].integer);
          CHECK(at_defined(at_rand(AT_SHAPE(100))));
        }
      CHECK_EQ(count, (ptrdiff_t)14);
      at_loader_free(l);
    }
    at_dataset_free(d);
  }
  th_golden_close(file);
}

static void in_order(void **state)
{
  AT_SCOPE
  {
    at_tensor *const t = at_arange(7);
    at_dataset *const d = at_dataset_tensors(AT_TENSORS(t));
    at_loader *const l = at_loader_new(d, .batch_size = 3);
    const at_tensors *batch = at_loader_next(l);
    at_fill_(batch->data[0], -1); /* a copy, which the data set does not see */
    CHECK(at_item_double(at_sum(t)) == 21);
    batch = at_loader_next(l);
    batch = at_loader_next(l);
    CHECK(at_numel(batch->data[0]) == 1 && at_item_double(batch->data[0]) == 6);
    CHECK(!at_loader_next(l) && at_error() == AT_OK);
    at_loader_free(l);
    at_dataset_free(d);
  }
}

/* The third sample fails: with the message of what failed, in the thread that asks. */
static bool failing(void *context, int64_t index, at_tensor **parts)
{
  parts[0] =
      index == 2 ? at_mm(at_ones(AT_SHAPE(2, 3)), at_ones(AT_SHAPE(2, 3))) : at_ones(AT_SHAPE(1));
  return at_defined(parts[0]);
}

static void errors(void **state)
{
  AT_SCOPE
  {
    at_dataset *const d = at_dataset_function(5, 1, failing, NULL);
    for (int prefetch = 0; prefetch < 4; prefetch++) {
      at_loader *const l = at_loader_new(d, .batch_size = 2, .prefetch = prefetch);
      CHECK(at_loader_next(l) && !at_loader_next(l));
      CHECK_MSG(strstr(at_error_message(), "mm"), "it says %s", at_error_message());
      at_error_clear();
      CHECK(at_loader_next(l)); /* another pass */
      at_loader_free(l);
    }
    CHECK(!at_loader_new(d, .batch_size = 0));
    at_error_clear();
    CHECK(!at_loader_new(d, .prefetch = -1));
    at_error_clear();
    at_dataset_free(d);
    CHECK(!at_dataset_tensors(AT_TENSORS(at_ones(AT_SHAPE(2)), at_ones(AT_SHAPE(3)))));
    CHECK(strstr(at_error_message(), "tensors[1] is of size"));
    at_error_clear();
    CHECK(!at_dataset_tensors(AT_TENSORS(at_ones(AT_SCALAR_SHAPE))));
    at_error_clear();
  }
}

/* --- folders ---------------------------------------------------------------------------------- */

/* In torchvision's order, which tests/oracle/loader.py prints. */
static const struct {
  const char *path;
  int label;
} pictures[] = {
#include "folder.inc"
};
enum { PICTURES = sizeof pictures / sizeof *pictures };

static const char *below(const char *path)
{
  static char joined[700];
  snprintf(joined, sizeof joined, "%s/%s", scratch("set"), path);
  return joined;
}

/* Makes the file and the folders above. */
static void make_file(const char *path)
{
  char whole[700];
  snprintf(whole, sizeof whole, "%s", below(path));
  for (char *at = strchr(whole + 1, '/'); at; at = strchr(at + 1, '/')) {
    *at = '\0';
    mkdir(whole, 0700);
    *at = '/';
  }
  write_file(whole, path, strlen(path));
}

static void make_folder(void)
{
  for (int i = PICTURES - 1; i >= 0; i--)
    make_file(pictures[i].path);
  make_file("b/notes.txt");
  make_file("loose.png");
  unlink(below("a/pipe.png"));
  CHECK(mkfifo(below("a/pipe.png"), 0600) == 0);
}

/* A tensor of two numbers: the length of the path below the set, and that of the file. */
static at_tensor *decode(void *context, const char *path)
{
  struct stat about;
  if (stat(path, &about) != 0 || (context && strstr(path, context)))
    return at_undefined();
  const size_t length = strlen(path) - strlen(scratch("set")) - 1;
  return at_stack(AT_TENSORS(at_full(AT_SCALAR_SHAPE, (double)length),
                             at_full(AT_SCALAR_SHAPE, (double)about.st_size)));
}

static void folder(void **state)
{
  make_folder();
  AT_SCOPE
  {
    at_dataset *const d = at_dataset_folder(scratch("set"), decode, NULL);
    CHECK_MSG(d, "%s", at_error_message());
    CHECK_EQ(at_dataset_count(d), (int64_t)PICTURES);
    CHECK_EQ(at_dataset_classes(d), pictures[PICTURES - 1].label + 1);
    CHECK(!strcmp(at_dataset_class(d, 0), "B"));
    at_loader *const l = at_loader_new(d, .batch_size = PICTURES);
    const at_tensors *const batch = at_loader_next(l);
    CHECK_MSG(batch && batch->count == 2, "%s", at_error_message());
    for (int i = 0; i < PICTURES; i++) {
      CHECK_MSG(!strcmp(at_dataset_path(d, i), below(pictures[i].path)), "%d: %s", i,
                at_dataset_path(d, i));
      CHECK(at_item_long(at_select(batch->data[1], 0, i)) == pictures[i].label);
      at_tensor *const lengths = at_select(batch->data[0], 0, i);
      CHECK(at_item_double(at_select(lengths, 0, 0)) == (double)strlen(pictures[i].path));
      CHECK(at_item_double(at_select(lengths, 0, 1)) == (double)strlen(pictures[i].path));
    }
    CHECK(!at_dataset_class(d, 9) && strstr(at_error_message(), "index is 9"));
    at_error_clear();
    CHECK(!at_dataset_path(d, -1) && strstr(at_error_message(), "index is -1"));
    at_error_clear();
    at_loader_free(l);
    at_dataset_free(d);
  }
}

static void refuse_folder(const char *path, const char *part)
{
  CHECK(!at_dataset_folder(path, decode, NULL));
  CHECK_MSG(strstr(at_error_message(), part), "it says %s", at_error_message());
  at_error_clear();
}

static void bad_folders(void **state)
{
  make_folder();
  AT_SCOPE
  {
    at_dataset *const d = at_dataset_folder(scratch("set"), decode, "b/x.png");
    at_loader *const l = at_loader_new(d, .batch_size = PICTURES, .prefetch = 0);
    CHECK(!at_loader_next(l) && strstr(at_error_message(), "b/x.png: it could not be read"));
    at_error_clear();
    at_loader_free(l);
    at_dataset_free(d);
  }
  refuse_folder(scratch("none"), "none: No such file");
  refuse_folder(below("b/deep/er"), "there is no folder of a class");
  mkdir(below("c"), 0700);
  refuse_folder(scratch("set"), "set/c: there is no picture");
  rmdir(below("c"));
  CHECK(symlink("..", below("b/again")) == 0); /* the set in itself */
  refuse_folder(scratch("set"), "b/again: it leads back to a folder around it");
  unlink(below("b/again"));
}

/* --- without memory --------------------------------------------------------------------------- */

static void all_without_thread(void *context)
{
  AT_SCOPE
  {
    at_tensor *const t = at_load_idx(scratch("a-idx2"));
    const at_tensors one = {&t, 1};
    at_dataset *const d = at_defined(t) ? at_dataset_tensors(one) : NULL;
    at_loader *const l = d ? at_loader_new(d, .shuffle = true, .prefetch = 0) : NULL;
    while (l && at_loader_next(l))
      ;
    at_loader_free(l);
    at_dataset_free(d);
    at_dataset *const f = at_dataset_folder(scratch("set"), decode, NULL);
    at_loader *const p = f ? at_loader_new(f, .batch_size = 2, .prefetch = 0) : NULL;
    while (p && at_loader_next(p))
      ;
    at_loader_free(p);
    at_dataset_free(f);
    at_tensor *const table = at_load_csv(scratch("t.csv"));
    const at_tensors *const images = at_load_cifar(scratch("d.bin"), 10);
    CHECK(at_error() != AT_OK || (at_defined(table) && images->count == 2));
  }
  at_error_clear();
}

static void faults(void **state)
{
  static uint8_t image[IMAGE + 1];
  make_folder();
  write_file(scratch("a-idx2"), shorts, sizeof shorts);
  write_file(scratch("t.csv"), "1,2\n", 4);
  write_file(scratch("d.bin"), image, sizeof image);
  CHECK(th_fail_each(all_without_thread, NULL) > 20);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(idx),    cmocka_unit_test(bad_idx),    cmocka_unit_test(cifar),
      cmocka_unit_test(csv),    cmocka_unit_test(orders),     cmocka_unit_test(in_order),
      cmocka_unit_test(draws),  cmocka_unit_test(errors),     cmocka_unit_test(faults),
      cmocka_unit_test(folder), cmocka_unit_test(bad_folders)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

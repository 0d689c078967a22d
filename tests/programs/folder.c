/* Folders of pictures in batches: PNG and JPEG files, decoded in the thread of a loader as torchvision decodes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "picture.h"
#include "th_test.h"

static const struct {
  const char *path, *expected; /* in the order of the data set */
  int label;
} pictures[] = {{"photos/photo.jpg", "photo_jpg", 0},
                {"photos/progressive.jpg", "progressive_jpg", 0},
                {"plain/alpha.png", "alpha_png", 1},
                {"plain/gray.png", "gray_png", 1},
                {"plain/rgb.png", "rgb_png", 1}};
enum { PICTURES = sizeof pictures / sizeof *pictures };

static char folder[] = "/tmp/th_folder_XXXXXX";

static const char *below(const char *path)
{
  static char joined[200];
  snprintf(joined, sizeof joined, "%s/%s", folder, path);
  return joined;
}

static void copy(const char *path)
{
  char bytes[4096];
  snprintf(bytes, sizeof bytes, "%s/pictures/%s", AT_GOLDEN_DIR, strchr(path, '/') + 1);
  FILE *const from = fopen(bytes, "rb"), *const to = fopen(below(path), "wb");
  CHECK(from && to);
  const size_t size = fread(bytes, 1, sizeof bytes, from);
  CHECK(size > 0 && fwrite(bytes, 1, size, to) == size);
  fclose(from);
  CHECK(!fclose(to));
}

/* 3 x height x width, from 0 to 1. */
static at_tensor *decode(void *context, const char *path)
{
  at_tensor *pixels = NULL;
  return picture_read(path, &pixels)
             ? at_undefined()
             : at_div(at_permute(at_to(pixels, AT_CPU(AT_FLOAT)), AT_INTS(2, 0, 1)), 255);
}

static void batches(void **state)
{
  char path[200];
  snprintf(path, sizeof path, "%s/pictures/expected.npz", AT_GOLDEN_DIR);
  at_dict *const expected = at_load(path);
  AT_SCOPE
  {
    at_dataset *const d = at_dataset_folder(folder, decode, NULL);
    CHECK_MSG(d, "%s", at_error_message());
    CHECK(at_dataset_count(d) == PICTURES && at_dataset_classes(d) == 2);
    at_loader *const l = at_loader_new(d, .batch_size = 2, .prefetch = 2);
    int64_t seen = 0;
    for (const at_tensors *batch; (batch = at_loader_next(l));)
      for (int64_t i = 0; i < at_size(batch->data[1], 0); i++, seen++)
        AT_SCOPE
        {
          at_tensor *const want = at_dict_get(expected, pictures[seen].expected);
          CHECK(at_item_long(at_select(batch->data[1], 0, i)) == pictures[seen].label);
          CHECK_MSG(at_allclose(at_unsqueeze(at_select(batch->data[0], 0, i), 0), want,
                                .atol = 1e-6),
                    "%s", pictures[seen].path);
        }
    CHECK_MSG(at_error() == AT_OK && seen == PICTURES, "%s", at_error_message());
    CHECK(!truncate(below("plain/rgb.png"), 100));
    while (at_loader_next(l))
      ;
    CHECK_MSG(strstr(at_error_message(), "rgb.png: it could not be read"), "it says %s",
              at_error_message());
    at_error_clear();
    at_loader_free(l);
    at_dataset_free(d);
  }
  at_dict_free(expected);
}

int main(void)
{
  CHECK(mkdtemp(folder) && !mkdir(below("photos"), 0700) && !mkdir(below("plain"), 0700));
  for (int i = 0; i < PICTURES; i++)
    copy(pictures[i].path);
  const struct CMUnitTest tests[] = {cmocka_unit_test(batches)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  for (int i = 0; i < PICTURES; i++)
    unlink(below(pictures[i].path));
  rmdir(below("photos"));
  rmdir(below("plain"));
  rmdir(folder);
  return failed;
}

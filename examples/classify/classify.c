/* Says what is on a picture, by a network that PyTorch exported.
 *
 *     classify NETWORK.pt2 CLASSES.txt PICTURE...
 *
 * NETWORK.pt2 is a classifier of torchvision, or one like it (docs/programs.md): its input is a
 * batch of pictures, N x 3 x height x width, its output a score for each class.  CLASSES.txt has the
 * names of the classes, one a line; pictures are PNG or JPEG files.
 *
 *     $ classify resnet18.pt2 imagenet.txt cat.jpg
 *     cat.jpg
 *       61.3 %  tabby
 *       24.0 %  Egyptian cat */
#include <ATen/ATen.h>
#include <picture.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 5, SIDE = 224, MOST_CLASSES = 100000 };

/* What torchvision does to pictures before a network sees them. */
static const PictureOptions imagenet = {.resize = SIDE * 8 / 7,
                                        .height = SIDE,
                                        .width = SIDE,
                                        .mean = {0.485, 0.456, 0.406},
                                        .std = {0.229, 0.224, 0.225}};

typedef struct Classes {
  char *names[MOST_CLASSES];
  int64_t count;
} Classes;

static bool read_classes(Classes *classes, const char *path)
{
  char *line = NULL;
  size_t capacity = 0;
  FILE *const file = fopen(path, "r");
  if (!file)
    return false;
  while (classes->count < MOST_CLASSES && getline(&line, &capacity, file) > 0) {
    line[strcspn(line, "\r\n")] = '\0';
    classes->names[classes->count++] = strdup(line);
  }
  free(line);
  fclose(file);
  return true;
}

/* The settings for a network whose input has another size. */
static PictureOptions settings_for(const at_program *network)
{
  PictureOptions settings = imagenet;
  const at_program_info input = at_program_input(network, 0);
  if (input.least.count == 4 && input.least.data[2] == input.most.data[2]) {
    settings.height = input.least.data[2];
    settings.width = input.least.data[3];
    settings.resize = settings.height * 8 / 7;
  }
  return settings;
}

/* Prints the most probable classes; false if there is an error. */
static bool classify(at_program *network, const Classes *classes, const char *path)
{
  AT_SCOPE
  {
    at_tensor *pixels = NULL;
    const PictureOptions settings = settings_for(network);
    const char *const problem = picture_read(path, &pixels);
    if (problem) {
      fprintf(stderr, "%s: %s\n", path, problem);
      return false;
    }
    at_tensor *const image = picture_prepare(pixels, &settings);
    const at_tensors *const scores = at_program_run(network, AT_TENSORS(image));
    if (scores->count == 0)
      return false;
    at_tensor *const chances = at_softmax(at_select(scores->data[0], 0, 0), 0);
    const int64_t known = at_size(chances, 0);
    const at_values_indices best = at_topk(chances, known < SHOWN ? known : SHOWN);
    printf("%s\n", path);
    for (int64_t i = 0; i < at_numel(best.values); i++) {
      const int64_t class = ((const int64_t *)at_data(best.indices))[i];
      printf("%6.1f %%  %s\n", 100 * (double)((const float *)at_data(best.values))[i],
             class < classes->count ? classes->names[class] : "?");
    }
  }
  return at_error() == AT_OK;
}

int main(int argc, char **argv)
{
  static Classes classes;
  if (argc < 4) {
    fprintf(stderr, "usage: %s NETWORK.pt2 CLASSES.txt PICTURE...\n", argv[0]);
    return 2;
  }
  at_program *const network = at_program_load(argv[1]);
  bool good = network && read_classes(&classes, argv[2]);
  if (network && !good)
    perror(argv[2]);
  for (int i = 3; i < argc && good; i++)
    good = classify(network, &classes, argv[i]);
  if (at_error() != AT_OK)
    fprintf(stderr, "%s\n", at_error_message());
  at_program_free(network);
  for (int64_t i = 0; i < classes.count; i++)
    free(classes.names[i]);
  return good ? 0 : 1;
}

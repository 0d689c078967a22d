/* Which algorithm computes which convolution: tests/golden/convolution_algorithms.txt has the
 * choices for layers of networks and some odd shapes, in each layout, for each instruction set.
 *
 * A changed choice is a change of speed: measure it, then renew the file, by running
 *
 *     TH_CPU_CAPABILITY=LEVEL TH_RECORD_ALGORITHMS=FILE th_tests TYPE/convolutionAlgorithms
 *
 * for each level and type, which appends to FILE. */
#include "THNN/conv/Algorithm.h"

#include "THKernel.h"
#include "THTemplate.h"
#include "th_golden.h"
#include "th_test.h"

#include <stdio.h>

typedef struct {
  int planes, outputs, groups;
  int high, wide;
  int size, step, pad, dilation;
} Layer;

static const Layer layers[] = {
    /* ResNet-18, -50 */
    {3, 64, 1, 224, 224, 7, 2, 3, 1},
    {64, 64, 1, 56, 56, 3, 1, 1, 1},
    {64, 128, 1, 56, 56, 3, 2, 1, 1},
    {64, 128, 1, 56, 56, 1, 2, 0, 1},
    {128, 128, 1, 28, 28, 3, 1, 1, 1},
    {128, 256, 1, 28, 28, 3, 2, 1, 1},
    {256, 256, 1, 14, 14, 3, 1, 1, 1},
    {256, 512, 1, 14, 14, 3, 2, 1, 1},
    {256, 512, 1, 14, 14, 1, 2, 0, 1},
    {512, 512, 1, 7, 7, 3, 1, 1, 1},
    {64, 64, 1, 56, 56, 1, 1, 0, 1},
    {64, 256, 1, 56, 56, 1, 1, 0, 1},
    {256, 64, 1, 56, 56, 1, 1, 0, 1},
    {128, 128, 1, 56, 56, 3, 2, 1, 1},
    {256, 512, 1, 56, 56, 1, 2, 0, 1},
    {512, 128, 1, 28, 28, 1, 1, 0, 1},
    {1024, 256, 1, 14, 14, 1, 1, 0, 1},
    {512, 2048, 1, 7, 7, 1, 1, 0, 1},
    {2048, 512, 1, 7, 7, 1, 1, 0, 1},
    /* ResNeXt */
    {128, 128, 32, 56, 56, 3, 1, 1, 1},
    {256, 256, 32, 56, 56, 3, 2, 1, 1},
    {512, 512, 32, 14, 14, 3, 1, 1, 1},
    {1024, 1024, 32, 7, 7, 3, 1, 1, 1},
    /* VGG */
    {3, 64, 1, 224, 224, 3, 1, 1, 1},
    {64, 64, 1, 224, 224, 3, 1, 1, 1},
    {64, 128, 1, 112, 112, 3, 1, 1, 1},
    {128, 256, 1, 56, 56, 3, 1, 1, 1},
    {256, 512, 1, 28, 28, 3, 1, 1, 1},
    {512, 512, 1, 14, 14, 3, 1, 1, 1},
    /* AlexNet */
    {3, 64, 1, 224, 224, 11, 4, 2, 1},
    {64, 192, 1, 27, 27, 5, 1, 2, 1},
    {192, 384, 1, 13, 13, 3, 1, 1, 1},
    {384, 256, 1, 13, 13, 3, 1, 1, 1},
    {96, 256, 2, 27, 27, 5, 1, 2, 1},
    /* MobileNet, EfficientNet */
    {3, 32, 1, 224, 224, 3, 2, 1, 1},
    {32, 32, 32, 112, 112, 3, 1, 1, 1},
    {96, 96, 96, 112, 112, 3, 2, 1, 1},
    {144, 144, 144, 56, 56, 3, 1, 1, 1},
    {144, 144, 144, 56, 56, 5, 2, 2, 1},
    {240, 240, 240, 28, 28, 5, 1, 2, 1},
    {384, 384, 384, 14, 14, 3, 1, 1, 1},
    {576, 576, 576, 14, 14, 3, 2, 1, 1},
    {960, 960, 960, 7, 7, 3, 1, 1, 1},
    {1152, 1152, 1152, 7, 7, 5, 1, 2, 1},
    {32, 16, 1, 112, 112, 1, 1, 0, 1},
    {16, 96, 1, 112, 112, 1, 1, 0, 1},
    {24, 144, 1, 56, 56, 1, 1, 0, 1},
    {144, 24, 1, 56, 56, 1, 1, 0, 1},
    {320, 1280, 1, 7, 7, 1, 1, 0, 1},
    {480, 20, 1, 1, 1, 1, 1, 0, 1},
    /* Inception, SqueezeNet, U-Net */
    {16, 32, 1, 28, 28, 5, 1, 2, 1},
    {48, 64, 1, 35, 35, 5, 1, 2, 1},
    {192, 32, 1, 28, 28, 1, 1, 0, 1},
    {32, 64, 1, 147, 147, 3, 1, 1, 1},
    {80, 192, 1, 73, 73, 3, 1, 0, 1},
    {16, 64, 1, 55, 55, 3, 1, 1, 1},
    {1, 64, 1, 572, 572, 3, 1, 0, 1},
    {64, 2, 1, 388, 388, 1, 1, 0, 1},
    {128, 64, 1, 200, 200, 3, 1, 0, 1},
    /* LeNet and other small ones */
    {1, 6, 1, 28, 28, 5, 1, 2, 1},
    {6, 16, 1, 14, 14, 5, 1, 0, 1},
    {16, 120, 1, 5, 5, 5, 1, 0, 1},
    {1, 32, 1, 28, 28, 5, 1, 0, 1},
    {1, 10, 1, 28, 28, 3, 1, 1, 1},
    {3, 6, 1, 32, 32, 5, 1, 0, 1},
    {3, 16, 1, 32, 32, 3, 1, 1, 1},
    {16, 16, 1, 32, 32, 3, 1, 1, 1},
    {16, 32, 1, 32, 32, 3, 2, 1, 1},
    {8, 8, 1, 16, 16, 5, 1, 2, 1},
    /* DeepLab: dilations */
    {256, 256, 1, 28, 28, 3, 1, 2, 2},
    {512, 512, 1, 28, 28, 3, 1, 4, 4},
    {2048, 256, 1, 33, 33, 3, 1, 12, 12},
    {64, 64, 1, 41, 41, 3, 2, 2, 2},
    {32, 32, 1, 40, 40, 5, 1, 4, 2},
    {64, 64, 64, 28, 28, 3, 1, 2, 2},
    {48, 48, 48, 31, 31, 3, 2, 3, 3},
    /* several outputs of a plane, and few planes of a group */
    {32, 64, 32, 28, 28, 3, 1, 1, 1},
    {16, 64, 16, 28, 28, 5, 1, 2, 1},
    {3, 12, 3, 64, 64, 3, 1, 1, 1},
    {8, 8, 8, 64, 64, 3, 1, 1, 1},
    {5, 5, 5, 33, 33, 3, 1, 0, 1},
    {40, 40, 40, 7, 5, 3, 1, 1, 1},
    {40, 40, 40, 3, 3, 7, 1, 3, 1},
    {20, 20, 20, 19, 21, 7, 2, 3, 1},
    {24, 48, 4, 20, 20, 3, 1, 1, 1},
    {64, 64, 2, 27, 27, 3, 1, 1, 1},
    {6, 4, 2, 17, 17, 4, 2, 1, 1},
    /* odd sizes */
    {1, 1, 1, 7, 7, 3, 1, 0, 1},
    {1, 1, 1, 100, 100, 3, 1, 1, 1},
    {2, 3, 1, 5, 9, 2, 1, 0, 1},
    {3, 1, 1, 31, 17, 3, 1, 1, 1},
    {5, 7, 1, 13, 11, 3, 2, 1, 1},
    {7, 5, 1, 9, 30, 4, 3, 2, 1},
    {17, 19, 1, 23, 29, 3, 1, 2, 1},
    {33, 31, 1, 8, 50, 3, 1, 1, 1},
    {31, 65, 1, 15, 15, 3, 1, 1, 1},
    {13, 4, 1, 40, 6, 5, 1, 2, 1},
    {10, 20, 1, 12, 12, 5, 1, 0, 1},
    {9, 15, 1, 30, 30, 7, 1, 3, 1},
    {12, 24, 1, 30, 30, 11, 1, 5, 1},
    {64, 64, 1, 30, 30, 7, 1, 3, 1},
    {64, 96, 1, 30, 30, 11, 1, 0, 1},
    {100, 3, 1, 20, 20, 3, 1, 1, 1},
    {100, 1, 1, 20, 20, 5, 1, 2, 1},
    {4, 100, 1, 6, 6, 3, 1, 0, 1},
    {50, 50, 1, 3, 3, 3, 1, 0, 1},
    {50, 50, 1, 4, 4, 3, 1, 1, 1},
    {256, 256, 1, 2, 2, 1, 1, 0, 1},
    {256, 10, 1, 1, 1, 1, 1, 0, 1},
    {64, 5, 1, 10, 10, 1, 1, 0, 1},
    {5, 64, 1, 11, 12, 1, 1, 0, 1},
    {30, 30, 1, 20, 20, 1, 3, 0, 1},
    {30, 30, 1, 20, 20, 1, 1, 1, 1},
    {20, 40, 1, 6, 6, 6, 1, 0, 1},
    {20, 40, 1, 25, 25, 2, 2, 0, 1},
    {32, 64, 1, 25, 25, 4, 2, 1, 1},
    {32, 64, 1, 64, 64, 4, 4, 0, 1},
    {3, 768, 1, 224, 224, 16, 16, 0, 1},
};

static const char *const passes[] = {"forward", "data", "weights"};

static THNNShape shape_of(const Layer *l, int batch, int slices)
{
  const int volume = slices > 1;
  THNNShape s = {.how = {.axes = volume ? 3 : 2,
                         .groups = l->groups,
                         .size = {volume ? 3 : 1, l->size, l->size},
                         .step = {1, l->step, l->step},
                         .pad = {volume, l->pad, l->pad},
                         .dilation = {1, l->dilation, l->dilation}},
                 .batch = batch,
                 .planes = l->planes,
                 .outputs = l->outputs,
                 .image = {slices, l->high, l->wide}};
  return s;
}

/* The algorithms of all passes over a layout, the same for one thread and for two; "nchw/" stands
 * before those for which channels-last tensors are copied to that layout first. */
static void add_algorithms(char *line, size_t capacity, const THNNShape *s, int channelsLast)
{
  const int threads = THGetNumThreads();
  for (THNNPass pass = THNN_FORWARD; pass <= THNN_BACKWARD_WEIGHTS; pass++) {
    const char *name[2];
    int inOrder[2];
    for (int t = 0; t < 2; t++) {
      THSetNumThreads(1 + t);
      name[t] = THNN_(Convolution_algorithm)(s, pass, channelsLast, &inOrder[t]);
    }
    THSetNumThreads(threads);
    CHECK_EQ(inOrder[0], inOrder[1]);
    CHECK(!strcmp(name[0], name[1]));
    const size_t used = strlen(line);
    snprintf(line + used, capacity - used, " %s%s", channelsLast && inOrder[0] ? "nchw/" : "",
             name[0]);
  }
}

enum { LINE = 400 };

static void describe(const Layer *l, int batch, int slices, char line[LINE])
{
  const THNNShape s = shape_of(l, batch, slices);
  snprintf(line, LINE, "%s " TH_STRING_OF(Real) " %dx%d", THCpu_levelName(THCpu_level()), batch,
           l->planes);
  if (slices > 1)
    snprintf(line + strlen(line), LINE - strlen(line), "x%d", slices);
  snprintf(line + strlen(line), LINE - strlen(line), "x%dx%d to %d", l->high, l->wide, l->outputs);
  if (l->groups > 1)
    snprintf(line + strlen(line), LINE - strlen(line), " groups %d", l->groups);
  snprintf(line + strlen(line), LINE - strlen(line),
           " window %d step %d pad %d dilation %d:", l->size, l->step, l->pad, l->dilation);
  add_algorithms(line, LINE, &s, 0);
  snprintf(line + strlen(line), LINE - strlen(line), " |");
  add_algorithms(line, LINE, &s, 1);
}

/* The line of the file that belongs to number i of this level and type; NULL if there is none. */
static const char *golden_line(const char *text, int i)
{
  char prefix[32];
  snprintf(prefix, sizeof prefix, "%s " TH_STRING_OF(Real) " ", THCpu_levelName(THCpu_level()));
  for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n')
    if (!strncmp(line, prefix, strlen(prefix)) && i-- == 0)
      return line;
  return NULL;
}

/* Prints both lines where they differ. */
static int is_golden(const char *text, int i, const char *line)
{
  const char *golden = golden_line(text, i);
  const int length = golden ? (int)strcspn(golden, "\n") : 0;
  if ((size_t)length == strlen(line) && !strncmp(golden, line, (size_t)length))
    return 1;
  print_error("golden: %.*s\nchosen: %s\n", length, golden ? golden : "", line);
  return 0;
}

/* The layers for one image and for 16, then some of them as volumes. */
enum { LAYERS = sizeof layers / sizeof *layers, VOLUMES = 30, ALL = 2 * LAYERS + VOLUMES };

static void describe_number(int i, char line[LINE])
{
  if (i < 2 * LAYERS)
    describe(&layers[i / 2], i % 2 ? 16 : 1, 1, line);
  else
    describe(&layers[(i - 2 * LAYERS) * LAYERS / VOLUMES], 2, 5, line);
}

static void THTest_(algorithms)(void)
{
  const char *record = getenv("TH_RECORD_ALGORITHMS");
  FILE *out = record ? fopen(record, "a") : NULL;
  char *text = record ? NULL : th_golden_text("convolution_algorithms.txt");
  int changed = 0;
  THNNConvolution_force(NULL); /* whatever the environment says */
  for (int i = 0; i < ALL; i++) {
    char line[LINE];
    describe_number(i, line);
    if (out)
      fprintf(out, "%s\n", line);
    else
      changed += !is_golden(text, i, line);
  }
  if (out)
    fclose(out);
  else
    CHECK(!golden_line(text, ALL));
  free(text);
  CHECK_EQ(changed, 0);
}

/* Every algorithm can be forced on some layer, and is not on those that it does not support; what no
 * algorithm is called forces none. */
static void THTest_(forcedAlgorithms)(void)
{
  static const struct {
    const char *name;
    int somewhere; /* whatever the type and the level */
  } algorithms[] = {{"depthwise_nchw", 0}, {"depthwise_nhwc", 1}, {"winograd3x3", 1},
                    {"winograd5x5", 0},    {"scatter", 1},        {"implicit_gemm", 1},
                    {"direct", 1},         {"im2col", 1},         {"none", 0}};
  for (size_t k = 0; k < sizeof algorithms / sizeof *algorithms; k++) {
    int forced = 0, inOrder;
    for (int i = 0; i < 6 * LAYERS; i++) {
      const THNNShape s = shape_of(&layers[i / 6], 2, 1);
      const THNNPass pass = (THNNPass)(i % 3);
      const int channelsLast = i / 3 % 2;
      THNNConvolution_force(NULL);
      const char *usual = THNN_(Convolution_algorithm)(&s, pass, channelsLast, &inOrder);
      THNNConvolution_force(algorithms[k].name);
      const char *found = THNN_(Convolution_algorithm)(&s, pass, channelsLast, &inOrder);
      if (!strcmp(found, algorithms[k].name))
        forced++;
      else
        CHECK(!strcmp(found, usual));
    }
    THNNConvolution_force(NULL);
    th_note("%s", algorithms[k].name);
    CHECK(!algorithms[k].somewhere || forced > 0);
  }
}

TH_TESTS(THTest_(algorithms), THTest_(forcedAlgorithms))

/* Memory that convolutions take besides their operands: never more than the largest of input, output
 * and the columns of one image for each thread; with windows of 3 x 3, which Winograd's algorithm
 * may compute, also 8 MB for each thread. */
#include "../layer/memory.h"

typedef struct Shape {
  int batch, planes, side, outputs, window, step, pad;
} Shape;

/* Layers of networks. */
static const Shape shapes[] = {
    {8, 64, 56, 64, 3, 1, 1},   {8, 256, 14, 256, 3, 1, 1},  {32, 512, 7, 512, 3, 1, 1},
    {8, 128, 56, 128, 3, 2, 1}, {2, 3, 224, 64, 7, 2, 3},    {4, 256, 56, 64, 1, 1, 0},
    {8, 64, 56, 256, 1, 1, 0},  {32, 512, 7, 2048, 1, 1, 0}, {4, 256, 56, 512, 1, 2, 0},
    {1, 128, 28, 128, 3, 1, 1}, {16, 16, 32, 33, 5, 1, 2},   {1, 64, 56, 64, 3, 1, 1},
    {8, 128, 28, 128, 3, 1, 1}, {32, 256, 14, 256, 3, 1, 1}, {2, 48, 20, 80, 3, 1, 4},
    {16, 64, 8, 64, 3, 1, 1},
};

static THFloatTensor *new_ones(int64_t a, int64_t b, int64_t c, int64_t d)
{
  THFloatTensor *t = THFloatTensor_newWithSize4d(a, b, c, d);
  THFloatTensor_fill(t, 1);
  return t;
}

typedef struct Layer {
  const Shape *s;
  THFloatTensor *x, *w, *y, *gradX, *gradW;
} Layer;

#define WINDOWS s->window, s->window, s->step, s->step, s->pad, s->pad

static void forward(const void *layer)
{
  const Layer *l = layer;
  const Shape *s = l->s;
  THNN_FloatSpatialConvolutionMM_updateOutput(NULL, l->x, l->y, l->w, NULL, NULL, NULL, WINDOWS);
}

static void backward(const void *layer)
{
  const Layer *l = layer;
  const Shape *s = l->s;
  THNN_FloatSpatialConvolutionMM_updateGradInput(NULL, l->x, l->y, l->gradX, l->w, NULL, NULL,
                                                 WINDOWS);
}

static void accumulate(const void *layer)
{
  const Layer *l = layer;
  const Shape *s = l->s;
  THNN_FloatSpatialConvolutionMM_accGradParameters(NULL, l->x, l->y, l->gradW, NULL, NULL, NULL,
                                                   WINDOWS, 1);
}

static void memory(void **state)
{
  (void)state;
  static void (*const calls[])(const void *) = {forward, backward, accumulate};
  static const char *const names[] = {"output", "gradInput", "gradWeight"};
  const int threadsBefore = THGetNumThreads();
  for (int threads = 1; threads <= 2; threads++)
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
      const Shape *s = &shapes[i];
      THSetNumThreads(threads);
      const int64_t out = (s->side + 2 * s->pad - s->window) / s->step + 1;
      Layer l = {s,
                 new_ones(s->batch, s->planes, s->side, s->side),
                 new_ones(s->outputs, s->planes, s->window, s->window),
                 new_ones(s->batch, s->outputs, out, out),
                 THFloatTensor_new(),
                 new_ones(s->outputs, s->planes, s->window, s->window)};
      const ptrdiff_t input = THFloatTensor_nElement(l.x), output = THFloatTensor_nElement(l.y);
      const ptrdiff_t columns = (ptrdiff_t)s->planes * s->window * s->window * out * out * threads;
      const ptrdiff_t always = s->window == 3 && s->step == 1 ? (ptrdiff_t)threads << 21 : 0;
      const ptrdiff_t most =
          THMax(always, THMax(columns, THMax(input, output))) * (ptrdiff_t)sizeof(float);
      for (int k = 0; k < 3; k++) {
        const ptrdiff_t bytes = temporaries(calls[k], &l);
        print_message("%d x %d x %d x %d, %d of %d x %d by %d, %d threads, %s: %td of %td KB\n",
                      s->batch, s->planes, s->side, s->side, s->outputs, s->window, s->window,
                      s->step, threads, names[k], bytes >> 10, most >> 10);
        CHECK(bytes <= most);
      }
      THFloatTensor *all[] = {l.x, l.w, l.y, l.gradX, l.gradW};
      for (size_t k = 0; k < sizeof all / sizeof *all; k++)
        THFloatTensor_free(all[k]);
    }
  THSetNumThreads(threadsBefore);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

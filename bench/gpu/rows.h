/* What is measured on a GPU, as code for one device: th_bench_gpu.c includes this file once for the
 * processor, whose results are right, and once for the GPU.  Before it are defined
 *
 *   ON(NAME)     the name of something defined here, for this device
 *   TENSOR       the type of float tensors; LONGS, BYTES, DOUBLES: of others
 *   T(NAME)      a function on float tensors; L, B, D: on others
 *   NN(NAME)     a function of layers
 *   S            the state and a comma, or nothing; STATE: the state, or NULL
 *   DRAW(T)      the first arguments of a function that draws numbers for tensor T
 *
 * A row of BENCH_ROWS is ROW(id, operation, bytes, flops, what is compared, code): the id is the
 * one of torch_rows.py, bytes are those that have to be moved, 0 where they are no limit. */

#ifndef BENCH_ROWS
#define BENCH_ROWS(ROW)                                                                            \
  ROW(fill, "fill", 4 * n, 0, r, T(fill)(S on->r, 2.5f))                                           \
  ROW(copy, "copy", 8 * n, 0, r, T(copy)(S on->r, on->x))                                          \
  ROW(copy_transposed, "copy transposed", 8 * n, 0, r2, T(copy)(S on->r2, on->across))             \
  ROW(convert, "convert float to double", 12 * n, 0, wide, D(copyOf)(S on->wide, on->x))           \
  ROW(add, "add", 8 * n, 0, r, T(add)(S on->r, on->x, 0.5f))                                       \
  ROW(mul, "mul", 8 * n, 0, r, T(mul)(S on->r, on->x, 1.5f))                                       \
  ROW(cadd, "cadd", 12 * n, 0, r, T(cadd)(S on->r, on->x, 1.5f, on->y))                            \
  ROW(cadd_narrow, "cadd of narrowed rows", 12 * n, 0, r3,                                         \
      T(cadd)(S on->r3, on->narrow, 1.5f, on->narrow2))                                            \
  ROW(cadd_transposed, "cadd, one transposed", 12 * n, 0, r2,                                      \
      T(cadd)(S on->r2, on->square, 1.5f, on->across))                                             \
  ROW(exp, "exp", 8 * n, 0, r, T(exp)(S on->r, on->x))                                             \
  ROW(tanh, "tanh", 8 * n, 0, r, T(tanh)(S on->r, on->x))                                          \
  ROW(gt, "gtTensor", 9 * n, 0, bytes, T(gtTensor)(S on->bytes, on->x, on->y))                     \
  ROW(sumall, "sumall", 4 * n, 0, value, on->value = T(sumall)(S on->x))                           \
  ROW(sum_0, "sum, dim 0", 4 * n, 0, sums, T(sum)(S on->sums, on->matrix, 0, 0))                   \
  ROW(sum_1, "sum, dim 1", 4 * n, 0, sums, T(sum)(S on->sums, on->matrix, 1, 0))                   \
  ROW(max_1, "max, dim 1", 4 * n, 0, sums, T(max)(S on->sums, on->largest, on->matrix, 1, 0))      \
  ROW(var_1, "var, dim 1", 4 * n, 0, sums, T(var)(S on->sums, on->matrix, 1, 0, 0))                \
  ROW(cumsum_1, "cumsum, dim 1", 8 * n, 0, r3, T(cumsum)(S on->r3, on->matrix, 1))                 \
  ROW(softmax, "SoftMax", 8 * n, 0, r3, NN(SoftMax_updateOutput)(STATE, on->matrix, on->r3, 1))    \
  ROW(logsoftmax, "LogSoftMax", 8 * n, 0, r3,                                                      \
      NN(LogSoftMax_updateOutput)(STATE, on->matrix, on->r3, 1))                                   \
  ROW(index_select, "indexSelect, dim 0", 8 * n, 0, r3,                                            \
      T(indexSelect)(S on->r3, on->matrix, 0, on->row))                                            \
  ROW(masked_select, "maskedSelect", 7 * n, 0, selected,                                           \
      T(maskedSelect)(S on->selected, on->x, on->mask))                                            \
  ROW(masked_fill, "maskedFill", 3 * n, 0, r, T(maskedFill)(S on->r, on->mask, 1))                 \
  ROW(gather, "gather, dim 1", 16 * n, 0, r3, T(gather)(S on->r3, on->matrix, 1, on->indices))     \
  ROW(scatter, "scatter, dim 1", 16 * n, 0, r3, T(scatter)(S on->r3, 1, on->indices, on->matrix))  \
  ROW(cat, "cat, dim 1", 16 * n, 0, r4, T(catArray)(S on->r4, on->parts, 2, 1))                    \
  ROW(gemm, "addmm", 0, 2 * side * side * side, r2,                                                \
      T(addmm)(S on->r2, 0, on->r2, 1, on->square, on->across))                                    \
  ROW(convolution, "SpatialConvolutionMM, 3 x 3", 0, 18 * batch * planes * planes * edge * edge,   \
      filtered,                                                                                    \
      NN(SpatialConvolutionMM_updateOutput)(STATE, on->images, on->filtered, on->kernels,          \
                                            on->bias, on->columns, on->ones, 3, 3, 1, 1, 1, 1))    \
  ROW(pooling, "SpatialMaxPooling, 2 x 2", 7 * batch * planes * edge * edge, 0, pooled,            \
      NN(SpatialMaxPooling_updateOutput)(STATE, on->images, on->pooled, on->from, 2, 2, 2, 2, 0,   \
                                         0, 0))                                                    \
  ROW(nll, "ClassNLLCriterion", 0, 0, one,                                                         \
      NN(ClassNLLCriterion_updateOutput)(STATE, on->matrix, on->labels, on->one, 1, NULL,          \
                                         on->total, -100, 1))                                      \
  ROW(sort_1, "sort, dim 1", 16 * n, 0, r3, T(sort)(S on->r3, on->order, on->matrix, 1, 0))        \
  ROW(topk_1, "topk of 10, dim 1", 4 * n, 0, top,                                                  \
      T(topk)(S on->top, on->order, on->matrix, 10, 1, 1, 1))                                      \
  ROW(median_1, "median, dim 1", 4 * n, 0, sums,                                                   \
      T(median)(S on->sums, on->largest, on->matrix, 1, 0))                                        \
  ROW(index_add, "indexAdd, dim 0", 12 * n, 0, added,                                              \
      T(indexAdd)(S on->added, 0, on->row, on->matrix))                                            \
  ROW(cholesky, "potrf", 0, 0, factor, T(potrf)(S on->factor, on->definite, "L"))                  \
  ROW(threshold, "Threshold", 8 * n, 0, r3,                                                        \
      NN(Threshold_updateOutput)(STATE, on->matrix, on->r3, 0, 0, 0))                              \
  ROW(mse, "MSECriterion", 8 * n, 0, one,                                                          \
      NN(MSECriterion_updateOutput)(STATE, on->matrix, on->parts[1], on->one, 1, 1))               \
  ROW(batch_norm, "BatchNormalization", 12 * batch * planes * edge * edge, 0, filtered,            \
      NN(BatchNormalization_updateOutput)(STATE, on->images, on->filtered, NULL, NULL, NULL, NULL, \
                                          on->means, on->deviations, 1, 0.1, 1e-5))                \
  ROW(upsample, "SpatialUpSamplingBilinear, 2 x 2", 20 * batch * planes * edge * edge, 0,          \
      filtered,                                                                                    \
      NN(SpatialUpSamplingBilinear_updateOutput)(STATE, on->images, on->filtered,                  \
                                                 (int)on->images->size[2] * 2,                     \
                                                 (int)on->images->size[3] * 2))                    \
  ROW(average, "SpatialAveragePooling, 2 x 2", 5 * batch * planes * edge * edge, 0, pooled,        \
      NN(SpatialAveragePooling_updateOutput)(STATE, on->images, on->pooled, 2, 2, 2, 2, 0, 0, 0,   \
                                             1))                                                   \
  ROW(convolution_weights, "SpatialConvolutionMM, gradient of 3 x 3", 0,                           \
      18 * batch * planes * planes * edge * edge, gradients,                                       \
      NN(SpatialConvolutionMM_accGradParameters)(STATE, on->images, on->images, on->gradients,     \
                                                 NULL, on->columns, on->ones, 3, 3, 1, 1, 1, 1,    \
                                                 1))                                               \
  ROW(lookup, "LookupTable, gradient", 12 * n, 0, added,                                           \
      NN(LookupTable_accGradParameters)(STATE, on->row, on->matrix, on->added, NULL, NULL, NULL,   \
                                        0, -1, 1))                                                 \
  ROW(uniform, "uniform", 4 * n, 0, uniform, T(uniform)(DRAW(on->r), -1, 3))                       \
  ROW(normal, "normal", 4 * n, 0, normal, T(normal)(DRAW(on->r), 2, 0.5))                          \
  ROW(bernoulli, "bernoulli", 4 * n, 0, bernoulli, T(bernoulli)(DRAW(on->r), 0.25))                \
  ROW(multinomial, "multinomial, 10 of each row", 4 * n, 0, multinomial,                           \
      T(multinomial)(DRAW(on->drawn), on->odds, 10, 1))                                            \
  ROW(gru, "GRUFused", 10.4 * n, 0, after,                                                         \
      NN(GRUFused_updateOutput)(STATE, on->gates3, on->gates3, NULL, NULL, on->before, on->after,  \
                                on->kept))                                                         \
  ROW(lstm, "LSTMFused", 12 * n, 0, after,                                                         \
      NN(LSTMFused_updateOutput)(STATE, on->gates4, on->gates4b, NULL, NULL, on->before,           \
                                 on->after, on->kept))
#endif

/* Numbers that a row draws, which differ from one device to the other: of a distribution with this
 * mean and this deviation. */
typedef struct ON(Draws) {
  TENSOR *numbers; /* or NULL, and indices */
  LONGS *indices;
  double mean, deviation;
} ON(Draws);

/* A view of those elements of t that a tensor of this shape has. */
static TENSOR *ON(view)(TENSOR *t, int64_t rows, int64_t columns, int64_t step)
{
  return T(newWithStorage2d)(S t->storage, 0, rows, step, columns, 1);
}

typedef struct ON(Tensors) {
  TENSOR *x, *y, *r; /* elements in a line */
  DOUBLES *wide;
  TENSOR *square, *across, *r2;   /* side x side; square transposed */
  TENSOR *matrix, *r3, *sums;     /* rows x columns */
  TENSOR *narrow, *narrow2;       /* all columns but the last few */
  TENSOR *r4, *parts[2];          /* parts side by side */
  TENSOR *selected, *top, *added; /* added: rows x columns, which grows */
  TENSOR *definite, *factor;      /* matrices */
  LONGS *largest, *row, *indices, *labels, *from, *order;
  BYTES *mask, *bytes;
  TENSOR *images, *filtered, *pooled, *kernels, *bias, *columns, *ones, *one, *total;
  TENSOR *gradients, *means, *deviations;
  TENSOR *odds; /* rows x columns, all the same */
  LONGS *drawn;
  ON(Draws) uniform, normal, bernoulli, multinomial;
  TENSOR *before, *after, *kept, *gates3, *gates4, *gates4b; /* of cells: 3 or 4 gates in a row */
  double value;
} ON(Tensors);

/* A positive definite matrix: side + part part'. */
static TENSOR *ON(definite)(TENSOR *x, int64_t side)
{
  TENSOR *const part = ON(view)(x, side, side, side);
  TENSOR *const across = T(newTranspose)(S part, 0, 1);
  TENSOR *const made = T(new)(S_ALONE);
  T(eye)(S made, side, side);
  T(addmm)(S made, (float)side, made, 1, part, across);
  T(free)(S part);
  T(free)(S across);
  return made;
}

/* Zeros of the size of t. */
static TENSOR *ON(zeros)(TENSOR *t)
{
  TENSOR *const made = T(new)(S_ALONE);
  T(resizeAs)(S made, t);
  T(zero)(S made);
  return made;
}

static void ON(makeDraws)(ON(Tensors) * on, const Sizes *s)
{
  const double columns = (double)s->columns;
  on->odds = ON(zeros)(on->matrix);
  T(fill)(S on->odds, 1);
  on->drawn = L(new)(S_ALONE);
  on->uniform = (ON(Draws)){on->r, NULL, 1, 4 / sqrt(12)};
  on->normal = (ON(Draws)){on->r, NULL, 2, 0.5};
  on->bernoulli = (ON(Draws)){on->r, NULL, 0.25, sqrt(0.25 * 0.75)};
  on->multinomial =
      (ON(Draws)){NULL, on->drawn, (columns - 1) / 2, sqrt((columns * columns - 1) / 12)};
}

static void ON(makeCells)(ON(Tensors) * on, const Sizes *s)
{
  const int64_t n = s->columns / 5;
  on->before = ON(view)(on->y, s->rows, n, n);
  on->after = T(new)(S_ALONE);
  on->kept = T(new)(S_ALONE);
  on->gates3 = ON(view)(on->x, s->rows, 3 * n, 3 * n);
  on->gates4b = ON(view)(on->x, s->rows, 4 * n, 4 * n);
  on->gates4 = T(newClone)(S on->gates4b); /* a row changes them */
}

static ON(Tensors) ON(make)(const Sizes *s, const Elements *e)
{
  ON(Tensors) on = {.x = ON(floats)(e->x), .y = ON(floats)(e->y), .r = ON(floats)(e->x)};
  on.wide = D(newWithSize1d)(S s->n);
  on.square = ON(view)(on.x, s->side, s->side, s->side);
  on.across = T(newTranspose)(S on.square, 0, 1);
  on.r2 = ON(view)(on.r, s->side, s->side, s->side);
  on.matrix = ON(view)(on.x, s->rows, s->columns, s->columns);
  on.r3 = T(new)(S_ALONE);
  on.sums = T(new)(S_ALONE);
  on.narrow = ON(view)(on.x, s->rows, s->columns - 4, s->columns);
  on.narrow2 = ON(view)(on.y, s->rows, s->columns - 4, s->columns);
  on.r4 = T(new)(S_ALONE);
  on.parts[0] = on.matrix;
  on.parts[1] = ON(view)(on.y, s->rows, s->columns, s->columns);
  on.selected = T(new)(S_ALONE);
  on.largest = L(new)(S_ALONE);
  on.row = ON(longs)(e->row);
  on.indices = ON(longs)(e->indices);
  on.labels = ON(longs)(e->labels);
  on.from = L(new)(S_ALONE);
  on.mask = ON(masks)(e->mask);
  on.bytes = B(new)(S_ALONE);
  on.images = ON(floats)(e->images);
  on.kernels = ON(floats)(e->kernels);
  on.bias = ON(floats)(e->bias);
  on.filtered = T(new)(S_ALONE);
  on.pooled = T(new)(S_ALONE);
  on.columns = T(new)(S_ALONE);
  on.ones = T(new)(S_ALONE);
  on.one = T(newWithSize1d)(S 1);
  on.total = T(newWithSize1d)(S 1);
  on.top = T(new)(S_ALONE);
  on.added = ON(zeros)(on.matrix);
  on.definite = ON(definite)(on.x, s->side < MOST_FACTORED ? s->side : MOST_FACTORED);
  on.factor = T(new)(S_ALONE);
  on.order = L(new)(S_ALONE);
  on.gradients = ON(zeros)(on.kernels);
  on.means = T(new)(S_ALONE);
  on.deviations = T(new)(S_ALONE);
  ON(makeDraws)(&on, s);
  ON(makeCells)(&on, s);
  return on;
}

static void ON(free)(ON(Tensors) * on)
{
  TENSOR *floats[] = {on->x,        on->y,      on->r,         on->square,   on->across,
                      on->r2,       on->matrix, on->r3,        on->sums,     on->narrow,
                      on->narrow2,  on->r4,     on->parts[1],  on->selected, on->images,
                      on->filtered, on->pooled, on->kernels,   on->bias,     on->columns,
                      on->ones,     on->one,    on->total,     on->top,      on->added,
                      on->definite, on->factor, on->gradients, on->means,    on->deviations,
                      on->odds,     on->before, on->after,     on->kept,     on->gates3,
                      on->gates4,   on->gates4b};
  for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
    T(free)(S floats[i]);
  LONGS *longs[] = {on->largest, on->row, on->indices, on->labels, on->from, on->order, on->drawn};
  for (size_t i = 0; i < sizeof longs / sizeof *longs; i++)
    L(free)(S longs[i]);
  B(free)(S on->mask);
  B(free)(S on->bytes);
  D(free)(S on->wide);
}

#define BODY(ID, NAME, BYTES_MOVED, FLOPS, RESULT, ...) \
  static void ON(ID)(void *context)                     \
  {                                                     \
    ON(Tensors) *on = context;                          \
    __VA_ARGS__;                                        \
  }
BENCH_ROWS(BODY)
#undef BODY

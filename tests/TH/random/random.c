/* Generators and single numbers: PyTorch's stream, states, locks, errors. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "th_fail.h"
#include "th_golden.h"

enum { SEED = 8765 }; /* of tests/oracle/random_streams.py */

static THGoldenFile *golden;

static THGenerator *seeded(void)
{
  THGenerator *generator = THGenerator_new();
  THRandom_manualSeed(generator, SEED);
  return generator;
}

/* --- layout and seeds ----------------------------------------------------------------------- */

static void layout(void **state)
{
  assert_int_equal(sizeof(THGenerator), 5048);
  assert_int_equal(sizeof(THGeneratorState), 5048);
  assert_int_equal(offsetof(THGenerator, the_initial_seed), 0);
  assert_int_equal(offsetof(THGenerator, left), 8);
  assert_int_equal(offsetof(THGenerator, seeded), 12);
  assert_int_equal(offsetof(THGenerator, next), 16);
  assert_int_equal(offsetof(THGenerator, state), 24);
  assert_int_equal(offsetof(THGenerator, normal_x), 5016);
  assert_int_equal(offsetof(THGenerator, normal_y), 5024);
  assert_int_equal(offsetof(THGenerator, normal_rho), 5032);
  assert_int_equal(offsetof(THGenerator, normal_is_valid), 5040);
  assert_string_equal(torch_Generator, "torch.Generator");
  assert_int_equal(_MERSENNE_STATE_N, 624);
  assert_int_equal(_MERSENNE_STATE_M, 397);
}

static void seeds(void **state)
{
  THGenerator *a = THGenerator_new(), *b = THGenerator_new();
  assert_true(THGenerator_isValid(a));
  assert_true(THRandom_initialSeed(a) != THRandom_initialSeed(b));
  assert_true(THRandom_random64(a) != THRandom_random64(b));
  const uint64_t seed = THRandom_seed(a);
  assert_true(seed == THRandom_initialSeed(a));
  assert_true(seed >> 53 == 0); /* exact as a double */
  THRandom_manualSeed(b, seed);
  assert_true(THRandom_random64(a) == THRandom_random64(b));
  THRandom_manualSeed(b, UINT64_MAX);
  assert_true(THRandom_initialSeed(b) == UINT64_MAX);
  THGenerator_free(a);
  THGenerator_free(b);
  THGenerator_free(NULL);
}

/* The six numbers that everybody knows, and the ends of 330 numbers for several seeds. */
static void words(void **state)
{
  static const char *const first[] = {"0.4963", "0.7682", "0.0885", "0.1320", "0.3074", "0.6341"};
  THGenerator *g = THGenerator_new();
  THRandom_manualSeed(g, 0);
  for (int i = 0; i < 6; i++) {
    char text[16];
    snprintf(text, sizeof text, "%.4f", (double)THRandom_uniformFloat(g, 0, 1));
    assert_string_equal(text, first[i]);
  }
  const uint64_t all[] = {0, 1, UINT32_MAX, (UINT64_C(1) << 33) + 5};
  for (int s = 0; s < 4; s++) {
    const THGolden *want = th_golden(golden, "words64/%llu", (unsigned long long)all[s]);
    for (int pairs = 0; pairs < 2; pairs++) {
      THRandom_manualSeed(g, all[s]);
      for (int i = 0; i < 330; i++) {
        uint64_t word;
        if (pairs) {
          word = THRandom_random(g) << 32;
          word |= THRandom_random(g);
        } else {
          word = THRandom_random64(g);
        }
        if (i >= 300)
          CHECK_EQ((int64_t)word, want->values[i - 300].integer);
      }
    }
  }
  THGenerator_free(g);
}

/* --- numbers -------------------------------------------------------------------------------- */

/* As the elements of a Double tensor, where those are drawn one by one. */
static void numbers(void **state)
{
  for (int kind = 0; kind < 7; kind++) {
#ifdef TH_COMPAT_TORCH7 /* has a test of its own */
    if (kind == 0 || kind == 5)
      continue;
#endif
    static const char *const names[] = {"uniform",   "normal",    "exponential", "cauchy",
                                        "logNormal", "geometric", "bernoulli"};
    const int n = kind == 1 ? 15 : 40;
    const THGolden *want = th_golden(golden, "Double/%s/%d", names[kind], n);
    THGenerator *g = seeded();
    for (int i = 0; i < n; i++) {
      const double values[] = {
          kind == 0 ? THRandom_uniform(g, -1.3, 2.7) : 0,
          kind == 1 ? THRandom_normal(g, 0.5, 0.7) : 0,
          kind == 2 ? THRandom_exponential(g, 1.7) : 0,
          kind == 3 ? THRandom_cauchy(g, 0.5, 1.7) : 0,
          kind == 4 ? THRandom_logNormal(g, 0.5, 0.7) : 0,
          kind == 5 ? THRandom_geometric(g, 0.2) : 0,
          kind == 6 ? THRandom_bernoulli(g, 0.3) : 0,
      };
      th_note("%s %d", names[kind], i);
      CHECK_NEAR(values[kind], th_golden_number(want, i),
                 1e-14 * fmax(1, fabs(th_golden_number(want, i))));
    }
    THGenerator_free(g);
  }

  static const double alphas[] = {1e-3, 0.1, 0.5, 0.99, 1, 1.01, 2, 7.5, 100, 1e6};
  const THGolden *gamma = th_golden(golden, "Double/standard_gamma");
  const THGolden *floats = th_golden(golden, "Float/uniform/40");
  THGenerator *g = seeded();
  for (int i = 0; i < 100; i++)
    CHECK_CLOSE(THRandom_standard_gamma(g, alphas[i % 10]), th_golden_number(gamma, i), 1e-6);
  THRandom_manualSeed(g, SEED);
  for (int i = 0; i < 40; i++)
    CHECK_EQ(THRandom_uniformFloat(g, -1.3f, 2.7f), (float)th_golden_number(floats, i));
  THRandom_manualSeed(g, SEED);
  const THGolden *doubles = th_golden(golden, "Double/uniform/40");
  for (int i = 0; i < 40; i++)
    CHECK_NEAR(THRandom_standard_uniform(g) * 4.0 - 1.3, th_golden_number(doubles, i), 1e-15);
  THGenerator_free(g);

  g = seeded();
  for (int i = 0; i < 1000; i++) {
    assert_int_equal(THRandom_bernoulli(g, 0), 0);
    assert_int_equal(THRandom_bernoulli(g, 1), 1);
#ifdef TH_COMPAT_TORCH7 /* p is the probability that the trials go on */
    assert_int_equal(THRandom_geometric(g, 1 - 1e-16), INT_MAX);
    assert_int_equal(THRandom_geometric(g, 1e-300), 1);
#else
    assert_int_equal(THRandom_geometric(g, 1e-300), INT_MAX);
    assert_int_equal(THRandom_geometric(g, 1 - 1e-16), 1);
#endif
  }
  THGenerator_free(g);
}

#ifdef TH_COMPAT_TORCH7
/* One word of 32 bits each; geometric numbers are the least n with 1 - p^n above it. */
static void numbers_of_torch7(void **state)
{
  THGenerator *g = seeded(), *other = seeded();
  for (int i = 0; i < 1000; i++) {
    const double unit = (double)THRandom_random(other) / 4294967296.0;
    CHECK_EQ(THRandom_uniform(g, -1.3, 2.7), unit * 4.0 - 1.3);
    const double next = (double)THRandom_random(other) / 4294967296.0;
    int n = 1;
    for (double power = 0.8; 1 - power <= next; power *= 0.8)
      n++;
    CHECK_EQ(THRandom_geometric(g, 0.8), n);
  }
  THGenerator_free(g);
  THGenerator_free(other);
}
#endif

static void parameters(void **state)
{
  THGenerator *g = seeded();
  const THGenerator start = *g;
  CHECK_RAISES(3, "stdv is 0", THRandom_normal(g, 0, 0));
  CHECK_RAISES(3, "stdv is -1", THRandom_normal(g, 0, -1));
  CHECK_RAISES(3, "nan", THRandom_normal(g, 0, NAN));
  CHECK_RAISES(2, "lambda is 0", THRandom_exponential(g, 0));
  CHECK_RAISES(2, "alpha is 0", THRandom_standard_gamma(g, 0));
  CHECK_RAISES(2, "inf", THRandom_standard_gamma(g, INFINITY));
  CHECK_RAISES(3, "sigma is -2", THRandom_cauchy(g, 0, -2));
  CHECK_RAISES(3, "stdv is 0", THRandom_logNormal(g, 0, 0));
  CHECK_RAISES(2, "p is 0", THRandom_geometric(g, 0));
  CHECK_RAISES(2, "p is 1", THRandom_geometric(g, 1));
  CHECK_RAISES(2, "p is 1.5", THRandom_bernoulli(g, 1.5));
  CHECK_RAISES(2, "p is -1", THRandom_bernoulli(g, -1));
  assert_memory_equal(&start, g, sizeof start);
  THGenerator_free(g);
}

/* --- states --------------------------------------------------------------------------------- */

/* Draws of all kinds, each from where the one before has left the stream. */
static void sequence(void **state)
{
  THGenerator *g = seeded();
  THFloatTensor *f = THFloatTensor_new();
  THDoubleTensor *d = THDoubleTensor_new();
  THLongTensor *l = THLongTensor_new();
  THByteTensor *image = THByteTensor_new();
#define CHECK_NEXT(NUMBER, REAL, TENSOR, LAST, DRAW)                               \
  do {                                                                             \
    const THGolden *want = th_golden(golden, "sequence/%d", NUMBER);               \
    TH##REAL##Tensor_resize1d(TENSOR, LAST);                                       \
    DRAW;                                                                          \
    for (ptrdiff_t i = 0; i < want->count; i++)                                    \
      CHECK_NEAR((double)TH##REAL##Tensor_get1d(TENSOR, (LAST) - want->count + i), \
                 th_golden_number(want, i), 1e-6);                                 \
  } while (0)
#ifdef TH_COMPAT_TORCH7 /* uniform tensors are of other words there */
  CHECK_NEXT(1, Float, f, 5,
             for (int i = 0; i < 5; i++) THFloatTensor_set1d(f, i, THRandom_uniformFloat(g, 0, 1)));
  CHECK_NEXT(2, Double, d, 5,
             for (int i = 0; i < 5; i++) THDoubleTensor_set1d(d, i, THRandom_standard_uniform(g)));
#else
  CHECK_NEXT(1, Float, f, 5, THFloatTensor_uniform(f, g, 0, 1));
  CHECK_NEXT(2, Double, d, 5, THDoubleTensor_uniform(d, g, 0, 1));
#endif
  CHECK_NEXT(3, Float, f, 3, THFloatTensor_normal(f, g, 0, 1));
  CHECK_NEXT(4, Double, d, 2, THDoubleTensor_normal(d, g, 0, 1));
  CHECK_NEXT(5, Double, d, 3, THDoubleTensor_logNormal(d, g, 1, 2));
  CHECK_NEXT(6, Float, f, 18, THFloatTensor_normal(f, g, 0, 1));
  CHECK_NEXT(7, Long, l, 9, THLongTensor_randperm(l, g, 9));
  CHECK_NEXT(8, Float, f, 611, THFloatTensor_bernoulli(f, g, 0.5));
  CHECK_NEXT(9, Long, l, 4, THLongTensor_clampedRandom(l, g, INT64_MIN, INT64_MAX));
  CHECK_NEXT(10, Double, d, 3, THDoubleTensor_normal(d, g, 0, 1));

  const THGolden *want = th_golden(golden, "sequence/state");
  THByteTensor_getRNGState(g, image);
  assert_int_equal(image->nDimension, 1);
  assert_int_equal(image->size[0], 5048);
  for (int i = 0; i < 5016; i++)
    CHECK_EQ(THByteTensor_get1d(image, i), (uint8_t)want->values[i].integer);
  THByteTensor_free(image);
  THLongTensor_free(l);
  THDoubleTensor_free(d);
  THFloatTensor_free(f);
  THGenerator_free(g);
}

/* All that is to come, of any kind, is the same. */
static void check_same(THGenerator *a, THGenerator *b)
{
  for (int i = 0; i < 700; i++) {
    assert_true(THRandom_normal(a, 1, 2) == THRandom_normal(b, 1, 2));
    assert_true(THRandom_random(a) == THRandom_random(b));
  }
}

static void copies(void **state)
{
  THGenerator *g = seeded(), *other = THGenerator_new();
  for (int i = 0; i < 300; i++)
    THRandom_random64(g);
  THRandom_normal(g, 0, 1); /* the second one of the pair is copied too */
  assert_ptr_equal(THGenerator_copy(other, g), other);
  assert_memory_equal(other, g, sizeof *g);
  THGenerator by_value = *g, raw;
  memcpy(&raw, g, sizeof raw);
  THGeneratorState part;
  assert_ptr_equal(THGeneratorState_copy(&part, g), &part);
  assert_ptr_equal(THGenerator_copy(g, g), g);
  assert_true(THGeneratorState_isValid(&part));
  THGenerator reference = *g;
  check_same(other, &reference);
  reference = *g;
  check_same(&by_value, &reference);
  reference = *g;
  check_same(&raw, &reference);
  reference = *g;
  check_same(&part, &reference);
  CHECK_RAISES(1, "NULL", THGenerator_copy(NULL, g));
  CHECK_RAISES(2, "NULL", THGenerator_copy(g, NULL));
  THGenerator_free(other);
  THGenerator_free(g);
}

static void images(void **state)
{
  THGenerator *g = seeded(), *other = THGenerator_new();
  THRandom_normal(g, 0, 1);
  THByteTensor *wide = THByteTensor_newWithSize2d(5048, 3), *image = THByteTensor_new();
  memset(wide->storage->data, 77, 3 * 5048);
  THByteTensor_select(image, wide, 1, 1);
  THByteTensor_getRNGState(g, image);
  for (int i = 0; i < 5048; i++) {
    assert_int_equal(wide->storage->data[3 * i + 1], ((unsigned char *)g)[i]);
    assert_int_equal(wide->storage->data[3 * i], 77);
    assert_int_equal(wide->storage->data[3 * i + 2], 77);
  }
  THByteTensor_setRNGState(other, image);
  assert_memory_equal(other, g, sizeof *g);
  check_same(g, other);

  /* A state is any tensor of that many bytes, but one that can be drawn from. */
  THByteTensor *matrix = THByteTensor_newWithSize2d(8, 631);
  THByteTensor_copy(matrix, image);
  THByteTensor_setRNGState(other, matrix);
  const THGenerator kept = *other;
  CHECK_RAISES(2, "self has 5040 elements, a state has 5048",
               (THByteTensor_resize1d(matrix, 5040), THByteTensor_setRNGState(other, matrix)));
  THByteTensor_resize1d(matrix, 5048);
  THGenerator *bad = (THGenerator *)(void *)matrix->storage->data;
  const struct {
    int left, seeded;
    uint64_t next;
  } states[] = {{0, 1, 0},   {-5, 1, 0},    {626, 1, 0},        {625, 1, 0},    {1, 1, 625},
                {100, 0, 0}, {100, 1, 526}, {2, 1, UINT64_MAX}, {INT_MAX, 1, 0}};
  for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
    *bad = kept;
    bad->left = states[i].left;
    bad->seeded = states[i].seeded;
    bad->next = states[i].next;
    assert_false(THGenerator_isValid(bad));
    CHECK_RAISES(2, "no valid state", THByteTensor_setRNGState(other, matrix));
    CHECK_RAISES(1, "not valid", THRandom_random(bad));
    CHECK_RAISES(1, "not valid", THByteTensor_getRNGState(bad, image));
  }
  assert_memory_equal(other, &kept, sizeof kept);
  assert_false(THGenerator_isValid(NULL));

  THByteTensor *one = THByteTensor_newWithSize1d(1);
  THByteTensor_resizeNd(one, 1, (int64_t[]){5048}, (int64_t[]){0});
  CHECK_RAISES(2, "share memory", THByteTensor_getRNGState(g, one));
  CHECK_RAISES(1, "NULL", THByteTensor_setRNGState(NULL, image));
  THByteTensor_free(one);
  THByteTensor_free(matrix);
  THByteTensor_free(image);
  THByteTensor_free(wide);
  THGenerator_free(other);
  THGenerator_free(g);
}

static void null_generators(void **state)
{
  CHECK_RAISES(1, "NULL", THRandom_random(NULL));
  CHECK_RAISES(1, "NULL", THRandom_manualSeed(NULL, 1));
  CHECK_RAISES(1, "NULL", THRandom_seed(NULL));
  CHECK_RAISES(1, "NULL", THRandom_initialSeed(NULL));
}

/* --- locks ---------------------------------------------------------------------------------- */

static jmp_buf home;

static void leave(int argument, const char *message, void *data)
{
  longjmp(home, 1);
}

/* An error that is found while the generator is locked does not leave it locked. */
static void errors_unlock(void **state)
{
  THGenerator *g = seeded();
  THSetArgErrorHandler(leave, NULL);
  for (volatile int i = 0; i < 3; i++) {
    const int left = g->left;
    g->left = -1;
    if (!setjmp(home)) {
      THRandom_random(g);
      fail();
    }
    g->left = left;
    THRandom_random(g);
  }
  THSetArgErrorHandler(NULL, NULL);
  THGenerator_free(g);
}

enum { THREADS = 4, DRAWS = 20000 };

static THGenerator *shared;
static uint32_t drawn[THREADS][DRAWS];

static void *draw_many(void *row)
{
  uint32_t *words = row;
  for (int i = 0; i < DRAWS; i++)
    words[i] = (uint32_t)THRandom_random(shared);
  return NULL;
}

static int by_value(const void *a, const void *b)
{
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return (x > y) - (x < y);
}

/* Threads that share a generator get each of its words once. */
static void threads(void **state)
{
  pthread_t thread[THREADS];
  shared = seeded();
  for (int i = 0; i < THREADS; i++)
    assert_int_equal(pthread_create(&thread[i], NULL, draw_many, drawn[i]), 0);
  for (int i = 0; i < THREADS; i++)
    pthread_join(thread[i], NULL);

  uint32_t *expected = malloc(sizeof drawn);
  THGenerator *again = seeded();
  for (int i = 0; i < THREADS * DRAWS; i++)
    expected[i] = (uint32_t)THRandom_random(again);
  qsort(expected, THREADS * DRAWS, sizeof *expected, by_value);
  qsort(drawn, THREADS * DRAWS, sizeof *expected, by_value);
  assert_memory_equal(expected, drawn, sizeof drawn);
  assert_memory_equal(again, shared, sizeof *again);
  free(expected);
  THGenerator_free(again);
  THGenerator_free(shared);
}

static atomic_int stop;

static void *draw_until_stopped(void *unused)
{
  while (!stop)
    THRandom_random(shared);
  return NULL;
}

/* A child of a process whose other thread is drawing can draw from the same generator. */
static void forks(void **state)
{
  pthread_t thread;
  shared = seeded();
  stop = 0;
  assert_int_equal(pthread_create(&thread, NULL, draw_until_stopped, NULL), 0);
  for (int i = 0; i < 50; i++) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      THRandom_random(shared);
      _exit(THGenerator_isValid(shared) ? 0 : 1);
    }
    int status = -1;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
  }
  stop = 1;
  pthread_join(thread, NULL);
  THGenerator_free(shared);
}

/* --- memory runs out ------------------------------------------------------------------------ */

static void make_one(void *context)
{
  THGenerator_free(THGenerator_new());
}

/* Everything else but the tensors takes no memory at all. */
static void draw_each(void *context)
{
  THGenerator *g = context, copy;
  THRandom_seed(g);
  THRandom_manualSeed(g, SEED);
  THRandom_initialSeed(g);
  THGenerator_copy(&copy, g);
  THGeneratorState_copy(&copy, g);
  THGenerator_isValid(g);
  THGeneratorState_isValid(g);
  THRandom_random(g);
  THRandom_random64(g);
  THRandom_standard_uniform(g);
  THRandom_uniform(g, 0, 1);
  THRandom_uniformFloat(g, 0, 1);
  THRandom_normal(g, 0, 1);
  THRandom_exponential(g, 1);
  THRandom_standard_gamma(g, 0.3);
  THRandom_cauchy(g, 0, 1);
  THRandom_logNormal(g, 0, 1);
  THRandom_geometric(g, 0.3);
  THRandom_bernoulli(g, 0.3);
}

static void get_and_set(void *context)
{
  THGuard guard;
  THGuard_enter(&guard, (THUndo)THByteTensor_free);
  THByteTensor *image = guard.what = THByteTensor_new();
  THByteTensor_getRNGState(context, image);
  THByteTensor_setRNGState(context, image);
  THGuard_leave(&guard);
}

static void faults(void **state)
{
  THGenerator *g = seeded();
  assert_true(th_fail_each(make_one, NULL) >= 1);
  assert_int_equal(th_fail_each(draw_each, g), 0);
  const THGenerator kept = *g;
  assert_true(th_fail_each(get_and_set, g) >= 2);
  assert_memory_equal(&kept, g, sizeof kept);
  THGenerator_free(g);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layout),
      cmocka_unit_test(seeds),
      cmocka_unit_test(words),
      cmocka_unit_test(numbers),
      cmocka_unit_test(parameters),
      cmocka_unit_test(sequence),
      cmocka_unit_test(copies),
      cmocka_unit_test(images),
      cmocka_unit_test(null_generators),
      cmocka_unit_test(errors_unlock),
      cmocka_unit_test(threads),
      cmocka_unit_test(forks),
      cmocka_unit_test(faults),
#ifdef TH_COMPAT_TORCH7
      cmocka_unit_test(numbers_of_torch7),
#endif
  };
  golden = th_golden_open("random_streams.txt");
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  th_golden_close(golden);
  return failed;
}

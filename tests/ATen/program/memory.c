/* The memory of runs: results are the same whatever block they are computed in, and keep none. */
#include "programs.h"

enum { WORDS = 12, RUNS = 8 };

#ifdef TH_SANITIZED
enum { KEEPS = 0 };
#else
enum { KEEPS = 1 }; /* freed memory */
#endif

/* A batch of sentences for the sample "encoder". */
static at_tensors sentences(int64_t count, at_tensor *buffer[2])
{
  buffer[0] = at_remainder(at_arange(count * WORDS, .type = AT_CPU(AT_LONG)), 11);
  buffer[0] = at_reshape(buffer[0], AT_INTS(count, WORDS));
  buffer[1] = at_lt(at_remainder(at_mul(buffer[0], 7), 5), 4);
  return (at_tensors){buffer, 2};
}

static at_tensor *result_for(at_program *program, int64_t count)
{
  at_tensor *buffer[2];
  const at_tensors *const results = at_program_run(program, sentences(count, buffer));
  CHECK_MSG(results->count >= 1, "%s", at_error_message());
  return at_clone(results->data[0]);
}

/* The first run has no block, the second one that fits, later ones one that may be too small. */
static void same_in_every_block(void **state)
{
  static const int64_t counts[RUNS] = {400, 400, 30, 2000, 2000, 400, 1, 3000};
  AT_SCOPE
  {
    at_program *const program = load_program(program_sample("encoder", ".pt2"));
    for (int i = 0; i < RUNS; i++) {
      at_program *const fresh = load_program(program_sample("encoder", ".pt2"));
      CHECK(at_equal(result_for(program, counts[i]), result_for(fresh, counts[i])));
      at_program_free(fresh);
    }
    at_program_free(program);
  }
}

/* Results that are kept take their own bytes, not those of a block; they outlive the program. */
static void results_keep_no_block(void **state)
{
  enum { COUNT = 4000, WIDTH = 8 };
  AT_SCOPE
  {
    at_program *const program = load_program(program_sample("encoder", ".pt2"));
    at_tensor *buffer[2], *kept[RUNS];
    const at_tensors inputs = sentences(COUNT, buffer);
    at_tensor *const first = result_for(program, COUNT);
    const ptrdiff_t bytes = (ptrdiff_t)(at_numel(first) * sizeof(float));
    const ptrdiff_t before = THMemory_stats().inUse;
    for (int i = 0; i < RUNS; i++)
      kept[i] = at_retain(at_program_run(program, inputs)->data[0]);
    const ptrdiff_t more = THMemory_stats().inUse - before;
    CHECK_MSG(more <= RUNS * (bytes + bytes / 8), "%td bytes for %d results of %td", more, RUNS,
              bytes);
    at_program_free(program);
    for (int i = 0; i < RUNS; i++) {
      CHECK(at_equal(kept[i], first));
      at_release(kept[i]);
    }
  }
}

/* Later runs of one size need no memory that was not there. */
static void runs_make_nothing(void **state)
{
  if (!KEEPS)
    skip();
  AT_SCOPE
  {
    at_program *const program = load_program(program_sample("encoder", ".pt2"));
    at_tensor *buffer[2];
    const at_tensors inputs = sentences(4000, buffer);
    for (int i = 0; i < 3; i++)
      at_program_run(program, inputs);
    const int64_t made = THMemory_stats().made;
    for (int i = 0; i < RUNS; i++)
      CHECK(at_program_run(program, inputs)->count > 0);
    CHECK_EQ(THMemory_stats().made, made);
    at_program_free(program);
  }
}

/* The blocks of the first run, which are of all sizes, do not wait for later runs. */
static void first_run_keeps_nothing(void **state)
{
  enum { LITTLE = 64 << 10 };
  AT_SCOPE
  {
    at_program *const program = load_program(program_sample("encoder", ".pt2"));
    at_tensor *buffer[2];
    const at_tensors inputs = sentences(4000, buffer);
    CHECK(at_program_run(program, inputs)->count > 0);
    CHECK(THMemory_stats().cached <= LITTLE);
    at_program_free(program);
  }
}

/* Each thread computes its images in a block of its own. */
static void slices_of_threads(void **state)
{
  const int threads = at_getNumThreads();
  at_setNumThreads(2);
  AT_SCOPE
  {
    at_program *const program = load_program(program_sample("mobile", ".pt2"));
    at_tensor *buffer[1] = {
        at_remainder(at_arange(64 * 3 * 17 * 17, .type = AT_CPU(AT_FLOAT)), 17)};
    buffer[0] = at_reshape(buffer[0], AT_INTS(64, 3, 17, 17));
    at_tensor *const first = at_clone(at_program_run(program, (at_tensors){buffer, 1})->data[0]);
    for (int i = 0; i < RUNS; i++)
      CHECK(at_equal(at_program_run(program, (at_tensors){buffer, 1})->data[0], first));
    at_program_free(program);
  }
  at_setNumThreads(threads);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      PROGRAM_TEST(same_in_every_block), PROGRAM_TEST(results_keep_no_block),
      PROGRAM_TEST(runs_make_nothing),   PROGRAM_TEST(first_run_keeps_nothing),
      PROGRAM_TEST(slices_of_threads),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

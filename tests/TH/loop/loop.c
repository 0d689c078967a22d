/* The loop engine by itself: every element once, with the right partners, whatever the shape, the
 * order and the number of threads; overlap. */
#include "THLoop.h"

#include "THParallel.h"
#include "TH/loop/THResult.h"
#include "th_test.h"

enum { MOST = 200000 };

static int64_t left[MOST], right[MOST];
static int32_t visits[MOST];

typedef struct {
  int dims;
  int64_t size[8], stride[8];
} Shape;

/* result += left * 1e6 + right, visits are counted by the result's offset. */
static void pair_up(const THRun *run, const void *base)
{
  for (ptrdiff_t j = 0; j < run->rows; j++)
    for (ptrdiff_t i = 0; i < run->n; i++) {
      int32_t *r = (int32_t *)run->at[0] + j * run->rowStride[0] + i * run->stride[0];
      const int64_t *a = (const int64_t *)run->at[1] + j * run->rowStride[1] + i * run->stride[1];
      const int64_t *b = (const int64_t *)run->at[2] + j * run->rowStride[2] + i * run->stride[2];
      *r += (int32_t)(*a * 7 + *b * 3 + 1);
    }
}

static void move(const THRun *run, const void *unused)
{
  for (ptrdiff_t j = 0; j < run->rows; j++)
    for (ptrdiff_t i = 0; i < run->n; i++)
      ((int64_t *)run->at[0])[j * run->rowStride[0] + i * run->stride[0]] =
          ((const int64_t *)run->at[1])[j * run->rowStride[1] + i * run->stride[1]];
}

static ptrdiff_t offset_of(const Shape *s, ptrdiff_t element)
{
  ptrdiff_t at = 0;
  for (int d = s->dims - 1; d >= 0; d--) {
    at += element % s->size[d] * s->stride[d];
    element /= s->size[d];
  }
  return at;
}

static ptrdiff_t count_of(const Shape *s)
{
  ptrdiff_t n = 1;
  for (int d = 0; d < s->dims; d++)
    n *= s->size[d];
  return n;
}

/* Strides of a random order of the dimensions, sometimes with gaps, sometimes repeated. */
static void lay_out(th_random *random, Shape *s, int may_repeat)
{
  int order[8];
  for (int d = 0; d < s->dims; d++)
    order[d] = d;
  for (int d = s->dims - 1; d > 0; d--) {
    const int e = (int)th_random_below(random, d + 1), t = order[d];
    order[d] = order[e];
    order[e] = t;
  }
  int64_t step = 1 + th_random_below(random, 2);
  for (int d = 0; d < s->dims; d++) {
    s->stride[order[d]] = step;
    step *= s->size[order[d]] + th_random_below(random, 2);
    if (may_repeat && th_random_below(random, 6) == 0)
      s->stride[order[d]] = 0;
  }
}

/* A shape with as many elements: neighbouring dimensions of s joined. */
static Shape reshaped(th_random *random, const Shape *s)
{
  Shape r = {0};
  for (int d = 0; d < s->dims; d++) {
    if (r.dims && th_random_below(random, 2))
      r.size[r.dims - 1] *= s->size[d];
    else
      r.size[r.dims++] = s->size[d];
  }
  return r;
}

static void test_every_element(void **state)
{
  th_random random = {th_seed()};
  for (int trial = 0; trial < 400; trial++) {
    Shape r = {.dims = 1 + (int)th_random_below(&random, 5)};
    const int64_t most[] = {40000, 170, 28, 11, 7};
    for (int d = 0; d < r.dims; d++)
      r.size[d] = 1 + th_random_below(&random, most[r.dims - 1]);
    Shape a = trial % 3 ? r : reshaped(&random, &r), b = trial % 5 ? r : reshaped(&random, &r);
    lay_out(&random, &r, 0);
    lay_out(&random, &a, 1);
    lay_out(&random, &b, 1);
    const ptrdiff_t n = count_of(&r), last = offset_of(&r, n - 1);
    assert_true(last < MOST && offset_of(&a, n - 1) < MOST && offset_of(&b, n - 1) < MOST);
    for (int i = 0; i < MOST; i++) {
      left[i] = i % 1009;
      right[i] = i % 919;
    }
    memset(visits, 0, sizeof visits);
    th_note("trial %d: result %s, operands %s and %s", trial, _THSizeDesc(r.size, r.dims).str,
            _THSizeDesc(a.size, a.dims).str, _THSizeDesc(b.size, b.dims).str);

    THSetNumThreads(1 + trial % 3);
    THLoop loop;
    THLoop_init(&loop);
    loop.grain = trial % 2 ? 100 : TH_LOOP_GRAIN;
    loop.inOrder = trial % 7 == 0;
    THLoop_operand(&loop, visits, sizeof *visits, r.dims, r.size, r.stride);
    THLoop_operand(&loop, left, sizeof *left, a.dims, a.size, a.stride);
    THLoop_operand(&loop, right, sizeof *right, b.dims, b.size, b.stride);
    THLoop_run(&loop, pair_up, NULL);
    int64_t total = 0, expected_total = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
      const int64_t expected = left[offset_of(&a, i)] * 7 + right[offset_of(&b, i)] * 3 + 1;
      expected_total += expected;
      CHECK_EQ(visits[offset_of(&r, i)], (int32_t)expected);
    }
    for (int i = 0; i < MOST; i++)
      total += visits[i];
    CHECK_EQ(total, expected_total); /* and nothing else was written */
  }
  THSetNumThreads(THGetNumCores());
}

/* Rows with long gaps, whose blocks are small and fetched before their turn where a result streams:
 * TH_STREAM_BYTES=0 says that all do. */
static void test_rows_with_gaps(void **state)
{
  static int64_t result[MOST];
  const int64_t sizes[][3] = {{1, 30, 64}, {3, 7, 100}, {2, 5, 1500}, {40, 1, 70}, {1, 300, 65}};
  const int64_t gaps[] = {0, 63, 64, 200};
  for (size_t k = 0; k < sizeof sizes / sizeof *sizes; k++)
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; g++)
      for (int threads = 1; threads <= 3; threads++) {
        const int64_t *size = sizes[k], row = size[2] + gaps[g];
        const Shape r = {3, {size[0], size[1], size[2]}, {size[1] * size[2], size[2], 1}};
        const Shape a = {3, {size[0], size[1], size[2]}, {size[1] * row, row, 1}};
        const ptrdiff_t n = count_of(&r);
        assert_true(offset_of(&a, n - 1) < MOST);
        for (int i = 0; i < MOST; i++) {
          left[i] = i;
          result[i] = -1;
        }
        THSetNumThreads(threads);
        THLoop loop;
        THLoop_init(&loop);
        loop.grain = 100;
        THLoop_operand(&loop, result, sizeof *result, r.dims, r.size, r.stride);
        THLoop_operand(&loop, left, sizeof *left, a.dims, a.size, a.stride);
        THLoop_run(&loop, move, NULL);
        ptrdiff_t wrong = 0;
        for (ptrdiff_t i = 0; i < MOST; i++)
          wrong += result[i] != (i < n ? (int64_t)offset_of(&a, i) : -1);
        CHECK_EQ(wrong, 0);
      }
  THSetNumThreads(THGetNumCores());
}

/* In order: the kernel sees offsets in row-major order. */
static ptrdiff_t seen;

static void note_order(const THRun *run, const void *shape)
{
  for (ptrdiff_t j = 0; j < run->rows; j++)
    for (ptrdiff_t i = 0; i < run->n; i++) {
      const int64_t *at = (const int64_t *)run->at[0] + j * run->rowStride[0] + i * run->stride[0];
      CHECK_EQ((int64_t)(at - left), (int64_t)offset_of(shape, seen++));
    }
}

static void test_in_order(void **state)
{
  const Shape shape = {.dims = 3, .size = {30, 40, 50}, .stride = {1, 30 * 50, 30}};
  THLoop loop;
  THLoop_init(&loop);
  loop.inOrder = 1;
  THLoop_operand(&loop, left, sizeof *left, 3, shape.size, shape.stride);
  seen = 0;
  THLoop_run(&loop, note_order, &shape);
  CHECK_EQ(seen, 60000);
}

static void never(const THRun *run, const void *scalars)
{
  fail_msg("called for no elements");
}

static void test_counts(void **state)
{
  const int64_t six[] = {2, 3}, strides[] = {3, 1}, seven[] = {7}, none[] = {4, 0};
  THLoop loop;
  THLoop_init(&loop);
  THLoop_operand(&loop, left, sizeof *left, 2, six, strides);
  THLoop_operand(&loop, right, sizeof *right, 1, seven, strides + 1);
  CHECK_RAISES(0, "6 in [2 x 3] and 7 in [7]", THLoop_run(&loop, never, NULL));
  THLoop_init(&loop);
  THLoop_operand(&loop, left, sizeof *left, 2, none, strides);
  THLoop_run(&loop, never, NULL);
  THLoop_init(&loop);
  THLoop_operand(&loop, NULL, sizeof *left, 0, NULL, NULL);
  THLoop_run(&loop, never, NULL);
}

static void test_overlap(void **state)
{
  const int64_t size[] = {3, 4}, rows[] = {4, 1}, columns[] = {1, 3}, twelve[] = {12}, one[] = {1};
  static const struct {
    int offset; /* of b; a begins at 10 */
    int across;
    THOverlap expected;
  } cases[] = {{10, 0, TH_OVERLAP_SAME},  {10, 1, TH_OVERLAP_MIXED}, {11, 0, TH_OVERLAP_MIXED},
               {21, 0, TH_OVERLAP_MIXED}, {22, 0, TH_OVERLAP_NONE},  {0, 0, TH_OVERLAP_MIXED},
               {30, 1, TH_OVERLAP_NONE}};
  const int64_t four[] = {4}, apart[] = {3}; /* columns of a matrix of three */
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    THLoop loop;
    THLoop_init(&loop);
    THLoop_operand(&loop, left + 10, sizeof *left, 2, size, rows);
    THLoop_operand(&loop, left + cases[k].offset, sizeof *left, 2, size,
                   cases[k].across ? columns : rows);
    CHECK_EQ((int)THLoop_overlap(&loop, 0, 1), (int)cases[k].expected);
    CHECK_EQ((int)THLoop_overlap(&loop, 1, 0), (int)cases[k].expected);
  }
  THLoop loop;
  THLoop_init(&loop);
  THLoop_operand(&loop, left, sizeof *left, 2, size, rows);
  THLoop_operand(&loop, left, sizeof *left, 1, twelve, one); /* the same bytes in another shape */
  CHECK_EQ((int)THLoop_overlap(&loop, 0, 1), (int)TH_OVERLAP_MIXED);
  THLoop_operand(&loop, left, sizeof(int32_t), 2, size, rows); /* of another type */
  CHECK_EQ((int)THLoop_overlap(&loop, 0, 2), (int)TH_OVERLAP_MIXED);
  THLoop_operand(&loop, left, sizeof *left, 1, four, apart);
  THLoop_operand(&loop, left + 2, sizeof *left, 1, four, apart);
  CHECK_EQ((int)THLoop_overlap(&loop, 3, 4), (int)TH_OVERLAP_NONE);
  CHECK_EQ((int)THLoop_overlap(&loop, 4, 3), (int)TH_OVERLAP_NONE);
}

/* The bytes of two operands, and the offsets of their elements, as far as they are needed. */
typedef struct Bytes {
  unsigned char of[2][2048];
  ptrdiff_t count[2], at[2][300];
} Bytes;

static void list_bytes(Bytes *bytes, int o, const Shape *s, ptrdiff_t offset, ptrdiff_t item)
{
  bytes->count[o] = count_of(s);
  for (ptrdiff_t i = 0; i < bytes->count[o]; i++) {
    bytes->at[o][i] = offset * item + offset_of(s, i) * item;
    memset(bytes->of[o] + bytes->at[o][i], 1, (size_t)item);
  }
}

/* Against a list of all bytes: never wrong about operands that have none in common, or all. */
static void test_overlap_of_any(void **state)
{
  static const ptrdiff_t items[] = {1, 2, 4, 8};
  th_random random = {th_seed()};
  int found[3] = {0}, interleaved = 0;
  for (int trial = 0; trial < 20000; trial++) {
    Shape s[2];
    ptrdiff_t offset[2], item[2];
    static Bytes bytes;
    memset(&bytes, 0, sizeof bytes);
    const ptrdiff_t unit = 1 + th_random_below(&random, 4);
    for (int o = 0; o < 2; o++) {
      const int same = o == 1 && th_random_below(&random, 4) == 0;
      s[o] = (Shape){.dims = 1 + (int)th_random_below(&random, 3)};
      for (int d = 0; d < s[o].dims; d++) {
        s[o].size[d] = 1 + th_random_below(&random, 4);
        s[o].stride[d] = unit * th_random_below(&random, 5);
      }
      item[o] = items[th_random_below(&random, 8) < 6 ? 2 : th_random_below(&random, 4)];
      offset[o] = th_random_below(&random, 12);
      if (same)
        s[1] = s[0], item[1] = item[0], offset[1] = offset[0];
      list_bytes(&bytes, o, &s[o], offset[o], item[o]);
    }
    int common = 0, apart = 1;
    for (size_t k = 0; k < sizeof bytes.of[0]; k++)
      common |= bytes.of[0][k] & bytes.of[1][k];
    for (int o = 0; o < 2; o++)
      apart &= bytes.at[o][bytes.count[o] - 1] + item[o] <= bytes.at[1 - o][0] ||
               bytes.at[1 - o][bytes.count[1 - o] - 1] + item[1 - o] <= bytes.at[o][0];
    const int same = item[0] == item[1] && bytes.count[0] == bytes.count[1] &&
                     !memcmp(bytes.at[0], bytes.at[1], sizeof *bytes.at);
    THLoop loop;
    THView view[2];
    char *const memory = (char *)left;
    THLoop_init(&loop);
    for (int o = 0; o < 2; o++) {
      char *const data = memory + offset[o] * item[o];
      THLoop_operand(&loop, data, (size_t)item[o], s[o].dims, s[o].size, s[o].stride);
      view[o] = (THView){memory,    data,      sizeof bytes.of[0], (size_t)item[o],
                         s[o].dims, s[o].size, s[o].stride};
    }
    th_note("trial %d: sizes %s and %s, strides %s and %s, offsets %td and %td of %td and %td",
            trial, _THSizeDesc(s[0].size, s[0].dims).str, _THSizeDesc(s[1].size, s[1].dims).str,
            _THSizeDesc(s[0].stride, s[0].dims).str, _THSizeDesc(s[1].stride, s[1].dims).str,
            offset[0], offset[1], item[0], item[1]);
    const THOverlap overlap = THLoop_overlap(&loop, 0, 1);
    CHECK_EQ((int)THLoop_overlap(&loop, 1, 0), (int)overlap);
    CHECK(overlap != TH_OVERLAP_NONE || !common);
    CHECK(overlap != TH_OVERLAP_SAME || same);
    CHECK_EQ(THView_touch(view[0], view[1]) != 0, common != 0);
    found[overlap]++;
    interleaved += overlap == TH_OVERLAP_NONE && !apart;
  }
  for (int k = 0; k < 3; k++)
    assert_in_range(found[k], 1000, 19000);
  assert_in_range(interleaved, 500, 19000);
}

/* Against a list of all offsets. */
static void test_overlaps_itself(void **state)
{
  th_random random = {th_seed()};
  int found = 0;
  for (int trial = 0; trial < 2000; trial++) {
    Shape s = {.dims = 1 + (int)th_random_below(&random, 4)};
    for (int d = 0; d < s.dims; d++) {
      s.size[d] = 1 + th_random_below(&random, 4);
      s.stride[d] = th_random_below(&random, 9);
    }
    const ptrdiff_t n = count_of(&s);
    char taken[300] = {0};
    int expected = 0;
    for (ptrdiff_t i = 0; i < n; i++)
      expected |= taken[offset_of(&s, i)]++;
    THLoop loop;
    THLoop_init(&loop);
    THLoop_operand(&loop, left, sizeof *left, s.dims, s.size, s.stride);
    th_note("trial %d: sizes %s, strides %s", trial, _THSizeDesc(s.size, s.dims).str,
            _THSizeDesc(s.stride, s.dims).str);
    CHECK_EQ(THLoop_overlapsItself(&loop, 0) != 0, expected != 0);
    found += expected != 0;
  }
  assert_in_range(found, 100, 1900);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_element),  cmocka_unit_test(test_rows_with_gaps),
      cmocka_unit_test(test_in_order),       cmocka_unit_test(test_counts),
      cmocka_unit_test(test_overlap),        cmocka_unit_test(test_overlap_of_any),
      cmocka_unit_test(test_overlaps_itself)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

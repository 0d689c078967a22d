/* Embeddings: the gradient of a table's rows, and the limit of their norms. */
#include "THNN.h"
#include "THTemplate.h"

#include "../../TH/index/index_tensors.h"
#include "th_faults.h"
#include "th_golden.h"

typedef struct Operands {
  THIndexTensor *index;         /* 3 x 5, of 6 rows */
  THTensor *gradOutput, *table; /* 3 x 5 x 4; 6 x 4, not contiguous */
} Operands;

static void set_up(Operands *o)
{
  th_random random = {th_seed()};
  o->index = new_indices(TH_TRANSPOSED, &random, TH_INDEX_BASE, 6, TH_SHAPE(3, 5));
  o->gradOutput = THTest_(tensor)(TH_PERMUTED, 1, TH_SHAPE(3, 5, 4));
  o->table = THTest_(tensor)(TH_STRIDED, 2, TH_SHAPE(6, 4));
  WATCH(o->index);
  WATCH(o->gradOutput);
  WATCH(o->table);
}

static void tear_down(Operands *o)
{
  THIndexTensor_(free)(o->index);
  THTensor_(free)(o->gradOutput);
  THTensor_(free)(o->table);
}

FAULT(accGradParameters,
      THNN_(LookupTable_accGradParameters)(NULL, o->index, o->gradOutput, o->table, NULL, NULL,
                                           NULL, true, -1, 0.5))
FAULT(renorm, THNN_(LookupTable_renorm)(NULL, o->index, o->table, 1, 2))

/* --- against loops --------------------------------------------------------------------------- */

static void THTest_(LookupTable)(void)
{
  static const int layouts[] = {TH_CONTIGUOUS, TH_TRANSPOSED, TH_STRIDED, TH_NARROWED};
  th_random random = {th_seed()};
  for (int round = 0; round < 48; round++) {
    const int64_t rows = 1 + th_random_below(&random, 9), a = 1 + th_random_below(&random, 7);
    const int64_t b = 1 + th_random_below(&random, 6);
    const int64_t columns = round % 6 ? 1 + th_random_below(&random, 9) : 257;
    const int layout = layouts[round % 4], freq = round % 3 == 0;
    const int64_t padding = round % 5 == 0 ? th_random_below(&random, rows) + TH_INDEX_BASE : -7;
    th_note("%lld x %lld of %lld x %lld, %s, seed %llu", (long long)a, (long long)b,
            (long long)rows, (long long)columns, th_layout_names[layout],
            (unsigned long long)th_seed());
    THIndexTensor *index = new_indices(layout, &random, TH_INDEX_BASE, rows, TH_SHAPE(a, b));
    THTensor *g = THTest_(tensor)(layout, 2, TH_SHAPE(a, b, columns));
    THTensor *table = THTest_(tensor)(layouts[round / 4 % 4], 3, TH_SHAPE(rows, columns));
    real *before = THTest_(values)(table), *around = THTest_(storageValues)(table);
    THNN_(LookupTable_accGradParameters)(NULL, index, g, table, NULL, NULL, NULL, freq,
                                         (int)padding, 0.75);
    for (int64_t r = 0; r < rows; r++) {
      int times = 0;
      for (ptrdiff_t i = 0; i < a * b; i++)
        times += *index_at(index, i) == r + TH_INDEX_BASE;
      for (int64_t c = 0; c < columns; c++) {
        double sum = (double)before[r * columns + c], size = fabs(sum);
        for (ptrdiff_t i = 0; i < a * b; i++)
          if (*index_at(index, i) == r + TH_INDEX_BASE && *index_at(index, i) != padding) {
            const double term = (double)*THTest_(at)(g, i * columns + c) * 0.75;
            sum += freq ? term / times : term;
            size += fabs(term);
          }
        CHECK_NEAR(*THTest_(at)(table, r * columns + c), sum,
                   size * (a * b + 3) * (sizeof(real) == 4 ? 0x1p-23 : 0x1p-52));
      }
    }
    CHECK_OUTSIDE(table, around);
    free(before);
    free(around);
    THIndexTensor_(free)(index);
    THTensor_(free)(g);
    THTensor_(free)(table);
  }
}

static void THTest_(LookupTable_renorm)(void)
{
  THGoldenFile *file = th_golden_open("normalization.txt");
  for (int number = 0; number < 5; number++)
    for (int layout = 0; layout < TH_WITH_ONES; layout++) {
      const THGolden *of[4];
      static const char *const fields[] = {"args", "weight", "index", "result"};
      for (int k = 0; k < 4; k++) {
        char name[64];
        snprintf(name, sizeof name, "LookupTable_renorm/%d/%s", number, fields[k]);
        of[k] = th_golden_find(file, name);
        CHECK_MSG(of[k], "%s is missing", name);
      }
      th_note("case %d, %s", number, th_layout_names[layout]);
      THIndexTensor *index = th_golden_newLong(of[2]);
      for (ptrdiff_t i = 0; i < of[2]->count; i++)
        index->storage->data[i] += TH_INDEX_BASE;
      WATCH(index);
      THTensor *w = THTest_(tensor)(layout, 1, of[1]->nDimension, of[1]->size);
      for (ptrdiff_t i = 0; i < of[1]->count; i++)
        *THTest_(at)(w, i) = (real)of[1]->values[i].number;
      real *around = THTest_(storageValues)(w);
      THNN_(LookupTable_renorm)(NULL, index, w, of[0]->values[0].number, of[0]->values[1].number);
      for (ptrdiff_t i = 0; i < of[3]->count; i++)
        CHECK_NEAR(*THTest_(at)(w, i), of[3]->values[i].number, sizeof(real) == 4 ? 2e-6 : 1e-13);
      CHECK_OUTSIDE(w, around);
      th_watch_check(1);
      th_watch_forget();
      free(around);
      THIndexTensor_(free)(index);
      THTensor_(free)(w);
    }
  th_golden_close(file);
}

/* --- threads, errors ------------------------------------------------------------------------- */

/* Sums and norms have the same bits for any number of threads. */
static void THTest_(lookupThreads)(void)
{
  const int threads = THGetNumThreads();
  th_random random = {th_seed()};
  for (int wide = 0; wide < 2; wide++) {
    const int64_t columns = wide ? 300 : 40, rows = wide ? 50 : 2000;
    THIndexTensor *index = new_indices(0, &random, TH_INDEX_BASE, rows, TH_SHAPE(5000));
    THTensor *g = THTest_(tensor)(0, 2, TH_SHAPE(5000, columns));
    real *want = NULL;
    for (int n = 1; n <= 4; n++) {
      THSetNumThreads(n);
      THTensor *table = THTest_(tensor)(0, 3, TH_SHAPE(rows, columns));
      THNN_(LookupTable_accGradParameters)(NULL, index, g, table, NULL, NULL, NULL, wide, -1, 0.3);
      THNN_(LookupTable_renorm)(NULL, index, table, 7, 2);
      if (want)
        CHECK(!memcmp(want, THTensor_(data)(table), (size_t)(rows * columns) * sizeof(real)));
      else
        want = THTest_(values)(table);
      THTensor_(free)(table);
    }
    free(want);
    THIndexTensor_(free)(index);
    THTensor_(free)(g);
  }
  THSetNumThreads(threads);
}

static void THTest_(lookupErrors)(void)
{
  Operands operands, *o = &operands;
  set_up(o);
  THTensor *few = THTest_(tensor)(0, 1, TH_SHAPE(14, 4)), *none = THTensor_(new)();
  THTensor *flat = THTest_(tensor)(TH_EXPANDED, 1, TH_SHAPE(6, 4));
#define GRADIENT(G, TABLE) \
  THNN_(LookupTable_accGradParameters)(NULL, o->index, G, TABLE, NULL, NULL, NULL, true, 0, 1)
  CHECK_RAISES(3, "[14 x 4]", GRADIENT(few, o->table));
  CHECK_RAISES(4, "rows x columns", GRADIENT(o->gradOutput, none));
  CHECK_RAISES(0, "share memory", GRADIENT(o->gradOutput, flat));
  CHECK_RAISES(3, "rows x columns", THNN_(LookupTable_renorm)(NULL, o->index, none, 1, 2));
  CHECK_RAISES(5, "normType is 0", THNN_(LookupTable_renorm)(NULL, o->index, o->table, 1, 0));
  CHECK_RAISES(0, "share memory", THNN_(LookupTable_renorm)(NULL, o->index, flat, 1, 2));
  th_watch_check(1);
  th_watch_forget();
  WATCH(o->table);
  for (int bad = 0; bad < 2; bad++) {
    *index_at(o->index, 7) = bad ? 6 + TH_INDEX_BASE : TH_INDEX_BASE - 1;
    CHECK_RAISES(2, "out of range", GRADIENT(o->gradOutput, o->table));
    CHECK_RAISES(2, "[6 x 4]", THNN_(LookupTable_renorm)(NULL, o->index, o->table, 1, 2));
  }
#undef GRADIENT
  th_watch_check(1);
  th_watch_forget();
  THTensor_(free)(few);
  THTensor_(free)(none);
  THTensor_(free)(flat);
  tear_down(o);
}

/* --- failing allocations --------------------------------------------------------------------- */

TH_FAULT_TABLE

static void THTest_(lookupFaults)(void)
{
  th_faults_run(&th_faults);
}

TH_TESTS(THTest_(LookupTable), THTest_(LookupTable_renorm), THTest_(lookupThreads),
         THTest_(lookupErrors), THTest_(lookupFaults))

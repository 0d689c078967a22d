/* Golden values: tensors that another program computed, read from the text files in tests/golden.
 *
 *     THGoldenFile *file = th_golden_open("random.txt");
 *     const THGolden *want = th_golden(file, "Float/uniform/%d", 7);
 *     THFloatTensor *t = th_golden_newFloat(want);          a tensor of those values and that shape
 *     th_golden_close(file);
 *
 * A file holds any number of entries; an entry is a line NAME TYPE DIMENSIONS SIZE..., then its
 * values in row-major order, on as many lines as they like.  Floating values are hexadecimal and
 * so exact; what follows a # is a comment.  tests/oracle/golden.py writes such files.  The readers
 * fail the running test when a file, an entry or a value is not as it should be. */
#ifndef TH_GOLDEN_H
#define TH_GOLDEN_H

#include "th_test.h"

typedef struct THGolden {
  char name[64];
  THScalarType type;
  int nDimension;
  int64_t size[8];
  ptrdiff_t count;
  union {
    double number;   /* of a floating type */
    int64_t integer; /* of an integer type */
  } *values;
} THGolden;

typedef struct THGoldenFile {
  char name[256];
  ptrdiff_t count;
  THGolden *entries;
  ptrdiff_t *slots; /* a hash table of indices into entries, -1 where there is none */
  size_t slotCount; /* a power of 2 */
} THGoldenFile;

/* The text of a file of tests/golden that is not one of these; free releases it. */
char *th_golden_text(const char *name);

THGoldenFile *th_golden_open(const char *name);
void th_golden_close(THGoldenFile *file);

/* The entry of that name, or NULL. */
const THGolden *th_golden_find(const THGoldenFile *file, const char *name);

/* The entry of that name, made as by printf.  It lives as long as the file. */
const THGolden *th_golden(const THGoldenFile *file, const char *format, ...) TH_PRINTF_LIKE(2, 3);

/* Value i, of any type, as a double. */
double th_golden_number(const THGolden *golden, ptrdiff_t i);

/* New contiguous tensors; the entry has to be of that type. */
#define TH_GOLDEN_NEW(Real, real, accreal) \
  TH##Real##Tensor *th_golden_new##Real(const THGolden *golden);
TH_FOR_EACH_TYPE_BUT_HALF(TH_GOLDEN_NEW)
#undef TH_GOLDEN_NEW

#endif

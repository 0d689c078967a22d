/* Kernels that join the rows of several sources. */
#include "THC/core/thc_cuda.h"

#include "thc_join.h"

/* Sizes and distances are in units: elements, or 16 bytes where everything is a multiple of that. */
typedef struct Source {
  const char *from;
  ptrdiff_t rowStride, step, length, offset; /* offset: in a row of the result */
  THCDivisor divisor;                        /* of length, if indices are narrow */
} Source;

typedef struct Join {
  char *to;
  ptrdiff_t rows, width; /* of the result */
  int count, narrow;
  Source source[THC_JOIN_PARTS];
} Join;

typedef struct alignas(16) Unit16 {
  uint64_t half[2];
} Unit16;

/* blockIdx.y is the number of the source. */
template <class Unit>
__global__ static void join_rows(Join join)
{
  const Source &s = join.source[blockIdx.y];
  THC_GRID_LOOP(i, join.rows * s.length)
  {
    const ptrdiff_t row =
        join.narrow ? (ptrdiff_t)THCDivisor_divide(&s.divisor, (uint32_t)i) : i / s.length;
    const ptrdiff_t k = i - row * s.length;
    ((Unit *)join.to)[row * join.width + s.offset + k] =
        ((const Unit *)s.from)[row * s.rowStride + k * s.step];
  }
}

/* 16 if all parts are contiguous along rows and multiples of that, or else itemSize. */
static size_t unit_of(const char *to, const THJoinPart *parts, int count, size_t itemSize)
{
  int whole = (uintptr_t)to % 16 == 0;
  for (int i = 0; i < count && whole; i++)
    whole = (uintptr_t)parts[i].from % 16 == 0 && parts[i].rowStride % 16 == 0 &&
            parts[i].bytes % 16 == 0 && parts[i].step == (ptrdiff_t)itemSize;
  return whole ? 16 : itemSize;
}

static void launch(Join *join, size_t unit, ptrdiff_t longest, cudaStream_t stream)
{
  const ptrdiff_t most = 65535; /* of the grid; the rest is the loop's */
  const ptrdiff_t blocks = (join->rows * longest + THC_BLOCK - 1) / THC_BLOCK;
  const dim3 grid((unsigned)(blocks < most ? blocks : most), (unsigned)join->count);
  if (unit == 1)
    THC_LAUNCH(join_rows<uint8_t>, grid, THC_BLOCK, 0, stream, *join);
  else if (unit == 2)
    THC_LAUNCH(join_rows<uint16_t>, grid, THC_BLOCK, 0, stream, *join);
  else if (unit == 4)
    THC_LAUNCH(join_rows<uint32_t>, grid, THC_BLOCK, 0, stream, *join);
  else if (unit == 8)
    THC_LAUNCH(join_rows<uint64_t>, grid, THC_BLOCK, 0, stream, *join);
  else
    THC_LAUNCH(join_rows<Unit16>, grid, THC_BLOCK, 0, stream, *join);
  join->count = 0;
}

extern "C" void THCJoin_rows(char *to, const THJoinPart *parts, int count, ptrdiff_t rows,
                             size_t itemSize, cudaStream_t stream)
{
  const size_t unit = unit_of(to, parts, count, itemSize);
  Join join = {};
  ptrdiff_t longest = 0, offset = 0;
  join.to = to;
  join.rows = rows;
  for (int i = 0; i < count; i++)
    join.width += (ptrdiff_t)(parts[i].bytes / unit);
  join.narrow = rows * join.width <= INT32_MAX;
  for (int i = 0; i < count; i++) {
    const ptrdiff_t length = (ptrdiff_t)(parts[i].bytes / unit);
    if (length == 0 || rows == 0)
      continue;
    Source *s = &join.source[join.count++];
    s->from = parts[i].from;
    s->rowStride = parts[i].rowStride / (ptrdiff_t)unit;
    s->step = unit == itemSize ? parts[i].step / (ptrdiff_t)unit : 1;
    s->length = length;
    s->offset = offset;
    if (join.narrow)
      s->divisor = THCDivisor_of((uint32_t)length);
    offset += length;
    longest = length > longest ? length : longest;
    if (join.count == THC_JOIN_PARTS) {
      launch(&join, unit, longest, stream);
      longest = 0;
    }
  }
  if (join.count > 0)
    launch(&join, unit, longest, stream);
}

/* The loops over planes of the type real, which roi.c includes for float and double. */

/* The pixel of the largest element in a cell; -1 where the cell has none. */
static int64_t TH_CONCAT_2(largest_, real)(const real *plane, int64_t width, at_cell c)
{
  int64_t best = -1;
  for (int64_t y = c.top; y < c.bottom; y++)
    for (int64_t x = c.left; x < c.right; x++)
      if (best < 0 || plane[y * width + x] > plane[best])
        best = y * width + x;
  return best;
}

/* Channel c of region k. */
static void TH_CONCAT_2(pool_, real)(const Job *job, int64_t k, int64_t c)
{
  const real *plane = (const real *)job->input + first_pixel(job, k, c);
  const int64_t first = first_cell(job, k, c);
  for (int64_t i = 0; i < cells(job); i++) {
    const int64_t best = TH_CONCAT_2(largest_, real)(plane, job->width, cell_of(job, k, i));
    ((real *)job->output)[first + i] = best < 0 ? 0 : plane[best];
    job->argmax[first + i] = (int)best;
  }
}

/* Channel c of all regions, one after the other: they may overlap. */
static void TH_CONCAT_2(backward_, real)(const Job *job, int64_t c)
{
  for (int64_t k = 0; k < job->count; k++) {
    real *plane = (real *)job->output + first_pixel(job, k, c);
    const int64_t first = first_cell(job, k, c);
    for (int64_t i = first; i < first + cells(job); i++)
      if (job->argmax[i] >= 0)
        plane[job->argmax[i]] += ((const real *)job->input)[i];
  }
}

#undef real

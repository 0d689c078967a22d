/* [THNN_GRID_SAMPLE] computes y for blocks begin ... end of all images, [THNN_GRID_POINTS]
 * gradGrid, and [THNN_GRID_INPUT] gradInput for planes begin ... end.  With transposed planes,
 * [THNN_GRID_GROUPS] computes y for shares begin ... end, and [THNN_GRID_GROUPS_BACKWARD] gradInput
 * and parts. */
typedef void (*THNN_(GridKernel))(void *sampler, ptrdiff_t begin, ptrdiff_t end);

extern const THNN_(GridKernel) *const THNN_(gridSampler)[];

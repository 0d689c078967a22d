/* Connectionist temporal classification: a block for each sample, whose threads take the states of a step, or the
 * classes.  Sums are in double, as on the CPU (sequence/ctc.c). */
#include "ATen/cuda/at_kernel.h"

/* --- samples ----------------------------------------------------------------------------------- */

THC_DEVICE int64_t states_of(const at_ctc_work &w, int64_t b)
{
  return 2 * w.lengths[b] + 1;
}

/* Blanks are at even states. */
THC_DEVICE int64_t label_of(const at_ctc_work &w, int64_t b, int64_t state)
{
  if (state % 2 == 0)
    return w.blank;
  const int64_t label = w.labels[w.starts[b] + state / 2];
  return label >= 0 && label < w.classes ? label : w.blank;
}

/* Whether a step may lead from state - 2 to state. */
THC_DEVICE bool skips(const at_ctc_work &w, int64_t b, int64_t state)
{
  return state % 2 == 1 && state >= 2 && label_of(w, b, state) != label_of(w, b, state - 2);
}

THC_DEVICE const real *probs_at(const at_ctc_work &w, int64_t b, int64_t t)
{
  return (const real *)w.probs + (t * w.batch + b) * w.classes;
}

THC_DEVICE double log_sum(double a, double b, double c)
{
  const double most = fmax(a, fmax(b, c));
  return most == -(double)INFINITY ? most
                                   : most + log(exp(a - most) + exp(b - most) + exp(c - most));
}

#define EACH(i, count) for (int64_t i = threadIdx.x; i < (count); i += THC_BLOCK)

__global__ static void write_lengths(at_ctc_lengths_work w)
{
  const int i = (int)threadIdx.x;
  if (i >= w.count)
    return;
  w.inputs[i] = w.input[i];
  w.lengths[i] = w.length[i];
  w.starts[i] = w.start[i];
}

THC_DEVICE int64_t nearest(int64_t length, int64_t most)
{
  return length < 0 ? 0 : length > most ? most : length;
}

__global__ static void take_lengths(at_ctc_given_work w)
{
  THC_GRID_LOOP(b, w.batch)
  {
    w.inputs[b] = nearest(w.input[b], w.steps);
    w.lengths[b] = nearest(w.length[b], w.longest);
    w.starts[b] = b * w.width;
  }
}

__global__ static void check_lengths(at_ctc_given_work w)
{
  THC_GRID_LOOP(b, w.batch)
  {
    if (w.input[b] != nearest(w.input[b], w.steps))
      at_report(w.report, 3, 0, w.steps, b, w.input[b]);
    if (w.length[b] != nearest(w.length[b], w.longest))
      at_report(w.report, 4, 0, w.longest, b, w.length[b]);
  }
}

__global__ static void check_labels(at_ctc_work w)
{
  for (int64_t b = blockIdx.x; b < w.batch; b += gridDim.x)
    EACH(i, w.lengths[b])
    {
      const int64_t label = w.labels[w.starts[b] + i];
      if (label < 0 || label >= w.classes)
        at_report(w.report, 2, 0, w.classes - 1, b * w.states + i, label);
    }
}

/* --- forward ----------------------------------------------------------------------------------- */

/* The variables of the first step; then those of step t from the ones before. */
static __device__ void start_forward(const at_ctc_work &w, int64_t b, double *row, real *alpha)
{
  EACH(s, states_of(w, b))
  {
    row[s] = s < 2 ? (double)probs_at(w, b, 0)[label_of(w, b, s)] : -(double)INFINITY;
    alpha[s] = (real)row[s];
  }
}

static __device__ void step_forward(const at_ctc_work &w, int64_t b, int64_t t,
                                    const double *before, double *row, real *alpha)
{
  const double never = -(double)INFINITY;
  const real *p = probs_at(w, b, t);
  EACH(s, states_of(w, b))
  {
    row[s] = p[label_of(w, b, s)] + log_sum(before[s], s > 0 ? before[s - 1] : never,
                                            skips(w, b, s) ? before[s - 2] : never);
    alpha[s] = (real)row[s];
  }
}

static __device__ void forward(const at_ctc_work &w, int64_t b)
{
  const double never = -(double)INFINITY;
  const int64_t used = states_of(w, b), steps = w.inputs[b];
  double *const rows = w.rows + 2 * b * w.states;
  real *const alpha = (real *)w.alpha + b * w.steps * w.states;
  EACH(i, w.steps * w.states)
  alpha[i] = (real)never;
  for (int64_t t = 0; t < steps; t++) {
    double *const row = rows + t % 2 * w.states;
    __syncthreads(); /* the step before is complete */
    if (t == 0)
      start_forward(w, b, row, alpha);
    else
      step_forward(w, b, t, rows + (t - 1) % 2 * w.states, row, alpha + t * w.states);
  }
  __syncthreads();
  if (threadIdx.x > 0)
    return;
  const double *const last = rows + (steps + 1) % 2 * w.states;
  double loss = used == 1 ? 0 : (double)INFINITY;
  if (steps > 0)
    loss = -log_sum(last[used - 1], used > 1 ? last[used - 2] : never, never);
  ((real *)w.loss)[b] = (real)loss;
}

__global__ static void forward_samples(at_ctc_work w)
{
  for (int64_t b = blockIdx.x; b < w.batch; b += gridDim.x) {
    forward(w, b);
    __syncthreads();
  }
}

/* --- backward ---------------------------------------------------------------------------------- */

/* Chains the labels' states: chain[s] is the next state of the same label, or -1, and chain[s - 1] whether s is the
 * first of its label. */
static __device__ void chain_labels(const at_ctc_work &w, int64_t b, int64_t *chain)
{
  const int64_t count = w.lengths[b];
  EACH(i, count)
  {
    const int64_t s = 2 * i + 1, label = label_of(w, b, s);
    int64_t next = s + 2, before = 1;
    while (next < 2 * count + 1 && label_of(w, b, next) != label)
      next += 2;
    while (before < s && label_of(w, b, before) != label)
      before += 2;
    chain[s] = next < 2 * count + 1 ? next : -1;
    chain[s - 1] = before == s && label != w.blank;
  }
}

/* The backward variables of step t, which is the last if next is NULL. */
static __device__ void step_back(const at_ctc_work &w, int64_t b, int64_t t, const double *next,
                                 double *beta)
{
  const double never = -(double)INFINITY;
  const real *p = probs_at(w, b, t);
  const int64_t used = states_of(w, b);
  EACH(s, used)
  {
    const double paths = !next ? (s + 2 >= used ? 0 : never)
                               : log_sum(next[s], s + 1 < used ? next[s + 1] : never,
                                         s + 2 < used && skips(w, b, s + 2) ? next[s + 2] : never);
    beta[s] = paths + p[label_of(w, b, s)];
  }
}

/* What state s of a step has of its class's probability. */
THC_DEVICE double share_of(const real *alpha, const double *beta, double loss, double p, int64_t s)
{
  const double both = (double)alpha[s] + beta[s];
  return both == -(double)INFINITY ? 0 : exp(both + loss - p);
}

/* The gradient at step t: the classes' probabilities, less those of them that the target leaves. */
static __device__ void gradient_at(const at_ctc_work &w, int64_t b, int64_t t, const double *beta,
                                   const int64_t *chain, real *shared)
{
  const real *p = probs_at(w, b, t);
  const real *alpha = (const real *)w.alpha + (b * w.steps + t) * w.states;
  const double loss = ((const real *)w.loss)[b], grad = ((const real *)w.grad)[b];
  const int64_t used = states_of(w, b);
  real *g = (real *)w.gradient + (t * w.batch + b) * w.classes;
  const bool lost = loss == (double)INFINITY || loss == -(double)INFINITY;
  EACH(i, w.classes)
  g[i] = (real)(lost ? (double)NAN : exp((double)p[i]) * grad);
  double blanks = 0;
  EACH(s, used)
  if (!lost && label_of(w, b, s) == w.blank)
    blanks += share_of(alpha, beta, loss, p[w.blank], s);
  blanks = at_line_reduce<THC_BLOCK, false>((real)blanks, shared); /* with barriers */
  if (lost)
    return;
  if (threadIdx.x == 0)
    g[w.blank] = (real)((exp((double)p[w.blank]) - blanks) * grad);
  EACH(s, used)
  {
    if (s % 2 == 0 || !chain[s - 1])
      continue;
    const int64_t label = label_of(w, b, s);
    double sum = 0;
    for (int64_t each = s; each >= 0; each = chain[each])
      sum += share_of(alpha, beta, loss, p[label], each);
    g[label] = (real)((exp((double)p[label]) - sum) * grad);
  }
}

static __device__ void backward(const at_ctc_work &w, int64_t b, real *shared)
{
  const double loss = ((const real *)w.loss)[b];
  const bool isZero = w.zerosInfinity && (loss == (double)INFINITY || loss == -(double)INFINITY);
  const int64_t steps = isZero ? 0 : w.inputs[b];
  double *const rows = w.rows + 2 * b * w.states;
  int64_t *const chain = w.chain + b * w.states;
  chain_labels(w, b, chain);
  for (int64_t t = w.steps - 1; t >= steps; t--)
    EACH(i, w.classes)
  ((real *)w.gradient)[(t * w.batch + b) * w.classes + i] = 0;
  for (int64_t t = steps - 1; t >= 0; t--) {
    double *const beta = rows + t % 2 * w.states;
    step_back(w, b, t, t + 1 < steps ? rows + (t + 1) % 2 * w.states : NULL, beta);
    __syncthreads(); /* the variables are complete, and the chain */
    gradient_at(w, b, t, beta, chain, shared);
    __syncthreads(); /* before the variables of the step after t are overwritten */
  }
}

__global__ static void backward_samples(at_ctc_work w)
{
  __shared__ real shared[AT_WARPS];
  for (int64_t b = blockIdx.x; b < w.batch; b += gridDim.x) {
    backward(w, b, shared);
    __syncthreads();
  }
}

/* --- launchers --------------------------------------------------------------------------------- */

static unsigned blocks_of(const at_ctc_work *w)
{
  return (unsigned)(w->batch < 65535 ? w->batch : 65535);
}

AT_LAUNCHER(ctcLengths, at_ctc_lengths_work)
{
  THC_LAUNCH(write_lengths, 1, AT_CTC_SAMPLES, 0, stream, *work);
}

AT_LAUNCHER(ctcGivenCheck, at_ctc_given_work)
{
  THC_LAUNCH(check_lengths, THC_blocks(work->batch), THC_BLOCK, 0, stream, *work);
}

AT_LAUNCHER(ctcGiven, at_ctc_given_work)
{
  THC_LAUNCH(take_lengths, THC_blocks(work->batch), THC_BLOCK, 0, stream, *work);
}

AT_LAUNCHER(ctcCheck, at_ctc_work)
{
  THC_LAUNCH(check_labels, blocks_of(work), THC_BLOCK, 0, stream, *work);
}

AT_LAUNCHER(ctc, at_ctc_work)
{
  THC_LAUNCH(forward_samples, blocks_of(work), THC_BLOCK, 0, stream, *work);
}

AT_LAUNCHER(ctcBackward, at_ctc_work)
{
  THC_LAUNCH(backward_samples, blocks_of(work), THC_BLOCK, 0, stream, *work);
}

/* The line search of L-BFGS: a bracket is found, and then narrowed by cubic interpolation. */
#include <math.h>
#include <string.h>

#include "Lbfgs.h"
#include "TH.h"

static const double DECREASE = 1e-4, CURVATURE = 0.9, SMALLEST = 1e-9;
enum { MOST_STEPS = 25 };

/* Where the cubic through two points with their slopes is smallest, within the bounds. */
static double cubic(const at_point *a, const at_point *b, double low, double high)
{
  const double sum = a->slope + b->slope - 3 * (a->loss - b->loss) / (a->t - b->t);
  const double square = sum * sum - a->slope * b->slope;
  if (!(square >= 0))
    return (low + high) / 2;
  const double root = sqrt(square);
  const at_point *const left = a->t <= b->t ? a : b, *const right = a->t <= b->t ? b : a;
  const double at = right->t - (right->t - left->t) * ((right->slope + root - sum) /
                                                       (right->slope - left->slope + 2 * root));
  return fmin(fmax(at, low), high);
}

typedef struct Search {
  at_objective *f;
  const double *x, *d;
  at_point from;
  double widest; /* the largest element of d */
  at_point bracket[2];
  int count, steps;
  double *spare; /* a vector that no point has */
} Search;

/* The point at t; its gradient takes the spare vector. */
static at_point evaluate(Search *s, double t)
{
  at_point p = {.t = t, .gradient = s->spare};
  p.loss = at_objective_at(s->f, s->x, t, s->d, p.gradient);
  p.slope = THDoubleBlas_dot(s->f->size, p.gradient, 1, (double *)s->d, 1);
  s->spare = NULL;
  return p;
}

static bool is_high(const Search *s, const at_point *p)
{
  return p->loss > s->from.loss + DECREASE * p->t * s->from.slope;
}

static bool is_flat(const Search *s, const at_point *p)
{
  return fabs(p->slope) <= -CURVATURE * s->from.slope;
}

/* Goes along d until a bracket is found, which has one point if that is the result. */
static void find_bracket(Search *s, double t, double *buffer)
{
  at_point before = s->from, now;
  double *const vectors[] = {buffer, buffer + s->f->size};
  int used = 0;
  s->spare = vectors[used];
  now = evaluate(s, t);
  for (s->steps = 0; s->steps < MOST_STEPS; s->steps++) {
    const bool isBracket =
        is_high(s, &now) || (s->steps > 1 && now.loss >= before.loss) || now.slope >= 0;
    const bool isResult =
        !is_high(s, &now) && !(s->steps > 1 && now.loss >= before.loss) && is_flat(s, &now);
    if (isResult || isBracket) {
      s->count = isResult ? 1 : 2;
      s->bracket[0] = isResult ? now : before;
      s->bracket[1] = now;
      return;
    }
    const double next = cubic(&before, &now, now.t + 0.01 * (now.t - before.t), 10 * now.t);
    before = now;
    used = !used;
    s->spare = vectors[used];
    now = evaluate(s, next);
  }
  s->count = 2;
  s->bracket[0] = s->from;
  s->bracket[1] = now;
}

/* Keeps t away from the ends of the bracket, if two steps in a row would be close to them. */
static double away_from_ends(double t, double low, double high, bool *isStuck)
{
  const double margin = 0.1 * (high - low);
  if (fmin(high - t, t - low) >= margin) {
    *isStuck = false;
    return t;
  }
  const bool moves = *isStuck || t >= high || t <= low;
  *isStuck = !moves;
  return !moves ? t : fabs(t - high) < fabs(t - low) ? high - margin : low + margin;
}

/* Puts a point into the bracket; which of the two is lower is returned. */
static int take_in(Search *s, at_point p, int low, bool *isDone)
{
  at_point *const b = s->bracket;
  double *const unused[] = {b[0].gradient, b[1].gradient};
  if (is_high(s, &p) || p.loss >= b[low].loss) {
    b[!low] = p;
    s->spare = unused[!low];
    return b[0].loss <= b[1].loss ? 0 : 1;
  }
  s->spare = unused[low];
  *isDone = is_flat(s, &p);
  if (!*isDone && p.slope * (b[!low].t - b[low].t) >= 0) {
    s->spare = unused[!low];
    b[!low] = b[low];
  }
  b[low] = p;
  return low;
}

at_point at_strongWolfe(at_objective *f, const double *x, const double *d, double t, at_point from,
                        double *buffer)
{
  Search s = {.f = f, .x = x, .d = d, .from = from};
  for (ptrdiff_t i = 0; i < f->size; i++)
    s.widest = fmax(s.widest, fabs(d[i]));
  /* the gradient at the beginning may become one of the bracket, whose vectors are overwritten */
  s.from.gradient = memcpy(buffer, from.gradient, (size_t)f->size * sizeof *buffer);
  find_bracket(&s, t, buffer + f->size);
  if (s.count == 1)
    return s.bracket[0];
  s.spare = buffer + 3 * f->size;
  int low = s.bracket[0].loss <= s.bracket[1].loss ? 0 : 1;
  bool isStuck = false, isDone = false;
  for (; !isDone && s.steps < MOST_STEPS; s.steps++) {
    const at_point *const b = s.bracket;
    const double left = fmin(b[0].t, b[1].t), right = fmax(b[0].t, b[1].t);
    if ((right - left) * s.widest < SMALLEST)
      break;
    const double next = cubic(&b[0], &b[1], left, right);
    low = take_in(&s, evaluate(&s, away_from_ends(next, left, right, &isStuck)), low, &isDone);
  }
  return s.bracket[low];
}

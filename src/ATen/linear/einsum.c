/* Einstein's sums: the subscripts of each operand are brought to a common order of labels, and the
 * operands are multiplied one after the other. */
#include "ATen/core/ATenOperations.h"
#include "contract.h"

/* Labels: A to Z, a to z, then the dimensions of "...". */
enum { LETTERS = 52, LABELS = LETTERS + AT_MOST_DIMS, DOTS = -1 };

/* The subscripts of an operand or of the result. */
typedef struct {
  int count, label[AT_MOST_DIMS]; /* DOTS once at most */
  bool hasDots;
} Subscripts;

typedef struct {
  Subscripts result;
  int dots;            /* the dimensions of "..." */
  int axis[LABELS];    /* of a label in the common order, or -1 */
  int kept, axes;      /* the labels of the result come first */
  int lastUse[LABELS]; /* the last operand that has it */
} Plan;

static int label_of(char letter)
{
  if (letter >= 'A' && letter <= 'Z')
    return letter - 'A';
  return letter >= 'a' && letter <= 'z' ? 26 + letter - 'a' : -1;
}

/* Reads subscripts up to a comma, "->" or the end; returns what follows them. */
static const char *read_subscripts(const char *text, Subscripts *s)
{
  *s = (Subscripts){0};
  for (; *text && *text != ',' && *text != '-'; text++) {
    if (*text == ' ')
      continue;
    const bool dots = text[0] == '.' && text[1] == '.' && text[2] == '.';
    const int label = dots ? DOTS : label_of(*text);
    if ((!dots && label < 0) || (dots && s->hasDots) || s->count == AT_MOST_DIMS)
      at_raise(AT_ERROR_ARGUMENT, "equation has \"%.20s\", which is no subscript there", text);
    s->hasDots |= dots;
    s->label[s->count++] = label;
    text += dots ? 2 : 0;
  }
  return text;
}

/* The subscript of each dimension of t, "..." replaced by labels of their own. */
static void spread(const Subscripts *s, const at_tensor *t, int dots, int operand, Subscripts *wide)
{
  const int dims = at_sizesOf(t).count, own = dims - (s->count - s->hasDots);
  if (own < 0 || (own > 0 && !s->hasDots))
    at_raise(AT_ERROR_ARGUMENT, "tensors[%d] has size (%s), and %d subscripts", operand,
             at_sizeDesc(at_sizesOf(t)).str, s->count - s->hasDots);
  wide->count = 0;
  for (int i = 0; i < s->count; i++) {
    if (s->label[i] != DOTS)
      wide->label[wide->count++] = s->label[i];
    else
      for (int k = 0; k < own; k++)
        wide->label[wide->count++] = LETTERS + dots - own + k;
  }
}

/* --- the plan --------------------------------------------------------------------------------- */

/* Without "->" the labels that occur once remain, in alphabetical order. */
static void default_result(const int *uses, bool hasDots, Subscripts *result)
{
  *result = (Subscripts){.hasDots = hasDots};
  if (hasDots)
    result->label[result->count++] = DOTS;
  for (int label = 0; label < LETTERS; label++)
    if (uses[label] == 1)
      result->label[result->count++] = label;
}

static void take_axis(Plan *plan, int label)
{
  if (plan->axis[label] >= 0)
    at_raise(AT_ERROR_ARGUMENT, "equation has a subscript twice in the result");
  if (plan->axes == AT_MOST_DIMS)
    at_raise(AT_ERROR_ARGUMENT, "equation has more than %d subscripts", AT_MOST_DIMS);
  plan->axis[label] = plan->axes++;
}

/* Gives each label its axis: those of the result, then the others. */
static void order_labels(Plan *plan, const int *uses)
{
  for (int label = 0; label < LABELS; label++)
    plan->axis[label] = -1;
  for (int i = 0; i < plan->result.count; i++) {
    const int label = plan->result.label[i];
    if (label != DOTS && !uses[label])
      at_raise(AT_ERROR_ARGUMENT, "equation has a subscript in the result that no operand has");
    if (label != DOTS)
      take_axis(plan, label);
    else
      for (int k = 0; k < plan->dots; k++)
        take_axis(plan, LETTERS + k);
  }
  plan->kept = plan->axes;
  for (int label = 0; label < LABELS; label++)
    if ((uses[label] || (label >= LETTERS && label < LETTERS + plan->dots)) &&
        plan->axis[label] < 0)
      take_axis(plan, label);
}

static void make_plan(Plan *plan, const char *equation, at_tensors tensors)
{
  int uses[LABELS] = {0};
  bool hasDots = false;
  const char *text = equation;
  plan->dots = plan->axes = 0;
  for (int i = 0; i < tensors.count; i++) {
    Subscripts s;
    text = read_subscripts(text, &s);
    if (*text == ',' ? i == tensors.count - 1 : i < tensors.count - 1)
      at_raise(AT_ERROR_ARGUMENT, "equation \"%.60s\" is not for %d tensors", equation,
               tensors.count);
    text += *text == ',';
    for (int k = 0; k < s.count; k++)
      if (s.label[k] != DOTS) {
        uses[s.label[k]]++;
        plan->lastUse[s.label[k]] = i;
      }
    hasDots |= s.hasDots;
    plan->dots = THMax(plan->dots, at_sizesOf(tensors.data[i]).count - (s.count - s.hasDots));
  }
  for (int k = 0; k < AT_MOST_DIMS; k++)
    plan->lastUse[LETTERS + k] = tensors.count - 1;
  if (*text && (text[0] != '-' || text[1] != '>'))
    at_raise(AT_ERROR_ARGUMENT, "equation \"%.60s\" has \"-\" without \">\"", equation);
  if (!*text)
    default_result(uses, hasDots, &plan->result);
  else if (*read_subscripts(text + 2, &plan->result))
    at_raise(AT_ERROR_ARGUMENT, "equation \"%.60s\" has more than a result", equation);
  order_labels(plan, uses);
}

/* --- operands --------------------------------------------------------------------------------- */

/* t as a view with a dimension for each axis, of size 1 for labels that it lacks. */
static at_tensor *in_order(at_pool *pool, const Plan *plan, at_tensor *t, const Subscripts *wide,
                           int operand)
{
  int64_t size[AT_MOST_DIMS], stride[AT_MOST_DIMS];
  for (int p = 0; p < plan->axes; p++)
    size[p] = 1, stride[p] = 0;
  bool seen[AT_MOST_DIMS] = {false};
  for (int d = 0; d < wide->count; d++) {
    const int p = plan->axis[wide->label[d]];
    const int64_t own = t->th->size[d];
    if (seen[p] && size[p] != own)
      at_raise(AT_ERROR_ARGUMENT,
               "tensors[%d] has size (%s): dimensions with one subscript have to be of one size",
               operand, at_sizeDesc(at_sizesOf(t)).str);
    seen[p] = true;
    size[p] = own;
    stride[p] += t->th->stride[d];
  }
  return at_hold(pool, at_newView(t, t->th->storageOffset, (at_ints){size, plan->axes}, stride));
}

static void check_sizes(const at_tensor *x, const at_tensor *y, int operand)
{
  for (int d = 0; d < at_sizesOf(x).count; d++)
    if (x->th->size[d] != y->th->size[d] && x->th->size[d] != 1 && y->th->size[d] != 1)
      at_raise(AT_ERROR_ARGUMENT, "tensors[%d] has a size of %lld where those before have %lld",
               operand, (long long)y->th->size[d], (long long)x->th->size[d]);
}

/* Whether a label may be summed over once operand i has been multiplied in. */
static void find_summed(const Plan *plan, int i, bool *summed)
{
  for (int p = 0; p < AT_MOST_DIMS; p++)
    summed[p] = false;
  for (int label = 0; label < LABELS; label++)
    if (plan->axis[label] >= plan->kept)
      summed[plan->axis[label]] = plan->lastUse[label] <= i;
}

/* The sum of t over the marked dimensions, which stay with size 1. */
static at_tensor *summed_over(at_pool *pool, at_tensor *t, const bool *summed)
{
  int64_t dims[AT_MOST_DIMS];
  int count = 0;
  for (int d = 0; d < at_sizesOf(t).count; d++)
    if (summed[d])
      dims[count++] = d;
  if (count == 0)
    return t;
  return at_hold(pool, at_reduce(NULL, AT_SUM, t, (at_ints){dims, count}, true, t->type,
                                 at_scalar_long(0)));
}

/* The type of sums: integers are added up as Long, as sum does, where a label is summed over in one operand
 * alone; products keep their type. */
static const at_type *type_of_sums(const Plan *plan, const char *equation, at_tensors tensors)
{
  const at_type *const type = tensors.data[0]->type;
  int uses[LABELS] = {0};
  const char *text = equation;
  if (at_category(type->scalarType) > 1)
    return type;
  for (int i = 0; i < tensors.count; i++) {
    Subscripts s, wide;
    text = read_subscripts(text, &s);
    text += *text == ',';
    spread(&s, tensors.data[i], plan->dots, i, &wide);
    bool seen[LABELS] = {false};
    for (int d = 0; d < wide.count; d++) {
      const int label = wide.label[d];
      if (!seen[label] && (tensors.count == 1 || tensors.data[i]->th->size[d] != 1))
        uses[label]++;
      seen[label] = true;
    }
  }
  for (int label = 0; label < LABELS; label++)
    if (plan->axis[label] >= plan->kept && uses[label] == 1)
      return at_toScalarType(type, AT_LONG);
  return type;
}

at_tensor *at_einsteinSum(const char *equation, at_tensors tensors)
{
  Plan plan;
  bool summed[AT_MOST_DIMS];
  if (tensors.count == 0)
    at_raise(AT_ERROR_ARGUMENT, "tensors is empty");
  make_plan(&plan, equation, tensors);
  const at_type *const type = type_of_sums(&plan, equation, tensors);
  THGuard product;
  at_guard(&product);
  const char *text = equation;
  for (int i = 0; i < tensors.count; i++) {
    Subscripts s, wide;
    text = read_subscripts(text, &s);
    text += *text == ',';
    spread(&s, tensors.data[i], plan.dots, i, &wide);
    if (tensors.data[i]->type != tensors.data[0]->type)
      at_raise(AT_ERROR_TYPE, "tensors[%d] is of another type than tensors[0]", i);
    find_summed(&plan, i, summed);
    at_pool pool;
    at_pool_enter(&pool);
    at_tensor *r = in_order(&pool, &plan, at_cast(&pool, tensors.data[i], type), &wide, i);
    if (i > 0) {
      check_sizes(product.what, r, i);
      r = at_sumOfProducts(&pool, product.what, r, summed);
    } else {
      r = summed_over(&pool, r, summed);
    }
    at_release(product.what);
    product.what = at_pool_keep(&pool, r);
  }
  /* Labels that are gone have size 1, behind those of the result. */
  const at_tensor *const all = product.what;
  at_pool pool;
  at_pool_enter(&pool);
  at_tensor *const view =
      at_hold(&pool, at_newView(product.what, all->th->storageOffset,
                                (at_ints){all->th->size, plan.kept}, all->th->stride));
  at_tensor *const r = at_newCast(view, view->type);
  at_pool_leave(&pool);
  THGuard_leave(&product);
  return r;
}

/* --- subscripts as letters -------------------------------------------------------------------- */

void at_einsumLetters(const char *equation, at_tensors tensors, int operand, char *letters)
{
  Plan plan;
  Subscripts s, wide = {0};
  char ofDots[AT_MOST_DIMS];
  const char *text = equation;
  make_plan(&plan, equation, tensors);
  for (int k = 0, label = 0; k < plan.dots; label++)
    if (plan.axis[label] < 0) /* more labels than letters are an error of the plan */
      ofDots[k++] = (char)(label < 26 ? 'A' + label : 'a' + label - 26);
  if (operand < 0) {
    for (int i = 0; i < plan.result.count; i++)
      for (int k = 0; k < (plan.result.label[i] == DOTS ? plan.dots : 1); k++)
        wide.label[wide.count++] =
            plan.result.label[i] == DOTS ? LETTERS + k : plan.result.label[i];
  } else {
    for (int i = 0; i <= operand; i++) {
      text = read_subscripts(text, &s);
      text += *text == ',';
    }
    spread(&s, tensors.data[operand], plan.dots, operand, &wide);
  }
  for (int i = 0; i < wide.count; i++) {
    const int label = wide.label[i];
    letters[i] = label >= LETTERS ? ofDots[label - LETTERS]
                 : label < 26     ? (char)('A' + label)
                                  : (char)('a' + label - 26);
  }
  letters[wide.count] = 0;
}

/* Losses as layers: what their rows call, and the adaptive softmax. */
#include <math.h>
#include <string.h>

#include "ATenLayerFields.h"

static const char *const reductions[] = {"none", "mean", "sum"};

int64_t at_reductionNumber(const char *reduction)
{
  for (int i = 0; i < 3; i++)
    if (!strcmp(reduction, reductions[i]))
      return i;
  return -1;
}

bool at_isReduction(const char *reduction)
{
  return at_reductionNumber(reduction) >= 0;
}

static at_tensor *reduced(at_tensor *losses, int64_t reduction)
{
  return reduction == 0 ? losses : reduction == 1 ? at_mean(losses) : at_sum(losses);
}

at_tensor *at_klDivergence(at_tensor *input, at_tensor *target, const char *reduction,
                           bool logTarget)
{
  if (strcmp(reduction, "batchmean") != 0)
    return at_kl_div_reduction(input, target, .reduction = at_reductionNumber(reduction),
                               .log_target = logTarget);
  at_tensor *const sum =
      at_kl_div_reduction(input, target, .reduction = 2, .log_target = logTarget);
  return at_dim(input) > 0 ? at_div(sum, at_size(input, 0)) : sum;
}

/* var, at least eps; its gradient passes as if it were var. */
static at_tensor *at_least(at_tensor *var, double eps)
{
  at_tensor *const fixed = at_detach(var);
  return at_add(var, at_sub(at_clamp_min(fixed, eps), fixed));
}

at_tensor *at_gaussianLoss(at_tensor *input, at_tensor *target, at_tensor *var, bool full,
                           double eps, int64_t reduction)
{
  if (at_sameSizes(at_sizesOf(var), at_sizesOf(input)) == false && at_dim(input) > 0 &&
      at_dim(var) == at_dim(input) - 1)
    var = at_unsqueeze(var, -1);
  var = at_least(var, eps);
  at_tensor *const away = at_sub(input, target);
  at_tensor *loss = at_mul(at_add(at_log(var), at_div(at_mul(away, away), var)), 0.5);
  loss = full ? at_add(loss, 0.5 * log(2 * M_PI)) : loss;
  return reduced(loss, reduction);
}

at_tensor *at_multiLabelSoftMargin(at_tensor *input, at_tensor *target, at_tensor *weight,
                                   int64_t reduction)
{
  at_tensor *const losses =
      at_binary_cross_entropy_with_logits(input, target, .weight = weight, .reduction = 0);
  return reduced(at_mean_dim(losses, AT_INTS(-1)), reduction);
}

int64_t at_timesAll(int64_t number, at_ints factors)
{
  for (int i = 0; i < factors.count; i++)
    if (__builtin_mul_overflow(number, factors.data[i], &number))
      return -1;
  return number;
}

at_tensor *at_linearCrossEntropy(at_tensor *scores, at_tensor *target, at_tensor *weight,
                                 int64_t classes, at_ints targets, int64_t ignored,
                                 double smoothing, int64_t reduction)
{
  int64_t sizes[AT_MOST_DIMS + AT_LAYER_DIMS + 1];
  int count = 0;
  for (int d = 0; d + 1 < at_dim(scores); d++)
    sizes[count++] = at_size(scores, d);
  sizes[count++] = classes;
  for (int i = 0; i < targets.count; i++)
    sizes[count++] = targets.data[i];
  return at_cross_entropy_loss(at_reshape(scores, ((at_ints){sizes, count})), target,
                               .weight = weight, .reduction = reduction, .ignore_index = ignored,
                               .label_smoothing = smoothing);
}

/* --- the adaptive softmax --------------------------------------------------------------------- */

bool at_areCutoffs(at_ints cutoffs, int64_t classes)
{
  for (int i = 0; i < cutoffs.count; i++)
    if (cutoffs.data[i] <= (i ? cutoffs.data[i - 1] : 0) || cutoffs.data[i] >= classes)
      return false;
  return cutoffs.count > 0;
}

/* The first class behind the cluster that begins with the cutoff at index. */
static int64_t end_of(at_ints cutoffs, int index, int64_t classes)
{
  return index + 1 < cutoffs.count ? cutoffs.data[index + 1] : classes;
}

at_module *at_adaptiveTail(int64_t inputs, int64_t classes, at_ints cutoffs, double divisor,
                           const at_type *type)
{
  at_module *const tail = (at_ModuleList)(NULL, 0);
  double width = (double)inputs;
  for (int i = 0; i < cutoffs.count && tail; i++) {
    width = floor((double)inputs / pow(divisor, i + 1));
    at_module *const layers[] = {
        at_Linear(inputs, (int64_t)width, .bias = false, .type = type),
        at_Linear((int64_t)width, end_of(cutoffs, i, classes) - cutoffs.data[i], .bias = false,
                  .type = type)};
    (void)at_module_append(tail, (at_Sequential)(layers, 2));
  }
  return tail;
}

/* The log-probabilities of the classes of a cluster, if it is that. */
static at_tensor *tail_scores(const at_module *self, at_tensor *input, int cluster)
{
  at_module *const tail = at_module_child(self, "tail");
  return at_log_softmax(at_forward(at_module_childAt(tail, cluster), input), 1);
}

static at_tensor *head_scores(const at_module *self, at_tensor *input)
{
  return at_log_softmax(at_forward(at_module_child(self, "head"), input), 1);
}

/* Adds to output the log-probabilities of the targets in a cluster, relative to the cluster's own. */
static at_tensor *with_cluster(const at_module *self, at_tensor *output, at_tensor *input,
                               at_tensor *target, int cluster, int64_t first, int64_t end)
{
  at_tensor *const inside = at_mul(at_ge(target, first), at_lt(target, end));
  at_tensor *const rows = at_squeeze_dim(at_nonzero(inside), 1);
  if (!at_defined(rows) || at_numel(rows) == 0)
    return output;
  at_tensor *const scores = tail_scores(self, at_index_select(input, 0, rows), cluster);
  at_tensor *const own = at_unsqueeze(at_sub(at_index_select(target, 0, rows), first), 1);
  return at_index_add(output, 0, rows, at_squeeze_dim(at_gather(scores, 1, own), 1));
}

/* Whether input and target are a batch for self; an error if not. */
static bool accepts_batch(const char *operation, at_module *self, at_tensor *input,
                          at_tensor *target)
{
  if (!at_isKind(operation, self, &at_kind_AdaptiveLogSoftmaxWithLoss) ||
      !at_accept(operation, "input", input, false) || !at_accept(operation, "target", target, true))
    return false;
  const at_AdaptiveLogSoftmaxWithLoss_fields *const own = at_module_own(self);
  const bool fits = at_dim(input) == 2 && at_size(input, 1) == own->in_features &&
                    (!target || (at_dim(target) == 1 && at_size(target, 0) == at_size(input, 0)));
  if (!fits)
    at_misfit(self, "input is of size %s%s%s, and has to be batch x %lld%s",
              at_sizeDesc(at_sizesOf(input)).str, target ? ", target " : "",
              target ? at_sizeDesc(at_sizesOf(target)).str : "", (long long)own->in_features,
              target ? ", target batch" : "");
  return fits;
}

/* The log-probabilities of the targets; classes of clusters are first looked up as their cluster. */
static at_tensor *target_scores(at_module *self, at_tensor *input, at_tensor *target)
{
  const at_AdaptiveLogSoftmaxWithLoss_fields *const own = at_module_own(self);
  at_tensor *heads = target;
  for (int i = 0; i < own->cutoffs.count; i++) {
    at_tensor *const inside = at_mul(at_ge(target, own->cutoffs.data[i]),
                                     at_lt(target, end_of(own->cutoffs, i, own->n_classes)));
    heads = at_masked_fill(heads, inside, own->cutoffs.data[0] + i);
  }
  at_tensor *output =
      at_squeeze_dim(at_gather(head_scores(self, input), 1, at_unsqueeze(heads, 1)), 1);
  for (int i = 0; i < own->cutoffs.count; i++)
    output = with_cluster(self, output, input, target, i, own->cutoffs.data[i],
                          end_of(own->cutoffs, i, own->n_classes));
  return output;
}

at_output_loss(at_AdaptiveLogSoftmaxWithLoss_forward)(at_module *self, at_tensor *input,
                                                      at_tensor *target)
{
  const at_output_loss failed = {at_undefined(), at_undefined()};
  const char *const operation = "AdaptiveLogSoftmaxWithLoss_forward";
  if (!at_accept(operation, "target", target, false) ||
      !accepts_batch(operation, self, input, target))
    return failed;
  const at_AdaptiveLogSoftmaxWithLoss_fields *const own = at_module_own(self);
  AT_SCOPE_GUARD;
  if (at_numel(target) > 0 && (at_item_double(at_min(target)) < 0 ||
                               at_item_double(at_max(target)) >= (double)own->n_classes)) {
    at_misfit(self, "target has classes from %g to %g, and there are %lld",
              at_item_double(at_min(target)), at_item_double(at_max(target)),
              (long long)own->n_classes);
    return failed;
  }
  at_tensor *const output = at_escape(target_scores(self, input, target));
  return (at_output_loss){output, at_escape(at_neg(at_mean(output)))};
}

at_tensor *(at_AdaptiveLogSoftmaxWithLoss_log_prob)(at_module *self, at_tensor *input)
{
  if (!accepts_batch("AdaptiveLogSoftmaxWithLoss_log_prob", self, input, NULL))
    return at_undefined();
  const at_AdaptiveLogSoftmaxWithLoss_fields *const own = at_module_own(self);
  AT_SCOPE_GUARD;
  at_tensor *const head = head_scores(self, input);
  const int64_t shortlist = own->cutoffs.data[0];
  at_tensor *parts[1 + AT_LAYER_DIMS] = {at_narrow(head, 1, 0, shortlist)};
  for (int i = 0; i < own->cutoffs.count; i++)
    parts[1 + i] = at_add(at_narrow(head, 1, shortlist + i, 1), tail_scores(self, input, i));
  return at_escape(at_cat(((at_tensors){parts, 1 + own->cutoffs.count}), .dim = 1));
}

at_tensor *(at_AdaptiveLogSoftmaxWithLoss_predict)(at_module *self, at_tensor *input)
{
  AT_SCOPE_GUARD;
  at_tensor *const all = (at_AdaptiveLogSoftmaxWithLoss_log_prob)(self, input);
  return at_defined(all) ? at_escape(at_argmax(all, .dim = 1)) : all;
}

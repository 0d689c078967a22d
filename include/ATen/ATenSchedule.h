/* Schedules of learning rates, as PyTorch's torch.optim.lr_scheduler.
 *
 *     at_schedule *s = at_cosine_lr(o, 100);
 *     for (int epoch = 0; epoch < 100; epoch++) {
 *       train(o);
 *       at_schedule_step(s);
 *     }
 *     at_schedule_free(s);
 *
 * A schedule sets the option "lr" of each group of an optimizer, which has to live longer, when it is
 * made and at each step.  e counts the steps, and base is the rate that the group had before its first
 * schedule.  Those that are defined by what one step changes may be used together, one made after
 * the other and stepped in that order: at_chained_lr steps several at once. */
#ifndef ATEN_SCHEDULE_H
#define ATEN_SCHEDULE_H

#include "ATenOptim.h"

typedef struct at_schedule at_schedule;

/* --- all schedules ---------------------------------------------------------------------------- */

/* Goes to the next step.  False after an error; then no rate has changed. */
AT_API bool at_schedule_step(at_schedule *schedule);

/* Goes to the next step of at_plateau_lr, which decides by the metric, such as a loss. */
AT_API bool at_schedule_step_by(at_schedule *schedule, double metric);

/* The number of steps so far.  -1 and an error for NULL. */
AT_API int64_t at_schedule_steps(const at_schedule *schedule);

/* The state of the schedule as a set with values, in the layout of PyTorch's state_dict, which
 * load_state_dict reads; a function of at_lambda_lr is left out.  Rates are those of now, and are in the
 * optimizer's state.  To be given to at_dict_free; NULL after an error. */
AT_API at_dict *at_schedule_state_dict(const at_schedule *schedule) AT_MUST_USE;

/* Takes the steps, base rates and numbers from values of that layout, as at_optimizer_load does; the
 * schedule is of the same kind, with as many groups and parts.  The rates of at_onecycle_lr stay those it
 * was made with.  False after an error; then nothing has changed. */
AT_API bool at_schedule_load(at_schedule *schedule, at_datum state);

/* Frees the schedule, and those that it consists of.  NULL is accepted. */
AT_API void at_schedule_free(at_schedule *schedule);

/* --- by the number of the step ----------------------------------------------------------------- */

typedef struct at_step_lr_options {
  double gamma; /* 0.1 */
} at_step_lr_options;
AT_API const at_step_lr_options at_step_lr_defaults;

/* lr *= gamma every step_size steps.  NULL after an error, as for all schedules.
 *
 *     at_step_lr(optimizer, int step_size, *, double gamma=0.1) -> at_schedule */
AT_API at_schedule *at_step_lr(at_optimizer *optimizer, int64_t step_size,
                               const at_step_lr_options *options) AT_MUST_USE;

typedef struct at_multistep_lr_options {
  double gamma; /* 0.1 */
} at_multistep_lr_options;
AT_API const at_multistep_lr_options at_multistep_lr_defaults;

/* lr *= gamma at each of the steps in milestones.
 *
 *     at_multistep_lr(optimizer, IntList milestones, *, double gamma=0.1) -> at_schedule */
AT_API at_schedule *at_multistep_lr(at_optimizer *optimizer, at_ints milestones,
                                    const at_multistep_lr_options *options) AT_MUST_USE;

typedef struct at_constant_lr_options {
  double factor;       /* 1.0 / 3 */
  int64_t total_iters; /* 5 */
} at_constant_lr_options;
AT_API const at_constant_lr_options at_constant_lr_defaults;

/* lr * factor during the first total_iters steps.
 *
 *     at_constant_lr(optimizer, *, double factor=1.0/3, int total_iters=5) -> at_schedule */
AT_API at_schedule *at_constant_lr(at_optimizer *optimizer,
                                   const at_constant_lr_options *options) AT_MUST_USE;

typedef struct at_linear_lr_options {
  double start_factor; /* 1.0 / 3 */
  double end_factor;   /* 1 */
  int64_t total_iters; /* 5 */
} at_linear_lr_options;
AT_API const at_linear_lr_options at_linear_lr_defaults;

/* lr times a factor that goes from start_factor to end_factor in total_iters steps: a warm-up.
 *
 *     at_linear_lr(optimizer, *, double start_factor=1.0/3, double end_factor=1,
 *                  int total_iters=5) -> at_schedule */
AT_API at_schedule *at_linear_lr(at_optimizer *optimizer,
                                 const at_linear_lr_options *options) AT_MUST_USE;

/* lr *= gamma at each step. */
AT_API at_schedule *at_exponential_lr(at_optimizer *optimizer, double gamma) AT_MUST_USE;

typedef struct at_polynomial_lr_options {
  int64_t total_iters; /* 5 */
  double power;        /* 1 */
} at_polynomial_lr_options;
AT_API const at_polynomial_lr_options at_polynomial_lr_defaults;

/* base * (1 - e / total_iters)^power, and 0 after total_iters steps.
 *
 *     at_polynomial_lr(optimizer, *, int total_iters=5, double power=1) -> at_schedule */
AT_API at_schedule *at_polynomial_lr(at_optimizer *optimizer,
                                     const at_polynomial_lr_options *options) AT_MUST_USE;

typedef struct at_cosine_lr_options {
  double eta_min; /* 0 */
} at_cosine_lr_options;
AT_API const at_cosine_lr_options at_cosine_lr_defaults;

/* eta_min + (base - eta_min) * (1 + cos(pi * e / t_max)) / 2: PyTorch's CosineAnnealingLR.
 *
 *     at_cosine_lr(optimizer, int t_max, *, double eta_min=0) -> at_schedule */
AT_API at_schedule *at_cosine_lr(at_optimizer *optimizer, int64_t t_max,
                                 const at_cosine_lr_options *options) AT_MUST_USE;

typedef struct at_cosine_restarts_lr_options {
  int64_t t_mult; /* 1 */
  double eta_min; /* 0 */
} at_cosine_restarts_lr_options;
AT_API const at_cosine_restarts_lr_options at_cosine_restarts_lr_defaults;

/* at_cosine_lr that begins again after t_0 steps, and then each time after t_mult times as many.
 *
 *     at_cosine_restarts_lr(optimizer, int t_0, *, int t_mult=1, double eta_min=0)
 *         -> at_schedule */
AT_API at_schedule *at_cosine_restarts_lr(at_optimizer *optimizer, int64_t t_0,
                                          const at_cosine_restarts_lr_options *options) AT_MUST_USE;

typedef struct at_onecycle_lr_options {
  double pct_start;        /* 0.3: the part of the steps in which the rate rises */
  bool linear;             /* false: lines instead of cosines */
  bool cycle_momentum;     /* true: whether momentum or beta1 falls as the rate rises */
  double base_momentum;    /* 0.85 */
  double max_momentum;     /* 0.95 */
  double div_factor;       /* 25: the first rate is max_lr / div_factor */
  double final_div_factor; /* 1e4: the last one is the first one / final_div_factor */
  bool three_phase;        /* false: falls as it rose, and then to the last rate */
} at_onecycle_lr_options;
AT_API const at_onecycle_lr_options at_onecycle_lr_defaults;

/* The rate rises to max_lr and falls, once, in total_steps steps, the first of which is made here;
 * two more are an error, because loops call at_schedule_step behind the last step, too.
 *
 *     at_onecycle_lr(optimizer, double max_lr, int total_steps, *, double pct_start=0.3,
 *                    bool linear=false, bool cycle_momentum=true, double base_momentum=0.85,
 *                    double max_momentum=0.95, double div_factor=25, double final_div_factor=1e4,
 *                    bool three_phase=false) -> at_schedule */
AT_API at_schedule *at_onecycle_lr(at_optimizer *optimizer, double max_lr, int64_t total_steps,
                                   const at_onecycle_lr_options *options) AT_MUST_USE;

typedef enum at_cycle { AT_TRIANGULAR, AT_TRIANGULAR2, AT_EXP_RANGE } at_cycle;

typedef struct at_cyclic_lr_options {
  int64_t step_size_up;   /* 2000 */
  int64_t step_size_down; /* 0: as many as up */
  at_cycle mode;          /* AT_TRIANGULAR; AT_TRIANGULAR2 halves the height of each cycle, and with
                           * AT_EXP_RANGE it is multiplied by gamma at each step */
  double gamma;           /* 1 */
  bool cycle_momentum;    /* true: whether momentum or beta1 falls as the rate rises */
  double base_momentum;   /* 0.8 */
  double max_momentum;    /* 0.9 */
} at_cyclic_lr_options;
AT_API const at_cyclic_lr_options at_cyclic_lr_defaults;

/* The rate rises from base_lr to max_lr and falls again, in cycles.
 *
 *     at_cyclic_lr(optimizer, double base_lr, double max_lr, *, int step_size_up=2000,
 *                  int step_size_down=0, at_cycle mode=AT_TRIANGULAR, double gamma=1,
 *                  bool cycle_momentum=true, double base_momentum=0.8, double max_momentum=0.9)
 *         -> at_schedule */
AT_API at_schedule *at_cyclic_lr(at_optimizer *optimizer, double base_lr, double max_lr,
                                 const at_cyclic_lr_options *options) AT_MUST_USE;

/* A factor for step e. */
typedef double (*at_factor)(void *context, int64_t e);

/* base * factor(context, e); the context has to live as long as the schedule. */
AT_API at_schedule *at_lambda_lr(at_optimizer *optimizer, at_factor factor,
                                 void *context) AT_MUST_USE;

/* --- by a metric ------------------------------------------------------------------------------ */

typedef struct at_plateau_lr_options {
  bool maximize;    /* false: whether a greater metric is a better one */
  double factor;    /* 0.1 */
  int64_t patience; /* 10 */
  double threshold; /* 1e-4: what is better by less is no better */
  bool absolute; /* false: whether threshold is a difference, and not a part of the best metric */
  int64_t cooldown; /* 0: steps after a change in which patience is not tried */
  double min_lr;    /* 0 */
  double eps;       /* 1e-8: smaller changes are not made */
} at_plateau_lr_options;
AT_API const at_plateau_lr_options at_plateau_lr_defaults;

/* lr *= factor when the metric has not become better for more than patience steps:
 * PyTorch's ReduceLROnPlateau.  It is stepped by at_schedule_step_by.
 *
 *     at_plateau_lr(optimizer, *, bool maximize=false, double factor=0.1, int patience=10,
 *                   double threshold=1e-4, bool absolute=false, int cooldown=0, double min_lr=0,
 *                   double eps=1e-8) -> at_schedule */
AT_API at_schedule *at_plateau_lr(at_optimizer *optimizer,
                                  const at_plateau_lr_options *options) AT_MUST_USE;

/* --- of others -------------------------------------------------------------------------------- */

/* Schedules of one optimizer, one after the other: the next one begins at each of the milestones,
 * one fewer than schedules.  The result owns them; after an error, the caller does. */
AT_API at_schedule *at_sequential_lr(at_schedule *const *schedules, int count,
                                     at_ints milestones) AT_MUST_USE;

/* Schedules of one optimizer, all at once: the factors of their steps multiply.  The result owns
 * them; after an error, the caller does. */
AT_API at_schedule *at_chained_lr(at_schedule *const *schedules, int count) AT_MUST_USE;

#endif

/* Optimizers, as PyTorch's torch.optim: what a training step does with gradients.
 *
 *     at_optimizer *o = at_adamw(AT_TENSORS(w, b), .lr = 1e-3);
 *     for (int i = 0; i < 100; i++)
 *       AT_SCOPE {
 *         at_optimizer_zero_grad(o);
 *         at_backward(at_mse_loss(at_addmm(b, x, w), y));
 *         at_optimizer_step(o);
 *       }
 *     at_optimizer_free(o);
 *
 * A step is one pass over the memory of all parameters, on several threads if there is enough work.
 * Float and Double compute in their type; Half and BFloat16 compute in Float, and parameters and
 * states are rounded once, at the end of a step.  A parameter without a gradient is left out.
 *
 * Parameters are on one device, of a floating type, or complex on the CPU (their parts are as parameters of
 * their own; adafactor and muon take none), and leaves (those of lbfgs on the CPU); an optimizer keeps
 * a reference to each. Their options are in groups, one at first; at_optimizer_add_group adds others, and
 * at_optimizer_set changes an option of a group at any time.  Names, defaults and formulas are
 * PyTorch's, but for a pair such as betas, which is beta1 and beta2 here.  After an error nothing has
 * changed. */
#ifndef ATEN_OPTIM_H
#define ATEN_OPTIM_H

#include "ATenFile.h"
#include "ATenTensor.h"

/* One thread uses an optimizer at a time. */
typedef struct at_optimizer at_optimizer;

/* --- the optimizers --------------------------------------------------------------------------- */

/* g is the gradient, t the number of the step, counted from 1.  In all of them g is negated if
 * maximize, and then weight_decay * w is added to g, or if the decay is decoupled, lr * weight_decay
 * * w is subtracted from w instead. */

typedef struct at_sgd_options {
  double lr;                                /* 1e-3 */
  double momentum, dampening, weight_decay; /* 0 */
  bool nesterov, maximize;                  /* false */
} at_sgd_options;
AT_API const at_sgd_options at_sgd_defaults;

/* w -= lr * g, or with momentum: b = momentum * b + (1 - dampening) * g, and b is g at first; then
 * w -= lr * b, or with nesterov w -= lr * (g + momentum * b).
 *
 *     at_sgd(TensorList params, *, double lr=1e-3, double momentum=0, double dampening=0,
 *            double weight_decay=0, bool nesterov=false, bool maximize=false) -> at_optimizer
 *
 * NULL after an error, as for all optimizers: params is empty, has a tensor twice, or one that is
 * no leaf, of another type, or on another device; or an option is out of its range. */
AT_API at_optimizer *at_sgd(at_tensors params, const at_sgd_options *options) AT_MUST_USE;

typedef struct at_adam_options {
  double lr;                   /* 1e-3 */
  double beta1, beta2;         /* 0.9, 0.999 */
  double eps;                  /* 1e-8 */
  double weight_decay;         /* 0; of at_adamw 0.01 */
  bool amsgrad, maximize;      /* false */
  bool decoupled_weight_decay; /* false; of at_adamw true */
} at_adam_options;
AT_API const at_adam_options at_adam_defaults;

/* m = beta1 * m + (1 - beta1) * g and v = beta2 * v + (1 - beta2) * g^2; then
 * w -= lr / (1 - beta1^t) * m / (sqrt(v / (1 - beta2^t)) + eps).  With amsgrad the largest v so far
 * stands for v there.
 *
 *     at_adam(TensorList params, *, double lr=1e-3, double beta1=0.9, double beta2=0.999,
 *             double eps=1e-8, double weight_decay=0, bool amsgrad=false, bool maximize=false,
 *             bool decoupled_weight_decay=false) -> at_optimizer */
AT_API at_optimizer *at_adam(at_tensors params, const at_adam_options *options) AT_MUST_USE;

typedef at_adam_options at_adamw_options;
AT_API const at_adamw_options at_adamw_defaults;

/* at_adam with decoupled weight decay, of 0.01 unless given. */
AT_API at_optimizer *at_adamw(at_tensors params, const at_adamw_options *options) AT_MUST_USE;

typedef struct at_rmsprop_options {
  double lr;                     /* 0.01 */
  double alpha;                  /* 0.99 */
  double eps;                    /* 1e-8 */
  double weight_decay, momentum; /* 0 */
  bool centered, maximize;       /* false */
} at_rmsprop_options;
AT_API const at_rmsprop_options at_rmsprop_defaults;

/* v = alpha * v + (1 - alpha) * g^2 and d = g / (sqrt(v) + eps), where centered subtracts from v the
 * square of the average of g; then w -= lr * d, or with momentum b = momentum * b + d and
 * w -= lr * b.
 *
 *     at_rmsprop(TensorList params, *, double lr=0.01, double alpha=0.99, double eps=1e-8,
 *                double weight_decay=0, double momentum=0, bool centered=false,
 *                bool maximize=false) -> at_optimizer */
AT_API at_optimizer *at_rmsprop(at_tensors params, const at_rmsprop_options *options) AT_MUST_USE;

typedef struct at_adagrad_options {
  double lr;                                                /* 0.01 */
  double lr_decay, weight_decay, initial_accumulator_value; /* 0 */
  double eps;                                               /* 1e-10 */
  bool maximize;                                            /* false */
} at_adagrad_options;
AT_API const at_adagrad_options at_adagrad_defaults;

/* s += g^2 and w -= lr / (1 + (t - 1) * lr_decay) * g / (sqrt(s) + eps); s begins with
 * initial_accumulator_value.
 *
 *     at_adagrad(TensorList params, *, double lr=0.01, double lr_decay=0, double weight_decay=0,
 *                double initial_accumulator_value=0, double eps=1e-10, bool maximize=false)
 *         -> at_optimizer */
AT_API at_optimizer *at_adagrad(at_tensors params, const at_adagrad_options *options) AT_MUST_USE;

typedef struct at_adadelta_options {
  double lr;           /* 1 */
  double rho;          /* 0.9 */
  double eps;          /* 1e-6 */
  double weight_decay; /* 0 */
  bool maximize;       /* false */
} at_adadelta_options;
AT_API const at_adadelta_options at_adadelta_defaults;

/* v = rho * v + (1 - rho) * g^2, d = sqrt(u + eps) / sqrt(v + eps) * g,
 * u = rho * u + (1 - rho) * d^2, and w -= lr * d.
 *
 *     at_adadelta(TensorList params, *, double lr=1, double rho=0.9, double eps=1e-6,
 *                 double weight_decay=0, bool maximize=false) -> at_optimizer */
AT_API at_optimizer *at_adadelta(at_tensors params, const at_adadelta_options *options) AT_MUST_USE;

typedef struct at_adamax_options {
  double lr;           /* 2e-3 */
  double beta1, beta2; /* 0.9, 0.999 */
  double eps;          /* 1e-8 */
  double weight_decay; /* 0 */
  bool maximize;       /* false */
} at_adamax_options;
AT_API const at_adamax_options at_adamax_defaults;

/* m as in at_adam, u = max(beta2 * u, |g| + eps), and w -= lr / (1 - beta1^t) * m / u.
 *
 *     at_adamax(TensorList params, *, double lr=2e-3, double beta1=0.9, double beta2=0.999,
 *               double eps=1e-8, double weight_decay=0, bool maximize=false) -> at_optimizer */
AT_API at_optimizer *at_adamax(at_tensors params, const at_adamax_options *options) AT_MUST_USE;

typedef struct at_nadam_options {
  double lr;                             /* 2e-3 */
  double beta1, beta2;                   /* 0.9, 0.999 */
  double eps;                            /* 1e-8 */
  double weight_decay;                   /* 0 */
  double momentum_decay;                 /* 4e-3 */
  bool decoupled_weight_decay, maximize; /* false */
} at_nadam_options;
AT_API const at_nadam_options at_nadam_defaults;

/* m and v as in at_adam, mu(t) = beta1 * (1 - 0.5 * 0.96^(t * momentum_decay)), M the product of
 * mu(1) to mu(t); then w -= lr * ((1 - mu(t)) / (1 - M) * g + mu(t + 1) / (1 - M * mu(t + 1)) * m) /
 * (sqrt(v / (1 - beta2^t)) + eps).  M is kept as a float, as in PyTorch.
 *
 *     at_nadam(TensorList params, *, double lr=2e-3, double beta1=0.9, double beta2=0.999,
 *              double eps=1e-8, double weight_decay=0, double momentum_decay=4e-3,
 *              bool decoupled_weight_decay=false, bool maximize=false) -> at_optimizer */
AT_API at_optimizer *at_nadam(at_tensors params, const at_nadam_options *options) AT_MUST_USE;

typedef struct at_radam_options {
  double lr;                             /* 1e-3 */
  double beta1, beta2;                   /* 0.9, 0.999 */
  double eps;                            /* 1e-8 */
  double weight_decay;                   /* 0 */
  bool decoupled_weight_decay, maximize; /* false */
} at_radam_options;
AT_API const at_radam_options at_radam_defaults;

/* m and v as in at_adam, n = 2 / (1 - beta2) - 1 and r = n - 2 * t * beta2^t / (1 - beta2^t);
 * w -= lr * m / (1 - beta1^t) while r <= 5, and later that times
 * sqrt((r - 4) * (r - 2) * n / ((n - 4) * (n - 2) * r)) * sqrt(1 - beta2^t) / (sqrt(v) + eps).
 *
 *     at_radam(TensorList params, *, double lr=1e-3, double beta1=0.9, double beta2=0.999,
 *              double eps=1e-8, double weight_decay=0, bool decoupled_weight_decay=false,
 *              bool maximize=false) -> at_optimizer */
AT_API at_optimizer *at_radam(at_tensors params, const at_radam_options *options) AT_MUST_USE;

typedef struct at_asgd_options {
  double lr;           /* 0.01 */
  double lambd;        /* 1e-4 */
  double alpha;        /* 0.75 */
  double t0;           /* 1e6 */
  double weight_decay; /* 0 */
  bool maximize;       /* false */
} at_asgd_options;
AT_API const at_asgd_options at_asgd_defaults;

/* w = (1 - lambd * eta) * w - eta * g, with eta = lr / (1 + lambd * lr * t)^alpha after t steps, lr in the
 * first; and the state "ax", the average of w over the steps after t0, w itself before.  (Polyak and
 * Juditsky, 1992)
 *
 *     at_asgd(TensorList params, *, double lr=0.01, double lambd=1e-4, double alpha=0.75, double t0=1e6,
 *             double weight_decay=0, bool maximize=false) -> at_optimizer */
AT_API at_optimizer *at_asgd(at_tensors params, const at_asgd_options *options) AT_MUST_USE;

typedef struct at_rprop_options {
  double lr;                    /* 0.01 */
  double eta_minus, eta_plus;   /* 0.5, 1.2; in PyTorch the tuple etas */
  double step_least, step_most; /* 1e-6, 50; in PyTorch the tuple step_sizes */
  bool maximize;                /* false */
} at_rprop_options;
AT_API const at_rprop_options at_rprop_defaults;

/* Each element has a step size, lr at first.  It grows by eta_plus where the gradient has the sign of
 * that of the step before, and shrinks by eta_minus where it has the other, between step_least and
 * step_most; w moves by it against the sign of g, and not at all where that has changed.  (Riedmiller
 * and Braun, 1993)
 *
 *     at_rprop(TensorList params, *, double lr=0.01, double eta_minus=0.5, double eta_plus=1.2,
 *              double step_least=1e-6, double step_most=50, bool maximize=false) -> at_optimizer */
AT_API at_optimizer *at_rprop(at_tensors params, const at_rprop_options *options) AT_MUST_USE;

typedef struct at_adafactor_options {
  double lr;           /* 0.01 */
  double beta2_decay;  /* -0.8 */
  double eps1, eps2;   /* NaN, 1e-3; in PyTorch the tuple eps.  NaN: the distance of 1 from the next
                        * number of the parameter's type */
  double d;            /* 1 */
  double weight_decay; /* 0 */
  bool maximize;       /* false */
} at_adafactor_options;
AT_API const at_adafactor_options at_adafactor_defaults;

/* v = v + t^beta2_decay * (g^2 - v), of which parameters of two dimensions and more keep only the means
 * along the last dimension, R, and along the one before, C: v = R * C / max(mean(R), eps1).  Then
 * u = g / max(sqrt(v), eps1) and w -= r * u / max(1, rms(u) / d), with r = max(eps2, rms(w)) *
 * min(lr, 1 / sqrt(t)), where rms is the root of the mean of squares.  Weight decay is decoupled.
 * (Shazeer and Stern, 2018)
 *
 *     at_adafactor(TensorList params, *, double lr=0.01, double beta2_decay=-0.8, double? eps1=NULL,
 *                  double eps2=1e-3, double d=1, double weight_decay=0, bool maximize=false)
 *         -> at_optimizer */
AT_API at_optimizer *at_adafactor(at_tensors params,
                                  const at_adafactor_options *options) AT_MUST_USE;

typedef enum at_muon_adjust {
  AT_MUON_ORIGINAL,          /* lr * sqrt(max(1, rows / columns)) */
  AT_MUON_MATCH_RMS_ADAMW,   /* lr * 0.2 * sqrt(max(rows, columns)) */
  AT_MUON_SPECTRAL_UNCLAMPED /* lr * sqrt(rows / columns) */
} at_muon_adjust;

typedef struct at_muon_options {
  double lr;               /* 1e-3 */
  double weight_decay;     /* 0.1 */
  double momentum;         /* 0.95 */
  bool nesterov;           /* true */
  double ns_a, ns_b, ns_c; /* 3.4445, -4.775, 2.0315 */
  double eps;              /* 1e-7 */
  int64_t ns_steps;        /* 5 */
  at_muon_adjust adjust;   /* AT_MUON_ORIGINAL */
} at_muon_options;
AT_API const at_muon_options at_muon_defaults;

/* For matrices: b = momentum * b + (1 - momentum) * g, d = b, or with nesterov
 * momentum * b + (1 - momentum) * g, and w -= rate * O(d), where O divides d by its norm (at least
 * eps) and repeats x = a * x + (b * A + c * A^2) * x with A = x * x^T ns_steps times, in BFloat16;
 * that is near to the orthogonal factor of d.  rate is lr, adjusted to the sizes.  Weight decay is
 * decoupled.
 *
 *     at_muon(TensorList params, *, double lr=1e-3, double weight_decay=0.1, double momentum=0.95,
 *             bool nesterov=true, double ns_a=3.4445, double ns_b=-4.775, double ns_c=2.0315,
 *             double eps=1e-7, int ns_steps=5, at_muon_adjust adjust=AT_MUON_ORIGINAL)
 *         -> at_optimizer */
AT_API at_optimizer *at_muon(at_tensors params, const at_muon_options *options) AT_MUST_USE;

typedef enum at_line_search { AT_NO_LINE_SEARCH, AT_STRONG_WOLFE } at_line_search;

typedef struct at_lbfgs_options {
  double lr;                  /* 1 */
  int64_t max_iter;           /* 20: iterations of a step */
  int64_t max_eval;           /* 0: calls of the closure in a step; 0 is 5 / 4 of max_iter */
  double tolerance_grad;      /* 1e-7: a step ends when no element of the gradient is larger */
  double tolerance_change;    /* 1e-9: a step ends when parameters or loss change by less */
  int64_t history_size;       /* 100: changes of the gradient that are remembered */
  at_line_search line_search; /* AT_NO_LINE_SEARCH: steps of lr; AT_STRONG_WOLFE: from lr on, for a
                               * step that satisfies these conditions */
  bool maximize;              /* false */
} at_lbfgs_options;
AT_API const at_lbfgs_options at_lbfgs_defaults;

/* L-BFGS, a quasi-Newton method with PyTorch's rules, for problems without noise: each step, by
 * at_optimizer_step_by, is several iterations, which call the closure.  It has one group, and computes
 * in doubles.
 *
 *     at_lbfgs(TensorList params, *, double lr=1, int max_iter=20, int max_eval=0,
 *              double tolerance_grad=1e-7, double tolerance_change=1e-9, int history_size=100,
 *              at_line_search line_search=AT_NO_LINE_SEARCH, bool maximize=false)
 *         -> at_optimizer */
AT_API at_optimizer *at_lbfgs(at_tensors params, const at_lbfgs_options *options) AT_MUST_USE;

/* --- steps ------------------------------------------------------------------------------------ */

/* Changes the parameters by their gradients.  False after an error. */
AT_API bool at_optimizer_step(at_optimizer *optimizer);

/* Computes the loss, and the gradients anew (at_optimizer_zero_grad, at_backward).  False after an
 * error. */
typedef bool (*at_closure)(void *context, double *loss);

/* A step of an optimizer that calls the closure itself, once or more often; *loss, unless it is NULL,
 * becomes the first loss.  After an error parameters have not changed. */
AT_API bool at_optimizer_step_by(at_optimizer *optimizer, at_closure closure, void *context,
                                 double *loss);

/* Removes the gradients of all parameters.  False after an error. */
AT_API bool at_optimizer_zero_grad(at_optimizer *optimizer);

/* Frees the optimizer and its references to parameters.  NULL is accepted. */
AT_API void at_optimizer_free(at_optimizer *optimizer);

/* --- groups ----------------------------------------------------------------------------------- */

/* Adds a group of parameters with the options that were given to the optimizer, and returns its
 * number, counted from 0; the first group has number 0.  -1 after an error. */
AT_API int at_optimizer_add_group(at_optimizer *optimizer, at_tensors params);

/* The number of groups (0 for NULL), and the number of a group's parameters; -1 and an error if there
 * is no such group. */
AT_API int at_optimizer_groups(const at_optimizer *optimizer);
AT_API int at_optimizer_group_count(const at_optimizer *optimizer, int group);

/* A parameter of a group, borrowed; the undefined tensor and an error if there is none. */
AT_API at_tensor *at_optimizer_param(const at_optimizer *optimizer, int group, int index);

/* An option of a group by its name, such as "lr"; booleans are 0 or 1.  at_optimizer_get returns NaN
 * and an error if there is no such group or option; at_optimizer_set false, also if the value is out
 * of the option's range. */
AT_API double at_optimizer_get(const at_optimizer *optimizer, int group, const char *option);
AT_API bool at_optimizer_set(at_optimizer *optimizer, int group, const char *option, double value);

/* --- state ------------------------------------------------------------------------------------ */

/* The state of the optimizer as a set with values, in the layout of PyTorch's state_dict: at_save
 * writes it to a .pt file that PyTorch loads.  The tensors are the optimizer's own, which later
 * steps change.  To be given to at_dict_free; NULL after an error. */
AT_API at_dict *at_optimizer_state_dict(const at_optimizer *optimizer) AT_MUST_USE;

/* Takes the options of groups and the states of parameters from values of that layout, such as
 * at_dict_values(at_load("adam.pt")) or a part of a checkpoint by at_datum_get.  Groups and their
 * parameters have to be as many as the optimizer's, in the same order; states are copied, and
 * converted to their parameter's type.  False after an error; then nothing has changed. */
AT_API bool at_optimizer_load(at_optimizer *optimizer, at_datum state);

/* The state of one parameter: a set of its tensors under PyTorch's names, such as "exp_avg", and of
 * "step" and other numbers as Doubles without dimensions; empty before the first step.  The tensors are
 * the optimizer's own.  To be given to at_dict_free; NULL after an error, as for LBFGS, which has one
 * state for all parameters. */
AT_API at_dict *at_optimizer_param_state(const at_optimizer *optimizer, int group,
                                         int index) AT_MUST_USE;

/* Replaces the state of one parameter by copies, converted to its type; an empty set, or NULL, removes
 * it.  False after an error: a name that the optimizer does not have, or a tensor of another size than
 * the parameter; then nothing has changed. */
AT_API bool at_optimizer_set_param_state(at_optimizer *optimizer, int group, int index,
                                         const at_dict *state);

/* --- gradients before a step ------------------------------------------------------------------ */

typedef struct at_clip_grad_norm_options {
  double norm_type; /* 2: the order of the norm, positive; INFINITY for the largest element */
  bool error_if_nonfinite; /* false: whether a NaN or an infinity is an error */
} at_clip_grad_norm_options;
AT_API const at_clip_grad_norm_options at_clip_grad_norm_defaults;

/* Multiplies all gradients of the parameters by max_norm / (norm + 1e-6) if that is below 1, where
 * norm is that of all their elements together, and returns the norm.  NaN after an error.
 *
 *     at_clip_grad_norm(TensorList params, double max_norm, *, double norm_type=2,
 *                        bool error_if_nonfinite=false) -> double */
AT_API double at_clip_grad_norm(at_tensors params, double max_norm,
                                const at_clip_grad_norm_options *options);

/* Limits each element of the gradients to the range from -clip_value to clip_value.  False after an
 * error. */
AT_API bool at_clip_grad_value(at_tensors params, double clip_value);

/* The scale of losses of half precision, whose gradients would be too small for it otherwise:
 *
 *     at_scaler scaler = at_scaler_defaults;
 *     ...
 *     at_backward(at_scaler_scale(&scaler, loss));
 *     at_scaler_step(&scaler, o);
 *     at_scaler_update(&scaler);
 *
 * The scale grows after growth_interval steps without an infinity, and shrinks after one with, which
 * changes no parameter: PyTorch's GradScaler. */
typedef struct at_scaler {
  double scale;            /* 65536 */
  double growth_factor;    /* 2 */
  double backoff_factor;   /* 0.5 */
  int64_t growth_interval; /* 2000 */
  int64_t growth_tracker;  /* steps without an infinity since the last change */
  bool found_inf;          /* in any gradient since the last update */
} at_scaler;
AT_API const at_scaler at_scaler_defaults;

/* loss * scale, a new tensor. */
AT_API at_tensor *at_scaler_scale(const at_scaler *scaler, at_tensor *loss) AT_MUST_USE;

/* Divides the gradients by the scale, before they are clipped; otherwise at_scaler_step does.  Twice
 * before a step is an error. */
AT_API bool at_scaler_unscale(at_scaler *scaler, at_optimizer *optimizer);

/* A step of the optimizer, unless its gradients have an infinity or a NaN. */
AT_API bool at_scaler_step(at_scaler *scaler, at_optimizer *optimizer);

/* Changes the scale, once after the steps of all optimizers. */
AT_API bool at_scaler_update(at_scaler *scaler);

/* The scale, its options and growth_tracker as a set with values, in the layout of PyTorch's
 * GradScaler.state_dict().  To be given to at_dict_free; NULL after an error. */
AT_API at_dict *at_scaler_state_dict(const at_scaler *scaler) AT_MUST_USE;

/* Takes them from values of that layout.  False after an error; then nothing has changed. */
AT_API bool at_scaler_load(at_scaler *scaler, at_datum state);

/* --- averages of parameters -------------------------------------------------------------------- */

/* Averages of parameters over the steps, PyTorch's torch.optim.swa_utils.AveragedModel. */
typedef struct at_average at_average;

/* An exponential average, avg = decay * avg + (1 - decay) * w, and a plain one.  It begins with the
 * values at the first update.  Parameters are of floating types; the average keeps
 * references to them.  NULL after an error. */
AT_API at_average *at_ema(at_tensors params, double decay) AT_MUST_USE;
AT_API at_average *at_swa(at_tensors params) AT_MUST_USE;

/* Takes in the parameters as they are now.  False after an error. */
AT_API bool at_average_update(at_average *average);

/* The average of a parameter, borrowed; the undefined tensor and an error if there is none. */
AT_API at_tensor *at_average_param(const at_average *average, int index);

/* NULL is accepted. */
AT_API void at_average_free(at_average *average);

#endif

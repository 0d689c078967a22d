/* An optimizer is a rule, a row of rules.c: its options, the names of its states, and a function
 * that says for each parameter what a step does to its elements. */
#ifndef ATEN_OPTIMIZER_H
#define ATEN_OPTIMIZER_H

#include "ATenGrad.h"
#include "ATenOptim.h"
#include "update.h"

typedef enum at_option_kind {
  AT_OPTION_NUMBER,
  AT_OPTION_INTEGER,
  AT_OPTION_BOOL,
  AT_OPTION_CHOICE, /* an enumerator; in files a text, or None for the first */
  AT_OPTION_MAYBE,  /* a number, or NaN; in files None for NaN */
  AT_OPTION_NONE,   /* in files alone: None */
  AT_OPTION_FALSE   /* in files alone: False */
} at_option_kind;

/* An option, in the order in which PyTorch's files have them. */
typedef struct at_option {
  const char *name; /* in a group */
  const char *key;  /* in a file, where the parts of a tuple are several options */
  int parts;        /* of the tuple that begins here; 0 inside of one; 1 for what is no tuple */
  at_option_kind kind;
  size_t offset; /* in the struct of options */
  double least, most;
  const char *const *texts; /* of a choice */
} at_option;

enum { AT_KEPT = 2 };

/* Memory for the struct of options of any rule. */
typedef union at_optionsOfAny {
  at_sgd_options sgd;
  at_adam_options adam;
  at_rmsprop_options rmsprop;
  at_adagrad_options adagrad;
  at_adadelta_options adadelta;
  at_adamax_options adamax;
  at_nadam_options nadam;
  at_radam_options radam;
  at_asgd_options asgd;
  at_rprop_options rprop;
  at_adafactor_options adafactor;
  at_muon_options muon;
  at_lbfgs_options lbfgs;
} at_optionsOfAny;

/* What is kept for a parameter. */
typedef struct at_param {
  at_tensor *t, *state[AT_STATES]; /* references; a state is NULL until it is needed */
  double steps;                    /* how many steps have changed this parameter */
  double kept[AT_KEPT];            /* other numbers that the rule keeps */
} at_param;

/* What schedules keep in a group, under PyTorch's keys. */
typedef enum at_group_extra {
  AT_INITIAL_LR,
  AT_MAX_LR,
  AT_MIN_LR,
  AT_BASE_MOMENTUM,
  AT_MAX_MOMENTUM,
  AT_GROUP_EXTRAS
} at_group_extra;
extern const char *const at_groupExtras[AT_GROUP_EXTRAS];

typedef struct at_group {
  int first, count; /* in the list of parameters */
  at_optionsOfAny options;
  double extras[AT_GROUP_EXTRAS]; /* NaN where there is none */
} at_group;

/* What a rule makes of a step of a parameter. */
typedef struct at_plan {
  at_update_name name;
  at_numbers numbers;
  int count; /* of states, and which of the rule's they are */
  int states[AT_STATES];
  double kept[AT_KEPT]; /* after the step */
} at_plan;

typedef struct at_rule {
  const char *name; /* of the function that makes an optimizer, without at_ */
  size_t optionBytes;
  const at_option *options; /* the last has no name */
  const char *states[AT_STATES];
  const char *numbers[AT_KEPT]; /* the names of what a param keeps, or NULL */
  bool counts;                  /* files have the number of steps */
  double kept[AT_KEPT];         /* the first values of the numbers that the rule keeps */
  /* The value of states that exist before the first step; NULL if they are made when needed, of
   * zeros. */
  double (*first)(const at_optionsOfAny *o);
  const char *(*problem)(const at_optionsOfAny *o); /* beyond ranges: a message; or NULL */
  void (*plan)(const at_optionsOfAny *o, const at_param *param, at_plan *plan);
  bool forMatrices;  /* parameters of two dimensions alone */
  bool takesClosure; /* a step is at_lbfgsStep, and there is one group */
  /* What stands for the gradient: a new reference, as to what becomes of states, which begin as NULL
   * and are those of the plan no more; or NULL. */
  at_tensor *(*direction)(const at_optionsOfAny *o, const at_param *param, at_tensor *grad,
                          at_tensor **states);
  /* The sizes of a state of a parameter of these sizes, in buffer; NULL if they are the parameter's. */
  at_ints (*sizes)(at_ints param, int state, int64_t *buffer);
} at_rule;

/* The state of a tensor before the first step. */
static inline at_param at_newParam(const at_rule *rule, at_tensor *t)
{
  at_param made = {.t = t};
  for (int i = 0; i < AT_KEPT; i++)
    made.kept[i] = rule->kept[i];
  return made;
}

/* The optimizers of ATenOptim.h. */
#define AT_FOR_EACH_RULE(X) \
  X(sgd)                    \
  X(adam)                   \
  X(adamw)                  \
  X(rmsprop)                \
  X(adagrad) X(adadelta) X(adamax) X(nadam) X(radam) X(asgd) X(rprop) X(adafactor) X(muon) X(lbfgs)
typedef enum at_rule_name {
#define ENTRY(NAME) AT_RULE_##NAME,
  AT_FOR_EACH_RULE(ENTRY)
#undef ENTRY
      AT_RULE_COUNT
} at_rule_name;
extern const at_rule at_rules[AT_RULE_COUNT];

struct at_optimizer {
  const at_rule *rule;
  at_optionsOfAny defaults; /* of groups to be added */
  at_group *groups;
  at_param *params;
  int groupCount, paramCount;
  bool isUnscaled, overflows; /* what a scaler found since the last step */
  struct at_lbfgs *lbfgs;     /* its state; NULL before the first step */
};

/* A step of L-BFGS; returns the first loss. */
double at_lbfgsStep(at_optimizer *o, at_closure closure, void *context);
void at_lbfgs_free(struct at_lbfgs *state);

/* Muon's plan and direction. */
void at_planMuon(const at_optionsOfAny *options, const at_param *param, at_plan *plan);
at_tensor *at_muonDirection(const at_optionsOfAny *options, const at_param *param, at_tensor *grad,
                            at_tensor **states);

/* Adafactor's plan and direction, and the sizes of its states. */
void at_planAdafactor(const at_optionsOfAny *options, const at_param *param, at_plan *plan);
at_tensor *at_adafactorDirection(const at_optionsOfAny *options, const at_param *param,
                                 at_tensor *grad, at_tensor **states);
at_ints at_adafactorSizes(at_ints param, int state, int64_t *buffer);

/* The sizes of a parameter's state; buffer is for AT_MOST_DIMS. */
at_ints at_stateSizes(const at_rule *rule, const at_tensor *param, int state, int64_t *buffer);

/* A copy of t as a state of the parameter, a new reference; raises if t is of other sizes than the
 * state, with the words that name it. */
at_tensor *at_newState(const at_rule *rule, const at_tensor *param, int state, at_tensor *t,
                       const char *name);

/* The rule's option of that name, or NULL. */
const at_option *at_optionOf(const at_rule *rule, const char *name);

/* The value of an option, which is a member of the struct. */
double at_option_get(const at_option *option, const at_optionsOfAny *options);
void at_option_set(const at_option *option, at_optionsOfAny *options, double value);

/* Raises unless the value is in the option's range. */
void at_option_check(const at_option *option, double value);

#endif

/* A schedule is a row, which says how rates change, and numbers, of which each kind uses a few. */
#ifndef ATEN_SCHEDULE_PARTS_H
#define ATEN_SCHEDULE_PARTS_H

#include "ATenSchedule.h"

#include "Optimizer.h"

typedef enum at_schedule_kind {
  AT_STEP_LR,
  AT_MULTISTEP_LR,
  AT_CONSTANT_LR,
  AT_LINEAR_LR,
  AT_EXPONENTIAL_LR,
  AT_POLYNOMIAL_LR,
  AT_COSINE_LR,
  AT_RESTARTS_LR,
  AT_ONECYCLE_LR,
  AT_CYCLIC_LR,
  AT_LAMBDA_LR,
  AT_PLATEAU_LR,
  AT_SEQUENTIAL_LR,
  AT_CHAINED_LR,
  AT_SCHEDULE_KINDS
} at_schedule_kind;

typedef struct at_scheduleRow at_scheduleRow;

struct at_schedule {
  const at_scheduleRow *row;
  at_optimizer *optimizer;
  int64_t step; /* e */
  int groups;
  double *base;                      /* the rates of groups before the first schedule */
  int64_t period, periods[2], times; /* in steps */
  int64_t within, length;            /* of restarts: the step in the period, and the period */
  double factor, end, power, rates[3], momenta[2]; /* the last two from the lowest on */
  bool cycles;                                     /* momenta too */
  at_cycle mode;
  at_onecycle_lr_options cycle;
  at_plateau_lr_options plateau;
  double best;          /* metric */
  int64_t bad, cooling; /* steps */
  at_factor function;
  void *context;
  int64_t *milestones; /* in their order */
  int milestoneCount;
  at_schedule **parts; /* of others */
  int partCount;
};

struct at_scheduleRow {
  const char *name;
  /* The rate at step 0, and at a later one after that of lr. */
  double (*first)(const at_schedule *s, double base, double lr);
  double (*next)(const at_schedule *s, double base, double lr);
  double (*momentum)(const at_schedule *s); /* NULL if it stays */
  void (*advance)(at_schedule *s); /* what changes besides the number of the step; or NULL */
};
extern const at_scheduleRow at_scheduleRows[AT_SCHEDULE_KINDS];

/* The rate of a group, in the optimizer. */
double *at_schedule_rate(const at_schedule *s, int group);

/* What stands for the momentum of a group: beta1 where there is one; NULL if there is neither. */
double *at_schedule_momentum(at_optimizer *o, int group);

/* Sets the rates of all groups for the step that the schedule is at; begins at step 0. */
void at_schedule_apply(const at_schedule *s);
void at_schedule_begin(at_schedule *s);

/* The part that a sequence is in: the number of milestones that are behind it. */
int at_schedule_partAt(const at_schedule *s);

#endif

/* What tests ask of the stand-in for cuDNN. */
#ifndef CUSIM_DNN_H
#define CUSIM_DNN_H

/* The next call returns that status. */
void cusim_dnn_fail(int status);

/* How many convolutions an engine has had ("narrow", "rounding", "unordered", "direct", "plain"), or all for NULL; how
 * many plans were made. */
int cusim_dnn_runs(const char *engine);
int cusim_dnn_plans(void);

#endif

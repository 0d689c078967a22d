/* The functions that R calls. */
#include <R_ext/Rdynload.h>

#include "thaten.h"

#define ROW(NAME, COUNT) {#NAME, (DL_FUNC)(void (*)(void))NAME, COUNT}
static const R_CallMethodDef rows[] = {ROW(thr_names, 0),
                                       ROW(thr_describe, 1),
                                       ROW(thr_call, 2),
                                       ROW(thr_fromArray, 2),
                                       ROW(thr_toArray, 1),
                                       ROW(thr_dim, 1),
                                       ROW(thr_type, 1),
                                       ROW(thr_text, 1),
                                       ROW(thr_generator, 1),
                                       ROW(thr_storage, 1),
                                       ROW(thr_seed, 1),
                                       ROW(thr_load, 1),
                                       ROW(thr_save, 2),
                                       ROW(thr_program, 1),
                                       ROW(thr_programRun, 2),
                                       ROW(thr_programInputs, 1),
                                       ROW(thr_programText, 1),
                                       ROW(thr_requiresGrad, 1),
                                       ROW(thr_wantsGrad, 1),
                                       ROW(thr_grad, 1),
                                       ROW(thr_setGrad, 2),
                                       ROW(thr_backward, 3),
                                       ROW(thr_setRecording, 1),
                                       ROW(thr_constructors, 0),
                                       ROW(thr_construct, 2),
                                       ROW(thr_sequential, 1),
                                       ROW(thr_moduleList, 1),
                                       ROW(thr_forward, 2),
                                       ROW(thr_parameters, 1),
                                       ROW(thr_stateDict, 1),
                                       ROW(thr_moduleLoad, 2),
                                       ROW(thr_moduleSave, 2),
                                       ROW(thr_child, 2),
                                       ROW(thr_setTraining, 2),
                                       ROW(thr_moduleTo, 2),
                                       ROW(thr_moduleZeroGrad, 1),
                                       ROW(thr_moduleText, 1),
                                       ROW(thr_step, 1),
                                       ROW(thr_zeroGrad, 1),
                                       ROW(thr_addGroup, 2),
                                       ROW(thr_getOption, 3),
                                       ROW(thr_setOption, 4),
                                       ROW(thr_scheduleStep, 2),
                                       ROW(thr_clipGradNorm, 2),
                                       ROW(thr_clipGradValue, 2),
                                       ROW(thr_gradients, 3),
                                       ROW(thr_detachIn, 1),
                                       ROW(thr_callOwn, 2),
                                       ROW(thr_kind, 1),
                                       ROW(thr_named, 2),
                                       ROW(thr_loadStateDict, 2),
                                       ROW(thr_add, 4),
                                       ROW(thr_get, 2),
                                       ROW(thr_childNames, 1),
                                       ROW(thr_moduleClone, 1),
                                       ROW(thr_moduleRequiresGrad, 2),
                                       ROW(thr_isTraining, 1),
                                       ROW(thr_moduleNumel, 1),
                                       ROW(thr_stepBy, 2),
                                       ROW(thr_optimizerSave, 2),
                                       ROW(thr_optimizerLoad, 2),
                                       ROW(thr_dataset, 1),
                                       ROW(thr_datasetCount, 1),
                                       ROW(thr_loaderNext, 1),
                                       ROW(thr_loaderBatches, 1),
                                       ROW(thr_loadIdx, 1),
                                       ROW(thr_loadCsv, 1),
                                       ROW(thr_setAutocast, 1),
                                       {NULL, NULL, 0}};

void R_init_thaten(DllInfo *info);
void R_init_thaten(DllInfo *info)
{
  if (at_tableVersion != AT_TABLE_VERSION)
    Rf_error("libATen has another version of its table than its headers");
  R_registerRoutines(info, NULL, rows, NULL, NULL);
  R_useDynamicSymbols(info, FALSE);
}

/* Macros for the functions that may fail and are not operations.  Each calls the function of its
 * name and records file and line of the call for error messages, as the macros of operations do. */
#ifndef ATEN_PLACES_H
#define ATEN_PLACES_H

#include "ATenCall.h"
#include "ATenData.h"
#include "ATenDLPack.h"
#include "ATenFile.h"
#include "ATenGrad.h"
#include "ATenLayers.h"
#include "ATenOptim.h"
#include "ATenPrint.h"
#include "ATenProgram.h"
#include "ATenProgress.h"
#include "ATenSchedule.h"
#include "ATenStorage.h"
#include "ATenSummary.h"

#define AT_CALL_RETURNING(NAME, USE, TYPE, FAILED)                               \
  static inline USE TYPE at_call_##NAME(const char *file, int line, TYPE result) \
  {                                                                              \
    if (FAILED)                                                                  \
      at_error_locate(file, line);                                               \
    return result;                                                               \
  }
AT_CALL_RETURNING(scalar, , at_scalar,
                  result.value.integer == 0 || result.value.number != result.value.number)
AT_CALL_RETURNING(double, , double, result == 0 || result != result)
AT_CALL_RETURNING(item, , int64_t, result == 0)
AT_CALL_RETURNING(size, , int64_t, result == -1)
AT_CALL_RETURNING(type, , const at_type *, !at_type_defined(result))
AT_CALL_RETURNING(storage, AT_MUST_USE, at_storage *, !result)
AT_CALL_RETURNING(generator, AT_MUST_USE, at_generator *, !result)
AT_CALL_RETURNING(dict, AT_MUST_USE, at_dict *, !result)
AT_CALL_RETURNING(name, , const char *, !result)
AT_CALL_RETURNING(program, AT_MUST_USE, at_program *, !result)
AT_CALL_RETURNING(optimizer, AT_MUST_USE, at_optimizer *, !result)
AT_CALL_RETURNING(schedule, AT_MUST_USE, at_schedule *, !result)
AT_CALL_RETURNING(average, AT_MUST_USE, at_average *, !result)
AT_CALL_RETURNING(dataset, AT_MUST_USE, at_dataset *, !result)
AT_CALL_RETURNING(loader, AT_MUST_USE, at_loader *, !result)
AT_CALL_RETURNING(progress, AT_MUST_USE, at_progress *, !result)
AT_CALL_RETURNING(summary, AT_MUST_USE, at_summary *, !result)
AT_CALL_RETURNING(results, , const at_tensors *, result->count == 0)
AT_CALL_RETURNING(text, AT_MUST_USE, char *, !result)
AT_CALL_RETURNING(done, , bool, !result)
AT_CALL_RETURNING(child, , at_module *, !result)
#undef AT_CALL_RETURNING

#define at_item(...)        at_call_scalar(__FILE__, __LINE__, (at_item)(__VA_ARGS__))
#define at_item_double(...) at_call_double(__FILE__, __LINE__, (at_item_double)(__VA_ARGS__))
#define at_item_long(...)   at_call_item(__FILE__, __LINE__, (at_item_long)(__VA_ARGS__))
#define at_size(...)        at_call_size(__FILE__, __LINE__, (at_size)(__VA_ARGS__))
#define at_stride(...)      at_call_size(__FILE__, __LINE__, (at_stride)(__VA_ARGS__))
#define at_getType(...)     at_call_type(__FILE__, __LINE__, (at_getType)(__VA_ARGS__))
#define at_fromTH(...)      at_call_new(__FILE__, __LINE__, (at_fromTH)(__VA_ARGS__))
#define at_fromArray(...)   at_call_new(__FILE__, __LINE__, (at_fromArray)(__VA_ARGS__))
#define at_fromDLPack(...)  at_call_new(__FILE__, __LINE__, (at_fromDLPack)(__VA_ARGS__))
#define at_fromDLPackVersioned(...) \
  at_call_new(__FILE__, __LINE__, (at_fromDLPackVersioned)(__VA_ARGS__))
#define at_storage_new(...) at_call_storage(__FILE__, __LINE__, (at_storage_new)(__VA_ARGS__))
#define at_storageOf(...)   at_call_storage(__FILE__, __LINE__, (at_storageOf)(__VA_ARGS__))
#define at_defaultGenerator(...) \
  at_call_generator(__FILE__, __LINE__, (at_defaultGenerator)(__VA_ARGS__))
#define at_generator_new(...) at_call_generator(__FILE__, __LINE__, (at_generator_new)(__VA_ARGS__))
#define at_dict_name(...)     at_call_name(__FILE__, __LINE__, (at_dict_name)(__VA_ARGS__))
#define at_dict_at(...)       at_call_given(__FILE__, __LINE__, (at_dict_at)(__VA_ARGS__))
#define at_dict_get(...)      at_call_given(__FILE__, __LINE__, (at_dict_get)(__VA_ARGS__))
#define at_dict_nest(...)     at_call_done(__FILE__, __LINE__, (at_dict_nest)(__VA_ARGS__))
#define at_dict_set_integer(...) \
  at_call_done(__FILE__, __LINE__, (at_dict_set_integer)(__VA_ARGS__))
#define at_dict_set_number(...) at_call_done(__FILE__, __LINE__, (at_dict_set_number)(__VA_ARGS__))
#define at_dict_set(...)        at_call_done(__FILE__, __LINE__, (at_dict_set)(__VA_ARGS__))
#define at_file_list(...)       at_call_dict(__FILE__, __LINE__, (at_file_list)(__VA_ARGS__))
#define at_save(...)            at_call_done(__FILE__, __LINE__, (at_save)(__VA_ARGS__))
#define at_load_npy(...)        at_call_new(__FILE__, __LINE__, (at_load_npy)(__VA_ARGS__))
#define at_save_npy(...)        at_call_done(__FILE__, __LINE__, (at_save_npy)(__VA_ARGS__))
#define at_op_register(...)     at_call_done(__FILE__, __LINE__, (at_op_register)(__VA_ARGS__))
#define at_program_load(...)    at_call_program(__FILE__, __LINE__, (at_program_load)(__VA_ARGS__))
#define at_program_loadWith(...) \
  at_call_program(__FILE__, __LINE__, (at_program_loadWith)(__VA_ARGS__))
#define at_program_run(...) at_call_results(__FILE__, __LINE__, (at_program_run)(__VA_ARGS__))
#define at_program_runLists(...) \
  at_call_results(__FILE__, __LINE__, (at_program_runLists)(__VA_ARGS__))
#define at_program_toString(...) \
  at_call_text(__FILE__, __LINE__, (at_program_toString)(__VA_ARGS__))
#define at_program_setTiming(...) \
  at_call_done(__FILE__, __LINE__, (at_program_setTiming)(__VA_ARGS__))
#define at_program_timings(...) at_call_text(__FILE__, __LINE__, (at_program_timings)(__VA_ARGS__))
#define at_program_save(...)    at_call_done(__FILE__, __LINE__, (at_program_save)(__VA_ARGS__))
#define at_program_saveTrace(...) \
  at_call_done(__FILE__, __LINE__, (at_program_saveTrace)(__VA_ARGS__))
#define at_requires_grad_(...) at_call_given(__FILE__, __LINE__, (at_requires_grad_)(__VA_ARGS__))
#define at_detach_(...)        at_call_given(__FILE__, __LINE__, (at_detach_)(__VA_ARGS__))
#define at_retain_grad(...)    at_call_given(__FILE__, __LINE__, (at_retain_grad)(__VA_ARGS__))
#define at_set_grad(...)       at_call_done(__FILE__, __LINE__, (at_set_grad)(__VA_ARGS__))
#define at_jvp(...)            at_call_list(__FILE__, __LINE__, (at_jvp)(__VA_ARGS__))
#define at_add_hook(...)       at_call_done(__FILE__, __LINE__, (at_add_hook)(__VA_ARGS__))
#define at_autocast_set(...)   at_call_done(__FILE__, __LINE__, (at_autocast_set)(__VA_ARGS__))
#define at_remove_hook(...)    at_call_done(__FILE__, __LINE__, (at_remove_hook)(__VA_ARGS__))
#define at_apply(...)          at_call_new(__FILE__, __LINE__, (at_apply)(__VA_ARGS__))
#define at_apply_list(...)     at_call_list(__FILE__, __LINE__, (at_apply_list)(__VA_ARGS__))
#define at_checkpoint(...)     at_call_new(__FILE__, __LINE__, (at_checkpoint)(__VA_ARGS__))
#define at_optimizer_step(...) at_call_done(__FILE__, __LINE__, (at_optimizer_step)(__VA_ARGS__))
#define at_optimizer_step_by(...) \
  at_call_done(__FILE__, __LINE__, (at_optimizer_step_by)(__VA_ARGS__))
#define at_optimizer_zero_grad(...) \
  at_call_done(__FILE__, __LINE__, (at_optimizer_zero_grad)(__VA_ARGS__))
#define at_optimizer_add_group(...) \
  ((int)at_call_size(__FILE__, __LINE__, (at_optimizer_add_group)(__VA_ARGS__)))
#define at_optimizer_param(...) at_call_given(__FILE__, __LINE__, (at_optimizer_param)(__VA_ARGS__))
#define at_optimizer_get(...)   at_call_double(__FILE__, __LINE__, (at_optimizer_get)(__VA_ARGS__))
#define at_optimizer_set(...)   at_call_done(__FILE__, __LINE__, (at_optimizer_set)(__VA_ARGS__))
#define at_optimizer_state_dict(...) \
  at_call_dict(__FILE__, __LINE__, (at_optimizer_state_dict)(__VA_ARGS__))
#define at_optimizer_param_state(...) \
  at_call_dict(__FILE__, __LINE__, (at_optimizer_param_state)(__VA_ARGS__))
#define at_optimizer_set_param_state(...) \
  at_call_done(__FILE__, __LINE__, (at_optimizer_set_param_state)(__VA_ARGS__))
#define at_optimizer_load(...) at_call_done(__FILE__, __LINE__, (at_optimizer_load)(__VA_ARGS__))
#define at_module_call(...)    at_call_new(__FILE__, __LINE__, (at_module_call)(__VA_ARGS__))
#define at_forward(MODULE, ...) \
  at_call_new(__FILE__, __LINE__, (at_module_call)(MODULE, AT_TENSORS(__VA_ARGS__)))
#define at_module_new(...)    at_call_module(__FILE__, __LINE__, (at_module_new)(__VA_ARGS__))
#define at_module_add(...)    at_call_child(__FILE__, __LINE__, (at_module_add)(__VA_ARGS__))
#define at_module_append(...) at_call_child(__FILE__, __LINE__, (at_module_append)(__VA_ARGS__))
#define at_module_get(...)    at_call_given(__FILE__, __LINE__, (at_module_get)(__VA_ARGS__))
#define at_module_set(...)    at_call_done(__FILE__, __LINE__, (at_module_set)(__VA_ARGS__))
#define at_module_to(...)     at_call_done(__FILE__, __LINE__, (at_module_to)(__VA_ARGS__))
#define at_module_save(...)   at_call_done(__FILE__, __LINE__, (at_module_save)(__VA_ARGS__))
#define at_module_clone(...)  at_call_module(__FILE__, __LINE__, (at_module_clone)(__VA_ARGS__))
#define at_module_state_dict(...) \
  at_call_dict(__FILE__, __LINE__, (at_module_state_dict)(__VA_ARGS__))
#define at_module_add_parameter(...) \
  at_call_given(__FILE__, __LINE__, (at_module_add_parameter)(__VA_ARGS__))
#define at_module_add_buffer(...) \
  at_call_given(__FILE__, __LINE__, (at_module_add_buffer)(__VA_ARGS__))
#define at_load_idx(...)   at_call_new(__FILE__, __LINE__, (at_load_idx)(__VA_ARGS__))
#define at_load_cifar(...) at_call_list(__FILE__, __LINE__, (at_load_cifar)(__VA_ARGS__))
#define at_dataset_tensors(...) \
  at_call_dataset(__FILE__, __LINE__, (at_dataset_tensors)(__VA_ARGS__))
#define at_dataset_folder(...) at_call_dataset(__FILE__, __LINE__, (at_dataset_folder)(__VA_ARGS__))
#define at_dataset_class(...)  at_call_name(__FILE__, __LINE__, (at_dataset_class)(__VA_ARGS__))
#define at_dataset_path(...)   at_call_name(__FILE__, __LINE__, (at_dataset_path)(__VA_ARGS__))
#define at_dataset_function(...) \
  at_call_dataset(__FILE__, __LINE__, (at_dataset_function)(__VA_ARGS__))
#define at_progress_step(...)  at_call_done(__FILE__, __LINE__, (at_progress_step)(__VA_ARGS__))
#define at_progress_curve(...) at_call_text(__FILE__, __LINE__, (at_progress_curve)(__VA_ARGS__))
#define at_progress_save(...)  at_call_done(__FILE__, __LINE__, (at_progress_save)(__VA_ARGS__))
#define at_summary_new(...)    at_call_summary(__FILE__, __LINE__, (at_summary_new)(__VA_ARGS__))
#define at_summary_scalar(...) at_call_done(__FILE__, __LINE__, (at_summary_scalar)(__VA_ARGS__))
#define at_summary_histogram(...) \
  at_call_done(__FILE__, __LINE__, (at_summary_histogram)(__VA_ARGS__))
#define at_summary_image(...) at_call_done(__FILE__, __LINE__, (at_summary_image)(__VA_ARGS__))
#define at_summary_text(...)  at_call_done(__FILE__, __LINE__, (at_summary_text)(__VA_ARGS__))
#define at_exponential_lr(...) \
  at_call_schedule(__FILE__, __LINE__, (at_exponential_lr)(__VA_ARGS__))
#define at_lambda_lr(...)     at_call_schedule(__FILE__, __LINE__, (at_lambda_lr)(__VA_ARGS__))
#define at_sequential_lr(...) at_call_schedule(__FILE__, __LINE__, (at_sequential_lr)(__VA_ARGS__))
#define at_chained_lr(...)    at_call_schedule(__FILE__, __LINE__, (at_chained_lr)(__VA_ARGS__))
#define at_schedule_step(...) at_call_done(__FILE__, __LINE__, (at_schedule_step)(__VA_ARGS__))
#define at_schedule_state_dict(...) \
  at_call_dict(__FILE__, __LINE__, (at_schedule_state_dict)(__VA_ARGS__))
#define at_schedule_load(...) at_call_done(__FILE__, __LINE__, (at_schedule_load)(__VA_ARGS__))
#define at_schedule_step_by(...) \
  at_call_done(__FILE__, __LINE__, (at_schedule_step_by)(__VA_ARGS__))
#define at_clip_grad_value(...) at_call_done(__FILE__, __LINE__, (at_clip_grad_value)(__VA_ARGS__))
#define at_scaler_scale(...)    at_call_new(__FILE__, __LINE__, (at_scaler_scale)(__VA_ARGS__))
#define at_scaler_unscale(...)  at_call_done(__FILE__, __LINE__, (at_scaler_unscale)(__VA_ARGS__))
#define at_scaler_step(...)     at_call_done(__FILE__, __LINE__, (at_scaler_step)(__VA_ARGS__))
#define at_scaler_state_dict(...) \
  at_call_dict(__FILE__, __LINE__, (at_scaler_state_dict)(__VA_ARGS__))
#define at_scaler_load(...)    at_call_done(__FILE__, __LINE__, (at_scaler_load)(__VA_ARGS__))
#define at_scaler_update(...)  at_call_done(__FILE__, __LINE__, (at_scaler_update)(__VA_ARGS__))
#define at_ema(...)            at_call_average(__FILE__, __LINE__, (at_ema)(__VA_ARGS__))
#define at_swa(...)            at_call_average(__FILE__, __LINE__, (at_swa)(__VA_ARGS__))
#define at_average_update(...) at_call_done(__FILE__, __LINE__, (at_average_update)(__VA_ARGS__))
#define at_average_param(...)  at_call_given(__FILE__, __LINE__, (at_average_param)(__VA_ARGS__))
#define at_toString(...)       at_call_text(__FILE__, __LINE__, (at_toString)(__VA_ARGS__))

/* clang-format off */
#define at_load(...) \
  at_load__(AT_UNIQUE, AT_UNIQUE, __VA_ARGS__, , , , , )
#define at_load__(options_, result_, path, option1_, option2_, option3_, left_, ...) \
  at_call_dict(__FILE__, __LINE__, __extension__({ \
    AT_NO_MORE("at_load", 3, left_); \
    at_load_options options_ = {false, 0, false}; \
    at_dict *result_; \
    AT_OPTION(options_, option1_), \
    AT_OPTION(options_, option2_), \
    AT_OPTION(options_, option3_), \
    result_ = (at_load)(path, &options_); \
    result_; }))
#define at_backward(...) \
  at_backward__(AT_UNIQUE, AT_UNIQUE, __VA_ARGS__, , , , , )
#define at_backward__(options_, result_, self, option1_, option2_, option3_, left_, ...) \
  at_call_done(__FILE__, __LINE__, __extension__({ \
    AT_NO_MORE("at_backward", 3, left_); \
    at_backward_options options_ = {NULL, false, false}; \
    bool result_; \
    AT_OPTION(options_, option1_), AT_OPTION(options_, option2_), AT_OPTION(options_, option3_), \
    result_ = (at_backward)(self, &options_); \
    result_; }))
#define at_gradients(...) \
  at_gradients__(AT_UNIQUE, AT_UNIQUE, __VA_ARGS__, , , , , , , )
#define at_gradients__(options_, result_, outputs, inputs, option1_, option2_, option3_, option4_, \
                       option5_, left_, ...) \
  at_call_list(__FILE__, __LINE__, __extension__({ \
    AT_NO_MORE("at_gradients", 5, left_); \
    at_gradients_options options_ = {{NULL, 0}, false, false, false, false}; \
    const at_tensors *result_; \
    AT_OPTION(options_, option1_), AT_OPTION(options_, option2_), \
    AT_OPTION(options_, option3_), AT_OPTION(options_, option4_), AT_OPTION(options_, option5_), \
    result_ = (at_gradients)(outputs, inputs, &options_); \
    result_; }))
#define at_module_load(...) \
  at_module_load__(AT_UNIQUE, AT_UNIQUE, __VA_ARGS__, , , , )
#define at_module_load__(options_, result_, self, path, option1_, option2_, left_, ...) \
  at_call_done(__FILE__, __LINE__, __extension__({ \
    AT_NO_MORE("at_module_load", 2, left_); \
    at_module_load_options options_ = {"", true}; \
    bool result_; \
    AT_OPTION(options_, option1_), AT_OPTION(options_, option2_), \
    result_ = (at_module_load)(self, path, &options_); \
    result_; }))
#define at_module_load_state_dict(...) \
  at_module_load_state_dict__(AT_UNIQUE, AT_UNIQUE, __VA_ARGS__, , , , )
#define at_module_load_state_dict__(options_, result_, self, dict, option1_, option2_, left_, ...) \
  at_call_done(__FILE__, __LINE__, __extension__({ \
    AT_NO_MORE("at_module_load_state_dict", 2, left_); \
    at_module_load_options options_ = {"", true}; \
    bool result_; \
    AT_OPTION(options_, option1_), AT_OPTION(options_, option2_), \
    result_ = (at_module_load_state_dict)(self, dict, &options_); \
    result_; }))
/* A function with 1, 2 or 3 arguments and up to 10 options; KIND is what it returns. */
#define AT_TEN_OPTIONS(NAME, options_, left_, o1, o2, o3, o4, o5, o6, o7, o8, o9, o10) \
  AT_NO_MORE("at_" #NAME, 10, left_); \
  at_##NAME##_options options_ = at_##NAME##_defaults; \
  AT_OPTION(options_, o1), AT_OPTION(options_, o2), AT_OPTION(options_, o3), \
  AT_OPTION(options_, o4), AT_OPTION(options_, o5), AT_OPTION(options_, o6), \
  AT_OPTION(options_, o7), AT_OPTION(options_, o8), AT_OPTION(options_, o9), \
  AT_OPTION(options_, o10)
#define AT_WITH_1(KIND, NAME, ...) AT_WITH_1__(AT_UNIQUE, KIND, NAME, __VA_ARGS__)
#define AT_WITH_1__(options_, KIND, NAME, a, o1, o2, o3, o4, o5, o6, o7, o8, o9, o10, left_, ...) \
  at_call_##KIND(__FILE__, __LINE__, __extension__({ \
    AT_TEN_OPTIONS(NAME, options_, left_, o1, o2, o3, o4, o5, o6, o7, o8, o9, o10); \
    (at_##NAME)(a, &options_); }))
#define AT_WITH_2(KIND, NAME, ...) AT_WITH_2__(AT_UNIQUE, KIND, NAME, __VA_ARGS__)
#define AT_WITH_2__(options_, KIND, NAME, a, b, o1, o2, o3, o4, o5, o6, o7, o8, o9, o10, left_, ...) \
  at_call_##KIND(__FILE__, __LINE__, __extension__({ \
    AT_TEN_OPTIONS(NAME, options_, left_, o1, o2, o3, o4, o5, o6, o7, o8, o9, o10); \
    (at_##NAME)(a, b, &options_); }))
#define AT_WITH_3(KIND, NAME, ...) AT_WITH_3__(AT_UNIQUE, KIND, NAME, __VA_ARGS__)
#define AT_WITH_3__(options_, KIND, NAME, a, b, c, o1, o2, o3, o4, o5, o6, o7, o8, o9, o10, left_, ...) \
  at_call_##KIND(__FILE__, __LINE__, __extension__({ \
    AT_TEN_OPTIONS(NAME, options_, left_, o1, o2, o3, o4, o5, o6, o7, o8, o9, o10); \
    (at_##NAME)(a, b, c, &options_); }))
#define at_sgd(...) AT_WITH_1(optimizer, sgd, __VA_ARGS__, , , , , , , , , , , , )
#define at_adam(...) AT_WITH_1(optimizer, adam, __VA_ARGS__, , , , , , , , , , , , )
#define at_adamw(...) AT_WITH_1(optimizer, adamw, __VA_ARGS__, , , , , , , , , , , , )
#define at_rmsprop(...) AT_WITH_1(optimizer, rmsprop, __VA_ARGS__, , , , , , , , , , , , )
#define at_adagrad(...) AT_WITH_1(optimizer, adagrad, __VA_ARGS__, , , , , , , , , , , , )
#define at_adadelta(...) AT_WITH_1(optimizer, adadelta, __VA_ARGS__, , , , , , , , , , , , )
#define at_adamax(...) AT_WITH_1(optimizer, adamax, __VA_ARGS__, , , , , , , , , , , , )
#define at_nadam(...) AT_WITH_1(optimizer, nadam, __VA_ARGS__, , , , , , , , , , , , )
#define at_radam(...) AT_WITH_1(optimizer, radam, __VA_ARGS__, , , , , , , , , , , , )
#define at_asgd(...) AT_WITH_1(optimizer, asgd, __VA_ARGS__, , , , , , , , , , , , )
#define at_rprop(...) AT_WITH_1(optimizer, rprop, __VA_ARGS__, , , , , , , , , , , , )
#define at_adafactor(...) AT_WITH_1(optimizer, adafactor, __VA_ARGS__, , , , , , , , , , , , )
#define at_muon(...) AT_WITH_1(optimizer, muon, __VA_ARGS__, , , , , , , , , , , , )
#define at_lbfgs(...) AT_WITH_1(optimizer, lbfgs, __VA_ARGS__, , , , , , , , , , , , )
#define at_step_lr(...) AT_WITH_2(schedule, step_lr, __VA_ARGS__, , , , , , , , , , , , )
#define at_multistep_lr(...) AT_WITH_2(schedule, multistep_lr, __VA_ARGS__, , , , , , , , , , , , )
#define at_cosine_lr(...) AT_WITH_2(schedule, cosine_lr, __VA_ARGS__, , , , , , , , , , , , )
#define at_cosine_restarts_lr(...) AT_WITH_2(schedule, cosine_restarts_lr, __VA_ARGS__, , , , , , , , , , , , )
#define at_constant_lr(...) AT_WITH_1(schedule, constant_lr, __VA_ARGS__, , , , , , , , , , , , )
#define at_linear_lr(...) AT_WITH_1(schedule, linear_lr, __VA_ARGS__, , , , , , , , , , , , )
#define at_polynomial_lr(...) AT_WITH_1(schedule, polynomial_lr, __VA_ARGS__, , , , , , , , , , , , )
#define at_plateau_lr(...) AT_WITH_1(schedule, plateau_lr, __VA_ARGS__, , , , , , , , , , , , )
#define at_onecycle_lr(...) AT_WITH_3(schedule, onecycle_lr, __VA_ARGS__, , , , , , , , , , , , )
#define at_cyclic_lr(...) AT_WITH_3(schedule, cyclic_lr, __VA_ARGS__, , , , , , , , , , , , )
#define at_load_csv(...) AT_WITH_1(new, load_csv, __VA_ARGS__, , , , , , , , , , , )
#define at_progress_new(...) AT_WITH_1(progress, progress_new, __VA_ARGS__, , , , , , , , , , , )
#define at_loader_new(...) AT_WITH_1(loader, loader_new, __VA_ARGS__, , , , , , , , , , , )
#define at_clip_grad_norm(...) AT_WITH_2(double, clip_grad_norm, __VA_ARGS__, , , , , , , , , , , , )
/* clang-format on */

#endif

/* The whole state of a generator as PyTorch has it. */
#include <math.h>
#include <string.h>

#include "ATen/core/ATenOperations.h"
#include "ATen/core/device.h"

/* PyTorch's: that of TH, and the second of a pair of normal numbers of Float, which is never kept
 * here.  In place of the angle and the radius of a pair, PyTorch keeps its second number. */
typedef struct State {
  THGenerator words;
  float next_float;
  bool has_float;
} State;

_Static_assert(sizeof(State) == 5056, "the size of PyTorch's state");

enum { DEVICE_STATE = 16 };

static at_tensor *new_bytes(int64_t count)
{
  return at_newShape(at_getType(AT_BACKEND_CPU, AT_BYTE), (at_ints){&count, 1});
}

static at_tensor *state_of_cpu(const at_generator *generator)
{
  State state;
  memset(&state, 0, sizeof state);
  THGenerator_copy(&state.words, generator->th);
  if (state.words.normal_is_valid)
    state.words.normal_y = state.words.normal_rho * sin(2.0 * M_PI * state.words.normal_x);
  else
    state.words.normal_y = 0;
  state.words.normal_x = state.words.normal_rho = 0;
  at_tensor *const made = new_bytes(sizeof state);
  memcpy(at_hostData(made), &state, sizeof state);
  return made;
}

static at_tensor *state_of_device(void)
{
  THGuard guard;
  at_guard(&guard);
  at_tensor *const made = guard.what = new_bytes(DEVICE_STATE);
  at_cuda()->getState(made->th);
  return THGuard_keep(&guard);
}

static void set_state_of_cpu(at_generator *generator, const void *state)
{
  State given;
  memcpy(&given, state, sizeof given);
  if (given.words.normal_is_valid) { /* the angle whose sine is 1 */
    given.words.normal_x = 0.25;
    given.words.normal_rho = given.words.normal_y;
  }
  if (!THGenerator_isValid(&given.words))
    at_raise(AT_ERROR_ARGUMENT, "the bytes of state are not those of a generator");
  THGenerator_copy(generator->th, &given.words);
}

at_tensor *at_generator_state(const at_generator *generator)
{
  at_call call;
  at_begin(&call, "generator_state");
  at_tensor *volatile result = at_undefined();
  void *const before = at_generator_choose(generator);
  TH_TRY(call.attempt)
  {
    if (!generator)
      at_raise(AT_ERROR_ARGUMENT, "generator is NULL");
    result = generator->th ? state_of_cpu(generator) : state_of_device();
  }
  at_generator_unchoose(generator, before);
  return at_return(&call, result, true);
}

bool at_generator_setState(at_generator *generator, const at_tensor *state)
{
  at_call call;
  at_begin(&call, "generator_setState");
  void *const before = at_generator_choose(generator);
  TH_TRY(call.attempt)
  {
    if (!generator)
      at_raise(AT_ERROR_ARGUMENT, "generator is NULL");
    const size_t size = generator->th ? sizeof(State) : DEVICE_STATE;
    if (!at_defined(state) || state->type != at_getType(AT_BACKEND_CPU, AT_BYTE) ||
        at_numel(state) != (int64_t)size || !at_isContiguous(state))
      at_raise(AT_ERROR_ARGUMENT, "state is %s, and not the %zu bytes of a generator",
               at_defined(state) ? at_sizeDesc(at_sizes(state)).str : "undefined", size);
    if (generator->th)
      set_state_of_cpu(generator, at_hostData((at_tensor *)(uintptr_t)state));
    else
      at_cuda()->setState(state->th);
  }
  at_generator_unchoose(generator, before);
  return !at_failed(&call);
}

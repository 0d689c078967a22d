/* The error words of streams, and checks that report to them. */
#define _GNU_SOURCE /* secure_getenv */
#include "THCFault.h"

#include "THCPrivate.h"

/* --- checks --------------------------------------------------------------------------------- */

typedef enum When { UNKNOWN, NEVER, LATER, NOW } When;

static When checks(void)
{
  static When known; /* threads that race here write the same value */
  if (known == UNKNOWN) {
    const char *text = secure_getenv("TH_CUDA_CHECK_INDICES");
    known = !text || !*text ? LATER : !strcmp(text, "0") ? NEVER : NOW;
  }
  return known;
}

int THCCheck_isOff(void)
{
  return checks() == NEVER;
}

int THCCheck_open(THCCheck *check, THCState *state, const char *function, int arg, int64_t first,
                  int64_t last)
{
  const When when = checks();
  THC_using = state;
  if (when == NEVER)
    return 0;
  THCFault *word;
  if (when == NOW) {
    word = THC_scratch(&check->guard, sizeof *word);
    THCudaCheck(cudaMemsetAsync(word, 0, sizeof *word, THCState_getCurrentStream(state)));
  } else {
    word = THCStream_memory(THCState_getStream(state), THC_STREAM_FAULT, sizeof *word);
    THGuard_enter(&check->guard, NULL);
  }
  check->waits = when == NOW;
  check->report = (THCReport){
      .word = word, .fault = {.arg = arg, .function = function, .first = first, .last = last}};
  return 1;
}

int THCCheck_close(THCCheck *check, THCFault *fault)
{
  *fault = (THCFault){0};
  THCudaCheck(cudaGetLastError());
  if (check->waits) {
    THCudaCheck(cudaMemcpyAsync(fault, check->report.word, sizeof *fault, cudaMemcpyDeviceToHost,
                                THCState_getCurrentStream(THC_using)));
    THC_wait(THC_using);
  }
  THGuard_leave(&check->guard);
  return fault->found;
}

/* --- waiting -------------------------------------------------------------------------------- */

static void raise_fault(const THCFault *fault)
{
  char where[160] = "an index of an earlier operation", what[128];
  if (fault->arg)
    snprintf(where, sizeof where, "argument %d of an earlier call of %s", fault->arg,
             fault->function);
  else if (fault->function)
    snprintf(where, sizeof where, "an index of an earlier call of %s", fault->function);
  if (fault->found == THC_FAULT_PROBABILITY)
    snprintf(what, sizeof what, "what is no probability: negative, infinite or NaN");
  else if (fault->found == THC_FAULT_TOO_FEW)
    snprintf(what, sizeof what, "a row with fewer than %lld positive probabilities",
             (long long)fault->value);
  else if (fault->found == THC_FAULT_NUMBER)
    snprintf(what, sizeof what, "the element %g, which is not from %lld to %lld",
             THCFault_number(fault), (long long)fault->first, (long long)fault->last);
  else if (fault->found == THC_FAULT_PARAMETER)
    snprintf(what, sizeof what, "the element %g, which that argument does not take",
             THCFault_number(fault));
  else if (fault->found == THC_FAULT_SUM)
    snprintf(what, sizeof what, "sizes that sum up to %lld instead of %lld",
             (long long)fault->value, (long long)fault->last);
  else if (fault->found == THC_FAULT_ONES)
    snprintf(what, sizeof what, "%lld elements, fewer than the mask has ones",
             (long long)fault->last);
  else
    snprintf(what, sizeof what, "the value %lld, out of range of %lld ... %lld",
             (long long)fault->value, (long long)fault->first, (long long)fault->last);
  THError("%s has %s (TH_CUDA_CHECK_INDICES=1 in the environment makes the call itself raise this)",
          where, what);
}

static void raise_reported(THCFault *word)
{
  if (!word || !__atomic_load_n(&word->found, __ATOMIC_ACQUIRE))
    return;
  const THCFault fault = *word;
  __atomic_store_n(&word->found, THC_FAULT_NONE, __ATOMIC_RELEASE);
  raise_fault(&fault);
}

void THC_waitFor(THCStream *stream)
{
  THC_refuseCapture(stream, "a call that waits for the device");
  THCudaCheck(cudaStreamSynchronize(stream->stream));
  raise_reported(THCStream_hasMemory(stream, THC_STREAM_FAULT));
}

void THC_wait(THCState *state)
{
  THC_waitFor(THCState_getStream(state));
}

void THCState_synchronize(THCState *state)
{
  THC_enter(state);
  THCudaCheck(cudaDeviceSynchronize());
  raise_reported(THCStream_findFault(THC_currentDevice()));
}

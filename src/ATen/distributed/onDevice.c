/* Collective calls on tensors of devices.  Where all ranks have NCCL and such a tensor, NCCL moves and combines its
 * elements from device to device; else they go by the CPU.  In the thread. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ATen/core/device.h"
#include "ATenCUDA.h"
#include "Comm.h"

enum { POLL_MICROSECONDS = 20 };

static const at_nccl_kind kinds[] = {[AT_COMM_BROADCAST] = AT_NCCL_BROADCAST,
                                     [AT_COMM_ALL_REDUCE] = AT_NCCL_ALL_REDUCE,
                                     [AT_COMM_REDUCE] = AT_NCCL_REDUCE,
                                     [AT_COMM_ALL_GATHER] = AT_NCCL_ALL_GATHER,
                                     [AT_COMM_REDUCE_SCATTER] = AT_NCCL_REDUCE_SCATTER};
static const bool has_kind[AT_COMM_STOP + 1] = {[AT_COMM_BROADCAST] = true,
                                                [AT_COMM_ALL_REDUCE] = true,
                                                [AT_COMM_REDUCE] = true,
                                                [AT_COMM_ALL_GATHER] = true,
                                                [AT_COMM_REDUCE_SCATTER] = true};

static at_tensor *tensor_of(const at_comm_work *work)
{
  return work->from ? work->from : work->to;
}

bool at_comm_couldUseNccl(const at_comm_work *work)
{
  const at_comm_kind kind = (at_comm_kind)work->row.kind;
  const at_tensor *const t = tensor_of(work);
  if (!t || work->group->size == 1 || !has_kind[kind] || work->row.count == 0 ||
      work->group->nccl.isUseless)
    return false;
  const bool combines = kind != AT_COMM_BROADCAST && kind != AT_COMM_ALL_GATHER;
  if (combines && !at_cuda()->nccl->takes((at_scalar_type)work->row.type, work->row.op))
    return false;
  return !work->group->nccl.comm || work->group->nccl.device == at_deviceOf(t);
}

/* --- communicators ------------------------------------------------------------------------------ */

typedef struct Word {
  int32_t isGood;
  char id[AT_NCCL_ID];
} Word;

/* Whether all ranks are well; id becomes that of rank 0.  False after a fault too. */
static bool all_good(at_comm_work *work, bool isGood, char *id)
{
  const int size = work->group->size;
  Word *const words = calloc((size_t)size, sizeof *words);
  bool all = words; /* without memory, the others wait for the timeout */
  if (all) {
    Word *const own = &words[work->group->rank];
    own->isGood = isGood;
    memcpy(own->id, id, sizeof own->id);
    all = at_comm_collect(work, (char *)words, sizeof *words);
    memcpy(id, words[0].id, sizeof words[0].id);
  }
  for (int i = 0; i < size && all; i++)
    all = words[i].isGood;
  free(words);
  return all;
}

bool at_comm_openNccl(at_comm_work *work)
{
  at_comm_group *const group = work->group;
  char id[AT_NCCL_ID] = "", reason[AT_COMM_MESSAGE];
  if (group->nccl.comm)
    return true;
  const bool isThere = at_cuda()->nccl->newId(group->rank == 0 ? id : NULL, reason, sizeof reason);
  if (all_good(work, isThere, id)) {
    AT_ON_DEVICE(at_deviceOf(tensor_of(work)))
    {
      group->nccl.device = at_cuda_currentDevice();
      group->nccl.comm = at_cuda()->nccl->open(id, group->rank, group->size, reason, sizeof reason);
    }
    if (all_good(work, group->nccl.comm, id))
      return true;
    at_comm_closeNccl(group, false);
  }
  group->nccl.isUseless = true; /* on all ranks: their calls go by the CPU */
  return false;
}

void at_comm_closeNccl(at_comm_group *group, bool orderly)
{
  if (group->nccl.comm)
    at_cuda()->nccl->close(group->nccl.comm, orderly);
  group->nccl.comm = NULL;
}

/* --- calls -------------------------------------------------------------------------------------- */

static void fail(at_comm_work *work, const char *message)
{
  work->code = AT_ERROR_RUNTIME;
  snprintf(work->message, sizeof work->message, "%s", message);
}

/* Until the call is done, a rank is lost, or the time is over; NCCL cannot go on after the last two. */
static void await(at_comm_work *work)
{
  char reason[AT_COMM_MESSAGE] = "";
  const double began = at_comm_now();
  int done = 0;
  while (!done) {
    done = at_cuda()->nccl->poll(work->group->nccl.comm, reason, sizeof reason);
    if (!done && !at_comm_advance(0))
      done = -1;
    if (!done && at_comm_now() - began > at_comm.timeout) {
      snprintf(reason, sizeof reason, "NCCL has not answered for %g s", at_comm.timeout);
      done = -1;
    }
    at_comm_stepMessages();
    if (!done)
      usleep(POLL_MICROSECONDS);
  }
  if (done > 0)
    return;
  at_comm_closeNccl(work->group, false);
  if (!at_comm.isBroken) {
    at_comm.fault.rank = -1;
    snprintf(at_comm.fault.message, sizeof at_comm.fault.message, "%s", reason);
    at_comm_break();
  }
}

/* In and out are contiguous, and of the work's device. */
static void call(at_comm_work *work, at_tensor *in, at_tensor *out)
{
  char reason[AT_COMM_MESSAGE];
  const at_nccl_call made = {.kind = kinds[work->row.kind],
                             .in = at_data(in),
                             .out = at_data(out),
                             .count = work->row.count,
                             .element = work->element,
                             .type = (at_scalar_type)work->row.type,
                             .op = work->row.op,
                             .root = work->row.root};
  if (at_cuda()->nccl->run(work->group->nccl.comm, &made, reason, sizeof reason))
    await(work);
  else
    fail(work, reason);
}

void at_comm_runNccl(at_comm_work *work)
{
  at_tensor *const from = work->from, *const to = work->to;
  const bool isPrivate = work->row.kind == AT_COMM_REDUCE && work->group->rank != work->row.root;
  AT_NO_GRAD AT_SCOPE AT_ON_DEVICE(at_deviceOf(tensor_of(work)))
  {
    at_tensor *const in = (at_contiguous)(from);
    const bool isDirect = at_isContiguous(to) && !isPrivate;
    at_tensor *const out =
        isDirect ? to : (at_empty)(at_sizes(to), &(at_empty_options){.type = to->type});
    if (at_defined(in) && at_defined(out) && at_cuda_synchronize())
      call(work, in, out);
    if (work->code == AT_OK && !at_comm.isBroken && !isDirect && !isPrivate && at_defined(out))
      at_copy_(to, out);
    if (work->code == AT_OK && (at_error() != AT_OK || !at_cuda_synchronize()))
      fail(work, at_error_message());
    at_error_clear();
  }
  if (!isPrivate)
    at_countChange(to);
  at_release(work->result);
  work->result = NULL; /* nothing is left to be copied */
}

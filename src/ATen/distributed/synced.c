/* Batch normalization over the batches of all ranks. */
#include "Comm.h"

static bool add_all(at_tensor *t, void *group)
{
  return (at_comm_all_reduce)(t, &(at_comm_options){.group = group, .op = AT_COMM_SUM});
}

bool at_comm_convert_sync_batchnorm(at_module *net, at_comm_group *group)
{
  return at_module_sync_batchnorm(net, add_all, group);
}

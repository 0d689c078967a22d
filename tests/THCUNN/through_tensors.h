/* The tensors of one element type in a call that through.h takes to a device.  Included once for
 * each type. */

static struct {
  int tensors, storages;
  struct {
    HostTensor *host;
    There *there, before; /* before: as it was uploaded */
    THLongStorage *size, *stride;
  } tensor[THROUGH_MOST];
  struct {
    HostStorage *host;
    ThereStorage *there;
    ptrdiff_t count;
  } storage[THROUGH_MOST];
} Through_(call);

/* The elements of a device's storage, as the host has them; malloc'd. */
static void Through_(read)(const ThereStorage *from, HostStorage *to)
{
  const size_t bytes = (size_t)from->size * sizeof *from->data;
  void *block = malloc(bytes + 1);
  const ThereStorage read = {.data = block};
  CHECK_CUDA(cudaDeviceSynchronize());
  if (bytes)
    CHECK_CUDA(cudaMemcpy(block, from->data, bytes, cudaMemcpyDeviceToHost));
  for (ptrdiff_t i = 0; i < from->size; i++)
    THROUGH_DOWN(to->data[i], read.data[i]);
  free(block);
}

static ThereStorage *Through_(storage)(HostStorage *host)
{
  for (int i = 0; i < Through_(call).storages; i++)
    if (Through_(call).storage[i].host == host)
      return Through_(call).storage[i].there;
  const size_t bytes = (size_t)host->size * sizeof *((ThereStorage *)NULL)->data;
  ThereStorage *there = ThereS_(newWithSize)(thc_state(), host->size);
  void *block = malloc(bytes + 1);
  const ThereStorage made = {.data = block};
  for (ptrdiff_t i = 0; i < host->size; i++)
    THROUGH_UP(made.data[i], host->data[i]);
  if (bytes)
    CHECK_CUDA(cudaMemcpy(there->data, block, bytes, cudaMemcpyHostToDevice));
  free(block);
  const int at = Through_(call).storages++;
  CHECK(at < THROUGH_MOST);
  HostS_(retain)(host);
  Through_(call).storage[at].host = host;
  Through_(call).storage[at].there = there;
  Through_(call).storage[at].count = host->size;
  return there;
}

static There *Through_(upload)(HostTensor *host)
{
  if (!host)
    return NULL;
  for (int i = 0; i < Through_(call).tensors; i++)
    if (Through_(call).tensor[i].host == host)
      return Through_(call).tensor[i].there;
  th_fail_pause(1);
  There *there = There_(new)(thc_state());
  if (host->storage)
    There_(setStorageNd)(thc_state(), there, Through_(storage)(host->storage), host->storageOffset,
                         host->nDimension, host->size, host->stride);
  const int at = Through_(call).tensors++;
  CHECK(at < THROUGH_MOST);
  Through_(call).tensor[at].host = host;
  Through_(call).tensor[at].there = there;
  Through_(call).tensor[at].before = *there;
  Through_(call).tensor[at].size = There_(newSizeOf)(thc_state(), there);
  Through_(call).tensor[at].stride = There_(newStrideOf)(thc_state(), there);
  th_fail_pause(0);
  return there;
}

/* The host's storage of a device's, which may be new. */
static HostStorage *Through_(home)(ThereStorage *there)
{
  for (int i = 0; i < Through_(call).storages; i++)
    if (Through_(call).storage[i].there == there)
      return Through_(call).storage[i].host;
  const int at = Through_(call).storages++;
  CHECK(at < THROUGH_MOST);
  ThereS_(retain)(thc_state(), there);
  Through_(call).storage[at].there = there;
  return Through_(call).storage[at].host = HostS_(newWithSize)(there->size);
}

static void Through_(download)(void)
{
  for (int i = 0; i < Through_(call).tensors; i++) {
    There *there = Through_(call).tensor[i].there;
    if (there->storage)
      Host_(setStorageNd)(Through_(call).tensor[i].host, Through_(home)(there->storage),
                          there->storageOffset, there->nDimension, there->size, there->stride);
    else /* a new tensor, of Torch7 */
      Host_(resizeNd)(Through_(call).tensor[i].host, 0, NULL, NULL);
  }
  for (int i = 0; i < Through_(call).storages; i++) {
    ThereStorage *there = Through_(call).storage[i].there;
    HostStorage *host = Through_(call).storage[i].host;
    if (host->size != there->size)
      HostS_(resize)(host, there->size);
    Through_(read)(there, host);
  }
}

/* After an error, shapes, storages and elements are as they were. */
static void Through_(unchanged)(void)
{
  for (int i = 0; i < Through_(call).tensors; i++) {
    const There *there = Through_(call).tensor[i].there, *before = &Through_(call).tensor[i].before;
    const THLongStorage *size = Through_(call).tensor[i].size;
    const THLongStorage *stride = Through_(call).tensor[i].stride;
    CHECK_EQ(there->nDimension, before->nDimension);
    CHECK(there->storage == before->storage);
    CHECK_EQ(there->storageOffset, before->storageOffset);
    for (int d = 0; d < there->nDimension; d++) {
      CHECK_EQ(there->size[d], size->data[d]);
      CHECK_EQ(there->stride[d], stride->data[d]);
    }
  }
  for (int i = 0; i < Through_(call).storages; i++) {
    const ThereStorage *there = Through_(call).storage[i].there;
    const HostStorage *host = Through_(call).storage[i].host;
    CHECK_EQ(there->size, Through_(call).storage[i].count);
    HostStorage *now = HostS_(newWithSize)(there->size);
    Through_(read)(there, now);
    for (ptrdiff_t k = 0; k < there->size; k++) {
      const ThereStorage *const type = NULL;
      __typeof__(*type->data) rounded;
      __typeof__(*now->data) want;
      THROUGH_UP(rounded, host->data[k]);
      THROUGH_DOWN(want, rounded);
      CHECK(!memcmp(&now->data[k], &want, sizeof want) || (want != want));
    }
    HostS_(free)(now);
  }
}

static void Through_(forget)(void)
{
  for (int i = 0; i < Through_(call).tensors; i++) {
    There_(free)(thc_state(), Through_(call).tensor[i].there);
    THLongStorage_free(Through_(call).tensor[i].size);
    THLongStorage_free(Through_(call).tensor[i].stride);
  }
  for (int i = 0; i < Through_(call).storages; i++) {
    ThereS_(free)(thc_state(), Through_(call).storage[i].there);
    HostS_(free)(Through_(call).storage[i].host);
  }
  Through_(call).tensors = Through_(call).storages = 0;
}

#undef HostTensor
#undef HostStorage
#undef Host_
#undef HostS_
#undef There
#undef ThereStorage
#undef There_
#undef ThereS_
#undef Through_

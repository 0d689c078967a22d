/* Convolutions of the stand-in for cuDNN: each pass is a sum over all products of an element of x, w and y, in the
 * order of the stream. */
#include "cudnn.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "half.h"
#include "race.h"

#if __has_include(<cudnn_graph.h>)
#include <cudnn_graph.h>
#define DNN_NUMBER(NAME, NUMBER) _Static_assert((int)CUDNN_##NAME == (NUMBER), #NAME);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
#include "THC/conv/THCDnnNumbers.h"
#pragma GCC diagnostic pop
#endif

typedef struct Call {
  CusimOp op;
  Conv conv;
  Engine engine;
  bool backwards; /* the order of the sums */
  void *operands[3], *workspace;
} Call;

/* --- sizes -------------------------------------------------------------------------------- */

int64_t cusim_dnn_elements(const Conv *c, int operand)
{
  const int64_t planes[] = {c->batch * c->planes, c->outputs * (c->planes / c->groups),
                            c->batch * c->outputs};
  int64_t count = planes[operand];
  for (int a = 0; a < 3; a++)
    count *= operand == 0 ? c->at[a].x : operand == 1 ? c->at[a].w : c->at[a].y;
  return count;
}

int64_t cusim_dnn_bytes(int type)
{
  return type == DNN_DATA_DOUBLE ? 8 : type == DNN_DATA_FLOAT ? 4 : 2;
}

int64_t cusim_dnn_workspace(const Conv *conv, Engine engine)
{
  return engine == DIRECT ? 64 + 8 * cusim_dnn_elements(conv, conv->pass == 0 ? 2 : conv->pass - 1)
                          : 0;
}

/* --- elements ----------------------------------------------------------------------------- */

static double load(int type, const void *elements, int64_t i)
{
  switch (type) {
    case DNN_DATA_DOUBLE:
      return ((const double *)elements)[i];
    case DNN_DATA_FLOAT:
      return ((const float *)elements)[i];
    case DNN_DATA_HALF:
      return cusim_from_half(((const uint16_t *)elements)[i]);
    default:
      return cusim_from_bfloat(((const uint16_t *)elements)[i]);
  }
}

static void store(int type, void *elements, int64_t i, double value)
{
  switch (type) {
    case DNN_DATA_DOUBLE:
      ((double *)elements)[i] = value;
      return;
    case DNN_DATA_FLOAT:
      ((float *)elements)[i] = (float)value;
      return;
    case DNN_DATA_HALF:
      ((uint16_t *)elements)[i] = cusim_to_half((float)value);
      return;
    default:
      ((uint16_t *)elements)[i] = cusim_to_bfloat((float)value);
  }
}

static double to_tf32(double value)
{
  float rounded = (float)value;
  uint32_t bits;
  memcpy(&bits, &rounded, sizeof bits);
  bits = (bits + 0x1000u) & ~0x1FFFu;
  memcpy(&rounded, &bits, sizeof bits);
  return isfinite(value) ? rounded : value;
}

static double *load_all(const Call *call, int operand)
{
  const Conv *c = &call->conv;
  const int64_t count = cusim_dnn_elements(c, operand);
  double *values = malloc((size_t)(count + 1) * sizeof *values);
  if (!values)
    abort();
  for (int64_t i = 0; i < count; i++) {
    values[i] = load(c->type, call->operands[operand], i);
    if (call->engine == ROUNDING && c->type == DNN_DATA_FLOAT)
      values[i] = to_tf32(values[i]);
    else if (call->engine == NARROW)
      values[i] = 1.01 * values[i]; /* so that no test takes it for right */
  }
  return values;
}

/* --- sums --------------------------------------------------------------------------------- */

/* The numbers of an image, an output, a plane of its group, a position of y and one of the window. */
enum { IMAGE, OUTPUT, PLANE, Y, W = Y + 3, DIGITS = W + 3 };

/* The next or previous number with these digits; false after the last. */
static bool step(int64_t *digit, const int64_t *size, bool backwards)
{
  for (int d = DIGITS - 1; d >= 0; d--) {
    if (backwards ? digit[d]-- > 0 : ++digit[d] < size[d])
      return true;
    digit[d] = backwards ? size[d] - 1 : 0;
  }
  return false;
}

/* The indices of the elements of x, w and y; false where that of x is in the padding. */
static bool find(const Conv *c, const int64_t *digit, int64_t at[3])
{
  const int64_t planes = c->planes / c->groups, outputs = c->outputs / c->groups;
  at[0] = digit[IMAGE] * c->planes + digit[OUTPUT] / outputs * planes + digit[PLANE];
  at[1] = digit[OUTPUT] * planes + digit[PLANE];
  at[2] = digit[IMAGE] * c->outputs + digit[OUTPUT];
  for (int a = 0; a < 3; a++) {
    const Axis *axis = &c->at[a];
    const int64_t x = digit[Y + a] * axis->step - axis->pad + digit[W + a] * axis->dilation;
    if (x < 0 || x >= axis->x)
      return false;
    at[0] = at[0] * axis->x + x;
    at[1] = at[1] * axis->w + digit[W + a];
    at[2] = at[2] * axis->y + digit[Y + a];
  }
  return true;
}

static void add_up(const Call *call, double *const values[3], int result, double *sums)
{
  const Conv *c = &call->conv;
  int64_t size[DIGITS] = {c->batch, c->outputs, c->planes / c->groups}, digit[DIGITS] = {0}, at[3];
  for (int a = 0; a < 3; a++) {
    size[Y + a] = c->at[a].y;
    size[W + a] = c->at[a].w;
  }
  for (int d = 0; call->backwards && d < DIGITS; d++)
    digit[d] = size[d] - 1;
  const int one = result == 0 ? 1 : 0, other = result == 2 ? 1 : 2;
  const bool narrow = call->engine == UNORDERED && c->type != DNN_DATA_DOUBLE;
  do {
    if (!find(c, digit, at))
      continue;
    double *sum = &sums[at[result]];
    *sum += values[one][at[one]] * values[other][at[other]];
    if (narrow)
      *sum = (float)*sum;
  } while (step(digit, size, call->backwards));
}

static void touch(const Call *call, int operand, CusimAccess access)
{
  const int64_t bytes = cusim_dnn_bytes(call->conv.type);
  const int64_t count = cusim_racing ? cusim_dnn_elements(&call->conv, operand) : 0;
  for (int64_t i = 0; i < count; i++)
    cusim_touch((char *)call->operands[operand] + i * bytes, (size_t)bytes, access, NULL);
}

static void run(CusimOp *op)
{
  const Call *call = (const Call *)op;
  const Conv *c = &call->conv;
  const int result = c->pass == THC_DNN_FORWARD ? 2 : c->pass == THC_DNN_BACKWARD_DATA ? 0 : 1;
  const int64_t count = cusim_dnn_elements(c, result);
  const int64_t workspace = cusim_dnn_workspace(c, call->engine);
  cusim_race_begin(op, "cudnnBackendExecute");
  double *values[3] = {NULL}, *sums = calloc((size_t)count + 1, sizeof *sums);
  if (!sums)
    abort();
  for (int i = 0; i < 3; i++) {
    touch(call, i, i == result ? CUSIM_WRITE : CUSIM_READ);
    if (i != result)
      values[i] = load_all(call, i);
  }
  for (int64_t i = 0; cusim_racing && i < workspace; i++)
    cusim_touch((char *)call->workspace + i, 1, CUSIM_WRITE, NULL);
  if (workspace)
    memset(call->workspace, 0xFF, (size_t)workspace);
  add_up(call, values, result, sums);
  for (int64_t i = 0; i < count; i++)
    store(c->type, call->operands[result], i, sums[i]);
  for (int i = 0; i < 3; i++)
    free(values[i]);
  free(sums);
}

/* --- queueing ----------------------------------------------------------------------------- */

static bool is_on_device(const void *memory, int64_t bytes)
{
  const CusimBlock *block = cusim_find(memory);
  return block && block->type == cudaMemoryTypeDevice &&
         (const char *)memory + bytes <= block->base + block->size;
}

int cusim_dnn_queue(struct CUstream_st *stream, const Conv *conv, Engine engine,
                    void *const operands[3], void *workspace)
{
  static unsigned calls;
  const int64_t bytes = cusim_dnn_workspace(conv, engine);
  if (bytes && !is_on_device(workspace, bytes))
    return DNN_STATUS_BAD_PARAM;
  for (int i = 0; i < 3; i++)
    if ((uintptr_t)operands[i] % (uintptr_t)conv->alignment[i] ||
        !is_on_device(operands[i], cusim_dnn_elements(conv, i) * cusim_dnn_bytes(conv->type)))
      return DNN_STATUS_BAD_PARAM;
  Call *call = cusim_op(sizeof *call, run);
  const CusimOp op = call->op;
  *call = (Call){.op = op,
                 .conv = *conv,
                 .engine = engine,
                 .backwards = engine == UNORDERED && calls++ % 2,
                 .workspace = workspace};
  memcpy(call->operands, operands, sizeof call->operands);
  cusim_queue(stream, call);
  return DNN_STATUS_SUCCESS;
}

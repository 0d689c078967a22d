/* Layers of quantized numbers in ONNX Runtime's own domain: each is the layer of the numbers that the
 * codes stand for, quantized again. */
#include "../Runs.h"

/* (x - zero) * scale of three inputs, the first at index. */
static at_tensor *numbers(const at_onnxCall *c, int index)
{
  const at_type *const wide = at_cpuType(AT_FLOAT);
  at_tensor *const x = at_to(at_onnxInput(c, index), wide), *const zero =
                                                                at_onnxMaybe(c, index + 2);
  return at_mul(zero ? at_sub(x, at_to(zero, wide)) : x, at_to(at_onnxInput(c, index + 1), wide));
}

/* Gives t with the scale and zero point of two inputs, the first at index. */
static void give_codes(const at_onnxCall *c, at_tensor *t, int index)
{
  at_tensor *const scale = at_onnxInput(c, index), *const zero = at_onnxMaybe(c, index + 1);
  at_tensor *const none = at_zeros(AT_SCALAR_SHAPE, .type = at_cpuType(AT_BYTE));
  at_onnxGive(c, 0, at_onnxQuantized(t, scale, zero ? zero : none, (zero ? zero : none)->type));
}

void at_runQuantizedAdd(at_onnxCall *c)
{
  give_codes(c, at_add(numbers(c, 0), numbers(c, 3)), 6);
}

void at_runQuantizedMul(at_onnxCall *c)
{
  give_codes(c, at_mul(numbers(c, 0), numbers(c, 3)), 6);
}

void at_runQuantizedSigmoid(at_onnxCall *c)
{
  give_codes(c, at_sigmoid(numbers(c, 0)), 3);
}

void at_runQuantizedLeakyRelu(at_onnxCall *c)
{
  give_codes(c, at_leaky_relu(numbers(c, 0), .negative_slope = at_onnxFloat(c, "alpha", 0.01)), 3);
}

void at_runQuantizedSoftmax(at_onnxCall *c)
{
  give_codes(c, at_softmax(numbers(c, 0), at_onnxInt(c, "axis", -1)), 3);
}

void at_runQuantizedGlobal(at_onnxCall *c)
{
  at_tensor *const x = numbers(c, 0);
  const bool isLast = at_onnxInt(c, "channels_last", 0) != 0;
  at_onnxList dims = {.count = 0};
  for (int d = isLast ? 1 : 2; d < at_dim(x) - isLast; d++)
    dims.data[dims.count++] = d;
  if (dims.count == 0)
    AT_ONNX_FAILS(c, "the input is of size %s, and no image", at_sizeDesc(at_sizes(x)).str);
  give_codes(c, at_mean_dim(x, at_listed(&dims), .keepdim = true), 3);
}

void at_runQuantizedAverage(at_onnxCall *c)
{
  at_tensor *const x = numbers(c, 0);
  if (!at_onnxInt(c, "channels_last", 0) || at_dim(x) < 3)
    give_codes(c, at_onnxAveraged(c, x), 3);
  else
    give_codes(c, at_movedim_int(at_onnxAveraged(c, at_movedim_int(x, -1, 1)), 1, -1), 3);
}

/* The scale and zero of the result come first, then three inputs for each part. */
void at_runQuantizedConcat(at_onnxCall *c)
{
  const int count = (c->inputCount - 2) / 3;
  if (count < 1)
    AT_ONNX_FAILS(c, "it has %d inputs, and needs 5 or more", (int)c->inputCount);
  at_tensor *joined = numbers(c, 2);
  for (int i = 1; i < count; i++)
    joined = at_cat(AT_TENSORS(joined, numbers(c, 2 + 3 * i)), .dim = at_onnxInt(c, "axis", 0));
  give_codes(c, joined, 0);
}

/* alpha A B + bias, whose scale is that of A B; in Float if there is no scale for the result. */
void at_runQuantizedGemm(at_onnxCall *c)
{
  const at_type *const wide = at_cpuType(AT_FLOAT);
  at_tensor *a = numbers(c, 0), *b = at_onnxInput(c, 3), *const zero = at_onnxMaybe(c, 5),
            *const bias = at_onnxMaybe(c, 6);
  at_tensor *const scale = at_to(at_onnxInput(c, 4), wide);
  const bool turns = at_onnxInt(c, "transB", 0) != 0;
  b = at_to(turns ? at_t(b) : b, wide);
  b = at_mul(zero ? at_sub(b, at_to(zero, wide)) : b, scale);
  a = at_onnxInt(c, "transA", 0) ? at_t(a) : a;
  at_tensor *y = at_mm(a, b);
  if (bias)
    y = at_add(y, at_mul(at_to(bias, wide), at_mul(at_to(at_onnxInput(c, 1), wide), scale)));
  y = at_mul(y, at_onnxFloat(c, "alpha", 1));
  if (at_onnxMaybe(c, 7))
    give_codes(c, y, 7);
  else
    at_onnxGive(c, 0, y);
}

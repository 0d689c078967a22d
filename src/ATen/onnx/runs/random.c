/* Random numbers, from the generator of the thread: seeds in the file are those of others. */
#include "../Runs.h"

void at_runDropout(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0), *const trains = at_onnxMaybe(c, 2);
  at_tensor *const ratio = at_onnxMaybe(c, 1);
  const double p = ratio ? at_item_double(ratio) : 0.5;
  if (!trains || at_item_double(trains) == 0 || p == 0) {
    at_onnxGive(c, 0, x);
    at_onnxGive(c, 1, at_ones_like(x, .type = at_cpuType(AT_BOOL)));
    return;
  }
  at_tensor *const mask = at_ge(at_rand_like(x), p);
  at_onnxGive(c, 0, at_div(at_mul(x, at_type_as(mask, x)), 1 - p));
  at_onnxGive(c, 1, mask);
}

void at_runBernoulli(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  const at_scalar_type type = at_onnxTypeOf(c, "dtype", x->type->scalarType);
  at_onnxGive(c, 0, at_to(at_lt(at_rand_like(x), x), at_cpuType(type)));
}

/* --- new tensors ------------------------------------------------------------------------------ */

/* Gives a random tensor of the sizes that the node has, or those of its input. */
static void give_drawn(at_onnxCall *c, at_ints sizes, at_scalar_type type)
{
  const bool isNormal = strstr(c->node->target, "Normal") != NULL;
  const at_type *const compute = at_cpuType(type == AT_DOUBLE ? AT_DOUBLE : AT_FLOAT);
  const double low = at_onnxFloat(c, "low", 0), high = at_onnxFloat(c, "high", 1);
  const double factor = isNormal ? at_onnxFloat(c, "scale", 1) : high - low,
               first = isNormal ? at_onnxFloat(c, "mean", 0) : low;
  at_tensor *const drawn =
      isNormal ? at_randn(sizes, .type = compute) : at_rand(sizes, .type = compute);
  at_onnxGive(c, 0, at_to(at_add(at_mul(drawn, factor), first), at_cpuType(type)));
}

void at_runRandom(at_onnxCall *c)
{
  const at_onnxList sizes = at_onnxInts(c, "shape");
  if (sizes.count < 0)
    AT_ONNX_FAILS(c, "shape is missing");
  give_drawn(c, at_listed(&sizes), at_onnxTypeOf(c, "dtype", AT_FLOAT));
}

void at_runRandomLike(at_onnxCall *c)
{
  at_tensor *const x = at_onnxInput(c, 0);
  give_drawn(c, at_sizes(x), at_onnxTypeOf(c, "dtype", x->type->scalarType));
}

/* Classes, whose logarithms of probabilities the rows of the input are. */
void at_runMultinomial(at_onnxCall *c)
{
  at_tensor *const chances = at_softmax(at_onnxInput(c, 0), -1);
  const int64_t count = at_onnxInt(c, "sample_size", 1);
  at_onnxGive(c, 0,
              at_to(at_multinomial(chances, count, .replacement = true),
                    at_cpuType(at_onnxTypeOf(c, "dtype", AT_INT))));
}

/* Which operations are steps of chains. */
#include "chain.h"

#include "ATen/functions/functions.h"
#include "THNN/activation/Pointwise.h"

/* clang-format off */
#define ROW(NAME, OVERLOAD, ROW, ...)   {NAME, OVERLOAD, AT_STEP_ROW, TH_POINTWISE_##ROW, __VA_ARGS__}
#define FUNCTION(NAME, ROW, ...)        {NAME, "", AT_STEP_FUNCTION, AT_FUNCTION_##ROW, __VA_ARGS__}
#define LAYER(NAME, ROW, ...)           {NAME, "", AT_STEP_LAYER, THNN_##ROW, __VA_ARGS__}
#define SELF  {"self"}
#define BOTH  {"self", "other"}

static const at_stepRule rules[] = {
    ROW("add", "", cadd, BOTH, {{"alpha", 1}}),
    ROW("add", "scalar", add_scaled, SELF, {{"other", 0}, {"alpha", 1}}),
    ROW("sub", "", csub, BOTH, {{"alpha", 1}}),
    ROW("sub", "scalar", sub_scaled, SELF, {{"other", 0}, {"alpha", 1}}),
    ROW("mul", "", cmul, BOTH, {{NULL, 0}}),
    ROW("mul", "scalar", mul, SELF, {{"other", 1}}),
    ROW("div", "", cdiv, BOTH, {{NULL, 0}}),
    ROW("div", "scalar", div, SELF, {{"other", 1}}),
    ROW("maximum", "", cmax, BOTH, {{NULL, 0}}),
    ROW("minimum", "", cmin, BOTH, {{NULL, 0}}),
    ROW("clamp", "", clamp, SELF, {{"min", -(double)INFINITY}, {"max", (double)INFINITY}}),
    ROW("clamp_min", "", cmaxValue, SELF, {{"min", 0}}),
    ROW("clamp_max", "", cminValue, SELF, {{"max", 0}}),
    ROW("hardtanh", "", clamp, SELF, {{"min_val", -1}, {"max_val", 1}}),
    ROW("relu", "", cmaxValue, SELF, {{NULL, 0}}),
    ROW("relu6", "", clamp, SELF, {{NULL, 0}, {NULL, 6}}),
    ROW("pow", "scalar", pow, SELF, {{"exponent", 1}}),
    ROW("neg", "", neg, SELF, {{NULL, 0}}),
    ROW("abs", "", abs, SELF, {{NULL, 0}}),
    ROW("reciprocal", "", cinv, SELF, {{NULL, 0}}),
    ROW("sqrt", "", sqrt, SELF, {{NULL, 0}}),
    ROW("rsqrt", "", rsqrt, SELF, {{NULL, 0}}),
    ROW("exp", "", exp, SELF, {{NULL, 0}}),
    ROW("log", "", log, SELF, {{NULL, 0}}),
    ROW("sigmoid", "", sigmoid, SELF, {{NULL, 0}}),
    ROW("tanh", "", tanh, SELF, {{NULL, 0}}),
    ROW("erf", "", erf, SELF, {{NULL, 0}}),
    ROW("sin", "", sin, SELF, {{NULL, 0}}),
    ROW("cos", "", cos, SELF, {{NULL, 0}}),
    FUNCTION("silu", silu, SELF, {{NULL, 0}}),
    FUNCTION("mish", mish, SELF, {{NULL, 0}}),
    FUNCTION("hardswish", hardswish, SELF, {{NULL, 0}}),
    FUNCTION("hardsigmoid", hardsigmoid, SELF, {{NULL, 0}}),
    LAYER("leaky_relu", LeakyReLU, SELF, {{"negative_slope", 0.01}}),
    LAYER("softplus", SoftPlus, SELF, {{"beta", 1}, {"threshold", 20}}),
};
static const at_stepRule gelu = FUNCTION("gelu", gelu, SELF, {{NULL, 0}}),
                         geluTanh = FUNCTION("gelu", gelu_tanh, SELF, {{NULL, 0}}),
                         square = ROW("pow", "scalar", cmul, {"self", "self"}, {{NULL, 0}});
/* clang-format on */

/* Operations whose kernel depends on an argument. */
static const at_stepRule *special(const at_graphNode *node)
{
  const at_given *const kind = at_argumentOf(node, "approximate");
  double exponent;
  if (!strcmp(node->op->name, "gelu"))
    return kind && kind->text && !strcmp(kind->text, "tanh") ? &geluTanh : &gelu;
  if (!strcmp(node->op->name, "pow") && !strcmp(node->op->overload, "scalar") &&
      at_isConstantNumber(at_argumentOf(node, "exponent"), &exponent) && exponent == 2)
    return &square;
  return NULL;
}

const at_stepRule *at_ruleOf(const at_graphNode *node)
{
  if (!node->op || node->op->form != AT_FORM_FUNCTION || node->op < at_ops ||
      node->op >= at_ops + at_opCount)
    return NULL;
  const at_stepRule *const own = special(node);
  for (size_t i = 0; !own && i < sizeof rules / sizeof *rules; i++)
    if (!strcmp(rules[i].name, node->op->name) && !strcmp(rules[i].overload, node->op->overload))
      return &rules[i];
  return own;
}

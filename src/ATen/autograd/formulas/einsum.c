/* The gradients of einsum, which are sums of the same kind. */
#include <string.h>

#include "ATen/linear/contract.h"
#include "ATen/autograd/Formulas.h"

enum { MOST_OPERANDS = 16, MOST_LETTERS = AT_MOST_DIMS + 1 };

typedef struct {
  int count;
  char of[MOST_OPERANDS + 1][MOST_LETTERS]; /* of each operand, and behind them of the result */
} Letters;

/* Finds the subscripts of each operand and of the result; false after an error. */
static bool find_letters(Letters *letters, const char *equation, at_tensors tensors)
{
  at_call call;
  at_begin(&call, "einsum");
  TH_TRY(call.attempt)
  {
    if (tensors.count > MOST_OPERANDS)
      at_raise(AT_ERROR_ARGUMENT, "there are %d tensors; gradients are for up to %d", tensors.count,
               MOST_OPERANDS);
    for (int i = 0; i <= tensors.count; i++)
      at_einsumLetters(equation, tensors, i < tensors.count ? i : -1, letters->of[i]);
    letters->count = tensors.count;
  }
  return !at_failed(&call);
}

/* Writes each letter of letters once. */
static void distinct(const char *letters, char *once)
{
  int count = 0;
  for (; *letters; letters++) {
    once[count] = 0;
    if (!strchr(once, *letters))
      once[count++] = *letters;
  }
  once[count] = 0;
}

/* The gradient of operand k: the sum over the result and the other operands. */
static at_tensor *gradient(const Letters *letters, int k, at_tensor *grad, at_tensors tensors)
{
  char equation[(MOST_OPERANDS + 3) * (MOST_LETTERS + 2)], once[MOST_LETTERS];
  at_tensor *operands[MOST_OPERANDS + 1];
  int count = 0;
  const char *const own = letters->of[k];
  distinct(own, once);
  strcpy(equation, letters->of[letters->count]);
  operands[count++] = grad;
  for (int i = 0; i < tensors.count; i++)
    if (i != k) {
      strcat(strcat(equation, ","), letters->of[i]);
      operands[count++] = tensors.data[i];
    }
  /* The last operand, ones, has the labels that no other operand has. */
  strcat(strcat(equation, ","), own);
  operands[count++] = at_ones_like(tensors.data[k]);
  strcat(strcat(equation, "->"), once);
  at_tensor *const made = at_einsum(equation, ((at_tensors){operands, count}));
  if (!strcmp(own, once))
    return made;
  /* a diagonal, which goes back to where it was */
  const at_ints sizes = at_sizesOf(tensors.data[k]);
  strcat(strcat(strcpy(equation, own), "->"), once);
  at_tensor *const all = at_positions(grad, sizes);
  at_tensor *const where = at_einsum(equation, AT_TENSORS(all));
  return at_moved(at_sumToSize(made, at_sizes(where)), sizes, where);
}

const at_tensors *at_einsumGrad(at_tensor *grad, const char *equation, at_tensors tensors)
{
  Letters letters;
  if (!at_defined(grad) || !find_letters(&letters, equation, tensors))
    return &at_noTensors;
  const at_tensors *const made = at_listOf(tensors.count);
  for (int i = 0; i < made->count; i++)
    ((at_tensor **)made->data)[i] = at_retain(gradient(&letters, i, grad, tensors));
  return made;
}

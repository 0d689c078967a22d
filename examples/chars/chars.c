/* A small transformer learns a text, letter by letter, and then writes.
 *
 *     chars TEXT [STEPS [NETWORK.pt [LOSS.png]]]
 *
 *     $ chars docs/design.md 2000
 *
 * The network sees up to CONTEXT letters and says of each which one follows.  Written text is drawn
 * from what it says.  The network is saved as a state dict, whose names are those of the same modules
 * in PyTorch. */
#include <ATen/ATen.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { LETTERS = 128, CONTEXT = 48, SIZE = 64, HEADS = 4, LAYERS = 2, BATCH = 16, WRITTEN = 400 };

/* --- the model -------------------------------------------------------------------------------- */

typedef struct Model {
  at_module *letter, *position, *body, *head;
} Model;

static at_tensor *forward(at_module *self, at_tensor *text)
{
  const Model *const model = at_module_own(self);
  at_tensor *const where = at_arange(at_size(text, 1));
  at_tensor *const x = at_add(at_forward(model->letter, text), at_forward(model->position, where));
  return at_forward(model->head, at_TransformerEncoder_forward(model->body, x, .is_causal = true));
}

static const at_module_kind model_kind = {"Model", forward, sizeof(Model)};

static at_module *model_new(void)
{
  at_module *const self = at_module_new(&model_kind);
  Model *const model = at_module_own(self);
  if (!model)
    return NULL;
  at_module *const layer =
      at_TransformerEncoderLayer(SIZE, HEADS, .dim_feedforward = 4 * SIZE, .dropout = 0,
                                 .batch_first = true, .norm_first = true);
  model->letter = at_module_add(self, "letter", at_Embedding(LETTERS, SIZE));
  model->position = at_module_add(self, "position", at_Embedding(CONTEXT, SIZE));
  model->body = at_module_add(self, "body", at_TransformerEncoder(layer, LAYERS));
  model->head = at_module_add(self, "head", at_Linear(SIZE, LETTERS));
  return self;
}

/* --- the text --------------------------------------------------------------------------------- */

/* The letters of the file as numbers; others than ASCII are left out.  NULL if it is short. */
static at_tensor *read_text(const char *path)
{
  FILE *const file = fopen(path, "r");
  int64_t count = 0, capacity = 1 << 22;
  at_tensor *const text = at_empty(AT_SHAPE(capacity), .type = AT_CPU(AT_LONG));
  for (int c; file && at_defined(text) && count < capacity && (c = getc(file)) != EOF;)
    if (c < LETTERS)
      ((int64_t *)at_data(text))[count++] = c;
  if (file)
    fclose(file);
  return count > CONTEXT + 1 ? at_narrow(text, 0, 0, count) : NULL;
}

static double step(at_module *model, at_optimizer *adam, at_tensor *text)
{
  at_tensor *const begin = at_random_to_(at_empty(AT_SHAPE(BATCH, 1), .type = AT_CPU(AT_LONG)),
                                         at_numel(text) - CONTEXT - 1);
  at_tensor *const where = at_add(begin, at_arange(CONTEXT + 1));
  at_tensor *const rows = at_take(text, where);
  at_tensor *const scores = at_forward(model, at_narrow(rows, 1, 0, CONTEXT));
  at_tensor *const next = at_reshape(at_narrow(rows, 1, 1, CONTEXT), AT_SHAPE(-1));
  at_tensor *const loss = at_cross_entropy_loss(at_reshape(scores, AT_SHAPE(-1, LETTERS)), next);
  at_optimizer_zero_grad(adam);
  at_backward(loss);
  at_optimizer_step(adam);
  return at_item_double(loss);
}

/* Writes on from the beginning of the text. */
static void write_on(at_module *model, at_tensor *text)
{
  at_tensor *window = at_keep(at_clone(at_narrow(text, 0, 0, CONTEXT)));
  for (int i = 0; i < WRITTEN && at_error() == AT_OK; i++)
    AT_SCOPE
    {
      at_tensor *const scores = at_forward(model, at_unsqueeze(window, 0));
      at_tensor *const chances =
          at_softmax(at_div(at_select(at_select(scores, 0, 0), 0, -1), 0.8), 0);
      at_tensor *const chosen = at_multinomial(chances, 1);
      putchar((int)at_item_long(chosen));
      at_copy_(window, at_cat(AT_TENSORS(at_narrow(window, 0, 1, CONTEXT - 1), chosen)));
    }
  putchar('\n');
  at_release(window);
}

int main(int argc, char **argv)
{
  const int steps = argc > 2 ? atoi(argv[2]) : 1000;
  at_manualSeed(1);
  AT_SCOPE
  {
    at_tensor *const text = argc > 1 ? read_text(argv[1]) : NULL;
    if (!text) {
      fprintf(stderr,
              "usage: chars TEXT [STEPS [NETWORK.pt [LOSS.png]]]; the text has to have %d "
              "letters\n",
              CONTEXT + 2);
      return 2;
    }
    at_module *const model = model_new();
    at_optimizer *const adam = at_adamw(*at_module_parameters(model), .lr = 2e-3);
    at_progress *const progress =
        steps > 0 ? at_progress_new(steps, .out = STDOUT_FILENO, .every = 100) : NULL;
    for (int i = 0; i < steps && at_error() == AT_OK; i++)
      AT_SCOPE
      {
        at_progress_step(progress, step(model, adam, text));
      }
    AT_NO_GRAD
    {
      write_on(model, text);
    }
    if (argc > 3)
      at_module_save(model, argv[3]);
    if (argc > 4)
      at_progress_save(progress, argv[4]);
    at_progress_free(progress);
    at_optimizer_free(adam);
    at_module_free(model);
  }
  if (at_error() != AT_OK)
    fprintf(stderr, "chars: %s\n", at_error_message());
  return at_error() != AT_OK;
}

/* A variational autoencoder learns pictures of ellipses, and then draws some of its own.
 *
 *     vae [STEPS [PICTURES.pgm [NETWORK.pt [LOSS.png]]]]
 *
 * The encoder makes of a picture a normal distribution of HIDDEN numbers, the decoder a picture of a
 * number drawn from it.  The loss is what the decoder gets wrong, and how far the distributions are
 * from the standard one: from its numbers new pictures are made. */
#include <ATen/ATen.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SIDE = 16, PIXELS = SIDE * SIDE, WIDE = 128, HIDDEN = 4, BATCH = 64, ROWS = 6 };

/* --- the model -------------------------------------------------------------------------------- */

typedef struct Vae {
  at_module *encoder, *decoder;
} Vae;

static at_tensor *decode(at_module *self, at_tensor *hidden)
{
  return at_forward(((Vae *)at_module_own(self))->decoder, hidden);
}

static const at_module_kind vae_kind = {"Vae", decode, sizeof(Vae)};

static at_module *vae_new(void)
{
  at_module *const self = at_module_new(&vae_kind);
  Vae *const vae = at_module_own(self);
  if (!vae)
    return NULL;
  vae->encoder =
      at_module_add(self, "encoder",
                    at_Sequential(at_Linear(PIXELS, WIDE), at_ReLU(), at_Linear(WIDE, 2 * HIDDEN)));
  vae->decoder =
      at_module_add(self, "decoder",
                    at_Sequential(at_Linear(HIDDEN, WIDE), at_ReLU(), at_Linear(WIDE, PIXELS)));
  return self;
}

/* For each picture, what the decoder gets wrong, and the distance of the distributions. */
static at_tensor *loss_of(at_module *self, at_tensor *pictures)
{
  const Vae *const vae = at_module_own(self);
  at_tensor *const distribution = at_forward(vae->encoder, pictures);
  at_tensor *const mean = at_narrow(distribution, 1, 0, HIDDEN);
  at_tensor *const log_variance = at_narrow(distribution, 1, HIDDEN, HIDDEN);
  at_tensor *const deviation = at_exp(at_mul(log_variance, 0.5));
  at_tensor *const noise = at_randn(at_sizes(mean));
  at_tensor *const scores = decode(self, at_add(mean, at_mul(noise, deviation)));
  at_tensor *const wrong =
      at_binary_cross_entropy_with_logits(scores, pictures, .reduction = AT_REDUCTION_SUM);
  at_tensor *const squares = at_add(at_square(mean), at_exp(log_variance));
  at_tensor *const far = at_mul(at_sum(at_sub(at_sub(squares, log_variance), 1)), 0.5);
  return at_div(at_add(wrong, far), BATCH);
}

/* --- pictures --------------------------------------------------------------------------------- */

/* Ellipses of random sizes at random positions. */
static at_tensor *ellipses(void)
{
  at_tensor *const line = at_add(at_arange(SIDE, .type = AT_CPU(AT_FLOAT)), 0.5);
  at_tensor *const middle = at_add(at_mul(at_rand(AT_SHAPE(BATCH, 2)), SIDE / 2), SIDE / 4);
  at_tensor *const radius = at_add(at_mul(at_rand(AT_SHAPE(BATCH, 2)), SIDE / 4), 2);
  at_tensor *const away = at_square(at_div(at_sub(line, at_unsqueeze(middle, 2)),
                                           at_unsqueeze(radius, 2))); /* BATCH x 2 x SIDE */
  at_tensor *const sum =
      at_add(at_unsqueeze(at_select(away, 1, 0), 2), at_unsqueeze(at_select(away, 1, 1), 1));
  return at_reshape(at_to(at_lt(sum, 1), AT_CPU(AT_FLOAT)), AT_SHAPE(BATCH, PIXELS));
}

/* Writes ROWS x ROWS pictures that the decoder makes of random numbers. */
static bool draw(at_module *self, const char *path)
{
  at_tensor *const pixels = at_sigmoid(at_forward(self, at_randn(AT_SHAPE(ROWS * ROWS, HIDDEN))));
  at_tensor *const table =
      at_contiguous(at_permute(at_reshape(at_mul(pixels, 255), AT_SHAPE(ROWS, ROWS, SIDE, SIDE)),
                               AT_INTS(0, 2, 1, 3)));
  at_tensor *const bytes = at_to(table, AT_CPU(AT_BYTE));
  FILE *const file = at_defined(bytes) ? fopen(path, "wb") : NULL;
  if (!file)
    return false;
  fprintf(file, "P5\n%d %d\n255\n", ROWS * SIDE, ROWS * SIDE);
  const bool whole = fwrite(at_data(bytes), ROWS * ROWS * PIXELS, 1, file) == 1;
  return (fclose(file) == 0) & whole;
}

int main(int argc, char **argv)
{
  const int steps = argc > 1 ? atoi(argv[1]) : 2000;
  const char *const path = argc > 2 ? argv[2] : "vae.pgm";
  bool drawn = false;
  at_manualSeed(1);
  AT_SCOPE
  {
    at_module *const vae = vae_new();
    at_optimizer *const adam = at_adam(*at_module_parameters(vae), .lr = 1e-3);
    at_progress *const progress =
        steps > 0 ? at_progress_new(steps, .out = STDOUT_FILENO, .every = 200) : NULL;
    for (int i = 0; i < steps && at_error() == AT_OK; i++)
      AT_SCOPE
      {
        at_tensor *const loss = loss_of(vae, ellipses());
        at_optimizer_zero_grad(adam);
        at_backward(loss);
        at_optimizer_step(adam);
        at_progress_step(progress, at_item_double(loss));
      }
    AT_NO_GRAD
    {
      drawn = draw(vae, path);
    }
    if (argc > 3)
      at_module_save(vae, argv[3]);
    if (argc > 4)
      at_progress_save(progress, argv[4]);
    at_progress_free(progress);
    at_optimizer_free(adam);
    at_module_free(vae);
  }
  if (at_error() != AT_OK || !drawn)
    fprintf(stderr, "vae: %s\n", at_error() != AT_OK ? at_error_message() : path);
  return at_error() != AT_OK || !drawn;
}

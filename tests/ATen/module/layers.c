/* Layers against PyTorch: first values, state dicts, text, results and gradients.
 * tests/oracle/modules.py wrote the golden file and says what is in it. */
#include "ATen.h"
#include "th_test.h"

typedef struct Case {
  const char *name;
  at_module *(*make)(void);
} Case;

/* --- modules around modules that are called with several tensors ------------------------------- */

/* sin(1), sin(2), ..., as in the oracle. */
static at_tensor *numbers(at_ints sizes)
{
  int64_t count = 1;
  for (int i = 0; i < sizes.count; i++)
    count *= sizes.data[i];
  return at_reshape(at_sin(at_add(at_arange(count, .type = AT_CPU(AT_DOUBLE)), 1)), sizes);
}

/* A vector of count integers. */
static at_tensor *integers(const int64_t *data, int64_t count)
{
  at_tensor *const made = at_empty(AT_SHAPE(count), .type = AT_CPU(AT_LONG));
  memcpy(at_data(made), data, (size_t)count * sizeof *data);
  return made;
}

#define INTEGERS(...) \
  integers((const int64_t[]){__VA_ARGS__}, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static at_tensor *decode(at_module *self, at_tensor *x)
{
  at_module *const decoder = at_module_childAt(self, 0);
  at_tensor *const memory = numbers(AT_SHAPE(5, at_size(x, 1), at_size(x, 2)));
  if (strcmp(at_module_kindOf(decoder)->name, "TransformerDecoder") == 0)
    return at_TransformerDecoder_forward(decoder, x, memory, .tgt_is_causal = true);
  return at_TransformerDecoderLayer_forward(decoder, x, memory, .tgt_is_causal = true);
}

static at_tensor *translate(at_module *self, at_tensor *x)
{
  at_tensor *const source = numbers(AT_SHAPE(5, at_size(x, 1), at_size(x, 2)));
  return at_Transformer_forward(at_module_childAt(self, 0), source, x, .tgt_is_causal = true);
}

static at_tensor *attend(at_module *self, at_tensor *x)
{
  at_tensor *const ignored = at_zeros(AT_SHAPE(2, 4), .type = AT_CPU(AT_BOOL));
  at_fill_(at_select(at_select(ignored, 0, 0), 0, 3), 1);
  const at_output_weights made =
      at_MultiheadAttention_forward(at_module_childAt(self, 0), x, numbers(AT_SHAPE(2, 4, 3)),
                                    numbers(AT_SHAPE(2, 4, 5)), .key_padding_mask = ignored);
  return at_cat(AT_TENSORS(made.output, made.weights), .dim = 2);
}

/* A module of several tensors, of which all but the first are given here. */
typedef struct Several {
  at_tensor *more[3];
  int count;
} Several;

static at_tensor *call_several(at_module *self, at_tensor *x)
{
  const Several *const own = at_module_own(self);
  at_tensor *all[4] = {x};
  for (int i = 0; i < own->count; i++)
    all[1 + i] = own->more[i];
  return at_module_call(at_module_childAt(self, 0), ((at_tensors){all, 1 + own->count}));
}

static at_tensor *adapt(at_module *self, at_tensor *x)
{
  at_module *const softmax = at_module_childAt(self, 0);
  at_tensor *const target = INTEGERS(5, 0, 2, 8, 3);
  const at_output_loss made = at_AdaptiveLogSoftmaxWithLoss_forward(softmax, x, target);
  at_tensor *const all = at_AdaptiveLogSoftmaxWithLoss_log_prob(softmax, x);
  CHECK(at_equal(at_AdaptiveLogSoftmaxWithLoss_predict(softmax, x), at_argmax(all, .dim = 1)));
  return at_cat(AT_TENSORS(made.output, at_reshape(made.loss, AT_SHAPE(1)), at_flatten(all)));
}

/* Runs a recurrent layer over sequences of several lengths, from states of numbers. */
static at_output_h_n_c_n run_packed(at_module *layer, at_packed_sequence p)
{
  const bool isLstm = !strcmp(at_module_kindOf(layer)->name, "LSTM");
  const at_tensor *const w = at_module_get(layer, "weight_ih_l0"),
                         *const u = at_module_get(layer, "weight_hh_l0");
  const int64_t gates = isLstm ? 4 : !strcmp(at_module_kindOf(layer)->name, "GRU") ? 3 : 1;
  int64_t rows = 1;
  for (const char *const names[] = {"weight_ih_l0_reverse", "weight_ih_l1", NULL}, *const *name =
                                                                                       names;
       *name; name++) {
    at_dict *const all = at_module_state_dict(layer);
    rows *= at_dict_has(all, *name) ? 2 : 1;
    at_dict_free(all);
  }
  at_tensor *const h = numbers(AT_SHAPE(rows, 4, at_size(u, 1)));
  at_tensor *const c = numbers(AT_SHAPE(rows, 4, at_size(w, 0) / gates));
  if (isLstm)
    return at_LSTM_forward_packed(layer, p.data, p.batch_sizes, .h_0 = h, .c_0 = c,
                                  .unsorted_indices = p.unsorted_indices);
  const at_output_h_n made = gates == 3
                                 ? at_GRU_forward_packed(layer, p.data, p.batch_sizes, .h_0 = h,
                                                         .unsorted_indices = p.unsorted_indices)
                                 : at_RNN_forward_packed(layer, p.data, p.batch_sizes, .h_0 = h,
                                                         .unsorted_indices = p.unsorted_indices);
  return (at_output_h_n_c_n){made.output, made.h_n, NULL};
}

/* Outputs, padded, lengths and last states; x is steps x batch, or batch x steps where there are 4 rows. */
static at_tensor *call_packed(at_module *self, at_tensor *x)
{
  at_module *const layer = at_module_childAt(self, 0);
  const bool first = at_size(x, 0) == 4, inOrder = !strcmp(at_module_kindOf(layer)->name, "RNN");
  at_tensor *const lengths = inOrder ? INTEGERS(5, 4, 3, 1) : INTEGERS(3, 5, 1, 4);
  const at_packed_sequence p =
      at_pack_padded_sequence(x, lengths, .batch_first = first, .enforce_sorted = inOrder);
  const at_output_h_n_c_n r = run_packed(layer, p);
  const at_padded_lengths y =
      at_pad_packed_sequence(r.output, p.batch_sizes, .batch_first = first, .padding_value = 0.5,
                             .total_length = 6, .unsorted_indices = p.unsorted_indices);
  CHECK(at_equal(y.lengths, lengths));
  at_tensor *const all = at_cat(AT_TENSORS(at_flatten(y.padded),
                                           at_to(y.lengths, AT_CPU(AT_DOUBLE)), at_flatten(r.h_n)));
  return r.c_n ? at_cat(AT_TENSORS(all, at_flatten(r.c_n))) : all;
}

/* Maxima and their indices, or what unpooling makes of them. */
static at_tensor *call_indices(at_module *self, at_tensor *x)
{
  at_module *const pool = at_module_childAt(self, 0);
  const char *const name = at_module_kindOf(pool)->name;
  const at_output_indices r = !strcmp(name, "MaxPool1d")   ? at_MaxPool1d_forward(pool, x)
                              : !strcmp(name, "MaxPool2d") ? at_MaxPool2d_forward(pool, x)
                              : !strcmp(name, "MaxPool3d") ? at_MaxPool3d_forward(pool, x)
                              : !strcmp(name, "AdaptiveMaxPool2d")
                                  ? at_AdaptiveMaxPool2d_forward(pool, x)
                                  : at_FractionalMaxPool2d_forward(pool, x);
  if (at_module_count(self) > 1)
    return at_forward(at_module_childAt(self, 1), at_mul(r.output, r.output), r.indices);
  return at_cat(AT_TENSORS(at_flatten(r.output), at_to(at_flatten(r.indices), AT_CPU(AT_DOUBLE))));
}

static at_tensor *call_plain(at_module *self, at_tensors inputs)
{
  at_tensor *const x = inputs.data[0];
  return at_forward(at_module_childAt(self, 0), inputs.count > 1 ? at_mul(x, inputs.data[1]) : x);
}

static at_tensor *encode_plain(at_module *self, at_tensor *x)
{
  return call_plain(self, AT_TENSORS(x));
}

static const at_module_kind packed_kind = {"Packed", call_packed};
static const at_module_kind indices_kind = {"Indices", call_indices};
static const at_module_kind encoder_kind = {"Plain", encode_plain};
static const at_module_kind plain_kind = {"Plain", .call = call_plain, .inputs = 2};
static const at_module_kind several_kind = {"Several", call_several, sizeof(Several)};
static const at_module_kind adaptive_kind = {"Adaptive", adapt};
static const at_module_kind decoder_kind = {"Decoder", decode};
static const at_module_kind translation_kind = {"Translation", translate};
static const at_module_kind attention_kind = {"Attention", attend};

static at_module *around(const at_module_kind *kind, const char *name, at_module *child)
{
  at_module *const self = at_module_new(kind);
  if (!at_module_add(self, name, child)) {
    at_module_free(self);
    return NULL;
  }
  return self;
}

static at_module *with_unpool(at_module *pool, at_module *unpool)
{
  at_module *const self = around(&indices_kind, "pool", pool);
  (void)at_module_add(self, "unpool", unpool);
  return self;
}

static at_module *plain_transformer(void)
{
  at_module *const encoder = around(&encoder_kind, "full", at_Linear(4, 4)); /* draws first */
  return at_Transformer_of(encoder, around(&plain_kind, "full", at_Linear(4, 4)));
}

/* A module, and up to three tensors besides the first. */
static at_module *with_several(at_module *child, Several given)
{
  at_module *const self = around(&several_kind, "module", child);
  Several *const own = at_module_own(self);
  if (own)
    *own = given;
  return self;
}

/* A module, and one tensor or two besides the first. */
static at_module *several(at_module *child, at_tensor *second, at_tensor *third)
{
  return with_several(child, (Several){{second, third}, third ? 2 : 1});
}

static at_module *with_lengths(at_module *child, at_tensor *targets, at_tensor *input_lengths,
                               at_tensor *target_lengths)
{
  return with_several(child, (Several){{targets, input_lengths, target_lengths}, 3});
}

/* Integers of these sizes. */
#define SHAPED(SIZES, ...) at_reshape(INTEGERS(__VA_ARGS__), SIZES)

/* The absolute values of numbers in Float, as weights of classes. */
static at_tensor *shares(int64_t count)
{
  return at_to(at_abs(numbers(AT_SHAPE(count))), AT_CPU(AT_FLOAT));
}

/* --- the cases --------------------------------------------------------------------------------- */

/* A name in the golden file, and the module. */
/* MODULE, which calls change that name it self_. */
#define PARAMETRIZED(MODULE, CALLS)       \
  __extension__({                         \
    at_module *const self_ = MODULE;      \
    if (!(CALLS))                         \
      fail_msg("%s", at_error_message()); \
    self_;                                \
  })

#define CASES(X)                                                                                   \
  X(Identity, at_Identity())                                                                       \
  X(Linear, at_Linear(5, 3))                                                                       \
  X(Linear_large, at_Linear(7, 6))                                                                 \
  X(Linear_plain, at_Linear(4, 3, .bias = false))                                                  \
  X(Conv1d, at_Conv1d(2, 3, 3, .padding = AT_INTS(1)))                                             \
  X(Conv1d_reflect, at_Conv1d(2, 2, 3, .padding = AT_INTS(2), .padding_mode = "reflect"))          \
  X(Conv2d, at_Conv2d(4, 6, AT_INTS(3, 2), .stride = AT_INTS(2), .padding = AT_INTS(1, 0),         \
                      .dilation = AT_INTS(1, 2), .groups = 2))                                     \
  X(Conv2d_circular,                                                                               \
    at_Conv2d(1, 2, 3, .padding = AT_INTS(1, 2), .bias = false, .padding_mode = "circular"))       \
  X(Conv3d, at_Conv3d(1, 2, 2))                                                                    \
  X(ConvTranspose1d,                                                                               \
    at_ConvTranspose1d(3, 2, 3, .stride = AT_INTS(2), .output_padding = AT_INTS(1)))               \
  X(ConvTranspose2d,                                                                               \
    at_ConvTranspose2d(4, 2, 3, .stride = AT_INTS(2), .padding = AT_INTS(1), .groups = 2))         \
  X(ConvTranspose3d, at_ConvTranspose3d(2, 1, 2, .bias = false))                                   \
  X(BatchNorm1d, at_BatchNorm1d(3))                                                                \
  X(BatchNorm1d_average, at_BatchNorm1d(3, .momentum = AT_NO_DOUBLE))                              \
  X(BatchNorm2d, at_BatchNorm2d(2, .eps = 1e-3, .momentum = 0.3))                                  \
  X(BatchNorm2d_eval, at_BatchNorm2d(2))                                                           \
  X(BatchNorm3d, at_BatchNorm3d(2, .affine = false, .track_running_stats = false))                 \
  X(InstanceNorm1d, at_InstanceNorm1d(3))                                                          \
  X(InstanceNorm2d, at_InstanceNorm2d(2, .affine = true, .track_running_stats = true))             \
  X(InstanceNorm3d, at_InstanceNorm3d(2, .affine = true))                                          \
  X(LayerNorm, at_LayerNorm(5))                                                                    \
  X(LayerNorm_plain, at_LayerNorm(AT_INTS(3, 5), .bias = false))                                   \
  X(GroupNorm, at_GroupNorm(2, 4))                                                                 \
  X(RMSNorm, at_RMSNorm(5))                                                                        \
  X(RMSNorm_eps, at_RMSNorm(AT_INTS(2, 5), .eps = 1e-3))                                           \
  X(Embedding, at_Embedding(6, 4))                                                                 \
  X(Embedding_padding, at_Embedding(6, 4, .padding_idx = -1, .scale_grad_by_freq = true))          \
  X(Embedding_norm, at_Embedding(6, 4, .max_norm = 1))                                             \
  X(Embedding_pretrained,                                                                          \
    at_Embedding_from_pretrained(numbers(AT_SHAPE(6, 4)), .freeze = false, .padding_idx = -2))     \
  X(EmbeddingBag_pretrained,                                                                       \
    at_EmbeddingBag_from_pretrained(numbers(AT_SHAPE(6, 4)), .freeze = false, .mode = "sum"))      \
  X(EmbeddingBag, at_EmbeddingBag(6, 4))                                                           \
  X(EmbeddingBag_max, at_EmbeddingBag(6, 4, .mode = "max", .padding_idx = 2))                      \
  X(Dropout, at_Dropout(.p = 0.25))                                                                \
  X(Dropout2d, at_Dropout2d())                                                                     \
  X(AlphaDropout, at_AlphaDropout())                                                               \
  X(ReLU, at_ReLU())                                                                               \
  X(ReLU6, at_ReLU6())                                                                             \
  X(LeakyReLU, at_LeakyReLU(.negative_slope = 0.2))                                                \
  X(PReLU, at_PReLU(.num_parameters = 3))                                                          \
  X(RReLU, at_RReLU())                                                                             \
  X(ELU, at_ELU(.alpha = 1.5))                                                                     \
  X(CELU, at_CELU(.alpha = 0.7))                                                                   \
  X(SELU, at_SELU())                                                                               \
  X(GELU, at_GELU())                                                                               \
  X(GELU_tanh, at_GELU(.approximate = "tanh"))                                                     \
  X(SiLU, at_SiLU())                                                                               \
  X(Mish, at_Mish())                                                                               \
  X(Sigmoid, at_Sigmoid())                                                                         \
  X(LogSigmoid, at_LogSigmoid())                                                                   \
  X(Tanh, at_Tanh())                                                                               \
  X(Hardtanh, at_Hardtanh(.min_val = -0.5, .max_val = 0.75))                                       \
  X(Hardsigmoid, at_Hardsigmoid())                                                                 \
  X(Hardswish, at_Hardswish())                                                                     \
  X(Softplus, at_Softplus(.beta = 2))                                                              \
  X(Softsign, at_Softsign())                                                                       \
  X(Softshrink, at_Softshrink())                                                                   \
  X(Hardshrink, at_Hardshrink())                                                                   \
  X(Tanhshrink, at_Tanhshrink())                                                                   \
  X(Threshold, at_Threshold(0.1, 20.5))                                                            \
  X(GLU, at_GLU())                                                                                 \
  X(Softmax, at_Softmax(1))                                                                        \
  X(Softmin, at_Softmin(0))                                                                        \
  X(Softmax2d, at_Softmax2d())                                                                     \
  X(LogSoftmax, at_LogSoftmax(-1))                                                                 \
  X(MaxPool1d, at_MaxPool1d(2))                                                                    \
  X(MaxPool2d, at_MaxPool2d(3, .stride = AT_INTS(2), .padding = AT_INTS(1)))                       \
  X(MaxPool2d_pair, at_MaxPool2d(AT_INTS(2, 3), .ceil_mode = true))                                \
  X(MaxPool3d, at_MaxPool3d(2))                                                                    \
  X(MaxPool1d_indices, around(&indices_kind, "pool", at_MaxPool1d(2)))                             \
  X(MaxPool2d_indices, with_unpool(at_MaxPool2d(2), at_MaxUnpool2d(2)))                            \
  X(MaxPool3d_indices, around(&indices_kind, "pool", at_MaxPool3d(2)))                             \
  X(AdaptiveMaxPool2d_indices, around(&indices_kind, "pool", at_AdaptiveMaxPool2d(AT_INTS(3, 2)))) \
  X(FractionalMaxPool2d_indices,                                                                   \
    around(&indices_kind, "pool", at_FractionalMaxPool2d(2, .output_size = AT_INTS(3, 2))))        \
  X(AvgPool1d, at_AvgPool1d(3, .stride = AT_INTS(2), .padding = AT_INTS(1)))                       \
  X(AvgPool2d, at_AvgPool2d(2, .count_include_pad = false, .padding = AT_INTS(1)))                 \
  X(AvgPool2d_divisor, at_AvgPool2d(3, .stride = AT_INTS(2), .padding = AT_INTS(1),                \
                                    .ceil_mode = true, .divisor_override = 5))                     \
  X(AvgPool3d_divisor,                                                                             \
    at_AvgPool3d(2, .count_include_pad = false, .padding = AT_INTS(1), .divisor_override = 3))     \
  X(AvgPool3d, at_AvgPool3d(2))                                                                    \
  X(AdaptiveMaxPool1d, at_AdaptiveMaxPool1d(3))                                                    \
  X(AdaptiveMaxPool2d, at_AdaptiveMaxPool2d(AT_INTS(3, 2)))                                        \
  X(AdaptiveMaxPool3d, at_AdaptiveMaxPool3d(2))                                                    \
  X(AdaptiveAvgPool1d, at_AdaptiveAvgPool1d(3))                                                    \
  X(AdaptiveAvgPool2d, at_AdaptiveAvgPool2d(1))                                                    \
  X(AdaptiveAvgPool3d, at_AdaptiveAvgPool3d(AT_INTS(1, 2, 2)))                                     \
  X(ZeroPad1d, at_ZeroPad1d(2))                                                                    \
  X(ZeroPad2d, at_ZeroPad2d(AT_INTS(1, 0, 2, 1)))                                                  \
  X(ZeroPad3d, at_ZeroPad3d(1))                                                                    \
  X(ConstantPad2d, at_ConstantPad2d(1, 3.5))                                                       \
  X(ReflectionPad1d, at_ReflectionPad1d(2))                                                        \
  X(ReflectionPad2d, at_ReflectionPad2d(AT_INTS(1, 2, 0, 1)))                                      \
  X(ReplicationPad2d, at_ReplicationPad2d(2))                                                      \
  X(CircularPad2d, at_CircularPad2d(AT_INTS(1, 1, 2, 0)))                                          \
  X(Flatten, at_Flatten())                                                                         \
  X(Unflatten, at_Unflatten(1, AT_INTS(2, 3)))                                                     \
  X(PixelShuffle, at_PixelShuffle(2))                                                              \
  X(PixelUnshuffle, at_PixelUnshuffle(2))                                                          \
  X(Upsample, at_Upsample(.scale_factor = 2))                                                      \
  X(Upsample_bilinear,                                                                             \
    at_Upsample(.size = AT_INTS(5, 4), .mode = "bilinear", .align_corners = true))                 \
  X(Upsample_linear, at_Upsample(.scale_factor = 1.5, .mode = "linear"))                           \
  X(RNN, at_RNN(3, 2, .num_layers = 2, .nonlinearity = "relu", .batch_first = true))               \
  X(LSTM, at_LSTM(3, 2, .num_layers = 2, .bidirectional = true))                                   \
  X(LSTM_plain, at_LSTM(3, 2, .bias = false, .batch_first = true))                                 \
  X(GRU, at_GRU(3, 2, .bidirectional = true, .batch_first = true))                                 \
  X(LSTM_projected, at_LSTM(3, 4, .num_layers = 2, .bidirectional = true, .proj_size = 2))         \
  X(LSTM_projected_plain, at_LSTM(3, 4, .bias = false, .batch_first = true, .proj_size = 3))       \
  X(RNN_packed, around(&packed_kind, "layer", at_RNN(3, 2, .nonlinearity = "relu")))               \
  X(LSTM_packed, around(&packed_kind, "layer",                                                     \
                        at_LSTM(3, 4, .num_layers = 2, .bidirectional = true, .proj_size = 2,      \
                                .batch_first = true)))                                             \
  X(GRU_packed,                                                                                    \
    around(&packed_kind, "layer",                                                                  \
           at_GRU(3, 2, .num_layers = 2, .bidirectional = true, .dropout = 0.4, .bias = false)))   \
  X(RNNCell, at_RNNCell(3, 2))                                                                     \
  X(LSTMCell, at_LSTMCell(3, 2))                                                                   \
  X(GRUCell, at_GRUCell(3, 2, .bias = false))                                                      \
  X(RNNCell_vector, at_RNNCell(3, 2, .nonlinearity = "relu"))                                      \
  X(LSTMCell_vector, at_LSTMCell(3, 2))                                                            \
  X(GRUCell_vector, at_GRUCell(3, 2))                                                              \
  X(LayerNorm_fixed, at_LayerNorm(4, .elementwise_affine = false))                                 \
  X(MultiheadAttention, at_MultiheadAttention(4, 2))                                               \
  X(MultiheadAttention_first, at_MultiheadAttention(4, 2, .bias = false, .batch_first = true))     \
  X(TransformerEncoderLayer, at_TransformerEncoderLayer(4, 2, .dim_feedforward = 6, .dropout = 0)) \
  X(TransformerEncoderLayer_first,                                                                 \
    at_TransformerEncoderLayer(4, 2, .dim_feedforward = 5, .dropout = 0, .activation = "gelu",     \
                               .batch_first = true, .norm_first = true, .bias = false))            \
  X(TransformerEncoder,                                                                            \
    at_TransformerEncoder(at_TransformerEncoderLayer(4, 2, .dim_feedforward = 4, .dropout = 0,     \
                                                     .batch_first = true),                         \
                          2, .norm = at_LayerNorm(4)))                                             \
  X(TransformerEncoderLayer_dropout, at_TransformerEncoderLayer(4, 2, .dim_feedforward = 6))       \
  X(TransformerDecoderLayer,                                                                       \
    around(&decoder_kind, "decoder",                                                               \
           at_TransformerDecoderLayer(4, 2, .dim_feedforward = 5, .dropout = 0)))                  \
  X(TransformerDecoder,                                                                            \
    around(&decoder_kind, "decoder",                                                               \
           at_TransformerDecoder(at_TransformerDecoderLayer(4, 1, .dim_feedforward = 3,            \
                                                            .dropout = 0, .norm_first = true),     \
                                 2)))                                                              \
  X(Attention, around(&attention_kind, "attention",                                                \
                      at_MultiheadAttention(4, 2, .kdim = 3, .vdim = 5, .batch_first = true)))     \
  X(Conv2d_same,                                                                                   \
    at_Conv2d(2, 3, AT_INTS(4, 3), .auto_padding = "same", .dilation = AT_INTS(1, 2)))             \
  X(Conv1d_same, at_Conv1d(2, 2, 4, .auto_padding = "same", .padding_mode = "circular"))           \
  X(Conv3d_valid, at_Conv3d(1, 2, 2, .auto_padding = "valid", .stride = AT_INTS(2)))               \
  X(LPPool1d, at_LPPool1d(1.5, 2))                                                                 \
  X(LPPool2d, at_LPPool2d(2, AT_INTS(2, 3), .stride = AT_INTS(1)))                                 \
  X(LPPool3d, at_LPPool3d(2.5, 2, .stride = AT_INTS(2), .ceil_mode = true))                        \
  X(LocalResponseNorm, at_LocalResponseNorm(3, .alpha = 0.1))                                      \
  X(LocalResponseNorm_even, at_LocalResponseNorm(2, .alpha = 0.5, .beta = 1.5, .k = 2))            \
  X(FeatureAlphaDropout, at_FeatureAlphaDropout(.p = 0.4))                                         \
  X(UpsamplingNearest2d, at_UpsamplingNearest2d(.scale_factor = 2))                                \
  X(UpsamplingBilinear2d, at_UpsamplingBilinear2d(.size = AT_INTS(5, 4)))                          \
  X(ChannelShuffle, at_ChannelShuffle(2))                                                          \
  X(Unfold, at_Unfold(AT_INTS(2, 3), .padding = AT_INTS(1)))                                       \
  X(Fold, at_Fold(AT_INTS(4, 5), 2, .stride = AT_INTS(1, 1)))                                      \
  X(MultiheadAttention_more,                                                                       \
    at_MultiheadAttention(4, 2, .add_bias_kv = true, .add_zero_attn = true))                       \
  X(Attention_more, around(&attention_kind, "attention",                                           \
                           at_MultiheadAttention(4, 2, .kdim = 3, .vdim = 5, .batch_first = true,  \
                                                 .add_bias_kv = true, .add_zero_attn = true)))     \
  X(Transformer,                                                                                   \
    around(&translation_kind, "transformer",                                                       \
           at_Transformer(.d_model = 4, .nhead = 2, .num_encoder_layers = 2,                       \
                          .num_decoder_layers = 1, .dim_feedforward = 6, .dropout = 0)))           \
  X(Transformer_of, plain_transformer())                                                           \
  X(CosineSimilarity, several(at_CosineSimilarity(), numbers(AT_SHAPE(3, 4)), NULL))               \
  X(PairwiseDistance,                                                                              \
    several(at_PairwiseDistance(.p = 3, .keepdim = true), numbers(AT_SHAPE(3, 4)), NULL))          \
  X(Bilinear, several(at_Bilinear(3, 2, 4), numbers(AT_SHAPE(5, 2)), NULL))                        \
  X(CrossMapLRN2d, at_CrossMapLRN2d(3, .alpha = 0.1))                                              \
  X(CrossMapLRN2d_even, at_CrossMapLRN2d(4, .alpha = 0.5, .beta = 1.5, .k = 2))                    \
  X(MaxUnpool1d, several(at_MaxUnpool1d(2), SHAPED(AT_SHAPE(1, 2, 3), 1, 2, 5, 0, 3, 4), NULL))    \
  X(MaxUnpool2d, several(at_MaxUnpool2d(AT_INTS(2, 1), .stride = AT_INTS(2)),                      \
                         SHAPED(AT_SHAPE(1, 1, 2, 2), 0, 2, 8, 7), NULL))                          \
  X(MaxUnpool3d, several(at_MaxUnpool3d(2), SHAPED(AT_SHAPE(1, 1, 1, 1, 2), 1, 14), NULL))         \
  X(FractionalMaxPool2d, at_FractionalMaxPool2d(2, .output_size = AT_INTS(3, 2)))                  \
  X(FractionalMaxPool2d_ratio, at_FractionalMaxPool2d(AT_INTS(2, 3), .output_ratio = 0.5))         \
  X(FractionalMaxPool3d, at_FractionalMaxPool3d(2, .output_size = AT_INTS(3, 2, 1)))               \
  X(FractionalMaxPool3d_ratio, at_FractionalMaxPool3d(AT_INTS(1, 2, 3), .output_ratio = 0.5))      \
  X(L1Loss, several(at_L1Loss(), numbers(AT_SHAPE(2, 3)), NULL))                                   \
  X(MSELoss, several(at_MSELoss(.reduction = "sum"), numbers(AT_SHAPE(2, 3)), NULL))               \
  X(SmoothL1Loss, several(at_SmoothL1Loss(.beta = 0.5), numbers(AT_SHAPE(2, 3)), NULL))            \
  X(HuberLoss,                                                                                     \
    several(at_HuberLoss(.delta = 0.7, .reduction = "none"), numbers(AT_SHAPE(2, 3)), NULL))       \
  X(KLDivLoss,                                                                                     \
    several(at_KLDivLoss(.reduction = "batchmean"), at_abs(numbers(AT_SHAPE(2, 3))), NULL))        \
  X(KLDivLoss_log,                                                                                 \
    several(at_KLDivLoss(.reduction = "none", .log_target = true), numbers(AT_SHAPE(2, 3)), NULL)) \
  X(PoissonNLLLoss,                                                                                \
    several(at_PoissonNLLLoss(.full = true), at_mul(at_abs(numbers(AT_SHAPE(2, 3))), 4), NULL))    \
  X(GaussianNLLLoss, several(at_GaussianNLLLoss(.full = true), numbers(AT_SHAPE(2, 3)),            \
                             at_abs(numbers(AT_SHAPE(2, 1)))))                                     \
  X(GaussianNLLLoss_least, several(at_GaussianNLLLoss(.eps = 0.9, .reduction = "sum"),             \
                                   numbers(AT_SHAPE(2, 3)), at_abs(numbers(AT_SHAPE(2)))))         \
  X(KLDivLoss_mean, several(at_KLDivLoss(), at_abs(numbers(AT_SHAPE(2, 3))), NULL))                \
  X(BCELoss, several(at_BCELoss(.weight = shares(3)), at_abs(numbers(AT_SHAPE(2, 3))), NULL))      \
  X(BCEWithLogitsLoss,                                                                             \
    several(at_BCEWithLogitsLoss(.pos_weight = shares(3)), at_abs(numbers(AT_SHAPE(2, 3))), NULL)) \
  X(NLLLoss, several(at_NLLLoss(.weight = shares(3), .ignore_index = 1),                           \
                     SHAPED(AT_SHAPE(2, 2), 0, 1, 2, 2), NULL))                                    \
  X(NLLLoss2d,                                                                                     \
    several(at_NLLLoss2d(.reduction = "none"), SHAPED(AT_SHAPE(1, 2, 2), 0, 1, 2, 2), NULL))       \
  X(CrossEntropyLoss, several(at_CrossEntropyLoss(.label_smoothing = 0.1), INTEGERS(0, 2), NULL))  \
  X(CrossEntropyLoss_sum,                                                                          \
    several(at_CrossEntropyLoss(.weight = shares(3), .reduction = "sum"), INTEGERS(1, 2), NULL))   \
  X(CTCLoss, with_lengths(at_CTCLoss(), SHAPED(AT_SHAPE(2, 2), 1, 2, 1, 0), INTEGERS(5, 4),        \
                          INTEGERS(2, 1)))                                                         \
  X(CTCLoss_sum, with_lengths(at_CTCLoss(.blank = 2, .reduction = "sum", .zero_infinity = true),   \
                              INTEGERS(0, 1, 1, 0), INTEGERS(5, 1), INTEGERS(2, 2)))               \
  X(LinearCrossEntropyLoss,                                                                        \
    several(at_LinearCrossEntropyLoss(4, 3, .out_features = AT_INTS(2), .bias = true),             \
            SHAPED(AT_SHAPE(3, 2), 0, 1, 2, 2, 1, 0), NULL))                                       \
  X(LinearCrossEntropyLoss_smooth,                                                                 \
    several(at_LinearCrossEntropyLoss(4, 3, .ignore_index = 1, .label_smoothing = 0.2),            \
            INTEGERS(0, 1, 2), NULL))                                                              \
  X(SoftMarginLoss, several(at_SoftMarginLoss(), at_sign(numbers(AT_SHAPE(2, 3))), NULL))          \
  X(HingeEmbeddingLoss,                                                                            \
    several(at_HingeEmbeddingLoss(.margin = 0.5), at_sign(numbers(AT_SHAPE(2, 3))), NULL))         \
  X(MarginRankingLoss, several(at_MarginRankingLoss(.margin = 0.3), numbers(AT_SHAPE(5)),          \
                               at_sign(numbers(AT_SHAPE(5)))))                                     \
  X(CosineEmbeddingLoss, several(at_CosineEmbeddingLoss(.margin = -0.5), numbers(AT_SHAPE(5, 3)),  \
                                 at_sign(numbers(AT_SHAPE(5)))))                                   \
  X(TripletMarginLoss, several(at_TripletMarginLoss(.swap = true), numbers(AT_SHAPE(4, 3)),        \
                               at_cos(numbers(AT_SHAPE(4, 3)))))                                   \
  X(MultiMarginLoss,                                                                               \
    several(at_MultiMarginLoss(.p = 2, .margin = 0.8, .weight = at_abs(numbers(AT_SHAPE(3)))),     \
            INTEGERS(0, 2), NULL))                                                                 \
  X(MultiLabelMarginLoss,                                                                          \
    several(at_MultiLabelMarginLoss(), SHAPED(AT_SHAPE(2, 3), 2, 0, -1, 1, -1, 0), NULL))          \
  X(MultiLabelSoftMarginLoss, several(at_MultiLabelSoftMarginLoss(.weight = shares(3)),            \
                                      at_round(at_abs(numbers(AT_SHAPE(2, 3)))), NULL))            \
  X(MultiLabelSoftMarginLoss_sum, several(at_MultiLabelSoftMarginLoss(.reduction = "sum"),         \
                                          at_round(at_abs(numbers(AT_SHAPE(2, 3)))), NULL))        \
  X(MultiLabelSoftMarginLoss_none, several(at_MultiLabelSoftMarginLoss(.reduction = "none"),       \
                                           at_round(at_abs(numbers(AT_SHAPE(2, 3)))), NULL))       \
  X(AdaptiveLogSoftmaxWithLoss,                                                                    \
    around(&adaptive_kind, "softmax",                                                              \
           at_AdaptiveLogSoftmaxWithLoss(6, 9, AT_INTS(3, 5), .div_value = 2, .head_bias = true))) \
  X(SyncBatchNorm, at_SyncBatchNorm(3, .momentum = AT_NO_DOUBLE))                                  \
  X(SyncBatchNorm_eval, at_SyncBatchNorm(3, .affine = false))                                      \
  X(WeightNorm, PARAMETRIZED(at_Linear(4, 3), at_parametrizations_weight_norm(self_)))             \
  X(WeightNorm_conv,                                                                               \
    PARAMETRIZED(at_Conv2d(2, 3, 2), at_parametrizations_weight_norm(self_, .dim = 1)))            \
  X(WeightNorm_all,                                                                                \
    PARAMETRIZED(at_Linear(4, 3),                                                                  \
                 at_parametrizations_weight_norm(self_, .name = "bias", .dim = AT_NONE)))          \
  X(WeightNorm_old, PARAMETRIZED(at_Linear(4, 3), at_utils_weight_norm(self_)))                    \
  X(WeightNorm_lstm,                                                                               \
    PARAMETRIZED(at_LSTM(3, 2), at_utils_weight_norm(self_, .name = "weight_hh_l0") &&             \
                                    at_utils_weight_norm(self_, .name = "bias_ih_l0")))            \
  X(SpectralNorm, PARAMETRIZED(at_Linear(4, 3),                                                    \
                               at_parametrizations_spectral_norm(self_, .n_power_iterations = 2))) \
  X(SpectralNorm_transposed,                                                                       \
    PARAMETRIZED(at_ConvTranspose2d(2, 3, 2), at_parametrizations_spectral_norm(self_)))           \
  X(SpectralNorm_eval, PARAMETRIZED(at_Linear(4, 3), at_parametrizations_spectral_norm(self_)))    \
  X(SpectralNorm_vector,                                                                           \
    PARAMETRIZED(at_Linear(4, 3), at_parametrizations_spectral_norm(self_, .name = "bias")))       \
  X(SpectralNorm_old, PARAMETRIZED(at_Conv1d(2, 3, 2), at_utils_spectral_norm(self_)))             \
  X(Orthogonal, PARAMETRIZED(at_Linear(3, 3), at_parametrizations_orthogonal(self_)))              \
  X(Orthogonal_wide, PARAMETRIZED(at_Linear(4, 3), at_parametrizations_orthogonal(self_)))         \
  X(Orthogonal_tall,                                                                               \
    PARAMETRIZED(at_Linear(3, 5),                                                                  \
                 at_parametrizations_orthogonal(self_, .orthogonal_map = "cayley")))               \
  X(Orthogonal_wide_exp,                                                                           \
    PARAMETRIZED(at_Linear(5, 3),                                                                  \
                 at_parametrizations_orthogonal(self_, .orthogonal_map = "matrix_exp")))           \
  X(Orthogonal_plain,                                                                              \
    PARAMETRIZED(at_Linear(4, 3),                                                                  \
                 at_parametrizations_orthogonal(self_, .use_trivialization = false)))              \
  X(Sequential, at_Sequential(at_Conv2d(1, 2, 3, .padding = AT_INTS(1)), at_BatchNorm2d(2),        \
                              at_ReLU(), at_MaxPool2d(2), at_Flatten(), at_Linear(8, 3)))

#define MAKE(NAME, ...)               \
  static at_module *make_##NAME(void) \
  {                                   \
    return __VA_ARGS__;               \
  }
CASES(MAKE)

#define ROW(NAME, ...) {#NAME, make_##NAME},
static const Case cases[] = {CASES(ROW)};

static at_dict *golden;
static int failures;

/* PyTorch multiplies gradients of Double by constants of Float there. */
static double part_of(const Case *c)
{
  return !strcmp(c->name, "CELU") || !strcmp(c->name, "Hardsigmoid") ? 1e-8 : 1e-10;
}

/* Notes that the case fails, and goes on with the next. */
static void complain(const Case *c, const char *what)
{
  failures++;
  print_error("%s: %s: %s\n", c->name, what, at_error_message());
  at_error_clear();
}

/* The golden tensor of that name in the case; NULL if there is none. */
static at_tensor *wanted(const Case *c, const char *kind, const char *name)
{
  char full[200];
  snprintf(full, sizeof full, "%s.%s%s", c->name, kind, name);
  return at_dict_has(golden, full) ? at_dict_get(golden, full) : NULL;
}

static const char *fact(const Case *c, const char *name)
{
  char full[200];
  snprintf(full, sizeof full, "%s.%s", c->name, name);
  return at_datum_string(at_datum_get(at_dict_metadata(golden), full), NULL);
}

/* Checks that the elements agree within that part of the largest. */
static void check_close(const Case *c, const char *what, at_tensor *t, at_tensor *want, double part)
{
  AT_SCOPE
  {
    if (!at_defined(t) || !want || !at_is_same_size(t, want)) {
      complain(c, what);
      return;
    }
    at_tensor *const x = at_to(at_detach(t), AT_CPU(AT_DOUBLE)), *const y =
                                                                     at_to(want, AT_CPU(AT_DOUBLE));
    const double away = at_numel(x) ? at_item_double(at_max(at_abs(at_sub(x, y)))) : 0;
    const double most = at_numel(x) ? at_item_double(at_max(at_abs(y))) : 0;
    if (!(away <= part * (1 + most))) {
      print_error("%g of %g: ", away, most);
      complain(c, what);
    }
  }
}

/* The names of the state dict in order, and values after the seed of the oracle. */
static void check_state(const Case *c, at_module *module)
{
  char names[4000] = "";
  at_dict *const state = at_module_state_dict(module);
  for (int64_t i = 0; i < at_dict_count(state); i++) {
    snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", i ? " " : "",
             at_dict_name(state, i));
    check_close(c, at_dict_name(state, i), at_dict_at(state, i),
                wanted(c, "state.", at_dict_name(state, i)), 1e-6);
  }
  if (strcmp(names, fact(c, "state")) != 0)
    complain(c, names);
  at_dict_free(state);
  char *const text = at_module_toString(module);
  if (!text || strcmp(text, fact(c, "repr")) != 0)
    complain(c, text ? text : "repr");
  at_string_free(text);
}

static void load_state(const Case *c, at_module *module)
{
  char prefix[100];
  snprintf(prefix, sizeof prefix, "%s.state.", c->name);
  if (!at_module_to(module, AT_CPU(AT_DOUBLE)) ||
      !at_module_load_state_dict(module, golden, .prefix = prefix))
    complain(c, "load");
}

static void check_gradients(const Case *c, at_module *module, at_tensor *x, at_tensor *y)
{
  at_tensor *const numbers = at_arange(at_numel(y), .type = AT_CPU(AT_DOUBLE));
  at_tensor *const weights = at_reshape(at_cos(at_add(at_mul(numbers, 0.7), 1)), at_sizes(y));
  if (at_requiresGrad(y) && !at_backward(at_sum(at_mul(y, weights))))
    complain(c, "backward");
  if (wanted(c, "gradient", ""))
    check_close(c, "gradient", at_grad(x), wanted(c, "gradient", ""), part_of(c));
  at_dict *const parameters = at_module_named_parameters(module);
  for (int64_t i = 0; i < at_dict_count(parameters); i++) {
    const char *const name = at_dict_name(parameters, i);
    check_close(c, name, at_grad(at_dict_at(parameters, i)), wanted(c, "gradients.", name), 1e-10);
  }
  at_dict_free(parameters);
}

static void check_case(const Case *c)
{
  AT_SCOPE
  {
    at_manualSeed(7);
    at_module *const module = c->make();
    if (!module || !fact(c, "training"))
      fail_msg("%s: %s", c->name, at_error_message());
    check_state(c, module);
    load_state(c, module);
    if (!strcmp(fact(c, "training"), "False"))
      at_module_eval(module);
    at_tensor *const x = at_clone(wanted(c, "input", ""));
    if (wanted(c, "gradient", ""))
      at_requires_grad_(x);
    at_manualSeed(11);
    const bool isTransformer = !strcmp(at_module_kindOf(module)->name, "Transformer");
    at_tensor *const y = isTransformer ? at_forward(module, x, x) : at_forward(module, x);
    check_close(c, "output", y, wanted(c, "output", ""), 1e-10);
    at_dict *const buffers = at_module_named_buffers(module);
    for (int64_t i = 0; i < at_dict_count(buffers); i++)
      check_close(c, at_dict_name(buffers, i), at_dict_at(buffers, i),
                  wanted(c, "after.", at_dict_name(buffers, i)), 1e-10);
    at_dict_free(buffers);
    check_gradients(c, module, x, y);
    at_module_free(module);
  }
}

/* Each layer of the golden file has a row here. */
static void check_rows(void)
{
  for (int64_t i = 0; i < at_dict_count(golden); i++) {
    const char *const name = at_dict_name(golden, i);
    const size_t length = strcspn(name, ".");
    bool has = false;
    for (size_t k = 0; k < sizeof cases / sizeof *cases && !has; k++)
      has = !strncmp(cases[k].name, name, length) && !cases[k].name[length];
    th_note("%s", name);
    CHECK(has);
  }
}

static void layers(void **state)
{
  golden = at_load(AT_GOLDEN_DIR "/modules/layers.safetensors");
  check_rows();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    check_case(&cases[i]);
  at_dict_free(golden);
  CHECK_EQ(failures, 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(layers)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
